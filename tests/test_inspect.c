// Every field of a mesh report, on meshes with known properties and known defects.
#include "testing.h"

#include "base/random.h"
#include "math/vec.h"
#include "mesh/inspect.h"
#include "shapes.h"
#include <string.h>

static rblMeshReport inspect(rblMeshBuilder* builder)
{
    rblMesh* mesh = finish_shape(builder);
    rblMeshReport report;
    check_ok(rbl_inspect_view(rbl_mesh_get_view(mesh), NULL, &report));
    rbl_mesh_free(mesh);
    return report;
}

// The defects of a report, for comparison at one glance.
typedef struct Counts
{
    uint32_t boundary, crowded, misoriented, vertices, isolated, degenerate, duplicate, intersections;
} Counts;

static void check_counts(const rblMeshReport* report, Counts expected)
{
    assert_int_equal(report->boundary_edges.count, expected.boundary);
    assert_int_equal(report->non_manifold_edges.count, expected.crowded);
    assert_int_equal(report->misoriented_edges.count, expected.misoriented);
    assert_int_equal(report->non_manifold_vertices.count, expected.vertices);
    assert_int_equal(report->isolated_vertices.count, expected.isolated);
    assert_int_equal(report->degenerate_faces.count, expected.degenerate);
    assert_int_equal(report->duplicate_faces.count, expected.duplicate);
    assert_int_equal(report->self_intersections.count, expected.intersections);
}

static void a_box_is_a_perfect_solid(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_box(&builder, (rblVec3d){1, 2, 3}, (rblVec3d){2, 4, 6}, true);
    const rblMeshReport report = inspect(&builder);
    assert_int_equal(report.vertices, 8);
    assert_int_equal(report.faces, 6);
    assert_int_equal(report.triangles, 12);
    assert_true(report.closed && report.manifold && report.oriented && report.outward);
    assert_int_equal(report.components, 1);
    assert_int_equal(report.genus, 0);
    check_close(report.volume, 6, 0);
    check_close(report.area, 22, 0);
    assert_true(rbl_equal3d(report.bounds.lower, rbl_vec3d(1, 2, 3)));
    assert_true(rbl_equal3d(report.bounds.upper, rbl_vec3d(2, 4, 6)));
    check_counts(&report, (Counts){0});
}

static void volume_keeps_its_digits_far_from_the_origin(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    const double far = 0x1p+40;
    add_box(&builder, (rblVec3d){far, -far, far}, (rblVec3d){far + 1, 3 - far, far + 0.5}, true);
    add_cube(&builder, 0, 1, true);
    const rblMeshReport report = inspect(&builder);
    check_close(report.volume, 2.5, 1e-9);
    assert_true(report.outward);
    assert_int_equal(report.components, 2);
    assert_int_equal(report.genus, 0);
}

static void genus_counts_handles_over_all_components(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_torus(&builder, 16, 12, (rblVec3d){0, 0, 0}, false);
    add_torus(&builder, 12, 8, (rblVec3d){20, 0, 0}, false);
    add_cube(&builder, 30, 31, true);
    rbl_mesh_builder_vertex(&builder, (rblVec3d){7, 7, 7});
    const rblMeshReport report = inspect(&builder);
    assert_int_equal(report.genus, 2);
    assert_int_equal(report.components, 3);
    assert_true(report.outward);
    check_counts(&report, (Counts){.isolated = 1});
    assert_int_equal(report.isolated_vertices.examples[0], 16 * 12 + 12 * 8 + 8);
}

static void a_klein_bottle_cannot_be_oriented(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_torus(&builder, 12, 9, (rblVec3d){0, 0, 0}, true);
    rblMesh* mesh = finish_shape(&builder);
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    rblMeshReport report;
    check_ok(rbl_inspect_view(rbl_mesh_get_view(mesh), &options, &report));
    rbl_mesh_free(mesh);
    assert_true(report.closed && report.manifold);
    assert_false(report.oriented || report.outward);
    assert_int_equal(report.genus, -1);
    check_counts(&report, (Counts){.misoriented = 9});
}

