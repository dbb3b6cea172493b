// One chunk of an OBJ file. The reference is "Object Files (.obj)" of Wavefront. Common additions of other programs
// are accepted: colours after positions, CR as line end, additional spaces.
#include "base/number.h"
#include "io/obj/obj.h"
#include "io/obj/obj_plain.h"
#include "io/text.h"
#include "math/vec.h"
#include <string.h>

void rbl_obj_chunk_init(rblObjChunk* chunk, const char* begin, const char* end, bool keep_non_finite,
                        const rblAllocator* allocator)
{
    *chunk = (rblObjChunk){.begin = begin, .end = end, .keep_non_finite = keep_non_finite};
    rbl_array_init(&chunk->positions, allocator);
    rbl_array_init(&chunk->face_starts, allocator);
    rbl_array_init(&chunk->switches, allocator);
    for (int i = 0; i < RBL_OBJ_REFERENCE_COUNT; ++i)
    {
        rbl_array_init(&chunk->values[i], allocator);
        rbl_array_init(&chunk->references[i], allocator);
        rbl_array_init(&chunk->relative[i], allocator);
    }
}

void rbl_obj_chunk_free(rblObjChunk* chunk)
{
    rbl_array_free(&chunk->positions);
    rbl_array_free(&chunk->face_starts);
    rbl_array_free(&chunk->switches);
    for (int i = 0; i < RBL_OBJ_REFERENCE_COUNT; ++i)
    {
        rbl_array_free(&chunk->values[i]);
        rbl_array_free(&chunk->references[i]);
        rbl_array_free(&chunk->relative[i]);
    }
}

// ---- errors: parsing continues at the end of the chunk and stops ----

static const char* fail(rblObjChunk* chunk, const char* at, const char* message)
{
    chunk->error = message;
    chunk->error_at = at;
    return chunk->end;
}

// The message ends with the token at `at`.
static const char* fail_token(rblObjChunk* chunk, const char* at, const char* message)
{
    chunk->error_quotes = true;
    return fail(chunk, at, message);
}

static const char* fail_memory(rblObjChunk* chunk)
{
    chunk->out_of_memory = true;
    return chunk->end;
}

// ---- within a line ----

// Skip blanks, and line ends after a backslash.
static inline const char* skip_blanks(const char* c, const char* end)
{
    while (c < end && rbl_text_is(*c, RBL_TEXT_BLANK | RBL_TEXT_BACKSLASH))
    {
        if (*c == '\\')
        {
            if (c + 1 == end || !rbl_is_line_end(c[1]))
            {
                return c;
            }
            c = rbl_skip_line_end(c + 1, end);
            continue;
        }
        ++c;
    }
    return c;
}

static inline bool at_end(const char* c, const char* end)
{
    return c == end || rbl_text_is(*c, RBL_TEXT_LINE_END | RBL_TEXT_COMMENT);
}

static inline bool after_token(const char* c, const char* end)
{
    return c == end ||
           rbl_text_is(*c, RBL_TEXT_BLANK | RBL_TEXT_LINE_END | RBL_TEXT_COMMENT | RBL_TEXT_BACKSLASH);
}

// Skip to the end of the statement.
static const char* skip_statement(const char* c, const char* end)
{
    while (c < end && !rbl_is_line_end(*c))
    {
        const bool continued = *c == '\\' && c + 1 < end && rbl_is_line_end(c[1]);
        c = continued ? rbl_skip_line_end(c + 1, end) : c + 1;
    }
    return c;
}

// Parse up to `limit` numbers; the rest of the statement is skipped. Null when a number is malformed; *bad is its
// position.
static const char* parse_numbers(const char* c, const char* end, double* out, uint32_t limit, uint32_t* count,
                                 const char** bad)
{
    *count = 0;
    for (c = skip_blanks(c, end); !at_end(c, end); c = skip_blanks(c, end))
    {
        if (*count == limit)
        {
            return skip_statement(c, end);
        }
        const char* after = rbl_parse_double(c, end, &out[*count]);
        if (after == NULL || !after_token(after, end))
        {
            *bad = c;
            return NULL;
        }
        *count += 1;
        c = after;
    }
    return c;
}

// ---- v, vt, vn ----

#define MAX_COLUMNS 7 // x y z r g b a

