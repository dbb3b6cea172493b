// Solids cut into pieces: whatever the solid, the cells and the pose, the pieces tile it.
#include "testing.h"

#include "failing_allocator.h"
#include "pieces_testing.h"
#include "random_point.h"

static const char* const kinds[] = {"box",      "brick",  "wall",   "sphere", "icosphere", "torus",
                                    "vase",     "column", "statue", "plate",  "bowl",      "piggybank",
                                    "cylinder", "rock",   "tile",   "lathe"};
#define KIND_COUNT (sizeof kinds / sizeof kinds[0])

static rblAabbd bounds_of(rblMeshId mesh)
{
    const rblMeshView view = view_of(mesh);
    return rbl_mesh_bounds(&view);
}

// A solid among random cells.
typedef struct Scored
{
    rblMeshId solid;
    rblMeshView view;
    rblCells* cells;
} Scored;

static Scored make_scored(const char* kind, uint64_t seed, uint32_t cell_count, double unevenness)
{
    const rblMeshId solid = make_solid(kind);
    return (Scored){solid, view_of(solid),
                    make_random_cells(seed, cell_count, grown(bounds_of(solid), 0.1), unevenness)};
}

static void free_scored(const Scored* s)
{
    rbl_cells_free(s->cells);
    check_ok(rbl_mesh_destroy(s->solid));
}

// A random rotation and size, and the cells' box around where that takes the solid.
typedef struct Pose
{
    rblMat3d linear;
    rblVec3d offset;
    rblAabbd box;
} Pose;

static Pose random_pose(rblRandom* random, rblAabbd bounds)
{
    rblVec3d axes[3];
    for (int k = 0; k < 3; ++k)
    {
        axes[k] = random_vec3d(random, -1, 1);
    }
    const double size = rbl_random_range(random, 0.1, 10.0);
    const rblVec3d x = rbl_normalize3d(axes[0], rbl_vec3d(1, 0, 0));
    const rblVec3d z = rbl_normalize3d(rbl_cross3d(x, axes[1]), rbl_vec3d(0, 0, 1));
    const rblVec3d y = rbl_cross3d(z, x);
    Pose pose = {
        {rbl_scale3d(x, size), rbl_scale3d(y, size), rbl_scale3d(z, size)}, axes[2], {{0, 0, 0}, {0, 0, 0}}};
    const rblVec3d middle = rbl_lerp3d(bounds.lower, bounds.upper, 0.5);
    const rblVec3d center = rbl_add3d(rbl_mat3d_apply(&pose.linear, middle), pose.offset);
    const double reach = 0.51 * size * rbl_distance3d(bounds.lower, bounds.upper);
    const rblVec3d r = {reach, reach, reach};
    pose.box = (rblAabbd){rbl_sub3d(center, r), rbl_add3d(center, r)};
    return pose;
}

static rblPieces* cut_randomly(rblRandom* random, rblMeshId solid, rblCells** cells)
{
    const rblMeshView view = view_of(solid);
    const Pose pose = random_pose(random, rbl_mesh_bounds(&view));
    const uint32_t count = 1 + rbl_random_below(random, 60);
    const uint64_t seed = rbl_random_u64(random);
    *cells = make_random_cells(seed, count, pose.box, rbl_random_double(random));
    rblPieces* pieces;
    check_ok(rbl_cut_pieces(&view, *cells, &pose.linear, pose.offset, NULL, rbl_serial_jobs(),
                            rbl_default_allocator(), &pieces));
    return pieces;
}

static void random_solids_in_random_cells_are_tiled(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(4, 1);
    for (uint32_t c = 0; c < 4 * KIND_COUNT; ++c)
    {
        const rblMeshId solid = make_solid(kinds[c % KIND_COUNT]);
        const rblMeshView view = view_of(solid);
        rblCells* cells;
        rblPieces* pieces = cut_randomly(&random, solid, &cells);
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            assert_true(pieces->pieces[p].mass.volume > 0.0);
            check_piece(pieces, p, &view, false);
        }
        check_mates(pieces);
        check_tiling(pieces, solid);
        rbl_pieces_free(pieces);
        rbl_cells_free(cells);
        check_ok(rbl_mesh_destroy(solid));
    }
}