static void a_moebius_strip_has_one_bad_seam_and_an_open_border(void** state)
{
    (void)state;
    enum
    {
        QUADS = 7
    };
    rblMeshBuilder builder = start_shape();
    for (uint32_t i = 0; i < 2 * QUADS; ++i)
    {
        const double u = 2 * 3.14159265358979323846 * (i / 2) / QUADS;
        const double side = i % 2 == 0 ? -0.3 : 0.3;
        const double radius = 2 + side * cos(u / 2);
        rbl_mesh_builder_vertex(&builder, (rblVec3d){radius * cos(u), radius * sin(u), side * sin(u / 2)});
    }
    for (uint32_t i = 0; i + 1 < QUADS; ++i)
    {
        add_quad(&builder, 2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1);
    }
    add_quad(&builder, 2 * QUADS - 2, 1, 0, 2 * QUADS - 1);
    const rblMeshReport report = inspect(&builder);
    check_counts(&report, (Counts){.boundary = 2 * QUADS, .misoriented = 1});
    assert_false(report.closed || report.oriented);
    assert_true(report.manifold);
    assert_int_equal(report.genus, -1);
}

static void a_missing_face_leaves_its_edges_open(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    const uint32_t v = add_box_vertices(&builder, (rblVec3d){0, 0, 0}, (rblVec3d){1, 1, 1});
    add_quad(&builder, v, v + 4, v + 6, v + 2);
    add_quad(&builder, v + 1, v + 3, v + 7, v + 5);
    add_quad(&builder, v, v + 1, v + 5, v + 4);
    add_quad(&builder, v + 2, v + 6, v + 7, v + 3);
    add_quad(&builder, v, v + 2, v + 3, v + 1);
    const rblMeshReport report = inspect(&builder);
    check_counts(&report, (Counts){.boundary = 4});
    // Half-edges 4-6, 7-5, 5-4 and 6-7, as their faces list them.
    const uint32_t expected[4] = {1, 6, 10, 13};
    assert_memory_equal(report.boundary_edges.examples, expected, sizeof expected);
    assert_false(report.closed || report.outward);
    assert_true(report.manifold && report.oriented);
    assert_int_equal(report.genus, -1);
}

static void unjoined_faces_still_add_up_to_the_volume(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    for (int f = 0; f < 6; ++f)
    {
        const uint32_t v = add_box_vertices(&builder, (rblVec3d){5, 5, 5}, (rblVec3d){6, 7, 8});
        static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                             {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
        add_quad(&builder, v + quads[f][0], v + quads[f][1], v + quads[f][2], v + quads[f][3]);
    }
    const rblMeshReport report = inspect(&builder);
    check_close(report.volume, 6, 1e-14);
    assert_int_equal(report.components, 6);
    assert_int_equal(report.boundary_edges.count, 24);
    assert_int_equal(report.isolated_vertices.count, 24);
    assert_int_equal(report.self_intersections.count, 0); // equal positions count as shared
}

static void a_flipped_face_disagrees_across_its_edges(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    const uint32_t v = add_box_vertices(&builder, (rblVec3d){0, 0, 0}, (rblVec3d){1, 1, 1});
    add_quad(&builder, v, v + 4, v + 6, v + 2);
    add_quad(&builder, v + 5, v + 7, v + 3, v + 1);
    add_quad(&builder, v, v + 1, v + 5, v + 4);
    add_quad(&builder, v + 2, v + 6, v + 7, v + 3);
    add_quad(&builder, v, v + 2, v + 3, v + 1);
    add_quad(&builder, v + 4, v + 5, v + 7, v + 6);
    const rblMeshReport report = inspect(&builder);
    check_counts(&report, (Counts){.misoriented = 4});
    const uint32_t expected[4] = {4, 5, 6, 7};
    assert_memory_equal(report.misoriented_edges.examples, expected, sizeof expected);
    assert_true(report.closed && report.manifold);
    assert_false(report.oriented || report.outward);
}

static void a_fin_crowds_its_edge(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 1, true);
    const uint32_t tip = rbl_mesh_builder_vertex(&builder, (rblVec3d){2, 2, 0.5});
    add_triangle(&builder, 3, 7, tip);
    const rblMeshReport report = inspect(&builder);
    check_counts(&report, (Counts){.boundary = 2, .crowded = 1});
    assert_false(report.closed || report.manifold || report.outward);
    assert_int_equal(report.components, 1);
    assert_int_equal(report.non_manifold_edges.examples[0], 5); // half-edge 3-7 of the second face
}

