// Reading triangles out of a span: what builds and refits start from.
#ifndef RBL_BVH_LEAVES_H
#define RBL_BVH_LEAVES_H

#include "bvh/bvh.h"
#include "math/simd.h"

// The box of a triangle, in two registers; the fourth lanes are not to be used.
typedef struct rblBox4
{
    rblFloat4 lower, upper;
} rblBox4;

static inline rblBox4 rbl_box4_load(const rblAabb* box)
{
    return (rblBox4){rbl_load3(&box->lower.x), rbl_load3(&box->upper.x)};
}

static inline void rbl_box4_store(rblAabb* box, rblBox4 value)
{
    rbl_store3(&box->lower.x, value.lower);
    rbl_store3(&box->upper.x, value.upper);
}

static inline rblBox4 rbl_box4_merge(rblBox4 a, rblBox4 b)
{
    return (rblBox4){rbl_min4(a.lower, b.lower), rbl_max4(a.upper, b.upper)};
}

static inline const float* rbl_span_floats(const rblTriangleSpan* span, uint32_t vertex)
{
    return (const float*)((const char*)span->positions + vertex * span->stride);
}

static inline uint32_t rbl_span_corner(const rblTriangleSpan* span, uint32_t triangle, uint32_t k)
{
    return span->indices != NULL ? span->indices[3 * (size_t)triangle + k] : 3 * triangle + k;
}

#if defined(__GNUC__)
#define RBL_PREFETCH(address) __builtin_prefetch(address)
#else
#define RBL_PREFETCH(address) ((void)(address))
#endif

// Ask for a triangle's data ahead of time: first its indices, then, when these have come, its vertices.
static inline void rbl_span_prefetch_indices(const rblTriangleSpan* span, uint32_t triangle)
{
    if (span->indices != NULL)
    {
        RBL_PREFETCH(&span->indices[3 * (size_t)triangle]);
    }
}

static inline void rbl_span_prefetch_vertices(const rblTriangleSpan* span, uint32_t triangle)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        RBL_PREFETCH((const char*)span->positions + rbl_span_corner(span, triangle, k) * span->stride);
    }
}

// Corners (rounded to floats) and box (rounded outwards) of one triangle of a span of doubles.
rblBox4 rbl_span_triangle_double(const rblTriangleSpan* span, uint32_t triangle, rblLeafTriangle* out);

// Corners and box of one triangle.
static inline rblBox4 rbl_span_triangle(const rblTriangleSpan* span, uint32_t triangle, rblLeafTriangle* out)
{
    if (span->is_double)
    {
        return rbl_span_triangle_double(span, triangle, out);
    }
    const rblFloat4 a = rbl_load3(rbl_span_floats(span, rbl_span_corner(span, triangle, 0)));
    const rblFloat4 b = rbl_load3(rbl_span_floats(span, rbl_span_corner(span, triangle, 1)));
    const rblFloat4 c = rbl_load3(rbl_span_floats(span, rbl_span_corner(span, triangle, 2)));
    rbl_store3(&out->a.x, a);
    rbl_store3(&out->b.x, b);
    rbl_store3(&out->c.x, c);
    return (rblBox4){rbl_min4(rbl_min4(a, b), c), rbl_max4(rbl_max4(a, b), c)};
}

// Shape and content of a span: strides, counts, finite vertices, indices in range. `bounds` receives the box of all
// vertices. Messages name the span by `number`.
rblResult rbl_span_check(const rblTriangleSpan* span, uint32_t number, rblJobs* jobs, rblAabb* bounds);

#endif
