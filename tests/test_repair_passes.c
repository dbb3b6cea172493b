// Mesh repair: what single passes do, crossings that are cut out, and rebuilding as the last resort.
#include "testing.h"

#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "repair_checks.h"
#include "shapes.h"

static void welding_never_pulls_a_chain_together(void** state)
{
    (void)state;
    // A cube one edge of which is cut into steps of 0.9 tolerances, separately in the two faces that meet
    // there: every other vertex is kept, so the edge stays as long.
    rblMeshBuilder builder = start_shape();
    const uint32_t first = add_box_vertices(&builder, (rblVec3d){0, 0, 0}, (rblVec3d){1, 1, 1});
    uint32_t top[12];
    uint32_t side[12];
    uint32_t count = 0;
    side[count] = first + 6;
    top[count++] = first + 6;
    for (uint32_t i = 1; i < 10; ++i)
    {
        side[count] = rbl_mesh_builder_vertex(&builder, (rblVec3d){0.09 * i, 1, 1});
        top[count++] = rbl_mesh_builder_vertex(&builder, (rblVec3d){0.09 * i, 1, 1});
    }
    side[count] = top[count] = first + 7;
    count += 1;
    add_quad(&builder, first, first + 4, first + 6, first + 2);
    add_quad(&builder, first + 1, first + 3, first + 7, first + 5);
    add_quad(&builder, first, first + 1, first + 5, first + 4);
    add_quad(&builder, first, first + 2, first + 3, first + 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_mesh_builder_corner(&builder, top[i]);
    }
    rbl_mesh_builder_corner(&builder, first + 3);
    rbl_mesh_builder_corner(&builder, first + 2);
    rbl_mesh_builder_face(&builder, 0, 0, 4);
    rbl_mesh_builder_corner(&builder, first + 4);
    rbl_mesh_builder_corner(&builder, first + 5);
    for (uint32_t i = count; i-- > 0;)
    {
        rbl_mesh_builder_corner(&builder, side[i]);
    }
    rbl_mesh_builder_face(&builder, 0, 0, 5);
    const rblMeshId mesh = registered(&builder);
    rblRepairOptions options = rbl_default_repair_options();
    options.weld_distance = 0.1;
    rblMeshId mended;
    rblRepairReport report;
    check_ok(rbl_mesh_repair(mesh, &options, &mended, &report));
    assert_true(report.solid);
    // Kept once: 0.18, 0.36, 0.54 and 0.72; of the others 0.09 joins the corner at 0 and 0.81 that at 0.72.
    assert_int_equal(report.welded_vertices, 14);
    assert_int_equal(report.after.vertices, 12);
    check_close(report.after.volume, 1, 1e-12);
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_mesh_destroy(mended));
}

static void vertices_inserted_into_edges_get_attributes_in_between(void** state)
{
    (void)state;
    // A cube of which the top is two faces: its long edges lack the vertices in their middle.
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_layer(&builder, RBL_LAYER_UV);
    const uint32_t v = add_box_vertices(&builder, (rblVec3d){0, 0, 0}, (rblVec3d){1, 1, 1});
    static const uint32_t quads[5][4] = {
        {0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}};
    for (uint32_t f = 0; f < 5; ++f)
    {
        add_quad(&builder, v + quads[f][0], v + quads[f][1], v + quads[f][2], v + quads[f][3]);
    }
    const uint32_t a = rbl_mesh_builder_vertex(&builder, (rblVec3d){0.25, 0, 1});
    const uint32_t b = rbl_mesh_builder_vertex(&builder, (rblVec3d){0.25, 1, 1});
    add_quad(&builder, v + 4, a, b, v + 6);
    add_quad(&builder, a, v + 5, v + 7, b);
    for (uint32_t c = 0; c < builder.corner_vertices.count; ++c)
    {
        const rblVec3d p = builder.positions.data[builder.corner_vertices.data[c]];
        rbl_mesh_builder_set(&builder, 0, c, (const float[2]){(float)(4 * p.x), (float)(p.y + p.z)});
    }
    const rblMeshId mesh = registered(&builder);
    rblRepairReport report;
    const rblMeshId mended = mend_solid(mesh, &report);
    assert_int_equal(report.resolved_t_junctions, 2);
    assert_int_equal(count_changes(&report), 2);
    const rblMeshView view = view_of(mended);
    for (uint32_t c = 0; c < view.corner_count; ++c)
    {
        const rblVec3d p = view.positions[view.corner_vertices[c]];
        check_close(view.layers[0].data[2 * c], 4 * p.x, 1e-6);
        check_close(view.layers[0].data[2 * c + 1], p.y + p.z, 1e-6);
    }
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_mesh_destroy(mended));
}

