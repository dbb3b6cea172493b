// A direct solve of all joints at once.
//
// With M the mass matrix, G the rows of the joints and lambda their impulses, the velocities change by dv so that every row
// reaches its target:
//   M dv = G^T dlambda ,   G dv + c dlambda = residual .
// The rotation of a body moves the points where impulses act. For an impulse f at the lever arm r, a change dw of the spin over
// half of the step changes the torque by about -h/4 ((f.r) dw - r (f.dw)). This geometric stiffness grows with the tension.
// Without it the solve would not converge for a heavy body on light links (Tournier et al. 2015). Its symmetric part is added
// to the inertia. The error of the linear model is found in the next round as a residual of momentum.
//
// With -dlambda as unknowns the system is quasi-definite. Bodies and joints are both unknowns (Baraff 1996), so that chains and
// trees have no fill-in: the cost is proportional to the number of joints, for any ratio of masses.
#include "base/union_find.h"
#include "dynamics/joint/joints.h"
#include "dynamics/solve/contact_math.h"
#include "dynamics/stages.h"

void rbl_joint_system_init(rblJointSystem* system, const rblAllocator* allocator)
{
    rbl_blocks_init(&system->blocks, allocator);
    system->blocks.inverts = true;
    rbl_array_init(&system->bodies, allocator);
    rbl_array_init(&system->joints, allocator);
    rbl_array_init(&system->nodes, allocator);
    rbl_array_init(&system->parents, allocator);
    rbl_array_init(&system->anchors, allocator);
    rbl_array_init(&system->poses, allocator);
    rbl_array_init(&system->joint_momentum, allocator);
    rbl_array_init(&system->reference, allocator);
    rbl_array_init(&system->masses, allocator);
    rbl_array_init(&system->stiffness, allocator);
    rbl_array_init(&system->best, allocator);
}

void rbl_joint_system_free(rblJointSystem* system)
{
    rbl_blocks_free(&system->blocks);
    rbl_array_free(&system->bodies);
    rbl_array_free(&system->joints);
    rbl_array_free(&system->nodes);
    rbl_array_free(&system->parents);
    rbl_array_free(&system->anchors);
    rbl_array_free(&system->poses);
    rbl_array_free(&system->joint_momentum);
    rbl_array_free(&system->reference);
    rbl_array_free(&system->masses);
    rbl_array_free(&system->stiffness);
    rbl_array_free(&system->best);
}

// ---- structure ----

static bool is_dynamic(const rblStep* step, uint32_t solver)
{
    return step->solver_bodies.data[solver].inverse_mass > 0.0f;
}

static uint32_t row_capacity(const rblJoint* joint)
{
    switch (joint->kind)
    {
    case RBL_JOINT_FIXED:
        return 6;
    case RBL_JOINT_HINGE:
    case RBL_JOINT_SLIDER:
        return rbl_joint_has_axis(joint, 0) ? 6 : 5;
    case RBL_JOINT_BALL:
        return 3u + (rbl_joint_has_axis(joint, 0) ? 1u : 0u) + (rbl_joint_has_axis(joint, 1) ? 1u : 0u);
    case RBL_JOINT_DISTANCE:
    case RBL_JOINT_ROPE:
        return joint->length > 0.0f ? 1 : 3;
    default:
        return 3;
    }
}

static bool add_body(rblStep* step, uint32_t solver)
{
    rblJointSystem* system = &step->joint_system;
    if (!is_dynamic(step, solver) || system->nodes.data[solver] != RBL_NONE)
    {
        return true;
    }
    system->nodes.data[solver] = (uint32_t)system->bodies.count;
    return rbl_array_push(&system->bodies, solver) && rbl_blocks_add(&system->blocks, 6, false);
}

static bool takes_part(const rblStep* step, const rblJoint* joint)
{
    const uint32_t parts = step->joint_system.parts;
    return rbl_joint_is_active(step, joint) &&
           (parts == 0 || step->islands.data[rbl_joint_island(step, joint)].parts == parts);
}

