// Block Lanczos iteration (Golub and Underwood 1977) on (K + s M)^-1 M, whose largest eigenvalues 1 / (w^2 + s)
// belong to the lowest modes. All vectors are orthogonal to the earlier ones and to rigid motion, with respect to the
// mass matrix. Blocks find modes of equal frequency, which symmetric solids have, as easily as others.
#include "fem/modes.h"

#include "base/error.h"
#include "base/random.h"
#include "fem/dense_eigen.h"
#include <string.h>

#define BLOCK      4    // vectors per block of the iteration: they share each pass over the factors
#define TOLERANCE  1e-6 // relative residual of a mode after one more step
#define CHECK      3    // blocks between tests of convergence
#define NODE_RANGE 256  // nodes per job, at least: enough work to pay for the start of a job

typedef struct Lanczos
{
    const rblElastic* elastic;
    rblJobs* jobs;
    uint32_t nodes, wanted;
    uint32_t most;  // capacity of the basis, in vectors
    uint32_t count; // vectors of the basis, block after block
    uint32_t last;  // size of its last block
    // Most + BLOCK vectors; those after `count` are the current block.
    rblVec3d* basis;
    rblVec3d* heavy;                           // scratch: a vector times the masses
    double* products;                          // most + BLOCK
    double* matrix;                            // V^T M Op V, most columns
    double* rest;                              // BLOCK x BLOCK: coupling of the last block to the next one
    double *work, *values, *vectors, *scratch; // of the small eigenproblem
    rblRigidSum* sums;                         // per part, scratch
    double* solving;
    uint32_t found; // size of the last small problem that was solved
} Lanczos;

static rblVec3d* vector_at(const Lanczos* lanczos, uint32_t i)
{
    return lanczos->basis + (size_t)i * lanczos->nodes;
}

// ---- orthogonality ----

typedef struct Projection
{
    const Lanczos* lanczos;
    uint32_t count;
    rblVec3d* x;
} Projection;

static void weigh(const Lanczos* lanczos, const rblVec3d* x)
{
    for (uint32_t i = 0; i < lanczos->nodes; ++i)
    {
        lanczos->heavy[i] = rbl_scale3d(x[i], lanczos->elastic->masses.data[i]);
    }
}

static double product(const Lanczos* lanczos, const rblVec3d* a, const rblVec3d* b)
{
    double x = 0.0, y = 0.0, z = 0.0;
    for (uint32_t i = 0; i < lanczos->nodes; ++i)
    {
        x += a[i].x * b[i].x;
        y += a[i].y * b[i].y;
        z += a[i].z * b[i].z;
    }
    return x + y + z;
}

static void multiply_vectors(rblRange range, void* context)
{
    const Projection* projection = context;
    const Lanczos* lanczos = projection->lanczos;
    for (uint32_t k = range.begin; k < range.end; ++k)
    {
        lanczos->products[k] = product(lanczos, vector_at(lanczos, k), lanczos->heavy);
    }
}

static void subtract_vectors(rblRange range, void* context)
{
    const Projection* projection = context;
    const Lanczos* lanczos = projection->lanczos;
    for (uint32_t k = 0; k < projection->count; ++k)
    {
        const rblVec3d* v = vector_at(lanczos, k);
        const double share = lanczos->products[k];
        for (uint32_t i = range.begin; i < range.end; ++i)
        {
            projection->x[i] = rbl_mul_add3d(projection->x[i], -share, v[i]);
        }
    }
}

// x -= V V^T M x for the first `count` vectors, twice; the removed coefficients are added to `out` (may be null).
static void orthogonalise(const Lanczos* lanczos, uint32_t count, rblVec3d* x, double* out)
{
    Projection projection = {lanczos, count, x};
    for (int pass = 0; pass < 2; ++pass)
    {
        weigh(lanczos, x);
        rbl_parallel_for(lanczos->jobs, count, 8, multiply_vectors, &projection);
        rbl_parallel_for(lanczos->jobs, lanczos->nodes, NODE_RANGE, subtract_vectors, &projection);
        for (uint32_t k = 0; out != NULL && k < count; ++k)
        {
            out[k] += lanczos->products[k];
        }
    }
}

