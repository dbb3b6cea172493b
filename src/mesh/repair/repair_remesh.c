// The last method of mesh repair: the surface around all points that are inside by their winding number, extracted on a
// grid.
#include "base/error.h"
#include "bvh/query/closest.h"
#include "bvh/query/winding.h"
#include "bvh/triangle/triangle_distance.h"
#include "math/aabb.h"
#include "mesh/isosurface/isosurface.h"
#include "mesh/repair/repair.h"
#include "mesh/self_intersection.h"

typedef struct Remesh
{
    const rblMeshView* old;
    const rblAllocator* allocator;
    rblIndexArray corners; // three per triangle of the old mesh
    rblIndexArray faces;   // per triangle: its face
    rblVec3d center;       // of the old mesh: origin of the tree, whose coordinates are 32-bit
    rblVec3d* points;      // three per triangle, relative to that centre
    rblForest forest;
    rblBvh tree; // of the forest, over `points`
    rblWinding winding;
    double step; // width of a cell
} Remesh;

// Mark the filled holes with a face that intersects another one.
static rblResult mark_crossing(const rblRepair* r, const rblMeshView* old, uint8_t* crossing)
{
    rblIntersectionArray pairs;
    rbl_array_init(&pairs, r->allocator);
    const rblResult result = rbl_self_intersections(old, NULL, &pairs);
    for (size_t i = 0; result == RBL_OK && i < 2 * pairs.count; ++i)
    {
        const uint32_t hole = r->faces.data[pairs.data[i / 2].faces[i % 2]].hole;
        if (hole != RBL_NONE)
        {
            crossing[hole] = 1;
        }
    }
    rbl_array_free(&pairs);
    return result;
}

// Remove the triangles of the marked holes.
static void drop_crossing(const rblRepair* r, Remesh* remesh, const uint8_t* crossing)
{
    size_t kept = 0;
    for (size_t t = 0; t < remesh->faces.count; ++t)
    {
        const uint32_t hole = r->faces.data[remesh->faces.data[t]].hole;
        if (hole != RBL_NONE && crossing[hole])
        {
            continue;
        }
        remesh->faces.data[kept] = remesh->faces.data[t];
        for (size_t k = 0; k < 3; ++k)
        {
            remesh->corners.data[3 * kept + k] = remesh->corners.data[3 * t + k];
        }
        kept += 1;
    }
    remesh->faces.count = kept;
    remesh->corners.count = 3 * kept;
}

static rblResult list_triangles(const rblRepair* r, Remesh* remesh)
{
    RBL_TRY(rbl_triangulate_corners(remesh->old, &remesh->corners, &remesh->faces));
    if (r->hole_count == 0)
    {
        return RBL_OK;
    }
    uint8_t* crossing = rbl_alloc_zero(r->allocator, r->hole_count);
    const rblResult result = crossing != NULL ? mark_crossing(r, remesh->old, crossing) : rbl_fail_memory();
    if (result == RBL_OK)
    {
        drop_crossing(r, remesh, crossing);
    }
    rbl_free(r->allocator, crossing, r->hole_count);
    return result;
}

