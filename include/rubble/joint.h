/// Joints: what holds bodies together. Solved with the contacts, under the same rule: no energy appears.
#ifndef RUBBLE_JOINT_H
#define RUBBLE_JOINT_H

#include "rubble/world.h"

RBL_EXTERN_C_BEGIN

/// Handle to a joint of a world. Zero is null; pass by value, compare, store. Ids of destroyed joints and of other worlds are caught.
typedef struct rblJointId
{
    uint32_t index1;
    uint32_t generation;
    uint32_t world; ///< serial number of its world, as in rblBodyId
} rblJointId;

/// What a joint keeps.
typedef enum rblJointKind
{
    RBL_JOINT_DISTANCE, ///< keeps two points at a fixed distance
    RBL_JOINT_ROPE,     ///< keeps two points from parting farther than a distance
    RBL_JOINT_BALL,     ///< keeps two points together
    RBL_JOINT_HINGE,    ///< a ball joint that turns about one axis only
    RBL_JOINT_FIXED,    ///< keeps two bodies as they are to each other
    RBL_JOINT_SPRING,   ///< pulls two points together: a mouse, a hand. Its work is booked.
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
    rblVec3 axis;         ///< of a hinge, in a's shape axes; default y
    float length;         ///< m, of distance joints and ropes; 0: as far as the points are now
    float break_force;    ///< N: the joint breaks when it has to pull harder; default infinite
    float stiffness;      ///< N/m, of springs; default 100
    float damping;        ///< N s/m, of springs; default 10
    float max_force;      ///< N, of springs; default infinite
    bool collide;         ///< whether the two bodies collide with each other; default false
    void* user_data;      ///< returned in events, never read
} rblJointDef;

/// The defaults named above. `size` is what the caller knows of the struct.
RBL_API void rbl_joint_def_init(rblJointDef* def, size_t size);
static inline rblJointDef rbl_default_joint_def(void)
{
    rblJointDef def;
    rbl_joint_def_init(&def, sizeof def);
    return def;
}

/// Refused: stale bodies, none dynamic, anchors or axis not finite, a zero axis, a == b, numbers that are negative or NaN.
RBL_API rblResult rbl_joint_create(rblWorldId world, const rblJointDef* def, rblJointId* out);

/// Let go. The bodies wake, and collide with each other again.
RBL_API rblResult rbl_joint_destroy(rblWorldId world, rblJointId joint);

/// Whether the id is that of a joint of this world that neither broke nor was destroyed.
RBL_API bool rbl_joint_is_valid(rblWorldId world, rblJointId joint);

/// Move the anchor of b: where a mouse spring pulls to. In b's shape axes, or the world's.
RBL_API rblResult rbl_joint_set_target(rblWorldId world, rblJointId joint, rblVec3 anchor_b);

/// Where a joint is and what it does.
typedef struct rblJointState
{
    rblJointKind kind;
    rblBodyId a, b;
    rblVec3 point_a, point_b; ///< world
    rblVec3 force;            ///< on b in the last step, N
    rblVec3 torque;           ///< on b in the last step, N m
    float error;              ///< m between where the points are and where they should be
    void* user_data;
} rblJointState;

/// Read it as of the last step.
RBL_API rblResult rbl_joint_state(rblWorldId world, rblJointId joint, rblJointState* out);

/// Joints that broke in the last step. Their ids are stale.
typedef struct rblJointEvent
{
    rblJointId joint;
    rblBodyId a, b;
    rblVec3 point; ///< world
    float force;   ///< N
    void* user_data;
} rblJointEvent;

/// In order of ids. Valid until the next call that changes the world.
RBL_API rblResult rbl_world_joint_events(rblWorldId world, const rblJointEvent** events, uint32_t* count);

RBL_EXTERN_C_END

#endif
