// A movie as a folder of pictures, drawn in parallel and continued after an interruption (rubble/movie.h).
#define _XOPEN_SOURCE 700 // access, rmdir, unlink
#include "base/bytes.h"
#include "base/jobs.h"
#include "base/number.h"
#include "base/progress.h"
#include "base/timer.h"
#include "io/file.h"
#include "io/folder.h"
#include "rubble/version.h"
#include "scene/movie/movie_registry.h"
#include <string.h>
#include <unistd.h>

#define FRAME_PREFIX "frame_"
#define FRAME_ENDING ".png"
#define FRAME_LIST   "frames.txt"

typedef struct Frames
{
    const rblMovie* movie;
    const char* folder;
    bool force;
    const rblProgress* progress;
    rblMovieReport report;
} Frames;

// ---- existing frames ----

// A text that identifies a rendering: equal texts mean equal frames. The final state and the scene, with camera and colours,
// distinguish runs.
static rblResult describe(const Frames* frames, char out[RBL_PATH_SIZE])
{
    const rblMovieDef* def = &frames->movie->def;
    const rblRun* run = frames->movie->run;
    const double numbers[] = {def->rate, def->speed, def->begin,
                              rbl_movie_time(frames->movie, frames->movie->frame_count - 1)};
    char texts[4][RBL_NUMBER_SIZE];
    for (int i = 0; i < 4; ++i)
    {
        rbl_format_double(numbers[i], texts[i]);
    }
    return rbl_compose_path(
        out,
        "rubble %s, run %016llx, scene %016llx, %u x %u, %u samples, %s fps, speed %s, from %s to %s s%s\n",
        rbl_version(), (unsigned long long)run->statistics.hash,
        (unsigned long long)rbl_check64(0, run->settings.text, run->settings.text_size), def->width,
        def->height, def->samples, texts[0], texts[1], texts[2], texts[3], def->overlay ? "" : ", plain");
}

static bool holds_text(const char* path, const char* text)
{
    rblFileBytes file;
    if (rbl_file_read(path, RBL_PATH_SIZE, rbl_default_allocator(), &file) != RBL_OK)
    {
        return false;
    }
    const bool same = file.size == strlen(text) && memcmp(file.bytes, text, file.size) == 0;
    rbl_file_bytes_free(&file);
    return same;
}

static rblResult write_text(const char* path, const char* text)
{
    rblWriter writer;
    RBL_TRY(rbl_writer_open(&writer, path, rbl_default_allocator()));
    rbl_write_text(&writer, text);
    return rbl_writer_close(&writer);
}

// Whether the frames in the folder belong to this rendering. Frames of another rendering are removed before the text changes,
// so that neither a later call nor a video uses them.
static rblResult claim_folder(Frames* frames, bool* resumes)
{
    char about[RBL_PATH_SIZE];
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_folder_open(frames->folder, frames->force));
    RBL_TRY(describe(frames, about));
    RBL_TRY(rbl_compose_path(path, "%s/" FRAME_LIST, frames->folder));
    *resumes = holds_text(path, about);
    if (*resumes)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_folder_remove_numbered(frames->folder, FRAME_PREFIX, FRAME_ENDING));
    return write_text(path, about);
}

static rblResult frame_path(const Frames* frames, uint32_t frame, char out[RBL_PATH_SIZE])
{
    return rbl_compose_path(out, "%s/" FRAME_PREFIX "%05u" FRAME_ENDING, frames->folder, frame);
}

// ---- drawing ----

// Frames that are drawn in parallel, one per worker. Workers without a frame help with tiles of the others.
typedef struct Batch
{
    const Frames* all;
    uint32_t frames[RBL_MAX_WORKERS];
    uint32_t count;
    uint8_t* rgba[RBL_MAX_WORKERS];
    double build_seconds[RBL_MAX_WORKERS], draw_seconds[RBL_MAX_WORKERS];
    rblResult results[RBL_MAX_WORKERS];
    char messages[RBL_MAX_WORKERS]
                 [256]; // error messages, because they are stored per thread and another thread reports them
} Batch;

static rblResult draw_frame(Batch* batch, uint32_t index)
{
    const Frames* frames = batch->all;
    const rblMovieDef* def = &frames->movie->def;
    const double start = rbl_timer_seconds();
    char path[RBL_PATH_SIZE];
    rblPictureStats stats;
    RBL_TRY(frame_path(frames, batch->frames[index], path));
    RBL_TRY(rbl_movie_frame(frames->movie, batch->frames[index], batch->rgba[index], &stats));
    RBL_TRY(rbl_image_save_png(path, batch->rgba[index], def->width, def->height, 4));
    batch->build_seconds[index] = stats.prepare_seconds + stats.build_seconds;
    batch->draw_seconds[index] = rbl_timer_seconds() - start;
    return RBL_OK;
}

