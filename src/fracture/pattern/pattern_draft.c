// Functions that the makers of all kinds of patterns use.
#include "cut/cells/cells_private.h"
#include "fracture/pattern/pattern_private.h"
#include "math/aabb.h"
#include "math/mat3.h"

rblResult rbl_draft_add(rblDraft* draft, rblVec3d gradient, double offset, uint32_t region)
{
    if (draft->gradients.count >= RBL_MAX_CELLS)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "pattern: the pattern has too many cells, must be at most %d",
                        RBL_MAX_CELLS);
    }
    const bool added = rbl_array_push(&draft->gradients, gradient) &&
                       rbl_array_push(&draft->offsets, offset) && rbl_array_push(&draft->regions, region);
    draft->region_count = region >= draft->region_count ? region + 1 : draft->region_count;
    return added ? RBL_OK : rbl_fail_memory();
}

void rbl_draft_clear(rblDraft* draft)
{
    rbl_array_clear(&draft->gradients);
    rbl_array_clear(&draft->offsets);
    rbl_array_clear(&draft->regions);
    draft->region_count = 0;
}

bool rbl_draft_contains(const rblDraft* draft, rblVec3d point)
{
    const rblPatternBody* body = draft->body;
    return rbl_aabbd_contains_point(body->bounds, point) &&
           (body->contains == NULL || body->contains(point, body->contains_context));
}

// Finds the cell of a point. From MANY_CELLS cells on it uses a tree.
typedef struct Locator
{
    rblCells cells; // view of the cells of the draft, with the tree
    bool has_tree;
} Locator;

#define MANY_CELLS 150 // from this number on a tree is faster
static double max_component(rblVec3d a)
{
    return rbl_maxd(rbl_maxd(fabs(a.x), fabs(a.y)), fabs(a.z));
}

static rblResult open_locator(const rblDraft* draft, Locator* locator)
{
    const uint32_t count = (uint32_t)draft->gradients.count;
    *locator = (Locator){.cells = {.count = count,
                                   .gradients = draft->gradients.data,
                                   .offsets = draft->offsets.data,
                                   .box = draft->body->bounds,
                                   .allocator = draft->allocator},
                         .has_tree = count >= MANY_CELLS};
    if (!locator->has_tree)
    {
        return RBL_OK;
    }
    uint32_t* all = RBL_NEW_ARRAY(draft->allocator, uint32_t, count);
    if (all == NULL)
    {
        return rbl_fail_memory();
    }
    rblCellUnits units = {
        0.0, rbl_maxd(max_component(draft->body->bounds.lower), max_component(draft->body->bounds.upper))};
    for (uint32_t i = 0; i < count; ++i)
    {
        all[i] = i;
        units.gradient = rbl_maxd(units.gradient, max_component(draft->gradients.data[i]));
    }
    const rblResult result = rbl_cell_tree_create(&locator->cells, all, count, units, &locator->cells.tree);
    RBL_FREE_ARRAY(draft->allocator, all, count);
    return result;
}

static void close_locator(Locator* locator)
{
    rbl_cell_tree_free(locator->cells.tree, locator->cells.allocator);
}

static uint32_t cell_at(const Locator* locator, rblVec3d point)
{
    if (locator->has_tree)
    {
        return rbl_cells_locate(&locator->cells, point);
    }
    uint32_t least = 0;
    double value = (double)INFINITY;
    for (uint32_t i = 0; i < locator->cells.count; ++i)
    {
        const double here = rbl_cell_value(&locator->cells, i, point);
        least = here < value ? i : least;
        value = here < value ? here : value;
    }
    return least;
}

