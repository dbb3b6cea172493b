#include "base/error.h"
#include "math/vec.h"
#include "mesh/mesh_private.h"
#include <string.h>

static void init_names(rblNameTable* table, const rblAllocator* allocator)
{
    rbl_array_init(&table->names, allocator);
    rbl_hash_map_init(&table->numbers, allocator);
}

void rbl_mesh_builder_init(rblMeshBuilder* builder, const rblAllocator* allocator)
{
    *builder = (rblMeshBuilder){.allocator = allocator};
    rbl_array_init(&builder->positions, allocator);
    rbl_array_init(&builder->face_starts, allocator);
    rbl_array_init(&builder->corner_vertices, allocator);
    rbl_array_init(&builder->layers, allocator);
    rbl_array_init(&builder->face_materials, allocator);
    rbl_array_init(&builder->face_groups, allocator);
    rbl_array_init(&builder->face_origins, allocator);
    init_names(&builder->materials, allocator);
    init_names(&builder->groups, allocator);
}

static void discard_names(rblNameTable* table)
{
    for (size_t i = 0; i < table->names.count; ++i)
    {
        rbl_free(table->names.allocator, table->names.data[i], strlen(table->names.data[i]) + 1);
    }
    rbl_array_free(&table->names);
    rbl_hash_map_free(&table->numbers);
}

void rbl_mesh_builder_discard(rblMeshBuilder* builder)
{
    rbl_array_free(&builder->positions);
    rbl_array_free(&builder->face_starts);
    rbl_array_free(&builder->corner_vertices);
    for (size_t i = 0; i < builder->layers.count; ++i)
    {
        rbl_array_free(&builder->layers.data[i].data);
    }
    rbl_array_free(&builder->layers);
    rbl_array_free(&builder->face_materials);
    rbl_array_free(&builder->face_groups);
    rbl_array_free(&builder->face_origins);
    discard_names(&builder->materials);
    discard_names(&builder->groups);
    rbl_mesh_builder_init(builder, builder->allocator);
}

void rbl_mesh_builder_reserve(rblMeshBuilder* builder, size_t vertices, size_t faces, size_t corners)
{
    bool ok = rbl_array_reserve(&builder->positions, vertices);
    ok = ok && rbl_array_reserve(&builder->face_starts, faces + 1); // finish() appends the end
    ok = ok && rbl_array_reserve(&builder->face_materials, faces);
    ok = ok && rbl_array_reserve(&builder->face_groups, faces);
    ok = ok && rbl_array_reserve(&builder->face_origins, faces);
    ok = ok && rbl_array_reserve(&builder->corner_vertices, corners);
    for (size_t i = 0; i < builder->layers.count; ++i)
    {
        rblBuilderLayer* layer = &builder->layers.data[i];
        ok = ok && rbl_array_reserve(&layer->data, corners * layer->components);
    }
    builder->failed = builder->failed || !ok;
}

uint32_t rbl_mesh_builder_layer(rblMeshBuilder* builder, rblLayerKind kind)
{
    rblBuilderLayer layer = {.kind = kind, .components = rbl_layer_components(kind)};
    rbl_array_init(&layer.data, builder->allocator);
    const size_t values = builder->corner_vertices.count * layer.components;
    if (builder->failed || !rbl_array_resize(&layer.data, values) || !rbl_array_push(&builder->layers, layer))
    {
        rbl_array_free(&layer.data);
        builder->failed = true;
        return 0;
    }
    if (values > 0)
    {
        memset(layer.data.data, 0, values * sizeof(float));
    }
    return (uint32_t)(builder->layers.count - 1);
}

// The number of a name, RBL_NONE when it is missing; *key is then the key to store its number under. Two names of
// equal hash get different keys.
static uint32_t find_name(const rblNameTable* table, const char* name, uint64_t* key)
{
    *key = rbl_hash_bytes(RBL_HASH_START, name, strlen(name));
    for (;;)
    {
        const uint32_t number = rbl_hash_map_find(&table->numbers, *key);
        if (number == RBL_MAP_EMPTY || strcmp(table->names.data[number], name) == 0)
        {
            return number;
        }
        *key = rbl_hash_u64(*key + 1);
    }
}

static uint32_t add_name(rblMeshBuilder* builder, rblNameTable* table, const char* name)
{
    uint64_t key;
    const bool known = find_name(table, name, &key) != RBL_NONE;
    const size_t size = strlen(name) + 1;
    char* copy = builder->failed ? NULL : rbl_alloc(builder->allocator, size);
    if (copy == NULL || !rbl_array_push(&table->names, copy))
    {
        rbl_free(builder->allocator, copy, size);
        builder->failed = true;
        return 0;
    }
    memcpy(copy, name, size);
    const uint32_t number = (uint32_t)(table->names.count - 1);
    bool added;
    builder->failed = !known && rbl_hash_map_get_or_add(&table->numbers, key, number, &added) == NULL;
    return number;
}

static uint32_t intern_name(rblMeshBuilder* builder, rblNameTable* table, const char* name)
{
    uint64_t key;
    const uint32_t number = find_name(table, name, &key);
    return number != RBL_NONE ? number : add_name(builder, table, name);
}

