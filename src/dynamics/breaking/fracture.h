// Breaking, from inside: the strikes of a step, who breaks by them and into what, and how fragments take a body's place.
#ifndef RBL_DYNAMICS_BREAKING_FRACTURE_H
#define RBL_DYNAMICS_BREAKING_FRACTURE_H

#include "dynamics/world.h"

// In how many rounds of a substep bodies may break: what the pieces of one hit breaks in the next. Bodies born in a substep do
// not break in it.
#define RBL_BREAK_ROUNDS 4

// ---- strikes (fracture_strikes.c) ----

// The impacts of the trial that bodies with breakers felt, into world->fracture.strikes.
rblResult rbl_gather_strikes(rblWorld* world);

// A strike as one of its two bodies sees it.
rblImpact rbl_strike_impact(const rblStrike* strike, bool on_b);

// J that the strike can lose at most, with the velocities that its bodies have now: m u^2 / 2 along its normal.
double rbl_strike_energy(const rblWorld* world, const rblStrike* strike);

// Apply the least impulse that loses what its cracks cost. Nothing is changed, and it is not paid, when the two do not approach
// fast enough. The plan that pays remembers what was before.
void rbl_pay_strike(rblWorld* world, rblBreakPlan* plan);

// Give back what a plan that was not carried out has paid, unless one of the two is in pieces already.
void rbl_refund_strike(rblWorld* world, const rblBreakPlan* plan);

// What the two felt of paying, for those who ask. There must be room for it.
void rbl_tell_payment(rblWorld* world, const rblBreakPlan* plan);

// ---- births (fracture_birth.c, fracture_anchor.c) ----

// Whether bodies can be made of all fragments, before anybody has paid for them.
rblResult rbl_check_births(const rblWorld* world, const rblBreakPlan* plan);

// The bodies of all plans are replaced by their fragments, in order; `done` of them when memory runs out.
rblResult rbl_carry_out_breaks(rblWorld* world, size_t* done);

// The same for one, with the energy that enters the world with it. Its shapes are given away.
rblResult rbl_replace_body(rblWorld* world, rblBreakPlan* plan, double* work);

// Which fragments of a static body stay where they are. The shapes of `fracture` are alive.
rblResult rbl_find_anchored(rblWorld* world, uint32_t slot, const rblFracture* fracture, bool* anchored);

// The joints of a body that breaks go to the fragments that hold their anchors (fracture_joints.c).
void rbl_hand_down_joints(rblWorld* world, uint32_t slot, const uint32_t* fragments, uint32_t count);

// Debris whose time is over vanishes, before a step of so many seconds (fracture_debris.c).
// Hierarchies of samples of fragments (rebuild.c): begin to make a body's, put those in that are due, and give up all.
rblResult rbl_begin_rebuild(rblWorld* world, uint32_t slot, uint32_t steps);
void rbl_put_in_rebuilt(rblWorld* world);
void rbl_give_up_rebuilds(rblWorld* world);

void rbl_retire_debris(rblWorld* world, float seconds);

// ---- asking (fracture.c) ----

// A body as its breaker sees it.
rblBreakBody rbl_break_body(const rblWorld* world, uint32_t slot);

// Have the breaker know its shape, unless it does.
rblResult rbl_prepare_breaker(rblBody* body, rblJobs* jobs);

// How many pieces each of `count` bodies may have; 0: as many as they like, 1: none may break.
uint32_t rbl_most_pieces(const rblWorld* world, uint32_t count);

// Into how many pieces a body breaks within its budget; none: it stays whole.
rblResult rbl_shatter_body(rblWorld* world, rblBreakPlan* plan);

// ---- events (fracture_events.c) ----

// Of a plan whose fragments are in world->fracture.fragments.
rblResult rbl_tell_break(rblWorld* world, const rblBreakPlan* plan, double mass_error);

// Before a step, events of the last one go; after it, all have been told.
void rbl_forget_told_breaks(rblWorld* world);
void rbl_note_told_breaks(rblWorld* world);

#endif
