// Rays, casts and overlaps of a world against brute force over its bodies.
#include "shape_testing.h"
#include "world_testing.h"
#include <string.h>

#include "math/aabb.h"

#define COUNT 60

typedef struct Scene
{
    rblWorldId world;
    rblBodyId bodies[COUNT];
    rblShapeView views[COUNT];
    rblTransform poses[COUNT];
    rblFilter filters[COUNT];
} Scene;

static rblShapeId some_shape(rblRandom* random)
{
    rblShapeId shape = {0, 0};
    float width;
    switch (rbl_random_below(random, 5))
    {
    case 0:
        check_ok(rbl_shape_create_sphere(random_between(random, 0.1f, 0.5f), &shape));
        break;
    case 1:
        check_ok(rbl_shape_create_capsule(0.2f, random_between(random, 0.5f, 1.0f), &shape));
        break;
    case 2:
        check_ok(rbl_shape_create_cylinder(0.3f, random_between(random, 0.2f, 1.0f), &shape));
        break;
    case 3:
        shape = make_stone(random);
        break;
    default:
        width = random_between(random, 0.1f, 1.0f);
        check_ok(rbl_shape_create_box(vec(width, random_between(random, 0.1f, 1.0f), 0.4f), &shape));
    }
    return shape;
}

static Scene make_random_scene(rblRandom* random)
{
    Scene scene = {.world = make_world(true)};
    check_ok(rbl_world_set_gravity(scene.world, vec(0, 0, 0)));
    for (int i = 0; i < COUNT; ++i)
    {
        rblBodyDef def = rbl_default_body_def();
        def.shape = some_shape(random);
        def.type = (rblBodyType)rbl_random_below(random, 3);
        def.pose = (rblTransform){random_in_cube(random, 3.0f), random_rotation(random)};
        def.filter.category = 1ull << rbl_random_below(random, 3);
        def.filter.mask = 0; // nothing collides: bodies move freely through each other
        def.velocity = random_in_cube(random, 1.0f);
        scene.filters[i] = def.filter;
        check_ok(rbl_body_create(scene.world, &def, &scene.bodies[i]));
        check_ok(rbl_shape_view(def.shape, &scene.views[i]));
        check_ok(rbl_shape_destroy(def.shape));
    }
    step_times(scene.world, 5);
    for (int i = 0; i < COUNT; ++i)
    {
        scene.poses[i] = state_of(scene.world, scene.bodies[i]).pose;
    }
    return scene;
}

// The listed hits are the nearest of all, in order, each of another body.
static void check_all_hits(const rblWorldHit* list, uint32_t listed, const float* all, uint32_t count)
{
    for (uint32_t i = 0; i < listed; ++i)
    {
        uint32_t nearer = 0;
        uint32_t equal = 0;
        for (uint32_t k = 0; k < count; ++k)
        {
            nearer += all[k] < list[i].t;
            equal += all[k] == list[i].t;
        }
        assert_true(nearer <= i && i < nearer + equal);
        assert_true(rbl_finite3(list[i].point) && rbl_finite3(list[i].normal));
        for (uint32_t k = 0; k < i; ++k)
        {
            assert_true(list[k].body.index1 != list[i].body.index1);
            assert_true(list[k].t < list[i].t || list[k].body.index1 < list[i].body.index1);
        }
    }
}

