// Planar cracks through the whole body: the cells are an arrangement of planes p_k(x) = n_k . x - d_k.
//
// The cell with signs s_k = +-1 is the set of points where f_s(x) = -sum s_k p_k(x) is the smallest of all f; the
// minimum over all signs is -sum |p_k(x)|. Cells that contain no point of the body are dropped: at most a very small
// part of the body is in them.
#include "fracture/pattern/pattern_private.h"
#include "math/trig.h"

// ---- tuning ----
#define MAX_PLANES 60  // the signs of a cell are bits of a 64-bit integer
#define MAX_TRIES  400 // number of random planes; planes that split no cell are dropped
// Largest distance of a plane from the impact, relative to that of the farthest point of the body.
#define REACH 0.5

typedef struct Cracks
{
    rblDraft* draft;
    rblVec3d normals[MAX_PLANES];
    double heights[MAX_PLANES]; // d_k, m
    uint32_t count;
    uint32_t* cells;           // per point: its cell; split_cells()
    rblIndexArray split;       // two entries per cell: the cells below and above the new plane
    RBL_ARRAY(uint64_t) signs; // per cell: bit k is set if the cell is above plane k
    rblIndexArray sizes;       // per cell: number of points; count_points()
    uint32_t cell_count;
} Cracks;

static rblVec3d random_direction(rblRandom* random)
{
    const double y = rbl_random_range(random, -1.0, 1.0);
    const double flat = sqrt(rbl_maxd(0.0, 1.0 - y * y));
    double sine, cosine;
    rbl_sincos(rbl_random_range(random, 0.0, 2.0 * RBL_PI), &sine, &cosine);
    return rbl_vec3d(flat * cosine, y, flat * sine);
}

// Split every cell that has points on both sides of a new plane. The cell of a point stores its sides of all planes.
// `used` becomes false if no cell is split.
static rblResult split_cells(Cracks* cracks, rblVec3d normal, double height, bool* used)
{
    const rblDraft* draft = cracks->draft;
    const uint32_t old = cracks->cell_count;
    rbl_array_clear(&cracks->split);
    if (!rbl_array_resize_amply(&cracks->split, 2 * (size_t)old))
    {
        return rbl_fail_memory();
    }
    for (uint32_t k = 0; k < 2 * old; ++k)
    {
        cracks->split.data[k] = 0;
    }
    for (size_t p = 0; p < draft->points.count; ++p)
    {
        const uint32_t above = rbl_dot3d(normal, draft->points.data[p]) > height ? 1 : 0;
        cracks->split.data[2 * cracks->cells[p] + above] = 1;
    }
    uint32_t fresh = old;
    for (uint32_t c = 0; c < old; ++c)
    {
        const bool both = cracks->split.data[2 * c] != 0 && cracks->split.data[2 * c + 1] != 0;
        const bool above = cracks->split.data[2 * c + 1] != 0;
        cracks->split.data[2 * c] = c;
        cracks->split.data[2 * c + 1] = both ? fresh++ : c;
        const uint64_t sign = UINT64_C(1) << cracks->count;
        const uint64_t below =
            cracks->signs.data[c] & ~sign; // the bit may be set by a plane that split no cell
        if (both && !rbl_array_push(&cracks->signs, below | sign))
        {
            return rbl_fail_memory();
        }
        cracks->signs.data[c] = !both && above ? below | sign : below;
    }
    for (size_t p = 0; p < draft->points.count; ++p)
    {
        const uint32_t above = rbl_dot3d(normal, draft->points.data[p]) > height ? 1 : 0;
        cracks->cells[p] = cracks->split.data[2 * cracks->cells[p] + above];
    }
    cracks->cell_count = fresh;
    *used = fresh > old;
    return RBL_OK;
}

static rblResult add_planes(Cracks* cracks)
{
    rblDraft* draft = cracks->draft;
    const double reach = draft->def->falloff > 0.0 ? draft->def->falloff / draft->extent : REACH;
    for (int t = 0; t < MAX_TRIES && cracks->count < MAX_PLANES && cracks->cell_count < draft->def->pieces;
         ++t)
    {
        const rblVec3d at =
            draft->points.data[rbl_random_below(&draft->random, (uint32_t)draft->points.count)];
        const rblVec3d on = rbl_scale3d(at, rbl_mind(1.0, reach * (1.0 + rbl_draft_jitter(draft))));
        const rblVec3d normal = random_direction(&draft->random);
        const double height = rbl_dot3d(normal, on);
        bool used = false;
        RBL_TRY(split_cells(cracks, normal, height, &used));
        if (used)
        {
            cracks->normals[cracks->count] = normal;
            cracks->heights[cracks->count++] = height;
        }
    }
    return RBL_OK;
}

