// Mass properties of pieces that sum up to those of the body.
//
// The drawn surface of a round body lies inside the body, and the surface of a level set has errors. Pieces are cut from the drawn
// surface, so their second moments are too small. The kinetic energy would change at a break: by 2e-3 for a spinning capsule. The mass
// of the pieces is therefore moved by one linear map x -> A (x - c') + c,
//   A = C'^-1/2 (C'^1/2 C C'^1/2)^1/2 C'^-1/2,
// c and C the centre and the second moments (per mass, about the centre) of the body, c' and C' those of all pieces: A C' A^T = C, and of all
// maps that do so it is the one that moves least (Dowson and Landau 1982; Givens and Shortt 1984). Centres and inertias of the pieces follow; shapes stay.
#include "base/error.h"
#include "fracture/kit/kit.h"
#include "math/mat3.h"
#include "math/vec.h"
#include <math.h>

#define MIN_MOMENT                                                                                           \
    1e-12 // relative to the largest second moment: below it the body is flat, and no map exists

// Convert inertia to second moments and back: I = trace(S) - S.
static rblMat3d turn_over(const rblMat3d* m, double trace)
{
    const rblMat3d all = rbl_mat3d_diagonal(trace, trace, trace);
    const rblMat3d less = rbl_mat3d_scale(m, -1.0);
    return rbl_mat3d_add(&all, &less);
}

static double trace_of(const rblMat3d* m)
{
    return m->cx.x + m->cy.y + m->cz.z;
}

// About the own centre of mass.
static rblMat3d second_moments(const rblMassProperties* mass)
{
    return turn_over(&mass->inertia, 0.5 * trace_of(&mass->inertia));
}

// Mass, centre and second moments of all pieces, about that centre and per mass.
typedef struct Sum
{
    double volume;
    rblVec3d center;
    rblMat3d moments;
} Sum;

static Sum sum_pieces(const rblPieces* pieces)
{
    Sum sum = {0};
    for (uint32_t i = 0; i < pieces->piece_count; ++i)
    {
        const rblMassProperties* mass = &pieces->pieces[i].mass;
        sum.volume += mass->volume;
        sum.center = rbl_mul_add3d(sum.center, mass->volume, mass->center);
    }
    sum.center = rbl_scale3d(sum.center, 1.0 / sum.volume);
    for (uint32_t i = 0; i < pieces->piece_count; ++i)
    {
        const rblMassProperties* mass = &pieces->pieces[i].mass;
        const rblVec3d arm = rbl_sub3d(mass->center, sum.center);
        const rblMat3d own = second_moments(mass);
        const rblMat3d orbit = rbl_mat3d_outer(rbl_scale3d(arm, mass->volume), arm);
        const rblMat3d both = rbl_mat3d_add(&own, &orbit);
        sum.moments = rbl_mat3d_add(&sum.moments, &both);
    }
    sum.moments = rbl_mat3d_scale(&sum.moments, 1.0 / sum.volume);
    return sum;
}

// The root of a symmetric matrix and that of its inverse. False when it has none.
static bool find_roots(const rblMat3d* m, rblMat3d* root, rblMat3d* inverse)
{
    rblVec3d values;
    rblMat3d axes;
    rbl_eigen_symmetric3d(m, &values, &axes);
    if (!(values.x > MIN_MOMENT * values.z))
    {
        return false;
    }
    const rblVec3d r = {sqrt(values.x), sqrt(values.y), sqrt(values.z)};
    const rblMat3d back = rbl_mat3d_transpose(&axes);
    const rblMat3d scaled = {rbl_scale3d(axes.cx, r.x), rbl_scale3d(axes.cy, r.y), rbl_scale3d(axes.cz, r.z)};
    const rblMat3d shrunk = {rbl_scale3d(axes.cx, 1.0 / r.x), rbl_scale3d(axes.cy, 1.0 / r.y),
                             rbl_scale3d(axes.cz, 1.0 / r.z)};
    *root = rbl_mat3d_mul(&scaled, &back);
    *inverse = rbl_mat3d_mul(&shrunk, &back);
    return true;
}

// a m a, of symmetric matrices.
static rblMat3d sandwich(const rblMat3d* a, const rblMat3d* m)
{
    const rblMat3d half = rbl_mat3d_mul(a, m);
    return rbl_mat3d_mul(&half, a);
}

// From the pieces' second moments to the body's; the identity where one of them is flat.
static rblMat3d find_map(const rblMat3d* from, const rblMat3d* to)
{
    rblMat3d root;
    rblMat3d inverse;
    rblMat3d middle;
    rblMat3d unused;
    if (!find_roots(from, &root, &inverse))
    {
        return rbl_mat3d_diagonal(1.0, 1.0, 1.0);
    }
    const rblMat3d product = sandwich(&root, to);
    return find_roots(&product, &middle, &unused) ? sandwich(&inverse, &middle)
                                                  : rbl_mat3d_diagonal(1.0, 1.0, 1.0);
}

void rbl_fit_masses(const rblPieces* pieces, const rblMassProperties* whole, rblMassProperties* out)
{
    const Sum sum = sum_pieces(pieces);
    const rblMat3d all = second_moments(whole);
    const rblMat3d wanted = rbl_mat3d_scale(&all, 1.0 / whole->mass);
    const rblMat3d map = find_map(&sum.moments, &wanted);
    for (uint32_t i = 0; i < pieces->piece_count; ++i)
    {
        const rblMassProperties* mass = &pieces->pieces[i].mass;
        const rblMat3d own = second_moments(mass);
        const rblMat3d moved = sandwich(&map, &own);
        out[i] = *mass;
        out[i].center = rbl_add3d(whole->center, rbl_mat3d_apply(&map, rbl_sub3d(mass->center, sum.center)));
        out[i].inertia = turn_over(&moved, trace_of(&moved));
        rbl_eigen_symmetric3d(&out[i].inertia, &out[i].moments, &out[i].principal_axes);
    }
}
