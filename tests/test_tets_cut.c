// Surfaces cut by the tetrahedra around them: whatever the labels, the pieces tile the solid.
#include "testing.h"

#include "failing_allocator.h"
#include "tets_cut_testing.h"

static const char* const kinds[] = {"box",    "brick", "sphere",    "torus",    "vase", "column",
                                    "statue", "plate", "piggybank", "cylinder", "rock", "bowl"};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

static void solids_broken_by_seeds_are_tiled(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(21, 1);
    for (uint32_t c = 0; c < KIND_COUNT; ++c)
    {
        Broken broken;
        begin_broken(&broken, kinds[c], c % 2 == 0 ? 300 : 1500);
        break_by_seeds(&broken, 0, 2 + 5 * (c % 6), &random);
        rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
        assert_true(pieces->piece_count >= 2);
        check_pieces(&broken, pieces, false);
        rbl_pieces_free(pieces);
        free_broken(&broken);
    }
}

// Any label on any node: every tetrahedron is divided, many in four.
static void labels_without_any_order_are_tiled(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(22, 1);
    for (uint32_t c = 0; c < KIND_COUNT; c += 3)
    {
        Broken broken;
        begin_broken(&broken, kinds[c], 300);
        const uint32_t e = add_event(&broken, 0);
        for (uint32_t n = 0; n < broken.mesh->node_count; ++n)
        {
            broken.labels[e][n] = rbl_random_below(&random, 5);
            broken.weights[e][n] = rbl_random_range(&random, 0.0, 1.0);
        }
        end_event(&broken, e);
        rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
        check_pieces(&broken, pieces, false);
        rbl_pieces_free(pieces);
        free_broken(&broken);
    }
}

static void pieces_do_not_meet_themselves(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(23, 1);
    const char* const some[] = {"box", "sphere", "statue", "torus", "piggybank"};
    for (uint32_t c = 0; c < 5; ++c)
    {
        Broken broken;
        begin_broken(&broken, some[c], 1500);
        break_by_seeds(&broken, 0, 9, &random);
        rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
        check_pieces(&broken, pieces, true);
        rbl_pieces_free(pieces);
        free_broken(&broken);
    }
}

// ---- functions ----

typedef struct Ball
{
    rblVec3d center;
    double radius;
} Ball;

static double ball(rblVec3d p, const void* context)
{
    const Ball* b = context;
    return rbl_distance3d(p, b->center) - b->radius;
}

static void planes_and_balls_cut_what_they_should(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(24, 1);
    for (uint32_t c = 0; c < KIND_COUNT; c += 2)
    {
        Broken broken;
        begin_broken(&broken, kinds[c], 1000);
        const rblAabbd box = rbl_mesh_bounds(&broken.view);
        const rblVec3d middle = {rbl_random_range(&random, box.lower.x, box.upper.x),
                                 rbl_random_range(&random, box.lower.y, box.upper.y),
                                 rbl_random_range(&random, box.lower.z, box.upper.z)};
        const Plane cut = {{rbl_random_range(&random, -1, 1), rbl_random_range(&random, -1, 1), 0.3}, 0};
        const Plane through = {cut.normal, rbl_dot3d(cut.normal, middle)};
        const Ball around = {middle, 0.3 * rbl_distance3d(box.lower, box.upper)};
        if (c % 4 == 0)
        {
            break_by_function(&broken, 0, plane, &through);
        }
        else
        {
            break_by_function(&broken, 0, ball, &around);
        }
        rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
        check_pieces(&broken, pieces, false);
        rbl_pieces_free(pieces);
        free_broken(&broken);
    }
}

// Where the mesh is fine enough a plane is cut exactly: the tetrahedra do not show.
static void a_plane_halves_a_box(void** state)
{
    (void)state;
    Broken broken;
    begin_broken(&broken, "box", 3000);
    rblMassProperties whole;
    check_ok(rbl_mesh_mass_properties(broken.solid, 1.0, &whole));
    const Plane middle = {{0.6, 0.8, 0}, rbl_dot3d(rbl_vec3d(0.6, 0.8, 0), whole.center)};
    break_by_function(&broken, 0, plane, &middle);
    rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
    assert_int_equal(pieces->piece_count, 2);
    check_pieces(&broken, pieces, true);
    check_relative(pieces->pieces[0].mass.volume, 0.5 * whole.volume,
                   2e-3); // nodes near the plane are cut where the margin is
    rbl_pieces_free(pieces);
    free_broken(&broken);
}

