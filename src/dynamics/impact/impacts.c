// Impacts: bodies in free flight are moved to their first impact, then colliding pairs bounce or stop.
#include "dynamics/impact/impacts.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// Joints lose relative velocity that they cannot follow; the pairs of their bodies are looked at again.
static bool tighten_joints(rblWorld* world, float threshold, uint32_t sweep)
{
    if (!rbl_tighten_joints(world, threshold))
    {
        return false;
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0)
        {
            world->last_change.data[joint->solver_a] = (unsigned char)(sweep + 1);
            world->last_change.data[joint->solver_b] = (unsigned char)(sweep + 1);
        }
    }
    world->last_change.data[0] = 0; // the static world
    return true;
}

// ---- sweeps ----

#define MIN_BUNDLES 16

typedef struct Sweep
{
    rblWorld* world;
    float threshold;
    uint32_t number;
    uint32_t color; // of the loop under way; RBL_NONE before the first
    bool any;       // a pair or joint of the sweep had to be stopped
    bool blocks[RBL_MAX_BLOCKS];
} Sweep;

static rblLoop color_loop(const rblWorld* world, uint32_t color, rblRangeFcn* block, void* context)
{
    const uint32_t count = world->color_bundles[color + 1] - world->color_bundles[color];
    // Manifolds of the last colour may share bodies: one worker has them all.
    return (rblLoop){count, color + 1 < RBL_MAX_COLORS ? MIN_BUNDLES : count, block, context};
}

static void collide_block(rblRange range, void* context)
{
    Sweep* sweep = context;
    const uint32_t first = sweep->world->color_bundles[sweep->color];
    bool any = false;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        any = rbl_collide_bundle(sweep->world, first + i, sweep->number) || any;
    }
    sweep->blocks[range.block] = any;
}

static void add_blocks(Sweep* sweep)
{
    const rblLoop loop = color_loop(sweep->world, sweep->color, collide_block, sweep);
    for (uint32_t b = 0; b < rbl_block_count(loop.count, loop.min_range); ++b)
    {
        sweep->any = sweep->any || sweep->blocks[b];
    }
}

// False when nothing had to be stopped, or it was the last one.
static bool end_sweep(Sweep* sweep)
{
    const bool any = tighten_joints(sweep->world, sweep->threshold, sweep->number) || sweep->any;
    sweep->number += 1;
    sweep->any = false;
    sweep->color = 0;
    return any && sweep->number < RBL_IMPACT_SWEEPS;
}

// All colours, joints; all colours, ...
static bool next_of_sweep(rblLoop* loop, void* context)
{
    Sweep* sweep = context;
    if (sweep->color != RBL_NONE)
    {
        add_blocks(sweep);
    }
    sweep->color = sweep->color != RBL_NONE ? sweep->color + 1 : 0;
    while (sweep->color >= sweep->world->color_count)
    {
        if (!end_sweep(sweep))
        {
            return false;
        }
    }
    *loop = color_loop(sweep->world, sweep->color, collide_block, sweep);
    return true;
}

static void begin_block(rblRange range, void* context)
{
    const Sweep* sweep = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_begin_impact_bundle(sweep->world, i, sweep->threshold, 0);
    }
}

static void book_block(rblRange range, void* context)
{
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_book_impact_bundle(context, i);
    }
}

static void sweep_all(rblWorld* world, float threshold)
{
    Sweep sweep = {.world = world, .threshold = threshold, .color = RBL_NONE};
    const uint32_t count = world->color_bundles[RBL_MAX_COLORS];
    rbl_parallel_for(world->jobs, count, MIN_BUNDLES, begin_block, &sweep);
    rbl_parallel_chain(world->jobs, next_of_sweep, &sweep);
    rbl_parallel_for(world->jobs, count, MIN_BUNDLES, book_block, world);
}

