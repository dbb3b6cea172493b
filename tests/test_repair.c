// Mesh repair: properties over damaged, random and hostile meshes. Files with single defects:
// test_repair_files.c.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "shapes.h"
#include <string.h>

// ---- helpers ----

static rblMeshId registered(rblMeshBuilder* builder)
{
    rblMeshId id = {0, 0};
    check_ok(rbl_mesh_register(finish_shape(builder), &id));
    return id;
}

static rblMeshView view_of(rblMeshId id)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(id, &view));
    return view;
}

static uint64_t count_changes(const rblRepairReport* report)
{
    return (uint64_t)report->dropped_non_finite + report->welded_vertices + report->cleaned_faces +
           report->dropped_degenerate + report->dropped_duplicate + report->resolved_t_junctions +
           report->dropped_fins + report->split_edges + report->flipped_faces + report->filled_holes +
           report->filled_faces + report->dropped_components + report->split_vertices +
           report->cut_crossings + report->remeshed + report->dropped_vertices;
}

static void check_same_mesh(const rblMeshView* a, const rblMeshView* b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_int_equal(a->layer_count, b->layer_count);
    assert_int_equal(a->material_count, b->material_count);
    assert_int_equal(a->group_count, b->group_count);
    assert_memory_equal(a->positions, b->positions, sizeof *a->positions * a->vertex_count);
    assert_memory_equal(a->face_starts, b->face_starts, sizeof *a->face_starts * a->face_count);
    assert_memory_equal(a->corner_vertices, b->corner_vertices, sizeof *a->corner_vertices * a->corner_count);
    assert_memory_equal(a->face_materials, b->face_materials, sizeof *a->face_materials * a->face_count);
    assert_memory_equal(a->face_groups, b->face_groups, sizeof *a->face_groups * a->face_count);
    assert_memory_equal(a->face_origins, b->face_origins, sizeof *a->face_origins * a->face_count);
    for (uint32_t i = 0; i < a->layer_count; ++i)
    {
        assert_int_equal(a->layers[i].kind, b->layers[i].kind);
        assert_memory_equal(a->layers[i].data, b->layers[i].data,
                            sizeof(float) * a->layers[i].components * a->corner_count);
    }
    for (uint32_t i = 0; i < a->material_count; ++i)
    {
        assert_string_equal(a->material_names[i], b->material_names[i]);
    }
}

// Refused meshes that a second repair changed once more: where a hole can only be closed by a face that lies
// on another one, it is opened and closed again. Rare even among random faces.
static uint32_t unstable_count;

// What the verdict claims is so, and mending once more changes nothing.
static void check_outcome(rblMeshId mended, const rblRepairReport* report)
{
    rblMeshReport found;
    rblInspectOptions quick = rbl_default_inspect_options();
    quick.self_intersections = false; // touching counts there
    check_ok(rbl_mesh_inspect(mended, &quick, &found));
    assert_int_equal(report->solid, report->reason[0] == '\0');
    assert_int_equal(found.faces, report->after.faces);
    if (report->solid)
    {
        assert_true(found.closed && found.manifold && found.oriented && found.outward);
        assert_true(found.volume > 0);
        assert_int_equal(found.degenerate_faces.count + found.duplicate_faces.count, 0);
        assert_int_equal(report->after.self_intersections.count, 0);
    }
    assert_int_equal(found.isolated_vertices.count, 0);
    rblMeshId again;
    rblRepairReport second;
    check_ok(rbl_mesh_repair(mended, NULL, &again, &second));
    if (count_changes(&second) != 0)
    {
        if (report->solid)
        {
            fail_msg("a second repair changes %llu things", (unsigned long long)count_changes(&second));
        }
        unstable_count += 1;
        check_ok(rbl_mesh_destroy(again));
        return;
    }
    assert_int_equal(second.solid, report->solid);
    assert_string_equal(second.reason, report->reason);
    const rblMeshView a = view_of(mended);
    const rblMeshView b = view_of(again);
    check_same_mesh(&a, &b);
    check_ok(rbl_mesh_destroy(again));
}

static rblMeshId mend(rblMeshId mesh, rblRepairReport* report)
{
    rblMeshId mended = {0, 0};
    check_ok(rbl_mesh_repair(mesh, NULL, &mended, report));
    check_outcome(mended, report);
    return mended;
}

static rblMeshId mend_solid(rblMeshId mesh, rblRepairReport* report)
{
    const rblMeshId mended = mend(mesh, report);
    if (!report->solid)
    {
        fail_msg("not solid: %s", report->reason);
    }
    return mended;
}

// A torus or a box of n x n faces a side, with attributes that tell every corner apart.
static rblMeshId make_marked(bool round, uint32_t n, bool triangles)
{
    rblMeshBuilder plain = start_shape();
    if (round)
    {
        add_torus(&plain, 3 * n, 2 * n, (rblVec3d){0, 0, 0}, false);
    }
    else
    {
        add_grid_box(&plain, n);
    }
    rblMesh* mesh = finish_shape(&plain);
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    rblMeshBuilder marked = start_shape();
    rbl_mesh_builder_layer(&marked, RBL_LAYER_UV);
    rbl_mesh_builder_layer(&marked, RBL_LAYER_COLOR);
    rbl_mesh_builder_material(&marked, "stone");
    rbl_mesh_builder_material(&marked, "moss");
    rbl_mesh_builder_material(&marked, "sand");
    rbl_mesh_builder_group(&marked, "lower");
    rbl_mesh_builder_group(&marked, "upper");
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        rbl_mesh_builder_vertex(&marked, view->positions[v]);
    }
    uint32_t made = 0;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const uint32_t* q = view->corner_vertices + view->face_starts[f];
        const uint32_t parts[3][4] = {{q[0], q[1], q[2], q[3]}, {q[0], q[1], q[2], 0}, {q[0], q[2], q[3], 0}};
        for (uint32_t part = triangles ? 1 : 0; part < (triangles ? 3 : 1); ++part)
        {
            for (uint32_t i = 0; i < (triangles ? 3 : 4); ++i)
            {
                const uint32_t c = rbl_mesh_builder_corner(&marked, parts[part][i]);
                rbl_mesh_builder_set(&marked, 0, c, (const float[2]){(float)made, (float)parts[part][i]});
                rbl_mesh_builder_set(&marked, 1, c, (const float[4]){(float)i, (float)(made % 7), 0.5f, 1});
            }
            rbl_mesh_builder_face(&marked, made % 3, made % 2, made);
            made += 1;
        }
    }
    rbl_mesh_free(mesh);
    return registered(&marked);
}

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

// ---- single passes ----

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
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(coordinates_beyond_all_measure_are_dropped),
        cmocka_unit_test(running_out_of_memory_leaks_and_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
