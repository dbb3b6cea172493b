// No body passes through another one. When all velocities of a substep are known, the motions of all pairs that move far
// enough are followed over the whole substep, in the order of time: flights to impacts, and the rest. Where two bodies would
// overlap too deeply, both stop, and the motions of their neighbours are followed again from that time. The next step solves
// the impact. A stop costs time, not energy.
#include "dynamics/impact/passages.h"
#include "base/sort.h"
#include "dynamics/impact/impacts.h"
#include "dynamics/stage_memory.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define DEPTH        0.5f  // of the smaller inner radius: overlap that a motion may add
#define SAFE         2.0f  // times that overlap: a relative motion that cannot pass through a body
#define ACCURACY     0.1f  // of that overlap
#define FIXED_SHARE  0.04f // of that overlap: what a motion may add to a deep overlap with a body of infinite mass
#define FINE 0.02f
#define MIN_PAIRS    256   // pairs for one worker, at least
#define MIN_PASSAGES 4     // passages for one worker, at least
#define DOUBLINGS    6     // of the overlap that is allowed, for pairs that overlap from the start
#define LEAST_TIME   1e-4f // of the substep: shorter legs are not followed

#define ARRAYS(X)                                                                                            \
    X(flown)                                                                                                 \
    X(saved)                                                                                                 \
    X(reaches)                                                                                               \
    X(firsts)                                                                                                \
    X(nexts)                                                                                                 \
    X(deflected)                                                                                             \
    X(turns)                                                                                                 \
    X(boxes)                                                                                                 \
    X(paths)                                                                                                 \
    X(legs)                                                                                                  \
    X(passages)

RBL_DEFINE_STAGE_MEMORY(struct rblPassageStage, rbl_passage_stage, ARRAYS)

static bool is_dynamic(const rblStep* step, uint32_t index)
{
    return step->solver_bodies.data[index].inverse_mass > 0.0f;
}

// ---- flights ----

void rbl_flights_forget(rblStep* step)
{
    rbl_array_clear(&step->passages->flown);
}

rblResult rbl_flight_note(rblStep* step, uint32_t index, float seconds)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const float begin = step->clocks.data[index];
    const bool slides = step->impact->freedoms.data[index] != RBL_FREEDOM_FREE;
    const rblFlown flown = {.slot = body->slot,
                            .generation = world->bodies.data[body->slot].generation,
                            .begin = begin,
                            .end = begin + seconds,
                            .motion = world->motions.data[body->slot],
                            .acceleration = slides ? rbl_vec3(0, 0, 0)
                                                   : rbl_body_linear_acceleration(world, body)};
    return rbl_array_push(&step->passages->flown, flown) ? RBL_OK : rbl_fail_memory();
}

// Lists of the flights of each body, in the order of time.
static bool chain_flights(rblStep* step)
{
    rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    if (!rbl_array_resize_amply(&stage->firsts, step->solver_bodies.count) ||
        !rbl_array_resize_amply(&stage->nexts, stage->flown.count))
    {
        return false;
    }
    for (size_t i = 0; i < step->solver_bodies.count; ++i)
    {
        stage->firsts.data[i] = 0;
    }
    for (uint32_t f = (uint32_t)stage->flown.count; f-- > 0;)
    {
        const rblFlown* flown = &stage->flown.data[f];
        const bool alive = world->bodies.data[flown->slot].generation == flown->generation;
        const uint32_t index = alive ? step->solver_index.data[flown->slot] : 0;
        stage->nexts.data[f] = stage->firsts.data[index];
        stage->firsts.data[index] = f + 1;
    }
    stage->firsts.data[0] = 0;
    return true;
}

// ---- which pairs ----

// Bound of the motion of the points of a body in the substep, m. The spin of a tumbling body changes without torques.
static float reach_of(const rblStep* step, uint32_t index)
{
    const struct rblPassageStage* stage = step->passages;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblShapeView* shape = &step->world->bodies.data[body->slot].shape;
    const rblVelocity* before = &step->before_contacts.data[index];
    const float radius = shape->rolling == RBL_ROLLS_AS_BALL || !shape->bounded ? 0.0f : shape->radius;
    const rblVec3 sum = rbl_add3(before->velocity, body->velocity);
    const float spin = rbl_maxf(rbl_length3(before->spin), rbl_length3(body->spin));
    float reach = body->seconds * (0.5f * rbl_length3(sum) + 1.5f * radius * spin);
    for (uint32_t f = stage->firsts.data[index]; f != 0; f = stage->nexts.data[f - 1])
    {
        const rblFlown* flown = &stage->flown.data[f - 1];
        const float time = flown->end - flown->begin;
        reach += time * (rbl_length3(flown->motion.velocity) + 1.5f * radius * rbl_length3(flown->motion.spin) +
                         0.5f * time * rbl_length3(flown->acceleration));
    }
    return reach;
}

