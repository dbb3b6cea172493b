// Triangles around a busy vertex have boxes that all meet, and no tree of boxes tells them apart. So where there are
// such vertices a node of the tree knows when all its triangles have one vertex in common, its apex, and where their
// edges opposite to it are. If two triangles with a common apex have another point in common too, the ray from the apex
// through that point leaves one of the triangles, through its opposite edge, inside the other one; and no plane through
// the apex separates one triangle from the opposite edge of the other.
#ifndef RBL_MESH_TRIANGLE_FANS_H
#define RBL_MESH_TRIANGLE_FANS_H

#include "mesh/triangle_set.h"

struct rblTriangleFan
{
    rblAabb opposite; // of the edges opposite to the apex
    uint32_t apex;    // RBL_NONE: no vertex in common
};

// A plane through a vertex of the query triangle, beside one of the two edges there, with the triangle on its positive
// side. What lies strictly on the negative side cannot meet the triangle, and neither can a triangle with the same
// vertex whose opposite edge does. Only a filter: rounding errors make it pass more than it should.
typedef struct rblSidePlane
{
    rblVec3d normal; // zero when no plane could be trusted
    double error;    // bound of the rounding error of its scalar products with differences of positions
} rblSidePlane;

// A triangle that others are looked for around, scaled as the tree is.
typedef struct rblFanQuery
{
    uint32_t vertices[3];
    rblVec3d points[3];
    rblAabb box;
    rblAabb opposite[3]; // the edge opposite to each vertex
    rblSidePlane planes[3][2];
} rblFanQuery;

// Fill set->fans when the mesh has a busy vertex. False: out of memory.
bool rbl_triangle_fans_init(rblTriangleSet* set, const rblAllocator* allocator);

rblFanQuery rbl_fan_query(const rblTriangleSet* set, uint32_t triangle);

// Whether the triangles under a node, which lie in `box`, may have a point in common with the query's besides an apex.
bool rbl_fan_may_meet(const rblFanQuery* query, const rblTriangleFan* fan, const rblAabb* box);

// The box of points, multiplied by the set's scale and rounded outwards.
rblAabb rbl_scaled_box(const rblTriangleSet* set, rblVec3d lower, rblVec3d upper);

#endif
