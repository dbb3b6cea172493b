// Bodies wake, and waking spreads.
//
// An impact wakes the bodies that it can move: from the sleeper with the impact outwards, until the mass of the woken bodies is so
// large that the momentum of the impact would not make them bounce. A removed support wakes the bodies above it, level by level.
// Other changes of load are found by the contact forces of a sleeper (rest.c).
#include "dynamics/pair_list.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define SUPPORT_SHARE 0.5f // of the support of a body: with a larger loss it falls

// Working data of the stage.
struct rblWaker
{
    rblIndexArray woken;          // slots in the order of waking
    rblFloatArray lost;           // by slot: lost support, N
    rblIndexArray losers;         // the slots where it is not 0
    rblIndexArray links, scratch; // touching pairs of a body, sorted; buffer of the sort
};

#define ARRAYS(X) X(woken) X(lost) X(losers) X(links) X(scratch)

RBL_DEFINE_STAGE_MEMORY(struct rblWaker, rbl_waker, ARRAYS)

// ---- one body ----

static void wake_body(rblWorld* world, uint32_t slot)
{
    rblBody* body = &world->bodies.data[slot];
    if (!body->awake)
    {
        rbl_slot_changed(world, slot);
    }
    body->awake = true;
    body->still_time = 0.0f;
    body->rest_time = 0.0f;
    body->sleep_group = 0;
    body->rest = (rblRest){0};
}

void rbl_slot_wake(rblWorld* world, uint32_t slot)
{
    rblBody* body = &world->bodies.data[slot];
    const uint32_t group = body->sleep_group;
    if (body->generation == 0)
    {
        return; // destroyed: the next step ends its pairs
    }
    if (body->type != RBL_BODY_DYNAMIC)
    {
        rbl_slot_changed(world, slot);
        body->awake = body->type == RBL_BODY_KINEMATIC;
        return;
    }
    wake_body(world, slot);
    for (uint32_t i = 0; group != 0 && i < world->bodies.count; ++i)
    {
        if (world->bodies.data[i].sleep_group == group)
        {
            wake_body(world, i);
        }
    }
}

void rbl_slot_wake_sleeper(rblWorld* world, uint32_t slot)
{
    if (!world->bodies.data[slot].awake)
    {
        rbl_slot_wake(world, slot);
    }
}

// A body that was created asleep has no contact forces yet: it counts as touching all bodies near it.
static bool is_touched(const rblWorld* world, const rblPair* pair)
{
    const rblBody* a = &world->bodies.data[pair->a];
    const rblBody* b = &world->bodies.data[pair->b];
    return pair->touching || (pair->count > 0 && (a->rest.untried || b->rest.untried));
}

void rbl_slot_wake_neighbours(rblWorld* world, uint32_t slot)
{
    rbl_slot_wake(world, slot);
    for (uint32_t side = rbl_first_side(world, slot); side != RBL_NONE; side = rbl_next_side(world, side))
    {
        const rblPair* pair = rbl_side_pair(world, side);
        const uint32_t other = rbl_pair_other(pair, slot);
        if (is_touched(world, pair))
        {
            rbl_slot_wake(world, other);
            world->bodies.data[other].lost_neighbour = true;
            rbl_slot_marked(world, other);
        }
    }
    for (size_t i = 0; i < world->joints.count && world->bodies.data[slot].joint_count > 0; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        const bool joined = joint->generation != 0 && (joint->a == slot || joint->b == slot);
        const uint32_t other = joint->a == slot ? joint->b : joint->a;
        if (joined && other != RBL_NONE)
        {
            rbl_slot_wake(world, other);
        }
    }
}

// ---- links ----

static bool is_sleeper(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    return step->activities.data[slot] == RBL_ACTIVITY_ASLEEP && !world->bodies.data[slot].awake;
}

