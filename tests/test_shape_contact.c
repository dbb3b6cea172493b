// Contacts of convex shapes against slow, independent answers.
#include "testing.h"

#include "convex_distance.h"
#include "failing_allocator.h"
#include "field/contact/collide.h"
#include "field/convex/convex_contact.h"
#include "field/convex/hull.h"
#include "field/shape.h"
#include "shape_pairs.h"

// How far apart the shapes are along a unit direction.
static double separation(const Pair* pair, rblVec3d n)
{
    return rbl_dot3d(n, support_b(pair, rbl_neg3d(n))) - rbl_dot3d(n, support_a(pair, n));
}

static const rblHull* hull_of(const rblShapeView* view)
{
    return view->shape->core.hull;
}

static double segment_distance(const rblVec3d p[2], const rblVec3d q[2])
{
    const rblVec3d d1 = rbl_sub3d(p[1], p[0]);
    const rblVec3d d2 = rbl_sub3d(q[1], q[0]);
    const rblVec3d r = rbl_sub3d(p[0], q[0]);
    const double a = rbl_dot3d(d1, d1);
    const double e = rbl_dot3d(d2, d2);
    const double f = rbl_dot3d(d2, r);
    const double c = rbl_dot3d(d1, r);
    const double b = rbl_dot3d(d1, d2);
    const double denominator = a * e - b * b;
    double s = denominator > 1e-14 * a * e ? rbl_clampd((b * f - c * e) / denominator, 0, 1) : 0.0;
    const double t = rbl_clampd((b * s + f) / e, 0, 1);
    s = rbl_clampd((b * t - c) / a, 0, 1);
    return rbl_distance3d(rbl_mul_add3d(p[0], s, d1), rbl_mul_add3d(q[0], t, d2));
}

static void edge_ends(const Pair* pair, bool of_b, uint32_t e, rblVec3d out[2])
{
    const rblHull* hull = hull_of(of_b ? &pair->b : &pair->a);
    for (int i = 0; i < 2; ++i)
    {
        const rblVec3 v = rbl_hull_vertex(hull, i == 0 ? hull->edges[e].tail : hull->edges[e].head);
        out[i] = rbl_to_double3(of_b ? rbl_transform_point(pair->b_in_a, v) : v);
    }
}

// The largest separation over all faces and all pairs of edges, without any pruning: minus the depth of an overlap.
static double brute_depth(const Pair* pair)
{
    const rblHull* a = hull_of(&pair->a);
    const rblHull* b = hull_of(&pair->b);
    double best = -(double)INFINITY;
    for (uint32_t f = 0; f < a->face_count; ++f)
    {
        best = rbl_maxd(separation(pair, rbl_to_double3(rbl_hull_normal(a, f))), best);
    }
    for (uint32_t f = 0; f < b->face_count; ++f)
    {
        const rblVec3 n = rbl_rotate3(pair->b_in_a.q, rbl_neg3(rbl_hull_normal(b, f)));
        best = rbl_maxd(separation(pair, rbl_to_double3(n)), best);
    }
    for (uint32_t i = 0; i < a->edge_count; ++i)
    {
        rblVec3d p[2];
        edge_ends(pair, false, i, p);
        for (uint32_t k = 0; k < b->edge_count; ++k)
        {
            rblVec3d q[2];
            edge_ends(pair, true, k, q);
            const rblVec3d cross = rbl_cross3d(rbl_sub3d(p[1], p[0]), rbl_sub3d(q[1], q[0]));
            if (rbl_length3d(cross) > 1e-4 * rbl_distance3d(p[0], p[1]) * rbl_distance3d(q[0], q[1]))
            {
                const rblVec3d n = rbl_normalize3d(cross, (rblVec3d){0, 1, 0});
                best = rbl_maxd(separation(pair, n), best);
                best = rbl_maxd(separation(pair, rbl_neg3d(n)), best);
            }
        }
    }
    return best;
}

