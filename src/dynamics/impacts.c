// Impacts: bodies in free flight are moved to their first impact, then colliding pairs bounce, one pair after the other, until
// none approaches any more (Su 2009, 3.2 clamps each of them; Guendelman 2003 is the order of things).
//
// A body whose first impact comes after t seconds flies freely until then, which keeps its energy exactly, and has the rest of
// the step for its contacts. A body that rests on something stays where it is: its support holds it meanwhile.
#include "dynamics/contact_math.h"
#include "dynamics/orientation.h"
#include "dynamics/stages.h"

#define SWEEPS      8
#define LOCAL_STEPS 8

// Approach slower than this is left to the contact solve: it costs half a step's worth of overlap and no energy.
static float impact_speed(const rblWorld* world)
{
    return rbl_maxf(0.1f * rbl_length3(world->def.gravity) * world->seconds, 1e-3f);
}

// The same for one pair: half a step's worth of overlap should not be more than its slop.
static float pair_speed(const rblWorld* world, const rblManifold* manifold)
{
    return rbl_maxf(2.0f * manifold->slop / world->seconds, 1e-3f);
}

// ---- times of impact ----

static void measure_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        const rblSolverBody* a = &world->solver_bodies.data[manifold->a];
        const rblSolverBody* b = &world->solver_bodies.data[manifold->b];
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
            const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
            contact->target = rbl_dot3(u, contact->normal);
        }
    }
}

// When the contact closes, in seconds; the whole step when it does not, negative when it is closed and holds.
static float closing_time(const rblWorld* world, const rblManifold* manifold, const rblSolverContact* contact,
                          float fastest)
{
    const float threshold = rbl_minf(fastest, pair_speed(world, manifold));
    const rblPair* pair = &world->pairs.data[manifold->pair];
    if (pair->time_of_impact < 1.0f)
    {
        return pair->time_of_impact * world->seconds;
    }
    const float speed = -contact->target;
    if (contact->gap <= 2.0f * manifold->slop)
    {
        return speed > threshold ? 0.0f : -1.0f;
    }
    return speed > threshold ? rbl_minf((contact->gap - manifold->slop) / speed, world->seconds)
                             : world->seconds;
}

// Per body, the time of its first impact: 0 for one that is held by a contact.
static bool find_times(rblWorld* world, float threshold)
{
    float* times = world->times.data;
    for (size_t i = 0; i < world->solver_bodies.count; ++i)
    {
        times[i] = world->seconds;
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0)
        {
            times[joint->solver_a] = 0.0f; // what hangs on a joint does not fly freely
            times[joint->solver_b] = 0.0f;
        }
    }
    bool any = false;
    for (size_t m = 0; m < world->manifolds.count; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            const float time =
                closing_time(world, manifold, &world->solver_contacts.data[manifold->first + i], threshold);
            any = any || (time >= 0.0f && time < world->seconds);
            times[manifold->a] = rbl_minf(times[manifold->a], rbl_maxf(time, 0.0f));
            times[manifold->b] = rbl_minf(times[manifold->b], rbl_maxf(time, 0.0f));
        }
    }
    return any;
}

static void fly(rblWorld* world, uint32_t index, float time)
{
    rblSolverBody* body = &world->solver_bodies.data[index];
    rblMotion* motion = &world->motions.data[body->slot];
    const rblBody* record = &world->bodies.data[body->slot];
    const rblVec3 acceleration = rbl_linear_acceleration(world, body);
    const rblVec3 way = rbl_mul_add3(rbl_scale3(motion->velocity, time), 0.5f * time * time, acceleration);
    motion->center = rbl_add3(motion->center, way);
    motion->velocity = rbl_mul_add3(motion->velocity, time, acceleration);
    const rblVec3 before = motion->momentum;
    const rblVec3 after = rbl_mul_add3(before, time, record->torque);
    const rblVec3 mean = rbl_scale3(rbl_add3(before, after), 0.5f);
    const double turning = rbl_rotational_energy(motion->orientation, after, motion->moments) -
                           rbl_rotational_energy(motion->orientation, before, motion->moments);
    world->energy.work += rbl_dot3d(rbl_to_double3(record->force), rbl_to_double3(way)) + turning;
    motion->orientation = rbl_advance_orientation(motion->orientation, mean, after, motion->moments, time);
    motion->momentum = after;
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
    rbl_update_inertia(motion, body);
    body->velocity = motion->velocity;
    body->spin = motion->spin;
    body->seconds -= time;
    world->at_start.data[index] = (rblVelocity){body->velocity, body->spin};
}

// Kinematic bodies only move; what they meet is solved where they are at the start of the step.
static bool fly_to_impacts(rblWorld* world)
{
    bool flown = false;
    for (uint32_t i = 1; i < world->solver_bodies.count; ++i)
    {
        const float time = world->times.data[i];
        const bool flies =
            time > 0.0f && time < world->seconds && world->solver_bodies.data[i].inverse_mass > 0.0f;
        if (flies)
        {
            fly(world, i, time);
            flown = true;
        }
        else
        {
            world->times.data[i] = 0.0f;
        }
    }
    return flown;
}

