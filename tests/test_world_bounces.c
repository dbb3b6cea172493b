// What bounces keeps its energy: turning bodies, crowds, bodies held by others, and impacts with kinematic ones.
#include "world_testing.h"

static rblWorldId make_weightless(void)
{
    rblWorldDef def = rbl_default_world_def();
    def.gravity = vec(0, 0, 0);
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    return world;
}

static rblBodyId put_moving(rblWorldId world, rblShapeId shape, rblBodyType type, rblVec3 at,
                            rblVec3 velocity, rblVec3 spin, float restitution)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.type = type;
    def.mass = type == RBL_BODY_DYNAMIC ? 1.0f : 0.0f;
    def.pose.p = at;
    def.velocity = velocity;
    def.spin = spin;
    def.material.friction = 0.0f;
    def.material.restitution = restitution;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    return body;
}

// Six walls about a cube of 10 m.
static void put_room(rblWorldId world)
{
    static const rblVec3 places[6] = {{0, -10, 0}, {0, 10, 0},  {-10, 0, 0},
                                      {10, 0, 0},  {0, 0, -10}, {0, 0, 10}};
    const rblShapeId wall = make_box(10, 10, 10);
    for (int i = 0; i < 6; ++i)
    {
        put_moving(world, wall, RBL_BODY_STATIC, places[i], vec(0, 0, 0), vec(0, 0, 0), 1.0f);
    }
    check_ok(rbl_shape_destroy(wall));
}

static void put_crowd(rblWorldId world, rblShapeId shape, int count, rblVec3 spin)
{
    static const rblVec3 velocities[5] = {
        {3, 2, -1}, {-2.5f, 1, 2}, {0.7f, -3, 1.5f}, {-1, -2, -2}, {2, 2.2f, 3}};
    for (int i = 0; i < count; ++i)
    {
        const rblVec3 at = {2.5f * (float)(i % 3 - 1), 2.5f * (float)(i / 3 % 3 - 1),
                            2.5f * (float)(i / 9 - 1)};
        put_moving(world, shape, RBL_BODY_DYNAMIC, at, velocities[i % 5], spin, 1.0f);
    }
    check_ok(rbl_shape_destroy(shape));
}

// Energy left of what there was, after 20 s.
static double share_kept(rblWorldId world)
{
    rblEnergy energy;
    check_ok(rbl_world_step(world, 0.0f));
    check_ok(rbl_world_energy(world, &energy));
    const double first = energy.kinetic;
    step_times(world, 600);
    check_ok(rbl_world_energy(world, &energy));
    return energy.kinetic / first;
}

static void elastic_balls_keep_their_energy_in_a_crowd(void** state)
{
    (void)state;
    const rblWorldId world = make_weightless();
    put_room(world);
    put_crowd(world, make_sphere(0.4f), 20, vec(0, 0, 0));
    const double kept = share_kept(world);
    assert_true(kept > 0.99 && kept < 1.0 + 1e-5);
    check_ok(rbl_world_destroy(world));
}

// Corners that come down after the first one in the same step take some of it.
static void a_turning_box_bounces_off_walls(void** state)
{
    (void)state;
    for (int i = 0; i < 4; ++i)
    {
        const rblWorldId world = make_weightless();
        put_room(world);
        put_crowd(world, make_box(0.8f, 0.5f, 0.6f), 1, vec(1, 0.5f * (float)i, 2));
        const double kept = share_kept(world);
        assert_true(kept > 0.7 && kept < 1.0 + 1e-5);
        check_ok(rbl_world_destroy(world));
    }
}

static void turning_boxes_keep_most_of_their_energy_in_a_crowd(void** state)
{
    (void)state;
    const rblWorldId world = make_weightless();
    put_room(world);
    put_crowd(world, make_box(0.8f, 0.5f, 0.6f), 20, vec(1, 0, 2));
    const double kept = share_kept(world);
    assert_true(kept > 0.8 && kept < 1.0 + 1e-5);
    check_ok(rbl_world_destroy(world));
}

// The floor holds it, so that it does not fly to its impact.
static void a_ball_that_glides_on_a_floor_bounces_off_a_wall(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    const rblShapeId wall = make_box(1, 4, 4);
    const rblShapeId ball = make_sphere(0.2f);
    put_moving(world, wall, RBL_BODY_STATIC, vec(2, 0, 0), vec(0, 0, 0), vec(0, 0, 0), 1.0f);
    const rblBodyId body =
        put_moving(world, ball, RBL_BODY_DYNAMIC, vec(0, 0.2f, 0), vec(2.3f, 0, 0), vec(0, 0, 0), 0.0f);
    check_ok(rbl_shape_destroy(wall));
    check_ok(rbl_shape_destroy(ball));
    step_times(world, 30);
    check_close(state_of(world, body).velocity.x, -2.3, 1e-3);
    check_ok(rbl_world_destroy(world));
}

static void a_racket_throws_a_ball_as_restitution_says(void** state)
{
    (void)state;
    const rblWorldId world = make_weightless();
    const rblShapeId racket = make_box(0.1f, 1, 1);
    const rblShapeId ball = make_sphere(0.2f);
    put_moving(world, racket, RBL_BODY_KINEMATIC, vec(-1, 0, 0), vec(2, 0, 0), vec(0, 0, 0), 0.5f);
    const rblBodyId body =
        put_moving(world, ball, RBL_BODY_DYNAMIC, vec(0, 0, 0), vec(0, 0, 0), vec(0, 0, 0), 0.0f);
    check_ok(rbl_shape_destroy(racket));
    check_ok(rbl_shape_destroy(ball));
    step_times(world, 30);
    check_close(state_of(world, body).velocity.x, 3.0, 1e-3);
    check_ok(rbl_world_destroy(world));
}

static bool has_impact(const rblContactEvent* events, uint32_t count, const rblContactEvent* begun)
{
    for (uint32_t i = 0; i < count; ++i)
    {
        if (events[i].kind == RBL_CONTACT_IMPACT && events[i].a.index1 == begun->a.index1 &&
            events[i].b.index1 == begun->b.index1)
        {
            return true;
        }
    }
    return false;
}

// An impact is told as one, turning or not: breakers read it.
static void every_first_touch_of_a_turning_box_is_an_impact(void** state)
{
    (void)state;
    const rblWorldId world = make_weightless();
    put_room(world);
    put_crowd(world, make_box(0.8f, 0.5f, 0.6f), 1, vec(1, 0, 2));
    uint32_t begun = 0;
    for (int i = 0; i < 600; ++i)
    {
        const rblContactEvent* events;
        uint32_t count;
        step_times(world, 1);
        check_ok(rbl_world_contact_events(world, &events, &count));
        for (uint32_t k = 0; k < count; ++k)
        {
            const bool begins = events[k].kind == RBL_CONTACT_BEGIN;
            begun += begins;
            assert_true(!begins || has_impact(events, count, &events[k]));
        }
    }
    assert_true(begun > 5);
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elastic_balls_keep_their_energy_in_a_crowd),
        cmocka_unit_test(a_turning_box_bounces_off_walls),
        cmocka_unit_test(turning_boxes_keep_most_of_their_energy_in_a_crowd),
        cmocka_unit_test(a_ball_that_glides_on_a_floor_bounces_off_a_wall),
        cmocka_unit_test(a_racket_throws_a_ball_as_restitution_says),
        cmocka_unit_test(every_first_touch_of_a_turning_box_is_an_impact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
