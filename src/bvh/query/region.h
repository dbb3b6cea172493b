// The triangles of one tree that meet a box or a ball.
#ifndef RBL_BVH_QUERY_REGION_H
#define RBL_BVH_QUERY_REGION_H

#include "base/array.h"
#include "bvh/bvh.h"

// Called for each leaf in ascending order; false ends the search.
typedef bool rblLeafFcn(uint32_t leaf, void* context);

// Visit every triangle that meets the box, touching included, by the thirteen separating axes in 64 bits
// (Akenine-Moeller 2001). Conservative by rounding only: a triangle within 1e-14 of its size and distance from the
// box may count too. True when the visitor ended the search. An empty box or one that is not a number meets nothing.
bool rbl_tree_visit_box(const rblBvh* bvh, const rblAabb* box, rblLeafFcn* visit, void* context);

// Visit every triangle with a point within `radius` of the centre, exact as rbl_tree_closest() is. A radius that is
// negative or NaN meets nothing.
bool rbl_tree_visit_ball(const rblBvh* bvh, rblVec3 center, float radius, rblLeafFcn* visit, void* context);

#endif
