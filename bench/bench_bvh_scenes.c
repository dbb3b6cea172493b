// The scenes that Chitalu 2020 measures (ch. 2.7 and 3.7): many small trees in one pass, rebuilding and overlapping per
// frame, and what entry level and depth step do to the frontier.
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "bvh/query/intersect.h"
#include <math.h>
#include <stdio.h>

typedef struct Scene
{
    const char* name;
    const char* model;
    bool
        apart; // its parts are bodies of their own, tested with each other; else one mesh, tested with itself
    // Table 3.2 and Fig. 3.12, on a GTX 1080: all in, and what the text says of it (28-40 % build, 48-52 % broad phase;
    // n-body: over 95 % and about 5 %).
    double paper_total, paper_build, paper_traversal;
    double paper_megabytes;
} Scene;

static const Scene scenes[] = {
    {"cloth-ball", "unc/cloth_ball_93.ply", false, 1.9, 0.34 * 1.9, 0.5 * 1.9, 85.0},
    {"funnel", "unc/funnel_228.ply", false, 0.6, 0.34 * 0.6, 0.5 * 0.6, 8.53},
    {"n-body", "unc/nbody_18.ply", true, 3.62, 3.4, 0.05 * 3.62, 15.1},
};

typedef struct SceneWork
{
    const rblTriangleSpan* spans;
    uint32_t span_count;
    rblForest forest;
    rblForest* apart; // one per span, for building them one by one
    rblTreePair* pairs;
    uint32_t pair_count;
    rblOverlapOptions options;
    rblOverlapCounters counters;
    rblLeafPairArray found;
    rblTreePairArray near; // trees whose boxes meet
    rblTrianglePairArray meeting;
    rblIntersectOptions exact;
    double triangle_seconds; // the least so far
    rblJobs* jobs;
} SceneWork;

static rblResult build_together(void* context)
{
    SceneWork* work = context;
    return rbl_forest_build(&work->forest, work->spans, work->span_count, RBL_BVH_FAST, work->jobs);
}

// Each into memory of its own: trees that are written over one another would not be there in the end.
static rblResult build_one_by_one(void* context)
{
    SceneWork* work = context;
    for (uint32_t i = 0; i < work->span_count; ++i)
    {
        RBL_TRY(rbl_forest_build(&work->apart[i], work->spans + i, 1, RBL_BVH_FAST, work->jobs));
    }
    return RBL_OK;
}

static rblResult refit(void* context)
{
    SceneWork* work = context;
    return rbl_forest_refit(&work->forest, work->spans, work->span_count, work->jobs);
}

static rblResult traverse(void* context)
{
    SceneWork* work = context;
    rbl_array_clear(&work->found);
    return rbl_overlap_leaves(&work->forest, work->pairs, work->pair_count, &work->options, work->jobs,
                              &work->found, &work->counters);
}

// What a frame does after its trees are up to date: which trees are near each other, and which triangles meet.
static rblResult collide(void* context)
{
    SceneWork* work = context;
    rbl_array_clear(&work->near);
    rbl_array_clear(&work->meeting);
    RBL_TRY(rbl_forest_pairs(&work->forest, work->span_count == 1, work->jobs, &work->near));
    const rblOverlapScene scene = {&work->forest, work->spans, work->near.data, (uint32_t)work->near.count};
    RBL_TRY(rbl_overlap_triangles(&scene, &work->exact, work->jobs, &work->meeting, &work->counters));
    const double seconds = work->counters.triangle_seconds;
    work->triangle_seconds = seconds < work->triangle_seconds ? seconds : work->triangle_seconds;
    return RBL_OK;
}

