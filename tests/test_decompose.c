// Convex decomposition: few parts, which cover the solid and exceed it by no more than the tolerance.
#include "base/hash_map.h"
#include "base/random.h"
#include "failing_allocator.h"
#include "math/aabb.h"
#include "math/vec.h"
#include "models.h"
#include "testing.h"
#include <stdlib.h>
#include <string.h>

#define MOST 256

typedef struct Parts
{
    rblMeshId meshes[MOST];
    rblDecomposeReport report;
} Parts;

static rblDecomposeOptions options_of(uint32_t max_parts, double tolerance)
{
    rblDecomposeOptions options = rbl_default_decompose_options();
    options.max_parts = max_parts;
    options.tolerance = tolerance;
    return options;
}

static void free_parts(Parts* parts)
{
    for (uint32_t i = 0; i < parts->report.part_count; ++i)
    {
        check_ok(rbl_mesh_destroy(parts->meshes[i]));
    }
}

static rblMeshId make(const char* kind)
{
    rblMeshId mesh;
    check_ok(rbl_mesh_make(kind, NULL, 0, &mesh));
    return mesh;
}

// A polygon in x and y, counter-clockwise, from z = 0 to z = 1.
static rblMeshId extrude(const double outline[][2], uint32_t count)
{
    rblVec3d positions[64];
    uint32_t starts[40];
    uint32_t corners[256];
    uint32_t corner = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        positions[i] = (rblVec3d){outline[i][0], outline[i][1], 0.0};
        positions[count + i] = (rblVec3d){outline[i][0], outline[i][1], 1.0};
        const uint32_t next = (i + 1) % count;
        const uint32_t side[4] = {i, next, count + next, count + i};
        starts[i] = corner;
        memcpy(corners + corner, side, sizeof side);
        corner += 4;
    }
    starts[count] = corner;
    for (uint32_t i = 0; i < count; ++i)
    {
        corners[corner++] = count - 1 - i;
    }
    starts[count + 1] = corner;
    for (uint32_t i = 0; i < count; ++i)
    {
        corners[corner++] = count + i;
    }
    starts[count + 2] = corner;
    const rblMeshView view = {.vertex_count = 2 * count,
                              .face_count = count + 2,
                              .corner_count = corner,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = corners};
    rblMeshId mesh;
    check_ok(rbl_mesh_create(&view, &mesh));
    return mesh;
}

static const double ell[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 2}, {0, 2}};
static const double cross[12][2] = {{1, 0}, {2, 0}, {2, 1}, {3, 1}, {3, 2}, {2, 2},
                                    {2, 3}, {1, 3}, {1, 2}, {0, 2}, {0, 1}, {1, 1}};

// ---- independent measures ----

// How far a point is outside a convex mesh.
static double height_above(const rblMeshView* hull, rblVec3d p)
{
    double most = -INFINITY;
    for (uint32_t f = 0; f < hull->face_count; ++f)
    {
        const uint32_t* v = hull->corner_vertices + hull->face_starts[f];
        const rblVec3d a = hull->positions[v[0]];
        const rblVec3d n = rbl_normalize3d(
            rbl_cross3d(rbl_sub3d(hull->positions[v[1]], a), rbl_sub3d(hull->positions[v[2]], a)),
            (rblVec3d){0, 0, 0});
        const double height = rbl_dot3d(n, rbl_sub3d(p, a));
        most = height > most ? height : most;
    }
    return most;
}

static void check_covered(const Parts* parts, rblMeshId mesh)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(mesh, &view));
    for (uint32_t i = 0; i < view.vertex_count; i += 1 + view.vertex_count / 2000)
    {
        double least = INFINITY;
        for (uint32_t k = 0; k < parts->report.part_count && least > 0.0; ++k)
        {
            rblMeshView hull;
            check_ok(rbl_mesh_view(parts->meshes[k], &hull));
            least = fmin(height_above(&hull, view.positions[i]), least);
        }
        assert_true(least < 1e-6);
    }
}

