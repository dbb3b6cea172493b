// Solids filled with tetrahedra: angles, volume, faces, surface, location, and what cannot be filled.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "math/predicates.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "rotations.h"
#include "shapes.h"
#include "tets_checks.h"
#include <string.h>

#define PI 3.14159265358979323846

static rblMeshId make_solid(const char* kind)
{
    rblMeshId mesh;
    check_ok(rbl_mesh_make(kind, NULL, 0, &mesh));
    return mesh;
}

static rblMeshId register_shape(rblMeshBuilder* builder)
{
    rblMeshId id;
    check_ok(rbl_mesh_register(finish_shape(builder), &id));
    return id;
}

static double size_of(rblMeshId mesh)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(mesh, &view));
    const rblAabbd bounds = rbl_mesh_bounds(&view);
    return rbl_distance3d(bounds.lower, bounds.upper);
}

static rblTetsId fill(rblMeshId mesh, double edge, uint32_t levels, rblTetsFill* out)
{
    rblTetsDef def = rbl_default_tets_def();
    rblTetsId tets;
    def.edge = edge;
    def.levels = levels;
    check_ok(rbl_tets_fill(mesh, &def, out, &tets));
    return tets;
}

// ---- random solids ----

typedef struct Waves
{
    double height[4], frequency[4][3], phase[4];
} Waves;

static double wavy_ball(rblVec3d p, void* context)
{
    const Waves* waves = context;
    double value = rbl_length3d(p) - 0.6;
    for (int i = 0; i < 4; ++i)
    {
        const double* f = waves->frequency[i];
        value += waves->height[i] * sin(f[0] * p.x + f[1] * p.y + f[2] * p.z + waves->phase[i]);
    }
    return value;
}

static rblMeshId random_blob(rblRandom* random)
{
    Waves waves;
    for (int i = 0; i < 4; ++i)
    {
        waves.height[i] = rbl_random_range(random, 0.0, 0.25);
        waves.phase[i] = rbl_random_range(random, 0.0, 6.0);
        for (int k = 0; k < 3; ++k)
        {
            waves.frequency[i][k] = rbl_random_range(random, -9.0, 9.0);
        }
    }
    rblIsosurfaceDef def = rbl_default_isosurface_def();
    def.bounds = (rblAabbd){{-1.6, -1.6, -1.6}, {1.6, 1.6, 1.6}};
    def.cells[0] = def.cells[1] = def.cells[2] = 20;
    def.field = wavy_ball;
    def.context = &waves;
    rblMeshId mesh;
    check_ok(rbl_mesh_isosurface(&def, &mesh));
    return mesh;
}

static rblMeshId random_solid(rblRandom* random)
{
    static const char* const kinds[] = {"box", "rock", "statue", "sphere", "cylinder", "piggybank"};
    const uint32_t choice = rbl_random_below(random, 12);
    const rblMeshId mesh = choice < 6 ? make_solid(kinds[choice]) : random_blob(random);
    const rblMat3d turn = random_rotation(random);
    const double x = rbl_random_range(random, -10.0, 10.0);
    rblMeshId turned;
    check_ok(rbl_mesh_transform(mesh, &turn, rbl_vec3d(x, 3.0, -1.0), &turned));
    check_ok(rbl_mesh_destroy(mesh));
    return turned;
}

// Every vertex, the middle of every edge, and random points of the faces.
static void check_contains_surface(rblTetsId tets, rblMeshId mesh, rblRandom* random)
{
    rblMeshId triangles;
    rblMeshView view;
    check_ok(rbl_mesh_triangulate(mesh, &triangles));
    check_ok(rbl_mesh_view(triangles, &view));
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        rblVec3d p[3];
        for (uint32_t i = 0; i < 3; ++i)
        {
            p[i] = view.positions[view.corner_vertices[3 * (size_t)f + i]];
        }
        const double u = rbl_random_double(random), v = (1.0 - u) * rbl_random_double(random);
        const rblVec3d points[3] = {
            p[0], rbl_lerp3d(p[0], p[1], 0.5),
            rbl_add3d(rbl_lerp3d(p[0], p[1], u), rbl_scale3d(rbl_sub3d(p[2], p[0]), v))};
        uint32_t found[3];
        check_ok(rbl_tets_locate(tets, points, 3, found));
        assert_true(found[0] != RBL_NONE && found[1] != RBL_NONE && found[2] != RBL_NONE);
    }
    check_ok(rbl_mesh_destroy(triangles));
}

