// How elastic solids ring, and what impacts do to them.
#include "testing.h"

#include "elastic_testing.h"
#include "failing_allocator.h"
#include "fem/dense_eigen.h"
#include "fem/modes.h"

#define PI      3.14159265358979323846
#define YOUNG   70e9
#define POISSON 0.22
#define DENSITY 2500.0

typedef struct Modes
{
    uint32_t count;
    double* frequencies;
    rblVec3d* shapes;
} Modes;

static Modes find_modes(const Solid* solid, uint32_t count)
{
    Modes modes = {count, malloc(sizeof(double) * count),
                   malloc(sizeof(rblVec3d) * count * (size_t)solid->view.node_count)};
    check_ok(rbl_elastic_modes(solid->id, count, modes.frequencies, modes.shapes));
    return modes;
}

static void free_modes(Modes* modes)
{
    free(modes->frequencies);
    free(modes->shapes);
}

// ---- frequencies ----

// A free beam of length L bends at (b L)^2 / L^2 sqrt(E I / (rho A)), b L = 4.73004 and 7.85320 (Euler and Bernoulli; what shear and the
// turning of cross sections take off grows with the square of b times the thickness). Along, it rings at pi sqrt(E / rho) / L.
static void a_free_beam_rings_as_it_should(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    const double length = 2.0, thickness = 0.1;
    def.tets = fill_box(rbl_vec3d(length, thickness, thickness), thickness / 6.0, 0);
    Solid solid = make_elastic(&def);
    Modes modes = find_modes(&solid, 12);
    const double slender = sqrt(YOUNG * thickness * thickness / 12.0 / DENSITY) / (length * length);
    const double bending[2] = {4.730040745 * 4.730040745 * slender, 7.853204624 * 7.853204624 * slender};
    const double along = PI * sqrt(YOUNG / DENSITY) / length;
    print_message("free beam, %u nodes: bending %.4f %.4f, %.4f %.4f of Euler's; ", solid.view.node_count,
                  modes.frequencies[0] / bending[0], modes.frequencies[1] / bending[0],
                  modes.frequencies[2] / bending[1], modes.frequencies[3] / bending[1]);
    for (int k = 0; k < 2; ++k)
    {
        check_relative(modes.frequencies[k], bending[0], 0.02);
        check_relative(modes.frequencies[2 + k], bending[1], 0.02);
    }
    double closest = INFINITY;
    for (uint32_t k = 0; k < modes.count; ++k)
    {
        closest = fabs(modes.frequencies[k] / along - 1.0) < fabs(closest - 1.0)
                      ? modes.frequencies[k] / along
                      : closest;
    }
    print_message("along %.4f of the closed form\n", closest);
    check_close(closest, 1.0, 0.02);
    free_modes(&modes);
    free_elastic(&solid);
    check_ok(rbl_tets_destroy(def.tets));
}

// K phi = w^2 M phi, unit masses, no rigid motion, rising.
static void check_modes(const Solid* solid, const Modes* modes)
{
    rblElastic* elastic;
    check_ok(rbl_elastic_acquire(solid->id, &elastic));
    const uint32_t nodes = solid->view.node_count;
    rblVec3d* product = malloc(sizeof *product * nodes);
    for (uint32_t k = 0; k < modes->count; ++k)
    {
        const rblVec3d* shape = modes->shapes + (size_t)k * nodes;
        const double square = modes->frequencies[k] * modes->frequencies[k];
        assert_true(k == 0 || modes->frequencies[k] >= modes->frequencies[k - 1]);
        rbl_block_matrix_multiply(&elastic->stiffness, shape, product, rbl_serial_jobs());
        rbl_elastic_mask(elastic, product);
        double left = 0.0, all = 0.0;
        for (uint32_t i = 0; i < nodes; ++i)
        {
            const rblVec3d inertia = rbl_scale3d(shape[i], square * solid->view.masses[i]);
            const rblVec3d off = rbl_sub3d(product[i], inertia);
            left += rbl_dot3d(off, off);
            all += rbl_dot3d(inertia, inertia);
        }
        check_close(sqrt(left / all), 0.0, 1e-4);
        for (uint32_t j = 0; j <= k; ++j)
        {
            double sum = 0.0;
            for (uint32_t i = 0; i < nodes; ++i)
            {
                sum += solid->view.masses[i] * rbl_dot3d(shape[i], modes->shapes[(size_t)j * nodes + i]);
            }
            check_close(sum, j == k ? 1.0 : 0.0, 1e-8);
        }
    }
    free(product);
    rbl_elastic_release(elastic);
}

// A cube has modes in threes: none of them may be missed.
static void modes_of_a_cube_come_in_threes(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = fill_box(rbl_vec3d(0.2, 0.2, 0.2), 0.05, 0);
    Solid solid = make_elastic(&def);
    Modes modes = find_modes(&solid, 20);
    check_modes(&solid, &modes);
    uint32_t equal = 0;
    for (uint32_t k = 1; k < 20; ++k)
    {
        equal += modes.frequencies[k] - modes.frequencies[k - 1] < 1e-6 * modes.frequencies[k];
    }
    assert_true(equal >= 10);
    free_modes(&modes);
    free_elastic(&solid);
    check_ok(rbl_tets_destroy(def.tets));
}

