// Mesh repair: properties over damaged, random and hostile meshes. Single passes: test_repair_passes.c; files with single
// defects: test_repair_files.c.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "repair_checks.h"
#include "shapes.h"
#include <string.h>

// ---- solid meshes ----

static void solid_meshes_are_copied_unchanged(void** state)
{
    (void)state;
    for (int which = 0; which < 6; ++which)
    {
        rblMeshId mesh;
        rblMeshBuilder builder = start_shape();
        switch (which)
        {
        case 0: // a hollow cube
            add_cube(&builder, 0, 3, true);
            add_cube(&builder, 1, 2, false);
            mesh = registered(&builder);
            break;
        case 1: // detail far below the tolerance
            add_cube(&builder, 0, 1000, true);
            add_cube(&builder, 2000, 2000.0001, true);
            mesh = registered(&builder);
            break;
        case 2: // cubes that touch in vertices of their own: a pile of bricks
            add_cube(&builder, 0, 1, true);
            add_box(&builder, (rblVec3d){1, 1, 0}, (rblVec3d){2, 2, 1}, true);
            mesh = registered(&builder);
            break;
        default:
            rbl_mesh_builder_discard(&builder);
            mesh = make_marked(which == 3, 3, which == 5);
            break;
        }
        rblRepairReport report;
        const rblMeshId mended = mend_solid(mesh, &report);
        assert_int_equal(count_changes(&report), 0);
        const rblMeshView a = view_of(mesh);
        const rblMeshView b = view_of(mended);
        check_same_mesh(&a, &b);
        check_ok(rbl_mesh_destroy(mended));
        check_ok(rbl_mesh_destroy(mesh));
    }
}

// ---- damage ----

typedef struct Damage
{
    double deleted, flipped, repeated, unwelded; // chance per face; of being taken off its neighbours
    double jitter;                               // how far corners taken off are moved, metres
    double stray;                                // chance per face of a vertex that nobody uses
    bool inverted;
} Damage;

static rblMeshId make_damaged(const rblMeshView* view, const Damage* damage, rblRandom* random)
{
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_like(&builder, view);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        rbl_mesh_builder_vertex(&builder, view->positions[v]);
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        if (rbl_random_double(random) < damage->deleted)
        {
            continue;
        }
        const bool flipped = damage->inverted != (rbl_random_double(random) < damage->flipped);
        const bool unwelded = rbl_random_double(random) < damage->unwelded;
        const uint32_t copies = rbl_random_double(random) < damage->repeated ? 2 : 1;
        const uint32_t size = rbl_face_size(view, f);
        for (uint32_t i = 0; i < copies * size; ++i)
        {
            const uint32_t k = i % size;
            const uint32_t corner = view->face_starts[f] + (flipped ? size - 1 - k : k);
            uint32_t vertex = view->corner_vertices[corner];
            if (unwelded && copies == 1)
            {
                rblVec3d p = view->positions[vertex];
                p.x += rbl_random_range(random, -damage->jitter, damage->jitter);
                p.y += rbl_random_range(random, -damage->jitter, damage->jitter);
                p.z += rbl_random_range(random, -damage->jitter, damage->jitter);
                vertex = rbl_mesh_builder_vertex(&builder, p);
            }
            rbl_mesh_builder_corner_copy(&builder, vertex, view, corner);
            if (k + 1 == size)
            {
                rbl_mesh_builder_face(&builder, view->face_materials[f], view->face_groups[f], f);
            }
        }
        if (rbl_random_double(random) < damage->stray)
        {
            rbl_mesh_builder_vertex(&builder, (rblVec3d){rbl_random_double(random), 5, 5});
        }
    }
    return registered(&builder);
}

