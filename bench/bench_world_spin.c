// Free spin: a thin plate about its middle axis and a tilted needle, against Euler's equations solved finely.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reference
{
    double (*rotations)[4]; // after every step
    uint32_t flips;         // changes of sign of the spin about the own axis `axis`
    int axis;
    uint32_t frame; // for the pose error
} Reference;

// Rotation and spin in own axes, seven numbers, and how fast they change.
static void rate(const double moments[3], const double at[7], double out[7])
{
    const double* w = at + 4;
    const double spin[4] = {0.5 * w[0], 0.5 * w[1], 0.5 * w[2], 0.0};
    rbl_trial_multiply(at, spin, out);
    for (int k = 0; k < 3; ++k)
    {
        const int i = (k + 1) % 3;
        const int j = (k + 2) % 3;
        out[4 + k] = (moments[i] - moments[j]) * w[i] * w[j] / moments[k];
    }
}

static void runge_kutta(const double moments[3], double h, double at[7])
{
    static const double ways[3] = {0.5, 0.5, 1.0};
    double k[4][7];
    double there[7];
    rate(moments, at, k[0]);
    for (int s = 1; s < 4; ++s)
    {
        for (int j = 0; j < 7; ++j)
        {
            there[j] = at[j] + h * ways[s - 1] * k[s - 1][j];
        }
        rate(moments, there, k[s]);
    }
    for (int j = 0; j < 7; ++j)
    {
        at[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
    }
}

static rblResult make_reference(const rblTrial* trial, Reference* out)
{
    const uint32_t steps = trial->setup.steps;
    const int fine = 400;
    rblTrialState start;
    double moments[3];
    double at[7];
    out->rotations = calloc(steps + 1, sizeof *out->rotations);
    if (out->rotations == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_trial_start(trial, 0, &start);
    rbl_trial_moments(trial, 0, moments);
    memcpy(at, start.rotation, sizeof start.rotation);
    rbl_trial_turn_back(start.rotation, start.spin, at + 4);
    out->flips = 0;
    for (uint32_t i = 0; i <= steps; ++i)
    {
        memcpy(out->rotations[i], at, sizeof out->rotations[i]);
        for (int j = 0; j < fine && i < steps; ++j)
        {
            const double before = at[4 + out->axis];
            runge_kutta(moments, (double)trial->setup.step / fine, at);
            out->flips += before * at[4 + out->axis] < 0.0;
        }
    }
    return RBL_OK;
}

// ---- figures ----

static double energy_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    double worst = 0.0;
    for (uint32_t i = 1; i < run->step_count; ++i)
    {
        worst = fmax(worst, fabs(run->steps[i].kinetic / run->steps[0].kinetic - 1.0));
    }
    return worst;
}

static double length3(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static double momentum_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    const rblTrial* trial = &runs->scene->trial;
    double first[3];
    double worst = 0.0;
    rbl_trial_momentum(trial, 0, rbl_trial_frame(trial, run, 0), first);
    for (uint32_t i = 1; i < run->frame_count; ++i)
    {
        double now[3];
        rbl_trial_momentum(trial, 0, rbl_trial_frame(trial, run, i), now);
        const double off[3] = {now[0] - first[0], now[1] - first[1], now[2] - first[2]};
        worst = fmax(worst, length3(off) / length3(first));
    }
    return worst;
}

static double flips(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    const Reference* reference = context;
    double last = 0.0;
    double count = 0.0;
    for (uint32_t i = 0; i < run->frame_count; ++i)
    {
        const rblTrialState* state = rbl_trial_frame(&runs->scene->trial, run, i);
        double spin[3];
        rbl_trial_turn_back(state->rotation, state->spin, spin);
        count += last * spin[reference->axis] < 0.0;
        last = spin[reference->axis];
    }
    return count;
}

// Degrees between the pose after `frame` steps and the right one.
static double pose_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    const Reference* reference = context;
    const rblTrialState* state = rbl_trial_frame(&runs->scene->trial, run, reference->frame);
    const double* right = reference->rotations[reference->frame];
    const double back[4] = {-right[0], -right[1], -right[2], right[3]};
    double off[4];
    rbl_trial_multiply(back, state->rotation, off);
    return 2.0 * atan2(length3(off), fabs(off[3])) * 180.0 / 3.14159265358979323846;
}

