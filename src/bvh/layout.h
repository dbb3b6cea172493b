// Index arithmetic of the ostensibly-implicit binary tree (Chitalu 2020, ch. 3.4 and 4).
//
// A perfect binary tree is numbered breadth first from 0. All t leaves are leftmost on the deepest level; the nodes to
// the right of them are virtual and are not stored. The index of a node in memory is its implicit index minus the number
// of virtual nodes on the levels above it. There are no pointers: everything follows from t.
//
//   t   leaves                        L_v  virtual leaves, 2^leaf_level - t
//   l   level, root 0                 N_r  real nodes
#ifndef RBL_BVH_LAYOUT_H
#define RBL_BVH_LAYOUT_H

#include "base/bits.h"

// The largest number of leaves of a tree: implicit indices must fit in 32 bits.
#define RBL_MAX_LEAVES (1u << 30)

typedef struct rblTreeLayout
{
    uint32_t leaves;         // t, 1 to RBL_MAX_LEAVES; 0 only in a zeroed struct: an empty tree
    uint32_t leaf_level;     // ceil(log2 t)
    uint32_t virtual_leaves; // L_v (Eq. 3.1)
} rblTreeLayout;

static inline rblTreeLayout rbl_tree_layout(uint32_t leaves)
{
    const uint32_t level = rbl_ceil_log2(leaves);
    return (rblTreeLayout){leaves, level, (1u << level) - leaves};
}

// N_r = 2 t - 1 + popcount(L_v) (Eq. 3.7).
static inline uint32_t rbl_tree_node_count(const rblTreeLayout* tree)
{
    return 2 * tree->leaves - 1 + rbl_popcount32(tree->virtual_leaves);
}

static inline uint32_t rbl_tree_level(uint32_t implicit)
{
    return rbl_floor_log2(implicit + 1);
}

// Virtual nodes on one level (Eq. 3.8).
static inline uint32_t rbl_tree_virtual_on_level(const rblTreeLayout* tree, uint32_t level)
{
    return tree->virtual_leaves >> (tree->leaf_level - level);
}

static inline uint32_t rbl_tree_real_on_level(const rblTreeLayout* tree, uint32_t level)
{
    return (1u << level) - rbl_tree_virtual_on_level(tree, level);
}

// The memory index of the first node of level l: 2^l - 1 nodes are above it, minus the virtual ones (Eq. 3.10 at l - 1).
static inline uint32_t rbl_tree_level_start(const rblTreeLayout* tree, uint32_t level)
{
    if (level == 0)
    {
        return 0;
    }
    const uint32_t above = rbl_tree_virtual_on_level(tree, level - 1);
    return (1u << level) - 1 - (2 * above - rbl_popcount32(above));
}

// The leftmost descendant n generations down (Eq. 4.5).
static inline uint32_t rbl_tree_descendant(uint32_t implicit, uint32_t generations)
{
    return ((implicit + 1) << generations) - 1;
}

#endif
