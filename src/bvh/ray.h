// Rays against one tree.
#ifndef RBL_BVH_RAY_H
#define RBL_BVH_RAY_H

#include "bvh/bvh.h"

typedef struct rblRay
{
    rblVec3 origin;
    rblVec3 direction; // any length but zero; t counts in units of it
    float t_min, t_max;
} rblRay;

typedef struct rblRayHit
{
    float t;
    float u, v;        // barycentric coordinates of corners 1 and 2: point = (1 - u - v) a + u b + v c
    uint32_t triangle; // in the span
    uint32_t leaf;     // its place in the tree
} rblRayHit;

// The first hit with t_min <= t <= t_max; of equal t the one met at the lower leaf. Both sides of a triangle count.
// Watertight: a ray through a shared edge or vertex hits one of the triangles there (Woop, Benthin and Wald 2013).
// False, and `hit` untouched, when there is none or the ray is not a number.
bool rbl_bvh_ray_closest(const rblBvh* bvh, const rblRay* ray, rblRayHit* hit);

// Whether there is any.
bool rbl_bvh_ray_any(const rblBvh* bvh, const rblRay* ray);

#endif
