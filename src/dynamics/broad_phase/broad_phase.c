#include "base/assert.h"
#include "base/error.h"
#include "dynamics/broad_phase/broad_phase_private.h"
#include <string.h>

#define MAX_PROXIES (1u << 30) // limit of the packed pair format

// ---- tuning ----
#define MIN_RANGE 1024   // proxies per block of a parallel loop
#define SLACK     0.025f // of the mean side length of a box: enlargement of fat boxes on every side
#define EXCESS    4.0f  // in slacks: a fat box that is larger than needed by this on a side is computed again
#define UNBOUNDED 1e15f // m: larger coordinates count as unbounded, so that sums stay finite

// ---- creation ----

rblResult rbl_broad_phase_create(const rblAllocator* allocator, rblBroadPhase** out)
{
    rblBroadPhase* broad = rbl_alloc_zero(allocator, sizeof *broad);
    if (broad == NULL)
    {
        return rbl_fail_memory();
    }
    broad->allocator = allocator;
    rbl_proxy_tree_init(&broad->trees[0], allocator);
    rbl_proxy_tree_init(&broad->trees[1], allocator);
    rbl_array_init(&broad->unbounded, allocator);
    rbl_pair_set_init(&broad->pairs, allocator);
    rbl_array_init(&broad->search.packets[0], allocator);
    rbl_array_init(&broad->search.packets[1], allocator);
    rbl_array_init(&broad->search.pending, allocator);
    *out = broad;
    return RBL_OK;
}

void rbl_broad_phase_destroy(rblBroadPhase* broad)
{
    if (broad == NULL)
    {
        return;
    }
    const rblAllocator* allocator = broad->allocator;
    RBL_FREE_ARRAY(allocator, broad->boxes, broad->capacity);
    RBL_FREE_ARRAY(allocator, broad->leaf_of, broad->capacity);
    RBL_FREE_ARRAY(allocator, broad->flags, broad->capacity);
    rbl_proxy_tree_free(&broad->trees[0]);
    rbl_proxy_tree_free(&broad->trees[1]);
    rbl_array_free(&broad->unbounded);
    rbl_pair_set_free(&broad->pairs);
    rbl_pair_search_free(&broad->search, allocator);
    rbl_free(allocator, broad->scratch.memory, broad->scratch.size);
    rbl_free(allocator, broad, sizeof *broad);
}

// ---- boxes ----

static bool is_box(const rblAabb* box)
{
    return !rbl_aabb_is_empty(*box);
}

static bool is_unbounded(const rblAabb* box)
{
    const rblVec3 low = box->lower;
    const rblVec3 high = box->upper;
    return !(low.x > -UNBOUNDED && low.y > -UNBOUNDED && low.z > -UNBOUNDED && high.x < UNBOUNDED &&
             high.y < UNBOUNDED && high.z < UNBOUNDED);
}

// The slack of a box, m. Unbounded boxes get only the margin, because they hardly move.
static float slack_of(const rblAabb* box, float margin)
{
    const rblVec3 size = rbl_aabb_size(*box);
    return is_unbounded(box) ? margin : margin + SLACK * ((size.x + size.y + size.z) / 3.0f);
}

// The largest distance by which a box extends beyond another one, over all sides; negative: it does not.
static float protrusion(const rblAabb* box, const rblAabb* old)
{
    const rblVec3 below = rbl_sub3(old->lower, box->lower);
    const rblVec3 above = rbl_sub3(box->upper, old->upper);
    const rblVec3 largest = rbl_max3(below, above);
    return rbl_maxf(largest.x, rbl_maxf(largest.y, largest.z));
}

// The fat box of a box that has left its old fat box: enlarged by the slack on all sides, and by one more slack on the sides
// where it has left, because it moves in this direction. A box that has left by more than two slacks will also leave this fat
// box in the next step. It gets no slack, because slack would only add pairs.
static rblAabb fatten(const rblAabb* box, const rblAabb* old, float slack)
{
    if (protrusion(box, old) > 2.0f * slack)
    {
        return *box;
    }
    rblAabb fat = rbl_aabb_grown(*box, slack);
    fat.lower.x -= box->lower.x < old->lower.x ? slack : 0.0f;
    fat.lower.y -= box->lower.y < old->lower.y ? slack : 0.0f;
    fat.lower.z -= box->lower.z < old->lower.z ? slack : 0.0f;
    fat.upper.x += box->upper.x > old->upper.x ? slack : 0.0f;
    fat.upper.y += box->upper.y > old->upper.y ? slack : 0.0f;
    fat.upper.z += box->upper.z > old->upper.z ? slack : 0.0f;
    return fat;
}

