// An initial guess that needs only half of the factors.
//
// Rigid motion is removed from the load on a free solid: f - sum M phi (phi . f). That changes every node, although
// the load itself acts on few nodes. The first half of a solution, which skips fronts without a load, would then have
// to read all factors. So forces P at three pins compensate the rigid motion instead: phi_j . P_k = 1 for j = k, else
// 0, and with r_k = phi_k . f
//   f - sum r_k M phi_k = (f - sum r_k P_k) + sum r_k (P_k - M phi_k).
// The first part acts on few nodes, and the solutions for the second part are known. Pins are nodes of the last
// front.
#include "base/error.h"
#include "fem/elastic.h"
#include <string.h>

#define ANSWERS_TOLERANCE 1e-2 // of the responses to the pins, in tolerances of the solid
#define SAFE              0.3  // fraction of the tolerance that the residual of a test load may have
#define NARROW            1e-3 // pins closer to a line than this fraction of their distance are rejected

static rblVec3d motion_at(const rblElastic* elastic, uint32_t mode, uint32_t node)
{
    const rblRigidMode* m = &elastic->modes.data[mode];
    const rblVec3d arm = rbl_sub3d(elastic->positions.data[node], elastic->parts.data[m->part].centre);
    return rbl_add3d(m->shift, rbl_cross3d(m->turn, arm));
}

// ---- choice of pins ----

static uint32_t farthest(const rblElastic* elastic, const rblFront* front, rblVec3d from)
{
    uint32_t best = elastic->factor.order.data[front->first];
    double most = -1.0;
    for (uint32_t p = front->first; p < front->first + front->count; ++p)
    {
        const uint32_t node = elastic->factor.order.data[p];
        const double distance = rbl_distance3d(elastic->positions.data[node], from);
        best = distance > most ? node : best;
        most = rbl_maxd(most, distance);
    }
    return best;
}

// Choose three pins that span a wide triangle, one after the other. False: they are nearly collinear.
static bool choose_pins(rblElastic* elastic)
{
    const rblFront* front = &elastic->factor.fronts.data[elastic->factor.fronts.count - 1];
    const rblVec3d* positions = elastic->positions.data;
    uint32_t* pins = elastic->pins;
    if (front->count < 3)
    {
        return false;
    }
    pins[0] = farthest(elastic, front, positions[elastic->factor.order.data[front->first]]);
    pins[1] = farthest(elastic, front, positions[pins[0]]);
    const rblVec3d along = rbl_sub3d(positions[pins[1]], positions[pins[0]]);
    double widest = 0.0;
    for (uint32_t p = front->first; p < front->first + front->count; ++p)
    {
        const uint32_t node = elastic->factor.order.data[p];
        const double area = rbl_length3d(rbl_cross3d(along, rbl_sub3d(positions[node], positions[pins[0]])));
        pins[2] = area > widest ? node : pins[2];
        widest = rbl_maxd(widest, area);
    }
    return widest > NARROW * rbl_dot3d(along, along);
}

// ---- forces at pins ----

// Solve A x = b for six columns; A is symmetric and positive definite, eliminated without pivoting. False when A is
// not.
static bool solve_six(double a[6][6], double b[6][6])
{
    for (uint32_t k = 0; k < 6; ++k)
    {
        if (!(a[k][k] > 0.0) || !rbl_finite(a[k][k]))
        {
            return false;
        }
        for (uint32_t i = 0; i < 6; ++i)
        {
            const double part = i != k ? a[i][k] / a[k][k] : 0.0;
            for (uint32_t j = 0; j < 6; ++j)
            {
                a[i][j] -= part * a[k][j];
                b[i][j] -= part * b[k][j];
            }
        }
    }
    for (uint32_t i = 0; i < 36; ++i)
    {
        b[i / 6][i % 6] /= a[i / 6][i / 6];
    }
    return true;
}

// The smallest such forces: P = R^T (R R^T)^-1, with R the rigid motions at the pins.
static bool find_forces(rblElastic* elastic)
{
    double square[6][6] = {{0.0}}, inverse[6][6] = {{0.0}};
    for (uint32_t k = 0; k < 36; ++k)
    {
        for (uint32_t p = 0; p < 3; ++p)
        {
            square[k / 6][k % 6] += rbl_dot3d(motion_at(elastic, k / 6, elastic->pins[p]),
                                              motion_at(elastic, k % 6, elastic->pins[p]));
        }
        inverse[k / 6][k % 6] = k / 6 == k % 6 ? 1.0 : 0.0;
    }
    if (!solve_six(square, inverse))
    {
        return false;
    }
    for (uint32_t k = 0; k < 18; ++k)
    {
        rblVec3d sum = {0.0, 0.0, 0.0};
        for (uint32_t j = 0; j < 6; ++j)
        {
            sum = rbl_mul_add3d(sum, inverse[j][k / 3], motion_at(elastic, j, elastic->pins[k % 3]));
        }
        elastic->pin_forces[k / 3][k % 3] = sum;
    }
    return true;
}

