// Impacts: bodies in free flight are moved to their first impact, then colliding pairs bounce or stop.
#include "dynamics/impacts.h"
#include "dynamics/contact_math.h"
#include "dynamics/stages.h"

// A corner that was stopped does not stop the body: what is fast still may pass through, since contacts farther off are not
// known. A body that goes on into the other one after its impact gets no more of the step than it takes to get a safe way;
// the next step finds its next impact. What it loses is time, no energy. Shapes that are not convex have contacts for the
// whole way (narrow_phase.c) and an infinite safe way: held back, they would be run into by what follows them.
static bool hold_back(rblWorld* world, const rblManifold* manifold)
{
    rblSolverBody* a = &world->solver_bodies.data[manifold->a];
    rblSolverBody* b = &world->solver_bodies.data[manifold->b];
    const float way = manifold->safe_way;
    const bool far_a = a->inverse_mass > 0.0f && rbl_length3(a->velocity) * a->seconds > way;
    const bool far_b = b->inverse_mass > 0.0f && rbl_length3(b->velocity) * b->seconds > way;
    bool held = false;
    for (uint32_t i = 0; i < manifold->count && (far_a || far_b); ++i)
    {
        const rblVec3 normal = world->contacts.data[manifold->contact + i].normal;
        const float closing_a = rbl_dot3(a->velocity, normal);
        const float closing_b = -rbl_dot3(b->velocity, normal);
        if (far_a && closing_a * a->seconds > way)
        {
            a->seconds = way / closing_a;
            held = true;
        }
        if (far_b && closing_b * b->seconds > way)
        {
            b->seconds = way / closing_b;
            held = true;
        }
    }
    return held;
}

static void hold_fast_bodies(rblWorld* world)
{
    bool held = false;
    for (size_t m = 0; m < world->manifolds.count; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        held = (manifold->fast && hold_back(world, manifold)) || held;
    }
    if (held)
    {
        rbl_share_joint_seconds(world);
    }
}

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
        rbl_begin_impact_bundle(sweep->world, i, sweep->threshold);
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

rblResult rbl_resolve_impacts(rblWorld* world)
{
    const size_t bodies = world->solver_bodies.count;
    if (!rbl_array_resize_amply(&world->times, bodies) || !rbl_array_resize_amply(&world->speeds, bodies) ||
        !rbl_array_resize_amply(&world->last_change, bodies) ||
        !rbl_array_renew(&world->impact_bundles, world->bundles.count, world->bundles.capacity))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < bodies; ++i)
    {
        world->last_change.data[i] = 0;
    }
    const float threshold = rbl_impact_speed(world);
    const bool flying = rbl_fly_to_impacts(world, threshold);
    if (tighten_joints(world, threshold, 0) || flying)
    {
        bool breaks;
        sweep_all(world, threshold);
        RBL_TRY(rbl_plan_breaks(world, &breaks));
        if (breaks)
        {
            return RBL_OK;
        }
        rbl_store_velocities(world, world->at_start.data);
    }
    hold_fast_bodies(world);
    return RBL_OK;
}
