#include "base/error.h"
#include "bvh/build/boxes.h"
#include "bvh/build/order.h"
#include "bvh/group.h"
#include <string.h>

// ---- memory ----

void rbl_forest_init(rblForest* forest, const rblAllocator* allocator)
{
    *forest = (rblForest){.allocator = allocator};
}

void rbl_forest_free_scratch(rblForest* forest)
{
    rbl_free(forest->allocator, forest->scratch.memory, forest->scratch.size);
    forest->scratch = (rblForestScratch){0};
}

void rbl_forest_free(rblForest* forest)
{
    const rblAllocator* allocator = forest->allocator;
    RBL_FREE_ARRAY(allocator, forest->trees, forest->tree_capacity);
    RBL_FREE_ARRAY(allocator, forest->nodes, forest->node_capacity);
    RBL_FREE_ARRAY(allocator, forest->order, forest->leaf_capacity);
    RBL_FREE_ARRAY(allocator, forest->triangles, forest->leaf_capacity);
    rbl_forest_free_scratch(forest);
    rbl_forest_init(forest, allocator);
}

rblBvh rbl_forest_tree(const rblForest* forest, uint32_t index)
{
    const rblTree* tree = &forest->trees[index];
    rblBvh bvh = {.layout = tree->layout};
    if (tree->layout.leaves > 0)
    {
        for (uint32_t level = 0; level <= tree->layout.leaf_level; ++level)
        {
            bvh.level_starts[level] = rbl_tree_level_start(&tree->layout, level);
        }
        bvh.nodes = forest->nodes + tree->first_node;
        bvh.order = forest->order + tree->first_leaf;
        bvh.triangles = forest->triangles + tree->first_leaf;
    }
    return bvh;
}

// Arrays of at least this size. An array that is too small is replaced; its content is lost.
static bool reserve_leaves(rblForest* forest, uint32_t leaves, uint32_t nodes)
{
    const rblAllocator* allocator = forest->allocator;
    if (forest->leaf_capacity < leaves)
    {
        RBL_FREE_ARRAY(allocator, forest->order, forest->leaf_capacity);
        RBL_FREE_ARRAY(allocator, forest->triangles, forest->leaf_capacity);
        forest->leaf_capacity = leaves;
        forest->order = RBL_NEW_ARRAY(allocator, uint32_t, leaves);
        forest->triangles = RBL_NEW_ARRAY(allocator, rblLeafTriangle, leaves);
    }
    if (forest->node_capacity < nodes)
    {
        RBL_FREE_ARRAY(allocator, forest->nodes, forest->node_capacity);
        forest->node_capacity = nodes;
        forest->nodes = RBL_NEW_ARRAY(allocator, rblAabb, nodes);
        if (forest->nodes != NULL)
        {
            memset(forest->nodes + nodes - RBL_GROUP_PADDING, 0, sizeof(rblAabb) * RBL_GROUP_PADDING);
        }
    }
    return leaves == 0 || (forest->order != NULL && forest->triangles != NULL && forest->nodes != NULL);
}

static bool reserve_scratch(rblForest* forest, size_t size)
{
    if (forest->scratch.size < size)
    {
        rbl_forest_free_scratch(forest);
        forest->scratch.memory = rbl_alloc(forest->allocator, size);
        forest->scratch.size = forest->scratch.memory != NULL ? size : 0;
    }
    return forest->scratch.memory != NULL || size == 0;
}

