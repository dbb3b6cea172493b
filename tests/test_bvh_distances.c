// Distances of points that are asked for together: bit by bit those of one question each, which have brute force (test_bvh_closest.c).
#include "testing.h"

#include "bvh/query/distances.h"
#include "triangle_soups.h"
#include <string.h>

// Points close together, far apart, on corners and in one place.
static void place_points(rblRandom* random, const rblTriangleSpan* span, SoupKind kind, uint32_t round,
                         rblVec3 points[RBL_MAX_NEAR_POINTS])
{
    const float spread = soup_scale(kind) * (round % 4 == 0 ? 0.0f : (round % 4 == 1 ? 1.0f : 0.02f));
    const rblVec3 middle = soup_point(random, kind, -0.5, 1.5);
    for (uint32_t i = 0; i < RBL_MAX_NEAR_POINTS; ++i)
    {
        const rblVec3 way = {(float)rbl_random_range(random, -1.0, 1.0),
                             (float)rbl_random_range(random, -1.0, 1.0),
                             (float)rbl_random_range(random, -1.0, 1.0)};
        points[i] = rbl_add3(middle, rbl_scale3(way, spread));
        if (round % 4 == 3 && i % 2 == 0)
        {
            const uint32_t t = rbl_random_below(random, span->triangle_count);
            points[i] = rbl_to_float3(soup_corner(span, t, i / 2 % 3));
        }
    }
}

static void check_distances(const rblBvh* bvh, const rblTriangleSides* sides, const rblVec3* points,
                            uint32_t count, uint32_t hints[RBL_MAX_NEAR_POINTS])
{
    float found[RBL_MAX_NEAR_POINTS + 1];
    found[count] = -7.0f;
    rbl_tree_distances(bvh, sides, points, count, hints, found);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblClosestPoint closest;
        assert_true(rbl_tree_closest(bvh, points[i], INFINITY, RBL_NO_LEAF, &closest));
        assert_memory_equal(&found[i], &closest.distance, sizeof found[i]);
        assert_true(hints[i] < bvh->layout.leaves);
        const rblLeafTriangle* t = &bvh->triangles[hints[i]];
        const rblTriangled corners = {{rbl_to_double3(t->a), rbl_to_double3(t->b), rbl_to_double3(t->c)}};
        const double measured = rbl_triangle_distance2(&corners, rbl_to_double3(points[i]), (double)INFINITY);
        assert_true((float)sqrt(measured) == found[i]);
    }
    assert_true(found[count] == -7.0f);
}