// Whether a pair is a link of a sleeper. Links do not change within a step: a body that was created asleep counts as touching until the
// next step, although it woke.
static bool is_link(const rblStep* step, const rblPair* pair)
{
    const unsigned char* activities = step->activities.data;
    const unsigned char* untried = step->untried.data;
    return pair->count > 0 && (pair->touching || untried[pair->a] != 0 || untried[pair->b] != 0) &&
           (activities[pair->a] == RBL_ACTIVITY_ASLEEP || activities[pair->b] == RBL_ACTIVITY_ASLEEP);
}

const rblIndexArray* rbl_links_of(rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    rblIndexArray* links = &step->waker->links;
    rbl_array_clear(links);
    for (uint32_t side = rbl_first_side(world, slot); side != RBL_NONE; side = rbl_next_side(world, side))
    {
        if (is_link(step, &world->pairs.data[side / 2]) && !rbl_array_push(links, side / 2))
        {
            return NULL;
        }
    }
    return rbl_pairs_sort(world, links, &step->waker->scratch) ? links : NULL;
}

void rbl_lost_support_forget(rblStep* step)
{
    struct rblWaker* stage = step->waker;
    for (size_t i = 0; i < stage->losers.count; ++i)
    {
        stage->lost.data[stage->losers.data[i]] = 0.0f;
    }
    rbl_array_clear(&stage->losers);
}

static bool reserve_waking(rblStep* step)
{
    struct rblWaker* stage = step->waker;
    const size_t bodies = step->world->bodies.count;
    const size_t before = stage->lost.count;
    if (!rbl_array_reserve(&stage->woken, bodies) || !rbl_array_reserve(&stage->losers, bodies) ||
        (before < bodies && !rbl_array_resize_amply(&stage->lost, bodies)))
    {
        return false;
    }
    for (size_t slot = before; slot < stage->lost.count; ++slot)
    {
        stage->lost.data[slot] = 0.0f;
    }
    return true;
}

static void wake_listed(rblStep* step, uint32_t slot)
{
    rblWorld* world = step->world;
    rbl_slot_wake(world, slot);
    step->waker->woken.data[step->waker->woken.count++] = slot;
}

// ---- lost support ----

// Support of one body by its contacts with another, N.
static float support_by(const rblWorld* world, const rblPair* pair, uint32_t slot)
{
    return rbl_body_support_part(world, slot, rbl_pair_force(world, pair, pair->b == slot));
}

static void lose_support(rblStep* step, uint32_t above, float lost)
{
    const rblRest* rest = &step->world->bodies.data[above].rest;
    float* sum = &step->waker->lost.data[above];
    if (*sum == 0.0f && lost > 0.0f)
    {
        step->waker->losers.data[step->waker->losers.count++] = above;
    }
    *sum += lost;
    const bool falls = rest->support > 0.0f && *sum >= SUPPORT_SHARE * rest->support;
    if (falls || rest->untried)
    {
        wake_listed(step, above);
    }
}

static rblResult remove_support(rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const rblIndexArray* links = rbl_links_of(step, slot);
    if (links == NULL)
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < links->count; ++i)
    {
        const rblPair* pair = &world->pairs.data[links->data[i]];
        const uint32_t above = rbl_pair_other(pair, slot);
        if (is_sleeper(step, above))
        {
            lose_support(step, above, rbl_maxf(support_by(world, pair, above), 0.0f));
        }
    }
    return RBL_OK;
}

rblResult rbl_slot_wake_unsupported(rblStep* step, uint32_t slot)
{
    rblWorld* world = step->world;
    if (!reserve_waking(step))
    {
        return rbl_fail_memory();
    }
    rbl_array_clear(&step->waker->woken);
    rbl_slot_wake_sleeper(world, slot);
    step->waker->woken.data[step->waker->woken.count++] = slot;
    for (size_t i = 0; i < step->waker->woken.count; ++i)
    {
        RBL_TRY(remove_support(step, step->waker->woken.data[i]));
    }
    return RBL_OK;
}

// ---- impacts ----

