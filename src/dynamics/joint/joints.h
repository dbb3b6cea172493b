// Internal data and functions of joints.
#ifndef RBL_DYNAMICS_JOINT_JOINTS_H
#define RBL_DYNAMICS_JOINT_JOINTS_H

#include "base/array.h"
#include "dynamics/inertia.h"
#include "math/sparse_blocks.h"
#include "rubble/joint.h"

// Where the row of an axis with limits or a motor is held (joint_axis.c).
typedef enum rblAxisState
{
    RBL_AXIS_FREE, // nowhere: its impulse is constant
    RBL_AXIS_LOWER,
    RBL_AXIS_UPPER,
    RBL_AXIS_MOTOR
} rblAxisState;

// An axis along or about which a joint moves, with its limits: hinges and sliders have one, the twist of a ball joint is the first
// and its swing the second. Angles in rad, travel of a slider in m.
typedef struct rblJointAxis
{
    float lower, upper;
    double travel;               // of b against a since the joint was created, at the last located poses
    double lower_now, upper_now; // limits of this step: what is beyond them is corrected at a bounded speed
    rblAxisState state;
    double impulse;                  // while free, N s or N m s
    double lower_speed, upper_speed; // that reach the limits at the end of the step, 1/s
    double motor_speed, motor_impulse;
    double speed; // before it was stopped
    bool bounces; // it reached its limit in this step: what it bounces is stopped, too
} rblJointAxis;

// One constraint row of a joint: the relative velocity of its points, or the relative spin, along an axis.
typedef struct rblJointRow
{
    rblVec3 axis;
    bool is_angular; // a row of the spin; otherwise of the velocity of the points
    double target;   // relative velocity at the end of the step, m/s or rad/s
    // Compliance, velocity per impulse: of springs, and of joints in loops, whose rows may contradict each other.
    double softness;
    double regularization; // compliance that keeps the pivots of the factors nonzero
    uint32_t law;          // 0: the row holds; otherwise the number of its axis + 1
    bool free;             // the row of an axis that is held nowhere
} rblJointRow;

typedef struct rblStep rblStep;

typedef struct rblJoint
{
    uint32_t generation; // 0: the slot is free
    rblJointKind kind;
    uint32_t a, b;              // body slots; b is RBL_NONE for the world
    rblVec3 anchor_a, anchor_b; // m: in the frames of the bodies; anchor_b in world axes when b is the world
    rblVec3 axis_a, axis_b;     // of a hinge, in the bodies' frames
    rblQuat b_in_a;             // target relative orientation of the frames
    float length;
    float break_force, stiffness, damping, max_force;
    float motor_speed, motor_force; // of the first axis
    bool collide;
    void* user_data;

    // Impulse, N s, and angular impulse, N m s, on b of the last step. In 32 bits, the rounding of a large tension would move
    // light bodies.
    rblVec3d linear_impulse, angular_impulse;
    rblVec3 impact_impulse; // impulse on b in the impact phase of the last step, N s
    double impact_work;     // J: work of that impulse when a body of infinite mass moves
    rblJointAxis axes[2];

    // Data of the current step (joint_rows.c, joint_solve.c).
    uint32_t solver_a, solver_b;
    uint32_t node, edge_a, edge_b; // of rblJointSystem, filled by rbl_joint_system_build(); RBL_NONE: none
    bool in_loop;                  // the joint is part of bodies that are connected by a loop of joints
    bool slack;                    // no row is active: a slack rope, or a spring at its largest force
    float seconds;                 // duration of the step for its bodies, s
    float parts_seconds;           // s of the step that were advanced in parts (joint_parts.c),
    rblVec3 parts_linear_impulse, parts_angular_impulse; // and the impulses on b in them
    rblVec3 start_arm_a, start_arm_b; // m: from the centres of mass to the points, at the start of the step
    rblVec3 arm_a, arm_b;             // m: lever arms of the impulses
    rblVec3d saved_linear_impulse, saved_angular_impulse; // saved while another solve uses the impulses
    rblVec3d best_linear_impulse, best_angular_impulse;   // of the round with the smallest error
    rblJointAxis saved_axes[2], best_axes[2];
    rblVec3 separation;     // m: from the point of a to the point of b, at the start of the step
    rblVec3 start_velocity; // m/s: relative velocity of the points of a spring before the contact solve
    // The part of the position error that this step does not correct, m and rad. Filled by rbl_joint_limit().
    rblVec3 uncorrected_separation, uncorrected_angle;
    float uncorrected_length;
    uint32_t row_count;
    rblJointRow rows[6];
} rblJoint;

