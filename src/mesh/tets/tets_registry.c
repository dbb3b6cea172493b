// Ids of meshes of tetrahedra.
#include "base/error.h"
#include "base/registry.h"
#include "mesh/tets/tets_private.h"

static rblRegistry registry = RBL_REGISTRY_INIT;

rblResult rbl_tets_register(rblTets* tets, rblTetsId* out)
{
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, tets, &out->index1, &out->generation);
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        rbl_tets_release(tets);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static rblResult fail_stale(rblTetsId id)
{
    return rbl_fail(RBL_ERROR_STALE, "tetrahedra: the id %u/%u is null or was destroyed", id.index1,
                    id.generation);
}

rblResult rbl_tets_acquire(rblTetsId id, rblTets** out)
{
    rbl_mutex_lock(&registry.mutex);
    rblTets* tets = rbl_registry_find(&registry, id.index1, id.generation);
    if (tets != NULL)
    {
        atomic_fetch_add(&tets->references, 1);
        *out = tets;
    }
    rbl_mutex_unlock(&registry.mutex);
    return tets != NULL ? RBL_OK : fail_stale(id);
}

void rbl_tets_release(rblTets* tets)
{
    if (tets != NULL && atomic_fetch_sub(&tets->references, 1) == 1)
    {
        rbl_tets_free(tets);
    }
}

rblResult rbl_tets_destroy(rblTetsId id)
{
    rbl_mutex_lock(&registry.mutex);
    rblTets* tets = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (tets == NULL)
    {
        return fail_stale(id);
    }
    rbl_tets_release(tets);
    return RBL_OK;
}

uint32_t rbl_tets_alive_count(void)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t alive = rbl_registry_alive(&registry);
    rbl_mutex_unlock(&registry.mutex);
    return alive;
}
