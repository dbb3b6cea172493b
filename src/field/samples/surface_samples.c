#include "field/samples/surface_samples.h"

#include "base/error.h"
#include "base/random.h"
#include "math/aabb.h"
#include "mesh/topology.h"

// ---- tuning ----
#define SHARP_COSINE 0.8660254037844387 // of 30 degrees

// Least distances of points, relative to their spacing. A later point that is closer is dropped. A random packing at
// 0.7 spacings leaves gaps of about one spacing.
#define FACE_DISTANCE   0.7
#define EDGE_DISTANCE   0.7
#define CORNER_DISTANCE 0.25

#define POINTS_PER_SQUARE 8.0 // random points per square of side `spacing`

#define GRID_BITS 20u // bits per axis of the grid that finds neighbours

typedef struct Sampler
{
    const rblMeshView* view;
    const rblAllocator* allocator;
    rblTopology topology;
    rblVec3d* normals;      // per face, unit or zero
    rblVec3d* vertex_sums;  // per vertex: sum of the normals of its faces
    rblVec3d* turns;        // per vertex: sum of unit vectors along its sharp edges
    uint32_t* sharp_counts; // per vertex: number of its sharp edges
    bool* sharp; // per corner: whether its edge is sharp; set at one of the two corners of the edge
    bool* tips;  // per vertex: whether the normal of a face differs much from the mean
    rblIndexArray triangles; // three corners each
    double area;
    rblAabbd box;
    // grid that finds neighbours:
    double cell;
    rblHashMap heads; // from cell to the last sample in it
    rblIndexArray next;
    rblSurfacePoints* out;
} Sampler;

static void sampler_free(Sampler* s)
{
    const uint32_t vertices = s->view->vertex_count;
    rbl_topology_free(&s->topology);
    RBL_FREE_ARRAY(s->allocator, s->normals, s->view->face_count);
    RBL_FREE_ARRAY(s->allocator, s->vertex_sums, vertices);
    RBL_FREE_ARRAY(s->allocator, s->turns, vertices);
    RBL_FREE_ARRAY(s->allocator, s->sharp_counts, vertices);
    RBL_FREE_ARRAY(s->allocator, s->sharp, s->view->corner_count);
    RBL_FREE_ARRAY(s->allocator, s->tips, vertices);
    rbl_array_free(&s->triangles);
    rbl_hash_map_free(&s->heads);
    rbl_array_free(&s->next);
}

// ---- sharp edges and corners ----

static rblVec3d corner_position(const Sampler* s, uint32_t corner)
{
    return s->view->positions[s->view->corner_vertices[corner]];
}

static bool is_sharp(const Sampler* s, uint32_t corner)
{
    if (!rbl_has_twin(&s->topology, corner))
    {
        return true; // three or more faces at one edge
    }
    const uint32_t twin = s->topology.twins[corner];
    const rblVec3d n = s->normals[s->topology.corner_faces[corner]];
    const rblVec3d m = s->normals[s->topology.corner_faces[twin]];
    const rblVec3d along =
        rbl_sub3d(corner_position(s, rbl_next_corner(&s->topology, corner)), corner_position(s, corner));
    // Seen along the edge, the faces of a convex edge turn left: n x m has the direction of the edge.
    return rbl_dot3d(n, m) < SHARP_COSINE && rbl_dot3d(rbl_cross3d(n, m), along) >= 0.0;
}

static void find_sharp_edges(Sampler* s)
{
    for (uint32_t c = 0; c < s->view->corner_count; ++c)
    {
        const uint32_t next = rbl_next_corner(&s->topology, c);
        const bool mine = !rbl_has_twin(&s->topology, c) || c < s->topology.twins[c];
        s->sharp[c] = mine && is_sharp(s, c);
        if (s->sharp[c])
        {
            const uint32_t a = s->view->corner_vertices[c];
            const uint32_t b = s->view->corner_vertices[next];
            const rblVec3d along =
                rbl_normalize3d(rbl_sub3d(s->view->positions[b], s->view->positions[a]), rbl_vec3d(0, 0, 0));
            s->sharp_counts[a] += 1;
            s->sharp_counts[b] += 1;
            s->turns[a] = rbl_add3d(s->turns[a], along);
            s->turns[b] = rbl_sub3d(s->turns[b], along);
        }
    }
}

