// Awake bodies into the solver's arrays.
#include "dynamics/stages.h"
#include <string.h>

rblVec3 rbl_linear_acceleration(const rblWorld* world, const rblSolverBody* body)
{
    const rblBody* record = &world->bodies.data[body->slot];
    const rblVec3 gravity = rbl_scale3(world->def.gravity, record->gravity_scale);
    return body->inverse_mass > 0.0f ? rbl_mul_add3(gravity, body->inverse_mass, record->force)
                                     : rbl_vec3(0, 0, 0);
}

rblVec3 rbl_angular_acceleration(const rblWorld* world, const rblSolverBody* body)
{
    return rbl_symmetric3_apply(&body->inverse_inertia, world->bodies.data[body->slot].torque);
}

void rbl_update_inertia(const rblMotion* motion, rblSolverBody* body)
{
    if (motion->inverse_mass > 0.0f)
    {
        const rblVec3 inverse = {1.0f / motion->moments.x, 1.0f / motion->moments.y,
                                 1.0f / motion->moments.z};
        body->inverse_inertia = rbl_symmetric3_rotated(motion->orientation, inverse);
    }
}

static void gather_block(rblRange range, void* context)
{
    rblWorld* world = context;
    const bool again = world->fracture.round > 0; // bodies broke: some have flown already
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t slot = world->movers.data[i];
        const rblMotion* motion = &world->motions.data[slot];
        rblSolverBody* body = &world->solver_bodies.data[i + 1];
        *body = (rblSolverBody){
            .velocity = motion->velocity,
            .inverse_mass = motion->inverse_mass,
            .spin = motion->spin,
            .seconds = again ? world->fracture.left.data[slot] : world->seconds,
            .slot = slot,
            .island = RBL_NONE,
        };
        rbl_update_inertia(motion, body);
        if (!again)
        {
            world->bodies.data[slot].previous = rbl_motion_pose(motion);
        }
        world->solver_index.data[slot] = i + 1;
        world->at_start.data[i + 1] = (rblVelocity){motion->velocity, motion->spin};
    }
}

static void write_static_world(rblWorld* world)
{
    world->solver_bodies.data[0] = (rblSolverBody){.seconds = 0.0f, .slot = RBL_NONE, .island = RBL_NONE};
    world->at_start.data[0] = (rblVelocity){{0, 0, 0}, {0, 0, 0}};
}

static rblActivity activity(const rblBody* body)
{
    if (body->generation == 0 || body->type == RBL_BODY_STATIC)
    {
        return RBL_ACTIVITY_NONE;
    }
    if (!body->awake)
    {
        return body->type == RBL_BODY_DYNAMIC ? RBL_ACTIVITY_ASLEEP : RBL_ACTIVITY_NONE;
    }
    return body->type == RBL_BODY_DYNAMIC ? RBL_ACTIVITY_AWAKE : RBL_ACTIVITY_DRIVEN;
}

rblResult rbl_gather_movers(rblWorld* world)
{
    if (!world->stirred)
    {
        return RBL_OK;
    }
    rbl_array_clear(&world->movers);
    if (!rbl_array_reserve(&world->movers, world->bodies.count) ||
        !rbl_array_resize_amply(&world->activities, world->bodies.count))
    {
        return rbl_fail_memory();
    }
    world->sleepers = 0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const rblActivity now = activity(&world->bodies.data[slot]);
        world->activities.data[slot] = (unsigned char)now;
        world->sleepers += now == RBL_ACTIVITY_ASLEEP;
        if (now >= RBL_ACTIVITY_AWAKE)
        {
            world->movers.data[world->movers.count++] = slot;
        }
    }
    world->stirred = false;
    world->regrouped = true;
    world->resting_known = false;
    return RBL_OK;
}

// ---- active pairs ----

static bool same_movers(const rblWorld* world)
{
    const size_t bytes = sizeof(uint32_t) * world->movers.count;
    return world->movers.count == world->last_movers.count &&
           (bytes == 0 || memcmp(world->movers.data, world->last_movers.data, bytes) == 0);
}

// Also those who woke since the movers were gathered: a pair of theirs has ended.
static bool is_active(const rblWorld* world, uint32_t slot)
{
    return world->activities.data[slot] >= RBL_ACTIVITY_AWAKE ||
           (world->stirred && world->bodies.data[slot].awake);
}

// The contacts of sleepers by birth are looked for once, so that what holds them is known when they wake.
static bool is_new_sleeper(const rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    return body->born && body->rest.untried;
}

static void list_pairs(rblWorld* world, bool new_sleepers)
{
    world->active_pairs.count = 0;
    world->resting = (rblCounters){0};
    for (uint32_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        const bool is_new = is_new_sleeper(world, pair->a) || is_new_sleeper(world, pair->b);
        if (is_active(world, pair->a) || is_active(world, pair->b) || (new_sleepers && is_new))
        {
            world->active_pairs.data[world->active_pairs.count++] = i;
            continue;
        }
        world->resting.touching += pair->touching;
        world->resting.colliding += pair->colliding;
        world->resting.fast += pair->fast;
    }
}

rblResult rbl_list_active_pairs(rblWorld* world, bool new_sleepers)
{
    const bool births = world->marked && world->sleepers > 0;
    world->regrouped = world->regrouped || world->stirred || births || !same_movers(world);
    if (!world->regrouped)
    {
        return RBL_OK;
    }
    if (!rbl_array_reserve(&world->last_movers, world->movers.count) ||
        !rbl_array_renew(&world->active_pairs, world->pairs.count, world->pairs.capacity))
    {
        return rbl_fail_memory();
    }
    world->last_movers.count = world->movers.count;
    for (size_t i = 0; i < world->movers.count; ++i)
    {
        world->last_movers.data[i] = world->movers.data[i];
    }
    list_pairs(world, new_sleepers);
    return RBL_OK;
}

rblResult rbl_gather_bodies(rblWorld* world)
{
    const size_t count = world->movers.count + 1;
    if (!rbl_array_resize_amply(&world->solver_index, world->bodies.count) ||
        !rbl_array_resize_amply(&world->solver_bodies, count) ||
        !rbl_array_resize_amply(&world->at_start, count) ||
        !rbl_array_resize_amply(&world->before_contacts, count) ||
        !rbl_array_resize_amply(&world->unconstrained, count))
    {
        return rbl_fail_memory();
    }
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        world->solver_index.data[slot] = 0;
    }
    write_static_world(world);
    rbl_parallel_for(world->jobs, (uint32_t)world->movers.count, 256, gather_block, world);
    return RBL_OK;
}
