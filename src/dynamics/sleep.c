// Who falls asleep, and what sleepers notice.
//
// A body falls asleep when it and all that it touches have been still for a while: parts of a heap sleep while others still
// move. Sleepers are as good as static to their awake neighbours. Each remembers what its contacts did to it when it fell asleep;
// what awake neighbours do beyond that is added up as the momentum that it would have by now, and it wakes when that would be
// seen. A support that is gone is more than that: what rests on the sleeper wakes with it.
#include "dynamics/stages.h"

float rbl_fastest_point(const rblBody* body, rblVec3 velocity, rblVec3 spin)
{
    return rbl_length3(velocity) + body->shape.radius * rbl_length3(spin);
}

// ---- falling asleep ----

static void count_stillness(rblWorld* world)
{
    for (uint32_t i = 1; i < world->solver_bodies.count; ++i)
    {
        const uint32_t slot = world->solver_bodies.data[i].slot;
        const rblMotion* motion = &world->motions.data[slot];
        rblBody* body = &world->bodies.data[slot];
        const bool still = rbl_fastest_point(body, motion->velocity, motion->spin) < world->def.sleep_speed;
        body->still_time = still ? body->still_time + world->seconds : 0.0f;
    }
}

static bool is_calm(const rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    switch (world->activities.data[slot])
    {
    case RBL_ACTIVITY_AWAKE:
        return body->still_time >= world->def.sleep_time;
    case RBL_ACTIVITY_DRIVEN:
        return rbl_fastest_point(body, world->motions.data[slot].velocity, world->motions.data[slot].spin) ==
               0.0f;
    default:
        return true;
    }
}

// A kinematic body or a spring moves its island, however slowly.
static bool is_driven(const rblWorld* world, const rblSolverBody* body)
{
    return body->island == RBL_NONE || world->islands.data[body->island].contact_work != 0.0;
}

// Those that are calm, less those that touch one that is not, or that overlap from birth.
static void find_tired(rblWorld* world)
{
    for (uint32_t i = 1; i < world->solver_bodies.count; ++i)
    {
        const rblSolverBody* body = &world->solver_bodies.data[i];
        world->watched.data[body->slot] = !is_driven(world, body) && is_calm(world, body->slot);
    }
    for (size_t m = 0; m < world->manifolds.count; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        const rblPair* pair = &world->pairs.data[manifold->pair];
        const bool recovers = pair->born_depth > manifold->slop;
        if (pair->touching && (recovers || !is_calm(world, pair->a) || !is_calm(world, pair->b)))
        {
            world->watched.data[pair->a] = 0;
            world->watched.data[pair->b] = 0;
        }
    }
}

// Both ends of a joint or none. True when that changed something.
static bool agree_on_joint(rblWorld* world, const rblJoint* joint)
{
    if (joint->generation == 0)
    {
        return false;
    }
    unsigned char* tired_a = &world->watched.data[joint->a];
    unsigned char* tired_b = joint->b != RBL_NONE ? &world->watched.data[joint->b] : NULL;
    const bool calm = tired_b == NULL || (is_calm(world, joint->a) && is_calm(world, joint->b));
    const bool a_agrees =
        calm && (tired_b == NULL || *tired_b || world->activities.data[joint->b] != RBL_ACTIVITY_AWAKE);
    const bool b_agrees = calm && (*tired_a || world->activities.data[joint->a] != RBL_ACTIVITY_AWAKE);
    const bool changes = (*tired_a && !a_agrees) || (tired_b != NULL && *tired_b && !b_agrees);
    *tired_a = *tired_a && a_agrees;
    if (tired_b != NULL)
    {
        *tired_b = *tired_b && b_agrees;
    }
    return changes;
}

// What hangs together by joints falls asleep together. Forwards and backwards, so that chains take two passes.
static void agree_on_joints(rblWorld* world)
{
    const size_t count = world->joints.count;
    bool changed = true;
    while (changed)
    {
        changed = false;
        for (size_t i = 0; i < count; ++i)
        {
            changed = agree_on_joint(world, &world->joints.data[i]) || changed;
        }
        for (size_t i = count; i > 0 && changed; --i)
        {
            agree_on_joint(world, &world->joints.data[i - 1]);
        }
    }
}

static void put_to_sleep(rblWorld* world, const rblSolverBody* solver_body)
{
    const uint32_t slot = solver_body->slot;
    rblBody* body = &world->bodies.data[slot];
    rblMotion* motion = &world->motions.data[slot];
    const rblLoad* load = &world->loads.data[slot];
    body->awake = false;
    world->stirred = true;
    body->sleep_group = body->joint_count > 0 ? world->last_sleep_group + 1 + solver_body->island : 0;
    body->rest = (rblRest){
        .first_force = load->force,
        .force = load->force,
        .torque = load->torque,
        .support = load->support,
        .borne = load->borne,
    };
    if (body->joint_count > 0)
    {
        // It is at rest: joints do what contacts leave.
        const rblVec3 weight = rbl_scale3(world->def.gravity, body->mass * body->gravity_scale);
        body->rest.pull = rbl_scale3(rbl_add3(load->force, weight), -1.0f);
        body->rest.pull_turn = rbl_scale3(load->torque, -1.0f);
    }
    motion->velocity = rbl_vec3(0, 0, 0);
    motion->spin = rbl_vec3(0, 0, 0);
    motion->momentum = rbl_vec3(0, 0, 0);
    body->previous = rbl_motion_pose(motion);
}

rblResult rbl_update_sleep(rblWorld* world)
{
    if (!world->def.sleeping)
    {
        return RBL_OK;
    }
    if (!rbl_array_resize_amply(&world->watched, world->bodies.count) ||
        !rbl_array_resize_amply(&world->loads, world->bodies.count))
    {
        return rbl_fail_memory();
    }
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        world->watched.data[slot] = 0;
    }
    count_stillness(world);
    find_tired(world);
    agree_on_joints(world);
    rbl_watch_sleepers(world);
    rbl_sum_loads(world);
    RBL_TRY(world->sleepers > 0 ? rbl_notice_changes(world) : RBL_OK);
    for (uint32_t i = 1; i < world->solver_bodies.count; ++i)
    {
        if (world->watched.data[world->solver_bodies.data[i].slot])
        {
            put_to_sleep(world, &world->solver_bodies.data[i]);
        }
    }
    world->last_sleep_group += (uint32_t)world->islands.count;
    return RBL_OK;
}
