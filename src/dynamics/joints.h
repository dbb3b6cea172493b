// Joints from inside.
#ifndef RBL_DYNAMICS_JOINTS_H
#define RBL_DYNAMICS_JOINTS_H

#include "base/array.h"
#include "dynamics/inertia.h"
#include "rubble/joint.h"

typedef struct rblJoint
{
    uint32_t generation; // 0: the slot is free
    rblJointKind kind;
    uint32_t a, b;              // body slots; b is RBL_NONE for the world
    rblVec3 anchor_a, anchor_b; // in the bodies' frames; b's in the world when it is the world
    rblVec3 axis_a;             // of a hinge, in a's frame
    rblQuat b_in_a;             // wanted relative orientation of the frames
    float length;
    float break_force, stiffness, damping, max_force;
    bool collide;
    void* user_data;

    rblVec3 push;     // impulse on b of the last step, N s
    rblVec3 turn;     // angular impulse on b of the last step, N m s
    rblVec3 jerk;     // impulse on b in the impact phase of the last step, N s
    double jerk_work; // J: put in by it, when a body of infinite mass moves

    // Of the step at hand (joint_solve.c).
    uint32_t solver_a, solver_b;
    float seconds;
    rblVec3 start_arm_a, start_arm_b; // from the centres to the points, at the start
    rblVec3 arm_a, arm_b;             // at mid-step
    rblVec3 apart;                    // from a's point to b's, at the start
    rblVec3 before_u;                 // relative velocity of the points before the contact solve
    rblVec3 before_w;                 // relative spin
    rblVec3 misaligned;               // rotation vector from where b should be to where it is
    rblSymmetric3 point_mass, angle_mass;
    rblVec3 free_axis; // of a hinge, world
} rblJoint;

typedef RBL_ARRAY(rblJoint) rblJointArray;
typedef RBL_ARRAY(rblJointEvent) rblJointEventArray;

typedef struct rblWorld rblWorld;

// Stages: connect bodies of joints; hold them in the impact phase; prepare, sweep and finish in the contact solve.
void rbl_begin_joints(rblWorld* world);
void rbl_prepare_joints(rblWorld* world);
void rbl_warm_start_joints(rblWorld* world);
float rbl_sweep_joints(rblWorld* world);
void rbl_refresh_joints(rblWorld* world); // between sweeps, a few times
rblResult rbl_finish_joints(rblWorld* world);

// Velocities across joints to zero, for what pulls tight suddenly. True when there was anything to do.
bool rbl_tighten_joints(rblWorld* world, float threshold);

// Work put in through a joint in the contact solve: by springs, and by partners of infinite mass that move.
double rbl_joint_work(const rblWorld* world, const rblJoint* joint);
void rbl_remove_joint(rblWorld* world, uint32_t slot);

// True when a joint between two bodies keeps them from colliding.
bool rbl_joints_forbid(const rblWorld* world, uint32_t a, uint32_t b);

// The bodies of a destroyed body's joints are let go.
void rbl_remove_joints_of(rblWorld* world, uint32_t slot);

#endif
