// rubble replay: a recording run again.
#include "scene/record/replay.h"
#include "base/timer.h"
#include "print.h"
#include "progress.h"
#include "tool.h"
#include <string.h>

typedef struct Outcome
{
    rblReplay replay;
    double seconds;
} Outcome;

static void format_hash(uint64_t hash, char out[17])
{
    snprintf(out, 17, "%08lx%08lx", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xFFFFFFFFu));
}

static rblResult replay(const Parsed* parsed, const rblRun* run, Outcome* outcome)
{
    const double start = rbl_timer_seconds();
    const uint32_t last = rbl_run_last_step(run);
    progress_start("replay", last, "steps", !options_given(parsed, "quiet"));
    RBL_TRY(rbl_replay_start(&outcome->replay, run, false));
    while (!rbl_replay_done(&outcome->replay))
    {
        progress_stage("stepping", (double)outcome->replay.simulation.step / last);
        RBL_TRY(rbl_replay_advance(&outcome->replay));
    }
    outcome->seconds = rbl_timer_seconds() - start;
    return RBL_OK;
}

// What a difference may come from, for the end of a line.
static const char* excuse(const rblRun* run)
{
    return strcmp(run->settings.version, rbl_version()) != 0 ? "; it was made by another version" : "";
}

static int print_table(const rblRun* run, const Outcome* outcome)
{
    const rblReplay* replayed = &outcome->replay;
    char text[160];
    char expected[17];
    char found[17];
    char seconds[RBL_NUMBER_SIZE];
    print_number(outcome->seconds, 4, seconds);
    printf("%s\n", run->settings.name);
    snprintf(text, sizeof text, "%u in %s s", rbl_run_last_step(run), seconds);
    print_line(stdout, "steps", text);
    if (replayed->first_difference == RBL_NONE)
    {
        print_line(stdout, "verdict", "every step is the same");
        return TOOL_DONE;
    }
    format_hash(run->statistics.steps.data[replayed->first_difference].hash, expected);
    format_hash(replayed->found, found);
    snprintf(text, sizeof text, "step %u is the first that differs%s", replayed->first_difference,
             excuse(run));
    print_line(stdout, "verdict", text);
    print_line(stdout, "hash recorded", expected);
    print_line(stdout, "hash now", found);
    return TOOL_DONE;
}

static int print_object(const rblRun* run, const Outcome* outcome)
{
    const bool same = outcome->replay.first_difference == RBL_NONE;
    rblJsonWriter json;
    char hash[17];
    rbl_json_writer_init(&json, 2, rbl_default_allocator());
    rbl_json_begin_object(&json);
    rbl_json_key(&json, "scene");
    rbl_json_string(&json, run->settings.name);
    rbl_json_key(&json, "version");
    rbl_json_string(&json, run->settings.version);
    rbl_json_key(&json, "steps");
    rbl_json_unsigned(&json, rbl_run_last_step(run));
    rbl_json_key(&json, "same");
    rbl_json_bool(&json, same);
    if (!same)
    {
        rbl_json_key(&json, "firstDifference");
        rbl_json_unsigned(&json, outcome->replay.first_difference);
    }
    format_hash(outcome->replay.simulation.run.statistics.hash, hash);
    rbl_json_key(&json, "hash");
    rbl_json_string(&json, hash);
    rbl_json_key(&json, "seconds");
    rbl_json_number(&json, outcome->seconds);
    rbl_json_end_object(&json);
    return print_json(&json);
}

static int replay_run(const Parsed* parsed)
{
    const char* path = parsed->arguments[0];
    if (tool_is_recording_of_calls(path))
    {
        return replay_calls(parsed, path);
    }
    rblRun run;
    Outcome outcome = {0};
    int code = tool_load_run(parsed, path, &run, NULL);
    if (code != TOOL_DONE)
    {
        return code;
    }
    code = replay(parsed, &run, &outcome) == RBL_OK ? TOOL_DONE : tool_fail_last();
    progress_stop();
    if (code == TOOL_DONE)
    {
        code = options_given(parsed, "json") ? print_object(&run, &outcome) : print_table(&run, &outcome);
    }
    const uint32_t difference = outcome.replay.first_difference;
    if (code == TOOL_DONE && difference != RBL_NONE && options_given(parsed, "verify"))
    {
        code = tool_fail("%s: step %u is the first that differs%s", path, difference, excuse(&run));
    }
    rbl_replay_free(&outcome.replay);
    rbl_run_free(&run);
    return code;
}

static const Argument replay_arguments[] = {{"FILE", ARGUMENT_RUN, false, "the recording"}};
static const Option replay_options[] = {
    {.name = "verify", .help = "fail when a step differs, and name the first one"},
    {.name = "json", .help = "print one JSON object instead of a table"},
};
static const char* const replay_examples[] = {"rubble replay wall.rbl --verify",
                                              "rubble replay wall.rbl --verify --threads 1", NULL};

const Command replay_command = {
    .name = "replay",
    .summary = "run a recording again and compare every step",
    .details = "Builds the scene of a recording with its meshes, runs it to the last recorded step and "
               "compares the hash of every step with the recorded one. They are equal for the same version "
               "of the engine, on any number of threads and any machine. A recording of calls "
               "(rubble/recorder.h) is replayed call by call.",
    .arguments = replay_arguments,
    .argument_count = OPTIONS_COUNT_OF(replay_arguments),
    .options = replay_options,
    .option_count = OPTIONS_COUNT_OF(replay_options),
    .examples = replay_examples,
    .run = replay_run};
