// Mesh ids: one table for the process, guarded by one lock that is held for a few instructions only.
#include "base/error.h"
#include "base/id_pool.h"
#include "base/thread.h"
#include "mesh/mesh_private.h"

static rblMutex registry_mutex = RBL_MUTEX_INIT;
static rblIdPool registry_ids;
static RBL_ARRAY(rblMesh*) registry_meshes;
static bool registry_ready;

static void prepare_registry(void)
{
    if (!registry_ready)
    {
        rbl_id_pool_init(&registry_ids, rbl_default_allocator());
        rbl_array_init(&registry_meshes, rbl_default_allocator());
        registry_ready = true;
    }
}

// With the last mesh gone the table holds no memory, so that the allocator can be replaced.
static void shed_registry(void)
{
    if (registry_ids.alive == 0)
    {
        rbl_id_pool_shed(&registry_ids);
        rbl_array_free(&registry_meshes);
    }
}

static bool add_mesh(rblMesh* mesh, rblMeshId* out)
{
    prepare_registry();
    uint32_t slot;
    uint32_t generation;
    if (!rbl_array_reserve_more(&registry_meshes, 1) || !rbl_id_pool_take(&registry_ids, &slot, &generation))
    {
        shed_registry();
        return false;
    }
    registry_meshes.count += slot == registry_meshes.count;
    registry_meshes.data[slot] = mesh;
    *out = (rblMeshId){slot + 1, generation};
    return true;
}

rblResult rbl_mesh_register(rblMesh* mesh, rblMeshId* out)
{
    rbl_mutex_lock(&registry_mutex);
    const bool added = add_mesh(mesh, out);
    rbl_mutex_unlock(&registry_mutex);
    if (!added)
    {
        rbl_mesh_release(mesh);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static rblResult fail_stale(rblMeshId id)
{
    return rbl_fail(RBL_ERROR_STALE, "mesh id %u/%u is null or was destroyed", id.index1, id.generation);
}

rblResult rbl_mesh_acquire(rblMeshId id, rblMesh** out)
{
    rbl_mutex_lock(&registry_mutex);
    const bool valid = registry_ready && rbl_id_pool_valid(&registry_ids, id.index1, id.generation);
    if (valid)
    {
        *out = registry_meshes.data[id.index1 - 1];
        atomic_fetch_add(&(*out)->references, 1);
    }
    rbl_mutex_unlock(&registry_mutex);
    return valid ? RBL_OK : fail_stale(id);
}

void rbl_mesh_release(rblMesh* mesh)
{
    if (mesh != NULL && atomic_fetch_sub(&mesh->references, 1) == 1)
    {
        rbl_mesh_free(mesh);
    }
}

rblResult rbl_mesh_share(rblMeshId id, rblMeshId* out)
{
    rblMesh* mesh = NULL;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    return rbl_mesh_register(mesh, out);
}

rblResult rbl_mesh_destroy(rblMeshId id)
{
    rblMesh* mesh = NULL;
    rbl_mutex_lock(&registry_mutex);
    if (registry_ready && rbl_id_pool_valid(&registry_ids, id.index1, id.generation))
    {
        mesh = registry_meshes.data[id.index1 - 1];
        registry_meshes.data[id.index1 - 1] = NULL;
        rbl_id_pool_give(&registry_ids, id.index1 - 1);
        shed_registry();
    }
    rbl_mutex_unlock(&registry_mutex);
    if (mesh == NULL)
    {
        return fail_stale(id);
    }
    rbl_mesh_release(mesh);
    return RBL_OK;
}

uint32_t rbl_mesh_alive_count(void)
{
    rbl_mutex_lock(&registry_mutex);
    const uint32_t alive = registry_ready ? registry_ids.alive : 0;
    rbl_mutex_unlock(&registry_mutex);
    return alive;
}
