// Mesh to OBJ: positions with colours, the first UV set, normals, groups and material names.
#include "base/log.h"
#include "base/number.h"
#include "io/image/color.h"
#include "io/layers.h"
#include "io/readers.h"
#include "io/text_write.h"
#include <string.h>

typedef struct ObjWriter
{
    const rblMeshView* view;
    rblWriter* writer;
    rblIndexedLayer colors;  // values are empty when there are none, or when corners of a vertex disagree
    rblIndexedLayer uvs;     // values are empty when there are none
    rblIndexedLayer normals; // values are empty when there are none
} ObjWriter;

static rblResult index_layer(ObjWriter* obj, rblLayerKind kind, rblIndexedLayer* out)
{
    const rblLayer* layer = rbl_find_layer(obj->view, kind);
    if (layer == NULL)
    {
        return RBL_OK;
    }
    return rbl_index_layer(obj->view, layer, kind == RBL_LAYER_COLOR, obj->writer->allocator, out);
}

static rblResult index_layers(ObjWriter* obj)
{
    RBL_TRY(index_layer(obj, RBL_LAYER_COLOR, &obj->colors));
    RBL_TRY(index_layer(obj, RBL_LAYER_UV, &obj->uvs));
    RBL_TRY(index_layer(obj, RBL_LAYER_NORMAL, &obj->normals));
    if (rbl_find_layer(obj->view, RBL_LAYER_COLOR) != NULL && obj->colors.values.count == 0)
    {
        rbl_log_message(RBL_LOG_WARNING,
                        "OBJ has one colour per vertex: colours that differ at a vertex are left out");
    }
    if (rbl_count_layers(obj->view, RBL_LAYER_UV) > 1)
    {
        rbl_log_message(RBL_LOG_WARNING, "OBJ has one UV set: the others are left out");
    }
    return RBL_OK;
}

static void write_positions(const ObjWriter* obj)
{
    for (uint32_t v = 0; v < obj->view->vertex_count; ++v)
    {
        char* c = rbl_writer_reserve(obj->writer);
        *c++ = 'v';
        c = rbl_print_position(c, obj->view->positions[v]);
        if (obj->colors.values.count > 0)
        {
            float rgba[4];
            memcpy(rgba, obj->colors.values.data + (size_t)v * 4, sizeof rgba);
            rbl_color_to_srgb(rgba);
            c = rbl_print_floats(c, rgba, rgba[3] == 1.0f ? 3 : 4);
        }
        *c++ = '\n';
        rbl_writer_advance(obj->writer, c);
    }
}

static void write_values(const ObjWriter* obj, const char* word, const rblIndexedLayer* layer)
{
    for (size_t i = 0; i < layer->values.count; i += layer->components)
    {
        char* c = rbl_writer_reserve(obj->writer);
        *c++ = word[0];
        *c++ = word[1];
        c = rbl_print_floats(c, layer->values.data + i, layer->components);
        *c++ = '\n';
        rbl_writer_advance(obj->writer, c);
    }
}

static inline uint32_t value_index(const rblIndexedLayer* layer, uint32_t corner, uint32_t vertex)
{
    return layer->per_vertex ? vertex : layer->indices.data[corner];
}

// v, v/vt, v//vn or v/vt/vn
static inline char* put_corner(const ObjWriter* obj, uint32_t corner, char* c)
{
    const uint32_t vertex = obj->view->corner_vertices[corner];
    *c++ = ' ';
    c += rbl_format_u64((uint64_t)vertex + 1, c);
    const bool has_uvs = obj->uvs.values.count > 0;
    const bool has_normals = obj->normals.values.count > 0;
    if (has_uvs || has_normals)
    {
        *c++ = '/';
    }
    if (has_uvs)
    {
        c += rbl_format_u64((uint64_t)value_index(&obj->uvs, corner, vertex) + 1, c);
    }
    if (has_normals)
    {
        *c++ = '/';
        c += rbl_format_u64((uint64_t)value_index(&obj->normals, corner, vertex) + 1, c);
    }
    return c;
}

static void write_face(const ObjWriter* obj, uint32_t face)
{
    const rblMeshView* view = obj->view;
    char* c = rbl_writer_reserve(obj->writer);
    *c++ = 'f';
    for (uint32_t corner = view->face_starts[face]; corner < view->face_starts[face + 1]; ++corner)
    {
        c = put_corner(obj, corner, c);
        rbl_writer_advance(obj->writer, c);
        c = rbl_writer_reserve(obj->writer);
    }
    *c++ = '\n';
    rbl_writer_advance(obj->writer, c);
}

// "g NAME" or "usemtl NAME" when the name changes. Numbers without names are written as numbers.
static void write_switch(const ObjWriter* obj, const char* word, const uint32_t* numbers, uint32_t face,
                         uint32_t name_count, const char* const* names)
{
    const uint32_t number = numbers[face];
    const bool is_new = face == 0 ? name_count > 0 || number != 0 : number != numbers[face - 1];
    if (!is_new)
    {
        return;
    }
    rbl_write_text(obj->writer, word);
    rbl_write_text(obj->writer, " ");
    if (number < name_count)
    {
        rbl_write_name(obj->writer, names[number]);
    }
    else
    {
        char* c = rbl_writer_reserve(obj->writer);
        rbl_writer_advance(obj->writer, c + rbl_format_u64(number, c));
    }
    rbl_write_text(obj->writer, "\n");
}

static void write_faces(const ObjWriter* obj)
{
    const rblMeshView* view = obj->view;
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        write_switch(obj, "g", view->face_groups, f, view->group_count, view->group_names);
        write_switch(obj, "usemtl", view->face_materials, f, view->material_count, view->material_names);
        write_face(obj, f);
    }
}

rblResult rbl_write_obj(const rblMeshView* view, const rblSaveOptions* options, rblWriter* writer)
{
    (void)options;
    ObjWriter obj = {.view = view, .writer = writer};
    const rblResult result = index_layers(&obj);
    if (result == RBL_OK)
    {
        rbl_write_text(writer, "# Rubble\n");
        write_positions(&obj);
        write_values(&obj, "vt", &obj.uvs);
        write_values(&obj, "vn", &obj.normals);
        write_faces(&obj);
    }
    rbl_indexed_layer_free(&obj.colors);
    rbl_indexed_layer_free(&obj.uvs);
    rbl_indexed_layer_free(&obj.normals);
    return result;
}
