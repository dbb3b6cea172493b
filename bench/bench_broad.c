// The broad phase on swarms of boxes: a settled pile, a collapse, a burst of births, many moving bodies. Other structures get
// the same fat boxes in the same run (broad_rivals.h).
#include "bench/bench.h"

#include "base/counted_memory.h"
#include "base/error.h"
#include "base/random.h"
#include "base/timer.h"
#include "bench/broad_rivals.h"
#include "dynamics/broad_phase/broad_phase.h"
#include <string.h>

#define STEP_SECONDS (1.0f / 30.0f)
#define MAX_STEPS    32
#define SWEEP_LIMIT  20000 // bodies; sort and sweep would take most of a second for a step of more

typedef struct SceneDef
{
    const char* name;
    uint32_t count;       // bodies at the start
    uint32_t quick_count; // with --quick
    uint32_t births;      // in one step, half way
    float spacing;        // m; sizes are 0.1 to 0.3 m
    float speed;          // m/s, about
    float jitter;         // m, of bodies at rest
    uint32_t steps;
    bool only_worst; // report the worst step, not the mean
} SceneDef;

static const SceneDef scenes[] = {
    {"settled pile of 9000", 9000, 300, 0, 0.2f, 0.0f, 0.0005f, 20, false},
    {"creeping pile of 9000, 5 cm/s", 9000, 300, 0, 0.2f, 0.05f, 0.0f, 20, false},
    {"collapse of 9000, 4 m/s", 9000, 300, 0, 0.2f, 4.0f, 0.0f, 20, false},
    {"burst: 5000 born beside 9000 at rest", 9000, 300, 5000, 0.2f, 0.0f, 0.0005f, 4, true},
    {"100 000 moving, 2 m/s", 100000, 300, 0, 0.3f, 2.0f, 0.0f, 4, false},
};

typedef struct Swarm
{
    const SceneDef* def;
    uint32_t count;
    uint32_t limit; // with those still to be born
    float side;     // of the cube they live in
    rblRandom random;
    rblVec3* centers;
    rblVec3* halves;
    rblVec3* velocities;
    rblAabb* boxes; // tight, swept through the coming step
    rblAabb* fat;   // as of the step before
    uint32_t* proxies;
    uint32_t* moved;
    uint8_t* is_moved;
    uint32_t moved_count;
} Swarm;

enum
{
    OURS,
    TREE,
    SWEEP,
    FOREST,
    CONTESTANTS
};

static const char* const rival_names[CONTESTANTS] = {
    NULL, "dynamic tree, 1 thread", "sort and sweep, 1 thread", "binary implicit tree, 1 thread"};

typedef struct Timing
{
    double seconds[CONTESTANTS][MAX_STEPS]; // negative: did not take part
    double moved;                           // proxies that left their fat box, in all steps
    uint32_t pairs;                         // in the end
    size_t bytes;
} Timing;

typedef struct Contest
{
    Swarm swarm;
    rblCountedMemory memory; // of the broad phase
    rblBroadPhase* broad;
    rblProxyPairArray begun, ended;
    rblRivalTree tree;
    rblRivalSweep sweep;
    rblRivalForest forest;
    rblRivalSet sets[CONTESTANTS]; // of the rivals
} Contest;

// ---- the swarm ----

static void swarm_free(Swarm* swarm)
{
    const rblAllocator* allocator = rbl_default_allocator();
    RBL_FREE_ARRAY(allocator, swarm->centers, swarm->limit);
    RBL_FREE_ARRAY(allocator, swarm->halves, swarm->limit);
    RBL_FREE_ARRAY(allocator, swarm->velocities, swarm->limit);
    RBL_FREE_ARRAY(allocator, swarm->boxes, swarm->limit);
    RBL_FREE_ARRAY(allocator, swarm->fat, swarm->limit);
    RBL_FREE_ARRAY(allocator, swarm->proxies, swarm->limit);
    RBL_FREE_ARRAY(allocator, swarm->moved, swarm->limit);
    RBL_FREE_ARRAY(allocator, swarm->is_moved, swarm->limit);
}

static float uniform(Swarm* swarm, float low, float high)
{
    return low + (high - low) * rbl_random_float(&swarm->random);
}