static double length(const Lanczos* lanczos, const rblVec3d* x)
{
    weigh(lanczos, x);
    return sqrt(product(lanczos, x, lanczos->heavy));
}

// Make the `count` vectors after the basis orthogonal to it and to each other, and drop those that are linearly
// dependent. `taken` has a column of most + BLOCK numbers for each: its coefficients along the basis and the kept
// vectors. Returns the number of kept vectors.
static uint32_t absorb(Lanczos* lanczos, uint32_t count, double* taken)
{
    uint32_t kept = 0;
    for (uint32_t j = 0; j < count; ++j)
    {
        const uint32_t stride = lanczos->most + BLOCK;
        double* column = taken + (size_t)j * stride;
        rblVec3d* x = vector_at(lanczos, lanczos->count + j);
        memset(column, 0, sizeof *column * stride);
        const double before = length(lanczos, x);
        orthogonalise(lanczos, lanczos->count + kept, x, column);
        rbl_elastic_still(lanczos->elastic, x, lanczos->sums);
        const double after = length(lanczos, x);
        if (!(after > 1e-10 * before))
        {
            continue;
        }
        column[lanczos->count + kept] = after;
        rblVec3d* to = vector_at(lanczos, lanczos->count + kept);
        for (uint32_t i = 0; i < lanczos->nodes; ++i)
        {
            to[i] = rbl_scale3d(x[i], 1.0 / after);
        }
        kept += 1;
    }
    return kept;
}

// ---- iteration ----

static void begin(Lanczos* lanczos, double* taken)
{
    rblRandom random = rbl_random_seed(1, 1);
    for (uint32_t j = 0; j < BLOCK; ++j)
    {
        rblVec3d* x = vector_at(lanczos, j);
        for (uint32_t i = 0; i < lanczos->nodes; ++i)
        {
            x[i].x = rbl_random_range(&random, -1.0, 1.0);
            x[i].y = rbl_random_range(&random, -1.0, 1.0);
            x[i].z = rbl_random_range(&random, -1.0, 1.0);
        }
        rbl_elastic_mask(lanczos->elastic, x);
        rbl_elastic_still(lanczos->elastic, x, lanczos->sums);
    }
    lanczos->last = absorb(lanczos, BLOCK, taken);
    lanczos->count = lanczos->last;
}

// Apply the operator to the last block; the results are stored after the basis.
static void apply(const Lanczos* lanczos)
{
    rblVec3d* block[BLOCK];
    const rblElastic* elastic = lanczos->elastic;
    for (uint32_t j = 0; j < lanczos->last; ++j)
    {
        const rblVec3d* from = vector_at(lanczos, lanczos->count - lanczos->last + j);
        block[j] = vector_at(lanczos, lanczos->count + j);
        for (uint32_t i = 0; i < lanczos->nodes; ++i)
        {
            block[j][i] = rbl_scale3d(from[i], elastic->masses.data[i]);
        }
    }
    rbl_cholesky_solve(&elastic->factor, block, lanczos->last, lanczos->solving);
    for (uint32_t j = 0; j < lanczos->last; ++j)
    {
        rbl_elastic_mask(elastic, block[j]);
        rbl_elastic_still(elastic, block[j], lanczos->sums);
    }
}

// Add one more block. False when there is none: the basis spans the whole space that the operator reaches.
static bool extend(Lanczos* lanczos, double* taken)
{
    const uint32_t last = lanczos->last, first = lanczos->count - last;
    const uint32_t stride = lanczos->most + BLOCK;
    apply(lanczos);
    const uint32_t kept = absorb(lanczos, last, taken);
    for (uint32_t j = 0; j < last; ++j)
    {
        const double* column = taken + (size_t)j * stride;
        for (uint32_t i = 0; i < lanczos->count; ++i)
        {
            lanczos->matrix[(size_t)(first + j) * lanczos->most + i] = column[i];
        }
        for (uint32_t i = 0; i < BLOCK; ++i)
        {
            lanczos->rest[BLOCK * j + i] = i < kept ? column[lanczos->count + i] : 0.0;
        }
    }
    lanczos->found = 0;
    if (kept == 0)
    {
        return false;
    }
    lanczos->last = kept;
    lanczos->count += kept;
    return true;
}

