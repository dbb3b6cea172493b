// Statistics of a run: one entry per step, events, totals (docs/scenes.md).
#ifndef RBL_SCENE_RUN_STATISTICS_H
#define RBL_SCENE_RUN_STATISTICS_H

#include "base/arena.h"
#include "base/array.h"
#include "rubble/statistics.h"

typedef struct rblStatistics
{
    RBL_ARRAY(rblStepRecord) steps; // the first entry is the start
    RBL_ARRAY(rblEventRecord) events;
    uint64_t hash; // of the final state
} rblStatistics;

void rbl_statistics_init(rblStatistics* statistics, const rblAllocator* allocator);
void rbl_statistics_free(rblStatistics* statistics);

// Add the current state of the world.
rblResult rbl_statistics_record(rblStatistics* statistics, rblWorldId world, double time);

// Write the statistics as JSON. The file is replaced completely or not at all.
rblResult rbl_statistics_write(const rblStatistics* statistics, const char* scene, const char* path);

// Read a file of rbl_statistics_write() into empty statistics. The hash and other data that JSON does not have stay 0. Names of
// the scene and of events are stored in `texts`. Missing or invalid data is an error with line, column and path.
rblResult rbl_statistics_read(const char* path, rblArena* texts, rblStatistics* out, const char** scene);

// A summary of the run.
rblRunSummary rbl_statistics_summary(const rblStatistics* statistics);

#endif
