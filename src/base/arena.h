// Bump allocator for temporaries. Take a mark, allocate, rewind to the mark; single allocations are not freed.
#ifndef RBL_BASE_ARENA_H
#define RBL_BASE_ARENA_H

#include "base/memory.h"

typedef struct rblArenaBlock rblArenaBlock;

typedef struct rblArena
{
    const rblAllocator* allocator;
    rblArenaBlock* current; // newest block; it links to the older ones
    rblArenaBlock* spare;   // kept after a rewind, so that a steady state allocates nothing
    size_t block_size;
    size_t used; // bytes allocated and not rewound
} rblArena;

typedef struct rblArenaMark
{
    rblArenaBlock* block;
    size_t offset;
    size_t used;
} rblArenaMark;

void rbl_arena_init(rblArena* arena, size_t block_size, const rblAllocator* allocator);
void rbl_arena_free(rblArena* arena);

// Aligned to 16 bytes, not initialised. Null when out of memory or when size is 0.
void* rbl_arena_alloc(rblArena* arena, size_t size);
#define RBL_ARENA_ARRAY(arena, type, count) ((type*)rbl_arena_alloc_array((arena), sizeof(type), (count)))
void* rbl_arena_alloc_array(rblArena* arena, size_t element_size, size_t count);

rblArenaMark rbl_arena_mark(const rblArena* arena);
void rbl_arena_rewind(rblArena* arena, rblArenaMark mark);

#endif
