#include "base/jobs.h"

#include "base/def.h"
#include "base/error.h"
#include "base/jobs/pool.h"
#include <stdatomic.h>

struct rblJobs
{
    const rblAllocator* allocator;
    rblTasks tasks; // enqueue is null when the caller does all work
#if RBL_HAS_THREADS
    rblPool* pool; // null when the hooks of the user run the tasks
#endif
};

// The jobs of rbl_set_tasks(). The address never changes, only the content, so that a pointer to it always means the
// current jobs.
static rblJobs default_jobs = {.tasks = {.worker_count = 1}};
static rblMutex default_mutex = RBL_MUTEX_INIT; // guards default_jobs and default_loops
static uint32_t default_loops;                  // loops that run on it

RBL_DEF_KIND(tasks_def, rblTasks, "tasks", rbl_default_tasks, 0x7A5C5EEDu);

void rbl_tasks_init(rblTasks* tasks, size_t size)
{
    const rblTasks defaults = {.worker_count = 1};
    rbl_def_init(&tasks_def, &defaults, tasks, size);
}

static rblResult check_tasks(const rblTasks* tasks)
{
    if (tasks->worker_count < 1 || tasks->worker_count > RBL_MAX_WORKERS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tasks: worker_count is %u, must be 1 to %d", tasks->worker_count,
                        RBL_MAX_WORKERS);
    }
    if ((tasks->enqueue == NULL) != (tasks->finish == NULL))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tasks: enqueue and finish must both be set, or neither");
    }
    return RBL_OK;
}

static rblResult start_pool(rblJobs* jobs)
{
#if RBL_HAS_THREADS
    RBL_TRY(rbl_pool_create(jobs->tasks.worker_count - 1, jobs->allocator, &jobs->pool));
    jobs->tasks.enqueue = rbl_pool_enqueue;
    jobs->tasks.finish = rbl_pool_finish;
    jobs->tasks.context = jobs->pool;
#else
    jobs->tasks.worker_count = 1;
#endif
    return RBL_OK;
}

static rblResult open_jobs(rblJobs* jobs, const rblTasks* tasks, const rblAllocator* allocator)
{
    rblTasks read = rbl_default_tasks();
    RBL_TRY(rbl_def_read(&tasks_def, tasks, &read));
    RBL_TRY(check_tasks(&read));
    *jobs = (rblJobs){.allocator = allocator, .tasks = read};
    return read.worker_count > 1 && read.enqueue == NULL ? start_pool(jobs) : RBL_OK;
}

static void close_jobs(rblJobs* jobs)
{
#if RBL_HAS_THREADS
    if (jobs->pool != NULL)
    {
        rbl_pool_destroy(jobs->pool);
    }
#else
    (void)jobs;
#endif
}

rblResult rbl_jobs_create(const rblTasks* tasks, const rblAllocator* allocator, rblJobs** out)
{
    const rblTasks serial = rbl_default_tasks();
    rblJobs* jobs = rbl_alloc(allocator, sizeof *jobs);
    if (jobs == NULL)
    {
        return rbl_fail_memory();
    }
    const rblResult result = open_jobs(jobs, tasks != NULL ? tasks : &serial, allocator);
    if (result != RBL_OK)
    {
        rbl_free(allocator, jobs, sizeof *jobs);
        return result;
    }
    *out = jobs;
    return RBL_OK;
}

void rbl_jobs_destroy(rblJobs* jobs)
{
    if (jobs != NULL)
    {
        close_jobs(jobs);
        rbl_free(jobs->allocator, jobs, sizeof *jobs);
    }
}

rblJobs* rbl_default_jobs(void)
{
    return &default_jobs;
}

rblJobs* rbl_serial_jobs(void)
{
    static rblJobs serial_jobs = {.tasks = {.worker_count = 1}};
    return &serial_jobs;
}

// The tasks to run a loop with. The default jobs do not change until end_loop().
static rblTasks begin_loop(const rblJobs* jobs)
{
    if (jobs != &default_jobs)
    {
        return jobs->tasks;
    }
    rbl_mutex_lock(&default_mutex);
    default_loops += 1;
    const rblTasks tasks = jobs->tasks;
    rbl_mutex_unlock(&default_mutex);
    return tasks;
}

static void end_loop(const rblJobs* jobs)
{
    if (jobs == &default_jobs)
    {
        rbl_mutex_lock(&default_mutex);
        default_loops -= 1;
        rbl_mutex_unlock(&default_mutex);
    }
}

