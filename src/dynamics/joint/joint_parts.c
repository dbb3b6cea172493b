// Islands with bodies that spin fast on their joints advance in parts of the step.
//
// Over a step, the impulse of a joint acts on the mean of its lever arm. A body that spins about that arm nutates meanwhile. The
// error of its precession grows with the square of the phase of the nutation in a step, which is about the rotation angle of the
// spin. Such islands advance through equal parts of the step. In each part only the joints are solved, as in a step of its own.
// The last part is left to the solve of all contacts and joints, like the rest of a step after a flight. When a contact closes,
// all of the remaining step is left to that solve.
#include "dynamics/impact/impacts.h"
#include "dynamics/joint/joints.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define LARGEST_TURN 0.25f // rad about a lever arm in one part
#define MAX_PARTS    64u   // a power of two; faster spins have larger rotations in a part

// A value of rblIsland.parts: a contact of the island has closed.
#define ENDED UINT32_MAX

// ---- which islands ----

static bool is_immovable(const rblStep* step, uint32_t solver)
{
    return !(step->solver_bodies.data[solver].inverse_mass > 0.0f);
}

static bool turns_bodies(const rblJoint* joint)
{
    return joint->kind == RBL_JOINT_HINGE || joint->kind == RBL_JOINT_FIXED ||
           joint->kind == RBL_JOINT_SLIDER;
}

// Rotation angle of a body about the lever arm of a joint in the step. A hinge or a fixed joint has torques about other axes: all of
// the spin counts, unless the other body is immovable and the axis is fixed.
static float turn_on_joint(const rblStep* step, const rblJoint* joint, uint32_t solver, uint32_t other,
                           rblVec3 arm)
{
    const rblSolverBody* body = &step->solver_bodies.data[solver];
    if (is_immovable(step, solver))
    {
        return 0.0f;
    }
    if (turns_bodies(joint))
    {
        return is_immovable(step, other) ? 0.0f : body->seconds * rbl_length3(body->spin);
    }
    const float length = rbl_length3(arm);
    return length > 0.0f ? body->seconds * fabsf(rbl_dot3(body->spin, arm)) / length : 0.0f;
}

static uint32_t parts_of_turn(float turn)
{
    uint32_t parts = 1;
    while (parts < MAX_PARTS && (float)parts * LARGEST_TURN < turn)
    {
        parts *= 2;
    }
    return parts > 1 ? parts : 0;
}

static bool ask_joints(rblStep* step)
{
    const rblWorld* world = step->world;
    bool any = false;
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        const float a = turn_on_joint(step, joint, joint->solver_a, joint->solver_b, joint->start_arm_a);
        const float b = turn_on_joint(step, joint, joint->solver_b, joint->solver_a, joint->start_arm_b);
        const uint32_t parts = parts_of_turn(rbl_maxf(a, b));
        rblIsland* island = &step->islands.data[rbl_joint_island(step, joint)];
        island->parts = parts > island->parts ? parts : island->parts;
        any = any || parts > 0;
    }
    return any;
}

// ---- contacts ----

static bool touches(const rblWorld* world, const rblManifold* manifold)
{
    const rblPair* pair = &world->pairs.data[manifold->pair];
    const rblTransform a = rbl_motion_pose(&world->motions.data[pair->a]);
    const rblTransform b = rbl_motion_pose(&world->motions.data[pair->b]);
    for (uint32_t i = 0; i < manifold->count; ++i)
    {
        const rblContact* contact = &world->contacts.data[manifold->contact + i];
        const rblVec3 apart = rbl_add3(rbl_sub3(b.p, a.p), rbl_sub3(rbl_rotate3(b.q, contact->anchor_b),
                                                                    rbl_rotate3(a.q, contact->anchor_a)));
        if (rbl_dot3(contact->normal, apart) <= 2.0f * manifold->slop)
        {
            return true;
        }
    }
    return false;
}

static rblIsland* island_of(rblStep* step, const rblManifold* manifold)
{
    const uint32_t a = step->solver_bodies.data[manifold->a].island;
    return &step->islands.data[a != RBL_NONE ? a : step->solver_bodies.data[manifold->b].island];
}

static bool waits_for_step(const rblStep* step, uint32_t solver)
{
    return solver != 0 && step->joint_system.nodes.data[solver] == RBL_NONE;
}

// These islands have one part: those with a closed contact, those near a moving body without joints, and those with a joint to a
// kinematic body.
static void exclude_islands(rblStep* step)
{
    const rblWorld* world = step->world;
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        if (waits_for_step(step, joint->solver_a) || waits_for_step(step, joint->solver_b))
        {
            step->islands.data[rbl_joint_island(step, joint)].parts = 0;
        }
    }
    for (size_t i = 0; i < step->manifolds.count; ++i)
    {
        const rblManifold* manifold = &step->manifolds.data[i];
        rblIsland* island = island_of(step, manifold);
        if (island->parts > 0 && (waits_for_step(step, manifold->a) || waits_for_step(step, manifold->b) ||
                                  touches(world, manifold)))
        {
            island->parts = 0;
        }
    }
}

// ---- parts ----

