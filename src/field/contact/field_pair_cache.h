// What a query by samples remembers of a pair that did not touch: how far apart it was, and at which pose. As long as it
// has moved by less than that, it still does not touch and nothing needs to be searched.
#ifndef RBL_FIELD_CONTACT_FIELD_PAIR_CACHE_H
#define RBL_FIELD_CONTACT_FIELD_PAIR_CACHE_H

#include "rubble/shape.h"

// All field values at samples, of both sides, were above `gap` at this pose, and fall by no more than the way made.
void rbl_field_cache_store(rblPairCache* cache, rblTransform b_in_a, float gap);

// Forget: the pair touches.
void rbl_field_cache_clear(rblPairCache* cache);

// Whether all of them are certainly still above `margin`.
bool rbl_field_cache_apart(const rblPairCache* cache, const rblShapeView* a, const rblShapeView* b,
                           rblTransform b_in_a, float margin);

#endif
