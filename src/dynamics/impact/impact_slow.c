// Limits of the time left of bodies, so that they do not pass through others. The next step solves what follows. A limit
// costs time, not energy.
#include "dynamics/impact/impacts.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define LEAST  1e-3f // of the step: shortest time left, so that rates such as 1 / seconds stay finite
#define SAFE   0.5f  // of the inner radius of the thinner body: safe distance
#define PASSES 8     // over manifolds, each of which limits the bodies behind limited ones
#define PAUSE  12    // steps added to the debt of a body by each step in which it is slowed
#define DEBT   24    // steps: with a larger debt, moving bodies do not slow it

bool rbl_body_slow(rblStep* step, uint32_t index, float seconds)
{
    rblSolverBody* body = &step->solver_bodies.data[index];
    const float least = rbl_maxf(seconds, LEAST * step->seconds);
    if (!(body->inverse_mass > 0.0f) || !(least < body->seconds))
    {
        return false;
    }
    body->seconds = least;
    step->slowed.data[index] = 1;
    step->impact->any_slowed = true;
    return true;
}

// Against static and sleeping bodies there is no restriction. Against moving bodies, a body may be slowed in three steps in a
// row, then in one of twelve: fragments a millimetre thick collide with others in every step, and a cloud of them would fall
// in slow motion.
bool rbl_body_may_slow(const rblStep* step, uint32_t index, uint32_t other)
{
    const rblWorld* world = step->world;
    const rblSolverBody* bodies = step->solver_bodies.data;
    return !(bodies[other].inverse_mass > 0.0f) || world->bodies.data[bodies[index].slot].slow_debt < DEBT;
}

// ---- bodies that still approach after their impact ----

// Safe distance, m: drift correction can still push a body out that has moved no farther into the other one.
static float safe_distance(const rblStep* step, const rblManifold* manifold)
{
    const rblWorld* world = step->world;
    const rblPair* pair = &world->pairs.data[manifold->pair];
    return SAFE *
           rbl_minf(step->surfaces.data[pair->a].inner_radius, step->surfaces.data[pair->b].inner_radius);
}

// After an impact a body may still move into the other one. A stopped corner does not stop the body, and distant contacts of
// a fast body are not known; or the sweeps ended before a body between a heavy body and a wall came to rest. Such a body gets
// no more time than it needs for the safe distance. The gap is added where contacts are known along the whole path (shapes
// that are not convex, see narrow_phase.c), and where the impact comes later.
static void slow_down(rblStep* step, rblManifold* manifold)
{
    const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const float safe = safe_distance(step, manifold);
    const bool gap_counts = manifold->later || !rbl_manifold_is_convex(manifold);
    const bool far_a = a->inverse_mass > 0.0f && rbl_length3(a->velocity) * a->seconds > safe &&
                       rbl_body_may_slow(step, manifold->a, manifold->b);
    const bool far_b = b->inverse_mass > 0.0f && rbl_length3(b->velocity) * b->seconds > safe &&
                       rbl_body_may_slow(step, manifold->b, manifold->a);
    if (!far_a && !far_b)
    {
        return;
    }
    rbl_manifold_prepare_once(step, manifold);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const float distance = gap_counts ? safe + rbl_maxf(contact->gap, 0.0f) : safe;
        const float closing_a = rbl_dot3(a->velocity, contact->normal);
        const float closing_b = -rbl_dot3(b->velocity, contact->normal);
        // Bodies that move on together are not limited.
        if ((closing_a + closing_b) * rbl_maxf(a->seconds, b->seconds) <= distance)
        {
            continue;
        }
        if (far_a && closing_a * a->seconds > distance)
        {
            (void)rbl_body_slow(step, manifold->a, distance / closing_a);
        }
        if (far_b && closing_b * b->seconds > distance)
        {
            (void)rbl_body_slow(step, manifold->b, distance / closing_b);
        }
    }
}

// ---- impacts in mid-step ----

static bool goes_far(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblShapeView* shape = &world->bodies.data[body->slot].shape;
    const float speed = rbl_length3(body->velocity) + shape->radius * rbl_length3(body->spin);
    return body->seconds * speed > shape->inner_radius;
}

