// rubble decompose: a solid as a few convex parts.
#include "print.h"
#include "progress.h"
#include "shared_options.h"
#include "tool.h"
#include <stdlib.h>

static bool show_cutting(double fraction, void* context)
{
    (void)context;
    progress_stage("cutting", 0.1 + 0.7 * fraction);
    return true;
}

static rblDecomposeOptions chosen_options(const Parsed* parsed)
{
    rblDecomposeOptions options = rbl_default_decompose_options();
    options.max_parts = options_count(parsed, "parts", options.max_parts);
    options.tolerance = options_number(parsed, "tolerance", options.tolerance);
    options.resolution = options_count(parsed, "resolution", options.resolution);
    options.seed = (uint64_t)options_number(parsed, "seed", (double)options.seed);
    options.progress.report = show_cutting;
    return options;
}

static int print_report(const Parsed* parsed, const rblDecomposeReport* report)
{
    const char* path = parsed->arguments[0];
    const double error = report->hull_volume / report->volume - 1.0;
    if (!options_given(parsed, "json"))
    {
        if (options_given(parsed, "verbose"))
        {
            printf("%s\n%u parts, %.4g %% more volume than the solid, %.4g %% in the worst part\n", path,
                   report->part_count, 100.0 * error, 100.0 * report->worst_share);
        }
        return TOOL_DONE;
    }
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, path);
    rbl_json_key(&writer, "output");
    rbl_json_string(&writer, options_value(parsed, "output")->text);
    rbl_json_key(&writer, "parts");
    rbl_json_unsigned(&writer, report->part_count);
    rbl_json_key(&writer, "volume");
    rbl_json_number(&writer, report->volume);
    rbl_json_key(&writer, "hullVolume");
    rbl_json_number(&writer, report->hull_volume);
    rbl_json_key(&writer, "volumeError");
    rbl_json_number(&writer, error);
    rbl_json_key(&writer, "worstShare");
    rbl_json_number(&writer, report->worst_share);
    rbl_json_key(&writer, "withinTolerance");
    rbl_json_bool(&writer, report->within_tolerance);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

// The parts as groups of one mesh.
static rblResult write_parts(const rblMeshId* parts, uint32_t count, const char* path)
{
    rblMeshId whole;
    progress_stage("writing", 0.9);
    rblResult result = rbl_mesh_join(parts, count, &whole);
    if (result == RBL_OK)
    {
        result = rbl_mesh_save(whole, path, NULL);
        rbl_mesh_destroy(whole);
    }
    return result;
}

static int decompose(const Parsed* parsed, rblMeshId mesh, rblMeshId* parts)
{
    const rblDecomposeOptions options = chosen_options(parsed);
    rblDecomposeReport report;
    if (rbl_mesh_decompose(mesh, &options, parts, &report) != RBL_OK)
    {
        return tool_fail("%s: %s", parsed->arguments[0], rbl_last_error());
    }
    const rblResult result = write_parts(parts, report.part_count, options_value(parsed, "output")->text);
    for (uint32_t i = 0; i < report.part_count; ++i)
    {
        rbl_mesh_destroy(parts[i]);
    }
    progress_stop();
    return result == RBL_OK ? print_report(parsed, &report) : tool_fail_last();
}

static int decompose_run(const Parsed* parsed)
{
    rblMeshId mesh;
    tool_start_progress(parsed, parsed->arguments[0]);
    progress_stage("reading", 0.0);
    if (rbl_mesh_load(parsed->arguments[0], NULL, &mesh) != RBL_OK)
    {
        return tool_fail_last();
    }
    rblMeshId* parts = calloc(RBL_DECOMPOSE_MAX_PARTS, sizeof *parts);
    const int code = parts != NULL ? decompose(parsed, mesh, parts) : tool_fail("out of memory");
    free(parts);
    rbl_mesh_destroy(mesh);
    return code;
}

static const char* const decompose_endings[] = {"obj", "ply", "stl", "off", "glb", NULL};
static const Argument decompose_arguments[] = {
    {"IN", ARGUMENT_INPUT, false, "the mesh file to read; it must be closed (rubble repair)"}};
static const Option decompose_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = decompose_endings,
     .value = "OUT",
     .help = "the mesh file to write: one mesh with a group for each part"},
    ONE_COUNT("parts", 1, RBL_DECOMPOSE_MAX_PARTS, "16", "most parts; 1: the convex hull"),
    ONE_NUMBER("tolerance", 1e-6, 1, "T", "0.02",
               "cut a part as long as more than this share of the volume of the solid is outside of it"),
    ONE_COUNT("resolution", 2, 64, "16", "positions of cutting planes along each axis of a part"),
    ONE_COUNT("seed", 0, 9007199254740991.0, "1", "of the directions of further planes"),
    JSON_OPTION,
};
static const char* const decompose_examples[] = {
    "rubble decompose bunny.obj -o parts.obj",
    "rubble decompose chair.stl -o parts.glb --parts 32 --tolerance 0.005 --json", NULL};

const Command decompose_command = {
    .name = "decompose",
    .summary = "turn a solid into a few convex parts",
    .details =
        "Cuts the solid by planes where the convex hull of a part is largest outside of it, joins parts "
        "whose common hull is small enough, and writes the convex hulls. Together they cover the solid. "
        "--verbose or --json prints how much larger they are. A mesh that is open, not manifold or not "
        "oriented outward is refused.",
    .arguments = decompose_arguments,
    .argument_count = OPTIONS_COUNT_OF(decompose_arguments),
    .options = decompose_options,
    .option_count = OPTIONS_COUNT_OF(decompose_options),
    .examples = decompose_examples,
    .run = decompose_run};
