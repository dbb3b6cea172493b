// Samples of one shape in the field of the other, both ways round (Glondu 2012, Algorithm 1), and few contacts out of many
// (5.3). For any two shapes of which at least one has samples; what convex pairs need is exact and elsewhere.
#ifndef RBL_FIELD_CONTACT_FIELD_CONTACT_H
#define RBL_FIELD_CONTACT_FIELD_CONTACT_H

#include "field/contact/collide.h"

// rbl_fields_collide(): of the samples within the margin m are contacts (field_select.h says which), after these every one
// deeper than the tolerance eps, and, where paths are named, what is in the way there. The deepest sample, or the one with
// the smallest gap, is always there. `colliding` is the number of samples inside. Features are sample numbers, doubled, plus
// 1 for samples of the second shape.
//
// What it cannot see: two edges that cross between their samples. With edges sampled every s metres, two right-angled
// ones that cross squarely overlap by up to 0.35 s before a sample of one is inside the other.

// ---- contact sets ----

// A second set for parts of the first, kept with it. Null when out of memory.
rblContactSet* rbl_contact_set_part(rblContactSet* set);

// What rbl_contact_set_free() does besides the points.
void rbl_contact_scratch_free(rblContactSet* set);

#endif
