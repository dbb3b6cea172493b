// Convex hulls: against brute force, whatever the points.
#include "testing.h"

#include "base/jobs.h"
#include "failing_allocator.h"
#include "field/convex/hull.h"
#include "field/shape.h"
#include "math/predicates.h"
#include "shape_testing.h"

// Every point inside every plane, faces convex and outward, edges between two faces, Euler's formula, mass of the mesh.
static void check_hull(rblShapeId id, const rblVec3* points, uint32_t count)
{
    rblShapeView view;
    check_ok(rbl_shape_view(id, &view));
    const rblHull* hull = view.shape->core.hull;
    const double size = (double)view.radius;
    for (uint32_t f = 0; f < hull->face_count; ++f)
    {
        const rblVec3d n = rbl_to_double3(rbl_hull_normal(hull, f));
        check_close(rbl_length3d(n), 1.0, 1e-6);
        for (uint32_t i = 0; i < count; ++i)
        {
            const double above = rbl_dot3d(n, rbl_to_double3(points[i])) - (double)rbl_hull_offset(hull, f);
            const double reach = rbl_length3d(rbl_to_double3(points[i]));
            assert_true(above <= 1e-6 * (size + reach));
        }
        for (uint32_t c = hull->face_starts[f]; c < hull->face_starts[f + 1]; ++c)
        {
            const uint32_t next = c + 1 < hull->face_starts[f + 1] ? c + 1 : hull->face_starts[f];
            const rblHullEdge edge = hull->edges[hull->corner_edges[c]];
            const bool forward = edge.left == f && edge.tail == hull->corner_vertices[c];
            const bool backward = edge.right == f && edge.head == hull->corner_vertices[c];
            assert_true(forward || backward);
            assert_int_equal(forward ? edge.head : edge.tail, hull->corner_vertices[next]);
            const rblVec3 p = rbl_hull_vertex(hull, hull->corner_vertices[c]);
            const float off = rbl_dot3(rbl_hull_normal(hull, f), p) - rbl_hull_offset(hull, f);
            check_close(off, 0.0, 4.0 * RBL_HULL_FLATNESS * size + 1e-6 * (double)rbl_length3(p));
        }
    }
    assert_int_equal(hull->vertex_count + hull->face_count, hull->edge_count + 2);
    rblMeshReport report;
    rblMeshId surface;
    check_ok(rbl_shape_surface(&view, &surface));
    check_ok(rbl_mesh_inspect(surface, NULL, &report));
    assert_true(report.closed && report.manifold && report.oriented && report.outward);
    assert_int_equal(report.genus, 0);
}

// Volume by brute force: every triangle of points that has all others on one side, for points in general position.
static double brute_volume(const rblVec3* points, uint32_t count)
{
    double six = 0.0;
    const rblVec3d origin = rbl_to_double3(points[0]);
    for (uint32_t a = 0; a < count; ++a)
    {
        for (uint32_t b = a + 1; b < count; ++b)
        {
            for (uint32_t c = b + 1; c < count; ++c)
            {
                const rblVec3d p[3] = {rbl_to_double3(points[a]), rbl_to_double3(points[b]),
                                       rbl_to_double3(points[c])};
                int sides = 0;
                for (uint32_t i = 0; i < count; ++i)
                {
                    const double side = rbl_orient3d(p[0], p[1], p[2], rbl_to_double3(points[i]));
                    sides |= side > 0.0 ? 1 : (side < 0.0 ? 2 : 0);
                }
                if (sides == 1 || sides == 2)
                {
                    const rblVec3d e[3] = {rbl_sub3d(p[0], origin), rbl_sub3d(p[1], origin),
                                           rbl_sub3d(p[2], origin)};
                    six += fabs(rbl_dot3d(e[0], rbl_cross3d(e[1], e[2])));
                }
            }
        }
    }
    return six / 6.0;
}

static void hulls_of_random_points_are_right(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 1);
    for (int round = 0; round < 60; ++round)
    {
        rblVec3 points[40];
        const uint32_t count = 4 + rbl_random_below(&random, 37);
        const rblVec3 offset = random_in_cube(&random, round % 2 == 0 ? 0.0f : 3.0f);
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i] = rbl_add3(random_in_cube(&random, 1.0f), offset);
        }
        rblShapeId id;
        check_ok(rbl_shape_create_hull(points, count, &id));
        check_hull(id, points, count);
        rblShapeView view;
        check_ok(rbl_shape_view(id, &view));
        check_relative(view.mass.volume, brute_volume(points, count), 1e-4);
        check_ok(rbl_shape_destroy(id));
    }
}

