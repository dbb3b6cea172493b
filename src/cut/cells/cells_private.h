// Internal types of the creation of cells: a tree of sub-boxes, the carving of single cells, the join to one complex.
#ifndef RBL_CUT_CELLS_CELLS_PRIVATE_H
#define RBL_CUT_CELLS_CELLS_PRIVATE_H

#include "base/array.h"
#include "cut/cells/cells.h"

// Units: powers of two that are at least as large as every gradient and every coordinate of the box. Offsets are below
// their product.
typedef struct rblCellUnits
{
    double gradient;
    double length;
} rblCellUnits;

// A node of the tree. An inner node has two halves of its box; a leaf has the cells that can have the smallest f in its
// box.
typedef struct rblCellNode
{
    double split;  // inner node: coordinate of the plane between the halves
    uint32_t axis; // 0 to 2; 3: leaf
    // Leaf: range in `candidates`; inner node: first is the lower half, first + 1 the upper half.
    uint32_t first, end;
} rblCellNode;

struct rblCellTree
{
    RBL_ARRAY(rblCellNode) nodes;
    rblIndexArray candidates;
    // Every cell that a leaf does not list is above a listed cell by more than this, everywhere in the leaf's box.
    double margin;
    uint32_t* leaves; // per cell: a leaf that lists it; RBL_NO_LEAF: no leaf does
    uint32_t cell_count;
};

#define RBL_NO_LEAF UINT32_MAX

// `alive` lists the cells to consider, in rising order.
rblResult rbl_cell_tree_create(const rblCells* cells, const uint32_t* alive, uint32_t alive_count,
                               rblCellUnits units, rblCellTree** out);
void rbl_cell_tree_free(rblCellTree* tree, const rblAllocator* allocator);

// The leaf that contains a point of the box.
const rblCellNode* rbl_cell_tree_leaf(const rblCellTree* tree, rblVec3d point);

// A corner of one cell. The order of `planes` makes the determinant of their gradients relative to the cell positive.
// next[k] is the corner at the other end of the edge that leaves planes[k]; this edge has the direction d1 x d2 of the
// other two planes, in their cyclic order.
typedef struct rblCellCorner
{
    uint32_t planes[3];
    uint32_t next[3];
    rblVec3d position;
    double error; // bound of the error of each coordinate
    uint32_t state;
} rblCellCorner;

typedef RBL_ARRAY(rblCellCorner) rblCellCorners;

// Scratch memory for carving cells one after the other.
typedef struct rblCellCarver
{
    const rblCells* cells;
    rblCellUnits units;
    rblCellCorners corners;
    rblIndexArray open;  // corners that may be outside the cell
    rblIndexArray cut;   // corners that the current plane cuts off
    rblIndexArray fresh; // corners that the current plane creates
    rblIndexArray spare; // unused slots
    uint32_t* partners;  // per plane: a new corner on it without its link yet; count + 6
} rblCellCarver;

rblResult rbl_cell_carver_open(rblCellCarver* carver, const rblCells* cells, rblCellUnits units);
void rbl_cell_carver_close(rblCellCarver* carver);

// Append the corners of cell i, numbered from 0, to `out`; none if the cell is empty.
rblResult rbl_carve_cell(rblCellCarver* carver, uint32_t i, rblCellCorners* out);

// `corners` has the corners of all cells; those of cell i are from starts[i] to starts[i + 1]. Fills the other members
// of `cells`.
rblResult rbl_cells_join(rblCells* cells, const rblCellCorner* corners, const uint32_t* starts,
                         rblJobs* jobs);

#endif