static void reach_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        step->passages->reaches.data[i + 1] = reach_of(step, i + 1);
    }
}

// Overlap that a motion may add, m.
static float depth_of(const rblStep* step, uint32_t a, uint32_t b)
{
    const float inner_a = step->surfaces.data[a].inner_radius;
    const float inner_b = step->surfaces.data[b].inner_radius;
    return DEPTH * rbl_minf(inner_a, inner_b);
}

// Nothing passes through a half space: however deep a body is, its contacts push it out.
static bool may_be_passed(const rblStep* step, uint32_t a, uint32_t b)
{
    return step->paths.data[a].bounded && step->paths.data[b].bounded &&
           !rbl_bodies_are_siblings(&step->paths.data[a], &step->paths.data[b]);
}

static bool reaches(const rblStep* step, uint32_t a, uint32_t b)
{
    const float* all = step->passages->reaches.data;
    return all[step->solver_index.data[a]] + all[step->solver_index.data[b]] > SAFE * depth_of(step, a, b) &&
           may_be_passed(step, a, b);
}

// Overlap of a pair with a body of infinite mass at the beginning of the last leg, m.
static float overlap_of(const rblStep* step, uint32_t number)
{
    const rblWorld* world = step->world;
    const uint32_t m = step->manifold_of_pair.data[number];
    const rblManifold* manifold = m != RBL_NONE ? &step->manifolds.data[m] : NULL;
    if (manifold == NULL || (is_dynamic(step, manifold->a) && is_dynamic(step, manifold->b)))
    {
        return 0.0f;
    }
    const rblPair* pair = &world->pairs.data[number];
    const rblTransform a = rbl_motion_pose(&world->motions.data[pair->a]);
    const rblTransform b = rbl_motion_pose(&world->motions.data[pair->b]);
    float overlap = 0.0f;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblContact* contact = &world->contacts.data[manifold->contact + i];
        const rblVec3 gap = rbl_sub3(rbl_transform_point(b, contact->anchor_b),
                                     rbl_transform_point(a, contact->anchor_a));
        overlap = rbl_maxf(overlap, -rbl_dot3(gap, contact->normal));
    }
    return overlap;
}

// Whether a body of infinite mass has been entered so far that no slow motion may go on.
static bool is_deep(const rblStep* step, uint32_t number)
{
    const rblPair* pair = &step->world->pairs.data[number];
    const float depth = depth_of(step, pair->a, pair->b);
    return may_be_passed(step, pair->a, pair->b) && overlap_of(step, number) > SAFE * depth;
}

static void any_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblPair* pair = &step->world->pairs.data[step->active_pairs.data[i]];
        if (reaches(step, pair->a, pair->b) || is_deep(step, step->active_pairs.data[i]))
        {
            atomic_store_explicit(&step->passages->any, true, memory_order_relaxed);
            return;
        }
    }
}

// What follows begins at the current poses.
static void save_motions(rblStep* step)
{
    const rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    for (size_t i = 1; i < stage->saved.count; ++i)
    {
        stage->saved.data[i] = world->motions.data[step->solver_bodies.data[i].slot];
        stage->paths.data[i] = (rblPath){.count = 0};
    }
}

rblResult rbl_passages_begin(rblStep* step)
{
    rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    const size_t bodies = step->solver_bodies.count;
    rbl_array_clear(&stage->saved);
    if (!chain_flights(step) || !rbl_array_resize_amply(&stage->reaches, bodies))
    {
        return rbl_fail_memory();
    }
    stage->reaches.data[0] = 0.0f;
    rbl_parallel_for(world->jobs, (uint32_t)bodies - 1, MIN_PAIRS, reach_block, step);
    atomic_store(&stage->any, false);
    rbl_parallel_for(world->jobs, (uint32_t)step->active_pairs.count, MIN_PAIRS, any_block, step);
    if (!atomic_load(&stage->any))
    {
        return RBL_OK;
    }
    if (!rbl_array_resize_amply(&stage->saved, bodies) || !rbl_array_resize_amply(&stage->paths, bodies))
    {
        return rbl_fail_memory();
    }
    save_motions(step);
    return RBL_OK;
}

