// Mass properties: closed forms, a second way to the exact values, laws. Refusals: test_mass_refusals.c.
#include "testing.h"

#include "base/random.h"
#include "mass_solids.h"
#include "rotations.h"

// Everything a solid is made of, by the definition: integrals of 1, x and x x^T.
typedef struct Integrals
{
    long double volume;
    long double first[3];
    long double second[3][3];
} Integrals;

// ---- the second way: long double, about a point outside the solid, from the moments of general tetrahedra ----

// V (v_i + ...) / 4 and V / 20 (sum v_i v_i^T + (sum v_i)(sum v_i)^T), for any four corners.
static void add_tetrahedron(Integrals* sum, long double v[4][3])
{
    long double e[3][3];
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            e[i][k] = v[i + 1][k] - v[0][k];
        }
    }
    const long double volume = (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
                                e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                                e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
                               6;
    sum->volume += volume;
    for (int i = 0; i < 3; ++i)
    {
        const long double si = v[0][i] + v[1][i] + v[2][i] + v[3][i];
        sum->first[i] += volume * si / 4;
        for (int j = 0; j < 3; ++j)
        {
            const long double sj = v[0][j] + v[1][j] + v[2][j] + v[3][j];
            long double products = si * sj;
            for (int k = 0; k < 4; ++k)
            {
                products += v[k][i] * v[k][j];
            }
            sum->second[i][j] += volume / 20 * products;
        }
    }
}

static void corner_of(const rblMeshView* view, uint32_t corner, rblVec3d origin, long double out[3])
{
    const rblVec3d p = view->positions[view->corner_vertices[corner]];
    out[0] = (long double)p.x - (long double)origin.x;
    out[1] = (long double)p.y - (long double)origin.y;
    out[2] = (long double)p.z - (long double)origin.z;
}

// Integrals about `origin`, planar faces as fans, tetrahedra from a point about 3 * apex away.
static Integrals integrate_slowly(const rblMeshView* view, rblVec3d origin, double apex)
{
    Integrals sum = {0};
    for (uint32_t f = 0; f < view->face_count; ++f)
    {
        for (uint32_t c = view->face_starts[f] + 1; c + 1 < view->face_starts[f + 1]; ++c)
        {
            long double v[4][3] = {
                {1.7L * (long double)apex, -0.9L * (long double)apex, 2.3L * (long double)apex}};
            corner_of(view, view->face_starts[f], origin, v[1]);
            corner_of(view, c, origin, v[2]);
            corner_of(view, c + 1, origin, v[3]);
            add_tetrahedron(&sum, v);
        }
    }
    return sum;
}

static double entry(const rblMat3d* m, int row, int column)
{
    const rblVec3d c = column == 0 ? m->cx : (column == 1 ? m->cy : m->cz);
    return row == 0 ? c.x : (row == 1 ? c.y : c.z);
}

static double axis_of(rblVec3d v, int i)
{
    return i == 0 ? v.x : (i == 1 ? v.y : v.z);
}

// All entries of the inertia relative to the largest one.
static void check_matrix(const rblMat3d* actual, const rblMat3d* expected, double tolerance)
{
    double largest = 0;
    for (int i = 0; i < 3; ++i)
    {
        largest = fmax(largest, entry(expected, i, i));
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            check_close(entry(actual, i, j), entry(expected, i, j), tolerance * largest);
        }
    }
}

// `actual` against integrals taken about `origin`, for a solid about `size` large.
static void check_properties(const rblMassProperties* actual, const Integrals* exact, double density,
                             rblVec3d origin, double size, double tolerance)
{
    check_relative(actual->volume, exact->volume, tolerance);
    check_relative(actual->mass, exact->volume * (long double)density, tolerance);
    long double center[3];
    for (int i = 0; i < 3; ++i)
    {
        center[i] = exact->first[i] / exact->volume;
        const double far_off = fabs(axis_of(origin, i)) * 4e-16;
        check_close(axis_of(actual->center, i) - axis_of(origin, i), center[i], tolerance * size + far_off);
    }
    long double m[3][3], inertia[3][3];
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            m[i][j] = (long double)density * (exact->second[i][j] - exact->volume * center[i] * center[j]);
        }
    }
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            inertia[j][i] = (i == j ? m[0][0] + m[1][1] + m[2][2] : 0) - m[i][j];
        }
    }
    const rblMat3d expected = {{(double)inertia[0][0], (double)inertia[0][1], (double)inertia[0][2]},
                               {(double)inertia[1][0], (double)inertia[1][1], (double)inertia[1][2]},
                               {(double)inertia[2][0], (double)inertia[2][1], (double)inertia[2][2]}};
    check_matrix(&actual->inertia, &expected, tolerance);
}

