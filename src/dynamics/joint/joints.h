// Joints from inside.
#ifndef RBL_DYNAMICS_JOINT_JOINTS_H
#define RBL_DYNAMICS_JOINT_JOINTS_H

#include "base/array.h"
#include "dynamics/inertia.h"
#include "math/sparse_blocks.h"
#include "rubble/joint.h"

// What a joint asks for, one equation a row: along an axis, of the points' relative velocity or of the relative spin.
typedef struct rblJointRow
{
    rblVec3 axis;
    bool turns;    // of the spin
    double target; // m/s or rad/s at the end of the step
    double
        softness; // velocity per impulse that it gives way by: of joints in loops, which may ask for too much
    double floor; // the same for the pivots' sake alone
} rblJointRow;

typedef struct rblStep rblStep;

typedef struct rblJoint
{
    uint32_t generation; // 0: the slot is free
    rblJointKind kind;
    uint32_t a, b;              // body slots; b is RBL_NONE for the world
    rblVec3 anchor_a, anchor_b; // in the bodies' frames; b's in the world when it is the world
    rblVec3 axis_a, axis_b;     // of a hinge, in the bodies' frames
    rblQuat b_in_a;             // wanted relative orientation of the frames
    float length;
    float break_force, stiffness, damping, max_force;
    bool collide;
    void* user_data;

    rblVec3 linear_impulse;  // impulse on b of the last step, N s
    rblVec3 angular_impulse; // angular impulse on b of the last step, N m s
    rblVec3 impact_impulse;  // impulse on b in the impact phase of the last step, N s
    double impact_work;      // J: put in by it, when a body of infinite mass moves

    // Of the step at hand (joint_rows.c, joint_solve.c).
    uint32_t solver_a, solver_b;
    uint32_t node, edge_a, edge_b; // in rblJointSystem; RBL_NONE: not there
    bool looped;                   // it, or a joint it hangs together with, closes a loop
    bool slack; // no row holds: a rope that does not pull, a spring that pulls with all it has
    float seconds;
    rblVec3 start_arm_a, start_arm_b;                  // from the centres to the points, at the start
    rblVec3 arm_a, arm_b;                              // where impulses act
    rblVec3 kept_linear_impulse, kept_angular_impulse; // while velocities alone are put right
    rblVec3 best_linear_impulse, best_angular_impulse; // of the round that came nearest
    rblVec3 apart;                                     // from a's point to b's, at the start
    rblVec3 before_u;               // relative velocity of a spring's points before the contact solve
    rblVec3 kept_apart, kept_angle; // of what it is off by: more than one step puts right
    float kept_length;
    uint32_t row_count;
    rblJointRow rows[6];
} rblJoint;

typedef RBL_ARRAY(rblJoint) rblJointArray;
typedef RBL_ARRAY(rblJointEvent) rblJointEventArray;

// All joints of a step, and the dynamic bodies they hold, as one linear system.
typedef struct rblJointSystem
{
    rblBlockSystem blocks; // nodes: bodies, then joints
    rblIndexArray bodies;  // solver body of each body node
    rblIndexArray joints;  // slot of each joint node
    rblIndexArray nodes;   // by solver body; RBL_NONE: no joint holds it
    rblIndexArray parents,
        anchors; // by body node: what hangs together, and by how many joints it hangs on something immovable
    RBL_ARRAY(rblTransform) poses; // by body node: at the end of the step, as far as known
    rblDoubleArray given;          // six per body node: momentum that its velocity has from joints
    rblDoubleArray reference;      // six per body node: velocity and spin at the last refresh
    rblDoubleArray stiffness;      // twelve per body node: see add_stiffness(); of velocities and of spins
    RBL_ARRAY(rblVec3) best;       // two per body node: velocity and spin of the round that came nearest
    bool balanced;                 // momentum is what the impulses give where they act now
} rblJointSystem;

typedef struct rblWorld rblWorld;

void rbl_joint_system_init(rblJointSystem* system, const rblAllocator* allocator);
void rbl_joint_system_free(rblJointSystem* system);

