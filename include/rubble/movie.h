/// Movies: frames of a run at a steady rate, ray traced, seen by the scene's camera or by one that follows the action. A frame
/// depends on the run and the definition alone, so that frames may be made in any order and at any time.
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

/// What to draw. Start from rbl_default_movie_def() and change fields.
typedef struct rblMovieDef
{
    uint32_t struct_size;   ///< bytes of this struct; set by rbl_default_movie_def()
    uint32_t cookie;        ///< set by rbl_default_movie_def()
    uint32_t width, height; ///< pixels, 1 to RBL_PICTURE_MAX_SIZE; default 1280 x 720
    uint32_t samples;       ///< a pixel, 1 to RBL_PICTURE_MAX_SAMPLES; default 8
    double rate;            ///< frames a second, 0.01 to 1000; default 30
    double speed;           ///< seconds of the run in a second of the movie, 0.0001 to 10000; default 1
    double begin, end;      ///< s of the run; default all of it
    bool overlay;           ///< time, bodies and milliseconds in a corner; default true
} rblMovieDef;

/// The defaults named above.
RBL_API void rbl_movie_def_init(rblMovieDef* def, size_t size);
static inline rblMovieDef rbl_default_movie_def(void)
{
    rblMovieDef def;
    rbl_movie_def_init(&def, sizeof def);
    return def;
}

/// Whether a definition can be used for a run that ends at `last` (s; INFINITY: not known yet), and if not why.
RBL_API rblResult rbl_movie_check(const rblMovieDef* def, double last);

/// Look through the run and plan the camera. Null def: the defaults. The movie keeps the run, which may be destroyed, but must
/// not be stepped. Refused: runs whose motion was not kept.
RBL_API rblResult rbl_movie_create(rblRunId run, const rblMovieDef* def, rblMovieId* out);

/// Destroy a movie.
RBL_API rblResult rbl_movie_destroy(rblMovieId movie);

/// How many frames it has, and the time of one, s of the run.
RBL_API rblResult rbl_movie_frame_count(rblMovieId movie, uint32_t* out);
RBL_API rblResult rbl_movie_frame_time(rblMovieId movie, uint32_t frame, double* out);

/// Draw one frame into 4 * width * height bytes, rows from the top, sRGB, alpha 255. `stats` may be null. May be called from
/// several threads at once.
RBL_API rblResult rbl_movie_draw(rblMovieId movie, uint32_t frame, uint8_t* rgba, rblPictureStats* stats);

/// What rbl_movie_save_frames() did.
typedef struct rblMovieReport
{
    uint32_t drawn, kept; ///< frames; kept: they were in the folder already
    double build_seconds,
        draw_seconds; ///< summed over drawn frames: preparing triangles and trees; all of it
    double wall_seconds;
} rblMovieReport;

/// Draw all frames into FOLDER/frame_00000.png ..., as many at a time as there are workers. Frames of the same movie that are there
/// already are kept: what was killed or cancelled goes on. Those of another movie are removed. `force`: write into a folder that holds
/// other files. `progress` and `out` may be null.
RBL_API rblResult rbl_movie_save_frames(rblMovieId movie, const char* folder, bool force,
                                        const rblProgress* progress, rblMovieReport* out);

/// Remove what rbl_movie_save_frames() wrote, and the folder when nothing else is in it.
RBL_API rblResult rbl_movie_remove_frames(const char* folder);

RBL_EXTERN_C_END

#endif
