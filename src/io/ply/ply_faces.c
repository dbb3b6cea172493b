// The face element of a PLY file, and triangle strips.
#include "io/image/color.h"
#include "io/layers.h"
#include "io/ply/ply.h"
#include "io/text_rows.h"
#include "math/vec.h"

#define ANY_SPACE (RBL_TEXT_BLANK | RBL_TEXT_LINE_END)
#define MAX_LISTS 16 // largest number of lists of corner attributes of a face

typedef enum Role
{
    ROLE_NONE,
    ROLE_INDICES,
    ROLE_LIST,
    ROLE_MATERIAL,
    ROLE_GROUP,
    ROLE_COLOR
} Role;

typedef struct Column
{
    const rblPlyProperty* property;
    Role role;
    uint32_t number; // of the list, or of the colour component
} Column;

// A corner attribute stored as a list: the same number of values for every corner of the face.
typedef struct List
{
    rblLayerKind kind;
    uint32_t layer;       // of the builder
    double scale;         // for colours
    rblFloatArray values; // of the face being read
} List;

typedef struct Reader
{
    rblPlyCursor* cursor;
    const rblPlyHeader* header;
    const rblPlyElement* element;
    uint64_t vertex_count;
    rblMeshBuilder* builder;
    RBL_ARRAY(Column) columns;
    List lists[MAX_LISTS];
    uint32_t list_count;
    bool has_face_colors;
    uint32_t color_layer;
    double color_scale;
    // The current face:
    rblIndexArray corners;
    uint32_t material, group;
    float color[4];
} Reader;

// ---- meaning of the properties ----

static bool is_index_list(const rblPlyProperty* property)
{
    return rbl_ply_name_is(property->name, "vertex_indices") ||
           rbl_ply_name_is(property->name, "vertex_index");
}

static bool is_texcoord(rblPlyName name)
{
    const bool numbered = name.length == 9 && rbl_is_digit(name.text[8]);
    return (numbered || name.length == 8) && memcmp(name.text, "texcoord", 8) == 0;
}

static bool find_list_kind(const rblPlyProperty* property, rblLayerKind* kind)
{
    if (rbl_ply_name_is(property->name, "normal"))
    {
        *kind = RBL_LAYER_NORMAL;
        return true;
    }
    if (rbl_ply_name_is(property->name, "color"))
    {
        *kind = RBL_LAYER_COLOR;
        return true;
    }
    *kind = RBL_LAYER_UV;
    return is_texcoord(property->name);
}

static bool find_color_component(rblPlyName name, uint32_t* out)
{
    static const char* const names[] = {"red", "green", "blue", "alpha"};
    for (uint32_t i = 0; i < 4; ++i)
    {
        if (rbl_ply_name_is(name, names[i]))
        {
            *out = i;
            return true;
        }
    }
    return false;
}

// The layer of this kind with this number. An earlier face element may have created it: a file with many face
// elements must not get new layers for each, because layers cost memory at every corner.
static uint32_t use_layer(rblMeshBuilder* builder, rblLayerKind kind, uint32_t number)
{
    for (uint32_t i = 0; i < builder->layers.count; ++i)
    {
        if (builder->layers.data[i].kind == kind && number-- == 0)
        {
            return i;
        }
    }
    return rbl_mesh_builder_layer(builder, kind);
}

static void add_list(Reader* reader, rblLayerKind kind, rblPlyType type)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i < reader->list_count; ++i)
    {
        number += reader->lists[i].kind == kind;
    }
    List* list = &reader->lists[reader->list_count++];
    *list = (List){.kind = kind, .scale = kind == RBL_LAYER_COLOR ? rbl_ply_color_scale(type) : 1};
    rbl_array_init(&list->values, reader->builder->allocator);
    list->layer = use_layer(reader->builder, kind, number);
}

static void choose_role(Reader* reader, Column* column, bool face_colors)
{
    const rblPlyProperty* property = column->property;
    if (property->is_list)
    {
        rblLayerKind kind;
        if (is_index_list(property))
        {
            column->role = ROLE_INDICES;
        }
        else if (reader->list_count < MAX_LISTS && find_list_kind(property, &kind))
        {
            column->role = ROLE_LIST;
            column->number = reader->list_count;
            add_list(reader, kind, property->type);
        }
        return;
    }
    if (rbl_ply_name_is(property->name, "material_index"))
    {
        column->role = ROLE_MATERIAL;
    }
    else if (rbl_ply_name_is(property->name, "group_index"))
    {
        column->role = ROLE_GROUP;
    }
    else if (face_colors && find_color_component(property->name, &column->number))
    {
        column->role = ROLE_COLOR;
        reader->has_face_colors = true;
        reader->color_scale = rbl_ply_color_scale(property->type);
    }
}

