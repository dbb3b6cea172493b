#include "base/error.h"
#include "bvh/group.h"
#include "bvh/leaves.h"
#include "bvh/order.h"
#include "bvh/radix_sort.h"
#include "math/morton.h"
#include "math/vec.h"
#include <string.h>

#define MIN_RANGE         4096
#define PREFETCH_INDICES  24 // leaves ahead; measured on 1M triangles, where the gather waits for memory
#define PREFETCH_VERTICES 10
#define SMALL_TREE        32768   // up to this many leaves a tree is built by one worker, beside the others
#define SHORT_CODE_LIMIT  2000000 // from this many triangles on a 30-bit code is too coarse

// One tree under construction.
typedef struct Build
{
    rblForest* forest;
    const rblTriangleSpan* span;
    rblTree* tree;
    rblJobs* jobs;
    rblAabb bounds;
    rblFloat4 origin;     // of the centroid grid: twice the lower corner
    rblFloat4 scale;      // grid steps per metre of twice the centroid
    uint32_t axis_bits;   // of the grid
    uint32_t index_bits;  // low bits of a packed key
    uint64_t* items;      // packed keys: code << index_bits | triangle
    uint32_t* histograms; // for this worker
    rblLeafKey* keys;
    uint32_t level;
} Build;

// ---- keys ----

// One scale for all axes, so that "longest" means the same in grid steps as in metres.
static void choose_grid(Build* build, uint32_t axis_bits)
{
    const rblVec3 size = rbl_sub3(build->bounds.upper, build->bounds.lower);
    const float longest = rbl_maxf(size.x, rbl_maxf(size.y, size.z));
    // A denormal size would make the scale infinite; such a mesh is a point as far as order goes.
    const float scale = longest > 1e-30f ? (float)(1u << axis_bits) * 0.5f / longest : 0.0f;
    build->axis_bits = axis_bits;
    build->origin = rbl_mul4(rbl_load3(&build->bounds.lower.x), rbl_splat4(2.0f));
    build->scale = rbl_splat4(scale);
}

// Twice the centroid of the triangle's box, in grid steps: dividing by two is left to the scale.
static inline rblInt4 quantise(const Build* build, uint32_t triangle)
{
    rblLeafTriangle corners;
    const rblBox4 box = rbl_span_triangle(build->span, triangle, &corners);
    const rblFloat4 twice = rbl_add4(box.lower, box.upper);
    const rblFloat4 highest = rbl_splat4((float)((1u << build->axis_bits) - 1));
    const rblFloat4 steps = rbl_mul4(rbl_sub4(twice, build->origin), build->scale);
    return rbl_truncate4(rbl_min4(rbl_max4(steps, rbl_splat4(0.0f)), highest));
}

// 30-bit codes, the three axes spread side by side; rbl_morton30 would take them one by one.
static void make_short_codes(rblRange range, void* context)
{
    const Build* build = context;
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        rblInt4 spread = quantise(build, t);
        spread = rbl_spread_step4(spread, 16, 0x030000FFu);
        spread = rbl_spread_step4(spread, 8, 0x0300F00Fu);
        spread = rbl_spread_step4(spread, 4, 0x030C30C3u);
        spread = rbl_spread_step4(spread, 2, 0x09249249u);
        uint32_t q[4];
        rbl_store_int4(q, spread);
        build->items[t] = (uint64_t)(q[0] | q[1] << 1 | q[2] << 2) << build->index_bits | t;
    }
}

static void make_long_codes(rblRange range, void* context)
{
    const Build* build = context;
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        uint32_t q[4];
        rbl_store_int4(q, quantise(build, t));
        build->items[t] = rbl_morton63(q[0], q[1], q[2]) << build->index_bits | t;
    }
}

static void make_keys(rblRange range, void* context)
{
    const Build* build = context;
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        uint32_t q[4];
        rbl_store_int4(q, quantise(build, t));
        build->keys[t] = (rblLeafKey){{(uint16_t)q[0], (uint16_t)q[1], (uint16_t)q[2]}, 0, t};
    }
}

// Morton order. The code is as wide as fits into 64 bits beside the index: 30 bits for most, up to 63 for few.
static void order_fast(Build* build)
{
    const uint32_t count = build->tree->layout.leaves;
    build->index_bits = rbl_ceil_log2(count);
    const uint32_t room = (64 - build->index_bits) / 3;
    choose_grid(build, count < SHORT_CODE_LIMIT ? 10 : (room < 21 ? room : 21));
    rbl_parallel_for(build->jobs, count, MIN_RANGE,
                     count < SHORT_CODE_LIMIT ? make_short_codes : make_long_codes, build);
    const uint64_t* sorted = rbl_radix_sort(build->jobs, build->items, build->items + count, count,
                                            build->index_bits, 3 * build->axis_bits, build->histograms);
    uint32_t* order = build->forest->order + build->tree->first_leaf;
    const uint32_t mask = (1u << build->index_bits) - 1;
    for (uint32_t i = 0; i < count; ++i)
    {
        order[i] = (uint32_t)sorted[i] & mask;
    }
}