// ---- paths ----

// Whether the body fell freely after its flights.
static bool falls(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    return is_dynamic(step, index) && world->bodies.data[step->solver_bodies.data[index].slot].falls;
}

rblVec3 rbl_last_acceleration(const rblStep* step, uint32_t index)
{
    return falls(step, index) ? rbl_body_linear_acceleration(step->world, &step->solver_bodies.data[index])
                              : rbl_vec3(0, 0, 0);
}

// The legs of a body: its flights, then the rest of the substep.
static bool make_path(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    rblPath* path = &stage->paths.data[index];
    if (index == 0 || path->count > 0)
    {
        return true;
    }
    const rblSolverBody* solver = &step->solver_bodies.data[index];
    const rblBody* body = &world->bodies.data[solver->slot];
    const rblMotion* now = &world->motions.data[solver->slot];
    rblMotion last = stage->saved.data[index];
    *path = (rblPath){.first = (uint32_t)stage->legs.count};
    if (stage->displaces)
    {
        last.spin = rbl_vec3(0, 0, 0);
        path->count = 1;
        path->end = step->seconds;
        return rbl_legs_add(body, &last, rbl_motion_pose(now), rbl_vec3(0, 0, 0), 0.0f, path->end, &stage->legs);
    }
    for (uint32_t f = stage->firsts.data[index]; f != 0; f = stage->nexts.data[f - 1])
    {
        const rblFlown* flown = &stage->flown.data[f - 1];
        const uint32_t next = stage->nexts.data[f - 1];
        const rblMotion* to = next != 0 ? &stage->flown.data[next - 1].motion : &last;
        if (!rbl_legs_add(body, &flown->motion, rbl_motion_pose(to), flown->acceleration, flown->begin,
                          flown->end, &stage->legs))
        {
            return false;
        }
    }
    const float begin = step->clocks.data[index];
    path->end = rbl_minf(begin + solver->seconds, step->seconds);
    last.momentum = rbl_scale3(rbl_add3(last.momentum, now->momentum), 0.5f);
    last.spin = rbl_scale3(rbl_add3(solver->spin, step->before_contacts.data[index].spin), 0.5f);
    if (!rbl_legs_add(body, &last, rbl_motion_pose(now), rbl_last_acceleration(step, index), begin, path->end,
                      &stage->legs))
    {
        return false;
    }
    path->count = (uint32_t)stage->legs.count - path->first;
    return true;
}

// The leg at a time, and until when it holds.
static rblLeg leg_at(const rblStep* step, uint32_t slot, float time)
{
    const rblWorld* world = step->world;
    const struct rblPassageStage* stage = step->passages;
    const uint32_t index = step->solver_index.data[slot];
    const float end = step->seconds;
    if (index == 0)
    {
        return rbl_leg_at_rest(rbl_motion_pose(&world->motions.data[slot]), 0.0f, end);
    }
    const rblPath* path = &stage->paths.data[index];
    const rblLeg* legs = &stage->legs.data[path->first];
    if (time >= path->end)
    {
        return rbl_leg_at_rest(rbl_path_pose(step, index, path->end), path->end, end);
    }
    if (time < legs[0].begin) // a fragment that was born later
    {
        return rbl_leg_at_rest(rbl_leg_pose(&legs[0], time), 0.0f, legs[0].begin);
    }
    uint32_t i = 0;
    while (i + 1 < path->count && legs[i].end <= time)
    {
        ++i;
    }
    return legs[i];
}

rblTransform rbl_path_pose(const rblStep* step, uint32_t index, float time)
{
    const struct rblPassageStage* stage = step->passages;
    const rblPath* path = &stage->paths.data[index];
    const rblLeg* legs = &stage->legs.data[path->first];
    const float at = rbl_minf(time, path->end);
    uint32_t i = 0;
    while (i + 1 < path->count && legs[i].end < at)
    {
        ++i;
    }
    return rbl_leg_pose(&legs[i], at);
}

