// Recordings, for every command that reads them, and what rubble info tells of them.
#include "print.h"
#include "progress.h"
#include "tool.h"
#include <string.h>

static size_t read_start(const char* path, uint8_t start[64])
{
    FILE* file = fopen(path, "rb");
    const size_t got = file != NULL ? fread(start, 1, 64, file) : 0;
    if (file != NULL)
    {
        fclose(file);
    }
    return got;
}

bool tool_is_recording(const char* path)
{
    uint8_t start[64];
    return rbl_is_recording(start, read_start(path, start));
}

bool tool_is_recording_of_calls(const char* path)
{
    uint8_t start[64];
    return rbl_is_recording_of_calls(start, read_start(path, start));
}

// A run that was stopped on the way left its recording under another name.
static int fail_missing(const char* path)
{
    char part[4096];
    char message[RBL_ERROR_TEXT_SIZE];
    snprintf(message, sizeof message, "%s", rbl_last_error());
    const int length = snprintf(part, sizeof part, "%s.part", path);
    const bool unfinished = length > 0 && length < (int)sizeof part && tool_is_recording(part);
    return unfinished ? tool_fail("%s; %s holds an unfinished run", message, part) : tool_fail("%s", message);
}

int tool_load_run(const Parsed* parsed, const char* path, rblRun* run, rblRecordingReport* report)
{
    rblRecordingReport found;
    tool_start_progress(parsed, path);
    progress_stage("reading", 0.0);
    const rblResult result = rbl_recording_load(path, run, &found);
    progress_stop();
    if (result != RBL_OK)
    {
        return result == RBL_ERROR_FILE ? fail_missing(path) : tool_fail_last();
    }
    if (found.problem[0] != '\0' && !options_given(parsed, "quiet"))
    {
        char line[4096 + 512];
        snprintf(line, sizeof line, "rubble: note: %s: %s; the %u steps before it are used", path,
                 found.problem, rbl_run_last_step(run));
        progress_print(line);
    }
    if (report != NULL)
    {
        *report = found;
    }
    return TOOL_DONE;
}

// ---- rubble info ----

static uint64_t count_keys(const rblRun* run)
{
    uint64_t keys = 0;
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        keys += run->bodies.data[i].keys.count;
    }
    return keys;
}

static uint32_t count_deaths(const rblRun* run)
{
    uint32_t deaths = 0;
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        deaths += run->bodies.data[i].death != RBL_NONE;
    }
    return deaths;
}

static const char* state_of(const rblRun* run, const rblRecordingReport* report)
{
    return run->complete ? "complete" : report->problem[0] != '\0' ? report->problem : "not finished";
}

static void format_hash(uint64_t hash, char out[17])
{
    snprintf(out, 17, "%08lx%08lx", (unsigned long)(hash >> 32), (unsigned long)(hash & 0xFFFFFFFFu));
}

static void print_text(const char* path, const rblRun* run, const rblRecordingReport* report)
{
    const rblRunSettings* settings = &run->settings;
    const uint32_t last = rbl_run_last_step(run);
    char text[256];
    char number[RBL_NUMBER_SIZE];
    char step[RBL_NUMBER_SIZE];
    printf("%s\n", path);
    print_line(stdout, "scene", settings->name);
    snprintf(text, sizeof text, "%s, format %u", settings->version, RBL_RECORDING_VERSION);
    print_line(stdout, "version", text);
    print_line(stdout, "state", state_of(run, report));
    print_number((double)last * settings->step, 4, number);
    print_number(settings->step, 6, step);
    snprintf(text, sizeof text, "%u of %u (%s s, %s s each)", last, settings->step_count, number, step);
    print_line(stdout, "steps", text);
    snprintf(text, sizeof text, "%zu, %u of them gone at the end", run->bodies.count, count_deaths(run));
    print_line(stdout, "bodies", text);
    snprintf(text, sizeof text, "%zu shapes, %zu materials", run->shapes.count, run->materials.count);
    print_line(stdout, "made of", text);
    snprintf(text, sizeof text, "%zu, and %zu of contacts", run->statistics.events.count,
             run->contacts.count);
    print_line(stdout, "events", text);
    print_line(stdout, "poses",
               report->quantised ? "rounded to 1/32 mm and 1/65536 of a quaternion"
                                 : "exact, with velocities");
    const double seconds = (double)last * settings->step * (double)run->bodies.count;
    print_number(seconds > 0.0 ? (double)report->size / seconds : 0.0, 4, number);
    snprintf(text, sizeof text, "%llu bytes, %s a body and second", (unsigned long long)report->size, number);
    print_line(stdout, "size", text);
    char hash[17];
    format_hash(run->statistics.hash, hash);
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

static int print_object(const char* path, const rblRun* run, const rblRecordingReport* report)
{
    rblJsonWriter json;
    char hash[17];
    rbl_json_writer_init(&json, 2, rbl_default_allocator());
    rbl_json_begin_object(&json);
    put_text(&json, "file", path);
    put_text(&json, "format", "rbl");
    put_text(&json, "scene", run->settings.name);
    put_text(&json, "version", run->settings.version);
    rbl_json_key(&json, "complete");
    rbl_json_bool(&json, run->complete);
    put_text(&json, "problem", report->problem);
    put_count(&json, "steps", rbl_run_last_step(run));
    put_count(&json, "stepsPlanned", run->settings.step_count);
    rbl_json_key(&json, "step");
    rbl_json_number(&json, run->settings.step);
    put_count(&json, "seed", run->settings.seed);
    put_count(&json, "bodies", run->bodies.count);
    put_count(&json, "deaths", count_deaths(run));
    put_count(&json, "shapes", run->shapes.count);
    put_count(&json, "materials", run->materials.count);
    put_count(&json, "events", run->statistics.events.count);
    put_count(&json, "contactEvents", run->contacts.count);
    put_count(&json, "keys", count_keys(run));
    rbl_json_key(&json, "quantised");
    rbl_json_bool(&json, report->quantised);
    put_count(&json, "chunks", report->chunks);
    put_count(&json, "bytes", report->size);
    put_count(&json, "bytesUsed", report->used);
    format_hash(run->statistics.hash, hash);
    put_text(&json, "hash", hash);
    rbl_json_end_object(&json);
    return print_json(&json);
}

int info_recording(const Parsed* parsed, const char* path)
{
    rblRun run;
    rblRecordingReport report;
    int code = tool_load_run(parsed, path, &run, &report);
    if (code != TOOL_DONE)
    {
        return code;
    }
    if (options_given(parsed, "json"))
    {
        code = print_object(path, &run, &report);
    }
    else
    {
        print_text(path, &run, &report);
    }
    rbl_run_free(&run);
    return code;
}
