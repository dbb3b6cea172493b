// Internal data of the broad phase: proxies by number, two trees, a list of unbounded boxes, and the set of pairs.
#ifndef RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_PRIVATE_H
#define RBL_DYNAMICS_BROAD_PHASE_BROAD_PHASE_PRIVATE_H

#include "dynamics/broad_phase/broad_phase.h"
#include "dynamics/broad_phase/broad_phase_pairs.h"
#include "dynamics/broad_phase/broad_phase_tree.h"

// Buffers of the search for pairs, kept between updates.
typedef struct rblPairSearch
{
    uint64_t* runs; // keys of the found pairs: each block of the search has an equal part
    size_t run_capacity;
    size_t run_need; // capacity that the last search needed
    uint64_t* found; // all found keys; a second half is the buffer of the sort
    size_t found_capacity;
    uint32_t* histograms;
    size_t histogram_capacity;
    rblIndexArray packets[2]; // those of a tree with marks, when they are few
    rblIndexArray pending;    // proxies with a flag of RBL_PROXY_PENDING
} rblPairSearch;

struct rblBroadPhase
{
    const rblAllocator* allocator;
    rblAabb* boxes;          // per proxy: the fat box
    uint32_t* leaf_of;       // per proxy: index of its leaf, or index in the list of unbounded proxies
    uint8_t* flags;          // per proxy: RBL_PROXY_...
    uint32_t capacity;       // number of proxies that the arrays above have memory for
    rblProxyTree trees[2];   // 0: static proxies; 1: moving proxies
    rblIndexArray unbounded; // proxies
    bool changed;            // a proxy was marked or removed since the last update
    rblPairSet pairs;
    rblPairSearch search;
    rblTreeScratch scratch;
};

static inline bool rbl_proxy_exists(const rblBroadPhase* broad, uint32_t proxy)
{
    return proxy < broad->capacity && (broad->flags[proxy] & RBL_PROXY_EXISTS) != 0;
}

static inline rblProxyTree* rbl_broad_phase_tree_of(rblBroadPhase* broad, uint32_t proxy)
{
    return &broad->trees[(broad->flags[proxy] & RBL_PROXY_MOVING) != 0];
}

// Smallest capacity of pair buffers when they grow: enough for a pile of all moving proxies (1.5 times the pairs of the pile in
// docs/benchmarks.md). Otherwise they would be moved several times in the slowest steps of a collapse. Memory that is never
// touched costs nothing. With more than 16384 proxies buffers grow by doubling only.
static inline size_t rbl_pile_pairs(const rblBroadPhase* broad)
{
    const size_t live = broad->trees[1].live;
    return 16 * (live < 16384 ? live : 16384);
}

void rbl_pair_search_free(rblPairSearch* search, const rblAllocator* allocator);

#endif
