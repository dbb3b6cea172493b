// Births: pieces of a body in free fall go on as it did, and none pushes another.
#include "bench/bench_prescored.h"

#include "base/error.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CASES       200
#define QUICK_CASES 14
#define FRAMES      10

typedef struct Worst
{
    double value;
    char name[96];
} Worst;

// At these rates, and with spins of these sizes about random axes.
#define RATES 2
#define SPINS 5

static const float rates[RATES] = {30.0f, 120.0f};
static const float spins[SPINS] = {0.0f, 1.0f, 3.0f, 7.0f, 15.0f}; // rad/s

// Largest figures of all cases.
typedef struct Births
{
    Worst gained[RATES][SPINS]; // m/s
    Worst momentum, angular, energy, mass;
} Births;

// A body in free fall that was broken, twice: where pieces meet, and where they never do.
typedef struct Fall
{
    rblWorldId world;
    rblBodyId* ids;
    uint32_t count;
} Fall;

static void note_worst(Worst* worst, double value, const char* name)
{
    if (value > worst->value)
    {
        worst->value = value;
        memcpy(worst->name, name, sizeof worst->name);
    }
}

static double change(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) +
                (a[2] - b[2]) * (a[2] - b[2]));
}

// Against what the momentum could be with these speeds, whichever way they point.
static void note_change(const rblSmashCase* c, const rblBodyState* body, const rblEnergy* before,
                        const rblEnergy* after, Births* births)
{
    const double mass = (double)body->mass;
    const double radius = (double)c->solid->view.radius;
    const double speed = (double)rbl_length3(body->velocity) + radius * (double)rbl_length3(body->spin);
    const double arm = radius + (double)rbl_length3(c->pose.p);
    note_worst(&births->momentum, change(before->momentum, after->momentum) / (mass * speed), c->name);
    note_worst(&births->angular,
               change(before->angular_momentum, after->angular_momentum) / (mass * speed * arm), c->name);
    note_worst(&births->energy, fabs(after->kinetic / before->kinetic - 1.0), c->name);
}

static rblResult take_fragments(Fall* fall, const rblSmashCase* c, Births* births)
{
    const rblBreakEvent* events;
    uint32_t count;
    RBL_TRY(rbl_world_break_events(fall->world, &events, &count));
    if (count != 1)
    {
        return RBL_OK; // it stayed whole
    }
    fall->ids = malloc(sizeof *fall->ids * events->fragment_count);
    if (fall->ids == NULL)
    {
        return rbl_fail_memory();
    }
    memcpy(fall->ids, events->fragments, sizeof *fall->ids * events->fragment_count);
    fall->count = events->fragment_count;
    note_worst(&births->mass, events->mass_error, c->name);
    return RBL_OK;
}

static rblResult break_in_fall(const rblSmashCase* c, float turning, bool alone, Fall* fall, Births* births)
{
    rblWorldDef world = rbl_default_world_def();
    rblBodyDef def = rbl_default_body_def();
    rblBodyState state;
    rblBodyId body;
    rblEnergy before;
    rblEnergy after;
    world.sleeping = false;
    const rblTasks tasks = rbl_bench_tasks(2);
    world.tasks = &tasks;
    world.seed = c->seed;
    RBL_TRY(rbl_world_create(&world, &fall->world));
    def.shape = c->solid->shape;
    def.pose = c->pose;
    def.velocity = c->velocity;
    def.spin = rbl_scale3(rbl_normalize3(c->spin, rbl_vec3(0, 1, 0)), turning);
    def.filter.group = alone ? -1 : 0;
    RBL_TRY(rbl_breaker_create_prescored(&c->def, &def.breaker));
    const rblResult result = rbl_body_create(fall->world, &def, &body);
    rbl_breaker_destroy(def.breaker);
    RBL_TRY(result);
    RBL_TRY(rbl_body_state(fall->world, body, &state));
    RBL_TRY(rbl_world_energy(fall->world, &before));
    RBL_TRY(rbl_body_break(fall->world, body, c->point, c->normal));
    RBL_TRY(rbl_world_energy(fall->world, &after));
    note_change(c, &state, &before, &after, births);
    return take_fragments(fall, c, births);
}

static void fall_free(Fall* fall)
{
    free(fall->ids);
    if (fall->world.index1 != 0)
    {
        rbl_world_destroy(fall->world);
    }
}

