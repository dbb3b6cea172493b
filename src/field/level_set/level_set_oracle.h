// Exact distances to a triangle mesh, for those who fill grids: the seam between level sets and the triangle hierarchy.
#ifndef RBL_FIELD_LEVEL_SET_LEVEL_SET_ORACLE_H
#define RBL_FIELD_LEVEL_SET_LEVEL_SET_ORACLE_H

#include "bvh/query/distances.h"
#include "bvh/query/winding.h"
#include "mesh/mesh.h"

typedef struct rblDistanceOracle
{
    rblVec3* points; // three per triangle, from the middle of the mesh, so that 32 bits are enough anywhere
    uint32_t count;  // triangles
    rblVec3d middle;
    rblForest forest; // of one tree
    rblBvh tree;
    rblTriangleSides* sides; // per leaf
    rblWinding winding;
    const rblAllocator* allocator;
} rblDistanceOracle;

rblResult rbl_distance_oracle_init(rblDistanceOracle* oracle, const rblMeshView* view,
                                   const rblAllocator* allocator);
void rbl_distance_oracle_free(rblDistanceOracle* oracle);

// Distance to the surface, not signed, right to 32 bits of the mesh's size. `hint` begins as RBL_NO_LEAF and is handed on
// from one point to the next, which should be near. Any number of threads may ask, each with a hint of its own.
double rbl_distance_oracle_ask(const rblDistanceOracle* oracle, rblVec3d point, uint32_t* hint);

// The same for up to RBL_MAX_NEAR_POINTS points that lie close together, bit by bit, in less time.
void rbl_distance_oracle_ask_near(const rblDistanceOracle* oracle, const rblVec3d* points, uint32_t count,
                                  uint32_t hints[RBL_MAX_NEAR_POINTS], float* distances);

// By the winding number: right for overlapping parts too, and near edges, where normals mislead.
bool rbl_distance_oracle_inside(const rblDistanceOracle* oracle, rblVec3d point);

#endif
