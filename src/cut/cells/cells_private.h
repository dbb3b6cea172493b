// How a complex of cells is built: a tree of sub-boxes, then every cell by itself, then all joined.
#ifndef RBL_CUT_CELLS_CELLS_PRIVATE_H
#define RBL_CUT_CELLS_CELLS_PRIVATE_H

#include "base/array.h"
#include "cut/cells/cells.h"

// Units: powers of two not below any gradient and any coordinate of the box. Offsets are below their product.
typedef struct rblCellUnits
{
    double gradient;
    double length;
} rblCellUnits;

// A node of the tree: two halves of its box, or the cells that can be least in it.
typedef struct rblCellNode
{
    double split;        // inner: where the halves part
    uint32_t axis;       // 0 to 2; 3: leaf
    uint32_t first, end; // leaf: in `candidates`; inner: first is the lower half, first + 1 the upper
} rblCellNode;

struct rblCellTree
{
    RBL_ARRAY(rblCellNode) nodes;
    rblIndexArray candidates;
    double
        margin; // every cell that a leaf does not list is above one that it lists by more than this, all over its box
    uint32_t* homes; // per cell: a leaf that lists it; RBL_NO_LEAF: it is nowhere least
    uint32_t cell_count;
};

#define RBL_NO_LEAF UINT32_MAX

// `alive` lists the cells to consider, rising.
rblResult rbl_cell_tree_create(const rblCells* cells, const uint32_t* alive, uint32_t alive_count,
                               rblCellUnits units, rblCellTree** out);
void rbl_cell_tree_free(rblCellTree* tree, const rblAllocator* allocator);

// The leaf that holds a point of the box.
const rblCellNode* rbl_cell_tree_leaf(const rblCellTree* tree, rblVec3d point);

// A corner of one cell. `planes` are ordered so that the determinant of their gradients relative to the cell is positive;
// next[k] is the corner at the other end of the edge that leaves planes[k], which runs along d1 x d2 of the other two, in
// their cyclic order.
typedef struct rblCellCorner
{
    uint32_t planes[3];
    uint32_t next[3];
    rblVec3d position;
    double error; // of each coordinate, at most
    uint32_t state;
} rblCellCorner;

typedef RBL_ARRAY(rblCellCorner) rblCellCorners;

// Working memory to carve one cell after the other.
typedef struct rblCellCarver
{
    const rblCells* cells;
    rblCellUnits units;
    rblCellCorners corners;
    rblIndexArray open;  // corners that may lie outside the cell
    rblIndexArray cut;   // corners that the present plane cuts off
    rblIndexArray fresh; // corners that it makes
    rblIndexArray spare; // free slots
    uint32_t* partners;  // per plane: a fresh corner on it that waits for the other; count + 6
} rblCellCarver;

rblResult rbl_cell_carver_open(rblCellCarver* carver, const rblCells* cells, rblCellUnits units);
void rbl_cell_carver_close(rblCellCarver* carver);

// Append cell i's corners, numbered from 0, to `out`; none when it is empty.
rblResult rbl_carve_cell(rblCellCarver* carver, uint32_t i, rblCellCorners* out);

// All cells' corners one after the other; those of cell i from starts[i] to starts[i + 1]. Fills the rest of `cells`.
rblResult rbl_cells_join(rblCells* cells, const rblCellCorner* corners, const uint32_t* starts,
                         rblJobs* jobs);

#endif
