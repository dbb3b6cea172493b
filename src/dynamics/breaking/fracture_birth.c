// Fragments replace a body, with the same mass, momentum and kinetic energy.
//
// Together the fragments move as the body did, v + w x r. Masses, centres and inertias of the fragments differ from those of
// the body by rounding. One common velocity and one common spin correct this, so that momentum and angular momentum stay the
// same.
#include "dynamics/breaking/fracture.h"
#include "dynamics/orientation.h"
#include "dynamics/pair_list.h"
#include "dynamics/stages.h"
#include "dynamics/whole.h"

// ---- the motion of the fragments ----

static rblWhole sum_fragments(const rblWorld* world, const uint32_t* slots, uint32_t count)
{
    rblWhole whole = {0};
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_whole_add_mass(&whole, world->bodies.data[slots[i]].mass, world->motions.data[slots[i]].center);
    }
    rbl_whole_end_masses(&whole);
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_whole_add_inertia(&whole, world->bodies.data[slots[i]].mass, &world->motions.data[slots[i]]);
    }
    return whole;
}

static void set_rigid_motion(rblWorld* world, const uint32_t* slots, uint32_t count, rblVec3d center,
                             rblVec3d velocity, rblVec3d spin)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        rblMotion* motion = &world->motions.data[slots[i]];
        const rblVec3d arm = rbl_sub3d(rbl_to_double3(motion->center), center);
        motion->velocity = rbl_to_float3(rbl_add3d(velocity, rbl_cross3d(spin, arm)));
        motion->spin = rbl_to_float3(spin);
        motion->momentum = rbl_inertia_apply(motion->orientation, motion->moments, motion->spin);
    }
}

static void pass_motion(rblWorld* world, uint32_t parent, const uint32_t* slots, uint32_t count)
{
    const rblMotion* motion = &world->motions.data[parent];
    const rblVec3d center = rbl_to_double3(motion->center);
    const rblVec3d velocity = rbl_to_double3(motion->velocity);
    const rblVec3d spin = rbl_to_double3(motion->spin);
    if (world->bodies.data[parent].type != RBL_BODY_DYNAMIC)
    {
        set_rigid_motion(world, slots, count, center, velocity, spin);
        return;
    }
    const rblWhole whole = sum_fragments(world, slots, count);
    const rblVec3d momentum = rbl_scale3d(velocity, (double)world->bodies.data[parent].mass);
    const rblVec3d orbital = rbl_cross3d(rbl_sub3d(center, whole.center), momentum);
    const rblVec3d angular = rbl_add3d(rbl_to_double3(motion->momentum), orbital);
    rblMat3d inverse;
    const bool invertible = rbl_mat3d_inverse(&whole.inertia, &inverse);
    set_rigid_motion(world, slots, count, whole.center, rbl_scale3d(momentum, 1.0 / whole.mass),
                     invertible ? rbl_mat3d_apply(&inverse, angular) : spin);
}

// ---- bodies ----

// The pose that a fragment would have had before the step.
static rblTransform previous_pose(const rblWorld* world, uint32_t parent, rblTransform frame)
{
    const rblTransform now = rbl_motion_pose(&world->motions.data[parent]);
    return rbl_transform_mul(world->bodies.data[parent].previous, rbl_transform_relative(now, frame));
}

static double sum_masses(const rblFracture* fracture)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < fracture->fragment_count; ++i)
    {
        sum += (double)fracture->fragments[i].mass;
    }
    return sum;
}

static double mass_scale(const rblWorld* world, const rblBreakPlan* plan)
{
    return (double)world->bodies.data[plan->slot].mass / sum_masses(&plan->fracture);
}

static rblBodyDef fragment_def(const rblWorld* world, const rblBreakPlan* plan, uint32_t index, double scale)
{
    const rblFragment* fragment = &plan->fracture.fragments[index];
    const rblBody* parent = &world->bodies.data[plan->slot];
    rblBodyDef def = rbl_default_body_def();
    def.shape = fragment->shape;
    def.type = RBL_BODY_DYNAMIC;
    def.material = parent->material;
    def.pose = fragment->pose;
    def.mass = (float)((double)fragment->mass * scale);
    def.gravity_scale = parent->gravity_scale;
    def.filter = parent->filter;
    def.anchor = parent->anchor;
    def.user_data = parent->user_data;
    return def;
}

static rblResult check_fragment(const rblBodyDef* def, rblJobs* jobs)
{
    rblBody body;
    rblMotion motion;
    if (!(def->mass > 0.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "fragment: mass is %g, must be positive", (double)def->mass);
    }
    RBL_TRY(rbl_body_make(def, jobs, &body, &motion));
    const rblAabb box = rbl_shape_bounds_at(&body.shape, rbl_shape_pose(&body, &motion));
    rbl_body_release(&body);
    return rbl_finite3(box.lower) && rbl_finite3(box.upper)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "fragment: bounds must be finite");
}

