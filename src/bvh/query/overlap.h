// The overlapping leaves of many trees: all given pairs of trees, and trees with themselves, in one traversal.
//
// The scheme is bulk-synchronous (Chitalu 2020, ch. 2 and 3.6): a frontier of node pairs, double-buffered, is expanded
// `depth_step` levels at a time until it is large enough for all workers; then every block of it is finished depth
// first. Blocks depend only on the size of the frontier, and their results are concatenated in order, so that the result
// is the same for any number of workers.
#ifndef RBL_BVH_QUERY_OVERLAP_H
#define RBL_BVH_QUERY_OVERLAP_H

#include "base/array.h"
#include "bvh/bvh.h"

typedef struct rblTreePair
{
    uint32_t a, b; // trees of the forest; a == b: the tree with itself
} rblTreePair;

typedef RBL_ARRAY(rblTreePair) rblTreePairArray;

// Two leaves whose boxes touch or overlap. In one tree each pair is reported once, and a leaf never with itself.
typedef struct rblLeafPair
{
    uint32_t pair;           // index of the rblTreePair
    uint32_t leaf_a, leaf_b; // leaf indices; rblBvh.order gives the triangles
} rblLeafPair;

typedef RBL_ARRAY(rblLeafPair) rblLeafPairArray;

// Memory of a traversal. Calls that share a workspace allocate nothing once it is large enough.
typedef struct rblOverlapWorkspace rblOverlapWorkspace;

rblResult rbl_overlap_workspace_create(const rblAllocator* allocator, rblOverlapWorkspace** out);
void rbl_overlap_workspace_destroy(rblOverlapWorkspace* workspace);

typedef struct rblOverlapOptions
{
    uint32_t entry_level; // the level at which the traversal of every tree starts; default 0, the root
    uint32_t depth_step;  // mu: levels per step, 1 to 4; default 2
    // Pairs at which the breadth-first part ends; default 256. UINT32_MAX: never, as on a GPU.
    uint32_t frontier_goal;
    rblOverlapWorkspace* workspace; // default null: the call allocates and frees its memory
} rblOverlapOptions;

rblOverlapOptions rbl_default_overlap_options(void);

// Statistics of a traversal, for studies and benchmarks.
typedef struct rblOverlapCounters
{
    uint64_t box_tests;
    uint64_t node_pairs; // expanded
    uint64_t leaf_pairs; // with overlapping boxes
    uint64_t
        triangle_tests; // exact tests: pairs that the filter in 32 bits could not separate, without neighbours that only share a vertex or edge
    uint64_t triangle_pairs; // with a common point
    double triangle_seconds; // time in the filter and the exact tests, all workers; 0 unless requested
    uint32_t rounds;         // breadth-first steps
    uint32_t start_pairs;    // node pairs of the first frontier; at entry level 0 N(N - 1) / 2 + S
    uint32_t peak_frontier;  // node pairs
    size_t peak_bytes;       // of both frontiers
} rblOverlapCounters;

// Append all pairs of leaves to `out`. `counters` may be null. On failure `out` keeps its previous content.
rblResult rbl_overlap_leaves(const rblForest* forest, const rblTreePair* pairs, uint32_t pair_count,
                             const rblOverlapOptions* options, rblJobs* jobs, rblLeafPairArray* out,
                             rblOverlapCounters* counters);

// Append the pairs of trees whose boxes touch or overlap, sorted, and with `with_self` also every tree with itself. Empty
// trees are in no pair. The cost is O(n log n) in the trees and the pairs.
rblResult rbl_forest_pairs(const rblForest* forest, bool with_self, rblJobs* jobs, rblTreePairArray* out);

#endif
