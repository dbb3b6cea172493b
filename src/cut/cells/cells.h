// All of space in convex cells: cell i is where f_i(x) = gradients[i] . x + offsets[i] is least (a power diagram; Voronoi
// cells of seeds s are gradient -2 s, offset s.s). What patterns are made of (Su 2009, 4.1: prescoring all of space).
//
// The complex is that of a box, which must hold the solid. Its six sides count as cells `count` .. `count + 5` (lower and
// upper x, y, z) that own no volume; their functions h(x) = gradient . x + offset are positive inside the box and are compared
// with zero, never with an f. In what follows "relative to cell i" means f_k - f_i for a cell k and h_k for a side k.
//
// Cells are generic: offsets are shaken by about 1e-7 of the spacing of cells, and what still ties is decided as if cell k's
// offset were smaller by an infinitesimal e_k, e_0 >> e_1 >> ...; so no four cells meet along a line and no five in a point,
// and any union of cells has a manifold boundary. Every vertex has exactly four cells, every edge three, every facet two.
// All topology is decided exactly. Gradients and offsets are rounded to common units so that differences f_k - f_i have exact
// coefficients in double.
#ifndef RBL_CUT_CELLS_CELLS_H
#define RBL_CUT_CELLS_CELLS_H

#include "base/jobs.h"
#include "base/memory.h"
#include "math/vec.h"
#include "rubble/math.h"
#include "rubble/result.h"

#define RBL_MAX_CELLS  65536
#define RBL_CELL_SIDES 6

typedef struct rblCellVertex
{
    uint32_t cells[4]; // rising; at least one is no side
    rblVec3d position; // rounded, within the box; the cells say what it is
} rblCellVertex;

typedef struct rblCellEdge
{
    uint32_t cells[3];    // rising
    uint32_t vertices[2]; // tail, head: along d1 x d2, the gradients of the last two relative to the first
} rblCellEdge;

typedef struct rblCellFacet
{
    uint32_t cells[2]; // rising; the second may be a side
    uint32_t first_edge,
        end_edge; // in facet_edges: one convex loop, counter-clockwise seen from the second cell
} rblCellFacet;

// Sub-boxes of the box with the cells that can be least somewhere in each.
typedef struct rblCellTree rblCellTree;

typedef struct rblCells
{
    uint32_t count;
    rblVec3d* gradients; // count + 6
    double* offsets;     // count + 6, shaken
    rblAabbd box;
    rblCellVertex* vertices;
    rblCellEdge* edges;
    rblCellFacet* facets;
    uint32_t vertex_count, edge_count, facet_count;
    uint32_t facet_edge_count, incidence_count; // of facet_edges and cell_facets
    uint32_t* facet_edges;
    uint32_t* cell_facets; // facets of cell i, rising: from cell_starts[i] to cell_starts[i + 1], i < count
    uint32_t* cell_starts; // count + 1
    rblCellTree* tree;
    const rblAllocator* allocator;
} rblCells;

// Refused: no cells or more than RBL_MAX_CELLS, numbers that are not finite, a box without volume. Cells that are nowhere least
// have no facets; of cells with the same gradient only the least remains, of equals the first.
rblResult rbl_cells_create(const rblVec3d* gradients, const double* offsets, uint32_t count, rblAabbd box,
                           uint64_t seed, rblJobs* jobs, const rblAllocator* allocator, rblCells** out);
void rbl_cells_free(rblCells* cells);

// Which cell a point is in: the least f as computed in double, the first of equals. Inside the box it takes logarithmic time.
uint32_t rbl_cells_locate(const rblCells* cells, rblVec3d point);

// f of a cell as rbl_cells_locate() computes it.
static inline double rbl_cell_value(const rblCells* cells, uint32_t cell, rblVec3d point)
{
    return rbl_dot3d(cells->gradients[cell], point) + cells->offsets[cell];
}

// Coefficients of cell or side k relative to cell i; exact.
typedef struct rblCellRow
{
    rblVec3d gradient;
    double offset;
} rblCellRow;

static inline rblCellRow rbl_cell_row(const rblCells* cells, uint32_t i, uint32_t k)
{
    if (k >= cells->count)
    {
        return (rblCellRow){cells->gradients[k], cells->offsets[k]};
    }
    return (rblCellRow){rbl_sub3d(cells->gradients[k], cells->gradients[i]),
                        cells->offsets[k] - cells->offsets[i]};
}

// Sign of f_other - f_i at the point where cell i meets a, b and c (cells or sides): 1 or -1, ties decided as above. Exact.
// `orientation` is the sign of the determinant of the gradients of a, b, c relative to i, which must not be zero.
int rbl_cells_side(const rblCells* cells, uint32_t i, const uint32_t abc[3], int orientation, uint32_t other);

#endif
