// Convex hulls as shapes.
#include "field/convex/hull.h"

#include "base/error.h"
#include "field/piece.h"
#include "field/samples/samples.h"
#include "field/shape.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <string.h>

#define LARGEST_COORDINATE 1e18 // of what can be sampled

static float distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    return rbl_hull_distance(data, point, gradient);
}

static rblVec3 support(const void* data, rblVec3 direction)
{
    return rbl_hull_vertex(data, rbl_hull_support(data, direction));
}

static bool ray_hits(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    return rbl_hull_ray(data, ray, hit);
}

static void free_hull(void* data, const rblAllocator* allocator)
{
    rbl_hull_free(data, allocator);
}

// Pairs of hulls never ask for samples, and those take seven times the memory of the rest.
static rblResult sample(const rblShape* shape, rblSampleTree** out)
{
    rblPointArray points;
    rbl_array_init(&points, shape->allocator);
    rblResult result = RBL_OK;
    if (!rbl_sample_hull(shape->data, &points))
    {
        result = rbl_fail_memory();
    }
    else
    {
        const uint32_t count = (uint32_t)points.count;
        result = shape->quick ? rbl_sample_tree_create_quick(points.data, count, shape->allocator, out)
                              : rbl_sample_tree_create(points.data, count, shape->allocator, out);
    }
    rbl_array_free(&points);
    return result;
}

static const rblShapeOps hull_ops = {
    .distance = distance, .support = support, .ray = ray_hits, .sample = sample, .free = free_hull};

static rblResult check_points(const rblVec3* points, uint32_t count, const rblShapeId* out)
{
    if (out == NULL || points == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "hull: %s is null", out == NULL ? "out" : "points");
    }
    if (count < 4)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "hull: %u points; a solid needs at least four", count);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!rbl_finite3(points[i]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "hull: point %u is not finite", i);
        }
        if (!(rbl_length3d(rbl_to_double3(points[i])) <= LARGEST_COORDINATE))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "hull: point %u is farther than 1e18 m from the origin", i);
        }
    }
    return RBL_OK;
}

static double diagonal(const rblVec3* points, uint32_t count)
{
    rblAabb box = rbl_aabb_empty();
    for (uint32_t i = 0; i < count; ++i)
    {
        box = rbl_aabb_add(box, points[i]);
    }
    return rbl_distance3d(rbl_to_double3(box.lower), rbl_to_double3(box.upper));
}

// Extent across the faces: the smallest over all directions but for pairs of edges.
static double thinnest_extent(const rblHullDraft* draft, const rblHull* hull)
{
    double thinnest = (double)INFINITY;
    for (uint32_t f = 0; f < hull->face_count; ++f)
    {
        const rblVec3d n = rbl_to_double3(rbl_hull_normal(hull, f));
        double lowest = (double)INFINITY;
        for (size_t i = 0; i < draft->vertices.count; ++i)
        {
            lowest = rbl_mind(rbl_dot3d(n, rbl_to_double3(draft->vertices.data[i])), lowest);
        }
        thinnest = rbl_mind((double)rbl_hull_offset(hull, f) - lowest, thinnest);
    }
    return thinnest;
}

// Before faces are merged: the extent along each triangle's normal.
static bool too_thin(const rblVec3* points, uint32_t count, const rblHullTriangles* triangles, double least)
{
    for (size_t t = 0; t < triangles->count; ++t)
    {
        const uint32_t* v = triangles->data[t].vertices;
        const rblVec3d a = rbl_to_double3(points[v[0]]);
        const rblVec3d n = rbl_normalize3d(rbl_cross3d(rbl_sub3d(rbl_to_double3(points[v[1]]), a),
                                                       rbl_sub3d(rbl_to_double3(points[v[2]]), a)),
                                           (rblVec3d){0, 0, 0});
        double lowest = 0.0;
        for (uint32_t i = 0; i < count && !(-lowest >= least); ++i)
        {
            lowest = rbl_mind(rbl_dot3d(n, rbl_sub3d(rbl_to_double3(points[i]), a)), lowest);
        }
        if (-lowest < least)
        {
            return true;
        }
    }
    return false;
}

static rblResult draft_mesh(const rblHullDraft* draft, const rblAllocator* allocator, rblMeshId* out)
{
    const size_t count = draft->vertices.count;
    rblVec3d* positions = RBL_NEW_ARRAY(allocator, rblVec3d, count);
    if (positions == NULL)
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < count; ++i)
    {
        positions[i] = rbl_to_double3(draft->vertices.data[i]);
    }
    const rblMeshView view = {.vertex_count = (uint32_t)count,
                              .face_count = (uint32_t)draft->face_starts.count - 1,
                              .corner_count = (uint32_t)draft->corner_vertices.count,
                              .positions = positions,
                              .face_starts = draft->face_starts.data,
                              .corner_vertices = draft->corner_vertices.data};
    const rblResult result = rbl_mesh_create(&view, out);
    RBL_FREE_ARRAY(allocator, positions, count);
    return result;
}

static void fill_view(rblShapeView* view, const rblHullDraft* draft, const rblHull* hull)
{
    view->kind = RBL_SHAPE_HULL;
    view->convex = true;
    view->bounded = true;
    view->bounds = rbl_aabb_empty();
    double radius = 0.0;
    for (size_t i = 0; i < draft->vertices.count; ++i)
    {
        view->bounds = rbl_aabb_add(view->bounds, draft->vertices.data[i]);
        radius = rbl_maxd(rbl_distance3d(rbl_to_double3(draft->vertices.data[i]), view->mass.center), radius);
    }
    view->radius = (float)(radius * (1.0 + 1e-7));
    view->inner_radius = hull->inner;
    view->thinnest = (float)thinnest_extent(draft, hull);
}

