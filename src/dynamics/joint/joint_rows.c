// The constraint rows of one joint.
//
// Each body moves by h times its mean velocity over the step and rotates about its mean spin. Let r0 and r1 be the lever arm of
// a joint point at the start and at the end of the step. When the rotation axis is constant, there is a k near 1 with
//   h mean w x (k (r0 + r1) / 2) = r1 - r0 ;   k = tan(x) / x for a rotation by 2 x .
// The lever arm k (r0 + r1) / 2, the *chord arm*, maps the mean velocity of a body to the chord of the arc of its point. Its
// transpose maps an impulse at the point to the body. When a joint has no position error at the start and at the end, the
// chords of its two points are equal, so
//   sum J . mean u = 0
// and the joint does no work (a discrete gradient: Gonzalez 1999). For a distance the same holds along the mean of the two
// directions, since r1.r1 - r0.r0 = (r1 - r0).(r1 + r0).
#include "dynamics/joint/joints.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define MIN_RECOVERY   0.1f  // m/s: smallest speed of position correction, if that of the world is smaller
#define REGULARIZATION 1e-11 // of the compliance of a row
#define SOFTNESS       1e-6  // of the compliance of a row: softness of rows in loops
#define MAX_DELAY      0.1f  // of a step: largest delay of an impulse, see impulse_delay()

bool rbl_joint_is_active(const rblStep* step, const rblJoint* joint)
{
    return joint->generation != 0 && (step->solver_bodies.data[joint->solver_a].inverse_mass > 0.0f ||
                                      step->solver_bodies.data[joint->solver_b].inverse_mass > 0.0f);
}

uint32_t rbl_joint_island(const rblStep* step, const rblJoint* joint)
{
    const uint32_t a = step->solver_bodies.data[joint->solver_a].island;
    return a != RBL_NONE ? a : step->solver_bodies.data[joint->solver_b].island;
}

static bool keeps_length(const rblJoint* joint)
{
    return (joint->kind == RBL_JOINT_DISTANCE || joint->kind == RBL_JOINT_ROPE) && joint->length > 0.0f;
}

static rblTransform frame_of(const rblWorld* world, uint32_t slot)
{
    return slot == RBL_NONE ? rbl_transform_identity() : rbl_motion_pose(&world->motions.data[slot]);
}

// ---- position errors ----

// Rotation vector from the target orientation of b to its orientation, for small angles, rad.
static rblVec3 misalignment(const rblJoint* joint, rblQuat a, rblQuat b)
{
    if (joint->kind == RBL_JOINT_HINGE)
    {
        return rbl_cross3(rbl_rotate3(a, joint->axis_a), rbl_rotate3(b, joint->axis_b));
    }
    const rblQuat target = rbl_quat_mul(a, joint->b_in_a);
    const rblQuat error = rbl_quat_mul(b, rbl_quat_conjugate(target));
    const float twice = error.w < 0.0f ? -2.0f : 2.0f;
    return rbl_vec3(twice * error.x, twice * error.y, twice * error.z);
}

// The part of an error that one step does not correct.
static rblVec3 uncorrected_part(rblVec3 error, float limit)
{
    const float length = rbl_length3(error);
    return length > limit ? rbl_scale3(error, 1.0f - limit / length) : rbl_vec3(0, 0, 0);
}

static float uncorrected_length_part(const rblJoint* joint, float limit)
{
    const float error = rbl_length3(joint->separation) - joint->length;
    if (error < 0.0f)
    {
        return joint->kind == RBL_JOINT_ROPE ? 0.0f : rbl_minf(error + limit, 0.0f);
    }
    return rbl_maxf(error - limit, 0.0f);
}

// The point of b slides along an axis of a, so its impulse acts on a at the point of b.
static bool slides(const rblJoint* joint)
{
    return joint->kind == RBL_JOINT_SLIDER;
}

// The part of a separation that the joint does not allow.
static rblVec3 apart(const rblJoint* joint, rblQuat a, rblVec3 separation)
{
    const rblVec3 axis = rbl_rotate3(a, joint->axis_a);
    return slides(joint) ? rbl_mul_add3(separation, -rbl_dot3(axis, separation), axis) : separation;
}

