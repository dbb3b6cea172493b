// The ray tree: the bits of its answers on every path against those of the binary tree and of all triangles.
#include "testing.h"

#include "base/random.h"
#include "bvh/query/ray.h"
#include "bvh/query/ray_triangle.h"
#include "math/vec.h"
#include "triangle_soups.h"
#include <string.h>

typedef struct Trees
{
    rblForest forest;
    rblBvh bvh;
    rblRayTree rays;
} Trees;

static void open_trees(Trees* trees)
{
    rbl_forest_init(&trees->forest, rbl_default_allocator());
    rbl_ray_tree_init(&trees->rays, rbl_default_allocator());
}

static void build_trees(Trees* trees, const rblTriangleSpan* span, uint32_t quality)
{
    check_ok(rbl_forest_build(&trees->forest, span, 1, (rblBvhQuality)(quality % 3), rbl_default_jobs()));
    trees->bvh = rbl_forest_tree(&trees->forest, 0);
    check_ok(rbl_ray_tree_build(&trees->rays, &trees->bvh, rbl_default_jobs()));
    assert_true((trees->rays.node_count > 0) == (span->triangle_count > RBL_RAY_WIDTH));
    assert_true(trees->rays.node_count == 0 || rbl_ray_tree_is_sound(&trees->rays, &trees->bvh));
}

