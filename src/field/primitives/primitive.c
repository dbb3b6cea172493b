#include "field/primitives/primitive.h"

#include "base/error.h"
#include "math/mat3.h"

// ---- creation ----

rblResult rbl_primitive_check_out(const rblShapeKind* kind, const rblShapeId* out)
{
    return out != NULL ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "%s: out must not be null", kind->name);
}

rblResult rbl_primitive_check_size(const rblShapeKind* kind, const char* name, float value)
{
    return value > 0.0f && rbl_finite((double)value)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "%s: %s must be positive and finite", kind->name, name);
}

rblShape rbl_primitive_parts(const rblShapeKind* kind, rblVec3 half, size_t data_size)
{
    rblShape parts = {.kind = kind, .allocator = rbl_default_allocator()};
    parts.view.bounds = (rblAabb){rbl_neg3(half), half};
    parts.view.inner_radius = rbl_minf(half.x, rbl_minf(half.y, half.z));
    parts.view.thinnest = 2.0f * parts.view.inner_radius;
    parts.data = rbl_alloc_zero(parts.allocator, data_size);
    return parts;
}

rblMassProperties rbl_primitive_mass(double volume, double x, double y, double z)
{
    const rblMat3d inertia = {{x, 0, 0}, {0, y, 0}, {0, 0, z}};
    rblMassProperties mass = {.volume = volume, .mass = volume, .inertia = inertia};
    rbl_eigen_symmetric3d(&inertia, &mass.moments, &mass.principal_axes);
    return mass;
}

// Meshes that are very small or very large are refused: the solid is created with a moderate size and then scaled.
static rblResult make_surface(const rblPrimitiveSurface* surface, rblMeshId* out)
{
    rblMeshId plain;
    RBL_TRY(rbl_mesh_make(surface->solid, surface->values, surface->value_count, &plain));
    const rblVec3d s = surface->stretch;
    const rblMat3d linear = {{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}};
    const rblResult result = rbl_mesh_transform(plain, &linear, (rblVec3d){0, 0, 0}, out);
    rbl_mesh_destroy(plain);
    return result;
}

rblResult rbl_primitive_register(rblShape* parts, size_t data_bytes, const rblPrimitiveSurface* surface,
                                 bool (*sample)(const void* data, rblPointArray* out), rblShapeId* out)
{
    rblPointArray samples;
    rbl_array_init(&samples, parts->allocator);
    rblResult result = sample(parts->data, &samples) ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        result = make_surface(surface, &parts->view.surface);
    }
    if (result == RBL_OK)
    {
        result = rbl_shape_register(parts, data_bytes, samples.data, (uint32_t)samples.count, out);
    }
    else
    {
        parts->kind->free(parts->data, parts->allocator);
    }
    rbl_array_free(&samples);
    return result;
}

// ---- rays ----

// Computed from the point closest to the centre, so that distant origins lose no accuracy.
bool rbl_ray_ball(rblVec3d o, rblVec3d d, double radius, double* t)
{
    const double dd = rbl_dot3d(d, d);
    const double middle = -rbl_dot3d(o, d) / dd;
    const rblVec3d closest = rbl_mul_add3d(o, middle, d);
    const double rest = radius * radius - rbl_dot3d(closest, closest);
    if (!(rest >= 0.0))
    {
        return false;
    }
    *t = middle - sqrt(rest / dd);
    return true;
}

bool rbl_ray_barrel(rblVec3d o, rblVec3d d, double radius, double* t)
{
    const rblVec3d flat_o = {o.x, 0, o.z};
    const rblVec3d flat_d = {d.x, 0, d.z};
    return rbl_dot3d(flat_d, flat_d) > 0.0 && rbl_ray_ball(flat_o, flat_d, radius, t);
}

bool rbl_ray_cross_slab(rblRaySlabs* slabs, double origin, double direction, double half, rblVec3 axis)
{
    if (direction == 0.0)
    {
        return fabs(origin) <= half;
    }
    const double side = direction > 0.0 ? -1.0 : 1.0; // the side where the ray enters
    const double t_in = (side * half - origin) / direction;
    const double t_out = (-side * half - origin) / direction;
    if (t_in > slabs->t_in)
    {
        slabs->t_in = t_in;
        slabs->normal = rbl_scale3(axis, (float)side);
    }
    slabs->t_out = rbl_mind(t_out, slabs->t_out);
    return slabs->t_in <= slabs->t_out;
}