// A crack that does not reach the surface: its winding is asked of a ray.
static void a_ball_within_is_a_piece_of_its_own(void** state)
{
    (void)state;
    Broken broken;
    begin_broken(&broken, "sphere", 4000);
    const rblAabbd box = rbl_mesh_bounds(&broken.view);
    const Ball inner = {rbl_lerp3d(box.lower, box.upper, 0.5), 0.3 * (box.upper.x - box.lower.x)};
    break_by_function(&broken, 0, ball, &inner);
    rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
    assert_int_equal(pieces->piece_count, 2);
    check_pieces(&broken, pieces, true);
    uint32_t enclosed = 0;
    for (uint32_t p = 0; p < 2; ++p)
    {
        enclosed += pieces->pieces[p].first_triangle == pieces->pieces[p].end_triangle ? 1 : 0;
    }
    assert_int_equal(enclosed, 1);
    for (uint32_t f = 0; f < pieces->face_count; ++f)
    {
        assert_int_equal(pieces->faces[f].triangle, RBL_NONE);
    }
    rbl_pieces_free(pieces);
    free_broken(&broken);
}

// ---- points ----

// How often a closed mesh of triangles winds around a point: triangles that a ray along x passes. For random points.
static int winding_at(const rblMeshView* view, rblVec3d p)
{
    int winding = 0;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        rblVec3d v[3];
        for (uint32_t k = 0; k < 3; ++k)
        {
            v[k] = rbl_sub3d(view->positions[view->corner_vertices[view->face_starts[f] + k]], p);
        }
        const double ab = v[0].y * v[1].z - v[0].z * v[1].y;
        const double bc = v[1].y * v[2].z - v[1].z * v[2].y;
        const double ca = v[2].y * v[0].z - v[2].z * v[0].y;
        const bool left = ab > 0.0 && bc > 0.0 && ca > 0.0;
        const bool right = ab < 0.0 && bc < 0.0 && ca < 0.0;
        if (left || right)
        {
            const double x = (bc * v[0].x + ca * v[1].x + ab * v[2].x) / (ab + bc + ca);
            winding += x > 0.0 ? (left ? 1 : -1) : 0;
        }
    }
    return winding;
}

// The piece at a point is of the label that the rule says there.
static void check_point(const Broken* broken, const rblPieces* pieces, const rblMeshView* drawn, rblVec3d at,
                        int expected)
{
    const uint32_t tet = rbl_tets_find(broken->tets, at);
    rblTetRule rule;
    rblVec3d corners[4];
    double b[4];
    rbl_tets_rule(&broken->partition, tet, &rule);
    rbl_tet_corners(broken->mesh, tet, corners);
    rbl_tet_barycentric(corners, at, b);
    const uint32_t label = rule.labels[rbl_tet_part(&rule, b)];
    int sum = 0;
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        const int winding = winding_at(&drawn[p], at);
        sum += winding;
        assert_true(winding == 0 || pieces->pieces[p].region == label);
    }
    assert_int_equal(sum, expected);
}

static void every_point_inside_is_in_the_piece_of_its_label(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(25, 1);
    const char* const some[] = {"torus", "box", "bowl"};
    for (uint32_t c = 0; c < 3; ++c)
    {
        Broken broken;
        begin_broken(&broken, some[c], 400);
        break_by_seeds(&broken, 0, 8, &random);
        rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
        rblMeshId triangles, meshes[64];
        rblMeshView drawn[64];
        check_ok(rbl_mesh_triangulate(broken.solid, &triangles));
        assert_true(pieces->piece_count <= 64);
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_ok(rbl_piece_mesh(pieces, p, &broken.view, &meshes[p], NULL));
            drawn[p] = view_of(meshes[p]);
        }
        const rblMeshView whole = view_of(triangles);
        const rblAabbd box = rbl_mesh_bounds(&whole);
        for (uint32_t inside = 0; inside < 2000;)
        {
            const rblVec3d at = {rbl_random_range(&random, box.lower.x, box.upper.x),
                                 rbl_random_range(&random, box.lower.y, box.upper.y),
                                 rbl_random_range(&random, box.lower.z, box.upper.z)};
            const int expected = winding_at(&whole, at);
            if (expected > 0)
            {
                check_point(&broken, pieces, drawn, at, expected);
                inside += 1;
            }
        }
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_ok(rbl_mesh_destroy(meshes[p]));
        }
        check_ok(rbl_mesh_destroy(triangles));
        rbl_pieces_free(pieces);
        free_broken(&broken);
    }
}

// ---- what stays as it is ----

