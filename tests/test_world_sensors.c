// Sensors, and the filters of pairs and contacts.
#include "dynamics/snapshot.h"
#include "world_testing.h"

#include <stdlib.h>
#include <string.h>

static const rblVec3 zero = {0, 0, 0};

static rblBodyId put_sensor(rblWorldId world, rblShapeId shape, rblBodyType type, rblVec3 at)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.type = type;
    def.pose.p = at;
    def.sensor = true;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(shape));
    return body;
}

static uint32_t events_of(rblWorldId world, const rblSensorEvent** events)
{
    uint32_t count = 0;
    check_ok(rbl_world_sensor_events(world, events, &count));
    return count;
}

static bool same(rblBodyId a, rblBodyId b)
{
    return a.index1 == b.index1 && a.generation == b.generation && a.world == b.world;
}

// A ball falls through a sensor: free fall, one begin and one end, when the closed form says so.
static void a_sensor_sees_a_body_pass(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put_sensor(world, make_box(5, 0.1f, 5), RBL_BODY_STATIC, vec(0, -90, 0));
    const rblBodyId sensor = put_sensor(world, make_box(1, 0.2f, 1), RBL_BODY_STATIC, vec(0, -2, 0));
    const rblBodyId ball = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, zero);
    double begins = -1.0;
    double ends = -1.0;
    for (int i = 1; i <= 45; ++i)
    {
        step_times(world, 1);
        const rblSensorEvent* events = NULL;
        const uint32_t count = events_of(world, &events);
        for (uint32_t k = 0; k < count; ++k)
        {
            assert_true(same(events[k].sensor, sensor) && same(events[k].body, ball));
            *(events[k].begins ? &begins : &ends) = i * (double)STEP;
        }
        rblBodyId inside[4];
        uint32_t overlaps = 0;
        check_ok(rbl_sensor_overlaps(world, sensor, inside, 4, &overlaps));
        assert_int_equal(overlaps, begins >= 0.0 && ends < 0.0 ? 1 : 0);
        assert_true(overlaps == 0 || same(inside[0], ball));
        rblWorldHit hit;
        const rblRay ray = {vec(0.5f, 5, 0.5f), vec(0, -1, 0), 0.0f, INFINITY};
        check_ok(rbl_world_ray(world, &ray, UINT64_MAX, &hit));
        assert_int_equal(hit.body.index1, 0); // no query meets a sensor
    }
    // It touches from 1.8 m below its start until 2.2 m.
    assert_true(begins >= sqrt(2.0 * 1.8 / 9.81) && begins < sqrt(2.0 * 1.8 / 9.81) + (double)STEP);
    assert_true(ends >= sqrt(2.0 * 2.2 / 9.81) && ends < sqrt(2.0 * 2.2 / 9.81) + (double)STEP);
    check_close(state_of(world, ball).center.y, -0.5 * 9.81 * 1.5 * 1.5, 1e-3); // nothing held it up
    check_ok(rbl_world_destroy(world));
}

// A bullet crosses a thin sensor between two steps, another one passes 6 um beside it.
static void a_sensor_sees_a_bullet_cross(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    check_ok(rbl_world_set_gravity(world, zero));
    const rblBodyId sensor = put_sensor(world, make_box(0.02f, 1, 1), RBL_BODY_STATIC, vec(5, 0, 0));
    const rblBodyId bullet = put(world, make_sphere(0.01f), RBL_BODY_DYNAMIC, zero);
    const rblBodyId other = put(world, make_sphere(0.01f), RBL_BODY_DYNAMIC, vec(0, 0.510006f, 0));
    check_ok(rbl_body_set_velocity(world, bullet, vec(200, 0, 0), zero));
    check_ok(rbl_body_set_velocity(world, other, vec(200, 0, 0), zero));
    const rblSensorEvent* events = NULL;
    step_times(world, 1);
    assert_int_equal(events_of(world, &events), 2);
    assert_true(events[0].begins && !events[1].begins);
    for (int k = 0; k < 2; ++k)
    {
        assert_true(same(events[k].sensor, sensor) && same(events[k].body, bullet));
    }
    step_times(world, 1);
    assert_int_equal(events_of(world, &events), 0);
    // A teleport is no motion.
    check_ok(rbl_body_teleport(world, bullet, (rblTransform){zero, rbl_quat_identity()}));
    check_ok(rbl_body_set_velocity(world, bullet, vec(-1, 0, 0), zero));
    step_times(world, 1);
    assert_int_equal(events_of(world, &events), 0);
    check_ok(rbl_world_destroy(world));
}

