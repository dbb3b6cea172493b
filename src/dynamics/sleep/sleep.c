// Bodies fall asleep.
//
// A body falls asleep when it and the bodies that it needs have been at rest for the sleep time. Parts of a pile sleep while
// others still move. Awake neighbours treat a sleeper as static. Each sleeper stores its contact forces from when it fell
// asleep; a change of load wakes it (rest.c), a lost support also wakes the bodies that it supports (wake.c).
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include "math/quat.h"
#include <math.h>

// ---- tuning ----

#define ROCKING_SHARE 0.04f // of the radius: largest motion of a rocking body around one pose
#define ROCKING_TIME  0.2f  // of the sleep time: after this a body counts as rocking
#define NEEDED_SHARE  0.2f  // of its weight: a body does not need a smaller force for its support
#define FROM_ABOVE    0.5f  // cosine between a force and gravity: above it, the force is a load from above

// Working data of the stage.
struct rblSleepStage
{
    rblIndexArray needs; // per manifold: A_NEEDS_B, B_NEEDS_A
};

#define ARRAYS(X) X(needs)

RBL_DEFINE_STAGE_MEMORY(struct rblSleepStage, rbl_sleep_stage, ARRAYS)

float rbl_body_max_speed(const rblBody* body, rblVec3 velocity, rblVec3 spin)
{
    return rbl_length3(velocity) + body->shape.radius * rbl_length3(spin);
}

// ---- falling asleep ----

// Largest distance of a rocking body from its rest pose: half of the distance that it may creep, and a small part of its size.
static float rocking_distance(const rblWorld* world, const rblBody* body)
{
    return rbl_minf(0.5f * world->def.sleep_speed * world->def.sleep_time,
                    ROCKING_SHARE * body->shape.radius);
}

// Whether all points of the body are closer than that to the rest pose: |displacement| + radius * angle, with the sine of half
// the angle. A body that rotates by a radian or more in a step is excluded: it may be back at its orientation by chance.
static bool has_rested(const rblStep* step, const rblBody* body, const rblMotion* motion)
{
    const rblWorld* world = step->world;
    const rblQuat turn = rbl_quat_mul(rbl_quat_conjugate(body->rest_pose.q), motion->orientation);
    const float distance = rbl_length3(rbl_sub3(motion->center, body->rest_pose.p));
    const float angle = 2.0f * rbl_length3(rbl_vec3(turn.x, turn.y, turn.z));
    return distance + body->shape.radius * angle < rocking_distance(world, body) &&
           rbl_length3(motion->spin) * step->seconds < 1.0f;
}

// A body is at rest when it stays slower than the sleep speed, or when it stays close to one pose. Bodies of a pile rock on each
// other, sometimes faster than the sleep speed, but do not move away. Bodies that tip or creep do move away.
static void count_stillness(rblStep* step)
{
    rblWorld* world = step->world;
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[i].slot;
        const rblMotion* motion = &world->motions.data[slot];
        rblBody* body = &world->bodies.data[slot];
        const bool still = rbl_body_max_speed(body, motion->velocity, motion->spin) < world->def.sleep_speed;
        body->still_time = still ? body->still_time + step->seconds : 0.0f;
        body->rest_time += step->seconds;
        if (!has_rested(step, body, motion))
        {
            body->rest_pose = rbl_motion_pose(motion);
            body->rest_time = 0.0f;
        }
    }
}

// Whether it has rocked around one pose for some steps.
bool rbl_body_is_rocking(const rblWorld* world, uint32_t slot)
{
    const float time = world->bodies.data[slot].rest_time;
    return time > 0.0f && time >= ROCKING_TIME * world->def.sleep_time;
}

// At rest for the sleep time. Even when that is 0, a moving body is not at rest.
static bool is_at_rest(const rblWorld* world, const rblBody* body)
{
    const float time = rbl_maxf(body->still_time, body->joint_count > 0 ? 0.0f : body->rest_time);
    return time > 0.0f && time >= world->def.sleep_time;
}

static bool is_below_sleep_speed(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    switch (step->activities.data[slot])
    {
    case RBL_ACTIVITY_AWAKE:
        return is_at_rest(world, body);
    case RBL_ACTIVITY_DRIVEN:
        return rbl_body_max_speed(body, world->motions.data[slot].velocity, world->motions.data[slot].spin) ==
               0.0f;
    default:
        return true;
    }
}

// A kinematic body or a spring moves its island, even when it is slow.
static bool is_driven(const rblStep* step, const rblSolverBody* body)
{
    return body->island == RBL_NONE || step->islands.data[body->island].contact_work != 0.0;
}

// ---- supports ----

#define A_NEEDS_B 1u
#define B_NEEDS_A 2u

