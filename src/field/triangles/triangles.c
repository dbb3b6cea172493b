// Static meshes of triangles as shapes: creation, distances, rays.
#include "field/triangles/triangles.h"

#include "base/error.h"
#include "base/hash_map.h"
#include "bvh/query/closest.h"
#include "bvh/query/ray.h"
#include "field/field.h"
#include "field/shape_check.h"
#include "field/shape_codec.h"
#include "math/aabb.h"
#include "math/trig.h"
#include "mesh/mesh.h"
#include "mesh/mesh_codec.h"
#include <string.h>

#define MIN_SINE   1e-6 // of the angle at a corner; a triangle with a smaller one has no area
#define MAX_PASSES 64u  // back faces that a ray passes, at most

// ---- distances ----

rblVec3 rbl_triangle_normal(const rblTriangles* mesh, uint32_t leaf)
{
    const rblLeafTriangle* t = &mesh->tree.triangles[leaf];
    const rblVec3d a = rbl_to_double3(t->a);
    const rblVec3d n = rbl_cross3d(rbl_sub3d(rbl_to_double3(t->b), a), rbl_sub3d(rbl_to_double3(t->c), a));
    return rbl_to_float3(rbl_normalize3d(n, (rblVec3d){0, 1, 0}));
}

static double angle_at(const rblTriangles* mesh, uint32_t leaf, uint32_t corner)
{
    const rblVec3d p = rbl_to_double3(rbl_triangle_corner(mesh, leaf, corner));
    const rblVec3d u = rbl_sub3d(rbl_to_double3(rbl_triangle_corner(mesh, leaf, (corner + 1) % 3)), p);
    const rblVec3d v = rbl_sub3d(rbl_to_double3(rbl_triangle_corner(mesh, leaf, (corner + 2) % 3)), p);
    return rbl_atan2(rbl_length3d(rbl_cross3d(u, v)), rbl_dot3d(u, v));
}

// First around one way; if that ends at a border, the other way from the start.
uint32_t rbl_triangle_fan(const rblTriangles* mesh, uint32_t leaf, uint32_t corner,
                          rblAcross out[RBL_MAX_FAN])
{
    uint32_t count = 0;
    out[count++] = 4 * leaf + corner;
    for (uint32_t way = 0; way < 2; ++way)
    {
        uint32_t at = leaf;
        uint32_t pivot = corner;
        while (count < RBL_MAX_FAN)
        {
            // Across the edge that leaves the pivot, or across the one that arrives at it.
            const uint32_t edge = way == 0 ? pivot : (pivot + 2) % 3;
            const rblAcross across = mesh->across[3 * (size_t)at + edge];
            if (across == RBL_NONE)
            {
                break;
            }
            at = across / 4;
            if (at == leaf)
            {
                return count;
            }
            pivot = way == 0 ? (across % 4 + 2) % 3 : (across % 4 + 1) % 3;
            out[count++] = 4 * at + pivot;
        }
    }
    return count;
}

static rblVec3 normal_at_vertex(const rblTriangles* mesh, uint32_t leaf, uint32_t corner)
{
    rblAcross fan[RBL_MAX_FAN];
    const uint32_t count = rbl_triangle_fan(mesh, leaf, corner, fan);
    rblVec3 sum = {0, 0, 0};
    for (uint32_t i = 0; i < count; ++i)
    {
        const float angle = (float)angle_at(mesh, fan[i] / 4, fan[i] % 4);
        sum = rbl_mul_add3(sum, angle, rbl_triangle_normal(mesh, fan[i] / 4));
    }
    return sum;
}

static rblVec3 normal_at_edge(const rblTriangles* mesh, uint32_t leaf, uint32_t edge)
{
    const rblVec3 own = rbl_triangle_normal(mesh, leaf);
    const rblAcross across = mesh->across[3 * (size_t)leaf + edge];
    return across == RBL_NONE ? own : rbl_add3(own, rbl_triangle_normal(mesh, across / 4));
}

