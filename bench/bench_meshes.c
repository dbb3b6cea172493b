#include "bench/bench_meshes.h"

#include "base/error.h"
#include "base/random.h"
#include "bench/bench_noise.h"
#include "math/aabb.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

void rbl_bench_mesh_free(rblBenchMesh* mesh)
{
    const rblAllocator* allocator = rbl_default_allocator();
    RBL_FREE_ARRAY(allocator, mesh->positions, mesh->vertex_count);
    RBL_FREE_ARRAY(allocator, mesh->indices, 3 * (size_t)mesh->triangle_count);
    *mesh = (rblBenchMesh){0};
}

rblResult rbl_bench_mesh_create(uint32_t vertices, uint32_t triangles, rblBenchMesh* mesh)
{
    const rblAllocator* allocator = rbl_default_allocator();
    mesh->positions = RBL_NEW_ARRAY(allocator, rblVec3, vertices);
    mesh->vertex_count = vertices;
    mesh->indices = RBL_NEW_ARRAY(allocator, uint32_t, 3 * (size_t)triangles);
    mesh->triangle_count = triangles;
    if (mesh->positions == NULL || mesh->indices == NULL)
    {
        rbl_bench_mesh_free(mesh);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

static rblTriangleSpan make_span(const rblVec3* positions, uint32_t vertices, const uint32_t* indices,
                                 uint32_t triangles)
{
    return (rblTriangleSpan){.positions = positions,
                             .stride = sizeof *positions,
                             .vertex_count = vertices,
                             .indices = indices,
                             .triangle_count = triangles};
}

rblTriangleSpan rbl_bench_mesh_span(const rblBenchMesh* mesh)
{
    return make_span(mesh->positions, mesh->vertex_count, mesh->indices, mesh->triangle_count);
}

// ---- Spheres ----

static const uint32_t icosahedron_faces[20][3] = {
    {0, 11, 5},  {0, 5, 1},  {0, 1, 7},  {0, 7, 10}, {0, 10, 11}, {1, 5, 9}, {5, 11, 4},
    {11, 10, 2}, {10, 7, 6}, {7, 1, 8},  {3, 9, 4},  {3, 4, 2},   {3, 2, 6}, {3, 6, 8},
    {3, 8, 9},   {4, 9, 5},  {2, 4, 11}, {6, 2, 10}, {8, 6, 7},   {9, 8, 1}};

typedef struct SphereMaker
{
    uint32_t frequency;
    uint32_t edges[30][2]; // lower corner first
    uint32_t edge_count;
    rblBenchMesh* mesh;
} SphereMaker;

static void icosahedron_corners(rblVec3d out[12])
{
    const double t = 0.5 * (1.0 + sqrt(5.0));
    for (uint32_t i = 0; i < 4; ++i)
    {
        const double one = (i & 1) != 0 ? 1.0 : -1.0;
        const double golden = (i & 2) != 0 ? -t : t;
        out[i] = rbl_vec3d(one, golden, 0.0);
        out[4 + i] = rbl_vec3d(0.0, one, golden);
        out[8 + i] = rbl_vec3d(golden, 0.0, one);
    }
}

static uint32_t find_edge(SphereMaker* maker, uint32_t a, uint32_t b)
{
    const uint32_t low = a < b ? a : b;
    const uint32_t high = a < b ? b : a;
    for (uint32_t i = 0; i < maker->edge_count; ++i)
    {
        if (maker->edges[i][0] == low && maker->edges[i][1] == high)
        {
            return i;
        }
    }
    maker->edges[maker->edge_count][0] = low;
    maker->edges[maker->edge_count][1] = high;
    return maker->edge_count++;
}

// Number of the vertex at `step` of `frequency` from corner a to corner b.
static uint32_t edge_vertex(SphereMaker* maker, uint32_t a, uint32_t b, uint32_t step)
{
    const uint32_t edge = find_edge(maker, a, b);
    const uint32_t from_low = a < b ? step : maker->frequency - step;
    return 12 + edge * (maker->frequency - 1) + from_low - 1;
}

// Number of the vertex of a face with weights i of its corner 1 and j of its corner 2. Corners come first, then edges,
// then the insides of faces.
static uint32_t face_vertex(SphereMaker* maker, uint32_t face, uint32_t i, uint32_t j)
{
    const uint32_t f = maker->frequency;
    const uint32_t* corners = icosahedron_faces[face];
    if (i == 0)
    {
        return j == 0 ? corners[0] : j == f ? corners[2] : edge_vertex(maker, corners[0], corners[2], j);
    }
    if (j == 0)
    {
        return i == f ? corners[1] : edge_vertex(maker, corners[0], corners[1], i);
    }
    if (i + j == f)
    {
        return edge_vertex(maker, corners[1], corners[2], j);
    }
    const uint32_t before = (i - 1) * (f - 2) - (i - 1) * (i - 2) / 2; // rows of f - 2, f - 3, ... vertices
    return 12 + 30 * (f - 1) + face * ((f - 1) * (f - 2) / 2) + before + j - 1;
}

static void fill_face(SphereMaker* maker, uint32_t face, const rblVec3d corners[12])
{
    const uint32_t f = maker->frequency;
    const rblVec3d a = corners[icosahedron_faces[face][0]];
    const rblVec3d b = corners[icosahedron_faces[face][1]];
    const rblVec3d c = corners[icosahedron_faces[face][2]];
    uint32_t* next = maker->mesh->indices + 3 * (size_t)face * f * f;
    for (uint32_t i = 0; i <= f; ++i)
    {
        for (uint32_t j = 0; i + j <= f; ++j)
        {
            const rblVec3d p = {a.x * (f - i - j) + b.x * i + c.x * j, a.y * (f - i - j) + b.y * i + c.y * j,
                                a.z * (f - i - j) + b.z * i + c.z * j};
            const double length = sqrt(p.x * p.x + p.y * p.y + p.z * p.z);
            const uint32_t vertex = face_vertex(maker, face, i, j);
            maker->mesh->positions[vertex] =
                rbl_vec3((float)(p.x / length), (float)(p.y / length), (float)(p.z / length));
            if (i + j < f)
            {
                *next++ = vertex;
                *next++ = face_vertex(maker, face, i + 1, j);
                *next++ = face_vertex(maker, face, i, j + 1);
            }
            if (i + j + 1 < f)
            {
                *next++ = face_vertex(maker, face, i + 1, j);
                *next++ = face_vertex(maker, face, i + 1, j + 1);
                *next++ = face_vertex(maker, face, i, j + 1);
            }
        }
    }
}

rblResult rbl_bench_make_sphere(uint32_t frequency, uint64_t seed, rblVec3 center, rblBenchMesh* out)
{
    const uint32_t squared = frequency * frequency;
    SphereMaker maker = {.frequency = frequency, .mesh = out};
    RBL_TRY(rbl_bench_mesh_create(10 * squared + 2, 20 * squared, out));
    rblVec3d corners[12];
    icosahedron_corners(corners);
    for (uint32_t face = 0; face < 20; ++face)
    {
        fill_face(&maker, face, corners);
    }
    for (uint32_t v = 0; v < out->vertex_count; ++v)
    {
        const rblVec3 p = out->positions[v];
        const rblVec3d at = {3.0 * (double)p.x, 3.0 * (double)p.y, 3.0 * (double)p.z};
        const float radius = (float)(1.0 + 0.15 * rbl_bench_noise(at, 3, seed));
        out->positions[v] =
            rbl_vec3(center.x + radius * p.x, center.y + radius * p.y, center.z + radius * p.z);
    }
    return RBL_OK;
}

// ---- The sheet ----

rblResult rbl_bench_make_sheet(uint32_t cells, rblBenchMesh* out)
{
    RBL_TRY(rbl_bench_mesh_create((cells + 1) * (cells + 1), 2 * cells * cells, out));
    for (uint32_t v = 0; v < out->vertex_count; ++v)
    {
        const double x = (double)(v % (cells + 1)) / cells - 0.5;
        const double y = (double)(v / (cells + 1)) / cells - 0.5;
        const rblVec3d at = {7.0 * x, 7.0 * y, 0.0};
        // Shifts several times as steep as the sheet is wide lay it over itself.
        out->positions[v] = rbl_vec3((float)(0.5 * x + 0.3 * rbl_bench_noise(at, 2, 1)),
                                     (float)(0.5 * y + 0.3 * rbl_bench_noise(at, 2, 2)),
                                     (float)(0.3 * rbl_bench_noise(at, 2, 3)));
    }
    uint32_t* next = out->indices;
    for (uint32_t y = 0; y < cells; ++y)
    {
        for (uint32_t x = 0; x < cells; ++x)
        {
            const uint32_t v = y * (cells + 1) + x;
            const uint32_t quad[6] = {v, v + 1, v + cells + 2, v, v + cells + 2, v + cells + 1};
            memcpy(next, quad, sizeof quad);
            next += 6;
        }
    }
    return RBL_OK;
}

// ---- Models ----

static rblResult copy_triangles(rblMeshId mesh, rblBenchMesh* out)
{
    rblMeshView view;
    RBL_TRY(rbl_mesh_view(mesh, &view));
    RBL_TRY(rbl_bench_mesh_create(view.vertex_count, view.face_count, out));
    for (uint32_t v = 0; v < view.vertex_count; ++v)
    {
        const rblVec3d p = view.positions[v];
        out->positions[v] = rbl_vec3((float)p.x, (float)p.y, (float)p.z);
    }
    memcpy(out->indices, view.corner_vertices, sizeof *out->indices * view.corner_count);
    return RBL_OK;
}

static rblResult load(const char* path, rblBenchMesh* out)
{
    rblMeshId mesh;
    rblMeshId triangles;
    RBL_TRY(rbl_mesh_load(path, NULL, &mesh));
    const rblResult result = rbl_mesh_triangulate(mesh, &triangles);
    rbl_mesh_destroy(mesh);
    RBL_TRY(result);
    const rblResult copied = copy_triangles(triangles, out);
    rbl_mesh_destroy(triangles);
    return copied;
}

bool rbl_bench_load_model(rblBench* bench, const char* name, rblBenchMesh* out)
{
    char path[1024];
    char note[256];
    *out = (rblBenchMesh){0};
    snprintf(path, sizeof path, "%s/%s", rbl_bench_models(), name);
    if (load(path, out) == RBL_OK)
    {
        return true;
    }
    snprintf(note, sizeof note, "the model %.120s could not be read: its rows are left out", name);
    rbl_bench_note(bench, note);
    return false;
}

void rbl_bench_shuffle_triangles(rblBenchMesh* mesh, uint64_t seed)
{
    rblRandom random = rbl_random_seed(seed, 77);
    for (uint32_t i = mesh->triangle_count; i > 1; --i)
    {
        uint32_t* a = mesh->indices + 3 * (size_t)(i - 1);
        uint32_t* b = mesh->indices + 3 * (size_t)rbl_random_below(&random, i);
        uint32_t kept[3];
        memcpy(kept, a, sizeof kept);
        memmove(a, b, sizeof kept);
        memcpy(b, kept, sizeof kept);
    }
}

void rbl_bench_mesh_move(rblBenchMesh* mesh, rblVec3 offset)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        const rblVec3 p = mesh->positions[v];
        mesh->positions[v] = rbl_vec3(p.x + offset.x, p.y + offset.y, p.z + offset.z);
    }
}

