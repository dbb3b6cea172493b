// What primitives keep, and the parts they are made of.
#ifndef RBL_FIELD_PRIMITIVES_H
#define RBL_FIELD_PRIMITIVES_H

#include "base/array.h"
#include "field/convex/hull.h"
#include "field/shape.h"

typedef struct rblPrimitive
{
    rblVec3 normal;    // planes: unit, out of the solid
    rblVec3 half;      // boxes: half the size
    float radius;      // spheres, capsules, cylinders
    float half_height; // cylinders: half the height; capsules: half the length of the segment inside
    rblHull* hull;     // boxes: the same box as a polytope, for contacts
} rblPrimitive;

extern const rblShapeOps rbl_plane_ops;
extern const rblShapeOps rbl_sphere_ops;
extern const rblShapeOps rbl_capsule_ops;
extern const rblShapeOps rbl_box_ops;
extern const rblShapeOps rbl_cylinder_ops;

// Points on the surface, rims and corners included. False when out of memory.
bool rbl_sample_sphere(const rblPrimitive* primitive, rblPointArray* out);
bool rbl_sample_capsule(const rblPrimitive* primitive, rblPointArray* out);
bool rbl_sample_cylinder(const rblPrimitive* primitive, rblPointArray* out);

// Volume, centre, inertia at density 1 about the centre: fills in mass and principal axes.
rblMassProperties rbl_mass_from_inertia(double volume, rblVec3d center, const rblMat3d* inertia);

#endif
