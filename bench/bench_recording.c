// Recordings, exports and frames of a pile: what they cost, how large they are, and whether they survive a kill.
#define _POSIX_C_SOURCE 200809L // fork, execv, kill, nanosleep, stat
#include "base/error.h"
#include "base/random.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "bench/bench_stones.h"
#include "io/folder.h"
#include "scene/export.h"
#include "scene/movie.h"
#include "scene/simulate.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

typedef struct RecordingBench
{
    rblBench* bench;
    const rblAllocator* allocator;
    char folder[64];
    uint32_t stones, width; // of the large pile
    char subject[64];
} RecordingBench;

static void report(const RecordingBench* b, const char* metric, double value, const char* unit)
{
    rbl_bench_row(b->bench,
                  &(rblBenchRow){.subject = b->subject, .metric = metric, .value = value, .unit = unit});
}

// ---- what recording costs ----

typedef enum Keeping
{
    KEEP_NOTHING,
    KEEP_EXACT,
    KEEP_ROUNDED
} Keeping;

// Medians over the steps: what else runs on the machine hits some of them hard.
typedef struct Costs
{
    double step;   // s, as the world counts it
    double beside; // s, everything else of the loop
    double bytes;  // of the file
    double body_seconds;
} Costs;

// Sorts the values.
static double median(double* values, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const double value = values[i];
        uint32_t to = i;
        for (; to > 0 && values[to - 1] > value; --to)
        {
            values[to] = values[to - 1];
        }
        values[to] = value;
    }
    return count > 0 ? values[count / 2] : 0.0;
}

static rblResult advance_all(rblSimulation* simulation, Costs* costs, double* steps, double* beside)
{
    uint32_t count = 0;
    for (; !rbl_simulation_done(simulation); ++count)
    {
        rblProfile profile;
        const double start = rbl_timer_seconds();
        RBL_TRY(rbl_simulation_advance(simulation));
        const double all = rbl_timer_seconds() - start;
        RBL_TRY(rbl_world_profile(simulation->world, &profile));
        steps[count] = 1e-3 * (double)profile.total;
        beside[count] = all - steps[count];
    }
    costs->step = median(steps, count);
    costs->beside = median(beside, count);
    costs->body_seconds =
        (double)simulation->view.body_count * simulation->view.step_count * simulation->view.step;
    return rbl_simulation_finish(simulation);
}

static rblResult measure_costs(rblSimulation* simulation, Costs* costs)
{
    const uint32_t count = simulation->view.step_count;
    double* steps = RBL_NEW_ARRAY(simulation->allocator, double, count);
    double* beside = RBL_NEW_ARRAY(simulation->allocator, double, count);
    const rblResult result =
        steps != NULL && beside != NULL ? advance_all(simulation, costs, steps, beside) : rbl_fail_memory();
    RBL_FREE_ARRAY(simulation->allocator, steps, count);
    RBL_FREE_ARRAY(simulation->allocator, beside, count);
    return result;
}

static rblResult run_keeping(const rblSceneId scene, Keeping keeping, const char* path, Costs* costs)
{
    rblSimulation simulation;
    struct stat status;
    *costs = (Costs){0};
    rblResult result = rbl_simulation_start(&simulation, scene, false);
    if (result == RBL_OK && keeping != KEEP_NOTHING)
    {
        result = rbl_simulation_record(&simulation, path, keeping == KEEP_ROUNDED);
    }
    result = result == RBL_OK ? measure_costs(&simulation, costs) : result;
    rbl_simulation_free(&simulation);
    if (result == RBL_OK && keeping != KEEP_NOTHING && stat(path, &status) == 0)
    {
        costs->bytes = (double)status.st_size;
    }
    return result;
}

static void report_costs(const RecordingBench* b, const char* how, const Costs* costs, const Costs* plain)
{
    char metric[64];
    snprintf(metric, sizeof metric, "recording, %s: share of a step", how);
    report(b, metric, 100.0 * (costs->beside - plain->beside) / costs->step, "%");
    snprintf(metric, sizeof metric, "recording, %s: size", how);
    report(b, metric, costs->bytes / costs->body_seconds, "bytes a body and second");
}

