// Mesh repair as a sequence of passes.
#include "mesh/repair/repair.h"

#include "base/def.h"
#include "base/error.h"
#include "math/vec.h"
#include "mesh/inspect.h"
#include <string.h>

// Maximum number of rounds. One pass may create work for another (removing a face can leave a T-junction, which can
// leave a duplicate); defects that remain after a few rounds are not removed by further rounds.
#define MAX_ROUNDS 8

typedef rblResult Pass(rblRepair* r);

RBL_DEF_KIND(repair_options, rblRepairOptions, "repair", rbl_default_repair_options, 0x4E9A1Du);

void rbl_repair_options_init(rblRepairOptions* def, size_t size)
{
    const rblRepairOptions defaults = {.weld_distance = -1, .max_hole_edges = 4096};
    rbl_def_init(&repair_options, &defaults, def, size);
}

static rblResult run(rblRepair* r, Pass* pass)
{
    const rblArenaMark mark = rbl_arena_mark(&r->scratch);
    const rblResult result = pass(r);
    rbl_arena_rewind(&r->scratch, mark);
    return result;
}

// A number that grows whenever a pass changes something.
static uint64_t count_changes(const rblRepair* r)
{
    const rblRepairReport* report = r->report;
    return (uint64_t)report->welded_vertices + report->cleaned_faces + report->dropped_degenerate +
           report->dropped_duplicate + report->resolved_t_junctions + report->dropped_fins +
           report->split_edges + r->hole_count + report->dropped_components + report->split_vertices;
}

static rblResult mend_faces(rblRepair* r)
{
    uint64_t before = UINT64_MAX;
    for (int round = 0; round < MAX_ROUNDS && before != count_changes(r); ++round)
    {
        before = count_changes(r);
        RBL_TRY(run(r, rbl_repair_weld));
        RBL_TRY(run(r, rbl_repair_clean_faces));
        RBL_TRY(run(r, rbl_repair_drop_degenerate));
        RBL_TRY(run(r, rbl_repair_drop_duplicates));
        RBL_TRY(run(r, rbl_repair_t_junctions));
    }
    return RBL_OK;
}

static rblResult mend_surface(rblRepair* r)
{
    RBL_TRY(run(r, rbl_repair_drop_fins));
    RBL_TRY(run(r, rbl_repair_pair_edges));
    RBL_TRY(run(r, rbl_repair_orient));
    RBL_TRY(run(r, rbl_repair_fill_holes));
    RBL_TRY(run(r, rbl_repair_drop_components));
    return run(r, rbl_repair_split_vertices);
}

// All passes, in the order of rblRepairReport.
rblResult rbl_repair_mend(rblRepair* r)
{
    RBL_TRY(run(r, rbl_repair_drop_non_finite));
    uint64_t before = UINT64_MAX;
    for (int round = 0; round < MAX_ROUNDS && before != count_changes(r); ++round)
    {
        before = count_changes(r);
        r->keep_fillings = round >= MAX_ROUNDS / 2;
        RBL_TRY(mend_faces(r));
        RBL_TRY(mend_surface(r));
    }
    RBL_TRY(run(r, rbl_repair_orient_outward));
    return run(r, rbl_repair_count);
}

// The remaining passes for a mesh that is closed, manifold and free of intersections.
static rblResult mend_orientation(rblRepair* r)
{
    RBL_TRY(run(r, rbl_repair_pair_edges));
    RBL_TRY(run(r, rbl_repair_orient_outward));
    return run(r, rbl_repair_count);
}

static rblResult explain_nothing_left(const rblRepairReport* report)
{
    return rbl_fail(
        RBL_ERROR_GEOMETRY,
        "repair: no face remains (faces not finite: %u, without area: %u, duplicates: %u, fins: %u; "
        "components without volume: %u)",
        report->dropped_non_finite, report->dropped_degenerate, report->dropped_duplicate,
        report->dropped_fins, report->dropped_components);
}

