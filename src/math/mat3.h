// 3x3 matrices by columns. `3d` means 64-bit.
#ifndef RBL_MATH_MAT3_H
#define RBL_MATH_MAT3_H

#include "math/vec.h"

// ---- 32-bit ----

static inline rblVec3 rbl_mat3_apply(const rblMat3* m, rblVec3 v)
{
    return (rblVec3){m->cx.x * v.x + m->cy.x * v.y + m->cz.x * v.z,
                     m->cx.y * v.x + m->cy.y * v.y + m->cz.y * v.z,
                     m->cx.z * v.x + m->cy.z * v.y + m->cz.z * v.z};
}

// m^T v, without transposing.
static inline rblVec3 rbl_mat3_apply_transposed(const rblMat3* m, rblVec3 v)
{
    return (rblVec3){rbl_dot3(m->cx, v), rbl_dot3(m->cy, v), rbl_dot3(m->cz, v)};
}

// ---- 64-bit ----

static inline rblMat3d rbl_mat3d_diagonal(double x, double y, double z)
{
    return (rblMat3d){{x, 0, 0}, {0, y, 0}, {0, 0, z}};
}

// m^T v, without transposing.
static inline rblVec3d rbl_mat3d_apply_transposed(const rblMat3d* m, rblVec3d v)
{
    return (rblVec3d){rbl_dot3d(m->cx, v), rbl_dot3d(m->cy, v), rbl_dot3d(m->cz, v)};
}

static inline rblMat3d rbl_mat3d_add(const rblMat3d* a, const rblMat3d* b)
{
    return (rblMat3d){rbl_add3d(a->cx, b->cx), rbl_add3d(a->cy, b->cy), rbl_add3d(a->cz, b->cz)};
}

static inline rblMat3d rbl_mat3d_scale(const rblMat3d* m, double s)
{
    return (rblMat3d){rbl_scale3d(m->cx, s), rbl_scale3d(m->cy, s), rbl_scale3d(m->cz, s)};
}

static inline rblMat3d rbl_mat3d_transpose(const rblMat3d* m)
{
    return (rblMat3d){{m->cx.x, m->cy.x, m->cz.x}, {m->cx.y, m->cy.y, m->cz.y}, {m->cx.z, m->cy.z, m->cz.z}};
}

// a b^T
static inline rblMat3d rbl_mat3d_outer(rblVec3d a, rblVec3d b)
{
    return (rblMat3d){rbl_scale3d(a, b.x), rbl_scale3d(a, b.y), rbl_scale3d(a, b.z)};
}

static inline bool rbl_finite_mat3d(const rblMat3d* m)
{
    return rbl_finite3d(m->cx) && rbl_finite3d(m->cy) && rbl_finite3d(m->cz);
}

static inline rblMat3d rbl_to_double_mat3(const rblMat3* m)
{
    return (rblMat3d){rbl_to_double3(m->cx), rbl_to_double3(m->cy), rbl_to_double3(m->cz)};
}

static inline rblMat3 rbl_to_float_mat3(const rblMat3d* m)
{
    return (rblMat3){rbl_to_float3(m->cx), rbl_to_float3(m->cy), rbl_to_float3(m->cz)};
}

// a * 2^exponent, without an intermediate overflow.
rblVec3d rbl_scaled3d(rblVec3d a, int exponent);

// The sign is always exact; zero exactly when m is singular.
double rbl_mat3d_determinant(const rblMat3d* m);

// Eigenvalues, increasing, and unit eigenvectors in the same order as the columns of `axes`, right-handed. The largest
// component of each of the first two axes is positive (the first one when several are equal): the result depends only on
// the numbers in the matrix. Reads the diagonal and cy.x, cz.x, cz.y. A matrix that is not finite gives NaN values and
// the axes of the identity.
void rbl_eigen_symmetric3d(const rblMat3d* m, rblVec3d* values, rblMat3d* axes);

#endif
