// Recordings, for every command that reads them, and what rubble info tells of them.
#include "print.h"
#include "progress.h"
#include "tool.h"
#include <string.h>

// A run that was stopped on the way left its recording under another name.
static int fail_missing(const char* path)
{
    char part[4096];
    char message[RBL_ERROR_TEXT_SIZE];
    snprintf(message, sizeof message, "%s", rbl_last_error());
    const int length = snprintf(part, sizeof part, "%s.part", path);
    const bool unfinished =
        length > 0 && length < (int)sizeof part && rbl_recording_kind(part) != RBL_RECORDING_NONE;
    return unfinished ? tool_fail("%s; %s holds an unfinished run", message, part) : tool_fail("%s", message);
}

int tool_load_run(const Parsed* parsed, const char* path, rblRunId* run, rblRecordingReport* report)
{
    rblRecordingReport found;
    tool_start_progress(parsed, path);
    progress_stage("reading", 0.0);
    const rblResult result = rbl_run_load(path, run, &found);
    progress_stop();
    if (result != RBL_OK)
    {
        return result == RBL_ERROR_FILE ? fail_missing(path) : tool_fail_last();
    }
    if (found.problem[0] != '\0' && !options_given(parsed, "quiet"))
    {
        rblRunView view;
        char line[4096 + 512];
        snprintf(line, sizeof line, "rubble: note: %s: %s; the %u steps before it are used", path,
                 found.problem, rbl_run_view(*run, &view) == RBL_OK ? view.step : 0);
        progress_print(line);
    }
    if (report != NULL)
    {
        *report = found;
    }
    return TOOL_DONE;
}

// ---- rubble info ----

// Keys of all bodies, and how many of these are gone at the end.
static void count_bodies(rblRunId run, uint32_t count, uint64_t* keys, uint32_t* deaths)
{
    *keys = 0;
    *deaths = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblRunBodyView body;
        if (rbl_run_body(run, i, &body) == RBL_OK)
        {
            *keys += body.key_count;
            *deaths += body.death != RBL_NONE;
        }
    }
}

static const char* state_of(const rblRunView* run, const rblRecordingReport* report)
{
    return run->complete ? "complete" : report->problem[0] != '\0' ? report->problem : "not finished";
}

static void print_text(const char* path, const rblRunView* run, uint32_t deaths,
                       const rblRecordingReport* report)
{
    const rblRunSettings* settings = &run->settings;
    const uint32_t last = run->step;
    char text[256];
    char number[RBL_NUMBER_SIZE];
    char step[RBL_NUMBER_SIZE];
    printf("%s\n", path);
    print_line(stdout, "scene", settings->name);
    snprintf(text, sizeof text, "%s, format %u", settings->version, report->version);
    print_line(stdout, "version", text);
    print_line(stdout, "state", state_of(run, report));
    print_number((double)last * settings->step, 4, number);
    print_number(settings->step, 6, step);
    snprintf(text, sizeof text, "%u of %u (%s s, %s s each)", last, settings->step_count, number, step);
    print_line(stdout, "steps", text);
    snprintf(text, sizeof text, "%u, %u of them gone at the end", run->body_count, deaths);
    print_line(stdout, "bodies", text);
    snprintf(text, sizeof text, "%u shapes, %u materials", run->shape_count, run->material_count);
    print_line(stdout, "made of", text);
    snprintf(text, sizeof text, "%zu, and %zu of contacts", run->event_count, run->contact_count);
    print_line(stdout, "events", text);
    print_line(stdout, "poses",
               report->quantised ? "rounded to 1/32 mm and 1/65536 of a quaternion"
                                 : "exact, with velocities");
    const double seconds = (double)last * settings->step * (double)run->body_count;
    print_number(seconds > 0.0 ? (double)report->size / seconds : 0.0, 4, number);
    snprintf(text, sizeof text, "%llu bytes, %s a body and second", (unsigned long long)report->size, number);
    print_line(stdout, "size", text);
    char hash[17];
    tool_format_hash(run->hash, hash);
    print_line(stdout, "hash", hash);
}

static void put_count(rblJsonWriter* json, const char* key, uint64_t value)
{
    rbl_json_key(json, key);
    rbl_json_unsigned(json, value);
}

static void put_text(rblJsonWriter* json, const char* key, const char* value)
{
    rbl_json_key(json, key);
    rbl_json_string(json, value);
}

static int print_object(const char* path, const rblRunView* run, uint64_t keys, uint32_t deaths,
                        const rblRecordingReport* report)
{
    rblJsonWriter json;
    char hash[17];
    rbl_json_writer_init(&json, 2, NULL);
    rbl_json_begin_object(&json);
    put_text(&json, "file", path);
    put_text(&json, "format", "rbl");
    put_text(&json, "scene", run->settings.name);
    put_text(&json, "version", run->settings.version);
    rbl_json_key(&json, "complete");
    rbl_json_bool(&json, run->complete);
    put_text(&json, "problem", report->problem);
    put_count(&json, "steps", run->step);
    put_count(&json, "stepsPlanned", run->settings.step_count);
    rbl_json_key(&json, "step");
    rbl_json_number(&json, run->settings.step);
    put_count(&json, "seed", run->settings.seed);
    put_count(&json, "bodies", run->body_count);
    put_count(&json, "deaths", deaths);
    put_count(&json, "shapes", run->shape_count);
    put_count(&json, "materials", run->material_count);
    put_count(&json, "events", run->event_count);
    put_count(&json, "contactEvents", run->contact_count);
    put_count(&json, "keys", keys);
    rbl_json_key(&json, "quantised");
    rbl_json_bool(&json, report->quantised);
    put_count(&json, "chunks", report->chunks);
    put_count(&json, "bytes", report->size);
    put_count(&json, "bytesUsed", report->used);
    tool_format_hash(run->hash, hash);
    put_text(&json, "hash", hash);
    rbl_json_end_object(&json);
    return print_json(&json);
}

int info_recording(const Parsed* parsed, const char* path)
{
    rblRunId run;
    rblRunView view;
    rblRecordingReport report;
    uint64_t keys = 0;
    uint32_t deaths = 0;
    int code = tool_load_run(parsed, path, &run, &report);
    if (code != TOOL_DONE)
    {
        return code;
    }
    code = rbl_run_view(run, &view) == RBL_OK ? TOOL_DONE : tool_fail_last();
    count_bodies(run, code == TOOL_DONE ? view.body_count : 0, &keys, &deaths);
    if (code == TOOL_DONE && options_given(parsed, "json"))
    {
        code = print_object(path, &view, keys, deaths, &report);
    }
    else if (code == TOOL_DONE)
    {
        print_text(path, &view, deaths, &report);
    }
    rbl_run_destroy(run);
    return code;
}
