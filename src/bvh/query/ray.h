// Rays against one tree.
#ifndef RBL_BVH_QUERY_RAY_H
#define RBL_BVH_QUERY_RAY_H

#include "bvh/query/ray_tree.h"

// The first hit with t_min <= t <= t_max; among equal t the lowest triangle. Both sides of a triangle count; a triangle
// seen exactly edge-on does not. Watertight: a ray through a shared edge or vertex hits one of the triangles there
// (Woop, Benthin and Wald 2013); boxes are enlarged by the rounding error of that test. The error of t is about 1e-6 of
// the distance between the origin and the far end of the tree. The direction has any length but zero. False, and `hit`
// unchanged, when there is no hit or the ray is not finite (t_max may be infinite, t_min must not be above it).
bool rbl_tree_ray_closest(const rblBvh* bvh, const rblRay* ray, rblRayHit* hit);

// Whether there is any hit.
bool rbl_tree_ray_any(const rblBvh* bvh, const rblRay* ray);

// The same result, faster where neighbouring rays hit the same triangle: `blocker` is the leaf to test first
// (UINT32_MAX: none), and receives the leaf that was hit.
bool rbl_tree_ray_blocked(const rblBvh* bvh, const rblRay* ray, uint32_t* blocker);

// The same results from a ray tree of the same tree, faster. Null or empty: the binary tree is used.
bool rbl_ray_tree_closest(const rblBvh* bvh, const rblRayTree* rays, const rblRay* ray, rblRayHit* hit);
bool rbl_ray_tree_any(const rblBvh* bvh, const rblRayTree* rays, const rblRay* ray);
bool rbl_ray_tree_blocked(const rblBvh* bvh, const rblRayTree* rays, const rblRay* ray, uint32_t* blocker);

#endif
