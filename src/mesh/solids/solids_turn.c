// Rotation of a closed outline about the Y axis into a mesh.
#include "base/error.h"
#include "math/trig.h"
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids/solids_profile.h"

typedef struct Turn
{
    const rblTurning* turning;
    const rblProfilePoint* points;
    uint32_t count;
    uint32_t segments;
    rblCirclePoint* circle; // by step
    uint32_t* first_vertex; // by point: its pole vertex, or the first vertex of its ring
    double uv_scale;        // texture units per metre
    uint32_t uv_layer;
    rblMeshBuilder builder;
} Turn;

static bool on_axis(const Turn* t, uint32_t point)
{
    return t->points[point].r == 0.0;
}

static double ring_radius(const Turn* t, uint32_t point, uint32_t step)
{
    const rblTurning* turning = t->turning;
    return turning->ring != NULL ? turning->ring(point, step % t->segments, t->segments, turning->context)
                                 : t->points[point].r;
}

static void add_ring(Turn* t, uint32_t point)
{
    const double y = t->points[point].y;
    const bool inside_axis_run =
        on_axis(t, (point + t->count - 1) % t->count) && on_axis(t, (point + 1) % t->count);
    t->first_vertex[point] = (uint32_t)t->builder.positions.count;
    if (on_axis(t, point))
    {
        if (!inside_axis_run)
        {
            rbl_mesh_builder_vertex(&t->builder, rbl_vec3d(0.0, y, 0.0));
        }
        return;
    }
    for (uint32_t k = 0; k < t->segments; ++k)
    {
        const double r = ring_radius(t, point, k);
        rbl_mesh_builder_vertex(&t->builder, rbl_vec3d(r * t->circle[k].c, y, -(r * t->circle[k].s)));
    }
}

// Step k of a ring, 0 to `segments` inclusive; for a pole any k gives the pole.
static uint32_t ring_vertex(const Turn* t, uint32_t point, uint32_t k)
{
    return t->first_vertex[point] + (on_axis(t, point) ? 0 : k % t->segments);
}

// The band between two neighbouring points of the outline.
typedef struct Band
{
    uint32_t points[2];
    double v[2]; // length along the outline
    bool level, looks_up;
} Band;

// Corner `side` (0: at the first point) of the band's face number k; `step` is k, k + 1, or halfway for a
// pole.
static void add_corner(Turn* t, const Band* band, uint32_t side, uint32_t k, double step)
{
    const uint32_t vertex = ring_vertex(t, band->points[side], k);
    const uint32_t corner = rbl_mesh_builder_corner(&t->builder, vertex);
    float uv[2] = {(float)(step / (double)t->segments), (float)(band->v[side] * t->uv_scale)};
    if (band->level && !t->builder.failed)
    {
        const rblVec3d p = t->builder.positions.data[vertex];
        uv[0] = (float)(0.5 + p.x * t->uv_scale);
        uv[1] = (float)(0.5 + (band->looks_up ? -p.z : p.z) * t->uv_scale);
    }
    rbl_mesh_builder_set(&t->builder, t->uv_layer, corner, uv);
}

static void add_band_face(Turn* t, const Band* band, uint32_t k)
{
    for (uint32_t side = 0; side < 2; ++side)
    {
        if (on_axis(t, band->points[side]))
        {
            add_corner(t, band, side, k, (double)k + 0.5);
            continue;
        }
        // Forward along the first ring, backward along the second one.
        const uint32_t first = side == 0 ? k : k + 1;
        const uint32_t second = side == 0 ? k + 1 : k;
        add_corner(t, band, side, first, (double)first);
        add_corner(t, band, side, second, (double)second);
    }
    rbl_mesh_builder_face(&t->builder, 0, 0, (uint32_t)t->builder.face_materials.count);
}

static void add_bands(Turn* t)
{
    double length = 0.0;
    for (uint32_t i = 0; i < t->count; ++i)
    {
        const uint32_t j = (i + 1) % t->count;
        const rblProfilePoint a = t->points[i];
        const rblProfilePoint b = t->points[j];
        if (a.r == 0.0 && b.r == 0.0)
        {
            continue;
        }
        const double next_length = length + sqrt((b.r - a.r) * (b.r - a.r) + (b.y - a.y) * (b.y - a.y));
        const Band band = {{i, j}, {length, next_length}, a.y == b.y, b.r < a.r};
        for (uint32_t k = 0; k < t->segments; ++k)
        {
            add_band_face(t, &band, k);
        }
        length = next_length;
    }
}

static void build(Turn* t)
{
    double widest = 0.0;
    for (uint32_t i = 0; i < t->count; ++i)
    {
        widest = rbl_maxd(widest, t->points[i].r);
    }
    for (uint32_t k = 0; k < t->segments; ++k)
    {
        t->circle[k] = rbl_circle_point(k, t->segments);
    }
    t->uv_scale = 1.0 / (2.0 * RBL_PI * widest);
    t->uv_layer = rbl_mesh_builder_layer(&t->builder, RBL_LAYER_UV);
    rbl_mesh_builder_reserve(&t->builder, (size_t)t->count * t->segments, (size_t)t->count * t->segments,
                             4 * (size_t)t->count * t->segments);
    for (uint32_t i = 0; i < t->count; ++i)
    {
        add_ring(t, i);
    }
    add_bands(t);
}

rblResult rbl_make_turned(const rblTurning* turning, const rblAllocator* allocator, rblMesh** out)
{
    if (turning->profile->failed)
    {
        return rbl_fail_memory();
    }
    Turn t = {.turning = turning,
              .points = turning->profile->points.data,
              .count = (uint32_t)turning->profile->points.count,
              .segments = turning->segments};
    t.circle = RBL_NEW_ARRAY(allocator, rblCirclePoint, t.segments);
    t.first_vertex = RBL_NEW_ARRAY(allocator, uint32_t, t.count);
    rblResult result = t.circle != NULL && t.first_vertex != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        rbl_mesh_builder_init(&t.builder, allocator);
        build(&t);
        result = rbl_solid_finish(&t.builder, turning->crease_angle, out);
    }
    RBL_FREE_ARRAY(allocator, t.circle, t.segments);
    RBL_FREE_ARRAY(allocator, t.first_vertex, t.count);
    return result;
}
