#include "field/part_tree.h"

#include "base/error.h"
#include "bvh/group.h"
#include "bvh/node_stack.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <float.h>

// ---- building ----

rblResult rbl_part_tree_build(rblPartTree* tree, const rblShapePart* parts, uint32_t count,
                              const rblAllocator* allocator)
{
    const size_t corner_count = 3 * (size_t)count;
    rblVec3* corners = RBL_NEW_ARRAY(allocator, rblVec3, corner_count);
    rbl_forest_init(&tree->forest, allocator);
    if (corners == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblAabb box = parts[i].box;
        corners[3 * (size_t)i] = box.lower;
        corners[3 * (size_t)i + 1] = box.upper;
        corners[3 * (size_t)i + 2] = rbl_aabb_center(box); // so that the centroid is the centre
    }
    const rblTriangleSpan span = {
        .positions = corners, .stride = sizeof *corners, .vertex_count = 3 * count, .triangle_count = count};
    const rblResult result = rbl_forest_build(&tree->forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs());
    RBL_FREE_ARRAY(allocator, corners, corner_count);
    if (result == RBL_OK)
    {
        rbl_forest_free_scratch(&tree->forest);
        tree->bvh = rbl_forest_tree(&tree->forest, 0);
    }
    return result;
}

void rbl_part_tree_free(rblPartTree* tree)
{
    rbl_forest_free(&tree->forest);
}

// The largest absolute coordinates.
static rblVec3 farthest_coordinates(const rblPartTree* tree)
{
    const rblAabb all = tree->bvh.nodes[0];
    return (rblVec3){rbl_maxf(fabsf(all.lower.x), fabsf(all.upper.x)),
                     rbl_maxf(fabsf(all.lower.y), fabsf(all.upper.y)),
                     rbl_maxf(fabsf(all.lower.z), fabsf(all.upper.z))};
}

// ---- regions ----

typedef uint32_t GroupTest(const rblBoxGroup* group, const void* region);

// Depth first, the lowest position on top of the stack.
RBL_ALWAYS_INLINE bool visit_region(const rblBvh* bvh, const void* region, GroupTest* meets,
                                    rblPartFcn* visit, void* context)
{
    const uint32_t leaf_level = bvh->layout.leaf_level;
    rblNodePosition stack[RBL_NODE_STACK_SIZE];
    uint32_t size = 1;
    stack[0] = (rblNodePosition){0, 0};
    while (size > 0)
    {
        const rblNodePosition node = stack[--size];
        const uint32_t step = leaf_level == 0 ? 0 : rbl_group_step(bvh, node.level);
        const uint32_t level = node.level + step;
        const uint32_t position = node.position << step;
        const rblBoxGroup group = rbl_group_load(&bvh->nodes[bvh->level_starts[level] + position]);
        const uint32_t mask = meets(&group, region) & rbl_group_lanes(bvh, level, position, 1u << step);
        for (uint32_t lane = 4; lane-- > 0;)
        {
            const bool met = (mask >> lane & 1u) != 0;
            if (met && level == leaf_level && !visit(bvh->order[position + lane], context))
            {
                return true;
            }
            if (met && level < leaf_level)
            {
                stack[size++] = (rblNodePosition){level, position + lane};
            }
        }
    }
    return false;
}

static inline uint32_t meets_box(const rblBoxGroup* group, const void* region)
{
    return rbl_group_overlaps(group, region);
}

bool rbl_part_tree_visit_box(const rblPartTree* tree, rblAabb box, rblPartFcn* visit, void* context)
{
    return visit_region(&tree->bvh, &box, meets_box, visit, context);
}

typedef struct HalfSpace
{
    rblFloat4 normal[3];
    bool positive[3];
    rblFloat4 height;
} HalfSpace;

static inline rblFloat4 lowest_along(const HalfSpace* space, int axis, rblFloat4 lower, rblFloat4 upper)
{
    return rbl_mul4(space->normal[axis], space->positive[axis] ? lower : upper);
}

static inline uint32_t meets_half_space(const rblBoxGroup* group, const void* region)
{
    const HalfSpace* space = region;
    const rblFloat4 x = lowest_along(space, 0, group->lower_x, group->upper_x);
    const rblFloat4 y = lowest_along(space, 1, group->lower_y, group->upper_y);
    const rblFloat4 z = lowest_along(space, 2, group->lower_z, group->upper_z);
    return rbl_mask4(rbl_less_equal4(rbl_add4(rbl_add4(x, y), z), space->height));
}

bool rbl_part_tree_visit_below(const rblPartTree* tree, rblVec3 normal, float height, rblPartFcn* visit,
                               void* context)
{
    // The sum of three products has an error of a few ulps of the largest coordinate.
    const rblVec3 reach = farthest_coordinates(tree);
    const float rounding = 1e-6f * (reach.x + reach.y + reach.z + fabsf(height));
    const HalfSpace space = {
        .normal = {rbl_splat4(normal.x), rbl_splat4(normal.y), rbl_splat4(normal.z)},
        .positive = {normal.x > 0.0f, normal.y > 0.0f, normal.z > 0.0f},
        .height = rbl_splat4(height + rounding),
    };
    return visit_region(&tree->bvh, &space, meets_half_space, visit, context);
}

// ---- nearest first ----

// A search with a key per box: its squared distance, or the t at which a ray enters it.
typedef struct NearSearch
{
    const rblBvh* bvh;
    const float* limit; // of the caller
    float (*bound_of)(float limit, float t_min);
    float bound;                              // of keys
    rblFloat4 point[3];                       // of searches by distance
    rblFloat4 above[3], below[3], inverse[3]; // of rays
    rblFloat4 start, end;                     // of rays
    float t_min;                              // of rays
    rblNearPartFcn* visit;
    void* context;
} NearSearch;

