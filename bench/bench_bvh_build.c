// Building and refitting trees over noisy spheres.
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "base/timer.h"
#include <stdio.h>

static const char* const quality_names[] = {"fast", "balanced", "quality"};

// Embree's Morton builder is the peer of the fast build, its SAH builder that of the others. FCL and Bullet have one
// builder each, far slower than either.
static const char* const peer_metrics[3][2] = {
    {"build low", "build"}, {"build medium", NULL}, {"build medium", NULL}};

typedef struct BuildWork
{
    rblForest forest;
    rblTriangleSpan span;
    rblBvhQuality quality;
    rblJobs* jobs;
} BuildWork;

static rblResult build(void* context)
{
    BuildWork* work = context;
    return rbl_forest_build(&work->forest, &work->span, 1, work->quality, work->jobs);
}

static rblResult refit(void* context)
{
    BuildWork* work = context;
    return rbl_forest_refit(&work->forest, &work->span, 1, work->jobs);
}

// What any build must move: the input read once, the tree written once.
static double min_bytes(const BuildWork* work)
{
    const double input = 12.0 * work->span.vertex_count + 12.0 * work->span.triangle_count;
    const double output =
        (double)sizeof *work->forest.nodes * work->forest.node_count +
        (double)(sizeof *work->forest.order + sizeof *work->forest.triangles) * work->forest.leaf_count;
    return input + output;
}

static void report_tree(rblBvhBench* bench, const BuildWork* work, const char* subject, size_t held)
{
    const rblBvh tree = rbl_forest_tree(&work->forest, 0);
    const double triangles = work->span.triangle_count;
    const double bytes = (double)sizeof *work->forest.nodes * work->forest.node_count +
                         (double)sizeof *work->forest.order * work->forest.leaf_count;
    char metric[64];
    const char* name = quality_names[work->quality];
    if (work->quality == RBL_BVH_FAST)
    {
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                              .metric = "nodes and order",
                                              .value = bytes / triangles,
                                              .unit = "bytes/triangle",
                                              .peer_metrics = {"memory"}});
        // Embree's leaves hold their triangles too.
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                              .metric = "nodes, order and copied triangles",
                                              .value = bytes / triangles + sizeof *work->forest.triangles,
                                              .unit = "bytes/triangle",
                                              .peer_metrics = {"memory low"}});
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                              .metric = "all memory held, scratch too",
                                              .value = (double)held / triangles,
                                              .unit = "bytes/triangle"});
    }
    snprintf(metric, sizeof metric, "SAH, %s", name);
    rbl_bvh_bench_row(
        bench,
        &(rblBvhRow){.subject = subject, .metric = metric, .value = rbl_tree_sah(&tree), .unit = "cost"});
}

static void report_time(rblBvhBench* bench, const BuildWork* work, const char* subject, uint32_t thread,
                        double seconds)
{
    const char* name = quality_names[work->quality];
    const double triangles = work->span.triangle_count;
    char metric[64];
    snprintf(metric, sizeof metric, "build, %s", name);
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                          .metric = metric,
                                          .threads = thread + 1,
                                          .value = 1e3 * seconds,
                                          .unit = "ms",
                                          .peer_metrics = {peer_metrics[work->quality][0],
                                                           peer_metrics[work->quality][1]}});
    snprintf(metric, sizeof metric, "build rate, %s", name);
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                          .metric = metric,
                                          .threads = thread + 1,
                                          .value = 1e-6 * triangles / seconds,
                                          .unit = "Mtri/s"});
    snprintf(metric, sizeof metric, "over the memory roofline, %s", name);
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                          .metric = metric,
                                          .threads = thread + 1,
                                          .value = seconds * bench->bandwidth[thread] / min_bytes(work),
                                          .unit = "times"});
}