static void two_cubes_on_one_edge_crowd_it(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 1, true);
    // The second cube's edge 0-4 is the first one's 3-7.
    add_box_vertices(&builder, (rblVec3d){1, 1, 0}, (rblVec3d){2, 2, 1});
    const uint32_t v[8] = {3, 9, 10, 11, 7, 13, 14, 15};
    add_box_faces(&builder, v, true);
    const rblMeshReport report = inspect(&builder);
    check_counts(&report, (Counts){.crowded = 1, .isolated = 2});
    assert_true(report.closed && report.oriented && report.outward);
    assert_false(report.manifold);
    assert_int_equal(report.components, 1);
    assert_int_equal(report.genus, -1);
    check_close(report.volume, 2, 1e-15);
}

static void two_cubes_on_one_vertex_give_it_two_fans(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 1, true);
    add_box_vertices(&builder, (rblVec3d){1, 1, 1}, (rblVec3d){2, 2, 2});
    const uint32_t v[8] = {7, 9, 10, 11, 12, 13, 14, 15};
    add_box_faces(&builder, v, true);
    const rblMeshReport report = inspect(&builder);
    check_counts(&report, (Counts){.vertices = 1, .isolated = 1});
    assert_int_equal(report.non_manifold_vertices.examples[0], 7);
    assert_true(report.closed && report.oriented && report.outward);
    assert_false(report.manifold);
    assert_int_equal(report.components, 2);
}

static void a_wall_inside_a_box_is_not_a_solid(void** state)
{
    (void)state;
    // Two boxes with one face between them: three faces on each of its edges.
    rblMeshBuilder builder = start_shape();
    const uint32_t a = add_box_vertices(&builder, (rblVec3d){0, 0, 0}, (rblVec3d){1, 1, 1});
    const uint32_t b = add_box_vertices(&builder, (rblVec3d){1, 0, 0}, (rblVec3d){2, 1, 1});
    const uint32_t left[8] = {a, a + 1, a + 2, a + 3, a + 4, a + 5, a + 6, a + 7};
    const uint32_t right[8] = {a + 1, b + 1, a + 3, b + 3, a + 5, b + 5, a + 7, b + 7};
    add_box_faces(&builder, left, true);
    for (int f = 1; f < 6; ++f)
    {
        static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                             {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
        add_quad(&builder, right[quads[f][0]], right[quads[f][1]], right[quads[f][2]], right[quads[f][3]]);
    }
    const rblMeshReport report = inspect(&builder);
    check_counts(&report, (Counts){.crowded = 4, .isolated = 4});
    assert_true(report.closed);
    assert_false(report.manifold || report.outward);
}

static void a_t_junction_is_open_and_touches(void** state)
{
    (void)state;
    // A unit square below, its upper edge met by three triangles that have one vertex more there.
    rblMeshBuilder builder = start_shape();
    const rblVec3d points[] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 1, 0}, {1, 2, 0}, {0, 2, 0}};
    for (int i = 0; i < 7; ++i)
    {
        rbl_mesh_builder_vertex(&builder, points[i]);
    }
    add_triangle(&builder, 0, 1, 2);
    add_triangle(&builder, 0, 2, 3);
    add_triangle(&builder, 3, 4, 6);
    add_triangle(&builder, 4, 2, 5);
    add_triangle(&builder, 4, 5, 6);
    const rblMeshReport report = inspect(&builder);
    // Three open edges where two would be shared, and two fans at both ends of them; all three upper
    // triangles touch the lower one along that line.
    check_counts(&report, (Counts){.boundary = 3 + 6, .vertices = 2, .intersections = 3});
    for (uint32_t i = 0; i < 3; ++i)
    {
        assert_int_equal(report.intersecting_faces[i][0], 1);
        assert_int_equal(report.intersecting_faces[i][1], 2 + i);
        assert_int_equal(report.self_intersections.examples[i], 1);
    }
}

