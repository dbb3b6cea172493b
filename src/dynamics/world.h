// The world from inside: what the stages of a step hand to each other.
#ifndef RBL_DYNAMICS_WORLD_H
#define RBL_DYNAMICS_WORLD_H

#include "base/array.h"
#include "base/error.h"
#include "base/id_pool.h"
#include "base/jobs.h"
#include "dynamics/broad_phase/broad_phase.h"
#include "dynamics/calls.h"
#include "dynamics/inertia.h"
#include "dynamics/joint/joints.h"
#include "field/engine.h"
#include "math/aabb.h"
#include "math/transform.h"
#include "rubble/breaker.h"
#include "rubble/world.h"
#include <stdatomic.h>

// ---- bodies ----

// What moves, by slot. The body's frame has its origin at the centre of mass and the principal axes of inertia.
typedef struct rblMotion
{
    rblVec3 center;
    rblQuat orientation;
    rblVec3 velocity;
    rblVec3 momentum; // angular, about the centre, world axes: the state; the spin follows from it
    rblVec3 spin;     // rad/s, world axes: derived for dynamic bodies, given for kinematic ones
    float inverse_mass;
    rblVec3 moments; // principal, rising; all zero unless dynamic
} rblMotion;

// What a sleeper feels (rest.c): forces in N, torques in N m about its centre.
typedef struct rblRest
{
    rblVec3 first_force;     // of its contacts when it fell asleep, a mean over its first moments,
    rblVec3 mean_force;      // and now: a running mean
    float time;              // s that it was watched since
    rblVec3 force, torque;   // and when they were last found to hold it
    rblVec3 pull, pull_turn; // of its joints
    float support;           // the parts of contact forces that pointed upwards when it fell asleep
    float borne;             // their magnitudes
    bool untried;            // born asleep: what holds it was never found out
} rblRest;

// What stays, by slot.
typedef struct rblBody
{
    uint32_t generation; // 0: the slot is free
    rblShapeId shape_id;
    rblShapeView shape;
    rblTransform shape_in_body;
    rblBodyType type;
    rblMaterial material;
    rblFilter filter;
    float mass;
    float gravity_scale;
    rblVec3 force, torque; // of the next step
    rblTransform previous; // pose of the body's frame before the last step
    rblTransform stay;     // pose of the body's frame that it has stayed close to,
    float stay_time;       // for so many s (sleep.c)
    float still_time;      // s below the sleep speed
    bool awake;
    bool bereft; // one that it touched was taken away since the last step
    bool born;   // created or teleported since the last step: overlap found now was there from the start
    bool falls;  // nothing held it in the last step
    uint8_t hold_debt;    // steps to go in full for those in which it was held back (impact_hold.c)
    uint8_t direct_wait;  // steps before its island is solved directly again (subspace.c),
    uint8_t direct_pause; // and how many it waited last
    uint32_t sleep_group; // of bodies on joints: who fell asleep together; 0: awake
    rblRest rest;
    uint32_t joint_count;
    void* user_data;

    // Of bodies that may break, or are pieces of others.
    bool fresh;      // a fragment of this substep: overlap found now is let be until the two part
    bool spared;     // born in this substep: it does not break in it
    bool owns_shape; // the handle, too: of fragments
    bool kept;       // a snapshot has it: the world keeps its shape, breaker and handle
    bool is_prepared;
    rblAnchor anchor;
    const rblBreaker* breaker; // held; null: never breaks
    void* prepared;            // of the breaker
    uint32_t ancestors;        // that broke
    float damage;
    bool debris;    // too small to go on: it does not break any more
    float lifetime; // s that are left of debris; 0: it stays
    uint32_t
        flock; // the break that it comes from, while nothing but its own motion has moved it; 0: none (mates.c)
    float flock_time; // s since
    uint32_t rebuild; // steps until its samples get a hierarchy of their own (rebuild.c); 0: none
} rblBody;

typedef RBL_ARRAY(rblBody) rblBodyArray;
typedef RBL_ARRAY(rblMotion) rblMotionArray;

// The pose of a body's frame, and of its shape's own origin.
static inline rblTransform rbl_motion_pose(const rblMotion* motion)
{
    return (rblTransform){motion->center, motion->orientation};
}

