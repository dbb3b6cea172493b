/// The triangle hierarchy: rays, closest points, inside tests and overlaps over plain spans of points and indices.
#ifndef RUBBLE_BVH_H
#define RUBBLE_BVH_H

#include "rubble/export.h"
#include "rubble/math.h"
#include "rubble/result.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

RBL_EXTERN_C_BEGIN

/// Triangles to build over: three vertex indices each, or consecutive vertices when `indices` is null.
typedef struct rblTriangleSpan
{
    const void* positions; ///< x, y, z of vertex v begin at byte v * stride; aligned as its coordinates
    size_t stride;         ///< bytes; a multiple of the coordinate's size, at least three of them
    bool is_double;        ///< coordinates are doubles; boxes are then rounded outwards to floats
    uint32_t vertex_count;
    const uint32_t* indices; ///< 3 * triangle_count, or null
    uint32_t triangle_count;
} rblTriangleSpan;

/// How much time a build may take, for how fast a tree.
typedef enum rblBvhQuality
{
    RBL_BVH_FAST,     ///< Morton order: for what moves every frame
    RBL_BVH_BALANCED, ///< top-down order down to blocks of 8 leaves, which stay as they come
    RBL_BVH_QUALITY   ///< top-down order all the way: for what is queried often
} rblBvhQuality;

/// A part of a line: origin + t direction for t from t_min to t_max.
typedef struct rblRay
{
    rblVec3 origin;
    rblVec3 direction; ///< any length but zero; t counts in units of it
    float t_min, t_max;
} rblRay;

