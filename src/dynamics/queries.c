// Queries of a world: rays, casts, overlaps.
#include "dynamics/queries.h"

#include "dynamics/pair_list.h"
#include "dynamics/step.h"
#include <math.h>

static rblTransform pose_of(const rblWorld* world, uint32_t slot)
{
    return rbl_shape_pose(&world->bodies.data[slot], &world->motions.data[slot]);
}

// ---- hits ----

// The nearest hits, sorted. Of equal distances the lower slot comes first, whatever the order of visits.
typedef struct Hits
{
    rblWorldHit* out;
    uint32_t capacity, count;
} Hits;

static bool comes_before(const rblWorldHit* a, const rblWorldHit* b)
{
    return a->t < b->t || (a->t == b->t && a->body.index1 < b->body.index1);
}

static void add_hit(Hits* hits, rblWorldHit hit)
{
    const uint32_t kept = hits->count < hits->capacity ? hits->count : hits->capacity;
    hits->count += 1;
    if (kept == hits->capacity && (kept == 0 || !comes_before(&hit, &hits->out[kept - 1])))
    {
        return;
    }
    uint32_t at = kept < hits->capacity ? kept : kept - 1;
    while (at > 0 && comes_before(&hit, &hits->out[at - 1]))
    {
        hits->out[at] = hits->out[at - 1];
        at -= 1;
    }
    hits->out[at] = hit;
}

// ---- rays ----

typedef struct RayQuery
{
    const rblWorld* world;
    uint64_t mask;
    bool all; // otherwise the nearest hit shortens the ray
    Hits hits;
} RayQuery;

static float visit_ray(uint32_t slot, const rblRay* ray, void* context)
{
    RayQuery* query = context;
    const rblBody* body = &query->world->bodies.data[slot];
    if (body->sensor || (body->filter.category & query->mask) == 0)
    {
        return ray->t_max;
    }
    const rblTransform pose = pose_of(query->world, slot);
    rblRay local = *ray;
    local.origin = rbl_transform_inverse_point(pose, ray->origin);
    local.direction = rbl_inverse_rotate3(pose.q, ray->direction);
    const rblShapeHit hit = rbl_shape_ray(body->shape.shape, &local);
    if (!(hit.t < INFINITY))
    {
        return ray->t_max;
    }
    add_hit(&query->hits, (rblWorldHit){
                              .body = rbl_body_id(query->world, slot),
                              .t = hit.t,
                              .point = rbl_mul_add3(ray->origin, hit.t, ray->direction),
                              .normal = rbl_rotate3(pose.q, hit.normal),
                          });
    return query->all ? ray->t_max : query->hits.out[0].t;
}

static rblResult check_ray(const rblRay* ray)
{
    if (!rbl_finite3(ray->origin) || !rbl_finite3(ray->direction) || !(rbl_length3(ray->direction) > 0.0f) ||
        !rbl_finite((double)rbl_length3(ray->direction)) || !rbl_finite((double)ray->t_min) ||
        !(ray->t_min <= ray->t_max))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "ray: origin is (%g, %g, %g), must be finite; direction is (%g, %g, %g), must be of "
                        "finite length and not zero; t_min is %g, must be finite and not above t_max %g",
                        RBL_XYZ(ray->origin), RBL_XYZ(ray->direction), (double)ray->t_min,
                        (double)ray->t_max);
    }
    return RBL_OK;
}

rblResult rbl_world_ray(rblWorldId id, const rblRay* ray, uint64_t mask, rblWorldHit* out)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (ray == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "ray: ray and out must not be null");
    }
    RBL_TRY(check_ray(ray));
    rblWorldHit hit = {.t = INFINITY};
    RayQuery query = {.world = world, .mask = mask, .hits = {.out = &hit, .capacity = 1}};
    rbl_broad_phase_ray(world->broad, ray, rbl_vec3(0, 0, 0), visit_ray, &query);
    *out = hit;
    return RBL_OK;
}

rblResult rbl_world_ray_all(rblWorldId id, const rblRay* ray, uint64_t mask, rblWorldHit* out,
                            uint32_t capacity, uint32_t* count)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (ray == NULL || count == NULL || (out == NULL && capacity > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "ray: ray, out and count must not be null");
    }
    RBL_TRY(check_ray(ray));
    RayQuery query = {.world = world, .mask = mask, .all = true, .hits = {.out = out, .capacity = capacity}};
    rbl_broad_phase_ray(world->broad, ray, rbl_vec3(0, 0, 0), visit_ray, &query);
    *count = query.hits.count;
    return RBL_OK;
}

// ---- casts ----

typedef struct CastQuery
{
    const rblWorld* world;
    uint64_t mask;
    rblShapeView shape;
    rblSweep sweep;
    Hits hits;
} CastQuery;

