// Convex hulls as shapes.
#include "field/convex/hull.h"

#include "base/error.h"
#include "field/field.h"
#include "field/piece.h"
#include "field/samples/samples.h"
#include "field/shape_codec.h"
#include "field/shape_keys.h"
#include "io/json/json_values.h"
#include "math/aabb.h"
#include "math/quat.h"
#include "math/simd.h"
#include "math/vec.h"
#include <string.h>

#define MAX_COORDINATE 1e18       // metres; of points that can be sampled
#define MAX_POINTS     (1u << 20) // of a hull in a scene file

// ---- kinds: hulls, and convex pieces ----

extern const rblShapeKind rbl_hull_kind;

// Data of both kinds.
typedef struct HullShape
{
    rblHull* hull;
    rblVec3* points; // of the definition
    uint32_t point_count;
} HullShape;

static float distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    return rbl_hull_distance(((const HullShape*)data)->hull, point, gradient);
}

static rblVec3 support(const void* data, rblVec3 direction)
{
    const rblHull* hull = ((const HullShape*)data)->hull;
    return rbl_hull_vertex(hull, rbl_hull_support(hull, direction));
}

static bool ray_hits(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    return rbl_hull_ray(((const HullShape*)data)->hull, ray, hit);
}

// The height above the highest face is a lower bound, and costs a fraction of the distance.
static float value(const rblShape* shape, rblVec3 point, float limit, rblFieldSlope* slope)
{
    const rblHull* hull = shape->core.hull;
    const float height = rbl_hull_height(hull, point);
    rblVec3 unused;
    *slope = RBL_SLOPE_ONE;
    return height > 0.0f && height < limit ? rbl_hull_distance(hull, point, &unused) : height;
}

static void describe_field(const rblShape* shape, rblField* field)
{
    (void)shape;
    field->value = value;
}

static void free_hull_shape(void* data, const rblAllocator* allocator)
{
    HullShape* shape = data;
    rbl_hull_free(shape->hull, allocator);
    RBL_FREE_ARRAY(allocator, shape->points, shape->point_count);
    rbl_free(allocator, shape, sizeof *shape);
}

static bool add_samples(const rblShape* shape, rblPointArray* out)
{
    return rbl_sample_hull(shape->core.hull, out);
}

