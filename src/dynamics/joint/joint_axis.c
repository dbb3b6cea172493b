// Limits and motors: rows with bounds on their impulse.
//
// Along its axis a joint exerts an impulse J that depends on the velocity v at the end of the step. Between the limits it is that of
// the motor: as much as it has, +m below its target speed w and -m above it. It is vertical, so that any impulse is possible, at
// the speeds that reach a limit at the end of the step, v0 and v1, and at w.
//
//     J |            The row is either held at one of the three speeds, with an impulse within the ends of
//       ||           that part of the curve, or free, with a constant impulse. A held row whose impulse
//    +m +'-----.     leaves its part becomes free, and a free one whose velocity passes a corner is held
//       |      |     there (an active set method, as for ropes that become tight or slack).
//    -m |      '---.
//       +v0----w---v1--- v
#include "dynamics/joint/joints.h"
#include "dynamics/solve/contact_math.h"
#include "math/trig.h"

#include <math.h>

bool rbl_joint_has_axis(const rblJoint* joint, uint32_t index)
{
    const rblJointAxis* axis = &joint->axes[index];
    return axis->lower > -INFINITY || axis->upper < INFINITY || (index == 0 && joint->motor_force > 0.0f);
}

// ---- travel ----

#define TAU 6.283185307179586

// The angle by which b has turned about the axis of a since the joint was created, within half a turn.
static double twist_angle(const rblJoint* joint, rblQuat a, rblQuat b)
{
    const rblQuatd from = rbl_to_double_quat(rbl_quat_mul(a, joint->b_in_a));
    const rblQuatd to = rbl_to_double_quat(b);
    const rblQuatd turn = rbl_quatd_mul(to, rbl_quatd_conjugate(from));
    const rblVec3d axis = rbl_to_double3(rbl_rotate3(a, joint->axis_a));
    const double sine = turn.x * axis.x + turn.y * axis.y + turn.z * axis.z;
    const double angle = 2.0 * rbl_atan2(sine, turn.w);
    return angle - TAU * floor(angle / TAU + 0.5);
}

// The angle between the axes of a and b.
static double swing_angle(const rblJoint* joint, rblQuat a, rblQuat b)
{
    const rblVec3d axis_a = rbl_to_double3(rbl_rotate3(a, joint->axis_a));
    const rblVec3d axis_b = rbl_to_double3(rbl_rotate3(b, joint->axis_b));
    return rbl_atan2(rbl_length3d(rbl_cross3d(axis_a, axis_b)), rbl_dot3d(axis_a, axis_b));
}

double rbl_joint_travel(const rblJoint* joint, uint32_t index, rblQuat a, rblQuat b, rblVec3 separation)
{
    if (joint->kind == RBL_JOINT_SLIDER)
    {
        return rbl_dot3d(rbl_to_double3(rbl_rotate3(a, joint->axis_a)), rbl_to_double3(separation));
    }
    if (index == 1)
    {
        return swing_angle(joint, a, b);
    }
    // Whole turns count: the angle is the one next to the last.
    const double angle = twist_angle(joint, a, b);
    return angle + TAU * floor((joint->axes[0].travel - angle) / TAU + 0.5);
}

// ---- the law of a row ----

static double motor_bound(const rblJointAxis* axis, double speed, bool above)
{
    const bool is_above = speed > axis->motor_speed || (above && speed == axis->motor_speed);
    return is_above ? -axis->motor_impulse : axis->motor_impulse;
}

// The impulses that a held row may have.
static void find_bounds(const rblJointAxis* axis, double* least, double* most)
{
    switch (axis->state)
    {
    case RBL_AXIS_LOWER:
        *least = axis->bounces ? -(double)INFINITY : motor_bound(axis, axis->lower_speed, true);
        *most = INFINITY;
        break;
    case RBL_AXIS_UPPER:
        *least = -INFINITY;
        *most = axis->bounces ? (double)INFINITY : motor_bound(axis, axis->upper_speed, false);
        break;
    case RBL_AXIS_MOTOR:
        *least = -axis->motor_impulse;
        *most = axis->motor_impulse;
        break;
    default:
        *least = *most = axis->impulse;
        break;
    }
}

static double held_speed(const rblJointAxis* axis)
{
    return axis->state == RBL_AXIS_LOWER   ? axis->lower_speed
           : axis->state == RBL_AXIS_UPPER ? axis->upper_speed
                                           : axis->motor_speed;
}

// Copy the state of an axis to its row, and give a free row its impulse.
static void write_row(rblJoint* joint, rblJointRow* row)
{
    const rblJointAxis* axis = &joint->axes[row->law - 1];
    row->free = axis->state == RBL_AXIS_FREE;
    row->target = held_speed(axis);
    if (row->free)
    {
        rblVec3d* sum = row->is_angular ? &joint->angular_impulse : &joint->linear_impulse;
        const double change = axis->impulse - rbl_joint_row_impulse(joint, row);
        *sum = rbl_mul_add3d(*sum, change, rbl_to_double3(row->axis));
    }
}

bool rbl_joint_release_axes(rblJoint* joint)
{
    bool any = false;
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        rblJointRow* row = &joint->rows[r];
        if (row->law == 0 || row->free)
        {
            continue;
        }
        rblJointAxis* axis = &joint->axes[row->law - 1];
        const double impulse = rbl_joint_row_impulse(joint, row);
        double least = 0.0;
        double most = 0.0;
        find_bounds(axis, &least, &most);
        if (impulse < least || impulse > most)
        {
            axis->impulse = impulse < least ? least : most;
            axis->state = RBL_AXIS_FREE;
            write_row(joint, row);
            any = true;
        }
    }
    return any;
}

