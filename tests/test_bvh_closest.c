// Closest points against brute force: the distance in long double, the triangle by the tie rule.
#include "testing.h"

#include "bvh/query/closest.h"
#include "bvh/triangle/triangle_distance.h"
#include "triangle_soups.h"

typedef struct Long3
{
    long double x, y, z;
} Long3;

static Long3 long_sub(rblVec3d a, rblVec3d b)
{
    return (Long3){(long double)a.x - (long double)b.x, (long double)a.y - (long double)b.y,
                   (long double)a.z - (long double)b.z};
}

static long double long_dot(Long3 a, Long3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static long double segment_by_force(rblVec3d a, rblVec3d b, rblVec3d p)
{
    const Long3 along = long_sub(b, a);
    const Long3 offset = long_sub(p, a);
    const long double length2 = long_dot(along, along);
    long double t = length2 > 0 ? long_dot(offset, along) / length2 : 0;
    t = t < 0 ? 0 : (t > 1 ? 1 : t);
    const Long3 rest = {offset.x - t * along.x, offset.y - t * along.y, offset.z - t * along.z};
    return sqrtl(long_dot(rest, rest));
}

// The plane's part: the foot by solving the normal equations of the two edges, orthogonalised first.
static long double face_by_force(rblVec3d a, rblVec3d b, rblVec3d c, rblVec3d p)
{
    const Long3 e = long_sub(b, a);
    const Long3 ac = long_sub(c, a);
    const Long3 ap = long_sub(p, a);
    const long double ee = long_dot(e, e);
    if (!(ee > 0))
    {
        return INFINITY;
    }
    const long double s = long_dot(ac, e) / ee;
    const Long3 f = {ac.x - s * e.x, ac.y - s * e.y, ac.z - s * e.z};
    const long double ff = long_dot(f, f);
    if (!(ff > 1e-30L * ee))
    {
        return INFINITY;
    }
    const long double v = long_dot(ap, f) / ff;
    const long double u = long_dot(ap, e) / ee - v * s;
    if (u < 0 || v < 0 || u + v > 1)
    {
        return INFINITY;
    }
    const Long3 rest = {ap.x - u * e.x - v * ac.x, ap.y - u * e.y - v * ac.y, ap.z - u * e.z - v * ac.z};
    return sqrtl(long_dot(rest, rest));
}

static double distance_by_force(const rblTriangleSpan* span, uint32_t triangle, rblVec3d p)
{
    const rblVec3d a = soup_corner(span, triangle, 0);
    const rblVec3d b = soup_corner(span, triangle, 1);
    const rblVec3d c = soup_corner(span, triangle, 2);
    long double best = segment_by_force(a, b, p);
    best = fminl(best, segment_by_force(b, c, p));
    best = fminl(best, segment_by_force(c, a, p));
    return (double)fminl(best, face_by_force(a, b, c, p));
}

static rblTriangled corners_of(const rblTriangleSpan* span, uint32_t t)
{
    return (rblTriangled){{soup_corner(span, t, 0), soup_corner(span, t, 1), soup_corner(span, t, 2)}};
}

// What the tie rule chooses.
static uint32_t first_closest(const rblTriangleSpan* span, rblVec3d p)
{
    uint32_t first = UINT32_MAX;
    double best = (double)INFINITY;
    for (uint32_t t = 0; t < span->triangle_count; ++t)
    {
        const rblTriangled corners = corners_of(span, t);
        const double distance2 = rbl_triangle_distance2(&corners, p, (double)INFINITY);
        first = distance2 < best ? t : first;
        best = rbl_mind(distance2, best);
    }
    return first;
}

static void check_place(const rblTriangleSpan* span, const rblClosestPoint* found, double tolerance)
{
    const double v = (double)found->v, u = (double)found->u;
    const double weights[3] = {1.0 - u - v, u, v};
    assert_true(u >= 0.0 && v >= 0.0 && u + v <= 1.0 + 1e-6);
    const rblTriangled corners = corners_of(span, found->triangle);
    const rblVec3d point = rbl_weighted_point(corners.corners, weights);
    check_close(rbl_distance3d(point, rbl_to_double3(found->point)), 0.0, tolerance);
    const int feature = (int)found->feature;
    if (feature < 3)
    {
        check_close(weights[feature], 1.0, 1e-6);
    }
    else if (feature < 6)
    {
        check_close(weights[(feature + 2) % 3], 0.0, 1e-6);
    }
}

static void check_query(const rblBvh* bvh, const rblTriangleSpan* span, rblVec3 at, SoupKind kind,
                        uint32_t hint)
{
    const double scale = (double)soup_scale(kind);
    const rblVec3d p = rbl_to_double3(at);
    double best = (double)INFINITY;
    for (uint32_t t = 0; t < span->triangle_count; ++t)
    {
        best = rbl_mind(distance_by_force(span, t, p), best);
    }
    rblClosestPoint found;
    assert_true(rbl_tree_closest(bvh, at, INFINITY, hint, &found));
    check_close(found.distance, best, 2e-7 * best + 2e-8 * scale);
    check_close(rbl_distance3d(p, rbl_to_double3(found.point)), best, 4e-7 * best + 4e-7 * scale);
    assert_int_equal(found.triangle, first_closest(span, p));
    assert_int_equal(bvh->order[found.leaf], found.triangle);
    check_place(span, &found, 1e-6 * scale);
    // Within that distance it is found again; within a little less nothing is.
    rblClosestPoint again = {.distance = -1.0f};
    assert_true(rbl_tree_closest(bvh, at, found.distance * 1.00001f, RBL_NO_LEAF, &again));
    assert_int_equal(again.triangle, found.triangle);
    again.distance = -1.0f;
    if (found.distance > 0.0f)
    {
        assert_false(rbl_tree_closest(bvh, at, found.distance * 0.99999f, RBL_NO_LEAF, &again));
        assert_true(again.distance == -1.0f);
    }
}

static void closest_points_are_those_of_brute_force(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 60 * SOUP_KINDS; ++round)
    {
        const SoupKind kind = (SoupKind)(round % SOUP_KINDS);
        const uint32_t count = round < SOUP_KINDS ? 1 : 1 + rbl_random_below(&random, 70);
        const rblTriangleSpan span = make_soup(&random, kind, count);
        check_ok(rbl_forest_build(&forest, &span, 1, (rblBvhQuality)(round / 7 % 3), rbl_default_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        for (int i = 0; i < 25; ++i)
        {
            rblVec3 at = soup_point(&random, kind, i % 2 == 0 ? 0.0 : -2.0, i % 2 == 0 ? 1.0 : 3.0);
            if (i % 5 == 0) // on a corner
            {
                const uint32_t t = rbl_random_below(&random, count);
                at = rbl_to_float3(soup_corner(&span, t, i / 5 % 3));
            }
            check_query(&bvh, &span, at, kind, i % 3 == 0 ? RBL_NO_LEAF : rbl_random_below(&random, count));
        }
        free_soup(&span);
    }
    rbl_forest_free(&forest);
}

// One triangle in the plane z = 0 with a right angle at the origin, seen from all its regions.
static void features_are_those_of_the_regions(void** state)
{
    (void)state;
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const rblTriangleSpan span = {.positions = corners, .stride = 12, .vertex_count = 3, .triangle_count = 1};
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_serial_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    static const struct
    {
        rblVec3 at, closest;
        rblTriangleFeature feature;
    } cases[] = {
        {{-1, -2, 1}, {0, 0, 0}, RBL_FEATURE_VERTEX_0},
        {{3, 0.5f, -1}, {1, 0, 0}, RBL_FEATURE_VERTEX_1},
        {{-1, 5, 0}, {0, 1, 0}, RBL_FEATURE_VERTEX_2},
        {{0.25f, -1, 0}, {0.25f, 0, 0}, RBL_FEATURE_EDGE_0},
        {{1, 1, 1}, {0.5f, 0.5f, 0}, RBL_FEATURE_EDGE_1},
        {{-2, 0.5f, 3}, {0, 0.5f, 0}, RBL_FEATURE_EDGE_2},
        {{0.25f, 0.5f, 7}, {0.25f, 0.5f, 0}, RBL_FEATURE_FACE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        rblClosestPoint found;
        assert_true(rbl_tree_closest(&bvh, cases[i].at, INFINITY, RBL_NO_LEAF, &found));
        assert_int_equal(found.feature, cases[i].feature);
        check_close(rbl_length3(rbl_sub3(found.point, cases[i].closest)), 0.0, 1e-7);
        check_close(found.distance, rbl_length3(rbl_sub3(cases[i].at, cases[i].closest)), 1e-6);
    }
    rbl_forest_free(&forest);
}

static void bad_points_radii_and_empty_trees_find_nothing(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 20);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_serial_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    const rblBvh empty = {0};
    const rblVec3 here = {0, 0, 0};
    rblClosestPoint found = {.triangle = 77};
    assert_false(rbl_tree_closest(&empty, here, INFINITY, 0, &found));
    assert_false(rbl_tree_closest(&bvh, here, -1.0f, 0, &found));
    assert_false(rbl_tree_closest(&bvh, here, NAN, 0, &found));
    assert_false(rbl_tree_closest(&bvh, (rblVec3){NAN, 0, 0}, INFINITY, 0, &found));
    assert_false(rbl_tree_closest(&bvh, (rblVec3){0, INFINITY, 0}, INFINITY, 0, &found));
    assert_int_equal(found.triangle, 77);
    assert_true(rbl_tree_closest(&bvh, here, INFINITY, 12345, &found)); // a leaf that is not there: no hint
    assert_true(rbl_tree_closest(&bvh, (rblVec3){1e37f, -3e38f, 0}, INFINITY, 0, &found));
    const rblVec3 corner = rbl_to_float3(soup_corner(&span, 3, 1));
    assert_true(rbl_tree_closest(&bvh, corner, 0.0f, RBL_NO_LEAF, &found));
    assert_int_equal(found.triangle, 3);
    rbl_forest_free(&forest);
    free_soup(&span);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closest_points_are_those_of_brute_force),
        cmocka_unit_test(features_are_those_of_the_regions),
        cmocka_unit_test(bad_points_radii_and_empty_trees_find_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
