// Sleeping: what is at rest costs nothing, and stays as it is.
#include "world_sleeping.h"
#include <stdlib.h>

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

static void falling_asleep_on_a_kinematic_floor_ends_no_touch(void** state)
{
    (void)state;
    const Stack stack = sleeping_stack(RBL_BODY_KINEMATIC);
    for (int i = 0; i < 10; ++i)
    {
        step_times(stack.world, 1);
        const rblContactEvent* events;
        uint32_t count = 0;
        check_ok(rbl_world_contact_events(stack.world, &events, &count));
        assert_int_equal(count, 0);
    }
    assert_int_equal(counters_of(stack.world).touching, 5);
    check_ok(rbl_world_destroy(stack.world));
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

// A moving body that is told to wait: its energy is there from its birth, not from its waking.
static void a_sleeper_born_moving_brings_its_energy_once(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    step_times(world, 1);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(1, 1, 1);
    def.mass = 2.0f;
    def.gravity_scale = 0.0f;
    def.velocity = vec(3, 0, 0);
    def.asleep = true;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    rblEnergy energy;
    for (int i = 0; i < 10; ++i)
    {
        check_ok(i == 5 ? rbl_body_wake(world, body) : RBL_OK);
        step_times(world, 1);
        check_ok(rbl_world_energy(world, &energy));
        check_close(energy.kinetic, 9.0, 1e-5);
        check_close(energy.work, i == 0 ? 9.0 : 0.0, 1e-5);
        check_close(energy.dissipated, 0.0, 1e-5);
    }
    check_ok(rbl_world_destroy(world));
}

// Four boxes on a floor, all born asleep.
static rblWorldId sleeping_tower(rblBodyId* floor, rblBodyId boxes[4])
{
    const rblWorldId world = make_world(true);
    *floor = put(world, make_box(10, 1, 10), RBL_BODY_STATIC, vec(0, -0.5f, 0));
    for (int i = 0; i < 4; ++i)
    {
        rblBodyDef def = rbl_default_body_def();
        def.shape = make_box(1, 1, 1);
        def.pose.p = vec(0, 0.5f + (float)i, 0);
        def.asleep = true;
        check_ok(rbl_body_create(world, &def, &boxes[i]));
        check_ok(rbl_shape_destroy(def.shape));
    }
    step_times(world, 10);
    assert_int_equal(counters_of(world).awake, 0);
    return world;
}

static void sleepers_by_birth_notice_that_their_support_is_gone(void** state)
{
    (void)state;
    for (int how = 0; how < 5; ++how)
    {
        rblBodyId floor;
        rblBodyId boxes[4];
        const rblWorldId world = sleeping_tower(&floor, boxes);
        const rblTransform away = {vec(8, -3, 0), rbl_quat_identity()};
        const rblFilter nothing = {.category = 1};
        check_ok(how == 0 ? rbl_body_destroy(world, floor) : RBL_OK);
        check_ok(how == 1 ? rbl_body_destroy(world, boxes[0]) : RBL_OK);
        check_ok(how == 2 ? rbl_body_teleport(world, boxes[1], away) : RBL_OK);
        check_ok(how == 3 ? rbl_body_set_filter(world, boxes[1], nothing) : RBL_OK);
        check_ok(how == 4 ? rbl_body_set_velocity(world, boxes[1], vec(20, 0, 0), vec(0, 0, 0)) : RBL_OK);
        step_times(world, 45);
        assert_true(state_of(world, boxes[3]).pose.p.y < 2.6f);
        check_ok(rbl_world_destroy(world));
    }
}

static void sleepers_by_birth_stay_so_until_they_are_touched(void** state)
{
    (void)state;
    rblBodyId floor;
    rblBodyId boxes[4];
    const rblWorldId world = sleeping_tower(&floor, boxes);
    const rblBodyId ball = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(0.75f, 3, 0));
    step_times(world, 15);
    assert_true(state_of(world, ball).pose.p.y < 2.0f);
    assert_int_equal(counters_of(world).awake, 1);
    check_ok(rbl_body_set_velocity(world, ball, vec(-3, 0, 0), vec(0, 0, 0)));
    step_times(world, 5);
    assert_int_equal(counters_of(world).awake, 5);
    check_ok(rbl_world_destroy(world));
}

#define FAR_BOXES 60

// A ball falls on a heap; as many boxes sleep far from it, so that no more than half can be awake, however far the impact spreads.
static rblWorldId half_asleep(rblBodyId* ball)
{
    const rblWorldId world = heap(0.0f);
    for (int i = 0; i < FAR_BOXES; ++i)
    {
        put(world, make_box(0.2f, 0.2f, 0.2f), RBL_BODY_DYNAMIC,
            vec(20.0f + 0.4f * (float)(i % 10), 0.1f, 0.4f * (float)(i / 10)));
    }
    sleep_all(world);
    *ball = put(world, make_sphere(0.15f), RBL_BODY_DYNAMIC, vec(0.3f, 3, 0.3f));
    step_times(world, 24);
    assert_true(counters_of(world).awake > 1 && counters_of(world).awake <= counters_of(world).bodies / 2);
    return world;
}

