// Allowed and extreme: steps, sizes, masses, speeds, overlap and changes in mid-run do no damage to a world.
#include "world_testing.h"

static const rblVec3 zero = {0, 0, 0};

// ---- steps of any length ----

static void steps_too_short_to_matter_move_nothing(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId a = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    rblJointDef def = rbl_default_joint_def();
    def.a = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 1.5f, 0));
    def.b = a;
    def.kind = RBL_JOINT_DISTANCE;
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    step_times(world, 2);
    const uint64_t before = hash_of(world);
    const float steps[4] = {0.0f, 1e-45f, 1e-30f, 1e-8f};
    for (int i = 0; i < 4; ++i)
    {
        check_ok(rbl_world_step(world, steps[i]));
        assert_true(hash_of(world) == before);
    }
    check_ok(rbl_world_step(world, 2e-6f));
    check_ok(rbl_world_step(world, RBL_MAX_STEP));
    step_times(world, 10);
    check_all_finite(world);
    assert_int_equal(counters_of(world).frozen, 0);
    check_ok(rbl_world_destroy(world));
}

// ---- extremes ----

static void sizes_from_a_millimetre_to_a_kilometre_share_a_scene(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_box(1000, 100, 1000), RBL_BODY_STATIC, vec(0, -50, 0));
    const rblBodyId grain = put(world, make_box(0.001f, 0.001f, 0.001f), RBL_BODY_DYNAMIC, vec(3, 0.01f, 0));
    const rblBodyId giant = put(world, make_box(100, 50, 100), RBL_BODY_DYNAMIC, vec(200, 25.5f, 0));
    const rblBodyId ball = put(world, make_sphere(0.002f), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    Watch w = watch(world);
    for (int i = 0; i < 90; ++i)
    {
        watched_step(&w, STEP);
    }
    check_energy_rule(&w);
    check_all_finite(world);
    check_close(state_of(world, grain).pose.p.y, 0.0005, 1e-4);
    check_close(state_of(world, ball).pose.p.y, 0.002, 1e-4);
    check_close(state_of(world, giant).pose.p.y, 25.0, 0.01);
    assert_int_equal(counters_of(world).frozen, 0);
    check_ok(rbl_world_destroy(world));
}

static void masses_a_million_apart_stay_sane(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(1, 1, 1);
    def.mass = 1e-2f;
    def.pose.p = vec(0, 0.5f, 0);
    rblBodyId light;
    check_ok(rbl_body_create(world, &def, &light));
    def.mass = 1e4f;
    def.pose.p = vec(0, 3.0f, 0);
    rblBodyId heavy;
    check_ok(rbl_body_create(world, &def, &heavy));
    check_ok(rbl_shape_destroy(def.shape));
    Watch w = watch(world);
    for (int i = 0; i < 200; ++i)
    {
        watched_step(&w, STEP);
    }
    check_energy_rule(&w);
    check_all_finite(world);
    assert_true(state_of(world, heavy).pose.p.y > 0.4f && state_of(world, heavy).pose.p.y < 3.0f);
    check_ok(rbl_world_destroy(world));
}

// The squares of their impulses are no floats any more.
static void masses_of_moons_slide_as_a_tower(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(1, 1, 1);
    def.mass = 1e19f;
    def.velocity = vec(10, 0, 0);
    rblBodyId top;
    for (int i = 0; i < 4; ++i)
    {
        def.pose.p = vec(0.05f * (float)i, 0.5f + (float)i, 0);
        check_ok(rbl_body_create(world, &def, &top));
    }
    check_ok(rbl_shape_destroy(def.shape));
    step_times(world, 60);
    check_all_finite(world);
    assert_int_equal(counters_of(world).frozen, 0);
    assert_true(state_of(world, top).pose.p.x > 1.0f);
    check_ok(rbl_world_destroy(world));
}

static void bodies_at_ten_kilometres_a_second_do_no_damage(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_box(10, 10, 0.01f), RBL_BODY_STATIC, zero);
    const rblBodyId bullet =
        put(world, make_box(0.05f, 0.02f, 0.03f), RBL_BODY_DYNAMIC, vec(0.3f, 0.2f, -100));
    const rblBodyId spinner = put(world, make_box(2, 0.1f, 0.1f), RBL_BODY_DYNAMIC, vec(2, 0, 3));
    const rblBodyId target = put(world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC, vec(2, 0.4f, 3.6f));
    check_ok(rbl_body_set_velocity(world, bullet, vec(0, 0, 1e4f), vec(1e3f, 2e3f, 0)));
    check_ok(rbl_body_set_velocity(world, spinner, zero, vec(0, 1e4f, 0)));
    Watch w = watch(world);
    for (int i = 0; i < 30; ++i)
    {
        watched_step(&w, STEP);
        assert_true(state_of(world, bullet).pose.p.z < 0.0f);
    }
    check_all_finite(world);
    check_energy_rule(&w);
    assert_int_equal(counters_of(world).frozen, 0);
    (void)target;
    check_ok(rbl_world_destroy(world));
}

