// What lives within one step: what its stages hand to each other. Nothing here outlives a step but the memory, which is kept so that
// a step like the last one allocates nothing, and lists that say themselves for what they hold. What only one stage uses is a
// struct of its own file; a step knows it by its pointer.
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
    float seconds; // left of the step for this body: all of it, or what comes after its first impact
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

// All contacts of one pair, as the solver sees them. In order of colours, then of the number of contacts, then pairs.
typedef struct rblManifold
{
    uint32_t pair;
    uint32_t a, b;         // solver bodies
    uint32_t first, count; // of solver contacts
    uint32_t contact;      // the first in rblWorld.contacts
    uint32_t redundant;    // contacts that follow these there, see rblPair
    uint32_t bundle;       // that it is a lane of
    float friction;
    float restitution;
    float seconds; // left of the step for the pair; from here on for impacts, as are its solver contacts
    float slop;    // overlap that is left alone, metres
    float safe_distance; // m: a body that goes no farther cannot pass through the other
    float closing; // s until an open contact of it closes in an impact; those of the whole step: none does
    float deepest; // overlap at the end of the step, m
    bool prepared; // its solver contacts are written
    bool
        early; // may bounce before its gap is closed: has restitution, hangs on a joint, or its time of impact is known
    bool fast;             // continuous detection was used
    bool slow;             // too slow for an impact, not looked at
    bool closed;           // a contact of it touches
    bool has_impact;       // and is an impact now
    bool may_close;        // an open contact of it may close in an impact
    bool approaching;      // closes within the step, faster than an impact must be
    bool has_impact_point; // of this round
    bool bounced; // in this round: the impulses of its impact are in its solver contacts, else in its lane
    bool moved_to_impact;  // a body of it was just moved to an impact
    bool later;            // than another impact of one of its bodies
    bool had_overlap;      // overlaps since one of its bodies was created, or since a flight of siblings
    bool siblings;         // see rblPair
    bool round;            // one of the two is
    bool touching;         // at the end of the step
    double kinematic_work; // J: done by a body of infinite mass on the other
    float impact_speed;    // of the fastest impact in this round, m/s; 0: none
    float impact_normal_impulse; // N s along the normal, of all impacts in this round
    rblVec3 impact_impulse;      // N s on b, with friction
    uint32_t impact_contact;     // where it was fastest, in solver contacts
    uint32_t last_impact;        // 1 + the last of the step; 0: none
} rblManifold;

typedef RBL_ARRAY(rblManifold) rblManifoldArray;

// Where the impact of a manifold was fastest, world.
typedef struct rblImpactPoint
{
    rblVec3 point, normal;
} rblImpactPoint;

// What a manifold went through in one round of impacts (impacts.c).
typedef struct rblManifoldImpact
{
    uint32_t manifold;
    uint32_t before;      // 1 + the impact that it had in an earlier round; 0: none
    float normal_impulse; // N s along the normal
    float speed;          // of approach, m/s; 0: nothing touched yet, it was only slowed down
    rblVec3 impulse;      // N s on b, with friction
    rblImpactPoint at;
} rblManifoldImpact;

// What a body brings to its manifolds, by slot: a copy that fits the cache (manifolds.c).
typedef struct rblSurface
{
    float friction, restitution;
    float slop;         // with a body that is no thinner
    float inner_radius; // endless when it is unbounded
    uint32_t joint_count;
    bool convex;
    bool round; // it rolls
} rblSurface;

typedef RBL_ARRAY(rblSurface) rblSurfaceArray;

// A contact as impacts see it, one at a time, written when a manifold is first looked at. The contact solve has its own form:
// rblWideContact.
typedef struct rblSolverContact
{
    rblVec3 arm_a, arm_b; // from the centres to the point midway between the surfaces
    rblVec3 normal;       // from a to b
    float gap;            // when the contact solve begins; negative: overlap
    float target;         // normal velocity to reach at least
    float normal_impulse; // accumulated impulses, N s
    float tangent_impulse[2];
    float change[3]; // of the impulses in the last step of the solution
    rblVec3
        tangent; // the other one is normal x tangent; from here on written by rbl_contact_prepare_masses()
    float normal_mass;
    float
        tangent_mass[4]; // inverse of the 2x2 tangential block: xx, yy, xy; and one number for all directions
    float coupling[2];   // normal velocity per tangential impulse
} rblSolverContact;

typedef RBL_ARRAY(rblSolverContact) rblSolverContactArray;

