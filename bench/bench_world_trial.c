#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "bench_world_trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void rbl_trial_free(rblTrial* trial)
{
    free(trial->shapes);
    free(trial->bodies);
    free(trial->joints);
    free(trial->points);
    free(trial->triangles);
    *trial = (rblTrial){.setup = {.steps = 0}};
}

void rbl_trial_run_free(rblTrialRun* run)
{
    free(run->steps);
    free(run->states);
    run->steps = NULL;
    run->states = NULL;
}

// ---- files ----

static int write_part(FILE* file, const void* data, size_t size, size_t count)
{
    return count == 0 || fwrite(data, size, count, file) == count;
}

static int read_part(FILE* file, void** data, size_t size, size_t count)
{
    *data = malloc(count * size + 1);
    return *data != NULL && fread(*data, size, count, file) == count;
}

static int close_written(FILE* file, int ok)
{
    const int closed = file != NULL && fclose(file) == 0;
    return ok && closed ? 0 : 1;
}

int rbl_trial_write(const rblTrial* trial, const char* path)
{
    const rblTrialSetup* setup = &trial->setup;
    FILE* file = fopen(path, "wb");
    const int ok = file != NULL && write_part(file, setup, sizeof *setup, 1) &&
                   write_part(file, trial->shapes, sizeof *trial->shapes, setup->shape_count) &&
                   write_part(file, trial->bodies, sizeof *trial->bodies, setup->body_count) &&
                   write_part(file, trial->joints, sizeof *trial->joints, setup->joint_count) &&
                   write_part(file, trial->points, 3 * sizeof(float), setup->point_count) &&
                   write_part(file, trial->triangles, 3 * sizeof(uint32_t), setup->triangle_count);
    return close_written(file, ok);
}

int rbl_trial_read(const char* path, rblTrial* out)
{
    rblTrial trial = {.shapes = NULL};
    rblTrialSetup* setup = &trial.setup;
    FILE* file = fopen(path, "rb");
    const int ok = file != NULL && fread(setup, sizeof *setup, 1, file) == 1 &&
                   read_part(file, (void**)&trial.shapes, sizeof *trial.shapes, setup->shape_count) &&
                   read_part(file, (void**)&trial.bodies, sizeof *trial.bodies, setup->body_count) &&
                   read_part(file, (void**)&trial.joints, sizeof *trial.joints, setup->joint_count) &&
                   read_part(file, (void**)&trial.points, 3 * sizeof(float), setup->point_count) &&
                   read_part(file, (void**)&trial.triangles, 3 * sizeof(uint32_t), setup->triangle_count);
    if (file != NULL)
    {
        fclose(file);
    }
    if (!ok)
    {
        rbl_trial_free(&trial);
        return 1;
    }
    *out = trial;
    return 0;
}

int rbl_trial_run_write(const rblTrial* trial, const rblTrialRun* run, const char* path)
{
    FILE* file = fopen(path, "wb");
    const size_t states = (size_t)run->frame_count * trial->setup.body_count;
    const int ok = file != NULL && write_part(file, run, sizeof *run, 1) &&
                   write_part(file, run->steps, sizeof *run->steps, run->step_count) &&
                   write_part(file, run->states, sizeof *run->states, states);
    return close_written(file, ok);
}

int rbl_trial_run_read(const rblTrial* trial, const char* path, rblTrialRun* out)
{
    rblTrialRun run = {.step_count = 0};
    FILE* file = fopen(path, "rb");
    int ok = file != NULL && fread(&run, sizeof run, 1, file) == 1;
    run.engine[sizeof run.engine - 1] = '\0';
    run.steps = NULL; // the writer's addresses
    run.states = NULL;
    const size_t states = (size_t)run.frame_count * trial->setup.body_count;
    ok = ok && read_part(file, (void**)&run.steps, sizeof *run.steps, run.step_count) &&
         read_part(file, (void**)&run.states, sizeof *run.states, states);
    if (file != NULL)
    {
        fclose(file);
    }
    if (!ok)
    {
        rbl_trial_run_free(&run);
        return 1;
    }
    *out = run;
    return 0;
}

// ---- mechanics ----

