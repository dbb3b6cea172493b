// Drift correction: removes overlap by moving bodies without changing their velocities. Lifting a body costs energy. An
// island may spend the energy that its contacts dissipated in the same step, and no more. Initial overlap, of bodies that
// were created or teleported, is removed at a bounded speed in any case, and its cost is booked as work. Islands without a
// support keep their angular momentum (drift_free.c).
#include "dynamics/solve/drift.h"
#include "dynamics/solve/wide.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include <float.h>
#include <math.h>

// ---- tuning ----

#define SWEEPS     4     // over all contacts
#define SHARE      0.5f  // of the overlap: removed in one step
#define DEEP       50.0f // slops: deeper overlap with a fixed body is removed at once, except for LEFT
#define LEFT       4.0f  // slops
#define SPENT      0.75 // of the dissipated energy: with all of it, a body that falls too deep would rock forever
#define MIN_BODIES 64 // bodies for one worker, at least

// Working data of the stage.
struct rblDriftStage
{
    rblVelocityRowsArray mean_velocities; // per solver body: mean over the step
    rblMotionArray saved; // per solver body: motion before its displacement, in islands without a support
};

#define ARRAYS(X)                                                                                            \
    X(mean_velocities)                                                                                       \
    X(saved)

RBL_DEFINE_STAGE_MEMORY(struct rblDriftStage, rbl_drift_stage, ARRAYS)

// ---- results of the contact solve ----

// Mean velocity of each body, and its time.
static void mean_block(rblRange range, void* context)
{
    rblStep* step = context;
    const rblFloat4 half = rbl_splat4(0.5f);
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[i];
        const rblVelocity* before = &step->before_contacts.data[i];
        rblVelocityRows* mean = &step->drift->mean_velocities.data[i];
        const rblFloat4 v = rbl_add4(rbl_load3(&before->velocity.x), rbl_load3(&body->velocity.x));
        const rblFloat4 w = rbl_add4(rbl_load3(&before->spin.x), rbl_load3(&body->spin.x));
        rbl_store4(mean->velocity, rbl_mul4(half, v));
        rbl_store4(mean->spin, rbl_mul4(half, w));
        mean->spin[3] = body->seconds;
    }
}

// Velocity, spin and time of four bodies; the other fields are zero.
static rblWideBody gather_means(const rblVelocityRows* means, const uint32_t index[4])
{
    rblFloat4 v[4];
    rblFloat4 w[4];
    for (int i = 0; i < 4; ++i)
    {
        v[i] = rbl_load4(means[index[i]].velocity);
        w[i] = rbl_load4(means[index[i]].spin);
    }
    rbl_transpose4(&v[0], &v[1], &v[2], &v[3]);
    rbl_transpose4(&w[0], &w[1], &w[2], &w[3]);
    return (rblWideBody){.velocity = {v[0], v[1], v[2]}, .spin = {w[0], w[1], w[2]}, .seconds = w[3]};
}

// Data that all contacts of a bundle share, and their results.
typedef struct Close
{
    rblWideBody a, b; // mean velocities
    rblFloat4 seconds, slop;
    rblFloat4 most; // m: largest correction of a contact
    rblFloat4 deep; // m: deeper overlap is removed except for `left`
    rblFloat4 left;
    rblFloat4 deepest;
    uint32_t presses, near; // lanes, as bits
} Close;

static Close begin_close(const rblStep* step, const rblBundle* bundle)
{
    const rblWorld* world = step->world;
    Close close = {
        .a = gather_means(step->drift->mean_velocities.data, bundle->a),
        .b = gather_means(step->drift->mean_velocities.data, bundle->b),
        .slop = rbl_load4(bundle->slop),
        .most = rbl_splat4(world->def.recovery_speed * step->seconds),
        .deepest = rbl_splat4(0.0f),
    };
    float deep[4];
    for (int i = 0; i < 4; ++i)
    {
        deep[i] = bundle->a[i] == 0 || bundle->b[i] == 0 ? DEEP : INFINITY;
    }
    close.deep = rbl_mul4(rbl_load4(deep), close.slop);
    close.left = rbl_mul4(rbl_splat4(LEFT), close.slop);
    close.seconds = rbl_max4(close.a.seconds, close.b.seconds);
    return close;
}

// The part of the impulses of a bundle that the clamp left.
static rblFloat4 clamped_share(const rblStep* step, const rblBundle* bundle)
{
    float shares[4];
    for (uint32_t i = 0; i < 4; ++i)
    {
        shares[i] = rbl_minf(step->growths.data[bundle->a[i]].share, step->growths.data[bundle->b[i]].share);
    }
    return rbl_load4(shares);
}

