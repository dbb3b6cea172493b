// The closest point of the triangles of one tree.
//
// Distances are computed in 64 bits from the 32-bit corners of the tree (triangle_distance.h). The error is 2e-8 of the
// longest edge of the triangle plus half an ulp of the float returned, also for slivers and degenerate triangles.
#ifndef RBL_BVH_QUERY_CLOSEST_H
#define RBL_BVH_QUERY_CLOSEST_H

#include "bvh/bvh.h"

#define RBL_NO_LEAF UINT32_MAX

// The closest point with distance <= radius; among equal distances the triangle with the lowest index in the span, for
// every quality of the tree. `hint` is a leaf that is probably near (that of the previous point), or RBL_NO_LEAF: it
// changes the time only. False, and `out` unchanged, when there is none, the point is not finite, or the radius is
// negative or NaN. The radius may be infinite.
bool rbl_tree_closest(const rblBvh* bvh, rblVec3 point, float radius, uint32_t hint, rblClosestPoint* out);

#endif
