// Mesh to PLY, binary or text. Attributes are stored at vertices where the corners of each vertex agree, otherwise in
// lists of the faces, so that seams duplicate no vertices. Material and group names are stored in comments.
#include "base/log.h"
#include "io/image/color.h"
#include "io/layers.h"
#include "io/readers.h"
#include "io/text_write.h"
#include <string.h>

#define MAX_UV_LISTS 10 // texcoord, texcoord1 .. texcoord9

// A layer that is being written.
typedef struct Attribute
{
    const rblLayer* layer;
    rblFloatArray vertex_values; // one per vertex; empty: the corners disagree, and lists are written
    char list_name[16];
} Attribute;

typedef struct PlyWriter
{
    const rblMeshView* view;
    rblWriter* writer;
    bool text;
    bool float_positions; // all positions are floats
    bool byte_counts;     // no list is longer than 255
    bool has_materials, has_groups;
    Attribute attributes[MAX_UV_LISTS + 2];
    uint32_t attribute_count;
    bool in_row; // a text row has begun: the next number needs a blank before it
} PlyWriter;

// ---- choice of what to write ----

static bool fits_float(double x)
{
    return (double)(float)x == x || x != x;
}

static bool positions_fit_floats(const rblMeshView* view)
{
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        if (!fits_float(p.x) || !fits_float(p.y) || !fits_float(p.z))
        {
            return false;
        }
    }
    return true;
}

static bool has_short_lists(const rblMeshView* view)
{
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        if (rbl_face_size(view, f) > 255 / 4) // four numbers per corner, for colours
        {
            return false;
        }
    }
    return true;
}

static bool any_number(const uint32_t* numbers, uint32_t count, uint32_t name_count)
{
    for (uint32_t i = 0; i < count && name_count == 0; ++i)
    {
        if (numbers[i] != 0)
        {
            return true;
        }
    }
    return name_count > 0;
}

static rblResult add_attribute(PlyWriter* ply, const rblLayer* layer, bool may_be_per_vertex,
                               const char* list_name)
{
    Attribute* attribute = &ply->attributes[ply->attribute_count++];
    *attribute = (Attribute){.layer = layer};
    rbl_array_init(&attribute->vertex_values, ply->writer->allocator);
    snprintf(attribute->list_name, sizeof attribute->list_name, "%s", list_name);
    if (!may_be_per_vertex)
    {
        return RBL_OK;
    }
    rblIndexedLayer indexed;
    RBL_TRY(rbl_index_layer(ply->view, layer, true, ply->writer->allocator, &indexed));
    rbl_array_free(&indexed.indices);
    attribute->vertex_values = indexed.values;
    return RBL_OK;
}

static rblResult add_uvs(PlyWriter* ply)
{
    const uint32_t count = rbl_count_layers(ply->view, RBL_LAYER_UV);
    uint32_t number = 0;
    for (uint32_t i = 0; i < ply->view->layer_count; ++i)
    {
        const rblLayer* layer = &ply->view->layers[i];
        if (layer->kind != RBL_LAYER_UV || number == MAX_UV_LISTS)
        {
            continue;
        }
        char name[] = "texcoord0";
        name[8] = number > 0 ? (char)('0' + number) : '\0';
        RBL_TRY(add_attribute(ply, layer, count == 1, name));
        number += 1;
    }
    return RBL_OK;
}

static rblResult add_attributes(PlyWriter* ply)
{
    const rblLayer* normals = rbl_find_layer(ply->view, RBL_LAYER_NORMAL);
    const rblLayer* colors = rbl_find_layer(ply->view, RBL_LAYER_COLOR);
    if (normals != NULL)
    {
        RBL_TRY(add_attribute(ply, normals, true, "normal"));
    }
    RBL_TRY(add_uvs(ply));
    if (colors != NULL)
    {
        RBL_TRY(add_attribute(ply, colors, true, "color"));
    }
    if (ply->attribute_count < ply->view->layer_count)
    {
        rbl_log_message(RBL_LOG_WARNING,
                        "PLY holds one set of normals, one of colours and %d of UVs: the others are left out",
                        MAX_UV_LISTS);
    }
    return RBL_OK;
}

// ---- header ----

static void write_number(rblWriter* writer, uint64_t number)
{
    char* c = rbl_writer_reserve(writer);
    rbl_writer_advance(writer, c + rbl_format_u64(number, c));
}

