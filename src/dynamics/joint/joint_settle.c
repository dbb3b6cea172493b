// Joints at the end of the step: velocities satisfy the joints at the new poses, and the joints neither add nor remove energy.
//
// Points that moved along chords have velocity components across their arcs, of third order in the step. Without a correction
// these would alternate from step to step for ever. They are removed as in an inelastic impact. This removal and the remaining
// error of the solve change the energy, which a physical joint does not. So the velocities of each island are scaled to restore
// its energy.
#include "dynamics/joint/joints.h"
#include "dynamics/orientation.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define MIN_SPEED    1e-6f // m/s: smaller relative velocities are not removed
#define MAX_GAIN     2.0   // largest factor on the kinetic energy of an island in one step
#define MAX_ROUNDS   40    // rounds of Newton's method
#define MAX_ROTATION 0.5f  // rad: largest rotation in one of them

static void book_work(rblStep* step, rblJoint* joint, double work)
{
    rblWorld* world = step->world;
    rblIsland* island = &step->islands.data[rbl_joint_island(step, joint)];
    island->joint_loss += work - rbl_joint_stopped_energy(joint);
    world->energy.work += work;
}

static double kinetic_energy(const rblWorld* world, uint32_t slot)
{
    const rblMotion* motion = &world->motions.data[slot];
    const rblVec3d v = rbl_to_double3(motion->velocity);
    return 0.5 * (double)world->bodies.data[slot].mass * rbl_dot3d(v, v) +
           rbl_rotational_energy(motion->orientation, motion->momentum, motion->moments);
}

// Copy velocities from the bodies to the solver bodies, with inertias and lever arms at the current poses.
static void load_bodies(rblStep* step)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
        const rblMotion* motion = &world->motions.data[body->slot];
        body->velocity = motion->velocity;
        body->spin = motion->spin;
        rbl_inertia_update(motion, body);
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rbl_joint_locate(world, &world->joints.data[system->joints.data[i]]);
    }
}

static void store_bodies(rblStep* step)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
        rblMotion* motion = &world->motions.data[body->slot];
        rblIsland* island = &step->islands.data[body->island];
        const double before = kinetic_energy(world, body->slot);
        const rblVec3 change = rbl_sub3(body->spin, motion->spin);
        const rblVec3 momentum_change = rbl_inertia_apply(motion->orientation, motion->moments, change);
        motion->momentum = rbl_add3(motion->momentum, momentum_change);
        motion->velocity = body->velocity;
        motion->spin = body->spin;
        island->joint_loss += before - kinetic_energy(world, body->slot);
    }
}

// The kinetic energy of the island is smaller than the energy to remove. So the island returns to its pose before the step and
// stops: none of its bodies then has more energy than before.
static void stop_island(rblStep* step, rblIsland* island)
{
    rblWorld* world = step->world;
    world->energy.clamped -= island->joint_loss;
    world->energy.clamp_count += 1;
    world->energy.work -= island->impact_work + island->contact_work + island->elastic_work;
    island->joint_loss = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[step->island_bodies.data[island->first + i]].slot;
        rblMotion* motion = &world->motions.data[slot];
        motion->center = world->bodies.data[slot].previous.p;
        motion->orientation = world->bodies.data[slot].previous.q;
        motion->velocity = motion->momentum = motion->spin = rbl_vec3(0, 0, 0);
    }
}

static double island_kinetic(const rblStep* step, const rblIsland* island)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        sum += kinetic_energy(step->world,
                              step->solver_bodies.data[step->island_bodies.data[island->first + i]].slot);
    }
    return sum;
}

// Scale the velocities of an island so that its kinetic energy grows by the energy lost in joints, or shrinks by the energy
// gained. The factor has 32 bits. The rest of the error is corrected in the next part of the step.
static void restore_energy(rblStep* step, rblIsland* island)
{
    rblWorld* world = step->world;
    const double sum = island_kinetic(step, island);
    if (sum + island->joint_loss < 0.0)
    {
        stop_island(step, island);
        return;
    }
    if (!(sum > 0.0))
    {
        return;
    }
    const double max_factor = island->dragged ? 1.0 : MAX_GAIN;
    const double square = rbl_mind(rbl_maxd(1.0 + island->joint_loss / sum, 0.0), max_factor);
    const float factor = (float)sqrt(square);
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t slot = step->solver_bodies.data[step->island_bodies.data[island->first + i]].slot;
        rblMotion* motion = &world->motions.data[slot];
        motion->velocity = rbl_scale3(motion->velocity, factor);
        motion->momentum = rbl_scale3(motion->momentum, factor);
        motion->spin = rbl_scale3(motion->spin, factor);
    }
    island->joint_loss -= island_kinetic(step, island) - sum;
}

// Move and rotate a body by a share of the displacement in the solver's velocities. The angular momentum is constant, so the
// rotation changes the energy, too.
static void apply_displacement(rblStep* step, const rblSolverBody* body, float share)
{
    rblWorld* world = step->world;
    rblMotion* motion = &world->motions.data[body->slot];
    rblIsland* island = &step->islands.data[body->island];
    const double before = rbl_body_energy(world, body->slot);
    const rblVec3 half = rbl_scale3(body->spin, 0.5f * share);
    const rblQuat turn = rbl_quat_normalize((rblQuat){half.x, half.y, half.z, 1.0f});
    motion->center = rbl_mul_add3(motion->center, share, body->velocity);
    motion->orientation = rbl_quat_normalize(rbl_quat_mul(turn, motion->orientation));
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
    island->joint_loss += before - rbl_body_energy(world, body->slot);
}

// Remove the position errors that the solve over the step left.
static void correct_positions(rblStep* step)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    for (int round = 0; round < MAX_ROUNDS; ++round)
    {
        for (size_t i = 0; i < system->bodies.count; ++i)
        {
            rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
            body->velocity = body->spin = rbl_vec3(0, 0, 0);
            rbl_inertia_update(&world->motions.data[body->slot], body);
        }
        if (rbl_joints_displace(step) == 0.0f)
        {
            return;
        }
        float largest = 0.0f;
        for (size_t i = 0; i < system->bodies.count; ++i)
        {
            largest = rbl_maxf(largest, rbl_length3(step->solver_bodies.data[system->bodies.data[i]].spin));
        }
        const float share = largest > MAX_ROTATION ? MAX_ROTATION / largest : 1.0f;
        for (size_t i = 0; i < system->bodies.count; ++i)
        {
            apply_displacement(step, &step->solver_bodies.data[system->bodies.data[i]], share);
        }
    }
}

void rbl_joints_settle(rblStep* step)
{
    if (step->joint_system.joints.count > 0)
    {
        correct_positions(step);
        load_bodies(step);
        if (rbl_joints_stop(step, MIN_SPEED, 0.0f, book_work))
        {
            store_bodies(step);
        }
    }
    for (size_t i = 0; i < step->islands.count; ++i)
    {
        rblIsland* island = &step->islands.data[i];
        if (island->jointed && island->joint_loss != 0.0)
        {
            restore_energy(step, island);
        }
    }
}
