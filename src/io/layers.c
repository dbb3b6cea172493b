#include "io/layers.h"

#include "base/error.h"
#include "base/hash_map.h"
#include "math/vec.h"
#include <math.h>
#include <string.h>

const rblLayer* rbl_find_layer(const rblMeshView* view, rblLayerKind kind)
{
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        if (view->layers[i].kind == kind)
        {
            return &view->layers[i];
        }
    }
    return NULL;
}

uint32_t rbl_count_layers(const rblMeshView* view, rblLayerKind kind)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        count += view->layers[i].kind == kind;
    }
    return count;
}

// Fill one value per vertex from its corners; false when two of them differ in any bit.
static bool fill_per_vertex(const rblMeshView* view, const rblLayer* layer, float* values, uint8_t* seen)
{
    const uint32_t components = layer->components;
    const size_t size = components * sizeof *values;
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const uint32_t vertex = view->corner_vertices[c];
        const float* corner = layer->data + (size_t)c * components;
        float* value = values + (size_t)vertex * components;
        if (seen[vertex] == 0)
        {
            seen[vertex] = 1;
            memcpy(value, corner, size);
        }
        else if (memcmp(value, corner, size) != 0)
        {
            return false;
        }
    }
    return true;
}

static rblResult try_per_vertex(const rblMeshView* view, const rblLayer* layer, rblIndexedLayer* out)
{
    const rblAllocator* allocator = out->values.allocator;
    uint8_t* seen = rbl_alloc_zero(allocator, view->vertex_count);
    if (seen == NULL || !rbl_array_resize(&out->values, (size_t)view->vertex_count * layer->components))
    {
        RBL_FREE_ARRAY(allocator, seen, view->vertex_count);
        return rbl_fail_memory();
    }
    memset(out->values.data, 0, out->values.count * sizeof *out->values.data);
    out->per_vertex = fill_per_vertex(view, layer, out->values.data, seen);
    RBL_FREE_ARRAY(allocator, seen, view->vertex_count);
    if (!out->per_vertex)
    {
        rbl_array_clear(&out->values);
    }
    return RBL_OK;
}

static uint64_t value_key(const float* value, uint32_t components)
{
    uint64_t key = RBL_HASH_START;
    for (uint32_t k = 0; k < components; ++k)
    {
        uint32_t bits;
        memcpy(&bits, &value[k], sizeof bits);
        key = rbl_hash_u64(key ^ bits);
    }
    return key;
}

// The number of a value, added when it is new. False when out of memory.
static bool find_value(rblIndexedLayer* out, rblHashMap* map, const float* value, uint32_t* index)
{
    const size_t size = out->components * sizeof *value;
    uint64_t key = value_key(value, out->components);
    for (;;)
    {
        bool added;
        const uint32_t next = (uint32_t)(out->values.count / out->components);
        const uint32_t* found = rbl_hash_map_get_or_add(map, key, next, &added);
        if (found == NULL)
        {
            return false;
        }
        *index = *found;
        for (uint32_t k = 0; added && k < out->components; ++k)
        {
            if (!rbl_array_push(&out->values, value[k]))
            {
                return false;
            }
        }
        if (added || memcmp(out->values.data + (size_t)*index * out->components, value, size) == 0)
        {
            return true;
        }
        key = rbl_hash_u64(key + 1); // another value with the same hash: continue
    }
}

// Most corners have the value of another corner of the same vertex, so `last` of each vertex is tried before the map.
static bool index_corners(const rblMeshView* view, const rblLayer* layer, rblHashMap* map, uint32_t* last,
                          rblIndexedLayer* out)
{
    const size_t size = layer->components * sizeof *layer->data;
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const float* value = layer->data + (size_t)c * layer->components;
        uint32_t* at = &last[view->corner_vertices[c]];
        const bool same =
            *at != RBL_NONE && memcmp(out->values.data + (size_t)*at * layer->components, value, size) == 0;
        if (!same && !find_value(out, map, value, at))
        {
            return false;
        }
        out->indices.data[c] = *at;
    }
    return true;
}

static rblResult index_values(const rblMeshView* view, const rblLayer* layer, rblIndexedLayer* out)
{
    const rblAllocator* allocator = out->values.allocator;
    rblHashMap map;
    rbl_hash_map_init(&map, allocator);
    uint32_t* last = RBL_NEW_ARRAY(allocator, uint32_t, view->vertex_count);
    bool ok = last != NULL && rbl_array_resize(&out->indices, view->corner_count) &&
              rbl_hash_map_reserve(&map, view->vertex_count);
    if (ok)
    {
        memset(last, 0xFF, sizeof *last * view->vertex_count);
        ok = index_corners(view, layer, &map, last, out);
    }
    RBL_FREE_ARRAY(allocator, last, view->vertex_count);
    rbl_hash_map_free(&map);
    return ok ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_index_layer(const rblMeshView* view, const rblLayer* layer, bool only_per_vertex,
                          const rblAllocator* allocator, rblIndexedLayer* out)
{
    *out = (rblIndexedLayer){.components = layer->components};
    rbl_array_init(&out->values, allocator);
    rbl_array_init(&out->indices, allocator);
    rblResult result = try_per_vertex(view, layer, out);
    if (result == RBL_OK && !out->per_vertex && !only_per_vertex)
    {
        result = index_values(view, layer, out);
    }
    if (result != RBL_OK)
    {
        rbl_indexed_layer_free(out);
    }
    return result;
}

void rbl_indexed_layer_free(rblIndexedLayer* layer)
{
    if (layer->values.allocator != NULL)
    {
        rbl_array_free(&layer->values);
        rbl_array_free(&layer->indices);
    }
}

// Vectors of unit length up to rounding do not change, so that writing and reading a file again changes nothing.
void rbl_normalize_floats(float* xyz, size_t count)
{
    for (size_t i = 0; i < count; ++i)
    {
        float* n = xyz + 3 * i;
        const rblVec3d v = rbl_vec3d((double)n[0], (double)n[1], (double)n[2]);
        if (fabs(rbl_dot3d(v, v) - 1.0) < 1e-6)
        {
            continue;
        }
        const rblVec3d unit = rbl_normalize3d(v, rbl_vec3d(0, 0, 0));
        n[0] = (float)unit.x;
        n[1] = (float)unit.y;
        n[2] = (float)unit.z;
    }
}

static bool has_layer(const rblMeshBuilder* builder, rblLayerKind kind)
{
    for (size_t i = 0; i < builder->layers.count; ++i)
    {
        if (builder->layers.data[i].kind == kind)
        {
            return true;
        }
    }
    return false;
}

rblResult rbl_spread_to_corners(const rblFloatArray* values, rblLayerKind kind, rblMeshBuilder* builder)
{
    if (values->count == 0 || builder->face_starts.count == 0 || has_layer(builder, kind))
    {
        return RBL_OK;
    }
    const uint32_t number = rbl_mesh_builder_layer(builder, kind);
    if (builder->failed)
    {
        return rbl_fail_memory();
    }
    const rblBuilderLayer* layer = &builder->layers.data[number];
    const size_t size = layer->components * sizeof *values->data;
    for (size_t c = 0; c < builder->corner_vertices.count; ++c)
    {
        const size_t vertex = builder->corner_vertices.data[c];
        memcpy(layer->data.data + c * layer->components, values->data + vertex * layer->components, size);
    }
    return RBL_OK;
}
