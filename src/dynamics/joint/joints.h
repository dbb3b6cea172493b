// Internal data and functions of joints.
#ifndef RBL_DYNAMICS_JOINT_JOINTS_H
#define RBL_DYNAMICS_JOINT_JOINTS_H

#include "base/array.h"
#include "dynamics/inertia.h"
#include "math/sparse_blocks.h"
#include "rubble/joint.h"

// One constraint equation of a joint: the relative velocity of its points, or the relative spin, along an axis.
typedef struct rblJointRow
{
    rblVec3 axis;
    bool turns;    // an equation of the spin
    double target; // m/s or rad/s at the end of the step
    double
        softness; // velocity per impulse: compliance of joints in loops, where equations may contradict each other
    double floor; // the same, only to keep pivots of the factors positive
} rblJointRow;

typedef struct rblStep rblStep;

typedef struct rblJoint
{
    uint32_t generation; // 0: the slot is free
    rblJointKind kind;
    uint32_t a, b;              // body slots; b is RBL_NONE for the world
    rblVec3 anchor_a, anchor_b; // in the frames of the bodies; anchor_b in world axes when b is the world
    rblVec3 axis_a, axis_b;     // of a hinge, in the bodies' frames
    rblQuat b_in_a;             // target relative orientation of the frames
    float length;
    float break_force, stiffness, damping, max_force;
    bool collide;
    void* user_data;

    rblVec3 linear_impulse;  // impulse on b of the last step, N s
    rblVec3 angular_impulse; // angular impulse on b of the last step, N m s
    rblVec3 impact_impulse;  // impulse on b in the impact phase of the last step, N s
    double impact_work;      // J: work of that impulse when a body of infinite mass moves

    // Data of the current step (joint_rows.c, joint_solve.c).
    uint32_t solver_a, solver_b;
    uint32_t node, edge_a, edge_b; // in rblJointSystem; RBL_NONE: not there
    bool looped;                   // its joints form a loop
    bool slack;                    // no row is active: a loose rope, or a spring at its largest force
    float seconds;
    rblVec3 start_arm_a, start_arm_b; // lever arms: from the centres to the points, at the start of the step
    rblVec3 arm_a, arm_b;             // lever arms of the impulses
    rblVec3 kept_linear_impulse, kept_angular_impulse; // stored while only velocities are corrected
    rblVec3 best_linear_impulse, best_angular_impulse; // of the best round
    rblVec3 apart;                                     // from a's point to b's, at the start
    rblVec3 before_u;               // relative velocity of a spring's points before the contact solve
    rblVec3 kept_apart, kept_angle; // part of the position error that stays in this step
    float kept_length;
    uint32_t row_count;
    rblJointRow rows[6];
} rblJoint;

typedef RBL_ARRAY(rblJoint) rblJointArray;
typedef RBL_ARRAY(rblJointEvent) rblJointEventArray;

// All joints of a step and their dynamic bodies, as one linear system.
typedef struct rblJointSystem
{
    rblBlockSystem blocks; // nodes: bodies, then joints
    rblIndexArray bodies;  // solver body of each body node
    rblIndexArray joints;  // slot of each joint node
    rblIndexArray nodes;   // by solver body; RBL_NONE: it has no joint
    rblIndexArray parents,
        anchors; // by body node: union-find parents of connected bodies; number of joints to immovable bodies
    RBL_ARRAY(rblTransform) poses; // by body node: predicted at the end of the step
    rblDoubleArray given;          // six per body node: momentum that its velocity has from joints
    rblDoubleArray reference;      // six per body node: velocity and spin at the last refresh
    rblDoubleArray stiffness;      // twelve per body node: see add_stiffness(); of velocities and of spins
    RBL_ARRAY(rblVec3) best;       // two per body node: velocity and spin of the round that came nearest
    bool balanced;                 // momenta agree with the impulses at their current lever arms
} rblJointSystem;

typedef struct rblWorld rblWorld;

void rbl_joint_system_init(rblJointSystem* system, const rblAllocator* allocator);
void rbl_joint_system_free(rblJointSystem* system);

