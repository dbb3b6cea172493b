// The stack of nodes that a traversal has still to visit, the nearest on top.
//
// An entry is one integer: the bits of a non-negative float key (so that integers compare like floats) above the
// implicit index plus one. Four of them are sorted without branches, because a branch would be mispredicted half of the
// time.
#ifndef RBL_BVH_NODE_STACK_H
#define RBL_BVH_NODE_STACK_H

#include "bvh/group.h"
#include "bvh/leaves.h"
#include <string.h>

// A step of two levels leaves at most three entries on the stack, a step of one level one: 1 + 15 * 3 + 1; and a push
// writes four.
#define RBL_NODE_STACK_SIZE 64

static inline float rbl_entry_key(uint64_t entry)
{
    const uint32_t bits = (uint32_t)(entry >> 32);
    float key;
    memcpy(&key, &bits, sizeof key);
    return key;
}

static inline rblNodePosition rbl_entry_place(uint64_t entry)
{
    const uint32_t number = (uint32_t)entry; // implicit index + 1: 2^level + position
    const uint32_t level = rbl_floor_log2(number);
    return (rblNodePosition){level, number - (1u << level)};
}

// Bits set in a mask of four lanes.
static inline uint32_t rbl_lane_count(uint32_t mask)
{
    return (uint32_t)(0x4332322132212110ull >> (4 * mask)) & 15;
}

// a becomes the larger, b the smaller.
static inline void rbl_exchange_entries(uint64_t* a, uint64_t* b)
{
    const uint64_t larger = *a > *b ? *a : *b;
    *b = *a > *b ? *b : *a;
    *a = larger;
}

// Entries of the lanes of a mask, farthest first; the other lanes follow as zeros.
static inline void rbl_sort_lanes(uint32_t mask, const float keys[4], uint32_t first_number,
                                  uint64_t sorted[4])
{
    for (uint32_t lane = 0; lane < 4; ++lane)
    {
        uint32_t bits;
        memcpy(&bits, &keys[lane], sizeof bits);
        const uint64_t entry = (uint64_t)bits << 32 | (first_number + lane);
        sorted[lane] = entry & (0 - (uint64_t)(mask >> lane & 1));
    }
    rbl_exchange_entries(&sorted[0], &sorted[1]);
    rbl_exchange_entries(&sorted[2], &sorted[3]);
    rbl_exchange_entries(&sorted[0], &sorted[2]);
    rbl_exchange_entries(&sorted[1], &sorted[3]);
    rbl_exchange_entries(&sorted[1], &sorted[2]);
}

// Push the nodes of a mask that are at `position` of `level` and after it. Returns the new size.
static inline uint32_t rbl_push_sorted(uint64_t* stack, uint32_t size, uint32_t mask, const float keys[4],
                                       uint32_t level, uint32_t position)
{
    rbl_sort_lanes(mask, keys, (1u << level) + position, stack + size);
    return size + rbl_lane_count(mask);
}

static inline uint64_t rbl_lane_entry(const float keys[4], uint32_t lane, uint32_t first_number)
{
    uint32_t bits;
    memcpy(&bits, &keys[lane], sizeof bits);
    return (uint64_t)bits << 32 | (first_number + lane);
}

// The same, but return the nearest node instead of pushing it. The mask is not empty. One or two nodes, the most
// frequent case, are handled separately: the next step can then start before their keys are known.
static inline rblNodePosition rbl_push_farther(uint64_t* stack, uint32_t* size, uint32_t mask,
                                               const float keys[4], uint32_t level, uint32_t position)
{
    const uint32_t first = rbl_lowest_bit(mask);
    const uint32_t rest = mask & (mask - 1);
    const uint32_t first_number = (1u << level) + position;
    if (rest == 0)
    {
        return (rblNodePosition){level, position + first};
    }
    if ((rest & (rest - 1)) == 0)
    {
        uint64_t farther = rbl_lane_entry(keys, first, first_number);
        uint64_t nearest = rbl_lane_entry(keys, rbl_lowest_bit(rest), first_number);
        rbl_exchange_entries(&farther, &nearest);
        stack[(*size)++] = farther;
        return (rblNodePosition){level, (uint32_t)nearest - (1u << level)};
    }
    *size = rbl_push_sorted(stack, *size, mask, keys, level, position) - 1;
    return (rblNodePosition){level, (uint32_t)stack[*size] - (1u << level)};
}

