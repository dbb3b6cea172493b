// Faces of a hull from its triangles: triangles that are coplanar within a tolerance become one polygon.
#include "field/convex/hull.h"

#include "base/error.h"
#include "base/sort.h"
#include "math/vec.h"

typedef struct Merger
{
    const rblVec3* points;
    const rblHullTriangle* triangles;
    uint32_t count;
    double tolerance;
    uint32_t* groups;  // per triangle: its face
    double* areas;     // per triangle: twice its area, m^2
    rblVec3d* normals; // per triangle, unit
    uint32_t* order;   // triangles, the largest first
    uint32_t* scratch;
    uint32_t* numbers; // per point: its index as a vertex; RBL_NONE: dropped
    uint32_t point_count;
    uint32_t group_count;
    const rblAllocator* allocator;
} Merger;

void rbl_hull_draft_init(rblHullDraft* draft, const rblAllocator* allocator)
{
    rbl_array_init(&draft->vertices, allocator);
    rbl_array_init(&draft->face_starts, allocator);
    rbl_array_init(&draft->corner_vertices, allocator);
}

void rbl_hull_draft_free(rblHullDraft* draft)
{
    rbl_array_free(&draft->vertices);
    rbl_array_free(&draft->face_starts);
    rbl_array_free(&draft->corner_vertices);
}

static rblVec3d corner(const Merger* m, uint32_t triangle, uint32_t k)
{
    return rbl_to_double3(m->points[m->triangles[triangle].vertices[k % 3]]);
}

static bool larger_first(uint32_t a, uint32_t b, const void* context)
{
    const double* areas = context;
    return areas[a] > areas[b];
}

static void measure_triangles(Merger* m)
{
    for (uint32_t t = 0; t < m->count; ++t)
    {
        const rblVec3d a = corner(m, t, 0);
        const rblVec3d cross = rbl_cross3d(rbl_sub3d(corner(m, t, 1), a), rbl_sub3d(corner(m, t, 2), a));
        m->areas[t] = rbl_length3d(cross);
        m->normals[t] = rbl_normalize3d(cross, (rblVec3d){0, 0, 0});
        m->groups[t] = RBL_NONE;
        m->order[t] = t;
    }
    rbl_sort_indices(m->order, m->scratch, m->count, larger_first, m->areas);
}

// Whether a triangle is in the plane of the seed within the tolerance, with a similar normal: a sliver next to a sharp
// edge may be in both planes.
static bool belongs(const Merger* m, uint32_t triangle, uint32_t seed)
{
    const rblVec3d base = corner(m, seed, 0);
    for (uint32_t k = 0; k < 3; ++k)
    {
        if (fabs(rbl_dot3d(m->normals[seed], rbl_sub3d(corner(m, triangle, k), base))) > m->tolerance)
        {
            return false;
        }
    }
    return rbl_dot3d(m->normals[seed], m->normals[triangle]) > 0.5;
}

static void flood(Merger* m, uint32_t seed)
{
    uint32_t waiting = 1;
    const uint32_t group = m->group_count++;
    m->scratch[0] = seed;
    m->groups[seed] = group;
    while (waiting > 0)
    {
        const uint32_t t = m->scratch[--waiting];
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t other = m->triangles[t].neighbours[k];
            if (m->groups[other] == RBL_NONE && belongs(m, other, seed))
            {
                m->groups[other] = group;
                m->scratch[waiting++] = other;
            }
        }
    }
}

static uint32_t corner_of(const rblHullTriangle* triangle, uint32_t vertex)
{
    return triangle->vertices[0] == vertex ? 0 : (triangle->vertices[1] == vertex ? 1 : 2);
}

// Number of faces around the start vertex of corner k of triangle t.
static uint32_t faces_around(const Merger* m, uint32_t t, uint32_t k)
{
    const uint32_t vertex = m->triangles[t].vertices[k];
    uint32_t changes = 0;
    uint32_t at = t;
    do
    {
        // The edge that ends at the vertex in this triangle leads to the next triangle.
        const uint32_t next = m->triangles[at].neighbours[(corner_of(&m->triangles[at], vertex) + 2) % 3];
        changes += m->groups[next] != m->groups[at];
        at = next;
    } while (at != t);
    return changes;
}

static void number_vertices(Merger* m, rblHullDraft* out)
{
    for (uint32_t i = 0; i < m->point_count; ++i)
    {
        m->numbers[i] = RBL_NONE;
    }
    for (uint32_t t = 0; t < m->count; ++t)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t v = m->triangles[t].vertices[k];
            if (m->numbers[v] == RBL_NONE && faces_around(m, t, k) >= 3)
            {
                m->numbers[v] = (uint32_t)out->vertices.count;
                out->vertices.data[out->vertices.count++] = m->points[v];
            }
        }
    }
}

