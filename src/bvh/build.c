#include "base/error.h"
#include "bvh/bvh.h"
#include "bvh/order.h"
#include "bvh/radix_sort.h"
#include "math/simd.h"
#include "math/vec.h"

#define MIN_RANGE 4096

typedef struct Build
{
    rblBvh* bvh;
    const rblTriangleSpan* span;
    rblJobs* jobs;
    rblAabb block_bounds[RBL_MAX_BLOCKS];
    uint32_t block_offender[RBL_MAX_BLOCKS]; // first bad vertex or triangle of each block, UINT32_MAX: none
    rblVec3 origin;                          // of the centroid grid
    rblVec3 scale;                           // grid steps per metre; 0 on a flat axis
    uint32_t index_bits;                     // low bits of a packed key
    uint32_t axis_bits;                      // of the Morton code
    uint64_t* packed;                        // code << index_bits | triangle
    rblLeafKey* keys;
    uint32_t level;
} Build;

static inline rblVec3 vertex(const rblTriangleSpan* span, uint32_t v)
{
    const float* p = (const float*)((const char*)span->positions + v * span->position_stride);
    return (rblVec3){p[0], p[1], p[2]};
}

static inline rblLeafTriangle triangle(const rblTriangleSpan* span, uint32_t t)
{
    if (span->indices == NULL)
    {
        return (rblLeafTriangle){vertex(span, 3 * t), vertex(span, 3 * t + 1), vertex(span, 3 * t + 2)};
    }
    const uint32_t* corners = span->indices + 3 * (size_t)t;
    return (rblLeafTriangle){vertex(span, corners[0]), vertex(span, corners[1]), vertex(span, corners[2])};
}

static inline rblAabb triangle_box(const rblLeafTriangle* t)
{
    return (rblAabb){rbl_min3(rbl_min3(t->a, t->b), t->c), rbl_max3(rbl_max3(t->a, t->b), t->c)};
}

static inline rblAabb merge(const rblAabb* a, const rblAabb* b)
{
    return (rblAabb){rbl_min3(a->lower, b->lower), rbl_max3(a->upper, b->upper)};
}

static const rblAabb empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static void bound_vertices(rblRange range, void* context)
{
    Build* build = context;
    rblAabb bounds = empty_box;
    uint32_t offender = UINT32_MAX;
    for (uint32_t v = range.end; v-- > range.begin;)
    {
        const rblVec3 p = vertex(build->span, v);
        bounds.lower = rbl_min3(p, bounds.lower);
        bounds.upper = rbl_max3(p, bounds.upper);
        if (!rbl_finite3(p))
        {
            offender = v;
        }
    }
    build->block_bounds[range.block] = bounds;
    build->block_offender[range.block] = offender;
}

static void check_indices(rblRange range, void* context)
{
    Build* build = context;
    const uint32_t vertices = build->span->vertex_count;
    const uint32_t* indices = build->span->indices;
    uint32_t offender = UINT32_MAX;
    for (uint32_t i = range.end; i-- > range.begin;)
    {
        const uint32_t* t = indices + 3 * (size_t)i;
        if (t[0] >= vertices || t[1] >= vertices || t[2] >= vertices)
        {
            offender = i;
        }
    }
    build->block_offender[range.block] = offender;
}

static uint32_t first_offender(const Build* build, uint32_t count)
{
    const uint32_t blocks = rbl_block_count(count, MIN_RANGE);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        if (build->block_offender[b] != UINT32_MAX)
        {
            return build->block_offender[b];
        }
    }
    return UINT32_MAX;
}

static rblResult check_span(const rblTriangleSpan* span)
{
    const uint32_t needed = span->indices == NULL ? 3 : 1;
    if (span->triangle_count > RBL_MAX_LEAVES)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "bvh: %u triangles, more than 2^30", span->triangle_count);
    }
    if (span->triangle_count > 0 && (span->positions == NULL || span->vertex_count < needed))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: %u triangles but no vertices", span->triangle_count);
    }
    if (span->position_stride < 12 || span->position_stride % 4 != 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: position_stride is %zu, must be a multiple of 4 from 12",
                        span->position_stride);
    }
    if (span->indices == NULL && span->vertex_count / 3 < span->triangle_count)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "bvh: %u triangles without indices need %zu vertices, there are %u",
                        span->triangle_count, 3 * (size_t)span->triangle_count, span->vertex_count);
    }
    return RBL_OK;
}

static rblResult check_content(Build* build, rblAabb* bounds)
{
    const rblTriangleSpan* span = build->span;
    rbl_parallel_for(build->jobs, span->vertex_count, MIN_RANGE, bound_vertices, build);
    const uint32_t bad_vertex = first_offender(build, span->vertex_count);
    if (bad_vertex != UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: vertex %u is not finite", bad_vertex);
    }
    *bounds = empty_box;
    for (uint32_t b = 0; b < rbl_block_count(span->vertex_count, MIN_RANGE); ++b)
    {
        *bounds = merge(bounds, &build->block_bounds[b]);
    }
    if (span->indices != NULL)
    {
        rbl_parallel_for(build->jobs, span->triangle_count, MIN_RANGE, check_indices, build);
        const uint32_t bad = first_offender(build, span->triangle_count);
        if (bad != UINT32_MAX)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: triangle %u names a vertex beyond %u", bad,
                            span->vertex_count);
        }
    }
    return RBL_OK;
}

