// Joints in the contact solve.
//
// Points move by h times the mean velocity over the step. A point on a turning body moves on an arc, which the mean velocity
// follows to second order when the arm is taken at mid-step. With C what the joint is off by at the start, it asks for
//   mean u = -C / h,   that is   u = -u' - 2 C / h,
// which does no work when C = 0. For a distance, (r + h u)^2 = l^2 becomes mean u . (r + h/2 mean u) = (l^2 - r^2) / 2h: exact.
#include "dynamics/contact_math.h"
#include "dynamics/joints.h"
#include "dynamics/stages.h"

// ---- preparing ----

static rblTransform frame_of(const rblWorld* world, uint32_t slot)
{
    return slot == RBL_NONE ? rbl_transform_identity() : rbl_motion_pose(&world->motions.data[slot]);
}

static uint32_t solver_of(const rblWorld* world, uint32_t slot)
{
    return slot == RBL_NONE ? 0 : world->solver_index.data[slot];
}

// The arm as it will be in the middle of the step, after half of the turn. Straight ahead is as good as the arc for small
// turns; for large ones it must not grow without bound.
static rblVec3 turned_arm(rblVec3 arm, rblVec3 half_turn)
{
    const rblVec3 turned = rbl_add3(arm, rbl_cross3(half_turn, arm));
    const float most = 1.25f * rbl_dot3(arm, arm);
    const float square = rbl_dot3(turned, turned);
    return square > most ? rbl_scale3(turned, sqrtf(most / square)) : turned;
}

static rblVec3 mid_arm(const rblSolverBody* body, rblVec3 arm, float seconds)
{
    return turned_arm(arm, rbl_scale3(body->spin, 0.5f * seconds));
}

// (ma + mb) 1 - [ra] Ia [ra] - [rb] Ib [rb].
static rblSymmetric3 point_compliance(const rblSolverBody* a, const rblSolverBody* b, rblVec3 ra, rblVec3 rb)
{
    const rblVec3 x = {1, 0, 0};
    const rblVec3 y = {0, 1, 0};
    const rblVec3 z = {0, 0, 1};
    return (rblSymmetric3){
        .xx = rbl_contact_compliance(a, b, ra, rb, x, x),
        .yy = rbl_contact_compliance(a, b, ra, rb, y, y),
        .zz = rbl_contact_compliance(a, b, ra, rb, z, z),
        .xy = rbl_contact_compliance(a, b, ra, rb, x, y),
        .xz = rbl_contact_compliance(a, b, ra, rb, x, z),
        .yz = rbl_contact_compliance(a, b, ra, rb, y, z),
    };
}

static rblSymmetric3 point_mass(const rblSolverBody* a, const rblSolverBody* b, rblVec3 ra, rblVec3 rb)
{
    return rbl_symmetric3_inverse(point_compliance(a, b, ra, rb));
}

// How much impulse a damper and a spring over the step take away per mean velocity.
static float spring_drag(const rblJoint* joint)
{
    return joint->seconds * (joint->damping + joint->seconds * joint->stiffness);
}

// What turns a miss into an impulse: the mass at the points; for springs, whose impulse answers to itself, (1 + drag K / 2)^-1.
static rblSymmetric3 joint_mass(const rblJoint* joint, const rblSolverBody* a, const rblSolverBody* b)
{
    if (joint->kind != RBL_JOINT_SPRING)
    {
        return point_mass(a, b, joint->arm_a, joint->arm_b);
    }
    const float half = 0.5f * spring_drag(joint);
    const rblSymmetric3 k = point_compliance(a, b, joint->arm_a, joint->arm_b);
    return rbl_symmetric3_inverse((rblSymmetric3){.xx = 1.0f + half * k.xx,
                                                  .yy = 1.0f + half * k.yy,
                                                  .zz = 1.0f + half * k.zz,
                                                  .xy = half * k.xy,
                                                  .xz = half * k.xz,
                                                  .yz = half * k.yz});
}

