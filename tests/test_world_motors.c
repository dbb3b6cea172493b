// Sliders, limits and motors of joints against closed forms.
#include "joint_testing.h"
#include <string.h>

#define GRAVITY 9.81
#define PI      3.14159265358979323846

static rblJointDef axis_def(rblJointKind kind, rblBodyId a, rblVec3 axis)
{
    rblJointDef def = rbl_default_joint_def();
    def.kind = kind;
    def.a = a;
    def.axis = axis;
    return def;
}

// A joint from the world to a body: b moves, a is a static body at the origin.
static rblJointId fasten(rblWorldId world, rblJointDef def, rblBodyId moving, rblVec3 anchor)
{
    def.a = put(world, make_sphere(0.05f), RBL_BODY_STATIC, zero);
    def.b = moving;
    def.anchor_b = anchor;
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    return joint;
}

static void a_slider_accelerates_down_its_slope(void** state)
{
    (void)state;
    for (int degrees = 10; degrees <= 90; degrees += 40)
    {
        const rblWorldId world = make_world(false);
        const double angle = degrees * PI / 180.0;
        const rblVec3 axis = vec((float)cos(angle), (float)-sin(angle), 0);
        const rblBodyId box = put(world, make_box(0.3f, 0.2f, 0.1f), RBL_BODY_DYNAMIC, vec(0, 0.4f, 0));
        const rblJointId joint =
            fasten(world, axis_def(RBL_JOINT_SLIDER, the_world, axis), box, vec(0, -0.4f, 0));
        Watch w = watch(world);
        for (int i = 1; i <= 60; ++i)
        {
            watched_step(&w, STEP);
            const double t = i * (double)STEP;
            const rblJointState now = joint_of(world, joint);
            check_close(now.travel, 0.5 * GRAVITY * sin(angle) * t * t, 2e-4 * (1.0 + t * t));
            check_close(now.speed, GRAVITY * sin(angle) * t, 1e-3 * (1.0 + t));
            check_close(now.error, 0.0, 1e-4);
            check_close(angle_between(state_of(world, box).pose.q, rbl_quat_identity()), 0.0, 0.02);
        }
        check_energy_rule(&w);
        check_close(w.first - w.energy, 0.0, 1e-4 * w.kinetic_max);
        check_ok(rbl_world_destroy(world));
    }
}

// A slider between two bodies in space: momentum stays, and the rod between them turns with both.
static void a_slider_in_space_keeps_momentum(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_set_gravity(world, zero));
    const rblBodyId a = put(world, make_box(0.3f, 0.2f, 0.1f), RBL_BODY_DYNAMIC, zero);
    const rblBodyId b = put(world, make_box(0.2f, 0.4f, 0.3f), RBL_BODY_DYNAMIC, vec(0.6f, 0, 0));
    rblJointDef def = axis_def(RBL_JOINT_SLIDER, a, vec(1, 0, 0));
    def.b = b;
    def.anchor_b = vec(-0.6f, 0, 0);
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    check_ok(rbl_body_set_velocity(world, b, vec(0.2f, 0.9f, 0.3f), vec(0.3f, 0.5f, 1.0f)));
    rblEnergy first;
    step_times(world, 1);
    check_ok(rbl_world_energy(world, &first));
    Watch w = watch(world);
    for (int i = 0; i < 150; ++i)
    {
        watched_step(&w, STEP);
        const rblJointState now = joint_of(world, joint);
        check_close(now.error, 0.0, 1e-4);
        check_close(angle_between(state_of(world, a).pose.q, state_of(world, b).pose.q), 0.0, 0.02);
    }
    rblEnergy last;
    check_ok(rbl_world_energy(world, &last));
    for (int k = 0; k < 3; ++k)
    {
        check_close(last.momentum[k], first.momentum[k], 1e-4 * fabs(first.momentum[1]));
        check_close(last.angular_momentum[k], first.angular_momentum[k], 0.01 * fabs(first.momentum[1]));
    }
    check_energy_rule(&w);
    check_close(w.first - w.energy, 0.0, 1e-3 * w.kinetic_max);
    check_ok(rbl_world_destroy(world));
}

