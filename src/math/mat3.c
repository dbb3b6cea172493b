#include "math/mat3.h"

#include "math/float_bits.h"
#include "math/predicates.h"

static const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static double largest_component(rblVec3d a)
{
    return rbl_maxd(fabs(a.x), rbl_maxd(fabs(a.y), fabs(a.z)));
}

// The exponent of the largest entry; 0 for the zero matrix. m is finite.
static int largest_exponent(const rblMat3d* m)
{
    const double largest =
        rbl_maxd(largest_component(m->cx), rbl_maxd(largest_component(m->cy), largest_component(m->cz)));
    int exponent = 0;
    if (largest > 0.0)
    {
        rbl_split_exponent(largest, &exponent);
    }
    return exponent;
}

rblVec3d rbl_scaled3d(rblVec3d a, int exponent)
{
    return rbl_vec3d(rbl_scaled(a.x, exponent), rbl_scaled(a.y, exponent), rbl_scaled(a.z, exponent));
}

static rblMat3d scaled_matrix(const rblMat3d* m, int exponent)
{
    return (rblMat3d){rbl_scaled3d(m->cx, exponent), rbl_scaled3d(m->cy, exponent),
                      rbl_scaled3d(m->cz, exponent)};
}

static rblVec3d divided(rblVec3d a, double divisor)
{
    return rbl_vec3d(a.x / divisor, a.y / divisor, a.z / divisor);
}

double rbl_mat3d_determinant(const rblMat3d* m)
{
    return rbl_orient3d(m->cx, m->cy, m->cz, rbl_vec3d(0, 0, 0));
}

bool rbl_mat3d_inverse(const rblMat3d* m, rblMat3d* out)
{
    if (m == NULL || out == NULL || !rbl_finite_mat3d(m))
    {
        return false;
    }
    const int exponent = largest_exponent(m);
    const rblMat3d unit = scaled_matrix(m, -exponent);
    const double determinant = rbl_mat3d_determinant(&unit);
    if (determinant == 0.0)
    {
        return false;
    }
    // Rows of the adjugate, divided by the determinant.
    const rblMat3d rows = {rbl_cross3d(unit.cy, unit.cz), rbl_cross3d(unit.cz, unit.cx),
                           rbl_cross3d(unit.cx, unit.cy)};
    const rblMat3d adjugate = rbl_mat3d_transpose(&rows);
    const rblMat3d unit_inverse = {divided(adjugate.cx, determinant), divided(adjugate.cy, determinant),
                                   divided(adjugate.cz, determinant)};
    const rblMat3d inverse = scaled_matrix(&unit_inverse, -exponent);
    if (!rbl_finite_mat3d(&inverse))
    {
        return false;
    }
    *out = inverse;
    return true;
}

// ---- symmetric eigenproblem ----

#define MAX_SWEEPS 60 // convergence is quadratic: 5 to 8 are usual

// a <- J^T a J, v <- v J with J the rotation in the plane of axes p and q that makes a[p][q] zero (Golub and
// Van Loan 2013, section 8.5): t = tan of the smaller angle that solves t^2 + 2 theta t - 1 = 0.
static void jacobi_rotate(double a[3][3], double v[3][3], int p, int q)
{
    const double off = a[p][q];
    const double theta = (a[q][q] - a[p][p]) / (2.0 * off);
    const double t = (theta >= 0.0 ? 1.0 : -1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    const double c = 1.0 / sqrt(t * t + 1.0);
    const double s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    a[p][q] = 0.0;
    a[q][p] = 0.0;
    const int r = 3 - p - q;
    const double rp = a[r][p];
    const double rq = a[r][q];
    a[r][p] = a[p][r] = c * rp - s * rq;
    a[r][q] = a[q][r] = s * rp + c * rq;
    for (int k = 0; k < 3; ++k)
    {
        const double kp = v[k][p];
        const double kq = v[k][q];
        v[k][p] = c * kp - s * kq;
        v[k][q] = s * kp + c * kq;
    }
}

static bool jacobi_sweep(double a[3][3], double v[3][3])
{
    bool changed = false;
    for (int p = 0; p < 2; ++p)
    {
        for (int q = p + 1; q < 3; ++q)
        {
            // Smaller entries change the eigenvalues by less than rounding.
            if (fabs(a[p][q]) > 0x1p-54 * (fabs(a[p][p]) + fabs(a[q][q])))
            {
                jacobi_rotate(a, v, p, q);
                changed = true;
            }
        }
    }
    return changed;
}

// The vector with the sign that makes its largest component positive.
static rblVec3d with_positive_sign(rblVec3d a)
{
    const double largest = largest_component(a);
    const double first = fabs(a.x) == largest ? a.x : (fabs(a.y) == largest ? a.y : a.z);
    return first < 0.0 ? rbl_neg3d(a) : a;
}

static void sort_rising(const double values[3], int order[3])
{
    for (int i = 1; i < 3; ++i)
    {
        for (int k = i; k > 0 && values[order[k]] < values[order[k - 1]]; --k)
        {
            const int swap = order[k];
            order[k] = order[k - 1];
            order[k - 1] = swap;
        }
    }
}

void rbl_eigen_symmetric3d(const rblMat3d* m, rblVec3d* values, rblMat3d* axes)
{
    const rblMat3d symmetric = {
        {m->cx.x, m->cy.x, m->cz.x}, {m->cy.x, m->cy.y, m->cz.y}, {m->cz.x, m->cz.y, m->cz.z}};
    if (!rbl_finite_mat3d(&symmetric))
    {
        *values = rbl_vec3d((double)NAN, (double)NAN, (double)NAN);
        *axes = identity;
        return;
    }
    const int exponent = largest_exponent(&symmetric);
    const rblMat3d unit = scaled_matrix(&symmetric, -exponent);
    double a[3][3] = {{unit.cx.x, unit.cx.y, unit.cx.z},
                      {unit.cy.x, unit.cy.y, unit.cy.z},
                      {unit.cz.x, unit.cz.y, unit.cz.z}};
    double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < MAX_SWEEPS && jacobi_sweep(a, v); ++sweep)
    {
    }
    const double diagonal[3] = {a[0][0], a[1][1], a[2][2]};
    int o[3] = {0, 1, 2};
    sort_rising(diagonal, o);
    *values = rbl_scaled3d(rbl_vec3d(diagonal[o[0]], diagonal[o[1]], diagonal[o[2]]), exponent);
    axes->cx = with_positive_sign(rbl_vec3d(v[0][o[0]], v[1][o[0]], v[2][o[0]]));
    axes->cy = with_positive_sign(rbl_vec3d(v[0][o[1]], v[1][o[1]], v[2][o[1]]));
    axes->cz = rbl_cross3d(axes->cx, axes->cy);
}
