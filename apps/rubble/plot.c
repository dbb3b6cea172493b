// rubble plot: statistics of a run as charts.
#include "scene/plot.h"
#include "run_input.h"
#include "tool.h"

static rblResult plot_statistics(const char* input, const char* output)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblStatistics statistics;
    rblArena texts;
    const char* scene = "";
    rbl_statistics_init(&statistics, allocator);
    rbl_arena_init(&texts, 4096, allocator);
    rblResult result = rbl_statistics_read(input, &texts, &statistics, &scene);
    if (result == RBL_OK)
    {
        result = rbl_plot_write(&statistics, scene, output);
    }
    rbl_arena_free(&texts);
    rbl_statistics_free(&statistics);
    return result;
}

static rblResult plot_recording(const char* path, const char* output)
{
    RunInput input;
    rblResult result = run_input_open(&input, path);
    if (result == RBL_OK)
    {
        result = rbl_plot_write(&input.run->statistics, input.run->settings.name, output);
    }
    run_input_close(&input);
    return result;
}

int plot_run(const Parsed* parsed)
{
    const char* output = options_value(parsed, "output")->text;
    const char* path = parsed->arguments[0];
    const rblResult result =
        run_input_is_recording(path) ? plot_recording(path, output) : plot_statistics(path, output);
    return result == RBL_OK ? TOOL_DONE : tool_fail_last();
}
