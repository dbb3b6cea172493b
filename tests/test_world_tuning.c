// Closed forms and limits that depend on tuning constants of the step (docs/tuning.md): each test fails if one of them is 8 times as
// large or as small.
#include "world_testing.h"

#include <math.h>

static const rblVec3 zero = {0, 0, 0};

static rblWorldId make_weightless(void)
{
    rblWorldDef def = rbl_default_world_def();
    def.gravity = zero;
    def.sleeping = false;
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_check_stages(world, RBL_CHECK_ALL));
    return world;
}

// ---- impacts ----

// The sum of the impulses of all impacts in the last step.
static float impact_impulse(rblWorldId world)
{
    const rblContactEvent* events;
    uint32_t count;
    float sum = 0.0f;
    check_ok(rbl_world_contact_events(world, &events, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        sum += events[i].impulse;
    }
    return sum;
}

// A flat box of low height that slides: friction cannot tip it, so the impact gives every corner the same normal velocity. With the
// normal impulse (1 + e) m v, friction takes mu (1 + e) v.
static void a_sliding_box_bounces_without_tilting(void** state)
{
    (void)state;
    const float restitution = 0.5f;
    const rblWorldId world = make_weightless();
    rblBodyDef def = rbl_default_body_def();
    def.material.restitution = restitution;
    def.material.friction = 0.2f;
    def.type = RBL_BODY_STATIC;
    def.shape = make_ground();
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    def.type = RBL_BODY_DYNAMIC;
    def.shape = make_box(1, 0.2f, 0.6f);
    def.mass = 1.0f;
    def.pose.p = vec(0, 0.14f, 0);
    def.velocity = vec(1, -2, 0.5f);
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    step_times(world, 1);
    const rblBodyState now = state_of(world, body);
    const float slowed = 0.2f * (1.0f + restitution) * 2.0f / sqrtf(1.25f);
    check_close(now.velocity.y, 2.0f * restitution, 1e-3);
    check_close(now.velocity.x, 1.0f - slowed, 1e-3);
    check_close(now.velocity.z, 0.5f * (1.0f - slowed), 1e-3);
    check_close(rbl_length3(now.spin), 0.0, 2e-3);
    check_close(impact_impulse(world), (1.0f + restitution) * 2.0f, 2e-3);
    check_ok(rbl_world_destroy(world));
}

// Two balls at rest, and a third that runs into them without a bounce: all go on together. The k-th impulse drives the balls in front:
// m v (3 - k) / 3.
static void a_row_of_balls_hands_on_a_plastic_impact(void** state)
{
    (void)state;
    const rblWorldId world = make_weightless();
    rblBodyId balls[3];
    for (int i = 0; i < 3; ++i)
    {
        balls[i] = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC,
                       vec(0.2f * (float)i - (i == 0 ? 0.02f : 0.0f), 0, 0));
    }
    check_ok(rbl_body_set_velocity(world, balls[0], vec(3, 0, 0), zero));
    step_times(world, 1);
    for (int i = 0; i < 3; ++i)
    {
        check_close(state_of(world, balls[i]).velocity.x, 1.0, 1e-4);
    }
    check_relative(impact_impulse(world), (double)(3.0f * state_of(world, balls[0]).mass), 1e-3);
    check_ok(rbl_world_destroy(world));
}

// ---- sleep ----

static rblBodyId put_box(rblWorldId world, rblVec3 at, float mass)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(0.2f, 0.2f, 0.2f);
    def.mass = mass;
    def.pose.p = at;
    def.material.restitution = 0.0f;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    return body;
}

// Whether a box of 1 kg falls asleep beside one that a force presses against it.
static bool sleeps_beside(float force)
{
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId box = put_box(world, vec(0, 0.1f, 0), 1.0f);
    const rblBodyId pusher = put_box(world, vec(-0.2f, 0.1f, 0), 0.02f);
    for (int i = 0; i < 60; ++i)
    {
        check_ok(rbl_body_apply_force(world, pusher, vec(force, 0, 0), state_of(world, pusher).center));
        step_times(world, 1);
    }
    assert_true(state_of(world, pusher).awake);
    const bool sleeps = !state_of(world, box).awake;
    check_ok(rbl_world_destroy(world));
    return sleeps;
}

