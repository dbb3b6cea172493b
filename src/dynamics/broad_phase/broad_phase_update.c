// The search for pairs: every marked proxy searches for overlapping proxies, all in one parallel loop. The set of pairs is then
// merged with the result.
#include "base/error.h"
#include "bvh/build/radix_sort.h"
#include "dynamics/broad_phase/broad_phase_private.h"
#include <string.h>

// ---- tuning ----
// These affect speed only.
#define PACKET_GROUPS 2u                  // groups of leaves that traverse a tree together
#define PACKET_SIZE   (4 * PACKET_GROUPS) // leaves of these groups
#define MIN_PACKETS   64u                 // packets per block of a parallel loop
#define FEW_PACKETS   4u // of the packets: with fewer than this share of marks, those with marks are listed
#define MIN_SORT      16384u // pairs: fewer are sorted by one thread, because waking others takes longer
#define MIN_RUN       256u   // pairs: smallest capacity of a block
#define WORN_COST     1.3 // ratio of the cost of a tree to its cost when built: above it, the tree is rebuilt
#define WORN_HOLES    0.25 // share of empty leaves: above it, the tree is rebuilt

// ---- packets ----

// Marked proxies that traverse the trees together: neighbours in a tree, or one unbounded proxy.
typedef struct Packet
{
    rblBoxGroup boxes[PACKET_SIZE]; // each box in all four lanes
    rblBoxGroup bounds;
    uint32_t proxies[PACKET_SIZE];
    uint32_t leaves[PACKET_SIZE];
    uint32_t count;
} Packet;

// The part of the buffer for the pairs of a block. When it is full, the block only counts, so that the buffer can grow to the
// needed size.
typedef struct Run
{
    uint64_t* keys;
    size_t capacity;
    size_t count;
} Run;

typedef struct Search
{
    const rblBroadPhase* broad;
    uint32_t shift;            // number of bits of a proxy number
    bool all;                  // all leaves of the moving tree are marked
    uint32_t packets[2];       // number of packets of each tree
    const uint32_t* listed[2]; // their indices; null: all
    uint32_t blocks;
    uint64_t* runs;
    size_t run_size; // capacity of each block, in pairs
    size_t counts[RBL_MAX_BLOCKS];
} Search;

static inline void add_pair(const Search* search, Run* run, uint32_t a, uint32_t b)
{
    if (run->count < run->capacity)
    {
        run->keys[run->count] = a < b ? (uint64_t)a << search->shift | b : (uint64_t)b << search->shift | a;
    }
    run->count += 1;
}

static void packet_add(Packet* packet, uint32_t proxy, uint32_t leaf, const rblAabb* box)
{
    packet->boxes[packet->count] = rbl_box_splat(box);
    packet->proxies[packet->count] = proxy;
    packet->leaves[packet->count] = leaf;
    packet->count += 1;
}

static void packet_close(Packet* packet)
{
    rblBoxGroup bounds = packet->boxes[0];
    for (uint32_t i = 1; i < packet->count; ++i)
    {
        const rblBoxGroup* box = &packet->boxes[i];
        bounds.lower_x = rbl_min4(bounds.lower_x, box->lower_x);
        bounds.lower_y = rbl_min4(bounds.lower_y, box->lower_y);
        bounds.lower_z = rbl_min4(bounds.lower_z, box->lower_z);
        bounds.upper_x = rbl_max4(bounds.upper_x, box->upper_x);
        bounds.upper_y = rbl_max4(bounds.upper_y, box->upper_y);
        bounds.upper_z = rbl_max4(bounds.upper_z, box->upper_z);
    }
    packet->bounds = bounds;
}

// Add the marked leaves of PACKET_GROUPS groups to a packet, with their boxes from the tree.
static void packet_gather(const Search* search, uint32_t t, uint32_t index, Packet* packet)
{
    const rblProxyTree* tree = &search->broad->trees[t];
    const uint32_t first = index * PACKET_GROUPS;
    const uint32_t groups = (tree->count + 3) / 4;
    packet->count = 0;
    for (uint32_t g = first; g < first + PACKET_GROUPS && g < groups; ++g)
    {
        for (uint32_t lane = 0; lane < 4 && 4 * g + lane < tree->count; ++lane)
        {
            const uint32_t leaf = 4 * g + lane;
            const uint32_t proxy = tree->proxies[leaf];
            if ((tree->marks[g] >> lane & 1) != 0)
            {
                packet_add(packet, proxy, leaf, &search->broad->boxes[proxy]);
            }
        }
    }
}

