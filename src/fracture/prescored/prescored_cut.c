// A solid cut by a pattern.
#include "base/error.h"
#include "fracture/prescored/prescored_private.h"

rblResult rbl_breakage_create(const rblPlacing* placing, const rblCutOptions* options, rblJobs* jobs,
                              rblBreakage** out)
{
    const rblShapeView* solid = placing->solid;
    rblMeshId mesh = {0, 0};
    rblMeshView surface;
    rblPieces* pieces = NULL;
    RBL_TRY(rbl_shape_surface(solid, &mesh));
    if (mesh.index1 == 0)
    {
        return rbl_fail(RBL_ERROR_UNSUPPORTED, "prescored: a %s without a surface cannot be cut",
                        solid->kind);
    }
    RBL_TRY(rbl_mesh_view(mesh, &surface));
    RBL_TRY(rbl_cut_pieces(&surface, placing->pattern->cells, &placing->turn, placing->offset, options, jobs,
                           rbl_default_allocator(), &pieces));
    return rbl_breakage_adopt(mesh, pieces, out);
}
