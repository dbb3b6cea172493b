// Light of the sky is shared along a surface and nowhere else.
#include "testing.h"

#include "base/random.h"
#include "scene/picture/picture_filter.h"

#define SIZE 24u

typedef struct Field
{
    rblTexel texels[SIZE * SIZE];
    rblTexelRows rows;
} Field;

// A wall that is seen from the front, a pixel wide as a pixel; the left half is another surface when `split`. Light of the
// sky is 0 or 1 by chance, twice as often 1 on the right half.
static void fill_field(Field* field, bool split, rblRandom* random)
{
    *field = (Field){.rows = {.width = SIZE, .end = SIZE, .pixel_angle = 0.01f, .eye = {0, 0, 100.0f}}};
    field->rows.texels = field->texels;
    for (uint32_t i = 0; i < SIZE * SIZE; ++i)
    {
        const uint32_t x = i % SIZE;
        const bool left = split && x < SIZE / 2;
        for (int k = 0; k < 2; ++k)
        {
            const float sky = rbl_random_below(random, 4) < (left ? 1u : 2u) ? 1.0f : 0.0f;
            const rblPictureSample sample = {.albedo = {0.5f, 0.5f, 0.5f},
                                             .direct = {0.25f, 0.25f, 0.25f},
                                             .sky = {sky, sky, sky},
                                             .normal = {0, 0, 1},
                                             .point = {(float)x, (float)(i / SIZE), 0},
                                             .surface = left ? 4u : 8u};
            rbl_texel_add(&field->texels[i], &sample);
        }
    }
}

// Mean and standard deviation over columns.
static void measure(const Field* field, uint32_t begin, uint32_t end, double* mean, double* spread)
{
    double sum = 0.0;
    double squares = 0.0;
    for (uint32_t y = 0; y < SIZE; ++y)
    {
        for (uint32_t x = begin; x < end; ++x)
        {
            const double value = (double)rbl_texel_resolve(&field->rows, x, y).x;
            sum += value;
            squares += value * value;
        }
    }
    const double count = (end - begin) * SIZE;
    *mean = sum / count;
    *spread = sqrt(rbl_maxd(0.0, squares / count - *mean * *mean));
}

static void one_surface_shares_the_light_of_its_sky(void** state)
{
    (void)state;
    Field field;
    double mean, spread;
    rblRandom random = rbl_random_seed(7, 1);
    fill_field(&field, false, &random);
    measure(&field, 0, SIZE, &mean, &spread);
    check_close(mean, 0.5 * (0.25 + 0.5), 0.02);
    assert_true(spread < 0.06); // of single pixels it is 0.18
}

static void surfaces_do_not_share(void** state)
{
    (void)state;
    Field field;
    double left, right, spread;
    rblRandom random = rbl_random_seed(7, 1);
    fill_field(&field, true, &random);
    measure(&field, 0, SIZE / 2, &left, &spread);
    measure(&field, SIZE / 2, SIZE, &right, &spread);
    check_close(left, 0.5 * (0.25 + 0.25), 0.02);
    check_close(right, 0.5 * (0.25 + 0.5), 0.02);
    double near_left, near_right;
    measure(&field, SIZE / 2 - 1, SIZE / 2, &near_left, &spread);
    measure(&field, SIZE / 2, SIZE / 2 + 1, &near_right, &spread);
    assert_true(near_right - near_left > 0.06);
}

// Pixels at another depth, with another normal, or of several surfaces.
static void strangers_are_left_out(void** state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind)
    {
        Field field;
        rblRandom random = rbl_random_seed(7, 1);
        fill_field(&field, false, &random);
        rblTexel* other = rbl_texel(&field.rows, 11, 10);
        const rblVec3 before = rbl_texel_resolve(&field.rows, 10, 10);
        other->sky = (rblVec3){1000.0f, 1000.0f, 1000.0f};
        assert_true(rbl_texel_resolve(&field.rows, 10, 10).x > before.x + 1.0f);
        other->point.z = kind == 0 ? -5.0f : 0.0f;
        other->normal = kind == 1 ? (rblVec3){0, 1, 0} : other->normal;
        other->mixed = kind == 2;
        check_close(rbl_texel_resolve(&field.rows, 10, 10).x, before.x, 0.03);
    }
}

static void the_light_of_the_sun_is_not_shared(void** state)
{
    (void)state;
    Field field;
    rblRandom random = rbl_random_seed(7, 1);
    fill_field(&field, false, &random);
    const rblVec3 before = rbl_texel_resolve(&field.rows, 10, 10);
    rbl_texel(&field.rows, 11, 10)->direct = (rblVec3){50.0f, 50.0f, 50.0f};
    assert_true(rbl_texel_resolve(&field.rows, 10, 10).x == before.x);
}

// Noise of the sky asks for no more samples; an edge and the border of a shadow do, for the pixels beside them, too.
static void pixels_beside_edges_and_shadows_are_not_calm(void** state)
{
    (void)state;
    Field field;
    rblRandom random = rbl_random_seed(7, 1);
    fill_field(&field, true, &random);
    for (uint32_t x = 0; x < SIZE; ++x)
    {
        const bool beside = x == SIZE / 2 - 1 || x == SIZE / 2;
        assert_int_equal(rbl_texel_is_smooth(&field.rows, x, 5), !beside);
    }
    rbl_texel(&field.rows, 4, 5)->high = 2.0f;
    assert_false(rbl_texel_is_smooth(&field.rows, 4, 5));
    assert_false(rbl_texel_is_smooth(&field.rows, 5, 6));
    assert_true(rbl_texel_is_smooth(&field.rows, 6, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_surface_shares_the_light_of_its_sky),
        cmocka_unit_test(surfaces_do_not_share),
        cmocka_unit_test(strangers_are_left_out),
        cmocka_unit_test(the_light_of_the_sun_is_not_shared),
        cmocka_unit_test(pixels_beside_edges_and_shadows_are_not_calm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
