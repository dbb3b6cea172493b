// Cuts by tetrahedra that could go wrong: cracks on faces, edges and vertices of the surface, surfaces on faces of the mesh, cavities,
// several solids in one, thin ones; and bad input.
#include "testing.h"

#include "tets_cut_testing.h"

// ---- boxes ----

typedef struct Soup
{
    rblVec3d positions[64];
    uint32_t starts[64], corners[256];
    uint32_t vertex_count, face_count;
} Soup;

// Six quads, outwards, or inwards for a cavity.
static void add_box(Soup* soup, rblVec3d lower, rblVec3d upper, bool inwards)
{
    const uint32_t sides[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                  {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    const uint32_t base = soup->vertex_count;
    for (uint32_t k = 0; k < 8; ++k)
    {
        soup->positions[soup->vertex_count++] =
            rbl_vec3d(k & 1 ? upper.x : lower.x, k & 2 ? upper.y : lower.y, k & 4 ? upper.z : lower.z);
    }
    for (uint32_t f = 0; f < 6; ++f)
    {
        for (uint32_t k = 0; k < 4; ++k)
        {
            soup->corners[4 * soup->face_count + k] = base + sides[f][inwards ? 3 - k : k];
        }
        soup->face_count += 1;
        soup->starts[soup->face_count] = 4 * soup->face_count;
    }
}

static rblMeshId finish(const Soup* soup)
{
    const rblMeshView view = {.vertex_count = soup->vertex_count,
                              .face_count = soup->face_count,
                              .corner_count = soup->starts[soup->face_count],
                              .positions = soup->positions,
                              .face_starts = soup->starts,
                              .corner_vertices = soup->corners};
    rblMeshId mesh;
    check_ok(rbl_mesh_create(&view, &mesh));
    return mesh;
}

static rblMeshId make_box(rblVec3d lower, rblVec3d upper)
{
    Soup soup = {.vertex_count = 0};
    add_box(&soup, lower, upper, false);
    return finish(&soup);
}

// Crumbs of no volume may remain where a crack lies in a face; all else is as always.
static void check_tied(const Broken* broken, uint32_t least)
{
    rblPieces* pieces = cut_broken(broken, RBL_NONE, NULL, rbl_serial_jobs());
    assert_true(pieces->piece_count >= least);
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        check_closed_piece(pieces, p, &broken->view, true, false);
    }
    check_mates(pieces);
    rblMassProperties whole;
    check_ok(rbl_mesh_mass_properties(broken->solid, 1.0, &whole));
    check_relative(sum_volumes(pieces), whole.volume, 1e-10);
    rbl_pieces_free(pieces);
    const rblCutOptions options = {.smallest_volume = 1e-6 * whole.volume};
    pieces = cut_broken(broken, RBL_NONE, &options, rbl_serial_jobs());
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        assert_true(pieces->pieces[p].mass.volume >= 1e-6 * whole.volume);
        check_closed_piece(pieces, p, &broken->view, true, false);
    }
    check_relative(sum_volumes(pieces), whole.volume, 1e-10);
    rbl_pieces_free(pieces);
}

// ---- ties ----

static void cracks_may_lie_in_faces_edges_and_vertices(void** state)
{
    (void)state;
    // In a face, just beside it, along a diagonal, through two edges, through one vertex, through the middle of a vertex-rich grid.
    const Plane planes[] = {{{1, 0, 0}, 0.5},  {{1, 0, 0}, 0.5 - 1e-16}, {{1, 0, 0}, 0.5 - 1e-13},
                            {{-1, 0, 0}, 0.5}, {{0, 0.1, 0}, 0.03},      {{1, 1, 0}, 0.0},
                            {{1, -1, 0}, 0.0}, {{1, 1, 1}, 0.5},         {{1, 1, 1}, 1.5},
                            {{0, 0, 1}, 0.0},  {{1, 2, 0}, 0.5}};
    for (size_t c = 0; c < sizeof planes / sizeof planes[0]; ++c)
    {
        for (uint32_t size = 200; size <= 2000; size *= 10)
        {
            Broken broken;
            begin_broken_mesh(&broken, make_box(rbl_vec3d(-0.5, -0.5, -0.5), rbl_vec3d(0.5, 0.5, 0.5)), size);
            break_by_function(&broken, 0, plane, &planes[c]);
            check_tied(&broken, 1);
            free_broken(&broken);
        }
    }
}

