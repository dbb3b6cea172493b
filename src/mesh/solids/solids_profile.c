// Outlines of solids of revolution: curves, offsets, and a check whether they are valid.
#include "mesh/solids/solids_profile.h"

#include "base/error.h"
#include "math/predicates.h"
#include "math/trig.h"
#include "math/vec.h"

void rbl_profile_init(rblProfile* profile, const rblAllocator* allocator)
{
    rbl_array_init(&profile->points, allocator);
    profile->failed = false;
}

void rbl_profile_free(rblProfile* profile)
{
    rbl_array_free(&profile->points);
}

void rbl_profile_point(rblProfile* profile, double r, double y)
{
    if (profile->points.count > 0)
    {
        const rblProfilePoint last = profile->points.data[profile->points.count - 1];
        if (last.r == r && last.y == y)
        {
            return;
        }
    }
    const rblProfilePoint point = {r, y};
    profile->failed = profile->failed || !rbl_array_push(&profile->points, point);
}

// The last point of the outline; the origin when it is empty (only possible when out of memory).
static rblProfilePoint last_point(const rblProfile* profile)
{
    return profile->points.count > 0 ? profile->points.data[profile->points.count - 1]
                                     : (rblProfilePoint){0, 0};
}

void rbl_profile_curve(rblProfile* profile, rblProfilePoint c1, rblProfilePoint c2, rblProfilePoint end,
                       uint32_t steps)
{
    const rblProfilePoint begin = last_point(profile);
    for (uint32_t i = 1; i < steps; ++i)
    {
        const double t = (double)i / (double)steps;
        const double s = 1.0 - t;
        const double b0 = s * s * s;
        const double b1 = 3.0 * s * s * t;
        const double b2 = 3.0 * s * t * t;
        const double b3 = t * t * t;
        rbl_profile_point(profile, b0 * begin.r + b1 * c1.r + b2 * c2.r + b3 * end.r,
                          b0 * begin.y + b1 * c1.y + b2 * c2.y + b3 * end.y);
    }
    rbl_profile_point(profile, end.r, end.y);
}

void rbl_profile_half_circle(rblProfile* profile, rblProfilePoint end, uint32_t steps)
{
    const rblProfilePoint begin = last_point(profile);
    const rblProfilePoint centre = {0.5 * (begin.r + end.r), 0.5 * (begin.y + end.y)};
    const rblProfilePoint arm = {begin.r - centre.r, begin.y - centre.y};
    for (uint32_t i = 1; i < steps; ++i)
    {
        const rblCirclePoint turn = rbl_circle_point(i, 2 * steps);
        rbl_profile_point(profile, centre.r + arm.r * turn.c - arm.y * turn.s,
                          centre.y + arm.r * turn.s + arm.y * turn.c);
    }
    rbl_profile_point(profile, end.r, end.y);
}

// ---- offset ----

static rblProfilePoint direction_between(rblProfilePoint a, rblProfilePoint b)
{
    const double dr = b.r - a.r;
    const double dy = b.y - a.y;
    const double length = sqrt(dr * dr + dy * dy);
    return (rblProfilePoint){dr / length, dy / length};
}

static rblProfilePoint beside(rblProfilePoint p, rblProfilePoint direction, double distance)
{
    return (rblProfilePoint){p.r - distance * direction.y, p.y + distance * direction.r};
}

// The offset of an end of the curve: perpendicular to it, or moved along the edge until it lies on the axis if the
// end does.
static rblProfilePoint offset_end(rblProfilePoint end, rblProfilePoint direction, double distance)
{
    const rblProfilePoint square = beside(end, direction, distance);
    if (end.r != 0.0 || direction.r == 0.0)
    {
        return square;
    }
    return (rblProfilePoint){0.0, square.y - square.r * direction.y / direction.r};
}

