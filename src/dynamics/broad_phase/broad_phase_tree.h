// A tree of boxes without pointers, made to be bent and rebuilt: what the broad phase keeps its proxies in.
//
// Leaves stand in one row, four to a group; the boxes of the groups are the next row, four to a group, and so on up to one
// group, the root. A node's children follow from its place (the implicit layout of Chitalu 2020, ch. 3, with arity 4 and
// every level complete to the left), and the four boxes of a group lie side by side in registers' order. Lanes without a box
// hold the empty box, which overlaps nothing, so that no loop asks how many are there.
//
// The tree is fit for queries after every call: leaves may be added at the end, emptied, or given new boxes at any time. All
// that makes it slower; a rebuild puts the leaves in a new order.
#ifndef RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_TREE_H
#define RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_TREE_H

#include "base/bits.h"
#include "base/jobs.h"
#include "bvh/group.h"
#include "math/aabb.h"
#include "rubble/bvh.h"
#include <float.h>

#define RBL_NO_PROXY    UINT32_MAX
#define RBL_TREE_LEVELS 16 // enough for 2^30 leaves in groups of four

// Four boxes, axis by axis.
typedef struct rblBoxes4
{
    float lower_x[4], lower_y[4], lower_z[4];
    float upper_x[4], upper_y[4], upper_z[4];
} rblBoxes4;

typedef struct rblProxyTree
{
    const rblAllocator* allocator;
    rblBoxes4* groups;                     // level by level, the leaves first
    uint32_t level_start[RBL_TREE_LEVELS]; // first group of a level
    uint32_t level_count;                  // the last level is one group
    uint32_t capacity;                     // leaves, a multiple of four
    uint32_t count;                        // leaves in use or emptied
    uint32_t live;                         // leaves in use
    uint32_t* proxies;                     // per leaf; RBL_NO_PROXY when empty
    uint8_t* marks;                        // per group of leaves: a bit for each leaf to be looked at again
    uint32_t marked;                       // how many of these bits are set
    double built_cost;                     // rbl_proxy_tree_cost() after the last rebuild
    uint32_t changes;                      // leaves added, emptied or moved since the cost was last looked at
} rblProxyTree;

void rbl_proxy_tree_init(rblProxyTree* tree, const rblAllocator* allocator);
void rbl_proxy_tree_free(rblProxyTree* tree);

// Room for so many leaves. False when out of memory, the tree unchanged.
bool rbl_proxy_tree_reserve(rblProxyTree* tree, uint32_t leaves);

// A new leaf behind the last one, not marked; there must be room. Returns its place.
uint32_t rbl_proxy_tree_append(rblProxyTree* tree, uint32_t proxy, rblAabb box);

// Change one leaf, and the boxes above it.
void rbl_proxy_tree_empty_leaf(rblProxyTree* tree, uint32_t leaf);
void rbl_proxy_tree_set_leaf(rblProxyTree* tree, uint32_t leaf, rblAabb box);
void rbl_proxy_tree_mark(rblProxyTree* tree, uint32_t leaf);

// A leaf is marked when flags[proxy] & mark. Refit gives these leaves the boxes of their proxies and leaves the others;
// refill gives all leaves theirs and empties every lane behind the last leaf: what a new order of leaves needs.
void rbl_proxy_tree_refill(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                           rblJobs* jobs);
void rbl_proxy_tree_refit(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                          rblJobs* jobs);

void rbl_proxy_tree_clear_marks(rblProxyTree* tree);

// How much a query costs, up to a factor: the half perimeters of the boxes of groups of leaves, for each
// live leaf.
double rbl_proxy_tree_cost(const rblProxyTree* tree);

// Scratch of rebuilds, to be shared by trees and kept.
typedef struct rblTreeScratch
{
    void* memory;
    size_t size;
} rblTreeScratch;

// Close the gaps and order the leaves anew; `leaves` (per proxy) is updated. Only proxies with finite boxes. The order
// depends on the boxes and on the order before, not on the number of workers. False when out of memory, nothing changed.
bool rbl_proxy_tree_rebuild(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                            uint32_t* leaves, rblTreeScratch* scratch, rblJobs* jobs);

// The first group of leaves with a wrong box, proxy or parent, for tests; UINT32_MAX when all is well.
uint32_t rbl_proxy_tree_find_fault(const rblProxyTree* tree, const rblAabb* boxes, const uint32_t* leaves);

// ---- looking at groups ----

static inline rblBoxGroup rbl_boxes4_load(const rblBoxes4* g)
{
    return (rblBoxGroup){rbl_load4(g->lower_x), rbl_load4(g->lower_y), rbl_load4(g->lower_z),
                         rbl_load4(g->upper_x), rbl_load4(g->upper_y), rbl_load4(g->upper_z)};
}

static inline rblBoxGroup rbl_box_splat(const rblAabb* box)
{
    return (rblBoxGroup){rbl_splat4(box->lower.x), rbl_splat4(box->lower.y), rbl_splat4(box->lower.z),
                         rbl_splat4(box->upper.x), rbl_splat4(box->upper.y), rbl_splat4(box->upper.z)};
}

// The same with infinite sides cut to the largest finite ones, to walk a tree with: an empty lane is inside out by infinities,
// and an infinite box would meet it.
static inline float rbl_cut_infinite(float x)
{
    const float low = x < -FLT_MAX ? -FLT_MAX : x; // NaN stays
    return low > FLT_MAX ? FLT_MAX : low;
}

static inline rblBoxGroup rbl_box_splat_finite(const rblAabb* box)
{
    const rblAabb cut = {
        {rbl_cut_infinite(box->lower.x), rbl_cut_infinite(box->lower.y), rbl_cut_infinite(box->lower.z)},
        {rbl_cut_infinite(box->upper.x), rbl_cut_infinite(box->upper.y), rbl_cut_infinite(box->upper.z)}};
    return rbl_box_splat(&cut);
}

// Lane by lane: which boxes overlap, touching included.
static inline uint32_t rbl_groups_overlap(const rblBoxGroup* a, const rblBoxGroup* b)
{
    const rblFloat4 x =
        rbl_and4(rbl_less_equal4(a->lower_x, b->upper_x), rbl_less_equal4(b->lower_x, a->upper_x));
    const rblFloat4 y =
        rbl_and4(rbl_less_equal4(a->lower_y, b->upper_y), rbl_less_equal4(b->lower_y, a->upper_y));
    const rblFloat4 z =
        rbl_and4(rbl_less_equal4(a->lower_z, b->upper_z), rbl_less_equal4(b->lower_z, a->upper_z));
    return rbl_mask4(rbl_and4(rbl_and4(x, y), z));
}

static inline uint32_t rbl_first_lane(uint32_t mask)
{
    return rbl_floor_log2(mask & (0u - mask));
}

// A group still to be looked into. A walk that takes the last one first leaves at most three behind on each level.
typedef struct rblGroupIndex
{
    uint32_t level, group;
} rblGroupIndex;

#define RBL_TREE_STACK (3 * RBL_TREE_LEVELS + 4)

#endif
