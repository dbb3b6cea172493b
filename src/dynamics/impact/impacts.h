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

// Data of a bundle for the sweeps over impacts; lanes as bits (impact_pairs.c, impact_stop.c).
typedef struct rblImpactBundle
{
    float threshold[4];      // m/s: slower approach is no impact
    float impact_speed[4];   // m/s: of the fastest impact so far
    float impact_number[4];  // of its contact in the manifold
    uint8_t approaching;     // before the first sweep
    uint8_t early;           // lanes that may bounce before the gap is closed
    uint8_t moved_to_impact; // lanes that were moved to their time of impact
    uint8_t rough;           // lanes that are not convex: every contact that would close counts as touching
    uint8_t patient;         // lanes whose open contacts wait for the next flight
    uint8_t later;           // lanes whose impact comes after another impact of one of their bodies
    uint8_t elastic;         // lanes with restitution
    uint8_t has_impulse;     // lanes with impulses
    bool packed;             // its wide contacts are filled in for this round
} rblImpactBundle;

typedef RBL_ARRAY(rblImpactBundle) rblImpactBundleArray;

// Working data of the impact stage, private to impact/.
typedef struct rblImpactStage
{
    rblImpactBundleArray impact_bundles;
    RBL_ARRAY(unsigned char) last_change; // per solver body: 1 + the last sweep over impacts that changed it
    rblFloatArray speeds;                 // per solver body: bound of the speed of its points, m/s
    rblFloatArray times;                  // per solver body: s of flight before its next impact
    RBL_ARRAY(unsigned char) freedoms;    // per solver body: rblFreedom (impact_times.c)
    rblIndexArray groups; // per solver body: union-find of bodies that fly together (impact_times.c)
    RBL_ARRAY(unsigned char) isolations;     // per solver body: rblIsolation
    RBL_ARRAY(rblImpactPoint) impact_points; // per manifold with an impact in this round
    RBL_ARRAY(rblFirstImpact) firsts;        // per solver body
    bool any_slowed;
    RBL_ARRAY(unsigned char) may_impact; // per solver body: it may have an impact later in the step
    RBL_ARRAY(rblVec3) accelerations;    // per solver body: by gravity and user forces, m/s^2
    RBL_ARRAY(rblVec3) surface_spins;    // per solver body: the spin of its surface, rad/s
    rblIndexArray isolated_manifolds,
        isolated_bundles;            // manifolds of isolated bodies, and their bundles (impacts.c)
    rblIndexArray closing_manifolds; // manifolds with `may_close`
    rblIndexArray
        slides; // lists of manifolds of supported bodies that fly: first per body, next per manifold
    rblContactSet worker_contacts[RBL_MAX_WORKERS];
    atomic_bool out_of_memory; // set by blocks of a loop
} rblImpactStage;

// ---- tuning ----
#define RBL_IMPACT_SWEEPS 8     // sweeps over approaching pairs; the last two without restitution
#define RBL_BOUNCE_SWEEPS 32    // the same while pairs bounce: a bounce that is stopped instead loses energy
#define RBL_IMPACT_ROUNDS 6     // flights of an isolated body in a step; later impacts are stopped early
#define RBL_NO_TARGET     1e30f // m/s: target of a contact that does nothing

// Slowest approach speed of an impact, m/s. Slower approach is left to the contact solve: it costs overlap of half a step and no
// energy.
static inline float rbl_impact_threshold(const rblStep* step)
{
    const rblWorld* world = step->world;
    return rbl_maxf(0.1f * rbl_length3(world->def.gravity) * step->seconds, 1e-3f);
}

// The same for one pair: that overlap must not exceed its slop.
static inline float rbl_pair_impact_threshold(const rblStep* step, const rblManifold* manifold,
                                              float threshold)
{
    return rbl_minf(threshold, rbl_maxf(2.0f * manifold->slop / step->seconds, 1e-3f));
}

// Whether the filter of contacts lets the bodies of a pair pass through each other in this substep.
static inline bool rbl_pair_is_filtered(const rblStep* step, uint32_t pair)
{
    return step->world->contact_filter != NULL && pair < step->filtered.count &&
           step->filtered.data[pair] != 0;
}

// One of the shapes is ground that is no half space: its contacts tell nothing of the ground farther along a path.
static inline bool rbl_pair_is_rugged(const rblStep* step, const rblPair* pair)
{
    return step->paths.data[pair->a].rugged || step->paths.data[pair->b].rugged;
}

static inline bool rbl_manifold_is_rugged(const rblStep* step, const rblManifold* manifold)
{
    return rbl_pair_is_rugged(step, &step->world->pairs.data[manifold->pair]);
}

