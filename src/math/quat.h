// Quaternions: w last, unit length unless said otherwise, q and -q the same rotation. `d` means 64-bit.
#ifndef RBL_MATH_QUAT_H
#define RBL_MATH_QUAT_H

#include "math/mat3.h"

// ---- 32-bit ----

static inline rblQuat rbl_quat_identity(void)
{
    return (rblQuat){0, 0, 0, 1};
}

static inline float rbl_quat_dot(rblQuat a, rblQuat b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

// The product rotates by b first, then by a.
static inline rblQuat rbl_quat_mul(rblQuat a, rblQuat b)
{
    return (rblQuat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline rblMat3 rbl_quat_to_mat3(rblQuat q)
{
    return (rblMat3){
        {1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.w * q.z), 2 * (q.x * q.z - q.w * q.y)},
        {2 * (q.x * q.y - q.w * q.z), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.w * q.x)},
        {2 * (q.x * q.z + q.w * q.y), 2 * (q.y * q.z - q.w * q.x), 1 - 2 * (q.x * q.x + q.y * q.y)}};
}

// Unit length; the identity when q is zero or not finite.
rblQuat rbl_quat_normalize(rblQuat q);

// The axis need not be of unit length; a zero axis gives the identity.
rblQuat rbl_quat_from_axis_angle(rblVec3 axis, float radians);

// From a rotation matrix.
rblQuat rbl_quat_from_mat3(const rblMat3* m);

// Interpolation from a (t = 0) to b (t = 1) along the shorter arc: slerp at constant speed; nlerp, which is cheaper, at
// nearly constant speed.
rblQuat rbl_quat_slerp(rblQuat a, rblQuat b, float t);
rblQuat rbl_quat_nlerp(rblQuat a, rblQuat b, float t);

// ---- 64-bit ----

static inline rblQuatd rbl_quatd_identity(void)
{
    return (rblQuatd){0, 0, 0, 1};
}

static inline rblQuatd rbl_quatd_conjugate(rblQuatd q)
{
    return (rblQuatd){-q.x, -q.y, -q.z, q.w};
}

static inline double rbl_quatd_dot(rblQuatd a, rblQuatd b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline rblQuatd rbl_quatd_mul(rblQuatd a, rblQuatd b)
{
    return (rblQuatd){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

static inline rblVec3d rbl_rotate3d(rblQuatd q, rblVec3d v)
{
    const rblVec3d u = {q.x, q.y, q.z};
    const rblVec3d t = rbl_scale3d(rbl_cross3d(u, v), 2.0);
    return rbl_add3d(rbl_mul_add3d(v, q.w, t), rbl_cross3d(u, t));
}

static inline rblQuat rbl_to_float_quat(rblQuatd q)
{
    return (rblQuat){(float)q.x, (float)q.y, (float)q.z, (float)q.w};
}

rblQuatd rbl_quatd_from_axis_angle(rblVec3d axis, double radians);
rblQuatd rbl_quatd_from_mat3d(const rblMat3d* m);

#endif