// The corner that a free row of this velocity has passed. From the ends of the motor, its speed comes before the limits.
static rblAxisState state_at(const rblJointAxis* axis, double speed)
{
    const bool passed = (axis->impulse > 0.0 && speed > axis->motor_speed) ||
                        (axis->impulse < 0.0 && speed < axis->motor_speed);
    const bool reachable = axis->lower_speed <= axis->motor_speed && axis->motor_speed <= axis->upper_speed;
    if (passed && reachable)
    {
        return RBL_AXIS_MOTOR;
    }
    return speed < axis->lower_speed   ? RBL_AXIS_LOWER
           : speed > axis->upper_speed ? RBL_AXIS_UPPER
                                       : RBL_AXIS_FREE;
}

bool rbl_joint_hold_axes(const rblStep* step, rblJoint* joint)
{
    bool any = false;
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        rblJointRow* row = &joint->rows[r];
        if (row->law != 0 && row->free)
        {
            rblJointAxis* axis = &joint->axes[row->law - 1];
            axis->state = state_at(axis, rbl_joint_row_velocity(step, joint, row));
            write_row(joint, row);
            any = any || !row->free;
        }
    }
    return any;
}

// ---- rows of a round ----

void rbl_joint_limit_axes(rblJoint* joint, double correction)
{
    for (int i = 0; i < 2; ++i)
    {
        rblJointAxis* axis = &joint->axes[i];
        axis->lower_now = rbl_mind((double)axis->lower, axis->travel + correction);
        axis->upper_now = rbl_maxd((double)axis->upper, axis->travel - correction);
    }
}

double rbl_joint_aim_axis(rblJoint* joint, rblJointRow* row, const rblAxisAim* aim)
{
    rblJointAxis* axis = &joint->axes[row->law - 1];
    const double below = axis->lower_now - aim->travel;
    const double above = aim->travel - axis->upper_now;
    axis->lower_speed = aim->speed + aim->rate * below;
    axis->upper_speed = aim->speed - aim->rate * above;
    axis->motor_impulse = row->law == 1 ? (double)joint->motor_force * aim->seconds : 0.0;
    axis->motor_speed = (double)joint->motor_speed;
    axis->bounces = false;
    if (axis->state == RBL_AXIS_FREE || (axis->state == RBL_AXIS_MOTOR && !(axis->motor_impulse > 0.0)))
    {
        const bool pushes = axis->impulse > 0.0 || (axis->impulse == 0.0 && aim->speed < axis->motor_speed);
        axis->impulse = pushes ? axis->motor_impulse : -axis->motor_impulse;
        axis->state = RBL_AXIS_FREE;
    }
    if (axis->state == RBL_AXIS_MOTOR)
    {
        axis->state = axis->motor_speed < axis->lower_speed   ? RBL_AXIS_LOWER
                      : axis->motor_speed > axis->upper_speed ? RBL_AXIS_UPPER
                                                              : RBL_AXIS_MOTOR;
    }
    write_row(joint, row);
    if (axis->state == RBL_AXIS_LOWER || axis->state == RBL_AXIS_UPPER)
    {
        return fabs(axis->state == RBL_AXIS_LOWER ? below : above);
    }
    const bool late = axis->state == RBL_AXIS_MOTOR || state_at(axis, aim->speed) == RBL_AXIS_MOTOR;
    const double missed = late ? fabs(aim->speed - axis->motor_speed) / aim->rate : 0.0;
    return rbl_maxd(rbl_maxd(below, above), missed);
}

double rbl_joint_displace_axis(rblJoint* joint, rblJointRow* row)
{
    rblJointAxis* axis = &joint->axes[row->law - 1];
    axis->state = axis->travel < axis->lower_now   ? RBL_AXIS_LOWER
                  : axis->travel > axis->upper_now ? RBL_AXIS_UPPER
                                                   : RBL_AXIS_FREE;
    axis->impulse = 0.0;
    return rbl_joint_aim_axis(joint, row, &(rblAxisAim){.travel = axis->travel, .rate = 1.0});
}

void rbl_joint_stop_axes(const rblStep* step, rblJoint* joint, bool settles)
{
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        rblJointRow* row = &joint->rows[r];
        if (row->law == 0)
        {
            continue;
        }
        rblJointAxis* axis = &joint->axes[row->law - 1];
        const double speed = rbl_joint_row_velocity(step, joint, row);
        const bool falls = speed < 0.0 && axis->travel <= axis->lower_now;
        const bool rises = speed > 0.0 && axis->travel >= axis->upper_now;
        const bool held = settles && (axis->state == RBL_AXIS_LOWER || axis->state == RBL_AXIS_UPPER);
        axis->bounces = held;
        axis->state = held ? axis->state : falls ? RBL_AXIS_LOWER : rises ? RBL_AXIS_UPPER : RBL_AXIS_FREE;
        axis->lower_speed = axis->upper_speed = 0.0;
        axis->motor_speed = axis->motor_impulse = axis->impulse = 0.0;
        axis->speed = speed;
        write_row(joint, row);
    }
}

double rbl_joint_stopped_energy(const rblJoint* joint)
{
    double energy = 0.0;
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        const rblJointRow* row = &joint->rows[r];
        energy -=
            row->law != 0 ? 0.5 * rbl_joint_row_impulse(joint, row) * joint->axes[row->law - 1].speed : 0.0;
    }
    return energy;
}
