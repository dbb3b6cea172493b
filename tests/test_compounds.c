// The tree of a compound: every query gives what a loop over the children gives, and looks at few of them.
#include "field/engine.h"
#include "field/part_tree.h"
#include "field/shape.h"
#include "math/aabb.h"
#include "shape_testing.h"
#include "testing.h"
#include <stdlib.h>

#include "field_shapes.h"

#define COUNT 300

// Stones, balls and boxes with turned poses in a cube, some of them over each other.
typedef struct Heap
{
    rblShapeId id;
    rblShapeView view;
    rblShapeChild children[COUNT];
    rblShapeView views[COUNT];
} Heap;

static void make_heap(Heap* heap, uint64_t seed, uint32_t count)
{
    rblRandom random = rbl_random_seed(seed, 1);
    rblShapeId kinds[3];
    kinds[0] = make_stone(&random);
    check_ok(rbl_shape_create_sphere(0.07f, &kinds[1]));
    check_ok(rbl_shape_create_box(rbl_vec3(0.3f, 0.05f, 0.1f), &kinds[2]));
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 at = random_in_cube(&random, 0.8f);
        heap->children[i] = (rblShapeChild){kinds[i % 3], {at, random_rotation(&random)}};
        heap->views[i] = view_of(kinds[i % 3]);
    }
    check_ok(rbl_shape_create_compound(heap->children, count, &heap->id));
    heap->view = view_of(heap->id);
    for (int k = 0; k < 3; ++k)
    {
        check_ok(rbl_shape_destroy(kinds[k]));
    }
}

static void distances_are_those_of_the_nearest_child(void** state)
{
    (void)state;
    static Heap heap;
    make_heap(&heap, 3, COUNT);
    rblRandom random = rbl_random_seed(4, 1);
    int inside = 0;
    for (int n = 0; n < 4000; ++n)
    {
        const rblVec3 p = random_in_cube(&random, n % 2 == 0 ? 1.0f : 3.0f);
        float least = INFINITY;
        rblVec3 slope = {0, 0, 0};
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            const rblTransform pose = rbl_shape_parts(heap.view.shape)->parts[i].pose;
            rblVec3 gradient;
            const float distance =
                rbl_shape_distance(heap.views[i].shape, rbl_transform_inverse_point(pose, p), &gradient);
            if (distance < least)
            {
                least = distance;
                slope = rbl_rotate3(pose.q, gradient);
            }
        }
        rblVec3 gradient;
        assert_true(rbl_shape_distance(heap.view.shape, p, &gradient) == least);
        assert_memory_equal(&gradient, &slope, sizeof slope);
        inside += least < 0.0f;
    }
    assert_true(inside > 100);
    check_ok(rbl_shape_destroy(heap.id));
}

static void rays_hit_the_first_child(void** state)
{
    (void)state;
    static Heap heap;
    make_heap(&heap, 5, COUNT);
    rblRandom random = rbl_random_seed(6, 1);
    int hits = 0;
    for (int n = 0; n < 2000; ++n)
    {
        const rblVec3 from = random_in_cube(&random, 2.0f);
        const rblVec3 axis = {n % 7 == 0 ? 1.0f : 0.0f, 0, n % 7 == 0 ? 0.0f : -2.0f};
        const rblVec3 toward = rbl_sub3(random_in_cube(&random, 1.0f), from);
        const rblVec3 to = n % 5 == 0 ? axis : toward; // along axes, too
        const rblRay ray = {from, to, n % 3 == 0 ? -0.5f : 0.0f, n % 4 == 0 ? 1.0f : INFINITY};
        float first = INFINITY;
        for (uint32_t i = 0; i < COUNT; ++i)
        {
            const rblTransform pose = rbl_shape_parts(heap.view.shape)->parts[i].pose;
            const rblRay local = {rbl_transform_inverse_point(pose, from), rbl_inverse_rotate3(pose.q, to),
                                  ray.t_min, ray.t_max};
            first = rbl_minf(rbl_shape_ray(heap.views[i].shape, &local).t, first);
        }
        const rblShapeHit hit = rbl_shape_ray(heap.view.shape, &ray);
        assert_true(hit.t == first);
        hits += first < INFINITY;
    }
    assert_true(hits > 500 && hits < 1900);
    check_ok(rbl_shape_destroy(heap.id));
}

