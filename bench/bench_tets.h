// What the parts of `rubble bench tets` share: rows, statistics of milliseconds, and runs of scenes.
#ifndef RBL_BENCH_BENCH_TETS_H
#define RBL_BENCH_BENCH_TETS_H

#include "bench/bench.h"
#include "bench/bench_world.h"
#include "scene/run/simulate.h"

void rbl_tets_bench_row(rblBench* bench, const char* subject, const char* metric, double value,
                        const char* unit, double paper);

static inline double rbl_tets_bench_smaller(double a, double b)
{
    return a < b ? a : b;
}

static inline double rbl_tets_bench_larger(double a, double b)
{
    return a > b ? a : b;
}

// The middle one; sorts them.
double rbl_tets_bench_median(double* values, uint32_t count);

// ---- scenes ----

// Milliseconds as Glondu 2012, Table 3, has them: collision is the broad and the narrow phase, update the fields and samples of
// fragments, fracture the rest of breaking, physics all else.
typedef struct rblTetsBenchStep
{
    double total, collision, physics, update, fracture;
    double contacts, colliding;
    uint32_t fragments; // there are
    uint32_t breaks;    // in the step
} rblTetsBenchStep;

typedef struct rblTetsBenchRun
{
    rblTetsBenchStep* steps;
    uint32_t count;
    double triangles_before, triangles_after;
    uint32_t fragments;
} rblTetsBenchRun;

void rbl_tets_bench_run_free(rblTetsBenchRun* run);

// The shortest of both times, step by step.
void rbl_tets_bench_run_merge(rblTetsBenchRun* run, const rblTetsBenchRun* other);

// Play a loaded scene on one thread. `sizes` is told its bodies once they are there; may be null.
typedef rblResult rblTetsBenchSizesFcn(void* context, const rblSimulation* simulation);
rblResult rbl_tets_bench_play(rblSceneId scene, uint32_t max_steps, rblTetsBenchSizesFcn* sizes,
                              void* context, rblTetsBenchRun* out);

// The same fragments from the same moment on, in peers: ms a step.
rblResult rbl_tets_bench_compare(rblWorldBench* bench, const char* subject, rblSceneId scene,
                                 const rblTetsBenchRun* run);

// ---- parts ----

rblResult rbl_bench_tets_scenes(rblWorldBench* bench);
rblResult rbl_bench_tets_solids(rblBench* bench);
rblResult rbl_bench_tets_sphere(rblBench* bench);
rblResult rbl_bench_tets_anew(rblBench* bench);
rblResult rbl_bench_tets_field(rblBench* bench);
rblResult rbl_bench_tets_elastic(rblBench* bench);

#endif
