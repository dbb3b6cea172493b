#include "bvh/leaves.h"

#include "base/error.h"
#include "math/aabb.h"
#include <string.h>

// Vertices or triangles per job, at least: enough work to pay for the start of a job.
#define MIN_RANGE 4096

static rblVec3d load_double(const rblTriangleSpan* span, uint32_t vertex)
{
    const double* p = rbl_span_vertex(span, vertex);
    return (rblVec3d){p[0], p[1], p[2]};
}

rblBox4 rbl_triangle_double(const double* p, const double* q, const double* r, rblLeafTriangle* out)
{
    const rblVec3d a = {p[0], p[1], p[2]};
    const rblVec3d b = {q[0], q[1], q[2]};
    const rblVec3d c = {r[0], r[1], r[2]};
    *out = (rblLeafTriangle){rbl_to_float3(a), rbl_to_float3(b), rbl_to_float3(c)};
    const rblVec3d lower = rbl_min3d(rbl_min3d(a, b), c);
    const rblVec3d upper = rbl_max3d(rbl_max3d(a, b), c);
    return (rblBox4){
        rbl_set4(rbl_float_below(lower.x), rbl_float_below(lower.y), rbl_float_below(lower.z), 0.0f),
        rbl_set4(rbl_float_above(upper.x), rbl_float_above(upper.y), rbl_float_above(upper.z), 0.0f)};
}

// ---- checks ----

typedef struct Check
{
    const rblTriangleSpan* span;
    rblAabb bounds[RBL_MAX_BLOCKS];
    uint32_t offender[RBL_MAX_BLOCKS]; // first bad element of each block, UINT32_MAX: none
} Check;

// The largest allowed coordinate: the sum of two of them is finite in 32 bits.
#define LARGEST 1e38f

static bool usable(double x)
{
    return x >= -(double)LARGEST && x <= (double)LARGEST;
}

static rblVec3d vertex_of(const rblTriangleSpan* span, uint32_t v)
{
    if (span->is_double)
    {
        return load_double(span, v);
    }
    const float* p = rbl_span_vertex(span, v);
    return (rblVec3d){(double)p[0], (double)p[1], (double)p[2]};
}

static void check_vertices_double(rblRange range, void* context)
{
    Check* check = context;
    rblVec3d lower = {INFINITY, INFINITY, INFINITY};
    rblVec3d upper = {-INFINITY, -INFINITY, -INFINITY};
    uint32_t offender = UINT32_MAX;
    for (uint32_t v = range.end; v-- > range.begin;)
    {
        const rblVec3d p = vertex_of(check->span, v);
        offender = usable(p.x) && usable(p.y) && usable(p.z) ? offender : v;
        lower = rbl_min3d(p, lower);
        upper = rbl_max3d(p, upper);
    }
    check->bounds[range.block] =
        (rblAabb){{rbl_float_below(lower.x), rbl_float_below(lower.y), rbl_float_below(lower.z)},
                  {rbl_float_above(upper.x), rbl_float_above(upper.y), rbl_float_above(upper.z)}};
    check->offender[range.block] = offender;
}

static void check_vertices_float(rblRange range, void* context)
{
    Check* check = context;
    const rblFloat4 largest = rbl_splat4(LARGEST);
    const rblFloat4 lowest = rbl_splat4(-LARGEST);
    rblFloat4 lower = rbl_splat4(INFINITY);
    rblFloat4 upper = rbl_splat4(-INFINITY);
    uint32_t offender = UINT32_MAX;
    for (uint32_t v = range.end; v-- > range.begin;)
    {
        const rblFloat4 p = rbl_load3(rbl_span_vertex(check->span, v));
        const rblFloat4 good = rbl_and4(rbl_less_equal4(p, largest), rbl_less_equal4(lowest, p));
        offender = rbl_mask4(good) == 15 ? offender : v;
        lower = rbl_min4(p, lower);
        upper = rbl_max4(p, upper);
    }
    rbl_box4_store(&check->bounds[range.block], (rblBox4){lower, upper});
    check->offender[range.block] = offender;
}

uint32_t rbl_span_find_bad_triangle(const rblTriangleSpan* span, uint32_t begin, uint32_t end)
{
    if (span->indices == NULL)
    {
        return UINT32_MAX; // rbl_span_check_form() has compared the counts
    }
    // The largest index of the range is valid almost always; then no further check is needed.
    uint32_t largest = 0;
    for (size_t i = 3 * (size_t)begin; i < 3 * (size_t)end; ++i)
    {
        largest = span->indices[i] > largest ? span->indices[i] : largest;
    }
    if (largest < span->vertex_count)
    {
        return UINT32_MAX;
    }
    size_t i = 3 * (size_t)begin;
    while (span->indices[i] < span->vertex_count)
    {
        i += 1;
    }
    return (uint32_t)(i / 3);
}

