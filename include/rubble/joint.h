/// Joints connect bodies. They are solved with the contacts, under the same rule: the total energy never grows.
#ifndef RUBBLE_JOINT_H
#define RUBBLE_JOINT_H

#include "rubble/world.h"

RBL_EXTERN_C_BEGIN

/// Handle to a joint of a world. Zero is null; pass by value, compare, store. Calls detect ids of destroyed
/// joints and of other worlds.
typedef struct rblJointId
{
    uint32_t index1;
    uint32_t generation;
    uint32_t world; ///< serial number of its world, as in rblBodyId
} rblJointId;

/// Constraint of a joint.
typedef enum rblJointKind
{
    RBL_JOINT_DISTANCE, ///< keeps two points at a fixed distance
    RBL_JOINT_ROPE,     ///< keeps the distance of two points below a limit
    RBL_JOINT_BALL,     ///< keeps two points together
    RBL_JOINT_HINGE,    ///< a ball joint that allows rotation about one axis only
    RBL_JOINT_FIXED,    ///< keeps the relative pose of two bodies
    RBL_JOINT_SPRING, ///< pulls two points together, as for dragging with a mouse; its work is booked in rblEnergy
    RBL_JOINT_SLIDER, ///< allows motion along one axis only, and no rotation
    RBL_JOINT_KIND_COUNT
} rblJointKind;

/// What a new joint is. Start from rbl_default_joint_def() and change fields.
typedef struct rblJointDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_joint_def()
    uint32_t cookie;      ///< set by rbl_default_joint_def()
    rblJointKind kind;    ///< default ball
    rblBodyId a;          ///< at least one of a and b must be dynamic
    rblBodyId b;          ///< null: the world
    rblVec3 anchor_a;     ///< in a's shape axes
    rblVec3 anchor_b;     ///< in b's shape axes; a point of the world when b is null
    rblVec3 axis;      ///< of a hinge, a slider, or the limits of a ball joint, in a's shape axes; default y
    float length;      ///< m, of distance joints and ropes; 0: the current distance of the points
    float break_force; ///< N: the joint breaks above this force; default infinite
    float stiffness;   ///< N/m, of springs; default 100
    float damping;     ///< N s/m, of springs; default 10
    float max_force;   ///< N, of springs; default infinite
    bool collide;      ///< whether the two bodies collide with each other; default false
    void* user_data;   ///< returned in events, never read
    float lower,
        upper; ///< limits of a hinge or of the twist of a ball joint, rad, or of a slider, m, from its pose at
               ///< creation; default -infinity and infinity: no limits
    float
        swing; ///< rad: greatest angle between the axes of the bodies of a ball joint; default infinity: no limit; only set at creation
    float motor_speed; ///< of a hinge, rad/s, or a slider, m/s: of b against a; default 0
    float motor_force; ///< greatest torque, N m, or force, N, of the motor; default 0: no motor
} rblJointDef;

/// The defaults named above. `size` is what the caller knows of the struct.
RBL_API void rbl_joint_def_init(rblJointDef* def, size_t size);
static inline rblJointDef rbl_default_joint_def(void)
{
    rblJointDef def;
    rbl_joint_def_init(&def, sizeof def);
    return def;
}

/// Refused: stale bodies, none dynamic, anchors or axis not finite, a zero axis where it is used, a == b; a length, stiffness or damping
/// that is negative or not finite; a break_force or max_force that is not positive; a lower limit above the upper one; a motor speed that
/// is not finite; a motor force that is negative or not finite; limits or motors of kinds that have none; a swing below 0 or above pi / 2.
RBL_API rblResult rbl_joint_create(rblWorldId world, const rblJointDef* def, rblJointId* out);

/// Remove a joint. Its bodies wake, and they collide with each other again.
RBL_API rblResult rbl_joint_destroy(rblWorldId world, rblJointId joint);

/// Whether the id refers to an existing joint of this world.
RBL_API bool rbl_joint_is_valid(rblWorldId world, rblJointId joint);

/// Move the anchor of b, the target of a mouse spring. In b's shape axes; in world axes when b is null.
RBL_API rblResult rbl_joint_set_target(rblWorldId world, rblJointId joint, rblVec3 anchor_b);

/// Change the limits of a hinge, of a slider, or of the twist of a ball joint. Its bodies wake. What is beyond the limits returns at
/// recovery_speed. Refused: other kinds, a lower limit above the upper, NaN.
RBL_API rblResult rbl_joint_set_limits(rblWorldId world, rblJointId joint, float lower, float upper);

/// Change the motor of a hinge or slider; a force of 0 removes it. Its bodies wake. Its work is booked in rblEnergy. Refused: other
/// kinds, a speed that is not finite, a force that is negative or not finite.
RBL_API rblResult rbl_joint_set_motor(rblWorldId world, rblJointId joint, float speed, float force);

/// Points, force and torque of a joint.
typedef struct rblJointState
{
    rblJointKind kind;
    rblBodyId a, b;
    rblVec3 point_a, point_b; ///< world
    rblVec3 force;            ///< on b in the last step, N
    rblVec3 torque;           ///< on b in the last step, N m
    float error;              ///< position error of the points, m
    void* user_data;
    float
        travel; ///< of a hinge or the twist of a ball joint with limits, rad, whole turns included; of a slider, m
    float speed; ///< rate of that, rad/s or m/s
    float drive; ///< N m or N: of its motor and limits on b along the axis in the last step; 0 without them
    float lower, upper, motor_speed, motor_force; ///< as in rblJointDef
} rblJointState;

/// Read the state of a joint after the last step.
RBL_API rblResult rbl_joint_state(rblWorldId world, rblJointId joint, rblJointState* out);

/// A joint that broke in the last step. Its id is stale.
typedef struct rblJointEvent
{
    rblJointId joint;
    rblBodyId a, b;
    rblVec3 point; ///< world
    float force;   ///< N
    void* user_data;
} rblJointEvent;

/// Joints that broke in the last step, in order of ids. Valid until the next call that changes the world.
RBL_API rblResult rbl_world_joint_events(rblWorldId world, const rblJointEvent** events, uint32_t* count);

RBL_EXTERN_C_END

#endif
