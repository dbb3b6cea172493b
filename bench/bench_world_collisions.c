// Bodies that collide far from everything: what they have of momentum, they keep.
#include "bench/bench_world.h"

#include "base/error.h"
#include "math/quat.h"
#include <math.h>
#include <string.h>

#define SIDE 4 // boxes along each axis

// Boxes in a grid that fly towards the middle and spin, without gravity.
static rblResult build(rblWorldScene* scene)
{
    uint32_t box;
    memset(scene->trial.setup.gravity, 0, sizeof scene->trial.setup.gravity);
    RBL_TRY(rbl_world_scene_box(scene, 0.3f, 0.2f, 0.1f, &box));
    for (uint32_t i = 0; i < SIDE * SIDE * SIDE; ++i)
    {
        const float x = (float)(i % SIDE) - 0.5f * (SIDE - 1);
        const float y = (float)(i / SIDE % SIDE) - 0.5f * (SIDE - 1);
        const float z = (float)(i / (SIDE * SIDE)) - 0.5f * (SIDE - 1);
        rblTrialBody body = rbl_world_body(box, 0.5f * x, 0.5f * y, 0.5f * z);
        const rblQuat turn =
            rbl_quat_normalize((rblQuat){0.1f * (float)(i % 5), 0.2f, 0.07f * (float)(i % 7), 1.0f});
        const float rotation[4] = {turn.x, turn.y, turn.z, turn.w};
        const float velocity[3] = {-2.0f * x + 0.9f * y, -2.0f * y, -2.0f * z + 0.4f * x};
        const float spin[3] = {(float)(i % 4) - 1.5f, 2.0f, (float)(i % 3)};
        memcpy(body.rotation, rotation, sizeof rotation);
        memcpy(body.velocity, velocity, sizeof velocity);
        memcpy(body.spin, spin, sizeof spin);
        body.restitution = i % 2 == 0 ? 0.5f : 0.0f;
        RBL_TRY(rbl_world_scene_add(scene, &body));
    }
    return RBL_OK;
}

// Of all bodies in a frame: p, the sum of r x p and spins, and the sums of |p| and |r x p| that errors are measured by.
typedef struct Sums
{
    double linear[3], angular[3];
    double linear_scale, angular_scale;
} Sums;

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static Sums sum_frame(const rblWorldRuns* runs, const rblTrialRun* run, uint32_t frame)
{
    const rblTrial* trial = &runs->scene->trial;
    const rblTrialState* states = rbl_trial_frame(trial, run, frame);
    Sums sums = {{0.0}, {0.0}, 0.0, 0.0};
    for (uint32_t i = 0; i < trial->setup.body_count; ++i)
    {
        const double mass = rbl_trial_mass(trial, i);
        const double* r = states[i].position;
        const double p[3] = {mass * states[i].velocity[0], mass * states[i].velocity[1],
                             mass * states[i].velocity[2]};
        const double orbital[3] = {r[1] * p[2] - r[2] * p[1], r[2] * p[0] - r[0] * p[2],
                                   r[0] * p[1] - r[1] * p[0]};
        double spin[3];
        rbl_trial_momentum(trial, i, &states[i], spin);
        for (int k = 0; k < 3; ++k)
        {
            sums.linear[k] += p[k];
            sums.angular[k] += orbital[k] + spin[k];
        }
        sums.linear_scale += length(p);
        sums.angular_scale += length(orbital);
    }
    return sums;
}

static double linear_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    const Sums start = sum_frame(runs, run, 0);
    double most = 0.0;
    for (uint32_t i = 1; i < run->frame_count; ++i)
    {
        const Sums now = sum_frame(runs, run, i);
        const double off[3] = {now.linear[0] - start.linear[0], now.linear[1] - start.linear[1],
                               now.linear[2] - start.linear[2]};
        most = fmax(most, length(off));
    }
    return most / start.linear_scale;
}

// Drift correction moves bodies without giving them speed, which changes r x p: with `drift` that share is told from the rest.
static double angular_off(const rblWorldRuns* runs, const rblTrialRun* run, const rblWorldFacts* drift)
{
    const Sums start = sum_frame(runs, run, 0);
    double moved[3] = {0.0, 0.0, 0.0};
    double most = 0.0;
    for (uint32_t i = 1; i < run->frame_count; ++i)
    {
        const Sums now = sum_frame(runs, run, i);
        double off[3];
        for (int k = 0; k < 3; ++k)
        {
            moved[k] += drift != NULL ? drift[i].energy.drift_momentum[k] : 0.0;
            off[k] = now.angular[k] - start.angular[k] - moved[k];
        }
        most = fmax(most, length(off));
    }
    return most / start.angular_scale;
}

static double angular_error(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    return angular_off(runs, run, NULL);
}

// How much of the kinetic energy is left: collisions took place.
static double energy_left(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    return 100.0 * run->steps[run->step_count - 1].kinetic / run->steps[0].kinetic;
}

static void report(rblWorldBench* bench, const char* subject, const rblWorldRuns* runs)
{
    const rblWorldRow rows[] = {
        {subject, "error of linear momentum", "of sum |p|", linear_error, NULL, NULL, 0.0},
        {subject, "error of angular momentum", "of sum |r x p|", angular_error, NULL, NULL, 0.0},
        {subject, "kinetic energy left", "%", energy_left, NULL, NULL, 0.0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    {
        rbl_world_row(bench, runs, &rows[i]);
    }
    const Sums start = sum_frame(runs, &runs->ours, 0);
    double moved[3] = {0.0, 0.0, 0.0};
    double most = 0.0;
    for (uint32_t i = 1; i < runs->ours.step_count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            moved[k] += runs->facts[i].energy.drift_momentum[k];
        }
        most = fmax(most, length(moved));
    }
    rbl_world_fact(bench, subject, "error of angular momentum, velocity phase",
                   angular_off(runs, &runs->ours, runs->facts), "of sum |r x p|");
    rbl_world_fact(bench, subject, "angular momentum that drift correction changed",
                   most / start.angular_scale, "of sum |r x p|");
    rbl_world_energy_rows(bench, subject, runs);
}

rblResult rbl_bench_world_collisions(rblWorldBench* bench)
{
    const char* subject = "64 boxes collide in space";
    rblWorldScene scene = rbl_world_scene(rbl_bench_quick(bench->bench) ? 0.5 : 3.0);
    rblWorldRuns runs = {.scene = NULL};
    scene.trial.setup.every_step = 1;
    rblResult result = build(&scene);
    if (result == RBL_OK)
    {
        result = rbl_world_compare(bench, subject, &scene, RBL_WORLD_ALL, &runs);
    }
    if (result == RBL_OK)
    {
        report(bench, subject, &runs);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}
