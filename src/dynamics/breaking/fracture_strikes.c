// Strikes: what the impacts of the trial do to bodies that may break, and what a strike can pay for.
//
// A strike is all contacts of a pair together: their impulses act at their centre of pressure. Nothing of it depends on the
// step: bodies have flown to their impact, and the impulse of an impact is not shared between steps.
#include "dynamics/breaking/fracture.h"
#include "dynamics/orientation.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"
#include <math.h>

#define MIN_STRIKES 64

// ---- which ----

static bool can_break(const rblBody* body)
{
    return body->breaker != NULL && !body->spared;
}

static rblResult list_strikes(rblStep* step)
{
    rblWorld* world = step->world;
    rblStrikeArray* strikes = &step->fracture->strikes;
    rbl_array_clear(strikes);
    for (uint32_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        if (!(manifold->hit_impulse > 0.0f && manifold->hit_speed > 0.0f))
        {
            continue;
        }
        const rblPair* pair = &world->pairs.data[manifold->pair];
        if (can_break(&world->bodies.data[pair->a]) || can_break(&world->bodies.data[pair->b]))
        {
            const rblStrike strike = {
                .manifold = m,
                .a = pair->a,
                .b = pair->b,
                .id_a = {pair->a + 1, pair->generation_a},
                .id_b = {pair->b + 1, pair->generation_b},
                .next = {RBL_NONE, RBL_NONE},
            };
            if (!rbl_array_push(strikes, strike))
            {
                return rbl_fail_memory();
            }
        }
    }
    return RBL_OK;
}

// ---- what ----

// The normal impulse of a contact. A pair that bounced was solved by itself, one contact at a time, the others in their
// lanes (impact_pairs.c, impact_stop.c).
static float contact_push(const rblStep* step, const rblManifold* manifold, uint32_t number, bool bounced)
{
    const rblBundle* bundle = &step->bundles.data[manifold->bundle];
    const uint32_t lane = (uint32_t)(manifold - step->manifolds.data) - bundle->manifold;
    return bounced ? step->solver_contacts.data[manifold->first + number].push
                   : step->wide_contacts.data[bundle->first + number].push[lane];
}

static bool has_bounced(const rblStep* step, const rblManifold* manifold)
{
    float sum = 0.0f;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        sum += contact_push(step, manifold, i, false);
    }
    return manifold->hit_impulse > 1.001f * sum;
}

static void find_center_of_pressure(const rblStep* step, const rblManifold* manifold, rblStrike* strike)
{
    const rblWorld* world = step->world;
    const bool bounced = has_bounced(step, manifold);
    const rblSolverContact* hit = &step->solver_contacts.data[manifold->hit_contact];
    rblVec3 arm = rbl_vec3(0, 0, 0);
    rblVec3 normal = rbl_vec3(0, 0, 0);
    float sum = 0.0f;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const float push = rbl_maxf(contact_push(step, manifold, i, bounced), 0.0f);
        arm = rbl_mul_add3(arm, push, contact->arm_a);
        normal = rbl_mul_add3(normal, push, contact->normal);
        sum += push;
    }
    const float length = rbl_length3(normal);
    const bool clear = sum > 0.0f && length > 0.1f * sum;
    const rblVec3 center = world->motions.data[strike->a].center;
    strike->point = rbl_add3(center, clear ? rbl_scale3(arm, 1.0f / sum) : hit->arm_a);
    strike->normal = clear ? rbl_scale3(normal, 1.0f / length) : hit->normal;
}

static rblVec3 point_velocity(const rblWorld* world, uint32_t slot, rblVec3 point)
{
    const rblMotion* motion = &world->motions.data[slot];
    return rbl_add3(motion->velocity, rbl_cross3(motion->spin, rbl_sub3(point, motion->center)));
}

// The speed at which the two approach along the normal, before the impact.
static float approach(const rblWorld* world, const rblStrike* strike)
{
    const rblVec3 u = rbl_sub3(point_velocity(world, strike->b, strike->point),
                               point_velocity(world, strike->a, strike->point));
    return -rbl_dot3(u, strike->normal);
}

// A pair that is hit by way of others did not approach itself.
static void measure_strike(const rblStep* step, rblStrike* strike)
{
    const rblWorld* world = step->world;
    const rblManifold* manifold = &step->manifolds.data[strike->manifold];
    find_center_of_pressure(step, manifold, strike);
    const float direct = approach(world, strike);
    strike->speed = direct > 0.0f ? direct : manifold->hit_speed;
    strike->impulse = manifold->hit;
    strike->push = manifold->hit_impulse;
    const float restitution = strike->speed > world->def.bounce_speed ? manifold->restitution : 0.0f;
    strike->mass = strike->push / ((1.0f + restitution) * strike->speed);
    strike->energy = 0.5f * strike->mass * strike->speed * strike->speed;
    const rblHertz hertz = rbl_hertz_impact(&world->bodies.data[strike->a], &world->bodies.data[strike->b],
                                            (double)strike->mass, strike->speed);
    strike->duration = hertz.duration;
    strike->peak_force = hertz.force;
}

static void measure_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        measure_strike(step, &step->fracture->strikes.data[i]);
    }
}

// Chains of strikes by body, in the order of manifolds.
static rblResult link_strikes(rblStep* step)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    if (!rbl_array_resize_amply(&stage->heads, world->bodies.count))
    {
        return rbl_fail_memory();
    }
    for (size_t slot = 0; slot < world->bodies.count; ++slot)
    {
        stage->heads.data[slot] = RBL_NONE;
    }
    for (size_t i = stage->strikes.count; i > 0; --i)
    {
        rblStrike* strike = &stage->strikes.data[i - 1];
        const uint32_t slots[2] = {strike->a, strike->b};
        for (int k = 0; k < 2; ++k)
        {
            if (can_break(&world->bodies.data[slots[k]]))
            {
                strike->next[k] = stage->heads.data[slots[k]];
                stage->heads.data[slots[k]] = (uint32_t)(i - 1);
            }
        }
    }
    return RBL_OK;
}

