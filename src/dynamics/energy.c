// Where the energy is, and where it went.
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

double rbl_body_energy(const rblWorld* world, uint32_t slot)
{
    const rblBody* body = &world->bodies.data[slot];
    const bool counts = body->generation != 0 && body->type == RBL_BODY_DYNAMIC;
    return counts ? kinetic(world, slot) + potential(world, slot) : 0.0;
}

// One block's share of the sums: kinetic, potential, momentum, angular momentum.
typedef struct Sums
{
    const rblWorld* world;
    double blocks[RBL_MAX_BLOCKS][8];
} Sums;

static void sum_block(rblRange range, void* context)
{
    Sums* sums = context;
    const rblWorld* world = sums->world;
    double* out = sums->blocks[range.block];
    for (int k = 0; k < 8; ++k)
    {
        out[k] = 0.0;
    }
    for (uint32_t slot = range.begin; slot < range.end; ++slot)
    {
        const rblBody* body = &world->bodies.data[slot];
        if (body->generation == 0 || body->type != RBL_BODY_DYNAMIC)
        {
            continue;
        }
        const rblMotion* motion = &world->motions.data[slot];
        const rblVec3d momentum = rbl_scale3d(rbl_to_double3(motion->velocity), (double)body->mass);
        const rblVec3d orbital = rbl_cross3d(rbl_to_double3(motion->center), momentum);
        out[0] += body->awake ? kinetic(world, slot) : 0.0;
        out[1] += potential(world, slot);
        out[2] += momentum.x;
        out[3] += momentum.y;
        out[4] += momentum.z;
        out[5] += orbital.x + (double)motion->momentum.x;
        out[6] += orbital.y + (double)motion->momentum.y;
        out[7] += orbital.z + (double)motion->momentum.z;
    }
}

void rbl_measure_energy(rblWorld* world)
{
    Sums sums;
    sums.world = world;
    const uint32_t count = (uint32_t)world->bodies.count;
    rbl_parallel_for(world->jobs, count, 128, sum_block, &sums);
    double total[8] = {0};
    for (uint32_t b = 0; b < rbl_block_count(count, 128); ++b)
    {
        for (int k = 0; k < 8; ++k)
        {
            total[k] += sums.blocks[b][k];
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
