// Winding numbers and signed distances: against exact sums, closed forms and open surfaces.
#include "testing.h"

#include "bvh/query/signed_distance.h"
#include "failing_allocator.h"
#include "triangle_soups.h"

#define PI 3.14159265358979323846

static double angle_of(rblVec3d ta, rblVec3d tb, rblVec3d tc, rblVec3d p)
{
    const rblVec3d a = rbl_sub3d(ta, p);
    const rblVec3d b = rbl_sub3d(tb, p);
    const rblVec3d c = rbl_sub3d(tc, p);
    const double la = rbl_length3d(a);
    const double lb = rbl_length3d(b);
    const double lc = rbl_length3d(c);
    return 2 * atan2(rbl_dot3d(a, rbl_cross3d(b, c)),
                     la * lb * lc + rbl_dot3d(a, b) * lc + rbl_dot3d(b, c) * la + rbl_dot3d(c, a) * lb);
}

static double winding_by_force(const rblTriangleSpan* span, rblVec3 at)
{
    double sum = 0;
    for (uint32_t t = 0; t < span->triangle_count; ++t)
    {
        sum += angle_of(soup_corner(span, t, 0), soup_corner(span, t, 1), soup_corner(span, t, 2),
                        rbl_to_double3(at));
    }
    return sum / (4 * PI);
}

typedef struct Tree
{
    rblForest forest;
    rblBvh bvh;
    rblWinding winding;
} Tree;

static void plant(Tree* tree, const rblTriangleSpan* span, rblBvhQuality quality)
{
    rbl_forest_init(&tree->forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&tree->forest, span, 1, quality, rbl_default_jobs()));
    tree->bvh = rbl_forest_tree(&tree->forest, 0);
    rbl_winding_init(&tree->winding, rbl_default_allocator());
    check_ok(rbl_winding_build(&tree->winding, &tree->bvh, rbl_default_jobs()));
}

static void fell(Tree* tree)
{
    rbl_winding_free(&tree->winding);
    rbl_forest_free(&tree->forest);
}

static float distance_at(const Tree* tree, rblVec3 point, float radius, rblSignMode mode)
{
    float distance = 0.0f;
    rbl_tree_signed_distance_many(&tree->bvh, &tree->winding, &point, 1, radius, mode, rbl_serial_jobs(),
                                  &distance);
    return distance;
}

// A ball of radius 1 round the origin from rings of latitude, outward, without indices.
static rblTriangleSpan make_ball(int rings, int sectors, float scale)
{
    float* positions = malloc(sizeof *positions * (size_t)(rings * sectors * 18));
    uint32_t count = 0;
    for (int i = 0; i < rings; ++i)
    {
        for (int j = 0; j < sectors; ++j)
        {
            rblVec3d q[4]; // two rings by two sectors
            for (int k = 0; k < 4; ++k)
            {
                const double theta = PI * (i + k / 2) / rings;
                const double phi = 2 * PI * ((j + k % 2) % sectors) / sectors;
                const double flat = i + k / 2 == rings ? 0.0 : sin(theta); // one point at the pole
                q[k] = (rblVec3d){flat * cos(phi), cos(theta), flat * sin(phi)};
            }
            static const int corners[6] = {0, 1, 2, 1, 3, 2};
            for (int k = 0; k < 6; ++k)
            {
                // The triangle of the first ring (or last) that has no area is left out.
                if ((k < 3 && i == 0) || (k >= 3 && i == rings - 1))
                {
                    continue;
                }
                const rblVec3d p = q[corners[k]];
                positions[3 * count] = (float)p.x * scale;
                positions[3 * count + 1] = (float)p.y * scale;
                positions[3 * count + 2] = (float)p.z * scale;
                count += 1;
            }
        }
    }
    return (rblTriangleSpan){
        .positions = positions, .stride = 12, .vertex_count = count, .triangle_count = count / 3};
}

