// Cells of space: one complex, whatever the seeds, and the same from any number of workers.
#include "cells_checks.h"
#include "failing_allocator.h"
#include <string.h>

static const rblAabbd unit_box = {{-1, -1, -1}, {1, 1, 1}};

static rblCells* voronoi_of(const rblVec3d* seeds, uint32_t count, rblAabbd box, rblJobs* jobs)
{
    rblVec3d* gradients = malloc(sizeof *gradients * count);
    double* offsets = malloc(sizeof *offsets * count);
    for (uint32_t i = 0; i < count; ++i)
    {
        gradients[i] = rbl_scale3d(seeds[i], -2.0);
        offsets[i] = rbl_dot3d(seeds[i], seeds[i]);
    }
    rblCells* cells = NULL;
    check_ok(rbl_cells_create(gradients, offsets, count, box, 1, jobs, rbl_default_allocator(), &cells));
    free(gradients);
    free(offsets);
    return cells;
}

static void check_seeds(const rblVec3d* seeds, uint32_t count)
{
    rblCells* cells = voronoi_of(seeds, count, unit_box, rbl_serial_jobs());
    check_cells(cells, count, 1e-9);
    rbl_cells_free(cells);
}

static uint32_t empty_count(const rblCells* cells)
{
    uint32_t empty = 0;
    for (uint32_t i = 0; i < cells->count; ++i)
    {
        empty += cells->cell_starts[i] == cells->cell_starts[i + 1] ? 1 : 0;
    }
    return empty;
}

static void one_cell_is_the_box(void** state)
{
    (void)state;
    const rblVec3d seed = {0.3, 0.2, 0.1};
    rblCells* cells = voronoi_of(&seed, 1, unit_box, rbl_serial_jobs());
    assert_int_equal(cells->vertex_count, 8);
    assert_int_equal(cells->edge_count, 12);
    assert_int_equal(cells->facet_count, 6);
    check_cells(cells, 1, 1e-12);
    rbl_cells_free(cells);
}

static void two_cells_share_a_square(void** state)
{
    (void)state;
    const rblVec3d seeds[2] = {{-0.5, 0, 0}, {0.5, 0, 0}};
    rblCells* cells = voronoi_of(seeds, 2, unit_box, rbl_serial_jobs());
    assert_int_equal(cells->vertex_count, 12);
    assert_int_equal(cells->facet_count, 11);
    check_close(cell_volume(cells, 0), 4.0, 1e-6);
    check_close(cell_volume(cells, 1), 4.0, 1e-6);
    check_cells(cells, 2, 1e-12);
    rbl_cells_free(cells);
}

static void random_seeds_make_one_complex(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 0);
    for (uint32_t round = 0; round < 60; ++round)
    {
        rblVec3d seeds[200];
        const uint32_t count = 1 + rbl_random_below(&random, 200);
        for (uint32_t i = 0; i < count; ++i)
        {
            seeds[i] = random_in(&random, unit_box);
        }
        check_seeds(seeds, count);
    }
}

// Any weights and gradients, not of Voronoi cells: many cells are empty.
static void random_functions_make_one_complex(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(6, 0);
    for (uint32_t round = 0; round < 60; ++round)
    {
        rblVec3d gradients[100];
        double offsets[100];
        const uint32_t count = 1 + rbl_random_below(&random, 100);
        for (uint32_t i = 0; i < count; ++i)
        {
            gradients[i] = random_in(&random, unit_box);
            offsets[i] = rbl_random_range(&random, -0.3, 0.3);
        }
        rblCells* cells = NULL;
        check_ok(rbl_cells_create(gradients, offsets, count, unit_box, round, rbl_serial_jobs(),
                                  rbl_default_allocator(), &cells));
        check_cells(cells, round, 1e-9);
        rbl_cells_free(cells);
    }
}

// Every facet is where two cells that are least meet: both are least, to rounding, in its middle.
static void facets_are_those_of_brute_force(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 0);
    for (uint32_t round = 0; round < 20; ++round)
    {
        rblVec3d seeds[30];
        for (uint32_t i = 0; i < 30; ++i)
        {
            seeds[i] = random_in(&random, unit_box);
        }
        rblCells* cells = voronoi_of(seeds, 30, unit_box, rbl_serial_jobs());
        for (uint32_t f = 0; f < cells->facet_count; ++f)
        {
            const rblCellFacet* facet = &cells->facets[f];
            rblVec3d middle = {0, 0, 0};
            const uint32_t sides = facet->end_edge - facet->first_edge;
            for (uint32_t k = 0; k < sides; ++k)
            {
                const rblVec3d at = cells->vertices[facet_vertex(cells, facet, k)].position;
                middle = rbl_mul_add3d(middle, 1.0 / sides, at);
            }
            const double least = rbl_cell_value(cells, brute_force_cell(cells, middle), middle);
            check_close(rbl_cell_value(cells, facet->cells[0], middle), least, 1e-9);
            if (facet->cells[1] < cells->count)
            {
                check_close(rbl_cell_value(cells, facet->cells[1], middle), least, 1e-9);
            }
        }
        rbl_cells_free(cells);
    }
}