static rblSymmetric3 angle_mass(const rblSolverBody* a, const rblSolverBody* b)
{
    const rblSymmetric3* p = &a->inverse_inertia;
    const rblSymmetric3* q = &b->inverse_inertia;
    return rbl_symmetric3_inverse((rblSymmetric3){.xx = p->xx + q->xx,
                                                  .yy = p->yy + q->yy,
                                                  .zz = p->zz + q->zz,
                                                  .xy = p->xy + q->xy,
                                                  .xz = p->xz + q->xz,
                                                  .yz = p->yz + q->yz});
}

// Rotation vector that took b from where it should be, small angles.
static rblVec3 misalignment(rblQuat a, rblQuat b, rblQuat wanted)
{
    const rblQuat should = rbl_quat_mul(a, wanted);
    const rblQuat off = rbl_quat_mul(b, rbl_quat_conjugate(should));
    const float twice = off.w < 0.0f ? -2.0f : 2.0f;
    return rbl_vec3(twice * off.x, twice * off.y, twice * off.z);
}

static void prepare(rblWorld* world, rblJoint* joint)
{
    joint->solver_a = solver_of(world, joint->a);
    joint->solver_b = solver_of(world, joint->b);
    const rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    const rblTransform frame_a = frame_of(world, joint->a);
    const rblTransform frame_b = frame_of(world, joint->b);
    joint->seconds = rbl_maxf(a->seconds, b->seconds);
    const rblVec3 arm_a = rbl_rotate3(frame_a.q, joint->anchor_a);
    const rblVec3 arm_b = joint->b == RBL_NONE ? rbl_vec3(0, 0, 0) : rbl_rotate3(frame_b.q, joint->anchor_b);
    const rblVec3 at_b = joint->b == RBL_NONE ? joint->anchor_b : rbl_add3(frame_b.p, arm_b);
    joint->apart = rbl_sub3(at_b, rbl_add3(frame_a.p, arm_a));
    joint->start_arm_a = arm_a;
    joint->start_arm_b = arm_b;
    joint->arm_a = mid_arm(a, arm_a, joint->seconds);
    joint->arm_b = mid_arm(b, arm_b, joint->seconds);
    joint->before_u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
    joint->before_w = rbl_sub3(b->spin, a->spin);
    joint->misaligned = misalignment(frame_a.q, frame_b.q, joint->b_in_a);
    joint->free_axis = rbl_rotate3(frame_a.q, joint->axis_a);
    joint->point_mass = joint_mass(joint, a, b);
    joint->angle_mass = angle_mass(a, b);
}

// One of the two is dynamic and awake: between a sleeper and a kinematic body there is nothing to solve.
static bool is_active(const rblWorld* world, const rblJoint* joint)
{
    return joint->generation != 0 && (world->solver_bodies.data[joint->solver_a].inverse_mass > 0.0f ||
                                      world->solver_bodies.data[joint->solver_b].inverse_mass > 0.0f);
}

void rbl_begin_joints(rblWorld* world)
{
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        world->joints.data[i].jerk = rbl_vec3(0, 0, 0);
        world->joints.data[i].jerk_work = 0.0;
    }
}

void rbl_prepare_joints(rblWorld* world)
{
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        if (world->joints.data[i].generation != 0)
        {
            prepare(world, &world->joints.data[i]);
        }
    }
}

// ---- solving ----

static void apply(rblWorld* world, rblJoint* joint, rblVec3 push, rblVec3 turn)
{
    // Bodies of infinite mass are shared by all joints: never written, or a number gone bad would reach everyone.
    rblSolverBody a = world->solver_bodies.data[joint->solver_a];
    rblSolverBody b = world->solver_bodies.data[joint->solver_b];
    rbl_apply_impulse(&a, &b, joint->arm_a, joint->arm_b, push);
    a.spin = rbl_sub3(a.spin, rbl_symmetric3_apply(&a.inverse_inertia, turn));
    b.spin = rbl_add3(b.spin, rbl_symmetric3_apply(&b.inverse_inertia, turn));
    rbl_store_body(&world->solver_bodies.data[joint->solver_a], &a);
    rbl_store_body(&world->solver_bodies.data[joint->solver_b], &b);
    joint->push = rbl_add3(joint->push, push);
    joint->turn = rbl_add3(joint->turn, turn);
}

