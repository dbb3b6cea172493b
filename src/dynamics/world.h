// Internal state of a world that lives from step to step. Data that lives within one step is in step.h.
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

// Motion state of a body, by slot. The frame of a body has its origin at the centre of mass and the principal axes of inertia.
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

// Loads on a sleeping body (rest.c): forces in N, torques in N m about its centre.
typedef struct rblRest
{
    rblVec3 first_force;   // sum of contact forces when it fell asleep, a mean over its first steps asleep,
    rblVec3 mean_force;    // and the current running mean
    float time;            // s for which its loads were summed since then
    rblVec3 force, torque; // of contacts when they last were enough to keep it at rest
    rblVec3 pull, joint_torque; // force and torque of its joints
    float support;              // sum of the upward parts of contact forces when it fell asleep
    float force_sum;            // their magnitudes
    bool untried;               // created asleep: its support is not known yet
} rblRest;

// All other state of a body, by slot.
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
    rblVec3 force, torque;  // user force and torque, N and N m, for the next step
    rblTransform previous;  // pose of the body's frame before the last step
    rblTransform rest_pose; // pose of the body's frame that it has stayed close to
    float rest_time;        // for this time, s (sleep.c)
    float still_time;       // s below the sleep speed
    bool awake;
    bool lost_neighbour; // a body that it touched was removed since the last step
    bool is_new; // created or teleported since the last step: overlap found now was there from the start
    bool falls;  // nothing supported it in the last step
    uint8_t slow_debt;    // steps that it must make at full length after it was slowed (impact_slow.c)
    uint8_t direct_wait;  // steps until its island may be solved directly again (subspace.c)
    uint32_t sleep_group; // number of the jointed bodies that fell asleep together; 0: awake
    rblRest rest;
    uint32_t joint_count;
    void* user_data;

    // Of bodies that may break, and of fragments.
    bool
        is_new_fragment; // created by a break in this substep: overlap found now is ignored until the two bodies separate
    bool unbreakable_yet; // created in this substep: it does not break in it
    bool owns_shape;      // the body also owns the handle of its shape: fragments
    bool kept;            // a snapshot refers to it: the world retains its shape, breaker and handle
    bool is_prepared;
    rblAnchor anchor;
    const rblBreaker* breaker; // referenced; null: never breaks
    void* prepared;            // data of the breaker for this shape
    uint32_t ancestors;        // number of ancestors that broke
    float damage;
    bool sensor;    // collides with nothing (sensors.c)
    bool debris;    // too small to break again
    float lifetime; // s left before debris is removed; 0: never removed
    uint32_t
        sibling_group; // the break that created it, while no other body has acted on it; 0: none (siblings.c)
    float sibling_time; // s since that break
    uint32_t rebuild;   // steps until it gets its own sample hierarchy (rebuild.c); 0: none planned
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

// A persistent contact. The narrow phase writes the geometry, the solver writes the impulses.
typedef struct rblContact
{
    rblVec3 anchor_a, anchor_b; // the two surface points, each in its body's frame
    rblVec3 normal_in_a;        // from a to b, in a's frame
    rblVec3 normal;             // the same in world axes
    uint32_t feature;           // identifies the touching features; used to match contacts of two steps
    float normal_impulse;       // normal impulse of the contact solve, N s
    rblVec3 friction;           // tangential impulse on b of the contact solve, world axes
} rblContact;

typedef RBL_ARRAY(rblContact) rblContactArray;

// Two bodies whose fat boxes overlap, a < b.
typedef struct rblPair
{
    uint32_t a, b;
    uint32_t generation_a, generation_b; // a slot may be reused by another body
    rblPairCache cache;
    uint32_t first, count; // of its contacts
    uint32_t leading;   // number of leading contacts; the rest is redundant: only drift correction reads them
    uint32_t colliding; // points inside the other shape, before selection
    float
        time_of_impact; // fraction of the step at which the two first touch in free motion; 1: not known; INFINITY: never
    float
        initial_depth; // m of initial overlap that is left: removed at bounded speed, the energy is booked as work
    float
        sibling_depth; // m of overlap left from a flight as siblings: removed as any other overlap, in free flight, too
    float
        break_depth; // m of overlap left from the break that created one of the two: no contact until they separate
    rblTransform seen; // frame of b in the frame of a when its contacts were found
    float
        seen_margin; // m: largest gap that was searched; 0: not searched yet, or not at the start of the step
    float share_a, share_b; // shares of the contact impulses that were applied to a and to b
    float seconds;          // duration of the step of its impulses
    bool touching;          // in contact at the end of the last step
    bool fast;              // continuous detection was used
    bool siblings;          // the two are sibling fragments (siblings.c)
    bool looked;            // its contacts were searched in the last search over all pairs
} rblPair;

