// What queries and sensors share.
#ifndef RBL_DYNAMICS_QUERIES_H
#define RBL_DYNAMICS_QUERIES_H

#include "rubble/shape.h"

// The distance at which a moving shape meets another one, m.
static inline float rbl_meeting_distance(const rblShapeView* a, const rblShapeView* b)
{
    return 1e-4f * (a->thinnest < b->thinnest ? a->thinnest : b->thinnest);
}

// Whether a contact has no gap. Contacts of shapes with samples include small gaps, also without a margin.
static inline bool rbl_contacts_overlap(const rblContactSet* set)
{
    for (uint32_t i = 0; i < set->count; ++i)
    {
        if (set->points[i].distance <= 0.0f)
        {
            return true;
        }
    }
    return false;
}

#endif
