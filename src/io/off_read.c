// OFF, the Object File Format of Geomview, as text: OFF, NOFF, COFF, STOFF and their combinations. One vertex or face
// per line, as all programs write it; the number of values of a line determines the form of its colours.
#include "base/number.h"
#include "io/image/color.h"
#include "io/layers.h"
#include "io/readers.h"
#include "io/text_rows.h"
#include "math/vec.h"
#include <string.h>

#define MAX_NUMBERS 12 // x y z, normal, r g b a, s t

typedef struct OffReader
{
    const rblSource* source;
    const char* at;
    const char* end;
    rblMeshBuilder* builder;
    bool has_uvs, has_colors, has_normals;
    uint32_t vertex_count, face_count;
    rblFloatArray normals, colors, uvs; // per vertex
    uint32_t face_color_layer;          // RBL_NONE until a face has a colour
} OffReader;

static rblResult fail_token(const OffReader* reader, const char* at, const char* expected)
{
    char token[RBL_QUOTE_SIZE];
    rbl_quote_token(at, reader->end, token);
    return rbl_fail_line(reader->source, at, RBL_ERROR_FORMAT, "expected %s, found '%s'", expected, token);
}

static inline bool at_line_end(const char* c, const char* end)
{
    return c == end || rbl_text_is(*c, RBL_TEXT_LINE_END | RBL_TEXT_COMMENT);
}

static inline const char* skip_blanks(const char* c, const char* end)
{
    while (c < end && rbl_is_blank(*c))
    {
        ++c;
    }
    return c;
}

// The next line that is not empty.
static const char* next_content(const char* c, const char* end)
{
    while (c < end && rbl_text_is(*c, RBL_TEXT_BLANK | RBL_TEXT_LINE_END | RBL_TEXT_COMMENT))
    {
        c = *c == '#' ? rbl_find_line_end(c, end) : c + 1;
    }
    return c;
}

// A number must be followed by a blank, the end of the line, or a comment.
static inline bool ends_token(const char* c, const char* end)
{
    return c == end || rbl_text_is(*c, RBL_TEXT_BLANK | RBL_TEXT_LINE_END | RBL_TEXT_COMMENT);
}

// ---- lines of numbers ----

typedef struct Numbers
{
    double values[MAX_NUMBERS];
    uint32_t count;
    bool integers[MAX_NUMBERS]; // written without a point: a colour component from 0 to 255
} Numbers;

static bool is_integer(const char* c, const char* end)
{
    while (c < end && (rbl_is_digit(*c) || *c == '-' || *c == '+'))
    {
        ++c;
    }
    return c == end;
}

// The numbers from the cursor to the end of its line; numbers after the first `limit` are skipped.
static rblResult read_numbers(OffReader* reader, uint32_t limit, Numbers* out)
{
    const char* c = skip_blanks(reader->at, reader->end);
    out->count = 0;
    while (!at_line_end(c, reader->end) && out->count < limit)
    {
        const char* const after = rbl_parse_double(c, reader->end, &out->values[out->count]);
        if (after == NULL || !ends_token(after, reader->end))
        {
            return fail_token(reader, c, "a number");
        }
        out->integers[out->count] = is_integer(c, after);
        out->count += 1;
        c = skip_blanks(after, reader->end);
    }
    reader->at = rbl_find_line_end(c, reader->end);
    return RBL_OK;
}

// A colour has three or four numbers; integers go up to 255.
static void read_color(const Numbers* numbers, uint32_t first, uint32_t count, float rgba[4])
{
    bool integers = true;
    for (uint32_t i = 0; i < count; ++i)
    {
        integers = integers && numbers->integers[first + i];
    }
    rgba[3] = 1.0f;
    for (uint32_t i = 0; i < count; ++i)
    {
        rgba[i] = (float)(numbers->values[first + i] * (integers ? 1.0 / 255 : 1));
    }
}

// ---- header ----

