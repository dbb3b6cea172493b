#include "field/solid_check.h"

#include "base/error.h"
#include "mesh/inspect.h"

rblResult rbl_check_solid(const rblMeshView* view, const char* who, rblMeshReport* report)
{
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    RBL_TRY(rbl_inspect_view(view, &options, report));
    if (!report->closed)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "%s: the mesh is open, must be closed: %u boundary edges, the first at corner %u",
                        who, report->boundary_edges.count, report->boundary_edges.examples[0]);
    }
    if (!report->oriented || report->non_manifold_edges.count > 0)
    {
        const rblDefect* defect = report->oriented ? &report->non_manifold_edges : &report->misoriented_edges;
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "%s: the mesh must be manifold and oriented: %u edges %s, the first at corner %u",
                        who, defect->count,
                        report->oriented ? "of more than two faces" : "of different orientation",
                        defect->examples[0]);
    }
    if (!(report->volume > 0.0))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "%s: the mesh must have a positive volume and outward faces",
                        who);
    }
    return RBL_OK;
}
