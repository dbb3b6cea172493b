// Rays through the implicit tree, against brute force.
#include "testing.h"

#include "base/random.h"
#include "bvh/query/ray.h"
#include "math/vec.h"
#include "triangle_soups.h"
#include <stdlib.h>

// ---- rays ----

// Moeller and Trumbore 1997 in 64 bits. `margin` is how clear the answer is: hits and misses near an edge are doubtful.
static bool hit_by_force(const rblTriangleSpan* span, uint32_t triangle, const rblRay* ray, double* t,
                         double* margin)
{
    const rblVec3d a = soup_corner(span, triangle, 0);
    const rblVec3d e1 = rbl_sub3d(soup_corner(span, triangle, 1), a);
    const rblVec3d e2 = rbl_sub3d(soup_corner(span, triangle, 2), a);
    const rblVec3d d = rbl_to_double3(ray->direction);
    const rblVec3d p = rbl_cross3d(d, e2);
    const double determinant = rbl_dot3d(e1, p);
    if (fabs(determinant) < 1e-9)
    {
        *margin = determinant == 0.0 ? 1.0 : 0.0;
        return false;
    }
    const rblVec3d s = rbl_sub3d(rbl_to_double3(ray->origin), a);
    const rblVec3d q = rbl_cross3d(s, e1);
    const double u = rbl_dot3d(s, p) / determinant;
    const double v = rbl_dot3d(d, q) / determinant;
    *t = rbl_dot3d(e2, q) / determinant;
    const double inside = rbl_mind(u, rbl_mind(v, 1.0 - u - v));
    const double in_range = rbl_mind(*t - (double)ray->t_min, (double)ray->t_max - *t);
    *margin = rbl_mind(fabs(inside), fabs(in_range));
    return inside >= 0.0 && in_range >= 0.0;
}

static rblRay random_ray(rblRandom* random)
{
    rblRay ray = {.t_min = 0.0f, .t_max = (float)rbl_random_range(random, 0.2, 4.0)};
    for (int a = 0; a < 3; ++a)
    {
        (&ray.origin.x)[a] = (float)rbl_random_range(random, -0.5, 1.5);
        (&ray.direction.x)[a] = (float)rbl_random_range(random, -1, 1);
    }
    const uint32_t flat = rbl_random_below(random, 6); // some rays run along an axis or in a plane
    if (flat < 3)
    {
        (&ray.direction.x)[flat] = 0.0f;
    }
    return ray;
}

static void check_ray(const rblBvh* bvh, const rblTriangleSpan* span, const rblRay* ray)
{
    double best = INFINITY;
    double doubt = 1.0;
    for (uint32_t i = 0; i < span->triangle_count; ++i)
    {
        double t = INFINITY, margin = 1.0;
        const bool hit = hit_by_force(span, i, ray, &t, &margin);
        best = hit && t < best ? t : best;
        doubt = margin < doubt ? margin : doubt;
    }
    rblRayHit hit = {.t = -1.0f};
    const bool found = rbl_tree_ray_closest(bvh, ray, &hit);
    assert_true(found == rbl_tree_ray_any(bvh, ray));
    static uint32_t blocker = UINT32_MAX; // of the ray before, whichever tree that was in: it must not matter
    assert_true(found == rbl_tree_ray_blocked(bvh, ray, &blocker));
    assert_true(!found || blocker < bvh->layout.leaves);
    assert_true(found || hit.t == -1.0f);
    if (doubt < 1e-4) // 32 and 64 bits may disagree
    {
        return;
    }
    assert_true(found == (best < (double)INFINITY));
    if (found)
    {
        check_close(hit.t, best, 1e-4);
        const rblVec3d a = soup_corner(span, hit.triangle, 0);
        const rblVec3d b = soup_corner(span, hit.triangle, 1);
        const rblVec3d c = soup_corner(span, hit.triangle, 2);
        rblVec3d point = rbl_scale3d(a, 1.0 - (double)hit.u - (double)hit.v);
        point = rbl_mul_add3d(rbl_mul_add3d(point, (double)hit.u, b), (double)hit.v, c);
        const rblVec3d along =
            rbl_mul_add3d(rbl_to_double3(ray->origin), (double)hit.t, rbl_to_double3(ray->direction));
        assert_true(rbl_distance3d(point, along) < 1e-4);
    }
}

