// Signed distances, supports and rays of the primitives, in closed form.
#include "field/primitives.h"

#include "math/vec.h"

static rblVec3 unit_or(rblVec3 v, float length, rblVec3 fallback)
{
    return length > 0.0f ? rbl_scale3(v, 1.0f / length) : fallback;
}

static float with_sign(float magnitude, float sign)
{
    return sign < 0.0f ? -magnitude : magnitude;
}

static void free_primitive(void* data, const rblAllocator* allocator)
{
    rblPrimitive* primitive = data;
    rbl_hull_free(primitive->hull, allocator);
    rbl_free(allocator, primitive, sizeof *primitive);
}

// ---- plane ----

static float plane_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblPrimitive* plane = data;
    *gradient = plane->normal;
    return rbl_dot3(plane->normal, point);
}

static bool plane_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const rblPrimitive* plane = data;
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

const rblShapeOps rbl_plane_ops = {.distance = plane_distance, .ray = plane_ray, .free = free_primitive};

// ---- sphere ----

static float sphere_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblPrimitive* sphere = data;
    const float length = rbl_length3(point);
    *gradient = unit_or(point, length, (rblVec3){0, 1, 0});
    return length - sphere->radius;
}

static rblVec3 sphere_support(const void* data, rblVec3 direction)
{
    const rblPrimitive* sphere = data;
    return rbl_scale3(rbl_normalize3(direction, (rblVec3){0, 1, 0}), sphere->radius);
}

// Smaller root of |o + t d|^2 = r^2, taken from the point closest to the centre so that far-off origins lose no digits.
static bool ball_entry(rblVec3d o, rblVec3d d, double radius, double* t)
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

static bool sphere_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const rblPrimitive* sphere = data;
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    double t;
    if (!ball_entry(o, d, (double)sphere->radius, &t))
    {
        return false;
    }
    hit->t = (float)t;
    hit->normal = rbl_to_float3(rbl_normalize3d(rbl_mul_add3d(o, t, d), (rblVec3d){0, 1, 0}));
    return true;
}

const rblShapeOps rbl_sphere_ops = {
    .distance = sphere_distance, .support = sphere_support, .ray = sphere_ray, .free = free_primitive};

// ---- capsule: a segment along y, grown ----

static float capsule_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblPrimitive* capsule = data;
    const float y = rbl_clampf(point.y, -capsule->half_height, capsule->half_height);
    const rblVec3 off = {point.x, point.y - y, point.z};
    const float length = rbl_length3(off);
    *gradient = unit_or(off, length, (rblVec3){1, 0, 0});
    return length - capsule->radius;
}

static rblVec3 capsule_support(const void* data, rblVec3 direction)
{
    const rblPrimitive* capsule = data;
    rblVec3 p = rbl_scale3(rbl_normalize3(direction, (rblVec3){0, 1, 0}), capsule->radius);
    p.y += with_sign(capsule->half_height, direction.y);
    return p;
}

// Where a ray enters the endless cylinder about y.
static bool barrel_entry(rblVec3d o, rblVec3d d, double radius, double* t)
{
    const rblVec3d flat_o = {o.x, 0, o.z};
    const rblVec3d flat_d = {d.x, 0, d.z};
    return rbl_dot3d(flat_d, flat_d) > 0.0 && ball_entry(flat_o, flat_d, radius, t);
}

static bool capsule_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const rblPrimitive* capsule = data;
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    const double h = (double)capsule->half_height;
    const double radius = (double)capsule->radius;
    double t;
    bool found = barrel_entry(o, d, radius, &t) && fabs(o.y + t * d.y) <= h;
    for (int end = -1; end <= 1 && !found; end += 2)
    {
        // The ball on one end; where it is entered within the barrel, the barrel or the other ball was entered before.
        const rblVec3d from_end = {o.x, o.y - end * h, o.z};
        found = ball_entry(from_end, d, radius, &t) && end * (from_end.y + t * d.y) >= 0.0;
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

const rblShapeOps rbl_capsule_ops = {
    .distance = capsule_distance, .support = capsule_support, .ray = capsule_ray, .free = free_primitive};

// ---- box ----

static float box_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblPrimitive* box = data;
    const rblVec3 q = {fabsf(point.x) - box->half.x, fabsf(point.y) - box->half.y,
                       fabsf(point.z) - box->half.z};
    if (q.x <= 0.0f && q.y <= 0.0f && q.z <= 0.0f)
    {
        *gradient = (rblVec3){0, 0, 0};
        if (q.x > q.y && q.x > q.z)
        {
            gradient->x = with_sign(1.0f, point.x);
            return q.x;
        }
        if (q.z > q.y)
        {
            gradient->z = with_sign(1.0f, point.z);
            return q.z;
        }
        gradient->y = with_sign(1.0f, point.y);
        return q.y;
    }
    const rblVec3 off = {with_sign(rbl_maxf(q.x, 0.0f), point.x), with_sign(rbl_maxf(q.y, 0.0f), point.y),
                         with_sign(rbl_maxf(q.z, 0.0f), point.z)};
    *gradient = rbl_normalize3(off, (rblVec3){0, 1, 0});
    return rbl_dot3(*gradient, off);
}

