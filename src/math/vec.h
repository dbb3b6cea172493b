// Vectors: plain structs and free functions. `3d` means 64-bit. min and max follow one rule everywhere: a < b ? a : b,
// so a NaN in the first operand gives the second, and equal zeros give the second.
#ifndef RBL_MATH_VEC_H
#define RBL_MATH_VEC_H

#include "rubble/math.h"
#include <math.h>
#include <stdbool.h>

static inline float rbl_minf(float a, float b)
{
    return a < b ? a : b;
}

static inline float rbl_maxf(float a, float b)
{
    return a > b ? a : b;
}

static inline double rbl_mind(double a, double b)
{
    return a < b ? a : b;
}

static inline double rbl_maxd(double a, double b)
{
    return a > b ? a : b;
}

static inline double rbl_clampd(double x, double low, double high)
{
    return x < low ? low : (x > high ? high : x);
}

static inline float rbl_clampf(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

// False for NaN and infinities.
static inline bool rbl_finite(double x)
{
    return x - x == 0.0;
}

// ---- 32-bit ----

static inline rblVec3 rbl_vec3(float x, float y, float z)
{
    return (rblVec3){x, y, z};
}

static inline rblVec3 rbl_add3(rblVec3 a, rblVec3 b)
{
    return (rblVec3){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline rblVec3 rbl_sub3(rblVec3 a, rblVec3 b)
{
    return (rblVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline rblVec3 rbl_scale3(rblVec3 a, float s)
{
    return (rblVec3){a.x * s, a.y * s, a.z * s};
}

// a + s * b
static inline rblVec3 rbl_mul_add3(rblVec3 a, float s, rblVec3 b)
{
    return (rblVec3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline rblVec3 rbl_neg3(rblVec3 a)
{
    return (rblVec3){-a.x, -a.y, -a.z};
}

static inline float rbl_dot3(rblVec3 a, rblVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rblVec3 rbl_cross3(rblVec3 a, rblVec3 b)
{
    return (rblVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline float rbl_length3(rblVec3 a)
{
    return sqrtf(rbl_dot3(a, a));
}

static inline rblVec3 rbl_min3(rblVec3 a, rblVec3 b)
{
    return (rblVec3){rbl_minf(a.x, b.x), rbl_minf(a.y, b.y), rbl_minf(a.z, b.z)};
}

static inline rblVec3 rbl_max3(rblVec3 a, rblVec3 b)
{
    return (rblVec3){rbl_maxf(a.x, b.x), rbl_maxf(a.y, b.y), rbl_maxf(a.z, b.z)};
}

static inline bool rbl_finite3(rblVec3 a)
{
    return rbl_finite((double)a.x) && rbl_finite((double)a.y) && rbl_finite((double)a.z);
}

// Unit vector, or `fallback` when the length is zero or not a number.
rblVec3 rbl_normalize3(rblVec3 a, rblVec3 fallback);

// ---- 64-bit ----

static inline rblVec3d rbl_vec3d(double x, double y, double z)
{
    return (rblVec3d){x, y, z};
}

static inline rblVec3d rbl_add3d(rblVec3d a, rblVec3d b)
{
    return (rblVec3d){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline rblVec3d rbl_sub3d(rblVec3d a, rblVec3d b)
{
    return (rblVec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline rblVec3d rbl_scale3d(rblVec3d a, double s)
{
    return (rblVec3d){a.x * s, a.y * s, a.z * s};
}

// a + s * b
static inline rblVec3d rbl_mul_add3d(rblVec3d a, double s, rblVec3d b)
{
    return (rblVec3d){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

static inline rblVec3d rbl_neg3d(rblVec3d a)
{
    return (rblVec3d){-a.x, -a.y, -a.z};
}

static inline rblVec3d rbl_lerp3d(rblVec3d a, rblVec3d b, double t)
{
    return (rblVec3d){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static inline double rbl_dot3d(rblVec3d a, rblVec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline rblVec3d rbl_cross3d(rblVec3d a, rblVec3d b)
{
    return (rblVec3d){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double rbl_length3d(rblVec3d a)
{
    return sqrt(rbl_dot3d(a, a));
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

static inline bool rbl_finite3d(rblVec3d a)
{
    return rbl_finite(a.x) && rbl_finite(a.y) && rbl_finite(a.z);
}

static inline bool rbl_equal3d(rblVec3d a, rblVec3d b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static inline rblVec3 rbl_to_float3(rblVec3d a)
{
    return (rblVec3){(float)a.x, (float)a.y, (float)a.z};
}

static inline rblVec3d rbl_to_double3(rblVec3 a)
{
    return (rblVec3d){(double)a.x, (double)a.y, (double)a.z};
}

// Unit vector, or `fallback` when the length is zero or not a number. Scales first: no overflow, no
// underflow.
rblVec3d rbl_normalize3d(rblVec3d a, rblVec3d fallback);

#endif
