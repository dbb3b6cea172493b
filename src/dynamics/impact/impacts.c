// Impacts: bodies in free flight are moved to their first impact, then colliding pairs bounce or stop.
#include "dynamics/impact/impacts.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"

// ---- memory ----

#define ARRAYS(X)                                                                                            \
    X(impact_bundles)                                                                                        \
    X(last_change)                                                                                           \
    X(speeds)                                                                                                \
    X(times)                                                                                                 \
    X(groups)                                                                                                \
    X(freedoms)                                                                                              \
    X(isolations)                                                                                            \
    X(impact_points)                                                                                         \
    X(firsts)                                                                                                \
    X(may_impact)                                                                                            \
    X(accelerations)                                                                                         \
    X(surface_spins)                                                                                         \
    X(isolated_manifolds)                                                                                    \
    X(isolated_bundles)                                                                                      \
    X(closing_manifolds)                                                                                     \
    X(slides)

rblImpactStage* rbl_impact_stage_create(const rblAllocator* allocator)
{
    rblImpactStage* stage = rbl_alloc_zero(allocator, sizeof *stage);
    if (stage == NULL)
    {
        return NULL;
    }
    ARRAYS(RBL_STAGE_INIT_ARRAY)
    for (uint32_t w = 0; w < RBL_MAX_WORKERS; ++w)
    {
        stage->worker_contacts[w].allocator = allocator;
    }
    return stage;
}

void rbl_impact_stage_destroy(rblImpactStage* stage, const rblAllocator* allocator)
{
    if (stage == NULL)
    {
        return;
    }
    ARRAYS(RBL_STAGE_FREE_ARRAY)
    for (uint32_t w = 0; w < RBL_MAX_WORKERS; ++w)
    {
        rbl_contact_set_free(&stage->worker_contacts[w]);
    }
    rbl_free(allocator, stage, sizeof *stage);
}

// Joints lose the relative velocity that they cannot follow. The pairs of their bodies are solved again.
static bool tighten_joints(rblStep* step, float threshold, uint32_t sweep)
{
    rblWorld* world = step->world;
    if (!rbl_joints_tighten(step, threshold))
    {
        return false;
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0)
        {
            step->impact->last_change.data[joint->solver_a] = (unsigned char)(sweep + 1);
            step->impact->last_change.data[joint->solver_b] = (unsigned char)(sweep + 1);
        }
    }
    step->impact->last_change.data[0] = 0; // the static world
    return true;
}

// ---- sweeps ----

typedef struct Sweep
{
    rblStep* step;
    float threshold;
    uint32_t number;
    uint32_t color;   // of the current loop; RBL_NONE before the first one
    rblCollided most; // in this sweep
    uint32_t end;     // sweeps in all
    rblCollided blocks[RBL_MAX_BLOCKS];
} Sweep;

static rblCollided more_of(rblCollided a, rblCollided b)
{
    return a > b ? a : b;
}

// Two sweeps without bounces follow the last bounce.
static uint32_t sweeps_after(rblCollided most, uint32_t number, uint32_t end)
{
    return most == RBL_COLLIDED_BOUNCED && number + 3 > end ? number + 3 : end;
}

static void collide_block(rblRange range, void* context)
{
    Sweep* sweep = context;
    const uint32_t first = sweep->step->color_bundles[sweep->color];
    rblCollided most = RBL_COLLIDED_NOT;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        most = more_of(most, rbl_impact_bundle_collide(sweep->step, first + i, sweep->number));
    }
    sweep->blocks[range.block] = most;
}

static void add_blocks(Sweep* sweep)
{
    const rblLoop loop = rbl_color_loop(sweep->step, sweep->color, collide_block, sweep);
    for (uint32_t b = 0; b < rbl_block_count(loop.count, loop.min_range); ++b)
    {
        sweep->most = more_of(sweep->most, sweep->blocks[b]);
    }
}

