// The distance between the surface of a tetrahedral mesh and the surface it was made from.
#include "base/error.h"
#include "base/jobs.h"
#include "bvh/query/closest.h"
#include "math/aabb.h"
#include "math/vec.h"
#include "mesh/tets/tets.h"

// One of the two surfaces: triangles relative to a common centre.
typedef struct Side
{
    rblVec3dArray positions;
    rblIndexArray corners; // three vertices per triangle
    rblForest forest;
    rblBvh bvh;
    double volume;
} Side;

static void init_side(Side* side, const rblAllocator* allocator)
{
    *side = (Side){.volume = 0.0};
    rbl_array_init(&side->positions, allocator);
    rbl_array_init(&side->corners, allocator);
    rbl_forest_init(&side->forest, allocator);
}

static void free_side(Side* side)
{
    rbl_array_free(&side->positions);
    rbl_array_free(&side->corners);
    rbl_forest_free(&side->forest);
}

static void triangle_of(const Side* side, size_t triangle, rblVec3d out[3])
{
    for (size_t i = 0; i < 3; ++i)
    {
        out[i] = side->positions.data[side->corners.data[3 * triangle + i]];
    }
}

static rblResult build_side(Side* side, const rblMeshView* view, rblVec3d center)
{
    RBL_TRY(rbl_triangulate_corners(view, &side->corners, NULL));
    if (!rbl_array_resize(&side->positions, view->vertex_count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        side->positions.data[v] = rbl_sub3d(view->positions[v], center);
    }
    for (size_t i = 0; i < side->corners.count; ++i)
    {
        side->corners.data[i] = view->corner_vertices[side->corners.data[i]];
    }
    for (size_t t = 0; t < side->corners.count / 3; ++t)
    {
        rblVec3d p[3];
        triangle_of(side, t, p);
        side->volume += rbl_dot3d(p[0], rbl_cross3d(p[1], p[2])) / 6.0;
    }
    const rblTriangleSpan span = {.positions = side->positions.data,
                                  .stride = sizeof(rblVec3d),
                                  .is_double = true,
                                  .vertex_count = (uint32_t)side->positions.count,
                                  .indices = side->corners.data,
                                  .triangle_count = (uint32_t)(side->corners.count / 3)};
    RBL_TRY(rbl_forest_build(&side->forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    side->bvh = rbl_forest_tree(&side->forest, 0);
    return RBL_OK;
}

// The result of one block of triangles.
typedef struct Found
{
    double largest, sum, area;
    rblVec3d at;
} Found;

typedef struct Measure
{
    const Side* from;
    const Side* to;
    Found found[RBL_MAX_BLOCKS];
} Measure;

static double distance_to(const Side* side, rblVec3d point, uint32_t* hint)
{
    rblClosestPoint closest;
    if (!rbl_tree_closest(&side->bvh, rbl_to_float3(point), INFINITY, *hint, &closest))
    {
        return 0.0;
    }
    *hint = closest.leaf;
    return (double)closest.distance;
}

static void measure_triangles(rblRange range, void* context)
{
    Measure* measure = context;
    Found found = {.largest = 0.0};
    uint32_t hint = RBL_NO_LEAF;
    for (uint32_t t = range.begin; t < range.end; ++t)
    {
        rblVec3d p[3];
        triangle_of(measure->from, t, p);
        const rblVec3d middle = rbl_scale3d(rbl_add3d(rbl_add3d(p[0], p[1]), p[2]), 1.0 / 3.0);
        const rblVec3d points[7] = {p[0],
                                    p[1],
                                    p[2],
                                    rbl_lerp3d(p[0], p[1], 0.5),
                                    rbl_lerp3d(p[1], p[2], 0.5),
                                    rbl_lerp3d(p[2], p[0], 0.5),
                                    middle};
        const double area = 0.5 * rbl_length3d(rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0])));
        double sum = 0.0;
        for (uint32_t i = 0; i < 7; ++i)
        {
            const double distance = distance_to(measure->to, points[i], &hint);
            sum += distance;
            if (distance > found.largest)
            {
                found.largest = distance;
                found.at = points[i];
            }
        }
        found.sum += sum / 7.0 * area;
        found.area += area;
    }
    measure->found[range.block] = found;
}

static Found measure_from(const Side* from, const Side* to)
{
    Measure measure = {.from = from, .to = to};
    const uint32_t count = (uint32_t)(from->corners.count / 3);
    rbl_parallel_for(rbl_default_jobs(), count, 64, measure_triangles, &measure);
    Found all = {.largest = 0.0};
    for (uint32_t b = 0; b < rbl_block_count(count, 64); ++b)
    {
        const Found* found = &measure.found[b];
        all.at = found->largest > all.largest ? found->at : all.at;
        all.largest = rbl_maxd(found->largest, all.largest);
        all.sum += found->sum;
        all.area += found->area;
    }
    return all;
}

static rblResult compare_views(const rblMeshView* surface, const rblMeshView* original, rblTetsError* out)
{
    const rblVec3d center = rbl_aabbd_center(rbl_mesh_bounds(original));
    Side own, given;
    init_side(&own, rbl_default_allocator());
    init_side(&given, rbl_default_allocator());
    rblResult result = build_side(&own, surface, center);
    result = result == RBL_OK ? build_side(&given, original, center) : result;
    if (result == RBL_OK)
    {
        const Found outward = measure_from(&own, &given), back = measure_from(&given, &own);
        *out = (rblTetsError){.outward_max = outward.largest,
                              .outward_mean = outward.sum / outward.area,
                              .outward_at = rbl_add3d(outward.at, center),
                              .original_max = back.largest,
                              .original_mean = back.sum / back.area,
                              .original_at = rbl_add3d(back.at, center),
                              .volume_ratio = own.volume / given.volume};
    }
    free_side(&own);
    free_side(&given);
    return result;
}

static rblResult compare(const rblTetsView* view, rblMeshId original, rblTetsError* out)
{
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(original, &mesh));
    rblMesh* surface = NULL;
    rblResult result = rbl_tets_surface_mesh(view, view->solid_tet_count, &surface);
    if (result == RBL_OK)
    {
        result = compare_views(rbl_mesh_get_view(surface), rbl_mesh_get_view(mesh), out);
        rbl_mesh_free(surface);
    }
    rbl_mesh_release(mesh);
    return result;
}

rblResult rbl_tets_compare(rblTetsId id, rblMeshId original, rblTetsError* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: out must not be null");
    }
    rblTets* tets;
    RBL_TRY(rbl_tets_acquire(id, &tets));
    const rblResult result = compare(rbl_tets_get_view(tets), original, out);
    rbl_tets_release(tets);
    return result;
}
