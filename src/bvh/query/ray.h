// Rays against one tree.
#ifndef RBL_BVH_QUERY_RAY_H
#define RBL_BVH_QUERY_RAY_H

#include "bvh/bvh.h"

// The first hit with t_min <= t <= t_max; of equal t the lowest triangle. Both sides of a triangle count, one seen
// exactly edge-on does not. Watertight: a ray through a shared edge or vertex hits one of the triangles there (Woop,
// Benthin and Wald 2013); boxes are enlarged by the rounding of that test. t is right to about 1e-6 of the distance
// between the origin and the far end of the tree. Any length of direction but zero. False, and `hit` untouched, when
// there is none or the ray is not finite (t_max may be infinite, t_min not above it).
bool rbl_tree_ray_closest(const rblBvh* bvh, const rblRay* ray, rblRayHit* hit);

// Whether there is any.
bool rbl_tree_ray_any(const rblBvh* bvh, const rblRay* ray);

// The same answer, sooner where neighbouring rays are blocked by the same triangle: `blocker` is the leaf to try first
// (UINT32_MAX: none), and receives the one that was found.
bool rbl_tree_ray_blocked(const rblBvh* bvh, const rblRay* ray, uint32_t* blocker);

#endif