// ---- adding and removing ----

static bool reserve_proxies(rblBroadPhase* broad, uint32_t count)
{
    if (count <= broad->capacity)
    {
        return true;
    }
    const uint32_t half_more = broad->capacity + broad->capacity / 2;
    const uint32_t capacity = half_more > count ? half_more : count < 64 ? 64 : count;
    rblAabb* boxes = RBL_NEW_ARRAY(broad->allocator, rblAabb, capacity);
    uint32_t* leaf_of = RBL_NEW_ARRAY(broad->allocator, uint32_t, capacity);
    uint8_t* flags = RBL_NEW_ARRAY(broad->allocator, uint8_t, capacity);
    if (boxes == NULL || leaf_of == NULL || flags == NULL)
    {
        RBL_FREE_ARRAY(broad->allocator, boxes, capacity);
        RBL_FREE_ARRAY(broad->allocator, leaf_of, capacity);
        RBL_FREE_ARRAY(broad->allocator, flags, capacity);
        return false;
    }
    memset(flags, 0, capacity);
    if (broad->capacity > 0)
    {
        memcpy(boxes, broad->boxes, sizeof *boxes * broad->capacity);
        memcpy(leaf_of, broad->leaf_of, sizeof *leaf_of * broad->capacity);
        memcpy(flags, broad->flags, sizeof *flags * broad->capacity);
    }
    RBL_FREE_ARRAY(broad->allocator, broad->boxes, broad->capacity);
    RBL_FREE_ARRAY(broad->allocator, broad->leaf_of, broad->capacity);
    RBL_FREE_ARRAY(broad->allocator, broad->flags, broad->capacity);
    broad->boxes = boxes;
    broad->leaf_of = leaf_of;
    broad->flags = flags;
    broad->capacity = capacity;
    return true;
}

// Insert a proxy into its tree or into the list of unbounded proxies. The capacity must be reserved, and its flags and box set.
static void insert_proxy(rblBroadPhase* broad, uint32_t proxy)
{
    if ((broad->flags[proxy] & RBL_PROXY_UNBOUNDED) != 0)
    {
        broad->leaf_of[proxy] = (uint32_t)broad->unbounded.count;
        broad->unbounded.data[broad->unbounded.count++] = proxy;
    }
    else
    {
        rblProxyTree* tree = rbl_broad_phase_tree_of(broad, proxy);
        broad->leaf_of[proxy] = rbl_proxy_tree_append(tree, proxy, broad->boxes[proxy]);
        if ((broad->flags[proxy] & RBL_PROXY_MARKED) != 0)
        {
            rbl_proxy_tree_mark(tree, broad->leaf_of[proxy]);
        }
    }
}

static void extract_proxy(rblBroadPhase* broad, uint32_t proxy)
{
    if ((broad->flags[proxy] & RBL_PROXY_UNBOUNDED) != 0)
    {
        const uint32_t last = broad->unbounded.data[--broad->unbounded.count];
        broad->unbounded.data[broad->leaf_of[proxy]] = last;
        broad->leaf_of[last] = broad->leaf_of[proxy];
    }
    else
    {
        rbl_proxy_tree_empty_leaf(rbl_broad_phase_tree_of(broad, proxy), broad->leaf_of[proxy]);
    }
}

static rblResult check_box(uint32_t proxy, const rblAabb* box)
{
    return is_box(box) ? RBL_OK
                       : rbl_fail(RBL_ERROR_ARGUMENT,
                                  "proxy %u: the box must not be NaN, and lower not above upper", proxy);
}