static float end_of_path(const rblStep* step, uint32_t slot)
{
    const uint32_t index = step->solver_index.data[slot];
    return index != 0 ? step->passages->paths.data[index].end : 0.0f;
}

// ---- a pair ----

// Two bodies over a part of the substep in which each of them has one leg.
typedef struct Stretch
{
    const rblBody *a, *b;
    rblSweep sweep_a, sweep_b;
    rblVec3 sag;
    float begin, end;
    bool still; // both have ended
    bool fixed; // one of the bodies has infinite mass
} Stretch;

static Stretch stretch_at(const rblStep* step, const rblPassage* passage, float time)
{
    const rblWorld* world = step->world;
    const rblLeg leg_a = leg_at(step, passage->a, time);
    const rblLeg leg_b = leg_at(step, passage->b, time);
    const float path_a = end_of_path(step, passage->a);
    const float path_b = end_of_path(step, passage->b);
    rblVec3 bend_a;
    rblVec3 bend_b;
    Stretch stretch = {.a = &world->bodies.data[passage->a], .b = &world->bodies.data[passage->b]};
    stretch.begin = time;
    stretch.end = rbl_minf(time < path_a ? rbl_minf(leg_a.end, path_a) : step->seconds,
                           time < path_b ? rbl_minf(leg_b.end, path_b) : step->seconds);
    stretch.still = time >= path_a && time >= path_b;
    stretch.fixed = !is_dynamic(step, step->solver_index.data[passage->a]) ||
                    !is_dynamic(step, step->solver_index.data[passage->b]);
    stretch.sweep_a = rbl_leg_sweep(&leg_a, stretch.a, time, stretch.end, &bend_a);
    stretch.sweep_b = rbl_leg_sweep(&leg_b, stretch.b, time, stretch.end, &bend_b);
    stretch.sag = rbl_sub3(bend_b, bend_a);
    return stretch;
}

// The fraction of a stretch until a gap is reached; *clear: a lower bound of the gap at its beginning.
static float fraction_to(const Stretch* stretch, float goal, float accuracy, float* clear)
{
    const rblImpactQuery query = {.a = &stretch->a->shape,
                                  .b = &stretch->b->shape,
                                  .sweep_a = &stretch->sweep_a,
                                  .sweep_b = &stretch->sweep_b,
                                  .sag = stretch->sag,
                                  .target = goal,
                                  .tolerance = accuracy,
                                  .clear = clear};
    return rbl_shape_find_impact(&query);
}

// A pair that overlaps from the start may overlap by so much more.
static float deeper_goal(const Stretch* stretch, float depth, float clear)
{
    if (clear < 0.0f)
    {
        return clear - (stretch->fixed ? FIXED_SHARE : 1.0f) * depth;
    }
    float goal = -depth;
    for (int i = 0; i < DOUBLINGS; ++i)
    {
        goal *= 2.0f;
        if (fraction_to(stretch, goal, ACCURACY * depth, NULL) > 0.0f)
        {
            return goal;
        }
    }
    return -INFINITY;
}

// When two bodies overlap too deeply, they touched before. Without an overlap at the beginning of the stretch, that is their time.
static float time_of_touch(const Stretch* stretch, float depth, float found)
{
    const float slop = rbl_pair_slop(stretch->a, stretch->b);
    const float touch = fraction_to(stretch, 0.5f * slop, 0.5f * slop, NULL);
    const float fraction = touch > 0.0f && touch < found ? touch : found;
    (void)depth;
    return stretch->begin + fraction * (stretch->end - stretch->begin);
}

static bool is_carried(const rblStep* step, uint32_t slot)
{
    const uint32_t index = step->solver_index.data[slot];
    return index != 0 && step->passages->paths.data[index].ending == RBL_ENDING_CARRIED;
}

