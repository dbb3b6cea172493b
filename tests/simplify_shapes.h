// Solids to simplify: grids that wrap or not, with attributes, as plain arrays that a test may change before
// it makes a mesh of them.
#ifndef RBL_TESTS_SIMPLIFY_SHAPES_H
#define RBL_TESTS_SIMPLIFY_SHAPES_H

#include "base/hash_map.h"
#include "math/trig.h"
#include "math/vec.h"
#include <string.h>

#define PI 3.141592653589793

typedef struct Arrays
{
    rblVec3d positions[8192];
    uint32_t starts[16385];
    uint32_t corners[49152];
    float uvs[49152 * 2];
    float normals[49152 * 3];
    float colors[49152 * 4];
    uint32_t materials[16384];
    uint32_t groups[16384];
    rblLayer layers[3];
    rblMeshView view;
} Arrays;

static Arrays arrays;

static void begin(void)
{
    memset(&arrays.view, 0, sizeof arrays.view);
    arrays.view.positions = arrays.positions;
    arrays.view.face_starts = arrays.starts;
    arrays.view.corner_vertices = arrays.corners;
    arrays.view.face_materials = arrays.materials;
    arrays.view.face_groups = arrays.groups;
    arrays.view.layers = arrays.layers;
    arrays.starts[0] = 0;
}

static uint32_t add_vertex(double x, double y, double z)
{
    arrays.positions[arrays.view.vertex_count] = rbl_vec3d(x, y, z);
    return arrays.view.vertex_count++;
}

static void add_face(const uint32_t* corners, uint32_t count, uint32_t material)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        arrays.corners[arrays.view.corner_count++] = corners[i];
    }
    arrays.materials[arrays.view.face_count] = material;
    arrays.groups[arrays.view.face_count] = material / 3;
    arrays.view.face_count += 1;
    arrays.starts[arrays.view.face_count] = arrays.view.corner_count;
}

static void add_layer(rblLayerKind kind, uint32_t components, const float* data)
{
    arrays.layers[arrays.view.layer_count++] = (rblLayer){kind, components, data};
}

static rblMeshId create(void)
{
    rblMeshId id = {0, 0};
    check_ok(rbl_mesh_create(&arrays.view, &id));
    return id;
}

// A torus of quads; material 0 and 1 on the two halves when `halves`.
static void fill_torus(uint32_t around, uint32_t across, int halves)
{
    begin();
    for (uint32_t i = 0; i < around; ++i)
    {
        for (uint32_t k = 0; k < across; ++k)
        {
            const double u = 2 * PI * i / around, v = 2 * PI * k / across;
            const double radius = 1 + 0.4 * rbl_cos(v);
            add_vertex(radius * rbl_cos(u), 0.4 * rbl_sin(v), -radius * rbl_sin(u));
        }
    }
    for (uint32_t i = 0; i < around; ++i)
    {
        for (uint32_t k = 0; k < across; ++k)
        {
            const uint32_t i1 = (i + 1) % around, k1 = (k + 1) % across;
            const uint32_t quad[4] = {i * across + k, i1 * across + k, i1 * across + k1, i * across + k1};
            const float u[4] = {(float)i, (float)i + 1, (float)i + 1, (float)i};
            const float v[4] = {(float)k, (float)k, (float)k + 1, (float)k + 1};
            for (uint32_t c = 0; c < 4; ++c)
            {
                arrays.uvs[2 * (arrays.view.corner_count + c)] = u[c] / (float)around;
                arrays.uvs[2 * (arrays.view.corner_count + c) + 1] = v[c] / (float)across;
            }
            add_face(quad, 4, halves && 2 * i >= around);
        }
    }
}