// The volume of each part outside the solid, by random points, is at most the tolerance.
static void check_outside(const Parts* parts, rblMeshId mesh, double tolerance)
{
    enum
    {
        COUNT = 4000
    };
    static rblVec3 points[COUNT];
    static float windings[COUNT];
    rblBvhId bvh;
    rblRandom random = rbl_random_seed(5, 1);
    check_ok(rbl_mesh_create_bvh(mesh, RBL_BVH_QUALITY, true, &bvh));
    for (uint32_t k = 0; k < parts->report.part_count; ++k)
    {
        rblMeshView hull;
        rblAabbd box = rbl_aabbd_empty();
        check_ok(rbl_mesh_view(parts->meshes[k], &hull));
        for (uint32_t i = 0; i < hull.vertex_count; ++i)
        {
            box = rbl_aabbd_add(box, hull.positions[i]);
        }
        const rblVec3d size = rbl_aabbd_size(box);
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            const double x = rbl_random_double(&random);
            const double y = rbl_random_double(&random);
            const rblVec3d p = {box.lower.x + x * size.x, box.lower.y + y * size.y,
                                box.lower.z + rbl_random_double(&random) * size.z};
            points[i] = rbl_to_float3(p);
        }
        check_ok(rbl_bvh_winding_number(bvh, points, COUNT, windings));
        uint32_t outside = 0;
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            outside += windings[i] < 0.5f && height_above(&hull, rbl_to_double3(points[i])) < 0.0;
        }
        const double volume = size.x * size.y * size.z * outside / COUNT;
        const double error = 4.0 * size.x * size.y * size.z * sqrt(outside + 1.0) / COUNT;
        assert_true(volume < tolerance * parts->report.volume + error);
    }
    check_ok(rbl_bvh_destroy(bvh));
}

static void decompose(rblMeshId mesh, rblDecomposeOptions options, Parts* out)
{
    check_ok(rbl_mesh_decompose(mesh, &options, out->meshes, &out->report));
    assert_in_range(out->report.part_count, 1, options.max_parts);
    double sum = 0.0;
    for (uint32_t k = 0; k < out->report.part_count; ++k)
    {
        rblMeshReport report;
        check_ok(rbl_mesh_inspect(out->meshes[k], NULL, &report));
        assert_true(report.closed && report.manifold && report.outward && report.genus == 0);
        sum += report.volume;
    }
    check_close(out->report.hull_volume, sum, 1e-6 * sum);
    check_covered(out, mesh);
}

// ---- tests ----

static void a_convex_mesh_is_one_part(void** state)
{
    (void)state;
    const char* const kinds[] = {"box", "sphere", "cylinder"};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; ++i)
    {
        Parts parts;
        const rblMeshId mesh = make(kinds[i]);
        decompose(mesh, options_of(16, 1e-4), &parts);
        assert_int_equal(parts.report.part_count, 1);
        check_close(parts.report.hull_volume, parts.report.volume, 1e-5 * parts.report.volume);
        free_parts(&parts);
        check_ok(rbl_mesh_destroy(mesh));
    }
}

static void right_angles_are_cut_exactly(void** state)
{
    (void)state;
    const rblMeshId meshes[2] = {extrude(ell, 6), extrude(cross, 12)};
    const double volumes[2] = {4.0, 5.0};
    for (int i = 0; i < 2; ++i)
    {
        Parts parts;
        decompose(meshes[i], options_of(16, 1e-5), &parts);
        assert_int_equal(parts.report.part_count, i == 0 ? 2 : 3);
        check_close(parts.report.volume, volumes[i], 1e-9);
        check_close(parts.report.hull_volume, volumes[i], 1e-5);
        assert_true(parts.report.within_tolerance && parts.report.worst_share < 1e-5);
        free_parts(&parts);
        check_ok(rbl_mesh_destroy(meshes[i]));
    }
}