static void rays_find_what_brute_force_finds(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 60; ++round)
    {
        const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 1 + rbl_random_below(&random, 200));
        check_ok(rbl_forest_build(&forest, &span, 1, (rblBvhQuality)(round % 3), rbl_default_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        for (int i = 0; i < 100; ++i)
        {
            const rblRay ray = random_ray(&random);
            check_ray(&bvh, &span, &ray);
        }
        free_soup(&span);
    }
    rbl_forest_free(&forest);
}

// A closed box around the origin: every ray from inside hits, also through vertices, edges and diagonals.
static void no_ray_slips_through_a_closed_surface(void** state)
{
    (void)state;
    static const float corners[24] = {-1, -1, -1, 1, -1, -1, -1, 1, -1, 1, 1, -1,
                                      -1, -1, 1,  1, -1, 1,  -1, 1, 1,  1, 1, 1};
    static const uint32_t indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                         2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};
    const rblTriangleSpan span = {
        .positions = corners, .stride = 12, .vertex_count = 8, .indices = indices, .triangle_count = 12};
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    for (int x = -8; x <= 8; ++x)
    {
        for (int y = -8; y <= 8; ++y)
        {
            for (int z = -8; z <= 8; ++z)
            {
                const rblRay ray = {.direction = {(float)x, (float)y, (float)z}, .t_max = 1e30f};
                rblRayHit hit;
                const bool zero = x == 0 && y == 0 && z == 0;
                assert_true(rbl_tree_ray_closest(&bvh, &ray, &hit) == !zero);
                if (!zero)
                {
                    const double longest = rbl_maxd(abs(x), rbl_maxd(abs(y), abs(z)));
                    check_close((double)hit.t * longest, 1.0, 1e-6);
                }
            }
        }
    }
    rbl_forest_free(&forest);
}

static void rays_that_are_no_rays_and_empty_trees_hit_nothing(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 20);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_default_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    const rblBvh empty = {0};
    rblRay ray = {.origin = {0, 0, -1}, .direction = {0, 0, 1}, .t_max = 10};
    assert_false(rbl_tree_ray_any(&empty, &ray));
    ray.direction.z = 0;
    assert_false(rbl_tree_ray_any(&bvh, &ray));
    ray.direction.z = NAN;
    assert_false(rbl_tree_ray_any(&bvh, &ray));
    ray.direction.z = 1;
    ray.t_max = NAN;
    assert_false(rbl_tree_ray_any(&bvh, &ray));
    rbl_forest_free(&forest);
    free_soup(&span);
}

