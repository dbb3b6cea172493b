// The order of the leaves, which decides the quality of an implicit tree.
#ifndef RBL_BVH_BUILD_ORDER_H
#define RBL_BVH_BUILD_ORDER_H

#include "bvh/leaves.h"

// The input of an ordering and its memory.
typedef struct rblOrdering
{
    const rblTriangleSpan* span; // form and vertices have been checked, indices not
    rblAabb bounds;              // of the vertices
    rblJobs* jobs;
    uint64_t* keys;     // 2 * triangle_count
    uint32_t* counters; // RBL_ORDER_COUNTERS; not used up to RBL_SMALL_TREE triangles
    uint32_t* order;    // the result: per leaf its triangle
} rblOrdering;

// Counters of an ordering: 2^11 buckets for each block of a parallel loop.
#define RBL_ORDER_COUNTERS ((size_t)RBL_MAX_BLOCKS << 11)

// Up to this many leaves a tree is built by one worker, in parallel with other trees of its forest: below it, starting
// parallel loops costs more than they save.
#define RBL_SMALL_TREE 32768

// Both functions check the indices of the span; when one is invalid the order has no meaning. The results do not depend
// on the worker count.

// The order along a Morton curve through the centroids.
rblSpanFault rbl_order_morton(const rblOrdering* ordering);

// Top-down order in which every split is exactly where the implicit layout has it: the left subtree is full. Each split
// is a median along the longest axis, or in large nodes along the axis with the lowest area heuristic of a sample. Nodes
// of at most `smallest` leaves are not split; their triangles keep their order.
rblSpanFault rbl_order_top_down(const rblOrdering* ordering, uint32_t smallest);

#endif