static bool element_has(const rblPlyHeader* header, const rblPlyElement* element, const char* name)
{
    for (size_t i = 0; i < element->property_count; ++i)
    {
        if (rbl_ply_name_is(header->properties.data[element->first_property + i].name, name))
        {
            return true;
        }
    }
    return false;
}

// Colours of faces are used when neither corners nor vertices have colours.
static bool wants_face_colors(const rblPlyHeader* header, const rblPlyElement* faces)
{
    for (size_t i = 0; i < header->elements.count; ++i)
    {
        const rblPlyElement* element = &header->elements.data[i];
        if (rbl_ply_name_is(element->name, "vertex") &&
            (element_has(header, element, "red") || element_has(header, element, "diffuse_red")))
        {
            return false;
        }
    }
    return !element_has(header, faces, "color");
}

static rblResult choose_roles(Reader* reader)
{
    const rblPlyHeader* header = reader->header;
    const bool face_colors = wants_face_colors(header, reader->element);
    bool has_indices = false;
    for (size_t i = 0; i < reader->element->property_count; ++i)
    {
        Column column = {.property = &header->properties.data[reader->element->first_property + i]};
        choose_role(reader, &column, face_colors);
        has_indices = has_indices || column.role == ROLE_INDICES;
        if (!rbl_array_push(&reader->columns, column))
        {
            return rbl_fail_memory();
        }
    }
    if (reader->has_face_colors)
    {
        reader->color_layer = use_layer(reader->builder, RBL_LAYER_COLOR, 0);
    }
    if (reader->builder->failed)
    {
        return rbl_fail_memory();
    }
    return has_indices ? RBL_OK : rbl_ply_fail(reader->cursor, "the faces have no list vertex_indices");
}

// ---- any row ----

