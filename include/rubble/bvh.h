/// The triangle hierarchy: rays, closest points, inside tests and overlaps over plain spans of points and indices.
#ifndef RUBBLE_BVH_H
#define RUBBLE_BVH_H

#include "rubble/math.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// Triangles to build over: three vertex indices each, or consecutive vertices when `indices` is null.
typedef struct rblTriangleSpan
{
    const void* positions; ///< x, y, z of vertex v begin at byte v * stride
    size_t stride;         ///< bytes; a multiple of the coordinate's size, at least three of them
    bool is_double;        ///< coordinates are doubles; boxes are then rounded outwards to floats
    uint32_t vertex_count;
    const uint32_t* indices; ///< 3 * triangle_count, or null
    uint32_t triangle_count;
} rblTriangleSpan;

typedef enum rblBvhQuality
{
    RBL_BVH_FAST,     ///< Morton order: for what moves every frame
    RBL_BVH_BALANCED, ///< top-down order down to blocks of 8 leaves, which stay as they come
    RBL_BVH_QUALITY   ///< top-down order all the way: for what is queried often
} rblBvhQuality;

typedef struct rblRay
{
    rblVec3 origin;
    rblVec3 direction; ///< any length but zero; t counts in units of it
    float t_min, t_max;
} rblRay;

typedef struct rblRayHit
{
    float t;
    float u, v;        ///< barycentric coordinates of corners 1 and 2: point = (1 - u - v) a + u b + v c
    uint32_t triangle; ///< in the span
    uint32_t leaf;     ///< its place in the tree
} rblRayHit;

/// What part of a triangle a point lies on. Edge k runs from corner k to the next one.
typedef enum rblTriangleFeature
{
    RBL_FEATURE_VERTEX_0,
    RBL_FEATURE_VERTEX_1,
    RBL_FEATURE_VERTEX_2,
    RBL_FEATURE_EDGE_0,
    RBL_FEATURE_EDGE_1,
    RBL_FEATURE_EDGE_2,
    RBL_FEATURE_FACE
} rblTriangleFeature;

typedef struct rblClosestPoint
{
    rblVec3 point;
    float distance;
    float u, v;        ///< barycentric coordinates of corners 1 and 2, as in rblRayHit
    uint32_t triangle; ///< in the span; UINT32_MAX in arrays where nothing was found
    uint32_t leaf;     ///< its place in the tree
    rblTriangleFeature feature;
} rblClosestPoint;

/// What decides between inside and outside.
typedef enum rblSignMode
{
    RBL_SIGN_WINDING, ///< a winding number above 1/2: right for open surfaces, soups and overlapping parts too
    RBL_SIGN_CLOSED   ///< the same, faster, for a surface known to be closed, oriented outwards and free of
    ///< crossings: the closest face decides where it can, and grids reuse their neighbours' sign
} rblSignMode;

/// Points in rows: x varies fastest, then y, then z. Point (i, j, k) is origin + spacing * (i, j, k).
typedef struct rblPointGrid
{
    rblVec3 origin;
    float spacing; ///< above 0
    uint32_t counts[3];
} rblPointGrid;

RBL_EXTERN_C_END

#endif
