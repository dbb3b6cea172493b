// Pairs that stop without restitution: one Gauss-Seidel iteration at each contact per sweep, four manifolds at a time.
// Impulses accumulate over the sweeps. Each iteration removes energy or leaves it unchanged (docs/step.md, section 4).
#include "dynamics/impact/impacts.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define LOCAL_STEPS 8     // Gauss-Seidel iterations on a pair that no other pair touches, at most
#define SLIGHT      0.05f // of the threshold: smaller changes do not make neighbours be solved again
#define ENOUGH      0.01f // of the threshold: smaller changes end the iterations on a pair

static rblFloat4 either(rblFloat4 mask, rblFloat4 other)
{
    return rbl_select4(mask, mask, other);
}

// ---- before the sweeps ----

// An isolated body may have another flight in this step, up to contacts that do not touch yet.
static bool is_isolated(const rblStep* step, const rblManifold* manifold)
{
    return step->impact->isolations.data[rbl_manifold_moving_body(manifold)] != RBL_ISOLATION_NONE;
}

static bool is_resting(const rblStep* step, const rblManifold* manifold)
{
    return step->impact->freedoms.data[rbl_manifold_moving_body(manifold)] == RBL_FREEDOM_RESTING;
}

void rbl_impact_bundle_begin(rblStep* step, uint32_t index, float threshold, uint32_t round)
{
    const rblBundle* bundle = &step->bundles.data[index];
    rblImpactBundle impact = {.packed = false};
    for (uint32_t i = 0; i < bundle->lanes; ++i)
    {
        const rblManifold* manifold = &step->manifolds.data[bundle->manifold + i];
        impact.threshold[i] = rbl_pair_impact_threshold(step, manifold, threshold);
        const bool concerned = round == 0 || is_isolated(step, manifold);
        impact.approaching |= (uint8_t)(manifold->approaching && concerned ? 1u << i : 0u);
        const bool is_isolated_rest = is_isolated(step, manifold) && is_resting(step, manifold);
        // Contacts of siblings only resist the effect of other bodies. They never bounce.
        const bool elastic = manifold->restitution > 0.0f && !manifold->siblings;
        const bool early = !manifold->siblings && (manifold->early || (manifold->approaching && elastic));
        impact.early |= (uint8_t)(early && !is_isolated_rest ? 1u << i : 0u);
        impact.moved_to_impact |= (uint8_t)(manifold->moved_to_impact && !is_isolated_rest ? 1u << i : 0u);
        impact.rough |= (uint8_t)(rbl_manifold_is_convex(manifold) ? 0u : 1u << i);
        const bool again = round + 1 < RBL_IMPACT_ROUNDS && is_isolated(step, manifold);
        impact.patient |= (uint8_t)(again ? 1u << i : 0u);
        impact.later |= (uint8_t)(manifold->later ? 1u << i : 0u);
        impact.elastic |= (uint8_t)(elastic ? 1u << i : 0u);
    }
    step->impact->impact_bundles.data[index] = impact;
}

static rblFloat4 approach_of(const rblWideBody* a, const rblWideBody* b, rblWideContact* contact)
{
    const rblWide3 u =
        rbl_wide_relative_velocity(a, b, rbl_wide_load3(contact->arm_a), rbl_wide_load3(contact->arm_b));
    return rbl_sub4(rbl_splat4(0.0f), rbl_wide_dot3(u, rbl_wide_load3(contact->normal)));
}

// Time until the first contact of each lane closes, s; RBL_NO_TARGET when none does.
static rblFloat4 first_closing(rblStep* step, const rblBundle* bundle, const rblWideBody* a,
                               const rblWideBody* b, rblFloat4 threshold)
{
    const rblFloat4 never = rbl_splat4(RBL_NO_TARGET);
    rblFloat4 least = never;
    for (uint32_t i = 0; i < bundle->count; ++i)
    {
        rblWideContact* contact = &step->wide_contacts.data[bundle->first + i];
        const rblFloat4 approach = approach_of(a, b, contact);
        const rblFloat4 time = rbl_div4(rbl_max4(rbl_load4(contact->gap), rbl_splat4(0.0f)), approach);
        least = rbl_select4(rbl_less4(threshold, approach), rbl_min4(least, time), least);
    }
    return least;
}