static void prepare_flown_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        rblManifold* manifold = &world->manifolds.data[m];
        if (world->times.data[manifold->a] > 0.0f || world->times.data[manifold->b] > 0.0f)
        {
            rbl_prepare_manifold(world, manifold);
        }
    }
}

// ---- one pair ----

// The normal velocity below which a contact must not stay: none for one that touches, otherwise what closes its gap in the time
// left. Flights end a slop before the surfaces meet.
static float slowest(const rblManifold* manifold, const rblSolverContact* contact)
{
    if (contact->gap <= 2.0f * manifold->slop)
    {
        return 0.0f;
    }
    return manifold->seconds > 0.0f ? -contact->gap / manifold->seconds : -INFINITY;
}

// Set targets and clear impulses. False when nothing approaches. Bodies on joints do not fly to their impacts: they bounce a
// little early, before the gap is closed, or the joint's end would lose its speed.
static bool aim(const rblWorld* world, rblManifold* manifold, const rblSolverBody* a, const rblSolverBody* b,
                float threshold, bool bounces)
{
    bool approaching = false;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
        const float speed = rbl_dot3(u, contact->normal);
        const float least = slowest(manifold, contact);
        const bool closing = speed < least - threshold;
        approaching = approaching || closing;
        const bool bounce =
            bounces && -speed > world->def.bounce_speed && (least == 0.0f || (closing && manifold->early));
        contact->target = bounce ? -manifold->restitution * speed : least;
        contact->push = 0.0f;
        contact->slide[0] = 0.0f;
        contact->slide[1] = 0.0f;
        if (least == 0.0f && -speed > manifold->hit_speed)
        {
            manifold->hit_speed = -speed;
            manifold->hit_contact = manifold->first + i;
        }
    }
    return approaching;
}

// How much of the impulses may be applied without gaining energy: eps of Su 2009, 3.2, in relative velocities, so that a
// kinematic partner is at rest in its own frame. `twice` of the energy: J.(u + u').
static float allowed_share(const rblWorld* world, const rblManifold* manifold, const rblSolverBody before[2],
                           const rblSolverBody after[2])
{
    double first = 0.0;
    double second = 0.0;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        const rblVec3 impulse = rbl_contact_impulse(contact);
        const rblVec3 u0 = rbl_relative_velocity(&before[0], &before[1], contact->arm_a, contact->arm_b);
        const rblVec3 u1 = rbl_relative_velocity(&after[0], &after[1], contact->arm_a, contact->arm_b);
        first += (double)rbl_dot3(impulse, u0);
        second += (double)rbl_dot3(impulse, u1);
    }
    if (first + second <= 0.0)
    {
        return 1.0f;
    }
    const double share = second > first ? -2.0 * first / (second - first) : 0.0;
    return share > 0.0 ? (share < 1.0 ? (float)share : 1.0f) : 0.0f;
}

static rblVec3 mix(rblVec3 from, rblVec3 to, float share)
{
    return rbl_mul_add3(from, share, rbl_sub3(to, from));
}

// Make one pair bounce. True when it had to.
static bool collide_pair(rblWorld* world, rblManifold* manifold, float threshold, uint32_t sweep)
{
    // The last sweeps only stop what still approaches, so that a row of balls comes to an end.
    const bool bounces = sweep + 2 < SWEEPS;
    rblSolverBody* a = &world->solver_bodies.data[manifold->a];
    rblSolverBody* b = &world->solver_bodies.data[manifold->b];
    if (!aim(world, manifold, a, b, rbl_minf(threshold, pair_speed(world, manifold)), bounces))
    {
        return false;
    }
    const rblSolverBody before[2] = {*a, *b};
    rblSolverBody after[2] = {*a, *b};
    for (int step = 0; step < LOCAL_STEPS; ++step)
    {
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rbl_solve_contact(&after[0], &after[1], &world->solver_contacts.data[manifold->first + i],
                              manifold->friction);
        }
    }
    world->last_change.data[manifold->a] = sweep + 1;
    world->last_change.data[manifold->b] = sweep + 1;
    const float share = allowed_share(world, manifold, before, after);
    manifold->kinematic_work += (double)share * rbl_driven_work(world, manifold, &before[0], &before[1]);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        manifold->hit_impulse += share * contact->push;
        manifold->hit = rbl_mul_add3(manifold->hit, share, rbl_contact_impulse(contact));
    }
    for (int k = 0; k < 2; ++k)
    {
        after[k].velocity = mix(before[k].velocity, after[k].velocity, share);
        after[k].spin = mix(before[k].spin, after[k].spin, share);
    }
    rbl_store_body(a, &after[0]);
    rbl_store_body(b, &after[1]);
    return true;
}