static void numbers_that_overflow_are_stopped(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId mad = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    const rblBodyId sane = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(5, 2, 0));
    const float speeds[4] = {1e18f, 1e30f, 3e38f, 1e14f};
    for (int i = 0; i < 4; ++i)
    {
        check_ok(rbl_body_set_velocity(world, mad, vec(speeds[i], -speeds[i], 0), vec(0, speeds[i], 0)));
        step_times(world, 2);
        check_all_finite(world);
        check_ok(rbl_body_teleport(world, mad, (rblTransform){{0, 0.5f, 0}, {0, 0, 0, 1}}));
    }
    assert_true(counters_of(world).frozen > 0);
    check_ok(rbl_body_apply_force(world, mad, vec(3e38f, 3e38f, 0), vec(1e30f, 0, 0)));
    step_times(world, 60);
    check_all_finite(world);
    check_close(state_of(world, sane).pose.p.y, 0.5, 1e-2);
    check_ok(rbl_world_destroy(world));
}

// A shape that answers with nonsense now and then.
static float mad_distance(const void* context, rblVec3 point, rblVec3* gradient)
{
    const bool mad = *(const bool*)context;
    const float length = rbl_length3(point);
    if (gradient != NULL)
    {
        *gradient =
            mad && point.x > 0.1f ? vec(NAN, INFINITY, 0) : rbl_scale3(point, 1.0f / (length + 1e-6f));
    }
    return mad && point.y > 0.1f ? NAN : length - 0.5f;
}

static void shapes_that_answer_nonsense_harm_only_themselves(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_check_stages(
        world, RBL_CHECK_WITHOUT_NUMBERS)); // contacts with such a shape are not finite until it is frozen
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblVec3 samples[6] = {{0.5f, 0, 0},  {-0.5f, 0, 0}, {0, 0.5f, 0},
                          {0, -0.5f, 0}, {0, 0, 0.5f},  {0, 0, -0.5f}};
    rblUserShape def = rbl_default_user_shape();
    bool mad = false;
    def.name = "nonsense";
    def.context = &mad;
    def.distance = mad_distance;
    def.bounds = (rblAabb){{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
    def.samples = samples;
    def.sample_count = 6;
    def.mass = (rblMassProperties){.volume = 0.5, .mass = 0.5, .moments = {0.05, 0.05, 0.05}};
    def.mass.principal_axes.cx = (rblVec3d){1, 0, 0};
    def.mass.principal_axes.cy = (rblVec3d){0, 1, 0};
    def.mass.principal_axes.cz = (rblVec3d){0, 0, 1};
    rblShapeId shape;
    check_ok(rbl_shape_create_user(&def, &shape));
    mad = true;
    put(world, shape, RBL_BODY_DYNAMIC, vec(0, 0.6f, 0));
    put(world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC, vec(0.2f, 1.3f, 0.1f));
    put(world, make_sphere(0.3f), RBL_BODY_DYNAMIC, vec(0.6f, 0.5f, 0.1f));
    const rblBodyId far = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(9, 2, 0));
    for (int i = 0; i < 60; ++i)
    {
        step_times(world, 1);
        check_all_finite(world);
    }
    check_close(state_of(world, far).pose.p.y, 0.5, 1e-2);
    check_ok(rbl_world_destroy(world));
}

// ---- overlap ----

