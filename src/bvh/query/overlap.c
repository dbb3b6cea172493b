#include "bvh/query/overlap.h"

#include "base/error.h"
#include "bvh/group.h"
#include "bvh/traversal.h"
#include <string.h>

#define MAX_DEPTH_STEP 4 // levels per step: 16 descendants on each side
#define STACK_SIZE                                                                                           \
    2048             // node pairs; a step of four levels leaves at most 255 on the stack, in each of 8 steps
#define MIN_RANGE  8 // node pairs per block, at least
#define FOUND_SIZE 128 // leaf pairs per call of the callback

_Static_assert(((1u << 2 * MAX_DEPTH_STEP) - 1) * ((30 + MAX_DEPTH_STEP - 1) / MAX_DEPTH_STEP) < STACK_SIZE,
               "the stack must have space for the steps of trees with RBL_MAX_LEAVES = 2^30 leaves");

// The kernel is compiled twice, once with the usual depth step as a constant: for that, it must be inlined completely.
#if defined(__GNUC__)
#define KERNEL static inline __attribute__((always_inline))
#else
#define KERNEL static inline
#endif

// ---- one step ----

// The descendants of a node that a step visits.
typedef struct Descendants
{
    const rblAabb* boxes;
    uint32_t first;    // implicit index
    uint32_t position; // index on their level
    uint32_t count;    // real ones
    bool leaves;
} Descendants;

KERNEL Descendants step_down(const rblBvh* tree, uint32_t node, uint32_t depth_step)
{
    const uint32_t level = rbl_tree_level(node);
    const uint32_t left = tree->layout.leaf_level - level;
    // A short first step makes all later steps full ones.
    const uint32_t remainder = depth_step == 2 ? left & 1 : left % depth_step;
    const uint32_t step = remainder != 0 ? remainder : (left < depth_step ? left : depth_step);
    const uint32_t first = rbl_tree_descendant(node, step);
    const uint32_t position = first + 1 - (1u << (level + step));
    const uint32_t real = rbl_tree_real_on_level(&tree->layout, level + step) - position;
    return (Descendants){
        .boxes = tree->nodes + tree->level_starts[level + step] + position,
        .first = first,
        .position = position,
        .count = real < 1u << step ? real : 1u << step,
        .leaves = level + step == tree->layout.leaf_level,
    };
}

// The output of a step: pairs of leaves go to `found` and from there to the callback, others to the stack, or to the
// next frontier when there is no stack.
typedef struct Sink
{
    const rblTraversal* traversal;
    rblOverlapRun* run;
    rblNodePair* stack;
    uint32_t size;
    uint32_t found_count;
    rblLeafPair found[FOUND_SIZE]; // all of one pair of trees
} Sink;

static void flush(Sink* sink)
{
    sink->run->counters.leaf_pairs += sink->found_count;
    if (!sink->traversal->take(sink->traversal, sink->run, sink->found, sink->found_count))
    {
        sink->run->failed = true;
    }
    sink->found_count = 0;
}

KERNEL void emit(Sink* sink, rblNodePair found)
{
    if (sink->stack != NULL)
    {
        sink->stack[sink->size++] = found;
    }
    else if (!rbl_array_push(&sink->run->next, found))
    {
        sink->run->failed = true;
    }
}

// The nodes of a step: the descendants of both sides, all pairs of them.
typedef struct Step
{
    Descendants a, b;
    uint32_t pair;
    bool self; // both sides are the same nodes: test i < j only, and pass on each node with itself
} Step;

// Output pairs of four nodes of a from `row` on and four of b from `column` on: bit 4 i + j for the i-th and the j-th.
KERNEL void emit_block(const Step* step, Sink* sink, uint32_t row, uint32_t column, uint32_t mask)
{
    if (!step->a.leaves || !step->b.leaves)
    {
        const uint32_t a = step->a.first + row;
        const uint32_t b = step->b.first + column;
        for (; mask != 0; mask &= mask - 1)
        {
            const uint32_t bit = rbl_lowest_bit(mask);
            emit(sink, (rblNodePair){step->pair, a + (bit >> 2), b + (bit & 3)});
        }
        return;
    }
    if (sink->found_count > FOUND_SIZE - 16 || (sink->found_count > 0 && sink->found[0].pair != step->pair))
    {
        flush(sink);
    }
    const uint32_t a = step->a.position + row;
    const uint32_t b = step->b.position + column;
    rblLeafPair* found = sink->found + sink->found_count;
    for (; mask != 0; mask &= mask - 1)
    {
        const uint32_t bit = rbl_lowest_bit(mask);
        *found++ = (rblLeafPair){step->pair, a + (bit >> 2), b + (bit & 3)};
    }
    sink->found_count = (uint32_t)(found - sink->found);
}

