// The built-in thread pool behind the task hooks.
#ifndef RBL_BASE_POOL_H
#define RBL_BASE_POOL_H

#include "base/memory.h"
#include "base/thread.h"
#include "rubble/tasks.h"

#if RBL_HAS_THREADS

typedef struct rblPool rblPool;

// Start `thread_count` threads. Fewer are started, and no error, when the system refuses some.
rblResult rbl_pool_create(uint32_t thread_count, const rblAllocator* allocator, rblPool** out);
void rbl_pool_destroy(rblPool* pool);

// The two task hooks. A task that nobody has begun when it is waited for is run by the waiter, so that nested
// waits cannot deadlock.
void* rbl_pool_enqueue(rblTaskFcn* fcn, void* task_context, void* pool);
void rbl_pool_finish(void* handle, void* pool);

#endif
#endif
