// The order of leaves, odd spans, faults by place, memory: what a build must get right beyond the shape of its tree.
#include "testing.h"

#include "base/random.h"
#include "bvh/bvh.h"
#include "failing_allocator.h"
#include "math/morton.h"
#include <stdlib.h>
#include <string.h>

static const rblBvhQuality qualities[] = {RBL_BVH_FAST, RBL_BVH_BALANCED, RBL_BVH_QUALITY};

static rblJobs* make_jobs(uint32_t workers)
{
    rblJobs* jobs;
    const rblTasks tasks = tasks_of(workers);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    return jobs;
}

// Small triangles about random places, three corners each.
static rblVec3* random_corners(rblRandom* random, uint32_t triangles, double scale)
{
    rblVec3* corners = malloc(sizeof *corners * 3 * triangles);
    for (uint32_t t = 0; t < triangles; ++t)
    {
        double center[3];
        for (int a = 0; a < 3; ++a)
        {
            center[a] = rbl_random_range(random, -1, 1);
        }
        for (uint32_t k = 0; k < 9; ++k)
        {
            (&corners[3 * t].x)[k] = (float)(scale * (center[k % 3] + rbl_random_range(random, -0.01, 0.01)));
        }
    }
    return corners;
}

static rblTriangleSpan span_of(const rblVec3* corners, uint32_t triangles)
{
    return (rblTriangleSpan){.positions = corners,
                             .stride = sizeof *corners,
                             .vertex_count = 3 * triangles,
                             .triangle_count = triangles};
}

static void check_sound(const rblForest* forest, uint32_t tree, const rblTriangleSpan* span)
{
    const rblBvh bvh = rbl_forest_tree(forest, tree);
    assert_int_equal(rbl_tree_find_fault(&bvh, span), UINT32_MAX);
    unsigned char* seen = calloc(span->triangle_count + 1, 1);
    for (uint32_t i = 0; i < span->triangle_count; ++i)
    {
        assert_true(bvh.order[i] < span->triangle_count);
        assert_int_equal(seen[bvh.order[i]]++, 0);
    }
    free(seen);
}

static rblVec3 leaf_center(const rblBvh* bvh, uint32_t leaf)
{
    const rblAabb* box = &bvh->nodes[bvh->level_starts[bvh->layout.leaf_level] + leaf];
    return (rblVec3){0.5f * (box->lower.x + box->upper.x), 0.5f * (box->lower.y + box->upper.y),
                     0.5f * (box->lower.z + box->upper.z)};
}

// ---- order ----

// The code of a triangle on a grid of 2^axis_bits cells, worked out on its own.
static uint64_t code_of(const rblVec3* corner, rblAabb bounds, int axis_bits)
{
    const float cells = (float)(1 << axis_bits);
    float low[3];
    float high[3];
    for (int a = 0; a < 3; ++a)
    {
        low[a] = fminf(fminf((&corner[0].x)[a], (&corner[1].x)[a]), (&corner[2].x)[a]);
        high[a] = fmaxf(fmaxf((&corner[0].x)[a], (&corner[1].x)[a]), (&corner[2].x)[a]);
    }
    const float longest = fmaxf(bounds.upper.x - bounds.lower.x,
                                fmaxf(bounds.upper.y - bounds.lower.y, bounds.upper.z - bounds.lower.z));
    uint32_t cell[3];
    for (int a = 0; a < 3; ++a)
    {
        const float twice = low[a] + high[a];
        const float steps = (twice - 2.0f * (&bounds.lower.x)[a]) * (cells * 0.5f / longest);
        cell[a] = (uint32_t)fminf(steps, cells - 1.0f);
    }
    return rbl_morton63(cell[0], cell[1], cell[2]);
}

static rblAabb bounds_of(const rblVec3* corners, uint32_t count)
{
    rblAabb box = {corners[0], corners[0]};
    for (uint32_t i = 1; i < count; ++i)
    {
        for (int a = 0; a < 3; ++a)
        {
            (&box.lower.x)[a] = fminf((&box.lower.x)[a], (&corners[i].x)[a]);
            (&box.upper.x)[a] = fmaxf((&box.upper.x)[a], (&corners[i].x)[a]);
        }
    }
    return box;
}

