// Elastic solids against closed forms.
#include "testing.h"

#include "elastic_testing.h"

#define YOUNG   70e9
#define POISSON 0.22

static bool everywhere(rblVec3d p)
{
    (void)p;
    return true;
}

// ---- constant stress ----

static const rblStress constant = {3e6, -1e6, 2e6, 0.5e6, -0.7e6, 1.2e6};

static rblVec3d constant_traction(rblVec3d p, rblVec3d n)
{
    (void)p;
    return rbl_vec3d(constant.xx * n.x + constant.xy * n.y + constant.zx * n.z,
                     constant.xy * n.x + constant.yy * n.y + constant.yz * n.z,
                     constant.zx * n.x + constant.yz * n.y + constant.zz * n.z);
}

static void check_constant(const Solid* solid, double tolerance)
{
    for (uint32_t t = 0; t < solid->view.tet_count; ++t)
    {
        check_close(stress_difference(&solid->fields.tet_stresses[t], &constant), 0.0, tolerance);
    }
    for (uint32_t i = 0; i < solid->view.node_count; ++i)
    {
        check_close(stress_difference(&solid->fields.node_stresses[i], &constant), 0.0, tolerance);
    }
}

// sigma : e / 2 with e = ((1 + nu) sigma - nu tr(sigma)) / E.
static double constant_energy_density(void)
{
    const rblStress* s = &constant;
    const double trace = s->xx + s->yy + s->zz;
    const double square =
        s->xx * s->xx + s->yy * s->yy + s->zz * s->zz + 2.0 * (s->xy * s->xy + s->yz * s->yz + s->zx * s->zx);
    return 0.5 * ((1.0 + POISSON) * square - POISSON * trace * trace) / YOUNG;
}

static void a_floating_patch_under_constant_tractions_has_constant_stress(void** state)
{
    (void)state;
    for (int solver = 0; solver < 2; ++solver)
    {
        rblElasticDef def = rbl_default_elastic_def();
        def.tets = make_grid((uint32_t[3]){4, 5, 3}, rbl_vec3d(0.4, 0.7, 0.2), 0.25);
        def.solver = solver == 0 ? RBL_ELASTIC_DIRECT : RBL_ELASTIC_ITERATIVE;
        Solid solid = make_elastic(&def);
        assert_int_equal(solid.view.free_mode_count, 6);
        add_traction(&solid.view, everywhere, constant_traction, solid.forces);
        solve_forces(&solid);
        check_constant(&solid, solver == 0 ? 3e6 * 1e-9 : 3e6 * 1e-7);
        check_relative(solid.report.energy, 0.4 * 0.7 * 0.2 * constant_energy_density(), 1e-8);
        rblVec3d values;
        rblMat3d axes;
        rbl_stress_principal(&constant, &values, &axes);
        check_relative(solid.report.largest, values.x, 1e-6);
        free_elastic(&solid);
        check_ok(rbl_tets_destroy(def.tets));
    }
}

