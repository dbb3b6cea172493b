// The public query calls of a BVH.
#include "base/error.h"
#include "bvh/hierarchy.h"
#include "bvh/leaves.h"
#include "bvh/query/intersect.h"
#include "bvh/query/region.h"
#include "math/vec.h"

// Queries per job, at least: enough work to pay for the start of a job.
#define MIN_QUERIES 64

// One call, shared by its workers.
typedef struct Batch
{
    const rblHierarchy* hierarchy;
    const rblRayTree* ray_trees;
    const rblRay* rays;
    const rblVec3* points;
    const rblPointGrid* grid;
    float radius;
    rblSignMode mode;
    rblRayHit* hits;
    bool* any;
    rblClosestPoint* closest;
    float* numbers;
} Batch;

static rblResult check_arrays(const void* in, const void* out, uint32_t count)
{
    return count == 0 || (in != NULL && out != NULL)
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "bvh: the arrays of %u queries must not be null", count);
}

// Look the id up and run a loop over the queries.
static rblResult run_batch(rblBvhId bvh, Batch* batch, uint32_t count, rblRangeFcn* fcn)
{
    rblHierarchy* hierarchy;
    RBL_TRY(rbl_hierarchy_acquire(bvh, false, &hierarchy));
    batch->hierarchy = hierarchy;
    batch->ray_trees = batch->rays != NULL ? rbl_hierarchy_ask_rays(hierarchy, count) : NULL;
    rbl_parallel_for(rbl_default_jobs(), count, MIN_QUERIES, fcn, batch);
    rbl_hierarchy_release(hierarchy);
    return RBL_OK;
}

// ---- rays ----

static void trace_closest(rblRange range, void* context)
{
    const Batch* batch = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        if (!rbl_hierarchy_ray_closest(batch->hierarchy, batch->ray_trees, &batch->rays[i], &batch->hits[i]))
        {
            batch->hits[i] =
                (rblRayHit){.t = INFINITY, .triangle = RBL_NONE, .leaf = RBL_NONE, .span = RBL_NONE};
        }
    }
}

static void trace_any(rblRange range, void* context)
{
    const Batch* batch = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        batch->any[i] = rbl_hierarchy_ray_any(batch->hierarchy, batch->ray_trees, &batch->rays[i]);
    }
}

rblResult rbl_bvh_ray_closest(rblBvhId bvh, const rblRay* rays, uint32_t count, rblRayHit* hits)
{
    RBL_TRY(check_arrays(rays, hits, count));
    Batch batch = {.rays = rays, .hits = hits};
    return run_batch(bvh, &batch, count, trace_closest);
}

rblResult rbl_bvh_ray_any(rblBvhId bvh, const rblRay* rays, uint32_t count, bool* hits)
{
    RBL_TRY(check_arrays(rays, hits, count));
    Batch batch = {.rays = rays, .any = hits};
    return run_batch(bvh, &batch, count, trace_any);
}

// ---- points ----

static void find_closest(rblRange range, void* context)
{
    const Batch* batch = context;
    const rblClosestPoint* before = NULL;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblClosestPoint found;
        if (!rbl_hierarchy_closest(batch->hierarchy, batch->points[i], batch->radius, before, &found))
        {
            found = (rblClosestPoint){
                .distance = INFINITY, .triangle = RBL_NONE, .leaf = RBL_NONE, .span = RBL_NONE};
        }
        batch->closest[i] = found;
        before = &batch->closest[i];
    }
}

static void find_windings(rblRange range, void* context)
{
    const Batch* batch = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        batch->numbers[i] =
            rbl_hierarchy_winding_number(batch->hierarchy, batch->points[i], RBL_WINDING_BETA);
    }
}

static rblVec3 grid_point(const rblPointGrid* grid, uint32_t i)
{
    const uint32_t row = i / grid->counts[0];
    return (rblVec3){grid->origin.x + grid->spacing * (float)(i % grid->counts[0]),
                     grid->origin.y + grid->spacing * (float)(row % grid->counts[1]),
                     grid->origin.z + grid->spacing * (float)(row / grid->counts[1])};
}

static void find_distances(rblRange range, void* context)
{
    const Batch* batch = context;
    rblHierarchyNeighbour neighbour = rbl_no_hierarchy_neighbour();
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        const rblVec3 point = batch->grid != NULL ? grid_point(batch->grid, i) : batch->points[i];
        if (!rbl_hierarchy_signed_distance(batch->hierarchy, point, batch->radius, batch->mode, &neighbour,
                                           &batch->numbers[i]))
        {
            batch->numbers[i] = NAN;
        }
    }
}

rblResult rbl_bvh_closest(rblBvhId bvh, const rblVec3* points, uint32_t count, float radius,
                          rblClosestPoint* out)
{
    RBL_TRY(check_arrays(points, out, count));
    Batch batch = {.points = points, .radius = radius, .closest = out};
    return run_batch(bvh, &batch, count, find_closest);
}

