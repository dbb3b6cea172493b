// Public calls that create and change BVHs; hierarchy_query.c has the queries.
#include "base/def.h"
#include "base/error.h"
#include "bvh/hierarchy.h"

RBL_DEF_KIND(bvh_def, rblBvhDef, "bvh", rbl_default_bvh_def, 0x42564831u);

void rbl_bvh_def_init(rblBvhDef* def, size_t size)
{
    const rblBvhDef defaults = {.quality = RBL_BVH_QUALITY};
    rbl_def_init(&bvh_def, &defaults, def, size);
}

static rblResult read_def(const rblBvhDef* given, rblBvhDef* def)
{
    *def = rbl_default_bvh_def();
    RBL_TRY(rbl_def_read(&bvh_def, given, def));
    if (def->span_count > 0 && def->spans == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: spans must not be null for a span_count of %u",
                        def->span_count);
    }
    if ((int)def->quality < RBL_BVH_FAST || (int)def->quality > RBL_BVH_QUALITY)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: quality is %d, must be 0 to %d", (int)def->quality,
                        RBL_BVH_QUALITY);
    }
    return RBL_OK;
}

static void drop_windings(rblHierarchy* hierarchy)
{
    for (uint32_t i = 0; i < hierarchy->winding_count; ++i)
    {
        rbl_winding_free(&hierarchy->windings[i]);
    }
    RBL_FREE_ARRAY(hierarchy->forest.allocator, hierarchy->windings, hierarchy->winding_count);
    hierarchy->windings = NULL;
    hierarchy->winding_count = 0;
}

static rblResult fill_windings(rblHierarchy* hierarchy)
{
    for (uint32_t i = 0; i < hierarchy->winding_count; ++i)
    {
        RBL_TRY(rbl_winding_build(&hierarchy->windings[i], &hierarchy->trees[i], rbl_default_jobs()));
    }
    return RBL_OK;
}

// One set of moments per tree; when the number of trees does not change, existing sets keep their memory.
static rblResult make_windings(rblHierarchy* hierarchy, uint32_t count)
{
    if (hierarchy->winding_count != count)
    {
        drop_windings(hierarchy);
        const rblAllocator* allocator = hierarchy->forest.allocator;
        hierarchy->windings = RBL_NEW_ARRAY(allocator, rblWinding, count);
        if (hierarchy->windings == NULL && count > 0)
        {
            return rbl_fail_memory();
        }
        for (uint32_t i = 0; i < count; ++i)
        {
            rbl_winding_init(&hierarchy->windings[i], allocator);
        }
        hierarchy->winding_count = count;
    }
    return fill_windings(hierarchy);
}

static void drop_trees(rblHierarchy* hierarchy)
{
    RBL_FREE_ARRAY(hierarchy->forest.allocator, hierarchy->trees, hierarchy->tree_count);
    hierarchy->trees = NULL;
    hierarchy->tree_count = 0;
}

// Views of the trees of the forest. A refit does not move them.
static rblResult view_trees(rblHierarchy* hierarchy)
{
    const uint32_t count = hierarchy->forest.tree_count;
    if (hierarchy->tree_count != count)
    {
        drop_trees(hierarchy);
        hierarchy->trees = RBL_NEW_ARRAY(hierarchy->forest.allocator, rblBvh, count);
        if (hierarchy->trees == NULL && count > 0)
        {
            return rbl_fail_memory();
        }
        hierarchy->tree_count = count;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        hierarchy->trees[i] = rbl_forest_tree(&hierarchy->forest, i);
    }
    return RBL_OK;
}

// After a build or refit: ray trees now, or when enough rays are asked.
static rblResult renew_rays(rblHierarchy* hierarchy)
{
    RBL_TRY(rbl_hierarchy_reserve_rays(hierarchy));
    return hierarchy->rays_at_once ? rbl_hierarchy_make_rays(hierarchy) : RBL_OK;
}

