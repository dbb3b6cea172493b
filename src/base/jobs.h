// Parallel loops. A loop over `count` items is cut into blocks whose borders depend on count and min_range alone,
// never on the number of workers: write per-block results, merge them in block order, and the outcome is the same
// for any worker count.
#ifndef RBL_BASE_JOBS_H
#define RBL_BASE_JOBS_H

#include "base/memory.h"
#include "rubble/tasks.h"

// One block of a parallel loop.
typedef struct rblRange
{
    uint32_t begin, end; // items begin .. end - 1
    uint32_t block;      // which block this is, below rbl_block_count(count, min_range)
    uint32_t worker;     // who runs it, below RBL_MAX_WORKERS; of one loop, never two at once
} rblRange;

typedef void rblRangeFcn(rblRange range, void* context);

#define RBL_MAX_BLOCKS 128

// Null `tasks`: one worker, no threads.
rblResult rbl_jobs_create(const rblTasks* tasks, const rblAllocator* allocator, rblJobs** out);
void rbl_jobs_destroy(rblJobs* jobs);
uint32_t rbl_jobs_worker_count(const rblJobs* jobs);

// The jobs that rbl_set_tasks() chose, for everything that has none of its own. Always the same address; what
// is behind it may change between two loops, the worker count too.
rblJobs* rbl_default_jobs(void);

// One worker, no threads: for work that is already inside a parallel loop.
rblJobs* rbl_serial_jobs(void);

// How many blocks a loop is cut into: at most RBL_MAX_BLOCKS, each of at least min_range items (but the last).
uint32_t rbl_block_count(uint32_t count, uint32_t min_range);

// Run fcn over all blocks and wait. Loops may be nested. Never fails and never allocates.
void rbl_parallel_for(rblJobs* jobs, uint32_t count, uint32_t min_range, rblRangeFcn* fcn, void* context);

// One loop of a chain, as for rbl_parallel_for.
typedef struct rblLoop
{
    uint32_t count, min_range;
    rblRangeFcn* fcn;
    void* context;
} rblLoop;

// Says what the next loop is, or false: there is none. Called when all blocks of the loop before are done, by one worker,
// so that it may read what they wrote, sum it up and decide.
typedef bool rblNextLoopFcn(rblLoop* loop, void* context);

// Run loops one after the other with one team of workers that stay awake between them: for many short loops that depend
// on each other. A worker begins where it began in the loop before, so that it finds its part of the data in its cache.
void rbl_parallel_chain(rblJobs* jobs, rblNextLoopFcn* next, void* context);

// ---- beside everything else ----

// Work that begins now and is waited for later: where there are threads it runs beside whoever began it, else when it is waited for.
// What it writes may be read after rbl_job_finish() only. Until then the default jobs cannot be replaced.
typedef struct rblJob
{
    rblTaskFcn* fcn;
    void* context;
    void* handle; // of the tasks; null: done, or not begun
    bool done;
} rblJob;

void rbl_job_start(rblJobs* jobs, rblJob* job);

// Once after each start.
void rbl_job_finish(rblJobs* jobs, rblJob* job);

#endif