// Reserve the memory for a proxy with these flags.
static rblResult reserve(rblBroadPhase* broad, uint32_t proxy, uint8_t flags)
{
    rblProxyTree* tree = &broad->trees[(flags & RBL_PROXY_MOVING) != 0];
    const bool reserved =
        reserve_proxies(broad, proxy + 1) &&
        ((flags & RBL_PROXY_UNBOUNDED) != 0 ? rbl_array_reserve_more(&broad->unbounded, 1)
                                            : rbl_proxy_tree_reserve(tree, tree->count + 1));
    return reserved ? RBL_OK : rbl_fail_memory();
}

static rblResult insert(rblBroadPhase* broad, uint32_t proxy, rblAabb fat, uint8_t flags)
{
    RBL_ASSERT(!rbl_proxy_exists(broad, proxy));
    RBL_TRY(check_box(proxy, &fat));
    if (proxy >= MAX_PROXIES)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "proxy %u: the number must be below 2^30", proxy);
    }
    RBL_TRY(reserve(broad, proxy, flags));
    broad->boxes[proxy] = fat;
    broad->flags[proxy] |= flags;
    broad->changed = broad->changed || (flags & RBL_PROXY_PENDING) != 0;
    insert_proxy(broad, proxy);
    return RBL_OK;
}

static uint8_t flags_of(const rblAabb* box, bool moving)
{
    return (uint8_t)(RBL_PROXY_EXISTS | RBL_PROXY_MARKED | (moving ? RBL_PROXY_MOVING : 0) |
                     (is_unbounded(box) ? RBL_PROXY_UNBOUNDED : 0));
}

rblResult rbl_broad_phase_add(rblBroadPhase* broad, uint32_t proxy, rblAabb box, bool moving)
{
    RBL_TRY(check_box(proxy, &box));
    const rblAabb fat = moving ? rbl_aabb_grown(box, slack_of(&box, 0.0f)) : box;
    return insert(broad, proxy, fat, flags_of(&box, moving));
}

void rbl_broad_phase_remove(rblBroadPhase* broad, uint32_t proxy)
{
    RBL_ASSERT(rbl_proxy_exists(broad, proxy));
    extract_proxy(broad, proxy);
    broad->flags[proxy] = RBL_PROXY_REMOVED;
    broad->changed = true;
}

rblResult rbl_broad_phase_change_tree(rblBroadPhase* broad, uint32_t proxy, rblAabb box, bool moving)
{
    RBL_ASSERT(rbl_proxy_exists(broad, proxy));
    RBL_TRY(check_box(proxy, &box));
    RBL_TRY(reserve(broad, proxy,
                    flags_of(&box, moving))); // a removal does not free the memory that the insertion needs
    rbl_broad_phase_remove(broad, proxy);
    return rbl_broad_phase_add(broad, proxy, box, moving);
}

void rbl_broad_phase_touch(rblBroadPhase* broad, uint32_t proxy)
{
    RBL_ASSERT(rbl_proxy_exists(broad, proxy));
    broad->flags[proxy] |= RBL_PROXY_MARKED | RBL_PROXY_TOUCHED;
    broad->changed = true;
    if ((broad->flags[proxy] & RBL_PROXY_UNBOUNDED) == 0)
    {
        rbl_proxy_tree_mark(rbl_broad_phase_tree_of(broad, proxy), broad->leaf_of[proxy]);
    }
}

rblAabb rbl_broad_phase_fat_box(const rblBroadPhase* broad, uint32_t proxy)
{
    RBL_ASSERT(rbl_proxy_exists(broad, proxy));
    return broad->boxes[proxy];
}

// ---- snapshots ----

rblProxyState rbl_broad_phase_save(const rblBroadPhase* broad, uint32_t proxy)
{
    const uint8_t flags = proxy < broad->capacity ? broad->flags[proxy] : 0;
    return (rblProxyState){rbl_proxy_exists(broad, proxy) ? broad->boxes[proxy] : rbl_aabb_empty(), flags};
}

