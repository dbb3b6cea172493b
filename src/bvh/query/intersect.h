// The triangles of many trees that intersect, decided exactly on the coordinates of their spans, and their
// intersections.
//
// Triangles are closed convex hulls of their corners (math/triangle_meeting.h): touching counts, and triangles without
// area are segments and points. Leaf pairs go directly from the traversal to the test and are not stored.
#ifndef RBL_BVH_QUERY_INTERSECT_H
#define RBL_BVH_QUERY_INTERSECT_H

#include "bvh/query/overlap.h"
#include "math/triangle_meeting.h"

// How to treat triangles of one tree that have a common vertex.
typedef enum rblNeighbours
{
    RBL_NEIGHBOURS_SKIP,   // do not report them
    RBL_NEIGHBOURS_BEYOND, // report them when they intersect outside the vertices and edges they share
    RBL_NEIGHBOURS_KEEP    // treat them as any other pair: they always intersect
} rblNeighbours;

typedef struct rblTrianglePair
{
    uint32_t pair;                   // index of the rblTreePair
    uint32_t triangle_a, triangle_b; // indices in the spans
    uint8_t count; // 1: they touch in a point, 2: a segment, 3 to 6: corners of a common polygon
    bool coplanar;
    // The ends of the segment (equal for a point). Of a polygon the two corners farthest apart;
    // rbl_triangle_meeting() gives the others.
    rblMeetingPoint ends[2];
} rblTrianglePair;

typedef RBL_ARRAY(rblTrianglePair) rblTrianglePairArray;

// The spans, one per tree of the forest, of the last build or refit. All memory belongs to the caller.
typedef struct rblOverlapScene
{
    const rblForest* forest;
    const rblTriangleSpan* spans;
    const rblTreePair* pairs;
    uint32_t pair_count;
} rblOverlapScene;

typedef struct rblIntersectOptions
{
    rblOverlapOptions overlap;
    rblNeighbours neighbours; // default RBL_NEIGHBOURS_SKIP
    bool
        join_equal_positions; // vertices at the same position count as one, also with different indices; default false
    bool pairs_only;     // only find the pairs; their counts, parts and ends are not computed; default false
    bool time_triangles; // fill rblOverlapCounters.triangle_seconds; default false
} rblIntersectOptions;

rblIntersectOptions rbl_default_intersect_options(void);

// Append all pairs of triangles with a common point to `out`, in an order that depends on the trees and the overlap
// options only. In one tree each pair is reported once. `counters` may be null. On failure `out` keeps its previous
// content.
rblResult rbl_overlap_triangles(const rblOverlapScene* scene, const rblIntersectOptions* options,
                                rblJobs* jobs, rblTrianglePairArray* out, rblOverlapCounters* counters);

#endif
