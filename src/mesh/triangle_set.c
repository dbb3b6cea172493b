#include "mesh/triangle_set.h"

#include "base/error.h"
#include "math/aabb.h"
#include "math/triangle_intersection.h"
#include "mesh/triangle_tree.h"

static rblAabbd box_of(const rblVec3d p[3])
{
    if (!rbl_finite3d(p[0]) || !rbl_finite3d(p[1]) || !rbl_finite3d(p[2]) ||
        rbl_collinear3d(p[0], p[1], p[2]))
    {
        return rbl_aabbd_empty();
    }
    return (rblAabbd){rbl_min3d(p[0], rbl_min3d(p[1], p[2])), rbl_max3d(p[0], rbl_max3d(p[1], p[2]))};
}

static rblResult fill(rblTriangleSet* set)
{
    RBL_TRY(rbl_triangulate_corners(set->view, &set->corners, &set->faces));
    const uint32_t count = rbl_triangle_count(set);
    set->boxes = RBL_NEW_ARRAY(set->corners.allocator, rblAabbd, count);
    if (set->boxes == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        rblVec3d points[3];
        rbl_triangle_points(set, t, points);
        set->boxes[t] = box_of(points);
    }
    return rbl_triangle_tree_init(set, set->corners.allocator);
}

rblResult rbl_triangle_set_init(rblTriangleSet* set, const rblMeshView* view, const rblAllocator* allocator)
{
    *set = (rblTriangleSet){.view = view};
    rbl_array_init(&set->corners, allocator);
    rbl_array_init(&set->faces, allocator);
    const rblResult result = fill(set);
    if (result != RBL_OK)
    {
        rbl_triangle_set_free(set);
    }
    return result;
}

void rbl_triangle_set_free(rblTriangleSet* set)
{
    rbl_triangle_tree_free(&set->tree, set->corners.allocator);
    RBL_FREE_ARRAY(set->corners.allocator, set->boxes, set->faces.count);
    set->boxes = NULL;
    rbl_array_free(&set->corners);
    rbl_array_free(&set->faces);
}
