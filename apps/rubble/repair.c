// rubble repair: mend a mesh, and write it when it has become a solid.
#include "print.h"
#include "progress.h"
#include "report.h"
#include "shared_options.h"
#include "tool.h"
#include <string.h>

typedef struct Change
{
    const char* key;
    const char* words;
    uint32_t count;
} Change;

#define CHANGE_COUNT 15

static void list_changes(const rblRepairReport* report, Change out[CHANGE_COUNT])
{
    const Change changes[CHANGE_COUNT] = {
        {"droppedNonFinite", "faces dropped: no place", report->dropped_non_finite},
        {"weldedVertices", "vertices welded", report->welded_vertices},
        {"cleanedFaces", "faces cleaned of loops", report->cleaned_faces},
        {"droppedDegenerate", "faces dropped: no area", report->dropped_degenerate},
        {"droppedDuplicate", "faces dropped: doubled", report->dropped_duplicate},
        {"resolvedTJunctions", "T-junctions resolved", report->resolved_t_junctions},
        {"droppedFins", "faces dropped: fins", report->dropped_fins},
        {"splitEdges", "edges split", report->split_edges},
        {"flippedFaces", "faces turned over", report->flipped_faces},
        {"filledHoles", "holes filled", report->filled_holes},
        {"filledFaces", "faces added to fill", report->filled_faces},
        {"droppedComponents", "components dropped", report->dropped_components},
        {"splitVertices", "vertices split", report->split_vertices},
        {"cutCrossings", "faces cut out: crossing", report->cut_crossings},
        {"droppedVertices", "vertices dropped", report->dropped_vertices},
    };
    memcpy(out, changes, sizeof changes);
}

// The library's advice names its own option; here it is called otherwise.
static void reason_in_our_words(const rblRepairReport* report, char* out, size_t size)
{
    static const char theirs[] = "remesh_cells";
    const char* at = strstr(report->reason, theirs);
    if (at == NULL)
    {
        snprintf(out, size, "%s", report->reason);
        return;
    }
    snprintf(out, size, "%.*s--remesh%s", (int)(at - report->reason), report->reason, at + sizeof theirs - 1);
}

static void print_changes(const rblRepairReport* report)
{
    Change changes[CHANGE_COUNT];
    list_changes(report, changes);
    bool changed = report->remeshed;
    for (uint32_t i = 0; i < CHANGE_COUNT; ++i)
    {
        if (changes[i].count > 0)
        {
            char text[16];
            snprintf(text, sizeof text, "%u", changes[i].count);
            print_line(stdout, changes[i].words, text);
            changed = true;
        }
    }
    if (report->remeshed)
    {
        print_line(stdout, "surface rebuilt", "yes");
    }
    if (!changed)
    {
        print_line(stdout, "changes", "none");
    }
    char reason[sizeof report->reason];
    char verdict[sizeof report->reason + 16];
    reason_in_our_words(report, reason, sizeof reason);
    snprintf(verdict, sizeof verdict, "%s%s", report->solid ? "solid" : "not solid: ", reason);
    print_line(stdout, "verdict", verdict);
}

static int print_report_json(const Parsed* parsed, const rblRepairReport* report, rblMeshId mended,
                             bool written)
{
    MeshFacts facts = {.looked_for_intersections = true};
    if (report_complete(mended, &report->after, 1.0, &facts) != RBL_OK)
    {
        return tool_fail_last();
    }
    Change changes[CHANGE_COUNT];
    list_changes(report, changes);
    rblJsonWriter writer;
    rbl_json_writer_init(&writer, 2, NULL);
    rbl_json_begin_object(&writer);
    rbl_json_key(&writer, "file");
    rbl_json_string(&writer, parsed->arguments[0]);
    rbl_json_key(&writer, "output");
    rbl_json_string(&writer, parsed->arguments[1]);
    rbl_json_key(&writer, "written");
    rbl_json_bool(&writer, written);
    rbl_json_key(&writer, "solid");
    rbl_json_bool(&writer, report->solid);
    rbl_json_key(&writer, "reason");
    rbl_json_string(&writer, report->reason);
    rbl_json_key(&writer, "changes");
    rbl_json_begin_object(&writer);
    for (uint32_t i = 0; i < CHANGE_COUNT; ++i)
    {
        rbl_json_key(&writer, changes[i].key);
        rbl_json_unsigned(&writer, changes[i].count);
    }
    rbl_json_key(&writer, "remeshed");
    rbl_json_bool(&writer, report->remeshed);
    rbl_json_end_object(&writer);
    rbl_json_key(&writer, "after");
    rbl_json_begin_object(&writer);
    report_write_json(&writer, &facts);
    rbl_json_end_object(&writer);
    rbl_json_end_object(&writer);
    return print_json(&writer);
}

