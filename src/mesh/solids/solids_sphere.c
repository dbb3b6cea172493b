// The icosphere, and solids that are star-shaped about their centre.
#include "base/error.h"
#include "base/jobs.h"
#include "math/trig.h"
#include "math/vec.h"
#include "mesh/normals.h"
#include "mesh/solids/solids.h"

// Elements of an icosahedron; corner 0 is the upper pole, corner 11 the lower one.
#define CORNERS 12
#define EDGES   30
#define FACES   20

#define TOP    0
#define BOTTOM 11

// Vertices in the order corners, edges (frequency - 1 each), faces (the rest).
typedef struct Icosphere
{
    uint32_t frequency;
    rblVec3d corners[CORNERS];
    uint32_t faces[FACES][3];          // counter-clockwise seen from outside
    uint32_t edges[EDGES][2];          // lower corner first
    uint8_t edge_of[CORNERS][CORNERS]; // by two corners, in either order
    rblMeshBuilder builder;
} Icosphere;

static void place_corners(Icosphere* s)
{
    const double height = 1.0 / sqrt(5.0);
    s->corners[TOP] = rbl_vec3d(0, 1, 0);
    s->corners[BOTTOM] = rbl_vec3d(0, -1, 0);
    for (uint32_t k = 0; k < 5; ++k)
    {
        const rblCirclePoint upper = rbl_circle_point(2 * k, 10);
        const rblCirclePoint lower = rbl_circle_point(2 * k + 1, 10);
        s->corners[1 + k] = rbl_vec3d(2.0 * height * upper.c, height, -2.0 * height * upper.s);
        s->corners[6 + k] = rbl_vec3d(2.0 * height * lower.c, -height, -2.0 * height * lower.s);
    }
}

static void set_face(Icosphere* s, uint32_t face, uint32_t a, uint32_t b, uint32_t c)
{
    s->faces[face][0] = a;
    s->faces[face][1] = b;
    s->faces[face][2] = c;
}

static void join_corners(Icosphere* s)
{
    for (uint32_t k = 0; k < 5; ++k)
    {
        const uint32_t next = (k + 1) % 5;
        set_face(s, k, TOP, 1 + k, 1 + next);
        set_face(s, 5 + k, 1 + k, 6 + k, 1 + next);
        set_face(s, 10 + k, 6 + k, 6 + next, 1 + next);
        set_face(s, 15 + k, BOTTOM, 6 + next, 6 + k);
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < FACES * 3; ++i)
    {
        const uint32_t a = s->faces[i / 3][i % 3];
        const uint32_t b = s->faces[i / 3][(i + 1) % 3];
        if (a < b) // every edge occurs once in each direction
        {
            s->edges[count][0] = a;
            s->edges[count][1] = b;
            s->edge_of[a][b] = s->edge_of[b][a] = (uint8_t)count++;
        }
    }
}

static rblVec3d mix_corners(const Icosphere* s, const uint32_t corners[3], uint32_t a, uint32_t b, uint32_t c)
{
    rblVec3d sum = rbl_scale3d(s->corners[corners[0]], (double)a);
    sum = rbl_mul_add3d(sum, (double)b, s->corners[corners[1]]);
    sum = rbl_mul_add3d(sum, (double)c, s->corners[corners[2]]);
    return rbl_scale3d(sum, 1.0 / rbl_length3d(sum));
}

static void add_vertices(Icosphere* s)
{
    const uint32_t n = s->frequency;
    for (uint32_t i = 0; i < CORNERS; ++i)
    {
        rbl_mesh_builder_vertex(&s->builder, s->corners[i]);
    }
    for (uint32_t e = 0; e < EDGES; ++e)
    {
        const uint32_t ends[3] = {s->edges[e][0], s->edges[e][1], s->edges[e][1]};
        for (uint32_t i = 1; i < n; ++i)
        {
            rbl_mesh_builder_vertex(&s->builder, mix_corners(s, ends, n - i, i, 0));
        }
    }
    for (uint32_t f = 0; f < FACES; ++f)
    {
        for (uint32_t row = 2; row < n; ++row)
        {
            for (uint32_t j = 1; j < row; ++j)
            {
                rbl_mesh_builder_vertex(&s->builder, mix_corners(s, s->faces[f], n - row, row - j, j));
            }
        }
    }
}

// The vertex `distance` steps from corner a towards corner b.
static uint32_t edge_vertex(const Icosphere* s, uint32_t a, uint32_t b, uint32_t distance)
{
    const uint32_t from_lower = a < b ? distance : s->frequency - distance;
    if (from_lower == 0 || from_lower == s->frequency)
    {
        return distance == 0 ? a : b;
    }
    return CORNERS + s->edge_of[a][b] * (s->frequency - 1) + from_lower - 1;
}

