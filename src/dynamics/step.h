// Data of one step that its stages share. Its memory is reused, so that a step like the last one allocates nothing; the
// contents do not outlive the step, except for lists that store what they are valid for. Data of a single stage is a struct
// in the file of that stage; the step has a pointer to it.
#ifndef RBL_DYNAMICS_STEP_H
#define RBL_DYNAMICS_STEP_H

#include "dynamics/world.h"

// ---- the solver ----

// A body in the solver. Entry 0 is the static world.
typedef struct rblSolverBody
{
    rblVec3 velocity;
    float inverse_mass;
    rblVec3 spin;
    float seconds; // s left of the step for this body: all of it, or the part after its first impact
    rblSymmetric3 inverse_inertia;
    uint32_t slot;
    uint32_t island; // RBL_NONE for the static world and kinematic bodies
} rblSolverBody;

typedef RBL_ARRAY(rblSolverBody) rblSolverBodyArray;

// Velocities that later stages compare with, per solver body.
typedef struct rblVelocity
{
    rblVec3 velocity;
    rblVec3 spin;
} rblVelocity;

typedef RBL_ARRAY(rblVelocity) rblVelocityArray;

// All contacts of one pair, for the solver. Sorted by colour, then number of contacts, then pair.
typedef struct rblManifold
{
    uint32_t pair;
    uint32_t a, b;         // solver bodies
    uint32_t first, count; // of solver contacts
    uint32_t contact;      // the first in rblWorld.contacts
    uint32_t redundant;    // number of redundant contacts that follow them there, see rblPair
    uint32_t bundle;       // the bundle that has this manifold in a lane
    float friction;
    float restitution;
    float
        seconds; // s left of the step for the pair; this and all fields below are for impacts, as are its solver contacts
    float slop;          // m of overlap that is left uncorrected
    float safe_distance; // m: a body that moves less than this cannot pass through the other one
    float closing;       // s until an open contact of it closes in an impact; the whole step: none does
    float deepest;       // overlap at the end of the step, m
    bool prepared;       // its solver contacts are filled in
    bool early; // may bounce before its gap is closed: it has restitution, a joint, or a known time of impact
    bool fast;  // continuous detection was used
    bool slow;  // too slow for an impact: skipped
    bool closed;           // a contact of it touches
    bool has_impact;       // a touching contact is an impact now
    bool may_close;        // an open contact of it may close in an impact
    bool approaching;      // closes within the step with more than the threshold speed of impacts
    bool has_impact_point; // an impact point of this round is stored
    bool moved_to_impact;  // a body of it was just moved to an impact
    bool later;            // its impact comes after another impact of one of its bodies
    bool had_overlap;      // overlaps since one of its bodies was created, or since a flight of siblings
    bool siblings;         // see rblPair
    bool misses;   // in free motion the two miss each other: contacts resist only what changes that motion
    bool round;    // one of the two bodies is round
    bool touching; // at the end of the step a contact presses or overlaps
    bool near;     // at the end of the step a gap is smaller than the slop
    double kinematic_work; // J: work of a body of infinite mass on the other
    double
        sibling_loss;   // J: kinetic energy that siblings lose by their contacts in the impacts of this round
    float impact_speed; // of the fastest impact in this round, m/s; 0: none
    float impact_normal_impulse; // N s along the normal, of all impacts in this round
    rblVec3 impact_impulse;      // N s on b, with friction
    uint32_t impact_contact;     // the solver contact with the fastest approach
    uint32_t last_impact;        // 1 + the index of its last impact in this step; 0: none
} rblManifold;

typedef RBL_ARRAY(rblManifold) rblManifoldArray;

// Point and normal of the fastest contact in the impact of a manifold, world axes.
typedef struct rblImpactPoint
{
    rblVec3 point, normal;
} rblImpactPoint;

// The impact of a manifold in one round (impacts.c).
typedef struct rblManifoldImpact
{
    uint32_t manifold;
    uint32_t before;      // 1 + the index of its impact in an earlier round; 0: none
    float normal_impulse; // N s along the normal
    float speed;          // approach speed, m/s; 0: no contact touched, the approach was only slowed
    rblVec3 impulse;      // N s on b, with friction
    rblImpactPoint at;
} rblManifoldImpact;

// Contact properties of a body, by slot: a compact copy that fits the cache (manifolds.c).
typedef struct rblSurface
{
    float friction, restitution;
    float slop;         // slop against a body that is at least as thick, m
    float inner_radius; // infinite when the shape is unbounded
    uint32_t joint_count;
    bool exact; // rbl_shape_is_exact()
    bool round; // it rolls
} rblSurface;