rblAabb rbl_bench_mesh_bounds(const rblBenchMesh* mesh)
{
    rblAabb bounds = rbl_aabb_empty();
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        bounds = rbl_aabb_add(bounds, mesh->positions[v]);
    }
    return bounds;
}

// ---- Scenes ----

void rbl_bench_scene_free(rblBenchScene* scene)
{
    RBL_FREE_ARRAY(rbl_default_allocator(), scene->spans, scene->count);
    rbl_bench_mesh_free(&scene->all);
    *scene = (rblBenchScene){0};
}

static uint32_t find_root(uint32_t* parents, uint32_t vertex)
{
    while (parents[vertex] != vertex)
    {
        parents[vertex] = parents[parents[vertex]];
        vertex = parents[vertex];
    }
    return vertex;
}

// Per vertex the number of its part, RBL_NONE for one of no triangle; returns how many there are. `parents` is scratch.
static uint32_t label_parts(const rblBenchMesh* mesh, uint32_t* labels, uint32_t* parents)
{
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        parents[v] = v;
        labels[v] = RBL_NONE;
    }
    const size_t corners = 3 * (size_t)mesh->triangle_count;
    for (size_t i = 0; i < corners; ++i)
    {
        parents[find_root(parents, mesh->indices[i])] = find_root(parents, mesh->indices[i - i % 3]);
    }
    uint32_t count = 0;
    for (size_t i = 0; i < corners; ++i)
    {
        const uint32_t root = find_root(parents, mesh->indices[i]);
        if (labels[root] == RBL_NONE)
        {
            labels[root] = count++;
        }
    }
    for (size_t i = 0; i < corners; ++i)
    {
        labels[mesh->indices[i]] = labels[find_root(parents, mesh->indices[i])];
    }
    return count;
}

