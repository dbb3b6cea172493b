// Which boxes of leaves overlap, against brute force.
#include "testing.h"

#include "base/random.h"
#include "bvh/query/overlap.h"
#include "failing_allocator.h"
#include "triangle_soups.h"
#include <stdlib.h>
#include <string.h>

static bool boxes_meet(const rblAabb* a, const rblAabb* b)
{
    return a->lower.x <= b->upper.x && b->lower.x <= a->upper.x && a->lower.y <= b->upper.y &&
           b->lower.y <= a->upper.y && a->lower.z <= b->upper.z && b->lower.z <= a->upper.z;
}

static const rblAabb* leaf_box(const rblBvh* bvh, uint32_t leaf)
{
    return &bvh->nodes[bvh->level_starts[bvh->layout.leaf_level] + leaf];
}

// Every pair by force must be found once, and nothing else.
static void check_overlaps(const rblForest* forest, const rblTreePair* pairs, uint32_t pair_count,
                           const rblLeafPairArray* found)
{
    size_t expected = 0;
    for (uint32_t p = 0; p < pair_count; ++p)
    {
        const rblBvh a = rbl_forest_tree(forest, pairs[p].a);
        const rblBvh b = rbl_forest_tree(forest, pairs[p].b);
        unsigned char* seen = calloc((size_t)a.layout.leaves * b.layout.leaves + 1, 1);
        for (size_t i = 0; i < found->count; ++i)
        {
            if (found->data[i].pair == p)
            {
                seen[(size_t)found->data[i].leaf_a * b.layout.leaves + found->data[i].leaf_b] += 1;
            }
        }
        for (uint32_t i = 0; i < a.layout.leaves; ++i)
        {
            for (uint32_t j = 0; j < b.layout.leaves; ++j)
            {
                const bool wanted = pairs[p].a != pairs[p].b || i < j;
                const bool meet = wanted && boxes_meet(leaf_box(&a, i), leaf_box(&b, j));
                assert_int_equal(seen[(size_t)i * b.layout.leaves + j], meet);
                expected += meet;
            }
        }
        free(seen);
    }
    assert_int_equal(found->count, expected);
}

static void overlaps_of_many_trees_match_brute_force(void** state)
{
    (void)state;
    enum
    {
        TREES = 5
    };
    rblRandom random = rbl_random_seed(3, 0);
    rblJobs* jobs;
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    for (uint32_t round = 0; round < 40; ++round)
    {
        rblTriangleSpan spans[TREES];
        for (int i = 0; i < TREES; ++i)
        {
            spans[i] = make_soup(&random, round % 2 == 0 ? SOUP_COARSE : SOUP_RANDOM,
                                 rbl_random_below(&random, 120));
        }
        rblForest forest;
        rbl_forest_init(&forest, rbl_default_allocator());
        check_ok(rbl_forest_build(&forest, spans, TREES, (rblBvhQuality)(round % 3), jobs));
        const rblTreePair pairs[] = {{0, 1}, {2, 2}, {1, 4}, {3, 3}, {4, 0}, {0, 0}};
        for (uint32_t mu = 1; mu <= 4; ++mu)
        {
            rblOverlapOptions options = {.entry_level = round % 4, .depth_step = mu};
            options.frontier_goal = round % 3 == 0 ? UINT32_MAX : 10;
            rblLeafPairArray serial, parallel;
            rbl_array_init(&serial, rbl_default_allocator());
            rbl_array_init(&parallel, rbl_default_allocator());
            rblOverlapCounters counters;
            check_ok(rbl_overlap_leaves(&forest, pairs, 6, &options, rbl_serial_jobs(), &serial, &counters));
            check_ok(rbl_overlap_leaves(&forest, pairs, 6, &options, jobs, &parallel, NULL));
            check_overlaps(&forest, pairs, 6, &serial);
            assert_int_equal(serial.count, parallel.count);
            if (serial.count > 0)
            {
                assert_memory_equal(serial.data, parallel.data, sizeof *serial.data * serial.count);
            }
            assert_true(counters.rounds > 0 && counters.peak_frontier > 0);
            rbl_array_free(&serial);
            rbl_array_free(&parallel);
        }
        rbl_forest_free(&forest);
        for (int i = 0; i < TREES; ++i)
        {
            free_soup(&spans[i]);
        }
    }
    rbl_jobs_destroy(jobs);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void bad_overlap_calls_are_refused(void** state)
{
    (void)state;
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    rblLeafPairArray found;
    rbl_array_init(&found, rbl_default_allocator());
    const rblTreePair pair = {0, 0};
    rblOverlapOptions options = rbl_default_overlap_options();
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_overlap_leaves(&forest, &pair, 1, &options, rbl_serial_jobs(), &found, NULL));
    options.depth_step = 5;
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_overlap_leaves(&forest, &pair, 0, &options, rbl_serial_jobs(), &found, NULL));
    options.depth_step = 2;
    check_ok(rbl_overlap_leaves(&forest, &pair, 0, &options, rbl_serial_jobs(), &found, NULL));
    assert_int_equal(found.count, 0);
}