static rblResult open_work(SceneWork* work, const rblTriangleSpan* spans, uint32_t count)
{
    const rblAllocator* allocator = rbl_default_allocator();
    *work = (SceneWork){.spans = spans, .span_count = count, .options = rbl_default_overlap_options()};
    rbl_forest_init(&work->forest, allocator);
    rbl_array_init(&work->found, allocator);
    rbl_array_init(&work->near, allocator);
    rbl_array_init(&work->meeting, allocator);
    work->exact = rbl_default_intersect_options();
    work->pair_count = count == 1 ? 1 : count * (count - 1) / 2;
    work->pairs = RBL_NEW_ARRAY(allocator, rblTreePair, work->pair_count);
    work->apart = RBL_NEW_ARRAY(allocator, rblForest, count);
    for (uint32_t i = 0; i < count && work->apart != NULL; ++i)
    {
        rbl_forest_init(&work->apart[i], allocator);
    }
    if (work->pairs == NULL || work->apart == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(rbl_overlap_workspace_create(allocator, &work->exact.overlap.workspace));
    work->options = work->exact.overlap;
    uint32_t next = 0;
    for (uint32_t a = 0; a < count; ++a)
    {
        for (uint32_t b = count == 1 ? a : a + 1; b < count; ++b)
        {
            work->pairs[next++] = (rblTreePair){a, b};
        }
    }
    return RBL_OK;
}

static void close_work(SceneWork* work)
{
    RBL_FREE_ARRAY(rbl_default_allocator(), work->pairs, work->pair_count);
    for (uint32_t i = 0; i < work->span_count && work->apart != NULL; ++i)
    {
        rbl_forest_free(&work->apart[i]);
    }
    RBL_FREE_ARRAY(rbl_default_allocator(), work->apart, work->span_count);
    rbl_array_free(&work->found);
    rbl_array_free(&work->near);
    rbl_array_free(&work->meeting);
    rbl_overlap_workspace_destroy(work->exact.overlap.workspace);
    rbl_forest_free(&work->forest);
}

// ---- One frame ----

static rblResult time_row(rblBvhBench* bench, SceneWork* work, uint32_t thread, rblBenchWorkFcn* fcn,
                          const rblBvhRow* row, double* seconds)
{
    rblBvhRow line = *row;
    work->jobs = bench->jobs[thread];
    RBL_TRY(rbl_bvh_bench_best(bench, fcn, work, seconds));
    line.threads = thread + 1;
    line.value = 1e3 * *seconds;
    line.unit = "ms";
    rbl_bvh_bench_row(bench, &line);
    return RBL_OK;
}

// Once more with the clock on: how much of it the triangle tests take. Asking for the time costs some.
static rblResult measure_tests(rblBvhBench* bench, const Scene* scene, SceneWork* work)
{
    double seconds;
    work->jobs = bench->jobs[0];
    work->exact.time_triangles = true;
    work->triangle_seconds = (double)INFINITY;
    RBL_TRY(rbl_bvh_bench_best(bench, collide, work, &seconds));
    work->exact.time_triangles = false;
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = "triangle tests",
                                          .threads = 1,
                                          .value = 1e3 * work->triangle_seconds,
                                          .unit = "ms"});
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = "pairs of leaves",
                                          .value = (double)work->counters.leaf_pairs,
                                          .unit = "pairs"});
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = "triangles that meet",
                                          .value = (double)work->meeting.count,
                                          .unit = "pairs"});
    return RBL_OK;
}

static rblResult measure_frame(rblBvhBench* bench, const Scene* scene, SceneWork* work)
{
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        rblBvhRow row = {.subject = scene->name, .metric = "build, trees one by one"};
        double built;
        double traversed;
        double collided;
        if (scene->apart)
        {
            RBL_TRY(time_row(bench, work, t, build_one_by_one, &row, &built));
            row.metric = "refit";
            RBL_TRY(build_together(work));
            RBL_TRY(time_row(bench, work, t, refit, &row, &built));
        }
        row.metric = "build";
        row.paper = scene->paper_build;
        RBL_TRY(time_row(bench, work, t, build_together, &row, &built));
        row.metric = "traversal to pairs of leaves";
        row.paper = scene->paper_traversal;
        RBL_TRY(time_row(bench, work, t, traverse, &row, &traversed));
        row.metric = "traversal and triangle tests";
        row.paper = 0.0;
        RBL_TRY(time_row(bench, work, t, collide, &row, &collided));
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                              .metric = "whole frame",
                                              .threads = t + 1,
                                              .value = 1e3 * (built + collided),
                                              .unit = "ms",
                                              .paper = scene->paper_total});
    }
    return measure_tests(bench, scene, work);
}

// Fig. 3.14: nodes of this layout beside those of a tree padded to a power of two.
static void report_nodes(rblBvhBench* bench, const Scene* scene, const SceneWork* work)
{
    double padded = 0.0;
    for (uint32_t i = 0; i < work->forest.tree_count; ++i)
    {
        padded += (double)(2u << work->forest.trees[i].layout.leaf_level) - 1.0;
    }
    rbl_bench_row(bench->bench,
                  &(rblBenchRow){.subject = scene->name,
                                 .metric = "nodes of the tree",
                                 .value = (double)work->forest.node_count / work->forest.leaf_count,
                                 .unit = "nodes/triangle",
                                 .peer = "padded implicit tree",
                                 .peer_value = padded / work->forest.leaf_count});
}

// ---- The study ----

