// How much a field falls.
#ifndef RBL_TESTS_FIELD_FALL_H
#define RBL_TESTS_FIELD_FALL_H

#include "field/field.h"

// By how much a value that stays above zero falls on a way at most: the inverse of rbl_field_free_distance().
static inline float fall_outside(const rblField* field, rblFieldSlope slope, float way)
{
    const float fall = rbl_field_fall(field, slope, way);
    if (slope != RBL_SLOPE_STEEP || !field->interpolated)
    {
        return fall;
    }
    const float bent = sqrtf(way * way + field->grain);
    return rbl_minf(rbl_minf(1.7320510f * way, bent) + field->rounding, fall);
}

#endif