static rblResult remesh_init(const rblRepair* r, Remesh* remesh)
{
    RBL_TRY(list_triangles(r, remesh));
    const size_t count = remesh->corners.count;
    if (count == 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY, "repair: no face remains to rebuild the surface from");
    }
    remesh->points = RBL_NEW_ARRAY(remesh->allocator, rblVec3d, count);
    if (remesh->points == NULL)
    {
        return rbl_fail_memory();
    }
    remesh->center = rbl_aabbd_center(rbl_mesh_bounds(remesh->old));
    for (size_t i = 0; i < count; ++i)
    {
        const uint32_t vertex = remesh->old->corner_vertices[remesh->corners.data[i]];
        remesh->points[i] = rbl_sub3d(remesh->old->positions[vertex], remesh->center);
    }
    const rblTriangleSpan span = {.positions = remesh->points,
                                  .stride = sizeof(rblVec3d),
                                  .is_double = true,
                                  .vertex_count = (uint32_t)count,
                                  .triangle_count = (uint32_t)(count / 3)};
    RBL_TRY(rbl_forest_build(&remesh->forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    remesh->tree = rbl_forest_tree(&remesh->forest, 0);
    return rbl_winding_build(&remesh->winding, &remesh->tree, rbl_default_jobs());
}

static void remesh_free(Remesh* remesh)
{
    rbl_winding_free(&remesh->winding);
    rbl_forest_free(&remesh->forest);
    RBL_FREE_ARRAY(remesh->allocator, remesh->points, remesh->corners.count);
    rbl_array_free(&remesh->corners);
    rbl_array_free(&remesh->faces);
}

static rblVec3 in_tree(const Remesh* remesh, rblVec3d p)
{
    return rbl_to_float3(rbl_sub3d(p, remesh->center));
}

static rblClosestPoint closest_to(const Remesh* remesh, rblVec3d p)
{
    rblClosestPoint closest = {.distance = 0.0f};
    rbl_tree_closest(&remesh->tree, in_tree(remesh, p), INFINITY, RBL_NO_LEAF, &closest);
    return closest;
}

static double winding_at(const Remesh* remesh, rblVec3d p)
{
    return (double)rbl_tree_winding_number(&remesh->tree, &remesh->winding, in_tree(remesh, p),
                                           RBL_WINDING_BETA);
}

// ---- the field ----

// Signed distance. The winding number gives the sign, so that gaps are bridged and inner surfaces do not count.
static double field_at(rblVec3d p, void* context)
{
    const Remesh* remesh = context;
    const double distance = (double)closest_to(remesh, p).distance;
    // Never zero: a point on a face inside the solid is inside like any other.
    const double away = rbl_maxd(distance, 1e-9 * remesh->step);
    return rbl_tree_inside(&remesh->tree, &remesh->winding, in_tree(remesh, p)) ? -away : away;
}

static double winding_slope(const Remesh* remesh, rblVec3d p, rblVec3d axis)
{
    const double half = 0.25 * remesh->step;
    return winding_at(remesh, rbl_mul_add3d(p, -half, axis)) -
           winding_at(remesh, rbl_mul_add3d(p, half, axis));
}

// Near the old surface: its normal, which keeps edges sharp. Where a gap is bridged: the direction in which the
// winding number decreases.
static rblVec3d gradient_at(rblVec3d p, void* context)
{
    const Remesh* remesh = context;
    const rblClosestPoint closest = closest_to(remesh, p);
    if ((double)closest.distance < 0.25 * remesh->step)
    {
        const rblVec3d* t = remesh->points + 3 * (size_t)closest.triangle;
        return rbl_cross3d(rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[0]));
    }
    return (rblVec3d){winding_slope(remesh, p, (rblVec3d){1, 0, 0}),
                      winding_slope(remesh, p, (rblVec3d){0, 1, 0}),
                      winding_slope(remesh, p, (rblVec3d){0, 0, 1})};
}

static rblResult extract(Remesh* remesh, uint32_t cells, rblIsosurfaceMethod method, rblMesh** out)
{
    const rblAabbd bounds = rbl_mesh_bounds(remesh->old);
    const rblVec3d size = rbl_aabbd_size(bounds);
    remesh->step = rbl_maxd(size.x, rbl_maxd(size.y, size.z)) / cells;
    rblIsosurfaceDef def = rbl_default_isosurface_def();
    // Cells that contain the whole mesh, and a margin so that nothing touches the border.
    def.cells[0] = (uint32_t)ceil(size.x / remesh->step) + 4;
    def.cells[1] = (uint32_t)ceil(size.y / remesh->step) + 4;
    def.cells[2] = (uint32_t)ceil(size.z / remesh->step) + 4;
    // Shift by irregular fractions of a cell: many models have faces in the planes of an unshifted grid, and the sign
    // of a point on a face is arbitrary.
    const rblVec3d shift = {0.137 * remesh->step, 0.211 * remesh->step, 0.173 * remesh->step};
    const rblVec3d half = {0.5 * remesh->step * def.cells[0], 0.5 * remesh->step * def.cells[1],
                           0.5 * remesh->step * def.cells[2]};
    const rblVec3d center = rbl_add3d(rbl_aabbd_center(bounds), shift);
    def.bounds = (rblAabbd){rbl_sub3d(center, half), rbl_add3d(center, half)};
    def.method = method;
    def.field = field_at;
    def.gradient = gradient_at;
    def.context = remesh;
    return rbl_isosurface(&def, remesh->allocator, out);
}

