// Meshes: builder, ids, views. The operations that copy: test_mesh_operations.c.
#include "testing.h"

#include "base/thread.h"
#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "mesh_samples.h"
#include "shapes.h"
#include <stdatomic.h>

// ---- create and ids ----

static void a_mesh_gives_back_what_it_was_made_of(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    rblMeshId id;
    check_ok(rbl_mesh_create(&s.view, &id));
    rblMeshView view = view_of(id);
    check_equal(&view, &s.view);
    assert_ptr_not_equal(view.positions, s.view.positions);
    rblMeshId copy;
    check_ok(rbl_mesh_create(&view, &copy));
    check_ok(rbl_mesh_destroy(id));
    view = view_of(copy);
    check_equal(&view, &s.view);
    check_ok(rbl_mesh_destroy(copy));
    assert_int_equal(rbl_mesh_alive_count(), 0);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void what_is_left_out_gets_defaults(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    const rblMeshView bare = {.vertex_count = 6,
                              .face_count = 3,
                              .corner_count = 11,
                              .positions = s.positions,
                              .face_starts = s.starts,
                              .corner_vertices = s.corners};
    rblMeshId id;
    check_ok(rbl_mesh_create(&bare, &id));
    const rblMeshView view = view_of(id);
    for (uint32_t f = 0; f < 3; ++f)
    {
        assert_int_equal(view.face_materials[f], 0);
        assert_int_equal(view.face_groups[f], 0);
        assert_int_equal(view.face_origins[f], f);
    }
    assert_int_equal(view.layer_count + view.material_count + view.group_count, 0);
    check_ok(rbl_mesh_destroy(id));
}

static void names_given_twice_keep_their_numbers(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    s.group_names[1] = "a";
    rblMeshId id;
    check_ok(rbl_mesh_create(&s.view, &id));
    const rblMeshView view = view_of(id);
    check_equal(&view, &s.view);
    check_ok(rbl_mesh_destroy(id));
}

static void stale_ids_are_refused_everywhere(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    rblMeshId id;
    check_ok(rbl_mesh_create(&s.view, &id));
    check_ok(rbl_mesh_destroy(id));
    rblMeshId again;
    check_ok(rbl_mesh_create(&s.view, &again));
    assert_int_equal(again.index1, id.index1); // the slot is taken again, under another generation
    const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const rblMeshId bad[] = {{0, 0}, id, {again.index1 + 1, again.generation}, {UINT32_MAX, 1}, {0, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        rblMeshView view = {.vertex_count = 77};
        rblMeshId out = {11, 12};
        const rblMeshId pair[2] = {again, bad[i]};
        check_fails(RBL_ERROR_STALE, rbl_mesh_view(bad[i], &view));
        check_fails(RBL_ERROR_STALE, rbl_mesh_destroy(bad[i]));
        check_fails(RBL_ERROR_STALE, rbl_mesh_triangulate(bad[i], &out));
        check_fails(RBL_ERROR_STALE, rbl_mesh_transform(bad[i], &identity, (rblVec3d){0, 0, 0}, &out));
        check_fails(RBL_ERROR_STALE, rbl_mesh_join(pair, 2, &out));
        assert_int_equal(view.vertex_count, 77);
        assert_true(out.index1 == 11 && out.generation == 12);
    }
    assert_int_equal(rbl_mesh_alive_count(), 1);
    check_ok(rbl_mesh_destroy(again));
    check_fails(RBL_ERROR_STALE, rbl_mesh_destroy(again));
}

static void an_acquired_mesh_outlives_its_id(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    rblMeshId id;
    check_ok(rbl_mesh_create(&s.view, &id));
    rblMesh* mesh;
    check_ok(rbl_mesh_acquire(id, &mesh));
    check_ok(rbl_mesh_destroy(id));
    assert_int_equal(rbl_mesh_alive_count(), 0);
    assert_true(rbl_bytes_in_use() > 0);
    check_equal(rbl_mesh_get_view(mesh), &s.view);
    rblMesh* other = mesh;
    check_fails(RBL_ERROR_STALE, rbl_mesh_acquire(id, &other));
    assert_ptr_equal(other, mesh);
    rbl_mesh_release(mesh);
    rbl_mesh_release(NULL);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// The bytes that all allocations together asked for.
static void* summing_alloc(size_t size, size_t alignment, void* context)
{
    *(size_t*)context += size;
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void plain_free(void* memory, size_t size, void* context)
{
    (void)size;
    (void)context;
    free(memory);
}

// Growing the table by one place at a time would ask for half a gigabyte.
static void many_meshes_take_memory_in_proportion(void** state)
{
    (void)state;
    enum
    {
        COUNT = 8000
    };
    static rblMeshId ids[COUNT];
    size_t asked = 0;
    rblAllocator allocator = rbl_default_allocator_def();
    allocator.alloc = summing_alloc;
    allocator.free = plain_free;
    allocator.context = &asked;
    check_ok(rbl_set_allocator(&allocator));
    const rblVec3d positions[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const uint32_t starts[2] = {0, 3};
    const uint32_t corners[3] = {0, 1, 2};
    const rblMeshView view = {.vertex_count = 3,
                              .face_count = 1,
                              .corner_count = 3,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = corners};
    check_ok(rbl_mesh_create(&view, &ids[0]));
    const size_t one = asked;
    for (int i = 1; i < COUNT; ++i)
    {
        check_ok(rbl_mesh_create(&view, &ids[i]));
    }
    assert_int_equal(rbl_mesh_alive_count(), COUNT);
    assert_true(asked < 2 * one * COUNT);
    for (int i = 0; i < COUNT; ++i)
    {
        check_ok(rbl_mesh_destroy(ids[i]));
    }
    check_ok(rbl_set_allocator(NULL));
}

// Numbers that no longer fit must not wrap: the counts are set, since nobody has that much memory.
static void too_many_elements_are_a_limit_not_a_wrong_mesh(void** state)
{
    (void)state;
    for (int what = 0; what < 2; ++what)
    {
        rblMeshBuilder builder = start_shape();
        for (uint32_t i = 0; i < 3; ++i)
        {
            rbl_mesh_builder_corner(&builder, rbl_mesh_builder_vertex(&builder, rbl_vec3d(i, i == 1, 0)));
        }
        rbl_mesh_builder_face(&builder, 0, 0, 0);
        size_t* count = what == 0 ? &builder.positions.count : &builder.corner_vertices.count;
        *count = RBL_MAX_ELEMENTS;
        rbl_mesh_builder_vertex(&builder, rbl_vec3d(0, 0, 0));
        rbl_mesh_builder_corner(&builder, 0);
        assert_true(builder.failed && builder.too_large);
        assert_int_equal(*count, RBL_MAX_ELEMENTS);
        *count = 3;
        rblMesh* mesh = NULL;
        check_fails(RBL_ERROR_LIMIT, rbl_mesh_builder_finish(&builder, &mesh));
        assert_null(mesh);
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

#if RBL_HAS_THREADS
typedef struct Crowd
{
    rblMeshId shared;
    atomic_uint wrong;
} Crowd;

// Meshes of its own, and one that somebody else destroys meanwhile.
static void* use_meshes(void* argument)
{
    Crowd* crowd = argument;
    bool gone = false;
    for (int i = 0; i < 300; ++i)
    {
        rblMeshId own, triangles, copy;
        rblMeshReport report;
        const bool made = rbl_mesh_make("box", NULL, 0, &own) == RBL_OK &&
                          rbl_mesh_triangulate(own, &triangles) == RBL_OK &&
                          rbl_mesh_inspect(triangles, NULL, &report) == RBL_OK && report.outward &&
                          rbl_mesh_destroy(own) == RBL_OK && rbl_mesh_destroy(triangles) == RBL_OK &&
                          rbl_mesh_destroy(own) == RBL_ERROR_STALE;
        const rblResult shared = rbl_mesh_triangulate(crowd->shared, &copy);
        gone = gone || shared == RBL_ERROR_STALE;
        const bool expected = gone ? shared == RBL_ERROR_STALE : shared == RBL_OK;
        if (!made || !expected || (shared == RBL_OK && rbl_mesh_destroy(copy) != RBL_OK))
        {
            atomic_fetch_add(&crowd->wrong, 1);
        }
    }
    return NULL;
}

static void meshes_may_be_used_and_destroyed_by_several_threads(void** state)
{
    (void)state;
    Crowd crowd = {0};
    check_ok(rbl_mesh_make("sphere", NULL, 0, &crowd.shared));
    const rblTasks tasks = tasks_of(2);
    check_ok(rbl_set_tasks(&tasks));
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(pthread_create(&threads[i], NULL, use_meshes, &crowd), 0);
    }
    rblMeshId copy;
    for (int i = 0; i < 20; ++i)
    {
        check_ok(rbl_mesh_triangulate(crowd.shared, &copy));
        check_ok(rbl_mesh_destroy(copy));
    }
    check_ok(rbl_mesh_destroy(crowd.shared));
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    assert_int_equal(crowd.wrong, 0);
    check_ok(rbl_set_tasks(NULL));
    assert_int_equal(rbl_mesh_alive_count(), 0);
    assert_int_equal(rbl_bytes_in_use(), 0);
}
#endif

static void bad_layouts_are_refused(void** state)
{
    (void)state;
    Sample s;
    rblMeshId out = {5, 6};
    fill_sample(&s);
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_create(NULL, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_create(&s.view, NULL));
    const rblMeshView good = s.view;
#define REFUSE(code, change)                                                                                 \
    fill_sample(&s);                                                                                         \
    change;                                                                                                  \
    check_fails(code, rbl_mesh_create(&s.view, &out));
    REFUSE(RBL_ERROR_ARGUMENT, s.view.positions = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.face_starts = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.corner_vertices = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.vertex_count = 0)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.face_count = 0)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.corner_count = 0)
    REFUSE(RBL_ERROR_LIMIT, s.view.vertex_count = UINT32_MAX)
    REFUSE(RBL_ERROR_LIMIT, s.view.corner_count = UINT32_MAX)
    REFUSE(RBL_ERROR_ARGUMENT, s.starts[0] = 1)
    REFUSE(RBL_ERROR_ARGUMENT, s.starts[1] = 2)
    REFUSE(RBL_ERROR_ARGUMENT, s.starts[2] = 1)
    REFUSE(RBL_ERROR_ARGUMENT, s.starts[2] = 12)
    REFUSE(RBL_ERROR_ARGUMENT, s.starts[3] = 10)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.corner_count = 10)
    REFUSE(RBL_ERROR_ARGUMENT, s.corners[10] = 6)
    REFUSE(RBL_ERROR_ARGUMENT, s.positions[5].z = (double)NAN)
    REFUSE(RBL_ERROR_ARGUMENT, s.positions[0].x = -(double)INFINITY)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.layers = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.layers[1].kind = RBL_LAYER_KIND_COUNT)
    REFUSE(RBL_ERROR_ARGUMENT, s.layers[1].components = 2)
    REFUSE(RBL_ERROR_ARGUMENT, s.layers[3].data = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.colors[43] = NAN)
    REFUSE(RBL_ERROR_ARGUMENT, s.uvs[0] = INFINITY)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.material_names = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.view.group_names = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.material_names[1] = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.group_names[0] = NULL)
    REFUSE(RBL_ERROR_ARGUMENT, s.materials[2] = 2)
    REFUSE(RBL_ERROR_ARGUMENT, s.groups[0] = 3)
#undef REFUSE
    assert_true(out.index1 == 5 && out.generation == 6);
    fill_sample(&s);
    check_ok(rbl_mesh_create(&good, &out));
    check_ok(rbl_mesh_destroy(out));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// ---- builder ----

static void a_builder_interns_blends_and_cancels(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    const uint32_t first = rbl_mesh_builder_material(&builder, "granite");
    for (uint32_t i = 0; i < 1000; ++i)
    {
        char name[16];
        snprintf(name, sizeof name, "m%u", i);
        assert_int_equal(rbl_mesh_builder_material(&builder, name), i + 1);
    }
    assert_int_equal(rbl_mesh_builder_material(&builder, "m500"), 501);
    assert_int_equal(rbl_mesh_builder_material(&builder, "granite"), first);
    assert_int_equal(rbl_mesh_builder_group(&builder, "granite"), 0);
    for (int i = 0; i < 4; ++i)
    {
        rbl_mesh_builder_vertex(&builder, (rblVec3d){i, i * i, 0});
    }
    add_triangle(&builder, 0, 1, 2);
    const uint32_t layer = rbl_mesh_builder_layer(&builder, RBL_LAYER_UV); // late: earlier corners get zeros
    rbl_mesh_builder_corner(&builder, 3);
    rbl_mesh_builder_corner(&builder, 3);
    rbl_mesh_builder_cancel_face(&builder);
    const uint32_t corner = rbl_mesh_builder_corner(&builder, 1);
    rbl_mesh_builder_set(&builder, layer, corner, (const float[]){0.25f, 0.5f});
    rbl_mesh_builder_corner(&builder, 2);
    rbl_mesh_builder_corner(&builder, 3);
    rbl_mesh_builder_face(&builder, first, 0, 9);
    rbl_mesh_builder_corner(&builder, 0); // never closed: not part of the mesh
    rblMesh* mesh = finish_shape(&builder);
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_int_equal(view->corner_count, 6);
    assert_int_equal(view->face_count, 2);
    assert_int_equal(view->face_origins[1], 9);
    const float expected[12] = {0, 0, 0, 0, 0, 0, 0.25f, 0.5f};
    assert_memory_equal(view->layers[0].data, expected, sizeof expected);
    rbl_mesh_free(mesh);
    rblMesh* none = NULL;
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_builder_finish(&builder, &none)); // empty again
    assert_null(none);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void blended_corners_weigh_attributes_and_keep_normals_unit(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    rblMeshBuilder builder = start_shape();
    rbl_mesh_builder_like(&builder, &s.view);
    rbl_mesh_builder_vertex(&builder, (rblVec3d){0, 0, 0});
    const uint32_t corners[3] = {0, 1, 5};
    const double weights[3] = {0.5, 0.25, 0.25};
    for (int i = 0; i < 3; ++i)
    {
        rbl_mesh_builder_corner_blend(&builder, 0, &s.view, corners, weights, 3);
    }
    rbl_mesh_builder_face(&builder, 0, 0, RBL_NONE);
    rblMesh* mesh = finish_shape(&builder);
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    check_close(view->layers[0].data[0], 0.25 * 1 + 0.25 * 5, 1e-6);
    const float* n = view->layers[1].data;
    check_close(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-6);
    check_close(n[0] / n[1], 2, 1e-5);
    check_close(view->layers[3].data[2], 200 + 0.25 * 1 + 0.25 * 5, 1e-4);
    rbl_mesh_free(mesh);
}

// ---- running out of memory ----

// All public calls of the room in a row; stops at the first failure, having cleaned up.
static rblResult use_everything(const rblMeshView* view)
{
    const rblMat3d mirror = {{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    rblMeshId ids[4] = {{0}};
    rblMeshReport report;
    rblResult result = rbl_mesh_create(view, &ids[0]);
    result = result == RBL_OK ? rbl_mesh_triangulate(ids[0], &ids[1]) : result;
    result = result == RBL_OK ? rbl_mesh_transform(ids[1], &mirror, (rblVec3d){0, 0, 0}, &ids[2]) : result;
    result = result == RBL_OK ? rbl_mesh_join(ids, 3, &ids[3]) : result;
    result = result == RBL_OK ? rbl_mesh_inspect(ids[3], NULL, &report) : result;
    for (int i = 0; i < 4; ++i)
    {
        if (ids[i].index1 != 0)
        {
            check_ok(rbl_mesh_destroy(ids[i]));
        }
    }
    return result;
}

static void running_out_of_memory_anywhere_leaks_nothing(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    FailingAllocator memory;
    size_t granted = 0;
    rblResult result = RBL_ERROR_MEMORY;
    for (; result != RBL_OK; ++granted)
    {
        failing_allocator_start(&memory, granted);
        check_ok(rbl_set_allocator(&memory.allocator));
        result = use_everything(&s.view);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
        assert_int_equal(rbl_mesh_alive_count(), 0);
        check_ok(rbl_set_allocator(NULL));
    }
    assert_true(granted > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mesh_gives_back_what_it_was_made_of),
        cmocka_unit_test(what_is_left_out_gets_defaults),
        cmocka_unit_test(names_given_twice_keep_their_numbers),
        cmocka_unit_test(stale_ids_are_refused_everywhere),
        cmocka_unit_test(an_acquired_mesh_outlives_its_id),
        cmocka_unit_test(many_meshes_take_memory_in_proportion),
        cmocka_unit_test(too_many_elements_are_a_limit_not_a_wrong_mesh),
#if RBL_HAS_THREADS
        cmocka_unit_test(meshes_may_be_used_and_destroyed_by_several_threads),
#endif
        cmocka_unit_test(bad_layouts_are_refused),
        cmocka_unit_test(a_builder_interns_blends_and_cancels),
        cmocka_unit_test(blended_corners_weigh_attributes_and_keep_normals_unit),
        cmocka_unit_test(running_out_of_memory_anywhere_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
