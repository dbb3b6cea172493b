// Contact sheets and the stroke font.
#include "testing.h"

#include "scene/movie/stroke_font.h"
#include <stdlib.h>
#include <string.h>

static const uint8_t black[3] = {0, 0, 0};

static rblCanvas white_canvas(uint32_t width, uint32_t height)
{
    rblCanvas canvas = {malloc((size_t)4 * width * height), width, height};
    assert_non_null(canvas.rgba);
    memset(canvas.rgba, 255, (size_t)4 * width * height);
    return canvas;
}

static int darkness(const rblCanvas* canvas, uint32_t x, uint32_t y)
{
    return 255 - canvas->rgba[4 * (y * canvas->width + x)];
}

static double ink(const rblCanvas* canvas)
{
    double sum = 0;
    for (uint32_t y = 0; y < canvas->height; ++y)
    {
        for (uint32_t x = 0; x < canvas->width; ++x)
        {
            sum += darkness(canvas, x, y);
        }
    }
    return sum;
}

static void strokes_lie_where_the_letter_says(void** state)
{
    (void)state;
    rblCanvas canvas = white_canvas(120, 160);
    rbl_stroke_text(&canvas, "L", 20, 140, 120, black); // 60 wide, 120 tall, pen of 8.4
    assert_int_equal(darkness(&canvas, 20, 60), 255);   // the stem
    assert_int_equal(darkness(&canvas, 60, 140), 255);  // the foot
    assert_int_equal(darkness(&canvas, 60, 60), 0);
    assert_int_equal(darkness(&canvas, 20, 5), 0);
    // The area of both strokes: stem and foot, round ends, one overlap.
    const double pen = 8.4;
    check_relative(ink(&canvas) / 255.0, 180.0 * 2.0 * pen + 3.14159 * pen * pen, 0.02);
    free(canvas.rgba);
}

static void every_glyph_has_ink_within_its_width(void** state)
{
    (void)state;
    for (int c = 32; c < 127; ++c)
    {
        const char text[2] = {(char)c, '\0'};
        const float width = rbl_stroke_width(text, 24);
        assert_true(width >= 0.0f && width <= 18.0f);
        rblCanvas canvas = white_canvas(48, 60);
        rbl_stroke_text(&canvas, text, 12, 40, 24, black);
        assert_true((ink(&canvas) > 0) == (c != ' '));
        for (uint32_t y = 0; y < canvas.height; ++y)
        {
            for (uint32_t x = 0; x < canvas.width; ++x)
            {
                const bool near = (float)x >= 8.0f && (float)x <= 12.0f + width + 4.0f && y > 8 && y < 54;
                assert_true(near || darkness(&canvas, x, y) == 0);
            }
        }
        free(canvas.rgba);
    }
}

static void no_two_letters_look_the_same(void** state)
{
    (void)state;
    static uint8_t images[95][4 * 32 * 40];
    for (int c = 0; c < 95; ++c)
    {
        const char text[2] = {(char)(c + 32), '\0'};
        memset(images[c], 255, sizeof images[c]);
        const rblCanvas canvas = {images[c], 32, 40};
        rbl_stroke_text(&canvas, text, 8, 28, 18, black);
        for (int other = 0; other < c; ++other)
        {
            // A capital I and a small L are one stroke each, as in most sans-serif fonts.
            const bool twins = c + 32 == 'l' && other + 32 == 'I';
            assert_true((memcmp(images[c], images[other], sizeof images[c]) == 0) == twins);
        }
    }
}

static void text_outside_is_cut_off(void** state)
{
    (void)state;
    rblCanvas canvas = white_canvas(20, 10);
    rbl_stroke_text(&canvas, "far too long for this", -30, 14, 12, black);
    assert_true(ink(&canvas) > 0);
    rbl_stroke_text(&canvas, "x", 1e6f, 1e6f, 12, black);
    rbl_stroke_text(&canvas, "x", -1e6f, -1e6f, 12, black);
    rbl_stroke_text(&canvas, "\xC3\xA4\n", 2, 8, 6, black);
    free(canvas.rgba);
}