// The time from which on the two overlap too deeply; INFINITY: never.
static float find_time(const rblStep* step, rblPassage* passage, float since)
{
    const float depth = depth_of(step, passage->a, passage->b);
    const bool carried = is_carried(step, passage->a) || is_carried(step, passage->b);
    float time = since;
    while (time < step->seconds && passage->goal > -INFINITY)
    {
        const Stretch stretch = stretch_at(step, passage, time);
        if (stretch.still)
        {
            return INFINITY;
        }
        if (stretch.end - time > LEAST_TIME * step->seconds)
        {
            float clear = 0.0f;
            const bool first = passage->goal == 0.0f || (carried && time == since);
            passage->goal = passage->goal == 0.0f ? -depth : passage->goal;
            float found = fraction_to(&stretch, passage->goal, FINE * depth, &clear);
            if (first && !(found > 0.0f))
            {
                passage->goal = deeper_goal(&stretch, depth, clear);
                found = passage->goal > -INFINITY
                            ? fraction_to(&stretch, passage->goal, FINE * depth, NULL)
                            : 1.0f;
            }
            if (found < 1.0f)
            {
                return time_of_touch(&stretch, depth, found);
            }
        }
        time = rbl_maxf(stretch.end, time + 1e-6f * step->seconds);
    }
    return INFINITY;
}

static void find_block(rblRange range, void* context)
{
    const rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblPassage* passage = &step->passages->passages.data[i];
        passage->time = find_time(step, passage, 0.0f);
    }
}

// ---- all pairs ----

// Bound of the relative motion, m, of bodies without flights.
static bool moves_past(const rblStep* step, uint32_t a, uint32_t b)
{
    const rblWorld* world = step->world;
    const struct rblPassageStage* stage = step->passages;
    const uint32_t slots[2] = {a, b};
    rblVec3 travel[2] = {{0, 0, 0}, {0, 0, 0}};
    float bound = 0.0f;
    for (int k = 0; k < 2; ++k)
    {
        const uint32_t index = step->solver_index.data[slots[k]];
        if (index != 0 && (stage->firsts.data[index] != 0 ||
                           step->solver_bodies.data[index].seconds < step->seconds))
        {
            return true;
        }
        if (index != 0)
        {
            const rblSolverBody* body = &step->solver_bodies.data[index];
            const rblVec3 sum = rbl_add3(step->before_contacts.data[index].velocity, body->velocity);
            travel[k] = rbl_sub3(world->motions.data[slots[k]].center, stage->saved.data[index].center);
            bound += rbl_maxf(stage->reaches.data[index] - 0.5f * body->seconds * rbl_length3(sum), 0.0f);
        }
    }
    return rbl_length3(rbl_sub3(travel[0], travel[1])) + bound > SAFE * depth_of(step, a, b);
}

static bool add_passage(rblStep* step, uint32_t a, uint32_t b)
{
    const rblPassage passage = {.a = a, .b = b, .time = INFINITY};
    return rbl_array_push(&step->passages->passages, passage) &&
           make_path(step, step->solver_index.data[a]) && make_path(step, step->solver_index.data[b]);
}

static bool collect(rblStep* step)
{
    const rblWorld* world = step->world;
    rbl_array_clear(&step->passages->passages);
    rbl_array_clear(&step->passages->legs);
    for (size_t i = 0; i < step->active_pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[step->active_pairs.data[i]];
        const bool far = reaches(step, pair->a, pair->b) &&
                         (step->passages->displaces || moves_past(step, pair->a, pair->b));
        if ((far || (!step->passages->displaces && is_deep(step, step->active_pairs.data[i]))) &&
            !add_passage(step, pair->a, pair->b))
        {
            return false;
        }
    }
    return true;
}

// ---- deflected bodies ----

// Whether two bodies are a pair; pairs are sorted.
static bool is_pair(const rblWorld* world, uint32_t a, uint32_t b)
{
    size_t begin = 0;
    size_t end = world->pairs.count;
    while (begin < end)
    {
        const size_t middle = begin + (end - begin) / 2;
        const rblPair* pair = &world->pairs.data[middle];
        if (pair->a == a && pair->b == b)
        {
            return true;
        }
        const bool before = pair->a < a || (pair->a == a && pair->b < b);
        begin = before ? middle + 1 : begin;
        end = before ? end : middle;
    }
    return false;
}

static rblAabb box_around_leg(const rblLeg* leg, const rblBody* body)
{
    const rblAabb from = rbl_shape_bounds_at(
        &body->shape, rbl_transform_mul((rblTransform){leg->center, leg->from}, body->shape_in_body));
    const rblAabb to = {rbl_add3(from.lower, leg->travel), rbl_add3(from.upper, leg->travel)};
    const float more = body->shape.radius * rbl_length3(leg->turn) + 0.25f * rbl_length3(leg->bend);
    return rbl_aabb_grown(rbl_aabb_union(from, to), more);
}

