// The hierarchy of samples: its order and parents against the definition, its radii against all descendants.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "field/samples/samples.h"
#include "math/vec.h"
#include <string.h>

static float squared_distance(rblVec3 a, rblVec3 b)
{
    const rblVec3 d = rbl_sub3(a, b);
    return rbl_dot3(d, d);
}

static rblSampleTree* make_tree(const rblVec3* points, uint32_t count)
{
    rblSampleTree* tree = NULL;
    check_ok(rbl_sample_tree_create(points, count, rbl_default_allocator(), &tree));
    return tree;
}

// Farthest-point order by the definition, n^2. Returns how many are different.
static uint32_t order_by_definition(const rblVec3* points, uint32_t count, rblVec3* out)
{
    rblVec3 lower = points[0];
    rblVec3 upper = points[0];
    float* squared = malloc(count * sizeof *squared);
    for (uint32_t i = 0; i < count; ++i)
    {
        lower = rbl_min3(lower, points[i]);
        upper = rbl_max3(upper, points[i]);
    }
    const rblVec3 middle = rbl_add3(rbl_scale3(lower, 0.5f), rbl_scale3(upper, 0.5f));
    for (uint32_t i = 0; i < count; ++i)
    {
        squared[i] = squared_distance(points[i], middle);
    }
    uint32_t chosen = 0;
    for (;; ++chosen)
    {
        uint32_t best = 0;
        for (uint32_t i = 1; i < count; ++i)
        {
            best = squared[i] > squared[best] ? i : best;
        }
        if (chosen > 0 && squared[best] == 0.0f)
        {
            break;
        }
        out[chosen] = points[best];
        for (uint32_t i = 0; i < count; ++i)
        {
            const float d = squared_distance(points[i], points[best]);
            squared[i] = chosen == 0 || d < squared[i] ? d : squared[i];
        }
    }
    free(squared);
    return chosen;
}

static uint32_t parent_of(const rblSampleTree* tree, uint32_t node)
{
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        for (uint32_t k = tree->first_children[i]; k < tree->first_children[i + 1]; ++k)
        {
            if (tree->children[k].node == node)
            {
                return i;
            }
        }
    }
    return UINT32_MAX;
}

static void check_parents(const rblSampleTree* tree)
{
    for (uint32_t i = 1; i < tree->count; ++i)
    {
        uint32_t level = 1;
        while (2 * level <= i)
        {
            level *= 2;
        }
        uint32_t nearest = 0;
        for (uint32_t j = 1; j < level; ++j)
        {
            const bool nearer = squared_distance(tree->points[i], tree->points[j]) <
                                squared_distance(tree->points[i], tree->points[nearest]);
            nearest = nearer ? j : nearest;
        }
        assert_int_equal(parent_of(tree, i), nearest);
    }
}

static float farthest_below(const rblSampleTree* tree, uint32_t from, uint32_t node)
{
    float far = sqrtf(squared_distance(tree->points[from], tree->points[node]));
    for (uint32_t k = tree->first_children[node]; k < tree->first_children[node + 1]; ++k)
    {
        far = rbl_maxf(far, farthest_below(tree, from, tree->children[k].node));
    }
    return far;
}

static void check_reaches(const rblSampleTree* tree)
{
    assert_int_equal(tree->first_children[0], 0);
    assert_int_equal(tree->first_children[tree->count], tree->count - 1);
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        float reach = 0.0f;
        for (uint32_t k = tree->first_children[i + 1]; k > tree->first_children[i]; --k)
        {
            const uint32_t child = tree->children[k - 1].node;
            assert_true(child > i);
            assert_true(k == tree->first_children[i + 1] || tree->children[k].node > child);
            reach = rbl_maxf(reach, farthest_below(tree, i, child));
            assert_true(tree->children[k - 1].reach >= reach);
            check_close(tree->children[k - 1].reach, reach, 3e-6f * reach);
        }
        check_close(rbl_sample_radius(tree, i), reach, 3e-6f * reach);
    }
}

