#include "base/error.h"
#include "math/vec.h"
#include "mesh/ear_clipping.h"
#include "mesh/mesh.h"

static double coordinate(rblVec3d p, uint32_t axis)
{
    return axis == 0 ? p.x : (axis == 1 ? p.y : p.z);
}

static rblVec3d corner_position(const rblMeshView* view, uint32_t corner)
{
    return view->positions[view->corner_vertices[corner]];
}

// Half the size of the bounding box of the face. Half, so that it does not overflow for any finite positions.
static rblVec3d half_extent(const rblMeshView* view, uint32_t face)
{
    rblVec3d lower = corner_position(view, view->face_starts[face]);
    rblVec3d upper = lower;
    for (uint32_t c = view->face_starts[face] + 1; c < view->face_starts[face + 1]; ++c)
    {
        lower = rbl_min3d(corner_position(view, c), lower);
        upper = rbl_max3d(corner_position(view, c), upper);
    }
    return rbl_sub3d(rbl_scale3d(upper, 0.5), rbl_scale3d(lower, 0.5));
}

// Twice the area times the normal, of the face scaled to size 1.
static rblVec3d scaled_normal(const rblMeshView* view, uint32_t face, double half_size)
{
    const uint32_t begin = view->face_starts[face];
    const rblVec3d origin = rbl_scale3d(corner_position(view, begin), 0.5);
    rblVec3d sum = {0, 0, 0};
    rblVec3d previous = {0, 0, 0};
    for (uint32_t c = begin + 1; c < view->face_starts[face + 1]; ++c)
    {
        const rblVec3d offset = rbl_sub3d(rbl_scale3d(corner_position(view, c), 0.5), origin);
        const rblVec3d next = {offset.x / half_size, offset.y / half_size, offset.z / half_size};
        sum = rbl_add3d(sum, rbl_cross3d(previous, next));
        previous = next;
    }
    return sum;
}

// The two axes of the projection, in the order that makes the face counter-clockwise. Dropping a coordinate is exact.
static void choose_plane(const rblMeshView* view, uint32_t face, uint32_t axes[2])
{
    const rblVec3d extent = half_extent(view, face);
    const rblVec3d normal = scaled_normal(view, face, rbl_maxd(extent.x, rbl_maxd(extent.y, extent.z)));
    const rblVec3d size = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
    uint32_t drop = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2);
    if (!(size.x + size.y + size.z > 0)) // no area: project along the axis in which the face is thinnest
    {
        drop = extent.x < extent.y ? (extent.x < extent.z ? 0 : 2) : (extent.y < extent.z ? 1 : 2);
    }
    const bool turned = coordinate(normal, drop) < 0;
    axes[turned] = (drop + 1) % 3;
    axes[!turned] = (drop + 2) % 3;
}

static bool triangulate_face(const rblMeshView* view, uint32_t face, rblEarClipper* clipper,
                             rblIndexArray* corners)
{
    const uint32_t begin = view->face_starts[face];
    const uint32_t size = rbl_face_size(view, face);
    if (size == 3)
    {
        return rbl_array_push(corners, begin) && rbl_array_push(corners, begin + 1) &&
               rbl_array_push(corners, begin + 2);
    }
    if (!rbl_ear_clipper_reserve(clipper, size))
    {
        return false;
    }
    uint32_t axes[2];
    choose_plane(view, face, axes);
    for (uint32_t i = 0; i < size; ++i)
    {
        const rblVec3d p = corner_position(view, begin + i);
        clipper->points[i][0] = coordinate(p, axes[0]);
        clipper->points[i][1] = coordinate(p, axes[1]);
    }
    return rbl_ear_clip(clipper, size, begin, corners);
}

static bool triangulate_faces(const rblMeshView* view, rblEarClipper* clipper, rblIndexArray* corners,
                              rblIndexArray* triangle_faces)
{
    const size_t triangles = rbl_mesh_triangle_count(view);
    rbl_array_clear(corners);
    bool ok = rbl_array_reserve(corners, 3 * triangles);
    if (triangle_faces != NULL)
    {
        rbl_array_clear(triangle_faces);
        ok = ok && rbl_array_reserve(triangle_faces, triangles);
    }
    for (uint32_t f = 0; f < view->face_count && ok; ++f)
    {
        ok = triangulate_face(view, f, clipper, corners);
        for (uint32_t i = 2; i < rbl_face_size(view, f) && triangle_faces != NULL && ok; ++i)
        {
            ok = rbl_array_push(triangle_faces, f);
        }
    }
    return ok;
}

rblResult rbl_triangulate_corners(const rblMeshView* view, rblIndexArray* corners,
                                  rblIndexArray* triangle_faces)
{
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, corners->allocator);
    const bool ok = triangulate_faces(view, &clipper, corners, triangle_faces);
    rbl_ear_clipper_free(&clipper);
    return ok ? RBL_OK : rbl_fail_memory();
}

static rblResult build_triangles(const rblMeshView* view, const rblIndexArray* corners,
                                 const rblIndexArray* faces, rblMesh** out)
{
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, corners->allocator);
    rbl_mesh_builder_like(&builder, view);
    rbl_mesh_builder_reserve(&builder, view->vertex_count, faces->count, corners->count);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        rbl_mesh_builder_vertex(&builder, view->positions[v]);
    }
    for (size_t t = 0; t < faces->count; ++t)
    {
        for (size_t i = 3 * t; i < 3 * t + 3; ++i)
        {
            const uint32_t corner = corners->data[i];
            rbl_mesh_builder_corner_copy(&builder, view->corner_vertices[corner], view, corner);
        }
        const uint32_t face = faces->data[t];
        rbl_mesh_builder_face(&builder, view->face_materials[face], view->face_groups[face], face);
    }
    return rbl_mesh_builder_finish(&builder, out);
}

rblResult rbl_mesh_triangulated(const rblMeshView* view, const rblAllocator* allocator, rblMesh** out)
{
    rblIndexArray corners;
    rblIndexArray faces;
    rbl_array_init(&corners, allocator);
    rbl_array_init(&faces, allocator);
    rblResult result = rbl_triangulate_corners(view, &corners, &faces);
    if (result == RBL_OK)
    {
        result = build_triangles(view, &corners, &faces, out);
    }
    rbl_array_free(&corners);
    rbl_array_free(&faces);
    return result;
}

rblResult rbl_mesh_triangulate(rblMeshId id, rblMeshId* out)
{
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "mesh: out must not be null");
    }
    rblMesh* mesh;
    RBL_TRY(rbl_mesh_acquire(id, &mesh));
    rblMesh* triangulated = NULL;
    const rblResult result =
        rbl_mesh_triangulated(rbl_mesh_get_view(mesh), rbl_default_allocator(), &triangulated);
    rbl_mesh_release(mesh);
    RBL_TRY(result);
    return rbl_mesh_register(triangulated, out);
}
