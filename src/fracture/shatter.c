#include "fracture/shatter.h"

#include "base/error.h"
#include "fracture/pattern.h"
#include "math/mat3.h"

#define CRUMB 0.01

// A body where it is hit: its place in pattern space.
typedef struct Placed
{
    const rblShatterBody* body;
    rblMat3d turn; // from the mesh's axes
    rblVec3d point;
} Placed;

rblShatterDef rbl_default_shatter_def(void)
{
    return (rblShatterDef){.pattern = rbl_default_pattern_def(),
                           .normal = {0, -1, 0},
                           .smallest_part = CRUMB,
                           .thinnest_part = CRUMB};
}

// ---- the impact ----

static rblResult check_vectors(rblVec3d point, rblVec3d normal)
{
    if (!rbl_finite3d(point) || !rbl_finite3d(normal))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "fracture: the point and the normal must be finite");
    }
    if (normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "fracture: the normal has no length");
    }
    return RBL_OK;
}

// Against the normal of a triangle of rbl_mesh_triangulate(), by its number.
static rblResult triangle_normal(const rblMeshView* view, uint32_t triangle, rblVec3d* out)
{
    rblIndexArray corners;
    rbl_array_init(&corners, rbl_default_allocator());
    const rblResult result = rbl_triangulate_corners(view, &corners, NULL);
    rblVec3d p[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (uint32_t k = 0; k < 3 && result == RBL_OK; ++k)
    {
        p[k] = view->positions[view->corner_vertices[corners.data[3 * (size_t)triangle + k]]];
    }
    rbl_array_free(&corners);
    RBL_TRY(result);
    const rblVec3d across = rbl_cross3d(rbl_sub3d(p[2], p[0]), rbl_sub3d(p[1], p[0]));
    *out = rbl_normalize3d(across, rbl_vec3d(0, -1, 0));
    return RBL_OK;
}

static rblResult place_impact(const rblMeshView* view, rblBvhId bvh, rblVec3d point, const rblVec3d* normal,
                              rblShatterDef* def, double* moved)
{
    const rblVec3 at = rbl_to_float3(point);
    rblClosestPoint closest;
    float winding;
    rblVec3d inwards = {0, -1, 0};
    RBL_TRY(rbl_bvh_closest(bvh, &at, 1, INFINITY, &closest));
    RBL_TRY(rbl_bvh_winding_number(bvh, &at, 1, &winding));
    if (closest.triangle == UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "fracture: the point is too far away");
    }
    RBL_TRY(triangle_normal(view, closest.triangle, &inwards));
    def->normal = normal != NULL ? *normal : inwards;
    def->point = winding > 0.5f ? point : rbl_to_double3(closest.point);
    *moved = rbl_distance3d(def->point, point);
    return RBL_OK;
}

rblResult rbl_shatter_place(rblMeshId mesh, const rblVec3d* point, const rblVec3d* normal, rblShatterDef* def,
                            double* moved)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(mesh, &view));
    const rblAabbd bounds = rbl_mesh_bounds(&view);
    rblVec3d at = rbl_lerp3d(bounds.lower, bounds.upper, 0.5);
    at.y = bounds.upper.y;
    at = point != NULL ? *point : at;
    RBL_TRY(check_vectors(at, normal != NULL ? *normal : rbl_vec3d(0, -1, 0)));
    rblBvhId bvh;
    RBL_TRY(rbl_mesh_create_bvh(mesh, RBL_BVH_FAST, true, &bvh));
    double way = 0.0;
    const rblResult result = place_impact(&view, bvh, at, normal, def, &way);
    (void)rbl_bvh_destroy(bvh);
    if (result == RBL_OK && moved != NULL)
    {
        *moved = way;
    }
    return result;
}

// ---- the break ----

static bool contains(rblVec3d point, void* context)
{
    const Placed* placed = context;
    const rblVec3d back = rbl_add3d(rbl_mat3d_apply_transposed(&placed->turn, point), placed->point);
    const rblVec3 at = rbl_to_float3(back);
    float winding = 0.0f;
    return rbl_bvh_winding_number(placed->body->bvh, &at, 1, &winding) == RBL_OK && winding > 0.5f;
}

static rblAabbd turned_bounds(const rblMeshView* view, const rblMat3d* turn, rblVec3d point)
{
    const double far = (double)INFINITY;
    rblAabbd bounds = {{far, far, far}, {-far, -far, -far}};
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        const rblVec3d p = rbl_mat3d_apply(turn, rbl_sub3d(view->positions[v], point));
        bounds.lower = rbl_min3d(p, bounds.lower);
        bounds.upper = rbl_max3d(p, bounds.upper);
    }
    return bounds;
}

// The body's points in pattern space, no more than the pattern can use.
static rblResult turn_points(const Placed* placed, uint32_t count, const rblAllocator* allocator,
                             rblVec3d** out)
{
    rblVec3d* points = RBL_NEW_ARRAY(allocator, rblVec3d, count);
    if (points == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t p = 0; p < count; ++p)
    {
        points[p] = rbl_mat3d_apply(&placed->turn, rbl_sub3d(placed->body->points[p], placed->point));
    }
    *out = points;
    return RBL_OK;
}