static void a_body_needs_what_bears_a_fifth_of_its_weight(void** state)
{
    (void)state;
    assert_true(sleeps_beside(0.07f * 9.81f));
    assert_false(sleeps_beside(0.45f * 9.81f));
}

// A load that is pulled aside presses at an angle of 27 degrees. The body below does not need it.
static void a_body_does_not_need_what_lies_on_it(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId box = put_box(world, vec(0, 0.1f, 0), 1.0f);
    const rblBodyId top = put_box(world, vec(0, 0.3f, 0), 0.5f);
    for (int i = 0; i < 60; ++i)
    {
        check_ok(rbl_body_apply_force(world, top, vec(0.25f * 9.81f, 0, 0), state_of(world, top).center));
        step_times(world, 1);
    }
    assert_true(state_of(world, top).awake);
    assert_false(state_of(world, box).awake);
    check_ok(rbl_world_destroy(world));
}

// ---- heavy on light ----

static rblBodyId put_slab(rblWorldId world, rblVec3 size, rblVec3 at, float mass)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(size.x, size.y, size.z);
    def.mass = mass;
    def.pose.p = at;
    def.material.restitution = 0.0f;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    return body;
}

// How far a slab presses two layers of 16 stones of 20 g into the ground, m.
static float pressed_by(float mass)
{
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyId stones[32];
    for (int i = 0; i < 32; ++i)
    {
        stones[i] = put_slab(world, vec(0.04f, 0.02f, 0.04f),
                             vec(0.05f * (float)(i % 4) - 0.075f, 0.01f + 0.02f * (float)(i / 16),
                                 0.05f * (float)(i / 4 % 4) - 0.075f),
                             0.02f);
    }
    put_slab(world, vec(0.6f, 0.1f, 0.6f), vec(0, 0.0902f, 0), mass);
    float deepest = 0.0f;
    step_times(world, 60);
    for (int i = 0; i < 32; ++i)
    {
        deepest = rbl_maxf(deepest, 0.01f - state_of(world, stones[i]).center.y);
    }
    check_ok(rbl_world_destroy(world));
    return deepest;
}

static void light_stones_carry_fifty_times_their_mass(void** state)
{
    (void)state;
    check_close(pressed_by(1.0f), 0.0, 4e-5);
    check_close(pressed_by(2.5f), 0.0, 4e-5);
}

// A ball of 4 kg falls at 2 m/s on a shard of 20 g, which lies on a block of 5 kg that sleeps: the impact goes on to the block.
static void an_impact_goes_through_a_light_shard(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId block = put_slab(world, vec(0.6f, 0.2f, 0.6f), vec(0, 0.1f, 0), 5.0f);
    step_times(world, 30);
    put_slab(world, vec(0.1f, 0.02f, 0.1f), vec(0, 0.21f, 0), 0.02f);
    step_times(world, 10);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_sphere(0.1f);
    def.mass = 4.0f;
    def.pose.p = vec(0, 0.35f, 0);
    def.velocity = vec(0, -2, 0);
    def.material.restitution = 0.0f;
    rblBodyId ball;
    check_ok(rbl_body_create(world, &def, &ball));
    check_ok(rbl_shape_destroy(def.shape));
    float on_block = 0.0f;
    for (int i = 0; i < 4; ++i)
    {
        const rblContactEvent* events;
        uint32_t count;
        step_times(world, 1);
        check_ok(rbl_world_contact_events(world, &events, &count));
        for (uint32_t k = 0; k < count; ++k)
        {
            const bool concerns = events[k].a.index1 == block.index1 || events[k].b.index1 == block.index1;
            on_block += concerns ? events[k].impulse : 0.0f;
        }
    }
    assert_true(on_block > 4.0f);
    check_ok(rbl_world_destroy(world));
}

