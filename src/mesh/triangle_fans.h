// The boxes of triangles around a vertex of high valence all overlap, and a tree of boxes cannot separate them. For
// meshes with such vertices a node of the tree stores whether all its triangles have a common vertex, the apex, and the
// box of their edges opposite to it. If two triangles with a common apex also have another common point, the ray from
// the apex through that point leaves one of the triangles, through its opposite edge, inside the other one; and no plane
// through the apex separates one triangle from the opposite edge of the other.
#ifndef RBL_MESH_TRIANGLE_FANS_H
#define RBL_MESH_TRIANGLE_FANS_H

#include "mesh/triangle_set.h"

struct rblTriangleFan
{
    rblAabb opposite; // of the edges opposite to the apex
    uint32_t apex;    // RBL_NONE: no common vertex
};

// A plane through a vertex of the query triangle, along one of the two edges there, with the triangle on its positive
// side. A triangle that is strictly on the negative side cannot intersect the query triangle, nor can a triangle with
// the same vertex whose opposite edge is. This is only a filter: rounding errors let more triangles pass.
typedef struct rblSidePlane
{
    rblVec3d normal; // zero when no reliable plane exists
    double error;    // error bound of its scalar products with differences of positions
} rblSidePlane;

// The query triangle, scaled as the tree is.
typedef struct rblFanQuery
{
    uint32_t vertices[3];
    rblVec3d points[3];
    rblAabb box;
    rblAabb opposite[3]; // the edge opposite to each vertex
    rblSidePlane planes[3][2];
} rblFanQuery;

// Compute set->fans when the mesh has a vertex of high valence. False: out of memory.
bool rbl_triangle_fans_init(rblTriangleSet* set, const rblAllocator* allocator);

rblFanQuery rbl_fan_query(const rblTriangleSet* set, uint32_t triangle);

// Whether the triangles below a node, which lie in `box`, can have a point in common with the query triangle besides an
// apex.
bool rbl_fan_may_meet(const rblFanQuery* query, const rblTriangleFan* fan, const rblAabb* box);

// The box of points, multiplied by the scale of the set and rounded outwards.
rblAabb rbl_scaled_box(const rblTriangleSet* set, rblVec3d lower, rblVec3d upper);

#endif