typedef RBL_ARRAY(rblPair) rblPairArray;

// A pair in the list of pairs of one of its bodies (pair_list.h).
typedef struct rblPairSide
{
    uint32_t next, last; // sides; RBL_NONE: none
} rblPairSide;

// Bits of the state of a pair.
enum
{
    RBL_PAIR_ACTIVE = 1, // in the list of active pairs (gather.c)
    RBL_PAIR_PARKED = 2  // its contacts are among those that no step moves (find_contacts.c)
};

// Slots of bodies to look at again.
typedef struct rblSlotList
{
    rblIndexArray slots; // may contain a slot twice
    bool all;            // every slot
} rblSlotList;

typedef RBL_ARRAY(rblContactEvent) rblContactEventArray;

// A body that overlaps a sensor, by slots.
typedef struct rblSensed
{
    uint32_t sensor, sensor_generation;
    uint32_t body, body_generation;
} rblSensed;

typedef RBL_ARRAY(rblSensed) rblSensedArray;

// Impulse of an impact between two bodies.
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

// Break events, reported or not yet reported (fracture_events.c). The events of a step are dropped when the next one begins.
typedef struct rblBreakLog
{
    rblBreakEventArray events;
    rblBodyIdArray ids;                            // of the fragments of all events
    RBL_ARRAY(rblMate) mates;                      // of all events
    size_t reported, reported_ids, reported_mates; // of the last step
} rblBreakLog;

// Sums of energy and momentum over bodies at rest: of blocks of slots, and of groups of blocks. Only the blocks of bodies that have
// changed are summed again. The order of the sum depends on the slots only, so that the bits do not depend on the past (energy.c).
#define RBL_ENERGY_SUMS 8 // kinetic and potential energy, J; momentum, N s; angular momentum, N m s
typedef struct rblRestingSums
{
    bool known;
    rblDoubleArray blocks, groups;         // RBL_ENERGY_SUMS for each
    RBL_ARRAY(unsigned char) block_states; // by block: its sums are outdated
    rblIndexArray outdated;                // those blocks
    double sums[RBL_ENERGY_SUMS];
} rblRestingSums;

struct rblWorld
{
    // ---- settings and services, written by world.c ----
    rblWorldDef def;
    rblJobs* jobs;
    bool owns_jobs;
    bool busy;               // in a step or a break: public calls are refused (step.c, fracture_events.c)
    rblCountedMemory memory; // every byte of the world and its stages
    const rblAllocator* allocator; // the one of `memory`
    rblPairFilter* pair_filter;    // may be null
    void* pair_filter_context;
    rblContactFilter* contact_filter; // may be null
    void* contact_filter_context;
    rblCallHook* hook; // called for each call that changes the world; may be null
    void* hook_context;
    uint32_t serial;       // unique in this process; a part of the world's body and joint ids
    uint32_t stage_checks; // what rbl_world_check() checks after every stage (world_check.h)
    bool
        ignores_energy; // steps without the energy rules, for comparisons (ignore_energy.c); not in snapshots

    // ---- bodies, joints and contacts: stored in snapshots ----
    rblIdPool ids;          // of bodies
    rblBodyArray bodies;    // by slot
    rblMotionArray motions; // by slot
    rblIdPool joint_ids;
    rblJointArray joints;      // by slot
    rblBroadPhase* broad;      // fat boxes by slot
    rblPairArray pairs;        // with holes (pair_list.h); begun and ended by find_pairs.c
    rblContactArray contacts;  // of all pairs; found by find_contacts.c
    rblSensedArray sensed;     // overlaps after the last substep, sorted (sensors.c)
    uint32_t sensors;          // bodies that are sensors; counted again by snapshots
    uint64_t saves;            // snapshots taken
    uint64_t substeps;         // done: a part of the seed of a break
    uint32_t last_sleep_group; // given by sleep.c
    double total;              // J: kinetic and potential energy after the last step
    double pending_work;       // J: work by calls since then
    bool begun_stepping;