// Store normal and friction impulses in the contacts of the world, for the warm start of the next step: those that acted, after
// the clamp. Otherwise the impulses of wedged bodies, of which the clamp leaves little, would grow from step to step. NaN and
// infinite impulses become zero.
static void keep_impulses(rblStep* step, const rblBundle* bundle, uint32_t number, rblWideContact* contact)
{
    rblWorld* world = step->world;
    const rblFloat4 share = clamped_share(step, bundle);
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblWide3 normal = rbl_wide_load3(contact->normal);
    const rblWide3 tangent = rbl_wide_load3(contact->tangent);
    const rblFloat4 normal_impulse = rbl_mul4(share, rbl_load4(contact->normal_impulse));
    const rblFloat4 along[2] = {rbl_mul4(share, rbl_load4(contact->tangent_impulse[0])),
                                rbl_mul4(share, rbl_load4(contact->tangent_impulse[1]))};
    const rblWide3 friction =
        rbl_wide_mul_add3(rbl_wide_scale3(tangent, along[0]), along[1], rbl_wide_cross3(normal, tangent));
    const rblFloat4 size =
        rbl_add4(rbl_add4(rbl_wide_absolute(normal_impulse), rbl_wide_absolute(friction.x)),
                 rbl_add4(rbl_wide_absolute(friction.y), rbl_wide_absolute(friction.z)));
    const rblFloat4 sound = rbl_less_equal4(size, rbl_splat4(FLT_MAX));
    rblFloat4 rows[4] = {
        rbl_select4(sound, normal_impulse, zero),
        rbl_select4(sound, friction.x, zero),
        rbl_select4(sound, friction.y, zero),
        rbl_select4(sound, friction.z, zero),
    };
    rbl_transpose4(&rows[0], &rows[1], &rows[2], &rows[3]);
    for (uint32_t i = 0; i < bundle->lanes; ++i)
    {
        if (number < bundle->counts[i])
        {
            rbl_store4(&world->contacts.data[bundle->contact[i] + number].normal_impulse, rows[i]);
        }
    }
}

// The gap at the end of the step, and the displacement by which the contact must open: `target`, in metres. Open contacts may
// close their gap.
static void close_contact(Close* close, rblWideContact* contact)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblWide3 normal = rbl_wide_load3(contact->normal);
    const rblWide3 u = rbl_wide_relative_velocity(&close->a, &close->b, rbl_wide_load3(contact->arm_a),
                                                  rbl_wide_load3(contact->arm_b));
    const rblFloat4 speed = rbl_wide_dot3(normal, u);
    const rblFloat4 gap = rbl_add4(rbl_load4(contact->gap), rbl_mul4(close->seconds, speed));
    const rblFloat4 overlap = rbl_sub4(zero, gap);
    const rblFloat4 depth = rbl_sub4(overlap, close->slop);
    const rblFloat4 share = rbl_mul4(rbl_splat4(SHARE), depth);
    const rblFloat4 all = rbl_select4(rbl_less4(close->deep, depth), rbl_sub4(depth, close->left), share);
    const rblFloat4 opening = rbl_min4(all, close->most);
    const rblFloat4 there = rbl_wide_there(normal);
    const uint32_t presses = rbl_mask4(rbl_less4(zero, rbl_load4(contact->normal_impulse)));
    close->presses |= presses;
    close->near |= rbl_mask4(rbl_and4(there, rbl_less4(gap, close->slop)));
    close->deepest = rbl_max4(close->deepest, rbl_select4(there, overlap, zero));
    rbl_store4(contact->target, rbl_select4(rbl_less4(zero, depth), opening, rbl_min4(zero, overlap)));
    rbl_store4(contact->normal_impulse, zero);
}

// The end of the step in the manifolds. The gaps of a pair that misses are those of straight paths, while its bodies rotate: only
// pressure shows that it touches.
static void write_results(rblStep* step, const rblBundle* bundle, const Close* close)
{
    float deepest[4];
    rbl_store4(deepest, close->deepest);
    for (uint32_t i = 0; i < bundle->lanes; ++i)
    {
        rblManifold* manifold = &step->manifolds.data[bundle->manifold + i];
        const bool presses = (close->presses >> i & 1) != 0;
        manifold->misses = manifold->misses && !presses;
        manifold->deepest = manifold->misses ? 0.0f : deepest[i];
        manifold->touching = presses || manifold->deepest > 0.0f;
        manifold->near = !manifold->misses && (close->near >> i & 1) != 0;
    }
}

