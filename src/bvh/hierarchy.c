#include "bvh/hierarchy.h"

#include "bvh/closest.h"
#include "bvh/ray.h"
#include "math/vec.h"

rblHierarchy* rbl_hierarchy_new(const rblAllocator* allocator)
{
    rblHierarchy* hierarchy = rbl_alloc(allocator, sizeof *hierarchy);
    if (hierarchy != NULL)
    {
        *hierarchy = (rblHierarchy){.users = 0};
        rbl_forest_init(&hierarchy->forest, allocator);
    }
    return hierarchy;
}

void rbl_hierarchy_free(rblHierarchy* hierarchy)
{
    const rblAllocator* allocator = hierarchy->forest.allocator;
    for (uint32_t i = 0; i < hierarchy->winding_count; ++i)
    {
        rbl_winding_free(&hierarchy->windings[i]);
    }
    RBL_FREE_ARRAY(allocator, hierarchy->windings, hierarchy->winding_count);
    rbl_forest_free(&hierarchy->forest);
    rbl_free(allocator, hierarchy, sizeof *hierarchy);
}

// Each tree in turn, with what was found so far as its limit; a later tree must be better, not equal.
bool rbl_hierarchy_ray_closest(const rblHierarchy* hierarchy, const rblRay* ray, rblRayHit* hit)
{
    rblRay rest = *ray;
    bool found = false;
    for (uint32_t i = 0; i < hierarchy->forest.tree_count; ++i)
    {
        const rblBvh tree = rbl_forest_tree(&hierarchy->forest, i);
        rblRayHit other;
        if (rbl_tree_ray_closest(&tree, &rest, &other) && (!found || other.t < hit->t))
        {
            *hit = other;
            hit->span = i;
            rest.t_max = other.t;
            found = true;
        }
    }
    return found;
}

bool rbl_hierarchy_ray_any(const rblHierarchy* hierarchy, const rblRay* ray)
{
    for (uint32_t i = 0; i < hierarchy->forest.tree_count; ++i)
    {
        const rblBvh tree = rbl_forest_tree(&hierarchy->forest, i);
        if (rbl_tree_ray_any(&tree, ray))
        {
            return true;
        }
    }
    return false;
}

bool rbl_hierarchy_closest(const rblHierarchy* hierarchy, rblVec3 point, float radius,
                           const rblClosestPoint* hint, rblClosestPoint* out)
{
    bool found = false;
    for (uint32_t i = 0; i < hierarchy->forest.tree_count; ++i)
    {
        const rblBvh tree = rbl_forest_tree(&hierarchy->forest, i);
        const uint32_t leaf = hint != NULL && hint->span == i ? hint->leaf : RBL_NO_LEAF;
        rblClosestPoint other;
        if (rbl_tree_closest(&tree, point, radius, leaf, &other) &&
            (!found || other.distance < out->distance))
        {
            *out = other;
            out->span = i;
            radius = other.distance;
            found = true;
        }
    }
    return found;
}

float rbl_hierarchy_winding_number(const rblHierarchy* hierarchy, rblVec3 point, float beta)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < hierarchy->winding_count; ++i)
    {
        const rblBvh tree = rbl_forest_tree(&hierarchy->forest, i);
        sum += rbl_tree_winding_number(&tree, &hierarchy->windings[i], point, beta);
    }
    return sum;
}

static bool is_inside(const rblHierarchy* hierarchy, rblVec3 point)
{
    if (hierarchy->winding_count == 1)
    {
        const rblBvh tree = rbl_forest_tree(&hierarchy->forest, 0);
        return rbl_tree_inside(&tree, &hierarchy->windings[0], point);
    }
    const float number = rbl_hierarchy_winding_number(hierarchy, point, RBL_WINDING_BETA);
    return (fabsf(number - 0.5f) > 0.15f ? number : rbl_hierarchy_winding_number(hierarchy, point, 8.0f)) >
           0.5f;
}

static bool is_inside_closed(const rblHierarchy* hierarchy, rblVec3 point, const rblClosestPoint* closest,
                             const rblClearBall* ball)
{
    if (rbl_clear_ball_holds(ball, point))
    {
        return ball->inside;
    }
    if (closest != NULL && closest->feature == RBL_FEATURE_FACE)
    {
        const rblForest* forest = &hierarchy->forest;
        return rbl_below_face(&forest->triangles[forest->trees[closest->span].first_leaf + closest->leaf],
                              point);
    }
    return is_inside(hierarchy, point);
}

rblHierarchyNeighbour rbl_no_hierarchy_neighbour(void)
{
    return (rblHierarchyNeighbour){.closest = {.leaf = UINT32_MAX, .span = UINT32_MAX},
                                   .ball = {.radius = -1.0f}};
}

bool rbl_hierarchy_signed_distance(const rblHierarchy* hierarchy, rblVec3 point, float radius,
                                   rblSignMode mode, rblHierarchyNeighbour* neighbour, float* out)
{
    if (!rbl_finite3(point))
    {
        return false;
    }
    rblClosestPoint closest;
    const bool found = rbl_hierarchy_closest(hierarchy, point, radius, &neighbour->closest, &closest);
    const float distance = found ? closest.distance : radius;
    const bool inside = mode == RBL_SIGN_CLOSED
                            ? is_inside_closed(hierarchy, point, found ? &closest : NULL, &neighbour->ball)
                            : is_inside(hierarchy, point);
    neighbour->ball = (rblClearBall){point, distance, inside};
    neighbour->closest = found ? closest : neighbour->closest;
    *out = inside && distance > 0.0f ? -distance : distance;
    return true;
}