static void only_triangles_with_several_labels_are_cut(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(26, 1);
    Broken broken;
    begin_broken(&broken, "statue", 3000);
    break_by_seeds(&broken, 0, 5, &random);
    rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
    rblIndexArray corners;
    rbl_array_init(&corners, rbl_default_allocator());
    check_ok(rbl_triangulate_corners(&broken.view, &corners, NULL));
    const size_t count = corners.count / 3;
    uint8_t* seen = calloc(count, 1); // 1: whole, 2: cut, 3: cut into parts of different labels
    uint32_t* cells = calloc(count, sizeof *cells);
    for (uint32_t t = 0; t < pieces->triangle_count; ++t)
    {
        seen[pieces->triangles[t]] += 1;
    }
    for (uint32_t f = 0; f < pieces->face_count; ++f)
    {
        if (pieces->faces[f].triangle != RBL_NONE)
        {
            const uint32_t t = pieces->faces[f].triangle, cell = pieces->faces[f].cell;
            assert_true(seen[t] != 1);
            seen[t] = seen[t] == 3 || (seen[t] == 2 && cells[t] != cell) ? 3 : 2;
            cells[t] = cell;
        }
    }
    uint32_t cut = 0;
    for (size_t t = 0; t < count; ++t)
    {
        assert_true(seen[t] == 1 || seen[t] == 3);
        cut += seen[t] == 3 ? 1 : 0;
    }
    assert_true(cut > 50 && cut < count / 2);
    free(seen);
    free(cells);
    rbl_array_free(&corners);
    rbl_pieces_free(pieces);
    free_broken(&broken);
}

#define MAX_CRACKS 20000

static void mates_have_the_same_triangles_turned_over(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(27, 1);
    Broken broken;
    begin_broken(&broken, "torus", 1000);
    break_by_seeds(&broken, 0, 7, &random);
    rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
    double(*sides[2])[9] = {malloc(sizeof(double[9]) * MAX_CRACKS), malloc(sizeof(double[9]) * MAX_CRACKS)};
    uint32_t counts[2] = {0, 0};
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        rblMeshId mesh;
        uint32_t* faces;
        check_ok(rbl_piece_mesh(pieces, p, &broken.view, &mesh, &faces));
        const rblMeshView piece = view_of(mesh);
        for (uint32_t f = 0; f < piece.face_count; ++f)
        {
            const bool crack = faces[f] != RBL_NONE && pieces->faces[faces[f]].triangle == RBL_NONE;
            assert_int_equal(piece.face_origins[f] == RBL_NONE, crack);
            if (crack)
            {
                const uint32_t side = pieces->faces[faces[f]].reversed ? 1 : 0;
                assert_true(counts[side] < MAX_CRACKS);
                canonical_triangle(&piece, f, side == 1, sides[side][counts[side]++]);
            }
        }
        RBL_FREE_ARRAY(pieces->allocator, faces, piece.face_count);
        check_ok(rbl_mesh_destroy(mesh));
    }
    assert_true(counts[0] > 100);
    assert_int_equal(counts[0], counts[1]);
    qsort(sides[0], counts[0], sizeof *sides[0], compare_triangles);
    qsort(sides[1], counts[1], sizeof *sides[1], compare_triangles);
    assert_memory_equal(sides[0], sides[1], sizeof *sides[0] * counts[0]);
    free(sides[0]);
    free(sides[1]);
    rbl_pieces_free(pieces);
    free_broken(&broken);
}

// ---- fragments of fragments ----

static double volume_of_region(const rblPieces* pieces, uint32_t region)
{
    double sum = 0.0;
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        sum += pieces->pieces[p].region == region ? pieces->pieces[p].mass.volume : 0.0;
    }
    return sum;
}

// The label with most volume.
static uint32_t largest_region(const rblPieces* pieces)
{
    uint32_t best = 0;
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        best = pieces->pieces[p].mass.volume > pieces->pieces[best].mass.volume ? p : best;
    }
    return pieces->pieces[best].region;
}