static void rays_find_the_nearest_body(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 2);
    int hits = 0;
    int several = 0;
    for (int round = 0; round < 4; ++round)
    {
        Scene scene = make_random_scene(&random);
        for (int k = 0; k < 300; ++k)
        {
            const rblRay ray = {random_in_cube(&random, 5.0f), random_direction(&random), 0.0f,
                                k % 3 == 0 ? 3.0f : INFINITY};
            const uint64_t mask = k % 2 == 0 ? UINT64_MAX : 5;
            int best = -1;
            float nearest = INFINITY;
            float all[COUNT];
            uint32_t met = 0;
            for (int i = 0; i < COUNT; ++i)
            {
                rblRay local = ray;
                local.origin = rbl_transform_inverse_point(scene.poses[i], ray.origin);
                local.direction = rbl_inverse_rotate3(scene.poses[i].q, ray.direction);
                const rblShapeHit hit = rbl_shape_ray(scene.views[i].shape, &local);
                if ((scene.filters[i].category & mask) != 0 && hit.t < INFINITY)
                {
                    all[met++] = hit.t;
                }
                if ((scene.filters[i].category & mask) != 0 && hit.t < nearest)
                {
                    nearest = hit.t;
                    best = i;
                }
            }
            rblWorldHit hit;
            check_ok(rbl_world_ray(scene.world, &ray, mask, &hit));
            const bool found = hit.body.index1 != 0;
            assert_true(found == (hit.t < INFINITY));
            assert_true(found == (best >= 0));
            if (found)
            {
                assert_true(hit.t == nearest);
                assert_true(hit.body.index1 == scene.bodies[best].index1);
                check_close(rbl_length3(hit.normal), 1.0, 1e-3);
                ++hits;
            }
            rblWorldHit list[COUNT];
            const uint32_t capacity = k % 5 == 0 ? 1 + (uint32_t)k % 3 : COUNT;
            uint32_t count = 0;
            check_ok(rbl_world_ray_all(scene.world, &ray, mask, list, capacity, &count));
            assert_int_equal(count, met);
            check_all_hits(list, count < capacity ? count : capacity, all, met);
            assert_true(count == 0 || memcmp(&list[0], &hit, sizeof hit) == 0);
            several += count > 1;
        }
        check_ok(rbl_world_destroy(scene.world));
    }
    assert_true(hits > 50 && several > 5);
}

static void casts_stop_at_the_first_body(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 2);
    int hits = 0;
    for (int round = 0; round < 3; ++round)
    {
        Scene scene = make_random_scene(&random);
        for (int k = 0; k < 60; ++k)
        {
            const rblShapeId shape = some_shape(&random);
            rblShapeView view;
            check_ok(rbl_shape_view(shape, &view));
            const rblTransform pose = {random_in_cube(&random, 5.0f), random_rotation(&random)};
            const rblVec3 way = random_in_cube(&random, 6.0f);
            const rblSweep moving = {pose, way, {0, 0, 0}};
            float first = 1.0f;
            float all[COUNT];
            uint32_t met = 0;
            for (int i = 0; i < COUNT; ++i)
            {
                const rblSweep still = {scene.poses[i], {0, 0, 0}, {0, 0, 0}};
                const float tolerance = 1e-4f * rbl_minf(view.thinnest, scene.views[i].thinnest);
                const float t = rbl_shape_time_of_impact(&view, &moving, &scene.views[i], &still, tolerance,
                                                         0.5f * tolerance);
                first = rbl_minf(first, t);
                if (t < 1.0f)
                {
                    all[met++] = t;
                }
            }
            rblWorldHit hit;
            check_ok(rbl_world_cast(scene.world, shape, pose, way, UINT64_MAX, &hit));
            const bool found = hit.body.index1 != 0;
            assert_true(found == (hit.t < INFINITY));
            assert_true(found == (first < 1.0f));
            if (found)
            {
                assert_true(hit.t == first);
                assert_true(rbl_finite3(hit.point) && rbl_finite3(hit.normal));
                // Unless it began inside, the surface that was met faces the cast.
                assert_true(hit.t == 0.0f || rbl_dot3(hit.normal, way) < 1e-3f);
                ++hits;
            }
            rblWorldHit list[COUNT];
            const uint32_t capacity = k % 5 == 0 ? 2 : COUNT;
            uint32_t count = 0;
            check_ok(rbl_world_cast_all(scene.world, shape, pose, way, UINT64_MAX, list, capacity, &count));
            assert_int_equal(count, met);
            check_all_hits(list, count < capacity ? count : capacity, all, met);
            assert_true(count == 0 || memcmp(&list[0], &hit, sizeof hit) == 0);
            check_ok(rbl_world_cast_all(scene.world, shape, pose, way, UINT64_MAX, NULL, 0, &count));
            assert_int_equal(count, met);
            check_ok(rbl_shape_destroy(shape));
        }
        check_ok(rbl_world_destroy(scene.world));
    }
    assert_true(hits > 20);
}

typedef struct Visits
{
    uint32_t seen[COUNT + 1];
    uint32_t total, stop_after;
} Visits;

