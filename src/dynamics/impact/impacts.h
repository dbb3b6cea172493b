// The parts of the impact stage (impacts.c).
#ifndef RBL_DYNAMICS_IMPACT_IMPACTS_H
#define RBL_DYNAMICS_IMPACT_IMPACTS_H

#include "dynamics/solve/wide.h"
#include <math.h>
#include <stdatomic.h>

// The first impact of a body in the step, and the thinnest shape of all its impacts (impact_order.c).
typedef struct rblFirstImpact
{
    float time;      // s
    float thickness; // m: an inner radius
} rblFirstImpact;

// What the sweeps over impacts know of a bundle; lanes as bits (impact_pairs.c, impact_stop.c).
typedef struct rblImpactBundle
{
    float threshold[4];      // m/s: approach that is no impact
    float impact_speed[4];   // m/s: of the fastest impact so far
    float impact_number[4];  // of its contact in the manifold
    uint8_t approaching;     // before the first sweep
    uint8_t early;           // may stop before the gap is closed
    uint8_t moved_to_impact; // were brought to where the first contact touches
    uint8_t rough;           // are not convex: all that would close is taken to touch
    uint8_t patient;         // what does not touch yet is left to the next flight
    uint8_t later;           // than another impact of one of their bodies
    uint8_t elastic;         // have restitution
    uint8_t has_impulse;     // hold impulses
    bool met;                // its wide contacts are those of the impacts
} rblImpactBundle;

typedef RBL_ARRAY(rblImpactBundle) rblImpactBundleArray;

// Working data of the impact stage, private to impact/.
typedef struct rblImpactStage
{
    rblImpactBundleArray impact_bundles;
    RBL_ARRAY(unsigned char) last_change; // per solver body: 1 + the last sweep over impacts that changed it
    rblFloatArray speeds;                 // per solver body: no point of it moves faster, m/s
    rblFloatArray times;                  // per solver body: s of flight before its next impact
    RBL_ARRAY(unsigned char) freedoms;    // per solver body: rblHold (impact_times.c)
    RBL_ARRAY(unsigned char) isolations;  // per solver body: rblLoner
    RBL_ARRAY(rblImpactPoint) impact_points; // per manifold with an impact in this round
    RBL_ARRAY(rblFirstImpact) firsts;        // per solver body
    bool any_slowed;
    RBL_ARRAY(unsigned char) may_impact; // per solver body: it may have an impact later in the step
    RBL_ARRAY(rblVec3) accelerations;    // per solver body: what gravity and forces do to it, m/s^2
    RBL_ARRAY(rblVec3) surface_spins;    // per solver body: the spin with which its surface goes round, rad/s
    rblIndexArray isolated_manifolds,
        isolated_bundles;            // manifolds of lone bodies, and their bundles (impacts.c)
    rblIndexArray closing_manifolds; // manifolds with `may_close`
    rblIndexArray slides; // manifolds of supported bodies that fly: first per body, next per manifold
    rblContactSet worker_contacts[RBL_MAX_WORKERS];
    atomic_bool out_of_memory; // set by blocks of a loop
} rblImpactStage;

// Sweeps over the approaching pairs; the last two only stop what still approaches, so that a row of balls comes to an end.
#define RBL_IMPACT_SWEEPS 8

// m/s, downwards: a contact with this target does nothing.
#define RBL_NO_TARGET 1e30f

// Approach slower than this is left to the contact solve: it costs half a step's worth of overlap and no energy.
static inline float rbl_impact_threshold(const rblStep* step)
{
    const rblWorld* world = step->world;
    return rbl_maxf(0.1f * rbl_length3(world->def.gravity) * step->seconds, 1e-3f);
}

// The same for one pair: half a step's worth of overlap should not be more than its slop.
static inline float rbl_pair_impact_threshold(const rblStep* step, const rblManifold* manifold,
                                              float threshold)
{
    return rbl_minf(threshold, rbl_maxf(2.0f * manifold->slop / step->seconds, 1e-3f));
}