// An arc around the outer side of a corner, in steps of at most 30 degrees.
static void offset_round(rblProfilePoint p, rblProfilePoint before, rblProfilePoint after, double distance,
                         rblProfile* out)
{
    const double turn =
        rbl_atan2(before.r * after.y - before.y * after.r, before.r * after.r + before.y * after.y);
    const uint32_t steps = (uint32_t)ceil(fabs(turn) * 6.0 / RBL_PI);
    for (uint32_t i = 0; i <= steps; ++i)
    {
        const double angle = turn * (double)i / (double)steps;
        const double c = rbl_cos(angle);
        const double s = rbl_sin(angle);
        const rblProfilePoint direction = {before.r * c - before.y * s, before.r * s + before.y * c};
        const rblProfilePoint q = beside(p, i == 0 ? before : (i == steps ? after : direction), distance);
        rbl_profile_point(out, q.r, q.y);
    }
}

static void offset_corner(rblProfilePoint p, rblProfilePoint before, rblProfilePoint after, double distance,
                          rblProfile* out)
{
    const double cross = before.r * after.y - before.y * after.r;
    const double dot = before.r * after.r + before.y * after.y;
    if (cross * distance < 0.0 && dot < 0.5)
    {
        offset_round(p, before, after, distance, out);
        return;
    }
    // The mitre: the point where the two offset edges meet.
    const double scale = distance / (1.0 + dot);
    rbl_profile_point(out, p.r - scale * (before.y + after.y), p.y + scale * (before.r + after.r));
}

bool rbl_profile_offset(const rblProfilePoint* points, uint32_t count, double distance, rblProfile* out,
                        uint32_t* where)
{
    rblProfilePoint direction = direction_between(points[0], points[1]);
    rblProfilePoint begin = offset_end(points[0], direction, distance);
    rbl_profile_point(out, begin.r, begin.y);
    for (uint32_t i = 1; i < count; ++i)
    {
        const rblProfilePoint previous = direction;
        const size_t first = out->points.count;
        if (i + 1 < count)
        {
            direction = direction_between(points[i], points[i + 1]);
            offset_corner(points[i], previous, direction, distance, out);
        }
        else
        {
            const rblProfilePoint end = offset_end(points[i], previous, distance);
            rbl_profile_point(out, end.r, end.y);
        }
        if (out->failed)
        {
            return true; // out of memory, not a defect of the geometry
        }
        // The offset edge must have the direction of the edge; otherwise the bends at its two ends overlap.
        const rblProfilePoint end = first < out->points.count ? out->points.data[first] : begin;
        if (!((end.r - begin.r) * previous.r + (end.y - begin.y) * previous.y > 0.0))
        {
            *where = i;
            return false;
        }
        begin = last_point(out);
    }
    return true;
}

// ---- soundness ----

static int orientation(rblProfilePoint a, rblProfilePoint b, rblProfilePoint c)
{
    const double sign =
        rbl_orient2d((const double[2]){a.r, a.y}, (const double[2]){b.r, b.y}, (const double[2]){c.r, c.y});
    return sign > 0.0 ? 1 : (sign < 0.0 ? -1 : 0);
}

bool rbl_profile_is_counter_clockwise(const rblProfilePoint* points, uint32_t count)
{
    // The orientation of a simple polygon is the turn at its lowest point (of several lowest ones the innermost).
    uint32_t lowest = 0;
    for (uint32_t i = 1; i < count; ++i)
    {
        const bool lower = points[i].y < points[lowest].y;
        lowest = lower || (points[i].y == points[lowest].y && points[i].r < points[lowest].r) ? i : lowest;
    }
    return orientation(points[(lowest + count - 1) % count], points[lowest], points[(lowest + 1) % count]) >
           0;
}

static bool ranges_overlap(double a, double b, double c, double d)
{
    return rbl_mind(a, b) <= rbl_maxd(c, d) && rbl_mind(c, d) <= rbl_maxd(a, b);
}

