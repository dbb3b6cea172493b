// Samples of one shape in the field of the other, both ways round (Glondu 2012, Algorithm 1), and few contacts out of many
// (5.3). For any two shapes of which at least one has samples; what convex pairs need is exact and elsewhere.
#ifndef RBL_FIELD_FIELD_CONTACT_H
#define RBL_FIELD_FIELD_CONTACT_H

#include "rubble/shape.h"

// Contacts by samples and fields; parameters and result as rbl_shape_collide(). Of the samples whose distance is at most
// the tolerance eps the first m are contacts, in the order of the hierarchy's levels; after these, every one deeper than
// eps and none else. Samples with a gap up to the margin fill what is left of m. The deepest sample, or the one with the
// smallest gap, is always there. Of two contacts, one from either side, at the same place (within eps) the shallower is
// left out. `colliding` counts the samples inside that the search came across.
// Features are sample numbers, doubled, plus 1 for samples of the second shape.
//
// What it cannot see: two edges that cross between their samples. With edges sampled every s metres, two right-angled
// ones that cross squarely overlap by up to 0.35 s before a sample of one is inside the other.
rblResult rbl_collide_fields(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                             const rblCollideOptions* options, rblPairCache* cache, rblContactSet* out);

// A lower bound, as far as samples tell, of the distance between two shapes, negative when they overlap: the smallest field
// value at any sample of either, less the error of the field. For conservative advancement.
float rbl_field_gap(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a);

// What a field may be off by where it is interpolated, and at its surface; 0 for exact ones.
float rbl_field_slack(const rblShape* shape);
float rbl_field_error(const rblShape* shape);

// ---- contact sets ----

// Room for `count` points in all.
rblResult rbl_contact_set_grow(rblContactSet* set, uint32_t count);

// A second set for parts of the first, kept with it. Null when out of memory.
rblContactSet* rbl_contact_set_part(rblContactSet* set);

// What rbl_contact_set_free() does besides the points.
void rbl_contact_scratch_free(rblContactSet* set);

#endif
