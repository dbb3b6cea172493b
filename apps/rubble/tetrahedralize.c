// rubble tetrahedralize: a solid filled with tetrahedra; and what rubble info tells of them.
#include "print.h"
#include "progress.h"
#include "shared_options.h"
#include "tool.h"
#include <string.h>

// ---- telling ----

static void print_numbers(const char* label, const char* format, double a, double b)
{
    char first[RBL_NUMBER_SIZE], second[RBL_NUMBER_SIZE], text[160];
    print_number(a, 5, first);
    print_number(b, 5, second);
    snprintf(text, sizeof text, format, first, second);
    print_line(stdout, label, text);
}

static void print_counts(const char* label, const char* format, uint32_t a, uint32_t b)
{
    char text[160];
    snprintf(text, sizeof text, format, a, b);
    print_line(stdout, label, text);
}

// One line of bars is enough to see where the angles are.
static void print_angles(const rblTetsReport* report)
{
    char text[200];
    size_t length = 0;
    uint32_t sum = 0;
    for (uint32_t bin = 0; bin < RBL_TETS_ANGLE_BINS; ++bin)
    {
        sum += report->angles[bin];
    }
    for (uint32_t bin = 0; bin < RBL_TETS_ANGLE_BINS; ++bin)
    {
        const double part = 100.0 * report->angles[bin] / (sum > 0 ? sum : 1);
        const int whole = (int)(part + 0.5);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s%d", bin > 0 ? " " : "",
                                   whole == 0 && part > 0.0 ? "<" : "", whole == 0 && part > 0.0 ? 1 : whole);
    }
    print_line(stdout, "% per 10 deg", text);
}

static void print_report(const rblTetsReport* report)
{
    print_counts("solid", "%u tetrahedra, %u nodes", report->solid_tets, report->solid_nodes);
    if (report->tets > report->solid_tets)
    {
        print_counts("rim", "%u tetrahedra, %u nodes", report->tets - report->solid_tets,
                     report->nodes - report->solid_nodes);
    }
    print_counts("parts", "%u, of %u regions", report->parts, report->regions);
    print_numbers("volume", "%s m^3, surface %s m^2", report->volume, report->area);
    if (report->surface_genus >= 0)
    {
        char text[120];
        snprintf(text, sizeof text, "%u triangles in %u parts, %d handles", report->surface_faces,
                 report->surface_parts, report->surface_genus);
        print_line(stdout, "surface", text);
    }
    else
    {
        print_counts("surface", "%u triangles in %u parts, which meet themselves in edges or nodes",
                     report->surface_faces, report->surface_parts);
    }
    print_numbers("edges", "%s to %s m", report->shortest_edge, report->longest_edge);
    print_numbers("angles", "%s to %s degrees (dihedral)", report->smallest_angle, report->largest_angle);
    print_angles(report);
    print_numbers("radius ratio", "%s at worst, %s on average (1: regular)", report->worst_ratio,
                  report->mean_ratio);
    if (report->tets > report->solid_tets)
    {
        print_numbers("rim angles", "%s to %s degrees", report->rim_smallest_angle,
                      report->rim_largest_angle);
    }
}

static void json_pair(rblJsonWriter* writer, const char* key, double a, double b)
{
    rbl_json_key(writer, key);
    rbl_json_begin_row(writer);
    rbl_json_number(writer, a);
    rbl_json_number(writer, b);
    rbl_json_end_array(writer);
}

static void json_value(rblJsonWriter* writer, const char* key, double value)
{
    rbl_json_key(writer, key);
    rbl_json_number(writer, value);
}

static void json_report(rblJsonWriter* writer, const rblTetsReport* report)
{
    json_value(writer, "tetrahedra", report->tets);
    json_value(writer, "nodes", report->nodes);
    json_value(writer, "solidTetrahedra", report->solid_tets);
    json_value(writer, "solidNodes", report->solid_nodes);
    json_value(writer, "regions", report->regions);
    json_value(writer, "parts", report->parts);
    json_value(writer, "volume", report->volume);
    json_value(writer, "area", report->area);
    json_value(writer, "surfaceTriangles", report->surface_faces);
    json_value(writer, "surfaceParts", report->surface_parts);
    json_value(writer, "surfaceGenus", report->surface_genus);
    json_pair(writer, "edges", report->shortest_edge, report->longest_edge);
    json_pair(writer, "volumes", report->smallest_volume, report->largest_volume);
    json_pair(writer, "angles", report->smallest_angle, report->largest_angle);
    json_pair(writer, "radiusRatio", report->worst_ratio, report->mean_ratio);
    if (report->tets > report->solid_tets)
    {
        json_pair(writer, "rimAngles", report->rim_smallest_angle, report->rim_largest_angle);
    }
    rbl_json_key(writer, "angleCounts");
    rbl_json_begin_row(writer);
    for (uint32_t bin = 0; bin < RBL_TETS_ANGLE_BINS; ++bin)
    {
        rbl_json_number(writer, report->angles[bin]);
    }
    rbl_json_end_array(writer);
    rbl_json_key(writer, "bounds");
    rbl_json_begin_array(writer);
    json_vector(writer, report->bounds.lower);
    json_vector(writer, report->bounds.upper);
    rbl_json_end_array(writer);
}

