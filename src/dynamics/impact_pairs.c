// Colliding pairs, one after the other, in the order of colours, until none approaches any more (Guendelman 2003 is the order
// of things).
//
// A pair that bounces is solved by itself, and Su 2009, 3.2 clamps its impulses. A pair that only stops takes one
// Gauss-Seidel step a sweep, with impulses that add up over the sweeps: together these find the impulses that leave the least
// kinetic energy (Moreau's plastic impact), and each of their steps takes energy or nothing. See docs/step.md, section 4.
#include "dynamics/contact_math.h"
#include "dynamics/impacts.h"
#include "dynamics/stages.h"

#define LOCAL_STEPS   8
#define LOCAL_ENOUGH  1e-6f // of the speed of the impact: no step changes more
#define MIN_MANIFOLDS 128
#define SLIGHT        0.05f // of the threshold: a change that nobody needs to answer

// ---- aiming ----

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

// What a pair must do in a sweep.
typedef struct Aim
{
    bool approaches;
    bool bounces;
} Aim;

static void meet_first(const rblWorld* world, rblManifold* manifold)
{
    const rblSolverBody* a = &world->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &world->solver_bodies.data[manifold->b];
    manifold->met = true;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        rbl_prepare_masses(a, b, contact);
        contact->target = slowest(manifold, contact);
        contact->push = 0.0f;
        contact->slide[0] = 0.0f;
        contact->slide[1] = 0.0f;
    }
}

// Bodies on joints do not fly to their impacts: they bounce a little early, before the gap is closed, or the joint's end would
// lose its speed. What has once been stopped early stays so.
static Aim aim(const rblWorld* world, rblManifold* manifold, const rblSolverBody* a, const rblSolverBody* b,
               float threshold)
{
    Aim result = {false, false};
    if (!manifold->met)
    {
        meet_first(world, manifold);
    }
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
        const float speed = rbl_dot3(u, contact->normal);
        const bool closing = speed < contact->target - threshold;
        const bool fast = -speed > world->def.bounce_speed;
        contact->target = closing && fast && manifold->early ? 0.0f : contact->target;
        result.approaches = result.approaches || closing;
        result.bounces = result.bounces || (fast && contact->target == 0.0f);
        if (contact->target == 0.0f && -speed > manifold->hit_speed)
        {
            manifold->hit_speed = -speed;
            manifold->hit_contact = manifold->first + i;
        }
    }
    return result;
}

// The impulses since the manifold was first met, or met again after a bounce.
static void book(const rblWorld* world, rblManifold* manifold, const rblSolverBody* a, const rblSolverBody* b,
                 float share)
{
    manifold->kinematic_work += (double)share * rbl_driven_work(world, manifold, a, b);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        manifold->hit_impulse += share * contact->push;
        manifold->hit = rbl_mul_add3(manifold->hit, share, rbl_contact_impulse(contact));
    }
}

// ---- a pair that bounces ----

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

static void aim_bounce(const rblWorld* world, const rblManifold* manifold, const rblSolverBody* a,
                       const rblSolverBody* b)
{
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
        const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
        const float speed = rbl_dot3(u, contact->normal);
        const bool bounces = -speed > world->def.bounce_speed && contact->target == 0.0f;
        contact->target = bounces ? -manifold->restitution * speed : contact->target;
        contact->push = 0.0f;
        contact->slide[0] = 0.0f;
        contact->slide[1] = 0.0f;
    }
}

static void solve_alone(const rblWorld* world, const rblManifold* manifold, rblSolverBody after[2])
{
    for (int step = 0; step < LOCAL_STEPS; ++step)
    {
        float largest = 0.0f;
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rblSolverContact* contact = &world->solver_contacts.data[manifold->first + i];
            rbl_solve_contact(&after[0], &after[1], contact, manifold->friction);
            const float change =
                fabsf(contact->change[0]) + fabsf(contact->change[1]) + fabsf(contact->change[2]);
            largest = rbl_maxf(largest, change / contact->normal_mass);
        }
        if (largest <= LOCAL_ENOUGH * manifold->hit_speed)
        {
            return;
        }
    }
}