static double dot(rblVec3d a, rblVec3d b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

// I a_k = moment_k a_k, moments rise, axes orthonormal and right-handed.
static void check_principal(const rblMassProperties* p)
{
    assert_true(p->moments.x <= p->moments.y && p->moments.y <= p->moments.z);
    const rblVec3d axes[3] = {p->principal_axes.cx, p->principal_axes.cy, p->principal_axes.cz};
    for (int k = 0; k < 3; ++k)
    {
        const rblVec3d turned = rotate(&p->inertia, axes[k]);
        for (int i = 0; i < 3; ++i)
        {
            check_close(axis_of(turned, i), axis_of(p->moments, k) * axis_of(axes[k], i),
                        1e-12 * p->moments.z);
            check_close(dot(axes[k], axes[i]), k == i ? 1 : 0, 1e-13);
        }
    }
    const rblVec3d cross = {axes[0].y * axes[1].z - axes[0].z * axes[1].y,
                            axes[0].z * axes[1].x - axes[0].x * axes[1].z,
                            axes[0].x * axes[1].y - axes[0].y * axes[1].x};
    check_close(dot(cross, axes[2]), 1, 1e-13);
}

// ---- closed forms ----

// A box of half sizes a, b, c: V = 8abc, I_xx = m (b^2 + c^2) / 3; docs/mass.md does a = 1, b = 2, c = 3 by hand.
static void a_box_of_2_4_6_matches_the_hand_computed_example(void** state)
{
    (void)state;
    Shape box = make_box(1, 2, 3);
    const rblMassProperties p = measure_shape(&box, 0.5);
    check_relative(p.volume, 48, 1e-15);
    check_relative(p.mass, 24, 1e-15);
    check_relative(p.inertia.cx.x, 104, 1e-15);
    check_relative(p.inertia.cy.y, 80, 1e-15);
    check_relative(p.inertia.cz.z, 40, 1e-15);
    check_relative(p.moments.x, 40, 1e-15);
    check_relative(p.moments.y, 80, 1e-15);
    check_relative(p.moments.z, 104, 1e-15);
    shape_free(&box);
}

// R diag(d) R^T
static rblMat3d rotated_diagonal(const rblMat3d* r, const double d[3])
{
    double m[3][3] = {{0}};
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            for (int k = 0; k < 3; ++k)
            {
                m[i][j] += entry(r, i, k) * d[k] * entry(r, j, k);
            }
        }
    }
    return (rblMat3d){{m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]}, {m[0][2], m[1][2], m[2][2]}};
}

// `far` is the offset as a multiple of the size. Coordinates themselves are rounded to far * 1e-16 of the size: up to
// a million that leaves 1e-9 of the ideal box.
static void check_random_box(rblRandom* random, double far)
{
    const double scale = exp(rbl_random_range(random, log(1e-3), log(1e3)));
    const double density = rbl_random_range(random, 0.1, 8000);
    double half[3];
    for (int i = 0; i < 3; ++i)
    {
        half[i] = scale * rbl_random_range(random, 0.1, 1);
    }
    const rblMat3d rotation = random_rotation(random);
    const rblVec3d offset = {far * scale * rbl_random_range(random, -1, 1),
                             far * scale * rbl_random_range(random, -1, 1),
                             far * scale * rbl_random_range(random, -1, 1)};
    Shape box = make_box(half[0], half[1], half[2]);
    move_shape(&box, &rotation, offset);
    const rblMassProperties p = measure_shape(&box, density);
    const double mass = density * 8 * half[0] * half[1] * half[2];
    double moments[3];
    for (int i = 0; i < 3; ++i)
    {
        const double u = half[(i + 1) % 3], v = half[(i + 2) % 3];
        moments[i] = mass * (u * u + v * v) / 3;
    }
    const rblMat3d inertia = rotated_diagonal(&rotation, moments);
    check_relative(p.mass, mass, 1e-9);
    for (int i = 0; i < 3; ++i)
    {
        check_close(axis_of(p.center, i), axis_of(offset, i), 1e-9 * scale);
    }
    check_matrix(&p.inertia, &inertia, 1e-9);
    check_principal(&p);
    shape_free(&box);
}

static void boxes_match_closed_forms_wherever_they_are(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 1);
    for (int i = 0; i < 300; ++i)
    {
        check_random_box(&random, 0);
        check_random_box(&random, 10);
        check_random_box(&random, 1e3);
        check_random_box(&random, 1e6);
    }
}

