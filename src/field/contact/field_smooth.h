// The deepest point of a smooth contact.
//
// Samples lie anywhere on a surface. A ball that rolls from sample to sample loses energy at each of them, as a polygon does. Where
// both surfaces are smooth about a contact, as seen at the scale of the smaller shape, each is close to a paraboloid there, and
// what touches is where these are closest.
#ifndef RBL_FIELD_CONTACT_FIELD_SMOOTH_H
#define RBL_FIELD_CONTACT_FIELD_SMOOTH_H

#include "field/contact/field_sampling.h"
#include "field/contact/field_select.h"

// Two surfaces about a contact, in the first shape's axes.
typedef struct rblSmoothPair
{
    const rblField* fields[2];
    rblMat3 rotation; // from the first shape's axes to the second's
    rblVec3 offset;
    float scale; // m: how far about the contact
} rblSmoothPair;

// Move a contact to where the surfaces are closest, with the normal there. False, and the contact as it was: a surface is not
// smooth, or they are not closest near it.
bool rbl_contact_smooth(const rblSmoothPair* pair, rblContactPoint* contact, rblSmoothness* out);

#endif
