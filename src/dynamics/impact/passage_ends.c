// Bodies that were stopped on their paths (passages.c): poses, energy and mean velocities.
#include "dynamics/impact/passages.h"
#include "dynamics/orientation.h"
#include "dynamics/stages.h"
#include <math.h>

// Velocities whose mean over the last leg is what the body has really made: drift correction compares gaps with them.
static void set_mean(rblStep* step, uint32_t index, float end)
{
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblMotion* saved = &step->passages->saved.data[index];
    const rblMotion* now = &step->world->motions.data[body->slot];
    rblVelocity* before = &step->before_contacts.data[index];
    const float seconds = body->seconds;
    const float share = rbl_clampf((end - step->clocks.data[index]) / seconds, 0.0f, 1.0f);
    const rblVec3 mean = rbl_scale3(rbl_sub3(now->center, saved->center), 1.0f / seconds);
    const rblVec3 spin = rbl_scale3(rbl_add3(before->spin, body->spin), 0.5f * share);
    before->velocity = rbl_sub3(rbl_scale3(mean, 2.0f), body->velocity);
    before->spin = rbl_sub3(rbl_scale3(spin, 2.0f), body->spin);
}

// Takes away an energy that the shorter motion has not paid for, from the velocity.
static void take_energy(rblMotion* motion, double mass, double excess)
{
    const rblVec3d v = rbl_to_double3(motion->velocity);
    const double kinetic = 0.5 * mass * rbl_dot3d(v, v);
    const double share = kinetic > excess ? sqrt((kinetic - excess) / kinetic) : 0.0;
    motion->velocity = rbl_scale3(motion->velocity, (float)share);
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
        if (excess > 0.0)
        {
            take_energy(motion, (double)world->bodies.data[slot].mass, excess);
        }
        world->contact_loss += before - rbl_body_energy(world, slot);
    }
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
    set_mean(step, index, path->stopped);
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
            end_path(step, i);
        }
    }
}