// A body needs the bodies that support it, from below or from the side, but not the bodies that lie on it. Without gravity, all
// touching bodies need each other.
static bool needs(const rblWorld* world, uint32_t slot, rblVec3 force)
{
    const rblBody* body = &world->bodies.data[slot];
    const float gravity = rbl_length3(world->def.gravity) * body->gravity_scale;
    const float size = rbl_length3(force);
    const bool from_above =
        rbl_dot3(force, world->def.gravity) * body->gravity_scale > FROM_ABOVE * fabsf(gravity) * size;
    return gravity == 0.0f || (size > NEEDED_SHARE * body->mass * fabsf(gravity) && !from_above);
}

// Which body of a manifold needs the other one to stay at rest, from the contact forces of this step.
static uint32_t needs_of(const rblStep* step, const rblManifold* manifold)
{
    const rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const bool may_sleep = step->watched.data[pair->a] != 0 || step->watched.data[pair->b] != 0;
    if (!may_sleep || !pair->touching)
    {
        return 0;
    }
    const bool driven = step->activities.data[pair->a] == RBL_ACTIVITY_DRIVEN ||
                        step->activities.data[pair->b] == RBL_ACTIVITY_DRIVEN;
    if (driven || pair->initial_depth > manifold->slop)
    {
        return A_NEEDS_B | B_NEEDS_A;
    }
    return (needs(world, pair->a, rbl_pair_force(world, pair, false)) ? A_NEEDS_B : 0u) |
           (needs(world, pair->b, rbl_pair_force(world, pair, true)) ? B_NEEDS_A : 0u);
}

// Whether a supporting body stays at rest: it is asleep, static, or about to fall asleep.
static bool stays(const rblStep* step, uint32_t slot)
{
    return step->activities.data[slot] == RBL_ACTIVITY_AWAKE ? step->watched.data[slot] != 0
                                                             : is_below_sleep_speed(step, slot);
}

// Returns whether a body was removed because a body that it needs does not stay at rest.
static bool keep_awake(rblStep* step, size_t m)
{
    rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[step->manifolds.data[m].pair];
    const uint32_t need = step->sleeper->needs.data[m];
    const bool a_wakes = (need & A_NEEDS_B) != 0 && step->watched.data[pair->a] != 0 && !stays(step, pair->b);
    const bool b_wakes = (need & B_NEEDS_A) != 0 && step->watched.data[pair->b] != 0 && !stays(step, pair->a);
    step->watched.data[pair->a] = a_wakes ? 0 : step->watched.data[pair->a];
    step->watched.data[pair->b] = b_wakes ? 0 : step->watched.data[pair->b];
    return a_wakes || b_wakes;
}

#define IF_SUPPORTED 2 // value of `watched` until contacts are tested

static bool has_weight(const rblWorld* world, const rblBody* body)
{
    return body->gravity_scale != 0.0f && rbl_dot3(world->def.gravity, world->def.gravity) > 0.0f;
}

// Candidates: bodies at rest. A body with weight that touches nothing and has no joint is falling, even when it is slow.
static void find_candidates(rblStep* step)
{
    rblWorld* world = step->world;
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const rblSolverBody* solver_body = &step->solver_bodies.data[i];
        const uint32_t slot = solver_body->slot;
        const rblBody* body = &world->bodies.data[slot];
        const bool falls = has_weight(world, body) && body->joint_count == 0;
        const bool is_slow = !is_driven(step, solver_body) && is_below_sleep_speed(step, slot);
        step->watched.data[slot] = is_slow ? (falls ? IF_SUPPORTED : 1) : 0;
    }
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblPair* pair = &world->pairs.data[step->manifolds.data[m].pair];
        unsigned char* a = &step->watched.data[pair->a];
        unsigned char* b = &step->watched.data[pair->b];
        *a = *a == IF_SUPPORTED && pair->touching ? 1 : *a;
        *b = *b == IF_SUPPORTED && pair->touching ? 1 : *b;
    }
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        unsigned char* may_sleep = &step->watched.data[step->solver_bodies.data[i].slot];
        *may_sleep = *may_sleep == IF_SUPPORTED ? 0 : *may_sleep;
    }
}

// Remove candidates that need a body that is not at rest, repeatedly: a pile falls asleep from the ground up.
static rblResult find_may_sleep(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t count = step->manifolds.count;
    if (!rbl_array_renew(&step->sleeper->needs, count, 0))
    {
        return rbl_fail_memory();
    }
    find_candidates(step);
    for (size_t m = 0; m < count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        const rblPair* pair = &world->pairs.data[manifold->pair];
        step->sleeper->needs.data[m] = needs_of(step, manifold);
        if (pair->touching && pair->initial_depth > manifold->slop)
        {
            step->watched.data[pair->a] = 0;
            step->watched.data[pair->b] = 0;
        }
    }
    for (bool changed = true; changed;)
    {
        changed = false;
        for (size_t m = 0; m < count; ++m)
        {
            changed = keep_awake(step, m) || changed;
        }
        for (size_t m = count; m > 0 && changed; --m)
        {
            keep_awake(step, m - 1);
        }
    }
    return RBL_OK;
}