// A linear displacement given at the border goes on inside.
static void a_patch_with_moved_borders_follows_them(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = make_grid((uint32_t[3]){4, 4, 5}, rbl_vec3d(1.0, 1.0, 1.0), 0.25);
    rblTetsView view;
    check_ok(rbl_tets_view(def.tets, &view));
    const rblMat3d gradient = {{1e-3, 2e-4, -1e-4}, {3e-4, -5e-4, 2e-4}, {0.0, 7e-4, 4e-4}};
    rblElasticSupport* supports = malloc(sizeof *supports * view.node_count);
    for (uint32_t i = 0; i < view.node_count; ++i)
    {
        const rblVec3d p = view.positions[i];
        const bool border = p.x * (1.0 - p.x) * p.y * (1.0 - p.y) * p.z * (1.0 - p.z) == 0.0;
        if (border)
        {
            supports[def.support_count++] =
                (rblElasticSupport){i,
                                    7,
                                    {gradient.cx.x * p.x + gradient.cy.x * p.y + gradient.cz.x * p.z,
                                     gradient.cx.y * p.x + gradient.cy.y * p.y + gradient.cz.y * p.z,
                                     gradient.cx.z * p.x + gradient.cy.z * p.y + gradient.cz.z * p.z}};
        }
    }
    def.supports = supports;
    assert_true(def.support_count < view.node_count);
    Solid solid = make_elastic(&def);
    assert_int_equal(solid.view.free_mode_count, 0);
    solve_forces(&solid);
    for (uint32_t i = 0; i < view.node_count; ++i)
    {
        const rblVec3d p = view.positions[i], u = solid.fields.displacements[i];
        check_close(u.x, gradient.cx.x * p.x + gradient.cy.x * p.y + gradient.cz.x * p.z, 1e-12);
        check_close(u.y, gradient.cx.y * p.x + gradient.cy.y * p.y + gradient.cz.y * p.z, 1e-12);
        check_close(u.z, gradient.cx.z * p.x + gradient.cy.z * p.y + gradient.cz.z * p.z, 1e-12);
    }
    const double mu = YOUNG / (2.0 * (1.0 + POISSON));
    check_relative(solid.fields.node_stresses[view.node_count / 2].xy, mu * (gradient.cx.y + gradient.cy.x),
                   1e-9);
    free_elastic(&solid);
    free(supports);
    check_ok(rbl_tets_destroy(def.tets));
}

// ---- rods and beams ----

#define LENGTH    1.2
#define THICKNESS 0.2
#define SHEAR     1e5 // Pa, at the end of the beam

static bool at_left(rblVec3d p)
{
    return p.x < -0.5 * LENGTH + 1e-9;
}

static bool at_right(rblVec3d p)
{
    return p.x > 0.5 * LENGTH - 1e-9;
}

static bool at_left_corner(rblVec3d p)
{
    return at_left(p) && p.y < -0.5 * THICKNESS + 1e-9 && p.z < -0.5 * THICKNESS + 1e-9;
}

static bool at_left_edge(rblVec3d p)
{
    return at_left(p) && p.z < -0.5 * THICKNESS + 1e-9;
}

static rblVec3d pulling(rblVec3d p, rblVec3d n)
{
    (void)p;
    return rbl_scale3d(n, 1e6);
}

static void a_bar_in_tension_stretches_as_it_should(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = fill_box(rbl_vec3d(LENGTH, THICKNESS, THICKNESS), 0.1, 0);
    Supports supports = {NULL, 0};
    add_supports(&supports, def.tets, at_left, 1);
    add_supports(&supports, def.tets, at_left_edge, 4);
    add_supports(&supports, def.tets, at_left_corner, 7);
    def.supports = supports.data;
    def.support_count = supports.count;
    Solid solid = make_elastic(&def);
    assert_int_equal(solid.view.free_mode_count, 0);
    add_traction(&solid.view, at_right, pulling, solid.forces);
    solve_forces(&solid);
    for (uint32_t i = 0; i < solid.view.node_count; ++i)
    {
        const rblVec3d p = solid.view.positions[i], u = solid.fields.displacements[i];
        check_close(u.x, 1e6 / YOUNG * (p.x + 0.5 * LENGTH), 1e-11);
        check_close(u.y, -POISSON * 1e6 / YOUNG * (p.y + 0.5 * THICKNESS), 1e-11);
        check_relative(solid.fields.node_stresses[i].xx, 1e6, 1e-6);
    }
    free_elastic(&solid);
    free(supports.data);
    check_ok(rbl_tets_destroy(def.tets));
}

static rblVec3d shearing(rblVec3d p, rblVec3d n)
{
    (void)n;
    const double y = 2.0 * p.y / THICKNESS;
    return rbl_vec3d(0.0, -1.5 * SHEAR * (1.0 - y * y), 0.0);
}

typedef struct Bending
{
    double sag, stress; // relative to the closed forms
    uint32_t nodes;
} Bending;

