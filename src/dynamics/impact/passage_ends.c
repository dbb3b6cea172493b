// Bodies that were stopped on their paths (passages.c): poses, energy and mean velocities.
#include "dynamics/impact/passages.h"
#include "dynamics/orientation.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define SPUN 0.01 // of the kinetic energy: what a correction of the angular momentum may add

// Velocities whose mean over the last leg is what the body has really made: drift correction compares gaps with them.
static void set_mean(rblStep* step, uint32_t index)
{
    const rblSolverBody* body = &step->solver_bodies.data[index];
    const rblMotion* saved = &step->passages->saved.data[index];
    const rblMotion* now = &step->world->motions.data[body->slot];
    rblVelocity* before = &step->before_contacts.data[index];
    const float seconds = body->seconds;
    const rblVec3 mean = rbl_scale3(rbl_sub3(now->center, saved->center), 1.0f / seconds);
    const rblVec3 spin =
        rbl_scale3(rbl_rotation_between(saved->orientation, now->orientation), 1.0f / seconds);
    before->velocity = rbl_sub3(rbl_scale3(mean, 2.0f), body->velocity);
    before->spin = rbl_sub3(rbl_scale3(spin, 2.0f), body->spin);
}

// What an island has dissipated in this step and drift correction has not spent.
static double left_of_budget(const rblStep* step, uint32_t index)
{
    const uint32_t number = step->solver_bodies.data[index].island;
    const rblIsland* island = number != RBL_NONE ? &step->islands.data[number] : NULL;
    const double lifted = island != NULL && step->passages->displaces ? rbl_maxd(island->lifted, 0.0) : 0.0;
    return island != NULL ? rbl_maxd(island->budget - lifted, 0.0) : 0.0;
}

// A supported body that stops before it has moved down has more energy than its motion would have left. Its island pays with
// what it has dissipated in this step, as for drift correction. The rest is taken from the velocity and the spin.
static void pay(rblStep* step, uint32_t index, double excess)
{
    rblWorld* world = step->world;
    const rblSolverBody* solver = &step->solver_bodies.data[index];
    rblMotion* motion = &world->motions.data[solver->slot];
    const double paid = excess > 0.0 ? rbl_mind(left_of_budget(step, index), excess) : excess;
    if (solver->island != RBL_NONE)
    {
        step->islands.data[solver->island].budget -= paid;
    }
    if (excess > paid)
    {
        const rblVec3 old = motion->velocity;
        const double kinetic = rbl_body_kinetic(world, solver->slot);
        const double left = kinetic - (excess - paid);
        const float share = left > 0.0 ? (float)sqrt(left / kinetic) : 0.0f;
        motion->velocity = rbl_scale3(old, share);
        motion->momentum = rbl_scale3(motion->momentum, share);
        world->energy.work += rbl_maxd(-left, 0.0); // overlap of bodies that hardly move: as initial overlap
        const double mass = (double)world->bodies.data[solver->slot].mass;
        world->energy.drift_impulse += mass * (double)rbl_length3(rbl_sub3(motion->velocity, old));
    }
}

// Whether nothing static acts on the body, so that angular momentum counts.
static bool floats(const rblStep* step, uint32_t index)
{
    const uint32_t island = step->solver_bodies.data[index].island;
    return island != RBL_NONE && !step->islands.data[island].grounded &&
           step->passages->paths.data[index].carrier == 0;
}

// Turns the body and its angular momentum with it, which keeps its energy of rotation. A body without a support keeps its angular
// momentum, unless it would spin much faster, as a rod about its axis.
static void turn_to(rblStep* step, uint32_t index, rblMotion* motion, rblQuat to)
{
    const double before = rbl_rotational_energy(motion->orientation, motion->momentum, motion->moments);
    const rblVec3 in_body = rbl_inverse_rotate3(motion->orientation, motion->momentum);
    const double after = rbl_rotational_energy(to, motion->momentum, motion->moments);
    motion->orientation = to;
    if (!floats(step, index) || after > (1.0 + SPUN) * before)
    {
        motion->momentum = rbl_rotate3(to, in_body);
    }
}

// The orientation after a part of the last leg is that of a shorter step.
static void turn_less(const rblStep* step, uint32_t index, rblMotion* motion, float seconds)
{
    const rblMotion* saved = &step->passages->saved.data[index];
    const rblVec3 middle = rbl_scale3(rbl_add3(saved->momentum, motion->momentum), 0.5f);
    motion->orientation =
        rbl_orientation_advance(saved->orientation, middle, motion->momentum, motion->moments, seconds);
}

// A body whose velocity has changed on its way has another angular momentum about a fixed point when it stops elsewhere. Without a
// support its own one takes the difference, unless it would spin much faster.
static void keep_momentum(rblStep* step, uint32_t index, rblVec3 from)
{
    rblWorld* world = step->world;
    const rblSolverBody* solver = &step->solver_bodies.data[index];
    const rblBody* body = &world->bodies.data[solver->slot];
    rblMotion* motion = &world->motions.data[solver->slot];
    if (!floats(step, index))
    {
        return;
    }
    const rblVec3 moved = rbl_scale3(rbl_sub3(from, motion->center), body->mass);
    const rblVec3 old = motion->momentum;
    const double kinetic = rbl_body_kinetic(world, solver->slot);
    motion->momentum = rbl_add3(old, rbl_cross3(moved, motion->velocity));
    if (rbl_body_kinetic(world, solver->slot) > (1.0 + SPUN) * kinetic)
    {
        motion->momentum = old;
    }
}

// What a body of a shorter path has gained or lost.
static void book(rblStep* step, uint32_t index, double before)
{
    rblWorld* world = step->world;
    const uint32_t slot = step->solver_bodies.data[index].slot;
    if (step->passages->paths.data[index].carrier != 0)
    {
        world->energy.work += rbl_body_energy(world, slot) - before;
        return;
    }
    const double work = world->energy.work;
    pay(step, index, rbl_body_energy(world, slot) - before);
    world->contact_loss += before - rbl_body_energy(world, slot) + (world->energy.work - work);
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
    turn_to(step, index, motion, pose.q);
    book(step, index, before);
    motion->spin = rbl_angular_velocity(motion->orientation, motion->momentum, motion->moments);
}

// Forces act for the time that the body makes. A supported body loses no more than its velocity along them: its support has
// taken the rest.
static void take_back_forces(rblStep* step, uint32_t index, float seconds)
{
    rblWorld* world = step->world;
    const rblSolverBody* solver = &step->solver_bodies.data[index];
    rblMotion* motion = &world->motions.data[solver->slot];
    const rblVec3 gained = rbl_scale3(rbl_body_linear_acceleration(world, solver), seconds);
    const float square = rbl_dot3(gained, gained);
    const float along = rbl_dot3(motion->velocity, gained);
    const float share = square > 0.0f ? rbl_clampf(along / square, 0.0f, 1.0f) : 0.0f;
    const bool falls = world->bodies.data[solver->slot].falls;
    motion->velocity = rbl_mul_add3(motion->velocity, falls ? -1.0f : -share, gained);
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
    const float begin = step->clocks.data[index];
    const rblVec3 center = motion->center;
    take_back_forces(step, index, rbl_maxf(begin + solver->seconds - rbl_maxf(path->stopped, begin), 0.0f));
    motion->center = pose.p;
    if (path->carrier == 0 && path->stopped > begin)
    {
        turn_less(step, index, motion, path->stopped - begin);
    }
    else
    {
        turn_to(step, index, motion, pose.q);
    }
    keep_momentum(step, index, center);
    book(step, index, before);
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