static rblResult build(rblHierarchy* hierarchy, const rblBvhDef* def)
{
    hierarchy->rays_at_once = def->rays;
    rblResult result =
        rbl_forest_build(&hierarchy->forest, def->spans, def->span_count, def->quality, rbl_default_jobs());
    result = result == RBL_OK ? view_trees(hierarchy) : result;
    if (result == RBL_OK)
    {
        result = make_windings(hierarchy, def->winding ? def->span_count : 0);
    }
    result = result == RBL_OK ? renew_rays(hierarchy) : result;
    if (result != RBL_OK)
    {
        rbl_hierarchy_drop_rays(hierarchy);
        drop_windings(hierarchy);
        drop_trees(hierarchy);
        rbl_forest_free(&hierarchy->forest);
    }
    return result;
}

rblResult rbl_bvh_create(const rblBvhDef* given, rblBvhId* out)
{
    rblBvhDef def;
    RBL_TRY(read_def(given, &def));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: out must not be null");
    }
    rblHierarchy* hierarchy = rbl_hierarchy_new(rbl_default_allocator());
    if (hierarchy == NULL)
    {
        return rbl_fail_memory();
    }
    const rblResult result = build(hierarchy, &def);
    if (result != RBL_OK)
    {
        rbl_hierarchy_free(hierarchy);
        return result;
    }
    return rbl_hierarchy_register(hierarchy, out);
}

rblResult rbl_bvh_rebuild(rblBvhId bvh, const rblBvhDef* given)
{
    rblBvhDef def;
    RBL_TRY(read_def(given, &def));
    rblHierarchy* hierarchy;
    RBL_TRY(rbl_hierarchy_acquire(bvh, true, &hierarchy));
    const rblResult result = build(hierarchy, &def);
    rbl_hierarchy_release(hierarchy);
    return result;
}

rblResult rbl_bvh_refit(rblBvhId bvh, const rblTriangleSpan* spans, uint32_t span_count)
{
    if (spans == NULL && span_count > 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: spans must not be null for a span_count of %u", span_count);
    }
    rblHierarchy* hierarchy;
    RBL_TRY(rbl_hierarchy_acquire(bvh, true, &hierarchy));
    rblResult result = rbl_forest_refit(&hierarchy->forest, spans, span_count, rbl_default_jobs());
    if (result == RBL_OK)
    {
        result = fill_windings(hierarchy);
        const rblResult renewed = renew_rays(hierarchy); // in any case: old ray trees must go
        result = result == RBL_OK ? renewed : result;
    }
    rbl_hierarchy_release(hierarchy);
    return result;
}

rblResult rbl_bvh_stats(rblBvhId bvh, rblBvhStats* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: out must not be null");
    }
    rblHierarchy* hierarchy;
    RBL_TRY(rbl_hierarchy_acquire(bvh, false, &hierarchy));
    const rblForest* forest = &hierarchy->forest;
    rblBvhStats stats = {.span_count = forest->tree_count,
                         .triangle_count = forest->leaf_count,
                         .node_count = forest->node_count};
    stats.bytes = sizeof(rblAabb) * forest->node_count +
                  (sizeof(uint32_t) + sizeof(rblLeafTriangle)) * forest->leaf_count;
    for (uint32_t i = 0; i < forest->tree_count; ++i)
    {
        const rblBvh* tree = &hierarchy->trees[i];
        const uint32_t levels = tree->layout.leaves > 0 ? tree->layout.leaf_level + 1 : 0;
        stats.level_count = levels > stats.level_count ? levels : stats.level_count;
        stats.sah += rbl_tree_sah(tree);
    }
    for (uint32_t i = 0; i < hierarchy->winding_count; ++i)
    {
        stats.bytes += sizeof(rblWindingGroup) * hierarchy->windings[i].group_count;
    }
    stats.bytes += rbl_hierarchy_ray_bytes(hierarchy);
    rbl_hierarchy_release(hierarchy);
    *out = stats;
    return RBL_OK;
}
