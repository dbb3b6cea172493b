// Labels from a mesh of closed regions. Triangles of the regions are intersected with columns of voxels along z.
// Between two crossings a column must be inside exactly one region.
#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "cut/labels/label_volume.h"
#include "math/aabb.h"
#include "math/predicates.h"
#include "mesh/components.h"
#include "mesh/mesh.h"
#include "rubble/inspect.h"
#include "rubble/pattern.h"

// ---- tuning ----
#define MAX_SIDE 96 // largest number of voxels along a side
#define MIN_SIDE 8  // smallest number of voxels along a side
// Allowed relative difference of the volumes of the regions and of the box: finds gaps between columns.
#define VOLUME_TOLERANCE 1e-3
#define COLUMN_OFFSET    0.4871 // relative to a voxel; files rarely have vertices at these coordinates

typedef struct Crossing
{
    double z;
    uint32_t column;
    uint16_t region;
    bool enters;
} Crossing;

typedef struct Raster
{
    const char* name;
    const rblMeshView* view; // triangles only
    const uint32_t* regions; // per triangle: its region
    rblLabelVolume* volume;
    rblVec3d step;
    RBL_ARRAY(Crossing) crossings;
    rblIndexArray starts; // first crossing of each column; order_crossings()
    const rblAllocator* allocator;
} Raster;

static rblVec3d voxel_centre(const Raster* raster, uint32_t x, uint32_t y, uint32_t z)
{
    const rblVec3d lower = raster->volume->box.lower;
    return rbl_vec3d(lower.x + raster->step.x * (x + COLUMN_OFFSET),
                     lower.y + raster->step.y * (y + COLUMN_OFFSET),
                     lower.z + raster->step.z * (z + COLUMN_OFFSET));
}

static rblResult fail_at(const Raster* raster, const char* what, rblVec3d at)
{
    char x[RBL_NUMBER_SIZE], y[RBL_NUMBER_SIZE], z[RBL_NUMBER_SIZE];
    rbl_format_float((float)at.x, x);
    rbl_format_float((float)at.y, y);
    rbl_format_float((float)at.z, z);
    return rbl_fail(RBL_ERROR_GEOMETRY, "%s: does not tile its box: %s at (%s, %s, %s)", raster->name, what,
                    x, y, z);
}

// Side of p from the line a b in the xy plane, as if p were moved by an infinitesimal in x and by a smaller one in y.
static int side_of(rblVec3d a, rblVec3d b, rblVec3d p)
{
    const double sign =
        rbl_orient2d((const double[2]){a.x, a.y}, (const double[2]){b.x, b.y}, (const double[2]){p.x, p.y});
    if (sign != 0.0)
    {
        return sign > 0.0 ? 1 : -1;
    }
    return a.y != b.y ? (a.y > b.y ? 1 : -1) : (b.x > a.x ? 1 : -1);
}

static bool cross_column(Raster* raster, const rblVec3d p[3], uint32_t triangle, uint32_t x, uint32_t y)
{
    const rblVec3d at = voxel_centre(raster, x, y, 0);
    const int side = side_of(p[0], p[1], at);
    if (side != side_of(p[1], p[2], at) || side != side_of(p[2], p[0], at))
    {
        return true;
    }
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0]));
    const double height = normal.x * (at.x - p[0].x) + normal.y * (at.y - p[0].y);
    const Crossing crossing = {.z = normal.z != 0.0 ? p[0].z - height / normal.z : p[0].z,
                               .column = y * raster->volume->size[0] + x,
                               .region = (uint16_t)raster->regions[triangle],
                               .enters = side < 0};
    return rbl_array_push(&raster->crossings, crossing);
}

static uint32_t first_voxel(double from, double step, uint32_t count)
{
    return (uint32_t)rbl_clampd(floor(from / step - COLUMN_OFFSET), 0.0, count - 1.0);
}

