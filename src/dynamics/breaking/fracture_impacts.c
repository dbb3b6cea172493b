// The impacts of the trial on bodies with a breaker, and the energy that an impact can pay.
//
// One impact includes all contacts of a pair. Their impulses act at the centre of pressure. The result does not depend on the
// step: bodies move up to their impact, and the impulse of an impact is not divided between steps.
#include "dynamics/breaking/fracture.h"
#include "dynamics/orientation.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define MIN_IMPACTS 64 // smallest number of impacts for one worker

// ---- selection ----

static bool can_break(const rblBody* body)
{
    return body->breaker != NULL && !body->unbreakable_yet;
}

static rblResult list_pair_impacts(rblStep* step)
{
    rblWorld* world = step->world;
    rblPairImpactArray* pair_impacts = &step->fracture->pair_impacts;
    rbl_array_clear(pair_impacts);
    for (uint32_t m = 0; m < step->manifolds.count; ++m)
    {
        const rblManifold* manifold = &step->manifolds.data[m];
        if (!(manifold->impact_normal_impulse > 0.0f && manifold->impact_speed > 0.0f))
        {
            continue;
        }
        const rblPair* pair = &world->pairs.data[manifold->pair];
        if (can_break(&world->bodies.data[pair->a]) || can_break(&world->bodies.data[pair->b]))
        {
            const rblPairImpact impact = {
                .manifold = m,
                .a = pair->a,
                .b = pair->b,
                .id_a = {pair->a + 1, pair->generation_a, world->serial},
                .id_b = {pair->b + 1, pair->generation_b, world->serial},
                .next = {RBL_NONE, RBL_NONE},
            };
            if (!rbl_array_push(pair_impacts, impact))
            {
                return rbl_fail_memory();
            }
        }
    }
    return RBL_OK;
}

// ---- measurement ----

static void find_center_of_pressure(const rblStep* step, const rblManifold* manifold, rblPairImpact* impact)
{
    const rblWorld* world = step->world;
    const rblSolverContact* fastest = &step->solver_contacts.data[manifold->impact_contact];
    rblVec3 arm = rbl_vec3(0, 0, 0);
    rblVec3 normal = rbl_vec3(0, 0, 0);
    float sum = 0.0f;
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblSolverContact* contact = &step->solver_contacts.data[manifold->first + i];
        const float normal_impulse = rbl_maxf(contact->impact_impulse, 0.0f);
        arm = rbl_mul_add3(arm, normal_impulse, contact->arm_a);
        normal = rbl_mul_add3(normal, normal_impulse, contact->normal);
        sum += normal_impulse;
    }
    const float length = rbl_length3(normal);
    const bool is_defined = sum > 0.0f && length > 0.1f * sum;
    const rblVec3 center = world->motions.data[impact->a].center;
    impact->point = rbl_add3(center, is_defined ? rbl_scale3(arm, 1.0f / sum) : fastest->arm_a);
    impact->normal = is_defined ? rbl_scale3(normal, 1.0f / length) : fastest->normal;
}

static rblVec3 point_velocity(const rblWorld* world, uint32_t slot, rblVec3 point)
{
    const rblMotion* motion = &world->motions.data[slot];
    return rbl_add3(motion->velocity, rbl_cross3(motion->spin, rbl_sub3(point, motion->center)));
}

// Approach speed of the two bodies along the normal before the impact, m/s.
static float approach_speed(const rblWorld* world, const rblPairImpact* impact)
{
    const rblVec3 u = rbl_sub3(point_velocity(world, impact->b, impact->point),
                               point_velocity(world, impact->a, impact->point));
    return -rbl_dot3(u, impact->normal);
}

// A pair whose impulse comes from impacts of other pairs did not approach. It gets the impact speed of its manifold.
static void measure_pair_impact(const rblStep* step, rblPairImpact* impact)
{
    const rblWorld* world = step->world;
    const rblManifold* manifold = &step->manifolds.data[impact->manifold];
    find_center_of_pressure(step, manifold, impact);
    const float own_speed = approach_speed(world, impact);
    impact->speed = own_speed > 0.0f ? own_speed : manifold->impact_speed;
    impact->impulse = manifold->impact_impulse;
    impact->normal_impulse = manifold->impact_normal_impulse;
    const float restitution = impact->speed > world->def.bounce_speed ? manifold->restitution : 0.0f;
    impact->mass = impact->normal_impulse / ((1.0f + restitution) * impact->speed);
    impact->energy = 0.5f * impact->mass * impact->speed * impact->speed;
    const rblHertz hertz = rbl_impact_hertz(&world->bodies.data[impact->a], &world->bodies.data[impact->b],
                                            (double)impact->mass, impact->speed);
    impact->duration = hertz.duration;
    impact->peak_force = hertz.force;
}

static void measure_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        measure_pair_impact(step, &step->fracture->pair_impacts.data[i]);
    }
}

// Link the impacts of each body, in the order of manifolds.
static rblResult link_pair_impacts(rblStep* step)
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
    for (size_t i = stage->pair_impacts.count; i > 0; --i)
    {
        rblPairImpact* impact = &stage->pair_impacts.data[i - 1];
        const uint32_t slots[2] = {impact->a, impact->b};
        for (int k = 0; k < 2; ++k)
        {
            if (can_break(&world->bodies.data[slots[k]]))
            {
                impact->next[k] = stage->heads.data[slots[k]];
                stage->heads.data[slots[k]] = (uint32_t)(i - 1);
            }
        }
    }
    return RBL_OK;
}

