// A picture of a million triangles.
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "rubble/picture.h"

typedef struct PictureWork
{
    rblPictureItem item;
    rblPictureDef def;
    uint8_t* pixels;
    rblPictureStats stats;
} PictureWork;

static rblResult draw(void* context)
{
    PictureWork* work = context;
    return rbl_picture_render(&work->def, work->pixels, &work->stats);
}

static rblResult make_mesh(uint32_t frequency, rblMeshId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblBenchMesh mesh;
    RBL_TRY(rbl_bench_make_sphere(frequency, 1, (rblVec3){0.0f, 0.0f, 0.0f}, &mesh));
    const size_t starts_count = (size_t)mesh.triangle_count + 1;
    rblVec3d* positions = RBL_NEW_ARRAY(allocator, rblVec3d, mesh.vertex_count);
    uint32_t* starts = RBL_NEW_ARRAY(allocator, uint32_t, starts_count);
    rblResult result = positions == NULL || starts == NULL ? rbl_fail_memory() : RBL_OK;
    for (uint32_t v = 0; result == RBL_OK && v < mesh.vertex_count; ++v)
    {
        const rblVec3 p = mesh.positions[v];
        positions[v] = (rblVec3d){(double)p.x, (double)p.y, (double)p.z};
    }
    for (uint32_t t = 0; result == RBL_OK && t <= mesh.triangle_count; ++t)
    {
        starts[t] = 3 * t;
    }
    const rblMeshView view = {.vertex_count = mesh.vertex_count,
                              .face_count = mesh.triangle_count,
                              .corner_count = 3 * mesh.triangle_count,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = mesh.indices};
    result = result == RBL_OK ? rbl_mesh_create(&view, out) : result;
    RBL_FREE_ARRAY(allocator, positions, mesh.vertex_count);
    RBL_FREE_ARRAY(allocator, starts, starts_count);
    rbl_bench_mesh_free(&mesh);
    return result;
}

static rblResult measure(rblBvhBench* bench, PictureWork* work)
{
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        double seconds;
        const rblTasks tasks = rbl_bench_tasks(t + 1);
        RBL_TRY(rbl_set_tasks(&tasks));
        RBL_TRY(rbl_bvh_bench_best(bench, draw, work, &seconds));
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = "sphere 1M",
                                              .metric = "picture 1280 x 720, 4 samples, build included",
                                              .threads = t + 1,
                                              .value = seconds,
                                              .unit = "s"});
    }
    rbl_bvh_bench_row(bench,
                      &(rblBvhRow){.subject = "sphere 1M",
                                   .metric = "picture, rays traced",
                                   .threads = RBL_BVH_BENCH_THREADS,
                                   .value = 1e-6 * (double)work->stats.rays / work->stats.trace_seconds,
                                   .unit = "Mrays/s"});
    return RBL_OK;
}

rblResult rbl_bench_bvh_picture(rblBvhBench* bench)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t threads = rbl_worker_count();
    PictureWork work = {.def = rbl_default_picture_def()};
    rblMeshId mesh;
    rbl_bench_stage(bench->bench, "drawing a picture");
    RBL_TRY(make_mesh(rbl_bench_size(bench->bench, RBL_BENCH_SPHERE_1M, 4), &mesh));
    work.item = rbl_default_picture_item(mesh);
    work.def.items = &work.item;
    work.def.item_count = 1;
    work.def.width = rbl_bench_size(bench->bench, 1280, 32);
    work.def.height = rbl_bench_size(bench->bench, 720, 18);
    work.def.samples = 4;
    const size_t size = 4 * (size_t)work.def.width * work.def.height;
    work.pixels = rbl_alloc(allocator, size);
    const rblResult result = work.pixels == NULL ? rbl_fail_memory() : measure(bench, &work);
    rbl_free(allocator, work.pixels, size);
    rbl_mesh_destroy(mesh);
    const rblTasks tasks = rbl_bench_tasks(threads);
    const rblResult restored = rbl_set_tasks(&tasks);
    return result != RBL_OK ? result : restored;
}
