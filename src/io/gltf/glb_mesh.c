#include "io/gltf/glb_mesh.h"

#include "base/log.h"
#include "base/sort.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include <float.h>
#include <stdio.h>
#include <string.h>

// Largest number of vertices of the same point that are compared with a new one. If no equal vertex is found, the
// file only becomes larger.
#define LONGEST_CHAIN 32

// ---- layout ----

static void choose_layout(rblGlbMesh* w)
{
    w->normal_layer = RBL_NONE;
    w->width = 6;
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        const rblLayer* layer = &w->view->layers[i];
        if (layer->kind != RBL_LAYER_NORMAL)
        {
            w->width += layer->components;
        }
        else if (w->normal_layer == RBL_NONE)
        {
            w->normal_layer = i;
        }
        else
        {
            rbl_log_message(RBL_LOG_WARNING, "GLB: a second layer of normals is left out");
        }
    }
    if (w->view->group_count > 1)
    {
        rbl_log_message(RBL_LOG_WARNING, "GLB: the names of %u groups are left out", w->view->group_count);
    }
}

// A 32-bit number near the middle, if the middle is far from 0 relative to the size of the mesh; otherwise 0.
static double choose_origin(double lower, double upper)
{
    const double middle = lower / 2 + upper / 2;
    const double reach = upper / 2 - lower / 2;
    return fabs(middle) > 4 * reach && fabs(middle) < (double)FLT_MAX ? (double)(float)middle : 0.0;
}

rblVec3d rbl_glb_mesh_origin(const rblMeshView* view)
{
    const rblAabbd bounds = rbl_mesh_bounds(view);
    return rbl_vec3d(choose_origin(bounds.lower.x, bounds.upper.x),
                     choose_origin(bounds.lower.y, bounds.upper.y),
                     choose_origin(bounds.lower.z, bounds.upper.z));
}

static rblResult check_positions(const rblGlbMesh* w)
{
    for (uint32_t c = 0; c < w->view->corner_count; ++c)
    {
        const rblVec3d p = rbl_sub3d(w->view->positions[w->view->corner_vertices[c]], w->origin);
        const double limit = (double)FLT_MAX;
        if (!(fabs(p.x) <= limit && fabs(p.y) <= limit && fabs(p.z) <= limit))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "GLB: the position of vertex %u does not fit 32-bit floating point",
                            w->view->corner_vertices[c]);
        }
    }
    return RBL_OK;
}

static bool material_before(uint32_t a, uint32_t b, const void* context)
{
    const rblGlbMesh* w = context;
    return w->view->face_materials[w->faces.data[a]] < w->view->face_materials[w->faces.data[b]];
}

static rblResult sort_triangles(rblGlbMesh* w)
{
    const size_t count = w->faces.count;
    w->order = RBL_NEW_ARRAY(w->allocator, uint32_t, count);
    uint32_t* scratch = RBL_NEW_ARRAY(w->allocator, uint32_t, count);
    if (w->order != NULL && scratch != NULL)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            w->order[i] = i;
        }
        rbl_sort_indices(w->order, scratch, count, material_before, w);
    }
    const bool ok = w->order != NULL && scratch != NULL;
    RBL_FREE_ARRAY(w->allocator, scratch, count);
    return ok ? RBL_OK : rbl_fail_memory();
}

// ---- vertices ----

static void put_normal(const rblGlbMesh* w, uint32_t corner, uint32_t face, float* out)
{
    const rblVec3d up = {0, 1, 0};
    rblVec3d n = {0, 0, 0};
    if (w->normal_layer != RBL_NONE)
    {
        const float* v = w->view->layers[w->normal_layer].data + 3 * (size_t)corner;
        n = rbl_vec3d((double)v[0], (double)v[1], (double)v[2]);
    }
    if (fabs(rbl_dot3d(n, n) - 1.0) > 1e-6)
    {
        const rblVec3d flat = rbl_normalize3d(rbl_face_normal_area2(w->view, face), up);
        n = rbl_normalize3d(n, flat);
    }
    out[0] = (float)n.x;
    out[1] = (float)n.y;
    out[2] = (float)n.z;
}