static rblVec3 normal_at(const rblTriangles* mesh, const rblClosestPoint* found)
{
    rblVec3 sum;
    if (found->feature == RBL_FEATURE_FACE)
    {
        return rbl_triangle_normal(mesh, found->leaf);
    }
    if (found->feature >= RBL_FEATURE_EDGE_0)
    {
        sum = normal_at_edge(mesh, found->leaf, (uint32_t)found->feature - RBL_FEATURE_EDGE_0);
    }
    else
    {
        sum = normal_at_vertex(mesh, found->leaf, (uint32_t)found->feature);
    }
    return rbl_normalize3(sum, rbl_triangle_normal(mesh, found->leaf));
}

float rbl_triangles_distance(const rblTriangles* mesh, rblVec3 point, rblVec3* gradient, rblVec3* nearest,
                             rblVec3* normal)
{
    rblClosestPoint found;
    if (!rbl_tree_closest(&mesh->tree, point, INFINITY, RBL_NO_LEAF, &found))
    {
        *gradient = (rblVec3){0, 1, 0};
        return INFINITY; // the point is not finite
    }
    const rblVec3 up = normal_at(mesh, &found);
    const rblVec3 offset = rbl_sub3(point, found.point);
    const bool behind = rbl_dot3(up, offset) < 0.0f;
    *gradient = rbl_normalize3(behind ? rbl_neg3(offset) : offset, up);
    if (nearest != NULL)
    {
        *nearest = found.point;
    }
    if (normal != NULL)
    {
        *normal = up;
    }
    return behind ? -found.distance : found.distance;
}

// ---- kind ----

extern const rblShapeKind rbl_triangles_kind;

static float distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    return rbl_triangles_distance(data, point, gradient, NULL, NULL);
}

// Rays enter through the front: they pass triangles seen from behind.
static bool ray_hits(const void* data, const rblRay* ray, rblShapeHit* hit)
{
    const rblTriangles* mesh = data;
    rblRay rest = *ray;
    for (uint32_t i = 0; i < MAX_PASSES; ++i)
    {
        rblRayHit found;
        if (!rbl_tree_ray_closest(&mesh->tree, &rest, &found))
        {
            return false;
        }
        const rblVec3 normal = rbl_triangle_normal(mesh, found.leaf);
        if (rbl_dot3(normal, ray->direction) < 0.0f)
        {
            *hit = (rblShapeHit){found.t, normal};
            return true;
        }
        const float next = found.t + fabsf(found.t) * 0x1p-22f + 0x1p-120f;
        rest.t_min = next;
        if (!(rest.t_min <= rest.t_max))
        {
            return false;
        }
    }
    return false;
}

static void free_triangles(void* data, const rblAllocator* allocator)
{
    rblTriangles* mesh = data;
    const size_t leaves = mesh->forest.leaf_count;
    RBL_FREE_ARRAY(allocator, mesh->across, 3 * leaves);
    rbl_forest_free(&mesh->forest);
    rbl_free(allocator, mesh, sizeof *mesh);
}

static rblResult put(rblByteSink* sink, const rblShape* shape, const rblSourceNumbers* numbers)
{
    (void)numbers;
    rblMeshView surface;
    RBL_TRY(rbl_mesh_view(shape->view.surface, &surface));
    rbl_put_mesh(sink, &surface);
    return RBL_OK;
}

static rblResult take(rblByteSource* source, const rblSourceTables* tables, rblShapeId* out)
{
    (void)tables;
    rblMeshId mesh;
    RBL_TRY(rbl_take_mesh(source, rbl_default_allocator(), &mesh));
    const rblResult result = rbl_shape_create_triangles(mesh, out);
    rbl_mesh_destroy(mesh);
    return result;
}

// Neighbours name each other.
static rblResult check(const rblShape* shape)
{
    const rblTriangles* mesh = shape->data;
    for (uint32_t i = 0; i < 3 * mesh->forest.leaf_count; ++i)
    {
        const rblAcross across = mesh->across[i];
        if (across == RBL_NONE)
        {
            continue;
        }
        RBL_SHAPE_CHECK(across / 4 < mesh->forest.leaf_count && across % 4 < 3, "a neighbour does not exist",
                        i);
        const rblAcross back = mesh->across[3 * (size_t)(across / 4) + (across % 4 + 1) % 3];
        RBL_SHAPE_CHECK(back != RBL_NONE && back / 4 == i / 3, "a neighbour has another neighbour", i);
    }
    return RBL_OK;
}