// ---- attributes ----

// Add a corner with the attributes of the closest point of the old triangle.
static void add_corner(const Remesh* remesh, rblMeshBuilder* builder, uint32_t vertex, rblVec3d p,
                       uint32_t triangle, rblVec3d unit)
{
    const uint32_t* corners = remesh->corners.data + 3 * (size_t)triangle;
    const rblVec3d* t = remesh->points + 3 * (size_t)triangle;
    const rblTriangled shape = {{t[0], t[1], t[2]}};
    const rblTrianglePoint place = rbl_triangle_closest(&shape, rbl_sub3d(p, remesh->center));
    const uint32_t added =
        rbl_mesh_builder_corner_blend(builder, vertex, remesh->old, corners, place.weights, 3);
    rbl_repair_adjust_normals(builder, added, unit);
}

static void add_face(const Remesh* remesh, rblMeshBuilder* builder, const rblMeshView* shape, uint32_t f)
{
    rblVec3d sum = {0, 0, 0};
    for (uint32_t c = shape->face_starts[f]; c < shape->face_starts[f + 1]; ++c)
    {
        sum = rbl_add3d(sum, shape->positions[shape->corner_vertices[c]]);
    }
    const rblVec3d middle = rbl_scale3d(sum, 1.0 / rbl_face_size(shape, f));
    const uint32_t triangle = closest_to(remesh, middle).triangle;
    const rblVec3d unit = rbl_normalize3d(rbl_face_normal_area2(shape, f), (rblVec3d){0, 0, 0});
    for (uint32_t c = shape->face_starts[f]; c < shape->face_starts[f + 1]; ++c)
    {
        const uint32_t vertex = shape->corner_vertices[c];
        add_corner(remesh, builder, vertex, shape->positions[vertex], triangle, unit);
    }
    const uint32_t old = remesh->faces.data[triangle];
    rbl_mesh_builder_face(builder, remesh->old->face_materials[old], remesh->old->face_groups[old],
                          remesh->old->face_origins[old]);
}

static rblResult dress(const Remesh* remesh, const rblMeshView* shape, rblMesh** out)
{
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, remesh->allocator);
    rbl_mesh_builder_like(&builder, remesh->old);
    rbl_mesh_builder_reserve(&builder, shape->vertex_count, shape->face_count, shape->corner_count);
    for (uint32_t v = 0; v < shape->vertex_count; ++v)
    {
        rbl_mesh_builder_vertex(&builder, shape->positions[v]);
    }
    for (uint32_t f = 0; f < shape->face_count && !builder.failed; ++f)
    {
        add_face(remesh, &builder, shape, f);
    }
    return rbl_mesh_builder_finish(&builder, out);
}

static rblResult extract_and_dress(Remesh* remesh, uint32_t cells, rblIsosurfaceMethod method, rblMesh** out)
{
    rblMesh* shape;
    RBL_TRY(extract(remesh, cells, method, &shape));
    const rblResult result = dress(remesh, rbl_mesh_get_view(shape), out);
    rbl_mesh_free(shape);
    return result;
}

rblResult rbl_repair_remesh(const rblRepair* r, const rblMeshView* mesh, bool smooth, rblMesh** out)
{
    Remesh remesh = {.old = mesh, .allocator = r->allocator};
    rbl_forest_init(&remesh.forest, r->allocator);
    rbl_winding_init(&remesh.winding, r->allocator);
    rbl_array_init(&remesh.corners, r->allocator);
    rbl_array_init(&remesh.faces, r->allocator);
    rblResult result = remesh_init(r, &remesh);
    if (result == RBL_OK)
    {
        const rblIsosurfaceMethod method = smooth ? RBL_SURFACE_NETS : RBL_DUAL_CONTOURING;
        result = extract_and_dress(&remesh, r->options.remesh_cells, method, out);
    }
    remesh_free(&remesh);
    return result;
}