void rbl_warm_start_joints(rblWorld* world)
{
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (is_active(world, joint))
        {
            const rblVec3 push = joint->push;
            const rblVec3 turn = joint->turn;
            joint->push = joint->turn = rbl_vec3(0, 0, 0);
            apply(world, joint, push, turn);
        }
    }
}

// The mean spin over the step is known better once the solve has begun: take the arms at mid-step anew, and let the
// impulses so far act on them.
static void refresh_arms(rblWorld* world, rblJoint* joint)
{
    const rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    const rblVelocity* before_a = &world->before_contacts.data[joint->solver_a];
    const rblVelocity* before_b = &world->before_contacts.data[joint->solver_b];
    const rblVec3 push = joint->push;
    const rblVec3 turn = joint->turn;
    const rblVec3 mean_a = rbl_scale3(rbl_add3(before_a->spin, a->spin), 0.25f * joint->seconds);
    const rblVec3 mean_b = rbl_scale3(rbl_add3(before_b->spin, b->spin), 0.25f * joint->seconds);
    apply(world, joint, rbl_neg3(push), rbl_neg3(turn));
    joint->arm_a = turned_arm(joint->start_arm_a, mean_a);
    joint->arm_b = turned_arm(joint->start_arm_b, mean_b);
    joint->point_mass = joint_mass(joint, a, b);
    const rblVec3 at_a = rbl_add3(before_a->velocity, rbl_cross3(before_a->spin, joint->arm_a));
    const rblVec3 at_b = rbl_add3(before_b->velocity, rbl_cross3(before_b->spin, joint->arm_b));
    joint->before_u = rbl_sub3(at_b, at_a);
    apply(world, joint, push, turn);
}

void rbl_refresh_joints(rblWorld* world)
{
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        if (is_active(world, &world->joints.data[i]))
        {
            refresh_arms(world, &world->joints.data[i]);
        }
    }
}

// The direction of a distance joint at mid-step.
static rblVec3 mid_direction(const rblWorld* world, const rblJoint* joint, rblVec3* mean)
{
    const rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    const rblVec3 u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
    *mean = rbl_scale3(rbl_add3(u, joint->before_u), 0.5f);
    return rbl_mul_add3(joint->apart, 0.5f * joint->seconds, *mean);
}

// All of the impulse must act along the direction at mid-step, which is known better with each sweep: turn it there first.
static float solve_distance(rblWorld* world, rblJoint* joint)
{
    rblVec3 mean;
    rblVec3 middle = mid_direction(world, joint, &mean);
    float length = rbl_length3(middle);
    if (!(length > 0.0f) || !(joint->seconds > 0.0f))
    {
        return 0.0f;
    }
    rblVec3 d = rbl_scale3(middle, 1.0f / length);
    const rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    const rblVec3 turned = rbl_sub3(rbl_scale3(d, rbl_dot3(joint->push, d)), joint->push);
    apply(world, joint, turned, rbl_vec3(0, 0, 0));
    (void)mid_direction(world, joint, &mean);
    const float square = rbl_dot3(joint->apart, joint->apart);
    const float wanted = (joint->length * joint->length - square) / (2.0f * joint->seconds * length);
    const float mass = 1.0f / rbl_contact_compliance(a, b, joint->arm_a, joint->arm_b, d, d);
    // The mean changes by half of what the velocity at the end does.
    float change = 2.0f * mass * (wanted - rbl_dot3(mean, d));
    if (joint->kind == RBL_JOINT_ROPE)
    {
        const float now = rbl_dot3(joint->push, d);
        change = rbl_minf(now + change, 0.0f) - now; // a rope pulls b towards a, and never pushes
    }
    apply(world, joint, rbl_scale3(d, change), rbl_vec3(0, 0, 0));
    return (fabsf(change) + rbl_length3(turned)) / mass;
}

static float solve_point(rblWorld* world, rblJoint* joint)
{
    const rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    const rblVec3 u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
    const float rate = joint->seconds > 0.0f ? 2.0f / joint->seconds : 0.0f;
    const rblVec3 wanted = rbl_neg3(rbl_mul_add3(joint->before_u, rate, joint->apart));
    const rblVec3 miss = rbl_sub3(wanted, u);
    apply(world, joint, rbl_symmetric3_apply(&joint->point_mass, miss), rbl_vec3(0, 0, 0));
    return rbl_length3(miss);
}

