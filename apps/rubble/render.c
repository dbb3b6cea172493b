// rubble render: a run as moving pictures.
#define _XOPEN_SOURCE 700 // rmdir, unlink
#include "base/bytes.h"
#include "base/jobs.h"
#include "base/timer.h"
#include "io/file.h"
#include "io/folder.h"
#include "math/vec.h"
#include "print.h"
#include "progress.h"
#include "rubble/io.h"
#include "run_input.h"
#include "scene/movie/movie.h"
#include "shared_options.h"
#include "tool.h"
#include "video.h"
#include <math.h>
#include <string.h>
#include <unistd.h>

#define FRAME_PREFIX "frame_"
#define FRAME_ENDING ".png"

typedef enum OutputKind
{
    OUTPUT_FOLDER,
    OUTPUT_SHEET,
    OUTPUT_MP4,
    OUTPUT_GIF
} OutputKind;

typedef struct Render
{
    const Parsed* parsed;
    const char* output;
    OutputKind kind;
    char folder[RBL_PATH_SIZE]; // of the frames
    rblMovie movie;
    uint32_t drawn, kept;               // frames
    double build_seconds, draw_seconds; // summed over frames
    double wall_seconds;
} Render;

// ---- what to do ----

static OutputKind output_kind(const char* path)
{
    static const char* const sheet[] = {"png", NULL};
    static const char* const mp4[] = {"mp4", NULL};
    static const char* const gif[] = {"gif", NULL};
    return options_has_ending(path, sheet) ? OUTPUT_SHEET
           : options_has_ending(path, mp4) ? OUTPUT_MP4
           : options_has_ending(path, gif) ? OUTPUT_GIF
                                           : OUTPUT_FOLDER;
}

static rblMovieDef movie_def(const Parsed* parsed)
{
    rblMovieDef def = rbl_default_movie_def();
    const OptionValue* size = options_value(parsed, "size");
    if (size != NULL)
    {
        def.width = (uint32_t)size->numbers[0];
        def.height = (uint32_t)size->numbers[1];
    }
    def.samples = options_count(parsed, "samples", def.samples);
    def.rate = options_number(parsed, "fps", def.rate);
    def.speed = options_number(parsed, "speed", def.speed);
    def.begin = options_number(parsed, "begin", def.begin);
    def.end = options_number(parsed, "end", def.end);
    def.overlay = !options_given(parsed, "plain");
    return def;
}

// Outputs are tried before the work that fills them.
static rblResult check_output(Render* render)
{
    const bool force = options_given(render->parsed, "force");
    switch (render->kind)
    {
    case OUTPUT_SHEET:
        return tool_check_output(render->output);
    case OUTPUT_FOLDER:
        RBL_TRY(rbl_compose_path(render->folder, "%s", render->output));
        return rbl_folder_check(render->folder, force);
    case OUTPUT_MP4:
    case OUTPUT_GIF:
    default:
        RBL_TRY(video_check());
        RBL_TRY(tool_check_output(render->output));
        RBL_TRY(rbl_compose_path(render->folder, "%s.frames", render->output));
        return rbl_folder_check(render->folder, force);
    }
}

// ---- frames that are there already ----

// Two renderings with the same text have the same frames: the state at the end and the scene, which has the camera and the
// colours, tell runs apart.
static rblResult describe(const Render* render, char out[RBL_PATH_SIZE])
{
    const rblMovieDef* def = &render->movie.def;
    const rblRun* run = render->movie.run;
    const double numbers[] = {def->rate, def->speed, def->begin,
                              rbl_movie_time(&render->movie, render->movie.frame_count - 1)};
    char texts[4][RBL_NUMBER_SIZE];
    for (int i = 0; i < 4; ++i)
    {
        rbl_format_double(numbers[i], texts[i]);
    }
    return rbl_compose_path(
        out,
        "rubble %s, run %016llx, scene %016llx, %u x %u, %u samples, %s fps, speed %s, from %s to %s s%s\n",
        rbl_version(), (unsigned long long)run->statistics.hash,
        (unsigned long long)rbl_check64(0, run->settings.text, run->settings.text_size), def->width,
        def->height, def->samples, texts[0], texts[1], texts[2], texts[3], def->overlay ? "" : ", plain");
}

