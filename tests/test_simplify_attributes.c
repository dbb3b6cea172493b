// Simplification: what divides a surface stays where it is, and what it carries stays right.
#include "testing.h"

#include "base/memory.h"
#include "base/random.h"
#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/topology.h"
#include "simplify_checks.h"
#include "simplify_shapes.h"
#include <stdlib.h>
#include <string.h>

static double material_area(const rblMeshView* view, uint32_t material)
{
    double area = 0;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const uint32_t* c = view->corner_vertices + view->face_starts[f];
        for (uint32_t i = 2;
             view->face_materials[f] == material && i < view->face_starts[f + 1] - view->face_starts[f]; ++i)
        {
            const rblVec3d a = view->positions[c[0]];
            area += 0.5 * rbl_length3d(rbl_cross3d(rbl_sub3d(view->positions[c[i - 1]], a),
                                                   rbl_sub3d(view->positions[c[i]], a)));
        }
    }
    return area;
}

// Each side of the cube is a chart of its own: wherever a corner of the result is, its UV follows from its
// place.
static void uv_charts_stay_whole(void** state)
{
    (void)state;
    fill_cube(12);
    add_layer(RBL_LAYER_UV, 2, arrays.uvs);
    const rblMeshId id = create();
    const rblMeshId out = simplified(id, 0, 1e-6, NULL);
    rblMeshView view;
    check_ok(rbl_mesh_view(out, &view));
    assert_int_equal(view.face_count, 12);
    assert_int_equal(view.layer_count, 1);
    for (uint32_t c = 0; c < view.corner_count; ++c)
    {
        const uint32_t side = view.face_materials[c / 3];
        const float* uv = view.layers[0].data + 2 * c;
        const double u = 4 * ((double)uv[0] - side) - 1, v = 4 * (double)uv[1] - 1;
        check_close(rbl_distance3d(cube_point(side, u, v), view.positions[view.corner_vertices[c]]), 0, 1e-5);
    }
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void no_triangle_reaches_across_a_seam(void** state)
{
    (void)state;
    fill_torus(36, 18, 0);
    add_layer(RBL_LAYER_UV, 2, arrays.uvs);
    const rblMeshId id = create();
    const rblMeshReport before = report_of(id);
    const rblMeshId out = simplified(id, 200, no_limit, NULL);
    check_solid(out, &before);
    rblMeshView view;
    check_ok(rbl_mesh_view(out, &view));
    assert_true(view.face_count <= 200);
    double uv_area = 0;
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        const float* uv = view.layers[0].data + 6 * f;
        const double ab[2] = {(double)(uv[2] - uv[0]), (double)(uv[3] - uv[1])};
        const double ac[2] = {(double)(uv[4] - uv[0]), (double)(uv[5] - uv[1])};
        assert_true(fabs(ab[0]) < 0.6 && fabs(ac[0]) < 0.6 && fabs(ab[1]) < 0.6 && fabs(ac[1]) < 0.6);
        uv_area += 0.5 * (ab[0] * ac[1] - ab[1] * ac[0]);
    }
    check_close(uv_area, 1, 1e-5); // the chart still covers the unit square, once: its border did not move
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void materials_keep_their_regions(void** state)
{
    (void)state;
    fill_sphere(32, 24);
    const rblMeshId id = create();
    const rblMeshId out = simplified(id, 200, no_limit, NULL);
    rblMeshView before, after;
    check_ok(rbl_mesh_view(id, &before));
    check_ok(rbl_mesh_view(out, &after));
    for (uint32_t material = 0; material < 2; ++material)
    {
        check_relative(material_area(&after, material), material_area(&before, material), 0.05);
    }
    for (uint32_t c = 0; c < after.corner_count; ++c)
    {
        // North has material 0, and nothing of it lies below the equator.
        const double y = after.positions[after.corner_vertices[c]].y;
        assert_true(after.face_materials[c / 3] == 0 ? y >= 0 : y <= 0);
    }
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));

    fill_cube(10);
    const rblMeshId cube = create();
    const rblMeshId simple = simplified(cube, 0, 1e-6, NULL);
    check_ok(rbl_mesh_view(simple, &after));
    assert_int_equal(after.face_count, 12);
    for (uint32_t f = 0; f < after.face_count; ++f)
    {
        assert_int_equal(after.face_groups[f], after.face_materials[f] / 3);
        assert_int_equal(after.face_origins[f] / 100,
                         after.face_materials[f]); // quads 100 s .. 100 s + 99 are side s
    }
    for (uint32_t side = 0; side < 6; ++side)
    {
        check_close(material_area(&after, side), 4, 1e-12);
    }
    check_ok(rbl_mesh_destroy(simple));
    check_ok(rbl_mesh_destroy(cube));
}