// ---- all pairs ----

typedef struct Sweep
{
    rblWorld* world;
    uint32_t first; // manifold of the colour
    float threshold;
    uint32_t number;
    atomic_bool any;
} Sweep;

// A pair that parted in the last sweep can only approach again when one of its bodies was hit since.
static bool may_approach(const rblWorld* world, const rblManifold* manifold, uint32_t sweep)
{
    return sweep == 0 || world->last_change.data[manifold->a] >= sweep ||
           world->last_change.data[manifold->b] >= sweep;
}

static void collide_block(rblRange range, void* context)
{
    Sweep* sweep = context;
    bool any = false;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblManifold* manifold = &sweep->world->manifolds.data[sweep->first + i];
        if (may_approach(sweep->world, manifold, sweep->number))
        {
            any = collide_pair(sweep->world, manifold, sweep->threshold, sweep->number) || any;
        }
    }
    if (any)
    {
        atomic_store(&sweep->any, true);
    }
}

// Each pair once. True when any had to bounce.
static bool sweep_pairs(rblWorld* world, float threshold, uint32_t number)
{
    Sweep sweep = {.world = world, .threshold = threshold, .number = number};
    atomic_init(&sweep.any, false);
    for (uint32_t c = 0; c < world->color_count; ++c)
    {
        const uint32_t count = world->color_starts[c + 1] - world->color_starts[c];
        sweep.first = world->color_starts[c];
        rbl_parallel_for(c + 1 < RBL_MAX_COLORS ? world->jobs : rbl_serial_jobs(), count, 32, collide_block,
                         &sweep);
    }
    return atomic_load(&sweep.any);
}

// ---- after ----

// A corner that was stopped does not stop the body: what is fast still may pass through, since contacts farther off are not
// known. A body that goes on into the other one after its impact gets no more of the step than it takes to get a safe way;
// the next step finds its next impact. What it loses is time, no energy.
static bool hold_back(rblWorld* world, const rblManifold* manifold)
{
    const rblPair* pair = &world->pairs.data[manifold->pair];
    if (!pair->fast)
    {
        return false;
    }
    const rblShapeView* shape_a = &world->bodies.data[pair->a].shape;
    const rblShapeView* shape_b = &world->bodies.data[pair->b].shape;
    const float way = 0.5f * rbl_minf(shape_a->bounded ? shape_a->inner_radius : INFINITY,
                                      shape_b->bounded ? shape_b->inner_radius : INFINITY);
    rblSolverBody* a = &world->solver_bodies.data[manifold->a];
    rblSolverBody* b = &world->solver_bodies.data[manifold->b];
    bool held = false;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblVec3 normal = world->solver_contacts.data[manifold->first + i].normal;
        const float closing_a = rbl_dot3(a->velocity, normal);
        const float closing_b = -rbl_dot3(b->velocity, normal);
        if (a->inverse_mass > 0.0f && closing_a * a->seconds > way)
        {
            a->seconds = way / closing_a;
            held = true;
        }
        if (b->inverse_mass > 0.0f && closing_b * b->seconds > way)
        {
            b->seconds = way / closing_b;
            held = true;
        }
    }
    return held;
}

static void hold_fast_bodies(rblWorld* world)
{
    bool held = false;
    for (size_t m = 0; m < world->manifolds.count; ++m)
    {
        held = hold_back(world, &world->manifolds.data[m]) || held;
    }
    for (size_t m = 0; m < world->manifolds.count && held; ++m)
    {
        rblManifold* manifold = &world->manifolds.data[m];
        manifold->seconds = rbl_maxf(world->solver_bodies.data[manifold->a].seconds,
                                     world->solver_bodies.data[manifold->b].seconds);
    }
}

rblResult rbl_resolve_impacts(rblWorld* world)
{
    if (!rbl_array_resize_amply(&world->times, world->solver_bodies.count) ||
        !rbl_array_resize_amply(&world->last_change, world->solver_bodies.count))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < world->solver_bodies.count; ++i)
    {
        world->last_change.data[i] = 0;
    }
    const float threshold = impact_speed(world);
    const uint32_t count = (uint32_t)world->manifolds.count;
    rbl_parallel_for(world->jobs, count, 64, measure_block, world);
    bool any = find_times(world, threshold);
    if (any && fly_to_impacts(world))
    {
        rbl_parallel_for(world->jobs, count, 64, prepare_flown_block, world);
    }
    any = any || rbl_tighten_joints(world, threshold);
    for (uint32_t sweep = 0; sweep < SWEEPS && any; ++sweep)
    {
        any = sweep_pairs(world, threshold, sweep);
        any = rbl_tighten_joints(world, threshold) || any;
    }
    hold_fast_bodies(world);
    rbl_store_velocities(world, world->at_start.data);
    return RBL_OK;
}
