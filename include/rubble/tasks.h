/// Task hooks: Rubble runs on the threads of your engine or on its own pool.
#ifndef RUBBLE_TASKS_H
#define RUBBLE_TASKS_H

#include "rubble/linkage.h"
#include "rubble/result.h"
#include <stddef.h>
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// A task for your scheduler: call it exactly once, on any thread, with its context.
typedef void rblTaskFcn(void* task_context);

/// How Rubble runs work in parallel. Its results never depend on worker_count or on timing.
/// Start from rbl_default_tasks() and change fields.
typedef struct rblTasks
{
    uint32_t struct_size;  ///< bytes of this struct; set by rbl_default_tasks()
    uint32_t cookie;       ///< set by rbl_default_tasks()
    uint32_t worker_count; ///< the useful number of concurrent tasks, 1 to RBL_MAX_WORKERS

    /// Start a task; returns a handle for finish, or null when the task was run before returning.
    /// Both null: Rubble's own pool of worker_count threads (the caller counts as one, and is the only one in
    /// WebAssembly).
    void* (*enqueue)(rblTaskFcn* fcn, void* task_context, void* context);
    void (*finish)(void* handle, void* context); ///< wait until that task is done
    void* context;                               ///< passed to both functions
} rblTasks;

/// The largest worker_count.
#define RBL_MAX_WORKERS 64

/// Defaults: one worker, no functions.
RBL_API void rbl_tasks_init(rblTasks* tasks, size_t size);
static inline rblTasks rbl_default_tasks(void)
{
    rblTasks tasks;
    rbl_tasks_init(&tasks, sizeof tasks);
    return tasks;
}

/// Set the tasks for work on meshes and files. Null restores the default: one worker, no threads. Refused: tasks that
/// did not start from the default, a worker_count out of range, one function without the other; RBL_ERROR_BUSY while parallel work is
/// running. May be called from any thread.
RBL_API rblResult rbl_set_tasks(const rblTasks* tasks);

/// The current number of workers.
RBL_API uint32_t rbl_worker_count(void);

/// The workers that the engine passes to a callback: opaque, valid during that call.
typedef struct rblJobs rblJobs;

/// Call `fcn` once for every index below `count`, in parallel where there are workers, and wait. Each index should write
/// to its own element of an array, and the caller should read the array in order afterwards: the result is then the same
/// for any number of workers. Null jobs: serially. Null `fcn`: nothing happens.
RBL_API void rbl_run_parallel(rblJobs* jobs, uint32_t count, void (*fcn)(uint32_t index, void* context),
                              void* context);

RBL_EXTERN_C_END

#endif
