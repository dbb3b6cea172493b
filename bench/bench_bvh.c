// The triangle hierarchy: builds, refits, rays, closest points, overlaps and pictures, beside Embree, FCL and Bullet.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "bench/bench_bvh.h"

#include "base/error.h"
#include "base/timer.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char* const peer_names[] = {"embree", "fcl", "bullet"};
#define PEER_COUNT (sizeof peer_names / sizeof *peer_names)

// ---- Timing ----

rblResult rbl_bvh_bench_best(rblBvhBench* bench, rblBenchWorkFcn* work, void* context, double* seconds)
{
    const bool quick = rbl_bench_quick(bench->bench);
    const double budget = quick ? 0.0 : 0.25;
    double best = (double)INFINITY;
    double total = 0.0;
    // The first run warms caches; the second counts even when it alone takes longer than the budget.
    for (uint32_t run = 0; run < (quick ? 1u : 2u) || total < budget; ++run)
    {
        const clock_t processor = clock();
        const double start = rbl_timer_seconds();
        RBL_TRY(work(context));
        const double passed = rbl_timer_seconds() - start;
        const double used = (double)(clock() - processor) / CLOCKS_PER_SEC;
        const double taken = used < passed ? used : passed;
        best = taken < best ? taken : best;
        total += taken > 1e-6 ? taken : 1e-6;
    }
    *seconds = best;
    return RBL_OK;
}

typedef struct CopyWork
{
    rblJobs* jobs;
    const char* from;
    char* to;
    uint32_t pages;
} CopyWork;

#define PAGE 4096

static void copy_range(rblRange range, void* context)
{
    const CopyWork* work = context;
    const size_t begin = PAGE * (size_t)range.begin;
    memcpy(work->to + begin, work->from + begin, PAGE * (size_t)range.end - begin);
}

static rblResult copy_all(void* context)
{
    CopyWork* work = context;
    rbl_parallel_for(work->jobs, work->pages, 64, copy_range, work);
    return RBL_OK;
}

// Bytes read and written a second while copying more than the caches hold.
static rblResult measure_bandwidth(rblBvhBench* bench)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t pages = rbl_bench_size(bench->bench, 32768, 64);
    const size_t size = PAGE * (size_t)pages;
    char* memory = rbl_alloc_zero(allocator, 2 * size);
    if (memory == NULL)
    {
        return rbl_fail_memory();
    }
    memset(memory, 1, 2 * size);
    rblResult result = RBL_OK;
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS && result == RBL_OK; ++t)
    {
        CopyWork work = {bench->jobs[t], memory, memory + size, pages};
        double seconds = 1.0;
        result = rbl_bvh_bench_best(bench, copy_all, &work, &seconds);
        bench->bandwidth[t] = 2.0 * (double)size / seconds;
        rbl_bvh_bench_row(bench, &(rblBvhRow){.subject = "memory",
                                              .metric = "copy bandwidth",
                                              .threads = t + 1,
                                              .value = 1e-9 * bench->bandwidth[t],
                                              .unit = "GB/s"});
    }
    rbl_free(allocator, memory, 2 * size);
    return result;
}

// ---- Files for peers ----

static void slot_path(const rblBvhBench* bench, uint32_t slot, char out[512])
{
    snprintf(out, 512, "%s/slot-%u", bench->folder, slot);
}

static rblResult write_file(const rblBvhBench* bench, uint32_t slot, const uint32_t counts[2],
                            const void* first, size_t first_size, const void* second, size_t second_size)
{
    char path[512];
    slot_path(bench, slot, path);
    FILE* file = fopen(path, "wb");
    bool ok = file != NULL && fwrite(counts, sizeof *counts, 2, file) == 2 &&
              fwrite(first, 1, first_size, file) == first_size &&
              fwrite(second, 1, second_size, file) == second_size;
    ok = file != NULL && fclose(file) == 0 && ok;
    return ok ? RBL_OK
              : rbl_fail(RBL_ERROR_FILE, "%s: cannot be written, set TMPDIR to a folder with free space",
                         path);
}

rblResult rbl_bvh_bench_write_mesh(rblBvhBench* bench, uint32_t slot, const rblBenchMesh* mesh)
{
    const uint32_t counts[2] = {mesh->vertex_count, mesh->triangle_count};
    return bench->peers[0] == '\0' ? RBL_OK
                                   : write_file(bench, slot, counts, mesh->positions,
                                                sizeof *mesh->positions * mesh->vertex_count, mesh->indices,
                                                3 * sizeof *mesh->indices * mesh->triangle_count);
}

rblResult rbl_bvh_bench_write_table(rblBvhBench* bench, const float* values, uint32_t rows, uint32_t columns)
{
    const uint32_t counts[2] = {rows, columns};
    return bench->peers[0] == '\0'
               ? RBL_OK
               : write_file(bench, 2, counts, values, sizeof *values * columns * rows, NULL, 0);
}

// ---- Peers ----

static bool has_peer(const rblBvhBench* bench, const char* name)
{
    const char* found = strstr(bench->peers, name);
    return found != NULL && (found == bench->peers || found[-1] == '\n') && found[strlen(name)] == '\n';
}

static void find_peers(rblBvhBench* bench)
{
    char note[128];
    rbl_bench_list_peers(bench->bench, bench->peers, sizeof bench->peers);
    for (size_t i = 0; i < PEER_COUNT; ++i)
    {
        if (!has_peer(bench, peer_names[i]))
        {
            snprintf(note, sizeof note, "%s is not compared: rubble-peers was built without it",
                     peer_names[i]);
            rbl_bench_note(bench->bench, note);
        }
    }
}