static void faces_without_area_are_found_exactly(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    const double ulp = 0x1p-52;
    const rblVec3d points[] = {{0, 0, 0}, {0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, {1, 1, 0}, {2, 2 * (1 + ulp), 0},
                               {5, 0, 0}, {0, 5, 0},       {0.4, 0.8, 1.2}, {0, 0, 0}};
    for (int i = 0; i < 9; ++i)
    {
        rbl_mesh_builder_vertex(&builder, points[i]);
    }
    add_triangle(&builder, 0, 1, 2);                    // exactly on a line
    add_triangle(&builder, 0, 3, 4);                    // off a line by one bit
    add_triangle(&builder, 0, 5, 0);                    // the same vertex twice
    add_quad(&builder, 0, 1, 7, 2);                     // a quad on a line
    add_face(&builder, (uint32_t[]){0, 5, 3, 6, 3}, 5); // area, but a vertex twice
    add_triangle(&builder, 0, 8, 5);                    // two vertices in one place
    add_face(&builder, (uint32_t[]){0, 8, 0, 8}, 4);    // all in one place
    add_quad(&builder, 0, 8, 5, 6);                     // two in one place, but area
    const rblMeshReport report = inspect(&builder);
    const uint32_t expected[] = {0, 2, 3, 4, 5, 6};
    assert_int_equal(report.degenerate_faces.count, 6);
    assert_memory_equal(report.degenerate_faces.examples, expected, sizeof expected);
    assert_false(report.manifold);
}

static void duplicates_are_found_whichever_way_round(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    for (int i = 0; i < 6; ++i)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){i, i * i, i * i * i});
    }
    add_triangle(&builder, 0, 1, 2);
    add_triangle(&builder, 1, 2, 3);
    add_triangle(&builder, 2, 0, 1);
    add_triangle(&builder, 2, 1, 0);
    add_quad(&builder, 0, 1, 2, 3);
    add_quad(&builder, 3, 2, 1, 0);
    add_triangle(&builder, 3, 4, 5);
    add_triangle(&builder, 0, 1, 3);
    const rblMeshReport report = inspect(&builder);
    assert_int_equal(report.duplicate_faces.count, 3);
    const uint32_t expected[] = {2, 3, 5};
    assert_memory_equal(report.duplicate_faces.examples, expected, sizeof expected);
}

static void examples_stop_but_counts_go_on(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    for (uint32_t i = 0; i < 40; ++i)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){i, 0, 0});
        rbl_mesh_builder_vertex(&builder, (rblVec3d){i, 1, 0});
        rbl_mesh_builder_vertex(&builder, (rblVec3d){i, 0, 1});
        add_triangle(&builder, 3 * i, 3 * i + 1, 3 * i + 2);
        rbl_mesh_builder_vertex(&builder, (rblVec3d){0, 0, 0});
    }
    rblMeshReport report = inspect(&builder);
    assert_int_equal(report.boundary_edges.count, 120);
    for (uint32_t i = 0; i < RBL_EXAMPLE_COUNT; ++i)
    {
        assert_int_equal(report.boundary_edges.examples[i], i);
    }
}

static void cavities_may_look_inward_and_nothing_else(void** state)
{
    (void)state;
    // Boxes by lower and upper bound, and whether each faces out.
    static const struct
    {
        uint32_t count;
        double bounds[4][2];
        bool faces_out[4];
        bool outward;
        double volume;
    } cases[] = {
        {1, {{0, 4}}, {true}, true, 64},
        {1, {{0, 4}}, {false}, false, -64},
        {2, {{0, 4}, {1, 2}}, {true, false}, true, 63},
        {2, {{1, 2}, {0, 4}}, {false, true}, true, 63},
        {2, {{0, 4}, {1, 2}}, {false, true}, false, -63},
        {2, {{0, 4}, {1, 2}}, {true, true}, true, 65},
        {2, {{0, 4}, {5, 6}}, {true, false}, false, 63},
        {3, {{0, 8}, {1, 7}, {2, 6}}, {true, false, true}, true, 512 - 216 + 64},
        {3, {{0, 8}, {1, 7}, {2, 6}}, {true, false, false}, false, 512 - 216 - 64},
        {4, {{0, 8}, {1, 7}, {2, 6}, {3, 4}}, {true, false, true, false}, true, 512 - 216 + 64 - 1},
        {3, {{0, 8}, {1, 2}, {3, 4}}, {true, false, false}, true, 510},
        {2,
         {{0, 4}, {0, 2}},
         {true, false},
         true,
         56}, // the cavity touches the walls in most of its vertices
        {2, {{0, 4}, {0, 4}}, {true, false}, false, 0}, // it is the walls
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        rblMeshBuilder builder = start_shape();
        for (uint32_t b = 0; b < cases[i].count; ++b)
        {
            add_cube(&builder, cases[i].bounds[b][0], cases[i].bounds[b][1], cases[i].faces_out[b]);
        }
        const rblMeshReport report = inspect(&builder);
        if (report.outward != cases[i].outward)
        {
            fail_msg("case %zu: outward is %d", i, report.outward);
        }
        check_close(report.volume, cases[i].volume, 1e-12);
        assert_int_equal(report.components, cases[i].count);
    }
}

