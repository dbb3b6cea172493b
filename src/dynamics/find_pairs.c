// Passes swept boxes to the broad phase, and updates the list of pairs.
#include "dynamics/active_pairs.h"
#include "dynamics/pair_list.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include "math/simd.h"
#include <math.h>

// ---- tuning ----
// These affect speed only.
#define SMALL_MOTION  0.02f // of the size of a body: a body that moved farther is measured without a test
#define FETCHED       4     // number of movers that shapes are prefetched ahead
#define FETCHED_LINES 4     // cache lines of a shape

typedef RBL_ARRAY(rblAabb) rblAabbArray;

// The bounds of the shape of a body when they were last computed, by slot. A body that has moved little since then is still in
// its fat box, and its bounds need not be computed again.
typedef struct StoredBox
{
    rblAabb box;
    rblTransform pose;   // pose of the frame of the body
    float reach;         // m: from the centre to the farthest corner of the bounds; negative: not computed
    float gravity_scale; // gravity scale of the body
} StoredBox;

typedef RBL_ARRAY(StoredBox) StoredBoxArray;

// Working data of the stage.
struct rblPairFinder
{
    rblProxyPairArray begun;     // pairs that the broad phase began
    rblProxyPairArray ended;     // pairs that the broad phase ended
    StoredBoxArray stored_boxes; // by slot (measure())
    rblIndexArray
        leavers; // slots of movers that may have left their fat boxes (sweep_block(), compact_leavers())
    rblAabbArray boxes; // swept box of each leaver
};

#define ARRAYS(X) X(begun) X(ended) X(stored_boxes) X(leavers) X(boxes)

RBL_DEFINE_STAGE_MEMORY(struct rblPairFinder, rbl_pair_finder, ARRAYS)

// Upper bound of the motion by rotation of a point at `radius`, along each axis, m. The point moves perpendicular to the
// rotation axis, by at most the radius times the angle, and at most by the diameter.
static rblVec3 rotation_bound(rblVec3 turn, float radius)
{
    const float x = turn.x * turn.x;
    const float y = turn.y * turn.y;
    const float z = turn.z * turn.z;
    const float most = 2.0f * radius;
    return rbl_vec3(rbl_minf(radius * sqrtf(y + z), most), rbl_minf(radius * sqrtf(x + z), most),
                    rbl_minf(radius * sqrtf(x + y), most));
}

// A rotating body stays in the ball around its centre. Without this and rotation_bound(), the collapse of 9000 stones had 1.8
// times as many pairs.
static rblAabb swept_ball_box(rblVec3 center, rblVec3 displacement, float radius)
{
    const rblVec3 end = rbl_add3(center, displacement);
    const rblVec3 reach = rbl_vec3(radius, radius, radius);
    const rblAabb line = {rbl_min3(center, end), rbl_max3(center, end)};
    const float size = radius + fabsf(center.x) + fabsf(center.y) + fabsf(center.z);
    return rbl_aabb_grown((rblAabb){rbl_sub3(line.lower, reach), rbl_add3(line.upper, reach)}, 1e-6f * size);
}

// The box that contains a body during the whole step.
static rblAabb sweep_box(const rblStep* step, const rblMotion* motion, rblAabb box, float radius,
                         float gravity_scale)
{
    const rblWorld* world = step->world;
    const float seconds = step->seconds;
    rblVec3 displacement = rbl_scale3(motion->velocity, seconds);
    if (motion->inverse_mass > 0.0f)
    {
        displacement =
            rbl_mul_add3(displacement, 0.5f * seconds * seconds * gravity_scale, world->def.gravity);
    }
    const rblAabb ahead = {rbl_add3(box.lower, displacement), rbl_add3(box.upper, displacement)};
    const rblAabb swept = rbl_aabb_union(box, ahead);
    if (!(radius > 0.0f && radius < INFINITY))
    {
        return swept;
    }
    const rblVec3 turn = rotation_bound(rbl_scale3(motion->spin, seconds), radius);
    const rblAabb ball = swept_ball_box(motion->center, displacement, radius);
    return (rblAabb){rbl_max3(rbl_sub3(swept.lower, turn), ball.lower),
                     rbl_min3(rbl_add3(swept.upper, turn), ball.upper)};
}

// ---- stored boxes ----

