// Sums of energy and momentum, and the energy balance.
#include "dynamics/orientation.h"
#include "dynamics/stages.h"

static double potential(const rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    const rblVec3d gravity = rbl_to_double3(world->def.gravity);
    const rblVec3d center = rbl_to_double3(world->motions.data[slot].center);
    return -(double)body->mass * (double)body->gravity_scale * rbl_dot3d(gravity, center);
}

static double kinetic(const rblWorld* world, uint32_t slot)
{
    const rblMotion* motion = &world->motions.data[slot];
    const rblVec3d velocity = rbl_to_double3(motion->velocity);
    return 0.5 * (double)world->bodies.data[slot].mass * rbl_dot3d(velocity, velocity) +
           rbl_rotational_energy(motion->orientation, motion->momentum, motion->moments);
}

static bool moves_freely(const rblBody* body)
{
    return body->generation != 0 && body->type == RBL_BODY_DYNAMIC;
}

double rbl_body_kinetic(const rblWorld* world, uint32_t slot)
{
    return moves_freely(&world->bodies.data[slot]) ? kinetic(world, slot) : 0.0;
}

double rbl_body_energy(const rblWorld* world, uint32_t slot)
{
    return moves_freely(&world->bodies.data[slot]) ? kinetic(world, slot) + potential(world, slot) : 0.0;
}

// Sums of one block: kinetic energy, potential energy, momentum, angular momentum.
typedef struct Sums
{
    const rblStep* step;
    const uint32_t* slots; // slots of the bodies to sum; null: all bodies
    bool resting;          // with all bodies: only those that are not movers
    double blocks[RBL_MAX_BLOCKS][8];
} Sums;

static bool is_included(const Sums* sums, uint32_t slot)
{
    const rblBody* body = &sums->step->world->bodies.data[slot];
    return body->generation != 0 && body->type == RBL_BODY_DYNAMIC &&
           (!sums->resting || sums->step->activities.data[slot] < RBL_ACTIVITY_AWAKE);
}

static void sum_block(rblRange range, void* context)
{
    Sums* sums = context;
    const rblStep* step = sums->step;
    const rblWorld* world = step->world;
    double* out = sums->blocks[range.block];
    for (int k = 0; k < 8; ++k)
    {
        out[k] = 0.0;
    }
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const uint32_t slot = sums->slots != NULL ? sums->slots[i] : i;
        const rblBody* body = &world->bodies.data[slot];
        if (!is_included(sums, slot))
        {
            continue;
        }
        const rblMotion* motion = &world->motions.data[slot];
        const rblVec3d momentum = rbl_scale3d(rbl_to_double3(motion->velocity), (double)body->mass);
        const rblVec3d orbital = rbl_cross3d(rbl_to_double3(motion->center), momentum);
        out[0] += kinetic(world, slot); // also of sleepers, which may be created with a velocity
        out[1] += potential(world, slot);
        out[2] += momentum.x;
        out[3] += momentum.y;
        out[4] += momentum.z;
        out[5] += orbital.x + (double)motion->momentum.x;
        out[6] += orbital.y + (double)motion->momentum.y;
        out[7] += orbital.z + (double)motion->momentum.z;
    }
}

static void sum_all(Sums* sums, uint32_t count, double total[8])
{
    rbl_parallel_for(sums->step->world->jobs, count, 128, sum_block, sums);
    for (uint32_t b = 0; b < rbl_block_count(count, 128); ++b)
    {
        for (int k = 0; k < 8; ++k)
        {
            total[k] += sums->blocks[b][k];
        }
    }
}

// The sums over bodies that are not movers stay valid while no body changes its activity.
static void sum_resting(rblStep* step)
{
    rblWorld* world = step->world;
    Sums sums = {.step = step, .resting = true};
    for (int k = 0; k < 8; ++k)
    {
        world->resting_sums.sums[k] = 0.0;
    }
    sum_all(&sums, (uint32_t)world->bodies.count, world->resting_sums.sums);
    world->resting_sums.known = true;
}

void rbl_energy_measure(rblStep* step)
{
    rblWorld* world = step->world;
    double total[8] = {0};
    Sums sums = {.step = step};
    if (world->activity_changed) // since the movers were gathered
    {
        sum_all(&sums, (uint32_t)world->bodies.count, total);
    }
    else
    {
        if (!world->resting_sums.known)
        {
            sum_resting(step);
        }
        sums.slots = step->movers.data;
        sum_all(&sums, (uint32_t)step->movers.count, total);
        for (int k = 0; k < 8; ++k)
        {
            total[k] += world->resting_sums.sums[k];
        }
    }
    world->energy.kinetic = total[0];
    world->energy.potential = total[1];
    for (int k = 0; k < 3; ++k)
    {
        world->energy.momentum[k] = total[2 + k];
        world->energy.angular_momentum[k] = total[5 + k];
    }
}
