// Worlds for tests: a few shapes, bodies in one line, and an eye on the energy.
#ifndef RBL_TESTS_WORLD_TESTING_H
#define RBL_TESTS_WORLD_TESTING_H

#include "testing.h"

#include "dynamics/world_check.h"
#include "math/quat.h"
#include "math/vec.h"
#include "rubble/joint.h"

#define STEP (1.0f / 30.0f)

static inline rblVec3 vec(float x, float y, float z)
{
    return (rblVec3){x, y, z};
}

// ---- shapes ----

static inline rblShapeId make_box(float x, float y, float z)
{
    rblShapeId shape;
    check_ok(rbl_shape_create_box((rblVec3){x, y, z}, &shape));
    return shape;
}

static inline rblShapeId make_sphere(float radius)
{
    rblShapeId shape;
    check_ok(rbl_shape_create_sphere(radius, &shape));
    return shape;
}

static inline rblShapeId make_ground(void)
{
    rblShapeId shape;
    check_ok(rbl_shape_create_plane((rblVec3){0, 1, 0}, &shape));
    return shape;
}

// ---- worlds and bodies ----

static inline rblWorldId make_world(bool sleeping)
{
    rblWorldDef def = rbl_default_world_def();
    def.sleeping = sleeping;
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_check_stages(world, RBL_CHECK_ALL));
    return world;
}

// The shape's handle is given up: the body keeps it.
static inline rblBodyId put(rblWorldId world, rblShapeId shape, rblBodyType type, rblVec3 at)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.type = type;
    def.pose.p = at;
    def.material.restitution = 0.0f;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(shape));
    return body;
}

static inline rblBodyState state_of(rblWorldId world, rblBodyId body)
{
    rblBodyState state;
    check_ok(rbl_body_state(world, body, &state));
    return state;
}

static inline rblCounters counters_of(rblWorldId world)
{
    rblCounters counters;
    check_ok(rbl_world_counters(world, &counters));
    return counters;
}

static inline uint64_t hash_of(rblWorldId world)
{
    uint64_t hash = 0;
    check_ok(rbl_world_hash(world, &hash));
    return hash;
}

static inline void step_times(rblWorldId world, int count)
{
    for (int i = 0; i < count; ++i)
    {
        check_ok(rbl_world_step(world, STEP));
    }
}

static inline bool is_finite_state(const rblBodyState* s)
{
    return rbl_finite3(s->pose.p) && rbl_finite3(s->velocity) && rbl_finite3(s->spin) &&
           rbl_finite3(s->angular_momentum) && rbl_finite((double)rbl_quat_dot(s->pose.q, s->pose.q)) &&
           rbl_finite((double)s->kinetic_energy);
}

static inline void check_all_finite(rblWorldId world)
{
    rblBodyId bodies[1024];
    uint32_t count = 0;
    check_ok(rbl_world_bodies(world, bodies, 1024, &count));
    for (uint32_t i = 0; i < count && i < 1024; ++i)
    {
        const rblBodyState now = state_of(world, bodies[i]);
        if (!is_finite_state(&now))
        {
            fail_msg("body %u is not finite", bodies[i].index1);
        }
    }
    rblEnergy energy;
    check_ok(rbl_world_energy(world, &energy));
    assert_true(rbl_finite(energy.kinetic) && rbl_finite(energy.potential) && rbl_finite(energy.work) &&
                rbl_finite(energy.dissipated));
}

// ---- energy ----

// E = kinetic + potential - work so far, and how much it rose; S = largest kinetic energy + span of the potential.
typedef struct Watch
{
    rblWorldId world;
    double energy, first, worst_rise, work;
    double kinetic_max, potential_min, potential_max;
    double rounding; // J that the last bit of all heights is worth
} Watch;

static inline double energy_of_rounding(rblWorldId world)
{
    rblBodyId bodies[1024];
    uint32_t count = 0;
    double sum = 0.0;
    check_ok(rbl_world_bodies(world, bodies, 1024, &count));
    for (uint32_t i = 0; i < count && i < 1024; ++i)
    {
        const rblBodyState now = state_of(world, bodies[i]);
        sum += 9.81 * (double)(now.mass * rbl_length3(now.center)) * 1.2e-7;
    }
    return sum;
}

static inline Watch watch(rblWorldId world)
{
    rblEnergy energy;
    check_ok(rbl_world_energy(world, &energy));
    const double total = energy.kinetic + energy.potential;
    return (Watch){.world = world,
                   .energy = total,
                   .first = total,
                   .kinetic_max = energy.kinetic,
                   .potential_min = energy.potential,
                   .potential_max = energy.potential,
                   .rounding = energy_of_rounding(world)};
}

static inline void watched_step(Watch* w, float seconds)
{
    check_ok(rbl_world_step(w->world, seconds));
    rblEnergy energy;
    check_ok(rbl_world_energy(w->world, &energy));
    w->work += energy.work;
    const double now = energy.kinetic + energy.potential - w->work;
    w->worst_rise = fmax(w->worst_rise, now - w->energy);
    w->energy = now;
    w->kinetic_max = fmax(w->kinetic_max, energy.kinetic);
    w->potential_min = fmin(w->potential_min, energy.potential);
    w->potential_max = fmax(w->potential_max, energy.potential);
}

// The rule of the house: no step gains more than 1e-6 of the scale, no run more than 1e-4. Positions are of 32 bits: a body of
// a ton at a height of a metre cannot be placed to better than a milli-joule.
static inline void check_energy_rule(const Watch* w)
{
    const double scale = w->kinetic_max + w->potential_max - w->potential_min;
    if (w->worst_rise > 1e-6 * scale + w->rounding || w->energy - w->first > 1e-4 * scale + w->rounding)
    {
        fail_msg("energy rose by %.3g in a step and %.3g in all, scale %.3g", w->worst_rise,
                 w->energy - w->first, scale);
    }
}

#endif