static void random_solids_are_filled_within_the_bounds(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 1);
    for (uint32_t n = 0; n < 40; ++n)
    {
        const rblMeshId mesh = random_solid(&random);
        const double edge = size_of(mesh) / rbl_random_range(&random, 10.0, 30.0);
        rblTetsFill report;
        const rblTetsId tets = fill(mesh, edge, rbl_random_below(&random, 4), &report);
        const TetsFacts facts = check_tets(tets);
        if (!(facts.smallest_angle >= RBL_TETS_MIN_ANGLE && facts.largest_angle <= RBL_TETS_MAX_ANGLE))
        {
            fail_msg("solid %u: angles from %.3f to %.3f", n, facts.smallest_angle, facts.largest_angle);
        }
        check_surface(tets, false, facts.solid_volume);
        check_surface(tets, true, facts.solid_volume + facts.rim_volume);
        check_contains_surface(tets, mesh, &random);
        check_ok(rbl_tets_destroy(tets));
        check_ok(rbl_mesh_destroy(mesh));
    }
}

// ---- closed forms ----

// Nodes of the surface are on it, so that the error falls with the square of the edge.
static void the_volume_of_a_ball_converges(void** state)
{
    (void)state;
    const rblMeshId ball = make_solid("sphere");
    rblMeshReport report;
    check_ok(rbl_mesh_inspect(ball, NULL, &report));
    double errors[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        const rblTetsId tets = fill(ball, 0.05 / (1u << i), 2, NULL);
        errors[i] = fabs(check_tets(tets).solid_volume / report.volume - 1.0);
        check_ok(rbl_tets_destroy(tets));
    }
    assert_true(errors[0] > 2.5 * errors[1] && errors[1] > 2.5 * errors[2] && errors[2] < 0.006);
    check_ok(rbl_mesh_destroy(ball));
}

// Planes of nodes coincide with the faces of a box of whole edges.
static void a_box_of_whole_edges_is_filled_exactly(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_box(&builder, rbl_vec3d(5, -1, 2), rbl_vec3d(7, 0, 3.5), true);
    const rblMeshId box = register_shape(&builder);
    rblTetsFill report;
    const rblTetsId tets = fill(box, 0.25, 2, &report);
    const TetsFacts facts = check_tets(tets);
    check_relative(facts.solid_volume, 3.0, 1e-6);
    assert_true(facts.smallest_angle > 35 && facts.largest_angle < 125);
    assert_int_equal(report.hidden_edges, 0);
    check_ok(rbl_tets_destroy(tets));
    check_ok(rbl_mesh_destroy(box));
}

static void larger_cubes_inside_save_tetrahedra(void** state)
{
    (void)state;
    const rblMeshId ball = make_solid("sphere");
    uint32_t counts[3];
    for (uint32_t levels = 0; levels < 3; ++levels)
    {
        const rblTetsId tets = fill(ball, 0.005, levels, NULL);
        rblTetsView view;
        check_ok(rbl_tets_view(tets, &view));
        counts[levels] = view.solid_tet_count;
        check_ok(rbl_tets_destroy(tets));
    }
    assert_true(counts[1] < counts[0] / 2 && counts[2] < counts[1]);
    check_ok(rbl_mesh_destroy(ball));
}

// The sizes of Glondu et al. 2012, Table 1; a plate needs more, because its cubes must not be larger than it is thick.
static void the_count_is_met(void** state)
{
    (void)state;
    static const struct
    {
        const char* kind;
        uint32_t count;
    } wanted[] = {{"piggybank", 20807}, {"statue", 18767}, {"box", 594}, {"plate", 40000}, {"column", 10200}};
    for (uint32_t i = 0; i < 5; ++i)
    {
        const rblMeshId mesh = make_solid(wanted[i].kind);
        rblTetsDef def = rbl_default_tets_def();
        rblTetsId tets;
        rblTetsView view;
        def.count = wanted[i].count;
        check_ok(rbl_tets_fill(mesh, &def, NULL, &tets));
        check_ok(rbl_tets_view(tets, &view));
        // In a box many cubes vanish at once when the edge grows.
        const double most = strcmp(wanted[i].kind, "box") == 0 ? 1.7 : 1.1;
        const double ratio = (double)view.solid_tet_count / wanted[i].count;
        if (!(ratio >= 1.0 && ratio < most))
        {
            fail_msg("%s: %u of %u", wanted[i].kind, view.solid_tet_count, wanted[i].count);
        }
        check_ok(rbl_tets_destroy(tets));
        check_ok(rbl_mesh_destroy(mesh));
    }
}

