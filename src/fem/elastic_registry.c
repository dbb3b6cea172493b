// Ids of elastic solids.
#include "base/error.h"
#include "base/registry.h"
#include "fem/elastic.h"

static rblRegistry registry = RBL_REGISTRY_INIT;

rblResult rbl_elastic_register(rblElastic* elastic, rblElasticId* out)
{
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, elastic, &out->index1, &out->generation);
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        rbl_elastic_release(elastic);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static rblResult fail_stale(rblElasticId id)
{
    return rbl_fail(RBL_ERROR_STALE, "elastic solid: the id %u/%u is null or was destroyed", id.index1,
                    id.generation);
}

rblResult rbl_elastic_acquire(rblElasticId id, rblElastic** out)
{
    rbl_mutex_lock(&registry.mutex);
    rblElastic* elastic = rbl_registry_find(&registry, id.index1, id.generation);
    if (elastic != NULL)
    {
        rbl_elastic_retain(elastic);
        *out = elastic;
    }
    rbl_mutex_unlock(&registry.mutex);
    return elastic != NULL ? RBL_OK : fail_stale(id);
}

rblResult rbl_elastic_destroy(rblElasticId id)
{
    rbl_mutex_lock(&registry.mutex);
    rblElastic* elastic = rbl_registry_remove(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (elastic == NULL)
    {
        return fail_stale(id);
    }
    rbl_elastic_release(elastic);
    return RBL_OK;
}

uint32_t rbl_elastic_alive_count(void)
{
    rbl_mutex_lock(&registry.mutex);
    const uint32_t alive = rbl_registry_alive(&registry);
    rbl_mutex_unlock(&registry.mutex);
    return alive;
}