static void close_trees(Trees* trees)
{
    rbl_ray_tree_free(&trees->rays);
    rbl_forest_free(&trees->forest);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// The lowest of the first hits, by the test of every triangle. The direction is not so long or short that it is scaled.
static bool closest_of_all(const rblBvh* bvh, const rblRay* ray, rblRayHit* best)
{
    const rblShearedRay sheared = rbl_shear_ray(ray);
    bool found = false;
    for (uint32_t leaf = 0; leaf < bvh->layout.leaves; ++leaf)
    {
        rblRayHit hit;
        if (rbl_ray_hits_triangle(&sheared, &bvh->triangles[leaf], ray->t_min, ray->t_max, &hit) &&
            (!found || hit.t < best->t || (hit.t == best->t && bvh->order[leaf] < best->triangle)))
        {
            hit.leaf = leaf;
            hit.triangle = bvh->order[leaf];
            *best = hit;
            found = true;
        }
    }
    return found;
}

static bool same_bits(const rblRayHit* a, const rblRayHit* b)
{
    return memcmp(&a->t, &b->t, sizeof a->t) == 0 && memcmp(&a->u, &b->u, sizeof a->u) == 0 &&
           memcmp(&a->v, &b->v, sizeof a->v) == 0 && a->triangle == b->triangle && a->leaf == b->leaf;
}

static bool check_against(const Trees* trees, const rblRay* ray, bool found, const rblRayHit* expected)
{
    for (int path = RBL_RAY_PORTABLE; path <= RBL_RAY_AVX2; ++path)
    {
        if (!rbl_ray_path_exists((rblRayPath)path))
        {
            continue;
        }
        rblRayTree rays = trees->rays;
        rays.path = (rblRayPath)path;
        static uint32_t blocker =
            UINT32_MAX; // of the ray before, whichever tree that was in: it must not matter
        rblRayHit hit = {.t = -1.0f};
        assert_true(found == rbl_ray_tree_closest(&trees->bvh, &rays, ray, &hit));
        assert_true(found ? same_bits(&hit, expected) : hit.t == -1.0f);
        assert_true(found == rbl_ray_tree_any(&trees->bvh, &rays, ray));
        assert_true(found == rbl_ray_tree_blocked(&trees->bvh, &rays, ray, &blocker));
        assert_true(!found || blocker < trees->bvh.layout.leaves);
    }
    return found;
}

static bool check_ray(const Trees* trees, const rblRay* ray)
{
    rblRayHit expected = {.t = 0.0f}, binary;
    const bool found = closest_of_all(&trees->bvh, ray, &expected);
    assert_true(found == rbl_tree_ray_closest(&trees->bvh, ray, &binary));
    assert_true(!found || same_bits(&binary, &expected));
    return check_against(trees, ray, found, &expected);
}

// A point of a triangle: a corner, on an edge, inside, or in its plane beside it.
static rblVec3 point_at(rblRandom* random, const rblLeafTriangle* t)
{
    static const float weights[5][3] = {
        {1, 0, 0}, {0.5f, 0.5f, 0}, {0, 0.25f, 0.75f}, {0.25f, 0.25f, 0.5f}, {2, -0.5f, -0.5f}};
    const float* w = weights[rbl_random_below(random, 5)];
    return rbl_mul_add3(rbl_mul_add3(rbl_scale3(t->a, w[0]), w[1], t->b), w[2], t->c);
}

static rblRay aim(rblRandom* random, const rblBvh* bvh, SoupKind kind)
{
    const rblLeafTriangle* t = &bvh->triangles[rbl_random_below(random, bvh->layout.leaves)];
    const rblLeafTriangle* other = &bvh->triangles[rbl_random_below(random, bvh->layout.leaves)];
    const rblVec3 to = point_at(random, t);
    rblRay ray = {.origin = soup_point(random, kind, -1, 2), .t_min = 0.0f, .t_max = INFINITY};
    switch (rbl_random_below(random, 4))
    {
    case 0:
        ray.direction = rbl_sub3(to, ray.origin);
        break;
    case 1: // between points of two triangles, or in the plane of one
        ray.origin = point_at(random, other);
        ray.direction = rbl_sub3(to, ray.origin);
        break;
    case 2: // along an axis, either way
        ray.direction = (rblVec3){0.0f, -0.0f, 0.0f};
        (&ray.direction.x)[rbl_random_below(random, 3)] = rbl_random_below(random, 2) == 0 ? 1.0f : -1.0f;
        ray.origin = rbl_sub3(to, rbl_scale3(ray.direction, 2.0f * soup_scale(kind)));
        break;
    default: // along a plane of two axes
        ray.direction = rbl_sub3(to, ray.origin);
        (&ray.direction.x)[rbl_random_below(random, 3)] = 0.0f;
        break;
    }
    switch (rbl_random_below(random, 4))
    {
    case 0:
        ray.t_min = -1.0f;
        ray.t_max = 1.0f; // where the point is, to rounding
        break;
    case 1:
        ray.t_min = 0.25f;
        ray.t_max = 0.75f;
        break;
    default:
        break;
    }
    return ray;
}

static void every_path_has_the_bits_of_all_triangles(void** state)
{
    (void)state;
    static const uint32_t counts[] = {1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 100, 129, 500, 777};
    rblRandom random = rbl_random_seed(31, 0);
    Trees trees;
    open_trees(&trees);
    uint32_t hits = 0;
    for (uint32_t round = 0; round < 16 * SOUP_KINDS; ++round)
    {
        const SoupKind kind = (SoupKind)(round / 16);
        const rblTriangleSpan span = make_soup(&random, kind, counts[round % 16]);
        build_trees(&trees, &span, round);
        for (uint32_t i = 0; i < 120; ++i)
        {
            const rblRay ray = aim(&random, &trees.bvh, kind);
            const rblVec3 d = ray.direction;
            hits += (d.x != 0.0f || d.y != 0.0f || d.z != 0.0f) && check_ray(&trees, &ray);
        }
        free_soup(&span);
    }
    assert_true(hits > 3000);
    close_trees(&trees);
}

// Coordinates of every size, and origins far outside. Directions are scaled by the tree, so only the binary tree says
// what is expected.
static void extreme_sizes_change_no_bit(void** state)
{
    (void)state;
    static const float scales[] = {1.0f, 1e-43f, 1e-38f, 1e-20f, 1e15f, 1e30f, 1e37f};
    static const float distances[] = {1.0f, 1e3f, 1e7f, 1e-7f};
    rblRandom random = rbl_random_seed(32, 0);
    Trees trees;
    open_trees(&trees);
    uint32_t hits = 0;
    for (uint32_t round = 0; round < 84; ++round)
    {
        const float scale = scales[round % 7];
        const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 9 + rbl_random_below(&random, 200));
        float* positions = (float*)(uintptr_t)span.positions;
        for (uint32_t i = 0; i < 3 * span.vertex_count; ++i)
        {
            positions[i] *= scale;
        }
        build_trees(&trees, &span, round);
        for (uint32_t i = 0; i < 60; ++i)
        {
            rblRay ray = aim(&random, &trees.bvh, SOUP_RANDOM);
            const float* to = positions + 3 * (size_t)rbl_random_below(&random, span.vertex_count);
            const float distance = rbl_minf(scale * distances[i % 4], 1e37f);
            ray.origin = rbl_scale3(ray.origin, distance);
            ray.direction = (rblVec3){to[0] - ray.origin.x, to[1] - ray.origin.y, to[2] - ray.origin.z};
            rblRayHit expected;
            const bool found = rbl_tree_ray_closest(&trees.bvh, &ray, &expected);
            hits += check_against(&trees, &ray, found, &expected);
        }
        free_soup(&span);
    }
    assert_true(hits > 1000);
    close_trees(&trees);
}