// Exact for polytopes that are apart: corners against the other's field, edges against edges.
static double brute_distance(const Pair* pair)
{
    const rblHull* a = hull_of(&pair->a);
    const rblHull* b = hull_of(&pair->b);
    double best = (double)INFINITY;
    for (uint32_t i = 0; i < a->vertex_count; ++i)
    {
        const rblVec3 p = rbl_transform_inverse_point(pair->b_in_a, rbl_hull_vertex(a, i));
        best = rbl_mind((double)rbl_shape_distance(pair->b.shape, p, NULL), best);
    }
    for (uint32_t i = 0; i < b->vertex_count; ++i)
    {
        const rblVec3 p = rbl_transform_point(pair->b_in_a, rbl_hull_vertex(b, i));
        best = rbl_mind((double)rbl_shape_distance(pair->a.shape, p, NULL), best);
    }
    for (uint32_t i = 0; i < a->edge_count; ++i)
    {
        rblVec3d p[2];
        edge_ends(pair, false, i, p);
        for (uint32_t k = 0; k < b->edge_count; ++k)
        {
            rblVec3d q[2];
            edge_ends(pair, true, k, q);
            best = rbl_mind(segment_distance(p, q), best);
        }
    }
    return best;
}

// Largest separation by looking in many directions and climbing from the best: for any convex shapes.
static double climb(const Pair* pair, rblRandom* random)
{
    rblVec3d best_n = {0, 1, 0};
    double best = separation(pair, best_n);
    for (int i = 0; i < 500; ++i)
    {
        const rblVec3d n = rbl_to_double3(random_direction(random));
        const double s = separation(pair, n);
        best_n = s > best ? n : best_n;
        best = rbl_maxd(s, best);
    }
    double step = 0.1;
    for (int i = 0; i < 4000; ++i)
    {
        const rblVec3d n =
            rbl_normalize3d(rbl_mul_add3d(best_n, step, rbl_to_double3(random_direction(random))), best_n);
        const double s = separation(pair, n);
        if (s > best)
        {
            best = s;
            best_n = n;
        }
        else
        {
            step = rbl_maxd(0.995 * step, 1e-6);
        }
    }
    return best;
}

// Each contact lies midway between points of the two surfaces, and its normal separates nearly as well as any can.
static void check_contacts(const Pair* pair, const rblContactSet* set, double best, float margin)
{
    const double size = rbl_mind((double)pair->a.radius, (double)pair->b.radius);
    const double tolerance = 4e-3 * size + 0.06 * rbl_maxd(-best, 0.0);
    if (best > (double)margin + 2e-3 * size)
    {
        assert_int_equal(set->count, 0);
        return;
    }
    if (best < (double)margin - 2e-3 * size && set->count == 0)
    {
        fail_msg("no contacts at distance %g, margin %g", best, (double)margin);
    }
    if (set->count == 0)
    {
        return;
    }
    if (fabs((double)least_distance(set) - best) > tolerance)
    {
        fail_msg("%s and %s: distance %g instead of %g, size %g", pair->a.kind, pair->b.kind,
                 (double)least_distance(set), best, size);
    }
    for (uint32_t i = 0; i < set->count; ++i)
    {
        const rblContactPoint c = set->points[i];
        check_close(rbl_length3(c.normal), 1.0, 1e-4);
        const rblVec3 on_a = rbl_mul_add3(c.point, -0.5f * c.distance, c.normal);
        const rblVec3 on_b = rbl_mul_add3(c.point, 0.5f * c.distance, c.normal);
        const rblVec3 in_b = rbl_transform_inverse_point(pair->b_in_a, on_b);
        check_close(rbl_shape_distance(pair->a.shape, on_a, NULL), 0.0, 1e-3 * size + 1e-5);
        check_close(rbl_shape_distance(pair->b.shape, in_b, NULL), 0.0, 1e-3 * size + 1e-5);
        assert_true(c.distance <= margin);
        const double along = separation(pair, rbl_to_double3(c.normal));
        if (along < best - tolerance)
        {
            fail_msg("normal separates by %g, not %g", along, best);
        }
    }
}

