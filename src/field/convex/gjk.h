// Distance and depth of two convex bodies by their supports, in doubles: exact for polytopes but for rounding, within a
// stated tolerance for round ones.
#ifndef RBL_FIELD_CONVEX_GJK_H
#define RBL_FIELD_CONVEX_GJK_H

#include "field/convex/hull.h"
#include "field/shape.h"
#include "math/mat3.h"

// The second's place in the axes of the first: x -> turn x + offset.
typedef struct rblConvexPair
{
    const rblConvexCore* a;
    const rblConvexCore* b;
    rblMat3d turn;
    rblVec3d offset;
} rblConvexPair;

// Not for half spaces.
rblConvexPair rbl_convex_pair(const rblShapeView* a, const rblShapeView* b, rblTransform b_in_a);

// The core's point farthest along a direction, in its own axes.
rblVec3d rbl_core_support(const rblConvexCore* core, rblVec3d direction);

// The core's inner point that searches start from.
rblVec3d rbl_core_center(const rblConvexCore* core);

// All in the axes of the first, and of the cores: the rounding is left out.
typedef struct rblSeparation
{
    double distance;     // negative: how far one must move along the normal for them to touch
    rblVec3d normal;     // unit, from the first to the second
    rblVec3d on_a, on_b; // points of the cores that are so far apart
} rblSeparation;

// Distance of the cores (Gilbert, Johnson, Keerthi 1988); where they overlap, a depth that no other direction undercuts
// by more than 1e-5 of their size (expanding polytope, van den Bergen 2001). `guess` is any direction from the first to
// the second, not zero. Stops as soon as the cores are known to be farther apart than `far_enough`: then the distance is
// a lower bound along the normal, and the points are not meant.
rblSeparation rbl_gjk_separation(const rblConvexPair* pair, rblVec3d guess, double far_enough);

// The same, roughly where the cores are apart: a direction and points to begin a search with.
rblSeparation rbl_gjk_guess(const rblConvexPair* pair, rblVec3d guess, double far_enough);

// Corners of two hulls that a search came near the closest points with. Good ones save time in the next. None: zeros.
typedef struct rblSimplexSeed
{
    uint32_t count;
    uint8_t a[4], b[4];
} rblSimplexSeed;

// How far apart the cores are beyond `goal`, roughly: a lower bound along the normal that is at least half of what the
// closest points would give, 0 and the guess where they overlap, and closer than the goal only if they are.
rblSeparation rbl_gjk_clearance(const rblConvexPair* pair, rblVec3d guess, double goal, double far_enough,
                                rblSimplexSeed* seed);

// A point of the difference of two bodies, and where it comes from.
typedef struct rblDifferencePoint
{
    rblVec3d p, on_a, on_b; // p = on_a - on_b
    uint32_t a, b;          // which vertices, of hulls
} rblDifferencePoint;

rblDifferencePoint rbl_difference_support(const rblConvexPair* pair, rblVec3d direction);

// Depth from a simplex of `count` points that holds the origin.
rblSeparation rbl_epa_depth(const rblConvexPair* pair, const rblDifferencePoint* simplex, uint32_t count,
                            double scale);

// Weights of the three corners in their point closest to the origin.
void rbl_triangle_weights(rblVec3d a, rblVec3d b, rblVec3d c, double weights[3]);

#endif