static void a_world_half_asleep_is_restored_to_the_last_bit(void** state)
{
    (void)state;
    rblBodyId ball;
    const rblWorldId world = half_asleep(&ball);
    size_t size = 0;
    check_ok(rbl_world_save(world, NULL, 0, &size));
    void* buffer = malloc(size);
    assert_non_null(buffer);
    check_ok(rbl_world_save(world, buffer, size, &size));
    uint64_t hashes[40];
    for (int i = 0; i < 40; ++i)
    {
        step_times(world, 1);
        hashes[i] = hash_of(world);
    }
    check_ok(rbl_world_restore(world, buffer, size));
    for (int i = 0; i < 40; ++i)
    {
        step_times(world, 1);
        assert_true(hash_of(world) == hashes[i]);
    }
    free(buffer);
    check_ok(rbl_world_destroy(world));
}

static void the_number_of_workers_does_not_change_who_sleeps(void** state)
{
    (void)state;
    uint64_t hashes[2];
    for (uint32_t k = 0; k < 2; ++k)
    {
        const rblTasks tasks = tasks_of(k == 0 ? 1 : 3);
        check_ok(rbl_set_tasks(&tasks));
        rblBodyId ball;
        const rblWorldId world = half_asleep(&ball);
        step_times(world, 60);
        hashes[k] = hash_of(world) + counters_of(world).awake;
        check_ok(rbl_world_destroy(world));
    }
    assert_true(hashes[0] == hashes[1]);
    const rblTasks tasks = tasks_of(1);
    check_ok(rbl_set_tasks(&tasks));
}

// Contacts of sleepers stay where they are while those of others come and go: who asks finds the same.
static void sleepers_keep_their_contacts_while_others_move(void** state)
{
    (void)state;
    const Stack stack = sleeping_stack(RBL_BODY_STATIC);
    rblFeltImpulse before[5][16];
    uint32_t counts[5];
    rblCounters counters;
    for (int i = 0; i < 5; ++i)
    {
        check_ok(rbl_body_impulses(stack.world, stack.boxes[i], before[i], 16, &counts[i]));
        assert_in_range(counts[i], 4, 8);
    }
    check_ok(rbl_world_counters(stack.world, &counters));
    const uint32_t touching = counters.touching;
    put(stack.world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(3, 1, 3));
    const rblBodyId second = put(stack.world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(-3, 2, 3));
    for (int step = 0; step < 120; ++step)
    {
        step_times(stack.world, 1);
        if (step == 70)
        {
            check_ok(rbl_body_destroy(stack.world, second));
        }
        for (int i = 0; i < 5; ++i)
        {
            rblFeltImpulse now[16];
            uint32_t count;
            assert_false(is_awake(stack.world, stack.boxes[i]));
            check_ok(rbl_body_impulses(stack.world, stack.boxes[i], now, 16, &count));
            assert_int_equal(count, counts[i]);
            for (uint32_t k = 0; k < count; ++k)
            {
                assert_memory_equal(&now[k].impulse, &before[i][k].impulse, sizeof now[k].impulse);
                assert_memory_equal(&now[k].point, &before[i][k].point, sizeof now[k].point);
            }
        }
    }
    check_ok(rbl_world_counters(stack.world, &counters));
    assert_int_equal(counters.touching, touching + 1);
    assert_int_equal(counters.bodies, 7);
    check_ok(rbl_world_destroy(stack.world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_settled_stack_sleeps_and_nothing_moves),
        cmocka_unit_test(falling_asleep_books_the_energy),
        cmocka_unit_test(falling_asleep_on_a_kinematic_floor_ends_no_touch),
        cmocka_unit_test(a_world_half_asleep_is_restored_to_the_last_bit),
        cmocka_unit_test(the_number_of_workers_does_not_change_who_sleeps),
        cmocka_unit_test(sleeping_changes_nothing_before_the_first_sleep),
        cmocka_unit_test(a_sleeping_pile_is_not_looked_at),
        cmocka_unit_test(bodies_may_be_born_asleep),
        cmocka_unit_test(a_sleeper_born_moving_brings_its_energy_once),
        cmocka_unit_test(sleepers_by_birth_notice_that_their_support_is_gone),
        cmocka_unit_test(sleepers_by_birth_stay_so_until_they_are_touched),
        cmocka_unit_test(sleepers_keep_their_contacts_while_others_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