static void fragments_break_again_and_nothing_is_lost(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(28, 1);
    const char* const some[] = {"box", "torus", "statue", "plate"};
    for (uint32_t c = 0; c < 4; ++c)
    {
        Broken broken;
        begin_broken(&broken, some[c], 3000);
        break_by_seeds(&broken, 0, 3, &random);
        for (uint32_t e = 1; e < MAX_EVENTS; ++e)
        {
            rblPieces* before = cut_broken(&broken, e - 1, NULL, rbl_serial_jobs());
            const uint32_t kept = largest_region(before);
            break_by_seeds(&broken, kept, 3, &random);
            rblPieces* pieces = cut_broken(&broken, e, NULL, rbl_serial_jobs());
            assert_true(pieces->piece_count >= 2);
            check_relative(sum_volumes(pieces), volume_of_region(before, kept), 1e-10);
            uint32_t old = 0;
            for (uint32_t f = 0; f < pieces->face_count; ++f)
            {
                const rblPieceFace* face = &pieces->faces[f];
                old += face->triangle == RBL_NONE && face->mate == RBL_NONE ? 1 : 0;
                assert_true(face->mate == RBL_NONE || pieces->faces[face->mate].mate == f);
            }
            assert_true(old > 0);
            for (uint32_t p = 0; p < pieces->piece_count; ++p)
            {
                check_piece(pieces, p, &broken.view, false);
            }
            rbl_pieces_free(before);
            rbl_pieces_free(pieces);
        }
        rblPieces* all = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
        check_pieces(&broken, all, false);
        rbl_pieces_free(all);
        free_broken(&broken);
    }
}

static void crumbs_are_merged_and_nothing_is_lost(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(29, 1);
    for (uint32_t c = 0; c < KIND_COUNT; c += 3)
    {
        Broken broken;
        begin_broken(&broken, kinds[c], 1000);
        break_by_seeds(&broken, 0, 40, &random);
        rblMassProperties whole;
        check_ok(rbl_mesh_mass_properties(broken.solid, 1.0, &whole));
        const rblCutOptions options = {.smallest_volume = 0.02 * whole.volume, .max_pieces = 20};
        rblPieces* pieces = cut_broken(&broken, RBL_NONE, &options, rbl_serial_jobs());
        assert_true(pieces->piece_count <= 20 && pieces->merged > 0);
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            assert_true(pieces->pieces[p].mass.volume >= 0.02 * whole.volume);
        }
        check_pieces(&broken, pieces, false);
        rbl_pieces_free(pieces);
        free_broken(&broken);
    }
}

// ---- threads and memory ----

static void any_number_of_workers_gives_the_same_bits(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(30, 1);
    Broken broken;
    begin_broken(&broken, "piggybank", 3000);
    break_by_seeds(&broken, 0, 12, &random);
    rblPieces* expected = cut_broken(&broken, RBL_NONE, NULL, rbl_serial_jobs());
    const uint32_t workers[] = {1, 2, 3, 8};
    for (uint32_t w = 0; w < 4; ++w)
    {
        rblJobs* jobs;
        const rblTasks tasks = tasks_of(workers[w]);
        check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
        rblPieces* pieces = cut_broken(&broken, RBL_NONE, NULL, jobs);
        check_same_pieces(expected, pieces);
        rbl_pieces_free(pieces);
        rbl_jobs_destroy(jobs);
    }
    rbl_pieces_free(expected);
    free_broken(&broken);
}

static void memory_may_run_out_anywhere(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(31, 1);
    Broken broken;
    begin_broken(&broken, "box", 200);
    break_by_seeds(&broken, 0, 5, &random);
    bool finished = false;
    for (size_t granted = 0; !finished; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblTetsSurface* surface = NULL;
        rblPieces* pieces = NULL;
        rblResult result = rbl_tets_surface_create(&broken.view, broken.tets, &memory.allocator, &surface);
        if (result == RBL_OK)
        {
            result = rbl_cut_by_tets(surface, &broken.partition, RBL_NONE, NULL, rbl_serial_jobs(),
                                     &memory.allocator, &pieces);
        }
        finished = result == RBL_OK;
        if (!finished)
        {
            assert_int_equal(result, RBL_ERROR_MEMORY);
            assert_null(pieces);
        }
        rbl_pieces_free(pieces);
        rbl_tets_surface_free(surface);
        assert_int_equal(memory.live, 0);
    }
    free_broken(&broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solids_broken_by_seeds_are_tiled),
        cmocka_unit_test(labels_without_any_order_are_tiled),
        cmocka_unit_test(pieces_do_not_meet_themselves),
        cmocka_unit_test(planes_and_balls_cut_what_they_should),
        cmocka_unit_test(a_plane_halves_a_box),
        cmocka_unit_test(a_ball_within_is_a_piece_of_its_own),
        cmocka_unit_test(every_point_inside_is_in_the_piece_of_its_label),
        cmocka_unit_test(only_triangles_with_several_labels_are_cut),
        cmocka_unit_test(mates_have_the_same_triangles_turned_over),
        cmocka_unit_test(fragments_break_again_and_nothing_is_lost),
        cmocka_unit_test(crumbs_are_merged_and_nothing_is_lost),
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
        cmocka_unit_test(memory_may_run_out_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
