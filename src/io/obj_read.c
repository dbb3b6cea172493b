// OBJ to mesh: cut the text into chunks of whole lines, parse them side by side, put the parts together in order.
// The mesh is the same however many chunks there are.
#include "base/jobs.h"
#include "io/color.h"
#include "io/layers.h"
#include "io/obj.h"
#include "io/readers.h"
#include "io/text.h"
#include <string.h>

#define CHUNK_BYTES ((size_t)1 << 20)
#define MAX_CHUNKS  RBL_MAX_BLOCKS

typedef struct Parts
{
    const rblSource* source;
    rblObjChunk* chunks;
    uint32_t count;
    size_t defined[RBL_OBJ_REFERENCE_COUNT]; // positions, UVs, normals in all chunks
    size_t faces, corners;                   // in all chunks
} Parts;

// ---- cutting ----

// The first line start at or behind `c` that does not continue a line with a backslash.
static const char* find_cut(const char* c, const char* begin, const char* end)
{
    while (c < end)
    {
        const char* const line_end = rbl_find_line_end(c, end);
        c = rbl_skip_line_end(line_end, end);
        if (line_end == begin || line_end[-1] != '\\')
        {
            return c;
        }
    }
    return end;
}

// With one worker, one chunk: its arrays become the mesh's without being copied. With more, a few for each, so that
// nobody waits long for the last.
static uint32_t choose_chunk_count(size_t size)
{
    const uint32_t workers = rbl_jobs_worker_count(rbl_default_jobs());
    const size_t useful = size / CHUNK_BYTES + 1;
    const size_t wanted = workers > 1 ? 4 * (size_t)workers : 1;
    const size_t count = wanted < useful ? wanted : useful;
    return (uint32_t)(count < MAX_CHUNKS ? count : MAX_CHUNKS);
}

static rblResult cut_into_chunks(Parts* parts)
{
    const rblSource* source = parts->source;
    const char* text = (const char*)source->bytes;
    const char* const end = text + source->size;
    const char* c = rbl_skip_byte_order_mark(text, end);
    parts->count = choose_chunk_count(source->size);
    parts->chunks = RBL_NEW_ARRAY(source->allocator, rblObjChunk, parts->count);
    if (parts->chunks == NULL)
    {
        parts->count = 0;
        return rbl_fail_memory();
    }
    const size_t step = source->size / parts->count;
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const char* const target = text + (i + 1) * step;
        const char* cut = end;
        if (i + 1 < parts->count)
        {
            cut = target > c ? find_cut(target, text, end) : c;
        }
        rbl_obj_chunk_init(&parts->chunks[i], c, cut, source->keep_non_finite, source->allocator);
        c = cut;
    }
    return RBL_OK;
}

static void parse_range(rblRange range, void* context)
{
    Parts* parts = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_obj_chunk_parse(&parts->chunks[i]);
    }
}

// ---- what went wrong, first things first ----

static rblResult report_failures(const Parts* parts)
{
    const rblSource* source = parts->source;
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        if (chunk->out_of_memory)
        {
            return rbl_fail_memory();
        }
        if (chunk->error == NULL)
        {
            continue;
        }
        if (!chunk->error_quotes)
        {
            return rbl_fail_line(source, chunk->error_at, RBL_ERROR_FORMAT, "%s", chunk->error);
        }
        char token[RBL_QUOTE_SIZE];
        rbl_quote_token(chunk->error_at, chunk->end, token);
        return rbl_fail_line(source, chunk->error_at, RBL_ERROR_FORMAT, "%s '%s'", chunk->error, token);
    }
    return RBL_OK;
}

static void report_ignored(const Parts* parts)
{
    static const char* const messages[RBL_OBJ_IGNORED_COUNT] = {
        "points and lines are not read", "free-form curves and surfaces are not read", "unknown statement"};
    for (int kind = 0; kind < RBL_OBJ_IGNORED_COUNT; ++kind)
    {
        const char* first = NULL;
        for (uint32_t i = 0; i < parts->count && first == NULL; ++i)
        {
            first = parts->chunks[i].ignored[kind];
        }
        if (first != NULL)
        {
            rbl_warn_line(parts->source, first, "%s, here or below", messages[kind]);
        }
    }
}

static rblResult fail_index(const Parts* parts, const rblObjChunk* chunk, size_t corner, rblObjReference kind,
                            int64_t index)
{
    static const char* const things[] = {"vertices", "texture vertices", "normals"};
    size_t face = 0;
    while (face + 1 < chunk->face_starts.count && chunk->face_starts.data[face + 1] <= corner)
    {
        ++face;
    }
    const char* at = rbl_obj_find_face(chunk->begin, chunk->end, face);
    return rbl_fail_line(parts->source, at, RBL_ERROR_FORMAT, "the face refers to number %lld of %zu %s",
                         (long long)index + 1, parts->defined[kind], things[kind]);
}