// The vertices of one row of a face, `row` steps from its first corner towards the other two.
static void fill_row(const Icosphere* s, uint32_t face, uint32_t row, uint32_t* out)
{
    const uint32_t n = s->frequency;
    const uint32_t* corner = s->faces[face];
    out[0] = edge_vertex(s, corner[0], corner[1], row);
    out[row] = edge_vertex(s, corner[0], corner[2], row);
    if (row == n)
    {
        for (uint32_t j = 1; j < n; ++j)
        {
            out[j] = edge_vertex(s, corner[1], corner[2], j);
        }
        return;
    }
    if (row >= 2)
    {
        const uint32_t first = CORNERS + EDGES * (n - 1) + face * ((n - 1) * (n - 2) / 2);
        for (uint32_t j = 1; j < row; ++j)
        {
            out[j] = first + (row - 1) * (row - 2) / 2 + j - 1;
        }
    }
}

static uint32_t* put_triangle(uint32_t* out, uint32_t a, uint32_t b, uint32_t c)
{
    out[0] = a;
    out[1] = b;
    out[2] = c;
    return out + 3;
}

static void fill_triangles(Icosphere* s)
{
    uint32_t rows[2][RBL_MAX_FREQUENCY + 1];
    uint32_t* out = s->builder.corner_vertices.data;
    for (uint32_t f = 0; f < FACES; ++f)
    {
        fill_row(s, f, 0, rows[0]);
        for (uint32_t row = 0; row < s->frequency; ++row)
        {
            const uint32_t* upper = rows[row % 2];
            uint32_t* lower = rows[(row + 1) % 2];
            fill_row(s, f, row + 1, lower);
            for (uint32_t j = 0; j <= row; ++j)
            {
                out = put_triangle(out, upper[j], lower[j], lower[j + 1]);
                out = j < row ? put_triangle(out, upper[j], lower[j + 1], upper[j + 1]) : out;
            }
        }
    }
}

// The arrays of the builder are filled directly, because spheres of millions of triangles must be fast.
static bool size_faces(rblMeshBuilder* builder, uint32_t faces)
{
    if (builder->failed || !rbl_array_resize(&builder->corner_vertices, 3 * (size_t)faces) ||
        !rbl_array_reserve(&builder->face_starts, (size_t)faces + 1) ||
        !rbl_array_resize(&builder->face_starts, faces) ||
        !rbl_array_resize(&builder->face_materials, faces) ||
        !rbl_array_resize(&builder->face_groups, faces) || !rbl_array_resize(&builder->face_origins, faces))
    {
        builder->failed = true;
        return false;
    }
    for (uint32_t f = 0; f < faces; ++f)
    {
        builder->face_starts.data[f] = 3 * f;
        builder->face_materials.data[f] = 0;
        builder->face_groups.data[f] = 0;
        builder->face_origins.data[f] = f;
    }
    builder->open_corner = 3 * faces;
    return true;
}

// The unit icosphere without layers.
static void build_unit_sphere(Icosphere* s, uint32_t frequency, const rblAllocator* allocator)
{
    s->frequency = frequency;
    rbl_mesh_builder_init(&s->builder, allocator);
    rbl_mesh_builder_reserve(&s->builder, 10 * (size_t)frequency * frequency + 2, 0, 0);
    place_corners(s);
    join_corners(s);
    add_vertices(s);
    if (size_faces(&s->builder, 20 * frequency * frequency))
    {
        fill_triangles(s);
    }
}

// ---- layers of the exact sphere: positions are still unit vectors ----

typedef struct SphereLayers
{
    const rblVec3d* positions;
    const uint32_t* corner_vertices;
    float* vertex_uvs; // longitude 0 to 1 and latitude 0 to 0.5, by vertex
    float* uvs;
    float* normals;
} SphereLayers;

static void find_vertex_uvs(rblRange range, void* context)
{
    const SphereLayers* layers = context;
    for (uint32_t v = range.begin; v < range.end; ++v)
    {
        const rblVec3d p = layers->positions[v];
        const double turn = rbl_atan2(-p.z, p.x) / (2.0 * RBL_PI);
        layers->vertex_uvs[2 * (size_t)v] = (float)(turn < 0.0 ? turn + 1.0 : turn);
        layers->vertex_uvs[2 * (size_t)v + 1] =
            (float)(0.25 + rbl_atan2(p.y, sqrt(p.x * p.x + p.z * p.z)) / (2.0 * RBL_PI));
    }
}

static bool is_pole(uint32_t vertex)
{
    return vertex == TOP || vertex == BOTTOM;
}

