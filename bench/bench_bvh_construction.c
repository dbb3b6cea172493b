// Construction as Chitalu 2020, ch. 3.7.1, measures it: nodes a second over meshes of 2^10 to 2^22 triangles (Fig. 3.10),
// and the parts of a build over several meshes beside an LBVH and a padded tree (Table 3.1).
#define _POSIX_C_SOURCE 200809L // sysconf
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "bench/plain_tree.h"
#include <stdio.h>
#include <unistd.h>

// ---- tuning ----

#define SMALLEST_POWER     10   // triangles of Fig. 3.10: 2^10 ...
#define LARGEST_POWER      22   // ... to 2^22
#define QUICK_POWER        11   // the largest of a quick run
#define BYTES_PER_TRIANGLE 200  // mesh, tree and scratch memory of a build, rounded up
#define PAPER_RATE         4700 // Mnodes/s on a GTX 1080 with large meshes, triangles sorted before

typedef struct ConstructionWork
{
    rblForest forest;
    rblTriangleSpan span;
    rblPlainTree lbvh;
    rblJobs* jobs;
} ConstructionWork;

static rblResult build(void* context)
{
    ConstructionWork* work = context;
    return rbl_forest_build(&work->forest, &work->span, 1, RBL_BVH_FAST, work->jobs);
}

// The boxes of a tree whose leaves are in order already: the part that the paper measures.
static rblResult fill_boxes(void* context)
{
    ConstructionWork* work = context;
    return rbl_forest_refit(&work->forest, &work->span, 1, work->jobs);
}

static rblResult build_lbvh(void* context)
{
    ConstructionWork* work = context;
    rbl_plain_tree_free(&work->lbvh);
    return rbl_lbvh_build(&work->span, &work->lbvh);
}

// ---- Fig. 3.10 ----

static void report_rate(rblBvhBench* bench, const ConstructionWork* work, const rblBvhRow* row,
                        double seconds)
{
    rblBvhRow line = *row;
    line.value = 1e-6 * work->forest.node_count / seconds;
    line.unit = "Mnodes/s";
    rbl_bvh_bench_row(bench, &line);
}

static rblResult measure_rates(rblBvhBench* bench, ConstructionWork* work, const char* subject, bool largest)
{
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        rblBvhRow row = {.subject = subject, .metric = "nodes built, sorting included", .threads = t + 1};
        double seconds;
        work->jobs = bench->jobs[t];
        RBL_TRY(rbl_bvh_bench_best(bench, build, work, &seconds));
        report_rate(bench, work, &row, seconds);
        row.metric = "nodes built, triangles sorted before";
        row.paper = largest ? PAPER_RATE : 0.0;
        RBL_TRY(rbl_bvh_bench_best(bench, fill_boxes, work, &seconds));
        report_rate(bench, work, &row, seconds);
    }
    return RBL_OK;
}

// Half of the machine's memory is for the benchmark.
static bool has_memory_for(double triangles)
{
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    return pages <= 0 || size <= 0 || triangles * BYTES_PER_TRIANGLE < 0.5 * (double)pages * (double)size;
}

static rblResult measure_size(rblBvhBench* bench, uint32_t power)
{
    char subject[64];
    char note[128];
    snprintf(subject, sizeof subject, "ring 2^%u", power);
    if (!has_memory_for((double)(1u << power)))
    {
        snprintf(note, sizeof note, "%s is left out: it needs more than half of the memory", subject);
        rbl_bench_note(bench->bench, note);
        return RBL_OK;
    }
    rblBenchMesh mesh;
    rbl_bench_stage(bench->bench, subject);
    RBL_TRY(rbl_bench_make_ring(power, &mesh));
    ConstructionWork work = {.span = rbl_bench_mesh_span(&mesh)};
    rbl_forest_init(&work.forest, rbl_default_allocator());
    const rblResult result = measure_rates(bench, &work, subject, power == LARGEST_POWER);
    rbl_forest_free(&work.forest);
    rbl_bench_mesh_free(&mesh);
    return result;
}

// ---- Table 3.1 ----

static double padded_nodes(const rblForest* forest)
{
    return (double)(2u << forest->trees[0].layout.leaf_level) - 1.0;
}

