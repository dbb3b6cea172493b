// Creation of a complex of cells from linear functions: units, perturbation, tree, cells one by one in parallel, the
// complex.
#include "cut/cells/cells.h"

#include "base/error.h"
#include "base/random.h"
#include "base/sort.h"
#include "cut/cells/cells_private.h"
#include "math/aabb.h"
#include "math/float_bits.h"
#include "math/trig.h"
#include <string.h>

// ---- tuning ----
// Perturbation of offsets, relative to the spacing of cells; without it degenerate vertices are frequent.
#define PERTURBATION    1e-7
#define GRADIENT_BITS   40      // bits of a gradient below its unit: differences are exact in double
#define OFFSET_BITS     50      // bits of an offset below its unit
#define CELLS_PER_BLOCK 8       // cells per block of the parallel loop
#define MAX_NUMBER      0x1p300 // upper limit of all numbers, and of the inverse of the smallest unit

static rblResult check_input(const rblVec3d* gradients, const double* offsets, uint32_t count, rblAabbd box)
{
    if (count == 0 || count > RBL_MAX_CELLS)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "cells: count is %u, must be 1 to %d", count, RBL_MAX_CELLS);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const double size =
            fabs(gradients[i].x) + fabs(gradients[i].y) + fabs(gradients[i].z) + fabs(offsets[i]);
        if (!(size < MAX_NUMBER))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "cells: cell %u must have finite numbers, below 2^300", i);
        }
    }
    const rblVec3d size = rbl_aabbd_size(box);
    const rblVec3d farthest = rbl_max3d(rbl_neg3d(box.lower), box.upper);
    const double reach = rbl_maxd(rbl_maxd(farthest.x, farthest.y), farthest.z);
    const double thickness = rbl_mind(rbl_mind(size.x, size.y), size.z);
    if (!rbl_finite3d(box.lower) || !rbl_finite3d(box.upper) || !(thickness > 1e-9 * reach) ||
        !(reach < MAX_NUMBER) || !(reach > 1.0 / MAX_NUMBER))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "cells: the box must have a volume, and its coordinates must be "
                                            "finite and between 2^-300 and 2^300");
    }
    return RBL_OK;
}

static double power_above(double x)
{
    int exponent;
    rbl_split_exponent(x, &exponent);
    return rbl_power_of_two(exponent + 1);
}

static double max_coordinate(rblVec3d a)
{
    return rbl_maxd(rbl_maxd(fabs(a.x), fabs(a.y)), fabs(a.z));
}

static rblCellUnits units_of(const rblVec3d* gradients, const double* offsets, uint32_t count, rblAabbd box)
{
    const double length = power_above(rbl_maxd(max_coordinate(box.lower), max_coordinate(box.upper)));
    double largest = 1.0 / MAX_NUMBER;
    for (uint32_t i = 0; i < count; ++i)
    {
        largest = rbl_maxd(rbl_maxd(max_coordinate(gradients[i]), fabs(offsets[i]) / length), largest);
    }
    return (rblCellUnits){power_above(largest), length};
}

// Round to the nearest multiple of a power of two; |x| < 2^52 unit.
static double rounded(double x, double unit)
{
    return floor(x / unit + 0.5) * unit;
}

static void round_gradients(rblCells* cells, const rblVec3d* gradients, rblCellUnits units)
{
    const double unit = units.gradient * rbl_power_of_two(-GRADIENT_BITS);
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        cells->gradients[i] = rbl_vec3d(rounded(gradients[i].x, unit), rounded(gradients[i].y, unit),
                                        rounded(gradients[i].z, unit));
    }
}

