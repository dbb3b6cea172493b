// Piles of stones: how long a step takes while they fall and when they lie, and what is left of the laws of nature.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stdio.h>

#define LAST_SECONDS 2.0

static uint32_t first_settled(const rblWorldRuns* runs, const rblTrialRun* run)
{
    const uint32_t steps = (uint32_t)(LAST_SECONDS / (double)runs->scene->trial.setup.step + 0.5);
    return run->step_count > steps ? run->step_count - steps : 1;
}

static double settled(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)context;
    const uint32_t first = first_settled(runs, run);
    double sum = 0.0;
    for (uint32_t i = first; i < run->step_count; ++i)
    {
        sum += run->steps[i].milliseconds;
    }
    return sum / (run->step_count - first);
}

static double worst_step(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    double worst = 0.0;
    for (uint32_t i = 1; i < run->step_count; ++i)
    {
        worst = fmax(worst, run->steps[i].milliseconds);
    }
    return worst;
}

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

static double contacts_at_end(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    return run->steps[run->step_count - 1].contacts;
}

// Bodies whose centres are outside of the walls or below the floor.
static double escaped(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    const double half = *(const double*)context;
    const rblTrial* trial = &runs->scene->trial;
    const rblTrialState* states = rbl_trial_frame(trial, run, run->frame_count - 1);
    double count = 0.0;
    for (uint32_t i = 0; i < trial->setup.body_count; ++i)
    {
        const double* p = states[i].position;
        const bool inside = fabs(p[0]) < half && fabs(p[2]) < half && p[1] > 0.0;
        count += trial->bodies[i].moves && !inside;
    }
    return count;
}

// Overlaps are measured once for each run, before the rows.
typedef struct Overlaps
{
    rblWorldOverlap ours;
    rblWorldOverlap theirs[RBL_WORLD_PEERS];
} Overlaps;

static const rblWorldOverlap* overlap_of(const rblWorldRuns* runs, const rblTrialRun* run,
                                         const void* context)
{
    const Overlaps* overlaps = context;
    return run == &runs->ours ? &overlaps->ours : &overlaps->theirs[run - runs->theirs];
}

static double mean_overlap(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    return 1e3 * overlap_of(runs, run, context)->mean;
}

static double most_overlap(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    return 1e3 * overlap_of(runs, run, context)->most;
}

static rblResult report_overlaps(rblWorldBench* bench, const rblWorldRuns* runs, rblWorldRow row)
{
    Overlaps overlaps;
    RBL_TRY(rbl_world_overlap(runs, &runs->ours, &overlaps.ours));
    for (int i = 0; i < RBL_WORLD_PEERS; ++i)
    {
        if (runs->ran[i])
        {
            RBL_TRY(rbl_world_overlap(runs, &runs->theirs[i], &overlaps.theirs[i]));
        }
    }
    const bool marked = row.mark_by != NULL;
    row.context = &overlaps;
    row.unit = "mm";
    row.metric = "overlap left, mean";
    row.figure = mean_overlap;
    row.mark = marked ? 4.0 : 0.0;
    rbl_world_row(bench, runs, &row);
    row.metric = "overlap left, most";
    row.figure = most_overlap;
    row.mark = marked ? 57.0 : 0.0;
    rbl_world_row(bench, runs, &row);
    rbl_world_fact(bench, row.subject, "pairs that overlap", overlaps.ours.pairs, "pairs");
    return RBL_OK;
}

// ---- what Rubble alone tells ----

// A stage's part of a step, in the clock of the step.
static double stage_time(const rblWorldRuns* runs, uint32_t step, size_t stage)
{
    const float* profile = &runs->facts[step].profile.total;
    return runs->ours.steps[step].milliseconds * (double)profile[stage] / fmax(1e-9, (double)profile[0]);
}