// Up to four manifolds of one colour, which share no moving body: the solver's unit, a lane for each. Sweeps read the first
// 64 bytes.
typedef struct rblBundle
{
    uint32_t a[4], b[4]; // solver bodies; the static world in lanes that are not used
    float friction[4];
    uint32_t first, count;         // of its wide contacts
    uint32_t redundant;            // wide contacts that follow these, for drift correction alone
    uint32_t manifold;             // of the first lane; those of the others follow
    uint16_t lanes;                // used
    bool deep;                     // some of it overlaps by more than is left alone (drift.c)
    uint8_t corrects;              // lanes whose overlap can be undone
    bool idle;                     // sweeps have nothing more to do here (subspace.c)
    uint8_t siblings;              // lanes of siblings
    uint8_t rounds;                // lanes with something round
    uint32_t slot_a[4], slot_b[4]; // the bodies
    uint32_t contact[4];           // the first in rblWorld.contacts
    uint32_t counts[4];            // of contacts
    uint32_t redundant_counts[4];  // of those that follow
    float slop[4];
} rblBundle;

typedef RBL_ARRAY(rblBundle) rblBundleArray;

// One contact of each manifold of a bundle, as rblSolverContact; a lane that has none has no normal, masses and impulses of
// zero, and does nothing. In the order in which drift correction and sweeps read them.
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

// By how much a body's energy grows with the share eps of its contact impulses: eps linear + eps^2 square, J (clamp.c).
typedef struct rblGrowth
{
    double linear, square;
    float share; // of its impulses that clamping left
} rblGrowth;

typedef RBL_ARRAY(rblGrowth) rblGrowthArray;

// Velocities of a body in rows of four; the last numbers are free.
typedef struct rblVelocityRows
{
    float velocity[4], spin[4];
} rblVelocityRows;

typedef RBL_ARRAY(rblVelocityRows) rblVelocityRowsArray;

// Bodies that touch, directly or through others. What one island does cannot change another.
typedef struct rblIsland
{
    uint32_t first, count; // in rblStep.island_bodies
    double budget; // J: dissipated by its impacts and contacts in this step; drift correction may spend it
    double impact_work;   // J: put in by kinematic bodies through impacts,
    double contact_work;  // and through lasting contacts
    double clamped;       // J: kept from appearing
    double recovery_work; // J: spent on overlap at birth beyond the budget
    float displaced;      // share of the displacements that it can pay for
    float slop;           // the smallest of its overlapping manifolds
    double
        left; // J: what the sweeps of the last round left for a direct solve; infinite: not asked (subspace.c)
    bool waits;          // after a direct solve in vain: none in this step
    bool idle;           // another round of sweeps and a direct solve would come to the same
    bool corrects;       // drift correction can do something here
    bool jointed;        // holds a joint
    bool dragged;        // by a joint to a kinematic body that moves
    double pressed_work; // J: done by its contacts in the contact solve, normally negative
    double joint_loss;   // J: what joints took or lost that no physical joint does; negative: gave
    bool grounded;       // touches a body of infinite mass
    bool recovering;     // holds a pair born overlapping
    bool parting;        // holds a pair that overlaps since its flight as siblings
} rblIsland;

typedef RBL_ARRAY(rblIsland) rblIslandArray;
// A body on its way through the step, were nothing in it, by slot: all that most pairs are asked for, in one line of memory
// (narrow_phase.c).
typedef struct rblBodyPath
{
    rblTransform frame;
    rblVec3 translation;                  // of the centre over the step
    float turning;                        // m that its surface may move by turning
    float radius, inner_radius, thinnest; // of its shape
    bool bounded, convex;                 // its shape
    bool has_prepared_sweep;              // in rblStep.flights
    bool is_new, is_new_fragment;         // see rblBody
    bool
        same; // as when contacts were last looked for, in this very substep: no impact has changed it, and others broke
    uint32_t sibling_group;
} rblBodyPath;

// What a body does in this step, by slot.
typedef enum rblActivity
{
    RBL_ACTIVITY_NONE, // static, or no body
    RBL_ACTIVITY_ASLEEP,
    RBL_ACTIVITY_AWAKE, // dynamic
    RBL_ACTIVITY_DRIVEN // kinematic
} rblActivity;

// What the contacts of a body do to it.
typedef struct rblLoad
{
    rblVec3 force, torque;
    float support;   // parts of the forces that point upwards
    float force_sum; // magnitudes of the forces
} rblLoad;

// Who touches whom: of the body in a slot, `pairs` from firsts[slot] to firsts[slot + 1].
typedef struct rblLinks
{
    rblIndexArray firsts, pairs;
    bool made; // for the pairs of this step
} rblLinks;

// ---- the step ----

#define RBL_MAX_COLORS 64 // the last one is solved by one worker

struct rblStep
{
    rblWorld* world;
    float seconds;        // of the substep
    uint32_t break_round; // how often bodies have broken in this substep (fracture.c)

