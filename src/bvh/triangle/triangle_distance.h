// The closest point of a triangle to a query point, in 64 bits, for any triangle.
//
// The foot of the perpendicular is in the triangle when p is on the inner side of all three edges,
//   n . (bc x (p - b)) >= 0,   n . (ca x (p - c)) >= 0,   n . (ab x (p - a)) >= 0,   n = ab x ac,
// and these three are the barycentric coordinates times |n|^2. Otherwise the closest point is on an edge. A triangle
// whose sine at the first corner is below 1e-8 is treated as its edges.
//
// Squared distances are rounded to 24 bits: values that differ only by rounding, such as the distances of two triangles
// to the edge they share, are then equal.
#ifndef RBL_BVH_TRIANGLE_TRIANGLE_DISTANCE_H
#define RBL_BVH_TRIANGLE_TRIANGLE_DISTANCE_H

#include "math/vec.h"
#include "rubble/bvh.h"
#include <string.h>

typedef struct rblTriangled
{
    rblVec3d corners[3];
} rblTriangled;

typedef struct rblTrianglePoint
{
    double weights[3]; // of the corners; at least 0, sum 1
    rblTriangleFeature feature;
} rblTrianglePoint;

// Squared sine of the angle at the first corner below which a triangle is treated as its edges: rounding in 64 bits.
#define RBL_FLAT_SINE2 1e-16

// Round to 24 significant bits, halves upwards. x is not negative.
static inline double rbl_round_to_24_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits + (1u << 28)) & ~(uint64_t)((1u << 29) - 1);
    memcpy(&x, &bits, sizeof x);
    return x;
}

// The parameter of the point on the segment from a along `along` that is closest to a + offset: 0 at a, 1 at the end. A
// segment of length 0: 1.
static inline double rbl_segment_parameter(rblVec3d offset, rblVec3d along)
{
    const double share = rbl_dot3d(offset, along) / rbl_dot3d(along, along);
    return rbl_maxd(rbl_mind(share, 1.0), 0.0);
}

static inline double rbl_segment_distance2(rblVec3d offset, rblVec3d along)
{
    const rblVec3d rest = rbl_mul_add3d(offset, -rbl_segment_parameter(offset, along), along);
    return rbl_dot3d(rest, rest);
}

// Squared distance, or infinity when it is certainly above `limit`.
static inline double rbl_triangle_distance2(const rblTriangled* triangle, rblVec3d p, double limit)
{
    const rblVec3d* corners = triangle->corners;
    const rblVec3d ab = rbl_sub3d(corners[1], corners[0]);
    const rblVec3d ac = rbl_sub3d(corners[2], corners[0]);
    const rblVec3d bc = rbl_sub3d(corners[2], corners[1]);
    const rblVec3d ap = rbl_sub3d(p, corners[0]);
    const rblVec3d bp = rbl_sub3d(p, corners[1]);
    const rblVec3d n = rbl_cross3d(ab, ac);
    const double n2 = rbl_dot3d(n, n);
    if (n2 > RBL_FLAT_SINE2 * rbl_dot3d(ab, ab) * rbl_dot3d(ac, ac))
    {
        const double height = rbl_dot3d(n, ap);
        const double height2 = height * height;
        if (height2 > limit * n2 * 1.000001) // the distance of the plane is already too large
        {
            return (double)INFINITY;
        }
        const double over_c = rbl_dot3d(n, rbl_cross3d(ab, ap));
        const double over_a = rbl_dot3d(n, rbl_cross3d(bc, bp));
        const double over_b = rbl_dot3d(n, rbl_cross3d(ap, ac));
        if (rbl_mind(over_a, rbl_mind(over_b, over_c)) >= 0.0)
        {
            return rbl_round_to_24_bits(height2 / n2);
        }
    }
    const double best = rbl_mind(rbl_segment_distance2(ap, ab),
                                 rbl_mind(rbl_segment_distance2(bp, bc), rbl_segment_distance2(ap, ac)));
    return rbl_round_to_24_bits(best);
}

// The point at that distance. Among equally close edges the first.
rblTrianglePoint rbl_triangle_closest(const rblTriangled* triangle, rblVec3d p);

static inline rblVec3d rbl_weighted_point(const rblVec3d t[3], const double weights[3])
{
    return (rblVec3d){weights[0] * t[0].x + weights[1] * t[1].x + weights[2] * t[2].x,
                      weights[0] * t[0].y + weights[1] * t[1].y + weights[2] * t[2].y,
                      weights[0] * t[0].z + weights[1] * t[1].z + weights[2] * t[2].z};
}

#endif