// Poses for which the two are apart or overlap by a little, mostly.
static rblTransform near_pose(rblRandom* random, const rblShapeView* a, const rblShapeView* b, float depth,
                              float gap)
{
    const rblQuat q = random_rotation(random);
    const rblVec3 direction = random_direction(random);
    rblTransform pose = {rbl_scale3(direction, 3.0f * (a->radius + b->radius)), q};
    Pair pair = {*a, *b, pose};
    // Move along the direction until the separation along it is what is wanted: the true one is no less.
    const double s = separation(&pair, rbl_to_double3(direction));
    pose.p = rbl_mul_add3(pose.p, random_between(random, -depth, gap) - (float)s, direction);
    return pose;
}

static void stones_and_boxes_meet_as_brute_force_says(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(11, 1);
    rblContactSet set = {0};
    for (int round = 0; round < 40; ++round)
    {
        rblShapeId ids[2];
        Pair pair;
        for (int i = 0; i < 2; ++i)
        {
            if (rbl_random_below(&random, 3) == 0)
            {
                const rblVec3 size = {random_between(&random, 0.1f, 0.3f),
                                      random_between(&random, 0.1f, 0.3f),
                                      random_between(&random, 0.02f, 0.3f)};
                check_ok(rbl_shape_create_box(size, &ids[i]));
            }
            else
            {
                ids[i] = make_stone(&random);
            }
            check_ok(rbl_shape_view(ids[i], i == 0 ? &pair.a : &pair.b));
        }
        for (int k = 0; k < 60; ++k)
        {
            const float margin = k % 2 == 0 ? 0.02f : 0.0f;
            pair.b_in_a = near_pose(&random, &pair.a, &pair.b, 0.03f, 0.03f);
            double best = brute_depth(&pair);
            best = best > 0.0 ? brute_distance(&pair) : best;
            collide(&pair, margin, NULL, &set);
            check_contacts(&pair, &set, best, margin);
            assert_true(set.count <= 4);
        }
        check_ok(rbl_shape_destroy(ids[0]));
        check_ok(rbl_shape_destroy(ids[1]));
    }
    rbl_contact_set_free(&set);
}

static void every_pair_of_kinds_meets_as_climbing_says(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(12, 1);
    rblContactSet set = {0};
    for (int kinds = 0; kinds < 25; ++kinds)
    {
        for (int round = 0; round < 4; ++round)
        {
            rblShapeId ids[2];
            Pair pair;
            make_kind(&random, kinds / 5, &ids[0]);
            make_kind(&random, kinds % 5, &ids[1]);
            check_ok(rbl_shape_view(ids[0], &pair.a));
            check_ok(rbl_shape_view(ids[1], &pair.b));
            for (int k = 0; k < 8; ++k)
            {
                pair.b_in_a = near_pose(&random, &pair.a, &pair.b, 0.01f, 0.02f);
                collide(&pair, 0.02f, NULL, &set);
                check_contacts(&pair, &set, climb(&pair, &random), 0.02f);
            }
            check_ok(rbl_shape_destroy(ids[0]));
            check_ok(rbl_shape_destroy(ids[1]));
        }
    }
    rbl_contact_set_free(&set);
}

// A pair in motion: small steps, as in a simulation.
static void move_a_little(rblRandom* random, rblTransform* pose, float step)
{
    pose->p = rbl_add3(pose->p, random_in_cube(random, step));
    const rblVec3 axis = random_direction(random);
    const rblQuat turn = rbl_quat_from_axis_angle(axis, 10.0f * step * rbl_random_float(random));
    pose->q = rbl_quat_normalize(rbl_quat_mul(turn, pose->q));
}