static void put_layers(const rblGlbMesh* w, uint32_t corner, float* out)
{
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        const rblLayer* layer = &w->view->layers[i];
        const float* values = layer->data + (size_t)corner * layer->components;
        if (layer->kind == RBL_LAYER_UV)
        {
            *out++ = values[0];
            *out++ = 1.0f - values[1];
        }
        else if (layer->kind == RBL_LAYER_COLOR)
        {
            for (uint32_t k = 0; k < 4; ++k)
            {
                *out++ = rbl_clampf(values[k], 0.0f, 1.0f); // range of glTF (3.7.2.1)
            }
        }
    }
}

// The vertex that equals the one in scratch; it is created when there is none.
static bool find_vertex(rblGlbMesh* w, uint32_t point, uint32_t* out)
{
    const size_t bytes = w->width * sizeof(float);
    uint32_t steps = 0;
    for (uint32_t v = w->heads[point]; v != RBL_NONE && steps < LONGEST_CHAIN; v = w->chain.data[v], ++steps)
    {
        if (memcmp(w->vertices.data + (size_t)v * w->width, w->scratch, bytes) == 0)
        {
            *out = v;
            return true;
        }
    }
    if (!rbl_array_reserve_more(&w->vertices, w->width) || !rbl_array_push(&w->chain, w->heads[point]))
    {
        return false;
    }
    memcpy(w->vertices.data + w->vertices.count, w->scratch, bytes);
    w->vertices.count += w->width;
    *out = (uint32_t)(w->chain.count - 1);
    w->heads[point] = *out;
    return true;
}

static bool make_vertices(rblGlbMesh* w)
{
    memset(w->heads, 0xFF, w->view->vertex_count * sizeof *w->heads);
    for (size_t t = 0; t < w->faces.count; ++t)
    {
        const uint32_t triangle = w->order[t];
        for (uint32_t i = 0; i < 3; ++i)
        {
            const uint32_t corner = w->corners.data[3 * (size_t)triangle + i];
            const uint32_t point = w->view->corner_vertices[corner];
            const rblVec3 p = rbl_to_float3(rbl_sub3d(w->view->positions[point], w->origin));
            uint32_t vertex;
            memcpy(w->scratch, &p, sizeof p);
            put_normal(w, corner, w->faces.data[triangle], w->scratch + 3);
            put_layers(w, corner, w->scratch + 6);
            if (!find_vertex(w, point, &vertex) || !rbl_array_push(&w->indices, vertex))
            {
                return false;
            }
        }
    }
    return true;
}

// ---- JSON ----

static uint32_t add_attribute(const rblGlbMesh* w, rblGlbBuilder* glb, uint32_t first, uint32_t components)
{
    return rbl_glb_add_floats(glb, &(rblGlbFloats){.values = w->vertices.data + first,
                                                   .stride = w->width,
                                                   .count = (uint32_t)w->chain.count,
                                                   .components = components,
                                                   .target = RBL_GLB_VERTICES,
                                                   .bounded = first == 0});
}

rblGlbAttributes rbl_glb_mesh_add(const rblGlbMesh* w, rblGlbBuilder* glb)
{
    rblGlbAttributes attributes = {0};
    attributes.position = add_attribute(w, glb, 0, 3);
    attributes.normal = add_attribute(w, glb, 3, 3);
    attributes.first_layer = attributes.normal + 1;
    uint32_t first = 6;
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        const rblLayer* layer = &w->view->layers[i];
        if (layer->kind != RBL_LAYER_NORMAL)
        {
            add_attribute(w, glb, first, layer->components);
            first += layer->components;
        }
    }
    attributes.first_indices = (uint32_t)glb->accessors.count;
    size_t end;
    for (size_t begin = 0; begin < w->faces.count; begin = end)
    {
        end = rbl_glb_mesh_run_end(w, begin);
        rbl_glb_add_indices(glb, w->indices.data + 3 * begin, (uint32_t)(3 * (end - begin)),
                            (uint32_t)w->chain.count);
    }
    return attributes;
}

