// Strength that varies in space: noise, weak layers, grids out of files.
#include "testing.h"

#include "base/memory.h"
#include "base/random.h"
#include "fracture/stress/strength_field.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

static const rblAabbd bounds = {{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};

static rblStrengthField open_field(rblStrengthVariation variation)
{
    rblStrengthField field;
    check_ok(rbl_strength_field_init(&field, &variation, 7, rbl_default_allocator()));
    return field;
}

static rblVec3d random_point(rblRandom* random)
{
    return (rblVec3d){rbl_random_range(random, -1.0, 1.0), rbl_random_range(random, -1.0, 1.0),
                      rbl_random_range(random, -1.0, 1.0)};
}

static void noise_stays_within_its_range_and_fills_it(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 1);
    rblStrengthField field = open_field((rblStrengthVariation){.noise = 0.4f});
    double least = 2.0, most = 0.0;
    for (int i = 0; i < 20000; ++i)
    {
        const double factor = rbl_strength_factor(&field, &bounds, random_point(&random));
        least = fmin(least, factor);
        most = fmax(most, factor);
    }
    assert_true(least >= 0.6 - 1e-7 && least < 0.7);
    assert_true(most <= 1.0 + 1e-12 && most > 0.9);
    rbl_strength_field_free(&field);
}

static void layers_are_weak_where_they_are(void** state)
{
    (void)state;
    rblStrengthField field = open_field((rblStrengthVariation){
        .layer_axis = {0, 2, 0}, .layer_spacing = 0.5f, .layer_thickness = 0.1f, .layer_factor = 0.25f});
    assert_true(rbl_strength_factor(&field, &bounds, (rblVec3d){0.3, 0.0, 0.1}) == 0.25);
    assert_true(rbl_strength_factor(&field, &bounds, (rblVec3d){0.3, -0.54, 0.1}) == 0.25);
    assert_true(rbl_strength_factor(&field, &bounds, (rblVec3d){0.3, 0.06, 0.1}) == 1.0);
    assert_true(rbl_strength_factor(&field, &bounds, (rblVec3d){0.3, 0.25, 0.1}) == 1.0);
    rbl_strength_field_free(&field);
}

static size_t write_grid(char* out, const char* type, const void* numbers, size_t bytes)
{
    const int header = sprintf(
        out, "NRRD0004\ntype: %s\ndimension: 3\nsizes: 2 1 1\nencoding: raw\nendian: little\n\n", type);
    memcpy(out + header, numbers, bytes);
    return (size_t)header + bytes;
}

static void grids_are_blended_over_the_box(void** state)
{
    (void)state;
    char file[256];
    const float numbers[2] = {0.5f, 1.5f};
    rblStrengthField field = open_field((rblStrengthVariation){0});
    const size_t size = write_grid(file, "float", numbers, sizeof numbers);
    check_ok(rbl_strength_grid_parse((const uint8_t*)file, size, "grid", &field));
    assert_true(fabs(rbl_strength_factor(&field, &bounds, (rblVec3d){-1.0, 0.3, 0.0}) - 0.5) < 1e-12);
    assert_true(fabs(rbl_strength_factor(&field, &bounds, (rblVec3d){0.0, 0.3, 0.0}) - 1.0) < 1e-12);
    assert_true(fabs(rbl_strength_factor(&field, &bounds, (rblVec3d){0.25, 0.3, 0.0}) - 1.25) < 1e-12);
    assert_true(fabs(rbl_strength_factor(&field, &bounds, (rblVec3d){9.0, 0.3, 0.0}) - 1.5) < 1e-12);
    rbl_strength_field_free(&field);
    const uint8_t bytes[2] = {255, 51};
    field = open_field((rblStrengthVariation){0});
    check_ok(
        rbl_strength_grid_parse((const uint8_t*)file, write_grid(file, "uint8", bytes, 2), "grid", &field));
    assert_true(fabs(rbl_strength_factor(&field, &bounds, (rblVec3d){0.9, 0.0, 0.0}) - 0.2) < 1e-12);
    rbl_strength_field_free(&field);
}

static void bad_grids_are_refused_with_the_place(void** state)
{
    (void)state;
    char file[256];
    const float bad[][2] = {{1.0f, NAN}, {1.0f, 0.0f}, {1.0f, -2.0f}, {1.0f, INFINITY}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        rblStrengthField field = open_field((rblStrengthVariation){0});
        const size_t size = write_grid(file, "float", bad[i], sizeof bad[i]);
        check_fails(RBL_ERROR_FORMAT, rbl_strength_grid_parse((const uint8_t*)file, size, "grid", &field));
        assert_non_null(strstr(rbl_last_error(), "(1, 0, 0)"));
        check_fails(RBL_ERROR_FORMAT,
                    rbl_strength_grid_parse((const uint8_t*)file, size - 1, "grid", &field));
        assert_non_null(strstr(rbl_last_error(), "bytes"));
        assert_null(field.factors);
    }
    rblStrengthField field;
    const rblStrengthVariation missing = {.grid_file = "no_such_file.nrrd"};
    check_fails(RBL_ERROR_FILE, rbl_strength_field_init(&field, &missing, 1, rbl_default_allocator()));
    assert_non_null(strstr(rbl_last_error(), "no_such_file"));
}

static void bad_variations_are_refused(void** state)
{
    (void)state;
    const rblStrengthVariation bad[] = {
        {.noise = 1.0f},
        {.noise = -0.1f},
        {.noise = NAN},
        {.noise = 0.1f, .noise_length = -1.0f},
        {.layer_axis = {0, 1, 0}},
        {.layer_axis = {0, NAN, 0}, .layer_spacing = 1.0f, .layer_factor = 1.0f},
        {.layer_axis = {0, 1, 0}, .layer_spacing = 1.0f, .layer_thickness = 2.0f, .layer_factor = 0.5f},
        {.layer_axis = {0, 1, 0}, .layer_spacing = 1.0f, .layer_thickness = 0.5f, .layer_factor = 0.0f}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        rblStrengthField field;
        assert_int_equal(rbl_strength_field_init(&field, &bad[i], 1, rbl_default_allocator()),
                         RBL_ERROR_ARGUMENT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_stays_within_its_range_and_fills_it),
        cmocka_unit_test(layers_are_weak_where_they_are),
        cmocka_unit_test(grids_are_blended_over_the_box),
        cmocka_unit_test(bad_grids_are_refused_with_the_place),
        cmocka_unit_test(bad_variations_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
