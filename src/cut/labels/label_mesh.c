// Labels from a mesh of closed regions: columns of voxels along z are crossed by the regions' triangles, and between two
// crossings exactly one region must be open.
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

#define LONGEST       96     // voxels along the longest side
#define FEWEST        8      // and along the shortest
#define VOLUME_SLACK  1e-3   // by which the regions' volumes may miss the box's: gaps that no column meets
#define COLUMN_OFFSET 0.4871 // of a voxel: columns stand where files hardly ever have corners

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
    const rblMeshView* view; // triangles
    const uint32_t* regions; // per triangle
    rblLabelVolume* volume;
    rblVec3d step;
    RBL_ARRAY(Crossing) crossings;
    rblIndexArray starts; // of the columns' crossings, once in order
    const rblAllocator* allocator;
} Raster;

static rblVec3d place(const Raster* raster, uint32_t x, uint32_t y, uint32_t z)
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

// Side of p from the line a b in the xy plane: as if p were moved by an infinitesimal in x, and by less in y.
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
    const rblVec3d at = place(raster, x, y, 0);
    const int side = side_of(p[0], p[1], at);
    if (side != side_of(p[1], p[2], at) || side != side_of(p[2], p[0], at))
    {
        return true;
    }
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0]));
    const double off = normal.x * (at.x - p[0].x) + normal.y * (at.y - p[0].y);
    const Crossing crossing = {.z = normal.z != 0.0 ? p[0].z - off / normal.z : p[0].z,
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

// Crossings by column, and in each column upwards; where a region ends and another begins at one height the end comes first.
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
    for (size_t k = count; k-- > 0;) // from the back: starts[c + 1] runs down to where column c begins
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

// `open` counts, by region, how often it is open; the sum of the numbers of open regions names the one when there is one.
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
        const rblVec3d at = place(raster, x, y, z);
        for (; next < count && crossings[next].z < at.z; ++next)
        {
            open += crossings[next].enters ? 1 : -1;
            sum += crossings[next].enters ? crossings[next].region : -(int64_t)crossings[next].region;
        }
        if (open != 1)
        {
            return fail_at(raster, open < 1 ? "nothing is" : "regions overlap", at);
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
               : rbl_fail(RBL_ERROR_LIMIT, "%s: the file has %u regions, at most %d are allowed", name,
                          report->components, RBL_PATTERN_MAX_PIECES);
}

// What the columns of voxels missed, gaps and overlaps thinner than a voxel, shows in the volume.
static rblResult check_volume(const rblMeshReport* report, const char* name)
{
    const rblVec3d size = rbl_aabbd_size(report->bounds);
    const double box = size.x * size.y * size.z;
    char share[RBL_NUMBER_SIZE];
    if (fabs(report->volume - box) <= VOLUME_SLACK * box)
    {
        return RBL_OK;
    }
    rbl_format_fixed(report->volume / box, 4, share);
    return rbl_fail(RBL_ERROR_GEOMETRY,
                    "%s: does not tile its box: the regions together have %s of its volume", name, share);
}

static rblResult create_volume(Raster* raster, rblAabbd box, uint32_t regions)
{
    const rblVec3d extent = rbl_aabbd_size(box);
    const double longest = rbl_maxd(rbl_maxd(extent.x, extent.y), extent.z);
    const double sides[3] = {extent.x, extent.y, extent.z};
    uint32_t size[3];
    for (int axis = 0; axis < 3; ++axis)
    {
        size[axis] = (uint32_t)rbl_clampd(ceil(LONGEST * sides[axis] / longest), FEWEST, LONGEST);
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
