#include "mesh/mesh.h"

#include "math/aabb.h"
#include "mesh/mesh_private.h"

uint32_t rbl_layer_components(rblLayerKind kind)
{
    static const uint32_t components[RBL_LAYER_KIND_COUNT] = {3, 2, 4};
    return components[kind];
}

const rblMeshView* rbl_mesh_get_view(const rblMesh* mesh)
{
    return &mesh->view;
}

void rbl_mesh_free(rblMesh* mesh)
{
    if (mesh != NULL)
    {
        const rblAllocator* allocator = mesh->storage.allocator;
        RBL_FREE_ARRAY(allocator, mesh->layers, mesh->storage.layers.count);
        rbl_mesh_builder_discard(&mesh->storage);
        rbl_free(allocator, mesh, sizeof *mesh);
    }
}

uint32_t rbl_mesh_triangle_count(const rblMeshView* view)
{
    return view->corner_count - 2 * view->face_count;
}

rblVec3d rbl_face_normal_area2(const rblMeshView* view, uint32_t face)
{
    // Summed relative to the first corner, so that large coordinates cancel exactly.
    const uint32_t begin = view->face_starts[face];
    const uint32_t end = view->face_starts[face + 1];
    const rblVec3d origin = view->positions[view->corner_vertices[begin]];
    rblVec3d sum = {0, 0, 0};
    rblVec3d previous = rbl_sub3d(view->positions[view->corner_vertices[begin + 1]], origin);
    for (uint32_t c = begin + 2; c < end; ++c)
    {
        const rblVec3d next = rbl_sub3d(view->positions[view->corner_vertices[c]], origin);
        sum = rbl_add3d(sum, rbl_cross3d(previous, next));
        previous = next;
    }
    return sum;
}

rblAabbd rbl_mesh_bounds(const rblMeshView* view)
{
    rblAabbd bounds = rbl_aabbd_empty();
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        const rblVec3d p = view->positions[view->corner_vertices[c]];
        bounds = rbl_aabbd_add(bounds, p);
    }
    return bounds;
}
