// A manifold triangle mesh with edge collapses. Corners are half-edges, as in mesh.h; corners 3 t .. 3 t + 2 belong to
// triangle t. Costs are computed elsewhere.
#ifndef RBL_MESH_SIMPLIFY_COLLAPSE_MESH_H
#define RBL_MESH_SIMPLIFY_COLLAPSE_MESH_H

#include "mesh/mesh.h"

// Reasons why an edge is a feature; collapses keep feature edges in place.
#define RBL_FEATURE_BORDER   1u // one triangle only
#define RBL_FEATURE_SEAM     2u // different attributes on its sides
#define RBL_FEATURE_MATERIAL 4u // different materials
#define RBL_FEATURE_GROUP    8u // different groups

typedef enum rblVertexKind
{
    RBL_VERTEX_FREE,  // no feature edges
    RBL_VERTEX_CURVE, // two feature edges of one kind: it can be collapsed along them
    RBL_VERTEX_FIXED  // an end or a crossing of features: it is never removed
} rblVertexKind;

typedef struct rblCollapseMesh
{
    const rblAllocator* allocator;
    uint32_t vertex_count;
    uint32_t triangle_count; // with removed ones
    uint32_t live_triangles;
    uint32_t wedge_count;      // a wedge is a range of corners around a vertex with the same attributes
    uint32_t* corner_vertices; // per corner
    uint32_t* corner_wedges;   // per corner
    uint32_t* twins;           // per corner: the other half-edge, RBL_NONE on a border
    uint8_t* features;         // per corner: RBL_FEATURE_... of its edge
    uint8_t* dead;             // per triangle
    uint32_t* vertex_corners; // per vertex: a corner there, on a border the rightmost; RBL_NONE: no triangles
    uint8_t* vertex_kinds;    // per vertex: rblVertexKind
    uint32_t* marks;          // per vertex: equal to `mark` when marked
    uint32_t mark;
} rblCollapseMesh;

// An edge collapse and its direction. At least one of the half-edges exists.
typedef struct rblCollapse
{
    uint32_t removed, kept;
    uint32_t forward;  // the half-edge removed -> kept, RBL_NONE when there is none
    uint32_t backward; // the half-edge kept -> removed
} rblCollapse;

// `view` has triangles only. With `seams` false, attributes make no features and each vertex is one wedge.
// RBL_ERROR_GEOMETRY when it is not manifold and consistently oriented.
rblResult rbl_collapse_mesh_init(rblCollapseMesh* mesh, const rblMeshView* view, bool seams,
                                 const rblAllocator* allocator);
void rbl_collapse_mesh_free(rblCollapseMesh* mesh);

// Whether the kinds of the vertices allow the removal: a free vertex can move to any neighbour, one on a curve only
// along the curve.
bool rbl_may_remove(const rblCollapseMesh* mesh, uint32_t corner, uint32_t removed);

// Whether the collapse keeps the surface a manifold of the same topology, and its features. Call it after
// rbl_may_remove() returned true.
bool rbl_collapse_allowed(rblCollapseMesh* mesh, const rblCollapse* collapse);

// Carry out the collapse: corners of `removed` move to `kept` and to the wedges there, one or two triangles are removed.
void rbl_collapse_apply(rblCollapseMesh* mesh, const rblCollapse* collapse);

// The collapse of an edge given by a half-edge that ends or starts at `removed`.
rblCollapse rbl_collapse_of(const rblCollapseMesh* mesh, uint32_t corner, uint32_t removed);

static inline uint32_t rbl_triangle_next(uint32_t corner)
{
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

static inline uint32_t rbl_triangle_previous(uint32_t corner)
{
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}

// The next corner at the same vertex, counter-clockwise; RBL_NONE past a border.
static inline uint32_t rbl_spin_left(const rblCollapseMesh* mesh, uint32_t corner)
{
    return mesh->twins[rbl_triangle_previous(corner)];
}

// The same, clockwise.
static inline uint32_t rbl_spin_right(const rblCollapseMesh* mesh, uint32_t corner)
{
    const uint32_t twin = mesh->twins[corner];
    return twin == RBL_NONE ? RBL_NONE : rbl_triangle_next(twin);
}

// One step of a loop over all corners of a vertex that started at vertex_corners[v]; RBL_NONE at the end.
static inline uint32_t rbl_fan_next(const rblCollapseMesh* mesh, uint32_t first, uint32_t corner)
{
    const uint32_t next = rbl_spin_left(mesh, corner);
    return next == first ? RBL_NONE : next;
}

#endif