// Solve the small eigenproblem of the vectors to which the operator was applied. Returns whether the wanted modes
// have converged.
static bool look(Lanczos* lanczos, uint32_t size, uint32_t last)
{
    for (uint32_t j = 0; j < size; ++j)
    {
        for (uint32_t i = 0; i < size; ++i)
        {
            const uint32_t row = i < j ? i : j, column = i < j ? j : i;
            lanczos->work[(size_t)j * size + i] = lanczos->matrix[(size_t)column * lanczos->most + row];
        }
    }
    if (!rbl_dense_eigen(lanczos->work, size, lanczos->values, lanczos->vectors, lanczos->scratch))
    {
        return false;
    }
    lanczos->found = size;
    for (uint32_t k = 0; k < lanczos->wanted && k < size; ++k)
    {
        const uint32_t at = size - 1 - k;
        const double* y = lanczos->vectors + (size_t)at * size + (size - last);
        double left = 0.0;
        for (uint32_t i = 0; i < BLOCK; ++i)
        {
            double sum = 0.0;
            for (uint32_t j = 0; j < last; ++j)
            {
                sum += lanczos->rest[BLOCK * j + i] * y[j];
            }
            left += sum * sum;
        }
        if (!(sqrt(left) <= TOLERANCE * lanczos->values[at]))
        {
            return false;
        }
    }
    return size >= lanczos->wanted;
}

static rblResult iterate(Lanczos* lanczos, double* taken)
{
    begin(lanczos, taken);
    for (uint32_t step = 1; lanczos->count > 0; ++step)
    {
        const uint32_t size = lanczos->count, last = lanczos->last;
        const bool more = extend(lanczos, taken);
        const bool full = lanczos->count + lanczos->last > lanczos->most;
        if ((step % CHECK == 0 || !more || full) && look(lanczos, size, last))
        {
            return RBL_OK;
        }
        if (!more || full)
        {
            break;
        }
    }
    return rbl_fail(RBL_ERROR_LIMIT, "elastic solid: %u modes did not converge with %u vectors",
                    lanczos->wanted, lanczos->most);
}

// ---- results ----

// The sign of a mode is arbitrary. It is chosen so that the largest weighted sum of coordinates of a node (the first
// of equal ones) is positive.
static double sign_of(const rblVec3d* shape, uint32_t count)
{
    double largest = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double sum = shape[i].x + 1.25 * shape[i].y + 1.5 * shape[i].z;
        largest = fabs(sum) > fabs(largest) * 1.000001 ? sum : largest;
    }
    return largest < 0.0 ? -1.0 : 1.0;
}

// Rayleigh quotient of a shape of unit mass. Its relative error is the square of that of the shape, and it does not
// depend on the shifts of the parts.
static double frequency_of(const Lanczos* lanczos, const rblVec3d* shape)
{
    rbl_block_matrix_multiply(&lanczos->elastic->stiffness, shape, lanczos->heavy, lanczos->jobs);
    return sqrt(rbl_maxd(product(lanczos, shape, lanczos->heavy), 0.0));
}