// Sets the targets: the smallest normal velocity of each contact after the solve. It is 0 for a contact that touches. For an
// open contact it is the velocity that closes the gap in the time left, or -RBL_NO_TARGET when another flight follows. A
// flight ends one slop before the surfaces touch, and with rotation its error is larger. Bodies that do not fly bounce a
// little early. In these cases, unless another flight follows, the contact that would close first counts as touching.
static void aim_bundle(rblStep* step, uint32_t index)
{
    const rblBundle* bundle = &step->bundles.data[index];
    const rblImpactBundle* impact = &step->impact->impact_bundles.data[index];
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblWideBody a = rbl_gather_bodies4(step->solver_bodies.data, bundle->a);
    const rblWideBody b = rbl_gather_bodies4(step->solver_bodies.data, bundle->b);
    const rblFloat4 slop = rbl_load4(bundle->slop);
    const rblFloat4 near = rbl_mul4(rbl_splat4(2.0f), slop);
    const rblFloat4 time = rbl_max4(a.seconds, b.seconds);
    const uint32_t nearest = (uint32_t)(impact->early | impact->moved_to_impact) &
                             ~(uint32_t)(impact->patient | impact->rough | impact->later);
    const rblFloat4 patient = rbl_wide_lanes(impact->patient);
    rbl_bundle_pack(step, bundle);
    rblWideBody start_a = a;
    rblWideBody start_b = b;
    rbl_gather_velocities4(step->at_start.data, bundle->a, &start_a);
    rbl_gather_velocities4(step->at_start.data, bundle->b, &start_b);
    rblFloat4 first = zero;
    if (nearest != 0)
    {
        first = first_closing(step, bundle, &a, &b, rbl_load4(impact->threshold));
        first = rbl_select4(rbl_and4(rbl_wide_lanes(nearest), rbl_less_equal4(first, time)), first, zero);
    }
    for (uint32_t i = 0; i < bundle->count; ++i)
    {
        rblWideContact* contact = &step->wide_contacts.data[bundle->first + i];
        const rblFloat4 gap = rbl_load4(contact->gap);
        rblFloat4 reach = near;
        if (nearest != 0)
        {
            const rblFloat4 closing_distance = rbl_mul4(first, approach_of(&a, &b, contact));
            reach = rbl_max4(near, rbl_add4(slop, closing_distance));
        }
        const rblFloat4 touches = rbl_less_equal4(gap, reach);
        const rblFloat4 closing = rbl_div4(rbl_sub4(zero, gap), time); // infinite when no time is left
        const rblFloat4 later = rbl_select4(patient, rbl_splat4(-RBL_NO_TARGET), closing);
        rblFloat4 target = rbl_select4(touches, zero, later);
        if (bundle->free != 0)
        {
            // Contacts of siblings oppose relative motion by other bodies, not the relative motion of the siblings at the
            // start.
            const rblFloat4 own = rbl_sub4(zero, approach_of(&start_a, &start_b, contact));
            target = rbl_select4(rbl_wide_lanes(bundle->free), rbl_min4(target, own), target);
        }
        rbl_store4(contact->target, target);
        rbl_store4(contact->normal_impulse, zero);
        rbl_store4(contact->tangent_impulse[0], zero);
        rbl_store4(contact->tangent_impulse[1], zero);
    }
}

// The impulses of a round begin at zero.
static void clear_impact_impulses(rblStep* step, const rblBundle* bundle)
{
    for (uint32_t lane = 0; lane < bundle->lanes; ++lane)
    {
        const rblManifold* manifold = &step->manifolds.data[bundle->manifold + lane];
        for (uint32_t i = 0; i < manifold->count; ++i)
        {
            step->solver_contacts.data[manifold->first + i].impact_impulse = 0.0f;
        }
    }
}