static void crowded_seeds_make_one_complex(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(8, 0);
    rblVec3d seeds[400];
    for (double crowd = 0.05; crowd > 1e-6; crowd *= 0.1)
    {
        for (uint32_t i = 0; i < 400; ++i)
        {
            const rblVec3d at = random_in(&random, unit_box);
            seeds[i] = i % 2 == 0 ? at : rbl_add3d(rbl_vec3d(0.3, -0.2, 0.1), rbl_scale3d(at, crowd));
        }
        rblCells* cells = voronoi_of(seeds, 400, unit_box, rbl_serial_jobs());
        check_cells(cells, 8, 1e-9);
        assert_int_equal(empty_count(cells), 0);
        rbl_cells_free(cells);
    }
}

// All cubes of a grid meet eight at a point: the shake parts them.
static void grids_are_shaken_apart(void** state)
{
    (void)state;
    for (uint32_t n = 2; n <= 8; ++n)
    {
        rblVec3d* seeds = malloc(sizeof *seeds * n * n * n);
        for (uint32_t i = 0; i < n * n * n; ++i)
        {
            const double step = 2.0 / n;
            seeds[i] = rbl_vec3d(-1 + step * (i % n + 0.5), -1 + step * (i / n % n + 0.5),
                                 -1 + step * (i / n / n + 0.5));
        }
        rblCells* cells = voronoi_of(seeds, n * n * n, unit_box, rbl_serial_jobs());
        check_cells(cells, n, 1e-9);
        for (uint32_t i = 0; i < cells->count; ++i)
        {
            check_relative(cell_volume(cells, i), 8.0 / (n * n * n), 1e-6);
        }
        rbl_cells_free(cells);
        free(seeds);
    }
}

static void seeds_on_a_plane_line_sphere_or_circle_will_do(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(9, 0);
    rblVec3d seeds[150];
    for (int kind = 0; kind < 8; ++kind)
    {
        for (uint32_t i = 0; i < 150; ++i)
        {
            const rblVec3d at = random_in(&random, unit_box);
            const double length = rbl_length3d(at);
            const double flat = sqrt(at.x * at.x + at.z * at.z);
            const rblVec3d choices[8] = {{at.x, 0, at.z},
                                         {0, at.y, 0},
                                         {at.x, at.x, at.x},
                                         {at.x, at.y, at.x + at.y},
                                         {0.7 * at.x / length, 0.7 * at.y / length, 0.7 * at.z / length},
                                         {0.7 * at.x / flat, 0, 0.7 * at.z / flat},
                                         {0.1 * (i % 10), 0.1 * (i / 10), 0},
                                         {at.x, 1e-9 * at.y, at.z}};
            seeds[i] = choices[kind];
        }
        check_seeds(seeds, 150);
    }
}

static void of_equal_seeds_one_remains(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(10, 0);
    rblVec3d seeds[120];
    for (uint32_t i = 0; i < 120; ++i)
    {
        seeds[i] = i < 40 ? random_in(&random, unit_box) : seeds[i % 40];
    }
    rblCells* cells = voronoi_of(seeds, 120, unit_box, rbl_serial_jobs());
    check_cells(cells, 10, 1e-9);
    assert_int_equal(empty_count(cells), 80);
    for (uint32_t i = 40; i < 120; ++i)
    {
        assert_int_equal(cells->cell_starts[i], cells->cell_starts[i + 1]); // the first of equals
    }
    rbl_cells_free(cells);
}

static void boxes_of_any_place_and_shape_will_do(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(11, 0);
    const rblAabbd boxes[] = {{{5, 6, 7}, {6, 6.01, 9}},
                              {{-1e-3, -2e-3, -1e-3}, {1e-3, 1e-3, 3e-3}},
                              {{-1000, -1, -1000}, {1000, 1, 1000}}};
    for (size_t b = 0; b < sizeof boxes / sizeof *boxes; ++b)
    {
        rblVec3d seeds[80];
        for (uint32_t i = 0; i < 80; ++i)
        {
            seeds[i] = random_in(&random, boxes[b]);
        }
        rblCells* cells = voronoi_of(seeds, 80, boxes[b], rbl_serial_jobs());
        check_facets(cells);
        check_volumes(cells, 1e-9);
        rbl_cells_free(cells);
    }
}

static bool same(const rblCells* a, const rblCells* b)
{
    return a->vertex_count == b->vertex_count && a->edge_count == b->edge_count &&
           a->facet_count == b->facet_count &&
           memcmp(a->vertices, b->vertices, sizeof *a->vertices * a->vertex_count) == 0 &&
           memcmp(a->edges, b->edges, sizeof *a->edges * a->edge_count) == 0 &&
           memcmp(a->facets, b->facets, sizeof *a->facets * a->facet_count) == 0 &&
           memcmp(a->facet_edges, b->facet_edges, sizeof *a->facet_edges * a->facet_edge_count) == 0;
}

