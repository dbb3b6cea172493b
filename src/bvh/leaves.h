// Reads triangles from a span, for builds and refits.
#ifndef RBL_BVH_LEAVES_H
#define RBL_BVH_LEAVES_H

#include "bvh/bvh.h"
#include "math/simd.h"

// The box of a triangle, in two registers; the fourth lanes have no meaning.
typedef struct rblBox4
{
    rblFloat4 lower, upper;
} rblBox4;

static inline rblBox4 rbl_box4_load(const rblAabb* box)
{
    return (rblBox4){rbl_load3(&box->lower.x), rbl_load3(&box->upper.x)};
}

// The first store overlaps the floats that the second one writes: fewer instructions than two stores of exactly three
// floats.
static inline void rbl_box4_store(rblAabb* box, rblBox4 value)
{
    float* out = (float*)(void*)box;
    rbl_store4(out, value.lower);
    rbl_store3(out + 3, value.upper);
}

static inline rblBox4 rbl_box4_merge(rblBox4 a, rblBox4 b)
{
    return (rblBox4){rbl_min4(a.lower, b.lower), rbl_max4(a.upper, b.upper)};
}

static inline const void* rbl_span_vertex(const rblTriangleSpan* span, uint32_t vertex)
{
    return (const char*)span->positions + vertex * span->stride;
}

static inline uint32_t rbl_span_corner(const rblTriangleSpan* span, uint32_t triangle, uint32_t k)
{
    return span->indices != NULL ? span->indices[3 * (size_t)triangle + k] : 3 * triangle + k;
}

// Prefetch the data of a triangle: first its indices; when these are in the cache, its vertices.
static inline void rbl_span_prefetch_indices(const rblTriangleSpan* span, uint32_t triangle)
{
    if (span->indices != NULL)
    {
        rbl_prefetch(&span->indices[3 * (size_t)triangle]);
    }
}

static inline void rbl_span_prefetch_vertices(const rblTriangleSpan* span, uint32_t triangle)
{
    for (uint32_t k = 0; k < 3; ++k)
    {
        rbl_prefetch(rbl_span_vertex(span, rbl_span_corner(span, triangle, k)));
    }
}

// Corners (rounded to floats) and box (rounded outwards) of a triangle of doubles.
rblBox4 rbl_triangle_double(const double* a, const double* b, const double* c, rblLeafTriangle* out);

static inline rblBox4 rbl_triangle_float(const float* a, const float* b, const float* c, rblLeafTriangle* out)
{
    const rblFloat4 p = rbl_load3(a);
    const rblFloat4 q = rbl_load3(b);
    const rblFloat4 r = rbl_load3(c);
    float* corners = (float*)(void*)out; // as in rbl_box4_store()
    rbl_store4(corners, p);
    rbl_store4(corners + 3, q);
    rbl_store3(corners + 6, r);
    return (rblBox4){rbl_min4(rbl_min4(p, q), r), rbl_max4(rbl_max4(p, q), r)};
}

// Corners and box of one triangle.
static inline rblBox4 rbl_span_triangle(const rblTriangleSpan* span, uint32_t triangle, rblLeafTriangle* out)
{
    const void* a = rbl_span_vertex(span, rbl_span_corner(span, triangle, 0));
    const void* b = rbl_span_vertex(span, rbl_span_corner(span, triangle, 1));
    const void* c = rbl_span_vertex(span, rbl_span_corner(span, triangle, 2));
    return span->is_double ? rbl_triangle_double(a, b, c, out) : rbl_triangle_float(a, b, c, out);
}

// ---- checks ----

typedef enum rblSpanFaultKind
{
    RBL_SPAN_FINE,
    RBL_SPAN_BAD_FORM,    // counts, pointers, stride
    RBL_SPAN_BAD_VERTEX,  // not finite, or beyond the range of boxes
    RBL_SPAN_BAD_TRIANGLE // an index out of range
} rblSpanFaultKind;

// The first fault of a span: its kind and its vertex or triangle.
typedef struct rblSpanFault
{
    rblSpanFaultKind kind;
    uint32_t element;
} rblSpanFault;

// Check counts, pointers and stride: RBL_SPAN_FINE or RBL_SPAN_BAD_FORM. The other checks rely on this one.
rblSpanFault rbl_span_check_form(const rblTriangleSpan* span);

// Check the vertices; `bounds` receives the box of all of them, also of unused ones.
rblSpanFault rbl_span_check_vertices(const rblTriangleSpan* span, rblJobs* jobs, rblAabb* bounds);

// Check the indices, if there are any.
rblSpanFault rbl_span_check_indices(const rblTriangleSpan* span, rblJobs* jobs);

// The first of triangles begin .. end - 1 with an index out of range, UINT32_MAX when there is none.
uint32_t rbl_span_find_bad_triangle(const rblTriangleSpan* span, uint32_t begin, uint32_t end);

// Make a result with a message from a fault; `number` is the index of the span in the message.
rblResult rbl_span_fail(const rblTriangleSpan* span, uint32_t number, rblSpanFault fault);

#endif