static void winding_agrees_with_the_sum_over_all_triangles(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 0);
    for (uint32_t round = 0; round < 10 * SOUP_KINDS; ++round)
    {
        const SoupKind kind = (SoupKind)(round % SOUP_KINDS);
        const rblTriangleSpan span = make_soup(&random, kind, 1 + rbl_random_below(&random, 300));
        Tree tree;
        plant(&tree, &span, (rblBvhQuality)(round % 3));
        for (int i = 0; i < 20; ++i)
        {
            const rblVec3 at = soup_point(&random, kind, -1.0, 2.0);
            const double expected = winding_by_force(&span, at);
            check_close(rbl_tree_winding_number(&tree.bvh, &tree.winding, at, INFINITY), expected, 1e-5);
            check_close(rbl_tree_winding_number(&tree.bvh, &tree.winding, at, 2.0f), expected, 0.03);
            check_close(rbl_tree_winding_number(&tree.bvh, &tree.winding, at, 6.0f), expected, 0.004);
        }
        fell(&tree);
        free_soup(&span);
    }
}

static void inside_of_a_ball_is_inside_at_any_size(void** state)
{
    (void)state;
    static const float scales[] = {1.0f, 1e-20f, 1e15f};
    rblRandom random = rbl_random_seed(2, 0);
    for (int s = 0; s < 3; ++s)
    {
        const rblTriangleSpan span = make_ball(40, 80, scales[s]);
        Tree tree;
        plant(&tree, &span, RBL_BVH_QUALITY);
        double worst = 0;
        for (int i = 0; i < 3000; ++i)
        {
            const rblVec3 at = rbl_scale3(soup_point(&random, SOUP_RANDOM, -1.2, 1.2), scales[s]);
            const double r = rbl_length3d(rbl_to_double3(at)) / (double)scales[s];
            if (r > 0.995 && r < 1.0) // between the sphere and the faces
            {
                continue;
            }
            const double number = (double)rbl_tree_winding_number(&tree.bvh, &tree.winding, at, 2.0f);
            worst = rbl_maxd(worst, fabs(number - (r < 1 ? 1.0 : 0.0)));
            assert_true(rbl_tree_inside(&tree.bvh, &tree.winding, at) == (r < 1));
        }
        assert_true(worst < 0.08);
        fell(&tree);
        free_soup(&span);
    }
}

// Every 13th triangle is missing, and one in 29 faces inwards.
static void gaps_and_turned_faces_leave_inside_and_outside_as_they_were(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 0);
    rblTriangleSpan span = make_ball(40, 80, 1.0f);
    float* p = (float*)(uintptr_t)span.positions;
    uint32_t kept = 0;
    for (uint32_t t = 0; t < span.triangle_count; ++t)
    {
        for (uint32_t k = 0; k < 9 && t % 13 != 0; ++k)
        {
            const uint32_t turned = t % 29 == 0 ? 3 * ((3 - k / 3) % 3) + k % 3 : k;
            p[9 * kept + k] = p[9 * t + turned];
        }
        kept += t % 13 != 0;
    }
    span.triangle_count = kept;
    Tree tree;
    plant(&tree, &span, RBL_BVH_QUALITY);
    for (int i = 0; i < 3000; ++i)
    {
        const rblVec3 at = soup_point(&random, SOUP_RANDOM, -1.5, 1.5);
        const double r = (double)rbl_length3(at);
        if (r < 0.9 || r > 1.1)
        {
            assert_true(rbl_tree_inside(&tree.bvh, &tree.winding, at) == (r < 1));
        }
    }
    fell(&tree);
    free_soup(&span);
}

