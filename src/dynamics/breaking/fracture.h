// Breaking, from inside: the impacts of a step, who breaks by them and into what, and how fragments take a body's place.
#ifndef RBL_DYNAMICS_BREAKING_FRACTURE_H
#define RBL_DYNAMICS_BREAKING_FRACTURE_H

#include "dynamics/step.h"

// An impact of the trial that a body with a breaker felt, of all its contacts together.
typedef struct rblPairImpact
{
    uint32_t manifold;
    uint32_t a, b; // slots
    rblBodyId id_a, id_b;
    uint32_t next[2];     // the next impact on a, on b
    rblVec3 point;        // where its impulses act on the whole
    rblVec3 normal;       // from a to b
    rblVec3 impulse;      // on b, N s
    float normal_impulse; // N s along the normal
    float speed;          // of approach, m/s
    float mass, energy, duration, peak_force;
    uint32_t breaks; // how many of the two break by it
    double cost;     // J: of their cracks
    double lost;     // J: what they took from the two that meet
    bool paid;
} rblPairImpact;

typedef RBL_ARRAY(rblPairImpact) rblPairImpactArray;

// A body that felt impacts, and what its breaker says.
typedef struct rblAsked
{
    uint32_t slot;
    uint32_t first, count; // of its impacts
    rblVerdict verdict;
    rblResult result;
} rblAsked;

// A body that is to break.
typedef struct rblBreakPlan
{
    uint32_t slot;
    uint32_t payer; // the pair impact that pays; RBL_NONE: on demand
    uint32_t cause; // the pair impact that broke it, by its breaker; RBL_NONE: on demand
    rblVerdict verdict;
    rblFracture fracture;
    rblResult result;
    double cost;         // J
    bool pays;           // the impact, for all who break by it:
    rblMotion before[2]; // a and b were like this,
    double work;         // and this much was put in, J
    float impulse;       // N s along the normal
} rblBreakPlan;

// Working data of the fracture stage, private to breaking/.
typedef struct rblFractureStage
{
    rblPairImpactArray pair_impacts;
    rblIndexArray heads; // by slot: its first impact
    RBL_ARRAY(rblAsked) asked;
    RBL_ARRAY(rblImpact) body_impacts; // as the bodies see them
    rblIndexArray body_impact_pairs;
    RBL_ARRAY(rblBreakPlan) plans;
    rblIndexArray fragments; // slots of the one at hand,
    rblIndexArray movers;    // and of those that move
    RBL_ARRAY(bool) anchored;
    rblContactSet contacts;
} rblFractureStage;

// In how many rounds of a substep bodies may break: what the pieces of one impact break in the next. Bodies born in a substep do
// not break in it.
#define RBL_BREAK_ROUNDS 4

// ---- impacts (fracture_impacts.c) ----

// The impacts of the trial that bodies with breakers felt, into world->fracture->impacts.
rblResult rbl_pair_impacts_gather(rblStep* step);

// An impact as one of its two bodies sees it.
rblImpact rbl_pair_impact_on(const rblPairImpact* impact, bool on_b);

// J that the impact can lose at most, with the velocities that its bodies have now: m u^2 / 2 along its normal.
double rbl_pair_impact_energy(const rblWorld* world, const rblPairImpact* impact);

// Apply the least impulse that loses what its cracks cost. Nothing is changed, and it is not paid, when the two do not approach
// fast enough. The plan that pays remembers what was before.
void rbl_pair_impact_pay(rblStep* step, rblBreakPlan* plan);

// Give back what a plan that was not carried out has paid, unless one of the two is in pieces already.
void rbl_pair_impact_refund(rblStep* step, const rblBreakPlan* plan);

// What the two felt of paying, for those who ask. There must be room for it.
void rbl_payment_report(rblStep* step, const rblBreakPlan* plan);

// ---- births (fracture_birth.c, fracture_anchor.c) ----

// Whether bodies can be made of all fragments, before anybody has paid for them.
rblResult rbl_fragments_check(const rblWorld* world, const rblBreakPlan* plan);

// The bodies of all plans are replaced by their fragments, in order; `done` of them when memory runs out.
rblResult rbl_breaks_apply(rblStep* step, size_t* done);

// The same for one, with the energy that enters the world with it. Its shapes are given away.
rblResult rbl_body_replace(rblStep* step, rblBreakPlan* plan, double* work);

// Which fragments of a static body stay where they are. The shapes of `fracture` are alive.
rblResult rbl_fragments_find_anchored(rblStep* step, uint32_t slot, const rblFracture* fracture,
                                      bool* anchored);

// The joints of a body that breaks go to the fragments that hold their anchors (fracture_joints.c).
void rbl_joints_pass_to_fragments(rblWorld* world, uint32_t slot, const uint32_t* fragments, uint32_t count);

// Debris whose time is over vanishes, before a step of so many seconds (fracture_debris.c).
// Hierarchies of samples of fragments (rebuild.c): begin to make a body's, put those in that are due, and give up all.
rblResult rbl_rebuild_begin(rblWorld* world, uint32_t slot, uint32_t steps);
void rbl_rebuilds_apply(rblWorld* world);
void rbl_rebuilds_cancel(rblWorld* world);

void rbl_debris_retire(rblWorld* world, float seconds);

// ---- asking (fracture.c) ----

// Have the breaker know its shape, unless it does.
rblResult rbl_body_prepare_breaker(rblBody* body, rblJobs* jobs);

// How many pieces each of `count` bodies may have; 0: as many as they like, 1: none may break.
uint32_t rbl_max_pieces(const rblWorld* world, uint32_t count);

// Into how many pieces a body breaks within its budget; none: it stays whole.
rblResult rbl_body_shatter(rblStep* step, rblBreakPlan* plan);

// ---- events (fracture_events.c) ----

// Of a plan whose fragments are in world->fracture->fragments.
rblResult rbl_break_report(rblStep* step, const rblBreakPlan* plan, double mass_error);

// Before a step, events of the last one go; after it, all have been told.
void rbl_break_log_drop_reported(rblWorld* world);
void rbl_break_log_mark_reported(rblWorld* world);

#endif
