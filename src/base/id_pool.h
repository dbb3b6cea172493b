// Slots with generations, for ids whose staleness can be detected.
#ifndef RBL_BASE_ID_POOL_H
#define RBL_BASE_ID_POOL_H

#include "base/array.h"

typedef struct rblIdPool
{
    rblIndexArray generations; // per slot; odd while in use, even while free
    rblIndexArray free_slots;  // last one is reused first
    uint32_t alive;
    uint32_t first_generation; // even; the start value of a new slot
} rblIdPool;

void rbl_id_pool_init(rblIdPool* pool, const rblAllocator* allocator);
void rbl_id_pool_free(rblIdPool* pool);

// Allocate a slot. False when out of memory.
bool rbl_id_pool_take(rblIdPool* pool, uint32_t* slot, uint32_t* generation);

// Free a slot; its id is stale from now on.
void rbl_id_pool_give(rblIdPool* pool, uint32_t slot);

// Free the memory of a pool without slots in use, such that no earlier id becomes valid again. A pool that has used all
// generations of a slot (2^31) keeps its memory.
void rbl_id_pool_shed(rblIdPool* pool);

// True when index1 and generation identify a slot in use, which is then index1 - 1.
bool rbl_id_pool_valid(const rblIdPool* pool, uint32_t index1, uint32_t generation);

#endif