static inline rblFloat4 gap4(rblFloat4 lower, rblFloat4 upper, rblFloat4 x)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    return rbl_max4(rbl_max4(rbl_sub4(lower, x), rbl_sub4(x, upper)), zero);
}

static inline rblFloat4 distances2(const void* context, const rblBoxGroup* group)
{
    const NearSearch* search = context;
    const rblFloat4 x = gap4(group->lower_x, group->upper_x, search->point[0]);
    const rblFloat4 y = gap4(group->lower_y, group->upper_y, search->point[1]);
    const rblFloat4 z = gap4(group->lower_z, group->upper_z, search->point[2]);
    return rbl_add4(rbl_add4(rbl_mul4(x, x), rbl_mul4(y, y)), rbl_mul4(z, z));
}

static void visit_leaves(void* context, uint32_t mask, const float keys[4], uint32_t first)
{
    NearSearch* search = context;
    while (mask != 0)
    {
        uint32_t nearest = rbl_lowest_bit(mask);
        for (uint32_t rest = mask & (mask - 1); rest != 0; rest &= rest - 1)
        {
            const uint32_t lane = rbl_lowest_bit(rest);
            nearest = keys[lane] < keys[nearest] ? lane : nearest;
        }
        mask &= ~(1u << nearest);
        if (keys[nearest] <= search->bound)
        {
            search->visit(search->bvh->order[first + nearest], search->context);
            search->bound = search->bound_of(*search->limit, search->t_min);
        }
    }
}

static float squared_bound(float distance, float unused)
{
    (void)unused;
    const double positive = rbl_maxd((double)distance, 0.0);
    return rbl_box_bound(positive * positive);
}

void rbl_part_tree_visit_near(const rblPartTree* tree, rblVec3 point, const float* bound,
                              rblNearPartFcn* visit, void* context)
{
    NearSearch search = {.bvh = &tree->bvh,
                         .limit = bound,
                         .bound_of = squared_bound,
                         .bound = squared_bound(*bound, 0.0f),
                         .point = {rbl_splat4(point.x), rbl_splat4(point.y), rbl_splat4(point.z)},
                         .visit = visit,
                         .context = context};
    if (tree->bvh.layout.leaf_level == 0)
    {
        visit(0, context);
        return;
    }
    rbl_descend_nearest(&tree->bvh, &search, &search.bound, distances2, visit_leaves);
}

// ---- rays ----

// Keys must not be negative: they are the t after the start of the ray. Boxes that the ray misses have an infinite key.
// Boxes are enlarged by the rounding error of the slab test. An inverse is clamped, so that products with 0 are not NaN.
static void prepare_axis(NearSearch* search, float origin, float direction, float reach, uint32_t axis)
{
    const float margin = 1e-6f * (reach + fabsf(origin)) + 1e-44f;
    const float inverse = direction == 0.0f ? FLT_MAX : 1.0f / direction;
    search->above[axis] = rbl_splat4(origin + margin);
    search->below[axis] = rbl_splat4(origin - margin);
    search->inverse[axis] = rbl_splat4(rbl_clampf(inverse, -3e38f, 3e38f));
}

static inline void clip_slab(const NearSearch* search, int axis, rblFloat4 lower, rblFloat4 upper,
                             rblFloat4* enter, rblFloat4* leave)
{
    const rblFloat4 a = rbl_mul4(rbl_sub4(lower, search->above[axis]), search->inverse[axis]);
    const rblFloat4 b = rbl_mul4(rbl_sub4(upper, search->below[axis]), search->inverse[axis]);
    *enter = rbl_max4(*enter, rbl_min4(a, b));
    *leave = rbl_min4(*leave, rbl_max4(a, b));
}

static inline rblFloat4 entries(const void* context, const rblBoxGroup* group)
{
    const NearSearch* search = context;
    rblFloat4 enter = search->start;
    rblFloat4 leave = search->end;
    clip_slab(search, 0, group->lower_x, group->upper_x, &enter, &leave);
    clip_slab(search, 1, group->lower_y, group->upper_y, &enter, &leave);
    clip_slab(search, 2, group->lower_z, group->upper_z, &enter, &leave);
    const rblFloat4 hit = rbl_less_equal4(enter, leave);
    const rblFloat4 after = rbl_sub4(enter, search->start);
    return rbl_select4(hit, after, rbl_splat4(INFINITY));
}

// Below infinity, which is the key of boxes that are missed.
static float ray_bound(float t_max, float t_min)
{
    return rbl_minf(t_max - t_min, FLT_MAX);
}

void rbl_part_tree_visit_ray(const rblPartTree* tree, const rblRay* ray, const float* t_max,
                             rblNearPartFcn* visit, void* context)
{
    NearSearch search = {.bvh = &tree->bvh,
                         .limit = t_max,
                         .bound_of = ray_bound,
                         .bound = ray_bound(*t_max, ray->t_min),
                         .start = rbl_splat4(ray->t_min),
                         .end = rbl_splat4(ray->t_max),
                         .t_min = ray->t_min,
                         .visit = visit,
                         .context = context};
    const rblVec3 reach = farthest_coordinates(tree);
    prepare_axis(&search, ray->origin.x, ray->direction.x, reach.x, 0);
    prepare_axis(&search, ray->origin.y, ray->direction.y, reach.y, 1);
    prepare_axis(&search, ray->origin.z, ray->direction.z, reach.z, 2);
    if (tree->bvh.layout.leaf_level == 0)
    {
        visit(0, context);
        return;
    }
    rbl_descend_nearest(&tree->bvh, &search, &search.bound, entries, visit_leaves);
}