// A copy of the points as they were given.
static bool keep_points(rblShape* parts, const rblVec3* points, uint32_t count)
{
    parts->recipe.points = RBL_NEW_ARRAY(parts->allocator, rblVec3, count);
    if (parts->recipe.points == NULL)
    {
        return false;
    }
    memcpy(parts->recipe.points, points, count * sizeof *points);
    parts->recipe.point_count = count;
    return true;
}

// Mass and surface: those of a piece, or exact ones of the draft.
static rblResult weigh(const rblHullDraft* draft, const rblConvexPieceDef* piece, rblShape* parts)
{
    if (piece != NULL)
    {
        parts->view.mass = *piece->mass;
        parts->quick = true;
        parts->piece = true;
        return RBL_OK;
    }
    RBL_TRY(draft_mesh(draft, parts->allocator, &parts->view.surface));
    const rblResult result = rbl_mesh_mass_properties(parts->view.surface, 1.0, &parts->view.mass);
    if (result != RBL_OK)
    {
        rbl_mesh_destroy(parts->view.surface);
    }
    return result;
}

// What a hull is made of.
typedef struct Making
{
    const rblVec3* points;
    uint32_t count;
    const rblConvexPieceDef* piece; // null: a hull like any other
    bool* taken;                    // set when the piece's surface is no longer the caller's
    rblHullTriangles triangles;
    rblHullDraft draft;
    rblPointArray bound; // points that the finished planes must leave inside
} Making;

// The draft becomes mass, surface, polytope and shape, in this order, and is kept by the caller. A piece's surface stays
// the caller's on failure.
static rblResult finish(const Making* m, rblShapeId* out)
{
    rblShape parts = {.ops = &hull_ops, .allocator = rbl_default_allocator()};
    rblHull* hull = NULL;
    RBL_TRY(weigh(&m->draft, m->piece, &parts));
    rblResult result = rbl_hull_pack(&m->draft, parts.view.mass.center, m->bound.data,
                                     (uint32_t)m->bound.count, parts.allocator, &hull);
    if (result == RBL_OK && !keep_points(&parts, m->points, m->count))
    {
        result = rbl_fail_memory();
    }
    if (result != RBL_OK)
    {
        rbl_hull_free(hull, parts.allocator);
        if (parts.view.surface.index1 != 0)
        {
            rbl_mesh_destroy(parts.view.surface);
        }
    }
    else
    {
        fill_view(&parts.view, &m->draft, hull);
        parts.data = hull;
        if (m->piece != NULL)
        {
            rbl_shape_adopt_surface(&parts, &m->piece->surface);
            *m->taken = true;
        }
        result = rbl_shape_register(&parts, hull->bytes, NULL, 0, out);
    }
    return result;
}

// The corners of all triangles, once each: the points that the finished planes must leave inside.
static rblResult gather_bound(const Making* m, rblPointArray* out)
{
    uint8_t* met = rbl_alloc_zero(out->allocator, m->count);
    bool good = met != NULL && rbl_array_reserve(out, m->count);
    for (size_t i = 0; i < 3 * m->triangles.count && good; ++i)
    {
        const uint32_t vertex = m->triangles.data[i / 3].vertices[i % 3];
        if (met[vertex] == 0)
        {
            met[vertex] = 1;
            out->data[out->count++] = m->points[vertex];
        }
    }
    RBL_FREE_ARRAY(out->allocator, met, m->count);
    return good ? RBL_OK : rbl_fail_memory();
}

static rblResult create(Making* m, rblShapeId* out)
{
    RBL_TRY(rbl_hull_triangles(m->points, m->count, &m->triangles));
    const double tolerance = RBL_HULL_FLATNESS * diagonal(m->points, m->count);
    if (m->triangles.count <= 2 * (RBL_HULL_MAX_VERTICES - 2) &&
        too_thin(m->points, m->count, &m->triangles, 4.0 * tolerance))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "hull: thinner than 1/60000 of its extent");
    }
    RBL_TRY(rbl_hull_merge(m->points, &m->triangles, tolerance, &m->draft));
    if (m->draft.vertices.count > RBL_HULL_MAX_VERTICES)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "hull: %zu vertices; at most %d are allowed",
                        m->draft.vertices.count, RBL_HULL_MAX_VERTICES);
    }
    RBL_TRY(gather_bound(m, &m->bound));
    return finish(m, out);
}

static rblResult create_hull(const rblVec3* points, uint32_t count, const rblConvexPieceDef* piece,
                             bool* taken, rblShapeId* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    Making m = {.points = points, .count = count, .piece = piece, .taken = taken};
    rbl_array_init(&m.triangles, allocator);
    rbl_array_init(&m.bound, allocator);
    rbl_hull_draft_init(&m.draft, allocator);
    const rblResult result = create(&m, out);
    rbl_array_free(&m.triangles);
    rbl_array_free(&m.bound);
    rbl_hull_draft_free(&m.draft);
    return result;
}

rblResult rbl_shape_create_hull(const rblVec3* points, uint32_t count, rblShapeId* out)
{
    RBL_TRY(check_points(points, count, out));
    return create_hull(points, count, NULL, NULL, out);
}

rblResult rbl_shape_create_convex_piece(const rblConvexPieceDef* def, rblShapeId* out)
{
    bool taken = false;
    rblResult result = check_points(def->corners, def->corner_count, out);
    if (result == RBL_OK)
    {
        result = create_hull(def->corners, def->corner_count, def, &taken, out);
    }
    if (!taken)
    {
        rbl_lazy_surface_free(&def->surface);
    }
    return result;
}
