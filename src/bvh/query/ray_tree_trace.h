// What the paths of the ray tree share.
#ifndef RBL_BVH_QUERY_RAY_TREE_TRACE_H
#define RBL_BVH_QUERY_RAY_TREE_TRACE_H

#include "bvh/query/ray_tree.h"
#include "bvh/query/ray_triangle.h"
#include "math/simd.h"
#include "math/vec.h"

// A node leaves at most seven entries on the stack and is at least one level of the binary tree above its children.
#define RBL_RAY_STACK_SIZE 200

// One ray on its way through a tree.
typedef struct rblRayTrace
{
    const rblRayNode* nodes;
    const rblRayBlock* blocks;
    const uint32_t* order; // per leaf: its triangle
    rblShearedRay sheared;
    float t_min;
    // For the sides of boxes, per axis: the origin, moved along the ray for the sides where it enters and against it for
    // those where it leaves, and the inverse of the direction.
    float before[3], behind[3], inverse[3];
    size_t near_sides[3], far_sides[3]; // in rblRayNode.side: those where the ray enters and leaves
} rblRayTrace;

typedef bool rblRayTraceFcn(const rblRayTrace* trace, rblRayHit* best, bool any);

rblRayTraceFcn rbl_ray_trace_portable;
rblRayTraceFcn rbl_ray_trace_avx2;

#endif
