#include "field/primitives/primitive.h"

#include "base/error.h"
#include "base/hash_map.h"
#include "base/thread.h"
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
rblResult rbl_primitive_surface(const rblPrimitiveSurface* surface, rblMeshId* out)
{
    rblMeshId plain;
    RBL_TRY(rbl_mesh_make(surface->solid, surface->values, surface->value_count, &plain));
    const rblVec3d s = surface->stretch;
    const rblMat3d linear = {{s.x, 0, 0}, {0, s.y, 0}, {0, 0, s.z}};
    const rblResult result = rbl_mesh_transform(plain, &linear, (rblVec3d){0, 0, 0}, out);
    rbl_mesh_destroy(plain);
    return result;
}

// ---- equal shapes ----

#define BUCKETS 1024 // of the table; a power of two

static rblMutex table_mutex = RBL_MUTEX_INIT;
static rblPrimitiveEntry* table[BUCKETS];

static rblPrimitiveEntry** bucket_of(rblVec3 size)
{
    const float key[3] = {size.x, size.y, size.z};
    return &table[rbl_hash_bytes(0, key, sizeof key) & (BUCKETS - 1)];
}

static bool has_size(const rblPrimitiveEntry* entry, const rblShapeKind* kind, rblVec3 size)
{
    return entry->shape->kind == kind && entry->size.x == size.x && entry->size.y == size.y &&
           entry->size.z == size.z;
}

bool rbl_primitive_reuse(const rblShapeKind* kind, rblVec3 size, rblShapeId* out, rblResult* result)
{
    rblShape* shape = NULL;
    rbl_mutex_lock(&table_mutex);
    for (const rblPrimitiveEntry* entry = *bucket_of(size); entry != NULL && shape == NULL;
         entry = entry->next)
    {
        if (has_size(entry, kind, size) && rbl_shape_retain_living(entry->shape))
        {
            shape = entry->shape;
        }
    }
    rbl_mutex_unlock(&table_mutex);
    *result = shape != NULL ? rbl_shape_add_id(shape, out) : RBL_OK;
    return shape != NULL;
}

void rbl_primitive_forget(rblPrimitiveEntry* entry)
{
    if (entry->shape == NULL)
    {
        return;
    }
    rbl_mutex_lock(&table_mutex);
    rblPrimitiveEntry** place = bucket_of(entry->size);
    while (*place != entry)
    {
        place = &(*place)->next;
    }
    *place = entry->next;
    rbl_mutex_unlock(&table_mutex);
}

rblResult rbl_primitive_register(const rblShape* parts, size_t data_bytes, rblPrimitiveEntry* entry,
                                 rblVec3 size, rblShapeId* out)
{
    rblShapeView view;
    RBL_TRY(rbl_shape_register(parts, data_bytes, NULL, 0, out));
    RBL_TRY(rbl_shape_view(*out, &view));
    rbl_mutex_lock(&table_mutex);
    rblPrimitiveEntry** place = bucket_of(size);
    *entry = (rblPrimitiveEntry){size, view.shape->self, *place};
    *place = entry;
    rbl_mutex_unlock(&table_mutex);
    return RBL_OK;
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
