// Loads of awake neighbours on sleepers, and whether sleepers can stay asleep.
//
// Awake neighbours treat a sleeper as static. The load on a sleeper can still change: a body lands on it, or a support moves away.
// Each sleeper stores the contact forces from when it fell asleep. When they change, one small contact solve tests whether its
// other contacts can keep it at rest, with all other bodies at rest. A sleeper without support falls, and the bodies that it
// supports wake with it. A sleeper whose load has changed by much wakes alone, because its neighbours may not be able to carry the
// new load.
#include "base/sort.h"
#include "dynamics/orientation.h"
#include "dynamics/pair_list.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define MIN_CHANGE   0.02f // of its weight: smaller changes of force are ignored
#define FALLS        0.05f // of gravity: remaining acceleration from which on a sleeper counts as unsupported
#define LOAD_SHARE   0.25f // of the sum of its contact forces: a larger change wakes it
#define SMALL_SHARE  0.25f // of the sleep speed: smaller velocity changes are ignored
#define MEAN_TIME    0.25f // s: time constant of the running mean of loads
#define SWEEPS       32    // largest number of sweeps over the contacts of a sleeper
#define MAX_CONTACTS 96    // largest number of contacts in the test of a sleeper

#define ROCKING_IMPACT 4.0f // times the sleep speed: slower impacts of a rocking body do not wake sleepers

// ---- forces ----

static rblVec3 contact_force(const rblContact* contact)
{
    return rbl_mul_add3(contact->friction, contact->normal_impulse, contact->normal);
}

static float pair_rate(const rblPair* pair, bool on_b)
{
    return pair->seconds > 0.0f ? (on_b ? pair->share_b : pair->share_a) / pair->seconds : 0.0f;
}

rblVec3 rbl_pair_force(const rblWorld* world, const rblPair* pair, bool on_b)
{
    rblVec3 sum = rbl_vec3(0, 0, 0);
    for (uint32_t i = 0; i < pair->leading; ++i)
    {
        sum = rbl_add3(sum, contact_force(&world->contacts.data[pair->first + i]));
    }
    return rbl_scale3(sum, on_b ? pair_rate(pair, true) : -pair_rate(pair, false));
}

// Weight points upwards where the gravity scale is negative.
float rbl_body_support_part(const rblWorld* world, uint32_t slot, rblVec3 force)
{
    const float gravity = rbl_length3(world->def.gravity);
    const float along = rbl_dot3(force, world->def.gravity);
    const float down = world->bodies.data[slot].gravity_scale < 0.0f ? -along : along;
    return gravity > 0.0f ? -down / gravity : 0.0f;
}

// Add the contact forces of a pair to the load of one of its bodies.
static void add_pair(rblStep* step, const rblPair* pair, bool on_b)
{
    rblWorld* world = step->world;
    const uint32_t slot = on_b ? pair->b : pair->a;
    const rblTransform frame = rbl_motion_pose(&world->motions.data[slot]);
    const float rate = on_b ? pair_rate(pair, true) : -pair_rate(pair, false);
    rblLoad* load = &step->loads.data[slot];
    rblVec3 sum = rbl_vec3(0, 0, 0);
    for (uint32_t i = 0; i < pair->leading; ++i)
    {
        const rblContact* contact = &world->contacts.data[pair->first + i];
        const rblVec3 arm = rbl_rotate3(frame.q, on_b ? contact->anchor_b : contact->anchor_a);
        const rblVec3 force = rbl_scale3(contact_force(contact), rate);
        sum = rbl_add3(sum, force);
        load->torque = rbl_add3(load->torque, rbl_cross3(arm, force));
    }
    load->force = rbl_add3(load->force, sum);
    load->force_sum += rbl_length3(sum);
    load->support += rbl_maxf(rbl_body_support_part(world, slot, sum), 0.0f);
}

