// The test of one ray and one triangle, which every traversal shares: what is hit, t, u and v have the same bits in all
// of them (Woop, Benthin and Wald 2013, "Watertight Ray/Triangle Intersection").
#ifndef RBL_BVH_QUERY_RAY_TRIANGLE_H
#define RBL_BVH_QUERY_RAY_TRIANGLE_H

#include "bvh/bvh.h"
#include <math.h>

// A ray sheared so that it runs along its dominant axis; edges are then tested in 2D.
typedef struct rblShearedRay
{
    int kx, ky, kz; // axes, kz dominant; kx and ky swapped where needed to keep the winding
    float sx, sy, sz;
    float origin[3];
} rblShearedRay;

static inline rblShearedRay rbl_shear_ray(const rblRay* ray)
{
    const float* d = &ray->direction.x;
    const float ax = fabsf(d[0]), ay = fabsf(d[1]), az = fabsf(d[2]);
    rblShearedRay sheared = {.origin = {ray->origin.x, ray->origin.y, ray->origin.z}};
    sheared.kz = ax > ay ? (ax > az ? 0 : 2) : (ay > az ? 1 : 2);
    sheared.kx = (sheared.kz + 1) % 3;
    sheared.ky = (sheared.kx + 1) % 3;
    if (d[sheared.kz] < 0.0f)
    {
        const int swap = sheared.kx;
        sheared.kx = sheared.ky;
        sheared.ky = swap;
    }
    sheared.sx = d[sheared.kx] / d[sheared.kz];
    sheared.sy = d[sheared.ky] / d[sheared.kz];
    sheared.sz = 1.0f / d[sheared.kz];
    return sheared;
}

// Edge functions between these sizes are decided in 32 bits: near the limits of the range of floats products lose
// precision.
#define RBL_EDGE_SMALLEST 1e-30f
#define RBL_EDGE_LARGEST  1e37f

static inline bool rbl_edge_in_range(float x)
{
    return fabsf(x) > RBL_EDGE_SMALLEST && fabsf(x) < RBL_EDGE_LARGEST;
}

// Edge functions. Where 32 bits give exactly zero or are not precise enough, 64 bits decide, so that no ray passes
// between two triangles.
static inline void rbl_edge_functions(const float a[2], const float b[2], const float c[2], double w[3])
{
    const float u = c[0] * b[1] - c[1] * b[0];
    const float v = a[0] * c[1] - a[1] * c[0];
    const float s = b[0] * a[1] - b[1] * a[0];
    if (!(rbl_edge_in_range(u) && rbl_edge_in_range(v) && rbl_edge_in_range(s)))
    {
        w[0] = (double)c[0] * (double)b[1] - (double)c[1] * (double)b[0];
        w[1] = (double)a[0] * (double)c[1] - (double)a[1] * (double)c[0];
        w[2] = (double)b[0] * (double)a[1] - (double)b[1] * (double)a[0];
        return;
    }
    w[0] = (double)u;
    w[1] = (double)v;
    w[2] = (double)s;
}

static inline void rbl_shear_corner(const rblShearedRay* ray, const rblVec3* corner, float flat[2],
                                    float* depth)
{
    const float* p = &corner->x;
    const float x = p[ray->kx] - ray->origin[ray->kx];
    const float y = p[ray->ky] - ray->origin[ray->ky];
    const float z = p[ray->kz] - ray->origin[ray->kz];
    flat[0] = x - ray->sx * z;
    flat[1] = y - ray->sy * z;
    *depth = ray->sz * z;
}

// Whether the ray hits the triangle with t_min <= t <= t_max; only then is the hit written.
static inline bool rbl_ray_hits_triangle(const rblShearedRay* ray, const rblLeafTriangle* triangle,
                                         float t_min, float t_max, rblRayHit* hit)
{
    float a[2], b[2], c[2], za, zb, zc;
    double w[3];
    rbl_shear_corner(ray, &triangle->a, a, &za);
    rbl_shear_corner(ray, &triangle->b, b, &zb);
    rbl_shear_corner(ray, &triangle->c, c, &zc);
    rbl_edge_functions(a, b, c, w);
    if ((w[0] < 0.0 || w[1] < 0.0 || w[2] < 0.0) && (w[0] > 0.0 || w[1] > 0.0 || w[2] > 0.0))
    {
        return false;
    }
    const double sum = w[0] + w[1] + w[2];
    if (sum == 0.0)
    {
        return false;
    }
    // Round before the comparison: the winner of two equal hits must not depend on the order of the tests.
    const float t = (float)((w[0] * (double)za + w[1] * (double)zb + w[2] * (double)zc) / sum);
    if (!(t >= t_min && t <= t_max))
    {
        return false;
    }
    hit->t = t;
    hit->u = (float)(w[1] / sum);
    hit->v = (float)(w[2] / sum);
    return true;
}

#endif