// ---- keys ----

// Twice the centroid of the box in grid steps. Twice, and the grid spans twice the bounds: no multiplication is lost.
static inline uint32_t quantise(float x, float origin, float scale, float highest)
{
    const float q = (x - origin) * scale;
    return (uint32_t)rbl_clampf(q, 0.0f, highest);
}

static inline uint64_t spread_bits(uint64_t x)
{
    x = (x | x << 32) & 0x1F00000000FFFFu;
    x = (x | x << 16) & 0x1F0000FF0000FFu;
    x = (x | x << 8) & 0x100F00F00F00F00Fu;
    x = (x | x << 4) & 0x10C30C30C30C30C3u;
    return (x | x << 2) & 0x1249249249249249u;
}

static inline rblVec3 twice_centroid(const Build* build, uint32_t t)
{
    const rblLeafTriangle corners = triangle(build->span, t);
    const rblAabb box = triangle_box(&corners);
    return rbl_add3(box.lower, box.upper);
}

static void make_codes(rblRange range, void* context)
{
    Build* build = context;
    const float highest = (float)((1u << build->axis_bits) - 1);
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        const rblVec3 c = twice_centroid(build, t);
        const uint64_t code = spread_bits(quantise(c.x, build->origin.x, build->scale.x, highest)) |
                              spread_bits(quantise(c.y, build->origin.y, build->scale.y, highest)) << 1 |
                              spread_bits(quantise(c.z, build->origin.z, build->scale.z, highest)) << 2;
        build->packed[t] = code << build->index_bits | t;
    }
}

static void make_keys(rblRange range, void* context)
{
    Build* build = context;
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        const rblVec3 c = twice_centroid(build, t);
        build->keys[t] = (rblLeafKey){
            .axis = {(uint16_t)quantise(c.x, build->origin.x, build->scale.x, 65535.0f),
                     (uint16_t)quantise(c.y, build->origin.y, build->scale.y, 65535.0f),
                     (uint16_t)quantise(c.z, build->origin.z, build->scale.z, 65535.0f)},
            .triangle = t,
        };
    }
}

// One scale for all axes, so that "longest" means the same in grid steps as in metres.
static void choose_grid(Build* build, const rblAabb* bounds, uint32_t axis_bits)
{
    const rblVec3 size = rbl_sub3(bounds->upper, bounds->lower);
    const float longest = rbl_maxf(size.x, rbl_maxf(size.y, size.z));
    const float scale = longest > 0.0f ? (float)(1u << axis_bits) / (2.0f * longest) : 0.0f;
    build->axis_bits = axis_bits;
    build->origin = rbl_scale3(bounds->lower, 2.0f);
    build->scale = (rblVec3){scale, scale, scale};
}

static rblResult order_fast(Build* build, const rblAabb* bounds)
{
    const uint32_t count = build->span->triangle_count;
    const rblAllocator* allocator = build->bvh->allocator;
    build->index_bits = rbl_ceil_log2(count);
    const uint32_t room = (64 - build->index_bits) / 3;
    choose_grid(build, bounds, count < 2000000 ? 10 : (room < 21 ? room : 21));
    const size_t histogram_size = RBL_RADIX_HISTOGRAM_SIZE(rbl_jobs_worker_count(build->jobs));
    uint64_t* items = RBL_NEW_ARRAY(allocator, uint64_t, 2 * (size_t)count);
    uint32_t* histograms = RBL_NEW_ARRAY(allocator, uint32_t, histogram_size);
    const bool ok = items != NULL && histograms != NULL;
    if (ok)
    {
        build->packed = items;
        rbl_parallel_for(build->jobs, count, MIN_RANGE, make_codes, build);
        const uint64_t* sorted = rbl_radix_sort(build->jobs, items, items + count, count, build->index_bits,
                                                3 * build->axis_bits, histograms);
        for (uint32_t i = 0; i < count; ++i)
        {
            build->bvh->order[i] = (uint32_t)sorted[i] & ((1u << build->index_bits) - 1);
        }
    }
    RBL_FREE_ARRAY(allocator, items, 2 * (size_t)count);
    RBL_FREE_ARRAY(allocator, histograms, histogram_size);
    return ok ? RBL_OK : rbl_fail_memory();
}

