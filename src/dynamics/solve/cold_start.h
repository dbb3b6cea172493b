// Cold starts: islands at rest whose contacts begin without the impulses of an earlier step.
#ifndef RBL_DYNAMICS_SOLVE_COLD_START_H
#define RBL_DYNAMICS_SOLVE_COLD_START_H

#include "dynamics/step.h"

// A sweep carries the weight of a heap down by about one layer. In later steps the sweeps begin with the impulses of the last one,
// so that few of them are enough. In the first step of a heap they begin with none, and a heap with more layers than sweeps
// would sink for many steps. Such an island gets more sweeps, once.

// Find cold islands; the others become idle. *any: there are some.
rblResult rbl_cold_islands_find(rblStep* step, bool* any);

// After sweeps over cold islands: those that are solved, or that the sweeps improve no more, become idle. Returns whether any is left.
bool rbl_cold_islands_check(rblStep* step);

// No island is idle any more.
void rbl_cold_islands_end(rblStep* step);

#endif
