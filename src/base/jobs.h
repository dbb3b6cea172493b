// Parallel loops. A loop over `count` items is divided into blocks that depend only on count and min_range, never on the
// number of workers: write results per block and merge them in block order, and the result is the same for any worker
// count.
#ifndef RBL_BASE_JOBS_H
#define RBL_BASE_JOBS_H

#include "base/memory.h"
#include "rubble/tasks.h"

// One block of a parallel loop.
typedef struct rblRange
{
    uint32_t begin, end; // items begin .. end - 1
    uint32_t block;      // index of the block, below rbl_block_count(count, min_range)
    uint32_t
        worker; // index of the worker, below RBL_MAX_WORKERS; no two blocks of one loop have the same at the same time
} rblRange;

typedef void rblRangeFcn(rblRange range, void* context);

// Largest number of blocks of a loop, twice RBL_MAX_WORKERS. It does not depend on the number of workers, so that
// results do not either.
#define RBL_MAX_BLOCKS 128

// Null `tasks`: one worker, no threads.
rblResult rbl_jobs_create(const rblTasks* tasks, const rblAllocator* allocator, rblJobs** out);
void rbl_jobs_destroy(rblJobs* jobs);
uint32_t rbl_jobs_worker_count(const rblJobs* jobs);

// The jobs set by rbl_set_tasks(), for all callers without their own. The address is always the same; the workers can
// change between two loops.
rblJobs* rbl_default_jobs(void);

// One worker, no threads: for work that is already inside a parallel loop.
rblJobs* rbl_serial_jobs(void);

// The number of blocks of a loop: at most RBL_MAX_BLOCKS, each of at least min_range items (except the last).
uint32_t rbl_block_count(uint32_t count, uint32_t min_range);

// Run fcn over all blocks and wait. Loops can be nested. Never fails and never allocates.
void rbl_parallel_for(rblJobs* jobs, uint32_t count, uint32_t min_range, rblRangeFcn* fcn, void* context);

// One loop of a chain, as for rbl_parallel_for.
typedef struct rblLoop
{
    uint32_t count, min_range;
    rblRangeFcn* fcn;
    void* context;
} rblLoop;

// Set the next loop, or return false when there is none. Called when all blocks of the previous loop are done, by one
// worker, so that it can read and combine their results and decide.
typedef bool rblNextLoopFcn(rblLoop* loop, void* context);

// Run loops one after another with one team of workers that stay awake in between: for many short loops that depend on
// each other. A worker starts with the same blocks as in the previous loop, so that its data is in its cache.
void rbl_parallel_chain(rblJobs* jobs, rblNextLoopFcn* next, void* context);

// ---- asynchronous jobs ----

// Work that starts now and is waited for later. With threads it runs in parallel with the caller, else when it is waited
// for. Its results may be read only after rbl_job_finish(). Until then the default jobs cannot be replaced.
typedef struct rblJob
{
    rblTaskFcn* fcn;
    void* context;
    void* handle; // of the tasks; null: done, or not started
    bool done;
} rblJob;

void rbl_job_start(rblJobs* jobs, rblJob* job);

// Call it once after each start.
void rbl_job_finish(rblJobs* jobs, rblJob* job);

#endif
