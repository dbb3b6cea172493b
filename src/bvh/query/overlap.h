// Which leaves of many trees overlap: all given pairs of trees, and trees with themselves, in one traversal.
//
// The scheme is bulk-synchronous (Chitalu 2020, ch. 2 and 3.6): a frontier of node pairs, double-buffered, is expanded
// `depth_step` levels at a time until it is large enough to share out; then every block of it is finished depth first.
// Blocks depend on the size of the frontier alone and their results are joined in order, so that the outcome is the
// same for any number of workers.
#ifndef RBL_BVH_QUERY_OVERLAP_H
#define RBL_BVH_QUERY_OVERLAP_H

#include "base/array.h"
#include "bvh/bvh.h"

typedef struct rblTreePair
{
    uint32_t a, b; // trees of the forest; a == b: the tree with itself
} rblTreePair;

typedef RBL_ARRAY(rblTreePair) rblTreePairArray;

// Two leaves whose boxes touch or overlap. For a tree with itself each pair comes once, and never a leaf with itself.
typedef struct rblLeafPair
{
    uint32_t pair;           // which rblTreePair
    uint32_t leaf_a, leaf_b; // places in the trees; rblBvh.order gives the triangles
} rblLeafPair;

typedef RBL_ARRAY(rblLeafPair) rblLeafPairArray;

// Memory of a traversal. One that is kept from call to call lets them run without any allocation, once it has grown.
typedef struct rblOverlapWorkspace rblOverlapWorkspace;

rblResult rbl_overlap_workspace_create(const rblAllocator* allocator, rblOverlapWorkspace** out);
void rbl_overlap_workspace_destroy(rblOverlapWorkspace* workspace);

typedef struct rblOverlapOptions
{
    uint32_t entry_level; // where the traversal of every tree begins; default 0, the root
    uint32_t depth_step;  // mu: levels per step, 1 to 3; default 2
    // Pairs at which the breadth-first part ends; default 256. UINT32_MAX: never, as on a GPU.
    uint32_t frontier_goal;
    rblOverlapWorkspace* workspace; // default null: memory is taken and given back within the call
} rblOverlapOptions;

rblOverlapOptions rbl_default_overlap_options(void);

// What a traversal did, for studies and benchmarks.
typedef struct rblOverlapCounters
{
    uint64_t box_tests;
    uint64_t node_pairs; // looked into
    uint64_t leaf_pairs; // whose boxes meet
    uint64_t
        triangle_tests; // of pairs that 32 bits could not tell apart, less neighbours that meet nowhere else
    uint64_t triangle_pairs; // that have a point in common
    double triangle_seconds; // in the filter and the exact tests, all workers; 0 unless asked for
    uint32_t rounds;         // breadth-first steps
    uint32_t start_pairs;    // node pairs of the first frontier; at entry level 0 N(N - 1) / 2 + S
    uint32_t peak_frontier;  // node pairs
    size_t peak_bytes;       // of both frontiers
} rblOverlapCounters;

// Append all pairs of leaves to `out`. `counters` may be null. On failure `out` keeps what it had.
rblResult rbl_overlap_leaves(const rblForest* forest, const rblTreePair* pairs, uint32_t pair_count,
                             const rblOverlapOptions* options, rblJobs* jobs, rblLeafPairArray* out,
                             rblOverlapCounters* counters);

// Append the pairs of a forest's trees whose boxes touch or overlap, sorted, and with `selfs` every tree with itself;
// empty trees are in no pair. n log n in the trees and the pairs.
rblResult rbl_forest_pairs(const rblForest* forest, bool selfs, rblJobs* jobs, rblTreePairArray* out);

#endif
