// Swept boxes to the broad phase; pairs begin and end.
#include "dynamics/stages.h"
#include "math/simd.h"
#include <math.h>

// How far turning takes a point at `radius` along each axis: it moves across the axis of the turn only, by at most the radius times
// the angle, and never farther than across the ball.
static rblVec3 turning_reach(rblVec3 turn, float radius)
{
    const float x = turn.x * turn.x;
    const float y = turn.y * turn.y;
    const float z = turn.z * turn.z;
    const float most = 2.0f * radius;
    return rbl_vec3(rbl_minf(radius * sqrtf(y + z), most), rbl_minf(radius * sqrtf(x + z), most),
                    rbl_minf(radius * sqrtf(x + y), most));
}

// However a body turns, it stays in the ball about its centre. Without this and turning_reach() the fall of 9000 stones had 1.8 times
// as many pairs.
static rblAabb ball_on_its_way(rblVec3 center, rblVec3 way, float radius)
{
    const rblVec3 end = rbl_add3(center, way);
    const rblVec3 reach = rbl_vec3(radius, radius, radius);
    const rblAabb line = {rbl_min3(center, end), rbl_max3(center, end)};
    const float size = radius + fabsf(center.x) + fabsf(center.y) + fabsf(center.z);
    return rbl_aabb_grown((rblAabb){rbl_sub3(line.lower, reach), rbl_add3(line.upper, reach)}, 1e-6f * size);
}

// A box on a body's way through the step.
static rblAabb sweep_box(const rblWorld* world, const rblMotion* motion, rblAabb box, float radius,
                         float gravity_scale)
{
    const float seconds = world->seconds;
    rblVec3 way = rbl_scale3(motion->velocity, seconds);
    if (motion->inverse_mass > 0.0f)
    {
        way = rbl_mul_add3(way, 0.5f * seconds * seconds * gravity_scale, world->def.gravity);
    }
    const rblAabb ahead = {rbl_add3(box.lower, way), rbl_add3(box.upper, way)};
    const rblAabb swept = rbl_aabb_union(box, ahead);
    if (!(radius > 0.0f && radius < INFINITY))
    {
        return swept;
    }
    const rblVec3 turn = turning_reach(rbl_scale3(motion->spin, seconds), radius);
    const rblAabb ball = ball_on_its_way(motion->center, way, radius);
    return (rblAabb){rbl_max3(rbl_sub3(swept.lower, turn), ball.lower),
                     rbl_min3(rbl_add3(swept.upper, turn), ball.upper)};
}

// ---- boxes seen before ----

#define LITTLE 0.02f // of its size: a body that moved farther is measured without asking

void rbl_forget_box(rblWorld* world, uint32_t slot)
{
    if (slot < world->seen_boxes.count)
    {
        world->seen_boxes.data[slot].reach = -1.0f;
    }
}

static bool reserve_boxes(rblWorld* world)
{
    const size_t before = world->seen_boxes.count;
    if (!rbl_array_resize_amply(&world->seen_boxes, world->bodies.count) ||
        !rbl_array_resize_amply(&world->leavers, world->movers.count) ||
        !rbl_array_resize_amply(&world->boxes, world->movers.count))
    {
        return false;
    }
    for (size_t slot = before; slot < world->bodies.count; ++slot)
    {
        world->seen_boxes.data[slot].reach = -1.0f;
    }
    return true;
}

// No point within reach of the centre has moved farther since the box was measured: two unit quaternions that differ by d turn
// by no more than four times asin(d / 2). With what rounding may add.
static float moved_since(const rblSeenBox* seen, const rblMotion* motion)
{
    const rblQuat p = seen->pose.q;
    const rblQuat q = motion->orientation;
    const float x = q.x - p.x;
    const float y = q.y - p.y;
    const float z = q.z - p.z;
    const float w = q.w - p.w;
    const rblVec3 way = rbl_sub3(motion->center, seen->pose.p);
    const float size =
        seen->reach + fabsf(motion->center.x) + fabsf(motion->center.y) + fabsf(motion->center.z);
    return rbl_length3(way) + 2.0f * seen->reach * sqrtf(x * x + y * y + z * z + w * w) + 2e-6f * size;
}

static bool stays_in_fat_box(const rblWorld* world, uint32_t slot)
{
    const rblSeenBox* seen = &world->seen_boxes.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    const float moved = seen->reach > 0.0f ? moved_since(seen, motion) : INFINITY;
    if (!(moved < LITTLE * seen->reach))
    {
        return false;
    }
    const rblAabb inner =
        sweep_box(world, motion, rbl_aabb_grown(seen->box, -moved), 0.0f, seen->gravity_scale);
    const rblAabb outer =
        sweep_box(world, motion, rbl_aabb_grown(seen->box, moved), seen->reach, seen->gravity_scale);
    return rbl_broad_phase_serves(world->broad, slot, inner, outer);
}

static rblAabb measure(rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    const rblAabb box = rbl_shape_bounds_at(&body->shape, rbl_shape_pose(body, motion));
    const rblVec3 center = rbl_to_float3(body->shape.mass.center);
    const rblVec3 half = rbl_scale3(rbl_aabb_size(body->shape.bounds), 0.5f);
    const rblVec3 off = rbl_sub3(rbl_aabb_center(body->shape.bounds), center);
    world->seen_boxes.data[slot] =
        (rblSeenBox){box, rbl_motion_pose(motion), rbl_length3(half) + rbl_length3(off), body->gravity_scale};
    return sweep_box(world, motion, box, body->shape.radius, body->gravity_scale);
}

#define FETCHED       4 // movers ahead
#define FETCHED_LINES 4 // of a shape

