// One step, in the order of docs/step.md.
#include "base/assert.h"
#include "base/timer.h"
#include "dynamics/breaking/fracture.h"
#include "dynamics/pair_list.h"
#include "dynamics/stages.h"
#include "dynamics/world_check.h"

// Milliseconds since the last call, into a field of the profile.
static void lap(double* clock, float* field)
{
    const double now = rbl_timer_seconds();
    *field += (float)(1000.0 * (now - *clock));
    *clock = now;
}

// Check the invariants of later stages, in worlds with checks (world_check.h).
static rblResult check(const rblStep* step, uint32_t checks)
{
    const rblResult result = rbl_world_check(step->world, checks & step->world->stage_checks);
    RBL_ASSERT(result == RBL_OK || result == RBL_ERROR_MEMORY);
    return result;
}

static rblResult detect(rblStep* step, double* clock)
{
    rblWorld* world = step->world;
    RBL_TRY(rbl_movers_gather(step));
    RBL_TRY(rbl_pairs_find(step));
    lap(clock, &world->profile.broad);
    RBL_TRY(check(step, RBL_CHECK_AFTER_PAIRS));
    RBL_TRY(rbl_contacts_find(step));
    RBL_TRY(rbl_siblings_drop_contacts(step));
    RBL_TRY(rbl_contacts_filter(step));
    lap(clock, &world->profile.narrow);
    RBL_TRY(check(step, RBL_CHECK_AFTER_CONTACTS));
    RBL_TRY(rbl_sleepers_wake_by_approach(step));
    RBL_TRY(rbl_pairs_list_active(step, false));
    RBL_TRY(rbl_bodies_gather(step));
    RBL_TRY(rbl_joints_begin(step));
    rbl_joints_prepare(step);
    RBL_TRY(rbl_manifolds_build(step));
    RBL_TRY(rbl_islands_find(step));
    lap(clock, &world->profile.update);
    return check(step, RBL_CHECK_AFTER_ISLANDS);
}

// Resolve impacts and break bodies. The substep continues with the fragments until nothing more breaks.
static rblResult collide(rblStep* step, double* clock)
{
    rblWorld* world = step->world;
    bool breaks = false;
    RBL_TRY(rbl_impacts_resolve(step, &breaks));
    lap(clock, &world->profile.impact);
    RBL_TRY(check(step, RBL_CHECK_AFTER_SOLVING));
    while (breaks)
    {
        RBL_TRY(rbl_bodies_break(step));
        lap(clock, &world->profile.fracture);
        RBL_TRY(check(step, RBL_CHECK_AFTER_BREAKS));
        RBL_TRY(detect(step, clock));
        RBL_TRY(rbl_impacts_resolve(step, &breaks));
        lap(clock, &world->profile.impact);
        RBL_TRY(check(step, RBL_CHECK_AFTER_SOLVING));
    }
    return RBL_OK;
}

static rblResult advance(rblStep* step, double* clock)
{
    rblWorld* world = step->world;
    RBL_TRY(collide(step, clock));
    RBL_TRY(rbl_joints_advance_in_parts(step));
    RBL_TRY(rbl_contacts_solve(step));
    rbl_momentum_conserve(step);
    RBL_TRY(rbl_islands_clamp(step));
    lap(clock, &world->profile.solve);
    RBL_TRY(check(step, RBL_CHECK_AFTER_SOLVING));
    RBL_TRY(rbl_passages_begin(step));
    rbl_integrate(step);
    rbl_orientations_ignore_energy(step);
    RBL_TRY(rbl_passages_end(step));
    lap(clock, &world->profile.integrate);
    RBL_TRY(rbl_drift_correct(step));
    RBL_TRY(rbl_passages_check_drift(step));
    lap(clock, &world->profile.drift);
    rbl_joints_settle(step);
    rbl_bodies_freeze(step);
    RBL_TRY(check(step, RBL_CHECK_AFTER_FREEZING));
    RBL_TRY(rbl_contacts_finish(step));
    RBL_TRY(rbl_siblings_update(step));
    RBL_TRY(rbl_joints_finish(step));
    RBL_TRY(rbl_sensors_sense(step));
    RBL_TRY(rbl_sleep_update(step));
    lap(clock, &world->profile.sleep);
    return RBL_OK;
}

// The movers were gathered again for the energy, unless memory ran out.
static uint32_t count_awake(const rblStep* step)
{
    const rblWorld* world = step->world;
    uint32_t awake = 0;
    for (size_t i = 0; i < world->bodies.count && world->activity_changed; ++i)
    {
        const rblBody* body = &world->bodies.data[i];
        awake += body->generation != 0 && body->awake;
    }
    return world->activity_changed ? awake : (uint32_t)step->movers.count;
}

