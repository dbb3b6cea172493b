#include "base/hash_map.h"

#include <string.h>

void rbl_hash_map_init(rblHashMap* map, const rblAllocator* allocator)
{
    *map = (rblHashMap){.allocator = allocator};
}

void rbl_hash_map_free(rblHashMap* map)
{
    RBL_FREE_ARRAY(map->allocator, map->keys, map->capacity);
    RBL_FREE_ARRAY(map->allocator, map->values, map->capacity);
    rbl_hash_map_init(map, map->allocator);
}

// The slot of the key, or the free slot where it would be inserted.
static size_t find_slot(const rblHashMap* map, uint64_t key)
{
    const size_t mask = map->capacity - 1;
    size_t slot = (size_t)rbl_hash_u64(key) & mask;
    while (map->values[slot] != RBL_MAP_EMPTY && map->keys[slot] != key)
    {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool rehash(rblHashMap* map, size_t capacity)
{
    rblHashMap grown = {.capacity = capacity, .count = map->count, .allocator = map->allocator};
    grown.keys = RBL_NEW_ARRAY(map->allocator, uint64_t, capacity);
    grown.values = RBL_NEW_ARRAY(map->allocator, uint32_t, capacity);
    if (grown.keys == NULL || grown.values == NULL)
    {
        rbl_hash_map_free(&grown);
        return false;
    }
    memset(grown.values, 0xFF, capacity * sizeof *grown.values);
    for (size_t i = 0; i < map->capacity; ++i)
    {
        if (map->values[i] != RBL_MAP_EMPTY)
        {
            const size_t slot = find_slot(&grown, map->keys[i]);
            grown.keys[slot] = map->keys[i];
            grown.values[slot] = map->values[i];
        }
    }
    rbl_hash_map_free(map);
    *map = grown;
    return true;
}

bool rbl_hash_map_reserve(rblHashMap* map, size_t count)
{
    if (count > SIZE_MAX / 64)
    {
        return false;
    }
    size_t capacity = map->capacity != 0 ? map->capacity : 16;
    while (count * 3 > capacity * 2) // at most two thirds full
    {
        capacity *= 2;
    }
    return capacity == map->capacity || rehash(map, capacity);
}

uint32_t rbl_hash_map_find(const rblHashMap* map, uint64_t key)
{
    return map->capacity == 0 ? RBL_MAP_EMPTY : map->values[find_slot(map, key)];
}

uint32_t* rbl_hash_map_get_or_add(rblHashMap* map, uint64_t key, uint32_t value, bool* added)
{
    if (!rbl_hash_map_reserve(map, map->count + 1))
    {
        return NULL;
    }
    const size_t slot = find_slot(map, key);
    *added = map->values[slot] == RBL_MAP_EMPTY;
    if (*added)
    {
        map->keys[slot] = key;
        map->values[slot] = value;
        map->count += 1;
    }
    return &map->values[slot];
}

uint64_t rbl_hash_bytes(uint64_t hash, const void* bytes, size_t size)
{
    const unsigned char* p = bytes;
    for (size_t i = 0; i < size; ++i)
    {
        hash = (hash ^ p[i]) * 0x100000001B3u;
    }
    return hash;
}
