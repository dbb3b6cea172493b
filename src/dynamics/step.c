// One step, in the order of docs/step.md.
#include "base/timer.h"
#include "dynamics/breaking/fracture.h"
#include "dynamics/stages.h"

// Milliseconds since the last call, into a field of the profile.
static void lap(double* clock, float* field)
{
    const double now = rbl_timer_seconds();
    *field += (float)(1000.0 * (now - *clock));
    *clock = now;
}

static rblResult detect(rblWorld* world, double* clock)
{
    RBL_TRY(rbl_gather_movers(world));
    RBL_TRY(rbl_find_pairs(world));
    lap(clock, &world->profile.broad);
    RBL_TRY(rbl_find_contacts(world));
    RBL_TRY(rbl_release_mates(world));
    lap(clock, &world->profile.narrow);
    RBL_TRY(rbl_wake_struck(world));
    RBL_TRY(rbl_list_active_pairs(world, false));
    RBL_TRY(rbl_gather_bodies(world));
    RBL_TRY(rbl_begin_joints(world));
    rbl_prepare_joints(world);
    RBL_TRY(rbl_build_manifolds(world));
    RBL_TRY(rbl_find_islands(world));
    lap(clock, &world->profile.update);
    return RBL_OK;
}

// Impacts, and what breaks by them: the substep goes on with the fragments, until nothing more breaks.
static rblResult collide(rblWorld* world, double* clock)
{
    RBL_TRY(rbl_resolve_impacts(world));
    lap(clock, &world->profile.impact);
    while (world->fracture.plans.count > 0)
    {
        RBL_TRY(rbl_break_bodies(world));
        lap(clock, &world->profile.fracture);
        RBL_TRY(detect(world, clock));
        RBL_TRY(rbl_resolve_impacts(world));
        lap(clock, &world->profile.impact);
    }
    return RBL_OK;
}

static rblResult advance(rblWorld* world, double* clock)
{
    RBL_TRY(collide(world, clock));
    RBL_TRY(rbl_solve_contacts(world));
    rbl_conserve_momentum(world);
    RBL_TRY(rbl_clamp_islands(world));
    lap(clock, &world->profile.solve);
    rbl_integrate(world);
    lap(clock, &world->profile.integrate);
    RBL_TRY(rbl_correct_drift(world));
    lap(clock, &world->profile.drift);
    rbl_settle_joints(world);
    rbl_freeze_bad_bodies(world);
    RBL_TRY(rbl_finish_contacts(world));
    RBL_TRY(rbl_note_strangers(world));
    RBL_TRY(rbl_finish_joints(world));
    RBL_TRY(rbl_update_sleep(world));
    lap(clock, &world->profile.sleep);
    return RBL_OK;
}

#define ARRAY_BYTES(array) ((array)->capacity * sizeof *(array)->data)

// Memory of the parts that grow with the scene.
static size_t bytes_of(const rblWorld* world)
{
    size_t bytes =
        sizeof *world + rbl_broad_phase_bytes(world->broad) + ARRAY_BYTES(&world->bodies) +
        ARRAY_BYTES(&world->motions) + ARRAY_BYTES(&world->joints) + ARRAY_BYTES(&world->pairs) +
        ARRAY_BYTES(&world->old_pairs) + ARRAY_BYTES(&world->contacts) + ARRAY_BYTES(&world->old_contacts) +
        ARRAY_BYTES(&world->solver_bodies) + ARRAY_BYTES(&world->solver_contacts) +
        ARRAY_BYTES(&world->manifolds) + ARRAY_BYTES(&world->bundles) + ARRAY_BYTES(&world->wide_contacts) +
        ARRAY_BYTES(&world->islands) + ARRAY_BYTES(&world->subspace) + ARRAY_BYTES(&world->subspace_rows) +
        rbl_blocks_bytes(&world->joint_system.blocks) + rbl_blocks_bytes(&world->subspace_blocks);
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        bytes += ARRAY_BYTES(&world->block_contacts[b]);
    }
    return bytes;
}

static uint32_t count_awake(const rblWorld* world)
{
    uint32_t awake = 0;
    for (size_t i = 0; i < world->bodies.count && world->stirred; ++i)
    {
        const rblBody* body = &world->bodies.data[i];
        awake += body->generation != 0 && body->awake;
    }
    return world->stirred ? awake : (uint32_t)world->movers.count;
}

