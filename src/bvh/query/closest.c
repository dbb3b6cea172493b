#include "bvh/query/closest.h"

#include "bvh/node_stack.h"
#include "bvh/triangle/triangle_distance.h"

typedef struct Search
{
    const rblBvh* bvh;
    rblVec3d point;
    rblFloat4 x, y, z;
    double best; // squared distance of the closest triangle so far, or of the radius
    float bound; // a box with a larger squared distance contains nothing closer
    uint32_t leaf;
} Search;

static inline rblFloat4 distance_along(rblFloat4 lower, rblFloat4 upper, rblFloat4 p)
{
    return rbl_max4(rbl_max4(rbl_sub4(lower, p), rbl_sub4(p, upper)), rbl_splat4(0.0f));
}

static inline rblFloat4 box_distances2(const void* of, const rblBoxGroup* g)
{
    const Search* search = of;
    const rblFloat4 x = distance_along(g->lower_x, g->upper_x, search->x);
    const rblFloat4 y = distance_along(g->lower_y, g->upper_y, search->y);
    const rblFloat4 z = distance_along(g->lower_z, g->upper_z, search->z);
    return rbl_add4(rbl_add4(rbl_mul4(x, x), rbl_mul4(y, y)), rbl_mul4(z, z));
}

static inline rblTriangled corners_of(const rblBvh* bvh, uint32_t leaf)
{
    const rblLeafTriangle* t = &bvh->triangles[leaf];
    return (rblTriangled){{rbl_to_double3(t->a), rbl_to_double3(t->b), rbl_to_double3(t->c)}};
}

static void try_leaf(Search* search, uint32_t leaf)
{
    const rblTriangled corners = corners_of(search->bvh, leaf);
    const double distance2 = rbl_triangle_distance2(&corners, search->point, search->best);
    const uint32_t* order = search->bvh->order;
    if (distance2 < search->best ||
        (distance2 == search->best && (search->leaf == RBL_NO_LEAF || order[leaf] < order[search->leaf])))
    {
        search->best = distance2;
        search->bound = rbl_box_bound(distance2);
        search->leaf = leaf;
    }
}

// The nearest box first, so that the others can be skipped.
static void try_leaves(void* of, uint32_t mask, const float distances2[4], uint32_t first)
{
    Search* search = of;
    uint64_t sorted[4];
    rbl_sort_lanes(mask, distances2, first + 1, sorted);
    for (uint32_t i = rbl_lane_count(mask); i-- > 0;)
    {
        if (rbl_entry_key(sorted[i]) > search->bound)
        {
            return;
        }
        try_leaf(search, (uint32_t)sorted[i] - 1);
    }
}

static void report(const Search* search, rblClosestPoint* out)
{
    const rblTriangled corners = corners_of(search->bvh, search->leaf);
    const rblTrianglePoint place = rbl_triangle_closest(&corners, search->point);
    *out = (rblClosestPoint){.point = rbl_to_float3(rbl_weighted_point(corners.corners, place.weights)),
                             .distance = (float)sqrt(search->best),
                             .u = (float)place.weights[1],
                             .v = (float)place.weights[2],
                             .triangle = search->bvh->order[search->leaf],
                             .leaf = search->leaf,
                             .feature = place.feature};
}

bool rbl_tree_closest(const rblBvh* bvh, rblVec3 point, float radius, uint32_t hint, rblClosestPoint* out)
{
    if (bvh->layout.leaves == 0 || !(radius >= 0.0f) || !rbl_finite3(point))
    {
        return false;
    }
    Search search = {.bvh = bvh,
                     .point = rbl_to_double3(point),
                     .x = rbl_splat4(point.x),
                     .y = rbl_splat4(point.y),
                     .z = rbl_splat4(point.z),
                     .best = rbl_round_to_24_bits((double)radius * (double)radius),
                     .leaf = RBL_NO_LEAF};
    search.bound = rbl_box_bound(search.best);
    if (hint < bvh->layout.leaves)
    {
        try_leaf(&search, hint);
    }
    if (bvh->layout.leaf_level == 0)
    {
        try_leaf(&search, 0);
    }
    else
    {
        rbl_descend_nearest(bvh, &search, &search.bound, box_distances2, try_leaves);
    }
    if (search.leaf == RBL_NO_LEAF)
    {
        return false;
    }
    report(&search, out);
    return true;
}