static void bodies_born_in_one_place_part_slowly(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyId bodies[100];
    for (int i = 0; i < 100; ++i)
    {
        bodies[i] = put(world, make_box(0.4f, 0.3f, 0.2f), RBL_BODY_DYNAMIC, vec(0, 0.3f, 0));
    }
    Watch w = watch(world);
    rblVec3 last[100];
    for (int i = 0; i < 100; ++i)
    {
        last[i] = state_of(world, bodies[i]).pose.p;
    }
    double fastest = 0.0;
    for (int k = 0; k < 240; ++k)
    {
        watched_step(&w, STEP);
        for (int i = 0; i < 100; ++i)
        {
            const rblBodyState now = state_of(world, bodies[i]);
            fastest = fmax(fastest, (double)rbl_length3(now.velocity));
            last[i] = now.pose.p;
        }
    }
    check_all_finite(world);
    check_energy_rule(&w);
    assert_int_equal(counters_of(world).frozen, 0);
    // Nothing shoots off: falling a few decimetres is all the speed there may be.
    assert_true(fastest < 5.0);
    assert_true(w.work >= 0.0);
    rblCounters counters = counters_of(world);
    assert_true(counters.contacts > 0);
    double spread = 0.0;
    for (int i = 0; i < 100; ++i)
    {
        spread = fmax(spread, (double)rbl_length3(rbl_sub3(last[i], vec(0, 0.3f, 0))));
    }
    assert_true(spread > 0.5 && spread < 10.0);
    check_ok(rbl_world_destroy(world));
}

static void deep_overlap_is_undone_at_bounded_speed_and_booked(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId body = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, -0.4f, 0));
    const double weight = 9.81 * (double)state_of(world, body).mass;
    Watch w = watch(world);
    float last = -0.4f;
    for (int i = 0; i < 90; ++i)
    {
        watched_step(&w, STEP);
        const float now = state_of(world, body).pose.p.y;
        assert_true(now - last < 1.05f * STEP);
        last = now;
    }
    check_close(last, 0.5, 0.005);
    check_relative(w.work, weight * 0.9, 0.02);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

// ---- changes in mid-run ----

static void bodies_vanish_from_piles(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyId bodies[40];
    for (int i = 0; i < 40; ++i)
    {
        bodies[i] = put(world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC,
                        vec(0.1f * (float)(i % 3), 0.25f + 0.5f * (float)i, 0));
    }
    for (int i = 0; i < 40; ++i)
    {
        step_times(world, 3);
        check_ok(rbl_body_destroy(world, bodies[(i * 17) % 40]));
        const rblContactEvent* events;
        uint32_t count;
        check_ok(rbl_world_contact_events(world, &events, &count));
        for (int k = (i * 17 + 17) % 40, left = 0; left < 2 && i < 37; ++left)
        {
            uint32_t felt = 0;
            check_ok(rbl_body_impulses(world, bodies[k], NULL, 0, &felt));
        }
    }
    step_times(world, 2);
    assert_int_equal(counters_of(world).pairs, 0);
    assert_int_equal(counters_of(world).bodies, 1);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void settings_change_while_it_runs(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyId bodies[12];
    for (int i = 0; i < 12; ++i)
    {
        bodies[i] =
            put(world, make_box(0.5f, 0.4f, 0.5f), RBL_BODY_DYNAMIC, vec(0, 0.3f + 0.5f * (float)i, 0));
    }
    Watch w = watch(world);
    for (int i = 0; i < 300; ++i)
    {
        const rblBodyId body = bodies[i % 12];
        switch (i % 25)
        {
        case 0:
            check_ok(rbl_world_set_gravity(world, i % 2 == 0 ? vec(3, -5, 0) : vec(0, -9.81f, 1)));
            break;
        case 5:
            check_ok(rbl_body_set_filter(world, body,
                                         (rblFilter){.category = i % 2 == 0 ? 2 : 1, .mask = UINT64_MAX}));
            break;
        case 10:
            check_ok(rbl_body_teleport(world, body, state_of(world, bodies[(i + 5) % 12]).pose));
            break;
        case 15:
            check_ok(rbl_body_set_velocity(world, body, vec(3, 4, 0), vec(0, 10, 0)));
            break;
        case 20:
            check_ok(rbl_body_apply_force(world, body, vec(0, 2000, 100), state_of(world, body).center));
            break;
        default:
            break;
        }
        watched_step(&w, STEP);
    }
    check_all_finite(world);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_too_short_to_matter_move_nothing),
        cmocka_unit_test(sizes_from_a_millimetre_to_a_kilometre_share_a_scene),
        cmocka_unit_test(masses_a_million_apart_stay_sane),
        cmocka_unit_test(masses_of_moons_slide_as_a_tower),
        cmocka_unit_test(bodies_at_ten_kilometres_a_second_do_no_damage),
        cmocka_unit_test(numbers_that_overflow_are_stopped),
        cmocka_unit_test(shapes_that_answer_nonsense_harm_only_themselves),
        cmocka_unit_test(bodies_born_in_one_place_part_slowly),
        cmocka_unit_test(deep_overlap_is_undone_at_bounded_speed_and_booked),
        cmocka_unit_test(bodies_vanish_from_piles),
        cmocka_unit_test(settings_change_while_it_runs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
