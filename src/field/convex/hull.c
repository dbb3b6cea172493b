// The final polytope: memory layout, support, distance, rays, samples.
#include "field/convex/hull.h"

#include "base/error.h"
#include "math/simd.h"
#include "math/vec.h"

// ---- packing ----

static size_t aligned(size_t bytes)
{
    return (bytes + 15) & ~(size_t)15;
}

static rblHull* allocate(const rblHullDraft* draft, const rblAllocator* allocator)
{
    const uint32_t vertices = (uint32_t)draft->vertices.count;
    const uint32_t faces = (uint32_t)draft->face_starts.count - 1;
    const uint32_t corners = (uint32_t)draft->corner_vertices.count;
    const uint32_t vertex_blocks = (vertices + 3) / 4;
    const uint32_t face_blocks = (faces + 3) / 4;
    const size_t sizes[7] = {sizeof(rblHull),
                             vertex_blocks * 12 * sizeof(float),
                             face_blocks * 16 * sizeof(float),
                             corners / 2 * sizeof(rblHullEdge),
                             (faces + 1) * sizeof(uint16_t),
                             corners * sizeof(uint16_t),
                             corners};
    size_t offsets[8] = {0};
    for (int i = 0; i < 7; ++i)
    {
        offsets[i + 1] = offsets[i] + aligned(sizes[i]);
    }
    unsigned char* memory = rbl_alloc_zero(allocator, offsets[7]);
    if (memory == NULL)
    {
        return NULL;
    }
    rblHull* hull = (rblHull*)(void*)memory;
    *hull = (rblHull){.bytes = offsets[7],
                      .vertex_count = vertices,
                      .face_count = faces,
                      .edge_count = corners / 2,
                      .corner_count = corners,
                      .vertex_blocks = vertex_blocks,
                      .face_blocks = face_blocks,
                      .vertices = (float*)(void*)(memory + offsets[1]),
                      .planes = (float*)(void*)(memory + offsets[2]),
                      .edges = (rblHullEdge*)(void*)(memory + offsets[3]),
                      .face_starts = (uint16_t*)(void*)(memory + offsets[4]),
                      .corner_edges = (uint16_t*)(void*)(memory + offsets[5]),
                      .corner_vertices = memory + offsets[6]};
    return hull;
}

static void set_vertex(rblHull* hull, uint32_t i, rblVec3 p)
{
    float* block = hull->vertices + 12 * (size_t)(i >> 2) + (i & 3);
    block[0] = p.x;
    block[4] = p.y;
    block[8] = p.z;
}

static void set_plane(rblHull* hull, uint32_t i, rblVec3 n, float offset)
{
    float* block = hull->planes + 16 * (size_t)(i >> 2) + (i & 3);
    block[0] = n.x;
    block[4] = n.y;
    block[8] = n.z;
    block[12] = offset;
}

// Newell's normal: correct also for polygons that are not exactly planar.
static rblVec3d polygon_normal(const rblHullDraft* draft, uint32_t face)
{
    const uint32_t begin = draft->face_starts.data[face];
    const uint32_t end = draft->face_starts.data[face + 1];
    const rblVec3d base = rbl_to_double3(draft->vertices.data[draft->corner_vertices.data[begin]]);
    rblVec3d sum = {0, 0, 0};
    for (uint32_t i = begin + 1; i + 1 < end; ++i)
    {
        const rblVec3d a = rbl_to_double3(draft->vertices.data[draft->corner_vertices.data[i]]);
        const rblVec3d b = rbl_to_double3(draft->vertices.data[draft->corner_vertices.data[i + 1]]);
        sum = rbl_add3d(sum, rbl_cross3d(rbl_sub3d(a, base), rbl_sub3d(b, base)));
    }
    return rbl_normalize3d(sum, (rblVec3d){0, 1, 0});
}

