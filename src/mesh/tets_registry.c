// Ids of meshes of tetrahedra: one table for the process, guarded by one lock that is held for a few instructions only.
#include "base/error.h"
#include "base/id_pool.h"
#include "base/thread.h"
#include "mesh/tets_private.h"

static rblMutex registry_mutex = RBL_MUTEX_INIT;
static rblIdPool registry_ids;
static RBL_ARRAY(rblTets*) registry_tets;
static bool registry_ready;

static void prepare_registry(void)
{
    if (!registry_ready)
    {
        rbl_id_pool_init(&registry_ids, rbl_default_allocator());
        rbl_array_init(&registry_tets, rbl_default_allocator());
        registry_ready = true;
    }
}

// With the last one gone the table holds no memory, so that the allocator can be replaced.
static void shed_registry(void)
{
    if (registry_ids.alive == 0)
    {
        rbl_id_pool_shed(&registry_ids);
        rbl_array_free(&registry_tets);
    }
}

static bool add_tets(rblTets* tets, rblTetsId* out)
{
    prepare_registry();
    uint32_t slot;
    uint32_t generation;
    if (!rbl_array_reserve_more(&registry_tets, 1) || !rbl_id_pool_take(&registry_ids, &slot, &generation))
    {
        shed_registry();
        return false;
    }
    registry_tets.count += slot == registry_tets.count;
    registry_tets.data[slot] = tets;
    *out = (rblTetsId){slot + 1, generation};
    return true;
}

rblResult rbl_tets_register(rblTets* tets, rblTetsId* out)
{
    rbl_mutex_lock(&registry_mutex);
    const bool added = add_tets(tets, out);
    rbl_mutex_unlock(&registry_mutex);
    if (!added)
    {
        rbl_tets_release(tets);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static rblResult fail_stale(rblTetsId id)
{
    return rbl_fail(RBL_ERROR_STALE, "id %u/%u of tetrahedra is null or was destroyed", id.index1,
                    id.generation);
}

rblResult rbl_tets_acquire(rblTetsId id, rblTets** out)
{
    rbl_mutex_lock(&registry_mutex);
    const bool valid = registry_ready && rbl_id_pool_valid(&registry_ids, id.index1, id.generation);
    if (valid)
    {
        *out = registry_tets.data[id.index1 - 1];
        atomic_fetch_add(&(*out)->references, 1);
    }
    rbl_mutex_unlock(&registry_mutex);
    return valid ? RBL_OK : fail_stale(id);
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
    rblTets* tets = NULL;
    rbl_mutex_lock(&registry_mutex);
    if (registry_ready && rbl_id_pool_valid(&registry_ids, id.index1, id.generation))
    {
        tets = registry_tets.data[id.index1 - 1];
        registry_tets.data[id.index1 - 1] = NULL;
        rbl_id_pool_give(&registry_ids, id.index1 - 1);
        shed_registry();
    }
    rbl_mutex_unlock(&registry_mutex);
    if (tets == NULL)
    {
        return fail_stale(id);
    }
    rbl_tets_release(tets);
    return RBL_OK;
}

uint32_t rbl_tets_alive_count(void)
{
    rbl_mutex_lock(&registry_mutex);
    const uint32_t alive = registry_ready ? registry_ids.alive : 0;
    rbl_mutex_unlock(&registry_mutex);
    return alive;
}
