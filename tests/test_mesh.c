// Meshes: builder, ids, views, and the operations that copy: create, triangulate, transform, join.
#include "testing.h"

#include "base/random.h"
#include "base/thread.h"
#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "shapes.h"
#include <stdatomic.h>
#include <string.h>

// Two triangles and a pentagon, with every kind of attribute.
typedef struct Sample
{
    rblVec3d positions[6];
    uint32_t starts[4];
    uint32_t corners[11];
    float normals[11 * 3];
    float uvs[11 * 2];
    float more_uvs[11 * 2];
    float colors[11 * 4];
    uint32_t materials[3], groups[3], origins[3];
    const char* material_names[2];
    const char* group_names[3];
    rblLayer layers[4];
    rblMeshView view;
} Sample;

static void fill_sample(Sample* s)
{
    static const uint32_t corners[11] = {0, 1, 4, 1, 2, 4, 0, 4, 2, 3, 5};
    *s = (Sample){.positions = {{0, 0, 0}, {2, 0, 0}, {2, 2, 0}, {0, 2, 0}, {1, 1, 1}, {-1, 1, 0}},
                  .starts = {0, 3, 6, 11},
                  .materials = {1, 0, 1},
                  .groups = {2, 0, 1},
                  .origins = {7, RBL_NONE, 3},
                  .material_names = {"stone", "glass"},
                  .group_names = {"a", "b", "c"}};
    memcpy(s->corners, corners, sizeof corners);
    for (int c = 0; c < 11; ++c)
    {
        s->normals[3 * c + c % 3] = 1;
        s->uvs[2 * c] = (float)c;
        s->more_uvs[2 * c + 1] = 100 + (float)c;
        s->colors[4 * c + 2] = 200 + (float)c;
    }
    s->layers[0] = (rblLayer){RBL_LAYER_UV, 2, s->uvs};
    s->layers[1] = (rblLayer){RBL_LAYER_NORMAL, 3, s->normals};
    s->layers[2] = (rblLayer){RBL_LAYER_UV, 2, s->more_uvs};
    s->layers[3] = (rblLayer){RBL_LAYER_COLOR, 4, s->colors};
    s->view = (rblMeshView){.vertex_count = 6,
                            .face_count = 3,
                            .corner_count = 11,
                            .positions = s->positions,
                            .face_starts = s->starts,
                            .corner_vertices = s->corners,
                            .layer_count = 4,
                            .layers = s->layers,
                            .face_materials = s->materials,
                            .face_groups = s->groups,
                            .face_origins = s->origins,
                            .material_count = 2,
                            .material_names = s->material_names,
                            .group_count = 3,
                            .group_names = s->group_names};
}

static rblMeshView view_of(rblMeshId id)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(id, &view));
    return view;
}

static void check_names(const char* const* a, uint32_t count_a, const char* const* b, uint32_t count_b)
{
    assert_int_equal(count_a, count_b);
    for (uint32_t i = 0; i < count_a; ++i)
    {
        assert_string_equal(a[i], b[i]);
    }
}

static void check_equal(const rblMeshView* a, const rblMeshView* b)
{
    assert_int_equal(a->vertex_count, b->vertex_count);
    assert_int_equal(a->face_count, b->face_count);
    assert_int_equal(a->corner_count, b->corner_count);
    assert_int_equal(a->layer_count, b->layer_count);
    assert_memory_equal(a->positions, b->positions, a->vertex_count * sizeof *a->positions);
    assert_memory_equal(a->face_starts, b->face_starts, (a->face_count + 1) * sizeof *a->face_starts);
    assert_memory_equal(a->corner_vertices, b->corner_vertices, a->corner_count * sizeof *a->corner_vertices);
    assert_memory_equal(a->face_materials, b->face_materials, a->face_count * sizeof *a->face_materials);
    assert_memory_equal(a->face_groups, b->face_groups, a->face_count * sizeof *a->face_groups);
    assert_memory_equal(a->face_origins, b->face_origins, a->face_count * sizeof *a->face_origins);
    for (uint32_t i = 0; i < a->layer_count; ++i)
    {
        assert_int_equal(a->layers[i].kind, b->layers[i].kind);
        assert_int_equal(a->layers[i].components, b->layers[i].components);
        assert_memory_equal(a->layers[i].data, b->layers[i].data,
                            a->corner_count * a->layers[i].components * sizeof(float));
    }
    check_names(a->material_names, a->material_count, b->material_names, b->material_count);
    check_names(a->group_names, a->group_count, b->group_names, b->group_count);
}

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
    const rblAllocator allocator = {summing_alloc, plain_free, &asked};
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
    const rblTasks tasks = {.worker_count = 2};
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

