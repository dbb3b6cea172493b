// Elastic solids against closed forms: ratios to them, errors, and the order in which these fall.
#include "bench/bench_tets.h"

#include "base/error.h"
#include "fem/elastic.h"
#include "math/vec.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define PI        3.14159265358979323846
#define YOUNG     70e9
#define POISSON   0.22
#define DENSITY   2500.0
#define LENGTH    1.2
#define THICKNESS 0.2
#define TENSION   1e6 // Pa
#define SHEAR     1e5 // Pa, at the end of the beam

// ---- solids ----

typedef struct Solid
{
    rblTetsId tets;
    rblElasticSupport* supports;
    rblElasticDef def;
    rblElasticId id;
    rblElasticView view;
    rblVec3d* forces;
    rblElasticFields fields;
    rblElasticReport report;
} Solid;

static void solid_free(Solid* solid)
{
    free(solid->supports);
    free(solid->forces);
    free(solid->fields.displacements);
    free(solid->fields.node_stresses);
    if (solid->id.index1 != 0)
    {
        (void)rbl_elastic_destroy(solid->id);
    }
    if (solid->tets.index1 != 0)
    {
        (void)rbl_tets_destroy(solid->tets);
    }
}

static rblResult fill(rblMeshId mesh, double edge, rblTetsId* out)
{
    rblTetsDef def = rbl_default_tets_def();
    def.edge = edge;
    def.levels = 0;
    const rblResult result = rbl_tets_fill(mesh, &def, NULL, out);
    (void)rbl_mesh_destroy(mesh);
    return result;
}

// With its middle at the origin.
static rblResult fill_box(rblVec3d size, double edge, rblTetsId* out)
{
    const double values[3] = {size.x, size.y, size.z};
    const rblSolidValue value = {"size", values, 3};
    rblMeshId mesh;
    RBL_TRY(rbl_mesh_make("box", &value, 1, &mesh));
    return fill(mesh, edge, out);
}

// Room for everything, once the tetrahedra are there.
static rblResult begin(Solid* solid)
{
    rblTetsView view;
    RBL_TRY(rbl_tets_view(solid->tets, &view));
    solid->def = rbl_default_elastic_def();
    solid->def.tets = solid->tets;
    solid->def.young = YOUNG;
    solid->def.poisson = POISSON;
    solid->def.density = DENSITY;
    solid->supports = malloc(sizeof *solid->supports * 3 * view.solid_node_count);
    solid->forces = calloc(view.solid_node_count, sizeof *solid->forces);
    solid->fields.displacements = calloc(view.solid_node_count, sizeof(rblVec3d));
    solid->fields.node_stresses = calloc(view.solid_node_count, sizeof(rblStress));
    solid->def.supports = solid->supports;
    const bool allocated = solid->supports != NULL && solid->forces != NULL &&
                           solid->fields.displacements != NULL && solid->fields.node_stresses != NULL;
    return allocated ? RBL_OK : rbl_fail_memory();
}

typedef bool PlaceFcn(rblVec3d p);

static rblResult hold(Solid* solid, PlaceFcn* place, uint32_t axes)
{
    rblTetsView view;
    RBL_TRY(rbl_tets_view(solid->tets, &view));
    for (uint32_t i = 0; i < view.solid_node_count; ++i)
    {
        if (place(view.positions[i]))
        {
            solid->supports[solid->def.support_count++] = (rblElasticSupport){.node = i, .axes = axes};
        }
    }
    return RBL_OK;
}

static rblResult make_elastic(Solid* solid)
{
    RBL_TRY(rbl_elastic_create(&solid->def, &solid->id));
    return rbl_elastic_view(solid->id, &solid->view);
}

// A traction on faces of the surface, by the middles of their edges: exact for quadratic integrands.
static void pull(Solid* solid, PlaceFcn* place, rblVec3d (*traction)(rblVec3d p, rblVec3d normal))
{
    const rblElasticView* view = &solid->view;
    for (uint32_t f = 0; f < view->surface_face_count; ++f)
    {
        const uint32_t* n = view->surface + 3 * (size_t)f;
        const rblVec3d p[3] = {view->positions[n[0]], view->positions[n[1]], view->positions[n[2]]};
        if (!place(p[0]) || !place(p[1]) || !place(p[2]))
        {
            continue;
        }
        const rblVec3d area = rbl_scale3d(rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(p[2], p[0])), 0.5);
        const double size = rbl_length3d(area);
        for (int k = 0; k < 3; ++k)
        {
            const int next = (k + 1) % 3;
            const rblVec3d middle = rbl_lerp3d(p[k], p[next], 0.5);
            const rblVec3d t = rbl_scale3d(traction(middle, rbl_scale3d(area, 1.0 / size)), size / 6.0);
            solid->forces[n[k]] = rbl_add3d(solid->forces[n[k]], t);
            solid->forces[n[next]] = rbl_add3d(solid->forces[n[next]], t);
        }
    }
}

