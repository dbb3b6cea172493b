#include "dynamics/broad_phase/broad_phase_tree.h"

#include "base/assert.h"
#include <string.h>

// ---- tuning ----
#define MIN_GROUPS 256 // groups of leaves per block of a parallel loop

static const rblBoxes4 no_boxes = {
    {INFINITY, INFINITY, INFINITY, INFINITY},     {INFINITY, INFINITY, INFINITY, INFINITY},
    {INFINITY, INFINITY, INFINITY, INFINITY},     {-INFINITY, -INFINITY, -INFINITY, -INFINITY},
    {-INFINITY, -INFINITY, -INFINITY, -INFINITY}, {-INFINITY, -INFINITY, -INFINITY, -INFINITY}};

// ---- memory ----

void rbl_proxy_tree_init(rblProxyTree* tree, const rblAllocator* allocator)
{
    *tree = (rblProxyTree){.allocator = allocator};
}

// The total number of groups, and the first group of each level.
static uint32_t plan_levels(uint32_t capacity, uint32_t* starts, uint32_t* level_count)
{
    uint32_t groups = capacity / 4;
    uint32_t sum = 0;
    uint32_t level = 0;
    for (; groups > 0; ++level)
    {
        starts[level] = sum;
        sum += groups;
        groups = groups > 1 ? (groups + 3) / 4 : 0;
    }
    *level_count = level;
    return sum;
}

static uint32_t group_total(const rblProxyTree* tree)
{
    return tree->level_count > 0 ? tree->level_start[tree->level_count - 1] + 1 : 0;
}

void rbl_proxy_tree_free(rblProxyTree* tree)
{
    RBL_FREE_ARRAY(tree->allocator, tree->groups, group_total(tree));
    RBL_FREE_ARRAY(tree->allocator, tree->proxies, tree->capacity);
    RBL_FREE_ARRAY(tree->allocator, tree->marks, tree->capacity / 4);
    rbl_proxy_tree_init(tree, tree->allocator);
}

static rblAabb group_box(const rblBoxes4* g)
{
    rblAabb box = rbl_aabb_empty();
    for (uint32_t i = 0; i < 4; ++i)
    {
        box = rbl_aabb_union(box, (rblAabb){{g->lower_x[i], g->lower_y[i], g->lower_z[i]},
                                            {g->upper_x[i], g->upper_y[i], g->upper_z[i]}});
    }
    return box;
}

static void set_lane(rblBoxes4* g, uint32_t lane, rblAabb box)
{
    g->lower_x[lane] = box.lower.x;
    g->lower_y[lane] = box.lower.y;
    g->lower_z[lane] = box.lower.z;
    g->upper_x[lane] = box.upper.x;
    g->upper_y[lane] = box.upper.y;
    g->upper_z[lane] = box.upper.z;
}

static rblBoxes4* group_at(const rblProxyTree* tree, uint32_t level, uint32_t group)
{
    return &tree->groups[tree->level_start[level] + group];
}

// Compute the boxes of all levels from `first_level` > 0 upwards.
static void merge_upwards(rblProxyTree* tree, uint32_t first_level)
{
    uint32_t groups = (tree->count + 3) / 4;
    for (uint32_t level = 1; level < first_level; ++level)
    {
        groups = (groups + 3) / 4;
    }
    for (uint32_t level = first_level; level < tree->level_count; ++level)
    {
        for (uint32_t g = 0; g < groups; ++g)
        {
            set_lane(group_at(tree, level, g / 4), g % 4, group_box(group_at(tree, level - 1, g)));
        }
        groups = (groups + 3) / 4;
    }
}

bool rbl_proxy_tree_reserve(rblProxyTree* tree, uint32_t leaves)
{
    if (leaves <= tree->capacity)
    {
        return true;
    }
    const uint64_t half_more = (uint64_t)tree->capacity + tree->capacity / 2;
    const uint64_t wanted = half_more > leaves ? half_more : leaves;
    rblProxyTree grown = *tree;
    grown.capacity = (uint32_t)((wanted + 15) & ~(uint64_t)15);
    const uint32_t total = plan_levels(grown.capacity, grown.level_start, &grown.level_count);
    grown.groups = RBL_NEW_ARRAY(tree->allocator, rblBoxes4, total);
    grown.proxies = RBL_NEW_ARRAY(tree->allocator, uint32_t, grown.capacity);
    grown.marks = RBL_NEW_ARRAY(tree->allocator, uint8_t, grown.capacity / 4);
    if (grown.groups == NULL || grown.proxies == NULL || grown.marks == NULL)
    {
        RBL_FREE_ARRAY(tree->allocator, grown.groups, total);
        RBL_FREE_ARRAY(tree->allocator, grown.proxies, grown.capacity);
        RBL_FREE_ARRAY(tree->allocator, grown.marks, grown.capacity / 4);
        return false;
    }
    for (uint32_t i = 0; i < total; ++i)
    {
        grown.groups[i] = no_boxes;
    }
    memset(grown.marks, 0, grown.capacity / 4);
    if (tree->count > 0)
    {
        const uint32_t used = (tree->count + 3) / 4;
        memcpy(grown.groups, tree->groups, sizeof(rblBoxes4) * used);
        memcpy(grown.proxies, tree->proxies, sizeof(uint32_t) * tree->count);
        memcpy(grown.marks, tree->marks, used);
    }
    merge_upwards(&grown, 1);
    rbl_proxy_tree_free(tree);
    *tree = grown;
    return true;
}

