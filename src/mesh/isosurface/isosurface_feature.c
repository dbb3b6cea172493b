// The point where the tangent planes at the crossings of a patch meet, in the least-squares sense (Ju et al. 2002):
//   E(x) = sum of (n_i . (x - p_i))^2 = (x - x0)^T A (x - x0) + rest,   A = sum of n_i n_i^T
// x0 is as close to the mean of the crossings as A allows: x0 equals the mean in directions in which A is weak
// because the normals hardly differ. On a face x0 is the mean itself, on an edge the nearest point of the edge, at a
// corner the corner. Where x0 is outside the cell, the best point inside the cell is computed exactly, not by moving
// x0 to the cell.
#include "math/mat3.h"
#include "mesh/isosurface/isosurface_private.h"

// Eigenvalues of A below this fraction of the largest one count as zero. When both faces of an edge are crossed
// equally often, the fraction is tan^2 of half the angle between their normals: edges are recognised from about 16
// degrees on.
#define WEAK_EIGENVALUE 0.02

// Weight of a term that attracts x to the target, as a fraction of the largest eigenvalue of A, for the case that x0
// is outside the box and the best point inside is not unique. It moves that point by less than PULL / WEAK_EIGENVALUE
// of a cell.
#define PULL 1e-6

// An energy x^T H x - 2 g^T x over a box.
typedef struct BoxProblem
{
    double h[3][3];
    double g[3];
    double lower[3], upper[3];
} BoxProblem;

typedef struct Candidate
{
    double x[3];
    bool fixed[3]; // at a side of the box
    double energy;
} Candidate;

static double energy_of(const BoxProblem* problem, const double x[3])
{
    double energy = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        const double* h = problem->h[i];
        energy += x[i] * (h[0] * x[0] + h[1] * x[1] + h[2] * x[2] - 2.0 * problem->g[i]);
    }
    return energy;
}

// Solve m x = right by Cholesky factorisation; m is symmetric and positive definite. x contains the right side at the
// start. Only the lower half of m is read, and is overwritten by the factor.
static void solve_positive(double m[3][3], double x[3])
{
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j <= i; ++j)
        {
            for (int k = 0; k < j; ++k)
            {
                m[i][j] -= m[i][k] * m[j][k];
            }
            m[i][j] = i == j ? sqrt(m[i][i]) : m[i][j] / m[j][j];
        }
        for (int k = 0; k < i; ++k)
        {
            x[i] -= m[i][k] * x[k];
        }
        x[i] /= m[i][i];
    }
    for (int i = 2; i >= 0; --i)
    {
        for (int k = i + 1; k < 3; ++k)
        {
            x[i] -= m[k][i] * x[k];
        }
        x[i] /= m[i][i];
    }
}

// Set the coordinates that are not fixed to the minimum of the energy. A fixed coordinate gets the equation x_i =
// x_i.
static void solve_free(const BoxProblem* problem, Candidate* candidate)
{
    double m[3][3], x[3];
    for (int i = 0; i < 3; ++i)
    {
        x[i] = candidate->fixed[i] ? candidate->x[i] : problem->g[i];
        for (int j = 0; j < 3; ++j)
        {
            const bool coupled = !candidate->fixed[i] && !candidate->fixed[j];
            m[i][j] = coupled ? problem->h[i][j] : (i == j ? 1.0 : 0.0);
            x[i] -= !candidate->fixed[i] && candidate->fixed[j] ? problem->h[i][j] * candidate->x[j] : 0.0;
        }
    }
    solve_positive(m, x);
    for (int i = 0; i < 3; ++i)
    {
        candidate->x[i] = x[i];
    }
}

static bool in_box(const BoxProblem* problem, const double x[3])
{
    bool inside = true;
    for (int i = 0; i < 3; ++i)
    {
        inside = inside && x[i] >= problem->lower[i] && x[i] <= problem->upper[i];
    }
    return inside;
}

