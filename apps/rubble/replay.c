// rubble replay: a recording run again.
#include "print.h"
#include "progress.h"
#include "tool.h"
#include <string.h>

typedef struct Outcome
{
    rblRunView recording;
    rblRunReplay replay;
    double seconds;
} Outcome;

static rblResult replay(const Parsed* parsed, rblRunId run, Outcome* outcome)
{
    const double start = tool_seconds();
    RBL_TRY(rbl_run_view(run, &outcome->recording));
    progress_start("replay", outcome->recording.step, "steps", !options_given(parsed, "quiet"));
    RBL_TRY(rbl_run_replay(run, &tool_stepping, &outcome->replay));
    outcome->seconds = tool_seconds() - start;
    return RBL_OK;
}

static int print_table(const Outcome* outcome)
{
    const rblRunReplay* replayed = &outcome->replay;
    char text[160];
    char expected[17];
    char found[17];
    char seconds[RBL_NUMBER_SIZE];
    print_number(outcome->seconds, 4, seconds);
    printf("%s\n", outcome->recording.settings.name);
    snprintf(text, sizeof text, "%u in %s s", outcome->recording.step, seconds);
    print_line(stdout, "steps", text);
    if (replayed->same)
    {
        print_line(stdout, "verdict", "every step is the same");
        return TOOL_DONE;
    }
    tool_format_hash(replayed->expected, expected);
    tool_format_hash(replayed->found, found);
    snprintf(text, sizeof text, "step %u is the first that differs", replayed->first_difference);
    print_line(stdout, "verdict", text);
    print_line(stdout, "hash recorded", expected);
    print_line(stdout, "hash now", found);
    if (replayed->problem[0] != '\0')
    {
        print_line(stdout, "problem", replayed->problem);
    }
    return TOOL_DONE;
}

static int print_object(const Outcome* outcome)
{
    const rblRunReplay* replayed = &outcome->replay;
    rblJsonWriter json;
    char hash[17];
    rbl_json_writer_init(&json, 2, NULL);
    rbl_json_begin_object(&json);
    rbl_json_key(&json, "scene");
    rbl_json_string(&json, outcome->recording.settings.name);
    rbl_json_key(&json, "version");
    rbl_json_string(&json, outcome->recording.settings.version);
    rbl_json_key(&json, "steps");
    rbl_json_unsigned(&json, outcome->recording.step);
    rbl_json_key(&json, "same");
    rbl_json_bool(&json, replayed->same);
    if (!replayed->same)
    {
        rbl_json_key(&json, "firstDifference");
        rbl_json_unsigned(&json, replayed->first_difference);
        rbl_json_key(&json, "problem");
        rbl_json_string(&json, replayed->problem);
    }
    tool_format_hash(replayed->hash, hash);
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
    if (rbl_recording_kind(path) == RBL_RECORDING_CALLS)
    {
        return replay_calls(parsed, path);
    }
    rblRunId run;
    Outcome outcome = {.seconds = 0.0};
    int code = tool_load_run(parsed, path, &run, NULL);
    if (code != TOOL_DONE)
    {
        return code;
    }
    code = replay(parsed, run, &outcome) == RBL_OK ? TOOL_DONE : tool_fail_last();
    progress_stop();
    if (code == TOOL_DONE)
    {
        code = options_given(parsed, "json") ? print_object(&outcome) : print_table(&outcome);
        if (code == TOOL_DONE && !outcome.replay.same && options_given(parsed, "verify"))
        {
            const char* problem = outcome.replay.problem;
            code = tool_fail("%s: step %u is the first that differs%s%s", path,
                             outcome.replay.first_difference, problem[0] != '\0' ? "; " : "", problem);
        }
    }
    rbl_run_destroy(run);
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