void rbl_boxes_forget(rblStep* step)
{
    rbl_array_clear(&step->pair_finder->stored_boxes);
}

void rbl_box_forget(rblStep* step, uint32_t slot)
{
    if (slot < step->pair_finder->stored_boxes.count)
    {
        step->pair_finder->stored_boxes.data[slot].reach = -1.0f;
    }
}

static bool reserve_boxes(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t before = step->pair_finder->stored_boxes.count;
    if (!rbl_array_resize_amply(&step->pair_finder->stored_boxes, world->bodies.count) ||
        !rbl_array_resize_amply(&step->pair_finder->leavers, step->movers.count) ||
        !rbl_array_resize_amply(&step->pair_finder->boxes, step->movers.count))
    {
        return false;
    }
    for (size_t slot = before; slot < world->bodies.count; ++slot)
    {
        step->pair_finder->stored_boxes.data[slot].reach = -1.0f;
    }
    return true;
}

// Upper bound of the motion of any point of the body since its bounds were computed, m. Two unit quaternions that differ by d
// differ by a rotation of at most 4 asin(d / 2). The bound includes rounding.
static float motion_since(const StoredBox* stored, const rblMotion* motion)
{
    const rblQuat p = stored->pose.q;
    const rblQuat q = motion->orientation;
    const float x = q.x - p.x;
    const float y = q.y - p.y;
    const float z = q.z - p.z;
    const float w = q.w - p.w;
    const rblVec3 displacement = rbl_sub3(motion->center, stored->pose.p);
    const float size =
        stored->reach + fabsf(motion->center.x) + fabsf(motion->center.y) + fabsf(motion->center.z);
    return rbl_length3(displacement) + 2.0f * stored->reach * sqrtf(x * x + y * y + z * z + w * w) +
           2e-6f * size;
}

static bool stays_in_fat_box(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const StoredBox* stored = &step->pair_finder->stored_boxes.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    const float moved = stored->reach > 0.0f ? motion_since(stored, motion) : INFINITY;
    if (!(moved < SMALL_MOTION * stored->reach))
    {
        return false;
    }
    const rblAabb inner =
        sweep_box(step, motion, rbl_aabb_grown(stored->box, -moved), 0.0f, stored->gravity_scale);
    const rblAabb outer =
        sweep_box(step, motion, rbl_aabb_grown(stored->box, moved), stored->reach, stored->gravity_scale);
    return rbl_broad_phase_serves(world->broad, slot, inner, outer);
}

static rblAabb measure(rblStep* step, uint32_t slot)
{
    rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    const rblAabb box = rbl_shape_bounds_at(&body->shape, rbl_shape_pose(body, motion));
    const rblVec3 center = rbl_to_float3(body->shape.mass.center);
    const rblVec3 half = rbl_scale3(rbl_aabb_size(body->shape.bounds), 0.5f);
    const rblVec3 off = rbl_sub3(rbl_aabb_center(body->shape.bounds), center);
    step->pair_finder->stored_boxes.data[slot] =
        (StoredBox){box, rbl_motion_pose(motion), rbl_length3(half) + rbl_length3(off), body->gravity_scale};
    return sweep_box(step, motion, box, body->shape.radius, body->gravity_scale);
}

// Compute the swept boxes of movers that may have left their fat boxes.
static void sweep_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t slot = step->movers.data[i];
        const bool stays = stays_in_fat_box(step, slot);
        step->pair_finder->leavers.data[i] = stays ? RBL_NONE : slot;
        if (!stays)
        {
            // Shapes are anywhere in memory. When one body leaves its fat box, the next one mostly does, too.
            const uint32_t later = step->movers.data[i + FETCHED < range.end ? i + FETCHED : i];
            const uintptr_t shape = (uintptr_t)world->bodies.data[later].shape_memory;
            rbl_prefetch(world->bodies.data[later].shape.shape);
            for (uintptr_t line = 0; line < FETCHED_LINES; ++line)
            {
                rbl_prefetch((const void*)(shape + 64 * line));
            }
            step->pair_finder->boxes.data[i] = measure(step, slot);
        }
    }
}

static void compact_leavers(rblStep* step)
{
    uint32_t count = 0;
    for (size_t i = 0; i < step->movers.count; ++i)
    {
        if (step->pair_finder->leavers.data[i] != RBL_NONE)
        {
            step->pair_finder->leavers.data[count] = step->pair_finder->leavers.data[i];
            step->pair_finder->boxes.data[count++] = step->pair_finder->boxes.data[i];
        }
    }
    step->pair_finder->leavers.count = step->pair_finder->boxes.count = count;
}

