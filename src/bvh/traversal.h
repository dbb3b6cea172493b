// The traversal behind overlap.h, for what is done with the leaf pairs it finds.
#ifndef RBL_BVH_TRAVERSAL_H
#define RBL_BVH_TRAVERSAL_H

#include "bvh/query/intersect.h"
#include "bvh/query/overlap.h"

// A pair of nodes still to be looked into, by implicit index.
typedef struct rblNodePair
{
    uint32_t pair;
    uint32_t a, b;
} rblNodePair;

typedef RBL_ARRAY(rblNodePair) rblNodePairArray;

// What one block of the frontier produced: node pairs for the next one, and results of all rounds.
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

// Take leaf pairs that a block found, all of one pair of trees. False: out of memory.
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

// Check the arguments and make the views of the trees; takes a workspace from `allocator` when the options have none.
rblResult rbl_traversal_begin(rblTraversal* traversal, const rblAllocator* allocator);

// Run it. Afterwards the results are in workspace->runs, to be joined in order.
rblResult rbl_traversal_run(rblTraversal* traversal, rblJobs* jobs, rblOverlapCounters* counters);

// Give back what the call took.
void rbl_traversal_end(rblTraversal* traversal);

#endif
