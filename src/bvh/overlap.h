// Which leaves of many trees overlap: all given pairs of trees, and trees with themselves, in one traversal.
//
// The scheme is bulk-synchronous (Chitalu 2020, ch. 2 and 3.6): a frontier of node pairs, double-buffered, is expanded
// `depth_step` levels at a time until it is large enough to share out; then every block of it is finished depth first.
// Blocks depend on the size of the frontier alone and their results are joined in order, so that the outcome is the
// same for any number of workers.
#ifndef RBL_BVH_OVERLAP_H
#define RBL_BVH_OVERLAP_H

#include "base/array.h"
#include "bvh/bvh.h"

typedef struct rblTreePair
{
    uint32_t a, b; // trees of the forest; a == b: the tree with itself
} rblTreePair;

// Two leaves whose boxes touch or overlap. For a tree with itself each pair comes once, and never a leaf with itself.
typedef struct rblLeafPair
{
    uint32_t pair;           // which rblTreePair
    uint32_t leaf_a, leaf_b; // places in the trees; rblBvh.order gives the triangles
} rblLeafPair;

typedef RBL_ARRAY(rblLeafPair) rblLeafPairArray;

typedef struct rblOverlapOptions
{
    uint32_t entry_level; // where the traversal of every tree begins; default 0, the root
    uint32_t depth_step;  // mu: levels per step, 1 to 3; default 2
    uint32_t
        frontier_goal; // pairs at which the breadth-first part ends; default 512. UINT32_MAX: never, as on a GPU
} rblOverlapOptions;

rblOverlapOptions rbl_default_overlap_options(void);

// What a traversal did, for studies and benchmarks.
typedef struct rblOverlapCounters
{
    uint64_t box_tests;
    uint32_t rounds;        // breadth-first steps
    uint32_t peak_frontier; // node pairs
    size_t peak_bytes;      // of both frontiers
} rblOverlapCounters;

// Append all pairs of leaves to `out`. `counters` may be null. On failure `out` keeps what it had.
rblResult rbl_overlap_leaves(const rblForest* forest, const rblTreePair* pairs, uint32_t pair_count,
                             const rblOverlapOptions* options, rblJobs* jobs, rblLeafPairArray* out,
                             rblOverlapCounters* counters);

#endif
