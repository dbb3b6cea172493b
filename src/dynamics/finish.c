// After the solve: impulses are stored in contacts, and events are reported.
#include "dynamics/impact/impacts.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"
#include "math/simd.h"

// ---- tuning ----
// These affect speed only.
#define MIN_PAIRS 512 // smallest number of pairs for one worker
#define FETCHED   8   // number of pairs that are prefetched ahead

// A pinned body gets no impulse from the heavier bodies on it (standing.c).
static float impulse_share(const rblStep* step, uint32_t index, uint32_t other, uint32_t slot)
{
    const bool pinned = index == 0 && step->solver_index.data[slot] != 0;
    const rblGrowth* growths = step->growths.data;
    const float least =
        rbl_minf(growths[index].share, growths[other].share); // in the stored impulses (drift.c)
    const float share = growths[index != 0 ? index : other].share;
    return pinned ? 0.0f : least > 0.0f ? share / least : 1.0f;
}

static void share_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        rblPair* pair = &world->pairs.data[manifold->pair];
        pair->share_a = impulse_share(step, manifold->a, manifold->b, pair->a);
        pair->share_b = impulse_share(step, manifold->b, manifold->a, pair->b);
        pair->seconds = step->seconds;
    }
}

// ---- events ----

static float hertz_time(const rblWorld* world, const rblPair* pair, float speed)
{
    const float inverse_a = world->motions.data[pair->a].inverse_mass;
    const float inverse_b = world->motions.data[pair->b].inverse_mass;
    const double mass = 1.0 / (double)(inverse_a + inverse_b);
    return rbl_impact_hertz(&world->bodies.data[pair->a], &world->bodies.data[pair->b], mass, speed).duration;
}

static rblResult report_impact(rblWorld* world, const rblPair* pair, const rblManifoldImpact* impact)
{
    const rblContactEvent event = {
        .kind = RBL_CONTACT_IMPACT,
        .a = rbl_body_id(world, pair->a),
        .b = rbl_body_id(world, pair->b),
        .point = impact->at.point,
        .normal = impact->at.normal,
        .impulse = impact->normal_impulse,
        .speed = impact->speed,
        .duration = hertz_time(world, pair, impact->speed),
    };
    const rblImpactRecord record = {event.a,         event.b,     event.point,
                                    impact->impulse, event.speed, event.duration};
    if (!rbl_array_push(&world->impacts, record))
    {
        return rbl_fail_memory();
    }
    const bool reported = impact->speed > world->def.bounce_speed;
    return !reported || rbl_array_push(&world->events, event) ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_impacts_report(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < step->manifold_impacts.count; ++i)
    {
        const rblManifoldImpact* impact = &step->manifold_impacts.data[i];
        RBL_TRY(
            report_impact(world, &world->pairs.data[step->manifolds.data[impact->manifold].pair], impact));
    }
    return RBL_OK;
}

// Report the impacts of a manifold in their order. The manifold stores the last one.
static rblResult report_impacts(rblStep* step, const rblManifold* manifold)
{
    rblWorld* world = step->world;
    uint32_t order[RBL_IMPACT_ROUNDS];
    uint32_t count = 0;
    for (uint32_t i = manifold->last_impact; i != 0; i = step->manifold_impacts.data[i - 1].before)
    {
        order[count++] = i - 1;
    }
    while (count > 0)
    {
        RBL_TRY(report_impact(world, &world->pairs.data[manifold->pair],
                              &step->manifold_impacts.data[order[--count]]));
    }
    return RBL_OK;
}

static rblResult report_touch(rblWorld* world, const rblPair* pair, bool begins)
{
    rblContactEvent event = {
        .kind = begins ? RBL_CONTACT_BEGIN : RBL_CONTACT_END,
        .a = rbl_body_id(world, pair->a),
        .b = rbl_body_id(world, pair->b),
    };
    if (begins && pair->count > 0)
    {
        const rblContact* contact = &world->contacts.data[pair->first];
        event.point = rbl_transform_point(rbl_motion_pose(&world->motions.data[pair->a]), contact->anchor_a);
        event.normal = contact->normal;
    }
    return rbl_array_push(&world->events, event) ? RBL_OK : rbl_fail_memory();
}