static void the_cache_never_changes_a_result(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(14, 1);
    rblContactSet with = {0};
    rblContactSet without = {0};
    for (int round = 0; round < 60; ++round)
    {
        rblShapeId ids[2];
        Pair pair;
        make_kind(&random, round % 3 == 0 ? 4 : (int)rbl_random_below(&random, 5), &ids[0]);
        make_kind(&random, round % 3 == 0 ? 4 : (int)rbl_random_below(&random, 5), &ids[1]);
        check_ok(rbl_shape_view(ids[0], &pair.a));
        check_ok(rbl_shape_view(ids[1], &pair.b));
        rblPairCache cache = {{0}};
        pair.b_in_a = near_pose(&random, &pair.a, &pair.b, 0.02f, 0.02f);
        for (int k = 0; k < 60; ++k)
        {
            move_a_little(&random, &pair.b_in_a, k % 20 == 0 ? 0.05f : 0.003f);
            collide(&pair, 0.01f, &cache, &with);
            collide(&pair, 0.01f, NULL, &without);
            assert_int_equal(with.count, without.count);
            assert_int_equal(with.colliding, without.colliding);
            for (uint32_t i = 0; i < with.count; ++i)
            {
                assert_memory_equal(&with.points[i], &without.points[i], sizeof with.points[i]);
            }
        }
        check_ok(rbl_shape_destroy(ids[0]));
        check_ok(rbl_shape_destroy(ids[1]));
    }
    rbl_contact_set_free(&with);
    rbl_contact_set_free(&without);
}

static void swapped_pairs_agree(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(15, 1);
    rblContactSet set = {0};
    rblContactSet other = {0};
    for (int round = 0; round < 400; ++round)
    {
        rblShapeId ids[2];
        Pair pair;
        make_kind(&random, (int)rbl_random_below(&random, 5), &ids[0]);
        make_kind(&random, (int)rbl_random_below(&random, 5), &ids[1]);
        check_ok(rbl_shape_view(ids[0], &pair.a));
        check_ok(rbl_shape_view(ids[1], &pair.b));
        pair.b_in_a = near_pose(&random, &pair.a, &pair.b, 0.01f, 0.005f);
        const Pair turned = {pair.b, pair.a, rbl_transform_inverse(pair.b_in_a)};
        collide(&pair, 0.02f, NULL, &set);
        collide(&turned, 0.02f, NULL, &other);
        assert_int_equal(set.count > 0, other.count > 0);
        if (set.count > 0)
        {
            const double size = rbl_mind((double)pair.a.radius, (double)pair.b.radius);
            check_close(least_distance(&set), least_distance(&other), 5e-3 * size);
        }
        check_ok(rbl_shape_destroy(ids[0]));
        check_ok(rbl_shape_destroy(ids[1]));
    }
    rbl_contact_set_free(&set);
    rbl_contact_set_free(&other);
}

static void deep_and_concentric_overlaps_are_answered(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(17, 1);
    rblContactSet set = {0};
    for (int kinds = 0; kinds < 25; ++kinds)
    {
        rblShapeId ids[2];
        Pair pair;
        make_kind(&random, kinds / 5, &ids[0]);
        make_kind(&random, kinds % 5, &ids[1]);
        check_ok(rbl_shape_view(ids[0], &pair.a));
        check_ok(rbl_shape_view(ids[1], &pair.b));
        for (int k = 0; k < 6; ++k)
        {
            pair.b_in_a = (rblTransform){random_in_cube(&random, k < 2 ? 0.0f : 0.03f),
                                         k % 2 == 0 ? rbl_quat_identity() : random_rotation(&random)};
            collide(&pair, 0.01f, NULL, &set);
            assert_true(set.count > 0);
            for (uint32_t i = 0; i < set.count; ++i)
            {
                assert_true(rbl_finite3(set.points[i].point));
                check_close(rbl_length3(set.points[i].normal), 1.0, 1e-4);
            }
            // Moving out along the normal by the depth separates.
            const float depth = -least_distance(&set);
            assert_true(depth > 0.0f);
            const Pair moved = {
                pair.a, pair.b, {rbl_mul_add3(pair.b_in_a.p, depth, set.points[0].normal), pair.b_in_a.q}};
            assert_true(separation(&moved, rbl_to_double3(set.points[0].normal)) >
                        -0.1 * (double)depth - 1e-4);
        }
        check_ok(rbl_shape_destroy(ids[0]));
        check_ok(rbl_shape_destroy(ids[1]));
    }
    rbl_contact_set_free(&set);
}

