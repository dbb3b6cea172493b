// Creation and state of joints, and the pairs of bodies that joints exempt from collision.
#include "dynamics/joint/joints.h"

#include "base/def.h"
#include "dynamics/stages.h"
#include <math.h>

// ---- tuning ----

#define ROUNDING 5e-7f // of the coordinates of a point: it is not known to better

RBL_DEF_KIND(joint_def, rblJointDef, "joint", rbl_default_joint_def, 0x4a4e4f54u);

void rbl_joint_def_init(rblJointDef* def, size_t size)
{
    const rblJointDef defaults = {
        .kind = RBL_JOINT_BALL,
        .axis = {0, 1, 0},
        .break_force = INFINITY,
        .stiffness = 100.0f,
        .damping = 10.0f,
        .max_force = INFINITY,
        .lower = -INFINITY,
        .upper = INFINITY,
        .swing = INFINITY,
    };
    rbl_def_init(&joint_def, &defaults, def, size);
}

static bool is_null(rblBodyId id)
{
    return id.index1 == 0;
}

// Kinds that move along one axis.
static bool has_motor(rblJointKind kind)
{
    return kind == RBL_JOINT_HINGE || kind == RBL_JOINT_SLIDER;
}

static bool has_limits(const rblJointDef* def)
{
    return def->lower > -INFINITY || def->upper < INFINITY || def->swing < INFINITY;
}

static rblResult check_limits(rblJointKind kind, float lower, float upper)
{
    if (!has_motor(kind) && kind != RBL_JOINT_BALL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "joint: only hinges, sliders and ball joints have limits");
    }
    if (!(lower <= upper) || lower == INFINITY || upper == -INFINITY)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "joint: the limits are %g and %g, the lower must not be above the upper",
                        (double)lower, (double)upper);
    }
    return RBL_OK;
}

static rblResult check_motor(rblJointKind kind, float speed, float force)
{
    if (!has_motor(kind))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "joint: only hinges and sliders have motors");
    }
    if (!rbl_finite((double)speed) || !(force >= 0.0f) || !rbl_finite((double)force))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "joint: the motor has speed %g and force %g, the speed must be finite, the force finite and "
            "not negative",
            (double)speed, (double)force);
    }
    return RBL_OK;
}

// Largest limit of swing, rad: the twist is not defined at half a turn.
#define MAX_SWING 1.5707964f

// Limits and motors that differ from the defaults.
static rblResult check_axes(const rblJointDef* def)
{
    if (!(def->lower == -INFINITY && def->upper == INFINITY))
    {
        RBL_TRY(check_limits(def->kind, def->lower, def->upper));
    }
    if (!(def->motor_speed == 0.0f && def->motor_force == 0.0f))
    {
        RBL_TRY(check_motor(def->kind, def->motor_speed, def->motor_force));
    }
    const bool swings = def->kind == RBL_JOINT_BALL && def->swing >= 0.0f && def->swing <= MAX_SWING;
    if (!(def->swing == INFINITY || swings))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "joint: the limit of swing is %g rad, must be 0 to %g, and of a ball joint",
                        (double)def->swing, (double)MAX_SWING);
    }
    return RBL_OK;
}

static rblResult check_numbers(const rblJointDef* def)
{
    if (!rbl_finite3(def->anchor_a) || !rbl_finite3(def->anchor_b) || !rbl_finite3(def->axis))
    {
        return rbl_fail(
            RBL_ERROR_ARGUMENT,
            "joint: anchor_a is (%g, %g, %g), anchor_b (%g, %g, %g), axis (%g, %g, %g); they must be finite",
            RBL_XYZ(def->anchor_a), RBL_XYZ(def->anchor_b), RBL_XYZ(def->axis));
    }
    const bool has_axis = has_motor(def->kind) || (def->kind == RBL_JOINT_BALL && has_limits(def));
    if (has_axis && !(rbl_length3(def->axis) > 0.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "joint: the axis of a hinge, a slider or limits must not be zero");
    }
    if (!(def->length >= 0.0f) || !rbl_finite((double)def->length) || !(def->break_force > 0.0f) ||
        !(def->stiffness >= 0.0f) || !rbl_finite((double)def->stiffness) || !(def->damping >= 0.0f) ||
        !rbl_finite((double)def->damping) || !(def->max_force > 0.0f))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "joint: length is %g, stiffness %g, damping %g, must not be negative; break_force is "
                        "%g, max_force %g, must be positive",
                        (double)def->length, (double)def->stiffness, (double)def->damping,
                        (double)def->break_force, (double)def->max_force);
    }
    return RBL_OK;
}

