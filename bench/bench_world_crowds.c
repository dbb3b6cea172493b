// What a step costs: a few awake bodies among many sleepers, stacks, piles of plain shapes, and pairs of fast balls.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

// ---- one scene ----

typedef rblResult Build(rblWorldScene* scene, uint32_t count);

typedef struct Crowd
{
    const char* subject;
    Build* build;
    uint32_t count, quick_count;
    double seconds;
    uint32_t repeats;
    uint32_t peers;
    bool two_threads;
    bool sleeping;
} Crowd;

// The fastest step is that of a state in which nothing begins or ends.
static double fastest_step(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    double least = INFINITY;
    for (uint32_t i = 1; i < run->step_count; ++i)
    {
        least = fmin(least, run->steps[i].milliseconds);
    }
    return least;
}

// The slowest step but for the first, in which a world is filled.
static double worst_later_step(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    double worst = 0.0;
    for (uint32_t i = 2; i < run->step_count; ++i)
    {
        worst = fmax(worst, run->steps[i].milliseconds);
    }
    return worst;
}

static rblResult measure_threads(rblWorldBench* bench, const Crowd* crowd, rblWorldScene* scene,
                                 uint32_t threads, uint64_t* hash)
{
    static const char* const metrics[2][3] = {
        {"step, 1T", "fastest step, 1T", "worst step but the first, 1T"},
        {"step, 2T", "fastest step, 2T", "worst step but the first, 2T"}};
    rblWorldFigureFcn* const figures[3] = {rbl_world_settled_step, fastest_step, worst_later_step};
    rblWorldRuns runs;
    scene->trial.setup.threads = threads;
    // The peers that are compared have one thread.
    RBL_TRY(rbl_world_compare(bench, crowd->subject, scene, threads == 1 ? crowd->peers : 0, &runs));
    for (int i = 0; i < 3; ++i)
    {
        const rblWorldRow row = {crowd->subject, metrics[threads - 1][i], "ms", figures[i], NULL, NULL, 0.0};
        rbl_world_row(bench, &runs, &row);
    }
    const uint32_t last = runs.ours.step_count - 1;
    const bool same = *hash == 0 || runs.hash == *hash;
    if (threads == 1)
    {
        rbl_world_fact(bench, crowd->subject, "awake at the end", runs.facts[last].counters.awake, "bodies");
        rbl_world_fact(bench, crowd->subject, "pairs at the end", runs.facts[last].counters.pairs, "pairs");
    }
    if (crowd->two_threads)
    {
        rbl_world_stage_rows(bench, crowd->subject, &runs);
    }
    *hash = runs.hash;
    rbl_world_runs_free(&runs);
    return same ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "%s: two threads give another hash", crowd->subject);
}

static rblResult measure_crowd(rblWorldBench* bench, const Crowd* crowd)
{
    const bool quick = rbl_bench_quick(bench->bench);
    rblWorldScene scene = rbl_world_scene(quick ? 0.2 : crowd->seconds);
    uint64_t hash = 0;
    scene.sleeping = crowd->sleeping;
    scene.trial.setup.repeats = quick ? 1 : crowd->repeats;
    rblResult result = crowd->build(&scene, quick ? crowd->quick_count : crowd->count);
    for (uint32_t threads = 1; threads <= (crowd->two_threads ? 2u : 1u) && result == RBL_OK; ++threads)
    {
        result = measure_threads(bench, crowd, &scene, threads, &hash);
    }
    rbl_world_scene_free(&scene);
    return result;
}

static rblResult add_floor(rblWorldScene* scene)
{
    uint32_t plane;
    RBL_TRY(rbl_world_scene_plane(scene, &plane));
    rblTrialBody floor = rbl_world_body(plane, 0.0f, 0.0f, 0.0f);
    floor.moves = 0;
    return rbl_world_scene_add(scene, &floor);
}

// ---- sleepers ----

#define AWAKE 100