// Samples are created at the first use: pairs of hulls never need them, and they need seven times the memory of the
// rest.
static rblResult sample(const rblShape* shape, rblSampleTree** out)
{
    return rbl_shape_make_tree(shape, add_samples, out);
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

static bool unpack(const rblHull* hull, rblHullDraft* draft)
{
    bool stored = true;
    for (uint32_t i = 0; i < hull->vertex_count && stored; ++i)
    {
        stored = rbl_array_push(&draft->vertices, rbl_hull_vertex(hull, i));
    }
    for (uint32_t f = 0; f <= hull->face_count && stored; ++f)
    {
        stored = rbl_array_push(&draft->face_starts, hull->face_starts[f]);
    }
    for (uint32_t c = 0; c < hull->corner_count && stored; ++c)
    {
        stored = rbl_array_push(&draft->corner_vertices, hull->corner_vertices[c]);
    }
    return stored;
}

static rblResult surface(const rblShape* shape, rblMeshId* out)
{
    rblHullDraft draft;
    rbl_hull_draft_init(&draft, shape->allocator);
    const rblResult result =
        unpack(shape->core.hull, &draft) ? draft_mesh(&draft, shape->allocator, out) : rbl_fail_memory();
    rbl_hull_draft_free(&draft);
    return result;
}

// The largest lane of each of three.
static rblVec3 largest_lanes(rblFloat4 x, rblFloat4 y, rblFloat4 z)
{
    rblFloat4 w = z;
    rbl_transpose4(&x, &y, &z, &w);
    float out[4];
    rbl_store4(out, rbl_max4(rbl_max4(x, y), rbl_max4(z, w)));
    return (rblVec3){out[0], out[1], out[2]};
}

static rblFloat4 row_dot(const float* v, float x, float y, float z)
{
    return rbl_add4(
        rbl_add4(rbl_mul4(rbl_load4(v), rbl_splat4(x)), rbl_mul4(rbl_load4(v + 4), rbl_splat4(y))),
        rbl_mul4(rbl_load4(v + 8), rbl_splat4(z)));
}

// Box of the rotated vertices, four at a time; the lower end is the largest opposite.
static rblAabb bounds_at(const rblShape* shape, rblTransform pose)
{
    const rblHull* hull = shape->core.hull;
    const rblMat3 r = rbl_quat_to_mat3(pose.q);
    const rblFloat4 zero = rbl_splat4(0.0f);
    const rblFloat4 lowest = rbl_splat4(-INFINITY);
    rblFloat4 high[3] = {lowest, lowest, lowest};
    rblFloat4 low[3] = {lowest, lowest, lowest};
    const float* v = hull->vertices;
    for (uint32_t b = 0; b < hull->vertex_blocks; ++b, v += 12)
    {
        const rblFloat4 x = row_dot(v, r.cx.x, r.cy.x, r.cz.x);
        const rblFloat4 y = row_dot(v, r.cx.y, r.cy.y, r.cz.y);
        const rblFloat4 z = row_dot(v, r.cx.z, r.cy.z, r.cz.z);
        high[0] = rbl_max4(x, high[0]);
        high[1] = rbl_max4(y, high[1]);
        high[2] = rbl_max4(z, high[2]);
        low[0] = rbl_max4(rbl_sub4(zero, x), low[0]);
        low[1] = rbl_max4(rbl_sub4(zero, y), low[1]);
        low[2] = rbl_max4(rbl_sub4(zero, z), low[2]);
    }
    const rblAabb box = {rbl_neg3(largest_lanes(low[0], low[1], low[2])),
                         largest_lanes(high[0], high[1], high[2])};
    const rblVec3 center = rbl_aabb_center(box);
    const rblVec3 half = rbl_scale3(rbl_aabb_size(box), 0.5f);
    const rblAabb rotated = rbl_rounded_box(center, half);
    return rbl_rounded_box(rbl_add3(center, pose.p), rbl_scale3(rbl_aabb_size(rotated), 0.5f));
}

// ---- scene files ----

typedef struct HullDef
{
    rblVec3* points;
    uint32_t count;
} HullDef;

static const HullDef default_def = {0};

static const rblParameter rows[] = {{.type = RBL_PARAMETER_END}};

static const rblVectorListKey point_list = {"points", "m; those inside of the hull are dropped", 4,
                                            MAX_POINTS};

static rblResult read(rblJson object, rblArena* arena, void* data)
{
    HullDef* def = data;
    rblJson points;
    RBL_TRY(rbl_json_require(object, point_list.key, &points));
    RBL_TRY(rbl_json_expect(points, RBL_JSON_ARRAY));
    def->count = rbl_json_count(points);
    if (def->count < point_list.min || def->count > point_list.max)
    {
        return rbl_json_fail(points, RBL_ERROR_FORMAT, "a hull has %u to %u points, not %u", point_list.min,
                             point_list.max, def->count);
    }
    def->points = RBL_ARENA_ARRAY(arena, rblVec3, def->count);
    if (def->points == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < def->count; ++i)
    {
        RBL_TRY(rbl_get_vector(rbl_json_item(points, i), RBL_ANY_NUMBER, &def->points[i]));
    }
    return RBL_OK;
}

static rblResult create_from_keys(const void* data, rblShapeId* out)
{
    const HullDef* def = data;
    return rbl_shape_create_hull(def->points, def->count, out);
}

static const rblShapeKeys keys = {.about = "the convex hull of points",
                                  .rows = rows,
                                  .def_size = sizeof(HullDef),
                                  .defaults = &default_def,
                                  .list = &point_list,
                                  .read = read,
                                  .create = create_from_keys};

// ---- serialisation ----

static void put_points(rblByteSink* sink, const HullShape* shape)
{
    rbl_put_varint(sink, shape->point_count);
    for (uint32_t i = 0; i < shape->point_count; ++i)
    {
        rbl_put_floats(sink, &shape->points[i].x, 3);
    }
}

static rblResult put_hull(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    put_points(sink, shape->data);
    return RBL_OK;
}

static rblResult take_hull(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = rbl_take_count(source, sizeof(rblVec3));
    rblVec3* points = RBL_NEW_ARRAY(allocator, rblVec3, (size_t)count + 1);
    if (points == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_take_floats(source, &points[i].x, 3);
    }
    const rblResult result =
        source->failed ? rbl_shape_fail_damaged(&rbl_hull_kind) : rbl_shape_create_hull(points, count, out);
    RBL_FREE_ARRAY(allocator, points, (size_t)count + 1);
    return result;
}

static rblResult put_piece(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    rbl_put_piece_head(sink, shape, true);
    put_points(sink, shape->data);
    return rbl_put_drawn_surface(sink, shape);
}

const rblShapeKind rbl_hull_kind = {.name = "hull",
                                    .code = 6,
                                    .joinable = true,
                                    .distance = distance,
                                    .describe_field = describe_field,
                                    .support = support,
                                    .bounds_at = bounds_at,
                                    .ray = ray_hits,
                                    .sample = sample,
                                    .surface = surface,
                                    .keys = &keys,
                                    .put = put_hull,
                                    .take = take_hull,
                                    .free = free_hull_shape};

// A convex part of a solid: a hull with its own mass and a surface that is created at the first use.
const rblShapeKind rbl_convex_piece_kind = {.name = "convex piece",
                                            .code = RBL_PIECE_CODE,
                                            .joinable = true,
                                            .piece = true,
                                            .distance = distance,
                                            .describe_field = describe_field,
                                            .support = support,
                                            .bounds_at = bounds_at,
                                            .ray = ray_hits,
                                            .sample = sample,
                                            .put = put_piece,
                                            .take = rbl_take_piece,
                                            .free = free_hull_shape};

// ---- creation ----

static rblResult check_points(const rblVec3* points, uint32_t count, const rblShapeId* out)
{
    if (out == NULL || points == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "hull: %s must not be null", out == NULL ? "out" : "points");
    }
    if (count < 4)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "hull: there are %u points, must be at least 4", count);
    }
    for (uint32_t i = 0; i < count; ++i)
    {
        if (!rbl_finite3(points[i]))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "hull: point %u must be finite", i);
        }
        if (!(rbl_length3d(rbl_to_double3(points[i])) <= MAX_COORDINATE))
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "hull: point %u must be within 1e18 m of the origin", i);
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

