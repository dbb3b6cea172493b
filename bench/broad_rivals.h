// Other ways to find the pairs of overlapping boxes, measured beside the broad phase. They are handed fat boxes and the
// proxies whose box is new, find the pairs of which one at least is new, and keep the same set of pairs. Single thread.
#ifndef RBL_BENCH_BROAD_RIVALS_H
#define RBL_BENCH_BROAD_RIVALS_H

#include "base/array.h"
#include "bvh/query/overlap.h"
#include "dynamics/broad_phase/broad_phase_pairs.h"
#include "math/aabb.h"

typedef struct rblRivalStep
{
    const rblAabb* boxes; // fat, per proxy
    uint32_t count;       // proxies 0 .. count - 1, never fewer than in the step before
    const uint32_t* moved;
    uint32_t moved_count;
    const uint8_t* is_moved; // per proxy
} rblRivalStep;

typedef RBL_ARRAY(uint64_t) rblRivalPairs; // a << 32 | b

// What all rivals do with the pairs they found.
typedef struct rblRivalSet
{
    rblPairSet pairs;
    rblRivalPairs found, scratch;
    rblProxyPairArray begun, ended;
    rblIndexArray histograms;
} rblRivalSet;

void rbl_rival_set_init(rblRivalSet* set);
void rbl_rival_set_free(rblRivalSet* set);
bool rbl_rival_set_merge(rblRivalSet* set, const rblRivalStep* step);

// ---- a dynamic tree: boxes are taken out and put back one by one ----

// Binary, with parent pointers. A leaf goes where it makes the tree's surface grow least, found by one descent, and the way
// back up rotates where that makes it smaller (as engines do it: Catto 2019, "Dynamic Bounding Volume Hierarchies").
typedef struct rblRivalNode
{
    rblAabb box;
    uint32_t parent;
    uint32_t children[2]; // children[0] == UINT32_MAX: a leaf of proxy children[1]
} rblRivalNode;

typedef struct rblRivalTree
{
    RBL_ARRAY(rblRivalNode) nodes;
    rblIndexArray leaves; // per proxy: its node
    rblIndexArray stack;
    uint32_t root;
    uint32_t free_node; // a list through `parent`
} rblRivalTree;

void rbl_rival_tree_init(rblRivalTree* tree);
void rbl_rival_tree_free(rblRivalTree* tree);
bool rbl_rival_tree_step(rblRivalTree* tree, const rblRivalStep* step, rblRivalPairs* out);

// ---- sort and sweep along x, from scratch in every step ----

typedef struct rblRivalSweep
{
    RBL_ARRAY(uint64_t) keys; // lower x as an ordered integer, and the proxy
    RBL_ARRAY(uint64_t) scratch;
    RBL_ARRAY(rblAabb) sorted;
    rblIndexArray histograms;
} rblRivalSweep;

void rbl_rival_sweep_init(rblRivalSweep* sweep);
void rbl_rival_sweep_free(rblRivalSweep* sweep);
bool rbl_rival_sweep_step(rblRivalSweep* sweep, const rblRivalStep* step, rblRivalPairs* out);

// ---- the binary implicit tree over triangles, built anew and met with itself in every step (docs/bvh.md) ----

typedef struct rblRivalForest
{
    rblForest forest;
    RBL_ARRAY(rblVec3) corners; // a triangle that spans each box
    rblLeafPairArray found;
} rblRivalForest;

void rbl_rival_forest_init(rblRivalForest* rival);
void rbl_rival_forest_free(rblRivalForest* rival);
bool rbl_rival_forest_step(rblRivalForest* rival, const rblRivalStep* step, rblRivalPairs* out);

#endif