static void stored_normals_follow_the_faces(void** state)
{
    (void)state;
    // Flat normals; one face turned over with its normals, one without them, one missing.
    static const rblVec3d normals[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL);
    const uint32_t v = add_box_vertices(&builder, (rblVec3d){0, 0, 0}, (rblVec3d){1, 1, 1});
    static const uint32_t quads[5][4] = {
        {0, 4, 6, 2}, {5, 7, 3, 1}, {4, 5, 1, 0}, {2, 6, 7, 3}, {0, 2, 3, 1}};
    for (uint32_t f = 0; f < 5; ++f)
    {
        add_quad(&builder, v + quads[f][0], v + quads[f][1], v + quads[f][2], v + quads[f][3]);
        for (uint32_t c = 4 * f; c < 4 * f + 4; ++c)
        {
            const rblVec3 n = rbl_to_float3(f == 1 ? rbl_neg3d(normals[f]) : normals[f]);
            rbl_mesh_builder_set(&builder, 0, c, &n.x);
        }
    }
    const rblMeshId mesh = registered(&builder);
    rblRepairReport report;
    const rblMeshId mended = mend_solid(mesh, &report);
    assert_int_equal(report.flipped_faces, 2);
    assert_int_equal(report.filled_holes, 1);
    const rblMeshView view = view_of(mended);
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        const rblVec3d unit = rbl_normalize3d(rbl_face_normal_area2(&view, f), (rblVec3d){0, 0, 0});
        for (uint32_t c = view.face_starts[f]; c < view.face_starts[f + 1]; ++c)
        {
            check_close(view.layers[0].data[3 * c], unit.x, 1e-6);
            check_close(view.layers[0].data[3 * c + 1], unit.y, 1e-6);
            check_close(view.layers[0].data[3 * c + 2], unit.z, 1e-6);
        }
    }
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_mesh_destroy(mended));
}

static void filled_holes_take_after_their_surroundings(void** state)
{
    (void)state;
    const rblMeshId whole = make_marked(true, 5, false);
    const rblMeshView view = view_of(whole);
    // Leave out two faces side by side; the six around are of materials 0, 1, 2.
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_like(&builder, &view);
    for (uint32_t v = 0; v < view.vertex_count; ++v)
    {
        rbl_mesh_builder_vertex(&builder, view.positions[v]);
    }
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        for (uint32_t c = view.face_starts[f]; c < view.face_starts[f + 1] && f != 42 && f != 43; ++c)
        {
            const uint32_t corner = rbl_mesh_builder_corner_copy(&builder, view.corner_vertices[c], &view, c);
            rbl_mesh_builder_set(&builder, 1, corner, (const float[4]){0.25f, 0.5f, 0.75f, 1});
        }
        if (f != 42 && f != 43)
        {
            rbl_mesh_builder_face(&builder, f < 100 ? 2 : 0, 1, f);
        }
    }
    const rblMeshId mesh = registered(&builder);
    rblRepairReport report;
    const rblMeshId mended = mend_solid(mesh, &report);
    assert_int_equal(report.filled_holes, 1);
    assert_int_equal(report.filled_faces, 4);
    assert_int_equal(count_changes(&report), 5);
    const rblMeshView after = view_of(mended);
    uint32_t made = 0;
    for (uint32_t f = 0; f < after.face_count; ++f)
    {
        if (after.face_origins[f] != RBL_NONE)
        {
            continue;
        }
        made += 1;
        assert_int_equal(after.face_materials[f], 2);
        assert_int_equal(after.face_groups[f], 1);
        for (uint32_t c = after.face_starts[f]; c < after.face_starts[f + 1]; ++c)
        {
            check_close(after.layers[1].data[4 * c + 2], 0.75, 1e-6);
            assert_int_equal((uint32_t)after.layers[0].data[2 * c + 1], after.corner_vertices[c]);
        }
    }
    assert_int_equal(made, 4);
    check_ok(rbl_mesh_destroy(whole));
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_mesh_destroy(mended));
}

