// What happened: events, impulses that bodies felt, filters, poses between steps.
#include "world_testing.h"

static const rblVec3 zero = {0, 0, 0};

static uint32_t count_events(rblWorldId world, rblContactEventKind kind, rblContactEvent* last)
{
    const rblContactEvent* events = NULL;
    uint32_t count = 0;
    check_ok(rbl_world_contact_events(world, &events, &count));
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        if (events[i].kind == kind)
        {
            found += 1;
            *last = events[i];
        }
    }
    return found;
}

static rblVec3 felt_sum(rblWorldId world, rblBodyId body, uint32_t* count)
{
    rblFeltImpulse felt[64];
    check_ok(rbl_body_impulses(world, body, felt, 64, count));
    assert_true(*count <= 64);
    rblVec3 sum = zero;
    for (uint32_t i = 0; i < *count; ++i)
    {
        sum = rbl_add3(sum, felt[i].impulse);
    }
    return sum;
}

static void a_ball_hits_rests_and_leaves(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    const rblBodyId ground = put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_sphere(0.1f);
    def.material.restitution = 0.5f;
    def.pose.p = vec(0, 0.6f, 0);
    rblBodyId ball;
    check_ok(rbl_body_create(world, &def, &ball));
    check_ok(rbl_shape_destroy(def.shape));
    rblContactEvent begin = {0};
    rblContactEvent impact = {0};
    rblContactEvent end = {0};
    int step = 0;
    for (; step < 30 && count_events(world, RBL_CONTACT_IMPACT, &impact) == 0; ++step)
    {
        step_times(world, 1);
    }
    assert_true(step > 5 && step < 30);
    assert_int_equal(count_events(world, RBL_CONTACT_BEGIN, &begin), 1);
    const double speed = sqrt(2.0 * 9.81 * 0.5);
    const double mass = (double)state_of(world, ball).mass;
    check_relative(impact.speed, speed, 0.01);
    check_relative(impact.impulse, mass * speed * 1.5, 0.01);
    assert_true(impact.a.index1 == ground.index1 || impact.b.index1 == ground.index1);
    check_close(fabsf(impact.normal.y), 1.0, 1e-5);
    check_close(impact.point.y, 0.0, 2e-3);
    assert_true(impact.duration > 0.0f && impact.duration < 0.01f);
    for (step = 0; step < 30 && count_events(world, RBL_CONTACT_END, &end) == 0; ++step)
    {
        step_times(world, 1);
    }
    assert_true(step < 10);
    step_times(world, 200);
    assert_int_equal(count_events(world, RBL_CONTACT_IMPACT, &impact), 0);
    assert_int_equal(count_events(world, RBL_CONTACT_BEGIN, &begin), 0);
    assert_int_equal(counters_of(world).touching, 1);
    check_ok(rbl_body_destroy(world, ball));
    step_times(world, 1);
    assert_int_equal(count_events(world, RBL_CONTACT_END, &end), 1);
    assert_true((end.a.index1 == ball.index1 && end.a.generation == ball.generation) ||
                (end.b.index1 == ball.index1 && end.b.generation == ball.generation));
    check_ok(rbl_world_destroy(world));
}

// A reused slot is another body: the end of the old one's touch does not name it.
static void an_end_names_the_body_that_touched(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId first = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0, 0.1f, 0));
    step_times(world, 5);
    check_ok(rbl_body_destroy(world, first));
    const rblBodyId second = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0, 0.1f, 0));
    assert_int_equal(second.index1, first.index1);
    uint32_t count = 7;
    check_ok(rbl_body_impulses(world, second, NULL, 0, &count));
    assert_int_equal(count, 0);
    step_times(world, 1);
    rblContactEvent end = {0};
    rblContactEvent begin = {0};
    assert_int_equal(count_events(world, RBL_CONTACT_END, &end), 1);
    assert_int_equal(end.b.generation, first.generation);
    assert_int_equal(count_events(world, RBL_CONTACT_BEGIN, &begin), 1);
    assert_int_equal(begin.b.generation, second.generation);
    check_ok(rbl_world_destroy(world));
}

