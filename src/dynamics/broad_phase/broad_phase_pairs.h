// The persistent set of pairs: one sorted array, merged in one pass with the pairs that a search found.
//
// A hash set would be faster when only a few pairs change. But in a collapse nearly all pairs are found again, and then sorting
// and merging read memory in order. The begun and ended pairs and the set itself are sorted without extra work.
//
// When only a few pairs are found again, the others leave the array: they are parked in lists, one per proxy, until one of their
// two proxies searches again. An update then costs what moves, whatever the number of pairs at rest.
#ifndef RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_PAIRS_H
#define RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_PAIRS_H

#include "dynamics/broad_phase/broad_phase.h"

// Flags of a proxy.
enum
{
    RBL_PROXY_EXISTS = 1,
    RBL_PROXY_MOVING = 2,
    RBL_PROXY_UNBOUNDED = 4, // in the list of unbounded proxies, not in a tree
    RBL_PROXY_MARKED = 8,    // searches for pairs in the next update
    RBL_PROXY_REMOVED = 16,  // removed since the last update, and perhaps added again: its old pairs end
    RBL_PROXY_TOUCHED = 32,  // the filter is called again for its pairs
    RBL_PROXY_MOVED = 64,    // only during rbl_broad_phase_move()
    RBL_PROXY_PENDING = RBL_PROXY_MARKED | RBL_PROXY_REMOVED | RBL_PROXY_TOUCHED
};

// A parked pair, in the lists of both its proxies. A side is twice the index of the pair, plus 1 for b.
typedef struct rblParkedPair
{
    rblProxyPair pair;
    uint32_t next[2],
        last[2]; // sides in the list of a, and of b; RBL_NO_SIDE: none. A hole: next[0] is the next hole
} rblParkedPair;

#define RBL_NO_SIDE UINT32_MAX

typedef struct rblPairSet
{
    rblProxyPair* pairs; // those that are not parked, sorted by (a, b)
    rblProxyPair* next;  // the set after the next merge, as large as `pairs`
    size_t count, capacity;
    RBL_ARRAY(rblParkedPair) parked; // with holes
    uint32_t hole;                   // the first hole; RBL_NO_SIDE: none
    size_t parked_count;
    rblIndexArray heads;         // by proxy: the first side of its list
    RBL_ARRAY(uint64_t) leaving; // keys of pairs that leave the lists
    const rblAllocator* allocator;
} rblPairSet;

// The result of a search: every pair of overlapping boxes with at least one marked proxy, once each.
typedef struct rblPairChange
{
    uint64_t* found;         // sorted keys a << shift | b; overwritten by the merge
    size_t count;            // number of found pairs
    uint32_t shift;          // number of bits of a proxy number
    size_t ample;            // smallest capacity of the set when it grows, in pairs
    const uint8_t* flags;    // per proxy
    uint32_t proxies;        // number of flags
    const uint32_t* pending; // proxies with a flag of RBL_PROXY_PENDING
    size_t pending_count;
    rblPairFilterFcn* filter;
    const void* context;
} rblPairChange;

void rbl_pair_set_init(rblPairSet* set, const rblAllocator* allocator);
void rbl_pair_set_free(rblPairSet* set);

// Number of all pairs, parked ones included. Put all pairs back into the sorted array; false when out of memory.
static inline size_t rbl_pair_set_count(const rblPairSet* set)
{
    return set->count + set->parked_count;
}

bool rbl_pair_set_unpark(rblPairSet* set);

// Whether the array is sorted and the lists are intact, for tests.
bool rbl_pair_set_is_valid(const rblPairSet* set);

// Replace the set by these sorted pairs. False when out of memory; the set is then unchanged.
bool rbl_pair_set_assign(rblPairSet* set, const rblProxyPair* pairs, size_t count);

// Merge the changes into the set; `begun` and `ended` are replaced. False when out of memory; set and outputs are then
// unchanged.
bool rbl_pair_set_merge(rblPairSet* set, const rblPairChange* change, rblJobs* jobs, rblProxyPairArray* begun,
                        rblProxyPairArray* ended);

#endif