// The swept boxes of movers that may have left their fat boxes.
static void sweep_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t slot = world->movers.data[i];
        const bool stays = stays_in_fat_box(world, slot);
        world->leavers.data[i] = stays ? RBL_NONE : slot;
        if (!stays)
        {
            // Any two shapes lie far apart in memory, and where one body falls the next mostly does.
            const uint32_t later = world->movers.data[i + FETCHED < range.end ? i + FETCHED : i];
            const uintptr_t shape = (uintptr_t)world->bodies.data[later].shape.data;
            for (uintptr_t line = 0; line < FETCHED_LINES; ++line)
            {
                rbl_prefetch((const void*)(shape + 64 * line));
            }
            world->boxes.data[i] = measure(world, slot);
        }
    }
}

static void close_ranks(rblWorld* world)
{
    uint32_t count = 0;
    for (size_t i = 0; i < world->movers.count; ++i)
    {
        if (world->leavers.data[i] != RBL_NONE)
        {
            world->leavers.data[count] = world->leavers.data[i];
            world->boxes.data[count++] = world->boxes.data[i];
        }
    }
    world->leavers.count = world->boxes.count = count;
}

static bool filters_agree(const rblFilter* a, const rblFilter* b)
{
    if (a->group != 0 && a->group == b->group)
    {
        return a->group > 0;
    }
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

bool rbl_wants_pair(const rblWorld* world, uint32_t a, uint32_t b)
{
    const rblBody* first = &world->bodies.data[a];
    const rblBody* second = &world->bodies.data[b];
    const bool dynamic = first->type == RBL_BODY_DYNAMIC || second->type == RBL_BODY_DYNAMIC;
    return dynamic && filters_agree(&first->filter, &second->filter) && !rbl_joints_forbid(world, a, b);
}

static bool wants_pair(uint32_t a, uint32_t b, const void* context)
{
    return rbl_wants_pair(context, a, b);
}

// ---- the sorted list of pairs ----

static int compare_pairs(uint32_t a1, uint32_t b1, uint32_t a2, uint32_t b2)
{
    if (a1 != a2)
    {
        return a1 < a2 ? -1 : 1;
    }
    return b1 < b2 ? -1 : b1 > b2;
}

// A pair that ended while touching parts: say so, and whoever of it slept wakes. The id of a body that is gone is stale. There
// must be room.
static void report_end(rblWorld* world, const rblPair* pair)
{
    if (pair->touching)
    {
        rbl_wake_sleeper(world, pair->a);
        rbl_wake_sleeper(world, pair->b);
        world->events.data[world->events.count++] = (rblContactEvent){
            .kind = RBL_CONTACT_END,
            .a = {pair->a + 1, pair->generation_a},
            .b = {pair->b + 1, pair->generation_b},
        };
    }
}

static rblPair new_pair(const rblWorld* world, rblProxyPair begun)
{
    return (rblPair){
        .a = begun.a,
        .b = begun.b,
        .generation_a = world->bodies.data[begun.a].generation,
        .generation_b = world->bodies.data[begun.b].generation,
        .time_of_impact = 1.0f,
        .share_a = 1.0f,
        .share_b = 1.0f,
    };
}

// Merge: old pairs less the ended ones, and the begun ones, in order. When it fails it may be tried again.
rblResult rbl_merge_pairs(rblWorld* world)
{
    if (!world->unmerged || (world->begun.count == 0 && world->ended.count == 0))
    {
        world->unmerged = false;
        return RBL_OK;
    }
    if (!rbl_array_renew(&world->old_pairs, world->pairs.count + world->begun.count,
                         rbl_heap_room(world, RBL_HEAP_PAIRS)) ||
        !rbl_array_reserve_more(&world->events, world->ended.count))
    {
        return rbl_fail_memory();
    }
    rblPairArray* out = &world->old_pairs;
    rbl_array_clear(out);
    world->regrouped = true;
    size_t ended = 0;
    size_t begun = 0;
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        for (; begun < world->begun.count &&
               compare_pairs(world->begun.data[begun].a, world->begun.data[begun].b, pair->a, pair->b) < 0;
             ++begun)
        {
            out->data[out->count++] = new_pair(world, world->begun.data[begun]);
        }
        const bool gone = ended < world->ended.count && world->ended.data[ended].a == pair->a &&
                          world->ended.data[ended].b == pair->b;
        if (gone)
        {
            report_end(world, pair);
            ++ended;
            continue;
        }
        out->data[out->count++] = *pair;
    }
    for (; begun < world->begun.count; ++begun)
    {
        out->data[out->count++] = new_pair(world, world->begun.data[begun]);
    }
    world->unmerged = false;
    const rblPairArray swap = world->pairs;
    world->pairs = world->old_pairs;
    world->old_pairs = swap;
    return RBL_OK;
}

rblResult rbl_find_pairs(rblWorld* world)
{
    if (!reserve_boxes(world))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(world->jobs, (uint32_t)world->movers.count, 256, sweep_block, world);
    close_ranks(world);
    RBL_TRY(rbl_merge_pairs(world)); // when memory ran out in the last step
    RBL_TRY(rbl_broad_phase_move(world->broad, world->leavers.data, world->boxes.data,
                                 (uint32_t)world->leavers.count, 0.0f, world->jobs));
    rbl_array_clear(&world->begun);
    rbl_array_clear(&world->ended);
    RBL_TRY(
        rbl_broad_phase_update(world->broad, wants_pair, world, world->jobs, &world->begun, &world->ended));
    world->unmerged = true;
    RBL_TRY(rbl_merge_pairs(world));
    rbl_wake_displaced(world);
    return rbl_list_active_pairs(world, true);
}
