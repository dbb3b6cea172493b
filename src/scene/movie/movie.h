// A run as moving pictures: frames at a steady rate, ray traced, seen by the scene's camera or by one that follows the action.
// A frame depends on the run and the definition alone, so that frames may be made in any order and at any time.
#ifndef RBL_SCENE_MOVIE_MOVIE_H
#define RBL_SCENE_MOVIE_MOVIE_H

#include "rubble/movie.h"
#include "scene/run/run.h"

// Where the camera looks.
typedef struct rblMovieView
{
    rblVec3d target;
    double radius; // of what is to be seen, m
} rblMovieView;

typedef struct rblMovie
{
    const rblRun* run;
    rblMovieDef def;
    uint32_t frame_count;
    double floor;        // height, m
    rblMovieView* views; // every VIEW_SECONDS of the run; null: the scene has a camera
    uint32_t view_count;
} rblMovie;

// A definition of the caller, completed; null: the defaults.
rblResult rbl_movie_read_def(const rblMovieDef* given, rblMovieDef* out);

// The run must outlive the movie. rbl_movie_close() in any case.
rblResult rbl_movie_open(rblMovie* movie, const rblRun* run, const rblMovieDef* def);
void rbl_movie_close(rblMovie* movie);

// The time of a frame, s of the run.
double rbl_movie_time(const rblMovie* movie, uint32_t frame);

// Draw one frame into 4 * width * height bytes. `stats` may be null.
rblResult rbl_movie_frame(const rblMovie* movie, uint32_t frame, uint8_t* rgba, rblPictureStats* stats);

// What the scene looks like at a time, without overlay.
rblResult rbl_movie_picture(const rblMovie* movie, double time, uint8_t* rgba, rblPictureStats* stats);

// How far an axis-aligned slab of all bodies' middles reaches when the outermost twentieth is left out on either side: what the
// camera follows. Exposed for tests.
rblMovieView rbl_movie_view(const rblMovie* movie, double time);

// The colour that a body is drawn in: bodies are coloured in turn, what does not move has the colour of its material, and pieces
// that of what they are of.
rblVec3 rbl_movie_color(const rblRun* run, uint32_t body);

#endif