// Set the colour of the newest position, null for none. Positions without a colour are white when others have
// colours.
static bool add_color(rblObjChunk* chunk, const double* rgba)
{
    rblFloatArray* colors = &chunk->values[RBL_OBJ_VERTEX];
    const size_t from = colors->count;
    if (rgba == NULL && from == 0)
    {
        return true;
    }
    if (!rbl_array_reserve(colors, 4 * chunk->positions.capacity) ||
        !rbl_array_resize(colors, 4 * chunk->positions.count))
    {
        return false;
    }
    for (size_t i = from; i < colors->count; ++i)
    {
        colors->data[i] = 1.0f;
    }
    for (size_t i = 0; rgba != NULL && i < 4; ++i)
    {
        colors->data[colors->count - 4 + i] = (float)rgba[i];
    }
    return true;
}

// x y z, x y z w (the weight of curves, ignored), x y z r g b, or x y z r g b a.
static const char* parse_position(rblObjChunk* chunk, const char* c)
{
    double v[MAX_COLUMNS];
    uint32_t count;
    const char* bad = NULL;
    const char* after = parse_numbers(c, chunk->end, v, MAX_COLUMNS, &count, &bad);
    if (after == NULL)
    {
        return fail_token(chunk, bad, "expected a coordinate, found");
    }
    if (count < 3)
    {
        return fail(chunk, c, "a vertex needs three coordinates");
    }
    if (!chunk->keep_non_finite && !(rbl_finite(v[0]) && rbl_finite(v[1]) && rbl_finite(v[2])))
    {
        return fail(chunk, c, "a coordinate is not finite");
    }
    if (!rbl_array_push(&chunk->positions, rbl_vec3d(v[0], v[1], v[2])))
    {
        return fail_memory(chunk);
    }
    const bool has_color = count >= 6;
    if (count == 6)
    {
        v[6] = 1.0;
    }
    for (uint32_t i = 3; has_color && i < 7; ++i)
    {
        if (!rbl_finite((double)(float)v[i]))
        {
            if (!chunk->keep_non_finite)
            {
                return fail(chunk, c, "a colour is not finite");
            }
            v[i] = 0.0;
        }
    }
    return add_color(chunk, has_color ? v + 3 : NULL) ? after : fail_memory(chunk);
}

// A UV or normal: at least `needed` numbers; missing ones are 0.
static const char* parse_attribute(rblObjChunk* chunk, const char* c, rblObjReference kind, uint32_t needed)
{
    double v[3] = {0, 0, 0};
    uint32_t count;
    const char* bad = NULL;
    const char* after = parse_numbers(c, chunk->end, v, 3, &count, &bad);
    if (after == NULL)
    {
        return fail_token(chunk, bad, "expected a number, found");
    }
    if (count < needed)
    {
        return fail(chunk, c,
                    needed == 3 ? "a normal needs three numbers" : "a texture vertex needs a number");
    }
    for (uint32_t i = 0; i < rbl_obj_components[kind]; ++i)
    {
        float value = (float)v[i];
        if (!rbl_finite((double)value))
        {
            if (!chunk->keep_non_finite)
            {
                return fail(chunk, c, "a number is not finite");
            }
            value = 0.0f;
        }
        if (!rbl_array_push(&chunk->values[kind], value))
        {
            return fail_memory(chunk);
        }
    }
    return after;
}

// ---- f ----

// Store a reference of the newest corner.
static bool add_reference(rblObjChunk* chunk, rblObjReference kind, uint32_t index)
{
    rblIndexArray* indices = &chunk->references[kind];
    const size_t corner = chunk->references[RBL_OBJ_VERTEX].count - (kind != RBL_OBJ_VERTEX);
    if (indices->count < corner)
    {
        const size_t from = indices->count;
        if (!rbl_array_reserve(indices, chunk->references[RBL_OBJ_VERTEX].capacity) ||
            !rbl_array_resize(indices, corner))
        {
            return false;
        }
        memset(indices->data + from, 0xFF, (corner - from) * sizeof *indices->data); // RBL_NONE
    }
    return rbl_array_push(indices, index);
}

static const char* add_relative(rblObjChunk* chunk, const char* at, rblObjReference kind, uint64_t back)
{
    const size_t count = rbl_obj_defined(chunk, kind);
    if (back > INT32_MAX || count > INT32_MAX)
    {
        return fail_token(chunk, at, "the index is out of range:");
    }
    const uint32_t corner = (uint32_t)(chunk->references[RBL_OBJ_VERTEX].count - (kind != RBL_OBJ_VERTEX));
    // Values below zero wrap: they refer to an earlier chunk.
    const uint32_t index = (uint32_t)count - (uint32_t)back;
    const bool added = add_reference(chunk, kind, index) && rbl_array_push(&chunk->relative[kind], corner);
    return added ? at : fail_memory(chunk);
}