// Wake the sleepers next to a body, up to a total mass.
static rblResult wake_next(rblStep* step, uint32_t from, float mass, float* sum)
{
    rblWorld* world = step->world;
    const rblIndexArray* links = rbl_links_of(step, from);
    if (links == NULL)
    {
        return rbl_fail_memory();
    }
    for (size_t k = 0; k < links->count && *sum < mass; ++k)
    {
        const uint32_t next = rbl_pair_other(&world->pairs.data[links->data[k]], from);
        if (is_sleeper(step, next))
        {
            *sum += world->bodies.data[next].mass;
            wake_listed(step, next);
        }
    }
    return RBL_OK;
}

// Wake bodies from the one with the impact outwards, up to a total mass.
static rblResult wake_around(rblStep* step, uint32_t slot, float mass)
{
    rblWorld* world = step->world;
    if (!reserve_waking(step))
    {
        return rbl_fail_memory();
    }
    float sum = world->bodies.data[slot].mass;
    rbl_array_clear(&step->waker->woken);
    wake_listed(step, slot);
    for (size_t i = 0; i < step->waker->woken.count && sum < mass; ++i)
    {
        RBL_TRY(wake_next(step, step->waker->woken.data[i], mass, &sum));
    }
    return RBL_OK;
}

// Approach speed of a moving body towards a sleeper in this step, m/s; negative: it does not reach it.
static float closing_speed(const rblStep* step, const rblPair* pair, uint32_t mover)
{
    const rblWorld* world = step->world;
    const rblTransform frame_a = rbl_motion_pose(&world->motions.data[pair->a]);
    const rblTransform frame_b = rbl_motion_pose(&world->motions.data[pair->b]);
    const rblMotion* motion = &world->motions.data[mover];
    const rblVec3 normal_impulse =
        rbl_scale3(world->bodies.data[mover].force, motion->inverse_mass * step->seconds);
    const rblVec3 velocity = rbl_add3(motion->velocity, normal_impulse);
    const float slop = rbl_pair_slop(&world->bodies.data[pair->a], &world->bodies.data[pair->b]);
    float fastest = -1.0f;
    for (uint32_t i = 0; i < pair->leading; ++i)
    {
        const rblContact* contact = &world->contacts.data[pair->first + i];
        const rblVec3 on_a = rbl_transform_point(frame_a, contact->anchor_a);
        const rblVec3 on_b = rbl_transform_point(frame_b, contact->anchor_b);
        const float gap = rbl_dot3(contact->normal, rbl_sub3(on_b, on_a));
        const rblVec3 arm = rbl_sub3(mover == pair->a ? on_a : on_b, motion->center);
        const float along = rbl_dot3(contact->normal, rbl_add3(velocity, rbl_cross3(motion->spin, arm)));
        const float closing = mover == pair->a ? along : -along;
        if (closing * step->seconds > gap - 2.0f * slop)
        {
            fastest = rbl_maxf(fastest, closing);
        }
    }
    return fastest;
}

static bool is_moving(const rblMotion* motion)
{
    return rbl_dot3(motion->velocity, motion->velocity) + rbl_dot3(motion->spin, motion->spin) > 0.0f;
}

// A kinematic body has infinite mass: an impact with it wakes all.
static rblResult wake_by_kinematic(rblStep* step, const rblPair* pair, uint32_t mover, uint32_t sleeper)
{
    rblWorld* world = step->world;
    if (!is_moving(&world->motions.data[mover]))
    {
        return RBL_OK;
    }
    const float closing = closing_speed(step, pair, mover);
    if (closing > world->def.sleep_speed)
    {
        return wake_around(step, sleeper, INFINITY);
    }
    return closing > 0.0f || pair->touching ? rbl_slot_wake_unsupported(step, sleeper) : RBL_OK;
}