// Both bodies of a joint fall asleep, or none. Returns whether anything changed.
static bool agree_on_joint(rblStep* step, const rblJoint* joint)
{
    if (joint->generation == 0)
    {
        return false;
    }
    unsigned char* may_sleep_a = &step->watched.data[joint->a];
    unsigned char* may_sleep_b = joint->b != RBL_NONE ? &step->watched.data[joint->b] : NULL;
    const bool is_slow =
        may_sleep_b == NULL || (is_below_sleep_speed(step, joint->a) && is_below_sleep_speed(step, joint->b));
    const bool a_agrees = is_slow && (may_sleep_b == NULL || *may_sleep_b ||
                                      step->activities.data[joint->b] != RBL_ACTIVITY_AWAKE);
    const bool b_agrees = is_slow && (*may_sleep_a || step->activities.data[joint->a] != RBL_ACTIVITY_AWAKE);
    const bool changes = (*may_sleep_a && !a_agrees) || (may_sleep_b != NULL && *may_sleep_b && !b_agrees);
    *may_sleep_a = *may_sleep_a && a_agrees;
    if (may_sleep_b != NULL)
    {
        *may_sleep_b = *may_sleep_b && b_agrees;
    }
    return changes;
}

// Bodies connected by joints fall asleep together. Passes go forwards and backwards, so that a chain needs two.
static void agree_on_joints(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t count = world->joints.count;
    bool changed = true;
    while (changed)
    {
        changed = false;
        for (size_t i = 0; i < count; ++i)
        {
            changed = agree_on_joint(step, &world->joints.data[i]) || changed;
        }
        for (size_t i = count; i > 0 && changed; --i)
        {
            agree_on_joint(step, &world->joints.data[i - 1]);
        }
    }
}

static void put_to_sleep(rblStep* step, const rblSolverBody* solver_body)
{
    rblWorld* world = step->world;
    const uint32_t slot = solver_body->slot;
    rblBody* body = &world->bodies.data[slot];
    rblMotion* motion = &world->motions.data[slot];
    const rblLoad* load = &step->loads.data[slot];
    body->awake = false;
    rbl_slot_changed(world, slot);
    body->sleep_group = body->joint_count > 0 ? world->last_sleep_group + 1 + solver_body->island : 0;
    body->rest = (rblRest){
        .first_force = load->force,
        .mean_force = load->force,
        .force = load->force,
        .torque = load->torque,
        .support = load->support,
        .force_sum = load->force_sum,
    };
    if (body->joint_count > 0)
    {
        // At rest, joint forces balance the remaining load.
        const rblVec3 weight = rbl_scale3(world->def.gravity, body->mass * body->gravity_scale);
        body->rest.pull = rbl_scale3(rbl_add3(load->force, weight), -1.0f);
        body->rest.joint_torque = rbl_scale3(load->torque, -1.0f);
    }
    world->contact_loss += rbl_body_kinetic(world, slot);
    motion->velocity = rbl_vec3(0, 0, 0);
    motion->spin = rbl_vec3(0, 0, 0);
    motion->momentum = rbl_vec3(0, 0, 0);
    body->previous = rbl_motion_pose(motion);
}

// No body is watched at first.
static rblResult begin_watching(rblStep* step)
{
    const size_t bodies = step->world->bodies.count;
    const size_t before = step->watched_is_clear ? step->watched.count : 0;
    if (!rbl_array_resize_amply(&step->watched, bodies) || !rbl_array_resize_amply(&step->loads, bodies))
    {
        return rbl_fail_memory();
    }
    for (size_t slot = before; slot < bodies; ++slot)
    {
        step->watched.data[slot] = 0;
    }
    rbl_array_clear(&step->watched_sleepers);
    step->watched_is_clear = false;
    return RBL_OK;
}

static void end_watching(rblStep* step)
{
    for (size_t i = 1; i < step->solver_bodies.count; ++i)
    {
        step->watched.data[step->solver_bodies.data[i].slot] = 0;
    }
    for (size_t i = 0; i < step->watched_sleepers.count; ++i)
    {
        step->watched.data[step->watched_sleepers.data[i]] = 0;
    }
    step->watched_is_clear = true;
}

rblResult rbl_sleep_update(rblStep* step)
{
    rblWorld* world = step->world;
    if (!world->def.sleeping)
    {
        return RBL_OK;
    }
    RBL_TRY(begin_watching(step));
    count_stillness(step);
    RBL_TRY(find_may_sleep(step));
    agree_on_joints(step);
    RBL_TRY(rbl_sleepers_watch(step));
    RBL_TRY(rbl_loads_sum(step));
    RBL_TRY(step->sleepers > 0 ? rbl_sleepers_check_loads(step) : RBL_OK);
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        if (step->watched.data[step->solver_bodies.data[i].slot])
        {
            put_to_sleep(step, &step->solver_bodies.data[i]);
        }
    }
    world->last_sleep_group += (uint32_t)step->islands.count;
    end_watching(step);
    return RBL_OK;
}
