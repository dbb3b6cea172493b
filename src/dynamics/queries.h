// What queries and sensors share.
#ifndef RBL_DYNAMICS_QUERIES_H
#define RBL_DYNAMICS_QUERIES_H

#include "rubble/shape.h"

// The distance at which a moving shape meets another one, m.
static inline float rbl_meeting_distance(const rblShapeView* a, const rblShapeView* b)
{
    return 1e-4f * (a->thinnest < b->thinnest ? a->thinnest : b->thinnest);
}

#endif
