// Waking: who wakes by what, how far it spreads, and that nothing is left in the air.
#include "world_sleeping.h"

static void an_impact_wakes_the_whole_stack(void** state)
{
    (void)state;
    const Stack stack = sleeping_stack(RBL_BODY_STATIC);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_sphere(0.2f);
    def.pose.p = vec(-3, 1.25f, 0);
    def.velocity = vec(10, 1, 0);
    rblBodyId ball;
    check_ok(rbl_body_create(stack.world, &def, &ball));
    check_ok(rbl_shape_destroy(def.shape));
    step_times(stack.world, 4);
    assert_false(is_awake(stack.world, stack.boxes[0]));
    step_times(stack.world, 10);
    for (int i = 0; i < 5; ++i)
    {
        assert_true(is_awake(stack.world, stack.boxes[i]));
    }
    assert_true(state_of(stack.world, stack.boxes[2]).pose.p.x > 0.02f);
    check_ok(rbl_world_destroy(stack.world));
}

static void calls_on_a_sleeper_wake_it(void** state)
{
    (void)state;
    for (int call = 0; call < 6; ++call)
    {
        const Stack stack = sleeping_stack(RBL_BODY_STATIC);
        const rblBodyId body = stack.boxes[2];
        const rblVec3 center = state_of(stack.world, body).center;
        rblTransform up = state_of(stack.world, body).pose;
        up.p.x += 3.0f;
        switch (call)
        {
        case 0:
            check_ok(rbl_body_apply_force(stack.world, body, vec(1, 0, 0), center));
            break;
        case 1:
            check_ok(rbl_body_apply_impulse(stack.world, body, vec(0, 0, 1), center));
            break;
        case 2:
            check_ok(rbl_body_wake(stack.world, body));
            break;
        case 3:
            check_ok(rbl_body_teleport(stack.world, body, up));
            break;
        case 4:
            check_ok(rbl_body_destroy(stack.world, body));
            break;
        default:
            check_ok(rbl_world_set_gravity(stack.world, vec(0, -5, 0)));
        }
        assert_true(call == 4 || is_awake(stack.world, body));
        assert_true(is_awake(stack.world, stack.boxes[1]) == (call >= 3));
        assert_true(is_awake(stack.world, stack.boxes[3]) == (call >= 3));
        assert_true(is_awake(stack.world, stack.boxes[4]) == (call == 5));
        step_times(stack.world, 30);
        const double height = call == 3 || call == 4 ? 1.75 : 2.25;
        check_close(state_of(stack.world, stack.boxes[4]).pose.p.y, height, 0.01);
        check_nothing_hangs(stack.world);
        check_ok(rbl_world_destroy(stack.world));
    }
}

static void a_support_that_goes_away_wakes_what_rests_on_it(void** state)
{
    (void)state;
    for (int way = 0; way < 4; ++way)
    {
        const Stack stack = sleeping_stack(way == 3 ? RBL_BODY_KINEMATIC : RBL_BODY_STATIC);
        if (way == 0)
        {
            check_ok(rbl_body_destroy(stack.world, stack.floor));
        }
        else if (way == 1)
        {
            check_ok(rbl_body_teleport(stack.world, stack.floor, (rblTransform){{0, -9, 0}, {0, 0, 0, 1}}));
        }
        else if (way == 2)
        {
            check_ok(rbl_body_set_filter(stack.world, stack.floor, (rblFilter){.category = 2, .mask = 0}));
        }
        else
        {
            check_ok(rbl_body_set_velocity(stack.world, stack.floor, vec(0, -0.005f, 0), zero));
        }
        step_times(stack.world, way == 3 ? 300 : 30);
        const double fallen = 2.25 - (double)state_of(stack.world, stack.boxes[4]).pose.p.y;
        if (way == 3)
        {
            check_close(fallen, 0.05, 0.005);
        }
        else
        {
            check_close(fallen, 0.5 * 9.81, 0.2);
        }
        check_ok(rbl_world_destroy(stack.world));
    }
}

static void a_moving_floor_carries_sleepers(void** state)
{
    (void)state;
    const Stack stack = sleeping_stack(RBL_BODY_KINEMATIC);
    check_ok(rbl_body_set_velocity(stack.world, stack.floor, vec(0, 0.5f, 0), zero));
    step_times(stack.world, 60);
    check_close(state_of(stack.world, stack.boxes[4]).pose.p.y, 3.25, 0.01);
    check_ok(rbl_world_destroy(stack.world));
}