// The lattice's own planes: equal weights put every corner on a coordinate that the surface has, too.
static void equal_weights_are_no_worse_than_others(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(41, 1);
    for (uint32_t c = 0; c < 6; ++c)
    {
        Broken broken;
        begin_broken_mesh(&broken, make_box(rbl_vec3d(-1, -0.5, -0.25), rbl_vec3d(1, 0.5, 0.25)), 400);
        const uint32_t e = add_event(&broken, 0);
        for (uint32_t n = 0; n < broken.mesh->node_count; ++n)
        {
            broken.labels[e][n] = rbl_random_below(&random, 2 + c);
            broken.weights[e][n] = 1.0;
        }
        end_event(&broken, e);
        check_tied(&broken, 2);
        free_broken(&broken);
    }
}

// Cracks shifted off the face that they lay in leave holes in its parts that come as near to each other as the shift: bridges
// between them must be found exactly.
static void holes_that_nearly_touch_are_bridged(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(60, 9);
    (void)rbl_random_below(&random, 16);
    Broken broken;
    begin_broken(&broken, "box", 100 + rbl_random_below(&random, 1500));
    (void)rbl_random_below(&random, 5);
    (void)rbl_random_below(&random, 4);
    const uint32_t e = add_event(&broken, 0), labels = 2 + rbl_random_below(&random, 5);
    const bool equal = rbl_random_below(&random, 2) != 0;
    for (uint32_t n = 0; n < broken.mesh->node_count; ++n)
    {
        broken.labels[e][n] = rbl_random_below(&random, labels);
        broken.weights[e][n] = equal ? 1.0 : rbl_random_double(&random);
    }
    end_event(&broken, e);
    check_tied(&broken, 2);
    free_broken(&broken);
}

// The border of the solid's tetrahedra as the surface: each triangle is a face of the mesh, and every cut edge one of its sides.
static void the_tetrahedra_s_own_surface_can_be_cut(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(42, 1);
    const char* const some[] = {"sphere", "box", "torus"};
    for (uint32_t c = 0; c < 3; ++c)
    {
        Broken drawn, broken;
        begin_broken(&drawn, some[c], 500);
        break_by_seeds(&drawn, 0, 6, &random);
        broken = drawn;
        check_ok(rbl_tets_surface(drawn.id, false, &broken.solid));
        broken.view = view_of(broken.solid);
        check_ok(rbl_tets_surface_create(&broken.view, drawn.tets, rbl_default_allocator(), &broken.surface));
        broken.partition.events = broken.events;
        check_tied(&broken, 2);
        rbl_tets_surface_free(broken.surface);
        check_ok(rbl_mesh_destroy(broken.solid));
        free_broken(&drawn);
    }
}

// ---- odd solids ----

static void check_seeds(rblMeshId solid, uint32_t tets, uint32_t seeds, uint32_t least, rblRandom* random)
{
    Broken broken;
    begin_broken_mesh(&broken, solid, tets);
    break_by_seeds(&broken, 0, seeds, random);
    rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
    assert_true(pieces->piece_count >= least);
    check_pieces(&broken, pieces, false);
    rbl_pieces_free(pieces);
    free_broken(&broken);
}

static void cavities_and_several_solids_are_tiled(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(43, 1);
    for (uint32_t seeds = 2; seeds <= 20; seeds += 6)
    {
        Soup nested = {.vertex_count = 0};
        add_box(&nested, rbl_vec3d(-1, -1, -1), rbl_vec3d(1, 1, 1), false);
        add_box(&nested, rbl_vec3d(-0.6, -0.6, -0.6), rbl_vec3d(0.6, 0.6, 0.6), true);
        check_seeds(finish(&nested), 1500, seeds, 2, &random);
        add_box(&nested, rbl_vec3d(-0.3, -0.3, -0.3), rbl_vec3d(0.3, 0.3, 0.3), false);
        check_seeds(finish(&nested), 1500, seeds, 3, &random);
        Soup several = {.vertex_count = 0};
        add_box(&several, rbl_vec3d(-1, -1, -1), rbl_vec3d(-0.2, 1, 1), false);
        add_box(&several, rbl_vec3d(0.2, -1, -1), rbl_vec3d(1, 1, 1), false);
        check_seeds(finish(&several), 1500, seeds, 2, &random);
    }
}

// One or two cubes of the lattice thick: cracks meet both sides.
static void thin_plates_are_tiled(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(44, 1);
    for (uint32_t c = 0; c < 3; ++c)
    {
        Broken broken;
        const double half = 0.5 * c + 0.6; // of the lattice's edge, nearly: never as thick as two
        const rblMeshId solid = make_box(rbl_vec3d(-15, -10, -half), rbl_vec3d(15, 10, half));
        begin_broken_edge(&broken, solid, 1.0);
        break_by_seeds(&broken, 0, 12, &random);
        rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
        assert_true(pieces->piece_count >= 2);
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_closed_piece(pieces, p, &broken.view, true, false);
        }
        check_mates(pieces);
        check_relative(sum_volumes(pieces), 1200.0 * half, 1e-10);
        rbl_pieces_free(pieces);
        free_broken(&broken);
    }
}