rblResult rbl_fragments_check(const rblWorld* world, const rblBreakPlan* plan)
{
    const double scale = mass_scale(world, plan);
    for (uint32_t i = 0; i < plan->fracture.fragment_count; ++i)
    {
        const rblBodyDef def = fragment_def(world, plan, i, scale);
        RBL_TRY(check_fragment(&def, world->jobs));
    }
    return RBL_OK;
}

static rblResult make_fragment(rblWorld* world, const rblBreakPlan* plan, uint32_t index, double scale,
                               bool anchored, uint32_t* slot)
{
    const rblFragment* fragment = &plan->fracture.fragments[index];
    rblBodyDef def = fragment_def(world, plan, index, scale);
    rblBody body;
    rblMotion motion;
    def.type = anchored ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC;
    RBL_TRY(rbl_body_make(&def, world->jobs, &body, &motion));
    body.breaker = fragment->debris ? NULL : world->bodies.data[plan->slot].breaker;
    body.ancestors = world->bodies.data[plan->slot].ancestors + 1;
    rbl_breaker_retain(body.breaker);
    body.debris = fragment->debris;
    body.lifetime = fragment->debris && !anchored ? fragment->lifetime : 0.0f;
    body.is_new = false;
    body.is_new_fragment = true;
    body.sibling_group = anchored ? 0 : world->breaks + 1;
    body.sibling_time = 0.0f;
    body.unbreakable_yet = plan->payer != RBL_NONE;
    body.previous = previous_pose(world, plan->slot, body.previous);
    const rblResult result = rbl_body_enter_world(world, &body, &motion, slot);
    if (result != RBL_OK)
    {
        rbl_body_release(&body);
    }
    return result;
}

static void remove_fragments(rblStep* step, uint32_t count)
{
    rblWorld* world = step->world;
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_body_leave_world(world, step->fracture->fragments.data[i]);
    }
}

static rblResult make_fragments(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    const double scale = mass_scale(world, plan);
    for (uint32_t i = 0; i < plan->fracture.fragment_count; ++i)
    {
        const rblResult result =
            make_fragment(world, plan, i, scale, stage->anchored.data[i], &stage->fragments.data[i]);
        if (result != RBL_OK)
        {
            remove_fragments(step, i);
            return result;
        }
    }
    return RBL_OK;
}

// Without memory for a rebuild, a fragment keeps its sample hierarchy.
static void begin_rebuilds(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    for (uint32_t i = 0; i < plan->fracture.fragment_count; ++i)
    {
        if (plan->fracture.fragments[i].rebuild > 0)
        {
            (void)rbl_rebuild_begin(world, step->fracture->fragments.data[i],
                                    plan->fracture.fragments[i].rebuild);
        }
    }
}

// Pass the ownership of the shapes from the fracture to the bodies.
static void pass_shapes(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    for (uint32_t i = 0; i < plan->fracture.fragment_count; ++i)
    {
        world->bodies.data[step->fracture->fragments.data[i]].owns_shape = true;
        plan->fracture.fragments[i].shape = (rblShapeId){0, 0};
    }
}

// ---- remaining time ----

// The time of the substep that is left, s. Fragments of a body that did not move begin to move at the time of the impact.
static float time_left(const rblStep* step, const rblBreakPlan* plan)
{
    const rblWorld* world = step->world;
    const rblFloatArray* left = &step->time_left;
    const rblBody* body = &world->bodies.data[plan->slot];
    if (body->type == RBL_BODY_DYNAMIC && step->solver_index.data[plan->slot] != 0)
    {
        return left->data[plan->slot];
    }
    const rblPairImpact* impact = &step->fracture->pair_impacts.data[plan->payer];
    return left->data[impact->a == plan->slot ? impact->b : impact->a];
}

static rblResult pass_time(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    if (plan->payer == RBL_NONE)
    {
        return RBL_OK; // the break happens between steps
    }
    const float seconds = time_left(step, plan);
    rblFloatArray* left = &step->time_left;
    const size_t before = left->count;
    if (!rbl_array_resize_amply(left, world->bodies.count))
    {
        return rbl_fail_memory();
    }
    for (size_t slot = before; slot < left->count; ++slot)
    {
        left->data[slot] = step->seconds;
    }
    for (uint32_t i = 0; i < plan->fracture.fragment_count; ++i)
    {
        left->data[step->fracture->fragments.data[i]] = seconds;
    }
    return RBL_OK;
}

// ---- one body ----

static rblResult reserve(rblStep* step, uint32_t count)
{
    rblFractureStage* stage = step->fracture;
    return rbl_array_resize_amply(&stage->fragments, count) &&
                   rbl_array_resize_amply(&stage->anchored, count) &&
                   rbl_array_resize_amply(&stage->movers, count)
               ? RBL_OK
               : rbl_fail_memory();
}