// Faces that were there before have their material, group and the attributes of their corners.
static void check_attributes(const rblMeshView* before, const rblMeshView* after, double moved)
{
    for (uint32_t f = 0; f < after->face_count; ++f)
    {
        const uint32_t origin = after->face_origins[f];
        if (origin == RBL_NONE)
        {
            continue;
        }
        assert_int_equal(after->face_materials[f], before->face_materials[origin]);
        assert_int_equal(after->face_groups[f], before->face_groups[origin]);
        assert_int_equal(rbl_face_size(after, f), rbl_face_size(before, origin));
        for (uint32_t c = after->face_starts[f]; c < after->face_starts[f + 1]; ++c)
        {
            const float* uv = after->layers[0].data + (size_t)c * 2;
            assert_int_equal((uint32_t)uv[0], origin);
            const rblVec3d p = after->positions[after->corner_vertices[c]];
            assert_true(rbl_distance3d(p, before->positions[(uint32_t)uv[1]]) <= moved);
        }
    }
}

static void check_mends(const rblMeshView* whole, const Damage* damage, double volume_bound,
                        rblRandom* random)
{
    rblMeshReport original;
    rblMeshId copy;
    check_ok(rbl_mesh_create(whole, &copy));
    check_ok(rbl_mesh_inspect(copy, NULL, &original));
    const rblMeshId broken = make_damaged(whole, damage, random);
    rblRepairReport report;
    const rblMeshId mended = mend_solid(broken, &report);
    const rblMeshView after = view_of(mended);
    check_attributes(whole, &after, 4 * damage->jitter);
    check_close(report.after.volume, original.volume, volume_bound * original.volume);
    check_ok(rbl_mesh_destroy(copy));
    check_ok(rbl_mesh_destroy(broken));
    check_ok(rbl_mesh_destroy(mended));
}

static void damaged_meshes_become_solid_and_keep_their_attributes(void** state)
{
    (void)state;
    static const struct
    {
        Damage damage;
        double volume_bound;
    } cases[] = {
        {{.flipped = 0.2}, 1e-12},
        {{.repeated = 0.3}, 1e-12},
        {{.unwelded = 1}, 1e-12},
        {{.unwelded = 0.5, .jitter = 1e-7}, 1e-5},
        {{.inverted = true, .stray = 0.2}, 1e-12},
        {{.deleted = 0.03}, 0.1},
        {{.deleted = 0.02, .flipped = 0.2, .repeated = 0.1, .unwelded = 0.5, .jitter = 1e-7, .stray = 0.1},
         0.1},
        {{.deleted = 0.02, .flipped = 0.3, .unwelded = 1, .jitter = 1e-7, .inverted = true}, 0.1},
    };
    rblRandom random = rbl_random_seed(7, 1);
    for (int shape = 0; shape < 4; ++shape)
    {
        const rblMeshId whole = make_marked(shape % 2 == 0, 4, shape >= 2);
        const rblMeshView view = view_of(whole);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        {
            for (int repeat = 0; repeat < 2; ++repeat)
            {
                check_mends(&view, &cases[i].damage, cases[i].volume_bound, &random);
            }
        }
        check_ok(rbl_mesh_destroy(whole));
    }
}

// ---- voxels: surfaces that touch themselves in edges and vertices of all kinds ----

#define GRID 4

static bool is_full(const uint8_t* cells, int x, int y, int z)
{
    return x >= 0 && y >= 0 && z >= 0 && x < GRID && y < GRID && z < GRID && cells[x + GRID * (y + GRID * z)];
}

