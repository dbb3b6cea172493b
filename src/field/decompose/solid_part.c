#include "field/decompose/solid_part.h"

#include "base/error.h"
#include "base/sort.h"
#include "field/convex/hull.h"
#include "math/mat3.h"
#include "math/trig.h"

void rbl_solid_part_init(rblSolidPart* part, const rblAllocator* allocator)
{
    *part = (rblSolidPart){.volume = 0.0};
    rbl_array_init(&part->surface, allocator);
    rbl_array_init(&part->caps, allocator);
    rbl_array_init(&part->planes, allocator);
    rbl_array_init(&part->points, allocator);
}

void rbl_solid_part_free(rblSolidPart* part)
{
    rbl_array_free(&part->surface);
    rbl_array_free(&part->caps);
    rbl_array_free(&part->planes);
    rbl_array_free(&part->points);
}

// ---- clipping ----

rblVec3d rbl_edge_crossing(rblVec3d a, rblVec3d b, double height_a, double height_b)
{
    const rblVec3d below = height_a < 0.0 ? a : b;
    const rblVec3d above = height_a < 0.0 ? b : a;
    const double low = height_a < 0.0 ? height_a : height_b;
    const double high = height_a < 0.0 ? height_b : height_a;
    return rbl_lerp3d(below, above, low / (low - high));
}

// Sutherland and Hodgman 1974.
uint32_t rbl_clip_triangle(const rblSoupTriangle* triangle, const rblCutPlane* plane, double snap,
                           rblVec3d out[4], bool on[4])
{
    double heights[3];
    uint32_t count = 0;
    for (int k = 0; k < 3; ++k)
    {
        heights[k] = rbl_height_above(plane, triangle->p[k], snap);
    }
    if (!(heights[0] < 0.0 || heights[1] < 0.0 || heights[2] < 0.0))
    {
        return 0;
    }
    for (int k = 0; k < 3; ++k)
    {
        const int next = k < 2 ? k + 1 : 0;
        if (heights[k] <= 0.0)
        {
            on[count] = heights[k] == 0.0;
            out[count++] = triangle->p[k];
        }
        if ((heights[k] < 0.0 && heights[next] > 0.0) || (heights[k] > 0.0 && heights[next] < 0.0))
        {
            on[count] = true;
            out[count++] = rbl_edge_crossing(triangle->p[k], triangle->p[next], heights[k], heights[next]);
        }
    }
    return count;
}

// The clipped triangles, and for each of their edges in the plane a triangle of the cap.
static bool cut_soup(const rblSoup* soup, const rblCutPlane* plane, double snap, rblVec3d apex, rblSoup* out,
                     rblSoup* caps)
{
    for (size_t i = 0; i < soup->count; ++i)
    {
        rblVec3d p[4];
        bool on[4];
        const uint32_t count = rbl_clip_triangle(&soup->data[i], plane, snap, p, on);
        for (uint32_t k = 2; k < count; ++k)
        {
            const rblSoupTriangle piece = {{p[0], p[k - 1], p[k]}};
            if (!rbl_array_push(out, piece))
            {
                return false;
            }
        }
        for (uint32_t k = 0; k < count; ++k)
        {
            const uint32_t next = k + 1 < count ? k + 1 : 0;
            const rblSoupTriangle cap = {{apex, p[next], p[k]}};
            if (on[k] && on[next] && !rbl_array_push(caps, cap))
            {
                return false;
            }
        }
    }
    return true;
}

bool rbl_solid_part_cut(const rblSolidPart* part, rblCutPlane plane, double snap, rblSolidPart* out)
{
    const rblVec3d apex = rbl_scale3d(plane.normal, plane.offset);
    for (size_t i = 0; i < part->planes.count; ++i)
    {
        if (!rbl_array_push(&out->planes, part->planes.data[i]))
        {
            return false;
        }
    }
    return rbl_array_push(&out->planes, plane) &&
           cut_soup(&part->surface, &plane, snap, apex, &out->surface, &out->caps) &&
           cut_soup(&part->caps, &plane, snap, apex, &out->caps, &out->caps);
}

