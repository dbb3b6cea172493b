// The traversal of overlap.h, with a callback for the leaf pairs it finds.
#ifndef RBL_BVH_TRAVERSAL_H
#define RBL_BVH_TRAVERSAL_H

#include "bvh/query/intersect.h"
#include "bvh/query/overlap.h"

// A pair of nodes that is still to be expanded, by implicit index.
typedef struct rblNodePair
{
    uint32_t pair;
    uint32_t a, b;
} rblNodePair;

typedef RBL_ARRAY(rblNodePair) rblNodePairArray;

// The output of one block of the frontier: node pairs for the next round, and the results of all rounds.
typedef struct rblOverlapRun
{
    rblNodePairArray next;
    rblLeafPairArray leaves;
    rblTrianglePairArray triangles;
    rblOverlapCounters counters;
    bool failed;
} rblOverlapRun;

struct rblOverlapWorkspace
{
    const rblAllocator* allocator;
    rblNodePairArray frontier, next;
    RBL_ARRAY(rblBvh) trees;
    rblFloatArray roundings; // per tree, for rbl_overlap_triangles()
    rblOverlapRun runs[RBL_MAX_BLOCKS];
};

typedef struct rblTraversal rblTraversal;

// Process leaf pairs that a block found, all of one pair of trees. False: out of memory.
typedef bool rblLeafPairsFcn(const rblTraversal* traversal, rblOverlapRun* run, const rblLeafPair* found,
                             uint32_t count);

struct rblTraversal
{
    const rblForest* forest;
    const rblTreePair* pairs;
    uint32_t pair_count;
    const rblBvh* trees; // views of all trees
    rblOverlapOptions options;
    rblOverlapWorkspace* workspace;
    rblLeafPairsFcn* take;
    const void* context; // of `take`
    bool depth_first;
};

// Check the arguments and make the views of the trees. Allocates a workspace when the options have none.
rblResult rbl_traversal_begin(rblTraversal* traversal, const rblAllocator* allocator);

// Run the traversal. The results are then in workspace->runs, to be concatenated in order.
rblResult rbl_traversal_run(rblTraversal* traversal, rblJobs* jobs, rblOverlapCounters* counters);

// Free what rbl_traversal_begin() allocated.
void rbl_traversal_end(rblTraversal* traversal);

#endif
