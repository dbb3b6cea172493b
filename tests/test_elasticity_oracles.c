// Solutions and frequencies against those of CHOLMOD and ARPACK, where they are installed and the build was told to ask them
// (-DRUBBLE_ORACLES=ON).
#include "testing.h"

#include "elastic_testing.h"
#include "math/vec.h"

#if defined(RBL_HAS_CHOLMOD)
#include <cholmod.h>
#endif

#if defined(RBL_HAS_CHOLMOD) || defined(RBL_HAS_ARPACK)

static bool at_wall(rblVec3d p)
{
    return p.x < 1e-9;
}

// A cantilever of irregular cells.
static Solid make_cantilever(const uint32_t cells[3], rblElastic** inside)
{
    Supports supports = {NULL, 0};
    rblElasticDef def = rbl_default_elastic_def();
    def.tets = make_grid(cells, rbl_vec3d(0.6, 0.15, 0.1), 0.2);
    add_supports(&supports, def.tets, at_wall, 7);
    def.supports = supports.data;
    def.support_count = supports.count;
    Solid solid = make_elastic(&def);
    check_ok(rbl_elastic_acquire(solid.id, inside));
    check_ok(rbl_tets_destroy(def.tets));
    free(supports.data);
    return solid;
}

// Nothing couples what is held.
static bool is_held(const rblElastic* elastic, size_t number)
{
    return (elastic->fixed.data[number / 3] >> number % 3 & 1u) != 0;
}

#endif

#if defined(RBL_HAS_CHOLMOD)

static cholmod_sparse* lower_triangle(const rblElastic* elastic, cholmod_common* common)
{
    const rblBlockMatrix* k = &elastic->stiffness;
    const size_t rows = 3 * (size_t)rbl_block_matrix_rows(k);
    cholmod_triplet* list =
        cholmod_allocate_triplet(rows, rows, 9 * k->columns.count, -1, CHOLMOD_REAL, common);
    assert_non_null(list);
    for (size_t row = 0; row < rows; ++row)
    {
        for (uint32_t i = k->starts.data[row / 3]; i < k->starts.data[row / 3 + 1]; ++i)
        {
            for (size_t axis = 0; axis < 3; ++axis)
            {
                const size_t column = 3 * (size_t)k->columns.data[i] + axis;
                const bool held = is_held(elastic, row) || is_held(elastic, column);
                if (column > row || (held && column != row))
                {
                    continue;
                }
                ((int*)list->i)[list->nnz] = (int)row;
                ((int*)list->j)[list->nnz] = (int)column;
                ((double*)list->x)[list->nnz++] = k->blocks.data[9 * (size_t)i + 3 * (row % 3) + axis];
            }
        }
    }
    cholmod_sparse* matrix = cholmod_triplet_to_sparse(list, 0, common);
    cholmod_free_triplet(&list, common);
    return matrix;
}

