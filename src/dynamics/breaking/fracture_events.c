// Breaks on demand, and the events of breaks.
#include "dynamics/breaking/fracture.h"
#include "dynamics/stages.h"
#include <math.h>
#include <string.h>

// ---- tuning ----

#define MAX_STEPS        16    // largest number of steps along the distance field of a body to its surface
#define SURFACE_DISTANCE 1e-4f // of the radius of the body: points within this distance are on the surface

// ---- events ----

static uint32_t count_debris(const rblFracture* fracture)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        count += fracture->fragments[i].debris;
    }
    return count;
}

rblResult rbl_break_report(rblStep* step, const rblBreakPlan* plan, double mass_error)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    const rblBody* body = &world->bodies.data[plan->slot];
    rblBreakEvent event = {
        .body = rbl_body_id(world, plan->slot),
        .fragment_count = plan->fracture.fragment_count,
        .merged = plan->fracture.merged,
        .debris = count_debris(&plan->fracture),
        .mate_count = plan->fracture.mate_count,
        .point = plan->verdict.point,
        .normal = plan->verdict.normal,
        .severity = plan->verdict.severity,
        .crack_area = plan->fracture.crack_area,
        .surface_energy = plan->cost,
        .elastic_energy = plan->fracture.elastic_energy,
        .mass_error = mass_error,
        .user_data = body->user_data,
    };
    if (plan->payer != RBL_NONE)
    {
        const rblPairImpact* impact = &stage->pair_impacts.data[plan->payer];
        const rblPairImpact* cause = &stage->pair_impacts.data[plan->cause];
        event.by = cause->a == plan->slot ? cause->id_b : cause->id_a;
        event.impulse = cause->normal_impulse;
        event.speed = cause->speed;
        event.kinetic_lost = impact->cost > 0.0 ? impact->lost * plan->cost / impact->cost : 0.0;
    }
    if (!rbl_array_reserve_more(&world->break_log.ids, plan->fracture.fragment_count) ||
        !rbl_array_reserve_more(&world->break_log.mates, plan->fracture.mate_count) ||
        !rbl_array_push(&world->break_log.events, event))
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < plan->fracture.fragment_count; ++i)
    {
        const uint32_t slot = stage->fragments.data[i];
        world->break_log.ids.data[world->break_log.ids.count++] = rbl_body_id(world, slot);
    }
    for (uint32_t i = 0; i < plan->fracture.mate_count; ++i)
    {
        world->break_log.mates.data[world->break_log.mates.count++] = plan->fracture.mates[i];
    }
    return RBL_OK;
}

// The last event is that of the last break, and breaks are numbered. Contacts of siblings of an earlier step lose energy as any
// other contact.
double rbl_break_add_heat(rblWorld* world, uint32_t slot, double energy)
{
    const size_t age = world->breaks - world->bodies.data[slot].sibling_group;
    const size_t count = world->break_log.events.count;
    if (!(energy > 0.0) || age >= count)
    {
        return 0.0;
    }
    rblBreakEvent* event = &world->break_log.events.data[count - 1 - age];
    event->heat += energy;
    event->kinetic_lost += energy;
    world->contact_loss -= energy;
    return energy;
}

// Move the last `count` items of an array, from index `first` on, to its beginning. An empty array may have no memory.
static void move_down(void* items, size_t first, size_t count, size_t size)
{
    if (count > 0)
    {
        memmove(items, (const unsigned char*)items + first * size, count * size);
    }
}

void rbl_break_log_drop_reported(rblWorld* world)
{
    if (world->break_log.reported == 0)
    {
        return;
    }
    world->break_log.events.count -= world->break_log.reported;
    world->break_log.ids.count -= world->break_log.reported_ids;
    world->break_log.mates.count -= world->break_log.reported_mates;
    move_down(world->break_log.events.data, world->break_log.reported, world->break_log.events.count,
              sizeof *world->break_log.events.data);
    move_down(world->break_log.ids.data, world->break_log.reported_ids, world->break_log.ids.count,
              sizeof *world->break_log.ids.data);
    move_down(world->break_log.mates.data, world->break_log.reported_mates, world->break_log.mates.count,
              sizeof *world->break_log.mates.data);
    world->break_log.reported = world->break_log.reported_ids = world->break_log.reported_mates = 0;
}

void rbl_break_log_mark_reported(rblWorld* world)
{
    world->break_log.reported = world->break_log.events.count;
    world->break_log.reported_ids = world->break_log.ids.count;
    world->break_log.reported_mates = world->break_log.mates.count;
}

