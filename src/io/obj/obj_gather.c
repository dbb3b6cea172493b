// Combines the parsed chunks of an OBJ file to one mesh. Copying is parallel too, because most of its time is spent
// on first access to new memory.
#include "base/jobs.h"
#include "io/image/color.h"
#include "io/layers.h"
#include "io/obj/obj.h"
#include <string.h>

// Everything that is filled in parallel; all offsets are known before.
typedef struct Gathering
{
    const rblObjParts* parts;
    rblMeshBuilder* builder;
    rblObjReference kind; // kind of the current layer
    const float* values;
    float* layer;
} Gathering;

// ---- positions and faces ----

#define MOVE_ARRAY(to, from)                                                                                 \
    (rbl_array_free(to), (to)->data = (from)->data, (to)->count = (from)->count,                             \
     (to)->capacity = (from)->capacity, (from)->data = NULL, (from)->count = 0, (from)->capacity = 0)

static void copy_indices(uint32_t* to, const rblIndexArray* from)
{
    if (from->count > 0)
    {
        memcpy(to, from->data, from->count * sizeof *to);
    }
}

static void copy_surface(rblRange range, void* context)
{
    const Gathering* gathering = context;
    rblMeshBuilder* builder = gathering->builder;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblObjChunk* chunk = &gathering->parts->chunks[i];
        if (chunk->positions.count > 0)
        {
            memcpy(builder->positions.data + chunk->first_defined[RBL_OBJ_VERTEX], chunk->positions.data,
                   chunk->positions.count * sizeof *chunk->positions.data);
        }
        copy_indices(builder->corner_vertices.data + chunk->first_corner, &chunk->references[RBL_OBJ_VERTEX]);
        for (size_t f = 0; f < chunk->face_starts.count; ++f)
        {
            builder->face_starts.data[chunk->first_face + f] =
                (uint32_t)chunk->first_corner + chunk->face_starts.data[f];
        }
    }
}

static rblResult gather_surface(rblObjParts* parts, rblMeshBuilder* builder)
{
    builder->open_corner = (uint32_t)parts->corners;
    if (parts->count == 1)
    {
        rblObjChunk* chunk = &parts->chunks[0];
        MOVE_ARRAY(&builder->positions, &chunk->positions);
        MOVE_ARRAY(&builder->face_starts, &chunk->face_starts);
        MOVE_ARRAY(&builder->corner_vertices, &chunk->references[RBL_OBJ_VERTEX]);
        return RBL_OK;
    }
    if (!rbl_array_resize(&builder->positions, parts->defined[RBL_OBJ_VERTEX]) ||
        !rbl_array_reserve(&builder->face_starts, parts->faces + 1) ||
        !rbl_array_resize(&builder->face_starts, parts->faces) ||
        !rbl_array_resize(&builder->corner_vertices, parts->corners))
    {
        return rbl_fail_memory();
    }
    Gathering gathering = {.parts = parts, .builder = builder};
    rbl_parallel_for(rbl_default_jobs(), parts->count, 1, copy_surface, &gathering);
    return RBL_OK;
}

// ---- attributes ----

// All values of a kind in one array. Chunks without colours are white.
static rblResult gather_values(rblObjParts* parts, rblObjReference kind, rblFloatArray* values)
{
    rbl_array_init(values, parts->source->allocator);
    if (parts->count == 1)
    {
        MOVE_ARRAY(values, &parts->chunks[0].values[kind]);
        return RBL_OK;
    }
    const uint32_t components = rbl_obj_components[kind];
    if (!rbl_array_resize(values, parts->defined[kind] * components))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        float* out = values->data + chunk->first_defined[kind] * components;
        const rblFloatArray* own = &chunk->values[kind];
        if (own->count > 0)
        {
            memcpy(out, own->data, own->count * sizeof *out);
        }
        const size_t count =
            rbl_obj_defined(chunk, kind) * components; // of positions, when these are colours
        for (size_t k = own->count; k < count; ++k)
        {
            out[k] = 1.0f;
        }
    }
    return RBL_OK;
}

static void convert_values(rblObjReference kind, const rblFloatArray* values)
{
    if (kind == RBL_OBJ_NORMAL)
    {
        rbl_normalize_floats(values->data, values->count / 3);
    }
    if (kind == RBL_OBJ_VERTEX)
    {
        rbl_colors_to_linear(values->data, values->count / 4);
    }
}

static inline void spread(const uint32_t* indices, size_t count, const float* values, uint32_t components,
                          float* out)
{
    static const float zeros[4] = {0, 0, 0, 0};
    for (size_t c = 0; c < count; ++c)
    {
        const float* from = indices[c] != RBL_NONE ? values + (size_t)indices[c] * components : zeros;
        memcpy(out + c * components, from, components * sizeof *out);
    }
}

// Fill the corners of some chunks; corners without a reference get zeros.
static void fill_layer(rblRange range, void* context)
{
    const Gathering* gathering = context;
    const rblObjReference kind = gathering->kind;
    const uint32_t components = rbl_obj_components[kind];
    const rblObjParts* parts = gathering->parts;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        const size_t end = i + 1 < parts->count ? chunk[1].first_corner : parts->corners;
        const size_t count = end - chunk->first_corner;
        float* out = gathering->layer + chunk->first_corner * components;
        const uint32_t* vertices = gathering->builder->corner_vertices.data + chunk->first_corner;
        const rblIndexArray* indices = &chunk->references[kind];
        if (kind == RBL_OBJ_VERTEX)
        {
            spread(vertices, count, gathering->values, 4, out);
        }
        else if (indices->count == 0)
        {
            memset(out, 0, count * components * sizeof *out);
        }
        else if (kind == RBL_OBJ_UV)
        {
            spread(indices->data, count, gathering->values, 2, out);
        }
        else
        {
            spread(indices->data, count, gathering->values, 3, out);
        }
    }
}

