// The distance field of a fragment: one label of an event (Glondu 2012, 4.3 to 4.5).
//
// Inside: the nearer of the original surface (level set; deep inside by the nodes, Eq. 1) and of cracks (pieces that the nodes know; in
// cut tetrahedra also what their planes have of crack). Outside, bounds: the level set, the fragment's box, cells without the fragment, and its own cracks.
#ifndef RBL_FIELD_FRAGMENT_FRAGMENT_FIELD_H
#define RBL_FIELD_FRAGMENT_FRAGMENT_FIELD_H

#include "field/fragment/fragment_discs.h"
#include "field/fragment/fragment_event.h"

typedef struct rblFragmentField
{
    const rblFragmentEvent* event; // held by the shape
    uint32_t label;
    rblAabb bounds;      // holds the fragment
    rblDiscBlock* discs; // its pieces of crack; null: they are many, or not there
    uint32_t disc_blocks;
    _Atomic(rblLevelSet*) grid; // null: nobody has asked yet (rbl_field_of())
} rblFragmentField;

// insideTest: in the solid and in a part of the fragment.
bool rbl_fragment_inside(const rblFragmentField* field, rblVec3 point);

// penetration: signed distance, negative inside, and its gradient, of unit length, out of the fragment. Outside it is an estimate
// near the fragment and a bound farther off.
float rbl_fragment_distance(const rblFragmentField* field, rblVec3 point, rblVec3* gradient);

// How deep inside a point is, and the gradient there; 0 outside, which takes less time than the distance.
float rbl_fragment_depth(const rblFragmentField* field, rblVec3 point, rblVec3* gradient);

#endif
