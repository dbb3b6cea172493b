// The parts of the impact stage (impacts.c).
#ifndef RBL_DYNAMICS_IMPACTS_H
#define RBL_DYNAMICS_IMPACTS_H

#include "dynamics/world.h"

// Sweeps over the approaching pairs; the last two only stop what still approaches, so that a row of balls comes to an end.
#define RBL_IMPACT_SWEEPS 8

// Approach slower than this is left to the contact solve: it costs half a step's worth of overlap and no energy.
static inline float rbl_impact_speed(const rblWorld* world)
{
    return rbl_maxf(0.1f * rbl_length3(world->def.gravity) * world->seconds, 1e-3f);
}

// The same for one pair: half a step's worth of overlap should not be more than its slop.
static inline float rbl_pair_impact_speed(const rblWorld* world, const rblManifold* manifold, float threshold)
{
    return rbl_minf(threshold, rbl_maxf(2.0f * manifold->slop / world->seconds, 1e-3f));
}

// Which manifolds approach, and when each body has its first impact; bodies in free flight are moved to it. False when
// nothing approaches (impact_times.c).
bool rbl_fly_to_impacts(rblWorld* world, float threshold);

// Each pair that approaches or was pushed, once. True when any still approached (impact_pairs.c).
bool rbl_sweep_impacts(rblWorld* world, float threshold, uint32_t sweep);

// The impulses of all sweeps and the work of kinematic bodies into the manifolds (impact_pairs.c).
void rbl_book_impacts(rblWorld* world);

#endif