static bool same_layers(const rblMeshView* a, const rblMeshView* b)
{
    bool same = true;
    for (uint32_t i = 0; i < a->layer_count && same; ++i)
    {
        const size_t values = (size_t)a->corner_count * a->layers[i].components;
        same = memcmp(a->layers[i].data, b->layers[i].data, sizeof(float) * values) == 0;
    }
    return same;
}

// Whether the result equals the source. Names are not compared, since repair never changes them.
static bool same_mesh(const rblMeshView* a, const rblMeshView* b)
{
    return a->vertex_count == b->vertex_count && a->face_count == b->face_count &&
           a->corner_count == b->corner_count &&
           memcmp(a->positions, b->positions, sizeof *a->positions * a->vertex_count) == 0 &&
           memcmp(a->face_starts, b->face_starts, sizeof *a->face_starts * a->face_count) == 0 &&
           memcmp(a->corner_vertices, b->corner_vertices, sizeof *a->corner_vertices * a->corner_count) ==
               0 &&
           memcmp(a->face_materials, b->face_materials, sizeof *a->face_materials * a->face_count) == 0 &&
           memcmp(a->face_groups, b->face_groups, sizeof *a->face_groups * a->face_count) == 0 &&
           same_layers(a, b);
}

static void add_counts(rblRepairReport* sum, const rblRepairReport* more)
{
    sum->welded_vertices += more->welded_vertices;
    sum->cleaned_faces += more->cleaned_faces;
    sum->dropped_degenerate += more->dropped_degenerate;
    sum->dropped_duplicate += more->dropped_duplicate;
    sum->resolved_t_junctions += more->resolved_t_junctions;
    sum->dropped_fins += more->dropped_fins;
    sum->split_edges += more->split_edges;
    sum->flipped_faces += more->flipped_faces;
    sum->filled_holes += more->filled_holes;
    sum->filled_faces += more->filled_faces;
    sum->dropped_components += more->dropped_components;
    sum->split_vertices += more->split_vertices;
    sum->cut_crossings += more->cut_crossings;
    sum->dropped_vertices += more->dropped_vertices;
}

// Whether intersecting faces are the only defect.
static bool only_crosses(const rblMeshReport* after)
{
    return after->closed && after->manifold && after->oriented && after->degenerate_faces.count == 0 &&
           after->duplicate_faces.count == 0 && after->self_intersections.count > 0;
}

static rblResult cut_if_needed(rblRepair* r, rblMesh** mesh)
{
    if (r->report->solid || !only_crosses(&r->report->after))
    {
        return RBL_OK;
    }
    rblRepairReport second;
    rblMesh* better;
    RBL_TRY(rbl_repair_cut_crossings(r, rbl_mesh_get_view(*mesh), &second, &better));
    if (better != NULL)
    {
        add_counts(r->report, &second);
        r->report->solid = true;
        r->report->reason[0] = '\0';
        r->report->after = second.after;
        rbl_mesh_free(*mesh);
        *mesh = better;
    }
    return RBL_OK;
}

// Rebuild the surface and inspect the result.
static rblResult rebuild(rblRepair* r, const rblMeshView* mesh, bool smooth, rblMesh** out)
{
    rblMesh* rebuilt;
    RBL_TRY(rbl_repair_remesh(r, mesh, smooth, &rebuilt));
    const rblResult result = rbl_repair_inspect(rbl_mesh_get_view(rebuilt), r->allocator, &r->report->after);
    if (result != RBL_OK)
    {
        rbl_mesh_free(rebuilt);
        return result;
    }
    r->report->remeshed = true;
    r->open_loops.count = 0;
    rbl_repair_judge(r);
    *out = rebuilt;
    return RBL_OK;
}