// A weight on a joint to a kinematic hand.
static void joints_wake_sleepers(void** state)
{
    (void)state;
    const rblJointKind kinds[4] = {RBL_JOINT_DISTANCE, RBL_JOINT_ROPE, RBL_JOINT_BALL, RBL_JOINT_FIXED};
    for (int k = 0; k < 4; ++k)
    {
        const rblWorldId world = make_world(true);
        const rblBodyId hand = put(world, make_sphere(0.1f), RBL_BODY_KINEMATIC, vec(0, 3, 0));
        const rblBodyId weight = put(world, make_box(0.4f, 0.4f, 0.4f), RBL_BODY_DYNAMIC, vec(0, 2, 0));
        rblJointDef def = rbl_default_joint_def();
        def.kind = kinds[k];
        def.a = hand;
        def.b = weight;
        def.anchor_b = k < 2 ? zero : vec(0, 1, 0);
        rblJointId joint;
        check_ok(rbl_joint_create(world, &def, &joint));
        step_times(world, 90);
        assert_false(is_awake(world, weight));
        check_all_finite(world);
        const rblBodyId beside = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(4, 3, 0));
        step_times(world, 3);
        check_all_finite(world);
        assert_true(is_awake(world, beside) && !is_awake(world, weight));
        check_ok(rbl_body_set_velocity(world, hand, vec(0, 0.5f, 0), zero));
        step_times(world, 60);
        check_close(state_of(world, weight).pose.p.y, 3.0, 0.02);
        check_ok(rbl_body_set_velocity(world, hand, zero, zero));
        step_times(world, 120);
        assert_false(is_awake(world, weight));
        check_ok(rbl_joint_destroy(world, joint));
        assert_true(is_awake(world, weight));
        step_times(world, 15);
        assert_true(state_of(world, weight).pose.p.y < 2.5f);
        check_ok(rbl_world_destroy(world));
    }
}

static void a_static_body_put_into_a_sleeper_moves_it(void** state)
{
    (void)state;
    const Stack stack = sleeping_stack(RBL_BODY_STATIC);
    const rblBodyId wall = put(stack.world, make_box(1, 4, 1), RBL_BODY_STATIC, vec(9, 2, 0));
    step_times(stack.world, 1);
    assert_int_equal(counters_of(stack.world).awake, 0);
    // 5 cm of it in the way of the stack's side.
    check_ok(rbl_body_teleport(stack.world, wall, (rblTransform){{0.7f, 2, 0}, {0, 0, 0, 1}}));
    step_times(stack.world, 30);
    for (int i = 0; i < 5; ++i)
    {
        assert_true(state_of(stack.world, stack.boxes[i]).pose.p.x < -0.045f);
    }
    check_ok(rbl_world_destroy(stack.world));
}

// ---- what rests on what ----

static void a_brick_pulled_out_brings_down_what_rests_on_it(void** state)
{
    (void)state;
    // A column of it: the two at its foot hold one side, so the other must come down.
    const Wall wall = sleeping_wall();
    check_ok(rbl_body_destroy(wall.world, wall.bricks[0][0]));
    check_ok(rbl_body_destroy(wall.world, wall.bricks[0][1]));
    step_times(wall.world, 3);
    assert_true(is_awake(wall.world, wall.bricks[1][0]) && is_awake(wall.world, wall.bricks[2][0]));
    check_nothing_hangs(wall.world);
    assert_true(state_of(wall.world, wall.bricks[1][0]).pose.p.y < 0.25f);
    check_ok(rbl_world_destroy(wall.world));
}

static void a_brick_on_top_wakes_no_more_than_its_neighbours(void** state)
{
    (void)state;
    const Wall wall = sleeping_wall();
    check_ok(rbl_body_destroy(wall.world, wall.bricks[5][4]));
    step_times(wall.world, 3);
    assert_true(counters_of(wall.world).awake <= 6);
    assert_false(is_awake(wall.world, wall.bricks[0][0]));
    check_nothing_hangs(wall.world);
    check_ok(rbl_world_destroy(wall.world));
}

