// The triangles of one tree that intersect a box or a ball.
#ifndef RBL_BVH_QUERY_REGION_H
#define RBL_BVH_QUERY_REGION_H

#include "base/array.h"
#include "bvh/bvh.h"

// Called for each leaf in increasing order; false ends the search.
typedef bool rblLeafFcn(uint32_t leaf, void* context);

// Visit every triangle that intersects or touches the box, by the thirteen separating axes in 64 bits (Akenine-Moeller
// 2001). Conservative by rounding only: a triangle within 1e-14 of its size and distance from the box can count too.
// True when the visitor ended the search. An empty box and a box with NaN intersect nothing.
bool rbl_tree_visit_box(const rblBvh* bvh, const rblAabb* box, rblLeafFcn* visit, void* context);

// Visit every triangle with a point within `radius` of the centre, with the precision of rbl_tree_closest(). A radius
// that is negative or NaN finds nothing.
bool rbl_tree_visit_ball(const rblBvh* bvh, rblVec3 center, float radius, rblLeafFcn* visit, void* context);

#endif
