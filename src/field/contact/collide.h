// How pairs of shapes meet, by what they are.
#ifndef RBL_FIELD_CONTACT_COLLIDE_H
#define RBL_FIELD_CONTACT_COLLIDE_H

#include "field/engine.h"

// Room for `extra` more points; false when out of memory.
// Where its memory comes from.
const rblAllocator* rbl_contact_set_allocator(const rblContactSet* set);

bool rbl_contact_set_reserve(rblContactSet* set, uint32_t extra);

// Pairs that are not both convex (planes count as convex, and as fields too): samples of each in the field of the other.
// `out` is empty on entry.
rblResult rbl_fields_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                             const rblContactOptions* options, rblPairCache* cache, rblContactSet* out);

// Contacts of all pairs of parts, one or both shapes having some, added to an empty set. Features mix the parts' numbers with their
// own.
rblResult rbl_parts_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                            const rblContactOptions* options, rblContactSet* out);

#endif