// The bits of emit_block() for the first n nodes of a and of b.
static const uint16_t row_lanes[5] = {0, 0x000F, 0x00FF, 0x0FFF, 0xFFFF};
static const uint16_t column_lanes[5] = {0, 0x1111, 0x3333, 0x7777, 0xFFFF};

// Four descendants of a against four of b; among the same nodes only i < j.
KERNEL void test_block(const Step* step, Sink* sink, uint32_t row, uint32_t column)
{
    const uint32_t rows = step->a.count - row < 4 ? step->a.count - row : 4;
    const uint32_t columns = step->b.count - column < 4 ? step->b.count - column : 4;
    const rblAabb* boxes = step->a.boxes + row;
    const rblBoxGroup group = rbl_group_load(step->b.boxes + column);
    uint32_t mask = rbl_group_overlaps(&group, &boxes[0]) | rbl_group_overlaps(&group, &boxes[1]) << 4 |
                    rbl_group_overlaps(&group, &boxes[2]) << 8 | rbl_group_overlaps(&group, &boxes[3]) << 12;
    mask &= (uint32_t)row_lanes[rows] & column_lanes[columns];
    mask &= step->self && row == column ? 0x08CEu : 0xFFFFu;
    sink->run->counters.box_tests += rows * columns;
    if (mask != 0)
    {
        emit_block(step, sink, row, column, mask);
    }
}

// The descendants of one node against each other.
static void expand_self(const Step* step, Sink* sink)
{
    for (uint32_t i = 0; i < step->a.count && !step->a.leaves; ++i)
    {
        emit(sink, (rblNodePair){step->pair, step->a.first + i, step->a.first + i});
    }
    for (uint32_t row = 0; row < step->a.count; row += 4)
    {
        for (uint32_t column = row; column < step->b.count; column += 4)
        {
            test_block(step, sink, row, column);
        }
    }
}

// Expand one pair of nodes by `depth_step` levels on both sides (fewer at the leaves).
KERNEL void expand(const rblTraversal* traversal, rblNodePair nodes, uint32_t depth_step, Sink* sink)
{
    const rblTreePair trees = traversal->pairs[nodes.pair];
    const Step step = {.a = step_down(&traversal->trees[trees.a], nodes.a, depth_step),
                       .b = step_down(&traversal->trees[trees.b], nodes.b, depth_step),
                       .pair = nodes.pair,
                       .self = trees.a == trees.b && nodes.a == nodes.b};
    sink->run->counters.node_pairs += 1;
    if (step.self)
    {
        expand_self(&step, sink);
        return;
    }
    if (depth_step == 2) // the usual one, without loops
    {
        test_block(&step, sink, 0, 0);
        return;
    }
    for (uint32_t row = 0; row < step.a.count; row += 4)
    {
        for (uint32_t column = 0; column < step.b.count; column += 4)
        {
            test_block(&step, sink, row, column);
        }
    }
}

// ---- the frontier ----

KERNEL void expand_range(const rblTraversal* traversal, rblRange range, uint32_t depth_step, Sink* sink)
{
    const rblNodePair* frontier = traversal->workspace->frontier.data;
    for (uint32_t i = range.begin; i < range.end && !sink->run->failed; ++i)
    {
        rblNodePair nodes = frontier[i];
        for (;;)
        {
            expand(traversal, nodes, depth_step, sink);
            if (sink->size == 0)
            {
                break;
            }
            nodes = sink->stack[--sink->size];
        }
    }
}

static void expand_block(rblRange range, void* context)
{
    const rblTraversal* traversal = context;
    rblNodePair stack[STACK_SIZE];
    Sink sink;
    sink.traversal = traversal;
    sink.run = &traversal->workspace->runs[range.block];
    sink.stack = traversal->depth_first ? stack : NULL;
    sink.size = 0;
    sink.found_count = 0;
    if (traversal->options.depth_step == 2)
    {
        expand_range(traversal, range, 2, &sink);
    }
    else
    {
        expand_range(traversal, range, traversal->options.depth_step, &sink);
    }
    if (sink.found_count > 0)
    {
        flush(&sink);
    }
}

static void swap_frontiers(rblOverlapWorkspace* workspace)
{
    const rblNodePairArray swap = workspace->frontier;
    workspace->frontier = workspace->next;
    workspace->next = swap;
}

