// The pairs of a world: an array with holes, and a list of pairs per body.
//
// The index of a pair does not change while it exists, so that a pair that begins or ends costs nothing for the others. The order
// of the array and of the lists depends on the past, so results must not depend on it: whoever needs an order sorts by (a, b).
#ifndef RBL_DYNAMICS_PAIR_LIST_H
#define RBL_DYNAMICS_PAIR_LIST_H

#include "dynamics/world.h"

// Whether the entry is a pair and not a hole.
static inline bool rbl_pair_exists(const rblPair* pair)
{
    return pair->generation_a != 0;
}

// A pair in the list of one of its bodies is a side: twice the index of the pair, plus 1 for b. RBL_NONE: the list ends.
//   for (uint32_t side = rbl_first_side(world, slot); side != RBL_NONE; side = rbl_next_side(world, side))
static inline uint32_t rbl_first_side(const rblWorld* world, uint32_t slot)
{
    return slot < world->first_sides.count ? world->first_sides.data[slot] : RBL_NONE;
}

static inline uint32_t rbl_next_side(const rblWorld* world, uint32_t side)
{
    return world->pair_sides.data[side].next;
}

static inline rblPair* rbl_side_pair(rblWorld* world, uint32_t side)
{
    return &world->pairs.data[side / 2];
}

static inline uint32_t rbl_pair_other(const rblPair* pair, uint32_t slot)
{
    return pair->a == slot ? pair->b : pair->a;
}

// Number of pairs without the holes.
static inline size_t rbl_pair_count(const rblWorld* world)
{
    return world->pairs.count - world->free_pairs.count;
}

// Reserve memory for more pairs, and lists for all bodies. False when out of memory.
bool rbl_pairs_reserve(rblWorld* world, size_t more, size_t ample);

// Add a pair, whose memory is reserved; returns its index. Remove one.
uint32_t rbl_pair_add(rblWorld* world, const rblPair* pair);
void rbl_pair_remove(rblWorld* world, uint32_t index);

// The index of the pair of two bodies, RBL_NONE when there is none. Takes as long as the shorter list of the two.
uint32_t rbl_pair_find(const rblWorld* world, uint32_t a, uint32_t b);

// Build the lists of all pairs in the array, which has no holes. The memory is reserved.
void rbl_pairs_link_all(rblWorld* world);

// Sort indices of pairs by (a, b). False when out of memory.
bool rbl_pairs_sort(const rblWorld* world, rblIndexArray* pairs, rblIndexArray* scratch);

// List the pairs of a body, sorted. With `as_a`, only those in which it is the first body. False when out of memory.
bool rbl_pairs_of_body(const rblWorld* world, uint32_t slot, bool as_a, rblIndexArray* out,
                       rblIndexArray* scratch);

// The first index with a wrong list, a wrong hole, or two equal pairs, for checks; RBL_NONE: none.
uint32_t rbl_pairs_find_fault(const rblWorld* world);

#endif