// Timoshenko: F L^3 / (3 E I) + F L / (k G A), k = 10 (1 + nu) / (12 + 11 nu); stress M y / I half way along.
static Bending bend(double edge)
{
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = fill_box(rbl_vec3d(LENGTH, THICKNESS, THICKNESS), edge, 0);
    Supports supports = {NULL, 0};
    add_supports(&supports, def.tets, at_left, 7);
    def.supports = supports.data;
    def.support_count = supports.count;
    Solid solid = make_elastic(&def);
    add_traction(&solid.view, at_right, shearing, solid.forces);
    solve_forces(&solid);
    const double area = THICKNESS * THICKNESS, inertia = area * area / 12.0, force = SHEAR * area;
    const double shear = 10.0 * (1.0 + POISSON) / (12.0 + 11.0 * POISSON) * YOUNG / (2.0 * (1.0 + POISSON));
    const double sag =
        force * LENGTH * LENGTH * LENGTH / (3.0 * YOUNG * inertia) + force * LENGTH / (shear * area);
    const double stress = force * 0.5 * LENGTH * 0.5 * THICKNESS / inertia;
    Bending out = {0.0, 0.0, solid.view.node_count};
    double tip = 0.0;
    uint32_t tips = 0;
    for (uint32_t i = 0; i < solid.view.node_count; ++i)
    {
        const rblVec3d p = solid.view.positions[i];
        if (at_right(p))
        {
            tip -= solid.fields.displacements[i].y;
            tips += 1;
        }
        if (fabs(p.x) < 1e-9 && fabs(p.z) < 1e-9 && p.y > 0.5 * THICKNESS - 1e-9)
        {
            out.stress = solid.fields.node_stresses[i].xx / stress;
        }
    }
    out.sag = tip / tips / sag;
    free_elastic(&solid);
    free(supports.data);
    check_ok(rbl_tets_destroy(def.tets));
    return out;
}

static void a_cantilever_bends_as_timoshenko_says(void** state)
{
    (void)state;
    Bending last = {0.0, 0.0, 0};
    for (int k = 0; k < 3; ++k)
    {
        last = bend(0.1 / (1 << k));
        print_message("cantilever, %u nodes: displacement %.4f, stress %.4f of the closed forms\n",
                      last.nodes, last.sag, last.stress);
    }
    check_close(last.sag, 1.0, 0.02);
    check_close(last.stress, 1.0, 0.02);
}

static rblVec3d pushing(rblVec3d p, rblVec3d n)
{
    (void)p;
    return rbl_scale3d(n, -1e6);
}

// A free rod pushed at one end is accelerated: the force in it falls evenly to nothing at the other end.
static void a_free_rod_pushed_at_one_end_has_linear_stress(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = fill_box(rbl_vec3d(LENGTH, THICKNESS, THICKNESS), 0.05, 0);
    Solid solid = make_elastic(&def);
    add_traction(&solid.view, at_left, pushing, solid.forces);
    solve_forces(&solid);
    double worst = 0.0;
    for (uint32_t i = 0; i < solid.view.node_count; ++i)
    {
        const double expected = -1e6 * (0.5 - solid.view.positions[i].x / LENGTH);
        worst = fmax(worst, fabs(solid.fields.node_stresses[i].xx - expected));
    }
    print_message("free rod: stress off by %.4f of the largest at most\n", worst / 1e6);
    check_close(worst, 0.0, 0.02e6);
    // Neither shifted nor turned.
    rblVec3d shift = {0.0, 0.0, 0.0}, turn = {0.0, 0.0, 0.0};
    for (uint32_t i = 0; i < solid.view.node_count; ++i)
    {
        const rblVec3d u = rbl_scale3d(solid.fields.displacements[i], solid.view.masses[i]);
        shift = rbl_add3d(shift, u);
        turn = rbl_add3d(turn, rbl_cross3d(solid.view.positions[i], u));
    }
    check_close(rbl_length3d(shift), 0.0, 1e-15);
    check_close(rbl_length3d(turn), 0.0, 1e-15);
    free_elastic(&solid);
    check_ok(rbl_tets_destroy(def.tets));
}