static void a_grid_makes_a_cube_of_six_faces(void** state)
{
    (void)state;
    rblVec3 points[7 * 7 * 7 * 2];
    uint32_t count = 0;
    for (int copy = 0; copy < 2; ++copy) // every point twice
    {
        for (int i = 0; i < 343; ++i)
        {
            points[count++] =
                (rblVec3){(float)(i % 7) * 0.1f, (float)(i / 7 % 7) * 0.1f, (float)(i / 49) * 0.1f};
        }
    }
    rblShapeId id;
    check_ok(rbl_shape_create_hull(points, count, &id));
    check_hull(id, points, count);
    rblShapeView view;
    check_ok(rbl_shape_view(id, &view));
    const rblHull* hull = view.shape->core.hull;
    assert_int_equal(hull->vertex_count, 8);
    assert_int_equal(hull->face_count, 6);
    assert_int_equal(hull->edge_count, 12);
    check_relative(view.mass.volume, 0.6 * 0.6 * 0.6, 1e-6);
    check_ok(rbl_shape_destroy(id));
}

static void turned_boxes_merge_their_faces(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 3);
    for (int round = 0; round < 100; ++round)
    {
        const rblQuat q = random_rotation(&random);
        rblVec3 points[8];
        for (int i = 0; i < 8; ++i)
        {
            points[i] =
                rbl_rotate3(q, (rblVec3){i & 1 ? 1.0f : -1.0f, i & 2 ? 0.2f : -0.2f, i & 4 ? 2.0f : -2.0f});
        }
        rblShapeId id;
        check_ok(rbl_shape_create_hull(points, 8, &id));
        check_hull(id, points, 8);
        rblShapeView view;
        check_ok(rbl_shape_view(id, &view));
        assert_int_equal(view.shape->core.hull->face_count, 6);
        check_relative(view.mass.volume, 3.2, 1e-6);
        check_ok(rbl_shape_destroy(id));
    }
}

static void points_on_few_places_still_make_hulls(void** state)
{
    // Coordinates from a small set: many points coincide, lie in lines and planes.
    (void)state;
    rblRandom random = rbl_random_seed(4, 5);
    int made = 0;
    for (int round = 0; round < 300; ++round)
    {
        rblVec3 points[30];
        const uint32_t count = 4 + rbl_random_below(&random, 27);
        for (uint32_t i = 0; i < count; ++i)
        {
            points[i].x = (float)rbl_random_below(&random, 3) * 0.3f;
            points[i].y = (float)rbl_random_below(&random, 4) * 0.7f;
            points[i].z = (float)rbl_random_below(&random, 3) * 1.1f;
        }
        rblShapeId id;
        const rblResult result = rbl_shape_create_hull(points, count, &id);
        if (result == RBL_OK)
        {
            ++made;
            check_hull(id, points, count);
            check_ok(rbl_shape_destroy(id));
        }
        else
        {
            assert_int_equal(result, RBL_ERROR_GEOMETRY);
        }
    }
    assert_true(made > 200);
}

static void many_points_on_a_sphere_reach_the_limit(void** state)
{
    (void)state;
    static rblVec3 points[1000];
    rblRandom random = rbl_random_seed(6, 7);
    for (int i = 0; i < 1000; ++i)
    {
        points[i] = random_direction(&random);
    }
    rblShapeId id;
    check_fails(RBL_ERROR_LIMIT, rbl_shape_create_hull(points, 1000, &id));
    check_ok(rbl_shape_create_hull(points, RBL_HULL_MAX_VERTICES, &id));
    check_hull(id, points, RBL_HULL_MAX_VERTICES);
    check_ok(rbl_shape_destroy(id));
}