static int print_report(const Parsed* parsed, const rblRepairReport* report, rblMeshId mended, bool written)
{
    if (options_given(parsed, "json"))
    {
        return print_report_json(parsed, report, mended, written);
    }
    if (options_given(parsed, "verbose"))
    {
        printf("%s\n", parsed->arguments[0]);
        print_changes(report);
    }
    return TOOL_DONE;
}

// Write what deserves it, then tell. What is told comes out even when nothing was written.
static int finish(const Parsed* parsed, const rblRepairReport* report, rblMeshId mended)
{
    const bool write = report->solid || options_given(parsed, "force");
    if (write)
    {
        progress_stage("writing", 0.9);
        if (rbl_mesh_save(mended, parsed->arguments[1], NULL) != RBL_OK)
        {
            return tool_fail_last();
        }
    }
    progress_stop();
    const int code = print_report(parsed, report, mended, write);
    if (code == TOOL_DONE && !write)
    {
        char reason[sizeof report->reason];
        reason_in_our_words(report, reason, sizeof reason);
        return tool_fail("%s: not solid: %s (nothing is written without --force)", parsed->arguments[0],
                         reason);
    }
    return code;
}

static int repair_run(const Parsed* parsed)
{
    const char* path = parsed->arguments[0];
    tool_start_progress(parsed, path);
    progress_stage("reading", 0.0);
    rblLoadOptions load = rbl_default_load_options();
    load.keep_non_finite = 1; // dropped and counted
    rblMeshId mesh;
    if (rbl_mesh_load(path, &load, &mesh) != RBL_OK)
    {
        return tool_fail_last();
    }
    progress_stage("mending", 0.15);
    rblRepairOptions options = rbl_default_repair_options();
    options.weld_distance = options_number(parsed, "weld", options.weld_distance);
    options.max_hole_edges = options_count(parsed, "max-hole", options.max_hole_edges);
    options.remesh_cells = options_count(parsed, "remesh", options.remesh_cells);
    rblRepairReport report;
    rblMeshId mended;
    const rblResult result = rbl_mesh_repair(mesh, &options, &mended, &report);
    rbl_mesh_destroy(mesh);
    if (result != RBL_OK)
    {
        return tool_fail("%s: %s", path, rbl_last_error());
    }
    const int code = finish(parsed, &report, mended);
    rbl_mesh_destroy(mended);
    return code;
}

static const Option repair_options[] = {
    ONE_NUMBER("weld", 0, OPTIONS_UNBOUNDED, "D", "1e-6 of the bounding box diagonal",
               "vertices closer than this become one, m; 0: only equal ones"),
    ONE_COUNT("max-hole", 0, 4294967295.0, "4096", "fill holes of up to this many edges; 0 leaves them open"),
    {.name = "remesh",
     .kind = OPTION_NUMBERS,
     .least = 1,
     .most = 1,
     .whole = true,
     .lowest = 16,
     .highest = 512,
     .value = "CELLS",
     .help = "as a last resort rebuild the surface on a grid with this many cells along the longest side"},
    {.name = "force", .help = "write the result even if it is not a solid"},
    {.name = "json", .help = "print the changes and the verdict as one JSON object"},
};
static const char* const repair_examples[] = {"rubble repair scan.stl scan.ply",
                                              "rubble repair scan.stl scan.ply --verbose --weld 0.001",
                                              "rubble repair soup.obj solid.obj --remesh 128", NULL};

const Command repair_command = {
    .name = "repair",
    .summary = "repair a mesh until it is a solid, or report why not",
    .details = "Welds vertices, drops degenerate and duplicate faces, resolves T-junctions, splits "
               "non-manifold parts, orients faces, and fills holes. The result is a solid when it is "
               "closed, manifold, oriented outward and free of self-intersections. A result that is not "
               "solid is not written and the exit code is 1, unless --force is given. --verbose or --json "
               "prints the changes.",
    .arguments = mesh_arguments,
    .argument_count = MESH_ARGUMENT_COUNT,
    .options = repair_options,
    .option_count = OPTIONS_COUNT_OF(repair_options),
    .examples = repair_examples,
    .run = repair_run};
