// Vectors: more than rubble/vector.h has. min and max follow one rule everywhere, that of rbl_minf().
#ifndef RBL_MATH_VEC_H
#define RBL_MATH_VEC_H

#include "rubble/vector.h"

// The components for "(%g, %g, %g)", of vectors of 32 and of 64 bits.
#define RBL_XYZ(v) (double)(v).x, (double)(v).y, (double)(v).z

// ---- 32-bit ----

static inline rblVec3 rbl_min3(rblVec3 a, rblVec3 b)
{
    return (rblVec3){rbl_minf(a.x, b.x), rbl_minf(a.y, b.y), rbl_minf(a.z, b.z)};
}

static inline rblVec3 rbl_max3(rblVec3 a, rblVec3 b)
{
    return (rblVec3){rbl_maxf(a.x, b.x), rbl_maxf(a.y, b.y), rbl_maxf(a.z, b.z)};
}

// ---- 64-bit ----

static inline rblVec3d rbl_lerp3d(rblVec3d a, rblVec3d b, double t)
{
    return (rblVec3d){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static inline double rbl_distance3d(rblVec3d a, rblVec3d b)
{
    return rbl_length3d(rbl_sub3d(a, b));
}

static inline rblVec3d rbl_min3d(rblVec3d a, rblVec3d b)
{
    return (rblVec3d){rbl_mind(a.x, b.x), rbl_mind(a.y, b.y), rbl_mind(a.z, b.z)};
}

static inline rblVec3d rbl_max3d(rblVec3d a, rblVec3d b)
{
    return (rblVec3d){rbl_maxd(a.x, b.x), rbl_maxd(a.y, b.y), rbl_maxd(a.z, b.z)};
}

static inline bool rbl_equal3d(rblVec3d a, rblVec3d b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

#endif
