// Joints in the step: a direct solve for rigid joints, iterations for springs and for joints at their limit.
#include "dynamics/joint/joints.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

// ---- tuning ----

#define MAX_POLISH  8 // rounds of Newton's method after the contacts
#define MAX_CHANGES 8 // solves to find the joints that do not pull
#define POSITION_TOLERANCE                                                                                   \
    3e-6f // m: accepted error at the end of a step, a little above float rounding 10 m from the origin

// ---- preparing ----

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
        if (joint->generation != 0)
        {
            joint->solver_a = solver_of(step, joint->a);
            joint->solver_b = solver_of(step, joint->b);
        }
    }
    return rbl_joint_system_build(step);
}

void rbl_joints_prepare(rblStep* step)
{
    rblWorld* world = step->world;
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0)
        {
            joint->seconds = rbl_maxf(step->solver_bodies.data[joint->solver_a].seconds,
                                      step->solver_bodies.data[joint->solver_b].seconds);
            joint->slack = joint->kind == RBL_JOINT_ROPE;
            joint->row_count = 0;
            rbl_joint_locate(world, joint);
            rbl_joint_limit(world, joint);
        }
    }
}

void rbl_joints_share_seconds(rblStep* step)
{
    const rblJointSystem* system = &step->joint_system;
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        system->poses.data[i].p.x = INFINITY; // by root: the least
    }
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        float* least = &system->poses.data[rbl_joint_root(step, i)].p.x;
        *least = rbl_minf(*least, step->solver_bodies.data[system->bodies.data[i]].seconds);
    }
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        const uint32_t index = system->bodies.data[i];
        const float shared = system->poses.data[rbl_joint_root(step, i)].p.x;
        float* seconds = &step->solver_bodies.data[index].seconds;
        if (shared < *seconds)
        {
            *seconds = shared;
            step->slowed.data[index] = 1; // with the one that is: all of them owe the time
        }
    }
}

// ---- refreshing ----

// Impulses so far, as far as the rows can carry them.
static void turn_impulses(rblJoint* joint)
{
    if (joint->row_count == 1)
    {
        const rblVec3 axis = joint->rows[0].axis;
        joint->linear_impulse = rbl_scale3(axis, rbl_dot3(joint->linear_impulse, axis));
    }
    if (joint->row_count == 5)
    {
        const rblVec3 x = joint->rows[3].axis;
        const rblVec3 y = joint->rows[4].axis;
        const rblVec3 turn = rbl_scale3(x, rbl_dot3(joint->angular_impulse, x));
        joint->angular_impulse = rbl_mul_add3(turn, rbl_dot3(joint->angular_impulse, y), y);
    }
}

static bool pulls(const rblJoint* joint)
{
    return joint->row_count > 0 && rbl_dot3(joint->linear_impulse, joint->rows[0].axis) < 0.0f;
}

// A rope pulls when it would be too long without.
static bool wants_to_pull(const rblStep* step, const rblJoint* joint)
{
    return joint->row_count > 0 &&
           rbl_joint_row_velocity(step, joint, &joint->rows[0]) > joint->rows[0].target + 1e-7;
}

float rbl_joints_refresh(rblStep* step)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    float worst = 0.0f;
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        system->poses.data[i] = rbl_pose_predict(step, system->bodies.data[i]);
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        if (!rbl_joint_is_active(step, joint) || !(joint->seconds > 0.0f))
        {
            continue;
        }
        worst = rbl_maxf(worst, rbl_joint_set_rows_ahead(step, joint));
        if (joint->kind == RBL_JOINT_ROPE)
        {
            joint->slack = !pulls(joint) && !wants_to_pull(step, joint);
        }
        turn_impulses(joint);
    }
    rbl_joints_factor(step, true);
    return worst;
}

static void keep_best(rblStep* step)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        const rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
        system->best.data[2 * i] = body->velocity;
        system->best.data[2 * i + 1] = body->spin;
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        world->joints.data[i].best_linear_impulse = world->joints.data[i].linear_impulse;
        world->joints.data[i].best_angular_impulse = world->joints.data[i].angular_impulse;
    }
}

static void take_best(rblStep* step)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
        body->velocity = system->best.data[2 * i];
        body->spin = system->best.data[2 * i + 1];
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        world->joints.data[i].linear_impulse = world->joints.data[i].best_linear_impulse;
        world->joints.data[i].angular_impulse = world->joints.data[i].best_angular_impulse;
    }
}