static void set_sides(rblCells* cells, rblCellUnits units)
{
    const double unit = units.length * rbl_power_of_two(-OFFSET_BITS);
    const rblVec3d lower = cells->box.lower, upper = cells->box.upper;
    const double ends[RBL_CELL_SIDES] = {lower.x, upper.x, lower.y, upper.y, lower.z, upper.z};
    double kept[RBL_CELL_SIDES];
    for (uint32_t s = 0; s < RBL_CELL_SIDES; ++s)
    {
        const double inward = s % 2 == 0 ? units.gradient : -units.gradient;
        kept[s] = (s % 2 == 0 ? floor(ends[s] / unit) : ceil(ends[s] / unit)) * unit;
        cells->gradients[cells->count + s] =
            rbl_vec3d(s / 2 == 0 ? inward : 0.0, s / 2 == 1 ? inward : 0.0, s / 2 == 2 ? inward : 0.0);
        cells->offsets[cells->count + s] = -inward * kept[s];
    }
    cells->box = (rblAabbd){{kept[0], kept[2], kept[4]}, {kept[1], kept[3], kept[5]}};
}

typedef struct AlongAxis
{
    const rblVec3d* gradients;
    uint32_t axis;
} AlongAxis;

static double along(const AlongAxis* by, uint32_t cell)
{
    const rblVec3d g = by->gradients[cell];
    return by->axis == 0 ? g.x : (by->axis == 1 ? g.y : g.z);
}

static bool before_along(uint32_t a, uint32_t b, const void* context)
{
    return along(context, a) < along(context, b);
}

static uint32_t longest_axis(const rblVec3d* gradients, uint32_t count)
{
    rblAabbd spread = rbl_aabbd_empty();
    for (uint32_t i = 0; i < count; ++i)
    {
        spread = rbl_aabbd_add(spread, gradients[i]);
    }
    const rblVec3d size = rbl_aabbd_size(spread);
    return size.x >= size.y && size.x >= size.z ? 0 : (size.y >= size.z ? 1 : 2);
}

// Squared distance from the gradient of the cell at index p of `sorted` to the nearest other gradient that differs;
// infinite: there is none. `twin` becomes a cell with the same gradient and a smaller offset, or the first cell with
// the same gradient and offset; without such a cell it is the cell itself.
static double nearest_squared(const rblCells* cells, const AlongAxis* by, const uint32_t* sorted, uint32_t p,
                              const double* offsets, uint32_t* twin)
{
    const uint32_t cell = sorted[p];
    double nearest = (double)INFINITY;
    *twin = cell;
    for (int direction = -1; direction <= 1; direction += 2)
    {
        for (int64_t q = (int64_t)p + direction; q >= 0 && q < cells->count; q += direction)
        {
            const uint32_t other = sorted[q];
            const double ahead = along(by, other) - along(by, cell);
            const rblVec3d difference = rbl_sub3d(cells->gradients[other], cells->gradients[cell]);
            const double squared = rbl_dot3d(difference, difference);
            if (ahead * ahead >= nearest)
            {
                break;
            }
            if (squared == 0.0 &&
                (offsets[other] < offsets[*twin] || (offsets[other] == offsets[*twin] && other < *twin)))
            {
                *twin = other;
            }
            nearest = squared > 0.0 ? rbl_mind(nearest, squared) : nearest;
        }
    }
    return nearest;
}

// Perturb each offset by up to SHAKE times the distance to the nearest other gradient times the spacing of cells in the
// box, so that no facet moves by more than SHAKE spacings. `twins` becomes, per cell, the cell that hides it
// everywhere; the cell itself if none does.
static void perturb_offsets(rblCells* cells, const double* offsets, rblCellUnits units, uint64_t seed,
                            uint32_t* sorted, uint32_t* twins)
{
    const AlongAxis by = {cells->gradients, longest_axis(cells->gradients, cells->count)};
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        sorted[i] = i;
    }
    rbl_sort_indices(sorted, twins, cells->count, before_along, &by);

    const double unit = units.gradient * units.length * rbl_power_of_two(-OFFSET_BITS);
    const double spacing = max_coordinate(rbl_aabbd_size(cells->box)) / rbl_cbrt((double)cells->count);
    for (uint32_t p = 0; p < cells->count; ++p)
    {
        const uint32_t cell = sorted[p];
        const double squared = nearest_squared(cells, &by, sorted, p, offsets, &twins[cell]);
        const double amplitude = rbl_finite(squared) ? PERTURBATION * spacing * sqrt(squared) : 0.0;
        rblRandom random = rbl_random_seed(seed, cell);
        cells->offsets[cell] = rounded(offsets[cell] + amplitude * (rbl_random_double(&random) - 0.5), unit);
    }
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        if (twins[i] != i) // the hidden cell stays above the cell that hides it
        {
            cells->offsets[i] = rbl_maxd(cells->offsets[i], cells->offsets[twins[i]] + 4.0 * unit);
        }
    }
}