static void bounce_pair(rblWorld* world, rblManifold* manifold, rblSolverBody* a, rblSolverBody* b)
{
    const rblSolverBody before[2] = {*a, *b};
    rblSolverBody after[2] = {*a, *b};
    book(world, manifold, a, b, 1.0f);
    aim_bounce(world, manifold, a, b);
    solve_alone(world, manifold, after);
    const float share = allowed_share(world, manifold, before, after);
    book(world, manifold, &before[0], &before[1], share);
    manifold->met = false;
    for (int k = 0; k < 2; ++k)
    {
        after[k].velocity = mix(before[k].velocity, after[k].velocity, share);
        after[k].spin = mix(before[k].spin, after[k].spin, share);
    }
    rbl_store_body(a, &after[0]);
    rbl_store_body(b, &after[1]);
}

// ---- a pair that stops ----

// Friction that has to slide: along the velocity, then back into the cone of radius `limit`. From s within the cone, a step to
// its point nearest to s - t u, t being 2 over the trace of the compliance, never gains energy.
static void slide_contact(const rblSolverContact* contact, float x, float y, float limit, float change[2])
{
    const float slide_x = contact->slide[0] - contact->tangent_mass[3] * x;
    const float slide_y = contact->slide[1] - contact->tangent_mass[3] * y;
    const float length = sqrtf(slide_x * slide_x + slide_y * slide_y);
    const float scale = length > limit ? limit / length : 1.0f;
    change[0] = slide_x * scale - contact->slide[0];
    change[1] = slide_y * scale - contact->slide[1];
}

// How much of the normal impulse may be taken back: no more than costs no energy, and than leaves friction in its cone (its
// own way back in might cost energy).
static float most_taken_back(const rblSolverContact* contact, float along, float friction)
{
    const float slide = sqrtf(contact->slide[0] * contact->slide[0] + contact->slide[1] * contact->slide[1]);
    const float needed = slide > 0.0f ? slide / friction : 0.0f;
    const float free = 2.0f * contact->normal_mass * rbl_maxf(along, 0.0f);
    return rbl_maxf(rbl_minf(contact->push - needed, free), 0.0f);
}

// One step of Gauss-Seidel: friction, then the normal impulse that makes the velocity the target (at most 0). Returns the change
// of velocity, m/s.
static float stop_contact(rblSolverBody* a, rblSolverBody* b, rblSolverContact* contact, float friction)
{
    const rblVec3 tangent2 = rbl_contact_tangent2(contact);
    const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
    const float x = rbl_dot3(u, contact->tangent);
    const float y = rbl_dot3(u, tangent2);
    float change[2] = {-(contact->tangent_mass[0] * x + contact->tangent_mass[2] * y),
                       -(contact->tangent_mass[2] * x + contact->tangent_mass[1] * y)};
    const float slide_x = contact->slide[0] + change[0];
    const float slide_y = contact->slide[1] + change[1];
    const float limit = friction * contact->push;
    if (slide_x * slide_x + slide_y * slide_y > limit * limit)
    {
        slide_contact(contact, x, y, limit, change);
    }
    const float along =
        rbl_dot3(u, contact->normal) + contact->coupling[0] * change[0] + contact->coupling[1] * change[1];
    contact->slide[0] += change[0];
    contact->slide[1] += change[1];
    float push = contact->normal_mass * (contact->target - along);
    push = push >= 0.0f ? push : rbl_maxf(push, -most_taken_back(contact, along, friction));
    contact->push += push;
    rblVec3 impulse = rbl_scale3(contact->normal, push);
    impulse = rbl_mul_add3(impulse, change[0], contact->tangent);
    impulse = rbl_mul_add3(impulse, change[1], tangent2);
    rbl_apply_impulse(a, b, contact->arm_a, contact->arm_b, impulse);
    return (fabsf(push) + fabsf(change[0]) + fabsf(change[1])) / contact->normal_mass;
}

