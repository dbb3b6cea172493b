// Blocks, balls and stacks against closed forms: friction, restitution, two bodies, towers of boxes.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

#define GRAVITY 9.81
#define SLOPE   (20.0 * 3.14159265358979323846 / 180.0)

static const rblTrialState* first_state(const rblWorldRuns* runs, const rblTrialRun* run, uint32_t body)
{
    return rbl_trial_frame(&runs->scene->trial, run, 0) + body;
}

static const rblTrialState* last_state(const rblWorldRuns* runs, const rblTrialRun* run, uint32_t body)
{
    return rbl_trial_frame(&runs->scene->trial, run, run->frame_count - 1) + body;
}

// How far the body has come, up, down and aside.
static double distance(const rblWorldRuns* runs, const rblTrialRun* run, uint32_t body)
{
    const double* from = first_state(runs, run, body)->position;
    const double* to = last_state(runs, run, body)->position;
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        sum += (to[k] - from[k]) * (to[k] - from[k]);
    }
    return sqrt(sum);
}

// Off the distance that the closed form gives, in percent.
static double distance_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    const double exact = *(const double*)context;
    return 100.0 * fabs(distance(runs, run, 1) / exact - 1.0);
}

static double creep(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    return 1e3 * distance(runs, run, 1);
}

// ---- friction ----

