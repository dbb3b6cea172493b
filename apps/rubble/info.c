// rubble info: what a mesh, tetrahedra or a recording are.
#include "print.h"
#include "progress.h"
#include "report.h"
#include "run_input.h"
#include "shared_options.h"
#include "tool.h"

static int print_facts(const Parsed* parsed, const MeshFacts* facts)
{
    const char* path = parsed->arguments[0];
    if (!options_given(parsed, "json"))
    {
        printf("%s\n", path);
        report_print(stdout, facts);
        return TOOL_DONE;
    }
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, path);
    report_write_json(&writer, facts);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

static int info_run(const Parsed* parsed)
{
    const char* path = parsed->arguments[0];
    const rblRecordingKind kind = rbl_recording_kind(path);
    if (kind != RBL_RECORDING_NONE || run_input_is_recording(path))
    {
        return kind == RBL_RECORDING_CALLS ? info_calls(parsed, path) : info_recording(parsed, path);
    }
    if (rbl_tets_format_of(path) != RBL_TETS_AUTO)
    {
        return info_tetrahedra(parsed, path);
    }
    tool_start_progress(parsed, path);
    progress_stage("reading", 0.0);
    rblLoadOptions options = rbl_default_load_options();
    options.keep_non_finite = 1; // described, not refused
    rblMeshId mesh;
    if (rbl_mesh_load(path, &options, &mesh) != RBL_OK)
    {
        return tool_fail_last();
    }
    progress_stage("inspecting", 0.3);
    MeshFacts facts;
    const bool intersections = !options_given(parsed, "no-intersections");
    const rblResult result =
        report_gather(mesh, intersections, options_number(parsed, "density", 1.0), &facts);
    progress_stop();
    const int code =
        result == RBL_OK ? print_facts(parsed, &facts) : tool_fail("%s: %s", path, rbl_last_error());
    rbl_mesh_destroy(mesh);
    return code;
}

static const Argument info_arguments[] = {
    {"FILE", ARGUMENT_INPUT, false,
     "the mesh file, tetrahedra (.vtu, .msh, .ele, .node) or recording (.rbl) to inspect"}};
static const Option info_options[] = {
    JSON_OPTION,
    {.name = "no-intersections", .help = "do not search for self-intersections, which is the only slow part"},
    ONE_NUMBER("density", 1e-9, 1e9, "D", "1", "density for mass and inertia, kg/m^3"),
};
static const char* const info_examples[] = {"rubble info bunny.ply",
                                            "rubble info statue.glb --json --density 2600",
                                            "rubble info wall.rbl", "rubble info statue.vtu", NULL};

const Command info_command = {
    .name = "info",
    .summary = "print properties of a mesh (size, topology, defects, mass), tetrahedra, or a recording",
    .details = "Reads a mesh and prints its properties: counts, whether it is closed, manifold and "
               "oriented, components, genus, volume, area, centre of mass, inertia, and all defects. A "
               "broken mesh is described, not refused. For tetrahedra it prints their number and their "
               "quality. For a recording it prints the scene, the steps, the bodies, the size, and where a "
               "truncated file ends.",
    .arguments = info_arguments,
    .argument_count = OPTIONS_COUNT_OF(info_arguments),
    .options = info_options,
    .option_count = OPTIONS_COUNT_OF(info_options),
    .examples = info_examples,
    .run = info_run};
