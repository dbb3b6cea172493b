// Sample points of round primitives: rings of points, rotated against each other so that the points do not form lines.
#include "field/primitives/primitive.h"

#include "math/trig.h"
#include "math/vec.h"

// ---- tuning ----
#define QUARTER_STEPS   4  // samples along a quarter circle; the same spacing elsewhere
#define MAX_RINGS       64 // rings along a barrel
#define MAX_RING_POINTS 96 // samples on a ring

static uint32_t steps_over(double length, double spacing, uint32_t most)
{
    const double steps = ceil(length / spacing);
    return steps < 1.0 ? 1 : (steps > most ? most : (uint32_t)steps);
}

static bool add_ring(rblPointArray* out, double radius, double y, double spacing, double twist)
{
    if (!(radius > 0.0))
    {
        return rbl_array_push(out, ((rblVec3){0, (float)y, 0}));
    }
    const uint32_t around = steps_over(2.0 * RBL_PI * radius, spacing, MAX_RING_POINTS);
    const uint32_t count = around < 4 ? 4 : around;
    for (uint32_t i = 0; i < count; ++i)
    {
        double sine;
        double cosine;
        rbl_sincos(2.0 * RBL_PI * (i + twist) / count, &sine, &cosine);
        if (!rbl_array_push(out, ((rblVec3){(float)(radius * cosine), (float)y, (float)(-radius * sine)})))
        {
            return false;
        }
    }
    return true;
}

// A half ball from its pole to the equator (excluded); `up` is 1 or -1.
static bool add_dome(rblPointArray* out, double radius, double centre, double up, double spacing)
{
    for (uint32_t i = 0; i < QUARTER_STEPS; ++i)
    {
        double sine;
        double cosine;
        rbl_sincos(0.5 * RBL_PI * i / QUARTER_STEPS, &sine, &cosine);
        if (!add_ring(out, radius * sine, centre + up * radius * cosine, spacing, i % 2 == 0 ? 0.0 : 0.5))
        {
            return false;
        }
    }
    return true;
}

// Rings from -half to half, inclusive.
static bool add_barrel(rblPointArray* out, double radius, double half, double spacing)
{
    const uint32_t steps = half > 0.0 ? steps_over(2.0 * half, spacing, MAX_RINGS) : 0;
    for (uint32_t i = 0; i <= steps; ++i)
    {
        const double y = steps == 0 ? 0.0 : half * (2.0 * i / steps - 1.0);
        if (!add_ring(out, radius, y, spacing, i == 0 || i == steps || i % 2 == 0 ? 0.0 : 0.5))
        {
            return false;
        }
    }
    return true;
}

bool rbl_sample_capsule(double radius, double half, rblPointArray* out)
{
    const double spacing = 0.5 * RBL_PI * radius / QUARTER_STEPS;
    return add_dome(out, radius, half, 1.0, spacing) && add_barrel(out, radius, half, spacing) &&
           add_dome(out, radius, -half, -1.0, spacing);
}

bool rbl_sample_cylinder(double radius, double half, rblPointArray* out)
{
    const double spacing = 0.5 * RBL_PI * radius / QUARTER_STEPS;
    bool good = add_barrel(out, radius, half, spacing);
    for (uint32_t i = 0; i < 2 && good; ++i)
    {
        const double y = i == 0 ? -half : half;
        good = add_ring(out, 0.0, y, spacing, 0.0) && add_ring(out, radius / 3.0, y, spacing, 0.5) &&
               add_ring(out, radius * 2.0 / 3.0, y, spacing, 0.5);
    }
    return good;
}