// Longitudes of a triangle on one side of the seam; the longitude of a pole is the mean of the other two.
static void unwrap_triangle(const uint32_t vertices[3], float uvs[6])
{
    float east = 0.0f;
    for (uint32_t i = 0; i < 3; ++i)
    {
        east = is_pole(vertices[i]) ? east : rbl_maxf(east, uvs[2 * i]);
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        uvs[2 * i] += east - uvs[2 * i] > 0.5f ? 1.0f : 0.0f;
    }
    for (uint32_t i = 0; i < 3; ++i)
    {
        if (is_pole(vertices[i]))
        {
            uvs[2 * i] = 0.5f * (uvs[2 * ((i + 1) % 3)] + uvs[2 * ((i + 2) % 3)]);
        }
    }
}

static void fill_corners(rblRange range, void* context)
{
    const SphereLayers* layers = context;
    for (uint32_t f = range.begin; f < range.end; ++f)
    {
        const uint32_t* vertices = layers->corner_vertices + 3 * (size_t)f;
        float* uvs = layers->uvs + 6 * (size_t)f;
        float* normals = layers->normals + 9 * (size_t)f;
        for (uint32_t i = 0; i < 3; ++i)
        {
            const rblVec3d p = layers->positions[vertices[i]];
            normals[3 * i] = (float)p.x;
            normals[3 * i + 1] = (float)p.y;
            normals[3 * i + 2] = (float)p.z;
            uvs[2 * i] = layers->vertex_uvs[2 * (size_t)vertices[i]];
            uvs[2 * i + 1] = layers->vertex_uvs[2 * (size_t)vertices[i] + 1];
        }
        unwrap_triangle(vertices, uvs);
    }
}

static void add_sphere_layers(rblMeshBuilder* builder)
{
    const uint32_t uv_layer = rbl_mesh_builder_layer(builder, RBL_LAYER_UV);
    const uint32_t normal_layer = rbl_mesh_builder_layer(builder, RBL_LAYER_NORMAL);
    const uint32_t vertex_count = (uint32_t)builder->positions.count;
    float* vertex_uvs =
        builder->failed ? NULL : RBL_NEW_ARRAY(builder->allocator, float, 2 * (size_t)vertex_count);
    if (vertex_uvs == NULL)
    {
        builder->failed = true;
        return;
    }
    SphereLayers layers = {
        .positions = builder->positions.data,
        .corner_vertices = builder->corner_vertices.data,
        .vertex_uvs = vertex_uvs,
        .uvs = builder->layers.data[uv_layer].data.data,
        .normals = builder->layers.data[normal_layer].data.data,
    };
    rbl_parallel_for(rbl_default_jobs(), vertex_count, 4096, find_vertex_uvs, &layers);
    rbl_parallel_for(rbl_default_jobs(), (uint32_t)builder->face_starts.count, 4096, fill_corners, &layers);
    RBL_FREE_ARRAY(builder->allocator, vertex_uvs, 2 * (size_t)vertex_count);
}

rblResult rbl_make_icosphere(double radius, uint32_t frequency, const rblAllocator* allocator, rblMesh** out)
{
    if (!(radius > 0.0) || !rbl_finite(radius) || frequency < 1 || frequency > RBL_MAX_FREQUENCY)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "icosphere: the radius must be positive and the frequency 1 to %d",
                        RBL_MAX_FREQUENCY);
    }
    Icosphere sphere;
    build_unit_sphere(&sphere, frequency, allocator);
    add_sphere_layers(&sphere.builder);
    for (size_t v = 0; v < sphere.builder.positions.count; ++v)
    {
        sphere.builder.positions.data[v] = rbl_scale3d(sphere.builder.positions.data[v], radius);
    }
    return rbl_mesh_builder_finish(&sphere.builder, out);
}

rblResult rbl_make_star(uint32_t frequency, rblRadiusFcn* radius_fcn, void* context,
                        const rblAllocator* allocator, rblMesh** out)
{
    Icosphere sphere;
    build_unit_sphere(&sphere, frequency, allocator);
    for (size_t v = 0; v < sphere.builder.positions.count; ++v)
    {
        const rblVec3d direction = sphere.builder.positions.data[v];
        sphere.builder.positions.data[v] = rbl_scale3d(direction, radius_fcn(direction, context));
    }
    rbl_solid_box_uvs(&sphere.builder);
    return rbl_solid_finish(&sphere.builder, RBL_DEFAULT_CREASE_ANGLE, out);
}

rblResult rbl_make_solid_icosphere(const rblSolidInput* input, const rblAllocator* allocator, rblMesh** out)
{
    return rbl_make_icosphere(rbl_solid_number(input, "radius"), rbl_solid_count(input, "frequency"),
                              allocator, out);
}