static rblAabb box_around_path(const rblStep* step, uint32_t index)
{
    const struct rblPassageStage* stage = step->passages;
    const rblPath* path = &stage->paths.data[index];
    const rblBody* body = &step->world->bodies.data[step->solver_bodies.data[index].slot];
    rblAabb box = box_around_leg(&stage->legs.data[path->first], body);
    for (uint32_t i = 1; i < path->count; ++i)
    {
        box = rbl_aabb_union(box, box_around_leg(&stage->legs.data[path->first + i], body));
    }
    return box;
}

static bool contains(rblAabb outer, rblAabb inner)
{
    return outer.lower.x <= inner.lower.x && outer.lower.y <= inner.lower.y && outer.lower.z <= inner.lower.z &&
           outer.upper.x >= inner.upper.x && outer.upper.y >= inner.upper.y && outer.upper.z >= inner.upper.z;
}

// Whether a body has left its predicted path by more than a body of its thickness may.
static bool is_deflected(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblBodyPath* path = &step->paths.data[body->slot];
    const rblVec3 predicted = rbl_add3(path->frame.p, path->translation);
    const rblVec3 apart = rbl_sub3(world->motions.data[body->slot].center, predicted);
    const rblVec3 spin = rbl_scale3(step->sweeps.data[body->slot].rotation, 1.0f / step->seconds);
    const float turning = step->seconds * path->radius * rbl_length3(rbl_sub3(body->spin, spin));
    return path->bounded && rbl_length3(apart) + turning > path->inner_radius;
}

typedef struct Search
{
    rblStep* step;
    uint32_t slot;
    bool out_of_memory;
} Search;

static bool add_if_new(rblStep* step, uint32_t one, uint32_t other)
{
    const rblWorld* world = step->world;
    const uint32_t a = one < other ? one : other;
    const uint32_t b = one < other ? other : one;
    if (a == b || !rbl_pair_is_wanted(world, a, b) || is_pair(world, a, b) || !reaches(step, a, b))
    {
        return true;
    }
    for (size_t i = step->passages->passages.count; i-- > 0;)
    {
        const rblPassage* passage = &step->passages->passages.data[i];
        if (passage->a == a && passage->b == b)
        {
            return true;
        }
    }
    return add_passage(step, a, b);
}

static bool visit_neighbour(uint32_t slot, void* context)
{
    Search* search = context;
    search->out_of_memory = !add_if_new(search->step, search->slot, slot);
    return !search->out_of_memory;
}

// Pairs of a body along a path that the broad phase does not know.
static bool search_around(rblStep* step, uint32_t index, rblAabb box)
{
    Search search = {.step = step, .slot = step->solver_bodies.data[index].slot};
    rbl_broad_phase_query(step->world->broad, box, visit_neighbour, &search);
    return !search.out_of_memory;
}

static bool starts_before(uint32_t a, uint32_t b, const void* context)
{
    const struct rblPassageStage* stage = context;
    return stage->boxes.data[a].lower.x < stage->boxes.data[b].lower.x;
}

// Pairs of two deflected bodies.
static bool pair_deflected(rblStep* step)
{
    struct rblPassageStage* stage = step->passages;
    const size_t count = stage->deflected.count;
    if (!rbl_array_resize_amply(&stage->turns, 2 * count))
    {
        return false;
    }
    uint32_t* order = stage->turns.data;
    for (uint32_t i = 0; i < count; ++i)
    {
        order[i] = i;
    }
    rbl_sort_indices(order, order + count, count, starts_before, stage);
    for (size_t i = 0; i < count; ++i)
    {
        const rblAabb box = stage->boxes.data[order[i]];
        const uint32_t slot = step->solver_bodies.data[stage->deflected.data[order[i]]].slot;
        for (size_t k = i + 1; k < count && stage->boxes.data[order[k]].lower.x <= box.upper.x; ++k)
        {
            const uint32_t other = step->solver_bodies.data[stage->deflected.data[order[k]]].slot;
            if (rbl_aabb_overlaps(box, stage->boxes.data[order[k]]) && !add_if_new(step, slot, other))
            {
                return false;
            }
        }
    }
    return true;
}

