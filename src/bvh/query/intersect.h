// Which triangles of many trees really intersect, decided exactly on the coordinates of their spans, and where.
//
// Triangles are closed convex hulls of their corners (math/triangle_meeting.h): touching counts, and triangles without
// area are segments and points. Leaf pairs go from the traversal straight to the test and are not stored.
#ifndef RBL_BVH_QUERY_INTERSECT_H
#define RBL_BVH_QUERY_INTERSECT_H

#include "bvh/query/overlap.h"
#include "math/triangle_meeting.h"

// What to do, in a tree with itself, with triangles that have a vertex in common.
typedef enum rblNeighbours
{
    RBL_NEIGHBOURS_SKIP,   // they are adjacent, not colliding
    RBL_NEIGHBOURS_BEYOND, // report them when they meet elsewhere than in the vertices and edges they share
    RBL_NEIGHBOURS_KEEP    // treat them as any other pair: they always meet
} rblNeighbours;

typedef struct rblTrianglePair
{
    uint32_t pair;                   // which rblTreePair
    uint32_t triangle_a, triangle_b; // in the spans
    uint8_t count; // 1: they touch in a point, 2: a segment, 3 to 6: corners of a common polygon
    bool coplanar;
    // The ends of the segment (equal for a point). Of a polygon the two corners farthest apart;
    // rbl_triangle_meeting() gives the others.
    rblMeetingPoint ends[2];
} rblTrianglePair;

typedef RBL_ARRAY(rblTrianglePair) rblTrianglePairArray;

// Spans, one per tree of the forest, as it was built or refit from. All memory belongs to the caller.
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
        join_equal_positions; // vertices at the same position count as one, whatever their numbers; default false
    bool pairs_only;     // only which pairs meet: their counts, parts and ends mean nothing; default false
    bool time_triangles; // fill rblOverlapCounters.triangle_seconds; default false
} rblIntersectOptions;

rblIntersectOptions rbl_default_intersect_options(void);

// Append all pairs of triangles that have a point in common to `out`, in an order that depends on the trees and the
// overlap options only. For a tree with itself each pair comes once. `counters` may be null. On failure `out` keeps
// what it had.
rblResult rbl_overlap_triangles(const rblOverlapScene* scene, const rblIntersectOptions* options,
                                rblJobs* jobs, rblTrianglePairArray* out, rblOverlapCounters* counters);

#endif
