// Shape measures of tetrahedra.
#include "base/error.h"
#include "math/aabb.h"
#include "math/trig.h"
#include "math/vec.h"
#include "mesh/inspect.h"
#include "mesh/tets/tets.h"
#include <string.h>

#define DEGREES (180.0 / 3.14159265358979323846)

// The extremes of one part. Angles are stored as cosines, which have the opposite order.
typedef struct Shapes
{
    double largest_cosine, smallest_cosine;
    uint32_t sharpest, bluntest;
    double shortest2, longest2;
    double smallest_volume, largest_volume, volume;
    double worst_ratio, ratio_sum;
    double bin_cosines[RBL_TETS_ANGLE_BINS]; // upper ends of the bins
    uint32_t bins[RBL_TETS_ANGLE_BINS];
} Shapes;

// Three times the radius of the inscribed sphere over the radius of the circumscribed sphere.
//   r = 3 V / sum of areas,   R = |a^2 b x c + b^2 c x a + c^2 a x b| / (12 V),   a, b, c from one corner
static double radius_ratio(const rblVec3d corners[4], double volume)
{
    double areas = 0.0;
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint8_t* face = rbl_tet_faces[k];
        const rblVec3d p = corners[face[0]];
        areas +=
            0.5 * rbl_length3d(rbl_cross3d(rbl_sub3d(corners[face[1]], p), rbl_sub3d(corners[face[2]], p)));
    }
    const rblVec3d a = rbl_sub3d(corners[1], corners[0]);
    const rblVec3d b = rbl_sub3d(corners[2], corners[0]);
    const rblVec3d c = rbl_sub3d(corners[3], corners[0]);
    rblVec3d sum = rbl_scale3d(rbl_cross3d(b, c), rbl_dot3d(a, a));
    sum = rbl_mul_add3d(sum, rbl_dot3d(b, b), rbl_cross3d(c, a));
    sum = rbl_mul_add3d(sum, rbl_dot3d(c, c), rbl_cross3d(a, b));
    const double length = rbl_length3d(sum);
    return areas > 0.0 && length > 0.0 ? 108.0 * volume * volume / (areas * length) : 0.0;
}

static void measure_angles(Shapes* shapes, uint32_t tet, const rblVec3d corners[4])
{
    double cosines[6];
    rbl_tet_angle_cosines(corners, cosines);
    for (uint32_t e = 0; e < 6; ++e)
    {
        if (cosines[e] > shapes->largest_cosine)
        {
            shapes->largest_cosine = cosines[e];
            shapes->sharpest = tet;
        }
        if (cosines[e] < shapes->smallest_cosine)
        {
            shapes->smallest_cosine = cosines[e];
            shapes->bluntest = tet;
        }
        uint32_t bin = 0;
        while (bin + 1 < RBL_TETS_ANGLE_BINS && cosines[e] <= shapes->bin_cosines[bin])
        {
            ++bin;
        }
        shapes->bins[bin] += 1;
    }
}

static void measure_tet(Shapes* shapes, const rblTetsView* view, uint32_t tet)
{
    rblVec3d corners[4];
    rbl_tet_corners(view, tet, corners);
    const double volume = rbl_tet_volume(corners);
    const double ratio = radius_ratio(corners, volume);
    measure_angles(shapes, tet, corners);
    shapes->volume += volume;
    shapes->smallest_volume = rbl_mind(volume, shapes->smallest_volume);
    shapes->largest_volume = rbl_maxd(volume, shapes->largest_volume);
    shapes->worst_ratio = rbl_mind(ratio, shapes->worst_ratio);
    shapes->ratio_sum += ratio;
    for (uint32_t e = 0; e < 6; ++e)
    {
        const rblVec3d edge = rbl_sub3d(corners[rbl_tet_edges[e][0]], corners[rbl_tet_edges[e][1]]);
        shapes->shortest2 = rbl_mind(rbl_dot3d(edge, edge), shapes->shortest2);
        shapes->longest2 = rbl_maxd(rbl_dot3d(edge, edge), shapes->longest2);
    }
}

static Shapes measure_shapes(const rblTetsView* view, uint32_t begin, uint32_t end)
{
    const double infinite = (double)INFINITY;
    Shapes shapes = {.largest_cosine = -2.0,
                     .smallest_cosine = 2.0,
                     .shortest2 = infinite,
                     .smallest_volume = infinite,
                     .worst_ratio = infinite};
    for (uint32_t bin = 0; bin < RBL_TETS_ANGLE_BINS; ++bin)
    {
        shapes.bin_cosines[bin] = rbl_cos(10.0 * (bin + 1) / DEGREES);
    }
    for (uint32_t tet = begin; tet < end; ++tet)
    {
        measure_tet(&shapes, view, tet);
    }
    return shapes;
}

