// Triangles with precomputed data for many distance queries.
//
// A lower bound in 32 bits, four points at once: let h be the height of a point above the plane of the triangle and s
// its distance in the plane beyond a line that has all of the triangle on its other side. Then
//   distance^2 >= h^2 + max(s, 0)^2.
// The lines are those of the sides, and one through each corner, perpendicular to the bisector there.
//
// Squared distances in 64 bits, two points at once, equal to those of rbl_triangle_distance2() in every bit.
#ifndef RBL_BVH_TRIANGLE_TRIANGLE_SIDES_H
#define RBL_BVH_TRIANGLE_TRIANGLE_SIDES_H

#include "bvh/bvh.h"
#include "bvh/triangle/triangle_distance.h"
#include "math/simd.h"
#include "math/simd_double.h"

#define RBL_MAX_POINT_GROUPS 2u // groups of four points per call

typedef struct rblTriangleSides
{
    rblVec3 corners[3];
    rblVec3
        plane; // unit normal; zero, as are the lines, for a flat triangle (triangle_distance.h): the bound is 0
    rblVec3 lines
        [6]; // unit normals in the plane, outwards, at ab, bc, ca and at a, b, c; zero at the tips of needles
    float size; // the longest side
    bool flat;
    rblVec3d a, b, ab, ac, bc, normal; // as in rbl_triangle_distance2()
    double ab2, ac2, bc2, normal2;     // squared lengths
} rblTriangleSides;

// The data of each leaf of a tree.
void rbl_tree_sides(const rblBvh* bvh, rblTriangleSides* out);

// Rounding can make height and distance beyond a line too large. For a triangle within a distance d the error is less
// than this fraction of d and the longest side: 3 roundings of products and sums, one each of the unit vector, the
// difference, the square and the root; 6e-7 in total.
#define RBL_SIDES_ROUNDING 1e-6f

typedef struct rblVector4
{
    rblFloat4 x, y, z;
} rblVector4;

static inline rblVector4 rbl_splat_vector4(rblVec3 v)
{
    return (rblVector4){rbl_splat4(v.x), rbl_splat4(v.y), rbl_splat4(v.z)};
}

static inline rblVector4 rbl_sub_vector4(rblVector4 a, rblVector4 b)
{
    return (rblVector4){rbl_sub4(a.x, b.x), rbl_sub4(a.y, b.y), rbl_sub4(a.z, b.z)};
}

static inline rblFloat4 rbl_dot_vector4(rblVector4 a, rblVector4 b)
{
    return rbl_add4(rbl_add4(rbl_mul4(a.x, b.x), rbl_mul4(a.y, b.y)), rbl_mul4(a.z, b.z));
}

// The squared bound, for some groups of four points.
static inline void rbl_sides_bounds(const rblTriangleSides* t, const rblVector4* groups, uint32_t count,
                                    rblFloat4* out)
{
    const rblVector4 plane = rbl_splat_vector4(t->plane);
    rblFloat4 beyond[RBL_MAX_POINT_GROUPS];
    for (uint32_t i = 0; i < 3; ++i)
    {
        const rblVector4 corner = rbl_splat_vector4(t->corners[i]);
        const rblVector4 side = rbl_splat_vector4(t->lines[i]), tip = rbl_splat_vector4(t->lines[3 + i]);
        for (uint32_t g = 0; g < count; ++g)
        {
            const rblVector4 way = rbl_sub_vector4(groups[g], corner);
            const rblFloat4 past = rbl_max4(rbl_dot_vector4(side, way), rbl_dot_vector4(tip, way));
            beyond[g] = rbl_max4(past, i == 0 ? rbl_splat4(0.0f) : beyond[g]);
            out[g] = i == 0 ? rbl_dot_vector4(plane, way) : out[g];
        }
    }
    for (uint32_t g = 0; g < count; ++g)
    {
        out[g] = rbl_add4(rbl_mul4(out[g], out[g]), rbl_mul4(beyond[g], beyond[g]));
    }
}

// ---- two points ----

typedef struct rblVector2d
{
    rblDouble2 x, y, z;
} rblVector2d;

static inline rblVector2d rbl_splat_vector2d(rblVec3d v)
{
    return (rblVector2d){rbl_splat_double2(v.x), rbl_splat_double2(v.y), rbl_splat_double2(v.z)};
}