    // ---- lists of the pairs (pair_list.h) and of their contacts; snapshots have none of them ----
    RBL_ARRAY(rblPairSide) pair_sides;    // two for each pair
    RBL_ARRAY(unsigned char) pair_states; // RBL_PAIR_...
    rblIndexArray free_pairs;             // holes in `pairs`
    rblIndexArray first_sides;            // by slot: the list of its pairs
    size_t parked_contacts;               // the first ones of `contacts`: of pairs with RBL_PAIR_PARKED
    size_t wasted_contacts;               // of these, the number that no pair has any more

    // ---- changes since the last step ----
    bool unmerged; // pairs of the broad phase are not in `pairs` yet: memory ran out
    bool
        activity_changed; // a body woke, fell asleep, was created, teleported or destroyed: those of `changed`
    bool has_marks;       // a body is marked `is_new` or `lost_neighbour`: those of `marked`
    bool has_siblings;    // a body may have a sibling group
    bool has_new_fragments; // a body has `is_new_fragment`
    bool bodies_destroyed;  // a body was destroyed: its pairs end in the next step
    rblSlotList changed, marked;
    rblRestingSums resting_sums;

    // ---- bodies that break, written by fracture*.c and body.c ----
    uint32_t breakable; // bodies with a breaker
    uint32_t fragments; // bodies that are fragments
    uint32_t breaks;    // bodies that broke
    uint32_t debris;    // bodies that are debris
    uint32_t vanished;  // debris removed at the end of its lifetime
    double vanished_mass;
    RBL_ARRAY(struct rblRebuild*) rebuilds; // in progress (rebuild.c)
    uint32_t rebuilding;                    // bodies that wait for a rebuild

    // ---- referenced by snapshots: retained until the world is destroyed (snapshot.c) ----
    RBL_ARRAY(const rblShape*) kept_shapes;
    RBL_ARRAY(rblShapeId) kept_shape_ids; // of fragments
    RBL_ARRAY(const rblBreaker*) kept_breakers;

    // ---- results of the last step ----
    rblContactEventArray events;
    RBL_ARRAY(rblSensorEvent) sensor_events;
    rblJointEventArray joint_events;
    rblBreakLog break_log;
    rblImpactRecordArray impacts; // of all substeps
    rblEnergy energy;             // work and dissipated so far in this step; totals after it
    double
        contact_loss; // J: dissipated by contacts, measured where they act; break events have the rest of `dissipated`
    rblCounters counters;
    rblProfile profile;

    rblStep* step; // data of the current step; its memory is reused by the next one
};

// Add a slot. When memory runs out, or the list is as long as the array of bodies, it becomes the list of all.
static inline void rbl_slot_list_add(rblSlotList* list, uint32_t slot, size_t bodies)
{
    if (!list->all && (list->slots.count > bodies || !rbl_array_push(&list->slots, slot)))
    {
        list->all = true;
        rbl_array_clear(&list->slots);
    }
}

static inline void rbl_slot_list_clear(rblSlotList* list)
{
    rbl_array_clear(&list->slots);
    list->all = false;
}

// The slots of a list are rbl_slot_list_at(list, i) for i below rbl_slot_list_count(list, bodies).
static inline uint32_t rbl_slot_list_count(const rblSlotList* list, size_t bodies)
{
    return (uint32_t)(list->all ? bodies : list->slots.count);
}

static inline uint32_t rbl_slot_list_at(const rblSlotList* list, uint32_t i)
{
    return list->all ? i : list->slots.data[i];
}

// A body woke, fell asleep, was created, teleported or destroyed.
static inline void rbl_slot_changed(rblWorld* world, uint32_t slot)
{
    world->activity_changed = true;
    rbl_slot_list_add(&world->changed, slot, world->bodies.count);
}

// A body is marked `is_new` or `lost_neighbour`.
static inline void rbl_slot_marked(rblWorld* world, uint32_t slot)
{
    world->has_marks = true;
    rbl_slot_list_add(&world->marked, slot, world->bodies.count);
}

// The world or the body slot that an id refers to, or RBL_ERROR_STALE.
rblResult rbl_world_find(rblWorldId id, rblWorld** out);
rblResult rbl_body_find(rblWorld* world, rblBodyId id, uint32_t* slot);

// RBL_ERROR_STALE with a message unless the id is valid in the world with that serial. `prefix` begins the message.
rblResult rbl_id_check(const char* prefix, const rblIdPool* ids, uint32_t serial, uint32_t index1,
                       uint32_t generation, uint32_t world);

// The id of the body in a slot.
static inline rblBodyId rbl_body_id(const rblWorld* world, uint32_t slot)
{
    return (rblBodyId){slot + 1, world->bodies.data[slot].generation, world->serial};
}

#endif