static void all_falls_when_the_floor_is_gone(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId floor = put(world, make_box(4, 1, 4), RBL_BODY_STATIC, vec(0, -0.5f, 0));
    for (int i = 0; i < 60; ++i)
    {
        put(world, make_box(0.3f, 0.2f, 0.25f), RBL_BODY_DYNAMIC,
            vec(0.31f * (float)(i % 4), 0.1f + 0.2f * (float)(i / 12), 0.26f * (float)(i / 4 % 3)));
    }
    step_times(world, 150);
    assert_int_equal(counters_of(world).awake, 0);
    check_ok(rbl_body_destroy(world, floor));
    step_times(world, 30);
    rblBodyId bodies[256];
    const uint32_t count = bodies_of(world, bodies);
    for (uint32_t i = 0; i < count; ++i)
    {
        assert_true(is_awake(world, bodies[i]));
        assert_true(state_of(world, bodies[i]).velocity.y < -9.0f);
    }
    check_ok(rbl_world_destroy(world));
}

// Bodies that rise lean on the ceiling. When it goes, those below go along from the first step on.
static void what_rises_leaves_with_what_it_leant_on(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId ceiling = put(world, make_box(4, 0.2f, 4), RBL_BODY_STATIC, vec(0, 2.1f, 0));
    rblBodyDef def = rbl_default_body_def();
    rblBodyId bodies[3];
    def.shape = make_box(0.2f, 0.2f, 0.2f);
    def.gravity_scale = -1.0f;
    for (int i = 0; i < 3; ++i)
    {
        def.pose.p = vec(0, 1.9f - 0.2f * (float)i, 0);
        check_ok(rbl_body_create(world, &def, &bodies[i]));
    }
    check_ok(rbl_shape_destroy(def.shape));
    sleep_all(world);
    check_ok(rbl_body_destroy(world, ceiling));
    step_times(world, 20);
    const float top = state_of(world, bodies[0]).pose.p.y;
    assert_true(top > 3.0f);
    check_close(state_of(world, bodies[1]).pose.p.y, top - 0.2f, 0.01);
    check_close(state_of(world, bodies[2]).pose.p.y, top - 0.4f, 0.01);
    check_ok(rbl_world_destroy(world));
}

static void a_cut_rope_drops_the_load_and_what_lies_on_it(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId beam = put(world, make_box(1, 0.1f, 1), RBL_BODY_STATIC, vec(0, 5, 0));
    const rblBodyId plate = put(world, make_box(1, 0.1f, 1), RBL_BODY_DYNAMIC, vec(0, 2, 0));
    const rblBodyId box = put(world, make_box(0.3f, 0.3f, 0.3f), RBL_BODY_DYNAMIC, vec(0, 2.2f, 0));
    const rblBodyId top = put(world, make_box(0.2f, 0.2f, 0.2f), RBL_BODY_DYNAMIC, vec(0, 2.45f, 0));
    rblJointDef def = rbl_default_joint_def();
    def.kind = RBL_JOINT_FIXED;
    def.a = beam;
    def.b = plate;
    rblJointId rope;
    check_ok(rbl_joint_create(world, &def, &rope));
    step_times(world, 90);
    assert_int_equal(counters_of(world).awake, 0);
    check_ok(rbl_joint_destroy(world, rope));
    step_times(world, 16);
    assert_true(is_awake(world, plate) && is_awake(world, box) && is_awake(world, top));
    assert_true(state_of(world, plate).velocity.y < -4.0f && state_of(world, top).velocity.y < -4.0f);
    check_ok(rbl_world_destroy(world));
}

static void a_load_at_the_end_tips_a_sleeping_plank(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    put(world, make_box(0.1f, 0.5f, 0.5f), RBL_BODY_STATIC, vec(0, 0.25f, 0));
    const rblBodyId plank = put(world, make_box(2, 0.1f, 0.4f), RBL_BODY_DYNAMIC, vec(0, 0.55f, 0));
    step_times(world, 60);
    assert_false(is_awake(world, plank));
    // A quarter of the plank's weight, set down without an impact.
    put(world, make_box(0.25f, 0.2f, 0.4f), RBL_BODY_DYNAMIC, vec(0.8f, 0.7f, 0));
    step_times(world, 30);
    const rblQuat q = state_of(world, plank).pose.q;
    assert_true(fabsf(q.z) > 0.05f);
    check_nothing_hangs(world);
    check_ok(rbl_world_destroy(world));
}