static float solve_angle(rblWorld* world, rblJoint* joint)
{
    const rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    const rblVec3 w = rbl_sub3(b->spin, a->spin);
    const float rate = joint->seconds > 0.0f ? 2.0f / joint->seconds : 0.0f;
    rblVec3 miss = rbl_sub3(rbl_neg3(rbl_mul_add3(joint->before_w, rate, joint->misaligned)), w);
    if (joint->kind == RBL_JOINT_HINGE)
    {
        // Free about the axis: only the part across it is asked for. Iterating takes care of the coupling.
        miss = rbl_mul_add3(miss, -rbl_dot3(miss, joint->free_axis), joint->free_axis);
        rblVec3 turn = rbl_symmetric3_apply(&joint->angle_mass, miss);
        turn = rbl_mul_add3(turn, -rbl_dot3(turn, joint->free_axis), joint->free_axis);
        apply(world, joint, rbl_vec3(0, 0, 0), turn);
        return rbl_length3(miss) * rbl_length3(joint->arm_a);
    }
    apply(world, joint, rbl_vec3(0, 0, 0), rbl_symmetric3_apply(&joint->angle_mass, miss));
    return rbl_length3(miss) * rbl_length3(joint->arm_a);
}

// An implicit spring and damper: F = -k (C + h mean u) - c mean u, as an impulse over the step, limited.
static float solve_spring(rblWorld* world, rblJoint* joint)
{
    const rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    const float h = joint->seconds;
    const rblVec3 u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
    const rblVec3 mean = rbl_scale3(rbl_add3(u, joint->before_u), 0.5f);
    const float drag = spring_drag(joint);
    const rblVec3 wanted = rbl_neg3(rbl_mul_add3(rbl_scale3(joint->apart, h * joint->stiffness), drag, mean));
    // J = wanted(J), which is linear in J.
    const rblVec3 miss = rbl_sub3(wanted, joint->push);
    rblVec3 push = rbl_add3(joint->push, rbl_symmetric3_apply(&joint->point_mass, miss));
    const float most = joint->max_force * h;
    const float length = rbl_length3(push);
    push = length > most ? rbl_scale3(push, most / length) : push;
    const rblVec3 change = rbl_sub3(push, joint->push);
    apply(world, joint, change, rbl_vec3(0, 0, 0));
    return rbl_length3(change) * (a->inverse_mass + b->inverse_mass);
}

float rbl_sweep_joints(rblWorld* world)
{
    float largest = 0.0f;
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (!is_active(world, joint))
        {
            continue;
        }
        float change = 0.0f;
        if (joint->kind == RBL_JOINT_DISTANCE || joint->kind == RBL_JOINT_ROPE)
        {
            change = solve_distance(world, joint);
        }
        else if (joint->kind == RBL_JOINT_SPRING)
        {
            change = solve_spring(world, joint);
        }
        else
        {
            change = joint->kind == RBL_JOINT_BALL ? 0.0f : solve_angle(world, joint);
            change = rbl_maxf(change, solve_point(world, joint));
        }
        largest = rbl_maxf(largest, change);
    }
    return largest;
}

// ---- impacts ----

// Remove relative velocity that a joint cannot follow: a rope that pulls tight, a hit on one end of a rod. Inelastic. The
// arms are those of now, not of mid-step: a body that swings freely has no such velocity.
static void jerk(rblSolverBody* a, rblSolverBody* b, rblJoint* joint, rblVec3 impulse)
{
    const bool a_driven = a->inverse_mass > 0.0f;
    if (!a_driven || !(b->inverse_mass > 0.0f))
    {
        const rblSolverBody* driver = a_driven ? b : a;
        const rblVec3 arm = a_driven ? joint->start_arm_b : joint->start_arm_a;
        const rblVec3 velocity = rbl_add3(driver->velocity, rbl_cross3(driver->spin, arm));
        const double work = (double)rbl_dot3(impulse, velocity);
        joint->jerk_work += a_driven ? -work : work;
    }
    joint->jerk = rbl_add3(joint->jerk, impulse);
    rblSolverBody after_a = *a;
    rblSolverBody after_b = *b;
    rbl_apply_impulse(&after_a, &after_b, joint->start_arm_a, joint->start_arm_b, impulse);
    rbl_store_body(a, &after_a);
    rbl_store_body(b, &after_b);
}