// The same for the bundles of lone bodies, of which there are few.
static void sweep_lone(rblWorld* world, float threshold, uint32_t round)
{
    const rblIndexArray* bundles = &world->lone_bundles;
    for (size_t i = 0; i < bundles->count; ++i)
    {
        rbl_begin_impact_bundle(world, bundles->data[i], threshold, round);
    }
    bool any = true;
    for (uint32_t sweep = 0; sweep < RBL_IMPACT_SWEEPS && any; ++sweep)
    {
        any = false;
        for (size_t i = 0; i < bundles->count; ++i)
        {
            any = rbl_collide_bundle(world, bundles->data[i], sweep) || any;
        }
    }
    for (size_t i = 0; i < bundles->count; ++i)
    {
        rbl_book_impact_bundle(world, bundles->data[i]);
    }
}

// ---- rounds ----

// Lone bodies that this round has changed, for the next one. True when there are any.
static bool find_busy(rblWorld* world)
{
    bool any = false;
    for (size_t i = 1; i < world->solver_bodies.count; ++i)
    {
        unsigned char* loner = &world->loners.data[i];
        const bool changed = world->times.data[i] > 0.0f || world->last_change.data[i] > 0;
        const bool goes_on =
            *loner != RBL_LONER_NOT && changed && world->solver_bodies.data[i].seconds > 0.0f;
        *loner = *loner == RBL_LONER_NOT ? RBL_LONER_NOT : goes_on ? RBL_LONER_BUSY : RBL_LONER_IDLE;
        any = any || goes_on;
        world->last_change.data[i] = 0;
        if (goes_on)
        {
            const rblSolverBody* body = &world->solver_bodies.data[i];
            world->at_start.data[i] = (rblVelocity){body->velocity, body->spin};
        }
    }
    return any;
}

static bool keep_blow(rblWorld* world, uint32_t m)
{
    rblManifold* manifold = &world->manifolds.data[m];
    if (!(manifold->hit_impulse > 0.0f))
    {
        return true;
    }
    const rblBlow blow = {
        .manifold = m,
        .before = manifold->blow,
        .impulse = manifold->hit_impulse,
        .speed = manifold->hit_speed,
        .hit = manifold->hit,
        .place = world->hit_places.data[m],
    };
    if (!rbl_array_push(&world->blows, blow))
    {
        return false;
    }
    manifold->blow = (uint32_t)world->blows.count;
    manifold->hit_impulse = 0.0f;
    manifold->hit_speed = 0.0f;
    manifold->hit = rbl_vec3(0, 0, 0);
    manifold->placed = false;
    return true;
}

static rblResult keep_bundle(rblWorld* world, uint32_t index)
{
    const rblBundle* bundle = &world->bundles.data[index];
    for (uint32_t lane = 0; lane < bundle->lanes && world->impact_bundles.data[index].met; ++lane)
    {
        RBL_TRY(keep_blow(world, bundle->manifold + lane) ? RBL_OK : rbl_fail_memory());
    }
    return RBL_OK;
}

// What this round did to each manifold, to be told at the end of the step: an impact after another flight is another impact.
static rblResult keep_blows(rblWorld* world, uint32_t round)
{
    const size_t count = round == 0 ? world->color_bundles[RBL_MAX_COLORS] : world->lone_bundles.count;
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_TRY(keep_bundle(world, round == 0 ? i : world->lone_bundles.data[i]));
    }
    return RBL_OK;
}

static bool is_busy(const rblWorld* world, const rblManifold* manifold)
{
    return world->loners.data[manifold->a] == RBL_LONER_BUSY ||
           world->loners.data[manifold->b] == RBL_LONER_BUSY;
}

