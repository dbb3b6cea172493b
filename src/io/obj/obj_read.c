// OBJ to mesh: the text is divided into chunks of whole lines, the chunks are parsed in parallel, and the parts are
// combined in order. The mesh does not depend on the number of chunks.
#include "base/jobs.h"
#include "io/obj/obj.h"
#include "io/text.h"

// Smallest useful size of a chunk, and the largest number of chunks.
#define CHUNK_BYTES ((size_t)1 << 20)
#define MAX_CHUNKS  RBL_MAX_BLOCKS

// ---- chunks ----

// The first line start at or after `c` whose previous line does not end with a backslash.
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

// One worker: one chunk, whose arrays become those of the mesh without a copy. More workers: a few chunks for each,
// so that none of them waits long for the last one.
static uint32_t choose_chunk_count(size_t size)
{
    const uint32_t workers = rbl_jobs_worker_count(rbl_default_jobs());
    const size_t useful = size / CHUNK_BYTES + 1;
    const size_t wanted = workers > 1 ? 4 * (size_t)workers : 1;
    const size_t count = wanted < useful ? wanted : useful;
    return (uint32_t)(count < MAX_CHUNKS ? count : MAX_CHUNKS);
}

static rblResult cut_into_chunks(rblObjParts* parts)
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
    rblObjParts* parts = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_obj_chunk_parse(&parts->chunks[i]);
    }
}

// ---- errors: the first one in the file is reported ----

static rblResult report_failures(const rblObjParts* parts)
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

static void report_ignored(const rblObjParts* parts)
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

static rblResult fail_index(const rblObjParts* parts, const rblObjChunk* chunk)
{
    static const char* const things[] = {"vertices", "texture vertices", "normals"};
    size_t face = 0;
    while (face + 1 < chunk->face_starts.count && chunk->face_starts.data[face + 1] <= chunk->bad_corner)
    {
        ++face;
    }
    const char* at = rbl_obj_find_face(chunk->begin, chunk->end, face);
    return rbl_fail_line(parts->source, at, RBL_ERROR_FORMAT, "the face refers to number %lld of %zu %s",
                         (long long)chunk->bad_index + 1, parts->defined[chunk->bad_kind],
                         things[chunk->bad_kind]);
}

// ---- indices ----

static rblResult count_parts(rblObjParts* parts)
{
    bool too_many = false;
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        rblObjChunk* chunk = &parts->chunks[i];
        chunk->first_face = parts->faces;
        chunk->first_corner = parts->corners;
        parts->faces += chunk->face_starts.count;
        parts->corners += chunk->references[RBL_OBJ_VERTEX].count;
        for (rblObjReference kind = 0; kind < RBL_OBJ_REFERENCE_COUNT; ++kind)
        {
            chunk->first_defined[kind] = parts->defined[kind];
            parts->defined[kind] += rbl_obj_defined(chunk, kind);
            too_many = too_many || parts->defined[kind] > UINT32_MAX - 3;
        }
    }
    if (too_many || parts->corners > UINT32_MAX - 3)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "%s: more than 2^32 - 4 vertices or corners",
                        rbl_short_name(parts->source->name));
    }
    return RBL_OK;
}

static void note_bad_corner(rblObjChunk* chunk, size_t corner, rblObjReference kind, int64_t index)
{
    if (corner < chunk->bad_corner)
    {
        chunk->bad_corner = corner;
        chunk->bad_kind = kind;
        chunk->bad_index = index;
    }
}

// Make the indices of one kind relative to the whole file, and check them.
static void resolve(rblObjChunk* chunk, rblObjReference kind, size_t total)
{
    uint32_t* indices = chunk->references[kind].data;
    for (size_t k = 0; k < chunk->relative[kind].count; ++k)
    {
        const uint32_t corner = chunk->relative[kind].data[k];
        const int64_t index = (int64_t)chunk->first_defined[kind] + (int32_t)indices[corner];
        if (index < 0)
        {
            note_bad_corner(chunk, corner, kind, index - 1);
        }
        indices[corner] = index < 0 ? 0 : (uint32_t)index;
    }
    for (size_t k = 0; k < chunk->references[kind].count; ++k)
    {
        if (indices[k] >= total && (kind == RBL_OBJ_VERTEX || indices[k] != RBL_NONE))
        {
            note_bad_corner(chunk, k, kind, indices[k]);
            return;
        }
    }
}

static void resolve_range(rblRange range, void* context)
{
    rblObjParts* parts = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        parts->chunks[i].bad_corner = SIZE_MAX;
        for (rblObjReference kind = 0; kind < RBL_OBJ_REFERENCE_COUNT; ++kind)
        {
            resolve(&parts->chunks[i], kind, parts->defined[kind]);
        }
    }
}

static rblResult resolve_all(rblObjParts* parts)
{
    rbl_parallel_for(rbl_default_jobs(), parts->count, 1, resolve_range, parts);
    for (uint32_t i = 0; i < parts->count; ++i)
    {
        if (parts->chunks[i].bad_corner != SIZE_MAX)
        {
            return fail_index(parts, &parts->chunks[i]);
        }
    }
    return RBL_OK;
}

// ---- all steps ----

static rblResult read_parts(rblObjParts* parts, rblMeshBuilder* builder)
{
    RBL_TRY(cut_into_chunks(parts));
    rbl_parallel_for(rbl_default_jobs(), parts->count, 1, parse_range, parts);
    RBL_TRY(report_failures(parts));
    RBL_TRY(count_parts(parts));
    RBL_TRY(resolve_all(parts));
    report_ignored(parts);
    return rbl_obj_gather(parts, builder);
}

rblResult rbl_read_obj(const rblSource* source, rblMeshBuilder* builder)
{
    rblObjParts parts = {.source = source};
    const rblResult result = read_parts(&parts, builder);
    for (uint32_t i = 0; i < parts.count; ++i)
    {
        rbl_obj_chunk_free(&parts.chunks[i]);
    }
    RBL_FREE_ARRAY(source->allocator, parts.chunks, parts.count);
    return result;
}
