// Sensors: bodies that collide with nothing and report which bodies overlap them.
//
// A body overlaps a sensor at the end of a substep, or has crossed it on the straight line of its motion in the substep. The
// overlaps of the last substep are stored, sorted by sensor and body; events are the differences. One thread does all this, in
// the order of slots.
#include "base/sort.h"
#include "dynamics/queries.h"
#include "dynamics/stages.h"
#include "math/trig.h"

#include <math.h>

typedef struct Search
{
    rblStep* step;
    uint32_t sensor;
    bool complete; // false: out of memory
} Search;

static bool sees(const rblWorld* world, uint32_t sensor, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    return !body->sensor && body->type != RBL_BODY_STATIC &&
           rbl_filters_agree(&world->bodies.data[sensor].filter, &body->filter);
}

static bool add_candidate(uint32_t slot, void* context)
{
    Search* search = context;
    if (sees(search->step->world, search->sensor, slot))
    {
        search->complete = rbl_array_push(&search->step->sensed_bodies, slot);
    }
    return search->complete;
}

// The motion of a shape in the substep.
static rblSweep sweep_of(const rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    const rblTransform start = body->type == RBL_BODY_STATIC ? rbl_motion_pose(motion) : body->previous;
    rblQuat turn = rbl_quat_mul(motion->orientation, rbl_quat_conjugate(start.q));
    const double sign = turn.w < 0.0f ? -1.0 : 1.0;
    const rblVec3d sine = rbl_scale3d(rbl_vec3d((double)turn.x, (double)turn.y, (double)turn.z), sign);
    const double length = rbl_length3d(sine);
    const double angle = 2.0 * rbl_atan2(length, sign * (double)turn.w);
    const rblVec3d rotation = length > 0.0 ? rbl_scale3d(sine, angle / length) : rbl_vec3d(0, 0, 0);
    return (rblSweep){rbl_transform_mul(start, body->shape_in_body), rbl_sub3(motion->center, start.p),
                      rbl_to_float3(rotation)};
}

static bool overlaps_now(Search* search, uint32_t slot, bool* overlaps)
{
    rblStep* step = search->step;
    const rblWorld* world = step->world;
    const rblBody* a = &world->bodies.data[search->sensor];
    const rblBody* b = &world->bodies.data[slot];
    const rblTransform pose_a = rbl_shape_pose(a, &world->motions.data[search->sensor]);
    const rblTransform pose_b = rbl_shape_pose(b, &world->motions.data[slot]);
    rblCollideOptions options = rbl_default_collide_options();
    options.margin = 0.0f;
    *overlaps = false;
    if (!rbl_aabb_overlaps(rbl_shape_bounds_at(&a->shape, pose_a), rbl_shape_bounds_at(&b->shape, pose_b)))
    {
        return true;
    }
    const rblResult result = rbl_shape_collide(&a->shape, &b->shape, rbl_transform_relative(pose_a, pose_b),
                                               &options, NULL, &step->sensed_contacts);
    *overlaps = result == RBL_OK && rbl_contacts_overlap(&step->sensed_contacts);
    return result == RBL_OK;
}

// The surfaces have overlapped on the way: bodies that only touch do not cross.
static bool has_crossed(const Search* search, uint32_t slot)
{
    const rblWorld* world = search->step->world;
    const rblBody* a = &world->bodies.data[search->sensor];
    const rblBody* b = &world->bodies.data[slot];
    const rblSweep sweep_a = sweep_of(world, search->sensor);
    const rblSweep sweep_b = sweep_of(world, slot);
    const float tolerance = rbl_meeting_distance(&a->shape, &b->shape);
    return rbl_shape_time_of_impact(&a->shape, &sweep_a, &b->shape, &sweep_b, -tolerance, 0.5f * tolerance) <
           1.0f;
}

// ---- events ----

static int compare_sensed(const rblSensed* a, const rblSensed* b)
{
    const uint32_t x[4] = {a->sensor, a->sensor_generation, a->body, a->body_generation};
    const uint32_t y[4] = {b->sensor, b->sensor_generation, b->body, b->body_generation};
    for (int i = 0; i < 4; ++i)
    {
        if (x[i] != y[i])
        {
            return x[i] < y[i] ? -1 : 1;
        }
    }
    return 0;
}

static bool report(rblWorld* world, const rblSensed* sensed, bool begins)
{
    const rblSensorEvent event = {
        .sensor = {sensed->sensor + 1, sensed->sensor_generation, world->serial},
        .body = {sensed->body + 1, sensed->body_generation, world->serial},
        .begins = begins,
    };
    return rbl_array_push(&world->sensor_events, event);
}

