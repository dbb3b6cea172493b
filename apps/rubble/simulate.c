// rubble simulate: a scene through time.
#include "print.h"
#include "progress.h"
#include "run_input.h"
#include "shared_options.h"
#include "tool.h"
#include <math.h>
#include <string.h>

typedef struct Run
{
    const Parsed* parsed;
    rblSceneId scene;
    rblRunId id;
    rblSceneView view;
    double prepare_seconds;
    double run_seconds;
} Run;

// ---- running ----

// The names of kinds that have a method, as "prescored, stress".
static void list_methods(char* out, size_t size)
{
    const rblBreakerKind* kind = NULL;
    out[0] = '\0';
    for (uint32_t i = 0; (kind = rbl_breaker_kind_at(i)) != NULL; ++i)
    {
        if (kind->create != NULL)
        {
            const size_t used = strlen(out);
            snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", kind->name);
        }
    }
}

// Names that are reserved for later: say so once, instead of leaving people waiting for their breaks.
static void note_breaking(const Run* run)
{
    const rblSceneView* view = &run->view;
    uint32_t bodies = 0;
    for (uint32_t i = 0; i < view->body_count; ++i)
    {
        bodies += view->bodies[i].fracture != NULL && view->bodies[i].breaker == RBL_NONE;
    }
    if (bodies > 0 && !options_given(run->parsed, "quiet"))
    {
        char methods[160];
        char line[320];
        list_methods(methods, sizeof methods);
        snprintf(
            line, sizeof line,
            "rubble: note: this version breaks bodies by the methods %s: bodies with others stay whole (%u)",
            methods, bodies);
        progress_print(line);
    }
}

// Whether a step is one to write a checkpoint after.
static bool is_checkpoint(const Run* run, uint32_t step)
{
    const double interval = options_number(run->parsed, "checkpoint-every", 1.0) / run->view.step;
    const double before = interval > 1.0 ? (double)(step - 1) / interval : 0.0;
    const double now = interval > 1.0 ? (double)step / interval : 1.0;
    return floor(now + 1e-9) > floor(before + 1e-9) || step >= run->view.step_count;
}

// The steps one by one where checkpoints are kept.
static rblResult advance_with_checkpoints(const Run* run, const char* path)
{
    rblRunView now;
    RBL_TRY(rbl_run_view(run->id, &now));
    for (uint32_t step = now.step + 1; step <= run->view.step_count; ++step)
    {
        progress_stage("stepping", (double)(step - 1) / run->view.step_count);
        RBL_TRY(rbl_run_step(run->id));
        RBL_TRY(is_checkpoint(run, step) ? rbl_run_save_checkpoint(run->id, path) : RBL_OK);
    }
    return RBL_OK;
}

static rblResult advance(Run* run)
{
    const OptionValue* checkpoint = options_value(run->parsed, "checkpoint");
    const double start = tool_seconds();
    RBL_TRY(checkpoint != NULL ? advance_with_checkpoints(run, checkpoint->text) : RBL_OK);
    RBL_TRY(rbl_run_to_end(run->id, &tool_stepping));
    run->run_seconds = tool_seconds() - start;
    return RBL_OK;
}

static bool is_recording(const OptionValue* output)
{
    return output != NULL && run_input_is_recording(output->text);
}

static rblResult start(Run* run, const OptionValue* output)
{
    const bool records = is_recording(output);
    const OptionValue* resume = options_value(run->parsed, "resume");
    rblRunDef def = rbl_default_run_def();
    def.keeps_motion = output != NULL && !records;
    def.recording = records ? output->text : NULL;
    def.quantise = options_given(run->parsed, "quantise");
    def.resume = resume != NULL ? resume->text : NULL;
    RBL_TRY(rbl_scene_view(run->scene, &run->view));
    return rbl_run_create(run->scene, &def, &run->id);
}

static rblResult simulate(Run* run)
{
    const OptionValue* output = options_value(run->parsed, "output");
    const OptionValue* stats = options_value(run->parsed, "stats");
    const OptionValue* checkpoint = options_value(run->parsed, "checkpoint");
    const double begin = tool_seconds();
    RBL_TRY(output != NULL ? export_check(run->parsed) : RBL_OK);
    RBL_TRY(stats != NULL ? rbl_output_check(stats->text) : RBL_OK);
    RBL_TRY(checkpoint != NULL ? rbl_output_check(checkpoint->text) : RBL_OK);
    progress_stage("preparing", -1.0);
    RBL_TRY(start(run, output));
    run->prepare_seconds = tool_seconds() - begin;
    note_breaking(run);
    progress_start("simulate", run->view.step_count, "steps", !options_given(run->parsed, "quiet"));
    RBL_TRY(advance(run));
    progress_stage("writing", 1.0);
    if (output != NULL && !is_recording(output))
    {
        RBL_TRY(export_write(run->parsed, run->id));
    }
    return stats != NULL ? rbl_run_save_statistics(run->id, stats->text) : RBL_OK;
}

// ---- telling ----

