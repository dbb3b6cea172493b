// PLY, the Stanford polygon format: a text header that describes rows of numbers, then the rows, as text or binary.
#ifndef RBL_IO_PLY_PLY_H
#define RBL_IO_PLY_PLY_H

#include "base/array.h"
#include "io/readers.h"
#include <string.h>

typedef enum rblPlyFormat
{
    RBL_PLY_ASCII,
    RBL_PLY_LITTLE_ENDIAN,
    RBL_PLY_BIG_ENDIAN,
    RBL_PLY_FORMAT_COUNT
} rblPlyFormat;

typedef enum rblPlyType
{
    RBL_PLY_INT8,
    RBL_PLY_UINT8,
    RBL_PLY_INT16,
    RBL_PLY_UINT16,
    RBL_PLY_INT32,
    RBL_PLY_UINT32,
    RBL_PLY_FLOAT32,
    RBL_PLY_FLOAT64,
    RBL_PLY_TYPE_COUNT
} rblPlyType;

static const uint8_t rbl_ply_sizes[RBL_PLY_TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 4, 8};

// A range of the text of the header.
typedef struct rblPlyName
{
    const char* text;
    size_t length;
} rblPlyName;

bool rbl_ply_name_is(rblPlyName name, const char* word);

typedef struct rblPlyProperty
{
    rblPlyName name;
    bool is_list;
    rblPlyType count_type; // of a list
    rblPlyType type;
    size_t offset; // in a binary row; meaningful in elements without lists
} rblPlyProperty;

typedef struct rblPlyElement
{
    rblPlyName name;
    uint64_t count;
    size_t first_property;
    size_t property_count;
    size_t row_bytes; // of a binary row with empty lists
    bool has_lists;
} rblPlyElement;

typedef struct rblPlyHeader
{
    rblPlyFormat format;
    RBL_ARRAY(rblPlyElement) elements;
    RBL_ARRAY(rblPlyProperty) properties; // of all elements, one after the other
    // From our own comments, "comment rubble material NAME" and "comment rubble group NAME".
    RBL_ARRAY(rblPlyName) materials;
    RBL_ARRAY(rblPlyName) groups;
    // The indices of these names in the builder: a repeated name has one index.
    rblIndexArray material_numbers;
    rblIndexArray group_numbers;
    const uint8_t* body; // the first byte after the header
} rblPlyHeader;

rblResult rbl_ply_header_parse(rblPlyHeader* header, const rblSource* source);
void rbl_ply_header_free(rblPlyHeader* header);

// ---- reading numbers ----

typedef struct rblPlyCursor
{
    const rblSource* source;
    rblPlyFormat format;
    const uint8_t* at;
    const uint8_t* end;
} rblPlyCursor;

// A failure at the cursor, with its line in text files and its byte in binary ones.
rblResult rbl_ply_fail(const rblPlyCursor* cursor, const char* format, ...) RBL_PRINTF_LIKE(2, 3);

// The cursor at its next number, for a message about it.
rblPlyCursor rbl_ply_next(const rblPlyCursor* cursor);

// The next number. Fails at the end of the file and, in text, when the token is not a number.
rblResult rbl_ply_scalar(rblPlyCursor* cursor, rblPlyType type, double* out);

// The length of the list that starts here: refused when the rest of the file is too short for it.
rblResult rbl_ply_list_count(rblPlyCursor* cursor, const rblPlyProperty* property, uint32_t* out);

// Skip `count` rows of an element.
rblResult rbl_ply_skip(rblPlyCursor* cursor, const rblPlyHeader* header, const rblPlyElement* element);

// Refuse a count of the header for which the rest of the file is too short. `least` is the minimum of bytes per row.
rblResult rbl_ply_check_count(const rblPlyCursor* cursor, const rblPlyElement* element, size_t least);

// One binary number, byte by byte, so that neither alignment nor byte order of the machine matter; compilers make it one
// instruction.
static inline uint64_t rbl_ply_bits(const uint8_t* b, size_t size, bool big_endian)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; ++i)
    {
        bits |= (uint64_t)b[i] << (8 * (big_endian ? size - 1 - i : i));
    }
    return bits;
}

static inline double rbl_ply_number(const uint8_t* bytes, rblPlyType type, bool big_endian)
{
    const uint64_t bits = rbl_ply_bits(bytes, rbl_ply_sizes[type], big_endian);
    switch (type)
    {
    case RBL_PLY_INT8:
        return (int8_t)bits;
    case RBL_PLY_INT16:
        return (int16_t)bits;
    case RBL_PLY_INT32:
        return (int32_t)bits;
    case RBL_PLY_FLOAT32:
    {
        const uint32_t low = (uint32_t)bits;
        float value;
        memcpy(&value, &low, sizeof value);
        return (double)value;
    }
    case RBL_PLY_FLOAT64:
    {
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    default:
        return (double)bits;
    }
}

// ---- elements ----

// The attributes of a vertex besides its position.
typedef enum rblPlyAttribute
{
    RBL_PLY_NORMAL,
    RBL_PLY_UV,
    RBL_PLY_COLOR,
    RBL_PLY_ATTRIBUTE_COUNT
} rblPlyAttribute;

// The destination of the numbers of a vertex property; both null when they are skipped.
typedef struct rblPlyColumn
{
    const rblPlyProperty* property;
    double* position;
    float* attribute;
    size_t stride; // in numbers, from one vertex to the next
    double scale;
} rblPlyColumn;

typedef struct rblPlyVertices
{
    uint64_t count;
    RBL_ARRAY(rblPlyColumn) columns;                   // one per property
    rblFloatArray attributes[RBL_PLY_ATTRIBUTE_COUNT]; // 3, 2, 4 a vertex; empty when the file has none
} rblPlyVertices;

// The factor from a colour of this type to 0 .. 1.
double rbl_ply_color_scale(rblPlyType type);

void rbl_ply_vertices_init(rblPlyVertices* vertices, const rblAllocator* allocator);
void rbl_ply_vertices_free(rblPlyVertices* vertices);

// Three steps: reserve memory and columns for the rows at the cursor; read them; check and convert the attributes.
rblResult rbl_ply_prepare_vertices(const rblPlyCursor* cursor, const rblPlyHeader* header,
                                   const rblPlyElement* element, rblMeshBuilder* builder,
                                   rblPlyVertices* vertices);
rblResult rbl_ply_read_vertices(rblPlyCursor* cursor, const rblPlyElement* element,
                                const rblMeshBuilder* builder, const rblPlyVertices* vertices);
rblResult rbl_ply_finish_vertices(const rblPlyCursor* cursor, const rblPlyVertices* vertices);

// One row of plain numbers in a text, separated by characters of the classes to skip. Returns its end, null for anything
// else.
const char* rbl_ply_read_text_row(const rblPlyVertices* vertices, const char* at, const char* end,
                                  unsigned skip, size_t row);

// True when a face has only a list of vertices.
bool rbl_ply_faces_are_plain(const rblPlyHeader* header, const rblPlyElement* element);

// Add the faces to the builder, with layers for the corner attributes in their lists.
rblResult rbl_ply_read_faces(rblPlyCursor* cursor, const rblPlyHeader* header, const rblPlyElement* element,
                             uint64_t vertex_count, rblMeshBuilder* builder);

// Triangle strips, as in models of the Stanford repository.
rblResult rbl_ply_read_strips(rblPlyCursor* cursor, const rblPlyHeader* header, const rblPlyElement* element,
                              uint64_t vertex_count, rblMeshBuilder* builder);

#endif