rblResult rbl_world_break_events(rblWorldId id, const rblBreakEvent** events, uint32_t* count)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (events == NULL || count == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "world: events and count must not be null");
    }
    size_t fragments = 0, mates = 0;
    for (size_t i = 0; i < world->break_log.events.count; ++i)
    {
        rblBreakEvent* event = &world->break_log.events.data[i];
        event->fragments = event->fragment_count > 0 ? world->break_log.ids.data + fragments : NULL;
        event->mates = event->mate_count > 0 ? world->break_log.mates.data + mates : NULL;
        fragments += event->fragment_count;
        mates += event->mate_count;
    }
    *events = world->break_log.events.data;
    *count = (uint32_t)world->break_log.events.count;
    return RBL_OK;
}

// ---- on demand ----

static rblResult check_demand(const rblBody* body, rblVec3 point, rblVec3 normal)
{
    if (body->breaker == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "body: the body must have a breaker to be broken");
    }
    const bool directed = normal.x != 0.0f || normal.y != 0.0f || normal.z != 0.0f;
    if (!rbl_finite3(point) || !rbl_finite3(normal) || !directed)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "body: the point of a break is (%g, %g, %g), must be finite; its normal is (%g, %g, "
                        "%g), must be finite and not zero",
                        RBL_XYZ(point), RBL_XYZ(normal));
    }
    return RBL_OK;
}

// Computed in double, because the square of any float is finite there.
static rblVec3 unit_normal(rblVec3 normal)
{
    const rblVec3d n = rbl_to_double3(normal);
    return rbl_to_float3(rbl_scale3d(n, 1.0 / rbl_length3d(n)));
}

// The point of the body nearest to a point outside: first the nearest point of its box, then steps along its distance field.
static rblVec3 nearest_point(const rblWorld* world, uint32_t slot, rblVec3 point)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblTransform pose = rbl_shape_pose(body, &world->motions.data[slot]);
    const rblVec3 limit = {1e30f, 1e30f, 1e30f}; // farther points would overflow in the transform
    const rblVec3 local =
        rbl_transform_inverse_point(pose, rbl_min3(rbl_max3(point, rbl_neg3(limit)), limit));
    rblVec3 gradient;
    if (!(rbl_shape_distance(body->shape.shape, local, &gradient) > SURFACE_DISTANCE * body->shape.radius))
    {
        return point;
    }
    rblVec3 at = rbl_min3(rbl_max3(local, body->shape.bounds.lower), body->shape.bounds.upper);
    for (int i = 0; i < MAX_STEPS; ++i)
    {
        const float distance = rbl_shape_distance(body->shape.shape, at, &gradient);
        const float length = rbl_length3(gradient);
        if (!(distance > SURFACE_DISTANCE * body->shape.radius) || !(length > 0.0f))
        {
            break;
        }
        at = rbl_mul_add3(at, -distance / length, gradient);
    }
    return rbl_transform_point(pose, at);
}

// The cracks of a break on demand are paid by external work.
static rblResult break_now(rblWorld* world, rblBreakPlan* plan)
{
    RBL_TRY(rbl_body_prepare_breaker(&world->bodies.data[plan->slot], world->jobs));
    RBL_TRY(rbl_body_shatter(world->step, plan));
    if (plan->fracture.fragment_count == 0)
    {
        return RBL_OK;
    }
    rbl_slot_wake_neighbours(world, plan->slot);
    double work = plan->cost;
    RBL_TRY(rbl_body_replace(world->step, plan, &work));
    world->pending_work += work;
    return RBL_OK;
}

rblResult rbl_body_break(rblWorldId world_id, rblBodyId id, rblVec3 point, rblVec3 normal)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(rbl_world_find(world_id, &world));
    RBL_TRY(rbl_body_find(world, id, &slot));
    RBL_TRY(check_demand(&world->bodies.data[slot], point, normal));
    rblBreakPlan plan = {
        .slot = slot,
        .payer = RBL_NONE,
        .cause = RBL_NONE,
        .verdict =
            {
                .breaks = true,
                .point = nearest_point(world, slot, point),
                .normal = unit_normal(normal),
                .severity = 1.0f,
                .budget = (double)INFINITY,
                .max_fragments = rbl_max_fragments(world, 1),
            },
    };
    world->busy = true;
    const rblResult result = break_now(world, &plan);
    world->busy = false;
    rbl_fracture_free(&plan.fracture);
    RBL_TRY(result);
    RBL_NOTE_CALL(world, .code = RBL_CALL_BODY_BREAK, .body = id, .first = point, .second = normal);
    return RBL_OK;
}
