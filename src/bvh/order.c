#include "bvh/order.h"

#include <string.h>

#define BIN_BITS 8
#define BINS     (1u << BIN_BITS)
#define SMALL    48 // below this, sorting by insertion beats counting

// A subtree to be ordered: its keys are in `from`, leaves begin .. begin + count - 1, 2^height leaves wide.
typedef struct Subtree
{
    rblLeafKey* from;
    rblLeafKey* to; // the other buffer, same place
    uint32_t begin;
    uint32_t count;
    uint32_t height;
} Subtree;

typedef struct Ordering
{
    uint32_t smallest;
    uint32_t* order;
    Subtree* subtrees; // cut off the top, for the workers
} Ordering;

typedef struct Extent
{
    uint16_t low[3], high[3];
} Extent;

static Extent measure(const rblLeafKey* keys, uint32_t count)
{
    Extent extent = {{UINT16_MAX, UINT16_MAX, UINT16_MAX}, {0, 0, 0}};
    for (uint32_t i = 0; i < count; ++i)
    {
        for (int a = 0; a < 3; ++a)
        {
            const uint16_t x = keys[i].axis[a];
            extent.low[a] = x < extent.low[a] ? x : extent.low[a];
            extent.high[a] = x > extent.high[a] ? x : extent.high[a];
        }
    }
    return extent;
}

static int longest_axis(const Extent* extent)
{
    int best = 0;
    for (int a = 1; a < 3; ++a)
    {
        if (extent->high[a] - extent->low[a] > extent->high[best] - extent->low[best])
        {
            best = a;
        }
    }
    return best;
}

// Ties are broken by triangle, so that the order is total and does not depend on how it was reached.
static uint64_t rank(const rblLeafKey* key, int axis)
{
    return (uint64_t)key->axis[axis] << 32 | key->triangle;
}

static void insertion_sort(rblLeafKey* keys, uint32_t count, int axis)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const rblLeafKey key = keys[i];
        const uint64_t key_rank = rank(&key, axis);
        uint32_t j = i;
        for (; j > 0 && rank(&keys[j - 1], axis) > key_rank; --j)
        {
            keys[j] = keys[j - 1];
        }
        keys[j] = key;
    }
}

// The bits of a rank that matter when counting: 16 of the axis, then 32 of the triangle.
static uint32_t digit(const rblLeafKey* key, int axis, uint32_t shift)
{
    return (uint32_t)(rank(key, axis) >> shift) & (BINS - 1);
}

// Move the `wanted` keys of least rank to the front. Counts one digit, parts the keys around the digit that holds
// the border, and goes on inside that digit alone.
static void select_front(rblLeafKey* keys, rblLeafKey* scratch, uint32_t count, uint32_t wanted, int axis,
                         uint32_t shift)
{
    while (count > SMALL && wanted > 0 && wanted < count)
    {
        uint32_t histogram[BINS] = {0};
        for (uint32_t i = 0; i < count; ++i)
        {
            histogram[digit(&keys[i], axis, shift)] += 1;
        }
        uint32_t border = 0;
        uint32_t below = 0;
        while (below + histogram[border] <= wanted)
        {
            below += histogram[border++];
        }
        if (histogram[border] != count)
        {
            uint32_t places[3] = {0, below, below + histogram[border]};
            for (uint32_t i = 0; i < count; ++i)
            {
                const uint32_t d = digit(&keys[i], axis, shift);
                scratch[places[(d >= border) + (d > border)]++] = keys[i];
            }
            memcpy(keys, scratch, sizeof *keys * count);
        }
        keys += below;
        scratch += below;
        count = histogram[border];
        wanted -= below;
        if (shift == 0)
        {
            return;
        }
        shift = shift > BIN_BITS ? shift - BIN_BITS : 0;
    }
    if (wanted > 0 && wanted < count)
    {
        insertion_sort(keys, count, axis);
    }
}

// How the layout splits a subtree: the left child is full, unless all leaves fit into it.
static uint32_t left_count(const Subtree* tree)
{
    const uint32_t half = 1u << (tree->height - 1);
    return tree->count < half ? tree->count : half;
}

static void split(const Subtree* tree, Subtree* left, Subtree* right)
{
    const uint32_t wanted = left_count(tree);
    *left = (Subtree){tree->from, tree->to, tree->begin, wanted, tree->height - 1};
    *right = (Subtree){tree->from + wanted, tree->to + wanted, tree->begin + wanted, tree->count - wanted,
                       tree->height - 1};
    if (right->count > 0)
    {
        const Extent extent = measure(tree->from, tree->count);
        const int axis = longest_axis(&extent);
        // Start at the highest digit in which the keys differ.
        uint32_t shift = 32 + 16 - BIN_BITS;
        const uint32_t spread = (uint32_t)(extent.low[axis] ^ extent.high[axis]);
        while (shift > 32 && spread >> (shift - 32) == 0)
        {
            shift -= 1;
        }
        select_front(tree->from, tree->to, tree->count, wanted, axis, shift);
    }
}

static void order_subtree(const Ordering* ordering, Subtree tree)
{
    while (tree.count > ordering->smallest && tree.count > 1)
    {
        Subtree left, right;
        split(&tree, &left, &right);
        order_subtree(ordering, right);
        tree = left;
    }
    for (uint32_t i = 0; i < tree.count; ++i)
    {
        ordering->order[tree.begin + i] = tree.from[i].triangle;
    }
}

static void order_subtrees(rblRange range, void* context)
{
    const Ordering* ordering = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        order_subtree(ordering, ordering->subtrees[i]);
    }
}

void rbl_order_top_down(rblJobs* jobs, const rblTreeLayout* layout, rblLeafKey* keys, rblLeafKey* scratch,
                        uint32_t smallest, uint32_t* order)
{
    // The first levels are split here, the subtrees below them in parallel.
    enum
    {
        TOP_LEVELS = 4
    };
    Subtree subtrees[1 << TOP_LEVELS] = {{keys, scratch, 0, layout->leaves, layout->leaf_level}};
    uint32_t count = 1;
    for (int level = 0; level < TOP_LEVELS && layout->leaves > 1024; ++level)
    {
        Subtree next[1 << TOP_LEVELS];
        uint32_t next_count = 0;
        for (uint32_t i = 0; i < count; ++i)
        {
            Subtree left, right;
            split(&subtrees[i], &left, &right);
            next[next_count++] = left;
            if (right.count > 0)
            {
                next[next_count++] = right;
            }
        }
        memcpy(subtrees, next, sizeof *next * next_count);
        count = next_count;
    }
    Ordering ordering = {smallest, order, subtrees};
    rbl_parallel_for(jobs, count, 1, order_subtrees, &ordering);
}
