#include "bvh/overlap.h"

#include "base/error.h"
#include "bvh/group.h"
#include <string.h>

#define MAX_DEPTH_STEP 3
#define STACK_SIZE     2048 // node pairs; a step of three levels leaves at most 63 behind on each of 11 steps

// A pair of nodes still to be looked into, by implicit index.
typedef struct NodePair
{
    uint32_t pair;
    uint32_t a, b;
} NodePair;

typedef RBL_ARRAY(NodePair) NodePairArray;

// What one block of the frontier produced.
typedef struct Run
{
    NodePairArray next;
    rblLeafPairArray leaves;
    uint64_t box_tests;
    bool failed;
} Run;

typedef struct Traversal
{
    const rblForest* forest;
    const rblTreePair* pairs;
    rblBvh* trees; // views of all trees
    uint32_t depth_step;
    const NodePair* frontier;
    bool depth_first;
    Run runs[RBL_MAX_BLOCKS];
} Traversal;

// ---- one step ----

// The descendants of a node that a step goes to.
typedef struct Descendants
{
    const rblAabb* boxes;
    uint32_t first; // implicit index
    uint32_t count; // real ones
    bool leaves;
} Descendants;

static inline Descendants step_down(const rblBvh* tree, uint32_t node, uint32_t depth_step)
{
    const uint32_t level = rbl_tree_level(node);
    const uint32_t left = tree->layout.leaf_level - level;
    // A short first step makes all later ones full.
    const uint32_t remainder = left % depth_step;
    const uint32_t step = remainder != 0 ? remainder : (left < depth_step ? left : depth_step);
    const uint32_t first = rbl_tree_descendant(node, step);
    const uint32_t position = first + 1 - (1u << (level + step));
    const uint32_t real = rbl_tree_real_on_level(&tree->layout, level + step) - position;
    return (Descendants){
        .boxes = tree->nodes + tree->level_starts[level + step] + position,
        .first = first,
        .count = real < 1u << step ? real : 1u << step,
        .leaves = level + step == tree->layout.leaf_level,
    };
}

// Which of four boxes overlap one box, touching included.
static inline uint32_t overlap_group(const rblBoxGroup* g, const rblAabb* box)
{
    const rblFloat4 x = rbl_and4(rbl_less_equal4(g->lower_x, rbl_splat4(box->upper.x)),
                                 rbl_less_equal4(rbl_splat4(box->lower.x), g->upper_x));
    const rblFloat4 y = rbl_and4(rbl_less_equal4(g->lower_y, rbl_splat4(box->upper.y)),
                                 rbl_less_equal4(rbl_splat4(box->lower.y), g->upper_y));
    const rblFloat4 z = rbl_and4(rbl_less_equal4(g->lower_z, rbl_splat4(box->upper.z)),
                                 rbl_less_equal4(rbl_splat4(box->lower.z), g->upper_z));
    return rbl_mask4(rbl_and4(rbl_and4(x, y), z));
}

// Where the pairs found by a step go: pairs of leaves to the run, others to the stack, or to the next frontier when
// there is no stack.
typedef struct Sink
{
    Run* run;
    NodePair* stack;
    uint32_t size;
} Sink;

static inline void emit(Sink* sink, NodePair found)
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

static inline void emit_leaves(Sink* sink, NodePair found, const rblBvh* a, const rblBvh* b)
{
    const rblLeafPair leaves = {found.pair, found.a + 1 - (1u << a->layout.leaf_level),
                                found.b + 1 - (1u << b->layout.leaf_level)};
    if (!rbl_array_push(&sink->run->leaves, leaves))
    {
        sink->run->failed = true;
    }
}

// The nodes of a step: descendants of both sides, each against each.
typedef struct Step
{
    const rblBvh* tree_a;
    const rblBvh* tree_b;
    Descendants a, b;
    uint32_t pair;
    bool self; // both sides are the same nodes: only i < j are tested, and i with itself is handed on
} Step;

// Four descendants of b against all of a.
static void test_group(const Step* step, Sink* sink, uint32_t group)
{
    const rblBoxGroup boxes = rbl_group_load(step->b.boxes + group);
    const uint32_t left = step->b.count - group;
    const uint32_t lanes = left < 4 ? (1u << left) - 1 : 15u;
    const bool leaves = step->a.leaves && step->b.leaves;
    const uint32_t rows = step->self && group + 4 < step->a.count ? group + 4 : step->a.count;
    for (uint32_t i = 0; i < rows; ++i)
    {
        uint32_t mask = overlap_group(&boxes, &step->a.boxes[i]) & lanes;
        if (step->self && i >= group) // lanes up to i are on or below the diagonal
        {
            mask &= 15u & ~((2u << (i - group)) - 1);
        }
        for (; mask != 0; mask &= mask - 1)
        {
            const uint32_t lane = rbl_floor_log2(mask & (0u - mask));
            const NodePair found = {step->pair, step->a.first + i, step->b.first + group + lane};
            if (leaves)
            {
                emit_leaves(sink, found, step->tree_a, step->tree_b);
            }
            else
            {
                emit(sink, found);
            }
        }
    }
    sink->run->box_tests += (uint64_t)rows * 4;
}