static void pack_planes(rblHull* hull, const rblHullDraft* draft, rblVec3d center, const rblVec3* bound,
                        uint32_t bound_count)
{
    double inner = (double)INFINITY;
    for (uint32_t f = 0; f < hull->face_count; ++f)
    {
        // The offset is measured along the stored normal, which is rounded to float.
        const rblVec3 n = rbl_to_float3(polygon_normal(draft, f));
        const rblVec3d normal = rbl_to_double3(n);
        double offset = -(double)INFINITY;
        for (uint32_t i = 0; i < bound_count; ++i)
        {
            offset = rbl_maxd(rbl_dot3d(normal, rbl_to_double3(bound[i])), offset);
        }
        set_plane(hull, f, n, (float)offset);
        inner = rbl_mind(offset - rbl_dot3d(normal, center), inner);
    }
    hull->inner = (float)(inner * (1.0 - 1e-6));
    for (uint32_t f = hull->face_count; f < 4 * hull->face_blocks; ++f)
    {
        const uint32_t first = 4 * (hull->face_blocks - 1);
        set_plane(hull, f, rbl_hull_normal(hull, first), rbl_hull_offset(hull, first));
    }
}

// Match half-edges through a table of pairs of vertices, one tail vertex at a time.
static void pack_edges(rblHull* hull)
{
    uint32_t edges = 0;
    for (uint32_t f = 0; f < hull->face_count; ++f)
    {
        const uint32_t begin = hull->face_starts[f];
        const uint32_t end = hull->face_starts[f + 1];
        for (uint32_t c = begin; c < end; ++c)
        {
            const uint8_t tail = hull->corner_vertices[c];
            const uint8_t head = hull->corner_vertices[c + 1 < end ? c + 1 : begin];
            uint32_t e = 0;
            while (e < edges && !(hull->edges[e].tail == head && hull->edges[e].head == tail))
            {
                ++e;
            }
            if (e == edges)
            {
                hull->edges[edges++] = (rblHullEdge){(uint16_t)f, 0, tail, head};
            }
            else
            {
                hull->edges[e].right = (uint16_t)f;
            }
            hull->corner_edges[c] = (uint16_t)e;
        }
    }
}

rblResult rbl_hull_pack(const rblHullDraft* draft, rblVec3d center, const rblVec3* bound,
                        uint32_t bound_count, const rblAllocator* allocator, rblHull** out)
{
    rblHull* hull = allocate(draft, allocator);
    if (hull == NULL)
    {
        return rbl_fail_memory();
    }
    double size = 0.0;
    for (uint32_t i = 0; i < 4 * hull->vertex_blocks; ++i)
    {
        const uint32_t from = i < hull->vertex_count ? i : 4 * (hull->vertex_blocks - 1);
        set_vertex(hull, i, draft->vertices.data[from]);
        size = rbl_maxd(rbl_distance3d(rbl_to_double3(draft->vertices.data[from]), center), size);
    }
    for (uint32_t f = 0; f <= hull->face_count; ++f)
    {
        hull->face_starts[f] = (uint16_t)draft->face_starts.data[f];
    }
    for (uint32_t c = 0; c < hull->corner_count; ++c)
    {
        hull->corner_vertices[c] = (uint8_t)draft->corner_vertices.data[c];
    }
    hull->center = rbl_to_float3(center);
    hull->size = (float)size;
    pack_edges(hull);
    pack_planes(hull, draft, center, bound, bound_count);
    *out = hull;
    return RBL_OK;
}

void rbl_hull_free(rblHull* hull, const rblAllocator* allocator)
{
    if (hull != NULL)
    {
        rbl_free(allocator, hull, hull->bytes);
    }
}

