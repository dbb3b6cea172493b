// Joints that hang on each other, at 30 Hz and one step a frame: they hold to a hundredth of a millimetre and keep their energy.
#include "joint_testing.h"

#define IN_PLACE 1e-4 // m
#define MOST     128

typedef struct Chain
{
    rblWorldId world;
    rblBodyId bodies[MOST];
    rblJointId joints[MOST];
    int count;
} Chain;

// A link, or a weight, that collides with nothing.
static rblBodyId put_link(rblWorldId world, rblShapeId shape, rblVec3 at, rblQuat turned, float mass)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.pose = (rblTransform){at, turned};
    def.filter.mask = 0;
    def.mass = mass > 0.0f ? mass : def.mass;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(shape));
    return body;
}

// Links of a length on each other, from the world's origin in a direction below the horizontal.
static Chain make_chain(int count, float length, float radians, rblJointKind kind, float mass)
{
    Chain chain = {.world = make_world(false), .count = count};
    const float c = cosf(radians);
    const float s = sinf(radians);
    const rblQuat turned = {0, 0, sinf(-0.5f * radians), cosf(0.5f * radians)};
    for (int i = 0; i < count; ++i)
    {
        const float along = ((float)i + 0.5f) * length;
        const rblShapeId shape = make_box(0.9f * length, 0.2f * length, 0.25f * length);
        chain.bodies[i] = put_link(chain.world, shape, vec(along * c, -along * s, 0), turned, mass);
        chain.joints[i] = join(chain.world, kind, chain.bodies[i], i > 0 ? chain.bodies[i - 1] : the_world,
                               vec(-0.5f * length, 0, 0), i > 0 ? vec(0.5f * length, 0, 0) : zero);
    }
    return chain;
}

static double worst_error(const Chain* chain)
{
    double worst = 0.0;
    for (int i = 0; i < chain->count; ++i)
    {
        worst = fmax(worst, (double)joint_of(chain->world, chain->joints[i]).error);
    }
    return worst;
}

// Ten seconds: in place after every step, no energy gained, and no more than a share of the swing lost.
static void check_holds(const Chain* chain, double seconds, double share)
{
    Watch w = watch(chain->world);
    double worst = 0.0;
    for (int i = 0; i < (int)(seconds * 30.0); ++i)
    {
        watched_step(&w, STEP);
        worst = fmax(worst, worst_error(chain));
    }
    check_close(worst, 0.0, IN_PLACE);
    check_energy_rule(&w);
    check_close(w.first - w.energy, 0.0, share * (w.kinetic_max + w.potential_max - w.potential_min));
    check_all_finite(chain->world);
}

static void a_pendulum_swings_wide_for_ten_seconds(void** state)
{
    (void)state;
    const rblJointKind kinds[2] = {RBL_JOINT_BALL, RBL_JOINT_HINGE};
    for (int k = 0; k < 2; ++k)
    {
        const Chain chain = make_chain(1, 2.0f, 0.5235988f, kinds[k], 0.0f);
        check_holds(&chain, 10.0, 1e-3);
        check_ok(rbl_world_destroy(chain.world));
    }
}

static void a_double_pendulum_keeps_its_energy(void** state)
{
    (void)state;
    const Chain chain = make_chain(2, 1.0f, 0.0f, RBL_JOINT_HINGE, 0.0f);
    check_holds(&chain, 10.0, 1e-3);
    check_ok(rbl_world_destroy(chain.world));
}

static void a_chain_of_twenty_swings(void** state)
{
    (void)state;
    const Chain chain = make_chain(20, 0.4f, 1.0f, RBL_JOINT_BALL, 0.0f);
    check_holds(&chain, 10.0, 0.01);
    check_ok(rbl_world_destroy(chain.world));
}

static void a_chain_whips_and_holds(void** state)
{
    (void)state;
    const Chain chain = make_chain(20, 0.4f, 0.0f, RBL_JOINT_BALL, 0.0f);
    check_holds(&chain, 10.0, 0.05);
    check_ok(rbl_world_destroy(chain.world));
}

static void a_hundred_links_carry_a_thousand_times_their_mass(void** state)
{
    (void)state;
    Chain chain = make_chain(100, 0.1f, 1.0f, RBL_JOINT_BALL, 1.0f);
    const float c = cosf(1.0f);
    const float s = sinf(1.0f);
    const rblBodyId ball = put_link(chain.world, make_sphere(0.3f), vec(10.3f * c, -10.3f * s, 0),
                                    state_of(chain.world, chain.bodies[99]).pose.q, 1000.0f);
    chain.joints[100] =
        join(chain.world, RBL_JOINT_BALL, ball, chain.bodies[99], vec(-0.3f, 0, 0), vec(0.05f, 0, 0));
    chain.count = 101;
    check_holds(&chain, 10.0, 0.01);
    check_ok(rbl_world_destroy(chain.world));
}