// Where products of coordinates are a few steps of the smallest floats, or beyond the largest one, 64 bits decide.
static void edges_beyond_the_range_of_floats_have_the_same_bits(void** state)
{
    (void)state;
    static const float scales[] = {1e-21f, 3e-21f, 5e18f, 2e19f, 1e20f, 5e20f};
    rblRandom random = rbl_random_seed(37, 0);
    Trees trees;
    open_trees(&trees);
    uint32_t hits = 0;
    for (uint32_t round = 0; round < 60; ++round)
    {
        const float scale = scales[round % 6];
        const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 9 + rbl_random_below(&random, 100));
        float* positions = (float*)(uintptr_t)span.positions;
        for (uint32_t i = 0; i < 3 * span.vertex_count; ++i)
        {
            positions[i] *= scale;
        }
        build_trees(&trees, &span, round);
        for (uint32_t i = 0; i < 300; ++i)
        {
            const rblLeafTriangle* t = &trees.bvh.triangles[rbl_random_below(&random, span.triangle_count)];
            rblRay ray = {.origin = rbl_scale3(soup_point(&random, SOUP_RANDOM, -1, 2), scale),
                          .t_max = INFINITY};
            ray.direction = rbl_scale3(rbl_sub3(point_at(&random, t), ray.origin), 1.0f / scale);
            hits += check_ray(&trees, &ray);
        }
        free_soup(&span);
    }
    assert_true(hits > 3000);
    close_trees(&trees);
}

static void rays_that_are_no_rays_hit_nothing(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(33, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 100);
    Trees trees;
    open_trees(&trees);
    build_trees(&trees, &span, RBL_BVH_QUALITY);
    const rblRay good = {.origin = {0.5f, 0.5f, -1}, .direction = {0.01f, 0, 1}, .t_max = INFINITY};
    for (int field = 0; field < 8; ++field)
    {
        static const float bad[] = {NAN, INFINITY, -INFINITY};
        for (int k = 0; k < 3; ++k)
        {
            rblRay ray = good;
            (&ray.origin.x)[field] = bad[k]; // origin, direction, t_min, t_max
            rblRayHit expected;
            const bool found = rbl_tree_ray_closest(&trees.bvh, &ray, &expected);
            assert_true(!found || (field == 7 && k == 1));
            check_against(&trees, &ray, found, &expected);
        }
    }
    rblRay zero = good;
    zero.direction = (rblVec3){0.0f, -0.0f, 0.0f};
    check_against(&trees, &zero, false, NULL);
    const Trees empty = {.bvh = {.layout = {0}}};
    check_against(&empty, &good, false, NULL);
    free_soup(&span);
    close_trees(&trees);
}

