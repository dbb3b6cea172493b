// What one joint asks for.
//
// Points move by h times the mean velocity over the step, bodies turn about their mean spin. With r0 and r1 the arm of a point at
// the start and at the end, h mean w x (k (r0 + r1) / 2) = r1 - r0 for some k near 1 when the axis of the turn stays (k =
// tan(x) / x for a turn of 2 x): that arm takes the velocity of a body to the chord of its point's arc, and its transpose takes
// impulses at the point to the body. A joint that is in place at the start and at the end has moved by chords that agree, so
//   sum J . mean u = 0
// and it has done no work (a discrete gradient: Gonzalez 1999). For a distance the same holds along the mean of the two
// directions, since r1.r1 - r0.r0 = (r1 - r0).(r1 + r0).
#include "dynamics/joint/joints.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define LEAST_RECOVERY 0.1f  // m/s, where the world's own is less
#define FLOOR          1e-11 // of a row's own compliance
#define SOFTNESS       1e-6  // of a row's own compliance: in loops
#define MAX_LATE       0.1f  // of a step

bool rbl_joint_is_active(const rblStep* step, const rblJoint* joint)
{
    return joint->generation != 0 && (step->solver_bodies.data[joint->solver_a].inverse_mass > 0.0f ||
                                      step->solver_bodies.data[joint->solver_b].inverse_mass > 0.0f);
}

static bool keeps_length(const rblJoint* joint)
{
    return (joint->kind == RBL_JOINT_DISTANCE || joint->kind == RBL_JOINT_ROPE) && joint->length > 0.0f;
}

static rblTransform frame_of(const rblWorld* world, uint32_t slot)
{
    return slot == RBL_NONE ? rbl_transform_identity() : rbl_motion_pose(&world->motions.data[slot]);
}

// ---- how far off ----

// Rotation vector that took b from where it should be, small angles.
static rblVec3 misalignment(const rblJoint* joint, rblQuat a, rblQuat b)
{
    if (joint->kind == RBL_JOINT_HINGE)
    {
        return rbl_cross3(rbl_rotate3(a, joint->axis_a), rbl_rotate3(b, joint->axis_b));
    }
    const rblQuat should = rbl_quat_mul(a, joint->b_in_a);
    const rblQuat off = rbl_quat_mul(b, rbl_quat_conjugate(should));
    const float twice = off.w < 0.0f ? -2.0f : 2.0f;
    return rbl_vec3(twice * off.x, twice * off.y, twice * off.z);
}

static rblVec3 beyond(rblVec3 off, float limit)
{
    const float length = rbl_length3(off);
    return length > limit ? rbl_scale3(off, 1.0f - limit / length) : rbl_vec3(0, 0, 0);
}

static float beyond_length(const rblJoint* joint, float limit)
{
    const float off = rbl_length3(joint->apart) - joint->length;
    if (off < 0.0f)
    {
        return joint->kind == RBL_JOINT_ROPE ? 0.0f : rbl_minf(off + limit, 0.0f);
    }
    return rbl_maxf(off - limit, 0.0f);
}

void rbl_joint_locate(rblWorld* world, rblJoint* joint)
{
    const rblTransform frame_a = frame_of(world, joint->a);
    const rblTransform frame_b = frame_of(world, joint->b);
    const rblVec3 arm_a = rbl_rotate3(frame_a.q, joint->anchor_a);
    const rblVec3 arm_b = joint->b == RBL_NONE ? rbl_vec3(0, 0, 0) : rbl_rotate3(frame_b.q, joint->anchor_b);
    const rblVec3 at_b = joint->b == RBL_NONE ? joint->anchor_b : rbl_add3(frame_b.p, arm_b);
    joint->start_arm_a = joint->arm_a = arm_a;
    joint->start_arm_b = joint->arm_b = arm_b;
    // Centres first: their difference is exact where sums far from the origin are not.
    joint->apart = joint->b == RBL_NONE ? rbl_sub3(rbl_sub3(at_b, frame_a.p), arm_a)
                                        : rbl_add3(rbl_sub3(frame_b.p, frame_a.p), rbl_sub3(arm_b, arm_a));
}

