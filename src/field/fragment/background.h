// Data that all fragments of one body share and that no fracture changes (Glondu 2012, 4.1, 5.1): the solid as a level
// set, tetrahedra that contain it, distances at their nodes, and a template of the samples of all future fragments.
//
// Exact distances to the original surface are stored here. Distances to cracks are stored separately, by events
// (fragment_event.h). The paper has one distance per node and loses cracks near the original surface, where the
// distance is 0 already.
#ifndef RBL_FIELD_FRAGMENT_BACKGROUND_H
#define RBL_FIELD_FRAGMENT_BACKGROUND_H

#include "field/level_set/level_set.h"
#include "field/shape.h"
#include "mesh/tets/tets.h"
#include <stdatomic.h>

typedef struct rblBackgroundNode
{
    rblVec3 position;
    float distance; // m, to the original surface, exact; positive inside
    rblVec3 normal; // unit, out of the solid, at its closest point of the surface
    float exit;     // m, distance to the border of all tetrahedra, with the rim
} rblBackgroundNode;

typedef struct rblBackgroundEdge
{
    uint32_t node; // the other end
    float weight;  // 1 / length^2
} rblBackgroundEdge;

// Barycentric coordinates of a point: b_i = x[i] p.x + y[i] p.y + z[i] p.z + o[i]. One cache line.
typedef struct rblBackgroundTet
{
    float x[4], y[4], z[4], o[4];
} rblBackgroundTet;

// A possible sample of fragments: on the original surface, or a node of the solid, which becomes a sample when a crack
// exposes it.
typedef struct rblTemplatePoint
{
    rblVec3 point;
    uint32_t parent;      // index in the template, before this point; 0 for the first, which has none
    uint32_t node;        // RBL_NONE: a point of the surface
    uint32_t tet;         // the tetrahedron that contains it; RBL_NONE for nodes
    float barycentric[4]; // in that tetrahedron
} rblTemplatePoint;

#define RBL_CELL_LEVELS 16u // levels of cells, at most
typedef struct rblCellLevel
{
    uint32_t size[3];
    uint32_t first; // its first cell among the cells of all levels, x fastest
} rblCellLevel;

typedef struct rblBackground
{
    rblTets* tets;         // retained
    const rblShape* solid; // retained; a level set
    const rblLevelSet* grid;
    const rblTetsView* view;
    uint32_t node_count, tet_count;
    float edge; // m, mean length of edges

    rblBackgroundNode* nodes;
    rblBackgroundTet* functions;
    uint32_t* first_edges; // node_count + 1: first edge of each node
    rblBackgroundEdge* edges;
    uint32_t edge_count; // each edge counts twice, once per end

    // Start of the walk to a point: per cell of a grid, a tetrahedron near its centre, or RBL_NONE.
    rblVec3 seed_origin;
    float seed_inverse;
    uint32_t seed_size[3];
    uint32_t* seeds;

    // Cells for sets of fragments; each level has cells twice as wide as the level before. The finest cells list the
    // nodes of all their tetrahedra.
    rblVec3 cell_origin;
    float cell;
    uint32_t level_count;
    rblCellLevel levels[RBL_CELL_LEVELS];
    uint32_t cell_count;        // of all levels
    uint32_t* first_cell_nodes; // cells of the finest level + 1: first node of each cell
    uint32_t* cell_nodes;

    rblTemplatePoint* points; // in farthest-point order
    uint32_t point_count;
    uint32_t* node_points; // per node: its index among the points; RBL_NONE: outside the solid

    const rblAllocator* allocator;
    atomic_uint references;
} rblBackground;

// From a level set, whose samples become those of the surface, and tetrahedra that contain it (rbl_tets_fill(), or
// imported ones). Refused: other kinds of shapes, samples outside the tetrahedra. The caller gets one reference.
rblResult rbl_background_create(rblShapeId solid, rblTetsId tets, rblBackground** out);
void rbl_background_retain(const rblBackground* background);
void rbl_background_release(const rblBackground* background);

// A tetrahedron that contains the point, within rounding, and its barycentric coordinates; RBL_NONE: outside all.
uint32_t rbl_background_locate(const rblBackground* background, rblVec3 point, float barycentric[4]);

// Number of cells of the finest level.
static inline uint32_t rbl_background_cells(const rblBackground* background)
{
    const uint32_t* size = background->levels[0].size;
    return size[0] * size[1] * size[2];
}

// The same in less time, but RBL_NONE may be wrong near the border.
uint32_t rbl_background_walk(const rblBackground* background, rblVec3 point, float barycentric[4]);

// ---- stages of the creation, in order ----

rblResult rbl_background_measure_nodes(rblBackground* background);
rblResult rbl_background_connect(rblBackground* background);
rblResult rbl_background_fill_seeds(rblBackground* background);
rblResult rbl_background_fill_cells(rblBackground* background);
rblResult rbl_background_order_points(rblBackground* background);

#endif