// ---- the exact values another way ----

static void check_against_slow_way(Shape* shape, rblRandom* random, double far, double apex, double tolerance)
{
    const rblMat3d rotation = random_rotation(random);
    const rblVec3d offset = {far * rbl_random_range(random, -1, 1), far * rbl_random_range(random, -1, 1),
                             far * rbl_random_range(random, -1, 1)};
    move_shape(shape, &rotation, offset);
    const rblMeshView view = shape_view(shape);
    const Integrals exact = integrate_slowly(&view, offset, apex);
    const rblMassProperties p = measure_shape(shape, 2.5);
    check_properties(&p, &exact, 2.5, offset, 1, tolerance);
    check_principal(&p);
}

static void polyhedral_spheres_and_tori_match_long_double_sums(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 1);
    for (uint32_t n = 3; n < 60; n += 8)
    {
        Shape sphere = make_sphere(0.8, n, 2 * n);
        check_against_slow_way(&sphere, &random, 1.0 * n, 1, 1e-12);
        shape_free(&sphere);
        Shape torus = make_torus(1, 0.3, 2 * n, n);
        check_against_slow_way(&torus, &random, 1.0 * n, 1, 1e-12);
        shape_free(&torus);
    }
}

// The mesh as it is stored, rounded coordinates and all: its own integrals keep their digits however far it is.
static void far_off_meshes_keep_their_digits(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    for (double far = 1e3; far < 1e7; far *= 10)
    {
        Shape torus = make_torus(1, 0.3, 40, 20); // all faces are triangles: rounding leaves them flat
        check_against_slow_way(&torus, &random, far, 1, 1e-12);
        shape_free(&torus);
    }
}

static void large_meshes_keep_their_digits(void** state)
{
    (void)state;
#ifdef NDEBUG
    const uint32_t n = 1024; // a million triangles
#else
    const uint32_t n = 100;
#endif
    rblRandom random = rbl_random_seed(4, 1);
    Shape torus = make_torus(1, 0.4, n, n / 2);
    check_against_slow_way(&torus, &random, 100, 1, 1e-12);
    shape_free(&torus);
}

// A thin spoke with a heavy end: the middle of the bounds is far from the centre of mass.
static void lopsided_solids_keep_their_digits(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 1);
    Shape spoke = make_sphere(1e-3, 12, 24);
    for (uint32_t i = 0; i < spoke.vertex_count; ++i)
    {
        if (spoke.positions[i].z == 1e-3)
        {
            spoke.positions[i].z = 1; // the pole of the sphere, pulled out
        }
    }
    check_against_slow_way(&spoke, &random, 0, 1e-3, 1e-12);
    shape_free(&spoke);
}

// ---- laws ----

static rblMat3d steiner(const rblMat3d* inertia, double mass, rblVec3d r)
{
    const double rr = dot(r, r);
    return (rblMat3d){{inertia->cx.x + mass * (rr - r.x * r.x), inertia->cx.y - mass * r.x * r.y,
                       inertia->cx.z - mass * r.x * r.z},
                      {inertia->cy.x - mass * r.y * r.x, inertia->cy.y + mass * (rr - r.y * r.y),
                       inertia->cy.z - mass * r.y * r.z},
                      {inertia->cz.x - mass * r.z * r.x, inertia->cz.y - mass * r.z * r.y,
                       inertia->cz.z + mass * (rr - r.z * r.z)}};
}

static rblVec3d difference(rblVec3d a, rblVec3d b)
{
    return (rblVec3d){a.x - b.x, a.y - b.y, a.z - b.z};
}

// sign = -1: `b` is a hole in `a`.
static void check_sum(const rblMassProperties* whole, const rblMassProperties* a, const rblMassProperties* b,
                      double sign)
{
    const double mass = a->mass + sign * b->mass;
    const rblVec3d center = {(a->mass * a->center.x + sign * b->mass * b->center.x) / mass,
                             (a->mass * a->center.y + sign * b->mass * b->center.y) / mass,
                             (a->mass * a->center.z + sign * b->mass * b->center.z) / mass};
    const rblMat3d ia = steiner(&a->inertia, a->mass, difference(a->center, center));
    const rblMat3d ib = steiner(&b->inertia, b->mass, difference(b->center, center));
    rblMat3d sum;
    const double* from_a = &ia.cx.x;
    const double* from_b = &ib.cx.x;
    double* to = &sum.cx.x;
    for (int i = 0; i < 9; ++i)
    {
        to[i] = from_a[i] + sign * from_b[i];
    }
    check_relative(whole->mass, mass, 1e-12);
    for (int i = 0; i < 3; ++i)
    {
        check_close(axis_of(whole->center, i), axis_of(center, i), 1e-12);
    }
    check_matrix(&whole->inertia, &sum, 1e-12);
}

