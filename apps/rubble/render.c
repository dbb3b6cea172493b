// rubble render: a run as moving pictures.
#include "print.h"
#include "progress.h"
#include "run_input.h"
#include "shared_options.h"
#include "tool.h"
#include "video.h"
#include <math.h>
#include <string.h>

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
    char folder[TOOL_PATH_SIZE]; // of the frames
    double rate;
    rblRunId run;     // the input's
    rblMovieId movie; // null before there is one
    rblMovieReport report;
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
        return rbl_output_check(render->output);
    case OUTPUT_FOLDER:
        RBL_TRY(tool_compose_path(render->folder, "%s", render->output));
        return rbl_output_check_folder(render->folder, force);
    case OUTPUT_MP4:
    case OUTPUT_GIF:
    default:
        RBL_TRY(video_check());
        RBL_TRY(rbl_output_check(render->output));
        RBL_TRY(tool_compose_path(render->folder, "%s.frames", render->output));
        return rbl_output_check_folder(render->folder, force);
    }
}

// ---- drawing ----

static bool show_drawing(double fraction, void* context)
{
    (void)context;
    progress_stage("drawing", fraction);
    return true;
}

static rblResult draw_frames(Render* render)
{
    const rblProgress progress = {.report = show_drawing};
    uint32_t count = 0;
    RBL_TRY(rbl_movie_frame_count(render->movie, &count));
    progress_start("render", count, "frames", !options_given(render->parsed, "quiet"));
    return rbl_movie_save_frames(render->movie, render->folder, options_given(render->parsed, "force"),
                                 &progress, &render->report);
}

static rblResult draw(Render* render)
{
    if (render->kind == OUTPUT_SHEET)
    {
        progress_stage("drawing", -1.0);
        return rbl_run_export(render->run, render->output, NULL);
    }
    RBL_TRY(draw_frames(render));
    if (render->kind == OUTPUT_FOLDER)
    {
        return RBL_OK;
    }
    progress_stage("encoding", 1.0);
    RBL_TRY(video_encode(render->folder, render->rate, render->output, render->kind == OUTPUT_GIF));
    return rbl_movie_remove_frames(render->folder);
}

static rblResult render_run_of(Render* render, RunInput* input)
{
    const rblMovieDef def = movie_def(render->parsed);
    RBL_TRY(rbl_movie_check(&def, (double)INFINITY));
    RBL_TRY(check_output(render));
    RBL_TRY(run_input_open(input, render->parsed->arguments[0]));
    RBL_TRY(rbl_movie_check(&def, input->end));
    RBL_TRY(run_input_run(input));
    render->run = input->run;
    render->rate = def.rate;
    RBL_TRY(rbl_movie_create(input->run, &def, &render->movie));
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
    const rblMovieReport* done = &render->report;
    print_number(done->drawn / rbl_maxd(done->wall_seconds, 1e-9), 3, rate);
    print_number(100.0 * done->build_seconds / rbl_maxd(done->draw_seconds, 1e-9), 3, share);
    printf(
        "%u frames drawn, %s a second (%s %% of it gathering triangles and building trees), %u were there\n",
        done->drawn, rate, share, done->kept);
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
    if (render.movie.index1 != 0)
    {
        rbl_movie_destroy(render.movie);
    }
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
