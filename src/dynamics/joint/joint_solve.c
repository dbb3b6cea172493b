// Joints in the step: a direct solve for rigid joints, iterations for springs and for joints at their limit.
#include "dynamics/joint/joints.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

#include <string.h>

// ---- tuning ----

#define MAX_POLISH  8 // rounds of Newton's method after the contact solve
#define MAX_CHANGES 8 // solves to find ropes that are slack and springs at their largest force
#define POSITION_TOLERANCE                                                                                   \
    3e-6f // m: accepted error at the end of a step, a little above float rounding 10 m from the origin

// ---- preparation ----

static uint32_t solver_of(const rblStep* step, uint32_t slot)
{
    return slot == RBL_NONE ? 0 : step->solver_index.data[slot];
}

rblResult rbl_joints_begin(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        joint->impact_impulse = rbl_vec3(0, 0, 0);
        joint->impact_work = 0.0;
        joint->parts_linear_impulse = joint->parts_angular_impulse = rbl_vec3(0, 0, 0);
        joint->parts_seconds = 0.0f;
        if (joint->generation != 0)
        {
            joint->solver_a = solver_of(step, joint->a);
            joint->solver_b = solver_of(step, joint->b);
        }
    }
    return rbl_joint_system_build(step, 0);
}

void rbl_joints_prepare(rblStep* step)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        joint->seconds = rbl_maxf(step->solver_bodies.data[joint->solver_a].seconds,
                                  step->solver_bodies.data[joint->solver_b].seconds);
        joint->slack = joint->kind == RBL_JOINT_ROPE;
        joint->row_count = 0;
        rbl_joint_locate(world, joint);
        rbl_joint_limit(world, joint);
    }
}

void rbl_joints_share_seconds(rblStep* step)
{
    const rblJointSystem* system = &step->joint_system;
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        system->poses.data[i].p.x = INFINITY; // p.x of a root is used as the smallest time of its bodies, s
    }
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        float* smallest = &system->poses.data[rbl_joint_root(step, i)].p.x;
        *smallest = rbl_minf(*smallest, step->solver_bodies.data[system->bodies.data[i]].seconds);
    }
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        const uint32_t index = system->bodies.data[i];
        const float shared = system->poses.data[rbl_joint_root(step, i)].p.x;
        float* seconds = &step->solver_bodies.data[index].seconds;
        if (shared < *seconds)
        {
            *seconds = shared;
            step->slowed.data[index] = 1; // all bodies connected to a slowed body lose the same time
        }
    }
}

// ---- rows of a round ----

// Project the impulses of the last rows onto the axes of the new ones.
static void project_impulses(rblJoint* joint)
{
    rblVec3d sums[2] = {{0, 0, 0}, {0, 0, 0}};
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        const rblJointRow* row = &joint->rows[r];
        rblVec3d* sum = &sums[row->is_angular ? 1 : 0];
        *sum = rbl_mul_add3d(*sum, rbl_joint_row_impulse(joint, row), rbl_to_double3(row->axis));
    }
    joint->linear_impulse = joint->row_count > 0 ? sums[0] : joint->linear_impulse;
    joint->angular_impulse = joint->row_count > 0 ? sums[1] : joint->angular_impulse;
}

static bool pulls(const rblJoint* joint)
{
    return joint->row_count > 0 && rbl_joint_row_impulse(joint, &joint->rows[0]) < 0.0;
}

// Whether the rope would become longer than its length without an impulse.
static bool must_pull(const rblStep* step, const rblJoint* joint)
{
    return joint->row_count > 0 &&
           rbl_joint_row_velocity(step, joint, &joint->rows[0]) > joint->rows[0].target + 1e-7;
}