rblResult rbl_broad_phase_load(rblBroadPhase* broad, uint32_t proxy, const rblProxyState* state)
{
    const uint8_t flags = (uint8_t)(state->flags & ~(uint32_t)RBL_PROXY_MOVED);
    if ((flags & RBL_PROXY_EXISTS) != 0)
    {
        // States may come from a file: a box that is NaN or infinite would make a tree invalid.
        RBL_TRY(check_box(proxy, &state->fat));
        if ((flags & RBL_PROXY_UNBOUNDED) == 0 && is_unbounded(&state->fat))
        {
            return rbl_fail(RBL_ERROR_FORMAT, "proxy %u: the box is unbounded, but not marked so", proxy);
        }
        return insert(broad, proxy, state->fat, flags);
    }
    if ((flags & RBL_PROXY_REMOVED) != 0)
    {
        if (!reserve_proxies(broad, proxy + 1))
        {
            return rbl_fail_memory();
        }
        broad->flags[proxy] = RBL_PROXY_REMOVED;
        broad->changed = true;
    }
    return RBL_OK;
}

rblResult rbl_broad_phase_load_pairs(rblBroadPhase* broad, const rblProxyPair* pairs, uint32_t count)
{
    if (!rbl_pair_set_assign(&broad->pairs, pairs, count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        RBL_ASSERT(broad->pairs.pairs[i].a < broad->pairs.pairs[i].b &&
                   broad->pairs.pairs[i].b < broad->capacity);
    }
    return RBL_OK;
}

// ---- motion ----

typedef struct Move
{
    rblBroadPhase* broad;
    const uint32_t* proxies;
    const rblAabb* boxes;
    float margin;
    uint32_t bad[RBL_MAX_BLOCKS];     // first item of a block whose box is invalid, or UINT32_MAX
    uint32_t changed[RBL_MAX_BLOCKS]; // number of items of a block that become bounded or unbounded
    uint32_t moved[RBL_MAX_BLOCKS];   // number of items of a block with a new fat box
} Move;

static bool changes_kind(const Move* move, uint32_t item)
{
    const bool was = (move->broad->flags[move->proxies[item]] & RBL_PROXY_UNBOUNDED) != 0;
    return is_unbounded(&move->boxes[item]) != was;
}

static void check_items(rblRange range, void* context)
{
    Move* move = context;
    uint32_t bad = UINT32_MAX;
    uint32_t changed = 0;
    for (uint32_t i = range.begin; i < range.end && bad == UINT32_MAX; ++i)
    {
        RBL_ASSERT(rbl_proxy_exists(move->broad, move->proxies[i]));
        bad = is_box(&move->boxes[i]) ? UINT32_MAX : i;
        changed += changes_kind(move, i);
    }
    move->bad[range.block] = bad;
    move->changed[range.block] = changed;
}

// Check all boxes and reserve all memory. After this, the move cannot fail.
static rblResult prepare_move(Move* move, uint32_t count, uint32_t* changed)
{
    rblBroadPhase* broad = move->broad;
    *changed = 0;
    for (uint32_t b = 0; b < rbl_block_count(count, MIN_RANGE); ++b)
    {
        if (move->bad[b] != UINT32_MAX)
        {
            return check_box(move->proxies[move->bad[b]], &move->boxes[move->bad[b]]);
        }
        *changed += move->changed[b];
    }
    const bool reserved =
        *changed == 0 || (rbl_array_reserve_more(&broad->unbounded, *changed) &&
                          rbl_proxy_tree_reserve(&broad->trees[0], broad->trees[0].count + *changed) &&
                          rbl_proxy_tree_reserve(&broad->trees[1], broad->trees[1].count + *changed));
    return reserved ? RBL_OK : rbl_fail_memory();
}

// Whether a proxy needs a new fat box, which *fat then is.
static bool needs_new_box(const Move* move, uint32_t item, rblAabb* fat)
{
    const uint32_t proxy = move->proxies[item];
    const rblAabb* box = &move->boxes[item];
    const rblAabb* old = &move->broad->boxes[proxy];
    const bool moving = (move->broad->flags[proxy] & RBL_PROXY_MOVING) != 0;
    const float slack = moving ? slack_of(box, move->margin) : 0.0f;
    if (rbl_aabb_contains(*old, *box) && rbl_aabb_contains(rbl_aabb_grown(*box, EXCESS * slack), *old))
    {
        return false;
    }
    *fat = fatten(box, old, slack);
    return true;
}

bool rbl_broad_phase_serves(const rblBroadPhase* broad, uint32_t proxy, rblAabb inner, rblAabb outer)
{
    const rblAabb fat = broad->boxes[proxy];
    const bool plain = (broad->flags[proxy] & (RBL_PROXY_MOVING | RBL_PROXY_UNBOUNDED)) == RBL_PROXY_MOVING;
    return plain && is_box(&inner) && is_box(&outer) && rbl_aabb_contains(fat, outer) &&
           rbl_aabb_contains(rbl_aabb_grown(inner, EXCESS * slack_of(&inner, 0.0f)), fat);
}

static void move_items(rblRange range, void* context)
{
    Move* move = context;
    rblBroadPhase* broad = move->broad;
    uint32_t moved = 0;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblAabb fat;
        if (!changes_kind(move, i) && needs_new_box(move, i, &fat))
        {
            broad->boxes[move->proxies[i]] = fat;
            broad->flags[move->proxies[i]] |= RBL_PROXY_MARKED | RBL_PROXY_MOVED;
            moved += 1;
        }
    }
    move->moved[range.block] = moved;
}