#if defined(__GNUC__)
// gcc treats a function that only prefetches as one without effect and removes the call.
#define RBL_ALWAYS_INLINE static inline __attribute__((always_inline))
#else
#define RBL_ALWAYS_INLINE static inline
#endif

// Prefetch the nodes two levels below the nodes of a mask; for leaves, their triangles and on request their boxes. In
// trees that are larger than the caches, waiting for this data would take most of the time.
RBL_ALWAYS_INLINE void rbl_prefetch_below(const rblBvh* bvh, uint32_t mask, uint32_t level, uint32_t position,
                                          bool leaf_boxes)
{
    const uint32_t below = level + 2;
    const bool leaves = below == bvh->layout.leaf_level;
    for (; mask != 0; mask &= mask - 1)
    {
        const size_t first = 4 * ((size_t)position + rbl_lowest_bit(mask));
        if (!leaves || leaf_boxes)
        {
            const char* boxes = (const char*)(bvh->nodes + bvh->level_starts[below] + first);
            rbl_prefetch(boxes);
            rbl_prefetch(boxes + 64);
        }
        if (leaves)
        {
            const char* triangles = (const char*)(bvh->triangles + first);
            rbl_prefetch(triangles);
            rbl_prefetch(triangles + 64);
            rbl_prefetch(triangles + 128);
        }
    }
}

// ---- nearest first ----

// The largest squared distance of a box that can contain something nearer than the best so far. Squared distances to
// boxes are sums of three squares in 32 bits, with an error of 4 ulps plus the smallest denormals.
static inline float rbl_box_bound(double best)
{
    return (float)(best * 1.000001 + 1e-44);
}

typedef rblFloat4 rblBoxDistances(const void* search, const rblBoxGroup* group);
typedef void rblLeafVisit(void* search, uint32_t mask, const float distances2[4], uint32_t first);

// Visit every leaf whose box is not farther than the bound, which visits can lower. The tree has more than one level.
RBL_ALWAYS_INLINE void rbl_descend_nearest(const rblBvh* bvh, void* search, const float* bound,
                                           rblBoxDistances* box_distances2, rblLeafVisit* try_leaves)
{
    const uint32_t leaf_level = bvh->layout.leaf_level;
    uint64_t stack[RBL_NODE_STACK_SIZE];
    uint32_t size = 0;
    rblNodePosition node = {0, 0};
    for (;;)
    {
        const uint32_t step = rbl_group_step(bvh, node.level);
        const uint32_t level = node.level + step;
        const uint32_t position = node.position << step;
        const rblBoxGroup group = rbl_group_load(&bvh->nodes[bvh->level_starts[level] + position]);
        const rblFloat4 distances2 = box_distances2(search, &group);
        const uint32_t mask = rbl_mask4(rbl_less_equal4(distances2, rbl_splat4(*bound))) &
                              rbl_group_lanes(bvh, level, position, 1u << step);
        float keys[4];
        rbl_store4(keys, distances2);
        if (level < leaf_level && mask != 0)
        {
            rbl_prefetch_below(bvh, mask, level, position, true);
            node = rbl_push_farther(stack, &size, mask, keys, level, position);
            continue;
        }
        if (mask != 0)
        {
            try_leaves(search, mask, keys, position);
        }
        do
        {
            if (size == 0)
            {
                return;
            }
            size -= 1;
        } while (rbl_entry_key(stack[size]) > *bound);
        node = rbl_entry_place(stack[size]);
    }
}

#endif
