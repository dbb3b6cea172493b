// The order of leaves: what decides the quality of an implicit tree.
#ifndef RBL_BVH_BUILD_ORDER_H
#define RBL_BVH_BUILD_ORDER_H

#include "bvh/leaves.h"

// What is ordered, and the room for it.
typedef struct rblOrdering
{
    const rblTriangleSpan* span; // form and vertices are checked, indices not
    rblAabb bounds;              // of the vertices
    rblJobs* jobs;
    uint64_t* keys;     // 2 * triangle_count
    uint32_t* counters; // RBL_ORDER_COUNTERS; not used up to RBL_SMALL_TREE triangles
    uint32_t* order;    // the result: per leaf its triangle
} rblOrdering;

#define RBL_ORDER_COUNTERS ((size_t)RBL_MAX_BLOCKS << 11)

// Up to this many leaves a tree is built by one worker, beside the others of its forest.
#define RBL_SMALL_TREE 32768

// Both check the indices of the span; when one is bad the order is of no use. Neither depends on the worker count.

// Along a Morton curve through the centroids.
rblSpanFault rbl_order_morton(const rblOrdering* ordering);

// Top-down, so that every split falls exactly where the implicit layout puts it: the left subtree is full. Each split
// is a median along the longest axis, or in large nodes along the axis on which a sample says that it costs least by the
// area heuristic. Stops at nodes of at most `smallest` leaves, which keep the order they came in.
rblSpanFault rbl_order_top_down(const rblOrdering* ordering, uint32_t smallest);

#endif
