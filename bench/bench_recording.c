// Recordings, exports and frames of a pile: what they cost, how large they are, and whether they survive a kill.
#define _POSIX_C_SOURCE 200809L // fork, execv, kill, nanosleep, stat
#include "base/error.h"
#include "base/random.h"
#include "base/timer.h"
#include "bench/bench.h"
#include "bench/bench_stones.h"
#include "io/folder.h"
#include "scene/export/export.h"
#include "scene/movie/movie.h"
#include "scene/run/simulate.h"
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
    KEEP_ROUNDED,
    KEEP_COUNT
} Keeping;

// Medians over the steps: what else runs on the machine hits some of them hard.
typedef struct Costs
{
    double step;   // s, as the world counts it
    double beside; // s, everything else of the loop
    double bytes;  // of the file
    double body_seconds;
} Costs;

// A simulation on its way, with the times of its steps so far.
typedef struct Trial
{
    rblSimulation simulation;
    char path[RBL_PATH_SIZE]; // of its recording; empty: none
    double *steps, *beside;   // s, by step
} Trial;

static double file_size(const char* path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (double)status.st_size : 0.0;
}

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

static rblResult start_trial(Trial* trial, rblSceneId scene, Keeping keeping, const char* folder)
{
    rblSimulation* simulation = &trial->simulation;
    RBL_TRY(rbl_simulation_start(simulation, scene, false));
    trial->steps = RBL_NEW_ARRAY(simulation->allocator, double, simulation->view.step_count);
    trial->beside = RBL_NEW_ARRAY(simulation->allocator, double, simulation->view.step_count);
    if (trial->steps == NULL || trial->beside == NULL)
    {
        return rbl_fail_memory();
    }
    if (keeping == KEEP_NOTHING)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_compose_path(trial->path, "%s/pile%d.rbl", folder, (int)keeping));
    return rbl_simulation_record(simulation, trial->path, keeping == KEEP_ROUNDED);
}

static void free_trial(Trial* trial)
{
    const uint32_t count = trial->simulation.view.step_count;
    const rblAllocator* allocator = trial->simulation.allocator;
    if (trial->steps != NULL)
    {
        RBL_FREE_ARRAY(allocator, trial->steps, count);
    }
    if (trial->beside != NULL)
    {
        RBL_FREE_ARRAY(allocator, trial->beside, count);
    }
    rbl_simulation_free(&trial->simulation);
}

// At most `count` steps.
static rblResult advance(Trial* trial, uint32_t count)
{
    rblSimulation* simulation = &trial->simulation;
    for (uint32_t i = 0; i < count && !rbl_simulation_done(simulation); ++i)
    {
        rblProfile profile;
        const uint32_t step = simulation->step;
        const double start = rbl_timer_seconds();
        RBL_TRY(rbl_simulation_advance(simulation));
        const double all = rbl_timer_seconds() - start;
        RBL_TRY(rbl_world_profile(simulation->world, &profile));
        trial->steps[step] = 1e-3 * (double)profile.total;
        trial->beside[step] = all - trial->steps[step];
    }
    return RBL_OK;
}

static rblResult finish_trial(Trial* trial, Costs* costs)
{
    rblSimulation* simulation = &trial->simulation;
    const uint32_t count = simulation->view.step_count;
    costs->step = median(trial->steps, count);
    costs->beside = median(trial->beside, count);
    costs->body_seconds = (double)simulation->view.body_count * count * simulation->view.step;
    RBL_TRY(rbl_simulation_finish(simulation));
    costs->bytes = trial->path[0] != '\0' ? file_size(trial->path) : 0.0;
    return RBL_OK;
}

static void report_costs(const RecordingBench* b, const char* how, const Costs* costs, const Costs* plain)
{
    char metric[64];
    snprintf(metric, sizeof metric, "recording, %s: share of a step", how);
    report(b, metric, 100.0 * (costs->beside - plain->beside) / costs->step, "%");
    snprintf(metric, sizeof metric, "recording, %s: size", how);
    report(b, metric, costs->bytes / costs->body_seconds, "bytes a body and second");
}

// What no recording can do without: as many bytes as the exact one has, given to the system step by step.
static rblResult measure_floor(const RecordingBench* b, const Costs* costs, uint32_t step_count)
{
    char path[RBL_PATH_SIZE];
    const size_t size = (size_t)(costs->bytes / step_count);
    double* seconds = RBL_NEW_ARRAY(b->allocator, double, step_count);
    uint8_t* bytes = rbl_alloc(b->allocator, size);
    rblResult result =
        seconds != NULL && bytes != NULL ? rbl_compose_path(path, "%s/floor", b->folder) : rbl_fail_memory();
    const int file = result == RBL_OK ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    for (uint32_t i = 0; i < step_count && file >= 0; ++i)
    {
        memset(bytes, (int)i & 0xFF, size);
        const double start = rbl_timer_seconds();
        (void)!write(file, bytes, size);
        seconds[i] = rbl_timer_seconds() - start;
    }
    if (file >= 0)
    {
        (void)close(file);
        (void)unlink(path);
        report(b, "recording, exact: its bytes written and nothing else",
               100.0 * median(seconds, step_count) / costs->step, "%");
    }
    RBL_FREE_ARRAY(b->allocator, seconds, step_count);
    rbl_free(b->allocator, bytes, size);
    return result;
}

