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

// Adds the energies and momenta of a dynamic body: kinetic and potential energy, momentum, angular momentum.
static void add_body(const rblWorld* world, uint32_t slot, double out[RBL_ENERGY_SUMS])
{
    const rblBody* body = &world->bodies.data[slot];
    if (!moves_freely(body))
    {
        return;
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

static void clear_sums(double out[RBL_ENERGY_SUMS])
{
    for (int k = 0; k < RBL_ENERGY_SUMS; ++k)
    {
        out[k] = 0.0;
    }
}

static void add_sums(const double* from, double out[RBL_ENERGY_SUMS])
{
    for (int k = 0; k < RBL_ENERGY_SUMS; ++k)
    {
        out[k] += from[k];
    }
}

// Sums of the blocks of a parallel loop over bodies.
typedef struct Sums
{
    const rblStep* step;
    const uint32_t* slots; // of the bodies to sum; null: all bodies
    double blocks[RBL_MAX_BLOCKS][RBL_ENERGY_SUMS];
} Sums;

static void sum_block(rblRange range, void* context)
{
    Sums* sums = context;
    double* out = sums->blocks[range.block];
    clear_sums(out);
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        add_body(sums->step->world, sums->slots != NULL ? sums->slots[i] : i, out);
    }
}

static void sum_all(Sums* sums, uint32_t count, double total[RBL_ENERGY_SUMS])
{
    rbl_parallel_for(sums->step->world->jobs, count, 128, sum_block, sums);
    for (uint32_t b = 0; b < rbl_block_count(count, 128); ++b)
    {
        add_sums(sums->blocks[b], total);
    }
}

// ---- bodies at rest ----

#define BLOCK 64 // slots of a block, and blocks of a group

static size_t parts_of(size_t count)
{
    return (count + BLOCK - 1) / BLOCK;
}

bool rbl_resting_sums_reserve(rblWorld* world)
{
    rblRestingSums* resting = &world->resting_sums;
    const size_t blocks = parts_of(world->bodies.count);
    if (resting->block_states.count == blocks)
    {
        return true;
    }
    resting->known = false;
    return rbl_array_resize_amply(&resting->blocks, RBL_ENERGY_SUMS * blocks) &&
           rbl_array_resize_amply(&resting->groups, RBL_ENERGY_SUMS * parts_of(blocks)) &&
           rbl_array_reserve_more(&resting->outdated, blocks) && // each block is in the list once
           rbl_array_resize_amply(&resting->block_states, blocks);
}

void rbl_resting_sums_forget(rblWorld* world, uint32_t slot)
{
    rblRestingSums* resting = &world->resting_sums;
    const uint32_t block = slot / BLOCK;
    if (resting->known && block < resting->block_states.count && resting->block_states.data[block] == 0)
    {
        resting->block_states.data[block] = 1;
        resting->outdated.data[resting->outdated.count++] = block;
    }
}

static void sum_resting_block(rblStep* step, uint32_t block)
{
    const rblWorld* world = step->world;
    double* out = &step->world->resting_sums.blocks.data[RBL_ENERGY_SUMS * (size_t)block];
    const uint32_t end = (uint32_t)world->bodies.count;
    clear_sums(out);
    for (uint32_t slot = block * BLOCK; slot < end && slot < (block + 1) * BLOCK; ++slot)
    {
        if (step->activities.data[slot] < RBL_ACTIVITY_AWAKE)
        {
            add_body(world, slot, out);
        }
    }
    step->world->resting_sums.block_states.data[block] = 0;
}

static void sum_group(rblRestingSums* resting, uint32_t group)
{
    double* out = &resting->groups.data[RBL_ENERGY_SUMS * (size_t)group];
    const size_t end = resting->block_states.count;
    clear_sums(out);
    for (size_t block = (size_t)group * BLOCK; block < end && block < ((size_t)group + 1) * BLOCK; ++block)
    {
        add_sums(&resting->blocks.data[RBL_ENERGY_SUMS * block], out);
    }
}

static void resting_block(rblRange range, void* context)
{
    rblStep* step = context;
    for (uint32_t block = range.begin; block < range.end; ++block)
    {
        sum_resting_block(step, block);
    }
}

// Bring the sums over bodies that are not movers up to date.
static void sum_resting(rblStep* step)
{
    rblRestingSums* resting = &step->world->resting_sums;
    const size_t groups = parts_of(resting->block_states.count);
    if (!resting->known)
    {
        rbl_parallel_for(step->world->jobs, (uint32_t)resting->block_states.count, 16, resting_block, step);
        for (uint32_t group = 0; group < groups; ++group)
        {
            sum_group(resting, group);
        }
    }
    for (size_t i = 0; i < resting->outdated.count && resting->known; ++i)
    {
        sum_resting_block(step, resting->outdated.data[i]);
        sum_group(resting, resting->outdated.data[i] / BLOCK);
    }
    if (!resting->known || resting->outdated.count > 0)
    {
        clear_sums(resting->sums);
        for (size_t group = 0; group < groups; ++group)
        {
            add_sums(&resting->groups.data[RBL_ENERGY_SUMS * group], resting->sums);
        }
    }
    rbl_array_clear(&resting->outdated);
    resting->known = true;
}

void rbl_energy_measure(rblStep* step)
{
    rblWorld* world = step->world;
    double total[RBL_ENERGY_SUMS] = {0};
    Sums sums = {.step = step};
    if (rbl_movers_gather(step) != RBL_OK)
    {
        sum_all(&sums, (uint32_t)world->bodies.count, total);
    }
    else
    {
        sum_resting(step);
        sums.slots = step->movers.data;
        sum_all(&sums, (uint32_t)step->movers.count, total);
        add_sums(world->resting_sums.sums, total);
    }
    world->energy.kinetic = total[0];
    world->energy.potential = total[1];
    for (int k = 0; k < 3; ++k)
    {
        world->energy.momentum[k] = total[2 + k];
        world->energy.angular_momentum[k] = total[5 + k];
    }
}