static void sizes_from_microns_to_kilometres_meet(void** state)
{
    (void)state;
    rblContactSet set = {0};
    const float sizes[4] = {1e-6f, 1e-3f, 1.0f, 1e3f};
    for (int i = 0; i < 4; ++i)
    {
        for (int k = 0; k < 4; ++k)
        {
            rblShapeId a;
            rblShapeId b;
            check_ok(rbl_shape_create_box((rblVec3){sizes[i], sizes[i], sizes[i]}, &a));
            check_ok(rbl_shape_create_box((rblVec3){sizes[k], sizes[k], sizes[k]}, &b));
            Pair pair;
            check_ok(rbl_shape_view(a, &pair.a));
            check_ok(rbl_shape_view(b, &pair.b));
            const float small = rbl_minf(sizes[i], sizes[k]);
            const float height = 0.5f * sizes[i] + 0.5f * sizes[k] - 0.1f * small;
            pair.b_in_a = (rblTransform){{0, height, 0}, {0, 0, 0, 1}};
            collide(&pair, 0.0f, NULL, &set);
            if (rbl_maxf(sizes[i], sizes[k]) < 1e5f * small)
            {
                assert_int_equal(set.count, 4);
                check_close(set.points[0].normal.y, 1.0, 1e-5);
                check_close(set.points[0].distance, -0.1 * (double)small, 1e-6 * (double)height);
            }
            check_ok(rbl_shape_destroy(a));
            check_ok(rbl_shape_destroy(b));
        }
    }
    rbl_contact_set_free(&set);
}

static void bad_poses_touch_nothing(void** state)
{
    (void)state;
    rblContactSet set = {0};
    rblShapeId box;
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &box));
    Pair pair;
    check_ok(rbl_shape_view(box, &pair.a));
    check_ok(rbl_shape_view(box, &pair.b));
    pair.b_in_a = (rblTransform){{NAN, 0, 0}, {0, 0, 0, 1}};
    collide(&pair, 0.01f, NULL, &set);
    assert_int_equal(set.count, 0);
    pair.b_in_a = (rblTransform){{0, 0, 0}, {NAN, 0, 0, 1}};
    collide(&pair, 0.01f, NULL, &set);
    assert_int_equal(set.count, 0);
    pair.b_in_a = (rblTransform){{INFINITY, 0, 0}, {0, 0, 0, 1}};
    collide(&pair, 0.01f, NULL, &set);
    assert_int_equal(set.count, 0);
    check_ok(rbl_shape_destroy(box));
    rbl_contact_set_free(&set);
    rbl_contact_set_free(&set);
}

static void running_out_of_memory_is_reported(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, 1000000);
    check_ok(rbl_set_allocator(&memory.allocator));
    rblShapeId box;
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &box));
    Pair pair;
    check_ok(rbl_shape_view(box, &pair.a));
    check_ok(rbl_shape_view(box, &pair.b));
    pair.b_in_a = (rblTransform){{0, 0.99f, 0}, {0, 0, 0, 1}};
    rblContactSet set = {0};
    const rblCollideOptions options = rbl_default_collide_options();
    memory.left = 0;
    check_fails(RBL_ERROR_MEMORY, rbl_shape_collide(&pair.a, &pair.b, pair.b_in_a, &options, NULL, &set));
    assert_int_equal(set.count, 0);
    memory.left = 1;
    for (int i = 0; i < 10; ++i)
    {
        check_ok(rbl_shape_collide(&pair.a, &pair.b, pair.b_in_a, &options, NULL, &set));
        assert_int_equal(set.count, 4);
    }
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(box));
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

