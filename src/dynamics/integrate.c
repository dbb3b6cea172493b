// New positions and orientations, from the mean of the velocities before and after the contact solve.
#include "dynamics/orientation.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define MIN_BODIES 256 // smallest number of bodies for one worker

static bool same(rblVec3 a, rblVec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

static bool is_zero(rblVec3 v)
{
    return same(v, rbl_vec3(0, 0, 0));
}

// The angular momentum for a new spin. The change of the spin is added, so that an unchanged spin gives exactly the old
// momentum.
static rblVec3 new_momentum(const rblMotion* motion, rblVec3 spin)
{
    const rblVec3 change = rbl_sub3(spin, motion->spin);
    return rbl_add3(motion->momentum, rbl_inertia_apply(motion->orientation, motion->moments, change));
}

static double kinetic(const rblBody* body, const rblMotion* motion)
{
    const rblVec3d v = rbl_to_double3(motion->velocity);
    return 0.5 * (double)body->mass * rbl_dot3d(v, v) +
           rbl_rotational_energy(motion->orientation, motion->momentum, motion->moments);
}

// Returns the energy that the body lost.
static double store_velocity(rblWorld* world, const rblSolverBody* body)
{
    rblMotion* motion = &world->motions.data[body->slot];
    if (body->island == RBL_NONE ||
        (same(body->velocity, motion->velocity) && same(body->spin, motion->spin)))
    {
        return 0.0;
    }
    const rblBody* record = &world->bodies.data[body->slot];
    const double before = kinetic(record, motion);
    motion->momentum = new_momentum(motion, body->spin);
    motion->velocity = body->velocity;
    motion->spin = body->spin;
    return before - kinetic(record, motion);
}

static void store_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    for (uint32_t i = range.begin + 1; i < range.end + 1; ++i)
    {
        step->growths.data[i].linear = -store_velocity(world, &step->solver_bodies.data[i]);
    }
}

rblResult rbl_velocities_store(rblStep* step)
{
    rblWorld* world = step->world;
    const size_t bodies = step->solver_bodies.count;
    if (!rbl_array_resize_amply(&step->growths, bodies))
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(world->jobs, (uint32_t)bodies - 1, MIN_BODIES, store_block, step);
    for (size_t i = 1; i < bodies; ++i)
    {
        const uint32_t island = step->solver_bodies.data[i].island;
        if (island != RBL_NONE)
        {
            step->islands.data[island].budget -= step->growths.data[i].linear;
            world->contact_loss -= step->growths.data[i].linear;
        }
    }
    return RBL_OK;
}

// A body that no contact and no joint rotated gets the momentum of its torque directly, without the rounding of two inertia
// transforms.
static bool rotates_freely(const rblStep* step, uint32_t index)
{
    return same(step->solver_bodies.data[index].spin, step->unconstrained.data[index].spin);
}

static rblVec3 end_momentum(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblMotion* motion = &world->motions.data[body->slot];
    return rotates_freely(step, index)
               ? rbl_mul_add3(motion->momentum, body->seconds, world->bodies.data[body->slot].torque)
               : new_momentum(motion, body->spin);
}

// Whether a joint acts on the body. Its angular momentum may change so much in a step that an orientation correction for its
// energy would be arbitrary. The energy of its island is restored in joint_settle.c instead.
static bool has_joint_motion(const rblStep* step, uint32_t index)
{
    return step->joint_system.nodes.data[index] != RBL_NONE;
}

// Centre and orientation after the step. `end` is the angular momentum at its end.
static rblTransform end_pose(const rblStep* step, uint32_t index, rblVec3 end)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblVelocity* before = &step->before_contacts.data[index];
    const rblMotion* motion = &world->motions.data[body->slot];
    const rblVec3 mean = rbl_scale3(rbl_add3(before->velocity, body->velocity), 0.5f);
    rblTransform pose = {rbl_mul_add3(motion->center, body->seconds, mean), motion->orientation};
    if (!is_zero(motion->momentum) || !is_zero(end))
    {
        const rblVec3 middle = rbl_scale3(rbl_add3(motion->momentum, end), 0.5f);
        pose.q =
            has_joint_motion(step, index)
                ? rbl_orientation_turn_freely(motion->orientation, middle, motion->moments, body->seconds)
                : rbl_orientation_advance(motion->orientation, middle, end, motion->moments, body->seconds);
    }
    return pose;
}