// How often a closed mesh of triangles winds around a point: triangles that a ray along x passes. For random
// points.
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

static void every_point_inside_is_in_one_piece(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 1);
    const char* const some[] = {"torus", "statue", "box"};
    for (uint32_t c = 0; c < 3; ++c)
    {
        const rblMeshId solid = make_solid(some[c]);
        rblMeshId triangles;
        check_ok(rbl_mesh_triangulate(solid, &triangles));
        const rblMeshView view = view_of(solid), whole = view_of(triangles);
        rblCells* cells;
        rblPieces* pieces = cut_randomly(&random, solid, &cells);
        rblMeshId* meshes = malloc(sizeof *meshes * pieces->piece_count);
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_ok(rbl_piece_mesh(pieces, p, &view, &meshes[p], NULL));
        }
        const rblAabbd box = rbl_mesh_bounds(&view);
        uint32_t inside = 0;
        while (inside < 700)
        {
            const rblVec3d at = {rbl_random_range(&random, box.lower.x, box.upper.x),
                                 rbl_random_range(&random, box.lower.y, box.upper.y),
                                 rbl_random_range(&random, box.lower.z, box.upper.z)};
            int sum = 0, most = 0;
            for (uint32_t p = 0; p < pieces->piece_count; ++p)
            {
                const rblMeshView piece = view_of(meshes[p]);
                const int winding = winding_at(&piece, at);
                sum += winding;
                most = abs(winding) > most ? abs(winding) : most;
            }
            const int expected = winding_at(&whole, at);
            assert_int_equal(sum, expected);
            assert_int_equal(most, expected);
            inside += (uint32_t)expected;
        }
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_ok(rbl_mesh_destroy(meshes[p]));
        }
        free(meshes);
        rbl_pieces_free(pieces);
        rbl_cells_free(cells);
        check_ok(rbl_mesh_destroy(solid));
        check_ok(rbl_mesh_destroy(triangles));
    }
}

static void pieces_do_not_meet_themselves(void** state)
{
    (void)state;
    const char* const some[] = {"box", "sphere", "statue", "cylinder", "torus", "vase", "piggybank"};
    for (uint32_t c = 0; c < 7; ++c)
    {
        const Scored s = make_scored(some[c], c + 1, 20, 0.3);
        rblPieces* pieces = cut_solid(&s.view, s.cells, NULL, rbl_serial_jobs());
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            check_piece(pieces, p, &s.view, true);
        }
        rbl_pieces_free(pieces);
        free_scored(&s);
    }
}

// ---- mates as they are drawn ----

static void mates_have_the_same_triangles_turned_over(void** state)
{
    (void)state;
    const Scored s = make_scored("torus", 3, 12, 0.3);
    rblPieces* pieces = cut_solid(&s.view, s.cells, NULL, rbl_serial_jobs());
    double(*sides[2])[9] = {malloc(sizeof(double[9]) * 10000), malloc(sizeof(double[9]) * 10000)};
    uint32_t counts[2] = {0, 0};
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        rblMeshId mesh;
        uint32_t* faces;
        check_ok(rbl_piece_mesh(pieces, p, &s.view, &mesh, &faces));
        const rblMeshView piece = view_of(mesh);
        assert_string_equal(piece.material_names[piece.material_count - 1], "crack");
        for (uint32_t f = 0; f < piece.face_count; ++f)
        {
            const bool crack = faces[f] != RBL_NONE && pieces->faces[faces[f]].triangle == RBL_NONE;
            assert_int_equal(piece.face_origins[f] == RBL_NONE, crack);
            assert_int_equal(piece.face_materials[f] == piece.material_count - 1, crack);
            if (crack)
            {
                const uint32_t side = pieces->faces[faces[f]].reversed ? 1 : 0;
                assert_true(counts[side] < 10000);
                canonical_triangle(&piece, f, side == 1, sides[side][counts[side]++]);
            }
        }
        RBL_FREE_ARRAY(pieces->allocator, faces, piece.face_count);
        check_ok(rbl_mesh_destroy(mesh));
    }
    assert_true(counts[0] > 0);
    assert_int_equal(counts[0], counts[1]);
    qsort(sides[0], counts[0], sizeof *sides[0], compare_triangles);
    qsort(sides[1], counts[1], sizeof *sides[1], compare_triangles);
    assert_memory_equal(sides[0], sides[1], sizeof *sides[0] * counts[0]);
    free(sides[0]);
    free(sides[1]);
    rbl_pieces_free(pieces);
    free_scored(&s);
}

