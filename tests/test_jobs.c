// Parallel loops: the same sums for any number of workers, chains, nesting, and tasks of the user's own.
#include "testing.h"

#include "base/jobs.h"
#include "base/random.h"
#include "base/thread.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef struct Sums
{
    const float* values;
    float partial[RBL_MAX_BLOCKS];
    atomic_uint busy[RBL_MAX_WORKERS];
    atomic_uint collisions;
    uint32_t worker_count;
} Sums;

static void sum_block(rblRange range, void* context)
{
    Sums* sums = context;
    if (range.worker >= sums->worker_count || atomic_fetch_add(&sums->busy[range.worker], 1) != 0)
    {
        atomic_fetch_add(&sums->collisions, 1);
    }
    float sum = 0;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        sum += sums->values[i];
    }
    sums->partial[range.block] = sum;
    atomic_fetch_sub(&sums->busy[range.worker], 1);
}

static float parallel_sum(rblJobs* jobs, const float* values, uint32_t count, uint32_t min_range)
{
    Sums sums = {.values = values, .worker_count = rbl_jobs_worker_count(jobs)};
    rbl_parallel_for(jobs, count, min_range, sum_block, &sums);
    assert_int_equal(sums.collisions, 0);
    float total = 0;
    for (uint32_t b = 0; b < rbl_block_count(count, min_range); ++b)
    {
        total += sums.partial[b];
    }
    return total;
}

static void parallel_sums_are_bit_identical_for_any_worker_count(void** state)
{
    (void)state;
    enum
    {
        COUNT = 20011
    };
    static float values[COUNT];
    rblRandom random = rbl_random_seed(3, 0);
    for (int i = 0; i < COUNT; ++i)
    {
        values[i] = (float)rbl_random_range(&random, -1, 1);
    }
    const uint32_t min_ranges[] = {0, 1, 7, 100, 30000};
    for (size_t m = 0; m < 5; ++m)
    {
        const float serial = parallel_sum(rbl_default_jobs(), values, COUNT, min_ranges[m]);
        for (uint32_t workers = 1; workers <= 8; ++workers)
        {
            rblJobs* jobs;
            const rblTasks tasks = tasks_of(workers);
            check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
            for (int repeat = 0; repeat < 20; ++repeat)
            {
                const float sum = parallel_sum(jobs, values, COUNT, min_ranges[m]);
                assert_memory_equal(&sum, &serial, sizeof sum);
            }
            rbl_jobs_destroy(jobs);
        }
    }
    rbl_jobs_destroy(NULL);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// A chain that smooths a row of numbers: each loop reads what the one before wrote, and by how much depends on its sum.
#define ROW 3000

typedef struct Smoothing
{
    float rows[2][ROW + 2];
    float partial[RBL_MAX_BLOCKS];
    float weight;
    uint32_t loops, blocks;
    atomic_uint ran; // items
} Smoothing;

static void smooth_block(rblRange range, void* context)
{
    Smoothing* smoothing = context;
    const float* from = smoothing->rows[smoothing->loops % 2];
    float* to = smoothing->rows[(smoothing->loops + 1) % 2];
    float sum = 0.0f;
    for (uint32_t i = range.begin + 1; i <= range.end; ++i)
    {
        to[i] = from[i] + smoothing->weight * (from[i - 1] - 2.0f * from[i] + from[i + 1]);
        sum += to[i];
    }
    smoothing->partial[range.block] = sum;
    atomic_fetch_add(&smoothing->ran, range.end - range.begin);
}

static bool next_smoothing(rblLoop* loop, void* context)
{
    static const uint32_t min_ranges[] = {1, 7, 64, ROW, 500, 1000};
    Smoothing* smoothing = context;
    float sum = 0.0f;
    for (uint32_t b = 0; b < smoothing->blocks; ++b)
    {
        sum += smoothing->partial[b];
    }
    smoothing->weight = sum > 0.0f ? 0.25f : 0.2f;
    smoothing->loops += 1;
    const uint32_t count = smoothing->loops % 10 == 3 ? 0 : ROW;
    *loop = (rblLoop){count, min_ranges[smoothing->loops % 6], smooth_block, smoothing};
    smoothing->blocks = rbl_block_count(count, loop->min_range);
    return smoothing->loops <= 300;
}

static void run_smoothing(rblJobs* jobs, Smoothing* smoothing)
{
    *smoothing = (Smoothing){0};
    rblRandom random = rbl_random_seed(5, 0);
    for (int i = 1; i <= ROW; ++i)
    {
        smoothing->rows[0][i] = smoothing->rows[1][i] = (float)rbl_random_range(&random, -1, 1);
    }
    rbl_parallel_chain(jobs, next_smoothing, smoothing);
    assert_int_equal(smoothing->ran, 270 * ROW);
}

static void loops_of_a_chain_see_what_the_one_before_wrote(void** state)
{
    (void)state;
    static Smoothing serial, parallel;
    run_smoothing(rbl_serial_jobs(), &serial);
    for (uint32_t workers = 1; workers <= 8; ++workers)
    {
        rblJobs* jobs;
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
        for (int repeat = 0; repeat < 10; ++repeat)
        {
            run_smoothing(jobs, &parallel);
            assert_memory_equal(parallel.rows, serial.rows, sizeof serial.rows);
        }
        rbl_jobs_destroy(jobs);
    }
}

typedef struct Nested
{
    rblJobs* jobs;
    atomic_uint leaves;
} Nested;

static void count_leaves(rblRange range, void* context)
{
    atomic_fetch_add((atomic_uint*)context, range.end - range.begin);
}

static void start_inner_loops(rblRange range, void* context)
{
    Nested* nested = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rbl_parallel_for(nested->jobs, 50, 1, count_leaves, &nested->leaves);
    }
}

