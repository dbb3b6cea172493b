// Internal data of breaking: the impacts of a step, the bodies that break, and their replacement by fragments.
#ifndef RBL_DYNAMICS_BREAKING_FRACTURE_H
#define RBL_DYNAMICS_BREAKING_FRACTURE_H

#include "dynamics/step.h"

// An impact of the trial on a body with a breaker, summed over the contacts of the pair.
typedef struct rblPairImpact
{
    uint32_t manifold;
    uint32_t a, b; // slots
    rblBodyId id_a, id_b;
    uint32_t next[2];     // the next impact on a, on b
    rblVec3 point;        // centre of its impulses
    rblVec3 normal;       // from a to b
    rblVec3 impulse;      // on b, N s
    float normal_impulse; // N s along the normal
    float speed;          // of approach, m/s
    float mass, energy, duration, peak_force;
    uint32_t breaks; // number of the two bodies that break by it
    double cost;     // J: cost of their cracks
    double lost;     // J: energy taken from the two bodies
    bool paid;
} rblPairImpact;

typedef RBL_ARRAY(rblPairImpact) rblPairImpactArray;

// A body with impacts, and the verdict of its breaker.
typedef struct rblAsked
{
    uint32_t slot;
    uint32_t first, count; // of its impacts
    rblVerdict verdict;
    rblResult result;
} rblAsked;

// A body that will break.
typedef struct rblBreakPlan
{
    uint32_t slot;
    uint32_t payer; // the pair impact that pays; RBL_NONE: on demand
    uint32_t cause; // the pair impact that broke it, by its breaker; RBL_NONE: on demand
    rblVerdict verdict;
    rblFracture fracture;
    rblResult result;
    double cost;         // J
    bool pays;           // this plan pays for all bodies that break by the impact:
    rblMotion before[2]; // motions of a and b before,
    double work;         // and the work, J
    float impulse;       // N s along the normal
} rblBreakPlan;

// Working data of the fracture stage, private to breaking/.
typedef struct rblFractureStage
{
    rblPairImpactArray pair_impacts;
    rblIndexArray heads; // by slot: its first impact
    RBL_ARRAY(rblAsked) asked;
    RBL_ARRAY(rblImpact) body_impacts; // from the view of each body
    rblIndexArray body_impact_pairs;
    RBL_ARRAY(rblBreakPlan) plans;
    rblIndexArray fragments; // slots of the fragments of the current plan,
    rblIndexArray movers;    // and of those that move
    RBL_ARRAY(bool) anchored;
    rblContactSet contacts;
} rblFractureStage;

// ---- tuning ----
#define RBL_BREAK_ROUNDS 4 // rounds of breaking in a substep; new fragments do not break in it

// ---- impacts (fracture_impacts.c) ----

// Gather the impacts of the trial on bodies with breakers.
rblResult rbl_pair_impacts_gather(rblStep* step);

// An impact from the view of one of its bodies.
rblImpact rbl_pair_impact_on(const rblPairImpact* impact, bool on_b);

// Largest energy that the impact can lose at the current velocities, J: m u^2 / 2 along its normal.
double rbl_pair_impact_energy(const rblWorld* world, const rblPairImpact* impact);

// Apply the smallest impulse that loses the cost of the cracks. When the two bodies do not approach fast enough, nothing changes and
// the impact is not paid. The plan stores the motions before.
void rbl_pair_impact_pay(rblStep* step, rblBreakPlan* plan);

// Undo the payment of a plan that was not applied, unless one of the two bodies has broken already.
void rbl_pair_impact_refund(rblStep* step, const rblBreakPlan* plan);

// Report the impulse of the payment. The capacity must be reserved.
void rbl_payment_report(rblStep* step, const rblBreakPlan* plan);

// ---- births (fracture_birth.c, fracture_anchor.c) ----

// Check that all fragments can become bodies, before any payment.
rblResult rbl_fragments_check(const rblWorld* world, const rblBreakPlan* plan);

// Replace the bodies of all plans by their fragments, in order; *done: the number of plans applied, also when memory runs out.
rblResult rbl_breaks_apply(rblStep* step, size_t* done);

// The same for one plan. *work: energy that enters the world, J. The fragments take over the shapes.
rblResult rbl_body_replace(rblStep* step, rblBreakPlan* plan, double* work);

// Find the fragments of a static body that stay static.
rblResult rbl_fragments_find_anchored(rblStep* step, uint32_t slot, const rblFracture* fracture,
                                      bool* anchored);

// Attach the joints of a body that breaks to the fragments that contain their anchors (fracture_joints.c).
void rbl_joints_pass_to_fragments(rblWorld* world, uint32_t slot, const uint32_t* fragments, uint32_t count);

// Sample hierarchies of fragments (rebuild.c): begin one; apply those that are due; cancel all.
rblResult rbl_rebuild_begin(rblWorld* world, uint32_t slot, uint32_t steps);
void rbl_rebuilds_apply(rblWorld* world);
void rbl_rebuilds_cancel(rblWorld* world);

// Remove debris at the end of its lifetime (fracture_debris.c).
void rbl_debris_retire(rblWorld* world, float seconds);

// ---- asking (fracture.c) ----

// Prepare the breaker of a body for its shape, once.
rblResult rbl_body_prepare_breaker(rblBody* body, rblJobs* jobs);

// Largest number of fragments for each of `count` bodies; 0: no limit, 1: none may break.
uint32_t rbl_max_pieces(const rblWorld* world, uint32_t count);

// Break a body within its budget. No fragments: it stays whole.
rblResult rbl_body_shatter(rblStep* step, rblBreakPlan* plan);

// ---- events (fracture_events.c) ----

// Report the break of a plan whose fragments were just created.
rblResult rbl_break_report(rblStep* step, const rblBreakPlan* plan, double mass_error);

// Before a step: drop the events of the last one. After it: mark all events as reported.
void rbl_break_log_drop_reported(rblWorld* world);
void rbl_break_log_mark_reported(rblWorld* world);

#endif