static bool cross_triangle(Raster* raster, uint32_t triangle)
{
    const rblLabelVolume* volume = raster->volume;
    rblVec3d p[3];
    rblAabbd box = rbl_aabbd_empty();
    for (uint32_t k = 0; k < 3; ++k)
    {
        p[k] = raster->view->positions[raster->view->corner_vertices[3 * triangle + k]];
        box = rbl_aabbd_add(box, rbl_sub3d(p[k], volume->box.lower));
    }
    const uint32_t last_x = first_voxel(box.upper.x, raster->step.x, volume->size[0]);
    const uint32_t last_y = first_voxel(box.upper.y, raster->step.y, volume->size[1]);
    bool stored = true;
    for (uint32_t y = first_voxel(box.lower.y, raster->step.y, volume->size[1]); stored && y <= last_y; ++y)
    {
        for (uint32_t x = first_voxel(box.lower.x, raster->step.x, volume->size[0]); stored && x <= last_x;
             ++x)
        {
            stored = cross_column(raster, p, triangle, x, y);
        }
    }
    return stored;
}

// Sort the crossings by column, and by height within a column. Where one region ends and another starts at the same
// height, the end is first.
static bool order_crossings(Raster* raster)
{
    const size_t columns = (size_t)raster->volume->size[0] * raster->volume->size[1];
    const size_t count = raster->crossings.count;
    Crossing* ordered = RBL_NEW_ARRAY(raster->allocator, Crossing, count);
    if ((ordered == NULL && count > 0) || !rbl_array_resize(&raster->starts, columns + 1))
    {
        RBL_FREE_ARRAY(raster->allocator, ordered, count);
        return false;
    }
    uint32_t* starts = raster->starts.data;
    for (size_t c = 0; c <= columns; ++c)
    {
        starts[c] = 0;
    }
    for (size_t k = 0; k < count; ++k)
    {
        starts[raster->crossings.data[k].column + 1] += 1;
    }
    for (size_t c = 0; c < columns; ++c)
    {
        starts[c + 1] += starts[c];
    }
    for (size_t k = count;
         k-- > 0;) // from the back: starts[c + 1] decreases to the first crossing of column c
    {
        ordered[--starts[raster->crossings.data[k].column + 1]] = raster->crossings.data[k];
    }
    for (size_t c = 0; c < columns; ++c)
    {
        starts[c] = starts[c + 1];
    }
    starts[columns] = (uint32_t)count;
    for (size_t k = 0; k < count; ++k)
    {
        raster->crossings.data[k] = ordered[k];
    }
    RBL_FREE_ARRAY(raster->allocator, ordered, count);
    return true;
}

static void sort_column(Crossing* crossings, uint32_t count)
{
    for (uint32_t k = 1; k < count; ++k)
    {
        const Crossing crossing = crossings[k];
        uint32_t l = k;
        for (; l > 0 && crossings[l - 1].z > crossing.z; --l)
        {
            crossings[l] = crossings[l - 1];
        }
        crossings[l] = crossing;
    }
}

// `open` is the number of regions that contain the present point of the column. `sum` is the sum of their indices: the
// region, if there is only one.
static rblResult fill_column(Raster* raster, uint32_t x, uint32_t y)
{
    rblLabelVolume* volume = raster->volume;
    const size_t column = (size_t)y * volume->size[0] + x;
    Crossing* crossings = raster->crossings.data + raster->starts.data[column];
    const uint32_t count = raster->starts.data[column + 1] - raster->starts.data[column];
    sort_column(crossings, count);
    int32_t open = 0;
    int64_t sum = 0;
    uint32_t next = 0;
    for (uint32_t z = 0; z < volume->size[2]; ++z)
    {
        const rblVec3d at = voxel_centre(raster, x, y, z);
        for (; next < count && crossings[next].z < at.z; ++next)
        {
            open += crossings[next].enters ? 1 : -1;
            sum += crossings[next].enters ? crossings[next].region : -(int64_t)crossings[next].region;
        }
        if (open != 1)
        {
            return fail_at(raster, open < 1 ? "there is no region" : "regions overlap", at);
        }
        volume->labels[((size_t)z * volume->size[1] + y) * volume->size[0] + x] = (uint16_t)sum;
    }
    return RBL_OK;
}

static rblResult fill_columns(Raster* raster)
{
    for (uint32_t t = 0; t < raster->view->face_count; ++t)
    {
        if (!cross_triangle(raster, t))
        {
            return rbl_fail_memory();
        }
    }
    if (!order_crossings(raster))
    {
        return rbl_fail_memory();
    }
    for (uint32_t y = 0; y < raster->volume->size[1]; ++y)
    {
        for (uint32_t x = 0; x < raster->volume->size[0]; ++x)
        {
            RBL_TRY(fill_column(raster, x, y));
        }
    }
    return RBL_OK;
}

