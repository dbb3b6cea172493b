// Exact distances to a triangle mesh, for those who fill grids: the seam between level sets and the triangle trees.
#ifndef RBL_FIELD_LEVEL_SET_ORACLE_H
#define RBL_FIELD_LEVEL_SET_ORACLE_H

#include "mesh/mesh.h"
#include "mesh/winding_tree.h"

typedef struct rblDistanceOracle
{
    rblVec3d* points; // three per triangle
    uint32_t count;   // triangles
    rblWindingTree tree;
    const rblAllocator* allocator;
} rblDistanceOracle;

rblResult rbl_distance_oracle_init(rblDistanceOracle* oracle, const rblMeshView* view,
                                   const rblAllocator* allocator);
void rbl_distance_oracle_free(rblDistanceOracle* oracle);

// Distance to the surface, not signed. Any number of threads may ask.
double rbl_distance_oracle_ask(const rblDistanceOracle* oracle, rblVec3d point);

// By the winding number: right for overlapping parts too, and near edges, where normals mislead.
bool rbl_distance_oracle_inside(const rblDistanceOracle* oracle, rblVec3d point);

#endif
