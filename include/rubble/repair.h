/// Repair of meshes.
#ifndef RUBBLE_REPAIR_H
#define RUBBLE_REPAIR_H

#include "rubble/inspect.h"

RBL_EXTERN_C_BEGIN

/// What to repair. Start from rbl_default_repair_options().
typedef struct rblRepairOptions
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_repair_options()
    uint32_t cookie;      ///< set by rbl_default_repair_options()
    /// Boundary vertices closer than this are merged where faces do not join properly; < 0 (default): 1e-6 of the
    /// diagonal of the bounding box; 0: only equal positions. It is also the largest distance of a vertex from an edge
    /// into which it is inserted.
    double weld_distance;
    uint32_t max_hole_edges; ///< fill holes of up to this many edges; default 4096; 0: fill no holes
    /// 0 (default): leave a mesh that cannot be repaired as it is, not solid. Else, as a last resort, rebuild the surface
    /// by winding number on a grid with this many cells along the longest side, 16 to 512.
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

/// The changes, in the order of the passes, and the result. `solid` means: closed, manifold, oriented outward, no
/// degenerate or duplicate faces, no self-intersections, positive volume. A mesh that is solid already is copied
/// unchanged, with all counts zero.
typedef struct rblRepairReport
{
    uint32_t dropped_non_finite;   ///< faces with a corner that is NaN, infinite or beyond 1e100
    uint32_t welded_vertices;      ///< vertices merged into another one
    uint32_t cleaned_faces;        ///< faces that visited a vertex twice and were split into loops
    uint32_t dropped_degenerate;   ///< faces without area, or with fewer than three distinct corners
    uint32_t dropped_duplicate;    ///< faces that repeat an earlier one, and sheets of zero thickness
    uint32_t resolved_t_junctions; ///< vertices inserted into edges that they lie on
    uint32_t dropped_fins;         ///< faces attached to a closed surface, and walls across its inside
    uint32_t split_edges;          ///< edges of three or more faces that were separated
    uint32_t flipped_faces;        ///< flipped for a consistent outward orientation
    uint32_t filled_holes;         ///< boundary loops closed
    uint32_t filled_faces;         ///< faces added to fill holes
    uint32_t dropped_components;   ///< components without volume
    uint32_t split_vertices;       ///< copies of vertices where several sheets met: one per sheet
    uint32_t cut_crossings; ///< faces removed, and holes filled, where the surface intersected itself locally
    bool remeshed;          ///< the surface was rebuilt; attributes come from the closest original face
    uint32_t dropped_vertices; ///< vertices that no face uses (any more), without welded ones
    bool solid;                ///< the result is a valid solid
    char reason[160];          ///< why it is not solid, in one sentence; empty when it is solid
    /// Report of the result. Faces that only touch, in vertices of equal position, do not count as intersecting here: the
    /// copies of a split vertex have equal positions.
    rblMeshReport after;
} rblRepairReport;

/// Repair a mesh as far as possible. `out` receives the result whenever RBL_OK is returned, solid or not: check `solid`.
/// RBL_ERROR_GEOMETRY, without a mesh, when nothing usable remains. `options` may be null; `report` may not. Faces keep
/// their attributes and origins. Faces that fill a hole have origin RBL_NONE, the material and group of most faces around
/// the hole, and attributes of the corners around it.
RBL_API rblResult rbl_mesh_repair(rblMeshId mesh, const rblRepairOptions* options, rblMeshId* out,
                                  rblRepairReport* report);

RBL_EXTERN_C_END

#endif