// ---- putting together ----

static rblResult count_parts(Parts* parts)
{
    bool too_many = false;
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        rblObjChunk* chunk = &parts->chunks[i];
        chunk->face_count = chunk->face_starts.count;
        parts->faces += chunk->face_count;
        parts->corners += chunk->references[RBL_OBJ_VERTEX].count;
        for (rblObjReference kind = 0; kind < RBL_OBJ_REFERENCE_COUNT; ++kind)
        {
            parts->defined[kind] += rbl_obj_defined(chunk, kind);
            too_many = too_many || parts->defined[kind] > UINT32_MAX - 3;
        }
    }
    if (too_many || parts->corners > UINT32_MAX - 3)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "%s: more than 2^32 - 4 vertices or corners", parts->source->name);
    }
    return RBL_OK;
}

// Make the indices of one kind count through the whole file, and check them all.
static rblResult resolve(Parts* parts, rblObjReference kind)
{
    const size_t total = parts->defined[kind];
    size_t before = 0;
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        rblObjChunk* chunk = &parts->chunks[i];
        uint32_t* indices = chunk->references[kind].data;
        for (size_t k = 0; k < chunk->relative[kind].count; ++k)
        {
            const uint32_t corner = chunk->relative[kind].data[k];
            const int64_t index = (int64_t)before + (int32_t)indices[corner];
            if (index < 0)
            {
                return fail_index(parts, chunk, corner, kind, index - 1);
            }
            indices[corner] = (uint32_t)index;
        }
        for (size_t k = 0; k < chunk->references[kind].count; ++k)
        {
            if (indices[k] >= total && (kind == RBL_OBJ_VERTEX || indices[k] != RBL_NONE))
            {
                return fail_index(parts, chunk, k, kind, indices[k]);
            }
        }
        before += rbl_obj_defined(chunk, kind);
    }
    return RBL_OK;
}

#define MOVE_ARRAY(to, from)                                                                                 \
    (rbl_array_free(to), (to)->data = (from)->data, (to)->count = (from)->count,                             \
     (to)->capacity = (from)->capacity, (from)->data = NULL, (from)->count = 0, (from)->capacity = 0)

#define APPEND_ARRAY(to, from)                                                                               \
    ((from)->count > 0                                                                                       \
         ? (void)(memcpy((to)->data + (to)->count, (from)->data, (from)->count * sizeof *(to)->data),        \
                  (to)->count += (from)->count)                                                              \
         : (void)0)

static rblResult gather_surface(Parts* parts, rblMeshBuilder* builder)
{
    if (parts->count == 1)
    {
        rblObjChunk* chunk = &parts->chunks[0];
        MOVE_ARRAY(&builder->positions, &chunk->positions);
        MOVE_ARRAY(&builder->face_starts, &chunk->face_starts);
        MOVE_ARRAY(&builder->corner_vertices, &chunk->references[RBL_OBJ_VERTEX]);
        builder->open_corner = (uint32_t)parts->corners;
        return RBL_OK;
    }
    if (!rbl_array_reserve(&builder->positions, parts->defined[RBL_OBJ_VERTEX]) ||
        !rbl_array_reserve(&builder->face_starts, parts->faces + 1) ||
        !rbl_array_reserve(&builder->corner_vertices, parts->corners))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        const uint32_t first_corner = (uint32_t)builder->corner_vertices.count;
        APPEND_ARRAY(&builder->positions, &chunk->positions);
        APPEND_ARRAY(&builder->corner_vertices, &chunk->references[RBL_OBJ_VERTEX]);
        for (size_t f = 0; f < chunk->face_starts.count; ++f)
        {
            builder->face_starts.data[builder->face_starts.count++] =
                first_corner + chunk->face_starts.data[f];
        }
    }
    builder->open_corner = (uint32_t)parts->corners;
    return RBL_OK;
}

