// A run at a glance: frames on a contact sheet.
#include "base/error.h"
#include "base/number.h"
#include "math/trig.h"
#include "math/vec.h"
#include "rubble/io.h"
#include "rubble/picture.h"
#include "scene/run.h"
#include <stdio.h>

#define COLUMNS     3u
#define FRAMES      9u
#define CELL_WIDTH  480u
#define CELL_HEIGHT 360u

typedef struct SheetWriter
{
    const rblRun* run;
    const rblAllocator* allocator;
    rblPictureItem* items;
    uint8_t* frames[FRAMES];
    char captions[FRAMES][RBL_NUMBER_SIZE + 4];
} SheetWriter;

#define FRAME_BYTES (4 * (size_t)CELL_WIDTH * CELL_HEIGHT)

// Bodies that are there at a step, coloured by their materials; planes are left to the floor of the picture.
static uint32_t gather(SheetWriter* w, uint32_t step)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < w->run->bodies.count; ++i)
    {
        const rblRunBody* body = &w->run->bodies.data[i];
        const rblMeshId surface = w->run->shapes.data[body->shape].surface;
        rblRunKey key;
        if (surface.index1 == 0 || !rbl_run_state(w->run, i, step, &key))
        {
            continue;
        }
        const float* color = w->run->materials.data[body->material].color;
        rblPictureItem* item = &w->items[count];
        *item = rbl_default_picture_item(surface);
        item->pose = key.pose;
        item->color = body->type == RBL_BODY_DYNAMIC ? rbl_picture_color(count)
                                                     : rbl_vec3(color[0], color[1], color[2]);
        ++count;
    }
    return count;
}

static rblResult draw_frame(SheetWriter* w, uint32_t frame)
{
    const uint32_t step = (uint32_t)((uint64_t)rbl_run_last_step(w->run) * frame / (FRAMES - 1));
    rblPictureDef def = rbl_default_picture_def();
    def.item_count = gather(w, step);
    def.items = w->items;
    def.width = CELL_WIDTH;
    def.height = CELL_HEIGHT;
    if (w->run->settings.has_camera)
    {
        def.has_eye = 1;
        def.has_target = 1;
        def.eye = rbl_to_double3(w->run->settings.camera.eye);
        def.target = rbl_to_double3(w->run->settings.camera.target);
        def.field_of_view = (double)w->run->settings.camera.fov * RBL_PI / 180.0;
    }
    w->frames[frame] = rbl_alloc(w->allocator, FRAME_BYTES);
    if (w->frames[frame] == NULL)
    {
        return rbl_fail_memory();
    }
    char number[RBL_NUMBER_SIZE];
    rbl_format_fixed((double)step * w->run->settings.step, 2, number);
    snprintf(w->captions[frame], sizeof w->captions[frame], "%s s", number);
    return rbl_picture_render(&def, w->frames[frame], NULL);
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

static rblResult write_sheet(SheetWriter* w, const char* path)
{
    w->items = RBL_NEW_ARRAY(w->allocator, rblPictureItem, w->run->bodies.count);
    if (w->items == NULL && w->run->bodies.count > 0)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        RBL_TRY(draw_frame(w, i));
    }
    return compose(w, path);
}

rblResult rbl_run_write_png(const rblRun* run, const char* path)
{
    SheetWriter w = {.run = run, .allocator = rbl_default_allocator()};
    const rblResult result = write_sheet(&w, path);
    for (uint32_t i = 0; i < FRAMES; ++i)
    {
        rbl_free(w.allocator, w.frames[i], FRAME_BYTES);
    }
    RBL_FREE_ARRAY(w.allocator, w.items, run->bodies.count);
    return result;
}