static rblVec3 uniform3(Swarm* swarm, float low, float high)
{
    const float x = uniform(swarm, low, high);
    const float y = uniform(swarm, low, high);
    return rbl_vec3(x, y, uniform(swarm, low, high));
}

static void swarm_place(Swarm* swarm, uint32_t i, float low, float high)
{
    const float speed = swarm->def->speed;
    swarm->centers[i] = uniform3(swarm, low, high);
    swarm->halves[i] = uniform3(swarm, 0.05f, 0.15f);
    swarm->velocities[i] = uniform3(swarm, -speed, speed);
    swarm->proxies[i] = i;
    swarm->fat[i] = rbl_aabb_empty();
}

// As dense as a pile: one body to each cube of the spacing. Those to be born fill a corner just as densely.
static bool swarm_init(Swarm* swarm, const SceneDef* def, bool quick)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = quick ? def->quick_count : def->count;
    const uint32_t births = quick && def->births > 0 ? 100 : def->births;
    const uint32_t limit = count + births;
    *swarm = (Swarm){.def = def, .count = count, .limit = limit, .random = rbl_random_seed(9, 0)};
    swarm->centers = RBL_NEW_ARRAY(allocator, rblVec3, limit);
    swarm->halves = RBL_NEW_ARRAY(allocator, rblVec3, limit);
    swarm->velocities = RBL_NEW_ARRAY(allocator, rblVec3, limit);
    swarm->boxes = RBL_NEW_ARRAY(allocator, rblAabb, limit);
    swarm->fat = RBL_NEW_ARRAY(allocator, rblAabb, limit);
    swarm->proxies = RBL_NEW_ARRAY(allocator, uint32_t, limit);
    swarm->moved = RBL_NEW_ARRAY(allocator, uint32_t, limit);
    swarm->is_moved = RBL_NEW_ARRAY(allocator, uint8_t, limit);
    if (swarm->centers == NULL || swarm->halves == NULL || swarm->velocities == NULL ||
        swarm->boxes == NULL || swarm->fat == NULL || swarm->proxies == NULL || swarm->moved == NULL ||
        swarm->is_moved == NULL)
    {
        return false;
    }
    uint32_t edge = 1;
    while (edge * edge * edge < count)
    {
        edge += 1;
    }
    swarm->side = def->spacing * (float)edge;
    for (uint32_t i = 0; i < limit; ++i)
    {
        const bool born_later = i >= count;
        swarm_place(swarm, i, born_later ? swarm->side : 0.0f, born_later ? 1.8f * swarm->side : swarm->side);
    }
    return true;
}

static float bounce(float position, float velocity, float side)
{
    return (position < 0.0f && velocity < 0.0f) || (position > side && velocity > 0.0f) ? -velocity
                                                                                        : velocity;
}

static void swarm_step(Swarm* swarm)
{
    const float jitter = swarm->def->jitter;
    for (uint32_t i = 0; i < swarm->limit; ++i)
    {
        rblVec3* v = &swarm->velocities[i];
        swarm->centers[i] = rbl_mul_add3(swarm->centers[i], STEP_SECONDS, *v);
        const rblVec3 c = swarm->centers[i];
        *v = rbl_vec3(bounce(c.x, v->x, swarm->side), bounce(c.y, v->y, swarm->side),
                      bounce(c.z, v->z, swarm->side));
        const rblVec3 shaken = rbl_add3(c, uniform3(swarm, -jitter, jitter));
        const rblAabb now = {rbl_sub3(shaken, swarm->halves[i]), rbl_add3(shaken, swarm->halves[i])};
        const rblVec3 way = rbl_scale3(*v, STEP_SECONDS);
        const rblAabb then = {rbl_add3(now.lower, way), rbl_add3(now.upper, way)};
        swarm->boxes[i] = rbl_aabb_union(now, then);
    }
}

// ---- contestants ----

static bool every_pair(uint32_t a, uint32_t b, const void* context)
{
    (void)a;
    (void)b;
    (void)context;
    return true;
}