static bool moves_along(const rblJoint* joint, uint32_t index)
{
    return joint->kind == RBL_JOINT_SLIDER || joint->kind == RBL_JOINT_HINGE
               ? index == 0
               : joint->kind == RBL_JOINT_BALL && rbl_joint_has_axis(joint, index);
}

void rbl_joint_locate(rblWorld* world, rblJoint* joint)
{
    const rblTransform frame_a = frame_of(world, joint->a);
    const rblTransform frame_b = frame_of(world, joint->b);
    const rblVec3 arm_a = rbl_rotate3(frame_a.q, joint->anchor_a);
    const rblVec3 arm_b = joint->b == RBL_NONE ? rbl_vec3(0, 0, 0) : rbl_rotate3(frame_b.q, joint->anchor_b);
    const rblVec3 point_b = joint->b == RBL_NONE ? joint->anchor_b : rbl_add3(frame_b.p, arm_b);
    // The difference of the centres comes first: it is exact, and sums far from the origin are not.
    joint->separation = joint->b == RBL_NONE
                            ? rbl_sub3(rbl_sub3(point_b, frame_a.p), arm_a)
                            : rbl_add3(rbl_sub3(frame_b.p, frame_a.p), rbl_sub3(arm_b, arm_a));
    joint->start_arm_a = arm_a;
    joint->start_arm_b = joint->arm_b = arm_b;
    joint->arm_a = slides(joint) ? rbl_add3(arm_a, joint->separation) : arm_a;
    for (uint32_t i = 0; i < 2; ++i)
    {
        joint->axes[i].travel =
            moves_along(joint, i) ? rbl_joint_travel(joint, i, frame_a.q, frame_b.q, joint->separation) : 0.0;
    }
}

void rbl_joint_limit(const rblWorld* world, rblJoint* joint)
{
    const rblQuat a = frame_of(world, joint->a).q;
    const rblQuat b = frame_of(world, joint->b).q;
    const float limit = rbl_maxf(world->def.recovery_speed, MIN_RECOVERY) * joint->seconds;
    joint->uncorrected_separation = uncorrected_part(apart(joint, a, joint->separation), limit);
    joint->uncorrected_angle = uncorrected_part(misalignment(joint, a, b), limit);
    joint->uncorrected_length = uncorrected_length_part(joint, limit);
    rbl_joint_limit_axes(joint, (double)limit);
}

// ---- rows ----

static void add_row(const rblStep* step, rblJoint* joint, rblVec3 axis, bool is_angular)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    double compliance = 0.0;
    if (is_angular)
    {
        compliance = (double)(rbl_dot3(axis, rbl_symmetric3_apply(&a->inverse_inertia, axis)) +
                              rbl_dot3(axis, rbl_symmetric3_apply(&b->inverse_inertia, axis)));
    }
    else
    {
        compliance = (double)rbl_contact_compliance(a, b, joint->arm_a, joint->arm_b, axis, axis);
    }
    joint->rows[joint->row_count++] = (rblJointRow){
        .axis = axis,
        .is_angular = is_angular,
        .softness = joint->in_loop ? SOFTNESS * compliance : 0.0,
        .regularization = REGULARIZATION * compliance,
    };
}

static rblVec3 any_perpendicular(rblVec3 axis)
{
    const rblVec3 other = fabsf(axis.x) < 0.6f ? rbl_vec3(1, 0, 0) : rbl_vec3(0, 1, 0);
    return rbl_normalize3(rbl_cross3(axis, other), rbl_vec3(0, 0, 1));
}

static void add_point_rows(const rblStep* step, rblJoint* joint)
{
    add_row(step, joint, rbl_vec3(1, 0, 0), false);
    add_row(step, joint, rbl_vec3(0, 1, 0), false);
    add_row(step, joint, rbl_vec3(0, 0, 1), false);
}

static rblVec3 mean_axis(const rblJoint* joint, rblQuat a, rblQuat b)
{
    const rblVec3 axis_a = rbl_rotate3(a, joint->axis_a);
    return rbl_normalize3(rbl_add3(axis_a, rbl_rotate3(b, joint->axis_b)), axis_a);
}