// False when no pair approached and no joint changed, or after the last sweep.
static bool end_sweep(Sweep* sweep)
{
    const bool changed = tighten_joints(sweep->step, sweep->threshold, sweep->number);
    const bool any = changed || sweep->most != RBL_COLLIDED_NOT;
    sweep->end = sweeps_after(sweep->most, sweep->number, sweep->end);
    sweep->number += 1;
    sweep->most = RBL_COLLIDED_NOT;
    sweep->color = 0;
    return any && sweep->number < sweep->end;
}

// The order of loops: all colours, joints, all colours, ...
static bool next_of_sweep(rblLoop* loop, void* context)
{
    Sweep* sweep = context;
    if (sweep->color != RBL_NONE)
    {
        add_blocks(sweep);
    }
    sweep->color = sweep->color != RBL_NONE ? sweep->color + 1 : 0;
    while (sweep->color >= sweep->step->color_count)
    {
        if (!end_sweep(sweep))
        {
            return false;
        }
    }
    *loop = rbl_color_loop(sweep->step, sweep->color, collide_block, sweep);
    return true;
}

static void begin_block(rblRange range, void* context)
{
    const Sweep* sweep = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_impact_bundle_begin(sweep->step, i, sweep->threshold, 0);
    }
}

static void store_block(rblRange range, void* context)
{
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_impact_bundle_store(context, i);
    }
}

static void sweep_all(rblStep* step, float threshold)
{
    rblWorld* world = step->world;
    Sweep sweep = {.step = step, .threshold = threshold, .color = RBL_NONE, .end = RBL_IMPACT_SWEEPS};
    const uint32_t count = step->color_bundles[RBL_MAX_COLORS];
    rbl_parallel_for(world->jobs, count, RBL_MIN_BUNDLES, begin_block, &sweep);
    rbl_parallel_chain(world->jobs, next_of_sweep, &sweep);
    rbl_parallel_for(world->jobs, count, RBL_MIN_BUNDLES, store_block, step);
}

// The same for the bundles of isolated bodies. They are few, so there is one worker.
static void sweep_isolated(rblStep* step, float threshold, uint32_t round)
{
    const rblIndexArray* bundles = &step->impact->isolated_bundles;
    for (size_t i = 0; i < bundles->count; ++i)
    {
        rbl_impact_bundle_begin(step, bundles->data[i], threshold, round);
    }
    rblCollided most = RBL_COLLIDED_STOPPED;
    uint32_t end = RBL_IMPACT_SWEEPS;
    for (uint32_t sweep = 0; sweep < end && most != RBL_COLLIDED_NOT; ++sweep)
    {
        most = RBL_COLLIDED_NOT;
        for (size_t i = 0; i < bundles->count; ++i)
        {
            most = more_of(most, rbl_impact_bundle_collide(step, bundles->data[i], sweep));
        }
        end = sweeps_after(most, sweep, end);
    }
    for (size_t i = 0; i < bundles->count; ++i)
    {
        rbl_impact_bundle_store(step, bundles->data[i]);
    }
}

// ---- rounds ----

// Marks the isolated bodies that this round has changed as busy, for the next round. Returns whether there are any.
static bool find_busy(rblStep* step)
{
    bool any = false;
    for (size_t i = 1; i < step->solver_bodies.count; ++i)
    {
        unsigned char* isolation = &step->impact->isolations.data[i];
        const bool changed = step->impact->times.data[i] > 0.0f || step->impact->last_change.data[i] > 0;
        const bool goes_on =
            *isolation != RBL_ISOLATION_NONE && changed && step->solver_bodies.data[i].seconds > 0.0f;
        *isolation = *isolation == RBL_ISOLATION_NONE ? RBL_ISOLATION_NONE
                     : goes_on                        ? RBL_ISOLATION_BUSY
                                                      : RBL_ISOLATION_IDLE;
        any = any || goes_on;
        step->impact->last_change.data[i] = 0;
        if (goes_on)
        {
            const rblSolverBody* body = &step->solver_bodies.data[i];
            step->at_start.data[i] = (rblVelocity){body->velocity, body->spin};
        }
    }
    return any;
}