// Patches of faces that hang together and share a material.
static uint32_t count_regions(rblMeshId id)
{
    rblMeshView view;
    rblTopology topology;
    check_ok(rbl_mesh_view(id, &view));
    check_ok(rbl_topology_init(&topology, &view, rbl_default_allocator()));
    uint8_t* seen = calloc(view.face_count, 1);
    uint32_t* stack = malloc(sizeof *stack * (view.corner_count + 1));
    uint32_t regions = 0;
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        uint32_t depth = 0;
        if (!seen[f])
        {
            regions += 1;
            stack[depth++] = f;
            seen[f] = 1;
        }
        while (depth > 0)
        {
            const uint32_t face = stack[--depth];
            for (uint32_t c = view.face_starts[face]; c < view.face_starts[face + 1]; ++c)
            {
                const uint32_t other =
                    rbl_has_twin(&topology, c) ? topology.corner_faces[topology.twins[c]] : face;
                if (!seen[other] && view.face_materials[other] == view.face_materials[face])
                {
                    seen[other] = 1;
                    stack[depth++] = other;
                }
            }
        }
    }
    free(seen);
    free(stack);
    rbl_topology_free(&topology);
    return regions;
}

static void scattered_materials_neither_merge_nor_vanish(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(41, 0);
    for (int round = 0; round < 12; ++round)
    {
        fill_torus(30, 20, 0);
        const uint32_t kinds = round % 3 + 2, block = round % 4 + 1;
        uint32_t blocks[600];
        for (uint32_t i = 0; i < 600; ++i)
        {
            blocks[i] = rbl_random_below(&random, kinds);
        }
        for (uint32_t f = 0; f < arrays.view.face_count; ++f)
        {
            arrays.materials[f] = blocks[(f / 20 / block) * 20 + f % 20 / block];
            arrays.groups[f] = 0;
        }
        const rblMeshId id = create();
        const rblMeshReport before = report_of(id);
        const rblMeshId out = simplified(id, 0, no_limit, NULL);
        check_solid(out, &before);
        assert_int_equal(count_regions(out), count_regions(id));
        assert_true(report_of(out).triangles < before.triangles);
        check_ok(rbl_mesh_destroy(out));
        check_ok(rbl_mesh_destroy(id));
    }
}