// A bundle is packed when it is first needed. Most are not needed.
static void pack_once(rblStep* step, uint32_t index)
{
    if (!step->impact->impact_bundles.data[index].packed)
    {
        aim_bundle(step, index);
        clear_impact_impulses(step, &step->bundles.data[index]);
        step->impact->impact_bundles.data[index].packed = true;
    }
}

// ---- approach ----

// Stores the largest approach speed of touching contacts, and the number of the contact.
static void note_impacts(rblImpactBundle* impact, uint32_t number, rblFloat4 speed, rblFloat4 counts)
{
    const rblFloat4 before = rbl_load4(impact->impact_speed);
    const rblFloat4 faster = rbl_and4(counts, rbl_less4(before, speed));
    if (rbl_mask4(faster) != 0)
    {
        const rblFloat4 old = rbl_load4(impact->impact_number);
        rbl_store4(impact->impact_speed, rbl_select4(faster, speed, before));
        rbl_store4(impact->impact_number, rbl_select4(faster, rbl_splat4((float)number), old));
    }
}

// Bodies with joints do not fly to their impacts: they stop or bounce before the gap is closed, so that the joint does not
// lose their speed first. A contact that was stopped early keeps its target of 0.
rblApproach rbl_impact_bundle_find_approach(rblStep* step, uint32_t index, uint32_t lanes, bool first)
{
    rblWorld* world = step->world;
    const rblBundle* bundle = &step->bundles.data[index];
    rblImpactBundle* impact = &step->impact->impact_bundles.data[index];
    pack_once(step, index);
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 asked = rbl_wide_lanes(lanes);
    const rblFloat4 early = rbl_wide_lanes(impact->early & lanes & (first ? impact->rough : 15u));
    const rblFloat4 threshold = rbl_load4(impact->threshold);
    const rblFloat4 bounce_speed = rbl_splat4(world->def.bounce_speed);
    const rblWideBody a = rbl_gather_bodies4(step->solver_bodies.data, bundle->a);
    const rblWideBody b = rbl_gather_bodies4(step->solver_bodies.data, bundle->b);
    rblApproach result = {0, 0};
    for (uint32_t i = 0; i < bundle->count; ++i)
    {
        rblWideContact* contact = &step->wide_contacts.data[bundle->first + i];
        const rblWide3 u = rbl_wide_relative_velocity(&a, &b, rbl_wide_load3(contact->arm_a),
                                                      rbl_wide_load3(contact->arm_b));
        const rblFloat4 speed = rbl_wide_dot3(u, rbl_wide_load3(contact->normal));
        const rblFloat4 approach = rbl_sub4(zero, speed);
        rblFloat4 target = rbl_load4(contact->target);
        const rblFloat4 closing = rbl_and4(asked, rbl_less4(speed, rbl_sub4(target, threshold)));
        const rblFloat4 fast = rbl_and4(asked, rbl_less4(bounce_speed, approach));
        target = rbl_select4(rbl_and4(early, rbl_and4(closing, fast)), zero, target);
        rbl_store4(contact->target, target);
        const rblFloat4 touches = rbl_less_equal4(zero, target);
        note_impacts(impact, i, approach, rbl_and4(asked, touches));
        result.closing |= rbl_mask4(closing);
        result.fast |= rbl_mask4(rbl_and4(fast, touches));
    }
    return result;
}

// ---- stopping ----

typedef struct Lanes
{
    rblWideBody a, b;
    rblFloat4 friction, threshold;
    rblFloat4 weight;  // inverse masses of both: velocity per impulse
    rblFloat4 busy;    // lanes that are solved
    rblFloat4 acting;  // lanes that have impulses or have approached
    rblFloat4 closing; // lanes that have approached
    rblFloat4 largest; // largest change of a velocity, m/s
} Lanes;

