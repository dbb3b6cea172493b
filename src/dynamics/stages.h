// The stages of a step, in the order in which step.c runs them.
#ifndef RBL_DYNAMICS_STAGES_H
#define RBL_DYNAMICS_STAGES_H

#include "dynamics/step.h"

// Which bodies are awake (gather.c); swept boxes to the broad phase; pairs begin and end (find_pairs.c).
rblResult rbl_movers_gather(rblStep* step);
rblResult rbl_pairs_find(rblStep* step);

// Which pairs have an awake body, when that may have changed, and, if wanted, those of bodies just born asleep (gather.c).
rblResult rbl_pairs_list_active(rblStep* step, bool new_sleepers);

// Awake bodies into the solver's arrays (gather.c).
rblResult rbl_bodies_gather(rblStep* step);

// How bodies would move through the step, were nothing in their way (paths.c): all that are not known yet.
rblResult rbl_paths_predict(rblStep* step);

// The same motion: the body's frame after some time, and its shape's pose at the end of the step.
rblTransform rbl_path_frame(const rblWorld* world, uint32_t slot, float seconds);
rblTransform rbl_path_end_pose(const rblStep* step, uint32_t slot);

// Contacts of all pairs with an awake body, matched with those of the last step (find_contacts.c).
rblResult rbl_contacts_find(rblStep* step);

// Pieces of one break that nothing else has moved (siblings.c): whether two are; contacts of those in free flight are dropped;
// what the substep did to them, and its time, is noted; a body is none any more.
static inline bool rbl_bodies_are_siblings(const rblBodyPath* a, const rblBodyPath* b)
{
    return a->sibling_group != 0 && a->sibling_group == b->sibling_group;
}

rblResult rbl_siblings_drop_contacts(rblStep* step);
rblResult rbl_siblings_update(rblStep* step);
void rbl_siblings_leave(rblBody* body);

// Sleepers wake next to which a static body was put: before contacts are found, for overlap that is there from the start is
// undone in any case (wake.c).
void rbl_sleepers_wake_displaced(rblStep* step);

// Sleepers that moving bodies run into wake, as many as the impact can move (wake.c).
rblResult rbl_sleepers_wake_by_approach(rblStep* step);

// Who stands on what, and whether one of a pair is as good as static to the other, which lies on it and is much heavier
// (standing.c).
typedef enum rblPinned
{
    RBL_PINNED_NONE,
    RBL_PINNED_A,
    RBL_PINNED_B
} rblPinned;

rblResult rbl_standing_find(rblStep* step);
rblPinned rbl_pair_find_pinned(const rblStep* step, const rblPair* pair);

// Pairs with contacts into manifolds, coloured so that no two of a colour share a body (manifolds.c).
rblResult rbl_manifolds_build(rblStep* step);

// Bodies that hang together (islands.c).
rblResult rbl_islands_find(rblStep* step);

// Move free-flying bodies to their first impact, then make colliding pairs bounce (impacts.c). *breaks: bodies break by it, and
// nothing but the flight has happened.
rblResult rbl_impacts_resolve(rblStep* step, bool* breaks);

// Ask the breakers of bodies with impacts; those that break pay for their cracks. True: some do, and are waiting for
// rbl_bodies_break() (fracture.c).
rblResult rbl_breaks_plan(rblStep* step, bool* any);

// Nobody breaks after all: what was paid is given back.
void rbl_breaks_cancel(rblStep* step);

// Fragments take the places of bodies that break. The substep goes on from here: every body has left what it had.
rblResult rbl_bodies_break(rblStep* step);

// The substep begins, and is over.
void rbl_breaks_begin(rblStep* step);
void rbl_breaks_end(rblStep* step);

// Lasting contacts over the rest of the step, and the clamp of their energy (contact_solve.c, clamp.c).
rblResult rbl_contacts_solve(rblStep* step);
void rbl_momentum_conserve(rblStep* step);
rblResult rbl_islands_clamp(rblStep* step);

// New positions and orientations (integrate.c).
void rbl_integrate(rblStep* step);

// Where a body would be at the end of the step with the velocities so far.
rblTransform rbl_pose_predict(const rblStep* step, uint32_t index);

// Undo overlap with the energy that each island dissipated (drift.c).
rblResult rbl_drift_correct(rblStep* step);

// Stop bodies whose numbers went bad (freeze.c).
void rbl_bodies_freeze(rblStep* step);

// Impulses back into the contacts, events, sleeping, energy (finish.c, sleep.c, energy.c).
rblResult rbl_contacts_finish(rblStep* step);
rblResult rbl_sleep_update(rblStep* step);
void rbl_energy_measure(rblStep* step);

