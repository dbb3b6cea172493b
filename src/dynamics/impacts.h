// The parts of the impact stage (impacts.c).
#ifndef RBL_DYNAMICS_IMPACTS_H
#define RBL_DYNAMICS_IMPACTS_H

#include "dynamics/wide.h"

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

// ---- pairs, four at a time (impact_stop.c) ----

// Write what the sweeps know of a bundle before the first one.
void rbl_begin_impact_bundle(rblWorld* world, uint32_t index, float threshold);

// Lanes of a bundle, of those asked for, that approach and, of these, that are fast enough to bounce.
typedef struct rblApproach
{
    uint32_t closing, fast;
} rblApproach;

rblApproach rbl_look_at_bundle(rblWorld* world, uint32_t index, uint32_t lanes);

// One step of Gauss-Seidel at each contact of some lanes, up to eight in those of `alone`. Returns the lanes that changed
// enough to matter to others; *closing those that approached.
uint32_t rbl_stop_bundle(rblWorld* world, uint32_t index, uint32_t lanes, uint32_t alone, uint32_t* closing);

// The impulses of all sweeps into the manifolds.
void rbl_book_impact_bundle(rblWorld* world, uint32_t index);

// ---- pairs (impact_pairs.c) ----

// Each pair of a bundle that approaches or was pushed, once. True when any approached.
bool rbl_collide_bundle(rblWorld* world, uint32_t index, uint32_t sweep);

#endif
