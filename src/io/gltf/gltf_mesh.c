// From the primitives of one mesh (3.7) to triangles.
#include "base/hash_map.h"
#include "base/sort.h"
#include "io/gltf/gltf_private.h"
#include "math/vec.h"
#include <stdio.h>

enum
{
    MODE_TRIANGLES = 4,
    MODE_STRIP = 5,
    MODE_FAN = 6
};

typedef struct Primitive
{
    rblJson json;
    rblJson position_reference; // for messages
    const rblGltfAccessor* positions;
    const rblGltfAccessor* indices; // null: vertices in their own order
    uint32_t mode;
    uint32_t material; // RBL_NONE: none
    uint32_t sequence; // number of vertices in the sequence of the mode
} Primitive;

typedef struct MeshReader
{
    rblGltf* gltf;
    const rblGltfLayers* layers;
    const rblGltfAccessor** accessors; // per layer of the current primitive; null: missing
    rblMeshBuilder builder;
    // From vertices of the file to vertices of the builder. The table is used when its size is in proportion to the
    // triangles, the map when a few triangles use a large list.
    uint32_t* table;
    rblHashMap map;
} MeshReader;

// ---- attributes ----

static uint32_t layer_count(const rblGltfLayers* layers)
{
    return layers->normals + layers->uvs + layers->colors;
}

static rblLayerKind layer_kind(const rblGltfLayers* layers, uint32_t layer)
{
    if (layer < layers->normals)
    {
        return RBL_LAYER_NORMAL;
    }
    return layer < layers->normals + layers->uvs ? RBL_LAYER_UV : RBL_LAYER_COLOR;
}

static rblJson find_set(rblJson attributes, const char* name, uint32_t set)
{
    char key[32];
    snprintf(key, sizeof key, "%s_%u", name, set);
    return rbl_json_find(attributes, key);
}

static rblJson find_layer(rblJson attributes, const rblGltfLayers* layers, uint32_t layer)
{
    switch (layer_kind(layers, layer))
    {
    case RBL_LAYER_NORMAL:
        return rbl_json_find(attributes, "NORMAL");
    case RBL_LAYER_UV:
        return find_set(attributes, "TEXCOORD", layer - layers->normals);
    default:
        return find_set(attributes, "COLOR", layer - layers->normals - layers->uvs);
    }
}

// Sets are numbered without gaps; sets after a gap are ignored. The number is limited, because every set costs time
// and memory at every corner of every primitive, even if that primitive does not have it.
static rblResult count_sets(rblJson attributes, const char* name, uint32_t* most)
{
    uint32_t count = 0;
    while (rbl_json_exists(find_set(attributes, name, count)))
    {
        count += 1;
    }
    if (count > RBL_GLTF_MAX_SETS)
    {
        return rbl_json_fail(attributes, RBL_ERROR_LIMIT, "%u sets of %s; Rubble reads up to %u", count, name,
                             RBL_GLTF_MAX_SETS);
    }
    *most = count > *most ? count : *most;
    return RBL_OK;
}

static rblResult get_mode(rblJson primitive, uint32_t* mode)
{
    *mode = MODE_TRIANGLES;
    RBL_TRY(rbl_json_optional_u32(primitive, "mode", mode));
    return *mode <= MODE_FAN ? RBL_OK : rbl_json_fail(primitive, RBL_ERROR_FORMAT, "%u is not a mode", *mode);
}

rblResult rbl_gltf_survey(rblGltf* gltf, uint32_t mesh, rblGltfLayers* layers)
{
    rblJson primitives;
    RBL_TRY(rbl_json_require(rbl_json_item(gltf->meshes, mesh), "primitives", &primitives));
    RBL_TRY(rbl_json_expect(primitives, RBL_JSON_ARRAY));
    for (uint32_t i = 0; i < rbl_json_count(primitives); ++i)
    {
        const rblJson primitive = rbl_json_item(primitives, i);
        rblJson attributes;
        uint32_t mode;
        RBL_TRY(rbl_json_require(primitive, "attributes", &attributes));
        RBL_TRY(rbl_json_expect(attributes, RBL_JSON_OBJECT));
        RBL_TRY(get_mode(primitive, &mode));
        if (rbl_json_exists(rbl_json_find(primitive, "targets")))
        {
            rbl_gltf_warn(gltf, primitive, RBL_GLTF_MORPH_TARGETS);
        }
        if (mode >= MODE_TRIANGLES)
        {
            layers->normals = rbl_json_exists(rbl_json_find(attributes, "NORMAL")) ? 1 : layers->normals;
            RBL_TRY(count_sets(attributes, "TEXCOORD", &layers->uvs));
            RBL_TRY(count_sets(attributes, "COLOR", &layers->colors));
        }
    }
    return RBL_OK;
}

