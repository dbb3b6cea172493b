// Distances from points that lie close together to one tree's triangles: those of rbl_tree_closest(), bit by bit, in a part of the time.
// The points go down the tree together, as a box; what that finds is put off by bounds (triangle_sides.h), and few triangles a
// point are measured.
#ifndef RBL_BVH_QUERY_DISTANCES_H
#define RBL_BVH_QUERY_DISTANCES_H

#include "bvh/query/closest.h"
#include "bvh/triangle/triangle_sides.h"

#define RBL_MOST_NEAR (4u * RBL_MOST_GROUPS) // points that are asked for together

// For 1 to RBL_MOST_NEAR points. `hints` are leaves thought to be near, or RBL_NO_LEAF; those of the points become the closest ones.
// Infinite for an empty tree; points are finite.
void rbl_tree_distances(const rblBvh* bvh, const rblTriangleSides* sides, const rblVec3* points,
                        uint32_t count, uint32_t hints[RBL_MOST_NEAR], float* distances);

#endif
