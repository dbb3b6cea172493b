// Top-down with the surface area heuristic over bins (Wald 2007), down to single triangles: the quality to be measured
// against. One worker, no tricks.
#include "bench/plain_tree.h"

#include "base/error.h"
#include "base/memory.h"
#include "bvh/leaves.h"
#include "math/vec.h"

#define BINS      32
#define MAX_DEPTH 96 // below it nodes are halved, so that the recursion ends

typedef struct Item
{
    rblAabb box;
    uint32_t triangle;
} Item;

typedef struct Bin
{
    rblAabb box;
    uint32_t count;
} Bin;

typedef struct Binned
{
    Item* items;
    rblPlainNode* nodes;
    uint32_t node_count;
} Binned;

typedef struct Split
{
    int axis; // -1: none
    uint32_t bin;
    double cost;
} Split;

static const rblAabb nothing = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void grow(rblAabb* box, const rblAabb* by)
{
    box->lower = rbl_min3(box->lower, by->lower);
    box->upper = rbl_max3(box->upper, by->upper);
}

static double half_area(const rblAabb* box)
{
    const rblVec3d size = rbl_sub3d(rbl_to_double3(box->upper), rbl_to_double3(box->lower));
    return size.x * size.y + size.y * size.z + size.z * size.x;
}

static double twice_center(const rblAabb* box, int axis)
{
    return (double)(&box->lower.x)[axis] + (double)(&box->upper.x)[axis];
}

typedef struct BinMap
{
    double low;
    double scale;
    int axis;
} BinMap;

static uint32_t bin_of(const BinMap* map, const Item* item)
{
    const uint32_t bin = (uint32_t)((twice_center(&item->box, map->axis) - map->low) * map->scale);
    return bin < BINS ? bin : BINS - 1;
}

static bool map_bins(const Item* items, uint32_t count, int axis, BinMap* out)
{
    double low = INFINITY;
    double high = -INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double x = twice_center(&items[i].box, axis);
        low = x < low ? x : low;
        high = x > high ? x : high;
    }
    *out = (BinMap){low, BINS / (high - low), axis};
    return high > low && out->scale < (double)INFINITY;
}

// The cheapest border between two bins of one axis, if it beats the best so far.
static void try_axis(const Item* items, uint32_t count, const BinMap* map, Split* best)
{
    Bin bins[BINS];
    for (uint32_t b = 0; b < BINS; ++b)
    {
        bins[b] = (Bin){nothing, 0};
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        Bin* bin = &bins[bin_of(map, &items[i])];
        grow(&bin->box, &items[i].box);
        bin->count += 1;
    }
    double right_costs[BINS];
    Bin right = {nothing, 0};
    for (uint32_t b = BINS - 1; b > 0; --b)
    {
        grow(&right.box, &bins[b].box);
        right.count += bins[b].count;
        right_costs[b] = right.count > 0 ? half_area(&right.box) * right.count : (double)INFINITY;
    }
    Bin left = {nothing, 0};
    for (uint32_t b = 1; b < BINS; ++b)
    {
        grow(&left.box, &bins[b - 1].box);
        left.count += bins[b - 1].count;
        const double cost =
            left.count > 0 ? half_area(&left.box) * left.count + right_costs[b] : (double)INFINITY;
        if (cost < best->cost)
        {
            *best = (Split){map->axis, b, cost};
        }
    }
}

// How many items go left; they are moved to the front.
static uint32_t part(Item* items, uint32_t count, uint32_t depth)
{
    Split best = {-1, 0, (double)INFINITY};
    for (int axis = 0; axis < 3 && depth < MAX_DEPTH; ++axis)
    {
        BinMap map;
        if (map_bins(items, count, axis, &map))
        {
            try_axis(items, count, &map, &best);
        }
    }
    if (best.axis < 0)
    {
        return count / 2;
    }
    BinMap map;
    (void)map_bins(items, count, best.axis, &map);
    uint32_t left = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (bin_of(&map, &items[i]) < best.bin)
        {
            const Item swap = items[left];
            items[left++] = items[i];
            items[i] = swap;
        }
    }
    return left;
}

static uint32_t build_node(Binned* tree, uint32_t begin, uint32_t count,
                           uint32_t depth) // NOLINT(misc-no-recursion)
{
    const uint32_t index = tree->node_count++;
    rblPlainNode* node = &tree->nodes[index];
    if (count == 1)
    {
        *node = (rblPlainNode){tree->items[begin].box, tree->items[begin].triangle, RBL_PLAIN_LEAF};
        return index;
    }
    const uint32_t left = part(tree->items + begin, count, depth);
    node->left = build_node(tree, begin, left, depth + 1);
    node->right = build_node(tree, begin + left, count - left, depth + 1);
    node->box = tree->nodes[node->left].box;
    grow(&node->box, &tree->nodes[node->right].box);
    return index;
}

rblResult rbl_binned_build(const rblTriangleSpan* span, rblPlainTree* out)
{
    rblPlainTree tree;
    RBL_TRY(rbl_plain_tree_create(span->triangle_count, &tree));
    Item* items = RBL_NEW_ARRAY(rbl_default_allocator(), Item, span->triangle_count);
    if (items == NULL)
    {
        rbl_plain_tree_free(&tree);
        return rbl_fail_memory();
    }
    for (uint32_t t = 0; t < span->triangle_count; ++t)
    {
        rblLeafTriangle corners;
        rbl_box4_store(&items[t].box, rbl_span_triangle(span, t, &corners));
        items[t].triangle = t;
    }
    Binned binned = {items, tree.nodes, 0};
    build_node(&binned, 0, span->triangle_count, 0);
    RBL_FREE_ARRAY(rbl_default_allocator(), items, span->triangle_count);
    *out = tree;
    return RBL_OK;
}
