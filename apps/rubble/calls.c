// Recordings of calls: rubble info and rubble replay.
#include "print.h"
#include "progress.h"
#include "tool.h"

static void print_counts(const char* path, const rblCallsReport* counts)
{
    char text[64];
    printf("%s\n", path);
    print_line(stdout, "recording of", "calls on a world");
    print_line(stdout, "version", counts->version);
    print_line(stdout, "state",
               counts->complete             ? "complete"
               : counts->problem[0] != '\0' ? counts->problem
                                            : "not finished");
    snprintf(text, sizeof text, "%llu bytes", (unsigned long long)counts->size);
    print_line(stdout, "size", text);
    snprintf(text, sizeof text, "%u", counts->shapes);
    print_line(stdout, "shapes", text);
    snprintf(text, sizeof text, "%llu", (unsigned long long)counts->calls);
    print_line(stdout, "calls", text);
    for (uint32_t i = 0; i < counts->kind_count; ++i)
    {
        snprintf(text, sizeof text, "%llu", (unsigned long long)counts->kinds[i].count);
        print_line(stdout, counts->kinds[i].name, text);
    }
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

int info_calls(const Parsed* parsed, const char* path)
{
    rblCallsReport counts;
    if (rbl_calls_inspect(path, &counts) != RBL_OK)
    {
        return tool_fail_last();
    }
    if (!options_given(parsed, "json"))
    {
        print_counts(path, &counts);
        return TOOL_DONE;
    }
    rblJsonWriter json;
    rbl_json_writer_init(&json, 2, NULL);
    rbl_json_begin_object(&json);
    put_text(&json, "file", path);
    put_text(&json, "format", "rbl calls");
    put_text(&json, "version", counts.version);
    rbl_json_key(&json, "complete");
    rbl_json_bool(&json, counts.complete);
    put_text(&json, "problem", counts.problem);
    put_count(&json, "shapes", counts.shapes);
    put_count(&json, "calls", counts.calls);
    put_count(&json, "steps", counts.steps);
    put_count(&json, "bytes", counts.size);
    put_count(&json, "bytesUsed", counts.used);
    rbl_json_end_object(&json);
    return print_json(&json);
}

static int print_report(const char* path, const rblReplayReport* report)
{
    char text[64];
    printf("%s\n", path);
    snprintf(text, sizeof text, "%llu", (unsigned long long)report->calls);
    print_line(stdout, "calls", text);
    snprintf(text, sizeof text, "%u", report->steps);
    print_line(stdout, "steps", text);
    print_line(stdout, "verdict", report->same ? "every step is the same" : report->problem);
    if (report->same && report->problem[0] != '\0')
    {
        print_line(stdout, "stopped", report->problem);
    }
    return TOOL_DONE;
}

static int print_object(const rblReplayReport* report)
{
    rblJsonWriter json;
    rbl_json_writer_init(&json, 2, NULL);
    rbl_json_begin_object(&json);
    put_count(&json, "calls", report->calls);
    put_count(&json, "steps", report->steps);
    rbl_json_key(&json, "complete");
    rbl_json_bool(&json, report->complete);
    rbl_json_key(&json, "same");
    rbl_json_bool(&json, report->same);
    if (report->first_difference != RBL_NONE)
    {
        put_count(&json, "firstDifference", report->first_difference);
    }
    put_text(&json, "problem", report->problem);
    rbl_json_end_object(&json);
    return print_json(&json);
}

int replay_calls(const Parsed* parsed, const char* path)
{
    rblReplayReport report;
    tool_start_progress(parsed, path);
    progress_stage("replaying", -1.0);
    const rblResult result = rbl_calls_replay(path, &report);
    progress_stop();
    if (result != RBL_OK)
    {
        return tool_fail_last();
    }
    const int code = options_given(parsed, "json") ? print_object(&report) : print_report(path, &report);
    if (code == TOOL_DONE && !report.same && options_given(parsed, "verify"))
    {
        return tool_fail("%s: %s", path, report.problem);
    }
    return code;
}
