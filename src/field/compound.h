// Shapes joined at fixed poses.
#ifndef RBL_FIELD_COMPOUND_H
#define RBL_FIELD_COMPOUND_H

#include "field/engine.h"
#include "field/shape.h"

typedef struct rblCompoundChild
{
    const rblShape* shape; // held
    rblTransform pose;
    rblAabb box;   // in the compound's axes
    rblQuat given; // the rotation before it was made unit length
} rblCompoundChild;

typedef struct rblCompound
{
    uint32_t count;
    rblCompoundChild children[];
} rblCompound;

// The compound behind a shape of that kind, else null.
const rblCompound* rbl_shape_compound(const rblShape* shape);

// Contacts of all pairs of children, one or both shapes being compounds, added to an empty set; as rbl_shape_find_contacts(). Features mix the children's
// numbers with their own.
rblResult rbl_collide_compound(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a,
                               const rblContactOptions* options, rblContactSet* out);

#endif