static void a_resting_box_feels_its_weight(void** state)
{
    (void)state;
    for (uint32_t substeps = 1; substeps <= 4; substeps *= 4)
    {
        rblWorldDef world_def = rbl_default_world_def();
        world_def.sleeping = false;
        world_def.substeps = substeps;
        rblWorldId world;
        check_ok(rbl_world_create(&world_def, &world));
        put(world, make_ground(), RBL_BODY_STATIC, zero);
        const rblBodyId box = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
        const rblBodyId top = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 1.5f, 0));
        step_times(world, 30);
        const double weight = 9.81 * (double)state_of(world, box).mass;
        const double share = (double)STEP / substeps;
        uint32_t count = 0;
        rblVec3 felt = felt_sum(world, top, &count);
        assert_int_equal(count, 4);
        check_relative(felt.y, weight * share, 1e-3);
        felt = felt_sum(world, box, &count);
        assert_int_equal(count, 8);
        check_relative(felt.y, weight * share, 2e-3);
        check_close(felt.x, 0.0, 1e-3 * weight * share);
        rblFeltImpulse one;
        check_ok(rbl_body_impulses(world, box, &one, 1, &count));
        assert_int_equal(count, 8);
        check_close(one.duration, share, 1e-6);
        assert_true(one.speed == 0.0f);
        check_ok(rbl_world_destroy(world));
    }
}

// Change of momentum = gravity, what was felt, and what drift correction reports, also in a chaos of impacts with friction.
static void felt_impulses_are_the_change_of_momentum(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyId bodies[30];
    for (int i = 0; i < 30; ++i)
    {
        rblBodyDef def = rbl_default_body_def();
        def.shape = i % 3 == 0 ? make_sphere(0.15f) : make_box(0.3f, 0.2f, 0.25f);
        def.material.restitution = i % 4 == 0 ? 0.6f : 0.0f;
        def.pose.p = vec(0.35f * (float)(i % 3), 0.3f + 0.4f * (float)(i / 9), 0.35f * (float)(i / 3 % 3));
        def.velocity = vec((float)(i % 5) - 2.0f, -1.0f, (float)(i % 3) - 1.0f);
        def.spin = vec(1, (float)(i % 7), 2);
        check_ok(rbl_body_create(world, &def, &bodies[i]));
        check_ok(rbl_shape_destroy(def.shape));
    }
    double worst = 0.0;
    double largest = 0.0;
    int drift_steps = 0;
    for (int step = 0; step < 60; ++step)
    {
        rblVec3 before[30];
        for (int i = 0; i < 30; ++i)
        {
            before[i] = state_of(world, bodies[i]).velocity;
        }
        step_times(world, 1);
        rblEnergy energy;
        check_ok(rbl_world_energy(world, &energy));
        double unfelt = 0.0;
        for (int i = 0; i < 30; ++i)
        {
            const rblBodyState now = state_of(world, bodies[i]);
            uint32_t count = 0;
            const rblVec3 felt = felt_sum(world, bodies[i], &count);
            // A body that was held back in this step had less time to fall.
            const rblVec3 change = rbl_scale3(rbl_sub3(now.velocity, before[i]), now.mass);
            const rblVec3 rest = rbl_sub3(change, felt);
            const float fall = -9.81f * STEP * now.mass;
            const float off = rest.y < fall ? rest.y - fall : rest.y > 0.0f ? rest.y : 0.0f;
            unfelt += (double)rbl_length3(vec(rest.x, off, rest.z));
            largest = fmax(largest, (double)rbl_length3(change));
        }
        worst = fmax(worst, unfelt - energy.drift_impulse);
        drift_steps += energy.drift_impulse > 0.0;
    }
    assert_true(largest > 10.0);
    assert_in_range(drift_steps, 1, 20); // most steps change nothing that is not felt
    check_close(worst, 0.0, 1e-4 * largest);
    check_ok(rbl_world_destroy(world));
}

// ---- filters ----

static bool falls_through(rblFilter floor_filter, rblFilter box_filter)
{
    const rblWorldId world = make_world(false);
    const rblBodyId floor = put(world, make_box(4, 1, 4), RBL_BODY_STATIC, vec(0, -0.5f, 0));
    const rblBodyId box = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 0.6f, 0));
    check_ok(rbl_body_set_filter(world, floor, floor_filter));
    check_ok(rbl_body_set_filter(world, box, box_filter));
    step_times(world, 30);
    const bool through = state_of(world, box).pose.p.y < 0.0f;
    check_ok(rbl_world_destroy(world));
    return through;
}

