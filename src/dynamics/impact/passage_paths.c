// The paths of bodies in a substep: their flights to impacts, and the rest (passages.c).
#include "dynamics/impact/impacts.h"
#include "dynamics/impact/passages.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- flights ----

void rbl_flights_forget(rblStep* step)
{
    rbl_array_clear(&step->passages->flown);
}

rblResult rbl_flight_note(rblStep* step, uint32_t index, float seconds)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const float begin = step->clocks.data[index];
    const bool slides = step->impact->freedoms.data[index] != RBL_FREEDOM_FREE;
    const rblFlown flown = {.slot = body->slot,
                            .generation = world->bodies.data[body->slot].generation,
                            .begin = begin,
                            .end = begin + seconds,
                            .motion = world->motions.data[body->slot],
                            .acceleration =
                                slides ? rbl_vec3(0, 0, 0) : rbl_body_linear_acceleration(world, body)};
    return rbl_array_push(&step->passages->flown, flown) ? RBL_OK : rbl_fail_memory();
}

// Lists of the flights of each body, in the order of time.
bool rbl_flights_chain(rblStep* step)
{
    rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    if (!rbl_array_resize_amply(&stage->firsts, step->solver_bodies.count) ||
        !rbl_array_resize_amply(&stage->nexts, stage->flown.count))
    {
        return false;
    }
    for (size_t i = 0; i < step->solver_bodies.count; ++i)
    {
        stage->firsts.data[i] = 0;
    }
    for (uint32_t f = (uint32_t)stage->flown.count; f-- > 0;)
    {
        const rblFlown* flown = &stage->flown.data[f];
        const bool alive = world->bodies.data[flown->slot].generation == flown->generation;
        const uint32_t index = alive ? step->solver_index.data[flown->slot] : 0;
        stage->nexts.data[f] = stage->firsts.data[index];
        stage->firsts.data[index] = f + 1;
    }
    stage->firsts.data[0] = 0;
    return true;
}

// ---- paths ----

// Whether the body fell freely after its flights.
static bool falls(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    return rbl_is_dynamic(step, index) && world->bodies.data[step->solver_bodies.data[index].slot].falls;
}

rblVec3 rbl_last_acceleration(const rblStep* step, uint32_t index)
{
    return falls(step, index) ? rbl_body_linear_acceleration(step->world, &step->solver_bodies.data[index])
                              : rbl_vec3(0, 0, 0);
}

// The legs of a body: its flights, then the rest of the substep.
bool rbl_path_make(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    struct rblPassageStage* stage = step->passages;
    rblPath* path = &stage->paths.data[index];
    if (index == 0 || path->count > 0)
    {
        return true;
    }
    const rblSolverBody* solver = &step->solver_bodies.data[index];
    const rblBody* body = &world->bodies.data[solver->slot];
    const rblMotion* now = &world->motions.data[solver->slot];
    rblMotion last = stage->saved.data[index];
    *path = (rblPath){.first = (uint32_t)stage->legs.count};
    if (stage->displaces)
    {
        last.spin = rbl_vec3(0, 0, 0);
        path->count = 1;
        path->end = step->seconds;
        return rbl_legs_add(body, &last, rbl_motion_pose(now), rbl_vec3(0, 0, 0), 0.0f, path->end,
                            &stage->legs);
    }
    for (uint32_t f = stage->firsts.data[index]; f != 0; f = stage->nexts.data[f - 1])
    {
        const rblFlown* flown = &stage->flown.data[f - 1];
        const uint32_t next = stage->nexts.data[f - 1];
        const rblMotion* to = next != 0 ? &stage->flown.data[next - 1].motion : &last;
        if (!rbl_legs_add(body, &flown->motion, rbl_motion_pose(to), flown->acceleration, flown->begin,
                          flown->end, &stage->legs))
        {
            return false;
        }
    }
    const float begin = step->clocks.data[index];
    path->end = rbl_minf(begin + solver->seconds, step->seconds);
    last.momentum = rbl_scale3(rbl_add3(last.momentum, now->momentum), 0.5f);
    last.spin = rbl_scale3(rbl_add3(solver->spin, step->before_contacts.data[index].spin), 0.5f);
    if (!rbl_legs_add(body, &last, rbl_motion_pose(now), rbl_last_acceleration(step, index), begin, path->end,
                      &stage->legs))
    {
        return false;
    }
    path->count = (uint32_t)stage->legs.count - path->first;
    return true;
}

// The leg at a time, and until when it holds.
rblLeg rbl_path_leg(const rblStep* step, uint32_t slot, float time)
{
    const rblWorld* world = step->world;
    const struct rblPassageStage* stage = step->passages;
    const uint32_t index = step->solver_index.data[slot];
    const float end = step->seconds;
    if (index == 0)
    {
        return rbl_leg_at_rest(rbl_motion_pose(&world->motions.data[slot]), 0.0f, end);
    }
    const rblPath* path = &stage->paths.data[index];
    const rblLeg* legs = &stage->legs.data[path->first];
    if (time >= path->end)
    {
        return rbl_leg_at_rest(rbl_path_pose(step, index, path->end), path->end, end);
    }
    if (time < legs[0].begin) // a fragment that was born later
    {
        return rbl_leg_at_rest(rbl_leg_pose(&legs[0], time), 0.0f, legs[0].begin);
    }
    uint32_t i = 0;
    while (i + 1 < path->count && legs[i].end <= time)
    {
        ++i;
    }
    return legs[i];
}

rblTransform rbl_path_pose(const rblStep* step, uint32_t index, float time)
{
    const struct rblPassageStage* stage = step->passages;
    const rblPath* path = &stage->paths.data[index];
    const rblLeg* legs = &stage->legs.data[path->first];
    const float at = rbl_minf(time, path->end);
    uint32_t i = 0;
    while (i + 1 < path->count && legs[i].end < at)
    {
        ++i;
    }
    return rbl_leg_pose(&legs[i], at);
}

float rbl_path_end(const rblStep* step, uint32_t slot)
{
    const uint32_t index = step->solver_index.data[slot];
    return index != 0 ? step->passages->paths.data[index].end : 0.0f;
}