// Smallest extent perpendicular to the faces: the smallest over all directions except those of pairs of edges.
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

// Before faces are merged: extent along the normal of each triangle.
static bool is_too_thin(const rblVec3* points, uint32_t count, const rblHullTriangles* triangles,
                        double least)
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

static void fill_view(rblShapeView* view, const rblHullDraft* draft, const rblHull* hull)
{
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

// The polytope with a copy of the points of the definition. Takes ownership of the polytope, also on failure.
static HullShape* keep_points(rblHull* hull, const rblVec3* points, uint32_t count,
                              const rblAllocator* allocator)
{
    HullShape* shape = rbl_alloc(allocator, sizeof *shape);
    rblVec3* copy = RBL_NEW_ARRAY(allocator, rblVec3, count);
    if (shape == NULL || copy == NULL)
    {
        rbl_hull_free(hull, allocator);
        RBL_FREE_ARRAY(allocator, copy, count);
        rbl_free(allocator, shape, sizeof *shape);
        return NULL;
    }
    memcpy(copy, points, count * sizeof *points);
    *shape = (HullShape){hull, copy, count};
    return shape;
}

// The mass of the piece, or the exact one of the draft.
static rblResult set_mass(const rblHullDraft* draft, const rblConvexPieceDef* piece, rblShape* parts)
{
    if (piece != NULL)
    {
        parts->view.mass = *piece->mass;
        parts->quick = true;
        return RBL_OK;
    }
    rblMeshId mesh;
    RBL_TRY(draft_mesh(draft, parts->allocator, &mesh));
    const rblResult result = rbl_mesh_mass_properties(mesh, 1.0, &parts->view.mass);
    rbl_mesh_destroy(mesh);
    return result;
}

// Data for the creation of a hull.
typedef struct Making
{
    const rblVec3* points;
    uint32_t count;
    const rblConvexPieceDef* piece; // null: an ordinary hull
    bool* taken;                    // set when the shape has taken ownership of the surface of the piece
    rblHullTriangles triangles;
    rblHullDraft draft;
    rblPointArray bound; // points that must be behind the final planes
} Making;

// Create mass, polytope and shape from the draft, in this order; the caller frees the draft. On failure the
// caller still owns the surface of a piece.
static rblResult finish(const Making* m, rblShapeId* out)
{
    rblShape parts = {.kind = m->piece != NULL ? &rbl_convex_piece_kind : &rbl_hull_kind,
                      .allocator = rbl_default_allocator()};
    rblHull* hull = NULL;
    HullShape* shape = NULL;
    RBL_TRY(set_mass(&m->draft, m->piece, &parts));
    rblResult result = rbl_hull_pack(&m->draft, parts.view.mass.center, m->bound.data,
                                     (uint32_t)m->bound.count, parts.allocator, &hull);
    if (result == RBL_OK)
    {
        shape = keep_points(hull, m->points, m->count, parts.allocator);
        result = shape != NULL ? RBL_OK : rbl_fail_memory();
    }
    if (result != RBL_OK)
    {
        return result;
    }
    fill_view(&parts.view, &m->draft, hull);
    parts.data = shape;
    parts.core = (rblConvexCore){.form = RBL_CORE_POLYTOPE, .hull = hull};
    if (m->piece != NULL)
    {
        rbl_shape_adopt_surface(&parts, &m->piece->surface);
        *m->taken = true;
    }
    return rbl_shape_register(&parts, sizeof *shape + hull->bytes + m->count * sizeof(rblVec3), NULL, 0, out);
}

// The corners of all triangles, each once: points that must be behind the final planes.
static rblResult gather_bound(const Making* m, rblPointArray* out)
{
    uint8_t* met = rbl_alloc_zero(out->allocator, m->count);
    bool stored = met != NULL && rbl_array_reserve(out, m->count);
    for (size_t i = 0; i < 3 * m->triangles.count && stored; ++i)
    {
        const uint32_t vertex = m->triangles.data[i / 3].vertices[i % 3];
        if (met[vertex] == 0)
        {
            met[vertex] = 1;
            out->data[out->count++] = m->points[vertex];
        }
    }
    RBL_FREE_ARRAY(out->allocator, met, m->count);
    return stored ? RBL_OK : rbl_fail_memory();
}

static rblResult create(Making* m, rblShapeId* out)
{
    RBL_TRY(rbl_hull_triangles(m->points, m->count, &m->triangles));
    const double tolerance = RBL_HULL_FLATNESS * diagonal(m->points, m->count);
    if (m->triangles.count <= 2 * (RBL_HULL_MAX_VERTICES - 2) &&
        is_too_thin(m->points, m->count, &m->triangles, 4.0 * tolerance))
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "hull: the thickness must be at least 1/60000 of the extent");
    }
    RBL_TRY(rbl_hull_merge(m->points, &m->triangles, tolerance, &m->draft));
    if (m->draft.vertices.count > RBL_HULL_MAX_VERTICES)
    {
        return rbl_fail(RBL_ERROR_LIMIT, "hull: the hull has %zu vertices, must be at most %d",
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