rblResult rbl_gather_strikes(rblStep* step)
{
    rblWorld* world = step->world;
    RBL_TRY(list_strikes(step));
    const uint32_t count = (uint32_t)step->fracture->strikes.count;
    if (count == 0)
    {
        return RBL_OK;
    }
    rbl_parallel_for(world->jobs, count, MIN_STRIKES, measure_block, step);
    return link_strikes(step);
}

rblImpact rbl_strike_impact(const rblStrike* strike, bool on_b)
{
    const float sign = on_b ? 1.0f : -1.0f;
    return (rblImpact){
        .point = strike->point,
        .normal = rbl_scale3(strike->normal, sign),
        .impulse = rbl_scale3(strike->impulse, sign),
        .speed = strike->speed,
        .duration = strike->duration,
        .mass = strike->mass,
        .energy = strike->energy,
        .peak_force = strike->peak_force,
    };
}

// ---- who pays ----

// What a body gives way along the normal per impulse, 1/kg.
static double body_compliance(const rblMotion* motion, const rblStrike* strike)
{
    if (!(motion->inverse_mass > 0.0f))
    {
        return 0.0;
    }
    const rblVec3 turn = rbl_cross3(rbl_sub3(strike->point, motion->center), strike->normal);
    const rblVec3 spin = rbl_angular_velocity(motion->orientation, turn, motion->moments);
    return (double)motion->inverse_mass + (double)rbl_dot3(turn, spin);
}

static double strike_compliance(const rblWorld* world, const rblStrike* strike)
{
    return body_compliance(&world->motions.data[strike->a], strike) +
           body_compliance(&world->motions.data[strike->b], strike);
}

double rbl_strike_energy(const rblWorld* world, const rblStrike* strike)
{
    const double compliance = strike_compliance(world, strike);
    const double speed = rbl_maxd((double)approach(world, strike), 0.0);
    return compliance > 0.0 ? 0.5 * speed * speed / compliance : 0.0;
}

static void push_body(rblWorld* world, uint32_t slot, rblVec3 point, rblVec3 impulse)
{
    rblMotion* motion = &world->motions.data[slot];
    if (!(motion->inverse_mass > 0.0f))
    {
        // A body that is driven puts in what the other one gets from its motion.
        world->energy.work -= (double)rbl_dot3(impulse, point_velocity(world, slot, point));
        return;
    }
    motion->velocity = rbl_mul_add3(motion->velocity, motion->inverse_mass, impulse);
    motion->momentum = rbl_add3(motion->momentum, rbl_cross3(rbl_sub3(point, motion->center), impulse));
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
}

void rbl_tell_payment(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    const rblStrike* strike = &step->fracture->strikes.data[plan->strike];
    const rblContactEvent event = {
        .kind = RBL_CONTACT_HIT,
        .a = strike->id_a,
        .b = strike->id_b,
        .point = strike->point,
        .normal = strike->normal,
        .impulse = plan->impulse,
        .speed = strike->speed,
        .duration = strike->duration,
    };
    const rblVec3 on_b = rbl_scale3(strike->normal, plan->impulse);
    world->hits.data[world->hits.count++] =
        (rblHit){event.a, event.b, event.point, on_b, event.speed, event.duration};
    world->events.data[world->events.count++] = event;
}

static bool is_whole(const rblWorld* world, uint32_t slot, rblBodyId id)
{
    return world->bodies.data[slot].generation == id.generation;
}

void rbl_refund_strike(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    const rblStrike* strike = &step->fracture->strikes.data[plan->strike];
    if (plan->pays && is_whole(world, strike->a, strike->id_a) && is_whole(world, strike->b, strike->id_b))
    {
        world->motions.data[strike->a] = plan->before[0];
        world->motions.data[strike->b] = plan->before[1];
        world->energy.work -= plan->work;
    }
}

// An impulse j along the normal loses j u - j^2 / 2 m. Of the two that lose the cost the lesser one leaves the rest of the blow
// to the fragments: a crack has run through the body before the body has felt the blow.
void rbl_pay_strike(rblStep* step, rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    rblStrike* strike = &step->fracture->strikes.data[plan->strike];
    const double energy = rbl_strike_energy(world, strike);
    if (!(strike->cost <= energy))
    {
        return;
    }
    strike->paid = true;
    strike->lost = 0.0;
    if (!(strike->cost > 0.0))
    {
        return;
    }
    plan->pays = true;
    plan->before[0] = world->motions.data[strike->a];
    plan->before[1] = world->motions.data[strike->b];
    plan->work = -world->energy.work;
    const double before = rbl_body_kinetic(world, strike->a) + rbl_body_kinetic(world, strike->b);
    const double mass = 1.0 / strike_compliance(world, strike);
    const double speed = (double)approach(world, strike);
    const double impulse = mass * speed * (1.0 - sqrt(rbl_maxd(1.0 - strike->cost / energy, 0.0)));
    const rblVec3 on_b = rbl_scale3(strike->normal, (float)impulse);
    push_body(world, strike->a, strike->point, rbl_scale3(on_b, -1.0f));
    push_body(world, strike->b, strike->point, on_b);
    plan->work += world->energy.work;
    const double after = rbl_body_kinetic(world, strike->a) + rbl_body_kinetic(world, strike->b);
    strike->lost = before + plan->work - after;
    plan->impulse = (float)impulse;
}