// The manifolds of lone bodies that are busy, and the bundles that these are lanes of.
static rblResult list_lone(rblWorld* world)
{
    rbl_array_clear(&world->lone);
    rbl_array_clear(&world->lone_bundles);
    for (uint32_t m = 0; m < world->manifolds.count; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        if (!is_busy(world, manifold))
        {
            continue;
        }
        const size_t count = world->lone_bundles.count;
        const bool known = count > 0 && world->lone_bundles.data[count - 1] == manifold->bundle;
        if (!rbl_array_push(&world->lone, m) ||
            (!known && !rbl_array_push(&world->lone_bundles, manifold->bundle)))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult begin_impacts(rblWorld* world)
{
    const size_t bodies = world->solver_bodies.count;
    if (!rbl_array_resize_amply(&world->times, bodies) || !rbl_array_resize_amply(&world->speeds, bodies) ||
        !rbl_array_resize_amply(&world->last_change, bodies) ||
        !rbl_array_resize_amply(&world->holds, bodies) || !rbl_array_resize_amply(&world->loners, bodies) ||
        !rbl_array_resize_amply(&world->wishes, bodies) || !rbl_array_resize_amply(&world->pulls, bodies) ||
        !rbl_array_resize_amply(&world->whirls, bodies) || !rbl_array_resize_amply(&world->held, bodies) ||
        !rbl_array_resize_amply(&world->firsts, bodies) || !rbl_array_resize_amply(&world->clocks, bodies) ||
        !rbl_array_renew(&world->nearing, world->manifolds.count, world->manifolds.capacity) ||
        !rbl_array_renew(&world->hit_places, world->manifolds.count, world->manifolds.capacity) ||
        !rbl_array_renew(&world->impact_bundles, world->bundles.count, world->bundles.capacity))
    {
        return rbl_fail_memory();
    }
    rbl_array_clear(&world->blows);
    for (size_t i = 0; i < bodies; ++i)
    {
        world->last_change.data[i] = 0;
        world->loners.data[i] = RBL_LONER_NOT;
        world->times.data[i] = 0.0f;
        world->held.data[i] = 0;
        world->clocks.data[i] = world->seconds - world->solver_bodies.data[i].seconds;
    }
    world->any_held = false;
    return RBL_OK;
}

// What comes of the sweeps, unless bodies break by them: then only earlier rounds have happened.
static rblResult end_round(rblWorld* world, uint32_t round, bool* breaks)
{
    RBL_TRY(rbl_plan_breaks(world, breaks));
    if (*breaks)
    {
        rbl_feel_blows(world); // they are forgotten when contacts are found anew
        const rblResult told = rbl_tell_blows(world);
        if (told != RBL_OK)
        {
            rbl_call_off_breaks(world);
        }
        return told;
    }
    RBL_TRY(rbl_store_velocities(world));
    return keep_blows(world, round);
}

// All pairs in the first round, then lone bodies. *goes_on: there may be another one.
static rblResult play_round(rblWorld* world, uint32_t round, bool* goes_on, bool* breaks)
{
    const float threshold = rbl_impact_speed(world);
    RBL_TRY(rbl_reach_impacts(world, threshold, round, goes_on));
    *goes_on = (round == 0 && tighten_joints(world, threshold, 0)) || *goes_on;
    if (!*goes_on)
    {
        return RBL_OK;
    }
    if (round == 0)
    {
        sweep_all(world, threshold);
    }
    else
    {
        sweep_lone(world, threshold, round);
    }
    RBL_TRY(end_round(world, round, breaks));
    if (!*breaks)
    {
        rbl_look_after_blows(world);
    }
    *goes_on = !*breaks && find_busy(world);
    return *goes_on && round == 0 ? list_lone(world) : RBL_OK;
}

rblResult rbl_resolve_impacts(rblWorld* world)
{
    RBL_TRY(begin_impacts(world));
    bool goes_on = true;
    bool breaks = false;
    for (uint32_t round = 0; round < RBL_IMPACT_ROUNDS && goes_on; ++round)
    {
        RBL_TRY(play_round(world, round, &goes_on, &breaks));
    }
    if (!breaks)
    {
        rbl_hold_bodies(world);
    }
    return RBL_OK;
}