// ---- corners of the cell ----

bool rbl_soup_contains(const rblSoup* soup, rblVec3d point)
{
    double sum = 0.0;
    for (size_t i = 0; i < soup->count; ++i)
    {
        const rblVec3d a = rbl_sub3d(soup->data[i].p[0], point);
        const rblVec3d b = rbl_sub3d(soup->data[i].p[1], point);
        const rblVec3d c = rbl_sub3d(soup->data[i].p[2], point);
        const double la = rbl_length3d(a);
        const double lb = rbl_length3d(b);
        const double lc = rbl_length3d(c);
        const double volume = rbl_dot3d(a, rbl_cross3d(b, c));
        const double base = la * lb * lc + rbl_dot3d(a, b) * lc + rbl_dot3d(b, c) * la + rbl_dot3d(c, a) * lb;
        sum += rbl_atan2(volume, base);
    }
    return sum > RBL_PI; // half of the full angle: the sum is of half angles
}

// Cramer's rule. False if two planes are nearly parallel.
static bool meeting_point(const rblCutPlane* a, const rblCutPlane* b, const rblCutPlane* c, rblVec3d* out)
{
    const rblVec3d bc = rbl_cross3d(b->normal, c->normal);
    const double det = rbl_dot3d(a->normal, bc);
    if (!(fabs(det) > 1e-6))
    {
        return false;
    }
    const rblVec3d ca = rbl_cross3d(c->normal, a->normal);
    const rblVec3d ab = rbl_cross3d(a->normal, b->normal);
    const rblVec3d sum =
        rbl_mul_add3d(rbl_mul_add3d(rbl_scale3d(bc, a->offset), b->offset, ca), c->offset, ab);
    *out = rbl_scale3d(sum, 1.0 / det);
    return true;
}

static bool is_in_cell(const rblCutPlanes* planes, rblVec3d point, double snap)
{
    for (size_t i = 0; i < planes->count; ++i)
    {
        if (rbl_height_above(&planes->data[i], point, snap) > 0.0)
        {
            return false;
        }
    }
    return true;
}

static bool add_cell_corners(rblSolidPart* part, const rblSoup* solid, double snap)
{
    const rblCutPlane* planes = part->planes.data;
    for (size_t i = 0; i < part->planes.count; ++i)
    {
        for (size_t j = 0; j < i; ++j)
        {
            for (size_t k = 0; k < j; ++k)
            {
                rblVec3d corner;
                if (meeting_point(&planes[i], &planes[j], &planes[k], &corner) &&
                    is_in_cell(&part->planes, corner, snap) && rbl_soup_contains(solid, corner) &&
                    !rbl_array_push(&part->points, rbl_to_float3(corner)))
                {
                    return false;
                }
            }
        }
    }
    return true;
}

// ---- points and volumes ----

static double soup_volume(const rblSoup* soup)
{
    double sum = 0.0;
    for (size_t i = 0; i < soup->count; ++i)
    {
        const rblVec3d* p = soup->data[i].p;
        sum += rbl_dot3d(p[0], rbl_cross3d(p[1], p[2]));
    }
    return sum / 6.0;
}

static bool is_before(uint32_t a, uint32_t b, const void* context)
{
    const rblVec3* points = context;
    const rblVec3 p = points[a];
    const rblVec3 q = points[b];
    return p.x != q.x ? p.x < q.x : (p.y != q.y ? p.y < q.y : p.z < q.z);
}

