#include "bench/broad_rivals.h"

#include "base/hash_map.h"
#include "base/jobs.h"
#include "bvh/build/radix_sort.h"
#include <string.h>

#define NONE UINT32_MAX

// ---- the set of pairs ----

void rbl_rival_set_init(rblRivalSet* set)
{
    rbl_pair_set_init(&set->pairs, rbl_default_allocator());
    rbl_array_init(&set->found, rbl_default_allocator());
    rbl_array_init(&set->scratch, rbl_default_allocator());
    rbl_array_init(&set->begun, rbl_default_allocator());
    rbl_array_init(&set->ended, rbl_default_allocator());
    rbl_array_init(&set->histograms, rbl_default_allocator());
}

void rbl_rival_set_free(rblRivalSet* set)
{
    rbl_pair_set_free(&set->pairs);
    rbl_array_free(&set->found);
    rbl_array_free(&set->scratch);
    rbl_array_free(&set->begun);
    rbl_array_free(&set->ended);
    rbl_array_free(&set->histograms);
}

static float box_area(rblAabb a)
{
    const rblVec3 size = rbl_aabb_size(a);
    return 2.0f * (size.x * size.y + size.y * size.z + size.z * size.x);
}

static bool every_pair(uint32_t a, uint32_t b, const void* context)
{
    (void)a;
    (void)b;
    (void)context;
    return true;
}

bool rbl_rival_set_merge(rblRivalSet* set, const rblRivalStep* step)
{
    const size_t count = set->found.count;
    if (step->moved_count == 0)
    {
        return true;
    }
    if (!rbl_array_resize(&set->scratch, count) ||
        !rbl_array_resize(&set->histograms, RBL_RADIX_HISTOGRAM_SIZE(1)))
    {
        return false;
    }
    const uint32_t shift = rbl_ceil_log2(step->count);
    for (size_t i = 0; i < count; ++i)
    {
        const uint64_t key = set->found.data[i];
        set->found.data[i] = key >> 32 << shift | (uint32_t)key;
    }
    const rblPairChange change = {.found =
                                      rbl_radix_sort(rbl_serial_jobs(), set->found.data, set->scratch.data,
                                                     (uint32_t)count, 0, 2 * shift, set->histograms.data),
                                  .count = count,
                                  .shift = shift,
                                  .flags = step->is_moved,
                                  .proxies = step->count,
                                  .pending = step->moved,
                                  .pending_count = step->moved_count,
                                  .filter = every_pair};
    return rbl_pair_set_merge(&set->pairs, &change, rbl_serial_jobs(), &set->begun, &set->ended);
}

static bool emit(rblRivalPairs* out, uint32_t a, uint32_t b)
{
    return rbl_array_push(out, rbl_pair_key(a, b));
}

// ---- the dynamic tree ----

void rbl_rival_tree_init(rblRivalTree* tree)
{
    rbl_array_init(&tree->nodes, rbl_default_allocator());
    rbl_array_init(&tree->leaves, rbl_default_allocator());
    rbl_array_init(&tree->stack, rbl_default_allocator());
    tree->root = NONE;
    tree->free_node = NONE;
}

void rbl_rival_tree_free(rblRivalTree* tree)
{
    rbl_array_free(&tree->nodes);
    rbl_array_free(&tree->leaves);
    rbl_array_free(&tree->stack);
}

static bool is_leaf(const rblRivalNode* node)
{
    return node->children[0] == NONE;
}

static uint32_t new_node(rblRivalTree* tree)
{
    const uint32_t node = tree->free_node;
    if (node != NONE)
    {
        tree->free_node = tree->nodes.data[node].parent;
        return node;
    }
    return rbl_array_push(&tree->nodes, (rblRivalNode){0}) ? (uint32_t)tree->nodes.count - 1 : NONE;
}

static float union_area(const rblAabb* a, const rblAabb* b)
{
    return box_area(rbl_aabb_union(*a, *b));
}

// Down to where a new parent costs no more than going on would.
static uint32_t best_sibling(const rblRivalTree* tree, const rblAabb* box)
{
    const rblRivalNode* nodes = tree->nodes.data;
    uint32_t at = tree->root;
    while (!is_leaf(&nodes[at]))
    {
        const float merged = union_area(&nodes[at].box, box);
        const float inherited = merged - box_area(nodes[at].box);
        float cost[2];
        for (int c = 0; c < 2; ++c)
        {
            const rblRivalNode* child = &nodes[nodes[at].children[c]];
            const float with_child = union_area(&child->box, box);
            cost[c] = inherited + (is_leaf(child) ? with_child : with_child - box_area(child->box));
        }
        if (merged < cost[0] && merged < cost[1])
        {
            break;
        }
        at = nodes[at].children[cost[1] < cost[0]];
    }
    return at;
}

