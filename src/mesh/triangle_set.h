// The triangles of a mesh, with two queries: near a box, and near one of the triangles. The queries use the BVH of
// src/bvh.
#ifndef RBL_MESH_TRIANGLE_SET_H
#define RBL_MESH_TRIANGLE_SET_H

#include "bvh/bvh.h"
#include "mesh/mesh.h"

typedef struct rblTriangleFan rblTriangleFan;

typedef struct rblTriangleSet
{
    const rblMeshView* view;
    rblIndexArray corners; // three per triangle
    rblIndexArray faces;   // per triangle: the face it is part of
    rblForest forest;      // one tree over the triangles with area and finite corners; the others are skipped
    rblIndexArray items;   // per triangle of the tree: its index in the set
    RBL_ARRAY(uint8_t) usable; // per triangle: 1 when it is in the tree
    rblTriangleFan* fans;      // per node of the tree; null when no vertex has a high valence
    uint32_t fan_count;
    double
        scale; // a power of two: positions are multiplied by it in the tree, so that they are at most about 1
} rblTriangleSet;

rblResult rbl_triangle_set_init(rblTriangleSet* set, const rblMeshView* view, const rblAllocator* allocator);
void rbl_triangle_set_free(rblTriangleSet* set);

// Called with a triangle that was found; false ends the search.
typedef bool rblTriangleFcn(uint32_t triangle, void* context);

// Every triangle whose box overlaps or touches `box`, and possibly some that miss it by a rounding error of 32-bit
// floats. The order depends on the mesh only.
void rbl_triangles_in_box(const rblTriangleSet* set, const rblAabbd* box, rblTriangleFcn* fcn, void* context);

// Every triangle that can have a point in common with this one besides shared vertices and edges: those with overlapping
// boxes, without most of those that only share a vertex of high valence. The triangle itself is included. Nothing when
// it has no area or is not finite.
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
