// Sample points in a hierarchy of balls (Glondu 2012, 5.1): farthest-point order, levels of 2^l points, each point's parent
// the nearest of the level above, radii over all descendants. The first n points of the order cover the shape evenly for any n.
#ifndef RBL_FIELD_SAMPLES_H
#define RBL_FIELD_SAMPLES_H

#include "base/memory.h"
#include "rubble/shape.h"

struct rblSampleTree
{
    rblVec3* points; // in farthest-point order
    uint32_t count;
    // One node per point: the copies of a point on lower levels share it, because its inside status is cached down the tree.
    float* radii;       // per node: to its farthest descendant, itself included
    uint32_t* children; // node i's children are child_list[children[i] .. children[i + 1] - 1], rising
    uint32_t* child_list;
};

typedef struct rblSampleTree rblSampleTree;

// O(n log n). Equal points are kept once.
rblResult rbl_sample_tree_create(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                 rblSampleTree** out);
void rbl_sample_tree_free(rblSampleTree* tree, const rblAllocator* allocator);

#endif
