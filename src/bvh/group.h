// Four neighbouring boxes at once. In the implicit layout the grandchildren of a node are consecutive in memory, so a
// traversal that steps down two levels at a time (depth step mu = 2, Chitalu 2020, 2.5) reads 96 consecutive bytes.
#ifndef RBL_BVH_GROUP_H
#define RBL_BVH_GROUP_H

#include "bvh/bvh.h"
#include "math/simd.h"

typedef struct rblBoxGroup
{
    rblFloat4 lower_x, lower_y, lower_z;
    rblFloat4 upper_x, upper_y, upper_z;
} rblBoxGroup;

// A group can extend past the last node of its level. rblForest allocates RBL_GROUP_PADDING extra nodes after the last
// tree, so that the loads stay inside the array, and callers mask the lanes without a node.
#define RBL_GROUP_PADDING 3

static inline rblBoxGroup rbl_group_load(const rblAabb* boxes)
{
    // Each box is lx ly lz ux uy uz: two overlapping loads of four cover it.
    rblFloat4 a = rbl_load4(&boxes[0].lower.x);
    rblFloat4 b = rbl_load4(&boxes[1].lower.x);
    rblFloat4 c = rbl_load4(&boxes[2].lower.x);
    rblFloat4 d = rbl_load4(&boxes[3].lower.x);
    rblFloat4 e = rbl_load4(&boxes[0].lower.z);
    rblFloat4 f = rbl_load4(&boxes[1].lower.z);
    rblFloat4 g = rbl_load4(&boxes[2].lower.z);
    rblFloat4 h = rbl_load4(&boxes[3].lower.z);
    rbl_transpose4(&a, &b, &c, &d); // lx ly lz ux
    rbl_transpose4(&e, &f, &g, &h); // lz ux uy uz
    return (rblBoxGroup){a, b, c, f, g, h};
}

// Which of four boxes overlap one box, touching included.
static inline uint32_t rbl_group_overlaps(const rblBoxGroup* g, const rblAabb* box)
{
    const rblFloat4 x = rbl_and4(rbl_less_equal4(g->lower_x, rbl_splat4(box->upper.x)),
                                 rbl_less_equal4(rbl_splat4(box->lower.x), g->upper_x));
    const rblFloat4 y = rbl_and4(rbl_less_equal4(g->lower_y, rbl_splat4(box->upper.y)),
                                 rbl_less_equal4(rbl_splat4(box->lower.y), g->upper_y));
    const rblFloat4 z = rbl_and4(rbl_less_equal4(g->lower_z, rbl_splat4(box->upper.z)),
                                 rbl_less_equal4(rbl_splat4(box->lower.z), g->upper_z));
    return rbl_mask4(rbl_and4(rbl_and4(x, y), z));
}

// A node by its level and its index on that level; an entry of a traversal stack.
typedef struct rblNodePosition
{
    uint32_t level;
    uint32_t position;
} rblNodePosition;

// How many levels to step down from a level, so that every later step is two levels and the last one ends at the leaves.
static inline uint32_t rbl_group_step(const rblBvh* bvh, uint32_t level)
{
    return (bvh->layout.leaf_level - level) % 2 != 0 ? 1 : 2;
}

// The lanes with real nodes in the group that starts at `position` of `level`; `width` is 2 or 4.
static inline uint32_t rbl_group_lanes(const rblBvh* bvh, uint32_t level, uint32_t position, uint32_t width)
{
    const uint32_t real = rbl_tree_real_on_level(&bvh->layout, level) - position;
    return (1u << (real < width ? real : width)) - 1;
}

#endif
