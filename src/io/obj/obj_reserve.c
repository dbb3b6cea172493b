// Estimates the array sizes that an OBJ file needs, before it is parsed.
#include "io/obj/obj.h"
#include "io/text.h"
#include <string.h>

typedef struct Counts
{
    size_t positions, uvs, normals, faces;
    size_t first_face_corners;
} Counts;

static size_t count_words(const char* c, const char* end)
{
    size_t words = 0;
    for (; c < end && !rbl_is_line_end(*c); ++c)
    {
        words += rbl_is_blank(c[-1]) && !rbl_is_blank(*c);
    }
    return words;
}

static void count_line(const char* c, const char* end, Counts* counts)
{
    if (end - c < 2)
    {
        return;
    }
    if (c[0] == 'f')
    {
        counts->first_face_corners += counts->faces == 0 ? count_words(c + 1, end) : 0;
        counts->faces += 1;
    }
    if (c[0] == 'v')
    {
        counts->positions += rbl_is_blank(c[1]);
        counts->uvs += c[1] == 't';
        counts->normals += c[1] == 'n';
    }
}

static void count_lines(const char* c, const char* end, Counts* counts)
{
    while (c != NULL && c < end)
    {
        count_line(c, end, counts);
        c = memchr(c, '\n', (size_t)(end - c));
        c = c != NULL ? c + 1 : NULL;
    }
}

// Number and size in bytes of the samples of a large file: 256 KiB in total.
#define SAMPLES      64
#define SAMPLE_BYTES ((size_t)4096)

static size_t scale_up(size_t count, size_t sampled, size_t bytes)
{
    const double estimate = (double)count * ((double)bytes / (double)sampled);
    return (size_t)(1.02 * estimate) + (count > 0 ? 16 : 0);
}

// The number of statements of each kind, from the starts of the lines: exact for small texts, estimated from samples
// for large ones, where a full count would take 5 % of the total time.
static Counts estimate_counts(const char* begin, const char* end)
{
    Counts counts = {0};
    const size_t bytes = (size_t)(end - begin);
    if (bytes <= SAMPLES * SAMPLE_BYTES)
    {
        count_lines(begin, end, &counts);
        return counts;
    }
    size_t sampled = 0;
    for (size_t i = 0; i < SAMPLES; ++i)
    {
        const char* const from = begin + i * ((bytes - SAMPLE_BYTES) / (SAMPLES - 1));
        const char* const line = memchr(from, '\n', SAMPLE_BYTES);
        count_lines(line != NULL ? line + 1 : NULL, from + SAMPLE_BYTES, &counts);
        sampled += line != NULL ? (size_t)(from + SAMPLE_BYTES - line) : SAMPLE_BYTES;
    }
    counts.positions = scale_up(counts.positions, sampled, bytes);
    counts.uvs = scale_up(counts.uvs, sampled, bytes);
    counts.normals = scale_up(counts.normals, sampled, bytes);
    counts.faces = scale_up(counts.faces, sampled, bytes);
    return counts;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

// Reserve the expected sizes, but never more than the shortest statements could fill: "v 0 0 0\n" takes 8 bytes, a
// corner 2.
bool rbl_obj_chunk_reserve(rblObjChunk* chunk)
{
    const Counts counts = estimate_counts(chunk->begin, chunk->end);
    const size_t bytes = (size_t)(chunk->end - chunk->begin);
    const size_t faces = smaller(counts.faces, bytes / 8);
    const size_t max_corners = bytes / 2;
    const size_t each = counts.first_face_corners > 0 ? counts.first_face_corners : 1;
    const size_t corners = faces > max_corners / each ? max_corners : faces * each;
    // One more face: rbl_mesh_builder_finish() appends the end to the starts.
    return rbl_array_reserve(&chunk->positions, smaller(counts.positions, bytes / 8)) &&
           rbl_array_reserve(&chunk->values[RBL_OBJ_UV], 2 * smaller(counts.uvs, bytes / 5)) &&
           rbl_array_reserve(&chunk->values[RBL_OBJ_NORMAL], 3 * smaller(counts.normals, bytes / 9)) &&
           rbl_array_reserve(&chunk->face_starts, faces + 1) &&
           rbl_array_reserve(&chunk->references[RBL_OBJ_VERTEX], corners);
}
