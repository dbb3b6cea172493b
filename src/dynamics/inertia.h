// Symmetric 3x3 matrices: inverse inertia in world axes.
#ifndef RBL_DYNAMICS_INERTIA_H
#define RBL_DYNAMICS_INERTIA_H

#include "math/quat.h"

typedef struct rblSymmetric3
{
    float xx, yy, zz, xy, xz, yz;
} rblSymmetric3;

static inline rblVec3 rbl_symmetric3_apply(const rblSymmetric3* m, rblVec3 v)
{
    return (rblVec3){m->xx * v.x + m->xy * v.y + m->xz * v.z, m->xy * v.x + m->yy * v.y + m->yz * v.z,
                     m->xz * v.x + m->yz * v.y + m->zz * v.z};
}

// R diag(d) R^T.
static inline rblSymmetric3 rbl_symmetric3_rotated(rblQuat q, rblVec3 d)
{
    const rblMat3 r = rbl_quat_to_mat3(q);
    const rblVec3 x = rbl_scale3(r.cx, d.x);
    const rblVec3 y = rbl_scale3(r.cy, d.y);
    const rblVec3 z = rbl_scale3(r.cz, d.z);
    return (rblSymmetric3){
        .xx = x.x * r.cx.x + y.x * r.cy.x + z.x * r.cz.x,
        .yy = x.y * r.cx.y + y.y * r.cy.y + z.y * r.cz.y,
        .zz = x.z * r.cx.z + y.z * r.cy.z + z.z * r.cz.z,
        .xy = x.x * r.cx.y + y.x * r.cy.y + z.x * r.cz.y,
        .xz = x.x * r.cx.z + y.x * r.cy.z + z.x * r.cz.z,
        .yz = x.y * r.cx.z + y.y * r.cy.z + z.y * r.cz.z,
    };
}

// The inverse; zero when the matrix is singular.
static inline rblSymmetric3 rbl_symmetric3_inverse(rblSymmetric3 m)
{
    const float a = m.yy * m.zz - m.yz * m.yz;
    const float b = m.xz * m.yz - m.xy * m.zz;
    const float c = m.xy * m.yz - m.xz * m.yy;
    const float determinant = m.xx * a + m.xy * b + m.xz * c;
    const float scale = determinant != 0.0f ? 1.0f / determinant : 0.0f;
    return (rblSymmetric3){
        .xx = a * scale,
        .yy = (m.xx * m.zz - m.xz * m.xz) * scale,
        .zz = (m.xx * m.yy - m.xy * m.xy) * scale,
        .xy = b * scale,
        .xz = c * scale,
        .yz = (m.xy * m.xz - m.xx * m.yz) * scale,
    };
}

// I v for principal moments in the axes of q.
static inline rblVec3 rbl_inertia_apply(rblQuat q, rblVec3 moments, rblVec3 v)
{
    const rblVec3 local = rbl_inverse_rotate3(q, v);
    return rbl_rotate3(q, (rblVec3){local.x * moments.x, local.y * moments.y, local.z * moments.z});
}

#endif
