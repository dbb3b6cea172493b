// Lists of the triangles of a surface that intersect each tetrahedron.
#include "base/error.h"
#include "cut/tets/tets_cut_private.h"
#include "math/aabb.h"
#include "mesh/tets/tets_locate.h"

// A triangle and the tetrahedra found for it so far.
typedef struct TriangleWalk
{
    const rblTetsView* tets;
    rblVec3d points[3];
    rblVec3d normal;  // not normalized
    double slack;     // m, margin for rounding errors
    uint32_t* stamps; // per tetrahedron: index of the last triangle that tested it, plus 1
    uint32_t stamp;
    rblIndexArray open;
} TriangleWalk;

// Whether all points are beyond a plane by more than the margin.
static bool all_beyond(const rblVec3d* points, uint32_t count, rblVec3d at, rblVec3d normal, double slack)
{
    const double reach = slack * rbl_length3d(normal);
    bool beyond = true;
    for (uint32_t k = 0; k < count; ++k)
    {
        beyond = beyond && rbl_dot3d(normal, rbl_sub3d(points[k], at)) > reach;
    }
    return beyond;
}

// Whether neither the planes of the tetrahedron nor the plane of the triangle separate the two. Never false if they
// intersect.
static bool may_meet(const TriangleWalk* walk, uint32_t tet)
{
    rblVec3d corners[4];
    rbl_tet_corners(walk->tets, tet, corners);
    if (all_beyond(corners, 4, walk->points[0], walk->normal, walk->slack) ||
        all_beyond(corners, 4, walk->points[0], rbl_neg3d(walk->normal), walk->slack))
    {
        return false;
    }
    for (uint32_t k = 0; k < 4; ++k)
    {
        const uint8_t* face = rbl_tet_faces[k];
        const rblVec3d a = corners[face[0]];
        const rblVec3d outward = rbl_cross3d(rbl_sub3d(corners[face[1]], a), rbl_sub3d(corners[face[2]], a));
        if (all_beyond(walk->points, 3, a, outward, walk->slack))
        {
            return false;
        }
    }
    return true;
}

// The tetrahedra that a triangle intersects are connected: search from the tetrahedron of its first vertex through
// faces. Returns false without memory.
static bool walk_triangle(TriangleWalk* walk, uint32_t start)
{
    rbl_array_clear(&walk->open);
    walk->stamps[start] = walk->stamp;
    bool stored = rbl_array_push(&walk->open, start);
    for (size_t n = 0; n < walk->open.count && stored; ++n)
    {
        const uint32_t tet = walk->open.data[n];
        for (uint32_t k = 0; k < 4 && stored; ++k)
        {
            const uint32_t next = walk->tets->neighbors[4 * (size_t)tet + k];
            if (next != RBL_NONE && walk->stamps[next] != walk->stamp && may_meet(walk, next))
            {
                walk->stamps[next] = walk->stamp;
                stored = rbl_array_push(&walk->open, next);
            }
        }
    }
    return stored;
}

static void begin_walk(TriangleWalk* walk, const rblTetsSurface* surface, uint32_t triangle)
{
    double size = 0.0;
    for (uint32_t k = 0; k < 3; ++k)
    {
        const rblVec3d p = surface->view.positions[surface->triangle_vertices[3 * (size_t)triangle + k]];
        walk->points[k] = p;
        size = rbl_maxd(size, fabs(p.x) + fabs(p.y) + fabs(p.z));
    }
    walk->normal =
        rbl_cross3d(rbl_sub3d(walk->points[1], walk->points[0]), rbl_sub3d(walk->points[2], walk->points[0]));
    walk->slack = 1e-9 * (size + rbl_distance3d(walk->points[0], walk->points[1]));
    walk->stamp = triangle + 1;
}

// Sort pairs (tetrahedron, triangle) into lists per tetrahedron.
static bool sort_pairs(rblTetsSurface* surface, const rblIndexArray* pairs)
{
    const uint32_t tet_count = surface->tets->tet_count;
    const size_t count = pairs->count / 2;
    if (!rbl_array_resize(&surface->starts, (size_t)tet_count + 2) ||
        !rbl_array_resize(&surface->triangles, count + 1))
    {
        return false;
    }
    uint32_t* starts = surface->starts.data;
    memset(starts, 0, sizeof *starts * ((size_t)tet_count + 2));
    for (size_t n = 0; n < count; ++n)
    {
        starts[pairs->data[2 * n] + 2] += 1;
    }
    for (uint32_t t = 0; t < tet_count; ++t)
    {
        starts[t + 2] += starts[t + 1];
    }
    for (size_t n = 0; n < count; ++n)
    {
        surface->triangles.data[starts[pairs->data[2 * n] + 1]++] = pairs->data[2 * n + 1];
    }
    return true;
}

static rblResult find_pairs(rblTetsSurface* surface, TriangleWalk* walk, rblIndexArray* pairs)
{
    for (uint32_t t = 0; t < surface->triangle_count; ++t)
    {
        begin_walk(walk, surface, t);
        const uint32_t vertex = surface->triangle_vertices[3 * (size_t)t];
        bool stored = walk_triangle(walk, surface->vertex_tets.data[vertex]);
        for (size_t n = 0; n < walk->open.count && stored; ++n)
        {
            stored = rbl_array_push(pairs, walk->open.data[n]) && rbl_array_push(pairs, t);
        }
        if (!stored)
        {
            return rbl_fail_memory();
        }
    }
    return sort_pairs(surface, pairs) ? RBL_OK : rbl_fail_memory();
}