static rblResult check_winding(const rblHierarchy* hierarchy)
{
    return hierarchy->winding_count == hierarchy->forest.tree_count
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "bvh: the call needs a BVH with rblBvhDef.winding");
}

// A single tree has its own functions. Several trees form one surface, whose winding numbers add up.
static rblResult run_distances(rblBvhId bvh, Batch* batch, uint32_t count)
{
    rblHierarchy* hierarchy;
    RBL_TRY(rbl_hierarchy_acquire(bvh, false, &hierarchy));
    const rblResult result = check_winding(hierarchy);
    batch->hierarchy = hierarchy;
    if (result == RBL_OK && hierarchy->tree_count != 1)
    {
        rbl_parallel_for(rbl_default_jobs(), count, MIN_QUERIES, find_distances, batch);
    }
    else if (result == RBL_OK)
    {
        const rblBvh* tree = &hierarchy->trees[0];
        const rblWinding* winding = &hierarchy->windings[0];
        if (batch->grid != NULL)
        {
            rbl_tree_signed_distance_grid(tree, winding, batch->grid, batch->radius, batch->mode,
                                          rbl_default_jobs(), batch->numbers);
        }
        else
        {
            rbl_tree_signed_distance_many(tree, winding, batch->points, count, batch->radius, batch->mode,
                                          rbl_default_jobs(), batch->numbers);
        }
    }
    rbl_hierarchy_release(hierarchy);
    return result;
}

rblResult rbl_bvh_winding_number(rblBvhId bvh, const rblVec3* points, uint32_t count, float* out)
{
    RBL_TRY(check_arrays(points, out, count));
    rblHierarchy* hierarchy;
    RBL_TRY(rbl_hierarchy_acquire(bvh, false, &hierarchy));
    const rblResult result = check_winding(hierarchy);
    if (result == RBL_OK)
    {
        Batch batch = {.hierarchy = hierarchy, .points = points, .numbers = out};
        rbl_parallel_for(rbl_default_jobs(), count, MIN_QUERIES, find_windings, &batch);
    }
    rbl_hierarchy_release(hierarchy);
    return result;
}

static rblResult check_distance(float radius, rblSignMode mode)
{
    if (!(radius >= 0.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: radius is %g, must not be negative or NaN", (double)radius);
    }
    return mode == RBL_SIGN_WINDING || mode == RBL_SIGN_CLOSED
               ? RBL_OK
               : rbl_fail(RBL_ERROR_ARGUMENT, "bvh: sign mode is %d, must be 0 or 1", (int)mode);
}

rblResult rbl_bvh_signed_distance(rblBvhId bvh, const rblVec3* points, uint32_t count, float radius,
                                  rblSignMode mode, float* out)
{
    RBL_TRY(check_arrays(points, out, count));
    RBL_TRY(check_distance(radius, mode));
    Batch batch = {.points = points, .radius = radius, .mode = mode, .numbers = out};
    return run_distances(bvh, &batch, count);
}

rblResult rbl_bvh_signed_distance_grid(rblBvhId bvh, const rblPointGrid* grid, float radius, rblSignMode mode,
                                       float* out)
{
    if (grid == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: grid and out must not be null");
    }
    if (!rbl_finite3(grid->origin) || !(grid->spacing > 0.0f && grid->spacing < 1e38f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "bvh: the origin of the grid is (%g, %g, %g), must be finite; its spacing is %g, "
                        "must be between 0 and 1e38",
                        (double)grid->origin.x, (double)grid->origin.y, (double)grid->origin.z,
                        (double)grid->spacing);
    }
    const uint64_t rows = (uint64_t)grid->counts[1] * grid->counts[2];
    if (rows > UINT32_MAX || rows * grid->counts[0] > UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "bvh: the grid has %u x %u x %u points, must be at most 2^32 - 1",
                        grid->counts[0], grid->counts[1], grid->counts[2]);
    }
    RBL_TRY(check_distance(radius, mode));
    Batch batch = {.grid = grid, .radius = radius, .mode = mode, .numbers = out};
    return run_distances(bvh, &batch, (uint32_t)(rows * grid->counts[0]));
}

// ---- regions ----

typedef struct Visit
{
    rblTriangleVisitor* visit;
    void* context;
    uint32_t span;
    const uint32_t* order;
} Visit;

static bool visit_leaf(uint32_t leaf, void* context)
{
    const Visit* visit = context;
    return visit->visit(visit->span, visit->order[leaf], visit->context);
}