static rblResult solve(Solid* solid)
{
    return rbl_elastic_solve_forces(solid->id, solid->forces, &solid->fields, &solid->report);
}

static double off_one(double ratio)
{
    return 100.0 * fabs(ratio - 1.0);
}

static void tell(rblBench* bench, const char* what, uint32_t nodes, const char* metric, double percent)
{
    char subject[96];
    snprintf(subject, sizeof subject, "%s, %u nodes", what, nodes);
    rbl_tets_bench_row(bench, subject, metric, percent, "%", 0.0);
}

// ---- the patch: constant stress ----

static const rblStress constant = {3e6, -1e6, 2e6, 0.5e6, -0.7e6, 1.2e6};

static bool everywhere(rblVec3d p)
{
    (void)p;
    return true;
}

static rblVec3d constant_traction(rblVec3d p, rblVec3d n)
{
    (void)p;
    return rbl_vec3d(constant.xx * n.x + constant.xy * n.y + constant.zx * n.z,
                     constant.xy * n.x + constant.yy * n.y + constant.yz * n.z,
                     constant.zx * n.x + constant.yz * n.y + constant.zz * n.z);
}

static double difference(const rblStress* a, const rblStress* b)
{
    return fmax(fmax(fmax(fabs(a->xx - b->xx), fabs(a->yy - b->yy)), fabs(a->zz - b->zz)),
                fmax(fmax(fabs(a->xy - b->xy), fabs(a->yz - b->yz)), fabs(a->zx - b->zx)));
}

static rblResult measure_patch(rblBench* bench, Solid* solid)
{
    RBL_TRY(fill_box(rbl_vec3d(0.4, 0.7, 0.2), 0.06, &solid->tets));
    RBL_TRY(begin(solid));
    RBL_TRY(make_elastic(solid));
    pull(solid, everywhere, constant_traction);
    RBL_TRY(solve(solid));
    double worst = 0.0;
    for (uint32_t i = 0; i < solid->view.node_count; ++i)
    {
        worst = fmax(worst, difference(&solid->fields.node_stresses[i], &constant) / constant.xx);
    }
    tell(bench, "patch, floating", solid->view.node_count, "stress off", 100.0 * worst);
    return RBL_OK;
}

// ---- bar and cantilever ----

static bool at_left(rblVec3d p)
{
    return p.x < -0.5 * LENGTH + 1e-9;
}

static bool at_right(rblVec3d p)
{
    return p.x > 0.5 * LENGTH - 1e-9;
}

static bool at_left_edge(rblVec3d p)
{
    return at_left(p) && p.z < -0.5 * THICKNESS + 1e-9;
}

static bool at_left_corner(rblVec3d p)
{
    return at_left_edge(p) && p.y < -0.5 * THICKNESS + 1e-9;
}

static rblVec3d pulling(rblVec3d p, rblVec3d n)
{
    (void)p;
    return rbl_scale3d(n, TENSION);
}

static rblVec3d pushing(rblVec3d p, rblVec3d n)
{
    (void)p;
    return rbl_scale3d(n, -TENSION);
}

static rblResult measure_bar(rblBench* bench, Solid* solid)
{
    RBL_TRY(fill_box(rbl_vec3d(LENGTH, THICKNESS, THICKNESS), 0.1, &solid->tets));
    RBL_TRY(begin(solid));
    RBL_TRY(hold(solid, at_left, 1));
    RBL_TRY(hold(solid, at_left_edge, 4));
    RBL_TRY(hold(solid, at_left_corner, 7));
    RBL_TRY(make_elastic(solid));
    pull(solid, at_right, pulling);
    RBL_TRY(solve(solid));
    double moved = 0.0, stress = 0.0;
    for (uint32_t i = 0; i < solid->view.node_count; ++i)
    {
        const double wanted = TENSION / YOUNG * (solid->view.positions[i].x + 0.5 * LENGTH);
        moved = fmax(moved, fabs(solid->fields.displacements[i].x - wanted) / (TENSION / YOUNG * LENGTH));
        stress = fmax(stress, fabs(solid->fields.node_stresses[i].xx / TENSION - 1.0));
    }
    tell(bench, "bar in tension", solid->view.node_count, "displacement off, most", 100.0 * moved);
    tell(bench, "bar in tension", solid->view.node_count, "stress off, most", 100.0 * stress);
    return RBL_OK;
}