static void cells_stand_in_a_grid(void** state)
{
    (void)state;
    rblSheetDef def = rbl_default_sheet_def();
    def.columns = 2;
    def.cell_width = 8;
    def.cell_height = 6;
    def.gap = 3;
    def.caption_size = 0;
    uint8_t pictures[3][4 * 8 * 6];
    rblSheetCell cells[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        memset(pictures[i], (int)(40 * (i + 1)), sizeof pictures[i]);
        cells[i] = (rblSheetCell){pictures[i], "unseen"};
    }
    uint32_t width = 0, height = 0;
    check_ok(rbl_sheet_size(&def, 3, &width, &height));
    assert_int_equal(width, 2 * 8 + 3 * 3);
    assert_int_equal(height, 2 * 6 + 3 * 3);
    uint8_t sheet[4 * 25 * 21];
    check_ok(rbl_sheet_draw(&def, cells, 3, sheet));
    for (uint32_t y = 0; y < height; ++y)
    {
        for (uint32_t x = 0; x < width; ++x)
        {
            const uint32_t column = x / 11, row = y / 9;
            const bool inside = x % 11 >= 3 && y % 9 >= 3 && 2 * row + column < 3;
            assert_int_equal(sheet[4 * (y * width + x)], inside ? 40 * (2 * row + column + 1) : 255);
        }
    }
    check_ok(rbl_sheet_size(&def, 1, &width, &height));
    assert_int_equal(width, 8 + 2 * 3);
}

static void captions_and_titles_are_centred(void** state)
{
    (void)state;
    rblSheetDef def = rbl_default_sheet_def();
    def.columns = 1;
    def.cell_width = 100;
    def.cell_height = 10;
    def.title = "oooo";
    uint8_t picture[4 * 100 * 10];
    memset(picture, 255, sizeof picture);
    const rblSheetCell cell = {picture, "oooooo"};
    uint32_t width = 0, height = 0;
    check_ok(rbl_sheet_size(&def, 1, &width, &height));
    rblCanvas canvas = white_canvas(width, height);
    check_ok(rbl_sheet_draw(&def, &cell, 1, canvas.rgba));
    double halves[2][2] = {{0, 0}, {0, 0}}; // [above or below the cell][left or right]
    for (uint32_t y = 0; y < height; ++y)
    {
        for (uint32_t x = 0; x < width; ++x)
        {
            halves[y > height / 2 + 12][x >= width / 2] += darkness(&canvas, x, y);
        }
    }
    for (int i = 0; i < 2; ++i)
    {
        assert_true(halves[i][0] > 1000);
        check_relative(halves[i][0], halves[i][1], 0.12);
    }
    free(canvas.rgba);
}

static void wrong_sheets_are_refused(void** state)
{
    (void)state;
    rblSheetDef good = rbl_default_sheet_def();
    good.cell_width = good.cell_height = 4;
    uint8_t picture[4 * 4 * 4] = {0}, sheet[64 * 1024];
    rblSheetCell cell = {picture, "a"};
    uint32_t width = 7, height = 7;
    rblSheetDef bad[5] = {good, good, good, good, good};
    bad[0].cookie = 0;
    bad[1].columns = 0;
    bad[2].cell_width = 0;
    bad[3].cell_height = RBL_PICTURE_MAX_SIZE + 1;
    bad[4].gap = RBL_PICTURE_MAX_SIZE + 1;
    for (uint32_t i = 0; i < 5; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_sheet_size(&bad[i], 1, &width, &height));
        check_fails(RBL_ERROR_ARGUMENT, rbl_sheet_draw(&bad[i], &cell, 1, sheet));
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_sheet_size(NULL, 1, &width, &height));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sheet_size(&good, 0, &width, &height));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sheet_size(&good, 1, NULL, &height));
    check_fails(RBL_ERROR_LIMIT, rbl_sheet_size(&good, UINT32_MAX, &width, &height));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sheet_draw(&good, NULL, 1, sheet));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sheet_draw(&good, &cell, 1, NULL));
    cell.rgba = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_sheet_draw(&good, &cell, 1, sheet));
    assert_int_equal(width, 7);
    const rblVec2 place = {1, 3}, nowhere = {NAN, 0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_write(NULL, 4, 4, "a", place, 3, black));
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_write(picture, 4, 4, NULL, place, 3, black));
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_write(picture, 4, 4, "a", place, 3, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_write(picture, 0, 4, "a", place, 3, black));
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_write(picture, 4, 4, "a", nowhere, 3, black));
    check_fails(RBL_ERROR_ARGUMENT, rbl_picture_write(picture, 4, 4, "a", place, NAN, black));
    check_ok(rbl_picture_write(picture, 4, 4, "a", place, 3, (const uint8_t[3]){255, 255, 255}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strokes_lie_where_the_letter_says),
        cmocka_unit_test(every_glyph_has_ink_within_its_width),
        cmocka_unit_test(no_two_letters_look_the_same),
        cmocka_unit_test(text_outside_is_cut_off),
        cmocka_unit_test(cells_stand_in_a_grid),
        cmocka_unit_test(captions_and_titles_are_centred),
        cmocka_unit_test(wrong_sheets_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
