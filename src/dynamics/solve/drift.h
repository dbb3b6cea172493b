// The parts of drift correction (drift.c, drift_free.c).
#ifndef RBL_DYNAMICS_SOLVE_DRIFT_H
#define RBL_DYNAMICS_SOLVE_DRIFT_H

#include "dynamics/step.h"

// Move a body by a share of its displacement and rotation vector. The angular momentum rotates with the body, so that the
// energy does not change.
void rbl_body_displace(rblMotion* motion, const rblSolverBody* body, float share);

// Move the bodies of an island without a support, and keep its momentum and angular momentum. `saved`: memory for a motion per
// solver body.
void rbl_island_displace_free(rblStep* step, rblIsland* island, rblMotion* saved);

#endif