// The mean axis of a slider over the step.
static rblVec3 sliding_axis(const rblStep* step, const rblJoint* joint, rblQuat end)
{
    const rblVec3 axis = rbl_rotate3(end, joint->axis_a);
    return rbl_normalize3(rbl_add3(axis, rbl_rotate3(frame_of(step->world, joint->a).q, joint->axis_a)),
                          axis);
}

// Rows of axes with limits or a motor.
static void add_axis_rows(const rblStep* step, rblJoint* joint, rblQuat a, rblQuat b)
{
    if (rbl_joint_has_axis(joint, 0))
    {
        const bool linear = slides(joint);
        add_row(step, joint, linear ? sliding_axis(step, joint, a) : mean_axis(joint, a, b), !linear);
        joint->rows[joint->row_count - 1].law = 1;
    }
    if (rbl_joint_has_axis(joint, 1))
    {
        const rblVec3 axis_a = rbl_rotate3(a, joint->axis_a);
        const rblVec3 across = rbl_cross3(axis_a, rbl_rotate3(b, joint->axis_b));
        add_row(step, joint, rbl_normalize3(across, any_perpendicular(axis_a)), true);
        joint->rows[joint->row_count - 1].law = 2;
    }
}

// Set the axes of the rows. `separation` is the mean separation of the points over the step, m; a and b are the orientations.
static void add_rows(const rblStep* step, rblJoint* joint, rblVec3 separation, rblQuat a, rblQuat b)
{
    joint->row_count = 0;
    if (keeps_length(joint))
    {
        const float length = rbl_length3(separation);
        if (length > 0.0f)
        {
            add_row(step, joint, rbl_scale3(separation, 1.0f / length), false);
        }
        return;
    }
    if (joint->kind == RBL_JOINT_SPRING)
    {
        return;
    }
    if (joint->kind == RBL_JOINT_SLIDER)
    {
        const rblVec3 axis = sliding_axis(step, joint, a);
        const rblVec3 perpendicular = any_perpendicular(axis);
        add_row(step, joint, perpendicular, false);
        add_row(step, joint, rbl_cross3(axis, perpendicular), false);
    }
    else
    {
        add_point_rows(step, joint);
    }
    if (joint->kind == RBL_JOINT_FIXED || joint->kind == RBL_JOINT_SLIDER)
    {
        add_row(step, joint, rbl_vec3(1, 0, 0), true);
        add_row(step, joint, rbl_vec3(0, 1, 0), true);
        add_row(step, joint, rbl_vec3(0, 0, 1), true);
    }
    if (joint->kind == RBL_JOINT_HINGE)
    {
        const rblVec3 axis = mean_axis(joint, a, b);
        const rblVec3 perpendicular = any_perpendicular(axis);
        add_row(step, joint, perpendicular, true);
        add_row(step, joint, rbl_cross3(axis, perpendicular), true);
    }
    add_axis_rows(step, joint, a, b);
}

void rbl_joint_set_rows_now(rblStep* step, rblJoint* joint)
{
    rblWorld* world = step->world;
    add_rows(step, joint, joint->separation, frame_of(world, joint->a).q, frame_of(world, joint->b).q);
}

// What the targets of rows are made of.
typedef struct RowAim
{
    rblVec3 error, angle_error; // of position, m and rad
    rblQuat a, b;               // predicted orientations
    rblVec3 separation;         // and separation of the points
    double rate;                // change of velocity per error, 1/s
    bool displaces;
} RowAim;

static double aim_axis(rblJoint* joint, rblJointRow* row, const RowAim* aim, double speed)
{
    if (aim->displaces)
    {
        return rbl_joint_displace_axis(joint, row);
    }
    const rblAxisAim axis = {
        .speed = speed,
        .travel = rbl_joint_travel(joint, row->law - 1, aim->a, aim->b, aim->separation),
        .rate = aim->rate,
        .seconds = (double)joint->seconds,
    };
    return rbl_joint_aim_axis(joint, row, &axis);
}