// ---- location ----

static bool holds(const rblTetsView* view, uint32_t tet, rblVec3d point)
{
    rblVec3d corners[4];
    rbl_tet_corners(view, tet, corners);
    bool inside = true;
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint8_t* face = rbl_tet_faces[k];
        inside = inside && rbl_orient3d(corners[face[0]], corners[face[1]], corners[face[2]], point) >= 0.0;
    }
    return inside;
}

static uint32_t find_by_hand(const rblTetsView* view, rblVec3d point)
{
    for (uint32_t tet = 0; tet < view->tet_count; ++tet)
    {
        if (holds(view, tet, point))
        {
            return tet;
        }
    }
    return RBL_NONE;
}

static void check_location(rblTetsId tets, rblRandom* random, uint32_t count)
{
    rblTetsView view;
    check_ok(rbl_tets_view(tets, &view));
    rblAabbd bounds = {view.positions[0], view.positions[0]};
    for (uint32_t n = 0; n < view.node_count; ++n)
    {
        bounds.lower = rbl_min3d(bounds.lower, view.positions[n]);
        bounds.upper = rbl_max3d(bounds.upper, view.positions[n]);
    }
    uint32_t inside = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double x = rbl_random_range(random, bounds.lower.x, bounds.upper.x);
        const double y = rbl_random_range(random, bounds.lower.y, bounds.upper.y);
        const double z = rbl_random_range(random, bounds.lower.z, bounds.upper.z);
        const rblVec3d point = {x, y, z};
        uint32_t found;
        check_ok(rbl_tets_locate(tets, &point, 1, &found));
        assert_int_equal(found, find_by_hand(&view, point));
        inside += found != RBL_NONE;
    }
    assert_true(inside > count / 10);
    for (uint32_t n = 0; n < view.solid_node_count; n += 7) // where many meet
    {
        uint32_t found;
        check_ok(rbl_tets_locate(tets, &view.positions[n], 1, &found));
        assert_true(found != RBL_NONE && holds(&view, found, view.positions[n]));
    }
    const rblVec3d nowhere[2] = {{1e9, 0, 0}, {(double)NAN, 0, 0}};
    uint32_t found[2];
    check_ok(rbl_tets_locate(tets, nowhere, 2, found));
    assert_true(found[0] == RBL_NONE && found[1] == RBL_NONE);
}

static void points_are_located_as_by_brute_force(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    for (uint32_t n = 0; n < 6; ++n)
    {
        const rblMeshId mesh = random_solid(&random);
        const rblTetsId tets = fill(mesh, size_of(mesh) / 14.0, n % 3, NULL);
        check_location(tets, &random, 400);
        rblTetsView view;
        check_ok(rbl_tets_view(tets, &view));
        rblTetsId copy; // without a lattice
        check_ok(rbl_tets_create(&view, &copy));
        check_location(copy, &random, 400);
        check_ok(rbl_tets_destroy(copy));
        check_ok(rbl_tets_destroy(tets));
        check_ok(rbl_mesh_destroy(mesh));
    }
}

// ---- thin, apart, far away ----

static rblMeshId make_slab(double thickness, uint64_t seed)
{
    rblMeshBuilder builder = start_shape();
    add_box(&builder, rbl_vec3d(-1.03, 0.31, -1.07), rbl_vec3d(1, 0.31 + thickness, 1), true);
    rblMeshId id = register_shape(&builder);
    rblRandom random = rbl_random_seed(seed, 1);
    const rblMat3d turn = random_rotation(&random);
    rblMeshId turned;
    check_ok(rbl_mesh_transform(id, &turn, rbl_vec3d(0, 0, 0), &turned));
    check_ok(rbl_mesh_destroy(id));
    return turned;
}

