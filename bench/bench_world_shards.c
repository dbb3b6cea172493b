// Ten pillars fall and break into shards: with and without the energy rules, and in small steps (Su 2009, Fig. 1).
#include "bench/bench_world.h"

#include "base/bits.h"
#include "base/error.h"
#include "dynamics/world.h"
#include "math/vec.h"
#include "scene/run/simulate.h"
#include <math.h>
#include <stdio.h>

#define SCENE "pillar_shards"

typedef struct Variant
{
    const char* subject;
    uint32_t divisor; // steps of this run in one step of the scene
    bool ignores_energy;
} Variant;

static const Variant variants[] = {
    {"pillars, 30 Hz", 1, false},
    {"pillars, 30 Hz without energy rules", 1, true},
    {"pillars, 480 Hz", 16, false},
};

#define TIMES 4   // rows of energy over time
#define HIGH  3.0 // m: twice as high as the pillars at the start

// Energies are kinetic and potential, 0 at rest on the floor, divided by the energy at the start.
typedef struct ShardRun
{
    double start;         // J
    double energy[TIMES]; // at equal times, the last one at the end
    double largest;       // after any step
    double rise;          // in one step
    double highest;       // m: centre of any fragment
    double fastest;       // m/s: centre of any fragment
    double fragments;
    uint32_t throwers; // bodies of the scene, as bits, with a fragment above HIGH
} ShardRun;

static rblResult note_fragments(const rblSimulation* simulation, ShardRun* run)
{
    for (size_t i = 0; i < simulation->pieces.count; ++i)
    {
        const rblRunPiece* piece = &simulation->pieces.data[i];
        rblBodyState state;
        if (rbl_body_is_valid(simulation->world, piece->id))
        {
            RBL_TRY(rbl_body_state(simulation->world, piece->id, &state));
            run->throwers |= (double)state.center.y > HIGH ? 1u << piece->body % 32 : 0;
            run->highest = fmax(run->highest, (double)state.center.y);
            run->fastest = fmax(run->fastest, (double)rbl_length3(state.velocity));
        }
    }
    return RBL_OK;
}

static rblResult note_step(const rblSimulation* simulation, double* before, ShardRun* run)
{
    rblEnergy energy;
    RBL_TRY(rbl_world_energy(simulation->world, &energy));
    const double now = (energy.kinetic + energy.potential) / run->start;
    run->largest = fmax(run->largest, now);
    run->rise = fmax(run->rise, now - *before);
    *before = now;
    for (uint32_t i = 0; i < TIMES; ++i)
    {
        if (simulation->step == (i + 1) * simulation->view.step_count / TIMES)
        {
            run->energy[i] = now;
        }
    }
    return note_fragments(simulation, run);
}

static rblResult play(rblSceneId scene, const Variant* variant, rblSimulation* simulation, ShardRun* run)
{
    rblWorld* world;
    rblEnergy energy;
    RBL_TRY(rbl_simulation_start(simulation, scene, false));
    RBL_TRY(rbl_world_find(simulation->world, &world));
    RBL_TRY(rbl_world_energy(simulation->world, &energy));
    world->ignores_energy = variant->ignores_energy;
    simulation->view.step /= variant->divisor;
    simulation->view.step_count *= variant->divisor;
    *run = (ShardRun){.start = energy.kinetic + energy.potential, .rise = -(double)INFINITY};
    double before = 1.0;
    while (!rbl_simulation_done(simulation))
    {
        RBL_TRY(rbl_simulation_advance(simulation));
        RBL_TRY(note_step(simulation, &before, run));
    }
    run->fragments = (double)simulation->pieces.count;
    return RBL_OK;
}

static void report(rblWorldBench* bench, const char* subject, double duration, const ShardRun* run)
{
    char metric[64];
    rbl_world_fact(bench, subject, "fragments", run->fragments, "");
    rbl_world_fact(bench, subject, "pillars with a fragment above 3 m", rbl_popcount32(run->throwers),
                   "of 10");
    rbl_world_fact(bench, subject, "highest centre of a fragment", run->highest, "m");
    rbl_world_fact(bench, subject, "fastest fragment", run->fastest, "m/s");
    rbl_world_fact(bench, subject, "largest rise of energy in a step", run->rise, "of the start");
    rbl_world_fact(bench, subject, "largest energy", run->largest, "of the start");
    for (uint32_t i = 0; i < TIMES; ++i)
    {
        snprintf(metric, sizeof metric, "energy after %.3g s", (i + 1) * duration / TIMES);
        rbl_world_fact(bench, subject, metric, run->energy[i], "of the start");
    }
}

static rblResult measure(rblWorldBench* bench, rblSceneId scene, Variant variant)
{
    rblSimulation simulation = {.allocator = NULL};
    ShardRun run;
    rbl_bench_stage(bench->bench, variant.subject);
    variant.divisor = variant.divisor > 1 ? rbl_bench_size(bench->bench, variant.divisor, 2) : 1;
    const rblResult result = play(scene, &variant, &simulation, &run);
    if (result == RBL_OK)
    {
        report(bench, variant.subject, simulation.view.step * simulation.view.step_count, &run);
    }
    rbl_simulation_free(&simulation);
    return result;
}

rblResult rbl_bench_world_shards(rblWorldBench* bench)
{
    char path[1024];
    char note[256];
    rblSceneId scene;
    snprintf(path, sizeof path, "%s/" SCENE ".json", rbl_bench_scenes());
    if (rbl_scene_load(path, &scene) != RBL_OK)
    {
        snprintf(note, sizeof note, SCENE " is not measured (RUBBLE_SCENES is the folder of scenes): %s",
                 rbl_last_error());
        rbl_bench_note(bench->bench, note);
        return RBL_OK;
    }
    rblResult result = RBL_OK;
    for (size_t i = 0; i < sizeof variants / sizeof *variants && result == RBL_OK; ++i)
    {
        result = measure(bench, scene, variants[i]);
    }
    (void)rbl_scene_destroy(scene);
    return result;
}
