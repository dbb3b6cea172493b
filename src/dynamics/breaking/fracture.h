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
    uint32_t next[2];     // index of the next impact on a, on b; RBL_NONE: no more
    rblVec3 point;        // world: centre of pressure of the contacts
    rblVec3 normal;       // from a to b
    rblVec3 impulse;      // on b, N s
    float normal_impulse; // N s along the normal
    float speed;          // approach speed, m/s
    float mass;           // effective mass, kg
    float energy;         // J
    float duration;       // s
    float peak_force;     // N
    uint32_t breaks;      // number of its bodies that break and that it pays for
    double cost;          // J: total cost of their cracks
    double lost;          // J: kinetic energy that the payment removed
    bool paid;
} rblPairImpact;

typedef RBL_ARRAY(rblPairImpact) rblPairImpactArray;

// A body with impacts, and the decision of its breaker.
typedef struct rblBreakQuery
{
    uint32_t slot;
    uint32_t first, count; // range of rblFractureStage.body_impacts
    rblVerdict verdict;
    rblResult result;
} rblBreakQuery;

// A body that breaks in this round.
typedef struct rblBreakPlan
{
    uint32_t slot;
    uint32_t payer; // index of the pair impact that pays; RBL_NONE: break on demand
    uint32_t cause; // index of the pair impact that the breaker named; RBL_NONE: break on demand
    rblVerdict verdict;
    rblFracture fracture;
    rblResult result;
    double cost;         // of its cracks, J
    bool pays;           // the payment of the impact was made for this plan; then:
    rblMotion before[2]; // motions of a and b before the payment
    double work;         // work of kinematic bodies in the payment, J
    float impulse;       // of the payment, N s along the normal
} rblBreakPlan;

// Working data of the fracture stage, private to breaking/.
typedef struct rblFractureStage
{
    rblPairImpactArray pair_impacts;
    rblIndexArray heads; // by slot: first impact on the body, or RBL_NONE (rbl_pair_impacts_gather())
    RBL_ARRAY(rblBreakQuery) queries;  // bodies with impacts, in the order of slots (list_queries())
    RBL_ARRAY(rblImpact) body_impacts; // impacts as the breakers get them, grouped by body (list_queries())
    rblIndexArray body_impact_pairs;   // of each body impact: its pair impact
    RBL_ARRAY(rblBreakPlan) plans;
    rblIndexArray fragments;  // slots of the fragments of the current plan
    rblIndexArray movers;     // slots of those that are dynamic
    RBL_ARRAY(bool) anchored; // by fragment of the current plan: it stays static
    rblContactSet contacts;
} rblFractureStage;

// ---- tuning ----
#define RBL_BREAK_ROUNDS 4 // rounds of breaking in a substep; new fragments do not break in it

// ---- impacts (fracture_impacts.c) ----

// Gather the impacts of the trial on bodies with breakers.
rblResult rbl_pair_impacts_gather(rblStep* step);

// An impact as the breaker of one of its bodies gets it.
rblImpact rbl_pair_impact_on(const rblPairImpact* impact, bool on_b);

// The energy that the impact can pay at the current velocities, J: m u^2 / 2 along its normal.
double rbl_pair_impact_energy(const rblWorld* world, const rblPairImpact* impact);

// Apply the smallest impulse that removes the cost of the cracks from the kinetic energy. When the two bodies do not approach
// fast enough, nothing changes and the impact is not paid. The plan stores the motions before.
void rbl_pair_impact_pay(rblStep* step, rblBreakPlan* plan);

// Undo the payment of a plan that was not applied, unless one of the two bodies was replaced already.
void rbl_pair_impact_refund(rblStep* step, const rblBreakPlan* plan);

// Report the impulse of the payment as an impact. The capacity must be reserved.
void rbl_payment_report(rblStep* step, const rblBreakPlan* plan);

// ---- creation of fragments (fracture_birth.c, fracture_anchor.c) ----

// Check that all fragments can become bodies, before any payment.
rblResult rbl_fragments_check(const rblWorld* world, const rblBreakPlan* plan);

// Replace the bodies of all plans by their fragments, in order; *done: the number of plans applied, also when memory runs out.
rblResult rbl_breaks_apply(rblStep* step, size_t* done);

// The same for one plan. *work grows by the energy that enters the world, J. The fragments take over the shapes.
rblResult rbl_body_replace(rblStep* step, rblBreakPlan* plan, double* work);

// Find the fragments of a static body that stay static.
rblResult rbl_fragments_find_anchored(rblStep* step, uint32_t slot, const rblFracture* fracture,
                                      bool* anchored);

// Attach the joints of a body that breaks to the fragments that contain their anchors (fracture_joints.c).
void rbl_joints_pass_to_fragments(rblWorld* world, uint32_t slot, const uint32_t* fragments, uint32_t count);

// New sample hierarchies of fragments (rebuild.c): begin one; apply those that are due; cancel all.
rblResult rbl_rebuild_begin(rblWorld* world, uint32_t slot, uint32_t steps);
void rbl_rebuilds_apply(rblWorld* world);
void rbl_rebuilds_cancel(rblWorld* world);

// Remove debris at the end of its lifetime (fracture_debris.c).
void rbl_debris_retire(rblWorld* world, float seconds);

// ---- decisions (fracture.c) ----

// Prepare the breaker of a body for its shape, once.
rblResult rbl_body_prepare_breaker(rblBody* body, rblJobs* jobs);

// Largest number of fragments for each of `count` bodies; 0: no limit, 1: none may break.
uint32_t rbl_max_fragments(const rblWorld* world, uint32_t count);

// Break a body within its budget. Without fragments in the result, the body does not break.
rblResult rbl_body_shatter(rblStep* step, rblBreakPlan* plan);

// ---- events (fracture_events.c) ----

// Report the break of a plan whose fragments were just created.
rblResult rbl_break_report(rblStep* step, const rblBreakPlan* plan, double mass_error);

// Before a step: drop the events of the last one. After it: mark all events as reported.
void rbl_break_log_drop_reported(rblWorld* world);
void rbl_break_log_mark_reported(rblWorld* world);

#endif
