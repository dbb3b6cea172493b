// Whole pictures: from meshes to pixels.
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench/bench.h"
#include <stdio.h>

typedef struct PictureWork
{
    rblPictureDef def;
    uint8_t* rgba;
    rblPictureStats best; // of the run that took the least time in all
    double best_seconds;  // 0 before the first run
} PictureWork;

static double total_of(const rblPictureStats* stats)
{
    return stats->prepare_seconds + stats->build_seconds + stats->trace_seconds;
}

static rblResult draw(PictureWork* work)
{
    rblPictureStats stats;
    RBL_TRY(rbl_picture_render(&work->def, work->rgba, &stats));
    if (work->best_seconds == 0.0 || total_of(&stats) < work->best_seconds)
    {
        work->best = stats;
        work->best_seconds = total_of(&stats);
    }
    return RBL_OK;
}

static void report(rblBench* bench, const char* subject, const PictureWork* work)
{
    const rblPictureStats* s = &work->best;
    const rblBenchRow rows[] = {
        {.subject = subject,
         .metric = "triangles and normals",
         .value = 1e3 * s->prepare_seconds,
         .unit = "ms"},
        {.subject = subject, .metric = "tree", .value = 1e3 * s->build_seconds, .unit = "ms"},
        {.subject = subject, .metric = "rays and pixels", .value = 1e3 * s->trace_seconds, .unit = "ms"},
        {.subject = subject, .metric = "picture, all of it", .value = work->best_seconds, .unit = "s"},
        {.subject = subject,
         .metric = "rays",
         .value = 1e-6 * (double)s->rays / s->trace_seconds,
         .unit = "Mrays/s"},
    };
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
    {
        rbl_bench_row(bench, &rows[i]);
    }
}

static rblResult measure(rblBench* bench, const char* subject, const rblPictureItem* items, uint32_t count)
{
    PictureWork work = {.def = rbl_default_picture_def()};
    work.def.items = items;
    work.def.item_count = count;
    work.def.width = rbl_bench_size(bench, 1280, 64);
    work.def.height = rbl_bench_size(bench, 720, 36);
    work.def.samples = 4;
    const size_t size = 4 * (size_t)work.def.width * work.def.height;
    work.rgba = RBL_NEW_ARRAY(rbl_default_allocator(), uint8_t, size);
    rblResult result = work.rgba != NULL ? RBL_OK : rbl_fail_memory();
    rbl_bench_stage(bench, subject);
    for (uint32_t run = 0; result == RBL_OK && run < rbl_bench_size(bench, 3, 1); ++run)
    {
        result = draw(&work);
    }
    if (result == RBL_OK)
    {
        report(bench, subject, &work);
    }
    RBL_FREE_ARRAY(rbl_default_allocator(), work.rgba, size);
    return result;
}

static rblResult make_solid(const char* kind, double frequency, rblMeshId* out)
{
    const rblSolidValue value = {.name = "frequency", .values = &frequency, .count = 1};
    return rbl_mesh_make(kind, &value, 1, out);
}

static rblResult draw_rock(rblBench* bench)
{
    rblMeshId rock;
    RBL_TRY(make_solid("rock", rbl_bench_size(bench, 224, 8), &rock));
    const rblPictureItem item = rbl_default_picture_item(rock);
    const rblResult result = measure(bench, "rock, 1003520 triangles", &item, 1);
    rbl_mesh_destroy(rock);
    return result;
}

// A heap as a simulation leaves it: bodies of 500 triangles, close together, each in a pose of its own.
static void strew(rblMeshId mesh, rblPictureItem* items, uint32_t count)
{
    rblRandom random = rbl_random_seed(5, 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        items[i] = rbl_default_picture_item(mesh);
        items[i].color = rbl_picture_color(i);
        items[i].pose.p =
            (rblVec3){(float)rbl_random_range(&random, -3.0, 3.0), (float)rbl_random_range(&random, 0.0, 1.5),
                      (float)rbl_random_range(&random, -3.0, 3.0)};
    }
}

static rblResult draw_heap(rblBench* bench)
{
    const uint32_t count = rbl_bench_size(bench, 9000, 20);
    rblMeshId ball;
    RBL_TRY(make_solid("icosphere", 5.0, &ball));
    rblPictureItem* items = RBL_NEW_ARRAY(rbl_default_allocator(), rblPictureItem, count);
    rblResult result = items != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        strew(ball, items, count);
        result = measure(bench, "9000 bodies of 500 triangles", items, count);
    }
    RBL_FREE_ARRAY(rbl_default_allocator(), items, count);
    rbl_mesh_destroy(ball);
    return result;
}

rblResult rbl_bench_picture(rblBench* bench)
{
    rbl_bench_note(bench,
                   "1280 x 720 pixels, 4 samples a pixel, each with a shadow and a sky ray; best of 3");
    RBL_TRY(draw_rock(bench));
    return draw_heap(bench);
}
