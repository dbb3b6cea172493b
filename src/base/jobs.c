#include "base/jobs.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/pool.h"
#include <stdatomic.h>

struct rblJobs
{
    const rblAllocator* allocator;
    rblTasks tasks; // enqueue is null when there is one worker
#if RBL_HAS_THREADS
    rblPool* pool; // null when the user's hooks run the tasks
#endif
};

// Serial until rbl_set_tasks() says otherwise.
static rblJobs serial_jobs = {.tasks = {.worker_count = 1}};
static rblJobs* default_jobs = &serial_jobs;
static atomic_uint loops_under_way;

static rblResult check_tasks(const rblTasks* tasks)
{
    if (tasks->worker_count < 1 || tasks->worker_count > RBL_MAX_WORKERS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tasks: worker_count is %u, must be 1 to %d", tasks->worker_count,
                        RBL_MAX_WORKERS);
    }
    if ((tasks->enqueue == NULL) != (tasks->finish == NULL))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tasks: give both enqueue and finish, or neither");
    }
    return RBL_OK;
}

#if RBL_HAS_THREADS
static rblResult start_pool(rblJobs* jobs)
{
    RBL_TRY(rbl_pool_create(jobs->tasks.worker_count - 1, jobs->allocator, &jobs->pool));
    jobs->tasks.enqueue = rbl_pool_enqueue;
    jobs->tasks.finish = rbl_pool_finish;
    jobs->tasks.context = jobs->pool;
    return RBL_OK;
}
#endif

rblResult rbl_jobs_create(const rblTasks* tasks, const rblAllocator* allocator, rblJobs** out)
{
    const rblTasks serial = {.worker_count = 1};
    const rblTasks chosen = tasks != NULL ? *tasks : serial;
    RBL_TRY(check_tasks(&chosen));
    rblJobs* jobs = rbl_alloc_zero(allocator, sizeof *jobs);
    if (jobs == NULL)
    {
        return rbl_fail_memory();
    }
    jobs->allocator = allocator;
    jobs->tasks = chosen;
#if RBL_HAS_THREADS
    if (chosen.worker_count > 1 && chosen.enqueue == NULL)
    {
        const rblResult result = start_pool(jobs);
        if (result != RBL_OK)
        {
            rbl_free(allocator, jobs, sizeof *jobs);
            return result;
        }
    }
#endif
    *out = jobs;
    return RBL_OK;
}

void rbl_jobs_destroy(rblJobs* jobs)
{
    if (jobs == NULL)
    {
        return;
    }
#if RBL_HAS_THREADS
    if (jobs->pool != NULL)
    {
        rbl_pool_destroy(jobs->pool);
    }
#endif
    rbl_free(jobs->allocator, jobs, sizeof *jobs);
}

uint32_t rbl_jobs_worker_count(const rblJobs* jobs)
{
    return jobs->tasks.worker_count;
}

rblJobs* rbl_default_jobs(void)
{
    return default_jobs;
}

rblResult rbl_set_tasks(const rblTasks* tasks)
{
    if (atomic_load(&loops_under_way) != 0)
    {
        return rbl_fail(RBL_ERROR_BUSY, "tasks: parallel work is under way");
    }
    rblJobs* chosen = &serial_jobs;
    if (tasks != NULL)
    {
        RBL_TRY(rbl_jobs_create(tasks, rbl_default_allocator(), &chosen));
    }
    if (default_jobs != &serial_jobs)
    {
        rbl_jobs_destroy(default_jobs);
    }
    default_jobs = chosen;
    return RBL_OK;
}

uint32_t rbl_worker_count(void)
{
    return default_jobs->tasks.worker_count;
}

static uint32_t block_size(uint32_t count, uint32_t min_range)
{
    const uint32_t even = count / RBL_MAX_BLOCKS + (count % RBL_MAX_BLOCKS != 0);
    const uint32_t smallest = min_range > 0 ? min_range : 1;
    return even > smallest ? even : smallest;
}

uint32_t rbl_block_count(uint32_t count, uint32_t min_range)
{
    const uint32_t size = block_size(count, min_range);
    return count / size + (count % size != 0);
}

// A loop in progress, shared by everyone who works on it.
typedef struct Loop
{
    rblRangeFcn* fcn;
    void* context;
    uint32_t count;
    uint32_t block_size;
    uint32_t block_count;
    atomic_uint next_block;
    atomic_uint next_worker;
} Loop;

static void work_on_loop(void* argument)
{
    Loop* loop = argument;
    const uint32_t worker = atomic_fetch_add(&loop->next_worker, 1);
    for (;;)
    {
        const uint32_t block = atomic_fetch_add(&loop->next_block, 1);
        if (block >= loop->block_count)
        {
            return;
        }
        const uint32_t begin = block * loop->block_size;
        const uint32_t left = loop->count - begin;
        const uint32_t size = left < loop->block_size ? left : loop->block_size;
        loop->fcn((rblRange){begin, begin + size, block, worker}, loop->context);
    }
}

void rbl_parallel_for(rblJobs* jobs, uint32_t count, uint32_t min_range, rblRangeFcn* fcn, void* context)
{
    if (count == 0)
    {
        return;
    }
    atomic_fetch_add(&loops_under_way, 1);
    Loop loop = {.fcn = fcn, .context = context, .count = count, .block_size = block_size(count, min_range)};
    loop.block_count = rbl_block_count(count, min_range);

    const uint32_t workers = jobs->tasks.worker_count;
    const uint32_t useful = workers < loop.block_count ? workers : loop.block_count;
    const uint32_t helpers = jobs->tasks.enqueue != NULL ? useful - 1 : 0;
    void* handles[RBL_MAX_WORKERS];
    for (uint32_t i = 0; i < helpers; ++i)
    {
        handles[i] = jobs->tasks.enqueue(work_on_loop, &loop, jobs->tasks.context);
    }
    work_on_loop(&loop);
    for (uint32_t i = 0; i < helpers; ++i)
    {
        if (handles[i] != NULL)
        {
            jobs->tasks.finish(handles[i], jobs->tasks.context);
        }
    }
    atomic_fetch_sub(&loops_under_way, 1);
}