// All values of a kind in one array. Chunks without colours are white.
static rblResult gather_values(Parts* parts, rblObjReference kind, rblFloatArray* values)
{
    rbl_array_init(values, parts->source->allocator);
    if (parts->count == 1)
    {
        MOVE_ARRAY(values, &parts->chunks[0].values[kind]);
        return RBL_OK;
    }
    if (!rbl_array_reserve(values, parts->defined[kind] * rbl_obj_components[kind]))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        const size_t wanted = values->count + rbl_obj_defined(chunk, kind) * rbl_obj_components[kind];
        APPEND_ARRAY(values, &chunk->values[kind]);
        while (values->count < wanted)
        {
            values->data[values->count++] = 1.0f;
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

static void spread_values(const uint32_t* indices, size_t corners, const float* values, uint32_t components,
                          float* out)
{
    for (size_t c = 0; c < corners; ++c)
    {
        if (indices[c] != RBL_NONE)
        {
            memcpy(out + c * components, values + (size_t)indices[c] * components,
                   components * sizeof *values);
        }
    }
}

static bool is_used(const Parts* parts, rblObjReference kind)
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

static void fill_layer(const Parts* parts, rblObjReference kind, const rblMeshBuilder* builder,
                       const float* values, float* out)
{
    const uint32_t components = rbl_obj_components[kind];
    if (kind == RBL_OBJ_VERTEX)
    {
        spread_values(builder->corner_vertices.data, builder->corner_vertices.count, values, components, out);
        return;
    }
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        const rblIndexArray* indices = &chunk->references[kind];
        spread_values(indices->data, indices->count, values, components, out);
        out += chunk->references[RBL_OBJ_VERTEX].count * components;
    }
}

// A layer of per-corner values, if any corner refers to one. Corners that do not stay zero.
static rblResult gather_layer(Parts* parts, rblObjReference kind, rblMeshBuilder* builder)
{
    static const rblLayerKind layer_kinds[] = {RBL_LAYER_COLOR, RBL_LAYER_UV, RBL_LAYER_NORMAL};
    if (!is_used(parts, kind))
    {
        return RBL_OK;
    }
    rblFloatArray values;
    RBL_TRY(gather_values(parts, kind, &values));
    convert_values(kind, &values);
    const uint32_t layer = rbl_mesh_builder_layer(builder, layer_kinds[kind]);
    if (!builder->failed)
    {
        fill_layer(parts, kind, builder, values.data, builder->layers.data[layer].data.data);
    }
    rbl_array_free(&values);
    return builder->failed ? rbl_fail_memory() : RBL_OK;
}

// ---- materials and groups ----

#define DEFAULT_NAME "default" // what the format calls faces that are in no group

typedef struct Naming
{
    rblMeshBuilder* builder;
    rblNameKind kind;
    uint32_t* faces;  // what to fill: the number of each face's name
    size_t next_face; // faces before it are done
    const char* name; // of the faces from there on
    size_t length;
} Naming;

// The name so far holds up to `face`. Names without faces get no number.
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

static void name_all_faces(const Parts* parts, Naming* naming)
{
    size_t first_face = 0;
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        const rblObjChunk* chunk = &parts->chunks[i];
        for (size_t k = 0; k < chunk->switches.count; ++k)
        {
            const rblObjSwitch* change = &chunk->switches.data[k];
            if (change->kind == naming->kind)
            {
                name_faces(naming, first_face + change->face);
                naming->name = change->length > 0 ? change->name : DEFAULT_NAME;
                naming->length = change->length > 0 ? change->length : strlen(DEFAULT_NAME);
            }
        }
        first_face += chunk->face_count;
    }
    name_faces(naming, parts->faces);
}

static bool has_names(const Parts* parts, rblNameKind kind)
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

static rblResult gather_names(const Parts* parts, rblNameKind kind, rblMeshBuilder* builder,
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

static rblResult gather_face_attributes(const Parts* parts, rblMeshBuilder* builder)
{
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
    for (size_t f = 0; f < parts->faces; ++f)
    {
        builder->face_origins.data[f] = (uint32_t)f;
    }
    return RBL_OK;
}

// ---- the whole ----

static rblResult read_parts(Parts* parts, rblMeshBuilder* builder)
{
    RBL_TRY(cut_into_chunks(parts));
    rbl_parallel_for(rbl_default_jobs(), parts->count, 1, parse_range, parts);
    RBL_TRY(report_failures(parts));
    RBL_TRY(count_parts(parts));
    for (rblObjReference kind = 0; kind < RBL_OBJ_REFERENCE_COUNT; ++kind)
    {
        RBL_TRY(resolve(parts, kind));
    }
    report_ignored(parts);
    RBL_TRY(gather_surface(parts, builder));
    RBL_TRY(gather_layer(parts, RBL_OBJ_NORMAL, builder));
    RBL_TRY(gather_layer(parts, RBL_OBJ_UV, builder));
    RBL_TRY(gather_layer(parts, RBL_OBJ_VERTEX, builder));
    return gather_face_attributes(parts, builder);
}

rblResult rbl_read_obj(const rblSource* source, rblMeshBuilder* builder)
{
    Parts parts = {.source = source};
    const rblResult result = read_parts(&parts, builder);
    for (uint32_t i = 0; i < parts.count; ++i)
    {
        rbl_obj_chunk_free(&parts.chunks[i]);
    }
    RBL_FREE_ARRAY(source->allocator, parts.chunks, parts.count);
    return result;
}