typedef struct Stage
{
    const char* name;
    double mean, worst;
} Stage;

#define STAGE_COUNT 7

static void list_stages(const rblRunSummary* s, Stage out[STAGE_COUNT])
{
    const Stage stages[STAGE_COUNT] = {
        {"total", s->mean.total, s->worst.total},
        {"broad", s->mean.broad, s->worst.broad},
        {"narrow", s->mean.narrow, s->worst.narrow},
        {"solve", s->mean.solve, s->worst.solve},
        {"integrate", s->mean.integrate, s->worst.integrate},
        {"fracture", s->mean.fracture, s->worst.fracture},
        {"update", s->mean.update, s->worst.update},
    };
    memcpy(out, stages, sizeof stages);
}

// What is told of a run that is done.
typedef struct Outcome
{
    rblRunSummary summary;
    rblStepRecord last;
    char hash[17];
} Outcome;

static rblResult look(const Run* run, Outcome* out)
{
    RBL_TRY(rbl_run_summary(run->id, &out->summary));
    RBL_TRY(rbl_run_last_record(run->id, &out->last));
    tool_format_hash(out->last.hash, out->hash);
    return RBL_OK;
}

static void print_value(const char* label, double value, const char* unit)
{
    char number[RBL_NUMBER_SIZE];
    char text[RBL_NUMBER_SIZE + 32];
    print_number(value, 4, number);
    snprintf(text, sizeof text, "%s%s%s", number, unit[0] != '\0' ? " " : "", unit);
    print_line(stdout, label, text);
}

static void print_stages(const rblRunSummary* s)
{
    Stage stages[STAGE_COUNT];
    list_stages(s, stages);
    printf("  %-10s %10s %10s\n", "ms a step", "mean", "max");
    for (int i = 0; i < STAGE_COUNT; ++i)
    {
        char mean[RBL_NUMBER_SIZE];
        char worst[RBL_NUMBER_SIZE];
        rbl_format_fixed(stages[i].mean, 3, mean);
        rbl_format_fixed(stages[i].worst, 3, worst);
        printf("  %-10s %10s %10s\n", stages[i].name, mean, worst);
    }
}

static void print_table(const Run* run, const Outcome* outcome)
{
    const rblSceneView* view = &run->view;
    const rblStepRecord* last = &outcome->last;
    const rblRunSummary s = outcome->summary;
    char text[160];
    char seconds[RBL_NUMBER_SIZE];
    print_number((double)view->step_count * view->step, 4, seconds);
    printf("%s\n", view->name);
    snprintf(text, sizeof text, "%u (%s s)", view->step_count, seconds);
    print_line(stdout, "steps", text);
    snprintf(text, sizeof text, "%u, %u of them awake", last->counters.bodies, last->counters.awake);
    print_line(stdout, "bodies at the end", text);
    snprintf(text, sizeof text, "%u, at most %u", last->counters.contacts, s.contacts_max);
    print_line(stdout, "contacts at the end", text);
    print_value("kinetic energy, max", s.kinetic_max, "J");
    print_value("potential energy, span", s.potential_max - s.potential_min, "J");
    print_value("work", s.work, "J");
    print_value("dissipated", s.dissipated, "J");
    print_value("worst rise of energy", s.scale > 0.0 ? s.worst_rise / s.scale : 0.0,
                "of the scale, in a step");
    print_value("prepared in", run->prepare_seconds, "s");
    print_value("ran in", run->run_seconds, "s");
    print_line(stdout, "hash", outcome->hash);
    print_stages(&s);
}

static void put_number(rblJsonWriter* json, const char* key, double value)
{
    rbl_json_key(json, key);
    rbl_json_number(json, value);
}

static int print_summary_json(const Run* run, const Outcome* outcome)
{
    const rblSceneView* view = &run->view;
    const rblStepRecord* last = &outcome->last;
    const rblRunSummary s = outcome->summary;
    Stage stages[STAGE_COUNT];
    rblJsonWriter json;
    rbl_json_writer_init(&json, 2, NULL);
    rbl_json_begin_object(&json);
    rbl_json_key(&json, "scene");
    rbl_json_string(&json, view->name);
    put_number(&json, "steps", view->step_count);
    put_number(&json, "bodies", last->counters.bodies);
    put_number(&json, "awake", last->counters.awake);
    put_number(&json, "contacts", last->counters.contacts);
    put_number(&json, "contactsMax", s.contacts_max);
    put_number(&json, "kineticMax", s.kinetic_max);
    put_number(&json, "potentialSpan", s.potential_max - s.potential_min);
    put_number(&json, "work", s.work);
    put_number(&json, "dissipated", s.dissipated);
    put_number(&json, "worstRise", s.worst_rise);
    put_number(&json, "totalRise", s.total_rise);
    put_number(&json, "clamped", s.clamped);
    put_number(&json, "frozen", s.frozen);
    put_number(&json, "prepareSeconds", run->prepare_seconds);
    put_number(&json, "runSeconds", run->run_seconds);
    list_stages(&s, stages);
    rbl_json_key(&json, "ms");
    rbl_json_begin_object(&json);
    for (int i = 0; i < STAGE_COUNT; ++i)
    {
        rbl_json_key(&json, stages[i].name);
        rbl_json_begin_row(&json);
        rbl_json_number(&json, stages[i].mean);
        rbl_json_number(&json, stages[i].worst);
        rbl_json_end_array(&json);
    }
    rbl_json_end_object(&json);
    rbl_json_key(&json, "hash");
    rbl_json_string(&json, outcome->hash);
    rbl_json_end_object(&json);
    return print_json(&json);
}