// The contacts of all pairs of children, in the order of the pairs.
static uint32_t check_contacts(const Heap* a, uint32_t a_count, const rblShapeView* view_a, const Heap* b,
                               uint32_t b_count, const rblShapeView* view_b, rblTransform pose)
{
    rblContactOptions options = rbl_default_contact_options();
    options.margin = 0.02f;
    rblContactSet whole = {0}, pair = {0};
    uint32_t at = 0;
    check_ok(rbl_shape_find_contacts(view_a, view_b, pose, &options, NULL, &whole));
    for (uint32_t i = 0; i < a_count; ++i)
    {
        for (uint32_t k = 0; k < b_count; ++k)
        {
            rblTransform b_in_a = pose;
            const rblTransform* own = a != NULL ? &rbl_shape_parts(view_a->shape)->parts[i].pose : NULL;
            if (b != NULL)
            {
                b_in_a = rbl_transform_mul(pose, rbl_shape_parts(view_b->shape)->parts[k].pose);
            }
            b_in_a = own != NULL ? rbl_transform_relative(*own, b_in_a) : b_in_a;
            check_ok(rbl_shape_find_contacts(a != NULL ? &a->views[i] : view_a,
                                             b != NULL ? &b->views[k] : view_b, b_in_a, &options, NULL,
                                             &pair));
            for (uint32_t c = 0; c < pair.count; ++c, ++at)
            {
                assert_true(at < whole.count);
                const rblVec3 p = pair.points[c].point;
                const rblVec3 expected = own != NULL ? rbl_transform_point(*own, p) : p;
                assert_memory_equal(&whole.points[at].point, &expected, sizeof expected);
                assert_true(whole.points[at].distance == pair.points[c].distance);
            }
        }
    }
    assert_int_equal(at, whole.count);
    rbl_contact_set_free(&whole);
    rbl_contact_set_free(&pair);
    return at;
}

static void contacts_are_those_of_all_pairs_of_children(void** state)
{
    (void)state;
    static Heap heap, few;
    rblRandom random = rbl_random_seed(8, 1);
    rblShapeId ids[3];
    uint32_t contacts[3] = {0, 0, 0};
    make_heap(&heap, 7, COUNT);
    make_heap(&few, 9, 5);
    check_ok(rbl_shape_create_box(rbl_vec3(0.4f, 0.02f, 0.3f), &ids[0]));
    check_ok(rbl_shape_create_plane(rbl_vec3(0.6f, 0.8f, 0), &ids[1]));
    ids[2] = few.id;
    for (int n = 0; n < 60; ++n)
    {
        const rblShapeView other = view_of(ids[n % 3]);
        const Heap* parts = n % 3 == 2 ? &few : NULL;
        const uint32_t count = n % 3 == 2 ? 5 : 1;
        rblTransform pose = random_pose(&random, 1.0f);
        pose.p = n % 3 == 1 ? rbl_scale3(pose.p, 1.3f) : pose.p;
        contacts[n % 3] += check_contacts(&heap, COUNT, &heap.view, parts, count, &other, pose);
        contacts[n % 3] += check_contacts(parts, count, &other, &heap, COUNT, &heap.view, pose);
    }
    assert_true(contacts[0] > 100 && contacts[1] > 100 && contacts[2] > 100);
    check_ok(rbl_shape_destroy(heap.id));
    for (int k = 0; k < 3; ++k)
    {
        check_ok(rbl_shape_destroy(ids[k]));
    }
}

// Three boxes in a row, and a ball above the middle one: with predicted paths the boxes beside them get no contacts.
static void parts_beside_the_paths_get_no_contacts(void** state)
{
    (void)state;
    rblShapeId box, ball, row;
    const rblQuat none = {0, 0, 0, 1};
    check_ok(rbl_shape_create_box(rbl_vec3(0.5f, 0.5f, 0.5f), &box));
    check_ok(rbl_shape_create_sphere(0.1f, &ball));
    const rblShapeChild children[3] = {
        {box, {{-1, 0, 0}, none}}, {box, {{0, 0, 0}, none}}, {box, {{1, 0, 0}, none}}};
    check_ok(rbl_shape_create_compound(children, 3, &row));
    const rblShapeView views[2] = {view_of(row), view_of(ball)};
    const rblTransform start = {{0, 0.5f, 0}, none};
    const rblVec3 ends[3] = {{0, 0.2f, 0}, {1, 0.5f, 0}, {0, 0.5f, 0}};
    const uint32_t counts[3] = {1, 2, 1};
    rblContactSet set = {0};
    rblContactOptions options = rbl_default_contact_options();
    options.margin = 1.0f;
    check_ok(rbl_shape_find_contacts(&views[0], &views[1], start, &options, NULL, &set));
    assert_int_equal(set.count, 3);
    for (int i = 0; i < 3; ++i)
    {
        const rblPredictedPath path = {.end = {ends[i], none}, .pivot = start.p};
        options.paths = &path;
        options.path_count = 1;
        check_ok(rbl_shape_find_contacts(&views[0], &views[1], start, &options, NULL, &set));
        assert_int_equal(set.count, counts[i]);
    }
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(row));
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_shape_destroy(ball));
}

