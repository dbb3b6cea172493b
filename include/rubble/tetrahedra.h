/// Tetrahedra: solids filled with a graded lattice that bends to their surface, and meshes from files.
#ifndef RUBBLE_TETRAHEDRA_H
#define RUBBLE_TETRAHEDRA_H

#include "rubble/mesh.h"
#include <stdbool.h>
#include <stddef.h>

RBL_EXTERN_C_BEGIN

/// Handle to a mesh of tetrahedra. Zero is null; pass by value, compare, store.
typedef struct rblTetsId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< bumped when the slot is reused: stale ids are caught
} rblTetsId;

/// All of a mesh of tetrahedra, as plain arrays. What was filled by rbl_tets_fill() has two parts that share the nodes between
/// them: the solid comes first, then the rim, the tetrahedra outside through which the original surface still passes.
typedef struct rblTetsView
{
    uint32_t node_count;
    uint32_t tet_count;
    uint32_t solid_node_count; ///< nodes below it are used by the solid; the others by the rim alone
    uint32_t solid_tet_count;  ///< tetrahedra below it are the solid; without a rim these are all
    const rblVec3d* positions; ///< node_count, m
    const uint32_t* nodes;     ///< 4 * tet_count: a, b, c, d with (b - a) x (c - a) . (d - a) > 0
    const uint32_t* neighbors; ///< 4 * tet_count: the one across the face opposite to that node, or RBL_NONE
    const uint32_t* regions;   ///< tet_count: numbers out of a file; of a filled solid 1, of its rim 2
} rblTetsView;

/// Copy arrays into a new mesh. Of `view` are read: the counts of nodes and tetrahedra, positions, nodes and regions (null: all
/// 1). Tetrahedra that are turned over are turned back; RBL_ERROR_GEOMETRY names the first that is flat and the first face that
/// three of them share.
RBL_API rblResult rbl_tets_create(const rblTetsView* view, rblTetsId* out);

/// Destroy a mesh. The id is stale afterwards; views of it must no longer be used.
RBL_API rblResult rbl_tets_destroy(rblTetsId tets);

/// The mesh's own arrays, valid until it is destroyed.
RBL_API rblResult rbl_tets_view(rblTetsId tets, rblTetsView* out);

/// How many are alive: a leak check for tests.
RBL_API uint32_t rbl_tets_alive_count(void);

// ---- from a solid ----

/// How to fill a solid. Start from rbl_default_tets_def() and change fields.
typedef struct rblTetsDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_tets_def()
    uint32_t cookie;      ///< set by rbl_default_tets_def()
    double edge;          ///< side of the lattice's cubes at the surface, m; 0: by `count`
    /// At least so many tetrahedra in the solid, and few more; default 20000; used when edge is 0.
    uint32_t count;
    uint32_t levels; ///< how often the cubes may double in size on the way inside, 0 to 8; default 2
    double margin;   ///< how far the mesh reaches out of the solid at least, m; default 0: just around it
    /// Halve the edge up to so many times, until `same_topology`; 0 to 8; default 0.
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

/// All dihedral angles of a filled solid and of its rim are between these, degrees; deeper inside than the tetrahedra at the
/// surface between 45 and 120 (docs/tetrahedra.md).
#define RBL_TETS_MIN_ANGLE 9.3
#define RBL_TETS_MAX_ANGLE 161.7

/// How a solid was filled.
typedef struct rblTetsFill
{
    double edge;           ///< that was used, m
    uint32_t cubes;        ///< of all sizes
    uint32_t moved_nodes;  ///< of the lattice, onto the surface
    uint32_t cut_edges;    ///< of the lattice, with a node on the surface
    uint32_t hidden_edges; ///< cut twice, in and out again: something thinner than the lattice is there
    rblVec3d hidden_at;    ///< in the middle of the one with the longest part hidden
    double hidden_length;  ///< that part, m
    uint32_t off_surface; ///< nodes that stay up to 0.36 edges off the surface to keep the angles: hardly any
    /// The surface of the solid's tetrahedra has as many parts and handles as the given one. When not, something thin was torn,
    /// closed or lost: a flat wall or gap thicker than `edge` never is.
    bool same_topology;
} rblTetsFill;

