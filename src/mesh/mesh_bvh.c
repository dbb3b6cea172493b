// A hierarchy over the triangles of a mesh.
#include "base/error.h"
#include "mesh/mesh.h"

static rblResult build_over(const rblMeshView* view, const rblIndexArray* corners, rblBvhQuality quality,
                            bool winding, rblBvhId* out)
{
    const rblTriangleSpan span = {.positions = view->positions,
                                  .stride = sizeof(rblVec3d),
                                  .is_double = true,
                                  .vertex_count = view->vertex_count,
                                  .indices = corners->data,
                                  .triangle_count = (uint32_t)(corners->count / 3)};
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = &span;
    def.span_count = 1;
    def.quality = quality;
    def.winding = winding;
    return rbl_bvh_create(&def, out);
}

rblResult rbl_mesh_create_bvh(rblMeshId id, rblBvhQuality quality, bool winding, rblBvhId* out)
{
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    rblIndexArray corners;
    rbl_array_init(&corners, rbl_default_allocator());
    rblResult result = rbl_triangulate_corners(view, &corners, NULL);
    if (result == RBL_OK)
    {
        for (size_t i = 0; i < corners.count; ++i)
        {
            corners.data[i] = view->corner_vertices[corners.data[i]];
        }
        result = build_over(view, &corners, quality, winding, out);
    }
    rbl_array_free(&corners);
    rbl_mesh_release(mesh);
    return result;
}