// The same motion as with steps of 1/1920 s, to a centimetre after two seconds of a swing of eight metres.
static void a_swing_is_that_of_fine_steps(void** state)
{
    (void)state;
    rblVec3 end[2];
    for (int fine = 0; fine < 2; ++fine)
    {
        const Chain chain = make_chain(20, 0.4f, 1.0f, RBL_JOINT_BALL, 0.0f);
        for (int i = 0; i < (fine == 1 ? 3840 : 60); ++i)
        {
            check_ok(rbl_world_step(chain.world, fine == 1 ? 1.0f / 1920.0f : STEP));
        }
        end[fine] = state_of(chain.world, chain.bodies[19]).center;
        check_ok(rbl_world_destroy(chain.world));
    }
    check_close(rbl_length3(rbl_sub3(end[0], end[1])), 0.0, 0.01);
}

static void a_plank_of_fixed_pieces_sticks_out_straight(void** state)
{
    (void)state;
    const Chain chain = make_chain(10, 0.5f, 0.0f, RBL_JOINT_FIXED, 0.0f);
    check_ok(rbl_body_apply_impulse(chain.world, chain.bodies[9], vec(0, -200, 50), vec(5, 0, 0)));
    for (int i = 0; i < 150; ++i)
    {
        check_ok(rbl_world_step(chain.world, STEP));
        const rblBodyState end = state_of(chain.world, chain.bodies[9]);
        check_close(rbl_length3(rbl_sub3(end.pose.p, vec(4.75f, 0, 0))), 0.0, 1e-3);
        check_close(angle_between(end.pose.q, rbl_quat_identity()), 0.0, 0.1);
    }
    // The first joint carries all of it: its moment is the weight times half the length.
    float mass = 0.0f;
    for (int i = 0; i < 10; ++i)
    {
        mass += state_of(chain.world, chain.bodies[i]).mass;
    }
    const rblJointState root = joint_of(chain.world, chain.joints[0]);
    check_relative(rbl_length3(root.force), 9.81 * (double)mass, 0.01);
    check_relative(rbl_length3(root.torque), 9.81 * (double)mass * 2.5, 0.01);
    check_ok(rbl_world_destroy(chain.world));
}

static void hinges_stay_in_their_plane_when_pulled_out_of_it(void** state)
{
    (void)state;
    const Chain chain = make_chain(8, 0.4f, 0.7f, RBL_JOINT_HINGE, 0.0f);
    Watch w = watch(chain.world);
    for (int i = 0; i < 300; ++i)
    {
        check_ok(rbl_body_apply_force(chain.world, chain.bodies[7], vec(0, 0, 40),
                                      state_of(chain.world, chain.bodies[7]).center));
        watched_step(&w, STEP);
        for (int k = 0; k < chain.count; ++k)
        {
            const rblVec3 axis = rbl_rotate3(state_of(chain.world, chain.bodies[k]).pose.q, vec(0, 0, 1));
            check_close(rbl_length3(rbl_cross3(axis, vec(0, 0, 1))), 0.0, 0.1 / 57.3);
        }
    }
    check_close(worst_error(&chain), 0.0, IN_PLACE);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(chain.world));
}

// A hanging bridge whose ends are both held, and a ring of hinges that asks for more than it needs.
static void loops_hold(void** state)
{
    (void)state;
    for (int ring = 0; ring < 2; ++ring)
    {
        Chain chain = make_chain(12, 0.5f, 0.0f, RBL_JOINT_HINGE, 0.0f);
        const rblJointId last = join(chain.world, RBL_JOINT_HINGE, chain.bodies[11], the_world,
                                     vec(0.25f, 0, 0), ring == 1 ? vec(0.5f, 0, 0) : vec(5.5f, 0, 0));
        Watch w = watch(chain.world);
        for (int i = 0; i < 450; ++i)
        {
            watched_step(&w, STEP);
        }
        // Both ends came together at a bounded speed, and stay.
        check_close(joint_of(chain.world, last).error, 0.0, 1e-3);
        check_close(worst_error(&chain), 0.0, 1e-3);
        check_energy_rule(&w);
        check_ok(rbl_world_destroy(chain.world));
    }
}