rblResult rbl_gltf_charge(rblGltf* gltf, const rblGltfLayers* layers, rblJson where, uint64_t corners)
{
    // Bytes per corner in the builder, at least: a vertex, an index, a third of the four numbers of a face, and the
    // attributes.
    const uint64_t attribute_bytes =
        4 * (3 * (uint64_t)layers->normals + 2 * (uint64_t)layers->uvs + 4 * (uint64_t)layers->colors);
    const uint64_t corner_bytes = sizeof(rblVec3d) + 10 + attribute_bytes;
    gltf->corners += corners;
    if (gltf->corners > UINT32_MAX / 2 || gltf->corners > gltf->source->max_bytes / corner_bytes)
    {
        return rbl_json_fail(where, RBL_ERROR_LIMIT,
                             "the triangles up to here need more than %zu bytes or 2^31 corners",
                             gltf->source->max_bytes);
    }
    return RBL_OK;
}

// ---- opening a primitive ----

static rblResult open_attribute(MeshReader* reader, const Primitive* primitive, rblJson reference,
                                uint32_t least, uint32_t most, const rblGltfAccessor** out)
{
    RBL_TRY(rbl_gltf_accessor(reader->gltf, reference, out));
    if ((*out)->components < least || (*out)->components > most)
    {
        return rbl_json_fail(reference, RBL_ERROR_FORMAT, "expected %u components, found %u", most,
                             (*out)->components);
    }
    if (primitive->positions != NULL && (*out)->count != primitive->positions->count)
    {
        return rbl_json_fail(reference, RBL_ERROR_FORMAT, "%u values for %u vertices", (*out)->count,
                             primitive->positions->count);
    }
    return RBL_OK;
}

static rblResult open_layers(MeshReader* reader, const Primitive* primitive, rblJson attributes)
{
    for (uint32_t i = 0; i < layer_count(reader->layers); ++i)
    {
        const rblJson reference = find_layer(attributes, reader->layers, i);
        const rblLayerKind kind = layer_kind(reader->layers, i);
        const uint32_t most = rbl_layer_components(kind);
        reader->accessors[i] = NULL;
        if (rbl_json_exists(reference))
        {
            const uint32_t least = kind == RBL_LAYER_COLOR ? 3 : most;
            RBL_TRY(open_attribute(reader, primitive, reference, least, most, &reader->accessors[i]));
        }
    }
    return RBL_OK;
}

static rblResult open_indices(MeshReader* reader, Primitive* primitive)
{
    const rblJson reference = rbl_json_find(primitive->json, "indices");
    primitive->sequence = primitive->positions->count;
    if (!rbl_json_exists(reference))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_gltf_accessor(reader->gltf, reference, &primitive->indices));
    const uint32_t type = primitive->indices->component_type;
    if (primitive->indices->components != 1 || type == RBL_GLTF_FLOAT || type == RBL_GLTF_BYTE ||
        type == RBL_GLTF_SHORT || primitive->indices->normalized)
    {
        return rbl_json_fail(reference, RBL_ERROR_FORMAT, "indices must be plain unsigned scalars");
    }
    primitive->sequence = primitive->indices->count;
    return RBL_OK;
}

static rblResult check_sequence(const Primitive* primitive)
{
    const uint32_t count = primitive->sequence;
    const bool whole = primitive->mode == MODE_TRIANGLES ? count % 3 == 0 : count >= 3;
    return whole ? RBL_OK
                 : rbl_json_fail(primitive->json, RBL_ERROR_FORMAT, "%u vertices do not make whole triangles",
                                 count);
}

static rblResult open_primitive(MeshReader* reader, Primitive* primitive)
{
    const rblJson material = rbl_json_find(primitive->json, "material");
    rblJson attributes;
    RBL_TRY(rbl_json_require(primitive->json, "attributes", &attributes));
    RBL_TRY(rbl_json_require(attributes, "POSITION", &primitive->position_reference));
    RBL_TRY(open_attribute(reader, primitive, primitive->position_reference, 3, 3, &primitive->positions));
    RBL_TRY(open_layers(reader, primitive, attributes));
    RBL_TRY(open_indices(reader, primitive));
    RBL_TRY(check_sequence(primitive));
    primitive->material = RBL_NONE;
    return rbl_json_exists(material)
               ? rbl_gltf_refer(material, reader->gltf->materials, "material", &primitive->material)
               : RBL_OK;
}

