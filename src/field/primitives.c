// Making primitives.
#include "field/primitives.h"

#include "base/error.h"
#include "math/mat3.h"
#include "math/trig.h"
#include "math/vec.h"
#include "rubble/solids.h"

rblMassProperties rbl_mass_from_inertia(double volume, rblVec3d center, const rblMat3d* inertia)
{
    rblMassProperties mass = {.volume = volume, .mass = volume, .center = center, .inertia = *inertia};
    rbl_eigen_symmetric3d(inertia, &mass.moments, &mass.principal_axes);
    return mass;
}

static rblMassProperties diagonal_mass(double volume, double x, double y, double z)
{
    const rblMat3d inertia = {{x, 0, 0}, {0, y, 0}, {0, 0, z}};
    return rbl_mass_from_inertia(volume, (rblVec3d){0, 0, 0}, &inertia);
}

static rblResult check_size(const char* kind, const char* name, float value)
{
    return value > 0.0f && rbl_finite((double)value)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s must be positive and finite", kind, name);
}

static rblResult check_out(const char* kind, const rblShapeId* out)
{
    return out != NULL ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "%s: out is null", kind);
}

// A solid of the mesh room, stretched to its size: that room refuses what is very small or very large.
static rblResult make_surface(const char* kind, const rblSolidValue* values, uint32_t count, rblVec3d stretch,
                              rblMeshId* out)
{
    rblMeshId plain;
    RBL_TRY(rbl_mesh_make(kind, values, count, &plain));
    const rblMat3d linear = {{stretch.x, 0, 0}, {0, stretch.y, 0}, {0, 0, stretch.z}};
    const rblResult result = rbl_mesh_transform(plain, &linear, (rblVec3d){0, 0, 0}, out);
    rbl_mesh_destroy(plain);
    return result;
}

// Everything is set but data and surface, which `made` and the caller hold.
static rblResult register_primitive(rblShape* parts, const rblPrimitive* made, const rblPointArray* samples,
                                    rblShapeId* out)
{
    rblPrimitive* data = rbl_alloc(parts->allocator, sizeof *data);
    if (data == NULL)
    {
        rbl_hull_free(made->hull, parts->allocator);
        if (parts->view.surface.index1 != 0)
        {
            rbl_mesh_destroy(parts->view.surface);
        }
        return rbl_fail_memory();
    }
    *data = *made;
    parts->data = data;
    const size_t bytes = sizeof *data + (made->hull == NULL ? 0 : made->hull->bytes);
    return rbl_shape_register(parts, bytes, samples->data, (uint32_t)samples->count, out);
}

rblResult rbl_shape_create_plane(rblVec3 normal, rblShapeId* out)
{
    RBL_TRY(check_out("plane", out));
    const rblVec3 unit = rbl_normalize3(normal, (rblVec3){0, 0, 0});
    if (!rbl_finite3(normal) || rbl_dot3(unit, unit) == 0.0f)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "plane: normal must be finite and not zero");
    }
    rblShape parts = {.ops = &rbl_plane_ops, .allocator = rbl_default_allocator()};
    const rblVec3 far_off = {INFINITY, INFINITY, INFINITY};
    parts.view = (rblShapeView){.kind = RBL_SHAPE_PLANE,
                                .convex = true,
                                .bounds = {rbl_neg3(far_off), far_off},
                                .radius = INFINITY,
                                .inner_radius = INFINITY,
                                .thinnest = INFINITY};
    const rblPrimitive plane = {.normal = unit};
    parts.recipe = (rblShapeRecipe){.numbers = {normal.x, normal.y, normal.z}};
    rblPointArray samples;
    rbl_array_init(&samples, parts.allocator);
    return register_primitive(&parts, &plane, &samples, out);
}

// Register a round primitive: samples are taken here, `sample` fills them.
static rblResult register_round(rblShape* parts, const rblPrimitive* made,
                                bool (*sample)(const rblPrimitive*, rblPointArray*), rblShapeId* out)
{
    rblPointArray samples;
    rbl_array_init(&samples, parts->allocator);
    rblResult result;
    if (sample(made, &samples))
    {
        result = register_primitive(parts, made, &samples, out);
    }
    else
    {
        rbl_mesh_destroy(parts->view.surface);
        result = rbl_fail_memory();
    }
    rbl_array_free(&samples);
    return result;
}

static rblShape bounded_parts(rblShapeKind kind, const rblShapeOps* ops, rblRolling rolling, rblVec3 half)
{
    rblShape parts = {.ops = ops, .allocator = rbl_default_allocator()};
    parts.view.kind = kind;
    parts.view.rolling = rolling;
    parts.view.convex = true;
    parts.view.bounded = true;
    parts.view.bounds = (rblAabb){rbl_neg3(half), half};
    parts.view.inner_radius = rbl_minf(half.x, rbl_minf(half.y, half.z));
    parts.view.thinnest = 2.0f * parts.view.inner_radius;
    return parts;
}

rblResult rbl_shape_create_sphere(float radius, rblShapeId* out)
{
    RBL_TRY(check_out("sphere", out));
    RBL_TRY(check_size("sphere", "radius", radius));
    rblShape parts = bounded_parts(RBL_SHAPE_SPHERE, &rbl_sphere_ops, RBL_ROLLS_AS_BALL,
                                   (rblVec3){radius, radius, radius});
    const double r = (double)radius;
    const double volume = 4.0 / 3.0 * RBL_PI * r * r * r;
    const double moment = 0.4 * volume * r * r;
    parts.view.mass = diagonal_mass(volume, moment, moment, moment);
    parts.view.radius = radius;
    parts.recipe = (rblShapeRecipe){.numbers = {radius}};
    const double one = 1.0;
    RBL_TRY(make_surface("icosphere", &(rblSolidValue){"radius", &one, 1}, 1, (rblVec3d){r, r, r},
                         &parts.view.surface));
    return register_round(&parts, &(rblPrimitive){.radius = radius}, rbl_sample_sphere, out);
}

