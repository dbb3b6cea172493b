// Sleeping: what is at rest costs nothing, and wakes when it should.
#include "world_testing.h"

static const rblVec3 zero = {0, 0, 0};

static bool is_awake(rblWorldId world, rblBodyId body)
{
    return state_of(world, body).awake;
}

// A stack of boxes on a static floor, stepped until it sleeps.
typedef struct Stack
{
    rblWorldId world;
    rblBodyId floor;
    rblBodyId boxes[5];
} Stack;

static Stack sleeping_stack(rblBodyType floor_type)
{
    Stack stack = {.world = make_world(true)};
    stack.floor = put(stack.world, make_box(10, 1, 10), floor_type, vec(0, -0.5f, 0));
    for (int i = 0; i < 5; ++i)
    {
        stack.boxes[i] = put(stack.world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC,
                             vec(0, 0.25f + 0.5f * (float)i, 0));
    }
    step_times(stack.world, 60);
    for (int i = 0; i < 5; ++i)
    {
        assert_false(is_awake(stack.world, stack.boxes[i]));
    }
    return stack;
}

static void a_settled_stack_sleeps_and_nothing_moves(void** state)
{
    (void)state;
    const Stack stack = sleeping_stack(RBL_BODY_STATIC);
    const uint64_t before = hash_of(stack.world);
    step_times(stack.world, 30);
    assert_true(hash_of(stack.world) == before);
    rblEnergy energy;
    check_ok(rbl_world_energy(stack.world, &energy));
    assert_true(energy.kinetic == 0.0 && energy.work == 0.0 && energy.dissipated == 0.0);
    for (int k = 0; k < 3; ++k)
    {
        assert_true(energy.momentum[k] == 0.0);
    }
    for (int i = 0; i < 5; ++i)
    {
        check_close(state_of(stack.world, stack.boxes[i]).pose.p.y, 0.25 + 0.5 * i, 0.002);
    }
    check_ok(rbl_world_destroy(stack.world));
}

static void falling_asleep_books_the_energy(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId ball = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    check_ok(rbl_body_set_velocity(world, ball, vec(0.01f, 0, 0), zero));
    Watch w = watch(world);
    double dissipated = 0.0;
    for (int i = 0; i < 60; ++i)
    {
        watched_step(&w, STEP);
        rblEnergy energy;
        check_ok(rbl_world_energy(world, &energy));
        dissipated += energy.dissipated;
    }
    assert_false(is_awake(world, ball));
    check_energy_rule(&w);
    check_close(w.first - w.energy, dissipated, 1e-9 * fabs(w.first) + 1e-12);
    assert_true(dissipated > 0.0);
    check_ok(rbl_world_destroy(world));
}

static void a_blow_wakes_the_whole_stack(void** state)
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

static void calls_on_a_sleeper_wake_its_group(void** state)
{
    (void)state;
    for (int call = 0; call < 6; ++call)
    {
        const Stack stack = sleeping_stack(RBL_BODY_STATIC);
        const rblBodyId body = stack.boxes[2];
        const rblVec3 center = state_of(stack.world, body).center;
        rblTransform up = state_of(stack.world, body).pose;
        up.p.x += 5.0f;
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
        assert_true(is_awake(stack.world, stack.boxes[0]));
        assert_true(is_awake(stack.world, stack.boxes[4]));
        if (call == 3 || call == 4)
        {
            step_times(stack.world, 30);
            check_close(state_of(stack.world, stack.boxes[4]).pose.p.y, 1.75, 0.01);
        }
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
            check_ok(rbl_body_set_filter(stack.world, stack.floor, (rblFilter){2, 0, 0}));
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

static rblWorldId pile(bool sleeping)
{
    const rblWorldId world = make_world(sleeping);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    for (int i = 0; i < 40; ++i)
    {
        const rblVec3 at = vec(0.3f * (float)(i % 3) + 0.02f * (float)(i % 7), 0.2f + 0.3f * (float)(i / 9),
                               0.3f * (float)(i / 3 % 3) + 0.01f * (float)(i % 4));
        put(world, i % 2 == 0 ? make_box(0.25f, 0.2f, 0.15f) : make_sphere(0.1f), RBL_BODY_DYNAMIC, at);
    }
    return world;
}

static void sleeping_changes_nothing_before_the_first_sleep(void** state)
{
    (void)state;
    const rblWorldId with = pile(true);
    const rblWorldId without = pile(false);
    bool slept = false;
    int steps = 0;
    for (; steps < 300 && !slept; ++steps)
    {
        step_times(with, 1);
        step_times(without, 1);
        rblBodyId bodies[64];
        uint32_t count = 0;
        check_ok(rbl_world_bodies(with, bodies, 64, &count));
        for (uint32_t i = 1; i < count; ++i)
        {
            slept = slept || !is_awake(with, bodies[i]);
        }
        if (!slept)
        {
            assert_true(hash_of(with) == hash_of(without));
        }
    }
    assert_true(slept && steps > 15);
    check_ok(rbl_world_destroy(with));
    check_ok(rbl_world_destroy(without));
}

static void a_sleeping_pile_is_not_looked_at(void** state)
{
    (void)state;
    const Stack stack = sleeping_stack(RBL_BODY_STATIC);
    rblProfile profile;
    step_times(stack.world, 1);
    check_ok(rbl_world_profile(stack.world, &profile));
    assert_true(profile.narrow == 0.0f && profile.solve == 0.0f && profile.broad == 0.0f);
    // One that falls beside it: the sleepers are not in the solver.
    put(stack.world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(3, 3, 0));
    step_times(stack.world, 5);
    assert_int_equal(counters_of(stack.world).awake, 1);
    assert_int_equal(counters_of(stack.world).contacts, 0);
    check_ok(rbl_world_destroy(stack.world));
}

static void bodies_may_be_born_asleep(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(1, 1, 1);
    def.pose.p = vec(0, 5, 0);
    def.asleep = true;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    step_times(world, 30);
    assert_true(state_of(world, body).pose.p.y == 5.0f);
    check_ok(rbl_body_wake(world, body));
    step_times(world, 30);
    check_close(state_of(world, body).pose.p.y, 5.0 - 0.5 * 9.81, 1e-3);
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_settled_stack_sleeps_and_nothing_moves),
        cmocka_unit_test(falling_asleep_books_the_energy),
        cmocka_unit_test(a_blow_wakes_the_whole_stack),
        cmocka_unit_test(calls_on_a_sleeper_wake_its_group),
        cmocka_unit_test(a_support_that_goes_away_wakes_what_rests_on_it),
        cmocka_unit_test(a_moving_floor_carries_sleepers),
        cmocka_unit_test(joints_wake_sleepers),
        cmocka_unit_test(sleeping_changes_nothing_before_the_first_sleep),
        cmocka_unit_test(a_sleeping_pile_is_not_looked_at),
        cmocka_unit_test(bodies_may_be_born_asleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
