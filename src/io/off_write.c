// Mesh to OFF: normals, colours and texture coordinates where all corners of each vertex agree.
#include "base/log.h"
#include "io/image/color.h"
#include "io/layers.h"
#include "io/readers.h"
#include "io/text_write.h"
#include <string.h>

typedef struct OffWriter
{
    const rblMeshView* view;
    rblWriter* writer;
    rblIndexedLayer layers[RBL_LAYER_KIND_COUNT]; // values are empty when there are none to write
} OffWriter;

static rblResult index_layers(OffWriter* off)
{
    uint32_t written = 0;
    for (int kind = 0; kind < RBL_LAYER_KIND_COUNT; ++kind)
    {
        const rblLayer* layer = rbl_find_layer(off->view, (rblLayerKind)kind);
        if (layer != NULL)
        {
            RBL_TRY(rbl_index_layer(off->view, layer, true, off->writer->allocator, &off->layers[kind]));
            written += off->layers[kind].values.count > 0;
        }
    }
    if (written < off->view->layer_count)
    {
        rbl_log_message(RBL_LOG_WARNING,
                        "OFF has one normal, UV and colour per vertex: what differs is left out");
    }
    return RBL_OK;
}

static char* put_number(char* c, uint32_t number)
{
    *c++ = ' ';
    return c + rbl_format_u64(number, c);
}

static void write_header(const OffWriter* off)
{
    rbl_write_text(off->writer, off->layers[RBL_LAYER_UV].values.count > 0 ? "ST" : "");
    rbl_write_text(off->writer, off->layers[RBL_LAYER_COLOR].values.count > 0 ? "C" : "");
    rbl_write_text(off->writer, off->layers[RBL_LAYER_NORMAL].values.count > 0 ? "N" : "");
    rbl_write_text(off->writer, "OFF\n");
    char* c = rbl_writer_reserve(off->writer);
    c += rbl_format_u64(off->view->vertex_count, c);
    c = put_number(c, off->view->face_count);
    c = put_number(c, 0); // number of edges: no reader uses it
    *c++ = '\n';
    rbl_writer_advance(off->writer, c);
}

static char* put_color(char* c, const float* linear)
{
    float rgba[4];
    memcpy(rgba, linear, sizeof rgba);
    rbl_color_to_srgb(rgba);
    for (int i = 0; i < 4; ++i)
    {
        c = put_number(c, rbl_color_to_byte(rgba[i]));
    }
    return c;
}

static void write_vertices(const OffWriter* off)
{
    const rblIndexedLayer* layers = off->layers;
    for (uint32_t v = 0; v < off->view->vertex_count; ++v)
    {
        const rblVec3d p = off->view->positions[v];
        char* c = rbl_writer_reserve(off->writer);
        c += rbl_format_double(p.x, c);
        *c++ = ' ';
        c += rbl_format_double(p.y, c);
        *c++ = ' ';
        c += rbl_format_double(p.z, c);
        if (layers[RBL_LAYER_NORMAL].values.count > 0)
        {
            c = rbl_print_floats(c, layers[RBL_LAYER_NORMAL].values.data + (size_t)v * 3, 3);
        }
        if (layers[RBL_LAYER_COLOR].values.count > 0)
        {
            c = put_color(c, layers[RBL_LAYER_COLOR].values.data + (size_t)v * 4);
        }
        if (layers[RBL_LAYER_UV].values.count > 0)
        {
            c = rbl_print_floats(c, layers[RBL_LAYER_UV].values.data + (size_t)v * 2, 2);
        }
        *c++ = '\n';
        rbl_writer_advance(off->writer, c);
    }
}

static void write_face(const OffWriter* off, uint32_t face)
{
    const rblMeshView* view = off->view;
    char* c = rbl_writer_reserve(off->writer);
    c += rbl_format_u64(rbl_face_size(view, face), c);
    for (uint32_t corner = view->face_starts[face]; corner < view->face_starts[face + 1]; ++corner)
    {
        c = put_number(c, view->corner_vertices[corner]);
        rbl_writer_advance(off->writer, c);
        c = rbl_writer_reserve(off->writer);
    }
    *c++ = '\n';
    rbl_writer_advance(off->writer, c);
}

rblResult rbl_write_off(const rblMeshView* view, const rblSaveOptions* options, rblWriter* writer)
{
    (void)options;
    OffWriter off = {.view = view, .writer = writer};
    const rblResult result = index_layers(&off);
    if (result == RBL_OK)
    {
        write_header(&off);
        write_vertices(&off);
        for (uint32_t f = 0; f < view->face_count; ++f)
        {
            write_face(&off, f);
        }
    }
    for (int kind = 0; kind < RBL_LAYER_KIND_COUNT; ++kind)
    {
        rbl_indexed_layer_free(&off.layers[kind]);
    }
    return result;
}