// A load of 20 kg stands on a plank of 0.2 kg and 5 cm, 10 cm beyond the edge of the table: that is not above the table.
static void a_load_beside_the_support_tips_a_thin_plank(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_box(2, 1, 1), RBL_BODY_STATIC, vec(-1, -0.5f, 0));
    put_slab(world, vec(1, 0.05f, 0.2f), vec(-0.3f, 0.025f, 0), 0.2f);
    step_times(world, 10);
    const rblBodyId load = put_slab(world, vec(0.04f, 0.04f, 0.1f), vec(0.1f, 0.07f, 0), 20.0f);
    step_times(world, 30);
    assert_true(state_of(world, load).center.y < -0.1f);
    check_ok(rbl_world_destroy(world));
}

// ---- drift ----

// Overlap of a box of 1 m after one step, in slops of 0.5 mm. `depth` at the start, in slops, in a fixed or a moving box.
static float overlap_after_a_step(rblBodyType type, float depth)
{
    const float slop = 5e-4f;
    const rblWorldId world = make_weightless();
    const rblBodyId lower = put(world, make_box(1, 1, 1), type, zero);
    const rblBodyId upper = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 1.0f - depth * slop, 0));
    step_times(world, 1);
    const float distance = state_of(world, upper).pose.p.y - state_of(world, lower).pose.p.y;
    check_ok(rbl_world_destroy(world));
    return (1.0f - distance) / slop;
}

static void a_step_removes_half_of_an_overlap(void** state)
{
    (void)state;
    check_close(overlap_after_a_step(RBL_BODY_STATIC, 21), 11, 1);
    check_close(overlap_after_a_step(RBL_BODY_STATIC, 41), 21, 1);
    check_close(overlap_after_a_step(RBL_BODY_DYNAMIC, 61), 31, 1);
}

static void a_step_removes_deep_overlap_in_fixed_bodies_but_for_four_slops(void** state)
{
    (void)state;
    check_close(overlap_after_a_step(RBL_BODY_STATIC, 61), 5, 1);
}

// ---- free rotation ----

// A prism with two equal moments I turns about the fixed angular momentum L: its axis goes round L at the rate |L| / I. Returns the angle
// between the axis and where it should be, after a second.
static float angle_off(float spin)
{
    const rblWorldId world = make_weightless();
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(0.2f, 0.2f, 0.6f);
    def.spin = vec(0.6f * spin, 0, 0.8f * spin);
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    const rblBodyState first = state_of(world, body);
    step_times(world, 30);
    const rblBodyState now = state_of(world, body);
    const double moment = (double)now.mass * (0.04 + 0.36) / 12.0;
    const double rate = (double)rbl_length3(first.angular_momentum) / moment;
    const rblVec3 about = rbl_normalize3(first.angular_momentum, vec(0, 0, 1));
    const double angle = fmod(rate * 30.0 * (double)STEP, 6.283185307179586);
    const rblVec3 wanted = rbl_rotate3(rbl_quat_from_axis_angle(about, (float)angle), vec(0, 0, 1));
    check_ok(rbl_world_destroy(world));
    return rbl_length3(rbl_cross3(wanted, rbl_rotate3(now.pose.q, vec(0, 0, 1))));
}

static void the_axis_of_a_prism_goes_round_as_the_closed_form_says(void** state)
{
    (void)state;
    check_close(angle_off(0.04f), 0.0, 1e-6);
    check_close(angle_off(10.0f), 0.0, 1e-5);
    check_close(angle_off(100.0f), 0.0, 1e-4);
    check_close(angle_off(300.0f), 0.0, 3e-4);
}