static bool holds_text(const char* path, const char* text)
{
    rblFileBytes file;
    if (rbl_file_read(path, RBL_PATH_SIZE, rbl_default_allocator(), &file) != RBL_OK)
    {
        return false;
    }
    const bool same = file.size == strlen(text) && memcmp(file.bytes, text, file.size) == 0;
    rbl_file_bytes_free(&file);
    return same;
}

static rblResult write_text(const char* path, const char* text)
{
    rblWriter writer;
    RBL_TRY(rbl_writer_open(&writer, path, rbl_default_allocator()));
    rbl_write_text(&writer, text);
    return rbl_writer_close(&writer);
}

// Whether frames that are in the folder belong to this rendering. Those of another one are removed before the text changes:
// a later call must not take them for its own, nor a video end with them.
static rblResult claim_folder(Render* render, bool* resumes)
{
    char about[RBL_PATH_SIZE];
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_folder_open(render->folder, options_given(render->parsed, "force")));
    RBL_TRY(describe(render, about));
    RBL_TRY(rbl_compose_path(path, "%s/frames.txt", render->folder));
    *resumes = holds_text(path, about);
    if (*resumes)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_folder_remove_numbered(render->folder, FRAME_PREFIX, FRAME_ENDING));
    return write_text(path, about);
}

static rblResult frame_path(const Render* render, uint32_t frame, char out[RBL_PATH_SIZE])
{
    return rbl_compose_path(out, "%s/" FRAME_PREFIX "%05u" FRAME_ENDING, render->folder, frame);
}

// ---- drawing ----

// Frames that are drawn side by side, one to a worker; workers without a frame help with the tiles of the others.
typedef struct Batch
{
    const Render* render;
    uint32_t frames[RBL_MAX_WORKERS];
    uint32_t count;
    uint8_t* rgba[RBL_MAX_WORKERS];
    double build_seconds[RBL_MAX_WORKERS], draw_seconds[RBL_MAX_WORKERS];
    rblResult results[RBL_MAX_WORKERS];
    char messages[RBL_MAX_WORKERS]
                 [256]; // of failures: the thread that drew knows them, the one that asked does not
} Batch;

static rblResult draw_frame(Batch* batch, uint32_t index)
{
    const Render* render = batch->render;
    const rblMovieDef* def = &render->movie.def;
    const double start = rbl_timer_seconds();
    char path[RBL_PATH_SIZE];
    rblPictureStats stats;
    RBL_TRY(frame_path(render, batch->frames[index], path));
    RBL_TRY(rbl_movie_frame(&render->movie, batch->frames[index], batch->rgba[index], &stats));
    RBL_TRY(rbl_image_save_png(path, batch->rgba[index], def->width, def->height, 4));
    batch->build_seconds[index] = stats.prepare_seconds + stats.build_seconds;
    batch->draw_seconds[index] = rbl_timer_seconds() - start;
    return RBL_OK;
}

static void draw_block(rblRange range, void* context)
{
    Batch* batch = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        batch->results[i] = draw_frame(batch, i);
        if (batch->results[i] != RBL_OK)
        {
            snprintf(batch->messages[i], sizeof batch->messages[i], "%s", rbl_last_error());
        }
    }
}

static rblResult draw_batch(Render* render, Batch* batch)
{
    const double start = rbl_timer_seconds();
    rbl_parallel_for(rbl_default_jobs(), batch->count, 1, draw_block, batch);
    render->wall_seconds += rbl_timer_seconds() - start;
    for (uint32_t i = 0; i < batch->count; ++i)
    {
        if (batch->results[i] != RBL_OK)
        {
            return rbl_fail(batch->results[i], "%s", batch->messages[i]);
        }
        render->build_seconds += batch->build_seconds[i];
        render->draw_seconds += batch->draw_seconds[i];
        render->drawn += 1;
    }
    batch->count = 0;
    return RBL_OK;
}

