#include "cut/labels/label_cells.h"

#include "base/array.h"
#include "base/error.h"
#include "base/hash_map.h"
#include "math/aabb.h"

// ---- tuning ----
#define BORDER_DISTANCE 0.3 // distance of cells from a border, relative to the spacing
// Distance relative to the spacing; a point this far from all other labels gets a seed of its own.
#define INNER_DISTANCE 0.9

// Sum of the faces between voxels of two labels, within one box of the coarse grid.
typedef struct Border
{
    uint32_t labels[2]; // in rising order
    uint32_t count;
    // Sums over the faces, weighted by area; the normal points from the first label to the second.
    rblVec3d place, normal;
} Border;

typedef struct LabelSeeds
{
    const rblLabelVolume* volume;
    rblVec3d voxel;  // size of a voxel, m
    rblAabbd region; // the box of the cells, enlarged; borders outside it are ignored
    double spacing;
    rblHashMap numbers;
    RBL_ARRAY(Border) borders;
    RBL_ARRAY(rblVec3d) gradients;
    rblDoubleArray offsets;
    rblIndexArray regions;
} LabelSeeds;

// ---- borders ----

static uint64_t coarse_key(const LabelSeeds* seeds, rblVec3d at, uint32_t low, uint32_t high)
{
    const rblVec3d r = rbl_scale3d(rbl_sub3d(at, seeds->region.lower), 1.0 / seeds->spacing);
    const uint64_t place = (uint64_t)r.x | (uint64_t)r.y << 8 | (uint64_t)r.z << 16;
    return place << 32 | (uint64_t)low << 16 | high;
}

static bool add_border(LabelSeeds* seeds, rblVec3d at, rblVec3d area, uint32_t from, uint32_t to)
{
    const uint32_t low = from < to ? from : to, high = from < to ? to : from;
    bool added;
    if (!rbl_aabbd_contains_point(seeds->region, at))
    {
        return true;
    }
    const uint32_t* number = rbl_hash_map_get_or_add(&seeds->numbers, coarse_key(seeds, at, low, high),
                                                     (uint32_t)seeds->borders.count, &added);
    if (number == NULL || (added && !rbl_array_push(&seeds->borders, ((Border){.labels = {low, high}}))))
    {
        return false;
    }
    Border* border = &seeds->borders.data[*number];
    border->count += 1;
    border->place = rbl_add3d(border->place, at);
    border->normal = rbl_mul_add3d(border->normal, from < to ? 1.0 : -1.0, area);
    return true;
}

// The faces of a voxel towards higher x, y and z.
static bool add_voxel(LabelSeeds* seeds, const uint32_t at[3])
{
    const rblLabelVolume* volume = seeds->volume;
    const size_t steps[3] = {1, volume->size[0], (size_t)volume->size[0] * volume->size[1]};
    const size_t index = at[0] + at[1] * steps[1] + at[2] * steps[2];
    const rblVec3d lower = volume->box.lower, v = seeds->voxel;
    const rblVec3d middle = {lower.x + (at[0] + 0.5) * v.x, lower.y + (at[1] + 0.5) * v.y,
                             lower.z + (at[2] + 0.5) * v.z};
    const rblVec3d halves[3] = {{0.5 * v.x, 0, 0}, {0, 0.5 * v.y, 0}, {0, 0, 0.5 * v.z}};
    const rblVec3d areas[3] = {{v.y * v.z, 0, 0}, {0, v.z * v.x, 0}, {0, 0, v.x * v.y}};
    bool stored = true;
    for (uint32_t k = 0; k < 3 && stored; ++k)
    {
        if (at[k] + 1 < volume->size[k] && volume->labels[index] != volume->labels[index + steps[k]])
        {
            stored = add_border(seeds, rbl_add3d(middle, halves[k]), areas[k], volume->labels[index],
                                volume->labels[index + steps[k]]);
        }
    }
    return stored;
}

static bool find_borders(LabelSeeds* seeds)
{
    const uint32_t* size = seeds->volume->size;
    bool stored = true;
    for (uint32_t z = 0; z < size[2] && stored; ++z)
    {
        for (uint32_t y = 0; y < size[1] && stored; ++y)
        {
            for (uint32_t x = 0; x < size[0] && stored; ++x)
            {
                stored = add_voxel(seeds, (const uint32_t[3]){x, y, z});
            }
        }
    }
    return stored;
}

// ---- cells ----

static bool add_seed(LabelSeeds* seeds, rblVec3d at, uint32_t label)
{
    return rbl_array_push(&seeds->gradients, rbl_scale3d(at, -2.0)) &&
           rbl_array_push(&seeds->offsets, rbl_dot3d(at, at)) && rbl_array_push(&seeds->regions, label);
}