// Where each part begins, from how many elements it has: counts become starts.
static void prefix_sums(uint32_t* counts, uint32_t count)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const uint32_t own = counts[i];
        counts[i] = sum;
        sum += own;
    }
}

// Vertices to their parts; `places` says where each went within its part, and has capacity for the starts behind that.
static void gather_vertices(const rblBenchMesh* mesh, const uint32_t* labels, uint32_t* places,
                            rblBenchScene* scene)
{
    uint32_t* starts = places + mesh->vertex_count;
    memset(starts, 0, sizeof *starts * scene->count);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        if (labels[v] != RBL_NONE)
        {
            places[v] = starts[labels[v]]++;
        }
    }
    for (uint32_t part = 0; part < scene->count; ++part)
    {
        scene->spans[part].vertex_count = starts[part];
    }
    prefix_sums(starts, scene->count);
    for (uint32_t v = 0; v < mesh->vertex_count; ++v)
    {
        if (labels[v] != RBL_NONE)
        {
            scene->all.positions[starts[labels[v]] + places[v]] = mesh->positions[v];
        }
    }
}

static void gather_triangles(const rblBenchMesh* mesh, const uint32_t* labels, const uint32_t* places,
                             rblBenchScene* scene)
{
    uint32_t done = 0;
    uint32_t vertices = 0;
    for (uint32_t part = 0; part < scene->count; ++part)
    {
        const uint32_t first = done;
        for (uint32_t t = 0; t < mesh->triangle_count; ++t)
        {
            const uint32_t* corners = mesh->indices + 3 * (size_t)t;
            for (uint32_t k = 0; k < 3 && labels[corners[0]] == part; ++k)
            {
                scene->all.indices[3 * (size_t)done + k] = places[corners[k]];
            }
            done += labels[corners[0]] == part;
        }
        const uint32_t count = scene->spans[part].vertex_count;
        scene->spans[part] = make_span(scene->all.positions + vertices, count,
                                       scene->all.indices + 3 * (size_t)first, done - first);
        vertices += count;
    }
}

