#include "bvh/query/region.h"

#include "bvh/node_stack.h"
#include "bvh/triangle/triangle_distance.h"
#include "math/aabb.h"

// ---- triangle and box ----

// Whether the triangle and the box are separated along an axis. The centre of the box is the origin; the box extends
// `reach` in both directions. The margin covers the rounding of both.
static bool apart(rblVec3d axis, const rblVec3d t[3], rblVec3d half)
{
    const double a = rbl_dot3d(axis, t[0]);
    const double b = rbl_dot3d(axis, t[1]);
    const double c = rbl_dot3d(axis, t[2]);
    const double reach = half.x * fabs(axis.x) + half.y * fabs(axis.y) + half.z * fabs(axis.z);
    const double lowest = rbl_mind(a, rbl_mind(b, c));
    const double highest = rbl_maxd(a, rbl_maxd(b, c));
    const double margin = 1e-14 * (reach + rbl_maxd(fabs(lowest), fabs(highest)));
    return lowest > reach + margin || highest < -reach - margin;
}

// The test of the box of the leaf covers the axes of the box; the normal of the triangle and the cross products of its
// edges with the three axes remain.
static bool triangle_meets_box(const rblLeafTriangle* triangle, rblVec3d center, rblVec3d half)
{
    const rblVec3d t[3] = {rbl_sub3d(rbl_to_double3(triangle->a), center),
                           rbl_sub3d(rbl_to_double3(triangle->b), center),
                           rbl_sub3d(rbl_to_double3(triangle->c), center)};
    const rblVec3d edges[3] = {rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[1]), rbl_sub3d(t[0], t[2])};
    if (apart(rbl_cross3d(edges[0], edges[1]), t, half))
    {
        return false;
    }
    for (int k = 0; k < 3; ++k)
    {
        const rblVec3d e = edges[k];
        if (apart((rblVec3d){0.0, -e.z, e.y}, t, half) || apart((rblVec3d){e.z, 0.0, -e.x}, t, half) ||
            apart((rblVec3d){-e.y, e.x, 0.0}, t, half))
        {
            return false;
        }
    }
    return true;
}

// ---- traversal, for both shapes ----

typedef struct Region
{
    const rblBvh* bvh;
    rblAabb box; // of the shape, rounded outwards
    bool is_ball;
    rblVec3d center;
    rblVec3d half;  // of the box
    double radius2; // of the ball
} Region;

static bool leaf_meets(const Region* region, uint32_t leaf)
{
    const rblLeafTriangle* t = &region->bvh->triangles[leaf];
    if (region->is_ball)
    {
        const rblTriangled corners = {{rbl_to_double3(t->a), rbl_to_double3(t->b), rbl_to_double3(t->c)}};
        return rbl_triangle_distance2(&corners, region->center, region->radius2) <= region->radius2;
    }
    const rblAabb own = {rbl_min3(rbl_min3(t->a, t->b), t->c), rbl_max3(rbl_max3(t->a, t->b), t->c)};
    return rbl_aabb_overlaps(own, region->box) &&
           (rbl_aabb_contains(region->box, own) || triangle_meets_box(t, region->center, region->half));
}

static bool visit_leaves(const Region* region, uint32_t mask, uint32_t first, rblLeafFcn* visit,
                         void* context)
{
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        if ((mask >> lane & 1) != 0 && leaf_meets(region, first + lane) && !visit(first + lane, context))
        {
            return true;
        }
    }
    return false;
}

// Depth first, the lowest position on top of the stack, so that leaves are visited in order.
static bool visit_region(const Region* region, rblLeafFcn* visit, void* context)
{
    const rblBvh* bvh = region->bvh;
    const uint32_t leaf_level = bvh->layout.leaf_level;
    rblNodePosition stack[RBL_NODE_STACK_SIZE];
    uint32_t size = 1;
    stack[0] = (rblNodePosition){0, 0};
    if (leaf_level == 0)
    {
        return visit_leaves(region, 1, 0, visit, context);
    }
    while (size > 0)
    {
        const rblNodePosition node = stack[--size];
        const uint32_t step = rbl_group_step(bvh, node.level);
        const uint32_t level = node.level + step;
        const uint32_t position = node.position << step;
        const rblBoxGroup group = rbl_group_load(&bvh->nodes[bvh->level_starts[level] + position]);
        const uint32_t mask =
            rbl_group_overlaps(&group, &region->box) & rbl_group_lanes(bvh, level, position, 1u << step);
        if (level == leaf_level)
        {
            if (visit_leaves(region, mask, position, visit, context))
            {
                return true;
            }
            continue;
        }
        for (uint32_t lane = 4; lane-- > 0;)
        {
            if ((mask >> lane & 1) != 0)
            {
                stack[size++] = (rblNodePosition){level, position + lane};
            }
        }
    }
    return false;
}

bool rbl_tree_visit_box(const rblBvh* bvh, const rblAabb* box, rblLeafFcn* visit, void* context)
{
    if (bvh->layout.leaves == 0 || rbl_aabb_is_empty(*box))
    {
        return false;
    }
    // Clip to the box of the tree; this makes infinite boxes finite.
    const rblAabb part = rbl_aabb_intersection(*box, bvh->nodes[0]);
    if (rbl_aabb_is_empty(part))
    {
        return false;
    }
    const rblVec3d lower = rbl_to_double3(part.lower);
    const rblVec3d upper = rbl_to_double3(part.upper);
    const Region region = {.bvh = bvh,
                           .box = part,
                           .center = rbl_scale3d(rbl_add3d(lower, upper), 0.5),
                           .half = rbl_scale3d(rbl_sub3d(upper, lower), 0.5)};
    return visit_region(&region, visit, context);
}

bool rbl_tree_visit_ball(const rblBvh* bvh, rblVec3 center, float radius, rblLeafFcn* visit, void* context)
{
    if (bvh->layout.leaves == 0 || !rbl_finite3(center) || !(radius >= 0.0f))
    {
        return false;
    }
    // Slightly more than the radius, because the corners of the box are rounded.
    const float size = rbl_maxf(fabsf(center.x), rbl_maxf(fabsf(center.y), fabsf(center.z)));
    const float reach = radius * 1.000001f + size * 1e-6f + 1e-44f;
    const rblVec3 all = {reach, reach, reach};
    const Region region = {.bvh = bvh,
                           .box = {rbl_sub3(center, all), rbl_add3(center, all)},
                           .is_ball = true,
                           .center = rbl_to_double3(center),
                           .radius2 = rbl_round_to_24_bits((double)radius * (double)radius)};
    return visit_region(&region, visit, context);
}