uint32_t rbl_mesh_builder_material(rblMeshBuilder* builder, const char* name)
{
    return intern_name(builder, &builder->materials, name);
}

uint32_t rbl_mesh_builder_group(rblMeshBuilder* builder, const char* name)
{
    return intern_name(builder, &builder->groups, name);
}

// Duplicate names are kept, so that numbers keep their meaning.
void rbl_mesh_builder_like(rblMeshBuilder* builder, const rblMeshView* source)
{
    for (uint32_t i = 0; i < source->layer_count; ++i)
    {
        rbl_mesh_builder_layer(builder, source->layers[i].kind);
    }
    for (uint32_t i = 0; i < source->material_count; ++i)
    {
        add_name(builder, &builder->materials, source->material_names[i]);
    }
    for (uint32_t i = 0; i < source->group_count; ++i)
    {
        add_name(builder, &builder->groups, source->group_names[i]);
    }
}

// Whether there is an index for one more element after `count`.
static bool has_number(rblMeshBuilder* builder, size_t count)
{
    builder->too_large = builder->too_large || count >= RBL_MAX_ELEMENTS;
    return !builder->too_large;
}

uint32_t rbl_mesh_builder_vertex(rblMeshBuilder* builder, rblVec3d position)
{
    if (builder->failed || !has_number(builder, builder->positions.count) ||
        !rbl_array_push(&builder->positions, position))
    {
        builder->failed = true;
        return 0;
    }
    return (uint32_t)(builder->positions.count - 1);
}

// Append one corner to every layer; the caller writes its values.
static bool grow_layers(rblMeshBuilder* builder)
{
    for (size_t i = 0; i < builder->layers.count; ++i)
    {
        rblBuilderLayer* layer = &builder->layers.data[i];
        for (uint32_t k = 0; k < layer->components; ++k)
        {
            if (!rbl_array_push(&layer->data, 0.0f))
            {
                return false;
            }
        }
    }
    return true;
}

uint32_t rbl_mesh_builder_corner(rblMeshBuilder* builder, uint32_t vertex)
{
    if (builder->failed || !has_number(builder, builder->corner_vertices.count) ||
        !rbl_array_push(&builder->corner_vertices, vertex) || !grow_layers(builder))
    {
        builder->failed = true;
        return 0;
    }
    return (uint32_t)(builder->corner_vertices.count - 1);
}

void rbl_mesh_builder_set(rblMeshBuilder* builder, uint32_t layer, uint32_t corner, const float* values)
{
    if (!builder->failed)
    {
        rblBuilderLayer* target = &builder->layers.data[layer];
        memcpy(target->data.data + (size_t)corner * target->components, values,
               target->components * sizeof *values);
    }
}

uint32_t rbl_mesh_builder_corner_copy(rblMeshBuilder* builder, uint32_t vertex, const rblMeshView* source,
                                      uint32_t corner)
{
    const uint32_t added = rbl_mesh_builder_corner(builder, vertex);
    for (uint32_t i = 0; i < source->layer_count; ++i)
    {
        const rblLayer* layer = &source->layers[i];
        rbl_mesh_builder_set(builder, i, added, layer->data + (size_t)corner * layer->components);
    }
    return added;
}

// Weighted sum of one layer over several corners; normals are normalised.
static void blend_layer(const rblLayer* layer, const uint32_t* corners, const double* weights, uint32_t count,
                        float out[4])
{
    double sum[4] = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; ++i)
    {
        const float* values = layer->data + (size_t)corners[i] * layer->components;
        for (uint32_t k = 0; k < layer->components; ++k)
        {
            sum[k] += weights[i] * (double)values[k];
        }
    }
    if (layer->kind == RBL_LAYER_NORMAL)
    {
        const float* first = layer->data + (size_t)corners[0] * layer->components;
        const rblVec3d fallback = {(double)first[0], (double)first[1], (double)first[2]};
        const rblVec3d unit = rbl_normalize3d(rbl_vec3d(sum[0], sum[1], sum[2]), fallback);
        sum[0] = unit.x;
        sum[1] = unit.y;
        sum[2] = unit.z;
    }
    for (uint32_t k = 0; k < layer->components; ++k)
    {
        out[k] = (float)sum[k];
    }
}

uint32_t rbl_mesh_builder_corner_blend(rblMeshBuilder* builder, uint32_t vertex, const rblMeshView* source,
                                       const uint32_t* corners, const double* weights, uint32_t count)
{
    const uint32_t added = rbl_mesh_builder_corner(builder, vertex);
    for (uint32_t i = 0; i < source->layer_count; ++i)
    {
        float values[4];
        blend_layer(&source->layers[i], corners, weights, count, values);
        rbl_mesh_builder_set(builder, i, added, values);
    }
    return added;
}