static bool add_bodies(rblStep* step)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    rbl_blocks_clear(&system->blocks);
    rbl_array_clear(&system->bodies);
    rbl_array_clear(&system->joints);
    for (size_t i = 0; i < step->solver_bodies.count; ++i)
    {
        system->nodes.data[i] = RBL_NONE;
    }
    for (uint32_t i = 0; i < world->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[i];
        joint->node = RBL_NONE;
        if (takes_part(step, joint) &&
            (!add_body(step, joint->solver_a) || !add_body(step, joint->solver_b) ||
             !rbl_array_push(&system->joints, i)))
        {
            return false;
        }
    }
    return true;
}

// Add the node of a joint, and its edges to those of its bodies that are dynamic.
static bool add_joint(rblStep* step, rblJoint* joint)
{
    rblJointSystem* system = &step->joint_system;
    rblBlockSystem* blocks = &system->blocks;
    joint->node = (uint32_t)blocks->nodes.count;
    joint->edge_a = joint->edge_b = RBL_NONE;
    if (!rbl_blocks_add(blocks, row_capacity(joint), true))
    {
        return false;
    }
    const uint32_t a = system->nodes.data[joint->solver_a];
    const uint32_t b = system->nodes.data[joint->solver_b];
    if (a != RBL_NONE)
    {
        joint->edge_a = (uint32_t)blocks->edges.count;
        if (!rbl_blocks_join(blocks, joint->node, a))
        {
            return false;
        }
    }
    if (b != RBL_NONE)
    {
        joint->edge_b = (uint32_t)blocks->edges.count;
        if (!rbl_blocks_join(blocks, joint->node, b))
        {
            return false;
        }
    }
    return true;
}

uint32_t rbl_joint_root(rblStep* step, uint32_t node)
{
    return rbl_union_root(step->joint_system.parents.data, node);
}

// Two joints to immovable bodies form a loop through the world. A joint between two bodies that are connected already closes a
// loop and counts as two.
static void find_loops(rblStep* step)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    uint32_t* parents = system->parents.data;
    uint32_t* anchors = system->anchors.data;
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        parents[i] = i;
        anchors[i] = 0;
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[system->joints.data[i]];
        if (joint->kind == RBL_JOINT_SPRING)
        {
            continue; // a spring is compliant: its row contradicts no other
        }
        const uint32_t a = system->nodes.data[joint->solver_a];
        const uint32_t b = system->nodes.data[joint->solver_b];
        const uint32_t root_a = rbl_union_root(parents, a != RBL_NONE ? a : b);
        const uint32_t root_b = rbl_union_root(parents, b != RBL_NONE ? b : a);
        if (a == RBL_NONE || b == RBL_NONE)
        {
            anchors[root_a] += 1;
        }
        else if (root_a == root_b)
        {
            anchors[root_a] += 2;
        }
        else
        {
            parents[root_b] = root_a;
            anchors[root_a] += anchors[root_b];
        }
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        rblJoint* joint = &world->joints.data[system->joints.data[i]];
        const uint32_t a = system->nodes.data[joint->solver_a];
        const uint32_t node = a != RBL_NONE ? a : system->nodes.data[joint->solver_b];
        joint->in_loop = anchors[rbl_union_root(parents, node)] > 1;
    }
}

rblResult rbl_joint_system_build(rblStep* step, uint32_t parts)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    system->parts = parts;
    if (!rbl_array_resize_amply(&system->nodes, step->solver_bodies.count) || !add_bodies(step) ||
        !rbl_array_resize_amply(&system->poses, system->bodies.count) ||
        !rbl_array_resize_amply(&system->joint_momentum, 6 * system->bodies.count) ||
        !rbl_array_resize_amply(&system->reference, 6 * system->bodies.count) ||
        !rbl_array_resize_amply(&system->masses, 7 * system->bodies.count) ||
        !rbl_array_resize_amply(&system->stiffness, 12 * system->bodies.count) ||
        !rbl_array_resize_amply(&system->best, 2 * system->bodies.count) ||
        !rbl_array_resize_amply(&system->parents, system->bodies.count) ||
        !rbl_array_resize_amply(&system->anchors, system->bodies.count))
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        if (!add_joint(step, &world->joints.data[system->joints.data[i]]))
        {
            return rbl_fail_memory();
        }
    }
    find_loops(step);
    return rbl_blocks_order(&system->blocks, SIZE_MAX) ? RBL_OK : rbl_fail_memory();
}