static void check_against_definition(const rblVec3* points, uint32_t count)
{
    rblVec3* expected = malloc(count * sizeof *expected);
    const uint32_t different = order_by_definition(points, count, expected);
    rblSampleTree* tree = make_tree(points, count);
    assert_int_equal(tree->count, different);
    assert_memory_equal(tree->points, expected, different * sizeof *expected);
    check_parents(tree);
    check_reaches(tree);
    rbl_sample_tree_free(tree, rbl_default_allocator());
    free(expected);
}

static rblVec3 random_point(rblRandom* random)
{
    return (rblVec3){rbl_random_float(random), rbl_random_float(random), rbl_random_float(random)};
}

static void order_parents_and_radii_follow_the_definition(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(5, 1);
    const uint32_t counts[] = {1, 2, 3, 7, 8, 9, 16, 17, 100, 500};
    rblVec3 points[500];
    for (size_t c = 0; c < sizeof counts / sizeof *counts; ++c)
    {
        for (uint32_t i = 0; i < counts[c]; ++i)
        {
            points[i] = random_point(&random);
        }
        check_against_definition(points, counts[c]);
    }
}

// On a lattice nearly all distances have equals, and points come twice.
static void ties_go_to_the_first_point_and_equal_points_are_kept_once(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(6, 1);
    rblVec3 points[400];
    for (uint32_t i = 0; i < 400; ++i)
    {
        points[i] = (rblVec3){(float)rbl_random_below(&random, 7), (float)rbl_random_below(&random, 6),
                              i < 200 ? 0.0f : (float)rbl_random_below(&random, 5)};
    }
    check_against_definition(points, 400);
    for (uint32_t i = 0; i < 400; ++i)
    {
        points[i] = (rblVec3){1, 2, 3};
    }
    check_against_definition(points, 400);
    for (uint32_t i = 0; i < 400; ++i)
    {
        points[i] = (rblVec3){1.0f + (float)(i * 7 % 13), 2, 3};
    }
    check_against_definition(points, 400);
}

static void clusters_far_apart_are_ordered_too(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(7, 1);
    rblVec3 points[300];
    for (uint32_t i = 0; i < 300; ++i)
    {
        const float size = i % 3 == 0 ? 1e-3f : i % 3 == 1 ? 1.0f : 1e3f;
        points[i] = rbl_add3(rbl_scale3(random_point(&random), size), rbl_vec3(i % 2 ? 1e4f : 0.0f, 0, 0));
    }
    check_against_definition(points, 300);
}

static void many_points_on_a_sphere(rblVec3* points, uint32_t count)
{
    rblRandom random = rbl_random_seed(8, 1);
    for (uint32_t i = 0; i < count; ++i)
    {
        rblVec3 p;
        do
        {
            p = rbl_sub3(rbl_scale3(random_point(&random), 2.0f), rbl_vec3(1, 1, 1));
        } while (rbl_dot3(p, p) > 1.0f || rbl_dot3(p, p) < 0.01f);
        points[i] = rbl_scale3(p, 1.0f / rbl_length3(p));
    }
}

// Any beginning of the order covers the sphere: no point of it is farther from the first m than a bound that holds for
// m points that far apart (their caps of half that radius do not overlap).
static void every_prefix_covers_a_sphere(void** state)
{
    (void)state;
    const uint32_t count = 20000;
    rblVec3* points = malloc(count * sizeof *points);
    many_points_on_a_sphere(points, count);
    rblSampleTree* tree = make_tree(points, count);
    assert_int_equal(tree->count, count);
    for (uint32_t m = 8; m <= 512; m *= 4)
    {
        float worst = 0.0f;
        for (uint32_t i = 0; i < count; ++i)
        {
            float nearest = INFINITY;
            for (uint32_t k = 0; k < m; ++k)
            {
                nearest = rbl_minf(nearest, squared_distance(points[i], tree->points[k]));
            }
            worst = rbl_maxf(worst, nearest);
        }
        // m caps of chord r / 2 have area pi r^2 / 4 each, and the sphere 4 pi: r <= 4 / sqrt(m).
        assert_true(sqrtf(worst) <= 4.0f / sqrtf((float)m));
    }
    rbl_sample_tree_free(tree, rbl_default_allocator());
    free(points);
}

