// A run as a contact sheet of frames.
#include "base/error.h"
#include "base/number.h"
#include "rubble/io.h"
#include "scene/export/export.h"
#include "scene/movie/movie.h"
#include <stdio.h>

#define COLUMNS     3u
#define FRAMES      9u
#define CELL_WIDTH  480u
#define CELL_HEIGHT 270u // px: 16:9, which scene cameras are made for
#define SAMPLES     16u

typedef struct SheetWriter
{
    rblMovie movie;
    const rblAllocator* allocator;
    uint8_t* frames[FRAMES];
    char captions[FRAMES][RBL_NUMBER_SIZE + 4];
} SheetWriter;

#define FRAME_BYTES (4 * (size_t)CELL_WIDTH * CELL_HEIGHT)

static rblResult draw_frame(SheetWriter* w, uint32_t frame)
{
    const rblRun* run = w->movie.run;
    const uint32_t step = (uint32_t)((uint64_t)rbl_run_last_step(run) * frame / (FRAMES - 1));
    const double time = (double)step * run->settings.step;
    char number[RBL_NUMBER_SIZE];
    rbl_format_fixed(time, 2, number);
    snprintf(w->captions[frame], sizeof w->captions[frame], "%s s", number);
    w->frames[frame] = rbl_alloc(w->allocator, FRAME_BYTES);
    return w->frames[frame] != NULL ? rbl_movie_picture(&w->movie, time, w->frames[frame], NULL)
                                    : rbl_fail_memory();
}

static rblResult compose(const SheetWriter* w, const char* path)
{
    rblSheetDef def = rbl_default_sheet_def();
    rblSheetCell cells[FRAMES];
    uint32_t width;
    uint32_t height;
    def.columns = COLUMNS;
    def.cell_width = CELL_WIDTH;
    def.cell_height = CELL_HEIGHT;
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        cells[i] = (rblSheetCell){w->frames[i], w->captions[i]};
    }
    RBL_TRY(rbl_sheet_size(&def, FRAMES, &width, &height));
    uint8_t* pixels = rbl_alloc(w->allocator, 4 * (size_t)width * height);
    if (pixels == NULL)
    {
        return rbl_fail_memory();
    }
    rblResult result = rbl_sheet_draw(&def, cells, FRAMES, pixels);
    result = result == RBL_OK ? rbl_image_save_png(path, pixels, width, height, 4) : result;
    rbl_free(w->allocator, pixels, 4 * (size_t)width * height);
    return result;
}

static rblResult write_sheet(SheetWriter* w, const rblRun* run, const char* path)
{
    rblMovieDef def = rbl_default_movie_def();
    def.width = CELL_WIDTH;
    def.height = CELL_HEIGHT;
    def.samples = SAMPLES;
    RBL_TRY(rbl_movie_open(&w->movie, run, &def));
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        RBL_TRY(draw_frame(w, i));
    }
    return compose(w, path);
}

rblResult rbl_export_png(const rblRun* run, const char* path, const rblExportOptions* options)
{
    (void)options; // the sheet always has nine frames
    SheetWriter w = {.allocator = rbl_default_allocator()};
    const rblResult result = write_sheet(&w, run, path);
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        rbl_free(w.allocator, w.frames[i], FRAME_BYTES);
    }
    rbl_movie_close(&w.movie);
    return result;
}