/// Where a ray met a triangle.
typedef struct rblRayHit
{
    float t;
    float u, v;        ///< barycentric coordinates of corners 1 and 2: point = (1 - u - v) a + u b + v c
    uint32_t triangle; ///< in the span
    uint32_t leaf;     ///< its place in the tree
    uint32_t span;     ///< of the hierarchy; set by rbl_bvh_ray_closest()
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

/// The point of a surface that is closest to another.
typedef struct rblClosestPoint
{
    rblVec3 point;
    float distance;
    float u, v;        ///< barycentric coordinates of corners 1 and 2, as in rblRayHit
    uint32_t triangle; ///< in the span; UINT32_MAX in arrays where nothing was found
    uint32_t leaf;     ///< its place in the tree
    uint32_t span;     ///< of the hierarchy; set by rbl_bvh_closest()
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

// ---- hierarchies, addressed by id ----

/// Handle to a hierarchy. Zero is null; pass by value, compare, store.
typedef struct rblBvhId
{
    uint32_t index1;     ///< slot + 1, so zeroed memory is the null id
    uint32_t generation; ///< bumped when the slot is reused: stale ids are caught
} rblBvhId;

/// What to build. Start from rbl_default_bvh_def() and change fields.
typedef struct rblBvhDef
{
    uint32_t struct_size;         ///< bytes of this struct; set by rbl_default_bvh_def()
    uint32_t cookie;              ///< set by rbl_default_bvh_def()
    const rblTriangleSpan* spans; ///< one tree each, all built in one pass; read during the call only
    uint32_t span_count;          ///< none: a hierarchy over nothing
    rblBvhQuality quality;        ///< default RBL_BVH_QUALITY
    bool
        winding; ///< default false; true: also what winding numbers and signed distances need, 19 bytes a triangle
} rblBvhDef;

/// No spans, the best quality, no winding numbers.
RBL_API void rbl_bvh_def_init(rblBvhDef* def, size_t size);
static inline rblBvhDef rbl_default_bvh_def(void)
{
    rblBvhDef def;
    rbl_bvh_def_init(&def, sizeof def);
    return def;
}

/// Build a hierarchy. Refused, naming span and element: null or unaligned positions, strides that do not fit, indices out of range,
/// coordinates that are not finite or beyond 1e38, more than 2^30 triangles in all.
RBL_API rblResult rbl_bvh_create(const rblBvhDef* def, rblBvhId* out);

/// Destroy a hierarchy. The id is stale afterwards; queries that are under way finish.
RBL_API rblResult rbl_bvh_destroy(rblBvhId bvh);

/// Build it anew over other triangles, in the same memory where that suffices. When it fails, the hierarchy is one
/// over nothing. RBL_ERROR_BUSY while queries are under way.
RBL_API rblResult rbl_bvh_rebuild(rblBvhId bvh, const rblBvhDef* def);

/// New positions for the same triangles: boxes are recomputed, the order of leaves stays. RBL_ERROR_ARGUMENT when the
/// counts differ from those built with; RBL_ERROR_BUSY while queries are under way.
RBL_API rblResult rbl_bvh_refit(rblBvhId bvh, const rblTriangleSpan* spans, uint32_t span_count);

/// How large a hierarchy is, and how good.
typedef struct rblBvhStats
{
    uint32_t span_count;
    uint32_t triangle_count;
    uint32_t node_count;
    uint32_t level_count; ///< of the deepest tree; 0 when there is none
    size_t bytes;         ///< nodes, order of leaves, triangles and moments
    double sah;           ///< surface area heuristic, cost 1 a box and 1 a triangle, summed over the trees
} rblBvhStats;

/// Read them. The heuristic is computed here: one pass over all nodes.
RBL_API rblResult rbl_bvh_stats(rblBvhId bvh, rblBvhStats* out);

// Queries. Any number of threads may ask at once; each call also works in parallel by itself (rubble/tasks.h), with
// results that do not depend on it. Points and rays should be listed so that neighbours are near each other. Spans are
// asked one after another: what is always asked together is faster in one. A query that is not a number, or on a
// hierarchy over nothing, finds nothing.

/// The first hit of each ray, both sides of triangles, watertight. Of equal t the lowest span, then triangle. Where
/// there is none, triangle, span and leaf are UINT32_MAX and t is infinite.
RBL_API rblResult rbl_bvh_ray_closest(rblBvhId bvh, const rblRay* rays, uint32_t count, rblRayHit* hits);

/// Whether each ray hits anything.
RBL_API rblResult rbl_bvh_ray_any(rblBvhId bvh, const rblRay* rays, uint32_t count, bool* hits);

/// The closest point of the triangles for each point, no farther away than `radius` (which may be infinite). Of equally
/// close ones the lowest span, then triangle. Where there is none, triangle, span and leaf are UINT32_MAX.
RBL_API rblResult rbl_bvh_closest(rblBvhId bvh, const rblVec3* points, uint32_t count, float radius,
                                  rblClosestPoint* out);

/// How often the triangles wind round each point: 1 inside a closed surface oriented outwards, 0 outside, fractions near
/// gaps. Right to about 0.03. RBL_ERROR_ARGUMENT without rblBvhDef.winding.
RBL_API rblResult rbl_bvh_winding_number(rblBvhId bvh, const rblVec3* points, uint32_t count, float* out);

/// Distances, negative inside, cut off at `radius`; NaN for points that are not finite. RBL_ERROR_ARGUMENT without
/// rblBvhDef.winding, and for a radius that is negative or NaN.
RBL_API rblResult rbl_bvh_signed_distance(rblBvhId bvh, const rblVec3* points, uint32_t count, float radius,
                                          rblSignMode mode, float* out);

/// The same for the points of a grid, x fastest.
RBL_API rblResult rbl_bvh_signed_distance_grid(rblBvhId bvh, const rblPointGrid* grid, float radius,
                                               rblSignMode mode, float* out);

/// Called for each triangle found; false ends the search.
typedef bool rblBvhTriangleFcn(uint32_t span, uint32_t triangle, void* context);

/// Every triangle that meets the box, touching included.
RBL_API rblResult rbl_bvh_box_overlap(rblBvhId bvh, const rblAabb* box, rblBvhTriangleFcn* visit,
                                      void* context);

/// Every triangle with a point within `radius` of the centre.
RBL_API rblResult rbl_bvh_ball_overlap(rblBvhId bvh, rblVec3 center, float radius, rblBvhTriangleFcn* visit,
                                       void* context);

/// Two triangles that have a point in common.
typedef struct rblBvhPair
{
    uint32_t span_a, triangle_a;
    uint32_t span_b, triangle_b;
    bool coplanar;
    rblVec3d ends[2]; ///< of the segment that they share, equal for a point
} rblBvhPair;

/// Called for each pair; false ends the search.
typedef bool rblBvhPairFcn(const rblBvhPair* pair, void* context);

/// All pairs of triangles that intersect, decided exactly: of different spans, and with `within_spans` also of the same
/// one, there without pairs that share a vertex (by index: a span without indices shares none). `spans` are those that the hierarchy was last built or refit from.
RBL_API rblResult rbl_bvh_overlaps(rblBvhId bvh, const rblTriangleSpan* spans, uint32_t span_count,
                                   bool within_spans, rblBvhPairFcn* visit, void* context);

/// How many hierarchies are alive: a leak check for tests.
RBL_API uint32_t rbl_bvh_alive_count(void);

RBL_EXTERN_C_END

#endif
