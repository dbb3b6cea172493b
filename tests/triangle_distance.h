// The distance of a point from a triangle, the plain way.
#ifndef RBL_TESTS_TRIANGLE_DISTANCE_H
#define RBL_TESTS_TRIANGLE_DISTANCE_H

#include "math/vec.h"
#include <math.h>

static inline double distance_to_segment(rblVec3d p, rblVec3d a, rblVec3d b)
{
    const rblVec3d ab = rbl_sub3d(b, a);
    const double t = rbl_clampd(rbl_dot3d(rbl_sub3d(p, a), ab) / rbl_dot3d(ab, ab), 0, 1);
    return rbl_distance3d(p, rbl_mul_add3d(a, t, ab));
}

static inline double distance_to_triangle(rblVec3d p, const rblVec3d t[3])
{
    const rblVec3d n = rbl_cross3d(rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[0]));
    int inside = 1;
    double best = HUGE_VAL;
    for (int i = 0; i < 3; ++i)
    {
        const rblVec3d a = t[i], b = t[(i + 1) % 3];
        inside = inside && rbl_dot3d(rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(p, a)), n) >= 0;
        best = rbl_mind(distance_to_segment(p, a, b), best);
    }
    return inside ? fabs(rbl_dot3d(n, rbl_sub3d(p, t[0]))) / rbl_length3d(n) : best;
}

#endif