typedef RBL_ARRAY(rblJoint) rblJointArray;
typedef RBL_ARRAY(rblJointEvent) rblJointEventArray;

// All joints of a step and their dynamic bodies, as one linear system.
typedef struct rblJointSystem
{
    rblBlockSystem blocks;         // nodes: bodies, then joints
    rblIndexArray bodies;          // solver body of each body node
    rblIndexArray joints;          // slot of each joint node
    rblIndexArray nodes;           // by solver body; RBL_NONE: it has no joint
    rblIndexArray parents;         // by body node: union-find parents of connected bodies
    rblIndexArray anchors;         // by body node: number of joints to immovable bodies, see find_loops()
    RBL_ARRAY(rblTransform) poses; // by body node: predicted at the end of the step
    // Six per body node: momentum from joints that its velocity includes, N s and N m s. Filled by rbl_joints_solve().
    rblDoubleArray joint_momentum;
    rblDoubleArray reference; // six per body node: velocity and spin for which the rows were computed
    rblDoubleArray masses;    // seven per body node: see body_mass(). Filled by rbl_joints_factor().
    // Twelve per body node: geometric stiffness of the velocity, then of the spin. Filled by rbl_joints_factor().
    rblDoubleArray stiffness;
    RBL_ARRAY(rblVec3) best; // two per body node: velocity and spin of the round with the smallest error
    uint32_t parts;          // the joints of islands with this rblIsland.parts; 0: all joints
    bool stale;              // the rows have changed since rbl_joints_factor()
    bool balanced;           // the solve includes the geometric stiffness and the residual of momentum
} rblJointSystem;

typedef struct rblWorld rblWorld;

void rbl_joint_system_init(rblJointSystem* system, const rblAllocator* allocator);
void rbl_joint_system_free(rblJointSystem* system);

// ---- one joint (joint_rows.c) ----

// Whether one of the two bodies is dynamic and awake.
bool rbl_joint_is_active(const rblStep* step, const rblJoint* joint);

// The island of an active joint.
uint32_t rbl_joint_island(const rblStep* step, const rblJoint* joint);

// Compute the lever arms and the separation of the points at the current poses.
void rbl_joint_locate(rblWorld* world, rblJoint* joint);

// Compute the part of the position error that this step does not correct: the speed of correction is limited.
void rbl_joint_limit(const rblWorld* world, rblJoint* joint);

// Rows for zero relative velocity at the current poses.
void rbl_joint_set_rows_now(rblStep* step, rblJoint* joint);

// Rows for a displacement that removes the position error. Returns the error, m.
float rbl_joint_set_rows_displacement(rblStep* step, rblJoint* joint);

// Rows for no position error at the end of the step, from the predicted poses. Returns the predicted error, m.
float rbl_joint_set_rows_ahead(rblStep* step, rblJoint* joint);

// The relative velocity of the points and the relative spin, of b against a.
typedef struct rblJointVelocity
{
    rblVec3d linear, spin;
} rblJointVelocity;

rblJointVelocity rbl_joint_velocity(const rblStep* step, const rblJoint* joint);

static inline double rbl_joint_along_row(const rblJointVelocity* velocity, const rblJointRow* row)
{
    return rbl_dot3d(rbl_to_double3(row->axis), row->is_angular ? velocity->spin : velocity->linear);
}

// The relative velocity along a row.
double rbl_joint_row_velocity(const rblStep* step, const rblJoint* joint, const rblJointRow* row);

// The impulse along a row on b, N s or N m s.
static inline double rbl_joint_row_impulse(const rblJoint* joint, const rblJointRow* row)
{
    return rbl_dot3d(rbl_to_double3(row->axis),
                     row->is_angular ? joint->angular_impulse : joint->linear_impulse);
}

// The impulse of a spring on b for the current velocities, before its limit.
rblVec3 rbl_joint_spring_impulse(const rblStep* step, const rblJoint* joint);

// Apply an impulse and an angular impulse to b, and the opposite to a.
void rbl_joint_apply(rblStep* step, const rblJoint* joint, rblVec3 linear_impulse, rblVec3 angular_impulse);

// ---- limits and motors (joint_axis.c) ----

// Whether an axis has a limit or a motor, and so a row.
bool rbl_joint_has_axis(const rblJoint* joint, uint32_t index);

// How far b has moved along an axis, at these orientations and this separation of the points.
double rbl_joint_travel(const rblJoint* joint, uint32_t index, rblQuat a, rblQuat b, rblVec3 separation);