// ---- packets against trees ----

// A traversal of a tree by a packet. A pair of two marked proxies is found from both sides; only one side reports it.
typedef enum Side
{
    EVERY,    // report all pairs
    UNMARKED, // report only pairs with a proxy that is not marked
    SELF      // the own tree of the packet: also report pairs with marked leaves of a higher index
} Side;

typedef struct Traversal
{
    const Search* search;
    const rblProxyTree* tree;
    const Packet* packet;
    Side side;
    uint32_t before; // leaves before this index are skipped
} Traversal;

// The mask of the leaves of a group that may form a pair with a leaf of the packet.
static inline uint32_t candidate_leaves(const Traversal* traversal, uint32_t group, uint32_t leaf)
{
    if (traversal->side == EVERY)
    {
        return 15u;
    }
    const uint32_t unmarked = 15u & ~(uint32_t)traversal->tree->marks[group];
    if (traversal->side == UNMARKED || 4 * group + 3 <= leaf)
    {
        return unmarked;
    }
    return 4 * group > leaf ? 15u : unmarked | (15u & ~((2u << leaf % 4) - 1));
}

static void test_leaves(const Traversal* traversal, uint32_t group, Run* run)
{
    const Packet* packet = traversal->packet;
    const rblBoxGroup boxes = rbl_boxes4_load(&traversal->tree->groups[group]);
    const uint32_t* proxies = &traversal->tree->proxies[4 * group];
    for (uint32_t i = 0; i < packet->count; ++i)
    {
        uint32_t mask = rbl_groups_overlap(&boxes, &packet->boxes[i]);
        mask &= candidate_leaves(traversal, group, packet->leaves[i]);
        for (; mask != 0; mask &= mask - 1)
        {
            add_pair(traversal->search, run, packet->proxies[i], proxies[rbl_first_lane(mask)]);
        }
    }
}

static void traverse_tree(const Traversal* traversal, Run* run)
{
    const rblProxyTree* tree = traversal->tree;
    if (tree->count == 0)
    {
        return;
    }
    rblGroupIndex stack[RBL_TREE_STACK];
    uint32_t size = 0;
    stack[size++] = (rblGroupIndex){tree->level_count - 1, 0};
    while (size > 0)
    {
        const rblGroupIndex entry = stack[--size];
        if (entry.level == 0)
        {
            test_leaves(traversal, entry.group, run);
            continue;
        }
        const rblBoxGroup boxes =
            rbl_boxes4_load(&tree->groups[tree->level_start[entry.level] + entry.group]);
        uint32_t mask = rbl_groups_overlap(&boxes, &traversal->packet->bounds);
        for (; mask != 0; mask &= mask - 1)
        {
            const uint32_t child = 4 * entry.group + rbl_first_lane(mask);
            if ((uint64_t)(child + 1) << 2 * entry.level >
                traversal->before) // the last leaf of the child is not before
            {
                stack[size++] = (rblGroupIndex){entry.level - 1, child};
            }
        }
    }
}

// ---- packets against unbounded proxies ----

static bool boxes_overlap(const Packet* packet, uint32_t i, const rblAabb* box)
{
    const rblBoxGroup other = rbl_box_splat(box);
    return rbl_groups_overlap(&packet->boxes[i], &other) != 0;
}

static void test_unbounded(const Search* search, const Packet* packet, bool moving, Run* run)
{
    const rblBroadPhase* broad = search->broad;
    for (size_t u = 0; u < broad->unbounded.count; ++u)
    {
        const uint32_t other = broad->unbounded.data[u];
        if (!moving && (broad->flags[other] & RBL_PROXY_MOVING) == 0)
        {
            continue;
        }
        for (uint32_t i = 0; i < packet->count; ++i)
        {
            if (boxes_overlap(packet, i, &broad->boxes[other]))
            {
                add_pair(search, run, packet->proxies[i], other);
            }
        }
    }
}

// Test one unbounded proxy against the others of the list. Of two marked ones, the first reports the pair.
static void test_list(const Search* search, uint32_t index, Run* run)
{
    const rblBroadPhase* broad = search->broad;
    const uint32_t proxy = broad->unbounded.data[index];
    for (uint32_t u = 0; u < broad->unbounded.count; ++u)
    {
        const uint32_t other = broad->unbounded.data[u];
        const bool needed = u > index || (u < index && (broad->flags[other] & RBL_PROXY_MARKED) == 0);
        const bool moving = ((broad->flags[proxy] | broad->flags[other]) & RBL_PROXY_MOVING) != 0;
        if (needed && moving && rbl_aabb_overlaps(broad->boxes[proxy], broad->boxes[other]))
        {
            add_pair(search, run, proxy, other);
        }
    }
}

