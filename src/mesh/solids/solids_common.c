// Functions that all families of solids share.
#include "base/error.h"
#include "math/trig.h"
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids/solids.h"

void rbl_solid_face(rblMeshBuilder* builder, const uint32_t* vertices, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_mesh_builder_corner(builder, vertices[i]);
    }
    rbl_mesh_builder_face(builder, 0, 0, (uint32_t)builder->face_materials.count);
}

rblCirclePoint rbl_circle_point(uint32_t k, uint32_t n)
{
    const uint64_t quarters = 4 * (uint64_t)(k % n);
    const uint64_t quadrant = quarters / n;
    const uint64_t rest = quarters % n; // of a quarter turn, in units of 1/n
    const bool past_diagonal = 2 * rest > n;
    const double angle = 0.5 * RBL_PI * ((double)(past_diagonal ? n - rest : rest) / (double)n);
    const double along = rbl_cos(angle);
    const double across = 2 * rest == n ? along : rbl_sin(angle);
    const double c = past_diagonal ? across : along;
    const double s = past_diagonal ? along : across;
    switch (quadrant)
    {
    case 0:
        return (rblCirclePoint){c, s};
    case 1:
        return (rblCirclePoint){-s, c};
    case 2:
        return (rblCirclePoint){-c, -s};
    default:
        return (rblCirclePoint){s, -c};
    }
}

typedef struct BoxProjection
{
    rblVec3d lower;
    double scale; // texture units per metre
} BoxProjection;

static BoxProjection fit_projection(const rblMeshBuilder* builder)
{
    rblVec3d lower = builder->positions.data[0];
    rblVec3d upper = lower;
    for (size_t i = 1; i < builder->positions.count; ++i)
    {
        lower = rbl_min3d(builder->positions.data[i], lower);
        upper = rbl_max3d(builder->positions.data[i], upper);
    }
    const rblVec3d extent = rbl_sub3d(upper, lower);
    return (BoxProjection){lower, 1.0 / rbl_maxd(extent.x, rbl_maxd(extent.y, extent.z))};
}

// The directions right and up of a viewer in front of the face: right x up is the axis of the face normal, and up is
// +Y on the sides.
static void project_corner(const BoxProjection* box, rblVec3d p, rblVec3d normal, float uv[2])
{
    const double x = (p.x - box->lower.x) * box->scale;
    const double y = (p.y - box->lower.y) * box->scale;
    const double z = (p.z - box->lower.z) * box->scale;
    const double ax = fabs(normal.x);
    const double ay = fabs(normal.y);
    const double az = fabs(normal.z);
    if (ay >= ax && ay >= az)
    {
        uv[0] = (float)x;
        uv[1] = (float)(normal.y > 0.0 ? 1.0 - z : z);
    }
    else if (ax >= az)
    {
        uv[0] = (float)(normal.x > 0.0 ? 1.0 - z : z);
        uv[1] = (float)y;
    }
    else
    {
        uv[0] = (float)(normal.z > 0.0 ? x : 1.0 - x);
        uv[1] = (float)y;
    }
}

static uint32_t face_end(const rblMeshBuilder* builder, size_t face)
{
    return face + 1 < builder->face_starts.count ? builder->face_starts.data[face + 1] : builder->open_corner;
}

rblVec3d rbl_solid_face_normal(const rblMeshBuilder* builder, size_t face)
{
    const rblVec3d* positions = builder->positions.data;
    const uint32_t* vertices = builder->corner_vertices.data;
    const uint32_t begin = builder->face_starts.data[face];
    const uint32_t end = face_end(builder, face);
    const rblVec3d origin = positions[vertices[begin]];
    rblVec3d sum = {0, 0, 0};
    for (uint32_t c = begin + 1; c + 1 < end; ++c)
    {
        sum = rbl_add3d(sum, rbl_cross3d(rbl_sub3d(positions[vertices[c]], origin),
                                         rbl_sub3d(positions[vertices[c + 1]], origin)));
    }
    return sum;
}

void rbl_solid_box_uvs(rblMeshBuilder* builder)
{
    const uint32_t layer = rbl_mesh_builder_layer(builder, RBL_LAYER_UV);
    if (builder->failed || builder->positions.count == 0)
    {
        return;
    }
    const BoxProjection box = fit_projection(builder);
    for (size_t f = 0; f < builder->face_starts.count; ++f)
    {
        const rblVec3d normal = rbl_solid_face_normal(builder, f);
        for (uint32_t c = builder->face_starts.data[f]; c < face_end(builder, f); ++c)
        {
            float uv[2];
            project_corner(&box, builder->positions.data[builder->corner_vertices.data[c]], normal, uv);
            rbl_mesh_builder_set(builder, layer, c, uv);
        }
    }
}

rblResult rbl_solid_finish(rblMeshBuilder* builder, double crease_angle, rblMesh** out)
{
    const rblResult result = rbl_mesh_builder_add_normals(builder, crease_angle);
    if (result != RBL_OK)
    {
        rbl_mesh_builder_discard(builder);
        return result;
    }
    return rbl_mesh_builder_finish(builder, out);
}
