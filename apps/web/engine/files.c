// Meshes in, runs and pieces out.
#include "exports.h"
#include <stdio.h>
#include <string.h>

#define MAX_BYTES     ((size_t)512 << 20)
#define MAX_READ      1000000u // triangles: mending more would take minutes and most of the memory of a browser
#define MAX_TRIANGLES 60000u   // of what is handed on: more are not seen in a level set of 128 cells
#define REMESH_CELLS  96u

// ---- meshes ----

// Read by JavaScript as 32-bit words.
struct WebImport
{
    uint32_t solid;
    uint32_t triangles;
    float size[3];
    const char* verdict;
    const void* bytes; // of the mended mesh, as a PLY file; null before that is there
    uint32_t byte_count;
};

static struct
{
    WebImport import;
    rblMeshId mesh; // null: nothing is under way
    rblRepairReport report;
    bool mended;
    char name[128];
    char verdict[640];
    void* bytes;
    size_t size;
} imported;

static void forget_mesh(void)
{
    if (imported.mesh.index1 != 0)
    {
        rbl_mesh_destroy(imported.mesh);
    }
    imported.mesh = (rblMeshId){0, 0};
    imported.mended = false;
}

static void forget_import(void)
{
    forget_mesh();
    rbl_free_saved(imported.bytes, imported.size);
    imported.bytes = NULL;
    imported.size = 0;
    imported.verdict[0] = '\0';
    imported.import = (WebImport){.solid = 0};
}

static void say(const char* format, uint32_t count, const char* one, const char* many)
{
    const size_t used = strlen(imported.verdict);
    snprintf(imported.verdict + used, sizeof imported.verdict - used, format, used > 0 ? ", " : "", count,
             count == 1 ? one : many);
}

static void say_count(uint32_t count, const char* one, const char* many)
{
    if (count > 0)
    {
        say("%s%u %s", count, one, many);
    }
}

// What was wrong and what was done, in a sentence.
static void write_verdict(const rblRepairReport* report, uint32_t before, uint32_t after)
{
    const uint32_t dropped = report->dropped_non_finite + report->dropped_degenerate +
                             report->dropped_duplicate + report->dropped_fins;
    say_count(report->welded_vertices, "vertex welded", "vertices welded");
    say_count(dropped, "bad face dropped", "bad faces dropped");
    say_count(report->resolved_t_junctions, "T-junction resolved", "T-junctions resolved");
    say_count(report->flipped_faces, "face turned over", "faces turned over");
    say_count(report->filled_holes, "hole filled", "holes filled");
    say_count(report->dropped_components, "sheet without volume dropped", "sheets without volume dropped");
    say_count(report->split_edges + report->split_vertices, "joint taken apart", "joints taken apart");
    say_count(report->cut_crossings, "crossing cut out", "crossings cut out");
    char list[sizeof imported.verdict];
    snprintf(list, sizeof list, "%s", imported.verdict);
    const char* start = list[0] == '\0' && !report->remeshed ? "Sound as it is" : "Mended";
    int used =
        snprintf(imported.verdict, sizeof imported.verdict, "%s%s%s%s.", start, list[0] != '\0' ? ": " : "",
                 list, report->remeshed ? "; the surface was rebuilt on a grid" : "");
    if (after < before && used > 0 && (size_t)used < sizeof imported.verdict)
    {
        used += snprintf(imported.verdict + used, sizeof imported.verdict - (size_t)used,
                         " Simplified from %u to %u triangles.", before, after);
    }
    if (!report->solid && used > 0 && (size_t)used < sizeof imported.verdict)
    {
        snprintf(imported.verdict + used, sizeof imported.verdict - (size_t)used,
                 " It encloses no volume: %s", report->reason);
    }
}

static uint32_t count_triangles(const rblMeshView* view)
{
    return view->corner_count - 2 * view->face_count;
}

