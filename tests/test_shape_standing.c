// Contacts that hold things up: planes, faces, edges and round sides that lie on something.
#include "testing.h"

#include "field/convex/convex_contact.h"
#include "field/convex/hull.h"
#include "field/shape.h"
#include "shape_pairs.h"

static void planes_touch_the_lowest_points(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(13, 1);
    rblContactSet set = {0};
    rblShapeId plane;
    check_ok(rbl_shape_create_plane((rblVec3){0.2f, 1.0f, -0.3f}, &plane));
    for (int kind = 0; kind < 5; ++kind)
    {
        rblShapeId id;
        make_kind(&random, kind, &id);
        Pair pair;
        check_ok(rbl_shape_view(plane, &pair.a));
        check_ok(rbl_shape_view(id, &pair.b));
        const rblVec3 n = pair.a.shape->core.normal;
        for (int k = 0; k < 300; ++k)
        {
            pair.b_in_a = (rblTransform){random_in_cube(&random, 1.0f), random_rotation(&random)};
            const double low = rbl_dot3d(rbl_to_double3(n), support_b(&pair, rbl_to_double3(rbl_neg3(n))));
            const float wanted = random_between(&random, -0.05f, 0.05f);
            pair.b_in_a.p = rbl_mul_add3(pair.b_in_a.p, wanted - (float)low, n);
            collide(&pair, 0.02f, NULL, &set);
            assert_int_equal(set.count > 0, wanted <= 0.02f);
            if (set.count > 0)
            {
                check_close(least_distance(&set), wanted, 2e-6);
                check_close(rbl_dot3(set.points[0].normal, n), 1.0, 1e-5);
                const rblVec3 on_plane =
                    rbl_mul_add3(set.points[0].point, -0.5f * set.points[0].distance, set.points[0].normal);
                check_close(rbl_dot3(on_plane, n), 0.0, 1e-5);
            }
            // The other way round: the same, seen from the shape.
            const Pair turned = {pair.b, pair.a, rbl_transform_inverse(pair.b_in_a)};
            const uint32_t count = set.count;
            const float least = least_distance(&set);
            collide(&turned, 0.02f, NULL, &set);
            if (fabsf(wanted - 0.02f) > 1e-5f)
            {
                assert_int_equal(count > 0, set.count > 0);
            }
            if (set.count > 0 && count > 0)
            {
                check_close(least_distance(&set), least, 2e-6);
            }
        }
        check_ok(rbl_shape_destroy(id));
    }
    check_ok(rbl_shape_destroy(plane));
    rbl_contact_set_free(&set);
}

static void resting_boxes_stand_on_four_corners(void** state)
{
    (void)state;
    rblContactSet set = {0};
    rblShapeId small;
    rblShapeId large;
    rblShapeId plane;
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &small));
    check_ok(rbl_shape_create_box((rblVec3){4, 1, 4}, &large));
    check_ok(rbl_shape_create_plane((rblVec3){0, 1, 0}, &plane));
    const rblShapeId grounds[3] = {large, small, plane};
    const float heights[3] = {1.0f, 1.0f, 0.5f};
    for (int g = 0; g < 3; ++g)
    {
        for (int k = 0; k < 12; ++k)
        {
            Pair pair;
            check_ok(rbl_shape_view(grounds[g], &pair.a));
            check_ok(rbl_shape_view(small, &pair.b));
            const rblQuat turn = rbl_quat_from_axis_angle((rblVec3){0, 1, 0}, 0.1f * (float)k);
            const float height = heights[g] + 0.001f * (float)(k % 3 - 1);
            pair.b_in_a = (rblTransform){{0, height, 0}, turn};
            collide(&pair, 0.01f, NULL, &set);
            assert_int_equal(set.count, 4);
            rblVec3 sum = {0, 0, 0};
            for (uint32_t i = 0; i < 4; ++i)
            {
                check_close(set.points[i].normal.y, 1.0, 1e-6);
                check_close(set.points[i].distance, height - heights[g], 1e-6);
                sum = rbl_add3(sum, set.points[i].point);
                for (uint32_t j = 0; j < i; ++j)
                {
                    assert_true(set.points[i].feature != set.points[j].feature);
                }
            }
            assert_true(rbl_length3((rblVec3){sum.x, 0, sum.z}) < 0.6f);
        }
    }
    check_ok(rbl_shape_destroy(small));
    check_ok(rbl_shape_destroy(large));
    check_ok(rbl_shape_destroy(plane));
    rbl_contact_set_free(&set);
}