// The longest axis of a box with three different moments after a second in so many steps.
static rblVec3 axis_after(float spin, int steps)
{
    const rblWorldId world = make_weightless();
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(0.2f, 0.3f, 0.6f);
    def.spin = vec(0.6f * spin, 0.3f * spin, 0.8f * spin);
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    for (int i = 0; i < steps; ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / (float)steps));
    }
    const rblVec3 axis = rbl_rotate3(state_of(world, body).pose.q, vec(0, 0, 1));
    check_ok(rbl_world_destroy(world));
    return axis;
}

static void a_box_of_three_moments_turns_as_in_small_steps(void** state)
{
    (void)state;
    const rblVec3 slow = rbl_cross3(axis_after(10.0f, 32), axis_after(10.0f, 2048));
    const rblVec3 fast = rbl_cross3(axis_after(50.0f, 32), axis_after(50.0f, 8192));
    print_message("off by %g and %g rad\n", (double)rbl_length3(slow), (double)rbl_length3(fast));
    check_close(rbl_length3(slow), 0.0, 1e-3);
    check_close(rbl_length3(fast), 0.0, 5e-3);
}

// ---- limits of numbers ----

static void steps_shorter_than_a_microsecond_do_nothing(void** state)
{
    (void)state;
    const rblWorldId world = make_weightless();
    const rblBodyId body = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, zero);
    check_ok(rbl_body_set_velocity(world, body, vec(1, 0, 0), zero));
    check_ok(rbl_world_step(world, 5e-7f));
    assert_true(state_of(world, body).pose.p.x == 0.0f);
    check_ok(rbl_world_step(world, 2e-6f));
    check_close(state_of(world, body).pose.p.x, 2e-6, 1e-9);
    check_ok(rbl_world_destroy(world));
}

static uint32_t frozen_at(rblVec3 at, rblVec3 velocity)
{
    const rblWorldId world = make_weightless();
    const rblBodyId body = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, at);
    check_ok(rbl_body_set_velocity(world, body, velocity, zero));
    check_ok(rbl_world_step(world, 1e-5f));
    check_all_finite(world);
    const uint32_t frozen = counters_of(world).frozen;
    check_ok(rbl_world_destroy(world));
    return frozen;
}

static void bodies_stop_at_a_million_million_metres(void** state)
{
    (void)state;
    assert_int_equal(frozen_at(vec(5e11f, 0, 0), vec(1e14f, 0, 0)), 0);
    assert_int_equal(frozen_at(vec(9.999e11f, 0, 0), vec(1e14f, 0, 0)), 1);
    assert_int_equal(frozen_at(vec(2e12f, 0, 0), vec(1e3f, 0, 0)), 1);
}

static void bodies_stop_at_a_speed_that_no_box_can_follow(void** state)
{
    (void)state;
    assert_int_equal(frozen_at(zero, vec(5e14f, 0, 0)), 0);
    assert_int_equal(frozen_at(zero, vec(2e15f, 0, 0)), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sliding_box_bounces_without_tilting),
        cmocka_unit_test(a_row_of_balls_hands_on_a_plastic_impact),
        cmocka_unit_test(a_body_needs_what_bears_a_fifth_of_its_weight),
        cmocka_unit_test(a_body_does_not_need_what_lies_on_it),
        cmocka_unit_test(light_stones_carry_fifty_times_their_mass),
        cmocka_unit_test(an_impact_goes_through_a_light_shard),
        cmocka_unit_test(a_load_beside_the_support_tips_a_thin_plank),
        cmocka_unit_test(a_step_removes_half_of_an_overlap),
        cmocka_unit_test(a_step_removes_deep_overlap_in_fixed_bodies_but_for_four_slops),
        cmocka_unit_test(the_axis_of_a_prism_goes_round_as_the_closed_form_says),
        cmocka_unit_test(a_box_of_three_moments_turns_as_in_small_steps),
        cmocka_unit_test(steps_shorter_than_a_microsecond_do_nothing),
        cmocka_unit_test(bodies_stop_at_a_million_million_metres),
        cmocka_unit_test(bodies_stop_at_a_speed_that_no_box_can_follow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
