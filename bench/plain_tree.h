// Binary trees with explicit nodes, only to compare with: what a tree costs when its shape is free.
#ifndef RBL_BENCH_PLAIN_TREE_H
#define RBL_BENCH_PLAIN_TREE_H

#include "rubble/rubble.h"

typedef struct rblPlainNode
{
    rblAabb box;
    uint32_t left, right; // of a leaf: its triangle, and RBL_PLAIN_LEAF
} rblPlainNode;

#define RBL_PLAIN_LEAF UINT32_MAX

// One triangle a leaf, 2 n - 1 nodes, the root first. Memory of rbl_default_allocator().
typedef struct rblPlainTree
{
    rblPlainNode* nodes;
    uint32_t node_count;
} rblPlainTree;

// Room for the nodes over `leaves` triangles, at least one.
rblResult rbl_plain_tree_create(uint32_t leaves, rblPlainTree* out);
void rbl_plain_tree_free(rblPlainTree* tree);

// As rbl_tree_sah(): the areas of all nodes over the root's.
double rbl_plain_tree_sah(const rblPlainTree* tree);

// True when every box is the union of its children's, that of a leaf its triangle's, and every triangle in one leaf.
bool rbl_plain_tree_is_sound(const rblPlainTree* tree, const rblTriangleSpan* span);

// A tree over a checked span of at least one triangle.
typedef rblResult rblPlainTreeBuilder(const rblTriangleSpan* span, rblPlainTree* out);

rblPlainTreeBuilder rbl_lbvh_build;   // lbvh.c
rblPlainTreeBuilder rbl_binned_build; // binned.c

#endif
