// Plain solids of revolution: sphere, cylinder, capsule, torus, and the lathe itself.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids/solids_profile.h"

// Maximum number of faces of a lathe: limits memory, not precision.
#define MAX_TURNED_FACES ((uint64_t)1 << 24)

static rblResult turn_profile(const rblSolidInput* input, rblProfile* profile, const rblAllocator* allocator,
                              rblMesh** out)
{
    const rblTurning turning = {
        .profile = profile,
        .segments = rbl_solid_count(input, "segments"),
        .crease_angle = RBL_DEFAULT_CREASE_ANGLE,
    };
    return rbl_make_turned(&turning, allocator, out);
}

// A circular arc about (r, y) through `quarters` quarter turns of `steps` pieces each, counter-clockwise from
// the direction of quarter number `from` (0: outward, 1: up, 2: inward, 3: down).
static void add_arc(rblProfile* profile, rblProfilePoint centre, double radius, uint32_t from,
                    uint32_t quarters, uint32_t steps)
{
    for (uint32_t i = 0; i <= quarters * steps; ++i)
    {
        const rblCirclePoint p = rbl_circle_point(from * steps + i, 4 * steps);
        rbl_profile_point(profile, centre.r + radius * p.c, centre.y + radius * p.s);
    }
}

rblResult rbl_make_solid_sphere(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    rblProfile profile;
    rbl_profile_init(&profile, allocator);
    const uint32_t segments = rbl_solid_count(input, "segments");
    add_arc(&profile, (rblProfilePoint){0, 0}, rbl_solid_number(input, "radius"), 3, 2, (segments + 3) / 4);
    const rblResult result = turn_profile(input, &profile, allocator, out);
    rbl_profile_free(&profile);
    return result;
}

rblResult rbl_make_solid_cylinder(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double radius = rbl_solid_number(input, "radius");
    const double half = 0.5 * rbl_solid_number(input, "height");
    rblProfile profile;
    rbl_profile_init(&profile, allocator);
    rbl_profile_point(&profile, 0.0, -half);
    rbl_profile_point(&profile, radius, -half);
    rbl_profile_point(&profile, radius, half);
    rbl_profile_point(&profile, 0.0, half);
    const rblResult result = turn_profile(input, &profile, allocator, out);
    rbl_profile_free(&profile);
    return result;
}

rblResult rbl_make_solid_capsule(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double radius = rbl_solid_number(input, "radius");
    const double straight = rbl_solid_number(input, "height") - 2.0 * radius;
    if (straight < 0.0)
    {
        return rbl_solid_refuse(input, "height, end to end, must be at least twice the radius");
    }
    const uint32_t steps = (rbl_solid_count(input, "segments") + 3) / 4;
    rblProfile profile;
    rbl_profile_init(&profile, allocator);
    add_arc(&profile, (rblProfilePoint){0, -0.5 * straight}, radius, 3, 1, steps);
    add_arc(&profile, (rblProfilePoint){0, 0.5 * straight}, radius, 0, 1, steps);
    const rblResult result = turn_profile(input, &profile, allocator, out);
    rbl_profile_free(&profile);
    return result;
}

rblResult rbl_make_solid_torus(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double radius = rbl_solid_number(input, "radius");
    const double tube = rbl_solid_number(input, "tube");
    const uint32_t sides = rbl_solid_count(input, "sides");
    if (tube >= radius)
    {
        return rbl_solid_refuse(input,
                                "tube must be less than radius, or the ring would meet itself on the axis");
    }
    rblProfile profile;
    rbl_profile_init(&profile, allocator);
    for (uint32_t i = 0; i < sides; ++i)
    {
        const rblCirclePoint p = rbl_circle_point(i, sides);
        rbl_profile_point(&profile, radius + tube * p.c, tube * p.s);
    }
    rblResult result = rbl_profile_require(input, &profile, "the tube");
    if (result == RBL_OK)
    {
        result = turn_profile(input, &profile, allocator, out);
    }
    rbl_profile_free(&profile);
    return result;
}

// ---- lathe ----