static bool was_sensed(const rblWorld* world, const rblSensed* sensed)
{
    size_t from = 0;
    size_t to = world->sensed.count;
    while (from < to)
    {
        const size_t middle = (from + to) / 2;
        const int order = compare_sensed(&world->sensed.data[middle], sensed);
        if (order == 0)
        {
            return true;
        }
        from = order < 0 ? middle + 1 : from;
        to = order < 0 ? to : middle;
    }
    return false;
}

// ---- all sensors ----

static bool sense_body(Search* search, uint32_t slot)
{
    rblStep* step = search->step;
    rblWorld* world = step->world;
    const rblSensed sensed = {search->sensor, world->bodies.data[search->sensor].generation, slot,
                              world->bodies.data[slot].generation};
    bool overlaps = false;
    if (!overlaps_now(search, slot, &overlaps))
    {
        return false;
    }
    if (overlaps)
    {
        return (was_sensed(world, &sensed) || report(world, &sensed, true)) &&
               rbl_array_push(&step->sensed_now, sensed);
    }
    return was_sensed(world, &sensed) || !has_crossed(search, slot) ||
           (report(world, &sensed, true) && report(world, &sensed, false));
}

static bool sense(rblStep* step, uint32_t sensor)
{
    rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[sensor];
    const rblSweep sweep = sweep_of(world, sensor);
    const rblTransform pose = rbl_shape_pose(body, &world->motions.data[sensor]);
    const rblAabb box = rbl_aabb_union(rbl_shape_bounds_at(&body->shape, sweep.from),
                                       rbl_shape_bounds_at(&body->shape, pose));
    Search search = {step, sensor, true};
    rbl_array_clear(&step->sensed_bodies);
    rbl_broad_phase_query(world->broad, box, add_candidate, &search);
    if (!search.complete)
    {
        return false;
    }
    const size_t count = step->sensed_bodies.count;
    if (count == 0)
    {
        return true;
    }
    if (!rbl_array_reserve_more(&step->sensed_bodies, count))
    {
        return false;
    }
    rbl_sort_indices(step->sensed_bodies.data, step->sensed_bodies.data + count, count, rbl_before_by_value,
                     NULL);
    for (size_t i = 0; i < count; ++i)
    {
        if (!sense_body(&search, step->sensed_bodies.data[i]))
        {
            return false;
        }
    }
    return true;
}

static bool report_ends(rblStep* step)
{
    rblWorld* world = step->world;
    size_t now = 0;
    for (size_t i = 0; i < world->sensed.count; ++i)
    {
        const rblSensed* before = &world->sensed.data[i];
        while (now < step->sensed_now.count && compare_sensed(&step->sensed_now.data[now], before) < 0)
        {
            ++now;
        }
        const bool lasts =
            now < step->sensed_now.count && compare_sensed(&step->sensed_now.data[now], before) == 0;
        if (!lasts && !report(world, before, false))
        {
            return false;
        }
    }
    return true;
}

rblResult rbl_sensors_sense(rblStep* step)
{
    rblWorld* world = step->world;
    if (world->sensors == 0 && world->sensed.count == 0)
    {
        return RBL_OK;
    }
    rbl_array_clear(&step->sensed_now);
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].sensor && !sense(step, slot))
        {
            return rbl_fail_memory();
        }
    }
    if (!report_ends(step))
    {
        return rbl_fail_memory();
    }
    const rblSensedArray swap = world->sensed;
    world->sensed = step->sensed_now;
    step->sensed_now = swap;
    return RBL_OK;
}

rblResult rbl_world_sensor_events(rblWorldId id, const rblSensorEvent** events, uint32_t* count)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (events == NULL || count == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "sensor: events and count must not be null");
    }
    *events = world->sensor_events.data;
    *count = (uint32_t)world->sensor_events.count;
    return RBL_OK;
}

rblResult rbl_sensor_overlaps(rblWorldId id, rblBodyId sensor, rblBodyId* out, uint32_t capacity,
                              uint32_t* count)
{
    rblWorld* world = NULL;
    uint32_t slot = 0;
    RBL_TRY(rbl_world_find(id, &world));
    RBL_TRY(rbl_body_find(world, sensor, &slot));
    if (count == NULL || (out == NULL && capacity > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "sensor: out and count must not be null");
    }
    *count = 0;
    for (size_t i = 0; i < world->sensed.count; ++i)
    {
        const rblSensed* sensed = &world->sensed.data[i];
        if (sensed->sensor != slot || sensed->sensor_generation != sensor.generation)
        {
            continue;
        }
        if (*count < capacity)
        {
            out[*count] = (rblBodyId){sensed->body + 1, sensed->body_generation, world->serial};
        }
        *count += 1;
    }
    return RBL_OK;
}