static void crossing_edges_give_one_contact(void** state)
{
    (void)state;
    rblContactSet set = {0};
    rblShapeId box;
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &box));
    Pair pair;
    check_ok(rbl_shape_view(box, &pair.a));
    check_ok(rbl_shape_view(box, &pair.b));
    // An edge along x on top of a (turned about x), crossed by an edge along z: in a's axes both are turned.
    const rblQuat qa = rbl_quat_from_axis_angle((rblVec3){1, 0, 0}, 0.7853982f);
    const rblQuat qb = rbl_quat_from_axis_angle((rblVec3){0, 0, 1}, 0.7853982f);
    for (int k = -1; k <= 1; ++k)
    {
        const float gap = 0.01f * (float)k;
        const rblTransform a = {{0, 0, 0}, qa};
        const rblTransform b = {{0.1f, 1.41421356f + gap, 0.05f}, qb};
        pair.b_in_a = rbl_transform_relative(a, b);
        collide(&pair, 0.02f, NULL, &set);
        assert_int_equal(set.count, 1);
        check_close(set.points[0].distance, gap, 1e-5);
        const rblVec3 up = rbl_inverse_rotate3(qa, (rblVec3){0, 1, 0});
        check_close(rbl_dot3(set.points[0].normal, up), 1.0, 1e-4);
        assert_int_equal(set.points[0].feature >> 30, 2);
    }
    check_ok(rbl_shape_destroy(box));
    rbl_contact_set_free(&set);
}

static void cylinders_and_capsules_stand_and_lie(void** state)
{
    (void)state;
    rblContactSet set = {0};
    rblShapeId ground;
    rblShapeId cylinder;
    rblShapeId capsule;
    check_ok(rbl_shape_create_box((rblVec3){4, 1, 4}, &ground));
    check_ok(rbl_shape_create_cylinder(0.3f, 1.0f, &cylinder));
    check_ok(rbl_shape_create_capsule(0.3f, 1.6f, &capsule));
    Pair pair;
    check_ok(rbl_shape_view(ground, &pair.a));
    check_ok(rbl_shape_view(cylinder, &pair.b));
    for (int k = -1; k <= 1; ++k)
    {
        const float gap = 0.002f * (float)k;
        pair.b_in_a = (rblTransform){{0.1f, 1.0f + gap, 0.2f}, {0, 0, 0, 1}};
        collide(&pair, 0.01f, NULL, &set);
        assert_int_equal(set.count, 4);
        check_close(least_distance(&set), gap, 1e-5);
        const rblQuat lying = rbl_quat_from_axis_angle((rblVec3){0, 0, 1}, 1.57079633f);
        pair.b_in_a = (rblTransform){{0.1f, 0.8f + gap, 0.2f}, lying};
        collide(&pair, 0.01f, NULL, &set);
        assert_int_equal(set.count, 2);
        check_close(least_distance(&set), gap, 1e-5);
        check_close(fabsf(set.points[0].point.x - set.points[1].point.x), 1.0, 1e-4);
        Pair other = pair;
        check_ok(rbl_shape_view(capsule, &other.b));
        collide(&other, 0.01f, NULL, &set);
        assert_int_equal(set.count, 2);
        check_close(least_distance(&set), gap, 1e-5);
    }
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(cylinder));
    check_ok(rbl_shape_destroy(capsule));
    rbl_contact_set_free(&set);
}