static rblResult index_triangles(rblTetsSurface* surface)
{
    TriangleWalk walk = {.tets = surface->tets};
    const size_t tet_count = surface->tets->tet_count;
    rblIndexArray pairs;
    rbl_array_init(&walk.open, surface->allocator);
    rbl_array_init(&pairs, surface->allocator);
    walk.stamps = rbl_alloc_zero(surface->allocator, sizeof *walk.stamps * tet_count);
    const rblResult result = walk.stamps != NULL ? find_pairs(surface, &walk, &pairs) : rbl_fail_memory();
    RBL_FREE_ARRAY(surface->allocator, walk.stamps, tet_count);
    rbl_array_free(&pairs);
    rbl_array_free(&walk.open);
    return result;
}

static rblResult locate_vertices(rblTetsSurface* surface, const rblTets* tets)
{
    const uint32_t count = surface->view.vertex_count;
    if (!rbl_array_resize(&surface->vertex_tets, count))
    {
        return rbl_fail_memory();
    }
    for (uint32_t v = 0; v < count; ++v)
    {
        surface->vertex_tets.data[v] = rbl_tets_find(tets, surface->view.positions[v]);
    }
    for (size_t c = 0; c < 3 * (size_t)surface->triangle_count; ++c)
    {
        const uint32_t v = surface->triangle_vertices[c];
        if (surface->vertex_tets.data[v] == RBL_NONE)
        {
            const rblVec3d p = surface->view.positions[v];
            return rbl_fail(RBL_ERROR_GEOMETRY,
                            "cut: vertex %u of the surface at (%g, %g, %g) must be inside the tetrahedra", v,
                            p.x, p.y, p.z);
        }
    }
    return RBL_OK;
}

static rblResult fill_surface(rblTetsSurface* surface, const rblTets* tets)
{
    if (surface->view.corner_count == 3 * (uint64_t)surface->view.face_count)
    {
        surface->triangle_vertices = surface->view.corner_vertices;
        surface->triangle_count = surface->view.face_count;
    }
    else
    {
        rblIndexArray* own = &surface->own_triangles;
        RBL_TRY(rbl_triangulate_corners(&surface->view, own, NULL));
        for (size_t c = 0; c < own->count; ++c)
        {
            own->data[c] = surface->view.corner_vertices[own->data[c]];
        }
        surface->triangle_vertices = own->data;
        surface->triangle_count = (uint32_t)(own->count / 3);
    }
    RBL_TRY(locate_vertices(surface, tets));
    RBL_TRY(rbl_tets_surface_number(surface));
    return index_triangles(surface);
}

rblResult rbl_tets_surface_create(const rblMeshView* view, const rblTets* tets, const rblAllocator* allocator,
                                  rblTetsSurface** out)
{
    if (view == NULL || tets == NULL || view->face_count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "cut: surface and tetrahedra must not be null, and the surface must have faces");
    }
    rblTetsSurface* surface = rbl_alloc_zero(allocator, sizeof *surface);
    if (surface == NULL)
    {
        return rbl_fail_memory();
    }
    surface->allocator = allocator;
    surface->tets = rbl_tets_get_view(tets);
    surface->view = *view;
    const rblAabbd box = rbl_mesh_bounds(view);
    surface->size = rbl_distance3d(box.lower, box.upper);
    surface->span = surface->size * surface->size;
    for (uint32_t t = 0; t < surface->tets->tet_count; ++t)
    {
        rblVec3d corners[4];
        rbl_tet_corners(surface->tets, t, corners);
        for (uint32_t e = 0; e < 6; ++e)
        {
            const rblVec3d edge_vector =
                rbl_sub3d(corners[rbl_tet_edges[e][0]], corners[rbl_tet_edges[e][1]]);
            surface->span = rbl_maxd(surface->span, rbl_dot3d(edge_vector, edge_vector));
        }
    }
    surface->reach = rbl_length3d(box.lower) + rbl_length3d(box.upper);
    rbl_array_init(&surface->own_triangles, allocator);
    rbl_array_init(&surface->vertex_tets, allocator);
    rbl_array_init(&surface->starts, allocator);
    rbl_array_init(&surface->triangles, allocator);
    rbl_array_init(&surface->edge_indices, allocator);
    rbl_array_init(&surface->face_indices, allocator);
    rbl_array_init(&surface->side_indices, allocator);
    const rblResult result = fill_surface(surface, tets);
    if (result != RBL_OK)
    {
        rbl_tets_surface_free(surface);
        return result;
    }
    *out = surface;
    return RBL_OK;
}

void rbl_tets_surface_free(rblTetsSurface* surface)
{
    if (surface != NULL)
    {
        rbl_array_free(&surface->own_triangles);
        rbl_array_free(&surface->vertex_tets);
        rbl_array_free(&surface->starts);
        rbl_array_free(&surface->triangles);
        rbl_array_free(&surface->edge_indices);
        rbl_array_free(&surface->face_indices);
        rbl_array_free(&surface->side_indices);
        rbl_free(surface->allocator, surface, sizeof *surface);
    }
}

const uint32_t* rbl_tets_surface_triangle(const rblTetsSurface* surface, uint32_t triangle)
{
    return surface->triangle_vertices + 3 * (size_t)triangle;
}
