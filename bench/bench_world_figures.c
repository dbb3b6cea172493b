// Figures of piles: times, contacts, escapes, overlaps, and what the stages of a step take.
#include "bench/bench_world.h"

#include "base/error.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>

#define LAST_SECONDS 2.0

static uint32_t first_settled(const rblWorldRuns* runs, const rblTrialRun* run)
{
    const uint32_t steps = (uint32_t)(LAST_SECONDS / (double)runs->scene->trial.setup.step + 0.5);
    return run->step_count > steps ? run->step_count - steps : 1;
}

double rbl_world_settled_step(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
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

double rbl_world_worst_step(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
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

double rbl_world_contacts(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
{
    (void)runs;
    (void)context;
    return run->steps[run->step_count - 1].contacts;
}

// Bodies whose centres are outside of the walls or below the floor.
double rbl_world_escaped(const rblWorldRuns* runs, const rblTrialRun* run, const void* context)
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

static rblResult measure_overlap(const rblWorldRuns* runs, const rblTrialRun* run, rblWorldOverlap* out)
{
    const rblTrialState* last = rbl_trial_frame(&runs->scene->trial, run, run->frame_count - 1);
    return rbl_world_overlap(runs->scene, last, false, out);
}

rblResult rbl_world_overlap_rows(rblWorldBench* bench, const rblWorldRuns* runs, rblWorldRow row,
                                 const double marks[2])
{
    Overlaps overlaps;
    RBL_TRY(measure_overlap(runs, &runs->ours, &overlaps.ours));
    for (int i = 0; i < RBL_WORLD_PEERS; ++i)
    {
        if (runs->ran[i])
        {
            RBL_TRY(measure_overlap(runs, &runs->theirs[i], &overlaps.theirs[i]));
        }
    }
    row.context = &overlaps;
    row.unit = "mm";
    row.metric = "overlap left, mean";
    row.figure = mean_overlap;
    row.mark = marks[0];
    rbl_world_row(bench, runs, &row);
    row.metric = "overlap left, most";
    row.figure = most_overlap;
    row.mark = marks[1];
    rbl_world_row(bench, runs, &row);
    rbl_world_fact(bench, row.subject, "pairs that overlap", overlaps.ours.pairs, "pairs");
    return RBL_OK;
}

// ---- what Rubble alone tells ----

typedef struct rblStageName
{
    const char* name;
    size_t offset; // in rblProfile
} rblStageName;

// A stage's part of a step, in the clock of the step.
static double stage_time(const rblWorldRuns* runs, uint32_t step, size_t offset)
{
    const rblProfile* profile = &runs->facts[step].profile;
    const float stage = *(const float*)(const void*)((const char*)profile + offset);
    return runs->ours.steps[step].milliseconds * (double)stage / fmax(1e-9, (double)profile->total);
}

void rbl_world_stage_rows(rblWorldBench* bench, const char* subject, const rblWorldRuns* runs)
{
    static const rblStageName stages[] = {
        {"broad", offsetof(rblProfile, broad)},         {"narrow", offsetof(rblProfile, narrow)},
        {"impact", offsetof(rblProfile, impact)},       {"solve", offsetof(rblProfile, solve)},
        {"integrate", offsetof(rblProfile, integrate)}, {"drift", offsetof(rblProfile, drift)},
        {"sleep", offsetof(rblProfile, sleep)},         {"update", offsetof(rblProfile, update)},
    };
    const uint32_t count = runs->ours.step_count;
    const uint32_t first = first_settled(runs, &runs->ours);
    uint32_t worst = 1;
    for (uint32_t i = 2; i < count; ++i)
    {
        worst = runs->ours.steps[i].milliseconds > runs->ours.steps[worst].milliseconds ? i : worst;
    }
    for (size_t k = 0; k < sizeof stages / sizeof *stages; ++k)
    {
        char metric[64];
        double sum = 0.0;
        for (uint32_t i = first; i < count; ++i)
        {
            sum += stage_time(runs, i, stages[k].offset);
        }
        snprintf(metric, sizeof metric, "settled step: %s", stages[k].name);
        rbl_world_fact(bench, subject, metric, sum / (count - first), "ms");
        snprintf(metric, sizeof metric, "worst step (%u): %s", worst, stages[k].name);
        rbl_world_fact(bench, subject, metric, stage_time(runs, worst, stages[k].offset), "ms");
    }
    const rblCounters* counters = &runs->facts[count - 1].counters;
    rbl_world_fact(bench, subject, "pairs", counters->pairs, "pairs");
    rbl_world_fact(bench, subject, "contacts", counters->contacts, "contacts");
    rbl_world_fact(bench, subject, "islands", counters->islands, "islands");
    rbl_world_fact(bench, subject, "colours", counters->colors, "colours");
}
