// The triangles of a mesh with their boxes and a tree over these: what geometric questions are put to.
#ifndef RBL_MESH_TRIANGLE_SET_H
#define RBL_MESH_TRIANGLE_SET_H

#include "mesh/box_tree.h"
#include "mesh/mesh.h"

typedef struct rblTriangleSet
{
    const rblMeshView* view;
    rblIndexArray corners; // three per triangle
    rblIndexArray faces;   // per triangle: the face it is part of
    rblAabbd* boxes;       // per triangle; empty when it is collinear or not finite: geometry passes it over
    rblBoxTree tree;       // over the boxes
} rblTriangleSet;

rblResult rbl_triangle_set_init(rblTriangleSet* set, const rblMeshView* view, const rblAllocator* allocator);
void rbl_triangle_set_free(rblTriangleSet* set);

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