// Supported bodies do not fly to their impacts. When a body that has flown collides with one, the supported body has more
// time left than the other one and could overtake it. A supported body that moves far therefore gets the time left of the
// other one.
static void slow_to_impact(rblStep* step, const rblManifold* manifold)
{
    const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const uint32_t ahead = a->seconds > b->seconds ? manifold->a : manifold->b;
    const uint32_t other = a->seconds > b->seconds ? manifold->b : manifold->a;
    if (a->inverse_mass > 0.0f && b->inverse_mass > 0.0f && a->seconds != b->seconds &&
        rbl_body_may_slow(step, ahead, other) && goes_far(step, ahead))
    {
        (void)rbl_body_slow(step, ahead, rbl_minf(a->seconds, b->seconds));
    }
}

// ---- bodies behind ----

// A limited body moves less far than its speed says. A body behind it would run into it, because contacts compare speeds, and
// the speeds agree.
static bool slow_behind(rblStep* step, rblManifold* manifold)
{
    const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const float safe = safe_distance(step, manifold);
    bool changed = false;
    rbl_manifold_prepare_once(step, manifold);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const rblVec3 at_a = rbl_add3(a->velocity, rbl_cross3(a->spin, contact->arm_a));
        const rblVec3 at_b = rbl_add3(b->velocity, rbl_cross3(b->spin, contact->arm_b));
        const float speed_a = rbl_dot3(at_a, contact->normal); // towards b
        const float speed_b = -rbl_dot3(at_b, contact->normal);
        const float free = rbl_maxf(contact->gap, 0.0f) + safe;
        if (speed_a * a->seconds + speed_b * b->seconds <= free)
        {
            continue;
        }
        if (a->seconds > b->seconds && speed_a > 0.0f && rbl_body_may_slow(step, manifold->a, manifold->b))
        {
            const float time = (free - speed_b * b->seconds) / speed_a;
            changed = rbl_body_slow(step, manifold->a, rbl_maxf(time, b->seconds)) || changed;
        }
        if (b->seconds > a->seconds && speed_b > 0.0f && rbl_body_may_slow(step, manifold->b, manifold->a))
        {
            const float time = (free - speed_a * a->seconds) / speed_b;
            changed = rbl_body_slow(step, manifold->b, rbl_maxf(time, a->seconds)) || changed;
        }
    }
    return changed;
}

static bool is_led(const rblStep* step, const rblManifold* manifold)
{
    const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const bool slowed = step->slowed.data[manifold->a] != 0 || step->slowed.data[manifold->b] != 0;
    const bool met = manifold->last_impact != 0 || (slowed && !manifold->siblings);
    return met && a->inverse_mass > 0.0f && b->inverse_mass > 0.0f && a->seconds != b->seconds;
}

static void slow_those_behind(rblStep* step)
{
    bool changed = true;
    for (int pass = 0; pass < PASSES && changed; ++pass)
    {
        changed = false;
        for (size_t m = 0; m < step->manifolds.count; ++m)
        {
            rblManifold* manifold = &step->manifolds.data[m];
            changed = (is_led(step, manifold) && slow_behind(step, manifold)) || changed;
        }
    }
}

static void count_debts(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 1; i < step->solver_bodies.count; ++i)
    {
        rblBody* body = &world->bodies.data[step->solver_bodies.data[i].slot];
        const int left = body->slow_debt > 0 ? body->slow_debt - 1 : 0;
        const int debt = step->slowed.data[i] != 0 ? left + PAUSE : left;
        body->slow_debt = (uint8_t)(debt < DEBT + PAUSE ? debt : DEBT + PAUSE);
    }
}

void rbl_bodies_slow(rblStep* step)
{
    for (size_t m = 0; m < step->manifolds.count; ++m)
    {
        rblManifold* manifold = &step->manifolds.data[m];
        if (manifold->last_impact != 0)
        {
            slow_to_impact(step, manifold);
        }
        if ((manifold->fast || manifold->last_impact != 0) && !manifold->siblings)
        {
            slow_down(step, manifold);
        }
    }
    slow_those_behind(step);
    if (step->impact->any_slowed)
    {
        rbl_joints_share_seconds(step);
    }
    count_debts(step);
}