// Filters, static bodies and sensors are not seen; a moving sensor sees what it passes; removed bodies end.
static void a_sensor_sees_what_its_filter_lets_it(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_set_gravity(world, zero));
    const rblBodyId sensor = put_sensor(world, make_sphere(0.5f), RBL_BODY_KINEMATIC, vec(-1, 0, 0));
    put_sensor(world, make_sphere(0.5f), RBL_BODY_STATIC, zero);
    put(world, make_sphere(0.1f), RBL_BODY_STATIC, vec(0, 0.3f, 0));
    const rblBodyId seen = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, zero);
    const rblBodyId hidden = put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0, 0, 0.3f));
    const rblFilter none = {.category = 2};
    check_ok(rbl_body_set_filter(world, hidden, none));
    check_ok(rbl_body_set_velocity(world, sensor, vec(1.5f, 0, 0), zero));
    int begins = 0;
    for (int i = 0; i < 20; ++i)
    {
        step_times(world, 1);
        const rblSensorEvent* events = NULL;
        const uint32_t count = events_of(world, &events);
        for (uint32_t k = 0; k < count; ++k)
        {
            begins += same(events[k].sensor, sensor);
            assert_true(events[k].begins && same(events[k].body, seen));
        }
    }
    assert_int_equal(begins, 1);
    check_ok(rbl_body_destroy(world, seen));
    step_times(world, 1);
    const rblSensorEvent* events = NULL;
    assert_int_equal(events_of(world, &events), 2); // both sensors
    assert_true(!events[0].begins && same(events[0].body, seen) && !events[1].begins);
    assert_false(rbl_body_is_valid(world, events[0].body));
    check_ok(rbl_world_destroy(world));
}

// After a restore the same events come again.
static void events_of_sensors_are_part_of_the_state(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put_sensor(world, make_box(1, 0.5f, 1), RBL_BODY_STATIC, vec(0, -2, 0));
    for (int i = 0; i < 6; ++i)
    {
        put(world, make_sphere(0.1f), RBL_BODY_DYNAMIC, vec(0.01f * (float)i, 0.5f * (float)i, 0));
    }
    step_times(world, 20);
    size_t size = 0;
    check_ok(rbl_world_save(world, NULL, 0, &size));
    uint64_t* buffer = calloc(size / 8 + 1, 8);
    check_ok(rbl_world_save(world, buffer, size, &size));
    uint32_t counts[2][20];
    int total = 0;
    for (int run = 0; run < 2; ++run)
    {
        for (int i = 0; i < 20; ++i)
        {
            step_times(world, 1);
            const rblSensorEvent* events = NULL;
            counts[run][i] = events_of(world, &events);
            total += (int)counts[run][i];
        }
        check_ok(rbl_world_restore(world, buffer, size));
    }
    free(buffer);
    assert_memory_equal(counts[0], counts[1], sizeof counts[0]);
    assert_true(total > 6);
    check_ok(rbl_world_destroy(world));
}