static void cross(const double a[3], const double b[3], double out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

void rbl_trial_turn(const double q[4], const double v[3], double out[3])
{
    double t[3];
    double u[3];
    cross(q, v, t);
    cross(q, t, u);
    for (int k = 0; k < 3; ++k)
    {
        out[k] = v[k] + 2.0 * (q[3] * t[k] + u[k]);
    }
}

void rbl_trial_turn_back(const double q[4], const double v[3], double out[3])
{
    const double back[4] = {-q[0], -q[1], -q[2], q[3]};
    rbl_trial_turn(back, v, out);
}

void rbl_trial_multiply(const double a[4], const double b[4], double out[4])
{
    const double made[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                            a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                            a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                            a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    memcpy(out, made, sizeof made);
}

static const rblTrialShape* shape_of(const rblTrial* trial, uint32_t body)
{
    return &trial->shapes[trial->bodies[body].shape];
}

double rbl_trial_mass(const rblTrial* trial, uint32_t body)
{
    return (double)trial->bodies[body].density * shape_of(trial, body)->volume;
}

void rbl_trial_moments(const rblTrial* trial, uint32_t body, double out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = (double)trial->bodies[body].density * shape_of(trial, body)->moments[k];
    }
}

void rbl_trial_start(const rblTrial* trial, uint32_t body, rblTrialState* out)
{
    const rblTrialBody* from = &trial->bodies[body];
    const rblTrialShape* shape = shape_of(trial, body);
    double rotation[4];
    double offset[3];
    for (int k = 0; k < 4; ++k)
    {
        rotation[k] = (double)from->rotation[k];
    }
    rbl_trial_turn(rotation, shape->center, offset);
    rbl_trial_multiply(rotation, shape->axes, out->rotation);
    for (int k = 0; k < 3; ++k)
    {
        out->position[k] = (double)from->position[k] + offset[k];
        out->velocity[k] = (double)from->velocity[k];
        out->spin[k] = (double)from->spin[k];
    }
}

void rbl_trial_shape_pose(const rblTrial* trial, uint32_t body, const rblTrialState* state,
                          double position[3], double rotation[4])
{
    const rblTrialShape* shape = shape_of(trial, body);
    const double back[4] = {-shape->axes[0], -shape->axes[1], -shape->axes[2], shape->axes[3]};
    double offset[3];
    rbl_trial_multiply(state->rotation, back, rotation);
    rbl_trial_turn(rotation, shape->center, offset);
    for (int k = 0; k < 3; ++k)
    {
        position[k] = state->position[k] - offset[k];
    }
}

double rbl_trial_kinetic(const rblTrial* trial, uint32_t body, const rblTrialState* state)
{
    double spin[3];
    double moments[3];
    rbl_trial_turn_back(state->rotation, state->spin, spin);
    rbl_trial_moments(trial, body, moments);
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        sum += moments[k] * spin[k] * spin[k] +
               rbl_trial_mass(trial, body) * state->velocity[k] * state->velocity[k];
    }
    return 0.5 * sum;
}

void rbl_trial_momentum(const rblTrial* trial, uint32_t body, const rblTrialState* state, double out[3])
{
    double spin[3];
    double moments[3];
    rbl_trial_turn_back(state->rotation, state->spin, spin);
    rbl_trial_moments(trial, body, moments);
    for (int k = 0; k < 3; ++k)
    {
        spin[k] *= moments[k];
    }
    rbl_trial_turn(state->rotation, spin, out);
}

double rbl_trial_potential(const rblTrial* trial, uint32_t body, const rblTrialState* state)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        sum -= (double)trial->setup.gravity[k] * state->position[k];
    }
    return rbl_trial_mass(trial, body) * sum;
}

const rblTrialState* rbl_trial_frame(const rblTrial* trial, const rblTrialRun* run, uint32_t frame)
{
    return run->states + (size_t)frame * trial->setup.body_count;
}

// ---- playing ----

double rbl_trial_clock(uint32_t threads)
{
    struct timespec now;
    clock_gettime(threads == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void measure(const rblTrial* trial, const rblTrialEngine* engine, void* world, rblTrialState* states,
                    rblTrialStep* out)
{
    out->kinetic = 0.0;
    out->potential = 0.0;
    for (uint32_t body = 0; body < trial->setup.body_count; ++body)
    {
        engine->state(world, body, &states[body]);
        if (trial->bodies[body].moves)
        {
            out->kinetic += rbl_trial_kinetic(trial, body, &states[body]);
            out->potential += rbl_trial_potential(trial, body, &states[body]);
        }
    }
    out->contacts = engine->contacts(world);
}

// One run. Runs differ in their times only, of which the shortest stay.
static int play_once(const rblTrial* trial, const rblTrialEngine* engine, uint32_t repeat, rblTrialRun* run)
{
    const rblTrialSetup* setup = &trial->setup;
    void* world = engine->open(trial, engine->user);
    if (world == NULL)
    {
        return 1;
    }
    rblTrialStep step = {0.0, 0.0, 0.0, 0.0};
    measure(trial, engine, world, run->states, &step);
    run->steps[0] = step;
    int bad = 0;
    for (uint32_t i = 1; i <= setup->steps && !bad; ++i)
    {
        const double start = rbl_trial_clock(setup->threads);
        bad = engine->step(world);
        step.milliseconds = rbl_trial_clock(setup->threads) - start;
        measure(trial, engine, world, run->states + (setup->every_step ? (size_t)i * setup->body_count : 0),
                &step);
        if (repeat > 0 && run->steps[i].milliseconds < step.milliseconds)
        {
            step.milliseconds = run->steps[i].milliseconds;
        }
        run->steps[i] = step;
    }
    engine->close(world);
    return bad;
}

int rbl_trial_play(const rblTrial* trial, const rblTrialEngine* engine, rblTrialRun* out)
{
    const rblTrialSetup* setup = &trial->setup;
    rblTrialRun run = {.step_count = setup->steps + 1,
                       .frame_count = setup->every_step ? setup->steps + 1 : 1};
    snprintf(run.engine, sizeof run.engine, "%s", engine->name);
    run.steps = calloc(run.step_count, sizeof *run.steps);
    run.states = calloc((size_t)run.frame_count * setup->body_count + 1, sizeof *run.states);
    int bad = run.steps == NULL || run.states == NULL;
    for (uint32_t i = 0; i < (setup->repeats > 1 ? setup->repeats : 1) && !bad; ++i)
    {
        bad = play_once(trial, engine, i, &run);
    }
    if (bad)
    {
        rbl_trial_run_free(&run);
        return 1;
    }
    *out = run;
    return 0;
}
