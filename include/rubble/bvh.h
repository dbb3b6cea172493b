/// Triangle BVH: rays, closest points, inside tests and overlaps over plain spans of vertices and indices.
#ifndef RUBBLE_BVH_H
#define RUBBLE_BVH_H

#include "rubble/linkage.h"
#include "rubble/math.h"
#include "rubble/result.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// The triangles of one tree: three vertex indices each, or consecutive vertices when `indices` is null.
typedef struct rblTriangleSpan
{
    const void* positions; ///< x, y, z of vertex v start at byte v * stride; aligned as their type
    size_t stride;         ///< bytes; a multiple of the size of a coordinate, at least three coordinates
    bool is_double;        ///< coordinates are doubles; boxes are then rounded outwards to floats
    uint32_t vertex_count;
    const uint32_t* indices; ///< 3 * triangle_count, or null
    uint32_t triangle_count;
} rblTriangleSpan;

/// The trade between build time and query time.
typedef enum rblBvhQuality
{
    RBL_BVH_FAST,     ///< Morton order: for geometry that moves every frame
    RBL_BVH_BALANCED, ///< top-down splits down to blocks of 8 leaves, which keep the order of the span
    RBL_BVH_QUALITY   ///< top-down splits down to single leaves: for geometry that is queried often
} rblBvhQuality;

/// A part of a line: origin + t direction for t from t_min to t_max.
typedef struct rblRay
{
    rblVec3 origin;
    rblVec3 direction; ///< any length but zero; t is in units of this length
    float t_min, t_max;
} rblRay;

/// The hit of a ray on a triangle.
typedef struct rblRayHit
{
    float t;
    float u, v;        ///< barycentric coordinates of corners 1 and 2: point = (1 - u - v) a + u b + v c
    uint32_t triangle; ///< index in the span
    uint32_t leaf;     ///< index of the leaf in the tree
    uint32_t span;     ///< index of the span in the BVH; set by rbl_bvh_ray_closest()
} rblRayHit;

/// The feature of a triangle that a point lies on. Edge k goes from corner k to the next corner.
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

/// The point of a surface that is closest to a query point.
typedef struct rblClosestPoint
{
    rblVec3 point;
    float distance;
    float u, v;        ///< barycentric coordinates of corners 1 and 2, as in rblRayHit
    uint32_t triangle; ///< index in the span; RBL_NONE when nothing was found
    uint32_t leaf;     ///< index of the leaf in the tree
    uint32_t span;     ///< index of the span in the BVH; set by rbl_bvh_closest()
    rblTriangleFeature feature;
} rblClosestPoint;

/// The rule that decides between inside and outside.
typedef enum rblSignMode
{
    RBL_SIGN_WINDING, ///< winding number above 1/2: also valid for open surfaces, triangle soups and overlapping parts
    RBL_SIGN_CLOSED ///< the same, faster, for a surface known to be closed, oriented outwards and free of
    ///< crossings: the closest face decides where it can, and grids reuse their neighbours' sign
} rblSignMode;

/// The points of a regular grid: x varies fastest, then y, then z. Point (i, j, k) is origin + spacing * (i, j, k).
typedef struct rblPointGrid
{
    rblVec3 origin;
    float spacing; ///< above 0
    uint32_t counts[3];
} rblPointGrid;

// ---- BVHs, addressed by id ----

/// Handle to a BVH. Zero is null; pass by value, compare, store.
typedef struct rblBvhId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< incremented when the slot is reused, so that stale ids are detected
} rblBvhId;

/// Definition of a BVH. Start from rbl_default_bvh_def() and change fields.
typedef struct rblBvhDef
{
    uint32_t struct_size;         ///< bytes of this struct; set by rbl_default_bvh_def()
    uint32_t cookie;              ///< set by rbl_default_bvh_def()
    const rblTriangleSpan* spans; ///< one tree per span, all built in one pass; read during the call only
    uint32_t span_count;          ///< 0: an empty BVH
    rblBvhQuality quality;        ///< default RBL_BVH_QUALITY
    bool
        winding; ///< default false; true: also store the moments for winding numbers and signed distances, 19 bytes per triangle
    bool
        rays; ///< default false: the trees for rays, 41 bytes per triangle, are made by the first query that brings the rays since the last
              ///< change to an eighth of the triangles; true: they are made with every build and refit
} rblBvhDef;

/// No spans, the best quality, no winding numbers, trees for rays on demand.
RBL_API void rbl_bvh_def_init(rblBvhDef* def, size_t size);
static inline rblBvhDef rbl_default_bvh_def(void)
{
    rblBvhDef def;
    rbl_bvh_def_init(&def, sizeof def);
    return def;
}

/// Build a BVH. The call refuses, and names span and element: null or unaligned positions, invalid strides, indices out
/// of range, coordinates that are not finite or beyond 1e38, more than 2^30 triangles in total.
RBL_API rblResult rbl_bvh_create(const rblBvhDef* def, rblBvhId* out);

/// Destroy a BVH. The id is stale afterwards; queries that are running finish normally.
RBL_API rblResult rbl_bvh_destroy(rblBvhId bvh);

