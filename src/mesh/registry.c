// Ids of meshes.
#include "base/registry.h"
#include "base/error.h"
#include "mesh/mesh_private.h"

static rblRegistry registry = RBL_REGISTRY_INIT;

rblResult rbl_mesh_register(rblMesh* mesh, rblMeshId* out)
{
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, mesh, &out->index1, &out->generation);
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        rbl_mesh_release(mesh);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static rblResult fail_stale(rblMeshId id)
{
    return rbl_fail(RBL_ERROR_STALE, "mesh: the id %u/%u is null or was destroyed", id.index1, id.generation);
}

rblResult rbl_mesh_acquire(rblMeshId id, rblMesh** out)
{
    rbl_mutex_lock(&registry.mutex);
    rblMesh* mesh = rbl_registry_find(&registry, id.index1, id.generation);
    if (mesh != NULL)
    {
        atomic_fetch_add(&mesh->references, 1);
        *out = mesh;
    }
    rbl_mutex_unlock(&registry.mutex);
    return mesh != NULL ? RBL_OK : fail_stale(id);
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
    rbl_mutex_lock(&registry.mutex);
    rblMesh* mesh = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (mesh == NULL)
    {
        return fail_stale(id);
    }
    rbl_mesh_release(mesh);
    return RBL_OK;
}

uint32_t rbl_mesh_alive_count(void)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t alive = rbl_registry_alive(&registry);
    rbl_mutex_unlock(&registry.mutex);
    return alive;
}