// ---- the search ----

static void search_from_leaves(const Search* search, uint32_t t, uint32_t index, Run* run)
{
    Packet packet;
    packet_gather(search, t, index, &packet);
    if (packet.count == 0)
    {
        return;
    }
    packet_close(&packet);
    const rblProxyTree* trees = search->broad->trees;
    Traversal traversal = {search, &trees[1], &packet, t == 1 ? SELF : UNMARKED, 0};
    traversal.before = t == 1 && search->all ? packet.leaves[0] + 1 : 0;
    traverse_tree(&traversal, run);
    if (t == 1)
    {
        traversal = (Traversal){search, &trees[0], &packet, EVERY, 0};
        traverse_tree(&traversal, run);
    }
    test_unbounded(search, &packet, t == 1, run);
}

static void search_from_unbounded(const Search* search, uint32_t index, Run* run)
{
    const rblBroadPhase* broad = search->broad;
    const uint32_t proxy = broad->unbounded.data[index];
    if ((broad->flags[proxy] & RBL_PROXY_MARKED) == 0)
    {
        return;
    }
    Packet packet = {.count = 1, .proxies = {proxy}};
    packet.boxes[0] = rbl_box_splat_finite(&broad->boxes[proxy]);
    packet.bounds = packet.boxes[0];
    Traversal traversal = {search, &broad->trees[1], &packet, UNMARKED, 0};
    traverse_tree(&traversal, run);
    if ((broad->flags[proxy] & RBL_PROXY_MOVING) != 0)
    {
        traversal = (Traversal){search, &broad->trees[0], &packet, UNMARKED, 0};
        traverse_tree(&traversal, run);
    }
    test_list(search, index, run);
}

static void search_block(rblRange range, void* context)
{
    Search* search = context;
    Run run = {search->runs + search->run_size * range.block, search->run_size, 0};
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t tree = i < search->packets[1] ? 1 : 0;
        const uint32_t packet = tree == 1 ? i : i - search->packets[1];
        if (packet < search->packets[tree])
        {
            const uint32_t* listed = search->listed[tree];
            search_from_leaves(search, tree, listed != NULL ? listed[packet] : packet, &run);
        }
        else
        {
            search_from_unbounded(search, packet - search->packets[0], &run);
        }
    }
    search->counts[range.block] = run.count;
}

static bool choose_packets(rblBroadPhase* broad, Search* search, uint32_t t)
{
    const rblProxyTree* tree = &broad->trees[t];
    rblIndexArray* listed = &broad->search.packets[t];
    const uint32_t groups = (tree->count + 3) / 4;
    const uint32_t all = tree->marked > 0 ? (groups + PACKET_GROUPS - 1) / PACKET_GROUPS : 0;
    search->packets[t] = all;
    if (tree->marked >= all / FEW_PACKETS)
    {
        return true;
    }
    const bool ok = rbl_proxy_tree_list_marked(tree, PACKET_GROUPS, listed);
    search->packets[t] = (uint32_t)listed->count;
    search->listed[t] = listed->data;
    return ok;
}

// Reserve a buffer of 64-bit items. The content is lost when it grows.
static bool reserve_capacity(uint64_t** buffer, size_t* capacity, size_t needed, size_t copies,
                             const rblAllocator* allocator)
{
    if (needed <= *capacity)
    {
        return true;
    }
    uint64_t* grown =
        needed <= SIZE_MAX / copies ? RBL_NEW_ARRAY(allocator, uint64_t, needed * copies) : NULL;
    if (grown == NULL)
    {
        return false;
    }
    RBL_FREE_ARRAY(allocator, *buffer, *capacity * copies);
    *buffer = grown;
    *capacity = needed;
    return true;
}

static size_t ample_capacity(const rblBroadPhase* broad, size_t needed)
{
    const size_t pile = rbl_pile_pairs(broad);
    return 2 * needed > pile ? 2 * needed : pile;
}

// Reserve the runs. When the last search almost filled them, they grow in advance: a pile collapses over many steps, and a
// search that overflows must be repeated.
static bool reserve_runs(rblBroadPhase* broad, size_t needed)
{
    rblPairSearch* buffers = &broad->search;
    const size_t in_advance = buffers->run_need + buffers->run_need / 4;
    const size_t reserved = needed > in_advance ? needed : in_advance;
    return reserved <= buffers->run_capacity ||
           reserve_capacity(&buffers->runs, &buffers->run_capacity, ample_capacity(broad, reserved), 1,
                            broad->allocator);
}