// ---- balls ----

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

static rblTetsId fill_hollow_ball(double edge)
{
    rblIsosurfaceDef iso = rbl_default_isosurface_def();
    iso.bounds = (rblAabbd){{-1.1, -1.1, -1.1}, {1.1, 1.1, 1.1}};
    iso.cells[0] = iso.cells[1] = iso.cells[2] = 64;
    iso.field = hollow_ball;
    rblMeshId mesh;
    rblTetsId tets;
    check_ok(rbl_mesh_isosurface(&iso, &mesh));
    rblTetsDef def = rbl_default_tets_def();
    def.edge = edge;
    def.levels = 0;
    check_ok(rbl_tets_fill(mesh, &def, NULL, &tets));
    check_ok(rbl_mesh_destroy(mesh));
    return tets;
}

// Lame: a hollow ball of radii a and b under pressure p inside has the hoop stress p a^3 / (b^3 - a^3) (1 + b^3 / (2 r^3)) and moves out
// by p a^3 r / (E (b^3 - a^3)) (1 - 2 nu + (1 + nu) b^3 / (2 r^3)).
static void a_hollow_ball_under_pressure_is_as_lame_says(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = fill_hollow_ball(0.08);
    def.solver = RBL_ELASTIC_ITERATIVE;
    Solid solid = make_elastic(&def);
    add_traction(&solid.view, at_inner, pushing, solid.forces);
    solve_forces(&solid);
    double moved[2] = {0.0, 0.0}, hoop[2] = {0.0, 0.0}, count[2] = {0.0, 0.0};
    bool* surface = calloc(solid.view.node_count, sizeof *surface);
    for (uint32_t i = 0; i < 3 * solid.view.surface_face_count; ++i)
    {
        surface[solid.view.surface[i]] = true;
    }
    for (uint32_t i = 0; i < solid.view.node_count; ++i)
    {
        const rblVec3d p = solid.view.positions[i];
        if (surface[i])
        {
            const int side = at_inner(p) ? 0 : 1;
            const rblStress* s = &solid.fields.node_stresses[i];
            const rblVec3d n = rbl_scale3d(p, 1.0 / rbl_length3d(p));
            const double radial = s->xx * n.x * n.x + s->yy * n.y * n.y + s->zz * n.z * n.z +
                                  2.0 * (s->xy * n.x * n.y + s->yz * n.y * n.z + s->zx * n.z * n.x);
            moved[side] += rbl_dot3d(solid.fields.displacements[i], n);
            hoop[side] += 0.5 * (s->xx + s->yy + s->zz - radial);
            count[side] += 1.0;
        }
    }
    for (int side = 0; side < 2; ++side)
    {
        const double r = side == 0 ? 0.5 : 1.0, scale = 1e6 * 0.125 / (1.0 - 0.125), cube = 0.5 / (r * r * r);
        const double radial = scale * r / YOUNG * (1.0 - 2.0 * POISSON + (1.0 + POISSON) * cube);
        print_message("hollow ball, %u nodes, %s: displacement %.4f, hoop stress %.4f of the closed forms\n",
                      solid.view.node_count, side == 0 ? "inside" : "outside",
                      moved[side] / count[side] / radial, hoop[side] / count[side] / (scale * (1.0 + cube)));
        check_relative(moved[side] / count[side], radial, 0.02);
        check_close(hoop[side] / count[side], scale * (1.0 + cube), 0.02 * 5.0 * scale); // of that inside
    }
    free(surface);
    free_elastic(&solid);
    check_ok(rbl_tets_destroy(def.tets));
}

// ---- order ----

// Pure bending: stress E y / R along x and none else.
static rblVec3d bent(rblVec3d p)
{
    return rbl_vec3d(p.x * p.y, -0.5 * (p.x * p.x + POISSON * (p.y * p.y - p.z * p.z)), -POISSON * p.y * p.z);
}

typedef struct Errors
{
    double displacement, tet_stress, node_stress; // root of the mean square
} Errors;

