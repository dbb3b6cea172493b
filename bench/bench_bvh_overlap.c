// All pairs of triangles that meet, of two meshes and of one with itself, beside Embree, FCL and Bullet.
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "bvh/query/intersect.h"
#include <math.h>

typedef struct OverlapWork
{
    rblForest forest;
    rblTriangleSpan spans[2];
    rblTreePair pair;
    rblIntersectOptions options;
    rblOverlapCounters counters;
    rblTrianglePairArray found;
    rblJobs* jobs;
} OverlapWork;

static rblResult intersect(void* context)
{
    OverlapWork* work = context;
    const rblOverlapScene scene = {&work->forest, work->spans, &work->pair, 1};
    rbl_array_clear(&work->found);
    return rbl_overlap_triangles(&scene, &work->options, work->jobs, &work->found, &work->counters);
}

static rblResult measure_trees(rblBvhBench* bench, const char* subject, const char* metric, OverlapWork* work)
{
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        double seconds;
        work->jobs = bench->jobs[t];
        RBL_TRY(rbl_bvh_bench_best(bench, intersect, work, &seconds));
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                              .metric = metric,
                                              .threads = t + 1,
                                              .value = 1e3 * seconds,
                                              .unit = "ms",
                                              .peer_metrics = {"pairs"},
                                              .count = (double)work->found.count});
    }
    return RBL_OK;
}

// How much of it the triangle tests take, on one worker: asking for the time costs some.
static rblResult measure_tests(rblBvhBench* bench, const char* subject, OverlapWork* work)
{
    work->jobs = bench->jobs[0];
    work->options.time_triangles = true;
    double least = (double)INFINITY;
    for (uint32_t run = 0; run < rbl_bench_size(bench->bench, 5, 1); ++run)
    {
        RBL_TRY(intersect(work));
        least = work->counters.triangle_seconds < least ? work->counters.triangle_seconds : least;
    }
    work->options.time_triangles = false;
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                          .metric = "of which triangle tests",
                                          .threads = 1,
                                          .value = 1e3 * least,
                                          .unit = "ms"});
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                          .metric = "found",
                                          .value = (double)work->found.count,
                                          .unit = "pairs"});
    return RBL_OK;
}

static rblResult measure_all(rblBvhBench* bench, const char* subject, OverlapWork* work, uint32_t count)
{
    RBL_TRY(rbl_forest_build(&work->forest, work->spans, count, RBL_BVH_FAST, bench->jobs[1]));
    RBL_TRY(measure_trees(bench, subject, "triangle pairs, fast trees", work));
    RBL_TRY(rbl_forest_build(&work->forest, work->spans, count, RBL_BVH_QUALITY, bench->jobs[1]));
    RBL_TRY(measure_trees(bench, subject, "triangle pairs, quality trees", work));
    work->options.pairs_only = true; // which is all that the peers find out
    RBL_TRY(measure_trees(bench, subject, "the same without segments", work));
    work->options.pairs_only = false;
    return measure_tests(bench, subject, work);
}

// Two meshes; of one, the mesh with itself.
static rblResult measure(rblBvhBench* bench, const char* subject, const rblBenchMesh* meshes, uint32_t count)
{
    const rblAllocator* allocator = rbl_default_allocator();
    OverlapWork work = {.pair = {0, count - 1}, .options = rbl_default_intersect_options()};
    for (uint32_t i = 0; i < count; ++i)
    {
        work.spans[i] = rbl_bench_mesh_span(&meshes[i]);
        RBL_TRY(rbl_bvh_bench_write_mesh(bench, i, &meshes[i]));
    }
    rbl_bvh_bench_ask(bench, NULL, count == 2 ? "overlap" : "self", count - 1);
    rbl_bench_stage(bench->bench, subject);
    RBL_TRY(rbl_overlap_workspace_create(allocator, &work.options.overlap.workspace));
    rbl_forest_init(&work.forest, allocator);
    rbl_array_init(&work.found, allocator);
    const rblResult result = measure_all(bench, subject, &work, count);
    rbl_array_free(&work.found);
    rbl_forest_free(&work.forest);
    rbl_overlap_workspace_destroy(work.options.overlap.workspace);
    return result;
}

static rblResult measure_spheres(rblBvhBench* bench, const char* subject, uint32_t frequency)
{
    rblBenchMesh meshes[2] = {{0}, {0}};
    const uint32_t size = rbl_bench_size(bench->bench, frequency, 4);
    rblResult result = rbl_bench_make_sphere(size, 1, (rblVec3){0.0f, 0.0f, 0.0f}, &meshes[0]);
    result =
        result == RBL_OK ? rbl_bench_make_sphere(size, 2, (rblVec3){1.75f, 0.2f, 0.1f}, &meshes[1]) : result;
    result = result == RBL_OK ? measure(bench, subject, meshes, 2) : result;
    rbl_bench_mesh_free(&meshes[0]);
    rbl_bench_mesh_free(&meshes[1]);
    return result;
}

// A bunny and itself moved by a fiftieth of its size.
static rblResult measure_bunnies(rblBvhBench* bench)
{
    rblBenchMesh meshes[2] = {{0}, {0}};
    rblResult result = RBL_OK;
    if (!rbl_bench_quick(bench->bench) && rbl_bench_load_model(bench->bench, "bunny_75k.off", &meshes[0]) &&
        rbl_bench_load_model(bench->bench, "bunny_75k.off", &meshes[1]))
    {
        const rblAabb box = rbl_bench_mesh_bounds(&meshes[0]);
        const float step = 0.02f * (box.upper.x - box.lower.x);
        rbl_bench_mesh_move(&meshes[1], (rblVec3){step, 0.5f * step, 0.25f * step});
        result = measure(bench, "B: bunny with itself moved 2 %", meshes, 2);
    }
    rbl_bench_mesh_free(&meshes[0]);
    rbl_bench_mesh_free(&meshes[1]);
    return result;
}

static rblResult measure_sheet(rblBvhBench* bench)
{
    rblBenchMesh sheet;
    RBL_TRY(rbl_bench_make_sheet(rbl_bench_size(bench->bench, 224, 12), &sheet));
    const rblResult result = measure(bench, "crumpled sheet 100k with itself", &sheet, 1);
    rbl_bench_mesh_free(&sheet);
    return result;
}

rblResult rbl_bench_bvh_overlap(rblBvhBench* bench)
{
    RBL_TRY(measure_spheres(bench, "A: two spheres 100k", RBL_BENCH_SPHERE_100K));
    RBL_TRY(measure_bunnies(bench));
    RBL_TRY(measure_spheres(bench, "C: two spheres 1M", RBL_BENCH_SPHERE_1M));
    return measure_sheet(bench);
}
