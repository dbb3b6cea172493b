// Triangles in boxes and balls, against brute force in long double.
#include "testing.h"

#include "bvh/query/closest.h"
#include "bvh/query/region.h"
#include "bvh/triangle/triangle_distance.h"
#include "math/aabb.h"
#include "triangle_soups.h"

// The part of a polygon on one side of a plane across an axis (Sutherland and Hodgman 1974).
typedef struct Polygon
{
    long double p[16][3];
    int count;
} Polygon;

static void clip(Polygon* polygon, int axis, long double at, long double sign)
{
    Polygon out = {.count = 0};
    for (int i = 0; i < polygon->count; ++i)
    {
        const long double* a = polygon->p[i];
        const long double* b = polygon->p[(i + 1) % polygon->count];
        const long double da = sign * (a[axis] - at), db = sign * (b[axis] - at);
        if (da >= 0)
        {
            memcpy(out.p[out.count++], a, sizeof polygon->p[0]);
        }
        if ((da > 0 && db < 0) || (da < 0 && db > 0))
        {
            for (int k = 0; k < 3; ++k)
            {
                out.p[out.count][k] = a[k] + (b[k] - a[k]) * (da / (da - db));
            }
            out.p[out.count][axis] = at;
            out.count += 1;
        }
    }
    *polygon = out;
}

// Whether anything is left of a triangle after clipping it at the box, enlarged by `margin`.
static bool meets_by_force(const rblTriangleSpan* span, uint32_t triangle, const rblAabb* box, double margin)
{
    Polygon polygon = {.count = 3};
    for (int k = 0; k < 3; ++k)
    {
        const rblVec3d c = soup_corner(span, triangle, k);
        polygon.p[k][0] = (long double)c.x;
        polygon.p[k][1] = (long double)c.y;
        polygon.p[k][2] = (long double)c.z;
    }
    for (int axis = 0; axis < 3; ++axis)
    {
        clip(&polygon, axis, (long double)(&box->lower.x)[axis] - (long double)margin, 1);
        clip(&polygon, axis, (long double)(&box->upper.x)[axis] + (long double)margin, -1);
    }
    return polygon.count > 0;
}

static bool contains(const rblBvh* bvh, const rblIndexArray* leaves, uint32_t triangle)
{
    for (size_t i = 0; i < leaves->count; ++i)
    {
        if (bvh->order[leaves->data[i]] == triangle)
        {
            return true;
        }
    }
    return false;
}

static bool append_leaf(uint32_t leaf, void* context)
{
    return rbl_array_push((rblIndexArray*)context, leaf);
}

static bool stop_at_once(uint32_t leaf, void* context)
{
    (void)leaf;
    (void)context;
    return false;
}

static bool any_in_box(const rblBvh* bvh, const rblAabb* box)
{
    return rbl_tree_visit_box(bvh, box, stop_at_once, NULL);
}

static bool any_in_ball(const rblBvh* bvh, rblVec3 center, float radius)
{
    return rbl_tree_visit_ball(bvh, center, radius, stop_at_once, NULL);
}

static void check_ascending(const rblIndexArray* leaves)
{
    for (size_t i = 1; i < leaves->count; ++i)
    {
        assert_true(leaves->data[i - 1] < leaves->data[i]);
    }
}

static void check_box(const rblBvh* bvh, const rblTriangleSpan* span, const rblAabb* box, double scale)
{
    rblIndexArray found;
    rbl_array_init(&found, rbl_default_allocator());
    assert_false(rbl_tree_visit_box(bvh, box, append_leaf, &found));
    check_ascending(&found);
    assert_true(any_in_box(bvh, box) == (found.count > 0));
    for (uint32_t t = 0; t < span->triangle_count; ++t)
    {
        const bool reported = contains(bvh, &found, t);
        assert_true(reported || !meets_by_force(span, t, box, -1e-12 * scale));
        assert_true(!reported || meets_by_force(span, t, box, 1e-12 * scale));
    }
    rbl_array_free(&found);
}

