// The base room: memory, arrays, arenas, ids, maps, random numbers, messages.
#include "testing.h"

#include "base/arena.h"
#include "base/array.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "base/id_pool.h"
#include "base/log.h"
#include "base/random.h"
#include "base/timer.h"
#include <stdlib.h>
#include <string.h>

static void version_matches_the_header(void** state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", RBL_VERSION_MAJOR, RBL_VERSION_MINOR, RBL_VERSION_PATCH);
    assert_string_equal(rbl_version(), text);
}

static void result_names_are_distinct_and_safe(void** state)
{
    (void)state;
    for (int i = 0; i < RBL_RESULT_COUNT; ++i)
    {
        for (int j = 0; j < i; ++j)
        {
            assert_string_not_equal(rbl_result_name((rblResult)i), rbl_result_name((rblResult)j));
        }
    }
    assert_string_equal(rbl_result_name((rblResult)99), "unknown");
}

static void messages_may_quote_the_previous_message(void** state)
{
    (void)state;
    rbl_fail(RBL_ERROR_FILE, "inner %d", 7);
    assert_int_equal(rbl_fail_within(RBL_ERROR_FILE, "outer"), RBL_ERROR_FILE);
    assert_string_equal(rbl_last_error(), "outer: inner 7");
    char huge[4 * RBL_ERROR_TEXT_SIZE];
    memset(huge, 'x', sizeof huge);
    huge[sizeof huge - 1] = '\0';
    rbl_fail(RBL_ERROR_FILE, "%s", huge);
    assert_int_equal(strlen(rbl_last_error()), RBL_ERROR_TEXT_SIZE - 1);
}

typedef struct Counter
{
    size_t allocations;
    size_t live;
} Counter;

static void* counting_alloc(size_t size, size_t alignment, void* context)
{
    Counter* counter = context;
    counter->allocations += 1;
    counter->live += size;
    const size_t rounded = (size + alignment - 1) / alignment * alignment;
    return aligned_alloc(alignment, rounded);
}

static void counting_free(void* memory, size_t size, void* context)
{
    Counter* counter = context;
    counter->live -= size;
    free(memory);
}

static void allocator_hook_sees_every_byte_and_its_size(void** state)
{
    (void)state;
    Counter counter = {0};
    rblAllocator allocator = rbl_default_allocator_def();
    allocator.alloc = counting_alloc;
    allocator.free = counting_free;
    allocator.context = &counter;
    assert_int_equal(rbl_bytes_in_use(), 0);
    check_ok(rbl_set_allocator(&allocator));
    rblIndexArray array;
    rbl_array_init(&array, rbl_default_allocator());
    for (uint32_t i = 0; i < 1000; ++i)
    {
        assert_true(rbl_array_push(&array, i));
    }
    check_fails(RBL_ERROR_BUSY, rbl_set_allocator(NULL));
    assert_true(counter.allocations > 0);
    assert_int_equal(counter.live, rbl_bytes_in_use());
    assert_true(rbl_peak_bytes() >= counter.live);
    rbl_array_free(&array);
    assert_int_equal(counter.live, 0);
    rblAllocator half = rbl_default_allocator_def();
    half.alloc = counting_alloc;
    check_fails(RBL_ERROR_ARGUMENT, rbl_set_allocator(&half));
    check_ok(rbl_set_allocator(NULL));
}

static void sizes_that_overflow_are_refused(void** state)
{
    (void)state;
    size_t product;
    assert_true(rbl_checked_multiply(SIZE_MAX / 2, 2, &product));
    assert_false(rbl_checked_multiply(SIZE_MAX / 2 + 1, 2, &product));
    assert_null(rbl_alloc_array(rbl_default_allocator(), 16, SIZE_MAX / 8));
    rblDoubleArray array;
    rbl_array_init(&array, rbl_default_allocator());
    assert_false(rbl_array_reserve(&array, SIZE_MAX / 4));
    assert_true(rbl_array_push(&array, 1.5));
    assert_false(rbl_array_resize(&array, SIZE_MAX / 4));
    assert_false(rbl_array_reserve_more(&array, SIZE_MAX)); // one and so many would wrap to none
    assert_int_equal(array.count, 1);
    assert_true(array.data[0] == 1.5);
    rbl_array_free(&array);
}

static void renewed_arrays_have_ample_capacity_and_forget(void** state)
{
    (void)state;
    rblIndexArray array;
    rbl_array_init(&array, rbl_default_allocator());
    assert_true(rbl_array_renew(&array, 10, 100));
    assert_int_equal(array.count, 10);
    assert_int_equal(array.capacity, 100);
    const uint32_t* before = array.data;
    assert_true(rbl_array_renew(&array, 100, 1000)); // it fits
    assert_ptr_equal(array.data, before);
    assert_true(rbl_array_renew(&array, 101, 0));
    assert_int_equal(array.count, 101);
    assert_int_equal(array.capacity, 202);
    assert_false(rbl_array_renew(&array, SIZE_MAX / 2, 0));
    assert_int_equal(array.count, 0);
    assert_int_equal(array.capacity, 0);
    assert_true(rbl_array_push(&array, 7u));
    rbl_array_free(&array);
}