rblResult rbl_bench_split(const rblBenchMesh* mesh, rblBenchScene* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    const size_t capacity = 3 * (size_t)mesh->vertex_count;
    uint32_t* labels = RBL_NEW_ARRAY(allocator, uint32_t, capacity);
    if (labels == NULL)
    {
        return rbl_fail_memory();
    }
    uint32_t* places = labels + mesh->vertex_count; // and, behind them, one start per part
    *out = (rblBenchScene){.count = label_parts(mesh, labels, places)};
    out->spans = RBL_NEW_ARRAY(allocator, rblTriangleSpan, out->count);
    rblResult result = out->spans == NULL
                           ? rbl_fail_memory()
                           : rbl_bench_mesh_create(mesh->vertex_count, mesh->triangle_count, &out->all);
    if (result == RBL_OK)
    {
        gather_vertices(mesh, labels, places, out);
        gather_triangles(mesh, labels, places, out);
    }
    else
    {
        rbl_bench_scene_free(out);
    }
    RBL_FREE_ARRAY(allocator, labels, capacity);
    return result;
}

rblResult rbl_bench_make_balls(uint32_t count, rblBenchScene* out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblBenchMesh ball;
    RBL_TRY(rbl_bench_make_sphere(5, 1, rbl_vec3(0, 0, 0), &ball));
    *out = (rblBenchScene){.count = count};
    out->spans = RBL_NEW_ARRAY(allocator, rblTriangleSpan, count);
    rblResult result = out->spans == NULL ? rbl_fail_memory()
                                          : rbl_bench_mesh_create(count * ball.vertex_count,
                                                                  count * ball.triangle_count, &out->all);
    rblRandom random = rbl_random_seed(305, 0);
    for (uint32_t i = 0; i < count && result == RBL_OK; ++i)
    {
        rblVec3* positions = out->all.positions + (size_t)i * ball.vertex_count;
        uint32_t* indices = out->all.indices + 3 * (size_t)i * ball.triangle_count;
        const rblVec3 center = {12.0f * rbl_random_float(&random), 12.0f * rbl_random_float(&random),
                                12.0f * rbl_random_float(&random)};
        for (uint32_t v = 0; v < ball.vertex_count; ++v)
        {
            const rblVec3 p = ball.positions[v];
            positions[v] = rbl_vec3(p.x + center.x, p.y + center.y, p.z + center.z);
        }
        memcpy(indices, ball.indices, sizeof *indices * 3 * ball.triangle_count);
        out->spans[i] = make_span(positions, ball.vertex_count, indices, ball.triangle_count);
    }
    rbl_bench_mesh_free(&ball);
    if (result != RBL_OK)
    {
        rbl_bench_scene_free(out);
    }
    return result;
}