static void write_names(const PlyWriter* ply, const char* kind, uint32_t count, const char* const* names)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_write_text(ply->writer, "comment rubble ");
        rbl_write_text(ply->writer, kind);
        rbl_write_text(ply->writer, " ");
        rbl_write_name(ply->writer, names[i]);
        rbl_write_text(ply->writer, "\n");
    }
}

static bool is_per_vertex(const Attribute* attribute)
{
    return attribute->vertex_values.count > 0;
}

static void write_vertex_properties(const PlyWriter* ply)
{
    static const char* const properties[RBL_LAYER_KIND_COUNT] = {
        [RBL_LAYER_NORMAL] = "property float nx\nproperty float ny\nproperty float nz\n",
        [RBL_LAYER_UV] = "property float s\nproperty float t\n",
        [RBL_LAYER_COLOR] =
            "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty uchar alpha\n"};
    rbl_write_text(ply->writer, ply->float_positions
                                    ? "property float x\nproperty float y\nproperty float z\n"
                                    : "property double x\nproperty double y\nproperty double z\n");
    for (uint32_t i = 0; i < ply->attribute_count; ++i)
    {
        if (is_per_vertex(&ply->attributes[i]))
        {
            rbl_write_text(ply->writer, properties[ply->attributes[i].layer->kind]);
        }
    }
}

static void write_face_properties(const PlyWriter* ply)
{
    const char* const list = ply->byte_counts ? "property list uchar " : "property list uint ";
    rbl_write_text(ply->writer, list);
    rbl_write_text(ply->writer,
                   ply->view->vertex_count > INT32_MAX ? "uint vertex_indices\n" : "int vertex_indices\n");
    for (uint32_t i = 0; i < ply->attribute_count; ++i)
    {
        const Attribute* attribute = &ply->attributes[i];
        if (!is_per_vertex(attribute))
        {
            rbl_write_text(ply->writer, list);
            rbl_write_text(ply->writer, attribute->layer->kind == RBL_LAYER_COLOR ? "uchar " : "float ");
            rbl_write_text(ply->writer, attribute->list_name);
            rbl_write_text(ply->writer, "\n");
        }
    }
    rbl_write_text(ply->writer, ply->has_materials ? "property uint material_index\n" : "");
    rbl_write_text(ply->writer, ply->has_groups ? "property uint group_index\n" : "");
}

static void write_header(const PlyWriter* ply)
{
    const rblMeshView* view = ply->view;
    rbl_write_text(ply->writer,
                   ply->text ? "ply\nformat ascii 1.0\n" : "ply\nformat binary_little_endian 1.0\n");
    rbl_write_text(ply->writer, "comment written by Rubble\n");
    write_names(ply, "material", view->material_count, view->material_names);
    write_names(ply, "group", view->group_count, view->group_names);
    rbl_write_text(ply->writer, "element vertex ");
    write_number(ply->writer, view->vertex_count);
    rbl_write_text(ply->writer, "\n");
    write_vertex_properties(ply);
    rbl_write_text(ply->writer, "element face ");
    write_number(ply->writer, view->face_count);
    rbl_write_text(ply->writer, "\n");
    write_face_properties(ply);
    rbl_write_text(ply->writer, "end_header\n");
}

// ---- numbers, as text with blanks between them or as little-endian bytes ----

static inline char* put_blank(PlyWriter* ply, char* c)
{
    *c = ' ';
    c += ply->in_row;
    ply->in_row = true;
    return c;
}

static inline char* put_integer(PlyWriter* ply, char* c, uint32_t value, uint32_t size)
{
    if (ply->text)
    {
        c = put_blank(ply, c);
        return c + rbl_format_u64(value, c);
    }
    for (uint32_t i = 0; i < size; ++i)
    {
        c[i] = (char)(unsigned char)(value >> (8 * i));
    }
    return c + size;
}

static inline char* put_float(PlyWriter* ply, char* c, float value)
{
    if (ply->text)
    {
        c = put_blank(ply, c);
        return c + rbl_format_float(value, c);
    }
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_integer(ply, c, bits, 4);
}