// The border of a face, starting with one of its border edges.
static void trace_rim(const Merger* m, uint32_t t, uint32_t k, uint32_t* rim_edges, rblHullDraft* out)
{
    const uint32_t first_t = t;
    const uint32_t first_k = k;
    do
    {
        const uint32_t number = m->numbers[m->triangles[t].vertices[k]];
        if (number != RBL_NONE)
        {
            out->corner_vertices.data[out->corner_vertices.count++] = number;
        }
        *rim_edges += 1;
        const uint32_t head = m->triangles[t].vertices[(k + 1) % 3];
        k = (k + 1) % 3;
        while (m->groups[m->triangles[t].neighbours[k]] == m->groups[t])
        {
            t = m->triangles[t].neighbours[k];
            k = corner_of(&m->triangles[t], head);
        }
    } while (t != first_t || k != first_k);
}

// Each face once, from its first border edge in the order of triangles. Returns false if a face is not a single loop of
// at least three vertices.
static bool trace_faces(Merger* m, rblHullDraft* out)
{
    uint32_t rim_edges = 0;
    uint32_t all_rim_edges = 0;
    bool valid = true;
    for (uint32_t g = 0; g < m->group_count; ++g)
    {
        m->scratch[g] = 0;
    }
    for (uint32_t t = 0; t < m->count; ++t)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            if (m->groups[m->triangles[t].neighbours[k]] == m->groups[t])
            {
                continue;
            }
            all_rim_edges += 1;
            if (m->scratch[m->groups[t]] == 0)
            {
                m->scratch[m->groups[t]] = 1;
                const size_t before = out->corner_vertices.count;
                trace_rim(m, t, k, &rim_edges, out);
                valid = valid && out->corner_vertices.count >= before + 3;
                out->face_starts.data[out->face_starts.count++] = (uint32_t)out->corner_vertices.count;
            }
        }
    }
    return valid && rim_edges == all_rim_edges;
}

// Whether the surface is closed, by Euler's formula.
static bool euler_holds(const rblHullDraft* draft)
{
    const size_t faces = draft->face_starts.count - 1;
    return faces >= 4 && draft->corner_vertices.count % 2 == 0 &&
           draft->vertices.count + faces == draft->corner_vertices.count / 2 + 2;
}

static bool make_faces(Merger* m, rblHullDraft* out)
{
    rbl_array_clear(&out->vertices);
    rbl_array_clear(&out->corner_vertices);
    rbl_array_clear(&out->face_starts);
    out->face_starts.data[out->face_starts.count++] = 0;
    number_vertices(m, out);
    return trace_faces(m, out) && euler_holds(out);
}

static bool reserve(Merger* m, rblHullDraft* out)
{
    m->groups = RBL_NEW_ARRAY(m->allocator, uint32_t, m->count);
    m->areas = RBL_NEW_ARRAY(m->allocator, double, m->count);
    m->normals = RBL_NEW_ARRAY(m->allocator, rblVec3d, m->count);
    m->order = RBL_NEW_ARRAY(m->allocator, uint32_t, m->count);
    m->scratch = RBL_NEW_ARRAY(m->allocator, uint32_t, m->count);
    m->numbers = RBL_NEW_ARRAY(m->allocator, uint32_t, m->point_count);
    return m->groups != NULL && m->areas != NULL && m->normals != NULL && m->order != NULL &&
           m->scratch != NULL && m->numbers != NULL &&
           rbl_array_reserve(&out->vertices, 3 * (size_t)m->count) &&
           rbl_array_reserve(&out->corner_vertices, 3 * (size_t)m->count) &&
           rbl_array_reserve(&out->face_starts, (size_t)m->count + 1);
}

static void merge(Merger* m, rblHullDraft* out)
{
    measure_triangles(m);
    for (uint32_t i = 0; i < m->count; ++i)
    {
        if (m->groups[m->order[i]] == RBL_NONE)
        {
            flood(m, m->order[i]);
        }
    }
    if (!make_faces(m, out))
    {
        // The merged faces do not close: use the triangles as faces.
        for (uint32_t t = 0; t < m->count; ++t)
        {
            m->groups[t] = t;
        }
        m->group_count = m->count;
        make_faces(m, out);
    }
}

rblResult rbl_hull_merge(const rblVec3* points, const rblHullTriangles* triangles, double tolerance,
                         rblHullDraft* out)
{
    Merger m = {.points = points,
                .triangles = triangles->data,
                .count = (uint32_t)triangles->count,
                .tolerance = tolerance,
                .allocator = out->vertices.allocator};
    for (uint32_t i = 0; i < m.count; ++i)
    {
        for (uint32_t k = 0; k < 3; ++k)
        {
            const uint32_t v = m.triangles[i].vertices[k];
            m.point_count = v >= m.point_count ? v + 1 : m.point_count;
        }
    }
    const bool stored = reserve(&m, out);
    if (stored)
    {
        merge(&m, out);
    }
    RBL_FREE_ARRAY(m.allocator, m.groups, m.count);
    RBL_FREE_ARRAY(m.allocator, m.areas, m.count);
    RBL_FREE_ARRAY(m.allocator, m.normals, m.count);
    RBL_FREE_ARRAY(m.allocator, m.order, m.count);
    RBL_FREE_ARRAY(m.allocator, m.scratch, m.count);
    RBL_FREE_ARRAY(m.allocator, m.numbers, m.point_count);
    return stored ? RBL_OK : rbl_fail_memory();
}