// ---- corners ----

static rblResult add_vertex(MeshReader* reader, const Primitive* primitive, uint32_t vertex, uint32_t* out)
{
    double p[3];
    rbl_gltf_read(primitive->positions, vertex, p);
    const rblVec3d position = {p[0], p[1], p[2]};
    if (!reader->gltf->source->keep_non_finite && !rbl_finite3d(position))
    {
        return rbl_json_fail(primitive->position_reference, RBL_ERROR_FORMAT, "position %u is not finite",
                             vertex);
    }
    *out = rbl_mesh_builder_vertex(&reader->builder, position);
    return RBL_OK;
}

static rblResult map_vertex(MeshReader* reader, const Primitive* primitive, uint32_t vertex, uint32_t* out)
{
    bool added = false;
    uint32_t* slot;
    if (reader->table != NULL)
    {
        slot = &reader->table[vertex];
        added = *slot == RBL_NONE;
    }
    else
    {
        slot = rbl_hash_map_get_or_add(&reader->map, vertex, 0, &added);
        if (slot == NULL)
        {
            return rbl_fail_memory();
        }
    }
    if (added)
    {
        RBL_TRY(add_vertex(reader, primitive, vertex, slot));
    }
    *out = *slot;
    return RBL_OK;
}

// Normalise a normal that is far from unit length (quantised, or not normalised); replace one without a direction.
static void mend_normal(double n[3], rblVec3d face_normal)
{
    const rblVec3d v = {n[0], n[1], n[2]};
    if (fabs(rbl_dot3d(v, v) - 1.0) > 1e-6)
    {
        const rblVec3d unit = rbl_normalize3d(v, face_normal);
        n[0] = unit.x;
        n[1] = unit.y;
        n[2] = unit.z;
    }
}

// The value of one attribute at a vertex, in the conventions of Rubble: v upwards, colours with alpha.
static rblResult read_attribute(MeshReader* reader, const Primitive* primitive, uint32_t layer,
                                uint32_t vertex, rblVec3d face_normal, float out[4])
{
    const rblLayerKind kind = layer_kind(reader->layers, layer);
    const rblGltfAccessor* accessor = reader->accessors[layer];
    double v[4] = {0.0, 0.0, 0.0, 1.0};
    if (accessor != NULL)
    {
        rbl_gltf_read(accessor, vertex, v);
    }
    else if (kind == RBL_LAYER_COLOR)
    {
        v[0] = v[1] = v[2] = 1.0; // vertices without colour are white (3.9.2)
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        v[i] = rbl_finite(v[i]) || !reader->gltf->source->keep_non_finite ? v[i] : 0.0;
    }
    if (kind == RBL_LAYER_NORMAL)
    {
        mend_normal(v, face_normal);
    }
    else if (kind == RBL_LAYER_UV && accessor != NULL)
    {
        v[1] = 1.0 - v[1];
    }
    for (uint32_t i = 0; i < 4; ++i)
    {
        out[i] = (float)v[i];
        if (!rbl_finite(v[i]))
        {
            return rbl_json_fail(primitive->json, RBL_ERROR_FORMAT, "an attribute of vertex %u is not finite",
                                 vertex);
        }
    }
    return RBL_OK;
}

static rblVec3d triangle_normal(const MeshReader* reader, const uint32_t vertices[3])
{
    const rblVec3d* p = reader->builder.positions.data;
    const rblVec3d up = {0, 1, 0};
    if (reader->builder.failed)
    {
        return up;
    }
    const rblVec3d a = rbl_sub3d(p[vertices[1]], p[vertices[0]]);
    const rblVec3d b = rbl_sub3d(p[vertices[2]], p[vertices[0]]);
    return rbl_normalize3d(rbl_cross3d(a, b), up);
}

static rblResult add_corner(MeshReader* reader, const Primitive* primitive, uint32_t source, uint32_t vertex,
                            rblVec3d normal)
{
    const uint32_t corner = rbl_mesh_builder_corner(&reader->builder, vertex);
    for (uint32_t layer = 0; layer < layer_count(reader->layers); ++layer)
    {
        float values[4];
        RBL_TRY(read_attribute(reader, primitive, layer, source, normal, values));
        rbl_mesh_builder_set(&reader->builder, layer, corner, values);
    }
    return RBL_OK;
}