static void parts_cover_the_solid_and_keep_the_tolerance(void** state)
{
    (void)state;
    const struct
    {
        const char* kind;
        uint32_t max_parts;
        double tolerance;
        uint32_t least, most; // parts to be expected
    } cases[] = {{"torus", 32, 0.02, 6, 14}, {"bowl", 200, 0.02, 24, 160}, {"statue", 64, 0.02, 6, 20}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        Parts parts;
        const rblMeshId mesh = make(cases[i].kind);
        decompose(mesh, options_of(cases[i].max_parts, cases[i].tolerance), &parts);
        print_message("%s: %u parts, %.3f of the volume\n", cases[i].kind, parts.report.part_count,
                      parts.report.hull_volume / parts.report.volume);
        assert_true(parts.report.within_tolerance);
        assert_in_range(parts.report.part_count, cases[i].least, cases[i].most);
        check_outside(&parts, mesh, cases[i].tolerance);
        free_parts(&parts);
        check_ok(rbl_mesh_destroy(mesh));
    }
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

// With fewer parts than the tolerance needs, the report says so; a single part is the hull.
static void the_number_of_parts_is_kept(void** state)
{
    (void)state;
    const rblMeshId mesh = make("statue");
    double before = INFINITY;
    for (uint32_t most = 1; most <= 8; most *= 2)
    {
        Parts parts;
        decompose(mesh, options_of(most, 0.001), &parts);
        assert_int_equal(parts.report.part_count, most);
        assert_true(!parts.report.within_tolerance && parts.report.worst_share > 0.001);
        assert_true(parts.report.hull_volume < before);
        before = parts.report.hull_volume;
        free_parts(&parts);
    }
    check_ok(rbl_mesh_destroy(mesh));
}

static uint64_t hash_of(const Parts* parts)
{
    uint64_t hash = 0;
    for (uint32_t k = 0; k < parts->report.part_count; ++k)
    {
        rblMeshView view;
        check_ok(rbl_mesh_view(parts->meshes[k], &view));
        hash = rbl_hash_bytes(hash, view.positions, sizeof *view.positions * view.vertex_count);
        hash = rbl_hash_bytes(hash, view.corner_vertices, sizeof *view.corner_vertices * view.corner_count);
    }
    return hash;
}

static void the_parts_do_not_depend_on_the_number_of_workers(void** state)
{
    (void)state;
    uint64_t hashes[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        const rblTasks tasks = tasks_of(i == 0 ? 1 : 3 * i - 1);
        check_ok(rbl_set_tasks(&tasks));
        Parts parts;
        const rblMeshId mesh = make("statue");
        decompose(mesh, options_of(8, 0.02), &parts);
        hashes[i] = hash_of(&parts);
        free_parts(&parts);
        check_ok(rbl_mesh_destroy(mesh));
    }
    check_ok(rbl_set_tasks(NULL));
    assert_true(hashes[0] == hashes[1] && hashes[1] == hashes[2]);
    print_message("hash %016llx\n", (unsigned long long)hashes[0]);
    assert_true(hashes[0] == 0xd1f4c69191f76ddfull); // the same for gcc, clang and wasm
}

static void the_seed_and_the_resolution_matter(void** state)
{
    (void)state;
    const rblMeshId mesh = make("bowl");
    uint64_t hashes[3];
    for (int i = 0; i < 3; ++i)
    {
        Parts parts;
        rblDecomposeOptions options = options_of(10, 0.02);
        options.seed = i == 1 ? 77 : 1;
        options.resolution = i == 2 ? 5 : 16;
        decompose(mesh, options, &parts);
        hashes[i] = hash_of(&parts);
        free_parts(&parts);
    }
    assert_true(hashes[0] != hashes[1] && hashes[0] != hashes[2]);
    check_ok(rbl_mesh_destroy(mesh));
}

static void bad_input_is_refused(void** state)
{
    (void)state;
    Parts parts;
    rblMeshView view;
    const rblMeshId box = make("box");
    check_ok(rbl_mesh_view(box, &view));
    rblMeshView open = view;
    open.face_count -= 1;
    open.corner_count = view.face_starts[open.face_count];
    rblMeshId broken;
    check_ok(rbl_mesh_create(&open, &broken));
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_decompose(broken, NULL, parts.meshes, NULL));
    assert_non_null(strstr(rbl_last_error(), "open"));
    rblShapeId shape;
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_parts(broken, NULL, &shape, NULL));
    check_ok(rbl_mesh_destroy(broken));
    check_fails(RBL_ERROR_STALE, rbl_mesh_decompose(broken, NULL, parts.meshes, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_decompose(box, NULL, NULL, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_parts(box, NULL, NULL, NULL));
    const rblDecomposeOptions bad[] = {options_of(0, 0.02), options_of(1025, 0.02), options_of(4, 0.0),
                                       options_of(4, NAN), options_of(4, 1.5)};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_decompose(box, &bad[i], parts.meshes, NULL));
    }
    rblDecomposeOptions options = rbl_default_decompose_options();
    options.resolution = 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_decompose(box, &options, parts.meshes, NULL));
    options.resolution = 65;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_decompose(box, &options, parts.meshes, NULL));
    options = rbl_default_decompose_options();
    options.cookie = 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_decompose(box, &options, parts.meshes, NULL));
    check_ok(rbl_mesh_destroy(box));
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

typedef struct Watch
{
    uint32_t calls, stop;
    double last;
} Watch;

static bool watch(double fraction, void* context)
{
    Watch* seen = context;
    assert_true(fraction >= seen->last && fraction <= 1.0);
    seen->last = fraction;
    return ++seen->calls != seen->stop;
}

