// Small meshes made by hand for the tests of the mesh room.
#ifndef RBL_TESTS_SHAPES_H
#define RBL_TESTS_SHAPES_H

#include "mesh/mesh.h"
#include <math.h>

static inline rblMeshBuilder start_shape(void)
{
    rblMeshBuilder builder;
    rbl_mesh_builder_init(&builder, rbl_default_allocator());
    return builder;
}

static inline rblMesh* finish_shape(rblMeshBuilder* builder)
{
    rblMesh* mesh = NULL;
    check_ok(rbl_mesh_builder_finish(builder, &mesh));
    return mesh;
}

static inline uint32_t add_face(rblMeshBuilder* builder, const uint32_t* vertices, uint32_t count)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        rbl_mesh_builder_corner(builder, vertices[i]);
    }
    const uint32_t face = (uint32_t)builder->face_starts.count;
    return rbl_mesh_builder_face(builder, 0, 0, face);
}

static inline void add_triangle(rblMeshBuilder* builder, uint32_t a, uint32_t b, uint32_t c)
{
    add_face(builder, (const uint32_t[3]){a, b, c}, 3);
}

static inline void add_quad(rblMeshBuilder* builder, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    add_face(builder, (const uint32_t[4]){a, b, c, d}, 4);
}

// Eight vertices numbered by bits (x 1, y 2, z 4) from the returned one on.
static inline uint32_t add_box_vertices(rblMeshBuilder* builder, rblVec3d lower, rblVec3d upper)
{
    const uint32_t first = (uint32_t)builder->positions.count;
    for (uint32_t i = 0; i < 8; ++i)
    {
        const rblVec3d p = {i & 1 ? upper.x : lower.x, i & 2 ? upper.y : lower.y, i & 4 ? upper.z : lower.z};
        rbl_mesh_builder_vertex(builder, p);
    }
    return first;
}

// Six quads, facing out or in: the faces -x, +x, -y, +y, -z, +z of the eight given vertices.
static inline void add_box_faces(rblMeshBuilder* builder, const uint32_t v[8], bool outward)
{
    static const uint32_t quads[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int f = 0; f < 6; ++f)
    {
        const uint32_t* q = quads[f];
        add_quad(builder, v[q[0]], v[q[outward ? 1 : 3]], v[q[2]], v[q[outward ? 3 : 1]]);
    }
}

static inline void add_box(rblMeshBuilder* builder, rblVec3d lower, rblVec3d upper, bool outward)
{
    const uint32_t first = add_box_vertices(builder, lower, upper);
    const uint32_t v[8] = {first,     first + 1, first + 2, first + 3,
                           first + 4, first + 5, first + 6, first + 7};
    add_box_faces(builder, v, outward);
}

static inline void add_cube(rblMeshBuilder* builder, double lower, double upper, bool outward)
{
    add_box(builder, (rblVec3d){lower, lower, lower}, (rblVec3d){upper, upper, upper}, outward);
}

// A unit cube of n x n quads a side, welded.
static inline void add_grid_box(rblMeshBuilder* builder, uint32_t n)
{
    const uint32_t first = (uint32_t)builder->positions.count;
    const uint32_t side = n + 1;
    uint32_t* numbers = RBL_NEW_ARRAY(builder->allocator, uint32_t, (size_t)side * side * side);
    uint32_t next = first;
    for (uint32_t i = 0; i < side * side * side; ++i)
    {
        const uint32_t p[3] = {i % side, i / side % side, i / side / side};
        const bool inner = p[0] % n != 0 && p[1] % n != 0 && p[2] % n != 0;
        numbers[i] = inner ? RBL_NONE : next++;
        if (!inner)
        {
            rbl_mesh_builder_vertex(builder,
                                    (rblVec3d){(double)p[0] / n, (double)p[1] / n, (double)p[2] / n});
        }
    }
    static const uint32_t steps[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (uint32_t f = 0; f < 6 * n * n; ++f)
    {
        const uint32_t axis = f / (2 * n * n);
        const bool upper = f / (n * n) % 2 != 0;
        uint32_t corners[4];
        for (uint32_t i = 0; i < 4; ++i)
        {
            uint32_t p[3];
            p[axis] = upper ? n : 0;
            p[(axis + 1) % 3] = f % n + steps[i][0];
            p[(axis + 2) % 3] = f / n % n + steps[i][1];
            corners[upper ? i : 3 - i] = numbers[p[0] + side * (p[1] + side * p[2])];
        }
        add_face(builder, corners, 4);
    }
    RBL_FREE_ARRAY(builder->allocator, numbers, (size_t)side * side * side);
}

// A strip of quads closed in both directions; with `twisted` the seam in u joins opposite ways (a Klein
// bottle).
static inline void add_torus(rblMeshBuilder* builder, uint32_t around, uint32_t across, rblVec3d center,
                             bool twisted)
{
    const double turn = 2 * 3.14159265358979323846;
    const uint32_t first = (uint32_t)builder->positions.count;
    for (uint32_t i = 0; i < around * across; ++i)
    {
        const double u = turn * (i / across) / around;
        const double v = turn * (i % across) / across;
        const double radius = 3 + cos(v);
        rbl_mesh_builder_vertex(
            builder, (rblVec3d){center.x + radius * cos(u), center.y + sin(v), center.z - radius * sin(u)});
    }
    for (uint32_t i = 0; i < around; ++i)
    {
        for (uint32_t j = 0; j < across; ++j)
        {
            const uint32_t k = (j + 1) % across;
            const bool seam = twisted && i + 1 == around;
            const uint32_t next = first + (i + 1) % around * across;
            add_quad(builder, first + i * across + j, next + (seam ? (across - j) % across : j),
                     next + (seam ? (across - k) % across : k), first + i * across + k);
        }
    }
}

#endif