static void displacements_are_those_of_cholmod(void** state)
{
    (void)state;
    const uint32_t cells[3] = {24, 6, 4};
    rblElastic* elastic = NULL;
    Solid solid = make_cantilever(cells, &elastic);
    const size_t numbers = 3 * (size_t)solid.view.node_count;
    rblRandom random = rbl_random_seed(4, 4);
    cholmod_common common;
    cholmod_start(&common);
    cholmod_dense* forces = cholmod_zeros(numbers, 1, CHOLMOD_REAL, &common);
    for (size_t i = 0; i < numbers; ++i)
    {
        const double force = is_held(elastic, i) ? 0.0 : rbl_random_range(&random, -1.0, 1.0);
        (&solid.forces[0].x)[i] = force;
        ((double*)forces->x)[i] = force;
    }
    cholmod_sparse* matrix = lower_triangle(elastic, &common);
    cholmod_factor* factor = cholmod_analyze(matrix, &common);
    assert_true(cholmod_factorize(matrix, factor, &common));
    cholmod_dense* expected = cholmod_solve(CHOLMOD_A, factor, forces, &common);
    solve_forces(&solid);
    double off = 0.0, largest = 0.0;
    for (size_t i = 0; i < numbers; ++i)
    {
        off = fmax(fabs((&solid.fields.displacements[0].x)[i] - ((double*)expected->x)[i]), off);
        largest = fmax(fabs(((double*)expected->x)[i]), largest);
    }
    print_message("CHOLMOD: %zu numbers, off by %.1e of the largest displacement\n", numbers, off / largest);
    assert_true(off < 1e-7 * largest);
    cholmod_free_dense(&expected, &common);
    cholmod_free_dense(&forces, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_free_sparse(&matrix, &common);
    cholmod_finish(&common);
    rbl_elastic_release(elastic);
    free_elastic(&solid);
}

#else

static void displacements_are_those_of_cholmod(void** state)
{
    (void)state;
    print_message("left out: the build has no CHOLMOD (libsuitesparse-dev and -DRUBBLE_ORACLES=ON)\n");
    skip();
}

#endif

#if defined(RBL_HAS_ARPACK)

// Fortran, with the lengths of its texts at the end.
extern void dsaupd_(int* ido, const char* bmat, const int* n, const char* which, const int* nev,
                    const double* tol, double* resid, const int* ncv, double* v, const int* ldv, int* iparam,
                    int* ipntr, double* workd, double* workl, const int* lworkl, int* info, size_t bmat_size,
                    size_t which_size);
extern void dseupd_(const int* rvec, const char* howmny, int* select, double* d, double* z, const int* ldz,
                    const double* sigma, const char* bmat, const int* n, const char* which, const int* nev,
                    const double* tol, double* resid, const int* ncv, double* v, const int* ldv, int* iparam,
                    int* ipntr, double* workd, double* workl, const int* lworkl, int* info,
                    size_t howmny_size, size_t bmat_size, size_t which_size);

#define MODES   8
#define VECTORS 120

// y = M^-1/2 K M^-1/2 x. What is held is far above all frequencies.
static void apply(const rblElastic* elastic, const double* x, double* y, rblVec3d* in, rblVec3d* out)
{
    const size_t numbers = 3 * elastic->masses.count;
    for (size_t i = 0; i < numbers; ++i)
    {
        (&in[0].x)[i] = is_held(elastic, i) ? 0.0 : x[i] / sqrt(elastic->masses.data[i / 3]);
    }
    rbl_block_matrix_multiply(&elastic->stiffness, in, out, rbl_serial_jobs());
    for (size_t i = 0; i < numbers; ++i)
    {
        y[i] = is_held(elastic, i) ? 1e14 * x[i] : (&out[0].x)[i] / sqrt(elastic->masses.data[i / 3]);
    }
}

// The lowest eigenvalues, rising.
static void ask_arpack(const rblElastic* elastic, double values[MODES])
{
    const int n = (int)(3 * elastic->masses.count), modes = MODES, vectors = VECTORS;
    const int work_size = VECTORS * (VECTORS + 8), wants_vectors = 0;
    const double tolerance = 1e-12, sigma = 0.0;
    double* memory = calloc((size_t)n * (VECTORS + 4) + (size_t)work_size, sizeof *memory);
    double *residual = memory, *basis = residual + n, *work = basis + (size_t)n * VECTORS,
           *small = work + 3 * (size_t)n;
    rblVec3d* in = calloc(elastic->masses.count, sizeof *in);
    rblVec3d* out = calloc(elastic->masses.count, sizeof *out);
    int ido = 0, info = 0, pointers[11] = {0}, select[VECTORS] = {0};
    int parameters[11] = {1, 0, 3000, 1, 0, 0, 1};
    for (;;)
    {
        dsaupd_(&ido, "I", &n, "SM", &modes, &tolerance, residual, &vectors, basis, &n, parameters, pointers,
                work, small, &work_size, &info, 1, 2);
        if (ido != -1 && ido != 1)
        {
            break;
        }
        apply(elastic, work + pointers[0] - 1, work + pointers[1] - 1, in, out);
    }
    assert_int_equal(info, 0);
    dseupd_(&wants_vectors, "A", select, values, basis, &n, &sigma, "I", &n, "SM", &modes, &tolerance,
            residual, &vectors, basis, &n, parameters, pointers, work, small, &work_size, &info, 1, 1, 2);
    assert_int_equal(info, 0);
    for (int i = 1; i < MODES; ++i)
    {
        for (int k = i; k > 0 && values[k] < values[k - 1]; --k)
        {
            const double lower = values[k];
            values[k] = values[k - 1];
            values[k - 1] = lower;
        }
    }
    free(memory);
    free(in);
    free(out);
}

static void frequencies_are_those_of_arpack(void** state)
{
    (void)state;
    const uint32_t cells[3] = {10, 3, 2};
    rblElastic* elastic = NULL;
    Solid solid = make_cantilever(cells, &elastic);
    double frequencies[MODES], values[MODES], off = 0.0;
    rblVec3d* shapes = calloc((size_t)MODES * solid.view.node_count, sizeof *shapes);
    check_ok(rbl_elastic_modes(solid.id, MODES, frequencies, shapes));
    ask_arpack(elastic, values);
    for (int i = 0; i < MODES; ++i)
    {
        off = fmax(fabs(frequencies[i] / sqrt(values[i]) - 1.0), off);
    }
    print_message("ARPACK: %d frequencies, off by %.1e at most\n", MODES, off);
    assert_true(off < 1e-7);
    free(shapes);
    rbl_elastic_release(elastic);
    free_elastic(&solid);
}

#else

static void frequencies_are_those_of_arpack(void** state)
{
    (void)state;
    print_message("left out: the build has no ARPACK (libarpack2-dev and -DRUBBLE_ORACLES=ON)\n");
    skip();
}

#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(displacements_are_those_of_cholmod),
        cmocka_unit_test(frequencies_are_those_of_arpack),
    };
    return cmocka_run_group_tests_name("elasticity_oracles", tests, NULL, NULL);
}
