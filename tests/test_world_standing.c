// Heavy things on light ones, and what may not fall asleep however little it moves.
#include "world_testing.h"

#include <math.h>

#define STONES 8 // in a row

static rblBodyId put_heavy(rblWorldId world, rblShapeId shape, rblVec3 at, float mass)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    def.shape = shape;
    def.mass = mass;
    def.pose.p = at;
    def.material.restitution = 0.0f;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(shape));
    return body;
}

static rblBodyId put_tilted(rblWorldId world, rblShapeId shape, rblVec3 at, float angle)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    def.shape = shape;
    def.pose.p = at;
    def.pose.q = rbl_quat_from_axis_angle(vec(0, 0, 1), angle);
    def.material.restitution = 0.0f;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(shape));
    return body;
}

// ---- loads ----

// A slab of 200 kg falls on stones of 20 g. They lie in two layers and are not all of a height.
static void light_stones_carry_a_slab(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyId stones[2 * STONES * STONES];
    for (int i = 0; i < 2 * STONES * STONES; ++i)
    {
        const float x = 0.05f * ((float)(i % STONES) - 0.5f * (STONES - 1));
        const float z = 0.05f * ((float)(i / STONES % STONES) - 0.5f * (STONES - 1));
        const float height = 0.02f + 0.001f * (float)(i % 7);
        const float y = i < STONES * STONES ? 0.5f * height + 1e-4f : 0.026f + 0.5f * height + 2e-4f;
        stones[i] = put_heavy(world, make_box(0.04f, height, 0.04f), vec(x, y, z), 0.02f);
    }
    step_times(world, 10);
    const rblBodyId slab = put_heavy(world, make_box(0.6f, 0.1f, 0.6f), vec(0, 0.4f, 0), 200.0f);
    step_times(world, 180);
    float deepest = 0.0f;
    for (int i = 0; i < 2 * STONES * STONES; ++i)
    {
        deepest = rbl_maxf(deepest, 0.01f - state_of(world, stones[i]).pose.p.y);
    }
    const float height = state_of(world, slab).pose.p.y;
    if (!(deepest < 5e-4f && height > 0.098f))
    {
        fail_msg("a stone is pressed %g m into the ground, and the slab lies at %g m instead of 0.1",
                 (double)deepest, (double)height);
    }
    assert_int_equal(counters_of(world).awake, 0);
    check_ok(rbl_world_destroy(world));
}

// A platform that has stopped is as good as the ground.
static void light_stones_carry_a_slab_on_a_kinematic_floor(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId floor = put(world, make_box(4, 0.2f, 4), RBL_BODY_KINEMATIC, vec(0, -0.4f, 0));
    rblBodyId stones[3];
    for (int i = 0; i < 3; ++i)
    {
        const rblVec3 at = vec(i == 0 ? 0.4f : -0.4f, -0.25f, 0.4f * (float)(i == 0 ? 0 : 2 * i - 3));
        stones[i] = put_heavy(world, make_box(0.1f, 0.1f, 0.1f), at, 0.01f);
    }
    step_times(world, 5);
    check_ok(rbl_body_set_velocity(world, floor, vec(0, 0.3f, 0), vec(0, 0, 0)));
    step_times(world, 30);
    check_ok(rbl_body_set_velocity(world, floor, vec(0, 0, 0), vec(0, 0, 0)));
    step_times(world, 5);
    const rblBodyId slab = put_heavy(world, make_box(1.2f, 0.2f, 1.2f), vec(0, 0.21f, 0), 1000.0f);
    step_times(world, 90);
    check_close(state_of(world, floor).pose.p.y, -0.1, 1e-5);
    check_close(state_of(world, slab).pose.p.y, 0.2, 2e-3);
    for (int i = 0; i < 3; ++i)
    {
        check_close(state_of(world, stones[i]).pose.p.y, 0.05, 2e-3);
    }
    check_ok(rbl_world_destroy(world));
}

// A kinematic body is no load: what it does to a light one goes on.
static void what_a_kinematic_body_rubs_stays_awake(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    put_heavy(world, make_box(0.2f, 0.2f, 0.2f), vec(5, 0.1f, 0), 400.0f);
    const rblBodyId light = put_heavy(world, make_box(0.2f, 0.1f, 0.2f), vec(0, 0.05f, 0), 0.4f);
    step_times(world, 3);
    const rblBodyId brush = put(world, make_box(2, 0.1f, 1), RBL_BODY_KINEMATIC, vec(0, 0.1499f, 0));
    check_ok(rbl_body_set_velocity(world, brush, vec(0.15f, 0, 0), vec(0, 0, 0)));
    step_times(world, 60);
    assert_true(state_of(world, light).awake);
    check_ok(rbl_world_destroy(world));
}

