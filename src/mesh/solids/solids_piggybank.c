// The piggy bank: a field of blended balls and limbs, hollowed, with a slot for coins.
#include "base/error.h"
#include "math/trig.h"
#include "mesh/solids/solids_field.h"
#include "mesh/solids/solids_implicit.h"

// The pig is modelled with a body 0.8 units long, looking along +z, standing on y = GROUND, symmetric about x
// = 0 but for its tail. Lengths below are model units.
#define SNOUT_END    0.62
#define TAIL_END     (-0.57)
#define MODEL_LENGTH (SNOUT_END - TAIL_END)
#define GROUND       0.06

// Straight pieces of the tail, 1 1/4 turns: 19 degrees each.
#define TAIL_PIECES 24

// An ear's own axes.
typedef struct Frame
{
    rblVec3d root, across, along, forward;
} Frame;

typedef struct Pig
{
    double scale; // metres per model unit
    double thickness;
    double slot, slot_width; // half lengths; 0: no slot
    Frame ear;
    rblVec3d tail[TAIL_PIECES + 1];
} Pig;

static const rblVec3d body_centre = {0, 0.385, -0.01};
static const rblVec3d body_radii = {0.345, 0.315, 0.40};
static const rblVec3d head_centre = {0, 0.455, 0.30};
static const rblVec3d head_radii = {0.245, 0.23, 0.215};

// One turn and a quarter of a corkscrew that starts in the middle of the rump.
static void lay_tail(Pig* pig)
{
    for (uint32_t i = 0; i <= TAIL_PIECES; ++i)
    {
        const double t = (double)i / TAIL_PIECES;
        const double angle = 2.5 * RBL_PI * t;
        const double radius = 0.066 * rbl_mind(1.0, 4.0 * t);
        pig->tail[i] = rbl_vec3d(radius * rbl_sin(angle), 0.46 + radius * (1.0 - rbl_cos(angle)) * 0.9,
                                 -0.38 - 0.165 * t);
    }
}

// The ear points upwards and outwards, and is folded over towards the front.
static void lay_ear(Pig* pig)
{
    const rblVec3d fallback = {0, 1, 0};
    const rblVec3d along = rbl_normalize3d(rbl_vec3d(0.48, 0.86, 0.10), fallback);
    const rblVec3d forward = rbl_normalize3d(rbl_vec3d(0.30, -0.10, 0.95), fallback);
    const rblVec3d across = rbl_normalize3d(rbl_cross3d(along, forward), fallback);
    pig->ear = (Frame){{0.135, 0.60, 0.27}, across, along, rbl_cross3d(across, along)};
}

static double tail_field(const Pig* pig, rblVec3d p)
{
    // Most of the grid is far from the tail; any lower bound of the distance is sufficient there.
    const double from_ball = rbl_field_ball(p, rbl_vec3d(0, 0.52, -0.46), 0.17);
    if (from_ball > 0.05)
    {
        return from_ball;
    }
    double nearest = (double)INFINITY;
    for (uint32_t i = 0; i < TAIL_PIECES; ++i)
    {
        const double begin = 0.034 - 0.010 * (double)i / TAIL_PIECES;
        const double end = 0.034 - 0.010 * (double)(i + 1) / TAIL_PIECES;
        nearest = rbl_field_union(nearest, rbl_field_limb(p, pig->tail[i], pig->tail[i + 1], begin, end));
    }
    return nearest;
}

static double leg_field(rblVec3d m, double x, double z)
{
    const rblVec3d foot = {x, GROUND + 0.02, z};
    const rblVec3d hip = {0.85 * x, 0.26, 0.85 * z};
    return rbl_field_limb(m, foot, hip, 0.09, 0.12);
}

// A flattened cone, bent forward and hollowed in front. `m` has |x|.
static double ear_field(const Frame* ear, rblVec3d m)
{
    const rblVec3d q = rbl_sub3d(m, ear->root);
    const double up = rbl_dot3d(q, ear->along);
    const double bend = 2.4 * rbl_maxd(up, 0.0) * rbl_maxd(up, 0.0);
    const rblVec3d local = {rbl_dot3d(q, ear->across), up, rbl_dot3d(q, ear->forward) - bend};
    const rblVec3d flat = {local.x, local.y, 1.7 * local.z};
    const double whole = rbl_field_limb(flat, rbl_vec3d(0, 0.0, 0), rbl_vec3d(0, 0.15, 0), 0.118, 0.05) / 1.3;
    const double hollow = rbl_field_ellipsoid(local, rbl_vec3d(0, 0.06, 0.085), rbl_vec3d(0.060, 0.09, 0.06));
    return rbl_field_carve(whole, hollow, 0.03);
}