// One setting of the study: its time, the largest frontier and the number of rounds.
static rblResult study_setting(rblBvhBench* bench, const Scene* scene, SceneWork* work, uint32_t level,
                               uint32_t mu)
{
    char metric[64];
    double seconds;
    work->options = (rblOverlapOptions){.entry_level = level,
                                        .depth_step = mu,
                                        .frontier_goal = UINT32_MAX,
                                        .workspace = work->exact.overlap.workspace};
    RBL_TRY(rbl_bvh_bench_best(bench, traverse, work, &seconds));
    snprintf(metric, sizeof metric, "breadth first, entry level %u, mu %u", level, mu);
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = metric,
                                          .threads = RBL_BVH_BENCH_THREADS,
                                          .value = 1e3 * seconds,
                                          .unit = "ms"});
    snprintf(metric, sizeof metric, "frontier, entry level %u, mu %u", level, mu);
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = metric,
                                          .value = (double)work->counters.peak_frontier,
                                          .unit = "pairs"});
    snprintf(metric, sizeof metric, "rounds, entry level %u, mu %u", level, mu);
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = metric,
                                          .value = (double)work->counters.rounds,
                                          .unit = "rounds"});
    snprintf(metric, sizeof metric, "box tests, entry level %u, mu %u", level, mu);
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = metric,
                                          .value = (double)work->counters.box_tests,
                                          .unit = "tests"});
    return RBL_OK;
}

// Breadth first to the end, as on a GPU: what entry level and depth step (mu) do to time, rounds and frontier.
static rblResult study(rblBvhBench* bench, const Scene* scene, SceneWork* work)
{
    static const uint32_t levels[3] = {0, 3, 6};
    double min_bytes = 0.0;
    work->jobs = bench->jobs[RBL_BVH_BENCH_THREADS - 1];
    for (uint32_t i = 0; i < 12; ++i)
    {
        // Hundreds of trees begin with tens of thousands of pairs already; four times as many for every level down.
        const uint32_t level = scene->apart ? levels[i / 4] / 3 : levels[i / 4];
        RBL_TRY(study_setting(bench, scene, work, level, i % 4 + 1));
        const double bytes = (double)work->counters.peak_bytes;
        min_bytes = min_bytes == 0.0 || bytes < min_bytes ? bytes : min_bytes;
    }
    work->options = work->exact.overlap;
    RBL_TRY(traverse(work));
    const double tree =
        (double)sizeof *work->forest.nodes * work->forest.node_count +
        (double)(sizeof *work->forest.order + sizeof *work->forest.triangles) * work->forest.leaf_count;
    const double pairs = (double)sizeof *work->found.data * (double)work->found.count;
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = "memory: trees, frontier to the end, pairs",
                                          .value = 1e-6 * (tree + min_bytes + pairs),
                                          .unit = "MB",
                                          .paper = scene->paper_megabytes});
    rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = scene->name,
                                          .metric = "memory: trees, frontier shared out early, pairs",
                                          .value = 1e-6 * (tree + (double)work->counters.peak_bytes + pairs),
                                          .unit = "MB",
                                          .paper = scene->paper_megabytes});
    return RBL_OK;
}

static rblResult measure_scene(rblBvhBench* bench, const Scene* scene, const rblTriangleSpan* spans,
                               uint32_t count)
{
    SceneWork work;
    rbl_bench_stage(bench->bench, scene->name);
    rblResult result = open_work(&work, spans, count);
    result = result == RBL_OK ? measure_frame(bench, scene, &work) : result;
    if (result == RBL_OK)
    {
        report_nodes(bench, scene, &work);
        result = study(bench, scene, &work);
    }
    close_work(&work);
    return result;
}

static rblResult measure_balls(rblBvhBench* bench)
{
    static const Scene balls = {.name = "305 balls", .apart = true};
    rblBenchScene parts;
    RBL_TRY(rbl_bench_make_balls(rbl_bench_size(bench->bench, 305, 3), &parts));
    const rblResult result = measure_scene(bench, &balls, parts.spans, parts.count);
    rbl_bench_scene_free(&parts);
    return result;
}

static rblResult measure_model(rblBvhBench* bench, const Scene* scene, const rblBenchMesh* mesh)
{
    if (!scene->apart)
    {
        const rblTriangleSpan span = rbl_bench_mesh_span(mesh);
        return measure_scene(bench, scene, &span, 1);
    }
    rblBenchScene parts;
    RBL_TRY(rbl_bench_split(mesh, &parts));
    const rblResult result = measure_scene(bench, scene, parts.spans, parts.count);
    rbl_bench_scene_free(&parts);
    return result;
}

rblResult rbl_bench_bvh_scenes(rblBvhBench* bench)
{
    bool bodies = false;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes && !rbl_bench_quick(bench->bench); ++i)
    {
        rblBenchMesh mesh;
        if (rbl_bench_load_model(bench->bench, scenes[i].model, &mesh))
        {
            const rblResult result = measure_model(bench, &scenes[i], &mesh);
            rbl_bench_mesh_free(&mesh);
            RBL_TRY(result);
            bodies = bodies || scenes[i].apart;
        }
    }
    return bodies ? RBL_OK : measure_balls(bench);
}
