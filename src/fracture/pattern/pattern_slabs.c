// Slabs across an axis, of equal volume, with slightly tilted facets.
#include "base/sort.h"
#include "fracture/pattern/pattern_private.h"

// ---- tuning ----
#define MAX_TILT 0.3 // largest tangent of the angle of a facet

typedef struct Stack
{
    rblDraft* draft;
    rblVec3d axis, side, across; // unit, right-handed
    rblVec3d middle;             // mean of the points
    double width;                // of the body across the axis, m
    double* heights;             // of the points along the axis, m, sorted; sort_heights()
    double* sums; // with a falloff, per point: fraction of the slabs below its height, 0 to 1; sum_shares()
} Stack;

static bool before_in_height(uint32_t a, uint32_t b, const void* context)
{
    const double* heights = context;
    return heights[a] < heights[b];
}

static rblVec3d any_perpendicular(rblVec3d a)
{
    const rblVec3d other = fabs(a.x) < 0.6 ? rbl_vec3d(1, 0, 0) : rbl_vec3d(0, 1, 0);
    const rblVec3d side = rbl_cross3d(a, other);
    return rbl_scale3d(side, 1.0 / rbl_length3d(side));
}

static void measure(Stack* stack)
{
    const rblDraft* draft = stack->draft;
    stack->side = any_perpendicular(stack->axis);
    stack->across = rbl_cross3d(stack->axis, stack->side);
    for (size_t p = 0; p < draft->points.count; ++p)
    {
        stack->middle =
            rbl_mul_add3d(stack->middle, 1.0 / (double)draft->points.count, draft->points.data[p]);
    }
    for (size_t p = 0; p < draft->points.count; ++p)
    {
        const rblVec3d off = rbl_sub3d(draft->points.data[p], stack->middle);
        stack->heights[p] = rbl_dot3d(off, stack->axis);
        stack->width =
            rbl_maxd(stack->width, 2.0 * rbl_length3d(rbl_mul_add3d(off, -stack->heights[p], stack->axis)));
    }
}

static rblResult sort_heights(const Stack* stack)
{
    const rblAllocator* allocator = stack->draft->allocator;
    const uint32_t count = (uint32_t)stack->draft->points.count;
    uint32_t* order = RBL_NEW_ARRAY(allocator, uint32_t, 2 * (size_t)count);
    double* sorted = RBL_NEW_ARRAY(allocator, double, count);
    const bool enough = order != NULL && sorted != NULL;
    for (uint32_t p = 0; enough && p < count; ++p)
    {
        order[p] = p;
    }
    if (enough)
    {
        rbl_sort_indices(order, order + count, count, before_in_height, stack->heights);
    }
    for (uint32_t p = 0; enough && p < count; ++p)
    {
        sorted[p] = stack->heights[order[p]];
    }
    for (uint32_t p = 0; enough && p < count; ++p)
    {
        stack->heights[p] = sorted[p];
    }
    RBL_FREE_ARRAY(allocator, order, 2 * (size_t)count);
    RBL_FREE_ARRAY(allocator, sorted, count);
    return enough ? RBL_OK : rbl_fail_memory();
}

// At a distance d from the impact along the axis, slabs are 1 + d / falloff times as thick as at the impact.
static void sum_shares(const Stack* stack)
{
    const uint32_t count = (uint32_t)stack->draft->points.count;
    const double falloff = stack->draft->def->falloff;
    const double impact = -rbl_dot3d(stack->middle, stack->axis);
    double sum = 0.0;
    for (uint32_t p = 0; p < count; ++p)
    {
        sum += falloff / (falloff + fabs(stack->heights[p] - impact));
        stack->sums[p] = sum;
    }
    for (uint32_t p = 0; p < count; ++p)
    {
        stack->sums[p] = (stack->sums[p] - stack->sums[0]) / rbl_maxd(sum - stack->sums[0], 1e-300);
    }
}

// The height is between two points, so that no two facets coincide.
static double height_of_sum(const Stack* stack, double share)
{
    uint32_t low = 0, high = (uint32_t)stack->draft->points.count - 1;
    while (high - low > 1)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (stack->sums[middle] > share)
        {
            high = middle;
        }
        else
        {
            low = middle;
        }
    }
    const double span = stack->sums[high] - stack->sums[low];
    const double weight = span > 0.0 ? rbl_clampd((share - stack->sums[low]) / span, 0.0, 1.0) : 0.0;
    return stack->heights[low] + weight * (stack->heights[high] - stack->heights[low]);
}

static double height_of_share(const Stack* stack, double share)
{
    const double last = (double)stack->draft->points.count - 1.0;
    return stack->sums != NULL && last > 0.0 ? height_of_sum(stack, share)
                                             : stack->heights[(size_t)rbl_clampd(share * last, 0.0, last)];
}

static double min_thickness(const Stack* stack, uint32_t pieces)
{
    double thickness = (height_of_share(stack, 1.0) - height_of_share(stack, 0.0)) / pieces;
    for (uint32_t s = 0; s < pieces && stack->sums != NULL; ++s)
    {
        const double low = height_of_share(stack, (double)s / pieces);
        thickness = rbl_mind(height_of_share(stack, (s + 1.0) / pieces) - low, thickness);
    }
    return thickness;
}

// The linear function of a slab is that of the slab before, minus the height above the facet between the two.
static rblResult add_slabs(const Stack* stack)
{
    rblDraft* draft = stack->draft;
    const uint32_t pieces = draft->def->pieces;
    const double thickness = min_thickness(stack, pieces);
    const double lean = rbl_mind(MAX_TILT, 0.5 * thickness / rbl_maxd(stack->width, thickness));
    rblVec3d gradient = {0, 0, 0};
    double offset = 0.0;
    for (uint32_t s = 0; s < pieces; ++s)
    {
        RBL_TRY(rbl_draft_add(draft, gradient, offset, s));
        const double height = height_of_share(stack, (s + 1.0 + 0.3 * rbl_draft_jitter(draft)) / pieces);
        rblVec3d normal = rbl_mul_add3d(stack->axis, lean * rbl_draft_jitter(draft), stack->side);
        normal = rbl_mul_add3d(normal, lean * rbl_draft_jitter(draft), stack->across);
        const rblVec3d on = rbl_mul_add3d(stack->middle, height, stack->axis);
        gradient = rbl_sub3d(gradient, normal);
        offset += rbl_dot3d(normal, on);
    }
    return RBL_OK;
}

rblResult rbl_make_slabs(rblDraft* draft)
{
    Stack stack = {.draft = draft, .axis = rbl_draft_axis(draft, true)};
    stack.heights = RBL_NEW_ARRAY(draft->allocator, double, draft->points.count);
    if (stack.heights == NULL)
    {
        return rbl_fail_memory();
    }
    measure(&stack);
    rblResult result = sort_heights(&stack);
    if (result == RBL_OK && draft->def->falloff > 0.0)
    {
        stack.sums = RBL_NEW_ARRAY(draft->allocator, double, draft->points.count);
        result = stack.sums != NULL ? RBL_OK : rbl_fail_memory();
    }
    if (stack.sums != NULL)
    {
        sum_shares(&stack);
    }
    result = result == RBL_OK ? add_slabs(&stack) : result;
    RBL_FREE_ARRAY(draft->allocator, stack.heights, draft->points.count);
    RBL_FREE_ARRAY(draft->allocator, stack.sums, draft->points.count);
    return result;
}
