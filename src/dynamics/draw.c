// Debug drawing of a world: lines and points.
#include "base/def.h"
#include "dynamics/pair_list.h"
#include "dynamics/step.h"

#define COLOR_BOX     0x5f87afffu // red, green, blue, alpha
#define COLOR_SLEEPER 0x6c6c6cffu
#define COLOR_CONTACT 0xff5f00ffu
#define COLOR_NORMAL  0xffd75fffu
#define COLOR_IMPULSE 0xd70000ffu
#define COLOR_CENTER  0x00af5fffu
#define COLOR_JOINT   0xaf5fffffu
#define COLOR_SAMPLE  0x87d7ffffu

static void draw_box(const rblDebugDraw* draw, rblAabb box, uint32_t color)
{
    for (uint32_t corner = 0; corner < 8; ++corner)
    {
        const rblVec3 from = {corner & 1 ? box.upper.x : box.lower.x, corner & 2 ? box.upper.y : box.lower.y,
                              corner & 4 ? box.upper.z : box.lower.z};
        rblVec3 to = from;
        if ((corner & 1) == 0)
        {
            to.x = box.upper.x;
            draw->line(from, to, color, draw->context);
            to.x = from.x;
        }
        if ((corner & 2) == 0)
        {
            to.y = box.upper.y;
            draw->line(from, to, color, draw->context);
            to.y = from.y;
        }
        if ((corner & 4) == 0)
        {
            to.z = box.upper.z;
            draw->line(from, to, color, draw->context);
        }
    }
}

// Draws nothing when memory runs out, because a drawing need not fail.
static void draw_samples(const rblDebugDraw* draw, const rblShapeView* shape, rblTransform pose)
{
    const rblVec3* points;
    uint32_t count;
    if (rbl_shape_samples(shape, &points, &count) != RBL_OK)
    {
        return;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        draw->point(rbl_transform_point(pose, points[i]), 2.0f, COLOR_SAMPLE, draw->context);
    }
}

// A colour per island: by the sleep group or the island number of the solver, spread over hues.
static uint32_t island_color(uint32_t number)
{
    const uint32_t mixed = number * 2654435761u;
    return (mixed & 0x7f7f7f00u) + 0x60606000u + 0xffu;
}

static void draw_body(const rblWorld* world, uint32_t slot, const rblDebugDraw* draw)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    const rblTransform pose = rbl_shape_pose(body, motion);
    uint32_t color = body->awake ? COLOR_BOX : COLOR_SLEEPER;
    if (draw->islands && slot < world->step->solver_index.count &&
        world->step->solver_index.data[slot] < world->step->solver_bodies.count)
    {
        const uint32_t island = world->step->solver_bodies.data[world->step->solver_index.data[slot]].island;
        color = island != RBL_NONE ? island_color(island) : color;
    }
    if (draw->boxes && body->shape.bounded && draw->line != NULL)
    {
        draw_box(draw, rbl_shape_bounds_at(&body->shape, pose), color);
    }
    if (draw->centers && draw->point != NULL && body->type == RBL_BODY_DYNAMIC)
    {
        draw->point(motion->center, 6.0f, COLOR_CENTER, draw->context);
    }
    if (draw->samples && draw->point != NULL)
    {
        draw_samples(draw, &body->shape, pose);
    }
}

static void draw_contact(const rblWorld* world, const rblPair* pair, const rblContact* contact,
                         const rblDebugDraw* draw)
{
    const rblVec3 at = rbl_transform_point(rbl_motion_pose(&world->motions.data[pair->a]), contact->anchor_a);
    if (draw->contacts && draw->point != NULL)
    {
        draw->point(at, 5.0f, COLOR_CONTACT, draw->context);
    }
    if (draw->normals && draw->line != NULL)
    {
        draw->line(at, rbl_mul_add3(at, 0.05f, contact->normal), COLOR_NORMAL, draw->context);
    }
    if (draw->impulses && draw->line != NULL)
    {
        const rblVec3 impulse = rbl_mul_add3(contact->friction, contact->normal_impulse, contact->normal);
        draw->line(at, rbl_add3(at, impulse), COLOR_IMPULSE, draw->context);
    }
}

static void draw_joint(const rblWorld* world, const rblJoint* joint, const rblDebugDraw* draw)
{
    const rblTransform frame_a = rbl_motion_pose(&world->motions.data[joint->a]);
    const rblVec3 from = rbl_transform_point(frame_a, joint->anchor_a);
    const rblVec3 to =
        joint->b == RBL_NONE
            ? joint->anchor_b
            : rbl_transform_point(rbl_motion_pose(&world->motions.data[joint->b]), joint->anchor_b);
    if (draw->line != NULL)
    {
        draw->line(frame_a.p, from, COLOR_JOINT, draw->context);
        draw->line(from, to, COLOR_JOINT, draw->context);
    }
    if (draw->point != NULL)
    {
        draw->point(to, 5.0f, COLOR_JOINT, draw->context);
    }
}

RBL_DEF_KIND(debug_draw, rblDebugDraw, "debug draw", rbl_default_debug_draw, 0xDEB06D4Au);

void rbl_debug_draw_init(rblDebugDraw* draw, size_t size)
{
    const rblDebugDraw defaults = {.line = NULL};
    rbl_def_init(&debug_draw, &defaults, draw, size);
}

static void draw_all(const rblWorld* world, const rblDebugDraw* draw)
{
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].generation != 0)
        {
            draw_body(world, slot, draw);
        }
    }
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        const bool there =
            rbl_pair_exists(pair) && world->bodies.data[pair->a].generation == pair->generation_a;
        for (uint32_t c = 0; c < pair->count && there; ++c)
        {
            draw_contact(world, pair, &world->contacts.data[pair->first + c], draw);
        }
    }
    for (size_t i = 0; i < world->joints.count && draw->joints; ++i)
    {
        if (world->joints.data[i].generation != 0)
        {
            draw_joint(world, &world->joints.data[i], draw);
        }
    }
}

rblResult rbl_world_draw(rblWorldId id, const rblDebugDraw* draw)
{
    rblWorld* world = NULL;
    rblDebugDraw read = rbl_default_debug_draw();
    RBL_TRY(rbl_world_find(id, &world));
    RBL_TRY(rbl_def_read(&debug_draw, draw, &read));
    draw_all(world, &read);
    return RBL_OK;
}
