// Colliding pairs, one after the other, in the order of colours, until none approaches (order of operations: Guendelman
// 2003).
//
// A pair that bounces is solved alone, and its impulses are clamped (Su 2009, 3.2). A pair that stops takes one Gauss-Seidel
// iteration per sweep, and its impulses accumulate over the sweeps. These iterations approach the impulses that leave the
// least kinetic energy (Moreau's plastic impact), and each of them removes energy or leaves it unchanged (impact_stop.c).
#include "dynamics/impact/impacts.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define LOCAL_STEPS  8     // Gauss-Seidel iterations on one pair that bounces, at most
#define LOCAL_ENOUGH 1e-6f // of the impact speed: smaller changes end the iterations

// ---- a pair that bounces ----

// Add the impulses of the solver contacts to those of this round.
static void book(const rblStep* step, rblManifold* manifold, const rblSolverBody* a, const rblSolverBody* b,
                 float share)
{
    manifold->kinematic_work += (double)share * rbl_kinematic_work(step, manifold, a, b);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        contact->impact_impulse += share * contact->normal_impulse;
        manifold->impact_normal_impulse += share * contact->normal_impulse;
        manifold->impact_impulse =
            rbl_mul_add3(manifold->impact_impulse, share, rbl_contact_impulse(contact));
    }
}

// The largest share of the impulses without an energy gain: eps of Su 2009, 3.2, in relative velocities, so that a kinematic
// body is at rest in its own frame. Twice the energy gain is J.(u + u').
static float allowed_share(const rblStep* step, const rblManifold* manifold, const rblSolverBody before[2],
                           const rblSolverBody after[2])
{
    double first = 0.0;
    double second = 0.0;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const rblVec3 impulse = rbl_contact_impulse(contact);
        const rblVec3 u0 = rbl_relative_velocity(&before[0], &before[1], contact->arm_a, contact->arm_b);
        const rblVec3 u1 = rbl_relative_velocity(&after[0], &after[1], contact->arm_a, contact->arm_b);
        first += (double)rbl_dot3(impulse, u0);
        second += (double)rbl_dot3(impulse, u1);
    }
    if (first + second <= 0.0 || step->world->ignores_energy)
    {
        return 1.0f;
    }
    const double share = second > first ? -2.0 * first / (second - first) : 0.0;
    return share > 0.0 ? (share < 1.0 ? (float)share : 1.0f) : 0.0f;
}

// Unpack the lane of a manifold. The impulses of its stops in earlier sweeps are booked, and those of the lane set to zero.
static void take_lane(rblStep* step, rblManifold* manifold, const rblSolverBody* a, const rblSolverBody* b)
{
    rbl_manifold_unpack(step, manifold);
    book(step, manifold, a, b, 1.0f);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        contact->normal_impulse = 0.0f;
        contact->tangent_impulse[0] = 0.0f;
        contact->tangent_impulse[1] = 0.0f;
    }
    rbl_impulses_repack(step, manifold);
}

// Targets of a bounce. Contacts that do not touch yet take no part, unless a shape is not convex.
static void aim_bounce(const rblStep* step, const rblManifold* manifold, const rblSolverBody* a,
                       const rblSolverBody* b)
{
    const rblWorld* world = step->world;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const rblVec3 u = rbl_relative_velocity(a, b, contact->arm_a, contact->arm_b);
        const float speed = rbl_dot3(u, contact->normal);
        const bool touches = contact->target >= 0.0f;
        const bool bounces = -speed > world->def.bounce_speed && touches;
        const bool ignored = !touches && rbl_manifold_is_convex(manifold);
        contact->target = bounces   ? -manifold->restitution * speed
                          : ignored ? -RBL_NO_TARGET
                                    : contact->target;
    }
}

static void solve_alone(const rblStep* step, const rblManifold* manifold, float speed, rblSolverBody after[2])
{
    for (int k = 0; k < LOCAL_STEPS; ++k)
    {
        float largest = 0.0f;
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
            rbl_contact_solve(&after[0], &after[1], contact, manifold->friction);
            const float change =
                fabsf(contact->change[0]) + fabsf(contact->change[1]) + fabsf(contact->change[2]);
            largest = rbl_maxf(largest, change / contact->normal_mass);
        }
        if (largest <= LOCAL_ENOUGH * speed)
        {
            return;
        }
    }
}