bool rbl_filters_agree(const rblFilter* a, const rblFilter* b)
{
    if (a->group != 0 && a->group == b->group)
    {
        return a->group > 0;
    }
    return (a->category & b->mask) != 0 && (b->category & a->mask) != 0;
}

bool rbl_pair_is_wanted(const rblWorld* world, uint32_t a, uint32_t b)
{
    const rblBody* first = &world->bodies.data[a];
    const rblBody* second = &world->bodies.data[b];
    const bool dynamic = first->type == RBL_BODY_DYNAMIC || second->type == RBL_BODY_DYNAMIC;
    return dynamic && !first->sensor && !second->sensor &&
           rbl_filters_agree(&first->filter, &second->filter) && !rbl_joints_forbid_pair(world, a, b) &&
           (world->pair_filter == NULL ||
            world->pair_filter(rbl_body_id(world, a), rbl_body_id(world, b), world->pair_filter_context));
}

static bool wants_pair(uint32_t a, uint32_t b, const void* context)
{
    return rbl_pair_is_wanted(context, a, b);
}

// ---- pairs that begin and end ----

// A touching pair has ended: report the event and wake its sleepers. The id of a destroyed body is stale. The capacity must be
// reserved.
static void report_end(rblWorld* world, const rblPair* pair)
{
    if (pair->touching)
    {
        rbl_slot_wake_sleeper(world, pair->a);
        rbl_slot_wake_sleeper(world, pair->b);
        world->events.data[world->events.count++] = (rblContactEvent){
            .kind = RBL_CONTACT_END,
            .a = {pair->a + 1, pair->generation_a, world->serial},
            .b = {pair->b + 1, pair->generation_b, world->serial},
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

// End and begin the pairs that the broad phase found. A merge that fails can be repeated.
rblResult rbl_pairs_merge(rblStep* step)
{
    rblWorld* world = step->world;
    const rblProxyPairArray* begun = &step->pair_finder->begun;
    const rblProxyPairArray* ended = &step->pair_finder->ended;
    if (!world->unmerged || (begun->count == 0 && ended->count == 0))
    {
        world->unmerged = false;
        return RBL_OK;
    }
    if (!rbl_active_pairs_reserve(step, begun->count) ||
        !rbl_array_reserve_more(&world->events, ended->count))
    {
        return rbl_fail_memory();
    }
    size_t from = 0;
    for (size_t i = 0; i < ended->count; ++i)
    {
        const uint32_t index = rbl_active_pairs_end(step, ended->data[i].a, ended->data[i].b, &from);
        if (index != RBL_NONE)
        {
            report_end(world, &world->pairs.data[index]);
            rbl_pair_remove(world, index);
        }
    }
    for (size_t i = 0; i < begun->count; ++i)
    {
        const rblPair pair = new_pair(world, begun->data[i]);
        if (pair.generation_a != 0 &&
            pair.generation_b != 0) // else it was destroyed before a merge was repeated
        {
            rbl_active_pairs_begin(step, &pair);
        }
    }
    world->unmerged = false;
    return RBL_OK;
}

rblResult rbl_pairs_find(rblStep* step)
{
    rblWorld* world = step->world;
    if (!reserve_boxes(step))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(world->jobs, (uint32_t)step->movers.count, 256, sweep_block, step);
    compact_leavers(step);
    RBL_TRY(rbl_pairs_merge(step)); // pending when memory ran out in the last step
    RBL_TRY(rbl_broad_phase_move(world->broad, step->pair_finder->leavers.data, step->pair_finder->boxes.data,
                                 (uint32_t)step->pair_finder->leavers.count, 0.0f, world->jobs));
    rbl_array_clear(&step->pair_finder->begun);
    rbl_array_clear(&step->pair_finder->ended);
    RBL_TRY(rbl_broad_phase_update(world->broad, wants_pair, world, world->jobs, &step->pair_finder->begun,
                                   &step->pair_finder->ended));
    world->unmerged = true;
    RBL_TRY(rbl_pairs_merge(step));
    rbl_sleepers_wake_displaced(step);
    return rbl_pairs_list_active(step, true);
}