static void close_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t k = range.begin; k < range.end; ++k)
    {
        rblBundle* bundle = &step->bundles.data[k];
        Close close = begin_close(step, bundle);
        for (uint32_t i = 0; i < bundle->count + bundle->redundant; ++i)
        {
            rblWideContact* contact = &step->wide_contacts.data[bundle->first + i];
            if (i < bundle->count)
            {
                keep_impulses(step, bundle, i, contact);
            }
            close_contact(&close, contact);
        }
        bundle->deep = rbl_mask4(rbl_less4(close.slop, close.deepest)) != 0;
        write_results(step, bundle, &close);
    }
}

// ---- displacements ----

// One Gauss-Seidel iteration with displacements instead of velocities, along the normal only.
static void separate_contact(rblWideBody* a, rblWideBody* b, rblFloat4 corrects, rblWideContact* contact)
{
    const rblWide3 arm_a = rbl_wide_load3(contact->arm_a);
    const rblWide3 arm_b = rbl_wide_load3(contact->arm_b);
    const rblWide3 normal = rbl_wide_load3(contact->normal);
    const rblFloat4 mass = rbl_mul4(corrects, rbl_load4(contact->normal_mass));
    const rblFloat4 last = rbl_load4(contact->normal_impulse);
    const rblWide3 displacement = rbl_wide_relative_velocity(a, b, arm_a, arm_b);
    const rblFloat4 miss = rbl_sub4(rbl_load4(contact->target), rbl_wide_dot3(displacement, normal));
    const rblFloat4 normal_impulse = rbl_max4(rbl_add4(last, rbl_mul4(mass, miss)), rbl_splat4(0.0f));
    rbl_store4(contact->normal_impulse, normal_impulse);
    rbl_wide_apply_impulse(a, b, arm_a, arm_b, rbl_wide_scale3(normal, rbl_sub4(normal_impulse, last)));
}

static bool is_still(const rblWideBody* body)
{
    const rblFloat4 square =
        rbl_add4(rbl_wide_dot3(body->velocity, body->velocity), rbl_wide_dot3(body->spin, body->spin));
    return rbl_mask4(rbl_less4(rbl_splat4(0.0f), square)) == 0;
}

typedef struct Drift
{
    rblStep* step;
    uint32_t color;
    uint32_t sweep;
    rblVec3d momentum[RBL_MAX_BLOCKS]; // per block: change of the angular momentum about the world's origin
} Drift;

static void separate_block(rblRange range, void* context)
{
    const Drift* drift = context;
    rblStep* step = drift->step;
    rblSolverBody* bodies = step->solver_bodies.data;
    for (uint32_t k = range.begin; k < range.end; ++k)
    {
        const rblBundle* bundle = &step->bundles.data[step->color_bundles[drift->color] + k];
        if (bundle->corrects == 0)
        {
            continue;
        }
        rblWideBody a = rbl_gather_bodies4(bodies, bundle->a);
        rblWideBody b = rbl_gather_bodies4(bodies, bundle->b);
        if (!bundle->deep && is_still(&a) && is_still(&b))
        {
            continue; // no overlap, and no neighbour has moved its bodies
        }
        const rblFloat4 corrects =
            rbl_set4((float)(bundle->corrects & 1), (float)(bundle->corrects >> 1 & 1),
                     (float)(bundle->corrects >> 2 & 1), (float)(bundle->corrects >> 3 & 1));
        for (uint32_t i = 0; i < bundle->count + bundle->redundant; ++i)
        {
            separate_contact(&a, &b, corrects, &step->wide_contacts.data[bundle->first + i]);
        }
        rbl_scatter_bodies4(bodies, bundle->a, &a);
        rbl_scatter_bodies4(bodies, bundle->b, &b);
    }
}

static bool next_to_separate(rblLoop* loop, void* context)
{
    Drift* drift = context;
    const rblStep* step = drift->step;
    drift->color += 1;
    if (drift->color >= step->color_count)
    {
        drift->color = 0;
        drift->sweep += 1;
    }
    *loop = rbl_color_loop(step, drift->color, separate_block, drift);
    return drift->sweep < SWEEPS;
}

// ---- energy ----