// A ball flies past a turning heap of stones: at the time of impact it is as far as wanted, and never nearer before.
static void impacts_are_those_of_the_first_child(void** state)
{
    (void)state;
    static Heap heap;
    make_heap(&heap, 11, 40);
    rblShapeId ball_id;
    check_ok(rbl_shape_create_sphere(0.03f, &ball_id));
    const rblShapeView ball = view_of(ball_id);
    rblRandom random = rbl_random_seed(12, 1);
    int impacts = 0;
    for (int n = 0; n < 300; ++n)
    {
        const rblVec3 from = rbl_scale3(random_direction(&random), 1.6f);
        const rblSweep flight = {
            {from, random_rotation(&random)}, rbl_sub3(random_in_cube(&random, 1.0f), from), {0, 0, 0}};
        const rblSweep turning = {random_pose(&random, 0.1f), random_in_cube(&random, 0.3f),
                                  n % 2 == 0 ? rbl_vec3(0, 0, 0) : random_in_cube(&random, 1.0f)};
        const bool first = n % 3 == 0;
        const float t = first ? rbl_shape_time_of_impact(&ball, &flight, &heap.view, &turning, 0.01f, 0.001f)
                              : rbl_shape_time_of_impact(&heap.view, &turning, &ball, &flight, 0.01f, 0.001f);
        float least = INFINITY;
        float last = INFINITY;
        for (int k = 0; k <= 200; ++k)
        {
            const float at = t * (float)k / 200.0f;
            const rblVec3 center = rbl_to_float3(heap.view.mass.center);
            const rblQuat turn =
                rbl_quat_mul(rbl_quat_from_axis_angle(rbl_normalize3(turning.rotation, rbl_vec3(1, 0, 0)),
                                                      at * rbl_length3(turning.rotation)),
                             turning.from.q);
            const rblVec3 middle =
                rbl_mul_add3(rbl_transform_point(turning.from, center), at, turning.translation);
            const rblVec3 arm = rbl_sub3(rbl_mul_add3(from, at, flight.translation), middle);
            const rblVec3 local = rbl_add3(rbl_inverse_rotate3(turn, arm), center);
            last = rbl_shape_distance(heap.view.shape, local, NULL) - 0.03f;
            least = rbl_minf(least, last);
        }
        assert_true(least > 0.01f - 0.0011f);
        assert_true(t == 1.0f || last < 0.01f + 0.0011f);
        impacts += t < 1.0f;
    }
    assert_true(impacts > 60 && impacts < 300);
    check_ok(rbl_shape_destroy(ball_id));
    check_ok(rbl_shape_destroy(heap.id));
}

// ---- cost ----

typedef struct Counted
{
    uint32_t calls;
} Counted;

static float counted_distance(const void* context, rblVec3 point, rblVec3* gradient)
{
    Counted* counted = (Counted*)(uintptr_t)context;
    counted->calls += 1;
    const float length = rbl_length3(point);
    *gradient = rbl_scale3(point, 1.0f / rbl_maxf(length, 1e-6f));
    return length - 0.1f;
}

static rblShapeId make_counted(Counted* counted)
{
    const rblVec3 sample = {0.1f, 0, 0};
    rblUserShape def = rbl_default_user_shape();
    rblShapeId id;
    def.name = "counted";
    def.distance = counted_distance;
    def.context = counted;
    def.bounds = (rblAabb){{-0.1f, -0.1f, -0.1f}, {0.1f, 0.1f, 0.1f}};
    def.samples = &sample;
    def.sample_count = 1;
    def.mass = (rblMassProperties){.volume = 1, .mass = 1, .moments = {1, 1, 1}};
    check_ok(rbl_shape_create_user(&def, &id));
    return id;
}

