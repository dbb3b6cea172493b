// Time of impact: never late, and not early without need.
#include "testing.h"

#include "convex_distance.h"
#include "field/contact/collide.h"
#include "math/trig.h"
#include "shape_testing.h"

static rblTransform pose_of(const rblShapeView* shape, const rblSweep* sweep, float t)
{
    const rblVec3 center = rbl_to_float3(shape->mass.center);
    const rblQuat turn = rbl_quat_from_axis_angle(sweep->rotation, t * rbl_length3(sweep->rotation));
    const rblQuat q = rbl_quat_normalize(rbl_quat_mul(turn, sweep->from.q));
    const rblVec3 at = rbl_mul_add3(rbl_transform_point(sweep->from, center), t, sweep->translation);
    return (rblTransform){rbl_sub3(at, rbl_rotate3(q, center)), q};
}

static double distance_at(const rblShapeView* a, const rblSweep* sa, const rblShapeView* b,
                          const rblSweep* sb, float t)
{
    rblVec3d n;
    return convex_distance(a, b, rbl_transform_relative(pose_of(a, sa, t), pose_of(b, sb, t)), &n);
}

static rblSweep at_rest(rblVec3 p)
{
    return (rblSweep){{p, {0, 0, 0, 1}}, {0, 0, 0}, {0, 0, 0}};
}

static void a_bullet_meets_a_wall_of_one_millimetre(void** state)
{
    (void)state;
    rblShapeId ids[2];
    rblShapeView bullet;
    rblShapeView wall;
    check_ok(rbl_shape_create_sphere(0.002f, &ids[0]));
    check_ok(rbl_shape_create_box((rblVec3){0.001f, 2.0f, 2.0f}, &ids[1]));
    check_ok(rbl_shape_view(ids[0], &bullet));
    check_ok(rbl_shape_view(ids[1], &wall));
    rblSweep flight = at_rest((rblVec3){-10.0f, 0.3f, 0.2f});
    flight.translation.x = 26.6f; // 800 m/s over a thirtieth of a second
    const rblSweep still = at_rest((rblVec3){0, 0, 0});
    const double expected = (10.0 - 0.0005 - 0.002) / 26.6;
    check_close(rbl_shape_time_of_impact(&bullet, &flight, &wall, &still, 0.0f, 1e-5f), expected, 1e-6);
    check_close(rbl_shape_time_of_impact(&wall, &still, &bullet, &flight, 0.0f, 1e-5f), expected, 1e-6);
    flight.from.p.y = 1.5f; // over the wall
    check_close(rbl_shape_time_of_impact(&bullet, &flight, &wall, &still, 0.0f, 1e-5f), 1.0, 0.0);
    flight.from.p = (rblVec3){0, 0, 0}; // in it from the start
    check_close(rbl_shape_time_of_impact(&bullet, &flight, &wall, &still, 0.0f, 1e-5f), 0.0, 0.0);
    flight.from.p.x = NAN;
    check_close(rbl_shape_time_of_impact(&bullet, &flight, &wall, &still, 0.0f, 1e-5f), 1.0, 0.0);
    check_ok(rbl_shape_destroy(ids[0]));
    check_ok(rbl_shape_destroy(ids[1]));
}

static void falling_things_meet_the_ground_in_time(void** state)
{
    (void)state;
    rblShapeId ids[2];
    rblShapeView plane;
    rblShapeView box;
    check_ok(rbl_shape_create_plane((rblVec3){0, 1, 0}, &ids[0]));
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &ids[1]));
    check_ok(rbl_shape_view(ids[0], &plane));
    check_ok(rbl_shape_view(ids[1], &box));
    const rblSweep ground = at_rest((rblVec3){0, 0, 0});
    rblSweep fall = at_rest((rblVec3){3, 100.5f, 5});
    fall.translation.y = -200.0f;
    check_close(rbl_shape_time_of_impact(&plane, &ground, &box, &fall, 0.0f, 1e-4f), 0.5, 1e-5);
    check_close(rbl_shape_time_of_impact(&box, &fall, &plane, &ground, 1.0f, 1e-4f), 0.495, 1e-5);
    fall.translation.y = 200.0f; // away
    check_close(rbl_shape_time_of_impact(&box, &fall, &plane, &ground, 0.0f, 1e-4f), 1.0, 0.0);
    check_ok(rbl_shape_destroy(ids[0]));
    check_ok(rbl_shape_destroy(ids[1]));
}