static rblResult measure_recording(const RecordingBench* b, rblSceneId scene, const char* path)
{
    Costs plain;
    Costs rounded;
    Costs exact;
    rbl_bench_stage(b->bench, "simulating without a recording");
    RBL_TRY(run_keeping(scene, KEEP_NOTHING, path, &plain));
    rbl_bench_stage(b->bench, "recording, rounded");
    RBL_TRY(run_keeping(scene, KEEP_ROUNDED, path, &rounded));
    rbl_bench_stage(b->bench, "recording, exact");
    RBL_TRY(run_keeping(scene, KEEP_EXACT, path, &exact));
    report_costs(b, "exact", &exact, &plain);
    report_costs(b, "rounded", &rounded, &plain);
    report(b, "step", 1e3 * exact.step, "ms");
    return RBL_OK;
}

// ---- reading and exporting ----

static rblResult measure_export(const RecordingBench* b, const rblRun* run, const char* ending)
{
    char path[RBL_PATH_SIZE];
    char metric[32];
    const rblExportOptions options = rbl_default_export_options();
    RBL_TRY(rbl_compose_path(path, "%s/export.%s", b->folder, ending));
    rbl_bench_stage(b->bench, "exporting");
    const double start = rbl_timer_seconds();
    RBL_TRY(rbl_export(run, path, &options));
    snprintf(metric, sizeof metric, "export to %s", ending);
    report(b, metric, rbl_timer_seconds() - start, "s");
    (void)unlink(path);
    return RBL_OK;
}

static rblResult measure_reading(const RecordingBench* b, const char* path)
{
    rblRun run;
    const double start = rbl_timer_seconds();
    RBL_TRY(rbl_recording_load(path, &run, NULL));
    report(b, "reading the recording", rbl_timer_seconds() - start, "s");
    rblResult result = measure_export(b, &run, "glb");
    result = result == RBL_OK ? measure_export(b, &run, "usda") : result;
    result = result == RBL_OK ? measure_export(b, &run, "csv") : result;
    rbl_run_free(&run);
    return result;
}

static rblResult bench_large_pile(RecordingBench* b)
{
    char path[RBL_PATH_SIZE];
    rblSceneId scene;
    snprintf(b->subject, sizeof b->subject, "pile of %u, 60 Hz", b->stones);
    RBL_TRY(rbl_compose_path(path, "%s/pile.rbl", b->folder));
    RBL_TRY(rbl_bench_pile_scene(b->stones, b->width, 1.0 / 60.0, rbl_bench_size(b->bench, 600, 20), &scene));
    rblResult result = measure_recording(b, scene, path);
    result = result == RBL_OK ? measure_reading(b, path) : result;
    rbl_scene_destroy(scene);
    (void)unlink(path);
    return result;
}

// ---- kills ----

static pid_t start_recording(const char* tool, const char* scene, const char* path)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
    {
        const int nowhere = open("/dev/null", O_WRONLY);
        if (nowhere >= 0)
        {
            dup2(nowhere, STDOUT_FILENO);
            dup2(nowhere, STDERR_FILENO);
        }
        execl(tool, tool, "simulate", scene, "--quiet", "-o", path, (char*)NULL);
        _exit(127);
    }
    return child;
}

// True when what the killed tool left can be read; a file that was not begun is fine too. Counts the steps in it.
static bool left_readable(const char* path, double* steps)
{
    static const char* const endings[] = {".part", ""};
    for (int i = 0; i < 2; ++i)
    {
        char name[RBL_PATH_SIZE];
        rblRun run;
        rblRecordingReport read;
        if (rbl_compose_path(name, "%s%s", path, endings[i]) != RBL_OK || access(name, F_OK) != 0)
        {
            continue;
        }
        const bool readable = rbl_recording_load(name, &run, &read) == RBL_OK;
        if (readable)
        {
            *steps += rbl_run_last_step(&run);
            rbl_run_free(&run);
        }
        struct stat status;
        const bool begun = stat(name, &status) == 0 && status.st_size > 0;
        (void)unlink(name);
        // Killed before its first step was whole, a file holds nothing that could be lost: it ends, but is not damaged.
        return readable || !begun || strstr(rbl_last_error(), "the file ends") != NULL;
    }
    return true;
}