static void workers_make_no_difference(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(12, 0);
    rblVec3d seeds[500];
    for (uint32_t i = 0; i < 500; ++i)
    {
        seeds[i] = random_in(&random, unit_box);
    }
    rblCells* serial = voronoi_of(seeds, 500, unit_box, rbl_serial_jobs());
    for (uint32_t workers = 2; workers <= 8; workers *= 2)
    {
        rblJobs* jobs;
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
        rblCells* parallel = voronoi_of(seeds, 500, unit_box, jobs);
        assert_true(same(serial, parallel));
        rbl_cells_free(parallel);
        rbl_jobs_destroy(jobs);
    }
    rbl_cells_free(serial);
}

// The exact test agrees with positions wherever these are clear, and says the same from each cell's point of view.
static void sides_agree_from_every_cell(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(13, 0);
    rblVec3d seeds[60];
    for (uint32_t i = 0; i < 60; ++i)
    {
        seeds[i] = random_in(&random, unit_box);
    }
    rblCells* cells = voronoi_of(seeds, 60, unit_box, rbl_serial_jobs());
    for (uint32_t v = 0; v < cells->vertex_count; ++v)
    {
        const uint32_t* names = cells->vertices[v].cells;
        for (uint32_t turn = 0; turn < 4 && names[turn] < cells->count; ++turn)
        {
            const uint32_t abc[3] = {names[(turn + 1) % 4], names[(turn + 2) % 4], names[(turn + 3) % 4]};
            const rblVec3d a = rbl_cell_row(cells, names[turn], abc[0]).gradient;
            const rblVec3d b = rbl_cell_row(cells, names[turn], abc[1]).gradient;
            const rblVec3d c = rbl_cell_row(cells, names[turn], abc[2]).gradient;
            const int orientation = rbl_dot3d(a, rbl_cross3d(b, c)) > 0 ? 1 : -1;
            for (uint32_t m = 0; m < cells->count; ++m)
            {
                if (!names_hold(names, 4, &m, 1))
                {
                    assert_int_equal(rbl_cells_side(cells, names[turn], abc, orientation, m), 1);
                }
            }
        }
    }
    rbl_cells_free(cells);
}

static void bad_input_is_refused(void** state)
{
    (void)state;
    const double nan = (double)NAN;
    const rblVec3d gradients[2] = {{1, 0, 0}, {0, nan, 0}};
    const double offsets[2] = {0, 0};
    rblCells* cells = NULL;
    const rblAllocator* allocator = rbl_default_allocator();
    rblJobs* jobs = rbl_serial_jobs();
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_cells_create(gradients, offsets, 0, unit_box, 1, jobs, allocator, &cells));
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_cells_create(gradients, offsets, 2, unit_box, 1, jobs, allocator, &cells));
    const rblAabbd flat = {{0, 0, 0}, {1, 0, 1}};
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_cells_create(gradients, offsets, 1, flat, 1, jobs, allocator, &cells));
    const rblAabbd endless = {{-(double)INFINITY, 0, 0}, {1, 1, 1}};
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_cells_create(gradients, offsets, 1, endless, 1, jobs, allocator, &cells));
    assert_null(cells);
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(14, 0);
    rblVec3d gradients[40];
    double offsets[40];
    for (uint32_t i = 0; i < 40; ++i)
    {
        const rblVec3d seed = random_in(&random, unit_box);
        gradients[i] = rbl_scale3d(seed, -2);
        offsets[i] = rbl_dot3d(seed, seed);
    }
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result == RBL_ERROR_MEMORY; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblCells* cells = NULL;
        result = rbl_cells_create(gradients, offsets, 40, unit_box, 1, rbl_serial_jobs(), &memory.allocator,
                                  &cells);
        assert_true((result == RBL_OK) == (cells != NULL));
        rbl_cells_free(cells);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(result, RBL_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_cell_is_the_box),
        cmocka_unit_test(two_cells_share_a_square),
        cmocka_unit_test(random_seeds_make_one_complex),
        cmocka_unit_test(random_functions_make_one_complex),
        cmocka_unit_test(facets_are_those_of_brute_force),
        cmocka_unit_test(crowded_seeds_make_one_complex),
        cmocka_unit_test(grids_are_shaken_apart),
        cmocka_unit_test(seeds_on_a_plane_line_sphere_or_circle_will_do),
        cmocka_unit_test(of_equal_seeds_one_remains),
        cmocka_unit_test(boxes_of_any_place_and_shape_will_do),
        cmocka_unit_test(workers_make_no_difference),
        cmocka_unit_test(sides_agree_from_every_cell),
        cmocka_unit_test(bad_input_is_refused),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
