#include "bvh/build/boxes.h"

#include "bvh/leaves.h"

// Leaves are filled in blocks of 2^BLOCK_HEIGHT, and the subtree over a block is finished while its boxes are in the L1
// cache (256 boxes are 6 KB). A job has at least MIN_BLOCKS blocks, so that the work is much longer than the start of a
// job.
#define BLOCK_HEIGHT 8
#define BLOCK        (1u << BLOCK_HEIGHT)
#define MIN_BLOCKS   16

// Prefetch distances in leaves; the best of those measured on a million triangles.
#define INDICES_AHEAD  128
#define VERTICES_AHEAD 64

typedef struct Filling
{
    rblTriangleSpan span;
    rblTreeArrays tree;
    uint32_t level;
} Filling;

static inline uint32_t at_most(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// ---- leaves ----

// The leaf order is far from the order in the mesh, and a mesh of a million triangles does not fit into the caches:
// prefetch the indices of a triangle first and, when these are in the cache, its vertices.
static inline rblBox4 fill_leaf(const rblTriangleSpan* span, const rblTreeArrays* tree, rblAabb* leaves,
                                uint32_t leaf)
{
    const uint32_t last = tree->layout.leaves - 1;
    rbl_span_prefetch_indices(span, tree->order[at_most(leaf + INDICES_AHEAD, last)]);
    rbl_span_prefetch_vertices(span, tree->order[at_most(leaf + VERTICES_AHEAD, last)]);
    const rblBox4 box = rbl_span_triangle(span, tree->order[leaf], &tree->triangles[leaf]);
    rbl_box4_store(&leaves[leaf], box);
    return box;
}

static inline rblAabb* level_of(const rblTreeArrays* tree, uint32_t level)
{
    return tree->nodes + rbl_tree_level_start(&tree->layout, level);
}

// Fill leaves begin .. end - 1, and the two levels over every four of them directly from registers. Returns the end of
// the last complete four.
static uint32_t fill_leaves(const Filling* filling, uint32_t begin, uint32_t end)
{
    // Local copies: otherwise the compiler reads them again after every store.
    const rblTriangleSpan span = filling->span;
    const rblTreeArrays tree = filling->tree;
    const uint32_t leaf_level = tree.layout.leaf_level;
    rblAabb* leaves = level_of(&tree, leaf_level);
    uint32_t i = begin;
    if (leaf_level >= 2)
    {
        rblAabb* parents = level_of(&tree, leaf_level - 1);
        rblAabb* grandparents = level_of(&tree, leaf_level - 2);
        for (; end - i >= 4; i += 4)
        {
            rblBox4 left = fill_leaf(&span, &tree, leaves, i);
            left = rbl_box4_merge(left, fill_leaf(&span, &tree, leaves, i + 1));
            rbl_box4_store(&parents[i / 2], left);
            rblBox4 right = fill_leaf(&span, &tree, leaves, i + 2);
            right = rbl_box4_merge(right, fill_leaf(&span, &tree, leaves, i + 3));
            rbl_box4_store(&parents[i / 2 + 1], right);
            rbl_box4_store(&grandparents[i / 4], rbl_box4_merge(left, right));
        }
    }
    const uint32_t fours_end = i;
    for (; i < end; ++i)
    {
        fill_leaf(&span, &tree, leaves, i);
    }
    return fours_end;
}

// ---- levels ----

// Nodes begin .. end - 1 of a level from their children; the last node of a level can have only one child.
static void merge_children(const rblTreeArrays* tree, uint32_t level, uint32_t begin, uint32_t end)
{
    rblAabb* parents = tree->nodes + rbl_tree_level_start(&tree->layout, level);
    const rblAabb* children = tree->nodes + rbl_tree_level_start(&tree->layout, level + 1);
    const uint32_t whole = rbl_tree_real_on_level(&tree->layout, level + 1) / 2;
    const uint32_t pairs = whole < end ? whole : end;
    for (uint32_t i = begin; i < pairs; ++i)
    {
        rbl_box4_store(&parents[i],
                       rbl_box4_merge(rbl_box4_load(&children[2 * i]), rbl_box4_load(&children[2 * i + 1])));
    }
    if (end > pairs)
    {
        parents[end - 1] = children[2 * (end - 1)];
    }
}

static uint32_t nodes_over(uint32_t count, uint32_t generations)
{
    return (count + (1u << generations) - 1) >> generations;
}

// The levels over leaves begin .. end - 1 of a block; the first two levels are already filled up to leaf `done`.
static void finish_block(const rblTreeArrays* tree, uint32_t begin, uint32_t done, uint32_t end)
{
    const uint32_t leaf_level = tree->layout.leaf_level;
    const uint32_t height = leaf_level < BLOCK_HEIGHT ? leaf_level : BLOCK_HEIGHT;
    for (uint32_t h = 1; h <= height; ++h)
    {
        merge_children(tree, leaf_level - h, (h <= 2 ? done : begin) >> h, nodes_over(end, h));
    }
}

static void fill_blocks(rblRange range, void* context)
{
    const Filling* filling = context;
    const uint32_t leaves = filling->tree.layout.leaves;
    for (uint32_t block = range.begin; block < range.end; ++block)
    {
        const uint32_t begin = block * BLOCK;
        const uint32_t end = at_most(begin + BLOCK, leaves);
        const uint32_t done = fill_leaves(filling, begin, end);
        finish_block(&filling->tree, begin, done, end);
    }
}

static void merge_range(rblRange range, void* context)
{
    const Filling* filling = context;
    merge_children(&filling->tree, filling->level, range.begin, range.end);
}

void rbl_fill_boxes(const rblTriangleSpan* span, const rblTreeArrays* tree, rblJobs* jobs)
{
    Filling filling = {*span, *tree, 0};
    const rblTreeLayout* layout = &tree->layout;
    rbl_parallel_for(jobs, nodes_over(layout->leaves, BLOCK_HEIGHT), MIN_BLOCKS, fill_blocks, &filling);
    for (filling.level = layout->leaf_level > BLOCK_HEIGHT ? layout->leaf_level - BLOCK_HEIGHT : 0;
         filling.level-- > 0;)
    {
        rbl_parallel_for(jobs, rbl_tree_real_on_level(layout, filling.level), 4096, merge_range, &filling);
    }
}
