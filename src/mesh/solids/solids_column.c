// A column after the Tuscan and Doric orders: square plinth, Attic base, shaft with entasis and flutes, round
// echinus under a square abacus.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids/solids_profile.h"

// Straight pieces per moulding, and along the shaft, where the entasis and the ends of the flutes need more.
#define MOULDING_STEPS 6
#define SHAFT_STEPS    24

// Per point of the outline, in addition to its radius: the depth of the flutes there, and whether the ring is a
// square.
typedef struct Ring
{
    double flute; // m
    bool square;
} Ring;

typedef struct Column
{
    double radius, height; // of the shaft's foot; of the whole
    uint32_t flutes;
    rblProfile profile;
    RBL_ARRAY(Ring) rings;
} Column;

// Complete `rings` up to the points added so far.
static void mark(Column* c, double flute, bool square)
{
    const Ring ring = {flute, square};
    while (!c->profile.failed && c->rings.count < c->profile.points.count)
    {
        c->profile.failed = !rbl_array_push(&c->rings, ring);
    }
}

static void add_round_point(Column* c, double r, double y)
{
    rbl_profile_point(&c->profile, r, y);
    mark(c, 0.0, false);
}

// A slab with a square outline; `r` is half its width.
static void add_square_slab(Column* c, double r, double low, double high)
{
    rbl_profile_point(&c->profile, r, low);
    rbl_profile_point(&c->profile, r, high);
    mark(c, 0.0, true);
}

static void add_torus_moulding(Column* c, double r, double low, double high)
{
    add_round_point(c, r, low);
    rbl_profile_half_circle(&c->profile, (rblProfilePoint){r, high}, MOULDING_STEPS);
    mark(c, 0.0, false);
}

// Plinth, torus, scotia, torus, fillet. Returns the height of the base; `m` is the radius of the shaft's
// foot.
static double add_base(Column* c)
{
    const double m = c->radius;
    add_square_slab(c, 1.42 * m, 0.0, 0.30 * m);
    add_torus_moulding(c, 1.24 * m, 0.30 * m, 0.52 * m);
    add_round_point(c, 1.20 * m, 0.52 * m);
    rbl_profile_curve(&c->profile, (rblProfilePoint){1.06 * m, 0.54 * m},
                      (rblProfilePoint){1.06 * m, 0.66 * m}, (rblProfilePoint){1.14 * m, 0.68 * m},
                      MOULDING_STEPS);
    mark(c, 0.0, false);
    add_torus_moulding(c, 1.14 * m, 0.68 * m, 0.82 * m);
    add_round_point(c, 1.08 * m, 0.82 * m);
    add_round_point(c, 1.08 * m, 0.88 * m);
    return 0.88 * m;
}

// The radius of the shaft at t = 0 .. 1 of its height: nearly constant at the bottom, then decreasing (entasis) to
// 5/6, as Vitruvius (III.3.12) gives it for columns of medium height.
static double shaft_radius(const Column* c, double t)
{
    const double s = t < 0.25 ? 0.0 : (t - 0.25) / 0.75;
    return c->radius * (1.0 - s * s / 6.0);
}

static void add_shaft(Column* c, double low, double high)
{
    const double depth = c->flutes > 0 ? 0.9 * c->radius / c->flutes : 0.0;
    const double fade = rbl_mind(0.35 * c->radius / (high - low), 0.25); // flutes have rounded ends
    for (uint32_t i = 0; i <= SHAFT_STEPS; ++i)
    {
        // Steps are denser towards both ends, where the flutes begin and end.
        const double x = (double)i / SHAFT_STEPS;
        const double t = x * x * (3.0 - 2.0 * x);
        const double ends = rbl_clampd(rbl_mind(t, 1.0 - t) / fade, 0.0, 1.0);
        rbl_profile_point(&c->profile, shaft_radius(c, t), low + t * (high - low));
        mark(c, depth * sqrt(ends * (2.0 - ends)), false);
    }
}