// Look into one pair of nodes, `depth_step` levels further down on both sides (less where a side ends).
static void expand(const Traversal* traversal, NodePair nodes, Sink* sink)
{
    const rblTreePair trees = traversal->pairs[nodes.pair];
    Step step = {
        .tree_a = &traversal->trees[trees.a], .tree_b = &traversal->trees[trees.b], .pair = nodes.pair};
    step.a = step_down(step.tree_a, nodes.a, traversal->depth_step);
    step.b = step_down(step.tree_b, nodes.b, traversal->depth_step);
    step.self = trees.a == trees.b && nodes.a == nodes.b;
    if (step.self && !step.a.leaves)
    {
        for (uint32_t i = 0; i < step.a.count; ++i)
        {
            emit(sink, (NodePair){nodes.pair, step.a.first + i, step.a.first + i});
        }
    }
    for (uint32_t group = 0; group < step.b.count; group += 4)
    {
        test_group(&step, sink, group);
    }
}

// ---- the frontier ----

static void expand_block(rblRange range, void* context)
{
    Traversal* traversal = context;
    Run* run = &traversal->runs[range.block];
    NodePair stack[STACK_SIZE];
    Sink sink = {.run = run, .stack = traversal->depth_first ? stack : NULL};
    for (uint32_t i = range.begin; i < range.end && !run->failed; ++i)
    {
        expand(traversal, traversal->frontier[i], &sink);
        while (sink.size > 0)
        {
            expand(traversal, stack[--sink.size], &sink);
        }
    }
}

static void free_runs(Traversal* traversal)
{
    for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
    {
        rbl_array_free(&traversal->runs[b].next);
        rbl_array_free(&traversal->runs[b].leaves);
    }
}

// Join what the blocks wrote, in their order.
static bool join_runs(Traversal* traversal, uint32_t blocks, NodePairArray* next, rblLeafPairArray* leaves,
                      rblOverlapCounters* counters)
{
    size_t next_count = 0;
    size_t leaf_count = leaves->count;
    bool ok = true;
    for (uint32_t b = 0; b < blocks; ++b)
    {
        next_count += traversal->runs[b].next.count;
        leaf_count += traversal->runs[b].leaves.count;
        ok = ok && !traversal->runs[b].failed;
    }
    if (!ok || next_count > UINT32_MAX || !rbl_array_reserve(next, next_count) ||
        !rbl_array_reserve(leaves, leaf_count))
    {
        return false;
    }
    rbl_array_clear(next);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        Run* run = &traversal->runs[b];
        if (run->next.count > 0)
        {
            memcpy(next->data + next->count, run->next.data, sizeof *next->data * run->next.count);
        }
        if (run->leaves.count > 0)
        {
            memcpy(leaves->data + leaves->count, run->leaves.data, sizeof *leaves->data * run->leaves.count);
        }
        next->count += run->next.count;
        leaves->count += run->leaves.count;
        counters->box_tests += run->box_tests;
        rbl_array_clear(&run->next);
        rbl_array_clear(&run->leaves);
        run->box_tests = 0;
    }
    return true;
}

// All pairs of nodes at the entry level: each with each of two trees; each once and with itself in one tree.
static bool start_frontier(const Traversal* traversal, uint32_t pair_count, uint32_t entry_level,
                           NodePairArray* frontier)
{
    bool ok = true;
    for (uint32_t p = 0; p < pair_count && ok; ++p)
    {
        const rblTreePair trees = traversal->pairs[p];
        const rblTreeLayout* a = &traversal->trees[trees.a].layout;
        const rblTreeLayout* b = &traversal->trees[trees.b].layout;
        if (a->leaves == 0 || b->leaves == 0)
        {
            continue;
        }
        const uint32_t level_a = entry_level < a->leaf_level ? entry_level : a->leaf_level;
        const uint32_t level_b = entry_level < b->leaf_level ? entry_level : b->leaf_level;
        const uint32_t count_a = rbl_tree_real_on_level(a, level_a);
        const uint32_t count_b = rbl_tree_real_on_level(b, level_b);
        for (uint32_t i = 0; i < count_a && ok; ++i)
        {
            for (uint32_t j = trees.a == trees.b ? i : 0; j < count_b && ok; ++j)
            {
                const NodePair nodes = {p, (1u << level_a) - 1 + i, (1u << level_b) - 1 + j};
                ok = rbl_array_push(frontier, nodes);
            }
        }
    }
    return ok;
}

