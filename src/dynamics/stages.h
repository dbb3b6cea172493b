// The stages of a step, in the order in which step.c runs them.
#ifndef RBL_DYNAMICS_STAGES_H
#define RBL_DYNAMICS_STAGES_H

#include "dynamics/step.h"

// List the awake bodies (gather.c). Give swept boxes to the broad phase; begin and end pairs (find_pairs.c).
rblResult rbl_movers_gather(rblStep* step);
rblResult rbl_pairs_find(rblStep* step);

// List the pairs with an awake body when they may have changed; with `new_sleepers`, also pairs of bodies that were created
// asleep (gather.c).
rblResult rbl_pairs_list_active(rblStep* step, bool new_sleepers);

// Copy awake bodies to the arrays of the solver (gather.c).
rblResult rbl_bodies_gather(rblStep* step);

// Sort a list of slots, each once. When memory runs out, it becomes the list of all (gather.c).
void rbl_slot_list_sort(rblStep* step, rblSlotList* list);

// Predicted paths without contacts, of all bodies that need one (paths.c).
rblResult rbl_paths_predict(rblStep* step);

// The same prediction: the frame of a body after some time; the pose of its shape at the end of the step.
rblTransform rbl_path_frame(const rblWorld* world, uint32_t slot, float seconds);
rblTransform rbl_path_end_pose(const rblStep* step, uint32_t slot);

// Find the contacts of all pairs with an awake body and match them with those of the last step, for warm starts
// (find_contacts.c).
rblResult rbl_contacts_find(rblStep* step);

// Sibling fragments (siblings.c): whether two bodies are siblings; drop contacts of siblings in free flight; update the groups
// after a substep; remove a body from its group.
static inline bool rbl_bodies_are_siblings(const rblBodyPath* a, const rblBodyPath* b)
{
    return a->sibling_group != 0 && a->sibling_group == b->sibling_group;
}

rblResult rbl_siblings_drop_contacts(rblStep* step);

// Ask the filter of contacts, and drop those that must not act; drop those of one pair (hooks.c).
rblResult rbl_contacts_filter(rblStep* step);
void rbl_pair_drop_contacts(rblPair* pair);

// Overlaps of sensors, and their events (sensors.c).
rblResult rbl_sensors_sense(rblStep* step);

rblResult rbl_siblings_update(rblStep* step);
void rbl_siblings_leave(rblBody* body);

// Wake sleepers next to a static body that was created or teleported. This runs before contacts are found, because initial
// overlap is removed in any case (wake.c).
void rbl_sleepers_wake_displaced(rblStep* step);

// Wake the sleepers that moving bodies will collide with, as many as the impact can move (wake.c).
rblResult rbl_sleepers_wake_by_approach(rblStep* step);

// Find which bodies stand on which, and whether one body of a pair can be treated as static, because the other one stands on
// it and is much heavier (standing.c).
typedef enum rblPinned
{
    RBL_PINNED_NONE,
    RBL_PINNED_A,
    RBL_PINNED_B
} rblPinned;

rblResult rbl_standing_find(rblStep* step);
rblPinned rbl_pair_find_pinned(const rblStep* step, const rblPair* pair);

// Build manifolds of the pairs with contacts. Manifolds of one colour share no moving body (manifolds.c).
rblResult rbl_manifolds_build(rblStep* step);

// Find islands: bodies connected by contacts and joints (islands.c).
rblResult rbl_islands_find(rblStep* step);

// Move free bodies to their first impact, then resolve the impacts (impacts.c). With *breaks, bodies will break, and only the
// flight has been applied.
rblResult rbl_impacts_resolve(rblStep* step, bool* breaks);

// No body passes through another one: before and after the motion of all bodies (passages.c).
rblResult rbl_passages_begin(rblStep* step);
rblResult rbl_passages_end(rblStep* step);
rblResult rbl_passages_check_drift(rblStep* step);

// Ask the breakers about impacts; the cost of the cracks is taken from the impacts. With *any, bodies will break in
// rbl_bodies_break() (fracture.c).
rblResult rbl_breaks_plan(rblStep* step, bool* any);

// Cancel planned breaks and restore the energy that was taken.
void rbl_breaks_cancel(rblStep* step);

// Replace the bodies that break by their fragments. The substep continues from here: the time left of each body is unchanged.
rblResult rbl_bodies_break(rblStep* step);

// Begin and end of a substep.
void rbl_breaks_begin(rblStep* step);
void rbl_breaks_end(rblStep* step);

// Solve lasting contacts over the rest of the step; restore angular momentum; clamp energy gains (contact_solve.c, conserve.c,
// clamp.c).
rblResult rbl_contacts_solve(rblStep* step);
void rbl_momentum_conserve(rblStep* step);
rblResult rbl_islands_clamp(rblStep* step);

// One dynamic body at the beginning and at the end of a part of the step: add forces to its velocity; move it, which returns the
// work of user forces and torques (contact_solve.c, integrate.c).
void rbl_body_apply_forces(rblStep* step, uint32_t index);
double rbl_body_integrate(rblStep* step, uint32_t index);

// New positions and orientations (integrate.c).
void rbl_integrate(rblStep* step);

// Orientations of a world that ignores energy (ignore_energy.c); nothing in any other world. Its islands may spend this much on
// drift correction, in J.
#define RBL_UNLIMITED_ENERGY 1e30
void rbl_orientations_ignore_energy(rblStep* step);

// Predicted pose of a body at the end of the step with its current velocities.
rblTransform rbl_pose_predict(const rblStep* step, uint32_t index);

// Correct overlap, with the energy that each island has dissipated (drift.c).
rblResult rbl_drift_correct(rblStep* step);

// Stop bodies whose state is NaN or infinite (freeze.c).
void rbl_bodies_freeze(rblStep* step);

