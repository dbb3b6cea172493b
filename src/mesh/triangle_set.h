// The triangles of a mesh, and the two ways to find some of them: near a box, and near one of their own.
// Behind these calls is a plain tree of boxes, built and asked serially; the bvh room is to take its place.
#ifndef RBL_MESH_TRIANGLE_SET_H
#define RBL_MESH_TRIANGLE_SET_H

#include "mesh/mesh.h"

typedef struct rblTriangleNode rblTriangleNode;

typedef struct rblTriangleTree
{
    uint32_t* items; // the triangles whose boxes are not empty, in tree order
    uint32_t item_count, item_capacity;
    rblTriangleNode* nodes; // depth first
    uint32_t node_count, node_capacity;
    double largest; // coordinate, in size: what rounding errors are relative to
} rblTriangleTree;

typedef struct rblTriangleSet
{
    const rblMeshView* view;
    rblIndexArray corners; // three per triangle
    rblIndexArray faces;   // per triangle: the face it is part of
    rblAabbd* boxes;       // per triangle; empty when it is collinear or not finite: geometry passes it over
    rblTriangleTree tree;
} rblTriangleSet;

rblResult rbl_triangle_set_init(rblTriangleSet* set, const rblMeshView* view, const rblAllocator* allocator);
void rbl_triangle_set_free(rblTriangleSet* set);

// Called with a triangle that was found; false ends the search.
typedef bool rblTriangleFcn(uint32_t triangle, void* context);

// Every triangle whose box meets `box`, borders included. The order depends on the mesh only.
void rbl_triangles_in_box(const rblTriangleSet* set, const rblAabbd* box, rblTriangleFcn* fcn, void* context);

// Every triangle that may have a point in common with this one besides shared vertices and edges: those whose
// boxes meet, less most of those that merely stand around the same vertex (which may be very many). Itself is
// among them.
void rbl_triangles_near(const rblTriangleSet* set, uint32_t triangle, rblTriangleFcn* fcn, void* context);

static inline uint32_t rbl_triangle_count(const rblTriangleSet* set)
{
    return (uint32_t)set->faces.count;
}

static inline uint32_t rbl_triangle_vertex(const rblTriangleSet* set, uint32_t triangle, uint32_t which)
{
    return set->view->corner_vertices[set->corners.data[3 * (size_t)triangle + which]];
}

static inline void rbl_triangle_points(const rblTriangleSet* set, uint32_t triangle, rblVec3d out[3])
{
    for (uint32_t i = 0; i < 3; ++i)
    {
        out[i] = set->view->positions[rbl_triangle_vertex(set, triangle, i)];
    }
}

#endif
