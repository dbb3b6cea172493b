// Contacts of pairs of shapes, by family.
#ifndef RBL_FIELD_CONTACT_COLLIDE_H
#define RBL_FIELD_CONTACT_COLLIDE_H

#include "field/engine.h"

// The allocator of the points of a set.
const rblAllocator* rbl_contact_set_allocator(const rblContactSet* set);

bool rbl_contact_set_reserve(rblContactSet* set, uint32_t extra);

// Pairs that are not both convex (a plane is convex, and also has a field): samples of each shape in the field of the
// other. `out` is empty on entry.
rblResult rbl_fields_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                             const rblContactOptions* options, rblPairCache* cache, rblContactSet* out);

// Contacts of all pairs of parts, if one or both shapes have parts, added to an empty set. The feature of a contact
// combines the indices of the parts and the feature of the pair.
rblResult rbl_parts_collide(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                            const rblContactOptions* options, rblContactSet* out);

#endif
