// The threshold of a blow does not depend on the rate of steps nor on the part of a step in which it arrives.
#include "world_testing.h"

#include "rubble/prescored.h"
#include "rubble/stress.h"

#define RADIUS 0.04f

static const float rates[] = {15.0f, 30.0f, 60.0f, 120.0f, 240.0f};

// A ball against a clay brick of 20 x 6 x 10 cm in free space.
typedef struct Blow
{
    const char* name;
    rblVec3 through, along; // a point of the path of its centre, and its direction
} Blow;

static const Blow blows[] = {
    {"over an edge", {-0.1f, 0.03f + 0.6f * RADIUS, 0.01f}, {1.0f, 0.0f, 0.0f}},
    {"past an edge", {0.1f + 0.7f * RADIUS, 0.03f, 0.0f}, {0.0f, -1.0f, 0.0f}},
    {"17 degrees on the top", {0.02f, 0.03f + RADIUS, 0.01f}, {0.9553f, -0.2955f, 0.0f}},
};

// How far the centre goes along its path until the ball touches the brick.
static float way_to_brick(rblVec3 from, rblVec3 along)
{
    float way = 0.0f;
    for (int i = 0; i < 4000; ++i)
    {
        const rblVec3 at = rbl_mul_add3(from, way, along);
        const rblVec3 off = {rbl_maxf(fabsf(at.x) - 0.1f, 0.0f), rbl_maxf(fabsf(at.y) - 0.03f, 0.0f),
                             rbl_maxf(fabsf(at.z) - 0.05f, 0.0f)};
        way += 0.99f * (rbl_length3(off) - RADIUS);
    }
    return way;
}

static bool breaks(rblBreakerId breaker, const Blow* blow, float speed, float rate, float phase)
{
    const rblWorldId world = make_world(false);
    const rblVec3 from = rbl_sub3(blow->through, blow->along);
    const float before = speed / rate * (2.0f + phase);
    rblBodyDef brick = rbl_default_body_def(), ball = rbl_default_body_def();
    rblBodyId target, body;
    check_ok(rbl_world_set_gravity(world, vec(0, 0, 0)));
    check_ok(rbl_material_preset("clay", &brick.material));
    check_ok(rbl_material_preset("steel", &ball.material));
    brick.shape = make_box(0.2f, 0.06f, 0.1f);
    brick.breaker = breaker;
    ball.shape = make_sphere(RADIUS);
    ball.pose.p = rbl_mul_add3(from, way_to_brick(from, blow->along) - before, blow->along);
    ball.velocity = rbl_scale3(blow->along, speed);
    check_ok(rbl_body_create(world, &brick, &target));
    check_ok(rbl_body_create(world, &ball, &body));
    check_ok(rbl_shape_destroy(brick.shape));
    check_ok(rbl_shape_destroy(ball.shape));
    for (int i = 0; i < 5 && rbl_body_is_valid(world, target); ++i)
    {
        check_ok(rbl_world_step(world, 1.0f / rate));
    }
    const bool broke = !rbl_body_is_valid(world, target);
    check_ok(rbl_world_destroy(world));
    return broke;
}

// The speed that just breaks, by bisection.
static float threshold(rblBreakerId breaker, const Blow* blow, float rate, float phase)
{
    float low = 0.5f, high = 100.0f;
    for (int i = 0; i < 13; ++i)
    {
        const float middle = sqrtf(low * high);
        *(breaks(breaker, blow, middle, rate, phase) ? &high : &low) = middle;
    }
    assert_true(high > 0.6f && high < 90.0f);
    return high;
}

// All thresholds are within 1 % of that of the first rate.
static void check_thresholds(rblBreakerId breaker, const char* name)
{
    for (size_t k = 0; k < sizeof blows / sizeof *blows; ++k)
    {
        const float speed = threshold(breaker, &blows[k], rates[0], 0.1f);
        print_message("%s, %s: breaks at %.3f m/s\n", name, blows[k].name, (double)speed);
        for (int i = 1; i < 10; ++i)
        {
            const float rate = rates[i / 2], phase = i % 2 == 0 ? 0.1f : 0.6f;
            assert_false(breaks(breaker, &blows[k], 0.99f * speed, rate, phase));
            assert_true(breaks(breaker, &blows[k], 1.01f * speed, rate, phase));
        }
    }
    check_ok(rbl_breaker_destroy(breaker));
}

static void prescored_thresholds_do_not_depend_on_the_step(void** state)
{
    (void)state;
    const rblPrescoredDef def = rbl_default_prescored_def();
    rblBreakerId breaker;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    check_thresholds(breaker, "prescored");
}

static void stress_thresholds_do_not_depend_on_the_step(void** state)
{
    (void)state;
    rblStressDef def = rbl_default_stress_def();
    rblBreakerId breaker;
    def.tetrahedra = 500;
    check_ok(rbl_breaker_create_stress(&def, &breaker));
    check_thresholds(breaker, "stress");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prescored_thresholds_do_not_depend_on_the_step),
        cmocka_unit_test(stress_thresholds_do_not_depend_on_the_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
