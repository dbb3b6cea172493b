// Finds the fragments of a static body that stay static.
#include "dynamics/breaking/fracture.h"
#include "dynamics/stages.h"
#include <string.h>

// ---- tuning ----

#define TOUCH_DISTANCE 0.002f // of the radius of the body: a fragment touches within this distance
#define BOTTOM_HEIGHT                                                                                        \
    0.01f // of the height of the body: a fragment with a point below this height is at the bottom

typedef struct Search
{
    rblStep* step;
    uint32_t parent;
    rblShapeView shape;
    rblTransform pose;
    float margin;
    float bottom;
    rblShapeView box; // the part of the anchor box that the body can touch
    rblTransform box_pose;
    bool in_reach;
    bool found;
    rblResult result;
} Search;

static bool touches(Search* search, const rblShapeView* shape, rblTransform pose)
{
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = search->margin;
    rblContactSet* set = &search->step->fracture->contacts;
    search->result = rbl_shape_collide(&search->shape, shape, rbl_transform_relative(search->pose, pose),
                                       &options, NULL, set);
    return search->result == RBL_OK && set->count > 0;
}

// Static fragments of other bodies that broke in this step exist already, and count like any static body.
static bool visit_static(uint32_t slot, void* context)
{
    Search* search = context;
    const rblBody* body = &search->step->world->bodies.data[slot];
    if (slot != search->parent && body->type == RBL_BODY_STATIC)
    {
        search->found =
            touches(search, &body->shape, rbl_shape_pose(body, &search->step->world->motions.data[slot]));
    }
    return !search->found && search->result == RBL_OK;
}

static rblResult touches_static(Search* search, bool* out)
{
    const rblAabb box = rbl_shape_bounds_at(&search->shape, search->pose);
    search->found = false;
    search->result = RBL_OK;
    rbl_broad_phase_query(search->step->world->broad, rbl_aabb_grown(box, search->margin), visit_static,
                          search);
    *out = search->found;
    return search->result;
}

static rblResult is_anchored(Search* search, rblAnchorKind kind, bool* out)
{
    search->result = RBL_OK;
    *out = false;
    switch (kind)
    {
    case RBL_ANCHOR_TOUCH:
        return touches_static(search, out);
    case RBL_ANCHOR_BOTTOM:
        *out = rbl_shape_bounds_at(&search->shape, search->pose).lower.y <= search->bottom;
        return RBL_OK;
    case RBL_ANCHOR_BOX:
        *out = search->in_reach && touches(search, &search->box, search->box_pose);
        return search->result;
    default:
        return RBL_OK;
    }
}

static rblResult test_fragments(Search* search, const rblFracture* fracture, rblAnchorKind kind,
                                bool* anchored)
{
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        search->pose = fracture->fragments[i].pose;
        RBL_TRY(rbl_shape_view(fracture->fragments[i].shape, &search->shape));
        RBL_TRY(is_anchored(search, kind, &anchored[i]));
    }
    return RBL_OK;
}

// For a box much larger than the body, contacts would be inexact. So only the part of the box near the body is used. It has a
// minimum thickness.
static rblResult test_with_box(Search* search, rblAabb box, rblAabb reach, const rblFracture* fracture,
                               bool* anchored)
{
    const rblAabb near_part = rbl_aabb_intersection(box, rbl_aabb_grown(reach, search->margin));
    const float min_thickness = 1e-3f * search->margin;
    rblShapeId id = {0, 0};
    search->in_reach = !rbl_aabb_is_empty(near_part);
    if (search->in_reach)
    {
        const rblVec3 size =
            rbl_max3(rbl_aabb_size(near_part), rbl_vec3(min_thickness, min_thickness, min_thickness));
        search->box_pose = (rblTransform){rbl_aabb_center(near_part), rbl_quat_identity()};
        RBL_TRY(rbl_shape_create_box(size, &id));
        (void)rbl_shape_view(id, &search->box);
    }
    search->margin = 0.0f;
    const rblResult result = test_fragments(search, fracture, RBL_ANCHOR_BOX, anchored);
    if (search->in_reach)
    {
        (void)rbl_shape_destroy(id);
    }
    return result;
}

rblResult rbl_fragments_find_anchored(rblStep* step, uint32_t slot, const rblFracture* fracture,
                                      bool* anchored)
{
    rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    if (body->type != RBL_BODY_STATIC)
    {
        memset(anchored, 0, sizeof *anchored * fracture->fragment_count);
        return RBL_OK;
    }
    const rblAabb box = rbl_shape_bounds_at(&body->shape, rbl_shape_pose(body, &world->motions.data[slot]));
    Search search = {.step = step,
                     .parent = slot,
                     .margin = TOUCH_DISTANCE * body->shape.radius,
                     .bottom = box.lower.y + BOTTOM_HEIGHT * (box.upper.y - box.lower.y)};
    return body->anchor.kind == RBL_ANCHOR_BOX
               ? test_with_box(&search, body->anchor.box, box, fracture, anchored)
               : test_fragments(&search, fracture, body->anchor.kind, anchored);
}
