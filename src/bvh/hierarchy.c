#include "bvh/hierarchy.h"

#include "bvh/query/closest.h"
#include "bvh/query/ray.h"
#include "math/vec.h"

rblHierarchy* rbl_hierarchy_new(const rblAllocator* allocator)
{
    rblHierarchy* hierarchy = rbl_alloc(allocator, sizeof *hierarchy);
    if (hierarchy != NULL)
    {
        *hierarchy = (rblHierarchy){.users = 0};
        atomic_init(&hierarchy->ray_state, RBL_RAYS_NONE);
        atomic_init(&hierarchy->rays_asked, 0);
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
    rbl_hierarchy_drop_rays(hierarchy);
    RBL_FREE_ARRAY(allocator, hierarchy->trees, hierarchy->tree_count);
    rbl_forest_free(&hierarchy->forest);
    rbl_free(allocator, hierarchy, sizeof *hierarchy);
}

// ---- trees outside the range of a query ----

typedef struct RayReach
{
    double origin[3];
    double inverse[3];
} RayReach;

static double inverse_of(float x)
{
    return x != 0.0f ? 1.0 / (double)x : 1e300; // finite, because 0 times it must be 0
}

static RayReach reach_of(const rblRay* ray)
{
    const rblVec3 o = ray->origin, d = ray->direction;
    return (RayReach){{(double)o.x, (double)o.y, (double)o.z},
                      {inverse_of(d.x), inverse_of(d.y), inverse_of(d.z)}};
}

// Whether a ray can hit a triangle in the box of a tree. The box is enlarged as in ray.c.
static bool ray_may_hit(const RayReach* reach, const rblRay* ray, const rblBvh* tree)
{
    if (tree->layout.leaves == 0)
    {
        return false;
    }
    const float* lower = &tree->nodes[0].lower.x;
    const float* upper = &tree->nodes[0].upper.x;
    double largest = 0.0;
    for (int a = 0; a < 3; ++a)
    {
        largest = rbl_maxd(
            largest, rbl_maxd(reach->origin[a] - (double)lower[a], (double)upper[a] - reach->origin[a]));
    }
    double enter = (double)ray->t_min, leave = (double)ray->t_max;
    for (int a = 0; a < 3; ++a)
    {
        const double margin = 5e-7 * largest + 1.2e-7 * fabs(reach->origin[a]) + 1e-44;
        const double below = ((double)lower[a] - margin - reach->origin[a]) * reach->inverse[a];
        const double above = ((double)upper[a] + margin - reach->origin[a]) * reach->inverse[a];
        const double first = below < above ? below : above;
        const double last = below < above ? above : below;
        enter = first > enter ? first : enter;
        leave = last < leave ? last : leave;
    }
    return !(enter > leave);
}

static double distance2_to_box(rblVec3 point, const rblAabb* box)
{
    const rblVec3d p = rbl_to_double3(point);
    const rblVec3d below = rbl_sub3d(rbl_to_double3(box->lower), p);
    const rblVec3d above = rbl_sub3d(p, rbl_to_double3(box->upper));
    const rblVec3d apart = rbl_max3d(rbl_max3d(below, above), rbl_vec3d(0, 0, 0));
    return rbl_dot3d(apart, apart);
}

// Whether a tree can have a point within the radius. The margin is much larger than the rounding of distances.
static bool may_be_within(rblVec3 point, float radius, const rblBvh* tree)
{
    return tree->layout.leaves > 0 &&
           !(distance2_to_box(point, &tree->nodes[0]) > (double)radius * (double)radius * 1.00001 + 1e-80);
}

// ---- rays ----

// Query each tree in turn, with the best hit so far as the limit. A later tree wins only with a smaller t, not with an
// equal one.
bool rbl_hierarchy_ray_closest(const rblHierarchy* hierarchy, const rblRayTree* rays, const rblRay* ray,
                               rblRayHit* hit)
{
    const RayReach reach = reach_of(ray);
    rblRay rest = *ray;
    bool found = false;
    for (uint32_t i = 0; i < hierarchy->tree_count; ++i)
    {
        rblRayHit other;
        if (ray_may_hit(&reach, &rest, &hierarchy->trees[i]) &&
            rbl_ray_tree_closest(&hierarchy->trees[i], rays != NULL ? &rays[i] : NULL, &rest, &other) &&
            (!found || other.t < hit->t))
        {
            *hit = other;
            hit->span = i;
            rest.t_max = other.t;
            found = true;
        }
    }
    return found;
}

bool rbl_hierarchy_ray_any(const rblHierarchy* hierarchy, const rblRayTree* rays, const rblRay* ray)
{
    const RayReach reach = reach_of(ray);
    for (uint32_t i = 0; i < hierarchy->tree_count; ++i)
    {
        if (ray_may_hit(&reach, ray, &hierarchy->trees[i]) &&
            rbl_ray_tree_any(&hierarchy->trees[i], rays != NULL ? &rays[i] : NULL, ray))
        {
            return true;
        }
    }
    return false;
}

// ---- points ----

static uint32_t nearest_box(const rblHierarchy* hierarchy, rblVec3 point)
{
    uint32_t nearest = UINT32_MAX;
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < hierarchy->tree_count && best > 0.0; ++i)
    {
        const rblBvh* tree = &hierarchy->trees[i];
        const double distance2 = tree->layout.leaves > 0 ? distance2_to_box(point, &tree->nodes[0]) : best;
        nearest = distance2 < best ? i : nearest;
        best = distance2 < best ? distance2 : best;
    }
    return nearest;
}

