// Index arithmetic of the ostensibly-implicit tree (Chitalu 2020, ch. 3.4 and 4, app. B).
//
// A perfect k-ary tree is numbered breadth first from 0; all t leaves stand leftmost on the deepest level. What lies to
// their right is virtual and is not stored, so that a node's implicit index i and its place in memory differ by the
// number of virtual nodes on the levels above it. No pointers: everything follows from t.
//
//   t   leaves                        L_v  virtual leaves, k^leaf_level - t
//   l   level, root 0                 N_r  real nodes
#ifndef RBL_BVH_LAYOUT_H
#define RBL_BVH_LAYOUT_H

#include "base/bits.h"

// The most leaves of one tree: implicit indices must fit in 32 bits.
#define RBL_MAX_LEAVES (1u << 30)

// ---- binary trees: what the library uses ----

typedef struct rblTreeLayout
{
    uint32_t leaves;         // t, 1 to RBL_MAX_LEAVES; 0 only in a zeroed struct: no tree
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

// Where level l begins in memory: 2^l - 1 nodes stand above it, less the virtual ones (Eq. 3.10 at l - 1).
static inline uint32_t rbl_tree_level_start(const rblTreeLayout* tree, uint32_t level)
{
    if (level == 0)
    {
        return 0;
    }
    const uint32_t above = rbl_tree_virtual_on_level(tree, level - 1);
    return (1u << level) - 1 - (2 * above - rbl_popcount32(above));
}

// i_m = i - N_vl (Eq. 3.9).
static inline uint32_t rbl_tree_memory_index(const rblTreeLayout* tree, uint32_t implicit)
{
    const uint32_t level = rbl_tree_level(implicit);
    return rbl_tree_level_start(tree, level) + (implicit - ((1u << level) - 1));
}

// True when the node exists in memory.
static inline int rbl_tree_is_real(const rblTreeLayout* tree, uint32_t implicit)
{
    const uint32_t level = rbl_tree_level(implicit);
    return level <= tree->leaf_level && implicit - ((1u << level) - 1) < rbl_tree_real_on_level(tree, level);
}

// Leftmost descendant n generations down (Eq. 4.5), and the ancestor n generations up (Eq. 4.22, with the floor it
// needs for descendants that are not leftmost).
static inline uint32_t rbl_tree_descendant(uint32_t implicit, uint32_t generations)
{
    return ((implicit + 1) << generations) - 1;
}

static inline uint32_t rbl_tree_ancestor(uint32_t implicit, uint32_t generations)
{
    return ((implicit + 1) >> generations) - 1;
}

// ---- any arity (app. B, corrected) ----

typedef struct rblKaryLayout
{
    uint32_t arity;          // k >= 2
    uint32_t leaves;         // t >= 1
    uint32_t leaf_level;     // ceil(log_k t)
    uint64_t virtual_leaves; // k^leaf_level - t
} rblKaryLayout;

rblKaryLayout rbl_kary_layout(uint32_t arity, uint32_t leaves);

// Virtual nodes in all: N_v = (k L_v - digitsum_k(L_v)) / (k - 1). The printed (B.1) is wrong; for k = 2 this is Eq. 3.6.
uint64_t rbl_kary_virtual_count(uint32_t arity, uint64_t virtual_leaves);
uint64_t rbl_kary_node_count(const rblKaryLayout* tree);
uint32_t rbl_kary_level(uint32_t arity, uint64_t implicit);
uint64_t rbl_kary_real_on_level(const rblKaryLayout* tree, uint32_t level);
uint64_t rbl_kary_memory_index(const rblKaryLayout* tree, uint64_t implicit);

// f_n(i) = k^n i + (k^n - 1) / (k - 1) (Eq. 4.17), and its inverse with a floor (Eq. 4.21).
uint64_t rbl_kary_descendant(uint32_t arity, uint64_t implicit, uint32_t generations);
uint64_t rbl_kary_ancestor(uint32_t arity, uint64_t implicit, uint32_t generations);

#endif