// ---- shared by stages ----

// Kinetic energy of what moves freely, else 0; and that and potential energy in the world's gravity.
double rbl_body_kinetic(const rblWorld* world, uint32_t slot);
double rbl_body_energy(const rblWorld* world, uint32_t slot);

// The solver's velocities into the state, for bodies that it changed: momentum by what the spin gained.
rblResult rbl_velocities_store(rblStep* step);

// Acceleration of a body by gravity and user forces, and of its spin by user torques.
rblVec3 rbl_body_linear_acceleration(const rblWorld* world, const rblSolverBody* body);
rblVec3 rbl_body_angular_acceleration(const rblWorld* world, const rblSolverBody* body);

// The inverse inertia of a body that has turned.
void rbl_inertia_update(const rblMotion* motion, rblSolverBody* body);

// Overlap that is left alone between two bodies: a small part of the thinner one.
float rbl_pair_slop(const rblBody* a, const rblBody* b);

// Whether two bodies may collide at all.
bool rbl_pair_is_wanted(const rblWorld* world, uint32_t a, uint32_t b);

// What the broad phase found into the list of pairs, unless it is there already (find_pairs.c).
rblResult rbl_pairs_merge(rblStep* step);

// A body outside any world, with its shape and breaker referenced; into the world; out of it again (body.c).
rblResult rbl_body_make(const rblBodyDef* def, rblJobs* jobs, rblBody* body, rblMotion* motion);
rblResult rbl_body_enter_world(rblWorld* world, rblBody* body, const rblMotion* motion, uint32_t* slot);
void rbl_body_leave_world(rblWorld* world, uint32_t slot);

// What a material must be; mass, moments and frame of a body from its shape, at density times volume or at a mass; its velocities (body.c).
rblResult rbl_material_check(const rblMaterial* material);
rblResult rbl_body_init_mass(rblBody* body, rblMotion* motion, float wanted);
void rbl_body_init_spin(rblBody* body, rblMotion* motion, rblVec3 velocity, rblVec3 spin);

// Give up what a body holds: shape, breaker and what that prepared (body.c).
void rbl_body_release(rblBody* body);

// How long an elastic impact takes, and its largest force (Hertz); 0 where a modulus or a radius is missing (hertz.c).
typedef struct rblHertz
{
    float duration, force;
} rblHertz;

rblHertz rbl_impact_hertz(const rblBody* a, const rblBody* b, double mass, float speed);

// All slots, or one, have other bodies: their boxes must be measured (find_pairs.c).
void rbl_boxes_forget(rblStep* step);
void rbl_box_forget(rblStep* step, uint32_t slot);

// Retain a breaker until the world is destroyed (snapshot.c).
rblResult rbl_world_keep_breaker(rblWorld* world, const rblBreaker* breaker);

// Wake a body and those that hang on it by joints; the same unless it is awake; and everything that touches it (wake.c).
void rbl_slot_wake(rblWorld* world, uint32_t slot);
void rbl_slot_wake_sleeper(rblWorld* world, uint32_t slot);
void rbl_slot_wake_neighbours(rblWorld* world, uint32_t slot);

// Wake a body that has lost its support, and all that rests on it.
rblResult rbl_slot_wake_unsupported(rblStep* step, uint32_t slot);

// Who touches whom, unless that is known already (wake.c).
rblResult rbl_links_make(rblStep* step);

// Mark the sleepers that an awake body may have touched or left; sum what contacts do to marked bodies; wake those for whom that
// has changed too much (rest.c).
void rbl_sleepers_watch(rblStep* step);
void rbl_loads_sum(rblStep* step);
rblResult rbl_sleepers_check_loads(rblStep* step);

// Wake sleepers that the impacts so far were too much for (rest.c).
void rbl_sleepers_wake_by_impacts(rblStep* step);

// The force of a pair's contacts on one of the two, N, in the last step that solved it (rest.c).
rblVec3 rbl_pair_force(const rblWorld* world, const rblPair* pair, bool on_b);

// The part of a force on a body that carries it, N; negative: it presses (rest.c).
float rbl_body_support_part(const rblWorld* world, uint32_t slot, rblVec3 force);

// Whether a body moves about one place, and has done so for a while (sleep.c).
bool rbl_body_is_rocking(const rblWorld* world, uint32_t slot);

// A speed that no point of a body exceeds (sleep.c).
float rbl_body_max_speed(const rblBody* body, rblVec3 velocity, rblVec3 spin);

#endif