static rblResult order_top_down(Build* build, const rblAabb* bounds, uint32_t smallest)
{
    const uint32_t count = build->span->triangle_count;
    const rblAllocator* allocator = build->bvh->allocator;
    choose_grid(build, bounds, 16);
    build->keys = RBL_NEW_ARRAY(allocator, rblLeafKey, 2 * (size_t)count);
    if (build->keys == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_parallel_for(build->jobs, count, MIN_RANGE, make_keys, build);
    rbl_order_top_down(build->jobs, &build->bvh->layout, build->keys, build->keys + count, smallest,
                       build->bvh->order);
    RBL_FREE_ARRAY(allocator, build->keys, 2 * (size_t)count);
    return RBL_OK;
}

// ---- boxes ----

static void fill_leaves(rblRange range, void* context)
{
    Build* build = context;
    rblBvh* bvh = build->bvh;
    rblAabb* leaves = bvh->nodes + bvh->node_count - bvh->layout.leaves;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblLeafTriangle corners = triangle(build->span, bvh->order[i]);
        bvh->triangles[i] = corners;
        leaves[i] = triangle_box(&corners);
    }
}

static void merge_children(rblRange range, void* context)
{
    Build* build = context;
    const rblTreeLayout* layout = &build->bvh->layout;
    rblAabb* parents = build->bvh->nodes + rbl_tree_level_start(layout, build->level);
    const rblAabb* children = build->bvh->nodes + rbl_tree_level_start(layout, build->level + 1);
    const uint32_t child_count = rbl_tree_real_on_level(layout, build->level + 1);
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        parents[i] =
            2 * i + 1 < child_count ? merge(&children[2 * i], &children[2 * i + 1]) : children[2 * i];
    }
}

static void fill_boxes(Build* build)
{
    const rblTreeLayout* layout = &build->bvh->layout;
    rbl_parallel_for(build->jobs, layout->leaves, MIN_RANGE, fill_leaves, build);
    for (build->level = layout->leaf_level; build->level-- > 0;)
    {
        rbl_parallel_for(build->jobs, rbl_tree_real_on_level(layout, build->level), MIN_RANGE, merge_children,
                         build);
    }
}

void rbl_bvh_free(rblBvh* bvh)
{
    RBL_FREE_ARRAY(bvh->allocator, bvh->nodes, bvh->node_count);
    RBL_FREE_ARRAY(bvh->allocator, bvh->order, bvh->layout.leaves);
    RBL_FREE_ARRAY(bvh->allocator, bvh->triangles, bvh->layout.leaves);
    *bvh = (rblBvh){.allocator = bvh->allocator};
}

static rblResult build_tree(Build* build, rblBvhQuality quality)
{
    rblAabb bounds;
    RBL_TRY(check_content(build, &bounds));
    rblBvh* bvh = build->bvh;
    bvh->layout = rbl_tree_layout(build->span->triangle_count);
    bvh->node_count = rbl_tree_node_count(&bvh->layout);
    bvh->nodes = RBL_NEW_ARRAY(bvh->allocator, rblAabb, bvh->node_count);
    bvh->order = RBL_NEW_ARRAY(bvh->allocator, uint32_t, bvh->layout.leaves);
    bvh->triangles = RBL_NEW_ARRAY(bvh->allocator, rblLeafTriangle, bvh->layout.leaves);
    if (bvh->nodes == NULL || bvh->order == NULL || bvh->triangles == NULL)
    {
        return rbl_fail_memory();
    }
    RBL_TRY(quality == RBL_BVH_FAST ? order_fast(build, &bounds)
                                    : order_top_down(build, &bounds, quality == RBL_BVH_QUALITY ? 1 : 64));
    fill_boxes(build);
    return RBL_OK;
}

rblResult rbl_bvh_build(rblBvh* bvh, const rblTriangleSpan* span, rblBvhQuality quality, rblJobs* jobs,
                        const rblAllocator* allocator)
{
    *bvh = (rblBvh){.allocator = allocator};
    RBL_TRY(check_span(span));
    if (span->triangle_count == 0)
    {
        return RBL_OK;
    }
    Build build = {.bvh = bvh, .span = span, .jobs = jobs};
    const rblResult result = build_tree(&build, quality);
    if (result != RBL_OK)
    {
        rbl_bvh_free(bvh);
    }
    return result;
}

rblResult rbl_bvh_refit(rblBvh* bvh, const rblTriangleSpan* span, rblJobs* jobs)
{
    RBL_TRY(check_span(span));
    if (span->triangle_count != bvh->layout.leaves)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: refit with %u triangles, built with %u",
                        span->triangle_count, bvh->layout.leaves);
    }
    Build build = {.bvh = bvh, .span = span, .jobs = jobs};
    rblAabb bounds;
    RBL_TRY(check_content(&build, &bounds));
    fill_boxes(&build);
    return RBL_OK;
}

static double half_area(const rblAabb* box)
{
    const rblVec3d s = rbl_to_double3(rbl_sub3(box->upper, box->lower));
    return s.x * s.y + s.y * s.z + s.z * s.x;
}

double rbl_bvh_sah(const rblBvh* bvh)
{
    if (bvh->node_count == 0)
    {
        return 0.0;
    }
    double sum = 0.0;
    for (uint32_t i = 0; i < bvh->node_count; ++i)
    {
        sum += half_area(&bvh->nodes[i]);
    }
    const double root = half_area(&bvh->nodes[0]);
    return root > 0.0 ? sum / root : 0.0;
}