static void filters_decide_who_meets(void** state)
{
    (void)state;
    const uint64_t all = UINT64_MAX;
    assert_false(
        falls_through((rblFilter){.category = 1, .mask = all}, (rblFilter){.category = 1, .mask = all}));
    assert_true(
        falls_through((rblFilter){.category = 1, .mask = 2}, (rblFilter){.category = 1, .mask = all}));
    assert_true(
        falls_through((rblFilter){.category = 1, .mask = all}, (rblFilter){.category = 2, .mask = 4}));
    assert_false(falls_through((rblFilter){.category = 4, .mask = 2}, (rblFilter){.category = 2, .mask = 4}));
    assert_false(falls_through((rblFilter){.category = 1, .mask = 0, .group = 3},
                               (rblFilter){.category = 1, .mask = 0, .group = 3}));
    assert_true(falls_through((rblFilter){.category = 1, .mask = all, .group = -3},
                              (rblFilter){.category = 1, .mask = all, .group = -3}));
    assert_false(falls_through((rblFilter){.category = 1, .mask = all, .group = -3},
                               (rblFilter){.category = 1, .mask = all, .group = -4}));
    assert_true(falls_through((rblFilter){.category = 1ull << 63, .mask = all},
                              (rblFilter){.category = 1, .mask = ~(1ull << 63)}));
}

static void a_filter_may_change_in_contact(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId box = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    step_times(world, 60);
    check_ok(rbl_body_set_filter(world, box, (rblFilter){.category = 1, .mask = 0}));
    step_times(world, 1);
    rblContactEvent end;
    assert_int_equal(count_events(world, RBL_CONTACT_END, &end), 1);
    step_times(world, 10);
    assert_true(state_of(world, box).pose.p.y < 0.2f);
    check_ok(rbl_body_set_filter(world, box, (rblFilter){.category = 1, .mask = UINT64_MAX}));
    step_times(world, 200);
    assert_true(state_of(world, box).pose.p.y > -1.0f);
    check_all_finite(world);
    check_ok(rbl_world_destroy(world));
}

// ---- between steps ----

static void poses_between_steps_go_from_one_to_the_other(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(1, 2, 3);
    def.velocity = vec(3, 0, 0);
    def.spin = vec(0, 0, 6);
    def.gravity_scale = 0.0f;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    step_times(world, 3);
    const rblTransform before = state_of(world, body).pose;
    step_times(world, 1);
    const rblTransform after = state_of(world, body).pose;
    rblTransform at;
    check_ok(rbl_body_pose_at(world, body, 0.0f, &at));
    check_close(rbl_length3(rbl_sub3(at.p, before.p)), 0.0, 1e-6);
    check_close(fabsf(rbl_quat_dot(at.q, before.q)), 1.0, 1e-6);
    check_ok(rbl_body_pose_at(world, body, 1.0f, &at));
    assert_true(at.p.x == after.p.x && at.q.z == after.q.z);
    check_ok(rbl_body_pose_at(world, body, 0.5f, &at));
    check_close(at.p.x, 0.5 * ((double)before.p.x + (double)after.p.x), 1e-6);
    check_close(rbl_quat_dot(at.q, before.q), rbl_quat_dot(at.q, after.q), 1e-5);
    check_ok(rbl_body_teleport(world, body, (rblTransform){{50, 0, 0}, {0, 0, 0, 1}}));
    check_ok(rbl_body_pose_at(world, body, 0.25f, &at));
    check_close(at.p.x, 50.0, 1e-5); // no streak across the scene
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_hits_rests_and_leaves),
        cmocka_unit_test(an_end_names_the_body_that_touched),
        cmocka_unit_test(a_resting_box_feels_its_weight),
        cmocka_unit_test(felt_impulses_are_the_change_of_momentum),
        cmocka_unit_test(filters_decide_who_meets),
        cmocka_unit_test(a_filter_may_change_in_contact),
        cmocka_unit_test(poses_between_steps_go_from_one_to_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
