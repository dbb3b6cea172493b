// Surfaces as graphics hardware takes them: vertices with normals, triangles with those of cracks last.
#include "exports.h"
#include "io/gltf/glb_mesh.h"
#include "io/layers.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "mesh/normals.h"
#include "scene/export/export.h"

// Read by JavaScript as 32-bit words.
struct WebMesh
{
    const float* positions;
    const float* normals;
    const uint32_t* indices;
    uint32_t vertex_count;
    uint32_t index_count;
    uint32_t crack_start; // in the indices
};

static struct
{
    WebMesh mesh;
    rblFloatArray positions;
    rblFloatArray normals;
    rblIndexArray indices;
} drawn;

// What breaking laid open is rough: every face has the normal of its plane.
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

// The surface's own normals where it has some, else smooth ones.
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

static bool take_vertices(const rblGlbMesh* mesh)
{
    const size_t count = mesh->vertices.count / mesh->width;
    if (!rbl_array_resize(&drawn.positions, 3 * count) || !rbl_array_resize(&drawn.normals, 3 * count))
    {
        return false;
    }
    const double offset[3] = {mesh->offset.x, mesh->offset.y, mesh->offset.z};
    for (size_t i = 0; i < count; ++i)
    {
        const float* vertex = mesh->vertices.data + i * mesh->width;
        for (size_t k = 0; k < 3; ++k)
        {
            drawn.positions.data[3 * i + k] = (float)((double)vertex[k] + offset[k]);
            drawn.normals.data[3 * i + k] = vertex[3 + k];
        }
    }
    return true;
}

// Triangles of the materials that are cracks, or of those that are not.
static bool take_triangles(const rblGlbMesh* mesh, bool cracks)
{
    const rblMeshView* view = mesh->view;
    for (size_t begin = 0; begin < mesh->faces.count;)
    {
        const size_t end = rbl_glb_mesh_run_end(mesh, begin);
        const bool crack = rbl_export_is_crack(view, mesh->faces.data[mesh->order[begin]]);
        for (size_t i = 3 * begin; i < 3 * end && crack == cracks; ++i)
        {
            if (!rbl_array_push(&drawn.indices, mesh->indices.data[i]))
            {
                return false;
            }
        }
        begin = end;
    }
    return true;
}

static rblResult take(const rblMeshView* view, const float* normals, const rblAllocator* allocator)
{
    const rblLayer layer = {RBL_LAYER_NORMAL, 3, normals};
    rblMeshView shaded = *view;
    shaded.layers = &layer;
    shaded.layer_count = 1;
    rblGlbMesh mesh;
    rblResult result = rbl_glb_mesh_prepare(&mesh, &shaded, allocator);
    if (result == RBL_OK)
    {
        bool ok = take_vertices(&mesh) && take_triangles(&mesh, false);
        drawn.mesh.crack_start = (uint32_t)drawn.indices.count;
        ok = ok && take_triangles(&mesh, true);
        result = ok ? RBL_OK : rbl_fail_memory();
    }
    rbl_glb_mesh_free(&mesh);
    return result;
}

static rblResult draw(rblMeshId surface)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(surface, &view));
    float* normals = RBL_NEW_ARRAY(allocator, float, 3 * (size_t)view.corner_count);
    rblResult result = normals != NULL ? fill_normals(&view, allocator, normals) : rbl_fail_memory();
    result = result == RBL_OK ? take(&view, normals, allocator) : result;
    RBL_FREE_ARRAY(allocator, normals, 3 * (size_t)view.corner_count);
    return result;
}

void web_forget_drawn(void)
{
    if (drawn.positions.allocator != NULL)
    {
        rbl_array_free(&drawn.positions);
        rbl_array_free(&drawn.normals);
        rbl_array_free(&drawn.indices);
    }
    rbl_array_init(&drawn.positions, rbl_default_allocator());
    rbl_array_init(&drawn.normals, rbl_default_allocator());
    rbl_array_init(&drawn.indices, rbl_default_allocator());
}

// The mesh of that number, in web_drawn(). Only while a body has it.
rblResult web_draw_mesh(uint32_t number)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    if (number >= session->shapes_of_meshes.count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "there is no mesh %u", number);
    }
    rblShapeView view;
    rblMeshId surface;
    RBL_TRY(rbl_shape_view(session->shapes_of_meshes.data[number], &view));
    RBL_TRY(rbl_shape_surface(&view, &surface));
    web_forget_drawn();
    RBL_TRY(draw(surface));
    drawn.mesh.positions = drawn.positions.data;
    drawn.mesh.normals = drawn.normals.data;
    drawn.mesh.indices = drawn.indices.data;
    drawn.mesh.vertex_count = (uint32_t)(drawn.positions.count / 3);
    drawn.mesh.index_count = (uint32_t)drawn.indices.count;
    return RBL_OK;
}

const WebMesh* web_drawn(void)
{
    return &drawn.mesh;
}
