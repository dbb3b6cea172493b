// Simplification: fewer triangles, the same solid, the same attributes.
#include "testing.h"

#include "failing_allocator.h"
#include "math/vec.h"
#include "models.h"
#include "simplify_checks.h"
#include "simplify_shapes.h"
#include "triangle_distance.h"

// ---- checks ----

// The furthest vertex of `a` from the triangles of `b`, by brute force.
static double furthest_vertex(rblMeshId a, rblMeshId b)
{
    rblMeshView from, to;
    check_ok(rbl_mesh_view(a, &from));
    check_ok(rbl_mesh_view(b, &to));
    double furthest = 0;
    for (uint32_t v = 0; v < from.vertex_count; ++v)
    {
        double best = HUGE_VAL;
        for (uint32_t f = 0; f < to.face_count; ++f)
        {
            const uint32_t* c = to.corner_vertices + to.face_starts[f];
            const rblVec3d t[3] = {to.positions[c[0]], to.positions[c[1]], to.positions[c[2]]};
            best = rbl_mind(distance_to_triangle(from.positions[v], t), best);
        }
        furthest = rbl_maxd(best, furthest);
    }
    return furthest;
}

// ---- tests ----

static void solids_stay_closed_manifold_and_of_their_genus(void** state)
{
    (void)state;
    for (int shape = 0; shape < 3; ++shape)
    {
        if (shape == 0)
        {
            fill_torus(32, 16, 0);
        }
        else if (shape == 1)
        {
            fill_sphere(24, 16);
        }
        else
        {
            fill_cube(8);
        }
        arrays.view.face_materials = NULL;
        arrays.view.face_groups = NULL;
        const rblMeshId id = create();
        const rblMeshReport before = report_of(id);
        const uint32_t targets[] = {700, 300, 100, 40, 0};
        for (int i = 0; i < 5; ++i)
        {
            const rblMeshId out = simplified(id, targets[i], no_limit, NULL);
            check_solid(out, &before);
            const uint32_t triangles = report_of(out).triangles;
            assert_true(triangles <= targets[i] || targets[i] < 40);
            assert_true(triangles + 1 >= targets[i]);
            check_ok(rbl_mesh_destroy(out));
        }
        check_ok(rbl_mesh_destroy(id));
    }
}

