/// Mending meshes, with a verdict.
#ifndef RUBBLE_REPAIR_H
#define RUBBLE_REPAIR_H

#include "rubble/inspect.h"

RBL_EXTERN_C_BEGIN

/// What to mend. Start from rbl_default_repair_options().
typedef struct rblRepairOptions
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_repair_options()
    uint32_t cookie;      ///< set by rbl_default_repair_options()
    /// Loose vertices closer than this become one, where faces do not join properly; < 0 (default): 1e-6 of
    /// the bounding diagonal; 0: only equal ones. Also how far a vertex may lie off an edge that it is
    /// inserted into.
    double weld_distance;
    uint32_t max_hole_edges; ///< fill holes of up to this many edges; default 4096; 0 leaves them open
    /// 0 (default): what cannot be mended is refused. Else, as a last resort, rebuild the surface by winding
    /// number on a grid with this many cells along the longest side, 16 to 512.
    uint32_t remesh_cells;
} rblRepairOptions;

/// The defaults named above.
RBL_API void rbl_repair_options_init(rblRepairOptions* def, size_t size);
static inline rblRepairOptions rbl_default_repair_options(void)
{
    rblRepairOptions def;
    rbl_repair_options_init(&def, sizeof def);
    return def;
}

/// What was changed, in the order it is done, and what is left. `solid` is the verdict: closed, manifold,
/// oriented outward, no faces without area or given twice, no self-intersections, positive volume. A mesh
/// that is solid already is copied as it is, with all counts zero.
typedef struct rblRepairReport
{
    uint32_t dropped_non_finite;   ///< faces with a corner that is NaN, infinite or beyond 1e100
    uint32_t welded_vertices;      ///< vertices merged into another one
    uint32_t cleaned_faces;        ///< faces that visited a vertex twice: cut into their loops
    uint32_t dropped_degenerate;   ///< faces without area, or with fewer than three distinct corners
    uint32_t dropped_duplicate;    ///< faces that repeat an earlier one, and sheets without thickness
    uint32_t resolved_t_junctions; ///< vertices inserted into edges they lay on
    uint32_t dropped_fins;         ///< faces hanging off a closed surface, or walls across its inside
    uint32_t split_edges;          ///< edges of three or more faces taken apart
    uint32_t flipped_faces;        ///< turned over for a consistent, outward orientation
    uint32_t filled_holes;         ///< boundary loops closed
    uint32_t filled_faces;         ///< faces added by that
    uint32_t dropped_components;   ///< components without volume
    uint32_t split_vertices;       ///< copies made of vertices where several sheets met: one each
    uint32_t cut_crossings;        ///< faces cut out, and holes filled, where it crossed itself a little
    bool remeshed;                 ///< the surface was rebuilt; attributes come from the closest old face
    uint32_t dropped_vertices;     ///< vertices that no face uses (any more), the welded ones aside
    bool solid;                    ///< the verdict
    char reason[160];              ///< why it is not solid, in one sentence; empty when it is
    /// The finished mesh. Faces that only touch, in vertices of equal position, do not count as intersecting
    /// here: that is how the copies of a split vertex lie.
    rblMeshReport after;
} rblRepairReport;

/// Mend a mesh as far as possible. `out` receives the result whenever RBL_OK is returned, solid or not: read
/// the verdict. RBL_ERROR_GEOMETRY, with no mesh, when nothing usable is left. `options` may be null;
/// `report` may not. Faces keep their attributes and origins; those that fill holes have the origin RBL_NONE,
/// material and group of most faces around, and attributes of the corners around.
RBL_API rblResult rbl_mesh_repair(rblMeshId mesh, const rblRepairOptions* options, rblMeshId* out,
                                  rblRepairReport* report);

RBL_EXTERN_C_END

#endif
