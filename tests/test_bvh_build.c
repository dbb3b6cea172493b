// Builds of the implicit tree: structure, order, refit, forests, bad input.
#include "testing.h"

#include "base/random.h"
#include "bvh/bvh.h"
#include <stdlib.h>
#include <string.h>

typedef struct Soup
{
    float* positions;
    uint32_t* indices;
    rblTriangleSpan span;
} Soup;

static Soup make_soup(uint32_t triangles)
{
    Soup soup = {.positions = malloc(sizeof(float) * (9 * (size_t)triangles + 9)),
                 .indices = malloc(sizeof(uint32_t) * (3 * (size_t)triangles + 3))};
    soup.span = (rblTriangleSpan){.positions = soup.positions,
                                  .stride = 12,
                                  .vertex_count = 3 * triangles,
                                  .indices = soup.indices,
                                  .triangle_count = triangles};
    for (uint32_t i = 0; i < 3 * triangles; ++i)
    {
        soup.indices[i] = i;
    }
    return soup;
}

static void free_soup(Soup* soup)
{
    free(soup->positions);
    free(soup->indices);
}

// Small triangles scattered in a box, at any scale.
static Soup random_soup(rblRandom* random, uint32_t triangles, double scale)
{
    Soup soup = make_soup(triangles);
    for (uint32_t t = 0; t < triangles; ++t)
    {
        double center[3];
        for (int a = 0; a < 3; ++a)
        {
            center[a] = rbl_random_range(random, -1, 1);
        }
        for (int k = 0; k < 9; ++k)
        {
            soup.positions[9 * t + k] =
                (float)(scale * (center[k % 3] + rbl_random_range(random, -0.05, 0.05)));
        }
    }
    return soup;
}

static void check_tree(const rblForest* forest, uint32_t tree, const rblTriangleSpan* span)
{
    const rblBvh bvh = rbl_forest_tree(forest, tree);
    assert_int_equal(rbl_tree_find_fault(&bvh, span), UINT32_MAX);
    // Every triangle in exactly one leaf.
    unsigned char* seen = calloc(span->triangle_count + 1, 1);
    for (uint32_t i = 0; i < span->triangle_count; ++i)
    {
        assert_true(bvh.order[i] < span->triangle_count);
        assert_int_equal(seen[bvh.order[i]]++, 0);
    }
    free(seen);
}

static const rblBvhQuality qualities[] = {RBL_BVH_FAST, RBL_BVH_BALANCED, RBL_BVH_QUALITY};

static void every_build_is_sound_for_every_count_and_scale(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 0);
    const double scales[] = {1.0, 1e-20, 1e15, 1e-38, 1e37};
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 400; ++round)
    {
        const uint32_t count = round < 130 ? round + 1 : 1 + rbl_random_below(&random, 3000);
        Soup soup = random_soup(&random, count, scales[round % 5]);
        for (size_t q = 0; q < 3; ++q)
        {
            check_ok(rbl_forest_build(&forest, &soup.span, 1, qualities[q], rbl_default_jobs()));
            check_tree(&forest, 0, &soup.span);
        }
        free_soup(&soup);
    }
    rbl_forest_free(&forest);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// All equal, all on a line, all in a plane, all a point: order means little, but nothing may break.
static void degenerate_soups_build_soundly(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (int kind = 0; kind < 4; ++kind)
    {
        Soup soup = random_soup(&random, 5000, 1.0);
        for (uint32_t i = 0; i < 3 * soup.span.vertex_count; ++i)
        {
            const uint32_t axis = i % 3;
            float* x = &soup.positions[i];
            *x = kind == 0 ? soup.positions[i % 9] : *x; // all triangles equal
            *x = kind == 1 && axis != 1 ? 0.5f : *x;     // on a line
            *x = kind == 2 && axis == 2 ? -3.0f : *x;    // in a plane
            *x = kind == 3 ? 7.0f : *x;                  // in a point
        }
        for (size_t q = 0; q < 3; ++q)
        {
            check_ok(rbl_forest_build(&forest, &soup.span, 1, qualities[q], rbl_default_jobs()));
            check_tree(&forest, 0, &soup.span);
        }
        free_soup(&soup);
    }
    rbl_forest_free(&forest);
}

