// Creation of a pattern for a body: points inside the body, the linear functions of the cells by the kind of pattern,
// the cells.
#include "fracture/pattern/pattern.h"

#include "cut/labels/label_cells.h"
#include "fracture/pattern/pattern_private.h"
#include "math/aabb.h"
#include "math/mat3.h"

// ---- tuning ----
#define MIN_POINTS       512 // least number of points inside the body
#define POINTS_PER_PIECE 6   // points inside the body per piece
#define MARGIN           0.02 // distance from the body to the box of the cells, relative to the extent of the body
#define MIN_NEAR_POINTS  128  // least number of points within the radius
#define NEAR_PER_PIECE   3    // points within the radius per piece
#define NEAR_TRIES       32   // random candidates per point within the radius
#define MIN_RADIUS       1e-4 // relative to the extent of the body; with a smaller radius nothing breaks

static rblPatternMaker* const makers[RBL_PATTERN_FILE] = {rbl_make_radial, rbl_make_voronoi, rbl_make_voronoi,
                                                          rbl_make_slabs,  rbl_make_voronoi, rbl_make_bricks,
                                                          rbl_make_planes};

static double extent_of(rblAabbd box)
{
    const rblVec3d size = rbl_aabbd_size(box);
    return rbl_maxd(rbl_maxd(size.x, size.y), size.z);
}

