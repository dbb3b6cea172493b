// What the paths of the ray tree share.
#ifndef RBL_BVH_QUERY_RAY_TREE_TRACE_H
#define RBL_BVH_QUERY_RAY_TREE_TRACE_H

#include "bvh/query/ray_tree.h"
#include "bvh/query/ray_triangle.h"
#include "math/simd.h"
#include "math/vec.h"

// A node leaves at most seven entries on the stack and is at least one level of the binary tree above its children.
#define RBL_RAY_STACK_SIZE 200

// The numbers of a ray for box tests, per axis: lower sides use an origin that is slightly too large, upper sides one
// that is slightly too small.
typedef struct rblBoxRay
{
    float above[3];
    float below[3];
    float inverse[3]; // of the direction
} rblBoxRay;

// One ray on its way through a ray tree.
typedef struct rblRayTrace
{
    const rblRayNode* nodes;
    const rblRayBlock* blocks;
    const uint32_t* order; // per leaf: its triangle
    rblShearedRay sheared;
    float t_min;
    float inverse[3];
    // Per axis, for the sides where the ray enters boxes and for those where it leaves them: the origin of rblBoxRay, and
    // where these sides are in rblRayNode.side, in bytes.
    float enter_from[3], leave_from[3];
    size_t enter_side[3], leave_side[3];
} rblRayTrace;

typedef bool rblRayTraceFcn(const rblRayTrace* trace, rblRayHit* best, bool any);

rblRayTraceFcn rbl_ray_trace_portable;
rblRayTraceFcn rbl_ray_trace_avx2;

#endif