// Sum the loads of a watched body.
static rblResult sum_loads(rblStep* step, uint32_t slot)
{
    rblWorld* world = step->world;
    rblIndexArray* pairs = &step->pairs_of_body;
    rbl_array_clear(pairs);
    for (uint32_t side = rbl_first_side(world, slot); side != RBL_NONE; side = rbl_next_side(world, side))
    {
        if (world->pairs.data[side / 2].count > 0 && !rbl_array_push(pairs, side / 2))
        {
            return rbl_fail_memory();
        }
    }
    if (!rbl_pairs_sort(world, pairs, &step->slot_scratch))
    {
        return rbl_fail_memory();
    }
    step->loads.data[slot] = (rblLoad){0};
    for (size_t i = 0; i < pairs->count; ++i)
    {
        const rblPair* pair = &world->pairs.data[pairs->data[i]];
        add_pair(step, pair, pair->b == slot);
    }
    return RBL_OK;
}

rblResult rbl_loads_sum(rblStep* step)
{
    for (size_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[i].slot;
        RBL_TRY(step->watched.data[slot] ? sum_loads(step, slot) : RBL_OK);
    }
    for (size_t i = 0; i < step->watched_sleepers.count; ++i)
    {
        RBL_TRY(sum_loads(step, step->watched_sleepers.data[i]));
    }
    return RBL_OK;
}

// ---- test of a sleeper ----

// The sleeper as the second body of a pair with the static world.
typedef struct Support
{
    rblSolverBody ground, body;
    rblSolverContact contacts[MAX_CONTACTS];
    float friction[MAX_CONTACTS];
    uint32_t count;
} Support;

// The contacts of a pair that support the sleeper, with their last impulses. Redundant contacts have no impulse and are left
// out.
static void add_support(const rblStep* step, const rblPair* pair, uint32_t slot, Support* support_sum)
{
    const rblWorld* world = step->world;
    const bool is_b = pair->b == slot;
    const rblMotion* motion = &world->motions.data[slot];
    const rblTransform frame = rbl_motion_pose(motion);
    const float scale = (is_b ? step->seconds : -step->seconds) * pair_rate(pair, is_b);
    const rblBody* a = &world->bodies.data[pair->a];
    const rblBody* b = &world->bodies.data[pair->b];
    for (uint32_t i = 0; i < pair->leading && support_sum->count < MAX_CONTACTS; ++i)
    {
        const rblContact* from = &world->contacts.data[pair->first + i];
        rblSolverContact* contact = &support_sum->contacts[support_sum->count];
        *contact = (rblSolverContact){
            .arm_b = rbl_rotate3(frame.q, is_b ? from->anchor_b : from->anchor_a),
            .normal = rbl_scale3(from->normal, is_b ? 1.0f : -1.0f),
            .normal_impulse = fabsf(scale) * from->normal_impulse,
        };
        rbl_contact_prepare_masses(&support_sum->ground, &support_sum->body, contact);
        const rblVec3 friction = rbl_scale3(from->friction, scale);
        contact->tangent_impulse[0] = rbl_dot3(friction, contact->tangent);
        contact->tangent_impulse[1] = rbl_dot3(friction, rbl_contact_tangent2(contact));
        support_sum->friction[support_sum->count++] = sqrtf(a->material.friction * b->material.friction);
        rbl_apply_impulse(&support_sum->ground, &support_sum->body, contact->arm_a, contact->arm_b,
                          rbl_contact_impulse(contact));
    }
}

// The sleeper after a step under gravity and joint forces, before its contacts are solved.
static void begin_support(const rblStep* step, uint32_t slot, Support* support_sum)
{
    const rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    const rblMotion* motion = &world->motions.data[slot];
    const rblVec3 fall = rbl_scale3(world->def.gravity, step->seconds * body->gravity_scale);
    support_sum->ground = (rblSolverBody){.slot = RBL_NONE};
    support_sum->body = (rblSolverBody){.inverse_mass = motion->inverse_mass, .slot = slot};
    support_sum->count = 0;
    rbl_inertia_update(motion, &support_sum->body);
    support_sum->body.velocity = rbl_mul_add3(fall, step->seconds * motion->inverse_mass, body->rest.pull);
    support_sum->body.spin = rbl_symmetric3_apply(&support_sum->body.inverse_inertia,
                                                  rbl_scale3(body->rest.joint_torque, step->seconds));
}

