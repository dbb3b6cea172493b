#include "base/arena.h"

#include "base/assert.h"

// Alignment of all allocations, in bytes; the same as that of rbl_alloc().
#define RBL_ARENA_ALIGNMENT 16

struct rblArenaBlock
{
    rblArenaBlock* older;
    size_t size;    // bytes after the header
    size_t offset;  // next free byte
    size_t padding; // keeps the data after the header aligned, also on 32-bit targets
};

static size_t header_size(void)
{
    return (sizeof(rblArenaBlock) + RBL_ARENA_ALIGNMENT - 1) & ~(size_t)(RBL_ARENA_ALIGNMENT - 1);
}

void rbl_arena_init(rblArena* arena, size_t block_size, const rblAllocator* allocator)
{
    *arena = (rblArena){.allocator = allocator, .block_size = block_size < 4096 ? 4096 : block_size};
}

static void free_block(rblArena* arena, rblArenaBlock* block)
{
    rbl_free(arena->allocator, block, header_size() + block->size);
}

void rbl_arena_free(rblArena* arena)
{
    rbl_arena_rewind(arena, (rblArenaMark){0});
    if (arena->spare != NULL)
    {
        free_block(arena, arena->spare);
        arena->spare = NULL;
    }
}

// A block with capacity for `size` bytes: the spare one when it is large enough, otherwise a new one.
static rblArenaBlock* take_block(rblArena* arena, size_t size)
{
    if (arena->spare != NULL && arena->spare->size >= size)
    {
        rblArenaBlock* block = arena->spare;
        arena->spare = NULL;
        return block;
    }
    const size_t wanted = size > arena->block_size ? size : arena->block_size;
    if (wanted > SIZE_MAX - header_size())
    {
        return NULL;
    }
    rblArenaBlock* block = rbl_alloc(arena->allocator, header_size() + wanted);
    if (block != NULL)
    {
        block->size = wanted;
    }
    return block;
}

void* rbl_arena_alloc(rblArena* arena, size_t size)
{
    const size_t rounded = (size + RBL_ARENA_ALIGNMENT - 1) & ~(size_t)(RBL_ARENA_ALIGNMENT - 1);
    if (size == 0 || rounded < size)
    {
        return NULL;
    }
    if (arena->current == NULL || arena->current->size - arena->current->offset < rounded)
    {
        rblArenaBlock* block = take_block(arena, rounded);
        if (block == NULL)
        {
            return NULL;
        }
        block->older = arena->current;
        block->offset = 0;
        arena->current = block;
    }
    char* memory = (char*)arena->current + header_size() + arena->current->offset;
    arena->current->offset += rounded;
    arena->used += rounded;
    return memory;
}

void* rbl_arena_alloc_array(rblArena* arena, size_t element_size, size_t count)
{
    size_t size;
    return rbl_checked_multiply(element_size, count, &size) ? rbl_arena_alloc(arena, size) : NULL;
}

rblArenaMark rbl_arena_mark(const rblArena* arena)
{
    return (rblArenaMark){
        .block = arena->current,
        .offset = arena->current != NULL ? arena->current->offset : 0,
        .used = arena->used,
    };
}

void rbl_arena_rewind(rblArena* arena, rblArenaMark mark)
{
    while (arena->current != mark.block)
    {
        RBL_ASSERT(arena->current != NULL);
        rblArenaBlock* block = arena->current;
        arena->current = block->older;
        // Keep the largest block, so that next time it is sufficient alone.
        rblArenaBlock* loser = block;
        if (arena->spare == NULL || arena->spare->size < block->size)
        {
            loser = arena->spare;
            arena->spare = block;
        }
        if (loser != NULL)
        {
            free_block(arena, loser);
        }
    }
    if (arena->current != NULL)
    {
        arena->current->offset = mark.offset;
    }
    arena->used = mark.used;
}