static void add_voxel_face(rblMeshBuilder* builder, const int cell[3], int axis, int side, bool flipped)
{
    const int u = (axis + 1) % 3;
    const int v = (axis + 2) % 3;
    static const int steps[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    uint32_t corners[4];
    for (int i = 0; i < 4; ++i)
    {
        int p[3] = {cell[0], cell[1], cell[2]};
        p[axis] += side;
        p[u] += steps[i][0];
        p[v] += steps[i][1];
        corners[(side != 0) != flipped ? i : 3 - i] =
            (uint32_t)(p[0] + (GRID + 1) * (p[1] + (GRID + 1) * p[2]));
    }
    add_quad(builder, corners[0], corners[1], corners[2], corners[3]);
}

// Returns how many cells are full.
static uint32_t add_voxels(rblMeshBuilder* builder, const uint8_t* cells, bool inverted)
{
    uint32_t count = 0;
    for (int i = 0; i < (GRID + 1) * (GRID + 1) * (GRID + 1); ++i)
    {
        rbl_mesh_builder_vertex(
            builder, (rblVec3d){i % (GRID + 1), i / (GRID + 1) % (GRID + 1), i / (GRID + 1) / (GRID + 1)});
    }
    for (int i = 0; i < GRID * GRID * GRID; ++i)
    {
        const int cell[3] = {i % GRID, i / GRID % GRID, i / GRID / GRID};
        count += cells[i];
        for (int face = 0; face < 6 && cells[i]; ++face)
        {
            int other[3] = {cell[0], cell[1], cell[2]};
            other[face / 2] += face % 2 != 0 ? 1 : -1;
            if (!is_full(cells, other[0], other[1], other[2]))
            {
                add_voxel_face(builder, cell, face / 2, face % 2, inverted);
            }
        }
    }
    return count;
}

static void voxels_come_apart_where_they_touch(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(11, 1);
    for (int round = 0; round < 60; ++round)
    {
        uint8_t cells[GRID * GRID * GRID];
        for (int i = 0; i < GRID * GRID * GRID; ++i)
        {
            cells[i] = rbl_random_double(&random) < 0.15 + 0.01 * round;
        }
        cells[0] = 1;
        rblMeshBuilder builder = start_shape();
        const uint32_t full = add_voxels(&builder, cells, round % 3 == 0);
        const rblMeshId mesh = registered(&builder);
        rblRepairReport report;
        const rblMeshId mended = mend_solid(mesh, &report);
        check_close(report.after.volume, full, 1e-9);
        assert_int_equal(report.filled_holes + report.dropped_fins + report.dropped_duplicate, 0);
        check_ok(rbl_mesh_destroy(mesh));
        check_ok(rbl_mesh_destroy(mended));
    }
}

// ---- hostile meshes ----

static rblMeshId make_random_soup(rblRandom* random)
{
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL);
    const uint32_t vertices = 3 + rbl_random_below(random, 12);
    const uint32_t faces = 1 + rbl_random_below(random, 30);
    const uint32_t lattice = rbl_random_below(random, 2); // half of them with many exact coincidences
    for (uint32_t v = 0; v < vertices; ++v)
    {
        rblVec3d p = {rbl_random_double(random), rbl_random_double(random), rbl_random_double(random)};
        if (lattice != 0)
        {
            p = (rblVec3d){rbl_random_below(random, 3), rbl_random_below(random, 3),
                           rbl_random_below(random, 2)};
        }
        if (rbl_random_below(random, 40) == 0)
        {
            p.y = rbl_random_below(random, 2) != 0 ? (double)NAN : (double)INFINITY;
        }
        rbl_mesh_builder_vertex(&builder, p);
    }
    for (uint32_t f = 0; f < faces; ++f)
    {
        const uint32_t size = rbl_random_below(random, 3) != 0 ? 3 : 3 + rbl_random_below(random, 5);
        for (uint32_t i = 0; i < size; ++i)
        {
            const uint32_t c = rbl_mesh_builder_corner(&builder, rbl_random_below(random, vertices));
            rbl_mesh_builder_set(&builder, 0, c, (const float[3]){0, 0, 1});
        }
        rbl_mesh_builder_face(&builder, f, f, f);
    }
    return registered(&builder);
}

static void random_soups_get_a_verdict(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    uint32_t solid = 0;
    uint32_t refused = 0;
    for (int i = 0; i < 600; ++i)
    {
        const rblMeshId soup = make_random_soup(&random);
        rblMeshId mended;
        rblRepairReport report;
        const rblResult result = rbl_mesh_repair(soup, NULL, &mended, &report);
        if (result == RBL_OK)
        {
            check_outcome(mended, &report);
            solid += report.solid;
            refused += !report.solid;
            check_ok(rbl_mesh_destroy(mended));
        }
        else
        {
            assert_int_equal(result, RBL_ERROR_GEOMETRY);
        }
        check_ok(rbl_mesh_destroy(soup));
    }
    assert_true(solid > 20 && refused > 20);
    assert_true(unstable_count <= 6);
}