static rblResult find_answers(rblElastic* elastic, rblVec3d* forces, rblJobs* jobs, bool* good)
{
    const size_t count = elastic->mesh_nodes.count;
    rblVec3dArray answers = elastic->pin_answers;
    RBL_TRY(rbl_array_resize(&answers, 6 * count) ? RBL_OK : rbl_fail_memory());
    rblResult result = RBL_OK;
    for (uint32_t k = 0; k < 6 && result == RBL_OK; ++k)
    {
        rblElasticReport report;
        memset(forces, 0, sizeof *forces * count);
        for (uint32_t p = 0; p < 3; ++p)
        {
            forces[elastic->pins[p]] = elastic->pin_forces[k][p];
        }
        result = rbl_elastic_equilibrium(elastic, forces, false, jobs, answers.data + k * count, &report);
    }
    elastic->pin_answers = answers;                         // from here on guesses are used
    *good = result == RBL_OK || result == RBL_ERROR_MEMORY; // otherwise some response has no solution
    return *good ? result : RBL_OK;
}

// Forces at pins bend thin solids strongly, and rounding errors of that bending are too large. The guess would then
// cost time and save none.
static rblResult try_guesses(rblElastic* elastic, rblVec3d* forces, rblVec3d* x, rblJobs* jobs, bool* good)
{
    for (uint32_t t = 0; t < RBL_ELASTIC_TRIES && *good; ++t)
    {
        rblElasticReport report;
        RBL_TRY(rbl_elastic_try(elastic, t, forces, jobs, x, &report, good));
        *good = *good && report.iterations == 0 && report.residual < SAFE * elastic->tolerance;
    }
    return RBL_OK;
}

rblResult rbl_elastic_pin(rblElastic* elastic, rblJobs* jobs)
{
    if (elastic->parts.count != 1 || elastic->modes.count != 6 || elastic->fixed.count > 0 ||
        !choose_pins(elastic) || !find_forces(elastic))
    {
        return RBL_OK;
    }
    const size_t count = elastic->mesh_nodes.count;
    const double tolerance = elastic->tolerance;
    const uint32_t most = elastic->max_iterations;
    rblVec3d* forces = RBL_NEW_ARRAY(elastic->allocator, rblVec3d, 2 * count);
    bool good = true;
    elastic->tolerance = ANSWERS_TOLERANCE * tolerance;
    elastic->max_iterations = RBL_ELASTIC_MAX_TRIED;
    rblResult result = forces != NULL ? find_answers(elastic, forces, jobs, &good) : rbl_fail_memory();
    elastic->tolerance = tolerance;
    elastic->max_iterations = most;
    result = result == RBL_OK ? try_guesses(elastic, forces, forces + count, jobs, &good) : result;
    if (!good)
    {
        rbl_array_free(&elastic->pin_answers);
    }
    RBL_FREE_ARRAY(elastic->allocator, forces, 2 * count);
    return result;
}

// ---- initial guess ----

// Compute r_k.
static void find_shares(const rblElastic* elastic, const rblVec3d* forces, double shares[6])
{
    rblRigidSum sum = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (uint32_t i = 0; i < elastic->mesh_nodes.count; ++i)
    {
        const rblVec3d arm = rbl_sub3d(elastic->positions.data[i], elastic->parts.data[0].centre);
        sum.shift = rbl_add3d(sum.shift, forces[i]);
        sum.turn = rbl_add3d(sum.turn, rbl_cross3d(arm, forces[i]));
    }
    for (uint32_t k = 0; k < 6; ++k)
    {
        const rblRigidMode* mode = &elastic->modes.data[k];
        shares[k] = rbl_dot3d(mode->shift, sum.shift) + rbl_dot3d(mode->turn, sum.turn);
    }
}

rblResult rbl_elastic_guess(const rblElastic* elastic, const rblVec3d* forces, rblVec3d* x)
{
    const size_t count = elastic->mesh_nodes.count;
    const size_t places = count + elastic->factor.max_rows / 3;
    rblVec3d* scratch = RBL_NEW_ARRAY(elastic->allocator, rblVec3d, places);
    double shares[6];
    if (scratch == NULL)
    {
        return rbl_fail_memory();
    }
    find_shares(elastic, forces, shares);
    memcpy(x, forces, sizeof *x * count);
    for (uint32_t k = 0; k < 18; ++k)
    {
        rblVec3d* at = &x[elastic->pins[k % 3]];
        *at = rbl_mul_add3d(*at, -shares[k / 3], elastic->pin_forces[k / 3][k % 3]);
    }
    rbl_cholesky_solve_rounded(&elastic->factor, x, scratch);
    for (uint32_t k = 0; k < 6; ++k)
    {
        const rblVec3d* answer = elastic->pin_answers.data + k * count;
        for (size_t i = 0; i < count; ++i)
        {
            x[i] = rbl_mul_add3d(x[i], shares[k], answer[i]);
        }
    }
    RBL_FREE_ARRAY(elastic->allocator, scratch, places);
    return RBL_OK;
}
