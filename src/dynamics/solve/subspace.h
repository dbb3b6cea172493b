// Direct solve of small islands over their active contacts.
#ifndef RBL_DYNAMICS_SOLVE_SUBSPACE_H
#define RBL_DYNAMICS_SOLVE_SUBSPACE_H

#include "dynamics/step.h"

// ---- tuning ----
#define RBL_SMALL_ISLAND 8192 // contacts: larger islands are solved by sweeps only
#define RBL_SMALL_WORLD  512  // contacts: in smaller worlds, moving islands are solved directly, too

// The sweeps find which contacts are active (neither sliding nor separating). For active contacts the equations are linear, and a
// direct solve converges at once, where sweeps would need n^4 iterations until a tower of n boxes stops swaying (subspace
// minimisation: Silcowitz, Niebe and Erleben 2010). Contacts with a negative normal impulse or outside their friction cone are
// clamped, and the rest is solved again. Impulses and velocities agree before and after. Islands with a dense contact graph are
// skipped, and in large worlds also moving islands: a wall at rest must not sway, but in a falling pile the error is not visible.
// A result worse than that of the sweeps is discarded, and the island waits for some steps, so that piles without any gain do not
// pay for it in every step. `round`: of the step. `solved`: whether another round is useful.
rblResult rbl_subspaces_solve(rblStep* step, uint32_t round, bool* solved);

#endif