static float find_thrown(const rblShapeView* ground, const rblShapeView* ball, rblVec3 from, rblVec3 travel,
                         float drop, rblPairCache* cache)
{
    const rblSweep still = at_rest((rblVec3){0, 0, 0});
    rblSweep flight = at_rest(from);
    flight.translation = travel;
    flight.rotation = (rblVec3){0.3f, 2.0f, 0.1f};
    const rblImpactQuery query = {.a = ground,
                                  .b = ball,
                                  .sweep_a = &still,
                                  .sweep_b = &flight,
                                  .sag = {0, -drop, 0},
                                  .tolerance = 1e-5f,
                                  .cache = cache};
    return rbl_shape_find_impact(&query);
}

static void thrown_things_follow_their_parabola(void** state)
{
    (void)state;
    rblShapeId ids[3];
    rblShapeView plane;
    rblShapeView wall;
    rblShapeView ball;
    check_ok(rbl_shape_create_plane((rblVec3){0, 1, 0}, &ids[0]));
    check_ok(rbl_shape_create_box((rblVec3){0.1f, 2.0f, 2.0f}, &ids[1]));
    check_ok(rbl_shape_create_sphere(0.1f, &ids[2]));
    check_ok(rbl_shape_view(ids[0], &plane));
    check_ok(rbl_shape_view(ids[1], &wall));
    check_ok(rbl_shape_view(ids[2], &ball));
    // Thrown up by 1 m in the time in which it would fall by 4 m: y = 1.1 + t - 4 t^2 is 0.1 here.
    const double landing = (1.0 + sqrt(1.0 + 16.0)) / 8.0;
    check_close(find_thrown(&plane, &ball, (rblVec3){0, 1.1f, 0}, (rblVec3){3, -3, 0}, 4.0f, NULL), landing,
                1e-5);
    // The chord goes through the wall, the parabola over its top: y = 0.5 + 4 t - 4 t^2 is 1.5 half way.
    check_close(find_thrown(&wall, &ball, (rblVec3){-2, 0.5f, 0}, (rblVec3){4, 0, 0}, 4.0f, NULL), 1.0, 0.0);
    assert_true(find_thrown(&wall, &ball, (rblVec3){-2, 0.5f, 0}, (rblVec3){4, 0, 0}, 0.0f, NULL) < 0.5f);
    check_ok(rbl_shape_destroy(ids[0]));
    check_ok(rbl_shape_destroy(ids[1]));
    check_ok(rbl_shape_destroy(ids[2]));
}

static void the_cache_of_a_pair_hardly_moves_its_impact(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(77, 1);
    for (int round = 0; round < 100; ++round)
    {
        const rblShapeId ids[2] = {make_stone(&random), make_stone(&random)};
        rblShapeView a;
        rblShapeView b;
        check_ok(rbl_shape_view(ids[0], &a));
        check_ok(rbl_shape_view(ids[1], &b));
        rblPairCache cache = {{0}};
        const rblVec3 from = rbl_scale3(random_direction(&random), 0.8f);
        const rblVec3 travel = rbl_add3(rbl_scale3(from, -2.0f), random_in_cube(&random, 0.1f));
        const float without = find_thrown(&a, &b, from, travel, 0.1f, NULL);
        for (int again = 0; again < 3; ++again)
        {
            check_close(find_thrown(&a, &b, from, travel, 0.1f, &cache), without, 1e-4);
        }
        check_ok(rbl_shape_destroy(ids[0]));
        check_ok(rbl_shape_destroy(ids[1]));
    }
}

static void stones_are_as_far_apart_as_a_search_says_at_least(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(78, 1);
    int known = 0;
    for (int round = 0; round < 300; ++round)
    {
        const rblShapeId ids[2] = {make_stone(&random), make_stone(&random)};
        rblShapeView a;
        rblShapeView b;
        check_ok(rbl_shape_view(ids[0], &a));
        check_ok(rbl_shape_view(ids[1], &b));
        const rblSweep still = at_rest((rblVec3){0, 0, 0});
        const rblVec3 direction = random_direction(&random);
        const rblVec3 from = rbl_scale3(direction, random_between(&random, 0.05f, 0.45f));
        rblSweep flight = at_rest(from);
        flight.translation = rbl_add3(rbl_scale3(from, -2.0f), random_in_cube(&random, 0.3f));
        flight.rotation = rbl_scale3(random_direction(&random), 0.5f);
        rblPairCache cache = {{0}};
        const rblPreparedSweep prepared[2] = {rbl_shape_prepare_sweep(&a, &still),
                                              rbl_shape_prepare_sweep(&b, &flight)};
        float clear;
        rblImpactQuery query = {.a = &a,
                                .b = &b,
                                .sweep_a = &still,
                                .sweep_b = &flight,
                                .target = 1e-4f,
                                .tolerance = 5e-5f,
                                .cache = &cache,
                                .prepared_a = &prepared[0],
                                .prepared_b = &prepared[1],
                                .clear = &clear};
        const float t = rbl_shape_find_impact(&query);
        cache = (rblPairCache){{0}};
        query.prepared_a = query.prepared_b = NULL;
        query.clear = NULL;
        assert_true(t == rbl_shape_find_impact(&query));
        assert_true((double)clear <= rbl_maxd(distance_at(&a, &still, &b, &flight, 0.0f), 0.0));
        known += clear > 0.0f;
        check_ok(rbl_shape_destroy(ids[0]));
        check_ok(rbl_shape_destroy(ids[1]));
    }
    assert_true(known > 100);
}