// Store impulses in contacts and report events; update sleep; sum energy (finish.c, sleep.c, energy.c).
rblResult rbl_contacts_finish(rblStep* step);
rblResult rbl_sleep_update(rblStep* step);
void rbl_energy_measure(rblStep* step);

// The sums over bodies at rest: reserve memory for all bodies; the body of a slot has changed (energy.c).
bool rbl_resting_sums_reserve(rblWorld* world);
void rbl_resting_sums_forget(rblWorld* world, uint32_t slot);

// ---- shared by stages ----

// Kinetic energy of a dynamic body, otherwise 0; kinetic plus potential energy.
double rbl_body_kinetic(const rblWorld* world, uint32_t slot);
double rbl_body_energy(const rblWorld* world, uint32_t slot);

// Kinetic energy of a body with the velocities of the solver (clamp.c).
double rbl_solver_body_kinetic(const rblWorld* world, const rblSolverBody* body);

// Energy that a contact between the body and a sibling has dissipated: heat of the break, where its event is of this step
// (fracture_events.c). Returns what was booked.
double rbl_break_add_heat(rblWorld* world, uint32_t slot, double energy);

// Copy velocities of the solver to the motions of changed bodies; angular momentum changes with the spin.
rblResult rbl_velocities_store(rblStep* step);

// Acceleration of a body by gravity and user forces, and of its spin by user torques.
rblVec3 rbl_body_linear_acceleration(const rblWorld* world, const rblSolverBody* body);
rblVec3 rbl_body_angular_acceleration(const rblWorld* world, const rblSolverBody* body);

// The inverse inertia of a body that has turned.
void rbl_inertia_update(const rblMotion* motion, rblSolverBody* body);

// Slop of a pair: a small part of the extent of the thinner body, m.
float rbl_pair_slop(const rblBody* a, const rblBody* b);

// Whether filters, types and joints allow two bodies to collide.
bool rbl_filters_agree(const rblFilter* a, const rblFilter* b);
bool rbl_pair_is_wanted(const rblWorld* world, uint32_t a, uint32_t b);

// Merge new pairs of the broad phase into the list of pairs, once (find_pairs.c).
rblResult rbl_pairs_merge(rblStep* step);

// Make a body outside of any world, with its shape and breaker retained; add it to the world; remove it (body.c).
rblResult rbl_body_make(const rblBodyDef* def, rblJobs* jobs, rblBody* body, rblMotion* motion);
rblResult rbl_body_enter_world(rblWorld* world, rblBody* body, const rblMotion* motion, uint32_t* slot);
void rbl_body_leave_world(rblWorld* world, uint32_t slot);

// Check a material. Set mass, moments and frame of a body from its shape, with density times volume or a wanted mass. Set its
// velocities (body.c).
rblResult rbl_material_check(const rblMaterial* material);
rblResult rbl_body_init_mass(rblBody* body, rblMotion* motion, float wanted);
void rbl_body_init_spin(rblBody* body, rblMotion* motion, rblVec3 velocity, rblVec3 spin);

// Release the shape, the breaker and the prepared data of a body (body.c).
void rbl_body_release(rblBody* body);

// Duration, s, and peak force, N, of an elastic impact (Hertz); 0 where a modulus or a radius is missing (hertz.c).
typedef struct rblHertz
{
    float duration, force;
} rblHertz;

rblHertz rbl_impact_hertz(const rblBody* a, const rblBody* b, double mass, float speed);

// Mark all boxes, or one, as outdated: the body of the slot has changed (find_pairs.c).
void rbl_boxes_forget(rblStep* step);
void rbl_box_forget(rblStep* step, uint32_t slot);

// Retain a breaker until the world is destroyed (snapshot.c).
rblResult rbl_world_keep_breaker(rblWorld* world, const rblBreaker* breaker);

// Wake a body and the bodies connected to it by joints; the same unless it is awake; wake all bodies that touch it (wake.c).
void rbl_slot_wake(rblWorld* world, uint32_t slot);
void rbl_slot_wake_sleeper(rblWorld* world, uint32_t slot);
void rbl_slot_wake_neighbours(rblWorld* world, uint32_t slot);

// Wake a body that has lost its support, and all bodies that it supports.
rblResult rbl_slot_wake_unsupported(rblStep* step, uint32_t slot);

// The links of a body: its touching pairs with a sleeper, sorted, until the next call; null: out of memory. Forget how much support
// bodies have lost (wake.c).
const rblIndexArray* rbl_links_of(rblStep* step, uint32_t slot);
void rbl_lost_support_forget(rblStep* step);

// Mark the sleepers that an awake body may have touched or left; sum the contact loads on marked bodies; wake bodies whose loads
// have changed too much (rest.c).
rblResult rbl_sleepers_watch(rblStep* step);
rblResult rbl_loads_sum(rblStep* step);
rblResult rbl_sleepers_check_loads(rblStep* step);

// Wake sleepers with impacts above their threshold (rest.c).
void rbl_sleepers_wake_by_impacts(rblStep* step);

// The force of a pair's contacts on one of the two, N, in the last step that solved it (rest.c).
rblVec3 rbl_pair_force(const rblWorld* world, const rblPair* pair, bool on_b);

// The upward part of a force on a body, N; negative: the force presses it down (rest.c).
float rbl_body_support_part(const rblWorld* world, uint32_t slot, rblVec3 force);

// Whether a body has moved around one pose for some time (sleep.c).
bool rbl_body_is_rocking(const rblWorld* world, uint32_t slot);

// An upper bound of the speed of all points of a body, m/s (sleep.c).
float rbl_body_max_speed(const rblBody* body, rblVec3 velocity, rblVec3 spin);

#endif