static inline rblTransform rbl_shape_pose(const rblBody* body, const rblMotion* motion)
{
    return rbl_transform_mul(rbl_motion_pose(motion), body->shape_in_body);
}

// ---- pairs and contacts ----

// A contact as it lives from step to step. Geometry is written by the narrow phase, impulses by the solver.
typedef struct rblContact
{
    rblVec3 anchor_a, anchor_b; // the two surface points, each in its body's frame
    rblVec3 normal_in_a;        // from a to b, in a's frame
    rblVec3 normal;             // the same in world axes
    uint32_t feature;           // names what touches; matches contacts of two steps
    float push;                 // normal impulse of the contact solve, N s
    rblVec3 friction;           // tangential impulse on b of the contact solve, world axes
} rblContact;

typedef RBL_ARRAY(rblContact) rblContactArray;

// Two bodies whose fat boxes overlap, a < b. Kept sorted by (a, b).
typedef struct rblPair
{
    uint32_t a, b;
    uint32_t generation_a, generation_b; // a slot may have been given to another body since
    rblPairCache cache;
    uint32_t first, count; // of its contacts
    uint32_t leading; // of these, the first ones; the others are held by them, and only drift correction asks
    uint32_t colliding; // points inside before selection
    float
        time_of_impact; // fraction of the step at which a fast pair first touches; 1 when it does not, or is not fast
    float
        born_depth; // overlap left that was there from the start: undone at bounded speed and booked as work
    float flown_depth; // overlap left from a flight as mates: undone as any other, in free flight, too
    float kept_depth;  // overlap left from the break that made one of the two: no contact, until they part
    rblTransform seen; // b's frame in a's when its contacts were found
    float seen_margin; // up to what gap; 0: not found yet, or at another time than the start of the step
    float share_a, share_b; // of the contacts' impulses: what each of the two got
    float seconds;          // of the step that its impulses are from
    bool touching;          // in contact at the end of the last step
    bool fast;              // continuous detection was used
    bool mates;             // pieces of one break that nothing else has moved yet (mates.c)
    bool looked;            // its contacts were looked for when those of all pairs were last
} rblPair;

typedef RBL_ARRAY(rblPair) rblPairArray;

// ---- what one step works on ----

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
    uint32_t held;         // contacts that follow these there, see rblPair
    uint32_t bundle;       // that it is a lane of
    float friction;
    float restitution;
    float seconds;  // left of the step for the pair; from here on for impacts, as are its solver contacts
    float slop;     // overlap that is left alone, metres
    float safe_way; // m: a body that goes no farther cannot pass through the other
    float closing;  // s until an open contact of it closes in an impact; those of the whole step: none does
    float deepest;  // overlap at the end of the step, m
    bool prepared;  // its solver contacts are written
    bool
        early; // may bounce before its gap is closed: has restitution, hangs on a joint, or its time of impact is known
    bool fast;             // continuous detection was used
    bool slow;             // too slow for an impact, not looked at
    bool closed;           // a contact of it touches
    bool struck;           // and is an impact now
    bool nearing;          // one that does not may close in an impact
    bool approaching;      // closes within the step, faster than an impact must be
    bool placed;           // where it was hit is known
    bool flown;            // a body of it was just moved to an impact
    bool later;            // than another impact of one of its bodies
    bool born;             // overlaps since the birth of one of its bodies
    bool mates;            // see rblPair
    bool round;            // one of the two is
    bool touching;         // at the end of the step
    double kinematic_work; // J: done by a body of infinite mass on the other
    float hit_speed;       // of the fastest impact in this round, m/s; 0: none
    float hit_impulse;     // N s along the normal, of all impacts in this round
    rblVec3 hit;           // N s on b, with friction
    uint32_t hit_contact;  // where it was fastest, in solver contacts
    uint32_t blow;         // 1 + the last of the step; 0: none
} rblManifold;

typedef RBL_ARRAY(rblManifold) rblManifoldArray;

// Where a manifold was hit fastest, world.
typedef struct rblHitPlace
{
    rblVec3 point, normal;
} rblHitPlace;

// The first impact of a body in the step, and the thinnest shape of all its impacts (impact_order.c).
typedef struct rblFirstImpact
{
    float time;      // s
    float thickness; // m: an inner radius
} rblFirstImpact;