rblResult rbl_draft_count(const rblDraft* draft, uint32_t* out)
{
    Locator locator;
    RBL_TRY(open_locator(draft, &locator));
    unsigned char* used = rbl_alloc_zero(draft->allocator, draft->region_count);
    if (used == NULL)
    {
        close_locator(&locator);
        return rbl_fail_memory();
    }
    uint32_t count = 0;
    for (size_t p = 0; p < draft->probes.count; ++p)
    {
        const uint32_t region = draft->regions.data[cell_at(&locator, draft->probes.data[p])];
        count += used[region] == 0 && region != draft->rest ? 1 : 0;
        used[region] = 1;
    }
    rbl_free(draft->allocator, used, draft->region_count);
    close_locator(&locator);
    *out = count;
    return RBL_OK;
}

rblResult rbl_draft_trim(rblDraft* draft, rblNeededFcn* needed)
{
    const uint32_t count = (uint32_t)draft->gradients.count;
    Locator locator;
    RBL_TRY(open_locator(draft, &locator));
    unsigned char* used = rbl_alloc_zero(draft->allocator, count);
    if (used == NULL)
    {
        close_locator(&locator);
        return rbl_fail_memory();
    }
    for (size_t p = 0; p < draft->probes.count; ++p)
    {
        used[cell_at(&locator, draft->probes.data[p])] = 1;
    }
    close_locator(&locator);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (used[i] != 0 || draft->regions.data[i] == draft->rest || needed(draft->gradients.data[i]))
        {
            draft->gradients.data[kept] = draft->gradients.data[i];
            draft->offsets.data[kept] = draft->offsets.data[i];
            draft->regions.data[kept++] = draft->regions.data[i];
        }
    }
    draft->gradients.count = draft->offsets.count = draft->regions.count = kept;
    rbl_free(draft->allocator, used, count);
    return RBL_OK;
}

rblResult rbl_draft_limit(rblDraft* draft)
{
    const double radius = draft->radius;
    if (radius == 0.0)
    {
        return RBL_OK;
    }
    typedef struct Sum
    {
        rblVec3d place;
        double count;
    } Sum;
    Locator locator;
    RBL_TRY(open_locator(draft, &locator));
    const size_t size = draft->region_count * sizeof(Sum);
    Sum* sums = rbl_alloc_zero(draft->allocator, size);
    if (sums == NULL)
    {
        close_locator(&locator);
        return rbl_fail_memory();
    }
    for (size_t p = 0; p < draft->probes.count; ++p)
    {
        Sum* sum = &sums[draft->regions.data[cell_at(&locator, draft->probes.data[p])]];
        sum->place = rbl_add3d(sum->place, draft->probes.data[p]);
        sum->count += 1.0;
    }
    close_locator(&locator);
    const uint32_t rest = draft->rest = draft->region_count++;
    for (size_t i = 0; i < draft->regions.count; ++i)
    {
        const Sum* sum = &sums[draft->regions.data[i]];
        if (!(rbl_length3d(sum->place) <= radius * sum->count) || sum->count == 0.0)
        {
            draft->regions.data[i] = rest;
        }
    }
    rbl_free(draft->allocator, sums, size);
    return RBL_OK;
}

rblVec3d rbl_draft_axis(const rblDraft* draft, bool longest)
{
    rblVec3d given = draft->def->axis;
    if (rbl_pattern_unit(&given))
    {
        return rbl_mat3d_apply(&draft->body->axes, given);
    }
    rblVec3d mean = {0, 0, 0};
    const double share = 1.0 / (double)draft->points.count;
    for (size_t p = 0; p < draft->points.count; ++p)
    {
        mean = rbl_mul_add3d(mean, share, draft->points.data[p]);
    }
    rblMat3d spread = {0};
    for (size_t p = 0; p < draft->points.count; ++p)
    {
        const rblVec3d off = rbl_sub3d(draft->points.data[p], mean);
        const rblMat3d part = rbl_mat3d_outer(off, off);
        spread = rbl_mat3d_add(&spread, &part);
    }
    rblVec3d values;
    rblMat3d axes;
    rbl_eigen_symmetric3d(&spread, &values, &axes);
    return longest ? axes.cz : axes.cx;
}

double rbl_draft_jitter(rblDraft* draft)
{
    return draft->def->jitter * rbl_random_range(&draft->random, -1.0, 1.0);
}