static rblResult check_body(const rblPatternBody* body)
{
    const rblVec3d size = rbl_aabbd_size(body->bounds);
    if (!(size.x >= 0.0 && size.y >= 0.0 && size.z >= 0.0) || !rbl_finite3d(size) ||
        !(extent_of(body->bounds) > 0.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: the box of the body must be finite and have an extent");
    }
    for (uint32_t p = 0; p < body->point_count; ++p)
    {
        if (!rbl_finite3d(body->points[p]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "pattern: point %u of the body must be finite", p);
        }
    }
    return RBL_OK;
}

// A low-discrepancy sequence in the unit cube: fractional parts of multiples of powers of 1 / phi, with phi^4 = phi + 1
// (Roberts 2018, "The unreasonable effectiveness of quasirandom sequences").
static rblVec3d sequence_point(rblAabbd box, uint32_t n)
{
    const double g = 1.0 / 1.2207440846057596;
    const double x = 0.5 + g * n, y = 0.5 + g * g * n, z = 0.5 + g * g * g * n;
    const rblVec3d share = {x - floor(x), y - floor(y), z - floor(z)};
    const rblVec3d size = rbl_aabbd_size(box);
    return rbl_vec3d(box.lower.x + share.x * size.x, box.lower.y + share.y * size.y,
                     box.lower.z + share.z * size.z);
}

uint32_t rbl_pattern_spread_points(rblAabbd bounds, rblContainsFcn* contains, void* context, uint32_t count,
                                   rblVec3d* out, uint32_t* numbers)
{
    uint32_t found = 0;
    for (uint64_t n = 0; n < (uint64_t)RBL_PATTERN_TRIES * count && found < count; ++n)
    {
        const rblVec3d at = sequence_point(bounds, (uint32_t)n);
        if (contains == NULL || contains(at, context))
        {
            if (numbers != NULL)
            {
                numbers[found] = (uint32_t)n;
            }
            out[found++] = at;
        }
    }
    return found;
}

uint32_t rbl_pattern_points_for(uint32_t pieces)
{
    const uint32_t each = POINTS_PER_PIECE * pieces;
    return each < MIN_POINTS ? MIN_POINTS : each;
}

// Copy the points of the body. If they are too few for the number of pieces, add more.
static rblResult gather_points(rblDraft* draft)
{
    const rblPatternBody* body = draft->body;
    const uint32_t wanted = rbl_pattern_points_for(draft->def->pieces);
    const uint32_t given = body->points != NULL ? body->point_count : 0;
    if (!rbl_array_resize(&draft->points, (size_t)given + wanted))
    {
        return rbl_fail_memory();
    }
    for (uint32_t p = 0; p < given; ++p)
    {
        draft->points.data[p] = body->points[p];
    }
    rblVec3d* more = draft->points.data + given;
    draft->points.count = given;
    if (given < wanted / 2)
    {
        draft->points.count += rbl_pattern_spread_points(body->bounds, body->contains, body->contains_context,
                                                         wanted, more, NULL);
    }
    if (draft->points.count == 0) // a very thin body: use a point of its box
    {
        draft->points.count = rbl_pattern_spread_points(body->bounds, NULL, NULL, wanted, more, NULL);
    }
    return RBL_OK;
}

// Whether the maker of this kind uses the radius. The cells of other kinds beyond the radius are joined afterwards.
static bool uses_radius(rblPatternKind kind)
{
    return kind != RBL_PATTERN_SLABS && kind != RBL_PATTERN_BRICKS && kind != RBL_PATTERN_PLANES;
}

// Find points of the body within the radius. A small radius may contain no point of draft->points.
static rblResult find_near(rblDraft* draft)
{
    const double radius = draft->radius;
    const rblAabbd cube = {{-radius, -radius, -radius}, {radius, radius, radius}};
    const rblAabbd box = rbl_aabbd_intersection(draft->body->bounds, cube);
    const uint32_t wanted = MIN_NEAR_POINTS + NEAR_PER_PIECE * draft->def->pieces;
    bool stored = true;
    for (uint32_t n = 0; n < NEAR_TRIES * wanted && draft->near.count < wanted && stored; ++n)
    {
        const rblVec3d at = sequence_point(box, n);
        if (rbl_length3d(at) <= radius && rbl_draft_contains(draft, at))
        {
            stored = rbl_array_push(&draft->near, at);
        }
    }
    return stored ? RBL_OK : rbl_fail_memory();
}

// Find out whether a part of the body is beyond the radius. If so, collect points within the radius.
static rblResult limit_points(rblDraft* draft)
{
    const double radius = draft->def->radius;
    bool beyond = false;
    bool stored = true;
    for (size_t p = 0; p < draft->points.count && radius > 0.0 && stored; ++p)
    {
        const bool is_near = rbl_length3d(draft->points.data[p]) <= radius;
        beyond = beyond || !is_near;
        stored = !is_near || rbl_array_push(&draft->near, draft->points.data[p]);
    }
    if (!stored)
    {
        return rbl_fail_memory();
    }
    if (!beyond)
    {
        rbl_array_clear(&draft->near);
        return RBL_OK;
    }
    draft->radius = radius;
    return find_near(draft);
}

// Whether no part of the body is within the radius.
static bool is_unbroken(const rblDraft* draft)
{
    return draft->radius > 0.0 && (draft->near.count == 0 || draft->radius < MIN_RADIUS * draft->extent);
}

// Every second probe is a point of the body moved towards the impact, if the moved point is inside the body. For kinds
// that use the radius, all probes are within the radius.
static rblResult gather_probes(rblDraft* draft)
{
    const uint32_t wanted = rbl_pattern_points_for(draft->def->pieces);
    const rblPointArray* points =
        draft->radius > 0.0 && uses_radius(draft->def->kind) ? &draft->near : &draft->points;
    rblRandom random = rbl_random_seed(draft->def->seed, 2);
    for (uint32_t p = 0; p < wanted; ++p)
    {
        const rblVec3d at = points->data[rbl_random_below(&random, (uint32_t)points->count)];
        const double u = rbl_random_double(&random);
        const rblVec3d drawn = rbl_scale3d(at, u * u);
        const bool use = p % 2 == 1 && rbl_draft_contains(draft, drawn);
        if (!rbl_array_push(&draft->probes, use ? drawn : at))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

static rblResult fill_draft(rblDraft* draft)
{
    RBL_TRY(gather_points(draft));
    RBL_TRY(limit_points(draft));
    if (is_unbroken(draft))
    {
        return rbl_draft_add(draft, rbl_vec3d(0, 0, 0), 0.0, 0);
    }
    RBL_TRY(gather_probes(draft));
    RBL_TRY(makers[draft->def->kind](draft));
    return uses_radius(draft->def->kind) ? RBL_OK : rbl_draft_limit(draft);
}

static bool is_empty(const rblCells* cells, uint32_t cell)
{
    return cells->cell_starts[cell] == cells->cell_starts[cell + 1];
}

// Number the regions from 0 without gaps, in the order of their first cell that is not empty. Empty cells are in region
// 0.
static rblResult number_regions(rblPattern* pattern, const rblDraft* draft)
{
    const rblAllocator* allocator = pattern->allocator;
    const uint32_t count = pattern->cells->count;
    uint32_t* numbers = RBL_NEW_ARRAY(allocator, uint32_t, draft->region_count);
    pattern->regions = RBL_NEW_ARRAY(allocator, uint32_t, count);
    if (numbers == NULL || pattern->regions == NULL)
    {
        RBL_FREE_ARRAY(allocator, numbers, draft->region_count);
        return rbl_fail_memory();
    }
    for (uint32_t r = 0; r < draft->region_count; ++r)
    {
        numbers[r] = UINT32_MAX;
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        pattern->regions[i] = 0;
        if (!is_empty(pattern->cells, i))
        {
            uint32_t* number = &numbers[draft->regions.data[i]];
            *number = *number == UINT32_MAX ? pattern->region_count++ : *number;
            pattern->regions[i] = *number;
        }
    }
    pattern->rest = draft->rest < draft->region_count ? numbers[draft->rest] : UINT32_MAX;
    RBL_FREE_ARRAY(allocator, numbers, draft->region_count);
    return RBL_OK;
}

static rblResult build_cells(rblPattern* pattern, const rblDraft* draft, rblJobs* jobs)
{
    const uint32_t count = (uint32_t)draft->gradients.count;
    const double margin = draft->body->tight ? 0.0 : MARGIN * draft->extent;
    const rblAabbd box = rbl_aabbd_grown(draft->body->bounds, margin);
    RBL_TRY(rbl_cells_create(draft->gradients.data, draft->offsets.data, count, box, draft->def->seed, jobs,
                             pattern->allocator, &pattern->cells));
    return number_regions(pattern, draft);
}

static rblResult make_cells(rblPattern* pattern, const rblPatternDef* def, const rblPatternBody* body,
                            rblJobs* jobs)
{
    rblDraft draft = {.def = def,
                      .body = body,
                      .random = rbl_random_seed(def->seed, 0),
                      .extent = extent_of(body->bounds),
                      .rest = UINT32_MAX,
                      .allocator = pattern->allocator};
    rbl_array_init(&draft.points, pattern->allocator);
    rbl_array_init(&draft.near, pattern->allocator);
    rbl_array_init(&draft.probes, pattern->allocator);
    rbl_array_init(&draft.gradients, pattern->allocator);
    rbl_array_init(&draft.offsets, pattern->allocator);
    rbl_array_init(&draft.regions, pattern->allocator);
    rblResult result = fill_draft(&draft);
    result = result == RBL_OK ? build_cells(pattern, &draft, jobs) : result;
    rbl_array_free(&draft.points);
    rbl_array_free(&draft.near);
    rbl_array_free(&draft.probes);
    rbl_array_free(&draft.gradients);
    rbl_array_free(&draft.offsets);
    rbl_array_free(&draft.regions);
    return result;
}

static rblResult open_pattern(const rblPatternDef* def, const rblPatternBody* body,
                              const rblAllocator* allocator, rblPattern** out)
{
    RBL_TRY(rbl_pattern_check(def));
    RBL_TRY(check_body(body));
    rblPattern* pattern = rbl_alloc_zero(allocator, sizeof *pattern);
    if (pattern == NULL)
    {
        return rbl_fail_memory();
    }
    *pattern = (rblPattern){.kind = def->kind,
                            .radius = def->kind != RBL_PATTERN_FILE ? def->radius : 0.0,
                            .rest = UINT32_MAX,
                            .noise = def->noise,
                            .noise_length = def->noise_length > 0.0 ? def->noise_length : 8.0 * def->noise,
                            .allocator = allocator};
    *out = pattern;
    return RBL_OK;
}

// Put the centre of the box of the volume at the impact. By default the box is just large enough for the body.
static void fit_box(rblLabelVolume* volume, const rblPatternDef* def, rblAabbd bounds)
{
    const rblVec3d half = rbl_scale3d(rbl_aabbd_size(volume->box), 0.5);
    const rblVec3d reach = rbl_max3d(rbl_neg3d(bounds.lower), bounds.upper);
    const double fit = rbl_maxd(rbl_maxd(reach.x / half.x, reach.y / half.y), reach.z / half.z);
    const double scale = def->size > 0.0 ? def->size / extent_of(volume->box) : fit;
    volume->box = (rblAabbd){rbl_scale3d(half, -scale), rbl_scale3d(half, scale)};
}

// Cells that follow the labels of the volume, for the cut.
static rblResult cell_labels(rblPattern* pattern, const rblPatternDef* def, const rblPatternBody* body,
                             uint32_t resolution, rblJobs* jobs)
{
    const double margin = body->tight ? 0.0 : MARGIN * extent_of(body->bounds);
    return rbl_label_cells(pattern->volume, rbl_aabbd_grown(body->bounds, margin), resolution, def->seed,
                           jobs, pattern->allocator, &pattern->cells, &pattern->regions);
}

rblResult rbl_pattern_fit_labels(const rblPatternDef* def, const rblPatternBody* body,
                                 const rblLabelVolume* loaded, rblJobs* jobs, const rblAllocator* allocator,
                                 rblPattern** out)
{
    rblPattern* pattern = NULL;
    RBL_TRY(open_pattern(def, body, allocator, &pattern));
    pattern->volume = rbl_alloc(allocator, sizeof *pattern->volume);
    if (pattern->volume == NULL)
    {
        rbl_pattern_free(pattern);
        return rbl_fail_memory();
    }
    *pattern->volume = *loaded;
    pattern->borrows_labels = true;
    pattern->region_count = loaded->label_count;
    fit_box(pattern->volume, def, body->bounds);
    const rblResult result = cell_labels(pattern, def, body, RBL_LABEL_CELLS_WORLD_RESOLUTION, jobs);
    if (result != RBL_OK)
    {
        rbl_pattern_free(pattern);
        return result;
    }
    *out = pattern;
    return RBL_OK;
}

static rblResult load_labels(rblPattern* pattern, const rblPatternDef* def, const rblPatternBody* body,
                             rblJobs* jobs)
{
    RBL_TRY(rbl_labels_load(def->file, pattern->allocator, &pattern->volume));
    fit_box(pattern->volume, def, body->bounds);
    pattern->region_count = pattern->volume->label_count;
    return cell_labels(pattern, def, body, RBL_LABEL_CELLS_RESOLUTION, jobs);
}

rblResult rbl_pattern_create(const rblPatternDef* def, const rblPatternBody* body, rblJobs* jobs,
                             const rblAllocator* allocator, rblPattern** out)
{
    rblPattern* pattern = NULL;
    RBL_TRY(open_pattern(def, body, allocator, &pattern));
    const rblResult result = def->kind == RBL_PATTERN_FILE ? load_labels(pattern, def, body, jobs)
                                                           : make_cells(pattern, def, body, jobs);
    if (result != RBL_OK)
    {
        rbl_pattern_free(pattern);
        return result;
    }
    *out = pattern;
    return RBL_OK;
}

void rbl_pattern_free(rblPattern* pattern)
{
    if (pattern == NULL)
    {
        return;
    }
    if (pattern->cells != NULL)
    {
        RBL_FREE_ARRAY(pattern->allocator, pattern->regions, pattern->cells->count);
    }
    rbl_cells_free(pattern->cells);
    if (pattern->borrows_labels)
    {
        rbl_free(pattern->allocator, pattern->volume, sizeof *pattern->volume);
    }
    else
    {
        rbl_labels_free(pattern->volume, pattern->allocator);
    }
    rbl_free(pattern->allocator, pattern, sizeof *pattern);
}

bool rbl_pattern_unit(rblVec3d* v)
{
    const double most = rbl_maxd(fabs(v->x), rbl_maxd(fabs(v->y), fabs(v->z)));
    if (!(most > 0.0))
    {
        return false;
    }
    const rblVec3d scaled = {v->x / most, v->y / most, v->z / most};
    *v = rbl_scale3d(scaled, 1.0 / rbl_length3d(scaled));
    return true;
}

rblMat3d rbl_pattern_turn(rblVec3d normal)
{
    (void)rbl_pattern_unit(&normal);
    const rblVec3d up = rbl_neg3d(normal);
    const rblVec3d other = fabs(up.x) <= fabs(up.z) ? rbl_vec3d(1, 0, 0) : rbl_vec3d(0, 0, 1);
    rblVec3d side = rbl_mul_add3d(other, -rbl_dot3d(other, up), up);
    side = rbl_scale3d(side, 1.0 / rbl_length3d(side));
    const rblMat3d rows = {side, up, rbl_cross3d(side, up)};
    return rbl_mat3d_transpose(&rows);
}