// Sticking friction makes the relative tangential velocity zero. Where that exceeds the cone of radius `limit` the contact
// slides: the friction impulse changes against the velocity and is projected to the nearest point of the cone. The length of
// this change, 2 / trace of the compliance, makes sure that from inside the cone it never gains energy.
static void change_friction(const rblWideContact* contact, rblFloat4 limit, rblFloat4 x, rblFloat4 y,
                            rblFloat4 change[2])
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 mass_x = rbl_load4(contact->tangent_mass[0]);
    const rblFloat4 mass_y = rbl_load4(contact->tangent_mass[1]);
    const rblFloat4 mass_xy = rbl_load4(contact->tangent_mass[2]);
    const rblFloat4 old_x = rbl_load4(contact->tangent_impulse[0]);
    const rblFloat4 old_y = rbl_load4(contact->tangent_impulse[1]);
    change[0] = rbl_sub4(zero, rbl_add4(rbl_mul4(mass_x, x), rbl_mul4(mass_xy, y)));
    change[1] = rbl_sub4(zero, rbl_add4(rbl_mul4(mass_xy, x), rbl_mul4(mass_y, y)));
    const rblFloat4 stick_x = rbl_add4(old_x, change[0]);
    const rblFloat4 stick_y = rbl_add4(old_y, change[1]);
    const rblFloat4 square = rbl_add4(rbl_mul4(stick_x, stick_x), rbl_mul4(stick_y, stick_y));
    const rblFloat4 slides = rbl_less4(rbl_mul4(limit, limit), square);
    if (rbl_mask4(slides) == 0)
    {
        return;
    }
    const rblFloat4 mean = rbl_load4(contact->tangent_mass[3]);
    const rblFloat4 tangent_x = rbl_sub4(old_x, rbl_mul4(mean, x));
    const rblFloat4 tangent_y = rbl_sub4(old_y, rbl_mul4(mean, y));
    const rblFloat4 length =
        rbl_sqrt4(rbl_add4(rbl_mul4(tangent_x, tangent_x), rbl_mul4(tangent_y, tangent_y)));
    const rblFloat4 outside = rbl_less4(limit, length);
    const rblFloat4 scale = rbl_select4(outside, rbl_div4(limit, length), rbl_splat4(1.0f));
    change[0] = rbl_select4(slides, rbl_sub4(rbl_mul4(tangent_x, scale), old_x), change[0]);
    change[1] = rbl_select4(slides, rbl_sub4(rbl_mul4(tangent_y, scale), old_y), change[1]);
}

// Largest reduction of the normal impulse: it must cost no energy and leave friction inside its cone. (Projecting friction
// back into the cone could cost energy.)
static rblFloat4 max_taken_back(const Lanes* lanes, const rblWideContact* contact, rblFloat4 along)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 x = rbl_load4(contact->tangent_impulse[0]);
    const rblFloat4 y = rbl_load4(contact->tangent_impulse[1]);
    const rblFloat4 tangent_impulse = rbl_sqrt4(rbl_add4(rbl_mul4(x, x), rbl_mul4(y, y)));
    const rblFloat4 needed =
        rbl_select4(rbl_less4(zero, tangent_impulse), rbl_div4(tangent_impulse, lanes->friction), zero);
    const rblFloat4 twice = rbl_mul4(rbl_splat4(2.0f), rbl_load4(contact->normal_mass));
    const rblFloat4 free = rbl_mul4(twice, rbl_max4(along, zero));
    return rbl_max4(rbl_min4(rbl_sub4(rbl_load4(contact->normal_impulse), needed), free), zero);
}

// Lanes with an impulse, and lanes that get one. Open contacts that stay open are skipped.
static rblFloat4 is_at_work(const rblWideContact* contact, rblFloat4 closes)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 slides = rbl_add4(rbl_wide_absolute(rbl_load4(contact->tangent_impulse[0])),
                                      rbl_wide_absolute(rbl_load4(contact->tangent_impulse[1])));
    return either(closes, rbl_less4(zero, rbl_add4(rbl_load4(contact->normal_impulse), slides)));
}