// ---- geometric stiffness ----

// A symmetric 3 x 3 matrix is stored as xx, yy, zz, xy, xz, yz.
static void apply_symmetric(const double m[6], const double v[3], double out[3])
{
    out[0] = m[0] * v[0] + m[3] * v[1] + m[4] * v[2];
    out[1] = m[3] * v[0] + m[1] * v[1] + m[5] * v[2];
    out[2] = m[4] * v[0] + m[5] * v[1] + m[2] * v[2];
}

// m += scale (trace 1 - (r f^T + f r^T) / 2).
static void add_rotation_stiffness(double m[6], double scale, double trace, rblVec3d r, rblVec3d f)
{
    m[0] += scale * (trace - r.x * f.x);
    m[1] += scale * (trace - r.y * f.y);
    m[2] += scale * (trace - r.z * f.z);
    m[3] -= scale * 0.5 * (r.x * f.y + r.y * f.x);
    m[4] -= scale * 0.5 * (r.x * f.z + r.z * f.x);
    m[5] -= scale * 0.5 * (r.y * f.z + r.z * f.y);
}

// Add the stiffness of an impulse that pulls outward on its lever arm. (f.r + |f||r|) / 2 in place of f.r keeps the matrix
// positive semidefinite.
static void add_stiffness(rblJointSystem* system, uint32_t node, const rblJoint* joint, rblVec3 arm,
                          rblVec3d f)
{
    const rblVec3d r = rbl_to_double3(arm);
    const double projection = rbl_dot3d(r, f);
    if (node != RBL_NONE && projection > 0.0)
    {
        const double trace = 0.5 * (projection + rbl_length3d(r) * rbl_length3d(f));
        add_rotation_stiffness(&system->stiffness.data[12 * (size_t)node + 6], 0.25 * (double)joint->seconds,
                               trace, r, f);
    }
}

// Add the stiffness of a distance joint to an immovable body: its direction rotates with the point.
static void add_distance_stiffness(rblJointSystem* system, uint32_t node, const rblJoint* joint)
{
    const double length = (double)rbl_length3(joint->separation);
    const double tension = -rbl_joint_row_impulse(joint, &joint->rows[0]);
    if (tension > 0.0 && length > 0.0)
    {
        const rblVec3d axis = rbl_to_double3(joint->rows[0].axis);
        const double scale = 0.25 * (double)joint->seconds * tension / length;
        add_rotation_stiffness(&system->stiffness.data[12 * (size_t)node], scale, 1.0, axis, axis);
    }
}

static void find_stiffness(rblStep* step, bool balanced)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < 12 * system->bodies.count; ++i)
    {
        system->stiffness.data[i] = 0.0;
    }
    for (size_t i = 0; i < system->joints.count && balanced; ++i)
    {
        const rblJoint* joint = &world->joints.data[system->joints.data[i]];
        const uint32_t a = system->nodes.data[joint->solver_a];
        const uint32_t b = system->nodes.data[joint->solver_b];
        add_stiffness(system, a, joint, joint->arm_a, rbl_neg3d(joint->linear_impulse));
        add_stiffness(system, b, joint, joint->arm_b, joint->linear_impulse);
        if (joint->row_count == 1 && (a == RBL_NONE || b == RBL_NONE))
        {
            add_distance_stiffness(system, a != RBL_NONE ? a : b, joint);
        }
    }
}