// A radius that contains the closest point, from the tree with the nearest box. It is larger than that distance by much
// more than rounding, so that the query finds the point again.
static float closer_radius(const rblHierarchy* hierarchy, rblVec3 point, float radius,
                           const rblClosestPoint* hint)
{
    const uint32_t tree = nearest_box(hierarchy, point);
    const uint32_t leaf = hint != NULL && hint->span == tree ? hint->leaf : RBL_NO_LEAF;
    rblClosestPoint found;
    return tree != UINT32_MAX && rbl_tree_closest(&hierarchy->trees[tree], point, radius, leaf, &found)
               ? rbl_minf(radius, found.distance * 1.00001f + 1e-44f)
               : radius;
}

bool rbl_hierarchy_closest(const rblHierarchy* hierarchy, rblVec3 point, float radius,
                           const rblClosestPoint* hint, rblClosestPoint* out)
{
    bool found = false;
    radius = hierarchy->tree_count > 1 ? closer_radius(hierarchy, point, radius, hint) : radius;
    for (uint32_t i = 0; i < hierarchy->tree_count; ++i)
    {
        const uint32_t leaf = hint != NULL && hint->span == i ? hint->leaf : RBL_NO_LEAF;
        rblClosestPoint other;
        if (may_be_within(point, radius, &hierarchy->trees[i]) &&
            rbl_tree_closest(&hierarchy->trees[i], point, radius, leaf, &other) &&
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
        sum += rbl_tree_winding_number(&hierarchy->trees[i], &hierarchy->windings[i], point, beta);
    }
    return sum;
}

static bool is_inside(const rblHierarchy* hierarchy, rblVec3 point)
{
    if (hierarchy->winding_count == 1)
    {
        return rbl_tree_inside(&hierarchy->trees[0], &hierarchy->windings[0], point);
    }
    const float number = rbl_hierarchy_winding_number(hierarchy, point, RBL_WINDING_BETA);
    return (fabsf(number - 0.5f) > 0.15f ? number : rbl_hierarchy_winding_number(hierarchy, point, 8.0f)) >
           0.5f;
}

static bool is_inside_closed(const rblHierarchy* hierarchy, rblVec3 point, const rblClosestPoint* closest,
                             const rblClearBall* ball)
{
    if (rbl_clear_ball_contains(ball, point))
    {
        return ball->inside;
    }
    if (closest != NULL && closest->feature == RBL_FEATURE_FACE)
    {
        return rbl_below_face(&hierarchy->trees[closest->span].triangles[closest->leaf], point);
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
