// The static triangle hierarchy (Chitalu 2020, ch. 3): boxes in the implicit layout of layout.h, level by level in one
// array, and the order in which triangles stand as leaves. It reads plain spans of points and indices.
//
// A forest holds the trees of a whole scene in shared arrays and builds them in one pass; a single mesh is a forest of
// one. Queries work on an rblBvh, the view of one tree.
#ifndef RBL_BVH_BVH_H
#define RBL_BVH_BVH_H

#include "base/jobs.h"
#include "bvh/layout.h"
#include "rubble/bvh.h"

// One triangle as it lies in a leaf, so that queries read sequentially.
typedef struct rblLeafTriangle
{
    rblVec3 a, b, c;
} rblLeafTriangle;

// One tree, to be queried. All zero: a tree over nothing, which answers every query with "nothing".
typedef struct rblBvh
{
    rblTreeLayout layout;
    uint32_t level_starts[32];        // per level up to layout.leaf_level: memory index of its first node
    const rblAabb* nodes;             // by memory index: the root first, level by level, the leaves last
    const uint32_t* order;            // per leaf: its triangle in the span
    const rblLeafTriangle* triangles; // per leaf: its corners
} rblBvh;

typedef struct rblTree
{
    rblTreeLayout layout; // leaves = 0: an empty tree
    uint32_t first_node;  // in rblForest.nodes
    uint32_t first_leaf;  // in rblForest.order and .triangles
} rblTree;

// Scratch of a build, kept so that rebuilding every frame allocates nothing.
typedef struct rblForestScratch
{
    void* memory;
    size_t size;
} rblForestScratch;

typedef struct rblForest
{
    const rblAllocator* allocator;
    rblTree* trees;
    uint32_t tree_count;
    uint32_t tree_capacity;
    rblAabb* nodes;
    uint32_t node_count;
    uint32_t node_capacity;
    uint32_t* order;
    rblLeafTriangle* triangles;
    uint32_t leaf_count;
    uint32_t leaf_capacity; // of order and triangles
    rblForestScratch scratch;
} rblForest;

void rbl_forest_init(rblForest* forest, const rblAllocator* allocator);
void rbl_forest_free(rblForest* forest);

// Give back what only a rebuild needs, 16 bytes a triangle; the next one takes it again.
void rbl_forest_free_scratch(rblForest* forest);

// Build a tree over each span, all in one pass. An old content is replaced; memory is reused. When it fails the
// forest is empty; the message names span and vertex or triangle. The result does not depend on the worker count.
rblResult rbl_forest_build(rblForest* forest, const rblTriangleSpan* spans, uint32_t count,
                           rblBvhQuality quality, rblJobs* jobs);

// Recompute the boxes for moved vertices; order and layout stay. Same spans but for the positions. When it fails the
// forest is as it was.
rblResult rbl_forest_refit(rblForest* forest, const rblTriangleSpan* spans, uint32_t count, rblJobs* jobs);

// The view of one tree, valid until the next build.
rblBvh rbl_forest_tree(const rblForest* forest, uint32_t tree);

// Surface area heuristic, cost 1 per box and 1 per triangle test: the areas of all nodes over the root's.
double rbl_tree_sah(const rblBvh* bvh);

// Checks of the whole structure, for tests: every parent box is exactly the union of its children, every leaf box
// that of its triangle, every triangle in one leaf. Returns the first offending memory index, UINT32_MAX when none.
uint32_t rbl_tree_find_fault(const rblBvh* bvh, const rblTriangleSpan* span);

#endif