// Copy the state to the solver bodies, as after a flight.
static void reload_bodies(rblStep* step)
{
    const rblWorld* world = step->world;
    const rblIndexArray* bodies = &step->joint_system.bodies;
    for (size_t i = 0; i < bodies->count; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[bodies->data[i]];
        const rblMotion* motion = &world->motions.data[body->slot];
        body->velocity = motion->velocity;
        body->spin = motion->spin;
        rbl_inertia_update(motion, body);
        step->at_start.data[bodies->data[i]] = (rblVelocity){body->velocity, body->spin};
        step->clocks.data[bodies->data[i]] += body->seconds;
    }
}

static void add_impulses(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        joint->parts_linear_impulse =
            rbl_add3(joint->parts_linear_impulse, rbl_to_float3(joint->linear_impulse));
        joint->parts_angular_impulse =
            rbl_add3(joint->parts_angular_impulse, rbl_to_float3(joint->angular_impulse));
        joint->parts_seconds += joint->seconds;
    }
}

// Add the energy of the bodies to the losses of their islands. Joints conserve energy; rbl_joints_settle() corrects the error.
static void count_energy(rblStep* step, double sign)
{
    const rblWorld* world = step->world;
    const rblIndexArray* bodies = &step->joint_system.bodies;
    for (size_t i = 0; i < bodies->count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[bodies->data[i]];
        step->islands.data[body->island].joint_loss += sign * rbl_body_energy(world, body->slot);
    }
}

static void book_work(rblStep* step, rblIsland* island, double work)
{
    rblWorld* world = step->world;
    world->energy.work += work;
    island->joint_loss += work;
}

static void move_bodies(rblStep* step)
{
    const rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    count_energy(step, 1.0);
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[system->joints.data[i]];
        rblIsland* island = &step->islands.data[rbl_joint_island(step, joint)];
        island->jointed = true;
        const rblJointWork work = rbl_joint_work(step, joint);
        book_work(step, island, work.driven + work.elastic);
        island->joint_loss -= work.absorbed;
    }
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        const uint32_t index = system->bodies.data[i];
        rblIsland* island = &step->islands.data[step->solver_bodies.data[index].island];
        book_work(step, island, rbl_body_integrate(step, index));
    }
    count_energy(step, -1.0);
}

static void advance_part(rblStep* step)
{
    const rblJointSystem* system = &step->joint_system;
    rbl_joints_prepare(step);
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        rbl_body_apply_forces(step, system->bodies.data[i]);
    }
    rbl_joints_first_refresh(step);
    (void)rbl_joints_sweep(step);
    rbl_joints_polish(step);
    move_bodies(step);
    rbl_joints_settle(step);
    reload_bodies(step);
    add_impulses(step);
}

// Scale the time left of all bodies of the joint system, and the impulses of the warm start.
static void scale_time(rblStep* step, float factor)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        step->solver_bodies.data[system->bodies.data[i]].seconds *= factor;
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        joint->linear_impulse = rbl_scale3d(joint->linear_impulse, (double)factor);
        joint->angular_impulse = rbl_scale3d(joint->angular_impulse, (double)factor);
    }
}

// Update the contacts at the current poses, and mark the islands with a closed contact. *ended: there are any.
static rblResult find_ended(rblStep* step, bool* ended)
{
    const rblWorld* world = step->world;
    const uint32_t parts = step->joint_system.parts;
    *ended = false;
    for (size_t i = 0; i < step->manifolds.count; ++i)
    {
        rblManifold* manifold = &step->manifolds.data[i];
        rblIsland* island = island_of(step, manifold);
        if (island->parts != parts && island->parts != ENDED)
        {
            continue;
        }
        if (!rbl_pair_renew_contacts(step, manifold, &step->impact->worker_contacts[0]))
        {
            return rbl_fail_memory();
        }
        if (touches(world, manifold))
        {
            island->parts = ENDED;
            *ended = true;
        }
    }
    return RBL_OK;
}

// Leave the remaining parts of the marked islands to the solve of contacts and joints.
static rblResult end_islands(rblStep* step, uint32_t left)
{
    const uint32_t parts = step->joint_system.parts;
    RBL_TRY(rbl_joint_system_build(step, ENDED));
    scale_time(step, (float)left);
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        rblIsland* island = &step->islands.data[i];
        island->parts = island->parts == ENDED ? 0 : island->parts;
    }
    return rbl_joint_system_build(step, parts);
}

static rblResult advance_islands(rblStep* step, uint32_t parts)
{
    RBL_TRY(rbl_joint_system_build(step, parts));
    if (step->joint_system.joints.count == 0)
    {
        return RBL_OK;
    }
    scale_time(step, 1.0f / (float)parts);
    for (uint32_t part = 1; part < parts && step->joint_system.joints.count > 0; ++part)
    {
        advance_part(step);
        bool ended = false;
        RBL_TRY(find_ended(step, &ended));
        if (ended)
        {
            RBL_TRY(end_islands(step, parts - part));
        }
    }
    return RBL_OK;
}

rblResult rbl_joints_advance_in_parts(rblStep* step)
{
    if (!ask_joints(step))
    {
        return RBL_OK;
    }
    exclude_islands(step);
    step->before_contacts.data[0] = step->unconstrained.data[0] = step->at_start.data[0];
    for (uint32_t parts = 2; parts <= MAX_PARTS; parts *= 2)
    {
        RBL_TRY(advance_islands(step, parts));
    }
    return rbl_joint_system_build(step, 0);
}
