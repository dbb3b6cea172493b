/// Arithmetic on the plain types of rubble/math.h: vectors, quaternions, poses. `3d` means 64-bit.
#ifndef RUBBLE_VECTOR_H
#define RUBBLE_VECTOR_H

#include "rubble/math.h"
#include <math.h>
#include <stdbool.h>

RBL_EXTERN_C_BEGIN

// ---- numbers ----

/// The smaller, a < b ? a : b: a NaN in the first operand yields the second, and equal zeros yield the second.
static inline float rbl_minf(float a, float b)
{
    return a < b ? a : b;
}

/// The larger, a > b ? a : b; NaN and zeros as in rbl_minf().
static inline float rbl_maxf(float a, float b)
{
    return a > b ? a : b;
}

/// As rbl_minf().
static inline double rbl_mind(double a, double b)
{
    return a < b ? a : b;
}

/// As rbl_maxf().
static inline double rbl_maxd(double a, double b)
{
    return a > b ? a : b;
}

/// `x`, but at least `low` and at most `high`. NaN stays.
static inline double rbl_clampd(double x, double low, double high)
{
    return x < low ? low : (x > high ? high : x);
}

/// As rbl_clampd().
static inline float rbl_clampf(float x, float low, float high)
{
    return x < low ? low : (x > high ? high : x);
}

/// True for anything but NaN and the infinities.
static inline bool rbl_finite(double x)
{
    return x - x == 0.0;
}

// ---- vectors, 32-bit ----

/// A vector from its coordinates.
static inline rblVec3 rbl_vec3(float x, float y, float z)
{
    const rblVec3 result = {x, y, z};
    return result;
}

/// a + b
static inline rblVec3 rbl_add3(rblVec3 a, rblVec3 b)
{
    const rblVec3 result = {a.x + b.x, a.y + b.y, a.z + b.z};
    return result;
}

/// a - b
static inline rblVec3 rbl_sub3(rblVec3 a, rblVec3 b)
{
    const rblVec3 result = {a.x - b.x, a.y - b.y, a.z - b.z};
    return result;
}

/// s * a
static inline rblVec3 rbl_scale3(rblVec3 a, float s)
{
    const rblVec3 result = {a.x * s, a.y * s, a.z * s};
    return result;
}

/// a + s * b
static inline rblVec3 rbl_mul_add3(rblVec3 a, float s, rblVec3 b)
{
    const rblVec3 result = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return result;
}

/// -a
static inline rblVec3 rbl_neg3(rblVec3 a)
{
    const rblVec3 result = {-a.x, -a.y, -a.z};
    return result;
}

