/// Movies: ray-traced frames of a run at a constant rate, with the camera of the scene or a camera that follows the motion. A frame
/// depends only on the run and the definition, so frames can be drawn in any order.
#ifndef RUBBLE_MOVIE_H
#define RUBBLE_MOVIE_H

#include "rubble/picture.h"
#include "rubble/run.h"

RBL_EXTERN_C_BEGIN

/// Handle to a movie. Zero is null; pass by value, compare, store. Stale ids are caught.
typedef struct rblMovieId
{
    uint32_t index1;
    uint32_t generation;
} rblMovieId;

/// Definition of a movie. Start from rbl_default_movie_def() and change fields.
typedef struct rblMovieDef
{
    uint32_t struct_size;   ///< bytes of this struct; set by rbl_default_movie_def()
    uint32_t cookie;        ///< set by rbl_default_movie_def()
    uint32_t width, height; ///< pixels, 1 to RBL_PICTURE_MAX_SIZE; default 1280 x 720
    uint32_t samples;       ///< per pixel, 1 to RBL_PICTURE_MAX_SAMPLES; default 8
    double rate;            ///< frames per second, 0.01 to 1000; default 30
    double speed;           ///< seconds of the run per second of the movie, 0.0001 to 10000; default 1
    double begin, end;      ///< time range of the run, s; default the whole run
    bool overlay;           ///< show time, number of bodies and step time in a corner; default true
} rblMovieDef;

/// The defaults named above.
RBL_API void rbl_movie_def_init(rblMovieDef* def, size_t size);
static inline rblMovieDef rbl_default_movie_def(void)
{
    rblMovieDef def;
    rbl_movie_def_init(&def, sizeof def);
    return def;
}

/// Check a definition for a run that ends at the time `last` (s; INFINITY: not known yet); the message says what is wrong.
RBL_API rblResult rbl_movie_check(const rblMovieDef* def, double last);

/// Create a movie and plan the path of its camera. Null def: the defaults. The movie references the run, which may be destroyed, but must
/// not be stepped. Refused: runs whose motion was not kept.
RBL_API rblResult rbl_movie_create(rblRunId run, const rblMovieDef* def, rblMovieId* out);

/// Destroy a movie.
RBL_API rblResult rbl_movie_destroy(rblMovieId movie);

/// The number of frames, and the time of a frame in the run, s.
RBL_API rblResult rbl_movie_frame_count(rblMovieId movie, uint32_t* out);
RBL_API rblResult rbl_movie_frame_time(rblMovieId movie, uint32_t frame, double* out);

/// Draw one frame into 4 * width * height bytes, rows from the top, sRGB, alpha 255. `stats` may be null. May be called from
/// several threads at once.
RBL_API rblResult rbl_movie_draw(rblMovieId movie, uint32_t frame, uint8_t* rgba, rblPictureStats* stats);

/// Report of rbl_movie_save_frames().
typedef struct rblMovieReport
{
    uint32_t drawn, kept; ///< numbers of frames; kept: they existed already
    double build_seconds,
        draw_seconds; ///< sums over the drawn frames: time to build triangles and trees; total time
    double wall_seconds;
} rblMovieReport;

/// Draw all frames into FOLDER/frame_00000.png ..., one per worker at a time. Existing frames of the same movie are kept, so that an
/// interrupted call can be continued. Frames of another movie are removed. `force`: write into a folder that has other files.
/// `progress` and `out` may be null.
RBL_API rblResult rbl_movie_save_frames(rblMovieId movie, const char* folder, bool force,
                                        const rblProgress* progress, rblMovieReport* out);

/// Remove the files of rbl_movie_save_frames(), and the folder if it is empty then.
RBL_API rblResult rbl_movie_remove_frames(const char* folder);

RBL_EXTERN_C_END

#endif