static rblResult add_proxies(Contest* contest, uint32_t begin, uint32_t end)
{
    for (uint32_t i = begin; i < end; ++i)
    {
        RBL_TRY(rbl_broad_phase_add(contest->broad, i, contest->swarm.boxes[i], true));
    }
    return RBL_OK;
}

// `births`: those not yet there are born in this step.
static rblResult step_ours(Contest* contest, bool births)
{
    Swarm* swarm = &contest->swarm;
    const uint32_t before = swarm->count;
    RBL_TRY(
        rbl_broad_phase_move(contest->broad, swarm->proxies, swarm->boxes, before, 0.0f, rbl_default_jobs()));
    if (births)
    {
        RBL_TRY(add_proxies(contest, before, swarm->limit));
        swarm->count = swarm->limit;
    }
    return rbl_broad_phase_update(contest->broad, every_pair, NULL, rbl_default_jobs(), &contest->begun,
                                  &contest->ended);
}

// Which fat boxes are new in this step.
static void find_moved(Contest* contest)
{
    Swarm* swarm = &contest->swarm;
    swarm->moved_count = 0;
    for (uint32_t i = 0; i < swarm->count; ++i)
    {
        const rblAabb fat = rbl_broad_phase_fat_box(contest->broad, i);
        swarm->is_moved[i] = memcmp(&fat, &swarm->fat[i], sizeof fat) != 0 ? RBL_PROXY_MARKED : 0;
        swarm->fat[i] = fat;
        if (swarm->is_moved[i] != 0)
        {
            swarm->moved[swarm->moved_count++] = i;
        }
    }
}

static bool find_pairs(Contest* contest, const rblRivalStep* step, int who, rblRivalPairs* out)
{
    rbl_array_clear(out);
    switch (who)
    {
    case TREE:
        return rbl_rival_tree_step(&contest->tree, step, out);
    case SWEEP:
        return rbl_rival_sweep_step(&contest->sweep, step, out);
    default:
        return rbl_rival_forest_step(&contest->forest, step, out);
    }
}

// All must keep as many pairs as we do.
static rblResult step_rivals(Contest* contest, Timing* timing, uint32_t index)
{
    const Swarm* swarm = &contest->swarm;
    const rblRivalStep step = {swarm->fat, swarm->count, swarm->moved, swarm->moved_count, swarm->is_moved};
    for (int who = TREE; who < CONTESTANTS; ++who)
    {
        timing->seconds[who][index] = -1.0;
        if (who == SWEEP && swarm->count > SWEEP_LIMIT)
        {
            continue;
        }
        rblRivalSet* set = &contest->sets[who];
        const double start = rbl_timer_seconds();
        if (!find_pairs(contest, &step, who, &set->found) || !rbl_rival_set_merge(set, &step))
        {
            return rbl_fail_memory();
        }
        timing->seconds[who][index] = rbl_timer_seconds() - start;
        if (set->pairs.count != rbl_broad_phase_pair_count(contest->broad))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY, "%s keeps another set of pairs", rival_names[who]);
        }
    }
    return RBL_OK;
}

static rblResult run_steps(Contest* contest, Timing* timing)
{
    Swarm* swarm = &contest->swarm;
    swarm_step(swarm);
    RBL_TRY(add_proxies(contest, 0, swarm->count));
    RBL_TRY(step_ours(contest, false));
    find_moved(contest);
    RBL_TRY(step_rivals(contest, timing, 0)); // the first step is not counted
    for (uint32_t step = 0; step < swarm->def->steps; ++step)
    {
        swarm_step(swarm);
        const bool births = swarm->def->births > 0 && step == swarm->def->steps / 2;
        const double start = rbl_timer_seconds();
        RBL_TRY(step_ours(contest, births));
        timing->seconds[OURS][step] = rbl_timer_seconds() - start;
        find_moved(contest);
        timing->moved += swarm->moved_count;
        RBL_TRY(step_rivals(contest, timing, step));
    }
    timing->pairs = rbl_broad_phase_pair_count(contest->broad);
    timing->bytes = rbl_counted_memory_bytes(&contest->memory);
    return RBL_OK;
}

