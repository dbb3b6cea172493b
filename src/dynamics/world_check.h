// Checks of a whole world, for tests and for debugging: invariants that every stage relies on.
#ifndef RBL_DYNAMICS_WORLD_CHECK_H
#define RBL_DYNAMICS_WORLD_CHECK_H

#include "dynamics/step.h"

// Groups of invariants, to be combined by |. The names of the sums below say when they hold.
#define RBL_CHECK_IDS    1u // ids and slots agree
#define RBL_CHECK_BODIES 2u // types and masses agree; counts of fragments are right
#define RBL_CHECK_JOINTS 4u // the bodies of joints exist and count them
#define RBL_CHECK_PAIRS                                                                                      \
    8u // unique, between bodies that exist; holes and lists of pairs are intact; the broad phase agrees
#define RBL_CHECK_CONTACTS 16u // every pair's contacts are in bounds
#define RBL_CHECK_SLEEP    32u // no awake body has a sleep group
#define RBL_CHECK_BROAD    64u // the trees of the broad phase cover their leaves
#define RBL_CHECK_SOLVER                                                                                     \
    128u // solver bodies are the movers; manifolds refer to bodies, pairs and contacts that exist
#define RBL_CHECK_COLORS   256u  // no two manifolds of a colour share a moving body
#define RBL_CHECK_ISLANDS  512u  // islands partition the awake dynamic bodies, and no manifold joins two
#define RBL_CHECK_BREAKS   1024u // break events match their lists of fragments and mates
#define RBL_CHECK_ENERGY   2048u // the reported energies are finite
#define RBL_CHECK_SHAPES   4096u // shapes of bodies: sample hierarchies, and the fragment events they refer to
#define RBL_CHECK_MOTIONS  8192u  // poses and velocities are finite
#define RBL_CHECK_IMPULSES 16384u // contacts are finite and push
#define RBL_CHECK_ACTIVE   32768u // active pairs are sorted and include those with an awake body
#define RBL_CHECK_ALL      65535u

// Velocities may overflow, and shapes of the user may return numbers that are not finite. Until the end of the step, when freeze.c
// stops such bodies, their numbers are no fault of the engine.
#define RBL_CHECK_WITHOUT_NUMBERS (RBL_CHECK_ALL & ~RBL_CHECK_IMPULSES)

// Sums that hold: between steps; after pairs, contacts and islands were found; after impacts and the solver; after velocities that
// are not finite were removed (freeze.c); after bodies broke. Shapes never change, so that they are checked where new ones appear.
#define RBL_CHECK_STATE                                                                                      \
    (RBL_CHECK_IDS | RBL_CHECK_BODIES | RBL_CHECK_MOTIONS | RBL_CHECK_JOINTS | RBL_CHECK_SLEEP |             \
     RBL_CHECK_BROAD | RBL_CHECK_BREAKS | RBL_CHECK_ENERGY)
#define RBL_CHECK_AFTER_PAIRS    (RBL_CHECK_PAIRS | RBL_CHECK_BROAD | RBL_CHECK_ACTIVE)
#define RBL_CHECK_AFTER_CONTACTS (RBL_CHECK_PAIRS | RBL_CHECK_CONTACTS | RBL_CHECK_IMPULSES)
#define RBL_CHECK_AFTER_ISLANDS  (RBL_CHECK_SOLVER | RBL_CHECK_COLORS | RBL_CHECK_ISLANDS | RBL_CHECK_ACTIVE)
#define RBL_CHECK_AFTER_SOLVING  RBL_CHECK_SOLVER
#define RBL_CHECK_AFTER_FREEZING (RBL_CHECK_BODIES | RBL_CHECK_MOTIONS | RBL_CHECK_SOLVER)
#define RBL_CHECK_AFTER_BREAKS                                                                               \
    (RBL_CHECK_IDS | RBL_CHECK_BODIES | RBL_CHECK_JOINTS | RBL_CHECK_BREAKS | RBL_CHECK_SHAPES)

// RBL_ERROR_FORMAT with a message that names the first violated invariant and where. Changes nothing.
rblResult rbl_world_check(const rblWorld* world, uint32_t checks);

// Choose the checks after every stage of later steps; 0: none. At first they are RBL_CHECK_WITHOUT_NUMBERS in builds with asserts,
// and none in others. A step in which a check fails returns its error, and a build with asserts stops there. The checks cost about
// as much as the step.
rblResult rbl_world_check_stages(rblWorldId id, uint32_t checks);

#endif