static rblResult traverse(Traversal* traversal, uint32_t pair_count, const rblOverlapOptions* options,
                          rblJobs* jobs, NodePairArray* frontier, NodePairArray* next, rblLeafPairArray* out,
                          rblOverlapCounters* counters)
{
    if (!start_frontier(traversal, pair_count, options->entry_level, frontier))
    {
        return rbl_fail_memory();
    }
    while (frontier->count > 0)
    {
        const uint32_t count = (uint32_t)frontier->count;
        const size_t bytes = sizeof(NodePair) * (frontier->capacity + next->capacity);
        counters->peak_frontier = count > counters->peak_frontier ? count : counters->peak_frontier;
        counters->peak_bytes = bytes > counters->peak_bytes ? bytes : counters->peak_bytes;
        counters->rounds += 1;
        traversal->frontier = frontier->data;
        traversal->depth_first = count >= options->frontier_goal;
        rbl_parallel_for(jobs, count, 8, expand_block, traversal);
        if (!join_runs(traversal, rbl_block_count(count, 8), next, out, counters))
        {
            return rbl_fail_memory();
        }
        const NodePairArray swap = *frontier;
        *frontier = *next;
        *next = swap;
    }
    return RBL_OK;
}

rblOverlapOptions rbl_default_overlap_options(void)
{
    return (rblOverlapOptions){.entry_level = 0, .depth_step = 2, .frontier_goal = 512};
}

static rblResult check_arguments(const rblForest* forest, const rblTreePair* pairs, uint32_t pair_count,
                                 const rblOverlapOptions* options)
{
    if (options->depth_step < 1 || options->depth_step > MAX_DEPTH_STEP || options->entry_level > 31)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "overlap: depth_step %u must be 1 to %d, entry_level %u at most 31",
                        options->depth_step, MAX_DEPTH_STEP, options->entry_level);
    }
    for (uint32_t p = 0; p < pair_count; ++p)
    {
        if (pairs[p].a >= forest->tree_count || pairs[p].b >= forest->tree_count)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "overlap: pair %u names tree %u and %u of %u", p, pairs[p].a,
                            pairs[p].b, forest->tree_count);
        }
    }
    return RBL_OK;
}

rblResult rbl_overlap_leaves(const rblForest* forest, const rblTreePair* pairs, uint32_t pair_count,
                             const rblOverlapOptions* options, rblJobs* jobs, rblLeafPairArray* out,
                             rblOverlapCounters* counters)
{
    RBL_TRY(check_arguments(forest, pairs, pair_count, options));
    const rblAllocator* allocator = out->allocator;
    const size_t kept = out->count;
    rblOverlapCounters ignored = {0};
    rblOverlapCounters* counted = counters != NULL ? counters : &ignored;
    *counted = (rblOverlapCounters){0};
    Traversal* traversal = rbl_alloc_zero(allocator, sizeof *traversal);
    rblBvh* trees = RBL_NEW_ARRAY(allocator, rblBvh, forest->tree_count);
    NodePairArray frontier, next;
    rbl_array_init(&frontier, allocator);
    rbl_array_init(&next, allocator);
    rblResult result =
        traversal != NULL && (trees != NULL || forest->tree_count == 0) ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        *traversal =
            (Traversal){.forest = forest, .pairs = pairs, .trees = trees, .depth_step = options->depth_step};
        for (uint32_t b = 0; b < RBL_MAX_BLOCKS; ++b)
        {
            rbl_array_init(&traversal->runs[b].next, allocator);
            rbl_array_init(&traversal->runs[b].leaves, allocator);
        }
        for (uint32_t i = 0; i < forest->tree_count; ++i)
        {
            trees[i] = rbl_forest_tree(forest, i);
        }
        result = traverse(traversal, pair_count, options, jobs, &frontier, &next, out, counted);
        free_runs(traversal);
    }
    rbl_array_free(&frontier);
    rbl_array_free(&next);
    RBL_FREE_ARRAY(allocator, trees, forest->tree_count);
    rbl_free(allocator, traversal, sizeof *traversal);
    if (result != RBL_OK)
    {
        out->count = kept;
    }
    return result;
}
