// A partition of space into convex cells: cell i is the set of points where f_i(x) = gradients[i] . x + offsets[i] is
// the smallest of all f (a power diagram). Voronoi cells of seeds s have gradient -2 s and offset s.s. Patterns consist
// of such cells (Su 2009, 4.1: prescoring all of space).
//
// The complex is limited to a box, which must contain the solid. The six sides of the box are treated as cells `count`
// .. `count + 5` (lower and upper x, y, z) without volume. Their functions h(x) = gradient . x + offset are positive
// inside the box; h is compared with zero and never with an f. Below, "relative to cell i" means f_k - f_i for a cell k
// and h_k for a side k.
//
// Cells are generic (no degenerate vertices): offsets are perturbed by about 1e-7 of the spacing of cells. The
// remaining ties are decided as if the offset of cell k were smaller by an infinitesimal e_k, e_0 >> e_1 >> ... So no
// four cells meet along a line, no five cells meet in a point, and every union of cells has a manifold boundary. Every
// vertex has exactly four cells, every edge three, every facet two. All decisions about topology are exact: gradients
// and offsets are rounded to common units, so that differences f_k - f_i have exact coefficients in double.
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
    uint32_t cells[4]; // in rising order; at least one is not a side
    rblVec3d position; // rounded, within the box; decisions use `cells` and not the position
} rblCellVertex;

typedef struct rblCellEdge
{
    uint32_t cells[3]; // in rising order
    // Tail and head; the edge has the direction d1 x d2, where d1 and d2 are the gradients of cells[1] and cells[2]
    // relative to cells[0].
    uint32_t vertices[2];
} rblCellEdge;

typedef struct rblCellFacet
{
    uint32_t cells[2]; // in rising order; the second may be a side
    // Range in facet_edges: one convex loop, counter-clockwise seen from the second cell.
    uint32_t first_edge, end_edge;
} rblCellFacet;

// Tree of sub-boxes; each leaf lists the cells that can have the smallest f in its box.
typedef struct rblCellTree rblCellTree;

typedef struct rblCells
{
    uint32_t count;
    rblVec3d* gradients; // count + 6, with the sides; rounded
    double* offsets;     // count + 6, with the sides; perturbed and rounded
    rblAabbd box;
    rblCellVertex* vertices;
    rblCellEdge* edges;
    rblCellFacet* facets;
    uint32_t vertex_count, edge_count, facet_count;
    uint32_t facet_edge_count, incidence_count; // sizes of facet_edges and cell_facets
    uint32_t* facet_edges;
    // Facets of cell i < count: from cell_starts[i] to cell_starts[i + 1], in rising order.
    uint32_t* cell_facets;
    uint32_t* cell_starts; // count + 1
    rblCellTree* tree;
    const rblAllocator* allocator;
} rblCells;

// Refused: no cells or more than RBL_MAX_CELLS, numbers that are not finite, a box without volume. A cell whose f is
// nowhere the smallest has no facets. Of several cells with the same gradient, the one with the smallest offset has
// facets; of equal cells the first.
rblResult rbl_cells_create(const rblVec3d* gradients, const double* offsets, uint32_t count, rblAabbd box,
                           uint64_t seed, rblJobs* jobs, const rblAllocator* allocator, rblCells** out);
void rbl_cells_free(rblCells* cells);

// The cell that contains a point: the smallest f in double precision, the first of equals. Inside the box the time is
// logarithmic.
uint32_t rbl_cells_locate(const rblCells* cells, rblVec3d point);

// f of a cell, as rbl_cells_locate() computes it.
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

// Exact sign of f_other - f_i at the point where cell i meets a, b and c (cells or sides): 1 or -1; ties are decided as
// above. `orientation` is the sign of the determinant of the gradients of a, b, c relative to i; it must not be zero.
int rbl_cells_side(const rblCells* cells, uint32_t i, const uint32_t abc[3], int orientation, uint32_t other);

#endif