static void write_modes(const Lanczos* lanczos, double* frequencies, rblVec3d* shapes)
{
    const uint32_t size = lanczos->found;
    for (uint32_t k = 0; k < lanczos->wanted; ++k)
    {
        const double* y = lanczos->vectors + (size_t)(size - 1 - k) * size;
        rblVec3d* shape = shapes + (size_t)k * lanczos->nodes;
        memset(shape, 0, sizeof *shape * lanczos->nodes);
        for (uint32_t j = 0; j < size; ++j)
        {
            const rblVec3d* v = vector_at(lanczos, j);
            for (uint32_t i = 0; i < lanczos->nodes; ++i)
            {
                shape[i] = rbl_mul_add3d(shape[i], y[j], v[i]);
            }
        }
        const double scale = sign_of(shape, lanczos->nodes) / length(lanczos, shape);
        for (uint32_t i = 0; i < lanczos->nodes; ++i)
        {
            shape[i] = rbl_scale3d(shape[i], scale);
        }
        const double frequency = frequency_of(lanczos, shape);
        frequencies[k] =
            // Equal frequencies differ by rounding.
            k > 0 ? rbl_maxd(frequency, frequencies[k - 1]) : frequency;
    }
}

// ---- memory ----

static size_t numbers_of(const Lanczos* lanczos)
{
    const size_t most = (size_t)lanczos->most + BLOCK;
    return most * (3 * most + 4 + BLOCK) + (size_t)BLOCK * BLOCK + 6 * lanczos->elastic->parts.count +
           rbl_cholesky_scratch(&lanczos->elastic->factor, BLOCK);
}

static double* share_out(Lanczos* lanczos, double* memory)
{
    const size_t most = (size_t)lanczos->most + BLOCK;
    lanczos->matrix = memory;
    lanczos->work = lanczos->matrix + most * most;
    lanczos->vectors = lanczos->work + most * most;
    lanczos->products = lanczos->vectors + most * most;
    lanczos->values = lanczos->products + most;
    lanczos->scratch = lanczos->values + most;
    lanczos->rest = lanczos->scratch + 2 * most;
    lanczos->sums = (rblRigidSum*)(lanczos->rest + (size_t)BLOCK * BLOCK);
    lanczos->solving = (double*)(lanczos->sums + lanczos->elastic->parts.count);
    return lanczos->solving + rbl_cholesky_scratch(&lanczos->elastic->factor, BLOCK);
}

// The number of modes: free coordinates minus rigid motions.
static size_t freedom(const rblElastic* elastic)
{
    size_t count = 3 * elastic->mesh_nodes.count - elastic->modes.count;
    for (size_t i = 0; i < elastic->fixed.count; ++i)
    {
        const uint32_t axes = elastic->fixed.data[i];
        count -= (axes & 1u) + (axes >> 1 & 1u) + (axes >> 2 & 1u);
    }
    return count;
}

rblResult rbl_elastic_find_modes(const rblElastic* elastic, uint32_t count, rblJobs* jobs,
                                 double* frequencies, rblVec3d* shapes)
{
    if (elastic->factor.values.count == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: modes need a solid with RBL_ELASTIC_DIRECT");
    }
    if (count == 0 || count > freedom(elastic))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "elastic solid: %u modes, must be 1 to %zu", count,
                        freedom(elastic));
    }
    const rblAllocator* allocator = elastic->allocator;
    Lanczos lanczos = {.elastic = elastic, .jobs = jobs, .wanted = count};
    lanczos.nodes = (uint32_t)elastic->mesh_nodes.count;
    lanczos.most = 4 * count + 64;
    const size_t vectors = ((size_t)lanczos.most + BLOCK + 1) * lanczos.nodes;
    lanczos.basis = RBL_NEW_ARRAY(allocator, rblVec3d, vectors);
    double* memory = RBL_NEW_ARRAY(allocator, double, numbers_of(&lanczos));
    rblResult result = RBL_OK;
    if (lanczos.basis == NULL || memory == NULL)
    {
        result = rbl_fail_memory();
    }
    else
    {
        lanczos.heavy = vector_at(&lanczos, lanczos.most + BLOCK);
        double* taken = share_out(&lanczos, memory);
        result = iterate(&lanczos, taken);
    }
    if (result == RBL_OK)
    {
        write_modes(&lanczos, frequencies, shapes);
    }
    RBL_FREE_ARRAY(allocator, memory, numbers_of(&lanczos));
    RBL_FREE_ARRAY(allocator, lanczos.basis, vectors);
    return result;
}
