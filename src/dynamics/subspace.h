// Small islands are solved to the end: conjugate gradients over the contacts that hold.
#ifndef RBL_DYNAMICS_SUBSPACE_H
#define RBL_DYNAMICS_SUBSPACE_H

#include "dynamics/world.h"

// Islands of at most this many contacts are small.
#define RBL_SMALL_ISLAND 512

// Sweeps find out which contacts hold and which slide or part; among those that hold the equations are linear, and conjugate
// gradients solve them in all modes at once, where sweeps would need n^4 of them for a tower of n boxes to stop swaying
// (Silcowitz, Niebe and Erleben 2010, subspace minimisation). Impulses stay in their cones. Expects impulses and velocities to
// agree; leaves them so.
rblResult rbl_solve_subspaces(rblWorld* world);

#endif