rblResult rbl_hull_box(rblVec3 half, const rblAllocator* allocator, rblHull** out)
{
    // Vertex i: bit 0 is +x, bit 1 +y, bit 2 +z.
    static const uint32_t quads[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4,
                                       2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
    rblVec3 vertices[8];
    uint32_t corners[24];
    uint32_t starts[7];
    for (uint32_t i = 0; i < 8; ++i)
    {
        vertices[i] = (rblVec3){i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
    }
    for (uint32_t i = 0; i < 24; ++i)
    {
        corners[i] = quads[i];
    }
    for (uint32_t i = 0; i < 7; ++i)
    {
        starts[i] = 4 * i;
    }
    rblHullDraft draft;
    rbl_hull_draft_init(&draft, allocator);
    draft.vertices.data = vertices;
    draft.vertices.count = 8;
    draft.corner_vertices.data = corners;
    draft.corner_vertices.count = 24;
    draft.face_starts.data = starts;
    draft.face_starts.count = 7;
    return rbl_hull_pack(&draft, (rblVec3d){0, 0, 0}, vertices, 8, allocator, out);
}

// ---- queries ----

uint32_t rbl_hull_support(const rblHull* hull, rblVec3 direction)
{
    const rblFloat4 x = rbl_splat4(direction.x);
    const rblFloat4 y = rbl_splat4(direction.y);
    const rblFloat4 z = rbl_splat4(direction.z);
    rblFloat4 best = rbl_splat4(-INFINITY);
    float dots[RBL_HULL_MAX_VERTICES + 1];
    const float* v = hull->vertices;
    for (uint32_t b = 0; b < hull->vertex_blocks; ++b, v += 12)
    {
        const rblFloat4 dot = rbl_add4(rbl_add4(rbl_mul4(rbl_load4(v), x), rbl_mul4(rbl_load4(v + 4), y)),
                                       rbl_mul4(rbl_load4(v + 8), z));
        rbl_store4(dots + 4 * (size_t)b, dot);
        best = rbl_max4(dot, best);
    }
    float lanes[4];
    rbl_store4(lanes, best);
    const float top = rbl_maxf(rbl_maxf(lanes[0], lanes[1]), rbl_maxf(lanes[2], lanes[3]));
    const rblFloat4 level = rbl_splat4(top);
    for (uint32_t b = 0; b < hull->vertex_blocks; ++b)
    {
        const uint32_t mask = rbl_mask4(rbl_less_equal4(level, rbl_load4(dots + 4 * (size_t)b)));
        if (mask != 0)
        {
            return 4 * b + (mask & 1 ? 0 : (mask & 2 ? 1 : (mask & 4 ? 2 : 3)));
        }
    }
    return 0;
}

// rounding error of heights above faces, relative to the size of the hull
#define ROUNDING 1e-6

static rblFloat4 face_heights(const float* block, rblVec3 p)
{
    const rblFloat4 along = rbl_add4(rbl_add4(rbl_mul4(rbl_load4(block), rbl_splat4(p.x)),
                                              rbl_mul4(rbl_load4(block + 4), rbl_splat4(p.y))),
                                     rbl_mul4(rbl_load4(block + 8), rbl_splat4(p.z)));
    return rbl_sub4(along, rbl_load4(block + 12));
}

float rbl_hull_height(const rblHull* hull, rblVec3 point)
{
    rblFloat4 best = rbl_splat4(-INFINITY);
    for (uint32_t b = 0; b < hull->face_blocks; ++b)
    {
        best = rbl_max4(face_heights(hull->planes + 16 * (size_t)b, point), best);
    }
    float lanes[4];
    rbl_store4(lanes, best);
    return rbl_maxf(rbl_maxf(lanes[0], lanes[1]), rbl_maxf(lanes[2], lanes[3]));
}

// The same with the index of the face, the first of equals.
static float highest_face(const rblHull* hull, rblVec3 p, uint32_t* face)
{
    const float height = rbl_hull_height(hull, p);
    *face = 0;
    for (uint32_t b = 0; b < hull->face_blocks; ++b)
    {
        const rblFloat4 heights = face_heights(hull->planes + 16 * (size_t)b, p);
        const uint32_t mask = rbl_mask4(rbl_less_equal4(rbl_splat4(height), heights));
        if (mask != 0)
        {
            *face = 4 * b + (mask & 1 ? 0 : (mask & 2 ? 1 : (mask & 4 ? 2 : 3)));
            break;
        }
    }
    return height;
}

// The point of a face closest to p, where p is above its plane: the projection of p if it is inside the face, else a
// point on its border.
static rblVec3d closest_on_face(const rblHull* hull, uint32_t face, rblVec3d p)
{
    const rblVec3d n = rbl_to_double3(rbl_hull_normal(hull, face));
    const uint32_t begin = hull->face_starts[face];
    const uint32_t end = hull->face_starts[face + 1];
    const double slack = ROUNDING * (double)hull->size;
    rblVec3d closest = {0, 0, 0};
    double best = (double)INFINITY;
    bool inside = true;
    for (uint32_t c = begin; c < end; ++c)
    {
        const rblVec3d a = rbl_to_double3(rbl_hull_vertex(hull, hull->corner_vertices[c]));
        const uint32_t next = c + 1 < end ? c + 1 : begin;
        const rblVec3d b = rbl_to_double3(rbl_hull_vertex(hull, hull->corner_vertices[next]));
        const rblVec3d along = rbl_sub3d(b, a);
        const rblVec3d to_p = rbl_sub3d(p, a);
        // The direction of an edge shorter than the rounding error is undefined.
        if (rbl_dot3d(rbl_cross3d(n, along), to_p) >= 0.0 || rbl_dot3d(along, along) <= slack * slack)
        {
            continue;
        }
        inside = false;
        const double t = rbl_clampd(rbl_dot3d(to_p, along) / rbl_dot3d(along, along), 0.0, 1.0);
        const rblVec3d on_edge = rbl_mul_add3d(a, t, along);
        const rblVec3d difference = rbl_sub3d(p, on_edge);
        if (rbl_dot3d(difference, difference) < best)
        {
            best = rbl_dot3d(difference, difference);
            closest = on_edge;
        }
    }
    const double height = rbl_dot3d(n, p) - (double)rbl_hull_offset(hull, face);
    return inside ? rbl_mul_add3d(p, -height, n) : closest;
}

float rbl_hull_distance(const rblHull* hull, rblVec3 point, rblVec3* gradient)
{
    uint32_t top;
    const float height = highest_face(hull, point, &top);
    *gradient = rbl_hull_normal(hull, top);
    if (!(height > 0.0f))
    {
        return height;
    }
    // The closest point is on a face that is visible from the point, within rounding: of several coplanar faces the
    // right one may be just not visible.
    const double slack = ROUNDING * (double)hull->size;
    const rblVec3d p = rbl_to_double3(point);
    double best = (double)INFINITY;
    rblVec3d difference = {0, 0, 0};
    for (uint32_t f = 0; f < hull->face_count; ++f)
    {
        // In doubles: a projection just inside the border is hardly closer than the border, but its direction is much
        // more accurate.
        const double above =
            rbl_dot3d(rbl_to_double3(rbl_hull_normal(hull, f)), p) - (double)rbl_hull_offset(hull, f);
        if (above <= -slack || above * fabs(above) >= best)
        {
            continue;
        }
        const rblVec3d away = rbl_sub3d(p, closest_on_face(hull, f, p));
        if (rbl_dot3d(away, away) < best)
        {
            best = rbl_dot3d(away, away);
            difference = away;
        }
    }
    if (best <= slack * slack || best == (double)INFINITY) // outside only by the rounding error of floats
    {
        return height;
    }
    *gradient = rbl_to_float3(rbl_normalize3d(difference, rbl_to_double3(*gradient)));
    return (float)sqrt(best);
}

bool rbl_hull_ray(const rblHull* hull, const rblRay* ray, rblShapeHit* hit)
{
    const rblVec3d o = rbl_to_double3(ray->origin);
    const rblVec3d d = rbl_to_double3(ray->direction);
    double t_in = -(double)INFINITY;
    double t_out = (double)INFINITY;
    uint32_t face = 0;
    for (uint32_t f = 0; f < hull->face_count; ++f)
    {
        const rblVec3d n = rbl_to_double3(rbl_hull_normal(hull, f));
        const double height = rbl_dot3d(n, o) - (double)rbl_hull_offset(hull, f);
        const double slope = rbl_dot3d(n, d);
        if (slope == 0.0)
        {
            t_out = height > 0.0 ? -(double)INFINITY : t_out;
        }
        else if (slope > 0.0)
        {
            t_out = rbl_mind(-height / slope, t_out);
        }
        else if (-height / slope > t_in)
        {
            t_in = -height / slope;
            face = f;
        }
    }
    hit->t = (float)t_in;
    hit->normal = rbl_hull_normal(hull, face);
    return t_in <= t_out;
}

// ---- samples ----

// Distance between samples along edges and across faces, relative to the largest extent.
#define SAMPLE_SPACING 0.5
#define MAX_STEPS      32 // samples along an edge or across a face
static uint32_t steps_along(double length, double spacing)
{
    const double steps = ceil(length / spacing);
    return steps < 1.0 ? 1 : (steps > MAX_STEPS ? MAX_STEPS : (uint32_t)steps);
}

// Rings of samples that shrink towards the centre of the face.
static bool sample_face(const rblHull* hull, uint32_t face, double spacing, rblPointArray* out)
{
    const uint32_t begin = hull->face_starts[face];
    const uint32_t end = hull->face_starts[face + 1];
    rblVec3d middle = {0, 0, 0};
    double reach = 0.0;
    for (uint32_t c = begin; c < end; ++c)
    {
        const rblVec3d p = rbl_to_double3(rbl_hull_vertex(hull, hull->corner_vertices[c]));
        middle = rbl_mul_add3d(middle, 1.0 / (end - begin), p);
    }
    for (uint32_t c = begin; c < end; ++c)
    {
        const rblVec3d p = rbl_to_double3(rbl_hull_vertex(hull, hull->corner_vertices[c]));
        reach = rbl_maxd(rbl_distance3d(p, middle), reach);
    }
    const uint32_t rings = steps_along(reach, spacing);
    for (uint32_t r = 1; r < rings; ++r)
    {
        const double fraction = (double)r / rings;
        for (uint32_t c = begin; c < end; ++c)
        {
            const rblVec3d a = rbl_to_double3(rbl_hull_vertex(hull, hull->corner_vertices[c]));
            const uint32_t next = c + 1 < end ? c + 1 : begin;
            const rblVec3d b = rbl_to_double3(rbl_hull_vertex(hull, hull->corner_vertices[next]));
            const uint32_t steps = steps_along(fraction * rbl_distance3d(a, b), spacing);
            for (uint32_t s = 0; s < steps; ++s)
            {
                const rblVec3d rim = rbl_lerp3d(a, b, (double)s / steps);
                if (!rbl_array_push(out, rbl_to_float3(rbl_lerp3d(middle, rim, fraction))))
                {
                    return false;
                }
            }
        }
    }
    return rbl_array_push(out, rbl_to_float3(middle));
}

bool rbl_sample_hull(const rblHull* hull, rblPointArray* out)
{
    const double spacing = SAMPLE_SPACING * (double)hull->size;
    bool stored = true;
    for (uint32_t i = 0; i < hull->vertex_count && stored; ++i)
    {
        stored = rbl_array_push(out, rbl_hull_vertex(hull, i));
    }
    for (uint32_t e = 0; e < hull->edge_count && stored; ++e)
    {
        const rblVec3d a = rbl_to_double3(rbl_hull_vertex(hull, hull->edges[e].tail));
        const rblVec3d b = rbl_to_double3(rbl_hull_vertex(hull, hull->edges[e].head));
        const uint32_t steps = steps_along(rbl_distance3d(a, b), spacing);
        for (uint32_t s = 1; s < steps && stored; ++s)
        {
            stored = rbl_array_push(out, rbl_to_float3(rbl_lerp3d(a, b, (double)s / steps)));
        }
    }
    for (uint32_t f = 0; f < hull->face_count && stored; ++f)
    {
        stored = sample_face(hull, f, spacing, out);
    }
    return stored;
}
