// Do two triangles meet? Decided exactly.
#ifndef RBL_MATH_TRIANGLE_INTERSECTION_H
#define RBL_MATH_TRIANGLE_INTERSECTION_H

#include "rubble/math.h"
#include <stdbool.h>
#include <stdint.h>

// True when a, b and c lie exactly on one line, or two of them are the same point.
bool rbl_collinear3d(rblVec3d a, rblVec3d b, rblVec3d c);

// Whether two triangles, neither of them collinear, have a point in common besides the simplex they share:
// nothing, a vertex, an edge or all, for `shared` of 0, 1, 2 or 3. Shared vertices come first in both, in the
// same order. Triangles are closed: touching is meeting.
bool rbl_triangles_meet(const rblVec3d a[3], const rblVec3d b[3], uint32_t shared);

#endif
