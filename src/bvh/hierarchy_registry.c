// Ids of BVHs, and the counts of their users.
#include "base/error.h"
#include "base/registry.h"
#include "bvh/hierarchy.h"

static rblRegistry registry = RBL_REGISTRY_INIT;

rblResult rbl_hierarchy_register(rblHierarchy* hierarchy, rblBvhId* out)
{
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, hierarchy, &out->index1, &out->generation);
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        rbl_hierarchy_free(hierarchy);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static rblResult fail_stale(rblBvhId id)
{
    return rbl_fail(RBL_ERROR_STALE, "bvh: the id %u/%u is null or was destroyed", id.index1, id.generation);
}

rblResult rbl_hierarchy_acquire(rblBvhId id, bool to_change, rblHierarchy** out)
{
    rbl_mutex_lock(&registry.mutex);
    rblHierarchy* hierarchy = rbl_registry_find(&registry, id.index1, id.generation);
    const bool busy = hierarchy != NULL && (hierarchy->changing || (to_change && hierarchy->users > 0));
    if (hierarchy != NULL && !busy)
    {
        hierarchy->users += 1;
        hierarchy->changing = to_change;
    }
    rbl_mutex_unlock(&registry.mutex);
    if (busy)
    {
        return rbl_fail(RBL_ERROR_BUSY, "bvh: the id %u/%u is in use on another thread", id.index1,
                        id.generation);
    }
    *out = hierarchy;
    return hierarchy != NULL ? RBL_OK : fail_stale(id);
}

void rbl_hierarchy_release(rblHierarchy* hierarchy)
{
    rbl_mutex_lock(&registry.mutex);
    hierarchy->users -= 1;
    hierarchy->changing = false;
    const bool last = hierarchy->abandoned && hierarchy->users == 0;
    rbl_mutex_unlock(&registry.mutex);
    if (last)
    {
        rbl_hierarchy_free(hierarchy);
    }
}

rblResult rbl_bvh_destroy(rblBvhId id)
{
    rbl_mutex_lock(&registry.mutex);
    rblHierarchy* hierarchy = rbl_registry_remove(&registry, id.index1, id.generation);
    bool unused = false;
    if (hierarchy != NULL)
    {
        unused = hierarchy->users == 0;
        hierarchy->abandoned = true;
    }
    rbl_mutex_unlock(&registry.mutex);
    if (unused)
    {
        rbl_hierarchy_free(hierarchy);
    }
    return hierarchy != NULL ? RBL_OK : fail_stale(id);
}

uint32_t rbl_bvh_alive_count(void)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t alive = rbl_registry_alive(&registry);
    rbl_mutex_unlock(&registry.mutex);
    return alive;
}
