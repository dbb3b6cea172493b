// The camera of a movie: the scene's own, or one that follows the action.
#ifndef RBL_SCENE_MOVIE_MOVIE_CAMERA_H
#define RBL_SCENE_MOVIE_MOVIE_CAMERA_H

#include "scene/movie/movie.h"

// Look through the whole run and lay down where to look when.
rblResult rbl_movie_plan_camera(rblMovie* movie);

// Set eye, target and field of view for a moment.
void rbl_movie_aim(const rblMovie* movie, double time, rblPictureDef* def);

#endif
