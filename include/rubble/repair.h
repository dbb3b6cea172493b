/// Mending meshes, with a verdict.
#ifndef RUBBLE_REPAIR_H
#define RUBBLE_REPAIR_H

#include "rubble/inspect.h"

RBL_EXTERN_C_BEGIN

typedef struct rblRepairOptions
{
    double weld_distance;    ///< vertices closer than this become one; < 0 (default): 1e-6 of the bounding diagonal; 0: only equal ones
    uint32_t max_hole_edges; ///< fill holes of up to this many edges; default 4096; 0 leaves them open
    uint32_t remesh_cells;   ///< 0 (default): what cannot be mended is refused. Else, as a last resort, rebuild the surface by
                             ///< winding number on a grid with this many cells along the longest side, 16 to 512
    uint32_t cookie;         ///< set by rbl_default_repair_options()
} rblRepairOptions;

RBL_API rblRepairOptions rbl_default_repair_options(void);

/// What was changed, in the order it is done, and what is left. `solid` is the verdict: closed, manifold, oriented
/// outward, no self-intersections, positive volume.
typedef struct rblRepairReport
{
    uint32_t dropped_non_finite;     ///< faces with a NaN or infinite corner
    uint32_t welded_vertices;        ///< vertices merged into another one
    uint32_t dropped_degenerate;     ///< faces without area, or with fewer than three distinct corners
    uint32_t dropped_duplicate;      ///< faces that repeat an earlier one
    uint32_t resolved_t_junctions;   ///< vertices inserted into edges they lay on
    uint32_t split_edges;            ///< edges of three or more faces taken apart
    uint32_t dropped_fins;           ///< faces hanging off a closed surface
    uint32_t split_vertices;         ///< vertices with several fans, given one copy each
    uint32_t flipped_faces;          ///< turned over for a consistent, outward orientation
    uint32_t filled_holes;           ///< boundary loops closed
    uint32_t filled_faces;           ///< faces added by that
    uint32_t dropped_components;     ///< components without volume
    bool remeshed;                   ///< the surface was rebuilt (remesh_cells): attributes come from the closest old face
    uint32_t dropped_vertices;       ///< vertices that no face uses any more
    bool solid;                      ///< the verdict
    char reason[160];                ///< why it is not solid, in one sentence; empty when it is
    rblMeshReport after;             ///< the finished mesh
} rblRepairReport;

/// Mend a mesh as far as possible. `out` receives the result whenever RBL_OK is returned, solid or not: read the
/// verdict. RBL_ERROR_GEOMETRY, with no mesh, when nothing usable is left. `options` may be null; `report` may not.
RBL_API rblResult rbl_mesh_repair(rblMeshId mesh, const rblRepairOptions* options, rblMeshId* out,
                                  rblRepairReport* report);

RBL_EXTERN_C_END

#endif