// One iteration: friction, then the normal impulse that makes the normal velocity equal to the target, which is at most 0.
static void stop_contact(Lanes* lanes, rblWideContact* contact)
{
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblWide3 arm_a = rbl_wide_load3(contact->arm_a);
    const rblWide3 arm_b = rbl_wide_load3(contact->arm_b);
    const rblWide3 normal = rbl_wide_load3(contact->normal);
    const rblWide3 u = rbl_wide_relative_velocity(&lanes->a, &lanes->b, arm_a, arm_b);
    const rblFloat4 speed = rbl_wide_dot3(u, normal);
    const rblFloat4 target = rbl_load4(contact->target);
    const rblFloat4 old = rbl_load4(contact->normal_impulse);
    const rblFloat4 closing = rbl_and4(lanes->busy, rbl_less4(speed, rbl_sub4(target, lanes->threshold)));
    lanes->closing = either(lanes->closing, closing);
    lanes->acting = either(lanes->acting, closing);
    const rblFloat4 acts = rbl_and4(lanes->busy, lanes->acting);
    if (rbl_mask4(rbl_and4(acts, is_at_work(contact, rbl_less4(speed, target)))) == 0)
    {
        return;
    }
    const rblWide3 tangent = rbl_wide_load3(contact->tangent);
    const rblWide3 tangent2 = rbl_wide_cross3(normal, tangent);
    rblFloat4 change[3];
    change_friction(contact, rbl_mul4(lanes->friction, old), rbl_wide_dot3(u, tangent),
                    rbl_wide_dot3(u, tangent2), &change[1]);
    change[1] = rbl_select4(acts, change[1], zero);
    change[2] = rbl_select4(acts, change[2], zero);
    const rblFloat4 coupled = rbl_add4(rbl_mul4(rbl_load4(contact->coupling[0]), change[1]),
                                       rbl_mul4(rbl_load4(contact->coupling[1]), change[2]));
    rbl_store4(contact->tangent_impulse[0], rbl_add4(rbl_load4(contact->tangent_impulse[0]), change[1]));
    rbl_store4(contact->tangent_impulse[1], rbl_add4(rbl_load4(contact->tangent_impulse[1]), change[2]));
    const rblFloat4 along = rbl_add4(speed, coupled);
    rblFloat4 normal_impulse = rbl_mul4(rbl_load4(contact->normal_mass), rbl_sub4(target, along));
    const rblFloat4 back = rbl_less4(normal_impulse, zero);
    if (rbl_mask4(rbl_and4(back, acts)) != 0)
    {
        const rblFloat4 least = rbl_sub4(zero, max_taken_back(lanes, contact, along));
        normal_impulse = rbl_select4(back, rbl_max4(normal_impulse, least), normal_impulse);
    }
    change[0] = rbl_select4(acts, normal_impulse, zero);
    rbl_store4(contact->normal_impulse, rbl_add4(old, change[0]));
    rbl_wide_apply_impulse(&lanes->a, &lanes->b, arm_a, arm_b,
                           rbl_wide_in_frame(normal, tangent, tangent2, change));
    const rblFloat4 sum = rbl_add4(rbl_add4(rbl_wide_absolute(change[0]), rbl_wide_absolute(change[1])),
                                   rbl_wide_absolute(change[2]));
    lanes->largest = rbl_max4(lanes->largest, rbl_mul4(sum, lanes->weight));
}

static Lanes gather_lanes(const rblStep* step, uint32_t index)
{
    const rblBundle* bundle = &step->bundles.data[index];
    Lanes lanes;
    lanes.a = rbl_gather_bodies4(step->solver_bodies.data, bundle->a);
    lanes.b = rbl_gather_bodies4(step->solver_bodies.data, bundle->b);
    lanes.friction = rbl_load4(bundle->friction);
    lanes.threshold = rbl_load4(step->impact->impact_bundles.data[index].threshold);
    lanes.weight = rbl_add4(lanes.a.inverse_mass, lanes.b.inverse_mass);
    lanes.acting = rbl_wide_lanes(step->impact->impact_bundles.data[index].has_impulse);
    lanes.closing = rbl_wide_lanes(0);
    return lanes;
}