/// The scalar product.
static inline float rbl_dot3(rblVec3 a, rblVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The vector product.
static inline rblVec3 rbl_cross3(rblVec3 a, rblVec3 b)
{
    const rblVec3 result = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return result;
}

/// The length.
static inline float rbl_length3(rblVec3 a)
{
    return sqrtf(rbl_dot3(a, a));
}

/// Whether all coordinates are finite.
static inline bool rbl_finite3(rblVec3 a)
{
    return rbl_finite((double)a.x) && rbl_finite((double)a.y) && rbl_finite((double)a.z);
}

/// Unit vector, or `fallback` when the length is zero or not a number.
RBL_API rblVec3 rbl_normalize3(rblVec3 a, rblVec3 fallback);

// ---- vectors, 64-bit ----

/// As rbl_vec3().
static inline rblVec3d rbl_vec3d(double x, double y, double z)
{
    const rblVec3d result = {x, y, z};
    return result;
}

/// As rbl_add3().
static inline rblVec3d rbl_add3d(rblVec3d a, rblVec3d b)
{
    const rblVec3d result = {a.x + b.x, a.y + b.y, a.z + b.z};
    return result;
}

/// As rbl_sub3().
static inline rblVec3d rbl_sub3d(rblVec3d a, rblVec3d b)
{
    const rblVec3d result = {a.x - b.x, a.y - b.y, a.z - b.z};
    return result;
}

/// As rbl_scale3().
static inline rblVec3d rbl_scale3d(rblVec3d a, double s)
{
    const rblVec3d result = {a.x * s, a.y * s, a.z * s};
    return result;
}

/// As rbl_mul_add3().
static inline rblVec3d rbl_mul_add3d(rblVec3d a, double s, rblVec3d b)
{
    const rblVec3d result = {a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
    return result;
}

/// As rbl_neg3().
static inline rblVec3d rbl_neg3d(rblVec3d a)
{
    const rblVec3d result = {-a.x, -a.y, -a.z};
    return result;
}

/// As rbl_dot3().
static inline double rbl_dot3d(rblVec3d a, rblVec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// As rbl_cross3().
static inline rblVec3d rbl_cross3d(rblVec3d a, rblVec3d b)
{
    const rblVec3d result = {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
    return result;
}

/// As rbl_length3().
static inline double rbl_length3d(rblVec3d a)
{
    return sqrt(rbl_dot3d(a, a));
}

/// As rbl_finite3().
static inline bool rbl_finite3d(rblVec3d a)
{
    return rbl_finite(a.x) && rbl_finite(a.y) && rbl_finite(a.z);
}

/// Rounded to 32 bits.
static inline rblVec3 rbl_to_float3(rblVec3d a)
{
    const rblVec3 result = {(float)a.x, (float)a.y, (float)a.z};
    return result;
}

/// The same numbers in 64 bits.
static inline rblVec3d rbl_to_double3(rblVec3 a)
{
    const rblVec3d result = {(double)a.x, (double)a.y, (double)a.z};
    return result;
}

/// Unit vector, or `fallback` when the length is zero or not a number. Scales first: no overflow, no underflow.
RBL_API rblVec3d rbl_normalize3d(rblVec3d a, rblVec3d fallback);

// ---- rotations and poses ----

/// The inverse of a unit quaternion.
static inline rblQuat rbl_quat_conjugate(rblQuat q)
{
    const rblQuat result = {-q.x, -q.y, -q.z, q.w};
    return result;
}

/// A vector turned by a unit quaternion: q v q^-1 = v + w t + u x t with u = (x, y, z), t = 2 u x v.
static inline rblVec3 rbl_rotate3(rblQuat q, rblVec3 v)
{
    const rblVec3 u = {q.x, q.y, q.z};
    const rblVec3 t = rbl_scale3(rbl_cross3(u, v), 2.0f);
    return rbl_add3(rbl_mul_add3(v, q.w, t), rbl_cross3(u, t));
}

/// A vector turned by the inverse of a unit quaternion.
static inline rblVec3 rbl_inverse_rotate3(rblQuat q, rblVec3 v)
{
    return rbl_rotate3(rbl_quat_conjugate(q), v);
}

/// q * x + p: from the axes of the body to those of the world.
static inline rblVec3 rbl_transform_point(rblTransform t, rblVec3 x)
{
    return rbl_add3(rbl_rotate3(t.q, x), t.p);
}

/// The inverse of rbl_transform_point().
static inline rblVec3 rbl_transform_inverse_point(rblTransform t, rblVec3 x)
{
    return rbl_inverse_rotate3(t.q, rbl_sub3(x, t.p));
}

/// The rotation matrix of a unit quaternion.
static inline rblMat3d rbl_quatd_to_mat3d(rblQuatd q)
{
    const rblMat3d result = {
        {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)},
        {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)},
        {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}};
    return result;
}

/// The same numbers in 64 bits.
static inline rblQuatd rbl_to_double_quat(rblQuat q)
{
    const rblQuatd result = {(double)q.x, (double)q.y, (double)q.z, (double)q.w};
    return result;
}

/// Unit length; the identity when q is zero or not finite.
RBL_API rblQuatd rbl_quatd_normalize(rblQuatd q);

// ---- matrices ----

/// m * v
static inline rblVec3d rbl_mat3d_apply(const rblMat3d* m, rblVec3d v)
{
    const rblVec3d result = {m->cx.x * v.x + m->cy.x * v.y + m->cz.x * v.z,
                             m->cx.y * v.x + m->cy.y * v.y + m->cz.y * v.z,
                             m->cx.z * v.x + m->cy.z * v.y + m->cz.z * v.z};
    return result;
}

/// The product a * b: first b, then a.
static inline rblMat3d rbl_mat3d_mul(const rblMat3d* a, const rblMat3d* b)
{
    const rblMat3d result = {rbl_mat3d_apply(a, b->cx), rbl_mat3d_apply(a, b->cy), rbl_mat3d_apply(a, b->cz)};
    return result;
}

/// False, and `out` untouched, when m is exactly singular, not finite, or its inverse overflows, and when a pointer is null.
RBL_API bool rbl_mat3d_inverse(const rblMat3d* m, rblMat3d* out);

RBL_EXTERN_C_END

#endif