// ---- counts ----

// Connected parts of the solid, by flood fill over neighbours.
static rblResult count_parts(const rblTetsView* view, uint32_t* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const uint32_t count = view->solid_tet_count;
    uint8_t* seen = rbl_alloc_zero(allocator, count);
    uint32_t* stack = RBL_NEW_ARRAY(allocator, uint32_t, count);
    uint32_t parts = 0;
    for (uint32_t start = 0; start < count && seen != NULL && stack != NULL; ++start)
    {
        uint32_t size = 0;
        parts += !seen[start];
        if (!seen[start])
        {
            seen[start] = 1;
            stack[size++] = start;
        }
        while (size > 0)
        {
            const uint32_t tet = stack[--size];
            for (uint32_t k = 0; k < 4; ++k)
            {
                const uint32_t next = view->neighbors[4 * (size_t)tet + k];
                if (next < count && !seen[next])
                {
                    seen[next] = 1;
                    stack[size++] = next;
                }
            }
        }
    }
    const bool failed = seen == NULL || stack == NULL;
    rbl_free(allocator, seen, count);
    RBL_FREE_ARRAY(allocator, stack, count);
    *out = parts;
    return failed ? rbl_fail_memory() : RBL_OK;
}

static rblResult count_regions(const rblTetsView* view, uint32_t* out)
{
    rblHashMap map;
    rbl_hash_map_init(&map, rbl_default_allocator());
    bool failed = false, added;
    for (uint32_t tet = 0; tet < view->tet_count && !failed; ++tet)
    {
        failed = rbl_hash_map_get_or_add(&map, view->regions[tet], 0, &added) == NULL;
    }
    *out = (uint32_t)map.count;
    rbl_hash_map_free(&map);
    return failed ? rbl_fail_memory() : RBL_OK;
}

static rblResult inspect_surface(const rblTetsView* view, rblTetsReport* report)
{
    rblMesh* surface;
    RBL_TRY(rbl_tets_surface_mesh(view, view->solid_tet_count, &surface));
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    rblMeshReport mesh;
    const rblResult result = rbl_inspect_view(rbl_mesh_get_view(surface), &options, &mesh);
    rbl_mesh_free(surface);
    RBL_TRY(result);
    report->area = mesh.area;
    report->surface_faces = mesh.faces;
    report->surface_parts = mesh.components;
    report->surface_genus = mesh.manifold ? mesh.genus : -1;
    return RBL_OK;
}

static rblResult inspect_view(const rblTetsView* view, rblTetsReport* report)
{
    *report = (rblTetsReport){.nodes = view->node_count,
                              .tets = view->tet_count,
                              .solid_nodes = view->solid_node_count,
                              .solid_tets = view->solid_tet_count,
                              .bounds = rbl_aabbd_empty()};
    for (uint32_t n = 0; n < view->node_count; ++n)
    {
        report->bounds = rbl_aabbd_add(report->bounds, view->positions[n]);
    }
    const Shapes solid = measure_shapes(view, 0, view->solid_tet_count);
    report->volume = solid.volume;
    report->shortest_edge = sqrt(solid.shortest2);
    report->longest_edge = sqrt(solid.longest2);
    report->smallest_volume = solid.smallest_volume;
    report->largest_volume = solid.largest_volume;
    report->smallest_angle = rbl_acos(solid.largest_cosine) * DEGREES;
    report->largest_angle = rbl_acos(solid.smallest_cosine) * DEGREES;
    report->sharpest_tet = solid.sharpest;
    report->bluntest_tet = solid.bluntest;
    report->worst_ratio = solid.worst_ratio;
    report->mean_ratio = solid.ratio_sum / view->solid_tet_count;
    memcpy(report->angles, solid.bins, sizeof report->angles);
    if (view->tet_count > view->solid_tet_count)
    {
        const Shapes rim = measure_shapes(view, view->solid_tet_count, view->tet_count);
        report->rim_volume = rim.volume;
        report->rim_smallest_angle = rbl_acos(rim.largest_cosine) * DEGREES;
        report->rim_largest_angle = rbl_acos(rim.smallest_cosine) * DEGREES;
    }
    RBL_TRY(count_parts(view, &report->parts));
    RBL_TRY(count_regions(view, &report->regions));
    return inspect_surface(view, report);
}

rblResult rbl_tets_inspect(rblTetsId id, rblTetsReport* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "tetrahedra: out must not be null");
    }
    rblTets* tets;
    RBL_TRY(rbl_tets_acquire(id, &tets));
    rblTetsReport report;
    const rblResult result = inspect_view(rbl_tets_get_view(tets), &report);
    rbl_tets_release(tets);
    if (result == RBL_OK)
    {
        *out = report;
    }
    return result;
}
