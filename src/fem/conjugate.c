#include "fem/conjugate.h"

#include "base/error.h"
#include <string.h>

typedef struct Iteration
{
    const rblElastic* elastic;
    rblJobs* jobs;
    uint32_t count;
    rblVec3d *residual, *direction, *preconditioned, *product;
    double* scratch;   // of the factors, or of the groups
    rblVec3d* ordered; // only with rounded factors; else null
    double* inverses;  // of the diagonal blocks, 9 each; only without factors
    rblRigidSum* sums; // per part
} Iteration;

static double dot(const Iteration* it, const rblVec3d* a, const rblVec3d* b)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < it->count; ++i)
    {
        sum += rbl_dot3d(a[i], b[i]);
    }
    return sum;
}

static void add(const Iteration* it, rblVec3d* a, double s, const rblVec3d* b)
{
    for (uint32_t i = 0; i < it->count; ++i)
    {
        a[i] = rbl_mul_add3d(a[i], s, b[i]);
    }
}

static void multiply(const Iteration* it, const rblVec3d* x, rblVec3d* out)
{
    rbl_block_matrix_multiply(&it->elastic->stiffness, x, out, it->jobs);
    rbl_elastic_mask(it->elastic, out);
}

// Inverses of the diagonal blocks; a fixed axis is decoupled from the others.
static void invert_diagonal(const Iteration* it)
{
    const rblElastic* elastic = it->elastic;
    for (uint32_t i = 0; i < it->count; ++i)
    {
        double b[9];
        memcpy(b, rbl_block_matrix_at(&elastic->stiffness, i, i), sizeof b);
        for (uint32_t k = 0; k < 9 && elastic->fixed.count > 0; ++k)
        {
            const uint32_t axes = elastic->fixed.data[i];
            b[k] = k % 4 != 0 && ((axes >> k / 3 & 1u) != 0 || (axes >> k % 3 & 1u) != 0) ? 0.0 : b[k];
        }
        double* out = it->inverses + 9 * (size_t)i;
        const double x = b[4] * b[8] - b[5] * b[7], y = b[5] * b[6] - b[3] * b[8],
                     z = b[3] * b[7] - b[4] * b[6];
        const double inverse = 1.0 / (b[0] * x + b[1] * y + b[2] * z);
        out[0] = x * inverse;
        out[1] = out[3] = y * inverse;
        out[2] = out[6] = z * inverse;
        out[4] = (b[0] * b[8] - b[2] * b[6]) * inverse;
        out[5] = out[7] = (b[2] * b[3] - b[0] * b[5]) * inverse;
        out[8] = (b[0] * b[4] - b[1] * b[3]) * inverse;
    }
}

static void apply_groups(const Iteration* it, const rblVec3d* x, rblVec3d* out)
{
    for (uint32_t i = 0; i < it->count; ++i)
    {
        const double* b = it->inverses + 9 * (size_t)i;
        out[i] = rbl_vec3d(b[0] * x[i].x + b[1] * x[i].y + b[2] * x[i].z,
                           b[3] * x[i].x + b[4] * x[i].y + b[5] * x[i].z,
                           b[6] * x[i].x + b[7] * x[i].y + b[8] * x[i].z);
    }
    rbl_coarse_add(&it->elastic->coarse, x, out, it->scratch);
}

// Factors and groups have almost no stiffness against rigid motion, so they amplify the rounding errors of rigid
// forces. A search direction that is mostly rigid, for which K is zero, would spoil the iteration. So rigid motion is
// removed immediately.
static void precondition(const Iteration* it, const rblVec3d* x, rblVec3d* out)
{
    if (it->inverses != NULL)
    {
        apply_groups(it, x, out);
    }
    else
    {
        memcpy(out, x, sizeof *x * it->count);
        if (it->ordered != NULL)
        {
            rbl_cholesky_solve_rounded(&it->elastic->factor, out, it->ordered);
        }
        else
        {
            rbl_cholesky_solve(&it->elastic->factor, &out, 1, it->scratch);
        }
    }
    rbl_elastic_mask(it->elastic, out);
    rbl_elastic_still(it->elastic, out, it->sums);
}