static rblShapeId make_roller(int kind)
{
    rblShapeId shape = {0, 0};
    switch (kind)
    {
    case 0:
        return make_sphere(0.05f);
    case 1:
        check_ok(rbl_shape_create_capsule(0.05f, 0.3f, &shape));
        return shape;
    default:
        check_ok(rbl_shape_create_cylinder(0.05f, 0.2f, &shape));
        return shape;
    }
}

// Its axis along z.
static rblBodyId put_roller(rblWorldId world, int kind, rblVec3 at)
{
    rblBodyDef def = rbl_default_body_def();
    rblBodyId roller;
    def.shape = make_roller(kind);
    def.mass = 0.4f;
    def.pose.p = at;
    def.pose.q = rbl_quat_from_axis_angle(vec(1, 0, 0), 1.57079633f);
    def.material.restitution = 0.0f;
    check_ok(rbl_body_create(world, &def, &roller));
    check_ok(rbl_shape_destroy(def.shape));
    return roller;
}

static void what_is_round_rolls_on(void** state)
{
    (void)state;
    for (int kind = 0; kind < 3; ++kind)
    {
        const rblWorldId world = make_world(true);
        put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
        const rblBodyId roller = put_roller(world, kind, vec(0, 0.05f, 0));
        check_ok(rbl_body_set_velocity(world, roller, vec(1, 0, 0), vec(0, 0, -20)));
        step_times(world, 60);
        check_close(state_of(world, roller).velocity.x, 1, 1e-2);
        check_close(state_of(world, roller).pose.p.x, 2, 2e-2);
        check_close(state_of(world, roller).pose.p.y, 0.05, 1e-3);
        check_ok(rbl_world_destroy(world));
    }
}

// A plank of 4, 40 or 400 kg goes on over rollers of 0.4 kg, at its height: it neither stops on them nor sinks and drives them.
static void a_plank_rolls_on_rollers(void** state)
{
    (void)state;
    static const float masses[] = {4.0f, 40.0f, 400.0f};
    for (int i = 0; i < 9; ++i)
    {
        const rblWorldId world = make_world(true);
        put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
        for (int k = 0; k < 4; ++k)
        {
            put_roller(world, i / 3, vec(k % 2 == 0 ? -0.3f : 0.3f, 0.05f, k / 2 == 0 ? -0.3f : 0.3f));
        }
        const rblBodyId plank = put_heavy(world, make_box(2, 0.1f, 1), vec(0, 0.15f, 0), masses[i % 3]);
        step_times(world, 5);
        check_ok(rbl_body_set_velocity(world, plank, vec(0.5f, 0, 0), vec(0, 0, 0)));
        step_times(world, 30);
        const rblBodyState now = state_of(world, plank);
        if (!(now.velocity.x > 0.4f && now.velocity.x < 0.501f && now.pose.p.y > 0.148f))
        {
            fail_msg("a plank of %g kg goes at %g m/s, at %g m", (double)masses[i % 3],
                     (double)now.velocity.x, (double)now.pose.p.y);
        }
        check_ok(rbl_world_destroy(world));
    }
}

// A light plank on a fulcrum: what lies on its end is not over what it stands on.
static void a_heavy_load_tips_a_light_plank(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    put(world, make_box(0.1f, 0.5f, 0.5f), RBL_BODY_STATIC, vec(0, 0.25f, 0));
    const rblBodyId plank = put_heavy(world, make_box(2, 0.1f, 0.4f), vec(0, 0.55f, 0), 1.0f);
    step_times(world, 10);
    put_heavy(world, make_box(0.25f, 0.2f, 0.4f), vec(0.8f, 0.7f, 0), 100.0f);
    step_times(world, 30);
    assert_true(fabsf(state_of(world, plank).pose.q.z) > 0.05f);
    check_ok(rbl_world_destroy(world));
}

// What stands in the way is not pressed down: it is pushed along.
static void a_heavy_ball_pushes_a_light_one_along(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    const rblBodyId light = put_heavy(world, make_sphere(0.1f), vec(0.5f, 0.1f, 0), 0.05f);
    const rblBodyId heavy = put_heavy(world, make_sphere(0.1f), vec(0, 0.1f, 0), 50.0f);
    check_ok(rbl_body_set_velocity(world, heavy, vec(1, 0, 0), vec(0, 0, -10)));
    step_times(world, 60);
    assert_true(state_of(world, light).pose.p.x > 1.0f);
    assert_true(state_of(world, heavy).pose.p.x > 0.8f);
    check_ok(rbl_world_destroy(world));
}

// ---- what tips ----

