// A conservative filter of four pairs of triangles at once in 32 bits: pairs that are certainly separated by the plane
// of one of them.
#ifndef RBL_BVH_TRIANGLE_TRIANGLE_FILTER_H
#define RBL_BVH_TRIANGLE_TRIANGLE_FILTER_H

#include "bvh/bvh.h"
#include "math/simd.h"
#include <math.h>

// One corner of four triangles.
typedef struct rblPoint4
{
    rblFloat4 x, y, z;
} rblPoint4;

typedef struct rblTriangle4
{
    rblPoint4 a, b, c;
} rblTriangle4;

// Heights of the corners of one triangle above the plane of the other, times twice its area.
typedef struct rblHeights4
{
    float corner[3][4]; // corner, pair
} rblHeights4;

typedef struct rblFilter4
{
    rblHeights4 a, b; // of a's corners above the plane of b, and the other way round
    float bound[4];   // error bound of the heights
    float reach[4];   // extent of both triangles together along an axis
    uint32_t near;    // bit i: pair i can intersect
} rblFilter4;

static inline rblPoint4 rbl_sub_point4(rblPoint4 a, rblPoint4 b)
{
    return (rblPoint4){rbl_sub4(a.x, b.x), rbl_sub4(a.y, b.y), rbl_sub4(a.z, b.z)};
}

static inline rblTriangle4 rbl_load_triangles4(const rblLeafTriangle* const t[4])
{
    // Nine floats per triangle, in three loads of four; the last two overlap.
    rblFloat4 r0 = rbl_load4(&t[0]->a.x), r1 = rbl_load4(&t[1]->a.x), r2 = rbl_load4(&t[2]->a.x),
              r3 = rbl_load4(&t[3]->a.x);
    rblFloat4 s0 = rbl_load4(&t[0]->b.y), s1 = rbl_load4(&t[1]->b.y), s2 = rbl_load4(&t[2]->b.y),
              s3 = rbl_load4(&t[3]->b.y);
    rbl_transpose4(&r0, &r1, &r2, &r3); // ax ay az bx
    rbl_transpose4(&s0, &s1, &s2, &s3); // by bz cx cy
    const rblFloat4 cz = rbl_set4(t[0]->c.z, t[1]->c.z, t[2]->c.z, t[3]->c.z);
    return (rblTriangle4){{r0, r1, r2}, {r3, s0, s1}, {s2, s3, cz}};
}

static inline rblFloat4 rbl_spread4(rblFloat4 a0, rblFloat4 a1, rblFloat4 a2, rblFloat4 b0, rblFloat4 b1,
                                    rblFloat4 b2)
{
    const rblFloat4 lower = rbl_min4(rbl_min4(rbl_min4(a0, a1), rbl_min4(a2, b0)), rbl_min4(b1, b2));
    const rblFloat4 upper = rbl_max4(rbl_max4(rbl_max4(a0, a1), rbl_max4(a2, b0)), rbl_max4(b1, b2));
    return rbl_sub4(upper, lower);
}

static inline rblFloat4 rbl_reach4(const rblTriangle4* a, const rblTriangle4* b)
{
    const rblFloat4 x = rbl_spread4(a->a.x, a->b.x, a->c.x, b->a.x, b->b.x, b->c.x);
    const rblFloat4 y = rbl_spread4(a->a.y, a->b.y, a->c.y, b->a.y, b->b.y, b->c.y);
    const rblFloat4 z = rbl_spread4(a->a.z, a->b.z, a->c.z, b->a.z, b->b.z, b->c.z);
    return rbl_max4(x, rbl_max4(y, z));
}

static inline rblFloat4 rbl_height4(rblPoint4 normal, rblPoint4 d)
{
    return rbl_add4(rbl_add4(rbl_mul4(normal.x, d.x), rbl_mul4(normal.y, d.y)), rbl_mul4(normal.z, d.z));
}

// The heights of t above the plane of p. Returns a lower bound of the distance by which all of t is on one side;
// negative when its corners are on both sides.
static inline rblFloat4 rbl_heights4(const rblTriangle4* p, const rblTriangle4* t, rblHeights4* out)
{
    const rblPoint4 e = rbl_sub_point4(p->b, p->a);
    const rblPoint4 f = rbl_sub_point4(p->c, p->a);
    const rblPoint4 n = {rbl_sub4(rbl_mul4(e.y, f.z), rbl_mul4(e.z, f.y)),
                         rbl_sub4(rbl_mul4(e.z, f.x), rbl_mul4(e.x, f.z)),
                         rbl_sub4(rbl_mul4(e.x, f.y), rbl_mul4(e.y, f.x))};
    const rblFloat4 h0 = rbl_height4(n, rbl_sub_point4(t->a, p->a));
    const rblFloat4 h1 = rbl_height4(n, rbl_sub_point4(t->b, p->a));
    const rblFloat4 h2 = rbl_height4(n, rbl_sub_point4(t->c, p->a));
    rbl_store4(out->corner[0], h0);
    rbl_store4(out->corner[1], h1);
    rbl_store4(out->corner[2], h2);
    const rblFloat4 least = rbl_min4(rbl_min4(h0, h1), h2);
    const rblFloat4 most = rbl_max4(rbl_max4(h0, h1), h2);
    return rbl_max4(least, rbl_sub4(rbl_splat4(0.0f), most));
}

// Let R be the reach, u = 2^-24, and D the error of a coordinate (0 when the span has floats). The error of a difference
// is then at most v = 2 D + u R, that of a component of the normal (at most 2 R^2) at most 4 R v + 6 u R^2, and that of
// a height at most 3 (R (4 R v + 6 u R^2) + 2 R^2 v) + 18 u R^3 <= 36 D R^2 + 54 u R^3, without terms of second order;
// 64 (D + u R) R^2 covers these too. Underflow loses less than 2^-120. From R = 2^41 on, heights (up to 6 R^3) can
// overflow and differences of infinities be NaN: the bound is then infinite and every pair undecided.
static inline void rbl_filter4(const rblLeafTriangle* const a[4], const rblLeafTriangle* const b[4],
                               float error, rblFilter4* out)
{
    const rblTriangle4 ta = rbl_load_triangles4(a);
    const rblTriangle4 tb = rbl_load_triangles4(b);
    const rblFloat4 reach = rbl_reach4(&ta, &tb);
    const rblFloat4 relative = rbl_add4(rbl_splat4(error), rbl_mul4(reach, rbl_splat4(0x1p-24f)));
    const rblFloat4 finite = rbl_add4(rbl_mul4(rbl_mul4(reach, reach), rbl_mul4(relative, rbl_splat4(64.0f))),
                                      rbl_splat4(0x1p-120f));
    const rblFloat4 bound = rbl_select4(rbl_less4(reach, rbl_splat4(0x1p41f)), finite, rbl_splat4(INFINITY));
    const rblFloat4 clear = rbl_max4(rbl_heights4(&tb, &ta, &out->a), rbl_heights4(&ta, &tb, &out->b));
    out->near = 15u & ~rbl_mask4(rbl_less4(bound, clear));
    rbl_store4(out->bound, bound);
    rbl_store4(out->reach, reach);
}

#endif