// Lay out the trees one after another.
static rblResult plan_forest(rblForest* forest, const rblTriangleSpan* spans, uint32_t count)
{
    uint64_t leaves = 0;
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblTree* tree = &forest->trees[i];
        *tree = (rblTree){.first_node = (uint32_t)nodes, .first_leaf = (uint32_t)leaves};
        if (spans[i].triangle_count == 0)
        {
            continue;
        }
        RBL_TRY(rbl_span_fail(&spans[i], i, rbl_span_check_form(&spans[i])));
        tree->layout = rbl_tree_layout(spans[i].triangle_count);
        nodes += rbl_tree_node_count(&tree->layout);
        leaves += spans[i].triangle_count;
        if (leaves > RBL_MAX_LEAVES)
        {
            return rbl_fail(RBL_ERROR_LIMIT, "bvh: span %u: more than 2^30 triangles in total", i);
        }
    }
    forest->tree_count = count;
    forest->leaf_count = (uint32_t)leaves;
    forest->node_count = (uint32_t)nodes;
    return reserve_leaves(forest, forest->leaf_count, forest->node_count + RBL_GROUP_PADDING)
               ? RBL_OK
               : rbl_fail_memory();
}

static rblResult reserve_trees(rblForest* forest, uint32_t count)
{
    if (forest->tree_capacity < count)
    {
        RBL_FREE_ARRAY(forest->allocator, forest->trees, forest->tree_capacity);
        forest->tree_capacity = count;
        forest->trees = RBL_NEW_ARRAY(forest->allocator, rblTree, count);
    }
    return forest->trees != NULL || count == 0 ? RBL_OK : rbl_fail_memory();
}

// ---- building ----

// Data shared by all trees of one pass.
typedef struct ForestPass
{
    rblForest* forest;
    const rblTriangleSpan* spans;
    rblBvhQuality quality;
    rblSpanFault* faults; // per span
    uint64_t* keys;       // two per leaf
    uint32_t* counters;   // for the large tree that is being built
    rblSpanFault (*work)(const struct ForestPass* pass, uint32_t index, rblJobs* jobs);
} ForestPass;

static rblTreeArrays arrays_of(const rblForest* forest, const rblTree* tree)
{
    return (rblTreeArrays){tree->layout, forest->nodes + tree->first_node, forest->order + tree->first_leaf,
                           forest->triangles + tree->first_leaf};
}

static rblSpanFault build_tree(const ForestPass* pass, uint32_t index, rblJobs* jobs)
{
    const rblTree* tree = &pass->forest->trees[index];
    const rblTreeArrays arrays = arrays_of(pass->forest, tree);
    rblOrdering ordering = {.span = &pass->spans[index],
                            .jobs = jobs,
                            .keys = pass->keys + 2 * (size_t)tree->first_leaf,
                            .counters = pass->counters,
                            .order = arrays.order};
    rblSpanFault fault = rbl_span_check_vertices(ordering.span, jobs, &ordering.bounds);
    if (fault.kind == RBL_SPAN_FINE)
    {
        fault = pass->quality == RBL_BVH_FAST
                    ? rbl_order_morton(&ordering)
                    : rbl_order_top_down(&ordering, pass->quality == RBL_BVH_QUALITY ? 1 : 8);
    }
    if (fault.kind == RBL_SPAN_FINE)
    {
        rbl_fill_boxes(ordering.span, &arrays, jobs);
    }
    return fault;
}

static rblSpanFault check_tree(const ForestPass* pass, uint32_t index, rblJobs* jobs)
{
    rblAabb bounds;
    const rblSpanFault fault = rbl_span_check_vertices(&pass->spans[index], jobs, &bounds);
    return fault.kind == RBL_SPAN_FINE ? rbl_span_check_indices(&pass->spans[index], jobs) : fault;
}

static rblSpanFault refit_tree(const ForestPass* pass, uint32_t index, rblJobs* jobs)
{
    const rblTreeArrays arrays = arrays_of(pass->forest, &pass->forest->trees[index]);
    rbl_fill_boxes(&pass->spans[index], &arrays, jobs);
    return (rblSpanFault){RBL_SPAN_FINE, 0};
}

static void work_on_small_trees(rblRange range, void* context)
{
    const ForestPass* pass = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t leaves = pass->forest->trees[i].layout.leaves;
        pass->faults[i] = (rblSpanFault){RBL_SPAN_FINE, 0};
        if (leaves > 0 && leaves <= RBL_SMALL_TREE)
        {
            pass->faults[i] = pass->work(pass, i, rbl_serial_jobs());
        }
    }
}