static rblResult read_mesh(const void* bytes, size_t size, const char* name, rblMeshId* out)
{
    rblLoadOptions options = rbl_default_load_options();
    options.format = rbl_format_of_path(name);
    options.max_bytes = MAX_BYTES;
    options.keep_non_finite = 1;
    if (options.format == RBL_FORMAT_AUTO)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED,
                        "%.200s: not a mesh that can be read here: OBJ, STL, PLY, OFF or GLB", name);
    }
    RBL_TRY(rbl_mesh_load_memory(bytes, size, name, &options, out));
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(*out, &view));
    if (count_triangles(&view) <= MAX_READ)
    {
        return RBL_OK;
    }
    const uint32_t triangles = count_triangles(&view);
    rbl_mesh_destroy(*out);
    return rbl_fail(RBL_ERROR_LIMIT,
                    "%.200s: %u triangles are too many for a page: reduce them to %u, for instance "
                    "with 'rubble convert --simplify'",
                    name, triangles, MAX_READ);
}

// A mesh takes the place of another.
static void replace(rblMeshId* mesh, rblMeshId other)
{
    rbl_mesh_destroy(*mesh);
    *mesh = other;
}

static rblResult mend(rblMeshId* mesh, rblRepairReport* report)
{
    rblRepairOptions options = rbl_default_repair_options();
    rblMeshId mended;
    options.remesh_cells = REMESH_CELLS;
    RBL_TRY(rbl_mesh_repair(*mesh, &options, &mended, report));
    replace(mesh, mended);
    return RBL_OK;
}

static rblResult reduce(rblMeshId* mesh, uint32_t triangles)
{
    rblSimplifyOptions options = rbl_default_simplify_options();
    rblMeshId fewer;
    if (triangles <= MAX_TRIANGLES)
    {
        return RBL_OK;
    }
    options.target_triangles = MAX_TRIANGLES;
    RBL_TRY(rbl_mesh_simplify(*mesh, &options, &fewer, NULL));
    replace(mesh, fewer);
    return RBL_OK;
}

static rblResult hand_on(rblMeshId mesh, const rblRepairReport* report, uint32_t before)
{
    rblSaveOptions options = rbl_default_save_options();
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(mesh, &view));
    options.format = RBL_FORMAT_PLY;
    RBL_TRY(rbl_mesh_save_memory(mesh, &options, &imported.bytes, &imported.size));
    write_verdict(report, before, count_triangles(&view));
    const rblAabbd box = report->after.bounds;
    imported.import =
        (WebImport){.solid = report->solid,
                    .triangles = count_triangles(&view),
                    .size = {(float)(box.upper.x - box.lower.x), (float)(box.upper.y - box.lower.y),
                             (float)(box.upper.z - box.lower.z)},
                    .verdict = imported.verdict,
                    .bytes = imported.bytes,
                    .byte_count = (uint32_t)imported.size};
    return RBL_OK;
}

rblResult web_import(const void* bytes, size_t size, const char* name)
{
    forget_import();
    rblMeshId mesh;
    rblMeshView view;
    RBL_TRY(read_mesh(bytes, size, name, &mesh));
    imported.mesh = mesh;
    snprintf(imported.name, sizeof imported.name, "%s", name);
    RBL_TRY(rbl_mesh_view(mesh, &view));
    imported.import.triangles = count_triangles(&view);
    return RBL_OK;
}

// A step that failed ends the import.
static rblResult end_of_step(rblResult result)
{
    if (result == RBL_OK)
    {
        return RBL_OK;
    }
    forget_import();
    return rbl_fail_within(result, imported.name);
}

rblResult web_import_mend(void)
{
    if (imported.mesh.index1 == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "a mesh must be read before it is repaired");
    }
    RBL_TRY(end_of_step(mend(&imported.mesh, &imported.report)));
    imported.mended = true;
    imported.import.solid = imported.report.solid;
    imported.import.triangles = imported.report.after.triangles;
    return RBL_OK;
}

rblResult web_import_finish(void)
{
    if (!imported.mended)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "a mesh must be repaired before it is passed on");
    }
    const uint32_t triangles = imported.report.after.triangles;
    RBL_TRY(end_of_step(imported.report.solid ? reduce(&imported.mesh, triangles) : RBL_OK));
    RBL_TRY(end_of_step(hand_on(imported.mesh, &imported.report, triangles)));
    forget_mesh();
    return RBL_OK;
}