static void report_stages(rblWorldBench* bench, const char* subject, const rblWorldRuns* runs)
{
    static const char* const names[] = {"total",     "broad", "narrow", "impact", "solve",
                                        "integrate", "drift", "sleep",  "update"};
    const uint32_t count = runs->ours.step_count;
    const uint32_t first = first_settled(runs, &runs->ours);
    uint32_t worst = 1;
    for (uint32_t i = 2; i < count; ++i)
    {
        worst = runs->ours.steps[i].milliseconds > runs->ours.steps[worst].milliseconds ? i : worst;
    }
    for (size_t k = 1; k < sizeof names / sizeof *names; ++k)
    {
        char metric[64];
        double sum = 0.0;
        for (uint32_t i = first; i < count; ++i)
        {
            sum += stage_time(runs, i, k);
        }
        snprintf(metric, sizeof metric, "settled step: %s", names[k]);
        rbl_world_fact(bench, subject, metric, sum / (count - first), "ms");
        snprintf(metric, sizeof metric, "worst step (%u): %s", worst, names[k]);
        rbl_world_fact(bench, subject, metric, stage_time(runs, worst, k), "ms");
    }
    const rblCounters* counters = &runs->facts[count - 1].counters;
    rbl_world_fact(bench, subject, "pairs", counters->pairs, "pairs");
    rbl_world_fact(bench, subject, "contacts", counters->contacts, "contacts");
    rbl_world_fact(bench, subject, "islands", counters->islands, "islands");
    rbl_world_fact(bench, subject, "colours", counters->colors, "colours");
}

// ---- the piles ----

typedef struct Pile
{
    const char* subject;
    uint32_t count, width, repeats;
    uint32_t peers[2]; // for one and two threads
    double settled[2]; // marks of Box3D, the best of the engines listed
    double worst;      // Jolt's
    bool large;        // the pile of the other marks
} Pile;

static const Pile piles[] = {
    {"pile of 1000 stones", 1000, 10, 2, {RBL_WORLD_ALL, RBL_WORLD_BULLET}, {3.9, 2.4}, 0.0, false},
    {"pile of 9000 stones", 9000, 30, 1, {RBL_WORLD_ALL, 0}, {65.0, 32.5}, 177.0, true},
};

static rblResult report_pile(rblWorldBench* bench, const Pile* pile, const rblWorldRuns* runs)
{
    const double half = rbl_world_pile_half(pile->width);
    rblWorldRow row = {.subject = pile->subject, .metric = "settled step, 1T", .unit = "ms"};
    row.figure = settled;
    row.mark_by = "Box3D";
    row.mark = pile->settled[0];
    rbl_world_row(bench, runs, &row);
    row.metric = "worst step, 1T";
    row.figure = worst_step;
    row.mark_by = pile->large ? "Jolt" : NULL;
    row.mark = pile->worst;
    rbl_world_row(bench, runs, &row);
    row.metric = "energy growth in a step";
    row.unit = "of start";
    row.figure = energy_growth;
    row.mark_by = pile->large ? "Jolt" : NULL;
    row.mark = pile->large ? 2.4e-6 : 0.0;
    rbl_world_row(bench, runs, &row);
    row = (rblWorldRow){pile->subject, "escaped", "bodies", escaped, &half, NULL, 0.0};
    rbl_world_row(bench, runs, &row);
    row = (rblWorldRow){pile->subject, "memory", "MB", megabytes, NULL, NULL, 0.0};
    row.mark_by = pile->large ? "Jolt" : NULL;
    row.mark = pile->large ? 68.0 : 0.0;
    rbl_world_row(bench, runs, &row);
    row = (rblWorldRow){pile->subject, "contacts at the end", "contacts", contacts_at_end, NULL, NULL, 0.0};
    rbl_world_row(bench, runs, &row);
    row = (rblWorldRow){.subject = pile->subject, .mark_by = pile->large ? "Box3D" : NULL};
    RBL_TRY(report_overlaps(bench, runs, row));
    rbl_world_energy_rows(bench, pile->subject, runs);
    report_stages(bench, pile->subject, runs);
    return RBL_OK;
}

static rblResult run_two_threads(rblWorldBench* bench, const Pile* pile, rblWorldScene* scene, uint64_t hash)
{
    rblWorldRuns runs;
    scene->trial.setup.threads = 2;
    RBL_TRY(rbl_world_compare(bench, pile->subject, scene, pile->peers[1], &runs));
    rblWorldRow row = {pile->subject, "settled step, 2T", "ms", settled, NULL, "Box3D", pile->settled[1]};
    rbl_world_row(bench, &runs, &row);
    row.metric = "worst step, 2T";
    row.figure = worst_step;
    row.mark_by = NULL;
    row.mark = 0.0;
    rbl_world_row(bench, &runs, &row);
    const bool same = runs.hash == hash;
    rbl_world_runs_free(&runs);
    return same ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "%s: two threads give another hash", pile->subject);
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
    rbl_world_runs_free(&runs);
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