static void bubbles_in_a_curved_solid_are_told_from_droplets_outside(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(41, 0);
    uint32_t inside_count = 0;
    for (int round = 0; round < 120; ++round)
    {
        rblMeshBuilder builder = start_shape();
        add_torus(&builder, 24, 16, (rblVec3d){0, 0, 0}, false);
        // Half of the points on the torus' own lattice planes: rays along x hit edges and vertices.
        const double turn = 2 * 3.14159265358979323846;
        const double u =
            round % 2 == 0 ? turn * rbl_random_below(&random, 24) / 24 : rbl_random_range(&random, 0, turn);
        const double r = rbl_random_range(&random, 0, 2);
        const rblVec3d p = {(3 + r) * cos(u), 0, -(3 + r) * sin(u)};
        const rblVec3d size = {0.01, 0.01, 0.01};
        add_box(&builder, rbl_sub3d(p, size), rbl_add3d(p, size), false);
        if (r > 0.85 && r < 1.05) // the facets lie between
        {
            rbl_mesh_builder_discard(&builder);
            continue;
        }
        const rblMeshReport report = inspect(&builder);
        assert_int_equal(report.outward, r < 1);
        inside_count += r < 1;
    }
    assert_in_range(inside_count, 20, 90);
}

static void broken_positions_are_counted_and_passed_over(void** state)
{
    (void)state;
    const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (int i = 0; i < 3; ++i)
    {
        rblMeshBuilder builder = start_shape();
        add_cube(&builder, 0, 2, true);
        builder.positions.data[7].y = bad[i];
        const rblMeshReport report = inspect(&builder);
        const uint32_t expected[] = {1, 3, 5};
        check_counts(&report, (Counts){.degenerate = 3});
        assert_memory_equal(report.degenerate_faces.examples, expected, sizeof expected);
        assert_true(report.closed && report.manifold && report.oriented);
        assert_false(report.outward);
        assert_int_equal(report.genus, 0);
        assert_true(rbl_finite(report.volume) && rbl_finite(report.area));
        assert_true(rbl_equal3d(report.bounds.upper, rbl_vec3d(2, 2, 2)));
    }
    rblMeshBuilder builder = start_shape();
    for (int i = 0; i < 3; ++i)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){(double)NAN, bad[i], 0});
    }
    add_triangle(&builder, 0, 1, 2);
    const rblMeshReport report = inspect(&builder);
    assert_int_equal(report.degenerate_faces.count, 1);
    assert_true(report.bounds.lower.x > report.bounds.upper.x);
    check_close(report.area, 0, 0);
}

static void crossing_boxes_are_reported_in_order(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 2, true);
    add_cube(&builder, 1, 3, true);
    rblMesh* mesh = finish_shape(&builder);
    rblMeshReport report;
    check_ok(rbl_inspect_view(rbl_mesh_get_view(mesh), NULL, &report));
    // Faces +x, +y and +z of the first cross the edges of -x, -y and -z of the second.
    assert_true(report.self_intersections.count >= 6);
    for (uint32_t i = 0; i < 6; ++i)
    {
        const uint32_t a = report.intersecting_faces[i][0];
        const uint32_t b = report.intersecting_faces[i][1];
        assert_true(a < 6 && a % 2 == 1 && b >= 6 && b < 12 && b % 2 == 0);
        assert_true(i == 0 || a >= report.intersecting_faces[i - 1][0]);
    }
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    check_ok(rbl_inspect_view(rbl_mesh_get_view(mesh), &options, &report));
    assert_int_equal(report.self_intersections.count, 0);
    rbl_mesh_free(mesh);
}