const WebImport* web_imported(void)
{
    return &imported.import;
}

void web_forget_import(void)
{
    forget_import();
}

// ---- runs ----

// The run so far, into a file of the loader's.
rblResult web_export_run(const char* path)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    return rbl_run_export(session->run, path, NULL);
}

// ---- pieces ----

static bool is_piece(const WebSession* session, const rblRunMember* piece)
{
    return piece->scene_body != RBL_NONE && rbl_body_is_valid(session->world, piece->id);
}

static rblResult save_piece(const rblBodyState* state, const char* path)
{
    rblShapeView view;
    rblMeshId surface;
    rblMeshId placed;
    RBL_TRY(rbl_shape_view(state->shape, &view));
    RBL_TRY(rbl_shape_surface(&view, &surface));
    const rblMat3d turn = rbl_quatd_to_mat3d(rbl_quatd_normalize(rbl_to_double_quat(state->pose.q)));
    RBL_TRY(rbl_mesh_transform(surface, &turn, rbl_to_double3(state->pose.p), &placed));
    const rblResult result = rbl_mesh_save(placed, path, NULL);
    rbl_mesh_destroy(placed);
    return result;
}

static void describe_piece(rblJsonWriter* json, const rblRunMember* piece, const rblBodyState* state,
                           const char* file, const char* material)
{
    const float numbers[7] = {state->pose.p.x, state->pose.p.y, state->pose.p.z, state->pose.q.x,
                              state->pose.q.y, state->pose.q.z, state->pose.q.w};
    rbl_json_begin_object(json);
    rbl_json_key(json, "name");
    rbl_json_string(json, piece->name);
    rbl_json_key(json, "file");
    rbl_json_string(json, file);
    rbl_json_key(json, "material");
    rbl_json_string(json, material);
    rbl_json_key(json, "mass");
    rbl_json_float(json, state->mass);
    rbl_json_key(json, "position");
    rbl_json_begin_row(json);
    for (int i = 0; i < 7; ++i)
    {
        if (i == 3)
        {
            rbl_json_end_array(json);
            rbl_json_key(json, "rotation");
            rbl_json_begin_row(json);
        }
        rbl_json_float(json, numbers[i]);
    }
    rbl_json_end_array(json);
    rbl_json_end_object(json);
}

static rblResult export_piece(const WebSession* session, const rblRunMember* piece, const char* material,
                              uint32_t number, rblJsonWriter* json)
{
    rblBodyState state;
    char file[32];
    RBL_TRY(rbl_body_state(session->world, piece->id, &state));
    snprintf(file, sizeof file, "piece_%04u.obj", number);
    RBL_TRY(save_piece(&state, file));
    describe_piece(json, piece, &state, file, material);
    return RBL_OK;
}

static rblResult export_pieces(const WebSession* session, rblJsonWriter* json)
{
    uint32_t count = 0;
    rblRunView run;
    RBL_TRY(rbl_run_view(session->run, &run));
    rbl_json_begin_array(json);
    for (uint32_t i = 0; i < run.piece_count; ++i)
    {
        rblRunMember piece;
        RBL_TRY(rbl_run_piece(session->run, i, &piece));
        if (is_piece(session, &piece))
        {
            RBL_TRY(export_piece(session, &piece, run.materials[piece.material].name, count++, json));
        }
    }
    rbl_json_end_array(json);
    RBL_TRY(count > 0 ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "nothing has broken yet: there are no pieces"));
    return rbl_json_writer_finish(json);
}

// All pieces as they lie, each into a file piece_NNNN.obj of the loader's; a list of them as JSON in web_text().
rblResult web_export_pieces(void)
{
    WebSession* session = NULL;
    RBL_TRY(web_require_session(&session));
    rblJsonWriter json;
    rbl_json_writer_init(&json, 2, NULL);
    rblResult result = export_pieces(session, &json);
    result = result == RBL_OK ? web_keep_text(&json) : result;
    rbl_json_writer_free(&json);
    return result;
}