// A flat sheet of unit squares: rays in its plane, through its edges and its vertices.
static void rays_meet_the_edges_of_flat_trees(void** state)
{
    (void)state;
    enum
    {
        SIDE = 12
    };
    static float corners[SIDE * SIDE * 18];
    uint32_t count = 0;
    for (int i = 0; i < SIDE * SIDE; ++i)
    {
        static const int square[6][2] = {{0, 0}, {1, 0}, {0, 1}, {1, 0}, {1, 1}, {0, 1}};
        for (int k = 0; k < 6; ++k)
        {
            corners[3 * count] = (float)(i % SIDE + square[k][0]);
            corners[3 * count + 1] = 3.0f;
            corners[3 * count + 2] = (float)(i / SIDE + square[k][1]);
            count += 1;
        }
    }
    const rblTriangleSpan span = {
        .positions = corners, .stride = 12, .vertex_count = count, .triangle_count = count / 3};
    Trees trees;
    open_trees(&trees);
    build_trees(&trees, &span, RBL_BVH_QUALITY);
    for (int i = 0; i < (2 * SIDE + 1) * (2 * SIDE + 1); ++i)
    {
        const float x = 0.5f * (float)(i % (2 * SIDE + 1)), z = 0.5f * (float)(i / (2 * SIDE + 1));
        const rblRay across = {.origin = {x, 1e3f, z}, .direction = {-0.0f, -1.0f, 0.0f}, .t_max = INFINITY};
        assert_true(check_ray(&trees, &across));
        const rblRay slanted = {.origin = {x, 0, z}, .direction = {1.0f, 3.0f, 0.0f}, .t_max = 1.0f};
        assert_true(check_ray(&trees, &slanted) == (x <= (float)SIDE - 1.0f));
        const rblRay within = {.origin = {-1, 3, z}, .direction = {1.0f, 0.0f, 0.0f}, .t_max = INFINITY};
        check_ray(&trees, &within);
    }
    close_trees(&trees);
}

// A large surface: many levels, and blocks that are not full.
static void large_trees_have_the_same_bits(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(34, 0);
    Trees trees;
    open_trees(&trees);
    uint32_t hits = 0;
    for (uint32_t quality = 0; quality < 3; ++quality)
    {
        const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 20001);
        build_trees(&trees, &span, quality);
        for (uint32_t i = 0; i < 2000; ++i)
        {
            const rblRay ray = aim(&random, &trees.bvh, SOUP_RANDOM);
            rblRayHit expected;
            const bool found = rbl_tree_ray_closest(&trees.bvh, &ray, &expected);
            hits += check_against(&trees, &ray, found, &expected);
        }
        free_soup(&span);
    }
    assert_true(hits > 3000);
    close_trees(&trees);
}

static void the_ray_tree_does_not_depend_on_the_workers(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(35, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 30000);
    Trees trees;
    open_trees(&trees);
    build_trees(&trees, &span, RBL_BVH_QUALITY);
    rblRayTree serial;
    rbl_ray_tree_init(&serial, rbl_default_allocator());
    check_ok(rbl_ray_tree_build(&serial, &trees.bvh, rbl_serial_jobs()));
    assert_int_equal(serial.node_count, trees.rays.node_count);
    assert_memory_equal(serial.nodes, trees.rays.nodes, sizeof(rblRayNode) * serial.node_count);
    assert_memory_equal(serial.blocks, trees.rays.blocks, sizeof(rblRayBlock) * serial.block_count);
    // Most of eight children are there: few nodes for many blocks.
    assert_true(serial.node_count < serial.block_count / 4);
    rbl_ray_tree_free(&serial);
    free_soup(&span);
    close_trees(&trees);
}

static void an_unsound_ray_tree_is_found(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(36, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 200);
    Trees trees;
    open_trees(&trees);
    build_trees(&trees, &span, RBL_BVH_QUALITY);
    float* side = &trees.rays.nodes[0].side[1][0];
    *side += 1e-3f;
    assert_false(rbl_ray_tree_is_sound(&trees.rays, &trees.bvh));
    *side -= 2e-3f; // larger is not wrong
    assert_true(rbl_ray_tree_is_sound(&trees.rays, &trees.bvh));
    trees.rays.nodes[0].lanes = 1;
    assert_false(rbl_ray_tree_is_sound(&trees.rays, &trees.bvh));
    free_soup(&span);
    close_trees(&trees);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_has_the_bits_of_all_triangles),
        cmocka_unit_test(extreme_sizes_change_no_bit),
        cmocka_unit_test(edges_beyond_the_range_of_floats_have_the_same_bits),
        cmocka_unit_test(rays_that_are_no_rays_hit_nothing),
        cmocka_unit_test(rays_meet_the_edges_of_flat_trees),
        cmocka_unit_test(large_trees_have_the_same_bits),
        cmocka_unit_test(the_ray_tree_does_not_depend_on_the_workers),
        cmocka_unit_test(an_unsound_ray_tree_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
