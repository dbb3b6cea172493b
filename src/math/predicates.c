// Each predicate is a floating-point filter followed, when the filter cannot decide, by exact integers.
//
// The filters. Let u = 2^-53. A term of the determinant that is evaluated with n roundings is off by at most
// ((1 + u)^n - 1) times its magnitude (Higham 2002, "Accuracy and Stability of Numerical Algorithms", section
// 3.1), and so is the whole sum relative to the permanent, the same sum with every term taken positive. The
// permanent is itself evaluated with n roundings, hence
//   |computed - exact| <= ((1 + u)^n - 1) / (1 - u)^n * permanent <= (n + 1) u * permanent      for n < 20.
// Underflow adds at most 2^-1074 per product, times what that product is multiplied by afterwards; a guard
// bounds those factors, and UNDERFLOW_2D and UNDERFLOW_3D the sum. Overflow makes the bound infinite or NaN, and
// the filter undecided.
#include "math/predicates.h"

#include "math/big_integer.h"
#include "math/vec.h"
#include <stddef.h>

// Counts of roundings, with the coordinate differences: orient2d 4, orient3d 8 (see the bodies).
#define UNIT     0x1p-53
#define BOUND_2D (5.0 * UNIT)
#define BOUND_3D (9.0 * UNIT)

// Bounds of the underflow. The two products of orient2d are not multiplied further; in orient3d six of them are
// multiplied by
// z| <= 2^500.
#define UNDERFLOW_2D 0x1p-1060
#define UNDERFLOW_3D 0x1p-560
#define LARGEST_Z    0x1p500

// Limbs of the exact path when the coordinates span all of double, 2098 bits or 66 limbs: differences of 67 limbs, minors of
// 134 and determinants of 202; rbl_crossing_order() multiplies two determinants.
#define SPACE_LIMBS 6144

// Exact coordinates, as multiples of one power of two.
typedef struct ExactPoint
{
    rblBigInteger x, y, z;
} ExactPoint;

static bool all_finite(const rblVec3d* points, int count)
{
    bool finite = true;
    for (int i = 0; i < count; ++i)
    {
        finite = finite && rbl_finite3d(points[i]);
    }
    return finite;
}

static bool any_equal(const rblVec3d* points, int count)
{
    bool equal = false;
    for (int i = 1; i < count; ++i)
    {
        for (int k = 0; k < i; ++k)
        {
            equal = equal || rbl_equal3d(points[i], points[k]);
        }
    }
    return equal;
}

static int lower_exponent(int exponent, double x)
{
    const int own = x != 0.0 ? rbl_big_exponent(x) : exponent;
    return own < exponent ? own : exponent;
}

// The power of two that divides all coordinates.
static int common_exponent(const rblVec3d* points, int count)
{
    int exponent = rbl_big_exponent(0x1.0p1023);
    for (int i = 0; i < count; ++i)
    {
        exponent = lower_exponent(exponent, points[i].x);
        exponent = lower_exponent(exponent, points[i].y);
        exponent = lower_exponent(exponent, points[i].z);
    }
    return exponent;
}

static rblBigInteger exact_difference(rblBigSpace* space, double a, double b, int exponent)
{
    const rblBigInteger big_a = rbl_big_from_double(space, a, exponent);
    return rbl_big_subtract(space, big_a, rbl_big_from_double(space, b, exponent));
}

static ExactPoint exact_offset(rblBigSpace* space, rblVec3d a, rblVec3d b, int exponent)
{
    return (ExactPoint){exact_difference(space, a.x, b.x, exponent),
                        exact_difference(space, a.y, b.y, exponent),
                        exact_difference(space, a.z, b.z, exponent)};
}

// ax * by - ay * bx
static rblBigInteger exact_minor2(rblBigSpace* space, const ExactPoint* a, const ExactPoint* b)
{
    const rblBigInteger plus = rbl_big_multiply(space, a->x, b->y);
    return rbl_big_subtract(space, plus, rbl_big_multiply(space, a->y, b->x));
}