static void arena_rewinds_and_then_allocates_nothing(void** state)
{
    (void)state;
    rblArena arena;
    rbl_arena_init(&arena, 0, rbl_default_allocator());
    size_t in_use_after_first = 0;
    for (int round = 0; round < 4; ++round)
    {
        const rblArenaMark mark = rbl_arena_mark(&arena);
        for (size_t size = 1; size < 20000; size = size * 3 + 1)
        {
            unsigned char* memory = rbl_arena_alloc(&arena, size);
            assert_non_null(memory);
            assert_int_equal((uintptr_t)memory % 16, 0);
            memset(memory, 0xAB, size);
        }
        assert_null(rbl_arena_alloc(&arena, 0));
        assert_null(rbl_arena_alloc(&arena, SIZE_MAX - 3));
        assert_null(RBL_ARENA_ARRAY(&arena, double, SIZE_MAX / 4));
        assert_true(arena.used > 0);
        rbl_arena_rewind(&arena, mark);
        assert_int_equal(arena.used, 0);
        if (round == 0)
        {
            in_use_after_first = rbl_bytes_in_use();
        }
        assert_int_equal(rbl_bytes_in_use(), in_use_after_first);
    }
    rbl_arena_free(&arena);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void stale_ids_are_never_valid_again(void** state)
{
    (void)state;
    rblIdPool pool;
    rbl_id_pool_init(&pool, rbl_default_allocator());
    enum
    {
        COUNT = 500
    };
    uint32_t slots[COUNT];
    uint32_t generations[COUNT];
    rblRandom random = rbl_random_seed(1, 1);
    for (int round = 0; round < 20; ++round)
    {
        for (int i = 0; i < COUNT; ++i)
        {
            assert_true(rbl_id_pool_take(&pool, &slots[i], &generations[i]));
        }
        assert_int_equal(pool.alive, COUNT);
        for (int i = COUNT - 1; i > 0; --i) // shuffle
        {
            const uint32_t j = rbl_random_below(&random, (uint32_t)i + 1);
            const uint32_t slot = slots[i], generation = generations[i];
            slots[i] = slots[j], generations[i] = generations[j];
            slots[j] = slot, generations[j] = generation;
        }
        for (int i = 0; i < COUNT; ++i)
        {
            assert_true(rbl_id_pool_valid(&pool, slots[i] + 1, generations[i]));
            rbl_id_pool_give(&pool, slots[i]);
            assert_false(rbl_id_pool_valid(&pool, slots[i] + 1, generations[i]));
        }
        if (round % 5 == 4)
        {
            rbl_id_pool_shed(&pool);
            uint32_t slot, generation;
            assert_true(rbl_id_pool_take(&pool, &slot, &generation));
            for (int i = 0; i < COUNT; ++i)
            {
                assert_false(rbl_id_pool_valid(&pool, slots[i] + 1, generations[i]));
            }
            rbl_id_pool_give(&pool, slot);
        }
    }
    assert_false(rbl_id_pool_valid(&pool, 0, 1));
    assert_false(rbl_id_pool_valid(&pool, 1u << 31, 1));
    rbl_id_pool_free(&pool);
}

static void used_up_generations_retire_their_slot_for_good(void** state)
{
    (void)state;
    rblIdPool pool;
    rbl_id_pool_init(&pool, rbl_default_allocator());
    pool.first_generation = UINT32_MAX - 3;
    uint32_t slot, generation;
    for (uint32_t i = 0; i < 2; ++i)
    {
        assert_true(rbl_id_pool_take(&pool, &slot, &generation));
        assert_int_equal(slot, 0);
        assert_int_equal(generation, UINT32_MAX - 2 + 2 * i);
        rbl_id_pool_give(&pool, slot);
        rbl_id_pool_shed(&pool);
    }
    for (uint32_t i = 1; i < 4; ++i)
    {
        assert_true(rbl_id_pool_take(&pool, &slot, &generation));
        assert_int_equal(slot, i);
        assert_false(rbl_id_pool_valid(&pool, 1, UINT32_MAX));
        rbl_id_pool_give(&pool, slot);
        rbl_id_pool_shed(&pool);
    }
    rbl_id_pool_free(&pool);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void many_ids_take_few_allocations(void** state)
{
    (void)state;
    Counter counter = {0};
    rblAllocator allocator = rbl_default_allocator_def();
    allocator.alloc = counting_alloc;
    allocator.free = counting_free;
    allocator.context = &counter;
    rblIdPool pool;
    rbl_id_pool_init(&pool, &allocator);
    for (uint32_t i = 0; i < 20000; ++i)
    {
        uint32_t slot, generation;
        assert_true(rbl_id_pool_take(&pool, &slot, &generation));
    }
    assert_true(counter.allocations < 60);
    const size_t before = counter.allocations;
    for (uint32_t i = 0; i < 20000; ++i)
    {
        rbl_id_pool_give(&pool, i);
    }
    assert_int_equal(counter.allocations, before); // giving back can never fail
    rbl_id_pool_free(&pool);
    assert_int_equal(counter.live, 0);
}

static void hash_map_agrees_with_a_table(void** state)
{
    (void)state;
    enum
    {
        RANGE = 5000
    };
    static uint32_t table[RANGE];
    memset(table, 0xFF, sizeof table);
    rblHashMap map;
    rbl_hash_map_init(&map, rbl_default_allocator());
    assert_int_equal(rbl_hash_map_find(&map, 1), RBL_MAP_EMPTY);
    rblRandom random = rbl_random_seed(2, 0);
    size_t distinct = 0;
    for (uint32_t i = 0; i < 4 * RANGE; ++i)
    {
        const uint32_t key = rbl_random_below(&random, RANGE);
        bool added;
        uint32_t* value = rbl_hash_map_get_or_add(&map, (uint64_t)key << 40, i, &added);
        assert_non_null(value);
        assert_true(added == (table[key] == RBL_MAP_EMPTY));
        table[key] = added ? i : table[key];
        distinct += added;
        assert_int_equal(*value, table[key]);
    }
    assert_int_equal(map.count, distinct);
    for (uint32_t key = 0; key < RANGE; ++key)
    {
        assert_int_equal(rbl_hash_map_find(&map, (uint64_t)key << 40), table[key]);
    }
    assert_false(rbl_hash_map_reserve(&map, SIZE_MAX / 2));
    rbl_hash_map_free(&map);
    assert_int_equal(rbl_pair_key(3, 9), rbl_pair_key(9, 3));
    assert_int_equal(rbl_hash_bytes(RBL_HASH_START, "a", 1),
                     0xAF63DC4C8601EC8Cu); // the published FNV-1a value
}

static void random_numbers_match_the_reference_and_are_uniform(void** state)
{
    (void)state;
    // The demo of the reference implementation: seed 42, stream 54.
    rblRandom random = rbl_random_seed(42, 54);
    const uint32_t expected[] = {0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e};
    for (size_t i = 0; i < 6; ++i)
    {
        assert_int_equal(rbl_random_u32(&random), expected[i]);
    }
    uint32_t histogram[7] = {0};
    double mean = 0;
    for (int i = 0; i < 70000; ++i)
    {
        histogram[rbl_random_below(&random, 7)] += 1;
        const double x = rbl_random_double(&random);
        const float y = rbl_random_float(&random);
        assert_true(x >= 0 && x < 1 && y >= 0 && y < 1);
        mean += rbl_random_range(&random, -3, 5);
    }
    for (int i = 0; i < 7; ++i)
    {
        check_close(histogram[i], 10000, 500);
    }
    check_close(mean / 70000, 1, 0.05);
    assert_int_equal(rbl_random_below(&random, 1), 0);
}

static void timer_never_goes_back(void** state)
{
    (void)state;
    double last = rbl_timer_seconds();
    for (int i = 0; i < 1000; ++i)
    {
        const double now = rbl_timer_seconds();
        assert_true(now >= last);
        last = now;
    }
}

static void remember_line(rblLogLevel level, const char* line, void* context)
{
    snprintf(context, 64, "%d %s", (int)level, line);
}

static void log_hook_gets_only_what_it_asked_for(void** state)
{
    (void)state;
    char line[64] = "";
    rbl_log_message(RBL_LOG_ERROR, "nobody listens");
    rbl_set_log(remember_line, line, RBL_LOG_WARNING);
    rbl_log_message(RBL_LOG_INFO, "too quiet");
    assert_string_equal(line, "");
    rbl_log_message(RBL_LOG_WARNING, "crack %d", 3);
    assert_string_equal(line, "2 crack 3");
    rbl_set_log(NULL, NULL, RBL_LOG_DEBUG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_matches_the_header),
        cmocka_unit_test(result_names_are_distinct_and_safe),
        cmocka_unit_test(messages_may_quote_the_previous_message),
        cmocka_unit_test(allocator_hook_sees_every_byte_and_its_size),
        cmocka_unit_test(sizes_that_overflow_are_refused),
        cmocka_unit_test(renewed_arrays_have_ample_capacity_and_forget),
        cmocka_unit_test(arena_rewinds_and_then_allocates_nothing),
        cmocka_unit_test(stale_ids_are_never_valid_again),
        cmocka_unit_test(used_up_generations_retire_their_slot_for_good),
        cmocka_unit_test(many_ids_take_few_allocations),
        cmocka_unit_test(hash_map_agrees_with_a_table),
        cmocka_unit_test(random_numbers_match_the_reference_and_are_uniform),
        cmocka_unit_test(timer_never_goes_back),
        cmocka_unit_test(log_hook_gets_only_what_it_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
