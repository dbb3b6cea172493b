/// Inspection of a mesh: topology, defects and mass properties.
#ifndef RUBBLE_INSPECT_H
#define RUBBLE_INSPECT_H

#include "rubble/mesh.h"
#include <stdbool.h>

RBL_EXTERN_C_BEGIN

/// The number of examples of each defect in a report.
#define RBL_EXAMPLE_COUNT 8

/// The count of a defect and its first few elements, in increasing order.
typedef struct rblDefect
{
    uint32_t count;
    uint32_t examples[RBL_EXAMPLE_COUNT]; ///< the first min(count, RBL_EXAMPLE_COUNT) elements
} rblDefect;

/// Which defects to find. Start from rbl_default_inspect_options().
typedef struct rblInspectOptions
{
    uint32_t struct_size;    ///< bytes of this struct; set by rbl_default_inspect_options()
    uint32_t cookie;         ///< set by rbl_default_inspect_options()
    bool self_intersections; ///< also find intersecting faces, the slowest check. Default true
} rblInspectOptions;

/// All checks are on.
RBL_API void rbl_inspect_options_init(rblInspectOptions* def, size_t size);
static inline rblInspectOptions rbl_default_inspect_options(void)
{
    rblInspectOptions def;
    rbl_inspect_options_init(&def, sizeof def);
    return def;
}

/// Properties and defects of a mesh.
typedef struct rblMeshReport
{
    uint32_t vertices, faces, triangles; ///< triangles: after triangulation of the faces
    bool closed;                         ///< every edge has at least two faces: no boundary edges
    bool
        manifold; ///< no edge has more than two faces, every vertex has one fan, no face visits a vertex twice
    bool oriented; ///< across every edge of two faces, the faces traverse the edge in opposite directions
    bool
        outward; ///< closed and oriented, and every component has positive volume or is a cavity inside another one
    uint32_t components; ///< connected through shared edges
    int32_t genus;       ///< sum over components; valid when closed, manifold and oriented, else -1
    double volume;       ///< signed, m^3; exact when closed and oriented
    double area;         ///< m^2
    rblAabbd bounds;     ///< of the vertices that faces use, without positions that are not finite

    rblDefect boundary_edges;     ///< examples are corners (the half-edge leaving that corner)
    rblDefect non_manifold_edges; ///< edges with three or more faces; examples are corners
    rblDefect
        misoriented_edges; ///< edges that both faces traverse in the same direction; examples are corners
    rblDefect non_manifold_vertices;
    rblDefect isolated_vertices; ///< vertices used by no face
    rblDefect
        degenerate_faces; ///< a vertex twice, a position that is not finite, or no area (exactly collinear)
    rblDefect duplicate_faces; ///< same vertices as an earlier face, in either direction
    /// Pairs of triangles that intersect other than in a shared vertex or edge. Touching counts, but vertices at exactly
    /// the same position count as one vertex. 1000000 means this number or more. Examples are the first faces of the
    /// first pairs.
    rblDefect self_intersections;
    uint32_t intersecting_faces[RBL_EXAMPLE_COUNT][2]; ///< both faces of the first pairs
} rblMeshReport;

/// Inspect a mesh. Every mesh is accepted, with any defects. `options` may be null for the defaults.
RBL_API rblResult rbl_mesh_inspect(rblMeshId mesh, const rblInspectOptions* options, rblMeshReport* out);

/// Volume, centre and inertia of the solid inside a closed surface of uniform density.
typedef struct rblMassProperties
{
    double volume;           ///< m^3
    double mass;             ///< kg
    rblVec3d center;         ///< centre of mass, m
    rblMat3d inertia;        ///< about the centre of mass, in the mesh's axes, kg m^2
    rblVec3d moments;        ///< principal moments, increasing
    rblMat3d principal_axes; ///< unit columns in the order of `moments`, right-handed
} rblMassProperties;

/// Compute mass properties by exact polyhedral integrals (divergence theorem). The integrals are taken about a point
/// inside, so that meshes far from the origin keep their precision. Refused: a density that is not positive, a mesh that
/// is not closed, edge-manifold and oriented, a volume that is not positive, a mass or principal moment that underflows.
RBL_API rblResult rbl_mesh_mass_properties(rblMeshId mesh, double density, rblMassProperties* out);

RBL_EXTERN_C_END

#endif