static void nested_loops_neither_deadlock_nor_lose_work(void** state)
{
    (void)state;
    Nested nested = {0};
    const rblTasks tasks = tasks_of(8);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &nested.jobs));
    rbl_parallel_for(nested.jobs, 200, 1, start_inner_loops, &nested);
    assert_int_equal(nested.leaves, 200 * 50);
    rbl_parallel_for(nested.jobs, 0, 1, start_inner_loops, &nested);
    assert_int_equal(nested.leaves, 200 * 50);
    rbl_jobs_destroy(nested.jobs);
}

static void* run_at_once(rblTaskFcn* fcn, void* task_context, void* context)
{
    fcn(task_context);
    *(int*)context += 1;
    return NULL;
}

static void finish_nothing(void* handle, void* context)
{
    (void)handle;
    (void)context;
    fail_msg("finish called for a task that was already run");
}

static void set_tasks_from_inside(rblRange range, void* context)
{
    (void)range;
    *(rblResult*)context = rbl_set_tasks(NULL);
}

static void user_hooks_run_the_loops(void** state)
{
    (void)state;
    int tasks_run = 0;
    rblTasks tasks = tasks_of(3);
    tasks.enqueue = run_at_once;
    tasks.finish = finish_nothing;
    tasks.context = &tasks_run;
    check_ok(rbl_set_tasks(&tasks));
    assert_int_equal(rbl_worker_count(), 3);
    static const float ones[100] = {1, 1, 1, 1};
    assert_true(parallel_sum(rbl_default_jobs(), ones, 100, 1) == 4);
    assert_int_equal(tasks_run, 2);
    static Smoothing serial, hooked;
    run_smoothing(rbl_serial_jobs(), &serial);
    run_smoothing(rbl_default_jobs(), &hooked);
    assert_int_equal(tasks_run, 4);
    assert_memory_equal(hooked.rows, serial.rows, sizeof serial.rows);
    rblResult inside = RBL_OK;
    rbl_parallel_for(rbl_default_jobs(), 1, 1, set_tasks_from_inside, &inside);
    assert_int_equal(inside, RBL_ERROR_BUSY);
    check_ok(rbl_set_tasks(NULL));
    assert_int_equal(rbl_worker_count(), 1);
}

#if RBL_HAS_THREADS
enum
{
    SETTER_ROUNDS = 200
};

static void* set_tasks_often(void* argument)
{
    size_t* changes = argument;
    for (uint32_t i = 0; i < SETTER_ROUNDS; ++i)
    {
        const rblTasks tasks = tasks_of(1 + i % 4);
        const rblResult result = rbl_set_tasks(i % 5 == 0 ? NULL : &tasks);
        *changes += result == RBL_OK;
        if (result != RBL_OK && result != RBL_ERROR_BUSY)
        {
            return argument;
        }
    }
    return NULL;
}

static void tasks_may_be_set_by_one_thread_while_another_runs_loops(void** state)
{
    (void)state;
    pthread_t setters[2];
    size_t changes[2] = {0, 0};
    for (int i = 0; i < 2; ++i)
    {
        assert_int_equal(pthread_create(&setters[i], NULL, set_tasks_often, &changes[i]), 0);
    }
    for (int i = 0; i < 500; ++i)
    {
        atomic_uint leaves = 0;
        rbl_parallel_for(rbl_default_jobs(), 50, 1, count_leaves, &leaves);
        assert_int_equal(leaves, 50);
        assert_true(rbl_worker_count() >= 1 && rbl_worker_count() <= 4);
    }
    for (int i = 0; i < 2; ++i)
    {
        void* failed;
        assert_int_equal(pthread_join(setters[i], &failed), 0);
        assert_null(failed);
    }
    check_ok(rbl_set_tasks(NULL));
    assert_int_equal(rbl_bytes_in_use(), 0);
}
#endif

static void bad_task_settings_are_refused(void** state)
{
    (void)state;
    rblTasks tasks = tasks_of(0);
    check_fails(RBL_ERROR_ARGUMENT, rbl_set_tasks(&tasks));
    tasks.worker_count = RBL_MAX_WORKERS + 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_set_tasks(&tasks));
    tasks.worker_count = 2;
    tasks.enqueue = run_at_once;
    check_fails(RBL_ERROR_ARGUMENT, rbl_set_tasks(&tasks));
    assert_int_equal(rbl_worker_count(), 1);
}

static void blocks_cover_the_range_and_respect_the_minimum(void** state)
{
    (void)state;
    assert_int_equal(rbl_block_count(0, 5), 0);
    assert_int_equal(rbl_block_count(1, 0), 1);
    assert_int_equal(rbl_block_count(UINT32_MAX, 1), RBL_MAX_BLOCKS);
    for (uint32_t count = 1; count < 2000; count += 13)
    {
        for (uint32_t min_range = 1; min_range < 300; min_range += 17)
        {
            const uint32_t blocks = rbl_block_count(count, min_range);
            assert_true(blocks >= 1 && blocks <= RBL_MAX_BLOCKS);
            assert_true(blocks == 1 || (blocks - 1) * min_range < count);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parallel_sums_are_bit_identical_for_any_worker_count),
        cmocka_unit_test(loops_of_a_chain_see_what_the_one_before_wrote),
        cmocka_unit_test(nested_loops_neither_deadlock_nor_lose_work),
        cmocka_unit_test(user_hooks_run_the_loops),
#if RBL_HAS_THREADS
        cmocka_unit_test(tasks_may_be_set_by_one_thread_while_another_runs_loops),
#endif
        cmocka_unit_test(bad_task_settings_are_refused),
        cmocka_unit_test(blocks_cover_the_range_and_respect_the_minimum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
