// A priority queue of edges, cheapest first. Equal costs are ordered by the vertices, so that the order is total and the
// same on every platform.
#ifndef RBL_MESH_SIMPLIFY_COLLAPSE_HEAP_H
#define RBL_MESH_SIMPLIFY_COLLAPSE_HEAP_H

#include "base/array.h"

typedef struct rblHeapEdge
{
    double cost;
    uint32_t low, high; // the vertices, low < high
    uint32_t corner;    // a half-edge of the edge
    uint32_t version;   // of both vertices together at the time of the cost: identifies stale entries
} rblHeapEdge;

typedef RBL_ARRAY(rblHeapEdge) rblCollapseHeap;

// False when out of memory.
bool rbl_collapse_heap_push(rblCollapseHeap* heap, rblHeapEdge edge);

// The heap must not be empty.
rblHeapEdge rbl_collapse_heap_pop(rblCollapseHeap* heap);

#endif