static void find_tips(Sampler* s)
{
    for (uint32_t c = 0; c < s->view->corner_count; ++c)
    {
        rblVec3d* sum = &s->vertex_sums[s->view->corner_vertices[c]];
        *sum = rbl_add3d(*sum, s->normals[s->topology.corner_faces[c]]);
    }
    for (uint32_t c = 0; c < s->view->corner_count; ++c)
    {
        const uint32_t v = s->view->corner_vertices[c];
        const rblVec3d n = s->normals[s->topology.corner_faces[c]];
        s->tips[v] |= rbl_dot3d(n, s->vertex_sums[v]) < SHARP_COSINE * rbl_length3d(s->vertex_sums[v]);
    }
}

// Along a straight edge, the two unit vectors away from a vertex have the sum 0: |a + b|^2 = 2 - 2 cos(turn).
static bool is_corner(const Sampler* s, uint32_t vertex)
{
    const uint32_t count = s->sharp_counts[vertex];
    const rblVec3d turn = s->turns[vertex];
    return count == 0 ? s->tips[vertex] : count != 2 || rbl_dot3d(turn, turn) > 2.0 - 2.0 * SHARP_COSINE;
}

static rblResult sampler_init(Sampler* s, const rblMeshView* view, rblSurfacePoints* out)
{
    const rblAllocator* memory = out->allocator;
    *s = (Sampler){.view = view, .allocator = memory, .box = rbl_mesh_bounds(view), .out = out};
    rbl_array_init(&s->triangles, memory);
    rbl_array_init(&s->next, memory);
    rbl_hash_map_init(&s->heads, memory);
    RBL_TRY(rbl_topology_init(&s->topology, view, memory));
    s->normals = RBL_NEW_ARRAY(memory, rblVec3d, view->face_count);
    s->vertex_sums = rbl_alloc_zero(memory, sizeof(rblVec3d) * view->vertex_count);
    s->turns = rbl_alloc_zero(memory, sizeof(rblVec3d) * view->vertex_count);
    s->sharp_counts = rbl_alloc_zero(memory, sizeof(uint32_t) * view->vertex_count);
    s->sharp = RBL_NEW_ARRAY(memory, bool, view->corner_count);
    s->tips = rbl_alloc_zero(memory, sizeof(bool) * view->vertex_count);
    rblResult result = rbl_triangulate_corners(view, &s->triangles, NULL);
    if (result == RBL_OK && (s->normals == NULL || s->vertex_sums == NULL || s->turns == NULL ||
                             s->sharp_counts == NULL || s->sharp == NULL || s->tips == NULL))
    {
        result = rbl_fail_memory();
    }
    if (result != RBL_OK)
    {
        sampler_free(s);
        return result;
    }
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        const rblVec3d n = rbl_face_normal_area2(view, f);
        s->area += 0.5 * rbl_length3d(n);
        s->normals[f] = rbl_normalize3d(n, rbl_vec3d(0, 0, 0));
    }
    find_sharp_edges(s);
    find_tips(s);
    return RBL_OK;
}

// ---- distance to earlier points ----

static int64_t cell_of(double x, double lower, double cell)
{
    return (int64_t)((x - lower) / cell) + 1;
}

static uint64_t cell_key(int64_t x, int64_t y, int64_t z)
{
    return (uint64_t)x << 42 | (uint64_t)y << 21 | (uint64_t)z;
}

static bool is_free_cell(const Sampler* s, uint64_t key, rblVec3 p, float radius)
{
    for (uint32_t i = rbl_hash_map_find(&s->heads, key); i != RBL_MAP_EMPTY; i = s->next.data[i])
    {
        const rblVec3 d = rbl_sub3(s->out->data[i], p);
        if (rbl_dot3(d, d) <= radius * radius)
        {
            return false;
        }
    }
    return true;
}

static bool is_free(const Sampler* s, const int64_t at[3], rblVec3 p, float radius)
{
    for (int64_t i = 0; i < 27; ++i)
    {
        const uint64_t key = cell_key(at[0] + i % 3 - 1, at[1] + i / 3 % 3 - 1, at[2] + i / 9 - 1);
        if (!is_free_cell(s, key, p, radius))
        {
            return false;
        }
    }
    return true;
}

// Add a point unless another one is within `radius`, which is at most a cell. Returns false without memory.
static bool add_if_free(Sampler* s, rblVec3d position, double radius)
{
    const rblVec3 p = rbl_to_float3(position);
    const int64_t at[3] = {cell_of(position.x, s->box.lower.x, s->cell),
                           cell_of(position.y, s->box.lower.y, s->cell),
                           cell_of(position.z, s->box.lower.z, s->cell)};
    if (!is_free(s, at, p, (float)radius))
    {
        return true;
    }
    bool added = false;
    const uint32_t index = (uint32_t)s->out->count;
    uint32_t* head = rbl_hash_map_get_or_add(&s->heads, cell_key(at[0], at[1], at[2]), index, &added);
    if (head == NULL || !rbl_array_push(&s->next, added ? RBL_MAP_EMPTY : *head))
    {
        return false;
    }
    *head = index;
    return rbl_array_push(s->out, p);
}

