// Elastic solids for tests: boxes of tetrahedra, supports and tractions by place, and memory for results.
#ifndef RBL_TESTS_ELASTIC_TESTING_H
#define RBL_TESTS_ELASTIC_TESTING_H

#include "base/random.h"
#include "fem/elastic.h"
#include "math/vec.h"
#include <stdlib.h>
#include <string.h>

// A box from the origin to `size`, each of its cells cut into six tetrahedra around a diagonal. Nodes inside are moved by up to
// `unrest` cells.
static inline rblTetsId make_grid(const uint32_t cells[3], rblVec3d size, double unrest)
{
    const uint32_t nx = cells[0] + 1, ny = cells[1] + 1, nz = cells[2] + 1;
    rblRandom random = rbl_random_seed(7, 7);
    rblTetsView view = {.node_count = nx * ny * nz, .tet_count = 6 * cells[0] * cells[1] * cells[2]};
    rblVec3d* positions = malloc(sizeof *positions * view.node_count);
    uint32_t* nodes = malloc(sizeof *nodes * 4 * view.tet_count);
    for (uint32_t i = 0; i < view.node_count; ++i)
    {
        const uint32_t at[3] = {i % nx, i / nx % ny, i / nx / ny};
        double x[3];
        for (int k = 0; k < 3; ++k)
        {
            const bool inside = at[0] % cells[0] != 0 && at[1] % cells[1] != 0 && at[2] % cells[2] != 0;
            x[k] = (at[k] + (inside ? rbl_random_range(&random, -unrest, unrest) : 0.0)) / cells[k];
        }
        positions[i] = rbl_vec3d(x[0] * size.x, x[1] * size.y, x[2] * size.z);
    }
    static const uint8_t ways[6][2] = {{1, 3}, {1, 5}, {2, 3}, {2, 6}, {4, 5}, {4, 6}};
    uint32_t* out = nodes;
    for (uint32_t c = 0; c < view.tet_count / 6; ++c)
    {
        const uint32_t x = c % cells[0], y = c / cells[0] % cells[1], z = c / cells[0] / cells[1];
        for (int w = 0; w < 6; ++w)
        {
            const uint32_t bits[4] = {0, ways[w][0], ways[w][1], 7};
            for (int k = 0; k < 4; ++k)
            {
                *out++ = x + (bits[k] & 1u) + nx * (y + (bits[k] >> 1 & 1u) + ny * (z + (bits[k] >> 2 & 1u)));
            }
        }
    }
    view.positions = positions;
    view.nodes = nodes;
    rblTetsId tets;
    check_ok(rbl_tets_create(&view, &tets));
    free(positions);
    free(nodes);
    return tets;
}

// A box with its middle at the origin, filled with the lattice.
static inline rblTetsId fill_box(rblVec3d size, double edge, uint32_t levels)
{
    const double values[3] = {size.x, size.y, size.z};
    const rblSolidValue value = {"size", values, 3};
    rblMeshId mesh;
    rblTetsId tets;
    rblTetsDef def = rbl_default_tets_def();
    def.edge = edge;
    def.levels = levels;
    check_ok(rbl_mesh_make("box", &value, 1, &mesh));
    check_ok(rbl_tets_fill(mesh, &def, NULL, &tets));
    check_ok(rbl_mesh_destroy(mesh));
    return tets;
}

typedef bool PlaceFcn(rblVec3d p);

// Hold all nodes of the solid where `place` says so.
typedef struct Supports
{
    rblElasticSupport* data;
    uint32_t count;
} Supports;

static inline void add_supports(Supports* supports, rblTetsId tets, PlaceFcn* place, uint32_t axes)
{
    rblTetsView view;
    check_ok(rbl_tets_view(tets, &view));
    supports->data =
        realloc(supports->data, sizeof *supports->data * ((size_t)supports->count + view.solid_node_count));
    for (uint32_t i = 0; i < view.solid_node_count; ++i)
    {
        if (place(view.positions[i]))
        {
            supports->data[supports->count++] = (rblElasticSupport){.node = i, .axes = axes};
        }
    }
}

// Forces of a traction on the faces of the surface that lie where `place` says so.
static inline void add_traction(const rblElasticView* view, PlaceFcn* place,
                                rblVec3d (*traction)(rblVec3d p, rblVec3d normal), rblVec3d* forces)
{
    for (uint32_t f = 0; f < view->surface_face_count; ++f)
    {
        const uint32_t* n = view->surface + 3 * (size_t)f;
        const rblVec3d a = view->positions[n[0]], b = view->positions[n[1]], c = view->positions[n[2]];
        if (!place(a) || !place(b) || !place(c))
        {
            continue;
        }
        const rblVec3d area = rbl_scale3d(rbl_cross3d(rbl_sub3d(b, a), rbl_sub3d(c, a)), 0.5);
        const double size = rbl_length3d(area);
        // Middles of the edges: exact for quadratic integrands, as a linear traction with its shape function is.
        for (int k = 0; k < 3; ++k)
        {
            const rblVec3d p = k == 0 ? a : k == 1 ? b : c, q = k == 0 ? b : k == 1 ? c : a;
            const rblVec3d t =
                rbl_scale3d(traction(rbl_lerp3d(p, q, 0.5), rbl_scale3d(area, 1.0 / size)), size / 6.0);
            forces[n[k]] = rbl_add3d(forces[n[k]], t);
            forces[n[(k + 1) % 3]] = rbl_add3d(forces[n[(k + 1) % 3]], t);
        }
    }
}

// A solid with memory for forces and results.
typedef struct Solid
{
    rblElasticId id;
    rblElasticView view;
    rblVec3d* forces;
    rblElasticFields fields;
    rblElasticReport report;
} Solid;

static inline Solid make_elastic(const rblElasticDef* def)
{
    Solid solid = {.report = {.energy = 0.0}};
    check_ok(rbl_elastic_create(def, &solid.id));
    check_ok(rbl_elastic_view(solid.id, &solid.view));
    solid.forces = calloc(solid.view.node_count, sizeof *solid.forces);
    solid.fields.displacements = calloc(solid.view.node_count, sizeof(rblVec3d));
    solid.fields.node_stresses = calloc(solid.view.node_count, sizeof(rblStress));
    solid.fields.tet_stresses = calloc(solid.view.tet_count, sizeof(rblStress));
    solid.fields.tet_energies = calloc(solid.view.tet_count, sizeof(double));
    return solid;
}

static inline void free_elastic(Solid* solid)
{
    check_ok(rbl_elastic_destroy(solid->id));
    free(solid->forces);
    free(solid->fields.displacements);
    free(solid->fields.node_stresses);
    free(solid->fields.tet_stresses);
    free(solid->fields.tet_energies);
}

static inline void solve_forces(Solid* solid)
{
    check_ok(rbl_elastic_solve_forces(solid->id, solid->forces, &solid->fields, &solid->report));
}

static inline double stress_difference(const rblStress* a, const rblStress* b)
{
    return fmax(fmax(fmax(fabs(a->xx - b->xx), fabs(a->yy - b->yy)), fabs(a->zz - b->zz)),
                fmax(fmax(fabs(a->xy - b->xy), fabs(a->yz - b->yz)), fabs(a->zx - b->zx)));
}

#endif
