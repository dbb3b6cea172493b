// The world from inside: what lives from one step to the next. What lives within a step is in step.h.
#ifndef RBL_DYNAMICS_WORLD_H
#define RBL_DYNAMICS_WORLD_H

#include "base/array.h"
#include "base/counted_memory.h"
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
    rblVec3 first_force;        // of its contacts when it fell asleep, a mean over its first moments,
    rblVec3 mean_force;         // and now: a running mean
    float time;                 // s that it was watched since
    rblVec3 force, torque;      // and when they were last found to hold it
    rblVec3 pull, joint_torque; // of its joints
    float support;              // the parts of contact forces that pointed upwards when it fell asleep
    float force_sum;            // their magnitudes
    bool untried;               // born asleep: what holds it was never found out
} rblRest;

// What stays, by slot.
typedef struct rblBody
{
    uint32_t generation; // 0: the slot is free
    rblShapeId shape_id;
    rblShapeView shape;
    const void* shape_memory; // rbl_shape_memory(), to be prefetched
    rblTransform shape_in_body;
    rblBodyType type;
    rblMaterial material;
    rblFilter filter;
    float mass;
    float gravity_scale;
    rblVec3 force, torque;  // of the next step
    rblTransform previous;  // pose of the body's frame before the last step
    rblTransform rest_pose; // pose of the body's frame that it has stayed close to,
    float rest_time;        // for so many s (sleep.c)
    float still_time;       // s below the sleep speed
    bool awake;
    bool lost_neighbour; // one that it touched was taken away since the last step
    bool is_new; // created or teleported since the last step: overlap found now was there from the start
    bool falls;  // nothing supported it in the last step
    uint8_t slow_debt;    // steps to go in full for those in which it was slowed (impact_slow.c)
    uint8_t direct_wait;  // steps before its island is solved directly again (subspace.c),
    uint8_t direct_pause; // and how many it waited last
    uint32_t sleep_group; // of bodies on joints: who fell asleep together; 0: awake
    rblRest rest;
    uint32_t joint_count;
    void* user_data;

    // Of bodies that may break, or are pieces of others.
    bool
        is_new_fragment; // created by a break in this substep: overlap found now is ignored until the two bodies separate
    bool unbreakable_yet; // born in this substep: it does not break in it
    bool owns_shape;      // the handle, too: of fragments
    bool kept;            // a snapshot has it: the world keeps its shape, breaker and handle
    bool is_prepared;
    rblAnchor anchor;
    const rblBreaker* breaker; // referenced; null: never breaks
    void* prepared;            // of the breaker
    uint32_t ancestors;        // that broke
    float damage;
    bool debris;    // too small to go on: it does not break any more
    float lifetime; // s that are left of debris; 0: it stays
    uint32_t
        sibling_group; // the break that it comes from, while nothing but its own motion has moved it; 0: none (siblings.c)
    float sibling_time; // s since
    uint32_t rebuild;   // steps until its samples get a hierarchy of their own (rebuild.c); 0: none
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
    float normal_impulse;       // normal impulse of the contact solve, N s
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
    uint32_t leading; // of these, the first ones; the others are redundant: drift correction alone reads them
    uint32_t colliding; // points inside before selection
    float
        time_of_impact; // fraction of the step at which a fast pair first touches; 1 when it does not, or is not fast
    float
        initial_depth; // overlap left that was there from the start: undone at bounded speed and booked as work
    float sibling_depth; // overlap left from a flight as siblings: undone as any other, in free flight, too
    float break_depth;   // overlap left from the break that made one of the two: no contact, until they part
    rblTransform seen;   // b's frame in a's when its contacts were found
    float seen_margin;   // up to what gap; 0: not found yet, or at another time than the start of the step
    float share_a, share_b; // of the contacts' impulses: what each of the two got
    float seconds;          // of the step that its impulses are from
    bool touching;          // in contact at the end of the last step
    bool fast;              // continuous detection was used
    bool siblings;          // pieces of one break that nothing else has moved yet (siblings.c)
    bool looked;            // its contacts were looked for when those of all pairs were last
} rblPair;

typedef RBL_ARRAY(rblPair) rblPairArray;

typedef RBL_ARRAY(rblContactEvent) rblContactEventArray;

// What two bodies felt of an impact.
typedef struct rblImpactRecord
{
    rblBodyId a, b;
    rblVec3 point;
    rblVec3 impulse; // on b, N s
    float speed, duration;
} rblImpactRecord;

typedef RBL_ARRAY(rblImpactRecord) rblImpactRecordArray;

// ---- breaking ----