static inline rblVector2d rbl_sub_vector2d(rblVector2d a, rblVector2d b)
{
    return (rblVector2d){rbl_sub_double2(a.x, b.x), rbl_sub_double2(a.y, b.y), rbl_sub_double2(a.z, b.z)};
}

static inline rblDouble2 rbl_dot_vector2d(rblVector2d a, rblVector2d b)
{
    return rbl_add_double2(rbl_add_double2(rbl_mul_double2(a.x, b.x), rbl_mul_double2(a.y, b.y)),
                           rbl_mul_double2(a.z, b.z));
}

static inline rblVector2d rbl_cross_vector2d(rblVector2d a, rblVector2d b)
{
    return (rblVector2d){rbl_sub_double2(rbl_mul_double2(a.y, b.z), rbl_mul_double2(a.z, b.y)),
                         rbl_sub_double2(rbl_mul_double2(a.z, b.x), rbl_mul_double2(a.x, b.z)),
                         rbl_sub_double2(rbl_mul_double2(a.x, b.y), rbl_mul_double2(a.y, b.x))};
}

// rbl_segment_distance2() of two points.
static inline rblDouble2 rbl_segment_distances2(rblVector2d offset, rblVec3d along, double length2)
{
    const rblVector2d way = rbl_splat_vector2d(along);
    const rblDouble2 share = rbl_div_double2(rbl_dot_vector2d(offset, way), rbl_splat_double2(length2));
    const rblDouble2 clamped =
        rbl_max_double2(rbl_min_double2(share, rbl_splat_double2(1.0)), rbl_splat_double2(0.0));
    const rblDouble2 back = rbl_sub_double2(rbl_splat_double2(0.0), clamped);
    const rblVector2d rest = {rbl_add_double2(offset.x, rbl_mul_double2(back, way.x)),
                              rbl_add_double2(offset.y, rbl_mul_double2(back, way.y)),
                              rbl_add_double2(offset.z, rbl_mul_double2(back, way.z))};
    return rbl_dot_vector2d(rest, rest);
}

// rbl_triangle_distance2() of two points, each with its limit.
static inline void rbl_triangle_distances2(const rblTriangleSides* t, rblVec3 p, rblVec3 q,
                                           const double limits[2], double out[2])
{
    const rblVector2d points = {rbl_set_double2((double)p.x, (double)q.x),
                                rbl_set_double2((double)p.y, (double)q.y),
                                rbl_set_double2((double)p.z, (double)q.z)};
    const rblVector2d ap = rbl_sub_vector2d(points, rbl_splat_vector2d(t->a));
    const rblVector2d bp = rbl_sub_vector2d(points, rbl_splat_vector2d(t->b));
    const rblVector2d n = rbl_splat_vector2d(t->normal);
    const rblDouble2 height = rbl_dot_vector2d(n, ap);
    const rblDouble2 over_c = rbl_dot_vector2d(n, rbl_cross_vector2d(rbl_splat_vector2d(t->ab), ap));
    const rblDouble2 over_a = rbl_dot_vector2d(n, rbl_cross_vector2d(rbl_splat_vector2d(t->bc), bp));
    const rblDouble2 over_b = rbl_dot_vector2d(n, rbl_cross_vector2d(ap, rbl_splat_vector2d(t->ac)));
    double least[2], heights2[2], edges[2];
    rbl_store_double2(least, rbl_min_double2(over_a, rbl_min_double2(over_b, over_c)));
    rbl_store_double2(heights2, rbl_mul_double2(height, height));
    if (t->flat || !(least[0] >= 0.0) || !(least[1] >= 0.0))
    {
        const rblDouble2 best = rbl_min_double2(rbl_segment_distances2(ap, t->ab, t->ab2),
                                                rbl_min_double2(rbl_segment_distances2(bp, t->bc, t->bc2),
                                                                rbl_segment_distances2(ap, t->ac, t->ac2)));
        rbl_store_double2(edges, best);
    }
    for (int i = 0; i < 2; ++i)
    {
        const bool inside = !t->flat && least[i] >= 0.0;
        const bool beyond = !t->flat && heights2[i] > limits[i] * t->normal2 * 1.000001;
        out[i] =
            beyond ? (double)INFINITY : rbl_round_to_24_bits(inside ? heights2[i] / t->normal2 : edges[i]);
    }
}

#endif