static void a_support_that_slides_away_is_missed(void** state)
{
    (void)state;
    // A bridge on two blocks. One of them is drawn out, slowly at first.
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    put(world, make_box(0.4f, 0.4f, 0.4f), RBL_BODY_DYNAMIC, vec(-0.6f, 0.2f, 0));
    const rblBodyId block = put(world, make_box(0.4f, 0.4f, 0.4f), RBL_BODY_DYNAMIC, vec(0.6f, 0.2f, 0));
    const rblBodyId bridge = put(world, make_box(1.6f, 0.1f, 0.3f), RBL_BODY_DYNAMIC, vec(0, 0.45f, 0));
    step_times(world, 60);
    assert_false(is_awake(world, bridge));
    for (int i = 0; i < 120; ++i)
    {
        check_ok(rbl_body_set_velocity(world, block, vec(0.01f * (float)(i < 50 ? i : 50), 0, 0), zero));
        step_times(world, 1);
    }
    step_times(world, 30);
    assert_true(fabsf(state_of(world, bridge).pose.q.z) > 0.1f);
    check_nothing_hangs(world);
    check_ok(rbl_world_destroy(world));
}

// ---- how far waking goes ----

static void a_ball_that_rolls_by_wakes_nobody(void** state)
{
    (void)state;
    const Wall wall = sleeping_wall();
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_sphere(0.1f);
    def.pose.p = vec(-1.5f, 0.1f, 0.22f);
    def.velocity = vec(2, 0, 0);
    def.spin = vec(0, 0, -20);
    rblBodyId ball;
    check_ok(rbl_body_create(wall.world, &def, &ball));
    check_ok(rbl_shape_destroy(def.shape));
    for (int i = 0; i < 60; ++i)
    {
        step_times(wall.world, 1);
        assert_int_equal(counters_of(wall.world).awake, 1);
    }
    assert_true(state_of(wall.world, ball).pose.p.x > 2.0f);
    check_ok(rbl_world_destroy(wall.world));
}

// Awake bodies three steps after a cube of some size fell on the wall.
static uint32_t awake_after_impact(float size)
{
    const Wall wall = sleeping_wall();
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(size, size, size);
    def.pose.p = vec(0.8f, 1.25f + 0.5f * size, 0);
    def.velocity = vec(0, -4, 0);
    rblBodyId cube;
    check_ok(rbl_body_create(wall.world, &def, &cube));
    check_ok(rbl_shape_destroy(def.shape));
    step_times(wall.world, 3);
    const uint32_t awake = counters_of(wall.world).awake;
    check_nothing_hangs(wall.world);
    check_ok(rbl_world_destroy(wall.world));
    return awake;
}

// A body that is alone with its impact meets a thin sleeper: nothing passes, momentum is kept, and it is as with one that is awake.
static void meet_sleeper(bool asleep, float speed, rblVec3 velocities[2])
{
    const rblWorldId world = make_world(true);
    check_ok(rbl_world_set_gravity(world, zero));
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(0.02f, 1, 1);
    def.asleep = asleep;
    rblBodyId bodies[2];
    check_ok(rbl_body_create(world, &def, &bodies[0]));
    check_ok(rbl_shape_destroy(def.shape));
    def.shape = make_sphere(0.03f);
    def.asleep = false;
    def.pose.p = vec(-1.1f, 0.1f, 0.05f);
    def.velocity = vec(speed, 0, 0);
    check_ok(rbl_body_create(world, &def, &bodies[1]));
    check_ok(rbl_shape_destroy(def.shape));
    const double before = (double)(speed * state_of(world, bodies[1]).mass);
    step_times(world, 6);
    double after = 0.0;
    for (int i = 0; i < 2; ++i)
    {
        const rblBodyState body = state_of(world, bodies[i]);
        velocities[i] = body.velocity;
        after += (double)(body.mass * body.velocity.x);
    }
    assert_true(is_awake(world, bodies[0]));
    assert_true(state_of(world, bodies[1]).center.x < state_of(world, bodies[0]).center.x);
    check_relative(after, before, 1e-5);
    check_ok(rbl_world_destroy(world));
}

