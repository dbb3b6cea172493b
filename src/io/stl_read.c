// STL, text and binary. Corners at equal positions become one vertex; normals and attribute bytes are ignored.
#include "base/number.h"
#include "io/names.h"
#include "io/readers.h"
#include "io/text.h"
#include "io/weld.h"
#include "math/vec.h"
#include <string.h>

// Layout of a binary STL file, in bytes.
#define HEADER_BYTES   80
#define PREFIX_BYTES   84 // header and triangle count
#define TRIANGLE_BYTES 50 // normal, three corners, two bytes of attributes

// ---- text or binary ----

static inline uint32_t load_u32(const uint8_t* b)
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static inline float load_float(const uint8_t* b)
{
    const uint32_t bits = load_u32(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// True when `word` is at `text`, in upper or lower case, and is not the start of a longer word.
static bool at_word(const char* text, const char* end, const char* word)
{
    for (; *word != '\0'; ++word, ++text)
    {
        if (text == end || (*text | 0x20) != *word)
        {
            return false;
        }
    }
    return text == end || rbl_is_space(*text);
}

static const char* skip_spaces(const char* text, const char* end)
{
    while (text < end && rbl_is_space(*text))
    {
        ++text;
    }
    return text;
}

// Binary files may begin with "solid" too. A size that matches the triangle count means binary. Otherwise a text has
// no zero bytes, and after its first line a facet follows or the file ends.
static bool is_text(const rblSource* source)
{
    const char* text = (const char*)source->bytes;
    const char* const end = text + source->size;
    if (source->size >= PREFIX_BYTES &&
        (uint64_t)load_u32(source->bytes + HEADER_BYTES) * TRIANGLE_BYTES + PREFIX_BYTES == source->size)
    {
        return false;
    }
    if (source->size >= PREFIX_BYTES && memchr(text, 0, PREFIX_BYTES) != NULL)
    {
        return false;
    }
    text = skip_spaces(rbl_skip_byte_order_mark(text, end), end);
    if (!at_word(text, end, "solid"))
    {
        return false;
    }
    text = skip_spaces(rbl_find_line_end(text, end), end);
    return text == end || at_word(text, end, "facet") || at_word(text, end, "endsolid") ||
           source->size < PREFIX_BYTES;
}

// ---- binary ----

static rblVec3d load_corner(const uint8_t* bytes)
{
    return rbl_vec3d((double)load_float(bytes), (double)load_float(bytes + 4), (double)load_float(bytes + 8));
}

static rblResult read_triangle(const rblSource* source, size_t offset, rblWelder* welder)
{
    rblMeshBuilder* builder = welder->builder;
    for (size_t k = 1; k <= 3; ++k) // the normal comes first
    {
        const rblVec3d p = load_corner(source->bytes + offset + 12 * k);
        if (!rbl_finite3d(p) && !source->keep_non_finite)
        {
            return rbl_fail_byte(source, offset + 12 * k, RBL_ERROR_FORMAT, "a coordinate is not finite");
        }
        const uint32_t vertex = rbl_welder_vertex(welder, p);
        if (vertex == RBL_NONE)
        {
            return rbl_fail_memory();
        }
        rbl_mesh_builder_corner(builder, vertex);
    }
    rbl_mesh_builder_face(builder, 0, 0, (uint32_t)builder->face_starts.count);
    return builder->failed ? rbl_fail_memory() : RBL_OK;
}

static rblResult read_binary(const rblSource* source, rblMeshBuilder* builder)
{
    if (source->size < PREFIX_BYTES)
    {
        return rbl_fail_byte(source, source->size, RBL_ERROR_FORMAT, "the file is too short for an STL file");
    }
    const uint32_t count = load_u32(source->bytes + HEADER_BYTES);
    const size_t most = (source->size - PREFIX_BYTES) / TRIANGLE_BYTES;
    if (count > most)
    {
        return rbl_fail_byte(
            source, HEADER_BYTES, RBL_ERROR_FORMAT,
            "the header gives %u triangles, but the file has %zu; a text STL starts with 'solid'", count,
            most);
    }
    if (PREFIX_BYTES + (size_t)count * TRIANGLE_BYTES < source->size)
    {
        rbl_warn_line(source, NULL, "what follows the %u triangles is not read", count);
    }
    rbl_mesh_builder_reserve(builder, count / 2, count, 3 * (size_t)count);
    rblWelder welder;
    if (builder->failed || !rbl_welder_init(&welder, builder, count / 2))
    {
        return rbl_fail_memory();
    }
    rblResult result = RBL_OK;
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        result = read_triangle(source, PREFIX_BYTES + (size_t)i * TRIANGLE_BYTES, &welder);
    }
    rbl_welder_free(&welder);
    return result;
}

// ---- text ----

typedef struct TextReader
{
    const rblSource* source;
    const char* at;
    const char* end;
    rblMeshBuilder* builder;
    rblWelder welder;
    uint32_t group;
    uint32_t corners; // of the current facet
    bool in_facet;
    const char* facet; // its start
} TextReader;

static rblResult fail_token(const TextReader* reader, const char* expected)
{
    char token[RBL_QUOTE_SIZE];
    rbl_quote_token(reader->at, reader->end, token);
    return rbl_fail_line(reader->source, reader->at, RBL_ERROR_FORMAT, "expected %s, found '%s'", expected,
                         token);
}

static const char* token_end(const char* text, const char* end)
{
    while (text < end && !rbl_is_space(*text))
    {
        ++text;
    }
    return text;
}

// Skip a word at the cursor, if it is this one.
static bool take_word(TextReader* reader, const char* word)
{
    if (!at_word(reader->at, reader->end, word))
    {
        return false;
    }
    reader->at = skip_spaces(reader->at + strlen(word), reader->end);
    return true;
}

static rblResult read_corner(TextReader* reader)
{
    double p[3];
    for (int i = 0; i < 3; ++i)
    {
        const char* const after = rbl_parse_double(reader->at, reader->end, &p[i]);
        if (after == NULL || (after < reader->end && !rbl_is_space(*after)))
        {
            return fail_token(reader, "a coordinate");
        }
        if (!rbl_finite(p[i]) && !reader->source->keep_non_finite)
        {
            return rbl_fail_line(reader->source, reader->at, RBL_ERROR_FORMAT, "a coordinate is not finite");
        }
        reader->at = skip_spaces(after, reader->end);
    }
    const uint32_t vertex = rbl_welder_vertex(&reader->welder, rbl_vec3d(p[0], p[1], p[2]));
    if (vertex == RBL_NONE)
    {
        return rbl_fail_memory();
    }
    rbl_mesh_builder_corner(reader->builder, vertex);
    reader->corners += 1;
    return RBL_OK;
}

static rblResult begin_facet(TextReader* reader)
{
    if (reader->in_facet)
    {
        return rbl_fail_line(reader->source, reader->facet, RBL_ERROR_FORMAT, "a facet without endfacet");
    }
    reader->in_facet = true;
    reader->facet = reader->at;
    reader->corners = 0;
    if (!take_word(reader, "facet") || !take_word(reader, "normal"))
    {
        return fail_token(reader, "facet normal");
    }
    // The three numbers may be anything, even "-nan(ind)", because the normal is computed from the corners.
    for (int i = 0; i < 3; ++i)
    {
        reader->at = skip_spaces(token_end(reader->at, reader->end), reader->end);
    }
    return RBL_OK;
}

static rblResult end_facet(TextReader* reader)
{
    if (!reader->in_facet || reader->corners != 3)
    {
        return rbl_fail_line(reader->source, reader->in_facet ? reader->facet : reader->at, RBL_ERROR_FORMAT,
                             "a facet has %u corners, it must have three", reader->corners);
    }
    reader->in_facet = false;
    reader->corners = 0;
    take_word(reader, "endfacet");
    rbl_mesh_builder_face(reader->builder, 0, reader->group, (uint32_t)reader->builder->face_starts.count);
    return reader->builder->failed ? rbl_fail_memory() : RBL_OK;
}

// "solid", and the rest of the line as its name.
static rblResult begin_solid(TextReader* reader)
{
    const char* const line_end = rbl_find_line_end(reader->at, reader->end);
    const char* name = reader->at + strlen("solid");
    const char* last = line_end;
    while (name < last && rbl_is_blank(*name))
    {
        ++name;
    }
    while (last > name && rbl_is_blank(last[-1]))
    {
        --last;
    }
    reader->at = skip_spaces(line_end, reader->end);
    const char* const chosen = last > name ? name : "default";
    const size_t length = last > name ? (size_t)(last - name) : strlen("default");
    reader->group = rbl_intern_name(reader->builder, RBL_NAME_GROUP, chosen, length);
    return reader->builder->failed ? rbl_fail_memory() : RBL_OK;
}

static rblResult read_statement(TextReader* reader)
{
    if (reader->in_facet && take_word(reader, "vertex"))
    {
        return read_corner(reader);
    }
    if (at_word(reader->at, reader->end, "facet"))
    {
        return begin_facet(reader);
    }
    if (at_word(reader->at, reader->end, "endfacet"))
    {
        return end_facet(reader);
    }
    if (reader->in_facet &&
        (take_word(reader, "outer") || take_word(reader, "loop") || take_word(reader, "endloop")))
    {
        return RBL_OK;
    }
    if (!reader->in_facet && at_word(reader->at, reader->end, "solid"))
    {
        return begin_solid(reader);
    }
    if (!reader->in_facet && at_word(reader->at, reader->end, "endsolid"))
    {
        reader->at = skip_spaces(rbl_find_line_end(reader->at, reader->end), reader->end);
        return RBL_OK;
    }
    return fail_token(reader,
                      reader->in_facet ? "outer loop, vertex, endloop or endfacet" : "facet or endsolid");
}

static rblResult read_statements(TextReader* reader)
{
    while (reader->at < reader->end)
    {
        RBL_TRY(read_statement(reader));
    }
    if (reader->in_facet)
    {
        return rbl_fail_line(reader->source, reader->facet, RBL_ERROR_FORMAT,
                             "the file ends within this facet");
    }
    return RBL_OK;
}

static rblResult read_text(const rblSource* source, rblMeshBuilder* builder)
{
    const char* const text = (const char*)source->bytes;
    const char* const end = text + source->size;
    TextReader reader = {.source = source, .end = end, .builder = builder};
    reader.at = skip_spaces(rbl_skip_byte_order_mark(text, end), end);
    if (!rbl_welder_init(&reader.welder, builder, 0))
    {
        return rbl_fail_memory();
    }
    const rblResult result = read_statements(&reader);
    rbl_welder_free(&reader.welder);
    return result;
}

rblResult rbl_read_stl(const rblSource* source, rblMeshBuilder* builder)
{
    return is_text(source) ? read_text(source, builder) : read_binary(source, builder);
}