static void points_that_make_no_solid_are_refused(void** state)
{
    (void)state;
    rblShapeId id = {9, 9};
    const rblVec3 flat[5] = {{0, 0, 0}, {1, 0, 1}, {0, 1, 1}, {1, 1, 2}, {0.5f, 0.5f, 1}};
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_hull(flat, 5, &id));
    const rblVec3 line[4] = {{0, 0, 0}, {1, 1, 1}, {2, 2, 2}, {3, 3, 3}};
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_hull(line, 4, &id));
    const rblVec3 same[4] = {{1, 1, 1}, {1, 1, 1}, {1, 1, 1}, {1, 1, 1}};
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_hull(same, 4, &id));
    const rblVec3 sheet[4] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0.3f, 1e-6f, 0.3f}};
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_hull(sheet, 4, &id));
    const rblVec3 broken[4] = {{0, 0, 0}, {1, 0, 0}, {0, NAN, 1}, {0, 1, 0}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_hull(broken, 4, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_hull(flat, 3, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_hull(NULL, 5, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_hull(flat, 5, NULL));
    assert_int_equal(id.index1, 9);
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

// A fragment: some of its corners are nearly in one place, with edges between them that lead anywhere.
static const rblVec3 fragment[] = {
    {0.141421363f, 0.118001089f, 0.141421363f},     {0.141421363f, 0.129025787f, 0.141421363f},
    {0.126657993f, 0.0971699804f, 0.15436849f},     {0.142339215f, 0.131313458f, 0.14037475f},
    {0.142339215f, 0.131313458f, 0.140374735f},     {0.146569848f, 0.125873089f, 0.135550633f},
    {0.146569848f, 0.125873104f, 0.135550633f},     {0.0768760666f, 0.0471734889f, 0.152846187f},
    {0.0768760592f, 0.0471734963f, 0.152846172f},   {0.0134124178f, 0.164996684f, 0.00805047061f},
    {0.0134124123f, 0.164996684f, 0.00805045571f},  {0.0134124216f, 0.164996684f, 0.00805047806f},
    {0.0792612135f, 0.132782683f, -0.0327781737f},  {0.0792612135f, 0.132782668f, -0.0327781662f},
    {0.0721928701f, 0.12869665f, -0.0397175997f},   {0.0792612135f, 0.132782683f, -0.03277817f},
    {0.0721928552f, 0.128696665f, -0.0397176109f},  {0.0768760741f, 0.0471734852f, 0.152846187f},
    {0.00957885478f, 0.17585434f, -0.00554266712f}, {0.00928268023f, 0.175420836f, -0.00825723726f},
    {0.00957885664f, 0.17585434f, -0.00554265641f}, {0.0134123983f, 0.164996728f, 0.00805041287f},
    {0.0134124048f, 0.164996698f, 0.00805043243f},  {0.0281275716f, 0.190310165f, 0.000211385224f},
    {0.0281275772f, 0.19031015f, 0.000211408216f},  {0.0792612135f, 0.132782683f, -0.0327781625f},
    {0.0154563542f, 0.17678839f, -0.0262108818f},   {0.0154563617f, 0.17678839f, -0.0262108855f},
    {0.00999514014f, 0.179565087f, -0.020284662f},  {0.0269770138f, 0.190578654f, -0.0022032538f},
    {0.0291328151f, 0.185348764f, -0.0122239487f},  {0.0161315948f, 0.179703936f, -0.00128959015f},
    {0.0291328114f, 0.185348764f, -0.012223958f},   {0.0145410923f, 0.185777009f, -0.0189661831f},
    {0.0119552808f, 0.185003281f, -0.0176919997f},  {0.0136148538f, 0.186595991f, -0.0177057963f},
};

static void corners_in_nearly_one_place_do_no_harm(void** state)
{
    (void)state;
    rblShapeId id;
    rblShapeView view;
    check_ok(rbl_shape_create_hull(fragment, sizeof fragment / sizeof *fragment, &id));
    check_ok(rbl_shape_view(id, &view));
    check_ok(rbl_shape_samples(&view, &view.samples, &view.sample_count));
    for (uint32_t i = 0; i < view.sample_count; ++i)
    {
        check_close(rbl_shape_distance(view.shape, view.samples[i], NULL), 0.0, 3e-6);
    }
    check_ok(rbl_shape_destroy(id));
}

// ---- samples ----

static rblShapeId random_stone(void)
{
    rblVec3 points[16];
    rblRandom random = rbl_random_seed(31, 7);
    for (int i = 0; i < 16; ++i)
    {
        points[i] = rbl_scale3(random_direction(&random), 0.1f);
    }
    rblShapeId id;
    check_ok(rbl_shape_create_hull(points, 16, &id));
    return id;
}

typedef struct Askers
{
    rblShapeView view;
    const rblVec3* points[512];
    uint32_t counts[512];
    rblResult results[512];
} Askers;

static void ask(rblRange range, void* context)
{
    Askers* askers = context;
    for (uint32_t i = range.begin; i < range.end; ++i)
    {
        askers->results[i] = rbl_shape_samples(&askers->view, &askers->points[i], &askers->counts[i]);
    }
}

static void samples_are_made_once_whoever_asks_first(void** state)
{
    (void)state;
    const rblTasks tasks = tasks_of(4);
    rblJobs* jobs = NULL;
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    for (int round = 0; round < 20; ++round)
    {
        const rblShapeId id = random_stone();
        static Askers askers;
        check_ok(rbl_shape_view(id, &askers.view));
        assert_null(askers.view.samples);
        assert_true(askers.view.bytes < 2500);
        rbl_parallel_for(jobs, 512, 1, ask, &askers);
        for (int i = 0; i < 512; ++i)
        {
            check_ok(askers.results[i]);
            assert_ptr_equal(askers.points[i], askers.points[0]);
            assert_int_equal(askers.counts[i], askers.counts[0]);
        }
        assert_true(askers.counts[0] > 50);
        check_ok(rbl_shape_destroy(id));
    }
    rbl_jobs_destroy(jobs);
}

// A hull among hulls never has any; the samples of a compound are made of those of its children.
static void hulls_need_no_samples_among_themselves(void** state)
{
    (void)state;
    const rblShapeId ids[2] = {random_stone(), random_stone()};
    rblShapeId both;
    const rblShapeChild children[2] = {{ids[0], {{0, 0, 0}, {0, 0, 0, 1}}},
                                       {ids[0], {{0.3f, 0, 0}, {0, 0, 0, 1}}}};
    rblShapeView stones[2];
    const rblTransform near = {{0, 0.15f, 0}, {0, 0, 0, 1}};
    const rblCollideOptions options = rbl_default_collide_options();
    rblContactSet set = {0};
    for (int i = 0; i < 2; ++i)
    {
        check_ok(rbl_shape_view(ids[i], &stones[i]));
    }
    check_ok(rbl_shape_collide(&stones[0], &stones[1], near, &options, NULL, &set));
    assert_true(set.count > 0);
    assert_null(atomic_load(&stones[1].shape->self->samples));
    check_ok(rbl_shape_create_compound(children, 2, &both));
    assert_null(atomic_load(&stones[0].shape->self->samples));
    const rblVec3* points;
    uint32_t count;
    rblShapeView whole;
    check_ok(rbl_shape_view(both, &whole));
    check_ok(rbl_shape_samples(&whole, &points, &count));
    assert_non_null(atomic_load(&stones[0].shape->self->samples));
    assert_null(atomic_load(&stones[1].shape->self->samples));
    check_ok(rbl_shape_destroy(both));
    check_ok(rbl_shape_destroy(ids[0]));
    check_ok(rbl_shape_destroy(ids[1]));
    rbl_contact_set_free(&set);
}

static void samples_without_memory_are_an_error_and_made_later(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, 1000000);
    check_ok(rbl_set_allocator(&memory.allocator));
    const rblShapeId id = random_stone();
    rblShapeView view;
    check_ok(rbl_shape_view(id, &view));
    for (size_t granted = 0;; ++granted)
    {
        assert_true(granted < 200);
        memory.left = granted;
        const rblVec3* points = NULL;
        uint32_t count = 77;
        if (rbl_shape_samples(&view, &points, &count) == RBL_OK)
        {
            assert_true(granted > 0 && count > 50);
            break;
        }
        assert_null(points);
        assert_int_equal(count, 77);
    }
    memory.left = 1000000;
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_set_allocator(NULL));
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hulls_of_random_points_are_right),
        cmocka_unit_test(a_grid_makes_a_cube_of_six_faces),
        cmocka_unit_test(turned_boxes_merge_their_faces),
        cmocka_unit_test(points_on_few_places_still_make_hulls),
        cmocka_unit_test(many_points_on_a_sphere_reach_the_limit),
        cmocka_unit_test(points_that_make_no_solid_are_refused),
        cmocka_unit_test(corners_in_nearly_one_place_do_no_harm),
        cmocka_unit_test(samples_are_made_once_whoever_asks_first),
        cmocka_unit_test(hulls_need_no_samples_among_themselves),
        cmocka_unit_test(samples_without_memory_are_an_error_and_made_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