// A slab thicker than an edge is one piece without holes; one much thinner is torn, which is told, and leaves edges that are cut
// twice; with shorter edges it is whole again.
static void thin_solids_are_kept_or_reported(void** state)
{
    (void)state;
    const rblMeshId thick = make_slab(0.22, 1);
    rblTetsFill report;
    rblTetsId tets = fill(thick, 0.2, 1, &report);
    rblMeshReport surface = check_surface(tets, false, check_tets(tets).solid_volume);
    assert_true(report.same_topology);
    assert_int_equal(surface.components, 1);
    assert_int_equal(surface.genus, 0);
    check_ok(rbl_tets_destroy(tets));
    const rblMeshId thin = make_slab(0.1, 1);
    tets = fill(thin, 0.2, 1, &report);
    assert_false(report.same_topology);
    assert_true(report.hidden_edges > 100);
    check_close(report.hidden_length, 0.15, 0.06);
    check_ok(rbl_tets_destroy(tets));
    rblTetsDef def = rbl_default_tets_def();
    def.edge = 0.2;
    def.halvings = 3;
    check_ok(rbl_tets_fill(thin, &def, &report, &tets));
    assert_true(report.same_topology && report.edge <= 0.1);
    surface = check_surface(tets, false, check_tets(tets).solid_volume);
    assert_int_equal(surface.components, 1);
    assert_int_equal(surface.genus, 0);
    check_ok(rbl_tets_destroy(tets));
    check_ok(rbl_mesh_destroy(thin));
    check_ok(rbl_mesh_destroy(thick));
}

static void walls_thicker_than_an_edge_are_kept(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        const rblMeshId wall = make_slab(0.205, seed);
        rblTetsFill report;
        const rblTetsId tets = fill(wall, 0.2, 1, &report);
        assert_true(report.same_topology);
        check_ok(rbl_tets_destroy(tets));
        check_ok(rbl_mesh_destroy(wall));
    }
}

static void solids_apart_and_hollows_are_filled(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0.0, 1.0, true);
    add_cube(&builder, 0.25, 0.75, false);
    add_box(&builder, rbl_vec3d(3, 0, 0), rbl_vec3d(4, 1, 1), true);
    const rblMeshId mesh = register_shape(&builder);
    const rblTetsId tets = fill(mesh, 0.125, 2, NULL);
    const TetsFacts facts = check_tets(tets);
    check_relative(facts.solid_volume, 2.0 - 0.125, 1e-6);
    assert_int_equal(check_surface(tets, false, facts.solid_volume).components, 3);
    check_ok(rbl_tets_destroy(tets));
    check_ok(rbl_mesh_destroy(mesh));
}

// Closed surfaces that run through each other enclose what any of them does; the faces inside leave no trace.
static void overlapping_parts_are_one_solid(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0.0, 1.0, true);
    add_box(&builder, rbl_vec3d(0.53, 0.2, 0.3), rbl_vec3d(2.0, 0.7, 0.8), true);
    const rblMeshId mesh = register_shape(&builder);
    const rblTetsId tets = fill(mesh, 0.1, 1, NULL);
    const TetsFacts facts = check_tets(tets);
    check_relative(facts.solid_volume, 1.0 + 0.25, 0.01);
    assert_true(facts.smallest_angle >= RBL_TETS_MIN_ANGLE && facts.largest_angle <= RBL_TETS_MAX_ANGLE);
    assert_int_equal(check_surface(tets, false, facts.solid_volume).components, 1);
    check_ok(rbl_tets_destroy(tets));
    check_ok(rbl_mesh_destroy(mesh));
}

static void far_from_the_origin_nothing_changes(void** state)
{
    (void)state;
    const rblMeshId ball = make_solid("sphere");
    const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    rblMeshId moved;
    check_ok(rbl_mesh_transform(ball, &identity, rbl_vec3d(65536, -1048576, 0), &moved));
    const rblTetsId near = fill(ball, 0.02, 1, NULL), far = fill(moved, 0.02, 1, NULL);
    const TetsFacts a = check_tets(near), b = check_tets(far);
    check_relative(b.solid_volume, a.solid_volume, 1e-6);
    check_ok(rbl_tets_destroy(near));
    check_ok(rbl_tets_destroy(far));
    check_ok(rbl_mesh_destroy(ball));
    check_ok(rbl_mesh_destroy(moved));
}