// The limits of this step, when at most `correction` of what is beyond them is corrected.
void rbl_joint_limit_axes(rblJoint* joint, double correction);

typedef struct rblAxisAim
{
    double speed;   // of the row, at the predicted end
    double travel;  // there
    double rate;    // change of speed per change of travel, 1/s
    double seconds; // for the motor
} rblAxisAim;

// The law of a row from a prediction. Returns how far it is from where it should be.
double rbl_joint_aim_axis(rblJoint* joint, rblJointRow* row, const rblAxisAim* aim);

// The same for a displacement out of the limits.
double rbl_joint_displace_axis(rblJoint* joint, rblJointRow* row);

// Hold the axes that are at a limit, at a speed of zero. At the end of a step (`settles`) these are also the axes that have reached
// one in it: the mean velocity of the step took them there, so that the one at its end may lead back. The energy that this has
// taken, J.
void rbl_joint_stop_axes(const rblStep* step, rblJoint* joint, bool settles);
double rbl_joint_stopped_energy(const rblJoint* joint);

// Release rows whose impulse is out of bounds; hold rows whose velocity is. Returns whether there are any.
bool rbl_joint_release_axes(rblJoint* joint);
bool rbl_joint_hold_axes(const rblStep* step, rblJoint* joint);

// ---- all joints ----

// Stages of the step (joint_solve.c): begin connects the bodies of joints; prepare, first_refresh, sweep, refresh and polish
// belong to the contact solve; finish removes joints that break.
rblResult rbl_joints_begin(rblStep* step);
void rbl_joints_prepare(rblStep* step);
void rbl_joints_first_refresh(rblStep* step); // rows from the velocities before forces
float rbl_joints_sweep(rblStep* step);
float rbl_joints_refresh(rblStep* step); // rows from predicted poses; returns the largest position error, m
void rbl_joints_polish(rblStep* step);
rblResult rbl_joints_finish(rblStep* step);

// Advance islands that spin fast on their joints through all of the step but its last part (joint_parts.c).
rblResult rbl_joints_advance_in_parts(rblStep* step);

// Remove relative velocities of joints that become tight suddenly. Returns whether anything changed.
bool rbl_joints_tighten(rblStep* step, float threshold);

// The same at the end of the step, with a correction of positions and of the energy of joints (joint_settle.c).
void rbl_joints_settle(rblStep* step);

// The linear system of the joints (joint_system.c): build its structure, compute and factor the matrix, solve. A solve changes
// velocities and impulses and returns the largest residual before it, m/s. With `balanced`, impulses rotate with the bodies
// while velocities change.
rblResult rbl_joint_system_build(rblStep* step, uint32_t parts); // see rblJointSystem.parts
void rbl_joints_begin_balance(rblStep* step);
void rbl_joints_refer(rblStep* step); // the rows now belong to the current velocities
void rbl_joints_factor(rblStep* step, bool balanced);
float rbl_joints_solve(rblStep* step);

// Union-find root of the bodies that joints connect with the body of a node.
uint32_t rbl_joint_root(rblStep* step, uint32_t node);

// Remove all relative velocities that joints do not allow, when one is above the threshold, as in an inelastic impact. Ropes
// predict their length over `seconds`. `report` is called for each joint: the impulses are in the joint, `work` is that of its
// kinematic body, J.
typedef void rblJointImpulseFcn(rblStep* step, rblJoint* joint, double work);
bool rbl_joints_stop(rblStep* step, float threshold, float seconds, rblJointImpulseFcn* report);

// Compute displacements that remove the position errors of joints, stored as velocities of the solver bodies. Returns the
// largest error, m, or 0 when there is nothing to correct.
float rbl_joints_displace(rblStep* step);

// Bodies connected by joints get the same remaining time of the step: the smallest one.
void rbl_joints_share_seconds(rblStep* step);

// Work of a joint in the contact solve, J.
typedef struct rblJointWork
{
    double driven;   // by springs, motors, and moving bodies of infinite mass
    double elastic;  // by the stretch of soft rows, and by limits that push back
    double absorbed; // taken by limits
} rblJointWork;

rblJointWork rbl_joint_work(const rblStep* step, const rblJoint* joint);
void rbl_joint_remove(rblWorld* world, uint32_t slot);

// Whether a joint prevents collisions of two bodies.
bool rbl_joints_forbid_pair(const rblWorld* world, uint32_t a, uint32_t b);

// Remove all joints of a body.
void rbl_body_remove_joints(rblWorld* world, uint32_t slot);

#endif
