// Rays through a noisy sphere of a million triangles, beside Embree and Bullet on the same rays.
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "base/random.h"
#include "base/timer.h"
#include "bvh/query/ray.h"
#include <math.h>
#include <stdio.h>

typedef struct RayWork
{
    rblForest forest;
    rblBvh tree;
    rblRayTree wide;
    rblRay* rays;
    uint32_t count;
    bool any;
    uint32_t hits[RBL_MAX_BLOCKS];
    rblJobs* jobs;
} RayWork;

static void trace_range(rblRange range, void* context)
{
    RayWork* work = context;
    uint32_t hits = 0;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblRayHit hit;
        hits += work->any ? rbl_ray_tree_any(&work->tree, &work->wide, &work->rays[i])
                          : rbl_ray_tree_closest(&work->tree, &work->wide, &work->rays[i], &hit);
    }
    work->hits[range.block] = hits;
}

static rblResult trace(void* context)
{
    RayWork* work = context;
    rbl_parallel_for(work->jobs, work->count, 256, trace_range, work);
    return RBL_OK;
}

static double sum_of_hits(const RayWork* work)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < rbl_block_count(work->count, 256); ++i)
    {
        sum += work->hits[i];
    }
    return sum;
}

// From a camera, row by row.
static void aim_coherent(rblRay* rays, uint32_t side)
{
    for (uint32_t i = 0; i < side * side; ++i)
    {
        const float x = ((float)(i % side) + 0.5f) / (float)side - 0.5f;
        const float y = ((float)(i / side) + 0.5f) / (float)side - 0.5f;
        rays[i] = (rblRay){{0.3f, 0.5f, 4.0f}, {0.7f * x - 0.07f, 0.7f * y - 0.12f, -1.0f}, 0.0f, 100.0f};
    }
}

static rblVec3 random_point(rblRandom* random, float reach)
{
    const float x = reach * (2.0f * rbl_random_float(random) - 1.0f);
    const float y = reach * (2.0f * rbl_random_float(random) - 1.0f);
    const float z = reach * (2.0f * rbl_random_float(random) - 1.0f);
    return (rblVec3){x, y, z};
}

// Between random points of the box around the sphere.
static void aim_random(rblRay* rays, uint32_t count)
{
    rblRandom random = rbl_random_seed(7, 0);
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 from = random_point(&random, 1.2f);
        const rblVec3 to = random_point(&random, 1.2f);
        rays[i] = (rblRay){from, {to.x - from.x, to.y - from.y, to.z - from.z}, 0.0f, 1.0f};
    }
}

static rblResult build_rays(void* context)
{
    RayWork* work = context;
    return rbl_ray_tree_build(&work->wide, &work->tree, work->jobs);
}

// The time and memory of the ray tree itself.
static rblResult measure_ray_tree(rblBvhBench* bench, RayWork* work, const char* quality)
{
    char metric[64];
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        double seconds;
        work->jobs = bench->jobs[t];
        snprintf(metric, sizeof metric, "ray tree, %s", quality);
        RBL_TRY(rbl_bvh_bench_best(bench, build_rays, work, &seconds));
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = "sphere 1M",
                                              .metric = metric,
                                              .threads = t + 1,
                                              .value = 1e3 * seconds,
                                              .unit = "ms"});
    }
    const double bytes = (double)(sizeof(rblRayNode) * work->wide.node_count) +
                         (double)(sizeof(rblRayBlock) * work->wide.block_count);
    snprintf(metric, sizeof metric, "memory of the ray tree, %s", quality);
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = "sphere 1M",
                                          .metric = metric,
                                          .value = bytes / (double)work->tree.layout.leaves,
                                          .unit = "bytes/triangle"});
    return RBL_OK;
}

// With one thread the shortest time of each part of the rays counts, summed over the parts: a part is shorter than the
// time slice of a busy machine. `rubble-peers` does the same.
static double best_of_parts(const rblBvhBench* bench, RayWork* work)
{
    enum
    {
        PART = 1024,
        PARTS = 256 // of 512 x 512 rays
    };
    double best[PARTS];
    const bool quick = rbl_bench_quick(bench->bench);
    const double begin = rbl_timer_seconds();
    for (uint32_t run = 0; run < (quick ? 1u : 16u) || (!quick && rbl_timer_seconds() - begin < 0.25); ++run)
    {
        uint32_t hits = 0;
        for (uint32_t part = 0; part * PART < work->count; ++part)
        {
            const uint32_t first = part * PART;
            const rblRange range = {first, first + PART < work->count ? first + PART : work->count, 0, 0};
            const double start = rbl_timer_seconds();
            trace_range(range, work);
            const double taken = rbl_timer_seconds() - start;
            best[part] = run == 0 || taken < best[part] ? taken : best[part];
            hits += work->hits[0];
        }
        work->hits[0] = hits;
    }
    double sum = 0.0;
    for (uint32_t part = 0; part * PART < work->count; ++part)
    {
        sum += best[part];
    }
    for (uint32_t i = 1; i < rbl_block_count(work->count, 256); ++i)
    {
        work->hits[i] = 0;
    }
    return sum;
}