// One block of cells. Each cell is carved independently.
typedef struct CarveBlock
{
    rblCellCorners corners; // corners of its cells, in order
    rblResult result;
} CarveBlock;

typedef struct Carving
{
    rblCells* cells;
    rblCellUnits units;
    uint32_t* starts; // count + 1; during carving starts[i + 1] is the number of corners of cell i
    CarveBlock blocks[RBL_MAX_BLOCKS];
} Carving;

static void carve_block(rblRange range, void* context)
{
    Carving* carving = context;
    CarveBlock* block = &carving->blocks[range.block];
    rblCellCarver carver;
    block->result = rbl_cell_carver_open(&carver, carving->cells, carving->units);
    for (uint32_t i = range.begin; i < range.end && block->result == RBL_OK; ++i)
    {
        const size_t before = block->corners.count;
        block->result = rbl_carve_cell(&carver, i, &block->corners);
        carving->starts[i + 1] = (uint32_t)(block->corners.count - before);
    }
    rbl_cell_carver_close(&carver);
}

static rblResult gather_corners(Carving* carving, uint32_t block_count, rblCellCorners* out)
{
    for (uint32_t b = 0; b < block_count; ++b)
    {
        const CarveBlock* block = &carving->blocks[b];
        if (block->result != RBL_OK || !rbl_array_reserve_more(out, block->corners.count))
        {
            return rbl_fail_memory();
        }
        if (block->corners.count > 0)
        {
            memcpy(out->data + out->count, block->corners.data, sizeof *out->data * block->corners.count);
            out->count += block->corners.count;
        }
    }
    carving->starts[0] = 0;
    for (uint32_t i = 0; i < carving->cells->count; ++i)
    {
        carving->starts[i + 1] += carving->starts[i];
    }
    return RBL_OK;
}

static rblResult carve_and_join(Carving* carving, rblJobs* jobs)
{
    rblCells* cells = carving->cells;
    const uint32_t blocks = rbl_block_count(cells->count, CELLS_PER_BLOCK);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        rbl_array_init(&carving->blocks[b].corners, cells->allocator);
    }
    rbl_parallel_for(jobs, cells->count, CELLS_PER_BLOCK, carve_block, carving);
    rblCellCorners corners;
    rbl_array_init(&corners, cells->allocator);
    rblResult result = gather_corners(carving, blocks, &corners);
    for (uint32_t b = 0; b < blocks; ++b)
    {
        rbl_array_free(&carving->blocks[b].corners);
    }
    result = result == RBL_OK ? rbl_cells_join(cells, corners.data, carving->starts, jobs) : result;
    rbl_array_free(&corners);
    return result;
}

static rblResult build_complex(rblCells* cells, rblCellUnits units, const uint32_t* visible,
                               uint32_t alive_count, rblJobs* jobs)
{
    RBL_TRY(rbl_cell_tree_create(cells, visible, alive_count, units, &cells->tree));
    Carving* carving = rbl_alloc_zero(cells->allocator, sizeof *carving);
    if (carving == NULL)
    {
        return rbl_fail_memory();
    }
    carving->cells = cells;
    carving->units = units;
    carving->starts = RBL_NEW_ARRAY(cells->allocator, uint32_t, (size_t)cells->count + 1);
    const rblResult result = carving->starts != NULL ? carve_and_join(carving, jobs) : rbl_fail_memory();
    RBL_FREE_ARRAY(cells->allocator, carving->starts, (size_t)cells->count + 1);
    rbl_free(cells->allocator, carving, sizeof *carving);
    return result;
}

