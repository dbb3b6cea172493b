// A table from ids to objects of one kind, one per process. The owner of a registry locks its mutex around every call,
// for a few instructions only.
#ifndef RBL_BASE_REGISTRY_H
#define RBL_BASE_REGISTRY_H

#include "base/id_pool.h"
#include "base/thread.h"

typedef struct rblRegistry
{
    rblMutex mutex;
    rblIdPool ids;
    RBL_ARRAY(void*) items; // by slot; null for a free slot
    bool ready;
} rblRegistry;

#define RBL_REGISTRY_INIT                                                                                    \
    {                                                                                                        \
        .mutex = RBL_MUTEX_INIT                                                                              \
    }

// False when out of memory. The two numbers are the item's id.
bool rbl_registry_add(rblRegistry* registry, void* item, uint32_t* index1, uint32_t* generation);

// Null: the id is stale.
void* rbl_registry_find(const rblRegistry* registry, uint32_t index1, uint32_t generation);

// The same, and the id is stale from now on. When the last item is removed the table frees its memory, so that the
// allocator can be replaced.
void* rbl_registry_remove(rblRegistry* registry, uint32_t index1, uint32_t generation);

uint32_t rbl_registry_alive(const rblRegistry* registry);

#endif
