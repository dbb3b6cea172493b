/// Task hooks: lend Rubble the threads of your engine, or let it use its own pool.
#ifndef RUBBLE_TASKS_H
#define RUBBLE_TASKS_H

#include "rubble/export.h"
#include "rubble/result.h"
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// Work handed to your scheduler: call it exactly once, on any thread, with the context it came with.
typedef void rblTaskFcn(void* task_context);

/// How Rubble runs work in parallel. What it computes never depends on worker_count or on timing.
typedef struct rblTasks
{
    uint32_t worker_count; ///< how many tasks are worth enqueuing at once, 1 to RBL_MAX_WORKERS

    /// Start a task; returns a handle for finish, or null when the task was run before returning.
    /// Both null: Rubble's own pool of worker_count threads (the caller counts as one, and is the only one in
    /// WebAssembly).
    void* (*enqueue)(rblTaskFcn* fcn, void* task_context, void* context);
    void (*finish)(void* handle, void* context); ///< wait until that task is done
    void* context;                               ///< handed to both
} rblTasks;

/// Of one set of tasks.
#define RBL_MAX_WORKERS 64

/// Replace how mesh and file work runs in parallel. Null restores the default: one worker, no threads.
/// RBL_ERROR_BUSY while parallel work is under way. May be called from any thread.
RBL_API rblResult rbl_set_tasks(const rblTasks* tasks);

/// The number of workers in force.
RBL_API uint32_t rbl_worker_count(void);

/// Workers at hand, lent to a function that the engine calls: opaque, valid for that call.
typedef struct rblJobs rblJobs;

/// Call `fcn` once for every index below `count`, side by side where there are workers, and wait. Write to places of the
/// index's own and go through them in order afterwards: what comes out is then the same for any number of workers. Null jobs:
/// one after the other.
RBL_API void rbl_run_parallel(rblJobs* jobs, uint32_t count, void (*fcn)(uint32_t index, void* context),
                              void* context);

RBL_EXTERN_C_END

#endif
