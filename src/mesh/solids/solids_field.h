// Distance-like fields for constructive modelling: negative inside, close to the distance near the surface.
#ifndef RBL_MESH_SOLIDS_SOLIDS_FIELD_H
#define RBL_MESH_SOLIDS_SOLIDS_FIELD_H

#include "math/vec.h"

static inline double rbl_field_ball(rblVec3d p, rblVec3d centre, double radius)
{
    return rbl_distance3d(p, centre) - radius;
}

// First-order distance: exact on the surface and along the axes.
static inline double rbl_field_ellipsoid(rblVec3d p, rblVec3d centre, rblVec3d radii)
{
    const rblVec3d q = rbl_sub3d(p, centre);
    const rblVec3d a = {q.x / radii.x, q.y / radii.y, q.z / radii.z};
    const rblVec3d b = {a.x / radii.x, a.y / radii.y, a.z / radii.z};
    const double k = rbl_length3d(a);
    const double gradient = rbl_length3d(b);
    const double smallest = rbl_mind(radii.x, rbl_mind(radii.y, radii.z));
    return gradient > 0.0 ? k * (k - 1.0) / gradient : -smallest;
}

// A box with edges rounded by `rounding`, which is part of `half`.
static inline double rbl_field_box(rblVec3d p, rblVec3d centre, rblVec3d half, double rounding)
{
    const rblVec3d q = {fabs(p.x - centre.x) - half.x + rounding, fabs(p.y - centre.y) - half.y + rounding,
                        fabs(p.z - centre.z) - half.z + rounding};
    const rblVec3d outside = {rbl_maxd(q.x, 0.0), rbl_maxd(q.y, 0.0), rbl_maxd(q.z, 0.0)};
    return rbl_length3d(outside) + rbl_mind(rbl_maxd(q.x, rbl_maxd(q.y, q.z)), 0.0) - rounding;
}

// A tapered capsule from a to b whose radius goes from ra to rb.
static inline double rbl_field_limb(rblVec3d p, rblVec3d a, rblVec3d b, double ra, double rb)
{
    const rblVec3d axis = rbl_sub3d(b, a);
    const double t = rbl_clampd(rbl_dot3d(rbl_sub3d(p, a), axis) / rbl_dot3d(axis, axis), 0.0, 1.0);
    return rbl_distance3d(p, rbl_lerp3d(a, b, t)) - (ra + t * (rb - ra));
}

// An upright disc: a cylinder along y with rounded rims.
static inline double rbl_field_disc(rblVec3d p, rblVec3d centre, double radius, double half_height,
                                    double rounding)
{
    const double dx = p.x - centre.x;
    const double dz = p.z - centre.z;
    const double r = sqrt(dx * dx + dz * dz) - radius + rounding;
    const double h = fabs(p.y - centre.y) - half_height + rounding;
    const double outside_r = rbl_maxd(r, 0.0);
    const double outside_h = rbl_maxd(h, 0.0);
    return sqrt(outside_r * outside_r + outside_h * outside_h) + rbl_mind(rbl_maxd(r, h), 0.0) - rounding;
}

// Smooth union: where the two differ by less than k, a parabola that joins both smoothly replaces the minimum.
static inline double rbl_field_blend(double a, double b, double k)
{
    const double h = rbl_maxd(k - fabs(a - b), 0.0) / k;
    return rbl_mind(a, b) - 0.25 * h * h * k;
}

// Smooth difference: a without b, the edge rounded over a width of about k.
static inline double rbl_field_carve(double a, double b, double k)
{
    return -rbl_field_blend(-a, b, k);
}

static inline double rbl_field_union(double a, double b)
{
    return rbl_mind(a, b);
}

static inline double rbl_field_intersection(double a, double b)
{
    return rbl_maxd(a, b);
}

// a without b, with a sharp edge.
static inline double rbl_field_difference(double a, double b)
{
    return rbl_maxd(a, -b);
}

#endif
