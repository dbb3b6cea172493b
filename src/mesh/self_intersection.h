// The triangles of a mesh that intersect other than in a shared vertex or edge. Decided exactly, without a tolerance.
//
// - Triangles are closed sets: touching counts. Two faces that share an edge intersect only when one is folded onto the other.
// - Vertices at the same position count as one, also with different indices: seams and touching shells share them.
// - Polygons are represented by the triangles of rbl_triangulate_corners().
// - Triangles without area, or not finite, intersect nothing: they are reported as degenerate faces.
// - Two faces with the same vertices intersect.
#ifndef RBL_MESH_SELF_INTERSECTION_H
#define RBL_MESH_SELF_INTERSECTION_H

#include "mesh/triangle_set.h"

// The search stops at this number of pairs: n coincident triangles would give n^2 / 2 pairs.
#define RBL_MAX_INTERSECTIONS 1000000u

typedef struct rblIntersection
{
    uint32_t triangles[2]; // the smaller index first, in the order of rbl_triangulate_corners()
    uint32_t faces[2];     // their faces; equal when a face overlaps itself
} rblIntersection;

typedef RBL_ARRAY(rblIntersection) rblIntersectionArray;

typedef struct rblIntersectionOptions
{
    uint32_t limit; // stop after this number; 0: RBL_MAX_INTERSECTIONS
} rblIntersectionOptions;

// All pairs, sorted by first and then second triangle; when there are more than `limit`, the first `limit` of them
// (out->count is then the limit). The caller initialises `out`; its content is replaced. `options` may be null. The
// result is the same for any number of workers.
rblResult rbl_self_intersections(const rblMeshView* view, const rblIntersectionOptions* options,
                                 rblIntersectionArray* out);

// The same for a given triangle set.
rblResult rbl_triangle_intersections(const rblTriangleSet* set, const rblIntersectionOptions* options,
                                     rblIntersectionArray* out);

#endif
