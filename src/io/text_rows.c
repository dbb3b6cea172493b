#include "io/text_rows.h"

#include "base/jobs.h"
#include <string.h>

// Smaller texts are parsed by one thread; chunks are at least a quarter of it. MAX_CHUNKS limits their number.
#define MIN_BYTES  ((size_t)1 << 20)
#define MAX_CHUNKS 64

// A chunk of whole lines, and the faces parsed from it.
typedef struct Chunk
{
    const char* begin;
    const char* end;
    size_t line_count;
    size_t first_line;
    rblIndexArray face_starts; // corner indices within the chunk
    rblIndexArray corners;
    size_t first_face, first_corner; // numbers in the whole file
    bool failed;
} Chunk;

typedef struct Reading
{
    const rblTextRows* rows;
    rblMeshBuilder* builder;
    Chunk chunks[MAX_CHUNKS];
    uint32_t count;
} Reading;

static void cut(Reading* reading)
{
    const rblTextRows* rows = reading->rows;
    const size_t size = (size_t)(rows->end - rows->begin);
    const size_t wanted = 4 * (size_t)rbl_jobs_worker_count(rbl_default_jobs());
    const size_t useful = size / (MIN_BYTES / 4) + 1;
    const size_t count = wanted < useful ? wanted : useful;
    reading->count = (uint32_t)(count < MAX_CHUNKS ? count : MAX_CHUNKS);
    const char* c = rows->begin;
    for (uint32_t i = 0; i < reading->count; ++i)
    {
        const char* target = rows->begin + (i + 1) * (size / reading->count);
        target = target > c ? target : c;
        const char* line_end =
            i + 1 < reading->count ? memchr(target, '\n', (size_t)(rows->end - target)) : NULL;
        const char* const cut_at = line_end != NULL ? line_end + 1 : rows->end;
        reading->chunks[i] = (Chunk){.begin = c, .end = cut_at};
        rbl_array_init(&reading->chunks[i].face_starts, reading->builder->allocator);
        rbl_array_init(&reading->chunks[i].corners, reading->builder->allocator);
        c = cut_at;
    }
}

// Counts in short blocks with an 8-bit sum, which compilers vectorise: searching for one line end after the other
// takes five times as long.
static size_t count_line_ends(const char* c, const char* end)
{
    size_t count = 0;
    for (; end - c >= 128; c += 128)
    {
        uint8_t sum = 0;
        for (int i = 0; i < 128; ++i)
        {
            sum = (uint8_t)(sum + (c[i] == '\n'));
        }
        count += sum;
    }
    for (; c < end; ++c)
    {
        count += *c == '\n';
    }
    return count;
}

static void count_lines(rblRange range, void* context)
{
    Reading* reading = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        Chunk* chunk = &reading->chunks[i];
        const bool open_end = chunk->end > chunk->begin && chunk->end[-1] != '\n';
        chunk->line_count = count_line_ends(chunk->begin, chunk->end) + open_end;
    }
}

// The position after the end of the line, if only blanks precede it. Null otherwise.
static inline const char* end_line(const char* c, const char* end)
{
    while (c < end && (rbl_is_blank(*c) || *c == '\r'))
    {
        ++c;
    }
    if (c == end)
    {
        return c;
    }
    return *c == '\n' ? c + 1 : NULL;
}

static inline const char* read_face(const rblTextRows* rows, Chunk* chunk, const char* c)
{
    const char* const end = chunk->end;
    uint32_t count;
    c = rbl_read_index(c, end, RBL_TEXT_BLANK, &count);
    if (c == NULL || count < 3 || (size_t)(end - c) / 2 < count ||
        !rbl_array_push(&chunk->face_starts, (uint32_t)chunk->corners.count))
    {
        return NULL;
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        uint32_t index;
        c = rbl_read_index(c, end, RBL_TEXT_BLANK, &index);
        if (c == NULL || index >= rows->vertex_count || !rbl_array_push(&chunk->corners, index))
        {
            return NULL;
        }
    }
    return c;
}

static bool reserve_faces(const rblTextRows* rows, Chunk* chunk)
{
    const size_t end = chunk->first_line + chunk->line_count;
    const size_t first = chunk->first_line > rows->vertex_count ? chunk->first_line : rows->vertex_count;
    const size_t faces = end > first ? end - first : 0;
    return rbl_array_reserve(&chunk->face_starts, faces) && rbl_array_reserve(&chunk->corners, 3 * faces);
}