static rblResult wake_by_mover(rblStep* step, const rblPair* pair, uint32_t mover, uint32_t sleeper)
{
    rblWorld* world = step->world;
    const float has_impact = world->bodies.data[sleeper].mass;
    const float momentum = world->bodies.data[mover].mass * closing_speed(step, pair, mover);
    if ((pair->touching && rbl_body_is_rocking(world, mover)) ||
        !(momentum > world->def.sleep_speed * has_impact))
    {
        return RBL_OK;
    }
    const float speed = rbl_maxf(world->def.bounce_speed, world->def.sleep_speed);
    return wake_around(step, sleeper, speed > 0.0f ? momentum / speed : INFINITY);
}

static rblResult wake_by_pair(rblStep* step, const rblPair* pair)
{
    rblWorld* world = step->world;
    const unsigned char a = step->activities.data[pair->a];
    const unsigned char b = step->activities.data[pair->b];
    if ((a == RBL_ACTIVITY_ASLEEP) == (b == RBL_ACTIVITY_ASLEEP))
    {
        return RBL_OK;
    }
    const uint32_t sleeper = a == RBL_ACTIVITY_ASLEEP ? pair->a : pair->b;
    const uint32_t mover = rbl_pair_other(pair, sleeper);
    if (world->bodies.data[sleeper].awake)
    {
        return RBL_OK;
    }
    if (step->activities.data[mover] == RBL_ACTIVITY_NONE || pair->count == 0)
    {
        return RBL_OK;
    }
    const bool driven = step->activities.data[mover] == RBL_ACTIVITY_DRIVEN;
    return driven ? wake_by_kinematic(step, pair, mover, sleeper) : wake_by_mover(step, pair, mover, sleeper);
}

// Wake a sleeper that has a joint to a moving body.
static void wake_by_joint(rblWorld* world, uint32_t a, uint32_t b)
{
    const rblBody* body = &world->bodies.data[a];
    const rblMotion* motion = &world->motions.data[a];
    const float speed = rbl_length3(motion->velocity) + body->shape.radius * rbl_length3(motion->spin);
    const float threshold = body->type == RBL_BODY_KINEMATIC ? 0.0f : world->def.sleep_speed;
    if (body->awake && speed > threshold && world->bodies.data[b].type == RBL_BODY_DYNAMIC)
    {
        rbl_slot_wake_sleeper(world, b);
    }
}

static bool is_new_static(const rblWorld* world, uint32_t slot)
{
    return world->bodies.data[slot].type == RBL_BODY_STATIC && world->bodies.data[slot].is_new;
}

void rbl_sleepers_wake_displaced(rblStep* step)
{
    rblWorld* world = step->world;
    const uint32_t marked = rbl_slot_list_count(&world->marked, world->bodies.count);
    for (uint32_t i = 0; i < marked && world->has_marks && step->sleepers > 0; ++i)
    {
        const uint32_t slot = rbl_slot_list_at(&world->marked, i);
        uint32_t side = is_new_static(world, slot) ? rbl_first_side(world, slot) : RBL_NONE;
        for (; side != RBL_NONE; side = rbl_next_side(world, side))
        {
            const uint32_t other = rbl_pair_other(rbl_side_pair(world, side), slot);
            if (!world->bodies.data[other].is_new)
            {
                rbl_slot_wake_sleeper(world, other);
            }
        }
    }
}

rblResult rbl_sleepers_wake_by_approach(rblStep* step)
{
    rblWorld* world = step->world;
    rbl_lost_support_forget(step);
    if (step->sleepers == 0)
    {
        return RBL_OK;
    }
    for (size_t i = 0; i < step->movers.count; ++i)
    {
        const uint32_t slot = step->movers.data[i];
        RBL_TRY(world->bodies.data[slot].lost_neighbour ? rbl_slot_wake_unsupported(step, slot) : RBL_OK);
    }
    for (size_t i = 0; i < step->active_pairs.count; ++i)
    {
        RBL_TRY(wake_by_pair(step, &world->pairs.data[step->active_pairs.data[i]]));
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0 && joint->b != RBL_NONE)
        {
            wake_by_joint(world, joint->a, joint->b);
            wake_by_joint(world, joint->b, joint->a);
        }
    }
    rbl_lost_support_forget(step);
    return rbl_movers_gather(step);
}
