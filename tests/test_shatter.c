// Meshes broken by patterns, and the files that come of it.
#include "testing.h"

#include "bvh/triangle/triangle_distance.h"
#include "cut/pieces/pieces_save.h"
#include "fracture/shatter.h"
#include "pieces_testing.h"

// A random point of a solid's box, and a random direction.
static rblShatterDef random_def(rblRandom* random, rblMeshId solid, rblPatternKind kind)
{
    const rblMeshView view = view_of(solid);
    const rblAabbd box = rbl_mesh_bounds(&view);
    const rblVec3d at = {rbl_random_range(random, box.lower.x, box.upper.x),
                         rbl_random_range(random, box.lower.y, box.upper.y),
                         rbl_random_range(random, box.lower.z, box.upper.z)};
    const rblVec3d normal = {rbl_random_range(random, -1, 1), rbl_random_range(random, -1, 1),
                             rbl_random_range(random, 0.1, 1)};
    rblShatterDef def = rbl_default_shatter_def();
    def.pattern.kind = kind;
    def.pattern.seed = rbl_random_u64(random);
    def.pattern.pieces = 5 + rbl_random_below(random, 60);
    check_ok(rbl_shatter_place(solid, &at, &normal, &def, NULL));
    return def;
}

static void every_pattern_breaks_every_solid(void** state)
{
    (void)state;
    const char* const solids[] = {"box", "vase", "statue", "torus", "plate"};
    rblRandom random = rbl_random_seed(11, 1);
    for (uint32_t c = 0; c < 5 * RBL_PATTERN_FILE; ++c)
    {
        const rblMeshId solid = make_solid(solids[c / RBL_PATTERN_FILE]);
        const rblMeshView view = view_of(solid);
        const rblShatterDef def = random_def(&random, solid, (rblPatternKind)(c % RBL_PATTERN_FILE));
        rblPieces* pieces;
        check_ok(rbl_shatter_mesh(solid, &def, rbl_serial_jobs(), rbl_default_allocator(), &pieces));
        if (pieces->piece_count < 0.6 * def.pattern.pieces)
        {
            fail_msg("%s by %s: %u pieces of %u", solids[c / RBL_PATTERN_FILE],
                     rbl_pattern_kind_name(def.pattern.kind), pieces->piece_count, def.pattern.pieces);
        }
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_piece(pieces, p, &view, false);
        }
        check_mates(pieces);
        check_tiling(pieces, solid);
        rbl_pieces_free(pieces);
        check_ok(rbl_mesh_destroy(solid));
    }
}

static void beyond_the_radius_the_body_is_one_piece(void** state)
{
    (void)state;
    const double size[3] = {2, 1, 0.1};
    const rblSolidValue values[1] = {{"size", size, 3}};
    rblMeshId wall;
    check_ok(rbl_mesh_make("box", values, 1, &wall));
    const rblMeshView view = view_of(wall);
    rblShatterDef def = rbl_default_shatter_def();
    const rblVec3d at = {0.2, 0.1, 0.05}, normal = {0, 0, -1};
    def.pattern.radius = 0.3;
    check_ok(rbl_shatter_place(wall, &at, &normal, &def, NULL));
    rblPieces* pieces;
    check_ok(rbl_shatter_mesh(wall, &def, rbl_serial_jobs(), rbl_default_allocator(), &pieces));
    uint32_t large = 0;
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        check_piece(pieces, p, &view, false);
        large += pieces->pieces[p].mass.volume > 0.05 ? 1 : 0;
    }
    assert_int_equal(large, 1);
    check_tiling(pieces, wall);
    rbl_pieces_free(pieces);
    check_ok(rbl_mesh_destroy(wall));
}

// How near a piece comes to a point: by the triangles that it is drawn with.
static double distance_of(const rblPieces* pieces, uint32_t piece, const rblMeshView* surface, rblVec3d to)
{
    rblMeshId mesh;
    check_ok(rbl_piece_mesh(pieces, piece, surface, &mesh, NULL));
    const rblMeshView view = view_of(mesh);
    double least = (double)INFINITY;
    for (uint32_t c = 0; c + 2 < view.corner_count; c += 3)
    {
        const uint32_t* v = &view.corner_vertices[c];
        const rblTriangled triangle = {{view.positions[v[0]], view.positions[v[1]], view.positions[v[2]]}};
        least = rbl_mind(least, rbl_triangle_distance2(&triangle, to, (double)INFINITY));
    }
    check_ok(rbl_mesh_destroy(mesh));
    return sqrt(least);
}