// A ball, a smaller one in it that faces inwards (a void), and one that overlaps the first.
static void winding_counts_nested_and_overlapping_balls(void** state)
{
    (void)state;
    const rblTriangleSpan ball = make_ball(20, 40, 1.0f);
    const uint32_t count = ball.triangle_count;
    const float* p = ball.positions;
    float* positions = malloc(sizeof *positions * 27 * (size_t)count);
    for (uint32_t t = 0; t < count; ++t)
    {
        for (uint32_t k = 0; k < 9; ++k)
        {
            positions[9 * t + k] = p[9 * t + k];
            positions[9 * (count + t) + k] = 0.5f * p[9 * t + 3 * ((3 - k / 3) % 3) + k % 3];
            positions[9 * (2 * count + t) + k] = p[9 * t + k] + (k % 3 == 0 ? 0.8f : 0.0f);
        }
    }
    const rblTriangleSpan span = {
        .positions = positions, .stride = 12, .vertex_count = 9 * count, .triangle_count = 3 * count};
    Tree tree;
    plant(&tree, &span, RBL_BVH_QUALITY);
    static const struct
    {
        rblVec3 at;
        double number;
    } cases[] = {{{-0.7f, 0, 0}, 1}, {{-0.3f, 0, 0}, 0}, {{0.3f, 0, 0}, 1}, {{0.7f, 0.2f, 0}, 2},
                 {{1.5f, 0, 0}, 1},  {{2.5f, 0, 0}, 0},  {{1e6f, 0, 0}, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        check_close(rbl_tree_winding_number(&tree.bvh, &tree.winding, cases[i].at, INFINITY), cases[i].number,
                    1e-5);
        check_close(rbl_tree_winding_number(&tree.bvh, &tree.winding, cases[i].at, 2.0f), cases[i].number,
                    0.1);
    }
    fell(&tree);
    free(positions);
    free_soup(&ball);
}

static void a_single_triangle_turns_by_a_half_from_side_to_side(void** state)
{
    (void)state;
    static const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    const rblTriangleSpan span = {.positions = corners, .stride = 12, .vertex_count = 3, .triangle_count = 1};
    Tree tree;
    plant(&tree, &span, RBL_BVH_FAST);
    check_close(rbl_tree_winding_number(&tree.bvh, &tree.winding, (rblVec3){0.1f, 0.1f, -1e-9f}, 2), 0.5,
                1e-6);
    check_close(rbl_tree_winding_number(&tree.bvh, &tree.winding, (rblVec3){0.1f, 0.1f, 1e-9f}, 2), -0.5,
                1e-6);
    // On its border and corners: anything, but a number.
    assert_true(isfinite(rbl_tree_winding_number(&tree.bvh, &tree.winding, (rblVec3){0, 0, 0}, 2)));
    assert_true(isfinite(rbl_tree_winding_number(&tree.bvh, &tree.winding, (rblVec3){0.5f, 0, 0}, 2)));
    // From afar like a dipole: area / (4 pi d^2).
    check_relative(rbl_tree_winding_number(&tree.bvh, &tree.winding, (rblVec3){0, 0, -1e10f}, 2),
                   0.5 / (4 * PI * 1e20), 1e-5);
    fell(&tree);
}

static void signed_distance_of_a_ball_is_that_of_the_sphere(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(4, 0);
    const rblTriangleSpan span = make_ball(60, 120, 1.0f);
    Tree tree;
    plant(&tree, &span, RBL_BVH_QUALITY);
    for (int i = 0; i < 2000; ++i)
    {
        const rblVec3 at = soup_point(&random, SOUP_RANDOM, -1.5, 1.5);
        const double expected = (double)rbl_length3(at) - 1;
        const float by_winding = distance_at(&tree, at, INFINITY, RBL_SIGN_WINDING);
        const float by_face = distance_at(&tree, at, INFINITY, RBL_SIGN_CLOSED);
        const float cut = distance_at(&tree, at, 0.1f, RBL_SIGN_CLOSED);
        check_close(by_winding, expected, 2e-3);
        assert_true(by_face == by_winding);
        assert_true(cut == (by_face < -0.1f ? -0.1f : (by_face > 0.1f ? 0.1f : by_face)));
    }
    fell(&tree);
    free_soup(&span);
}

static void grids_and_lists_give_what_single_points_give_for_any_number_of_workers(void** state)
{
    (void)state;
    enum
    {
        X = 23,
        Y = 17,
        Z = 19
    };
    const rblTriangleSpan span = make_ball(20, 40, 1.0f);
    Tree tree;
    plant(&tree, &span, RBL_BVH_QUALITY);
    rblJobs* jobs;
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    const rblPointGrid grid = {.origin = {-1.31f, -1.22f, -1.27f}, .spacing = 0.125f, .counts = {X, Y, Z}};
    static rblVec3 points[X * Y * Z];
    static float single[X * Y * Z], rows[X * Y * Z], list[X * Y * Z];
    for (int mode = RBL_SIGN_WINDING; mode <= RBL_SIGN_CLOSED; ++mode)
    {
        for (int i = 0; i < X * Y * Z; ++i)
        {
            points[i] = (rblVec3){grid.origin.x + 0.125f * (float)(i % X),
                                  grid.origin.y + 0.125f * (float)(i / X % Y),
                                  grid.origin.z + 0.125f * (float)(i / X / Y)};
            single[i] = distance_at(&tree, points[i], 0.3f, RBL_SIGN_WINDING);
        }
        rbl_tree_signed_distance_grid(&tree.bvh, &tree.winding, &grid, 0.3f, (rblSignMode)mode, jobs, rows);
        rbl_tree_signed_distance_many(&tree.bvh, &tree.winding, points, X * Y * Z, 0.3f, (rblSignMode)mode,
                                      jobs, list);
        assert_memory_equal(rows, single, sizeof single);
        assert_memory_equal(list, single, sizeof single);
    }
    rbl_jobs_destroy(jobs);
    fell(&tree);
    free_soup(&span);
}

static void nothing_is_inside_of_nothing(void** state)
{
    (void)state;
    const rblBvh empty = {0};
    rblWinding winding;
    rbl_winding_init(&winding, rbl_default_allocator());
    check_ok(rbl_winding_build(&winding, &empty, rbl_serial_jobs()));
    const rblVec3 here = {0, 0, 0};
    const rblVec3 nowhere = {NAN, 0, 0};
    assert_true(rbl_tree_winding_number(&empty, &winding, here, 2) == 0.0f);
    assert_false(rbl_tree_inside(&empty, &winding, here));
    float distance = 7;
    rbl_tree_signed_distance_many(&empty, &winding, &here, 1, 3.0f, RBL_SIGN_WINDING, rbl_serial_jobs(),
                                  &distance);
    assert_true(distance == 3.0f);
    rblRandom random = rbl_random_seed(5, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 30);
    Tree tree;
    plant(&tree, &span, RBL_BVH_FAST);
    assert_true(rbl_tree_winding_number(&tree.bvh, &tree.winding, nowhere, 2) == 0.0f);
    assert_true(isfinite(rbl_tree_winding_number(&tree.bvh, &tree.winding, here, NAN)));
    assert_true(isnan(distance_at(&tree, nowhere, 3.0f, RBL_SIGN_CLOSED)));
    assert_true(isnan(distance_at(&tree, here, -1.0f, RBL_SIGN_CLOSED)));
    assert_true(isnan(distance_at(&tree, here, NAN, RBL_SIGN_CLOSED)));
    fell(&tree);
    free_soup(&span);
}

static void moments_do_not_depend_on_workers_and_survive_lack_of_memory(void** state)
{
    (void)state;
    const rblTriangleSpan span = make_ball(60, 120, 1.0f);
    Tree tree;
    plant(&tree, &span, RBL_BVH_QUALITY);
    rblJobs* jobs;
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    rblWinding other;
    rbl_winding_init(&other, rbl_default_allocator());
    check_ok(rbl_winding_build(&other, &tree.bvh, jobs));
    assert_int_equal(other.group_count, tree.winding.group_count);
    assert_memory_equal(other.groups, tree.winding.groups, sizeof *other.groups * other.group_count);
    assert_true((double)(sizeof *other.groups * other.group_count) < 19.5 * span.triangle_count);
    rbl_winding_free(&other);
    rbl_jobs_destroy(jobs);
    FailingAllocator memory;
    failing_allocator_start(&memory, 0);
    rbl_winding_init(&other, &memory.allocator);
    check_fails(RBL_ERROR_MEMORY, rbl_winding_build(&other, &tree.bvh, rbl_serial_jobs()));
    rbl_winding_free(&other);
    assert_int_equal(memory.live, 0);
    fell(&tree);
    free_soup(&span);
}

// A triangle that is tiny beside the rest of its tree, seen from close by: 1 / R^3 does not fit a float there.
static void tiny_triangles_in_huge_trees_count_exactly(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(31, 0);
    for (uint32_t round = 0; round < 200; ++round)
    {
        const rblTriangleSpan span = make_soup(&random, SOUP_RANDOM, 2 + rbl_random_below(&random, 60));
        float* positions = (float*)(uintptr_t)span.positions;
        for (uint32_t t = 0; t < span.triangle_count; ++t)
        {
            float scale = 1.0f;
            for (uint32_t n = rbl_random_below(&random, 36); n > 0; --n)
            {
                scale *= 0.1f;
            }
            for (int k = 0; k < 9; ++k)
            {
                positions[9 * (size_t)t + (size_t)k] *= scale;
            }
        }
        Tree tree;
        plant(&tree, &span, (rblBvhQuality)(round % 3));
        for (uint32_t t = 0; t < span.triangle_count; ++t)
        {
            const rblVec3 at = rbl_scale3(rbl_to_float3(soup_corner(&span, t, 0)), 1.5f);
            const float number = rbl_tree_winding_number(&tree.bvh, &tree.winding, at, 4.0f);
            assert_true(fabs((double)number - winding_by_force(&span, at)) < 0.02);
        }
        fell(&tree);
        free_soup(&span);
    }
}

// The largest floats: differences of two of them are none.
static void winding_numbers_are_numbers_everywhere(void** state)
{
    (void)state;
    static const float corners[12] = {-1e38f, -1e38f, -1e38f, 1e38f, 0, 0, 0, 1e38f, 0, 0, 0, 1e38f};
    static const uint32_t indices[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
    const rblTriangleSpan span = {
        .positions = corners, .stride = 12, .vertex_count = 4, .indices = indices, .triangle_count = 4};
    Tree tree;
    plant(&tree, &span, RBL_BVH_QUALITY);
    static const float places[] = {0.0f, 1.0f, -3e37f, 1e38f, -3.4e38f, 3.4e38f};
    for (int i = 0; i < 6 * 6 * 6; ++i)
    {
        const rblVec3 at = {places[i % 6], places[i / 6 % 6], places[i / 36]};
        const float number = rbl_tree_winding_number(&tree.bvh, &tree.winding, at, RBL_WINDING_BETA);
        assert_true(number > -0.6f && number < 1.1f);
        assert_true(fabsf(at.x) < 3e38f || fabsf(number) < 0.05f);
    }
    fell(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(winding_agrees_with_the_sum_over_all_triangles),
        cmocka_unit_test(inside_of_a_ball_is_inside_at_any_size),
        cmocka_unit_test(gaps_and_turned_faces_leave_inside_and_outside_as_they_were),
        cmocka_unit_test(tiny_triangles_in_huge_trees_count_exactly),
        cmocka_unit_test(winding_numbers_are_numbers_everywhere),
        cmocka_unit_test(winding_counts_nested_and_overlapping_balls),
        cmocka_unit_test(a_single_triangle_turns_by_a_half_from_side_to_side),
        cmocka_unit_test(signed_distance_of_a_ball_is_that_of_the_sphere),
        cmocka_unit_test(grids_and_lists_give_what_single_points_give_for_any_number_of_workers),
        cmocka_unit_test(nothing_is_inside_of_nothing),
        cmocka_unit_test(moments_do_not_depend_on_workers_and_survive_lack_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
