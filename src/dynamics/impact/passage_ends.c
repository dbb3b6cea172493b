// Bodies that were stopped on their paths (passages.c): poses, energy and mean velocities.
#include "dynamics/impact/passages.h"
#include "dynamics/orientation.h"
#include "dynamics/stages.h"
#include <math.h>

// Velocities whose mean over the last leg is what the body has really made: drift correction compares gaps with them.
static void set_mean(rblStep* step, uint32_t index)
{
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblMotion* saved = &step->passages->saved.data[index];
    const rblMotion* now = &step->world->motions.data[body->slot];
    rblVelocity* before = &step->before_contacts.data[index];
    const float seconds = body->seconds;
    const rblVec3 mean = rbl_scale3(rbl_sub3(now->center, saved->center), 1.0f / seconds);
    const rblVec3 spin = rbl_scale3(rbl_rotation_between(saved->orientation, now->orientation), 1.0f / seconds);
    before->velocity = rbl_sub3(rbl_scale3(mean, 2.0f), body->velocity);
    before->spin = rbl_sub3(rbl_scale3(spin, 2.0f), body->spin);
}

// A supported body that stops before it has moved down has more energy than its motion would have left. Its island pays with
// what it has dissipated in this step, as for drift correction. The rest is taken from the velocity.
static void pay(rblStep* step, uint32_t index, double excess)
{
    rblWorld* world = step->world;
    const rblSolverBody* solver = &step->solver_bodies.data[index];
    rblMotion* motion = &world->motions.data[solver->slot];
    const double mass = (double)world->bodies.data[solver->slot].mass;
    double* budget = solver->island != RBL_NONE ? &step->islands.data[solver->island].budget : NULL;
    const double paid = budget != NULL ? rbl_clampd(*budget, 0.0, rbl_maxd(excess, 0.0)) : 0.0;
    const double left = excess - paid;
    if (budget != NULL)
    {
        *budget -= excess > 0.0 ? paid : excess;
    }
    if (left > 0.0)
    {
        const rblVec3 old = motion->velocity;
        const rblVec3d v = rbl_to_double3(old);
        const double kinetic = 0.5 * mass * rbl_dot3d(v, v);
        const double share = kinetic > left ? sqrt((kinetic - left) / kinetic) : 0.0;
        motion->velocity = rbl_scale3(old, (float)share);
        world->energy.drift_impulse += mass * (double)rbl_length3(rbl_sub3(motion->velocity, old));
    }
}

// Drift correction displaces the body less far.
static void displace_less(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    const rblPath* path = &step->passages->paths.data[index];
    const uint32_t slot = step->solver_bodies.data[index].slot;
    rblMotion* motion = &world->motions.data[slot];
    const double before = rbl_body_energy(world, slot);
    const rblTransform pose = rbl_path_pose(step, index, path->end);
    motion->center = pose.p;
    motion->orientation = pose.q;
    pay(step, index, rbl_body_energy(world, slot) - before);
    world->contact_loss += before - rbl_body_energy(world, slot);
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
}

static void end_path(rblStep* step, uint32_t index)
{
    rblWorld* world = step->world;
    const rblPath* path = &step->passages->paths.data[index];
    rblSolverBody* solver = &step->solver_bodies.data[index];
    const uint32_t slot = solver->slot;
    rblMotion* motion = &world->motions.data[slot];
    const double before = rbl_body_energy(world, slot);
    const rblTransform pose = rbl_path_pose(step, index, path->end);
    const float last = step->clocks.data[index] + solver->seconds;
    const float begin = step->clocks.data[index];
    const float lost = last - rbl_maxf(path->stopped, begin);
    motion->velocity = rbl_mul_add3(motion->velocity, -rbl_maxf(lost, 0.0f), rbl_last_acceleration(step, index));
    motion->center = pose.p;
    motion->orientation = pose.q;
    const double excess = rbl_body_energy(world, slot) - before;
    if (path->carrier != 0)
    {
        world->energy.work += excess;
    }
    else
    {
        pay(step, index, excess);
        world->contact_loss += before - rbl_body_energy(world, slot);
    }
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
    set_mean(step, index);
    solver->velocity = motion->velocity;
    solver->spin = motion->spin;
}

void rbl_paths_end(rblStep* step)
{
    for (uint32_t i = 1; i < step->solver_bodies.count; ++i)
    {
        const rblPath* path = &step->passages->paths.data[i];
        if (path->count > 0 && path->ending != RBL_ENDING_NONE)
        {
            (step->passages->displaces ? displace_less : end_path)(step, i);
        }
    }
}