static double snout_field(rblVec3d m)
{
    // Discs stand upright: y of the disc is the forward direction of the pig, tilted up a little.
    const rblVec3d turned = {m.x, m.z - 0.10 * (m.y - 0.41), 1.15 * m.y};
    const double snout = rbl_field_disc(turned, rbl_vec3d(0, 0.525, 0.41 * 1.15), 0.122, 0.09, 0.035);
    const double nostril =
        rbl_field_ellipsoid(m, rbl_vec3d(0.051, 0.415, 0.640), rbl_vec3d(0.031, 0.046, 0.055));
    return rbl_field_carve(snout, nostril, 0.02);
}

// Two cheeks under the snout. They are blended with the face above and leave a crease below, between each other and
// against the chin: the mouth. The grid keeps a crease sharp at any resolution; a groove would need cells smaller
// than its width.
static double add_mouth(double d, rblVec3d m)
{
    const double chop =
        rbl_field_ellipsoid(m, rbl_vec3d(0.080, 0.330, 0.425), rbl_vec3d(0.105, 0.090, 0.100));
    const double melt = rbl_clampd((m.y - 0.29) / 0.08, 0.0, 1.0);
    return rbl_field_blend(d, chop, 0.006 + 0.08 * melt);
}

// Everything except the cavity and the slot. `m` is p with |x|, since left and right are equal.
static double outside_field(const Pig* pig, rblVec3d p)
{
    const rblVec3d m = {fabs(p.x), p.y, p.z};
    double d = rbl_field_ellipsoid(m, body_centre, body_radii);
    d = rbl_field_blend(d, rbl_field_ellipsoid(m, head_centre, head_radii), 0.10);
    d = rbl_field_blend(d, rbl_field_ball(m, rbl_vec3d(0.125, 0.385, 0.36), 0.125), 0.06);
    d = add_mouth(d, m);
    d = rbl_field_blend(d, ear_field(&pig->ear, m), 0.035);
    d = rbl_field_blend(d, snout_field(m), 0.035);
    d = rbl_field_union(d, rbl_field_ball(m, rbl_vec3d(0.112, 0.566, 0.460), 0.045));
    d = rbl_field_blend(d, leg_field(m, 0.19, 0.19), 0.05);
    d = rbl_field_blend(d, leg_field(m, 0.19, -0.22), 0.05);
    d = rbl_field_blend(d, tail_field(pig, p), 0.03);
    return rbl_field_intersection(d, GROUND - p.y);
}

static double pig_field(rblVec3d point, void* context)
{
    const Pig* pig = context;
    const rblVec3d p = {point.x / pig->scale, point.y / pig->scale + GROUND, point.z / pig->scale};
    const double t = pig->thickness;
    const rblVec3d hollow = {body_radii.x - t, body_radii.y - t, body_radii.z - t};
    double d = rbl_field_difference(outside_field(pig, p), rbl_field_ellipsoid(p, body_centre, hollow));
    if (pig->slot > 0.0)
    {
        const double top = body_centre.y + body_radii.y;
        const rblVec3d middle = {0, top, -0.04};
        const rblVec3d half = {pig->slot_width, t + 0.05, pig->slot};
        d = rbl_field_difference(d, rbl_field_box(p, middle, half, 0.0));
    }
    return d * pig->scale;
}

rblResult rbl_make_solid_piggybank(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double scale = rbl_solid_number(input, "length") / MODEL_LENGTH;
    const double cell = MODEL_LENGTH / rbl_solid_number(input, "resolution");
    const double slot = rbl_solid_number(input, "slot");
    Pig pig = {
        .scale = scale,
        .thickness = rbl_solid_number(input, "thickness") / scale,
        .slot = 0.5 * slot * MODEL_LENGTH,
        .slot_width = rbl_maxd(0.02, 1.1 * cell), // a coin is thinner than a cell at low resolutions
    };
    if (pig.thickness < 2.0 * cell)
    {
        return rbl_solid_refuse(
            input, "thickness must be at least twice length / resolution, the size of a grid cell");
    }
    if (pig.thickness > 0.2)
    {
        return rbl_solid_refuse(input, "thickness must be at most a sixth of the length");
    }
    if (slot > 0.0 && slot < 0.1)
    {
        return rbl_solid_refuse(input, "slot must be 0 or at least 0.1");
    }
    RBL_TRY(rbl_check_sculpture_triangles(input));
    lay_tail(&pig);
    lay_ear(&pig);
    const rblSculpture sculpture = {
        .field = pig_field,
        .context = &pig,
        .bounds = {{-0.38 * scale, 0.0, TAIL_END * scale}, {0.38 * scale, 0.76 * scale, SNOUT_END * scale}},
        .cell = cell * scale,
        .triangles = rbl_solid_count(input, "triangles"),
        .length = rbl_solid_number(input, "length"),
        .crease_angle = 0.9,
    };
    return rbl_make_sculpture(&sculpture, allocator, out);
}
