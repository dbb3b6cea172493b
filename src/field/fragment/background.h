// What all fragments of one body share and no fracture ever changes (Glondu 2012, 4.1, 5.1): the solid as a level set, tetrahedra
// that hold all of it, what a field wants to know of their nodes, and a template of the samples of all fragments to come.
//
// Exact distances to the original surface stay here and never mix with those to cracks, which events keep (fragment_event.h): the paper
// has one distance per node, and loses cracks near the original surface, where its nodes are at zero already.
#ifndef RBL_FIELD_FRAGMENT_BACKGROUND_H
#define RBL_FIELD_FRAGMENT_BACKGROUND_H

#include "field/level_set/level_set.h"
#include "field/shape.h"
#include "mesh/tets/tets.h"
#include <stdatomic.h>

typedef struct rblBackgroundNode
{
    rblVec3 position;
    float distance; // to the original surface, exact; positive inside
    rblVec3 normal; // unit, out of the solid through its closest point
    float exit;     // distance to the border of all tetrahedra, rim included
} rblBackgroundNode;

typedef struct rblBackgroundEdge
{
    uint32_t node; // at the other end
    float weight;  // 1 / length^2
} rblBackgroundEdge;

// Barycentric coordinates of a point: b_i = x[i] p.x + y[i] p.y + z[i] p.z + o[i]. One cache line.
typedef struct rblBackgroundTet
{
    float x[4], y[4], z[4], o[4];
} rblBackgroundTet;

// A sample that fragments may get: of the original surface, or a node of the solid, which counts once a crack exposes it.
typedef struct rblTemplatePoint
{
    rblVec3 point;
    uint32_t parent;      // place in the template, before this one; the first has none and says 0
    uint32_t node;        // RBL_NONE: of the surface
    uint32_t tet;         // that it is in; of nodes RBL_NONE
    float barycentric[4]; // in that
} rblTemplatePoint;

#define RBL_CELL_LEVELS 16u

typedef struct rblCellLevel
{
    uint32_t size[3];
    uint32_t first; // of its cells among those of all levels, x fastest
} rblCellLevel;

typedef struct rblBackground
{
    rblTets* tets;         // held
    const rblShape* solid; // held; a level set
    const rblLevelSet* grid;
    const rblTetsView* view;
    uint32_t node_count, tet_count;
    float edge; // mean length, metres

    rblBackgroundNode* nodes;
    rblBackgroundTet* functions;
    uint32_t* first_edges; // node_count + 1
    rblBackgroundEdge* edges;
    uint32_t edge_count; // both ways round

    // Where to begin the walk to a point: per cell of a grid a tetrahedron near its middle, or RBL_NONE.
    rblVec3 seed_origin;
    float seed_inverse;
    uint32_t seed_size[3];
    uint32_t* seeds;

    // Cells of sets of fragments, each level twice as wide as the one before, and the nodes of all tetrahedra in the finest.
    rblVec3 cell_origin;
    float cell;
    uint32_t level_count;
    rblCellLevel levels[RBL_CELL_LEVELS];
    uint32_t cell_count;        // of all levels
    uint32_t* first_cell_nodes; // cells of the finest level + 1
    uint32_t* cell_nodes;

    rblTemplatePoint* points; // in farthest-point order
    uint32_t point_count;
    uint32_t* node_points; // per node: its place among the points, RBL_NONE for those outside of the solid

    const rblAllocator* allocator;
    atomic_uint references;
} rblBackground;

// From a level set, whose own samples are those of the surface, and tetrahedra around all of it (rbl_tets_fill(), or imported ones).
// Refused: other kinds of shapes, samples outside the tetrahedra. Held once for the caller.
rblResult rbl_background_create(rblShapeId solid, rblTetsId tets, rblBackground** out);
void rbl_background_retain(const rblBackground* background);
void rbl_background_release(const rblBackground* background);

// A tetrahedron that holds the point, to rounding, and its barycentric coordinates there; RBL_NONE: outside of all.
uint32_t rbl_background_locate(const rblBackground* background, rblVec3 point, float barycentric[4]);

// How many cells the finest level has.
static inline uint32_t rbl_background_cells(const rblBackground* background)
{
    const uint32_t* size = background->levels[0].size;
    return size[0] * size[1] * size[2];
}

// The same without certainty at the border, in less time: RBL_NONE may be wrong there.
uint32_t rbl_background_walk(const rblBackground* background, rblVec3 point, float barycentric[4]);

// ---- making one, in order; each fills in its part ----

rblResult rbl_background_measure_nodes(rblBackground* background);
rblResult rbl_background_connect(rblBackground* background);
rblResult rbl_background_fill_seeds(rblBackground* background);
rblResult rbl_background_fill_cells(rblBackground* background);
rblResult rbl_background_order_points(rblBackground* background);

#endif