static bool collect_deflected(rblStep* step)
{
    struct rblPassageStage* stage = step->passages;
    rbl_array_clear(&stage->deflected);
    rbl_array_clear(&stage->boxes);
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const rblShapeView* shape = &step->world->bodies.data[step->solver_bodies.data[i].slot].shape;
        const bool far = stage->displaces ? stage->reaches.data[i] > shape->inner_radius : is_deflected(step, i);
        if (!is_dynamic(step, i) || !far)
        {
            continue;
        }
        if (!make_path(step, i))
        {
            return false;
        }
        const rblAabb box = box_around_path(step, i);
        const uint32_t slot = step->solver_bodies.data[i].slot;
        if (contains(rbl_broad_phase_fat_box(step->world->broad, slot), box))
        {
            continue;
        }
        if (!rbl_array_push(&stage->deflected, i) || !rbl_array_push(&stage->boxes, box) ||
            !search_around(step, i, box))
        {
            return false;
        }
    }
    return pair_deflected(step);
}

// ---- stops ----

// Pairs of a stopped body: those that were followed already, and those that moved on together so far.
static bool follow_again(rblStep* step, uint32_t slot, float time)
{
    const rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    for (size_t i = 0; i < step->active_pairs.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[step->active_pairs.data[i]];
        bool known = (pair->a != slot && pair->b != slot) || !reaches(step, pair->a, pair->b);
        for (size_t k = 0; k < stage->passages.count && !known; ++k)
        {
            known = stage->passages.data[k].a == pair->a && stage->passages.data[k].b == pair->b;
        }
        if (!known && !add_passage(step, pair->a, pair->b))
        {
            return false;
        }
    }
    for (size_t i = 0; i < stage->passages.count; ++i)
    {
        rblPassage* passage = &stage->passages.data[i];
        if ((passage->a == slot || passage->b == slot) && !passage->finished)
        {
            passage->time = find_time(step, passage, passage->goal == 0.0f ? 0.0f : time);
            passage->time = rbl_maxf(passage->time, time);
        }
    }
    return true;
}

// After the time a body moves on with a kinematic one.
static bool carry(rblStep* step, uint32_t index, uint32_t carrier, float time)
{
    struct rblPassageStage* stage = step->passages;
    rblPath* path = &stage->paths.data[index];
    const rblPath* other = &stage->paths.data[carrier];
    const rblTransform own = rbl_path_pose(step, index, time);
    const rblTransform held =
        rbl_transform_relative(rbl_path_pose(step, carrier, time), own);
    const uint32_t first = (uint32_t)stage->legs.count;
    for (uint32_t i = 0; i < path->count; ++i)
    {
        const rblLeg leg = stage->legs.data[path->first + i];
        if (leg.begin < time && !rbl_array_push(&stage->legs, rbl_leg_until(&leg, time)))
        {
            return false;
        }
    }
    rblTransform last = own;
    float begin = time;
    for (uint32_t i = 0; i < other->count; ++i)
    {
        const rblLeg with = stage->legs.data[other->first + i];
        if (with.end <= time)
        {
            continue;
        }
        const rblTransform next = rbl_transform_mul(rbl_leg_pose(&with, with.end), held);
        const rblMotion motion = {.center = last.p, .orientation = last.q};
        const rblBody* body = &step->world->bodies.data[step->solver_bodies.data[index].slot];
        if (!rbl_legs_add(body, &motion, next, rbl_vec3(0, 0, 0), begin, with.end, &stage->legs))
        {
            return false;
        }
        last = next;
        begin = with.end;
    }
    path->first = first;
    path->count = (uint32_t)stage->legs.count - first;
    path->carrier = carrier;
    path->ending = RBL_ENDING_CARRIED;
    path->stopped = time;
    path->end = begin;
    return search_around(step, index, box_around_path(step, index));
}

