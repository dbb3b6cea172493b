// A mesh with all there is, and comparing meshes.
#ifndef RBL_TESTS_MESH_SAMPLES_H
#define RBL_TESTS_MESH_SAMPLES_H

#include "shapes.h"
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

static inline void fill_sample(Sample* s)
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

static inline rblMeshView view_of(rblMeshId id)
{
    rblMeshView view;
    check_ok(rbl_mesh_view(id, &view));
    return view;
}

static inline void check_names(const char* const* a, uint32_t count_a, const char* const* b, uint32_t count_b)
{
    assert_int_equal(count_a, count_b);
    for (uint32_t i = 0; i < count_a; ++i)
    {
        assert_string_equal(a[i], b[i]);
    }
}

static inline void check_equal(const rblMeshView* a, const rblMeshView* b)
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

#endif