// Shapes that are not convex have an infinite safe distance. Their contacts are valid at the poses where they were found: after
// a rotation other points touch, so the time of impact may be wrong.
static inline bool rbl_manifold_is_convex(const rblManifold* manifold)
{
    return manifold->safe_distance < INFINITY;
}

// The body of a manifold that is not the static world; the first one where both move.
static inline uint32_t rbl_manifold_moving_body(const rblManifold* manifold)
{
    return manifold->a != 0 ? manifold->a : manifold->b;
}

// What limits the flight of a body.
typedef enum rblFreedom
{
    RBL_FREEDOM_FREE,
    RBL_FREEDOM_RESTING, // it touches static bodies without an impact
    RBL_FREEDOM_NONE     // an impact now, a joint, other moving bodies, or it has no mass to move
} rblFreedom;

// Isolated body: convex, and all bodies near it are static and convex. Its motion in a step changes no other body.
typedef enum rblIsolation
{
    RBL_ISOLATION_NONE,
    RBL_ISOLATION_IDLE,
    RBL_ISOLATION_BUSY // it flew or had an impact in the last round
} rblIsolation;

// Find approaching manifolds and the next impact of each body, and move the bodies there. From the second round on, only isolated
// busy bodies. *any: a manifold approaches (impact_times.c).
rblResult rbl_impacts_reach(rblStep* step, float threshold, uint32_t round, bool* any);

// Report the impacts so far, before manifolds are rebuilt after a break (finish.c).
rblResult rbl_impacts_report(rblStep* step);

// Find the contacts of a convex pair at its current poses; false: out of memory (impact_contacts.c).
bool rbl_pair_renew_contacts(rblStep* step, const rblManifold* manifold, rblContactSet* set);

// Update the anchors of contacts of balls at their current poses.
void rbl_manifold_reanchor_balls(rblWorld* world, const rblManifold* manifold);

// Limit the time of bodies that this round has deflected, so that they do not pass through bodies on their new paths
// (impact_paths.c).
void rbl_paths_limit_new(rblStep* step);

// Limit the time left of fast bodies on ground of any form to where they meet another part of it.
void rbl_paths_limit_on_ground(rblStep* step);

// Time of impact of a solver body with another body, s from now; without an impact, at least its time left.
float rbl_body_time_to_meet(rblStep* step, uint32_t index, uint32_t slot);

// Mark the manifolds whose impacts come later than another one of the same body (impact_order.c).
void rbl_impacts_order(rblStep* step);

// Limit the time left of a body. Returns whether it had more (impact_slow.c).
bool rbl_body_slow(rblStep* step, uint32_t index, float seconds);

// Whether a body may be slowed because of another one.
bool rbl_body_may_slow(const rblStep* step, uint32_t index, uint32_t other);

// After the impacts: limit the time left of bodies to their safe distance, and that of the bodies behind them.
void rbl_bodies_slow(rblStep* step);

// Move bodies by their `times` (impact_flight.c).
rblResult rbl_bodies_fly_to_impacts(rblStep* step, uint32_t round);

// Note a flight that is about to begin; forget those of the last substep (passages.c).
rblResult rbl_flight_note(rblStep* step, uint32_t index, float seconds);
void rbl_flights_forget(rblStep* step);

// ---- pairs, four at a time (impact_stop.c) ----

// Fill in the data of a bundle before the first sweep.
void rbl_impact_bundle_begin(rblStep* step, uint32_t index, float threshold, uint32_t round);

// Lanes of a bundle that approach and, of these, lanes fast enough to bounce. In the first sweep only touching contacts bounce;
// then also contacts that would close before the end of the step.
typedef struct rblApproach
{
    uint32_t closing, fast;
} rblApproach;

rblApproach rbl_impact_bundle_find_approach(rblStep* step, uint32_t index, uint32_t lanes, bool first);

// One Gauss-Seidel iteration at each contact of some lanes, up to eight in the lanes of `alone`. Returns the lanes that changed
// enough to influence others; *closing: the lanes that approached.
uint32_t rbl_impact_bundle_sweep(rblStep* step, uint32_t index, uint32_t lanes, uint32_t alone,
                                 uint32_t* closing);

// Store the impulses of all sweeps in the manifolds.
void rbl_impact_bundle_store(rblStep* step, uint32_t index);

// ---- pairs (impact_pairs.c) ----

typedef enum rblCollided
{
    RBL_COLLIDED_NOT,
    RBL_COLLIDED_STOPPED,
    RBL_COLLIDED_BOUNCED
} rblCollided;

// Solve each pair of a bundle that approaches or has impulses, once. Returns the most that happened to a pair.
rblCollided rbl_impact_bundle_collide(rblStep* step, uint32_t index, uint32_t sweep);

#endif