typedef RBL_ARRAY(rblSurface) rblSurfaceArray;

// One contact of a manifold in scalar form. In the impact phase it is the record of the contact: its geometry, and the impulse
// of its impacts. The solver fields are working data of a function that solves contacts one at a time: it fills them in
// (rbl_manifold_unpack(), rbl_contact_prepare_masses()) and no other stage reads them afterwards.
typedef struct rblSolverContact
{
    // Geometry, by rbl_manifold_prepare(); rbl_manifold_unpack() writes all but the gap.
    rblVec3 arm_a, arm_b; // lever arms: from the centres to the point midway between the surfaces
    rblVec3 normal;       // from a to b
    float gap;            // m; negative: overlap

    // Normal impulse of the contact in the impact of its pair, N s: the sum over all bounces and stops of this round. Written by
    // bounce_pair() and rbl_impact_bundle_store(), read for the centre of pressure (fracture_impacts.c).
    float impact_impulse;

    // Solver fields.
    float target;         // smallest normal velocity after the solve, m/s
    float normal_impulse; // accumulated impulses, N s
    float tangent_impulse[2];
    float change[3];   // change of the impulses in the last iteration
    rblVec3 tangent;   // the second tangent is normal x tangent
    float normal_mass; // kg: effective mass along the normal
    // kg: inverse of the 2x2 tangential block: xx, yy, xy; and one number for all directions
    float tangent_mass[4];
    float coupling[2]; // normal velocity per tangential impulse, 1/kg
} rblSolverContact;

typedef RBL_ARRAY(rblSolverContact) rblSolverContactArray;

// Up to four manifolds of one colour, which share no moving body: one SIMD lane for each. The solver works on bundles.
// Sweeps read the first 64 bytes.
typedef struct rblBundle
{
    uint32_t a[4], b[4]; // solver bodies; the static world in lanes that are not used
    float friction[4];
    uint32_t first, count;         // of its wide contacts
    uint32_t redundant;            // number of redundant wide contacts that follow, for drift correction only
    uint32_t manifold;             // manifold of the first lane; those of the other lanes follow it
    uint16_t lanes;                // used
    bool deep;                     // a lane overlaps by more than its slop (drift.c)
    uint8_t corrects;              // lanes whose overlap can be corrected
    bool idle;                     // sweeps skip it (subspace.c)
    uint8_t free;                  // lanes whose free motion is no contact: siblings, and pairs that miss
    uint8_t rounds;                // lanes with a round body
    uint32_t slot_a[4], slot_b[4]; // the bodies
    uint32_t contact[4];           // the first in rblWorld.contacts
    uint32_t counts[4];            // of contacts
    uint32_t redundant_counts[4];  // of those that follow
    float slop[4];
} rblBundle;

typedef RBL_ARRAY(rblBundle) rblBundleArray;

// One contact of each manifold of a bundle: the SIMD packing of the geometry and solver fields of rblSolverContact. The sweeps
// of impacts fill it in once per round (impact_stop.c), the contact solve once per step (contact_aim.c). In a lane without a
// contact the normal, masses and impulses are zero. Fields are in the order in which drift correction and sweeps read them.
typedef struct rblWideContact
{
    float gap[4];
    float arm_a[3][4], arm_b[3][4];
    float normal[3][4];
    float normal_mass[4];
    float target[4];
    float normal_impulse[4];
    float tangent_impulse[2][4];
    float tangent[3][4];
    float tangent_mass[4][4];
    float coupling[2][4];
    float change[3][4];    // of the impulses in the last sweep
    float direction[3][4]; // p of the conjugate directions
} rblWideContact;

typedef RBL_ARRAY(rblWideContact) rblWideContactArray;

// Growth of a body's energy with the share eps of its contact impulses: eps linear + eps^2 square, J (clamp.c).
typedef struct rblGrowth
{
    double linear, square;
    float share; // share of its impulses after clamping
} rblGrowth;

typedef RBL_ARRAY(rblGrowth) rblGrowthArray;

// Velocities of a body, padded to rows of four.
typedef struct rblVelocityRows
{
    float velocity[4], spin[4];
} rblVelocityRows;

typedef RBL_ARRAY(rblVelocityRows) rblVelocityRowsArray;

