#include "io/weld.h"

#include <string.h>

// Slots of the smallest hash table; a power of two.
#define SMALLEST 64

static bool make_slots(rblWelder* welder, size_t capacity)
{
    uint32_t* slots = RBL_NEW_ARRAY(welder->builder->allocator, uint32_t, capacity);
    if (slots == NULL)
    {
        return false;
    }
    memset(slots, 0, capacity * sizeof *slots);
    welder->slots = slots;
    welder->capacity = capacity;
    return true;
}

bool rbl_welder_init(rblWelder* welder, rblMeshBuilder* builder, size_t expected)
{
    *welder = (rblWelder){.builder = builder};
    size_t capacity = SMALLEST;
    while (capacity / 2 < expected && capacity <= SIZE_MAX / 16)
    {
        capacity *= 2;
    }
    return make_slots(welder, capacity);
}

void rbl_welder_free(rblWelder* welder)
{
    RBL_FREE_ARRAY(welder->builder->allocator, welder->slots, welder->capacity);
    welder->slots = NULL;
    welder->capacity = 0;
}

static inline uint64_t hash_position(rblVec3d p)
{
    uint64_t bits[3];
    memcpy(bits, &p, sizeof bits);
    // Each coordinate is hashed before the next is added, so that two of them cannot cancel.
    uint64_t hash = rbl_hash_u64(bits[0]);
    hash = (hash ^ bits[1]) * 0x9E3779B97F4A7C15u;
    hash = (hash ^ (hash >> 32) ^ bits[2]) * 0xD6E8FEB86659FD93u;
    return hash ^ (hash >> 32);
}

static inline size_t find_slot(const rblWelder* welder, rblVec3d p)
{
    const size_t mask = welder->capacity - 1;
    size_t slot = (size_t)hash_position(p) & mask;
    const rblVec3d* positions = welder->builder->positions.data;
    while (welder->slots[slot] != 0 && memcmp(&positions[welder->slots[slot] - 1], &p, sizeof p) != 0)
    {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow(rblWelder* welder)
{
    const rblWelder old = *welder;
    if (old.capacity > SIZE_MAX / 16 || !make_slots(welder, 2 * old.capacity))
    {
        return false;
    }
    for (uint32_t v = 0; v < welder->builder->positions.count; ++v)
    {
        welder->slots[find_slot(welder, welder->builder->positions.data[v])] = v + 1;
    }
    RBL_FREE_ARRAY(welder->builder->allocator, old.slots, old.capacity);
    return true;
}

uint32_t rbl_welder_vertex(rblWelder* welder, rblVec3d position)
{
    // Adding zero turns -0 into 0 and changes nothing else.
    const rblVec3d p = {position.x + 0.0, position.y + 0.0, position.z + 0.0};
    size_t slot = find_slot(welder, p);
    if (welder->slots[slot] != 0)
    {
        return welder->slots[slot] - 1;
    }
    if (2 * (welder->builder->positions.count + 1) > welder->capacity)
    {
        if (!grow(welder))
        {
            return RBL_NONE;
        }
        slot = find_slot(welder, p);
    }
    const uint32_t vertex = rbl_mesh_builder_vertex(welder->builder, p);
    if (welder->builder->failed || welder->builder->positions.count > UINT32_MAX - 3)
    {
        return RBL_NONE;
    }
    welder->slots[slot] = vertex + 1;
    return vertex;
}