static void a_spinning_rod_meets_a_ball_beside_it(void** state)
{
    (void)state;
    rblShapeId ids[2];
    rblShapeView rod;
    rblShapeView ball;
    check_ok(rbl_shape_create_box((rblVec3){2.0f, 0.002f, 0.002f}, &ids[0]));
    check_ok(rbl_shape_create_sphere(0.05f, &ids[1]));
    check_ok(rbl_shape_view(ids[0], &rod));
    check_ok(rbl_shape_view(ids[1], &ball));
    rblSweep spin = at_rest((rblVec3){0, 0, 0});
    spin.rotation.y = 2.8f; // nearly half a turn
    // At an angle of 1.5 radians from where the rod begins; turning about y takes +x to -z.
    const rblSweep still = at_rest((rblVec3){0.9f * (float)rbl_cos(1.5), 0, -0.9f * (float)rbl_sin(1.5)});
    const float t = rbl_shape_time_of_impact(&rod, &spin, &ball, &still, 0.0f, 1e-4f);
    // The rod's side, 1 mm out, touches the ball when the centre is 51 mm off its axis.
    check_close(t, (1.5 - asin(0.051 / 0.9)) / 2.8, 1e-3);
    check_ok(rbl_shape_destroy(ids[0]));
    check_ok(rbl_shape_destroy(ids[1]));
}

static rblShapeId random_shape(rblRandom* random)
{
    rblShapeId id = {0, 0};
    switch (rbl_random_below(random, 5))
    {
    case 0:
        check_ok(rbl_shape_create_sphere(random_between(random, 0.02f, 0.2f), &id));
        break;
    case 1:
        check_ok(rbl_shape_create_capsule(0.03f, random_between(random, 0.1f, 0.6f), &id));
        break;
    case 2:
        check_ok(rbl_shape_create_box((rblVec3){random_between(random, 0.01f, 0.3f), 0.4f, 0.01f}, &id));
        break;
    case 3:
        check_ok(rbl_shape_create_cylinder(random_between(random, 0.02f, 0.2f), 0.1f, &id));
        break;
    default:
        id = make_stone(random);
    }
    return id;
}

static rblSweep random_sweep(rblRandom* random)
{
    rblSweep sweep;
    sweep.from.p = rbl_scale3(random_direction(random), 0.8f);
    sweep.from.q = random_rotation(random);
    // Through about the middle, where the other comes along as well.
    sweep.translation = rbl_add3(rbl_scale3(sweep.from.p, -2.0f), random_in_cube(random, 0.2f));
    sweep.rotation = random_in_cube(random, 2.0f);
    return sweep;
}

static void impacts_are_never_late(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(31, 1);
    int met = 0;
    for (int round = 0; round < 300; ++round)
    {
        const rblShapeId ids[2] = {random_shape(&random), random_shape(&random)};
        rblShapeView a;
        rblShapeView b;
        check_ok(rbl_shape_view(ids[0], &a));
        check_ok(rbl_shape_view(ids[1], &b));
        const rblSweep sa = random_sweep(&random);
        const rblSweep sb = random_sweep(&random);
        const float target = round % 3 == 0 ? 0.005f : 0.0f;
        const float tolerance = 1e-3f;
        const float t = rbl_shape_time_of_impact(&a, &sa, &b, &sb, target, tolerance);
        assert_true(t >= 0.0f && t <= 1.0f);
        for (int k = 0; k <= 60 && t > 0.0f; ++k)
        {
            const double d = distance_at(&a, &sa, &b, &sb, t * (float)k / 60.0f);
            assert_true(d >= (double)(target - tolerance) - 1e-5);
        }
        if (t > 0.0f && t < 1.0f)
        {
            ++met;
            check_close(distance_at(&a, &sa, &b, &sb, t), target, 1.1 * (double)tolerance);
        }
        check_ok(rbl_shape_destroy(ids[0]));
        check_ok(rbl_shape_destroy(ids[1]));
    }
    assert_true(met > 20);
}

