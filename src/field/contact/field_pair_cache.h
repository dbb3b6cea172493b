// Cache of a pair that did not touch: its gap and its pose. While the relative motion is smaller than the gap, the pair
// does not touch, and no search is needed.
#ifndef RBL_FIELD_CONTACT_FIELD_PAIR_CACHE_H
#define RBL_FIELD_CONTACT_FIELD_PAIR_CACHE_H

#include "rubble/shape.h"

// All field values at samples of both shapes were above `gap` at this pose, and they decrease by at most the relative
// motion.
void rbl_field_cache_store(rblPairCache* cache, rblTransform b_in_a, float gap);

// Remove the entry: the pair touches.
void rbl_field_cache_clear(rblPairCache* cache);

// Whether all these values are certainly still above `margin`.
bool rbl_field_cache_apart(const rblPairCache* cache, const rblShapeView* a, const rblShapeView* b,
                           rblTransform b_in_a, float margin);

#endif
