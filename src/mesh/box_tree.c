#include "mesh/box_tree.h"

#include "base/error.h"
#include "base/random.h"
#include "math/aabb.h"

#define LEAF_SIZE 4u

struct rblBoxNode
{
    rblAabbd box;
    uint32_t after; // the node that follows when this one is missed
    uint32_t begin; // items of a leaf; none in an inner node
    uint32_t count;
};

static double center_along(const rblBoxTree* tree, uint32_t item, uint32_t axis)
{
    const rblVec3d center = rbl_aabbd_center(tree->boxes[item]);
    return axis == 0 ? center.x : (axis == 1 ? center.y : center.z);
}

// A total order, so that equal centres are told apart by number.
static bool comes_before(const rblBoxTree* tree, uint32_t a, uint32_t b, uint32_t axis)
{
    const double ca = center_along(tree, a, axis);
    const double cb = center_along(tree, b, axis);
    return ca < cb || (ca == cb && a < b);
}

static uint32_t longest_axis(const rblBoxTree* tree, uint32_t begin, uint32_t end)
{
    rblVec3d lower = rbl_aabbd_center(tree->boxes[tree->items[begin]]);
    rblVec3d upper = lower;
    for (uint32_t i = begin + 1; i < end; ++i)
    {
        const rblVec3d center = rbl_aabbd_center(tree->boxes[tree->items[i]]);
        lower = rbl_min3d(center, lower);
        upper = rbl_max3d(center, upper);
    }
    // Halved: the span of all finite numbers is not one.
    const rblVec3d size = rbl_sub3d(rbl_scale3d(upper, 0.5), rbl_scale3d(lower, 0.5));
    return size.x >= size.y ? (size.x >= size.z ? 0 : 2) : (size.y >= size.z ? 1 : 2);
}

// Quickselect: afterwards items[begin .. middle) come before items[middle .. end). Pivots are drawn, so that no
// arrangement likely to occur is slow, with a fixed seed, so that every run draws the same.
static void split(rblBoxTree* tree, uint32_t begin, uint32_t middle, uint32_t end, uint32_t axis,
                  rblRandom* random)
{
    uint32_t* items = tree->items;
    while (end - begin > 1)
    {
        const uint32_t pivot = items[begin + rbl_random_below(random, end - begin)];
        uint32_t low = begin;
        uint32_t high = end - 1;
        for (;;)
        {
            while (comes_before(tree, items[low], pivot, axis))
            {
                low += 1;
            }
            while (comes_before(tree, pivot, items[high], axis))
            {
                high -= 1;
            }
            if (low >= high)
            {
                break;
            }
            const uint32_t swap = items[low];
            items[low++] = items[high];
            items[high--] = swap;
        }
        // items[begin .. low) are at most the pivot, items[low .. end) at least.
        if (low == begin) // the pivot came first: it alone is in order now
        {
            low += 1;
        }
        if (middle < low)
        {
            end = low;
        }
        else
        {
            begin = low;
        }
    }
}

static uint32_t build(rblBoxTree* tree, uint32_t begin, uint32_t end, rblRandom* random)
{
    const uint32_t index = tree->node_count++;
    rblBoxNode* node = &tree->nodes[index];
    if (end - begin <= LEAF_SIZE)
    {
        *node = (rblBoxNode){tree->boxes[tree->items[begin]], tree->node_count, begin, end - begin};
        for (uint32_t i = begin + 1; i < end; ++i)
        {
            node->box = rbl_aabbd_union(node->box, tree->boxes[tree->items[i]]);
        }
        return index;
    }
    const uint32_t middle = begin + (end - begin) / 2;
    split(tree, begin, middle, end, longest_axis(tree, begin, end), random);
    const rblAabbd left = tree->nodes[build(tree, begin, middle, random)].box;
    const rblAabbd right = tree->nodes[build(tree, middle, end, random)].box;
    *node = (rblBoxNode){rbl_aabbd_union(left, right), tree->node_count, 0, 0};
    return index;
}

rblResult rbl_box_tree_init(rblBoxTree* tree, const rblAabbd* boxes, uint32_t count,
                            const rblAllocator* allocator)
{
    *tree = (rblBoxTree){.boxes = boxes, .allocator = allocator};
    for (uint32_t i = 0; i < count; ++i)
    {
        tree->item_capacity += !rbl_aabbd_is_empty(boxes[i]);
    }
    // Every leaf holds at least half of LEAF_SIZE items, but for a tree of one leaf.
    tree->node_capacity = tree->item_capacity > 0 ? tree->item_capacity / (LEAF_SIZE / 2) * 2 + 1 : 0;
    tree->items = RBL_NEW_ARRAY(allocator, uint32_t, tree->item_capacity);
    tree->nodes = RBL_NEW_ARRAY(allocator, rblBoxNode, tree->node_capacity);
    if (tree->item_capacity > 0 && (tree->items == NULL || tree->nodes == NULL))
    {
        rbl_box_tree_free(tree);
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!rbl_aabbd_is_empty(boxes[i]))
        {
            tree->items[tree->item_count++] = i;
        }
    }
    if (tree->item_count > 0)
    {
        rblRandom random = rbl_random_seed(1, 1);
        build(tree, 0, tree->item_count, &random);
    }
    return RBL_OK;
}

void rbl_box_tree_free(rblBoxTree* tree)
{
    RBL_FREE_ARRAY(tree->allocator, tree->items, tree->item_capacity);
    RBL_FREE_ARRAY(tree->allocator, tree->nodes, tree->node_capacity);
    *tree = (rblBoxTree){.allocator = tree->allocator};
}

void rbl_box_tree_query(const rblBoxTree* tree, const rblAabbd* box, rblBoxFcn* fcn, void* context)
{
    uint32_t index = 0;
    while (index < tree->node_count)
    {
        const rblBoxNode* node = &tree->nodes[index];
        if (!rbl_aabbd_overlaps(node->box, *box))
        {
            index = node->after;
            continue;
        }
        for (uint32_t i = node->begin; i < node->begin + node->count; ++i)
        {
            const uint32_t item = tree->items[i];
            if (rbl_aabbd_overlaps(tree->boxes[item], *box) && !fcn(item, context))
            {
                return;
            }
        }
        index += 1;
    }
}