// Approach speeds of lanes without an impact so far, before the first impulse: motion that one contact of a pair causes at
// another one is no impact.
static void note_first_impacts(rblStep* step, uint32_t index, uint32_t lanes, const Lanes* work)
{
    const rblBundle* bundle = &step->bundles.data[index];
    rblImpactBundle* impact = &step->impact->impact_bundles.data[index];
    const rblFloat4 zero = rbl_splat4(0.0f);
    const uint32_t first_lanes = lanes & ~rbl_mask4(rbl_less4(zero, rbl_load4(impact->impact_speed)));
    const rblFloat4 asked = rbl_wide_lanes(first_lanes & 15u);
    for (uint32_t i = 0; i < bundle->count && first_lanes != 0; ++i)
    {
        rblWideContact* contact = &step->wide_contacts.data[bundle->first + i];
        const rblFloat4 approach = approach_of(&work->a, &work->b, contact);
        const rblFloat4 touches = rbl_less_equal4(zero, rbl_load4(contact->target));
        const rblFloat4 closing = rbl_less4(work->threshold, approach);
        note_impacts(impact, i, approach, rbl_and4(asked, rbl_and4(touches, closing)));
    }
}

// Adds the kinetic energies of the pairs of siblings to their losses, with a sign: + before a sweep, - after it.
static void add_sibling_energies(rblStep* step, const rblBundle* bundle, double sign)
{
    for (uint32_t i = 0; i < bundle->lanes && bundle->free != 0; ++i)
    {
        rblManifold* manifold = &step->manifolds.data[bundle->manifold + i];
        if (manifold->siblings)
        {
            manifold->sibling_loss +=
                sign * (rbl_solver_body_kinetic(step->world, &step->solver_bodies.data[manifold->a]) +
                        rbl_solver_body_kinetic(step->world, &step->solver_bodies.data[manifold->b]));
        }
    }
}

uint32_t rbl_impact_bundle_sweep(rblStep* step, uint32_t index, uint32_t lanes, uint32_t alone,
                                 uint32_t* closing)
{
    const rblBundle* bundle = &step->bundles.data[index];
    rblImpactBundle* impact = &step->impact->impact_bundles.data[index];
    pack_once(step, index);
    Lanes work = gather_lanes(step, index);
    const rblFloat4 enough = rbl_mul4(rbl_splat4(ENOUGH), work.threshold);
    note_first_impacts(step, index, lanes, &work);
    add_sibling_energies(step, bundle, 1.0);
    rblFloat4 most = rbl_splat4(0.0f);
    uint32_t busy = lanes;
    for (int k = 0; k < LOCAL_STEPS && busy != 0; ++k)
    {
        work.busy = rbl_wide_lanes(busy);
        work.largest = rbl_splat4(0.0f);
        for (uint32_t i = 0; i < bundle->count; ++i)
        {
            stop_contact(&work, &step->wide_contacts.data[bundle->first + i]);
        }
        most = rbl_max4(most, work.largest);
        busy &= alone & rbl_mask4(rbl_less4(enough, work.largest));
    }
    rbl_scatter_bodies4(step->solver_bodies.data, bundle->a, &work.a);
    rbl_scatter_bodies4(step->solver_bodies.data, bundle->b, &work.b);
    add_sibling_energies(step, bundle, -1.0);
    impact->has_impulse = (uint8_t)rbl_mask4(work.acting);
    *closing = rbl_mask4(work.closing);
    return lanes & rbl_mask4(rbl_less4(rbl_mul4(rbl_splat4(SLIGHT), work.threshold), most));
}

// ---- after the sweeps ----