static bool keep_impact(rblStep* step, uint32_t m)
{
    rblManifold* manifold = &step->manifolds.data[m];
    if (!(manifold->impact_normal_impulse > 0.0f))
    {
        return true;
    }
    const rblManifoldImpact impact = {
        .manifold = m,
        .before = manifold->last_impact,
        .normal_impulse = manifold->impact_normal_impulse,
        .speed = manifold->impact_speed,
        .impulse = manifold->impact_impulse,
        .at = step->impact->impact_points.data[m],
    };
    if (!rbl_array_push(&step->manifold_impacts, impact))
    {
        return false;
    }
    manifold->last_impact = (uint32_t)step->manifold_impacts.count;
    manifold->impact_normal_impulse = 0.0f;
    manifold->impact_speed = 0.0f;
    manifold->impact_impulse = rbl_vec3(0, 0, 0);
    manifold->has_impact_point = false;
    return true;
}

static rblResult keep_bundle(rblStep* step, uint32_t index)
{
    const rblBundle* bundle = &step->bundles.data[index];
    for (uint32_t lane = 0; lane < bundle->lanes && step->impact->impact_bundles.data[index].packed; ++lane)
    {
        RBL_TRY(keep_impact(step, bundle->manifold + lane) ? RBL_OK : rbl_fail_memory());
    }
    return RBL_OK;
}

// Stores the impacts of this round, to be reported at the end of the step. An impact after another flight is another impact.
static rblResult keep_impacts(rblStep* step, uint32_t round)
{
    const size_t count =
        round == 0 ? step->color_bundles[RBL_MAX_COLORS] : step->impact->isolated_bundles.count;
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(keep_bundle(step, round == 0 ? i : step->impact->isolated_bundles.data[i]));
    }
    return RBL_OK;
}

static bool is_busy(const rblStep* step, const rblManifold* manifold)
{
    return step->impact->isolations.data[manifold->a] == RBL_ISOLATION_BUSY ||
           step->impact->isolations.data[manifold->b] == RBL_ISOLATION_BUSY;
}

// The manifolds of busy isolated bodies, and their bundles.
static rblResult list_isolated(rblStep* step)
{
    rbl_array_clear(&step->impact->isolated_manifolds);
    rbl_array_clear(&step->impact->isolated_bundles);
    for (uint32_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        if (!is_busy(step, manifold))
        {
            continue;
        }
        const size_t count = step->impact->isolated_bundles.count;
        const bool known = count > 0 && step->impact->isolated_bundles.data[count - 1] == manifold->bundle;
        if (!rbl_array_push(&step->impact->isolated_manifolds, m) ||
            (!known && !rbl_array_push(&step->impact->isolated_bundles, manifold->bundle)))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult begin_impacts(rblStep* step)
{
    const size_t bodies = step->solver_bodies.count;
    if (!rbl_array_resize_amply(&step->impact->times, bodies) ||
        !rbl_array_resize_amply(&step->impact->speeds, bodies) ||
        !rbl_array_resize_amply(&step->impact->last_change, bodies) ||
        !rbl_array_resize_amply(&step->impact->groups, bodies) ||
        !rbl_array_resize_amply(&step->impact->freedoms, bodies) ||
        !rbl_array_resize_amply(&step->impact->isolations, bodies) ||
        !rbl_array_resize_amply(&step->impact->may_impact, bodies) ||
        !rbl_array_resize_amply(&step->impact->accelerations, bodies) ||
        !rbl_array_resize_amply(&step->impact->surface_spins, bodies) ||
        !rbl_array_resize_amply(&step->slowed, bodies) ||
        !rbl_array_resize_amply(&step->impact->firsts, bodies) ||
        !rbl_array_resize_amply(&step->clocks, bodies) ||
        !rbl_array_renew(&step->impact->closing_manifolds, step->manifolds.count, step->manifolds.capacity) ||
        !rbl_array_renew(&step->impact->impact_points, step->manifolds.count, step->manifolds.capacity) ||
        !rbl_array_renew(&step->impact->impact_bundles, step->bundles.count, step->bundles.capacity))
    {
        return rbl_fail_memory();
    }
    rbl_array_clear(&step->manifold_impacts);
    if (step->break_round == 0)
    {
        rbl_flights_forget(step);
    }
    for (size_t i = 0; i < bodies; ++i)
    {
        step->impact->last_change.data[i] = 0;
        step->impact->isolations.data[i] = RBL_ISOLATION_NONE;
        step->impact->times.data[i] = 0.0f;
        step->slowed.data[i] = 0;
        step->clocks.data[i] = step->seconds - step->solver_bodies.data[i].seconds;
    }
    step->impact->any_slowed = false;
    return RBL_OK;
}

// What contacts between new fragments dissipate is heat of their break, so drift correction must not spend it.
static void book_siblings(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t m = 0; m < step->manifolds.count && world->has_siblings; ++m)
    {
        rblManifold* manifold = &step->manifolds.data[m];
        if (manifold->siblings)
        {
            rblIsland* island = &step->islands.data[rbl_manifold_island(step, manifold)];
            island->budget -=
                rbl_break_add_heat(world, world->pairs.data[manifold->pair].a, manifold->sibling_loss);
            manifold->sibling_loss = 0.0;
        }
    }
}

// The work of kinematic bodies in earlier rounds. Manifolds and joints, which store it, are built again after a break.
static void book_kinematic_work(rblStep* step)
{
    rblWorld* world = step->world;
    double work = 0.0;
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        work += step->manifolds.data[m].kinematic_work;
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        work += rbl_joint_is_active(step, &world->joints.data[i]) ? world->joints.data[i].impact_work : 0.0;
    }
    world->energy.work += work;
    world->contact_loss += work;
}