static void a_margin_is_kept_free(void** state)
{
    (void)state;
    const rblMeshId ball = make_solid("sphere"); // radius 0.1
    rblTetsDef def = rbl_default_tets_def();
    def.edge = 0.02;
    def.margin = 0.035;
    rblTetsId tets;
    check_ok(rbl_tets_fill(ball, &def, NULL, &tets));
    rblRandom random = rbl_random_seed(5, 1);
    for (uint32_t i = 0; i < 1000; ++i)
    {
        const double x = rbl_random_range(&random, -1, 1), y = rbl_random_range(&random, -1, 1);
        const double z = rbl_random_range(&random, -1, 1);
        const rblVec3d way = rbl_normalize3d(rbl_vec3d(x, y, z), rbl_vec3d(1, 0, 0));
        const rblVec3d point = rbl_scale3d(way, 0.1349);
        uint32_t found;
        check_ok(rbl_tets_locate(tets, &point, 1, &found));
        assert_true(found != RBL_NONE);
    }
    check_tets(tets);
    check_ok(rbl_tets_destroy(tets));
    check_ok(rbl_mesh_destroy(ball));
}

// ---- what cannot be filled ----

static void bad_input_is_refused(void** state)
{
    (void)state;
    rblTetsDef def = rbl_default_tets_def();
    rblTetsId tets = {77, 77};
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 1, false);
    const rblMeshId inverted = register_shape(&builder);
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_fill(inverted, &def, NULL, &tets));
    builder = start_shape();
    add_box_vertices(&builder, rbl_vec3d(0, 0, 0), rbl_vec3d(1, 1, 1));
    add_quad(&builder, 0, 1, 3, 2);
    const rblMeshId open = register_shape(&builder);
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_fill(open, &def, NULL, &tets));
    assert_non_null(strstr(rbl_last_error(), "open"));
    const rblMeshId box = make_solid("box");
    const double bad[] = {-1.0, (double)NAN, (double)INFINITY};
    for (uint32_t i = 0; i < 3; ++i)
    {
        def = rbl_default_tets_def();
        def.edge = bad[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_tets_fill(box, &def, NULL, &tets));
        def = rbl_default_tets_def();
        def.margin = bad[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_tets_fill(box, &def, NULL, &tets));
    }
    def = rbl_default_tets_def();
    def.edge = 1e-9;
    check_fails(RBL_ERROR_LIMIT, rbl_tets_fill(box, &def, NULL, &tets));
    def.edge = 1e-5; // billions of cubes: told before any of them is made
    check_fails(RBL_ERROR_LIMIT, rbl_tets_fill(box, &def, NULL, &tets));
    def.edge = 100.0;
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_fill(inverted, &def, NULL, &tets));
    def = rbl_default_tets_def();
    def.levels = 9;
    check_fails(RBL_ERROR_ARGUMENT, rbl_tets_fill(box, &def, NULL, &tets));
    def = rbl_default_tets_def();
    def.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_tets_fill(box, &def, NULL, &tets));
    check_fails(RBL_ERROR_ARGUMENT, rbl_tets_fill(box, NULL, NULL, NULL));
    check_fails(RBL_ERROR_STALE, rbl_tets_fill((rblMeshId){0}, NULL, NULL, &tets));
    check_fails(RBL_ERROR_STALE, rbl_tets_destroy(tets));
    assert_true(tets.index1 == 77 && tets.generation == 77);
    check_ok(rbl_mesh_destroy(box));
    check_ok(rbl_mesh_destroy(open));
    check_ok(rbl_mesh_destroy(inverted));
    assert_int_equal(rbl_tets_alive_count(), 0);
}

// So large a lattice that no node of it is inside.
static void a_solid_that_no_node_meets_is_refused(void** state)
{
    (void)state;
    const rblMeshId slab = make_slab(0.001, 1);
    rblTetsDef def = rbl_default_tets_def();
    rblTetsId tets;
    def.edge = 3.0;
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_fill(slab, &def, NULL, &tets));
    assert_non_null(strstr(rbl_last_error(), "thin"));
    check_ok(rbl_mesh_destroy(slab));
}

// A pane of which few tetrahedra are wanted: with edges that long none fit in, and with short ones there would be millions.
static void a_solid_too_thin_for_its_count_is_refused(void** state)
{
    (void)state;
    const rblMeshId pane = make_slab(0.001, 1);
    rblTetsDef def = rbl_default_tets_def();
    rblTetsId tets;
    def.count = 1000;
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_fill(pane, &def, NULL, &tets));
    assert_non_null(strstr(rbl_last_error(), "thin"));
    check_ok(rbl_mesh_destroy(pane));
    assert_int_equal(rbl_tets_alive_count(), 0);
}

