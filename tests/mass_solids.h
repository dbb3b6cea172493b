// Solids to measure, and their measuring.
#ifndef RBL_TESTS_MASS_SOLIDS_H
#define RBL_TESTS_MASS_SOLIDS_H

#include "rubble/mesh.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct Shape
{
    rblVec3d* positions;
    uint32_t vertex_count;
    uint32_t* starts;
    uint32_t face_count;
    uint32_t* corners;
    uint32_t corner_count;
} Shape;

static inline Shape shape_new(uint32_t vertices, uint32_t faces, uint32_t corners)
{
    Shape shape = {0};
    shape.positions = malloc(sizeof(rblVec3d) * vertices);
    shape.starts = malloc(sizeof(uint32_t) * (faces + 1));
    shape.corners = malloc(sizeof(uint32_t) * corners);
    shape.starts[0] = 0;
    return shape;
}

static inline void shape_free(Shape* shape)
{
    free(shape->positions);
    free(shape->starts);
    free(shape->corners);
}

static inline uint32_t shape_vertex(Shape* shape, double x, double y, double z)
{
    shape->positions[shape->vertex_count] = (rblVec3d){x, y, z};
    return shape->vertex_count++;
}

static inline void shape_face(Shape* shape, const uint32_t* vertices, uint32_t count)
{
    memcpy(shape->corners + shape->corner_count, vertices, sizeof *vertices * count);
    shape->corner_count += count;
    shape->starts[++shape->face_count] = shape->corner_count;
}

static inline rblMeshView shape_view(const Shape* shape)
{
    return (rblMeshView){.vertex_count = shape->vertex_count,
                         .face_count = shape->face_count,
                         .corner_count = shape->corner_count,
                         .positions = shape->positions,
                         .face_starts = shape->starts,
                         .corner_vertices = shape->corners};
}

static inline rblMeshId shape_mesh(const Shape* shape)
{
    const rblMeshView view = shape_view(shape);
    rblMeshId id = {0};
    check_ok(rbl_mesh_create(&view, &id));
    return id;
}

