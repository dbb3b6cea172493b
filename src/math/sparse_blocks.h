// Symmetric sparse systems of small dense blocks, solved directly.
//
// Nodes have 1 to 6 unknowns, edges couple two nodes. The factors are L D L^T with one dense block per pivot; pivots are taken in an
// order of least degree, so that a tree costs a number of blocks in proportion to its nodes and a chain has no fill at all. The
// matrix should be quasi-definite ([M G^T; G -c] with M and c positive): then every order has its factors (Vanderbei 1995).
#ifndef RBL_MATH_SPARSE_BLOCKS_H
#define RBL_MATH_SPARSE_BLOCKS_H

#include "base/array.h"

#define RBL_BLOCK        6  // unknowns of a node at most
#define RBL_BLOCK_VALUES 36 // numbers of a block; rows are RBL_BLOCK apart

typedef struct rblBlockNode
{
    uint32_t size;
    uint32_t half;           // the first of its half edges: 2 edge + end
    uint32_t degree;         // neighbours that are not pivots yet
    uint32_t next, previous; // of the same degree
    bool late;               // becomes a pivot only after one of its neighbours
    bool listed, done;
} rblBlockNode;

typedef struct rblBlockEdge
{
    uint32_t ends[2]; // the block has the rows of the first and the columns of the second
    uint32_t next[2]; // half edge of the same end
} rblBlockEdge;

typedef struct rblBlockPivot
{
    uint32_t node;
    uint32_t first, count; // half edges to later pivots, in `pattern`
    uint32_t update; // first of the half edges between those, in `updates`: (0,1), (0,2), (1,2), (0,3), ...
} rblBlockPivot;

typedef struct rblBlockSystem
{
    RBL_ARRAY(rblBlockNode) nodes;
    RBL_ARRAY(rblBlockEdge) edges;
    RBL_ARRAY(rblBlockPivot) pivots;
    rblIndexArray pattern, updates;
    rblDoubleArray values; // blocks of the nodes, then of the edges; the factors after rbl_blocks_factor()
    rblDoubleArray vector; // RBL_BLOCK numbers per node: the right side, then the solution
    // Set after rbl_blocks_init(): for systems that are solved many times with the same factors. Pivots are inverted, and the edges
    // of a pivot are divided by it, which takes a fifth longer, but each solve a third of the time.
    bool inverts;
    rblDoubleArray quotients; // of edges divided by their pivots; `inverts` only
} rblBlockSystem;

void rbl_blocks_init(rblBlockSystem* system, const rblAllocator* allocator);
void rbl_blocks_free(rblBlockSystem* system);

// Structure. False when out of memory.
void rbl_blocks_clear(rblBlockSystem* system);
bool rbl_blocks_reserve(rblBlockSystem* system, size_t nodes,
                        size_t edges); // after clearing; also those of the order
bool rbl_blocks_add(rblBlockSystem* system, uint32_t size, bool late);
bool rbl_blocks_join(rblBlockSystem* system, uint32_t a, uint32_t b);

// The order of pivots, and the memory for the numbers. `most` bounds the updates of blocks by other blocks: beyond it the system is left
// without pivots, as too dense to be worth it.
bool rbl_blocks_order(rblBlockSystem* system, size_t most);

// Numbers: set to zero, write blocks (of nodes the lower triangle counts), factor, then solve as often as wanted.
void rbl_blocks_zero(rblBlockSystem* system);
double* rbl_blocks_of_node(rblBlockSystem* system, uint32_t node);
double* rbl_blocks_of_edge(rblBlockSystem* system, uint32_t edge);
void rbl_blocks_factor(rblBlockSystem* system);
void rbl_blocks_solve(rblBlockSystem* system);

#endif