static bool visit_cast(uint32_t slot, void* context)
{
    CastQuery* query = context;
    const rblBody* body = &query->world->bodies.data[slot];
    if (body->sensor || (body->filter.category & query->mask) == 0)
    {
        return true;
    }
    const rblSweep still = {pose_of(query->world, slot), {0, 0, 0}, {0, 0, 0}};
    const float tolerance = rbl_meeting_distance(&query->shape, &body->shape);
    const float t = rbl_shape_time_of_impact(&query->shape, &query->sweep, &body->shape, &still, tolerance,
                                             0.5f * tolerance);
    if (t < 1.0f)
    {
        add_hit(&query->hits, (rblWorldHit){.body = rbl_body_id(query->world, slot), .t = t});
    }
    return true;
}

// Contact point and normal where the cast shape first touches a body.
static rblResult describe_cast(const CastQuery* query, rblWorldHit* hit)
{
    const uint32_t slot = hit->body.index1 - 1;
    const rblBody* body = &query->world->bodies.data[slot];
    rblTransform at = query->sweep.from;
    at.p = rbl_mul_add3(at.p, hit->t, query->sweep.translation);
    const rblTransform other = pose_of(query->world, slot);
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = 1e-2f * rbl_minf(query->shape.thinnest, body->shape.thinnest);
    rblContactSet set = {0};
    const rblResult result = rbl_shape_collide(&query->shape, &body->shape, rbl_transform_relative(at, other),
                                               &options, NULL, &set);
    if (result != RBL_OK)
    {
        rbl_contact_set_free(&set);
        return result;
    }
    hit->point = at.p;
    float nearest = INFINITY;
    for (uint32_t i = 0; i < set.count; ++i)
    {
        if (set.points[i].distance < nearest)
        {
            nearest = set.points[i].distance;
            hit->point = rbl_transform_point(at, set.points[i].point);
            hit->normal = rbl_neg3(rbl_rotate3(at.q, set.points[i].normal));
        }
    }
    rbl_contact_set_free(&set);
    return RBL_OK;
}

static rblResult check_pose(rblTransform pose)
{
    const float square = rbl_quat_dot(pose.q, pose.q);
    const bool usable = rbl_finite3(pose.p) && square > 0.98f && square < 1.02f;
    return usable ? RBL_OK
                  : rbl_fail(RBL_ERROR_ARGUMENT,
                             "query: the position is (%g, %g, %g), must be finite; the quaternion has length "
                             "%g, must have unit length",
                             RBL_XYZ(pose.p), sqrt((double)square));
}

static rblResult cast(CastQuery* query, rblShapeId shape)
{
    RBL_TRY(rbl_shape_acquire(shape, &query->shape));
    const rblVec3 translation = query->sweep.translation;
    const rblAabb box = rbl_shape_bounds_at(&query->shape, query->sweep.from);
    const rblAabb end = {rbl_add3(box.lower, translation), rbl_add3(box.upper, translation)};
    rbl_broad_phase_query(query->world->broad, rbl_aabb_union(box, end), visit_cast, query);
    const Hits* hits = &query->hits;
    rblResult result = RBL_OK;
    for (uint32_t i = 0; i < hits->count && i < hits->capacity && result == RBL_OK; ++i)
    {
        result = describe_cast(query, &hits->out[i]);
    }
    rbl_shape_release(query->shape.shape);
    return result;
}

rblResult rbl_world_cast(rblWorldId id, rblShapeId shape, rblTransform pose, rblVec3 translation,
                         uint64_t mask, rblWorldHit* out)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    RBL_TRY(check_pose(pose));
    if (!rbl_finite3(translation) || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "cast: %s",
                        out == NULL ? "out must not be null" : "the translation must be finite");
    }
    rblWorldHit hit = {.t = INFINITY};
    CastQuery query = {.world = world,
                       .mask = mask,
                       .sweep = {pose, translation, {0, 0, 0}},
                       .hits = {.out = &hit, .capacity = 1}};
    RBL_TRY(cast(&query, shape));
    *out = hit;
    return RBL_OK;
}

rblResult rbl_world_cast_all(rblWorldId id, rblShapeId shape, rblTransform pose, rblVec3 translation,
                             uint64_t mask, rblWorldHit* out, uint32_t capacity, uint32_t* count)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    RBL_TRY(check_pose(pose));
    if (!rbl_finite3(translation) || count == NULL || (out == NULL && capacity > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "cast: %s",
                        rbl_finite3(translation) ? "out and count must not be null"
                                                 : "the translation must be finite");
    }
    CastQuery query = {.world = world,
                       .mask = mask,
                       .sweep = {pose, translation, {0, 0, 0}},
                       .hits = {.out = out, .capacity = capacity}};
    RBL_TRY(cast(&query, shape));
    *count = query.hits.count;
    return RBL_OK;
}

// ---- overlaps ----

typedef struct OverlapQuery
{
    const rblWorld* world;
    uint64_t mask;
    const rblShapeView* shape; // null: only boxes are tested
    rblTransform pose;
    rblAabb box;
    rblBodyVisitor* visit;
    void* context;
    rblContactSet set;
    rblResult result;
} OverlapQuery;