// The energy is convex: when its minimum is outside the box, the best point inside is on a side, and the same holds
// on the sides and edges. `first` is the first axis that may still be fixed, so that no side is examined twice.
static void search_box(const BoxProblem* problem, Candidate candidate, int first, Candidate* best)
{
    Candidate solved = candidate;
    solve_free(problem, &solved);
    if (in_box(problem, solved.x))
    {
        solved.energy = energy_of(problem, solved.x);
        if (solved.energy < best->energy)
        {
            *best = solved;
        }
        return;
    }
    for (int axis = first; axis < 3; ++axis)
    {
        Candidate side = candidate;
        side.fixed[axis] = true;
        side.x[axis] = problem->lower[axis];
        search_box(problem, side, axis + 1, best);
        side.x[axis] = problem->upper[axis];
        search_box(problem, side, axis + 1, best);
    }
}

static void add_outer(double h[3][3], rblVec3d v, double weight)
{
    const double a[3] = {v.x, v.y, v.z};
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            h[i][j] += weight * a[i] * a[j];
        }
    }
}

// H and g such that the part of A has its minimum at `best`, and the attracting term its minimum at the target.
static void pull_to_target(BoxProblem* problem, const rblIsoFeature* feature)
{
    const double best[3] = {feature->best.x, feature->best.y, feature->best.z};
    const double target[3] = {feature->target.x, feature->target.y, feature->target.z};
    for (int i = 0; i < 3; ++i)
    {
        problem->g[i] = feature->pull * target[i];
        for (int j = 0; j < 3; ++j)
        {
            problem->h[i][j] = feature->matrix[i][j] + (i == j ? feature->pull : 0.0);
            problem->g[i] += feature->matrix[i][j] * best[j];
        }
    }
}

static rblVec3d best_in_box(const BoxProblem* problem)
{
    Candidate best = {.energy = (double)INFINITY};
    search_box(problem, (Candidate){0}, 0, &best);
    return (rblVec3d){best.x[0], best.x[1], best.x[2]};
}

// A and the sum of n_i (n_i . (p_i - mean)).
static rblMat3d sum_planes(const rblIsoPatch* patch, rblVec3d* right)
{
    double a[3][3] = {{0}};
    *right = (rblVec3d){0, 0, 0};
    for (uint32_t i = 0; i < patch->count; ++i)
    {
        const rblVec3d n = patch->normals[i];
        add_outer(a, n, 1.0);
        *right = rbl_mul_add3d(*right, rbl_dot3d(n, rbl_sub3d(patch->points[i], patch->mean)), n);
    }
    return (rblMat3d){{a[0][0], a[1][0], a[2][0]}, {a[0][1], a[1][1], a[2][1]}, {a[0][2], a[1][2], a[2][2]}};
}

rblIsoFeature rbl_iso_fit_feature(const rblIsoPatch* patch)
{
    rblVec3d right, values;
    rblMat3d axes;
    const rblMat3d a = sum_planes(patch, &right);
    rbl_eigen_symmetric3d(&a, &values, &axes);

    rblIsoFeature feature = {
        .best = patch->mean, .mean = patch->mean, .target = patch->mean, .pull = PULL * values.z};
    const double eigenvalues[3] = {values.x, values.y, values.z};
    const rblVec3d eigenvectors[3] = {axes.cx, axes.cy, axes.cz};
    for (int i = 0; i < 3; ++i)
    {
        if (eigenvalues[i] > WEAK_EIGENVALUE * values.z)
        {
            const double along = rbl_dot3d(eigenvectors[i], right) / eigenvalues[i];
            feature.best = rbl_mul_add3d(feature.best, along, eigenvectors[i]);
            feature.rank += 1;
            add_outer(feature.matrix, eigenvectors[i], eigenvalues[i]);
        }
    }
    return feature;
}

rblVec3d rbl_iso_feature_in_box(const rblIsoFeature* feature, rblAabbd box)
{
    BoxProblem problem = {.lower = {box.lower.x, box.lower.y, box.lower.z},
                          .upper = {box.upper.x, box.upper.y, box.upper.z}};
    if (rbl_equal3d(feature->target, feature->mean) && rbl_aabbd_contains_point(box, feature->best))
    {
        return feature->best;
    }
    pull_to_target(&problem, feature);
    return best_in_box(&problem);
}
