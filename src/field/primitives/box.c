// Boxes. In contact code they are polytopes.
#include "base/error.h"
#include "field/primitives/primitive.h"
#include "field/shape_codec.h"
#include "field/shape_keys.h"

extern const rblShapeKind rbl_box_kind;

typedef struct Box
{
    rblVec3 half; // half of the size, m
    rblVec3 size; // of the definition, m
    rblHull* hull;
    rblPrimitiveEntry entry;
} Box;

static float box_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const Box* box = data;
    const rblVec3 q = {fabsf(point.x) - box->half.x, fabsf(point.y) - box->half.y,
                       fabsf(point.z) - box->half.z};
    if (q.x <= 0.0f && q.y <= 0.0f && q.z <= 0.0f)
    {
        *gradient = (rblVec3){0, 0, 0};
        if (q.x > q.y && q.x > q.z)
        {
            gradient->x = rbl_with_sign(1.0f, point.x);
            return q.x;
        }
        if (q.z > q.y)
        {
            gradient->z = rbl_with_sign(1.0f, point.z);
            return q.z;
        }
        gradient->y = rbl_with_sign(1.0f, point.y);
        return q.y;
    }
    const rblVec3 offset = {rbl_with_sign(rbl_maxf(q.x, 0.0f), point.x),
                            rbl_with_sign(rbl_maxf(q.y, 0.0f), point.y),
                            rbl_with_sign(rbl_maxf(q.z, 0.0f), point.z)};
    *gradient = rbl_normalize3(offset, (rblVec3){0, 1, 0});
    return rbl_dot3(*gradient, offset);
}

static rblVec3 box_support(const void* data, rblVec3 direction)
{
    const Box* box = data;
    return (rblVec3){rbl_with_sign(box->half.x, direction.x), rbl_with_sign(box->half.y, direction.y),
                     rbl_with_sign(box->half.z, direction.z)};
}

static bool box_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const Box* box = data;
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    rblRaySlabs slabs = rbl_ray_slabs();
    if (!rbl_ray_cross_slab(&slabs, o.x, d.x, (double)box->half.x, (rblVec3){1, 0, 0}) ||
        !rbl_ray_cross_slab(&slabs, o.y, d.y, (double)box->half.y, (rblVec3){0, 1, 0}) ||
        !rbl_ray_cross_slab(&slabs, o.z, d.z, (double)box->half.z, (rblVec3){0, 0, 1}))
    {
        return false;
    }
    hit->t = (float)slabs.t_in;
    hit->normal = slabs.normal;
    return true;
}

static bool add_samples(const rblShape* shape, rblPointArray* out)
{
    return rbl_sample_hull(shape->core.hull, out);
}

static rblResult sample(const rblShape* shape, rblSampleTree** out)
{
    return rbl_shape_make_tree(shape, add_samples, out);
}

static rblResult surface(const rblShape* shape, rblMeshId* out)
{
    const double one[3] = {1.0, 1.0, 1.0};
    const rblSolidValue solid = {"size", one, 3};
    const rblVec3d size = rbl_to_double3(((const Box*)shape->data)->size);
    return rbl_primitive_surface(&(rblPrimitiveSurface){"box", &solid, 1, size}, out);
}

static void free_box(void* data, const rblAllocator* allocator)
{
    Box* box = data;
    rbl_primitive_forget(&box->entry);
    rbl_hull_free(box->hull, allocator);
    rbl_free(allocator, box, sizeof *box);
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    const Box* box = shape->data;
    rbl_put_floats(sink, &box->size.x, 3);
    return RBL_OK;
}

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    rblVec3 size;
    rbl_take_floats(source, &size.x, 3);
    return source->failed ? rbl_shape_fail_damaged(&rbl_box_kind) : rbl_shape_create_box(size, out);
}

// ---- scene files ----

typedef struct BoxDef
{
    rblVec3 size;
} BoxDef;

static const BoxDef default_def = {{0, 0, 0}};

static const rblParameter rows[] = {{.key = "size",
                                     .type = RBL_PARAMETER_VECTOR,
                                     .offset = offsetof(BoxDef, size),
                                     .about = "along x, y and z, m",
                                     .max = RBL_PARAMETER_UNLIMITED,
                                     .min_excluded = true,
                                     .required = true},
                                    {.type = RBL_PARAMETER_END}};

static rblResult create(const void* data, rblShapeId* out)
{
    const BoxDef* def = data;
    return rbl_shape_create_box(def->size, out);
}

static const rblShapeKeys keys = {.about = "a box with its centre at the origin",
                                  .rows = rows,
                                  .def_size = sizeof(BoxDef),
                                  .defaults = &default_def,
                                  .create = create};

const rblShapeKind rbl_box_kind = {.name = "box",
                                   .code = 4,
                                   .joinable = true,
                                   .distance = box_distance,
                                   .support = box_support,
                                   .ray = box_ray,
                                   .sample = sample,
                                   .surface = surface,
                                   .keys = &keys,
                                   .put = put,
                                   .take = take,
                                   .free = free_box};

rblResult rbl_shape_create_box(rblVec3 size, rblShapeId* out)
{
    RBL_TRY(rbl_primitive_check_out(&rbl_box_kind, out));
    RBL_TRY(rbl_primitive_check_size(&rbl_box_kind, "size", size.x));
    RBL_TRY(rbl_primitive_check_size(&rbl_box_kind, "size", size.y));
    RBL_TRY(rbl_primitive_check_size(&rbl_box_kind, "size", size.z));
    rblResult reused;
    if (rbl_primitive_reuse(&rbl_box_kind, size, out, &reused))
    {
        return reused;
    }
    const rblVec3 half = rbl_scale3(size, 0.5f);
    rblShape parts = rbl_primitive_parts(&rbl_box_kind, half, sizeof(Box));
    Box* box = parts.data;
    if (box == NULL)
    {
        return rbl_fail_memory();
    }
    *box = (Box){.half = half, .size = size};
    const rblResult result = rbl_hull_box(half, parts.allocator, &box->hull);
    if (result != RBL_OK)
    {
        free_box(box, parts.allocator);
        return result;
    }
    const rblVec3d s = rbl_to_double3(size);
    const double volume = s.x * s.y * s.z;
    const double part = volume / 12.0;
    parts.view.mass = rbl_primitive_mass(volume, part * (s.y * s.y + s.z * s.z),
                                         part * (s.x * s.x + s.z * s.z), part * (s.x * s.x + s.y * s.y));
    parts.view.radius = (float)(0.5 * rbl_length3d(s));
    parts.core = (rblConvexCore){.form = RBL_CORE_POLYTOPE, .hull = box->hull};
    return rbl_primitive_register(&parts, sizeof *box + box->hull->bytes, &box->entry, size, out);
}