// A flat grid of triangles with integer vertices: rays along the axes meet every edge and vertex exactly.
static void rays_along_an_axis_hit_edges_corners_and_borders(void** state)
{
    (void)state;
    enum
    {
        SIDE = 8
    };
    static float corners[SIDE * SIDE * 18];
    uint32_t count = 0;
    for (int i = 0; i < SIDE * SIDE; ++i)
    {
        static const int square[6][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
        for (int k = 0; k < 6; ++k)
        {
            corners[3 * count] = (float)(i % SIDE + square[k][0]);
            corners[3 * count + 1] = (float)(i / SIDE + square[k][1]);
            corners[3 * count + 2] = 3.0f;
            count += 1;
        }
    }
    const rblTriangleSpan span = {
        .positions = corners, .stride = 12, .vertex_count = count, .triangle_count = count / 3};
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    for (int i = 0; i < 17 * 17; ++i)
    {
        for (int side = 0; side < 2; ++side)
        {
            const float z = side == 0 ? -0.0f : 6.0f;
            const rblRay ray = {.origin = {0.5f * (float)(i % 17), 0.5f * (float)(i / 17), z},
                                .direction = {0.0f, -0.0f, side == 0 ? 1.0f : -1.0f},
                                .t_max = INFINITY};
            rblRayHit hit;
            assert_true(rbl_tree_ray_closest(&bvh, &ray, &hit));
            check_close(hit.t, 3.0, 1e-6);
        }
    }
    rbl_forest_free(&forest);
}

static void the_length_of_the_direction_only_changes_the_unit_of_t(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(6, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 100);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    static const float lengths[] = {9.5367431640625e-7f, 1.2621774483536189e-29f, 1.2676506002282294e30f};
    uint32_t hits = 0;
    for (int i = 0; i < 500; ++i)
    {
        rblRay ray = random_ray(&random);
        ray.t_max = INFINITY;
        rblRayHit hit = {.triangle = UINT32_MAX};
        hits += rbl_tree_ray_closest(&bvh, &ray, &hit);
        for (int k = 0; k < 3; ++k)
        {
            rblRay other = ray;
            other.direction = rbl_scale3(ray.direction, lengths[k]); // powers of two: nothing is rounded
            rblRayHit found = {.triangle = UINT32_MAX};
            rbl_tree_ray_closest(&bvh, &other, &found);
            assert_int_equal(found.triangle, hit.triangle);
            assert_true(hit.triangle == UINT32_MAX || found.t == hit.t / lengths[k]);
        }
    }
    assert_true(hits > 20);
    rbl_forest_free(&forest);
    free_soup(&span);
}

static void a_range_behind_the_origin_is_searched_too(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 100);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_default_jobs()));
    const rblBvh bvh = rbl_forest_tree(&forest, 0);
    for (int i = 0; i < 500; ++i)
    {
        rblRay ray = random_ray(&random);
        ray.t_min = -3.0f;
        ray.t_max = i % 2 == 0 ? -0.1f : 1.0f;
        check_ray(&bvh, &span, &ray);
    }
    rbl_forest_free(&forest);
    free_soup(&span);
}

// Rays in degenerate soups do not crash, and equal triangles yield the first.
static void degenerate_soups_are_survived_and_ties_go_to_the_lowest(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(8, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 10 * SOUP_KINDS; ++round)
    {
        const SoupKind kind = (SoupKind)(round % SOUP_KINDS);
        const rblTriangleSpan span = make_soup(&random, kind, 1 + rbl_random_below(&random, 60));
        check_ok(rbl_forest_build(&forest, &span, 1, (rblBvhQuality)(round % 3), rbl_default_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        for (uint32_t i = 0; i < 30; ++i)
        {
            // Towards the inside of a triangle, which is then hit unless it has no area.
            const uint32_t t = rbl_random_below(&random, span.triangle_count);
            const rblVec3d sum = rbl_add3d(rbl_add3d(soup_corner(&span, t, 0), soup_corner(&span, t, 1)),
                                           soup_corner(&span, t, 2));
            const rblVec3 middle = rbl_to_float3(rbl_scale3d(sum, 1.0 / 3.0));
            rblRay ray = {.origin = soup_point(&random, kind, -1, 2), .t_max = INFINITY};
            ray.direction = rbl_sub3(middle, ray.origin);
            rblRayHit hit = {.triangle = UINT32_MAX};
            const bool found = rbl_tree_ray_closest(&bvh, &ray, &hit);
            assert_true(found == rbl_tree_ray_any(&bvh, &ray));
            const bool solid =
                kind != SOUP_LINE && kind != SOUP_POINTS && kind != SOUP_SLIVERS && kind != SOUP_COARSE;
            assert_true(found || !solid);
            assert_true(!found || kind != SOUP_EQUAL || hit.triangle == 0);
            assert_true(!solid || (double)hit.t <= 1.0 + 1e-4);
        }
        free_soup(&span);
    }
    rbl_forest_free(&forest);
}

// What hits each triangle alone, as trees of one leaf say: no traversal is in that, and no order.
static bool closest_of_singles(const rblForest* singles, const rblRay* ray, rblRayHit* best)
{
    bool found = false;
    for (uint32_t t = 0; t < singles->tree_count; ++t)
    {
        const rblBvh tree = rbl_forest_tree(singles, t);
        rblRayHit hit;
        if (rbl_tree_ray_closest(&tree, ray, &hit) && (!found || hit.t < best->t))
        {
            *best = hit;
            best->triangle = t;
            found = true;
        }
    }
    return found;
}

static void check_against_singles(const rblTriangleSpan* span, const rblRay* rays, uint32_t count)
{
    rblTriangleSpan each[60];
    for (uint32_t t = 0; t < span->triangle_count; ++t)
    {
        each[t] = (rblTriangleSpan){.positions = (const float*)span->positions + 9 * (size_t)t,
                                    .stride = 12,
                                    .vertex_count = 3,
                                    .triangle_count = 1};
    }
    rblForest singles, forest;
    rbl_forest_init(&singles, rbl_default_allocator());
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&singles, each, span->triangle_count, RBL_BVH_FAST, rbl_default_jobs()));
    for (int quality = RBL_BVH_FAST; quality <= RBL_BVH_QUALITY; ++quality)
    {
        check_ok(rbl_forest_build(&forest, span, 1, (rblBvhQuality)quality, rbl_default_jobs()));
        const rblBvh bvh = rbl_forest_tree(&forest, 0);
        for (uint32_t i = 0; i < count; ++i)
        {
            rblRayHit expected = {.t = INFINITY}, hit;
            const bool found = closest_of_singles(&singles, &rays[i], &expected);
            assert_true(found == rbl_tree_ray_closest(&bvh, &rays[i], &hit));
            assert_true(found == rbl_tree_ray_any(&bvh, &rays[i]));
            assert_true(!found || (hit.triangle == expected.triangle && hit.t == expected.t &&
                                   hit.u == expected.u && hit.v == expected.v));
        }
    }
    rbl_forest_free(&forest);
    rbl_forest_free(&singles);
}

