// Tableware: plate, bowl, wine glass, vase. Each is an outline with a few proportions, rotated about the axis.
#include "base/error.h"
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids/solids_profile.h"

// Straight pieces per curve of an outline, and per half circle of a rim.
#define CURVE_STEPS 12
#define RIM_STEPS   6

static rblProfilePoint at(double r, double y)
{
    return (rblProfilePoint){r, y};
}

static void append(rblProfile* profile, const rblProfile* other)
{
    for (size_t i = 0; i < other->points.count; ++i)
    {
        rbl_profile_point(profile, other->points.data[i].r, other->points.data[i].y);
    }
    profile->failed = profile->failed || other->failed;
}

// Continue from the end of the outline around the rim and down the other side of the wall.
static void append_rim_and_back(rblProfile* profile, const rblProfile* inner)
{
    profile->failed = profile->failed || inner->failed;
    if (profile->failed)
    {
        return;
    }
    const size_t count = inner->points.count;
    rbl_profile_half_circle(profile, inner->points.data[count - 1], RIM_STEPS);
    for (size_t i = count; i > 0; --i)
    {
        rbl_profile_point(profile, inner->points.data[i - 1].r, inner->points.data[i - 1].y);
    }
}

// Walls and rims are constructed from their middle lines; this scaling makes the requested size exact.
static void fit_outline(rblProfile* profile, double radius, double height)
{
    double widest = 0.0;
    double top = 0.0;
    for (size_t i = 0; i < profile->points.count; ++i)
    {
        widest = rbl_maxd(widest, profile->points.data[i].r);
        top = rbl_maxd(top, profile->points.data[i].y);
    }
    for (size_t i = 0; i < profile->points.count; ++i)
    {
        profile->points.data[i].r *= radius / widest;
        profile->points.data[i].y *= height / top;
    }
}

// Check the finished outline and rotate it about the axis.
static rblResult turn_vessel(const rblSolidInput* input, rblProfile* profile, double radius,
                             const rblAllocator* allocator, rblMesh** out)
{
    fit_outline(profile, radius, rbl_solid_number(input, "height"));
    RBL_TRY(rbl_profile_require(input, profile, "with these proportions the outline"));
    if (!rbl_profile_is_counter_clockwise(profile->points.data, (uint32_t)profile->points.count))
    {
        return rbl_solid_refuse(input, "with these proportions the outline is inside out");
    }
    const rblTurning turning = {
        .profile = profile,
        .segments = rbl_solid_count(input, "segments"),
        .crease_angle = RBL_DEFAULT_CREASE_ANGLE,
    };
    return rbl_make_turned(&turning, allocator, out);
}

// Scratch curves of one vessel, and its outline.
typedef struct Vessel
{
    rblProfile wall;   // one side of the wall, from the axis (or the foot) to the rim
    rblProfile offset; // the other side
    rblProfile outline;
    double radius; // of the outline, at its widest point
} Vessel;

static void vessel_init(Vessel* vessel, double radius, const rblAllocator* allocator)
{
    vessel->radius = radius;
    rbl_profile_init(&vessel->wall, allocator);
    rbl_profile_init(&vessel->offset, allocator);
    rbl_profile_init(&vessel->outline, allocator);
}

static rblResult vessel_finish(const rblSolidInput* input, Vessel* vessel, rblResult result,
                               const rblAllocator* allocator, rblMesh** out)
{
    if (result == RBL_OK)
    {
        result = turn_vessel(input, &vessel->outline, vessel->radius, allocator, out);
    }
    rbl_profile_free(&vessel->wall);
    rbl_profile_free(&vessel->offset);
    rbl_profile_free(&vessel->outline);
    return result;
}

static rblResult offset_wall(const rblSolidInput* input, Vessel* vessel, double distance)
{
    uint32_t where = 0;
    if (vessel->wall.failed)
    {
        return rbl_fail_memory();
    }
    if (!rbl_profile_offset(vessel->wall.points.data, (uint32_t)vessel->wall.points.count, distance,
                            &vessel->offset, &where))
    {
        return rbl_solid_refuse(input, "thickness is too large for the bends of the wall");
    }
    return vessel->offset.failed ? rbl_fail_memory() : RBL_OK;
}

