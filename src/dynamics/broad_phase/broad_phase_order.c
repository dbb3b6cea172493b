// Order of the leaves when a tree of proxies is rebuilt.
#include "bvh/build/order.h"
#include "dynamics/broad_phase/broad_phase_tree.h"
#include "math/vec.h"
#include <string.h>

// ---- tuning ----
// These affect speed only.
#define MIN_RANGE 2048 // proxies per block of a parallel loop
#define SAMPLES   64   // boxes sampled for the median size
#define BIG                                                                                                  \
    8.0f // times the median size: larger boxes go to the end of the order, because they enlarge every group

typedef struct Rebuild
{
    const rblAabb* boxes;
    uint32_t* proxies; // proxies in use; large ones last
    uint32_t* spare;   // buffer of the same size
    uint32_t* order;
    uint64_t* keys;     // sort keys, two buffers
    uint32_t* counters; // counters of the sort, for many proxies
    rblVec3* centers;
    uint32_t* corners; // three equal vertex indices per centre: a triangle that is a point
    uint32_t count;
    uint32_t begin; // first index of the part of `proxies` that is sorted
    rblAabb usual;  // bounds of most centres; other centres are clamped to them
    float big;
} Rebuild;

// ---- bounds of most boxes ----

static void sort_samples(float* samples, uint32_t count)
{
    for (uint32_t i = 1; i < count; ++i)
    {
        const float x = samples[i];
        uint32_t k = i;
        for (; k > 0 && x < samples[k - 1]; --k)
        {
            samples[k] = samples[k - 1];
        }
        samples[k] = x;
    }
}

static float longest_side(rblAabb box)
{
    const rblVec3 size = rbl_aabb_size(box);
    return rbl_maxf(size.x, rbl_maxf(size.y, size.z));
}

typedef struct Span
{
    float middle, length;
} Span;

// The interval that contains most samples. A few bodies that moved far away must not coarsen the grid for all others. So the
// outer sixteenths count only when all other samples are equal.
static Span central_span(float* samples, uint32_t count)
{
    sort_samples(samples, count);
    const uint32_t cut = count / 16;
    float low = samples[cut];
    float high = samples[count - 1 - cut];
    if (!(low < high))
    {
        low = samples[0];
        high = samples[count - 1];
    }
    return (Span){0.5f * low + 0.5f * high, high - low};
}

// Set the bounds to a cube with three times the longest interval.
static void find_bounds(Rebuild* rebuild)
{
    float values[4][SAMPLES];
    const uint32_t count = rebuild->count < SAMPLES ? rebuild->count : SAMPLES;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblAabb box = rebuild->boxes[rebuild->proxies[(uint64_t)i * rebuild->count / count]];
        const rblVec3 center = rbl_aabb_center(box);
        values[0][i] = center.x;
        values[1][i] = center.y;
        values[2][i] = center.z;
        values[3][i] = longest_side(box);
    }
    const Span x = central_span(values[0], count);
    const Span y = central_span(values[1], count);
    const Span z = central_span(values[2], count);
    sort_samples(values[3], count);
    const float longest = rbl_maxf(x.length, rbl_maxf(y.length, z.length));
    const float half = 1.5f * longest;
    rebuild->usual.lower = rbl_vec3(x.middle - half, y.middle - half, z.middle - half);
    rebuild->usual.upper = rbl_vec3(x.middle + half, y.middle + half, z.middle + half);
    rebuild->big = BIG * values[3][count / 2];
}

// ---- order ----

static void separate_large(Rebuild* rebuild, uint32_t* usual)
{
    uint32_t small = 0;
    uint32_t big = 0;
    for (uint32_t i = 0; i < rebuild->count; ++i)
    {
        const uint32_t proxy = rebuild->proxies[i];
        if (longest_side(rebuild->boxes[proxy]) <= rebuild->big)
        {
            rebuild->proxies[small++] = proxy;
        }
        else
        {
            rebuild->spare[big++] = proxy;
        }
    }
    if (big > 0)
    {
        memcpy(rebuild->proxies + small, rebuild->spare, sizeof *rebuild->spare * big);
    }
    *usual = small;
}