static double mass_error(const rblStep* step, const rblBreakPlan* plan)
{
    const rblWorld* world = step->world;
    const double mass = (double)world->bodies.data[plan->slot].mass;
    double sum = 0.0;
    for (uint32_t i = 0; i < plan->fracture.fragment_count; ++i)
    {
        sum += (double)world->bodies.data[step->fracture->fragments.data[i]].mass;
    }
    return (sum > mass ? sum - mass : mass - sum) / mass;
}

// The energy of the fragments of a body of infinite mass. It is new to the energy balance.
static double new_energy(const rblStep* step, const rblBreakPlan* plan)
{
    const rblWorld* world = step->world;
    double sum = 0.0;
    for (uint32_t i = 0; i < plan->fracture.fragment_count; ++i)
    {
        sum += rbl_body_energy(world, step->fracture->fragments.data[i]);
    }
    return world->bodies.data[plan->slot].type == RBL_BODY_DYNAMIC ? 0.0 : sum;
}

// Complete the break event. The kinetic energy of the fragments is smaller than that of the body by rounding and by the energy
// of anchored fragments. Heat is the lost kinetic energy beyond the cost of the cracks. In a break on demand the kinetic energy
// does not pay that cost.
static void complete_event(rblStep* step, const rblBreakPlan* plan)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    rblBreakEvent* event = &world->break_log.events.data[world->break_log.events.count - 1];
    const bool moved = world->bodies.data[plan->slot].type == RBL_BODY_DYNAMIC;
    event->kinetic_lost += rbl_body_kinetic(world, plan->slot);
    for (uint32_t i = 0; i < plan->fracture.fragment_count && moved; ++i)
    {
        event->kinetic_lost -= rbl_body_kinetic(world, stage->fragments.data[i]);
    }
    const double paid = plan->payer == RBL_NONE ? 0.0 : plan->cost;
    event->heat = rbl_maxd(event->kinetic_lost - paid, 0.0);
}

static uint32_t list_movers(const rblWorld* world, const uint32_t* slots, uint32_t count, uint32_t* out)
{
    uint32_t mover_count = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (world->bodies.data[slots[i]].type == RBL_BODY_DYNAMIC)
        {
            out[mover_count++] = slots[i];
        }
    }
    return mover_count;
}

rblResult rbl_body_replace(rblStep* step, rblBreakPlan* plan, double* work)
{
    rblWorld* world = step->world;
    rblFractureStage* stage = step->fracture;
    const uint32_t count = plan->fracture.fragment_count;
    RBL_TRY(reserve(step, count));
    RBL_TRY(rbl_fragments_find_anchored(step, plan->slot, &plan->fracture, stage->anchored.data));
    RBL_TRY(make_fragments(step, plan));
    rblResult result = pass_time(step, plan);
    result = result == RBL_OK ? rbl_break_report(step, plan, mass_error(step, plan)) : result;
    if (result != RBL_OK)
    {
        remove_fragments(step, count);
        return result;
    }
    const uint32_t mover_count = list_movers(world, stage->fragments.data, count, stage->movers.data);
    if (mover_count > 0)
    {
        pass_motion(world, plan->slot, stage->movers.data, mover_count);
    }
    *work += new_energy(step, plan);
    complete_event(step, plan);
    pass_shapes(step, plan);
    begin_rebuilds(step, plan);
    rbl_joints_pass_to_fragments(world, plan->slot, stage->fragments.data, count);
    rbl_body_leave_world(world, plan->slot);
    world->breaks += 1;
    world->has_new_fragments = true;
    world->has_siblings = true;
    return RBL_OK;
}

// ---- all bodies ----

// Wake all bodies that touched a body that breaks.
static void wake_neighbours(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < step->fracture->plans.count; ++i)
    {
        const uint32_t slot = step->fracture->plans.data[i].slot;
        for (uint32_t side = rbl_first_side(world, slot); side != RBL_NONE; side = rbl_next_side(world, side))
        {
            const rblPair* pair = rbl_side_pair(world, side);
            const uint32_t other = rbl_pair_other(pair, slot);
            if (pair->count > 0 && world->bodies.data[other].generation != 0)
            {
                rbl_slot_wake(world, other);
                world->bodies.data[other].lost_neighbour = true;
                rbl_slot_marked(world, other);
            }
        }
    }
}

rblResult rbl_breaks_apply(rblStep* step, size_t* done)
{
    rblWorld* world = step->world;
    wake_neighbours(step);
    for (*done = 0; *done < step->fracture->plans.count; ++*done)
    {
        RBL_TRY(rbl_body_replace(step, &step->fracture->plans.data[*done], &world->energy.work));
    }
    return RBL_OK;
}