// One index of a corner at `c`. Returns its end, or the end of the chunk after a failure.
static inline const char* parse_index(rblObjChunk* chunk, const char* c, rblObjReference kind)
{
    const char* const end = chunk->end;
    const bool negative = c < end && *c == '-';
    const char* const digits = c + (c < end && (*c == '-' || *c == '+'));
    uint64_t value = 0;
    const char* after = rbl_read_digits(digits, end, &value);
    if (after == digits)
    {
        return fail_token(chunk, c, "expected an index, found");
    }
    if (value == 0 && after - digits < 20)
    {
        return fail_token(chunk, c, "indices count from 1, or back from -1:");
    }
    if (after - digits > 19 || value > UINT32_MAX - 3)
    {
        return fail_token(chunk, c, "the index is out of range:");
    }
    if (negative)
    {
        return add_relative(chunk, c, kind, value) == c ? after : end;
    }
    return add_reference(chunk, kind, (uint32_t)(value - 1)) ? after : fail_memory(chunk);
}

// v, v/vt, v//vn, v/vt/vn, and the forms v/ and v// of some programs.
static inline const char* parse_corner(rblObjChunk* chunk, const char* c)
{
    const char* const end = chunk->end;
    c = parse_index(chunk, c, RBL_OBJ_VERTEX);
    for (rblObjReference kind = RBL_OBJ_UV; kind <= RBL_OBJ_NORMAL && c < end && *c == '/'; ++kind)
    {
        ++c;
        if (!after_token(c, end) && *c != '/')
        {
            c = parse_index(chunk, c, kind);
        }
    }
    return c;
}

static const char* parse_face(rblObjChunk* chunk, const char* c)
{
    const char* const end = chunk->end;
    const char* const start = c;
    const size_t first = chunk->references[RBL_OBJ_VERTEX].count;
    for (c = skip_blanks(c, end); !at_end(c, end); c = skip_blanks(c, end))
    {
        const char* const corner = c;
        c = parse_corner(chunk, c);
        if (chunk->error != NULL || chunk->out_of_memory)
        {
            return end;
        }
        if (!after_token(c, end))
        {
            return fail_token(chunk, corner, "expected v, v/vt, v//vn or v/vt/vn, found");
        }
    }
    const size_t count = chunk->references[RBL_OBJ_VERTEX].count;
    if (count - first < 3)
    {
        return fail(chunk, start, "a face needs three corners");
    }
    if (count > UINT32_MAX - 3)
    {
        return fail(chunk, start, "more than 2^32 - 4 corners");
    }
    return rbl_array_push(&chunk->face_starts, (uint32_t)first) ? c : fail_memory(chunk);
}

// ---- other statements ----

// The name is the rest of the line without blanks at both ends.
static const char* parse_switch(rblObjChunk* chunk, const char* c, rblNameKind kind)
{
    c = skip_blanks(c, chunk->end);
    const char* const after = skip_statement(c, chunk->end);
    const char* last = after;
    while (last > c && rbl_is_blank(last[-1]))
    {
        --last;
    }
    const rblObjSwitch change = {(uint32_t)chunk->face_starts.count, kind, c, (size_t)(last - c)};
    return rbl_array_push(&chunk->switches, change) ? after : fail_memory(chunk);
}

static bool is_word(const char* word, size_t length, const char* const* list)
{
    for (; *list != NULL; ++list)
    {
        if (strlen(*list) == length && memcmp(*list, word, length) == 0)
        {
            return true;
        }
    }
    return false;
}

// Statements without meaning for a mesh are skipped; a flag records those with geometry that is not supported.
static void note_ignored(rblObjChunk* chunk, const char* word, size_t length)
{
    static const char* const harmless[] = {"mtllib",   "s",        "mg",         "lod",       "bevel",
                                           "c_interp", "d_interp", "usemap",     "maplib",    "vp",
                                           "ctech",    "stech",    "shadow_obj", "trace_obj", NULL};
    static const char* const free_form[] = {"cstype", "deg",  "bmat", "step", "curv", "curv2", "surf",
                                            "parm",   "trim", "hole", "scrv", "sp",   "end",   "con",
                                            "bsp",    "bzp",  "cdc",  "cdp",  "res",  NULL};
    static const char* const thin[] = {"p", "l", NULL};
    if (is_word(word, length, harmless))
    {
        return;
    }
    const rblObjIgnored kind = is_word(word, length, thin)        ? RBL_OBJ_LINES_AND_POINTS
                               : is_word(word, length, free_form) ? RBL_OBJ_FREE_FORM
                                                                  : RBL_OBJ_UNKNOWN;
    if (chunk->ignored[kind] == NULL)
    {
        chunk->ignored[kind] = word;
    }
}

