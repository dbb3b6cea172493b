// Cylinders around the y axis.
#include "base/error.h"
#include "field/primitives/primitive.h"
#include "field/shape_codec.h"
#include "field/shape_keys.h"
#include "math/quat.h"
#include "math/trig.h"

extern const rblShapeKind rbl_cylinder_kind;

typedef struct Cylinder
{
    float radius;
    float half_height;
    float height; // of the definition, m
    rblPrimitiveEntry entry;
} Cylinder;

static float cylinder_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const Cylinder* cylinder = data;
    const float r = sqrtf(point.x * point.x + point.z * point.z);
    const rblVec3 outward = rbl_unit_or((rblVec3){point.x, 0, point.z}, r, (rblVec3){1, 0, 0});
    const rblVec3 up = {0, rbl_with_sign(1.0f, point.y), 0};
    const float side = r - cylinder->radius;
    const float end = fabsf(point.y) - cylinder->half_height;
    if (side <= 0.0f || end <= 0.0f)
    {
        *gradient = side > end ? outward : up;
        return rbl_maxf(side, end);
    }
    const float length = sqrtf(side * side + end * end);
    *gradient = rbl_unit_or(rbl_mul_add3(rbl_scale3(outward, side), end, up), length, outward);
    return length;
}

static rblVec3 cylinder_support(const void* data, rblVec3 direction)
{
    const Cylinder* cylinder = data;
    const rblVec3 flat = rbl_normalize3((rblVec3){direction.x, 0, direction.z}, (rblVec3){1, 0, 0});
    return (rblVec3){flat.x * cylinder->radius, rbl_with_sign(cylinder->half_height, direction.y),
                     flat.z * cylinder->radius};
}

static bool cylinder_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const Cylinder* cylinder = data;
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    const double radius = (double)cylinder->radius;
    rblRaySlabs slabs = rbl_ray_slabs();
    if (!rbl_ray_cross_slab(&slabs, o.y, d.y, (double)cylinder->half_height, (rblVec3){0, 1, 0}))
    {
        return false;
    }
    const double flat = d.x * d.x + d.z * d.z;
    if (flat > 0.0)
    {
        double t_in;
        if (!rbl_ray_barrel(o, d, radius, &t_in))
        {
            return false;
        }
        const double t_middle = -(o.x * d.x + o.z * d.z) / flat;
        if (t_in > slabs.t_in)
        {
            slabs.t_in = t_in;
            slabs.normal = rbl_to_float3(
                rbl_normalize3d((rblVec3d){o.x + t_in * d.x, 0, o.z + t_in * d.z}, (rblVec3d){1, 0, 0}));
        }
        slabs.t_out = rbl_mind(2.0 * t_middle - t_in, slabs.t_out);
    }
    else if (o.x * o.x + o.z * o.z > radius * radius)
    {
        return false;
    }
    hit->t = (float)slabs.t_in;
    hit->normal = slabs.normal;
    return slabs.t_in <= slabs.t_out;
}

static rblAabb bounds_at(const rblShape* shape, rblTransform pose)
{
    const Cylinder* cylinder = shape->data;
    const float radius = cylinder->radius;
    const rblVec3 axis = rbl_rotate3(pose.q, (rblVec3){0, 1, 0});
    const rblVec3 along = {fabsf(axis.x) * cylinder->half_height, fabsf(axis.y) * cylinder->half_height,
                           fabsf(axis.z) * cylinder->half_height};
    const rblVec3 across = {radius * sqrtf(rbl_maxf(1.0f - axis.x * axis.x, 0.0f)),
                            radius * sqrtf(rbl_maxf(1.0f - axis.y * axis.y, 0.0f)),
                            radius * sqrtf(rbl_maxf(1.0f - axis.z * axis.z, 0.0f))};
    // Near an axis the root above is inaccurate: 1 - a^2 has an error of about 2^-23, its root of 2^-11.5.
    const float least = 4e-4f * radius;
    const rblVec3 safe = rbl_add3(across, (rblVec3){least, least, least});
    return rbl_rounded_box(pose.p, rbl_add3(along, safe));
}

static bool add_samples(const rblShape* shape, rblPointArray* out)
{
    const Cylinder* cylinder = shape->data;
    return rbl_sample_cylinder((double)cylinder->radius, (double)cylinder->half_height, out);
}