// ---- single leaves ----

static void merge_path(rblProxyTree* tree, uint32_t group)
{
    for (uint32_t level = 1; level < tree->level_count; ++level)
    {
        set_lane(group_at(tree, level, group / 4), group % 4, group_box(group_at(tree, level - 1, group)));
        group /= 4;
    }
}

void rbl_proxy_tree_mark(rblProxyTree* tree, uint32_t leaf)
{
    const uint8_t bit = (uint8_t)(1u << leaf % 4);
    tree->marked += (tree->marks[leaf / 4] & bit) == 0;
    tree->marks[leaf / 4] |= bit;
}

void rbl_proxy_tree_set_leaf(rblProxyTree* tree, uint32_t leaf, rblAabb box)
{
    set_lane(group_at(tree, 0, leaf / 4), leaf % 4, box);
    merge_path(tree, leaf / 4);
    tree->changes += 1;
}

uint32_t rbl_proxy_tree_append(rblProxyTree* tree, uint32_t proxy, rblAabb box)
{
    RBL_ASSERT(tree->count < tree->capacity);
    const uint32_t leaf = tree->count++;
    tree->live += 1;
    tree->proxies[leaf] = proxy;
    rbl_proxy_tree_set_leaf(tree, leaf, box);
    return leaf;
}

void rbl_proxy_tree_empty_leaf(rblProxyTree* tree, uint32_t leaf)
{
    const uint8_t bit = (uint8_t)(1u << leaf % 4);
    tree->marked -= (tree->marks[leaf / 4] & bit) != 0;
    tree->marks[leaf / 4] &= (uint8_t)~bit;
    tree->proxies[leaf] = RBL_NO_PROXY;
    tree->live -= 1;
    rbl_proxy_tree_set_leaf(tree, leaf, rbl_aabb_empty());
}

void rbl_proxy_tree_clear_marks(rblProxyTree* tree)
{
    if (tree->count > 0)
    {
        memset(tree->marks, 0, (tree->count + 3) / 4);
    }
    tree->marked = 0;
}

bool rbl_proxy_tree_list_marked(const rblProxyTree* tree, uint32_t run, rblIndexArray* out)
{
    const uint32_t groups = (tree->count + 3) / 4;
    rbl_array_clear(out);
    for (uint32_t g = 0; g < groups; g += run)
    {
        uint64_t word = 0;
        if (g % 8 == 0 && g + 8 <= groups)
        {
            memcpy(&word, tree->marks + g, sizeof word);
            if (word == 0)
            {
                g += 8 - run;
                continue;
            }
        }
        uint32_t marks = 0;
        for (uint32_t k = g; k < g + run && k < groups; ++k)
        {
            marks |= tree->marks[k];
        }
        if (marks != 0 && !rbl_array_push(out, g / run))
        {
            return false;
        }
    }
    return true;
}

// ---- all leaves ----

typedef struct Refit
{
    rblProxyTree* tree;
    const rblAabb* boxes;
    const uint8_t* flags;
    uint8_t mark;
    bool all;                        // every leaf gets its box; otherwise only marked leaves
    uint32_t marked[RBL_MAX_BLOCKS]; // number of marked leaves of a block
} Refit;

// Set the boxes of one group of leaves. Returns the mask of marked leaves.
static uint32_t refit_group(const Refit* refit, uint32_t g, rblBoxes4* group)
{
    const rblProxyTree* tree = refit->tree;
    uint32_t marks = 0;
    for (uint32_t lane = 0; lane < 4 && 4 * g + lane < tree->count; ++lane)
    {
        const uint32_t proxy = tree->proxies[4 * g + lane];
        const bool marked = proxy != RBL_NO_PROXY && (refit->flags[proxy] & refit->mark) != 0;
        if (marked || refit->all)
        {
            set_lane(group, lane, refit->boxes[proxy]);
        }
        marks |= (uint32_t)marked << lane;
    }
    return marks;
}

