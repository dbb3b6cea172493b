// Signed distance to the triangles of one tree, negative inside.
#ifndef RBL_BVH_QUERY_SIGNED_DISTANCE_H
#define RBL_BVH_QUERY_SIGNED_DISTANCE_H

#include "bvh/query/winding.h"

// A ball without any surface inside. All of it is on one side of a closed surface, so the sign of its centre is valid
// for all its points.
typedef struct rblClearBall
{
    rblVec3 center;
    float radius; // negative: no ball
    bool inside;
} rblClearBall;

// Whether the point is in the ball. The margin covers the rounding of both distances.
bool rbl_clear_ball_contains(const rblClearBall* ball, rblVec3 point);

// Whether a point that projects into a triangle is behind it.
bool rbl_below_face(const rblLeafTriangle* t, rblVec3 point);

// The distances of many points, clamped to `radius` (which may be infinite; a small one saves much time), with their signs.
// An empty tree has only an outside: +radius. NaN where the point is not finite or the radius is negative or NaN. Points that are
// neighbours in the array should be neighbours in space.
void rbl_tree_signed_distance_many(const rblBvh* bvh, const rblWinding* winding, const rblVec3* points,
                                   uint32_t count, float radius, rblSignMode mode, rblJobs* jobs, float* out);

// Signed distances at the points of a grid, at most 2^32 - 1 points in total.
void rbl_tree_signed_distance_grid(const rblBvh* bvh, const rblWinding* winding, const rblPointGrid* grid,
                                   float radius, rblSignMode mode, rblJobs* jobs, float* out);

#endif