static rblResult make_pattern(const rblMeshView* view, Placed* placed, const rblShatterDef* def,
                              rblJobs* jobs, const rblAllocator* allocator, rblPattern** out)
{
    const uint32_t wanted = rbl_pattern_points_for(def->pattern.pieces);
    const uint32_t given = placed->body->point_count;
    const uint32_t count = given < wanted ? given : wanted;
    rblVec3d* points = NULL;
    if (count > 0)
    {
        RBL_TRY(turn_points(placed, count, allocator, &points));
    }
    const rblPatternBody fitted = {.bounds = turned_bounds(view, &placed->turn, placed->point),
                                   .axes = placed->turn,
                                   .points = points,
                                   .point_count = count,
                                   .contains = contains,
                                   .contains_context = placed};
    const rblResult result = rbl_pattern_create(&def->pattern, &fitted, jobs, allocator, out);
    RBL_FREE_ARRAY(allocator, points, count);
    return result;
}

static rblResult cut_by(const rblMeshView* view, const Placed* placed, const rblPattern* pattern,
                        const rblShatterDef* def, rblJobs* jobs, const rblAllocator* allocator,
                        rblPieces** out)
{
    const double volume = placed->body->volume;
    const rblCutOptions options = {.regions = pattern->regions,
                                   .smallest_volume = def->smallest_part * volume / def->pattern.pieces,
                                   .thinnest = def->thinnest_part * 2.0 * volume / placed->body->area,
                                   .noise = pattern->noise,
                                   .noise_length = pattern->noise_length,
                                   .radius = pattern->radius,
                                   .center = placed->point,
                                   .rest = pattern->rest};
    const rblVec3d offset = rbl_neg3d(rbl_mat3d_apply(&placed->turn, placed->point));
    return rbl_cut_pieces(view, pattern->cells, &placed->turn, offset, &options, jobs, allocator, out);
}

static rblResult check_def(const rblShatterDef* def)
{
    RBL_TRY(rbl_pattern_check(&def->pattern));
    RBL_TRY(check_vectors(def->point, def->normal));
    if (!(def->smallest_part >= 0.0) || !(def->thinnest_part >= 0.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "fracture: the sizes of crumbs must not be negative");
    }
    return RBL_OK;
}

rblResult rbl_shatter_prepared(const rblShatterBody* body, const rblShatterDef* def, rblJobs* jobs,
                               const rblAllocator* allocator, rblPieces** out)
{
    rblMeshView view;
    rblPattern* pattern;
    RBL_TRY(check_def(def));
    Placed placed = {.body = body, .turn = rbl_pattern_turn(def->normal), .point = def->point};
    RBL_TRY(rbl_mesh_view(body->mesh, &view));
    RBL_TRY(make_pattern(&view, &placed, def, jobs, allocator, &pattern));
    const rblResult result = cut_by(&view, &placed, pattern, def, jobs, allocator, out);
    rbl_pattern_free(pattern);
    return result;
}

static rblResult find_points(rblShatterBody* body, uint32_t pieces)
{
    rblMeshView view;
    Placed placed = {.body = body, .turn = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    RBL_TRY(rbl_mesh_view(body->mesh, &view));
    body->point_capacity = rbl_pattern_points_for(pieces);
    body->points = RBL_NEW_ARRAY(body->allocator, rblVec3d, body->point_capacity);
    if (body->points == NULL)
    {
        return rbl_fail_memory();
    }
    body->point_count = rbl_pattern_spread_points(rbl_mesh_bounds(&view), contains, &placed,
                                                  body->point_capacity, body->points);
    return RBL_OK;
}

rblResult rbl_shatter_body_open(rblMeshId mesh, uint32_t pieces, const rblAllocator* allocator,
                                rblShatterBody* out)
{
    rblMeshReport report;
    rblInspectOptions inspect = rbl_default_inspect_options();
    inspect.self_intersections = false;
    RBL_TRY(rbl_mesh_inspect(mesh, &inspect, &report));
    rblShatterBody body = {
        .mesh = mesh, .volume = report.volume, .area = report.area, .allocator = allocator};
    RBL_TRY(rbl_mesh_create_bvh(mesh, RBL_BVH_FAST, true, &body.bvh));
    const rblResult result = pieces > 0 ? find_points(&body, pieces) : RBL_OK;
    if (result != RBL_OK)
    {
        rbl_shatter_body_close(&body);
        return result;
    }
    *out = body;
    return RBL_OK;
}

void rbl_shatter_body_close(rblShatterBody* body)
{
    (void)rbl_bvh_destroy(body->bvh);
    RBL_FREE_ARRAY(body->allocator, body->points, body->point_capacity);
}

rblResult rbl_shatter_mesh(rblMeshId mesh, const rblShatterDef* def, rblJobs* jobs,
                           const rblAllocator* allocator, rblPieces** out)
{
    rblShatterBody body;
    RBL_TRY(check_def(def));
    RBL_TRY(rbl_shatter_body_open(mesh, 0, allocator, &body));
    const rblResult result = rbl_shatter_prepared(&body, def, jobs, allocator, out);
    rbl_shatter_body_close(&body);
    return result;
}
