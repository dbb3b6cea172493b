// The persistent set of pairs: one sorted array, merged in one pass with what a step found.
//
// A hash set would be cheaper where a handful of pairs changes, but in a collapse everything is found anew, and then sorting
// and merging run straight through memory; what begins and ends comes out in order, and so does the set itself.
#ifndef RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_PAIRS_H
#define RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_PAIRS_H

#include "dynamics/broad_phase/broad_phase.h"

// What is known of a proxy.
enum
{
    RBL_PROXY_EXISTS = 1,
    RBL_PROXY_MOVING = 2,
    RBL_PROXY_UNBOUNDED = 4, // kept in the list, not in a tree
    RBL_PROXY_MARKED = 8,    // looks for partners in the next update
    RBL_PROXY_REMOVED = 16,  // since the last update, and perhaps added again: its old pairs are void
    RBL_PROXY_TOUCHED = 32,  // the filter decides its pairs again
    RBL_PROXY_MOVED = 64,    // only during rbl_broad_phase_move()
    RBL_PROXY_PENDING = RBL_PROXY_MARKED | RBL_PROXY_REMOVED | RBL_PROXY_TOUCHED
};

typedef struct rblPairSet
{
    rblProxyPair* pairs; // sorted by (a, b)
    rblProxyPair* next;  // the set after the next merge, as large as `pairs`
    size_t count, capacity;
    const rblAllocator* allocator;
} rblPairSet;

// What a step found: every pair of overlapping boxes of which one at least is marked, once each.
typedef struct rblPairChange
{
    uint64_t* found;      // sorted; a << shift | b. Overwritten.
    size_t count;         // of found
    uint32_t shift;       // bits of a proxy's number
    size_t ample;         // pairs that the set has room for at least when it grows
    const uint8_t* flags; // per proxy
    rblPairFilterFcn* filter;
    const void* context;
} rblPairChange;

void rbl_pair_set_init(rblPairSet* set, const rblAllocator* allocator);
void rbl_pair_set_free(rblPairSet* set);

// Make it these pairs, sorted. False when out of memory, the set unchanged.
bool rbl_pair_set_assign(rblPairSet* set, const rblProxyPair* pairs, size_t count);

// Replace begun and ended by the changes. False when out of memory, set and outputs unchanged.
bool rbl_pair_set_merge(rblPairSet* set, const rblPairChange* change, rblJobs* jobs, rblProxyPairArray* begun,
                        rblProxyPairArray* ended);

#endif
