// Several bodies as one rigid body: mass, centre of mass and inertia.
#ifndef RBL_DYNAMICS_WHOLE_H
#define RBL_DYNAMICS_WHOLE_H

#include "dynamics/world.h"
#include "math/mat3.h"

// Sum all masses first, then end the sum, then sum the inertias.
typedef struct rblWhole
{
    double mass;
    rblVec3d center;  // of mass
    rblMat3d inertia; // about the centre, world axes
} rblWhole;

static inline void rbl_whole_add_mass(rblWhole* whole, float mass, rblVec3 center)
{
    whole->mass += (double)mass;
    whole->center = rbl_mul_add3d(whole->center, (double)mass, rbl_to_double3(center));
}

static inline void rbl_whole_end_masses(rblWhole* whole)
{
    whole->center = rbl_scale3d(whole->center, 1.0 / whole->mass);
}

static inline void rbl_whole_add_inertia(rblWhole* whole, float mass, const rblMotion* motion)
{
    const rblVec3d arm = rbl_sub3d(rbl_to_double3(motion->center), whole->center);
    rblVec3d* columns[3] = {&whole->inertia.cx, &whole->inertia.cy, &whole->inertia.cz};
    for (int k = 0; k < 3; ++k)
    {
        const rblVec3 axis = {k == 0 ? 1.0f : 0.0f, k == 1 ? 1.0f : 0.0f, k == 2 ? 1.0f : 0.0f};
        const rblVec3d e = rbl_to_double3(axis);
        const rblVec3d inertia_column =
            rbl_to_double3(rbl_inertia_apply(motion->orientation, motion->moments, axis));
        const rblVec3d parallel_axis =
            rbl_sub3d(rbl_scale3d(e, rbl_dot3d(arm, arm)), rbl_scale3d(arm, rbl_dot3d(arm, e)));
        *columns[k] =
            rbl_add3d(*columns[k], rbl_add3d(inertia_column, rbl_scale3d(parallel_axis, (double)mass)));
    }
}

#endif
