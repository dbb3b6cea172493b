#include "base/jobs/pool.h"

#if RBL_HAS_THREADS

#include "base/assert.h"
#include "base/error.h"
#include <stdatomic.h>
#include <unistd.h>

#define RBL_POOL_TASKS 256  // capacity; further tasks run at once in the thread that enqueues them
#define PATIENCE       2000 // checks before a thread without work sleeps: waking it takes longer

typedef enum TaskState
{
    TASK_FREE,
    TASK_WAITING,
    TASK_RUNNING,
    TASK_DONE
} TaskState;

typedef struct Task
{
    rblTaskFcn* fcn;
    void* context;
    _Atomic TaskState state; // written under the mutex, also read without it
    struct Task* next;       // in the free list or the queue
} Task;

struct rblPool
{
    const rblAllocator* allocator;
    pthread_mutex_t mutex; // guards everything below
    pthread_cond_t work;   // a task was queued, or the pool is closing
    pthread_cond_t done;   // a task is done
    Task tasks[RBL_POOL_TASKS];
    Task* free_list;
    Task* queue_head;
    Task* queue_tail;
    atomic_uint queued; // tasks in the queue, for checks without the mutex
    bool closing;
    uint32_t patience; // 0 when there are more threads than cores: threads that check would block others
    uint32_t thread_count;
    pthread_t threads[RBL_MAX_WORKERS];
};

static Task* pop_queue(rblPool* pool)
{
    Task* task = pool->queue_head;
    if (task != NULL)
    {
        pool->queue_head = task->next;
        pool->queue_tail = pool->queue_head != NULL ? pool->queue_tail : NULL;
        atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
    }
    return task;
}

static void unlink_queued(rblPool* pool, Task* wanted)
{
    Task* previous = NULL;
    Task* task = pool->queue_head;
    while (task != wanted)
    {
        previous = task;
        task = task->next;
    }
    if (previous == NULL)
    {
        pop_queue(pool);
        return;
    }
    previous->next = wanted->next;
    atomic_fetch_sub_explicit(&pool->queued, 1, memory_order_relaxed);
    if (pool->queue_tail == wanted)
    {
        pool->queue_tail = previous;
    }
}

// The mutex must be locked; it is locked again on return.
static void run_task(rblPool* pool, Task* task)
{
    task->state = TASK_RUNNING;
    pthread_mutex_unlock(&pool->mutex);
    task->fcn(task->context);
    pthread_mutex_lock(&pool->mutex);
    task->state = TASK_DONE;
    pthread_cond_broadcast(&pool->done);
}

// Loops follow each other within microseconds, so check for the next one before sleeping. The mutex must be locked;
// it is locked again on return.
static void look_for_work(rblPool* pool)
{
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->patience && atomic_load_explicit(&pool->queued, memory_order_relaxed) == 0;
         ++i)
    {
        rbl_thread_pause();
    }
    pthread_mutex_lock(&pool->mutex);
    if (pool->queue_head == NULL && !pool->closing)
    {
        pthread_cond_wait(&pool->work, &pool->mutex);
    }
}

static void* worker_main(void* argument)
{
    rblPool* pool = argument;
    pthread_mutex_lock(&pool->mutex);
    for (;;)
    {
        Task* task = pop_queue(pool);
        if (task != NULL)
        {
            run_task(pool, task);
        }
        else if (pool->closing)
        {
            break;
        }
        else
        {
            look_for_work(pool);
        }
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

rblResult rbl_pool_create(uint32_t thread_count, const rblAllocator* allocator, rblPool** out)
{
    RBL_ASSERT(thread_count <= RBL_MAX_WORKERS);
    rblPool* pool = rbl_alloc_zero(allocator, sizeof *pool);
    if (pool == NULL)
    {
        return rbl_fail_memory();
    }
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool->allocator = allocator;
    pool->patience = cores > (long)thread_count ? PATIENCE : 0;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (uint32_t i = 0; i < RBL_POOL_TASKS; ++i)
    {
        pool->tasks[i].next = pool->free_list;
        pool->free_list = &pool->tasks[i];
    }
    while (pool->thread_count < thread_count &&
           pthread_create(&pool->threads[pool->thread_count], NULL, worker_main, pool) == 0)
    {
        pool->thread_count += 1;
    }
    *out = pool;
    return RBL_OK;
}

void rbl_pool_destroy(rblPool* pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->closing = true;
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (uint32_t i = 0; i < pool->thread_count; ++i)
    {
        pthread_join(pool->threads[i], NULL);
    }
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
    rbl_free(pool->allocator, pool, sizeof *pool);
}

void* rbl_pool_enqueue(rblTaskFcn* fcn, void* task_context, void* context)
{
    rblPool* pool = context;
    pthread_mutex_lock(&pool->mutex);
    Task* task = pool->free_list;
    if (task == NULL)
    {
        pthread_mutex_unlock(&pool->mutex);
        fcn(task_context);
        return NULL;
    }
    pool->free_list = task->next;
    task->fcn = fcn;
    task->context = task_context;
    task->next = NULL;
    task->state = TASK_WAITING;
    if (pool->queue_tail != NULL)
    {
        pool->queue_tail->next = task;
    }
    else
    {
        pool->queue_head = task;
    }
    pool->queue_tail = task;
    atomic_fetch_add_explicit(&pool->queued, 1, memory_order_relaxed);
    pthread_cond_signal(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    return task;
}

void rbl_pool_finish(void* handle, void* context)
{
    rblPool* pool = context;
    Task* task = handle;
    pthread_mutex_lock(&pool->mutex);
    if (task->state == TASK_WAITING)
    {
        unlink_queued(pool, task);
        run_task(pool, task);
    }
    else
    {
        pthread_mutex_unlock(&pool->mutex);
        for (uint32_t i = 0; i < pool->patience && task->state != TASK_DONE; ++i)
        {
            rbl_thread_pause();
        }
        pthread_mutex_lock(&pool->mutex);
    }
    while (task->state != TASK_DONE)
    {
        pthread_cond_wait(&pool->done, &pool->mutex);
    }
    task->state = TASK_FREE;
    task->next = pool->free_list;
    pool->free_list = task;
    pthread_mutex_unlock(&pool->mutex);
}

#endif
