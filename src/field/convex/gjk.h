// Distance and depth of two convex bodies from their support functions, in doubles: exact within rounding for
// polytopes, within a stated tolerance for round shapes.
#ifndef RBL_FIELD_CONVEX_GJK_H
#define RBL_FIELD_CONVEX_GJK_H

#include "field/convex/hull.h"
#include "field/shape.h"
#include "math/mat3.h"

// The pose of the second body in the axes of the first: x -> turn x + offset.
typedef struct rblConvexPair
{
    const rblConvexCore* a;
    const rblConvexCore* b;
    rblMat3d rotation;
    rblVec3d offset;
} rblConvexPair;

// Not for half spaces.
rblConvexPair rbl_convex_pair(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a);

// The farthest point of the core along a direction, in its own axes.
rblVec3d rbl_core_support(const rblConvexCore* core, rblVec3d direction);

// The inner point of the core from which searches start.
rblVec3d rbl_core_center(const rblConvexCore* core);

// Result in the axes of the first body, for the cores without their rounding radius.
typedef struct rblSeparation
{
    double distance;     // m; negative: length of the motion along the normal that separates them
    rblVec3d normal;     // unit, from the first to the second
    rblVec3d on_a, on_b; // the points of the cores with this distance
} rblSeparation;

// Distance of the cores (Gilbert, Johnson, Keerthi 1988). If they overlap, the depth (expanding polytope, van den
// Bergen 2001): no other direction gives a depth that is smaller by more than 1e-5 of their size. `guess` is any
// direction from the first to the second, not zero. The search ends early if the cores are known to be farther apart
// than `far_enough`: the distance is then a lower bound along the normal, and the points are undefined.
rblSeparation rbl_gjk_separation(const rblConvexPair* pair, rblVec3d guess, double far_enough);

// The same with low accuracy for separate cores: a direction and points as the start of another search.
rblSeparation rbl_gjk_guess(const rblConvexPair* pair, rblVec3d guess, double far_enough);

// Corners of two hulls near the closest points of an earlier search. Good ones make the next search faster. None:
// zeros.
typedef struct rblSimplexSeed
{
    uint32_t count;
    uint8_t a[4], b[4];
} rblSimplexSeed;

// Low-accuracy distance of the cores above `goal`: a lower bound along the normal that is at least half of the exact
// value; 0 and the guess if they overlap. The result is below the goal only if the distance is.
rblSeparation rbl_gjk_clearance(const rblConvexPair* pair, rblVec3d guess, double goal, double far_enough,
                                rblSimplexSeed* seed);

// A point of the Minkowski difference of two bodies, with its points on both.
typedef struct rblDifferencePoint
{
    rblVec3d p, on_a, on_b; // p = on_a - on_b
    uint32_t a, b;          // vertex indices, for hulls
} rblDifferencePoint;

rblDifferencePoint rbl_difference_support(const rblConvexPair* pair, rblVec3d direction);

// Depth, from a simplex of `count` points that contains the origin.
rblSeparation rbl_epa_depth(const rblConvexPair* pair, const rblDifferencePoint* simplex, uint32_t count,
                            double scale);

// Barycentric weights of the point of a triangle that is closest to the origin.
void rbl_triangle_weights(rblVec3d a, rblVec3d b, rblVec3d c, double weights[3]);

#endif
