// Exact geometric predicates: the sign of the result is always correct, for every finite input from the smallest
// subnormal to DBL_MAX. Floating point with a proven error bound decides the clear cases and exact integers the others
// (the adaptive idea of Shewchuk 1997). All geometric decisions with a degenerate case use these functions.
//
// The magnitude approximates the determinant, clamped to the normal range of double. A coordinate that is not finite
// gives NaN (or 0 where the other coordinates alone are coplanar).
#ifndef RBL_MATH_PREDICATES_H
#define RBL_MATH_PREDICATES_H

#include "rubble/math.h"

// > 0 when a, b, c turn left (counter-clockwise), < 0 right, 0 exactly on one line.
double rbl_orient2d(const double a[2], const double b[2], const double c[2]);

// The sign of det[a - d, b - d, c - d]: > 0 when a, b, c are clockwise seen from d, that is when d is on the side
// opposite to the direction of (b - a) x (c - a); 0 exactly coplanar.
double rbl_orient3d(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d d);

// The same, with a relative error of the magnitude of at most 2^-30: for ratios of distances.
double rbl_orient3d_precise(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d d);

// The plane that the segment from p to q crosses first, of two planes through three points each: -1 the first, 1 the
// second, 0 both in one point. p and q must be strictly on different sides of both planes.
int rbl_crossing_order(rblVec3d p, rblVec3d q, const rblVec3d a[3], const rblVec3d b[3]);

#endif
