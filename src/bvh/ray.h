// Rays against one tree.
#ifndef RBL_BVH_RAY_H
#define RBL_BVH_RAY_H

#include "bvh/bvh.h"

// The first hit with t_min <= t <= t_max; of equal t the one met at the lower leaf. Both sides of a triangle count.
// Watertight: a ray through a shared edge or vertex hits one of the triangles there (Woop, Benthin and Wald 2013).
// False, and `hit` untouched, when there is none or the ray is not a number.
bool rbl_tree_ray_closest(const rblBvh* bvh, const rblRay* ray, rblRayHit* hit);

// Whether there is any.
bool rbl_tree_ray_any(const rblBvh* bvh, const rblRay* ray);

#endif