// Append the part of the underside `wall` outside the foot ring, with the ring in place of the part that it covers.
// The ring is a little narrower at the ground than at the wall.
static void append_wall_on_foot(rblProfile* outline, const rblProfile* wall, double foot, double width)
{
    bool standing = false;
    for (size_t i = 0; i < wall->points.count; ++i)
    {
        const rblProfilePoint p = wall->points.data[i];
        if (p.r > foot - width && !standing)
        {
            const double above =
                outline->points.count > 0 ? outline->points.data[outline->points.count - 1].y : 0.0;
            rbl_profile_point(outline, foot - width, above);
            rbl_profile_point(outline, foot - 0.8 * width, 0.0);
            rbl_profile_point(outline, foot - 0.2 * width, 0.0);
            standing = true;
        }
        if (p.r < foot - width || p.r > foot)
        {
            rbl_profile_point(outline, p.r, p.y);
        }
    }
    outline->failed = outline->failed || wall->failed;
}

// ---- plate ----

rblResult rbl_make_solid_plate(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double radius = rbl_solid_number(input, "radius");
    const double height = rbl_solid_number(input, "height");
    const double thickness = rbl_solid_number(input, "thickness");
    const double ground = 0.5 * thickness; // the middle does not touch the table
    const double rim = height - thickness; // of the underside
    if (rim <= 1.5 * ground)
    {
        return rbl_solid_refuse(input, "height must be more than 1.75 times the thickness");
    }
    Vessel v;
    vessel_init(&v, radius, allocator);
    rbl_profile_point(&v.wall, 0.0, ground);
    rbl_profile_point(&v.wall, 0.30 * radius, ground);
    rbl_profile_point(&v.wall, 0.56 * radius, ground);
    rbl_profile_curve(&v.wall, at(0.62 * radius, ground), at(0.64 * radius, ground + 0.35 * (rim - ground)),
                      at(0.70 * radius, ground + 0.55 * (rim - ground)), CURVE_STEPS);
    rbl_profile_curve(&v.wall, at(0.75 * radius, ground + 0.72 * (rim - ground)),
                      at(0.88 * radius, rim - 0.1 * ground), at(radius - 0.5 * thickness, rim), CURVE_STEPS);
    rblResult result = offset_wall(input, &v, thickness);
    append_wall_on_foot(&v.outline, &v.wall, 0.55 * radius, 0.05 * radius);
    append_rim_and_back(&v.outline, &v.offset);
    return vessel_finish(input, &v, result, allocator, out);
}

// ---- bowl ----

rblResult rbl_make_solid_bowl(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double radius = rbl_solid_number(input, "radius");
    const double height = rbl_solid_number(input, "height");
    const double thickness = rbl_solid_number(input, "thickness");
    const double ground = 0.08 * height;
    const double rim = height - 0.5 * thickness;
    Vessel v;
    vessel_init(&v, radius, allocator);
    rbl_profile_point(&v.wall, 0.0, ground);
    rbl_profile_point(&v.wall, 0.12 * radius, ground);
    rbl_profile_curve(&v.wall, at(0.62 * radius, ground), at(0.97 * radius, 0.42 * height), at(radius, rim),
                      2 * CURVE_STEPS);
    rblResult result = offset_wall(input, &v, thickness);
    append_wall_on_foot(&v.outline, &v.wall, 0.44 * radius, 0.07 * radius);
    append_rim_and_back(&v.outline, &v.offset);
    return vessel_finish(input, &v, result, allocator, out);
}

// ---- vase ----

rblResult rbl_make_solid_vase(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const double belly = rbl_solid_number(input, "radius");
    const double neck = rbl_solid_number(input, "neck");
    const double height = rbl_solid_number(input, "height");
    const double thickness = rbl_solid_number(input, "thickness");
    if (neck >= belly || thickness >= neck)
    {
        return rbl_solid_refuse(input, "neck must lie between thickness and radius");
    }
    const double base = 0.52 * belly;
    const double lip = neck + 0.35 * (belly - neck);
    const double rim = height - 0.5 * thickness;
    Vessel v;
    vessel_init(&v, belly, allocator);
    rbl_profile_point(&v.wall, 0.0, 0.0);
    rbl_profile_point(&v.wall, base, 0.0);
    rbl_profile_curve(&v.wall, at(base + 0.12 * belly, 0.13 * height), at(belly, 0.30 * height),
                      at(belly, 0.48 * height), CURVE_STEPS);
    rbl_profile_curve(&v.wall, at(belly, 0.66 * height), at(neck, 0.66 * height), at(neck, 0.84 * height),
                      CURVE_STEPS);
    rbl_profile_curve(&v.wall, at(neck, 0.91 * height), at(neck + 0.3 * (lip - neck), 0.97 * height),
                      at(lip, rim), CURVE_STEPS);
    rblResult result = offset_wall(input, &v, thickness);
    append(&v.outline, &v.wall);
    append_rim_and_back(&v.outline, &v.offset);
    return vessel_finish(input, &v, result, allocator, out);
}