// ---- pairs of trees ----

static void pairs_of_a_forest_are_those_whose_boxes_meet(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(4, 0);
    for (uint32_t round = 0; round < 30; ++round)
    {
        enum
        {
            MOST = 40
        };
        const uint32_t count = rbl_random_below(&random, MOST + 1);
        rblTriangleSpan spans[MOST];
        for (uint32_t i = 0; i < count; ++i)
        {
            spans[i] =
                make_soup(&random, round % 2 == 0 ? SOUP_COARSE : SOUP_RANDOM, rbl_random_below(&random, 4));
        }
        rblForest forest;
        rbl_forest_init(&forest, rbl_default_allocator());
        check_ok(rbl_forest_build(&forest, spans, count, RBL_BVH_FAST, rbl_serial_jobs()));
        rblTreePairArray pairs;
        rbl_array_init(&pairs, rbl_default_allocator());
        const bool selfs = round % 3 == 0;
        check_ok(rbl_forest_pairs(&forest, selfs, rbl_serial_jobs(), &pairs));
        size_t next = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            for (uint32_t j = i; j < count; ++j)
            {
                const rblBvh a = rbl_forest_tree(&forest, i);
                const rblBvh b = rbl_forest_tree(&forest, j);
                if (a.layout.leaves > 0 && b.layout.leaves > 0 &&
                    (i == j ? selfs : boxes_meet(&a.nodes[0], &b.nodes[0])))
                {
                    assert_true(next < pairs.count && pairs.data[next].a == i && pairs.data[next].b == j);
                    next += 1;
                }
            }
        }
        assert_int_equal(next, pairs.count);
        rbl_array_free(&pairs);
        rbl_forest_free(&forest);
        for (uint32_t i = 0; i < count; ++i)
        {
            free_soup(&spans[i]);
        }
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 0);
    rblTriangleSpan spans[3];
    for (int i = 0; i < 3; ++i)
    {
        spans[i] = make_soup(&random, SOUP_RANDOM, 100);
    }
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, spans, 3, RBL_BVH_QUALITY, rbl_serial_jobs()));
    const rblTreePair pairs[] = {{0, 1}, {1, 2}, {2, 2}};
    const rblOverlapOptions options = rbl_default_overlap_options();
    bool done = false;
    for (size_t n = 0; !done; ++n)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, n);
        rblLeafPairArray leaves;
        rblTreePairArray trees;
        rbl_array_init(&leaves, &memory.allocator);
        rbl_array_init(&trees, &memory.allocator);
        const rblResult first =
            rbl_overlap_leaves(&forest, pairs, 3, &options, rbl_serial_jobs(), &leaves, NULL);
        assert_true(first == RBL_OK || (first == RBL_ERROR_MEMORY && leaves.count == 0));
        const rblResult second = rbl_forest_pairs(&forest, true, rbl_serial_jobs(), &trees);
        assert_true(second == RBL_OK || (second == RBL_ERROR_MEMORY && trees.count == 0));
        done = first == RBL_OK && second == RBL_OK;
        rbl_array_free(&leaves);
        rbl_array_free(&trees);
        assert_int_equal(memory.live, 0);
    }
    rbl_forest_free(&forest);
    for (int i = 0; i < 3; ++i)
    {
        free_soup(&spans[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(overlaps_of_many_trees_match_brute_force),
        cmocka_unit_test(bad_overlap_calls_are_refused),
        cmocka_unit_test(pairs_of_a_forest_are_those_whose_boxes_meet),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