static void solids_side_by_side_add_up_by_the_parallel_axis_theorem(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(6, 1);
    for (int i = 0; i < 20; ++i)
    {
        Shape shapes[2] = {make_box(0.5, 0.2, 0.9), make_torus(0.7, 0.2, 24, 12)};
        rblMeshId meshes[2], both;
        for (int k = 0; k < 2; ++k)
        {
            const rblMat3d rotation = random_rotation(&random);
            move_shape(&shapes[k], &rotation, (rblVec3d){rbl_random_range(&random, -2, 2), 5.0 * k, 0.1});
            meshes[k] = shape_mesh(&shapes[k]);
        }
        check_ok(rbl_mesh_join(meshes, 2, &both));
        const rblMassProperties whole = measure(both, 3);
        const rblMassProperties a = measure(meshes[0], 3);
        const rblMassProperties b = measure(meshes[1], 3);
        check_sum(&whole, &a, &b, 1);
        check_ok(rbl_mesh_destroy(both));
        for (int k = 0; k < 2; ++k)
        {
            check_ok(rbl_mesh_destroy(meshes[k]));
            shape_free(&shapes[k]);
        }
    }
}

static void a_cavity_subtracts(void** state)
{
    (void)state;
    Shape outer = make_box(1, 1.2, 0.9);
    Shape inner = make_sphere(0.5, 9, 18);
    const rblMat3d identity = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    move_shape(&inner, &identity, (rblVec3d){0.2, -0.3, 0.1});
    const rblMassProperties solid = measure_shape(&outer, 2);
    const rblMassProperties hole = measure_shape(&inner, 2);
    turn_over(&inner);
    const rblMeshId meshes[2] = {shape_mesh(&outer), shape_mesh(&inner)};
    rblMeshId hollow;
    check_ok(rbl_mesh_join(meshes, 2, &hollow));
    const rblMassProperties whole = measure(hollow, 2);
    check_sum(&whole, &solid, &hole, -1);
    check_ok(rbl_mesh_destroy(hollow));
    check_ok(rbl_mesh_destroy(meshes[0]));
    check_ok(rbl_mesh_destroy(meshes[1]));
    shape_free(&outer);
    shape_free(&inner);
}

static void polygons_weigh_what_their_triangles_weigh(void** state)
{
    (void)state;
    Shape star = make_star_prism(7);
    const rblMeshId polygons = shape_mesh(&star);
    rblMeshId triangles;
    check_ok(rbl_mesh_triangulate(polygons, &triangles));
    const rblMassProperties a = measure(polygons, 1);
    const rblMassProperties b = measure(triangles, 1);
    assert_memory_equal(&a, &b, sizeof a);
    check_relative(a.volume, 7 * 0.3 * sin(PI / 7), 1e-14);
    check_ok(rbl_mesh_destroy(polygons));
    check_ok(rbl_mesh_destroy(triangles));
    shape_free(&star);
}

static void results_do_not_depend_on_the_number_of_threads(void** state)
{
    (void)state;
    Shape torus = make_torus(1, 0.3, 160, 100);
    const rblMeshId mesh = shape_mesh(&torus);
    const rblMassProperties one = measure(mesh, 7);
    for (uint32_t workers = 2; workers <= 8; workers *= 2)
    {
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_set_tasks(&tasks));
        const rblMassProperties many = measure(mesh, 7);
        assert_memory_equal(&one, &many, sizeof one);
    }
    check_ok(rbl_set_tasks(NULL));
    check_ok(rbl_mesh_destroy(mesh));
    shape_free(&torus);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_of_2_4_6_matches_the_hand_computed_example),
        cmocka_unit_test(boxes_match_closed_forms_wherever_they_are),
        cmocka_unit_test(polyhedral_spheres_and_tori_match_long_double_sums),
        cmocka_unit_test(far_off_meshes_keep_their_digits),
        cmocka_unit_test(large_meshes_keep_their_digits),
        cmocka_unit_test(lopsided_solids_keep_their_digits),
        cmocka_unit_test(solids_side_by_side_add_up_by_the_parallel_axis_theorem),
        cmocka_unit_test(a_cavity_subtracts),
        cmocka_unit_test(polygons_weigh_what_their_triangles_weigh),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