// ---- operations ----

static void triangulation_keeps_every_corner_attribute(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    rblMeshId id;
    rblMeshId out;
    check_ok(rbl_mesh_create(&s.view, &id));
    check_ok(rbl_mesh_triangulate(id, &out));
    const rblMeshView view = view_of(out);
    assert_int_equal(view.face_count, 5);
    assert_int_equal(view.corner_count, 15);
    check_names(view.material_names, view.material_count, s.material_names, 2);
    for (uint32_t f = 0; f < 5; ++f)
    {
        const uint32_t face = f < 2 ? f : 2;
        assert_int_equal(view.face_starts[f], 3 * f);
        assert_int_equal(view.face_origins[f], face);
        assert_int_equal(view.face_materials[f], s.materials[face]);
        assert_int_equal(view.face_groups[f], s.groups[face]);
    }
    for (uint32_t c = 0; c < 15; ++c)
    {
        const uint32_t corner =
            (uint32_t)view.layers[0].data[2 * c]; // the first UV layer holds the corner's number
        assert_int_equal(view.corner_vertices[c], s.corners[corner]);
        for (uint32_t i = 0; i < 4; ++i)
        {
            const uint32_t n = s.layers[i].components;
            assert_memory_equal(view.layers[i].data + n * c, s.layers[i].data + n * corner,
                                n * sizeof(float));
        }
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_triangulate(id, NULL));
    check_ok(rbl_mesh_destroy(id));
    check_ok(rbl_mesh_destroy(out));
}

static rblMat3d random_matrix(rblRandom* random)
{
    double m[9];
    for (int i = 0; i < 9; ++i)
    {
        m[i] = rbl_random_range(random, -2, 2);
    }
    return (rblMat3d){{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}};
}

static double determinant(const rblMat3d* m)
{
    return rbl_dot3d(m->cx, rbl_cross3d(m->cy, m->cz));
}

static double signed_volume(const rblMeshView* view)
{
    double volume = 0;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const rblVec3d normal = rbl_face_normal_area2(view, f);
        volume += rbl_dot3d(normal, view->positions[view->corner_vertices[view->face_starts[f]]]) / 6;
    }
    return volume;
}

// A cube whose corner normals are those of its faces.
static rblMeshId make_cube_with_normals(void)
{
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, -1, 1, true);
    const uint32_t layer = rbl_mesh_builder_layer(&builder, RBL_LAYER_NORMAL);
    for (uint32_t c = 0; c < 24; ++c)
    {
        float normal[3] = {0, 0, 0};
        normal[c / 8] = c / 4 % 2 == 0 ? -1.0f : 1.0f;
        rbl_mesh_builder_set(&builder, layer, c, normal);
    }
    rblMeshId id;
    check_ok(rbl_mesh_register(finish_shape(&builder), &id));
    return id;
}

static void transforms_scale_volume_and_turn_normals_with_the_faces(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(51, 0);
    const rblMeshId cube = make_cube_with_normals();
    uint32_t mirrors = 0;
    for (int round = 0; round < 50; ++round)
    {
        const rblMat3d m = random_matrix(&random);
        const double det = determinant(&m);
        rblMeshId out;
        check_ok(rbl_mesh_transform(cube, &m, (rblVec3d){5, -3, 1}, &out));
        const rblMeshView view = view_of(out);
        check_close(signed_volume(&view), 8 * fabs(det), 1e-10);
        for (uint32_t c = 0; c < view.corner_count; ++c)
        {
            const float* n = view.layers[0].data + 3 * c;
            const rblVec3d expected =
                rbl_normalize3d(rbl_face_normal_area2(&view, c / 4), rbl_vec3d(0, 0, 0));
            check_close(n[0], expected.x, 1e-6);
            check_close(n[1], expected.y, 1e-6);
            check_close(n[2], expected.z, 1e-6);
        }
        mirrors += det < 0;
        check_ok(rbl_mesh_destroy(out));
    }
    assert_in_range(mirrors, 5, 45);
    check_ok(rbl_mesh_destroy(cube));
}