static void move_dynamic(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    rblMotion* motion = &world->motions.data[body->slot];
    const rblVec3 end = end_momentum(step, index);
    const rblTransform pose = end_pose(step, index, end);
    const bool turns = !is_zero(motion->momentum) || !is_zero(end);
    motion->center = pose.p;
    motion->orientation = pose.q;
    motion->velocity = body->velocity;
    motion->momentum = end;
    motion->spin = turns ? rbl_angular_velocity(pose.q, end, motion->moments) : motion->spin;
}

static void move_kinematic(rblMotion* motion, float seconds)
{
    motion->center = rbl_mul_add3(motion->center, seconds, motion->velocity);
    const float angle = rbl_length3(motion->spin) * seconds;
    const rblQuat turn = rbl_quat_from_axis_angle(motion->spin, angle);
    motion->orientation = rbl_quat_normalize(rbl_quat_mul(turn, motion->orientation));
}

rblTransform rbl_pose_predict(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    rblMotion motion = world->motions.data[body->slot];
    if (body->inverse_mass > 0.0f)
    {
        return end_pose(step, index, end_momentum(step, index));
    }
    move_kinematic(&motion, body->seconds);
    return rbl_motion_pose(&motion);
}

static void move_block(rblRange range, void* context)
{
    rblStep* step = context;
    rblWorld* world = step->world;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[i + 1];
        if (body->inverse_mass > 0.0f)
        {
            const rblVec3 free = step->unconstrained.data[i + 1].velocity;
            world->bodies.data[body->slot].falls = same(body->velocity, free);
            move_dynamic(step, i + 1);
        }
        else
        {
            move_kinematic(&world->motions.data[body->slot], body->seconds);
        }
    }
}

// Work of a user torque over the step, J.
static double torque_work(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblMotion* motion = &world->motions.data[body->slot];
    if (rotates_freely(step, index))
    {
        return rbl_rotational_energy(motion->orientation, end_momentum(step, index), motion->moments) -
               rbl_rotational_energy(motion->orientation, motion->momentum, motion->moments);
    }
    const rblVec3d before = rbl_to_double3(step->before_contacts.data[index].spin);
    const rblVec3d torque = rbl_to_double3(world->bodies.data[body->slot].torque);
    return 0.5 * (double)body->seconds * rbl_dot3d(torque, rbl_add3d(before, rbl_to_double3(body->spin)));
}

// Work of user forces and torques over the part of the step after the free flight, J.
static double user_work(const rblStep* step, uint32_t index)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblVec3d before = rbl_to_double3(step->before_contacts.data[index].velocity);
    const rblVec3d force = rbl_to_double3(world->bodies.data[body->slot].force);
    const rblVec3d twice_mean = rbl_add3d(before, rbl_to_double3(body->velocity));
    return 0.5 * (double)body->seconds * rbl_dot3d(force, twice_mean) + torque_work(step, index);
}

// Book the rotational energy with the angular momentum of the end of the step and the current orientation. The difference by the
// rotation of a body with a joint is corrected in joint_settle.c.
static void book_rotation(rblStep* step, uint32_t index, rblVec3 end, double sign)
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblMotion* motion = &world->motions.data[body->slot];
    step->islands.data[body->island].joint_loss +=
        sign * rbl_rotational_energy(motion->orientation, end, motion->moments);
}

static bool is_pushed(const rblStep* step, const rblSolverBody* body)
{
    const rblBody* record = &step->world->bodies.data[body->slot];
    return !is_zero(record->force) || !is_zero(record->torque);
}

double rbl_body_integrate(rblStep* step, uint32_t index)
{
    const double work = is_pushed(step, &step->solver_bodies.data[index]) ? user_work(step, index) : 0.0;
    move_dynamic(step, index);
    return work;
}

void rbl_integrate(rblStep* step)
{
    rblWorld* world = step->world;
    const rblIndexArray* jointed = &step->joint_system.bodies;
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[i];
        if (body->inverse_mass > 0.0f && is_pushed(step, body))
        {
            world->energy.work += user_work(step, i);
        }
    }
    for (size_t i = 0; i < jointed->count; ++i)
    {
        book_rotation(step, jointed->data[i], end_momentum(step, jointed->data[i]), 1.0);
    }
    rbl_parallel_for(world->jobs, (uint32_t)step->solver_bodies.count - 1, 64, move_block, step);
    for (size_t i = 0; i < jointed->count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[jointed->data[i]].slot;
        book_rotation(step, jointed->data[i], world->motions.data[slot].momentum, -1.0);
    }
}
