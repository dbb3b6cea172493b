// Copies awake bodies to the arrays of the solver.
#include "dynamics/stages.h"
#include <string.h>

rblVec3 rbl_body_linear_acceleration(const rblWorld* world, const rblSolverBody* body)
{
    const rblBody* record = &world->bodies.data[body->slot];
    const rblVec3 gravity = rbl_scale3(world->def.gravity, record->gravity_scale);
    return body->inverse_mass > 0.0f ? rbl_mul_add3(gravity, body->inverse_mass, record->force)
                                     : rbl_vec3(0, 0, 0);
}

rblVec3 rbl_body_angular_acceleration(const rblWorld* world, const rblSolverBody* body)
{
    return rbl_symmetric3_apply(&body->inverse_inertia, world->bodies.data[body->slot].torque);
}

void rbl_inertia_update(const rblMotion* motion, rblSolverBody* body)
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
    rblStep* step = context;
    rblWorld* world = step->world;
    const bool again = step->break_round > 0; // after a break, some bodies have already moved in this substep
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t slot = step->movers.data[i];
        const rblMotion* motion = &world->motions.data[slot];
        rblSolverBody* body = &step->solver_bodies.data[i + 1];
        *body = (rblSolverBody){
            .velocity = motion->velocity,
            .inverse_mass = motion->inverse_mass,
            .spin = motion->spin,
            .seconds = again ? step->time_left.data[slot] : step->seconds,
            .slot = slot,
            .island = RBL_NONE,
        };
        rbl_inertia_update(motion, body);
        if (!again)
        {
            world->bodies.data[slot].previous = rbl_motion_pose(motion);
        }
        step->solver_index.data[slot] = i + 1;
        step->at_start.data[i + 1] = (rblVelocity){motion->velocity, motion->spin};
    }
}

static void write_static_world(rblStep* step)
{
    step->solver_bodies.data[0] = (rblSolverBody){.seconds = 0.0f, .slot = RBL_NONE, .island = RBL_NONE};
    step->at_start.data[0] = (rblVelocity){{0, 0, 0}, {0, 0, 0}};
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

rblResult rbl_movers_gather(rblStep* step)
{
    rblWorld* world = step->world;
    if (!world->activity_changed)
    {
        return RBL_OK;
    }
    rbl_array_clear(&step->movers);
    if (!rbl_array_reserve(&step->movers, world->bodies.count) ||
        !rbl_array_resize_amply(&step->activities, world->bodies.count))
    {
        return rbl_fail_memory();
    }
    step->sleepers = 0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        const rblActivity now = activity(&world->bodies.data[slot]);
        step->activities.data[slot] = (unsigned char)now;
        step->sleepers += now == RBL_ACTIVITY_ASLEEP;
        if (now >= RBL_ACTIVITY_AWAKE)
        {
            step->movers.data[step->movers.count++] = slot;
        }
    }
    world->activity_changed = false;
    world->regrouped = true;
    world->resting_sums.known = false;
    return RBL_OK;
}

// ---- active pairs ----

static bool same_movers(const rblStep* step)
{
    const size_t bytes = sizeof(uint32_t) * step->movers.count;
    return step->movers.count == step->last_movers.count &&
           (bytes == 0 || memcmp(step->movers.data, step->last_movers.data, bytes) == 0);
}

// Bodies that woke after the movers were gathered are included, because one of their pairs has ended.
static bool is_active(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    return step->activities.data[slot] >= RBL_ACTIVITY_AWAKE ||
           (world->activity_changed && world->bodies.data[slot].awake);
}

// The contacts of bodies created asleep are found once, so that their support is known when they wake.
static bool is_new_sleeper(const rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    return body->is_new && body->rest.untried;
}

static void list_pairs(rblStep* step, bool new_sleepers)
{
    rblWorld* world = step->world;
    step->active_pairs.count = 0;
    step->resting = (rblCounters){0};
    for (uint32_t i = 0; i < world->pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[i];
        const bool is_new = is_new_sleeper(world, pair->a) || is_new_sleeper(world, pair->b);
        if (is_active(step, pair->a) || is_active(step, pair->b) || (new_sleepers && is_new))
        {
            step->active_pairs.data[step->active_pairs.count++] = i;
            continue;
        }
        step->resting.touching += pair->touching;
        step->resting.colliding += pair->colliding;
        step->resting.fast += pair->fast;
    }
}

rblResult rbl_pairs_list_active(rblStep* step, bool new_sleepers)
{
    rblWorld* world = step->world;
    const bool new_bodies = world->has_marks && step->sleepers > 0;
    world->regrouped = world->regrouped || world->activity_changed || new_bodies || !same_movers(step);
    if (!world->regrouped)
    {
        return RBL_OK;
    }
    if (!rbl_array_reserve(&step->last_movers, step->movers.count) ||
        !rbl_array_renew(&step->active_pairs, world->pairs.count, world->pairs.capacity))
    {
        return rbl_fail_memory();
    }
    step->last_movers.count = step->movers.count;
    for (size_t i = 0; i < step->movers.count; ++i)
    {
        step->last_movers.data[i] = step->movers.data[i];
    }
    list_pairs(step, new_sleepers);
    return RBL_OK;
}

rblResult rbl_bodies_gather(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t count = step->movers.count + 1;
    if (!rbl_array_resize_amply(&step->solver_index, world->bodies.count) ||
        !rbl_array_resize_amply(&step->solver_bodies, count) ||
        !rbl_array_resize_amply(&step->at_start, count) ||
        !rbl_array_resize_amply(&step->before_contacts, count) ||
        !rbl_array_resize_amply(&step->unconstrained, count))
    {
        return rbl_fail_memory();
    }
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        step->solver_index.data[slot] = 0;
    }
    write_static_world(step);
    rbl_parallel_for(world->jobs, (uint32_t)step->movers.count, 256, gather_block, step);
    return RBL_OK;
}