static void put_index(rblJsonWriter* json, const char* key, uint32_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

static void put_attributes(const rblGlbMesh* w, rblJsonWriter* json, rblGlbAttributes attributes)
{
    uint32_t sets[RBL_LAYER_KIND_COUNT] = {0};
    uint32_t accessor = attributes.first_layer;
    rbl_json_key(json, "attributes");
    rbl_json_begin_object(json);
    put_index(json, "POSITION", attributes.position);
    put_index(json, "NORMAL", attributes.normal);
    for (uint32_t i = 0; i < w->view->layer_count; ++i)
    {
        const rblLayerKind kind = w->view->layers[i].kind;
        if (kind != RBL_LAYER_NORMAL)
        {
            char key[32];
            snprintf(key, sizeof key, "%s_%u", kind == RBL_LAYER_UV ? "TEXCOORD" : "COLOR", sets[kind]++);
            put_index(json, key, accessor++);
        }
    }
    rbl_json_end_object(json);
}

uint32_t rbl_glb_mesh_material(const rblGlbMesh* w, size_t place)
{
    return w->view->face_materials[w->faces.data[w->order[place]]];
}

size_t rbl_glb_mesh_run_end(const rblGlbMesh* w, size_t begin)
{
    size_t end = begin + 1;
    while (end < w->faces.count && rbl_glb_mesh_material(w, end) == rbl_glb_mesh_material(w, begin))
    {
        end += 1;
    }
    return end;
}

void rbl_glb_mesh_put(const rblGlbMesh* w, rblJsonWriter* json, rblGlbAttributes attributes,
                      uint32_t first_material, const uint8_t* table)
{
    uint32_t primitive = 0;
    rbl_json_begin_object(json);
    rbl_json_key(json, "primitives");
    rbl_json_begin_array(json);
    for (size_t begin = 0; begin < w->faces.count; begin = rbl_glb_mesh_run_end(w, begin))
    {
        rbl_json_begin_object(json);
        put_attributes(w, json, attributes);
        put_index(json, "indices", attributes.first_indices + primitive);
        put_index(json, "material",
                  first_material + (table != NULL ? table[rbl_glb_mesh_material(w, begin)] : primitive));
        rbl_json_end_object(json);
        primitive += 1;
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
}

// ---- public calls ----

rblResult rbl_glb_mesh_prepare(rblGlbMesh* w, const rblMeshView* view, rblVec3d origin,
                               const rblAllocator* allocator)
{
    *w = (rblGlbMesh){.view = view, .allocator = allocator, .origin = origin};
    rbl_array_init(&w->corners, allocator);
    rbl_array_init(&w->faces, allocator);
    rbl_array_init(&w->vertices, allocator);
    rbl_array_init(&w->chain, allocator);
    rbl_array_init(&w->indices, allocator);
    choose_layout(w);
    RBL_TRY(check_positions(w));
    RBL_TRY(rbl_triangulate_corners(w->view, &w->corners, &w->faces));
    if (w->corners.count > UINT32_MAX / 2)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "GLB: %zu triangles are more than the 4 GiB of a file can hold",
                        w->faces.count);
    }
    RBL_TRY(sort_triangles(w));
    w->heads = RBL_NEW_ARRAY(w->allocator, uint32_t, w->view->vertex_count);
    w->scratch = RBL_NEW_ARRAY(w->allocator, float, w->width);
    return w->heads != NULL && w->scratch != NULL && make_vertices(w) ? RBL_OK : rbl_fail_memory();
}

void rbl_glb_mesh_free(rblGlbMesh* w)
{
    RBL_FREE_ARRAY(w->allocator, w->order, w->faces.count);
    RBL_FREE_ARRAY(w->allocator, w->heads, w->view->vertex_count);
    RBL_FREE_ARRAY(w->allocator, w->scratch, w->width);
    rbl_array_free(&w->corners);
    rbl_array_free(&w->faces);
    rbl_array_free(&w->vertices);
    rbl_array_free(&w->chain);
    rbl_array_free(&w->indices);
}