// Far from the origin coordinates are coarse.
static void solids_far_away_are_tiled(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(45, 1);
    Broken broken;
    const rblVec3d at = {1000.3, -2000.7, 500.1};
    begin_broken_mesh(&broken, make_box(at, rbl_add3d(at, rbl_vec3d(0.3, 0.2, 0.1))), 1000);
    break_by_seeds(&broken, 0, 8, &random);
    rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        check_closed_piece(pieces, p, &broken.view, true, false);
    }
    check_mates(pieces);
    check_relative(sum_volumes(pieces), 0.3 * 0.2 * 0.1, 1e-9);
    rbl_pieces_free(pieces);
    free_broken(&broken);
}

// ---- bad input ----

static void bad_input_is_refused_by_name(void** state)
{
    (void)state;
    Broken broken;
    begin_broken(&broken, "box", 200);
    const Plane middle = {{1, 0, 0}, 0.001};
    break_by_function(&broken, 0, plane, &middle);
    rblPieces* pieces = NULL;
    const rblAllocator* allocator = rbl_default_allocator();
    check_fails(RBL_ERROR_ARGUMENT, rbl_cut_by_tets(NULL, &broken.partition, RBL_NONE, NULL,
                                                    rbl_serial_jobs(), allocator, &pieces));
    check_fails(RBL_ERROR_ARGUMENT, rbl_cut_by_tets(broken.surface, &broken.partition, 1, NULL,
                                                    rbl_serial_jobs(), allocator, &pieces));
    const rblCutOptions negative = {.smallest_volume = -1};
    check_fails(RBL_ERROR_ARGUMENT, rbl_cut_by_tets(broken.surface, &broken.partition, RBL_NONE, &negative,
                                                    rbl_serial_jobs(), allocator, &pieces));
    Broken other;
    begin_broken_mesh(&other, make_box(rbl_vec3d(5, 5, 5), rbl_vec3d(6, 6, 6)), 200);
    check_fails(RBL_ERROR_ARGUMENT, rbl_cut_by_tets(other.surface, &broken.partition, RBL_NONE, NULL,
                                                    rbl_serial_jobs(), allocator, &pieces));
    rblTetsSurface* surface = NULL;
    check_fails(RBL_ERROR_GEOMETRY, rbl_tets_surface_create(&other.view, broken.tets, allocator, &surface));
    assert_null(pieces);
    assert_null(surface);
    free_broken(&other);
    free_broken(&broken);
}

// Without a face where it is cut, and inside out.
static void open_and_inverted_surfaces_are_refused(void** state)
{
    (void)state;
    Broken broken;
    begin_broken_mesh(&broken, make_box(rbl_vec3d(-0.5, -0.5, -0.5), rbl_vec3d(0.5, 0.5, 0.5)), 300);
    const Plane middle = {{1, 0, 0}, 0.01};
    break_by_function(&broken, 0, plane, &middle);
    for (uint32_t c = 0; c < 2; ++c)
    {
        Soup soup = {.vertex_count = 0};
        add_box(&soup, rbl_vec3d(-0.5, -0.5, -0.5), rbl_vec3d(0.5, 0.5, 0.5), c == 1);
        soup.face_count -= c == 0 ? 1 : 0;
        const rblMeshId bad = finish(&soup);
        const rblMeshView view = view_of(bad);
        rblTetsSurface* surface;
        rblPieces* pieces = NULL;
        check_ok(rbl_tets_surface_create(&view, broken.tets, rbl_default_allocator(), &surface));
        check_fails(RBL_ERROR_GEOMETRY, rbl_cut_by_tets(surface, &broken.partition, RBL_NONE, NULL,
                                                        rbl_serial_jobs(), rbl_default_allocator(), &pieces));
        assert_null(pieces);
        rbl_tets_surface_free(surface);
        check_ok(rbl_mesh_destroy(bad));
    }
    free_broken(&broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cracks_may_lie_in_faces_edges_and_vertices),
        cmocka_unit_test(equal_weights_are_no_worse_than_others),
        cmocka_unit_test(holes_that_nearly_touch_are_bridged),
        cmocka_unit_test(the_tetrahedra_s_own_surface_can_be_cut),
        cmocka_unit_test(cavities_and_several_solids_are_tiled),
        cmocka_unit_test(thin_plates_are_tiled),
        cmocka_unit_test(solids_far_away_are_tiled),
        cmocka_unit_test(bad_input_is_refused_by_name),
        cmocka_unit_test(open_and_inverted_surfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