// ---- regions and crumbs ----

static void regions_are_manifold_whatever_cells_they_join(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(6, 1);
    for (uint32_t c = 0; c < 12; ++c)
    {
        const Scored s = make_scored(kinds[c], c + 1, 50, 0.3);
        uint32_t regions[50];
        for (uint32_t i = 0; i < 50; ++i)
        {
            regions[i] = rbl_random_below(&random, 5);
        }
        const rblCutOptions options = {.regions = regions};
        rblPieces* pieces = cut_solid(&s.view, s.cells, &options, rbl_serial_jobs());
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            assert_true(pieces->pieces[p].region < 5);
            assert_true(p == 0 || pieces->pieces[p - 1].region <= pieces->pieces[p].region);
            check_piece(pieces, p, &s.view, false);
        }
        check_mates(pieces);
        check_tiling(pieces, s.solid);
        rbl_pieces_free(pieces);
        free_scored(&s);
    }
}

static void one_region_of_all_cells_is_the_solid(void** state)
{
    (void)state;
    const Scored s = make_scored("torus", 8, 40, 0.3);
    const uint32_t regions[40] = {0};
    const rblCutOptions options = {.regions = regions};
    rblPieces* pieces = cut_solid(&s.view, s.cells, &options, rbl_serial_jobs());
    assert_int_equal(pieces->piece_count, 1);
    check_piece(pieces, 0, &s.view, false);
    check_tiling(pieces, s.solid);
    check_close(pieces->crack_area, 0.0, 0.0);
    rbl_pieces_free(pieces);
    free_scored(&s);
}

static void crumbs_are_merged_and_nothing_is_lost(void** state)
{
    (void)state;
    for (uint32_t c = 0; c < KIND_COUNT; ++c)
    {
        const Scored s = make_scored(kinds[c], c + 1, 60, 0.9);
        rblMassProperties whole;
        check_ok(rbl_mesh_mass_properties(s.solid, 1.0, &whole));
        rblPieces* all = cut_solid(&s.view, s.cells, NULL, rbl_serial_jobs());
        const rblCutOptions options = {.smallest_volume = 0.01 * whole.volume, .max_pieces = 25};
        rblPieces* pieces = cut_solid(&s.view, s.cells, &options, rbl_serial_jobs());
        assert_true(pieces->piece_count <= 25);
        assert_int_equal(pieces->merged, all->piece_count - pieces->piece_count);
        assert_true(pieces->crack_area < all->crack_area);
        for (uint32_t p = 0; p < pieces->piece_count; ++p)
        {
            assert_true(pieces->pieces[p].mass.volume >= 0.01 * whole.volume);
            check_piece(pieces, p, &s.view, false);
        }
        check_mates(pieces);
        check_tiling(pieces, s.solid);
        rbl_pieces_free(all);
        rbl_pieces_free(pieces);
        free_scored(&s);
    }
}

static void thin_pieces_are_merged(void** state)
{
    (void)state;
    const Scored s = make_scored("box", 8, 60, 0.9);
    const rblVec3d size = rbl_sub3d(bounds_of(s.solid).upper, bounds_of(s.solid).lower);
    const rblCutOptions options = {.thinnest = 0.08 * size.x};
    rblPieces* pieces = cut_solid(&s.view, s.cells, &options, rbl_serial_jobs());
    assert_true(pieces->merged > 0 && pieces->piece_count > 5);
    for (uint32_t p = 0; p < pieces->piece_count; ++p)
    {
        assert_true(2.0 * pieces->pieces[p].mass.volume >=
                    options.thinnest * pieces->pieces[p].area * (1.0 - 1e-9));
        check_piece(pieces, p, &s.view, false);
    }
    check_tiling(pieces, s.solid);
    rbl_pieces_free(pieces);
    free_scored(&s);
}

