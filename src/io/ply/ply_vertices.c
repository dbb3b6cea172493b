// The vertex element of a PLY file: positions go to the builder, attributes to arrays per vertex.
#include "base/number.h"
#include "io/image/color.h"
#include "io/layers.h"
#include "io/ply/ply.h"
#include "io/text.h"
#include "math/vec.h"

static const uint32_t components[RBL_PLY_ATTRIBUTE_COUNT] = {3, 2, 4};

typedef struct Role
{
    const char* name;
    rblPlyAttribute attribute; // RBL_PLY_ATTRIBUTE_COUNT: the position
    uint32_t component;
} Role;

#define POSITION RBL_PLY_ATTRIBUTE_COUNT

// The property names that common programs use.
static const Role roles[] = {{"x", POSITION, 0},
                             {"y", POSITION, 1},
                             {"z", POSITION, 2},
                             {"nx", RBL_PLY_NORMAL, 0},
                             {"ny", RBL_PLY_NORMAL, 1},
                             {"nz", RBL_PLY_NORMAL, 2},
                             {"s", RBL_PLY_UV, 0},
                             {"t", RBL_PLY_UV, 1},
                             {"u", RBL_PLY_UV, 0},
                             {"v", RBL_PLY_UV, 1},
                             {"texture_u", RBL_PLY_UV, 0},
                             {"texture_v", RBL_PLY_UV, 1},
                             {"texture_s", RBL_PLY_UV, 0},
                             {"texture_t", RBL_PLY_UV, 1},
                             {"red", RBL_PLY_COLOR, 0},
                             {"green", RBL_PLY_COLOR, 1},
                             {"blue", RBL_PLY_COLOR, 2},
                             {"alpha", RBL_PLY_COLOR, 3},
                             {"r", RBL_PLY_COLOR, 0},
                             {"g", RBL_PLY_COLOR, 1},
                             {"b", RBL_PLY_COLOR, 2},
                             {"a", RBL_PLY_COLOR, 3},
                             {"diffuse_red", RBL_PLY_COLOR, 0},
                             {"diffuse_green", RBL_PLY_COLOR, 1},
                             {"diffuse_blue", RBL_PLY_COLOR, 2},
                             {"diffuse_alpha", RBL_PLY_COLOR, 3}};

static const Role* find_role(const rblPlyProperty* property)
{
    for (size_t i = 0; i < sizeof roles / sizeof *roles && !property->is_list; ++i)
    {
        if (rbl_ply_name_is(property->name, roles[i].name))
        {
            return &roles[i];
        }
    }
    return NULL;
}

double rbl_ply_color_scale(rblPlyType type)
{
    static const double scales[RBL_PLY_TYPE_COUNT] = {1.0 / 127, 1.0 / 255, 1.0 / 32767, 1.0 / 65535,
                                                      1.0 / 255, 1.0 / 255, 1,           1};
    return scales[type];
}

// The components that the file contains, as bits per attribute.
static void find_present(const rblPlyHeader* header, const rblPlyElement* element,
                         uint32_t present[POSITION + 1])
{
    for (size_t i = 0; i < element->property_count; ++i)
    {
        const Role* role = find_role(&header->properties.data[element->first_property + i]);
        if (role != NULL)
        {
            present[role->attribute] |= 1u << role->component;
        }
    }
}

// Capacity for all vertices: the count has been checked against the size of the file.
static bool reserve_vertices(const uint32_t* present, size_t count, rblMeshBuilder* builder,
                             rblPlyVertices* vertices)
{
    bool ok = rbl_array_resize(&builder->positions, count);
    for (int a = 0; a < RBL_PLY_ATTRIBUTE_COUNT; ++a)
    {
        rblFloatArray* array = &vertices->attributes[a];
        if (present[a] != 0)
        {
            ok = ok && rbl_array_resize(array, count * components[a]);
        }
        // Missing values are 0, except that alpha is 1.
        const float missing = a == RBL_PLY_COLOR ? 1.0f : 0.0f;
        for (size_t i = 0; ok && present[a] != (1u << components[a]) - 1 && i < array->count; ++i)
        {
            array->data[i] = missing;
        }
    }
    return ok;
}

