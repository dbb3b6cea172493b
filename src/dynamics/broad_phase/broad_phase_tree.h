// A tree of boxes without pointers, for proxies of the broad phase. Leaves can change at any time, and the tree can be rebuilt.
//
// Leaves are stored in one array, four per group. The boxes of the groups are the next level, again four per group, up to the
// root, which is one group. The indices of the children of a node follow from its own index: the implicit layout of Chitalu
// 2020, chapter 3, with four children per node and every level filled from the left. The four boxes of a group are stored axis
// by axis, as SIMD registers load them. Unused lanes contain the empty box, which overlaps nothing, so that loops need no
// counts.
//
// Queries are valid after every call: leaves can be added at the end, emptied, or get new boxes at any time. All these changes
// make queries slower; a rebuild sorts the leaves again.
#ifndef RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_TREE_H
#define RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_TREE_H

#include "base/array.h"
#include "base/bits.h"
#include "base/jobs.h"
#include "bvh/group.h"
#include "math/aabb.h"
#include "rubble/bvh.h"
#include <float.h>

#define RBL_NO_PROXY    UINT32_MAX
#define RBL_TREE_LEVELS 16 // enough for 2^30 leaves in groups of four

// Four boxes, stored axis by axis.
typedef struct rblBoxes4
{
    float lower_x[4], lower_y[4], lower_z[4];
    float upper_x[4], upper_y[4], upper_z[4];
} rblBoxes4;

typedef struct rblProxyTree
{
    const rblAllocator* allocator;
    rblBoxes4* groups;                     // all levels, the leaves first
    uint32_t level_start[RBL_TREE_LEVELS]; // first group of a level
    uint32_t level_count;                  // the last level has one group
    uint32_t capacity;                     // number of leaves, a multiple of four
    uint32_t count;                        // number of leaves in use or emptied
    uint32_t live;                         // number of leaves in use
    uint32_t* proxies;                     // by leaf; RBL_NO_PROXY: empty
    uint8_t* marks;    // by group of leaves: one bit per leaf whose proxy searches for pairs
    uint32_t marked;   // number of these bits that are set
    double built_cost; // rbl_proxy_tree_cost() after the last rebuild
    uint32_t changes;  // number of leaves added, emptied or moved since the cost was last computed
} rblProxyTree;

void rbl_proxy_tree_init(rblProxyTree* tree, const rblAllocator* allocator);
void rbl_proxy_tree_free(rblProxyTree* tree);

// Reserve memory for a number of leaves. False when out of memory; the tree is then unchanged.
bool rbl_proxy_tree_reserve(rblProxyTree* tree, uint32_t leaves);

// Add an unmarked leaf after the last one. The capacity must be reserved. Returns its index.
uint32_t rbl_proxy_tree_append(rblProxyTree* tree, uint32_t proxy, rblAabb box);

// Change one leaf, and the boxes of its ancestors.
void rbl_proxy_tree_empty_leaf(rblProxyTree* tree, uint32_t leaf);
void rbl_proxy_tree_set_leaf(rblProxyTree* tree, uint32_t leaf, rblAabb box);
void rbl_proxy_tree_mark(rblProxyTree* tree, uint32_t leaf);

// A leaf is marked when flags[proxy] & mark. Refit sets the boxes of marked leaves only. Refill sets the boxes of all leaves
// and clears the lanes after the last leaf, as needed after a new order of leaves.
void rbl_proxy_tree_refill(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                           rblJobs* jobs);
void rbl_proxy_tree_refit(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                          rblJobs* jobs);

void rbl_proxy_tree_clear_marks(rblProxyTree* tree);

// List the runs of so many groups of leaves that have a mark; `run` divides 8. False when out of memory.
bool rbl_proxy_tree_list_marked(const rblProxyTree* tree, uint32_t run, rblIndexArray* out);

// A relative cost of queries: the sum of the half perimeters of the boxes of the groups of leaves, per leaf in use.
double rbl_proxy_tree_cost(const rblProxyTree* tree);

// Working memory of rebuilds, shared by the trees.
typedef struct rblTreeScratch
{
    void* memory;
    size_t size;
} rblTreeScratch;

// Remove empty leaves and sort the leaves; `leaves` (by proxy) is updated. All boxes must be finite. The order depends on the
// boxes and on the order before, not on the number of workers. False when out of memory; nothing is then changed.
bool rbl_proxy_tree_rebuild(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                            uint32_t* leaves, rblTreeScratch* scratch, rblJobs* jobs);

// The first group of leaves with a wrong box, proxy or parent, for tests; UINT32_MAX: none.
uint32_t rbl_proxy_tree_find_fault(const rblProxyTree* tree, const rblAabb* boxes, const uint32_t* leaves);

// ---- reading groups ----

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

// The same with infinite sides replaced by the largest finite numbers, for a traversal. The empty box has infinite sides, and
// an infinite box would overlap it.
static inline float rbl_cut_infinite(float x)
{
    const float low = x < -FLT_MAX ? -FLT_MAX : x; // NaN is preserved
    return low > FLT_MAX ? FLT_MAX : low;
}

static inline rblBoxGroup rbl_box_splat_finite(const rblAabb* box)
{
    const rblAabb cut = {
        {rbl_cut_infinite(box->lower.x), rbl_cut_infinite(box->lower.y), rbl_cut_infinite(box->lower.z)},
        {rbl_cut_infinite(box->upper.x), rbl_cut_infinite(box->upper.y), rbl_cut_infinite(box->upper.z)}};
    return rbl_box_splat(&cut);
}

// The mask of the lanes whose boxes overlap or touch.
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

// A group to be visited. A depth-first traversal leaves at most three entries per level on the stack.
typedef struct rblGroupIndex
{
    uint32_t level, group;
} rblGroupIndex;

#define RBL_TREE_STACK (3 * RBL_TREE_LEVELS + 4)

#endif