// Upright plates, off balance by less than a body that rocks may move: they creep at first, and must not be taken for at rest.
static void what_stands_off_balance_falls(void** state)
{
    (void)state;
    static const float sizes[] = {0.03f, 0.1f, 0.5f, 2.0f};
    for (int i = 0; i < 4; ++i)
    {
        const float height = sizes[i];
        const float width = 0.1f * height;
        const float balance = atanf(width / height); // tilted so far that its centre is over the edge
        for (int more = 1; more <= 2; ++more)
        {
            const rblWorldId world = make_world(true);
            put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
            const float angle = balance + 0.002f * (float)more;
            const float diagonal = 0.5f * sqrtf(width * width + height * height);
            const float up = diagonal * cosf(angle - balance);
            const rblBodyId plate = put_tilted(world, make_box(width, height, height), vec(0, up, 0), angle);
            step_times(world, 240);
            const rblBodyState now = state_of(world, plate);
            if (!(now.pose.p.y < 0.6f * width))
            {
                fail_msg("a plate of %g m, off balance by %g, hangs at a height of %g m, %s", (double)height,
                         (double)(angle - balance), (double)now.pose.p.y, now.awake ? "awake" : "asleep");
            }
            check_ok(rbl_world_destroy(world));
        }
    }
}

// Without friction.
static void what_begins_to_slide_goes_on(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    def.type = RBL_BODY_STATIC;
    def.shape = make_box(20, 1, 4);
    def.pose.p = vec(0, -0.5f, 0);
    def.pose.q = rbl_quat_from_axis_angle(vec(0, 0, 1), 0.05f);
    def.material.friction = 0.0f;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    def.type = RBL_BODY_DYNAMIC;
    def.shape = make_box(0.2f, 0.2f, 0.2f);
    def.pose.p = vec(0, 0.101f, 0);
    def.material.restitution = 0.0f;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    step_times(world, 60);
    assert_true(state_of(world, body).pose.p.x < -0.5f);
    check_ok(rbl_world_destroy(world));
}

// A turn a step takes a body back to where it was, every time.
static void what_goes_round_stays_awake(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    const rblBodyId ball = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0, 0.1f, 0));
    const float spin = 6.28318531f / STEP;
    check_ok(rbl_body_set_velocity(world, ball, vec(0, 0, 0), vec(0, spin, 0)));
    step_times(world, 60);
    check_close(state_of(world, ball).spin.y, (double)spin, 1e-2 * (double)spin);
    check_ok(rbl_world_destroy(world));
}

// With no time to wait, bodies fall asleep as soon as they are slow, and not before.
static void what_moves_stays_awake_without_a_sleep_time(void** state)
{
    (void)state;
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    def.gravity = vec(0, 0, 0);
    def.sleep_time = 0.0f;
    check_ok(rbl_world_create(&def, &world));
    const rblBodyId ball = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0, 0, 0));
    const rblBodyId still = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0, 5, 0));
    check_ok(rbl_body_set_velocity(world, ball, vec(1, 0, 0), vec(0, 0, 0)));
    step_times(world, 30);
    check_close(state_of(world, ball).pose.p.x, 1, 1e-4);
    assert_false(state_of(world, still).awake);
    check_ok(rbl_world_destroy(world));
}

// Thrown up where gravity is weak: for a second it is hardly faster than what sleeps, at the top.
static void what_falls_slowly_goes_on_falling(void** state)
{
    (void)state;
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    def.gravity = vec(0, -0.05f, 0);
    check_ok(rbl_world_create(&def, &world));
    const rblBodyId box = put(world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC, vec(0, 0, 0));
    check_ok(rbl_body_set_velocity(world, box, vec(0, 0.05f, 0), vec(0, 0, 0)));
    step_times(world, 150);
    assert_true(state_of(world, box).awake);
    check_close(state_of(world, box).pose.p.y, 0.05 * 5.0 - 0.5 * 0.05 * 25.0, 1e-3);
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(light_stones_carry_a_slab),
        cmocka_unit_test(light_stones_carry_a_slab_on_a_kinematic_floor),
        cmocka_unit_test(what_a_kinematic_body_rubs_stays_awake),
        cmocka_unit_test(what_is_round_rolls_on),
        cmocka_unit_test(a_plank_rolls_on_rollers),
        cmocka_unit_test(a_heavy_load_tips_a_light_plank),
        cmocka_unit_test(a_heavy_ball_pushes_a_light_one_along),
        cmocka_unit_test(what_stands_off_balance_falls),
        cmocka_unit_test(what_begins_to_slide_goes_on),
        cmocka_unit_test(what_goes_round_stays_awake),
        cmocka_unit_test(what_moves_stays_awake_without_a_sleep_time),
        cmocka_unit_test(what_falls_slowly_goes_on_falling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