static bool make_columns(const rblPlyHeader* header, const rblPlyElement* element, rblMeshBuilder* builder,
                         rblPlyVertices* vertices)
{
    for (size_t i = 0; i < element->property_count; ++i)
    {
        rblPlyColumn column = {.property = &header->properties.data[element->first_property + i], .scale = 1};
        const Role* role = find_role(column.property);
        if (role != NULL && role->attribute == POSITION)
        {
            column.position = (double*)builder->positions.data + role->component;
            column.stride = 3;
        }
        else if (role != NULL)
        {
            column.attribute = vertices->attributes[role->attribute].data + role->component;
            column.stride = components[role->attribute];
            column.scale = role->attribute == RBL_PLY_COLOR ? rbl_ply_color_scale(column.property->type) : 1;
        }
        if (!rbl_array_push(&vertices->columns, column))
        {
            return false;
        }
    }
    return true;
}

// ---- binary rows of equal size: column by column ----

static inline void copy_column(const rblPlyColumn* column, const uint8_t* from, size_t row_bytes,
                               size_t count, rblPlyType type, bool big_endian)
{
    if (column->position != NULL)
    {
        double* out = column->position;
        for (size_t i = 0; i < count; ++i, from += row_bytes, out += column->stride)
        {
            *out = rbl_ply_number(from, type, big_endian);
        }
    }
    else if (column->attribute != NULL)
    {
        float* out = column->attribute;
        for (size_t i = 0; i < count; ++i, from += row_bytes, out += column->stride)
        {
            *out = (float)(rbl_ply_number(from, type, big_endian) * column->scale);
        }
    }
}

// The common types, so that each has its own loop without a test of the type.
static void read_column(const rblPlyColumn* column, const uint8_t* row, size_t row_bytes, size_t count,
                        bool big_endian)
{
    const uint8_t* from = row + column->property->offset;
    const rblPlyType type = column->property->type;
    if (type == RBL_PLY_FLOAT32 && !big_endian)
    {
        copy_column(column, from, row_bytes, count, RBL_PLY_FLOAT32, false);
    }
    else if (type == RBL_PLY_FLOAT32)
    {
        copy_column(column, from, row_bytes, count, RBL_PLY_FLOAT32, true);
    }
    else if (type == RBL_PLY_FLOAT64 && !big_endian)
    {
        copy_column(column, from, row_bytes, count, RBL_PLY_FLOAT64, false);
    }
    else if (type == RBL_PLY_FLOAT64)
    {
        copy_column(column, from, row_bytes, count, RBL_PLY_FLOAT64, true);
    }
    else
    {
        copy_column(column, from, row_bytes, count, type, big_endian);
    }
}

static void read_columns(rblPlyCursor* cursor, const rblPlyElement* element, const rblPlyVertices* vertices)
{
    for (size_t i = 0; i < vertices->columns.count; ++i)
    {
        read_column(&vertices->columns.data[i], cursor->at, element->row_bytes, (size_t)element->count,
                    cursor->format == RBL_PLY_BIG_ENDIAN);
    }
    cursor->at += (size_t)element->count * element->row_bytes;
}

// ---- all other files: row by row ----

static inline void store(const rblPlyColumn* column, size_t row, double value)
{
    if (column->position != NULL)
    {
        column->position[row * column->stride] = value;
    }
    else if (column->attribute != NULL)
    {
        column->attribute[row * column->stride] = (float)(value * column->scale);
    }
}

static rblResult read_list(rblPlyCursor* cursor, const rblPlyProperty* property)
{
    uint32_t count;
    double ignored;
    RBL_TRY(rbl_ply_list_count(cursor, property, &count));
    for (uint32_t k = 0; k < count; ++k)
    {
        RBL_TRY(rbl_ply_scalar(cursor, property->type, &ignored));
    }
    return RBL_OK;
}

static rblResult check_position(const rblPlyCursor* cursor, rblVec3d p)
{
    return rbl_finite3d(p) || cursor->source->keep_non_finite
               ? RBL_OK
               : rbl_ply_fail(cursor, "a coordinate is not finite");
}

static rblResult read_row(rblPlyCursor* cursor, const rblPlyVertices* vertices, size_t row)
{
    for (size_t i = 0; i < vertices->columns.count; ++i)
    {
        const rblPlyColumn* column = &vertices->columns.data[i];
        if (column->property->is_list)
        {
            RBL_TRY(read_list(cursor, column->property));
            continue;
        }
        double value;
        RBL_TRY(rbl_ply_scalar(cursor, column->property->type, &value));
        store(column, row, value);
    }
    return RBL_OK;
}

const char* rbl_ply_read_text_row(const rblPlyVertices* vertices, const char* at, const char* end,
                                  unsigned skip, size_t row)
{
    for (size_t i = 0; i < vertices->columns.count; ++i)
    {
        while (at < end && rbl_text_is(*at, skip))
        {
            ++at;
        }
        double value;
        at = rbl_parse_double(at, end, &value);
        if (at == NULL || (at < end && !rbl_is_space(*at)))
        {
            return NULL;
        }
        store(&vertices->columns.data[i], row, value);
    }
    return at;
}