// Bodies that are connected by contacts or joints. Islands do not influence each other within a step.
typedef struct rblIsland
{
    uint32_t first, count; // in rblStep.island_bodies
    double
        budget; // J: dissipated by its impacts and contacts in this step and not heat of a break: drift correction may spend it
    double impact_work;      // J: work of kinematic bodies through impacts,
    double contact_work;     // and through lasting contacts
    double elastic_work;     // J: work of joints that yield, and of limits that push back
    double absorbed;         // J: taken by limits of joints
    double contact_loss;     // J: dissipated in the contact solve,
    double sibling_loss;     // by contacts between siblings
    double clamped;          // J: energy gain that clamping prevented
    double recovery_work;    // J: spent on initial overlap beyond the budget
    double lifted;           // J: energy that drift correction added
    rblVec3d drift_momentum; // angular momentum that drift correction added without a support: rounding
    double drift_impulse;    // N s: changes of momentum of its bodies by drift correction without a support
    float displaced;         // share of the displacements that its budget allows
    float slop;              // the smallest of its overlapping manifolds
    double left; // J: residual energy after the sweeps of the last round; infinite: not computed (subspace.c)
    bool waits;  // a direct solve failed: no other one in this step
    bool idle;   // another round would not change anything
    bool corrects;       // drift correction has work here
    bool jointed;        // contains a joint
    bool dragged;        // has a joint to a kinematic body that moves
    uint32_t parts;      // its joints advance it in so many parts of the step (joint_parts.c); 0: in one
    double pressed_work; // J: work of its contacts in the contact solve, normally negative
    double joint_loss;   // J: numerical energy loss in joints; negative: gain
    bool grounded;       // touches a body of infinite mass
    bool recovering;     // contains a pair with initial overlap
    bool parting;        // contains a pair that overlaps since its flight as siblings
} rblIsland;

typedef RBL_ARRAY(rblIsland) rblIslandArray;
// Predicted path of a body over the step, by slot: the data that most pairs need, in one cache line (narrow_phase.c).
typedef struct rblBodyPath
{
    rblTransform frame;
    rblVec3 translation;                  // of the centre over the step
    float turning;                        // m: bound of the motion of its surface by rotation
    float radius, inner_radius, thinnest; // of its shape
    bool bounded;                         // its shape
    bool exact;                           // rbl_shape_is_exact()
    bool rugged;                  // ground that is no half space: other parts of it may be on the path
    bool has_prepared_sweep;      // in rblStep.flights
    bool is_new, is_new_fragment; // see rblBody
    bool same; // unchanged since the last contact search of this substep, when other bodies broke
    uint32_t sibling_group;
} rblBodyPath;

// Activity of a body in this step, by slot.
typedef enum rblActivity
{
    RBL_ACTIVITY_NONE, // static, or no body
    RBL_ACTIVITY_ASLEEP,
    RBL_ACTIVITY_AWAKE, // dynamic
    RBL_ACTIVITY_DRIVEN // kinematic
} rblActivity;

// Sum of contact forces on a body, N and N m.
typedef struct rblLoad
{
    rblVec3 force, torque;
    float support;   // sum of the upward parts of the forces
    float force_sum; // magnitudes of the forces
} rblLoad;

// ---- the step ----

#define RBL_MAX_COLORS 64 // the last one is solved by one worker

struct rblStep
{
    rblWorld* world;
    float seconds;        // of the substep
    uint32_t break_round; // rounds of breaking so far in this substep (fracture.c)

    // Active bodies and pairs (gather.c).
    rblIndexArray movers;                // slots of awake moving bodies, rising
    rblIndexArray active_pairs;          // pairs with an awake body, by (a, b) (active_pairs.c)
    rblProxyPairArray active_keys;       // the bodies of each
    rblCounters resting;                 // contributions of the other pairs to the counters
    RBL_ARRAY(unsigned char) activities; // by slot: rblActivity
    RBL_ARRAY(unsigned char) untried;    // by slot: asleep since it was created
    uint32_t sleepers;                   // number of sleeping bodies
    rblIndexArray flipped, slot_scratch; // slots that began or stopped to move; buffer of a sort
    rblIndexArray pairs_of_body;         // sorted (pair_list.c)
    rblIndexArray woken;                 // slots that began to move since active_pairs was listed
    bool relists, relists_all; // active_pairs is outdated: by what was counted since then, or as a whole
    bool parks;                // pairs of it may have come to rest
    rblIndexArray parking,
        unparking;           // pairs that left and joined it since contacts were found (find_contacts.c)
    rblSlotList stale_paths; // bodies besides the movers whose paths are outdated (paths.c)
    bool had_breaks;         // the paths are of a search after a break
    rblFloatArray time_left; // by slot: s left of the substep once bodies have broken (fracture.c)