void rbl_bvh_bench_ask(rblBvhBench* bench, const char* only, const char* task, uint32_t second)
{
    char paths[2][512];
    char stage[64];
    slot_path(bench, 0, paths[0]);
    slot_path(bench, second, paths[1]);
    rbl_array_clear(&bench->figures);
    for (size_t i = 0; i < PEER_COUNT; ++i)
    {
        if (has_peer(bench, peer_names[i]) && (only == NULL || strcmp(only, peer_names[i]) == 0))
        {
            snprintf(stage, sizeof stage, "%s: %s", peer_names[i], task);
            rbl_bench_stage(bench->bench, stage);
            const char* const arguments[] = {peer_names[i],
                                             task,
                                             rbl_bench_quick(bench->bench) ? "quick" : "full",
                                             paths[0],
                                             second != 0 ? paths[1] : NULL,
                                             NULL};
            rbl_bench_peer_figures(bench->bench, arguments, &bench->figures);
        }
    }
}

// ---- Rows ----

static bool is_asked_for(const rblBvhRow* row, const rblPeerFigure* figure)
{
    char wanted[64];
    for (uint32_t i = 0; i < 2; ++i)
    {
        snprintf(wanted, sizeof wanted, "%s %uT", row->peer_metrics[i] != NULL ? row->peer_metrics[i] : "",
                 row->threads != 0 ? row->threads : 1);
        if (strcmp(wanted, figure->metric) == 0)
        {
            return true;
        }
    }
    return false;
}

// Answers must agree. The same disagreement is told once.
static void compare_counts(rblBvhBench* bench, const rblBvhRow* row, const rblPeerFigure* figure)
{
    const double allowed = 0.5 + row->tolerance * row->count;
    const bool agree = row->count <= 0.0 || fabs(figure->count - row->count) < allowed;
    const bool told =
        fabs(bench->noted_counts[0] - row->count) < 0.5 && fabs(bench->noted_counts[1] - figure->count) < 0.5;
    if (!agree && !told)
    {
        char note[256];
        snprintf(note, sizeof note, "%s, %s: %s finds %.0f, Rubble %.0f", row->subject, row->metric,
                 figure->name, figure->count, row->count);
        rbl_bench_note(bench->bench, note);
        bench->noted_counts[0] = row->count;
        bench->noted_counts[1] = figure->count;
    }
}

void rbl_bvh_bench_row(rblBvhBench* bench, const rblBvhRow* row)
{
    char metric[96];
    snprintf(metric, sizeof metric, row->threads != 0 ? "%s, %uT" : "%s", row->metric, row->threads);
    rblBenchRow line = {.subject = row->subject,
                        .metric = metric,
                        .value = row->value,
                        .unit = row->unit,
                        .paper = row->paper};
    bool reported = false;
    for (size_t i = 0; i < bench->figures.count; ++i)
    {
        const rblPeerFigure* figure = &bench->figures.data[i];
        if (is_asked_for(row, figure))
        {
            line.peer = figure->name;
            line.peer_value = row->amount > 0.0 ? 1e3 * row->amount / figure->value : figure->value;
            rbl_bench_row(bench->bench, &line);
            compare_counts(bench, row, figure);
            reported = true;
        }
    }
    if (!reported)
    {
        rbl_bench_row(bench->bench, &line);
    }
}

// ---- The whole ----

static rblResult open_bench(rblBvhBench* bench)
{
    const char* parent = getenv("TMPDIR");
    snprintf(bench->folder, sizeof bench->folder, "%s/rubble-bench-XXXXXX",
             parent != NULL && strlen(parent) < 200 && parent[0] != '\0' ? parent : "/tmp");
    if (mkdtemp(bench->folder) == NULL)
    {
        return rbl_fail(RBL_ERROR_FILE,
                        "%s: cannot be made, set TMPDIR to a folder with 200 MB of free space",
                        bench->folder);
    }
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        const rblTasks tasks = rbl_bench_tasks(t + 1);
        RBL_TRY(rbl_jobs_create(&tasks, rbl_default_allocator(), &bench->jobs[t]));
    }
    find_peers(bench);
    return RBL_OK;
}

static void close_bench(rblBvhBench* bench)
{
    for (uint32_t slot = 0; slot < 3; ++slot)
    {
        char path[512];
        slot_path(bench, slot, path);
        remove(path);
    }
    rmdir(bench->folder);
    for (uint32_t t = 0; t < RBL_BVH_BENCH_THREADS; ++t)
    {
        rbl_jobs_destroy(bench->jobs[t]);
    }
    rbl_array_free(&bench->figures);
}

rblResult rbl_bench_bvh(rblBench* bench)
{
    static rblResult (*const parts[])(rblBvhBench*) = {
        measure_bandwidth,  rbl_bench_bvh_build,  rbl_bench_bvh_construction, rbl_bench_bvh_scenes,
        rbl_bench_bvh_rays, rbl_bench_bvh_points, rbl_bench_bvh_overlap,      rbl_bench_bvh_picture};
    rblBvhBench whole = {.bench = bench};
    rbl_array_init(&whole.figures, rbl_default_allocator());
    rblResult result = open_bench(&whole);
    for (size_t i = 0; i < sizeof parts / sizeof *parts && result == RBL_OK; ++i)
    {
        result = parts[i](&whole);
    }
    close_bench(&whole);
    return result;
}