static bool read_plain_text(rblPlyCursor* cursor, const rblPlyVertices* vertices, size_t row)
{
    const char* const after = rbl_ply_read_text_row(
        vertices, (const char*)cursor->at, (const char*)cursor->end, RBL_TEXT_BLANK | RBL_TEXT_LINE_END, row);
    cursor->at = after != NULL ? (const uint8_t*)after : cursor->at;
    return after != NULL;
}

static rblResult read_rows(rblPlyCursor* cursor, const rblPlyElement* element, const rblPlyVertices* vertices,
                           const rblVec3d* positions)
{
    const bool plain_text = cursor->format == RBL_PLY_ASCII && !element->has_lists;
    for (size_t row = 0; row < element->count; ++row)
    {
        if (!plain_text || !read_plain_text(cursor, vertices, row))
        {
            RBL_TRY(read_row(cursor, vertices, row));
        }
        RBL_TRY(check_position(cursor, positions[row]));
    }
    return RBL_OK;
}

// ---- element ----

rblResult rbl_ply_read_vertices(rblPlyCursor* cursor, const rblPlyElement* element,
                                const rblMeshBuilder* builder, const rblPlyVertices* vertices)
{
    const rblVec3d* positions = builder->positions.data;
    if (cursor->format == RBL_PLY_ASCII || element->has_lists)
    {
        return read_rows(cursor, element, vertices, positions);
    }
    rblPlyCursor row = *cursor;
    read_columns(cursor, element, vertices);
    for (size_t i = 0; i < element->count; ++i, row.at += element->row_bytes)
    {
        RBL_TRY(check_position(&row, positions[i]));
    }
    return RBL_OK;
}

// Attributes must be finite in every mesh; there colours are linear and normals have unit length.
rblResult rbl_ply_finish_vertices(const rblPlyCursor* cursor, const rblPlyVertices* vertices)
{
    for (int a = 0; a < RBL_PLY_ATTRIBUTE_COUNT; ++a)
    {
        const rblFloatArray* array = &vertices->attributes[a];
        for (size_t i = 0; i < array->count; ++i)
        {
            if (!rbl_finite((double)array->data[i]))
            {
                if (!cursor->source->keep_non_finite)
                {
                    return rbl_ply_fail(cursor, "an attribute of vertex %zu, above, is not finite",
                                        i / components[a]);
                }
                array->data[i] = 0.0f;
            }
        }
    }
    const rblFloatArray* normals = &vertices->attributes[RBL_PLY_NORMAL];
    rbl_normalize_floats(normals->data, normals->count / 3);
    const rblFloatArray* colors = &vertices->attributes[RBL_PLY_COLOR];
    rbl_colors_to_linear(colors->data, colors->count / 4);
    return RBL_OK;
}

rblResult rbl_ply_prepare_vertices(const rblPlyCursor* cursor, const rblPlyHeader* header,
                                   const rblPlyElement* element, rblMeshBuilder* builder,
                                   rblPlyVertices* vertices)
{
    uint32_t present[POSITION + 1] = {0};
    find_present(header, element, present);
    if (present[POSITION] != 7)
    {
        return rbl_ply_fail(cursor, "the vertices have no x, y and z");
    }
    const bool is_text = cursor->format == RBL_PLY_ASCII;
    RBL_TRY(rbl_ply_check_count(cursor, element, is_text ? 2 * element->property_count : element->row_bytes));
    if (element->count > UINT32_MAX - 3)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "%s: more than 2^32 - 4 vertices",
                        rbl_short_name(cursor->source->name));
    }
    const bool ok =
        element->count == 0 || (reserve_vertices(present, (size_t)element->count, builder, vertices) &&
                                make_columns(header, element, builder, vertices));
    return ok ? RBL_OK : rbl_fail_memory();
}

void rbl_ply_vertices_init(rblPlyVertices* vertices, const rblAllocator* allocator)
{
    *vertices = (rblPlyVertices){0};
    rbl_array_init(&vertices->columns, allocator);
    for (int a = 0; a < RBL_PLY_ATTRIBUTE_COUNT; ++a)
    {
        rbl_array_init(&vertices->attributes[a], allocator);
    }
}

void rbl_ply_vertices_free(rblPlyVertices* vertices)
{
    rbl_array_free(&vertices->columns);
    for (int a = 0; a < RBL_PLY_ATTRIBUTE_COUNT; ++a)
    {
        rbl_array_free(&vertices->attributes[a]);
    }
}