static rblResult read_indices(Reader* reader, const rblPlyProperty* property)
{
    const rblPlyCursor start = rbl_ply_next(reader->cursor);
    uint32_t count;
    RBL_TRY(rbl_ply_list_count(reader->cursor, property, &count));
    if (count < 3)
    {
        return rbl_ply_fail(&start, "a face has %u corners; it needs three or more", count);
    }
    rbl_array_clear(&reader->corners);
    for (uint32_t k = 0; k < count; ++k)
    {
        double index;
        RBL_TRY(rbl_ply_scalar(reader->cursor, property->type, &index));
        if (!(index >= 0 && index < (double)reader->vertex_count) || (double)(uint32_t)index != index)
        {
            return rbl_ply_fail(&start, "corner %u of the face is out of range, there are %llu vertices", k,
                                (unsigned long long)reader->vertex_count);
        }
        if (!rbl_array_push(&reader->corners, (uint32_t)index))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult read_values(Reader* reader, const rblPlyProperty* property, List* list)
{
    uint32_t count;
    RBL_TRY(rbl_ply_list_count(reader->cursor, property, &count));
    rbl_array_clear(&list->values);
    for (uint32_t k = 0; k < count; ++k)
    {
        double value;
        RBL_TRY(rbl_ply_scalar(reader->cursor, property->type, &value));
        float stored = (float)(value * list->scale);
        if (!rbl_finite((double)stored))
        {
            if (!reader->cursor->source->keep_non_finite)
            {
                return rbl_ply_fail(reader->cursor, "an attribute of a corner is not finite");
            }
            stored = 0.0f;
        }
        if (!rbl_array_push(&list->values, stored))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// The material or group of a face: an index of the names in the header, any number when there are no names.
static rblResult read_number(Reader* reader, const rblPlyProperty* property, const rblIndexArray* names,
                             uint32_t* out)
{
    const rblPlyCursor start = rbl_ply_next(reader->cursor);
    double value;
    RBL_TRY(rbl_ply_scalar(reader->cursor, property->type, &value));
    const double limit = names->count > 0 ? (double)names->count : (double)(UINT32_MAX - 1);
    if (!(value >= 0 && value < limit) || (double)(uint32_t)value != value)
    {
        return rbl_ply_fail(&start, "the material or group of a face is out of range");
    }
    *out = names->count > 0 ? names->data[(uint32_t)value] : (uint32_t)value;
    return RBL_OK;
}

static rblResult read_column(Reader* reader, const Column* column)
{
    double value;
    switch (column->role)
    {
    case ROLE_INDICES:
        return read_indices(reader, column->property);
    case ROLE_LIST:
        return read_values(reader, column->property, &reader->lists[column->number]);
    case ROLE_MATERIAL:
        return read_number(reader, column->property, &reader->header->material_numbers, &reader->material);
    case ROLE_GROUP:
        return read_number(reader, column->property, &reader->header->group_numbers, &reader->group);
    case ROLE_COLOR:
        RBL_TRY(rbl_ply_scalar(reader->cursor, column->property->type, &value));
        value *= reader->color_scale;
        reader->color[column->number] = rbl_finite((double)(float)value) ? (float)value : 0.0f;
        return RBL_OK;
    default:
        break;
    }
    uint32_t count = 1;
    if (column->property->is_list)
    {
        RBL_TRY(rbl_ply_list_count(reader->cursor, column->property, &count));
    }
    for (uint32_t k = 0; k < count; ++k)
    {
        RBL_TRY(rbl_ply_scalar(reader->cursor, column->property->type, &value));
    }
    return RBL_OK;
}

// Assign the values of the list to the corners of the newest face. A list of another length than the face is skipped.
static void set_corner_values(Reader* reader, const List* list, uint32_t first_corner)
{
    const size_t corners = reader->corners.count;
    const uint32_t wanted = rbl_layer_components(list->kind);
    const size_t given = list->values.count / corners;
    const bool without_alpha = list->kind == RBL_LAYER_COLOR && given == 3;
    if (list->values.count % corners != 0 || (given != wanted && !without_alpha))
    {
        return;
    }
    for (size_t k = 0; k < corners; ++k)
    {
        float values[4] = {0, 0, 0, 1};
        memcpy(values, list->values.data + k * given, given * sizeof *values);
        if (list->kind == RBL_LAYER_COLOR)
        {
            rbl_color_to_linear(values);
        }
        if (list->kind == RBL_LAYER_NORMAL)
        {
            rbl_normalize_floats(values, 1);
        }
        rbl_mesh_builder_set(reader->builder, list->layer, first_corner + (uint32_t)k, values);
    }
}

static rblResult add_face(Reader* reader)
{
    rblMeshBuilder* builder = reader->builder;
    const uint32_t first_corner = (uint32_t)builder->corner_vertices.count;
    for (size_t k = 0; k < reader->corners.count; ++k)
    {
        rbl_mesh_builder_corner(builder, reader->corners.data[k]);
    }
    for (uint32_t i = 0; i < reader->list_count; ++i)
    {
        set_corner_values(reader, &reader->lists[i], first_corner);
    }
    if (reader->has_face_colors)
    {
        rbl_color_to_linear(reader->color);
        for (size_t k = 0; k < reader->corners.count; ++k)
        {
            rbl_mesh_builder_set(builder, reader->color_layer, first_corner + (uint32_t)k, reader->color);
        }
    }
    rbl_mesh_builder_face(builder, reader->material, reader->group, (uint32_t)builder->face_starts.count);
    return builder->failed ? rbl_fail_memory() : RBL_OK;
}

static rblResult read_rows(Reader* reader)
{
    for (uint64_t row = 0; row < reader->element->count; ++row)
    {
        memcpy(reader->color, (float[4]){0, 0, 0, 1}, sizeof reader->color);
        for (size_t i = 0; i < reader->columns.count; ++i)
        {
            RBL_TRY(read_column(reader, &reader->columns.data[i]));
        }
        RBL_TRY(add_face(reader));
    }
    return RBL_OK;
}

// ---- rows of indices only: the fast path ----

// Read one row into the corners of the builder. False, with nothing read, for anything unusual or wrong.
static inline bool read_binary_row(Reader* reader, bool big_endian)
{
    rblPlyCursor* cursor = reader->cursor;
    rblIndexArray* corners = &reader->builder->corner_vertices;
    const size_t left = (size_t)(cursor->end - cursor->at);
    const size_t count = left > 0 ? *cursor->at : 0;
    if (count < 3 || count > 127 || left - 1 < 4 * count || corners->capacity - corners->count < count)
    {
        return false;
    }
    uint32_t* out = corners->data + corners->count;
    for (size_t k = 0; k < count; ++k)
    {
        const uint32_t index = (uint32_t)rbl_ply_bits(cursor->at + 1 + 4 * k, 4, big_endian);
        if (index >= reader->vertex_count)
        {
            return false;
        }
        out[k] = index;
    }
    corners->count += count;
    cursor->at += 1 + 4 * count;
    return true;
}

static inline bool read_text_row(Reader* reader)
{
    rblIndexArray* corners = &reader->builder->corner_vertices;
    const char* const end = (const char*)reader->cursor->end;
    uint32_t count;
    const char* c = rbl_read_index((const char*)reader->cursor->at, end, ANY_SPACE, &count);
    if (c == NULL || count < 3 || corners->capacity - corners->count < count)
    {
        return false;
    }
    uint32_t* out = corners->data + corners->count;
    for (uint32_t k = 0; k < count; ++k)
    {
        c = rbl_read_index(c, end, ANY_SPACE, &out[k]);
        if (c == NULL || out[k] >= reader->vertex_count)
        {
            return false;
        }
    }
    corners->count += count;
    reader->cursor->at = (const uint8_t*)c;
    return true;
}

static bool append_corners(Reader* reader)
{
    for (size_t k = 0; k < reader->corners.count; ++k)
    {
        if (!rbl_array_push(&reader->builder->corner_vertices, reader->corners.data[k]))
        {
            return false;
        }
    }
    return true;
}

static rblResult read_plain_rows(Reader* reader)
{
    const rblPlyProperty* property = reader->columns.data[0].property;
    const size_t count = (size_t)reader->element->count;
    const size_t left = (size_t)(reader->cursor->end - reader->cursor->at);
    const bool is_text = reader->cursor->format == RBL_PLY_ASCII;
    const bool big_endian = reader->cursor->format == RBL_PLY_BIG_ENDIAN;
    const bool usual = rbl_ply_sizes[property->count_type] == 1 && rbl_ply_sizes[property->type] == 4 &&
                       property->type != RBL_PLY_FLOAT32;
    const size_t capacity = is_text || !usual ? 3 * count : (left - count) / 4;
    rblMeshBuilder* builder = reader->builder;
    if (!rbl_array_reserve(&builder->face_starts, count + 1) ||
        !rbl_array_reserve(&builder->corner_vertices, capacity))
    {
        return rbl_fail_memory();
    }
    for (size_t row = 0; row < count; ++row)
    {
        const uint32_t first = (uint32_t)builder->corner_vertices.count;
        const bool done = is_text ? read_text_row(reader) : usual && read_binary_row(reader, big_endian);
        if (!done)
        {
            RBL_TRY(read_indices(reader, property));
            if (!append_corners(reader))
            {
                return rbl_fail_memory();
            }
        }
        builder->face_starts.data[builder->face_starts.count++] = first;
    }
    return rbl_finish_plain_faces(builder) ? RBL_OK : rbl_fail_memory();
}

// ---- element ----

bool rbl_ply_faces_are_plain(const rblPlyHeader* header, const rblPlyElement* element)
{
    const rblPlyProperty* property = &header->properties.data[element->first_property];
    return element->property_count == 1 && property->is_list && is_index_list(property);
}

// The smallest size of a row in bytes: three indices, and every other list empty; "3 0 1 2\n" in a text.
static size_t min_row_bytes(const Reader* reader)
{
    if (reader->cursor->format == RBL_PLY_ASCII)
    {
        return 2 * (reader->columns.count + 3);
    }
    size_t bytes = reader->element->row_bytes;
    for (size_t i = 0; i < reader->columns.count; ++i)
    {
        const Column* column = &reader->columns.data[i];
        bytes += column->role == ROLE_INDICES ? 3 * (size_t)rbl_ply_sizes[column->property->type] : 0;
    }
    return bytes;
}

static rblResult read_faces(Reader* reader)
{
    if (reader->element->count == 0)
    {
        return RBL_OK;
    }
    RBL_TRY(choose_roles(reader));
    RBL_TRY(rbl_ply_check_count(reader->cursor, reader->element, min_row_bytes(reader)));
    const bool plain =
        rbl_ply_faces_are_plain(reader->header, reader->element) && reader->builder->face_starts.count == 0;
    return plain ? read_plain_rows(reader) : read_rows(reader);
}

static void free_reader(Reader* reader)
{
    rbl_array_free(&reader->columns);
    rbl_array_free(&reader->corners);
    for (uint32_t i = 0; i < reader->list_count; ++i)
    {
        rbl_array_free(&reader->lists[i].values);
    }
}

rblResult rbl_ply_read_faces(rblPlyCursor* cursor, const rblPlyHeader* header, const rblPlyElement* element,
                             uint64_t vertex_count, rblMeshBuilder* builder)
{
    Reader reader = {.cursor = cursor,
                     .header = header,
                     .element = element,
                     .vertex_count = vertex_count,
                     .builder = builder};
    rbl_array_init(&reader.columns, builder->allocator);
    rbl_array_init(&reader.corners, builder->allocator);
    const rblResult result = read_faces(&reader);
    free_reader(&reader);
    return result;
}
