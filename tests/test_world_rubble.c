// What is left after a break comes to rest: round pieces and heaps of them.
#include "world_testing.h"

#include "base/random.h"
#include "math/transform.h"
#include "math/trig.h"
#include "rubble/prescored.h"
#include <math.h>
#include <string.h>

#define DOME_RADIUS 0.04f

// The lower half of a ball as a hull, flat on top: `count` corners spread over the whole ball, those below its middle taken.
static uint32_t dome_corners(uint32_t count, rblVec3* out)
{
    uint32_t corners = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double height = 1.0 - 2.0 * ((double)i + 0.5) / count;
        const double across = sqrt(1.0 - height * height);
        const double turn = 2.399963 * i; // the golden angle
        if (height <= 0.0)
        {
            out[corners++] = vec(DOME_RADIUS * (float)(across * rbl_cos(turn)), DOME_RADIUS * (float)height,
                                 DOME_RADIUS * (float)(across * rbl_sin(turn)));
        }
    }
    for (uint32_t i = 0; i < 12; ++i)
    {
        const double turn = 0.5235988 * i;
        out[corners++] = vec(DOME_RADIUS * (float)rbl_cos(turn), 0.0f, DOME_RADIUS * (float)rbl_sin(turn));
    }
    return corners;
}

static float lowest_corner(rblWorldId world, rblBodyId body, const rblVec3* corners, uint32_t count)
{
    const rblBodyState state = state_of(world, body);
    float lowest = INFINITY;
    for (uint32_t i = 0; i < count; ++i)
    {
        lowest = rbl_minf(rbl_transform_point(state.pose, corners[i]).y, lowest);
    }
    return lowest;
}

static void check_dome(uint32_t sides, float tilt)
{
    rblVec3 corners[255];
    const uint32_t count = dome_corners(sides, corners);
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    check_ok(rbl_shape_create_hull(corners, count, &def.shape));
    def.pose.p = vec(0, 1.02f * DOME_RADIUS, 0);
    def.pose.q = rbl_quat_from_axis_angle(vec(1, 0, 0), tilt);
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    float lowest = 0.0f;
    for (int i = 0; i < 360; ++i)
    {
        check_ok(rbl_world_step(world, STEP));
        lowest = rbl_minf(lowest_corner(world, body, corners, count), lowest);
    }
    // A corner that comes down within one step is a contact only in the next: for that long it may be deep.
    const float at_rest = lowest_corner(world, body, corners, count);
    if (!(lowest > -0.15f * DOME_RADIUS && at_rest > -0.025f * DOME_RADIUS) || state_of(world, body).awake)
    {
        fail_msg("a dome of %u corners, tilted by %g: %g deep at most, %g at the end, %s", count,
                 (double)tilt, -(double)lowest, -(double)at_rest,
                 state_of(world, body).awake ? "still rocks" : "at rest");
    }
    check_ok(rbl_world_destroy(world));
}

#define SHARDS 40
#define SHARD  0.05f // m, and a tenth of that thick

// Thin shards that fall spinning slap into the ground within a step, edge first, by a few thicknesses. What they lose in that step pays for
// all of the way out; in the next one they lie still, and have nothing to pay with.
static void thin_shards_do_not_stay_in_the_ground(void** state)
{
    (void)state;
    static const rblVec3 corners[] = {{-0.5f, -0.05f, -0.3f}, {0.4f, -0.05f, -0.4f},  {0.1f, -0.05f, 0.6f},
                                      {-0.5f, 0.05f, -0.3f},  {0.38f, 0.05f, -0.38f}, {0.1f, 0.05f, 0.55f}};
    rblVec3 scaled[6];
    for (uint32_t i = 0; i < 6; ++i)
    {
        scaled[i] = rbl_scale3(corners[i], SHARD);
    }
    const rblWorldId world = make_world(true);
    rblRandom random = rbl_random_seed(31, 1);
    rblBodyId bodies[SHARDS];
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    check_ok(rbl_shape_create_hull(scaled, 6, &def.shape));
    for (uint32_t i = 0; i < SHARDS; ++i)
    {
        const rblVec3 spin = {rbl_random_float(&random) - 0.5f, rbl_random_float(&random) - 0.5f,
                              rbl_random_float(&random) - 0.5f};
        def.pose.p = vec(0.3f * (float)i, 0.1f + 0.5f * rbl_random_float(&random), 0.0f);
        def.spin = rbl_scale3(spin, 100.0f);
        check_ok(rbl_body_create(world, &def, &bodies[i]));
    }
    check_ok(rbl_shape_destroy(def.shape));
    Watch w = watch(world);
    for (int i = 0; i < 90; ++i)
    {
        watched_step(&w, STEP);
    }
    check_energy_rule(&w);
    for (uint32_t i = 0; i < SHARDS; ++i)
    {
        const float lowest = lowest_corner(world, bodies[i], scaled, 6);
        if (!(lowest > -0.01f * SHARD))
        {
            fail_msg("shard %u is still %.2f mm deep", i, -1e3 * (double)lowest);
        }
    }
    check_ok(rbl_world_destroy(world));
}

