// The prescored breaker with patterns that ask for more: hollows, the axes of the body, regions from files.
#include "testing.h"

#include "base/jobs.h"
#include "field_shapes.h"
#include "prescored_testing.h"
#include <stdio.h>
#include <stdlib.h>

// A bowl with a ball in its hollow, one body that does not hang together.
static rblShapeId make_bowl_with_ball(void)
{
    const double radius[1] = {0.016};
    const rblSolidValue values[1] = {{"radius", radius, 1}};
    rblMeshId meshes[2];
    rblMeshView views[2];
    check_ok(rbl_mesh_make("bowl", NULL, 0, &meshes[0]));
    check_ok(rbl_mesh_make("icosphere", values, 1, &meshes[1]));
    static rblVec3d positions[40000];
    static uint32_t starts[40000];
    static uint32_t corners[160000];
    rblMeshView joined = {.positions = positions, .face_starts = starts, .corner_vertices = corners};
    for (int m = 0; m < 2; ++m)
    {
        check_ok(rbl_mesh_view(meshes[m], &views[m]));
        assert_true(joined.vertex_count + views[m].vertex_count <= 40000);
        assert_true(joined.face_count + views[m].face_count < 40000);
        assert_true(joined.corner_count + views[m].corner_count <= 160000);
        for (uint32_t v = 0; v < views[m].vertex_count; ++v)
        {
            positions[joined.vertex_count + v] = views[m].positions[v];
            positions[joined.vertex_count + v].y += m == 1 ? 0.045 : 0.0;
        }
        for (uint32_t f = 0; f <= views[m].face_count; ++f)
        {
            starts[joined.face_count + f] = joined.corner_count + views[m].face_starts[f];
        }
        for (uint32_t c = 0; c < views[m].corner_count; ++c)
        {
            corners[joined.corner_count + c] = joined.vertex_count + views[m].corner_vertices[c];
        }
        joined.vertex_count += views[m].vertex_count;
        joined.face_count += views[m].face_count;
        joined.corner_count += views[m].corner_count;
        check_ok(rbl_mesh_destroy(meshes[m]));
    }
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    check_ok(rbl_mesh_create(&joined, &def.mesh));
    def.max_cells = 64;
    check_ok(rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(def.mesh));
    return id;
}

// Both halves of the ball lie in the hollow of half a bowl, in one cell with it, and no plane parts them.
static void a_piece_in_the_hollow_of_another_is_no_part_of_it(void** state)
{
    (void)state;
    const rblShapeId id = make_bowl_with_ball();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_SLABS;
    def.pattern.axis = (rblVec3d){1, 0, 0};
    def.pattern.pieces = 2;
    const rblBreaker* breaker = make_breaker(&def);
    const rblVerdict verdict = verdict_at(&body, rbl_vec3(0, 0.07f, 0), rbl_vec3(0, -1, 0));
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_int_equal(fracture.fragment_count, 4);
    check_tiling(&body, &fracture, 0.0);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    check_ok(rbl_shape_destroy(id));
}

// Turned by right angles only, a pattern does not follow a slanting impact.
static void aligned_patterns_keep_to_the_axes_of_the_body(void** state)
{
    (void)state;
    const rblShapeId id = make_block();
    rblBreakBody body = body_of(id, "ceramic");
    body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
    rblPrescoredDef def = rbl_default_prescored_def();
    const rblVec3 straight = rbl_vec3(0, -1, 0);
    const rblVec3 slanting = rbl_vec3(0.2f, -0.9f, 0.3f);
    rblFracture fractures[3];
    for (int i = 0; i < 3; ++i)
    {
        def.aligned = i < 2;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), i == 0 ? straight : slanting);
        fractures[i] = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        check_tiling(&body, &fractures[i], 1e-5);
        rbl_breaker_release(breaker);
    }
    assert_int_equal(fractures[0].fragment_count, fractures[1].fragment_count);
    double turned = 0.0;
    for (uint32_t i = 0; i < fractures[0].fragment_count; ++i)
    {
        check_relative(fractures[1].fragments[i].mass, (double)fractures[0].fragments[i].mass, 1e-3);
        turned =
            i < fractures[2].fragment_count
                ? rbl_maxd(turned,
                           fabs((double)(fractures[2].fragments[i].mass - fractures[0].fragments[i].mass)))
                : turned;
    }
    assert_true(turned > 1e-3 * (double)body.mass);
    for (int i = 0; i < 3; ++i)
    {
        rbl_fracture_free(&fractures[i]);
    }
    check_ok(rbl_shape_destroy(id));
}

