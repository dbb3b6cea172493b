// What a run hands back beside its motion: one entry per step, events, totals (docs/scenes.md).
#ifndef RBL_SCENE_RUN_STATISTICS_H
#define RBL_SCENE_RUN_STATISTICS_H

#include "base/arena.h"
#include "base/array.h"
#include "rubble/statistics.h"

typedef struct rblStatistics
{
    RBL_ARRAY(rblStepRecord) steps; // the first is the start
    RBL_ARRAY(rblEventRecord) events;
    uint64_t hash; // of the final state
} rblStatistics;

void rbl_statistics_init(rblStatistics* statistics, const rblAllocator* allocator);
void rbl_statistics_free(rblStatistics* statistics);

// Add the state of the world now.
rblResult rbl_statistics_record(rblStatistics* statistics, rblWorldId world, double time);

// Write them as JSON. The file is replaced whole or not at all.
rblResult rbl_statistics_write(const rblStatistics* statistics, const char* scene, const char* path);

// Read what rbl_statistics_write() wrote, into fresh statistics; the hash and what JSON does not carry stay 0. Names of the
// scene and of events are kept in `texts`. Refused, with line, column and path: anything that is not there or not as it should be.
rblResult rbl_statistics_read(const char* path, rblArena* texts, rblStatistics* out, const char** scene);

// The run in a few numbers.
rblRunSummary rbl_statistics_summary(const rblStatistics* statistics);

#endif