const rblShapeKind rbl_triangles_kind = {.name = "triangles",
                                         .unbounded = true,
                                         .distance = distance,
                                         .ray = ray_hits,
                                         .collide = rbl_triangles_collide,
                                         .impact = rbl_triangles_impact,
                                         .check = check,
                                         .put = put,
                                         .take = take,
                                         .free = free_triangles};

// ---- neighbours ----

// The vertices of the same position get the same number. Positions are compared as floats, as the tree stores them.
static bool number_positions(const rblTriangles* mesh, rblHashMap* map, uint32_t* numbers)
{
    const uint32_t corners = 3 * mesh->forest.leaf_count;
    for (uint32_t i = 0; i < corners; ++i)
    {
        const rblVec3 p =
            rbl_add3(rbl_triangle_corner(mesh, i / 3, i % 3), (rblVec3){0, 0, 0}); // -0 becomes 0
        uint64_t key = rbl_hash_u64(rbl_hash_bytes(RBL_HASH_START, &p, sizeof p));
        for (;;)
        {
            bool added;
            const uint32_t* first = rbl_hash_map_get_or_add(map, key, i, &added);
            if (first == NULL)
            {
                return false;
            }
            const rblVec3 q = rbl_triangle_corner(mesh, *first / 3, *first % 3);
            if (added || (q.x == p.x && q.y == p.y && q.z == p.z))
            {
                numbers[i] = *first;
                break;
            }
            key = rbl_hash_u64(key + 1); // another position with the same hash
        }
    }
    return true;
}

// A directed edge from one number to another as a key.
static uint64_t directed_key(uint32_t from, uint32_t to)
{
    return (uint64_t)from << 32 | to;
}

// Edges that occur twice in one direction belong to more than two triangles, or to triangles of opposite orientation: they
// have no neighbours.
static bool find_across(rblTriangles* mesh, const uint32_t* numbers, rblHashMap* edges, uint8_t* repeated)
{
    const uint32_t corners = 3 * mesh->forest.leaf_count;
    for (uint32_t i = 0; i < corners; ++i)
    {
        const uint32_t next = i - i % 3 + (i + 1) % 3;
        bool added;
        const uint32_t* first =
            rbl_hash_map_get_or_add(edges, directed_key(numbers[i], numbers[next]), i, &added);
        if (first == NULL)
        {
            return false;
        }
        repeated[*first] |= !added;
    }
    for (uint32_t i = 0; i < corners; ++i)
    {
        const uint32_t next = i - i % 3 + (i + 1) % 3;
        const uint32_t own = rbl_hash_map_find(edges, directed_key(numbers[i], numbers[next]));
        const uint32_t other = rbl_hash_map_find(edges, directed_key(numbers[next], numbers[i]));
        const bool single = own == i && repeated[own] == 0 && other != RBL_MAP_EMPTY && repeated[other] == 0;
        mesh->across[i] = single ? other / 3 * 4 + (other + 2) % 3 : RBL_NONE;
    }
    return true;
}

static rblResult connect(rblTriangles* mesh, const rblAllocator* allocator)
{
    const size_t corners = 3 * (size_t)mesh->forest.leaf_count;
    uint32_t* numbers = RBL_NEW_ARRAY(allocator, uint32_t, corners);
    uint8_t* repeated = rbl_alloc_zero(allocator, corners);
    rblHashMap map;
    rbl_hash_map_init(&map, allocator);
    mesh->across = RBL_NEW_ARRAY(allocator, rblAcross, corners);
    bool done = numbers != NULL && repeated != NULL && mesh->across != NULL &&
                rbl_hash_map_reserve(&map, corners / 4) && number_positions(mesh, &map, numbers);
    rbl_hash_map_free(&map);
    rbl_hash_map_init(&map, allocator);
    done = done && rbl_hash_map_reserve(&map, corners) && find_across(mesh, numbers, &map, repeated);
    rbl_hash_map_free(&map);
    rbl_free(allocator, repeated, corners);
    RBL_FREE_ARRAY(allocator, numbers, corners);
    return done ? RBL_OK : rbl_fail_memory();
}

