// rubble export: a run for other programs.
#include "scene/export.h"
#include "progress.h"
#include "run_input.h"
#include "tool.h"

static void show_writing(double fraction, void* context)
{
    (void)context;
    progress_stage("writing", fraction);
}

static rblExportOptions export_options(const Parsed* parsed)
{
    rblExportOptions options = rbl_default_export_options();
    options.every = options_count(parsed, "every", options.every);
    options.force = options_given(parsed, "force");
    options.progress = show_writing;
    return options;
}

rblResult export_check(const Parsed* parsed)
{
    const rblExportOptions options = export_options(parsed);
    const char* output = options_value(parsed, "output")->text;
    RBL_TRY(tool_check_output(output));
    return rbl_export_check_folder(output, &options);
}

rblResult export_write(const Parsed* parsed, const rblRun* run)
{
    const rblExportOptions options = export_options(parsed);
    return rbl_export(run, options_value(parsed, "output")->text, &options);
}

int export_run(const Parsed* parsed)
{
    RunInput input = {0};
    progress_start("export", 0.0, NULL, !options_given(parsed, "quiet"));
    rblResult result = export_check(parsed);
    result = result == RBL_OK ? run_input_open(&input, parsed->arguments[0]) : result;
    result = result == RBL_OK ? export_write(parsed, input.run) : result;
    progress_stop();
    run_input_close(&input);
    return result == RBL_OK ? TOOL_DONE : tool_fail_last();
}