static rblResult sample(const rblShape* shape, rblSampleTree** out)
{
    return rbl_shape_make_tree(shape, add_samples, out);
}

static rblResult surface(const rblShape* shape, rblMeshId* out)
{
    const Cylinder* cylinder = shape->data;
    const double r = (double)cylinder->radius;
    const double one[2] = {1.0, 1.0};
    const rblSolidValue solid[2] = {{"radius", &one[0], 1}, {"height", &one[1], 1}};
    return rbl_primitive_surface(
        &(rblPrimitiveSurface){"cylinder", solid, 2, {r, (double)cylinder->height, r}}, out);
}

static void free_cylinder(void* data, const rblAllocator* allocator)
{
    rbl_primitive_forget(&((Cylinder*)data)->entry);
    rbl_free(allocator, data, sizeof(Cylinder));
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    const Cylinder* cylinder = shape->data;
    rbl_put_floats(sink, (const float[2]){cylinder->radius, cylinder->height}, 2);
    return RBL_OK;
}

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    float sizes[2];
    rbl_take_floats(source, sizes, 2);
    return source->failed ? rbl_shape_fail_damaged(&rbl_cylinder_kind)
                          : rbl_shape_create_cylinder(sizes[0], sizes[1], out);
}

// ---- scene files ----

typedef struct CylinderDef
{
    float radius, height;
} CylinderDef;

static const CylinderDef default_def = {0};

static const rblParameter rows[] = {RBL_LENGTH_ROW("radius", CylinderDef, radius, "m"),
                                    RBL_LENGTH_ROW("height", CylinderDef, height, "m"),
                                    {.type = RBL_PARAMETER_END}};

static rblResult create(const void* data, rblShapeId* out)
{
    const CylinderDef* def = data;
    return rbl_shape_create_cylinder(def->radius, def->height, out);
}

static const rblShapeKeys keys = {.about = "a cylinder; its axis is y, its centre the origin",
                                  .rows = rows,
                                  .def_size = sizeof(CylinderDef),
                                  .defaults = &default_def,
                                  .create = create};

const rblShapeKind rbl_cylinder_kind = {.name = "cylinder",
                                        .code = 5,
                                        .rolling = RBL_ROLLS_LYING,
                                        .joinable = true,
                                        .distance = cylinder_distance,
                                        .support = cylinder_support,
                                        .bounds_at = bounds_at,
                                        .ray = cylinder_ray,
                                        .sample = sample,
                                        .surface = surface,
                                        .keys = &keys,
                                        .put = put,
                                        .take = take,
                                        .free = free_cylinder};

rblResult rbl_shape_create_cylinder(float radius, float height, rblShapeId* out)
{
    RBL_TRY(rbl_primitive_check_out(&rbl_cylinder_kind, out));
    RBL_TRY(rbl_primitive_check_size(&rbl_cylinder_kind, "radius", radius));
    RBL_TRY(rbl_primitive_check_size(&rbl_cylinder_kind, "height", height));
    const rblVec3 size = {radius, height, 0};
    rblResult reused;
    if (rbl_primitive_reuse(&rbl_cylinder_kind, size, out, &reused))
    {
        return reused;
    }
    const float half = 0.5f * height;
    rblShape parts =
        rbl_primitive_parts(&rbl_cylinder_kind, (rblVec3){radius, half, radius}, sizeof(Cylinder));
    if (parts.data == NULL)
    {
        return rbl_fail_memory();
    }
    const double r = (double)radius;
    const double h = (double)height;
    const double volume = RBL_PI * r * r * h;
    const double across = volume * (r * r / 4.0 + h * h / 12.0);
    parts.view.mass = rbl_primitive_mass(volume, across, 0.5 * volume * r * r, across);
    parts.view.radius = (float)sqrt(r * r + 0.25 * h * h);
    parts.core = (rblConvexCore){.form = RBL_CORE_CYLINDER, .disc = r, .half_height = (double)half};
    Cylinder* cylinder = parts.data;
    *cylinder = (Cylinder){.radius = radius, .half_height = half, .height = height};
    return rbl_primitive_register(&parts, sizeof(Cylinder), &cylinder->entry, size, out);
}