static bool visit(rblBodyId body, void* context)
{
    Visits* visits = context;
    visits->seen[body.index1] += 1;
    visits->total += 1;
    return visits->total != visits->stop_after;
}

static void overlaps_find_every_body_once(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 2);
    Scene scene = make_random_scene(&random);
    uint32_t total = 0;
    for (int k = 0; k < 200; ++k)
    {
        const rblVec3 center = random_in_cube(&random, 3.0f);
        const float half = random_between(&random, 0.05f, 1.5f);
        const rblAabb box = {rbl_sub3(center, vec(half, half, half)),
                             rbl_add3(center, vec(half, half, half))};
        Visits visits = {.total = 0};
        check_ok(rbl_world_overlap_box(scene.world, box, 3, visit, &visits));
        for (int i = 0; i < COUNT; ++i)
        {
            const rblAabb bounds = rbl_shape_bounds_at(&scene.views[i], scene.poses[i]);
            const bool inside = (scene.filters[i].category & 3) != 0 && rbl_aabb_overlaps(bounds, box);
            assert_int_equal(visits.seen[scene.bodies[i].index1], inside);
        }
        total += visits.total;
        const rblShapeId shape = some_shape(&random);
        rblShapeView view;
        check_ok(rbl_shape_view(shape, &view));
        const rblTransform pose = {center, random_rotation(&random)};
        visits = (Visits){.total = 0};
        check_ok(rbl_world_overlap_shape(scene.world, shape, pose, 6, visit, &visits));
        rblContactSet set = {0};
        rblCollideOptions options = rbl_default_collide_options();
        options.margin = 0.0f;
        for (int i = 0; i < COUNT; ++i)
        {
            check_ok(rbl_shape_collide(&view, &scene.views[i], rbl_transform_relative(pose, scene.poses[i]),
                                       &options, NULL, &set));
            const bool touches = (scene.filters[i].category & 6) != 0 && set.count > 0;
            assert_int_equal(visits.seen[scene.bodies[i].index1], touches);
        }
        total += visits.total;
        rbl_contact_set_free(&set);
        check_ok(rbl_shape_destroy(shape));
    }
    assert_true(total > 300);
    Visits visits = {.stop_after = 3};
    check_ok(
        rbl_world_overlap_box(scene.world, (rblAabb){{-9, -9, -9}, {9, 9, 9}}, UINT64_MAX, visit, &visits));
    assert_int_equal(visits.total, 3);
    check_ok(rbl_world_destroy(scene.world));
}

static void queries_see_bodies_where_they_are_now(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId ball = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(0, 0, 0));
    const rblRay down = {{5, 10, 0}, {0, -1, 0}, 0.0f, INFINITY};
    rblWorldHit hit;
    check_ok(rbl_world_ray(world, &down, UINT64_MAX, &hit));
    assert_int_equal(hit.body.index1, 0);
    check_ok(rbl_body_teleport(world, ball, (rblTransform){{5, 0, 0}, {0, 0, 0, 1}}));
    check_ok(rbl_world_ray(world, &down, UINT64_MAX, &hit));
    assert_int_not_equal(hit.body.index1, 0);
    check_close(hit.t, 9.5, 1e-4);
    check_close(hit.normal.y, 1.0, 1e-4);
    check_ok(rbl_world_ray(world, &down, 2, &hit));
    assert_int_equal(hit.body.index1, 0);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, -3, 0));
    const rblRay aside = {{50, 10, 0}, {0, -1, 0}, 0.0f, INFINITY};
    check_ok(rbl_world_ray(world, &aside, UINT64_MAX, &hit));
    assert_int_not_equal(hit.body.index1, 0);
    check_close(hit.t, 13.0, 1e-3);
    check_ok(rbl_body_destroy(world, ball));
    check_ok(rbl_world_ray(world, &down, UINT64_MAX, &hit));
    check_close(hit.t, 13.0, 1e-3);
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rays_find_the_nearest_body),
        cmocka_unit_test(casts_stop_at_the_first_body),
        cmocka_unit_test(overlaps_find_every_body_once),
        cmocka_unit_test(queries_see_bodies_where_they_are_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