// Whether the closed segments ab and cd have a point in common.
static bool segments_meet(rblProfilePoint a, rblProfilePoint b, rblProfilePoint c, rblProfilePoint d)
{
    if (!ranges_overlap(a.r, b.r, c.r, d.r) || !ranges_overlap(a.y, b.y, c.y, d.y))
    {
        return false;
    }
    return orientation(a, b, c) * orientation(a, b, d) <= 0 &&
           orientation(c, d, a) * orientation(c, d, b) <= 0;
}

// Whether edge bc runs back over edge ab.
static bool folds_back(rblProfilePoint a, rblProfilePoint b, rblProfilePoint c)
{
    const double dot = (b.r - a.r) * (c.r - b.r) + (b.y - a.y) * (c.y - b.y);
    return dot < 0.0 && orientation(a, b, c) == 0;
}

static bool find_crossing(const rblProfilePoint* points, uint32_t count, uint32_t places[2])
{
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblProfilePoint a = points[i];
        const rblProfilePoint b = points[(i + 1) % count];
        places[0] = i;
        places[1] = (i + 1) % count;
        if (folds_back(a, b, points[(i + 2) % count]))
        {
            return true;
        }
        for (uint32_t j = i + 2; j < count && (j + 1) % count != i; ++j)
        {
            places[1] = j;
            if (segments_meet(a, b, points[j], points[(j + 1) % count]))
            {
                return true;
            }
        }
    }
    return false;
}

// Whether a point is beyond the axis, or on it with both neighbours off it. Rotated, the latter would be a
// non-manifold vertex.
static bool misuses_axis(const rblProfilePoint* points, uint32_t count, uint32_t i)
{
    const bool neighbour_on_axis =
        points[(i + count - 1) % count].r == 0.0 || points[(i + 1) % count].r == 0.0;
    return !(points[i].r >= 0.0) || (points[i].r == 0.0 && !neighbour_on_axis);
}

// Whether the closed outline (last point connected to the first) gives a solid: a simple polygon, nowhere left of the
// axis, that touches it only along edges. Exact: decided by orient2d.
static rblProfileDefect check_profile(const rblProfilePoint* points, uint32_t count, uint32_t places[2])
{
    places[0] = places[1] = 0;
    if (count < 3)
    {
        return RBL_PROFILE_ENCLOSES_NOTHING;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblProfilePoint next = points[(i + 1) % count];
        places[0] = i;
        places[1] = (i + 1) % count;
        if (points[i].r == next.r && points[i].y == next.y)
        {
            return RBL_PROFILE_REPEATS_A_POINT;
        }
        if (misuses_axis(points, count, i))
        {
            return RBL_PROFILE_MEETS_THE_AXIS;
        }
    }
    if (find_crossing(points, count, places))
    {
        return RBL_PROFILE_MEETS_ITSELF;
    }
    return RBL_PROFILE_SOUND;
}

rblResult rbl_profile_require(const rblSolidInput* input, const rblProfile* profile, const char* what)
{
    uint32_t places[2];
    if (profile->failed)
    {
        return rbl_fail_memory();
    }
    const uint32_t count = (uint32_t)profile->points.count;
    const char* kind = input->kind->name;
    switch (check_profile(profile->points.data, count, places))
    {
    case RBL_PROFILE_SOUND:
        return RBL_OK;
    case RBL_PROFILE_REPEATS_A_POINT:
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s has points %u and %u at the same place", kind, what,
                        places[0] + 1, places[1] + 1);
    case RBL_PROFILE_MEETS_THE_AXIS:
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s crosses the axis or touches it with point %u alone", kind,
                        what, places[0] + 1);
    case RBL_PROFILE_MEETS_ITSELF:
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s intersects itself (the edges after points %u and %u)",
                        kind, what, places[0] + 1, places[1] + 1);
    default:
        return rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s encloses no area", kind, what);
    }
}