// Rebuild with sharp edges first; if these fold over, rebuild smooth. A mesh without an inside cannot be rebuilt.
static rblResult rebuild_if_needed(rblRepair* r, rblMesh** mesh)
{
    if (r->report->solid || r->options.remesh_cells == 0 || r->unorientable > 0)
    {
        return RBL_OK;
    }
    for (int smooth = 0; smooth < 2 && !r->report->solid; ++smooth)
    {
        rblMesh* rebuilt;
        const rblResult result = rebuild(r, rbl_mesh_get_view(*mesh), smooth != 0, &rebuilt);
        if (result == RBL_ERROR_GEOMETRY) // the grid contains no surface: keep the result so far
        {
            return RBL_OK;
        }
        RBL_TRY(result);
        if (!r->report->solid && smooth == 0)
        {
            rbl_mesh_free(rebuilt); // the other method starts from the old surface again
            continue;
        }
        rbl_mesh_free(*mesh);
        *mesh = rebuilt;
    }
    return RBL_OK;
}

// `before` is the report of the source, null when its inspection was not completed.
static rblResult judge(rblRepair* r, rblMesh** mesh, const rblMeshReport* before)
{
    const rblMeshView* outcome = rbl_mesh_get_view(*mesh);
    const bool same = same_mesh(r->source, outcome);
    if (same)
    {
        // Surfaces that were separated where they touch are welded and separated again while the rest of the mesh
        // needs repair. If the result equals the source, nothing was changed.
        *r->report = (rblRepairReport){.solid = false};
    }
    if (same && before != NULL)
    {
        r->report->after = *before;
    }
    else
    {
        RBL_TRY(rbl_repair_inspect(outcome, r->allocator, &r->report->after));
    }
    rbl_repair_judge(r);
    RBL_TRY(cut_if_needed(r, mesh));
    return rebuild_if_needed(r, mesh);
}

static rblResult mend_and_build(rblRepair* r, rblMesh** out)
{
    bool clean;
    rblMeshReport before;
    RBL_TRY(rbl_repair_examine(r->source, r->allocator, &before, &clean));
    RBL_TRY(clean && before.self_intersections.count == 0 ? mend_orientation(r) : rbl_repair_mend(r));
    if (r->faces.count == 0)
    {
        return explain_nothing_left(r->report);
    }
    rblMesh* mesh;
    RBL_TRY(rbl_repair_build(r, &mesh));
    const rblResult result = judge(r, &mesh, clean ? &before : NULL);
    if (result != RBL_OK)
    {
        rbl_mesh_free(mesh);
        return result;
    }
    *out = mesh;
    return RBL_OK;
}

static rblResult repair_view(const rblMeshView* view, const rblRepairOptions* options, rblMesh** out,
                             rblRepairReport* report)
{
    rblRepair r;
    rblRepairReport found = {.solid = false};
    RBL_TRY(rbl_repair_init(&r, view, options, rbl_default_allocator(), &found));
    const rblResult result = mend_and_build(&r, out);
    rbl_repair_free(&r);
    if (result == RBL_OK)
    {
        *report = found;
    }
    return result;
}

static rblResult check_options(const rblRepairOptions* options)
{
    if (!rbl_finite(options->weld_distance))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "repair: weld_distance is %g, must be finite",
                        options->weld_distance);
    }
    if (options->remesh_cells != 0 && (options->remesh_cells < 16 || options->remesh_cells > 512))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "repair: remesh_cells is %u, must be 0 or from 16 to 512",
                        options->remesh_cells);
    }
    return RBL_OK;
}

rblResult rbl_mesh_repair(rblMeshId id, const rblRepairOptions* options, rblMeshId* out,
                          rblRepairReport* report)
{
    if (out == NULL || report == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "repair: out and report must not be null");
    }
    rblRepairOptions chosen = rbl_default_repair_options();
    RBL_TRY(options != NULL ? rbl_def_read(&repair_options, options, &chosen) : RBL_OK);
    RBL_TRY(check_options(&chosen));
    rblMesh* mesh;
    rblMesh* mended = NULL;
    rblRepairReport found;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    const rblResult result = repair_view(rbl_mesh_get_view(mesh), &chosen, &mended, &found);
    rbl_mesh_release(mesh);
    RBL_TRY(result);
    RBL_TRY(rbl_mesh_register(mended, out));
    *report = found;
    return RBL_OK;
}
