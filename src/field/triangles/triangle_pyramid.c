// One triangle as a convex shape.
#include "field/triangles/triangles.h"

#include "math/vec.h"

// ---- tuning ----
#define PYRAMID_DEPTH 0.5f // relative to the square root of the area: depth of the apex below the triangle

// Corners 0 to 2 are those of the triangle, 3 is the apex. Face 0 is the triangle.
static const rblHullEdge edges[6] = {{0, 1, 0, 1}, {0, 2, 1, 2}, {0, 3, 2, 0},
                                     {1, 3, 0, 3}, {2, 1, 1, 3}, {3, 2, 2, 3}};
static const uint16_t face_starts[5] = {0, 3, 6, 9, 12};
static const uint16_t corner_edges[12] = {0, 1, 2, 0, 3, 4, 1, 4, 5, 2, 5, 3};
static const uint8_t corner_vertices[12] = {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3};

static float distance(const void* data, rblVec3 point, rblVec3* gradient)
{
    return rbl_hull_distance(data, point, gradient);
}

// Only for convex contacts and impacts: no shape of the user has this kind.
static const rblShapeKind pyramid_kind = {.name = "triangle", .distance = distance};

void rbl_triangle_pyramid_init(rblTrianglePyramid* pyramid)
{
    *pyramid = (rblTrianglePyramid){.shape.core.form = RBL_CORE_POLYTOPE};
    // The tables are constant: a hull that is never freed may share them.
    pyramid->hull = (rblHull){.vertex_count = 4,
                              .face_count = 4,
                              .edge_count = 6,
                              .corner_count = 12,
                              .vertex_blocks = 1,
                              .face_blocks = 1,
                              .vertices = pyramid->vertices,
                              .planes = pyramid->planes,
                              .edges = (rblHullEdge*)(uintptr_t)edges,
                              .face_starts = (uint16_t*)(uintptr_t)face_starts,
                              .corner_edges = (uint16_t*)(uintptr_t)corner_edges,
                              .corner_vertices = (uint8_t*)(uintptr_t)corner_vertices};
    rblShape* shape = &pyramid->shape;
    shape->kind = &pyramid_kind;
    shape->data = &pyramid->hull;
    shape->core.hull = &pyramid->hull;
    shape->core.shape = shape;
    shape->self = shape;
    shape->view.shape = shape;
    shape->view.kind = pyramid_kind.name;
    shape->view.convex = true;
    shape->view.bounded = true;
}

static void set_plane(rblTrianglePyramid* pyramid, uint32_t face, rblVec3 const p[4])
{
    const uint8_t* v = &corner_vertices[face_starts[face]];
    const rblVec3 normal = rbl_normalize3(rbl_cross3(rbl_sub3(p[v[1]], p[v[0]]), rbl_sub3(p[v[2]], p[v[0]])),
                                          (rblVec3){0, 1, 0});
    float offset = -INFINITY;
    for (uint32_t i = 0; i < 4; ++i)
    {
        offset = rbl_maxf(rbl_dot3(normal, p[i]), offset);
    }
    pyramid->planes[face] = normal.x;
    pyramid->planes[4 + face] = normal.y;
    pyramid->planes[8 + face] = normal.z;
    pyramid->planes[12 + face] = offset;
}

void rbl_triangle_pyramid_set(rblTrianglePyramid* pyramid, const rblTriangles* mesh, uint32_t leaf,
                              rblVec3 origin)
{
    rblVec3 p[4];
    for (uint32_t i = 0; i < 3; ++i)
    {
        p[i] = rbl_sub3(rbl_triangle_corner(mesh, leaf, i), origin);
    }
    const rblVec3 cross = rbl_cross3(rbl_sub3(p[1], p[0]), rbl_sub3(p[2], p[0]));
    const float depth = PYRAMID_DEPTH * sqrtf(0.5f * rbl_length3(cross));
    const rblVec3 middle = rbl_scale3(rbl_add3(rbl_add3(p[0], p[1]), p[2]), 1.0f / 3.0f);
    p[3] = rbl_mul_add3(middle, -depth, rbl_normalize3(cross, (rblVec3){0, 1, 0}));
    const rblVec3 center = rbl_mul_add3(middle, 0.25f, rbl_sub3(p[3], middle));
    rblHull* hull = &pyramid->hull;
    hull->size = 0.0f;
    hull->center = center;
    hull->inner = INFINITY;
    rblAabb box = {p[0], p[0]};
    for (uint32_t i = 0; i < 4; ++i)
    {
        pyramid->vertices[i] = p[i].x;
        pyramid->vertices[4 + i] = p[i].y;
        pyramid->vertices[8 + i] = p[i].z;
        hull->size = rbl_maxf(rbl_length3(rbl_sub3(p[i], center)), hull->size);
        box.lower = rbl_min3(p[i], box.lower);
        box.upper = rbl_max3(p[i], box.upper);
    }
    for (uint32_t face = 0; face < 4; ++face)
    {
        set_plane(pyramid, face, p);
        hull->inner = rbl_minf(rbl_hull_offset(hull, face) - rbl_dot3(rbl_hull_normal(hull, face), center),
                               hull->inner);
    }
    rblShapeView* view = &pyramid->shape.view;
    view->bounds = box;
    view->mass.center = rbl_to_double3(center);
    view->radius = hull->size;
    view->inner_radius = hull->inner;
    view->thinnest = depth;
}
