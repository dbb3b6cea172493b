// Copies awake bodies to the arrays of the solver.
#include "base/sort.h"
#include "dynamics/stages.h"

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

void rbl_slot_list_sort(rblStep* step, rblSlotList* list)
{
    rblIndexArray* slots = &list->slots;
    if (slots->count < 2)
    {
        return;
    }
    if (!rbl_array_renew(&step->slot_scratch, slots->count, 0))
    {
        list->all = true;
        rbl_array_clear(slots);
        return;
    }
    rbl_sort_indices(slots->data, step->slot_scratch.data, slots->count, rbl_before_by_value, NULL);
    size_t kept = 1;
    for (size_t i = 1; i < slots->count; ++i)
    {
        if (slots->data[i] != slots->data[kept - 1])
        {
            slots->data[kept++] = slots->data[i];
        }
    }
    slots->count = kept;
}

// ---- activities ----

// The activity of a body may have changed: its pairs, its path and the sums of its block follow.
static bool set_activity(rblStep* step, uint32_t slot)
{
    rblWorld* world = step->world;
    const unsigned char before = step->activities.data[slot];
    const rblActivity now = activity(&world->bodies.data[slot]);
    step->activities.data[slot] = (unsigned char)now;
    step->untried.data[slot] = now == RBL_ACTIVITY_ASLEEP && world->bodies.data[slot].rest.untried;
    step->sleepers += now == RBL_ACTIVITY_ASLEEP;
    step->sleepers -= before == RBL_ACTIVITY_ASLEEP;
    rbl_slot_list_add(&step->stale_paths, slot, world->bodies.count);
    rbl_resting_sums_forget(world, slot);
    const bool moves = now >= RBL_ACTIVITY_AWAKE;
    const bool moved = before >= RBL_ACTIVITY_AWAKE;
    step->parks = step->parks || (moved && !moves);
    step->relists = step->relists || moved != moves;
    return moves == moved ||
           (rbl_array_push(&step->flipped, slot) && (!moves || rbl_array_push(&step->woken, slot)));
}

// Bodies that began to move join the movers, in order, and those that stopped leave.
static bool merge_movers(rblStep* step)
{
    rblIndexArray* joining = &step->flipped;
    size_t joined = 0;
    for (size_t i = 0; i < joining->count; ++i)
    {
        const uint32_t slot = joining->data[i];
        const bool moves = step->activities.data[slot] >= RBL_ACTIVITY_AWAKE;
        joining->data[joined] = slot;
        joined += moves;
    }
    joining->count = joined;
    if (!rbl_array_reserve_more(&step->movers, joined) || !rbl_array_renew(&step->slot_scratch, joined, 0))
    {
        return false;
    }
    rbl_sort_indices(joining->data, step->slot_scratch.data, joined, rbl_before_by_value, NULL);
    size_t left = 0;
    for (size_t i = 0; i < step->movers.count; ++i)
    {
        const uint32_t slot = step->movers.data[i];
        step->movers.data[left] = slot;
        left += step->activities.data[slot] >= RBL_ACTIVITY_AWAKE;
    }
    step->movers.count = left + joined;
    for (size_t out = step->movers.count; joined > 0; --out)
    {
        const bool keeps = left > 0 && step->movers.data[left - 1] > joining->data[joined - 1];
        step->movers.data[out - 1] = keeps ? step->movers.data[left - 1] : joining->data[joined - 1];
        left -= keeps;
        joined -= !keeps;
    }
    return true;
}

// Forget what is known of all bodies: they are looked at again.
static void forget_activities(rblStep* step)
{
    rbl_array_clear(&step->movers);
    rbl_array_clear(&step->activities);
    step->sleepers = 0;
    step->relists = step->relists_all = true;
}

rblResult rbl_movers_gather(rblStep* step)
{
    rblWorld* world = step->world;
    if (!world->activity_changed)
    {
        return RBL_OK;
    }
    if (world->changed.all)
    {
        forget_activities(step);
    }
    const size_t before = step->activities.count;
    bool ok = rbl_array_resize_amply(&step->untried, world->bodies.count) &&
              rbl_array_resize_amply(&step->activities, world->bodies.count) &&
              rbl_resting_sums_reserve(world);
    for (size_t slot = before; slot < step->activities.count; ++slot)
    {
        step->activities.data[slot] = RBL_ACTIVITY_NONE;
        step->untried.data[slot] = 0;
    }
    rbl_array_clear(&step->flipped);
    const uint32_t changed = rbl_slot_list_count(&world->changed, world->bodies.count);
    for (uint32_t i = 0; i < changed && ok; ++i)
    {
        ok = set_activity(step, rbl_slot_list_at(&world->changed, i));
    }
    if (!ok || !merge_movers(step))
    {
        world->changed.all = true;
        return rbl_fail_memory();
    }
    rbl_slot_list_clear(&world->changed);
    world->activity_changed = false;
    return RBL_OK;
}

// ---- the solver's bodies ----

rblResult rbl_bodies_gather(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t count = step->movers.count + 1;
    const size_t indexed = step->solver_index.count;
    for (size_t i = 1; i < step->solver_bodies.count; ++i)
    {
        step->solver_index.data[step->solver_bodies.data[i].slot] = 0;
    }
    if (!rbl_array_resize_amply(&step->solver_index, world->bodies.count) ||
        !rbl_array_resize_amply(&step->solver_bodies, count) ||
        !rbl_array_resize_amply(&step->at_start, count) ||
        !rbl_array_resize_amply(&step->before_contacts, count) ||
        !rbl_array_resize_amply(&step->unconstrained, count))
    {
        rbl_array_clear(&step->solver_bodies);
        rbl_array_clear(&step->solver_index);
        return rbl_fail_memory();
    }
    for (size_t slot = indexed; slot < world->bodies.count; ++slot)
    {
        step->solver_index.data[slot] = 0;
    }
    write_static_world(step);
    rbl_parallel_for(world->jobs, (uint32_t)step->movers.count, 256, gather_block, step);
    return RBL_OK;
}
