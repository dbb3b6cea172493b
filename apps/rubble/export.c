// rubble export: a run for other programs.
#include "progress.h"
#include "run_input.h"
#include "shared_options.h"
#include "tool.h"

static bool show_writing(double fraction, void* context)
{
    (void)context;
    progress_stage("writing", fraction);
    return true;
}

static rblExportOptions chosen_options(const Parsed* parsed)
{
    rblExportOptions options = rbl_default_export_options();
    options.every = options_count(parsed, "every", options.every);
    options.force = options_given(parsed, "force");
    options.progress.report = show_writing;
    return options;
}

rblResult export_check(const Parsed* parsed)
{
    static const char* const sheet[] = {"png", NULL};
    static const char* const recording[] = {"rbl", NULL};
    const rblExportOptions options = chosen_options(parsed);
    const char* output = options_value(parsed, "output")->text;
    const bool is_sheet = options_has_ending(output, sheet);
    if (options_given(parsed, "every") && (is_sheet || options_has_ending(output, recording)))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "%.200s: --every means nothing here: %s", output,
                        is_sheet ? "a sheet always has nine frames" : "a recording has every step");
    }
    return options_has_ending(output, recording) ? rbl_output_check(output)
                                                 : rbl_export_check(output, &options);
}

rblResult export_write(const Parsed* parsed, rblRunId run)
{
    const rblExportOptions options = chosen_options(parsed);
    return rbl_run_export(run, options_value(parsed, "output")->text, &options);
}

static int export_run(const Parsed* parsed)
{
    RunInput input = {0};
    progress_start("export", 0.0, NULL, !options_given(parsed, "quiet"));
    rblResult result = export_check(parsed);
    result = result == RBL_OK ? run_input_open(&input, parsed->arguments[0]) : result;
    result = result == RBL_OK ? run_input_run(&input) : result;
    result = result == RBL_OK ? export_write(parsed, input.run) : result;
    progress_stop();
    run_input_close(&input);
    return result == RBL_OK ? TOOL_DONE : tool_fail_last();
}

static const char* const export_endings[] = {"glb", "png", "csv", "obj", "pvd", "usda", NULL};
static const Argument export_arguments[] = {
    {"RUN", ARGUMENT_RUN, false, "a recording, or a scene (.json) that is run first"}};
static const Option export_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = export_endings,
     .value = "OUT",
     .help =
         "the file to write: .glb or .usda an animation, .png nine frames on one sheet, .pvd, .obj or .csv a "
         "series of frames"},
    EVERY_OPTION,
    FORCE_OPTION,
};
static const char* const export_examples[] = {"rubble export wall.rbl -o wall.glb",
                                              "rubble export wall.rbl -o wall.pvd --every 4", NULL};

const Command export_command = {
    .name = "export",
    .summary = "turn a recording into files for other programs",
    .details = "Writes the format that the ending of the output names (docs/from-a-run.md): for Blender, "
               "Godot, Unreal, three.js, Houdini, ParaView, or a table. Units are metres and seconds; axes "
               "are right-handed with Y up.",
    .arguments = export_arguments,
    .argument_count = OPTIONS_COUNT_OF(export_arguments),
    .options = export_options,
    .option_count = OPTIONS_COUNT_OF(export_options),
    .examples = export_examples,
    .run = export_run};