static bool is_used(const rblObjParts* parts, rblObjReference kind)
{
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        if ((kind == RBL_OBJ_VERTEX ? chunk->values[kind].count : chunk->references[kind].count) > 0)
        {
            return parts->faces > 0;
        }
    }
    return false;
}

// A layer of values per corner. It is created while the builder has no corners, so that it is not filled with zeros
// first.
static rblResult gather_layer(rblObjParts* parts, rblObjReference kind, rblMeshBuilder* builder,
                              uint32_t number)
{
    rblFloatArray values;
    RBL_TRY(gather_values(parts, kind, &values));
    convert_values(kind, &values);
    rblFloatArray* layer = &builder->layers.data[number].data;
    const bool ok = rbl_array_resize(layer, parts->corners * rbl_obj_components[kind]);
    if (ok)
    {
        Gathering gathering = {parts, builder, kind, values.data, layer->data};
        rbl_parallel_for(rbl_default_jobs(), parts->count, 1, fill_layer, &gathering);
    }
    rbl_array_free(&values);
    return ok ? RBL_OK : rbl_fail_memory();
}

static rblResult gather_surface_and_layers(rblObjParts* parts, rblMeshBuilder* builder)
{
    static const rblObjReference order[] = {RBL_OBJ_NORMAL, RBL_OBJ_UV, RBL_OBJ_VERTEX};
    static const rblLayerKind layer_kinds[] = {RBL_LAYER_COLOR, RBL_LAYER_UV, RBL_LAYER_NORMAL};
    rblObjReference used[RBL_OBJ_REFERENCE_COUNT];
    uint32_t count = 0;
    for (int i = 0; i < RBL_OBJ_REFERENCE_COUNT; ++i)
    {
        if (is_used(parts, order[i]))
        {
            used[count++] = order[i];
            rbl_mesh_builder_layer(builder, layer_kinds[order[i]]);
        }
    }
    if (builder->failed)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(gather_surface(parts, builder));
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(gather_layer(parts, used[i], builder, i));
    }
    return RBL_OK;
}

// ---- materials and groups ----

#define DEFAULT_NAME "default" // name of the format for faces without a group

typedef struct Naming
{
    rblMeshBuilder* builder;
    rblNameKind kind;
    uint32_t* faces;  // output: the number of the name of each face
    size_t next_face; // all faces before it are done
    const char* name; // of the faces from there on
    size_t length;
} Naming;

// The current name is valid up to `face`. Names without faces get no number.
static void name_faces(Naming* naming, size_t face)
{
    if (naming->next_face >= face)
    {
        return;
    }
    const uint32_t number = rbl_intern_name(naming->builder, naming->kind, naming->name, naming->length);
    for (; naming->next_face < face; ++naming->next_face)
    {
        naming->faces[naming->next_face] = number;
    }
}

static void name_all_faces(const rblObjParts* parts, Naming* naming)
{
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        for (size_t k = 0; k < chunk->switches.count; ++k)
        {
            const rblObjSwitch* change = &chunk->switches.data[k];
            if (change->kind == naming->kind)
            {
                name_faces(naming, chunk->first_face + change->face);
                naming->name = change->length > 0 ? change->name : DEFAULT_NAME;
                naming->length = change->length > 0 ? change->length : strlen(DEFAULT_NAME);
            }
        }
    }
    name_faces(naming, parts->faces);
}

static bool has_names(const rblObjParts* parts, rblNameKind kind)
{
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        for (size_t k = 0; k < chunk->switches.count; ++k)
        {
            if (chunk->switches.data[k].kind == kind)
            {
                return true;
            }
        }
    }
    return false;
}

static rblResult gather_names(const rblObjParts* parts, rblNameKind kind, rblMeshBuilder* builder,
                              rblIndexArray* faces)
{
    if (!rbl_array_resize(faces, parts->faces))
    {
        return rbl_fail_memory();
    }
    if (!has_names(parts, kind))
    {
        memset(faces->data, 0, parts->faces * sizeof *faces->data);
        return RBL_OK;
    }
    Naming naming = {.builder = builder,
                     .kind = kind,
                     .faces = faces->data,
                     .name = DEFAULT_NAME,
                     .length = strlen(DEFAULT_NAME)};
    name_all_faces(parts, &naming);
    return builder->failed ? rbl_fail_memory() : RBL_OK;
}

static void count_up(rblRange range, void* context)
{
    uint32_t* out = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        out[i] = i;
    }
}

rblResult rbl_obj_gather(rblObjParts* parts, rblMeshBuilder* builder)
{
    RBL_TRY(gather_surface_and_layers(parts, builder));
    if (parts->faces == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(gather_names(parts, RBL_NAME_MATERIAL, builder, &builder->face_materials));
    RBL_TRY(gather_names(parts, RBL_NAME_GROUP, builder, &builder->face_groups));
    if (!rbl_array_resize(&builder->face_origins, parts->faces))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(rbl_default_jobs(), (uint32_t)parts->faces, 1 << 16, count_up,
                     builder->face_origins.data);
    return RBL_OK;
}
