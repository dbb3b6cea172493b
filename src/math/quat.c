#include "math/quat.h"

#include "math/trig.h"

rblQuatd rbl_quatd_normalize(rblQuatd q)
{
    const double largest = rbl_maxd(rbl_maxd(fabs(q.x), fabs(q.y)), rbl_maxd(fabs(q.z), fabs(q.w)));
    if (!(largest > 0.0) || !rbl_finite(q.x) || !rbl_finite(q.y) || !rbl_finite(q.z) || !rbl_finite(q.w))
    {
        return rbl_quatd_identity();
    }
    const rblQuatd scaled = {q.x / largest, q.y / largest, q.z / largest, q.w / largest};
    const double length = sqrt(rbl_quatd_dot(scaled, scaled));
    return (rblQuatd){scaled.x / length, scaled.y / length, scaled.z / length, scaled.w / length};
}

rblQuatd rbl_quatd_from_axis_angle(rblVec3d axis, double radians)
{
    const rblVec3d unit = rbl_normalize3d(axis, rbl_vec3d(0, 0, 0));
    if (rbl_equal3d(unit, rbl_vec3d(0, 0, 0)) || !rbl_finite(radians))
    {
        return rbl_quatd_identity();
    }
    double s, c;
    rbl_sincos(0.5 * radians, &s, &c);
    return (rblQuatd){s * unit.x, s * unit.y, s * unit.z, c};
}

// Shepperd 1978: divide by the largest of the four components; the diagonal combinations give their squares.
rblQuatd rbl_quatd_from_mat3d(const rblMat3d* m)
{
    const double trace = m->cx.x + m->cy.y + m->cz.z;
    const double xy = m->cy.x + m->cx.y, yz = m->cz.y + m->cy.z, zx = m->cx.z + m->cz.x;
    const double wx = m->cy.z - m->cz.y, wy = m->cz.x - m->cx.z, wz = m->cx.y - m->cy.x;
    rblQuatd q;
    if (trace >= m->cx.x && trace >= m->cy.y && trace >= m->cz.z)
    {
        q = (rblQuatd){wx, wy, wz, 1.0 + trace};
    }
    else if (m->cx.x >= m->cy.y && m->cx.x >= m->cz.z)
    {
        q = (rblQuatd){1.0 + 2.0 * m->cx.x - trace, xy, zx, wx};
    }
    else if (m->cy.y >= m->cz.z)
    {
        q = (rblQuatd){xy, 1.0 + 2.0 * m->cy.y - trace, yz, wy};
    }
    else
    {
        q = (rblQuatd){zx, yz, 1.0 + 2.0 * m->cz.z - trace, wz};
    }
    return rbl_quatd_normalize(q);
}

static rblQuatd blend(rblQuatd a, double wa, rblQuatd b, double wb)
{
    const rblQuatd sum = {wa * a.x + wb * b.x, wa * a.y + wb * b.y, wa * a.z + wb * b.z, wa * a.w + wb * b.w};
    return rbl_quatd_normalize(sum);
}

static rblQuatd quatd_nlerp(rblQuatd a, rblQuatd b, double t)
{
    return blend(a, 1.0 - t, b, rbl_quatd_dot(a, b) < 0.0 ? -t : t);
}

// Shoemake 1985. The angle is computed from the difference and the sum, which is accurate for near and for opposite
// quaternions; acos of the dot product is not.
static rblQuatd quatd_slerp(rblQuatd a, rblQuatd b, double t)
{
    const double side = rbl_quatd_dot(a, b) < 0.0 ? -1.0 : 1.0;
    const rblQuatd chord = {side * b.x - a.x, side * b.y - a.y, side * b.z - a.z, side * b.w - a.w};
    const rblQuatd sum = {side * b.x + a.x, side * b.y + a.y, side * b.z + a.z, side * b.w + a.w};
    const double angle = 2.0 * rbl_atan2(sqrt(rbl_quatd_dot(chord, chord)), sqrt(rbl_quatd_dot(sum, sum)));
    const double s = rbl_sin(angle);
    if (!(s > 0x1p-40)) // sin(t angle) / sin(angle) is t to all digits
    {
        return blend(a, 1.0 - t, b, side * t);
    }
    return blend(a, rbl_sin((1.0 - t) * angle) / s, b, side * rbl_sin(t * angle) / s);
}

rblQuat rbl_quat_normalize(rblQuat q)
{
    return rbl_to_float_quat(rbl_quatd_normalize(rbl_to_double_quat(q)));
}

rblQuat rbl_quat_from_axis_angle(rblVec3 axis, float radians)
{
    return rbl_to_float_quat(rbl_quatd_from_axis_angle(rbl_to_double3(axis), (double)radians));
}

rblQuat rbl_quat_from_mat3(const rblMat3* m)
{
    const rblMat3d wide = rbl_to_double_mat3(m);
    return rbl_to_float_quat(rbl_quatd_from_mat3d(&wide));
}

rblQuat rbl_quat_slerp(rblQuat a, rblQuat b, float t)
{
    return rbl_to_float_quat(quatd_slerp(rbl_to_double_quat(a), rbl_to_double_quat(b), (double)t));
}

rblQuat rbl_quat_nlerp(rblQuat a, rblQuat b, float t)
{
    return rbl_to_float_quat(quatd_nlerp(rbl_to_double_quat(a), rbl_to_double_quat(b), (double)t));
}
