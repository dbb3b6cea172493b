// Which triangles of a mesh meet elsewhere than in a shared vertex or edge. Decided exactly: no tolerance.
//
// - Triangles are closed sets: touching counts. Two faces that share an edge meet only when folded onto each
//   other.
// - Vertices at the same position count as one, whatever their numbers: seams and shells that touch share them.
// - Polygons are taken as the triangles of rbl_triangulate_corners().
// - Triangles without area, or not finite, meet nothing: they are reported as degenerate faces instead.
// - Two faces of the same vertices meet.
#ifndef RBL_MESH_SELF_INTERSECTION_H
#define RBL_MESH_SELF_INTERSECTION_H

#include "mesh/triangle_set.h"

// More pairs than this are not looked for: n triangles on one spot would make n^2 / 2.
#define RBL_MAX_INTERSECTIONS 1000000u

typedef struct rblIntersection
{
    uint32_t triangles[2]; // the smaller first, in the order of rbl_triangulate_corners()
    uint32_t faces[2];     // the faces they are part of; equal when a face overlaps itself
} rblIntersection;

typedef RBL_ARRAY(rblIntersection) rblIntersectionArray;

typedef struct rblIntersectionOptions
{
    uint32_t limit; // stop after so many; 0: RBL_MAX_INTERSECTIONS
} rblIntersectionOptions;

// All pairs, sorted by first and then second triangle; the first `limit` of them when there are more
// (out->count is then the limit). `out` is initialised by the caller, and replaced. `options` may be null.
// The same for any number of workers.
rblResult rbl_self_intersections(const rblMeshView* view, const rblIntersectionOptions* options,
                                 rblIntersectionArray* out);

// The same when the triangles are at hand.
rblResult rbl_triangle_intersections(const rblTriangleSet* set, const rblIntersectionOptions* options,
                                     rblIntersectionArray* out);

#endif