static void arrays_are_checked(void** state)
{
    (void)state;
    const rblVec3d positions[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 0}, {1, 1, 1}};
    const uint32_t good[8] = {0, 1, 2, 3, 1, 2, 3, 5}; // the second is turned over
    rblTetsView view = {.node_count = 6, .tet_count = 2, .positions = positions, .nodes = good};
    rblTetsId tets;
    check_ok(rbl_tets_create(&view, &tets));
    const TetsFacts facts = check_tets(tets);
    check_close(facts.solid_volume, 1.0 / 6.0 + 1.0 / 3.0, 1e-12);
    check_ok(rbl_tets_destroy(tets));
    const uint32_t flat[4] = {0, 1, 2, 4};
    const uint32_t beyond[4] = {0, 1, 2, 6};
    const uint32_t three[12] = {0, 1, 2, 3, 0, 1, 2, 5, 1, 0, 2, 5};
    view.tet_count = 1;
    view.nodes = flat;
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_create(&view, &tets));
    view.nodes = beyond;
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_create(&view, &tets));
    view.tet_count = 3;
    view.nodes = three;
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_create(&view, &tets));
    view.tet_count = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_tets_create(&view, &tets));
    assert_int_equal(rbl_tets_alive_count(), 0);
}

// ---- workers, memory ----

static void workers_change_nothing(void** state)
{
    (void)state;
    const rblMeshId mesh = make_solid("statue");
    const rblTetsId alone = fill(mesh, 0.02, 2, NULL);
    rblTetsView a;
    check_ok(rbl_tets_view(alone, &a));
    for (uint32_t workers = 2; workers <= 8; workers *= 2)
    {
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_set_tasks(&tasks));
        const rblTetsId tets = fill(mesh, 0.02, 2, NULL);
        rblTetsView b;
        check_ok(rbl_tets_view(tets, &b));
        assert_int_equal(a.node_count, b.node_count);
        assert_int_equal(a.tet_count, b.tet_count);
        assert_memory_equal(a.positions, b.positions, sizeof *a.positions * a.node_count);
        assert_memory_equal(a.nodes, b.nodes, sizeof *a.nodes * 4 * a.tet_count);
        check_ok(rbl_tets_destroy(tets));
        check_ok(rbl_set_tasks(NULL));
    }
    check_ok(rbl_tets_destroy(alone));
    check_ok(rbl_mesh_destroy(mesh));
}

static void running_out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    bool done = false;
    for (size_t granted = 0; !done; granted += 1 + granted / 20)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, SIZE_MAX);
        check_ok(rbl_set_allocator(&memory.allocator));
        const rblMeshId mesh = make_solid("box");
        const size_t before = memory.live;
        memory.left = granted;
        rblTetsDef def = rbl_default_tets_def();
        rblTetsId tets;
        def.edge = 0.05;
        const rblResult result = rbl_tets_fill(mesh, &def, NULL, &tets);
        done = result == RBL_OK;
        if (done)
        {
            check_ok(rbl_tets_destroy(tets));
        }
        else
        {
            assert_int_equal(result, RBL_ERROR_MEMORY);
        }
        assert_int_equal(memory.live, before);
        check_ok(rbl_mesh_destroy(mesh));
        check_ok(rbl_set_allocator(NULL));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_solids_are_filled_within_the_bounds),
        cmocka_unit_test(the_volume_of_a_ball_converges),
        cmocka_unit_test(a_box_of_whole_edges_is_filled_exactly),
        cmocka_unit_test(larger_cubes_inside_save_tetrahedra),
        cmocka_unit_test(the_count_is_met),
        cmocka_unit_test(points_are_located_as_by_brute_force),
        cmocka_unit_test(thin_solids_are_kept_or_reported),
        cmocka_unit_test(walls_thicker_than_an_edge_are_kept),
        cmocka_unit_test(solids_apart_and_hollows_are_filled),
        cmocka_unit_test(overlapping_parts_are_one_solid),
        cmocka_unit_test(far_from_the_origin_nothing_changes),
        cmocka_unit_test(a_margin_is_kept_free),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(a_solid_that_no_node_meets_is_refused),
        cmocka_unit_test(a_solid_too_thin_for_its_count_is_refused),
        cmocka_unit_test(arrays_are_checked),
        cmocka_unit_test(workers_change_nothing),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
