// The public calls of rubble/movie.h, except for folders of frames (movie_frames.c).
#include "base/error.h"
#include "base/registry.h"
#include "scene/movie/movie_registry.h"

static rblRegistry registry = RBL_REGISTRY_INIT;

static rblResult fail_stale(rblMovieId id)
{
    return rbl_fail(RBL_ERROR_STALE, "movie: the id %u/%u is null or was destroyed", id.index1,
                    id.generation);
}

rblResult rbl_movie_find(rblMovieId id, rblMovieItem** out)
{
    rbl_mutex_lock(&registry.mutex);
    rblMovieItem* item = rbl_registry_find(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    *out = item;
    return item != NULL ? RBL_OK : fail_stale(id);
}

static void free_item(rblMovieItem* item)
{
    rbl_movie_close(&item->movie);
    rbl_run_release(item->run);
    rbl_free(rbl_default_allocator(), item, sizeof *item);
}

static rblResult create(rblRunItem* run, const rblMovieDef* def, rblMovieId* out)
{
    rblMovieItem* item = rbl_alloc_zero(rbl_default_allocator(), sizeof *item);
    if (item == NULL)
    {
        rbl_run_release(run);
        return rbl_fail_memory();
    }
    item->run = run;
    rblResult result = rbl_movie_open(&item->movie, run->run, def);
    if (result == RBL_OK)
    {
        rbl_mutex_lock(&registry.mutex);
        const bool added = rbl_registry_add(&registry, item, &out->index1, &out->generation);
        rbl_mutex_unlock(&registry.mutex);
        result = added ? RBL_OK : rbl_fail_memory();
    }
    if (result != RBL_OK)
    {
        free_item(item);
    }
    return result;
}

rblResult rbl_movie_create(rblRunId id, const rblMovieDef* def, rblMovieId* out)
{
    rblMovieDef chosen;
    rblRunItem* run = NULL;
    RBL_TRY(rbl_movie_read_def(def, &chosen));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "movie: out must not be null");
    }
    RBL_TRY(rbl_run_find_motion(id, &run));
    RBL_TRY(rbl_run_acquire(id, &run));
    return create(run, &chosen, out);
}

rblResult rbl_movie_destroy(rblMovieId id)
{
    rbl_mutex_lock(&registry.mutex);
    rblMovieItem* item = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (item == NULL)
    {
        return fail_stale(id);
    }
    free_item(item);
    return RBL_OK;
}

static rblResult check_frame(const rblMovie* movie, uint32_t frame, const void* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "movie: out must not be null");
    }
    return frame < movie->frame_count ? RBL_OK
                                      : rbl_fail(RBL_ERROR_ARGUMENT, "movie: frame is %u, must be below %u",
                                                 frame, movie->frame_count);
}

rblResult rbl_movie_frame_count(rblMovieId id, uint32_t* out)
{
    rblMovieItem* item = NULL;
    RBL_TRY(rbl_movie_find(id, &item));
    RBL_TRY(check_frame(&item->movie, 0, out));
    *out = item->movie.frame_count;
    return RBL_OK;
}

rblResult rbl_movie_frame_time(rblMovieId id, uint32_t frame, double* out)
{
    rblMovieItem* item = NULL;
    RBL_TRY(rbl_movie_find(id, &item));
    RBL_TRY(check_frame(&item->movie, frame, out));
    *out = rbl_movie_time(&item->movie, frame);
    return RBL_OK;
}

rblResult rbl_movie_draw(rblMovieId id, uint32_t frame, uint8_t* rgba, rblPictureStats* stats)
{
    rblMovieItem* item = NULL;
    RBL_TRY(rbl_movie_find(id, &item));
    RBL_TRY(check_frame(&item->movie, frame, rgba));
    return rbl_movie_frame(&item->movie, frame, rgba, stats);
}
