// When two bodies overlap too deeply on their paths (passages.c).
#include "dynamics/impact/passages.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----
// Relative to the overlap that a motion may add.
#define ACCURACY    0.02f // of the search
#define FIXED_SHARE 0.04f // what a motion may add to a deep overlap with a body of infinite mass
#define DOUBLINGS   6     // of the overlap that is allowed, for pairs that overlap from the start
#define HALVINGS    4     // of the interval of that overlap
#define LEAST_TIME  1e-4f // of the substep: shorter legs are not followed

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
    const rblLeg leg_a = rbl_path_leg(step, passage->a, time);
    const rblLeg leg_b = rbl_path_leg(step, passage->b, time);
    const float path_a = rbl_path_end(step, passage->a);
    const float path_b = rbl_path_end(step, passage->b);
    rblVec3 bend_a;
    rblVec3 bend_b;
    Stretch stretch = {.a = &world->bodies.data[passage->a], .b = &world->bodies.data[passage->b]};
    stretch.begin = time;
    stretch.end = rbl_minf(time < path_a ? rbl_minf(leg_a.end, path_a) : step->seconds,
                           time < path_b ? rbl_minf(leg_b.end, path_b) : step->seconds);
    stretch.still = time >= path_a && time >= path_b;
    stretch.fixed = !rbl_is_dynamic(step, step->solver_index.data[passage->a]) ||
                    !rbl_is_dynamic(step, step->solver_index.data[passage->b]);
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

// The gap at the beginning of a stretch of a pair that overlaps there, m; -INFINITY where the search ends. Searches of shapes
// that are not convex tell only whether a gap is reached.
static float gap_at_start(const Stretch* stretch, float depth)
{
    float above = -depth;
    float below = -2.0f * depth;
    int i = 0;
    while (i < DOUBLINGS && !(fraction_to(stretch, below, ACCURACY * depth, NULL) > 0.0f))
    {
        above = below;
        below *= 2.0f;
        ++i;
    }
    for (int k = 0; k < HALVINGS && i < DOUBLINGS; ++k)
    {
        const float middle = 0.5f * (above + below);
        const bool beyond = fraction_to(stretch, middle, ACCURACY * depth, NULL) > 0.0f;
        below = beyond ? middle : below;
        above = beyond ? above : middle;
    }
    return i < DOUBLINGS ? below : -INFINITY;
}

// A pair that overlaps from the start may overlap by so much more.
static float deeper_goal(const Stretch* stretch, float depth, float clear)
{
    const bool known = clear < 0.0f && clear > -INFINITY;
    const float gap = known ? clear : gap_at_start(stretch, depth);
    return gap - (stretch->fixed ? FIXED_SHARE : 1.0f) * depth;
}

// When two bodies overlap too deeply, they touched before. Without an overlap at the beginning of the stretch, that is their time.
static float time_of_touch(const Stretch* stretch, float found)
{
    const float slop = rbl_pair_slop(stretch->a, stretch->b);
    const float touch = fraction_to(stretch, 0.5f * slop, 0.5f * slop, NULL);
    const float fraction = touch > 0.0f && touch < found ? touch : found;
    return stretch->begin + fraction * (stretch->end - stretch->begin);
}

static bool is_carried(const rblStep* step, uint32_t slot)
{
    const uint32_t index = step->solver_index.data[slot];
    return index != 0 && step->passages->paths.data[index].ending == RBL_ENDING_CARRIED;
}

// The time from which on the two overlap too deeply; INFINITY: never.
float rbl_passage_find_time(const rblStep* step, rblPassage* passage, float since)
{
    const float depth = rbl_passage_depth(step, passage->a, passage->b);
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
            float found = fraction_to(&stretch, passage->goal, ACCURACY * depth, &clear);
            if (first && !(found > 0.0f))
            {
                passage->goal = deeper_goal(&stretch, depth, clear);
                found = passage->goal > -INFINITY
                            ? fraction_to(&stretch, passage->goal, ACCURACY * depth, NULL)
                            : 1.0f;
            }
            if (found < 1.0f)
            {
                return time_of_touch(&stretch, found);
            }
        }
        time = rbl_maxf(stretch.end, time + 1e-6f * step->seconds);
    }
    return INFINITY;
}
