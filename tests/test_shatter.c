// Meshes broken by patterns, and the files that come of it.
#include "testing.h"

#include "fracture/pieces_save.h"
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

static void definitions_that_make_no_sense_are_refused(void** state)
{
    (void)state;
    const rblMeshId box = make_solid("box");
    rblPieces* pieces = NULL;
    for (int k = 0; k < 6; ++k)
    {
        rblShatterDef def = rbl_default_shatter_def();
        def.pattern.pieces = k == 0 ? 0 : (k == 1 ? 1000000 : 25);
        def.normal = k == 2 ? rbl_vec3d(0, 0, 0) : def.normal;
        def.point.x = k == 3 ? (double)INFINITY : 0.0;
        def.smallest_part = k == 4 ? -1.0 : 0.0;
        def.thinnest_part = k == 5 ? (double)NAN : 0.0;
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
        cmocka_unit_test(impacts_are_put_on_the_surface),
        cmocka_unit_test(definitions_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
