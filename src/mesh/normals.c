#include "mesh/normals.h"

#include "base/error.h"
#include "math/trig.h"
#include "math/vec.h"
#include "mesh/topology.h"
#include <string.h>

typedef struct Normals
{
    const rblMeshView* view;
    rblTopology topology;
    rblVec3d* face_normals; // unit, or zero for a face without area
    double crease_cosine;
    bool everything_smooth; // crease angle of pi: even folded edges are smooth
    float* out;
} Normals;

static rblVec3d corner_position(const Normals* n, uint32_t corner)
{
    return n->view->positions[n->view->corner_vertices[corner]];
}

static rblVec3d unit_or_zero(rblVec3d a)
{
    return rbl_normalize3d(a, rbl_vec3d(0, 0, 0));
}

// The angle of a face at a corner.
static double corner_angle(const Normals* n, uint32_t corner)
{
    const rblVec3d here = corner_position(n, corner);
    const rblVec3d a =
        unit_or_zero(rbl_sub3d(corner_position(n, rbl_next_corner(&n->topology, corner)), here));
    const rblVec3d b =
        unit_or_zero(rbl_sub3d(corner_position(n, rbl_previous_corner(&n->topology, corner)), here));
    return rbl_atan2(rbl_length3d(rbl_cross3d(a, b)), rbl_dot3d(a, b));
}

// Whether normals are smooth across the edge that starts at this corner. A face without area does not count: it
// connects both sides.
static bool is_smooth_edge(const Normals* n, uint32_t corner)
{
    if (!rbl_has_twin(&n->topology, corner) || rbl_same_direction(&n->topology, corner))
    {
        return false;
    }
    const rblVec3d a = n->face_normals[n->topology.corner_faces[corner]];
    const rblVec3d b = n->face_normals[n->topology.corner_faces[n->topology.twins[corner]]];
    const bool flat_face = rbl_dot3d(a, a) == 0.0 || rbl_dot3d(b, b) == 0.0;
    return n->everything_smooth || flat_face || rbl_dot3d(a, b) >= n->crease_cosine;
}

// The next corner of the same vertex, to the left or to the right; RBL_NONE at a crease.
static uint32_t turn_left(const Normals* n, uint32_t corner)
{
    const uint32_t edge = rbl_previous_corner(&n->topology, corner);
    return is_smooth_edge(n, edge) ? n->topology.twins[edge] : RBL_NONE;
}

static uint32_t turn_right(const Normals* n, uint32_t corner)
{
    return is_smooth_edge(n, corner) ? rbl_next_corner(&n->topology, n->topology.twins[corner]) : RBL_NONE;
}

// The first corner of the smooth fan around `corner`: the one after the crease, or `corner` itself when there is
// none.
static uint32_t fan_begin(const Normals* n, uint32_t corner)
{
    uint32_t first = corner;
    for (uint32_t next = turn_right(n, first); next != RBL_NONE; next = turn_right(n, first))
    {
        if (next == corner)
        {
            return corner;
        }
        first = next;
    }
    return first;
}

static void write_fan(const Normals* n, uint32_t first, rblVec3d normal)
{
    uint32_t corner = first;
    do
    {
        n->out[(size_t)corner * 3] = (float)normal.x;
        n->out[(size_t)corner * 3 + 1] = (float)normal.y;
        n->out[(size_t)corner * 3 + 2] = (float)normal.z;
        corner = turn_left(n, corner);
    } while (corner != RBL_NONE && corner != first);
}

static void average_fan(const Normals* n, uint32_t first)
{
    rblVec3d sum = {0, 0, 0};
    rblVec3d fallback = {0, 0, 0};
    uint32_t corner = first;
    do
    {
        const rblVec3d normal = n->face_normals[n->topology.corner_faces[corner]];
        sum = rbl_mul_add3d(sum, corner_angle(n, corner), normal);
        fallback = rbl_dot3d(fallback, fallback) == 0.0 ? normal : fallback;
        corner = turn_left(n, corner);
    } while (corner != RBL_NONE && corner != first);
    const rblVec3d up = {0, 1, 0};
    write_fan(n, first, rbl_normalize3d(sum, rbl_dot3d(fallback, fallback) == 0.0 ? up : fallback));
}

// Every corner belongs to one fan. An averaged normal is never zero, so zero marks corners that are not done yet.
static void average_fans(const Normals* n)
{
    memset(n->out, 0, sizeof(float) * 3 * n->view->corner_count);
    for (uint32_t c = 0; c < n->view->corner_count; ++c)
    {
        const float* normal = n->out + (size_t)c * 3;
        if (normal[0] == 0.0f && normal[1] == 0.0f && normal[2] == 0.0f)
        {
            average_fan(n, fan_begin(n, c));
        }
    }
}

rblResult rbl_corner_normals(const rblMeshView* view, double crease_angle, const rblAllocator* allocator,
                             float* out)
{
    if (!(crease_angle >= 0.0 && crease_angle <= RBL_PI))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: the crease angle is %g, must be between 0 and pi",
                        crease_angle);
    }
    Normals n = {.view = view, .crease_cosine = rbl_cos(crease_angle), .out = out};
    n.everything_smooth = crease_angle == RBL_PI;
    RBL_TRY(rbl_topology_init(&n.topology, view, allocator));
    n.face_normals = RBL_NEW_ARRAY(allocator, rblVec3d, view->face_count);
    if (n.face_normals == NULL)
    {
        rbl_topology_free(&n.topology);
        return rbl_fail_memory();
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        n.face_normals[f] = unit_or_zero(rbl_face_normal_area2(view, f));
    }
    average_fans(&n);
    RBL_FREE_ARRAY(allocator, n.face_normals, view->face_count);
    rbl_topology_free(&n.topology);
    return RBL_OK;
}

rblResult rbl_mesh_builder_add_normals(rblMeshBuilder* builder, double crease_angle)
{
    const uint32_t layer = rbl_mesh_builder_layer(builder, RBL_LAYER_NORMAL);
    if (builder->failed || !rbl_array_push(&builder->face_starts, builder->open_corner))
    {
        builder->failed = true;
        return rbl_fail_memory();
    }
    const rblMeshView view = {
        .vertex_count = (uint32_t)builder->positions.count,
        .face_count = (uint32_t)builder->face_starts.count - 1,
        .corner_count = builder->open_corner,
        .positions = builder->positions.data,
        .face_starts = builder->face_starts.data,
        .corner_vertices = builder->corner_vertices.data,
    };
    const rblResult result =
        rbl_corner_normals(&view, crease_angle, builder->allocator, builder->layers.data[layer].data.data);
    builder->face_starts.count -= 1;
    return result;
}