// Applies the result of the sweeps, unless bodies break. Then the impacts of this round are discarded, and those of earlier
// rounds are reported.
static rblResult end_round(rblStep* step, uint32_t round, bool* breaks)
{
    RBL_TRY(rbl_breaks_plan(step, breaks));
    if (*breaks)
    {
        if (round > 0) // the impacts of the first round are discarded; later rounds have no kinematic bodies
        {
            book_kinematic_work(step);
        }
        rbl_sleepers_wake_by_impacts(step); // before the contacts, and with them the impacts, are found again
        const rblResult reported = rbl_impacts_report(step);
        if (reported != RBL_OK)
        {
            rbl_breaks_cancel(step);
        }
        return reported;
    }
    RBL_TRY(rbl_velocities_store(step));
    book_siblings(step);
    return keep_impacts(step, round);
}

// One round: all pairs in the first one, then those of isolated bodies. *goes_on: another round may follow.
static rblResult play_round(rblStep* step, uint32_t round, bool* goes_on, bool* breaks)
{
    const float threshold = rbl_impact_threshold(step);
    RBL_TRY(rbl_impacts_reach(step, threshold, round, goes_on));
    *goes_on = (round == 0 && tighten_joints(step, threshold, 0)) || *goes_on;
    if (!*goes_on)
    {
        return RBL_OK;
    }
    if (round == 0)
    {
        sweep_all(step, threshold);
    }
    else
    {
        sweep_isolated(step, threshold, round);
    }
    RBL_TRY(end_round(step, round, breaks));
    if (!*breaks)
    {
        rbl_paths_limit_new(step);
    }
    *goes_on = !*breaks && find_busy(step);
    return *goes_on && round == 0 ? list_isolated(step) : RBL_OK;
}

rblResult rbl_impacts_resolve(rblStep* step, bool* breaks)
{
    *breaks = false;
    RBL_TRY(begin_impacts(step));
    bool goes_on = true;
    for (uint32_t round = 0; round < RBL_IMPACT_ROUNDS && goes_on; ++round)
    {
        RBL_TRY(play_round(step, round, &goes_on, breaks));
    }
    if (!*breaks)
    {
        rbl_paths_limit_on_ground(step);
        rbl_bodies_slow(step);
    }
    return RBL_OK;
}