static rblResult check_def(rblWorld* world, const rblJointDef* def, uint32_t* a, uint32_t* b)
{
    if ((unsigned)def->kind >= RBL_JOINT_KIND_COUNT)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "joint: kind is %d, must be below %d", (int)def->kind,
                        RBL_JOINT_KIND_COUNT);
    }
    RBL_TRY(check_numbers(def));
    RBL_TRY(check_axes(def));
    RBL_TRY(rbl_body_find(world, def->a, a));
    *b = RBL_NONE;
    if (!is_null(def->b))
    {
        RBL_TRY(rbl_body_find(world, def->b, b));
    }
    const bool dynamic = world->bodies.data[*a].type == RBL_BODY_DYNAMIC ||
                         (*b != RBL_NONE && world->bodies.data[*b].type == RBL_BODY_DYNAMIC);
    if (!dynamic || *a == *b)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "joint: bodies a and b must be different, and at least one of them dynamic");
    }
    return RBL_OK;
}

// ---- creation ----

static rblTransform frame_of(const rblWorld* world, uint32_t slot)
{
    return slot == RBL_NONE ? rbl_transform_identity() : rbl_motion_pose(&world->motions.data[slot]);
}

// Transform a point from the shape axes of a body to the frame of the body.
static rblVec3 into_frame(const rblWorld* world, uint32_t slot, rblVec3 point)
{
    return slot == RBL_NONE ? point : rbl_transform_point(world->bodies.data[slot].shape_in_body, point);
}

static rblJoint make_joint(const rblWorld* world, const rblJointDef* def, uint32_t a, uint32_t b)
{
    const rblVec3 axis = rbl_rotate3(world->bodies.data[a].shape_in_body.q, def->axis);
    const float axis_length = rbl_length3(axis);
    rblJoint joint = {
        .kind = def->kind,
        .a = a,
        .b = b,
        .anchor_a = into_frame(world, a, def->anchor_a),
        .anchor_b = into_frame(world, b, def->anchor_b),
        .axis_a = axis_length > 0.0f ? rbl_scale3(axis, 1.0f / axis_length) : rbl_vec3(0, 1, 0),
        .b_in_a = rbl_quat_mul(rbl_quat_conjugate(frame_of(world, a).q), frame_of(world, b).q),
        .length = def->length,
        .break_force = def->break_force,
        .stiffness = def->stiffness,
        .damping = def->damping,
        .max_force = def->max_force,
        .motor_speed = def->motor_speed,
        .motor_force = def->motor_force,
        .axes = {{.lower = def->lower, .upper = def->upper}, {.lower = -INFINITY, .upper = def->swing}},
        .collide = def->collide,
        .user_data = def->user_data,
    };
    joint.axis_b = rbl_inverse_rotate3(joint.b_in_a, joint.axis_a);
    if (def->length == 0.0f)
    {
        const rblVec3 from = rbl_transform_point(frame_of(world, a), joint.anchor_a);
        const rblVec3 to = rbl_transform_point(frame_of(world, b), joint.anchor_b);
        joint.length = rbl_length3(rbl_sub3(to, from));
        // Points that coincide but for rounding have no direction to keep a length along: they are held together.
        const float size = rbl_length3(from) + rbl_length3(to) + rbl_length3(joint.anchor_a);
        joint.length = joint.length > ROUNDING * size ? joint.length : 0.0f;
    }
    return joint;
}

// Update the joint counts of the two bodies, wake them, and let the broad phase test their pair again.
static void update_bodies(rblWorld* world, const rblJoint* joint, int change)
{
    const uint32_t slots[2] = {joint->a, joint->b};
    for (int k = 0; k < 2; ++k)
    {
        if (slots[k] != RBL_NONE)
        {
            world->bodies.data[slots[k]].joint_count += (uint32_t)change;
            rbl_slot_wake(world, slots[k]);
            rbl_broad_phase_touch(world->broad, slots[k]);
        }
    }
}

rblResult rbl_joint_create(rblWorldId world_id, const rblJointDef* given, rblJointId* out)
{
    rblWorld* world = NULL;
    rblJointDef def = rbl_default_joint_def();
    uint32_t a = 0;
    uint32_t b = 0;
    RBL_TRY(rbl_world_find(world_id, &world));
    RBL_TRY(rbl_def_read(&joint_def, given, &def));
    RBL_TRY(check_def(world, &def, &a, &b));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "joint: out must not be null");
    }
    rblJoint joint = make_joint(world, &def, a, b);
    uint32_t slot = 0;
    if (!rbl_array_reserve_more(&world->joints, 1) ||
        !rbl_id_pool_take(&world->joint_ids, &slot, &joint.generation))
    {
        return rbl_fail_memory();
    }
    world->joints.count += slot == world->joints.count;
    world->joints.data[slot] = joint;
    update_bodies(world, &joint, 1);
    *out = (rblJointId){slot + 1, joint.generation, world->serial};
    RBL_NOTE_CALL(world, .code = RBL_CALL_JOINT_CREATE, .joint = *out, .joint_def = def);
    return RBL_OK;
}

