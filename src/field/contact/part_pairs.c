#include "field/contact/part_pairs.h"

#include "field/part_tree.h"
#include "math/aabb.h"
#include "math/transform.h"

rblPartView rbl_part_view(const rblShapeView* view, uint32_t part)
{
    const rblShapeParts* parts = rbl_shape_parts(view->shape);
    if (parts == NULL)
    {
        return (rblPartView){view, rbl_transform_identity(), false};
    }
    const rblShapePart* found = &parts->parts[part];
    return (rblPartView){&found->shape->view, found->pose, true};
}

static float largest_coordinate(rblAabb box)
{
    const rblVec3 far = {rbl_maxf(fabsf(box.lower.x), fabsf(box.upper.x)),
                         rbl_maxf(fabsf(box.lower.y), fabsf(box.upper.y)),
                         rbl_maxf(fabsf(box.lower.z), fabsf(box.upper.z))};
    return rbl_maxf(far.x, rbl_maxf(far.y, far.z));
}

// The box of a shape on its path, with the margin and the rounding errors of poses.
static rblAabb swept_box(rblAabb start, rblVec3 travel, float margin)
{
    const rblAabb end = {rbl_add3(start.lower, travel), rbl_add3(start.upper, travel)};
    const rblAabb both = rbl_aabb_union(start, end);
    return rbl_aabb_grown(both, margin + 1e-6f * largest_coordinate(both));
}

// Visit the parts of `whole` near another shape that moves in the axes of `whole`.
static void visit_parts(const rblShapeView* whole, const rblShapeView* other, rblTransform pose,
                        rblVec3 travel, float margin, rblPartFcn* visit, void* context)
{
    const rblShapeParts* parts = rbl_shape_parts(whole->shape);
    if (parts == NULL)
    {
        visit(0, context);
        return;
    }
    if (other->bounded)
    {
        const rblAabb box = swept_box(rbl_shape_bounds_at(other, pose), travel, margin);
        rbl_part_tree_visit_box(parts->tree, box, visit, context);
        return;
    }
    if (other->shape->core.form == RBL_CORE_HALF_SPACE)
    {
        const rblVec3 normal = rbl_rotate3(pose.q, other->shape->core.normal);
        const float shift = rbl_maxf(rbl_dot3(normal, travel), 0.0f);
        const float height = rbl_dot3(normal, pose.p) + shift + margin;
        rbl_part_tree_visit_below(parts->tree, normal, height, visit, context);
        return;
    }
    for (uint32_t i = 0; i < parts->count && visit(i, context); ++i)
    {
    }
}

typedef struct Search
{
    const rblPartPairs* pairs;
    uint32_t part_b;
    bool ended;
} Search;

static bool visit_part_a(uint32_t part_a, void* context)
{
    Search* search = context;
    search->ended = !search->pairs->visit(part_a, search->part_b, search->pairs->context);
    return !search->ended;
}

static bool visit_part_b(uint32_t part_b, void* context)
{
    Search* search = context;
    const rblPartPairs* pairs = search->pairs;
    const rblPartView part = rbl_part_view(pairs->b, part_b);
    search->part_b = part_b;
    const rblTransform pose = part.has_pose ? rbl_transform_mul(pairs->b_in_a, part.pose) : pairs->b_in_a;
    visit_parts(pairs->a, part.view, pose, pairs->travel, pairs->margin, visit_part_a, search);
    return !search->ended;
}

void rbl_part_pairs_visit(const rblPartPairs* pairs)
{
    Search search = {.pairs = pairs};
    const rblTransform a_in_b = rbl_transform_inverse(pairs->b_in_a);
    const rblVec3 travel = rbl_neg3(rbl_inverse_rotate3(pairs->b_in_a.q, pairs->travel));
    visit_parts(pairs->b, pairs->a, a_in_b, travel, pairs->margin, visit_part_b, &search);
}