// Boxes that lie asleep, 1.5 m apart.
static rblResult add_sleepers(rblWorldScene* scene, uint32_t count, uint32_t* side)
{
    uint32_t box;
    *side = (uint32_t)ceil(sqrt((double)count));
    RBL_TRY(add_floor(scene));
    RBL_TRY(rbl_world_scene_box(scene, 1.0f, 1.0f, 1.0f, &box));
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t row = i / *side;
        rblTrialBody body = rbl_world_body(box, 1.5f * (float)(i % *side), 0.5f, 1.5f * (float)row);
        body.asleep = 1;
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

// Balls roll on the floor beside the sleepers.
static rblResult build_rolling(rblWorldScene* scene, uint32_t count)
{
    uint32_t side;
    uint32_t ball;
    RBL_TRY(add_sleepers(scene, count, &side));
    RBL_TRY(rbl_world_scene_ball(scene, 0.5f, &ball));
    for (uint32_t i = 0; i < AWAKE; ++i)
    {
        const uint32_t row = i / 10;
        rblTrialBody body = rbl_world_body(ball, -20.0f - 3.0f * (float)(i % 10), 0.5f, 3.0f * (float)row);
        const float velocity[3] = {-3.0f, 0.0f, 0.3f};
        memcpy(body.velocity, velocity, sizeof velocity);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

// Balls fall on the sleepers, one after the other.
static rblResult build_falling(rblWorldScene* scene, uint32_t count)
{
    uint32_t side;
    uint32_t ball;
    RBL_TRY(add_sleepers(scene, count, &side));
    RBL_TRY(rbl_world_scene_ball(scene, 0.5f, &ball));
    const float apart = 0.12f * (float)side;
    for (uint32_t i = 0; i < AWAKE; ++i)
    {
        const uint32_t row = i / 10;
        const rblTrialBody body = rbl_world_body(ball, 0.75f + apart * (float)(i % 10),
                                                 4.0f + 0.1f * (float)i, 0.3f + apart * (float)row);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

rblResult rbl_bench_world_sleepers(rblWorldBench* bench)
{
    static const Crowd crowds[] = {
        {"100 balls roll, 100 000 boxes sleep", build_rolling, 100000, 1000, 4.0, 3, RBL_WORLD_BULLET, false,
         true},
        {"100 balls fall on 100 000 sleeping boxes", build_falling, 100000, 1000, 4.0, 3, RBL_WORLD_BULLET,
         false, true},
    };
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; ++i)
    {
        RBL_TRY(measure_crowd(bench, &crowds[i]));
    }
    return RBL_OK;
}

// ---- piles of plain shapes ----

#define PILE_WIDTH   10
#define PILE_SPACING 1.3f

// Kinds in turn, on a grid above the floor between four walls.
static rblResult build_pile(rblWorldScene* scene, const uint32_t* shapes, uint32_t kinds, uint32_t count)
{
    uint64_t random = 7;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t row = i / PILE_WIDTH;
        const uint32_t level = row / PILE_WIDTH;
        const float middle = 0.5f * (PILE_WIDTH - 1);
        rblTrialBody body = rbl_world_body(
            shapes[i % kinds], PILE_SPACING * ((float)(i % PILE_WIDTH) - middle),
            1.0f + PILE_SPACING * (float)level, PILE_SPACING * ((float)(row % PILE_WIDTH) - middle));
        rbl_world_random_turn(&random, body.rotation);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return rbl_world_scene_walls(scene, 0.5 * (double)PILE_WIDTH * (double)PILE_SPACING + 0.2);
}

static rblResult build_spheres(rblWorldScene* scene, uint32_t count)
{
    uint32_t ball;
    RBL_TRY(rbl_world_scene_ball(scene, 0.4f, &ball));
    return build_pile(scene, &ball, 1, count);
}

static rblResult build_boxes(rblWorldScene* scene, uint32_t count)
{
    uint32_t box;
    RBL_TRY(rbl_world_scene_box(scene, 0.8f, 0.5f, 0.6f, &box));
    return build_pile(scene, &box, 1, count);
}

static rblResult build_capsules(rblWorldScene* scene, uint32_t count)
{
    uint32_t capsule;
    RBL_TRY(rbl_world_scene_capsule(scene, 0.25f, 0.5f, &capsule));
    return build_pile(scene, &capsule, 1, count);
}

static rblResult build_mixed(rblWorldScene* scene, uint32_t count)
{
    uint32_t shapes[3];
    RBL_TRY(rbl_world_scene_ball(scene, 0.4f, &shapes[0]));
    RBL_TRY(rbl_world_scene_box(scene, 0.8f, 0.5f, 0.6f, &shapes[1]));
    RBL_TRY(rbl_world_scene_capsule(scene, 0.25f, 0.5f, &shapes[2]));
    return build_pile(scene, shapes, 3, count);
}

// ---- masonry ----

static rblResult build_stack(rblWorldScene* scene, uint32_t count)
{
    uint32_t box;
    RBL_TRY(add_floor(scene));
    RBL_TRY(rbl_world_scene_box(scene, 1.0f, 1.0f, 1.0f, &box));
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblTrialBody body = rbl_world_body(box, 0.0f, 0.5f + (float)i, 0.0f);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

// `count` boxes in the lowest row.
static rblResult build_pyramid(rblWorldScene* scene, uint32_t count)
{
    uint32_t box;
    RBL_TRY(add_floor(scene));
    RBL_TRY(rbl_world_scene_box(scene, 1.0f, 1.0f, 1.0f, &box));
    for (uint32_t level = 0; level < count; ++level)
    {
        for (uint32_t i = 0; i + level < count; ++i)
        {
            const rblTrialBody body =
                rbl_world_body(box, 1.1f * ((float)i + 0.5f * (float)level), 0.5f + (float)level, 0.0f);
            RBL_TRY(rbl_world_scene_add(scene, &body));
        }
    }
    return RBL_OK;
}

// `count` courses of 20 bricks.
static rblResult build_wall(rblWorldScene* scene, uint32_t count)
{
    uint32_t brick;
    RBL_TRY(add_floor(scene));
    RBL_TRY(rbl_world_scene_box(scene, 0.5f, 0.25f, 0.25f, &brick));
    for (uint32_t level = 0; level < count; ++level)
    {
        for (uint32_t i = 0; i < 20; ++i)
        {
            const float shift = level % 2 == 0 ? 0.0f : 0.25f;
            const rblTrialBody body =
                rbl_world_body(brick, 0.5f * (float)i + shift, 0.125f + 0.25f * (float)level, 0.0f);
            RBL_TRY(rbl_world_scene_add(scene, &body));
        }
    }
    return RBL_OK;
}

// ---- bullets ----

// Pairs of balls that meet head-on at 300 m/s each, without gravity.
static rblResult build_bullets(rblWorldScene* scene, uint32_t count)
{
    uint32_t ball;
    memset(scene->trial.setup.gravity, 0, sizeof scene->trial.setup.gravity);
    RBL_TRY(rbl_world_scene_ball(scene, 0.05f, &ball));
    for (uint32_t i = 0; i < 2 * count; ++i)
    {
        const uint32_t pair = i / 2;
        const uint32_t row = pair / 20;
        const float side = i % 2 == 0 ? -1.0f : 1.0f;
        rblTrialBody body =
            rbl_world_body(ball, side * (35.0f + 0.3f * (float)pair), (float)(pair % 20), (float)row);
        const float velocity[3] = {-300.0f * side, 0.0f, 0.0f};
        memcpy(body.velocity, velocity, sizeof velocity);
        body.restitution = 0.5f;
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

// ---- many stones ----

static rblResult measure_stones(rblWorldBench* bench, uint32_t count, uint32_t width)
{
    const bool quick = rbl_bench_quick(bench->bench);
    char subject[64];
    snprintf(subject, sizeof subject, "pile of %u stones, 3 s", count);
    rblWorldScene scene;
    uint64_t hash = 0;
    const Crowd crowd = {.subject = subject, .two_threads = true};
    RBL_TRY(rbl_world_scene_pile(quick ? 60 : count, quick ? 3 : width, &scene));
    scene.trial.setup.steps = quick ? 10 : 90;
    rblResult result = RBL_OK;
    for (uint32_t threads = 1; threads <= 2 && result == RBL_OK; ++threads)
    {
        result = measure_threads(bench, &crowd, &scene, threads, &hash);
    }
    rbl_world_scene_free(&scene);
    return result;
}

rblResult rbl_bench_world_crowds(rblWorldBench* bench)
{
    static const Crowd crowds[] = {
        {"stack of 20 boxes", build_stack, 20, 5, 4.0, 3, RBL_WORLD_ALL, false, false},
        {"pile of 1000 spheres", build_spheres, 1000, 50, 4.0, 2, RBL_WORLD_ALL, true, false},
        {"pile of 1000 boxes", build_boxes, 1000, 50, 4.0, 2, RBL_WORLD_ALL, true, false},
        {"pile of 1000 capsules", build_capsules, 1000, 50, 4.0, 2, 0, true, false},
        {"pile of 1000 spheres, boxes and capsules", build_mixed, 1000, 50, 4.0, 2, 0, true, false},
        {"pyramid of 465 boxes", build_pyramid, 30, 5, 4.0, 2, RBL_WORLD_ALL, false, false},
        {"wall of 400 bricks", build_wall, 20, 3, 4.0, 2, RBL_WORLD_ALL, false, false},
        {"200 pairs of balls meet at 600 m/s", build_bullets, 200, 10, 0.5, 3, RBL_WORLD_ALL, false, false},
    };
    for (size_t i = 0; i < sizeof crowds / sizeof *crowds; ++i)
    {
        RBL_TRY(measure_crowd(bench, &crowds[i]));
    }
    RBL_TRY(measure_stones(bench, 20000, 39));
    return measure_stones(bench, 50000, 53);
}