// A pipe with a wavy rim at both ends.
static rblMeshId make_pipe(uint32_t around, double waves)
{
    rblMeshBuilder builder = start_shape();
    for (uint32_t i = 0; i < around; ++i)
    {
        const double angle = 2 * 3.14159265358979323846 * i / around;
        const double radius = 1 + waves * cos(9 * angle);
        rbl_mesh_builder_vertex(&builder, (rblVec3d){radius * cos(angle), 0, -radius * sin(angle)});
        rbl_mesh_builder_vertex(&builder, (rblVec3d){radius * cos(angle), 2, -radius * sin(angle)});
    }
    for (uint32_t i = 0; i < around; ++i)
    {
        const uint32_t k = (i + 1) % around;
        add_quad(&builder, 2 * i, 2 * k, 2 * k + 1, 2 * i + 1);
    }
    return registered(&builder);
}

static void holes_of_any_length_are_filled_flat(void** state)
{
    (void)state;
    static const uint32_t lengths[] = {3, 4, 5, 60, 200, 201, 700};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; ++i)
    {
        const uint32_t n = lengths[i];
        const rblMeshId pipe = make_pipe(n, n < 60 ? 0 : 0.4);
        const rblMeshView view = view_of(pipe);
        double area2 = 0;
        for (uint32_t k = 0; k < n; ++k)
        {
            const rblVec3d a = view.positions[2 * k];
            const rblVec3d b = view.positions[2 * ((k + 1) % n)];
            area2 += b.x * a.z - a.x * b.z;
        }
        rblRepairReport report;
        const rblMeshId mended = mend_solid(pipe, &report);
        assert_int_equal(report.filled_holes, 2);
        assert_int_equal(report.filled_faces, 2 * (n - 2));
        check_relative(report.after.volume, area2, 1e-9); // height 2
        check_ok(rbl_mesh_destroy(pipe));
        check_ok(rbl_mesh_destroy(mended));
    }
}

static void holes_longer_than_asked_for_stay_open(void** state)
{
    (void)state;
    const rblMeshId pipe = make_pipe(60, 0);
    rblRepairOptions options = rbl_default_repair_options();
    rblMeshId mended;
    rblRepairReport report;
    options.max_hole_edges = 59;
    check_ok(rbl_mesh_repair(pipe, &options, &mended, &report));
    assert_false(report.solid);
    assert_int_equal(count_changes(&report), 0);
    assert_string_equal(report.reason,
                        "2 boundary loops of 60 and 60 edges are longer than max_hole_edges 59");
    check_ok(rbl_mesh_destroy(mended));
    options.max_hole_edges = 0;
    check_ok(rbl_mesh_repair(pipe, &options, &mended, &report));
    assert_string_equal(report.reason, "2 boundary loops are left open because max_hole_edges is 0");
    check_ok(rbl_mesh_destroy(mended));
    options.max_hole_edges = 60;
    check_ok(rbl_mesh_repair(pipe, &options, &mended, &report));
    assert_true(report.solid);
    check_ok(rbl_mesh_destroy(mended));
    check_ok(rbl_mesh_destroy(pipe));
}