/// Build a BVH again over other triangles. Its memory is reused where it is large enough. On failure the BVH is empty.
/// RBL_ERROR_BUSY while queries are running.
RBL_API rblResult rbl_bvh_rebuild(rblBvhId bvh, const rblBvhDef* def);

/// Update the boxes for new positions of the same triangles; the order of the leaves does not change. RBL_ERROR_ARGUMENT
/// when the counts differ from those of the last build; RBL_ERROR_BUSY while queries are running.
RBL_API rblResult rbl_bvh_refit(rblBvhId bvh, const rblTriangleSpan* spans, uint32_t span_count);

/// Size and quality of a BVH.
typedef struct rblBvhStats
{
    uint32_t span_count;
    uint32_t triangle_count;
    uint32_t node_count;
    uint32_t level_count; ///< of the deepest tree; 0 for an empty BVH
    size_t bytes; ///< nodes, leaf order, triangles, moments, and the trees for rays once they are made
    double
        sah; ///< surface area heuristic with cost 1 per box test and 1 per triangle test, summed over the trees
} rblBvhStats;

/// Read the statistics. The call computes `sah` in one pass over all nodes.
RBL_API rblResult rbl_bvh_stats(rblBvhId bvh, rblBvhStats* out);

// Queries. Several threads may query one BVH at the same time. Each call also runs in parallel by itself
// (rubble/tasks.h), and its results do not depend on the number of workers. Neighbours in an array of points or rays
// should be near each other in space. The trees of the spans are queried one after another: triangles that are always
// queried together are faster in one span. A query with NaN, and every query on an empty BVH, finds nothing.

/// The first hit of each ray; both sides of a triangle count, and edges are watertight. Among equal t the lowest span
/// wins, then the lowest triangle. Without a hit triangle, span and leaf are RBL_NONE and t is infinite. Results have the
/// same bits with and without trees for rays.
RBL_API rblResult rbl_bvh_ray_closest(rblBvhId bvh, const rblRay* rays, uint32_t count, rblRayHit* hits);

/// Whether each ray hits any triangle.
RBL_API rblResult rbl_bvh_ray_any(rblBvhId bvh, const rblRay* rays, uint32_t count, bool* hits);

/// The closest surface point of each query point within `radius` (which may be infinite). Among equal distances the
/// lowest span wins, then the lowest triangle. When there is none, triangle, span and leaf are RBL_NONE.
RBL_API rblResult rbl_bvh_closest(rblBvhId bvh, const rblVec3* points, uint32_t count, float radius,
                                  rblClosestPoint* out);

/// The winding number of the triangles around each point: 1 inside a closed surface that is oriented outwards, 0 outside,
/// fractions near gaps. The error is about 0.03. RBL_ERROR_ARGUMENT without rblBvhDef.winding.
RBL_API rblResult rbl_bvh_winding_number(rblBvhId bvh, const rblVec3* points, uint32_t count, float* out);

/// Signed distances, negative inside, clamped to `radius`; NaN for points that are not finite. RBL_ERROR_ARGUMENT without
/// rblBvhDef.winding, and for a radius that is negative or NaN.
RBL_API rblResult rbl_bvh_signed_distance(rblBvhId bvh, const rblVec3* points, uint32_t count, float radius,
                                          rblSignMode mode, float* out);

/// Signed distances at the points of a grid, x fastest.
RBL_API rblResult rbl_bvh_signed_distance_grid(rblBvhId bvh, const rblPointGrid* grid, float radius,
                                               rblSignMode mode, float* out);

/// Called for each triangle found; false ends the search.
typedef bool rblTriangleVisitor(uint32_t span, uint32_t triangle, void* context);

/// Visit every triangle that intersects or touches the box.
RBL_API rblResult rbl_bvh_overlap_box(rblBvhId bvh, rblAabb box, rblTriangleVisitor* visit, void* context);

/// Visit every triangle with a point within `radius` of the centre.
RBL_API rblResult rbl_bvh_overlap_sphere(rblBvhId bvh, rblVec3 center, float radius,
                                         rblTriangleVisitor* visit, void* context);

/// Two triangles with a common point.
typedef struct rblBvhPair
{
    uint32_t span_a, triangle_a;
    uint32_t span_b, triangle_b;
    bool coplanar;
    rblVec3d ends[2]; ///< end points of their common segment; equal for a single point
} rblBvhPair;

/// Called for each pair; false ends the search.
typedef bool rblTrianglePairVisitor(const rblBvhPair* pair, void* context);

/// Visit all pairs of triangles that intersect, decided exactly: pairs of different spans, and with `within_spans` also
/// pairs of one span, except triangles that share a vertex (by index: a span without indices has no shared vertices).
/// `spans` are the spans of the last build or refit.
RBL_API rblResult rbl_bvh_overlap_pairs(rblBvhId bvh, const rblTriangleSpan* spans, uint32_t span_count,
                                        bool within_spans, rblTrianglePairVisitor* visit, void* context);

/// The number of BVHs that exist: a leak check for tests.
RBL_API uint32_t rbl_bvh_alive_count(void);

RBL_EXTERN_C_END

#endif
