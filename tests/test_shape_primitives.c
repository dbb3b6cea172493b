// Primitives: fields, supports, rays, boxes and masses against closed forms and against each other.
#include "testing.h"

#include "base/jobs.h"
#include "failing_allocator.h"
#include "field/shape.h"
#include "shape_testing.h"
#include <string.h>

enum
{
    SHAPES = 7
};

static void make_all(rblShapeId ids[SHAPES])
{
    rblRandom random = rbl_random_seed(7, 1);
    check_ok(rbl_shape_create_sphere(0.7f, &ids[0]));
    check_ok(rbl_shape_create_capsule(0.3f, 1.4f, &ids[1]));
    check_ok(rbl_shape_create_box((rblVec3){1.0f, 0.5f, 0.25f}, &ids[2]));
    check_ok(rbl_shape_create_cylinder(0.4f, 0.9f, &ids[3]));
    check_ok(rbl_shape_create_capsule(0.5f, 1.0f, &ids[4]));
    ids[5] = make_stone(&random);
    check_ok(rbl_shape_create_cylinder(2.0f, 0.1f, &ids[6]));
}

static void destroy_all(rblShapeId ids[SHAPES])
{
    for (int i = 0; i < SHAPES; ++i)
    {
        check_ok(rbl_shape_destroy(ids[i]));
    }
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void distances_agree_with_supporting_planes(void** state)
{
    // Outside a convex body, distance = max over unit n of n . p - h(n), reached at the gradient; inside it is the
    // largest of n . p - h(n) as well.
    (void)state;
    rblShapeId ids[SHAPES];
    make_all(ids);
    rblRandom random = rbl_random_seed(1, 2);
    for (int s = 0; s < SHAPES; ++s)
    {
        rblShapeView view;
        check_ok(rbl_shape_view(ids[s], &view));
        const rblShape* shape = view.shape;
        // Planes of hulls lie outside their vertices by up to the tolerance that faces were merged with.
        const float slack = (strcmp(view.kind, "hull") == 0 ? 2e-5f : 2e-6f) * view.radius;
        for (int i = 0; i < 2000; ++i)
        {
            const rblVec3 p = random_in_cube(&random, 1.5f * view.radius);
            rblVec3 g;
            const float d = rbl_shape_distance(shape, p, &g);
            check_close(rbl_length3(g), 1.0, 1e-5);
            const rblVec3 far_point = shape->kind->support(shape->data, g);
            check_close(rbl_dot3(g, rbl_sub3(p, far_point)), d, (double)slack);
            for (int k = 0; k < 20; ++k)
            {
                const rblVec3 n = random_direction(&random);
                const rblVec3 on = shape->kind->support(shape->data, n);
                assert_true(rbl_dot3(n, rbl_sub3(p, on)) <= d + slack);
            }
        }
    }
    destroy_all(ids);
}

static void gradients_are_slopes(void** state)
{
    (void)state;
    rblShapeId ids[SHAPES];
    make_all(ids);
    rblRandom random = rbl_random_seed(3, 4);
    for (int s = 0; s < SHAPES; ++s)
    {
        rblShapeView view;
        check_ok(rbl_shape_view(ids[s], &view));
        int off = 0;
        for (int i = 0; i < 1000; ++i)
        {
            const rblVec3 p = random_in_cube(&random, 1.5f * view.radius);
            rblVec3 g;
            const float d = rbl_shape_distance(view.shape, p, &g);
            const float h = 1e-3f * view.radius;
            const float ahead = rbl_shape_distance(view.shape, rbl_mul_add3(p, h, g), NULL);
            off += fabsf(ahead - d - h) > 0.05f * h; // creases of the field inside, seldom met
        }
        assert_true(off < 20);
    }
    destroy_all(ids);
}

static void rays_stop_where_the_field_is_zero(void** state)
{
    (void)state;
    rblShapeId ids[SHAPES];
    make_all(ids);
    rblRandom random = rbl_random_seed(5, 6);
    for (int s = 0; s < SHAPES; ++s)
    {
        rblShapeView view;
        check_ok(rbl_shape_view(ids[s], &view));
        int hits = 0;
        for (int i = 0; i < 3000; ++i)
        {
            rblRay ray = {rbl_scale3(random_direction(&random), 3.0f * view.radius), {0, 0, 0}, 0.0f, 1e3f};
            const rblVec3 aim = random_in_cube(&random, view.radius);
            ray.direction = rbl_scale3(rbl_sub3(aim, ray.origin), random_between(&random, 0.1f, 3.0f));
            rblShapeHit hit;
            float nearest = INFINITY; // of the field along the ray
            for (int k = 0; k <= 200; ++k)
            {
                const float t = (float)k / 50.0f / rbl_length3(ray.direction) * view.radius * 1.5f;
                const rblVec3 p = rbl_mul_add3(ray.origin, t, ray.direction);
                nearest = rbl_minf(nearest, rbl_shape_distance(view.shape, p, NULL));
            }
            hit = rbl_shape_ray(view.shape, &ray);
            if (!(hit.t < INFINITY))
            {
                assert_true(nearest > -1e-5f * view.radius);
                continue;
            }
            ++hits;
            rblVec3 g;
            const rblVec3 p = rbl_mul_add3(ray.origin, hit.t, ray.direction);
            check_close(rbl_shape_distance(view.shape, p, &g), 0.0, 1e-5 * (double)view.radius);
            assert_true(rbl_dot3(hit.normal, ray.direction) <= 0.0f);
            const float before = hit.t - 1e-3f * view.radius / rbl_length3(ray.direction);
            assert_true(
                rbl_shape_distance(view.shape, rbl_mul_add3(ray.origin, before, ray.direction), NULL) > 0.0f);
        }
        assert_true(hits > 50);
    }
    destroy_all(ids);
}

static void rays_from_inside_hit_at_once(void** state)
{
    (void)state;
    rblShapeId id;
    check_ok(rbl_shape_create_box((rblVec3){2, 2, 2}, &id));
    rblShapeView view;
    check_ok(rbl_shape_view(id, &view));
    rblShapeHit hit;
    rblRay ray = {{0, 0.9f, 0}, {1, 0, 0}, 0.25f, 10.0f};
    hit = rbl_shape_ray(view.shape, &ray);
    assert_true(hit.t < INFINITY);
    check_close(hit.t, 0.25, 0.0);
    check_close(hit.normal.y, 1.0, 0.0);
    ray = (rblRay){{0, 5, 0}, {0, -1, 0}, 0.0f, 3.9f};
    hit = rbl_shape_ray(view.shape, &ray);
    assert_false(hit.t < INFINITY); // stops short
    ray.t_max = 4.1f;
    hit = rbl_shape_ray(view.shape, &ray);
    assert_true(hit.t < INFINITY);
    check_close(hit.t, 4.0, 1e-6);
    ray = (rblRay){{0, 5, 0}, {0, 0, 0}, 0.0f, 10.0f};
    hit = rbl_shape_ray(view.shape, &ray);
    assert_false(hit.t < INFINITY);
    ray = (rblRay){{0, NAN, 0}, {0, 1, 0}, 0.0f, 10.0f};
    hit = rbl_shape_ray(view.shape, &ray);
    assert_false(hit.t < INFINITY);
    check_ok(rbl_shape_destroy(id));
}

static void planes_are_half_spaces(void** state)
{
    (void)state;
    rblShapeId id;
    check_ok(rbl_shape_create_plane((rblVec3){0, 3, 4}, &id));
    rblShapeView view;
    check_ok(rbl_shape_view(id, &view));
    assert_false(view.bounded);
    assert_true(view.convex);
    assert_int_equal(view.sample_count, 0);
    rblVec3 g;
    check_close(rbl_shape_distance(view.shape, (rblVec3){7, 3, 4}, &g), 5.0, 1e-6);
    check_close(g.z, 0.8, 1e-6);
    rblShapeHit hit;
    const rblRay ray = {{0, 10, 0}, {0, -2, 0}, 0.0f, 100.0f};
    hit = rbl_shape_ray(view.shape, &ray);
    assert_true(hit.t < INFINITY);
    check_close(hit.t, 5.0, 1e-6);
    check_ok(rbl_shape_destroy(id));
}

static void samples_lie_on_the_surface_and_reach_everywhere(void** state)
{
    (void)state;
    rblShapeId ids[SHAPES];
    make_all(ids);
    rblRandom random = rbl_random_seed(8, 9);
    for (int s = 0; s < SHAPES; ++s)
    {
        rblShapeView view;
        check_ok(rbl_shape_view(ids[s], &view));
        check_ok(rbl_shape_samples(&view, &view.samples, &view.sample_count));
        assert_true(view.sample_count > 30);
        for (uint32_t i = 0; i < view.sample_count; ++i)
        {
            check_close(rbl_shape_distance(view.shape, view.samples[i], NULL), 0.0,
                        2e-5 * (double)view.radius);
        }
        for (int i = 0; i < 200; ++i)
        {
            const rblVec3 on = view.shape->kind->support(view.shape->data, random_direction(&random));
            float nearest = INFINITY;
            for (uint32_t k = 0; k < view.sample_count; ++k)
            {
                nearest = rbl_minf(nearest, rbl_length3(rbl_sub3(view.samples[k], on)));
            }
            assert_true(nearest < 0.4f * view.radius);
        }
    }
    destroy_all(ids);
}

static void boxes_hold_the_shape_closely(void** state)
{
    (void)state;
    rblShapeId ids[SHAPES];
    make_all(ids);
    rblRandom random = rbl_random_seed(10, 11);
    for (int s = 0; s < SHAPES; ++s)
    {
        rblShapeView view;
        check_ok(rbl_shape_view(ids[s], &view));
        for (int i = 0; i < 300; ++i)
        {
            const rblTransform pose = {random_in_cube(&random, 5.0f), random_rotation(&random)};
            const rblAabb box = rbl_shape_bounds_at(&view, pose);
            const float* lower = &box.lower.x;
            const float* upper = &box.upper.x;
            for (int axis = 0; axis < 6; ++axis)
            {
                rblVec3 n = {0, 0, 0};
                (&n.x)[axis % 3] = axis < 3 ? 1.0f : -1.0f;
                const rblVec3 local = rbl_inverse_rotate3(pose.q, n);
                const rblVec3 p =
                    rbl_transform_point(pose, view.shape->kind->support(view.shape->data, local));
                const float at = (&p.x)[axis % 3];
                const float bound = axis < 3 ? upper[axis] : lower[axis - 3];
                const float slack = axis < 3 ? bound - at : at - bound;
                assert_true(slack >= 0.0f);
                assert_true(slack < 1e-3f * view.radius + 1e-5f);
            }
        }
    }
    destroy_all(ids);
}

static void masses_are_those_of_the_drawn_surface(void** state)
{
    (void)state;
    rblShapeId ids[SHAPES];
    make_all(ids);
    const double tolerance[SHAPES] = {0.02, 0.03, 1e-12, 0.01, 0.03, 1e-12, 0.01}; // facets of the round ones
    for (int s = 0; s < SHAPES; ++s)
    {
        rblShapeView view;
        check_ok(rbl_shape_view(ids[s], &view));
        rblMassProperties mesh;
        rblMeshId surface;
        check_ok(rbl_shape_surface(&view, &surface));
        check_ok(rbl_mesh_mass_properties(surface, 1.0, &mesh));
        check_relative(view.mass.volume, mesh.volume, tolerance[s]);
        check_relative(view.mass.moments.x, mesh.moments.x, 2.0 * tolerance[s] + 1e-10);
        check_relative(view.mass.moments.y, mesh.moments.y, 2.0 * tolerance[s] + 1e-10);
        check_relative(view.mass.moments.z, mesh.moments.z, 2.0 * tolerance[s] + 1e-10);
        assert_true(view.inner_radius > 0.0f && view.inner_radius <= view.radius);
        assert_true(view.thinnest >= 2.0f * view.inner_radius * 0.999f);
        assert_true(view.bytes > 0);
    }
    // A capsule without a barrel is a ball.
    rblShapeView capsule;
    check_ok(rbl_shape_view(ids[4], &capsule));
    check_relative(capsule.mass.volume, 4.0 / 3.0 * 3.14159265358979 * 0.125, 1e-12);
    check_relative(capsule.mass.moments.x, 0.4 * capsule.mass.volume * 0.25, 1e-6);
    destroy_all(ids);
}

static void sizes_that_are_not_sizes_are_refused(void** state)
{
    (void)state;
    rblShapeId id = {77, 88};
    const float bad[4] = {0.0f, -1.0f, NAN, INFINITY};
    for (int i = 0; i < 4; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_sphere(bad[i], &id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_capsule(bad[i], 1.0f, &id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_capsule(1.0f, bad[i], &id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_cylinder(bad[i], 1.0f, &id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_cylinder(1.0f, bad[i], &id));
        check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_box((rblVec3){1, bad[i], 1}, &id));
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_capsule(1.0f, 1.9f, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_plane((rblVec3){0, 0, 0}, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_plane((rblVec3){0, NAN, 0}, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_sphere(1.0f, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_plane((rblVec3){0, 1, 0}, NULL));
    assert_int_equal(id.index1, 77);
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void tiny_and_huge_shapes_work(void** state)
{
    (void)state;
    const float sizes[2] = {1e-6f, 1e3f};
    for (int i = 0; i < 2; ++i)
    {
        const float s = sizes[i];
        rblShapeId ids[5];
        check_ok(rbl_shape_create_sphere(s, &ids[0]));
        check_ok(rbl_shape_create_capsule(s, 4.0f * s, &ids[1]));
        check_ok(rbl_shape_create_box((rblVec3){s, 2.0f * s, 3.0f * s}, &ids[2]));
        check_ok(rbl_shape_create_cylinder(s, s, &ids[3]));
        const rblVec3 corners[4] = {{0, 0, 0}, {s, 0, 0}, {0, s, 0}, {0, 0, s}};
        check_ok(rbl_shape_create_hull(corners, 4, &ids[4]));
        for (int k = 0; k < 5; ++k)
        {
            rblShapeView view;
            check_ok(rbl_shape_view(ids[k], &view));
            assert_true(view.mass.moments.x > 0.0);
            rblVec3 g;
            const rblVec3 p = {3.0f * s, 2.0f * s, s};
            const float d = rbl_shape_distance(view.shape, p, &g);
            assert_true(d > s && d < 5.0f * s);
            check_close(rbl_length3(g), 1.0, 1e-5);
            check_ok(rbl_shape_destroy(ids[k]));
        }
    }
}

static void stale_ids_are_caught_and_referenced_shapes_live_on(void** state)
{
    (void)state;
    rblShapeId id;
    rblShapeView view;
    check_ok(rbl_shape_create_sphere(1.0f, &id));
    check_ok(rbl_shape_acquire(id, &view));
    check_ok(rbl_shape_destroy(id));
    check_fails(RBL_ERROR_STALE, rbl_shape_destroy(id));
    check_fails(RBL_ERROR_STALE, rbl_shape_view(id, &view));
    check_fails(RBL_ERROR_STALE, rbl_shape_acquire((rblShapeId){0, 0}, &view));
    check_close(rbl_shape_distance(view.shape, (rblVec3){0, 3, 0}, NULL), 2.0, 1e-6);
    rblMeshId mesh;
    rblMeshView surface;
    check_ok(rbl_shape_surface(&view, &mesh));
    check_ok(rbl_mesh_view(mesh, &surface));
    rbl_shape_release(view.shape);
    rbl_shape_release(NULL);
    check_fails(RBL_ERROR_STALE, rbl_mesh_view(mesh, &surface));
    check_ok(rbl_shape_create_sphere(1.0f, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_view(id, NULL));
    check_ok(rbl_shape_destroy(id));
}

static void equal_primitives_are_one_shape(void** state)
{
    (void)state;
    rblShapeId a[4];
    rblShapeId b[4];
    rblShapeId other;
    rblShapeView first;
    rblShapeView second;
    for (int i = 0; i < 2; ++i)
    {
        rblShapeId* ids = i == 0 ? a : b;
        check_ok(rbl_shape_create_sphere(0.5f, &ids[0]));
        check_ok(rbl_shape_create_capsule(0.5f, 1.0f, &ids[1]));
        check_ok(rbl_shape_create_cylinder(0.5f, 1.0f, &ids[2]));
        check_ok(rbl_shape_create_box((rblVec3){0.5f, 1, 2}, &ids[3]));
    }
    check_ok(rbl_shape_create_box((rblVec3){0.5f, 2, 1}, &other));
    for (int i = 0; i < 4; ++i)
    {
        check_ok(rbl_shape_view(a[i], &first));
        check_ok(rbl_shape_view(b[i], &second));
        assert_ptr_equal(first.shape, second.shape);
        assert_true(a[i].index1 != b[i].index1);
        check_ok(rbl_shape_view(b[(i + 1) % 4], &second));
        assert_ptr_not_equal(first.shape, second.shape);
        check_ok(rbl_shape_view(other, &second));
        assert_ptr_not_equal(first.shape, second.shape);
        check_ok(rbl_shape_destroy(a[i]));
        check_ok(rbl_shape_view(b[i], &second)); // lives on
        assert_true(second.mass.mass > 0.0);
    }
    assert_int_equal(rbl_shape_alive_count(), 5);
    for (int i = 0; i < 4; ++i)
    {
        check_ok(rbl_shape_destroy(b[i]));
    }
    check_ok(rbl_shape_destroy(other));
}

static void plain_shapes_take_little_memory_until_they_are_drawn_or_sampled(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    rblShapeId ids[64];
    rblShapeView view;
    size_t before = memory.live;
    for (int i = 0; i < 64; ++i)
    {
        const float size = 0.5f + 0.01f * (float)i;
        check_ok(i % 2 == 0 ? rbl_shape_create_sphere(size, &ids[i])
                            : rbl_shape_create_capsule(size, 4.0f * size, &ids[i]));
    }
    assert_true(memory.live - before < 64 * 1024);
    check_ok(rbl_shape_view(ids[0], &view));
    assert_null(view.samples);
    assert_int_equal(view.surface.index1, 0);
    const rblVec3* samples;
    uint32_t count;
    rblMeshId mesh;
    before = memory.live;
    check_ok(rbl_shape_samples(&view, &samples, &count));
    assert_true(count > 50 && memory.live > before);
    check_ok(rbl_shape_surface(&view, &mesh));
    before = memory.live;
    check_ok(rbl_shape_samples(&view, &samples, &count));
    check_ok(rbl_shape_surface(&view, &mesh));
    assert_true(memory.live == before);
    for (int i = 0; i < 64; ++i)
    {
        check_ok(rbl_shape_destroy(ids[i]));
    }
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

static rblResult make_one(int which, rblShapeId* out)
{
    static const rblVec3 corners[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0},
                                       {0, 0, 1}, {1, 1, 1}, {0.1f, 0.1f, 0.1f}};
    switch (which)
    {
    case 0:
        return rbl_shape_create_plane((rblVec3){0, 1, 0}, out);
    case 1:
        return rbl_shape_create_sphere(1.0f, out);
    case 2:
        return rbl_shape_create_capsule(1.0f, 3.0f, out);
    case 3:
        return rbl_shape_create_box((rblVec3){1, 2, 3}, out);
    case 4:
        return rbl_shape_create_cylinder(1.0f, 3.0f, out);
    default:
        return rbl_shape_create_hull(corners, 6, out);
    }
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    for (int which = 0; which < 6; ++which)
    {
        bool made = false;
        for (size_t granted = 0; !made; ++granted)
        {
            FailingAllocator memory;
            failing_allocator_start(&memory, granted);
            check_ok(rbl_set_allocator(&memory.allocator));
            rblShapeId id = {5, 6};
            const rblResult result = make_one(which, &id);
            made = result == RBL_OK;
            if (made)
            {
                check_ok(rbl_shape_destroy(id));
            }
            else
            {
                assert_int_equal(result, RBL_ERROR_MEMORY);
                assert_int_equal(id.index1, 5);
            }
            assert_int_equal(memory.live, 0);
            check_ok(rbl_set_allocator(NULL));
        }
    }
}

static void hold_and_let_go(rblRange range, void* context)
{
    const rblShapeId shared = *(const rblShapeId*)context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        rblShapeView view;
        rblShapeId own;
        check_ok(rbl_shape_acquire(shared, &view));
        check_ok(rbl_shape_create_plane((rblVec3){0, 1, (float)i}, &own));
        check_close(rbl_shape_distance(view.shape, (rblVec3){0, 3, 0}, NULL), 2.0, 1e-6);
        check_ok(rbl_shape_destroy(own));
        check_fails(RBL_ERROR_STALE, rbl_shape_destroy(own));
        rbl_shape_release(view.shape);
    }
}

static void threads_may_share_the_registry(void** state)
{
    (void)state;
    const rblTasks tasks = tasks_of(4);
    check_ok(rbl_set_tasks(&tasks));
    rblShapeId shared;
    check_ok(rbl_shape_create_sphere(1.0f, &shared));
    rbl_parallel_for(rbl_default_jobs(), 2000, 10, hold_and_let_go, &shared);
    assert_int_equal(rbl_shape_alive_count(), 1);
    check_ok(rbl_shape_destroy(shared));
    assert_int_equal(rbl_mesh_alive_count(), 0);
    check_ok(rbl_set_tasks(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_agree_with_supporting_planes),
        cmocka_unit_test(gradients_are_slopes),
        cmocka_unit_test(rays_stop_where_the_field_is_zero),
        cmocka_unit_test(rays_from_inside_hit_at_once),
        cmocka_unit_test(planes_are_half_spaces),
        cmocka_unit_test(samples_lie_on_the_surface_and_reach_everywhere),
        cmocka_unit_test(boxes_hold_the_shape_closely),
        cmocka_unit_test(masses_are_those_of_the_drawn_surface),
        cmocka_unit_test(sizes_that_are_not_sizes_are_refused),
        cmocka_unit_test(tiny_and_huge_shapes_work),
        cmocka_unit_test(equal_primitives_are_one_shape),
        cmocka_unit_test(plain_shapes_take_little_memory_until_they_are_drawn_or_sampled),
        cmocka_unit_test(stale_ids_are_caught_and_referenced_shapes_live_on),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(threads_may_share_the_registry),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