// Potential energy that the displacements of an island add, J.
static double lifting(const rblStep* step, const rblIsland* island)
{
    const rblWorld* world = step->world;
    double sum = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[step->island_bodies.data[island->first + i]];
        const rblBody* record = &world->bodies.data[body->slot];
        const double along = (double)rbl_dot3(world->def.gravity, body->velocity);
        sum -= (double)record->mass * (double)record->gravity_scale * along;
    }
    return sum;
}

void rbl_body_displace(rblMotion* motion, const rblSolverBody* body, float share)
{
    const rblVec3 displacement = rbl_scale3(body->velocity, share);
    motion->center = rbl_add3(motion->center, displacement);
    const rblVec3 half = rbl_scale3(body->spin, 0.5f * share);
    const rblQuat turn = rbl_quat_normalize((rblQuat){half.x, half.y, half.z, 1.0f});
    motion->orientation = rbl_quat_normalize(rbl_quat_mul(turn, motion->orientation));
    motion->momentum = rbl_rotate3(turn, motion->momentum);
    motion->spin = rbl_rotate3(turn, motion->spin);
}

// Returns the change of the angular momentum about the world's origin.
static rblVec3d displace(const rblBody* record, rblMotion* motion, const rblSolverBody* body, float share)
{
    const rblVec3 before = motion->momentum;
    rbl_body_displace(motion, body, share);
    const rblVec3d moved = rbl_scale3d(rbl_to_double3(body->velocity), (double)share);
    const rblVec3d orbital = rbl_cross3d(moved, rbl_to_double3(motion->velocity));
    return rbl_add3d(rbl_scale3d(orbital, (double)record->mass),
                     rbl_to_double3(rbl_sub3(motion->momentum, before)));
}

// Whether nothing supports the island. An island with joints may be attached to the static world.
static bool is_free(const rblIsland* island)
{
    return !island->grounded && !island->jointed;
}

static void share_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblIsland* island = &step->islands.data[i];
        const double cost = lifting(step, island);
        const double budget = SPENT * rbl_maxd(island->budget, 0.0);
        island->displaced = 1.0f;
        if (cost > budget)
        {
            // In free flight nothing is lifted, and the cost is rounding.
            const bool free = island->parting && is_free(island);
            island->displaced = island->recovering || free ? 1.0f : (float)(budget / cost);
            island->recovery_work = island->recovering ? rbl_maxd(cost - island->budget, 0.0) : 0.0;
        }
        island->lifted = (double)island->displaced * cost;
    }
}

static void displace_block(rblRange range, void* context)
{
    Drift* drift = context;
    rblStep* step = drift->step;
    rblWorld* world = step->world;
    rblVec3d sum = {0.0, 0.0, 0.0};
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[i + 1];
        const rblIsland* island = body->island != RBL_NONE ? &step->islands.data[body->island] : NULL;
        const float share = island != NULL ? island->displaced : 0.0f;
        if (share > 0.0f && !is_free(island))
        {
            const rblVec3d change =
                displace(&world->bodies.data[body->slot], &world->motions.data[body->slot], body, share);
            sum = rbl_add3d(sum, change);
        }
    }
    drift->momentum[range.block] = sum;
}

static void displace_free_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblIsland* island = &step->islands.data[i];
        if (island->corrects && island->displaced > 0.0f && is_free(island))
        {
            rbl_island_displace_free(step, island, step->drift->saved.data);
        }
    }
}

// ---- the stage ----

static void clear_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        step->solver_bodies.data[i].velocity = rbl_vec3(0, 0, 0);
        step->solver_bodies.data[i].spin = rbl_vec3(0, 0, 0);
    }
}

// Whether the budget of an island would lift it by a hundredth of a slop. Otherwise its overlap is left.
static bool can_pay(const rblStep* step, const rblIsland* island, float slop)
{
    const rblWorld* world = step->world;
    double mass = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[step->island_bodies.data[island->first + i]];
        mass += (double)world->bodies.data[body->slot].mass;
    }
    const double weight = mass * (double)rbl_length3(world->def.gravity);
    return island->recovering || island->parting || island->budget > 0.01 * (double)slop * weight;
}

// Update what is left of initial overlap and of overlap by a flight of siblings.
static void note_left(rblWorld* world, const rblManifold* manifold, rblIsland* island)
{
    rblPair* pair = &world->pairs.data[manifold->pair];
    pair->initial_depth = rbl_minf(pair->initial_depth, manifold->deepest);
    pair->sibling_depth = rbl_minf(pair->sibling_depth, manifold->deepest);
    island->recovering = island->recovering || pair->initial_depth > manifold->slop;
    island->parting = island->parting || pair->sibling_depth > manifold->slop;
}

