// Small islands are solved to the end: directly, over the contacts that hold.
#ifndef RBL_DYNAMICS_SOLVE_SUBSPACE_H
#define RBL_DYNAMICS_SOLVE_SUBSPACE_H

#include "dynamics/step.h"

// Islands of at most this many contacts are small; worlds of at most so many are, and all of their islands are worth it.
#define RBL_SMALL_ISLAND 4096
#define RBL_SMALL_WORLD  512

// Sweeps find out which contacts hold and which slide or part; among those that hold the equations are linear, and a direct
// solve finds all modes at once, where sweeps would need n^4 of them for a tower of n boxes to stop swaying (subspace
// minimisation: Silcowitz, Niebe and Erleben 2010). Contacts that would pull or leave their cones are put back, and the rest is
// solved again. Expects impulses and velocities to agree; leaves them so. Left alone are islands whose contact graph is dense
// and, in large worlds, those that move: a wall at rest must not sway, a heap that falls will not look different. What comes
// out worse than the sweeps left it is taken back, and the island is left alone for a while: heaps that never come out better
// would pay for it in every step. `round` of the step; `solved` says whether another round is worth it.
rblResult rbl_subspaces_solve(rblStep* step, uint32_t round, bool* solved);

#endif