static void builds_are_identical_for_any_worker_count(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 0);
    Soup soup = random_soup(&random, 70000, 1.0); // above the size that one worker builds alone
    for (size_t q = 0; q < 3; ++q)
    {
        rblForest reference;
        rbl_forest_init(&reference, rbl_default_allocator());
        check_ok(rbl_forest_build(&reference, &soup.span, 1, qualities[q], rbl_default_jobs()));
        check_tree(&reference, 0, &soup.span);
        for (uint32_t workers = 2; workers <= 5; ++workers)
        {
            rblJobs* jobs;
            const rblTasks tasks = tasks_of(workers);
            check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
            rblForest forest;
            rbl_forest_init(&forest, rbl_default_allocator());
            check_ok(rbl_forest_build(&forest, &soup.span, 1, qualities[q], jobs));
            assert_memory_equal(forest.order, reference.order, sizeof *forest.order * forest.leaf_count);
            assert_memory_equal(forest.nodes, reference.nodes, sizeof *forest.nodes * forest.node_count);
            rbl_forest_free(&forest);
            rbl_jobs_destroy(jobs);
        }
        rbl_forest_free(&reference);
    }
    free_soup(&soup);
}

static void a_forest_equals_its_trees_built_alone(void** state)
{
    (void)state;
    enum
    {
        TREES = 60
    };
    rblRandom random = rbl_random_seed(4, 0);
    Soup soups[TREES];
    rblTriangleSpan spans[TREES];
    for (int i = 0; i < TREES; ++i)
    {
        soups[i] =
            random_soup(&random, i == 7 ? 0 : (i == 20 ? 40000 : 1 + rbl_random_below(&random, 700)), 1.0);
        spans[i] = soups[i].span;
    }
    rblJobs* jobs;
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    for (size_t q = 0; q < 3; ++q)
    {
        rblForest forest, alone;
        rbl_forest_init(&forest, rbl_default_allocator());
        rbl_forest_init(&alone, rbl_default_allocator());
        check_ok(rbl_forest_build(&forest, spans, TREES, qualities[q], jobs));
        for (uint32_t i = 0; i < TREES; ++i)
        {
            check_ok(rbl_forest_build(&alone, &spans[i], 1, qualities[q], rbl_default_jobs()));
            const rblBvh a = rbl_forest_tree(&forest, i);
            const rblBvh b = rbl_forest_tree(&alone, 0);
            assert_int_equal(a.layout.leaves, spans[i].triangle_count);
            if (a.layout.leaves > 0)
            {
                assert_memory_equal(a.order, b.order, sizeof *a.order * a.layout.leaves);
                assert_memory_equal(a.nodes, b.nodes, sizeof *a.nodes * rbl_tree_node_count(&a.layout));
            }
        }
        rbl_forest_free(&forest);
        rbl_forest_free(&alone);
    }
    rbl_jobs_destroy(jobs);
    for (int i = 0; i < TREES; ++i)
    {
        free_soup(&soups[i]);
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void refit_follows_moved_vertices_and_allocates_nothing(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 0);
    Soup soup = random_soup(&random, 2000, 1.0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &soup.span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    const size_t in_use = rbl_bytes_in_use();
    for (int round = 0; round < 5; ++round)
    {
        for (uint32_t i = 0; i < 3 * soup.span.vertex_count; ++i)
        {
            soup.positions[i] += (float)rbl_random_range(&random, -0.1, 0.1);
        }
        check_ok(rbl_forest_refit(&forest, &soup.span, 1, rbl_default_jobs()));
        check_tree(&forest, 0, &soup.span);
        check_ok(rbl_forest_build(&forest, &soup.span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
        assert_int_equal(rbl_bytes_in_use(), in_use);
    }
    rblTriangleSpan fewer = soup.span;
    fewer.triangle_count -= 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_refit(&forest, &fewer, 1, rbl_default_jobs()));
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_refit(&forest, &soup.span, 2, rbl_default_jobs()));
    rbl_forest_free(&forest);
    free_soup(&soup);
}

// Doubles that no float can hold: boxes must still contain them.
static void boxes_over_doubles_are_rounded_outwards(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(6, 0);
    enum
    {
        COUNT = 500
    };
    static double positions[9 * COUNT];
    for (int i = 0; i < 9 * COUNT; ++i)
    {
        positions[i] = i % 50 == 0 ? 0.0 : rbl_random_range(&random, -1, 1) * (i % 7 == 0 ? 1e-44 : 1e3);
    }
    const rblTriangleSpan span = {.positions = positions,
                                  .stride = 24,
                                  .is_double = true,
                                  .vertex_count = 3 * COUNT,
                                  .triangle_count = COUNT};
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_default_jobs()));
    check_tree(&forest, 0, &span);
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    for (uint32_t leaf = 0; leaf < COUNT; ++leaf)
    {
        const rblAabb* box = &bvh.nodes[bvh.level_starts[bvh.layout.leaf_level] + leaf];
        for (int k = 0; k < 9; ++k)
        {
            const double x = positions[9 * bvh.order[leaf] + k];
            assert_true((double)(&box->lower.x)[k % 3] <= x && x <= (double)(&box->upper.x)[k % 3]);
        }
    }
    rbl_forest_free(&forest);
}