static rblResult draw_missing(Render* render, Batch* batch, uint32_t room)
{
    const uint32_t count = render->movie.frame_count;
    bool resumes = false;
    RBL_TRY(claim_folder(render, &resumes));
    progress_start("render", count, "frames", !options_given(render->parsed, "quiet"));
    for (uint32_t i = 0; i < count; ++i)
    {
        char path[RBL_PATH_SIZE];
        RBL_TRY(frame_path(render, i, path));
        if (resumes && access(path, R_OK) == 0)
        {
            render->kept += 1; // frames are written whole or not at all
            continue;
        }
        batch->frames[batch->count++] = i;
        if (batch->count == room)
        {
            progress_stage("drawing", (double)(render->drawn + render->kept) / count);
            RBL_TRY(draw_batch(render, batch));
        }
    }
    return batch->count > 0 ? draw_batch(render, batch) : RBL_OK;
}

#define MOST_BYTES ((size_t)256 << 20) // of frames in memory

static rblResult draw_frames(Render* render)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const size_t bytes = 4 * (size_t)render->movie.def.width * render->movie.def.height;
    const size_t fit = MOST_BYTES / bytes;
    const uint32_t workers = rbl_worker_count();
    const uint32_t room = fit < 1 ? 1 : fit < workers ? (uint32_t)fit : workers;
    Batch* batch = rbl_alloc_zero(allocator, sizeof *batch);
    uint8_t* rgba = rbl_alloc(allocator, room * bytes);
    rblResult result = batch != NULL && rgba != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        batch->render = render;
        for (uint32_t i = 0; i < room; ++i)
        {
            batch->rgba[i] = rgba + i * bytes;
        }
        result = draw_missing(render, batch, room);
    }
    rbl_free(allocator, rgba, room * bytes);
    rbl_free(allocator, batch, sizeof *batch);
    return result;
}

static rblResult remove_frames(const Render* render)
{
    static const char* const others[] = {"frames.txt", RBL_FOLDER_MARK, NULL};
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_folder_remove_numbered(render->folder, FRAME_PREFIX, FRAME_ENDING));
    for (int i = 0; others[i] != NULL; ++i)
    {
        RBL_TRY(rbl_compose_path(path, "%s/%s", render->folder, others[i]));
        (void)unlink(path);
    }
    (void)rmdir(render->folder); // stays when something else is in it
    return RBL_OK;
}

static rblResult draw(Render* render)
{
    if (render->kind == OUTPUT_SHEET)
    {
        progress_stage("drawing", -1.0);
        return rbl_run_write_png(render->movie.run, render->output);
    }
    RBL_TRY(draw_frames(render));
    if (render->kind == OUTPUT_FOLDER)
    {
        return RBL_OK;
    }
    progress_stage("encoding", 1.0);
    RBL_TRY(video_encode(render->folder, render->movie.def.rate, render->output, render->kind == OUTPUT_GIF));
    return remove_frames(render);
}

static rblResult render_run_of(Render* render, RunInput* input)
{
    const rblMovieDef def = movie_def(render->parsed);
    RBL_TRY(rbl_movie_check(&def, (double)INFINITY));
    RBL_TRY(check_output(render));
    RBL_TRY(run_input_open(input, render->parsed->arguments[0]));
    RBL_TRY(rbl_movie_check(&def, run_input_end(input)));
    RBL_TRY(run_input_run(input));
    RBL_TRY(rbl_movie_open(&render->movie, input->run, &def));
    return draw(render);
}

// ---- telling ----

static void report(const Render* render)
{
    char rate[RBL_NUMBER_SIZE];
    char share[RBL_NUMBER_SIZE];
    if (render->kind == OUTPUT_SHEET || options_given(render->parsed, "quiet"))
    {
        return;
    }
    print_number(render->drawn / rbl_maxd(render->wall_seconds, 1e-9), 3, rate);
    print_number(100.0 * render->build_seconds / rbl_maxd(render->draw_seconds, 1e-9), 3, share);
    printf(
        "%u frames drawn, %s a second (%s %% of it gathering triangles and building trees), %u were there\n",
        render->drawn, rate, share, render->kept);
}