// A taut bridge of 60 hinges hangs in the shape that its softness allows, and carries boxes. Each joint yields by h/2 c J under the
// impulse J = T h of the tension, with c = 1e-6 (2 / m). The length of a flat parabola exceeds its span L by 8 s^2 / (3 L) at a sag
// s, where the tension is W L / (8 s).
static void a_taut_bridge_carries_boxes(void** state)
{
    (void)state;
    for (int loaded = 0; loaded < 2; ++loaded)
    {
        rblWorldId world = make_world(false);
        Chain bridge = {.world = world, .count = 60};
        rblBodyId boxes[15];
        for (int i = 0; i < 59; ++i)
        {
            bridge.bodies[i] =
                put(world, make_box(0.48f, 0.1f, 2), RBL_BODY_DYNAMIC, vec(0.5f * ((float)i + 0.5f), 0, 0));
        }
        for (int i = 0; i <= 59; ++i)
        {
            const bool at_end = i == 0 || i == 59;
            bridge.joints[i] =
                join(world, RBL_JOINT_HINGE, bridge.bodies[i < 59 ? i : 58],
                     at_end ? the_world : bridge.bodies[i - 1], vec(i < 59 ? -0.25f : 0.25f, 0, 0),
                     at_end ? vec(0.5f * (float)i, 0, 0) : vec(0.25f, 0, 0));
        }
        for (int i = 0; i < 15 && loaded == 1; ++i)
        {
            boxes[i] =
                put(world, make_box(0.6f, 0.6f, 0.6f), RBL_BODY_DYNAMIC, vec(3.0f + 1.6f * (float)i, 1, 0));
        }
        Watch w = watch(world);
        for (int i = 0; i < 300; ++i)
        {
            watched_step(&w, STEP);
            check_close(worst_error(&bridge), 0.0, IN_PLACE);
        }
        check_energy_rule(&w);
        rblEnergy energy;
        check_ok(rbl_world_energy(world, &energy));
        check_close(energy.kinetic, 0.0, 0.05); // of tons: it is at rest
        const double mass = (double)state_of(world, bridge.bodies[0]).mass;
        const double span = 29.5;
        const double yield = 60.0 * 0.5 * (double)(STEP * STEP) * 1e-6 * 2.0 / mass; // m/N
        const double sag = cbrt(3.0 * span * span * 59.0 * mass * 9.81 * yield / 64.0);
        if (loaded == 0)
        {
            check_relative(-state_of(world, bridge.bodies[29]).center.y, sag, 0.02);
        }
        for (int i = 0; i < 15 && loaded == 1; ++i)
        {
            check_close(state_of(world, boxes[i]).center.x, 3.0 + 1.6 * i, 0.1);
            check_close(state_of(world, boxes[i]).center.y, 0.35, 0.2);
        }
        check_ok(rbl_world_destroy(world));
    }
}

static void what_is_torn_apart_comes_together_at_a_bounded_speed(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId box = put(world, make_box(0.2f, 0.3f, 0.4f), RBL_BODY_DYNAMIC, vec(0, -0.5f, 0));
    const rblJointId joint = join(world, RBL_JOINT_BALL, box, the_world, zero, zero);
    Watch w = watch(world);
    for (int i = 0; i < 120; ++i)
    {
        const double before = (double)joint_of(world, joint).error;
        watched_step(&w, STEP);
        check_close((double)joint_of(world, joint).error, before, 1.01 * (double)STEP + 1e-5);
    }
    check_energy_rule(&w);
    check_all_finite(world);
    check_ok(rbl_world_destroy(world));
}

static void a_turning_hub_hauls_a_chain(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId hub = put(world, make_box(0.4f, 0.4f, 0.4f), RBL_BODY_KINEMATIC, zero);
    Chain chain = {.world = world, .count = 6};
    for (int i = 0; i < 6; ++i)
    {
        chain.bodies[i] = put_link(world, make_box(0.25f, 0.05f, 0.05f), vec(0.35f + 0.3f * (float)i, 0, 0),
                                   rbl_quat_identity(), 0.0f);
        chain.joints[i] = join(world, RBL_JOINT_BALL, chain.bodies[i], i > 0 ? chain.bodies[i - 1] : hub,
                               vec(-0.15f, 0, 0), i > 0 ? vec(0.15f, 0, 0) : vec(0.2f, 0, 0));
    }
    check_ok(rbl_body_set_velocity(world, hub, vec(0.2f, 0, 0), vec(0, 6, 0)));
    Watch w = watch(world);
    for (int i = 0; i < 300; ++i)
    {
        watched_step(&w, STEP);
        check_close(worst_error(&chain), 0.0, IN_PLACE);
    }
    check_energy_rule(&w);
    check_all_finite(world);
    check_ok(rbl_world_destroy(world));
}