static void borders_stay_in_place(void** state)
{
    (void)state;
    fill_sheet(20, 0);
    const rblMeshId flat = create();
    double error;
    const rblMeshId two = simplified(flat, 0, 1e-9, &error);
    rblMeshView view;
    check_ok(rbl_mesh_view(two, &view));
    assert_int_equal(view.face_count, 2);
    check_close(material_area(&view, 0), 1, 0);
    check_ok(rbl_mesh_destroy(two));
    check_ok(rbl_mesh_destroy(flat));

    fill_sheet(20, 0.1);
    const rblMeshId id = create();
    const rblMeshReport before = report_of(id);
    const rblMeshId out = simplified(id, 120, no_limit, NULL);
    check_solid(out, &before);
    check_ok(rbl_mesh_view(out, &view));
    uint32_t on_border = 0;
    for (uint32_t v = 0; v < view.vertex_count; ++v)
    {
        const rblVec3d p = view.positions[v];
        const double inside = rbl_mind(rbl_mind(p.x, 1 - p.x), rbl_mind(p.z, 1 - p.z));
        on_border += inside == 0;
        assert_true(inside >= 0);
        check_close(inside == 0 ? p.y - 0.1 * rbl_sin(3 * p.x) * rbl_cos(4 * p.z) : 0, 0,
                    0); // only input vertices there
    }
    assert_true(on_border >= 8 && on_border < 80);
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

static void normals_stay_unit_and_point_outward(void** state)
{
    (void)state;
    fill_sphere(32, 20);
    arrays.view.face_materials = NULL;
    arrays.view.face_groups = NULL;
    add_layer(RBL_LAYER_NORMAL, 3, arrays.normals);
    const rblMeshId id = create();
    const rblMeshId out = simplified(id, 150, no_limit, NULL);
    rblMeshView view;
    check_ok(rbl_mesh_view(out, &view));
    assert_true(view.face_count <= 150);
    for (uint32_t c = 0; c < view.corner_count; ++c)
    {
        const float* n = view.layers[0].data + 3 * c;
        const rblVec3d normal = {(double)n[0], (double)n[1], (double)n[2]};
        check_close(rbl_length3d(normal), 1, 1e-6);
        assert_true(rbl_dot3d(normal, rbl_normalize3d(view.positions[view.corner_vertices[c]], normal)) >
                    0.95);
    }
    check_ok(rbl_mesh_destroy(out));
    check_ok(rbl_mesh_destroy(id));
}

// Colour is 0 left of the middle of a flat sheet and rises right of it: only attributes can object to
// collapses.
static uint32_t count_with_weight(rblMeshId id, double weight)
{
    rblSimplifyOptions options = rbl_default_simplify_options();
    options.attribute_weight = weight;
    options.max_error = 1e-3;
    rblMeshId out;
    check_ok(rbl_mesh_simplify(id, &options, &out, NULL));
    rblMeshView view;
    check_ok(rbl_mesh_view(out, &view));
    const uint32_t count = view.face_count;
    for (uint32_t c = 0; weight > 0 && c < view.corner_count; ++c)
    {
        const double x = view.positions[view.corner_vertices[c]].x;
        check_close(view.layers[0].data[4 * c], rbl_maxd(x - 0.5, 0), 0.02);
    }
    check_ok(rbl_mesh_destroy(out));
    return count;
}

static void colours_count_by_their_weight(void** state)
{
    (void)state;
    fill_sheet(20, 0);
    for (uint32_t c = 0; c < arrays.view.corner_count; ++c)
    {
        const double x = arrays.positions[arrays.corners[c]].x;
        const float color[4] = {(float)rbl_maxd(x - 0.5, 0), 0, 0, 1};
        memcpy(arrays.colors + 4 * c, color, sizeof color);
    }
    add_layer(RBL_LAYER_COLOR, 4, arrays.colors);
    const rblMeshId id = create();
    assert_int_equal(count_with_weight(id, 0), 2);
    const uint32_t kept = count_with_weight(id, 1);
    assert_true(kept >= 4 && kept <= 12); // two rectangles are enough
    assert_true(count_with_weight(id, 100) >= kept);
    check_ok(rbl_mesh_destroy(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uv_charts_stay_whole),
        cmocka_unit_test(no_triangle_reaches_across_a_seam),
        cmocka_unit_test(materials_keep_their_regions),
        cmocka_unit_test(scattered_materials_neither_merge_nor_vanish),
        cmocka_unit_test(borders_stay_in_place),
        cmocka_unit_test(normals_stay_unit_and_point_outward),
        cmocka_unit_test(colours_count_by_their_weight),
    };
    return cmocka_run_group_tests_name("simplify_attributes", tests, NULL, NULL);
}