uint32_t rbl_mesh_builder_face(rblMeshBuilder* builder, uint32_t material, uint32_t group, uint32_t origin)
{
    if (builder->failed || !rbl_array_push(&builder->face_starts, builder->open_corner) ||
        !rbl_array_push(&builder->face_materials, material) ||
        !rbl_array_push(&builder->face_groups, group) || !rbl_array_push(&builder->face_origins, origin))
    {
        builder->failed = true;
        return 0;
    }
    builder->open_corner = (uint32_t)builder->corner_vertices.count;
    return (uint32_t)(builder->face_starts.count - 1);
}

void rbl_mesh_builder_copy(rblMeshBuilder* builder, const rblMeshView* source)
{
    rbl_mesh_builder_like(builder, source);
    rbl_mesh_builder_reserve(builder, source->vertex_count, source->face_count, source->corner_count);
    for (uint32_t v = 0; v < source->vertex_count; ++v)
    {
        rbl_mesh_builder_vertex(builder, source->positions[v]);
    }
    for (uint32_t f = 0; f < source->face_count; ++f)
    {
        for (uint32_t c = source->face_starts[f]; c < source->face_starts[f + 1]; ++c)
        {
            rbl_mesh_builder_corner_copy(builder, source->corner_vertices[c], source, c);
        }
        rbl_mesh_builder_face(builder, source->face_materials != NULL ? source->face_materials[f] : 0,
                              source->face_groups != NULL ? source->face_groups[f] : 0,
                              source->face_origins != NULL ? source->face_origins[f] : f);
    }
}

void rbl_mesh_builder_cancel_face(rblMeshBuilder* builder)
{
    if (builder->failed)
    {
        return;
    }
    builder->corner_vertices.count = builder->open_corner;
    for (size_t i = 0; i < builder->layers.count; ++i)
    {
        rblBuilderLayer* layer = &builder->layers.data[i];
        layer->data.count = (size_t)builder->open_corner * layer->components;
    }
}

static rblResult check_finished(const rblMeshBuilder* builder)
{
    // Some readers fill the arrays directly.
    if (builder->too_large || builder->corner_vertices.count > RBL_MAX_ELEMENTS ||
        builder->positions.count > RBL_MAX_ELEMENTS)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "the mesh has more than %u corners or vertices", RBL_MAX_ELEMENTS);
    }
    if (builder->failed)
    {
        return rbl_fail_memory();
    }
    if (builder->face_starts.count == 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "the mesh has no faces");
    }
    return RBL_OK;
}

static rblResult wrap_layers(rblMesh* mesh)
{
    const size_t count = mesh->storage.layers.count;
    mesh->layers = RBL_NEW_ARRAY(mesh->storage.allocator, rblLayer, count);
    if (mesh->layers == NULL && count > 0)
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < count; ++i)
    {
        const rblBuilderLayer* layer = &mesh->storage.layers.data[i];
        mesh->layers[i] = (rblLayer){layer->kind, layer->components, layer->data.data};
    }
    return RBL_OK;
}

static rblMeshView make_view(const rblMesh* mesh)
{
    const rblMeshBuilder* storage = &mesh->storage;
    return (rblMeshView){
        .vertex_count = (uint32_t)storage->positions.count,
        .face_count = (uint32_t)storage->face_materials.count,
        .corner_count = (uint32_t)storage->corner_vertices.count,
        .positions = storage->positions.data,
        .face_starts = storage->face_starts.data,
        .corner_vertices = storage->corner_vertices.data,
        .layer_count = (uint32_t)storage->layers.count,
        .layers = mesh->layers,
        .face_materials = storage->face_materials.data,
        .face_groups = storage->face_groups.data,
        .face_origins = storage->face_origins.data,
        .material_count = (uint32_t)storage->materials.names.count,
        .material_names = (const char* const*)storage->materials.names.data,
        .group_count = (uint32_t)storage->groups.names.count,
        .group_names = (const char* const*)storage->groups.names.data,
    };
}

static rblResult finish_mesh(rblMeshBuilder* builder, rblMesh* mesh)
{
    rbl_mesh_builder_cancel_face(builder);
    rbl_hash_map_free(&builder->materials.numbers);
    rbl_hash_map_free(&builder->groups.numbers);
    if (!rbl_array_push(&builder->face_starts, builder->open_corner))
    {
        return rbl_fail_memory();
    }
    atomic_init(&mesh->references, 1);
    mesh->storage = *builder; // the arrays move to the mesh
    rbl_mesh_builder_init(builder, builder->allocator);
    RBL_TRY(wrap_layers(mesh));
    mesh->view = make_view(mesh);
    return RBL_OK;
}

rblResult rbl_mesh_builder_finish(rblMeshBuilder* builder, rblMesh** out)
{
    rblMesh* mesh = NULL;
    rblResult result = check_finished(builder);
    if (result == RBL_OK)
    {
        mesh = rbl_alloc_zero(builder->allocator, sizeof *mesh);
        result = mesh != NULL ? RBL_OK : rbl_fail_memory();
    }
    if (result == RBL_OK)
    {
        rbl_mesh_builder_init(&mesh->storage, builder->allocator);
        result = finish_mesh(builder, mesh);
    }
    rbl_mesh_builder_discard(builder);
    if (result != RBL_OK)
    {
        rbl_mesh_free(mesh);
        return result;
    }
    *out = mesh;
    return RBL_OK;
}