static void draw_block(rblRange range, void* context)
{
    Batch* batch = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        batch->results[i] = draw_frame(batch, i);
        if (batch->results[i] != RBL_OK)
        {
            snprintf(batch->messages[i], sizeof batch->messages[i], "%s", rbl_last_error());
        }
    }
}

static rblResult draw_batch(Frames* frames, Batch* batch)
{
    const double start = rbl_timer_seconds();
    rbl_parallel_for(rbl_default_jobs(), batch->count, 1, draw_block, batch);
    frames->report.wall_seconds += rbl_timer_seconds() - start;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        if (batch->results[i] != RBL_OK)
        {
            return rbl_fail(batch->results[i], "%s", batch->messages[i]);
        }
        frames->report.build_seconds += batch->build_seconds[i];
        frames->report.draw_seconds += batch->draw_seconds[i];
        frames->report.drawn += 1;
    }
    batch->count = 0;
    return RBL_OK;
}

static rblResult draw_missing(Frames* frames, Batch* batch, uint32_t capacity)
{
    const uint32_t count = frames->movie->frame_count;
    bool resumes = false;
    RBL_TRY(claim_folder(frames, &resumes));
    for (uint32_t i = 0; i < count; ++i)
    {
        char path[RBL_PATH_SIZE];
        RBL_TRY(frame_path(frames, i, path));
        if (resumes && access(path, R_OK) == 0)
        {
            frames->report.kept += 1; // a frame file is complete or absent
            continue;
        }
        batch->frames[batch->count++] = i;
        if (batch->count == capacity)
        {
            RBL_TRY(rbl_progress_report(frames->progress,
                                        (double)(frames->report.drawn + frames->report.kept) / count));
            RBL_TRY(draw_batch(frames, batch));
        }
    }
    return batch->count > 0 ? draw_batch(frames, batch) : RBL_OK;
}

#define MAX_BYTES ((size_t)256 << 20) // of the frames in memory

static rblResult draw_frames(Frames* frames)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const size_t bytes = 4 * (size_t)frames->movie->def.width * frames->movie->def.height;
    const size_t fit = MAX_BYTES / bytes;
    const uint32_t workers = rbl_worker_count();
    const uint32_t capacity = fit < 1 ? 1 : fit < workers ? (uint32_t)fit : workers;
    Batch* batch = rbl_alloc_zero(allocator, sizeof *batch);
    uint8_t* rgba = rbl_alloc(allocator, capacity * bytes);
    rblResult result = batch != NULL && rgba != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        batch->all = frames;
        for (uint32_t i = 0; i < capacity; ++i)
        {
            batch->rgba[i] = rgba + i * bytes;
        }
        result = draw_missing(frames, batch, capacity);
    }
    rbl_free(allocator, rgba, capacity * bytes);
    rbl_free(allocator, batch, sizeof *batch);
    return result;
}

// ---- public calls ----

rblResult rbl_movie_save_frames(rblMovieId id, const char* folder, bool force, const rblProgress* progress,
                                rblMovieReport* out)
{
    rblMovieItem* item = NULL;
    RBL_TRY(rbl_movie_find(id, &item));
    if (folder == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "movie: the folder must not be null");
    }
    Frames frames = {.movie = &item->movie, .folder = folder, .force = force, .progress = progress};
    const rblResult result = draw_frames(&frames);
    if (out != NULL)
    {
        *out = frames.report;
    }
    return result;
}

rblResult rbl_movie_remove_frames(const char* folder)
{
    static const char* const others[] = {FRAME_LIST, RBL_FOLDER_MARK, NULL};
    char path[RBL_PATH_SIZE];
    if (folder == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "movie: the folder must not be null");
    }
    RBL_TRY(rbl_folder_remove_numbered(folder, FRAME_PREFIX, FRAME_ENDING));
    for (int i = 0; others[i] != NULL; ++i)
    {
        RBL_TRY(rbl_compose_path(path, "%s/%s", folder, others[i]));
        (void)unlink(path);
    }
    (void)rmdir(folder); // fails when the folder contains other files
    return RBL_OK;
}
