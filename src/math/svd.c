// Singular values by one-sided Jacobi (Hestenes 1958; Demmel and Veselic 1992 for its accuracy): rotate pairs
// of columns of B = m V until all are orthogonal; their lengths are the singular values, their directions the
// columns of u.
#include "math/mat3.h"

#define MAX_SWEEPS 60

// Columns whose dot product is below this part of the product of their lengths are orthogonal.
#define ORTHOGONAL 0x1p-52

static void rotate_columns(rblVec3d* a, rblVec3d* b, double c, double s)
{
    const rblVec3d old = *a;
    *a = rbl_sub3d(rbl_scale3d(old, c), rbl_scale3d(*b, s));
    *b = rbl_add3d(rbl_scale3d(old, s), rbl_scale3d(*b, c));
}

// A rotation by a quarter turn: the columns change places, one changes sign, the determinant stays.
static void swap_columns(rblVec3d* a, rblVec3d* b)
{
    const rblVec3d old = *a;
    *a = *b;
    *b = rbl_neg3d(old);
}

// Make columns p and q of `b` orthogonal and the first the longer one. False when they already are.
static bool orthogonalise(rblVec3d b[3], rblVec3d v[3], int p, int q)
{
    const double pp = rbl_dot3d(b[p], b[p]);
    const double qq = rbl_dot3d(b[q], b[q]);
    const double pq = rbl_dot3d(b[p], b[q]);
    bool changed = false;
    if (fabs(pq) > ORTHOGONAL * sqrt(pp) * sqrt(qq))
    {
        const double theta = (qq - pp) / (2.0 * pq);
        const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
        const double c = 1.0 / sqrt(t * t + 1.0);
        rotate_columns(&b[p], &b[q], c, t * c);
        rotate_columns(&v[p], &v[q], c, t * c);
        changed = true;
    }
    if (rbl_dot3d(b[p], b[p]) < rbl_dot3d(b[q], b[q]))
    {
        swap_columns(&b[p], &b[q]);
        swap_columns(&v[p], &v[q]);
        changed = true;
    }
    return changed;
}

// A unit vector across the unit vector `a`: the part of `wish` that is, or else of an axis.
static rblVec3d unit_across(rblVec3d a, rblVec3d wish)
{
    const rblVec3d unit = rbl_normalize3d(wish, a);
    const rblVec3d rest = rbl_mul_add3d(unit, -rbl_dot3d(unit, a), a);
    if (rbl_dot3d(rest, rest) > 0.25)
    {
        // A second projection removes what the first left by rounding.
        return rbl_normalize3d(rbl_mul_add3d(rest, -rbl_dot3d(rest, a), a), rest);
    }
    const rblVec3d axis = fabs(a.x) < 0.7 ? rbl_vec3d(1, 0, 0) : rbl_vec3d(0, 1, 0);
    return rbl_normalize3d(rbl_mul_add3d(axis, -rbl_dot3d(axis, a), a), axis);
}

// Directions of orthogonal columns, the longest first, completed to a rotation: the third follows from the
// others and carries the sign of the determinant.
static rblMat3d directions_of(const rblVec3d b[3], const rblVec3d v[3])
{
    rblMat3d u;
    u.cx = rbl_normalize3d(b[0], v[0]);
    u.cy = unit_across(u.cx, rbl_equal3d(b[1], rbl_vec3d(0, 0, 0)) ? v[1] : b[1]);
    u.cz = rbl_cross3d(u.cx, u.cy);
    return u;
}

// s.x >= s.y >= |s.z| to the last bit, only s.z negative.
static void put_in_order(rblSvd3d* svd)
{
    if (svd->s.x < svd->s.y)
    {
        swap_columns(&svd->u.cx, &svd->u.cy);
        swap_columns(&svd->v.cx, &svd->v.cy);
        svd->s = rbl_vec3d(svd->s.y, svd->s.x, svd->s.z);
    }
    if (svd->s.y < fabs(svd->s.z))
    {
        swap_columns(&svd->u.cy, &svd->u.cz);
        swap_columns(&svd->v.cy, &svd->v.cz);
        svd->s = rbl_vec3d(svd->s.x, svd->s.z, svd->s.y);
    }
    if (svd->s.y < 0.0)
    {
        svd->u.cy = rbl_neg3d(svd->u.cy);
        svd->u.cz = rbl_neg3d(svd->u.cz);
        svd->s = rbl_vec3d(svd->s.x, -svd->s.y, -svd->s.z);
    }
}

rblSvd3d rbl_svd3d(const rblMat3d* m)
{
    const rblMat3d identity = rbl_mat3d_diagonal(1, 1, 1);
    if (!rbl_finite_mat3d(m))
    {
        return (rblSvd3d){identity, {(double)NAN, (double)NAN, (double)NAN}, identity};
    }
    const int exponent = rbl_mat3d_exponent(m);
    const rblMat3d unit = rbl_mat3d_scaled(m, -exponent);
    rblVec3d b[3] = {unit.cx, unit.cy, unit.cz};
    rblVec3d v[3] = {identity.cx, identity.cy, identity.cz};
    bool changed = true;
    for (int sweep = 0; sweep < MAX_SWEEPS && changed; ++sweep)
    {
        changed = orthogonalise(b, v, 0, 1);
        changed = orthogonalise(b, v, 0, 2) || changed;
        changed = orthogonalise(b, v, 1, 2) || changed;
    }
    rblSvd3d svd = {directions_of(b, v), {0, 0, 0}, {v[0], v[1], v[2]}};
    svd.s = rbl_vec3d(rbl_dot3d(svd.u.cx, b[0]), rbl_dot3d(svd.u.cy, b[1]), rbl_dot3d(svd.u.cz, b[2]));
    put_in_order(&svd);
    put_in_order(&svd); // a bubble sort of three needs two passes
    svd.s = rbl_scaled3d(svd.s, exponent);
    return svd;
}

void rbl_polar3d(const rblMat3d* m, rblMat3d* rotation, rblMat3d* stretch)
{
    const rblSvd3d svd = rbl_svd3d(m);
    const rblMat3d v_transposed = rbl_mat3d_transpose(&svd.v);
    const rblMat3d v_scaled = {rbl_scale3d(svd.v.cx, svd.s.x), rbl_scale3d(svd.v.cy, svd.s.y),
                               rbl_scale3d(svd.v.cz, svd.s.z)};
    *rotation = rbl_mat3d_mul(&svd.u, &v_transposed);
    *stretch = rbl_mat3d_mul(&v_scaled, &v_transposed);
}