// Add two seeds, one on each side of the border; closer to the border where a region is thin.
static bool add_pair(LabelSeeds* seeds, const Border* border)
{
    const rblVec3d zero = {0, 0, 0};
    const rblVec3d normal = rbl_normalize3d(border->normal, zero);
    const rblVec3d place = rbl_scale3d(border->place, 1.0 / border->count);
    if (rbl_equal3d(normal, zero))
    {
        return true;
    }
    double distance = BORDER_DISTANCE * seeds->spacing;
    for (int tries = 0; tries < 3; ++tries)
    {
        const bool fits =
            rbl_labels_at(seeds->volume, rbl_mul_add3d(place, -distance, normal)) == border->labels[0] &&
            rbl_labels_at(seeds->volume, rbl_mul_add3d(place, distance, normal)) == border->labels[1];
        distance = fits ? distance : 0.5 * distance;
    }
    return add_seed(seeds, rbl_mul_add3d(place, -distance, normal), border->labels[0]) &&
           add_seed(seeds, rbl_mul_add3d(place, distance, normal), border->labels[1]);
}

static bool is_inside(const LabelSeeds* seeds, rblVec3d at, uint32_t label)
{
    const double distance = INNER_DISTANCE * seeds->spacing;
    bool deep = true;
    for (int k = 0; k < 6 && deep; ++k)
    {
        const double step = k % 2 == 0 ? distance : -distance;
        const rblVec3d offset = {k / 2 == 0 ? step : 0.0, k / 2 == 1 ? step : 0.0, k / 2 == 2 ? step : 0.0};
        deep = rbl_labels_at(seeds->volume, rbl_add3d(at, offset)) == label;
    }
    return deep;
}

// Add seeds inside the regions, so that no point of a region is closer to a seed of another region.
static bool add_inner_seeds(LabelSeeds* seeds)
{
    const rblAabbd box = seeds->region;
    const rblVec3d size = rbl_aabbd_size(box);
    const double step = 2.0 * seeds->spacing;
    bool stored = true;
    for (double z = 0.5 * step; z < size.z && stored; z += step)
    {
        for (double y = 0.5 * step; y < size.y && stored; y += step)
        {
            for (double x = 0.5 * step; x < size.x && stored; x += step)
            {
                const rblVec3d at = rbl_add3d(box.lower, rbl_vec3d(x, y, z));
                const uint32_t label = rbl_labels_at(seeds->volume, at);
                stored = !is_inside(seeds, at, label) || add_seed(seeds, at, label);
            }
        }
    }
    return stored;
}

static bool place_seeds(LabelSeeds* seeds)
{
    bool stored = find_borders(seeds);
    for (size_t b = 0; b < seeds->borders.count && stored; ++b)
    {
        stored = add_pair(seeds, &seeds->borders.data[b]);
    }
    stored = stored && add_inner_seeds(seeds);
    if (stored && seeds->regions.count == 0)
    {
        const rblVec3d middle = rbl_lerp3d(seeds->volume->box.lower, seeds->volume->box.upper, 0.5);
        stored = add_seed(seeds, middle, rbl_labels_at(seeds->volume, middle));
    }
    return stored;
}

static rblResult make_cells(LabelSeeds* seeds, rblAabbd box, uint64_t seed, rblJobs* jobs,
                            const rblAllocator* allocator, rblCells** cells, uint32_t** regions)
{
    if (!place_seeds(seeds))
    {
        return rbl_fail_memory();
    }
    if (seeds->regions.count > RBL_MAX_CELLS)
    {
        return rbl_fail(RBL_ERROR_LIMIT,
                        "labels: the borders of regions need too many cells, must be at most %u",
                        RBL_MAX_CELLS);
    }
    const uint32_t count = (uint32_t)seeds->regions.count;
    uint32_t* copy = RBL_NEW_ARRAY(allocator, uint32_t, count);
    if (copy == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        copy[i] = seeds->regions.data[i];
    }
    const rblResult result = rbl_cells_create(seeds->gradients.data, seeds->offsets.data, count, box, seed,
                                              jobs, allocator, cells);
    if (result != RBL_OK)
    {
        RBL_FREE_ARRAY(allocator, copy, count);
        return result;
    }
    *regions = copy;
    return RBL_OK;
}

rblResult rbl_label_cells(const rblLabelVolume* volume, rblAabbd box, uint32_t resolution, uint64_t seed,
                          rblJobs* jobs, const rblAllocator* allocator, rblCells** cells, uint32_t** regions)
{
    const rblVec3d size = rbl_aabbd_size(volume->box), box_size = rbl_aabbd_size(box);
    LabelSeeds seeds = {.volume = volume};
    seeds.voxel = rbl_vec3d(size.x / volume->size[0], size.y / volume->size[1], size.z / volume->size[2]);
    seeds.spacing = rbl_maxd(box_size.x, rbl_maxd(box_size.y, box_size.z)) / resolution;
    seeds.region = rbl_aabbd_grown(box, 2.0 * seeds.spacing);
    rbl_hash_map_init(&seeds.numbers, allocator);
    rbl_array_init(&seeds.borders, allocator);
    rbl_array_init(&seeds.gradients, allocator);
    rbl_array_init(&seeds.offsets, allocator);
    rbl_array_init(&seeds.regions, allocator);
    const rblResult result = make_cells(&seeds, box, seed, jobs, allocator, cells, regions);
    rbl_hash_map_free(&seeds.numbers);
    rbl_array_free(&seeds.borders);
    rbl_array_free(&seeds.gradients);
    rbl_array_free(&seeds.offsets);
    rbl_array_free(&seeds.regions);
    return result;
}