// Body 0 is a slab that leans by `angle`, body 1 a block on it.
static rblResult build_slope(rblWorldScene* scene, double angle, float friction, double speed)
{
    uint32_t slab;
    uint32_t block;
    RBL_TRY(rbl_world_scene_box(scene, 60.0f, 1.0f, 10.0f, &slab));
    RBL_TRY(rbl_world_scene_box(scene, 0.4f, 0.2f, 0.4f, &block));
    const double lift[2] = {-0.5, 0.1}; // of the centres, along the normal of the slab's upper side
    for (uint32_t i = 0; i < 2; ++i)
    {
        rblTrialBody body = rbl_world_body(i == 0 ? slab : block, (float)(lift[i] * sin(angle)),
                                           (float)(lift[i] * cos(angle)), 0.0f);
        body.moves = i;
        body.friction = friction;
        body.rotation[2] = (float)sin(-0.5 * angle);
        body.rotation[3] = (float)cos(-0.5 * angle);
        body.velocity[0] = i == 1 ? (float)(speed * cos(angle)) : 0.0f;
        body.velocity[1] = i == 1 ? (float)(-speed * sin(angle)) : 0.0f;
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

typedef struct Slide
{
    const char* subject;
    const char* metric;
    double seconds, angle, friction, speed;
    rblWorldFigureFcn* figure;
    const char* unit;
    double exact;        // metres
    const char* mark_by; // the best of the engines listed
    double mark;
} Slide;

static rblResult measure_slide(rblWorldBench* bench, const Slide* slide)
{
    rblWorldScene scene = rbl_world_scene(rbl_bench_quick(bench->bench) ? 0.2 : slide->seconds);
    rblWorldRuns runs = {.scene = NULL};
    scene.trial.setup.every_step = 1;
    rblResult result = build_slope(&scene, slide->angle, (float)slide->friction, slide->speed);
    if (result == RBL_OK)
    {
        result = rbl_world_compare(bench, slide->subject, &scene, RBL_WORLD_ALL, &runs);
    }
    if (result == RBL_OK)
    {
        const rblWorldRow row = {slide->subject, slide->metric,  slide->unit, slide->figure,
                                 &slide->exact,  slide->mark_by, slide->mark};
        rbl_world_row(bench, &runs, &row);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}

static rblResult measure_slides(rblWorldBench* bench)
{
    const double pull = GRAVITY * (sin(SLOPE) - 0.2 * cos(SLOPE));
    const double drag = GRAVITY * (0.5 * cos(SLOPE) - sin(SLOPE));
    const Slide slides[] = {
        {"incline 20 degrees, friction 0.2, 2 s", "error of the way", 2.0, SLOPE, 0.2, 0.0, distance_error,
         "%", 0.5 * pull * 4.0, "Bullet", 0.57},
        {"incline 20 degrees, friction 0.4, 10 s", "creep", 10.0, SLOPE, 0.4, 0.0, creep, "mm", 0.0, NULL,
         0.0},
        {"block at 3 m/s on the flat, friction 0.3", "error of the way until it stops", 3.0, 0.0, 0.3, 3.0,
         distance_error, "%", 9.0 / (2.0 * 0.3 * GRAVITY), NULL, 0.0},
        {"block at 3 m/s down 20 degrees, friction 0.5", "error of the way until it stops", 3.0, SLOPE, 0.5,
         3.0, distance_error, "%", 9.0 / (2.0 * drag), NULL, 0.0},
    };
    for (size_t i = 0; i < sizeof slides / sizeof *slides; ++i)
    {
        RBL_TRY(measure_slide(bench, &slides[i]));
    }
    return RBL_OK;
}

// ---- from the slope onto the flat ----

#define GENTLE (5.0 * 3.14159265358979323846 / 180.0)
#define RUN    3.6 // m down the slope
#define LENGTH 0.4 // of the block
#define HEIGHT 0.2
#define ROUGH  0.3

// A slope of ice, a rough floor that begins at x = 0, and a block on the slope. Both go on under each other, so that no end of
// one is in the way.
static rblResult build_run_out(rblWorldScene* scene)
{
    uint32_t slab;
    uint32_t block;
    RBL_TRY(rbl_world_scene_box(scene, 20.0f, 1.0f, 10.0f, &slab));
    RBL_TRY(rbl_world_scene_box(scene, (float)LENGTH, (float)HEIGHT, 0.4f, &block));
    rblTrialBody floor = rbl_world_body(slab, 0.0f, -0.5f, 0.0f);
    floor.moves = 0;
    floor.friction = (float)ROUGH;
    rblTrialBody slope = rbl_world_body(slab, (float)(-0.5 * sin(GENTLE)), (float)(-0.5 * cos(GENTLE)), 0.0f);
    slope.moves = 0;
    slope.friction = 0.0f;
    slope.rotation[2] = (float)sin(-0.5 * GENTLE);
    slope.rotation[3] = (float)cos(-0.5 * GENTLE);
    rblTrialBody body = rbl_world_body(block, (float)(-RUN * cos(GENTLE) + 0.5 * HEIGHT * sin(GENTLE)),
                                       (float)(RUN * sin(GENTLE) + 0.5 * HEIGHT * cos(GENTLE)), 0.0f);
    body.friction = (float)ROUGH;
    memcpy(body.rotation, slope.rotation, sizeof body.rotation);
    RBL_TRY(rbl_world_scene_add(scene, &floor));
    RBL_TRY(rbl_world_scene_add(scene, &body));
    return rbl_world_scene_add(scene, &slope);
}

static double run_out_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    const double exact = *(const double*)context;
    return 100.0 * fabs(last_state(runs, run, 1)->position[0] / exact - 1.0);
}

// ---- impacts ----

// How high the ball would rise after its first bounce off a floor at 0, less the height that restitution allows.
static double bounce_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    const double exact = *(const double*)context;
    for (uint32_t i = 1; i < run->frame_count; ++i)
    {
        const rblTrialState* state = rbl_trial_frame(&runs->scene->trial, run, i) + 1;
        if (state->velocity[1] > 0.5)
        {
            const double top = state->position[1] + state->velocity[1] * state->velocity[1] / (2.0 * GRAVITY);
            return 100.0 * fabs((top - 0.1) / exact - 1.0);
        }
    }
    return 100.0;
}

static rblResult build_bounce(rblWorldScene* scene)
{
    uint32_t slab;
    uint32_t ball;
    RBL_TRY(rbl_world_scene_box(scene, 10.0f, 1.0f, 10.0f, &slab));
    RBL_TRY(rbl_world_scene_ball(scene, 0.1f, &ball));
    rblTrialBody floor = rbl_world_body(slab, 0.0f, -0.5f, 0.0f);
    rblTrialBody body = rbl_world_body(ball, 0.0f, 1.1f, 0.0f);
    floor.moves = 0;
    floor.restitution = 0.8f;
    body.restitution = 0.8f;
    RBL_TRY(rbl_world_scene_add(scene, &floor));
    return rbl_world_scene_add(scene, &body);
}

// Balls of 1 kg and 3 kg (density in proportion) with 3 and -1 m/s: restitution 0.5 leaves them -1.5 and 0.5 m/s.
static double two_body_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    const double a = last_state(runs, run, 0)->velocity[0];
    const double b = last_state(runs, run, 1)->velocity[0];
    return 100.0 * fmax(fabs(a / -1.5 - 1.0), fabs(b / 0.5 - 1.0));
}

static rblResult build_two_bodies(rblWorldScene* scene)
{
    uint32_t ball;
    RBL_TRY(rbl_world_scene_ball(scene, 0.1f, &ball));
    memset(scene->trial.setup.gravity, 0, sizeof scene->trial.setup.gravity);
    rblTrialBody a = rbl_world_body(ball, -1.013f, 0.0f, 0.0f);
    rblTrialBody b = rbl_world_body(ball, 0.4f, 0.0f, 0.0f);
    a.restitution = 0.5f;
    b.restitution = 0.5f;
    a.velocity[0] = 3.0f;
    b.velocity[0] = -1.0f;
    b.density = 3000.0f;
    RBL_TRY(rbl_world_scene_add(scene, &a));
    return rbl_world_scene_add(scene, &b);
}