// Concatenate the output of the blocks, in their order, to the next frontier.
static bool join_frontier(rblOverlapWorkspace* workspace, uint32_t blocks)
{
    size_t count = 0;
    bool ok = true;
    for (uint32_t b = 0; b < blocks; ++b)
    {
        count += workspace->runs[b].next.count;
        ok = ok && !workspace->runs[b].failed;
    }
    if (!ok || count > UINT32_MAX || !rbl_array_reserve(&workspace->next, count))
    {
        return false;
    }
    rbl_array_clear(&workspace->next);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        rblNodePairArray* from = &workspace->runs[b].next;
        if (from->count > 0)
        {
            memcpy(workspace->next.data + workspace->next.count, from->data,
                   sizeof *from->data * from->count);
        }
        workspace->next.count += from->count;
        rbl_array_clear(from);
    }
    swap_frontiers(workspace);
    return true;
}

// All pairs of nodes at the entry level: of two trees every combination; in one tree each pair once, and each node with
// itself.
static bool start_pair(const rblTraversal* traversal, uint32_t pair, rblNodePairArray* frontier)
{
    const rblTreePair trees = traversal->pairs[pair];
    const rblTreeLayout* a = &traversal->trees[trees.a].layout;
    const rblTreeLayout* b = &traversal->trees[trees.b].layout;
    if (a->leaves == 0 || b->leaves == 0)
    {
        return true;
    }
    const uint32_t entry = traversal->options.entry_level;
    const uint32_t level_a = entry < a->leaf_level ? entry : a->leaf_level;
    const uint32_t level_b = entry < b->leaf_level ? entry : b->leaf_level;
    const uint32_t count_a = rbl_tree_real_on_level(a, level_a);
    const uint32_t count_b = rbl_tree_real_on_level(b, level_b);
    for (uint32_t i = 0; i < count_a; ++i)
    {
        for (uint32_t j = trees.a == trees.b ? i : 0; j < count_b; ++j)
        {
            const rblNodePair nodes = {pair, (1u << level_a) - 1 + i, (1u << level_b) - 1 + j};
            if (!rbl_array_push(frontier, nodes))
            {
                return false;
            }
        }
    }
    return true;
}

static bool start_frontier(const rblTraversal* traversal, rblNodePairArray* frontier)
{
    bool ok = true;
    rbl_array_clear(frontier);
    for (uint32_t p = 0; p < traversal->pair_count && ok; ++p)
    {
        ok = start_pair(traversal, p, frontier);
    }
    return ok && frontier->count <= UINT32_MAX;
}

static void add_counters(rblOverlapCounters* sum, const rblOverlapCounters* more)
{
    sum->box_tests += more->box_tests;
    sum->node_pairs += more->node_pairs;
    sum->leaf_pairs += more->leaf_pairs;
    sum->triangle_tests += more->triangle_tests;
    sum->triangle_pairs += more->triangle_pairs;
    sum->triangle_seconds += more->triangle_seconds;
}

static void clear_runs(rblOverlapWorkspace* workspace)
{
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rblOverlapRun* run = &workspace->runs[b];
        rbl_array_clear(&run->next);
        rbl_array_clear(&run->leaves);
        rbl_array_clear(&run->triangles);
        run->counters = (rblOverlapCounters){0};
        run->failed = false;
    }
}

rblResult rbl_traversal_run(rblTraversal* traversal, rblJobs* jobs, rblOverlapCounters* counters)
{
    rblOverlapWorkspace* workspace = traversal->workspace;
    rblOverlapCounters total = {0};
    clear_runs(workspace);
    if (!start_frontier(traversal, &workspace->frontier))
    {
        return rbl_fail_memory();
    }
    total.start_pairs = (uint32_t)workspace->frontier.count;
    while (workspace->frontier.count > 0)
    {
        const uint32_t count = (uint32_t)workspace->frontier.count;
        total.peak_frontier = count > total.peak_frontier ? count : total.peak_frontier;
        total.rounds += 1;
        traversal->depth_first = count >= traversal->options.frontier_goal;
        rbl_parallel_for(jobs, count, MIN_RANGE, expand_block, traversal);
        if (!join_frontier(workspace, rbl_block_count(count, MIN_RANGE)))
        {
            return rbl_fail_memory();
        }
        const size_t bytes = sizeof(rblNodePair) *
                             (count + workspace->frontier.count); // the current frontier and the next one
        total.peak_bytes = bytes > total.peak_bytes ? bytes : total.peak_bytes;
    }
    if (total.rounds % 2 == 1) // so that in a repetition each buffer already has the size it needs
    {
        swap_frontiers(workspace);
    }
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        add_counters(&total, &workspace->runs[b].counters);
    }
    if (counters != NULL)
    {
        *counters = total;
    }
    return RBL_OK;
}

// ---- set-up and clean-up ----