float rbl_joints_refresh(rblStep* step)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    float largest = 0.0f;
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        system->poses.data[i] = rbl_pose_predict(step, system->bodies.data[i]);
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        if (!(joint->seconds > 0.0f))
        {
            continue;
        }
        largest = rbl_maxf(largest, rbl_joint_set_rows_ahead(step, joint));
        if (joint->kind == RBL_JOINT_ROPE)
        {
            joint->slack = !pulls(joint) && !must_pull(step, joint);
        }
        project_impulses(joint);
    }
    rbl_joints_refer(step);
    return largest;
}

static void save_velocities(rblStep* step)
{
    rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
        system->best.data[2 * i] = body->velocity;
        system->best.data[2 * i + 1] = body->spin;
    }
}

static void restore_velocities(rblStep* step)
{
    const rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
        body->velocity = system->best.data[2 * i];
        body->spin = system->best.data[2 * i + 1];
    }
}

// Store velocities and impulses of the best round so far.
static void save_best(rblStep* step)
{
    rblWorld* world = step->world;
    save_velocities(step);
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        joint->best_linear_impulse = joint->linear_impulse;
        joint->best_angular_impulse = joint->angular_impulse;
        memcpy(joint->best_axes, joint->axes, sizeof joint->axes);
    }
}

static void restore_best(rblStep* step)
{
    rblWorld* world = step->world;
    restore_velocities(step);
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        joint->linear_impulse = joint->best_linear_impulse;
        joint->angular_impulse = joint->best_angular_impulse;
        memcpy(joint->axes, joint->best_axes, sizeof joint->axes);
    }
}

// The first rows are computed from the velocities before the forces of the step. With forces and without joint impulses, light
// bodies would be predicted far from their poses at the end of the step.
void rbl_joints_first_refresh(rblStep* step)
{
    rblJointSystem* system = &step->joint_system;
    rbl_joints_begin_balance(step);
    save_velocities(step);
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
        const rblVelocity* before = &step->before_contacts.data[system->bodies.data[i]];
        body->velocity = before->velocity;
        body->spin = before->spin;
    }
    (void)rbl_joints_refresh(step);
    restore_velocities(step);
}

// ---- solve ----

// A rope that would push becomes slack.
static bool release_rope(rblStep* step, rblJoint* joint)
{
    if (joint->slack || joint->row_count != 1 || pulls(joint))
    {
        return false;
    }
    if (!step->joint_system.balanced)
    {
        rbl_joint_apply(step, joint, rbl_neg3(rbl_to_float3(joint->linear_impulse)), rbl_vec3(0, 0, 0));
    }
    joint->linear_impulse = rbl_vec3d(0, 0, 0);
    joint->slack = true;
    return true;
}

// Limit the impulse of a spring to its largest force.
static bool limit_spring(rblJoint* joint)
{
    const double max_impulse = (double)(joint->max_force * joint->seconds);
    const double length = rbl_length3d(joint->linear_impulse);
    if (joint->slack || !(length > max_impulse))
    {
        return false;
    }
    joint->linear_impulse = rbl_scale3d(joint->linear_impulse, max_impulse / length);
    joint->slack = true;
    return true;
}

// Limits that would pull, and motors beyond their force.
static bool release_axes(rblStep* step, rblJoint* joint)
{
    const rblVec3d linear = joint->linear_impulse;
    const rblVec3d angular = joint->angular_impulse;
    if (!rbl_joint_release_axes(joint))
    {
        return false;
    }
    if (!step->joint_system.balanced)
    {
        rbl_joint_apply(step, joint, rbl_to_float3(rbl_sub3d(joint->linear_impulse, linear)),
                        rbl_to_float3(rbl_sub3d(joint->angular_impulse, angular)));
    }
    return true;
}

// Deactivate ropes that would push and springs beyond their largest force. Returns whether there are any.
static bool deactivate_joints(rblStep* step)
{
    rblWorld* world = step->world;
    const bool balanced = step->joint_system.balanced;
    bool any = false;
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        any = (joint->kind == RBL_JOINT_ROPE && release_rope(step, joint)) || any;
        any = (joint->kind == RBL_JOINT_SPRING && limit_spring(joint)) || any;
        any = release_axes(step, joint) || (balanced && rbl_joint_hold_axes(step, joint)) || any;
    }
    return any;
}