static void velocity_of(const rblSolverBody* body, double out[6])
{
    out[0] = (double)body->velocity.x;
    out[1] = (double)body->velocity.y;
    out[2] = (double)body->velocity.z;
    out[3] = (double)body->spin.x;
    out[4] = (double)body->spin.y;
    out[5] = (double)body->spin.z;
}

// sum += sign times the momentum that a joint's impulses give to a body on this arm.
static void add_momentum(double* sum, rblVec3 arm, const rblJoint* joint, double sign)
{
    const rblVec3d linear_impulse = joint->linear_impulse;
    const rblVec3d turn = rbl_add3d(rbl_cross3d(rbl_to_double3(arm), linear_impulse), joint->angular_impulse);
    sum[0] += sign * linear_impulse.x;
    sum[1] += sign * linear_impulse.y;
    sum[2] += sign * linear_impulse.z;
    sum[3] += sign * turn.x;
    sum[4] += sign * turn.y;
    sum[5] += sign * turn.z;
}

// Add G^T lambda, six numbers per body node.
static void add_impulses(const rblStep* step, double* out)
{
    const rblWorld* world = step->world;
    const rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[system->joints.data[i]];
        const uint32_t a = system->nodes.data[joint->solver_a];
        const uint32_t b = system->nodes.data[joint->solver_b];
        if (a != RBL_NONE)
        {
            add_momentum(&out[6 * (size_t)a], joint->arm_a, joint, -1.0);
        }
        if (b != RBL_NONE)
        {
            add_momentum(&out[6 * (size_t)b], joint->arm_b, joint, 1.0);
        }
    }
}

void rbl_joints_refer(rblStep* step)
{
    rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->bodies.count; ++i)
    {
        velocity_of(&step->solver_bodies.data[system->bodies.data[i]], &system->reference.data[6 * i]);
    }
    system->stale = true;
}

void rbl_joints_begin_balance(rblStep* step)
{
    rblJointSystem* system = &step->joint_system;
    for (size_t i = 0; i < system->joint_momentum.count; ++i)
    {
        system->joint_momentum.data[i] = 0.0;
    }
}

// ---- matrix ----

// Inertia in world axes as xx, yy, zz, xy, xz, yz, kg m^2, and mass, kg.
static void body_mass(const rblStep* step, uint32_t node, double out[7])
{
    const rblWorld* world = step->world;
    const rblSolverBody* body = &step->solver_bodies.data[step->joint_system.bodies.data[node]];
    const rblMotion* motion = &world->motions.data[body->slot];
    const rblMat3d r = rbl_quatd_to_mat3d(rbl_quatd_normalize(rbl_to_double_quat(motion->orientation)));
    const rblVec3d m = rbl_to_double3(motion->moments);
    out[0] = m.x * r.cx.x * r.cx.x + m.y * r.cy.x * r.cy.x + m.z * r.cz.x * r.cz.x;
    out[1] = m.x * r.cx.y * r.cx.y + m.y * r.cy.y * r.cy.y + m.z * r.cz.y * r.cz.y;
    out[2] = m.x * r.cx.z * r.cx.z + m.y * r.cy.z * r.cy.z + m.z * r.cz.z * r.cz.z;
    out[3] = m.x * r.cx.x * r.cx.y + m.y * r.cy.x * r.cy.y + m.z * r.cz.x * r.cz.y;
    out[4] = m.x * r.cx.x * r.cx.z + m.y * r.cy.x * r.cy.z + m.z * r.cz.x * r.cz.z;
    out[5] = m.x * r.cx.y * r.cx.z + m.y * r.cy.y * r.cy.z + m.z * r.cz.y * r.cz.z;
    out[6] = 1.0 / (double)body->inverse_mass;
}

