// Joints against closed forms, and the energy rule.
#include "dynamics/joint/joints.h"
#include "dynamics/step.h"
#include "joint_testing.h"
#include <string.h>

#define GRAVITY 9.81
#define PI      3.14159265358979323846

// Period from the times at which x passes 0, by linear interpolation.
static double measure_period(rblWorldId world, rblBodyId body, int steps, Watch* w)
{
    double first = -1.0;
    double last = 0.0;
    int crossings = 0;
    float x = state_of(world, body).center.x;
    for (int i = 0; i < steps; ++i)
    {
        watched_step(w, STEP);
        const float next = state_of(world, body).center.x;
        if (x < 0.0f && next >= 0.0f)
        {
            last = (i + (double)(x / (x - next))) * (double)STEP;
            first = crossings == 0 ? last : first;
            ++crossings;
        }
        x = next;
    }
    assert_true(crossings > 2);
    return (last - first) / (crossings - 1);
}

static void a_pendulum_keeps_time_and_energy(void** state)
{
    (void)state;
    const rblJointKind kinds[4] = {RBL_JOINT_DISTANCE, RBL_JOINT_BALL, RBL_JOINT_HINGE, RBL_JOINT_ROPE};
    for (int k = 0; k < 4; ++k)
    {
        const rblWorldId world = make_world(false);
        const double angle = 0.1;
        const double length = 2.0;
        rblBodyDef def = rbl_default_body_def();
        def.shape = make_sphere(0.2f);
        def.pose.p = vec((float)(length * sin(angle)), (float)(-length * cos(angle)), 0);
        rblBodyId ball;
        check_ok(rbl_body_create(world, &def, &ball));
        check_ok(rbl_shape_destroy(def.shape));
        rblJointDef joint_def = rbl_default_joint_def();
        joint_def.kind = kinds[k];
        joint_def.a = ball;
        joint_def.axis = vec(0, 0, 1);
        const bool by_length = kinds[k] == RBL_JOINT_DISTANCE || kinds[k] == RBL_JOINT_ROPE;
        joint_def.anchor_a = by_length ? zero : rbl_neg3(def.pose.p);
        rblJointId joint;
        check_ok(rbl_joint_create(world, &joint_def, &joint));
        Watch w = watch(world);
        const double period = measure_period(world, ball, 600, &w);
        // Physical pendulum I = m (l^2 + 2/5 r^2) for the rigid ones; with the first term of the amplitude.
        const double radius = by_length ? 0.0 : 0.4 * 0.04;
        const double expected =
            2.0 * PI * sqrt((length * length + radius) / (GRAVITY * length)) * (1.0 + angle * angle / 16.0);
        check_relative(period, expected, 0.005);
        check_energy_rule(&w);
        const double lost = w.first - w.energy;
        const double scale = w.kinetic_max;
        check_close(lost, 0.0, 1e-3 * scale);
        check_close(joint_of(world, joint).error, 0.0, 1e-5);
        check_ok(rbl_world_destroy(world));
    }
}

static void a_long_fall_into_a_swing_keeps_the_length(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId ball = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(2, 0, 0));
    const rblJointId joint = join(world, RBL_JOINT_DISTANCE, ball, the_world, zero, zero);
    Watch w = watch(world);
    double lowest = 0.0;
    double longest = 0.0;
    double fastest = 0.0;
    for (int i = 0; i < 300; ++i)
    {
        watched_step(&w, STEP);
        const rblBodyState now = state_of(world, ball);
        lowest = fmin(lowest, (double)now.center.y);
        longest = fmax(longest, fabs((double)rbl_length3(now.center) - 2.0));
        fastest = fmax(fastest, (double)rbl_length3(now.velocity));
    }
    check_close(lowest, -2.0, 0.02);
    check_close(longest, 0.0, 1e-5);
    check_relative(fastest, sqrt(2.0 * GRAVITY * 2.0), 0.01);
    check_energy_rule(&w);
    check_close(joint_of(world, joint).error, 0.0, 1e-5);
    check_ok(rbl_world_destroy(world));
}

