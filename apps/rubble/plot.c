// rubble plot: statistics of a run as charts.
#include "scene/plot.h"
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

int plot_run(const Parsed* parsed)
{
    const char* output = options_value(parsed, "output")->text;
    const rblResult result = plot_statistics(parsed->arguments[0], output);
    return result == RBL_OK ? TOOL_DONE : tool_fail_last();
}