// All modes of a small solid, held in part and of two parts: as many as there are, against the dense eigenproblem.
static void all_modes_of_a_small_solid_are_found(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = make_grid((uint32_t[3]){2, 1, 1}, rbl_vec3d(2.0, 1.0, 1.0), 0.0);
    const rblElasticSupport support = {.node = 0, .axes = 7};
    def.supports = &support;
    def.support_count = 1;
    Solid solid = make_elastic(&def);
    const uint32_t n = 3 * solid.view.node_count, count = n - 3 - 3;
    Modes modes = find_modes(&solid, count);
    check_modes(&solid, &modes);
    rblElastic* elastic;
    check_ok(rbl_elastic_acquire(solid.id, &elastic));
    double *matrix = calloc((size_t)n * n, sizeof(double)), *vectors = malloc(sizeof(double) * n * n);
    double values[36], scratch[72];
    for (uint32_t row = 0; row < n / 3; ++row)
    {
        for (uint32_t b = elastic->stiffness.starts.data[row]; b < elastic->stiffness.starts.data[row + 1];
             ++b)
        {
            const uint32_t column = elastic->stiffness.columns.data[b];
            for (uint32_t k = 0; row > 0 && column > 0 && k < 9; ++k)
            {
                matrix[(size_t)(3 * column + k % 3) * n + 3 * row + k / 3] =
                    elastic->stiffness.blocks.data[9 * (size_t)b + k] /
                    sqrt(solid.view.masses[row] * solid.view.masses[column]);
            }
        }
    }
    assert_true(rbl_dense_eigen(matrix, n, values, vectors, scratch));
    for (uint32_t k = 0; k < count; ++k)
    {
        check_relative(modes.frequencies[k], sqrt(values[6 + k]), 1e-8);
    }
    double one;
    check_fails(RBL_ERROR_ARGUMENT, rbl_elastic_modes(solid.id, count + 1, &one, modes.shapes));
    check_fails(RBL_ERROR_ARGUMENT, rbl_elastic_modes(solid.id, 0, &one, modes.shapes));
    free(matrix);
    free(vectors);
    rbl_elastic_release(elastic);
    free_modes(&modes);
    free_elastic(&solid);
    def.solver = RBL_ELASTIC_ITERATIVE;
    solid = make_elastic(&def);
    check_fails(RBL_ERROR_ARGUMENT, rbl_elastic_modes(solid.id, 1, &one, solid.forces));
    free_elastic(&solid);
    check_ok(rbl_tets_destroy(def.tets));
}

static void any_number_of_workers_finds_the_same_modes(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = fill_box(rbl_vec3d(0.3, 0.2, 0.1), 0.02, 0);
    Modes first = {0, NULL, NULL};
    for (uint32_t workers = 1; workers <= 3; ++workers)
    {
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_set_tasks(&tasks));
        Solid solid = make_elastic(&def);
        Modes modes = find_modes(&solid, 8);
        if (workers == 1)
        {
            first = modes;
        }
        else
        {
            assert_memory_equal(modes.frequencies, first.frequencies, sizeof(double) * 8);
            assert_memory_equal(modes.shapes, first.shapes, sizeof(rblVec3d) * 8 * solid.view.node_count);
            free_modes(&modes);
        }
        free_elastic(&solid);
    }
    check_ok(rbl_set_tasks(NULL));
    free_modes(&first);
    check_ok(rbl_tets_destroy(def.tets));
}

// ---- impacts ----

// Against small steps of the equation itself, slower and faster than the pulse and in tune with it.
static void a_pulse_moves_a_spring_as_the_equation_says(void** state)
{
    (void)state;
    const double durations[] = {0.02, 0.3, PI / 7.0, PI / 7.0 * (1.0 + 1e-7), 2.0, 20.0}, w = 7.0;
    for (int k = 0; k < 6; ++k)
    {
        const uint32_t steps = 40000;
        const double duration = durations[k], end = 2.0 * duration, h = end / steps;
        double q = 0.0, v = 0.0;
        for (uint32_t i = 0; i < steps; ++i)
        {
            const double t = i * h, middle = t + 0.5 * h;
            if (i % 4000 == 0)
            {
                check_close(rbl_pulse_response(w, duration, t), q, 1e-4);
            }
            const double push = middle < duration ? sin(PI * middle / duration) : 0.0;
            const double half = q + 0.5 * h * v, force = w * w * (push - half);
            v += h * force;
            q = half + 0.5 * h * v;
        }
    }
    assert_true(rbl_pulse_response(w, 0.0, 0.1) == 1.0);
    assert_true(rbl_pulse_response(w, 1.0, 0.0) == 0.0);
}

