#include "rubble/drawable.h"

#include "base/error.h"
#include "io/gltf/glb_mesh.h"
#include "io/layers.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "mesh/normals.h"
#include "scene/export/export.h"

// Crack faces are rough: each corner gets the normal of the face.
static void flatten_cracks(const rblMeshView* view, float* normals)
{
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        if (!rbl_export_is_crack(view, f))
        {
            continue;
        }
        const rblVec3d up = {0, 1, 0};
        const rblVec3 n = rbl_to_float3(rbl_normalize3d(rbl_face_normal_area2(view, f), up));
        for (uint32_t c = view->face_starts[f]; c < view->face_starts[f + 1]; ++c)
        {
            normals[3 * (size_t)c] = n.x;
            normals[3 * (size_t)c + 1] = n.y;
            normals[3 * (size_t)c + 2] = n.z;
        }
    }
}

// The normals of the surface, or smooth ones when it has none.
static rblResult fill_normals(const rblMeshView* view, const rblAllocator* allocator, float* out)
{
    const rblLayer* own = rbl_find_layer(view, RBL_LAYER_NORMAL);
    if (own != NULL)
    {
        for (size_t i = 0; i < 3 * (size_t)view->corner_count; ++i)
        {
            out[i] = own->data[i];
        }
    }
    else
    {
        RBL_TRY(rbl_corner_normals(view, RBL_DEFAULT_CREASE_ANGLE, allocator, out));
    }
    flatten_cracks(view, out);
    return RBL_OK;
}

static void copy_vertices(const rblGlbMesh* mesh, rblDrawable* out)
{
    for (size_t i = 0; i < out->vertex_count; ++i)
    {
        const float* vertex = mesh->vertices.data + i * mesh->width;
        for (size_t k = 0; k < 3; ++k)
        {
            out->positions[3 * i + k] = vertex[k];
            out->normals[3 * i + k] = vertex[3 + k];
        }
    }
}

// Append the triangles of crack materials, or those of all other materials.
static void copy_triangles(const rblGlbMesh* mesh, bool cracks, uint32_t* next, rblDrawable* out)
{
    for (size_t begin = 0; begin < mesh->faces.count;)
    {
        const size_t end = rbl_glb_mesh_run_end(mesh, begin);
        const bool crack = rbl_export_is_crack(mesh->view, mesh->faces.data[mesh->order[begin]]);
        for (size_t i = 3 * begin; i < 3 * end && crack == cracks; ++i)
        {
            out->indices[(*next)++] = mesh->indices.data[i];
        }
        begin = end;
    }
}

static rblResult fill_drawable(const rblGlbMesh* mesh, const rblAllocator* allocator, rblDrawable* out)
{
    uint32_t next = 0;
    out->vertex_count = (uint32_t)(mesh->vertices.count / mesh->width);
    out->index_count = (uint32_t)mesh->indices.count;
    out->positions = RBL_NEW_ARRAY(allocator, float, 3 * (size_t)out->vertex_count);
    out->normals = RBL_NEW_ARRAY(allocator, float, 3 * (size_t)out->vertex_count);
    out->indices = RBL_NEW_ARRAY(allocator, uint32_t, out->index_count);
    if (out->positions == NULL || out->normals == NULL || out->indices == NULL)
    {
        rbl_drawable_free(out);
        return rbl_fail_memory();
    }
    copy_vertices(mesh, out);
    copy_triangles(mesh, false, &next, out);
    out->crack_start = next;
    copy_triangles(mesh, true, &next, out);
    return RBL_OK;
}

static rblResult shade(const rblMeshView* view, const float* normals, const rblAllocator* allocator,
                       rblDrawable* out)
{
    const rblLayer layer = {RBL_LAYER_NORMAL, 3, normals};
    rblMeshView shaded = *view;
    shaded.layers = &layer;
    shaded.layer_count = 1;
    rblGlbMesh mesh;
    rblResult result = rbl_glb_mesh_prepare(&mesh, &shaded, rbl_vec3d(0, 0, 0), allocator);
    result = result == RBL_OK ? fill_drawable(&mesh, allocator, out) : result;
    rbl_glb_mesh_free(&mesh);
    return result;
}

rblResult rbl_drawable_create(rblMeshId mesh, rblDrawable* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(mesh, &view));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "drawable: out must not be null");
    }
    *out = (rblDrawable){.positions = NULL};
    float* normals = RBL_NEW_ARRAY(allocator, float, 3 * (size_t)view.corner_count);
    rblResult result = normals != NULL ? fill_normals(&view, allocator, normals) : rbl_fail_memory();
    result = result == RBL_OK ? shade(&view, normals, allocator, out) : result;
    RBL_FREE_ARRAY(allocator, normals, 3 * (size_t)view.corner_count);
    return result;
}

void rbl_drawable_free(rblDrawable* drawable)
{
    const rblAllocator* allocator = rbl_default_allocator();
    if (drawable == NULL)
    {
        return;
    }
    RBL_FREE_ARRAY(allocator, drawable->positions, 3 * (size_t)drawable->vertex_count);
    RBL_FREE_ARRAY(allocator, drawable->normals, 3 * (size_t)drawable->vertex_count);
    RBL_FREE_ARRAY(allocator, drawable->indices, drawable->index_count);
    *drawable = (rblDrawable){.positions = NULL};
}