typedef RBL_ARRAY(rblBreakEvent) rblBreakEventArray;
typedef RBL_ARRAY(rblBodyId) rblBodyIdArray;

// Breaks that were told or are to be told (fracture_events.c). The events of a step go when the next one begins.
typedef struct rblBreakLog
{
    rblBreakEventArray events;
    rblBodyIdArray ids;                            // of the fragments of all events
    RBL_ARRAY(rblMate) mates;                      // of all events
    size_t reported, reported_ids, reported_mates; // of the last step
} rblBreakLog;

// Energy and momentum of the bodies that do not move, kept while they stay the same (energy.c).
typedef struct rblRestingSums
{
    bool known;
    double sums[8]; // kinetic and potential energy, J; momentum, N s; angular momentum, N m s
} rblRestingSums;

struct rblWorld
{
    // ---- settings and services, written by world.c ----
    rblWorldDef def;
    rblTasks tasks;
    rblJobs* jobs;
    bool owns_jobs;
    rblCountedMemory memory;       // every byte of the world and its stages
    const rblAllocator* allocator; // the one of `memory`
    rblCallHook* hook;             // told of calls that change the world; null: nobody is
    void* hook_context;
    uint32_t serial;    // no two worlds of a process have the same; part of its ids
    bool checks_stages; // rbl_world_check() runs after every stage

    // ---- bodies, joints and contacts: what a snapshot holds ----
    rblIdPool ids;          // of bodies
    rblBodyArray bodies;    // by slot
    rblMotionArray motions; // by slot
    rblIdPool joint_ids;
    rblJointArray joints;      // by slot
    rblBroadPhase* broad;      // fat boxes by slot
    rblPairArray pairs;        // sorted; merged by find_pairs.c
    rblContactArray contacts;  // of all pairs; found by find_contacts.c
    uint64_t saves;            // snapshots taken
    uint64_t substeps;         // done: a part of the seed of a break
    uint32_t last_sleep_group; // given by sleep.c
    double total;              // J: kinetic and potential energy after the last step
    double pending_work;       // J: by calls since
    bool begun_stepping;

    // ---- what has changed since the last step ----
    bool unmerged;          // what the broad phase found is not in `pairs` yet: memory ran out
    bool activity_changed;  // somebody woke, fell asleep, was born, put elsewhere or destroyed
    bool has_marks;         // a body is marked `is_new` or `lost_neighbour`
    bool has_siblings;      // there may be bodies of a group of siblings
    bool has_new_fragments; // a body has `is_new_fragment`
    bool regrouped;         // other pairs than in the last step have an awake body, or are new
    bool bodies_destroyed;  // bodies were destroyed since the last step: their pairs end in the next one
    rblRestingSums resting_sums;

    // ---- bodies that break, written by fracture*.c and body.c ----
    uint32_t breakable; // bodies with a breaker
    uint32_t fragments; // bodies that are pieces of others
    uint32_t breaks;    // bodies that broke
    uint32_t debris;    // bodies that are, and
    uint32_t vanished;  // those that were: gone at the end of their lives
    double vanished_mass;
    RBL_ARRAY(struct rblRebuild*) rebuilds; // begun (rebuild.c)
    uint32_t rebuilding;                    // bodies that wait for one

    // ---- what snapshots refer to: kept until the world is destroyed (snapshot.c) ----
    RBL_ARRAY(const rblShape*) kept_shapes;
    RBL_ARRAY(rblShapeId) kept_shape_ids; // of fragments
    RBL_ARRAY(const rblBreaker*) kept_breakers;

    // ---- what the last step tells ----
    rblContactEventArray events;
    rblJointEventArray joint_events;
    rblBreakLog break_log;
    rblImpactRecordArray impacts; // of all substeps
    rblEnergy energy;             // work and dissipated so far in this step; totals after it
    rblCounters counters;
    rblProfile profile;

    rblStep* step; // what lives within a step; its memory is kept from one to the next
};

// The world behind an id, or RBL_ERROR_STALE.
rblResult rbl_world_find(rblWorldId id, rblWorld** out);
rblResult rbl_body_find(rblWorld* world, rblBodyId id, uint32_t* slot);

// RBL_ERROR_STALE with what is wrong with an id of the world with that serial.
rblResult rbl_id_check(const char* prefix, const rblIdPool* ids, uint32_t serial, uint32_t index1,
                       uint32_t generation, uint32_t world);

// The id of the body in a slot.
static inline rblBodyId rbl_body_id(const rblWorld* world, uint32_t slot)
{
    return (rblBodyId){slot + 1, world->bodies.data[slot].generation, world->serial};
}

#endif
