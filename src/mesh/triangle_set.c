#include "mesh/triangle_set.h"

#include "base/error.h"
#include "bvh/group.h"
#include "math/aabb.h"
#include "math/float_bits.h"
#include "math/triangle_intersection.h"
#include "mesh/triangle_fans.h"

// ---- building ----

static bool is_usable(const rblVec3d p[3])
{
    return rbl_finite3d(p[0]) && rbl_finite3d(p[1]) && rbl_finite3d(p[2]) &&
           !rbl_collinear3d(p[0], p[1], p[2]);
}

static bool choose_items(rblTriangleSet* set)
{
    const uint32_t count = rbl_triangle_count(set);
    if (!rbl_array_resize(&set->usable, count))
    {
        return false;
    }
    for (uint32_t t = 0; t < count; ++t)
    {
        rblVec3d p[3];
        rbl_triangle_points(set, t, p);
        set->usable.data[t] = is_usable(p);
        if (set->usable.data[t] && !rbl_array_push(&set->items, t))
        {
            return false;
        }
    }
    return true;
}

// The power of two that scales the largest coordinate to between 1/2 and 1. Scaling is exact unless numbers
// underflow, and then it still keeps the order of coordinates.
static double choose_scale(const rblMeshView* view)
{
    double largest = 0;
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        if (rbl_finite3d(p))
        {
            largest = rbl_maxd(rbl_maxd(fabs(p.x), fabs(p.y)), rbl_maxd(fabs(p.z), largest));
        }
    }
    int exponent = 0;
    if (largest > 0)
    {
        rbl_split_exponent(largest, &exponent);
    }
    return rbl_power_of_two(exponent < -1000 ? 1000 : -exponent - 1);
}

// The triangles for the construction of the tree.
typedef struct Source
{
    RBL_ARRAY(rblVec3d) positions;
    rblIndexArray indices;
} Source;

static rblResult build_tree(rblTriangleSet* set, Source* source)
{
    const rblMeshView* view = set->view;
    const uint32_t count = (uint32_t)set->items.count;
    if (!rbl_array_resize(&source->positions, view->vertex_count) ||
        !rbl_array_resize(&source->indices, 3 * (size_t)count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = view->positions[v];
        source->positions.data[v] = rbl_finite3d(p) ? rbl_scale3d(p, set->scale) : (rblVec3d){0, 0, 0};
    }
    for (size_t i = 0; i < source->indices.count; ++i)
    {
        source->indices.data[i] = rbl_triangle_vertex(set, set->items.data[i / 3], (uint32_t)(i % 3));
    }
    const rblTriangleSpan span = {.positions = source->positions.data,
                                  .stride = sizeof(rblVec3d),
                                  .is_double = true,
                                  .vertex_count = view->vertex_count,
                                  .indices = source->indices.data,
                                  .triangle_count = count};
    return rbl_forest_build(&set->forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs());
}

static rblResult fill(rblTriangleSet* set)
{
    const rblAllocator* allocator = set->corners.allocator;
    RBL_TRY(rbl_triangulate_corners(set->view, &set->corners, &set->faces));
    if (!choose_items(set))
    {
        return rbl_fail_memory();
    }
    set->scale = choose_scale(set->view);
    Source source;
    rbl_array_init(&source.positions, allocator);
    rbl_array_init(&source.indices, allocator);
    const rblResult result = build_tree(set, &source);
    rbl_array_free(&source.positions);
    rbl_array_free(&source.indices);
    RBL_TRY(result);
    return rbl_triangle_fans_init(set, allocator) ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_triangle_set_init(rblTriangleSet* set, const rblMeshView* view, const rblAllocator* allocator)
{
    *set = (rblTriangleSet){.view = view};
    rbl_array_init(&set->corners, allocator);
    rbl_array_init(&set->faces, allocator);
    rbl_array_init(&set->items, allocator);
    rbl_array_init(&set->usable, allocator);
    rbl_forest_init(&set->forest, allocator);
    const rblResult result = fill(set);
    if (result != RBL_OK)
    {
        rbl_triangle_set_free(set);
    }
    return result;
}

void rbl_triangle_set_free(rblTriangleSet* set)
{
    RBL_FREE_ARRAY(set->corners.allocator, set->fans, set->fan_count);
    set->fans = NULL;
    rbl_forest_free(&set->forest);
    rbl_array_free(&set->usable);
    rbl_array_free(&set->items);
    rbl_array_free(&set->corners);
    rbl_array_free(&set->faces);
}

// ---- queries ----

rblAabb rbl_scaled_box(const rblTriangleSet* set, rblVec3d lower, rblVec3d upper)
{
    return rbl_aabb_around((rblAabbd){rbl_scale3d(lower, set->scale), rbl_scale3d(upper, set->scale)});
}

// Visit every triangle in a box, except those that the fans exclude when there is a fan query.
static void find(const rblTriangleSet* set, const rblAabb* box, const rblFanQuery* fans, rblTriangleFcn* fcn,
                 void* context)
{
    const rblBvh tree = rbl_forest_tree(&set->forest, 0);
    rblNodePosition stack[64]; // three siblings for each of 16 levels
    uint32_t size = 0;
    if (tree.layout.leaves == 0 || !rbl_aabb_overlaps(tree.nodes[0], *box))
    {
        return;
    }
    if (tree.layout.leaf_level == 0)
    {
        fcn(set->items.data[tree.order[0]], context);
        return;
    }
    stack[size++] = (rblNodePosition){0, 0};
    while (size > 0)
    {
        const rblNodePosition at = stack[--size];
        const uint32_t step = rbl_group_step(&tree, at.level);
        const uint32_t level = at.level + step;
        const uint32_t position = at.position << step;
        const uint32_t first = tree.level_starts[level] + position;
        const rblBoxGroup group = rbl_group_load(tree.nodes + first);
        uint32_t mask = rbl_group_overlaps(&group, box) & rbl_group_lanes(&tree, level, position, 1u << step);
        for (; mask != 0; mask &= mask - 1)
        {
            const uint32_t lane = rbl_floor_log2(mask & (0u - mask));
            if (fans != NULL && !rbl_fan_may_meet(fans, &set->fans[first + lane], &tree.nodes[first + lane]))
            {
                continue;
            }
            if (level < tree.layout.leaf_level)
            {
                stack[size++] = (rblNodePosition){level, position + lane};
            }
            else if (!fcn(set->items.data[tree.order[position + lane]], context))
            {
                return;
            }
        }
    }
}

void rbl_triangles_in_box(const rblTriangleSet* set, const rblAabbd* box, rblTriangleFcn* fcn, void* context)
{
    const rblAabb scaled = rbl_scaled_box(set, box->lower, box->upper);
    find(set, &scaled, NULL, fcn, context);
}

void rbl_triangles_near(const rblTriangleSet* set, uint32_t triangle, rblTriangleFcn* fcn, void* context)
{
    if (!set->usable.data[triangle])
    {
        return;
    }
    if (set->fans != NULL)
    {
        const rblFanQuery query = rbl_fan_query(set, triangle);
        find(set, &query.box, &query, fcn, context);
        return;
    }
    rblVec3d p[3];
    rbl_triangle_points(set, triangle, p);
    const rblAabb box =
        rbl_scaled_box(set, rbl_min3d(p[0], rbl_min3d(p[1], p[2])), rbl_max3d(p[0], rbl_max3d(p[1], p[2])));
    find(set, &box, NULL, fcn, context);
}