static void count(rblStep* step)
{
    rblWorld* world = step->world;
    rblCounters* counters = &world->counters;
    counters->bytes = sizeof *world + rbl_counted_memory_bytes(&world->memory);
    counters->bodies = world->ids.alive;
    counters->awake = count_awake(step);
    counters->pairs = (uint32_t)rbl_pair_count(world);
    counters->contacts = (uint32_t)step->solver_contacts.count;
    counters->islands = (uint32_t)step->islands.count;
    counters->joints = world->joint_ids.alive;
    counters->fragments = world->fragments;
    counters->breaks = world->breaks;
    counters->debris = world->debris;
    counters->vanished = world->vanished;
    counters->vanished_mass = world->vanished_mass;
    counters->colors = step->color_count;
}

// Only movers have user forces, because a force wakes its body.
static void clear_forces(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < step->movers.count; ++i)
    {
        rblBody* body = &world->bodies.data[step->movers.data[i]];
        body->force = rbl_vec3(0, 0, 0);
        body->torque = rbl_vec3(0, 0, 0);
    }
}

static void clear_marks(rblStep* step)
{
    rblWorld* world = step->world;
    const uint32_t marked = rbl_slot_list_count(&world->marked, world->bodies.count);
    for (uint32_t i = 0; i < marked; ++i)
    {
        const uint32_t slot = rbl_slot_list_at(&world->marked, i);
        world->bodies.data[slot].is_new = false;
        world->bodies.data[slot].lost_neighbour = false;
        rbl_slot_list_add(&step->stale_paths, slot, world->bodies.count); // paths store is_new
    }
    rbl_slot_list_clear(&world->marked);
    world->has_marks = false;
}

// All bodies sleep and nothing has changed: the step is skipped.
static bool nothing_moves(const rblStep* step)
{
    const rblWorld* world = step->world;
    return !world->bodies_destroyed && !world->unmerged && !world->has_marks && step->movers.count == 0;
}

// ---- tuning ----
#define MIN_SECONDS 1e-6f // s: shorter substeps do nothing, because rates such as 2 / seconds would overflow

static rblResult substep(rblStep* step, float seconds)
{
    rblWorld* world = step->world;
    double clock = rbl_timer_seconds();
    step->seconds = seconds;
    rbl_breaks_begin(step);
    RBL_TRY(detect(step, &clock));
    world->bodies_destroyed = false;
    RBL_TRY(advance(step, &clock));
    clear_marks(step);
    rbl_breaks_end(step);
    return RBL_OK;
}

// When memory runs out, the next step books the work so far.
static rblResult all_substeps(rblStep* step, float seconds)
{
    rblWorld* world = step->world;
    RBL_TRY(rbl_movers_gather(step));
    if (seconds < MIN_SECONDS || nothing_moves(step))
    {
        return RBL_OK;
    }
    for (uint32_t i = 0; i < world->def.substeps; ++i)
    {
        const rblResult result = substep(step, seconds);
        if (result != RBL_OK)
        {
            world->pending_work = world->energy.work;
            return result;
        }
    }
    return RBL_OK;
}

static rblResult step(rblStep* step, float seconds)
{
    rblWorld* world = step->world;
    const double start = rbl_timer_seconds();
    if (!world->begun_stepping)
    {
        // Energy before the first step is the initial energy, not work.
        rbl_energy_measure(step);
        world->total = world->energy.kinetic + world->energy.potential;
        world->pending_work = 0.0;
        world->begun_stepping = true;
    }
    world->profile = (rblProfile){0};
    rbl_array_clear(&world->events);
    rbl_array_clear(&world->joint_events);
    rbl_array_clear(&world->sensor_events);
    rbl_array_clear(&world->impacts);
    rbl_break_log_drop_reported(world);
    rbl_debris_retire(world, seconds);
    rbl_rebuilds_apply(world);
    world->energy.work = world->pending_work;
    world->energy.clamped = 0.0;
    world->energy.clamp_count = 0;
    world->contact_loss = 0.0;
    world->energy.drift_impulse = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        world->energy.drift_momentum[k] = 0.0;
    }
    world->pending_work = 0.0;
    RBL_TRY(all_substeps(step, seconds / (float)world->def.substeps));
    clear_forces(step);
    rbl_energy_measure(step);
    const double total = world->energy.kinetic + world->energy.potential;
    if (!rbl_finite(world->energy.work))
    {
        world->energy.work = total - world->total; // energy of bodies that were frozen
    }
    world->energy.dissipated = world->total + world->energy.work - total;
    world->total = total;
    count(step);
    rbl_break_log_mark_reported(world);
    world->profile.total = (float)(1000.0 * (rbl_timer_seconds() - start));
    return check(step, RBL_CHECK_STATE);
}

rblResult rbl_world_step(rblWorldId id, float seconds)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (!(seconds >= 0.0f && seconds <= RBL_MAX_STEP))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: the step is %g s, must be 0 to %g s", (double)seconds,
                        (double)RBL_MAX_STEP);
    }
    RBL_NOTE_CALL(world, .code = RBL_CALL_STEP, .seconds = seconds);
    world->busy = true;
    const rblResult result = step(world->step, seconds);
    world->busy = false;
    RBL_NOTE_CALL(world, .code = RBL_CALL_STEPPED, .failed = result != RBL_OK);
    return result;
}