static uint32_t largest_piece(const rblPieces* pieces)
{
    uint32_t largest = 0;
    for (uint32_t p = 1; p < pieces->piece_count; ++p)
    {
        largest = pieces->pieces[p].mass.volume > pieces->pieces[largest].mass.volume ? p : largest;
    }
    return largest;
}

// Nothing breaks off beyond the radius, also of thin and hollow things, whose nearest parts are few.
static void every_piece_but_the_rest_is_within_the_radius(void** state)
{
    (void)state;
    const struct
    {
        const char* solid;
        double radius; // by the longest side
    } cases[] = {{"wineglass", 0.1}, {"torus", 0.15}, {"statue", 0.1}, {"box", 0.25}, {"bowl", 0.2}};
    for (uint32_t c = 0; c < 5 * RBL_PATTERN_FILE; ++c)
    {
        const rblMeshId solid = make_solid(cases[c / RBL_PATTERN_FILE].solid);
        const rblMeshView view = view_of(solid);
        const rblPatternKind kind = (rblPatternKind)(c % RBL_PATTERN_FILE);
        const rblAabbd box = rbl_mesh_bounds(&view);
        const rblVec3d size = rbl_sub3d(box.upper, box.lower);
        rblShatterDef def = rbl_default_shatter_def();
        def.pattern.kind = kind;
        def.pattern.pieces = 40;
        def.pattern.radius = cases[c / RBL_PATTERN_FILE].radius * rbl_maxd(size.x, rbl_maxd(size.y, size.z));
        def.smallest_part = def.thinnest_part = 0.0;
        check_ok(rbl_shatter_place(solid, NULL, NULL, &def, NULL));
        rblPieces* pieces;
        check_ok(rbl_shatter_mesh(solid, &def, rbl_serial_jobs(), rbl_default_allocator(), &pieces));
        const uint32_t rest = pieces->pieces[largest_piece(pieces)].region;
        const bool joined =
            kind == RBL_PATTERN_SLABS || kind == RBL_PATTERN_BRICKS || kind == RBL_PATTERN_PLANES;
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            const double distance = distance_of(pieces, p, &view, def.point);
            if (pieces->pieces[p].region != rest && distance > def.pattern.radius * 1.000001)
            {
                fail_msg("%s by %s: a piece begins at %g times the radius", cases[c / RBL_PATTERN_FILE].solid,
                         rbl_pattern_kind_name(kind), distance / def.pattern.radius);
            }
            if (!joined && pieces->pieces[p].region != rest)
            {
                assert_true(rbl_distance3d(pieces->pieces[p].mass.center, def.point) <
                            1.2 * def.pattern.radius);
            }
        }
        assert_true(joined || pieces->piece_count >= 30);
        check_tiling(pieces, solid);
        rbl_pieces_free(pieces);
        check_ok(rbl_mesh_destroy(solid));
    }
}

// Finer webs do not help where hardly anything of the body is.
static void within_a_tiny_radius_nothing_breaks(void** state)
{
    (void)state;
    const rblMeshId box = make_solid("box");
    for (uint32_t kind = 0; kind < RBL_PATTERN_FILE; ++kind)
    {
        rblShatterDef def = rbl_default_shatter_def();
        def.pattern.kind = (rblPatternKind)kind;
        def.pattern.pieces = 60;
        def.pattern.radius = 1e-12;
        check_ok(rbl_shatter_place(box, NULL, NULL, &def, NULL));
        rblPieces* pieces;
        check_ok(rbl_shatter_mesh(box, &def, rbl_serial_jobs(), rbl_default_allocator(), &pieces));
        assert_int_equal(pieces->piece_count, 1);
        rbl_pieces_free(pieces);
    }
    check_ok(rbl_mesh_destroy(box));
}

static void impacts_are_put_on_the_surface(void** state)
{
    (void)state;
    const rblMeshId box = make_solid("box");
    const rblMeshView view = view_of(box);
    const rblAabbd bounds = rbl_mesh_bounds(&view);
    const rblVec3d outside = {bounds.upper.x + 3.0, 0, 0}, inside = {0.01, 0, 0};
    rblShatterDef def = rbl_default_shatter_def();
    double moved;
    check_ok(rbl_shatter_place(box, &outside, NULL, &def, &moved));
    check_close(moved, 3.0, 1e-6);
    check_close(def.point.x, bounds.upper.x, 1e-6);
    check_close(def.normal.x, -1.0, 1e-9);
    check_ok(rbl_shatter_place(box, &inside, NULL, &def, &moved));
    check_close(moved, 0.0, 0.0);
    check_close(def.point.x, 0.01, 0.0);
    check_ok(rbl_shatter_place(box, NULL, NULL, &def, &moved));
    check_close(def.point.y, bounds.upper.y, 1e-6);
    check_close(def.normal.y, -1.0, 1e-9);
    const rblVec3d nowhere = {0, (double)NAN, 0}, zero = {0, 0, 0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shatter_place(box, &nowhere, NULL, &def, &moved));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shatter_place(box, NULL, &zero, &def, &moved));
    check_ok(rbl_mesh_destroy(box));
}