static void a_book_of_many_pages_is_looked_at_once(void** state)
{
    (void)state;
    // Every page shares the spine: work that grows with the square of the pages would not end.
    const uint32_t pages = 5000;
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_vertex(&builder, (rblVec3d){0, 0, 0});
    rbl_mesh_builder_vertex(&builder, (rblVec3d){0, 1, 0});
    for (uint32_t i = 0; i < pages; ++i)
    {
        const double angle = 6.28 * i / pages;
        const uint32_t v = rbl_mesh_builder_vertex(&builder, (rblVec3d){cos(angle), 0.5, sin(angle)});
        add_triangle(&builder, i % 2, 1 - i % 2, v);
        add_triangle(&builder, 1, 0, v);
    }
    const rblMeshId mesh = registered(&builder);
    rblMeshId mended;
    rblRepairReport report;
    const rblResult result = rbl_mesh_repair(mesh, NULL, &mended, &report);
    assert_true(result == RBL_OK || result == RBL_ERROR_GEOMETRY);
    if (result == RBL_OK)
    {
        check_ok(rbl_mesh_destroy(mended));
    }
    check_ok(rbl_mesh_destroy(mesh));
}

// ---- bad input ----

static void bad_arguments_are_refused(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 1, true);
    const rblMeshId cube = registered(&builder);
    rblMeshId out = {77, 77};
    rblRepairReport report;
    memset(&report, 0x5A, sizeof report);
    const rblRepairReport untouched = report;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(cube, NULL, NULL, &report));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(cube, NULL, &out, NULL));
    check_fails(RBL_ERROR_STALE, rbl_mesh_repair((rblMeshId){0, 0}, NULL, &out, &report));
    rblRepairOptions options = rbl_default_repair_options();
    options.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(cube, &options, &out, &report));
    options = rbl_default_repair_options();
    options.weld_distance = (double)NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(cube, &options, &out, &report));
    options.weld_distance = (double)INFINITY;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(cube, &options, &out, &report));
    options = rbl_default_repair_options();
    options.remesh_cells = 15;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(cube, &options, &out, &report));
    options.remesh_cells = 513;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_repair(cube, &options, &out, &report));
    // Welding everything into one point leaves nothing; a cube that is solid is not welded at all.
    rblMeshBuilder sheet = start_shape();
    add_cube(&sheet, 0, 1, true);
    add_triangle(&sheet, 0, 1, 2);
    const rblMeshId other = registered(&sheet);
    options = rbl_default_repair_options();
    options.weld_distance = 10;
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_repair(other, &options, &out, &report));
    assert_int_equal(out.index1, 77);
    assert_memory_equal(&report, &untouched, sizeof report);
    check_ok(rbl_mesh_destroy(other));
    check_ok(rbl_mesh_destroy(cube));
    check_fails(RBL_ERROR_STALE, rbl_mesh_repair(cube, NULL, &out, &report));
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void coordinates_beyond_all_measure_are_dropped(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 1, true);
    const uint32_t far = rbl_mesh_builder_vertex(&builder, (rblVec3d){1e101, 0, 0});
    add_triangle(&builder, 0, 1, far);
    const rblMeshId mesh = registered(&builder);
    rblRepairReport report;
    const rblMeshId mended = mend_solid(mesh, &report);
    assert_int_equal(report.dropped_non_finite, 1);
    assert_int_equal(report.dropped_vertices, 1);
    assert_int_equal(count_changes(&report), 2);
    check_ok(rbl_mesh_destroy(mesh));
    check_ok(rbl_mesh_destroy(mended));
}