static void progress_rises_and_cancels(void** state)
{
    (void)state;
    Parts parts;
    const rblMeshId mesh = make("torus");
    Watch seen = {0, 0, 0.0};
    rblDecomposeOptions options = options_of(16, 0.02);
    options.progress = (rblProgress){watch, &seen};
    decompose(mesh, options, &parts);
    free_parts(&parts);
    assert_true(seen.calls > 4 && seen.last == 1.0);
    const uint32_t calls = seen.calls;
    for (uint32_t stop = 1; stop <= calls; ++stop)
    {
        seen = (Watch){0, stop, 0.0};
        check_fails(RBL_ERROR_CANCELLED, rbl_mesh_decompose(mesh, &options, parts.meshes, NULL));
        assert_int_equal(seen.calls, stop);
    }
    check_ok(rbl_mesh_destroy(mesh));
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void parts_become_a_compound_of_hulls(void** state)
{
    (void)state;
    rblShapeId id;
    rblShapeView view;
    rblDecomposeReport report;
    const rblMeshId mesh = extrude(ell, 6);
    const rblDecomposeOptions options = options_of(8, 1e-5);
    check_ok(rbl_shape_create_parts(mesh, &options, &id, &report));
    check_ok(rbl_shape_view(id, &view));
    assert_string_equal(view.kind, "compound");
    check_close(view.mass.volume, 4.0, 1e-5);
    check_close(view.mass.center.x, (3.0 * 1.5 + 0.5) / 4.0, 1e-5);
    check_close(rbl_shape_distance(view.shape, rbl_vec3(2.0f, 1.5f, 0.5f), NULL), 0.5, 1e-5);
    assert_true(rbl_shape_distance(view.shape, rbl_vec3(0.5f, 1.5f, 0.5f), NULL) < -0.4f);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_mesh_destroy(mesh));
    const rblMeshId ball = make("sphere"); // more vertices than a hull may have
    check_ok(rbl_shape_create_parts(ball, NULL, &id, &report));
    check_ok(rbl_shape_view(id, &view));
    assert_true(view.convex && report.part_count == 1);
    check_close(view.mass.volume, report.volume, 0.1 * report.volume);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_mesh_destroy(ball));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void running_out_of_memory_is_survived(void** state)
{
    (void)state;
    FailingAllocator memory;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t n = 0; result != RBL_OK; n += 1 + n / 16)
    {
        Parts parts = {.report = {.part_count = 0}};
        rblShapeId id = {0, 0};
        failing_allocator_start(&memory, SIZE_MAX);
        check_ok(rbl_set_allocator(&memory.allocator));
        const rblTasks tasks = tasks_of(1);
        check_ok(rbl_set_tasks(&tasks));
        const rblMeshId mesh = extrude(ell, 6);
        memory.left = n;
        result = n % 2 == 0 ? rbl_mesh_decompose(mesh, NULL, parts.meshes, &parts.report)
                            : rbl_shape_create_parts(mesh, NULL, &id, NULL);
        memory.left = SIZE_MAX;
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        free_parts(&parts);
        if (id.index1 != 0)
        {
            check_ok(rbl_shape_destroy(id));
        }
        check_ok(rbl_mesh_destroy(mesh));
        assert_int_equal(rbl_mesh_alive_count() + rbl_shape_alive_count(), 0);
        check_ok(rbl_set_tasks(NULL));
        check_ok(rbl_set_allocator(NULL));
        assert_int_equal(memory.live, 0);
    }
}

static void real_models_are_covered(void** state)
{
    (void)state;
    const char* const names[] = {"bunny_7k.off", "fandisk_13k.obj", "spot_6k.obj"};
    int checked = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        const char* path = model_path(names[i]);
        rblMeshId mesh;
        Parts parts;
        if (path == NULL)
        {
            continue;
        }
        check_ok(rbl_mesh_load(path, NULL, &mesh));
        rblMeshReport report;
        check_ok(rbl_mesh_inspect(mesh, NULL, &report));
        if (report.closed)
        {
            decompose(mesh, options_of(32, 0.02), &parts);
            print_message("%s: %u parts, %.3f of the volume\n", names[i], parts.report.part_count,
                          parts.report.hull_volume / parts.report.volume);
            assert_true(parts.report.within_tolerance);
            check_outside(&parts, mesh, 0.02);
            free_parts(&parts);
            checked += 1;
        }
        check_ok(rbl_mesh_destroy(mesh));
    }
    if (checked == 0)
    {
        skip();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_convex_mesh_is_one_part),
        cmocka_unit_test(right_angles_are_cut_exactly),
        cmocka_unit_test(parts_cover_the_solid_and_keep_the_tolerance),
        cmocka_unit_test(the_number_of_parts_is_kept),
        cmocka_unit_test(the_parts_do_not_depend_on_the_number_of_workers),
        cmocka_unit_test(the_seed_and_the_resolution_matter),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(progress_rises_and_cancels),
        cmocka_unit_test(parts_become_a_compound_of_hulls),
        cmocka_unit_test(running_out_of_memory_is_survived),
        cmocka_unit_test(real_models_are_covered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