// ---- crossings ----

// A cube of 12 x 12 faces a side: two neighbours in the top face have changed places, or one vertex is pulled
// out through the bottom.
static rblMeshId make_crossing(bool pierced)
{
    rblMeshBuilder builder = start_shape();
    add_grid_box(&builder, 12);
    for (size_t v = 0; v < builder.positions.count; ++v)
    {
        rblVec3d* p = &builder.positions.data[v];
        const bool here = p->y == 1 && fabs(p->x - 0.5) < 1e-9 && fabs(p->z - 0.5) < 1e-9;
        const bool beside = p->y == 1 && fabs(p->x - 7.0 / 12) < 1e-9 && fabs(p->z - 0.5) < 1e-9;
        if (pierced && here)
        {
            *p = (rblVec3d){0.52, -0.3, 0.53};
        }
        else if (!pierced && (here || beside))
        {
            *p = here ? (rblVec3d){7.0 / 12, 1, 0.5} : (rblVec3d){0.5, 1, 0.5};
        }
    }
    return registered(&builder);
}

static void small_crossings_are_cut_out(void** state)
{
    (void)state;
    for (int pierced = 0; pierced < 2; ++pierced)
    {
        const rblMeshId mesh = make_crossing(pierced != 0);
        rblRepairReport report;
        const rblMeshId mended = mend_solid(mesh, &report);
        assert_true(report.cut_crossings > 4 && report.cut_crossings < 60);
        assert_int_equal(report.filled_holes, pierced + 1);
        assert_int_equal(report.after.faces, 864 - report.cut_crossings + report.filled_faces);
        check_close(report.after.volume, 1, 1e-3);
        const rblMeshView after = view_of(mended);
        uint32_t kept = 0;
        for (uint32_t f = 0; f < after.face_count; ++f)
        {
            kept += after.face_origins[f] != RBL_NONE;
        }
        assert_int_equal(kept, 864 - report.cut_crossings);
        check_ok(rbl_mesh_destroy(mesh));
        check_ok(rbl_mesh_destroy(mended));
    }
}

// ---- the last resort ----

// Two cubes that overlap, of different materials and colours.
static rblMeshId make_overlap(void)
{
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL);
    rbl_mesh_builder_layer(&builder, RBL_LAYER_COLOR);
    rbl_mesh_builder_material(&builder, "left");
    rbl_mesh_builder_material(&builder, "right");
    add_cube(&builder, 0, 1, true);
    add_cube(&builder, 0.5, 1.5, true);
    for (uint32_t f = 0; f < 12; ++f)
    {
        builder.face_materials.data[f] = f / 6;
        for (uint32_t c = 4 * f; c < 4 * f + 4; ++c)
        {
            rbl_mesh_builder_set(&builder, 1, c, (const float[4]){(float)(f / 6), 0.5f, (float)f, 1});
        }
    }
    return registered(&builder);
}