static void write_symmetric(double* block, uint32_t at, const double m[6])
{
    block[RBL_BLOCK * at + at] += m[0];
    block[RBL_BLOCK * (at + 1) + at + 1] += m[1];
    block[RBL_BLOCK * (at + 2) + at + 2] += m[2];
    block[RBL_BLOCK * (at + 1) + at] += m[3];
    block[RBL_BLOCK * (at + 2) + at] += m[4];
    block[RBL_BLOCK * (at + 2) + at + 1] += m[5];
}

static void write_body(rblStep* step, uint32_t node)
{
    double* block = rbl_blocks_of_node(&step->joint_system.blocks, node);
    double* inertia = &step->joint_system.masses.data[7 * (size_t)node];
    const double* stiffness = &step->joint_system.stiffness.data[12 * (size_t)node];
    body_mass(step, node, inertia);
    const double masses[6] = {inertia[6], inertia[6], inertia[6], 0.0, 0.0, 0.0};
    write_symmetric(block, 0, masses);
    write_symmetric(block, 0, stiffness);
    write_symmetric(block, 3, inertia);
    write_symmetric(block, 3, stiffness + 6);
}

static void write_jacobian(double* block, const rblJoint* joint, rblVec3 arm, double sign)
{
    for (uint32_t r = 0; r < joint->row_count; ++r)
    {
        const rblJointRow* row = &joint->rows[r];
        double* to = &block[RBL_BLOCK * r];
        const rblVec3d axis = rbl_scale3d(rbl_to_double3(row->axis), sign);
        if (row->free)
        {
            continue;
        }
        const rblVec3d turn = row->is_angular ? axis : rbl_cross3d(rbl_to_double3(arm), axis);
        to[0] = row->is_angular ? 0.0 : axis.x;
        to[1] = row->is_angular ? 0.0 : axis.y;
        to[2] = row->is_angular ? 0.0 : axis.z;
        to[3] = turn.x;
        to[4] = turn.y;
        to[5] = turn.z;
    }
}

// Inactive rows get a pivot of -1 and no coupling.
static void write_joint(rblStep* step, const rblJoint* joint)
{
    rblBlockSystem* blocks = &step->joint_system.blocks;
    double* block = rbl_blocks_of_node(blocks, joint->node);
    const uint32_t rows = joint->slack ? 0 : joint->row_count;
    for (uint32_t r = 0; r < blocks->nodes.data[joint->node].size; ++r)
    {
        const double compliance =
            r < rows && !joint->rows[r].free ? joint->rows[r].softness + joint->rows[r].regularization : 1.0;
        block[RBL_BLOCK * r + r] = -compliance;
    }
    if (rows > 0 && joint->edge_a != RBL_NONE)
    {
        write_jacobian(rbl_blocks_of_edge(blocks, joint->edge_a), joint, joint->arm_a, -1.0);
    }
    if (rows > 0 && joint->edge_b != RBL_NONE)
    {
        write_jacobian(rbl_blocks_of_edge(blocks, joint->edge_b), joint, joint->arm_b, 1.0);
    }
}

void rbl_joints_factor(rblStep* step, bool balanced)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    system->balanced = balanced;
    system->stale = false;
    find_stiffness(step, balanced);
    rbl_blocks_zero(&system->blocks);
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        write_body(step, i);
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        write_joint(step, &world->joints.data[system->joints.data[i]]);
    }
    rbl_blocks_factor(&system->blocks);
}

// ---- one solve ----

static double write_residuals(rblStep* step, const rblJoint* joint)
{
    double* vector = &step->joint_system.blocks.vector.data[RBL_BLOCK * (size_t)joint->node];
    const double reach = (double)rbl_maxf(rbl_length3(joint->arm_a), rbl_length3(joint->arm_b));
    const rblJointVelocity velocity = rbl_joint_velocity(step, joint);
    double largest = 0.0;
    for (uint32_t r = 0; r < RBL_BLOCK; ++r)
    {
        vector[r] = 0.0;
        if (r < joint->row_count && !joint->slack && !joint->rows[r].free)
        {
            const rblJointRow* row = &joint->rows[r];
            vector[r] = row->target - rbl_joint_along_row(&velocity, row) -
                        row->softness * rbl_joint_row_impulse(joint, row);
            largest = rbl_maxd(largest, fabs(vector[r]) * (row->is_angular ? reach : 1.0));
        }
    }
    return largest;
}