    // Who takes part (gather.c).
    rblIndexArray movers;                // slots of awake moving bodies, rising
    rblIndexArray last_movers;           // those that active_pairs were listed for
    rblIndexArray active_pairs;          // pairs with an awake body, rising
    rblCounters resting;                 // what the other pairs add to the counters
    RBL_ARRAY(unsigned char) activities; // by slot: rblActivity
    uint32_t sleepers;                   // how many
    rblFloatArray time_left; // by slot: s left of the substep once bodies have broken (fracture.c)

    // How bodies would move, were nothing in their way (paths.c), by slot.
    RBL_ARRAY(rblBodyPath) paths;
    RBL_ARRAY(rblSweep) sweeps; // of shapes: where they are and how they would move over the step
    RBL_ARRAY(rblPreparedSweep) prepared_sweeps; // the same for times of impact, of bodies that move far
    RBL_ARRAY(rblTransform) end_poses;           // their poses at its end, of shapes that are not convex
    rblContact* last_contacts; // what active pairs refer to until their contacts are found (find_contacts.c)

    // Bodies in the solver (gather.c); velocities that later stages compare with.
    rblIndexArray solver_index;       // by slot
    rblSolverBodyArray solver_bodies; // 0: the static world, then movers
    rblVelocityArray at_start;        // before the impacts (gather.c, impacts.c)
    rblVelocityArray before_contacts; // after the impacts, before forces and contacts: v' (contact_solve.c)
    rblVelocityArray unconstrained;   // with forces, without contacts: v* (contact_solve.c)

    // Manifolds and their colours (manifolds.c), bundles of four (bundles.c), islands (islands.c).
    rblSurfaceArray surfaces;
    rblManifoldArray manifolds;
    rblSolverContactArray solver_contacts;
    uint32_t color_starts[RBL_MAX_COLORS + 1]; // where the manifolds of a colour begin
    uint32_t color_count;
    rblBundleArray bundles;
    rblWideContactArray wide_contacts;
    uint32_t color_bundles[RBL_MAX_COLORS + 1]; // where the bundles of a colour begin
    rblIslandArray islands;
    rblIndexArray island_bodies; // solver bodies by island

    rblFloatArray clocks; // per solver body: s of the substep that it has flown (impact_flight.c)
    RBL_ARRAY(unsigned char)
    slowed; // per solver body: it does not get all that is left of the step (impact_slow.c, joint_solve.c)
    RBL_ARRAY(rblManifoldImpact) manifold_impacts; // of the substep, round by round (impacts.c)
    rblGrowthArray growths;                        // per solver body (clamp.c)
    rblJointSystem joint_system;                   // (joint_system.c)
    rblLinks links;                                // (wake.c)
    RBL_ARRAY(unsigned char)
    watched;                  // by slot: the forces on it are summed (rest.c); it may fall asleep (sleep.c)
    RBL_ARRAY(rblLoad) loads; // by slot (rest.c)

    // What one stage alone uses, by the file that knows it.
    struct rblPairFinder* pair_finder;           // find_pairs.c
    struct rblContactFinder* contact_finder;     // find_contacts.c
    struct rblSiblingFinder* siblings;           // siblings.c
    struct rblWaker* waker;                      // wake.c
    struct rblStanding* standing;                // standing.c
    struct rblManifoldBuilder* manifold_builder; // manifolds.c
    struct rblIslandFinder* island_finder;       // islands.c
    struct rblImpactStage* impact;               // impacts.h
    struct rblFractureStage* fracture;           // fracture.h
    struct rblContactSolver* contact_solver;     // contact_solve.c
    struct rblSubspaceStage* subspace;           // subspace_system.h
    struct rblDriftStage* drift;                 // drift.c
    struct rblFinisher* finisher;                // finish.c
    struct rblSleepStage* sleeper;               // sleep.c
};

// Null when out of memory (step_memory.c).
rblStep* rbl_step_create(rblWorld* world);
void rbl_step_destroy(rblStep* step);

// Per body in the worst step of a collapse (the pile of 9000 in docs/benchmarks.md), rounded up.
#define RBL_PILE_PAIRS    16
#define RBL_PILE_CONTACTS 8
#define RBL_PILE_BODIES   16384 // beyond that arrays only double

// Room that working arrays get at least when they grow: what the awake bodies need should they fall on a heap. Grown little by
// little they would move, and be cleared, in the steps of a collapse that are the dearest anyway; what is never touched costs
// nothing.
static inline size_t rbl_pile_capacity(const rblStep* step, size_t per_body)
{
    const size_t movers = step->movers.count;
    return per_body * (movers < RBL_PILE_BODIES ? movers : RBL_PILE_BODIES);
}

#endif