rblResult rbl_pair_impacts_gather(rblStep* step)
{
    rblWorld* world = step->world;
    RBL_TRY(list_pair_impacts(step));
    const uint32_t count = (uint32_t)step->fracture->pair_impacts.count;
    if (count == 0)
    {
        return RBL_OK;
    }
    rbl_parallel_for(world->jobs, count, MIN_IMPACTS, measure_block, step);
    return link_pair_impacts(step);
}

rblImpact rbl_pair_impact_on(const rblPairImpact* impact, bool on_b)
{
    const float sign = on_b ? 1.0f : -1.0f;
    return (rblImpact){
        .point = impact->point,
        .normal = rbl_scale3(impact->normal, sign),
        .impulse = rbl_scale3(impact->impulse, sign),
        .speed = impact->speed,
        .duration = impact->duration,
        .mass = impact->mass,
        .energy = impact->energy,
        .peak_force = impact->peak_force,
    };
}

// ---- payment ----

// The velocity of a body along the normal per impulse, 1/kg.
static double body_compliance(const rblMotion* motion, const rblPairImpact* impact)
{
    if (!(motion->inverse_mass > 0.0f))
    {
        return 0.0;
    }
    const rblVec3 torque = rbl_cross3(rbl_sub3(impact->point, motion->center), impact->normal);
    const rblVec3 spin = rbl_angular_velocity(motion->orientation, torque, motion->moments);
    return (double)motion->inverse_mass + (double)rbl_dot3(torque, spin);
}

static double pair_compliance(const rblWorld* world, const rblPairImpact* impact)
{
    return body_compliance(&world->motions.data[impact->a], impact) +
           body_compliance(&world->motions.data[impact->b], impact);
}

double rbl_pair_impact_energy(const rblWorld* world, const rblPairImpact* impact)
{
    const double compliance = pair_compliance(world, impact);
    const double speed = rbl_maxd((double)approach_speed(world, impact), 0.0);
    return compliance > 0.0 ? 0.5 * speed * speed / compliance : 0.0;
}

static void apply_impulse(rblWorld* world, uint32_t slot, rblVec3 point, rblVec3 impulse)
{
    rblMotion* motion = &world->motions.data[slot];
    if (!(motion->inverse_mass > 0.0f))
    {
        // A kinematic body does work on the other body.
        world->energy.work -= (double)rbl_dot3(impulse, point_velocity(world, slot, point));
        return;
    }
    motion->velocity = rbl_mul_add3(motion->velocity, motion->inverse_mass, impulse);
    motion->momentum = rbl_add3(motion->momentum, rbl_cross3(rbl_sub3(point, motion->center), impulse));
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
}

void rbl_payment_report(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    const rblPairImpact* impact = &step->fracture->pair_impacts.data[plan->payer];
    const rblContactEvent event = {
        .kind = RBL_CONTACT_IMPACT,
        .a = impact->id_a,
        .b = impact->id_b,
        .point = impact->point,
        .normal = impact->normal,
        .impulse = plan->impulse,
        .speed = impact->speed,
        .duration = impact->duration,
    };
    const rblVec3 on_b = rbl_scale3(impact->normal, plan->impulse);
    world->impacts.data[world->impacts.count++] =
        (rblImpactRecord){event.a, event.b, event.point, on_b, event.speed, event.duration};
    world->events.data[world->events.count++] = event;
}

static bool is_whole(const rblWorld* world, uint32_t slot, rblBodyId id)
{
    return world->bodies.data[slot].generation == id.generation;
}

void rbl_pair_impact_refund(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    const rblPairImpact* impact = &step->fracture->pair_impacts.data[plan->payer];
    if (plan->pays && is_whole(world, impact->a, impact->id_a) && is_whole(world, impact->b, impact->id_b))
    {
        world->motions.data[impact->a] = plan->before[0];
        world->motions.data[impact->b] = plan->before[1];
        world->energy.work -= plan->work;
    }
}

// An impulse j along the normal removes the energy j u - j^2 / 2 m. Two impulses remove the cost. The smaller one leaves the
// rest of the impact to the fragments: cracks run through the body before the impulse has accelerated it.
void rbl_pair_impact_pay(rblStep* step, rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    rblPairImpact* impact = &step->fracture->pair_impacts.data[plan->payer];
    const double energy = rbl_pair_impact_energy(world, impact);
    if (!(impact->cost <= energy))
    {
        return;
    }
    impact->paid = true;
    impact->lost = 0.0;
    if (!(impact->cost > 0.0))
    {
        return;
    }
    plan->pays = true;
    plan->before[0] = world->motions.data[impact->a];
    plan->before[1] = world->motions.data[impact->b];
    plan->work = -world->energy.work;
    const double before = rbl_body_kinetic(world, impact->a) + rbl_body_kinetic(world, impact->b);
    const double mass = 1.0 / pair_compliance(world, impact);
    const double speed = (double)approach_speed(world, impact);
    const double impulse = mass * speed * (1.0 - sqrt(rbl_maxd(1.0 - impact->cost / energy, 0.0)));
    const rblVec3 on_b = rbl_scale3(impact->normal, (float)impulse);
    apply_impulse(world, impact->a, impact->point, rbl_scale3(on_b, -1.0f));
    apply_impulse(world, impact->b, impact->point, on_b);
    plan->work += world->energy.work;
    const double after = rbl_body_kinetic(world, impact->a) + rbl_body_kinetic(world, impact->b);
    impact->lost = before + plan->work - after;
    plan->impulse = (float)impulse;
}