static rblResult check_report(const rblMeshReport* report, const char* name)
{
    if (!report->closed || !report->manifold || !report->oriented || !report->outward)
    {
        return rbl_fail(
            RBL_ERROR_GEOMETRY,
            "%s: regions must be closed, manifold and outward: %u boundary edges, %u edges with more than "
            "two faces, %u turned round",
            name, report->boundary_edges.count, report->non_manifold_edges.count,
            report->misoriented_edges.count);
    }
    return report->components <= RBL_PATTERN_MAX_PIECES
               ? RBL_OK
               : rbl_fail(RBL_ERROR_LIMIT, "%s: the file has %u regions, must be at most %d", name,
                          report->components, RBL_PATTERN_MAX_PIECES);
}

// The columns miss gaps and overlaps thinner than a voxel. The volume shows them.
static rblResult check_volume(const rblMeshReport* report, const char* name)
{
    const rblVec3d size = rbl_aabbd_size(report->bounds);
    const double box = size.x * size.y * size.z;
    char ratio[RBL_NUMBER_SIZE];
    if (fabs(report->volume - box) <= VOLUME_TOLERANCE * box)
    {
        return RBL_OK;
    }
    rbl_format_fixed(report->volume / box, 4, ratio);
    return rbl_fail(RBL_ERROR_GEOMETRY,
                    "%s: does not tile its box: the volume of all regions is %s of that of the box", name,
                    ratio);
}

static rblResult create_volume(Raster* raster, rblAabbd box, uint32_t regions)
{
    const rblVec3d extent = rbl_aabbd_size(box);
    const double longest = rbl_maxd(rbl_maxd(extent.x, extent.y), extent.z);
    const double sides[3] = {extent.x, extent.y, extent.z};
    uint32_t size[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        size[axis] = (uint32_t)rbl_clampd(ceil(MAX_SIDE * sides[axis] / longest), MIN_SIDE, MAX_SIDE);
    }
    RBL_TRY(rbl_labels_create(size, box, raster->allocator, &raster->volume));
    raster->volume->label_count = regions;
    raster->step = rbl_vec3d(extent.x / size[0], extent.y / size[1], extent.z / size[2]);
    return RBL_OK;
}

static rblResult rasterise(Raster* raster, rblAabbd box, rblLabelVolume** out)
{
    rblTopology topology;
    RBL_TRY(rbl_topology_init(&topology, raster->view, raster->allocator));
    uint32_t count = 0;
    uint32_t* regions = RBL_NEW_ARRAY(raster->allocator, uint32_t, raster->view->face_count);
    rblResult result = regions != NULL ? rbl_face_components(&topology, regions, &count) : rbl_fail_memory();
    raster->regions = regions;
    result = result == RBL_OK ? create_volume(raster, box, count) : result;
    rbl_array_init(&raster->crossings, raster->allocator);
    rbl_array_init(&raster->starts, raster->allocator);
    result = result == RBL_OK ? fill_columns(raster) : result;
    rbl_array_free(&raster->crossings);
    rbl_array_free(&raster->starts);
    RBL_FREE_ARRAY(raster->allocator, regions, raster->view->face_count);
    rbl_topology_free(&topology);
    if (result != RBL_OK)
    {
        rbl_labels_free(raster->volume, raster->allocator);
        return result;
    }
    *out = raster->volume;
    return RBL_OK;
}

rblResult rbl_labels_from_mesh(rblMeshId mesh, const char* name, const rblAllocator* allocator,
                               rblLabelVolume** out)
{
    rblInspectOptions options = rbl_default_inspect_options();
    options.self_intersections = false;
    rblMeshReport report;
    RBL_TRY(rbl_mesh_inspect(mesh, &options, &report));
    RBL_TRY(check_report(&report, name));
    rblMeshId triangles;
    RBL_TRY(rbl_mesh_triangulate(mesh, &triangles));
    rblMeshView view;
    rblLabelVolume* volume = NULL;
    rblResult result = rbl_mesh_view(triangles, &view);
    if (result == RBL_OK)
    {
        Raster raster = {.name = name, .view = &view, .allocator = allocator};
        result = rasterise(&raster, report.bounds, &volume);
    }
    rbl_mesh_destroy(triangles);
    result = result == RBL_OK ? check_volume(&report, name) : result;
    if (result != RBL_OK)
    {
        rbl_labels_free(volume, allocator);
        return result;
    }
    *out = volume;
    return RBL_OK;
}