// The region is the box or, when `box` is null, the ball.
static rblResult visit_trees(rblBvhId bvh, const rblAabb* box, rblVec3 center, float radius,
                             rblTriangleVisitor* visit, void* context)
{
    if (visit == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: the visitor must not be null");
    }
    rblHierarchy* hierarchy;
    RBL_TRY(rbl_hierarchy_acquire(bvh, false, &hierarchy));
    bool ended = false;
    for (uint32_t i = 0; i < hierarchy->tree_count && !ended; ++i)
    {
        const rblBvh* tree = &hierarchy->trees[i];
        Visit leaf = {visit, context, i, tree->order};
        ended = box != NULL ? rbl_tree_visit_box(tree, box, visit_leaf, &leaf)
                            : rbl_tree_visit_ball(tree, center, radius, visit_leaf, &leaf);
    }
    rbl_hierarchy_release(hierarchy);
    return RBL_OK;
}

rblResult rbl_bvh_overlap_box(rblBvhId bvh, rblAabb box, rblTriangleVisitor* visit, void* context)
{
    return visit_trees(bvh, &box, (rblVec3){0.0f, 0.0f, 0.0f}, 0.0f, visit, context);
}

rblResult rbl_bvh_overlap_sphere(rblBvhId bvh, rblVec3 center, float radius, rblTriangleVisitor* visit,
                                 void* context)
{
    return visit_trees(bvh, NULL, center, radius, visit, context);
}

// ---- pairs ----

static rblResult check_span(const rblTriangleSpan* span, uint32_t number)
{
    RBL_TRY(rbl_span_fail(span, number, rbl_span_check_form(span)));
    rblAabb bounds;
    RBL_TRY(rbl_span_fail(span, number, rbl_span_check_vertices(span, rbl_default_jobs(), &bounds)));
    return rbl_span_fail(span, number, rbl_span_check_indices(span, rbl_default_jobs()));
}

// The call reads triangles from the spans: check them again, as a build does.
static rblResult check_spans(const rblHierarchy* hierarchy, const rblTriangleSpan* spans, uint32_t count)
{
    const rblForest* forest = &hierarchy->forest;
    if (count != forest->tree_count || (spans == NULL && count > 0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: %u spans, must be %u as in the build and not null", count,
                        forest->tree_count);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t built = forest->trees[i].layout.leaves;
        if (spans[i].triangle_count != built)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: span %u has %u triangles, must be %u as in the build",
                            i, spans[i].triangle_count, built);
        }
        if (built > 0)
        {
            RBL_TRY(check_span(&spans[i], i));
        }
    }
    return RBL_OK;
}

static rblResult find_pairs(const rblHierarchy* hierarchy, const rblTriangleSpan* spans, bool within_spans,
                            rblTreePairArray* trees, rblTrianglePairArray* found)
{
    RBL_TRY(rbl_forest_pairs(&hierarchy->forest, within_spans, rbl_default_jobs(), trees));
    const rblOverlapScene scene = {&hierarchy->forest, spans, trees->data, (uint32_t)trees->count};
    const rblIntersectOptions options = rbl_default_intersect_options();
    return rbl_overlap_triangles(&scene, &options, rbl_default_jobs(), found, NULL);
}

static void visit_pairs(const rblTreePairArray* trees, const rblTrianglePairArray* found,
                        rblTrianglePairVisitor* visit, void* context)
{
    for (size_t i = 0; i < found->count; ++i)
    {
        const rblTrianglePair* p = &found->data[i];
        const rblBvhPair pair = {.span_a = trees->data[p->pair].a,
                                 .triangle_a = p->triangle_a,
                                 .span_b = trees->data[p->pair].b,
                                 .triangle_b = p->triangle_b,
                                 .coplanar = p->coplanar,
                                 .ends = {p->ends[0].at, p->ends[1].at}};
        if (!visit(&pair, context))
        {
            return;
        }
    }
}

rblResult rbl_bvh_overlap_pairs(rblBvhId bvh, const rblTriangleSpan* spans, uint32_t span_count,
                                bool within_spans, rblTrianglePairVisitor* visit, void* context)
{
    if (visit == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "bvh: the visitor must not be null");
    }
    rblHierarchy* hierarchy;
    RBL_TRY(rbl_hierarchy_acquire(bvh, false, &hierarchy));
    rblTreePairArray trees;
    rblTrianglePairArray found;
    rbl_array_init(&trees, rbl_default_allocator());
    rbl_array_init(&found, rbl_default_allocator());
    rblResult result = check_spans(hierarchy, spans, span_count);
    if (result == RBL_OK)
    {
        result = find_pairs(hierarchy, spans, within_spans, &trees, &found);
    }
    rbl_hierarchy_release(hierarchy);
    if (result == RBL_OK)
    {
        visit_pairs(&trees, &found, visit, context);
    }
    rbl_array_free(&trees);
    rbl_array_free(&found);
    return result;
}
