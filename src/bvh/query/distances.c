#include "bvh/query/distances.h"

#include "bvh/node_stack.h"

typedef struct Search
{
    const rblBvh* bvh;
    const rblTriangleSides* sides;
    const rblVec3* points;
    uint32_t count;
    rblVector4 groups[RBL_MAX_POINT_GROUPS]; // of points; missing points repeat the last one
    rblFloat4 lower[3], upper[3];            // of their box
    double best[RBL_MAX_NEAR_POINTS];        // squared distances so far
    float roots[RBL_MAX_NEAR_POINTS];
    float
        bound; // a box with a larger squared distance from the box of the points contains nothing closer to any point
    uint32_t* leaves;                     // leaves of the closest triangles
    uint32_t hinted[RBL_MAX_NEAR_POINTS]; // leaves that were tested first
    uint32_t hint_count;
} Search;

// The points to which a triangle can be closer than all triangles before.
static uint32_t near_points(const Search* search, const rblTriangleSides* sides)
{
    const rblFloat4 wider = rbl_splat4(1.0f + RBL_SIDES_ROUNDING);
    const rblFloat4 more = rbl_splat4(RBL_SIDES_ROUNDING * sides->size);
    rblFloat4 bounds[RBL_MAX_POINT_GROUPS];
    rbl_sides_bounds(sides, search->groups, RBL_MAX_POINT_GROUPS, bounds);
    uint32_t beyond = 0;
    for (uint32_t group = 0; group < RBL_MAX_POINT_GROUPS; ++group)
    {
        const rblFloat4 limit = rbl_add4(rbl_mul4(rbl_load4(&search->roots[4 * group]), wider), more);
        beyond |= rbl_mask4(rbl_less4(rbl_mul4(limit, limit), bounds[group])) << 4 * group;
    }
    return ~beyond & ((1u << search->count) - 1);
}

// Two points at once; at least one of them needs the result.
static void measure_pair(Search* search, uint32_t leaf, uint32_t first)
{
    const uint32_t second = first + 1 < search->count ? first + 1 : first;
    double found[2];
    rbl_triangle_distances2(&search->sides[leaf], search->points[first], search->points[second],
                            &search->best[first], found);
    for (uint32_t i = 0; i < 2; ++i)
    {
        if (found[i] < search->best[first + i])
        {
            search->best[first + i] = found[i];
            search->roots[first + i] = sqrtf((float)found[i]);
            search->leaves[first + i] = leaf;
        }
    }
}

static void find_bound(Search* search)
{
    double most = 0.0;
    for (uint32_t i = 0; i < search->count; ++i)
    {
        most = rbl_maxd(search->best[i], most);
    }
    search->bound = rbl_box_bound(most);
}

static void try_leaf(Search* search, uint32_t leaf)
{
    const uint32_t near = near_points(search, &search->sides[leaf]);
    for (uint32_t first = 0; near >> first != 0; first += 2)
    {
        if ((near >> first & 3) != 0)
        {
            measure_pair(search, leaf, first);
        }
    }
    if (near != 0)
    {
        find_bound(search);
    }
}

// ---- the tree ----

static inline rblFloat4 gap_along(rblFloat4 lower, rblFloat4 upper, const Search* search, uint32_t axis)
{
    return rbl_max4(rbl_max4(rbl_sub4(lower, search->upper[axis]), rbl_sub4(search->lower[axis], upper)),
                    rbl_splat4(0.0f));
}

static inline rblFloat4 box_distances2(const void* of, const rblBoxGroup* g)
{
    const Search* search = of;
    const rblFloat4 x = gap_along(g->lower_x, g->upper_x, search, 0);
    const rblFloat4 y = gap_along(g->lower_y, g->upper_y, search, 1);
    const rblFloat4 z = gap_along(g->lower_z, g->upper_z, search, 2);
    return rbl_add4(rbl_add4(rbl_mul4(x, x), rbl_mul4(y, y)), rbl_mul4(z, z));
}

static bool is_hint(const Search* search, uint32_t leaf)
{
    uint32_t i = 0;
    while (i < search->hint_count && search->hinted[i] != leaf)
    {
        i += 1;
    }
    return i < search->hint_count;
}

static void try_leaves(void* of, uint32_t mask, const float distances2[4], uint32_t first)
{
    Search* search = of;
    for (; mask != 0; mask &= mask - 1)
    {
        const uint32_t lane = rbl_lowest_bit(mask);
        if (distances2[lane] <= search->bound && !is_hint(search, first + lane))
        {
            try_leaf(search, first + lane);
        }
    }
}

static void place_points(Search* search)
{
    rblVec3 lower = search->points[0], upper = lower;
    float x[RBL_MAX_NEAR_POINTS], y[RBL_MAX_NEAR_POINTS], z[RBL_MAX_NEAR_POINTS];
    for (uint32_t i = 0; i < RBL_MAX_NEAR_POINTS; ++i)
    {
        const rblVec3 p = search->points[i < search->count ? i : search->count - 1];
        x[i] = p.x;
        y[i] = p.y;
        z[i] = p.z;
        lower = rbl_min3(lower, p);
        upper = rbl_max3(upper, p);
        search->best[i] = (double)INFINITY;
        search->roots[i] = INFINITY;
    }
    for (uint32_t group = 0; group < RBL_MAX_POINT_GROUPS; ++group)
    {
        search->groups[group] =
            (rblVector4){rbl_load4(&x[4 * group]), rbl_load4(&y[4 * group]), rbl_load4(&z[4 * group])};
    }
    const float ends[6] = {lower.x, lower.y, lower.z, upper.x, upper.y, upper.z};
    for (uint32_t axis = 0; axis < 3; ++axis)
    {
        search->lower[axis] = rbl_splat4(ends[axis]);
        search->upper[axis] = rbl_splat4(ends[3 + axis]);
    }
}

// The triangles that were closest to the previous points are usually close to these too.
static void try_hints(Search* search, const uint32_t hints[RBL_MAX_NEAR_POINTS])
{
    for (uint32_t i = 0; i < RBL_MAX_NEAR_POINTS; ++i)
    {
        if (hints[i] < search->bvh->layout.leaves && !is_hint(search, hints[i]))
        {
            search->hinted[search->hint_count++] = hints[i];
            try_leaf(search, hints[i]);
        }
    }
}

void rbl_tree_distances(const rblBvh* bvh, const rblTriangleSides* sides, const rblVec3* points,
                        uint32_t count, uint32_t hints[RBL_MAX_NEAR_POINTS], float* distances)
{
    Search search = {.bvh = bvh, .sides = sides, .points = points, .count = count, .bound = INFINITY};
    uint32_t before[RBL_MAX_NEAR_POINTS];
    memcpy(before, hints, sizeof before);
    search.leaves = hints;
    place_points(&search);
    try_hints(&search, before);
    if (bvh->layout.leaves > 0 && bvh->layout.leaf_level == 0)
    {
        try_leaf(&search, 0);
    }
    else if (bvh->layout.leaves > 0)
    {
        rbl_descend_nearest(bvh, &search, &search.bound, box_distances2, try_leaves);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        distances[i] = (float)sqrt(search.best[i]);
    }
}
