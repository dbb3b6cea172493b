// Islands at rest fall asleep together and wake together.
#include "dynamics/stages.h"

void rbl_wake_body(rblWorld* world, uint32_t slot)
{
    rblBody* body = &world->bodies.data[slot];
    const uint32_t group = body->sleep_group;
    if (body->generation == 0)
    {
        return; // gone: its pairs end in the next step
    }
    if (body->type != RBL_BODY_DYNAMIC)
    {
        body->awake = body->type == RBL_BODY_KINEMATIC;
        return;
    }
    body->still_time = 0.0f;
    if (body->awake)
    {
        return;
    }
    body->awake = true;
    body->sleep_group = 0;
    for (size_t i = 0; group != 0 && i < world->bodies.count; ++i)
    {
        rblBody* other = &world->bodies.data[i];
        if (other->sleep_group == group)
        {
            other->awake = true;
            other->still_time = 0.0f;
            other->sleep_group = 0;
        }
    }
}

void rbl_wake_neighbours(rblWorld* world, uint32_t slot)
{
    rbl_wake_body(world, slot);
    for (size_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        if (pair->touching && (pair->a == slot || pair->b == slot))
        {
            rbl_wake_body(world, pair->a == slot ? pair->b : pair->a);
        }
    }
    for (size_t i = 0; i < world->joints.count && world->bodies.data[slot].joint_count > 0; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        const bool joined = joint->generation != 0 && (joint->a == slot || joint->b == slot);
        const uint32_t other = joint->a == slot ? joint->b : joint->a;
        if (joined && other != RBL_NONE)
        {
            rbl_wake_body(world, other);
        }
    }
}

static float fastest_point(const rblBody* body, const rblMotion* motion)
{
    return rbl_length3(motion->velocity) + body->shape.radius * rbl_length3(motion->spin);
}

// How long the whole island has been still.
static float island_still_time(rblWorld* world, const rblIsland* island)
{
    float least = INFINITY;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t slot = world->solver_bodies.data[world->island_bodies.data[island->first + i]].slot;
        rblBody* body = &world->bodies.data[slot];
        const bool still = fastest_point(body, &world->motions.data[slot]) < world->def.sleep_speed;
        body->still_time = still ? body->still_time + world->seconds : 0.0f;
        least = rbl_minf(least, body->still_time);
    }
    return least;
}

static void put_to_sleep(rblWorld* world, const rblIsland* island)
{
    world->last_sleep_group += 1;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t slot = world->solver_bodies.data[world->island_bodies.data[island->first + i]].slot;
        rblBody* body = &world->bodies.data[slot];
        rblMotion* motion = &world->motions.data[slot];
        body->awake = false;
        body->sleep_group = world->last_sleep_group;
        motion->velocity = rbl_vec3(0, 0, 0);
        motion->spin = rbl_vec3(0, 0, 0);
        motion->momentum = rbl_vec3(0, 0, 0);
        body->previous = rbl_motion_pose(motion);
    }
}

rblResult rbl_update_sleep(rblWorld* world)
{
    for (size_t i = 0; i < world->islands.count && world->def.sleeping; ++i)
    {
        const rblIsland* island = &world->islands.data[i];
        const bool driven = island->contact_work != 0.0 || island->recovering;
        if (island_still_time(world, island) >= world->def.sleep_time && !driven)
        {
            put_to_sleep(world, island);
        }
    }
    return RBL_OK;
}