static rblVec3 box_support(const void* data, rblVec3 direction)
{
    const rblPrimitive* box = data;
    return (rblVec3){with_sign(box->half.x, direction.x), with_sign(box->half.y, direction.y),
                     with_sign(box->half.z, direction.z)};
}

// A slab: the ray lies between t_in and t_out in it. False when it never does.
typedef struct Slabs
{
    double t_in, t_out;
    rblVec3 normal; // of the side entered last
} Slabs;

static bool cross_slab(Slabs* slabs, double origin, double direction, double half, rblVec3 axis)
{
    if (direction == 0.0)
    {
        return fabs(origin) <= half;
    }
    const double side = direction > 0.0 ? -1.0 : 1.0; // the one entered through
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

static bool box_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const rblPrimitive* box = data;
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    Slabs slabs = {-(double)INFINITY, (double)INFINITY, {0, 1, 0}};
    if (!cross_slab(&slabs, o.x, d.x, (double)box->half.x, (rblVec3){1, 0, 0}) ||
        !cross_slab(&slabs, o.y, d.y, (double)box->half.y, (rblVec3){0, 1, 0}) ||
        !cross_slab(&slabs, o.z, d.z, (double)box->half.z, (rblVec3){0, 0, 1}))
    {
        return false;
    }
    hit->t = (float)slabs.t_in;
    hit->normal = slabs.normal;
    return true;
}

const rblShapeOps rbl_box_ops = {
    .distance = box_distance, .support = box_support, .ray = box_ray, .free = free_primitive};

// ---- cylinder ----

static float cylinder_distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    const rblPrimitive* cylinder = data;
    const float r = sqrtf(point.x * point.x + point.z * point.z);
    const rblVec3 outward = unit_or((rblVec3){point.x, 0, point.z}, r, (rblVec3){1, 0, 0});
    const rblVec3 up = {0, with_sign(1.0f, point.y), 0};
    const float side = r - cylinder->radius;
    const float end = fabsf(point.y) - cylinder->half_height;
    if (side <= 0.0f || end <= 0.0f)
    {
        *gradient = side > end ? outward : up;
        return rbl_maxf(side, end);
    }
    const float length = sqrtf(side * side + end * end);
    *gradient = unit_or(rbl_mul_add3(rbl_scale3(outward, side), end, up), length, outward);
    return length;
}

static rblVec3 cylinder_support(const void* data, rblVec3 direction)
{
    const rblPrimitive* cylinder = data;
    const rblVec3 flat = rbl_normalize3((rblVec3){direction.x, 0, direction.z}, (rblVec3){1, 0, 0});
    return (rblVec3){flat.x * cylinder->radius, with_sign(cylinder->half_height, direction.y),
                     flat.z * cylinder->radius};
}

static bool cylinder_ray(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const rblPrimitive* cylinder = data;
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    const double radius = (double)cylinder->radius;
    Slabs slabs = {-(double)INFINITY, (double)INFINITY, {0, 1, 0}};
    if (!cross_slab(&slabs, o.y, d.y, (double)cylinder->half_height, (rblVec3){0, 1, 0}))
    {
        return false;
    }
    const double flat = d.x * d.x + d.z * d.z;
    if (flat > 0.0)
    {
        double t_in;
        if (!barrel_entry(o, d, radius, &t_in))
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

const rblShapeOps rbl_cylinder_ops = {
    .distance = cylinder_distance, .support = cylinder_support, .ray = cylinder_ray, .free = free_primitive};