static rblResult measure_parts(rblBvhBench* bench, ConstructionWork* work, const char* subject)
{
    double lbvh;
    RBL_TRY(rbl_bvh_bench_best(bench, build_lbvh, work, &lbvh));
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        double whole;
        double boxes;
        char metric[64];
        work->jobs = bench->jobs[t];
        RBL_TRY(rbl_bvh_bench_best(bench, build, work, &whole));
        RBL_TRY(rbl_bvh_bench_best(bench, fill_boxes, work, &boxes));
        snprintf(metric, sizeof metric, "construction, %uT", t + 1);
        rbl_bench_row(bench->bench, &(rblBenchRow){.subject = subject,
                                                   .metric = metric,
                                                   .value = 1e3 * whole,
                                                   .unit = "ms",
                                                   .peer = "LBVH, 1T",
                                                   .peer_value = 1e3 * lbvh});
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = subject,
                                              .metric = "construction, boxes only",
                                              .threads = t + 1,
                                              .value = 1e3 * boxes,
                                              .unit = "ms"});
    }
    const double nodes = work->forest.node_count;
    rbl_bench_row(bench->bench, &(rblBenchRow){.subject = subject,
                                               .metric = "construction, memory of nodes",
                                               .value = 1e-6 * (double)sizeof *work->forest.nodes * nodes,
                                               .unit = "MB",
                                               .peer = "padded implicit tree",
                                               .peer_value = 1e-6 * (double)sizeof *work->forest.nodes *
                                                             padded_nodes(&work->forest)});
    return RBL_OK;
}

static rblResult measure_mesh(rblBvhBench* bench, const char* subject, rblBenchMesh* mesh)
{
    ConstructionWork work = {.span = rbl_bench_mesh_span(mesh)};
    rbl_bench_stage(bench->bench, subject);
    rbl_forest_init(&work.forest, rbl_default_allocator());
    const rblResult result = measure_parts(bench, &work, subject);
    rbl_plain_tree_free(&work.lbvh);
    rbl_forest_free(&work.forest);
    rbl_bench_mesh_free(mesh);
    return result;
}

static const char* const model_names[][2] = {
    {"spot 6k", "spot_6k.obj"},
    {"bunny 7k", "bunny_7k.off"},
    {"fandisk 13k", "fandisk_13k.obj"},
    {"cheese 18k", "cheese_18k.off"},
    {"bunny 75k", "bunny_75k.off"},
    {"armadillo 86k", "armadillo_86k.obj"},
    {"dragon 100k", "dragon_100k.obj"},
    {"funnel 228", "unc/funnel_228.ply"},
    {"cloth-ball 93", "unc/cloth_ball_93.ply"},
    {"n-body 18, one tree", "unc/nbody_18.ply"},
};

static rblResult measure_models(rblBvhBench* bench)
{
    const uint32_t count =
        rbl_bench_size(bench->bench, (uint32_t)(sizeof model_names / sizeof *model_names), 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblBenchMesh mesh;
        if (rbl_bench_load_model(bench->bench, model_names[i][1], &mesh))
        {
            RBL_TRY(measure_mesh(bench, model_names[i][0], &mesh));
        }
    }
    return RBL_OK;
}

// The paper's meshes have 873k (dragon), 1087k (Happy Buddha) and 2880k triangles (hairball).
static rblResult measure_made(rblBvhBench* bench)
{
    rblBenchMesh mesh;
    RBL_TRY(
        rbl_bench_make_sphere(rbl_bench_size(bench->bench, 209, 3), 1, rbl_vec3(0.0f, 0.0f, 0.0f), &mesh));
    RBL_TRY(measure_mesh(bench, "sphere 874k, as the dragon", &mesh));
    RBL_TRY(
        rbl_bench_make_sphere(rbl_bench_size(bench->bench, 233, 3), 1, rbl_vec3(0.0f, 0.0f, 0.0f), &mesh));
    RBL_TRY(measure_mesh(bench, "sphere 1086k, as the Buddha", &mesh));
    RBL_TRY(rbl_bench_make_hair(rbl_bench_size(bench->bench, 4800, 3), rbl_bench_size(bench->bench, 100, 4),
                                &mesh));
    return measure_mesh(bench, "ball of hair 2880k", &mesh);
}

rblResult rbl_bench_bvh_construction(rblBvhBench* bench)
{
    const uint32_t largest = rbl_bench_size(bench->bench, LARGEST_POWER, QUICK_POWER);
    rbl_array_clear(&bench->figures); // no peer takes part
    for (uint32_t power = SMALLEST_POWER; power <= largest; ++power)
    {
        RBL_TRY(measure_size(bench, power));
    }
    RBL_TRY(measure_models(bench));
    return measure_made(bench);
}