// Set the targets of all rows: each velocity decreases by `rate` times its position error. A soft row stretches under its impulse,
// by half of the step times its softness. A displacement removes only what is beyond that. Returns the largest such rest, m.
static float set_row_targets(const rblStep* step, rblJoint* joint, const RowAim* aim)
{
    const float reach = rbl_length3(joint->arm_a) + rbl_length3(joint->arm_b);
    const rblJointVelocity velocity = rbl_joint_velocity(step, joint);
    double largest = 0.0;
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        rblJointRow* row = &joint->rows[r];
        const double speed = rbl_joint_along_row(&velocity, row);
        const double scale = row->is_angular ? (double)reach : 1.0;
        if (row->law != 0)
        {
            largest = rbl_maxd(largest, scale * aim_axis(joint, row, aim, speed));
            continue;
        }
        const double row_error = (double)rbl_dot3(row->axis, row->is_angular ? aim->angle_error : aim->error);
        const double stretch =
            0.5 * (double)joint->seconds * row->softness * rbl_joint_row_impulse(joint, row);
        const double rest = row_error + stretch;
        row->target = speed - aim->rate * (aim->displaces ? rest : row_error);
        largest = rbl_maxd(largest, fabs(rest) * scale);
    }
    return (float)largest;
}

// The error of the distance, as a vector along the axis of the row. It is exact for a displacement along `mean`.
static rblVec3 length_error(const rblJoint* joint, rblVec3 separation, rblVec3 mean)
{
    const rblVec3d d = rbl_to_double3(separation);
    const double target = (double)joint->length + (double)joint->uncorrected_length;
    const double length = (double)rbl_length3(mean);
    const double error = length > 0.0 ? (rbl_dot3d(d, d) - target * target) / (2.0 * length) : 0.0;
    return joint->row_count > 0 ? rbl_scale3(joint->rows[0].axis, (float)error) : rbl_vec3(0, 0, 0);
}

static float set_joint_rows(const rblStep* step, rblJoint* joint, rblVec3 mean, RowAim* aim)
{
    const rblVec3 separation = aim->separation;
    add_rows(step, joint, mean, aim->a, aim->b);
    if (keeps_length(joint))
    {
        aim->error = length_error(joint, separation, mean);
        const bool too_short = rbl_dot3(aim->error, mean) < 0.0f;
        const float largest = set_row_targets(step, joint, aim);
        return joint->kind == RBL_JOINT_ROPE && joint->slack && too_short ? 0.0f : largest;
    }
    aim->angle_error = rbl_sub3(misalignment(joint, aim->a, aim->b), joint->uncorrected_angle);
    aim->error = rbl_sub3(apart(joint, aim->a, separation), joint->uncorrected_separation);
    return set_row_targets(step, joint, aim);
}

float rbl_joint_set_rows_displacement(rblStep* step, rblJoint* joint)
{
    rblWorld* world = step->world;
    const rblQuat a = frame_of(world, joint->a).q;
    const rblQuat b = frame_of(world, joint->b).q;
    if (joint->kind == RBL_JOINT_ROPE)
    {
        joint->slack = rbl_length3(joint->separation) <= joint->length + joint->uncorrected_length;
    }
    RowAim aim = {.a = a, .b = b, .separation = joint->separation, .rate = 1.0, .displaces = true};
    return set_joint_rows(step, joint, joint->separation, &aim);
}

static rblTransform end_pose(const rblStep* step, uint32_t slot, uint32_t solver)
{
    const rblWorld* world = step->world;
    if (solver == 0)
    {
        return frame_of(world, slot);
    }
    const uint32_t node = step->joint_system.nodes.data[solver];
    return node != RBL_NONE ? step->joint_system.poses.data[node] : rbl_pose_predict(step, solver);
}

// The delay of an impulse after the middle of the step, as a part of the step. An impulse that pulls outward on a very light
// body makes it swing through more than one period in a step. At mid-step, the impulse would only reverse the velocity of the
// swing in each step and never reduce it. x is the square of half the phase angle of the swing in a step.
static float impulse_delay(const rblSolverBody* body, rblVec3 arm, rblVec3 impulse)
{
    const float square = rbl_dot3(arm, arm);
    const float pull = rbl_dot3(impulse, arm);
    if (!(pull > 0.0f) || !(body->inverse_mass > 0.0f))
    {
        return 0.0f;
    }
    const rblVec3 perpendicular = any_perpendicular(rbl_scale3(arm, 1.0f / sqrtf(square)));
    const float inverse_inertia =
        rbl_dot3(perpendicular, rbl_symmetric3_apply(&body->inverse_inertia, perpendicular));
    const float inertia = 1.0f / inverse_inertia + square / body->inverse_mass;
    const float x = 0.25f * body->seconds * pull / inertia;
    return MAX_DELAY * x / (1.0f + x);
}