// What a manifold went through in one round of impacts (impacts.c).
typedef struct rblBlow
{
    uint32_t manifold;
    uint32_t before; // 1 + the blow that it had in an earlier round; 0: none
    float impulse;   // N s along the normal
    float speed;     // of approach, m/s; 0: nothing touched yet, it was only slowed down
    rblVec3 hit;     // N s on b, with friction
    rblHitPlace place;
} rblBlow;

// What a body stands on (standing.c).
#define RBL_STAND_POINTS 6

typedef struct rblStand
{
    rblVec3 points[RBL_STAND_POINTS]; // world
    uint32_t count;
    float mass; // kg: the heaviest below that is not static
    bool firm;  // all below is awake or static
} rblStand;

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
    float push;           // accumulated impulses, N s
    float slide[2];
    float change[3]; // of push and slide in the last step of the solution
    rblVec3 tangent; // the other one is normal x tangent; from here on written by rbl_prepare_masses()
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
    uint32_t held;                 // wide contacts that follow these, for drift correction alone
    uint32_t manifold;             // of the first lane; those of the others follow
    uint16_t lanes;                // used
    bool deep;                     // some of it overlaps by more than is left alone (drift.c)
    uint8_t corrects;              // lanes whose overlap can be undone
    bool idle;                     // sweeps have nothing more to do here (subspace.c)
    uint8_t mates;                 // lanes of mates
    uint8_t rounds;                // lanes with something round
    uint32_t slot_a[4], slot_b[4]; // the bodies
    uint32_t contact[4];           // the first in rblWorld.contacts
    uint32_t counts[4];            // of contacts
    uint32_t helds[4];             // of those that follow
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
    float push[4];
    float slide[2][4];
    float tangent[3][4];
    float tangent_mass[4][4];
    float coupling[2][4];
    float change[3][4];    // of push and slide in the last sweep
    float direction[3][4]; // p of the conjugate directions
} rblWideContact;

typedef RBL_ARRAY(rblWideContact) rblWideContactArray;

// One of a contact's three numbers as a row of G (subspace_system.c): what each body's motion does to the relative velocity along an axis.
typedef struct rblSubspaceRow
{
    double a[6], b[6]; // of velocity and spin
    double weight;     // 1 / c
} rblSubspaceRow;

// What the sweeps over impacts know of a bundle; lanes as bits (impact_pairs.c, impact_stop.c).
typedef struct rblImpactBundle
{
    float threshold[4];  // m/s: approach that is no impact
    float hit_speed[4];  // m/s: of the fastest impact so far
    float hit_number[4]; // of its contact in the manifold
    uint8_t approaching; // before the first sweep
    uint8_t early;       // may stop before the gap is closed
    uint8_t flown;       // were brought to where the first contact touches
    uint8_t rough;       // are not convex: all that would close is taken to touch
    uint8_t patient;     // what does not touch yet is left to the next flight
    uint8_t later;       // than another impact of one of their bodies
    uint8_t elastic;     // have restitution
    uint8_t pushed;      // hold impulses
    bool met;            // its wide contacts are those of the impacts
} rblImpactBundle;

typedef RBL_ARRAY(rblImpactBundle) rblImpactBundleArray;

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
    uint32_t first, count; // in rblWorld.island_bodies
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
    bool hauled;         // by a joint to a kinematic body that moves
    double pressed_work; // J: done by its contacts in the contact solve, normally negative
    double joint_loss;   // J: what joints took or lost that no physical joint does; negative: gave
    bool grounded;       // touches a body of infinite mass
    bool recovering;     // holds a pair born overlapping
    bool parting;        // holds a pair that overlaps since its flight as mates
} rblIsland;

typedef RBL_ARRAY(rblIsland) rblIslandArray;
typedef RBL_ARRAY(rblContactEvent) rblContactEventArray;

// A body on its way through the step, were nothing in it, by slot: all that most pairs are asked for, in one line of memory
// (narrow_phase.c).
typedef struct rblBodyCourse
{
    rblTransform frame;
    rblVec3 translation;                  // of the centre over the step
    float turning;                        // m that its surface may move by turning
    float radius, inner_radius, thinnest; // of its shape
    bool bounded, convex;                 // its shape
    bool has_flight;                      // in rblWorld.flights
    bool born, fresh;
    bool
        same; // as when contacts were last looked for, in this very substep: nothing has hit it, and others broke
    uint32_t flock;
} rblBodyCourse;

