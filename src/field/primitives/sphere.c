// Balls.
#include "base/error.h"
#include "field/primitives/primitive.h"
#include "field/shape_codec.h"
#include "field/shape_keys.h"
#include "math/trig.h"

extern const rblShapeKind rbl_sphere_kind;

typedef struct Sphere
{
    float radius;
    rblPrimitiveEntry entry;
} Sphere;

static float sphere_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const Sphere* sphere = data;
    const float length = rbl_length3(point);
    *gradient = rbl_unit_or(point, length, (rblVec3){0, 1, 0});
    return length - sphere->radius;
}

static rblVec3 sphere_support(const void* data, rblVec3 direction)
{
    const Sphere* sphere = data;
    return rbl_scale3(rbl_normalize3(direction, (rblVec3){0, 1, 0}), sphere->radius);
}

static bool sphere_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const Sphere* sphere = data;
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    double t;
    if (!rbl_ray_ball(o, d, (double)sphere->radius, &t))
    {
        return false;
    }
    hit->t = (float)t;
    hit->normal = rbl_to_float3(rbl_normalize3d(rbl_mul_add3d(o, t, d), (rblVec3d){0, 1, 0}));
    return true;
}

static rblAabb bounds_at(const rblShape* shape, rblTransform pose)
{
    const float radius = shape->view.radius;
    return rbl_rounded_box(pose.p, (rblVec3){radius, radius, radius});
}

static bool add_samples(const rblShape* shape, rblPointArray* out)
{
    const Sphere* sphere = shape->data;
    return rbl_sample_capsule((double)sphere->radius, 0.0, out);
}

static rblResult sample(const rblShape* shape, rblSampleTree** out)
{
    return rbl_shape_make_tree(shape, add_samples, out);
}

static rblResult surface(const rblShape* shape, rblMeshId* out)
{
    const double r = (double)((const Sphere*)shape->data)->radius;
    const double one = 1.0;
    const rblSolidValue solid = {"radius", &one, 1};
    return rbl_primitive_surface(&(rblPrimitiveSurface){"icosphere", &solid, 1, {r, r, r}}, out);
}

static void free_sphere(void* data, const rblAllocator* allocator)
{
    rbl_primitive_forget(&((Sphere*)data)->entry);
    rbl_free(allocator, data, sizeof(Sphere));
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    const Sphere* sphere = shape->data;
    rbl_put_floats(sink, &sphere->radius, 1);
    return RBL_OK;
}

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    float radius;
    rbl_take_floats(source, &radius, 1);
    return source->failed ? rbl_shape_fail_damaged(&rbl_sphere_kind) : rbl_shape_create_sphere(radius, out);
}

// ---- scene files ----

typedef struct SphereDef
{
    float radius;
} SphereDef;

static const SphereDef default_def = {0};

static const rblParameter rows[] = {RBL_LENGTH_ROW("radius", SphereDef, radius, "m"),
                                    {.type = RBL_PARAMETER_END}};

static rblResult create(const void* data, rblShapeId* out)
{
    const SphereDef* def = data;
    return rbl_shape_create_sphere(def->radius, out);
}

static const rblShapeKeys keys = {.about = "a ball with its centre at the origin",
                                  .rows = rows,
                                  .def_size = sizeof(SphereDef),
                                  .defaults = &default_def,
                                  .create = create};

const rblShapeKind rbl_sphere_kind = {.name = "sphere",
                                      .code = 2,
                                      .rolling = RBL_ROLLS_AS_BALL,
                                      .joinable = true,
                                      .distance = sphere_distance,
                                      .support = sphere_support,
                                      .bounds_at = bounds_at,
                                      .ray = sphere_ray,
                                      .sample = sample,
                                      .surface = surface,
                                      .keys = &keys,
                                      .put = put,
                                      .take = take,
                                      .free = free_sphere};

rblResult rbl_shape_create_sphere(float radius, rblShapeId* out)
{
    RBL_TRY(rbl_primitive_check_out(&rbl_sphere_kind, out));
    RBL_TRY(rbl_primitive_check_size(&rbl_sphere_kind, "radius", radius));
    const rblVec3 size = {radius, 0, 0};
    rblResult reused;
    if (rbl_primitive_reuse(&rbl_sphere_kind, size, out, &reused))
    {
        return reused;
    }
    rblShape parts = rbl_primitive_parts(&rbl_sphere_kind, (rblVec3){radius, radius, radius}, sizeof(Sphere));
    if (parts.data == NULL)
    {
        return rbl_fail_memory();
    }
    const double r = (double)radius;
    const double volume = 4.0 / 3.0 * RBL_PI * r * r * r;
    const double moment = 0.4 * volume * r * r;
    parts.view.mass = rbl_primitive_mass(volume, moment, moment, moment);
    parts.view.radius = radius;
    parts.core = (rblConvexCore){.form = RBL_CORE_POINT, .rounding = r};
    Sphere* sphere = parts.data;
    sphere->radius = radius;
    return rbl_primitive_register(&parts, sizeof(Sphere), &sphere->entry, size, out);
}