// The chord arm of a point (see above), with the delay of the impulse.
static rblVec3 chord_arm(const rblStep* step, uint32_t solver, rblVec3 start, rblVec3 end, rblVec3 impulse)
{
    const rblSolverBody* body = &step->solver_bodies.data[solver];
    const rblVec3 spin = rbl_add3(step->before_contacts.data[solver].spin, body->spin);
    const rblVec3 turn = rbl_scale3(spin, 0.5f * body->seconds);
    const float delay = impulse_delay(body, start, impulse);
    const rblVec3 middle = rbl_scale3(rbl_add3(start, end), 0.5f);
    const rblVec3 delayed = rbl_mul_add3(middle, delay, rbl_sub3(end, start));
    // The series of tan(x) / x. Computed from the points, small rotations would give rounding errors, to which light bodies are
    // sensitive. The part of the arm along the rotation axis is not scaled: it does not change the chord, only the torque.
    const float square = rbl_dot3(turn, turn);
    const float x = rbl_minf(0.25f * square, 1.0f);
    const float excess = x * (1.0f / 3.0f + x * (2.0f / 15.0f + x * (17.0f / 315.0f)));
    const float along = square > 0.0f ? rbl_dot3(delayed, turn) / square : 0.0f;
    return rbl_mul_add3(delayed, excess, rbl_mul_add3(delayed, -along, turn));
}

// The arm of a on a slider, on which the point of b moves from s0 n0 to s1 n1, with s the travel and n the axis:
//   s1 n1 - s0 n0 = (s0 + s1)/2 (n1 - n0) + (s1 - s0) (n0 + n1)/2 .
// The first part is the chord of the mean travel, which belongs to the arm. The second one is along the mean axis, where no row
// acts. So the joint does no work.
static rblVec3 sliding_arm(const rblStep* step, const rblJoint* joint, rblVec3 end_a, rblQuat end,
                           rblVec3 separation)
{
    const rblVec3 start_axis = rbl_rotate3(frame_of(step->world, joint->a).q, joint->axis_a);
    const rblVec3 end_axis = rbl_rotate3(end, joint->axis_a);
    const float travel = 0.5f * (rbl_dot3(start_axis, joint->separation) + rbl_dot3(end_axis, separation));
    return chord_arm(step, joint->solver_a, rbl_mul_add3(joint->start_arm_a, travel, start_axis),
                     rbl_mul_add3(end_a, travel, end_axis), rbl_neg3(rbl_to_float3(joint->linear_impulse)));
}

// ---- springs ----

// The impulse of spring and damper over the step per mean velocity, N s per m/s.
static double spring_drag(const rblJoint* joint)
{
    const double h = (double)joint->seconds;
    return h * ((double)joint->damping + h * (double)joint->stiffness);
}

// An implicit spring and damper: J = -h k (C + h mean u) - h c mean u, that is u + 2 J / drag = -u' - 2 h k C / drag.
static void set_spring_rows(const rblStep* step, rblJoint* joint)
{
    const rblVelocity* a = &step->before_contacts.data[joint->solver_a];
    const rblVelocity* b = &step->before_contacts.data[joint->solver_b];
    const rblVec3 velocity_a = rbl_add3(a->velocity, rbl_cross3(a->spin, joint->arm_a));
    const rblVec3 velocity_b = rbl_add3(b->velocity, rbl_cross3(b->spin, joint->arm_b));
    const double drag = spring_drag(joint);
    joint->start_velocity = rbl_sub3(velocity_b, velocity_a);
    joint->row_count = 0;
    if (!(drag > 0.0))
    {
        return;
    }
    const double rate = 2.0 * (double)joint->seconds * (double)joint->stiffness / drag;
    add_point_rows(step, joint);
    for (uint32_t r = 0; r < 3; ++r)
    {
        rblJointRow* row = &joint->rows[r];
        row->softness = 2.0 / drag;
        row->target = -(double)rbl_dot3(row->axis, joint->start_velocity) -
                      rate * (double)rbl_dot3(row->axis, joint->separation);
    }
}

