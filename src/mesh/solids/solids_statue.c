// The statue: a stone giant of blended blocks, after the figures of Rapa Nui, on a plinth with sharp edges.
#include "base/error.h"
#include "mesh/solids/solids_field.h"
#include "mesh/solids/solids_implicit.h"

// Modelled one unit high, looking along +z, standing on y = 0, symmetric about x = 0.
typedef struct Statue
{
    double scale; // metres per model unit
} Statue;

// Size of the head relative to its own model: these figures have large heads.
#define HEAD_SCALE 1.2

// ---- head, in its own frame: upright, y = 0 at the chin; the whole head is tilted back a little ----

static double skull_field(rblVec3d m)
{
    // Narrower towards the top and, at the back, towards the neck.
    const double taper = 1.0 + 0.22 * m.y;
    const rblVec3d q = {m.x * taper, m.y, m.z};
    double d = rbl_field_box(q, rbl_vec3d(0, 0.19, 0.0), rbl_vec3d(0.098, 0.19, 0.088), 0.045);
    d = rbl_field_blend(d, rbl_field_ellipsoid(m, rbl_vec3d(0, 0.032, 0.062), rbl_vec3d(0.080, 0.046, 0.052)),
                        0.04);
    return d;
}

// One bar over both eyes, lower at its ends.
static double brow_field(rblVec3d m)
{
    return rbl_field_limb(m, rbl_vec3d(0.0, 0.284, 0.088), rbl_vec3d(0.074, 0.270, 0.070), 0.031, 0.027);
}

static double nose_field(rblVec3d m)
{
    double d = rbl_field_limb(m, rbl_vec3d(0, 0.285, 0.088), rbl_vec3d(0, 0.150, 0.128), 0.019, 0.026);
    d = rbl_field_blend(d, rbl_field_ball(m, rbl_vec3d(0.030, 0.140, 0.104), 0.022), 0.02);
    return d;
}

static double lips_field(rblVec3d m)
{
    const double upper = rbl_field_ellipsoid(m, rbl_vec3d(0, 0.093, 0.088), rbl_vec3d(0.056, 0.018, 0.032));
    const double lower = rbl_field_ellipsoid(m, rbl_vec3d(0, 0.058, 0.090), rbl_vec3d(0.050, 0.018, 0.032));
    return rbl_field_union(upper, lower);
}

static double ear_field(rblVec3d m)
{
    const double rim =
        rbl_field_ellipsoid(m, rbl_vec3d(0.100, 0.215, -0.012), rbl_vec3d(0.022, 0.085, 0.036));
    const double lobe =
        rbl_field_ellipsoid(m, rbl_vec3d(0.104, 0.118, -0.008), rbl_vec3d(0.022, 0.045, 0.030));
    return rbl_field_blend(rim, lobe, 0.03);
}

static double head_field(rblVec3d m)
{
    double d = skull_field(m);
    d = rbl_field_blend(d, brow_field(m), 0.025);
    d = rbl_field_carve(
        d, rbl_field_ellipsoid(m, rbl_vec3d(0.046, 0.228, 0.105), rbl_vec3d(0.036, 0.026, 0.040)), 0.02);
    d = rbl_field_blend(d, nose_field(m), 0.02);
    d = rbl_field_blend(d, lips_field(m), 0.012);
    d = rbl_field_blend(d, ear_field(m), 0.015);
    return d;
}

// ---- body ----

static double arm_field(rblVec3d m)
{
    static const rblVec3d shoulder = {0.142, 0.350, -0.012};
    static const rblVec3d elbow = {0.166, 0.225, -0.005};
    static const rblVec3d wrist = {0.112, 0.178, 0.088};
    const double upper = rbl_field_limb(m, shoulder, elbow, 0.050, 0.040);
    const double lower = rbl_field_limb(m, elbow, wrist, 0.040, 0.028);
    return rbl_field_blend(upper, lower, 0.02);
}

// Long fingers on the belly, pointing to each other.
static double hand_field(rblVec3d m)
{
    double d = (double)INFINITY;
    for (uint32_t i = 0; i < 3; ++i)
    {
        const double y = 0.150 + 0.032 * i;
        const rblVec3d knuckle = {0.102, y + 0.010, 0.094};
        const rblVec3d tip = {0.026, y, 0.116};
        d = rbl_field_union(d, rbl_field_limb(m, knuckle, tip, 0.0175, 0.0150));
    }
    return d;
}

static double body_field(rblVec3d m)
{
    const double widening = 1.0 - 0.5 * (m.y - 0.24);
    const rblVec3d q = {m.x * widening, m.y, m.z};
    double d = rbl_field_box(q, rbl_vec3d(0, 0.22, -0.01), rbl_vec3d(0.135, 0.18, 0.092), 0.05);
    d = rbl_field_blend(d, rbl_field_ellipsoid(m, rbl_vec3d(0, 0.19, 0.035), rbl_vec3d(0.105, 0.09, 0.078)),
                        0.05);
    d = rbl_field_blend(d, arm_field(m), 0.026);
    return rbl_field_blend(d, hand_field(m), 0.008);
}

static double plinth_field(rblVec3d m)
{
    const double foot = rbl_field_box(m, rbl_vec3d(0, 0.03, 0.0), rbl_vec3d(0.21, 0.03, 0.165), 0.0);
    const double block = rbl_field_box(m, rbl_vec3d(0, 0.06, 0.0), rbl_vec3d(0.18, 0.06, 0.135), 0.0);
    return rbl_field_union(foot, block);
}

// The red topknot of some of these figures.
static double topknot_field(rblVec3d m)
{
    const double hat = rbl_field_disc(m, rbl_vec3d(0, 0.388, -0.002), 0.118, 0.044, 0.016);
    const double knob = rbl_field_disc(m, rbl_vec3d(0, 0.445, -0.002), 0.056, 0.040, 0.014);
    return rbl_field_union(hat, knob);
}

static double statue_field(rblVec3d point, void* context)
{
    const Statue* statue = context;
    const rblVec3d m = {fabs(point.x) / statue->scale, point.y / statue->scale, point.z / statue->scale};
    // Tilted back by about 6 degrees (sine and cosine as constants), with the chin forward.
    const double y = m.y - 0.415;
    const double z = m.z - 0.030;
    const rblVec3d h =
        rbl_scale3d(rbl_vec3d(m.x, 0.9945 * y - 0.1045 * z, 0.9945 * z + 0.1045 * y), 1.0 / HEAD_SCALE);
    double d = body_field(m);
    d = rbl_field_blend(d, rbl_field_limb(m, rbl_vec3d(0, 0.36, 0), rbl_vec3d(0, 0.48, 0), 0.085, 0.085),
                        0.03);
    d = rbl_field_blend(d, HEAD_SCALE * head_field(h), 0.03);
    d = rbl_field_union(d, HEAD_SCALE * topknot_field(h));
    d = rbl_field_union(d, plinth_field(m));
    return d * statue->scale;
}

rblResult rbl_make_solid_statue(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double height = rbl_solid_number(input, "height");
    Statue statue = {.scale = height};
    RBL_TRY(rbl_check_sculpture_triangles(input));
    const rblSculpture sculpture = {
        .field = statue_field,
        .context = &statue,
        .bounds = {{-0.22 * height, 0.0, -0.17 * height}, {0.22 * height, height, 0.2 * height}},
        .cell = height / rbl_solid_number(input, "resolution"),
        .triangles = rbl_solid_count(input, "triangles"),
        .height = rbl_solid_number(input, "height"),
        .crease_angle = 0.8,
    };
    return rbl_make_sculpture(&sculpture, allocator, out);
}