// Sums over the contacts of each lane: returns the normal impulses; *impulses: the impulses on b in world axes.
static rblFloat4 sum_impulses(const rblStep* step, const rblBundle* bundle, rblWide3* impulses)
{
    rblFloat4 sum = rbl_splat4(0.0f);
    *impulses = (rblWide3){sum, sum, sum};
    for (uint32_t i = 0; i < bundle->count; ++i)
    {
        rblWideContact* contact = &step->wide_contacts.data[bundle->first + i];
        const rblWide3 normal = rbl_wide_load3(contact->normal);
        const rblWide3 tangent = rbl_wide_load3(contact->tangent);
        const rblFloat4 amounts[3] = {rbl_load4(contact->normal_impulse),
                                      rbl_load4(contact->tangent_impulse[0]),
                                      rbl_load4(contact->tangent_impulse[1])};
        sum = rbl_add4(sum, amounts[0]);
        *impulses = rbl_wide_add3(
            *impulses, rbl_wide_in_frame(normal, tangent, rbl_wide_cross3(normal, tangent), amounts));
    }
    return sum;
}

static double lane_work(rblStep* step, const rblManifold* manifold)
{
    const rblSolverBody* a = &step->solver_bodies.data[manifold->a];
    const rblSolverBody* b = &step->solver_bodies.data[manifold->b];
    const bool kinematic =
        (manifold->a != 0 && !(a->inverse_mass > 0.0f)) || (manifold->b != 0 && !(b->inverse_mass > 0.0f));
    if (!kinematic)
    {
        return 0.0;
    }
    rbl_manifold_unpack(step, manifold);
    return rbl_kinematic_work(step, manifold, a, b);
}

// Adds the normal impulses of a lane to the records of its contacts. Those before a bounce were added by the bounce.
static void add_impact_impulses(rblStep* step, const rblBundle* bundle, uint32_t lane)
{
    const rblManifold* manifold = &step->manifolds.data[bundle->manifold + lane];
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblWideContact* from = &step->wide_contacts.data[bundle->first + i];
        step->solver_contacts.data[manifold->first + i].impact_impulse += from->normal_impulse[lane];
    }
}

// Point and normal of the impact of a lane. Bodies are still at their poses of the impact.
static rblImpactPoint impact_point_of(const rblStep* step, const rblBundle* bundle, uint32_t lane,
                                      uint32_t number)
{
    const rblWorld* world = step->world;
    const rblWideContact* contact = &step->wide_contacts.data[bundle->first + number];
    return (rblImpactPoint){
        .point = rbl_add3(world->motions.data[bundle->slot_a[lane]].center, rbl_lane3(contact->arm_a, lane)),
        .normal = rbl_lane3(contact->normal, lane),
    };
}

void rbl_impact_bundle_store(rblStep* step, uint32_t index)
{
    const rblBundle* bundle = &step->bundles.data[index];
    const rblImpactBundle* impact = &step->impact->impact_bundles.data[index];
    if (!impact->packed)
    {
        return;
    }
    rblWide3 impulses;
    float normal_impulses[4];
    float on_b[3][4];
    rbl_store4(normal_impulses, sum_impulses(step, bundle, &impulses));
    rbl_wide_store3(on_b, impulses);
    for (uint32_t i = 0; i < bundle->lanes; ++i)
    {
        const uint32_t m = bundle->manifold + i;
        rblManifold* manifold = &step->manifolds.data[m];
        const bool has_impulse = (impact->has_impulse >> i & 1) != 0;
        if (impact->impact_speed[i] > manifold->impact_speed || (has_impulse && !manifold->has_impact_point))
        {
            step->impact->impact_points.data[m] =
                impact_point_of(step, bundle, i, (uint32_t)impact->impact_number[i]);
            manifold->impact_speed = impact->impact_speed[i];
            manifold->impact_contact = manifold->first + (uint32_t)impact->impact_number[i];
            manifold->has_impact_point = true;
        }
        if (has_impulse)
        {
            rbl_manifold_prepare_once(step, manifold); // breakers read the lever arms
            manifold->impact_normal_impulse += normal_impulses[i];
            manifold->impact_impulse =
                rbl_add3(manifold->impact_impulse, (rblVec3){on_b[0][i], on_b[1][i], on_b[2][i]});
            manifold->kinematic_work += lane_work(step, manifold);
            add_impact_impulses(step, bundle, i);
        }
    }
}