// Astragal, neck, echinus, abacus, between the top of the shaft and the top of the column.
static void add_capital(Column* c, double low)
{
    const double m = shaft_radius(c, 1.0);
    add_torus_moulding(c, 1.02 * m, low, low + 0.10 * m);
    add_round_point(c, m, low + 0.10 * m);
    add_round_point(c, m, low + 0.28 * m);
    add_round_point(c, 1.08 * m, low + 0.28 * m);
    rbl_profile_curve(&c->profile, (rblProfilePoint){1.24 * m, low + 0.34 * m},
                      (rblProfilePoint){1.34 * m, low + 0.44 * m},
                      (rblProfilePoint){1.36 * m, low + 0.56 * m}, MOULDING_STEPS);
    mark(c, 0.0, false);
    add_square_slab(c, 1.44 * m, low + 0.56 * m, low + 0.84 * m);
}

static double capital_height(const Column* c)
{
    return 0.84 * shaft_radius(c, 1.0);
}

static void add_outline(Column* c)
{
    rbl_profile_point(&c->profile, 0.0, 0.0);
    mark(c, 0.0, false);
    const double shaft_low = add_base(c);
    const double shaft_high = c->height - capital_height(c);
    add_shaft(c, shaft_low, shaft_high);
    add_capital(c, shaft_high);
    const double top =
        c->profile.points.count > 0 ? c->profile.points.data[c->profile.points.count - 1].y : 0.0;
    rbl_profile_point(&c->profile, 0.0, top);
    mark(c, 0.0, false);
}

// Flutes meet in sharp edges (arrises); the cross-section of each is a parabola.
static double ring_radius(uint32_t point, uint32_t step, uint32_t segments, void* context)
{
    const Column* c = context;
    const Ring* ring = &c->rings.data[point];
    const double r = c->profile.points.data[point].r;
    if (ring->square)
    {
        const rblCirclePoint p = rbl_circle_point(step, segments);
        return r / rbl_maxd(fabs(p.c), fabs(p.s));
    }
    if (ring->flute > 0.0)
    {
        const uint32_t per_flute = segments / c->flutes;
        const double t = (double)(step % per_flute) / (double)per_flute;
        return r - ring->flute * 4.0 * t * (1.0 - t);
    }
    return r;
}

// Squares need a vertex on every diagonal (a multiple of 8), flutes one on every arris and at least two
// between.
static uint32_t fitting_segments(uint32_t wanted, uint32_t flutes)
{
    const uint32_t step = flutes > 0 ? flutes : 1;
    uint32_t segments = step * (flutes > 0 ? 3 : 8);
    while (segments < wanted || segments % 8 != 0)
    {
        segments += step;
    }
    return segments;
}

rblResult rbl_make_solid_column(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    Column c = {.radius = rbl_solid_number(input, "radius"),
                .height = rbl_solid_number(input, "height"),
                .flutes = rbl_solid_count(input, "flutes")};
    if (c.height < 4.0 * c.radius)
    {
        return rbl_solid_refuse(input, "height must be at least 4 times the radius");
    }
    if (c.flutes > 0 && c.flutes < 8)
    {
        return rbl_solid_refuse(input, "flutes must be 0, or 8 and more");
    }
    rbl_profile_init(&c.profile, allocator);
    rbl_array_init(&c.rings, allocator);
    add_outline(&c);
    const rblTurning turning = {
        .profile = &c.profile,
        .segments = fitting_segments(rbl_solid_count(input, "segments"), c.flutes),
        .crease_angle = RBL_DEFAULT_CREASE_ANGLE,
        .ring = ring_radius,
        .context = &c,
    };
    const rblResult result = rbl_make_turned(&turning, allocator, out);
    rbl_array_free(&c.rings);
    rbl_profile_free(&c.profile);
    return result;
}
