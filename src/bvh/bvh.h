// The static triangle hierarchy (Chitalu 2020, ch. 3): boxes in the implicit layout of layout.h, level by level in one
// array, and the order in which triangles stand as leaves. Reads plain spans of points and indices.
#ifndef RBL_BVH_BVH_H
#define RBL_BVH_BVH_H

#include "base/jobs.h"
#include "bvh/layout.h"
#include "rubble/math.h"

// Triangles to build over: three vertex indices each, or consecutive vertices when `indices` is null.
typedef struct rblTriangleSpan
{
    const float* positions; // x, y, z of vertex v at (const char*)positions + v * position_stride
    size_t position_stride; // bytes, a multiple of 4, at least 12
    uint32_t vertex_count;
    const uint32_t* indices; // 3 * triangle_count
    uint32_t triangle_count;
} rblTriangleSpan;

typedef enum rblBvhQuality
{
    RBL_BVH_FAST,     // Morton order: for what moves every frame
    RBL_BVH_BALANCED, // top-down order to blocks of 64 leaves, Morton order inside
    RBL_BVH_QUALITY   // top-down order all the way: for what is queried often
} rblBvhQuality;

// One triangle as it lies in a leaf.
typedef struct rblLeafTriangle
{
    rblVec3 a, b, c;
} rblLeafTriangle;

typedef struct rblBvh
{
    const rblAllocator* allocator;
    rblTreeLayout layout; // leaves = triangle_count; meaningless when that is 0
    uint32_t node_count;
    rblAabb* nodes;             // node_count boxes by memory index; the root first, the leaves last
    uint32_t* order;            // per leaf: its triangle in the span
    rblLeafTriangle* triangles; // per leaf: its corners, so that queries read sequentially
} rblBvh;

// Build a tree; on failure `bvh` is left empty. RBL_ERROR_ARGUMENT names the first bad vertex or index.
rblResult rbl_bvh_build(rblBvh* bvh, const rblTriangleSpan* span, rblBvhQuality quality, rblJobs* jobs,
                        const rblAllocator* allocator);

// Recompute the boxes for moved vertices; order and layout stay.
rblResult rbl_bvh_refit(rblBvh* bvh, const rblTriangleSpan* span, rblJobs* jobs);

void rbl_bvh_free(rblBvh* bvh);

// Surface area heuristic, cost 1 per box test and 1 per triangle: sum over inner nodes and leaves of area / root area.
double rbl_bvh_sah(const rblBvh* bvh);

#endif