// A barrel and two half balls, each about its own centre of mass and moved out by Steiner's theorem.
static rblMassProperties capsule_mass(double r, double half)
{
    const double barrel = 2.0 * RBL_PI * r * r * half;
    const double balls = 4.0 / 3.0 * RBL_PI * r * r * r;
    const double along = 0.5 * barrel * r * r + 0.4 * balls * r * r;
    const double across =
        barrel * (r * r / 4.0 + half * half / 3.0) + balls * (0.4 * r * r + half * half + 0.75 * half * r);
    return diagonal_mass(barrel + balls, across, along, across);
}

rblResult rbl_shape_create_capsule(float radius, float height, rblShapeId* out)
{
    RBL_TRY(check_out("capsule", out));
    RBL_TRY(check_size("capsule", "radius", radius));
    RBL_TRY(check_size("capsule", "height", height));
    const float half = 0.5f * height - radius;
    if (!(half >= 0.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "capsule: height must be at least twice the radius");
    }
    rblShape parts = bounded_parts(RBL_SHAPE_CAPSULE, &rbl_capsule_ops, RBL_ROLLS_ALWAYS,
                                   (rblVec3){radius, 0.5f * height, radius});
    parts.view.mass = capsule_mass((double)radius, (double)half);
    parts.view.radius = 0.5f * height;
    parts.recipe = (rblShapeRecipe){.numbers = {radius, height}};
    // Between the limits of the mesh room this leaves room for capsules a million times as long as thick.
    const double scale = 0.005 / (double)radius;
    const double values[2] = {0.005, rbl_maxd((double)height * scale, 0.01)};
    const rblSolidValue solid[2] = {{"radius", &values[0], 1}, {"height", &values[1], 1}};
    const rblVec3d stretch = {1.0 / scale, 1.0 / scale, 1.0 / scale};
    RBL_TRY(make_surface("capsule", solid, 2, stretch, &parts.view.surface));
    return register_round(&parts, &(rblPrimitive){.radius = radius, .half_height = half}, rbl_sample_capsule,
                          out);
}

rblResult rbl_shape_create_cylinder(float radius, float height, rblShapeId* out)
{
    RBL_TRY(check_out("cylinder", out));
    RBL_TRY(check_size("cylinder", "radius", radius));
    RBL_TRY(check_size("cylinder", "height", height));
    const float half = 0.5f * height;
    rblShape parts = bounded_parts(RBL_SHAPE_CYLINDER, &rbl_cylinder_ops, RBL_ROLLS_LYING,
                                   (rblVec3){radius, half, radius});
    const double r = (double)radius;
    const double h = (double)height;
    const double volume = RBL_PI * r * r * h;
    const double across = volume * (r * r / 4.0 + h * h / 12.0);
    parts.view.mass = diagonal_mass(volume, across, 0.5 * volume * r * r, across);
    parts.view.radius = (float)sqrt(r * r + 0.25 * h * h);
    parts.recipe = (rblShapeRecipe){.numbers = {radius, height}};
    const double one[2] = {1.0, 1.0};
    const rblSolidValue solid[2] = {{"radius", &one[0], 1}, {"height", &one[1], 1}};
    RBL_TRY(make_surface("cylinder", solid, 2, (rblVec3d){r, h, r}, &parts.view.surface));
    return register_round(&parts, &(rblPrimitive){.radius = radius, .half_height = half}, rbl_sample_cylinder,
                          out);
}

static rblResult box_samples_and_id(rblShape* parts, const rblPrimitive* made, rblShapeId* out)
{
    rblPointArray samples;
    rbl_array_init(&samples, parts->allocator);
    rblResult result;
    if (rbl_sample_hull(made->hull, &samples))
    {
        result = register_primitive(parts, made, &samples, out);
    }
    else
    {
        rbl_hull_free(made->hull, parts->allocator);
        rbl_mesh_destroy(parts->view.surface);
        result = rbl_fail_memory();
    }
    rbl_array_free(&samples);
    return result;
}

rblResult rbl_shape_create_box(rblVec3 size, rblShapeId* out)
{
    RBL_TRY(check_out("box", out));
    RBL_TRY(check_size("box", "size", size.x));
    RBL_TRY(check_size("box", "size", size.y));
    RBL_TRY(check_size("box", "size", size.z));
    const rblVec3 half = rbl_scale3(size, 0.5f);
    rblShape parts = bounded_parts(RBL_SHAPE_BOX, &rbl_box_ops, RBL_ROLLS_NOT, half);
    const rblVec3d s = rbl_to_double3(size);
    const double volume = s.x * s.y * s.z;
    const double part = volume / 12.0;
    parts.view.mass = diagonal_mass(volume, part * (s.y * s.y + s.z * s.z), part * (s.x * s.x + s.z * s.z),
                                    part * (s.x * s.x + s.y * s.y));
    parts.view.radius = (float)(0.5 * rbl_length3d(s));
    parts.recipe = (rblShapeRecipe){.numbers = {size.x, size.y, size.z}};
    const double one[3] = {1.0, 1.0, 1.0};
    rblPrimitive box = {.half = half};
    RBL_TRY(rbl_hull_box(half, parts.allocator, &box.hull));
    const rblResult result = make_surface("box", &(rblSolidValue){"size", one, 3}, 1, s, &parts.view.surface);
    if (result != RBL_OK)
    {
        rbl_hull_free(box.hull, parts.allocator);
        return result;
    }
    return box_samples_and_id(&parts, &box, out);
}