// The first rows are those for bodies that go on as before: with the forces of the step and no impulses light links would be
// seen far from where they will be.
void rbl_joints_first_refresh(rblStep* step)
{
    rblJointSystem* system = &step->joint_system;
    rbl_joints_begin_balance(step);
    keep_best(step);
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[i]];
        const rblVelocity* before = &step->before_contacts.data[system->bodies.data[i]];
        body->velocity = before->velocity;
        body->spin = before->spin;
    }
    (void)rbl_joints_refresh(step);
    take_best(step);
}

// ---- solving ----

// A rope that would push lets go.
static bool let_go(rblStep* step, rblJoint* joint)
{
    if (joint->slack || joint->row_count != 1 || pulls(joint))
    {
        return false;
    }
    if (!step->joint_system.balanced)
    {
        rbl_joint_apply(step, joint, rbl_neg3(joint->linear_impulse), rbl_vec3(0, 0, 0));
    }
    joint->linear_impulse = rbl_vec3(0, 0, 0);
    joint->slack = true;
    return true;
}

// A spring that would pull harder than it can pulls with what it has.
static bool limit_spring(rblJoint* joint)
{
    const float most = joint->max_force * joint->seconds;
    const float length = rbl_length3(joint->linear_impulse);
    if (joint->slack || !(length > most))
    {
        return false;
    }
    joint->linear_impulse = rbl_scale3(joint->linear_impulse, most / length);
    joint->slack = true;
    return true;
}

// Joints that asked for more than they can do. True when there are any.
static bool yield(rblStep* step)
{
    rblWorld* world = step->world;
    bool any = false;
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        any = (joint->kind == RBL_JOINT_ROPE && let_go(step, joint)) || any;
        any = (joint->kind == RBL_JOINT_SPRING && limit_spring(joint)) || any;
    }
    return any;
}

// The direct solve, until no joint has to give way. Returns the largest miss before it, m/s.
static float solve_all(rblStep* step)
{
    const float miss = rbl_joints_solve(step);
    for (int change = 0; change < MAX_CHANGES && yield(step); ++change)
    {
        rbl_joints_factor(step, step->joint_system.balanced);
        (void)rbl_joints_solve(step);
    }
    return miss;
}

// Ropes that must pull now; springs that need not pull with all they have, or in another direction. True when rows changed.
static bool become_rigid(rblStep* step)
{
    rblWorld* world = step->world;
    bool any = false;
    for (size_t i = 0; i < step->joint_system.joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[step->joint_system.joints.data[i]];
        if (!joint->slack)
        {
            continue;
        }
        if (joint->kind == RBL_JOINT_SPRING)
        {
            const rblVec3 linear_impulse = rbl_joint_spring_impulse(step, joint);
            const float most = joint->max_force * joint->seconds;
            const float length = rbl_length3(linear_impulse);
            joint->slack = length >= most;
            joint->linear_impulse =
                joint->slack ? rbl_scale3(linear_impulse, most / length) : joint->linear_impulse;
        }
        else
        {
            joint->slack = !wants_to_pull(step, joint);
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
    if (become_rigid(step))
    {
        rbl_joints_factor(step, true);
    }
    return solve_all(step);
}

// Newton's method for joints alone. It need not converge where links whip through half a turn in a step: the best round counts,
// and the rest is put in place after the step.
void rbl_joints_polish(rblStep* step)
{
    float least = INFINITY;
    for (int round = 0; round <= MAX_POLISH && step->joint_system.joints.count > 0; ++round)
    {
        const float off = rbl_joints_refresh(step);
        if (off < least)
        {
            least = off;
            keep_best(step);
        }
        if (least < POSITION_TOLERANCE || round == MAX_POLISH || !(off < 10.0f * least))
        {
            break;
        }
        (void)rbl_joints_sweep(step);
    }
    if (least < INFINITY)
    {
        take_best(step);
    }
}

// ---- velocities only ----

// A rope that is not at its length by the end of the step holds nothing, nor does one whose ends come closer.
static bool is_taut(const rblStep* step, const rblJoint* joint, float seconds)
{
    const double speed = joint->row_count > 0 ? rbl_joint_row_velocity(step, joint, &joint->rows[0]) : 0.0;
    return speed > 0.0 &&
           (double)rbl_length3(joint->apart) + speed * (double)seconds >= (double)joint->length;
}

static double fastest_row(const rblStep* step, const rblJoint* joint)
{
    const double reach = (double)rbl_maxf(rbl_length3(joint->arm_a), rbl_length3(joint->arm_b));
    double fastest = 0.0;
    for (uint32_t r = 0; r < joint->row_count && !joint->slack; ++r)
    {
        const double speed = fabs(rbl_joint_row_velocity(step, joint, &joint->rows[r]));
        fastest = rbl_maxd(fastest, speed * (joint->rows[r].turns ? reach : 1.0));
    }
    return fastest;
}

// Work of a partner of infinite mass that moves, through an impulse.
static double driver_work(const rblStep* step, const rblJoint* joint, rblVec3 linear_impulse,
                          rblVec3 angular_impulse)
{
    const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
    const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
    const bool a_driven = a->inverse_mass > 0.0f;
    if (a_driven && b->inverse_mass > 0.0f)
    {
        return 0.0;
    }
    const rblSolverBody* driver = a_driven ? b : a;
    const rblVec3 arm = a_driven ? joint->arm_b : joint->arm_a;
    const rblVec3 velocity = rbl_add3(driver->velocity, rbl_cross3(driver->spin, arm));
    const double power =
        (double)rbl_dot3(linear_impulse, velocity) + (double)rbl_dot3(angular_impulse, driver->spin);
    return a_driven ? -power : power;
}

float rbl_joints_displace(rblStep* step)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    float worst = 0.0f;
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        rbl_joint_locate(world, joint);
        worst = rbl_maxf(worst, rbl_joint_set_rows_displacement(step, joint));
        joint->kept_linear_impulse = joint->linear_impulse;
        joint->kept_angular_impulse = joint->angular_impulse;
        joint->linear_impulse = joint->angular_impulse = rbl_vec3(0, 0, 0);
    }
    if (worst > POSITION_TOLERANCE)
    {
        rbl_joints_factor(step, false);
        (void)solve_all(step);
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        joint->linear_impulse = joint->kept_linear_impulse;
        joint->angular_impulse = joint->kept_angular_impulse;
    }
    return worst > POSITION_TOLERANCE ? worst : 0.0f;
}