static rblResult add_cells(Cracks* cracks)
{
    for (uint32_t c = 0; c < cracks->cell_count; ++c)
    {
        rblVec3d gradient = {0, 0, 0};
        double offset = 0.0;
        for (uint32_t k = 0; k < cracks->count; ++k)
        {
            const double sign = (cracks->signs.data[c] >> k & 1) != 0 ? 1.0 : -1.0;
            gradient = rbl_mul_add3d(gradient, -sign, cracks->normals[k]);
            offset += sign * cracks->heights[k];
        }
        RBL_TRY(rbl_draft_add(cracks->draft, gradient, offset, c));
    }
    return RBL_OK;
}

static bool differ_by_one(uint64_t a, uint64_t b)
{
    const uint64_t differ = a ^ b;
    return differ != 0 && (differ & (differ - 1)) == 0;
}

static rblResult count_points(Cracks* cracks)
{
    if (!rbl_array_resize(&cracks->sizes, cracks->cell_count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t c = 0; c < cracks->cell_count; ++c)
    {
        cracks->sizes.data[c] = 0;
    }
    for (size_t p = 0; p < cracks->draft->points.count; ++p)
    {
        cracks->sizes.data[cracks->cells[p]] += 1;
    }
    return RBL_OK;
}

static uint32_t smallest_cell(const Cracks* cracks)
{
    const uint32_t* sizes = cracks->sizes.data;
    uint32_t smallest = UINT32_MAX;
    for (uint32_t c = 0; c < cracks->cell_count; ++c)
    {
        smallest = sizes[c] > 0 && (smallest == UINT32_MAX || sizes[c] < sizes[smallest]) ? c : smallest;
    }
    return smallest;
}

static uint32_t largest_neighbour(const Cracks* cracks, uint32_t cell)
{
    const uint32_t* sizes = cracks->sizes.data;
    uint32_t largest = UINT32_MAX;
    for (uint32_t c = 0; c < cracks->cell_count; ++c)
    {
        const bool beside = sizes[c] > 0 && differ_by_one(cracks->signs.data[c], cracks->signs.data[cell]);
        largest = beside && (largest == UINT32_MAX || sizes[c] > sizes[largest]) ? c : largest;
    }
    return largest;
}

// The last plane may create more cells than requested. Each surplus cell, the smallest first, is joined to its largest
// neighbour. A joined cell has size 0 and is skipped from then on.
static rblResult join_smallest(Cracks* cracks)
{
    rblIndexArray* regions = &cracks->draft->regions;
    RBL_TRY(count_points(cracks));
    for (uint32_t left = cracks->cell_count; left > cracks->draft->def->pieces; --left)
    {
        const uint32_t cell = smallest_cell(cracks);
        const uint32_t into = largest_neighbour(cracks, cell);
        const uint32_t region = regions->data[cell];
        for (uint32_t c = 0; into != UINT32_MAX && c < cracks->cell_count; ++c)
        {
            regions->data[c] = regions->data[c] == region ? regions->data[into] : regions->data[c];
        }
        cracks->sizes.data[into != UINT32_MAX ? into : cell] += cracks->sizes.data[cell];
        cracks->sizes.data[cell] = 0;
    }
    return RBL_OK;
}

rblResult rbl_make_planes(rblDraft* draft)
{
    Cracks cracks = {.draft = draft, .cell_count = 1};
    const size_t count = draft->points.count;
    rbl_array_init(&cracks.split, draft->allocator);
    rbl_array_init(&cracks.signs, draft->allocator);
    rbl_array_init(&cracks.sizes, draft->allocator);
    cracks.cells = rbl_alloc_zero(draft->allocator, count * sizeof *cracks.cells);
    const bool enough = cracks.cells != NULL && rbl_array_push(&cracks.signs, UINT64_C(0));
    rblResult result = enough ? add_planes(&cracks) : rbl_fail_memory();
    result = result == RBL_OK ? add_cells(&cracks) : result;
    result = result == RBL_OK ? join_smallest(&cracks) : result;
    rbl_array_free(&cracks.split);
    rbl_array_free(&cracks.signs);
    rbl_array_free(&cracks.sizes);
    RBL_FREE_ARRAY(draft->allocator, cracks.cells, count);
    return result;
}
