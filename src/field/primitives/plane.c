// Half spaces.
#include "base/error.h"
#include "field/primitives/primitive.h"
#include "field/shape_codec.h"
#include "field/shape_keys.h"

extern const rblShapeKind rbl_plane_kind;

typedef struct Plane
{
    rblVec3 normal; // unit, out of the solid
    rblVec3 given;  // of the definition
} Plane;

static float plane_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const Plane* plane = data;
    *gradient = plane->normal;
    return rbl_dot3(plane->normal, point);
}

static bool plane_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const Plane* plane = data;
    const double height = rbl_dot3d(rbl_to_double3(plane->normal), rbl_to_double3(ray->origin));
    const double slope = rbl_dot3d(rbl_to_double3(plane->normal), rbl_to_double3(ray->direction));
    if (!(slope < 0.0))
    {
        return false;
    }
    hit->t = (float)(-height / slope);
    hit->normal = plane->normal;
    return true;
}

static rblAabb bounds_at(const rblShape* shape, rblTransform pose)
{
    (void)pose;
    return shape->view.bounds;
}

static void free_plane(void* data, const rblAllocator* allocator)
{
    rbl_free(allocator, data, sizeof(Plane));
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    const Plane* plane = shape->data;
    rbl_put_floats(sink, &plane->given.x, 3);
    return RBL_OK;
}

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    rblVec3 normal;
    rbl_take_floats(source, &normal.x, 3);
    return source->failed ? rbl_shape_fail_damaged(&rbl_plane_kind) : rbl_shape_create_plane(normal, out);
}

// ---- scene files ----

typedef struct PlaneDef
{
    rblVec3 normal;
} PlaneDef;

static const PlaneDef default_def = {{0, 1, 0}};

static const rblParameter rows[] = {{.key = "normal",
                                     .type = RBL_PARAMETER_VECTOR,
                                     .offset = offsetof(PlaneDef, normal),
                                     .about = "out of the solid; default 0, 1, 0",
                                     .nonzero = true},
                                    {.type = RBL_PARAMETER_END}};

static rblResult create(const void* data, rblShapeId* out)
{
    const PlaneDef* def = data;
    return rbl_shape_create_plane(def->normal, out);
}

static const rblShapeKeys keys = {.about = "the half space below a plane through the origin",
                                  .rows = rows,
                                  .def_size = sizeof(PlaneDef),
                                  .defaults = &default_def,
                                  .create = create};

const rblShapeKind rbl_plane_kind = {.name = "plane",
                                     .code = 1,
                                     .unbounded = true,
                                     .distance = plane_distance,
                                     .bounds_at = bounds_at,
                                     .ray = plane_ray,
                                     .keys = &keys,
                                     .put = put,
                                     .take = take,
                                     .free = free_plane};

rblResult rbl_shape_create_plane(rblVec3 normal, rblShapeId* out)
{
    RBL_TRY(rbl_primitive_check_out(&rbl_plane_kind, out));
    const rblVec3 unit = rbl_normalize3(normal, (rblVec3){0, 0, 0});
    if (!rbl_finite3(normal) || rbl_dot3(unit, unit) == 0.0f)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "plane: normal is (%g, %g, %g), must be finite and not zero",
                        RBL_XYZ(normal));
    }
    rblShape parts = {.kind = &rbl_plane_kind, .allocator = rbl_default_allocator()};
    const rblVec3 far_off = {INFINITY, INFINITY, INFINITY};
    parts.view = (rblShapeView){.bounds = {rbl_neg3(far_off), far_off},
                                .radius = INFINITY,
                                .inner_radius = INFINITY,
                                .thinnest = INFINITY};
    parts.core = (rblConvexCore){.form = RBL_CORE_HALF_SPACE, .normal = unit};
    Plane* plane = rbl_alloc(parts.allocator, sizeof *plane);
    if (plane == NULL)
    {
        return rbl_fail_memory();
    }
    *plane = (Plane){unit, normal};
    parts.data = plane;
    return rbl_shape_register(&parts, sizeof *plane, NULL, 0, out);
}