int info_tetrahedra(const Parsed* parsed, const char* path)
{
    rblTetsId tets;
    rblTetsReport report;
    if (rbl_tets_load(path, &tets) != RBL_OK)
    {
        return tool_fail_last();
    }
    const rblResult result = rbl_tets_inspect(tets, &report);
    (void)rbl_tets_destroy(tets);
    if (result != RBL_OK)
    {
        return tool_fail("%s: %s", path, rbl_last_error());
    }
    if (!options_given(parsed, "json"))
    {
        printf("%s\n", path);
        print_report(&report);
        return TOOL_DONE;
    }
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, path);
    json_report(&writer, &report);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

// ---- filling ----

typedef struct Work
{
    const Parsed* parsed;
    const char* input;
    const char* output;
    rblTetsDef def;
    rblMeshId mesh;
    rblTetsId tets;
    rblTetsFill fill;
    rblTetsReport report;
    rblTetsError error;
    double seconds;
} Work;

static void take_options(Work* work)
{
    const Parsed* parsed = work->parsed;
    work->input = parsed->arguments[0];
    work->output = options_value(parsed, "output")->text;
    work->def = rbl_default_tets_def();
    work->def.edge = options_number(parsed, "edge", 0.0);
    work->def.count = options_count(parsed, "count", work->def.count);
    work->def.levels = options_count(parsed, "levels", work->def.levels);
    work->def.margin = options_number(parsed, "margin", 0.0);
    work->def.halvings = options_count(parsed, "halvings", 0);
}

// The report is about what is in the file.
static rblResult inspect_file(Work* work)
{
    rblTetsId written;
    RBL_TRY(rbl_tets_load(work->output, &written));
    const rblResult result = rbl_tets_inspect(written, &work->report);
    (void)rbl_tets_destroy(written);
    return result;
}

static rblResult fill(Work* work)
{
    progress_stage("reading", 0.0);
    RBL_TRY(rbl_mesh_load(work->input, NULL, &work->mesh));
    bool repaired = false;
    progress_stage("checking", 0.1);
    RBL_TRY(tool_make_solid(work->parsed, work->input, &work->mesh, &repaired));
    progress_stage("filling", 0.3);
    const double start = tool_seconds();
    const rblResult result = rbl_tets_fill(work->mesh, &work->def, &work->fill, &work->tets);
    work->seconds = tool_seconds() - start;
    if (result != RBL_OK)
    {
        return rbl_fail_within(result, work->input);
    }
    progress_stage("measuring", 0.7);
    RBL_TRY(rbl_tets_inspect(work->tets, &work->report));
    RBL_TRY(rbl_tets_compare(work->tets, work->mesh, &work->error));
    progress_stage("writing", 0.9);
    const bool rim = !options_given(work->parsed, "no-rim");
    RBL_TRY(rbl_tets_save(work->tets, rim, work->output));
    return rim ? RBL_OK : inspect_file(work);
}

static void print_fill(const Work* work)
{
    printf("%s -> %s\n", work->input, work->output);
    print_report(&work->report);
    print_numbers("edge", "%s m, filled in %s s", work->fill.edge, work->seconds);
    print_numbers("surface error", "%s m at most, %s m on average", work->error.outward_max,
                  work->error.outward_mean);
    print_numbers("original away", "%s m at most, %s m on average", work->error.original_max,
                  work->error.original_mean);
    print_numbers("volume kept", "%s %% (%s m^3)", 100.0 * work->error.volume_ratio, work->report.volume);
    print_line(stdout, "topology",
               work->fill.same_topology ? "as the original's: parts and handles are kept"
                                        : "NOT the original's: something thin was torn, closed or lost");
    if (work->fill.hidden_edges > 0)
    {
        char at[PRINT_VECTOR_SIZE], length[RBL_NUMBER_SIZE], text[256];
        print_vector(work->fill.hidden_at, at);
        print_number(work->fill.hidden_length, 4, length);
        snprintf(text, sizeof text, "%u edges of the lattice go in and out again, at most %s m, at %s",
                 work->fill.hidden_edges, length, at);
        print_line(stdout, "thin or sharp", text);
    }
}

