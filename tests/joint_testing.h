// Joints in one line, and how far they are off.
#ifndef RBL_TESTS_JOINT_TESTING_H
#define RBL_TESTS_JOINT_TESTING_H

#include "world_testing.h"

static const rblVec3 zero = {0, 0, 0};
static const rblBodyId the_world = {0};

static inline rblJointId join(rblWorldId world, rblJointKind kind, rblBodyId a, rblBodyId b, rblVec3 anchor_a,
                              rblVec3 anchor_b)
{
    rblJointDef def = rbl_default_joint_def();
    def.kind = kind;
    def.a = a;
    def.b = b;
    def.anchor_a = anchor_a;
    def.anchor_b = anchor_b;
    def.axis = (rblVec3){0, 0, 1};
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    return joint;
}

static inline rblJointState joint_of(rblWorldId world, rblJointId joint)
{
    rblJointState state;
    check_ok(rbl_joint_state(world, joint, &state));
    return state;
}

// Angle between two orientations, degrees.
static inline double angle_between(rblQuat a, rblQuat b)
{
    const rblQuat off = rbl_quat_mul(b, rbl_quat_conjugate(a));
    const double sine = sqrt((double)(off.x * off.x + off.y * off.y + off.z * off.z));
    return 2.0 * asin(fmin(sine, 1.0)) * 57.29577951308232;
}

#endif