static void place_centers(rblRange range, void* context)
{
    const Rebuild* rebuild = context;
    const rblAabb usual = rebuild->usual;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblVec3 center = rbl_aabb_center(rebuild->boxes[rebuild->proxies[rebuild->begin + i]]);
        rebuild->centers[i] = rbl_min3(rbl_max3(center, usual.lower), usual.upper);
        rebuild->corners[3 * i] = rebuild->corners[3 * i + 1] = rebuild->corners[3 * i + 2] = i;
    }
}

static void order_part(Rebuild* rebuild, uint32_t begin, uint32_t count, rblJobs* jobs)
{
    if (count == 0)
    {
        return;
    }
    rebuild->begin = begin;
    rbl_parallel_for(jobs, count, MIN_RANGE, place_centers, rebuild);
    const rblTriangleSpan span = {
        .positions = rebuild->centers,
        .stride = sizeof *rebuild->centers,
        .vertex_count = count,
        .indices = rebuild->corners,
        .triangle_count = count,
    };
    const rblOrdering ordering = {.span = &span,
                                  .bounds = rebuild->usual,
                                  .jobs = count < MIN_RANGE ? rbl_serial_jobs() : jobs,
                                  .keys = rebuild->keys,
                                  .counters = rebuild->counters,
                                  .order = rebuild->order};
    (void)rbl_order_top_down(&ordering, 1); // cannot fail: all points are finite
    memcpy(rebuild->spare, rebuild->proxies + begin, sizeof *rebuild->spare * count);
    for (uint32_t i = 0; i < count; ++i)
    {
        rebuild->proxies[begin + i] = rebuild->spare[rebuild->order[i]];
    }
}

static bool reserve_scratch(rblTreeScratch* scratch, size_t size, const rblAllocator* allocator)
{
    if (scratch->size < size)
    {
        void* memory = rbl_alloc(allocator, size);
        if (memory == NULL)
        {
            return false;
        }
        rbl_free(allocator, scratch->memory, scratch->size);
        *scratch = (rblTreeScratch){memory, size};
    }
    return true;
}

// Remove empty leaves, in the current order of leaves.
static void remove_empty_leaves(rblProxyTree* tree)
{
    uint32_t kept = 0;
    for (uint32_t leaf = 0; leaf < tree->count; ++leaf)
    {
        if (tree->proxies[leaf] != RBL_NO_PROXY)
        {
            tree->proxies[kept++] = tree->proxies[leaf];
        }
    }
    tree->count = kept;
}

bool rbl_proxy_tree_rebuild(rblProxyTree* tree, const rblAabb* boxes, const uint8_t* flags, uint8_t mark,
                            uint32_t* leaves, rblTreeScratch* scratch, rblJobs* jobs)
{
    const size_t leaf_capacity =
        tree->capacity; // of all leaves, not only those in use, so that later additions allocate nothing
    const size_t counters = leaf_capacity > RBL_SMALL_TREE ? RBL_ORDER_COUNTERS : 0;
    const size_t each = 2 * sizeof(uint64_t) + sizeof(rblVec3) + 5 * sizeof(uint32_t);
    if (!reserve_scratch(scratch, leaf_capacity * each + counters * sizeof(uint32_t), tree->allocator))
    {
        return false;
    }
    remove_empty_leaves(tree);
    Rebuild rebuild = {.boxes = boxes, .proxies = tree->proxies, .count = tree->count};
    rebuild.keys = scratch->memory;
    rebuild.centers = (rblVec3*)(void*)(rebuild.keys + 2 * leaf_capacity);
    rebuild.corners = (uint32_t*)(void*)(rebuild.centers + leaf_capacity);
    rebuild.spare = rebuild.corners + 3 * leaf_capacity;
    rebuild.order = rebuild.spare + leaf_capacity;
    rebuild.counters = rebuild.order + leaf_capacity;
    if (tree->count > 0)
    {
        uint32_t usual;
        find_bounds(&rebuild);
        separate_large(&rebuild, &usual);
        order_part(&rebuild, 0, usual, jobs);
        order_part(&rebuild, usual, tree->count - usual, jobs);
    }
    for (uint32_t leaf = 0; leaf < tree->count; ++leaf)
    {
        leaves[tree->proxies[leaf]] = leaf;
    }
    rbl_proxy_tree_refill(tree, boxes, flags, mark, jobs);
    tree->changes = 0;
    tree->built_cost = rbl_proxy_tree_cost(tree);
    return true;
}
