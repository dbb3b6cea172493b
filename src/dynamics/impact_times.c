// Which pairs approach, when each body has its first impact, and the free flight to it.
//
// A body whose first impact comes after t seconds flies freely until then, which keeps its energy exactly, and has the rest of
// the step for its contacts. A body that rests on something stays where it is: its support holds it meanwhile.
#include "dynamics/contact_math.h"
#include "dynamics/impacts.h"
#include "dynamics/orientation.h"
#include "dynamics/stages.h"

#define MIN_BODIES    64
#define MIN_MANIFOLDS 256

// ---- which pairs approach ----

typedef struct Look
{
    rblWorld* world;
    float threshold;
    bool approaching[RBL_MAX_BLOCKS]; // a manifold of the block
} Look;

// No point of a body moves faster.
static void bound_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblSolverBody* body = &world->solver_bodies.data[i + 1];
        const float spin = rbl_length3(body->spin);
        const float turning = spin > 0.0f ? spin * world->bodies.data[body->slot].shape.radius : 0.0f;
        world->speeds.data[i + 1] = rbl_length3(body->velocity) + turning;
    }
}

// When a contact that approaches at some speed closes, in seconds; the whole step when it does not, negative when it is closed
// and holds.
static float contact_time(const rblWorld* world, const rblManifold* manifold, const rblSolverContact* contact,
                          float speed, float threshold)
{
    if (contact->gap <= 2.0f * manifold->slop)
    {
        return speed > threshold ? 0.0f : -1.0f;
    }
    return speed > threshold ? rbl_minf((contact->gap - manifold->slop) / speed, world->seconds)
                             : world->seconds;
}

static void find_closing_time(rblWorld* world, rblManifold* manifold, float threshold)
{
    const rblSolverBody* a = &world->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &world->solver_bodies.data[manifold->b];
    const float known = world->pairs.data[manifold->pair].time_of_impact;
    if (known < 1.0f)
    {
        manifold->closing = known * world->seconds;
        manifold->approaching = true;
        return;
    }
    rbl_prepare_once(world, manifold);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
        const float time = contact_time(world, manifold, contact, -rbl_dot3(u, contact->normal), threshold);
        manifold->approaching = manifold->approaching || (time >= 0.0f && time < world->seconds);
        manifold->closing = rbl_minf(manifold->closing, rbl_maxf(time, 0.0f));
    }
}

// In a settled pile hardly a pair is fast enough to be looked at: what its bodies could do at most decides.
static void look_block(rblRange range, void* context)
{
    Look* look = context;
    rblWorld* world = look->world;
    bool approaching = false;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        rblManifold* manifold = &world->manifolds.data[m];
        const float threshold = rbl_pair_impact_speed(world, manifold, look->threshold);
        const float speed = world->speeds.data[manifold->a] + world->speeds.data[manifold->b];
        manifold->slow = speed <= threshold && !manifold->early;
        manifold->closing = world->seconds;
        if (!manifold->slow)
        {
            find_closing_time(world, manifold, threshold);
            manifold->early = manifold->early || (manifold->approaching && manifold->restitution > 0.0f);
            approaching = approaching || manifold->approaching;
        }
    }
    look->approaching[range.block] = approaching;
}

static bool look_for_impacts(rblWorld* world, float threshold)
{
    Look look = {.world = world, .threshold = threshold};
    const uint32_t count = (uint32_t)world->manifolds.count;
    world->speeds.data[0] = 0.0f;
    rbl_parallel_for(world->jobs, (uint32_t)world->solver_bodies.count - 1, MIN_BODIES, bound_block, world);
    rbl_parallel_for(world->jobs, count, MIN_MANIFOLDS, look_block, &look);
    bool any = false;
    for (uint32_t b = 0; b < rbl_block_count(count, MIN_MANIFOLDS); ++b)
    {
        any = any || look.approaching[b];
    }
    return any;
}

// ---- when ----

static bool would_fly(const rblWorld* world, uint32_t index)
{
    return world->times.data[index] > 0.0f &&
           world->times.data[index] < world->solver_bodies.data[index].seconds &&
           world->solver_bodies.data[index].inverse_mass > 0.0f;
}