static void a_hanging_chain_falls_asleep_and_wakes(void** state)
{
    (void)state;
    rblWorldDef def = rbl_default_world_def();
    def.sleeping = true;
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    rblBodyId last = the_world;
    rblJointId joints[5];
    for (int i = 0; i < 5; ++i)
    {
        const rblBodyId link =
            put(world, make_box(0.05f, 0.25f, 0.05f), RBL_BODY_DYNAMIC, vec(0, -0.15f - 0.3f * (float)i, 0));
        joints[i] =
            join(world, RBL_JOINT_BALL, link, last, vec(0, 0.15f, 0), i > 0 ? vec(0, -0.15f, 0) : zero);
        last = link;
    }
    step_times(world, 90);
    assert_int_equal(counters_of(world).awake, 0);
    check_ok(rbl_body_apply_impulse(world, last, vec(1, 0, 0), state_of(world, last).center));
    step_times(world, 5);
    assert_int_equal(counters_of(world).awake, 5);
    for (int i = 0; i < 5; ++i)
    {
        check_close(joint_of(world, joints[i]).error, 0.0, IN_PLACE);
    }
    check_ok(rbl_world_destroy(world));
}

// The joint that carries most goes first, and what is below falls freely.
static void the_weakest_link_breaks(void** state)
{
    (void)state;
    const Chain whole = make_chain(6, 0.4f, 1.5707963f, RBL_JOINT_BALL, 2.0f);
    check_ok(rbl_world_step(whole.world, STEP));
    check_relative(rbl_length3(joint_of(whole.world, whole.joints[2]).force), 4.0 * 2.0 * 9.81, 0.01);
    check_ok(rbl_world_destroy(whole.world));

    const Chain chain = make_chain(6, 0.4f, 1.5707963f, RBL_JOINT_BALL, 2.0f);
    check_ok(rbl_joint_destroy(chain.world, chain.joints[2]));
    rblJointDef def = rbl_default_joint_def();
    def.a = chain.bodies[2];
    def.b = chain.bodies[1];
    def.anchor_a = vec(-0.2f, 0, 0);
    def.anchor_b = vec(0.2f, 0, 0);
    def.break_force = 3.5f * 2.0f * 9.81f; // it carries four links
    rblJointId weak;
    check_ok(rbl_joint_create(chain.world, &def, &weak));
    check_ok(rbl_world_step(chain.world, STEP));
    const rblJointEvent* events = NULL;
    uint32_t count = 0;
    check_ok(rbl_world_joint_events(chain.world, &events, &count));
    assert_int_equal(count, 1);
    assert_true(events[0].joint.index1 == weak.index1);
    const float height = state_of(chain.world, chain.bodies[5]).center.y;
    step_times(chain.world, 15);
    check_close(state_of(chain.world, chain.bodies[5]).center.y, (double)height - 0.5 * 9.81 * 0.25, 0.01);
    check_ok(rbl_world_destroy(chain.world));
}

static void a_mouse_drags_a_chain_together(void** state)
{
    (void)state;
    const Chain chain = make_chain(10, 0.2f, 1.5707963f, RBL_JOINT_BALL, 0.5f);
    rblJointDef def = rbl_default_joint_def();
    def.kind = RBL_JOINT_SPRING;
    def.a = chain.bodies[9];
    def.anchor_a = vec(0.1f, 0, 0);
    def.anchor_b = vec(0, -2, 0);
    def.stiffness = 2000.0f;
    def.damping = 100.0f;
    def.max_force = 150.0f;
    rblJointId mouse;
    check_ok(rbl_joint_create(chain.world, &def, &mouse));
    Watch w = watch(chain.world);
    for (int i = 0; i < 240; ++i)
    {
        const float turn = 0.05f * (float)i;
        check_ok(rbl_joint_set_target(chain.world, mouse, vec(1.2f * sinf(turn), -1.0f - cosf(turn), 0.5f)));
        watched_step(&w, STEP);
        check_close(worst_error(&chain), 0.0, IN_PLACE);
        assert_true(rbl_length3(joint_of(chain.world, mouse).force) < 150.5f);
    }
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(chain.world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_swings_wide_for_ten_seconds),
        cmocka_unit_test(a_double_pendulum_keeps_its_energy),
        cmocka_unit_test(a_chain_of_twenty_swings),
        cmocka_unit_test(a_chain_whips_and_holds),
        cmocka_unit_test(a_hundred_links_carry_a_thousand_times_their_mass),
        cmocka_unit_test(a_swing_is_that_of_fine_steps),
        cmocka_unit_test(a_plank_of_fixed_pieces_sticks_out_straight),
        cmocka_unit_test(hinges_stay_in_their_plane_when_pulled_out_of_it),
        cmocka_unit_test(loops_hold),
        cmocka_unit_test(a_taut_bridge_carries_boxes),
        cmocka_unit_test(what_is_torn_apart_comes_together_at_a_bounded_speed),
        cmocka_unit_test(a_turning_hub_hauls_a_chain),
        cmocka_unit_test(a_hanging_chain_falls_asleep_and_wakes),
        cmocka_unit_test(the_weakest_link_breaks),
        cmocka_unit_test(a_mouse_drags_a_chain_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