// det[a, b, c]
static rblBigInteger exact_minor3(rblBigSpace* space, const ExactPoint* a, const ExactPoint* b,
                                  const ExactPoint* c)
{
    const rblBigInteger at_a = rbl_big_multiply(space, a->z, exact_minor2(space, b, c));
    const rblBigInteger at_b = rbl_big_multiply(space, b->z, exact_minor2(space, c, a));
    const rblBigInteger at_c = rbl_big_multiply(space, c->z, exact_minor2(space, a, b));
    return rbl_big_add(space, rbl_big_add(space, at_a, at_b), at_c);
}

static double exact_orient2d(const double a[2], const double b[2], const double c[2])
{
    const rblVec3d points[3] = {{a[0], a[1], 0}, {b[0], b[1], 0}, {c[0], c[1], 0}};
    if (!all_finite(points, 3))
    {
        return (double)NAN;
    }
    if (any_equal(points, 3))
    {
        return 0.0;
    }
    uint32_t limbs[SPACE_LIMBS / 4];
    rblBigSpace space = {limbs, SPACE_LIMBS / 4, 0};
    const int exponent = common_exponent(points, 3);
    const ExactPoint ca = exact_offset(&space, points[0], points[2], exponent);
    const ExactPoint cb = exact_offset(&space, points[1], points[2], exponent);
    return rbl_big_to_double(exact_minor2(&space, &ca, &cb), 2 * exponent);
}

double rbl_orient2d(const double a[2], const double b[2], const double c[2])
{
    // Roundings of a term: two differences, a product, the final difference.
    const double left = (a[0] - c[0]) * (b[1] - c[1]);
    const double right = (a[1] - c[1]) * (b[0] - c[0]);
    const double determinant = left - right;
    const double permanent = fabs(left) + fabs(right);
    if (fabs(determinant) > BOUND_2D * permanent + UNDERFLOW_2D)
    {
        return determinant;
    }
    return exact_orient2d(a, b, c);
}

static double exact_orient3d(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d d)
{
    // Four points in a plane of the axes are by far the most frequent degenerate case.
    if ((a.x == d.x && b.x == d.x && c.x == d.x) || (a.y == d.y && b.y == d.y && c.y == d.y) ||
        (a.z == d.z && b.z == d.z && c.z == d.z))
    {
        return 0.0;
    }
    const rblVec3d points[4] = {a, b, c, d};
    if (!all_finite(points, 4))
    {
        return (double)NAN;
    }
    if (any_equal(points, 4)) // the next one: triangles that share a corner
    {
        return 0.0;
    }
    uint32_t limbs[SPACE_LIMBS];
    rblBigSpace space = {limbs, SPACE_LIMBS, 0};
    const int exponent = common_exponent(points, 4);
    const ExactPoint da = exact_offset(&space, a, d, exponent);
    const ExactPoint db = exact_offset(&space, b, d, exponent);
    const ExactPoint dc = exact_offset(&space, c, d, exponent);
    return rbl_big_to_double(exact_minor3(&space, &da, &db, &dc), 3 * exponent);
}

// The determinant in double if it is more than `grow` times its error bound, otherwise exactly.
static inline double filtered_orient3d(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d d, double grow)
{
    // Roundings of a term: three differences, two products, the minor's difference, two sums.
    const rblVec3d da = rbl_sub3d(a, d);
    const rblVec3d db = rbl_sub3d(b, d);
    const rblVec3d dc = rbl_sub3d(c, d);
    const double bc = db.x * dc.y, cb = db.y * dc.x;
    const double ca = dc.x * da.y, ac = dc.y * da.x;
    const double ab = da.x * db.y, ba = da.y * db.x;
    const double determinant = da.z * (bc - cb) + db.z * (ca - ac) + dc.z * (ab - ba);
    const double permanent = fabs(da.z) * (fabs(bc) + fabs(cb)) + fabs(db.z) * (fabs(ca) + fabs(ac)) +
                             fabs(dc.z) * (fabs(ab) + fabs(ba));
    const double largest_z = fabs(da.z) + fabs(db.z) + fabs(dc.z);
    if (largest_z <= LARGEST_Z && fabs(determinant) > grow * (BOUND_3D * permanent + UNDERFLOW_3D))
    {
        return determinant;
    }
    return exact_orient3d(a, b, c, d);
}

