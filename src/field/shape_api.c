// What every kind of shape answers alike: distances, boxes at a pose, rays.
#include "base/error.h"
#include "field/convex/hull.h"
#include "field/engine.h"
#include "field/primitives.h"
#include "field/shape.h"
#include "math/aabb.h"
#include "math/simd.h"
#include "math/transform.h"

const char* rbl_shape_kind_name(rblShapeKind kind)
{
    static const char* const names[RBL_SHAPE_KIND_COUNT] = {"plane",    "sphere", "capsule",   "box",
                                                            "cylinder", "hull",   "level set", "compound",
                                                            "user",     "piece",  "fragment"};
    return (unsigned)kind < RBL_SHAPE_KIND_COUNT ? names[kind] : "unknown";
}

float rbl_shape_distance(const rblShape* shape, rblVec3 point, rblVec3* gradient)
{
    rblVec3 unused;
    return shape->ops->distance(shape->data, point, gradient == NULL ? &unused : gradient);
}

bool rbl_shape_can_rebuild(const rblShapeView* shape)
{
    return shape->shape->ops->rebuild != NULL;
}

rblResult rbl_shape_rebuild(const rblShapeView* shape, rblShapeId* out)
{
    if (shape == NULL || shape->shape == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "shape rebuild: shape and out must not be null");
    }
    if (!rbl_shape_can_rebuild(shape))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "shape rebuild: a %s has a hierarchy of its own",
                        rbl_shape_kind_name(shape->kind));
    }
    return shape->shape->ops->rebuild(shape->shape, out);
}

// ---- boxes ----

// Floats lose a little when they are turned: boxes grow by that, so that they hold the shape for certain.
#define ROUNDING 5e-7f

static rblAabb box_around(rblVec3 center, rblVec3 half)
{
    const rblVec3 size = {fabsf(center.x) + half.x, fabsf(center.y) + half.y, fabsf(center.z) + half.z};
    const rblVec3 grown = rbl_mul_add3(half, ROUNDING, size);
    return (rblAabb){rbl_sub3(center, grown), rbl_add3(center, grown)};
}

static rblAabb turned_box(rblAabb box, rblTransform pose)
{
    const rblMat3 r = rbl_quat_to_mat3(pose.q);
    const rblVec3 half = rbl_scale3(rbl_aabb_size(box), 0.5f);
    const rblVec3 reach = {fabsf(r.cx.x) * half.x + fabsf(r.cy.x) * half.y + fabsf(r.cz.x) * half.z,
                           fabsf(r.cx.y) * half.x + fabsf(r.cy.y) * half.y + fabsf(r.cz.y) * half.z,
                           fabsf(r.cx.z) * half.x + fabsf(r.cy.z) * half.y + fabsf(r.cz.z) * half.z};
    return box_around(rbl_add3(rbl_mat3_apply(&r, rbl_aabb_center(box)), pose.p), reach);
}

// The largest lane of each of three.
static rblVec3 largest_lanes(rblFloat4 x, rblFloat4 y, rblFloat4 z)
{
    rblFloat4 w = z;
    rbl_transpose4(&x, &y, &z, &w);
    float out[4];
    rbl_store4(out, rbl_max4(rbl_max4(x, y), rbl_max4(z, w)));
    return (rblVec3){out[0], out[1], out[2]};
}

static rblFloat4 row_dot(const float* v, float x, float y, float z)
{
    return rbl_add4(
        rbl_add4(rbl_mul4(rbl_load4(v), rbl_splat4(x)), rbl_mul4(rbl_load4(v + 4), rbl_splat4(y))),
        rbl_mul4(rbl_load4(v + 8), rbl_splat4(z)));
}

// The turned vertices, four at a time; lower ends as largest opposites.
static rblAabb hull_box(const rblHull* hull, rblTransform pose)
{
    const rblMat3 r = rbl_quat_to_mat3(pose.q);
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 lowest = rbl_splat4(-INFINITY);
    rblFloat4 high[3] = {lowest, lowest, lowest};
    rblFloat4 low[3] = {lowest, lowest, lowest};
    const float* v = hull->vertices;
    for (uint32_t b = 0; b < hull->vertex_blocks; ++b, v += 12)
    {
        const rblFloat4 x = row_dot(v, r.cx.x, r.cy.x, r.cz.x);
        const rblFloat4 y = row_dot(v, r.cx.y, r.cy.y, r.cz.y);
        const rblFloat4 z = row_dot(v, r.cx.z, r.cy.z, r.cz.z);
        high[0] = rbl_max4(x, high[0]);
        high[1] = rbl_max4(y, high[1]);
        high[2] = rbl_max4(z, high[2]);
        low[0] = rbl_max4(rbl_sub4(zero, x), low[0]);
        low[1] = rbl_max4(rbl_sub4(zero, y), low[1]);
        low[2] = rbl_max4(rbl_sub4(zero, z), low[2]);
    }
    const rblAabb box = {rbl_neg3(largest_lanes(low[0], low[1], low[2])),
                         largest_lanes(high[0], high[1], high[2])};
    const rblVec3 center = rbl_aabb_center(box);
    const rblVec3 half = rbl_scale3(rbl_aabb_size(box), 0.5f);
    const rblAabb turned = box_around(center, half);
    return box_around(rbl_add3(center, pose.p), rbl_scale3(rbl_aabb_size(turned), 0.5f));
}

