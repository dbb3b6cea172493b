// Drift correction of an island without a support. Its momentum and angular momentum do not change, and its energy does not
// grow.
//
// Bodies that are moved apart have another angular momentum x X m v about the origin. A change of the spin of the whole island,
// as one rigid body, restores it. That changes the energy. When the energy grows, the island pays with the motion of its bodies
// relative to each other: what is left of the velocities without the rigid motion of the same momentum and angular momentum is
// scaled down. When there is too little of it, the bodies stay where they are.
#include "dynamics/solve/drift.h"
#include "dynamics/stages.h"
#include "dynamics/whole.h"
#include <math.h>

// ---- tuning ----

#define ROUNDING 1e-8 // of the kinetic energy: a smaller gain is rounding

// Sums over the bodies of an island.
typedef struct Sums
{
    double kinetic;
    rblVec3d momentum, angular; // angular momentum about the world's origin
} Sums;

// How the velocities change.
typedef struct Restoration
{
    rblVec3d center;
    rblVec3d spin_change;
    rblVec3d velocity, spin; // rigid motion with the momentum and angular momentum of the island
    double scale;            // of the rest of the motion
} Restoration;

static uint32_t slot_of(const rblStep* step, const rblIsland* island, uint32_t number)
{
    return step->solver_bodies.data[step->island_bodies.data[island->first + number]].slot;
}

static Sums sum_island(const rblStep* step, const rblIsland* island)
{
    const rblWorld* world = step->world;
    Sums sums = {0};
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t slot = slot_of(step, island, i);
        const rblMotion* motion = &world->motions.data[slot];
        const rblVec3d momentum =
            rbl_scale3d(rbl_to_double3(motion->velocity), (double)world->bodies.data[slot].mass);
        const rblVec3d orbital = rbl_cross3d(rbl_to_double3(motion->center), momentum);
        sums.kinetic += rbl_body_kinetic(world, slot);
        sums.momentum = rbl_add3d(sums.momentum, momentum);
        sums.angular = rbl_add3d(sums.angular, rbl_add3d(orbital, rbl_to_double3(motion->momentum)));
    }
    return sums;
}

static rblWhole find_whole(const rblStep* step, const rblIsland* island)
{
    const rblWorld* world = step->world;
    rblWhole whole = {0};
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t slot = slot_of(step, island, i);
        rbl_whole_add_mass(&whole, world->bodies.data[slot].mass, world->motions.data[slot].center);
    }
    rbl_whole_end_masses(&whole);
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t slot = slot_of(step, island, i);
        rbl_whole_add_inertia(&whole, world->bodies.data[slot].mass, &world->motions.data[slot]);
    }
    return whole;
}

// Find the restoration, after the displacement. With dL the change by the displacement, L the angular momentum about the centre
// that the island had, and w = -I^-1 dL the change of the spin, the energy grows by w.(L + dL / 2). False: nothing pays for that.
static bool find_restoration(const rblStep* step, const rblIsland* island, const Sums* before,
                             Restoration* out)
{
    const rblWhole whole = find_whole(step, island);
    const rblVec3d change = rbl_sub3d(sum_island(step, island).angular, before->angular);
    const rblVec3d angular = rbl_sub3d(before->angular, rbl_cross3d(whole.center, before->momentum));
    rblMat3d inverse;
    if (!rbl_mat3d_inverse(&whole.inertia, &inverse))
    {
        return false;
    }
    out->center = whole.center;
    out->spin_change = rbl_mat3d_apply(&inverse, rbl_scale3d(change, -1.0));
    out->velocity = rbl_scale3d(before->momentum, 1.0 / whole.mass);
    out->spin = rbl_mat3d_apply(&inverse, angular);
    out->scale = 1.0;
    const double gain = rbl_dot3d(out->spin_change, rbl_mul_add3d(angular, 0.5, change));
    if (gain <= ROUNDING * before->kinetic)
    {
        return true;
    }
    const double rigid = 0.5 * (rbl_dot3d(before->momentum, out->velocity) + rbl_dot3d(angular, out->spin));
    const double rest = before->kinetic - rigid; // after the payment; before it: rest + gain
    out->scale = rest > 0.0 ? sqrt(rest / (rest + gain)) : 0.0;
    return rest > 0.0;
}

static void restore(const Restoration* restoration, rblMotion* motion)
{
    const rblVec3d arm = rbl_sub3d(rbl_to_double3(motion->center), restoration->center);
    const rblVec3d rigid = rbl_add3d(restoration->velocity, rbl_cross3d(restoration->spin, arm));
    const rblVec3d velocity =
        rbl_add3d(rbl_to_double3(motion->velocity), rbl_cross3d(restoration->spin_change, arm));
    const rblVec3d spin = rbl_add3d(rbl_to_double3(motion->spin), restoration->spin_change);
    const rblVec3d end_spin =
        rbl_mul_add3d(restoration->spin, restoration->scale, rbl_sub3d(spin, restoration->spin));
    const rblVec3 spin_change = rbl_to_float3(rbl_sub3d(end_spin, rbl_to_double3(motion->spin)));
    motion->velocity = rbl_to_float3(rbl_mul_add3d(rigid, restoration->scale, rbl_sub3d(velocity, rigid)));
    motion->momentum =
        rbl_add3(motion->momentum, rbl_inertia_apply(motion->orientation, motion->moments, spin_change));
    motion->spin = rbl_to_float3(end_spin);
}

// Displace the bodies, and store the motions that they had.
static void displace_all(rblStep* step, const rblIsland* island, rblMotion* saved)
{
    rblWorld* world = step->world;
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t index = step->island_bodies.data[island->first + i];
        const rblSolverBody* body = &step->solver_bodies.data[index];
        saved[index] = world->motions.data[body->slot];
        rbl_body_displace(&world->motions.data[body->slot], body, island->displaced);
    }
}

void rbl_island_displace_free(rblStep* step, rblIsland* island, rblMotion* saved)
{
    rblWorld* world = step->world;
    const Sums before = sum_island(step, island);
    Restoration restoration;
    displace_all(step, island, saved);
    const bool restored = find_restoration(step, island, &before, &restoration);
    for (uint32_t i = 0; i < island->count; ++i)
    {
        const uint32_t index = step->island_bodies.data[island->first + i];
        const uint32_t slot = step->solver_bodies.data[index].slot;
        rblMotion* motion = &world->motions.data[slot];
        if (restored)
        {
            restore(&restoration, motion);
            const rblVec3 change = rbl_sub3(motion->velocity, saved[index].velocity);
            island->drift_impulse += (double)(world->bodies.data[slot].mass * rbl_length3(change));
        }
        else
        {
            *motion = saved[index];
        }
    }
    const Sums after = sum_island(step, island);
    island->drift_momentum = rbl_sub3d(after.angular, before.angular);
    island->lifted = (restored ? island->lifted : 0.0) + after.kinetic - before.kinetic;
    island->recovery_work = restored ? island->recovery_work : 0.0;
}
