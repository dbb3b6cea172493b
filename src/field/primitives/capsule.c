// Capsules: segments along y with a radius.
#include "base/error.h"
#include "field/primitives/primitive.h"
#include "field/shape_codec.h"
#include "field/shape_keys.h"
#include "math/quat.h"
#include "math/trig.h"

extern const rblShapeKind rbl_capsule_kind;

typedef struct Capsule
{
    float radius;
    float half_height; // m, of the segment
    float height;      // of the definition, m
    rblPrimitiveEntry entry;
} Capsule;

static float capsule_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const Capsule* capsule = data;
    const float y = rbl_clampf(point.y, -capsule->half_height, capsule->half_height);
    const rblVec3 offset = {point.x, point.y - y, point.z};
    const float length = rbl_length3(offset);
    *gradient = rbl_unit_or(offset, length, (rblVec3){1, 0, 0});
    return length - capsule->radius;
}

static rblVec3 capsule_support(const void* data, rblVec3 direction)
{
    const Capsule* capsule = data;
    rblVec3 p = rbl_scale3(rbl_normalize3(direction, (rblVec3){0, 1, 0}), capsule->radius);
    p.y += rbl_with_sign(capsule->half_height, direction.y);
    return p;
}

static bool capsule_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const Capsule* capsule = data;
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    const double h = (double)capsule->half_height;
    const double radius = (double)capsule->radius;
    double t;
    bool found = rbl_ray_barrel(o, d, radius, &t) && fabs(o.y + t * d.y) <= h;
    for (int end = -1; end <= 1 && !found; end += 2)
    {
        // The ball at one end. If the hit is within the barrel, the barrel or the other ball is hit earlier.
        const rblVec3d from_end = {o.x, o.y - end * h, o.z};
        found = rbl_ray_ball(from_end, d, radius, &t) && end * (from_end.y + t * d.y) >= 0.0;
    }
    if (!found)
    {
        return false;
    }
    const rblVec3d p = rbl_mul_add3d(o, t, d);
    hit->t = (float)t;
    hit->normal = rbl_to_float3(
        rbl_normalize3d((rblVec3d){p.x, p.y - rbl_clampd(p.y, -h, h), p.z}, (rblVec3d){1, 0, 0}));
    return true;
}

static rblAabb bounds_at(const rblShape* shape, rblTransform pose)
{
    const Capsule* capsule = shape->data;
    const rblVec3 axis = rbl_rotate3(pose.q, (rblVec3){0, 1, 0});
    const rblVec3 along = {fabsf(axis.x) * capsule->half_height, fabsf(axis.y) * capsule->half_height,
                           fabsf(axis.z) * capsule->half_height};
    const rblVec3 across = {capsule->radius, capsule->radius, capsule->radius};
    return rbl_rounded_box(pose.p, rbl_add3(along, across));
}

static bool add_samples(const rblShape* shape, rblPointArray* out)
{
    const Capsule* capsule = shape->data;
    return rbl_sample_capsule((double)capsule->radius, (double)capsule->half_height, out);
}

static rblResult sample(const rblShape* shape, rblSampleTree** out)
{
    return rbl_shape_make_tree(shape, add_samples, out);
}

// Within the size limits of meshes, a capsule may be a million times as long as thick.
static rblResult surface(const rblShape* shape, rblMeshId* out)
{
    const Capsule* capsule = shape->data;
    const double scale = 0.005 / (double)capsule->radius;
    const double values[2] = {0.005, rbl_maxd((double)capsule->height * scale, 0.01)};
    const rblSolidValue solid[2] = {{"radius", &values[0], 1}, {"height", &values[1], 1}};
    const double s = 1.0 / scale;
    return rbl_primitive_surface(&(rblPrimitiveSurface){"capsule", solid, 2, {s, s, s}}, out);
}