static rblResult find_joint(rblWorldId world_id, rblJointId id, rblWorld** world, rblJoint** joint)
{
    RBL_TRY(rbl_world_find(world_id, world));
    RBL_TRY(
        rbl_id_check("joint", &(*world)->joint_ids, (*world)->serial, id.index1, id.generation, id.world));
    *joint = &(*world)->joints.data[id.index1 - 1];
    return RBL_OK;
}

void rbl_joint_remove(rblWorld* world, uint32_t slot)
{
    rblJoint* joint = &world->joints.data[slot];
    update_bodies(world, joint, -1);
    *joint = (rblJoint){0};
    rbl_id_pool_give(&world->joint_ids, slot);
}

rblResult rbl_joint_destroy(rblWorldId world_id, rblJointId id)
{
    rblWorld* world = NULL;
    rblJoint* joint = NULL;
    RBL_TRY(find_joint(world_id, id, &world, &joint));
    rbl_joint_remove(world, id.index1 - 1);
    RBL_NOTE_CALL(world, .code = RBL_CALL_JOINT_DESTROY, .joint = id);
    return RBL_OK;
}

void rbl_body_remove_joints(rblWorld* world, uint32_t slot)
{
    for (uint32_t i = 0; i < world->joints.count && world->bodies.data[slot].joint_count > 0; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        if (joint->generation != 0 && (joint->a == slot || joint->b == slot))
        {
            rbl_joint_remove(world, i);
        }
    }
}

bool rbl_joint_is_valid(rblWorldId world_id, rblJointId id)
{
    rblWorld* world = NULL;
    return rbl_world_find(world_id, &world) == RBL_OK && id.world == world->serial &&
           rbl_id_pool_valid(&world->joint_ids, id.index1, id.generation);
}

static void wake_bodies(rblWorld* world, const rblJoint* joint)
{
    rbl_slot_wake(world, joint->a);
    if (joint->b != RBL_NONE)
    {
        rbl_slot_wake(world, joint->b);
    }
}

rblResult rbl_joint_set_target(rblWorldId world_id, rblJointId id, rblVec3 anchor_b)
{
    rblWorld* world = NULL;
    rblJoint* joint = NULL;
    RBL_TRY(find_joint(world_id, id, &world, &joint));
    if (!rbl_finite3(anchor_b))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "joint: the target is (%g, %g, %g), must be finite",
                        RBL_XYZ(anchor_b));
    }
    joint->anchor_b = into_frame(world, joint->b, anchor_b);
    wake_bodies(world, joint);
    RBL_NOTE_CALL(world, .code = RBL_CALL_JOINT_SET_TARGET, .joint = id, .first = anchor_b);
    return RBL_OK;
}

rblResult rbl_joint_set_limits(rblWorldId world_id, rblJointId id, float lower, float upper)
{
    rblWorld* world = NULL;
    rblJoint* joint = NULL;
    RBL_TRY(find_joint(world_id, id, &world, &joint));
    RBL_TRY(check_limits(joint->kind, lower, upper));
    joint->axes[0].lower = lower;
    joint->axes[0].upper = upper;
    wake_bodies(world, joint);
    RBL_NOTE_CALL(world, .code = RBL_CALL_JOINT_SET_LIMITS, .joint = id, .first = {lower, upper, 0.0f});
    return RBL_OK;
}

rblResult rbl_joint_set_motor(rblWorldId world_id, rblJointId id, float speed, float force)
{
    rblWorld* world = NULL;
    rblJoint* joint = NULL;
    RBL_TRY(find_joint(world_id, id, &world, &joint));
    RBL_TRY(check_motor(joint->kind, speed, force));
    joint->motor_speed = speed;
    joint->motor_force = force;
    wake_bodies(world, joint);
    RBL_NOTE_CALL(world, .code = RBL_CALL_JOINT_SET_MOTOR, .joint = id, .first = {speed, force, 0.0f});
    return RBL_OK;
}

static rblBodyId body_id(const rblWorld* world, uint32_t slot)
{
    return slot == RBL_NONE ? (rblBodyId){0} : rbl_body_id(world, slot);
}

