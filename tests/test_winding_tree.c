// Winding numbers and closest points: against sums over all triangles and over dense samples.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/winding_tree.h"
#include "shapes.h"

typedef struct Soup
{
    rblVec3d* points;
    uint32_t count;
} Soup;

static Soup make_soup(rblMeshBuilder* builder)
{
    rblMesh* mesh = finish_shape(builder);
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    rblIndexArray corners;
    rbl_array_init(&corners, rbl_default_allocator());
    check_ok(rbl_triangulate_corners(view, &corners, NULL));
    Soup soup = {malloc(corners.count * sizeof(rblVec3d)), (uint32_t)(corners.count / 3)};
    for (size_t i = 0; i < corners.count; ++i)
    {
        soup.points[i] = view->positions[view->corner_vertices[corners.data[i]]];
    }
    rbl_array_free(&corners);
    rbl_mesh_free(mesh);
    return soup;
}

static rblVec3d random_point(rblRandom* random, double size)
{
    return (rblVec3d){rbl_random_range(random, -size, size), rbl_random_range(random, -size, size),
                      rbl_random_range(random, -size, size)};
}

static double angle_of(const rblVec3d* t, rblVec3d p)
{
    const rblVec3d a = rbl_sub3d(t[0], p);
    const rblVec3d b = rbl_sub3d(t[1], p);
    const rblVec3d c = rbl_sub3d(t[2], p);
    const double la = rbl_length3d(a);
    const double lb = rbl_length3d(b);
    const double lc = rbl_length3d(c);
    return 2 * atan2(rbl_dot3d(a, rbl_cross3d(b, c)),
                     la * lb * lc + rbl_dot3d(a, b) * lc + rbl_dot3d(b, c) * la + rbl_dot3d(c, a) * lb);
}

static void winding_agrees_with_the_sum_over_all_triangles(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 1);
    rblMeshBuilder builder = start_shape();
    add_torus(&builder, 40, 24, (rblVec3d){0, 0, 0}, false);
    const Soup soup = make_soup(&builder);
    rblWindingTree tree;
    // The whole torus, and half of it: an open surface.
    for (int part = 0; part < 2; ++part)
    {
        const uint32_t count = part == 0 ? soup.count : soup.count / 2;
        check_ok(rbl_winding_tree_init(&tree, soup.points, count, rbl_default_allocator()));
        for (int i = 0; i < 400; ++i)
        {
            const rblVec3d p = random_point(&random, i % 2 == 0 ? 4.5 : 20);
            double sum = 0;
            for (uint32_t t = 0; t < count; ++t)
            {
                sum += angle_of(soup.points + 3 * (size_t)t, p);
            }
            check_close(rbl_winding_tree_number(&tree, p), sum / (4 * 3.14159265358979323846), 0.1);
        }
        rbl_winding_tree_free(&tree);
    }
    free(soup.points);
}

static void winding_counts_nested_and_inverted_cubes(void** state)
{
    (void)state;
    rblMeshBuilder builder = start_shape();
    add_cube(&builder, 0, 6, true);
    add_cube(&builder, 1, 3, false);
    add_cube(&builder, 4, 5, true);
    const Soup soup = make_soup(&builder);
    rblWindingTree tree;
    check_ok(rbl_winding_tree_init(&tree, soup.points, soup.count, rbl_default_allocator()));
    check_close(rbl_winding_tree_number(&tree, (rblVec3d){0.5, 0.4, 0.6}), 1, 1e-2);
    check_close(rbl_winding_tree_number(&tree, (rblVec3d){2, 2.1, 1.7}), 0, 1e-2);
    check_close(rbl_winding_tree_number(&tree, (rblVec3d){4.5, 4.4, 4.6}), 2, 1e-2);
    check_close(rbl_winding_tree_number(&tree, (rblVec3d){7, 4, 3}), 0, 1e-2);
    check_close(rbl_winding_tree_number(&tree, (rblVec3d){1e6, 0, 0}), 0, 1e-9);
    rbl_winding_tree_free(&tree);
    free(soup.points);
}

