// Piles of stones: how long a step takes while they fall and when they lie, and what is left of the laws of nature.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>

// The largest rise of kinetic and potential energy in a step, as a part of what was there at the start above the floor.
static double energy_growth(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    double worst = 0.0;
    for (uint32_t i = 1; i < run->step_count; ++i)
    {
        const rblTrialStep* last = &run->steps[i - 1];
        const rblTrialStep* now = &run->steps[i];
        worst = fmax(worst, now->kinetic + now->potential - last->kinetic - last->potential);
    }
    return worst / (run->steps[0].kinetic + run->steps[0].potential);
}

static double megabytes(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    return 1e-6 * run->bytes;
}

// ---- the piles ----

typedef struct Pile
{
    const char* subject;
    uint32_t count, width, repeats;
    uint32_t peers[2]; // for one and two threads
    double settled[2]; // marks of Box3D, the best of the engines listed
    double worst;      // Jolt's
    double overlap[2]; // Box3D's, mm: mean, most
    bool large;        // the pile of the other marks
} Pile;

static const Pile piles[] = {
    {"pile of 1000 stones", 1000, 10, 2, {RBL_WORLD_ALL, 0}, {3.9, 2.4}, 0.0, {0.0, 0.0}, false},
    {"pile of 9000 stones", 9000, 30, 1, {RBL_WORLD_ODE, 0}, {65.0, 32.5}, 177.0, {4.0, 57.0}, true},
};

static rblResult report_pile(rblWorldBench* bench, const Pile* pile, const rblWorldRuns* runs)
{
    const char* subject = pile->subject;
    const char* jolt = pile->large ? "Jolt" : NULL;
    const double large = pile->large ? 1.0 : 0.0;
    const double half = rbl_world_pile_half(pile->width);
    const rblWorldRow rows[] = {
        {subject, "settled step, 1T", "ms", rbl_world_settled_step, NULL, "Box3D", pile->settled[0]},
        {subject, "worst step, 1T", "ms", rbl_world_worst_step, NULL, jolt, pile->worst},
        {subject, "energy growth in a step", "of start", energy_growth, NULL, jolt, 2.4e-6 * large},
        {subject, "escaped", "bodies", rbl_world_escaped, &half, NULL, 0.0},
        {subject, "contacts at the end", "contacts", rbl_world_contacts, NULL, NULL, 0.0},
        {subject, "memory", "MB", megabytes, NULL, jolt, 68.0 * large},
    };
    // The last one only where the world says how much it holds.
    const size_t count = sizeof rows / sizeof *rows - (runs->ours.bytes > 0.0 ? 0 : 1);
    for (size_t i = 0; i < count; ++i)
    {
        rbl_world_row(bench, runs, &rows[i]);
    }
    const rblWorldRow row = {.subject = subject, .mark_by = pile->large ? "Box3D" : NULL};
    RBL_TRY(rbl_world_overlap_rows(bench, runs, row, pile->overlap));
    rbl_world_energy_rows(bench, subject, runs);
    rbl_world_stage_rows(bench, subject, runs);
    return RBL_OK;
}

static rblResult run_two_threads(rblWorldBench* bench, const Pile* pile, rblWorldScene* scene, uint64_t hash)
{
    rblWorldRuns runs;
    scene->trial.setup.threads = 2;
    RBL_TRY(rbl_world_compare(bench, pile->subject, scene, pile->peers[1], &runs));
    rblWorldRow row = {pile->subject, "settled step, 2T", "ms", rbl_world_settled_step, NULL,
                       "Box3D",       pile->settled[1]};
    rbl_world_row(bench, &runs, &row);
    row.metric = "worst step, 2T";
    row.figure = rbl_world_worst_step;
    row.mark_by = NULL;
    row.mark = 0.0;
    rbl_world_row(bench, &runs, &row);
    const bool same = runs.hash == hash;
    rbl_world_runs_free(&runs);
    return same ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "%s: two threads give another hash", pile->subject);
}

// The same pile when bodies may fall asleep: what a step costs after they had time to.
static rblResult run_asleep(rblWorldBench* bench, const Pile* pile, rblWorldScene* scene)
{
    rblWorldRuns runs;
    scene->trial.setup.threads = 1;
    scene->trial.setup.repeats = 1;
    scene->trial.setup.steps = rbl_bench_size(bench->bench, 300, 10);
    scene->sleeping = true;
    RBL_TRY(rbl_world_compare(bench, pile->subject, scene, 0, &runs));
    const rblTrialStep* last = &runs.ours.steps[runs.ours.step_count - 1];
    rbl_world_fact(bench, pile->subject, "step after 10 s, sleeping on", last->milliseconds, "ms");
    rbl_world_fact(bench, pile->subject, "awake after 10 s, sleeping on",
                   runs.facts[runs.ours.step_count - 1].counters.awake, "bodies");
    rbl_world_runs_free(&runs);
    return RBL_OK;
}

static rblResult measure_pile(rblWorldBench* bench, const Pile* pile)
{
    const bool quick = rbl_bench_quick(bench->bench);
    rblWorldScene scene;
    rblWorldRuns runs = {.scene = NULL};
    RBL_TRY(rbl_world_scene_pile(quick ? 30 : pile->count, quick ? 3 : pile->width, &scene));
    scene.trial.setup.repeats = quick ? 1 : pile->repeats;
    scene.trial.setup.steps = quick ? 10 : scene.trial.setup.steps;
    rblResult result = rbl_world_compare(bench, pile->subject, &scene, pile->peers[0], &runs);
    if (result == RBL_OK)
    {
        result = report_pile(bench, pile, &runs);
    }
    if (result == RBL_OK)
    {
        result = run_two_threads(bench, pile, &scene, runs.hash);
    }
    if (result == RBL_OK)
    {
        result = run_asleep(bench, pile, &scene);
    }
    rbl_world_runs_free(&runs);
    rbl_world_scene_free(&scene);
    return result;
}

// Rubble only: the same bits whatever works on them.
rblResult rbl_bench_world_threads(rblWorldBench* bench)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    const char* subject = "pile of 1000 stones, 3 s";
    const bool quick = rbl_bench_quick(bench->bench);
    rblWorldScene scene;
    uint64_t hash = 0;
    double equal = 0.0;
    RBL_TRY(rbl_world_scene_pile(quick ? 30 : 1000, quick ? 3 : 10, &scene));
    scene.trial.setup.steps = rbl_bench_size(bench->bench, 90, 20);
    rblResult result = RBL_OK;
    for (size_t i = 0; i < sizeof threads / sizeof *threads && result == RBL_OK; ++i)
    {
        rblWorldRuns runs = {.scene = NULL};
        scene.trial.setup.threads = threads[i];
        result = rbl_world_compare(bench, subject, &scene, 0, &runs);
        hash = i == 0 ? runs.hash : hash;
        equal += runs.hash == hash;
        rbl_world_runs_free(&runs);
    }
    rbl_world_fact(bench, subject, "equal hashes with 1, 2, 3, 8 threads", equal, "of 4");
    rbl_world_scene_free(&scene);
    return result;
}

rblResult rbl_bench_world_piles(rblWorldBench* bench)
{
    for (size_t i = 0; i < sizeof piles / sizeof *piles; ++i)
    {
        RBL_TRY(measure_pile(bench, &piles[i]));
    }
    return RBL_OK;
}