// ---- four types of samples ----

static bool add_vertices(Sampler* s, bool corners, double radius)
{
    for (uint32_t v = 0; v < s->view->vertex_count; ++v)
    {
        if (s->topology.vertex_corners[v] != RBL_NONE && is_corner(s, v) == corners &&
            !add_if_free(s, s->view->positions[v], radius))
        {
            return false;
        }
    }
    return true;
}

static bool add_edges(Sampler* s, double spacing)
{
    for (uint32_t c = 0; c < s->view->corner_count; ++c)
    {
        if (!s->sharp[c])
        {
            continue;
        }
        const rblVec3d a = corner_position(s, c);
        const rblVec3d b = corner_position(s, rbl_next_corner(&s->topology, c));
        const double parts = ceil(rbl_length3d(rbl_sub3d(b, a)) / spacing);
        for (double i = 0; i <= parts; i += 1.0)
        {
            if (!add_if_free(s, rbl_mul_add3d(a, parts > 0 ? i / parts : 0.0, rbl_sub3d(b, a)),
                             EDGE_DISTANCE * spacing))
            {
                return false;
            }
        }
    }
    return true;
}

static rblVec3d random_in_triangle(rblRandom* random, rblVec3d a, rblVec3d b, rblVec3d c)
{
    double u = rbl_random_double(random);
    double v = rbl_random_double(random);
    if (u + v > 1.0)
    {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    return rbl_mul_add3d(rbl_mul_add3d(a, u, rbl_sub3d(b, a)), v, rbl_sub3d(c, a));
}

static bool add_random_points(Sampler* s, double spacing, uint64_t seed)
{
    rblRandom random = rbl_random_seed(seed, 1);
    double carried = 0.0; // fraction of a random point, carried from triangle to triangle
    for (size_t t = 0; t < s->triangles.count; t += 3)
    {
        const rblVec3d a = corner_position(s, s->triangles.data[t]);
        const rblVec3d b = corner_position(s, s->triangles.data[t + 1]);
        const rblVec3d c = corner_position(s, s->triangles.data[t + 2]);
        const double area = 0.5 * rbl_length3d(rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a)));
        for (carried += POINTS_PER_SQUARE * area / (spacing * spacing); carried >= 1.0; carried -= 1.0)
        {
            if (!add_if_free(s, random_in_triangle(&random, a, b, c), FACE_DISTANCE * spacing))
            {
                return false;
            }
        }
    }
    return true;
}

static bool sample_once(Sampler* s, double spacing, uint64_t seed)
{
    rbl_hash_map_free(&s->heads);
    rbl_hash_map_init(&s->heads, s->allocator);
    rbl_array_clear(&s->next);
    rbl_array_clear(s->out);
    s->cell = FACE_DISTANCE * spacing;
    return add_vertices(s, true, CORNER_DISTANCE * 0.5 * spacing) && add_edges(s, 0.5 * spacing) &&
           add_vertices(s, false, FACE_DISTANCE * spacing) && add_random_points(s, spacing, seed);
}

// At least as coarse as the limit needs for the area, and as the grid can number.
static double limited_spacing(const Sampler* s, double spacing, uint32_t max_count)
{
    const rblVec3d size = rbl_aabbd_size(s->box);
    const double longest = rbl_maxd(size.x, rbl_maxd(size.y, size.z));
    spacing = rbl_maxd(spacing, sqrt(s->area / max_count));
    return rbl_maxd(spacing, longest / (FACE_DISTANCE * (double)(1u << GRID_BITS)));
}

rblResult rbl_surface_samples(const rblMeshView* view, rblSurfaceSampling* sampling, rblSurfacePoints* out)
{
    Sampler sampler;
    RBL_TRY(sampler_init(&sampler, view, out));
    double spacing = limited_spacing(&sampler, sampling->spacing, sampling->max_count);
    bool ok = sample_once(&sampler, spacing, sampling->seed);
    while (ok && out->count > sampling->max_count)
    {
        spacing *= 1.25;
        ok = sample_once(&sampler, spacing, sampling->seed);
    }
    sampling->spacing_used = spacing;
    sampler_free(&sampler);
    return ok ? RBL_OK : rbl_fail_memory();
}
