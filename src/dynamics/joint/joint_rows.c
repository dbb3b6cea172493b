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

void rbl_joint_locate(rblWorld* world, rblJoint* joint)
{
    const rblTransform frame_a = frame_of(world, joint->a);
    const rblTransform frame_b = frame_of(world, joint->b);
    const rblVec3 arm_a = rbl_rotate3(frame_a.q, joint->anchor_a);
    const rblVec3 arm_b = joint->b == RBL_NONE ? rbl_vec3(0, 0, 0) : rbl_rotate3(frame_b.q, joint->anchor_b);
    const rblVec3 point_b = joint->b == RBL_NONE ? joint->anchor_b : rbl_add3(frame_b.p, arm_b);
    joint->start_arm_a = joint->arm_a = arm_a;
    joint->start_arm_b = joint->arm_b = arm_b;
    // The difference of the centres comes first: it is exact, and sums far from the origin are not.
    joint->separation = joint->b == RBL_NONE
                            ? rbl_sub3(rbl_sub3(point_b, frame_a.p), arm_a)
                            : rbl_add3(rbl_sub3(frame_b.p, frame_a.p), rbl_sub3(arm_b, arm_a));
}

void rbl_joint_limit(const rblWorld* world, rblJoint* joint)
{
    const rblQuat a = frame_of(world, joint->a).q;
    const rblQuat b = frame_of(world, joint->b).q;
    const float limit = rbl_maxf(world->def.recovery_speed, MIN_RECOVERY) * joint->seconds;
    joint->uncorrected_separation = uncorrected_part(joint->separation, limit);
    joint->uncorrected_angle = uncorrected_part(misalignment(joint, a, b), limit);
    joint->uncorrected_length = uncorrected_length_part(joint, limit);
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
    add_point_rows(step, joint);
    if (joint->kind == RBL_JOINT_FIXED)
    {
        add_row(step, joint, rbl_vec3(1, 0, 0), true);
        add_row(step, joint, rbl_vec3(0, 1, 0), true);
        add_row(step, joint, rbl_vec3(0, 0, 1), true);
    }
    if (joint->kind == RBL_JOINT_HINGE)
    {
        const rblVec3 axis_a = rbl_rotate3(a, joint->axis_a);
        const rblVec3 sum = rbl_add3(axis_a, rbl_rotate3(b, joint->axis_b));
        const rblVec3 axis = rbl_normalize3(sum, axis_a);
        const rblVec3 perpendicular = any_perpendicular(axis);
        add_row(step, joint, perpendicular, true);
        add_row(step, joint, rbl_cross3(axis, perpendicular), true);
    }
}

void rbl_joint_set_rows_now(rblStep* step, rblJoint* joint)
{
    rblWorld* world = step->world;
    add_rows(step, joint, joint->separation, frame_of(world, joint->a).q, frame_of(world, joint->b).q);
}

// Set the targets of all rows: each velocity decreases by `rate` (1/s) times its position error. A soft row stretches under its
// impulse, by half of the step times its softness. A displacement removes only what is beyond that. Returns the largest such
// rest, m.
static float set_row_targets(const rblStep* step, rblJoint* joint, rblVec3 error, rblVec3 angle_error,
                             double rate, bool displaces)
{
    const float reach = rbl_length3(joint->arm_a) + rbl_length3(joint->arm_b);
    const rblJointVelocity velocity = rbl_joint_velocity(step, joint);
    double largest = 0.0;
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        rblJointRow* row = &joint->rows[r];
        const double row_error = (double)rbl_dot3(row->axis, row->is_angular ? angle_error : error);
        const double stretch = 0.5 * (double)joint->seconds * row->softness * rbl_joint_row_impulse(joint, row);
        const double rest = row_error + stretch;
        row->target = rbl_joint_along_row(&velocity, row) - rate * (displaces ? rest : row_error);
        largest = rbl_maxd(largest, fabs(rest) * (row->is_angular ? (double)reach : 1.0));
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

static float set_joint_rows(const rblStep* step, rblJoint* joint, rblVec3 separation, rblVec3 mean, rblQuat a,
                            rblQuat b, double rate, bool displaces)
{
    add_rows(step, joint, mean, a, b);
    if (keeps_length(joint))
    {
        const rblVec3 error = length_error(joint, separation, mean);
        const bool too_short = rbl_dot3(error, mean) < 0.0f;
        const float largest = set_row_targets(step, joint, error, rbl_vec3(0, 0, 0), rate, displaces);
        return joint->kind == RBL_JOINT_ROPE && joint->slack && too_short ? 0.0f : largest;
    }
    const rblVec3 angle_error = rbl_sub3(misalignment(joint, a, b), joint->uncorrected_angle);
    return set_row_targets(step, joint, rbl_sub3(separation, joint->uncorrected_separation), angle_error,
                           rate, displaces);
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
    return set_joint_rows(step, joint, joint->separation, joint->separation, a, b, 1.0, true);
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
    joint->arm_a = chord_arm(step, joint->solver_a, joint->start_arm_a, end_a, rbl_neg3(impulse));
    joint->arm_b = chord_arm(step, joint->solver_b, joint->start_arm_b, end_b, impulse);
    if (joint->kind == RBL_JOINT_SPRING)
    {
        set_spring_rows(step, joint);
        return 0.0f;
    }
    const rblVec3 mean = rbl_scale3(rbl_add3(joint->separation, end), 0.5f);
    return set_joint_rows(step, joint, end, mean, a.q, b.q, 2.0 / (double)joint->seconds, false);
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