// Find the islands that recover from initial overlap. Returns whether any overlap can be corrected.
static bool find_overlap(rblStep* step)
{
    rblWorld* world = step->world;
    bool any = false;
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        step->islands.data[i].slop = INFINITY;
    }
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        if (!manifold->had_overlap && !(manifold->deepest > manifold->slop))
        {
            continue;
        }
        rblIsland* island = &step->islands.data[rbl_manifold_island(step, manifold)];
        if (manifold->had_overlap)
        {
            note_left(world, manifold, island);
        }
        if (manifold->deepest > manifold->slop)
        {
            island->slop = rbl_minf(island->slop, manifold->slop);
        }
    }
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        rblIsland* island = &step->islands.data[i];
        island->corrects = island->slop < INFINITY && can_pay(step, island, island->slop);
        any = any || island->corrects;
    }
    return any;
}

// A sleeping body counts as static, so the correction would push a body below it down. That overlap is left until the
// sleeping body wakes.
static bool is_under_sleeper(const rblStep* step, const rblManifold* manifold)
{
    const rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const bool a_sleeps = step->activities.data[pair->a] == RBL_ACTIVITY_ASLEEP;
    const bool b_sleeps = step->activities.data[pair->b] == RBL_ACTIVITY_ASLEEP;
    if (!a_sleeps && !b_sleeps)
    {
        return false;
    }
    const rblVec3 normal = world->contacts.data[manifold->contact].normal;
    const float down = rbl_dot3(normal, world->def.gravity);
    return (a_sleeps ? down : -down) > 0.0f;
}

static void mark_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t k = range.begin; k < range.end; ++k)
    {
        rblBundle* bundle = &step->bundles.data[k];
        uint32_t corrects = 0;
        for (uint32_t i = 0; i < bundle->lanes; ++i)
        {
            const rblManifold* manifold = &step->manifolds.data[bundle->manifold + i];
            const bool does = step->islands.data[rbl_manifold_island(step, manifold)].corrects &&
                              !manifold->misses && !is_under_sleeper(step, manifold);
            corrects |= (does ? 1u : 0u) << i;
        }
        bundle->corrects = (uint8_t)corrects;
    }
}

static void book(rblStep* step, const Drift* drift)
{
    rblWorld* world = step->world;
    rblVec3d momentum = {0.0, 0.0, 0.0};
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        const rblIsland* island = &step->islands.data[i];
        world->energy.work += island->recovery_work;
        world->contact_loss += island->recovery_work - island->lifted;
        world->energy.drift_impulse += island->drift_impulse;
        momentum = rbl_add3d(momentum, island->drift_momentum);
    }
    const uint32_t bodies = (uint32_t)step->solver_bodies.count - 1;
    for (uint32_t b = 0; b < rbl_block_count(bodies, MIN_BODIES); ++b)
    {
        momentum = rbl_add3d(momentum, drift->momentum[b]);
    }
    world->energy.drift_momentum[0] += momentum.x;
    world->energy.drift_momentum[1] += momentum.y;
    world->energy.drift_momentum[2] += momentum.z;
}

rblResult rbl_drift_correct(rblStep* step)
{
    rblWorld* world = step->world;
    const uint32_t bodies = (uint32_t)step->solver_bodies.count;
    const uint32_t bundles = (uint32_t)step->bundles.count;
    if (!rbl_array_resize_amply(&step->drift->mean_velocities, bodies))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(world->jobs, bodies, 512, mean_block, step);
    rbl_parallel_for(world->jobs, bundles, RBL_MIN_BUNDLES, close_block, step);
    if (!find_overlap(step))
    {
        return RBL_OK;
    }
    if (!rbl_array_resize_amply(&step->drift->saved, bodies))
    {
        return rbl_fail_memory();
    }
    Drift drift = {.step = step, .color = UINT32_MAX};
    rbl_parallel_for(world->jobs, bodies, 512, clear_block, step);
    rbl_parallel_for(world->jobs, bundles, 64, mark_block, step);
    rbl_parallel_chain(world->jobs, next_to_separate, &drift);
    rbl_parallel_for(world->jobs, (uint32_t)step->islands.count, 16, share_block, step);
    rbl_parallel_for(world->jobs, bodies - 1, MIN_BODIES, displace_block, &drift);
    rbl_parallel_for(world->jobs, (uint32_t)step->islands.count, 16, displace_free_block, step);
    book(step, &drift);
    return RBL_OK;
}