double rbl_orient3d(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d d)
{
    return filtered_orient3d(a, b, c, d, 1.0);
}

double rbl_orient3d_precise(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d d)
{
    return filtered_orient3d(a, b, c, d, 0x1p30);
}

// ---- order along a line ----

// det[a0 - d, a1 - d, a2 - d]| is between these.
typedef struct Interval
{
    double low, high;
} Interval;

static Interval distance_to_plane(const rblVec3d a[3], rblVec3d d)
{
    const rblVec3d da = rbl_sub3d(a[0], d), db = rbl_sub3d(a[1], d), dc = rbl_sub3d(a[2], d);
    const double bc = db.x * dc.y, cb = db.y * dc.x;
    const double ca = dc.x * da.y, ac = dc.y * da.x;
    const double ab = da.x * db.y, ba = da.y * db.x;
    const double size = fabs(da.z * (bc - cb) + db.z * (ca - ac) + dc.z * (ab - ba));
    const double permanent = fabs(da.z) * (fabs(bc) + fabs(cb)) + fabs(db.z) * (fabs(ca) + fabs(ac)) +
                             fabs(dc.z) * (fabs(ab) + fabs(ba));
    const double doubt = 2.0 * BOUND_3D * permanent + UNDERFLOW_3D;
    const bool fine = fabs(da.z) + fabs(db.z) + fabs(dc.z) <= LARGEST_Z;
    return (Interval){fine ? rbl_maxd(size - doubt, 0.0) : 0.0, fine ? size + doubt : (double)INFINITY};
}

// The same exactly, without its sign, in units of 2^(3 exponent); the limbs are from `kept`.
static rblBigInteger exact_distance(rblBigSpace* kept, const rblVec3d a[3], rblVec3d d, int exponent)
{
    uint32_t limbs[SPACE_LIMBS];
    rblBigSpace space = {limbs, SPACE_LIMBS, 0};
    const ExactPoint da = exact_offset(&space, a[0], d, exponent);
    const ExactPoint db = exact_offset(&space, a[1], d, exponent);
    const ExactPoint dc = exact_offset(&space, a[2], d, exponent);
    rblBigInteger size = rbl_big_copy(kept, exact_minor3(&space, &da, &db, &dc));
    size.sign = size.sign < 0 ? 1 : size.sign;
    return size;
}

static int exact_crossing_order(rblVec3d p, rblVec3d q, const rblVec3d a[3], const rblVec3d b[3])
{
    const rblVec3d points[8] = {p, q, a[0], a[1], a[2], b[0], b[1], b[2]};
    if (!all_finite(points, 8))
    {
        return 0;
    }
    uint32_t limbs[SPACE_LIMBS];
    rblBigSpace space = {limbs, SPACE_LIMBS, 0};
    const int exponent = common_exponent(points, 8);
    const rblBigInteger ap = exact_distance(&space, a, p, exponent);
    const rblBigInteger aq = exact_distance(&space, a, q, exponent);
    const rblBigInteger bp = exact_distance(&space, b, p, exponent);
    const rblBigInteger bq = exact_distance(&space, b, q, exponent);
    const rblBigInteger first = rbl_big_multiply(&space, ap, bq);
    return rbl_big_subtract(&space, first, rbl_big_multiply(&space, bp, aq)).sign;
}

// Distances from a plane are proportional to determinants: the crossing is at ap / (ap + aq), and two of these are
// compared without a division.
int rbl_crossing_order(rblVec3d p, rblVec3d q, const rblVec3d a[3], const rblVec3d b[3])
{
    const Interval ap = distance_to_plane(a, p), aq = distance_to_plane(a, q);
    const Interval bp = distance_to_plane(b, p), bq = distance_to_plane(b, q);
    const double grow = 1.0 + 4.0 * UNIT;
    if (ap.high * bq.high * grow + UNDERFLOW_2D < bp.low * aq.low)
    {
        return -1;
    }
    if (bp.high * aq.high * grow + UNDERFLOW_2D < ap.low * bq.low)
    {
        return 1;
    }
    return exact_crossing_order(p, q, a, b);
}
