// The built-in thread pool of the task hooks.
#ifndef RBL_BASE_POOL_H
#define RBL_BASE_POOL_H

#include "base/memory.h"
#include "base/thread.h"
#include "rubble/tasks.h"

#if RBL_HAS_THREADS

typedef struct rblPool rblPool;

// Start `thread_count` threads. When the system refuses some, fewer are started, without an error.
rblResult rbl_pool_create(uint32_t thread_count, const rblAllocator* allocator, rblPool** out);
void rbl_pool_destroy(rblPool* pool);

// The two task hooks. A waiting thread runs the task itself when no thread has started it, so that nested waits cannot
// deadlock.
void* rbl_pool_enqueue(rblTaskFcn* fcn, void* task_context, void* pool);
void rbl_pool_finish(void* handle, void* pool);

#endif
#endif