static void order_well(Build* build, uint32_t smallest)
{
    const uint32_t count = build->tree->layout.leaves;
    choose_grid(build, 16);
    rbl_parallel_for(build->jobs, count, MIN_RANGE, make_keys, build);
    rbl_order_top_down(build->jobs, &build->tree->layout, build->keys, build->keys + count, smallest,
                       build->forest->order + build->tree->first_leaf);
}

// ---- boxes ----

static void fill_leaves(rblRange range, void* context)
{
    Build* build = context;
    const uint32_t* order = build->forest->order + build->tree->first_leaf;
    rblLeafTriangle* triangles = build->forest->triangles + build->tree->first_leaf;
    rblAabb* leaves = build->forest->nodes + build->tree->first_node +
                      rbl_tree_level_start(&build->tree->layout, build->tree->layout.leaf_level);
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        if (i + PREFETCH_INDICES < range.end)
        {
            rbl_span_prefetch_indices(build->span, order[i + PREFETCH_INDICES]);
            rbl_span_prefetch_vertices(build->span, order[i + PREFETCH_VERTICES]);
        }
        rbl_box4_store(&leaves[i], rbl_span_triangle(build->span, order[i], &triangles[i]));
    }
}

static void merge_children(rblRange range, void* context)
{
    Build* build = context;
    const rblTreeLayout* layout = &build->tree->layout;
    rblAabb* nodes = build->forest->nodes + build->tree->first_node;
    rblAabb* parents = nodes + rbl_tree_level_start(layout, build->level);
    const rblAabb* children = nodes + rbl_tree_level_start(layout, build->level + 1);
    const uint32_t child_count = rbl_tree_real_on_level(layout, build->level + 1);
    const uint32_t pairs = child_count / 2 < range.end ? child_count / 2 : range.end;
    for (uint32_t i = range.begin; i < pairs; ++i)
    {
        rbl_box4_store(&parents[i],
                       rbl_box4_merge(rbl_box4_load(&children[2 * i]), rbl_box4_load(&children[2 * i + 1])));
    }
    if (range.end > pairs) // the last node of a level may have one child
    {
        parents[range.end - 1] = children[2 * (range.end - 1)];
    }
}

static void fill_boxes(Build* build)
{
    const rblTreeLayout* layout = &build->tree->layout;
    rbl_parallel_for(build->jobs, layout->leaves, MIN_RANGE, fill_leaves, build);
    for (build->level = layout->leaf_level; build->level-- > 0;)
    {
        rbl_parallel_for(build->jobs, rbl_tree_real_on_level(layout, build->level), MIN_RANGE, merge_children,
                         build);
    }
}

// ---- the forest ----

void rbl_forest_init(rblForest* forest, const rblAllocator* allocator)
{
    *forest = (rblForest){.allocator = allocator};
}

static void free_scratch(rblForest* forest)
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
    free_scratch(forest);
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

// Arrays of at least this size; what is too small is replaced, its content is not kept.
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

// Room for keys of all leaves (two buffers) and for one histogram per worker, in one block.
static bool reserve_scratch(rblForest* forest, size_t key_bytes, size_t histogram_bytes)
{
    const size_t size = key_bytes + histogram_bytes;
    if (forest->scratch.size < size)
    {
        free_scratch(forest);
        forest->scratch.memory = rbl_alloc(forest->allocator, size);
        forest->scratch.size = forest->scratch.memory != NULL ? size : 0;
    }
    return forest->scratch.memory != NULL || size == 0;
}

