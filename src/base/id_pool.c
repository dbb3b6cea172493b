#include "base/id_pool.h"

#include "base/assert.h"

void rbl_id_pool_init(rblIdPool* pool, const rblAllocator* allocator)
{
    rbl_array_init(&pool->generations, allocator);
    rbl_array_init(&pool->free_slots, allocator);
    pool->alive = 0;
    pool->first_generation = 0;
}

void rbl_id_pool_free(rblIdPool* pool)
{
    rbl_array_free(&pool->generations);
    rbl_array_free(&pool->free_slots);
    pool->alive = 0;
}

bool rbl_id_pool_take(rblIdPool* pool, uint32_t* slot, uint32_t* generation)
{
    if (pool->free_slots.count > 0)
    {
        *slot = pool->free_slots.data[--pool->free_slots.count];
    }
    else
    {
        // The free list has capacity for every slot, so that releasing an id cannot fail. (Its count is zero here.)
        const size_t slots = pool->generations.count + 1;
        if (slots >= UINT32_MAX || !rbl_array_reserve_more(&pool->free_slots, slots) ||
            !rbl_array_push(&pool->generations, pool->first_generation))
        {
            return false;
        }
        *slot = (uint32_t)(slots - 1);
    }
    *generation = ++pool->generations.data[*slot];
    pool->alive += 1;
    return true;
}

void rbl_id_pool_give(rblIdPool* pool, uint32_t slot)
{
    RBL_ASSERT(slot < pool->generations.count && (pool->generations.data[slot] & 1) == 1);
    pool->generations.data[slot] += 1;
    pool->alive -= 1;
    // A slot whose generations are used up is retired: an old id must never become valid again.
    if (pool->generations.data[slot] != 0)
    {
        const bool pushed = rbl_array_push(&pool->free_slots, slot);
        RBL_ASSERT(pushed);
        (void)pushed;
    }
}

void rbl_id_pool_shed(rblIdPool* pool)
{
    RBL_ASSERT(pool->alive == 0);
    uint32_t largest = pool->first_generation;
    for (size_t i = 0; i < pool->generations.count; ++i)
    {
        const uint32_t generation = pool->generations.data[i];
        if (generation == 0) // retired: only the table of generations tells
        {
            return;
        }
        largest = generation > largest ? generation : largest;
    }
    pool->first_generation = largest;
    rbl_array_free(&pool->generations);
    rbl_array_free(&pool->free_slots);
}

bool rbl_id_pool_valid(const rblIdPool* pool, uint32_t index1, uint32_t generation)
{
    return index1 != 0 && index1 <= pool->generations.count && (generation & 1) == 1 &&
           pool->generations.data[index1 - 1] == generation;
}