// The largest difference of speeds, turning included.
static rblResult compare(const Fall* a, const Fall* b, const char* name, Worst* gained)
{
    for (uint32_t i = 0; i < a->count; ++i)
    {
        rblBodyState x;
        rblBodyState y;
        rblShapeView view;
        RBL_TRY(rbl_body_state(a->world, a->ids[i], &x));
        RBL_TRY(rbl_body_state(b->world, b->ids[i], &y));
        RBL_TRY(rbl_shape_view(x.shape, &view));
        const double moved = (double)rbl_length3(rbl_sub3(x.velocity, y.velocity));
        const double turned = (double)(view.radius * rbl_length3(rbl_sub3(x.spin, y.spin)));
        note_worst(gained, moved + turned, name);
    }
    return RBL_OK;
}

static rblResult fly(const rblSmashCase* c, const Fall* meeting, const Fall* alone, float rate, Worst* gained)
{
    if (meeting->count != alone->count)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "%s: %u pieces, then %u", c->name, meeting->count, alone->count);
    }
    for (int frame = 0; frame < FRAMES; ++frame)
    {
        RBL_TRY(rbl_world_step(meeting->world, 1.0f / rate));
        RBL_TRY(rbl_world_step(alone->world, 1.0f / rate));
        RBL_TRY(compare(meeting, alone, c->name, gained));
    }
    return RBL_OK;
}

// Without spin, and with one of the others.
static rblResult run_case(const rblSmashCase* c, uint32_t index, Births* births)
{
    rblResult result = RBL_OK;
    for (uint32_t k = 0; k < RATES * 2 && result == RBL_OK; ++k)
    {
        const uint32_t rate = k / 2;
        const uint32_t spin = k % 2 == 0 ? 0 : 1 + (index + index / RBL_SMASH_SOLIDS) % (SPINS - 1);
        Fall meeting = {.count = 0};
        Fall alone = {.count = 0};
        result = break_in_fall(c, spins[spin], false, &meeting, births);
        if (result == RBL_OK)
        {
            result = break_in_fall(c, spins[spin], true, &alone, births);
        }
        if (result == RBL_OK)
        {
            result = fly(c, &meeting, &alone, rates[rate], &births->gained[rate][spin]);
        }
        fall_free(&meeting);
        fall_free(&alone);
    }
    return result;
}

static void report(rblBench* bench, const Births* births)
{
    const char* subject = "births in free fall, 10 frames";
    for (int k = 0; k < RATES * SPINS; ++k)
    {
        const Worst* worst = &births->gained[k / SPINS][k % SPINS];
        char metric[96];
        snprintf(metric, sizeof metric, "speed gained from neighbours, spin %g rad/s, %g Hz",
                 (double)spins[k % SPINS], (double)rates[k / SPINS]);
        rbl_smash_row(bench, subject, metric, 1e3 * worst->value, "mm/s");
        if (worst->value > 0.0)
        {
            rbl_smash_worst(bench, metric, 1e3 * worst->value, "mm/s", worst->name);
        }
    }
    rbl_smash_row(bench, subject, "error of momentum", births->momentum.value, "");
    rbl_smash_row(bench, subject, "error of angular momentum", births->angular.value, "");
    rbl_smash_row(bench, subject, "error of kinetic energy", births->energy.value, "");
    rbl_smash_row(bench, subject, "error of mass", births->mass.value, "");
    rbl_smash_worst(bench, "error of momentum", births->momentum.value, "", births->momentum.name);
    rbl_smash_worst(bench, "error of angular momentum", births->angular.value, "", births->angular.name);
    rbl_smash_worst(bench, "error of kinetic energy", births->energy.value, "", births->energy.name);
}

rblResult rbl_bench_prescored_birth(rblBench* bench, const rblSmashSolid* solids)
{
    const uint32_t cases = rbl_bench_size(bench, CASES, QUICK_CASES);
    Births births = {.mass = {.value = 0.0}};
    rbl_bench_stage(bench, "births in free fall");
    for (uint32_t i = 0; i < cases; ++i)
    {
        const rblSmashCase c = rbl_smash_case(solids, i);
        RBL_TRY(run_case(&c, i, &births));
    }
    report(bench, &births);
    return RBL_OK;
}
