// Contacts of one pair.
#ifndef RBL_DYNAMICS_NARROW_PHASE_H
#define RBL_DYNAMICS_NARROW_PHASE_H

#include "dynamics/stages.h"

// Append the contacts of a pair to `out` and update its record; `first` is an index into `out`. Contacts of the last step are
// in `last_contacts`. `set` is working memory. False when out of memory.
bool rbl_pair_find_contacts(const rblStep* step, rblPair* pair, rblContactSet* set, rblContactArray* out);

#endif