// Small trees in parallel, one worker each; then the large ones, all workers on each. With several faulty spans the
// result is that of the first one, for any number of workers.
static rblResult work_on_trees(ForestPass* pass, rblJobs* jobs)
{
    const uint32_t count = pass->forest->tree_count;
    rbl_parallel_for(jobs, count, 1, work_on_small_trees, pass);
    for (uint32_t i = 0; i < count; ++i)
    {
        if (pass->forest->trees[i].layout.leaves > RBL_SMALL_TREE)
        {
            pass->faults[i] = pass->work(pass, i, jobs);
        }
        RBL_TRY(rbl_span_fail(&pass->spans[i], i, pass->faults[i]));
    }
    return RBL_OK;
}

// Divide the scratch block among the arrays of a pass.
static bool reserve_pass(ForestPass* pass, bool building)
{
    rblForest* forest = pass->forest;
    const size_t keys_size = building ? 2 * sizeof(uint64_t) * forest->leaf_count : 0;
    bool large = false;
    for (uint32_t i = 0; i < forest->tree_count; ++i)
    {
        large = large || forest->trees[i].layout.leaves > RBL_SMALL_TREE;
    }
    const size_t counters_size = building && large ? sizeof(uint32_t) * RBL_ORDER_COUNTERS : 0;
    if (!reserve_scratch(forest, keys_size + counters_size + sizeof(rblSpanFault) * forest->tree_count))
    {
        return false;
    }
    char* memory = forest->scratch.memory;
    if (memory == NULL)
    {
        return true; // no trees, no scratch memory
    }
    pass->keys = (uint64_t*)(void*)memory;
    pass->counters = (uint32_t*)(void*)(memory + keys_size);
    pass->faults = (rblSpanFault*)(void*)(memory + keys_size + counters_size);
    return true;
}

static rblResult build_trees(rblForest* forest, const rblTriangleSpan* spans, uint32_t count,
                             rblBvhQuality quality, rblJobs* jobs)
{
    RBL_TRY(reserve_trees(forest, count));
    RBL_TRY(plan_forest(forest, spans, count));
    ForestPass pass = {.forest = forest, .spans = spans, .quality = quality, .work = build_tree};
    return reserve_pass(&pass, true) ? work_on_trees(&pass, jobs) : rbl_fail_memory();
}

rblResult rbl_forest_build(rblForest* forest, const rblTriangleSpan* spans, uint32_t count,
                           rblBvhQuality quality, rblJobs* jobs)
{
    forest->tree_count = 0;
    forest->leaf_count = 0;
    forest->node_count = 0;
    const rblResult result = build_trees(forest, spans, count, quality, jobs);
    if (result != RBL_OK)
    {
        rbl_forest_free(forest);
    }
    return result;
}

static rblResult check_same_shape(const rblForest* forest, const rblTriangleSpan* spans, uint32_t count)
{
    if (count != forest->tree_count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: refit of %u spans, must be %u as in the build", count,
                        forest->tree_count);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (spans[i].triangle_count != forest->trees[i].layout.leaves)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: span %u has %u triangles, must be %u as in the build",
                            i, spans[i].triangle_count, forest->trees[i].layout.leaves);
        }
        if (spans[i].triangle_count > 0)
        {
            RBL_TRY(rbl_span_fail(&spans[i], i, rbl_span_check_form(&spans[i])));
        }
    }
    return RBL_OK;
}

rblResult rbl_forest_refit(rblForest* forest, const rblTriangleSpan* spans, uint32_t count, rblJobs* jobs)
{
    RBL_TRY(check_same_shape(forest, spans, count));
    ForestPass pass = {.forest = forest, .spans = spans, .work = check_tree};
    if (!reserve_pass(&pass, false))
    {
        return rbl_fail_memory();
    }
    RBL_TRY(work_on_trees(&pass, jobs));
    pass.work = refit_tree;
    return work_on_trees(&pass, jobs);
}
