// Surfaces for drawing: all with UVs, planes as large squares.
#include "base/error.h"
#include "math/quat.h"
#include "math/vec.h"
#include "mesh/mesh.h"
#include "scene/run/run.h"
#include <math.h>

// Size of the square of a plane, as a multiple of the extent of the bodies.
#define PLANE_REACH 3.0

static double extent_of(const rblRun* run)
{
    double reach = 2.0;
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        const rblRunBody* body = &run->bodies.data[i];
        if (body->keys.count > 0)
        {
            reach = rbl_maxd(reach, (double)rbl_length3(body->keys.data[0].pose.p));
        }
    }
    return PLANE_REACH * reach;
}

// The square lies in the plane and has its normal.
static rblResult make_square(rblVec3 normal, double half, rblMeshId* out)
{
    const rblVec3d n = rbl_normalize3d(rbl_to_double3(normal), rbl_vec3d(0, 1, 0));
    const rblVec3d side = fabs(n.x) < 0.9 ? rbl_vec3d(1, 0, 0) : rbl_vec3d(0, 0, 1);
    const rblVec3d v = rbl_normalize3d(rbl_cross3d(side, n), side);
    const rblVec3d u = rbl_cross3d(n, v);
    static const double corners[4][2] = {{-1, -1}, {-1, 1}, {1, 1}, {1, -1}};
    static const uint32_t starts[2] = {0, 4};
    static const uint32_t vertices[4] = {0, 1, 2, 3};
    rblVec3d positions[4];
    float uvs[8];
    float normals[12];
    for (uint32_t i = 0; i < 4; ++i)
    {
        const double a = half * corners[i][0];
        const double b = half * corners[i][1];
        positions[i] = rbl_add3d(rbl_scale3d(u, a), rbl_scale3d(v, b));
        uvs[2 * i] = (float)a;
        uvs[2 * i + 1] = (float)b;
        normals[3 * i] = (float)n.x;
        normals[3 * i + 1] = (float)n.y;
        normals[3 * i + 2] = (float)n.z;
    }
    const rblLayer layers[2] = {{RBL_LAYER_UV, 2, uvs}, {RBL_LAYER_NORMAL, 3, normals}};
    const rblMeshView view = {.vertex_count = 4,
                              .face_count = 1,
                              .corner_count = 4,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = vertices,
                              .layer_count = 2,
                              .layers = layers};
    return rbl_mesh_create(&view, out);
}

static bool has_uvs(const rblMeshView* view)
{
    for (uint32_t i = 0; i < view->layer_count; ++i)
    {
        if (view->layers[i].kind == RBL_LAYER_UV)
        {
            return true;
        }
    }
    return false;
}

// Project a face along the axis closest to its normal, with one UV unit per metre.
static void project_face(const rblMeshView* view, uint32_t face, float* uvs)
{
    const rblVec3d n = rbl_face_normal_area2(view, face);
    const double x = fabs(n.x);
    const double y = fabs(n.y);
    const double z = fabs(n.z);
    for (uint32_t c = view->face_starts[face]; c < view->face_starts[face + 1]; ++c)
    {
        const rblVec3d p = view->positions[view->corner_vertices[c]];
        const bool along_x = x >= y && x >= z;
        const bool along_y = !along_x && y >= z;
        const double u = along_x ? (n.x > 0.0 ? -p.z : p.z) : along_y ? p.x : (n.z > 0.0 ? p.x : -p.x);
        const double v = along_y ? (n.y > 0.0 ? -p.z : p.z) : p.y;
        uvs[2 * (size_t)c] = (float)u;
        uvs[2 * (size_t)c + 1] = (float)v;
    }
}

// A copy of a mesh without UVs, with projected UVs.
static rblResult unwrap(const rblMeshView* view, rblMeshId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const size_t uv_count = 2 * (size_t)view->corner_count;
    const size_t layer_count = (size_t)view->layer_count + 1;
    float* uvs = RBL_NEW_ARRAY(allocator, float, uv_count);
    rblLayer* layers = RBL_NEW_ARRAY(allocator, rblLayer, layer_count);
    rblResult result = uvs != NULL && layers != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        rblMeshView copy = *view;
        for (uint32_t f = 0; f < view->face_count; ++f)
        {
            project_face(view, f, uvs);
        }
        layers[0] = (rblLayer){RBL_LAYER_UV, 2, uvs};
        for (uint32_t i = 0; i < view->layer_count; ++i)
        {
            layers[i + 1] = view->layers[i];
        }
        copy.layers = layers;
        copy.layer_count = (uint32_t)layer_count;
        result = rbl_mesh_create(&copy, out);
    }
    RBL_FREE_ARRAY(allocator, uvs, uv_count);
    RBL_FREE_ARRAY(allocator, layers, layer_count);
    return result;
}

rblResult rbl_run_drawn_surface(const rblRun* run, uint32_t shape, rblMeshId* out)
{
    const rblRunShape* s = &run->shapes.data[shape];
    rblMeshView view;
    if (s->surface.index1 == 0)
    {
        return make_square(s->normal, extent_of(run), out);
    }
    RBL_TRY(rbl_mesh_view(s->surface, &view));
    return has_uvs(&view) ? rbl_mesh_share(s->surface, out) : unwrap(&view, out);
}