static void add_row_impulses(rblStep* step, rblJoint* joint)
{
    const double* vector = &step->joint_system.blocks.vector.data[RBL_BLOCK * (size_t)joint->node];
    for (uint32_t r = 0; r < joint->row_count && !joint->slack; ++r)
    {
        const rblJointRow* row = &joint->rows[r];
        rblVec3d* sum = row->is_angular ? &joint->angular_impulse : &joint->linear_impulse;
        *sum = rbl_mul_add3d(*sum, -vector[r], rbl_to_double3(row->axis));
    }
}

// Subtract from the momentum of the impulses the part that the velocity has already, and the part that the stiffness explains.
// The rest is the residual of momentum of the body.
static void write_momentum_residual(const rblStep* step, uint32_t node, double* vector)
{
    const rblJointSystem* system = &step->joint_system;
    const double* stiffness = &system->stiffness.data[12 * (size_t)node];
    const double* reference = &system->reference.data[6 * (size_t)node];
    const double* joint_momentum = &system->joint_momentum.data[6 * (size_t)node];
    double change[6];
    double stiffness_momentum[6];
    velocity_of(&step->solver_bodies.data[system->bodies.data[node]], change);
    for (int k = 0; k < 6; ++k)
    {
        change[k] -= reference[k];
    }
    apply_symmetric(stiffness, change, stiffness_momentum);
    apply_symmetric(stiffness + 6, change + 3, stiffness_momentum + 3);
    for (int k = 0; k < 6; ++k)
    {
        vector[k] -= joint_momentum[k] + stiffness_momentum[k];
    }
}

static void change_velocity(rblStep* step, uint32_t node)
{
    rblJointSystem* system = &step->joint_system;
    rblSolverBody* body = &step->solver_bodies.data[system->bodies.data[node]];
    const double* d = &system->blocks.vector.data[RBL_BLOCK * (size_t)node];
    double* joint_momentum = &system->joint_momentum.data[6 * (size_t)node];
    const double* inertia = &system->masses.data[7 * (size_t)node];
    double angular_momentum[3];
    apply_symmetric(inertia, d + 3, angular_momentum);
    for (int k = 0; k < 3; ++k)
    {
        joint_momentum[k] += inertia[6] * d[k];
        joint_momentum[3 + k] += angular_momentum[k];
    }
    body->velocity = rbl_to_float3(rbl_add3d(rbl_to_double3(body->velocity), rbl_vec3d(d[0], d[1], d[2])));
    body->spin = rbl_to_float3(rbl_add3d(rbl_to_double3(body->spin), rbl_vec3d(d[3], d[4], d[5])));
}

float rbl_joints_solve(rblStep* step)
{
    rblWorld* world = step->world;
    rblJointSystem* system = &step->joint_system;
    double* vector = system->blocks.vector.data;
    double largest = 0.0;
    for (size_t i = 0; i < RBL_BLOCK * system->bodies.count; ++i)
    {
        vector[i] = 0.0;
    }
    if (system->balanced)
    {
        add_impulses(step, vector);
        for (uint32_t i = 0; i < system->bodies.count; ++i)
        {
            write_momentum_residual(step, i, &vector[RBL_BLOCK * (size_t)i]);
        }
    }
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        largest = rbl_maxd(largest, write_residuals(step, &world->joints.data[system->joints.data[i]]));
    }
    rbl_blocks_solve(&system->blocks);
    for (size_t i = 0; i < system->joints.count; ++i)
    {
        add_row_impulses(step, &world->joints.data[system->joints.data[i]]);
    }
    for (uint32_t i = 0; i < system->bodies.count; ++i)
    {
        change_velocity(step, i);
    }
    return (float)largest;
}