static void free_capsule(void* data, const rblAllocator* allocator)
{
    rbl_primitive_forget(&((Capsule*)data)->entry);
    rbl_free(allocator, data, sizeof(Capsule));
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    const Capsule* capsule = shape->data;
    rbl_put_floats(sink, (const float[2]){capsule->radius, capsule->height}, 2);
    return RBL_OK;
}

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    float sizes[2];
    rbl_take_floats(source, sizes, 2);
    return source->failed ? rbl_shape_fail_damaged(&rbl_capsule_kind)
                          : rbl_shape_create_capsule(sizes[0], sizes[1], out);
}

// ---- scene files ----

typedef struct CapsuleDef
{
    float radius, height;
} CapsuleDef;

static const CapsuleDef default_def = {0};

static const rblParameter rows[] = {RBL_LENGTH_ROW("radius", CapsuleDef, radius, "m"),
                                    RBL_LENGTH_ROW("height", CapsuleDef, height, "from end to end, m"),
                                    {.type = RBL_PARAMETER_END}};

static rblResult read(rblJson object, rblArena* arena, void* data)
{
    (void)arena;
    const CapsuleDef* def = data;
    return def->height < 2.0f * def->radius ? rbl_json_fail(rbl_json_find(object, "height"), RBL_ERROR_FORMAT,
                                                            "the height must be at least twice the radius")
                                            : RBL_OK;
}

static rblResult create(const void* data, rblShapeId* out)
{
    const CapsuleDef* def = data;
    return rbl_shape_create_capsule(def->radius, def->height, out);
}

static const rblShapeKeys keys = {
    .about = "a cylinder with half balls at its ends; its axis is y, its centre the origin",
    .rows = rows,
    .def_size = sizeof(CapsuleDef),
    .defaults = &default_def,
    .read = read,
    .create = create};

const rblShapeKind rbl_capsule_kind = {.name = "capsule",
                                       .code = 3,
                                       .rolling = RBL_ROLLS_ALWAYS,
                                       .joinable = true,
                                       .distance = capsule_distance,
                                       .support = capsule_support,
                                       .bounds_at = bounds_at,
                                       .ray = capsule_ray,
                                       .sample = sample,
                                       .surface = surface,
                                       .keys = &keys,
                                       .put = put,
                                       .take = take,
                                       .free = free_capsule};

// A barrel and two half balls, each about its own centre of mass, shifted by Steiner's theorem.
static rblMassProperties capsule_mass(double r, double half)
{
    const double barrel = 2.0 * RBL_PI * r * r * half;
    const double balls = 4.0 / 3.0 * RBL_PI * r * r * r;
    const double along = 0.5 * barrel * r * r + 0.4 * balls * r * r;
    const double across =
        barrel * (r * r / 4.0 + half * half / 3.0) + balls * (0.4 * r * r + half * half + 0.75 * half * r);
    return rbl_primitive_mass(barrel + balls, across, along, across);
}

rblResult rbl_shape_create_capsule(float radius, float height, rblShapeId* out)
{
    RBL_TRY(rbl_primitive_check_out(&rbl_capsule_kind, out));
    RBL_TRY(rbl_primitive_check_size(&rbl_capsule_kind, "radius", radius));
    RBL_TRY(rbl_primitive_check_size(&rbl_capsule_kind, "height", height));
    const float half = 0.5f * height - radius;
    if (!(half >= 0.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "capsule: height is %g, must be at least twice the radius %g",
                        (double)height, (double)radius);
    }
    const rblVec3 size = {radius, height, 0};
    rblResult reused;
    if (rbl_primitive_reuse(&rbl_capsule_kind, size, out, &reused))
    {
        return reused;
    }
    rblShape parts =
        rbl_primitive_parts(&rbl_capsule_kind, (rblVec3){radius, 0.5f * height, radius}, sizeof(Capsule));
    if (parts.data == NULL)
    {
        return rbl_fail_memory();
    }
    parts.view.mass = capsule_mass((double)radius, (double)half);
    parts.view.radius = 0.5f * height;
    parts.core =
        (rblConvexCore){.form = RBL_CORE_SEGMENT, .half_height = (double)half, .rounding = (double)radius};
    Capsule* capsule = parts.data;
    *capsule = (Capsule){.radius = radius, .half_height = half, .height = height};
    return rbl_primitive_register(&parts, sizeof(Capsule), &capsule->entry, size, out);
}
