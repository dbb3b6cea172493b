// The ground floor: what everything else is built from, beside what the C library does for the same job.
#include "bench/bench.h"

#include "base/error.h"
#include "base/hash_map.h"
#include "base/jobs.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/random.h"
#include "base/sort.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the compiler must believe is used.
static volatile uint64_t sink;

static void do_nothing(rblRange range, void* context)
{
    (void)range;
    (void)context;
}

static rblResult run_empty_loops(void* context)
{
    const uint32_t loops = *(const uint32_t*)context;
    for (uint32_t i = 0; i < loops; ++i)
    {
        rbl_parallel_for(rbl_default_jobs(), RBL_MAX_BLOCKS, 1, do_nothing, NULL);
    }
    return RBL_OK;
}

static rblResult measure_loops(rblBench* bench)
{
    uint32_t loops = rbl_bench_size(bench, 1000, 10);
    double seconds;
    rbl_bench_stage(bench, "parallel loops");
    RBL_TRY(rbl_bench_best(bench, run_empty_loops, &loops, &seconds));
    rbl_bench_row(bench, &(rblBenchRow){.subject = "parallel loop of 128 empty blocks",
                                        .metric = "overhead",
                                        .value = 1e6 * seconds / loops,
                                        .unit = "us"});
    return RBL_OK;
}

typedef struct SortWork
{
    uint32_t* keys;
    uint32_t* items;
    uint32_t* scratch;
    uint32_t count;
} SortWork;

static bool key_before(uint32_t a, uint32_t b, const void* context)
{
    const uint32_t* keys = context;
    return keys[a] < keys[b];
}

static rblResult sort_ours(void* context)
{
    SortWork* work = context;
    for (uint32_t i = 0; i < work->count; ++i)
    {
        work->items[i] = i;
    }
    rbl_sort_indices(work->items, work->scratch, work->count, key_before, work->keys);
    return RBL_OK;
}

static int compare_keys(const void* a, const void* b)
{
    const uint32_t left = *(const uint32_t*)a;
    const uint32_t right = *(const uint32_t*)b;
    return (left > right) - (left < right);
}

static rblResult sort_theirs(void* context)
{
    SortWork* work = context;
    memcpy(work->items, work->keys, sizeof *work->keys * work->count);
    qsort(work->items, work->count, sizeof *work->items, compare_keys);
    return RBL_OK;
}

static rblResult measure_sort(rblBench* bench)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_bench_size(bench, 1000000, 1000);
    uint32_t* memory = RBL_NEW_ARRAY(allocator, uint32_t, 3 * (size_t)count);
    if (memory == NULL)
    {
        return rbl_fail_memory();
    }
    SortWork work = {memory, memory + count, memory + 2 * (size_t)count, count};
    rblRandom random = rbl_random_seed(1, 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        work.keys[i] = rbl_random_u32(&random);
    }
    rbl_bench_stage(bench, "sorting");
    double ours = 0.0;
    double theirs = 0.0;
    rblResult result = rbl_bench_best(bench, sort_ours, &work, &ours);
    result = result == RBL_OK ? rbl_bench_best(bench, sort_theirs, &work, &theirs) : result;
    rbl_bench_row(bench, &(rblBenchRow){.subject = "1M indices by random 32-bit keys",
                                        .metric = "stable sort",
                                        .value = 1e9 * ours / count,
                                        .unit = "ns/item",
                                        .peer = "qsort of the keys",
                                        .peer_value = 1e9 * theirs / count});
    RBL_FREE_ARRAY(allocator, memory, 3 * (size_t)count);
    return result;
}

typedef struct MapWork
{
    rblHashMap map;
    uint64_t* keys;
    uint32_t count;
} MapWork;