static bool visit_overlap(uint32_t slot, void* context)
{
    OverlapQuery* query = context;
    const rblBody* body = &query->world->bodies.data[slot];
    const rblTransform pose = pose_of(query->world, slot);
    if (body->sensor || (body->filter.category & query->mask) == 0 ||
        !rbl_aabb_overlaps(rbl_shape_bounds_at(&body->shape, pose), query->box))
    {
        return true;
    }
    if (query->shape != NULL)
    {
        rblCollideOptions options = rbl_default_collide_options();
        options.margin = 0.0f;
        query->result =
            rbl_shape_collide(query->shape, &body->shape, rbl_transform_relative(query->pose, pose), &options,
                              NULL, &query->set);
        if (query->result != RBL_OK || !rbl_contacts_overlap(&query->set))
        {
            return query->result == RBL_OK;
        }
    }
    return query->visit(rbl_body_id(query->world, slot), query->context);
}

rblResult rbl_world_overlap_box(rblWorldId id, rblAabb box, uint64_t mask, rblBodyVisitor* visit,
                                void* context)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    const bool usable = visit != NULL && !isnan(box.lower.x + box.lower.y + box.lower.z) &&
                        !isnan(box.upper.x + box.upper.y + box.upper.z);
    if (!usable)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "overlap: the visitor must not be null, the box must not be NaN");
    }
    OverlapQuery query = {.world = world, .mask = mask, .box = box, .visit = visit, .context = context};
    rbl_broad_phase_query(world->broad, box, visit_overlap, &query);
    return RBL_OK;
}

rblResult rbl_world_overlap_shape(rblWorldId id, rblShapeId shape_id, rblTransform pose, uint64_t mask,
                                  rblBodyVisitor* visit, void* context)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    RBL_TRY(check_pose(pose));
    if (visit == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "overlap: the visitor must not be null");
    }
    rblShapeView shape;
    RBL_TRY(rbl_shape_acquire(shape_id, &shape));
    OverlapQuery query = {.world = world,
                          .mask = mask,
                          .shape = &shape,
                          .pose = pose,
                          .box = rbl_shape_bounds_at(&shape, pose),
                          .visit = visit,
                          .context = context};
    rbl_broad_phase_query(world->broad, query.box, visit_overlap, &query);
    rbl_contact_set_free(&query.set);
    rbl_shape_release(shape.shape);
    return query.result;
}

// ---- impulses of the last step ----

static bool same_id(rblBodyId a, rblBodyId b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

rblResult rbl_body_impulses(rblWorldId id, rblBodyId body, rblFeltImpulse* out, uint32_t capacity,
                            uint32_t* count)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(rbl_world_find(id, &world));
    RBL_TRY(rbl_body_find(world, body, &slot));
    if (count == NULL || (out == NULL && capacity > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "impulses: out and count must not be null");
    }
    *count = 0;
    if (!rbl_pairs_of_body(world, slot, false, &world->step->pairs_of_body, &world->step->slot_scratch))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < world->step->pairs_of_body.count; ++i)
    {
        const rblPair* pair = &world->pairs.data[world->step->pairs_of_body.data[i]];
        const bool is_a = pair->a == slot && pair->generation_a == body.generation;
        const bool is_b = pair->b == slot && pair->generation_b == body.generation;
        if (!is_a && !is_b)
        {
            continue;
        }
        const rblBodyId other = is_a ? (rblBodyId){pair->b + 1, pair->generation_b, world->serial}
                                     : (rblBodyId){pair->a + 1, pair->generation_a, world->serial};
        const float side = is_b ? pair->share_b : -pair->share_a;
        for (uint32_t c = 0; c < pair->count; ++c)
        {
            const rblContact* contact = &world->contacts.data[pair->first + c];
            const rblVec3 lasting = rbl_mul_add3(contact->friction, contact->normal_impulse, contact->normal);
            // In the frame of this body, because the other one may be destroyed.
            const rblVec3 point = rbl_transform_point(rbl_motion_pose(&world->motions.data[slot]),
                                                      is_a ? contact->anchor_a : contact->anchor_b);
            if (rbl_dot3(lasting, lasting) > 0.0f)
            {
                if (*count < capacity)
                {
                    out[*count] = (rblFeltImpulse){.other = other,
                                                   .point = point,
                                                   .impulse = rbl_scale3(lasting, side),
                                                   .duration = world->step->seconds};
                }
                *count += 1;
            }
        }
    }
    for (size_t i = 0; i < world->impacts.count; ++i)
    {
        const rblImpactRecord* impact = &world->impacts.data[i];
        const bool is_a = same_id(impact->a, body);
        if (!is_a && !same_id(impact->b, body))
        {
            continue;
        }
        if (*count < capacity)
        {
            out[*count] = (rblFeltImpulse){.other = is_a ? impact->b : impact->a,
                                           .point = impact->point,
                                           .impulse = is_a ? rbl_neg3(impact->impulse) : impact->impulse,
                                           .speed = impact->speed,
                                           .duration = impact->duration};
        }
        *count += 1;
    }
    return RBL_OK;
}
