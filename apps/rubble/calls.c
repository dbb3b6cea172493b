// Recordings of calls: rubble info and rubble replay.
#include "print.h"
#include "progress.h"
#include "scene/record/call_codec.h"
#include "tool.h"

static uint64_t count_all(const rblCallCounts* counts)
{
    uint64_t all = 0;
    for (uint32_t i = 0; i < RBL_CALL_COUNT; ++i)
    {
        all += i != RBL_CALL_STEPPED ? counts->calls[i] : 0; // the other half of a step
    }
    return all;
}

static void print_counts(const char* path, const rblCallCounts* counts)
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
    snprintf(text, sizeof text, "%llu", (unsigned long long)count_all(counts));
    print_line(stdout, "calls", text);
    for (uint32_t i = 0; i < RBL_CALL_COUNT; ++i)
    {
        if (counts->calls[i] > 0 && i != RBL_CALL_STEPPED)
        {
            snprintf(text, sizeof text, "%llu", (unsigned long long)counts->calls[i]);
            print_line(stdout, rbl_call_name((rblCallCode)i), text);
        }
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
    rblCallCounts counts;
    if (rbl_count_calls(path, &counts) != RBL_OK)
    {
        return tool_fail_last();
    }
    if (!options_given(parsed, "json"))
    {
        print_counts(path, &counts);
        return TOOL_DONE;
    }
    rblJsonWriter json;
    rbl_json_writer_init(&json, 2, rbl_default_allocator());
    rbl_json_begin_object(&json);
    put_text(&json, "file", path);
    put_text(&json, "format", "rbl calls");
    put_text(&json, "version", counts.version);
    rbl_json_key(&json, "complete");
    rbl_json_bool(&json, counts.complete);
    put_text(&json, "problem", counts.problem);
    put_count(&json, "shapes", counts.shapes);
    put_count(&json, "calls", count_all(&counts));
    put_count(&json, "steps", counts.calls[RBL_CALL_STEP]);
    put_count(&json, "bytes", counts.size);
    put_count(&json, "bytesUsed", counts.bytes);
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
    rbl_json_writer_init(&json, 2, rbl_default_allocator());
    rbl_json_begin_object(&json);
    put_count(&json, "calls", report->calls);
    put_count(&json, "steps", report->steps);
    rbl_json_key(&json, "complete");
    rbl_json_bool(&json, report->complete);
    rbl_json_key(&json, "same");
    rbl_json_bool(&json, report->same);
    if (report->first_difference > 0)
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
    const rblResult result = rbl_replay_calls(path, &report);
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
