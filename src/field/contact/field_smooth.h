// Contacts between smooth surfaces.
//
// A contact at a sample is rarely the deepest point of a pair. A ball with contacts at samples rolls like a polyhedron and loses energy
// at every sample. Where both surfaces are smooth near a contact, each is fitted by a paraboloid, and the contact is moved to the
// point where the paraboloids are closest.
#ifndef RBL_FIELD_CONTACT_FIELD_SMOOTH_H
#define RBL_FIELD_CONTACT_FIELD_SMOOTH_H

#include "field/contact/field_sampling.h"
#include "field/contact/field_select.h"

// The fields of two shapes.
typedef struct rblSmoothPair
{
    const rblField* fields[2];
    rblMat3 rotation; // from the first shape's axes to the second's
    rblVec3 offset;
    float scale; // m: radius of the fit
} rblSmoothPair;

// Move a contact to where the surfaces are closest, with the normal there. False, and the contact as it was: a surface is not
// smooth, or they are not closest near it.
bool rbl_contact_smooth(const rblSmoothPair* pair, rblContactPoint* contact, rblSmoothness* out);

#endif
