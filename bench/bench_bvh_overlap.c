// All pairs of triangles that meet, of two meshes and of one with itself, beside Embree, FCL and Bullet.
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "bvh/overlap.h"

typedef struct OverlapWork
{
    rblForest forest;
    rblTreePair pair;
    rblLeafPairArray found;
    rblOverlapOptions options;
    rblJobs* jobs;
} OverlapWork;

static rblResult traverse(void* context)
{
    OverlapWork* work = context;
    rbl_array_clear(&work->found);
    return rbl_overlap_leaves(&work->forest, &work->pair, 1, &work->options, work->jobs, &work->found, NULL);
}

static rblResult measure_tree(rblBvhBench* bench, const char* subject, OverlapWork* work)
{
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        double seconds;
        work->jobs = bench->jobs[t];
        RBL_TRY(rbl_bvh_bench_best(bench, traverse, work, &seconds));
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                              .metric = "pairs of leaves",
                                              .threads = t + 1,
                                              .value = 1e3 * seconds,
                                              .unit = "ms"});
    }
    return RBL_OK;
}

// Two meshes; of one, the mesh with itself.
static rblResult measure(rblBvhBench* bench, const char* subject, const rblBenchMesh* meshes, uint32_t count)
{
    OverlapWork work = {.pair = {0, count - 1}, .options = rbl_default_overlap_options()};
    rblTriangleSpan spans[2];
    rblResult result = RBL_OK;
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        spans[i] = rbl_bench_mesh_span(&meshes[i]);
        result = rbl_bvh_bench_write_mesh(bench, i, &meshes[i]);
    }
    RBL_TRY(result);
    rbl_bvh_bench_ask(bench, NULL, count == 2 ? "overlap" : "self", count - 1);
    rbl_bench_stage(bench->bench, subject);
    rbl_forest_init(&work.forest, rbl_default_allocator());
    rbl_array_init(&work.found, rbl_default_allocator());
    result = rbl_forest_build(&work.forest, spans, count, RBL_BVH_QUALITY, bench->jobs[1]);
    result = result == RBL_OK ? measure_tree(bench, subject, &work) : result;
    rbl_array_free(&work.found);
    rbl_forest_free(&work.forest);
    return result;
}

static rblResult measure_spheres(rblBvhBench* bench, const char* subject, uint32_t frequency)
{
    rblBenchMesh meshes[2] = {{0}, {0}};
    const uint32_t size = rbl_bench_size(bench->bench, frequency, 4);
    rblResult result = rbl_bench_make_sphere(size, 1, (rblVec3){0.0f, 0.0f, 0.0f}, &meshes[0]);
    result =
        result == RBL_OK ? rbl_bench_make_sphere(size, 2, (rblVec3){1.1f, 0.3f, 0.2f}, &meshes[1]) : result;
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