static int print_fill_json(const Work* work)
{
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, work->output);
    json_report(&writer, &work->report);
    json_value(&writer, "edge", work->fill.edge);
    json_value(&writer, "seconds", work->seconds);
    json_pair(&writer, "surfaceError", work->error.outward_max, work->error.outward_mean);
    json_pair(&writer, "originalAway", work->error.original_max, work->error.original_mean);
    json_value(&writer, "volumeRatio", work->error.volume_ratio);
    json_value(&writer, "hiddenEdges", work->fill.hidden_edges);
    json_value(&writer, "hiddenLength", work->fill.hidden_length);
    rbl_json_key(&writer, "hiddenAt");
    json_vector(&writer, work->fill.hidden_at);
    rbl_json_key(&writer, "sameTopology");
    rbl_json_bool(&writer, work->fill.same_topology);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

static int tetrahedralize_run(const Parsed* parsed)
{
    Work work = {.parsed = parsed};
    take_options(&work);
    if (rbl_output_check(work.output) != RBL_OK)
    {
        return tool_fail_last();
    }
    tool_start_progress(parsed, work.input);
    const rblResult result = fill(&work);
    progress_stop();
    int code = result == RBL_OK ? TOOL_DONE : tool_fail_last();
    if (result == RBL_OK && options_given(parsed, "json"))
    {
        code = print_fill_json(&work);
    }
    else if (result == RBL_OK)
    {
        print_fill(&work);
    }
    if (work.tets.index1 != 0)
    {
        (void)rbl_tets_destroy(work.tets);
    }
    if (work.mesh.index1 != 0)
    {
        (void)rbl_mesh_destroy(work.mesh);
    }
    return code;
}

static const char* const tets_endings[] = {"vtu", "msh", NULL};
static const Argument tetrahedralize_arguments[] = {
    {"MESH", ARGUMENT_INPUT, false, "the mesh file of a solid"},
};
static const Option tetrahedralize_options[] = {
    {.name = "output",
     .kind = OPTION_FILE,
     .letter = 'o',
     .required = true,
     .endings = tets_endings,
     .value = "OUT",
     .help = "the tetrahedra, for ParaView (.vtu) or Gmsh (.msh)"},
    ONE_NUMBER("edge", 1e-9, 1e9, "L", "by the count", "side of the lattice's cubes at the surface, m"),
    ONE_COUNT("count", 1, 1e8, "20000", "smallest number of tetrahedra in the solid; there are a few more"),
    ONE_COUNT("levels", 0, 8, "2", "how often the cubes may double in size towards the inside"),
    ONE_NUMBER("margin", 0, 1e9, "D", "0", "smallest distance that the rim extends out of the solid, m"),
    ONE_COUNT("halvings", 0, 8, "0",
              "halve the edge up to so many times, until no thin part is torn or "
              "closed"),
    {.name = "no-rim", .help = "write the solid alone, without the rim around it"},
    JSON_OPTION,
};
static const char* const tetrahedralize_examples[] = {
    "rubble tetrahedralize statue.obj -o statue.vtu",
    "rubble tetrahedralize plate.ply --edge 0.004 -o plate.msh",
    "rubble tetrahedralize bowl.glb --halvings 3 -o bowl.vtu --json", NULL};

const Command tetrahedralize_command = {
    .name = "tetrahedralize",
    .summary = "fill a solid with tetrahedra of bounded angles",
    .details =
        "Fills a closed mesh with tetrahedra of a graded lattice that is adapted to its surface. A rim of "
        "tetrahedra around it contains the whole surface. The command prints the quality of the "
        "tetrahedra, the distance of their surface from the original, and whether thin parts were kept. In "
        "the file, region 1 is the solid and region 2 the rim.",
    .arguments = tetrahedralize_arguments,
    .argument_count = OPTIONS_COUNT_OF(tetrahedralize_arguments),
    .options = tetrahedralize_options,
    .option_count = OPTIONS_COUNT_OF(tetrahedralize_options),
    .examples = tetrahedralize_examples,
    .run = tetrahedralize_run};
