// The public hierarchy: when its ray trees are made, and that they change no answer.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "rubble/bvh.h"
#include <pthread.h>
#include <string.h>

// A bumpy sheet of 16 x 16 squares at height `level`.
enum
{
    SHEET = 512,
    RAYS = SHEET / 8 // the number of rays from which ray trees pay
};

static rblTriangleSpan sheet(float* corners, float level)
{
    static const int square[6][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
    for (int v = 0; v < 3 * SHEET; ++v)
    {
        const int cell = v / 6;
        const int x = cell % 16 + square[v % 6][0], y = cell / 16 + square[v % 6][1];
        corners[3 * v] = (float)x;
        corners[3 * v + 1] = (float)y;
        corners[3 * v + 2] = level + 0.1f * (float)(x * y % 7);
    }
    return (rblTriangleSpan){
        .positions = corners, .stride = 12, .vertex_count = 3 * SHEET, .triangle_count = SHEET};
}

static void aim_at_sheet(rblRay* rays)
{
    rblRandom random = rbl_random_seed(3, 0);
    for (int i = 0; i < RAYS; ++i)
    {
        const float x = 16.0f * rbl_random_float(&random), y = 16.0f * rbl_random_float(&random);
        rays[i] = (rblRay){{x, y, 50.0f}, {0.2f, -0.1f, -1.0f}, 0.0f, INFINITY};
    }
}

static size_t bytes_of(rblBvhId bvh)
{
    rblBvhStats stats;
    check_ok(rbl_bvh_stats(bvh, &stats));
    return stats.bytes;
}

// Ray trees come with the rays, go with a change, and change no answer.
static void ray_trees_are_made_on_demand(void** state)
{
    (void)state;
    static float corners[9 * SHEET];
    static rblRay rays[RAYS];
    static rblRayHit singly[RAYS], at_once[RAYS];
    static bool any[RAYS];
    aim_at_sheet(rays);
    const rblTriangleSpan span = sheet(corners, 0.0f);
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = &span;
    def.span_count = 1;
    rblBvhId bvh, eager;
    check_ok(rbl_bvh_create(&def, &bvh));
    def.rays = true;
    check_ok(rbl_bvh_create(&def, &eager));
    for (int round = 0; round < 3; ++round)
    {
        const size_t without = bytes_of(bvh);
        const size_t with = bytes_of(eager);
        assert_true(with > without + 36 * SHEET && with < without + 60 * SHEET);
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            assert_int_equal(bytes_of(bvh), without); // RAYS - 1 rays are not enough
            check_ok(rbl_bvh_ray_closest(bvh, &rays[i], 1, &singly[i]));
        }
        assert_int_equal(bytes_of(bvh), with);
        check_ok(rbl_bvh_ray_closest(eager, rays, RAYS, at_once));
        check_ok(rbl_bvh_ray_any(bvh, rays, RAYS, any));
        uint32_t hits = 0;
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            assert_true(singly[i].t == at_once[i].t && singly[i].u == at_once[i].u &&
                        singly[i].v == at_once[i].v && singly[i].triangle == at_once[i].triangle);
            assert_true(any[i] == (singly[i].triangle != RBL_NONE));
            if (any[i])
            {
                check_close(50.0f - singly[i].t, 10.0f * (float)round + 0.3f, 0.31);
                hits += 1;
            }
        }
        assert_true(hits > RAYS / 8);
        sheet(corners, 10.0f * (float)(round + 1));
        if (round == 0)
        {
            check_ok(rbl_bvh_refit(bvh, &span, 1));
            check_ok(rbl_bvh_refit(eager, &span, 1));
            continue;
        }
        check_ok(rbl_bvh_rebuild(eager, &def));
        def.rays = false;
        check_ok(rbl_bvh_rebuild(bvh, &def));
        def.rays = true;
    }
    check_ok(rbl_bvh_destroy(bvh));
    check_ok(rbl_bvh_destroy(eager));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void rays_without_memory_use_the_binary_trees(void** state)
{
    (void)state;
    static float corners[9 * SHEET];
    static rblRay rays[RAYS];
    static rblRayHit expected[RAYS], hits[RAYS];
    aim_at_sheet(rays);
    const rblTriangleSpan span = sheet(corners, 0.0f);
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = &span;
    def.span_count = 1;
    rblBvhId bvh;
    check_ok(rbl_bvh_create(&def, &bvh));
    check_ok(rbl_bvh_ray_closest(bvh, rays, RAYS, expected));
    check_ok(rbl_bvh_destroy(bvh));
    uint32_t refused = 0, lazily = 0;
    for (size_t granted = 0; granted < 40; ++granted)
    {
        def.rays = granted % 2 != 0;
        FailingAllocator memory;
        failing_allocator_start(&memory, granted / 2);
        check_ok(rbl_set_allocator(&memory.allocator));
        if (rbl_bvh_create(&def, &bvh) == RBL_OK)
        {
            check_ok(rbl_bvh_ray_closest(bvh, rays, RAYS, hits));
            lazily += bytes_of(bvh) < 100 * SHEET;
            assert_memory_equal(hits, expected, sizeof hits);
            check_ok(rbl_bvh_destroy(bvh));
        }
        else
        {
            refused += def.rays;
        }
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
    assert_true(refused > 0 && lazily > 0);
}

static void* trace_many_times(void* context)
{
    const rblBvhId bvh = *(const rblBvhId*)context;
    for (int i = 0; i < 100; ++i)
    {
        const rblRay ray = {{8.25f, 8.5f, 50.0f}, {0, 0, -1}, 0.0f, INFINITY};
        rblRayHit hits[4];
        const rblRay four[4] = {ray, ray, ray, ray};
        const rblResult result = rbl_bvh_ray_closest(bvh, four, 4, hits);
        if (result != RBL_OK ? result != RBL_ERROR_BUSY : hits[3].triangle == RBL_NONE)
        {
            return context;
        }
    }
    return NULL;
}

static void threads_may_bring_ray_trees_while_another_refits(void** state)
{
    (void)state;
    static float corners[9 * SHEET];
    const rblTriangleSpan span = sheet(corners, 0.0f);
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = &span;
    def.span_count = 1;
    rblBvhId bvh;
    check_ok(rbl_bvh_create(&def, &bvh));
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(pthread_create(&threads[i], NULL, trace_many_times, &bvh), 0);
    }
    for (int i = 0; i < 50; ++i)
    {
        const rblResult result = rbl_bvh_refit(bvh, &span, 1);
        assert_true(result == RBL_OK || result == RBL_ERROR_BUSY);
    }
    for (int i = 0; i < 3; ++i)
    {
        void* failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    check_ok(rbl_bvh_destroy(bvh));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ray_trees_are_made_on_demand),
        cmocka_unit_test(rays_without_memory_use_the_binary_trees),
        cmocka_unit_test(threads_may_bring_ray_trees_while_another_refits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