static bool tighten_distance(rblSolverBody* a, rblSolverBody* b, rblJoint* joint, rblVec3 u, float threshold)
{
    const float length = rbl_length3(joint->apart);
    const rblVec3 d = length > 0.0f ? rbl_scale3(joint->apart, 1.0f / length) : rbl_vec3(0, 0, 0);
    const float speed = rbl_dot3(u, d);
    const bool slack =
        joint->kind == RBL_JOINT_ROPE && (speed < 0.0f || length + speed * joint->seconds < joint->length);
    if (slack || !(fabsf(speed) > threshold))
    {
        return false;
    }
    const float mass = 1.0f / rbl_contact_compliance(a, b, joint->start_arm_a, joint->start_arm_b, d, d);
    jerk(a, b, joint, rbl_scale3(d, -mass * speed));
    return true;
}

static bool tighten(rblWorld* world, rblJoint* joint, float threshold)
{
    rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    const rblVec3 u = rbl_relative_velocity(a, b, joint->start_arm_a, joint->start_arm_b);
    if (joint->kind == RBL_JOINT_DISTANCE || joint->kind == RBL_JOINT_ROPE)
    {
        return tighten_distance(a, b, joint, u, threshold);
    }
    if (joint->kind == RBL_JOINT_SPRING || !(rbl_length3(u) > threshold))
    {
        return false;
    }
    const rblSymmetric3 mass = point_mass(a, b, joint->start_arm_a, joint->start_arm_b);
    jerk(a, b, joint, rbl_symmetric3_apply(&mass, rbl_neg3(u)));
    return true;
}

bool rbl_tighten_joints(rblWorld* world, float threshold)
{
    bool any = false;
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        any = (is_active(world, joint) && tighten(world, joint, threshold)) || any;
    }
    return any;
}

// ---- after ----

// Work that a joint's driver did: the spring's, and that of a partner of infinite mass that moves.
double rbl_joint_work(const rblWorld* world, const rblJoint* joint)
{
    const rblSolverBody* a = &world->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &world->solver_bodies.data[joint->solver_b];
    if (joint->kind == RBL_JOINT_SPRING)
    {
        const rblVec3 u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
        return 0.5 * (double)rbl_dot3(joint->push, rbl_add3(u, joint->before_u));
    }
    const bool a_driven = a->inverse_mass > 0.0f;
    if (a_driven && b->inverse_mass > 0.0f)
    {
        return 0.0;
    }
    const rblSolverBody* driver = a_driven ? b : a;
    const rblVec3 arm = a_driven ? joint->arm_b : joint->arm_a;
    const rblVec3 velocity = rbl_add3(driver->velocity, rbl_cross3(driver->spin, arm));
    const double power =
        (double)rbl_dot3(joint->push, velocity) + (double)rbl_dot3(joint->turn, driver->spin);
    return a_driven ? -power : power;
}

rblResult rbl_finish_joints(rblWorld* world)
{
    for (uint32_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (!is_active(world, joint) || !(joint->seconds > 0.0f))
        {
            continue;
        }
        // A jerk takes no time; it counts as if it took the step.
        const float force =
            rbl_length3(joint->push) / joint->seconds + rbl_length3(joint->jerk) / world->seconds;
        if (force <= joint->break_force)
        {
            continue;
        }
        const rblTransform frame = frame_of(world, joint->a);
        const rblJointEvent event = {
            .joint = {i + 1, joint->generation},
            .a = {joint->a + 1, world->bodies.data[joint->a].generation},
            .b = {joint->b != RBL_NONE ? joint->b + 1 : 0,
                  joint->b != RBL_NONE ? world->bodies.data[joint->b].generation : 0},
            .point = rbl_transform_point(frame, joint->anchor_a),
            .force = force,
            .user_data = joint->user_data,
        };
        if (!rbl_array_push(&world->joint_events, event))
        {
            return rbl_fail_memory();
        }
        rbl_remove_joint(world, i);
    }
    return RBL_OK;
}