// Few, some, enough for buckets, with an outlier that leaves nearly all in one bucket, and so many that 30 bits are not
// enough.
static void fast_order_follows_the_morton_curve(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(11, 0);
    rblJobs* jobs = make_jobs(3);
    const uint32_t counts[] = {1, 2, 31, 32, 33, 900, 5000, 60000, 60000, 2000001};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
    {
        const uint32_t count = counts[c];
        rblVec3* corners = random_corners(&random, count, 1.0);
        for (uint32_t k = 0; k < 3 && c == 8; ++k)
        {
            corners[k].y += 1000.0f;
        }
        const rblTriangleSpan span = span_of(corners, count);
        rblForest forest;
        rbl_forest_init(&forest, rbl_default_allocator());
        check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, jobs));
        check_sound(&forest, 0, &span);
        const rblAabb bounds = bounds_of(corners, 3 * count);
        uint64_t last = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t triangle = forest.order[i];
            const uint64_t code = code_of(&corners[3 * triangle], bounds, count < 2000000 ? 10 : 11);
            const uint64_t key = (code << 30) + triangle + 1;
            assert_true(key > last); // equal codes in the order of the triangles
            last = key;
        }
        rbl_forest_free(&forest);
        free(corners);
    }
    rbl_jobs_destroy(jobs);
}

// Along some axis no leaf of the left child lies beyond one of the right child, but for the steps of the grid.
static bool children_are_parted(const rblBvh* bvh, uint32_t begin, uint32_t half, uint32_t count)
{
    rblAabb sides[2];
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 p = leaf_center(bvh, begin + i);
        rblAabb* side = &sides[i >= half];
        *side = i == 0 || i == half ? (rblAabb){p, p} : *side;
        for (int a = 0; a < 3; ++a)
        {
            (&side->lower.x)[a] = fminf((&side->lower.x)[a], (&p.x)[a]);
            (&side->upper.x)[a] = fmaxf((&side->upper.x)[a], (&p.x)[a]);
        }
    }
    bool parted = false;
    for (int a = 0; a < 3; ++a)
    {
        const float length = fmaxf((&sides[0].upper.x)[a], (&sides[1].upper.x)[a]) -
                             fminf((&sides[0].lower.x)[a], (&sides[1].lower.x)[a]);
        const float slack = 2.0f / 32768.0f + length / 256.0f; // of the whole, and of a node of few leaves
        parted = parted || (&sides[0].upper.x)[a] <= (&sides[1].lower.x)[a] + slack;
    }
    return parted;
}

static void quality_order_parts_every_node_along_an_axis(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(12, 0);
    rblJobs* jobs = make_jobs(2);
    const uint32_t counts[] = {3, 4, 7, 63, 64, 65, 130, 1000, 4097, 40000};
    for (size_t c = 0; c < sizeof counts / sizeof counts[0]; ++c)
    {
        rblVec3* corners = random_corners(&random, counts[c], 1.0);
        const rblTriangleSpan span = span_of(corners, counts[c]);
        rblForest forest;
        rbl_forest_init(&forest, rbl_default_allocator());
        check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_QUALITY, jobs));
        check_sound(&forest, 0, &span);
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        for (uint32_t width = 4; width / 2 < counts[c]; width *= 2)
        {
            for (uint32_t begin = 0; begin + width / 2 < counts[c]; begin += width)
            {
                const uint32_t here = counts[c] - begin < width ? counts[c] - begin : width;
                assert_true(children_are_parted(&bvh, begin, width / 2, here));
            }
        }
        rbl_forest_free(&forest);
        free(corners);
    }
    rbl_jobs_destroy(jobs);
}