// ---- triangles ----

// The three positions in the sequence that form triangle t (3.7.2.1).
static void triangle_places(uint32_t mode, uint32_t t, uint32_t places[3])
{
    const uint32_t odd = t & 1;
    switch (mode)
    {
    case MODE_TRIANGLES:
        places[0] = 3 * t;
        places[1] = 3 * t + 1;
        places[2] = 3 * t + 2;
        break;
    case MODE_STRIP:
        places[0] = t;
        places[1] = t + 1 + odd;
        places[2] = t + 2 - odd;
        break;
    default:
        places[0] = t + 1;
        places[1] = t + 2;
        places[2] = 0;
    }
}

static rblResult add_triangle(MeshReader* reader, const Primitive* primitive, uint32_t triangle)
{
    uint32_t places[3], source[3], vertices[3];
    triangle_places(primitive->mode, triangle, places);
    for (int i = 0; i < 3; ++i)
    {
        source[i] =
            primitive->indices != NULL ? rbl_gltf_read_index(primitive->indices, places[i]) : places[i];
        if (source[i] >= primitive->positions->count)
        {
            return rbl_json_fail(primitive->json, RBL_ERROR_FORMAT, "index %u (number %u) must be below %u",
                                 source[i], places[i], primitive->positions->count);
        }
    }
    // Strips repeat a vertex to connect separate parts; these triangles are not part of the mesh.
    const bool jump = source[0] == source[1] || source[1] == source[2] || source[2] == source[0];
    if (jump && primitive->mode != MODE_TRIANGLES)
    {
        return RBL_OK;
    }
    for (int i = 0; i < 3; ++i)
    {
        RBL_TRY(map_vertex(reader, primitive, source[i], &vertices[i]));
    }
    const rblVec3d normal =
        reader->layers->normals > 0 ? triangle_normal(reader, vertices) : rbl_vec3d(0, 0, 0);
    for (int i = 0; i < 3; ++i)
    {
        RBL_TRY(add_corner(reader, primitive, source[i], vertices[i], normal));
    }
    rbl_mesh_builder_face(&reader->builder, primitive->material, 0, 0);
    return RBL_OK;
}

static rblResult add_triangles(MeshReader* reader, const Primitive* primitive)
{
    const uint32_t count =
        primitive->mode == MODE_TRIANGLES ? primitive->sequence / 3 : primitive->sequence - 2;
    RBL_TRY(rbl_gltf_charge(reader->gltf, reader->layers, primitive->json, 3 * (uint64_t)count));
    if (reader->builder.face_starts.count == 0) // later reserves grow in proportion
    {
        const uint32_t vertices = primitive->positions->count;
        rbl_mesh_builder_reserve(&reader->builder, vertices < 3 * (size_t)count ? vertices : 0, count,
                                 3 * (size_t)count);
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        RBL_TRY(add_triangle(reader, primitive, t));
    }
    return RBL_OK;
}

static rblResult read_triangles(MeshReader* reader, const Primitive* primitive)
{
    const rblAllocator* allocator = reader->gltf->source->allocator;
    const uint32_t vertex_count = primitive->positions->count;
    rbl_hash_map_init(&reader->map, allocator);
    reader->table = NULL;
    if (vertex_count / 4 <= primitive->sequence)
    {
        reader->table = RBL_NEW_ARRAY(allocator, uint32_t, vertex_count);
        if (reader->table == NULL)
        {
            return rbl_fail_memory();
        }
        for (uint32_t i = 0; i < vertex_count; ++i)
        {
            reader->table[i] = RBL_NONE;
        }
    }
    const rblResult result = add_triangles(reader, primitive);
    RBL_FREE_ARRAY(allocator, reader->table, vertex_count);
    rbl_hash_map_free(&reader->map);
    return result;
}

static rblResult read_primitive(MeshReader* reader, rblJson json)
{
    Primitive primitive = {.json = json};
    RBL_TRY(get_mode(json, &primitive.mode));
    if (primitive.mode < MODE_TRIANGLES)
    {
        rbl_gltf_warn(reader->gltf, json, RBL_GLTF_POINTS_AND_LINES);
        return RBL_OK;
    }
    RBL_TRY(open_primitive(reader, &primitive));
    return read_triangles(reader, &primitive);
}

// ---- welding ----