// Fill the runs. When one of them overflows, repeat with a larger capacity.
static bool fill_runs(rblBroadPhase* broad, Search* search, uint32_t packets, rblJobs* jobs)
{
    rblPairSearch* buffers = &broad->search;
    size_t reserved = MIN_RUN;
    for (;;)
    {
        if (!reserve_runs(broad, reserved * search->blocks))
        {
            return false;
        }
        search->runs = buffers->runs;
        search->run_size = buffers->run_capacity / search->blocks;
        rbl_parallel_for(jobs, packets, MIN_PACKETS, search_block, search);
        size_t longest = 0;
        for (uint32_t b = 0; b < search->blocks; ++b)
        {
            longest = search->counts[b] > longest ? search->counts[b] : longest;
        }
        buffers->run_need = longest * search->blocks;
        if (longest <= search->run_size)
        {
            return true;
        }
        reserved = longest;
    }
}

// Copy all runs into one array.
static rblResult join_runs(rblBroadPhase* broad, const Search* search, size_t* total)
{
    rblPairSearch* buffers = &broad->search;
    size_t sum = 0;
    for (uint32_t b = 0; b < search->blocks; ++b)
    {
        sum += search->counts[b];
    }
    if (sum >= UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "broad phase: the number of pairs must be below 2^32 - 1");
    }
    const size_t needed = sum <= buffers->found_capacity ? sum : ample_capacity(broad, sum);
    if (!reserve_capacity(&buffers->found, &buffers->found_capacity, needed, 2, broad->allocator))
    {
        return rbl_fail_memory();
    }
    *total = 0;
    for (uint32_t b = 0; b < search->blocks; ++b)
    {
        if (search->counts[b] > 0)
        {
            memcpy(buffers->found + *total, search->runs + search->run_size * b,
                   sizeof(uint64_t) * search->counts[b]);
        }
        *total += search->counts[b];
    }
    return RBL_OK;
}

static bool reserve_histograms(rblBroadPhase* broad, uint32_t workers)
{
    const size_t needed = RBL_RADIX_HISTOGRAM_SIZE(workers);
    rblPairSearch* buffers = &broad->search;
    if (buffers->histogram_capacity < needed)
    {
        uint32_t* grown = RBL_NEW_ARRAY(broad->allocator, uint32_t, needed);
        if (grown == NULL)
        {
            return false;
        }
        RBL_FREE_ARRAY(broad->allocator, buffers->histograms, buffers->histogram_capacity);
        buffers->histograms = grown;
        buffers->histogram_capacity = needed;
    }
    return true;
}

void rbl_pair_search_free(rblPairSearch* search, const rblAllocator* allocator)
{
    RBL_FREE_ARRAY(allocator, search->runs, search->run_capacity);
    RBL_FREE_ARRAY(allocator, search->found, 2 * search->found_capacity);
    RBL_FREE_ARRAY(allocator, search->histograms, search->histogram_capacity);
    rbl_array_free(&search->packets[0]);
    rbl_array_free(&search->packets[1]);
    rbl_array_free(&search->pending);
    *search = (rblPairSearch){0};
}

static void mark_all(rblBroadPhase* broad)
{
    rblProxyTree* tree = &broad->trees[1];
    for (uint32_t leaf = 0; leaf < tree->count; ++leaf)
    {
        if (tree->proxies[leaf] != RBL_NO_PROXY)
        {
            rbl_proxy_tree_mark(tree, leaf);
            broad->flags[tree->proxies[leaf]] |= RBL_PROXY_MARKED;
        }
    }
}