// Loads of awake bodies are applied as they are.
static void add_load(const rblStep* step, const rblPair* pair, uint32_t slot, Support* support_sum)
{
    const rblWorld* world = step->world;
    const bool is_b = pair->b == slot;
    const rblTransform frame = rbl_motion_pose(&world->motions.data[slot]);
    const float scale = (is_b ? step->seconds : -step->seconds) * pair_rate(pair, is_b);
    for (uint32_t i = 0; i < pair->leading; ++i)
    {
        const rblContact* from = &world->contacts.data[pair->first + i];
        const rblVec3 arm = rbl_rotate3(frame.q, is_b ? from->anchor_b : from->anchor_a);
        rbl_apply_impulse(&support_sum->ground, &support_sum->body, rbl_vec3(0, 0, 0), arm,
                          rbl_scale3(contact_force(from), scale));
    }
}

// Whether the contacts with bodies at rest can keep the sleeper at rest.
static rblResult can_stay(rblStep* step, uint32_t slot, bool* out)
{
    rblWorld* world = step->world;
    Support support_sum;
    const rblIndexArray* links = rbl_links_of(step, slot);
    if (links == NULL)
    {
        return rbl_fail_memory();
    }
    begin_support(step, slot, &support_sum);
    for (size_t i = 0; i < links->count; ++i)
    {
        const rblPair* pair = &world->pairs.data[links->data[i]];
        const uint32_t other = pair->a == slot ? pair->b : pair->a;
        if (world->bodies.data[other].awake && !rbl_body_is_rocking(world, other))
        {
            add_load(step, pair, slot, &support_sum);
        }
        else
        {
            add_support(step, pair, slot, &support_sum);
        }
    }
    for (int sweep = 0; sweep < SWEEPS; ++sweep)
    {
        for (uint32_t i = 0; i < support_sum.count; ++i)
        {
            rbl_contact_solve(&support_sum.ground, &support_sum.body, &support_sum.contacts[i],
                              support_sum.friction[i]);
        }
    }
    const rblBody* body = &world->bodies.data[slot];
    const float gravity = fabsf(body->gravity_scale) * rbl_length3(world->def.gravity);
    const float slow = rbl_maxf(FALLS * gravity * step->seconds, SMALL_SHARE * world->def.sleep_speed);
    *out = rbl_body_max_speed(body, support_sum.body.velocity, support_sum.body.spin) < slow;
    return RBL_OK;
}

// ---- changes of load ----

// Bodies that were created asleep are ignored until they are touched.
static bool watch(rblStep* step, const rblPair* pair, uint32_t slot)
{
    const rblWorld* world = step->world;
    if ((!pair->touching && world->bodies.data[slot].rest.untried) || step->watched.data[slot] != 0)
    {
        return true;
    }
    step->watched.data[slot] = 1;
    return rbl_array_push(&step->watched_sleepers, slot);
}

// Sleepers that an awake body may have touched or left.
rblResult rbl_sleepers_watch(rblStep* step)
{
    const rblWorld* world = step->world;
    bool ok = true;
    for (size_t i = 0; i < step->active_pairs.count && ok && step->sleepers > 0; ++i)
    {
        const rblPair* pair = &world->pairs.data[step->active_pairs.data[i]];
        const unsigned char a = step->activities.data[pair->a];
        const unsigned char b = step->activities.data[pair->b];
        if (a == RBL_ACTIVITY_ASLEEP && b >= RBL_ACTIVITY_AWAKE)
        {
            ok = watch(step, pair, pair->a);
        }
        if (b == RBL_ACTIVITY_ASLEEP && a >= RBL_ACTIVITY_AWAKE)
        {
            ok = watch(step, pair, pair->b);
        }
    }
    if (!ok || !rbl_array_renew(&step->slot_scratch, step->watched_sleepers.count, 0))
    {
        return rbl_fail_memory();
    }
    rbl_sort_indices(step->watched_sleepers.data, step->slot_scratch.data, step->watched_sleepers.count,
                     rbl_before_by_value, NULL);
    return RBL_OK;
}

