// Functions that all primitives share: sizes, surfaces, samples, rays.
#ifndef RBL_FIELD_PRIMITIVES_PRIMITIVE_H
#define RBL_FIELD_PRIMITIVES_PRIMITIVE_H

#include "field/convex/hull.h"
#include "field/shape.h"
#include "rubble/solids.h"

static inline rblVec3 rbl_unit_or(rblVec3 v, float length, rblVec3 fallback)
{
    return length > 0.0f ? rbl_scale3(v, 1.0f / length) : fallback;
}

static inline float rbl_with_sign(float magnitude, float sign)
{
    return sign < 0.0f ? -magnitude : magnitude;
}

// ---- creation ----

// "KIND: out must not be null", "KIND: NAME must be positive and finite".
rblResult rbl_primitive_check_out(const rblShapeKind* kind, const rblShapeId* out);
rblResult rbl_primitive_check_size(const rblShapeKind* kind, const char* name, float value);

// Primitives of one kind and size are one shape with several ids: then samples and surfaces are made once. This is the last member
// of the data of a primitive.
typedef struct rblPrimitiveEntry
{
    rblVec3 size;    // of the definition, unused members 0
    rblShape* shape; // null: it is not in the table
    struct rblPrimitiveEntry* next;
} rblPrimitiveEntry;

// Whether a living shape of this kind and size has got another id, or the attempt has failed; the result says which.
bool rbl_primitive_reuse(const rblShapeKind* kind, rblVec3 size, rblShapeId* out, rblResult* result);

// For rblShapeKind.free, before anything is freed.
void rbl_primitive_forget(rblPrimitiveEntry* entry);

// A shape about the origin with zeroed data; `data` is null without memory.
rblShape rbl_primitive_parts(const rblShapeKind* kind, rblVec3 half, size_t data_size);

// At density 1, with moments of inertia about the axes.
rblMassProperties rbl_primitive_mass(double volume, double x, double y, double z);

// A surface to draw: a scaled procedural solid. For rblShapeKind.surface.
typedef struct rblPrimitiveSurface
{
    const char* solid;
    const rblSolidValue* values;
    uint32_t value_count;
    rblVec3d stretch;
} rblPrimitiveSurface;

rblResult rbl_primitive_surface(const rblPrimitiveSurface* surface, rblMeshId* out);

// Register the shape for its kind and size. Takes ownership of the data, also on failure.
rblResult rbl_primitive_register(const rblShape* parts, size_t data_bytes, rblPrimitiveEntry* entry,
                                 rblVec3 size, rblShapeId* out);

// ---- samples of round shapes, with rims and corners; false: no memory ----

bool rbl_sample_capsule(double radius, double half_height, rblPointArray* out);
bool rbl_sample_cylinder(double radius, double half_height, rblPointArray* out);

// ---- rays ----

// Smaller root of |o + t d|^2 = r^2. False: none.
bool rbl_ray_ball(rblVec3d o, rblVec3d d, double radius, double* t);

// First intersection of a ray with the infinite cylinder around y.
bool rbl_ray_barrel(rblVec3d o, rblVec3d d, double radius, double* t);

// The interval of a ray between pairs of parallel planes.
typedef struct rblRaySlabs
{
    double t_in, t_out;
    rblVec3 normal; // of the side where the ray enters
} rblRaySlabs;

static inline rblRaySlabs rbl_ray_slabs(void)
{
    return (rblRaySlabs){-(double)INFINITY, (double)INFINITY, {0, 1, 0}};
}

// Intersect with the slab of a half thickness across an axis. False: the interval is empty.
bool rbl_ray_cross_slab(rblRaySlabs* slabs, double origin, double direction, double half, rblVec3 axis);

#endif