// A prism of many sides on a plate: faces of a hundred corners clip each other.
static void many_sided_faces_keep_the_deepest_contact(void** state)
{
    (void)state;
    rblVec3 points[200];
    for (int i = 0; i < 100; ++i)
    {
        const float angle = 6.2831853f * (float)i / 100.0f;
        points[2 * i] = (rblVec3){cosf(angle), -0.5f, sinf(angle)};
        points[2 * i + 1] = (rblVec3){cosf(angle), 0.5f, sinf(angle)};
    }
    rblShapeId prism;
    check_ok(rbl_shape_create_hull(points, 200, &prism));
    Pair pair;
    check_ok(rbl_shape_view(prism, &pair.a));
    check_ok(rbl_shape_view(prism, &pair.b));
    rblContactSet set = {0};
    for (int k = 0; k < 5; ++k)
    {
        const float tilt = 0.005f * (float)(k - 2);
        const rblQuat q = rbl_quat_mul(rbl_quat_from_axis_angle((rblVec3){1, 0, 0}, tilt),
                                       rbl_quat_from_axis_angle((rblVec3){0, 1, 0}, 0.011f * (float)k));
        pair.b_in_a = (rblTransform){{0.1f, 0.995f, 0.05f}, q};
        collide(&pair, 0.02f, NULL, &set);
        assert_int_equal(set.count, 4);
        assert_true(set.colliding > 20);
        const double best = brute_depth(&pair);
        check_close(least_distance(&set), best, 2e-3);
    }
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(prism));
}

// A pair need not be looked at again before it has moved by what `clear` leaves over the margin: with a cache and without.
static void shapes_are_as_far_apart_as_clear_says(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(91, 1);
    rblContactSet set = {.points = NULL};
    int beyond = 0;
    for (int round = 0; round < 200; ++round)
    {
        const rblShapeId ids[2] = {make_stone(&random), make_stone(&random)};
        Pair pair;
        check_ok(rbl_shape_view(ids[0], &pair.a));
        check_ok(rbl_shape_view(ids[1], &pair.b));
        rblPairCache cache = {{0}};
        const rblVec3 direction = random_direction(&random);
        const rblVec3 way = rbl_scale3(direction, random_between(&random, 0.1f, 0.4f));
        for (int again = 0; again < 4; ++again)
        {
            pair.b_in_a =
                (rblTransform){rbl_add3(way, random_in_cube(&random, 0.01f)), random_rotation(&random)};
            collide(&pair, 0.005f, &cache, &set);
            rblVec3d n;
            const double distance = convex_distance(&pair.a, &pair.b, pair.b_in_a, &n);
            assert_true(set.count > 0 ? set.clear == 0.0f
                                      : (double)set.clear <= rbl_maxd(distance, 0.0) + 1e-6);
            beyond += set.count == 0 && set.clear > 0.01f;
        }
        check_ok(rbl_shape_destroy(ids[0]));
        check_ok(rbl_shape_destroy(ids[1]));
    }
    assert_true(beyond > 100);
    rbl_contact_set_free(&set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stones_and_boxes_meet_as_brute_force_says),
        cmocka_unit_test(shapes_are_as_far_apart_as_clear_says),
        cmocka_unit_test(every_pair_of_kinds_meets_as_climbing_says),
        cmocka_unit_test(the_cache_never_changes_a_result),
        cmocka_unit_test(swapped_pairs_agree),
        cmocka_unit_test(deep_and_concentric_overlaps_are_answered),
        cmocka_unit_test(sizes_from_microns_to_kilometres_meet),
        cmocka_unit_test(bad_poses_touch_nothing),
        cmocka_unit_test(running_out_of_memory_is_reported),
        cmocka_unit_test(many_sided_faces_keep_the_deepest_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