// Contact forces do not include impacts.
void rbl_sleepers_wake_by_impacts(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < step->manifold_impacts.count; ++i)
    {
        const rblManifoldImpact* impact = &step->manifold_impacts.data[i];
        const rblPair* pair = &world->pairs.data[step->manifolds.data[impact->manifold].pair];
        const bool b_sleeps = step->activities.data[pair->b] == RBL_ACTIVITY_ASLEEP;
        const uint32_t slot = b_sleeps ? pair->b : pair->a;
        if (step->activities.data[slot] == RBL_ACTIVITY_ASLEEP)
        {
            const rblMotion* motion = &world->motions.data[slot];
            const rblVec3 turn = rbl_cross3(rbl_sub3(impact->at.point, motion->center), impact->impulse);
            const rblVec3 spin = rbl_angular_velocity(motion->orientation, turn, motion->moments);
            const rblVec3 velocity = rbl_scale3(impact->impulse, motion->inverse_mass);
            const uint32_t other = b_sleeps ? pair->a : pair->b;
            const float slow =
                world->def.sleep_speed * (rbl_body_is_rocking(world, other) ? ROCKING_IMPACT : 1.0f);
            if (rbl_body_max_speed(&world->bodies.data[slot], velocity, spin) > slow)
            {
                rbl_slot_wake_sleeper(world, slot);
            }
        }
    }
}

// Whether the contact load on a sleeper has changed since its last test.
static bool has_changed_load(const rblStep* step, uint32_t slot)
{
    const rblWorld* world = step->world;
    const rblBody* body = &world->bodies.data[slot];
    const rblLoad* load = &step->loads.data[slot];
    const float weight = body->mass * fabsf(body->gravity_scale) * rbl_length3(world->def.gravity);
    const rblVec3 force = rbl_sub3(load->force, body->rest.force);
    const rblVec3 torque = rbl_sub3(load->torque, body->rest.torque);
    return rbl_length3(force) * body->shape.radius + rbl_length3(torque) >
           MIN_CHANGE * weight * body->shape.radius;
}

// Running mean of the load, because bodies that rock on a sleeper change it back and forth.
static void update_mean_load(const rblStep* step, rblVec3 force, rblRest* rest)
{
    rest->time += step->seconds;
    const float share = rbl_minf(step->seconds / MEAN_TIME, 1.0f);
    rest->mean_force = rbl_mul_add3(rest->mean_force, share, rbl_sub3(force, rest->mean_force));
    if (rest->time < MEAN_TIME)
    {
        rest->first_force = rest->mean_force;
    }
}

static rblResult check_load(rblStep* step, uint32_t slot)
{
    rblWorld* world = step->world;
    rblBody* body = &world->bodies.data[slot];
    const rblLoad* load = &step->loads.data[slot];
    update_mean_load(step, load->force, &body->rest);
    if (body->awake || (!body->rest.untried && !has_changed_load(step, slot)))
    {
        return RBL_OK;
    }
    if (body->rest.untried)
    {
        return rbl_slot_wake_unsupported(step, slot);
    }
    bool stays = false;
    RBL_TRY(can_stay(step, slot, &stays));
    if (!stays)
    {
        return rbl_slot_wake_unsupported(step, slot);
    }
    if (rbl_length3(rbl_sub3(body->rest.mean_force, body->rest.first_force)) >
        LOAD_SHARE * body->rest.force_sum)
    {
        rbl_slot_wake(world, slot);
    }
    body->rest.force = load->force;
    body->rest.torque = load->torque;
    return RBL_OK;
}

rblResult rbl_sleepers_check_loads(rblStep* step)
{
    rbl_lost_support_forget(step);
    rbl_sleepers_wake_by_impacts(step);
    for (size_t i = 0; i < step->watched_sleepers.count; ++i)
    {
        RBL_TRY(check_load(step, step->watched_sleepers.data[i]));
    }
    return RBL_OK;
}