static void weights_give_the_closest_point_of_a_triangle(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 1);
    for (int i = 0; i < 300; ++i)
    {
        rblVec3d t[3] = {random_point(&random, 1), random_point(&random, 1), random_point(&random, 1)};
        if (i % 10 == 0)
        {
            t[2] = rbl_lerp3d(t[0], t[1], i % 20 == 0 ? 0 : 0.3); // no area
        }
        const rblVec3d p = random_point(&random, 2);
        double weights[3];
        rbl_closest_weights(t, p, weights);
        check_close(weights[0] + weights[1] + weights[2], 1, 1e-9);
        assert_true(weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0);
        const double distance = rbl_distance3d(p, rbl_weighted_point(t, weights));
        for (int a = 0; a <= 20; ++a)
        {
            for (int b = 0; a + b <= 20; ++b)
            {
                const double other[3] = {a / 20.0, b / 20.0, (20 - a - b) / 20.0};
                assert_true(distance <= rbl_distance3d(p, rbl_weighted_point(t, other)) + 1e-9);
            }
        }
    }
}

static void the_closest_triangle_is_the_closest_of_all(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    enum
    {
        COUNT = 300
    };
    rblVec3d points[3 * COUNT];
    for (int t = 0; t < COUNT; ++t)
    {
        const rblVec3d center = random_point(&random, 5);
        for (int k = 0; k < 3; ++k)
        {
            points[3 * t + k] = rbl_add3d(center, random_point(&random, 0.5));
        }
    }
    rblWindingTree tree;
    check_ok(rbl_winding_tree_init(&tree, points, COUNT, rbl_default_allocator()));
    for (int i = 0; i < 500; ++i)
    {
        const rblVec3d p = random_point(&random, 7);
        double weights[3];
        const uint32_t found = rbl_winding_tree_closest(&tree, p, weights);
        const double distance = rbl_distance3d(p, rbl_weighted_point(points + 3 * found, weights));
        double best = (double)INFINITY;
        for (int t = 0; t < COUNT; ++t)
        {
            rbl_closest_weights(points + 3 * t, p, weights);
            const double other = rbl_distance3d(p, rbl_weighted_point(points + 3 * t, weights));
            best = other < best ? other : best;
        }
        check_close(distance, best, 1e-12);
    }
    rbl_winding_tree_free(&tree);
}

static void a_tree_of_one_triangle_works(void** state)
{
    (void)state;
    const rblVec3d t[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    rblWindingTree tree;
    check_ok(rbl_winding_tree_init(&tree, t, 1, rbl_default_allocator()));
    double weights[3];
    assert_int_equal(rbl_winding_tree_closest(&tree, (rblVec3d){0.25, 0.25, 7}, weights), 0);
    check_close(weights[1], 0.25, 1e-15);
    check_close(rbl_winding_tree_number(&tree, (rblVec3d){0.1, 0.1, -1e-9}), 0.5, 1e-6);
    check_close(rbl_winding_tree_number(&tree, (rblVec3d){0.1, 0.1, 1e-9}), -0.5, 1e-6);
    rbl_winding_tree_free(&tree);
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    rblVec3d points[30];
    for (int i = 0; i < 30; ++i)
    {
        points[i] = (rblVec3d){i, i % 5, i % 7};
    }
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        rblWindingTree tree;
        result = rbl_winding_tree_init(&tree, points, 10, &memory.allocator);
        if (result == RBL_OK)
        {
            rbl_winding_tree_free(&tree);
        }
        assert_int_equal(memory.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winding_agrees_with_the_sum_over_all_triangles),
        cmocka_unit_test(winding_counts_nested_and_inverted_cubes),
        cmocka_unit_test(weights_give_the_closest_point_of_a_triangle),
        cmocka_unit_test(the_closest_triangle_is_the_closest_of_all),
        cmocka_unit_test(a_tree_of_one_triangle_works),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
