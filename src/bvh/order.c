#include "bvh/order.h"

#include <string.h>

#define BINS   256u
#define SMALL  64 // up to this many keys every one is compared with every other
#define SAMPLE 64 // so many keys, evenly spaced, tell the longest axis of a large node

// A subtree to be ordered: its keys are in `from`, `to` is the same place in the other buffer; leaves begin ..
// begin + count - 1, 2^height leaves wide. Keys stand in rising order of their triangles: every partition is stable.
typedef struct Subtree
{
    rblLeafKey* from;
    rblLeafKey* to;
    uint32_t begin;
    uint32_t count;
    uint32_t height;
} Subtree;

typedef struct Ordering
{
    uint32_t smallest;
    uint32_t* order;
    const Subtree* subtrees; // cut off the top, for the workers
} Ordering;

// ---- choosing the axis ----

typedef struct Extent
{
    uint32_t low[3], high[3];
} Extent;

static Extent measure(const rblLeafKey* keys, uint32_t count, uint32_t stride)
{
    Extent extent = {{UINT16_MAX, UINT16_MAX, UINT16_MAX}, {0, 0, 0}};
    for (uint32_t i = 0; i < count; i += stride)
    {
        for (int a = 0; a < 3; ++a)
        {
            const uint32_t x = keys[i].axis[a];
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

// ---- finding the border ----

// The `wanted` least keys are those with x < value, and the first `ties` of those with x == value.
typedef struct Border
{
    uint32_t value;
    uint32_t ties;
} Border;

// Keys by their place in low .. low + (BINS << shift) - 1; what lies outside counts in the first or last bin.
static inline uint32_t bin_of(uint32_t x, uint32_t low, uint32_t shift)
{
    const uint32_t bin = x > low ? (x - low) >> shift : 0;
    return bin < BINS ? bin : BINS - 1;
}

// The bin in which the running count passes `wanted`, and how many keys lie in the bins before it.
static uint32_t find_bin(const uint32_t* histogram, uint32_t wanted, uint32_t* before)
{
    uint32_t bin = 0;
    uint32_t sum = 0;
    while (sum + histogram[bin] < wanted)
    {
        sum += histogram[bin++];
    }
    *before = sum;
    return bin;
}

// Narrow [low, high] by counting until one value is left. The first round may work with a sampled range, since its
// outer bins catch the rest; every later round knows its range exactly.
static Border find_border(const rblLeafKey* keys, uint32_t count, uint32_t wanted, int axis, uint32_t low,
                          uint32_t high)
{
    uint32_t below = 0; // keys under the present range
    bool sampled = true;
    for (;;)
    {
        uint32_t shift = 0;
        while (high - low >= BINS << shift)
        {
            shift += 1;
        }
        uint32_t histogram[BINS] = {0};
        for (uint32_t i = 0; i < count; ++i)
        {
            const uint32_t x = keys[i].axis[axis];
            if (sampled || x - low <= high - low)
            {
                histogram[bin_of(x, low, shift)] += 1;
            }
        }
        uint32_t before;
        const uint32_t bin = find_bin(histogram, wanted - below, &before);
        const uint32_t first = low + (bin << shift);
        const uint32_t last = first + (1u << shift) - 1;
        below += before;
        const uint32_t exact_high = sampled && bin == BINS - 1 ? UINT16_MAX : last;
        low = sampled && bin == 0 ? 0 : first;
        high = exact_high;
        if (low == high)
        {
            return (Border){low, wanted - below};
        }
        sampled = false;
    }
}

// ---- parting ----

static void part_large(const Subtree* tree, uint32_t wanted, int axis, Border border)
{
    uint32_t places[2] = {0, wanted};
    uint32_t ties = border.ties;
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        const rblLeafKey key = tree->from[i];
        const uint32_t x = key.axis[axis];
        const uint32_t tie = x == border.value;
        const uint32_t right = (x > border.value) | (tie & (ties == 0));
        ties -= tie & (right ^ 1u);
        tree->to[places[right]++] = key;
    }
}

// Count for every key how many are less: no branches, and the inner loop runs in SIMD.
static void part_small(const Subtree* tree, uint32_t wanted, int axis)
{
    int32_t ranks[SMALL];
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        ranks[i] = tree->from[i].axis[axis] * SMALL + (int32_t)i;
    }
    uint32_t places[2] = {0, wanted};
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        uint32_t less = 0;
        for (uint32_t j = 0; j < tree->count; ++j)
        {
            less += ranks[j] < ranks[i];
        }
        tree->to[places[less >= wanted]++] = tree->from[i];
    }
}

// Split where the layout does: the left child is full, unless all leaves fit into it.
static void split(const Subtree* tree, Subtree* left, Subtree* right)
{
    const uint32_t half = 1u << (tree->height - 1);
    if (tree->count <= half)
    {
        *left = *tree;
        left->height -= 1;
        *right = (Subtree){0};
        return;
    }
    const Extent extent = measure(tree->from, tree->count, tree->count > SAMPLE ? tree->count / SAMPLE : 1);
    const int axis = longest_axis(&extent);
    if (tree->count <= SMALL)
    {
        part_small(tree, half, axis);
    }
    else
    {
        const Border border =
            find_border(tree->from, tree->count, half, axis, extent.low[axis], extent.high[axis]);
        part_large(tree, half, axis, border);
    }
    *left = (Subtree){tree->to, tree->from, tree->begin, half, tree->height - 1};
    *right = (Subtree){tree->to + half, tree->from + half, tree->begin + half, tree->count - half,
                       tree->height - 1};
}

static void order_subtree(const Ordering* ordering, Subtree tree)
{
    while (tree.count > ordering->smallest)
    {
        Subtree left, right;
        split(&tree, &left, &right);
        if (right.count > 0)
        {
            order_subtree(ordering, right);
        }
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
    for (int level = 0; level < TOP_LEVELS && layout->leaves > SAMPLE; ++level)
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
    Ordering ordering = {smallest > 2 ? smallest : 2, order, subtrees}; // two leaves have no wrong order
    rbl_parallel_for(jobs, count, 1, order_subtrees, &ordering);
}