static void a_sensor_does_not_break(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_sphere(0.5f);
    def.sensor = true;
    def.breaker = (rblBreakerId){1, 1};
    rblBodyId body;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &body));
    def.breaker = (rblBreakerId){0};
    check_ok(rbl_body_create(world, &def, &body));
    assert_true(state_of(world, body).sensor);
    check_ok(rbl_shape_destroy(def.shape));
    const rblSensorEvent* events = NULL;
    uint32_t count = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_sensor_events(world, NULL, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_sensor_events(world, &events, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sensor_overlaps(world, body, NULL, 1, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sensor_overlaps(world, body, &body, 1, NULL));
    check_ok(rbl_body_destroy(world, body));
    check_fails(RBL_ERROR_STALE, rbl_sensor_overlaps(world, body, NULL, 0, &count));
    check_ok(rbl_world_destroy(world));
}

// ---- filters ----

typedef struct Asked
{
    uint32_t forbidden; // slot + 1
    uint32_t last_a, last_b, calls, disorder;
    bool upward;
} Asked;

static bool allows(rblBodyId a, rblBodyId b, void* context)
{
    const Asked* asked = context;
    return a.index1 != asked->forbidden && b.index1 != asked->forbidden;
}

static void a_pair_filter_decides(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId a = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(0, 0.2f, 0));
    const rblBodyId b = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(2, 0.2f, 0));
    step_times(world, 60);
    Asked asked = {.forbidden = a.index1};
    check_ok(rbl_world_set_pair_filter(world, allows, &asked));
    step_times(world, 30);
    check_close(state_of(world, a).center.y, 0.2 - 0.5 * 9.81, 0.01); // it falls through the floor at once
    check_close(state_of(world, b).center.y, 0.2, 1e-3);
    check_ok(rbl_body_teleport(world, a, (rblTransform){vec(0, 1, 0), rbl_quat_identity()}));
    check_ok(rbl_body_set_velocity(world, a, zero, zero));
    check_ok(rbl_world_set_pair_filter(world, NULL, NULL));
    step_times(world, 60);
    check_close(state_of(world, a).center.y, 0.2, 1e-3);
    check_ok(rbl_world_destroy(world));
}

// A platform that lets bodies through from below, as long as they rise.
static bool one_way(const rblPairContacts* contacts, void* context)
{
    Asked* asked = context;
    const bool after = contacts->a.index1 > asked->last_a ||
                       (contacts->a.index1 == asked->last_a && contacts->b.index1 > asked->last_b);
    asked->disorder += asked->calls > 0 && !after;
    asked->last_a = contacts->a.index1;
    asked->last_b = contacts->b.index1;
    asked->calls += 1;
    assert_true(contacts->count > 0 && rbl_finite3(contacts->point));
    check_close(rbl_length3(contacts->normal), 1.0, 1e-3);
    return !asked->upward;
}

static void a_contact_filter_lets_bodies_through(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_box(5, 0.1f, 5), RBL_BODY_STATIC, vec(0, 1, 0));
    rblBodyId balls[3];
    for (int i = 0; i < 3; ++i)
    {
        balls[i] = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(-1.0f + (float)i, 0, 0));
        check_ok(rbl_body_set_velocity(world, balls[i], vec(0, 6, 0), zero));
    }
    Asked asked = {.upward = true};
    check_ok(rbl_world_set_contact_filter(world, one_way, &asked));
    for (int i = 0; i < 120; ++i)
    {
        asked.upward = state_of(world, balls[0]).velocity.y > 0.5f;
        const uint32_t before = asked.calls;
        asked.last_a = asked.last_b = 0;
        step_times(world, 1);
        assert_true(asked.calls - before <= 3);
    }
    assert_int_equal(asked.disorder, 0);
    assert_true(asked.calls > 100);
    for (int i = 0; i < 3; ++i)
    {
        check_close(state_of(world, balls[i]).center.y, 1.25, 2e-3); // on top
    }
    asked.upward = true;
    step_times(world, 30);
    assert_true(state_of(world, balls[0]).center.y < 0.5f);
    check_ok(rbl_world_set_contact_filter(world, NULL, NULL));
    const uint32_t calls = asked.calls;
    step_times(world, 3);
    assert_int_equal(asked.calls, calls);
    check_fails(RBL_ERROR_STALE, rbl_world_set_contact_filter((rblWorldId){0}, NULL, NULL));
    check_fails(RBL_ERROR_STALE, rbl_world_set_pair_filter((rblWorldId){0}, NULL, NULL));
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sensor_sees_a_body_pass),
        cmocka_unit_test(a_sensor_sees_a_bullet_cross),
        cmocka_unit_test(a_sensor_sees_what_its_filter_lets_it),
        cmocka_unit_test(events_of_sensors_are_part_of_the_state),
        cmocka_unit_test(a_sensor_does_not_break),
        cmocka_unit_test(a_pair_filter_decides),
        cmocka_unit_test(a_contact_filter_lets_bodies_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