static void flat_sides_cost_nothing(void** state)
{
    (void)state;
    fill_cube(16);
    arrays.view.face_materials = NULL;
    arrays.view.face_groups = NULL;
    const rblMeshId id = create();
    double error = -1;
    const rblMeshId out = simplified(id, 0, 1e-9, &error);
    const rblMeshReport report = report_of(out);
    assert_int_equal(report.triangles, 12);
    assert_int_equal(report.vertices, 8);
    check_close(report.volume, 8, 0); // the corners are where they were, to the last bit
    check_close(error, 0, 1e-12);
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void no_vertex_of_the_input_is_further_than_the_error(void** state)
{
    (void)state;
    for (int shape = 0; shape < 3; ++shape)
    {
        if (shape == 0)
        {
            fill_torus(40, 20, 1);
        }
        else if (shape == 1)
        {
            fill_sphere(32, 20);
        }
        else
        {
            fill_sheet(24, 0.1);
        }
        const rblMeshId id = create();
        const uint32_t targets[] = {600, 150, 60};
        for (int i = 0; i < 3; ++i)
        {
            double error = 0;
            const rblMeshId out = simplified(id, targets[i], no_limit, &error);
            const double furthest = furthest_vertex(id, out);
            assert_true(error > 0);
            assert_true(furthest <= error * (1 + 1e-9));
            assert_true(furthest_vertex(out, id) <= 2 * error);
            check_ok(rbl_mesh_destroy(out));
        }
        check_ok(rbl_mesh_destroy(id));
    }
}

static void volume_and_area_stay_close(void** state)
{
    (void)state;
    fill_sphere(48, 32);
    arrays.view.face_materials = NULL;
    arrays.view.face_groups = NULL;
    const rblMeshId id = create();
    const rblMeshReport before = report_of(id);
    const rblMeshId out = simplified(id, before.triangles / 10, no_limit, NULL);
    const rblMeshReport after = report_of(out);
    check_relative(after.volume, before.volume, 0.02);
    check_relative(after.area, before.area, 0.02);
    assert_int_equal(after.self_intersections.count, 0);
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void error_grows_as_triangles_go(void** state)
{
    (void)state;
    fill_torus(40, 20, 0);
    const rblMeshId id = create();
    double last_error = 0;
    uint32_t last_count = 2000;
    for (uint32_t target = 1400; target >= 100; target -= 100)
    {
        double error;
        const rblMeshId out = simplified(id, target, no_limit, &error);
        assert_true(error >= last_error);
        last_error = error;
        check_ok(rbl_mesh_destroy(out));
    }
    for (double limit = 1e-4; limit < 0.2; limit *= 2)
    {
        double error;
        const rblMeshId out = simplified(id, 0, limit, &error);
        const uint32_t count = report_of(out).triangles;
        assert_true(error <= limit && furthest_vertex(id, out) <= limit * (1 + 1e-9));
        assert_true(count <= last_count + last_count / 20); // not strictly: the order of collapses differs
        last_count = count;
        check_ok(rbl_mesh_destroy(out));
    }
    assert_true(last_count < 300);
    check_ok(rbl_mesh_destroy(id));
}

static void zero_error_and_large_targets_change_nothing(void** state)
{
    (void)state;
    fill_sphere(12, 8);
    const rblMeshId id = create();
    rblMeshView before, after;
    check_ok(rbl_mesh_view(id, &before));
    const uint32_t targets[] = {0, 100000};
    const double limits[] = {0, HUGE_VAL};
    for (int i = 0; i < 2; ++i)
    {
        double error = -1;
        const rblMeshId out = simplified(id, targets[i], limits[i], &error);
        check_ok(rbl_mesh_view(out, &after));
        assert_int_equal(after.face_count, before.face_count);
        assert_int_equal(after.vertex_count, before.vertex_count);
        assert_memory_equal(after.positions, before.positions,
                            sizeof *before.positions * before.vertex_count);
        assert_memory_equal(after.corner_vertices, before.corner_vertices,
                            sizeof(uint32_t) * before.corner_count);
        check_close(error, 0, 0);
        check_ok(rbl_mesh_destroy(out));
    }
    check_ok(rbl_mesh_destroy(id));
}

// A lid of thousands of triangles around one vertex.
static void vertices_with_very_many_triangles_are_fine(void** state)
{
    (void)state;
    fill_sphere(2000, 4);
    arrays.view.face_materials = NULL;
    arrays.view.face_groups = NULL;
    const rblMeshId id = create();
    const rblMeshReport before = report_of(id);
    const rblMeshId out = simplified(id, 100, no_limit, NULL);
    check_solid(out, &before);
    assert_true(report_of(out).triangles <= 100);
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void smallest_meshes_survive(void** state)
{
    (void)state;
    begin();
    add_vertex(0, 0, 0);
    add_vertex(1, 0, 0);
    add_vertex(0, 1, 0);
    add_vertex(0, 0, 1);
    add_face((uint32_t[]){0, 2, 1}, 3, 0);
    rblMeshId id = create();
    rblMeshId out = simplified(id, 0, no_limit, NULL);
    rblMeshView view;
    check_ok(rbl_mesh_view(out, &view));
    assert_int_equal(view.face_count, 1);
    assert_int_equal(view.vertex_count, 3); // the vertex that no face uses is gone
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));

    add_face((uint32_t[]){0, 1, 3}, 3, 0);
    add_face((uint32_t[]){0, 3, 2}, 3, 0);
    add_face((uint32_t[]){1, 2, 3}, 3, 0);
    id = create();
    out = simplified(id, 0, no_limit, NULL);
    assert_int_equal(report_of(out).triangles, 4);
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void scale_makes_no_difference(void** state)
{
    (void)state;
    fill_torus(24, 12, 0);
    rblMeshId id = create();
    rblMeshId out = simplified(id, 200, no_limit, NULL);
    rblMeshView view, scaled_view;
    check_ok(rbl_mesh_view(out, &view));
    const int exponents[] = {-900, -40, 40, 900};
    for (int i = 0; i < 4; ++i)
    {
        fill_torus(24, 12, 0);
        for (uint32_t v = 0; v < arrays.view.vertex_count; ++v)
        {
            const rblVec3d p = arrays.positions[v];
            arrays.positions[v] =
                rbl_vec3d(ldexp(p.x, exponents[i]), ldexp(p.y, exponents[i]), ldexp(p.z, exponents[i]));
        }
        const rblMeshId scaled = create();
        const rblMeshId scaled_out = simplified(scaled, 200, no_limit, NULL);
        check_ok(rbl_mesh_view(scaled_out, &scaled_view));
        assert_int_equal(scaled_view.face_count, view.face_count);
        for (uint32_t v = 0; v < view.vertex_count; ++v)
        {
            assert_true(scaled_view.positions[v].x == ldexp(view.positions[v].x, exponents[i]));
        }
        check_ok(rbl_mesh_destroy(scaled_out));
        check_ok(rbl_mesh_destroy(scaled));
    }
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void meshes_without_area_do_no_harm(void** state)
{
    (void)state;
    fill_sphere(12, 8);
    for (uint32_t v = 0; v < arrays.view.vertex_count; ++v)
    {
        arrays.positions[v].y = v % 3 == 0 ? 0 : arrays.positions[v].y; // some triangles flat, some folded
        arrays.positions[v].z = 0;
    }
    rblMeshId id = create();
    rblMeshId out = simplified(id, 20, no_limit, NULL);
    assert_true(report_of(out).manifold && report_of(out).closed);
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
    for (uint32_t v = 0; v < arrays.view.vertex_count; ++v)
    {
        arrays.positions[v] = rbl_vec3d(1, 2, 3); // all in one point
    }
    id = create();
    out = simplified(id, 20, no_limit, NULL);
    assert_true(report_of(out).manifold && report_of(out).closed);
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void refuse(rblResult expected)
{
    const rblMeshId id = create();
    rblMeshId out = {77, 77};
    double error = 77;
    check_fails(expected, rbl_mesh_simplify(id, NULL, &out, &error));
    assert_true(out.index1 == 77 && error == 77);
    check_ok(rbl_mesh_destroy(id));
}

static void meshes_that_are_not_manifold_are_refused(void** state)
{
    (void)state;
    begin();
    for (int i = 0; i < 7; ++i)
    {
        add_vertex(i * i, i % 3, i % 2);
    }
    add_face((uint32_t[]){0, 1, 2}, 3, 0);
    add_face((uint32_t[]){1, 0, 3}, 3, 0);
    add_face((uint32_t[]){0, 1, 4}, 3, 0);
    refuse(RBL_ERROR_GEOMETRY); // three faces at an edge
    arrays.view.face_count = 2;
    arrays.view.corner_count = 6;
    arrays.corners[3] = 0;
    arrays.corners[4] = 1;
    refuse(RBL_ERROR_GEOMETRY); // two faces that run the same way
    arrays.corners[3] = 2;
    arrays.corners[4] = 3;
    arrays.corners[5] = 4;
    refuse(RBL_ERROR_GEOMETRY); // two faces that meet in a point
    arrays.corners[3] = 3;
    arrays.corners[4] = 3;
    refuse(RBL_ERROR_GEOMETRY); // a vertex twice in a face
}

static void positions_that_are_not_finite_are_refused(void** state)
{
    (void)state;
    const char text[] = "v 0 0 0\nv 1 0 0\nv 0 nan 0\nf 1 2 3\n";
    rblLoadOptions options = rbl_default_load_options();
    options.format = RBL_FORMAT_OBJ;
    options.keep_non_finite = 1;
    rblMeshId id, out;
    check_ok(rbl_mesh_load_memory(text, sizeof text - 1, "nan.obj", &options, &id));
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_simplify(id, NULL, &out, NULL));
    check_ok(rbl_mesh_destroy(id));
}

static void bad_arguments_are_refused(void** state)
{
    (void)state;
    fill_sphere(8, 4);
    const rblMeshId id = create();
    rblMeshId out = {77, 77};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(id, NULL, NULL, NULL));
    check_fails(RBL_ERROR_STALE, rbl_mesh_simplify((rblMeshId){0, 0}, NULL, &out, NULL));
    rblSimplifyOptions options = {0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(id, &options, &out, NULL));
    const double bad[] = {(double)NAN, -1};
    for (int i = 0; i < 2; ++i)
    {
        options = rbl_default_simplify_options();
        options.max_error = bad[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(id, &options, &out, NULL));
        options = rbl_default_simplify_options();
        options.attribute_weight = bad[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(id, &options, &out, NULL));
    }
    options.attribute_weight = HUGE_VAL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_simplify(id, &options, &out, NULL));
    assert_true(out.index1 == 77);
    check_ok(rbl_mesh_destroy(id));
    check_fails(RBL_ERROR_STALE, rbl_mesh_simplify(id, NULL, &out, NULL));
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    fill_torus(8, 6, 1);
    add_layer(RBL_LAYER_UV, 2, arrays.uvs);
    const rblMeshId id = create();
    rblMeshId out = simplified(id, 0, no_limit, NULL);
    check_ok(rbl_mesh_destroy(out)); // the table of meshes has grown now
    const size_t before = memory.live;
    rblResult result = RBL_ERROR_MEMORY;
    size_t granted = 0;
    for (; result == RBL_ERROR_MEMORY; ++granted)
    {
        memory.left = granted;
        result = rbl_mesh_simplify(id, NULL, &out, NULL);
        assert_true(result == RBL_OK || memory.live == before);
    }
    memory.left = SIZE_MAX;
    check_ok(result);
    assert_true(granted > 20);
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

// Any compiler or platform that decides otherwise anywhere changes this number.
static void results_have_the_same_bits_everywhere(void** state)
{
    (void)state;
    fill_torus(32, 20, 1);
    add_layer(RBL_LAYER_UV, 2, arrays.uvs);
    const rblMeshId id = create();
    const rblMeshId out = simplified(id, 300, no_limit, NULL);
    rblMeshView view;
    check_ok(rbl_mesh_view(out, &view));
    uint64_t hash =
        rbl_hash_bytes(RBL_HASH_START, view.positions, sizeof *view.positions * view.vertex_count);
    hash = rbl_hash_bytes(hash, view.corner_vertices, sizeof(uint32_t) * view.corner_count);
    hash = rbl_hash_bytes(hash, view.layers[0].data, sizeof(float) * 2 * view.corner_count);
    if (hash != UINT64_C(0x367F684B0606B458))
    {
        fail_msg("hash is 0x%llX", (unsigned long long)hash);
    }
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void real_models_keep_their_topology(void** state)
{
    (void)state;
    const char* names[] = {"fandisk_13k.obj", "spot_6k.obj"};
    int checked = 0;
    for (int i = 0; i < 2; ++i)
    {
        const char* path = model_path(names[i]);
        if (path == NULL)
        {
            continue;
        }
        checked += 1;
        rblMeshId id;
        check_ok(rbl_mesh_load(path, NULL, &id));
        const rblMeshReport before = report_of(id);
        double error;
        const rblMeshId out = simplified(id, before.triangles / 5, no_limit, &error);
        check_solid(out, &before);
        const rblMeshReport after = report_of(out);
        assert_true(after.triangles <= before.triangles / 5);
        check_relative(after.volume, before.volume, 0.01);
        check_ok(rbl_mesh_destroy(out));
        check_ok(rbl_mesh_destroy(id));
    }
    if (checked == 0)
    {
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_stay_closed_manifold_and_of_their_genus),
        cmocka_unit_test(flat_sides_cost_nothing),
        cmocka_unit_test(no_vertex_of_the_input_is_further_than_the_error),
        cmocka_unit_test(volume_and_area_stay_close),
        cmocka_unit_test(error_grows_as_triangles_go),
        cmocka_unit_test(zero_error_and_large_targets_change_nothing),
        cmocka_unit_test(vertices_with_very_many_triangles_are_fine),
        cmocka_unit_test(smallest_meshes_survive),
        cmocka_unit_test(scale_makes_no_difference),
        cmocka_unit_test(meshes_without_area_do_no_harm),
        cmocka_unit_test(meshes_that_are_not_manifold_are_refused),
        cmocka_unit_test(positions_that_are_not_finite_are_refused),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(results_have_the_same_bits_everywhere),
        cmocka_unit_test(real_models_keep_their_topology),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