rblResult rbl_overlap_workspace_create(const rblAllocator* allocator, rblOverlapWorkspace** out)
{
    rblOverlapWorkspace* workspace = rbl_alloc_zero(allocator, sizeof *workspace);
    if (workspace == NULL)
    {
        return rbl_fail_memory();
    }
    workspace->allocator = allocator;
    rbl_array_init(&workspace->frontier, allocator);
    rbl_array_init(&workspace->next, allocator);
    rbl_array_init(&workspace->trees, allocator);
    rbl_array_init(&workspace->roundings, allocator);
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_init(&workspace->runs[b].next, allocator);
        rbl_array_init(&workspace->runs[b].leaves, allocator);
        rbl_array_init(&workspace->runs[b].triangles, allocator);
    }
    *out = workspace;
    return RBL_OK;
}

void rbl_overlap_workspace_destroy(rblOverlapWorkspace* workspace)
{
    if (workspace == NULL)
    {
        return;
    }
    rbl_array_free(&workspace->frontier);
    rbl_array_free(&workspace->next);
    rbl_array_free(&workspace->trees);
    rbl_array_free(&workspace->roundings);
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_free(&workspace->runs[b].next);
        rbl_array_free(&workspace->runs[b].leaves);
        rbl_array_free(&workspace->runs[b].triangles);
    }
    rbl_free(workspace->allocator, workspace, sizeof *workspace);
}

rblOverlapOptions rbl_default_overlap_options(void)
{
    return (rblOverlapOptions){.entry_level = 0, .depth_step = 2, .frontier_goal = 256};
}

static rblResult check_arguments(const rblTraversal* traversal)
{
    const rblOverlapOptions* options = &traversal->options;
    if (options->depth_step < 1 || options->depth_step > MAX_DEPTH_STEP || options->entry_level > 31)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: depth_step %u must be 1 to %d, entry_level %u at most 31",
                        options->depth_step, MAX_DEPTH_STEP, options->entry_level);
    }
    const uint32_t trees = traversal->forest->tree_count;
    for (uint32_t p = 0; p < traversal->pair_count; ++p)
    {
        const rblTreePair pair = traversal->pairs[p];
        if (pair.a >= trees || pair.b >= trees)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "bvh: pair %u has the trees %u and %u, but there are %u trees", p, pair.a, pair.b,
                            trees);
        }
    }
    return RBL_OK;
}

rblResult rbl_traversal_begin(rblTraversal* traversal, const rblAllocator* allocator)
{
    RBL_TRY(check_arguments(traversal));
    traversal->workspace = traversal->options.workspace;
    if (traversal->workspace == NULL)
    {
        RBL_TRY(rbl_overlap_workspace_create(allocator, &traversal->workspace));
    }
    const uint32_t count = traversal->forest->tree_count;
    if (!rbl_array_resize(&traversal->workspace->trees, count))
    {
        rbl_traversal_end(traversal);
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        traversal->workspace->trees.data[i] = rbl_forest_tree(traversal->forest, i);
    }
    traversal->trees = traversal->workspace->trees.data;
    return RBL_OK;
}

void rbl_traversal_end(rblTraversal* traversal)
{
    if (traversal->options.workspace == NULL)
    {
        rbl_overlap_workspace_destroy(traversal->workspace);
    }
    traversal->workspace = NULL;
}

// ---- pairs of leaves ----

static bool keep_leaves(const rblTraversal* traversal, rblOverlapRun* run, const rblLeafPair* found,
                        uint32_t count)
{
    (void)traversal;
    if (!rbl_array_reserve_more(&run->leaves, count))
    {
        return false;
    }
    memcpy(run->leaves.data + run->leaves.count, found, sizeof *found * count);
    run->leaves.count += count;
    return true;
}

static bool join_leaves(const rblOverlapWorkspace* workspace, rblLeafPairArray* out)
{
    size_t count = 0;
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        count += workspace->runs[b].leaves.count;
    }
    if (!rbl_array_reserve_more(out, count))
    {
        return false;
    }
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        const rblLeafPairArray* from = &workspace->runs[b].leaves;
        if (from->count > 0)
        {
            memcpy(out->data + out->count, from->data, sizeof *from->data * from->count);
        }
        out->count += from->count;
    }
    return true;
}

rblResult rbl_overlap_leaves(const rblForest* forest, const rblTreePair* pairs, uint32_t pair_count,
                             const rblOverlapOptions* options, rblJobs* jobs, rblLeafPairArray* out,
                             rblOverlapCounters* counters)
{
    rblTraversal traversal = {
        .forest = forest, .pairs = pairs, .pair_count = pair_count, .options = *options, .take = keep_leaves};
    RBL_TRY(rbl_traversal_begin(&traversal, out->allocator));
    rblResult result = rbl_traversal_run(&traversal, jobs, counters);
    if (result == RBL_OK && !join_leaves(traversal.workspace, out))
    {
        result = rbl_fail_memory();
    }
    rbl_traversal_end(&traversal);
    return result;
}
