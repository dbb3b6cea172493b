// The triangles of a mesh, and the two ways to find some of them: near a box, and near one of their own. The hierarchy
// of the bvh room is behind these calls.
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
    rblForest
        forest; // one tree, over the triangles with area and finite corners: geometry passes over the others
    rblIndexArray items;       // per triangle of the tree: which one it is here
    RBL_ARRAY(uint8_t) usable; // per triangle: 1 when it is in the tree
    rblTriangleFan* fans;      // per node of the tree; null when no vertex has very many triangles
    uint32_t fan_count;
    double
        scale; // a power of two: positions are multiplied by it in the tree, so that they are about 1 at most
} rblTriangleSet;

rblResult rbl_triangle_set_init(rblTriangleSet* set, const rblMeshView* view, const rblAllocator* allocator);
void rbl_triangle_set_free(rblTriangleSet* set);

// Called with a triangle that was found; false ends the search.
typedef bool rblTriangleFcn(uint32_t triangle, void* context);

// Every triangle whose box meets `box`, borders included, and perhaps a few that miss it by a rounding of 32-bit floats.
// The order depends on the mesh only.
void rbl_triangles_in_box(const rblTriangleSet* set, const rblAabbd* box, rblTriangleFcn* fcn, void* context);

// Every triangle that may have a point in common with this one besides shared vertices and edges: those whose boxes
// meet, less most of those that merely stand around the same vertex where these are very many. Itself is among them;
// nothing is when it has no area or is not finite.
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