static void a_transform_and_its_inverse_give_the_same_mesh(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    rblMeshId ids[3];
    check_ok(rbl_mesh_create(&s.view, &ids[0]));
    const rblMat3d there = {{0, -2, 0}, {4, 0, 0}, {0, 0, 0.5}};
    const rblMat3d back = {{0, 0.25, 0}, {-0.5, 0, 0}, {0, 0, 2}};
    check_ok(rbl_mesh_transform(ids[0], &there, (rblVec3d){0, 0, 0}, &ids[1]));
    check_ok(rbl_mesh_transform(ids[1], &back, (rblVec3d){0, 0, 0}, &ids[2]));
    const rblMeshView view = view_of(ids[2]);
    check_equal(&view, &s.view);
    for (int i = 0; i < 3; ++i)
    {
        check_ok(rbl_mesh_destroy(ids[i]));
    }
}

// Scales so different that products of two of them are no longer numbers.
static void normals_stay_unit_under_extreme_scales(void** state)
{
    (void)state;
    const rblMeshId cube = make_cube_with_normals();
    const rblMeshView before = view_of(cube);
    const double scales[][3] = {
        {1, 1e-200, 1e-200}, {1e-300, 1, 1e300}, {1e-300, 1e-300, 1e300}, {5e-324, 1, 1e308}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i)
    {
        const double* s = scales[i];
        const rblMat3d linear = {{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}};
        rblMeshId scaled;
        check_ok(rbl_mesh_transform(cube, &linear, rbl_vec3d(0, 0, 0), &scaled));
        const rblMeshView after = view_of(scaled);
        // Along the axes a scale does not turn them.
        assert_memory_equal(after.layers[0].data, before.layers[0].data,
                            sizeof(float) * 3 * before.corner_count);
        check_ok(rbl_mesh_destroy(scaled));
    }
    check_ok(rbl_mesh_destroy(cube));
}

