// The closest point of one tree's triangles.
//
// Distances are computed in 64 bits from the tree's 32-bit corners (triangle_distance.h): they are right to 2e-8 of
// the triangle's longest edge plus half an ulp of the float returned, for slivers and degenerate triangles too.
#ifndef RBL_BVH_QUERY_CLOSEST_H
#define RBL_BVH_QUERY_CLOSEST_H

#include "bvh/bvh.h"

#define RBL_NO_LEAF UINT32_MAX

// The closest point with distance <= radius; of equally close triangles the lowest in the span, whatever the tree's
// quality. `hint` is a leaf thought to be near (that of the point before), RBL_NO_LEAF without: it changes the time
// only. False, and `out` untouched, when there is none, the point is not finite, or the radius negative or NaN; it
// may be infinite.
bool rbl_tree_closest(const rblBvh* bvh, rblVec3 point, float radius, uint32_t hint, rblClosestPoint* out);

#endif