// ---- one joint (joint_rows.c) ----

// Whether one of the two bodies is dynamic and awake. Otherwise there is nothing to solve.
bool rbl_joint_is_active(const rblStep* step, const rblJoint* joint);

// Compute the lever arms and the distance of the points at the current poses.
void rbl_joint_locate(rblWorld* world, rblJoint* joint);

// Compute the part of the position error that stays: one step corrects a limited distance only.
void rbl_joint_limit(const rblWorld* world, rblJoint* joint);

// Rows for zero relative velocity at the current poses.
void rbl_joint_set_rows_now(rblStep* step, rblJoint* joint);

// Rows for a displacement that removes the position error. Returns the error, m.
float rbl_joint_set_rows_displacement(rblStep* step, rblJoint* joint);

// Rows for no position error at the end of the step, from the predicted poses. Returns the predicted error, m.
float rbl_joint_set_rows_ahead(rblStep* step, rblJoint* joint);

// The relative velocity along a row.
double rbl_joint_row_velocity(const rblStep* step, const rblJoint* joint, const rblJointRow* row);

// The impulse of a spring on b for the current velocities, before its limit.
rblVec3 rbl_joint_spring_impulse(const rblStep* step, const rblJoint* joint);

// Apply an impulse and an angular impulse to b, and the opposite to a.
void rbl_joint_apply(rblStep* step, const rblJoint* joint, rblVec3 linear_impulse, rblVec3 angular_impulse);

// ---- all joints ----

// Stages: connect the bodies of joints; prepare, sweep and polish in the contact solve; after the step (joint_solve.c).
rblResult rbl_joints_begin(rblStep* step);
void rbl_joints_prepare(rblStep* step);
void rbl_joints_first_refresh(rblStep* step); // the first refresh
float rbl_joints_sweep(rblStep* step);
float rbl_joints_refresh(rblStep* step); // between sweeps: returns the largest predicted position error, m
void rbl_joints_polish(rblStep* step);
rblResult rbl_joints_finish(rblStep* step);

// Stop relative velocities at joints that become tight suddenly. Returns whether anything changed.
bool rbl_joints_tighten(rblStep* step, float threshold);

// The same at the end of the step, with a correction of the energy of joints (joint_settle.c).
void rbl_joints_settle(rblStep* step);

// The linear system of the joints (joint_system.c): from the rows of all joints; one solve of it, applied to velocities and
// impulses. Returns the largest miss before it, m/s. With `balanced`, impulses turn with the bodies while velocities change.
rblResult rbl_joint_system_build(rblStep* step);
void rbl_joints_begin_balance(rblStep* step);
void rbl_joints_factor(rblStep* step, bool balanced);
float rbl_joints_solve(rblStep* step);
uint32_t rbl_joint_root(rblStep* step,
                        uint32_t node); // the same for all bodies that hang together by joints

// Stop all relative velocities that joints forbid, when one is above the threshold: an inelastic impact. `seconds` is the time
// over which ropes predict their length. `report` is called for each joint, with its impulses stored in the joint, and the work
// of a kinematic body.
typedef void rblJointImpulseFcn(rblStep* step, rblJoint* joint, double work);
bool rbl_joints_stop(rblStep* step, float threshold, float seconds, rblJointImpulseFcn* report);

// Compute displacements of bodies, stored as velocities, that remove position errors of joints. Returns the largest error, m;
// 0: nothing to do.
float rbl_joints_displace(rblStep* step);

// Bodies connected by joints get the same time left of the step: the smallest one.
void rbl_joints_share_seconds(rblStep* step);

// Work through a joint in the contact solve, J: of springs, and of moving bodies of infinite mass.
double rbl_joint_work(const rblStep* step, const rblJoint* joint);
void rbl_joint_remove(rblWorld* world, uint32_t slot);

// True when a joint between two bodies keeps them from colliding.
bool rbl_joints_forbid_pair(const rblWorld* world, uint32_t a, uint32_t b);

// Remove all joints of a body.
void rbl_body_remove_joints(rblWorld* world, uint32_t slot);

#endif