static void lone_bodies_meet_sleepers_as_if_they_were_awake(void** state)
{
    (void)state;
    for (float speed = 10.0f; speed < 400.0f; speed *= 2.0f)
    {
        rblVec3 velocities[2][2];
        meet_sleeper(true, speed, velocities[0]);
        meet_sleeper(false, speed, velocities[1]);
        for (int i = 0; i < 2; ++i)
        {
            check_close(rbl_length3(rbl_sub3(velocities[0][i], velocities[1][i])), 0.0, 1e-3 * (double)speed);
        }
    }
}

static void an_impact_wakes_as_many_as_it_can_move(void** state)
{
    (void)state;
    const uint32_t pebble = awake_after_impact(0.02f);
    const uint32_t stone = awake_after_impact(0.1f);
    const uint32_t boulder = awake_after_impact(0.5f);
    assert_int_equal(pebble, 1);
    assert_true(stone > 1 && stone < 16);
    assert_int_equal(boulder, 31);
}

static void parts_of_a_heap_sleep_while_others_move(void** state)
{
    (void)state;
    const Wall wall = sleeping_wall();
    const rblBodyId top = wall.bricks[5][0];
    for (int i = 0; i < 90; ++i)
    {
        // Rocked for three seconds: only those around it notice.
        const rblVec3 at = state_of(wall.world, top).center;
        check_ok(rbl_body_apply_force(wall.world, top, vec(i % 8 < 4 ? 60.0f : -60.0f, 0, 0), at));
        step_times(wall.world, 1);
        assert_true(is_awake(wall.world, top));
        assert_false(is_awake(wall.world, wall.bricks[0][4]));
    }
    assert_true(counters_of(wall.world).awake < 12);
    check_nothing_hangs(wall.world);
    check_ok(rbl_world_destroy(wall.world));
}

// Destroy bodies of a heap one after another, and count the bodies that hung when it slept again.
static uint32_t take_away(rblWorldId world)
{
    uint32_t hanging = 0;
    for (int round = 0; round < 12; ++round)
    {
        rblBodyId bodies[256];
        hanging += count_hanging(world);
        const uint32_t count = bodies_of(world, bodies);
        step_times(world, 60);
        check_ok(rbl_body_destroy(world, bodies[1 + (7u * (uint32_t)round) % (count - 1)]));
    }
    return hanging + count_hanging(world);
}

// A body that sleeps in a balance that is barely stable falls when it is woken: one of 3000 here, in a heap of any shift. If
// nothing woke what leant on a body that is destroyed, it would be at least one of 60.
static void destroying_bodies_of_a_pile_leaves_none_in_the_air(void** state)
{
    (void)state;
    uint32_t hanging = 0;
    for (int i = 0; i < 12; ++i)
    {
        const rblWorldId world = heap(1e-5f * (float)i);
        hanging += take_away(world);
        check_ok(rbl_world_destroy(world));
    }
    print_message("%u bodies of heaps fell\n", hanging);
    assert_in_range(hanging, 0, 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_impact_wakes_the_whole_stack),
        cmocka_unit_test(calls_on_a_sleeper_wake_it),
        cmocka_unit_test(a_support_that_goes_away_wakes_what_rests_on_it),
        cmocka_unit_test(a_moving_floor_carries_sleepers),
        cmocka_unit_test(a_static_body_put_into_a_sleeper_moves_it),
        cmocka_unit_test(joints_wake_sleepers),
        cmocka_unit_test(a_brick_pulled_out_brings_down_what_rests_on_it),
        cmocka_unit_test(a_brick_on_top_wakes_no_more_than_its_neighbours),
        cmocka_unit_test(all_falls_when_the_floor_is_gone),
        cmocka_unit_test(what_rises_leaves_with_what_it_leant_on),
        cmocka_unit_test(a_cut_rope_drops_the_load_and_what_lies_on_it),
        cmocka_unit_test(a_load_at_the_end_tips_a_sleeping_plank),
        cmocka_unit_test(a_support_that_slides_away_is_missed),
        cmocka_unit_test(a_ball_that_rolls_by_wakes_nobody),
        cmocka_unit_test(an_impact_wakes_as_many_as_it_can_move),
        cmocka_unit_test(lone_bodies_meet_sleepers_as_if_they_were_awake),
        cmocka_unit_test(parts_of_a_heap_sleep_while_others_move),
        cmocka_unit_test(destroying_bodies_of_a_pile_leaves_none_in_the_air),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
