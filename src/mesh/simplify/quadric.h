// Error quadrics: weighted sums of squared distances to planes, as a quadratic function of position (Garland and
// Heckbert 1997, "Surface Simplification Using Quadric Error Metrics"). Each quadric is relative to its own origin, the
// vertex it belongs to, so that it keeps its precision far from the origin of the world.
#ifndef RBL_MESH_SIMPLIFY_QUADRIC_H
#define RBL_MESH_SIMPLIFY_QUADRIC_H

#include "math/vec.h"

// Q(x) = x^T A x + 2 b . x + c, x relative to the origin.
typedef struct rblQuadric
{
    double xx, xy, xz, yy, yz, zz; // A
    rblVec3d b;
    double c;
    double weight; // sum of the weights: Q / weight is a mean squared distance
} rblQuadric;

static inline rblVec3d rbl_quadric_product(const rblQuadric* q, rblVec3d x)
{
    return rbl_vec3d(q->xx * x.x + q->xy * x.y + q->xz * x.z, q->xy * x.x + q->yy * x.y + q->yz * x.z,
                     q->xz * x.x + q->yz * x.y + q->zz * x.z);
}

static inline double rbl_quadric_value(const rblQuadric* q, rblVec3d x)
{
    return rbl_dot3d(x, rbl_add3d(rbl_quadric_product(q, x), rbl_scale3d(q->b, 2.0))) + q->c;
}

// Add weight * (g . x + d)^2, without counting the weight.
static inline void rbl_quadric_add_square(rblQuadric* q, rblVec3d g, double d, double weight)
{
    q->xx += weight * g.x * g.x;
    q->xy += weight * g.x * g.y;
    q->xz += weight * g.x * g.z;
    q->yy += weight * g.y * g.y;
    q->yz += weight * g.y * g.z;
    q->zz += weight * g.z * g.z;
    q->b = rbl_mul_add3d(q->b, weight * d, g);
    q->c += weight * d * d;
}

static inline void rbl_quadric_add(rblQuadric* q, const rblQuadric* other)
{
    q->xx += other->xx;
    q->xy += other->xy;
    q->xz += other->xz;
    q->yy += other->yy;
    q->yz += other->yz;
    q->zz += other->zz;
    q->b = rbl_add3d(q->b, other->b);
    q->c += other->c;
    q->weight += other->weight;
}

// The same function about an origin moved by `offset`.
static inline rblQuadric rbl_quadric_moved(const rblQuadric* q, rblVec3d offset)
{
    rblQuadric moved = *q;
    moved.b = rbl_add3d(q->b, rbl_quadric_product(q, offset));
    moved.c = rbl_quadric_value(q, offset);
    return moved;
}

// The x that minimises Q(x) + softness * trace(A) * |x|^2. The second term selects the point nearest to the origin where
// Q has no unique minimum (along a plane or a crease). False when A is zero.
bool rbl_quadric_minimum(const rblQuadric* q, double softness, rblVec3d* x);

#endif