// What rests on the solid, by modes and by solving.
static void modes_approach_the_static_solution(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = fill_box(rbl_vec3d(0.4, 0.05, 0.4), 0.025, 0);
    Solid solid = make_elastic(&def), swung = make_elastic(&def);
    Modes modes = find_modes(&solid, 64);
    const rblElasticLoad load = {{0.0, 0.025, 0.0}, {0.0, -1000.0, 0.0}, 0.04, 0.0};
    check_ok(rbl_elastic_solve(solid.id, &load, 1, &solid.fields, &solid.report));
    double before = 1.0;
    for (uint32_t count = 4; count <= 64; count *= 2)
    {
        double time = 0.0;
        check_ok(rbl_elastic_respond(solid.id, modes.frequencies, modes.shapes, count, &load, 1, &time,
                                     swung.fields.displacements));
        check_ok(rbl_elastic_evaluate(solid.id, swung.fields.displacements, &swung.fields, &swung.report));
        const double missed = 1.0 - swung.report.energy / solid.report.energy;
        print_message("plate, %u modes: %.4f of the energy and %.4f of the largest tension missed\n", count,
                      missed, 1.0 - swung.report.largest / solid.report.largest);
        assert_true(missed >= -1e-9 && missed <= before);
        before = missed;
    }
    assert_true(before < 0.25);
    free_modes(&modes);
    free_elastic(&swung);
    free_elastic(&solid);
    check_ok(rbl_tets_destroy(def.tets));
}

// A slow impact is static at its height; a quick one of the same impulse leaves the energy that it brings to the modes.
static void slow_impacts_are_static_and_quick_ones_are_kicks(void** state)
{
    (void)state;
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = fill_box(rbl_vec3d(0.4, 0.05, 0.1), 0.025, 0);
    Solid solid = make_elastic(&def), swung = make_elastic(&def);
    Modes modes = find_modes(&solid, 10);
    rblElasticLoad load = {{0.0, 0.025, 0.0}, {0.0, -1000.0, 0.0}, 0.02, 0.0};
    double time = 0.0;
    check_ok(rbl_elastic_respond(solid.id, modes.frequencies, modes.shapes, 10, &load, 1, &time,
                                 solid.fields.displacements));
    check_ok(rbl_elastic_evaluate(solid.id, solid.fields.displacements, &solid.fields, &solid.report));
    load.duration = 400.0 / modes.frequencies[0];
    time = RBL_ELASTIC_PEAK;
    check_ok(rbl_elastic_respond(solid.id, modes.frequencies, modes.shapes, 10, &load, 1, &time,
                                 swung.fields.displacements));
    check_ok(rbl_elastic_evaluate(solid.id, swung.fields.displacements, &swung.fields, &swung.report));
    check_relative(time, 0.5 * load.duration, 0.02);
    check_relative(swung.report.energy, solid.report.energy, 0.03);
    load.duration = 0.01 / modes.frequencies[9];
    time = load.duration;
    check_ok(rbl_elastic_respond(solid.id, modes.frequencies, modes.shapes, 10, &load, 1, &time,
                                 swung.fields.displacements));
    check_ok(rbl_elastic_evaluate(solid.id, swung.fields.displacements, &swung.fields, &swung.report));
    assert_true(swung.report.energy < 1e-3 * solid.report.energy); // it moves, but is not bent yet
    time = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_elastic_respond(solid.id, modes.frequencies, modes.shapes, 10, &load,
                                                        1, &time, swung.fields.displacements));
    free_modes(&modes);
    free_elastic(&swung);
    free_elastic(&solid);
    check_ok(rbl_tets_destroy(def.tets));
}

static void running_out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = make_grid((uint32_t[3]){2, 2, 2}, rbl_vec3d(1.0, 1.0, 1.0), 0.0);
    Solid solid = make_elastic(&def);
    Modes modes = find_modes(&solid, 3);
    const size_t before = memory.live;
    const rblElasticLoad load = {{0.5, 1.0, 0.5}, {0.0, -1.0, 0.0}, 0.1, 0.0};
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        assert_int_equal(result, RBL_ERROR_MEMORY);
        memory.left = granted;
        double time = 0.0;
        result = rbl_elastic_modes(solid.id, 3, modes.frequencies, modes.shapes);
        if (result == RBL_OK)
        {
            result = rbl_elastic_respond(solid.id, modes.frequencies, modes.shapes, 3, &load, 1, &time,
                                         solid.fields.displacements);
        }
        assert_int_equal(memory.live, before);
    }
    free_modes(&modes);
    free_elastic(&solid);
    check_ok(rbl_tets_destroy(def.tets));
    check_ok(rbl_set_allocator(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_free_beam_rings_as_it_should),
        cmocka_unit_test(modes_of_a_cube_come_in_threes),
        cmocka_unit_test(all_modes_of_a_small_solid_are_found),
        cmocka_unit_test(any_number_of_workers_finds_the_same_modes),
        cmocka_unit_test(a_pulse_moves_a_spring_as_the_equation_says),
        cmocka_unit_test(modes_approach_the_static_solution),
        cmocka_unit_test(slow_impacts_are_static_and_quick_ones_are_kicks),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
