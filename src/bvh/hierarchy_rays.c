// The ray trees of a hierarchy: made with its trees, or by the query that brings the number of rays to where they pay.
#include "base/error.h"
#include "bvh/hierarchy.h"

// Making a ray tree costs what it saves for about one ray for every eight triangles.
#define TRIANGLES_PER_RAY 8

rblResult rbl_hierarchy_reserve_rays(rblHierarchy* hierarchy)
{
    const uint32_t count = hierarchy->tree_count;
    atomic_store_explicit(&hierarchy->ray_state, RBL_RAYS_NONE, memory_order_relaxed);
    atomic_store_explicit(&hierarchy->rays_asked, 0, memory_order_relaxed);
    if (hierarchy->ray_tree_count != count)
    {
        rbl_hierarchy_drop_rays(hierarchy);
        const rblAllocator* allocator = hierarchy->forest.allocator;
        hierarchy->ray_trees = RBL_NEW_ARRAY(allocator, rblRayTree, count);
        if (hierarchy->ray_trees == NULL && count > 0)
        {
            return rbl_fail_memory();
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            rbl_ray_tree_init(&hierarchy->ray_trees[i], allocator);
        }
        hierarchy->ray_tree_count = count;
    }
    return RBL_OK;
}

void rbl_hierarchy_drop_rays(rblHierarchy* hierarchy)
{
    for (uint32_t i = 0; i < hierarchy->ray_tree_count; ++i)
    {
        rbl_ray_tree_free(&hierarchy->ray_trees[i]);
    }
    RBL_FREE_ARRAY(hierarchy->forest.allocator, hierarchy->ray_trees, hierarchy->ray_tree_count);
    hierarchy->ray_trees = NULL;
    hierarchy->ray_tree_count = 0;
    atomic_store_explicit(&hierarchy->ray_state, RBL_RAYS_NONE, memory_order_relaxed);
}

rblResult rbl_hierarchy_make_rays(rblHierarchy* hierarchy)
{
    for (uint32_t i = 0; i < hierarchy->ray_tree_count; ++i)
    {
        RBL_TRY(rbl_ray_tree_build(&hierarchy->ray_trees[i], &hierarchy->trees[i], rbl_default_jobs()));
    }
    atomic_store_explicit(&hierarchy->ray_state, RBL_RAYS_READY, memory_order_release);
    return RBL_OK;
}

const rblRayTree* rbl_hierarchy_ask_rays(rblHierarchy* hierarchy, uint32_t count)
{
    int state = atomic_load_explicit(&hierarchy->ray_state, memory_order_acquire);
    if (state == RBL_RAYS_NONE)
    {
        const uint64_t asked =
            count + atomic_fetch_add_explicit(&hierarchy->rays_asked, count, memory_order_relaxed);
        // One thread makes them; others use the binary trees until it is done, and without memory until the next change.
        if (asked >= hierarchy->forest.leaf_count / TRIANGLES_PER_RAY &&
            atomic_compare_exchange_strong_explicit(&hierarchy->ray_state, &state, RBL_RAYS_IN_WORK,
                                                    memory_order_acquire, memory_order_acquire))
        {
            state = RBL_RAYS_READY;
            if (rbl_hierarchy_make_rays(hierarchy) != RBL_OK)
            {
                state = RBL_RAYS_FAILED;
                atomic_store_explicit(&hierarchy->ray_state, RBL_RAYS_FAILED, memory_order_relaxed);
            }
        }
    }
    return state == RBL_RAYS_READY ? hierarchy->ray_trees : NULL;
}

size_t rbl_hierarchy_ray_bytes(rblHierarchy* hierarchy)
{
    size_t bytes = 0;
    if (atomic_load_explicit(&hierarchy->ray_state, memory_order_acquire) == RBL_RAYS_READY)
    {
        for (uint32_t i = 0; i < hierarchy->ray_tree_count; ++i)
        {
            bytes += sizeof(rblRayNode) * hierarchy->ray_trees[i].node_count +
                     sizeof(rblRayBlock) * hierarchy->ray_trees[i].block_count;
        }
    }
    return bytes;
}