static rblResult run_once(const SceneDef* def, bool quick, Timing* timing)
{
    Contest contest;
    memset(&contest, 0, sizeof contest);
    *timing = (Timing){0};
    rbl_counted_memory_init(&contest.memory, rbl_default_allocator());
    rbl_array_init(&contest.begun, rbl_default_allocator());
    rbl_array_init(&contest.ended, rbl_default_allocator());
    rbl_rival_tree_init(&contest.tree);
    rbl_rival_sweep_init(&contest.sweep);
    rbl_rival_forest_init(&contest.forest);
    for (int who = TREE; who < CONTESTANTS; ++who)
    {
        rbl_rival_set_init(&contest.sets[who]);
    }
    rblResult result = rbl_broad_phase_create(&contest.memory.allocator, &contest.broad);
    if (result == RBL_OK)
    {
        result = swarm_init(&contest.swarm, def, quick) ? run_steps(&contest, timing) : rbl_fail_memory();
    }
    swarm_free(&contest.swarm);
    rbl_broad_phase_destroy(contest.broad);
    rbl_array_free(&contest.begun);
    rbl_array_free(&contest.ended);
    rbl_rival_tree_free(&contest.tree);
    rbl_rival_sweep_free(&contest.sweep);
    rbl_rival_forest_free(&contest.forest);
    for (int who = TREE; who < CONTESTANTS; ++who)
    {
        rbl_rival_set_free(&contest.sets[who]);
    }
    return result;
}

// ---- reports ----

static double mean_or_worst(const SceneDef* def, const double* seconds, bool worst)
{
    double sum = 0.0;
    double most = 0.0;
    for (uint32_t i = 0; i < def->steps; ++i)
    {
        sum += seconds[i];
        most = rbl_maxd(most, seconds[i]);
    }
    return 1e3 * (worst ? most : sum / def->steps);
}

static void report(rblBench* bench, const SceneDef* def, const Timing* timing)
{
    const double ours = mean_or_worst(def, timing->seconds[OURS], def->only_worst);
    for (int who = TREE; who < CONTESTANTS; ++who)
    {
        const double theirs = mean_or_worst(def, timing->seconds[who], def->only_worst);
        if (timing->seconds[who][0] >= 0.0)
        {
            rbl_bench_row(bench, &(rblBenchRow){.subject = def->name,
                                                .metric = def->only_worst ? "worst step" : "mean step",
                                                .value = ours,
                                                .unit = "ms",
                                                .peer = rival_names[who],
                                                .peer_value = theirs});
        }
    }
    const struct
    {
        const char* metric;
        double value;
        const char* unit;
    } facts[] = {{"worst step", mean_or_worst(def, timing->seconds[OURS], true), "ms"},
                 {"pairs", timing->pairs, "pairs"},
                 {"boxes that left their fat box", timing->moved / def->steps, "a step"},
                 {"memory", 1e-6 * (double)timing->bytes, "MB"}};
    for (size_t i = def->only_worst ? 1 : 0; i < sizeof facts / sizeof facts[0]; ++i)
    {
        rbl_bench_row(bench, &(rblBenchRow){.subject = def->name,
                                            .metric = facts[i].metric,
                                            .value = facts[i].value,
                                            .unit = facts[i].unit});
    }
}

// Every run goes through the same steps, so the least time of each step counts.
static rblResult measure_scene(rblBench* bench, const SceneDef* def)
{
    rbl_bench_stage(bench, def->name);
    Timing best = {0};
    const int repeats = rbl_bench_quick(bench) ? 1 : 5;
    for (int repeat = 0; repeat < repeats; ++repeat)
    {
        Timing timing;
        RBL_TRY(run_once(def, rbl_bench_quick(bench), &timing));
        for (uint32_t i = 0; i < CONTESTANTS * def->steps && repeat > 0; ++i)
        {
            double* seconds = &timing.seconds[i / def->steps][i % def->steps];
            *seconds = rbl_mind(*seconds, best.seconds[i / def->steps][i % def->steps]);
        }
        best = timing;
    }
    report(bench, def, &best);
    return RBL_OK;
}

rblResult rbl_bench_broad(rblBench* bench)
{
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
    {
        RBL_TRY(measure_scene(bench, &scenes[i]));
    }
    return RBL_OK;
}