// Wavy layers, each in two halves: regions that are not convex.
static void write_layers(const char* path)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    fputs("NRRD0004\ntype: uint8\ndimension: 3\nsizes: 40 40 40\nencoding: raw\n\n", file);
    for (int n = 0; n < 40 * 40 * 40; ++n)
    {
        const int x = n % 40;
        const int y = n / 40 % 40;
        const int z = n / 1600;
        const int wave = 3 - abs(x % 12 - 6);
        fputc(10 * ((y + wave + 10) / 12) + (z + wave >= 20), file);
    }
    fclose(file);
}

static const char layers[] = "test_prescored_layers.nrrd";

static void regions_from_files_break_bodies_as_patterns_do(void** state)
{
    (void)state;
    write_layers(layers);
    const size_t roots[] = {0, 3, 5};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; ++i)
    {
        const rblShapeId id = parents[roots[i]].make();
        rblBreakBody body = body_of(id, "ceramic");
        body.pose.q = rbl_quat_normalize((rblQuat){0.1f, 0.3f, -0.2f, 0.9f});
        rblPrescoredDef def = rbl_default_prescored_def();
        def.pattern.kind = RBL_PATTERN_FILE;
        def.pattern.file = layers;
        const rblBreaker* breaker = make_breaker(&def);
        const rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0.2f, -0.95f, 0.2f));
        rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
        print_message("%s: %u fragments\n", parents[roots[i]].name, fracture.fragment_count);
        assert_true(fracture.fragment_count >= 4);
        check_tiling(&body, &fracture, parents[roots[i]].error);
        rbl_fracture_free(&fracture);
        rbl_breaker_release(breaker);
        check_ok(rbl_shape_destroy(id));
    }
    remove(layers);
}

// The file is read when the breaker is made; where the impact cannot pay for all its borders, the smallest regions are joined.
static void an_impact_pays_for_as_many_regions_of_a_file_as_it_can(void** state)
{
    (void)state;
    write_layers(layers);
    const rblShapeId id = make_block();
    const rblBreakBody body = body_of(id, "ceramic");
    rblPrescoredDef def = rbl_default_prescored_def();
    def.pattern.kind = RBL_PATTERN_FILE;
    def.pattern.file = layers;
    const rblBreaker* breaker = make_breaker(&def);
    remove(layers);
    rblVerdict verdict = verdict_at(&body, top_of(&body.view), rbl_vec3(0, -1, 0));
    rblFracture fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    const uint32_t all = fracture.fragment_count;
    verdict.budget = 0.6 * 2.0 * (double)body.material.surface_energy * fracture.crack_area;
    rbl_fracture_free(&fracture);
    fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_true(fracture.fragment_count >= 2 && fracture.fragment_count < all);
    assert_true(2.0 * (double)body.material.surface_energy * fracture.crack_area <= verdict.budget);
    check_tiling(&body, &fracture, 1e-5);
    rbl_fracture_free(&fracture);
    verdict.budget = 1e-6;
    fracture = shatter(breaker, &body, &verdict, rbl_serial_jobs());
    assert_int_equal(fracture.fragment_count, 0);
    rbl_fracture_free(&fracture);
    rbl_breaker_release(breaker);
    rblBreakerId none = {0, 0};
    check_fails(RBL_ERROR_FILE, rbl_breaker_create_prescored(&def, &none));
    assert_int_equal(none.index1, 0);
    check_ok(rbl_shape_destroy(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_piece_in_the_hollow_of_another_is_no_part_of_it),
        cmocka_unit_test(aligned_patterns_keep_to_the_axes_of_the_body),
        cmocka_unit_test(regions_from_files_break_bodies_as_patterns_do),
        cmocka_unit_test(an_impact_pays_for_as_many_regions_of_a_file_as_it_can),
    };
    return cmocka_run_group_tests_name("prescored_patterns", tests, NULL, NULL);
}