static rblResult read_keyword(OffReader* reader)
{
    const char* c = reader->at;
    if (c < reader->end && (rbl_is_digit(*c) || *c == '+'))
    {
        return RBL_OK; // the keyword may be missing
    }
    const char* const start = c;
    const size_t left = (size_t)(reader->end - c);
    reader->has_uvs = left >= 2 && memcmp(c, "ST", 2) == 0;
    c += reader->has_uvs ? 2 : 0;
    reader->has_colors = c < reader->end && *c == 'C';
    c += reader->has_colors;
    reader->has_normals = c < reader->end && *c == 'N';
    c += reader->has_normals;
    if (c < reader->end && (*c == '4' || *c == 'n'))
    {
        return rbl_fail_line(reader->source, start, RBL_ERROR_UNSUPPORTED,
                             "only three-dimensional OFF files are supported");
    }
    if (reader->end - c < 3 || memcmp(c, "OFF", 3) != 0 || !ends_token(c + 3, reader->end))
    {
        return fail_token(reader, start, "OFF");
    }
    c = skip_blanks(c + 3, reader->end);
    if (reader->end - c >= 6 && memcmp(c, "BINARY", 6) == 0)
    {
        return rbl_fail_line(reader->source, start, RBL_ERROR_UNSUPPORTED,
                             "binary OFF files are not supported");
    }
    reader->at = c;
    return RBL_OK;
}

static rblResult read_counts(OffReader* reader)
{
    reader->at = next_content(reader->at, reader->end);
    const char* const start = reader->at;
    Numbers numbers;
    RBL_TRY(read_numbers(reader, 3, &numbers));
    for (uint32_t i = 0; i < 2; ++i)
    {
        if (numbers.count < 2 || !numbers.integers[i] || numbers.values[i] < 0)
        {
            return rbl_fail_line(reader->source, start, RBL_ERROR_FORMAT,
                                 "expected the numbers of vertices and faces");
        }
    }
    // "0 0 0\n" and "3 0 1 2\n" are the shortest lines; the last line may have no line end.
    const double left = (double)(reader->end - reader->at) + 1;
    if (numbers.values[0] * 6 + numbers.values[1] * 8 > left)
    {
        return rbl_fail_line(reader->source, start, RBL_ERROR_FORMAT,
                             "the file is too short for its numbers of vertices and faces");
    }
    if (numbers.values[0] > UINT32_MAX - 3 || numbers.values[1] > UINT32_MAX - 3)
    {
        return rbl_fail_line(reader->source, start, RBL_ERROR_LIMIT, "more than 2^32 - 4 vertices or faces");
    }
    reader->vertex_count = (uint32_t)numbers.values[0];
    reader->face_count = (uint32_t)numbers.values[1];
    return RBL_OK;
}

// ---- vertices ----