// ---- wine glass ----

typedef struct WineGlass
{
    double bowl, stem, foot; // radii
    double height, thickness;
    double bottom; // height of the bowl's inside
} WineGlass;

// The inside of the bowl from the axis to the rim: round at the bottom, a little narrower at the mouth.
static void add_bowl_inside(const WineGlass* g, rblProfile* wall)
{
    const double depth = g->height - 0.5 * g->thickness - g->bottom;
    const double inside = g->bowl - g->thickness;
    rbl_profile_point(wall, 0.0, g->bottom);
    rbl_profile_curve(wall, at(0.60 * inside, g->bottom), at(inside, g->bottom + 0.20 * depth),
                      at(inside, g->bottom + 0.44 * depth), 2 * CURVE_STEPS);
    rbl_profile_curve(wall, at(inside, g->bottom + 0.68 * depth), at(0.86 * inside, g->bottom + 0.86 * depth),
                      at(0.80 * inside, g->bottom + depth), CURVE_STEPS);
}

static void add_foot_and_stem(const WineGlass* g, rblProfile* outline)
{
    const double edge = 0.5 * g->thickness + 0.004 * g->height;
    const double dome = 0.05 * g->height;
    rbl_profile_point(outline, 0.0,
                      0.5 * edge); // concave underneath, so that it stands on its edge
    rbl_profile_curve(outline, at(0.4 * g->foot, 0.45 * edge), at(0.6 * g->foot, 0.0),
                      at(0.93 * g->foot, 0.0), 6);
    rbl_profile_point(outline, g->foot - 0.5 * edge, 0.0);
    rbl_profile_half_circle(outline, at(g->foot - 0.5 * edge, edge), RIM_STEPS);
    rbl_profile_curve(outline, at(0.5 * g->foot, edge + 0.25 * dome), at(1.3 * g->stem, edge + 0.45 * dome),
                      at(g->stem, edge + 1.6 * dome), CURVE_STEPS);
}

// From the stem upwards, in one curve, to the outside of the bowl.
static void add_bowl_outside(const WineGlass* g, const rblProfile* outside, rblProfile* outline)
{
    size_t join = 1;
    while (join + 1 < outside->points.count && outside->points.data[join].r < 0.5 * g->bowl)
    {
        ++join;
    }
    const rblProfilePoint end = outside->points.data[join];
    const rblProfilePoint before = outside->points.data[join - 1];
    const double begin = g->bottom - g->thickness - 0.085 * g->height;
    const double reach = 0.72 * (end.r - g->stem) / (end.r - before.r);
    rbl_profile_point(outline, 0.88 * g->stem, begin);
    rbl_profile_curve(outline, at(0.88 * g->stem, begin + 0.05 * g->height),
                      at(end.r - reach * (end.r - before.r), end.y - reach * (end.y - before.y)), end,
                      CURVE_STEPS);
    for (size_t i = join + 1; i < outside->points.count; ++i)
    {
        rbl_profile_point(outline, outside->points.data[i].r, outside->points.data[i].y);
    }
}

static WineGlass read_wine_glass(const rblSolidInput* input)
{
    WineGlass g = {.bowl = rbl_solid_number(input, "radius"),
                   .stem = rbl_solid_number(input, "stem"),
                   .foot = rbl_solid_number(input, "foot"),
                   .height = rbl_solid_number(input, "height"),
                   .thickness = rbl_solid_number(input, "thickness")};
    g.bottom = 0.47 * g.height + g.thickness;
    return g;
}

static rblResult check_wine_glass(const rblSolidInput* input, const WineGlass* g)
{
    if (g->stem >= 0.4 * g->bowl || g->stem >= 0.4 * g->foot)
    {
        return rbl_solid_refuse(input, "stem must be less than 0.4 times radius and foot");
    }
    if (g->thickness >= 0.4 * g->bowl)
    {
        return rbl_solid_refuse(input, "thickness must be less than 0.4 times the radius");
    }
    return RBL_OK;
}

rblResult rbl_make_solid_wineglass(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    const WineGlass g = read_wine_glass(input);
    RBL_TRY(check_wine_glass(input, &g));
    Vessel v;
    vessel_init(&v, rbl_maxd(g.bowl, g.foot), allocator);
    add_bowl_inside(&g, &v.wall);
    rblResult result = offset_wall(input, &v, -g.thickness);
    if (result == RBL_OK)
    {
        add_foot_and_stem(&g, &v.outline);
        add_bowl_outside(&g, &v.offset, &v.outline);
        append_rim_and_back(&v.outline, &v.wall);
    }
    return vessel_finish(input, &v, result, allocator, out);
}