// ---- creation ----

// As floats, as the tree stores them.
static rblVec3d rounded(rblVec3d p)
{
    return rbl_to_double3(rbl_to_float3(p));
}

static bool has_area(const rblVec3d* positions, const uint32_t vertices[3])
{
    const rblVec3d a = rounded(positions[vertices[0]]);
    const rblVec3d ab = rbl_sub3d(rounded(positions[vertices[1]]), a);
    const rblVec3d ac = rbl_sub3d(rounded(positions[vertices[2]]), a);
    const rblVec3d bc = rbl_sub3d(ac, ab);
    const double longest = rbl_maxd(rbl_dot3d(ab, ab), rbl_maxd(rbl_dot3d(ac, ac), rbl_dot3d(bc, bc)));
    return rbl_length3d(rbl_cross3d(ab, ac)) > MIN_SINE * longest;
}

static uint32_t drop_degenerate(const rblMeshView* view, rblIndexArray* indices)
{
    size_t kept = 0;
    for (size_t i = 0; i < indices->count; i += 3)
    {
        const uint32_t vertices[3] = {view->corner_vertices[indices->data[i]],
                                      view->corner_vertices[indices->data[i + 1]],
                                      view->corner_vertices[indices->data[i + 2]]};
        if (has_area(view->positions, vertices))
        {
            memcpy(&indices->data[kept], vertices, sizeof vertices);
            kept += 3;
        }
    }
    indices->count = kept;
    return (uint32_t)(kept / 3);
}

static rblResult build(const rblMeshView* view, rblIndexArray* indices, const rblAllocator* allocator,
                       rblTriangles* mesh)
{
    RBL_TRY(rbl_triangulate_corners(view, indices, NULL));
    const uint32_t count = drop_degenerate(view, indices);
    if (count == 0)
    {
        return rbl_fail(RBL_ERROR_GEOMETRY,
                        "triangles: no triangle of the mesh has an area, at least one must");
    }
    const rblTriangleSpan span = {.positions = view->positions,
                                  .stride = sizeof(rblVec3d),
                                  .is_double = true,
                                  .vertex_count = view->vertex_count,
                                  .indices = indices->data,
                                  .triangle_count = count};
    RBL_TRY(rbl_forest_build(&mesh->forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    rbl_forest_free_scratch(&mesh->forest);
    mesh->tree = rbl_forest_tree(&mesh->forest, 0);
    mesh->bytes = sizeof *mesh + mesh->forest.node_count * sizeof(rblAabb) +
                  count * (sizeof(uint32_t) + sizeof(rblLeafTriangle) + 3 * sizeof(rblAcross));
    return connect(mesh, allocator);
}

static rblResult create_from(const rblMeshView* view, rblMeshId surface, rblShapeId* out)
{
    rblShape parts = {.kind = &rbl_triangles_kind, .allocator = rbl_default_allocator()};
    rblTriangles* mesh = rbl_alloc_zero(parts.allocator, sizeof *mesh);
    if (mesh == NULL)
    {
        return rbl_fail_memory();
    }
    rblIndexArray indices;
    rbl_array_init(&indices, parts.allocator);
    rbl_forest_init(&mesh->forest, parts.allocator);
    rblResult result = build(view, &indices, parts.allocator, mesh);
    rbl_array_free(&indices);
    if (result == RBL_OK)
    {
        result = rbl_mesh_share(surface, &parts.view.surface);
    }
    if (result != RBL_OK)
    {
        free_triangles(mesh, parts.allocator);
        return result;
    }
    parts.data = mesh;
    parts.view.bounds = mesh->tree.nodes[0];
    parts.view.radius = INFINITY;
    parts.view.inner_radius = INFINITY;
    parts.view.thinnest = INFINITY;
    return rbl_shape_register(&parts, mesh->bytes, NULL, 0, out);
}

rblResult rbl_shape_create_triangles(rblMeshId mesh, rblShapeId* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "triangles: out must not be null");
    }
    rblMesh* source;
    RBL_TRY(rbl_mesh_acquire(mesh, &source));
    const rblResult result = create_from(rbl_mesh_get_view(source), mesh, out);
    rbl_mesh_release(source);
    return result;
}