// A weight falls down a slider onto its limit: it stops there, without a bounce, and the limit carries its weight.
static void a_limit_stops_a_fall(void** state)
{
    (void)state;
    for (int upward = 0; upward < 2; ++upward)
    {
        const rblWorldId world = make_world(false);
        const rblBodyId box = put(world, make_box(0.3f, 0.2f, 0.1f), RBL_BODY_DYNAMIC, zero);
        rblJointDef def = axis_def(RBL_JOINT_SLIDER, the_world, vec(0, upward == 1 ? 1.0f : -1.0f, 0));
        def.lower = upward == 1 ? -1.0f : -INFINITY;
        def.upper = upward == 1 ? INFINITY : 1.0f;
        const rblJointId joint = fasten(world, def, box, zero);
        const double weight = GRAVITY * (double)state_of(world, box).mass;
        Watch w = watch(world);
        double lowest = 0.0;
        for (int i = 0; i < 90; ++i)
        {
            watched_step(&w, STEP);
            lowest = fmin(lowest, (double)state_of(world, box).center.y);
            if (i >= 14) // after 0.45 s
            {
                check_close(state_of(world, box).center.y, -1.0, 1e-4);
                check_close(state_of(world, box).velocity.y, 0.0, 1e-3);
            }
        }
        check_close(lowest, -1.0, 1e-4);
        check_close(state_of(world, box).center.y, -1.0, 1e-4);
        check_close(state_of(world, box).velocity.y, 0.0, 1e-4);
        check_relative(fabs((double)joint_of(world, joint).drive), weight, 1e-3);
        check_energy_rule(&w);
        check_close(w.first - w.energy, weight, 1e-3 * weight); // all of the fall is lost
        check_ok(rbl_world_destroy(world));
    }
}

// A door swings to its limit and stops: the impulse at its edge is that of the closed form.
static void a_door_stops_at_its_limit(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_set_gravity(world, zero));
    const rblBodyId door = put(world, make_box(1, 2, 0.1f), RBL_BODY_DYNAMIC, vec(0.5f, 0, 0));
    rblJointDef def = axis_def(RBL_JOINT_HINGE, the_world, vec(0, 1, 0));
    def.lower = -0.5f;
    def.upper = 1.2f;
    const rblJointId joint = fasten(world, def, door, vec(-0.5f, 0, 0));
    check_ok(rbl_body_set_velocity(world, door, vec(0, 0, -1), vec(0, 2, 0)));
    Watch w = watch(world);
    for (int i = 0; i < 60; ++i)
    {
        watched_step(&w, STEP);
        assert_true(joint_of(world, joint).travel < 1.2f + 1e-4f);
    }
    check_close(joint_of(world, joint).speed, 0.0, 1e-4);
    check_close(joint_of(world, joint).travel, 1.2, 1e-3);
    check_energy_rule(&w);
    // Pushed the other way it leaves at once, and stops at the other limit.
    check_ok(rbl_body_set_velocity(world, door,
                                   rbl_scale3(rbl_cross3(vec(0, -2, 0), state_of(world, door).center), 1.0f),
                                   vec(0, -2, 0)));
    step_times(world, 15);
    check_close(joint_of(world, joint).speed, -2.0, 1e-3);
    step_times(world, 45);
    check_close(joint_of(world, joint).speed, 0.0, 1e-4);
    check_close(joint_of(world, joint).travel, -0.5, 1e-3);
    check_ok(rbl_world_destroy(world));
}

static double wheel_inertia(rblWorldId world, rblBodyId wheel, double radius)
{
    return 0.4 * (double)state_of(world, wheel).mass * radius * radius;
}

// w = torque t / I until the target, which is then held; the work of the motor is all energy that there is.
static void a_motor_spins_up_and_holds(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId wheel = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, zero);
    const double inertia = wheel_inertia(world, wheel, 0.2);
    rblJointDef def = axis_def(RBL_JOINT_HINGE, the_world, vec(0, 0, 1));
    def.motor_speed = 8.0f;
    def.motor_force = (float)(inertia * 8.0 / 1.5);
    const rblJointId joint = fasten(world, def, wheel, zero);
    Watch w = watch(world);
    double angle = 0.0;
    for (int i = 1; i <= 90; ++i)
    {
        watched_step(&w, STEP);
        const double t = i * (double)STEP;
        const double before = fmin(t - (double)STEP, 1.5);
        const double speed = fmin(8.0 * t / 1.5, 8.0);
        angle += 0.5 * (double)STEP * (fmin(8.0 * before / 1.5, 8.0) + speed);
        check_close(state_of(world, wheel).spin.z, speed, 1e-3);
        check_close(joint_of(world, joint).travel, angle, 1e-3 * (1.0 + angle)); // three turns
        check_close(joint_of(world, joint).drive, t < 1.5 + 1e-6 ? (double)def.motor_force : 0.0,
                    fabs(t - 1.5) < (double)STEP ? (double)def.motor_force : 0.01 * (double)def.motor_force);
    }
    check_energy_rule(&w);
    rblEnergy energy;
    check_ok(rbl_world_energy(world, &energy));
    check_relative(energy.kinetic, 0.5 * inertia * 64.0, 1e-3);
    check_relative(w.work, energy.kinetic, 1e-3);
    // Braking takes the energy back.
    check_ok(rbl_joint_set_motor(world, joint, 0.0f, 1e6f));
    watched_step(&w, STEP);
    watched_step(&w, STEP);
    check_close(state_of(world, wheel).spin.z, 0.0, 1e-4);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