bool rbl_joints_stop(rblStep* step, float threshold, float seconds, rblJointImpulseFcn* report)
{
    rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    double fastest = 0.0;
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        rbl_joint_set_rows_now(step, joint);
        joint->slack = joint->kind == RBL_JOINT_ROPE && !is_taut(step, joint, seconds);
        fastest = rbl_maxd(fastest, fastest_row(step, joint));
    }
    if (!(fastest > (double)threshold))
    {
        return false;
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        joint->kept_linear_impulse = joint->linear_impulse;
        joint->kept_angular_impulse = joint->angular_impulse;
        joint->linear_impulse = joint->angular_impulse = rbl_vec3(0, 0, 0);
    }
    rbl_joints_factor(step, false);
    (void)solve_all(step);
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        report(step, joint, driver_work(step, joint, joint->linear_impulse, joint->angular_impulse));
        joint->linear_impulse = joint->kept_linear_impulse;
        joint->angular_impulse = joint->kept_angular_impulse;
    }
    return true;
}

static void add_impact_impulse(rblStep* step, rblJoint* joint, double work)
{
    (void)step;
    joint->impact_impulse = rbl_add3(joint->impact_impulse, joint->linear_impulse);
    joint->impact_work += work;
}

// Relative velocity that joints cannot follow goes: a rope that pulls tight, an impact on one end of a rod. Inelastic. The arms are
// those of now: a body that swings freely has no such velocity.
bool rbl_joints_tighten(rblStep* step, float threshold)
{
    return rbl_joints_stop(step, threshold, step->seconds, add_impact_impulse);
}

// ---- after ----

double rbl_joint_work(const rblStep* step, const rblJoint* joint)
{
    if (joint->kind == RBL_JOINT_SPRING)
    {
        const rblSolverBody* a = &step->solver_bodies.data[joint->solver_a];
        const rblSolverBody* b = &step->solver_bodies.data[joint->solver_b];
        const rblVec3 u = rbl_relative_velocity(a, b, joint->arm_a, joint->arm_b);
        return 0.5 * (double)rbl_dot3(joint->linear_impulse, rbl_add3(u, joint->before_u));
    }
    return driver_work(step, joint, joint->linear_impulse, joint->angular_impulse);
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
        const rblJoint* joint = &world->joints.data[i];
        if (!rbl_joint_is_active(step, joint) || !(joint->seconds > 0.0f))
        {
            continue;
        }
        // A jerk takes no time; it counts as if it took the step.
        const float force = rbl_length3(joint->linear_impulse) / joint->seconds +
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