static void quality_order_beats_morton_order(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 0);
    Soup soup = random_soup(&random, 20000, 1.0);
    double sah[3];
    for (size_t q = 0; q < 3; ++q)
    {
        rblForest forest;
        rbl_forest_init(&forest, rbl_default_allocator());
        check_ok(rbl_forest_build(&forest, &soup.span, 1, qualities[q], rbl_default_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        sah[q] = rbl_tree_sah(&bvh);
        rbl_forest_free(&forest);
    }
    assert_true(sah[2] < sah[1] && sah[1] < sah[0]);
    assert_true(sah[2] < 0.7 * sah[0]);
    free_soup(&soup);
}

static void bad_spans_are_refused_by_place(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(8, 0);
    Soup soup = random_soup(&random, 10, 1.0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    rblTriangleSpan spans[2] = {soup.span, soup.span};

    soup.positions[40] = NAN;
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_forest_build(&forest, &soup.span, 1, RBL_BVH_FAST, rbl_default_jobs()));
    assert_non_null(strstr(rbl_last_error(), "vertex 13"));
    soup.positions[40] = -INFINITY;
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_forest_build(&forest, &soup.span, 1, RBL_BVH_FAST, rbl_default_jobs()));
    soup.positions[40] = 0.0f;

    soup.indices[20] = 30;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_build(&forest, spans, 2, RBL_BVH_FAST, rbl_default_jobs()));
    assert_non_null(strstr(rbl_last_error(), "triangle 6"));
    soup.indices[20] = 20;

    spans[1].stride = 10;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_build(&forest, spans, 2, RBL_BVH_FAST, rbl_default_jobs()));
    assert_non_null(strstr(rbl_last_error(), "span 1"));
    spans[1] = soup.span;
    spans[1].positions = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_build(&forest, spans, 2, RBL_BVH_FAST, rbl_default_jobs()));
    spans[1] = soup.span;
    spans[1].positions = (const char*)soup.positions + 2;
    spans[1].vertex_count -= 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_build(&forest, spans, 2, RBL_BVH_FAST, rbl_default_jobs()));
    assert_non_null(strstr(rbl_last_error(), "span 1: positions and indices must be aligned"));
    spans[1] = soup.span;
    spans[1].indices = NULL;
    spans[1].triangle_count = 11;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_build(&forest, spans, 2, RBL_BVH_FAST, rbl_default_jobs()));
    spans[1].triangle_count = RBL_MAX_LEAVES + 1;
    check_fails(RBL_ERROR_LIMIT, rbl_forest_build(&forest, spans, 2, RBL_BVH_FAST, rbl_default_jobs()));
    assert_int_equal(forest.tree_count, 0);
    free_soup(&soup);
}

static void nothing_is_a_valid_forest(void** state)
{
    (void)state;
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, NULL, 0, RBL_BVH_FAST, rbl_default_jobs()));
    const rblTriangleSpan empty = {0};
    check_ok(rbl_forest_build(&forest, &empty, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    assert_int_equal(bvh.layout.leaves, 0);
    assert_true(rbl_tree_sah(&bvh) == 0.0);
    assert_int_equal(rbl_tree_find_fault(&bvh, &empty), UINT32_MAX);
    rbl_forest_free(&forest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_build_is_sound_for_every_count_and_scale),
        cmocka_unit_test(degenerate_soups_build_soundly),
        cmocka_unit_test(builds_are_identical_for_any_worker_count),
        cmocka_unit_test(a_forest_equals_its_trees_built_alone),
        cmocka_unit_test(refit_follows_moved_vertices_and_allocates_nothing),
        cmocka_unit_test(boxes_over_doubles_are_rounded_outwards),
        cmocka_unit_test(quality_order_beats_morton_order),
        cmocka_unit_test(bad_spans_are_refused_by_place),
        cmocka_unit_test(nothing_is_a_valid_forest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