// A sphere of triangles, poles up and down.
static void fill_sphere(uint32_t around, uint32_t rings)
{
    begin();
    for (uint32_t r = 1; r < rings; ++r)
    {
        for (uint32_t i = 0; i < around; ++i)
        {
            const double angle = PI * r / rings, u = 2 * PI * i / around;
            // The equator's height is zero to the last bit.
            add_vertex(rbl_sin(angle) * rbl_cos(u), 2 * r == rings ? 0 : rbl_cos(angle),
                       -rbl_sin(angle) * rbl_sin(u));
        }
    }
    const uint32_t top = add_vertex(0, 1, 0), bottom = add_vertex(0, -1, 0);
    for (uint32_t i = 0; i < around; ++i)
    {
        const uint32_t i1 = (i + 1) % around, last = (rings - 2) * around;
        add_face((uint32_t[]){top, i, i1}, 3, 0);
        for (uint32_t r = 0; r + 2 < rings; ++r)
        {
            const uint32_t a = r * around, b = a + around, south = 2 * (r + 1) >= rings;
            add_face((uint32_t[]){a + i, b + i, b + i1}, 3, south);
            add_face((uint32_t[]){a + i, b + i1, a + i1}, 3, south);
        }
        add_face((uint32_t[]){bottom, last + i1, last + i}, 3, 1);
    }
    for (uint32_t c = 0; c < arrays.view.corner_count; ++c)
    {
        const rblVec3 n = rbl_to_float3(arrays.positions[arrays.corners[c]]);
        memcpy(arrays.normals + 3 * c, &n, sizeof n);
    }
}

// A point of a cube's side: side / 2 is the axis it is across.
static rblVec3d cube_point(uint32_t side, double u, double v)
{
    const double w = side % 2 == 0 ? -1 : 1;
    const double p[3] = {w, w > 0 ? u : v, w > 0 ? v : u};
    const uint32_t axis = side / 2;
    return rbl_vec3d(p[(3 - axis) % 3], p[(4 - axis) % 3], p[(5 - axis) % 3]);
}

// A cube with n x n quads on each side, vertices shared, each side its own chart and material.
static void fill_cube(uint32_t n)
{
    begin();
    rblHashMap seen;
    rbl_hash_map_init(&seen, rbl_default_allocator());
    for (uint32_t side = 0; side < 6; ++side)
    {
        uint32_t ids[33][33];
        for (uint32_t i = 0; i <= n; ++i)
        {
            for (uint32_t k = 0; k <= n; ++k)
            {
                const rblVec3d p = cube_point(side, 2.0 * i / n - 1, 2.0 * k / n - 1);
                const uint64_t key = rbl_hash_bytes(RBL_HASH_START, &p, sizeof p);
                bool added;
                const uint32_t* id = rbl_hash_map_get_or_add(&seen, key, arrays.view.vertex_count, &added);
                ids[i][k] = *id;
                if (added)
                {
                    add_vertex(p.x, p.y, p.z);
                }
            }
        }
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t k = 0; k < n; ++k)
            {
                const uint32_t ui[4] = {i, i + 1, i + 1, i}, vi[4] = {k, k, k + 1, k + 1};
                uint32_t quad[4];
                for (uint32_t c = 0; c < 4; ++c)
                {
                    quad[c] = ids[ui[c]][vi[c]];
                    arrays.uvs[2 * (arrays.view.corner_count + c)] =
                        (float)side + (float)ui[c] / (float)(2 * n);
                    arrays.uvs[2 * (arrays.view.corner_count + c) + 1] = (float)vi[c] / (float)(2 * n);
                }
                add_face(quad, 4, side);
            }
        }
    }
    rbl_hash_map_free(&seen);
}

// An open sheet over [0, 1]^2 with a little relief.
static void fill_sheet(uint32_t n, double relief)
{
    begin();
    for (uint32_t i = 0; i <= n; ++i)
    {
        for (uint32_t k = 0; k <= n; ++k)
        {
            const double x = (double)i / n, z = (double)k / n;
            add_vertex(x, relief * rbl_sin(3 * x) * rbl_cos(4 * z), z);
        }
    }
    for (uint32_t i = 0; i < n; ++i)
    {
        for (uint32_t k = 0; k < n; ++k)
        {
            const uint32_t a = i * (n + 1) + k;
            add_face((uint32_t[]){a, a + 1, a + n + 2}, 3, 0);
            add_face((uint32_t[]){a, a + n + 2, a + n + 1}, 3, 0);
        }
    }
}

#endif