static bool same_point(rblProfilePoint a, rblProfilePoint b)
{
    return a.r == b.r && a.y == b.y;
}

static rblResult read_profile(const rblSolidInput* input, rblProfile* profile)
{
    for (uint32_t i = 0; i < input->list_pairs; ++i)
    {
        const rblProfilePoint p = {input->list[2 * i], input->list[2 * i + 1]};
        if (p.r < 0.0)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "lathe: the radius of profile point %u must not be negative",
                            i + 1);
        }
        if (profile->points.count > 0 && same_point(p, profile->points.data[profile->points.count - 1]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "lathe: profile points %u and %u have the same position", i,
                            i + 1);
        }
        rbl_profile_point(profile, p.r, p.y);
        if (profile->failed)
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static void reverse_points(rblProfilePoint* points, size_t count)
{
    for (size_t i = 0; i < count / 2; ++i)
    {
        const rblProfilePoint swapped = points[i];
        points[i] = points[count - 1 - i];
        points[count - 1 - i] = swapped;
    }
}

// The profile is the whole outline: drop a repeated end point, check it, and make it counter-clockwise.
static rblResult close_solid(const rblSolidInput* input, rblProfile* profile)
{
    const size_t count = profile->points.count;
    if (count > 1 && same_point(profile->points.data[0], profile->points.data[count - 1]))
    {
        profile->points.count -= 1;
    }
    RBL_TRY(rbl_profile_require(input, profile, "the closed profile"));
    if (!rbl_profile_is_counter_clockwise(profile->points.data, (uint32_t)profile->points.count))
    {
        reverse_points(profile->points.data, profile->points.count);
    }
    return RBL_OK;
}

// The profile is one side of a shell: append the other side in reverse, `thickness` to the left.
static rblResult close_shell(const rblSolidInput* input, rblProfile* profile, double thickness)
{
    const uint32_t count = (uint32_t)profile->points.count;
    for (uint32_t i = 1; i + 1 < count; ++i)
    {
        if (profile->points.data[i].r == 0.0)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT,
                            "lathe: profile point %u is on the axis, only the ends of a shell may be", i + 1);
        }
    }
    if (count < 2 || (count == 2 && profile->points.data[0].r == 0.0 && profile->points.data[1].r == 0.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "lathe: a shell needs a profile of two points, not both on the axis");
    }
    rblProfile side;
    rbl_profile_init(&side, profile->points.allocator);
    uint32_t where = 0;
    const bool fits = rbl_profile_offset(profile->points.data, count, thickness, &side, &where);
    for (size_t i = side.points.count; i > 0; --i)
    {
        rbl_profile_point(profile, side.points.data[i - 1].r, side.points.data[i - 1].y);
    }
    profile->failed = profile->failed || side.failed;
    rbl_profile_free(&side);
    if (!fits)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "lathe: thickness is too large for the bends of profile edge %u",
                        where);
    }
    RBL_TRY(rbl_profile_require(input, profile, "the shell"));
    if (!rbl_profile_is_counter_clockwise(profile->points.data, (uint32_t)profile->points.count))
    {
        return rbl_solid_refuse(input, "thickness turns the shell inside out");
    }
    return RBL_OK;
}

rblResult rbl_make_solid_lathe(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double thickness = rbl_solid_number(input, "thickness");
    rblProfile profile;
    rbl_profile_init(&profile, allocator);
    rblResult result = read_profile(input, &profile);
    if (result == RBL_OK)
    {
        result = thickness > 0.0 ? close_shell(input, &profile, thickness) : close_solid(input, &profile);
    }
    if (result == RBL_OK &&
        profile.points.count * (uint64_t)rbl_solid_count(input, "segments") > MAX_TURNED_FACES)
    {
        result =
            rbl_fail(RBL_ERROR_LIMIT, "lathe: more than 2^24 faces; use fewer segments or profile points");
    }
    if (result == RBL_OK)
    {
        result = turn_profile(input, &profile, allocator, out);
    }
    rbl_profile_free(&profile);
    return result;
}