// Coordinates on a coarse lattice: whole planes of equal centroids, which bins cannot tell apart.
static void heaps_of_equal_centroids_build_soundly(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(13, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 60; ++round)
    {
        const uint32_t count = 1 + rbl_random_below(&random, 6000);
        const uint32_t places = 1 + rbl_random_below(&random, 5);
        rblVec3* corners = random_corners(&random, count, 1.0);
        for (uint32_t i = 0; i < 9 * count; ++i)
        {
            const uint32_t cell = rbl_random_below(&random, places);
            (&corners[0].x)[i] = cell == 0 ? -1.0f : (float)cell * (round % 2 == 0 ? 1.0f : 1e-3f);
        }
        const rblTriangleSpan span = span_of(corners, count);
        for (size_t q = 0; q < 3; ++q)
        {
            check_ok(rbl_forest_build(&forest, &span, 1, qualities[q], rbl_default_jobs()));
            check_sound(&forest, 0, &span);
        }
        free(corners);
    }
    rbl_forest_free(&forest);
}

// ---- odd numbers and odd spans ----

static double odd_number(rblRandom* random)
{
    static const double numbers[] = {0.0,  -0.0, 1e-45, -1e-45, 1e-40, 1e-20, -1e-20, 1.0,
                                     -1.0, 1e15, -1e15, 9e37,   -9e37, 3.0,   1e-38,  7e14};
    return numbers[rbl_random_below(random, sizeof numbers / sizeof numbers[0])];
}

static void boxes_hold_odd_numbers_of_any_stride_and_width(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(14, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 300; ++round)
    {
        const bool is_double = round % 2 == 1;
        const size_t size = is_double ? sizeof(double) : sizeof(float);
        const size_t stride = size * (3 + rbl_random_below(&random, 3));
        const uint32_t vertices = 3 + rbl_random_below(&random, 200);
        const uint32_t triangles = 1 + rbl_random_below(&random, 300);
        char* positions = malloc(vertices * stride); // exactly: reading past the last vertex would be seen
        memset(positions, 0xFF, vertices * stride);  // what lies between vertices is NaN
        for (uint32_t i = 0; i < 3 * vertices; ++i)
        {
            char* at = positions + i / 3 * stride + i % 3 * size;
            const double x = odd_number(&random);
            const float rounded = (float)x;
            memcpy(at, is_double ? (const void*)&x : (const void*)&rounded, size);
        }
        uint32_t* indices = malloc(sizeof *indices * 3 * triangles);
        for (uint32_t i = 0; i < 3 * triangles; ++i)
        {
            indices[i] = rbl_random_below(&random, vertices);
        }
        const rblTriangleSpan span = {positions, stride, is_double, vertices, indices, triangles};
        for (size_t q = 0; q < 3; ++q)
        {
            check_ok(rbl_forest_build(&forest, &span, 1, qualities[q], rbl_default_jobs()));
            check_sound(&forest, 0, &span);
        }
        free(indices);
        free(positions);
    }
    rbl_forest_free(&forest);
}

// Spans may share vertices and indices, as the parts of one mesh do, and stand beside empty ones.
static void spans_may_share_their_arrays(void** state)
{
    (void)state;
    enum
    {
        TRIANGLES = 900,
        SPANS = 12
    };
    rblRandom random = rbl_random_seed(15, 0);
    rblVec3* corners = random_corners(&random, TRIANGLES, 1.0);
    uint32_t indices[3 * TRIANGLES];
    for (uint32_t i = 0; i < 3 * TRIANGLES; ++i)
    {
        indices[i] = rbl_random_below(&random, 3 * TRIANGLES);
    }
    rblTriangleSpan spans[SPANS];
    for (uint32_t s = 0; s < SPANS; ++s)
    {
        const uint32_t first = rbl_random_below(&random, TRIANGLES);
        spans[s] = span_of(corners, TRIANGLES);
        spans[s].indices = indices + 3 * first;
        spans[s].triangle_count = s % 5 == 3 ? 0 : TRIANGLES - first;
    }
    rblJobs* jobs = make_jobs(2);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (size_t q = 0; q < 3; ++q)
    {
        check_ok(rbl_forest_build(&forest, spans, SPANS, qualities[q], jobs));
        for (uint32_t s = 0; s < SPANS; ++s)
        {
            check_sound(&forest, s, &spans[s]);
        }
    }
    rbl_forest_free(&forest);
    rbl_jobs_destroy(jobs);
    free(corners);
}

// ---- faults ----

