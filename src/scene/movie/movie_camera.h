// The camera of a movie: that of the scene, or one that follows the bodies.
#ifndef RBL_SCENE_MOVIE_MOVIE_CAMERA_H
#define RBL_SCENE_MOVIE_MOVIE_CAMERA_H

#include "scene/movie/movie.h"

// Compute the views of the whole run.
rblResult rbl_movie_plan_camera(rblMovie* movie);

// Set eye, target and field of view at a time.
void rbl_movie_aim(const rblMovie* movie, double time, rblPictureDef* def);

#endif