static void a_query_of_many_children_looks_at_few(void** state)
{
    (void)state;
    const uint32_t side = 1000;
    Counted counted = {0};
    const rblShapeId ball = make_counted(&counted);
    rblShapeChild* children = malloc(sizeof *children * side * side);
    rblShapeId id;
    for (uint32_t i = 0; i < side * side; ++i)
    {
        const rblVec3 at = {0.3f * (float)(i % side), 0, 0.3f * (float)(i / side)};
        children[i] = (rblShapeChild){ball, {at, {0, 0, 0, 1}}};
    }
    check_ok(rbl_shape_create_compound(children, side * side, &id));
    free(children);
    const rblShapeView view = view_of(id);
    check_close(view.mass.mass, 1e6, 1e-6);
    check_close(view.bounds.upper.x, 299.8, 1e-3);
    counted.calls = 0;
    check_close(rbl_shape_distance(view.shape, rbl_vec3(30.0f, 1.0f, 60.0f), NULL), 0.9, 1e-5);
    assert_true(counted.calls > 0 && counted.calls < 20);
    counted.calls = 0;
    const rblRay ray = {{30.0f, 5.0f, 60.0f}, {0, -1, 0}, 0.0f, 100.0f};
    check_close(rbl_shape_ray(view.shape, &ray).t, 4.9, 1e-3);
    assert_true(counted.calls > 0 && counted.calls < 100);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_shape_destroy(ball));
}

static void one_child_is_a_compound(void** state)
{
    (void)state;
    static Heap heap;
    make_heap(&heap, 21, 1);
    rblRandom random = rbl_random_seed(22, 1);
    for (int n = 0; n < 200; ++n)
    {
        const rblTransform pose = rbl_shape_parts(heap.view.shape)->parts[0].pose;
        const rblVec3 p = random_in_cube(&random, 1.5f);
        const rblRay ray = {p, rbl_sub3(pose.p, p), 0.0f, 2.0f};
        const rblVec3 local = rbl_transform_inverse_point(pose, p);
        assert_true(rbl_shape_distance(heap.view.shape, p, NULL) ==
                    rbl_shape_distance(heap.views[0].shape, local, NULL));
        assert_true(rbl_shape_ray(heap.view.shape, &ray).t < 1.0f);
    }
    check_ok(rbl_shape_destroy(heap.id));
}

// ---- on demand ----

typedef struct Askers
{
    rblShapeView view;
    const rblVec3* points[64];
    rblMeshId surfaces[64];
    rblResult results[64];
} Askers;

static void ask(rblRange range, void* context)
{
    Askers* askers = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        uint32_t count;
        askers->results[i] = rbl_shape_samples(&askers->view, &askers->points[i], &count);
        if (askers->results[i] == RBL_OK)
        {
            askers->results[i] = rbl_shape_surface(&askers->view, &askers->surfaces[i]);
        }
    }
}

static void threads_share_samples_and_surface(void** state)
{
    (void)state;
    rblJobs* jobs = NULL;
    const rblTasks tasks = tasks_of(4);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    const uint32_t meshes = rbl_mesh_alive_count();
    for (uint64_t round = 0; round < 10; ++round)
    {
        static Heap heap;
        static Askers askers;
        make_heap(&heap, 30 + round, 12);
        askers.view = heap.view;
        rbl_parallel_for(jobs, 64, 1, ask, &askers);
        for (int i = 0; i < 64; ++i)
        {
            check_ok(askers.results[i]);
            assert_ptr_equal(askers.points[i], askers.points[0]);
            assert_memory_equal(&askers.surfaces[i], &askers.surfaces[0], sizeof askers.surfaces[0]);
        }
        check_ok(rbl_shape_destroy(heap.id));
        assert_int_equal(rbl_mesh_alive_count(), meshes); // surfaces that came second are gone
    }
    rbl_jobs_destroy(jobs);
}

static void children_out_of_reach_are_refused(void** state)
{
    (void)state;
    rblShapeId ball;
    rblShapeId id = {0, 0};
    check_ok(rbl_shape_create_sphere(1.0f, &ball));
    const rblShapeChild children[2] = {{ball, {{0, 0, 0}, {0, 0, 0, 1}}},
                                       {ball, {{0, 2e37f, 0}, {0, 0, 0, 1}}}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(children, 2, &id));
    assert_non_null(strstr(rbl_last_error(), "child 1"));
    check_ok(rbl_shape_destroy(ball));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_the_nearest_child),
        cmocka_unit_test(rays_hit_the_first_child),
        cmocka_unit_test(contacts_are_those_of_all_pairs_of_children),
        cmocka_unit_test(parts_beside_the_paths_get_no_contacts),
        cmocka_unit_test(impacts_are_those_of_the_first_child),
        cmocka_unit_test(a_query_of_many_children_looks_at_few),
        cmocka_unit_test(one_child_is_a_compound),
        cmocka_unit_test(threads_share_samples_and_surface),
        cmocka_unit_test(children_out_of_reach_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