#define TURN 20 // steps

// The three runs take turns, so that what else the machine does meets all of them.
static rblResult advance_in_turns(const RecordingBench* b, Trial trials[KEEP_COUNT])
{
    while (!rbl_simulation_done(&trials[KEEP_NOTHING].simulation))
    {
        rbl_bench_stage(b->bench, "simulating with and without a recording");
        for (int i = 0; i < KEEP_COUNT; ++i)
        {
            RBL_TRY(advance(&trials[i], TURN));
        }
    }
    return RBL_OK;
}

static rblResult measure_trials(const RecordingBench* b, rblSceneId scene, Trial trials[KEEP_COUNT])
{
    Costs costs[KEEP_COUNT] = {0};
    for (int i = 0; i < KEEP_COUNT; ++i)
    {
        RBL_TRY(start_trial(&trials[i], scene, (Keeping)i, b->folder));
    }
    RBL_TRY(advance_in_turns(b, trials));
    for (int i = 0; i < KEEP_COUNT; ++i)
    {
        RBL_TRY(finish_trial(&trials[i], &costs[i]));
    }
    report_costs(b, "exact", &costs[KEEP_EXACT], &costs[KEEP_NOTHING]);
    report_costs(b, "rounded", &costs[KEEP_ROUNDED], &costs[KEEP_NOTHING]);
    report(b, "step", 1e3 * costs[KEEP_NOTHING].step, "ms");
    return measure_floor(b, &costs[KEEP_EXACT], trials[KEEP_EXACT].simulation.view.step_count);
}

// All runs at once; the exact recording stays.
static rblResult measure_recording(const RecordingBench* b, rblSceneId scene, char exact[RBL_PATH_SIZE])
{
    Trial* trials = RBL_NEW_ARRAY(b->allocator, Trial, KEEP_COUNT);
    if (trials == NULL)
    {
        return rbl_fail_memory();
    }
    memset(trials, 0, KEEP_COUNT * sizeof *trials);
    const rblResult result = measure_trials(b, scene, trials);
    memcpy(exact, trials[KEEP_EXACT].path, RBL_PATH_SIZE);
    (void)unlink(trials[KEEP_ROUNDED].path);
    for (int i = 0; i < KEEP_COUNT; ++i)
    {
        free_trial(&trials[i]);
    }
    RBL_FREE_ARRAY(b->allocator, trials, KEEP_COUNT);
    return result;
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

// Wait until a recording has grown to `size` or its writer has ended, and a moment more.
static void await_size(const char* path, double size, pid_t writer, double moment)
{
    char part[RBL_PATH_SIZE];
    const struct timespec pause = {0, 1000000};
    const struct timespec more = {0, (long)(1e9 * moment)};
    siginfo_t ended = {0};
    if (rbl_compose_path(part, "%s.part", path) != RBL_OK)
    {
        return;
    }
    while (file_size(part) < size && waitid(P_PID, (id_t)writer, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           ended.si_pid == 0)
    {
        nanosleep(&pause, NULL);
    }
    nanosleep(&more, NULL);
}

// The size of the recording when nobody kills it.
static rblResult measure_whole(const char* tool, const char* scene, const char* path, double* size)
{
    const pid_t child = start_recording(tool, scene, path);
    if (child <= 0 || waitpid(child, NULL, 0) != child || file_size(path) == 0.0)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "bench: cannot start %s", tool);
    }
    *size = file_size(path);
    (void)unlink(path);
    return RBL_OK;
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
        const bool begun = file_size(name) > 0.0;
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
    double whole = 0.0;
    RBL_TRY(rbl_compose_path(tool, "%s/rubble", rbl_bench_directory(b->bench)));
    RBL_TRY(rbl_compose_path(path, "%s/killed.rbl", b->folder));
    RBL_TRY(measure_whole(tool, scene, path, &whole));
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_bench_stage(b->bench, "killing recordings");
        const pid_t child = start_recording(tool, scene, path);
        if (child > 0)
        {
            const double share = rbl_random_range(&random, -0.05, 1.0);
            await_size(path, share * whole, child, rbl_random_range(&random, 0.0, 0.01));
        }
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
    rblMovieDef def = rbl_default_movie_def();
    def.width = rbl_bench_size(b->bench, 1280, 64);
    def.height = rbl_bench_size(b->bench, 720, 36);
    const size_t bytes = 4 * (size_t)def.width * def.height;
    uint8_t* rgba = rbl_alloc(b->allocator, bytes);
    snprintf(b->subject, sizeof b->subject, "pile of 1000, %u x %u, %u samples", def.width, def.height,
             def.samples);
    rblResult result = rgba != NULL ? rbl_simulation_start(&simulation, scene, true) : rbl_fail_memory();
    while (result == RBL_OK && !rbl_simulation_done(&simulation))
    {
        result = rbl_simulation_advance(&simulation);
    }
    result = result == RBL_OK ? rbl_simulation_finish(&simulation) : result;
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