static rblResult measure_quality(rblBvhBench* bench, BuildWork* work, const char* subject)
{
    char metric[64];
    char stage[96];
    snprintf(stage, sizeof stage, "building %s, %s", subject, quality_names[work->quality]);
    rbl_bench_stage(bench->bench, stage);
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        work->jobs = bench->jobs[t];
        rbl_forest_free(&work->forest);
        rbl_forest_init(&work->forest, rbl_default_allocator());
        const size_t before = rbl_bytes_in_use();
        const double start = rbl_timer_seconds();
        RBL_TRY(build(work));
        const double first = rbl_timer_seconds() - start;
        double seconds;
        RBL_TRY(rbl_bvh_bench_best(bench, build, work, &seconds));
        report_time(bench, work, subject, t, seconds);
        snprintf(metric, sizeof metric, "first build, %s", quality_names[work->quality]);
        rbl_bvh_bench_row(
            bench,
            &(rblBvhRow){
                .subject = subject, .metric = metric, .threads = t + 1, .value = 1e3 * first, .unit = "ms"});
        if (t == 0)
        {
            report_tree(bench, work, subject, rbl_bytes_in_use() - before);
        }
    }
    return RBL_OK;
}

static rblResult measure_refit(rblBvhBench* bench, BuildWork* work, const char* subject)
{
    rbl_bvh_bench_ask(bench, NULL, "refit", 0);
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        double seconds;
        work->jobs = bench->jobs[t];
        RBL_TRY(rbl_bvh_bench_best(bench, refit, work, &seconds));
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                              .metric = "refit",
                                              .threads = t + 1,
                                              .value = 1e3 * seconds,
                                              .unit = "ms",
                                              .peer_metrics = {"refit"}});
    }
    return RBL_OK;
}

typedef struct BuildCase
{
    const char* subject;
    uint32_t frequency;
    bool shuffled;
    bool refitted;
    const char* peer; // null: all
} BuildCase;

static const BuildCase build_cases[] = {
    {"sphere 10k", RBL_BENCH_SPHERE_10K, false, false, NULL},
    {"sphere 100k", RBL_BENCH_SPHERE_100K, false, false, NULL},
    {"sphere 1M", RBL_BENCH_SPHERE_1M, false, true, NULL},
    {"sphere 1M in random order", RBL_BENCH_SPHERE_1M, true, false, "embree"},
    {"sphere 4M", RBL_BENCH_SPHERE_4M, false, false, "embree"},
};

static rblResult measure_all(rblBvhBench* bench, const BuildCase* one, BuildWork* work)
{
    rbl_bvh_bench_ask(bench, one->peer, "build", 0);
    for (uint32_t q = RBL_BVH_FAST; q <= RBL_BVH_QUALITY; ++q)
    {
        work->quality = (rblBvhQuality)q;
        RBL_TRY(measure_quality(bench, work, one->subject));
    }
    return one->refitted ? measure_refit(bench, work, one->subject) : RBL_OK;
}

rblResult rbl_bench_bvh_build(rblBvhBench* bench)
{
    for (size_t i = 0; i < sizeof build_cases / sizeof *build_cases; ++i)
    {
        const BuildCase* one = &build_cases[i];
        const uint32_t frequency = rbl_bench_size(bench->bench, one->frequency, 3);
        rblBenchMesh mesh;
        rbl_bench_stage(bench->bench, "making a sphere");
        RBL_TRY(rbl_bench_make_sphere(frequency, 1, (rblVec3){0.0f, 0.0f, 0.0f}, &mesh));
        if (one->shuffled)
        {
            rbl_bench_shuffle_triangles(&mesh, 1);
        }
        BuildWork work = {.span = rbl_bench_mesh_span(&mesh)};
        rbl_forest_init(&work.forest, rbl_default_allocator());
        rblResult result = rbl_bvh_bench_write_mesh(bench, 0, &mesh);
        result = result == RBL_OK ? measure_all(bench, one, &work) : result;
        rbl_forest_free(&work.forest);
        rbl_bench_mesh_free(&mesh);
        RBL_TRY(result);
    }
    return RBL_OK;
}
