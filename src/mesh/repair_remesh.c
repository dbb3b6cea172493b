#include "base/error.h"
#include "mesh/repair.h"

rblResult rbl_repair_remesh(const rblMeshView* mesh, uint32_t cells, bool smooth,
                            const rblAllocator* allocator, rblMesh** out)
{
    (void)mesh;
    (void)smooth;
    (void)allocator;
    (void)out;
    return rbl_fail(RBL_ERROR_UNSUPPORTED, "repair: remesh_cells %u: remeshing needs isosurfaces", cells);
}
