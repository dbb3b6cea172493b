// Contact sheets: pictures of one size in a grid, each with a caption.
#include "base/def.h"
#include "base/error.h"
#include "math/vec.h"
#include "rubble/picture.h"
#include "scene/movie/stroke_font.h"
#include <string.h>

RBL_DEF_KIND(sheet_def, rblSheetDef, "sheet", rbl_default_sheet_def, 0x5EE7C0DEu);

void rbl_sheet_def_init(rblSheetDef* def, size_t size)
{
    const rblSheetDef defaults = {.columns = 4,
                                  .cell_width = 320,
                                  .cell_height = 240,
                                  .gap = 12,
                                  .caption_size = 11,
                                  .paper = {255, 255, 255},
                                  .ink = {58, 60, 64}};
    rbl_def_init(&sheet_def, &defaults, def, size);
}

// Height of a line of text with descenders and spacing, px.
static uint32_t line_height(uint32_t size)
{
    return size > 0 ? 2 * size + size / 4 : 0;
}

static uint32_t title_height(const rblSheetDef* def)
{
    return def->title != NULL ? line_height(2 * def->caption_size) : 0;
}

static rblResult check_def(const rblSheetDef* def, uint32_t count)
{
    if (count == 0 || def->columns == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "sheet: the number of pictures is %u, of columns %u; they must be at least 1", count,
                        def->columns);
    }
    const uint32_t most = RBL_PICTURE_MAX_SIZE;
    if (def->cell_width < 1 || def->cell_width > most || def->cell_height < 1 || def->cell_height > most ||
        def->gap > most || def->caption_size > most)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "sheet: cells must be 1 to %u pixels, gap and caption 0 to %u",
                        most, most);
    }
    return RBL_OK;
}

static rblResult measure(const rblSheetDef* def, uint32_t count, uint32_t* width, uint32_t* height)
{
    const uint64_t columns = count < def->columns ? count : def->columns;
    const uint64_t rows = (count + (uint64_t)def->columns - 1) / def->columns;
    const uint64_t w = columns * (def->cell_width + (uint64_t)def->gap) + def->gap;
    const uint64_t h = rows * (def->cell_height + (uint64_t)line_height(def->caption_size) + def->gap) +
                       def->gap + title_height(def);
    if (w > RBL_PICTURE_MAX_SIZE || h > RBL_PICTURE_MAX_SIZE)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "sheet: %llu x %llu pixels, width and height must be at most %u",
                        (unsigned long long)w, (unsigned long long)h, RBL_PICTURE_MAX_SIZE);
    }
    *width = (uint32_t)w;
    *height = (uint32_t)h;
    return RBL_OK;
}

static rblResult read_def(const rblSheetDef* given, uint32_t count, rblSheetDef* def)
{
    *def = rbl_default_sheet_def();
    RBL_TRY(rbl_def_read(&sheet_def, given, def));
    return check_def(def, count);
}

rblResult rbl_sheet_size(const rblSheetDef* given, uint32_t count, uint32_t* width, uint32_t* height)
{
    rblSheetDef def;
    RBL_TRY(read_def(given, count, &def));
    if (width == NULL || height == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "sheet: width and height must not be null");
    }
    return measure(&def, count, width, height);
}

static void fill(const rblCanvas* sheet, const uint8_t color[3])
{
    for (size_t i = 0; i < (size_t)sheet->width * sheet->height; ++i)
    {
        memcpy(&sheet->rgba[4 * i], color, 3);
        sheet->rgba[4 * i + 3] = 255;
    }
}

static void write_centered(const rblCanvas* sheet, const char* text, float center, float baseline, float size,
                           const uint8_t color[3])
{
    const float left = center - 0.5f * rbl_stroke_width(text, size);
    rbl_stroke_text(sheet, text, floorf(left + 0.5f), floorf(baseline + 0.5f), size, color);
}

static void draw_cell(const rblCanvas* sheet, const rblSheetDef* def, const rblSheetCell* cell, uint32_t x,
                      uint32_t y)
{
    for (uint32_t row = 0; row < def->cell_height; ++row)
    {
        memcpy(&sheet->rgba[4 * ((size_t)(y + row) * sheet->width + x)],
               &cell->rgba[4 * (size_t)row * def->cell_width], 4 * (size_t)def->cell_width);
    }
    if (cell->caption != NULL && def->caption_size > 0)
    {
        const float size = (float)def->caption_size;
        write_centered(sheet, cell->caption, (float)x + 0.5f * (float)def->cell_width,
                       (float)(y + def->cell_height) + 1.75f * size, size, def->ink);
    }
}

rblResult rbl_sheet_draw(const rblSheetDef* given, const rblSheetCell* cells, uint32_t count, uint8_t* rgba)
{
    rblCanvas sheet = {.rgba = rgba};
    rblSheetDef own;
    const rblSheetDef* def = &own;
    RBL_TRY(read_def(given, count, &own));
    RBL_TRY(measure(def, count, &sheet.width, &sheet.height));
    if (cells == NULL || rgba == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "sheet: cells and rgba must not be null");
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (cells[i].rgba == NULL)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "sheet: the picture of cell %u must not be null", i);
        }
    }
    fill(&sheet, def->paper);
    if (def->title != NULL)
    {
        const float size = 2.0f * (float)def->caption_size;
        write_centered(&sheet, def->title, 0.5f * (float)sheet.width, (float)def->gap + 1.35f * size, size,
                       def->ink);
    }
    const uint32_t step_y = def->cell_height + line_height(def->caption_size) + def->gap;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t x = def->gap + i % def->columns * (def->cell_width + def->gap);
        const uint32_t y = def->gap + title_height(def) + i / def->columns * step_y;
        draw_cell(&sheet, def, &cells[i], x, y);
    }
    return RBL_OK;
}

rblResult rbl_picture_write(uint8_t* rgba, uint32_t width, uint32_t height, const char* text,
                            rblVec2 position, float size, const uint8_t color[3])
{
    if (rgba == NULL || text == NULL || color == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "text: rgba, text and color must not be null");
    }
    if (width < 1 || width > RBL_PICTURE_MAX_SIZE || height < 1 || height > RBL_PICTURE_MAX_SIZE)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "text: %u x %u pixels; width and height must be 1 to %u", width,
                        height, RBL_PICTURE_MAX_SIZE);
    }
    const bool near = fabsf(position.x) <= 1e6f && fabsf(position.y) <= 1e6f;
    if (!near || !(size >= 1.0f && size <= (float)RBL_PICTURE_MAX_SIZE))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "text: the position must be finite, the size 1 to %u",
                        RBL_PICTURE_MAX_SIZE);
    }
    const rblCanvas canvas = {rgba, width, height};
    rbl_stroke_text(&canvas, text, position.x, position.y, size, color);
    return RBL_OK;
}
