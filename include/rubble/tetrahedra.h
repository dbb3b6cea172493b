/// Tetrahedral meshes: lattice stuffing of solids, and meshes from files.
#ifndef RUBBLE_TETRAHEDRA_H
#define RUBBLE_TETRAHEDRA_H

#include "rubble/mesh.h"
#include <stdbool.h>
#include <stddef.h>

RBL_EXTERN_C_BEGIN

/// Handle to a tetrahedral mesh. Zero is null; pass by value, compare, store.
typedef struct rblTetsId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< incremented when the slot is reused, so that stale ids are detected
} rblTetsId;

/// The arrays of a tetrahedral mesh. A mesh of rbl_tets_fill() has two parts that share the nodes between them: first the
/// solid, then the rim, which is the layer of tetrahedra outside the solid that still contains parts of the original
/// surface.
typedef struct rblTetsView
{
    uint32_t node_count;
    uint32_t tet_count;
    uint32_t solid_node_count; ///< nodes below this index are used by the solid; the others by the rim only
    uint32_t solid_tet_count;  ///< tetrahedra below this index are the solid; without a rim all are
    const rblVec3d* positions; ///< node_count, m
    const uint32_t* nodes;     ///< 4 * tet_count: a, b, c, d with (b - a) x (c - a) . (d - a) > 0
    const uint32_t*
        neighbors; ///< 4 * tet_count: the neighbour across the face opposite to that node, or RBL_NONE
    const uint32_t* regions; ///< tet_count: region numbers of a file; 1 for a filled solid, 2 for its rim
} rblTetsView;

/// Copy arrays into a new mesh. The call reads the counts of nodes and tetrahedra, positions, nodes and regions (null:
/// all 1) of `view`. Inverted tetrahedra are reoriented. RBL_ERROR_GEOMETRY names the first flat tetrahedron or the first
/// face of three tetrahedra.
RBL_API rblResult rbl_tets_create(const rblTetsView* view, rblTetsId* out);

/// Destroy a mesh. The id is stale afterwards; views of it must no longer be used.
RBL_API rblResult rbl_tets_destroy(rblTetsId tets);

/// The arrays of a mesh, valid until it is destroyed.
RBL_API rblResult rbl_tets_view(rblTetsId tets, rblTetsView* out);

/// The number of tetrahedral meshes that exist: a leak check for tests.
RBL_API uint32_t rbl_tets_alive_count(void);

// ---- filling a solid ----

/// How to fill a solid. Start from rbl_default_tets_def() and change fields.
typedef struct rblTetsDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_tets_def()
    uint32_t cookie;      ///< set by rbl_default_tets_def()
    double edge;          ///< side of the lattice cubes at the surface, m; 0: chosen from `count`
    /// The least number of tetrahedra in the solid; the result has few more. Default 20000; used when edge is 0.
    uint32_t count;
    uint32_t levels; ///< how often the cubes may double in size towards the inside, 0 to 8; default 2
    double margin;   ///< least distance that the mesh extends beyond the solid, m; default 0: only the rim
    /// Halve the edge up to this many times until `same_topology`; 0 to 8; default 0.
    uint32_t halvings;
} rblTetsDef;

/// The defaults named above.
RBL_API void rbl_tets_def_init(rblTetsDef* def, size_t size);
static inline rblTetsDef rbl_default_tets_def(void)
{
    rblTetsDef def;
    rbl_tets_def_init(&def, sizeof def);
    return def;
}

/// All dihedral angles of a filled solid and of its rim lie between these, in degrees. Those of tetrahedra that do not
/// touch the surface lie between 45 and 120 (docs/tetrahedra.md).
#define RBL_TETS_MIN_ANGLE 9.3
#define RBL_TETS_MAX_ANGLE 161.7

/// Statistics of a filled solid.
typedef struct rblTetsFill
{
    double edge;          ///< edge that was used, m
    uint32_t cubes;       ///< of all sizes
    uint32_t moved_nodes; ///< lattice nodes moved onto the surface
    uint32_t cut_edges;   ///< lattice edges with a new node on the surface
    uint32_t
        hidden_edges; ///< lattice edges that the surface crosses twice: a feature thinner than the lattice was lost
    rblVec3d hidden_at;   ///< middle of the edge with the longest lost part
    double hidden_length; ///< length of that part, m
    uint32_t off_surface; ///< nodes left up to 0.36 edges off the surface to keep the angle bounds; very few
    /// The surface of the tetrahedra has as many components and handles as the given one. When it has not, a thin feature
    /// was torn, closed or lost. A flat wall or gap thicker than `edge` is never lost.
    bool same_topology;
} rblTetsFill;

