// Edges waiting to be collapsed, cheapest first. Equal costs are ordered by the vertices, so that the order
// is total and the same everywhere.
#ifndef RBL_MESH_SIMPLIFY_COLLAPSE_HEAP_H
#define RBL_MESH_SIMPLIFY_COLLAPSE_HEAP_H

#include "base/array.h"

typedef struct rblHeapEdge
{
    double cost;
    uint32_t low, high; // the vertices, low < high
    uint32_t corner;    // a half-edge of the edge
    uint32_t version;   // of both vertices together, when the cost was computed: it tells stale entries
} rblHeapEdge;

typedef RBL_ARRAY(rblHeapEdge) rblCollapseHeap;

// False when out of memory.
bool rbl_collapse_heap_push(rblCollapseHeap* heap, rblHeapEdge edge);

// The heap must not be empty.
rblHeapEdge rbl_collapse_heap_pop(rblCollapseHeap* heap);

#endif