// Without an initial guess K x is zero.
static void find_residual(const Iteration* it, const rblVec3d* right, const rblVec3d* x)
{
    if (!(dot(it, x, x) > 0.0))
    {
        memcpy(it->residual, right, sizeof *right * it->count);
        return;
    }
    multiply(it, x, it->product);
    for (uint32_t i = 0; i < it->count; ++i)
    {
        it->residual[i] = rbl_sub3d(right[i], it->product[i]);
    }
}

static rblResult iterate(const Iteration* it, const rblVec3d* right, rblVec3d* x, rblElasticReport* report)
{
    const double size = sqrt(dot(it, right, right));
    report->iterations = 0;
    report->residual = 0.0;
    if (!(size > 0.0))
    {
        memset(x, 0, sizeof *x * it->count);
        return RBL_OK;
    }
    find_residual(it, right, x);
    double before = 0.0;
    while (report->residual = sqrt(dot(it, it->residual, it->residual)) / size,
           !(report->residual <= it->elastic->tolerance))
    {
        if (report->iterations == it->elastic->max_iterations || !rbl_finite(report->residual))
        {
            return rbl_fail(RBL_ERROR_GEOMETRY, "elastic solid: the solver did not converge in %u iterations",
                            report->iterations);
        }
        precondition(it, it->residual, it->preconditioned);
        const double now = dot(it, it->residual, it->preconditioned);
        const double keep = report->iterations > 0 ? now / before : 0.0;
        for (uint32_t i = 0; i < it->count; ++i)
        {
            it->direction[i] = rbl_mul_add3d(it->preconditioned[i], keep, it->direction[i]);
        }
        multiply(it, it->direction, it->product);
        const double step = now / dot(it, it->direction, it->product);
        add(it, x, step, it->direction);
        add(it, it->residual, -step, it->product);
        before = now;
        report->iterations += 1;
    }
    return RBL_OK;
}

rblResult rbl_conjugate_solve(const rblElastic* elastic, const rblVec3d* right, rblVec3d* x, rblJobs* jobs,
                              rblElasticReport* report)
{
    const rblAllocator* allocator = elastic->allocator;
    const size_t count = elastic->mesh_nodes.count;
    const rblCholesky* factor = &elastic->factor;
    const bool rounded = factor->singles.count > 0, direct = rounded || factor->values.count > 0;
    const size_t scratch = direct ? rbl_cholesky_scratch(factor, 1) : rbl_coarse_scratch(&elastic->coarse);
    const size_t doubles = scratch + (direct ? 0 : 9 * count);
    const size_t places = rounded ? count + factor->max_rows / 3 : 0;
    rblVec3d* vectors = rbl_alloc_zero(allocator, sizeof *vectors * 4 * count);
    double* numbers = RBL_NEW_ARRAY(allocator, double, doubles);
    rblVec3d* ordered = rounded ? RBL_NEW_ARRAY(allocator, rblVec3d, places) : NULL;
    rblRigidSum* sums = RBL_NEW_ARRAY(allocator, rblRigidSum, elastic->parts.count);
    rblResult result = RBL_OK;
    if (vectors == NULL || numbers == NULL || sums == NULL || (rounded && ordered == NULL))
    {
        result = rbl_fail_memory();
    }
    else
    {
        const Iteration it = {.elastic = elastic,
                              .jobs = jobs,
                              .count = (uint32_t)count,
                              .residual = vectors,
                              .direction = vectors + count,
                              .preconditioned = vectors + 2 * count,
                              .product = vectors + 3 * count,
                              .scratch = numbers,
                              .ordered = ordered,
                              .inverses = direct ? NULL : numbers + scratch,
                              .sums = sums};
        if (!direct)
        {
            invert_diagonal(&it);
        }
        result = iterate(&it, right, x, report);
    }
    RBL_FREE_ARRAY(allocator, sums, elastic->parts.count);
    RBL_FREE_ARRAY(allocator, ordered, places);
    RBL_FREE_ARRAY(allocator, numbers, doubles);
    rbl_free(allocator, vectors, sizeof *vectors * 4 * count);
    return result;
}
