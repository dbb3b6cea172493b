#include "mesh/simplify/quadric.h"

bool rbl_quadric_minimum(const rblQuadric* q, double softness, rblVec3d* x)
{
    const double trace = q->xx + q->yy + q->zz;
    if (!(trace > 0.0) || !rbl_finite(trace))
    {
        return false;
    }
    // Scaled to trace 1, the regularised matrix has a determinant of at least softness^3, so Cramer's rule is safe.
    const double xx = q->xx / trace + softness, yy = q->yy / trace + softness, zz = q->zz / trace + softness;
    const double xy = q->xy / trace, xz = q->xz / trace, yz = q->yz / trace;
    const rblVec3d right = rbl_scale3d(q->b, -1.0 / trace);
    const rblVec3d cx = {xx, xy, xz}, cy = {xy, yy, yz}, cz = {xz, yz, zz};
    const rblVec3d yz_cross = rbl_cross3d(cy, cz);
    const double determinant = rbl_dot3d(cx, yz_cross);
    if (!(determinant > 0.0))
    {
        return false;
    }
    *x = rbl_vec3d(rbl_dot3d(right, yz_cross) / determinant,
                   rbl_dot3d(right, rbl_cross3d(cz, cx)) / determinant,
                   rbl_dot3d(right, rbl_cross3d(cx, cy)) / determinant);
    return rbl_finite3d(*x);
}
