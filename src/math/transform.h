// Rigid motions: x -> q * x + p.
#ifndef RBL_MATH_TRANSFORM_H
#define RBL_MATH_TRANSFORM_H

#include "math/quat.h"

static inline rblTransform rbl_transform_identity(void)
{
    return (rblTransform){{0, 0, 0}, {0, 0, 0, 1}};
}

// First b, then a.
static inline rblTransform rbl_transform_mul(rblTransform a, rblTransform b)
{
    return (rblTransform){rbl_transform_point(a, b.p), rbl_quat_mul(a.q, b.q)};
}

static inline rblTransform rbl_transform_inverse(rblTransform t)
{
    const rblQuat q = rbl_quat_conjugate(t.q);
    return (rblTransform){rbl_neg3(rbl_rotate3(q, t.p)), q};
}

// What takes b's frame to a's: inverse(a) * b.
static inline rblTransform rbl_transform_relative(rblTransform a, rblTransform b)
{
    return (rblTransform){rbl_transform_inverse_point(a, b.p), rbl_quat_mul(rbl_quat_conjugate(a.q), b.q)};
}

#endif