// x, y, z are half sizes.
static inline Shape make_box(double x, double y, double z)
{
    Shape shape = shape_new(8, 6, 24);
    for (uint32_t i = 0; i < 8; ++i)
    {
        shape_vertex(&shape, (i & 1) ? x : -x, (i & 2) ? y : -y, (i & 4) ? z : -z);
    }
    static const uint32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                         {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    for (int i = 0; i < 6; ++i)
    {
        shape_face(&shape, faces[i], 4);
    }
    return shape;
}

// A torus of flat triangles around z.
static inline Shape make_torus(double ring, double tube, uint32_t around, uint32_t across)
{
    Shape shape = shape_new(around * across, 2 * around * across, 6 * around * across);
    for (uint32_t i = 0; i < around; ++i)
    {
        for (uint32_t j = 0; j < across; ++j)
        {
            const double u = 2 * PI * i / around, v = 2 * PI * j / across;
            const double r = ring + tube * cos(v);
            shape_vertex(&shape, r * cos(u), r * sin(u), tube * sin(v));
        }
    }
    for (uint32_t i = 0; i < around; ++i)
    {
        for (uint32_t j = 0; j < across; ++j)
        {
            const uint32_t a = i * across + j, b = (i + 1) % around * across + j;
            const uint32_t c = (i + 1) % around * across + (j + 1) % across,
                           d = i * across + (j + 1) % across;
            shape_face(&shape, (uint32_t[]){a, b, c}, 3);
            shape_face(&shape, (uint32_t[]){a, c, d}, 3);
        }
    }
    return shape;
}

// A sphere of n bands; quads between bands are planar, the poles are fans.
static inline Shape make_sphere(double radius, uint32_t bands, uint32_t slices)
{
    Shape shape = shape_new(2 + (bands - 1) * slices, bands * slices, 4 * bands * slices);
    const uint32_t top = shape_vertex(&shape, 0, 0, radius);
    const uint32_t bottom = shape_vertex(&shape, 0, 0, -radius);
    for (uint32_t i = 1; i < bands; ++i)
    {
        for (uint32_t j = 0; j < slices; ++j)
        {
            const double u = PI * i / bands, v = 2 * PI * j / slices;
            shape_vertex(&shape, radius * sin(u) * cos(v), radius * sin(u) * sin(v), radius * cos(u));
        }
    }
    for (uint32_t i = 0; i < bands; ++i)
    {
        for (uint32_t j = 0; j < slices; ++j)
        {
            const uint32_t k = (j + 1) % slices;
            const uint32_t upper = 2 + (i - 1) * slices, lower = upper + slices;
            if (i == 0)
            {
                shape_face(&shape, (uint32_t[]){top, 2 + j, 2 + k}, 3);
            }
            else if (i + 1 == bands)
            {
                shape_face(&shape, (uint32_t[]){upper + j, bottom, upper + k}, 3);
            }
            else
            {
                shape_face(&shape, (uint32_t[]){upper + j, lower + j, lower + k, upper + k}, 4);
            }
        }
    }
    return shape;
}

static inline void turn_over(Shape* shape)
{
    for (uint32_t f = 0; f < shape->face_count; ++f)
    {
        for (uint32_t i = shape->starts[f], j = shape->starts[f + 1] - 1; i < j; ++i, --j)
        {
            const uint32_t swap = shape->corners[i];
            shape->corners[i] = shape->corners[j];
            shape->corners[j] = swap;
        }
    }
}

static inline rblVec3d rotate(const rblMat3d* m, rblVec3d v)
{
    return (rblVec3d){m->cx.x * v.x + m->cy.x * v.y + m->cz.x * v.z,
                      m->cx.y * v.x + m->cy.y * v.y + m->cz.y * v.z,
                      m->cx.z * v.x + m->cy.z * v.y + m->cz.z * v.z};
}

static inline void move_shape(Shape* shape, const rblMat3d* rotation, rblVec3d offset)
{
    for (uint32_t i = 0; i < shape->vertex_count; ++i)
    {
        const rblVec3d p = rotate(rotation, shape->positions[i]);
        shape->positions[i] = (rblVec3d){p.x + offset.x, p.y + offset.y, p.z + offset.z};
    }
}

static inline rblMassProperties measure(rblMeshId mesh, double density)
{
    rblMassProperties properties;
    memset(&properties, 0xA5, sizeof properties);
    check_ok(rbl_mesh_mass_properties(mesh, density, &properties));
    return properties;
}

static inline rblMassProperties measure_shape(const Shape* shape, double density)
{
    const rblMeshId mesh = shape_mesh(shape);
    const rblMassProperties properties = measure(mesh, density);
    check_ok(rbl_mesh_destroy(mesh));
    return properties;
}

// A prism over a star: its caps are concave polygons of many corners.
static inline Shape make_star_prism(uint32_t points)
{
    Shape shape = shape_new(4 * points, 2 * points + 2, 12 * points);
    uint32_t ring[2][64];
    for (uint32_t i = 0; i < 2 * points; ++i)
    {
        const double r = i % 2 == 0 ? 1 : 0.3, angle = PI * i / points;
        ring[0][2 * points - 1 - i] = shape_vertex(&shape, r * cos(angle), r * sin(angle), 0);
        ring[1][i] = shape_vertex(&shape, r * cos(angle), r * sin(angle), 1);
    }
    shape_face(&shape, ring[0], 2 * points);
    shape_face(&shape, ring[1], 2 * points);
    for (uint32_t i = 0; i < 2 * points; ++i)
    {
        const uint32_t j = (i + 1) % (2 * points);
        shape_face(&shape, (uint32_t[]){2 * i, 2 * j, 2 * j + 1, 2 * i + 1}, 4);
    }
    return shape;
}

#endif
