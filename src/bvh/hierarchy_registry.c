// Hierarchy ids: one table for the process, guarded by one lock that is held for a few instructions only.
#include "base/error.h"
#include "base/id_pool.h"
#include "base/thread.h"
#include "bvh/hierarchy.h"

static rblMutex registry_mutex = RBL_MUTEX_INIT;
static rblIdPool registry_ids;
static RBL_ARRAY(rblHierarchy*) registry_items;
static bool registry_ready;

static void prepare_registry(void)
{
    if (!registry_ready)
    {
        rbl_id_pool_init(&registry_ids, rbl_default_allocator());
        rbl_array_init(&registry_items, rbl_default_allocator());
        registry_ready = true;
    }
}

// With the last one gone the table holds no memory, so that the allocator can be replaced.
static void shed_registry(void)
{
    if (registry_ids.alive == 0)
    {
        rbl_id_pool_shed(&registry_ids);
        rbl_array_free(&registry_items);
    }
}

static bool add_item(rblHierarchy* hierarchy, rblBvhId* out)
{
    prepare_registry();
    uint32_t slot;
    uint32_t generation;
    if (!rbl_array_reserve_more(&registry_items, 1) || !rbl_id_pool_take(&registry_ids, &slot, &generation))
    {
        shed_registry();
        return false;
    }
    registry_items.count += slot == registry_items.count;
    registry_items.data[slot] = hierarchy;
    *out = (rblBvhId){slot + 1, generation};
    return true;
}

rblResult rbl_hierarchy_register(rblHierarchy* hierarchy, rblBvhId* out)
{
    rbl_mutex_lock(&registry_mutex);
    const bool added = add_item(hierarchy, out);
    rbl_mutex_unlock(&registry_mutex);
    if (!added)
    {
        rbl_hierarchy_free(hierarchy);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static rblHierarchy* find_item(rblBvhId id)
{
    const bool valid = registry_ready && rbl_id_pool_valid(&registry_ids, id.index1, id.generation);
    return valid ? registry_items.data[id.index1 - 1] : NULL;
}

static rblResult fail_stale(rblBvhId id)
{
    return rbl_fail(RBL_ERROR_STALE, "bvh id %u/%u is null or was destroyed", id.index1, id.generation);
}

rblResult rbl_hierarchy_acquire(rblBvhId id, bool to_change, rblHierarchy** out)
{
    rbl_mutex_lock(&registry_mutex);
    rblHierarchy* hierarchy = find_item(id);
    const bool busy = hierarchy != NULL && (hierarchy->changing || (to_change && hierarchy->users > 0));
    if (hierarchy != NULL && !busy)
    {
        hierarchy->users += 1;
        hierarchy->changing = to_change;
    }
    rbl_mutex_unlock(&registry_mutex);
    if (busy)
    {
        return rbl_fail(RBL_ERROR_BUSY, "bvh id %u/%u is in use on another thread", id.index1, id.generation);
    }
    *out = hierarchy;
    return hierarchy != NULL ? RBL_OK : fail_stale(id);
}

void rbl_hierarchy_release(rblHierarchy* hierarchy)
{
    rbl_mutex_lock(&registry_mutex);
    hierarchy->users -= 1;
    hierarchy->changing = false;
    const bool last = hierarchy->abandoned && hierarchy->users == 0;
    rbl_mutex_unlock(&registry_mutex);
    if (last)
    {
        rbl_hierarchy_free(hierarchy);
    }
}

rblResult rbl_bvh_destroy(rblBvhId id)
{
    rbl_mutex_lock(&registry_mutex);
    rblHierarchy* hierarchy = find_item(id);
    bool unused = false;
    if (hierarchy != NULL)
    {
        unused = hierarchy->users == 0;
        hierarchy->abandoned = true;
        registry_items.data[id.index1 - 1] = NULL;
        rbl_id_pool_give(&registry_ids, id.index1 - 1);
        shed_registry();
    }
    rbl_mutex_unlock(&registry_mutex);
    if (unused)
    {
        rbl_hierarchy_free(hierarchy);
    }
    return hierarchy != NULL ? RBL_OK : fail_stale(id);
}

uint32_t rbl_bvh_alive_count(void)
{
    rbl_mutex_lock(&registry_mutex);
    const uint32_t alive = registry_ready ? registry_ids.alive : 0;
    rbl_mutex_unlock(&registry_mutex);
    return alive;
}