typedef RBL_ARRAY(rblAabb) rblAabbArray;

// The box of a body's shape where it was measured last, by slot (find_pairs.c). A body that has moved little since has not
// left its fat box, which the broad phase can tell without measuring again.
typedef struct rblSeenBox
{
    rblAabb box;
    rblTransform pose; // of the body's frame
    float reach;       // from the centre to the farthest corner of the shape's bounds; negative: not measured
    float gravity_scale; // of the body
} rblSeenBox;

typedef RBL_ARRAY(rblSeenBox) rblSeenBoxArray;

// What two bodies felt of an impact.
typedef struct rblHit
{
    rblBodyId a, b;
    rblVec3 point;
    rblVec3 impulse; // on b, N s
    float speed, duration;
} rblHit;

typedef RBL_ARRAY(rblHit) rblHitArray;

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
    float support; // parts of the forces that point upwards
    float borne;   // magnitudes of the forces
} rblLoad;

// Who touches whom: of the body in a slot, `pairs` from firsts[slot] to firsts[slot + 1].
typedef struct rblLinks
{
    rblIndexArray firsts, pairs;
    bool made; // for the pairs of this step
} rblLinks;

// ---- breaking ----

// An impact of the trial that a body with a breaker felt, of all its contacts together.
typedef struct rblStrike
{
    uint32_t manifold;
    uint32_t a, b; // slots
    rblBodyId id_a, id_b;
    uint32_t next[2]; // the next strike on a, on b
    rblVec3 point;    // where its impulses act on the whole
    rblVec3 normal;   // from a to b
    rblVec3 impulse;  // on b, N s
    float push;       // N s along the normal
    float speed;      // of approach, m/s
    float mass, energy, duration, peak_force;
    uint32_t breaks; // how many of the two break by it
    double cost;     // J: of their cracks
    double lost;     // J: what they took from the two that meet
    bool paid;
} rblStrike;

typedef RBL_ARRAY(rblStrike) rblStrikeArray;

// A body that felt strikes, and what its breaker says.
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
    uint32_t strike; // that pays; RBL_NONE: on demand
    uint32_t blow;   // that broke it, by its breaker; RBL_NONE: on demand
    rblVerdict verdict;
    rblFracture fracture;
    rblResult result;
    double cost;         // J
    bool pays;           // the strike, for all who break by it:
    rblMotion before[2]; // a and b were like this,
    double work;         // and this much was put in, J
    float impulse;       // N s along the normal
} rblBreakPlan;

typedef RBL_ARRAY(rblBreakEvent) rblBreakEventArray;
typedef RBL_ARRAY(rblBodyId) rblBodyIdArray;

// Working data of the fracture stage; memory is kept.
typedef struct rblFractureStage
{
    rblStrikeArray strikes;
    rblIndexArray heads; // by slot: its first strike
    RBL_ARRAY(rblAsked) asked;
    RBL_ARRAY(rblImpact) impacts;
    rblIndexArray impact_strikes;
    RBL_ARRAY(rblBreakPlan) plans;
    rblFloatArray left;      // by slot: s left of the substep, after the first round
    uint32_t round;          // how often bodies have broken in this substep
    bool births;             // there are fresh bodies
    rblIndexArray fragments; // slots of the one at hand,
    rblIndexArray movers;    // and of those that move
    RBL_ARRAY(bool) anchored;
    rblContactSet contacts;
    rblBreakEventArray events;
    rblBodyIdArray ids;       // of the fragments of all events
    RBL_ARRAY(rblMate) mates; // of all events
    size_t told, told_ids,
        told_mates;             // events of the last step, and theirs: they go when the next one begins
    RBL_ARRAY(rblShapeId) kept; // handles of fragments' shapes that snapshots refer to
    RBL_ARRAY(const rblBreaker*) kept_breakers;
    RBL_ARRAY(struct rblRebuild*) rebuilds; // begun (rebuild.c)
    uint32_t rebuilding;                    // bodies that wait for one
} rblFractureStage;