// Shapes that are not convex have an endless safe way. Their contacts hold for where they were found: when such a body has turned,
// others touch, and what it flies to may not be what it meets.
static inline bool rbl_manifold_is_convex(const rblManifold* manifold)
{
    return manifold->safe_distance < INFINITY;
}

// Flights of a lone body in a step: it goes on after an impact, to the next one. What is then still to come is stopped early.
#define RBL_IMPACT_ROUNDS 6

// What keeps a body from flying freely.
typedef enum rblFreedom
{
    RBL_FREEDOM_FREE,
    RBL_FREEDOM_RESTING, // it touches static bodies, without an impact
    RBL_FREEDOM_NONE     // an impact now, a joint, other moving bodies, or it has no mass to move
} rblFreedom;

// A convex body that only static convex ones are near: what it does in a step concerns nobody else.
typedef enum rblIsolation
{
    RBL_ISOLATION_NONE,
    RBL_ISOLATION_IDLE,
    RBL_ISOLATION_BUSY // has flown or had an impact in the last round
} rblIsolation;

// Which manifolds approach, and when each body has its next impact; it is moved there. From the second round on only lone bodies
// that are busy. *any: something approaches (impact_times.c).
rblResult rbl_impacts_reach(rblStep* step, float threshold, uint32_t round, bool* any);

// Events of the impacts so far, when bodies break and manifolds are found anew (finish.c).
rblResult rbl_impacts_report(rblStep* step);

// The contacts of a pair of convex bodies where they are now; false: no memory (impact_contacts.c).
bool rbl_pair_renew_contacts(rblStep* step, const rblManifold* manifold, rblContactSet* set);

// Contacts of balls, where these are now.
void rbl_manifold_reanchor_balls(rblWorld* world, const rblManifold* manifold);

// Bodies that this round has changed get no more of the step than takes them to what is in their new way (impact_paths.c).
void rbl_paths_limit_new(rblStep* step);

// Seconds from now until a solver body meets another one, at least its time of the step when it does not.
float rbl_body_time_to_meet(rblStep* step, uint32_t index, uint32_t slot);

// Mark the manifolds whose impacts come later than another one of the same body (impact_order.c).
void rbl_impacts_order(rblStep* step);

// Give a body no more of the step than some seconds. True when it had more (impact_slow.c).
bool rbl_body_slow(rblStep* step, uint32_t index, float seconds);

// Whether a body may be slowed because of another one.
bool rbl_body_may_slow(const rblStep* step, uint32_t index, uint32_t other);

// After the impacts: bodies get no more of the step than takes them to what they cannot pass, nor do those behind them.
void rbl_bodies_slow(rblStep* step);

// Move bodies by their `times` (impact_flight.c).
rblResult rbl_bodies_fly_to_impacts(rblStep* step, uint32_t round);

// ---- pairs, four at a time (impact_stop.c) ----

// Write what the sweeps know of a bundle before the first one.
void rbl_impact_bundle_begin(rblStep* step, uint32_t index, float threshold, uint32_t round);

// Lanes of a bundle, of those asked for, that approach and, of these, that are fast enough to bounce. In the first sweep only what
// touches bounces; then also what would close before the end of the step.
typedef struct rblApproach
{
    uint32_t closing, fast;
} rblApproach;

rblApproach rbl_impact_bundle_find_approach(rblStep* step, uint32_t index, uint32_t lanes, bool first);

// One step of Gauss-Seidel at each contact of some lanes, up to eight in those of `alone`. Returns the lanes that changed
// enough to matter to others; *closing those that approached.
uint32_t rbl_impact_bundle_sweep(rblStep* step, uint32_t index, uint32_t lanes, uint32_t alone,
                                 uint32_t* closing);

// The impulses of all sweeps into the manifolds.
void rbl_impact_bundle_store(rblStep* step, uint32_t index);

// ---- pairs (impact_pairs.c) ----

// Each pair of a bundle that approaches or was pushed, once. True when any approached.
bool rbl_impact_bundle_collide(rblStep* step, uint32_t index, uint32_t sweep);

#endif