static void crossing_solids_are_rebuilt_as_one(void** state)
{
    (void)state;
    const rblMeshId mesh = make_overlap();
    rblRepairOptions options = rbl_default_repair_options();
    options.remesh_cells = 24;
    rblMeshId mended;
    rblRepairReport report;
    check_ok(rbl_mesh_repair(mesh, &options, &mended, &report));
    check_outcome(mended, &report);
    assert_string_equal(report.reason, "");
    assert_true(report.remeshed);
    assert_int_equal(report.after.components, 1);
    check_close(report.after.volume, 1.875, 0.01);
    const rblMeshView view = view_of(mended);
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        // Material, colour and origin agree: they come from the same old face, which is the one that is near.
        const uint32_t material = view.face_materials[f];
        assert_int_equal(view.face_origins[f] / 6, material);
        const rblVec3d unit = rbl_normalize3d(rbl_face_normal_area2(&view, f), (rblVec3d){0, 0, 0});
        for (uint32_t c = view.face_starts[f]; c < view.face_starts[f + 1]; ++c)
        {
            const float* n = view.layers[0].data + 3 * (size_t)c;
            const float* color = view.layers[1].data + 4 * (size_t)c;
            assert_true((double)n[0] * unit.x + (double)n[1] * unit.y + (double)n[2] * unit.z > 0.49);
            check_close(color[0], material, 1e-6);
            check_close(color[2], view.face_origins[f], 1e-5);
            const rblVec3d p = view.positions[view.corner_vertices[c]];
            const double low = material == 0 ? 0 : 0.5;
            assert_true(p.x > low - 0.1 && p.y > low - 0.1 && p.z > low - 0.1);
            assert_true(p.x < low + 1.1 && p.y < low + 1.1 && p.z < low + 1.1);
        }
    }
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_mesh_destroy(mended));
}

static void solid_and_one_sided_meshes_are_not_rebuilt(void** state)
{
    (void)state;
    rblRepairOptions options = rbl_default_repair_options();
    options.remesh_cells = 16;
    for (int twisted = 0; twisted < 2; ++twisted)
    {
        rblMeshBuilder builder = start_shape();
        add_torus(&builder, 12, 8, (rblVec3d){0, 0, 0}, twisted != 0);
        const rblMeshId mesh = registered(&builder);
        rblMeshId mended;
        rblRepairReport report;
        check_ok(rbl_mesh_repair(mesh, &options, &mended, &report));
        assert_false(report.remeshed);
        assert_int_equal(report.solid, !twisted);
        const rblMeshView a = view_of(mesh);
        const rblMeshView b = view_of(mended);
        check_same_mesh(&a, &b);
        check_ok(rbl_mesh_destroy(mesh));
        check_ok(rbl_mesh_destroy(mended));
    }
}

static void rebuilding_without_memory_leaks_nothing(void** state)
{
    (void)state;
    rblRepairOptions options = rbl_default_repair_options();
    options.remesh_cells = 16;
    size_t total = SIZE_MAX / 2;
    for (int step = 0; step <= 10; ++step)
    {
        // First with all it wants, then with ever more of that: many places to fail at.
        const size_t granted = step == 0 ? SIZE_MAX / 2 : total * (size_t)step / 10 - 1;
        FailingAllocator memory;
        failing_allocator_start(&memory, SIZE_MAX / 2);
        check_ok(rbl_set_allocator(&memory.allocator));
        const rblMeshId mesh = make_overlap();
        memory.left = granted;
        rblMeshId mended = {77, 77};
        rblRepairReport report;
        const rblResult result = rbl_mesh_repair(mesh, &options, &mended, &report);
        if (step == 0)
        {
            check_ok(result);
            total = granted - memory.left;
            check_ok(rbl_mesh_destroy(mended));
        }
        else
        {
            assert_int_equal(result, RBL_ERROR_MEMORY);
            assert_int_equal(mended.index1, 77);
        }
        check_ok(rbl_mesh_destroy(mesh));
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(welding_never_pulls_a_chain_together),
        cmocka_unit_test(vertices_inserted_into_edges_get_attributes_in_between),
        cmocka_unit_test(stored_normals_follow_the_faces),
        cmocka_unit_test(filled_holes_take_after_their_surroundings),
        cmocka_unit_test(holes_of_any_length_are_filled_flat),
        cmocka_unit_test(holes_longer_than_asked_for_stay_open),
        cmocka_unit_test(small_crossings_are_cut_out),
        cmocka_unit_test(crossing_solids_are_rebuilt_as_one),
        cmocka_unit_test(solid_and_one_sided_meshes_are_not_rebuilt),
        cmocka_unit_test(rebuilding_without_memory_leaks_nothing),
    };
    return cmocka_run_group_tests_name("repair_passes", tests, NULL, NULL);
}
