// The frame of every benchmark: `rubble bench NAME` looks NAME up in a table, runs it, and prints the rows it reports.
//
// To add one: write bench/bench_NAME.c with a function `rblResult rbl_bench_NAME(rblBench* bench)`, declare it below and
// give it a line in bench/registry.c. Report every figure with rbl_bench_row(); fail with rbl_fail() when an input is
// refused or work goes wrong. A peer or a model that is not installed is no failure: rbl_bench_note() says so in one
// line, and its rows are left out or have no peer.
#ifndef RBL_BENCH_BENCH_H
#define RBL_BENCH_BENCH_H

#include "rubble/rubble.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct rblBench rblBench; // one run of `rubble bench`

typedef rblResult rblBenchFcn(rblBench* bench);

// So many workers, of the library's own pool.
static inline rblTasks rbl_bench_tasks(uint32_t workers)
{
    rblTasks tasks = rbl_default_tasks();
    tasks.worker_count = workers;
    return tasks;
}

typedef struct rblBenchEntry
{
    const char* name;    // lower case, one word
    const char* summary; // a few words, no full stop
    rblBenchFcn* run;
} rblBenchEntry;

// All benches, in the order `rubble bench all` runs them.
const rblBenchEntry* rbl_bench_entries(uint32_t* count);

// One figure. Texts are copied. Rates (units that end in "/s") are better when larger, everything else when smaller:
// that decides which way round the printed ratio goes.
typedef struct rblBenchRow
{
    const char* subject; // what was measured: "sphere 1M, OBJ" ("case" in the output)
    const char* metric;  // "read", "build", "memory", ...
    double value;
    const char* unit;  // "ms", "MB/s", "ns/cell", ...
    const char* peer;  // who else was measured in the same run, null when nobody was
    double peer_value; // in the same unit; only read when there is a peer
    double paper;      // what the paper reports, in the same unit; 0 when it says nothing
} rblBenchRow;

void rbl_bench_row(rblBench* bench, const rblBenchRow* row);

// One line for the reader (not part of the figures), without a line end: what was skipped and why.
void rbl_bench_note(rblBench* bench, const char* line);

// What is being worked on, for the progress bar: "reading OBJ with Assimp".
void rbl_bench_stage(rblBench* bench, const char* stage);

// True for `--quick`: use the smallest inputs that still run every line, once. The figures mean nothing then.
bool rbl_bench_quick(const rblBench* bench);

// `full`, or `quick` when only a quick run is asked for.
uint32_t rbl_bench_size(const rblBench* bench, uint32_t full, uint32_t quick);

// The directory of the running executable, without a final slash: helper programs lie beside it.
const char* rbl_bench_directory(const rblBench* bench);

// Where the models are: $RUBBLE_MODELS, or ../shared/models.
const char* rbl_bench_models(void);

// Where the shipped scenes are: $RUBBLE_SCENES, or scenes.
const char* rbl_bench_scenes(void);

// Work to be timed; a failure ends the bench.
typedef rblResult rblBenchWorkFcn(void* context);

// The shortest of several runs, in seconds: at least three, and as many as fit into half a second (one when quick).
rblResult rbl_bench_best(rblBench* bench, rblBenchWorkFcn* work, void* context, double* seconds);

rblBenchFcn rbl_bench_base;
rblBenchFcn rbl_bench_bvh;
rblBenchFcn rbl_bench_bvh_quality;
rblBenchFcn rbl_bench_broad;
rblBenchFcn rbl_bench_io;
rblBenchFcn rbl_bench_mesh;
rblBenchFcn rbl_bench_picture;
rblBenchFcn rbl_bench_prescored;
rblBenchFcn rbl_bench_recording;
rblBenchFcn rbl_bench_shapes;
rblBenchFcn rbl_bench_tets;
rblBenchFcn rbl_bench_world;

// For whoever runs benches: the command-line tool.

typedef struct rblBenchHooks
{
    void (*note)(const char* line, void* context);   // may be null
    void (*stage)(const char* stage, void* context); // may be null
    void* context;
} rblBenchHooks;

rblResult rbl_bench_create(const char* directory, bool quick, const rblBenchHooks* hooks, rblBench** out);
void rbl_bench_destroy(rblBench* bench);

// Run one bench, adding to the rows.
rblResult rbl_bench_run(rblBench* bench, const rblBenchEntry* entry);

// The rows so far, valid until the next run.
const rblBenchRow* rbl_bench_rows(const rblBench* bench, uint32_t* count);

// Which bench reported a row.
const rblBenchEntry* rbl_bench_row_entry(const rblBench* bench, uint32_t row);

// How many times better than the other figure ours is: other / value, or value / other for rates. NaN without one.
double rbl_bench_ratio(const char* unit, double value, double other);

// The processor's name and how many cores are online, such as "AMD EPYC 9R14, 2 cores".
void rbl_bench_machine(char* out, size_t size);

#endif