uint32_t rbl_jobs_worker_count(const rblJobs* jobs)
{
    rbl_mutex_lock(&default_mutex);
    const uint32_t count = jobs->tasks.worker_count;
    rbl_mutex_unlock(&default_mutex);
    return count;
}

uint32_t rbl_worker_count(void)
{
    return rbl_jobs_worker_count(&default_jobs);
}

rblResult rbl_set_tasks(const rblTasks* tasks)
{
    rblJobs chosen = {.tasks = {.worker_count = 1}};
    if (tasks != NULL)
    {
        RBL_TRY(open_jobs(&chosen, tasks, rbl_default_allocator()));
    }
    rbl_mutex_lock(&default_mutex);
    const bool busy = default_loops != 0;
    rblJobs unused = busy ? chosen : default_jobs;
    default_jobs = busy ? default_jobs : chosen;
    rbl_mutex_unlock(&default_mutex);
    close_jobs(&unused);
    return busy ? rbl_fail(RBL_ERROR_BUSY, "tasks: parallel work is running") : RBL_OK;
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

static rblRange block_range(uint32_t count, uint32_t size, uint32_t block, uint32_t worker)
{
    const uint32_t begin = block * size;
    const uint32_t left = count - begin;
    return (rblRange){begin, begin + (left < size ? left : size), block, worker};
}

// A running loop, shared by all its workers.
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
        loop->fcn(block_range(loop->count, loop->block_size, block, worker), loop->context);
    }
}

void rbl_parallel_for(rblJobs* jobs, uint32_t count, uint32_t min_range, rblRangeFcn* fcn, void* context)
{
    if (count == 0)
    {
        return;
    }
    const rblTasks tasks = begin_loop(jobs);
    Loop loop = {.fcn = fcn, .context = context, .count = count, .block_size = block_size(count, min_range)};
    loop.block_count = rbl_block_count(count, min_range);

    const uint32_t useful = tasks.worker_count < loop.block_count ? tasks.worker_count : loop.block_count;
    const uint32_t helpers = tasks.enqueue != NULL ? useful - 1 : 0;
    void* handles[RBL_MAX_WORKERS];
    for (uint32_t i = 0; i < helpers; ++i)
    {
        handles[i] = tasks.enqueue(work_on_loop, &loop, tasks.context);
    }
    work_on_loop(&loop);
    for (uint32_t i = 0; i < helpers; ++i)
    {
        if (handles[i] != NULL)
        {
            tasks.finish(handles[i], tasks.context);
        }
    }
    end_loop(jobs);
}

// ---- jobs in the background ----

void rbl_job_start(rblJobs* jobs, rblJob* job)
{
    const rblTasks tasks = begin_loop(jobs);
    const bool beside = tasks.worker_count > 1 && tasks.enqueue != NULL;
    job->handle = beside ? tasks.enqueue(job->fcn, job->context, tasks.context) : NULL;
    job->done = beside && job->handle == NULL;
}

void rbl_job_finish(rblJobs* jobs, rblJob* job)
{
    const rblTasks tasks = jobs->tasks; // the same as at the start
    if (job->handle != NULL)
    {
        tasks.finish(job->handle, tasks.context);
    }
    else if (!job->done)
    {
        job->fcn(job->context);
    }
    job->handle = NULL;
    job->done = true;
    end_loop(jobs);
}

// ---- chains ----

#define CHAIN_END UINT64_MAX
#define PATIENCE  2000 // checks of the chain before a waiting worker yields its core

// Running loops, shared by all their workers. A worker claims a block by writing the number of the loop into it. All
// blocks of a loop are claimed before the next loop begins, so that a late worker finds no block of an old loop.
typedef struct Chain
{
    rblNextLoopFcn* next;
    void* context;
    uint32_t worker_count;
    rblLoop loop; // the current one; the worker that finishes a loop writes the next one here
    uint32_t block_size;
    atomic_uint_fast64_t current; // its number and, in the lower half, its number of blocks; or CHAIN_END
    atomic_uint done;             // finished blocks of it
    atomic_uint next_worker;
    atomic_uint claims[RBL_MAX_BLOCKS];
} Chain;