// ---- threads and memory ----

static void any_number_of_workers_gives_the_same_bits(void** state)
{
    (void)state;
    const char* const some[] = {"statue", "piggybank", "wall"};
    for (uint32_t c = 0; c < 3; ++c)
    {
        const Scored s = make_scored(some[c], c + 1, 40, 0.3);
        rblPieces* expected = cut_solid(&s.view, s.cells, NULL, rbl_serial_jobs());
        const uint32_t workers[] = {2, 3, 8};
        for (uint32_t w = 0; w < 3; ++w)
        {
            rblJobs* jobs;
            const rblTasks tasks = tasks_of(workers[w]);
            check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
            rblPieces* pieces = cut_solid(&s.view, s.cells, NULL, jobs);
            check_same_pieces(expected, pieces);
            rbl_pieces_free(pieces);
            rbl_jobs_destroy(jobs);
        }
        rbl_pieces_free(expected);
        free_scored(&s);
    }
}

static void memory_may_run_out_anywhere(void** state)
{
    (void)state;
    const Scored s = make_scored("torus", 2, 12, 0.3);
    bool finished = false;
    for (size_t granted = 0; !finished; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblPieces* pieces = NULL;
        const rblResult result = rbl_cut_pieces(&s.view, s.cells, &no_turn, rbl_vec3d(0, 0, 0), NULL,
                                                rbl_serial_jobs(), &memory.allocator, &pieces);
        finished = result == RBL_OK;
        if (!finished)
        {
            assert_int_equal(result, RBL_ERROR_MEMORY);
            assert_null(pieces);
        }
        rbl_pieces_free(pieces);
        assert_int_equal(memory.live, 0);
    }
    free_scored(&s);
}

static void memory_may_run_out_while_a_piece_is_drawn(void** state)
{
    (void)state;
    const Scored s = make_scored("torus", 2, 12, 0.3);
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    rblPieces* pieces = NULL;
    check_ok(rbl_cut_pieces(&s.view, s.cells, &no_turn, rbl_vec3d(0, 0, 0), NULL, rbl_serial_jobs(),
                            &memory.allocator, &pieces));
    const size_t live = memory.live;
    bool finished = false;
    for (size_t granted = 0; !finished; ++granted)
    {
        memory.left = granted;
        rblMeshId mesh;
        uint32_t* faces;
        const rblResult result = rbl_piece_mesh(pieces, 0, &s.view, &mesh, &faces);
        finished = result == RBL_OK;
        if (finished)
        {
            RBL_FREE_ARRAY(pieces->allocator, faces, view_of(mesh).face_count);
            check_ok(rbl_mesh_destroy(mesh));
        }
        else
        {
            assert_int_equal(result, RBL_ERROR_MEMORY);
        }
        assert_int_equal(memory.live, live);
    }
    rbl_pieces_free(pieces);
    assert_int_equal(memory.live, 0);
    free_scored(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_solids_in_random_cells_are_tiled),
        cmocka_unit_test(every_point_inside_is_in_one_piece),
        cmocka_unit_test(pieces_do_not_meet_themselves),
        cmocka_unit_test(mates_have_the_same_triangles_turned_over),
        cmocka_unit_test(regions_are_manifold_whatever_cells_they_join),
        cmocka_unit_test(one_region_of_all_cells_is_the_solid),
        cmocka_unit_test(crumbs_are_merged_and_nothing_is_lost),
        cmocka_unit_test(thin_pieces_are_merged),
        cmocka_unit_test(any_number_of_workers_gives_the_same_bits),
        cmocka_unit_test(memory_may_run_out_anywhere),
        cmocka_unit_test(memory_may_run_out_while_a_piece_is_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
