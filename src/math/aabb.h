// Axis-aligned boxes. The empty box is (infinity, -infinity): it is the neutral element of unions. NaN coordinates never
// enlarge a box (by the rule of min and max in vec.h, with the new point as the first operand).
#ifndef RBL_MATH_AABB_H
#define RBL_MATH_AABB_H

#include "math/vec.h"
#include <stdint.h>
#include <string.h>

// ---- 32-bit ----

static inline rblAabb rbl_aabb_empty(void)
{
    return (rblAabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline bool rbl_aabb_is_empty(rblAabb a)
{
    return !(a.lower.x <= a.upper.x && a.lower.y <= a.upper.y && a.lower.z <= a.upper.z);
}

static inline rblAabb rbl_aabb_add(rblAabb a, rblVec3 point)
{
    return (rblAabb){rbl_min3(point, a.lower), rbl_max3(point, a.upper)};
}

static inline rblAabb rbl_aabb_union(rblAabb a, rblAabb b)
{
    return (rblAabb){rbl_min3(a.lower, b.lower), rbl_max3(a.upper, b.upper)};
}

static inline rblAabb rbl_aabb_intersection(rblAabb a, rblAabb b)
{
    return (rblAabb){rbl_max3(a.lower, b.lower), rbl_min3(a.upper, b.upper)};
}

static inline rblAabb rbl_aabb_grown(rblAabb a, float margin)
{
    const rblVec3 all = {margin, margin, margin};
    return (rblAabb){rbl_sub3(a.lower, all), rbl_add3(a.upper, all)};
}

// Touching boxes overlap.
static inline bool rbl_aabb_overlaps(rblAabb a, rblAabb b)
{
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static inline bool rbl_aabb_contains_point(rblAabb a, rblVec3 p)
{
    return a.lower.x <= p.x && p.x <= a.upper.x && a.lower.y <= p.y && p.y <= a.upper.y && a.lower.z <= p.z &&
           p.z <= a.upper.z;
}

// Whether b is inside a.
static inline bool rbl_aabb_contains(rblAabb a, rblAabb b)
{
    return a.lower.x <= b.lower.x && b.upper.x <= a.upper.x && a.lower.y <= b.lower.y &&
           b.upper.y <= a.upper.y && a.lower.z <= b.lower.z && b.upper.z <= a.upper.z;
}

// Halve first: no overflow for the largest boxes.
static inline rblVec3 rbl_aabb_center(rblAabb a)
{
    return rbl_add3(rbl_scale3(a.lower, 0.5f), rbl_scale3(a.upper, 0.5f));
}

static inline rblVec3 rbl_aabb_size(rblAabb a)
{
    return rbl_sub3(a.upper, a.lower);
}

// Squared distance from a point to the box, 0 inside.
static inline float rbl_aabb_distance_squared(rblAabb a, rblVec3 p)
{
    const rblVec3 zero = {0, 0, 0};
    const rblVec3 outside = rbl_max3(rbl_max3(rbl_sub3(a.lower, p), rbl_sub3(p, a.upper)), zero);
    return rbl_dot3(outside, outside);
}

// ---- 64-bit ----

static inline rblAabbd rbl_aabbd_empty(void)
{
    return (rblAabbd){{(double)INFINITY, (double)INFINITY, (double)INFINITY},
                      {-(double)INFINITY, -(double)INFINITY, -(double)INFINITY}};
}

static inline bool rbl_aabbd_is_empty(rblAabbd a)
{
    return !(a.lower.x <= a.upper.x && a.lower.y <= a.upper.y && a.lower.z <= a.upper.z);
}

static inline rblAabbd rbl_aabbd_add(rblAabbd a, rblVec3d point)
{
    return (rblAabbd){rbl_min3d(point, a.lower), rbl_max3d(point, a.upper)};
}

static inline rblAabbd rbl_aabbd_union(rblAabbd a, rblAabbd b)
{
    return (rblAabbd){rbl_min3d(a.lower, b.lower), rbl_max3d(a.upper, b.upper)};
}

static inline rblAabbd rbl_aabbd_intersection(rblAabbd a, rblAabbd b)
{
    return (rblAabbd){rbl_max3d(a.lower, b.lower), rbl_min3d(a.upper, b.upper)};
}

static inline rblAabbd rbl_aabbd_grown(rblAabbd a, double margin)
{
    const rblVec3d all = {margin, margin, margin};
    return (rblAabbd){rbl_sub3d(a.lower, all), rbl_add3d(a.upper, all)};
}

// Touching boxes overlap.
static inline bool rbl_aabbd_overlaps(rblAabbd a, rblAabbd b)
{
    return a.lower.x <= b.upper.x && b.lower.x <= a.upper.x && a.lower.y <= b.upper.y &&
           b.lower.y <= a.upper.y && a.lower.z <= b.upper.z && b.lower.z <= a.upper.z;
}

static inline bool rbl_aabbd_contains_point(rblAabbd a, rblVec3d p)
{
    return a.lower.x <= p.x && p.x <= a.upper.x && a.lower.y <= p.y && p.y <= a.upper.y && a.lower.z <= p.z &&
           p.z <= a.upper.z;
}

// Halve first: no overflow for the largest boxes.
static inline rblVec3d rbl_aabbd_center(rblAabbd a)
{
    return rbl_add3d(rbl_scale3d(a.lower, 0.5), rbl_scale3d(a.upper, 0.5));
}

static inline rblVec3d rbl_aabbd_size(rblAabbd a)
{
    return rbl_sub3d(a.upper, a.lower);
}

// Squared distance from a point to the box, 0 inside.
static inline double rbl_aabbd_distance_squared(rblAabbd a, rblVec3d p)
{
    const rblVec3d zero = {0, 0, 0};
    const rblVec3d outside = rbl_max3d(rbl_max3d(rbl_sub3d(a.lower, p), rbl_sub3d(p, a.upper)), zero);
    return rbl_dot3d(outside, outside);
}

// ---- from 64 to 32 bits ----

// The next float up (direction 1) or down (-1). Finite.
static inline float rbl_next_float(float x, int direction)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x == 0.0f)
    {
        bits = direction > 0 ? 1 : INT32_MIN + 1;
    }
    else
    {
        bits += (x > 0.0f) == (direction > 0) ? 1 : -1;
    }
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline float rbl_float_below(double x)
{
    const float nearest = (float)x;
    return (double)nearest > x ? rbl_next_float(nearest, -1) : nearest;
}

static inline float rbl_float_above(double x)
{
    const float nearest = (float)x;
    return (double)nearest < x ? rbl_next_float(nearest, 1) : nearest;
}

// The smallest box of floats around a box.
static inline rblAabb rbl_aabb_around(rblAabbd a)
{
    return (rblAabb){{rbl_float_below(a.lower.x), rbl_float_below(a.lower.y), rbl_float_below(a.lower.z)},
                     {rbl_float_above(a.upper.x), rbl_float_above(a.upper.y), rbl_float_above(a.upper.z)}};
}

#endif
