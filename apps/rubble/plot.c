// rubble plot: statistics of a run as charts.
#include "run_input.h"
#include "tool.h"

static rblResult plot_recording(const char* path, const char* output)
{
    RunInput input;
    rblResult result = run_input_open(&input, path);
    result = result == RBL_OK ? rbl_run_plot(input.run, output) : result;
    run_input_close(&input);
    return result;
}

static int plot_run(const Parsed* parsed)
{
    const char* output = options_value(parsed, "output")->text;
    const char* path = parsed->arguments[0];
    const rblResult result =
        run_input_is_recording(path) ? plot_recording(path, output) : rbl_statistics_plot(path, output);
    return result == RBL_OK ? TOOL_DONE : tool_fail_last();
}

static const char* const plot_endings[] = {"svg", NULL};
static const Argument plot_arguments[] = {
    {"RUN", ARGUMENT_RUN, false, "a recording, or statistics (.json) as simulate --stats writes them"}};
static const Option plot_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = plot_endings,
     .value = "OUT.svg",
     .help = "the picture to write"},
};
static const char* const plot_examples[] = {"rubble plot wall.rbl -o wall.svg",
                                            "rubble plot stats.json -o stats.svg", NULL};

const Command plot_command = {
    .name = "plot",
    .summary = "draw milliseconds, contacts, bodies and energy of a run over time",
    .details = "Writes one SVG picture with four charts, readable on light and dark pages: milliseconds a "
               "step (total, collision, physics, fracture, update), contacts (output, colliding, pairs), "
               "bodies (all, awake) and energy (kinetic, potential, dissipated, work). Spikes are never "
               "smoothed.",
    .arguments = plot_arguments,
    .argument_count = OPTIONS_COUNT_OF(plot_arguments),
    .options = plot_options,
    .option_count = OPTIONS_COUNT_OF(plot_options),
    .examples = plot_examples,
    .run = plot_run};