// Less the square of how far the point is from the middle: what that adds is the same for all places, and hides the rest.
static double farness(rblVec3d place, rblVec3d point, rblVec3d middle)
{
    const rblVec3d arm = rbl_sub3d(place, middle);
    return rbl_dot3d(arm, rbl_sub3d(arm, rbl_scale3d(rbl_sub3d(point, middle), 2.0)));
}

static void impacts_from_afar_go_to_the_nearest_place(void** state)
{
    (void)state;
    const char* const solids[3] = {"statue", "torus", "sphere"};
    const double distances[4] = {3.0, 100.0, 1e4, 1e6};
    for (int i = 0; i < 12; ++i)
    {
        const rblMeshId solid = make_solid(solids[i / 4]);
        const rblMeshView view = view_of(solid);
        const rblAabbd box = rbl_mesh_bounds(&view);
        const rblVec3d middle = rbl_lerp3d(box.lower, box.upper, 0.5);
        const double reach = distances[i % 4] * rbl_distance3d(box.lower, box.upper);
        const rblVec3d point = rbl_mul_add3d(middle, reach, rbl_vec3d(0.36, 0.48, -0.8));
        rblShatterDef def = rbl_default_shatter_def();
        check_ok(rbl_shatter_place(solid, &point, NULL, &def, NULL));
        const double found = farness(def.point, point, middle);
        for (uint32_t v = 0; v < view.vertex_count; ++v)
        {
            const double other = farness(view.positions[v], point, middle);
            assert_true(found <= other + 1e-9 * fabs(other));
        }
        check_ok(rbl_mesh_destroy(solid));
    }
}

static void directions_may_be_of_any_length(void** state)
{
    (void)state;
    const rblMeshId box = make_solid("box");
    const double lengths[5] = {1.0, 1e-320, 1e-30, 1e30, 1e300};
    double area = 0.0;
    for (int i = 0; i < 5; ++i)
    {
        rblShatterDef def = rbl_default_shatter_def();
        def.pattern.kind = RBL_PATTERN_SPLINTERS;
        const rblVec3d normal = {0, 0, -lengths[i]};
        def.pattern.axis = rbl_vec3d(lengths[i], 0, 0);
        check_ok(rbl_shatter_place(box, NULL, &normal, &def, NULL));
        rblPieces* pieces;
        check_ok(rbl_shatter_mesh(box, &def, rbl_serial_jobs(), rbl_default_allocator(), &pieces));
        assert_true(i == 0 || pieces->crack_area == area);
        area = pieces->crack_area;
        rbl_pieces_free(pieces);
    }
    check_ok(rbl_mesh_destroy(box));
}

static void definitions_that_make_no_sense_are_refused(void** state)
{
    (void)state;
    const rblMeshId box = make_solid("box");
    rblPieces* pieces = NULL;
    for (int k = 0; k < 8; ++k)
    {
        rblShatterDef def = rbl_default_shatter_def();
        def.pattern.pieces = k == 0 ? 0 : (k == 1 ? 1000000 : 25);
        def.normal = k == 2 ? rbl_vec3d(0, 0, 0) : def.normal;
        def.point.x = k == 3 ? (double)INFINITY : 0.0;
        def.smallest_part = k == 4 ? -1.0 : 0.0;
        def.thinnest_part = k == 5 ? (double)NAN : 0.0;
        def.pattern.aspect = k == 6 ? 1e-300 : (k == 7 ? 1e9 : 0.0);
        check_fails(RBL_ERROR_ARGUMENT,
                    rbl_shatter_mesh(box, &def, rbl_serial_jobs(), rbl_default_allocator(), &pieces));
        assert_null(pieces);
    }
    check_ok(rbl_mesh_destroy(box));
    assert_int_equal(rbl_bvh_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pattern_breaks_every_solid),
        cmocka_unit_test(beyond_the_radius_the_body_is_one_piece),
        cmocka_unit_test(every_piece_but_the_rest_is_within_the_radius),
        cmocka_unit_test(within_a_tiny_radius_nothing_breaks),
        cmocka_unit_test(impacts_are_put_on_the_surface),
        cmocka_unit_test(impacts_from_afar_go_to_the_nearest_place),
        cmocka_unit_test(directions_may_be_of_any_length),
        cmocka_unit_test(definitions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