/// Fill the inside of a closed surface by isosurface stuffing (Labelle and Shewchuk 2007): a body-centred cubic lattice,
/// warped to the surface and cut by it. `def` may be null for the defaults, and `fill` may be null. The whole surface
/// lies inside the mesh. RBL_ERROR_GEOMETRY: the surface is open, not consistently oriented, inside out, or so thin that
/// no tetrahedron fits.
RBL_API rblResult rbl_tets_fill(rblMeshId solid, const rblTetsDef* def, rblTetsFill* fill, rblTetsId* out);

// ---- queries ----

/// The tetrahedron that contains each point, decided exactly, or RBL_NONE. In a filled solid the lattice gives the cell
/// directly, at a cost that does not depend on the number of tetrahedra. In other meshes a BVH does; for a point on a
/// shared face or node the lowest index wins. Runs in parallel.
RBL_API rblResult rbl_tets_locate(rblTetsId tets, const rblVec3d* points, uint32_t count, uint32_t* out);

/// Bins of ten degrees each.
#define RBL_TETS_ANGLE_BINS 18

/// Properties of a tetrahedral mesh and the quality of its tetrahedra.
typedef struct rblTetsReport
{
    uint32_t nodes, tets;
    uint32_t solid_nodes, solid_tets; ///< as in rblTetsView
    uint32_t regions;                 ///< number of different region numbers
    uint32_t parts;                   ///< components of the solid, connected through faces
    rblAabbd bounds;                  ///< of all nodes

    // Of the solid alone:
    double volume, area;                ///< volume m^3, surface area m^2
    uint32_t surface_faces;             ///< triangles of the surface
    uint32_t surface_parts;             ///< components of the surface, connected through edges
    int32_t surface_genus;              ///< handles; -1 when the surface touches itself in an edge or node
    double shortest_edge, longest_edge; ///< m
    double smallest_volume, largest_volume; ///< of a tetrahedron, m^3
    double smallest_angle, largest_angle;   ///< dihedral, degrees
    uint32_t sharpest_tet, bluntest_tet;    ///< the tetrahedra with these angles
    uint32_t angles[RBL_TETS_ANGLE_BINS];   ///< number of dihedral angles in each bin of ten degrees
    double worst_ratio,
        mean_ratio; ///< 3 * inscribed radius / circumscribed radius: 1 for a regular tetrahedron, 0 for a flat one
    double rim_volume;                            ///< m^3
    double rim_smallest_angle, rim_largest_angle; ///< degrees; 0 without a rim
} rblTetsReport;

/// Compute the whole report.
RBL_API rblResult rbl_tets_inspect(rblTetsId tets, rblTetsReport* out);

/// The distance between the surface of the tetrahedra and another surface, in both directions. It is sampled at the
/// vertices, edge midpoints and centroids of the triangles of one surface, each to the closest point of the other.
typedef struct rblTetsError
{
    double outward_max,
        outward_mean;    ///< from the tetrahedra to the original, m; the mean is weighted by area
    rblVec3d outward_at; ///< position of the maximum
    double original_max, original_mean; ///< from the original to the tetrahedra, m
    rblVec3d original_at;
    double volume_ratio; ///< volume of the tetrahedra divided by that of the original
} rblTetsError;

/// Compare a tetrahedral mesh with the surface of a mesh.
RBL_API rblResult rbl_tets_compare(rblTetsId tets, rblMeshId original, rblTetsError* out);

/// The boundary triangles of the solid, or with `rim` of solid and rim together, oriented outwards. The origin of a face
/// is its tetrahedron.
RBL_API rblResult rbl_tets_surface(rblTetsId tets, bool rim, rblMeshId* out);

// ---- files ----

/// File formats of tetrahedral meshes.
typedef enum rblTetsFormat
{
    RBL_TETS_AUTO,   ///< not one of the formats below
    RBL_TETS_MSH,    ///< Gmsh: versions 2 and 4.1, text and binary; written as 2.2, text
    RBL_TETS_TETGEN, ///< NAME.ele, with NAME.node in the same folder; read only
    RBL_TETS_VTU     ///< VTK: text, base64 and raw, not compressed; written raw
} rblTetsFormat;

/// The format of a file name by its extension; null is allowed.
RBL_API rblTetsFormat rbl_tets_format_of(const char* path);

/// Read tetrahedra. Other elements and unused nodes are skipped; of curved elements only the corner nodes are read.
/// Inverted tetrahedra are reoriented; a flat tetrahedron or a face of three tetrahedra makes the call refuse the file.
/// Errors name file and line.
RBL_API rblResult rbl_tets_load(const char* path, rblTetsId* out);

/// Write the solid, with `rim` also the rim, as .msh or .vtu. The call writes a temporary file and renames it: an
/// existing file is replaced completely or not at all.
RBL_API rblResult rbl_tets_save(rblTetsId tets, bool rim, const char* path);

RBL_EXTERN_C_END

#endif
