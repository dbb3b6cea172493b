// The pairs of parts of two shapes that can be close. A shape without parts is its own only part.
#ifndef RBL_FIELD_CONTACT_PART_PAIRS_H
#define RBL_FIELD_CONTACT_PART_PAIRS_H

#include "field/shape.h"

// Called for each pair. False ends the search.
typedef bool rblPartPairFcn(uint32_t part_a, uint32_t part_b, void* context);

typedef struct rblPartPairs
{
    const rblShapeView* a;
    const rblShapeView* b;
    rblTransform b_in_a;
    rblVec3 travel; // m, of b relative to a in the axes of a
    float margin;   // m
    rblPartPairFcn* visit;
    void* context;
} rblPartPairs;

// Visit all pairs whose boxes are within the margin somewhere on the path of b.
void rbl_part_pairs_visit(const rblPartPairs* pairs);

// One part of a shape.
typedef struct rblPartView
{
    const rblShapeView* view;
    rblTransform pose; // in the axes of the whole shape
    bool has_pose;     // whether the pose is not the identity
} rblPartView;

rblPartView rbl_part_view(const rblShapeView* view, uint32_t part);

#endif
