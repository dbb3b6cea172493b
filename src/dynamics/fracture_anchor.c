// Which fragments of a static body stay where they are.
#include "dynamics/fracture.h"
#include "dynamics/stages.h"

#define NEAR   0.002f // of the body's radius: what is no farther off touches
#define BOTTOM 0.01f  // of the body's height

typedef struct Search
{
    rblWorld* world;
    uint32_t parent;
    rblShapeView shape;
    rblTransform pose;
    float margin;
    bool found;
    rblResult result;
} Search;

static bool touches(Search* search, const rblShapeView* shape, rblTransform pose)
{
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = search->margin;
    rblContactSet* set = &search->world->fracture.contacts;
    search->result = rbl_shape_collide(&search->shape, shape, rbl_transform_relative(search->pose, pose),
                                       &options, NULL, set);
    return search->result == RBL_OK && set->count > 0;
}

// Fragments of other bodies that broke in this step are there already, and hold like any static body.
static bool visit(uint32_t slot, void* context)
{
    Search* search = context;
    const rblBody* body = &search->world->bodies.data[slot];
    if (slot != search->parent && body->type == RBL_BODY_STATIC)
    {
        search->found =
            touches(search, &body->shape, rbl_shape_pose(body, &search->world->motions.data[slot]));
    }
    return !search->found && search->result == RBL_OK;
}

static rblResult touches_static(Search* search, bool* out)
{
    const rblAabb box = rbl_shape_bounds_at(&search->shape, search->pose);
    search->found = false;
    search->result = RBL_OK;
    rbl_broad_phase_query(search->world->broad, rbl_aabb_grown(box, search->margin), visit, search);
    *out = search->found;
    return search->result;
}

static rblResult reaches_box(Search* search, rblAabb box, bool* out)
{
    const rblVec3 size = rbl_sub3(box.upper, box.lower);
    const rblTransform pose = {rbl_scale3(rbl_add3(box.upper, box.lower), 0.5f), rbl_quat_identity()};
    rblShapeId id;
    rblShapeView view;
    RBL_TRY(rbl_shape_create_box(size, &id));
    rblResult result = rbl_shape_view(id, &view);
    search->margin = 0.0f;
    search->result = result;
    *out = result == RBL_OK && touches(search, &view, pose);
    result = search->result;
    (void)rbl_shape_destroy(id);
    return result;
}

static rblResult is_anchored(Search* search, const rblAnchor* anchor, float bottom, bool* out)
{
    *out = false;
    switch (anchor->kind)
    {
    case RBL_ANCHOR_TOUCH:
        return touches_static(search, out);
    case RBL_ANCHOR_BOTTOM:
        *out = rbl_shape_bounds_at(&search->shape, search->pose).lower.y <= bottom;
        return RBL_OK;
    case RBL_ANCHOR_BOX:
        return reaches_box(search, anchor->box, out);
    default:
        return RBL_OK;
    }
}

rblResult rbl_find_anchored(rblWorld* world, uint32_t slot, const rblFracture* fracture, bool* anchored)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblAabb box = rbl_shape_bounds_at(&body->shape, rbl_shape_pose(body, &world->motions.data[slot]));
    const float bottom = box.lower.y + BOTTOM * (box.upper.y - box.lower.y);
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        anchored[i] = false;
        if (body->type == RBL_BODY_STATIC)
        {
            Search search = {.world = world,
                             .parent = slot,
                             .pose = fracture->fragments[i].pose,
                             .margin = NEAR * body->shape.radius};
            RBL_TRY(rbl_shape_view(fracture->fragments[i].shape, &search.shape));
            RBL_TRY(is_anchored(&search, &body->anchor, bottom, &anchored[i]));
        }
    }
    return RBL_OK;
}
