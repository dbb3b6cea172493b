// What is left after a break comes to rest: round pieces and heaps of them.
#include "world_testing.h"

#include "math/transform.h"
#include "math/trig.h"
#include <math.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_dome_of_small_faces_rocks_to_rest_and_does_not_sink),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
