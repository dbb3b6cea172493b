// The list of the pairs with an awake body: step->active_pairs, sorted by (a, b).
#ifndef RBL_DYNAMICS_ACTIVE_PAIRS_H
#define RBL_DYNAMICS_ACTIVE_PAIRS_H

#include "dynamics/step.h"

// Reserve memory for pairs that begin. False when out of memory.
bool rbl_active_pairs_reserve(rblStep* step, size_t begun);

// Add a pair to the world. Pairs begin in their order; the memory is reserved.
void rbl_active_pairs_begin(rblStep* step, const rblPair* pair);

// Take a pair that ends out of the list; the caller then removes it. Pairs end in their order, and `from` is 0 at first. Returns
// its index, RBL_NONE: there is none.
uint32_t rbl_active_pairs_end(rblStep* step, uint32_t a, uint32_t b, size_t* from);

// The index of an active pair, RBL_NONE: there is none.
uint32_t rbl_active_pair_find(const rblStep* step, uint32_t a, uint32_t b);

// Empty the list, because the pairs of the world were replaced.
void rbl_active_pairs_forget(rblStep* step);

#endif