/// Fill the inside of a closed surface: a body-centred cubic lattice, bent to the surface and cut by it (Labelle and Shewchuk
/// 2007). `def` may be null for the defaults, `fill` when nobody asks. The whole surface lies inside the mesh.
/// RBL_ERROR_GEOMETRY: the surface is open, its faces disagree, it is turned inside out, or so thin that no tetrahedron fits in.
RBL_API rblResult rbl_tets_fill(rblMeshId solid, const rblTetsDef* def, rblTetsFill* fill, rblTetsId* out);

// ---- questions ----

/// The tetrahedron that holds each point, decided exactly, or RBL_NONE. In a filled solid the lattice says where to look, at the
/// same cost however many tetrahedra there are; in other meshes a hierarchy of boxes does, and of those that share a face or node
/// with the point on it the lowest is found. Works in parallel.
RBL_API rblResult rbl_tets_locate(rblTetsId tets, const rblVec3d* points, uint32_t count, uint32_t* out);

/// Bins of ten degrees.
#define RBL_TETS_ANGLE_BINS 18

/// What a mesh of tetrahedra is, and how well they are shaped.
typedef struct rblTetsReport
{
    uint32_t nodes, tets;
    uint32_t solid_nodes, solid_tets; ///< as in rblTetsView
    uint32_t regions;                 ///< different numbers
    uint32_t parts;                   ///< of the solid, connected through faces
    rblAabbd bounds;                  ///< of all nodes

    // Of the solid alone:
    double volume, area;                    ///< m^3; of its surface, m^2
    uint32_t surface_faces;                 ///< triangles of it
    uint32_t surface_parts;                 ///< connected through edges
    int32_t surface_genus;                  ///< handles; -1 when the surface meets itself in an edge or node
    double shortest_edge, longest_edge;     ///< m
    double smallest_volume, largest_volume; ///< of a tetrahedron, m^3
    double smallest_angle, largest_angle;   ///< dihedral, degrees
    uint32_t sharpest_tet, bluntest_tet;    ///< which have these
    uint32_t angles[RBL_TETS_ANGLE_BINS];   ///< how many dihedral angles are in each ten degrees
    double worst_ratio,
        mean_ratio;    ///< three inscribed radii by the circumscribed one: 1 when regular, 0 when flat
    double rim_volume; ///< m^3
    double rim_smallest_angle, rim_largest_angle; ///< degrees; 0 without a rim
} rblTetsReport;

/// Look at all of it at once.
RBL_API rblResult rbl_tets_inspect(rblTetsId tets, rblTetsReport* out);

/// How far the surface of the solid's tetrahedra and another one are apart, each way: measured at the vertices, at the middles of the
/// edges and at the centres of the triangles of the one, to the closest point of the other.
typedef struct rblTetsError
{
    double outward_max,
        outward_mean;    ///< from the tetrahedra to the original, m; the mean is weighted by area
    rblVec3d outward_at; ///< where
    double original_max, original_mean; ///< from the original to the tetrahedra, m
    rblVec3d original_at;
    double volume_ratio; ///< of the tetrahedra by that of the original
} rblTetsError;

/// Measure it against the surface of a mesh.
RBL_API rblResult rbl_tets_compare(rblTetsId tets, rblMeshId original, rblTetsError* out);

/// The triangles around the solid, or with `rim` around solid and rim together, facing outwards. The origin of a face is its
/// tetrahedron.
RBL_API rblResult rbl_tets_surface(rblTetsId tets, bool rim, rblMeshId* out);

// ---- files ----

/// Formats of files of tetrahedra.
typedef enum rblTetsFormat
{
    RBL_TETS_AUTO,   ///< none of these
    RBL_TETS_MSH,    ///< Gmsh: versions 2 and 4.1, text and binary; written as 2.2, text
    RBL_TETS_TETGEN, ///< NAME.ele with NAME.node beside it; read only
    RBL_TETS_VTU     ///< VTK: text, base64 and raw, not compressed; written raw
} rblTetsFormat;

/// By the ending of a name; null is fine.
RBL_API rblTetsFormat rbl_tets_format_of(const char* path);

/// Read tetrahedra; other elements and nodes that none uses are left out, and of curved ones only the corners are taken. Those that
/// are turned over are turned back; flat ones and faces of three refuse the file. Errors name file and line.
RBL_API rblResult rbl_tets_load(const char* path, rblTetsId* out);

/// Write the solid, with `rim` the rim too, as .msh or .vtu. The file is written beside and renamed: an existing one is replaced whole
/// or not at all.
RBL_API rblResult rbl_tets_save(rblTetsId tets, bool rim, const char* path);

RBL_EXTERN_C_END

#endif
