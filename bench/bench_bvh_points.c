// Closest points, winding numbers and signed distances of a noisy sphere of a million triangles; closest points beside
// Embree with the same points.
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "base/random.h"
#include "bvh/query/closest.h"
#include "bvh/query/signed_distance.h"
#include <math.h>

typedef struct PointWork
{
    rblForest forest;
    rblBvh tree;
    rblVec3* points;
    uint32_t count;
    double sums[RBL_MAX_BLOCKS]; // of distances
    rblWinding winding;
    float* values;
    rblJobs* jobs;
} PointWork;

#define POINTS_A_BLOCK 256

static void find_range(rblRange range, void* context)
{
    PointWork* work = context;
    double sum = 0.0;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblClosestPoint closest;
        if (rbl_tree_closest(&work->tree, work->points[i], (float)INFINITY, RBL_NO_LEAF, &closest))
        {
            sum += (double)closest.distance;
        }
    }
    work->sums[range.block] = sum;
}

static rblResult find_closest(void* context)
{
    PointWork* work = context;
    rbl_parallel_for(work->jobs, work->count, POINTS_A_BLOCK, find_range, work);
    return RBL_OK;
}

static double sum_of_distances(const PointWork* work)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < rbl_block_count(work->count, POINTS_A_BLOCK); ++i)
    {
        sum += work->sums[i];
    }
    return sum;
}

// Near the surface: vertices, moved in or out by up to a hundredth. Anywhere: in the box around the sphere.
static void place_points(PointWork* work, const rblBenchMesh* mesh, bool near)
{
    rblRandom random = rbl_random_seed(11, near);
    for (uint32_t i = 0; i < work->count; ++i)
    {
        const rblVec3 p = mesh->positions[rbl_random_below(&random, mesh->vertex_count)];
        const float f = (float)rbl_random_range(&random, 0.99, 1.01);
        const float x = (float)rbl_random_range(&random, -1.2, 1.2);
        const float y = (float)rbl_random_range(&random, -1.2, 1.2);
        const float z = (float)rbl_random_range(&random, -1.2, 1.2);
        work->points[i] = near ? (rblVec3){f * p.x, f * p.y, f * p.z} : (rblVec3){x, y, z};
    }
}

static rblResult measure(rblBvhBench* bench, PointWork* work, const char* metric)
{
    rbl_bench_stage(bench->bench, metric);
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        double seconds;
        work->jobs = bench->jobs[t];
        RBL_TRY(rbl_bvh_bench_best(bench, find_closest, work, &seconds));
        // Embree's distances are sums in float: they agree to a few digits less than ours carry.
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = "sphere 1M",
                                              .metric = metric,
                                              .threads = t + 1,
                                              .value = 1e-6 * work->count / seconds,
                                              .unit = "Mqueries/s",
                                              .peer_metrics = {"closest point"},
                                              .amount = 1e-6 * work->count,
                                              .count = 1e6 * sum_of_distances(work),
                                              .tolerance = 1e-4});
    }
    return RBL_OK;
}

static rblResult build_winding(void* context)
{
    PointWork* work = context;
    return rbl_winding_build(&work->winding, &work->tree, work->jobs);
}

static void find_winding_block(rblRange range, void* context)
{
    const PointWork* work = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        work->values[i] =
            rbl_tree_winding_number(&work->tree, &work->winding, work->points[i], RBL_WINDING_BETA);
    }
}

static rblResult find_winding(void* context)
{
    PointWork* work = context;
    rbl_parallel_for(work->jobs, work->count, 64, find_winding_block, work);
    return RBL_OK;
}

static rblResult find_signed_distance(void* context)
{
    PointWork* work = context;
    rbl_tree_signed_distance_many(&work->tree, &work->winding, work->points, work->count, (float)INFINITY,
                                  RBL_SIGN_WINDING, work->jobs, work->values);
    return RBL_OK;
}

// For the points that were placed last.
static rblResult measure_signs(rblBvhBench* bench, PointWork* work)
{
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        rblBvhRow row = {.subject = "sphere 1M", .metric = "build of winding moments", .threads = t + 1};
        double seconds;
        work->jobs = bench->jobs[t];
        RBL_TRY(rbl_bvh_bench_best(bench, build_winding, work, &seconds));
        row.value = 1e3 * seconds;
        row.unit = "ms";
        rbl_bvh_bench_row(bench, &row);
        row.metric = "winding number, near the surface";
        row.unit = "Mqueries/s";
        RBL_TRY(rbl_bvh_bench_best(bench, find_winding, work, &seconds));
        row.value = 1e-6 * work->count / seconds;
        rbl_bvh_bench_row(bench, &row);
        row.metric = "signed distance, near the surface";
        RBL_TRY(rbl_bvh_bench_best(bench, find_signed_distance, work, &seconds));
        row.value = 1e-6 * work->count / seconds;
        rbl_bvh_bench_row(bench, &row);
    }
    return RBL_OK;
}

static rblResult measure_all(rblBvhBench* bench, PointWork* work, const rblBenchMesh* mesh)
{
    const rblTriangleSpan span = rbl_bench_mesh_span(mesh);
    RBL_TRY(rbl_forest_build(&work->forest, &span, 1, RBL_BVH_QUALITY, bench->jobs[1]));
    work->tree = rbl_forest_tree(&work->forest, 0);
    for (uint32_t near = 0; near < 2; ++near)
    {
        place_points(work, mesh, near != 0);
        RBL_TRY(rbl_bvh_bench_write_table(bench, &work->points[0].x, work->count, 3));
        rbl_bvh_bench_ask(bench, "embree", "points", 2);
        RBL_TRY(
            measure(bench, work, near != 0 ? "closest point, near the surface" : "closest point, anywhere"));
    }
    return measure_signs(bench, work);
}

rblResult rbl_bench_bvh_points(rblBvhBench* bench)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_bench_size(bench->bench, 25000, 50);
    PointWork work = {.count = count};
    rblBenchMesh mesh;
    RBL_TRY(rbl_bench_make_sphere(rbl_bench_size(bench->bench, RBL_BENCH_SPHERE_1M, 4), 1,
                                  (rblVec3){0.0f, 0.0f, 0.0f}, &mesh));
    rbl_forest_init(&work.forest, allocator);
    rbl_winding_init(&work.winding, allocator);
    work.points = RBL_NEW_ARRAY(allocator, rblVec3, count);
    work.values = RBL_NEW_ARRAY(allocator, float, count);
    rblResult result = work.points == NULL || work.values == NULL ? rbl_fail_memory()
                                                                  : rbl_bvh_bench_write_mesh(bench, 0, &mesh);
    result = result == RBL_OK ? measure_all(bench, &work, &mesh) : result;
    RBL_FREE_ARRAY(allocator, work.points, count);
    RBL_FREE_ARRAY(allocator, work.values, count);
    rbl_winding_free(&work.winding);
    rbl_forest_free(&work.forest);
    rbl_bench_mesh_free(&mesh);
    return result;
}