static rblResult map_insert(void* context)
{
    MapWork* work = context;
    rbl_hash_map_free(&work->map);
    rbl_hash_map_init(&work->map, rbl_default_allocator());
    if (!rbl_hash_map_reserve(&work->map, work->count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < work->count; ++i)
    {
        bool added;
        if (rbl_hash_map_get_or_add(&work->map, work->keys[i], i, &added) == NULL)
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult map_find(void* context)
{
    const MapWork* work = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < work->count; ++i)
    {
        sum += rbl_hash_map_find(&work->map, work->keys[i]);
    }
    sink = sum;
    return RBL_OK;
}

static rblResult measure_map(rblBench* bench)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_bench_size(bench, 1000000, 1000);
    MapWork work = {.keys = RBL_NEW_ARRAY(allocator, uint64_t, count), .count = count};
    if (work.keys == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_hash_map_init(&work.map, allocator);
    rblRandom random = rbl_random_seed(2, 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        work.keys[i] = rbl_random_u64(&random);
    }
    rbl_bench_stage(bench, "hash map");
    double insert = 0.0;
    double find = 0.0;
    rblResult result = rbl_bench_best(bench, map_insert, &work, &insert);
    result = result == RBL_OK ? rbl_bench_best(bench, map_find, &work, &find) : result;
    rbl_bench_row(bench, &(rblBenchRow){.subject = "hash map of 1M random keys",
                                        .metric = "insert",
                                        .value = 1e9 * insert / count,
                                        .unit = "ns/item"});
    rbl_bench_row(bench, &(rblBenchRow){.subject = "hash map of 1M random keys",
                                        .metric = "find",
                                        .value = 1e9 * find / count,
                                        .unit = "ns/item"});
    rbl_hash_map_free(&work.map);
    RBL_FREE_ARRAY(allocator, work.keys, count);
    return result;
}

typedef struct TextWork
{
    double* numbers;
    char* text; // one number a line
    char* copy;
    size_t size; // of the text
    size_t capacity;
    uint32_t count;
} TextWork;

static rblResult format_ours(void* context)
{
    TextWork* work = context;
    char* at = work->text;
    for (uint32_t i = 0; i < work->count; ++i)
    {
        at += rbl_format_double(work->numbers[i], at);
        *at++ = '\n';
    }
    work->size = (size_t)(at - work->text);
    *at = '\0';
    return RBL_OK;
}

static rblResult format_theirs(void* context)
{
    TextWork* work = context;
    char* at = work->copy;
    for (uint32_t i = 0; i < work->count; ++i)
    {
        at += snprintf(at, RBL_NUMBER_SIZE, "%.17g\n", work->numbers[i]);
    }
    return RBL_OK;
}

static rblResult parse_ours(void* context)
{
    const TextWork* work = context;
    const char* at = work->text;
    const char* end = work->text + work->size;
    for (uint32_t i = 0; i < work->count; ++i)
    {
        double number;
        at = rbl_parse_double(at, end, &number);
        if (at == NULL || number != work->numbers[i])
        {
            return rbl_fail(RBL_ERROR_FORMAT, "number %u was read back differently", i);
        }
        ++at;
    }
    return RBL_OK;
}

static rblResult parse_theirs(void* context)
{
    const TextWork* work = context;
    char* at = work->text;
    double sum = 0.0;
    for (uint32_t i = 0; i < work->count; ++i)
    {
        sum += strtod(at, &at);
    }
    sink = sum > 0.0;
    return RBL_OK;
}

static rblResult copy_text(void* context)
{
    const TextWork* work = context;
    memcpy(work->copy, work->text, work->capacity);
    sink = (uint64_t)work->copy[work->capacity / 2];
    return RBL_OK;
}

static rblResult measure_text_work(rblBench* bench, TextWork* work)
{
    double format, their_format, parse, their_parse, copy;
    rbl_bench_stage(bench, "numbers to text");
    RBL_TRY(rbl_bench_best(bench, format_ours, work, &format));
    RBL_TRY(rbl_bench_best(bench, format_theirs, work, &their_format));
    rbl_bench_stage(bench, "numbers from text");
    RBL_TRY(rbl_bench_best(bench, parse_ours, work, &parse));
    RBL_TRY(rbl_bench_best(bench, parse_theirs, work, &their_parse));
    RBL_TRY(rbl_bench_best(bench, copy_text, work, &copy));
    const double megabytes = 1e-6 * (double)work->size;
    const char* subject = "1M random doubles, shortest exact text";
    rbl_bench_row(bench, &(rblBenchRow){.subject = subject,
                                        .metric = "write",
                                        .value = megabytes / format,
                                        .unit = "MB/s",
                                        .peer = "snprintf %.17g",
                                        .peer_value = megabytes / their_format});
    rbl_bench_row(bench, &(rblBenchRow){.subject = subject,
                                        .metric = "read",
                                        .value = megabytes / parse,
                                        .unit = "MB/s",
                                        .peer = "strtod",
                                        .peer_value = megabytes / their_parse});
    rbl_bench_row(bench, &(rblBenchRow){.subject = "the floor: memcpy of that text",
                                        .metric = "copy",
                                        .value = 1e-6 * (double)work->capacity / copy,
                                        .unit = "MB/s"});
    return RBL_OK;
}

static rblResult measure_text(rblBench* bench)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_bench_size(bench, 1000000, 1000);
    const size_t capacity = RBL_NUMBER_SIZE * (size_t)count;
    TextWork work = {.numbers = RBL_NEW_ARRAY(allocator, double, count),
                     .text = rbl_alloc_zero(allocator, capacity),
                     .copy = rbl_alloc_zero(allocator, capacity),
                     .capacity = capacity,
                     .count = count};
    rblRandom random = rbl_random_seed(3, 0);
    for (uint32_t i = 0; work.numbers != NULL && i < count; ++i)
    {
        work.numbers[i] = rbl_random_range(&random, -1.0, 1.0);
    }
    const bool complete = work.numbers != NULL && work.text != NULL && work.copy != NULL;
    const rblResult result = complete ? measure_text_work(bench, &work) : rbl_fail_memory();
    RBL_FREE_ARRAY(allocator, work.numbers, count);
    rbl_free(allocator, work.text, capacity);
    rbl_free(allocator, work.copy, capacity);
    return result;
}

rblResult rbl_bench_base(rblBench* bench)
{
    RBL_TRY(measure_loops(bench));
    RBL_TRY(measure_sort(bench));
    RBL_TRY(measure_map(bench));
    return measure_text(bench);
}
