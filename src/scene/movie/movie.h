// A run as a movie: ray-traced frames at a constant rate, from the camera of the scene or from one that follows the bodies. A
// frame depends only on the run and the definition, so frames can be drawn in any order.
#ifndef RBL_SCENE_MOVIE_MOVIE_H
#define RBL_SCENE_MOVIE_MOVIE_H

#include "rubble/movie.h"
#include "scene/run/run.h"

// The target of the camera at one time.
typedef struct rblMovieView
{
    rblVec3d target;
    double radius; // m: radius of the visible region around the target
} rblMovieView;

typedef struct rblMovie
{
    const rblRun* run;
    rblMovieDef def;
    uint32_t frame_count;
    double floor;        // height, m
    rblMovieView* views; // one per VIEW_SECONDS of the run; null: the scene has a camera
    uint32_t view_count;
} rblMovie;

// The definition of the caller, completed with defaults; null: all defaults.
rblResult rbl_movie_read_def(const rblMovieDef* given, rblMovieDef* out);

// The run must outlive the movie. rbl_movie_close() is required in any case.
rblResult rbl_movie_open(rblMovie* movie, const rblRun* run, const rblMovieDef* def);
void rbl_movie_close(rblMovie* movie);

// The time of a frame, s of the run.
double rbl_movie_time(const rblMovie* movie, uint32_t frame);

// Draw one frame into 4 * width * height bytes. `stats` may be null.
rblResult rbl_movie_frame(const rblMovie* movie, uint32_t frame, uint8_t* rgba, rblPictureStats* stats);

// Draw the scene at a time, without overlay.
rblResult rbl_movie_picture(const rblMovie* movie, double time, uint8_t* rgba, rblPictureStats* stats);

// The region that the camera follows: the bounds of the centres of moving bodies, without the outermost twentieth on either
// side of each axis. Exposed for tests.
rblMovieView rbl_movie_view(const rblMovie* movie, double time);

// The colour of a body: moving bodies get colours in turn, static bodies the colour of their material, and pieces the colour of
// their parent.
rblVec3 rbl_movie_color(const rblRun* run, uint32_t body);

#endif