static void check_indices(rblRange range, void* context)
{
    Check* check = context;
    check->offender[range.block] = rbl_span_find_bad_triangle(check->span, range.begin, range.end);
}

static rblSpanFault first_fault(const Check* check, uint32_t count, rblSpanFaultKind kind)
{
    for (uint32_t b = 0; b < rbl_block_count(count, MIN_RANGE); ++b)
    {
        if (check->offender[b] != UINT32_MAX)
        {
            return (rblSpanFault){kind, check->offender[b]};
        }
    }
    return (rblSpanFault){RBL_SPAN_FINE, 0};
}

static bool is_aligned(const rblTriangleSpan* span)
{
    const size_t alignment = span->is_double ? _Alignof(double) : _Alignof(float);
    return (uintptr_t)span->positions % alignment == 0 && (uintptr_t)span->indices % _Alignof(uint32_t) == 0;
}

rblSpanFault rbl_span_check_form(const rblTriangleSpan* span)
{
    const size_t size = span->is_double ? sizeof(double) : sizeof(float);
    const bool fine = span->triangle_count <= RBL_MAX_LEAVES && span->positions != NULL && is_aligned(span) &&
                      span->vertex_count > 0 && span->stride >= 3 * size && span->stride % size == 0 &&
                      (span->indices != NULL || span->vertex_count / 3 >= span->triangle_count);
    return (rblSpanFault){fine ? RBL_SPAN_FINE : RBL_SPAN_BAD_FORM, 0};
}

rblSpanFault rbl_span_check_vertices(const rblTriangleSpan* span, rblJobs* jobs, rblAabb* bounds)
{
    Check check;
    check.span = span;
    rbl_parallel_for(jobs, span->vertex_count, MIN_RANGE,
                     span->is_double ? check_vertices_double : check_vertices_float, &check);
    *bounds = check.bounds[0];
    for (uint32_t b = 1; b < rbl_block_count(span->vertex_count, MIN_RANGE); ++b)
    {
        bounds->lower = rbl_min3(bounds->lower, check.bounds[b].lower);
        bounds->upper = rbl_max3(bounds->upper, check.bounds[b].upper);
    }
    return first_fault(&check, span->vertex_count, RBL_SPAN_BAD_VERTEX);
}

rblSpanFault rbl_span_check_indices(const rblTriangleSpan* span, rblJobs* jobs)
{
    Check check;
    check.span = span;
    rbl_parallel_for(jobs, span->triangle_count, MIN_RANGE, check_indices, &check);
    return first_fault(&check, span->triangle_count, RBL_SPAN_BAD_TRIANGLE);
}

// ---- messages ----

static rblResult fail_form(const rblTriangleSpan* span, uint32_t number)
{
    const size_t size = span->is_double ? sizeof(double) : sizeof(float);
    if (span->triangle_count > RBL_MAX_LEAVES)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "bvh: span %u: %u triangles, must be at most 2^30", number,
                        span->triangle_count);
    }
    if (span->positions == NULL || span->vertex_count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: span %u: %u triangles need positions, but there are none",
                        number, span->triangle_count);
    }
    if (span->stride < 3 * size || span->stride % size != 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "bvh: span %u: stride %zu must be a multiple of %zu, at least %zu", number,
                        span->stride, size, 3 * size);
    }
    if (!is_aligned(span))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "bvh: span %u: positions and indices must be aligned to their type", number);
    }
    return rbl_fail(RBL_ERROR_ARGUMENT,
                    "bvh: span %u: %u triangles without indices need 3 vertices each, but there are %u",
                    number, span->triangle_count, span->vertex_count);
}

rblResult rbl_span_fail(const rblTriangleSpan* span, uint32_t number, rblSpanFault fault)
{
    switch (fault.kind)
    {
    case RBL_SPAN_BAD_FORM:
        return fail_form(span, number);
    case RBL_SPAN_BAD_VERTEX:
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: span %u: vertex %u must be finite and within 1e38", number,
                        fault.element);
    case RBL_SPAN_BAD_TRIANGLE:
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "bvh: span %u: triangle %u has an index out of range, must be at most %u", number,
                        fault.element, span->vertex_count - 1);
    default:
        return RBL_OK;
    }
}