static void read_chunk(const rblTextRows* rows, Chunk* chunk)
{
    const char* c = chunk->begin;
    const size_t row_count = (size_t)rows->vertex_count + rows->face_count;
    chunk->failed = !reserve_faces(rows, chunk);
    for (size_t line = chunk->first_line; !chunk->failed && c < chunk->end && line < row_count; ++line)
    {
        c = line < rows->vertex_count ? rows->vertex(c, chunk->end, (uint32_t)line, rows->context)
                                      : read_face(rows, chunk, c);
        c = c != NULL ? end_line(c, chunk->end) : NULL;
        chunk->failed = c == NULL;
    }
}

static void read_chunks(rblRange range, void* context)
{
    Reading* reading = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        read_chunk(reading->rows, &reading->chunks[i]);
    }
}

static void copy_chunks(rblRange range, void* context)
{
    const Reading* reading = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const Chunk* chunk = &reading->chunks[i];
        for (size_t f = 0; f < chunk->face_starts.count; ++f)
        {
            reading->builder->face_starts.data[chunk->first_face + f] =
                (uint32_t)chunk->first_corner + chunk->face_starts.data[f];
        }
        if (chunk->corners.count > 0)
        {
            memcpy(reading->builder->corner_vertices.data + chunk->first_corner, chunk->corners.data,
                   chunk->corners.count * sizeof *chunk->corners.data);
        }
    }
}

static void number_lines(Reading* reading)
{
    size_t line = 0;
    for (uint32_t i = 0; i < reading->count; ++i)
    {
        reading->chunks[i].first_line = line;
        line += reading->chunks[i].line_count;
    }
}

// Append the faces of all chunks in order. False when a line was unusual, or lines are missing.
static bool gather(Reading* reading)
{
    rblMeshBuilder* builder = reading->builder;
    size_t faces = 0;
    size_t corners = 0;
    for (uint32_t i = 0; i < reading->count; ++i)
    {
        Chunk* chunk = &reading->chunks[i];
        if (chunk->failed)
        {
            return false;
        }
        chunk->first_face = faces;
        chunk->first_corner = corners;
        faces += chunk->face_starts.count;
        corners += chunk->corners.count;
    }
    if (faces != reading->rows->face_count || corners > UINT32_MAX - 3 ||
        !rbl_array_reserve(&builder->face_starts, faces + 1) ||
        !rbl_array_reserve(&builder->corner_vertices, corners))
    {
        return false;
    }
    builder->face_starts.count = faces;
    builder->corner_vertices.count = corners;
    rbl_parallel_for(rbl_default_jobs(), reading->count, 1, copy_chunks, reading);
    return true;
}

static bool read_all(Reading* reading)
{
    cut(reading);
    rbl_parallel_for(rbl_default_jobs(), reading->count, 1, count_lines, reading);
    number_lines(reading);
    rbl_parallel_for(rbl_default_jobs(), reading->count, 1, read_chunks, reading);
    return gather(reading) && rbl_finish_plain_faces(reading->builder);
}

bool rbl_text_rows_read(const rblTextRows* rows, rblMeshBuilder* builder)
{
    if (rbl_jobs_worker_count(rbl_default_jobs()) == 1 || (size_t)(rows->end - rows->begin) < MIN_BYTES)
    {
        return false;
    }
    Reading reading = {.rows = rows, .builder = builder};
    const bool done = read_all(&reading);
    for (uint32_t i = 0; i < reading.count; ++i)
    {
        rbl_array_free(&reading.chunks[i].face_starts);
        rbl_array_free(&reading.chunks[i].corners);
    }
    if (!done)
    {
        rbl_array_clear(&builder->face_starts);
        rbl_array_clear(&builder->corner_vertices);
    }
    return done;
}

static void fill_faces(rblRange range, void* context)
{
    rblMeshBuilder* builder = context;
    for (uint32_t f = range.begin; f < range.end; ++f)
    {
        builder->face_materials.data[f] = 0;
        builder->face_groups.data[f] = 0;
        builder->face_origins.data[f] = f;
    }
}

bool rbl_finish_plain_faces(rblMeshBuilder* builder)
{
    const size_t count = builder->face_starts.count;
    if (!rbl_array_resize(&builder->face_materials, count) ||
        !rbl_array_resize(&builder->face_groups, count) || !rbl_array_resize(&builder->face_origins, count))
    {
        return false;
    }
    rbl_parallel_for(rbl_default_jobs(), (uint32_t)count, 1 << 16, fill_faces, builder);
    builder->open_corner = (uint32_t)builder->corner_vertices.count;
    return true;
}