typedef enum Statement
{
    STATEMENT_POSITION,
    STATEMENT_UV,
    STATEMENT_NORMAL,
    STATEMENT_FACE,
    STATEMENT_GROUP,
    STATEMENT_MATERIAL,
    STATEMENT_OTHER
} Statement;

static inline Statement classify(const char* word, size_t length)
{
    if (length == 1)
    {
        switch (word[0])
        {
        case 'v':
            return STATEMENT_POSITION;
        case 'f':
            return STATEMENT_FACE;
        case 'g':
        case 'o':
            return STATEMENT_GROUP;
        default:
            return STATEMENT_OTHER;
        }
    }
    if (length == 2 && word[0] == 'v')
    {
        return word[1] == 't' ? STATEMENT_UV : word[1] == 'n' ? STATEMENT_NORMAL : STATEMENT_OTHER;
    }
    if (length == 2 && memcmp(word, "fo", 2) == 0) // old keyword of a face
    {
        return STATEMENT_FACE;
    }
    return length == 6 && memcmp(word, "usemtl", 6) == 0 ? STATEMENT_MATERIAL : STATEMENT_OTHER;
}

static inline const char* word_end(const char* c, const char* end)
{
    while (c < end && !after_token(c, end))
    {
        ++c;
    }
    return c;
}

static const char* parse_statement(rblObjChunk* chunk, const char* c)
{
    const char* const after = word_end(c, chunk->end);
    switch (classify(c, (size_t)(after - c)))
    {
    case STATEMENT_POSITION:
        return parse_position(chunk, after);
    case STATEMENT_UV:
        return parse_attribute(chunk, after, RBL_OBJ_UV, 1);
    case STATEMENT_NORMAL:
        return parse_attribute(chunk, after, RBL_OBJ_NORMAL, 3);
    case STATEMENT_FACE:
        return parse_face(chunk, after);
    case STATEMENT_GROUP:
        return parse_switch(chunk, after, RBL_NAME_GROUP);
    case STATEMENT_MATERIAL:
        return parse_switch(chunk, after, RBL_NAME_MATERIAL);
    default:
        note_ignored(chunk, c, (size_t)(after - c));
        return skip_statement(after, chunk->end);
    }
}

// The next statement at or after `c`, or `end`.
static inline const char* next_statement(const char* c, const char* end)
{
    while (c < end &&
           rbl_text_is(*c, RBL_TEXT_BLANK | RBL_TEXT_LINE_END | RBL_TEXT_COMMENT | RBL_TEXT_BACKSLASH))
    {
        if (*c == '#')
        {
            c = rbl_find_line_end(c, end);
            continue;
        }
        ++c;
    }
    return c;
}

// ---- chunk ----

// The last line end, or `begin` when there is none.
static const char* find_last_line_end(const char* begin, const char* end)
{
    const char* c = end;
    while (c > begin && !rbl_is_line_end(c[-1]))
    {
        --c;
    }
    return c > begin ? c - 1 : begin;
}

void rbl_obj_chunk_parse(rblObjChunk* chunk)
{
    if (!rbl_obj_chunk_reserve(chunk))
    {
        chunk->out_of_memory = true;
        return;
    }
    chunk->last_line_end = find_last_line_end(chunk->begin, chunk->end);
    const char* c = next_statement(chunk->begin, chunk->end);
    while (c < chunk->end)
    {
        const char* const after = rbl_obj_parse_plain(chunk, c);
        c = next_statement(after != NULL ? after : parse_statement(chunk, c), chunk->end);
    }
    // The corners after the last one with a UV or normal have none.
    const size_t corners = chunk->references[RBL_OBJ_VERTEX].count;
    for (rblObjReference kind = RBL_OBJ_UV; kind <= RBL_OBJ_NORMAL; ++kind)
    {
        rblIndexArray* indices = &chunk->references[kind];
        const size_t from = indices->count;
        if (from > 0 && from < corners && !chunk->out_of_memory)
        {
            chunk->out_of_memory = !rbl_array_resize(indices, corners);
            memset(indices->data + from, 0xFF, (indices->count - from) * sizeof *indices->data);
        }
    }
}

const char* rbl_obj_find_face(const char* begin, const char* end, size_t n)
{
    const char* c = next_statement(begin, end);
    while (c < end)
    {
        const char* const after = word_end(c, end);
        if (classify(c, (size_t)(after - c)) == STATEMENT_FACE && n-- == 0)
        {
            return c;
        }
        c = next_statement(skip_statement(after, end), end);
    }
    return begin;
}
