// The distance field of a fragment: one label of an event (Glondu 2012, 4.3 to 4.5).
//
// Inside: the distance to the nearer of the original surface (level set; deep inside from the nodes, Eq. 1) and of the
// cracks (pieces stored at the nodes; in cut tetrahedra also their planes). Outside, bounds: the level set, the box of
// the fragment, cells without the fragment, and its cracks.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_FIELD_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_FIELD_H

#include "field/fragment/fragment_discs.h"
#include "field/fragment/fragment_event.h"

typedef struct rblFragmentField
{
    const rblFragmentEvent* event; // the shape retains it
    uint32_t label;
    rblAabb bounds;      // contains the fragment
    rblDiscBlock* discs; // its crack pieces; null: too many, or none
    uint32_t disc_blocks;
    _Atomic(rblLevelSet*) grid; // null before the first call of rbl_field_of()
} rblFragmentField;

// insideTest of the paper: in the solid and in a part of the fragment.
bool rbl_fragment_inside(const rblFragmentField* field, rblVec3 point);

// penetration of the paper: signed distance, negative inside, and its gradient, a unit vector out of the fragment.
// Outside it is an estimate near the fragment and a bound farther away.
float rbl_fragment_distance(const rblFragmentField* field, rblVec3 point, rblVec3* gradient);

// Depth of a point inside, and the gradient there; 0 outside. It costs less than the distance.
float rbl_fragment_depth(const rblFragmentField* field, rblVec3 point, rblVec3* gradient);

#endif
