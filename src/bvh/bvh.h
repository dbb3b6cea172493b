// The static triangle BVH (Chitalu 2020, ch. 3): boxes in the implicit layout of layout.h, level by level in one array,
// and the order of the triangles as leaves. The input is plain spans of vertices and indices.
//
// A forest contains the trees of a whole scene in shared arrays and builds them in one pass; a single mesh is a forest
// of one tree. Queries use an rblBvh, the view of one tree.
#ifndef RBL_BVH_BVH_H
#define RBL_BVH_BVH_H

#include "base/jobs.h"
#include "bvh/layout.h"
#include "rubble/bvh.h"

// The triangle of a leaf. Triangles are stored in leaf order, so that queries read memory sequentially.
typedef struct rblLeafTriangle
{
    rblVec3 a, b, c;
} rblLeafTriangle;

// The view of one tree, for queries. All zero: an empty tree, in which every query finds nothing.
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

// Scratch memory of a build. It is kept, so that rebuilding every frame allocates nothing.
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

// Free the memory that only a rebuild needs, 16 bytes per triangle; the next rebuild allocates it again.
void rbl_forest_free_scratch(rblForest* forest);

// Build a tree over each span, all in one pass. The old content is replaced; memory is reused. On failure the forest is
// empty, and the message names span and vertex or triangle. The result does not depend on the worker count.
rblResult rbl_forest_build(rblForest* forest, const rblTriangleSpan* spans, uint32_t count,
                           rblBvhQuality quality, rblJobs* jobs);

// Recompute the boxes for moved vertices; order and layout do not change. The spans must be those of the build, except
// for the positions. On failure the forest is unchanged.
rblResult rbl_forest_refit(rblForest* forest, const rblTriangleSpan* spans, uint32_t count, rblJobs* jobs);

// The view of one tree, valid until the next build.
rblBvh rbl_forest_tree(const rblForest* forest, uint32_t tree);

// Surface area heuristic with cost 1 per box test and 1 per triangle test: the sum of the areas of all nodes divided by
// that of the root.
double rbl_tree_sah(const rblBvh* bvh);

// Check the whole structure, for tests: every parent box is exactly the union of its children, every leaf box that of
// its triangle, every triangle is in one leaf. Returns the memory index of the first wrong node, UINT32_MAX when there
// is none.
uint32_t rbl_tree_find_fault(const rblBvh* bvh, const rblTriangleSpan* span);

#endif