// Swap a child with a grandchild on the other side when that makes the other child smaller.
static void rotate(rblRivalTree* tree, uint32_t at)
{
    rblRivalNode* nodes = tree->nodes.data;
    float best = 0.0f;
    int side = -1;
    int lane = 0;
    for (int s = 0; s < 2; ++s)
    {
        const rblRivalNode* near = &nodes[nodes[at].children[s]];
        const rblRivalNode* far = &nodes[nodes[at].children[1 - s]];
        for (int g = 0; g < 2 && !is_leaf(far); ++g)
        {
            const float area = union_area(&near->box, &nodes[far->children[1 - g]].box);
            const float gain = box_area(far->box) - area;
            if (gain > best)
            {
                best = gain;
                side = s;
                lane = g;
            }
        }
    }
    if (side < 0)
    {
        return;
    }
    const uint32_t near = nodes[at].children[side];
    const uint32_t far = nodes[at].children[1 - side];
    const uint32_t grandchild = nodes[far].children[lane];
    nodes[at].children[side] = grandchild;
    nodes[grandchild].parent = at;
    nodes[far].children[lane] = near;
    nodes[near].parent = far;
    nodes[far].box = rbl_aabb_union(nodes[near].box, nodes[nodes[far].children[1 - lane]].box);
}

static void mend_upwards(rblRivalTree* tree, uint32_t at)
{
    rblRivalNode* nodes = tree->nodes.data;
    for (; at != NONE; at = nodes[at].parent)
    {
        nodes[at].box = rbl_aabb_union(nodes[nodes[at].children[0]].box, nodes[nodes[at].children[1]].box);
        rotate(tree, at);
    }
}

static void replace_child(rblRivalTree* tree, uint32_t parent, uint32_t old, uint32_t new_child)
{
    if (parent == NONE)
    {
        tree->root = new_child;
    }
    else
    {
        tree->nodes.data[parent].children[tree->nodes.data[parent].children[1] == old] = new_child;
    }
}

static bool put_in(rblRivalTree* tree, uint32_t leaf)
{
    if (tree->root == NONE)
    {
        tree->root = leaf;
        tree->nodes.data[leaf].parent = NONE;
        return true;
    }
    const uint32_t parent = new_node(tree);
    if (parent == NONE)
    {
        return false;
    }
    rblRivalNode* nodes = tree->nodes.data;
    const uint32_t sibling = best_sibling(tree, &nodes[leaf].box);
    nodes[parent] = (rblRivalNode){.parent = nodes[sibling].parent, .children = {sibling, leaf}};
    replace_child(tree, nodes[sibling].parent, sibling, parent);
    nodes[sibling].parent = parent;
    nodes[leaf].parent = parent;
    mend_upwards(tree, parent);
    return true;
}

static void take_out(rblRivalTree* tree, uint32_t leaf)
{
    rblRivalNode* nodes = tree->nodes.data;
    const uint32_t parent = nodes[leaf].parent;
    if (parent == NONE)
    {
        tree->root = NONE;
        return;
    }
    const uint32_t sibling = nodes[parent].children[nodes[parent].children[0] == leaf];
    const uint32_t above = nodes[parent].parent;
    replace_child(tree, above, parent, sibling);
    nodes[sibling].parent = above;
    nodes[parent].parent = tree->free_node;
    tree->free_node = parent;
    mend_upwards(tree, above);
}

static bool renew_leaf(rblRivalTree* tree, uint32_t proxy, rblAabb box)
{
    uint32_t leaf;
    if (proxy >= tree->leaves.count)
    {
        leaf = new_node(tree);
        if (leaf == NONE || !rbl_array_push(&tree->leaves, leaf))
        {
            return false;
        }
    }
    else
    {
        leaf = tree->leaves.data[proxy];
        take_out(tree, leaf);
    }
    tree->nodes.data[leaf] = (rblRivalNode){.box = box, .children = {NONE, proxy}};
    return put_in(tree, leaf);
}

// Of two new boxes the one with the lower number counts the pair.
static bool count_partners(rblRivalTree* tree, const rblRivalStep* step, uint32_t proxy, rblRivalPairs* out)
{
    const rblAabb box = step->boxes[proxy];
    rbl_array_clear(&tree->stack);
    if (!rbl_array_push(&tree->stack, tree->root))
    {
        return false;
    }
    while (tree->stack.count > 0)
    {
        const rblRivalNode* node = &tree->nodes.data[tree->stack.data[--tree->stack.count]];
        if (!rbl_aabb_overlaps(node->box, box))
        {
            continue;
        }
        if (is_leaf(node))
        {
            const uint32_t other = node->children[1];
            const bool wanted = other != proxy && (other > proxy || step->is_moved[other] == 0);
            if (wanted && !emit(out, proxy, other))
            {
                return false;
            }
            continue;
        }
        if (!rbl_array_push(&tree->stack, node->children[0]) ||
            !rbl_array_push(&tree->stack, node->children[1]))
        {
            return false;
        }
    }
    return true;
}

