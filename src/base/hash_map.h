// Hash map from 64-bit keys to 32-bit values: open addressing, linear probing, no deletion. Its content never depends on
// addresses, so results of look-ups are the same in every run. There is intentionally no iteration.
#ifndef RBL_BASE_HASH_MAP_H
#define RBL_BASE_HASH_MAP_H

#include "base/memory.h"

typedef struct rblHashMap
{
    uint64_t* keys;
    uint32_t* values; // RBL_MAP_EMPTY marks a free slot
    size_t capacity;  // a power of two, or 0
    size_t count;
    const rblAllocator* allocator;
} rblHashMap;

#define RBL_MAP_EMPTY UINT32_MAX

void rbl_hash_map_init(rblHashMap* map, const rblAllocator* allocator);
void rbl_hash_map_free(rblHashMap* map);

// Capacity for `count` keys without growth. False when out of memory.
bool rbl_hash_map_reserve(rblHashMap* map, size_t count);

// The value of a key, RBL_MAP_EMPTY when it is not there.
uint32_t rbl_hash_map_find(const rblHashMap* map, uint64_t key);

// A pointer to the value of a key; a new key is added with `value` (*added is then true). Any value but RBL_MAP_EMPTY.
// Valid until the next call that adds. Null when out of memory.
uint32_t* rbl_hash_map_get_or_add(rblHashMap* map, uint64_t key, uint32_t value, bool* added);

// Mixes all bits of a key (the finaliser of SplitMix64: Steele, Lea and Flood 2014).
static inline uint64_t rbl_hash_u64(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

// An unordered pair of 32-bit indices as one key: the edge (a, b).
static inline uint64_t rbl_pair_key(uint32_t a, uint32_t b)
{
    return a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
}

// Running hash of bytes, the same on every platform (FNV-1a, 64 bit). Start from RBL_HASH_START.
#define RBL_HASH_START 0xCBF29CE484222325u
uint64_t rbl_hash_bytes(uint64_t hash, const void* bytes, size_t size);

#endif
