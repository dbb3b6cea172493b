// Exact distances to a triangle mesh, for the creation of grids: the interface between level sets and the BVH of
// triangles.
#ifndef RBL_FIELD_LEVEL_SET_LEVEL_SET_ORACLE_H
#define RBL_FIELD_LEVEL_SET_LEVEL_SET_ORACLE_H

#include "bvh/query/distances.h"
#include "bvh/query/winding.h"
#include "mesh/mesh.h"

typedef struct rblDistanceOracle
{
    // Three per triangle, relative to the centre of the mesh, so that floats are accurate enough everywhere.
    rblVec3* points;
    uint32_t count; // triangles
    rblVec3d middle;
    rblForest forest; // with one tree
    rblBvh tree;
    rblTriangleSides* sides; // per leaf
    rblWinding winding;
    const rblAllocator* allocator;
} rblDistanceOracle;

rblResult rbl_distance_oracle_init(rblDistanceOracle* oracle, const rblMeshView* view,
                                   const rblAllocator* allocator);
void rbl_distance_oracle_free(rblDistanceOracle* oracle);

// Unsigned distance to the surface, with the accuracy of floats relative to the size of the mesh. `hint` starts as
// RBL_NO_LEAF and is passed from one point to the next, which should be near. Thread-safe, with one hint per thread.
double rbl_distance_oracle_evaluate(const rblDistanceOracle* oracle, rblVec3d point, uint32_t* hint);

// The same for up to RBL_MAX_NEAR_POINTS points close to each other, bit for bit, in less time.
void rbl_distance_oracle_evaluate_near(const rblDistanceOracle* oracle, const rblVec3d* points,
                                       uint32_t count, uint32_t hints[RBL_MAX_NEAR_POINTS], float* distances);

// By the winding number: right also for overlapping parts, and near edges, where normals fail.
bool rbl_distance_oracle_inside(const rblDistanceOracle* oracle, rblVec3d point);

#endif