typedef struct Faulty
{
    rblVec3* corners;
    uint32_t* indices;
    rblTriangleSpan spans[3]; // small, large, small
} Faulty;

enum
{
    SMALL_COUNT = 300,
    LARGE_COUNT = 50000
};

static Faulty make_faulty(rblRandom* random)
{
    const uint32_t total = 2 * SMALL_COUNT + LARGE_COUNT;
    Faulty faulty = {random_corners(random, total, 1.0), malloc(sizeof(uint32_t) * 3 * LARGE_COUNT), {{0}}};
    for (uint32_t i = 0; i < 3 * LARGE_COUNT; ++i)
    {
        faulty.indices[i] = i;
    }
    const uint32_t counts[3] = {SMALL_COUNT, LARGE_COUNT, SMALL_COUNT};
    const rblVec3* corners = faulty.corners;
    for (int s = 0; s < 3; ++s)
    {
        faulty.spans[s] = span_of(corners, counts[s]);
        faulty.spans[s].indices = faulty.indices;
        corners += 3 * counts[s];
    }
    return faulty;
}

static void check_named(const Faulty* faulty, const char* expected)
{
    for (uint32_t workers = 1; workers <= 4; ++workers)
    {
        rblJobs* jobs = make_jobs(workers);
        for (size_t q = 0; q < 3; ++q)
        {
            rblForest forest;
            rbl_forest_init(&forest, rbl_default_allocator());
            check_fails(RBL_ERROR_ARGUMENT, rbl_forest_build(&forest, faulty->spans, 3, qualities[q], jobs));
            assert_non_null(strstr(rbl_last_error(), expected));
            assert_int_equal(forest.tree_count, 0);
            assert_null(forest.nodes);
        }
        rbl_jobs_destroy(jobs);
    }
}

static void the_first_fault_is_named_whoever_finds_it(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(16, 0);
    Faulty faulty = make_faulty(&random);
    rblVec3* large = faulty.corners + 3 * SMALL_COUNT;
    rblVec3* last = large + 3 * LARGE_COUNT;

    last[17].z = NAN;
    check_named(&faulty, "span 2: vertex 17 ");
    large[140000].y = INFINITY;
    large[99999].x = -INFINITY;
    check_named(&faulty, "span 1: vertex 99999 ");
    large[99999].x = 2e38f; // finite, but sums of two are not
    check_named(&faulty, "span 1: vertex 99999 ");
    faulty.corners[899].x = NAN;
    faulty.corners[3].x = NAN;
    check_named(&faulty, "span 0: vertex 3 ");
    faulty.corners[899].x = faulty.corners[3].x = last[17].z = 0.0f;
    large[99999].x = large[140000].y = 0.0f;

    faulty.indices[3 * 49999 + 2] = 3 * LARGE_COUNT;
    check_named(&faulty, "span 1: triangle 49999 ");
    faulty.indices[3 * 20001 + 1] = UINT32_MAX;
    check_named(&faulty, "span 1: triangle 20001 ");
    faulty.indices[3 * 299] = 3 * SMALL_COUNT; // too large for the small spans only
    check_named(&faulty, "span 0: triangle 299 ");
    faulty.spans[1].stride = 14;
    check_named(&faulty, "span 1: stride");

    free(faulty.corners);
    free(faulty.indices);
}

static void a_refit_that_fails_changes_nothing(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(17, 0);
    const uint32_t count = 400;
    rblVec3* corners = random_corners(&random, count, 1.0);
    rblTriangleSpan spans[2] = {span_of(corners, count), span_of(corners, count)};
    uint32_t indices[1200];
    for (uint32_t i = 0; i < 1200; ++i)
    {
        indices[i] = i;
    }
    spans[1].indices = indices;
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, spans, 2, RBL_BVH_QUALITY, rbl_default_jobs()));
    const size_t size = sizeof *forest.nodes * forest.node_count;
    rblAabb* before = malloc(size);
    memcpy(before, forest.nodes, size);
    corners[5].x += 10.0f;
    indices[700] = 1200;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_refit(&forest, spans, 2, rbl_default_jobs()));
    assert_non_null(strstr(rbl_last_error(), "span 1: triangle 233 "));
    assert_memory_equal(before, forest.nodes, size);
    indices[700] = 700;
    corners[1000].y = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_refit(&forest, spans, 2, rbl_default_jobs()));
    assert_memory_equal(before, forest.nodes, size);
    corners[1000].y = 0.0f;
    spans[0].stride = 4;
    check_fails(RBL_ERROR_ARGUMENT, rbl_forest_refit(&forest, spans, 2, rbl_default_jobs()));
    spans[0].stride = 12;
    check_ok(rbl_forest_refit(&forest, spans, 2, rbl_default_jobs()));
    check_sound(&forest, 0, &spans[0]);
    check_sound(&forest, 1, &spans[1]);
    free(before);
    rbl_forest_free(&forest);
    free(corners);
}