static rblResult fill(rblCells* cells, const rblVec3d* gradients, const double* offsets, uint64_t seed,
                      rblJobs* jobs)
{
    const rblAllocator* allocator = cells->allocator;
    const size_t planes = (size_t)cells->count + RBL_CELL_SIDES;
    cells->gradients = RBL_NEW_ARRAY(allocator, rblVec3d, planes);
    cells->offsets = RBL_NEW_ARRAY(allocator, double, planes);
    uint32_t* sorted = RBL_NEW_ARRAY(allocator, uint32_t, cells->count);
    uint32_t* twins = RBL_NEW_ARRAY(allocator, uint32_t, cells->count);
    rblResult result = RBL_ERROR_MEMORY;
    if (cells->gradients != NULL && cells->offsets != NULL && sorted != NULL && twins != NULL)
    {
        const rblCellUnits units = units_of(gradients, offsets, cells->count, cells->box);
        round_gradients(cells, gradients, units);
        set_sides(cells, units);
        perturb_offsets(cells, offsets, units, seed, sorted, twins);
        uint32_t visible = 0;
        for (uint32_t i = 0; i < cells->count; ++i)
        {
            if (twins[i] == i)
            {
                sorted[visible++] = i;
            }
        }
        result = build_complex(cells, units, sorted, visible, jobs);
    }
    RBL_FREE_ARRAY(allocator, sorted, cells->count);
    RBL_FREE_ARRAY(allocator, twins, cells->count);
    return result != RBL_OK ? rbl_fail_memory() : RBL_OK;
}

rblResult rbl_cells_create(const rblVec3d* gradients, const double* offsets, uint32_t count, rblAabbd box,
                           uint64_t seed, rblJobs* jobs, const rblAllocator* allocator, rblCells** out)
{
    RBL_TRY(check_input(gradients, offsets, count, box));
    rblCells* cells = rbl_alloc_zero(allocator, sizeof *cells);
    if (cells == NULL)
    {
        return rbl_fail_memory();
    }
    cells->allocator = allocator;
    cells->count = count;
    cells->box = box;
    const rblResult result = fill(cells, gradients, offsets, seed, jobs);
    if (result != RBL_OK)
    {
        rbl_cells_free(cells);
        return result;
    }
    *out = cells;
    return RBL_OK;
}

void rbl_cells_free(rblCells* cells)
{
    if (cells == NULL)
    {
        return;
    }
    const rblAllocator* allocator = cells->allocator;
    const size_t planes = (size_t)cells->count + RBL_CELL_SIDES;
    RBL_FREE_ARRAY(allocator, cells->gradients, planes);
    RBL_FREE_ARRAY(allocator, cells->offsets, planes);
    RBL_FREE_ARRAY(allocator, cells->vertices, cells->vertex_count);
    RBL_FREE_ARRAY(allocator, cells->edges, cells->edge_count);
    RBL_FREE_ARRAY(allocator, cells->facets, cells->facet_count);
    RBL_FREE_ARRAY(allocator, cells->facet_edges, cells->facet_edge_count);
    RBL_FREE_ARRAY(allocator, cells->cell_facets, cells->incidence_count);
    RBL_FREE_ARRAY(allocator, cells->cell_starts, (size_t)cells->count + 1);
    rbl_cell_tree_free(cells->tree, allocator);
    rbl_free(allocator, cells, sizeof *cells);
}

uint32_t rbl_cells_locate(const rblCells* cells, rblVec3d point)
{
    uint32_t smallest = 0;
    if (!rbl_aabbd_contains_point(cells->box, point))
    {
        for (uint32_t i = 1; i < cells->count; ++i)
        {
            smallest =
                rbl_cell_value(cells, i, point) < rbl_cell_value(cells, smallest, point) ? i : smallest;
        }
        return smallest;
    }
    const rblCellNode* leaf = rbl_cell_tree_leaf(cells->tree, point);
    const uint32_t* candidates = cells->tree->candidates.data;
    smallest = candidates[leaf->first];
    for (uint32_t c = leaf->first + 1; c < leaf->end; ++c)
    {
        const uint32_t i = candidates[c];
        smallest = rbl_cell_value(cells, i, point) < rbl_cell_value(cells, smallest, point) ? i : smallest;
    }
    return smallest;
}