static void distances_together_are_those_of_each_alone(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(77, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 80 * SOUP_KINDS; ++round)
    {
        const SoupKind kind = (SoupKind)(round % SOUP_KINDS);
        const uint32_t triangles = round < SOUP_KINDS ? 1 : 1 + rbl_random_below(&random, 300);
        const rblTriangleSpan span = make_soup(&random, kind, triangles);
        check_ok(rbl_forest_build(&forest, &span, 1, (rblBvhQuality)(round / 7 % 3), rbl_default_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        rblTriangleSides* sides = malloc(sizeof *sides * triangles);
        assert_non_null(sides);
        rbl_tree_sides(&bvh, sides);
        uint32_t hints[RBL_MAX_NEAR_POINTS];
        memset(hints, 0xFF, sizeof hints);
        for (uint32_t i = 0; i < 24; ++i)
        {
            rblVec3 points[RBL_MAX_NEAR_POINTS];
            place_points(&random, &span, kind, i, points);
            hints[i % RBL_MAX_NEAR_POINTS] = i % 3 == 0 ? rbl_random_below(&random, triangles) : 12345u;
            check_distances(&bvh, sides, points, 1 + rbl_random_below(&random, RBL_MAX_NEAR_POINTS), hints);
        }
        free(sides);
        free_soup(&span);
    }
    rbl_forest_free(&forest);
}

static rblVec3 any_way(rblRandom* random, float length)
{
    return rbl_scale3(soup_point(random, SOUP_RANDOM, -1.0, 1.0), length);
}

// A triangle from about the origin, where coordinates are finest, to a point far off, and another beside the middle of it.
static void place_needle(rblRandom* random, float width, uint32_t turn, rblVec3 end, rblVec3 out[6])
{
    const rblVec3 aside = {0.12f, 0.12f, 0.12f};
    out[turn % 3] = any_way(random, 10.0f * width);
    out[(turn + 1) % 3] = rbl_add3(out[turn % 3], any_way(random, width));
    out[(turn + 2) % 3] = end;
    for (uint32_t i = 3; i < 6; ++i)
    {
        out[i] = rbl_add3(rbl_mul_add3(aside, 0.5f, end), any_way(random, 0.02f));
    }
}

// However sharp they are: at the end of some the lines of two sides are one but for rounding.
static void needles_of_any_width_are_found(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(79, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 40000; ++round)
    {
        const rblVec3 end = any_way(&random, 1.0f);
        rblVec3 corners[6], points[RBL_MAX_NEAR_POINTS];
        place_needle(&random, powf(0.1f, (float)(round % 20)), round, end, corners);
        const rblTriangleSpan span = {
            .positions = corners, .stride = sizeof *corners, .vertex_count = 6, .triangle_count = 2};
        check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_serial_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        rblTriangleSides sides[2];
        uint32_t hints[RBL_MAX_NEAR_POINTS];
        rbl_tree_sides(&bvh, sides);
        for (uint32_t i = 0; i < RBL_MAX_NEAR_POINTS; ++i)
        {
            points[i] = rbl_mul_add3(any_way(&random, 0.05f), 0.5f, end);
            hints[i] = round & 1;
        }
        check_distances(&bvh, sides, points, RBL_MAX_NEAR_POINTS, hints);
    }
    rbl_forest_free(&forest);
}

static void an_empty_tree_is_infinitely_far(void** state)
{
    (void)state;
    const rblBvh empty = {0};
    const rblVec3 points[2] = {{0, 0, 0}, {1, 2, 3}};
    uint32_t hints[RBL_MAX_NEAR_POINTS] = {0};
    float found[2];
    rbl_tree_distances(&empty, NULL, points, 2, hints, found);
    assert_true(found[0] == INFINITY && found[1] == INFINITY);
}

// Bounds never exceed the distance by more than is allowed for rounding, and without corners they are as long.
static void bounds_are_below_distances(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(78, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    uint32_t equal = 0;
    for (uint32_t round = 0; round < 200 * SOUP_KINDS; ++round)
    {
        const SoupKind kind = (SoupKind)(round % SOUP_KINDS);
        const rblTriangleSpan span = make_soup(&random, kind, 1);
        check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_serial_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        rblTriangleSides sides;
        rbl_tree_sides(&bvh, &sides);
        const rblVec3 away = rbl_scale3(soup_point(&random, kind, -1.0, 1.0), 0.2f);
        const rblVec3 point = rbl_add3(rbl_to_float3(soup_corner(&span, 0, round % 3)), away);
        const rblVector4 group = rbl_splat_vector4(point);
        rblFloat4 bounds[RBL_MAX_POINT_GROUPS];
        rblClosestPoint closest;
        float lanes[4];
        rbl_sides_bounds(&sides, &group, 1, bounds);
        rbl_store4(lanes, bounds[0]);
        assert_true(rbl_tree_closest(&bvh, point, INFINITY, RBL_NO_LEAF, &closest));
        const double bound = sqrt((double)lanes[0]), distance = (double)closest.distance;
        const double tolerance = (double)RBL_SIDES_ROUNDING * (distance + (double)sides.size);
        assert_true(bound <= distance + tolerance || kind == SOUP_TINY); // whose squares are below all floats
        equal +=
            kind == SOUP_RANDOM && closest.feature >= RBL_FEATURE_EDGE_0 && bound >= distance - tolerance;
        assert_true(kind != SOUP_RANDOM || closest.feature < RBL_FEATURE_EDGE_0 ||
                    bound >= distance - tolerance);
        free_soup(&span);
    }
    assert_true(equal > 50);
    rbl_forest_free(&forest);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_together_are_those_of_each_alone),
        cmocka_unit_test(needles_of_any_width_are_found),
        cmocka_unit_test(an_empty_tree_is_infinitely_far),
        cmocka_unit_test(bounds_are_below_distances),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