rblVec3 rbl_joint_spring_impulse(const rblStep* step, const rblJoint* joint)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    const rblVec3 u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
    const rblVec3 mean = rbl_scale3(rbl_add3(u, joint->start_velocity), 0.5f);
    const rblVec3 pull = rbl_scale3(joint->separation, joint->seconds * joint->stiffness);
    return rbl_neg3(rbl_mul_add3(pull, (float)spring_drag(joint), mean));
}

// The target removes the position error at the end of the step. Only half of a velocity change acts in the mean, hence 2 / h.
float rbl_joint_set_rows_ahead(rblStep* step, rblJoint* joint)
{
    const rblTransform a = end_pose(step, joint->a, joint->solver_a);
    const rblTransform b = end_pose(step, joint->b, joint->solver_b);
    const rblVec3 end_a = rbl_rotate3(a.q, joint->anchor_a);
    const rblVec3 end_b = joint->b == RBL_NONE ? rbl_vec3(0, 0, 0) : rbl_rotate3(b.q, joint->anchor_b);
    const rblVec3 point_b = joint->b == RBL_NONE ? joint->anchor_b : b.p;
    const rblVec3 end = rbl_add3(rbl_sub3(point_b, a.p), rbl_sub3(end_b, end_a));
    const rblVec3 impulse = rbl_to_float3(joint->linear_impulse);
    joint->arm_a = slides(joint)
                       ? sliding_arm(step, joint, end_a, a.q, end)
                       : chord_arm(step, joint->solver_a, joint->start_arm_a, end_a, rbl_neg3(impulse));
    joint->arm_b = chord_arm(step, joint->solver_b, joint->start_arm_b, end_b, impulse);
    if (joint->kind == RBL_JOINT_SPRING)
    {
        set_spring_rows(step, joint);
        return 0.0f;
    }
    const rblVec3 mean = rbl_scale3(rbl_add3(joint->separation, end), 0.5f);
    RowAim aim = {.a = a.q, .b = b.q, .separation = end, .rate = 2.0 / (double)joint->seconds};
    return set_joint_rows(step, joint, mean, &aim);
}

rblJointVelocity rbl_joint_velocity(const rblStep* step, const rblJoint* joint)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    const rblVec3d spin_a = rbl_to_double3(a->spin);
    const rblVec3d spin_b = rbl_to_double3(b->spin);
    const rblVec3d velocity_a =
        rbl_add3d(rbl_to_double3(a->velocity), rbl_cross3d(spin_a, rbl_to_double3(joint->arm_a)));
    const rblVec3d velocity_b =
        rbl_add3d(rbl_to_double3(b->velocity), rbl_cross3d(spin_b, rbl_to_double3(joint->arm_b)));
    return (rblJointVelocity){rbl_sub3d(velocity_b, velocity_a), rbl_sub3d(spin_b, spin_a)};
}

double rbl_joint_row_velocity(const rblStep* step, const rblJoint* joint, const rblJointRow* row)
{
    const rblJointVelocity velocity = rbl_joint_velocity(step, joint);
    return rbl_joint_along_row(&velocity, row);
}

void rbl_joint_apply(rblStep* step, const rblJoint* joint, rblVec3 linear_impulse, rblVec3 angular_impulse)
{
    // Bodies of infinite mass are shared by all joints and are not written. Otherwise a NaN of one joint would reach all
    // others.
    rblSolverBody a = step->solver_bodies.data[joint->solver_a];
    rblSolverBody b = step->solver_bodies.data[joint->solver_b];
    rbl_apply_impulse(&a, &b, joint->arm_a, joint->arm_b, linear_impulse);
    a.spin = rbl_sub3(a.spin, rbl_symmetric3_apply(&a.inverse_inertia, angular_impulse));
    b.spin = rbl_add3(b.spin, rbl_symmetric3_apply(&b.inverse_inertia, angular_impulse));
    rbl_body_store(&step->solver_bodies.data[joint->solver_a], &a);
    rbl_body_store(&step->solver_bodies.data[joint->solver_b], &b);
}
