#include "base/registry.h"

static void prepare(rblRegistry* registry)
{
    if (!registry->ready)
    {
        rbl_id_pool_init(&registry->ids, rbl_default_allocator());
        rbl_array_init(&registry->items, rbl_default_allocator());
        registry->ready = true;
    }
}

static void shed(rblRegistry* registry)
{
    if (registry->ids.alive == 0)
    {
        rbl_id_pool_shed(&registry->ids);
        rbl_array_free(&registry->items);
    }
}

bool rbl_registry_add(rblRegistry* registry, void* item, uint32_t* index1, uint32_t* generation)
{
    prepare(registry);
    uint32_t slot;
    if (!rbl_array_reserve_more(&registry->items, 1) || !rbl_id_pool_take(&registry->ids, &slot, generation))
    {
        shed(registry);
        return false;
    }
    registry->items.count += slot == registry->items.count;
    registry->items.data[slot] = item;
    *index1 = slot + 1;
    return true;
}

void* rbl_registry_find(const rblRegistry* registry, uint32_t index1, uint32_t generation)
{
    const bool valid = registry->ready && rbl_id_pool_valid(&registry->ids, index1, generation);
    return valid ? registry->items.data[index1 - 1] : NULL;
}

void* rbl_registry_remove(rblRegistry* registry, uint32_t index1, uint32_t generation)
{
    void* item = rbl_registry_find(registry, index1, generation);
    if (item != NULL)
    {
        registry->items.data[index1 - 1] = NULL;
        rbl_id_pool_give(&registry->ids, index1 - 1);
        shed(registry);
    }
    return item;
}

uint32_t rbl_registry_alive(const rblRegistry* registry)
{
    return registry->ready ? registry->ids.alive : 0;
}