// A lift rises at its speed when the motor is strong enough; otherwise it accelerates down with what is left.
static void a_lift_rises_with_enough_force(void** state)
{
    (void)state;
    for (int strong = 0; strong < 2; ++strong)
    {
        const rblWorldId world = make_world(false);
        const rblBodyId box = put(world, make_box(0.3f, 0.2f, 0.1f), RBL_BODY_DYNAMIC, zero);
        const double mass = (double)state_of(world, box).mass;
        rblJointDef def = axis_def(RBL_JOINT_SLIDER, the_world, vec(0, 1, 0));
        def.motor_speed = 0.5f;
        def.motor_force = (float)(mass * GRAVITY * (strong == 1 ? 1.5 : 0.75));
        def.upper = 1.0f;
        const rblJointId joint = fasten(world, def, box, zero);
        Watch w = watch(world);
        for (int i = 0; i < 30; ++i)
        {
            watched_step(&w, STEP);
        }
        const double t = 30 * (double)STEP;
        const double reached = 0.5 / (0.5 * GRAVITY); // s, with an excess of half the weight
        check_close(joint_of(world, joint).travel,
                    strong == 1 ? 0.5 * (t - 0.5 * reached) : -0.125 * GRAVITY * t * t, 0.005);
        for (int i = 0; i < 60 && strong == 1; ++i)
        {
            watched_step(&w, STEP);
        }
        if (strong == 1) // at its upper limit, and held there by the motor
        {
            check_close(joint_of(world, joint).travel, 1.0, 1e-3);
            check_close(joint_of(world, joint).speed, 0.0, 1e-3);
            check_relative(joint_of(world, joint).drive, mass * GRAVITY, 1e-3);
        }
        check_energy_rule(&w);
        check_ok(rbl_world_destroy(world));
    }
}