static void compounds_are_met_in_time_too(void** state)
{
    (void)state;
    rblShapeId ball;
    rblShapeId wall;
    rblShapeId pair_of_balls;
    check_ok(rbl_shape_create_sphere(0.05f, &ball));
    check_ok(rbl_shape_create_box((rblVec3){0.01f, 2.0f, 2.0f}, &wall));
    const rblShapeChild children[2] = {{ball, {{-0.1f, 0, 0}, {0, 0, 0, 1}}},
                                       {ball, {{0.1f, 0, 0}, {0, 0, 0, 1}}}};
    check_ok(rbl_shape_create_compound(children, 2, &pair_of_balls));
    rblShapeView a;
    rblShapeView b;
    check_ok(rbl_shape_view(pair_of_balls, &a));
    check_ok(rbl_shape_view(wall, &b));
    rblSweep flight = at_rest((rblVec3){-5.0f, 0, 0});
    flight.translation.x = 10.0f;
    const rblSweep still = at_rest((rblVec3){0, 0, 0});
    const float t = rbl_shape_time_of_impact(&a, &flight, &b, &still, 0.0f, 1e-3f);
    check_close(t, (5.0 - 0.15 - 0.005) / 10.0, 1e-2);
    assert_true(t <= (5.0f - 0.15f - 0.005f) / 10.0f + 1e-4f);
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_shape_destroy(wall));
    check_ok(rbl_shape_destroy(pair_of_balls));
}

// Boxes whose contacts were found where they touch: the direction of these tells the gap when they part, and never too much.
static void what_a_cache_knows_of_a_gap_is_never_too_much(void** state)
{
    (void)state;
    rblShapeId id;
    rblShapeView box;
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &id));
    check_ok(rbl_shape_view(id, &box));
    rblPairCache cache = {.words = {0}};
    rblTransform pose = {{0.2f, 1.0f, 0.1f}, {0, 0, 0, 1}};
    assert_true(rbl_shape_known_gap(&box, &box, pose, &cache) == -INFINITY);
    assert_true(rbl_shape_known_gap(&box, &box, pose, NULL) == -INFINITY);
    rblContactSet set = {.points = NULL};
    const rblCollideOptions options = rbl_default_collide_options();
    check_ok(rbl_shape_collide(&box, &box, pose, &options, &cache, &set));
    assert_true(set.count > 0);
    check_close(rbl_shape_known_gap(&box, &box, pose, &cache), 0.0, 1e-6);
    pose.p.y = 1.25f;
    check_close(rbl_shape_known_gap(&box, &box, pose, &cache), 0.25, 1e-6);
    for (int i = 0; i < 40; ++i)
    {
        pose.p = (rblVec3){0.1f * (float)i, 1.3f - 0.05f * (float)i, 0.3f};
        pose.q = rbl_quat_from_axis_angle((rblVec3){0.6f, 0.0f, 0.8f}, 0.1f * (float)i);
        rblVec3d n;
        const double apart = convex_distance(&box, &box, pose, &n);
        assert_true((double)rbl_shape_known_gap(&box, &box, pose, &cache) <= rbl_maxd(apart, 0.0) + 1e-6);
    }
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(id));
}

// A pair that is said to stay apart is farther apart at the start than was asked for, and never nearer than the target; one whose
// cache knows nothing is never said to.
int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bullet_meets_a_wall_of_one_millimetre),
        cmocka_unit_test(falling_things_meet_the_ground_in_time),
        cmocka_unit_test(thrown_things_follow_their_parabola),
        cmocka_unit_test(the_cache_of_a_pair_hardly_moves_its_impact),
        cmocka_unit_test(stones_are_as_far_apart_as_a_search_says_at_least),
        cmocka_unit_test(a_spinning_rod_meets_a_ball_beside_it),
        cmocka_unit_test(impacts_are_never_late),
        cmocka_unit_test(compounds_are_met_in_time_too),
        cmocka_unit_test(what_a_cache_knows_of_a_gap_is_never_too_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
