#include "testing.h"

#include "bench/bench_meshes.h"
#include <string.h>

static rblMeshReport inspect(const rblTriangleSpan* span)
{
    rblVec3d* positions = RBL_NEW_ARRAY(rbl_default_allocator(), rblVec3d, span->vertex_count);
    uint32_t* starts = RBL_NEW_ARRAY(rbl_default_allocator(), uint32_t, span->triangle_count + 1);
    const rblVec3* floats = span->positions;
    for (uint32_t v = 0; v < span->vertex_count; ++v)
    {
        positions[v] = (rblVec3d){(double)floats[v].x, (double)floats[v].y, (double)floats[v].z};
    }
    for (uint32_t t = 0; t <= span->triangle_count; ++t)
    {
        starts[t] = 3 * t;
    }
    const rblMeshView view = {.vertex_count = span->vertex_count,
                              .face_count = span->triangle_count,
                              .corner_count = 3 * span->triangle_count,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = span->indices};
    rblMeshId mesh;
    rblMeshReport report;
    assert_int_equal(rbl_mesh_create(&view, &mesh), RBL_OK);
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = true;
    assert_int_equal(rbl_mesh_inspect(mesh, &options, &report), RBL_OK);
    rbl_mesh_destroy(mesh);
    RBL_FREE_ARRAY(rbl_default_allocator(), positions, span->vertex_count);
    RBL_FREE_ARRAY(rbl_default_allocator(), starts, span->triangle_count + 1);
    return report;
}

static void noisy_spheres_are_solids(void** state)
{
    (void)state;
    for (uint32_t frequency = 1; frequency <= 9; frequency += 2)
    {
        rblBenchMesh mesh;
        assert_int_equal(rbl_bench_make_sphere(frequency, 1, (rblVec3){1, 2, 3}, &mesh), RBL_OK);
        assert_int_equal(mesh.triangle_count, 20 * frequency * frequency);
        const rblTriangleSpan span = rbl_bench_mesh_span(&mesh);
        const rblMeshReport report = inspect(&span);
        assert_true(report.closed && report.manifold && report.outward);
        assert_int_equal(report.self_intersections.count, 0);
        rbl_bench_mesh_free(&mesh);
    }
}

static void rings_are_solids_with_a_power_of_two_of_triangles(void** state)
{
    (void)state;
    for (uint32_t power = 7; power <= 13; ++power)
    {
        rblBenchMesh mesh;
        assert_int_equal(rbl_bench_make_ring(power, &mesh), RBL_OK);
        assert_int_equal(mesh.triangle_count, 1u << power);
        const rblTriangleSpan span = rbl_bench_mesh_span(&mesh);
        const rblMeshReport report = inspect(&span);
        assert_true(report.closed && report.manifold && report.outward);
        assert_int_equal(report.self_intersections.count, 0);
        assert_int_equal(report.genus, 1);
        rbl_bench_mesh_free(&mesh);
    }
}

static void hair_is_many_open_tubes(void** state)
{
    (void)state;
    rblBenchMesh mesh;
    assert_int_equal(rbl_bench_make_hair(20, 30, &mesh), RBL_OK);
    assert_int_equal(mesh.triangle_count, 6 * 20 * 30);
    const rblTriangleSpan span = rbl_bench_mesh_span(&mesh);
    const rblMeshReport report = inspect(&span);
    assert_true(report.manifold && !report.closed);
    assert_int_equal(report.components, 20);
    rbl_bench_mesh_free(&mesh);
}

static void the_sheet_runs_through_itself(void** state)
{
    (void)state;
    rblBenchMesh mesh;
    assert_int_equal(rbl_bench_make_sheet(40, &mesh), RBL_OK);
    assert_int_equal(mesh.triangle_count, 3200);
    const rblTriangleSpan span = rbl_bench_mesh_span(&mesh);
    const rblMeshReport report = inspect(&span);
    assert_true(report.manifold && !report.closed);
    assert_true(report.self_intersections.count > 100);
    rbl_bench_mesh_free(&mesh);
}

static uint64_t sum_of_triangles(const rblBenchMesh* mesh)
{
    uint64_t sum = 0;
    for (uint32_t t = 0; t < mesh->triangle_count; ++t)
    {
        const uint32_t* c = mesh->indices + 3 * (size_t)t;
        sum += ((uint64_t)c[0] * 1000003u + c[1]) * 1000003u + c[2];
    }
    return sum;
}

static void shuffling_keeps_the_triangles(void** state)
{
    (void)state;
    rblBenchMesh mesh;
    assert_int_equal(rbl_bench_make_sphere(6, 1, (rblVec3){0, 0, 0}, &mesh), RBL_OK);
    const uint64_t before = sum_of_triangles(&mesh);
    uint32_t first[30];
    memcpy(first, mesh.indices, sizeof first);
    rbl_bench_shuffle_triangles(&mesh, 1);
    assert_true(sum_of_triangles(&mesh) == before);
    assert_memory_not_equal(first, mesh.indices, sizeof first);
    rbl_bench_mesh_free(&mesh);
}

// Balls thrown together into one mesh and shuffled come apart again as closed balls.
static void splitting_finds_every_part(void** state)
{
    (void)state;
    rblBenchScene balls;
    assert_int_equal(rbl_bench_make_balls(5, &balls), RBL_OK);
    uint32_t first_vertex = 0;
    uint32_t* next = balls.all.indices;
    for (uint32_t i = 0; i < balls.count; ++i)
    {
        for (uint32_t k = 0; k < 3 * balls.spans[i].triangle_count; ++k)
        {
            *next++ += first_vertex;
        }
        first_vertex += balls.spans[i].vertex_count;
    }
    rbl_bench_shuffle_triangles(&balls.all, 3);
    rblBenchScene parts;
    assert_int_equal(rbl_bench_split(&balls.all, &parts), RBL_OK);
    assert_int_equal(parts.count, 5);
    for (uint32_t i = 0; i < parts.count; ++i)
    {
        assert_int_equal(parts.spans[i].triangle_count, 500);
        const rblMeshReport report = inspect(&parts.spans[i]);
        assert_true(report.closed && report.manifold && report.outward);
    }
    rbl_bench_scene_free(&parts);
    rbl_bench_scene_free(&balls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noisy_spheres_are_solids),
        cmocka_unit_test(rings_are_solids_with_a_power_of_two_of_triangles),
        cmocka_unit_test(hair_is_many_open_tubes),
        cmocka_unit_test(the_sheet_runs_through_itself),
        cmocka_unit_test(shuffling_keeps_the_triangles),
        cmocka_unit_test(splitting_finds_every_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
