// Exact geometric predicates: the sign of the result is always right, for every finite input from the
// smallest subnormal to DBL_MAX. Floating point with a proven error bound decides the clear cases and exact
// integers the others (the adaptive idea of Shewchuk 1997). Every decision about geometry that could go
// either way goes through here.
//
// The magnitude approximates the determinant, kept within the normal range of double when the determinant is
// not. A coordinate that is not finite yields NaN (or 0 where the others alone are coplanar with it).
#ifndef RBL_MATH_PREDICATES_H
#define RBL_MATH_PREDICATES_H

#include "rubble/math.h"

// > 0 when a, b, c turn left (counter-clockwise), < 0 right, 0 exactly on one line.
double rbl_orient2d(const double a[2], const double b[2], const double c[2]);

// Has the sign of det[a - d, b - d, c - d]: > 0 when a, b, c look clockwise seen from d, that is when d lies
// on the side away from which (b - a) x (c - a) points; 0 exactly coplanar.
double rbl_orient3d(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d d);

// The same with a magnitude that is right, too, to 2^-30 of itself: for ratios of distances.
double rbl_orient3d_precise(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d d);

// Which of two planes, each through three points, the way from p to q meets first: -1 the first, 1 the second, 0 both in one
// point. Of both planes p and q must be on different sides, strictly.
int rbl_crossing_order(rblVec3d p, rblVec3d q, const rblVec3d a[3], const rblVec3d b[3]);

#endif