// Lay the trees out one behind the other.
static rblResult plan_forest(rblForest* forest, const rblTriangleSpan* spans, uint32_t count)
{
    uint64_t leaves = 0;
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        rblTree* tree = &forest->trees[i];
        *tree = (rblTree){.first_node = (uint32_t)nodes, .first_leaf = (uint32_t)leaves};
        if (spans[i].triangle_count > 0 && spans[i].triangle_count <= RBL_MAX_LEAVES)
        {
            tree->layout = rbl_tree_layout(spans[i].triangle_count);
            nodes += rbl_tree_node_count(&tree->layout);
        }
        leaves += spans[i].triangle_count;
        if (leaves > RBL_MAX_LEAVES)
        {
            return rbl_fail(RBL_ERROR_LIMIT, "span %u: more than 2^30 triangles in all", i);
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

// What all trees of one build share.
typedef struct ForestBuild
{
    rblForest* forest;
    const rblTriangleSpan* spans;
    rblBvhQuality quality;
    bool refit;
    rblAabb* bounds; // per span
    char* keys;      // two buffers of key_size bytes per leaf
    size_t key_size;
    uint32_t* histograms; // per worker
} ForestBuild;

static void build_tree(const ForestBuild* all, uint32_t index, rblJobs* jobs, uint32_t worker)
{
    rblTree* tree = &all->forest->trees[index];
    if (tree->layout.leaves == 0)
    {
        return;
    }
    Build build = {.forest = all->forest, .span = &all->spans[index], .tree = tree, .jobs = jobs};
    if (!all->refit)
    {
        char* keys = all->keys + 2 * all->key_size * tree->first_leaf;
        build.bounds = all->bounds[index];
        build.items = (uint64_t*)(void*)keys;
        build.keys = (rblLeafKey*)(void*)keys;
        build.histograms = all->histograms + worker * RBL_RADIX_HISTOGRAM_SIZE(1);
        if (all->quality == RBL_BVH_FAST)
        {
            order_fast(&build);
        }
        else
        {
            order_well(&build, all->quality == RBL_BVH_QUALITY ? 1 : 8);
        }
    }
    fill_boxes(&build);
}

static void build_small_trees(rblRange range, void* context)
{
    const ForestBuild* all = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        if (all->forest->trees[i].layout.leaves <= SMALL_TREE)
        {
            build_tree(all, i, rbl_serial_jobs(), range.worker);
        }
    }
}

static void build_all_trees(ForestBuild* all, rblJobs* jobs)
{
    rbl_parallel_for(jobs, all->forest->tree_count, 1, build_small_trees, all);
    for (uint32_t i = 0; i < all->forest->tree_count; ++i)
    {
        if (all->forest->trees[i].layout.leaves > SMALL_TREE)
        {
            build_tree(all, i, jobs, 0);
        }
    }
}

static rblResult check_spans(const ForestBuild* all, rblJobs* jobs)
{
    for (uint32_t i = 0; i < all->forest->tree_count; ++i)
    {
        if (all->spans[i].triangle_count > 0)
        {
            RBL_TRY(rbl_span_check(&all->spans[i], i, jobs, &all->bounds[i]));
        }
    }
    return RBL_OK;
}

static rblResult run_build(rblForest* forest, ForestBuild* all, rblJobs* jobs)
{
    const size_t bounds_size = (sizeof(rblAabb) * forest->tree_count + 15) & ~(size_t)15;
    const size_t keys_size = all->refit ? 0 : 2 * all->key_size * forest->leaf_count;
    const size_t histogram_size = sizeof(uint32_t) * RBL_RADIX_HISTOGRAM_SIZE(rbl_jobs_worker_count(jobs));
    if (!reserve_scratch(forest, bounds_size + keys_size, histogram_size))
    {
        return rbl_fail_memory();
    }
    char* memory = forest->scratch.memory;
    all->bounds = (rblAabb*)(void*)memory;
    all->histograms = (uint32_t*)(void*)(memory + bounds_size);
    all->keys = memory + bounds_size + histogram_size;
    RBL_TRY(check_spans(all, jobs));
    build_all_trees(all, jobs);
    return RBL_OK;
}

static void clear_forest(rblForest* forest)
{
    forest->tree_count = 0;
    forest->leaf_count = 0;
    forest->node_count = 0;
}

rblResult rbl_forest_build(rblForest* forest, const rblTriangleSpan* spans, uint32_t count,
                           rblBvhQuality quality, rblJobs* jobs)
{
    clear_forest(forest);
    rblResult result = reserve_trees(forest, count);
    if (result == RBL_OK)
    {
        result = plan_forest(forest, spans, count);
    }
    if (result == RBL_OK)
    {
        ForestBuild all = {.forest = forest, .spans = spans, .quality = quality};
        all.key_size = quality == RBL_BVH_FAST ? sizeof(uint64_t) : sizeof(rblLeafKey);
        result = run_build(forest, &all, jobs);
    }
    if (result != RBL_OK)
    {
        rbl_forest_free(forest);
    }
    return result;
}

rblResult rbl_forest_refit(rblForest* forest, const rblTriangleSpan* spans, uint32_t count, rblJobs* jobs)
{
    if (count != forest->tree_count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "refit: %u spans, but %u trees were built", count,
                        forest->tree_count);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (spans[i].triangle_count != forest->trees[i].layout.leaves)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "refit: span %u has %u triangles, built with %u", i,
                            spans[i].triangle_count, forest->trees[i].layout.leaves);
        }
    }
    ForestBuild all = {.forest = forest, .spans = spans, .refit = true};
    return run_build(forest, &all, jobs);
}