static void a_dome_of_small_faces_rocks_to_rest_and_does_not_sink(void** state)
{
    (void)state;
    static const uint32_t sides[] = {40, 60, 100, 200};
    for (uint32_t i = 0; i < 4; ++i)
    {
        check_dome(sides[i], 0.3f);
        check_dome(sides[i], 0.5f);
        check_dome(sides[i], 0.9f);
    }
}

// ---- heaps ----

static void put_ball(rblWorldId world, rblVec3 at, uint64_t seed)
{
    rblPrescoredDef breaker = rbl_default_prescored_def();
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    breaker.pattern.kind = RBL_PATTERN_VORONOI;
    breaker.pattern.pieces = 9;
    breaker.pattern.seed = seed;
    breaker.generations = 1;
    check_ok(rbl_material_preset("ceramic", &def.material));
    def.material.break_impulse = 0.3f;
    check_ok(rbl_breaker_create_prescored(&breaker, &def.breaker));
    check_ok(rbl_shape_create_sphere(0.04f, &def.shape));
    def.pose.p = at;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_breaker_destroy(def.breaker));
}

static void check_fragments(rblWorldId world)
{
    rblBodyId bodies[256];
    uint32_t count = 0;
    check_ok(rbl_world_bodies(world, bodies, 256, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblBodyState state = state_of(world, bodies[i]);
        rblShapeView view;
        if (state.generation == 0)
        {
            continue;
        }
        if (state.awake)
        {
            fail_msg("fragment %u does not come to rest", i);
        }
        check_ok(rbl_shape_view(state.shape, &view));
        // What a convex solid leaves in a cell is convex: a hull, which the fast contacts know.
        assert_true(view.convex && strcmp(view.kind, "convex piece") == 0);
        const rblVec3* samples;
        uint32_t sample_count;
        check_ok(rbl_shape_samples(&view, &samples, &sample_count));
        assert_true(sample_count > 0);
        for (uint32_t k = 0; k < sample_count; ++k)
        {
            const float height = rbl_transform_point(state.pose, samples[k]).y;
            if (!(height > -6e-3f)) // of 80: what tumbles goes deep within a step, and may come to rest so
            {
                fail_msg("fragment %u lies %g m deep in the ground", i, -(double)height);
            }
        }
    }
}

static void drop_balls(uint64_t seed)
{
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    for (int i = 0; i < 18; ++i)
    {
        const rblVec3 at =
            vec(0.085f * (float)(i % 3), 0.7f + 0.3f * (float)(i / 9), 0.085f * (float)(i / 3 % 3));
        put_ball(world, at, seed);
    }
    step_times(world, 300);
    assert_true(counters_of(world).fragments >= 81);
    check_fragments(world);
    check_ok(rbl_world_destroy(world));
}

// All but balls that did not break and roll away.
static void fragments_of_balls_are_hulls_and_fall_asleep(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed)
    {
        drop_balls(seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dome_of_small_faces_rocks_to_rest_and_does_not_sink),
        cmocka_unit_test(thin_shards_do_not_stay_in_the_ground),
        cmocka_unit_test(fragments_of_balls_are_hulls_and_fall_asleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