void rbl_joint_limit(const rblWorld* world, rblJoint* joint)
{
    const rblQuat a = frame_of(world, joint->a).q;
    const rblQuat b = frame_of(world, joint->b).q;
    const float limit = rbl_maxf(world->def.recovery_speed, LEAST_RECOVERY) * joint->seconds;
    joint->kept_apart = beyond(joint->apart, limit);
    joint->kept_angle = beyond(misalignment(joint, a, b), limit);
    joint->kept_length = beyond_length(joint, limit);
}

// ---- rows ----

static void add_row(const rblStep* step, rblJoint* joint, rblVec3 axis, bool turns)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    double own = 0.0;
    if (turns)
    {
        own = (double)(rbl_dot3(axis, rbl_symmetric3_apply(&a->inverse_inertia, axis)) +
                       rbl_dot3(axis, rbl_symmetric3_apply(&b->inverse_inertia, axis)));
    }
    else
    {
        own = (double)rbl_contact_compliance(a, b, joint->arm_a, joint->arm_b, axis, axis);
    }
    joint->rows[joint->row_count++] = (rblJointRow){
        .axis = axis,
        .turns = turns,
        .softness = joint->looped ? SOFTNESS * own : 0.0,
        .floor = FLOOR * own,
    };
}

static rblVec3 any_across(rblVec3 axis)
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

// Axes of the rows of a joint whose points are `apart` (a mean over the step) and whose bodies are turned as given.
static void add_rows(const rblStep* step, rblJoint* joint, rblVec3 apart, rblQuat a, rblQuat b)
{
    joint->row_count = 0;
    if (keeps_length(joint))
    {
        const float length = rbl_length3(apart);
        if (length > 0.0f)
        {
            add_row(step, joint, rbl_scale3(apart, 1.0f / length), false);
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
        const rblVec3 across = any_across(axis);
        add_row(step, joint, across, true);
        add_row(step, joint, rbl_cross3(axis, across), true);
    }
}

void rbl_joint_set_rows_now(rblStep* step, rblJoint* joint)
{
    rblWorld* world = step->world;
    add_rows(step, joint, joint->apart, frame_of(world, joint->a).q, frame_of(world, joint->b).q);
}

// Set all targets to what takes the rows from being off by so much into place, at a rate of 1 / s or none.
static float aim_rows(const rblStep* step, rblJoint* joint, rblVec3 off, rblVec3 off_angle, double rate)
{
    const float reach = rbl_length3(joint->arm_a) + rbl_length3(joint->arm_b);
    double worst = 0.0;
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        rblJointRow* row = &joint->rows[r];
        const double miss = (double)rbl_dot3(row->axis, row->turns ? off_angle : off);
        row->target = rbl_joint_row_velocity(step, joint, row) - rate * miss;
        worst = rbl_maxd(worst, fabs(miss) * (row->turns ? (double)reach : 1.0));
    }
    return (float)worst;
}

// How far a length is off, along the row's axis: exact for a way along `mean`.
static rblVec3 length_miss(const rblJoint* joint, rblVec3 apart, rblVec3 mean)
{
    const rblVec3d d = rbl_to_double3(apart);
    const double wanted = (double)joint->length + (double)joint->kept_length;
    const double length = (double)rbl_length3(mean);
    const double off = length > 0.0 ? (rbl_dot3d(d, d) - wanted * wanted) / (2.0 * length) : 0.0;
    return joint->row_count > 0 ? rbl_scale3(joint->rows[0].axis, (float)off) : rbl_vec3(0, 0, 0);
}

static float aim_joint(const rblStep* step, rblJoint* joint, rblVec3 apart, rblVec3 mean, rblQuat a,
                       rblQuat b, double rate)
{
    add_rows(step, joint, mean, a, b);
    if (keeps_length(joint))
    {
        const rblVec3 off = length_miss(joint, apart, mean);
        const bool too_short = rbl_dot3(off, mean) < 0.0f;
        const float worst = aim_rows(step, joint, off, rbl_vec3(0, 0, 0), rate);
        return joint->kind == RBL_JOINT_ROPE && joint->slack && too_short ? 0.0f : worst;
    }
    const rblVec3 off_angle = rbl_sub3(misalignment(joint, a, b), joint->kept_angle);
    return aim_rows(step, joint, rbl_sub3(apart, joint->kept_apart), off_angle, rate);
}

