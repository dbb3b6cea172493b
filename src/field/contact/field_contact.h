// Contacts from samples of each shape in the field of the other (Glondu 2012, Algorithm 1), reduced to a few (5.3). For
// any two shapes of which at least one has samples. Convex pairs have exact algorithms of their own.
#ifndef RBL_FIELD_CONTACT_FIELD_CONTACT_H
#define RBL_FIELD_CONTACT_FIELD_CONTACT_H

#include "base/array.h"
#include "field/contact/collide.h"

// rbl_fields_collide(): m of the samples within the margin become contacts (field_select.h); then every sample deeper
// than the tolerance eps, and with predicted paths the obstacles on the paths. The deepest sample, or the one with the
// smallest gap, is always a contact. `colliding` is the number of samples inside. The feature of a contact is twice the
// sample index, plus 1 for samples of the second shape. With paths, a contact of smooth surfaces is moved from the sample to
// the point where the surfaces are closest (field_smooth.h).
//
// Limitation: two edges that cross between their samples are not detected. With edges sampled every s metres, two
// perpendicular edges can overlap by up to 0.35 s before a sample of one is inside the other.

// ---- contact sets ----

// Parts of two shapes.
typedef struct rblPartPair
{
    uint32_t a, b;
} rblPartPair;

typedef RBL_ARRAY(rblPartPair) rblPartPairArray;

// A second set for parts of the first, and a list of pairs of parts, both owned by it. Null without memory.
rblContactSet* rbl_contact_set_part(rblContactSet* set, rblPartPairArray** pairs);

// Set the number that rbl_contact_set_leading() returns. Sets that were used for convex pairs only do not store it; they have no redundant
// contacts.
void rbl_contact_set_keep_leading(rblContactSet* set, uint32_t leading);

// Frees everything of a set except the points; rbl_contact_set_free() calls it.
void rbl_contact_scratch_free(rblContactSet* set);

#endif