// A pendulum on a ball joint stays within its cone, and its twist within its limits.
static void a_cone_and_a_twist_hold(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId rod = put(world, make_box(0.1f, 1, 0.1f), RBL_BODY_DYNAMIC, vec(0, -0.5f, 0));
    rblJointDef def = axis_def(RBL_JOINT_BALL, the_world, vec(0, 1, 0));
    def.swing = 0.4f;
    def.lower = -0.3f;
    def.upper = 0.6f;
    const rblJointId joint = fasten(world, def, rod, vec(0, 0.5f, 0));
    check_ok(rbl_body_set_velocity(world, rod, vec(2.0f, 0, 1.0f), vec(2.0f, 3.0f, 4.0f)));
    Watch w = watch(world);
    double widest = 0.0;
    double most = 0.0;
    for (int i = 0; i < 240; ++i)
    {
        watched_step(&w, STEP);
        const rblVec3 axis = rbl_rotate3(state_of(world, rod).pose.q, vec(0, 1, 0));
        widest = fmax(widest, acos(fmin((double)axis.y, 1.0)));
        most = fmax(most, (double)joint_of(world, joint).travel);
        assert_true(joint_of(world, joint).travel > -0.3f - 0.005f);
        check_close(joint_of(world, joint).error, 0.0, 1e-4);
    }
    assert_true(widest < 0.4 + 0.005 && widest > 0.3);
    assert_true(most < 0.6 + 0.005 && most > 0.4);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

// Limits and motors inside a chain: the arm of a crane is lifted by its motors and rests on its stops.
static void motors_in_a_chain_carry_it(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    rblBodyId last = put(world, make_sphere(0.05f), RBL_BODY_STATIC, zero);
    rblJointId joints[3];
    for (int i = 0; i < 3; ++i)
    {
        const rblBodyId link =
            put(world, make_box(0.9f, 0.1f, 0.1f), RBL_BODY_DYNAMIC, vec(0.5f + (float)i, 0, 0));
        rblJointDef def = axis_def(RBL_JOINT_HINGE, last, vec(0, 0, 1));
        def.anchor_a = i > 0 ? vec(0.5f, 0, 0) : zero;
        def.b = link;
        def.anchor_b = vec(-0.5f, 0, 0);
        def.lower = -0.2f;
        def.upper = 0.3f;
        def.motor_speed = i == 0 ? 0.5f : -0.5f;
        def.motor_force = 5000.0f;
        check_ok(rbl_joint_create(world, &def, &joints[i]));
        last = link;
    }
    Watch w = watch(world);
    for (int i = 0; i < 120; ++i)
    {
        watched_step(&w, STEP);
        for (int k = 0; k < 3; ++k)
        {
            check_close(joint_of(world, joints[k]).error, 0.0, 1e-4);
        }
    }
    check_close(joint_of(world, joints[0]).travel, 0.3, 1e-3);
    check_close(joint_of(world, joints[1]).travel, -0.2, 1e-3);
    check_close(joint_of(world, joints[2]).travel, -0.2, 1e-3);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

static void a_door_at_its_limit_falls_asleep(void** state)
{
    (void)state;
    rblWorldDef world_def = rbl_default_world_def();
    rblWorldId world;
    check_ok(rbl_world_create(&world_def, &world));
    const rblBodyId flap = put(world, make_box(1, 0.1f, 1), RBL_BODY_DYNAMIC, vec(0.5f, 0, 0));
    rblJointDef def = axis_def(RBL_JOINT_HINGE, the_world, vec(0, 0, 1));
    def.lower = -0.7f;
    const rblJointId joint = fasten(world, def, flap, vec(-0.5f, 0, 0));
    step_times(world, 120);
    check_close(joint_of(world, joint).travel, -0.7, 1e-3);
    assert_int_equal(counters_of(world).awake, 0);
    check_ok(rbl_joint_set_limits(world, joint, -1.0f, 0.0f));
    assert_int_equal(state_of(world, flap).awake, true);
    step_times(world, 30);
    check_close(joint_of(world, joint).travel, -1.0, 0.01);
    check_ok(rbl_world_destroy(world));
}

static void wrong_limits_and_motors_are_refused(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId box = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, zero);
    rblJointId joint;
    rblJointDef def = axis_def(RBL_JOINT_HINGE, box, vec(0, 0, 1));
    def.lower = 0.5f;
    def.upper = 0.25f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    assert_non_null(strstr(rbl_last_error(), "0.5 and 0.25"));
    def.lower = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def.lower = -INFINITY;
    def.motor_force = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def.motor_force = 1.0f;
    def.motor_speed = INFINITY;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def.motor_speed = 1.0f;
    def.swing = 0.5f; // a hinge has none
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def.swing = INFINITY;
    def.kind = RBL_JOINT_SLIDER;
    def.axis = zero;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def.axis = vec(0, 0, 1);
    def.kind = RBL_JOINT_FIXED;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def = axis_def(RBL_JOINT_BALL, box, vec(0, 0, 1));
    def.swing = 2.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def.swing = -0.1f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def.swing = INFINITY;
    check_ok(rbl_joint_create(world, &def, &joint));
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_set_motor(world, joint, 1.0f, 1.0f));
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_set_limits(world, joint, 1.0f, 0.0f));
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_set_limits(world, joint, NAN, 0.0f));
    check_ok(rbl_joint_destroy(world, joint));
    check_fails(RBL_ERROR_STALE, rbl_joint_set_limits(world, joint, 0.0f, 1.0f));
    check_fails(RBL_ERROR_STALE, rbl_joint_set_motor(world, joint, 0.0f, 1.0f));
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_slider_accelerates_down_its_slope),
        cmocka_unit_test(a_slider_in_space_keeps_momentum),
        cmocka_unit_test(a_limit_stops_a_fall),
        cmocka_unit_test(a_door_stops_at_its_limit),
        cmocka_unit_test(a_motor_spins_up_and_holds),
        cmocka_unit_test(a_lift_rises_with_enough_force),
        cmocka_unit_test(a_cone_and_a_twist_hold),
        cmocka_unit_test(motors_in_a_chain_carry_it),
        cmocka_unit_test(a_door_at_its_limit_falls_asleep),
        cmocka_unit_test(wrong_limits_and_motors_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