static rblResult bench_kills(RecordingBench* b, const char* scene)
{
    char tool[RBL_PATH_SIZE];
    char path[RBL_PATH_SIZE];
    rblRandom random = rbl_random_seed(5, 1);
    const uint32_t count = rbl_bench_size(b->bench, 100, 2);
    uint32_t readable = 0;
    double steps = 0.0;
    RBL_TRY(rbl_compose_path(tool, "%s/rubble", rbl_bench_directory(b->bench)));
    RBL_TRY(rbl_compose_path(path, "%s/killed.rbl", b->folder));
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_bench_stage(b->bench, "killing recordings");
        const pid_t child = start_recording(tool, scene, path);
        const double seconds = rbl_random_range(&random, 0.02, 0.6);
        const struct timespec pause = {0, (long)(1e9 * seconds)};
        nanosleep(&pause, NULL);
        if (child <= 0 || kill(child, SIGKILL) != 0 || waitpid(child, NULL, 0) != child)
        {
            return rbl_fail(RBL_ERROR_UNSUPPORTED, "bench: cannot start and kill %s", tool);
        }
        readable += left_readable(path, &steps);
    }
    snprintf(b->subject, sizeof b->subject, "pile of 1000, %u kills", count);
    report(b, "files that cannot be read", count - readable, "files");
    report(b, "steps kept on average", steps / count, "steps");
    return RBL_OK;
}

// ---- frames ----

static rblResult draw_some(RecordingBench* b, const rblMovie* movie, uint8_t* rgba)
{
    const uint32_t count = rbl_bench_size(b->bench, 8, 1);
    double building = 0.0;
    const double start = rbl_timer_seconds();
    for (uint32_t i = 0; i < count; ++i)
    {
        rblPictureStats stats;
        rbl_bench_stage(b->bench, "drawing frames");
        RBL_TRY(
            rbl_movie_frame(movie, (uint32_t)((uint64_t)(movie->frame_count - 1) * i / count), rgba, &stats));
        building += stats.prepare_seconds + stats.build_seconds;
    }
    const double seconds = rbl_timer_seconds() - start;
    report(b, "frames", count / seconds, "frames/s");
    report(b, "triangles gathered and trees built", 100.0 * building / seconds, "% of a frame");
    return RBL_OK;
}

static rblResult bench_frames(RecordingBench* b, rblSceneId scene)
{
    rblSimulation simulation;
    rblMovie movie = {0};
    Costs costs = {0};
    rblMovieDef def = rbl_default_movie_def();
    def.width = rbl_bench_size(b->bench, 1280, 64);
    def.height = rbl_bench_size(b->bench, 720, 36);
    const size_t bytes = 4 * (size_t)def.width * def.height;
    uint8_t* rgba = rbl_alloc(b->allocator, bytes);
    snprintf(b->subject, sizeof b->subject, "pile of 1000, %u x %u, %u samples", def.width, def.height,
             def.samples);
    rblResult result = rgba != NULL ? rbl_simulation_start(&simulation, scene, true) : rbl_fail_memory();
    result = result == RBL_OK ? measure_costs(&simulation, &costs) : result;
    result = result == RBL_OK ? rbl_movie_open(&movie, &simulation.run, &def) : result;
    result = result == RBL_OK ? draw_some(b, &movie, rgba) : result;
    rbl_movie_close(&movie);
    if (rgba != NULL)
    {
        rbl_simulation_free(&simulation);
    }
    rbl_free(b->allocator, rgba, bytes);
    return result;
}

static rblResult bench_small_pile(RecordingBench* b)
{
    char path[RBL_PATH_SIZE];
    rblSceneId scene;
    const uint32_t steps = rbl_bench_size(b->bench, 300, 20);
    RBL_TRY(rbl_compose_path(path, "%s/pile.json", b->folder));
    RBL_TRY(rbl_bench_write_pile(1000, 10, 1.0 / 60.0, steps, path));
    RBL_TRY(rbl_scene_load(path, &scene));
    rblResult result = bench_kills(b, path);
    result = result == RBL_OK ? bench_frames(b, scene) : result;
    rbl_scene_destroy(scene);
    (void)unlink(path);
    return result;
}

rblResult rbl_bench_recording(rblBench* bench)
{
    RecordingBench b = {.bench = bench,
                        .allocator = rbl_default_allocator(),
                        .folder = "/tmp/rubble_bench_XXXXXX",
                        .stones = rbl_bench_size(bench, 9000, 100),
                        .width = rbl_bench_size(bench, 30, 5)};
    if (mkdtemp(b.folder) == NULL)
    {
        return rbl_fail(RBL_ERROR_FILE, "bench: no folder for recordings can be made in /tmp");
    }
    rblResult result = bench_large_pile(&b);
    result = result == RBL_OK ? bench_small_pile(&b) : result;
    (void)rmdir(b.folder);
    return result;
}