static void a_rope_is_slack_then_taut(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId ball = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0, -0.5f, 0));
    rblJointDef def = rbl_default_joint_def();
    def.kind = RBL_JOINT_ROPE;
    def.a = ball;
    def.length = 2.0f;
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    Watch w = watch(world);
    // Free fall of 1.5 m takes 0.553 s.
    for (int i = 0; i < 15; ++i)
    {
        watched_step(&w, STEP);
        assert_true(rbl_length3(joint_of(world, joint).force) == 0.0f);
    }
    check_close(state_of(world, ball).center.y, -0.5 - 0.5 * GRAVITY * 0.25, 1e-3);
    for (int i = 0; i < 60; ++i)
    {
        watched_step(&w, STEP);
        assert_true(state_of(world, ball).center.y > -2.0001f);
    }
    check_close(state_of(world, ball).center.y, -2.0, 0.005);
    const rblJointState now = joint_of(world, joint);
    check_relative(rbl_length3(now.force), GRAVITY * (double)state_of(world, ball).mass, 0.01);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

static void a_hinge_keeps_its_axis(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId door = put(world, make_box(1, 2, 0.1f), RBL_BODY_DYNAMIC, vec(0.5f, 0, 0));
    rblJointDef def = rbl_default_joint_def();
    def.kind = RBL_JOINT_HINGE;
    def.a = door;
    def.anchor_a = vec(-0.5f, 0, 0);
    def.axis = vec(0, 1, 0);
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    check_ok(rbl_body_apply_impulse(world, door, vec(0, 0, 300), vec(1, 0, 0)));
    Watch w = watch(world);
    double turned = 0.0;
    for (int i = 0; i < 300; ++i)
    {
        watched_step(&w, STEP);
        const rblBodyState now = state_of(world, door);
        turned += (double)(rbl_length3(now.spin) * STEP);
        const rblVec3 axis = rbl_rotate3(now.pose.q, vec(0, 1, 0));
        check_close(rbl_length3(rbl_cross3(axis, vec(0, 1, 0))), 0.0, 0.1 * PI / 180.0);
        check_close(joint_of(world, joint).error, 0.0, 1e-3);
    }
    assert_true(turned > 3.0);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

static void a_fixed_joint_keeps_the_pose(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId a = put(world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC, vec(0, 5, 0));
    const rblBodyId b = put(world, make_box(1, 0.2f, 0.2f), RBL_BODY_DYNAMIC, vec(0.75f, 5, 0));
    join(world, RBL_JOINT_FIXED, a, b, vec(0.25f, 0, 0), vec(-0.5f, 0, 0));
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    check_ok(rbl_body_set_velocity(world, a, vec(1, 2, 0), vec(0, 3, 2)));
    check_ok(rbl_body_set_velocity(world, b, vec(1, 2, 0), vec(0, 3, 2)));
    Watch w = watch(world);
    double off = 0.0;
    double apart = 0.0;
    for (int i = 0; i < 240; ++i)
    {
        watched_step(&w, STEP);
        const rblBodyState first = state_of(world, a);
        const rblBodyState second = state_of(world, b);
        const rblVec3 where = rbl_inverse_rotate3(first.pose.q, rbl_sub3(second.pose.p, first.pose.p));
        apart = fmax(apart, (double)rbl_length3(rbl_sub3(where, vec(0.75f, 0, 0))));
        off = fmax(off, angle_between(first.pose.q, second.pose.q));
    }
    check_close(apart, 0.0, 1e-3);
    check_close(off, 0.0, 0.1);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

static void a_spring_swings_at_its_frequency_and_books_its_work(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_sphere(0.1f);
    def.mass = 2.0f;
    def.gravity_scale = 0.0f;
    def.pose.p = vec(0.3f, 0, 0);
    rblBodyId ball;
    check_ok(rbl_body_create(world, &def, &ball));
    check_ok(rbl_shape_destroy(def.shape));
    rblJointDef joint_def = rbl_default_joint_def();
    joint_def.kind = RBL_JOINT_SPRING;
    joint_def.a = ball;
    joint_def.stiffness = 50.0f;
    joint_def.damping = 0.0f;
    rblJointId joint;
    check_ok(rbl_joint_create(world, &joint_def, &joint));
    Watch w = watch(world);
    const double period = measure_period(world, ball, 300, &w);
    check_relative(period, 2.0 * PI * sqrt(2.0 / 50.0), 0.02);
    check_energy_rule(&w);
    // All energy there is came from the spring.
    rblEnergy energy;
    check_ok(rbl_world_energy(world, &energy));
    check_close(energy.kinetic, w.work, 1e-3 * w.kinetic_max);
    assert_true(w.kinetic_max > 0.25 * 0.5 * 50.0 * 0.09);
    check_ok(rbl_world_destroy(world));
}

static void a_mouse_lifts_no_more_than_its_force(void** state)
{
    (void)state;
    for (int strong = 0; strong < 2; ++strong)
    {
        const rblWorldId world = make_world(false);
        put(world, make_ground(), RBL_BODY_STATIC, zero);
        const rblBodyId box = put(world, make_box(0.2f, 0.2f, 0.2f), RBL_BODY_DYNAMIC, vec(0, 0.1f, 0));
        const float weight = 9.81f * state_of(world, box).mass;
        rblJointDef def = rbl_default_joint_def();
        def.kind = RBL_JOINT_SPRING;
        def.a = box;
        def.stiffness = 2000.0f;
        def.damping = 400.0f;
        def.max_force = weight * (strong == 1 ? 3.0f : 0.9f);
        rblJointId joint;
        check_ok(rbl_joint_create(world, &def, &joint));
        check_ok(rbl_joint_set_target(world, joint, vec(0, 2, 0)));
        Watch w = watch(world);
        for (int i = 0; i < 240; ++i)
        {
            watched_step(&w, STEP);
        }
        const float height = state_of(world, box).center.y;
        assert_true(strong == 1 ? height > 1.5f : height < 0.15f);
        check_energy_rule(&w);
        check_fails(RBL_ERROR_ARGUMENT, rbl_joint_set_target(world, joint, vec(NAN, 0, 0)));
        check_ok(rbl_world_destroy(world));
    }
}

static void joints_break_at_their_force(void** state)
{
    (void)state;
    for (int strong = 0; strong < 2; ++strong)
    {
        const rblWorldId world = make_world(false);
        const rblBodyId box = put(world, make_box(0.2f, 0.2f, 0.2f), RBL_BODY_DYNAMIC, vec(0, -1, 0));
        const float weight = 9.81f * state_of(world, box).mass;
        rblJointDef def = rbl_default_joint_def();
        def.kind = RBL_JOINT_DISTANCE;
        def.a = box;
        def.break_force = weight * (strong == 1 ? 1.2f : 0.8f);
        def.user_data = &def;
        rblJointId joint;
        check_ok(rbl_joint_create(world, &def, &joint));
        step_times(world, 1);
        const rblJointEvent* events = NULL;
        uint32_t count = 9;
        check_ok(rbl_world_joint_events(world, &events, &count));
        assert_int_equal(count, strong == 1 ? 0 : 1);
        assert_true(rbl_joint_is_valid(world, joint) == (strong == 1));
        if (strong == 0)
        {
            assert_true(events[0].joint.index1 == joint.index1 && events[0].user_data == &def);
            check_relative(events[0].force, weight, 0.05);
            assert_true(events[0].a.index1 == box.index1 && events[0].b.index1 == 0);
        }
        step_times(world, 30);
        check_ok(rbl_world_joint_events(world, &events, &count));
        assert_int_equal(count, 0);
        assert_true((state_of(world, box).center.y < -1.5f) == (strong == 0));
        assert_int_equal(counters_of(world).joints, strong);
        check_ok(rbl_world_destroy(world));
    }
}

static void a_rope_breaks_by_a_jerk(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId box = put(world, make_box(0.2f, 0.2f, 0.2f), RBL_BODY_DYNAMIC, zero);
    const float weight = 9.81f * state_of(world, box).mass;
    rblJointDef def = rbl_default_joint_def();
    def.kind = RBL_JOINT_ROPE;
    def.a = box;
    def.length = 3.0f;
    def.break_force = 5.0f * weight; // holds it at rest, not after a fall of 3 m
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    step_times(world, 60);
    assert_false(rbl_joint_is_valid(world, joint));
    assert_true(state_of(world, box).center.y < -10.0f);
    check_ok(rbl_world_destroy(world));
}

static void bodies_hang_on_static_and_kinematic_ones(void** state)
{
    (void)state;
    for (int type = 0; type < 2; ++type)
    {
        for (int kind = 0; kind < RBL_JOINT_SPRING; ++kind)
        {
            const rblWorldId world = make_world(false);
            const rblBodyId hook = put(world, make_box(0.2f, 0.2f, 0.2f),
                                       type == 0 ? RBL_BODY_STATIC : RBL_BODY_KINEMATIC, vec(0, 2, 0));
            const rblBodyId weight = put(world, make_box(0.2f, 0.2f, 0.2f), RBL_BODY_DYNAMIC, vec(0, 1, 0));
            const bool by_length = kind == RBL_JOINT_DISTANCE || kind == RBL_JOINT_ROPE;
            const rblJointId joint =
                join(world, (rblJointKind)kind, hook, weight, zero, by_length ? zero : vec(0, 1, 0));
            if (type == 1)
            {
                check_ok(rbl_body_set_velocity(world, hook, vec(0.5f, 0.25f, 0), zero));
            }
            Watch w = watch(world);
            for (int i = 0; i < 120; ++i)
            {
                watched_step(&w, STEP);
                check_close(joint_of(world, joint).error, 0.0, 1e-4);
            }
            check_energy_rule(&w);
            const rblBodyState now = state_of(world, hook);
            check_close(now.center.y, type == 1 ? 3.0 : 2.0, 1e-3);
            check_ok(rbl_world_destroy(world));
        }
    }
}

static void joined_bodies_collide_only_when_asked(void** state)
{
    (void)state;
    for (int collide = 0; collide < 2; ++collide)
    {
        const rblWorldId world = make_world(false);
        const rblBodyId a = put(world, make_sphere(0.5f), RBL_BODY_STATIC, zero);
        const rblBodyId b = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(0, 2, 0));
        rblJointDef def = rbl_default_joint_def();
        def.kind = RBL_JOINT_ROPE;
        def.a = a;
        def.b = b;
        def.length = 5.0f;
        def.collide = collide == 1;
        rblJointId joint;
        check_ok(rbl_joint_create(world, &def, &joint));
        step_times(world, 20);
        assert_true((state_of(world, b).center.y > 0.9f) == (collide == 1));
        check_ok(rbl_world_destroy(world));
    }
}

// One of three on a string is held back: all of them get as much of the step as it does, and owe it.
static void bodies_on_joints_are_held_back_together(void** state)
{
    (void)state;
    const rblWorldId id = make_world(false);
    rblBodyId bodies[3];
    for (int i = 0; i < 3; ++i)
    {
        bodies[i] = put(id, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec((float)i, 0, 0));
    }
    const rblBodyId other = put(id, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(9, 0, 0));
    for (int i = 0; i < 2; ++i)
    {
        rblJointDef def = rbl_default_joint_def();
        def.kind = RBL_JOINT_DISTANCE;
        def.a = bodies[i];
        def.b = bodies[i + 1];
        rblJointId joint;
        check_ok(rbl_joint_create(id, &def, &joint));
    }
    step_times(id, 1);
    rblWorld* world = NULL;
    check_ok(rbl_world_find(id, &world));
    rblStep* step = world->step;
    const uint32_t* index = step->solver_index.data;
    const uint32_t middle = index[bodies[1].index1 - 1];
    memset(step->slowed.data, 0, step->slowed.count);
    step->solver_bodies.data[middle].seconds = 0.25f * STEP;
    step->slowed.data[middle] = 1;
    rbl_joints_share_seconds(step);
    for (int i = 0; i < 3; ++i)
    {
        const uint32_t place = index[bodies[i].index1 - 1];
        assert_true(step->solver_bodies.data[place].seconds == 0.25f * STEP);
        assert_int_equal(step->slowed.data[place], 1);
    }
    assert_int_equal(step->slowed.data[index[other.index1 - 1]], 0);
    check_ok(rbl_world_destroy(id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_keeps_time_and_energy),
        cmocka_unit_test(a_long_fall_into_a_swing_keeps_the_length),
        cmocka_unit_test(a_rope_is_slack_then_taut),
        cmocka_unit_test(a_hinge_keeps_its_axis),
        cmocka_unit_test(a_fixed_joint_keeps_the_pose),
        cmocka_unit_test(a_spring_swings_at_its_frequency_and_books_its_work),
        cmocka_unit_test(a_mouse_lifts_no_more_than_its_force),
        cmocka_unit_test(joints_break_at_their_force),
        cmocka_unit_test(a_rope_breaks_by_a_jerk),
        cmocka_unit_test(bodies_hang_on_static_and_kinematic_ones),
        cmocka_unit_test(joined_bodies_collide_only_when_asked),
        cmocka_unit_test(bodies_on_joints_are_held_back_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
