// Meshes of triangles as static ground: a BVH over the triangles, and the triangle across each edge.
//
// The surface has one side: its front, where corners are counter-clockwise, is outside. Triangles without area are left
// out. Two triangles with the same edge in opposite directions are neighbours, also if their corners are different
// vertices at the same positions. Contacts across such an edge have normals between those of both triangles if the edge is
// convex; a flat or concave edge has no contacts of its own. So bodies do not catch on inner edges.
#ifndef RBL_FIELD_TRIANGLES_TRIANGLES_H
#define RBL_FIELD_TRIANGLES_TRIANGLES_H

#include "bvh/bvh.h"
#include "field/contact/time_of_impact.h"
#include "field/convex/gjk.h"
#include "field/convex/hull.h"
#include "field/engine.h"

// The triangle across an edge: four times its leaf, plus the corner of it that is not on the edge. RBL_NONE: no neighbour.
typedef uint32_t rblAcross;

typedef struct rblTriangles
{
    rblForest forest; // of one tree
    rblBvh tree;
    rblAcross* across; // three per leaf: of the edge from corner i to the next
    size_t bytes;
} rblTriangles;

static inline rblVec3 rbl_triangle_corner(const rblTriangles* mesh, uint32_t leaf, uint32_t corner)
{
    const rblLeafTriangle* t = &mesh->tree.triangles[leaf];
    return corner == 0 ? t->a : corner == 1 ? t->b : t->c;
}

// The unit normal out of the front.
rblVec3 rbl_triangle_normal(const rblTriangles* mesh, uint32_t leaf);

// The triangles around a corner, in order of their corners there: four times the leaf, plus the corner. At most
// RBL_MAX_FAN of them. At a border the fan ends.
#define RBL_MAX_FAN 64u
uint32_t rbl_triangle_fan(const rblTriangles* mesh, uint32_t leaf, uint32_t corner,
                          rblAcross out[RBL_MAX_FAN]);

// Signed distance to the nearest point: negative behind the surface. The sign at an edge or a vertex is that of the mean
// of the normals there, weighted by angle (Baerentzen and Aanaes 2005). `nearest` and `normal` may be null.
float rbl_triangles_distance(const rblTriangles* mesh, rblVec3 point, rblVec3* gradient, rblVec3* nearest,
                             rblVec3* normal);

// For rblShapeKind.collide and .impact.
rblResult rbl_triangles_collide(const rblShapeView* ground, const rblShapeView* body,
                                rblTransform body_in_ground, float margin, rblContactSet* out);
double rbl_triangles_impact(const rblImpactQuery* query, const rblFlights* flights, bool ground_is_b);

// ---- one triangle as a convex shape ----

// A pyramid below a triangle: the polytope in which convex shapes meet the triangle. Its apex is behind the middle of the
// triangle, so that the depth of an overlap is known, too.
typedef struct rblTrianglePyramid
{
    rblShape shape; // its view and core are set
    rblHull hull;
    float vertices[12];
    float planes[16];
} rblTrianglePyramid;

// The pyramid refers to itself and must not be copied.
void rbl_triangle_pyramid_init(rblTrianglePyramid* pyramid);

// Corners relative to `origin`.
void rbl_triangle_pyramid_set(rblTrianglePyramid* pyramid, const rblTriangles* mesh, uint32_t leaf,
                              rblVec3 origin);

#endif