float rbl_joint_set_rows_displacement(rblStep* step, rblJoint* joint)
{
    rblWorld* world = step->world;
    const rblQuat a = frame_of(world, joint->a).q;
    const rblQuat b = frame_of(world, joint->b).q;
    if (joint->kind == RBL_JOINT_ROPE)
    {
        joint->slack = rbl_length3(joint->apart) <= joint->length + joint->kept_length;
    }
    return aim_joint(step, joint, joint->apart, joint->apart, a, b, 1.0);
}

static rblTransform end_of(const rblStep* step, uint32_t slot, uint32_t solver)
{
    const rblWorld* world = step->world;
    if (solver == 0)
    {
        return frame_of(world, slot);
    }
    const uint32_t node = step->joint_system.nodes.data[solver];
    return node != RBL_NONE ? step->joint_system.poses.data[node] : rbl_pose_predict(step, solver);
}

// How much later than mid-step an impulse acts that pulls outward on a body too light to be followed through its swings: a step
// would leave them as they are and turn their speed around, for ever. x is the square of half the angle of their phase in a step.
static float lateness(const rblSolverBody* body, rblVec3 arm, rblVec3 impulse)
{
    const float square = rbl_dot3(arm, arm);
    const float pull = rbl_dot3(impulse, arm);
    if (!(pull > 0.0f) || !(body->inverse_mass > 0.0f))
    {
        return 0.0f;
    }
    const rblVec3 across = any_across(rbl_scale3(arm, 1.0f / sqrtf(square)));
    const float light = rbl_dot3(across, rbl_symmetric3_apply(&body->inverse_inertia, across));
    const float inertia = 1.0f / light + square / body->inverse_mass;
    const float x = 0.25f * body->seconds * pull / inertia;
    return MAX_LATE * x / (1.0f + x);
}

// The arm that takes the mean spin to the chord of the point; later for what swings too fast.
static rblVec3 chord_arm(const rblStep* step, uint32_t solver, rblVec3 start, rblVec3 end, rblVec3 impulse)
{
    const rblSolverBody* body = &step->solver_bodies.data[solver];
    const rblVec3 spin = rbl_add3(step->before_contacts.data[solver].spin, body->spin);
    const rblVec3 turn = rbl_scale3(spin, 0.5f * body->seconds);
    const float late = lateness(body, start, impulse);
    const rblVec3 middle = rbl_scale3(rbl_add3(start, end), 0.5f);
    const rblVec3 chosen = rbl_mul_add3(middle, late, rbl_sub3(end, start));
    // tan(x) / x by its series: from the points themselves it would be rounding for small turns, and light links feel that.
    const float square = rbl_minf(0.25f * rbl_dot3(turn, turn), 1.0f);
    return rbl_scale3(chosen,
                      1.0f + square * (1.0f / 3.0f + square * (2.0f / 15.0f + square * (17.0f / 315.0f))));
}

// ---- springs ----

// How much impulse a damper and a spring over the step take away per mean velocity.
static double spring_drag(const rblJoint* joint)
{
    const double h = (double)joint->seconds;
    return h * ((double)joint->damping + h * (double)joint->stiffness);
}

// An implicit spring and damper: J = -h k (C + h mean u) - h c mean u, that is u + 2 J / drag = -u' - 2 h k C / drag.
static void aim_spring(const rblStep* step, rblJoint* joint)
{
    const rblVelocity* a = &step->before_contacts.data[joint->solver_a];
    const rblVelocity* b = &step->before_contacts.data[joint->solver_b];
    const rblVec3 at_a = rbl_add3(a->velocity, rbl_cross3(a->spin, joint->arm_a));
    const rblVec3 at_b = rbl_add3(b->velocity, rbl_cross3(b->spin, joint->arm_b));
    const double drag = spring_drag(joint);
    joint->before_u = rbl_sub3(at_b, at_a);
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
        row->target =
            -(double)rbl_dot3(row->axis, joint->before_u) - rate * (double)rbl_dot3(row->axis, joint->apart);
    }
}

