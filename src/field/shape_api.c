// Functions that are the same for all kinds of shapes: distances, boxes at a pose, rays.
#include "base/error.h"
#include "field/engine.h"
#include "field/shape.h"
#include "math/aabb.h"
#include "math/transform.h"
#include <stddef.h>

float rbl_shape_distance(const rblShape* shape, rblVec3 point, rblVec3* gradient)
{
    rblVec3 unused;
    rblVec3* slope = gradient == NULL ? &unused : gradient;
    if (shape == NULL)
    {
        *slope = (rblVec3){0, 0, 0};
        return INFINITY;
    }
    return shape->kind->distance(shape->data, point, slope);
}

const void* rbl_shape_memory(const rblShapeView* shape)
{
    _Static_assert(offsetof(rblShape, view) <= RBL_SHAPE_HEAD_BYTES, "contacts read the head of a shape");
    const rblHull* hull = shape->shape->core.hull;
    return hull != NULL ? (const void*)hull : shape->shape->data;
}

bool rbl_shape_can_rebuild(const rblShapeView* shape)
{
    return shape->shape->kind->rebuild != NULL;
}

rblResult rbl_shape_rebuild(const rblShapeView* shape, rblShapeId* out)
{
    if (shape == NULL || shape->shape == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "shape rebuild: shape and out must not be null");
    }
    if (!rbl_shape_can_rebuild(shape))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "shape rebuild: the shape must have the hierarchy of its parent; a %s has its own",
                        shape->kind);
    }
    return shape->shape->kind->rebuild(shape->shape, out);
}

// ---- boxes ----

static rblAabb turned_box(rblAabb box, rblTransform pose)
{
    const rblMat3 r = rbl_quat_to_mat3(pose.q);
    const rblVec3 half = rbl_scale3(rbl_aabb_size(box), 0.5f);
    const rblVec3 reach = {fabsf(r.cx.x) * half.x + fabsf(r.cy.x) * half.y + fabsf(r.cz.x) * half.z,
                           fabsf(r.cx.y) * half.x + fabsf(r.cy.y) * half.y + fabsf(r.cz.y) * half.z,
                           fabsf(r.cx.z) * half.x + fabsf(r.cy.z) * half.y + fabsf(r.cz.z) * half.z};
    return rbl_rounded_box(rbl_add3(rbl_mat3_apply(&r, rbl_aabb_center(box)), pose.p), reach);
}

rblAabb rbl_shape_bounds_at(const rblShapeView* view, rblTransform pose)
{
    const rblShape* shape = view != NULL ? view->shape : NULL;
    if (shape == NULL)
    {
        return rbl_aabb_empty();
    }
    return shape->kind->bounds_at != NULL ? shape->kind->bounds_at(shape, pose)
                                          : turned_box(view->bounds, pose);
}

// ---- rays ----

#define MAX_MARCH_STEPS 512 // of a ray
// Sphere tracing (Hart 1996): each step is as long as the distance. The ray hits when the distance is below a fraction
// of the shape's size.
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

// By rounding, the start may be just outside while the hit is just before the start: then the ray hits at its start.
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

rblShapeHit rbl_shape_ray(const rblShape* shape, const rblRay* ray)
{
    const rblShapeHit nothing = {INFINITY, {0, 0, 0}};
    if (shape == NULL || ray == NULL)
    {
        return nothing;
    }
    rblShapeHit found = {ray->t_min, {0, 1, 0}};
    const rblVec3 start = rbl_mul_add3(ray->origin, ray->t_min, ray->direction);
    const float speed = rbl_length3(ray->direction);
    if (!rbl_finite3(start) || !(speed > 0.0f) || !rbl_finite((double)speed) || !(ray->t_min <= ray->t_max))
    {
        return nothing;
    }
    bool hits = rbl_shape_distance(shape, start, &found.normal) <= 0.0f;
    if (!hits)
    {
        hits = shape->kind->ray != NULL
                   ? shape->kind->ray(shape->data, ray, &found) && clip_hit(shape, ray, speed, &found)
                   : march(shape, ray, &found);
    }
    return hits ? found : nothing;
}