static rblVec3d shearing(rblVec3d p, rblVec3d n)
{
    (void)n;
    const double y = 2.0 * p.y / THICKNESS;
    return rbl_vec3d(0.0, -1.5 * SHEAR * (1.0 - y * y), 0.0);
}

// Timoshenko: F L^3 / (3 E I) + F L / (k G A), k = 10 (1 + nu) / (12 + 11 nu); stress M y / I half way along.
static void compare_beam(rblBench* bench, const Solid* solid)
{
    const double area = THICKNESS * THICKNESS, inertia = area * area / 12.0, force = SHEAR * area;
    const double shear = 10.0 * (1.0 + POISSON) / (12.0 + 11.0 * POISSON) * YOUNG / (2.0 * (1.0 + POISSON));
    const double sag =
        force * LENGTH * LENGTH * LENGTH / (3.0 * YOUNG * inertia) + force * LENGTH / (shear * area);
    const double wanted = force * 0.5 * LENGTH * 0.5 * THICKNESS / inertia;
    double tip = 0.0, tips = 0.0, stress = 0.0;
    for (uint32_t i = 0; i < solid->view.node_count; ++i)
    {
        const rblVec3d p = solid->view.positions[i];
        const bool middle = fabs(p.x) < 1e-9 && fabs(p.z) < 1e-9 && p.y > 0.5 * THICKNESS - 1e-9;
        tip -= at_right(p) ? solid->fields.displacements[i].y : 0.0;
        tips += at_right(p);
        stress = middle ? solid->fields.node_stresses[i].xx : stress;
    }
    tell(bench, "cantilever", solid->view.node_count, "displacement off", off_one(tip / tips / sag));
    tell(bench, "cantilever", solid->view.node_count, "stress off", off_one(stress / wanted));
}

static rblResult measure_cantilever(rblBench* bench, Solid* solid)
{
    RBL_TRY(fill_box(rbl_vec3d(LENGTH, THICKNESS, THICKNESS), rbl_bench_quick(bench) ? 0.1 : 0.025,
                     &solid->tets));
    RBL_TRY(begin(solid));
    RBL_TRY(hold(solid, at_left, 7));
    RBL_TRY(make_elastic(solid));
    pull(solid, at_right, shearing);
    RBL_TRY(solve(solid));
    compare_beam(bench, solid);
    return RBL_OK;
}

// ---- a hollow ball under pressure ----

static double hollow_ball(rblVec3d p, void* context)
{
    (void)context;
    const double r = rbl_length3d(p);
    return fmax(r - 1.0, 0.5 - r);
}

static bool at_inner(rblVec3d p)
{
    return rbl_length3d(p) < 0.75;
}