static Errors bend_grid(uint32_t cells)
{
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = make_grid((uint32_t[3]){cells, cells, cells}, rbl_vec3d(1.0, 1.0, 1.0), 0.15);
    rblTetsView view;
    check_ok(rbl_tets_view(def.tets, &view));
    rblElasticSupport* supports = malloc(sizeof *supports * view.node_count);
    for (uint32_t i = 0; i < view.node_count; ++i)
    {
        const rblVec3d p = view.positions[i];
        if (p.x * (1.0 - p.x) * p.y * (1.0 - p.y) * p.z * (1.0 - p.z) == 0.0)
        {
            supports[def.support_count++] = (rblElasticSupport){i, 7, bent(p)};
        }
    }
    def.supports = supports;
    Solid solid = make_elastic(&def);
    solve_forces(&solid);
    Errors errors = {0.0, 0.0, 0.0};
    for (uint32_t t = 0; t < view.tet_count; ++t)
    {
        rblVec3d p = {0.0, 0.0, 0.0}, u = p;
        for (int k = 0; k < 4; ++k)
        {
            const uint32_t node = solid.view.nodes[4 * (size_t)t + k];
            p = rbl_mul_add3d(p, 0.25, solid.view.positions[node]);
            u = rbl_mul_add3d(u, 0.25, solid.fields.displacements[node]);
        }
        const rblVec3d off = rbl_sub3d(u, bent(p));
        const rblStress exact = {YOUNG * p.y, 0.0, 0.0, 0.0, 0.0, 0.0};
        const double stress = stress_difference(&solid.fields.tet_stresses[t], &exact) / YOUNG;
        errors.displacement += solid.view.volumes[t] * rbl_dot3d(off, off);
        errors.tet_stress += solid.view.volumes[t] * stress * stress;
    }
    for (uint32_t i = 0; i < view.node_count; ++i)
    {
        const rblStress exact = {YOUNG * view.positions[i].y, 0.0, 0.0, 0.0, 0.0, 0.0};
        const double stress = stress_difference(&solid.fields.node_stresses[i], &exact) / YOUNG;
        errors.node_stress += stress * stress / view.node_count;
    }
    free_elastic(&solid);
    free(supports);
    check_ok(rbl_tets_destroy(def.tets));
    return (Errors){sqrt(errors.displacement), sqrt(errors.tet_stress), sqrt(errors.node_stress)};
}

static void displacements_converge_with_the_square_of_the_edge(void** state)
{
    (void)state;
    const Errors coarse = bend_grid(4), middle = bend_grid(8), fine = bend_grid(16);
    print_message(
        "bending, 4, 8 and 16 cells: displacement off by %.2e %.2e %.2e, stress of tetrahedra %.2e %.2e "
        "%.2e, of nodes %.2e %.2e %.2e\n",
        coarse.displacement, middle.displacement, fine.displacement, coarse.tet_stress, middle.tet_stress,
        fine.tet_stress, coarse.node_stress, middle.node_stress, fine.node_stress);
    assert_true(coarse.displacement > 3.5 * middle.displacement);
    assert_true(middle.displacement > 3.7 * fine.displacement);
    assert_true(coarse.tet_stress > 1.8 * middle.tet_stress && middle.tet_stress > 1.8 * fine.tet_stress);
    assert_true(middle.node_stress < 0.5 * middle.tet_stress && middle.node_stress > 2.0 * fine.node_stress);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_floating_patch_under_constant_tractions_has_constant_stress),
        cmocka_unit_test(a_patch_with_moved_borders_follows_them),
        cmocka_unit_test(a_bar_in_tension_stretches_as_it_should),
        cmocka_unit_test(a_cantilever_bends_as_timoshenko_says),
        cmocka_unit_test(a_free_rod_pushed_at_one_end_has_linear_stress),
        cmocka_unit_test(a_hollow_ball_under_pressure_is_as_lame_says),
        cmocka_unit_test(displacements_converge_with_the_square_of_the_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
