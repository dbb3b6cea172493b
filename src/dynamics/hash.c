// A number for the state of a world: poses and velocities of all bodies in id order.
#include "dynamics/world.h"
#include <string.h>

// Mixes 64 bits well (the finisher of SplitMix64).
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) + 0x9e3779b97f4a7c15ull;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebull;
    return hash ^ (hash >> 31);
}

static uint64_t mix_floats(uint64_t hash, const float* values, int count)
{
    for (int i = 0; i < count; ++i)
    {
        uint32_t bits;
        const float value = values[i] + 0.0f; // -0 and 0 are the same state
        memcpy(&bits, &value, sizeof bits);
        hash = mix(hash, bits);
    }
    return hash;
}

rblResult rbl_world_hash(rblWorldId id, uint64_t* out)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "hash: no place for the result");
    }
    uint64_t hash = 0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].generation == 0)
        {
            continue;
        }
        const rblMotion* motion = &world->motions.data[slot];
        hash = mix(hash, slot);
        hash = mix_floats(hash, &motion->center.x, 3);
        hash = mix_floats(hash, &motion->orientation.x, 4);
        hash = mix_floats(hash, &motion->velocity.x, 3);
        hash = mix_floats(hash, &motion->spin.x, 3);
        hash = mix_floats(hash, &motion->momentum.x, 3);
    }
    *out = hash;
    return RBL_OK;
}
