#include "math/double_double.h"
#include "math/predicates.h"
#include "math/triangle_meeting_private.h"

rblVec3d rbl_zero_between(rblVec3d p, double dp, rblVec3d q, double dq)
{
    // Interpolate from the nearer end, where the step and so its rounding error is smaller.
    const bool near_q = fabs(dq) < fabs(dp);
    const rblVec3d from = near_q ? q : p;
    const rblVec3d step = rbl_sub3d(near_q ? p : q, from);
    const double t = rbl_clampd((near_q ? dq : dp) / (near_q ? dq - dp : dp - dq), 0.0, 1.0);
    const rblVec3d at = rbl_mul_add3d(from, t, step);
    return rbl_min3d(rbl_max3d(at, rbl_min3d(p, q)), rbl_max3d(p, q));
}

static rblDouble2 exact_minus(double a, double b)
{
    return rbl_two_sum(a, -b);
}

static rblDouble2 dd_minor(rblDouble2 ax, rblDouble2 ay, rblDouble2 bx, rblDouble2 by)
{
    return rbl_dd_add(rbl_dd_multiply(ax, by), rbl_dd_negate(rbl_dd_multiply(ay, bx)));
}

typedef struct Double2Vec
{
    rblDouble2 x, y, z;
} Double2Vec;

static Double2Vec dd_offset(rblVec3d a, rblVec3d b)
{
    return (Double2Vec){exact_minus(a.x, b.x), exact_minus(a.y, b.y), exact_minus(a.z, b.z)};
}

// (p - t0) . (t1 - t0) x (t2 - t0) with double the precision.
static double fine_height(const rblVec3d t[3], rblVec3d p)
{
    const Double2Vec e = dd_offset(t[1], t[0]);
    const Double2Vec f = dd_offset(t[2], t[0]);
    const Double2Vec d = dd_offset(p, t[0]);
    const rblDouble2 x = rbl_dd_multiply(d.x, dd_minor(e.y, e.z, f.y, f.z));
    const rblDouble2 y = rbl_dd_multiply(d.y, dd_minor(e.z, e.x, f.z, f.x));
    const rblDouble2 z = rbl_dd_multiply(d.z, dd_minor(e.x, e.y, f.x, f.y));
    return rbl_dd_add(rbl_dd_add(x, y), z).high;
}

// Twice the area of a, b, c with double the precision.
static double fine_area(rblPoint2 a, rblPoint2 b, rblPoint2 c)
{
    return dd_minor(exact_minus(b.at[0], a.at[0]), exact_minus(b.at[1], a.at[1]),
                    exact_minus(c.at[0], a.at[0]), exact_minus(c.at[1], a.at[1]))
        .high;
}

rblVec3d rbl_crossing_of_segments(rblVec3d p, rblVec3d q, rblVec3d u, rblVec3d v)
{
    // In the projection with the largest crossing angle; with ends in a fixed order, so that neighbours get the same
    // result.
    const rblVec3d p0 = rbl_comes_before(p, q) ? p : q, p1 = rbl_comes_before(p, q) ? q : p;
    const rblVec3d u0 = rbl_comes_before(u, v) ? u : v, u1 = rbl_comes_before(u, v) ? v : u;
    const rblVec3d n = rbl_cross3d(rbl_sub3d(p1, p0), rbl_sub3d(u1, u0));
    const rblVec3d m = {fabs(n.x), fabs(n.y), fabs(n.z)};
    const int drop = m.x >= m.y && m.x >= m.z ? 0 : (m.y >= m.z ? 1 : 2);
    const rblPoint2 a = rbl_project(u0, drop), b = rbl_project(u1, drop);
    return rbl_zero_between(p0, fine_area(a, b, rbl_project(p0, drop)), p1,
                            fine_area(a, b, rbl_project(p1, drop)));
}

rblVec3d rbl_crossing_of_face(rblVec3d p, rblVec3d q, const rblVec3d t[3])
{
    const rblVec3d first = rbl_comes_before(p, q) ? p : q, last = rbl_comes_before(p, q) ? q : p;
    return rbl_zero_between(first, fine_height(t, first), last, fine_height(t, last));
}

int rbl_locate_crossing(rblVec3d p, rblVec3d q, const rblVec3d t[3])
{
    int zeros = 0;
    int zero_sum = 0;
    int way = 0;
    for (int e = 0; e < 3; ++e)
    {
        const int side = rbl_sign_of(rbl_orient3d(p, q, t[e], t[rbl_next_corner(e)]));
        if (side != 0 && side == -way)
        {
            return -1;
        }
        way = side != 0 ? side : way;
        zeros += side == 0;
        zero_sum += side == 0 ? e : 0;
    }
    return zeros == 0 ? RBL_PART_FACE : (zeros == 1 ? RBL_PART_EDGE + zero_sum : (zero_sum * 2 + 2) % 3);
}

rblVec3d rbl_crossing_of_part(rblVec3d p, rblVec3d q, const rblVec3d t[3], int part)
{
    if (part == RBL_PART_FACE)
    {
        return rbl_crossing_of_face(p, q, t);
    }
    if (part >= RBL_PART_EDGE)
    {
        const int edge = part - RBL_PART_EDGE;
        return rbl_crossing_of_segments(p, q, t[edge], t[rbl_next_corner(edge)]);
    }
    return t[part];
}