// The direct solve, repeated while joints are deactivated. Returns the largest residual before it, m/s.
static float solve_all(rblStep* step)
{
    const float residual = rbl_joints_solve(step);
    for (int change = 0; change < MAX_CHANGES && deactivate_joints(step); ++change)
    {
        rbl_joints_factor(step, step->joint_system.balanced);
        (void)rbl_joints_solve(step);
    }
    return residual;
}

// Activate ropes that must pull, and springs whose force is below its limit again. Springs at the limit get their new
// direction. Returns whether a joint was activated.
static bool activate_joints(rblStep* step)
{
    rblWorld* world = step->world;
    bool any = false;
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        any = rbl_joint_hold_axes(step, joint) || any;
        if (!joint->slack)
        {
            continue;
        }
        if (joint->kind == RBL_JOINT_SPRING)
        {
            const rblVec3 linear_impulse = rbl_joint_spring_impulse(step, joint);
            const float max_impulse = joint->max_force * joint->seconds;
            const float length = rbl_length3(linear_impulse);
            joint->slack = length >= max_impulse;
            joint->linear_impulse = joint->slack
                                        ? rbl_to_double3(rbl_scale3(linear_impulse, max_impulse / length))
                                        : joint->linear_impulse;
        }
        else
        {
            joint->slack = !must_pull(step, joint);
        }
        any = any || !joint->slack;
    }
    return any;
}

float rbl_joints_sweep(rblStep* step)
{
    if (step->joint_system.joints.count == 0)
    {
        return 0.0f;
    }
    if (activate_joints(step) || step->joint_system.stale)
    {
        rbl_joints_factor(step, true);
    }
    return solve_all(step);
}

// Newton's method for the joints alone. It may not converge when bodies rotate by half a turn in a step. So the result is the
// best round, and rbl_joints_settle() corrects the remaining position error.
void rbl_joints_polish(rblStep* step)
{
    float smallest = INFINITY;
    for (int round = 0; round <= MAX_POLISH && step->joint_system.joints.count > 0; ++round)
    {
        const float error = rbl_joints_refresh(step);
        if (error < smallest)
        {
            smallest = error;
            save_best(step);
        }
        if (smallest < POSITION_TOLERANCE || round == MAX_POLISH || !(error < 10.0f * smallest))
        {
            break;
        }
        (void)rbl_joints_sweep(step);
    }
    if (smallest < INFINITY)
    {
        restore_best(step);
    }
}

// ---- velocities only ----

// A rope transfers an impulse when its length is reached by the end of the step and its ends separate.
static bool is_taut(const rblStep* step, const rblJoint* joint, float seconds)
{
    const double speed = joint->row_count > 0 ? rbl_joint_row_velocity(step, joint, &joint->rows[0]) : 0.0;
    return speed > 0.0 &&
           (double)rbl_length3(joint->separation) + speed * (double)seconds >= (double)joint->length;
}

static double fastest_row(const rblStep* step, const rblJoint* joint)
{
    const double reach = (double)rbl_maxf(rbl_length3(joint->arm_a), rbl_length3(joint->arm_b));
    const rblJointVelocity velocity = rbl_joint_velocity(step, joint);
    double fastest = 0.0;
    for (uint32_t r = 0; r < joint->row_count && !joint->slack; ++r)
    {
        if (joint->rows[r].free)
        {
            continue;
        }
        const double speed = fabs(rbl_joint_along_row(&velocity, &joint->rows[r]));
        fastest = rbl_maxd(fastest, speed * (joint->rows[r].is_angular ? reach : 1.0));
    }
    return fastest;
}

