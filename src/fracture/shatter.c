#include "fracture/shatter.h"

#include "base/def.h"
#include "base/error.h"
#include "bvh/triangle/triangle_distance.h"
#include "fracture/pattern/pattern.h"
#include "math/aabb.h"
#include "math/mat3.h"

#define CRUMB      0.01 // default of smallest_part and thinnest_part, relative
#define FARTHEST   1e6  // body sizes: points farther away are moved to this distance; the result is the same
#define ON_SURFACE 1e-7 // body sizes: points within this distance of the surface are not moved

// A body with the transform to pattern space.
typedef struct Placed
{
    const rblShatterBody* body;
    rblMat3d turn; // from the mesh's axes
    rblVec3d point;
} Placed;

RBL_DEF_KIND(shatter_def, rblShatterDef, "shatter", rbl_default_shatter_def, 0x53485454u);

void rbl_shatter_def_init(rblShatterDef* def, size_t size)
{
    const rblShatterDef defaults = {.normal = {0, -1, 0},
                                    .smallest_part = CRUMB,
                                    .thinnest_part = CRUMB,
                                    .pattern = rbl_default_pattern_def()};
    rbl_def_init(&shatter_def, &defaults, def, size);
}

rblResult rbl_shatter_read_def(const rblShatterDef* given, rblShatterDef* out)
{
    *out = rbl_default_shatter_def();
    return given != NULL ? rbl_def_read(&shatter_def, given, out) : RBL_OK;
}

// ---- the impact ----

static rblResult check_vectors(rblVec3d point, rblVec3d normal)
{
    if (!rbl_finite3d(point) || !rbl_finite3d(normal))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "fracture: the point is (%g, %g, %g), the normal (%g, %g, %g); they must be finite",
                        RBL_XYZ(point), RBL_XYZ(normal));
    }
    if (fabs(point.x) > 1e38 || fabs(point.y) > 1e38 || fabs(point.z) > 1e38)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "fracture: the point is (%g, %g, %g), too far away from the body: coordinates must "
                        "be at most 1e38",
                        RBL_XYZ(point));
    }
    if (normal.x == 0.0 && normal.y == 0.0 && normal.z == 0.0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "fracture: the normal must not have length 0");
    }
    return RBL_OK;
}

// The opposite of a triangle's normal.
static rblVec3d inward_normal(const rblVec3d p[3])
{
    const rblVec3d across = rbl_cross3d(rbl_sub3d(p[2], p[0]), rbl_sub3d(p[1], p[0]));
    return rbl_normalize3d(across, rbl_vec3d(0, -1, 0));
}

static void triangle_corners(const rblMeshView* view, const rblIndexArray* corners, size_t triangle,
                             rblVec3d out[3])
{
    for (size_t k = 0; k < 3; ++k)
    {
        out[k] = view->positions[view->corner_vertices[corners->data[3 * triangle + k]]];
    }
}

// The surface point nearest to a far point. Distances from a far point are equal after rounding. Distances from the centre m
// of the body are not: |q - p|^2 = |q - m|^2 - 2 (q - m) . (p - m) + |p - m|^2.
static void find_from_afar(const rblMeshView* view, const rblIndexArray* corners, rblAabbd bounds,
                           rblVec3d point, rblVec3d* place, rblVec3d* inwards)
{
    const rblVec3d middle = rbl_aabbd_center(bounds);
    const rblVec3d size = rbl_aabbd_size(bounds);
    const double reach = FARTHEST * rbl_maxd(size.x, rbl_maxd(size.y, size.z));
    rblVec3d off = rbl_sub3d(point, middle);
    const double most = rbl_maxd(fabs(off.x), rbl_maxd(fabs(off.y), fabs(off.z)));
    off = rbl_scale3d(off, most > reach ? reach / most : 1.0);
    const rblVec3d seen_from = rbl_add3d(middle, off);
    double least = (double)INFINITY;
    for (size_t t = 0; t < corners->count / 3; ++t)
    {
        rblTriangled triangle;
        triangle_corners(view, corners, t, triangle.corners);
        const rblTrianglePoint closest = rbl_triangle_closest(&triangle, seen_from);
        const rblVec3d at = rbl_weighted_point(triangle.corners, closest.weights);
        const rblVec3d arm = rbl_sub3d(at, middle);
        const double value = rbl_dot3d(arm, rbl_sub3d(arm, rbl_scale3d(off, 2.0)));
        if (value < least)
        {
            least = value;
            *place = at;
            *inwards = inward_normal(triangle.corners);
        }
    }
}

