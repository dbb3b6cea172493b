// Mesh to STL: only triangles and their normals; in the text form, one solid per group.
#include "base/log.h"
#include "io/readers.h"
#include "io/text_write.h"
#include "math/vec.h"
#include <float.h>
#include <string.h>

typedef struct StlWriter
{
    const rblMeshView* view;
    rblWriter* writer;
    rblIndexArray corners; // three for each triangle
    rblIndexArray faces;   // of each triangle
} StlWriter;

static void corner_positions(const StlWriter* stl, size_t triangle, rblVec3d out[3])
{
    for (size_t k = 0; k < 3; ++k)
    {
        out[k] = stl->view->positions[stl->view->corner_vertices[stl->corners.data[3 * triangle + k]]];
    }
}

static rblVec3d triangle_normal(const rblVec3d p[3])
{
    const rblVec3d cross = rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0]));
    return rbl_finite3d(cross) ? rbl_normalize3d(cross, rbl_vec3d(0, 0, 0)) : rbl_vec3d(0, 0, 0);
}

// ---- binary ----

static char* put_u32(char* c, uint32_t value)
{
    for (int i = 0; i < 4; ++i)
    {
        c[i] = (char)(unsigned char)(value >> (8 * i));
    }
    return c + 4;
}

static char* put_vector(char* c, rblVec3d v)
{
    const float values[3] = {(float)v.x, (float)v.y, (float)v.z};
    for (int i = 0; i < 3; ++i)
    {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        c = put_u32(c, bits);
    }
    return c;
}

static rblResult check_range(const rblMeshView* view)
{
    const double limit = (double)FLT_MAX;
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        if (rbl_finite3d(p) && (fabs(p.x) > limit || fabs(p.y) > limit || fabs(p.z) > limit))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "STL: vertex %u is too far off for the 32-bit numbers of binary STL; write text",
                            v);
        }
    }
    return RBL_OK;
}

static void write_binary(const StlWriter* stl)
{
    const size_t count = stl->faces.count;
    char header[80] = "Rubble"; // must not begin with "solid", which readers take as text
    rbl_write_bytes(stl->writer, header, sizeof header);
    char* c = rbl_writer_reserve(stl->writer);
    rbl_writer_advance(stl->writer, put_u32(c, (uint32_t)count));
    for (size_t t = 0; t < count; ++t)
    {
        rblVec3d p[3];
        corner_positions(stl, t, p);
        c = rbl_writer_reserve(stl->writer);
        c = put_vector(c, triangle_normal(p));
        for (int k = 0; k < 3; ++k)
        {
            c = put_vector(c, p[k]);
        }
        *c++ = 0;
        *c++ = 0;
        rbl_writer_advance(stl->writer, c);
    }
}

// ---- text ----

static void write_solid(const StlWriter* stl, const char* word, uint32_t group)
{
    const rblMeshView* view = stl->view;
    rbl_write_text(stl->writer, word);
    rbl_write_text(stl->writer, " ");
    rbl_write_name(stl->writer, group < view->group_count ? view->group_names[group] : "rubble");
    rbl_write_text(stl->writer, "\n");
}

static void write_facet(const StlWriter* stl, size_t triangle)
{
    rblVec3d p[3];
    corner_positions(stl, triangle, p);
    const rblVec3d normal = triangle_normal(p);
    const float values[3] = {(float)normal.x, (float)normal.y, (float)normal.z};
    rbl_write_text(stl->writer, "facet normal");
    char* c = rbl_print_floats(rbl_writer_reserve(stl->writer), values, 3);
    rbl_writer_advance(stl->writer, c);
    rbl_write_text(stl->writer, "\n outer loop\n");
    for (int k = 0; k < 3; ++k)
    {
        rbl_write_text(stl->writer, "  vertex");
        c = rbl_print_position(rbl_writer_reserve(stl->writer), p[k]);
        *c++ = '\n';
        rbl_writer_advance(stl->writer, c);
    }
    rbl_write_text(stl->writer, " endloop\nendfacet\n");
}

static void write_text(const StlWriter* stl)
{
    const uint32_t* groups = stl->view->face_groups;
    uint32_t group = groups[0];
    write_solid(stl, "solid", group);
    for (size_t t = 0; t < stl->faces.count; ++t)
    {
        const uint32_t next = groups[stl->faces.data[t]];
        if (next != group)
        {
            write_solid(stl, "endsolid", group);
            write_solid(stl, "solid", next);
            group = next;
        }
        write_facet(stl, t);
    }
    write_solid(stl, "endsolid", group);
}

rblResult rbl_write_stl(const rblMeshView* view, const rblSaveOptions* options, rblWriter* writer)
{
    if (view->layer_count > 0)
    {
        rbl_log_message(RBL_LOG_WARNING, "STL holds triangles only: UVs, normals and colours are left out");
    }
    StlWriter stl = {.view = view, .writer = writer};
    rbl_array_init(&stl.corners, writer->allocator);
    rbl_array_init(&stl.faces, writer->allocator);
    rblResult result = options->text ? RBL_OK : check_range(view);
    if (result == RBL_OK)
    {
        result = rbl_triangulate_corners(view, &stl.corners, &stl.faces);
    }
    if (result == RBL_OK)
    {
        (options->text ? write_text : write_binary)(&stl);
    }
    rbl_array_free(&stl.corners);
    rbl_array_free(&stl.faces);
    return result;
}