// Overlapping triangles of one plane are hit at the same t but for rounding; the lowest wins whatever the order of the
// tree. At 1e-43 coordinates are a few steps of the smallest floats.
static void the_order_of_the_tree_does_not_change_what_is_hit(void** state)
{
    (void)state;
    enum
    {
        RAYS = 40
    };
    static const float scales[] = {1.0f, 1e-20f, 1e15f, 1e-43f};
    rblRandom random = rbl_random_seed(21, 0);
    for (uint32_t round = 0; round < 80; ++round)
    {
        rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 1 + rbl_random_below(&random, 60));
        float* positions = (float*)(uintptr_t)span.positions;
        const float scale = scales[round % 4];
        for (uint32_t v = 0; v < span.vertex_count; ++v)
        {
            float* p = positions + 3 * (size_t)v;
            p[2] = round % 8 < 4 ? 0.3f * p[0] + 0.7f * p[1] : p[2];
            for (int k = 0; k < 3; ++k)
            {
                p[k] *= scale;
            }
        }
        rblRay rays[RAYS];
        for (uint32_t i = 0; i < RAYS; ++i)
        {
            const float* to = positions + 3 * (size_t)rbl_random_below(&random, span.vertex_count);
            const rblVec3 from = rbl_scale3(soup_point(&random, SOUP_RANDOM, -1, 2), scale);
            rays[i] = (rblRay){from, {to[0] - from.x, to[1] - from.y, to[2] - from.z}, 0.0f, INFINITY};
        }
        check_against_singles(&span, rays, RAYS);
        free_soup(&span);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_find_what_brute_force_finds),
        cmocka_unit_test(no_ray_slips_through_a_closed_surface),
        cmocka_unit_test(rays_that_are_no_rays_and_empty_trees_hit_nothing),
        cmocka_unit_test(rays_along_an_axis_hit_edges_corners_and_borders),
        cmocka_unit_test(the_length_of_the_direction_only_changes_the_unit_of_t),
        cmocka_unit_test(a_range_behind_the_origin_is_searched_too),
        cmocka_unit_test(degenerate_soups_are_survived_and_ties_go_to_the_lowest),
        cmocka_unit_test(the_order_of_the_tree_does_not_change_what_is_hit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