// A segment or a disc-capped barrel along the turned y axis.
static rblAabb round_box(const rblPrimitive* p, rblShapeKind kind, rblTransform pose)
{
    const rblVec3 axis = rbl_rotate3(pose.q, (rblVec3){0, 1, 0});
    const rblVec3 along = {fabsf(axis.x) * p->half_height, fabsf(axis.y) * p->half_height,
                           fabsf(axis.z) * p->half_height};
    rblVec3 across = {p->radius, p->radius, p->radius};
    if (kind == RBL_SHAPE_CYLINDER)
    {
        across.x *= sqrtf(rbl_maxf(1.0f - axis.x * axis.x, 0.0f));
        across.y *= sqrtf(rbl_maxf(1.0f - axis.y * axis.y, 0.0f));
        across.z *= sqrtf(rbl_maxf(1.0f - axis.z * axis.z, 0.0f));
        // Near an axis the root above has no digits left: 1 - a^2 is wrong by about 2^-23, its root by 2^-11.5.
        const float least = 4e-4f * p->radius;
        across = rbl_add3(across, (rblVec3){least, least, least});
    }
    return box_around(pose.p, rbl_add3(along, across));
}

rblAabb rbl_shape_bounds_at(const rblShapeView* shape, rblTransform pose)
{
    switch (shape->kind)
    {
    case RBL_SHAPE_PLANE:
        return shape->bounds;
    case RBL_SHAPE_SPHERE:
    case RBL_SHAPE_CAPSULE:
    case RBL_SHAPE_CYLINDER:
        return round_box(shape->data, shape->kind, pose);
    case RBL_SHAPE_HULL:
        return hull_box(shape->data, pose);
    default:
        return turned_box(shape->bounds, pose);
    }
}

// ---- rays ----

#define MAX_MARCH_STEPS 512

// March by the distances of the field (Hart 1996, "Sphere tracing"): each step is as long as nothing can be in the way.
// Arrived when closer than a part of the shape's size.
static bool march(const rblShape* shape, const rblRay* ray, rblShapeHit* hit)
{
    const float speed = rbl_length3(ray->direction);
    const float arrived = 1e-4f * shape->view.radius;
    float t = ray->t_min;
    for (uint32_t i = 0; i < MAX_MARCH_STEPS && t <= ray->t_max; ++i)
    {
        const rblVec3 p = rbl_mul_add3(ray->origin, t, ray->direction);
        const float distance = rbl_shape_distance(shape, p, &hit->normal);
        if (distance <= arrived)
        {
            hit->t = t;
            return true;
        }
        t += distance / speed;
    }
    return false;
}

// Where rounding put the start just outside and the entry just before it, the ray enters at its start.
static bool clip_hit(const rblShape* shape, const rblRay* ray, float speed, rblShapeHit* hit)
{
    const float size = shape->view.bounded ? shape->view.radius : 0.0f;
    const float slack = 1e-6f * (rbl_length3(ray->origin) + size) / speed + 1e-6f * fabsf(ray->t_min);
    if (!(hit->t >= ray->t_min - slack && hit->t <= ray->t_max))
    {
        return false;
    }
    hit->t = rbl_maxf(hit->t, ray->t_min);
    return true;
}

bool rbl_shape_ray(const rblShape* shape, const rblRay* ray, rblShapeHit* hit)
{
    rblShapeHit found = {ray->t_min, {0, 1, 0}};
    const rblVec3 start = rbl_mul_add3(ray->origin, ray->t_min, ray->direction);
    const float speed = rbl_length3(ray->direction);
    if (!rbl_finite3(start) || !(speed > 0.0f) || !rbl_finite((double)speed) || !(ray->t_min <= ray->t_max))
    {
        return false;
    }
    bool hits = rbl_shape_distance(shape, start, &found.normal) <= 0.0f;
    if (!hits)
    {
        hits = shape->ops->ray != NULL
                   ? shape->ops->ray(shape->data, ray, &found) && clip_hit(shape, ray, speed, &found)
                   : march(shape, ray, &found);
    }
    if (hits)
    {
        *hit = found;
    }
    return hits;
}