// A sleeper on a kinematic body stays in touch, although their pair is not solved.
static bool is_active(const rblStep* step, const rblPair* pair)
{
    return step->activities.data[pair->a] == RBL_ACTIVITY_AWAKE ||
           step->activities.data[pair->b] == RBL_ACTIVITY_AWAKE;
}

// A pair begins to touch by an impact, pressure or overlap, and touches until its gap is larger than the slop. A body that
// passes another within the slop does not touch it.
static bool is_touching(const rblPair* pair, const rblManifold* manifold)
{
    return manifold != NULL &&
           (manifold->touching || manifold->last_impact != 0 || (pair->touching && manifold->near));
}

// What the parallel pass over the pairs finds: the pairs of a block that begin or end to touch, or had impacts; and its counters.
typedef struct Finish
{
    rblStep* step;
    uint32_t* reported; // positions in the active pairs: of each block at the front of its part
    uint32_t counts[RBL_MAX_BLOCKS];
    uint32_t begins[RBL_MAX_BLOCKS];
    uint32_t touching[RBL_MAX_BLOCKS], colliding[RBL_MAX_BLOCKS], fast[RBL_MAX_BLOCKS];
} Finish;

static const rblManifold* manifold_of(const rblStep* step, uint32_t pair)
{
    const uint32_t m = step->manifold_of_pair.data[pair];
    return m != RBL_NONE ? &step->manifolds.data[m] : NULL;
}

static void finish_block(rblRange range, void* context)
{
    Finish* finish = context;
    const rblStep* step = finish->step;
    const rblWorld* world = step->world;
    uint32_t reported = 0, touches = 0, colliding = 0, fast = 0;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t later = step->active_pairs.data[i + FETCHED < range.end ? i + FETCHED : i];
        rbl_prefetch(&world->pairs.data[later]);
        rbl_prefetch(&world->pairs.data[later].touching);
        const uint32_t index = step->active_pairs.data[i];
        const rblPair* pair = &world->pairs.data[index];
        const rblManifold* manifold = manifold_of(step, index);
        const bool active = is_active(step, pair);
        const bool touching = active ? is_touching(pair, manifold) : pair->touching;
        if (touching != pair->touching || (active && manifold != NULL && manifold->last_impact != 0))
        {
            finish->reported[range.begin + reported++] = i;
        }
        touches += touching;
        colliding += pair->colliding;
        fast += pair->fast;
    }
    finish->begins[range.block] = range.begin;
    finish->counts[range.block] = reported;
    finish->touching[range.block] = touches;
    finish->colliding[range.block] = colliding;
    finish->fast[range.block] = fast;
}

static rblResult report_pair(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    rblPair* pair = &world->pairs.data[index];
    const rblManifold* manifold = manifold_of(step, index);
    const bool touching = is_touching(pair, manifold);
    if (touching != pair->touching)
    {
        RBL_TRY(report_touch(world, pair, touching));
    }
    if (manifold != NULL)
    {
        RBL_TRY(report_impacts(step, manifold));
    }
    pair->touching = touching;
    return RBL_OK;
}

rblResult rbl_contacts_finish(rblStep* step)
{
    rblWorld* world = step->world;
    const uint32_t pairs = (uint32_t)step->active_pairs.count;
    if (!rbl_array_renew(&step->slot_scratch, pairs, world->pairs.capacity))
    {
        return rbl_fail_memory();
    }
    Finish finish = {.step = step, .reported = step->slot_scratch.data};
    rbl_parallel_for(world->jobs, (uint32_t)step->manifolds.count, 64, share_block, step);
    rbl_parallel_for(world->jobs, pairs, MIN_PAIRS, finish_block, &finish);
    world->counters.touching = step->resting.touching;
    world->counters.colliding = step->resting.colliding;
    world->counters.fast = step->resting.fast;
    for (uint32_t b = 0; b < rbl_block_count(pairs, MIN_PAIRS); ++b)
    {
        for (uint32_t i = 0; i < finish.counts[b]; ++i)
        {
            RBL_TRY(report_pair(step, step->active_pairs.data[finish.reported[finish.begins[b] + i]]));
        }
        world->counters.touching += finish.touching[b];
        world->counters.colliding += finish.colliding[b];
        world->counters.fast += finish.fast[b];
    }
    return RBL_OK;
}