rblVec3 rbl_joint_spring_impulse(const rblStep* step, const rblJoint* joint)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    const rblVec3 u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
    const rblVec3 mean = rbl_scale3(rbl_add3(u, joint->before_u), 0.5f);
    const rblVec3 pull = rbl_scale3(joint->apart, joint->seconds * joint->stiffness);
    return rbl_neg3(rbl_mul_add3(pull, (float)spring_drag(joint), mean));
}

// Ask for the end of the step in place: what it would be off by there, over half of the time, less than now.
float rbl_joint_set_rows_ahead(rblStep* step, rblJoint* joint)
{
    const rblTransform a = end_of(step, joint->a, joint->solver_a);
    const rblTransform b = end_of(step, joint->b, joint->solver_b);
    const rblVec3 end_a = rbl_rotate3(a.q, joint->anchor_a);
    const rblVec3 end_b = joint->b == RBL_NONE ? rbl_vec3(0, 0, 0) : rbl_rotate3(b.q, joint->anchor_b);
    const rblVec3 at_b = joint->b == RBL_NONE ? joint->anchor_b : b.p;
    const rblVec3 end = rbl_add3(rbl_sub3(at_b, a.p), rbl_sub3(end_b, end_a));
    joint->arm_a =
        chord_arm(step, joint->solver_a, joint->start_arm_a, end_a, rbl_neg3(joint->linear_impulse));
    joint->arm_b = chord_arm(step, joint->solver_b, joint->start_arm_b, end_b, joint->linear_impulse);
    if (joint->kind == RBL_JOINT_SPRING)
    {
        aim_spring(step, joint);
        return 0.0f;
    }
    const rblVec3 mean = rbl_scale3(rbl_add3(joint->apart, end), 0.5f);
    return aim_joint(step, joint, end, mean, a.q, b.q, 2.0 / (double)joint->seconds);
}

double rbl_joint_row_velocity(const rblStep* step, const rblJoint* joint, const rblJointRow* row)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    const rblVec3d axis = rbl_to_double3(row->axis);
    const rblVec3d spin_a = rbl_to_double3(a->spin);
    const rblVec3d spin_b = rbl_to_double3(b->spin);
    if (row->turns)
    {
        return rbl_dot3d(axis, rbl_sub3d(spin_b, spin_a));
    }
    const rblVec3d at_a =
        rbl_add3d(rbl_to_double3(a->velocity), rbl_cross3d(spin_a, rbl_to_double3(joint->arm_a)));
    const rblVec3d at_b =
        rbl_add3d(rbl_to_double3(b->velocity), rbl_cross3d(spin_b, rbl_to_double3(joint->arm_b)));
    return rbl_dot3d(axis, rbl_sub3d(at_b, at_a));
}

void rbl_joint_apply(rblStep* step, const rblJoint* joint, rblVec3 linear_impulse, rblVec3 angular_impulse)
{
    // Bodies of infinite mass are shared by all joints: never written, or a number gone bad would reach everyone.
    rblSolverBody a = step->solver_bodies.data[joint->solver_a];
    rblSolverBody b = step->solver_bodies.data[joint->solver_b];
    rbl_apply_impulse(&a, &b, joint->arm_a, joint->arm_b, linear_impulse);
    a.spin = rbl_sub3(a.spin, rbl_symmetric3_apply(&a.inverse_inertia, angular_impulse));
    b.spin = rbl_add3(b.spin, rbl_symmetric3_apply(&b.inverse_inertia, angular_impulse));
    rbl_body_store(&step->solver_bodies.data[joint->solver_a], &a);
    rbl_body_store(&step->solver_bodies.data[joint->solver_b], &b);
}