// Order by coordinates: a total order in which -0 equals 0 and NaN comes last.
static int compare_numbers(double a, double b)
{
    const int order = (a > b) - (a < b);
    return order != 0 || a == b ? order : (a != a) - (b != b);
}

static int compare_positions(const rblVec3d* a, const rblVec3d* b)
{
    const int x = compare_numbers(a->x, b->x);
    const int y = x != 0 ? x : compare_numbers(a->y, b->y);
    return y != 0 ? y : compare_numbers(a->z, b->z);
}

static bool position_before(uint32_t a, uint32_t b, const void* context)
{
    const rblVec3d* positions = context;
    return compare_positions(&positions[a], &positions[b]) < 0;
}

// Map each vertex to the first one at the same position; positions that are not finite are mapped to themselves.
static void find_first_equal(const rblVec3d* positions, const uint32_t* order, size_t count, uint32_t* firsts)
{
    for (size_t i = 0; i < count; ++i)
    {
        const bool same = i > 0 && rbl_finite3d(positions[order[i]]) &&
                          compare_positions(&positions[order[i - 1]], &positions[order[i]]) == 0;
        firsts[order[i]] = same ? firsts[order[i - 1]] : order[i];
    }
}

// Remove vertices that were mapped to others, keeping the order.
static void drop_doubles(rblMeshBuilder* builder, uint32_t* firsts)
{
    uint32_t kept = 0;
    for (uint32_t v = 0; v < builder->positions.count; ++v)
    {
        const bool first = firsts[v] == v;
        builder->positions.data[kept] = first ? builder->positions.data[v] : builder->positions.data[kept];
        firsts[v] = first ? kept : firsts[firsts[v]]; // the first one comes earlier and is already renumbered
        kept += first;
    }
    builder->positions.count = kept;
    for (size_t c = 0; c < builder->corner_vertices.count; ++c)
    {
        builder->corner_vertices.data[c] = firsts[builder->corner_vertices.data[c]];
    }
}

// Sorting instead of hashing: no choice of positions can make it slow.
static rblResult weld(rblMeshBuilder* builder)
{
    const size_t count = builder->positions.count;
    uint32_t* order = RBL_NEW_ARRAY(builder->allocator, uint32_t, count);
    uint32_t* firsts = RBL_NEW_ARRAY(builder->allocator, uint32_t, count);
    const bool ok = !builder->failed && order != NULL && firsts != NULL;
    if (ok)
    {
        for (uint32_t i = 0; i < count; ++i)
        {
            order[i] = i;
        }
        rbl_sort_indices(order, firsts, count, position_before, builder->positions.data);
        find_first_equal(builder->positions.data, order, count, firsts);
        drop_doubles(builder, firsts);
    }
    RBL_FREE_ARRAY(builder->allocator, order, count);
    RBL_FREE_ARRAY(builder->allocator, firsts, count);
    return ok ? RBL_OK : rbl_fail_memory();
}

static rblResult read_primitives(MeshReader* reader, rblJson primitives, rblMesh** out)
{
    for (uint32_t i = 0; i < layer_count(reader->layers); ++i)
    {
        rbl_mesh_builder_layer(&reader->builder, layer_kind(reader->layers, i));
    }
    for (uint32_t i = 0; i < rbl_json_count(primitives); ++i)
    {
        RBL_TRY(read_primitive(reader, rbl_json_item(primitives, i)));
    }
    if (reader->builder.face_starts.count == 0 && !reader->builder.failed)
    {
        *out = NULL;
        return RBL_OK;
    }
    RBL_TRY(weld(&reader->builder));
    return rbl_mesh_builder_finish(&reader->builder, out);
}

rblResult rbl_gltf_mesh(rblGltf* gltf, uint32_t mesh, const rblGltfLayers* layers, rblMesh** out)
{
    const rblAllocator* allocator = gltf->source->allocator;
    const rblJson primitives = rbl_json_find(rbl_json_item(gltf->meshes, mesh), "primitives");
    const uint32_t count = layer_count(layers);
    MeshReader reader = {.gltf = gltf, .layers = layers};
    reader.accessors = RBL_NEW_ARRAY(allocator, const rblGltfAccessor*, count);
    if (reader.accessors == NULL && count > 0)
    {
        return rbl_fail_memory();
    }
    rbl_mesh_builder_init(&reader.builder, allocator);
    const rblResult result = read_primitives(&reader, primitives, out);
    rbl_mesh_builder_discard(&reader.builder);
    RBL_FREE_ARRAY(allocator, reader.accessors, count);
    return result;
}