static void features_stay_while_a_box_rests(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(16, 1);
    rblContactSet set = {0};
    rblShapeId box;
    check_ok(rbl_shape_create_box((rblVec3){1, 1, 1}, &box));
    Pair pair;
    check_ok(rbl_shape_view(box, &pair.a));
    check_ok(rbl_shape_view(box, &pair.b));
    uint32_t features[4] = {0, 0, 0, 0};
    for (int k = 0; k < 200; ++k)
    {
        const rblVec3 jitter = random_in_cube(&random, 5e-5f);
        const rblQuat turn = rbl_quat_from_axis_angle(random_direction(&random), 5e-5f);
        pair.b_in_a = (rblTransform){{0.1f + jitter.x, 0.9995f + jitter.y, 0.07f + jitter.z}, turn};
        collide(&pair, 0.01f, NULL, &set);
        assert_int_equal(set.count, 4);
        uint32_t found = 0;
        for (uint32_t i = 0; i < 4; ++i)
        {
            check_close(set.points[i].normal.y, 1.0, 1e-6); // never an edge, never the other box's face
            for (uint32_t j = 0; j < 4; ++j)
            {
                found += set.points[i].feature == features[j];
            }
        }
        assert_true(k == 0 || found == 4);
        for (uint32_t i = 0; i < 4; ++i)
        {
            features[i] = set.points[i].feature;
        }
    }
    check_ok(rbl_shape_destroy(box));
    rbl_contact_set_free(&set);
}

// The farthest that two of some points are apart, seen from above.
static float spread(const rblVec3* points, uint32_t count)
{
    float most = 0.0f;
    for (uint32_t i = 0; i < count; ++i)
    {
        for (uint32_t k = 0; k < i; ++k)
        {
            const rblVec3 off = rbl_sub3(points[i], points[k]);
            most = rbl_maxf(most, sqrtf(off.x * off.x + off.z * off.z));
        }
    }
    return most;
}

// On the face that looks most downwards alone it would rock, and never come out.
static void a_stone_sunk_into_a_slab_stands_on_more_than_a_foot(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(41, 1);
    rblShapeId slab_id;
    rblShapeView slab;
    check_ok(rbl_shape_create_box((rblVec3){4, 2, 4}, &slab_id));
    check_ok(rbl_shape_view(slab_id, &slab));
    rblContactSet set = {.points = NULL};
    const rblCollideOptions options = rbl_default_collide_options();
    for (int round = 0; round < 300; ++round)
    {
        const rblShapeId id = make_stone(&random);
        rblShapeView stone;
        check_ok(rbl_shape_view(id, &stone));
        const rblTransform pose = {{0, 1.0f, 0}, random_rotation(&random)}; // its middle as high as the slab
        check_ok(rbl_shape_collide(&slab, &stone, pose, &options, NULL, &set));
        const rblHull* hull = stone.shape->core.hull;
        rblVec3 sunk[RBL_HULL_MAX_VERTICES];
        rblVec3 held[RBL_CONTACTS_A_PAIR];
        uint32_t count = 0;
        for (uint32_t i = 0; i < hull->vertex_count; ++i)
        {
            sunk[count] = rbl_transform_point(pose, rbl_hull_vertex(hull, i));
            count += sunk[count].y < 1.0f;
        }
        assert_true(set.count <= RBL_CONTACTS_A_PAIR);
        for (uint32_t i = 0; i < set.count; ++i)
        {
            held[i] = set.points[i].point;
            check_close(set.points[i].normal.y, 1.0, 1e-6);
        }
        // No two of them are farther apart than twice what one is from the deepest.
        assert_true(spread(held, set.count) > 0.4f * spread(sunk, count));
        check_ok(rbl_shape_destroy(id));
    }
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(slab_id));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planes_touch_the_lowest_points),
        cmocka_unit_test(resting_boxes_stand_on_four_corners),
        cmocka_unit_test(crossing_edges_give_one_contact),
        cmocka_unit_test(cylinders_and_capsules_stand_and_lie),
        cmocka_unit_test(features_stay_while_a_box_rests),
        cmocka_unit_test(a_stone_sunk_into_a_slab_stands_on_more_than_a_foot),
    };
    return cmocka_run_group_tests_name("shape_standing", tests, NULL, NULL);
}
