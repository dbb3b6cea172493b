/// What a mesh is: topology, defects, and mass properties.
#ifndef RUBBLE_INSPECT_H
#define RUBBLE_INSPECT_H

#include "rubble/mesh.h"
#include <stdbool.h>

RBL_EXTERN_C_BEGIN

/// How many examples of each defect a report carries.
#define RBL_EXAMPLE_COUNT 8

/// A count and the first few places, in rising order.
typedef struct rblDefect
{
    uint32_t count;
    uint32_t examples[RBL_EXAMPLE_COUNT]; ///< the first min(count, RBL_EXAMPLE_COUNT) elements
} rblDefect;

/// What to look for. Start from rbl_default_inspect_options().
typedef struct rblInspectOptions
{
    uint32_t struct_size;    ///< bytes of this struct; set by rbl_default_inspect_options()
    uint32_t cookie;         ///< set by rbl_default_inspect_options()
    bool self_intersections; ///< look for intersecting faces too, which takes longest. Default true
} rblInspectOptions;

/// Everything is looked for.
RBL_API void rbl_inspect_options_init(rblInspectOptions* def, size_t size);
static inline rblInspectOptions rbl_default_inspect_options(void)
{
    rblInspectOptions def;
    rbl_inspect_options_init(&def, sizeof def);
    return def;
}

/// What a mesh is, and all that is wrong with it.
typedef struct rblMeshReport
{
    uint32_t vertices, faces, triangles; ///< triangles: what the faces triangulate into
    bool closed;                         ///< every edge has at least two faces: no boundary edges
    bool manifold; ///< no edge has more than two faces, every vertex has one fan, no face repeats a vertex
    bool oriented; ///< across every edge of two faces, these run opposite ways
    bool outward;  ///< closed, oriented, and every component of positive volume, or a cavity inside one
    uint32_t components; ///< connected through shared edges
    int32_t genus;       ///< sum over components; meaningful when closed, manifold and oriented, else -1
    double volume;       ///< signed, m^3; exact when closed and oriented
    double area;         ///< m^2
    rblAabbd bounds;     ///< of what the faces use; positions that are not finite left out

    rblDefect boundary_edges;     ///< examples are corners (the half-edge leaving that corner)
    rblDefect non_manifold_edges; ///< edges with three or more faces; examples are corners
    rblDefect misoriented_edges;  ///< edges whose two faces run the same way; examples are corners
    rblDefect non_manifold_vertices;
    rblDefect isolated_vertices; ///< vertices used by no face
    rblDefect degenerate_faces;  ///< a vertex twice, a position not finite, or no area (exactly collinear)
    rblDefect duplicate_faces;   ///< same vertices as an earlier face, whichever way round
    /// Pairs of triangles that meet elsewhere than in a shared vertex or edge; touching counts, but vertices at
    /// exactly the same position count as one. 1000000 means so many or more. Examples are the first faces of the
    /// first pairs.
    rblDefect self_intersections;
    uint32_t intersecting_faces[RBL_EXAMPLE_COUNT][2]; ///< the faces of the first pairs
} rblMeshReport;

/// Find out everything at once. Works on any mesh, however broken. `options` may be null for the defaults.
RBL_API rblResult rbl_mesh_inspect(rblMeshId mesh, const rblInspectOptions* options, rblMeshReport* out);

/// Volume, centre and inertia of the solid inside a closed surface of uniform density.
typedef struct rblMassProperties
{
    double volume;           ///< m^3
    double mass;             ///< kg
    rblVec3d center;         ///< centre of mass, m
    rblMat3d inertia;        ///< about the centre of mass, in the mesh's axes, kg m^2
    rblVec3d moments;        ///< principal moments, rising
    rblMat3d principal_axes; ///< unit columns in the order of `moments`, right-handed
} rblMassProperties;

/// Exact polyhedral integrals (divergence theorem, summed about a point inside so that far-off meshes keep
/// their digits). Refused: density not positive, a mesh that is not closed, edge-manifold and oriented,
/// volume not positive, mass or a principal moment too small for a number.
RBL_API rblResult rbl_mesh_mass_properties(rblMeshId mesh, double density, rblMassProperties* out);

RBL_EXTERN_C_END

#endif