// Keep each point once, in the order of the coordinates.
static bool remove_copies(rblPointArray* points, const rblAllocator* allocator)
{
    const size_t count = points->count;
    uint32_t* order = RBL_NEW_ARRAY(allocator, uint32_t, 2 * count + 1);
    rblVec3* sorted = RBL_NEW_ARRAY(allocator, rblVec3, count + 1);
    if (order != NULL && sorted != NULL)
    {
        for (size_t i = 0; i < count; ++i)
        {
            order[i] = (uint32_t)i;
        }
        rbl_sort_indices(order, order + count, count, is_before, points->data);
        size_t kept = 0;
        for (size_t i = 0; i < count; ++i)
        {
            const rblVec3 p = points->data[order[i]];
            if (kept == 0 || p.x != sorted[kept - 1].x || p.y != sorted[kept - 1].y ||
                p.z != sorted[kept - 1].z)
            {
                sorted[kept++] = p;
            }
        }
        for (size_t i = 0; i < kept; ++i)
        {
            points->data[i] = sorted[i];
        }
        points->count = kept;
    }
    const bool done = order != NULL && sorted != NULL;
    RBL_FREE_ARRAY(allocator, order, 2 * count + 1);
    RBL_FREE_ARRAY(allocator, sorted, count + 1);
    return done;
}

bool rbl_solid_part_collect(rblSolidPart* part, const rblSoup* solid, double snap)
{
    part->volume = soup_volume(&part->surface) + soup_volume(&part->caps);
    part->points.count = 0;
    for (size_t i = 0; i < part->surface.count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            if (!rbl_array_push(&part->points, rbl_to_float3(part->surface.data[i].p[k])))
            {
                return false;
            }
        }
    }
    return add_cell_corners(part, solid, snap) && remove_copies(&part->points, part->points.allocator);
}

static double triangles_volume(const rblVec3* points, const rblHullTriangles* triangles)
{
    double sum = 0.0;
    const rblVec3d origin = rbl_to_double3(points[0]);
    for (size_t i = 0; i < triangles->count; ++i)
    {
        const uint32_t* v = triangles->data[i].vertices;
        const rblVec3d a = rbl_sub3d(rbl_to_double3(points[v[0]]), origin);
        const rblVec3d b = rbl_sub3d(rbl_to_double3(points[v[1]]), origin);
        const rblVec3d c = rbl_sub3d(rbl_to_double3(points[v[2]]), origin);
        sum += rbl_dot3d(a, rbl_cross3d(b, c));
    }
    return sum / 6.0;
}

static rblResult list_corners(const rblVec3* points, uint32_t count, const rblHullTriangles* triangles,
                              rblPointArray* out)
{
    bool* used = rbl_alloc_zero(out->allocator, count);
    bool stored = used != NULL;
    for (size_t i = 0; stored && i < triangles->count; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            used[triangles->data[i].vertices[k]] = true;
        }
    }
    out->count = 0;
    for (uint32_t i = 0; stored && i < count; ++i)
    {
        stored = !used[i] || rbl_array_push(out, points[i]);
    }
    rbl_free(out->allocator, used, count);
    return stored ? RBL_OK : rbl_fail_memory();
}

rblResult rbl_points_hull_volume(const rblVec3* points, uint32_t count, const rblAllocator* allocator,
                                 rblPointArray* corners, double* volume)
{
    *volume = 0.0;
    if (count < 4)
    {
        return RBL_OK;
    }
    rblHullTriangles triangles;
    rbl_array_init(&triangles, allocator);
    rblResult result = rbl_hull_triangles(points, count, &triangles);
    if (result == RBL_OK)
    {
        *volume = triangles_volume(points, &triangles);
        result = corners != NULL ? list_corners(points, count, &triangles, corners) : RBL_OK;
    }
    rbl_array_free(&triangles);
    return result == RBL_ERROR_MEMORY ? result : RBL_OK; // all in one plane: no volume
}

rblResult rbl_solid_part_measure(rblSolidPart* part)
{
    rblPointArray corners;
    rbl_array_init(&corners, part->points.allocator);
    const rblResult result = rbl_points_hull_volume(part->points.data, (uint32_t)part->points.count,
                                                    part->points.allocator, &corners, &part->hull_volume);
    if (result == RBL_OK && corners.count > 0)
    {
        rbl_array_free(&part->points);
        part->points = corners;
        return RBL_OK;
    }
    rbl_array_free(&corners);
    return result;
}