bool rbl_rival_tree_step(rblRivalTree* tree, const rblRivalStep* step, rblRivalPairs* out)
{
    for (uint32_t i = 0; i < step->moved_count; ++i)
    {
        if (!renew_leaf(tree, step->moved[i], step->boxes[step->moved[i]]))
        {
            return false;
        }
    }
    for (uint32_t i = 0; i < step->moved_count; ++i)
    {
        if (!count_partners(tree, step, step->moved[i], out))
        {
            return false;
        }
    }
    return true;
}

// ---- sort and sweep ----

void rbl_rival_sweep_init(rblRivalSweep* sweep)
{
    rbl_array_init(&sweep->keys, rbl_default_allocator());
    rbl_array_init(&sweep->scratch, rbl_default_allocator());
    rbl_array_init(&sweep->sorted, rbl_default_allocator());
    rbl_array_init(&sweep->histograms, rbl_default_allocator());
}

void rbl_rival_sweep_free(rblRivalSweep* sweep)
{
    rbl_array_free(&sweep->keys);
    rbl_array_free(&sweep->scratch);
    rbl_array_free(&sweep->sorted);
    rbl_array_free(&sweep->histograms);
}

// An unsigned number in the order of the floats.
static uint32_t ordered(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
}

bool rbl_rival_sweep_step(rblRivalSweep* sweep, const rblRivalStep* step, rblRivalPairs* out)
{
    const uint32_t count = step->count;
    if (!rbl_array_resize(&sweep->keys, count) || !rbl_array_resize(&sweep->scratch, count) ||
        !rbl_array_resize(&sweep->sorted, count) ||
        !rbl_array_resize(&sweep->histograms, RBL_RADIX_HISTOGRAM_SIZE(1)))
    {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        sweep->keys.data[i] = (uint64_t)ordered(step->boxes[i].lower.x) << 32 | i;
    }
    const uint64_t* keys = rbl_radix_sort(rbl_serial_jobs(), sweep->keys.data, sweep->scratch.data, count, 32,
                                          32, sweep->histograms.data);
    for (uint32_t i = 0; i < count; ++i)
    {
        sweep->sorted.data[i] = step->boxes[(uint32_t)keys[i]];
    }
    const rblAabb* boxes = sweep->sorted.data;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblAabb a = boxes[i];
        const uint8_t moved = step->is_moved[(uint32_t)keys[i]];
        for (uint32_t k = i + 1; k < count && boxes[k].lower.x <= a.upper.x; ++k)
        {
            const rblAabb* b = &boxes[k];
            const bool overlap = (a.lower.y <= b->upper.y) & (b->lower.y <= a.upper.y) &
                                 (a.lower.z <= b->upper.z) & (b->lower.z <= a.upper.z);
            const bool wanted = overlap && (moved | step->is_moved[(uint32_t)keys[k]]) != 0;
            if (wanted && !emit(out, (uint32_t)keys[i], (uint32_t)keys[k]))
            {
                return false;
            }
        }
    }
    return true;
}

// ---- the binary implicit tree ----

void rbl_rival_forest_init(rblRivalForest* rival)
{
    rbl_forest_init(&rival->forest, rbl_default_allocator());
    rbl_array_init(&rival->corners, rbl_default_allocator());
    rbl_array_init(&rival->found, rbl_default_allocator());
}

void rbl_rival_forest_free(rblRivalForest* rival)
{
    rbl_forest_free(&rival->forest);
    rbl_array_free(&rival->corners);
    rbl_array_free(&rival->found);
}

bool rbl_rival_forest_step(rblRivalForest* rival, const rblRivalStep* step, rblRivalPairs* out)
{
    if (!rbl_array_resize(&rival->corners, 3 * (size_t)step->count))
    {
        return false;
    }
    for (uint32_t i = 0; i < step->count; ++i)
    {
        rival->corners.data[3 * i] = step->boxes[i].lower;
        rival->corners.data[3 * i + 1] = step->boxes[i].upper;
        rival->corners.data[3 * i + 2] = step->boxes[i].upper;
    }
    const rblTriangleSpan span = {.positions = rival->corners.data,
                                  .stride = sizeof(rblVec3),
                                  .vertex_count = 3 * step->count,
                                  .triangle_count = step->count};
    const rblTreePair self = {0, 0};
    const rblOverlapOptions options = rbl_default_overlap_options();
    rbl_array_clear(&rival->found);
    if (rbl_forest_build(&rival->forest, &span, 1, RBL_BVH_FAST, rbl_serial_jobs()) != RBL_OK ||
        rbl_overlap_leaves(&rival->forest, &self, 1, &options, rbl_serial_jobs(), &rival->found, NULL) !=
            RBL_OK)
    {
        return false;
    }
    const uint32_t* order = rival->forest.order;
    for (size_t i = 0; i < rival->found.count; ++i)
    {
        const rblLeafPair pair = rival->found.data[i];
        const uint32_t a = order[pair.leaf_a];
        const uint32_t b = order[pair.leaf_b];
        if ((step->is_moved[a] | step->is_moved[b]) != 0 && !emit(out, a, b))
        {
            return false;
        }
    }
    return true;
}