// Move a proxy from its tree to the list of unbounded proxies, or back.
static void change_kind(rblBroadPhase* broad, uint32_t proxy, const rblAabb* box, float margin)
{
    extract_proxy(broad, proxy);
    broad->flags[proxy] ^= RBL_PROXY_UNBOUNDED;
    broad->flags[proxy] |= RBL_PROXY_MARKED;
    const bool moving = (broad->flags[proxy] & RBL_PROXY_MOVING) != 0;
    broad->boxes[proxy] = moving ? rbl_aabb_grown(*box, slack_of(box, margin)) : *box;
    insert_proxy(broad, proxy);
}

// A few new boxes are merged upwards one by one; many are merged in one pass over the trees.
static void refit_trees(rblBroadPhase* broad, const Move* move, uint32_t count, uint32_t moved, rblJobs* jobs)
{
    const bool sweep = moved > (broad->trees[0].live + broad->trees[1].live) / 16;
    uint32_t swept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t proxy = move->proxies[i];
        const uint8_t flags = broad->flags[proxy];
        if ((flags & RBL_PROXY_MOVED) == 0)
        {
            continue;
        }
        broad->flags[proxy] &= (uint8_t)~RBL_PROXY_MOVED;
        if ((flags & RBL_PROXY_UNBOUNDED) != 0)
        {
            continue;
        }
        swept |= (flags & RBL_PROXY_MOVING) != 0 ? 2u : 1u;
        if (!sweep)
        {
            rblProxyTree* tree = rbl_broad_phase_tree_of(broad, proxy);
            rbl_proxy_tree_set_leaf(tree, broad->leaf_of[proxy], broad->boxes[proxy]);
            rbl_proxy_tree_mark(tree, broad->leaf_of[proxy]);
        }
    }
    for (uint32_t t = 0; t < 2 && sweep; ++t)
    {
        if ((swept >> t & 1) != 0)
        {
            rbl_proxy_tree_refit(&broad->trees[t], broad->boxes, broad->flags, RBL_PROXY_MARKED, jobs);
        }
    }
}

rblResult rbl_broad_phase_move(rblBroadPhase* broad, const uint32_t* proxies, const rblAabb* boxes,
                               uint32_t count, float margin, rblJobs* jobs)
{
    if (!(margin >= 0.0f && margin < UNBOUNDED))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "broad phase: the margin is %g, must be finite and not negative",
                        (double)margin);
    }
    Move move = {.broad = broad, .proxies = proxies, .boxes = boxes, .margin = margin};
    rbl_parallel_for(jobs, count, MIN_RANGE, check_items, &move);
    uint32_t changed;
    RBL_TRY(prepare_move(&move, count, &changed));
    rbl_parallel_for(jobs, count, MIN_RANGE, move_items, &move);
    uint32_t moved = 0;
    for (uint32_t b = 0; b < rbl_block_count(count, MIN_RANGE); ++b)
    {
        moved += move.moved[b];
    }
    for (uint32_t i = 0; i < count && changed > 0; ++i)
    {
        if (changes_kind(&move, i))
        {
            change_kind(broad, proxies[i], &boxes[i], margin);
            broad->changed = true;
        }
    }
    if (moved > 0)
    {
        broad->changed = true;
        refit_trees(broad, &move, count, moved, jobs);
    }
    return RBL_OK;
}