// The files of a run would replace each other, and a checkpoint the recording that is being written.
static bool writes_twice(const Parsed* parsed)
{
    static const char* const names[] = {"output", "stats", "checkpoint"};
    for (int i = 0; i < 3; ++i)
    {
        const OptionValue* a = options_value(parsed, names[i]);
        const OptionValue* b = options_value(parsed, names[(i + 1) % 3]);
        if (a != NULL && b != NULL && strcmp(a->text, b->text) == 0)
        {
            return true;
        }
    }
    return false;
}

static int simulate_run(const Parsed* parsed)
{
    Run run = {.parsed = parsed};
    const OptionValue* output = options_value(parsed, "output");
    if (output != NULL && !is_recording(output) && options_given(parsed, "resume"))
    {
        return tool_usage(parsed,
                          "--resume: the motion before the checkpoint is in the recording only: write "
                          "one (-o OUT.rbl) and make the rest from it");
    }
    if (writes_twice(parsed))
    {
        return tool_usage(parsed, "--output, --stats and --checkpoint must be different files");
    }
    progress_start("simulate", 0.0, NULL, !options_given(parsed, "quiet"));
    if (rbl_scene_load(parsed->arguments[0], &run.scene) != RBL_OK)
    {
        return tool_fail_last();
    }
    Outcome outcome;
    rblResult result = simulate(&run);
    result = result == RBL_OK ? look(&run, &outcome) : result;
    progress_stop();
    int code = result == RBL_OK ? TOOL_DONE : tool_fail_last();
    if (code == TOOL_DONE && options_given(parsed, "json"))
    {
        code = print_summary_json(&run, &outcome);
    }
    else if (code == TOOL_DONE)
    {
        print_table(&run, &outcome);
    }
    if (run.id.index1 != 0)
    {
        rbl_run_destroy(run.id);
    }
    rbl_scene_destroy(run.scene);
    return code;
}

static const char* const simulate_endings[] = {"glb", "png", "csv", "obj", "pvd", "usda", "rbl", NULL};
static const Argument simulate_arguments[] = {{"SCENE", ARGUMENT_SCENE, false, "the scene file"}};
static const Option simulate_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .endings = simulate_endings,
     .value = "OUT",
     .help =
         "write the motion: .glb or .usda an animation, .png nine frames on one sheet, .pvd, .obj or .csv a "
         "series of frames, .rbl a recording"},
    EVERY_OPTION,
    FORCE_OPTION,
    {.name = "quantise",
     .help =
         "round the poses of a recording, to 1/32 mm and 1/65536 of a quaternion: less than half the size"},
    {.name = "stats", .kind = OPTION_TEXT, .value = "FILE", .help = "write statistics of every step as JSON"},
    {.name = "checkpoint",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help = "write the state of the run to a file, from which it can continue; the file is replaced as a "
             "whole"},
    ONE_NUMBER("checkpoint-every", 0, OPTIONS_UNBOUNDED, "S", "1",
               "simulated seconds between checkpoints; there is also one at the end"),
    {.name = "resume",
     .kind = OPTION_TEXT,
     .value = "FILE",
     .help = "continue from a checkpoint of SCENE; the result is the same as without the interruption"},
    {.name = "json", .help = "print the summary as one JSON object instead of a table"},
};
static const char* const simulate_examples[] = {
    "rubble simulate scenes/wrecking_ball.json -o wall.glb",
    "rubble simulate scenes/dominoes.json -o dominoes.png",
    "rubble simulate scenes/dominoes.json -o dominoes.rbl",
    "rubble simulate scene.json -o run.rbl --checkpoint run.check",
    "rubble simulate scene.json -o run.rbl --resume run.check",
    "rubble simulate scene.json --stats stats.json --threads 4",
    NULL};

const Command simulate_command = {
    .name = "simulate",
    .summary = "run a scene: bodies fall, collide, break and come to rest",
    .details =
        "Reads a scene (docs/scenes.md), runs it for its duration and prints a table: bodies, contacts, "
        "milliseconds a step by stage, energy, work, and a hash of the final state, which is the same for "
        "any number of threads and on every platform. A recording (.rbl) is written during the run, as "
        "OUT.part until it is complete; it can be read at any time.",
    .arguments = simulate_arguments,
    .argument_count = OPTIONS_COUNT_OF(simulate_arguments),
    .options = simulate_options,
    .option_count = OPTIONS_COUNT_OF(simulate_options),
    .examples = simulate_examples,
    .run = simulate_run};
