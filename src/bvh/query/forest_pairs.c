#include "base/error.h"
#include "base/sort.h"
#include "bvh/query/overlap.h"

// Data of rbl_forest_pairs(). The box of a root is represented by the triangle from its lower to its upper corner and
// back, which has the same box: a tree over these triangles finds the overlapping trees.
typedef struct Roots
{
    rblForest forest;
    rblIndexArray names; // per root: index of its tree
    RBL_ARRAY(rblVec3) corners;
    rblLeafPairArray found;
    rblTreePairArray pairs;
    rblIndexArray order, scratch;
} Roots;

static bool gather(Roots* roots, const rblForest* forest)
{
    for (uint32_t i = 0; i < forest->tree_count; ++i)
    {
        const rblTree* tree = &forest->trees[i];
        if (tree->layout.leaves == 0)
        {
            continue;
        }
        const rblAabb box = forest->nodes[tree->first_node];
        if (!rbl_array_push(&roots->names, i) || !rbl_array_push(&roots->corners, box.lower) ||
            !rbl_array_push(&roots->corners, box.upper) || !rbl_array_push(&roots->corners, box.lower))
        {
            return false;
        }
    }
    return true;
}

static bool name_pairs(Roots* roots, bool with_self)
{
    const uint32_t* names = roots->names.data;
    for (size_t i = 0; i < roots->found.count; ++i)
    {
        const uint32_t a = names[roots->forest.order[roots->found.data[i].leaf_a]];
        const uint32_t b = names[roots->forest.order[roots->found.data[i].leaf_b]];
        if (!rbl_array_push(&roots->pairs, ((rblTreePair){a < b ? a : b, a < b ? b : a})))
        {
            return false;
        }
    }
    for (size_t i = 0; i < roots->names.count && with_self; ++i)
    {
        if (!rbl_array_push(&roots->pairs, ((rblTreePair){names[i], names[i]})))
        {
            return false;
        }
    }
    return true;
}

static bool pair_before(uint32_t a, uint32_t b, const void* context)
{
    const rblTreePair* pairs = context;
    return pairs[a].a != pairs[b].a ? pairs[a].a < pairs[b].a : pairs[a].b < pairs[b].b;
}

static bool append_sorted(Roots* roots, rblTreePairArray* out)
{
    const size_t count = roots->pairs.count;
    if (count > UINT32_MAX || !rbl_array_resize(&roots->order, count) ||
        !rbl_array_resize(&roots->scratch, count) || !rbl_array_reserve_more(out, count))
    {
        return false;
    }
    for (size_t i = 0; i < count; ++i)
    {
        roots->order.data[i] = (uint32_t)i;
    }
    rbl_sort_indices(roots->order.data, roots->scratch.data, count, pair_before, roots->pairs.data);
    for (size_t i = 0; i < count; ++i)
    {
        out->data[out->count++] = roots->pairs.data[roots->order.data[i]];
    }
    return true;
}

static rblResult find_pairs(Roots* roots, const rblForest* forest, bool with_self, rblJobs* jobs,
                            rblTreePairArray* out)
{
    if (!gather(roots, forest))
    {
        return rbl_fail_memory();
    }
    const rblTriangleSpan span = {.positions = roots->corners.data,
                                  .stride = sizeof(rblVec3),
                                  .vertex_count = (uint32_t)roots->corners.count,
                                  .triangle_count = (uint32_t)roots->names.count};
    const rblTreePair itself = {0, 0};
    const rblOverlapOptions options = rbl_default_overlap_options();
    RBL_TRY(rbl_forest_build(&roots->forest, &span, 1, RBL_BVH_FAST, jobs));
    RBL_TRY(rbl_overlap_leaves(&roots->forest, &itself, 1, &options, jobs, &roots->found, NULL));
    return name_pairs(roots, with_self) && append_sorted(roots, out) ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_forest_pairs(const rblForest* forest, bool with_self, rblJobs* jobs, rblTreePairArray* out)
{
    const rblAllocator* allocator = out->allocator;
    Roots roots;
    rbl_forest_init(&roots.forest, allocator);
    rbl_array_init(&roots.names, allocator);
    rbl_array_init(&roots.corners, allocator);
    rbl_array_init(&roots.found, allocator);
    rbl_array_init(&roots.pairs, allocator);
    rbl_array_init(&roots.order, allocator);
    rbl_array_init(&roots.scratch, allocator);
    const rblResult result = find_pairs(&roots, forest, with_self, jobs, out);
    rbl_forest_free(&roots.forest);
    rbl_array_free(&roots.names);
    rbl_array_free(&roots.corners);
    rbl_array_free(&roots.found);
    rbl_array_free(&roots.pairs);
    rbl_array_free(&roots.order);
    rbl_array_free(&roots.scratch);
    return result;
}