// Loops of one block run here, without the other workers.
static void open_next_loop(Chain* chain, uint32_t number, uint32_t worker)
{
    rblLoop loop = {0};
    while (chain->next(&loop, chain->context))
    {
        const uint32_t blocks = rbl_block_count(loop.count, loop.min_range);
        if (blocks == 1)
        {
            loop.fcn((rblRange){0, loop.count, 0, worker}, loop.context);
        }
        if (blocks > 1)
        {
            chain->loop = loop;
            chain->block_size = block_size(loop.count, loop.min_range);
            atomic_store_explicit(&chain->done, 0, memory_order_relaxed);
            atomic_store_explicit(&chain->current, (uint64_t)number << 32 | blocks, memory_order_release);
            return;
        }
    }
    atomic_store_explicit(&chain->current, CHAIN_END, memory_order_release);
}

static bool claim_block(Chain* chain, uint32_t block, uint32_t number)
{
    unsigned last = atomic_load_explicit(&chain->claims[block], memory_order_relaxed);
    return last < number && atomic_compare_exchange_strong(&chain->claims[block], &last, number);
}

static void work_on_blocks(Chain* chain, uint32_t number, uint32_t blocks, uint32_t worker)
{
    const uint32_t home = (uint32_t)((uint64_t)blocks * worker / chain->worker_count);
    for (uint32_t i = 0; i < blocks; ++i)
    {
        const uint32_t block = home + i < blocks ? home + i : home + i - blocks;
        if (!claim_block(chain, block, number))
        {
            continue;
        }
        chain->loop.fcn(block_range(chain->loop.count, chain->block_size, block, worker),
                        chain->loop.context);
        if (atomic_fetch_add_explicit(&chain->done, 1, memory_order_acq_rel) + 1 == blocks)
        {
            open_next_loop(chain, number + 1, worker);
            return;
        }
    }
}

// It waits only for blocks that are running, never for workers that have not started.
static void await_next_loop(const Chain* chain, uint64_t current)
{
    for (uint32_t i = 0; atomic_load_explicit(&chain->current, memory_order_acquire) == current; ++i)
    {
        if (i < PATIENCE)
        {
            rbl_thread_pause();
        }
        else
        {
            rbl_thread_yield();
        }
    }
}

static void work_on_chain(Chain* chain, uint32_t worker)
{
    for (;;)
    {
        const uint64_t current = atomic_load_explicit(&chain->current, memory_order_acquire);
        if (current == CHAIN_END)
        {
            return;
        }
        work_on_blocks(chain, (uint32_t)(current >> 32), (uint32_t)current, worker);
        await_next_loop(chain, current);
    }
}

static void join_chain(void* argument)
{
    Chain* chain = argument;
    work_on_chain(chain, atomic_fetch_add(&chain->next_worker, 1));
}

void rbl_parallel_chain(rblJobs* jobs, rblNextLoopFcn* next, void* context)
{
    const rblTasks tasks = begin_loop(jobs);
    Chain chain = {.next = next, .context = context, .worker_count = tasks.worker_count};
    atomic_init(&chain.next_worker, 1);
    open_next_loop(&chain, 1, 0);
    // Without other workers, or without more loops, there is nothing left to share.
    const bool over = atomic_load_explicit(&chain.current, memory_order_relaxed) == CHAIN_END;
    const uint32_t helpers = tasks.enqueue != NULL && !over ? tasks.worker_count - 1 : 0;
    void* handles[RBL_MAX_WORKERS];
    for (uint32_t i = 0; i < helpers; ++i)
    {
        handles[i] = tasks.enqueue(join_chain, &chain, tasks.context);
    }
    work_on_chain(&chain, 0);
    for (uint32_t i = 0; i < helpers; ++i)
    {
        if (handles[i] != NULL)
        {
            tasks.finish(handles[i], tasks.context);
        }
    }
    end_loop(jobs);
}

typedef struct SingleCalls
{
    void (*fcn)(uint32_t index, void* context);
    void* context;
} SingleCalls;

static void call_range(rblRange range, void* context)
{
    const SingleCalls* calls = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        calls->fcn(i, calls->context);
    }
}

void rbl_run_parallel(rblJobs* jobs, uint32_t count, void (*fcn)(uint32_t index, void* context),
                      void* context)
{
    SingleCalls calls = {fcn, context};
    if (fcn != NULL)
    {
        rbl_parallel_for(jobs != NULL ? jobs : rbl_serial_jobs(), count, 1, call_range, &calls);
    }
}