// ---- one joint (joint_rows.c) ----

// One of the two is dynamic and awake: between a sleeper and a kinematic body there is nothing to solve.
bool rbl_joint_is_active(const rblStep* step, const rblJoint* joint);

// Where it is now: arms and how far the points are apart.
void rbl_joint_locate(rblWorld* world, rblJoint* joint);

// How much of what it is off by now stays: one step puts only so much right.
void rbl_joint_limit(const rblWorld* world, rblJoint* joint);

// Rows for no relative velocity where the bodies are now.
void rbl_joint_set_rows_now(rblStep* step, rblJoint* joint);

// Rows for a displacement into place. Returns how far off it is, m.
float rbl_joint_set_rows_displacement(rblStep* step, rblJoint* joint);

// Rows for ending the step in place, from where the bodies would be with the velocities so far. Returns how far off, m.
float rbl_joint_set_rows_ahead(rblStep* step, rblJoint* joint);

// The velocity that a row is about.
double rbl_joint_row_velocity(const rblStep* step, const rblJoint* joint, const rblJointRow* row);

// The impulse of a spring on b for the velocities so far, before its limit.
rblVec3 rbl_joint_spring_impulse(const rblStep* step, const rblJoint* joint);

// Impulse and angular impulse on b, the opposite on a.
void rbl_joint_apply(rblStep* step, const rblJoint* joint, rblVec3 linear_impulse, rblVec3 angular_impulse);

// ---- all joints ----

// Stages: connect the bodies of joints; prepare, sweep and polish in the contact solve; after the step (joint_solve.c).
rblResult rbl_joints_begin(rblStep* step);
void rbl_joints_prepare(rblStep* step);
void rbl_joints_first_refresh(rblStep* step); // the first refresh
float rbl_joints_sweep(rblStep* step);
float rbl_joints_refresh(
    rblStep* step); // between sweeps: returns how far the worst would be off at the end, m
void rbl_joints_polish(rblStep* step);
rblResult rbl_joints_finish(rblStep* step);

// Velocities across joints to zero, for what pulls tight suddenly. True when there was anything to do.
bool rbl_joints_tighten(rblStep* step, float threshold);

// The same at the end of the step, and joints' energy made good (joint_settle.c).
void rbl_joints_settle(rblStep* step);

// The linear system of the joints (joint_system.c): from the rows of all joints; one solve of it, applied to velocities and
// impulses. Returns the largest miss before it, m/s. With `balanced`, impulses turn with the bodies while velocities change.
rblResult rbl_joint_system_build(rblStep* step);
void rbl_joints_begin_balance(rblStep* step);
void rbl_joints_factor(rblStep* step, bool balanced);
float rbl_joints_solve(rblStep* step);
uint32_t rbl_joint_root(rblStep* step,
                        uint32_t node); // the same for all bodies that hang together by joints

// All relative velocities that joints forbid to zero, when one is above the threshold: inelastic. `seconds` is how far ahead a
// rope looks for its length. `felt` is told of each joint, with the impulse in `linear_impulse` and `turn`, and of the work of its driver.
typedef void rblJointImpulseFcn(rblStep* step, rblJoint* joint, double work);
bool rbl_joints_stop(rblStep* step, float threshold, float seconds, rblJointImpulseFcn* report);

// Displacements of the bodies, for velocities, that put joints in place. Returns how far the worst was off; 0: nothing to do.
float rbl_joints_displace(rblStep* step);

// Bodies that hang together have the same time left: the least of theirs.
void rbl_joints_share_seconds(rblStep* step);

// Work put in through a joint in the contact solve: by springs, and by partners of infinite mass that move.
double rbl_joint_work(const rblStep* step, const rblJoint* joint);
void rbl_joint_remove(rblWorld* world, uint32_t slot);

// True when a joint between two bodies keeps them from colliding.
bool rbl_joints_forbid_pair(const rblWorld* world, uint32_t a, uint32_t b);

// The bodies of a destroyed body's joints are let go.
void rbl_body_remove_joints(rblWorld* world, uint32_t slot);

#endif