#define RBL_MAX_COLORS 64 // the last one is solved by one worker

struct rblWorld
{
    rblWorldDef def;
    rblTasks tasks;
    rblJobs* jobs;
    bool owns_jobs;
    const rblAllocator* allocator;
    rblCallHook* hook; // told of calls that change the world; null: nobody is
    void* hook_context;
    uint64_t saves;     // snapshots taken
    uint64_t substeps;  // done
    uint32_t breakable; // bodies with a breaker
    uint32_t fragments; // bodies that are pieces of others
    uint32_t breaks;    // bodies that broke
    uint32_t debris;    // bodies that are, and
    uint32_t vanished;  // those that were: gone at the end of their lives
    double vanished_mass;
    rblFractureStage fracture;

    rblIdPool ids;
    rblBodyArray bodies;    // by slot
    rblMotionArray motions; // by slot
    rblIdPool joint_ids;
    rblJointArray joints; // by slot
    rblJointEventArray joint_events;
    rblJointSystem joint_system;
    rblBroadPhase* broad;
    rblPairArray pairs, old_pairs;
    rblContactArray contacts, old_contacts;

    // Working data of a step; memory is kept.
    float seconds;                  // of the substep
    rblProxyPairArray begun, ended; // by the broad phase
    bool unmerged;                  // they are not in `pairs` yet: memory ran out
    bool stirred;                   // somebody woke, fell asleep, was born, put elsewhere or destroyed
    bool marked;                    // somebody is born or bereft
    bool flocks;                    // there may be bodies of a flock
    bool resting_known;             // resting_energy is that of all bodies that are no movers
    double resting_energy[8];       // kinetic, potential, momentum, angular momentum (energy.c)
    bool regrouped;                 // other pairs than in the last step have an awake body, or are new
    rblIndexArray movers;           // slots of awake moving bodies, rising
    rblIndexArray last_movers;      // those that active_pairs were listed for
    rblIndexArray active_pairs;     // pairs with an awake body, rising
    rblContact* last_contacts;      // what active pairs refer to until their contacts are found
    size_t resting_contacts;        // of pairs without an awake body: they come first and stay as they are
    rblCounters resting;            // what such pairs add to the counters
    RBL_ARRAY(unsigned char) activities; // by slot: rblActivity
    uint32_t sleepers;                   // how many
    rblSeenBoxArray seen_boxes;          // by slot
    rblIndexArray leavers;               // movers that may have left their fat boxes
    rblAabbArray boxes;                  // per leaver, swept
    rblIndexArray solver_index;          // by slot
    rblSolverBodyArray solver_bodies;    // 0: the static world, then movers
    rblVelocityArray at_start;           // before the impacts
    rblVelocityArray before_contacts;    // after the impacts, before forces and contacts: v'
    rblVelocityArray unconstrained;      // with forces, without contacts: v*
    bool loaded;                         // some bodies are much heavier than what they touch
    RBL_ARRAY(rblStand) stands;          // by slot, when that is so
    RBL_ARRAY(uint8_t)
    levels; // by slot: of bodies that stand on each other, from 1 on what is static or asleep
    rblIndexArray standing_pairs; // that touch
    rblSurfaceArray surfaces;
    rblManifoldArray manifolds;
    rblSolverContactArray solver_contacts;
    uint32_t color_starts[RBL_MAX_COLORS + 1];
    uint32_t color_count;
    rblBundleArray bundles;
    rblWideContactArray wide_contacts;
    rblImpactBundleArray impact_bundles;
    uint32_t color_bundles[RBL_MAX_COLORS + 1]; // where the bundles of a colour begin
    rblVelocityRowsArray sweep_starts;          // per solver body, before a sweep over the contacts
    rblVelocityRowsArray directions;            // per solver body: what p does to its velocities
    rblGrowthArray growths;                     // per solver body
    rblIslandArray islands;
    rblIndexArray island_bodies; // solver bodies by island
    rblContactEventArray events;
    rblHitArray hits;               // of all substeps
    rblIndexArray island_manifolds; // per island where its manifolds begin, then the manifolds
    rblDoubleArray subspace;        // vectors of one small island
    rblBlockSystem subspace_blocks; // its bodies
    uint32_t subspace_edges;        // of the contacts between them; others came with the order of pivots
    rblIndexArray subspace_nodes;   // by solver body
    RBL_ARRAY(unsigned char) free_flags;
    RBL_ARRAY(rblSubspaceRow) subspace_rows;
    RBL_ARRAY(rblBodyCourse) courses;
    RBL_ARRAY(rblSweep) sweeps; // of shapes, by slot: where they are and how they would move over the step
    RBL_ARRAY(rblPreparedSweep) flights;  // the same for times of impact, of bodies that move far
    RBL_ARRAY(rblTransform) ends;         // their poses at its end, of shapes that are not convex
    RBL_ARRAY(unsigned char) last_change; // per solver body: 1 + the sweep over impacts that hit it last
    rblFloatArray speeds;                 // per solver body: no point of it moves faster, m/s
    rblFloatArray times;                  // per solver body: s of flight before its next impact
    RBL_ARRAY(unsigned char) holds;       // per solver body: rblHold (impact_times.c)
    RBL_ARRAY(unsigned char) loners;      // per solver body: rblLoner
    RBL_ARRAY(rblHitPlace) hit_places;    // per manifold with a hit in this round
    RBL_ARRAY(rblBlow) blows;             // of the substep, round by round
    rblFloatArray clocks;                 // per solver body: s of the substep that it has flown
    RBL_ARRAY(rblFirstImpact) firsts;     // per solver body
    RBL_ARRAY(unsigned char) held;        // per solver body: it does not get all that is left of the step
    bool any_held;
    RBL_ARRAY(unsigned char) wishes;  // per solver body: it may have an impact later in the step
    RBL_ARRAY(rblVec3) pulls;         // per solver body: what gravity and forces do to it, m/s^2
    RBL_ARRAY(rblVec3) whirls;        // per solver body: the spin with which its surface goes round, rad/s
    rblIndexArray lone, lone_bundles; // manifolds of lone bodies, and their bundles (impacts.c)
    rblIndexArray nearing;            // manifolds that are
    rblIndexArray glides;             // manifolds of held bodies that fly: first per body, next per manifold
    rblIndexArray scratch;
    rblLinks links;
    rblIndexArray woken;                            // in the order in which they woke
    rblFloatArray lost;                             // by slot: N of support that went away
    RBL_ARRAY(unsigned char) watched;               // by slot: the forces on it are summed
    RBL_ARRAY(rblLoad) loads;                       // by slot
    RBL_ARRAY(uint64_t) color_masks;                // per solver body
    rblContactArray block_contacts[RBL_MAX_BLOCKS]; // found by each block of the narrow phase
    rblContactSet worker_contacts[RBL_MAX_WORKERS];
    RBL_ARRAY(const rblShape*) kept_shapes; // by snapshots
    atomic_bool out_of_memory;              // set by blocks of a loop
    rblEnergy energy;                       // work and dissipated so far in this step; totals after it
    double total;                           // kinetic and potential energy after the last step
    double pending_work;                    // by calls since
    bool begun_stepping;
    bool bereft; // bodies were destroyed since the last step: their pairs end in the next one
    uint32_t last_sleep_group;
    uint64_t serial; // no two worlds of a process have the same
    rblCounters counters;
    rblProfile profile;
};

// Per body in the worst step of a collapse (the pile of 9000 in docs/benchmarks.md), rounded up.
#define RBL_HEAP_PAIRS    16
#define RBL_HEAP_CONTACTS 8
#define RBL_HEAP_BODIES   16384 // beyond that arrays only double

// Room that working arrays get at least when they grow: what the awake bodies need should they fall on a heap. Grown little by
// little they would move, and be cleared, in the steps of a collapse that are the dearest anyway; what is never touched costs
// nothing.
static inline size_t rbl_heap_room(const rblWorld* world, size_t per_body)
{
    const size_t movers = world->movers.count;
    return per_body * (movers < RBL_HEAP_BODIES ? movers : RBL_HEAP_BODIES);
}

// The world behind an id, or RBL_ERROR_STALE.
rblResult rbl_world_find(rblWorldId id, rblWorld** out);
rblResult rbl_body_find(rblWorld* world, rblBodyId id, uint32_t* slot);

#endif