// ---- memory ----

static void every_allocation_may_fail(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(18, 0);
    rblVec3* corners = random_corners(&random, 40000, 1.0);
    const rblTriangleSpan spans[2] = {span_of(corners, 40000), span_of(corners, 100)};
    for (size_t q = 0; q < 3; ++q)
    {
        bool built = false;
        for (size_t granted = 0; !built; ++granted)
        {
            FailingAllocator memory;
            failing_allocator_start(&memory, granted);
            rblForest forest;
            rbl_forest_init(&forest, &memory.allocator);
            const rblResult result = rbl_forest_build(&forest, spans, 2, qualities[q], rbl_default_jobs());
            built = result == RBL_OK;
            assert_true(built || result == RBL_ERROR_MEMORY);
            assert_true(built || memory.live == 0);
            assert_true(granted < 20);
            rbl_forest_free(&forest);
            assert_int_equal(memory.live, 0);
        }
    }
    free(corners);
}

// A scene that is rebuilt and refitted every frame takes nothing more, also when it shrinks in between.
static void rebuilding_allocates_nothing(void** state)
{
    (void)state;
    enum
    {
        SPANS = 305
    };
    rblRandom random = rbl_random_seed(19, 0);
    rblVec3* corners = random_corners(&random, 40000, 1.0);
    rblTriangleSpan spans[SPANS];
    for (uint32_t s = 0; s < SPANS; ++s)
    {
        spans[s] = span_of(corners + 3 * (s * 100), s == 0 ? 40000 : 1 + rbl_random_below(&random, 500));
    }
    for (size_t q = 0; q < 3; ++q)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, 100);
        rblForest forest;
        rbl_forest_init(&forest, &memory.allocator);
        check_ok(rbl_forest_build(&forest, spans, SPANS, qualities[q], rbl_default_jobs()));
        memory.left = 0;
        check_ok(rbl_forest_build(&forest, spans, SPANS, qualities[q], rbl_default_jobs()));
        check_ok(rbl_forest_refit(&forest, spans, SPANS, rbl_default_jobs()));
        check_ok(rbl_forest_build(&forest, spans + 1, 7, qualities[q], rbl_default_jobs()));
        check_ok(rbl_forest_build(&forest, spans, SPANS, qualities[q], rbl_default_jobs()));
        for (uint32_t s = 0; s < SPANS; ++s)
        {
            check_sound(&forest, s, &spans[s]);
        }
        const size_t live = memory.live;
        rbl_forest_free_scratch(&forest);
        assert_true(memory.live < live);
        check_sound(&forest, 0, &spans[0]);
        memory.left = 1;
        check_ok(rbl_forest_refit(&forest, spans, SPANS, rbl_default_jobs()));
        rbl_forest_free(&forest);
        assert_int_equal(memory.live, 0);
    }
    free(corners);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_order_follows_the_morton_curve),
        cmocka_unit_test(quality_order_parts_every_node_along_an_axis),
        cmocka_unit_test(heaps_of_equal_centroids_build_soundly),
        cmocka_unit_test(boxes_hold_odd_numbers_of_any_stride_and_width),
        cmocka_unit_test(spans_may_share_their_arrays),
        cmocka_unit_test(the_first_fault_is_named_whoever_finds_it),
        cmocka_unit_test(a_refit_that_fails_changes_nothing),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(rebuilding_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
