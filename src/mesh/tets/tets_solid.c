// The solid to be filled: checked, with structures for distance and ray queries.
#include "base/error.h"
#include "bvh/query/closest.h"
#include "bvh/query/ray.h"
#include "math/aabb.h"
#include "math/vec.h"
#include "mesh/tets/tets_filling.h"
#include "mesh/topology.h"

static rblResult check_closed(const rblMeshView* view, const rblAllocator* allocator)
{
    rblTopology topology;
    RBL_TRY(rbl_topology_init(&topology, view, allocator));
    uint32_t open = 0;
    uint32_t misoriented = 0;
    for (uint32_t c = 0; c < view->corner_count; ++c)
    {
        open += topology.twins[c] == RBL_BOUNDARY;
        misoriented += rbl_has_twin(&topology, c) && rbl_same_direction(&topology, c);
    }
    rbl_topology_free(&topology);
    if (open > 0)
    {
        return rbl_fail(
            RBL_ERROR_GEOMETRY,
            "tetrahedra: the surface is open (%u boundary edges), must be closed; repair it first", open);
    }
    if (misoriented > 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "tetrahedra: %u edges of the surface are not consistently oriented; repair it first",
                        misoriented / 2);
    }
    return RBL_OK;
}

typedef struct Triangles
{
    rblIndexArray corners;
    rblVec3dArray positions; // relative to the centre
} Triangles;

static double volume_of(const Triangles* triangles)
{
    double sum = 0.0;
    for (size_t i = 0; i + 2 < triangles->corners.count; i += 3)
    {
        const rblVec3d a = triangles->positions.data[triangles->corners.data[i]];
        const rblVec3d b = triangles->positions.data[triangles->corners.data[i + 1]];
        const rblVec3d c = triangles->positions.data[triangles->corners.data[i + 2]];
        sum += rbl_dot3d(a, rbl_cross3d(b, c));
    }
    return sum / 6.0;
}

static rblResult build_tree(rblFillSolid* solid, const Triangles* triangles)
{
    solid->volume = volume_of(triangles);
    if (!(solid->volume > 0.0))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "tetrahedra: the surface is %s; repair it first",
                        solid->volume < 0.0 ? "inside out" : "flat, it encloses no volume");
    }
    const rblTriangleSpan span = {.positions = triangles->positions.data,
                                  .stride = sizeof(rblVec3d),
                                  .is_double = true,
                                  .vertex_count = (uint32_t)triangles->positions.count,
                                  .indices = triangles->corners.data,
                                  .triangle_count = (uint32_t)(triangles->corners.count / 3)};
    RBL_TRY(rbl_forest_build(&solid->forest, &span, 1, RBL_BVH_QUALITY, solid->jobs));
    rbl_forest_free_scratch(&solid->forest);
    solid->bvh = rbl_forest_tree(&solid->forest, 0);
    return rbl_winding_build(&solid->winding, &solid->bvh, solid->jobs);
}

static rblResult build_over(rblFillSolid* solid, const rblMeshView* view, Triangles* triangles)
{
    RBL_TRY(rbl_triangulate_corners(view, &triangles->corners, NULL));
    if (!rbl_array_resize(&triangles->positions, view->vertex_count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        triangles->positions.data[v] = rbl_sub3d(view->positions[v], solid->center);
    }
    for (size_t i = 0; i < triangles->corners.count; ++i)
    {
        triangles->corners.data[i] = view->corner_vertices[triangles->corners.data[i]];
    }
    return build_tree(solid, triangles);
}

rblResult rbl_fill_solid_init(rblFillSolid* solid, const rblMeshView* view, rblJobs* jobs,
                              const rblAllocator* allocator)
{
    RBL_TRY(check_closed(view, allocator));
    const rblAabbd bounds = rbl_mesh_bounds(view);
    *solid = (rblFillSolid){
        .jobs = jobs, .center = rbl_aabbd_center(bounds), .half = rbl_scale3d(rbl_aabbd_size(bounds), 0.5)};
    rbl_forest_init(&solid->forest, allocator);
    rbl_winding_init(&solid->winding, allocator);
    Triangles triangles;
    rbl_array_init(&triangles.corners, allocator);
    rbl_array_init(&triangles.positions, allocator);
    const rblResult result = build_over(solid, view, &triangles);
    rbl_array_free(&triangles.corners);
    rbl_array_free(&triangles.positions);
    if (result != RBL_OK)
    {
        rbl_fill_solid_free(solid);
    }
    return result;
}

void rbl_fill_solid_free(rblFillSolid* solid)
{
    rbl_winding_free(&solid->winding);
    rbl_forest_free(&solid->forest);
}

float rbl_fill_distance(const rblFillSolid* solid, rblVec3d point, double radius, rblFillBall* ball)
{
    const rblVec3 p = rbl_to_float3(point);
    rblClosestPoint closest = {.leaf = ball->hint};
    const uint32_t hint = ball->distance != 0.0f ? ball->hint : RBL_NO_LEAF;
    const bool found = rbl_tree_closest(&solid->bvh, p, (float)radius, hint, &closest);
    const float distance = found ? closest.distance : (float)radius;
    const double clear = fabs((double)ball->distance) + (double)distance;
    const bool same = ball->distance != 0.0f && rbl_distance3d(point, ball->center) < 0.999 * clear;
    const bool inside = same ? ball->distance < 0.0f : rbl_tree_inside(&solid->bvh, &solid->winding, p);
    *ball = (rblFillBall){point, inside ? -distance : distance, closest.leaf};
    return ball->distance;
}

bool rbl_fill_touches(const rblFillSolid* solid, rblVec3d point, double radius)
{
    rblClosestPoint closest;
    return rbl_tree_closest(&solid->bvh, rbl_to_float3(point), (float)radius, RBL_NO_LEAF, &closest);
}

double rbl_fill_crossing(const rblFillSolid* solid, rblVec3d from, rblVec3d to)
{
    const rblRay ray = {.origin = rbl_to_float3(from),
                        .direction = rbl_to_float3(rbl_sub3d(to, from)),
                        .t_min = 0.0f,
                        .t_max = 1.0f};
    rblRayHit hit;
    return rbl_tree_ray_closest(&solid->bvh, &ray, &hit) ? (double)hit.t : -1.0;
}