static float position_error(const rblJoint* joint, rblQuat a, rblVec3 separation)
{
    const rblVec3 axis = rbl_rotate3(a, joint->axis_a);
    const float distance = rbl_length3(separation);
    switch (joint->kind)
    {
    case RBL_JOINT_DISTANCE:
        return fabsf(distance - joint->length);
    case RBL_JOINT_ROPE:
        return rbl_maxf(distance - joint->length, 0.0f);
    case RBL_JOINT_SLIDER:
        return rbl_length3(rbl_mul_add3(separation, -rbl_dot3(axis, separation), axis));
    default:
        return distance;
    }
}

static rblVec3 relative_spin(const rblWorld* world, const rblJoint* joint)
{
    const rblVec3 spin_b = joint->b == RBL_NONE ? rbl_vec3(0, 0, 0) : world->motions.data[joint->b].spin;
    return rbl_sub3(spin_b, world->motions.data[joint->a].spin);
}

// Velocity of the point of b against the matter of a at the same place.
static rblVec3 relative_velocity(const rblWorld* world, const rblJoint* joint, rblVec3 to)
{
    const rblMotion* a = &world->motions.data[joint->a];
    const rblVec3 velocity_a = rbl_add3(a->velocity, rbl_cross3(a->spin, rbl_sub3(to, a->center)));
    if (joint->b == RBL_NONE)
    {
        return rbl_neg3(velocity_a);
    }
    const rblMotion* b = &world->motions.data[joint->b];
    return rbl_sub3(rbl_add3(b->velocity, rbl_cross3(b->spin, rbl_sub3(to, b->center))), velocity_a);
}

rblResult rbl_joint_state(rblWorldId world_id, rblJointId id, rblJointState* out)
{
    rblWorld* world = NULL;
    rblJoint* joint = NULL;
    RBL_TRY(find_joint(world_id, id, &world, &joint));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "joint: out must not be null");
    }
    const rblTransform frame_a = frame_of(world, joint->a);
    const rblTransform frame_b = frame_of(world, joint->b);
    const rblVec3 from = rbl_transform_point(frame_a, joint->anchor_a);
    const rblVec3 to = rbl_transform_point(frame_b, joint->anchor_b);
    const float rate = world->step->seconds > 0.0f ? 1.0f / world->step->seconds : 0.0f;
    *out = (rblJointState){
        .kind = joint->kind,
        .a = body_id(world, joint->a),
        .b = body_id(world, joint->b),
        .point_a = from,
        .point_b = to,
        .force = rbl_scale3(rbl_add3(rbl_to_float3(joint->linear_impulse), joint->impact_impulse), rate),
        .torque = rbl_scale3(rbl_to_float3(joint->angular_impulse), rate),
        .error = position_error(joint, frame_a.q, rbl_sub3(to, from)),
        .user_data = joint->user_data,
        .lower = joint->axes[0].lower,
        .upper = joint->axes[0].upper,
        .motor_speed = joint->motor_speed,
        .motor_force = joint->motor_force,
    };
    if (has_motor(joint->kind) || (joint->kind == RBL_JOINT_BALL && rbl_joint_has_axis(joint, 0)))
    {
        const bool slides = joint->kind == RBL_JOINT_SLIDER;
        const rblVec3 axis = rbl_rotate3(frame_a.q, joint->axis_a);
        const bool acts = rbl_joint_has_axis(joint, 0);
        out->travel = (float)rbl_joint_travel(joint, 0, frame_a.q, frame_b.q, rbl_sub3(to, from));
        out->speed =
            rbl_dot3(axis, slides ? relative_velocity(world, joint, to) : relative_spin(world, joint));
        out->drive = acts ? rbl_dot3(axis, slides ? out->force : out->torque) : 0.0f;
    }
    return RBL_OK;
}

rblResult rbl_world_joint_events(rblWorldId world_id, const rblJointEvent** events, uint32_t* count)
{
    rblWorld* world = NULL;
    RBL_TRY(rbl_world_find(world_id, &world));
    if (events == NULL || count == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "joint: events and count must not be null");
    }
    *events = world->joint_events.data;
    *count = (uint32_t)world->joint_events.count;
    return RBL_OK;
}

bool rbl_joints_forbid_pair(const rblWorld* world, uint32_t a, uint32_t b)
{
    if (world->bodies.data[a].joint_count == 0 || world->bodies.data[b].joint_count == 0)
    {
        return false;
    }
    for (size_t i = 0; i < world->joints.count; ++i)
    {
        const rblJoint* joint = &world->joints.data[i];
        const bool is_pair = (joint->a == a && joint->b == b) || (joint->a == b && joint->b == a);
        if (joint->generation != 0 && is_pair && !joint->collide)
        {
            return true;
        }
    }
    return false;
}