// The bounce of a pair begins without impulses.
static void bounce_pair(rblStep* step, rblManifold* manifold, float speed)
{
    rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const rblSolverBody before[2] = {*a, *b};
    rblSolverBody after[2] = {*a, *b};
    take_lane(step, manifold, a, b);
    aim_bounce(step, manifold, a, b);
    solve_alone(step, manifold, speed, after);
    const float share = allowed_share(step, manifold, before, after);
    book(step, manifold, &before[0], &before[1], share);
    rbl_body_take_share(&after[0], &before[0], share);
    rbl_body_take_share(&after[1], &before[1], share);
    rbl_body_store(a, &after[0]);
    rbl_body_store(b, &after[1]);
}

// ---- the pairs of a bundle ----

// Lanes to solve in a sweep: those with a body that was changed since the last sweep, because only they can approach or
// separate anew. Impacts that come later than another one of the same body are not part of the first sweep. *alone: lanes
// whose bodies had no impact so far.
static uint32_t lanes_to_visit(const rblStep* step, uint32_t index, uint32_t sweep, uint32_t* alone)
{
    const rblBundle* bundle = &step->bundles.data[index];
    const unsigned char* changes = step->impact->last_change.data;
    const rblImpactBundle* impact = &step->impact->impact_bundles.data[index];
    const uint32_t later = impact->approaching & impact->later;
    uint32_t lanes = sweep == 0 ? impact->approaching : sweep == 1 ? later : 0;
    *alone = 0;
    for (uint32_t i = 0; i < bundle->lanes; ++i)
    {
        const uint32_t a = changes[bundle->a[i]];
        const uint32_t b = changes[bundle->b[i]];
        const uint32_t last = a > b ? a : b;
        lanes |= last > 0 && last >= sweep ? 1u << i : 0u;
        *alone |= last == 0 ? 1u << i : 0u;
    }
    return sweep == 0 ? lanes & ~(uint32_t)impact->later : lanes;
}

static void note_change(rblStep* step, uint32_t body, uint32_t sweep)
{
    if (step->solver_bodies.data[body].inverse_mass > 0.0f)
    {
        step->impact->last_change.data[body] = (unsigned char)(sweep + 1);
    }
}

static void note_changes(rblStep* step, const rblBundle* bundle, uint32_t lanes, uint32_t sweep)
{
    for (uint32_t i = 0; i < bundle->lanes; ++i)
    {
        if ((lanes >> i & 1) != 0)
        {
            note_change(step, bundle->a[i], sweep);
            note_change(step, bundle->b[i], sweep);
        }
    }
}

static void bounce_lanes(rblStep* step, uint32_t index, uint32_t lanes)
{
    const rblBundle* bundle = &step->bundles.data[index];
    rblImpactBundle* impact = &step->impact->impact_bundles.data[index];
    for (uint32_t i = 0; i < bundle->lanes; ++i)
    {
        if ((lanes >> i & 1) != 0)
        {
            bounce_pair(step, &step->manifolds.data[bundle->manifold + i], impact->impact_speed[i]);
        }
    }
    impact->has_impulse &= (uint8_t)~lanes;
}

rblCollided rbl_impact_bundle_collide(rblStep* step, uint32_t index, uint32_t sweep)
{
    const rblBundle* bundle = &step->bundles.data[index];
    rblImpactBundle* impact = &step->impact->impact_bundles.data[index];
    uint32_t alone;
    const uint32_t lanes = lanes_to_visit(step, index, sweep, &alone);
    const uint32_t delayed = sweep == 0 ? impact->approaching & impact->later : 0u;
    if (lanes == 0)
    {
        return delayed != 0 ? RBL_COLLIDED_STOPPED : RBL_COLLIDED_NOT;
    }
    uint32_t bouncing = 0;
    uint32_t approaching = delayed;
    uint32_t stopping = lanes;
    // Lanes that can only stop need no test of their approach.
    const uint32_t asked = lanes & (uint32_t)(impact->elastic | impact->early);
    if (asked != 0)
    {
        const rblApproach look = rbl_impact_bundle_find_approach(step, index, asked, sweep == 0);
        approaching |= look.closing;
        bouncing = sweep + 2 < RBL_BOUNCE_SWEEPS ? look.closing & look.fast & impact->elastic : 0;
        stopping = lanes & ~bouncing;
        impact->has_impulse |= (uint8_t)(look.closing & stopping);
    }
    if (bouncing != 0)
    {
        bounce_lanes(step, index, bouncing);
        note_changes(step, bundle, bouncing, sweep);
    }
    if (stopping != 0)
    {
        uint32_t closing;
        const uint32_t changed = rbl_impact_bundle_sweep(step, index, stopping, alone & stopping, &closing);
        approaching |= closing;
        note_changes(step, bundle, changed, sweep);
    }
    return bouncing != 0 ? RBL_COLLIDED_BOUNCED : approaching != 0 ? RBL_COLLIDED_STOPPED : RBL_COLLIDED_NOT;
}