static inline char* put_double(PlyWriter* ply, char* c, double value)
{
    if (ply->text)
    {
        c = put_blank(ply, c);
        return c + rbl_format_double(value, c);
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    c = put_integer(ply, c, (uint32_t)bits, 4);
    return put_integer(ply, c, (uint32_t)(bits >> 32), 4);
}

static inline char* put_position(PlyWriter* ply, char* c, rblVec3d p)
{
    if (ply->float_positions)
    {
        c = put_float(ply, c, (float)p.x);
        c = put_float(ply, c, (float)p.y);
        return put_float(ply, c, (float)p.z);
    }
    c = put_double(ply, c, p.x);
    c = put_double(ply, c, p.y);
    return put_double(ply, c, p.z);
}

static char* put_value(PlyWriter* ply, char* c, const rblLayer* layer, const float* value)
{
    if (layer->kind == RBL_LAYER_COLOR)
    {
        float rgba[4];
        memcpy(rgba, value, sizeof rgba);
        rbl_color_to_srgb(rgba);
        for (int i = 0; i < 4; ++i)
        {
            c = put_integer(ply, c, rbl_color_to_byte(rgba[i]), 1);
        }
        return c;
    }
    for (uint32_t i = 0; i < layer->components; ++i)
    {
        c = put_float(ply, c, value[i]);
    }
    return c;
}

// ---- rows ----

static void end_row(PlyWriter* ply, char* c)
{
    if (ply->text)
    {
        *c++ = '\n';
    }
    ply->in_row = false;
    rbl_writer_advance(ply->writer, c);
}

static void write_vertices(PlyWriter* ply)
{
    for (uint32_t v = 0; v < ply->view->vertex_count; ++v)
    {
        char* c = rbl_writer_reserve(ply->writer);
        c = put_position(ply, c, ply->view->positions[v]);
        for (uint32_t i = 0; i < ply->attribute_count; ++i)
        {
            const Attribute* attribute = &ply->attributes[i];
            if (is_per_vertex(attribute))
            {
                const float* value = attribute->vertex_values.data + (size_t)v * attribute->layer->components;
                c = put_value(ply, c, attribute->layer, value);
            }
        }
        end_row(ply, c);
    }
}

// Capacity is reserved again after every corner, because a face may have any number of them.
static void write_list(PlyWriter* ply, const Attribute* attribute, uint32_t begin, uint32_t end)
{
    const uint32_t components = attribute->layer->components;
    char* c = rbl_writer_reserve(ply->writer);
    c = put_integer(ply, c, (end - begin) * components, ply->byte_counts ? 1 : 4);
    rbl_writer_advance(ply->writer, c);
    for (uint32_t corner = begin; corner < end; ++corner)
    {
        c = rbl_writer_reserve(ply->writer);
        c = put_value(ply, c, attribute->layer, attribute->layer->data + (size_t)corner * components);
        rbl_writer_advance(ply->writer, c);
    }
}

static void write_face(PlyWriter* ply, uint32_t face)
{
    const rblMeshView* view = ply->view;
    const uint32_t begin = view->face_starts[face];
    const uint32_t end = view->face_starts[face + 1];
    char* c = rbl_writer_reserve(ply->writer);
    c = put_integer(ply, c, end - begin, ply->byte_counts ? 1 : 4);
    for (uint32_t corner = begin; corner < end; ++corner)
    {
        c = put_integer(ply, c, view->corner_vertices[corner], 4);
        if ((corner - begin) % 16 == 15)
        {
            rbl_writer_advance(ply->writer, c);
            c = rbl_writer_reserve(ply->writer);
        }
    }
    rbl_writer_advance(ply->writer, c);
    for (uint32_t i = 0; i < ply->attribute_count; ++i)
    {
        if (!is_per_vertex(&ply->attributes[i]))
        {
            write_list(ply, &ply->attributes[i], begin, end);
        }
    }
    c = rbl_writer_reserve(ply->writer);
    c = ply->has_materials ? put_integer(ply, c, view->face_materials[face], 4) : c;
    c = ply->has_groups ? put_integer(ply, c, view->face_groups[face], 4) : c;
    end_row(ply, c);
}

rblResult rbl_write_ply(const rblMeshView* view, const rblSaveOptions* options, rblWriter* writer)
{
    PlyWriter ply = {.view = view,
                     .writer = writer,
                     .text = options->text != 0,
                     .float_positions = positions_fit_floats(view),
                     .byte_counts = has_short_lists(view),
                     .has_materials =
                         any_number(view->face_materials, view->face_count, view->material_count),
                     .has_groups = any_number(view->face_groups, view->face_count, view->group_count)};
    const rblResult result = add_attributes(&ply);
    if (result == RBL_OK)
    {
        write_header(&ply);
        write_vertices(&ply);
        for (uint32_t f = 0; f < view->face_count; ++f)
        {
            write_face(&ply, f);
        }
    }
    for (uint32_t i = 0; i < ply.attribute_count; ++i)
    {
        rbl_array_free(&ply.attributes[i].vertex_values);
    }
    return result;
}