// ---- the scenes ----

typedef struct Spinner
{
    const char* subject;
    float size[3];
    float spin[3];
    int axis;        // of the flips; -1: it has none
    double mark[2];  // best of the engines listed: lost kinetic energy, error of momentum
    const char* who; // that was
} Spinner;

static const Spinner spinners[] = {
    {"plate about its middle axis", {1.0f, 0.3f, 0.05f}, {0.0f, 12.0f, 0.12f}, 1, {0.003, 0.0}, "MuJoCo RK4"},
    {"needle, 30 degrees off", {1.0f, 0.02f, 0.02f}, {34.6410162f, 20.0f, 0.0f}, -1, {0.002, 0.001}, "ODE"},
};

static void report(rblWorldBench* bench, const Spinner* spinner, const rblWorldRuns* runs,
                   Reference* reference)
{
    const uint32_t steps = runs->scene->trial.setup.steps;
    rblWorldRow row = {spinner->subject, "error of kinetic energy", "relative", energy_error, NULL,
                       spinner->who,     spinner->mark[0]};
    rbl_world_row(bench, runs, &row);
    row.metric = "error of angular momentum";
    row.figure = momentum_error;
    row.mark_by = spinner->mark[1] > 0.0 ? spinner->who : NULL;
    row.mark = spinner->mark[1];
    rbl_world_row(bench, runs, &row);
    row = (rblWorldRow){.subject = spinner->subject, .unit = "degrees", .context = reference};
    row.figure = pose_error;
    row.metric = "pose error after 1 s";
    reference->frame = steps < 30 ? steps : 30;
    rbl_world_row(bench, runs, &row);
    row.metric = "pose error after 20 s";
    reference->frame = steps;
    rbl_world_row(bench, runs, &row);
    if (spinner->axis >= 0)
    {
        row = (rblWorldRow){spinner->subject, "flips", "", flips, reference, "exact", reference->flips};
        rbl_world_row(bench, runs, &row);
    }
}

static rblResult build(const Spinner* spinner, rblWorldScene* scene)
{
    uint32_t box;
    memset(scene->trial.setup.gravity, 0, sizeof scene->trial.setup.gravity);
    scene->trial.setup.every_step = 1;
    RBL_TRY(rbl_world_scene_box(scene, spinner->size[0], spinner->size[1], spinner->size[2], &box));
    rblTrialBody body = rbl_world_body(box, 0.0f, 0.0f, 0.0f);
    memcpy(body.spin, spinner->spin, sizeof body.spin);
    return rbl_world_scene_add(scene, &body);
}

static rblResult measure(rblWorldBench* bench, const Spinner* spinner)
{
    rblWorldScene scene = rbl_world_scene(rbl_bench_quick(bench->bench) ? 1.0 : 20.0);
    rblWorldRuns runs = {.scene = NULL};
    Reference reference = {.axis = spinner->axis >= 0 ? spinner->axis : 0};
    rblResult result = build(spinner, &scene);
    if (result == RBL_OK)
    {
        result = make_reference(&scene.trial, &reference);
    }
    if (result == RBL_OK)
    {
        result = rbl_world_compare(bench, spinner->subject, &scene, RBL_WORLD_ALL, &runs);
    }
    if (result == RBL_OK)
    {
        report(bench, spinner, &runs, &reference);
    }
    free(reference.rotations);
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}

rblResult rbl_bench_world_spin(rblWorldBench* bench)
{
    for (size_t i = 0; i < sizeof spinners / sizeof *spinners; ++i)
    {
        RBL_TRY(measure(bench, &spinners[i]));
    }
    return RBL_OK;
}
