#include "field/level_set/level_set_oracle.h"

#include "base/error.h"
#include "math/aabb.h"
#include <math.h>

static rblVec3 from_middle(const rblDistanceOracle* oracle, rblVec3d point)
{
    return rbl_to_float3(rbl_sub3d(point, oracle->middle));
}

static rblResult gather_triangles(rblDistanceOracle* oracle, const rblMeshView* view)
{
    rblIndexArray corners;
    rbl_array_init(&corners, oracle->allocator);
    rblResult result = rbl_triangulate_corners(view, &corners, NULL);
    if (result == RBL_OK)
    {
        oracle->count = (uint32_t)(corners.count / 3);
        oracle->points = RBL_NEW_ARRAY(oracle->allocator, rblVec3, 3 * (size_t)oracle->count);
        result = oracle->points != NULL ? RBL_OK : rbl_fail_memory();
    }
    rblAabbd box = rbl_aabbd_empty();
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        box = rbl_aabbd_add(box, view->positions[v]);
    }
    oracle->middle = rbl_aabbd_center(box);
    for (size_t i = 0; result == RBL_OK && i < corners.count; ++i)
    {
        oracle->points[i] = from_middle(oracle, view->positions[view->corner_vertices[corners.data[i]]]);
    }
    rbl_array_free(&corners);
    return result;
}

static rblResult build_tree(rblDistanceOracle* oracle)
{
    const rblTriangleSpan span = {
        .positions = oracle->points,
        .stride = sizeof *oracle->points,
        .vertex_count = 3 * oracle->count,
        .triangle_count = oracle->count,
    };
    RBL_TRY(rbl_forest_build(&oracle->forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    oracle->tree = rbl_forest_tree(&oracle->forest, 0);
    oracle->sides = RBL_NEW_ARRAY(oracle->allocator, rblTriangleSides, oracle->count);
    if (oracle->sides == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_tree_sides(&oracle->tree, oracle->sides);
    return rbl_winding_build(&oracle->winding, &oracle->tree, rbl_default_jobs());
}

rblResult rbl_distance_oracle_init(rblDistanceOracle* oracle, const rblMeshView* view,
                                   const rblAllocator* allocator)
{
    *oracle = (rblDistanceOracle){.allocator = allocator};
    rbl_forest_init(&oracle->forest, allocator);
    rbl_winding_init(&oracle->winding, allocator);
    rblResult result = gather_triangles(oracle, view);
    if (result == RBL_OK)
    {
        result = build_tree(oracle);
    }
    if (result != RBL_OK)
    {
        rbl_distance_oracle_free(oracle);
    }
    return result;
}

void rbl_distance_oracle_free(rblDistanceOracle* oracle)
{
    rbl_winding_free(&oracle->winding);
    rbl_forest_free(&oracle->forest);
    RBL_FREE_ARRAY(oracle->allocator, oracle->sides, oracle->count);
    RBL_FREE_ARRAY(oracle->allocator, oracle->points, 3 * (size_t)oracle->count);
    oracle->sides = NULL;
    oracle->points = NULL;
}

double rbl_distance_oracle_evaluate(const rblDistanceOracle* oracle, rblVec3d point, uint32_t* hint)
{
    rblClosestPoint closest = {.distance = INFINITY, .leaf = RBL_NO_LEAF};
    (void)rbl_tree_closest(&oracle->tree, from_middle(oracle, point), INFINITY, *hint, &closest);
    *hint = closest.leaf;
    return (double)closest.distance;
}

void rbl_distance_oracle_evaluate_near(const rblDistanceOracle* oracle, const rblVec3d* points,
                                       uint32_t count, uint32_t hints[RBL_MAX_NEAR_POINTS], float* distances)
{
    rblVec3 moved[RBL_MAX_NEAR_POINTS];
    for (uint32_t i = 0; i < count; ++i)
    {
        moved[i] = from_middle(oracle, points[i]);
    }
    rbl_tree_distances(&oracle->tree, oracle->sides, moved, count, hints, distances);
}

bool rbl_distance_oracle_inside(const rblDistanceOracle* oracle, rblVec3d point)
{
    return rbl_tree_inside(&oracle->tree, &oracle->winding, from_middle(oracle, point));
}
