// rubble info: what a mesh or a recording is.
#include "print.h"
#include "progress.h"
#include "report.h"
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
    rbl_json_writer_init(&writer, 2, rbl_default_allocator());
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, path);
    report_write_json(&writer, facts);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

int info_run(const Parsed* parsed)
{
    const char* path = parsed->arguments[0];
    if (tool_is_recording(path))
    {
        return tool_is_recording_of_calls(path) ? info_calls(parsed, path) : info_recording(parsed, path);
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