// Find all pairs of overlapping boxes with a marked proxy, sorted.
static rblResult find_pairs(rblBroadPhase* broad, rblJobs* jobs, rblPairChange* change)
{
    const uint32_t unbounded = (uint32_t)broad->unbounded.count;
    Search search = {.broad = broad};
    // When most leaves are marked, all are: each pair is then reported from one side, and whole subtrees are skipped. This is
    // faster than testing each mark, and the result is the same.
    search.all = broad->trees[1].marked > broad->trees[1].live / 2;
    if (search.all)
    {
        mark_all(broad);
    }
    if (!choose_packets(broad, &search, 0) || !choose_packets(broad, &search, 1))
    {
        return rbl_fail_memory();
    }
    search.shift = rbl_ceil_log2(broad->capacity > 2 ? broad->capacity : 2);
    const uint32_t packets = search.packets[0] + search.packets[1] + unbounded;
    search.blocks = rbl_block_count(packets, MIN_PACKETS);
    *change = (rblPairChange){.shift = search.shift, .flags = broad->flags, .proxies = broad->capacity};
    if (packets == 0)
    {
        return RBL_OK;
    }
    if (!fill_runs(broad, &search, packets, jobs) || !reserve_histograms(broad, rbl_jobs_worker_count(jobs)))
    {
        return rbl_fail_memory();
    }
    RBL_TRY(join_runs(broad, &search, &change->count));
    rblPairSearch* buffers = &broad->search;
    rblJobs* sorters = change->count < MIN_SORT ? rbl_serial_jobs() : jobs;
    change->found = buffers->found; // null until a first pair was found
    if (change->count > 0)
    {
        change->found = rbl_radix_sort(sorters, buffers->found, buffers->found + buffers->found_capacity,
                                       (uint32_t)change->count, 0, 2 * search.shift, buffers->histograms);
    }
    return RBL_OK;
}

// ---- the update ----

static void maintain_tree(rblBroadPhase* broad, rblProxyTree* tree, rblJobs* jobs)
{
    if (tree->changes <= tree->live / 16)
    {
        return;
    }
    tree->changes = 0;
    const double holes = (double)(tree->count - tree->live);
    const double cost = rbl_proxy_tree_cost(tree);
    if (holes > WORN_HOLES * tree->live || cost > WORN_COST * tree->built_cost)
    {
        // When memory runs out, the tree stays as it is: queries are slower but valid.
        (void)rbl_proxy_tree_rebuild(tree, broad->boxes, broad->flags, RBL_PROXY_MARKED, broad->leaf_of,
                                     &broad->scratch, jobs);
    }
}

#define PENDING_FLAGS 0x3838383838383838ull // RBL_PROXY_PENDING in eight flags

// List the proxies with pending changes, eight or 32 at a time. False when out of memory.
static bool list_pending(rblBroadPhase* broad)
{
    const uint8_t* flags = broad->flags;
    const uint32_t capacity = broad->capacity;
    rblIndexArray* pending = &broad->search.pending;
    bool ok = true;
    rbl_array_clear(pending);
    for (uint32_t first = 0; first < capacity && ok; first += 32)
    {
        uint64_t words[4] = {PENDING_FLAGS, 0, 0, 0};
        if (first + 32 <= capacity)
        {
            memcpy(words, flags + first, sizeof words);
        }
        const bool any = ((words[0] | words[1] | words[2] | words[3]) & PENDING_FLAGS) != 0;
        for (uint32_t i = first; any && i < first + 32 && i < capacity && ok; ++i)
        {
            ok = (flags[i] & RBL_PROXY_PENDING) == 0 || rbl_array_push(pending, i);
        }
    }
    return ok;
}

static void clear_changes(rblBroadPhase* broad)
{
    const uint8_t kept = RBL_PROXY_EXISTS | RBL_PROXY_MOVING | RBL_PROXY_UNBOUNDED;
    for (size_t i = 0; i < broad->search.pending.count; ++i)
    {
        broad->flags[broad->search.pending.data[i]] &= kept;
    }
    rbl_proxy_tree_clear_marks(&broad->trees[0]);
    rbl_proxy_tree_clear_marks(&broad->trees[1]);
    broad->changed = false;
}

rblResult rbl_broad_phase_update(rblBroadPhase* broad, rblPairFilterFcn* filter, const void* context,
                                 rblJobs* jobs, rblProxyPairArray* begun, rblProxyPairArray* ended)
{
    if (!broad->changed)
    {
        rbl_array_clear(begun);
        rbl_array_clear(ended);
        return RBL_OK;
    }
    maintain_tree(broad, &broad->trees[0], jobs);
    maintain_tree(broad, &broad->trees[1], jobs);
    rblPairChange change;
    RBL_TRY(find_pairs(broad, jobs, &change));
    change.filter = filter;
    change.context = context;
    change.ample = 2 * rbl_pile_pairs(broad);
    if (!list_pending(broad))
    {
        return rbl_fail_memory();
    }
    change.pending = broad->search.pending.data;
    change.pending_count = broad->search.pending.count;
    if (!rbl_pair_set_merge(&broad->pairs, &change, jobs, begun, ended))
    {
        return rbl_fail_memory();
    }
    clear_changes(broad);
    return RBL_OK;
}