// The body ends its path, or is carried on, and its neighbours are searched again.
static bool stop(rblStep* step, uint32_t index, uint32_t by, float time)
{
    rblPath* path = &step->passages->paths.data[index];
    const uint32_t slot = step->solver_bodies.data[index].slot;
    if (!is_dynamic(step, index) || path->ending == RBL_ENDING_STOPPED)
    {
        return true;
    }
    const bool driven = by != 0 && !is_dynamic(step, by) && path->ending == RBL_ENDING_NONE;
    if (driven)
    {
        return carry(step, index, by, time) && follow_again(step, slot, time);
    }
    if (path->ending == RBL_ENDING_NONE && time >= path->end)
    {
        return true; // it rests already
    }
    path->stopped = path->ending == RBL_ENDING_NONE ? time : path->stopped;
    path->ending = RBL_ENDING_STOPPED;
    path->end = rbl_minf(path->end, time);
    return follow_again(step, slot, time);
}

// All bodies that joints connect to a stopped one stop at its time.
static bool stop_connected(rblStep* step, float time)
{
    const rblWorld* world = step->world;
    bool any = true;
    while (any)
    {
        any = false;
        for (size_t i = 0; i < world->joints.count; ++i)
        {
            const rblJoint* joint = &world->joints.data[i];
            if (joint->generation == 0 || !rbl_joint_is_active(step, joint))
            {
                continue;
            }
            const uint32_t ends[2] = {joint->solver_a, joint->solver_b};
            for (int k = 0; k < 2; ++k)
            {
                const uint32_t one = ends[k];
                const uint32_t other = ends[1 - k];
                if (one == 0 || other == 0 || !is_dynamic(step, one) || !is_dynamic(step, other) ||
                    step->passages->paths.data[one].ending == RBL_ENDING_NONE)
                {
                    continue;
                }
                if (!make_path(step, other))
                {
                    return false;
                }
                if (step->passages->paths.data[other].ending == RBL_ENDING_NONE &&
                    time < step->passages->paths.data[other].end)
                {
                    any = true;
                    if (!stop(step, other, 0, time))
                    {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

static rblPassage* first_passage(const rblStep* step)
{
    rblPassage* first = NULL;
    for (size_t i = 0; i < step->passages->passages.count; ++i)
    {
        rblPassage* passage = &step->passages->passages.data[i];
        first = passage->time < (first != NULL ? first->time : INFINITY) ? passage : first;
    }
    return first;
}

static bool stop_all(rblStep* step)
{
    const rblWorld* world = step->world;
    for (rblPassage* passage = first_passage(step); passage != NULL; passage = first_passage(step))
    {
        const float time = passage->time;
        const uint32_t a = step->solver_index.data[passage->a];
        const uint32_t b = step->solver_index.data[passage->b];
        passage->time = INFINITY;
        passage->finished = true;
        if (!stop(step, a, b, time) || !stop(step, b, a, time) ||
            (world->joint_ids.alive > 0 && !stop_connected(step, time)))
        {
            return false;
        }
    }
    return true;
}

// Find the pairs that pass through each other on their paths, and stop them.
static rblResult follow_all(rblStep* step)
{
    struct rblPassageStage* stage = step->passages;
    if (!collect(step) || !collect_deflected(step))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(step->world->jobs, (uint32_t)stage->passages.count, MIN_PASSAGES, find_block, step);
    if (!stop_all(step))
    {
        return rbl_fail_memory();
    }
    rbl_paths_end(step);
    return RBL_OK;
}

rblResult rbl_passages_end(rblStep* step)
{
    if (step->passages->saved.count == 0)
    {
        return RBL_OK;
    }
    step->passages->displaces = false;
    RBL_TRY(follow_all(step));
    save_motions(step);
    return RBL_OK;
}

rblResult rbl_passages_check_drift(rblStep* step)
{
    const rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    bool any = false;
    for (uint32_t i = 1; i < stage->saved.count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[i].slot;
        const rblMotion* saved = &stage->saved.data[i];
        const rblMotion* now = &world->motions.data[slot];
        const rblShapeView* shape = &world->bodies.data[slot].shape;
        const bool turns = shape->bounded && shape->rolling != RBL_ROLLS_AS_BALL && is_dynamic(step, i);
        const float angle = turns ? rbl_length3(rbl_rotation_between(saved->orientation, now->orientation)) : 0.0f;
        stage->reaches.data[i] = rbl_length3(rbl_sub3(now->center, saved->center)) + angle * shape->radius;
        any = any || stage->reaches.data[i] > 0.0f;
    }
    stage->displaces = true;
    return any ? follow_all(step) : RBL_OK;
}