static void count(rblWorld* world)
{
    rblCounters* counters = &world->counters;
    counters->bytes = bytes_of(world);
    counters->bodies = world->ids.alive;
    counters->awake = count_awake(world);
    counters->pairs = (uint32_t)world->pairs.count;
    counters->contacts = (uint32_t)world->solver_contacts.count;
    counters->islands = (uint32_t)world->islands.count;
    counters->joints = world->joint_ids.alive;
    counters->fragments = world->fragments;
    counters->breaks = world->breaks;
    counters->debris = world->debris;
    counters->vanished = world->vanished;
    counters->vanished_mass = world->vanished_mass;
    counters->colors = world->color_count;
}

// Forces wake, so that only movers have any.
static void forget_forces(rblWorld* world)
{
    for (size_t i = 0; i < world->movers.count; ++i)
    {
        rblBody* body = &world->bodies.data[world->movers.data[i]];
        body->force = rbl_vec3(0, 0, 0);
        body->torque = rbl_vec3(0, 0, 0);
    }
}

static void forget_births_and_losses(rblWorld* world)
{
    for (size_t i = 0; i < world->bodies.count && world->marked; ++i)
    {
        world->bodies.data[i].born = false;
        world->bodies.data[i].bereft = false;
    }
    world->regrouped = world->regrouped || world->marked; // courses say who was born
    world->marked = false;
}

// Everything asleep and nothing new: the step costs nothing.
static bool nothing_moves(const rblWorld* world)
{
    return !world->bereft && !world->unmerged && !world->marked && world->movers.count == 0;
}

// Without the time to do anything: rates such as 2 / seconds would overflow.
#define SHORTEST 1e-6f

static rblResult substep(rblWorld* world, float seconds)
{
    double clock = rbl_timer_seconds();
    world->seconds = seconds;
    rbl_begin_breaks(world);
    RBL_TRY(detect(world, &clock));
    world->bereft = false;
    RBL_TRY(advance(world, &clock));
    forget_births_and_losses(world);
    rbl_end_breaks(world);
    return RBL_OK;
}

// When memory runs out half way, the work so far is booked by the next step.
static rblResult all_substeps(rblWorld* world, float seconds)
{
    RBL_TRY(rbl_gather_movers(world));
    if (seconds < SHORTEST || nothing_moves(world))
    {
        return RBL_OK;
    }
    for (uint32_t i = 0; i < world->def.substeps; ++i)
    {
        const rblResult result = substep(world, seconds);
        if (result != RBL_OK)
        {
            world->pending_work = world->energy.work;
            return result;
        }
    }
    return RBL_OK;
}

static rblResult step(rblWorld* world, float seconds)
{
    const double start = rbl_timer_seconds();
    if (!world->begun_stepping)
    {
        // What is there before the first step is the start, not work.
        rbl_measure_energy(world);
        world->total = world->energy.kinetic + world->energy.potential;
        world->pending_work = 0.0;
        world->begun_stepping = true;
    }
    world->profile = (rblProfile){0};
    rbl_array_clear(&world->events);
    rbl_array_clear(&world->joint_events);
    rbl_array_clear(&world->hits);
    rbl_forget_told_breaks(world);
    rbl_retire_debris(world, seconds);
    rbl_put_in_rebuilt(world);
    world->energy.work = world->pending_work;
    world->energy.clamped = 0.0;
    world->energy.clamp_count = 0;
    for (int k = 0; k < 3; ++k)
    {
        world->energy.drift_momentum[k] = 0.0;
    }
    world->pending_work = 0.0;
    RBL_TRY(all_substeps(world, seconds / (float)world->def.substeps));
    forget_forces(world);
    rbl_measure_energy(world);
    const double total = world->energy.kinetic + world->energy.potential;
    if (!rbl_finite(world->energy.work))
    {
        world->energy.work = total - world->total; // of bodies that were frozen
    }
    world->energy.dissipated = world->total + world->energy.work - total;
    world->total = total;
    count(world);
    rbl_note_told_breaks(world);
    world->profile.total = (float)(1000.0 * (rbl_timer_seconds() - start));
    return RBL_OK;
}

rblResult rbl_world_step(rblWorldId id, float seconds)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (!(seconds >= 0.0f && seconds <= RBL_MAX_STEP))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: a step must last 0 to 1 s");
    }
    RBL_NOTE_CALL(world, .code = RBL_CALL_STEP, .seconds = seconds);
    const rblResult result = step(world, seconds);
    RBL_NOTE_CALL(world, .code = RBL_CALL_STEPPED, .failed = result != RBL_OK);
    return result;
}