// A sheet has its own frames: options that would do nothing are refused.
static int check_sheet(const Parsed* parsed)
{
    static const char* const names[] = {"size", "samples", "fps", "speed", "begin", "end", "plain", NULL};
    for (int i = 0; names[i] != NULL; ++i)
    {
        if (options_given(parsed, names[i]))
        {
            return tool_usage(parsed,
                              "--%s: a sheet always has nine frames of one size, from the start to the end",
                              names[i]);
        }
    }
    return TOOL_DONE;
}

static int render_run(const Parsed* parsed)
{
    Render render = {.parsed = parsed, .output = options_value(parsed, "output")->text};
    RunInput input = {0};
    render.kind = output_kind(render.output);
    const int usage = render.kind == OUTPUT_SHEET ? check_sheet(parsed) : TOOL_DONE;
    if (usage != TOOL_DONE)
    {
        return usage;
    }
    progress_start("render", 0.0, NULL, !options_given(parsed, "quiet"));
    const rblResult result = render_run_of(&render, &input);
    progress_stop();
    const int code = result == RBL_OK ? TOOL_DONE : tool_fail_last();
    if (code == TOOL_DONE)
    {
        report(&render);
    }
    rbl_movie_close(&render.movie);
    run_input_close(&input);
    return code;
}

static const Argument render_arguments[] = {
    {"RUN", ARGUMENT_RUN, false, "a recording, or a scene (.json) that is run first"}};
static const Option render_options[] = {
    {.name = "output",
     .kind = OPTION_TEXT,
     .letter = 'o',
     .required = true,
     .value = "OUT",
     .help = "output: .mp4 or .gif a video (needs ffmpeg), .png nine frames on one sheet, otherwise a "
             "folder of PNG files"},
    {.name = "size",
     .kind = OPTION_NUMBERS,
     .least = 2,
     .most = 2,
     .whole = true,
     .lowest = 1,
     .highest = RBL_PICTURE_MAX_SIZE,
     .value = "W,H",
     .fallback = "1280,720",
     .help = "pixels of a frame"},
    ONE_COUNT("samples", 1, RBL_PICTURE_MAX_SAMPLES, "8", "samples a pixel at most; even regions need fewer"),
    ONE_NUMBER("fps", 0.01, 1000, "F", "30", "frames a second"),
    ONE_NUMBER("speed", 1e-4, 1e4, "X", "1", "speed of time: 0.25 is slow motion"),
    ONE_NUMBER("begin", 0, OPTIONS_UNBOUNDED, "S", "0", "first moment, seconds"),
    ONE_NUMBER("end", 0, OPTIONS_UNBOUNDED, "S", NULL, "last moment, seconds; default: the end of the run"),
    {.name = "plain", .help = "do not write time, bodies, contacts and milliseconds in the corner"},
    FORCE_OPTION,
};
static const char* const render_examples[] = {
    "rubble render wall.rbl -o wall.mp4",
    "rubble render scenes/dominoes.json -o slow.gif --speed 0.25 --size 640,360",
    "rubble render scenes/dominoes.json -o frames --samples 32", NULL};

const Command render_command = {
    .name = "render",
    .summary = "draw a run as a video, as frames, or as a sheet of nine",
    .details = "Draws a run with the ray tracer, seen by the scene's camera or by one that follows the "
               "action. Poses are interpolated between steps. Frames are written as a whole or not at all: "
               "after an interruption the same command continues. Frames of another rendering in the "
               "folder are removed.",
    .arguments = render_arguments,
    .argument_count = OPTIONS_COUNT_OF(render_arguments),
    .options = render_options,
    .option_count = OPTIONS_COUNT_OF(render_options),
    .examples = render_examples,
    .run = render_run};