static rblResult add_attribute(const OffReader* reader, rblFloatArray* array, const double* values,
                               uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        float value = (float)values[i];
        if (!rbl_finite((double)value))
        {
            if (!reader->source->keep_non_finite)
            {
                return rbl_fail_line(reader->source, reader->at, RBL_ERROR_FORMAT,
                                     "an attribute is not finite");
            }
            value = 0.0f;
        }
        if (!rbl_array_push(array, value))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// The values after the position: normal, colour, texture coordinates.
static rblResult read_attributes(OffReader* reader, const Numbers* numbers)
{
    const uint32_t fixed = (reader->has_normals ? 6u : 3u) + (reader->has_uvs ? 2u : 0u);
    const uint32_t color_count = numbers->count > fixed ? numbers->count - fixed : 0;
    if (numbers->count < fixed || (reader->has_colors && color_count != 3 && color_count != 4))
    {
        return rbl_fail_line(reader->source, reader->at, RBL_ERROR_FORMAT,
                             "%u numbers are too few for the attributes of a vertex, or one too many",
                             numbers->count);
    }
    if (reader->has_normals)
    {
        RBL_TRY(add_attribute(reader, &reader->normals, numbers->values + 3, 3));
    }
    if (reader->has_colors)
    {
        float rgba[4];
        read_color(numbers, reader->has_normals ? 6 : 3, color_count, rgba);
        const double values[4] = {(double)rgba[0], (double)rgba[1], (double)rgba[2], (double)rgba[3]};
        RBL_TRY(add_attribute(reader, &reader->colors, values, 4));
    }
    if (reader->has_uvs)
    {
        const uint32_t first = fixed - 2 + (reader->has_colors ? color_count : 0);
        RBL_TRY(add_attribute(reader, &reader->uvs, numbers->values + first, 2));
    }
    return RBL_OK;
}

static rblResult read_vertex(OffReader* reader)
{
    reader->at = next_content(reader->at, reader->end);
    if (reader->at == reader->end)
    {
        return rbl_fail_line(reader->source, reader->at, RBL_ERROR_FORMAT,
                             "the file ends after %zu of %u vertices", reader->builder->positions.count,
                             reader->vertex_count);
    }
    const char* const start = reader->at;
    Numbers numbers;
    RBL_TRY(read_numbers(reader, MAX_NUMBERS, &numbers));
    if (numbers.count < 3)
    {
        return rbl_fail_line(reader->source, start, RBL_ERROR_FORMAT, "a vertex needs three coordinates");
    }
    const rblVec3d p = {numbers.values[0], numbers.values[1], numbers.values[2]};
    if (!rbl_finite3d(p) && !reader->source->keep_non_finite)
    {
        return rbl_fail_line(reader->source, start, RBL_ERROR_FORMAT, "a coordinate is not finite");
    }
    rbl_mesh_builder_vertex(reader->builder, p);
    if (reader->builder->failed)
    {
        return rbl_fail_memory();
    }
    const bool plain = !reader->has_normals && !reader->has_colors && !reader->has_uvs;
    return plain ? RBL_OK : read_attributes(reader, &numbers);
}

// ---- faces ----

static inline const char* read_index(const char* c, const char* end, uint64_t* out)
{
    const char* const first = c;
    uint64_t value = 0;
    while (c < end && rbl_is_digit(*c))
    {
        value = value * 10 + (uint64_t)(*c++ - '0');
    }
    *out = value;
    return c > first && c - first < 19 && ends_token(c, end) ? c : NULL;
}

static rblResult read_corners(OffReader* reader, const char* start, uint64_t count)
{
    const char* c = reader->at;
    for (uint64_t k = 0; k < count; ++k)
    {
        c = skip_blanks(c, reader->end);
        if (at_line_end(c, reader->end))
        {
            return rbl_fail_line(reader->source, start, RBL_ERROR_FORMAT,
                                 "the face gives %llu corners, but the line has %llu",
                                 (unsigned long long)count, (unsigned long long)k);
        }
        uint64_t index;
        const char* const after = read_index(c, reader->end, &index);
        if (after == NULL)
        {
            return fail_token(reader, c, "the index of a vertex");
        }
        if (index >= reader->vertex_count)
        {
            return rbl_fail_line(reader->source, c, RBL_ERROR_FORMAT, "the face refers to vertex %llu of %u",
                                 (unsigned long long)index, reader->vertex_count);
        }
        rbl_mesh_builder_corner(reader->builder, (uint32_t)index);
        c = after;
    }
    reader->at = c;
    return RBL_OK;
}

// Three or four numbers after the corners are a colour; a single one is an index of a colour map, which is not
// supported.
static rblResult read_face_color(OffReader* reader)
{
    Numbers numbers;
    RBL_TRY(read_numbers(reader, 4, &numbers));
    if (numbers.count < 3 || reader->has_colors)
    {
        return RBL_OK;
    }
    rblMeshBuilder* builder = reader->builder;
    if (reader->face_color_layer == RBL_NONE)
    {
        reader->face_color_layer = rbl_mesh_builder_layer(builder, RBL_LAYER_COLOR);
    }
    float rgba[4];
    read_color(&numbers, 0, numbers.count, rgba);
    for (int i = 0; i < 4; ++i)
    {
        rgba[i] = rbl_finite((double)rgba[i]) ? rgba[i] : 0.0f;
    }
    rbl_color_to_linear(rgba);
    for (uint32_t c = builder->open_corner; c < builder->corner_vertices.count; ++c)
    {
        rbl_mesh_builder_set(builder, reader->face_color_layer, c, rgba);
    }
    return RBL_OK;
}

static rblResult read_face(OffReader* reader)
{
    reader->at = next_content(reader->at, reader->end);
    const char* const start = reader->at;
    if (start == reader->end)
    {
        return rbl_fail_line(reader->source, start, RBL_ERROR_FORMAT, "the file ends after %zu of %u faces",
                             reader->builder->face_starts.count, reader->face_count);
    }
    uint64_t count;
    const char* const after = read_index(start, reader->end, &count);
    if (after == NULL)
    {
        return fail_token(reader, start, "the number of corners of a face");
    }
    if (count < 3)
    {
        return rbl_fail_line(reader->source, start, RBL_ERROR_FORMAT, "a face needs three corners");
    }
    reader->at = after;
    RBL_TRY(read_corners(reader, start, count));
    reader->at = skip_blanks(reader->at, reader->end);
    if (!at_line_end(reader->at, reader->end))
    {
        RBL_TRY(read_face_color(reader));
    }
    reader->at = rbl_find_line_end(reader->at, reader->end);
    rbl_mesh_builder_face(reader->builder, 0, 0, (uint32_t)reader->builder->face_starts.count);
    return reader->builder->failed ? rbl_fail_memory() : RBL_OK;
}

// ---- all steps ----

typedef struct RowContext
{
    rblVec3d* positions;
    bool keep_non_finite;
} RowContext;

static const char* read_vertex_row(const char* line, const char* end, uint32_t row, void* context)
{
    const RowContext* rows = context;
    const char* c = line;
    double p[3];
    for (int i = 0; i < 3; ++i)
    {
        c = skip_blanks(c, end);
        c = rbl_parse_double(c, end, &p[i]);
        if (c == NULL || (c < end && !rbl_is_space(*c)))
        {
            return NULL;
        }
    }
    rows->positions[row] = rbl_vec3d(p[0], p[1], p[2]);
    return rows->keep_non_finite || rbl_finite3d(rows->positions[row]) ? c : NULL;
}

// A text with positions and faces only, parsed in parallel. False, with nothing read, for any other text.
static bool read_plain(OffReader* reader)
{
    rblMeshBuilder* builder = reader->builder;
    if (reader->has_normals || reader->has_colors || reader->has_uvs || reader->vertex_count == 0 ||
        !rbl_array_resize(&builder->positions, reader->vertex_count))
    {
        return false;
    }
    RowContext context = {builder->positions.data, reader->source->keep_non_finite};
    const rblTextRows rows = {.begin = rbl_skip_line_end(reader->at, reader->end),
                              .end = reader->end,
                              .vertex_count = reader->vertex_count,
                              .face_count = reader->face_count,
                              .vertex = read_vertex_row,
                              .context = &context};
    const bool done = rbl_text_rows_read(&rows, builder);
    builder->positions.count = done ? reader->vertex_count : 0;
    return done;
}

static rblResult read_all(OffReader* reader)
{
    reader->at = next_content(reader->at, reader->end);
    RBL_TRY(read_keyword(reader));
    RBL_TRY(read_counts(reader));
    rbl_mesh_builder_reserve(reader->builder, reader->vertex_count, reader->face_count,
                             3 * (size_t)reader->face_count);
    if (reader->builder->failed)
    {
        return rbl_fail_memory();
    }
    if (read_plain(reader))
    {
        return RBL_OK;
    }
    for (uint32_t v = 0; v < reader->vertex_count; ++v)
    {
        RBL_TRY(read_vertex(reader));
    }
    for (uint32_t f = 0; f < reader->face_count; ++f)
    {
        RBL_TRY(read_face(reader));
    }
    rbl_normalize_floats(reader->normals.data, reader->normals.count / 3);
    rbl_colors_to_linear(reader->colors.data, reader->colors.count / 4);
    RBL_TRY(rbl_spread_to_corners(&reader->normals, RBL_LAYER_NORMAL, reader->builder));
    RBL_TRY(rbl_spread_to_corners(&reader->uvs, RBL_LAYER_UV, reader->builder));
    return rbl_spread_to_corners(&reader->colors, RBL_LAYER_COLOR, reader->builder);
}

rblResult rbl_read_off(const rblSource* source, rblMeshBuilder* builder)
{
    const char* const text = (const char*)source->bytes;
    OffReader reader = {.source = source,
                        .at = rbl_skip_byte_order_mark(text, text + source->size),
                        .end = text + source->size,
                        .builder = builder,
                        .face_color_layer = RBL_NONE};
    rbl_array_init(&reader.normals, source->allocator);
    rbl_array_init(&reader.colors, source->allocator);
    rbl_array_init(&reader.uvs, source->allocator);
    const rblResult result = read_all(&reader);
    rbl_array_free(&reader.normals);
    rbl_array_free(&reader.colors);
    rbl_array_free(&reader.uvs);
    return result;
}