// The nearest surface point, and whether the point is inside.
static rblResult find_place(const rblMeshView* view, rblBvhId bvh, const rblIndexArray* corners,
                            rblVec3d point, rblVec3d* place, rblVec3d* inwards, bool* inside)
{
    const rblAabbd bounds = rbl_mesh_bounds(view);
    const rblVec3d size = rbl_aabbd_size(bounds);
    *inside = false;
    if (!rbl_aabbd_contains_point(rbl_aabbd_grown(bounds, rbl_length3d(size)), point))
    {
        find_from_afar(view, corners, bounds, point, place, inwards);
        return RBL_OK;
    }
    const rblVec3 at = rbl_to_float3(point);
    rblClosestPoint closest;
    float winding;
    RBL_TRY(rbl_bvh_closest(bvh, &at, 1, INFINITY, &closest));
    RBL_TRY(rbl_bvh_winding_number(bvh, &at, 1, &winding));
    if (closest.triangle == UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "fracture: the mesh has no surface near the point");
    }
    rblTriangled triangle;
    triangle_corners(view, corners, closest.triangle, triangle.corners);
    const rblTrianglePoint exact = rbl_triangle_closest(&triangle, point);
    *place = rbl_weighted_point(triangle.corners, exact.weights);
    *inwards = inward_normal(triangle.corners);
    *inside = winding > 0.5f || rbl_distance3d(*place, point) <= ON_SURFACE * rbl_length3d(size);
    return RBL_OK;
}

static rblResult place_impact(const rblMeshView* view, rblBvhId bvh, rblVec3d point, const rblVec3d* normal,
                              rblShatterDef* def, double* moved)
{
    rblIndexArray corners;
    rblVec3d place = point, inwards = {0, -1, 0};
    bool inside = false;
    rbl_array_init(&corners, rbl_default_allocator());
    rblResult result = rbl_triangulate_corners(view, &corners, NULL);
    if (result == RBL_OK)
    {
        result = find_place(view, bvh, &corners, point, &place, &inwards, &inside);
    }
    rbl_array_free(&corners);
    RBL_TRY(result);
    def->normal = normal != NULL ? *normal : inwards;
    def->point = inside ? point : place;
    *moved = rbl_distance3d(def->point, point);
    return RBL_OK;
}

rblResult rbl_shatter_place(rblMeshId mesh, const rblVec3d* point, const rblVec3d* normal, rblShatterDef* def,
                            double* moved)
{
    rblMeshView view;
    rblShatterDef checked;
    RBL_TRY(def != NULL ? rbl_shatter_read_def(def, &checked)
                        : rbl_fail(RBL_ERROR_ARGUMENT, "shatter: the definition must not be null"));
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

// How many of the body's points a pattern uses: those that a search for this number of pieces alone finds.
static uint32_t usable_points(const rblShatterBody* body, uint32_t pieces)
{
    const uint32_t wanted = rbl_pattern_points_for(pieces);
    uint32_t count = body->point_count < wanted ? body->point_count : wanted;
    while (count > 0 && body->numbers[count - 1] >= (uint64_t)RBL_PATTERN_TRIES * wanted)
    {
        --count;
    }
    return count;
}

// The body's points in pattern space.
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
    const uint32_t count = usable_points(placed->body, def->pattern.pieces);
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
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "fracture: smallest_part is %g, thinnest_part %g; they must not be negative",
                        def->smallest_part, def->thinnest_part);
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
    body->numbers = RBL_NEW_ARRAY(body->allocator, uint32_t, body->point_capacity);
    if (body->points == NULL || body->numbers == NULL)
    {
        return rbl_fail_memory();
    }
    body->point_count = rbl_pattern_spread_points(rbl_mesh_bounds(&view), contains, &placed,
                                                  body->point_capacity, body->points, body->numbers);
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
    const rblResult result = find_points(&body, pieces);
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
    RBL_FREE_ARRAY(body->allocator, body->numbers, body->point_capacity);
}

rblResult rbl_shatter_mesh(rblMeshId mesh, const rblShatterDef* def, rblJobs* jobs,
                           const rblAllocator* allocator, rblPieces** out)
{
    rblShatterBody body;
    RBL_TRY(check_def(def));
    RBL_TRY(rbl_shatter_body_open(mesh, def->pattern.pieces, allocator, &body));
    const rblResult result = rbl_shatter_prepared(&body, def, jobs, allocator, out);
    rbl_shatter_body_close(&body);
    return result;
}
