// Meshes that are to be broken.
#include "progress.h"
#include "tool.h"
#include <stdio.h>

void tool_note(const Parsed* parsed, const char* path, const char* text)
{
    if (!options_given(parsed, "quiet"))
    {
        char line[512];
        snprintf(line, sizeof line, "rubble: note: %.200s: %s", path, text);
        progress_print(line);
    }
}

static rblResult repair(const Parsed* parsed, const char* path, bool only_crosses, rblMeshId* mesh,
                        bool* repaired)
{
    rblRepairReport report;
    rblMeshId mended;
    const rblResult result = rbl_mesh_repair(*mesh, NULL, &mended, &report);
    if (result != RBL_OK)
    {
        (void)rbl_fail_within(result, "is not a solid and cannot be repaired");
        return rbl_fail_within(result, path);
    }
    if (report.solid)
    {
        (void)rbl_mesh_destroy(*mesh);
        *mesh = mended;
        *repaired = true;
        tool_note(parsed, path, "is not a solid; it was repaired (details: rubble repair --verbose)");
        return RBL_OK;
    }
    (void)rbl_mesh_destroy(mended);
    if (only_crosses)
    {
        tool_note(parsed, path, "crosses itself; pieces are closed, but what lies inside twice counts twice");
        return RBL_OK;
    }
    return rbl_fail(RBL_ERROR_GEOMETRY, "%s: is not a solid and cannot be repaired: %s", path, report.reason);
}

rblResult tool_make_solid(const Parsed* parsed, const char* path, rblMeshId* mesh, bool* repaired)
{
    rblMeshReport report;
    RBL_TRY(rbl_mesh_inspect(*mesh, NULL, &report));
    const bool closed = report.closed && report.manifold && report.oriented && report.outward;
    const bool crosses = report.self_intersections.count > 0;
    return closed && !crosses ? RBL_OK : repair(parsed, path, closed, mesh, repaired);
}
