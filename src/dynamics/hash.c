// Hash of the state of a world: poses and velocities of all bodies, in the order of ids.
#include "dynamics/world.h"
#include <string.h>

// One step of the finisher of SplitMix64.
static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) + 0x9e3779b97f4a7c15ull;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ull;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111ebull;
    return hash ^ (hash >> 31);
}

// The bits of two floats. -0 and 0 are the same state.
static uint64_t pair_bits(float a, float b)
{
    const float values[2] = {a + 0.0f, b + 0.0f};
    uint32_t bits[2];
    memcpy(bits, values, sizeof bits);
    return (uint64_t)bits[0] | (uint64_t)bits[1] << 32;
}

static uint64_t hash_body(uint32_t slot, const rblMotion* m)
{
    uint64_t hash = mix(0, slot);
    hash = mix(hash, pair_bits(m->center.x, m->center.y));
    hash = mix(hash, pair_bits(m->center.z, m->orientation.x));
    hash = mix(hash, pair_bits(m->orientation.y, m->orientation.z));
    hash = mix(hash, pair_bits(m->orientation.w, m->velocity.x));
    hash = mix(hash, pair_bits(m->velocity.y, m->velocity.z));
    hash = mix(hash, pair_bits(m->spin.x, m->spin.y));
    hash = mix(hash, pair_bits(m->spin.z, m->momentum.x));
    return mix(hash, pair_bits(m->momentum.y, m->momentum.z));
}

rblResult rbl_world_hash(rblWorldId id, uint64_t* out)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(id, &world));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "hash: out must not be null");
    }
    uint64_t hash = 0;
    for (uint32_t slot = 0; slot < world->bodies.count; ++slot)
    {
        if (world->bodies.data[slot].generation == 0)
        {
            continue;
        }
        // A sum of hashes instead of a chain: bodies are hashed independently, which takes a third of the time.
        hash += hash_body(slot, &world->motions.data[slot]);
    }
    *out = hash;
    return RBL_OK;
}