// Work of an impulse on the body of infinite mass of a joint, when that body moves, J.
static double kinematic_work(const rblStep* step, const rblJoint* joint)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    const bool a_dynamic = a->inverse_mass > 0.0f;
    if (a_dynamic && b->inverse_mass > 0.0f)
    {
        return 0.0;
    }
    const rblSolverBody* kinematic = a_dynamic ? b : a;
    const rblVec3 arm = a_dynamic ? joint->arm_b : joint->arm_a;
    const rblVec3 velocity = rbl_add3(kinematic->velocity, rbl_cross3(kinematic->spin, arm));
    const double power = rbl_dot3d(joint->linear_impulse, rbl_to_double3(velocity)) +
                         rbl_dot3d(joint->angular_impulse, rbl_to_double3(kinematic->spin));
    return a_dynamic ? -power : power;
}

// Save impulses while the rows are used for another solve.
static void save_impulses(rblJoint* joint)
{
    joint->saved_linear_impulse = joint->linear_impulse;
    joint->saved_angular_impulse = joint->angular_impulse;
    for (int i = 0; i < 2; ++i)
    {
        joint->saved_axes[i].state = joint->axes[i].state;
        joint->saved_axes[i].impulse = joint->axes[i].impulse;
    }
}

static void restore_impulses(rblStep* step)
{
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        rblJoint* joint = &step->world->joints.data[step->joint_system.joints.data[i]];
        joint->linear_impulse = joint->saved_linear_impulse;
        joint->angular_impulse = joint->saved_angular_impulse;
        for (int k = 0; k < 2; ++k)
        {
            joint->axes[k].state = joint->saved_axes[k].state;
            joint->axes[k].impulse = joint->saved_axes[k].impulse;
        }
    }
}

float rbl_joints_displace(rblStep* step)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    float largest = 0.0f;
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        rbl_joint_locate(world, joint);
        save_impulses(joint);
        largest = rbl_maxf(largest, rbl_joint_set_rows_displacement(step, joint));
        joint->linear_impulse = joint->angular_impulse = rbl_vec3d(0, 0, 0);
    }
    if (largest > POSITION_TOLERANCE)
    {
        rbl_joints_factor(step, false);
        (void)solve_all(step);
    }
    restore_impulses(step);
    return largest > POSITION_TOLERANCE ? largest : 0.0f;
}

bool rbl_joints_stop(rblStep* step, float threshold, float seconds, rblJointImpulseFcn* report)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    double fastest = 0.0;
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        save_impulses(joint);
        rbl_joint_set_rows_now(step, joint);
        rbl_joint_stop_axes(step, joint, seconds == 0.0f);
        joint->slack = joint->kind == RBL_JOINT_ROPE && !is_taut(step, joint, seconds);
        fastest = rbl_maxd(fastest, fastest_row(step, joint));
        joint->linear_impulse = joint->angular_impulse = rbl_vec3d(0, 0, 0);
    }
    const bool any = fastest > (double)threshold;
    if (any)
    {
        rbl_joints_factor(step, false);
        (void)solve_all(step);
    }
    for (size_t i = 0; i < system->joints.count && any; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        report(step, joint, kinematic_work(step, joint));
    }
    restore_impulses(step);
    return any;
}

static void add_impact_impulse(rblStep* step, rblJoint* joint, double work)
{
    (void)step;
    joint->impact_impulse = rbl_add3(joint->impact_impulse, rbl_to_float3(joint->linear_impulse));
    joint->impact_work += work;
}

// Removes relative velocities that joints do not allow, for example of a rope that becomes tight, or after an impact on one end
// of a rod. The impulse is inelastic. Lever arms are those of the current poses, so a body that swings freely loses no
// velocity.
bool rbl_joints_tighten(rblStep* step, float threshold)
{
    return rbl_joints_stop(step, threshold, step->seconds, add_impact_impulse);
}

// ---- after the solve ----