// Returns the largest change of a velocity. A pair that nobody else has touched is solved to the end at once.
static float stop_pair(const rblWorld* world, const rblManifold* manifold, rblSolverBody* a, rblSolverBody* b,
                       bool alone, float threshold)
{
    rblSolverBody after[2] = {*a, *b};
    float most = 0.0f;
    float largest = threshold;
    for (int step = 0; step < (alone ? LOCAL_STEPS : 1) && largest > 0.01f * threshold; ++step)
    {
        largest = 0.0f;
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            const float change = stop_contact(
                &after[0], &after[1], &world->solver_contacts.data[manifold->first + i], manifold->friction);
            largest = rbl_maxf(largest, change);
        }
        most = rbl_maxf(most, largest);
    }
    rbl_store_body(a, &after[0]);
    rbl_store_body(b, &after[1]);
    return most;
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

// A pair can only approach anew, or let go, when one of its bodies was hit since.
static bool needs_a_look(const rblWorld* world, const rblManifold* manifold, uint32_t sweep)
{
    const uint32_t change = world->last_change.data[manifold->a] > world->last_change.data[manifold->b]
                                ? world->last_change.data[manifold->a]
                                : world->last_change.data[manifold->b];
    return sweep == 0 ? manifold->approaching || change > 0 : change >= sweep;
}

// True when it approached.
static bool collide_pair(rblWorld* world, rblManifold* manifold, const Sweep* sweep)
{
    rblSolverBody* a = &world->solver_bodies.data[manifold->a];
    rblSolverBody* b = &world->solver_bodies.data[manifold->b];
    uint32_t* change_a = &world->last_change.data[manifold->a];
    uint32_t* change_b = &world->last_change.data[manifold->b];
    const float threshold = rbl_pair_impact_speed(world, manifold, sweep->threshold);
    const Aim what = aim(world, manifold, a, b, threshold);
    if (!what.approaches && !manifold->pushed)
    {
        return false;
    }
    float change = INFINITY;
    if (what.approaches && what.bounces && manifold->restitution > 0.0f &&
        sweep->number + 2 < RBL_IMPACT_SWEEPS)
    {
        bounce_pair(world, manifold, a, b);
    }
    else
    {
        const bool alone = *change_a == 0 && *change_b == 0;
        manifold->pushed = true;
        change = stop_pair(world, manifold, a, b, alone, threshold);
    }
    if (change > SLIGHT * threshold)
    {
        *change_a = a->inverse_mass > 0.0f ? sweep->number + 1 : 0;
        *change_b = b->inverse_mass > 0.0f ? sweep->number + 1 : 0;
    }
    return what.approaches;
}

static void collide_block(rblRange range, void* context)
{
    Sweep* sweep = context;
    bool any = false;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblManifold* manifold = &sweep->world->manifolds.data[sweep->first + i];
        if (needs_a_look(sweep->world, manifold, sweep->number))
        {
            any = collide_pair(sweep->world, manifold, sweep) || any;
        }
    }
    if (any)
    {
        atomic_store(&sweep->any, true);
    }
}

bool rbl_sweep_impacts(rblWorld* world, float threshold, uint32_t number)
{
    Sweep sweep = {.world = world, .threshold = threshold, .number = number};
    atomic_init(&sweep.any, false);
    for (uint32_t c = 0; c < world->color_count; ++c)
    {
        const uint32_t count = world->color_starts[c + 1] - world->color_starts[c];
        sweep.first = world->color_starts[c];
        rbl_parallel_for(c + 1 < RBL_MAX_COLORS ? world->jobs : rbl_serial_jobs(), count, MIN_MANIFOLDS,
                         collide_block, &sweep);
    }
    return atomic_load(&sweep.any);
}

static void book_block(rblRange range, void* context)
{
    rblWorld* world = context;
    for (uint32_t m = range.begin; m < range.end; ++m)
    {
        rblManifold* manifold = &world->manifolds.data[m];
        if (manifold->met && manifold->pushed)
        {
            book(world, manifold, &world->solver_bodies.data[manifold->a],
                 &world->solver_bodies.data[manifold->b], 1.0f);
        }
    }
}

void rbl_book_impacts(rblWorld* world)
{
    rbl_parallel_for(world->jobs, (uint32_t)world->manifolds.count, MIN_MANIFOLDS, book_block, world);
}