static void check_ball(const rblBvh* bvh, const rblTriangleSpan* span, rblVec3 center, float radius)
{
    rblIndexArray found;
    rbl_array_init(&found, rbl_default_allocator());
    assert_false(rbl_tree_visit_ball(bvh, center, radius, append_leaf, &found));
    check_ascending(&found);
    assert_true(any_in_ball(bvh, center, radius) == (found.count > 0));
    for (uint32_t t = 0; t < span->triangle_count; ++t)
    {
        const rblTriangled corners = {
            {soup_corner(span, t, 0), soup_corner(span, t, 1), soup_corner(span, t, 2)}};
        const double d2 = rbl_triangle_distance2(&corners, rbl_to_double3(center), (double)INFINITY);
        assert_true(contains(bvh, &found, t) ==
                    (d2 <= rbl_round_to_24_bits((double)radius * (double)radius)));
    }
    rbl_array_free(&found);
}

static void boxes_and_balls_hold_what_brute_force_says(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 30 * SOUP_KINDS; ++round)
    {
        const SoupKind kind = (SoupKind)(round % SOUP_KINDS);
        const double scale = (double)soup_scale(kind);
        const rblTriangleSpan span =
            make_soup(&random, kind, round < SOUP_KINDS ? 1 : 1 + rbl_random_below(&random, 60));
        check_ok(rbl_forest_build(&forest, &span, 1, (rblBvhQuality)(round % 3), rbl_default_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        for (int i = 0; i < 10; ++i)
        {
            const rblVec3 center = soup_point(&random, kind, -0.2, 1.2);
            const float size = (float)(rbl_random_range(&random, 0, 0.3) * scale);
            check_ball(&bvh, &span, center, size);
            rblAabb box = rbl_aabb_grown((rblAabb){center, center}, size);
            if (kind == SOUP_COARSE) // faces exactly where the triangles have theirs
            {
                for (int k = 0; k < 6; ++k)
                {
                    (&box.lower.x)[k] = floorf((&box.lower.x)[k] * 8.0f) / 8.0f;
                }
            }
            check_box(&bvh, &span, &box, scale);
        }
        free_soup(&span);
    }
    rbl_forest_free(&forest);
}

static bool count_to_three(uint32_t leaf, void* context)
{
    (void)leaf;
    return ++*(int*)context < 3;
}

static void bad_regions_meet_nothing_and_searches_can_be_ended(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 50);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_serial_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    const rblBvh empty = {0};
    const rblVec3 here = {0.5f, 0.5f, 0.5f};
    const rblAabb all = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    const rblAabb turned = {{1, 1, 1}, {0, 0, 0}};
    const rblAabb nan = {{0, NAN, 0}, {1, 1, 1}};
    assert_false(any_in_box(&empty, &all));
    assert_false(any_in_ball(&empty, here, 1));
    assert_false(any_in_box(&bvh, &turned));
    assert_false(any_in_box(&bvh, &nan));
    assert_false(any_in_ball(&bvh, here, -1));
    assert_false(any_in_ball(&bvh, here, NAN));
    assert_false(any_in_ball(&bvh, (rblVec3){0, 0, INFINITY}, 1));
    int count = 0;
    assert_true(rbl_tree_visit_box(&bvh, &all, count_to_three, &count));
    assert_int_equal(count, 3);
    rblIndexArray found;
    rbl_array_init(&found, rbl_default_allocator());
    assert_false(rbl_tree_visit_box(&bvh, &all, append_leaf, &found));
    assert_int_equal(found.count, 50);
    assert_false(rbl_tree_visit_ball(&bvh, here, INFINITY, append_leaf, &found));
    assert_int_equal(found.count, 100);
    rbl_array_free(&found);
    rbl_forest_free(&forest);
    free_soup(&span);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_and_balls_hold_what_brute_force_says),
        cmocka_unit_test(bad_regions_meet_nothing_and_searches_can_be_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