static rblResult measure(rblBvhBench* bench, RayWork* work, const char* kind, const char* quality)
{
    // rblRay is eight floats in the order that peers read.
    for (uint32_t i = 0; i < 2 * RBL_BVH_BENCH_THREADS; ++i)
    {
        const uint32_t t = i / 2;
        char metric[64];
        double seconds;
        work->any = i % 2 != 0;
        work->jobs = bench->jobs[t];
        snprintf(metric, sizeof metric, "%s rays, %s, %s", kind, work->any ? "any" : "closest", quality);
        rbl_bench_stage(bench->bench, metric);
        if (t == 0)
        {
            seconds = best_of_parts(bench, work);
        }
        else
        {
            RBL_TRY(rbl_bvh_bench_best(bench, trace, work, &seconds));
        }
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = "sphere 1M",
                                              .metric = metric,
                                              .threads = t + 1,
                                              .value = 1e-6 * work->count / seconds,
                                              .unit = "Mrays/s",
                                              .peer_metrics = {work->any ? "any" : "closest"},
                                              .amount = 1e-6 * work->count,
                                              .count = sum_of_hits(work)});
    }
    return RBL_OK;
}

static rblResult measure_all(rblBvhBench* bench, RayWork* work, const rblTriangleSpan* span, uint32_t side)
{
    static const char* const qualities[] = {"fast tree", "balanced tree", "quality tree"};
    for (uint32_t kind = 0; kind < 2; ++kind)
    {
        // Incoherent rays are many times slower.
        work->count = kind == 0 ? side * side : side * side / 4;
        if (kind == 0)
        {
            aim_coherent(work->rays, side);
        }
        else
        {
            aim_random(work->rays, work->count);
        }
        RBL_TRY(rbl_bvh_bench_write_table(bench, &work->rays[0].origin.x, work->count, 8));
        rbl_bvh_bench_ask(bench, NULL, "rays", 2);
        for (uint32_t q = RBL_BVH_FAST; q <= RBL_BVH_QUALITY; q += 2)
        {
            RBL_TRY(rbl_forest_build(&work->forest, span, 1, (rblBvhQuality)q, bench->jobs[1]));
            work->tree = rbl_forest_tree(&work->forest, 0);
            RBL_TRY(kind == 0 ? measure_ray_tree(bench, work, qualities[q])
                              : rbl_ray_tree_build(&work->wide, &work->tree, bench->jobs[1]));
            RBL_TRY(measure(bench, work, kind == 0 ? "coherent" : "random", qualities[q]));
        }
    }
    return RBL_OK;
}

rblResult rbl_bench_bvh_rays(rblBvhBench* bench)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t side = rbl_bench_size(bench->bench, 512, 8);
    RayWork work = {.count = 0};
    rblBenchMesh mesh;
    RBL_TRY(rbl_bench_make_sphere(rbl_bench_size(bench->bench, RBL_BENCH_SPHERE_1M, 4), 1,
                                  (rblVec3){0.0f, 0.0f, 0.0f}, &mesh));
    rbl_forest_init(&work.forest, allocator);
    rbl_ray_tree_init(&work.wide, allocator);
    work.rays = RBL_NEW_ARRAY(allocator, rblRay, (size_t)side * side);
    const rblTriangleSpan span = rbl_bench_mesh_span(&mesh);
    rblResult result = work.rays == NULL ? rbl_fail_memory() : rbl_bvh_bench_write_mesh(bench, 0, &mesh);
    result = result == RBL_OK ? measure_all(bench, &work, &span, side) : result;
    RBL_FREE_ARRAY(allocator, work.rays, (size_t)side * side);
    rbl_ray_tree_free(&work.wide);
    rbl_forest_free(&work.forest);
    rbl_bench_mesh_free(&mesh);
    return result;
}