static void bad_transforms_are_refused(void** state)
{
    (void)state;
    const rblMeshId cube = make_cube_with_normals();
    const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const rblVec3d zero = {0, 0, 0};
    rblMeshId out = {3, 4};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, NULL, zero, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, &identity, zero, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, &identity, (rblVec3d){0, (double)NAN, 0}, &out));
    const rblMat3d bad[] = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}},
                            {{1, 0, 0}, {0, 1, 0}, {1, 1, 0}},
                            {{0.1, 0.2, 0.3}, {0.2, 0.4, 0.6}, {0, 0, 1}},
                            {{1, 0, 0}, {0, (double)INFINITY, 0}, {0, 0, 1}},
                            {{1, 0, 0}, {0, 1, 0}, {0, 0, (double)NAN}}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, &bad[i], zero, &out));
    }
    assert_true(out.index1 == 3 && out.generation == 4);
    const rblMat3d tiny = {{1e-200, 0, 0}, {0, 1e-200, 0}, {0, 0, 1e-200}};
    rblMeshId small;
    check_ok(rbl_mesh_transform(cube, &tiny, zero, &small)); // small is not singular
    check_ok(rbl_mesh_destroy(small));
    const rblMat3d huge = {{1.7e308, 0, 0}, {1.7e308, 1, 0}, {0, 0, 1}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_transform(cube, &huge, zero, &out)); // positions overflow
    check_ok(rbl_mesh_destroy(cube));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void joining_matches_layers_and_merges_names(void** state)
{
    (void)state;
    Sample a;
    Sample b;
    fill_sample(&a);
    fill_sample(&b);
    b.material_names[0] = "glass";
    b.material_names[1] = "water";
    b.layers[0] = a.layers[3]; // colour first, then one UV layer
    b.layers[1] = (rblLayer){RBL_LAYER_UV, 2, b.more_uvs};
    b.view.layer_count = 2;
    b.view.group_count = 0;
    b.groups[1] = 41;
    rblMeshId ids[3];
    rblMeshId out;
    check_ok(rbl_mesh_create(&a.view, &ids[0]));
    check_ok(rbl_mesh_create(&b.view, &ids[1]));
    ids[2] = ids[0];
    check_ok(rbl_mesh_join(ids, 3, &out));
    const rblMeshView view = view_of(out);
    assert_int_equal(view.vertex_count, 18);
    assert_int_equal(view.face_count, 9);
    assert_int_equal(view.corner_count, 33);
    assert_int_equal(view.layer_count, 4);
    check_names(view.material_names, view.material_count, (const char* const[]){"stone", "glass", "water"},
                3);
    const char* const groups[] = {"a", "b", "c", "group 2", "group 41", "group 1"};
    check_names(view.group_names, view.group_count, groups, 6);
    const uint32_t materials[9] = {1, 0, 1, 2, 1, 2, 1, 0, 1};
    const uint32_t group_numbers[9] = {2, 0, 1, 3, 4, 5, 2, 0, 1};
    const uint32_t origins[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    assert_memory_equal(view.face_materials, materials, sizeof materials);
    assert_memory_equal(view.face_groups, group_numbers, sizeof group_numbers);
    assert_memory_equal(view.face_origins, origins, sizeof origins);
    const float zeros[33] = {0};
    for (uint32_t c = 0; c < 11; ++c)
    {
        assert_int_equal(view.corner_vertices[11 + c], 6 + b.corners[c]);
        assert_int_equal(view.corner_vertices[22 + c], 12 + b.corners[c]);
    }
    assert_memory_equal(view.layers[0].data, a.uvs, sizeof a.uvs);
    assert_memory_equal(view.layers[0].data + 22, b.more_uvs, sizeof b.more_uvs); // its first UV layer
    assert_memory_equal(view.layers[1].data + 33, zeros, 33 * sizeof(float));
    assert_memory_equal(view.layers[2].data + 22, zeros, 22 * sizeof(float));
    assert_memory_equal(view.layers[3].data + 44, a.colors, sizeof a.colors);
    assert_memory_equal(view.layers[2].data + 44, a.more_uvs, sizeof a.more_uvs);
    check_ok(rbl_mesh_destroy(ids[0]));
    check_ok(rbl_mesh_destroy(ids[1]));
    check_ok(rbl_mesh_destroy(out));
}

static void bare_numbers_stay_numbers_among_themselves(void** state)
{
    (void)state;
    Sample s;
    fill_sample(&s);
    s.view.material_count = s.view.group_count = 0;
    s.materials[0] = UINT32_MAX;
    rblMeshId ids[2];
    rblMeshId out;
    check_ok(rbl_mesh_create(&s.view, &ids[0]));
    ids[1] = ids[0];
    check_ok(rbl_mesh_join(ids, 2, &out));
    const rblMeshView view = view_of(out);
    assert_int_equal(view.material_count + view.group_count, 0);
    assert_memory_equal(view.face_materials, s.materials, sizeof s.materials);
    assert_memory_equal(view.face_materials + 3, s.materials, sizeof s.materials);
    check_ok(rbl_mesh_destroy(ids[0]));
    check_ok(rbl_mesh_destroy(out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(NULL, 1, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(ids, 0, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_join(ids, 2, NULL));
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
        cmocka_unit_test(triangulation_keeps_every_corner_attribute),
        cmocka_unit_test(transforms_scale_volume_and_turn_normals_with_the_faces),
        cmocka_unit_test(a_transform_and_its_inverse_give_the_same_mesh),
        cmocka_unit_test(normals_stay_unit_under_extreme_scales),
        cmocka_unit_test(bad_transforms_are_refused),
        cmocka_unit_test(joining_matches_layers_and_merges_names),
        cmocka_unit_test(bare_numbers_stay_numbers_among_themselves),
        cmocka_unit_test(running_out_of_memory_anywhere_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