static void more_than_a_million_intersections_count_as_a_million(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    for (uint32_t i = 0; i < 1500; ++i)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){0, 0, 0});
        rbl_mesh_builder_vertex(&builder, (rblVec3d){1, 0, 0});
        rbl_mesh_builder_vertex(&builder, (rblVec3d){0, 1, 0});
        add_triangle(&builder, 3 * i, 3 * i + 1, 3 * i + 2);
    }
    const rblMeshReport report = inspect(&builder);
    assert_int_equal(report.self_intersections.count, 1000000);
    assert_int_equal(report.intersecting_faces[7][1], 8);
}

static void random_soups_never_trouble_it(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(42, 0);
    const double special[] = {(double)NAN, (double)INFINITY, 1e300, -1e300, 1e-320, 0.1};
    for (int round = 0; round < 200; ++round)
    {
        rblMeshBuilder builder = start_shape();
        const uint32_t vertices = 3 + rbl_random_below(&random, 12);
        for (uint32_t v = 0; v < vertices; ++v)
        {
            double p[3];
            for (int i = 0; i < 3; ++i)
            {
                p[i] = rbl_random_below(&random, 8) == 0 ? special[rbl_random_below(&random, 6)]
                                                         : rbl_random_below(&random, 4);
            }
            rbl_mesh_builder_vertex(&builder, (rblVec3d){p[0], p[1], p[2]});
        }
        for (uint32_t f = 0; f < 12; ++f)
        {
            uint32_t face[6];
            const uint32_t size = 3 + rbl_random_below(&random, 4);
            for (uint32_t i = 0; i < size; ++i)
            {
                face[i] = rbl_random_below(&random, vertices);
            }
            add_face(&builder, face, size);
        }
        const rblMeshReport report = inspect(&builder);
        assert_int_equal(report.faces, 12);
        assert_int_equal(report.closed, report.boundary_edges.count == 0);
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void bad_calls_are_refused(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 1, true);
    rblMeshId id;
    check_ok(rbl_mesh_register(finish_shape(&builder), &id));
    rblMeshReport report;
    memset(&report, 0x55, sizeof report);
    const rblMeshReport before = report;
    rblInspectOptions options = {.self_intersections = true};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_inspect(id, NULL, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_inspect(id, &options, &report));
    check_fails(RBL_ERROR_STALE, rbl_mesh_inspect((rblMeshId){0}, NULL, &report));
    assert_memory_equal(&report, &before, sizeof report);
    options = rbl_default_inspect_options();
    check_ok(rbl_mesh_inspect(id, &options, &report));
    assert_true(report.outward);
    check_ok(rbl_mesh_destroy(id));
    check_fails(RBL_ERROR_STALE, rbl_mesh_inspect(id, NULL, &report));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_is_a_perfect_solid),
        cmocka_unit_test(volume_keeps_its_digits_far_from_the_origin),
        cmocka_unit_test(genus_counts_handles_over_all_components),
        cmocka_unit_test(a_klein_bottle_cannot_be_oriented),
        cmocka_unit_test(a_moebius_strip_has_one_bad_seam_and_an_open_border),
        cmocka_unit_test(a_missing_face_leaves_its_edges_open),
        cmocka_unit_test(unjoined_faces_still_add_up_to_the_volume),
        cmocka_unit_test(a_flipped_face_disagrees_across_its_edges),
        cmocka_unit_test(a_fin_crowds_its_edge),
        cmocka_unit_test(two_cubes_on_one_edge_crowd_it),
        cmocka_unit_test(two_cubes_on_one_vertex_give_it_two_fans),
        cmocka_unit_test(a_wall_inside_a_box_is_not_a_solid),
        cmocka_unit_test(a_t_junction_is_open_and_touches),
        cmocka_unit_test(faces_without_area_are_found_exactly),
        cmocka_unit_test(duplicates_are_found_whichever_way_round),
        cmocka_unit_test(examples_stop_but_counts_go_on),
        cmocka_unit_test(cavities_may_look_inward_and_nothing_else),
        cmocka_unit_test(bubbles_in_a_curved_solid_are_told_from_droplets_outside),
        cmocka_unit_test(broken_positions_are_counted_and_passed_over),
        cmocka_unit_test(crossing_boxes_are_reported_in_order),
        cmocka_unit_test(more_than_a_million_intersections_count_as_a_million),
        cmocka_unit_test(random_soups_never_trouble_it),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