// The quick order holds the same points, every parent is on a level above, reaches are right, and prefixes cover the sphere, if
// less well. What it made stays as it is when it is ordered again, as those need who store it.
static void the_quick_order_covers_a_sphere_and_keeps_itself(void** state)
{
    (void)state;
    const uint32_t count = 3000;
    rblVec3* points = malloc(count * sizeof *points);
    many_points_on_a_sphere(points, count);
    points[7] = points[8];
    rblSampleTree* tree = NULL;
    rblSampleTree* again = NULL;
    check_ok(rbl_sample_tree_create_quick(points, count, rbl_default_allocator(), &tree));
    assert_int_equal(tree->count, count - 1);
    check_reaches(tree);
    for (uint32_t i = 0; i < tree->count; ++i)
    {
        for (uint32_t k = tree->first_children[i]; k < tree->first_children[i + 1]; ++k)
        {
            uint32_t level = 1;
            while (2 * level <= tree->children[k].node)
            {
                level *= 2;
            }
            assert_true(i < level);
        }
    }
    for (uint32_t m = 8; m <= 512; m *= 4)
    {
        float worst = 0.0f;
        for (uint32_t i = 0; i < count; ++i)
        {
            float nearest = INFINITY;
            for (uint32_t k = 0; k < m; ++k)
            {
                nearest = rbl_minf(nearest, squared_distance(points[i], tree->points[k]));
            }
            worst = rbl_maxf(worst, nearest);
        }
        assert_true(sqrtf(worst) <= 6.0f / sqrtf((float)m));
    }
    check_ok(rbl_sample_tree_create_quick(tree->points, tree->count, rbl_default_allocator(), &again));
    assert_memory_equal(tree->points, again->points, tree->count * sizeof *points);
    rbl_sample_tree_free(tree, rbl_default_allocator());
    rbl_sample_tree_free(again, rbl_default_allocator());
    free(points);
}

static void bad_points_are_refused(void** state)
{
    (void)state;
    rblSampleTree* tree = NULL;
    const rblVec3 bad[3] = {{0, 0, 0}, {NAN, 0, 0}, {0, 2e18f, 0}};
    const rblAllocator* memory = rbl_default_allocator();
    check_fails(RBL_ERROR_ARGUMENT, rbl_sample_tree_create(NULL, 3, memory, &tree));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sample_tree_create(bad, 0, memory, &tree));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sample_tree_create(bad, 2, memory, &tree));
    check_fails(RBL_ERROR_ARGUMENT, rbl_sample_tree_create(bad + 2, 1, memory, &tree));
    assert_null(tree);
    rbl_sample_tree_free(NULL, memory);
}

static void memory_is_stated_and_running_out_of_it_is_survived(void** state)
{
    (void)state;
    rblVec3 points[100];
    many_points_on_a_sphere(points, 100);
    FailingAllocator memory;
    for (size_t n = 0;; ++n)
    {
        rblSampleTree* tree = NULL;
        failing_allocator_start(&memory, n);
        const rblResult result = rbl_sample_tree_create(points, 100, &memory.allocator, &tree);
        if (result == RBL_OK)
        {
            assert_int_equal(memory.live, tree->bytes);
            rbl_sample_tree_free(tree, &memory.allocator);
            assert_int_equal(memory.live, 0);
            break;
        }
        assert_int_equal(result, RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
        assert_null(tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(order_parents_and_radii_follow_the_definition),
        cmocka_unit_test(ties_go_to_the_first_point_and_equal_points_are_kept_once),
        cmocka_unit_test(clusters_far_apart_are_ordered_too),
        cmocka_unit_test(every_prefix_covers_a_sphere),
        cmocka_unit_test(the_quick_order_covers_a_sphere_and_keeps_itself),
        cmocka_unit_test(bad_points_are_refused),
        cmocka_unit_test(memory_is_stated_and_running_out_of_it_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
