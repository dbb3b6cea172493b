// The boxes of one tree, bottom up, from the order of its leaves; shared by builds and refits.
#ifndef RBL_BVH_BUILD_BOXES_H
#define RBL_BVH_BUILD_BOXES_H

#include "bvh/bvh.h"

// The tree that is being written.
typedef struct rblTreeArrays
{
    rblTreeLayout layout;
    rblAabb* nodes;
    uint32_t* order;
    rblLeafTriangle* triangles;
} rblTreeArrays;

// Copy the triangles of the span into leaf order and compute all boxes. The span has been checked.
void rbl_fill_boxes(const rblTriangleSpan* span, const rblTreeArrays* tree, rblJobs* jobs);

#endif