static rblResult measure_impact(rblWorldBench* bench, rblResult (*build)(rblWorldScene*), double seconds,
                                const rblWorldRow* row)
{
    rblWorldScene scene = rbl_world_scene(seconds);
    rblWorldRuns runs = {.scene = NULL};
    scene.trial.setup.every_step = 1;
    rblResult result = build(&scene);
    if (result == RBL_OK)
    {
        result = rbl_world_compare(bench, row->subject, &scene, RBL_WORLD_ALL, &runs);
    }
    if (result == RBL_OK)
    {
        rbl_world_row(bench, &runs, row);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}

static rblResult measure_impacts(rblWorldBench* bench)
{
    const double exact = 0.64;
    const double stop = rbl_run_out(&(rblRunOut){GENTLE, RUN, LENGTH, HEIGHT, ROUGH});
    const rblWorldRow bounce = {"ball dropped by 1 m, restitution 0.8",
                                "error of the height after the bounce",
                                "%",
                                bounce_error,
                                &exact,
                                NULL,
                                0.0};
    const rblWorldRow meeting = {"balls of 1 and 3 kg meet, restitution 0.5",
                                 "error of the velocities",
                                 "%",
                                 two_body_error,
                                 NULL,
                                 NULL,
                                 0.0};
    const rblWorldRow bend = {"block down 5 degrees of ice onto a rough floor",
                              "error of the way until it stops",
                              "%",
                              run_out_error,
                              &stop,
                              NULL,
                              0.0};
    RBL_TRY(measure_impact(bench, build_run_out, 6.0, &bend));
    RBL_TRY(measure_impact(bench, build_bounce, 1.0, &bounce));
    return measure_impact(bench, build_two_bodies, 1.0, &meeting);
}

// ---- stacks ----

static double drift(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    const uint32_t top = *(const uint32_t*)context;
    const double* from = first_state(runs, run, top)->position;
    const double* to = last_state(runs, run, top)->position;
    return 1e3 * hypot(to[0] - from[0], to[2] - from[2]);
}

static double sag(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    const uint32_t top = *(const uint32_t*)context;
    return 1e3 * fabs(first_state(runs, run, top)->position[1] - last_state(runs, run, top)->position[1]);
}

static rblResult build_stack(rblWorldScene* scene, uint32_t count)
{
    uint32_t slab;
    uint32_t box;
    RBL_TRY(rbl_world_scene_box(scene, 40.0f, 1.0f, 40.0f, &slab));
    RBL_TRY(rbl_world_scene_box(scene, 1.0f, 1.0f, 1.0f, &box));
    rblTrialBody floor = rbl_world_body(slab, 0.0f, -0.5f, 0.0f);
    floor.moves = 0;
    RBL_TRY(rbl_world_scene_add(scene, &floor));
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblTrialBody body = rbl_world_body(box, 0.0f, 0.5f + (float)i, 0.0f);
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

static rblResult measure_stack(rblWorldBench* bench, uint32_t count)
{
    char subject[64];
    snprintf(subject, sizeof subject, "stack of %u boxes, 30 s", count);
    rblWorldScene scene = rbl_world_scene(rbl_bench_quick(bench->bench) ? 0.2 : 30.0);
    rblWorldRuns runs = {.scene = NULL};
    scene.trial.setup.every_step = 1;
    rblResult result = build_stack(&scene, count);
    if (result == RBL_OK)
    {
        result = rbl_world_compare(bench, subject, &scene, RBL_WORLD_ALL, &runs);
    }
    if (result == RBL_OK)
    {
        // Marks: ten boxes for 10 s.
        const bool marked = count == 10;
        rblWorldRow row = {
            subject,           "drift of the top", "mm", drift, &count, marked ? "Box3D, 10 s" : NULL,
            marked ? 0.4 : 0.0};
        rbl_world_row(bench, &runs, &row);
        row.metric = "sag of the top";
        row.figure = sag;
        row.mark_by = marked ? "MuJoCo, 10 s" : NULL;
        row.mark = marked ? 20.0 : 0.0;
        rbl_world_row(bench, &runs, &row);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}

rblResult rbl_bench_world_blocks(rblWorldBench* bench)
{
    RBL_TRY(measure_slides(bench));
    RBL_TRY(measure_impacts(bench));
    RBL_TRY(measure_stack(bench, 10));
    return measure_stack(bench, 20);
}