static bool is_closed(rblWorld* world, rblManifold* manifold)
{
    rbl_prepare_once(world, manifold);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        if (world->solver_contacts.data[manifold->first + i].gap <= 2.0f * manifold->slop)
        {
            return true;
        }
    }
    return false;
}

static void forbid_flight_on_joints(rblWorld* world)
{
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0)
        {
            world->times.data[joint->solver_a] = 0.0f;
            world->times.data[joint->solver_b] = 0.0f;
        }
    }
}

// Per body, the time of its first impact: 0 for one that is held by a contact. True when one flies.
static bool find_times(rblWorld* world)
{
    float* times = world->times.data;
    for (size_t i = 0; i < world->solver_bodies.count; ++i)
    {
        times[i] = world->seconds;
    }
    forbid_flight_on_joints(world);
    bool later = false;
    for (size_t m = 0; m < world->manifolds.count; ++m)
    {
        const rblManifold* manifold = &world->manifolds.data[m];
        times[manifold->a] = rbl_minf(times[manifold->a], manifold->closing);
        times[manifold->b] = rbl_minf(times[manifold->b], manifold->closing);
        later = later || (manifold->closing > 0.0f && manifold->closing < world->seconds);
    }
    // Slow manifolds were not looked at: whether they hold a body matters to those that would fly.
    for (size_t m = 0; m < world->manifolds.count && later; ++m)
    {
        rblManifold* manifold = &world->manifolds.data[m];
        const bool asked = manifold->slow && (would_fly(world, manifold->a) || would_fly(world, manifold->b));
        if (asked && is_closed(world, manifold))
        {
            times[manifold->a] = 0.0f;
            times[manifold->b] = 0.0f;
        }
    }
    return later;
}

// ---- flight ----

typedef struct Flight
{
    rblWorld* world;
    double work[RBL_MAX_BLOCKS]; // J: of user forces
    bool any[RBL_MAX_BLOCKS];
} Flight;

// Returns the work of user forces on the way.
static double fly(rblWorld* world, uint32_t index, float time)
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
    motion->orientation = rbl_advance_orientation(motion->orientation, mean, after, motion->moments, time);
    motion->momentum = after;
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
    rbl_update_inertia(motion, body);
    body->velocity = motion->velocity;
    body->spin = motion->spin;
    body->seconds -= time;
    world->at_start.data[index] = (rblVelocity){body->velocity, body->spin};
    return rbl_dot3d(rbl_to_double3(record->force), rbl_to_double3(way)) + turning;
}

// Kinematic bodies only move; what they meet is solved where they are at the start of the step.
static void fly_block(rblRange range, void* context)
{
    Flight* flight = context;
    double work = 0.0;
    bool any = false;
    for (uint32_t i = range.begin + 1; i < range.end + 1; ++i)
    {
        const bool flies = would_fly(flight->world, i);
        if (flies)
        {
            work += fly(flight->world, i, flight->world->times.data[i]);
        }
        else
        {
            flight->world->times.data[i] = 0.0f;
        }
        any = any || flies;
    }
    flight->work[range.block] = work;
    flight->any[range.block] = any;
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
            manifold->approaching = true; // perhaps: it was not where it is now when it was looked at
            manifold->early = manifold->early || manifold->restitution > 0.0f;
        }
    }
}

static void fly_all(rblWorld* world)
{
    Flight flight = {.world = world};
    const uint32_t count = (uint32_t)world->solver_bodies.count - 1;
    world->times.data[0] = 0.0f;
    rbl_parallel_for(world->jobs, count, MIN_BODIES, fly_block, &flight);
    bool any = false;
    for (uint32_t b = 0; b < rbl_block_count(count, MIN_BODIES); ++b)
    {
        world->energy.work += flight.work[b];
        any = any || flight.any[b];
    }
    if (any)
    {
        rbl_parallel_for(world->jobs, (uint32_t)world->manifolds.count, MIN_BODIES, prepare_flown_block,
                         world);
    }
}

bool rbl_fly_to_impacts(rblWorld* world, float threshold)
{
    if (!look_for_impacts(world, threshold))
    {
        return false;
    }
    if (find_times(world))
    {
        fly_all(world);
    }
    return true;
}