static rblResult fill_hollow_ball(double edge, rblTetsId* out)
{
    rblIsosurfaceDef iso = rbl_default_isosurface_def();
    iso.bounds = (rblAabbd){{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};
    iso.cells[0] = iso.cells[1] = iso.cells[2] = 64;
    iso.field = hollow_ball;
    rblMeshId mesh;
    RBL_TRY(rbl_mesh_isosurface(&iso, &mesh));
    return fill(mesh, edge, out);
}

// Lame, for radii 1/2 and 1 under pressure p inside: hoop stress p/7 (1 + 1 / (2 r^3)), and out by p r / (7 E) (1 - 2 nu + (1 + nu) /
// (2 r^3)). Means over the nodes of a side.
static rblResult compare_ball(rblBench* bench, const Solid* solid)
{
    double moved[2] = {0.0, 0.0}, hoop[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
    bool* surface = calloc(solid->view.node_count, sizeof *surface);
    if (surface == NULL)
    {
        return rbl_fail_memory();
    }
    for (uint32_t i = 0; i < 3 * solid->view.surface_face_count; ++i)
    {
        surface[solid->view.surface[i]] = true;
    }
    for (uint32_t i = 0; i < solid->view.node_count; ++i)
    {
        const rblVec3d p = solid->view.positions[i], n = rbl_scale3d(p, 1.0 / rbl_length3d(p));
        const rblStress* s = &solid->fields.node_stresses[i];
        const double radial = s->xx * n.x * n.x + s->yy * n.y * n.y + s->zz * n.z * n.z +
                              2.0 * (s->xy * n.x * n.y + s->yz * n.y * n.z + s->zx * n.z * n.x);
        const int side = at_inner(p) ? 0 : 1;
        moved[side] += surface[i] ? rbl_dot3d(solid->fields.displacements[i], n) : 0.0;
        hoop[side] += surface[i] ? 0.5 * (s->xx + s->yy + s->zz - radial) : 0.0;
        count[side] += surface[i];
    }
    free(surface);
    for (int side = 0; side < 2; ++side)
    {
        const double r = side == 0 ? 0.5 : 1.0, scale = TENSION / 7.0, cube = 0.5 / (r * r * r);
        const double radial = scale * r / YOUNG * (1.0 - 2.0 * POISSON + (1.0 + POISSON) * cube);
        const char* what = side == 0 ? "hollow ball, inside" : "hollow ball, outside";
        const double off = fabs(hoop[side] / count[side] - scale * (1.0 + cube)) / (5.0 * scale);
        tell(bench, what, solid->view.node_count, "displacement off",
             off_one(moved[side] / count[side] / radial));
        tell(bench, what, solid->view.node_count, "hoop stress off, of that inside", 100.0 * off);
    }
    return RBL_OK;
}

static rblResult measure_ball(rblBench* bench, Solid* solid)
{
    RBL_TRY(fill_hollow_ball(rbl_bench_quick(bench) ? 0.2 : 0.08, &solid->tets));
    RBL_TRY(begin(solid));
    solid->def.solver = RBL_ELASTIC_ITERATIVE;
    RBL_TRY(make_elastic(solid));
    pull(solid, at_inner, pushing);
    RBL_TRY(solve(solid));
    return compare_ball(bench, solid);
}

// ---- order: pure bending, given at the border ----

static rblVec3d bent(rblVec3d p)
{
    return rbl_vec3d(p.x * p.y, -0.5 * (p.x * p.x + POISSON * (p.y * p.y - p.z * p.z)), -POISSON * p.y * p.z);
}

static rblResult bend_cube(Solid* solid, double edge, double* displacement, double* stress)
{
    rblTetsView view;
    RBL_TRY(fill_box(rbl_vec3d(1.0, 1.0, 1.0), edge, &solid->tets));
    RBL_TRY(begin(solid));
    RBL_TRY(rbl_tets_view(solid->tets, &view));
    for (uint32_t i = 0; i < view.solid_node_count; ++i)
    {
        const rblVec3d p = view.positions[i];
        if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > 0.5 - 1e-9)
        {
            solid->supports[solid->def.support_count++] = (rblElasticSupport){i, 7, bent(p)};
        }
    }
    RBL_TRY(make_elastic(solid));
    RBL_TRY(solve(solid));
    double moved = 0.0, squares = 0.0, volume = 0.0;
    for (uint32_t t = 0; t < solid->view.tet_count; ++t)
    {
        rblVec3d p = {0.0, 0.0, 0.0}, u = p;
        for (int k = 0; k < 4; ++k)
        {
            const uint32_t node = solid->view.nodes[4 * (size_t)t + (size_t)k];
            p = rbl_mul_add3d(p, 0.25, solid->view.positions[node]);
            u = rbl_mul_add3d(u, 0.25, solid->fields.displacements[node]);
        }
        const rblVec3d off = rbl_sub3d(u, bent(p));
        moved += solid->view.volumes[t] * rbl_dot3d(off, off);
        volume += solid->view.volumes[t];
    }
    for (uint32_t i = 0; i < solid->view.node_count; ++i)
    {
        const rblStress exact = {YOUNG * solid->view.positions[i].y, 0.0, 0.0, 0.0, 0.0, 0.0};
        const double off = difference(&solid->fields.node_stresses[i], &exact) / YOUNG;
        squares += off * off / solid->view.node_count;
    }
    *displacement = sqrt(moved / volume);
    *stress = sqrt(squares);
    return RBL_OK;
}

static rblResult measure_order(rblBench* bench)
{
    const double edges[3] = {0.25, 0.125, 0.0625};
    double moved[3] = {0.0, 0.0, 0.0}, stress[3] = {0.0, 0.0, 0.0};
    const uint32_t count = rbl_bench_size(bench, 3, 2);
    for (uint32_t i = 0; i < count; ++i)
    {
        Solid solid = {.forces = NULL};
        const rblResult result = bend_cube(&solid, edges[i], &moved[i], &stress[i]);
        solid_free(&solid);
        RBL_TRY(result);
    }
    for (uint32_t i = 1; i < count; ++i)
    {
        char subject[64];
        snprintf(subject, sizeof subject, "bent cube, edge %g to %g", edges[i - 1], edges[i]);
        rbl_tets_bench_row(bench, subject, "order of displacement", log2(moved[i - 1] / moved[i]), "", 0.0);
        rbl_tets_bench_row(bench, subject, "order of stress at nodes", log2(stress[i - 1] / stress[i]), "",
                           0.0);
    }
    return RBL_OK;
}

// ---- modes ----

typedef struct Modes
{
    double* frequencies;
    rblVec3d* shapes;
} Modes;

static rblResult find_modes(const Solid* solid, uint32_t count, Modes* out)
{
    out->frequencies = malloc(sizeof *out->frequencies * count);
    out->shapes = malloc(sizeof *out->shapes * count * solid->view.node_count);
    return out->frequencies != NULL && out->shapes != NULL
               ? rbl_elastic_modes(solid->id, count, out->frequencies, out->shapes)
               : rbl_fail_memory();
}

static void modes_free(Modes* modes)
{
    free(modes->frequencies);
    free(modes->shapes);
}

// A free beam bends at (b L)^2 / L^2 sqrt(E I / (rho A)) with b L = 4.73004 and 7.85320 (Euler and Bernoulli).
static rblResult measure_beam(rblBench* bench, Solid* solid)
{
    const double length = 2.0, thickness = 0.1, bl[2] = {4.730040745, 7.853204624};
    const double slender = sqrt(YOUNG * thickness * thickness / 12.0 / DENSITY) / (length * length);
    Modes modes = {NULL, NULL};
    RBL_TRY(fill_box(rbl_vec3d(length, thickness, thickness),
                     rbl_bench_quick(bench) ? thickness / 2.0 : thickness / 6.0, &solid->tets));
    RBL_TRY(begin(solid));
    RBL_TRY(make_elastic(solid));
    const rblResult result = find_modes(solid, 4, &modes);
    for (int k = 0; k < 2 && result == RBL_OK; ++k)
    {
        const double worst = fmax(off_one(modes.frequencies[2 * k] / (bl[k] * bl[k] * slender)),
                                  off_one(modes.frequencies[2 * k + 1] / (bl[k] * bl[k] * slender)));
        tell(bench, "free beam", solid->view.node_count,
             k == 0 ? "first bending frequencies off" : "second bending frequencies off", worst);
    }
    modes_free(&modes);
    return result;
}

// What rests on a plate, by modes and by solving.
static rblResult compare_modes(rblBench* bench, Solid* solid, const Modes* modes, uint32_t most)
{
    const rblElasticLoad load = {{0.0, 0.025, 0.0}, {0.0, -1000.0, 0.0}, 0.04, 0.0};
    rblElasticReport exact, swung;
    RBL_TRY(rbl_elastic_solve(solid->id, &load, 1, &solid->fields, &exact));
    for (uint32_t count = 4; count <= most; count *= 2)
    {
        char metric[64];
        double time = 0.0;
        RBL_TRY(rbl_elastic_respond(solid->id, modes->frequencies, modes->shapes, count, &load, 1, &time,
                                    solid->forces));
        RBL_TRY(rbl_elastic_evaluate(solid->id, solid->forces, &solid->fields, &swung));
        snprintf(metric, sizeof metric, "energy missed with %u modes", count);
        tell(bench, "plate under a push", solid->view.node_count, metric,
             100.0 * (1.0 - swung.energy / exact.energy));
        snprintf(metric, sizeof metric, "largest tension missed with %u modes", count);
        tell(bench, "plate under a push", solid->view.node_count, metric,
             100.0 * (1.0 - swung.largest / exact.largest));
    }
    return RBL_OK;
}

static rblResult measure_modes(rblBench* bench, Solid* solid)
{
    const uint32_t most = rbl_bench_size(bench, 64, 4);
    Modes modes = {NULL, NULL};
    RBL_TRY(fill_box(rbl_vec3d(0.4, 0.05, 0.4), 0.025, &solid->tets));
    RBL_TRY(begin(solid));
    RBL_TRY(make_elastic(solid));
    rblResult result = find_modes(solid, most, &modes);
    result = result == RBL_OK ? compare_modes(bench, solid, &modes, most) : result;
    modes_free(&modes);
    return result;
}

rblResult rbl_bench_tets_elastic(rblBench* bench)
{
    static rblResult (*const parts[])(rblBench*, Solid*) = {measure_patch, measure_bar,  measure_cantilever,
                                                            measure_ball,  measure_beam, measure_modes};
    rbl_bench_stage(bench, "elastic solids");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
    {
        Solid solid = {.forces = NULL};
        const rblResult result = parts[i](bench, &solid);
        solid_free(&solid);
        RBL_TRY(result);
    }
    return measure_order(bench);
}