// A mesh that every pass finds work in.
static rblMeshId make_ruin(void)
{
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_layer(&builder, RBL_LAYER_UV);
    rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL);
    add_grid_box(&builder, 3);
    const uint32_t corner = (uint32_t)builder.positions.count - 1; // (1, 1, 1)
    const uint32_t b = add_box_vertices(&builder, (rblVec3d){1, 1, 1}, (rblVec3d){2, 2, 2});
    const uint32_t v[8] = {corner, b + 1, b + 2, b + 3,
                           b + 4,  b + 5, b + 6, b + 7}; // joined in a vertex, inverted
    add_box_faces(&builder, v, false);
    const uint32_t e = add_box_vertices(&builder, (rblVec3d){2, 2, 1}, (rblVec3d){3, 3, 2});
    const uint32_t w[8] = {v[3], e + 1, e + 2, e + 3, v[7], e + 5, e + 6, e + 7}; // joined in an edge
    add_box_faces(&builder, w, true);
    add_quad(&builder, w[4], w[5], w[7], w[6]); // a face twice
    add_triangle(&builder, w[1], w[3], w[3]);   // no area
    add_face(&builder, (const uint32_t[5]){w[5], w[1], w[5], w[7], b},
             5); // a detour, and a fin when it is gone
    const uint32_t nan = rbl_mesh_builder_vertex(&builder, (rblVec3d){(double)NAN, 0, 0});
    add_triangle(&builder, 0, 1, nan);
    // A tetrahedron without its fourth face, one edge of which is cut on one side only, and off its neighbour
    // on another.
    const uint32_t t = rbl_mesh_builder_vertex(&builder, (rblVec3d){10, 0, 0});
    rbl_mesh_builder_vertex(&builder, (rblVec3d){12, 0, 0});
    rbl_mesh_builder_vertex(&builder, (rblVec3d){10, 2, 0});
    rbl_mesh_builder_vertex(&builder, (rblVec3d){10, 0, 2});
    rbl_mesh_builder_vertex(&builder, (rblVec3d){11, 0, 0});
    rbl_mesh_builder_vertex(&builder, (rblVec3d){10, 2, 1e-7});
    add_triangle(&builder, t, t + 2, t + 1);
    add_triangle(&builder, t, t + 3, t + 5);
    add_triangle(&builder, t, t + 4, t + 3);
    add_triangle(&builder, t + 4, t + 1, t + 3);
    const uint32_t s = add_box_vertices(&builder, (rblVec3d){20, 0, 0}, (rblVec3d){21, 1, 1});
    add_quad(&builder, s, s + 1, s + 3, s + 2); // a sheet alone
    return registered(&builder);
}

static void running_out_of_memory_leaks_and_changes_nothing(void** state)
{
    (void)state;
    size_t granted = 0;
    for (;; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, SIZE_MAX);
        check_ok(rbl_set_allocator(&memory.allocator));
        const rblMeshId ruin = make_ruin();
        memory.left = granted;
        rblMeshId mended = {77, 77};
        rblRepairReport report;
        const rblResult result = rbl_mesh_repair(ruin, NULL, &mended, &report);
        memory.left = SIZE_MAX;
        if (result == RBL_OK)
        {
            assert_string_equal(report.reason, "");
            assert_true(report.dropped_non_finite > 0 && report.welded_vertices > 0 &&
                        report.cleaned_faces > 0);
            assert_true(report.dropped_degenerate > 0 && report.dropped_duplicate > 0);
            assert_true(report.resolved_t_junctions > 0 && report.dropped_fins > 0 && report.split_edges > 0);
            assert_true(report.flipped_faces > 0 && report.filled_holes > 0 && report.dropped_components > 0);
            assert_true(report.split_vertices > 0 && report.dropped_vertices > 0);
            check_ok(rbl_mesh_destroy(mended));
        }
        else
        {
            assert_int_equal(result, RBL_ERROR_MEMORY);
            assert_int_equal(mended.index1, 77);
        }
        check_ok(rbl_mesh_destroy(ruin));
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
        if (result == RBL_OK)
        {
            break;
        }
    }
    assert_true(granted > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solid_meshes_are_copied_unchanged),
        cmocka_unit_test(damaged_meshes_become_solid_and_keep_their_attributes),
        cmocka_unit_test(voxels_come_apart_where_they_touch),
        cmocka_unit_test(random_soups_get_a_verdict),
        cmocka_unit_test(a_book_of_many_pages_is_looked_at_once),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(coordinates_beyond_all_measure_are_dropped),
        cmocka_unit_test(running_out_of_memory_leaks_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
