#include "field/level_set_oracle.h"

#include "base/error.h"
#include "math/vec.h"

static rblResult gather_triangles(rblDistanceOracle* oracle, const rblMeshView* view)
{
    rblIndexArray corners;
    rbl_array_init(&corners, oracle->allocator);
    rblResult result = rbl_triangulate_corners(view, &corners, NULL);
    if (result == RBL_OK)
    {
        oracle->count = (uint32_t)(corners.count / 3);
        oracle->points = RBL_NEW_ARRAY(oracle->allocator, rblVec3d, 3 * (size_t)oracle->count);
        result = oracle->points != NULL ? RBL_OK : rbl_fail_memory();
    }
    for (size_t i = 0; result == RBL_OK && i < corners.count; ++i)
    {
        oracle->points[i] = view->positions[view->corner_vertices[corners.data[i]]];
    }
    rbl_array_free(&corners);
    return result;
}

rblResult rbl_distance_oracle_init(rblDistanceOracle* oracle, const rblMeshView* view,
                                   const rblAllocator* allocator)
{
    *oracle = (rblDistanceOracle){.allocator = allocator, .tree = {.allocator = allocator}};
    rblResult result = gather_triangles(oracle, view);
    if (result == RBL_OK)
    {
        result = rbl_winding_tree_init(&oracle->tree, oracle->points, oracle->count, allocator);
    }
    if (result != RBL_OK)
    {
        RBL_FREE_ARRAY(allocator, oracle->points, 3 * (size_t)oracle->count);
    }
    return result;
}

void rbl_distance_oracle_free(rblDistanceOracle* oracle)
{
    rbl_winding_tree_free(&oracle->tree);
    RBL_FREE_ARRAY(oracle->allocator, oracle->points, 3 * (size_t)oracle->count);
}

double rbl_distance_oracle_ask(const rblDistanceOracle* oracle, rblVec3d point)
{
    double weights[3];
    const uint32_t triangle = rbl_winding_tree_closest(&oracle->tree, point, weights);
    return rbl_distance3d(point, rbl_weighted_point(oracle->points + 3 * (size_t)triangle, weights));
}

bool rbl_distance_oracle_inside(const rblDistanceOracle* oracle, rblVec3d point)
{
    return rbl_winding_tree_number(&oracle->tree, point) > 0.5;
}
