// Slices across an axis: slab after slab of equal volume, with facets that lean a little.
#include "base/sort.h"
#include "fracture/pattern_private.h"

#define LEAN 0.3 // largest tangent of a facet's tilt

typedef struct Stack
{
    rblDraft* draft;
    rblVec3d axis, side, across; // unit, right-handed
    rblVec3d middle;             // mean of the points
    double width;                // of the body across the axis
    double* heights;             // of the points along the axis, rising
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

static double height_of_share(const Stack* stack, double share)
{
    const double last = (double)stack->draft->points.count - 1.0;
    return stack->heights[(size_t)rbl_clampd(share * last, 0.0, last)];
}

// Each slab's function is that of the slab before less the height above the facet between them.
static rblResult add_slabs(const Stack* stack)
{
    rblDraft* draft = stack->draft;
    const uint32_t pieces = draft->def->pieces;
    const double thickness = (height_of_share(stack, 1.0) - height_of_share(stack, 0.0)) / pieces;
    const double lean = rbl_mind(LEAN, 0.5 * thickness / rbl_maxd(stack->width, thickness));
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
    result = result == RBL_OK ? add_slabs(&stack) : result;
    RBL_FREE_ARRAY(draft->allocator, stack.heights, draft->points.count);
    return result;
}