// Refit a range of groups of leaves and their lanes in the level above. No other block writes these lanes.
static void refit_groups(rblRange range, void* context)
{
    Refit* refit = context;
    rblProxyTree* tree = refit->tree;
    uint32_t marked = 0;
    for (uint32_t g = range.begin; g < range.end; ++g)
    {
        rblBoxes4* group = group_at(tree, 0, g);
        const uint32_t marks = refit_group(refit, g, group);
        tree->marks[g] = (uint8_t)marks;
        marked += rbl_popcount32(marks);
        if ((marks != 0 || refit->all) && tree->level_count > 1)
        {
            set_lane(group_at(tree, 1, g / 4), g % 4, group_box(group));
        }
    }
    refit->marked[range.block] = marked;
}

static void refit_leaves(Refit* refit, rblJobs* jobs)
{
    const uint32_t groups = (refit->tree->count + 3) / 4;
    rbl_parallel_for(jobs, groups, MIN_GROUPS, refit_groups, refit);
    refit->tree->marked = 0;
    for (uint32_t b = 0; b < rbl_block_count(groups, MIN_GROUPS); ++b)
    {
        refit->tree->marked += refit->marked[b];
    }
    merge_upwards(refit->tree, 2);
}

void rbl_proxy_tree_refit(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                          rblJobs* jobs)
{
    Refit refit = {.tree = tree, .boxes = boxes, .flags = flags, .mark = mark};
    refit_leaves(&refit, jobs);
    tree->changes += tree->marked;
}

void rbl_proxy_tree_refill(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                           rblJobs* jobs)
{
    const uint32_t total = group_total(tree);
    for (uint32_t level = 0; level < tree->level_count; ++level)
    {
        // The last group in use may be partly filled, so it is cleared, too.
        const uint32_t end = level + 1 < tree->level_count ? tree->level_start[level + 1] : total;
        for (uint32_t i = tree->level_start[level] + (tree->count >> 2 * (level + 1)); i < end; ++i)
        {
            tree->groups[i] = no_boxes;
        }
    }
    if (total > 0)
    {
        memset(tree->marks, 0, tree->capacity / 4);
    }
    Refit refit = {.tree = tree, .boxes = boxes, .flags = flags, .mark = mark, .all = true};
    refit_leaves(&refit, jobs);
}

double rbl_proxy_tree_cost(const rblProxyTree* tree)
{
    double sum = 0.0;
    for (uint32_t g = 0; g < (tree->count + 3) / 4; ++g)
    {
        const rblAabb box = group_box(group_at(tree, 0, g));
        if (!rbl_aabb_is_empty(box))
        {
            const rblVec3 size = rbl_aabb_size(box);
            sum += (double)(size.x + size.y + size.z);
        }
    }
    return tree->live > 0 ? sum / tree->live : 0.0;
}

// ---- checks ----

static bool same_box(rblAabb a, rblAabb b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (rbl_aabb_is_empty(a) && rbl_aabb_is_empty(b)) ||
           (rbl_aabb_contains(a, b) && rbl_aabb_contains(b, a));
}

static rblAabb lane_box(const rblBoxes4* g, uint32_t lane)
{
    return (rblAabb){{g->lower_x[lane], g->lower_y[lane], g->lower_z[lane]},
                     {g->upper_x[lane], g->upper_y[lane], g->upper_z[lane]}};
}

static bool leaf_is_right(const rblProxyTree* tree, uint32_t leaf, const rblAabb* boxes,
                          const uint32_t* leaves)
{
    const uint32_t proxy = leaf < tree->count ? tree->proxies[leaf] : RBL_NO_PROXY;
    const rblAabb box = lane_box(group_at(tree, 0, leaf / 4), leaf % 4);
    const bool marked = (tree->marks[leaf / 4] & 1u << leaf % 4) != 0;
    return proxy == RBL_NO_PROXY ? rbl_aabb_is_empty(box) && !marked
                                 : leaves[proxy] == leaf && same_box(box, boxes[proxy]);
}

uint32_t rbl_proxy_tree_find_fault(const rblProxyTree* tree, const rblAabb* boxes, const uint32_t* leaves)
{
    uint32_t groups = tree->capacity / 4;
    for (uint32_t leaf = 0; leaf < tree->capacity; ++leaf)
    {
        if (!leaf_is_right(tree, leaf, boxes, leaves))
        {
            return leaf / 4;
        }
    }
    for (uint32_t level = 1; level < tree->level_count; ++level)
    {
        for (uint32_t g = 0; g < groups; ++g)
        {
            if (!same_box(lane_box(group_at(tree, level, g / 4), g % 4),
                          group_box(group_at(tree, level - 1, g))))
            {
                return g << 2 * (level - 1);
            }
        }
        groups = (groups + 3) / 4;
    }
    return UINT32_MAX;
}