    // Predicted paths, without contacts (paths.c), by slot.
    RBL_ARRAY(rblBodyPath) paths;
    RBL_ARRAY(rblSweep) sweeps; // of shapes: start pose and predicted motion over the step
    RBL_ARRAY(rblPreparedSweep)
    prepared_sweeps; // the same, prepared for times of impact, of bodies that move far
    RBL_ARRAY(unsigned char)
    filtered; // by pair, where there is a filter of contacts: it let none of them act (hooks.c)
    RBL_ARRAY(rblTransform) end_poses; // predicted end poses of shapes that are not exact
    rblContact* last_contacts; // contacts of the last step, until new ones are found (find_contacts.c)

    // Bodies in the solver (gather.c); velocities that later stages compare with.
    rblIndexArray solver_index;       // by slot
    rblSolverBodyArray solver_bodies; // 0: the static world, then movers
    rblVelocityArray at_start;        // before the impacts (gather.c, impacts.c)
    rblVelocityArray before_contacts; // after the impacts, before forces and contacts: v' (contact_solve.c)
    rblVelocityArray unconstrained;   // with forces, without contacts: v* (contact_solve.c)

    // Manifolds and their colours (manifolds.c), bundles of four (bundles.c), islands (islands.c).
    rblSurfaceArray surfaces;
    rblManifoldArray manifolds;
    rblIndexArray manifold_of_pair; // by pair, of active pairs; RBL_NONE: the pair has no manifold
    rblSolverContactArray solver_contacts;
    uint32_t color_starts[RBL_MAX_COLORS + 1]; // where the manifolds of a colour begin
    uint32_t color_count;
    rblBundleArray bundles;
    rblWideContactArray wide_contacts;
    uint32_t color_bundles[RBL_MAX_COLORS + 1]; // where the bundles of a colour begin
    rblIslandArray islands;
    rblIndexArray island_bodies; // solver bodies by island

    rblFloatArray clocks; // per solver body: s of the substep already simulated by flights (impact_flight.c)
    RBL_ARRAY(unsigned char)
    slowed; // per solver body: it gets only a part of the rest of the step (impact_slow.c, joint_solve.c)
    RBL_ARRAY(rblManifoldImpact) manifold_impacts; // of the substep, round by round (impacts.c)
    rblGrowthArray growths;                        // per solver body (clamp.c)
    rblJointSystem joint_system;                   // (joint_system.c)
    rblSensedArray sensed_now;                     // of this substep (sensors.c)
    rblIndexArray sensed_bodies;                   // near one sensor
    rblContactSet sensed_contacts;                 // of one of them
    RBL_ARRAY(unsigned char)
    watched;                        // by slot: its loads are summed (rest.c); it may fall asleep (sleep.c)
    rblIndexArray watched_sleepers; // slots
    bool watched_is_clear;          // no body is watched: between steps
    RBL_ARRAY(rblLoad) loads;       // by slot (rest.c)

    // Data of single stages; the file that defines each struct.
    struct rblPairFinder* pair_finder;           // find_pairs.c
    struct rblActivePairs* pairs_active;         // active_pairs.c
    struct rblContactFinder* contact_finder;     // find_contacts.c
    struct rblSiblingFinder* siblings;           // siblings.c
    struct rblWaker* waker;                      // wake.c
    struct rblStanding* standing;                // standing.c
    struct rblManifoldBuilder* manifold_builder; // manifolds.c
    struct rblIslandFinder* island_finder;       // islands.c
    struct rblImpactStage* impact;               // impacts.h
    struct rblPassageStage* passages;            // passages.h
    struct rblFractureStage* fracture;           // fracture.h
    struct rblContactSolver* contact_solver;     // contact_solve.c
    struct rblSubspaceStage* subspace;           // subspace_system.h
    struct rblDriftStage* drift;                 // drift.c
    struct rblSleepStage* sleeper;               // sleep.c
};

// Null when out of memory (step_memory.c).
rblStep* rbl_step_create(rblWorld* world);
void rbl_step_destroy(rblStep* step);

// ---- tuning ----
// Array sizes from the worst step of a collapse (the pile of 9000 in docs/benchmarks.md), rounded up. Smaller values cost time
// in such steps, because arrays grow; they change no result.
#define RBL_PILE_PAIRS    16    // pairs per awake body
#define RBL_PILE_CONTACTS 8     // contacts per awake body
#define RBL_PILE_BODIES   16384 // bodies: beyond this, arrays grow by doubling only

// Smallest capacity of working arrays when they grow: enough for a pile of all awake bodies. Otherwise they would be moved
// several times in the steps of a collapse, which are the slowest anyway. Memory that is never touched costs nothing.
static inline size_t rbl_pile_capacity(const rblStep* step, size_t per_body)
{
    const size_t movers = step->movers.count;
    return per_body * (movers < RBL_PILE_BODIES ? movers : RBL_PILE_BODIES);
}

#endif