static double driven_work(const rblStep* step, const rblJoint* joint)
{
    if (joint->kind == RBL_JOINT_SPRING)
    {
        const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
        const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
        const rblVec3 u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
        return 0.5 * rbl_dot3d(joint->linear_impulse, rbl_to_double3(rbl_add3(u, joint->start_velocity)));
    }
    return kinematic_work(step, joint);
}

static rblJointVelocity start_velocity(const rblStep* step, const rblJoint* joint)
{
    const rblVelocity* a = &step->before_contacts.data[joint->solver_a];
    const rblVelocity* b = &step->before_contacts.data[joint->solver_b];
    const rblVec3 velocity_a = rbl_add3(a->velocity, rbl_cross3(a->spin, joint->arm_a));
    const rblVec3 velocity_b = rbl_add3(b->velocity, rbl_cross3(b->spin, joint->arm_b));
    return (rblJointVelocity){rbl_to_double3(rbl_sub3(velocity_b, velocity_a)),
                              rbl_to_double3(rbl_sub3(b->spin, a->spin))};
}

// Rows that do no work are those that hold and do not yield. A row acts on the mean velocity of the step.
rblJointWork rbl_joint_work(const rblStep* step, const rblJoint* joint)
{
    rblJointWork work = {.driven = driven_work(step, joint)};
    const rblJointVelocity before = start_velocity(step, joint);
    const rblJointVelocity after = rbl_joint_velocity(step, joint);
    const bool yields = joint->in_loop && joint->kind != RBL_JOINT_SPRING;
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        const rblJointRow* row = &joint->rows[r];
        if (row->law == 0 && !yields)
        {
            continue;
        }
        const double speed = rbl_joint_along_row(&before, row) + rbl_joint_along_row(&after, row);
        const double done = 0.5 * rbl_joint_row_impulse(joint, row) * speed;
        const rblAxisState state = row->law != 0 ? joint->axes[row->law - 1].state : RBL_AXIS_FREE;
        const bool stops = state == RBL_AXIS_LOWER || state == RBL_AXIS_UPPER;
        work.driven += row->law != 0 && !stops ? done : 0.0;
        work.elastic += row->law == 0 || (stops && done > 0.0) ? done : 0.0;
        work.absorbed -= stops && done < 0.0 ? done : 0.0;
    }
    return work;
}

static rblJointEvent break_event(const rblWorld* world, uint32_t slot, float force)
{
    const rblJoint* joint = &world->joints.data[slot];
    const rblTransform frame = rbl_motion_pose(&world->motions.data[joint->a]);
    return (rblJointEvent){
        .joint = {slot + 1, joint->generation, world->serial},
        .a = rbl_body_id(world, joint->a),
        .b = joint->b != RBL_NONE ? rbl_body_id(world, joint->b) : (rblBodyId){0},
        .point = rbl_transform_point(frame, joint->anchor_a),
        .force = force,
        .user_data = joint->user_data,
    };
}

rblResult rbl_joints_finish(rblStep* step)
{
    rblWorld* world = step->world;
    for (uint32_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (!rbl_joint_is_active(step, joint) || !(joint->seconds > 0.0f))
        {
            continue;
        }
        joint->linear_impulse = rbl_add3d(joint->linear_impulse, rbl_to_double3(joint->parts_linear_impulse));
        joint->angular_impulse =
            rbl_add3d(joint->angular_impulse, rbl_to_double3(joint->parts_angular_impulse));
        joint->seconds += joint->parts_seconds;
        // An impulse of the impact phase has no duration. Its force is the mean over the step.
        const float force = rbl_length3(rbl_to_float3(joint->linear_impulse)) / joint->seconds +
                            rbl_length3(joint->impact_impulse) / step->seconds;
        if (force <= joint->break_force)
        {
            continue;
        }
        if (!rbl_array_push(&world->joint_events, break_event(world, i, force)))
        {
            return rbl_fail_memory();
        }
        rbl_joint_remove(world, i);
    }
    return RBL_OK;
}
