// The public hierarchy: what it answers over several spans, and what it refuses.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "triangle_soups.h"
#include <pthread.h>
#include <string.h>

// A cube from `low` to `high`, outward.
static const uint32_t cube_indices[36] = {0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4,
                                          2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5};

static rblTriangleSpan cube(double* corners, double low, double high, double shift)
{
    for (int i = 0; i < 8; ++i)
    {
        corners[3 * i] = ((i & 1) != 0 ? high : low) + shift;
        corners[3 * i + 1] = (i & 2) != 0 ? high : low;
        corners[3 * i + 2] = (i & 4) != 0 ? high : low;
    }
    return (rblTriangleSpan){.positions = corners,
                             .stride = 3 * sizeof(double),
                             .is_double = true,
                             .vertex_count = 8,
                             .indices = cube_indices,
                             .triangle_count = 12};
}

typedef struct Scene
{
    double corners[3][24];
    rblTriangleSpan spans[4];
    rblBvhId bvh;
} Scene;

// Cubes [0, 1] and [2, 3] along x, one that overlaps the second, and an empty span.
static void make_scene(Scene* scene)
{
    scene->spans[0] = cube(scene->corners[0], 0, 1, 0);
    scene->spans[1] = cube(scene->corners[1], 0, 1, 2);
    scene->spans[2] = (rblTriangleSpan){.triangle_count = 0};
    scene->spans[3] = cube(scene->corners[2], 0.25, 1.25, 2.25);
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = scene->spans;
    def.span_count = 4;
    def.winding = true;
    check_ok(rbl_bvh_create(&def, &scene->bvh));
}

static void queries_go_over_all_spans(void** state)
{
    (void)state;
    Scene scene;
    make_scene(&scene);
    const rblRay rays[3] = {{{-1, 0.3f, 0.4f}, {1, 0, 0}, 0, 100},
                            {{1.5f, 0.3f, 0.4f}, {1, 0, 0}, 0, 100},
                            {{-1, 5, 0.4f}, {1, 0, 0}, 0, 100}};
    rblRayHit hits[3];
    bool any[3];
    check_ok(rbl_bvh_ray_closest(scene.bvh, rays, 3, hits));
    check_ok(rbl_bvh_ray_any(scene.bvh, rays, 3, any));
    assert_int_equal(hits[0].span, 0);
    check_close(hits[0].t, 1, 1e-6);
    assert_int_equal(hits[1].span, 1);
    check_close(hits[1].t, 0.5, 1e-6);
    assert_int_equal(hits[2].triangle, UINT32_MAX);
    assert_int_equal(hits[2].span, UINT32_MAX);
    assert_true(any[0] && any[1] && !any[2]);

    const rblVec3 points[5] = {
        {0.5f, 0.5f, 0.9f}, {1.9f, 0.5f, 0.5f}, {2.7f, 0.7f, 0.7f}, {1.5f, 0.5f, 0.5f}, {3.4f, 1.2f, 1.2f}};
    static const uint32_t spans[5] = {0, 1, 1, 0, 3};
    static const double numbers[5] = {1, 0, 2, 0, 1};
    static const double distances[5] = {-0.1, 0.1, -0.2, 0.5, -0.05};
    rblClosestPoint closest[5];
    float winding[5], distance[5], closed[5];
    check_ok(rbl_bvh_closest(scene.bvh, points, 5, INFINITY, closest));
    check_ok(rbl_bvh_winding_number(scene.bvh, points, 5, winding));
    check_ok(rbl_bvh_signed_distance(scene.bvh, points, 5, INFINITY, RBL_SIGN_WINDING, distance));
    check_ok(rbl_bvh_signed_distance(scene.bvh, points, 5, 0.15f, RBL_SIGN_CLOSED, closed));
    for (int i = 0; i < 5; ++i)
    {
        check_close(closest[i].distance, fabs(distances[i]), 1e-6);
        assert_int_equal(closest[i].span, i == 2 ? closest[i].span : spans[i]);
        check_close(winding[i], numbers[i], 0.05);
        check_close(distance[i], distances[i], 1e-6);
        check_close(closed[i], fmax(-0.15, fmin(0.15, distances[i])), 1e-6);
    }
    check_ok(rbl_bvh_destroy(scene.bvh));
    assert_int_equal(rbl_bvh_alive_count(), 0);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static bool count_triangle(uint32_t span, uint32_t triangle, void* context)
{
    uint32_t* counts = context;
    assert_true(span < 4 && triangle < 12);
    counts[span] += 1;
    return counts[span] < 8;
}

static bool count_pair(const rblBvhPair* pair, void* context)
{
    uint32_t* count = context;
    assert_true(pair->span_a == 1 && pair->span_b == 3);
    for (int i = 0; i < 2; ++i) // on both cubes
    {
        assert_true(pair->ends[i].x >= 2.5 - 1e-9 && pair->ends[i].x <= 3 + 1e-9);
    }
    *count += 1;
    return true;
}

// Every ray and point alone, without workers and without the hint of a neighbour, gets the same answer.
static void many_queries_give_what_each_gives(void** state)
{
    (void)state;
    enum
    {
        QUERIES = 2000
    };
    rblRandom random = rbl_random_seed(9, 0);
    const rblTriangleSpan span = make_soup(&random, SOUP_COARSE, 300);
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = &span;
    def.span_count = 1;
    rblBvhId bvh;
    check_ok(rbl_bvh_create(&def, &bvh));
    static rblRay rays[QUERIES];
    static rblVec3 points[QUERIES];
    static rblRayHit hits[QUERIES];
    static rblClosestPoint closest[QUERIES];
    static bool any[QUERIES];
    for (int i = 0; i < QUERIES; ++i)
    {
        points[i] = soup_point(&random, SOUP_COARSE, -0.5, 1.5);
        const rblVec3 to = soup_point(&random, SOUP_COARSE, -0.5, 1.5);
        rays[i] = (rblRay){points[i], {to.x - points[i].x, to.y - points[i].y, to.z - points[i].z}, 0, 1};
    }
    points[17].y = NAN;
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_set_tasks(&tasks));
    check_ok(rbl_bvh_ray_closest(bvh, rays, QUERIES, hits));
    check_ok(rbl_bvh_ray_any(bvh, rays, QUERIES, any));
    check_ok(rbl_bvh_closest(bvh, points, QUERIES, 0.1f, closest));
    check_ok(rbl_set_tasks(NULL));
    for (int i = 0; i < QUERIES; ++i)
    {
        rblRayHit hit;
        rblClosestPoint near;
        check_ok(rbl_bvh_ray_closest(bvh, &rays[i], 1, &hit));
        check_ok(rbl_bvh_closest(bvh, &points[i], 1, 0.1f, &near));
        assert_true(any[i] == (hit.triangle != UINT32_MAX));
        assert_true(hits[i].t == hit.t && hits[i].triangle == hit.triangle);
        assert_true(closest[i].triangle == near.triangle && closest[i].distance == near.distance);
    }
    check_ok(rbl_bvh_destroy(bvh));
    free_soup(&span);
}

static void regions_and_pairs_go_over_all_spans(void** state)
{
    (void)state;
    Scene scene;
    make_scene(&scene);
    uint32_t counts[4] = {0};
    const rblAabb box = {{0.9f, 0.1f, 0.1f}, {2.1f, 0.2f, 0.2f}};
    check_ok(rbl_bvh_overlap_box(scene.bvh, box, count_triangle, counts));
    assert_true(counts[0] >= 1 && counts[0] <= 2 && counts[1] >= 1 && counts[1] <= 2 && counts[3] == 0);
    memset(counts, 0, sizeof counts);
    check_ok(rbl_bvh_overlap_sphere(scene.bvh, (rblVec3){1.5f, 0.5f, 0.5f}, 100, count_triangle, counts));
    assert_int_equal(counts[0], 8); // ended by the visitor
    assert_int_equal(counts[1], 0);
    uint32_t pairs = 0;
    check_ok(rbl_bvh_overlap_pairs(scene.bvh, scene.spans, 4, true, count_pair, &pairs));
    assert_true(pairs > 0);
    check_ok(rbl_bvh_destroy(scene.bvh));
}

static void grids_are_the_same_as_lists_of_points(void** state)
{
    (void)state;
    enum
    {
        SIDE = 9
    };
    for (int spans = 1; spans <= 2; ++spans)
    {
        double corners[2][24];
        const rblTriangleSpan both[2] = {cube(corners[0], 0, 1, 0), cube(corners[1], 0, 1, 3)};
        rblBvhDef def = rbl_default_bvh_def();
        def.spans = both;
        def.span_count = (uint32_t)spans;
        def.winding = true;
        rblBvhId bvh;
        check_ok(rbl_bvh_create(&def, &bvh));
        const rblPointGrid grid = {{-0.55f, -0.55f, -0.55f}, 0.25f, {SIDE, SIDE, SIDE}};
        rblVec3 points[SIDE * SIDE * SIDE];
        float list[SIDE * SIDE * SIDE], rows[SIDE * SIDE * SIDE];
        for (int i = 0; i < SIDE * SIDE * SIDE; ++i)
        {
            points[i] =
                (rblVec3){-0.55f + 0.25f * (float)(i % SIDE), -0.55f + 0.25f * (float)(i / SIDE % SIDE),
                          -0.55f + 0.25f * (float)(i / SIDE / SIDE)};
        }
        check_ok(rbl_bvh_signed_distance(bvh, points, SIDE * SIDE * SIDE, 0.4f, RBL_SIGN_WINDING, list));
        check_ok(rbl_bvh_signed_distance_grid(bvh, &grid, 0.4f, RBL_SIGN_CLOSED, rows));
        assert_memory_equal(list, rows, sizeof rows);
        check_ok(rbl_bvh_destroy(bvh));
    }
}

// A closed surface may come in any number of spans: faces and winding numbers agree on it.
static void closed_surfaces_in_several_spans_have_the_sign_of_their_faces(void** state)
{
    (void)state;
    double corners[2][24];
    rblTriangleSpan spans[3] = {cube(corners[0], 0, 1, 0), cube(corners[0], 0, 1, 0),
                                cube(corners[1], 0, 1, 3)};
    spans[0].triangle_count = 5; // the first cube in two spans
    spans[1].triangle_count = 7;
    spans[1].indices = cube_indices + 15;
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = spans;
    def.span_count = 3;
    def.winding = true;
    rblBvhId bvh;
    check_ok(rbl_bvh_create(&def, &bvh));
    enum
    {
        COUNT = 2000
    };
    rblRandom random = rbl_random_seed(5, 0);
    static rblVec3 points[COUNT];
    static float by_winding[COUNT], by_faces[COUNT];
    for (int i = 0; i < COUNT; ++i)
    {
        points[i] =
            (rblVec3){(float)rbl_random_range(&random, -1, 5), (float)rbl_random_range(&random, -1, 2),
                      (float)rbl_random_range(&random, -1, 2)};
    }
    check_ok(rbl_bvh_signed_distance(bvh, points, COUNT, INFINITY, RBL_SIGN_WINDING, by_winding));
    check_ok(rbl_bvh_signed_distance(bvh, points, COUNT, INFINITY, RBL_SIGN_CLOSED, by_faces));
    assert_memory_equal(by_winding, by_faces, sizeof by_faces);
    // One side of a cube alone winds by less than a half: only the face itself says "behind".
    def.span_count = 2;
    spans[0].triangle_count = 1;
    spans[1].triangle_count = 0;
    check_ok(rbl_bvh_rebuild(bvh, &def));
    const rblVec3 behind = {0.3f, 0.3f, 0.2f};
    check_ok(rbl_bvh_signed_distance(bvh, &behind, 1, INFINITY, RBL_SIGN_WINDING, by_winding));
    check_ok(rbl_bvh_signed_distance(bvh, &behind, 1, INFINITY, RBL_SIGN_CLOSED, by_faces));
    check_close(by_winding[0], 0.2, 1e-6);
    check_close(by_faces[0], -0.2, 1e-6);
    check_ok(rbl_bvh_destroy(bvh));
}

// All triangles in one span, or each in a span of its own: the same answers, though most spans are never looked into.
static void a_span_for_each_triangle_changes_no_answer(void** state)
{
    (void)state;
    enum
    {
        TRIANGLES = 60,
        QUERIES = 200
    };
    rblRandom random = rbl_random_seed(17, 0);
    for (uint32_t round = 0; round < 20; ++round)
    {
        const rblTriangleSpan soup = make_soup(&random, (SoupKind)(round % SOUP_KINDS), TRIANGLES);
        rblTriangleSpan each[TRIANGLES];
        for (uint32_t t = 0; t < TRIANGLES; ++t)
        {
            each[t] = soup;
            each[t].positions = (const float*)soup.positions + 9 * (size_t)t;
            each[t].vertex_count = 3;
            each[t].triangle_count = 1;
        }
        rblBvhDef def = rbl_default_bvh_def();
        def.spans = &soup;
        def.span_count = 1;
        rblBvhId one, many;
        check_ok(rbl_bvh_create(&def, &one));
        def.spans = each;
        def.span_count = TRIANGLES;
        check_ok(rbl_bvh_create(&def, &many));
        rblRay rays[QUERIES];
        rblVec3 points[QUERIES];
        for (uint32_t i = 0; i < QUERIES; ++i)
        {
            const rblVec3 to = soup_point(&random, (SoupKind)(round % SOUP_KINDS), 0, 1);
            points[i] = soup_point(&random, (SoupKind)(round % SOUP_KINDS), -0.5, 1.5);
            rays[i] = (rblRay){points[i], rbl_sub3(to, points[i]), 0.0f, INFINITY};
            (&rays[i].direction.x)[i % 3] *= i % 5 == 0 ? 0.0f : 1.0f;
        }
        rblRayHit hits[2][QUERIES];
        bool any[QUERIES];
        rblClosestPoint closest[2][QUERIES];
        check_ok(rbl_bvh_ray_closest(one, rays, QUERIES, hits[0]));
        check_ok(rbl_bvh_ray_closest(many, rays, QUERIES, hits[1]));
        check_ok(rbl_bvh_ray_any(many, rays, QUERIES, any));
        check_ok(rbl_bvh_closest(one, points, QUERIES, INFINITY, closest[0]));
        check_ok(rbl_bvh_closest(many, points, QUERIES, INFINITY, closest[1]));
        for (uint32_t i = 0; i < QUERIES; ++i)
        {
            assert_int_equal(hits[0][i].triangle, hits[1][i].span);
            assert_true(hits[0][i].t == hits[1][i].t);
            assert_true(any[i] == (hits[0][i].span == 0));
            assert_true(closest[0][i].distance == closest[1][i].distance);
        }
        check_ok(rbl_bvh_destroy(one));
        check_ok(rbl_bvh_destroy(many));
        free_soup(&soup);
    }
}

static void rebuilds_and_refits_follow_the_positions(void** state)
{
    (void)state;
    Scene scene;
    make_scene(&scene);
    rblBvhStats stats;
    check_ok(rbl_bvh_stats(scene.bvh, &stats));
    assert_int_equal(stats.triangle_count, 36);
    assert_int_equal(stats.span_count, 4);
    assert_int_equal(stats.level_count, 5);
    assert_true(stats.bytes > 36 * 80 && stats.sah > 0);
    scene.spans[0] = cube(scene.corners[0], 0, 1, -10);
    check_ok(rbl_bvh_refit(scene.bvh, scene.spans, 4));
    const rblVec3 inside = {-9.5f, 0.5f, 0.5f};
    float number;
    check_ok(rbl_bvh_winding_number(scene.bvh, &inside, 1, &number));
    check_close(number, 1, 0.05);
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_refit(scene.bvh, scene.spans, 3));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_refit(scene.bvh, NULL, 4));
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = &scene.spans[1];
    def.span_count = 1;
    def.quality = RBL_BVH_FAST;
    check_ok(rbl_bvh_rebuild(scene.bvh, &def));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_winding_number(scene.bvh, &inside, 1, &number));
    check_ok(rbl_bvh_stats(scene.bvh, &stats));
    assert_int_equal(stats.triangle_count, 12);
    // A failed rebuild leaves a hierarchy over nothing.
    scene.corners[1][4] = (double)NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_rebuild(scene.bvh, &def));
    rblClosestPoint closest;
    check_ok(rbl_bvh_closest(scene.bvh, &inside, 1, INFINITY, &closest));
    assert_int_equal(closest.triangle, UINT32_MAX);
    check_ok(rbl_bvh_destroy(scene.bvh));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void an_empty_hierarchy_answers_nothing(void** state)
{
    (void)state;
    rblBvhDef def = rbl_default_bvh_def();
    def.winding = true;
    rblBvhId bvh;
    check_ok(rbl_bvh_create(&def, &bvh));
    const rblRay ray = {{0, 0, 0}, {1, 0, 0}, 0, 1};
    const rblVec3 point = {0, 0, 0};
    rblRayHit hit;
    bool any;
    float number, distance;
    uint32_t counts[4] = {0};
    check_ok(rbl_bvh_ray_closest(bvh, &ray, 1, &hit));
    assert_int_equal(hit.triangle, UINT32_MAX);
    check_ok(rbl_bvh_ray_any(bvh, &ray, 1, &any));
    assert_false(any);
    check_ok(rbl_bvh_winding_number(bvh, &point, 1, &number));
    assert_true(number == 0.0f);
    check_ok(rbl_bvh_signed_distance(bvh, &point, 1, 2.0f, RBL_SIGN_WINDING, &distance));
    assert_true(distance == 2.0f);
    check_ok(rbl_bvh_overlap_sphere(bvh, point, 1, count_triangle, counts));
    check_ok(rbl_bvh_overlap_pairs(bvh, NULL, 0, true, count_pair, counts));
    assert_int_equal(counts[0], 0);
    check_ok(rbl_bvh_ray_closest(bvh, NULL, 0, NULL));
    check_ok(rbl_bvh_destroy(bvh));
}

static void misuse_is_refused(void** state)
{
    (void)state;
    Scene scene;
    make_scene(&scene);
    const rblBvhId null_id = {0};
    rblBvhId id = {77, 77};
    rblBvhDef def = rbl_default_bvh_def();
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_create(NULL, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_create(&def, NULL));
    const rblBvhDef zero = {0};
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_create(&zero, &id));
    def.span_count = 3;
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_create(&def, &id));
    def.spans = scene.spans;
    def.quality = (rblBvhQuality)9;
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_create(&def, &id));
    def.quality = RBL_BVH_FAST;
    scene.spans[1].stride = 20;
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_create(&def, &id));
    assert_true(strstr(rbl_last_error(), "span 1") != NULL);
    assert_int_equal(id.index1, 77);
    const rblVec3 point = {0, 0, 0};
    const rblRay ray = {{0, 0, 0}, {1, 0, 0}, 0, 1};
    rblRayHit hit;
    float number = 7;
    rblBvhStats stats;
    const rblAabb box = {{0, 0, 0}, {1, 1, 1}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_ray_closest(scene.bvh, &ray, 1, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_ray_any(scene.bvh, NULL, 1, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_closest(scene.bvh, NULL, 1, 1, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_stats(scene.bvh, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_overlap_box(scene.bvh, box, NULL, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_overlap_pairs(scene.bvh, scene.spans, 4, true, NULL, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_overlap_pairs(scene.bvh, scene.spans, 2, true, count_pair, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_overlap_pairs(scene.bvh, NULL, 4, true, count_pair, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_bvh_overlap_pairs(scene.bvh, scene.spans, 4, true, count_pair, NULL));
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_bvh_signed_distance(scene.bvh, &point, 1, -1, RBL_SIGN_WINDING, &number));
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_bvh_signed_distance(scene.bvh, &point, 1, 1, (rblSignMode)5, &number));
    rblPointGrid grid = {{0, 0, 0}, 0, {1, 1, 1}};
    check_fails(RBL_ERROR_ARGUMENT,
                rbl_bvh_signed_distance_grid(scene.bvh, &grid, 1, RBL_SIGN_WINDING, &number));
    grid = (rblPointGrid){{0, 0, 0}, 1, {70000, 70000, 2}};
    check_fails(RBL_ERROR_LIMIT,
                rbl_bvh_signed_distance_grid(scene.bvh, &grid, 1, RBL_SIGN_WINDING, &number));
    assert_true(number == 7.0f);
    check_fails(RBL_ERROR_STALE, rbl_bvh_destroy(null_id));
    check_ok(rbl_bvh_destroy(scene.bvh));
    check_fails(RBL_ERROR_STALE, rbl_bvh_destroy(scene.bvh));
    check_fails(RBL_ERROR_STALE, rbl_bvh_ray_closest(scene.bvh, &ray, 1, &hit));
    check_fails(RBL_ERROR_STALE, rbl_bvh_winding_number(scene.bvh, &point, 1, &number));
    check_fails(RBL_ERROR_STALE, rbl_bvh_stats(scene.bvh, &stats));
    check_fails(RBL_ERROR_STALE, rbl_bvh_overlap_sphere(scene.bvh, point, 1, count_triangle, NULL));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static bool destroy_within(uint32_t span, uint32_t triangle, void* context)
{
    (void)span;
    (void)triangle;
    Scene* scene = context;
    rblBvhDef def = rbl_default_bvh_def();
    check_fails(RBL_ERROR_BUSY, rbl_bvh_rebuild(scene->bvh, &def));
    check_ok(rbl_bvh_destroy(scene->bvh)); // the search goes on over what it holds
    return false;
}

static void a_hierarchy_lives_until_its_last_query_ends(void** state)
{
    (void)state;
    Scene scene;
    make_scene(&scene);
    check_ok(rbl_bvh_overlap_sphere(scene.bvh, (rblVec3){0, 0, 0}, 9, destroy_within, &scene));
    assert_int_equal(rbl_bvh_alive_count(), 0);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void a_mesh_gives_its_triangles(void** state)
{
    (void)state;
    rblMeshId mesh;
    check_ok(rbl_mesh_make("box", NULL, 0, &mesh));
    rblMeshId triangles;
    rblMeshView view;
    check_ok(rbl_mesh_triangulate(mesh, &triangles));
    check_ok(rbl_mesh_view(triangles, &view));
    rblBvhId bvh = {0};
    check_ok(rbl_mesh_create_bvh(mesh, RBL_BVH_QUALITY, true, &bvh));
    rblBvhStats stats;
    check_ok(rbl_bvh_stats(bvh, &stats));
    assert_int_equal(stats.triangle_count, view.face_count);
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        rblVec3 middle = {0, 0, 0};
        for (uint32_t k = 0; k < 3; ++k)
        {
            const rblVec3d p = view.positions[view.corner_vertices[3 * f + k]];
            middle = (rblVec3){middle.x + (float)(p.x / 3), middle.y + (float)(p.y / 3),
                               middle.z + (float)(p.z / 3)};
        }
        rblClosestPoint closest;
        check_ok(rbl_bvh_closest(bvh, &middle, 1, INFINITY, &closest));
        assert_int_equal(closest.triangle, f);
    }
    check_ok(rbl_mesh_destroy(triangles));
    check_ok(rbl_mesh_destroy(mesh));
    check_fails(RBL_ERROR_STALE, rbl_mesh_create_bvh(mesh, RBL_BVH_QUALITY, true, &bvh));
    check_ok(rbl_bvh_destroy(bvh));
}

static void running_out_of_memory_leaks_nothing(void** state)
{
    (void)state;
    double corners[2][24];
    const rblTriangleSpan spans[2] = {cube(corners[0], 0, 1, 0), cube(corners[1], 0, 1, 3)};
    rblBvhDef def = rbl_default_bvh_def();
    def.spans = spans;
    def.span_count = 2;
    def.winding = true;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, granted);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblBvhId bvh = {0};
        result = rbl_bvh_create(&def, &bvh);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        if (result == RBL_OK)
        {
            check_ok(rbl_bvh_destroy(bvh));
        }
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
        assert_true(granted < 100);
    }
}

static void* ask_many_times(void* context)
{
    const rblBvhId bvh = *(const rblBvhId*)context;
    for (int i = 0; i < 300; ++i)
    {
        const rblVec3 point = {0.5f, 0.5f, 0.9f};
        rblClosestPoint closest = {.distance = -1};
        const rblResult result = rbl_bvh_closest(bvh, &point, 1, INFINITY, &closest);
        if (result != RBL_OK ? result != RBL_ERROR_BUSY && result != RBL_ERROR_STALE : closest.span > 3)
        {
            return context;
        }
    }
    return NULL;
}

static void threads_may_ask_while_another_refits_and_destroys(void** state)
{
    (void)state;
    Scene scene;
    make_scene(&scene);
    pthread_t threads[3];
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(pthread_create(&threads[i], NULL, ask_many_times, &scene.bvh), 0);
    }
    for (int i = 0; i < 50; ++i)
    {
        const rblResult result = rbl_bvh_refit(scene.bvh, scene.spans, 4);
        assert_true(result == RBL_OK || result == RBL_ERROR_BUSY);
    }
    check_ok(rbl_bvh_destroy(scene.bvh));
    for (int i = 0; i < 3; ++i)
    {
        void* failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_int_equal(rbl_bytes_in_use(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_go_over_all_spans),
        cmocka_unit_test(many_queries_give_what_each_gives),
        cmocka_unit_test(regions_and_pairs_go_over_all_spans),
        cmocka_unit_test(grids_are_the_same_as_lists_of_points),
        cmocka_unit_test(closed_surfaces_in_several_spans_have_the_sign_of_their_faces),
        cmocka_unit_test(a_span_for_each_triangle_changes_no_answer),
        cmocka_unit_test(rebuilds_and_refits_follow_the_positions),
        cmocka_unit_test(an_empty_hierarchy_answers_nothing),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(a_hierarchy_lives_until_its_last_query_ends),
        cmocka_unit_test(a_mesh_gives_its_triangles),
        cmocka_unit_test(running_out_of_memory_leaks_nothing),
        cmocka_unit_test(threads_may_ask_while_another_refits_and_destroys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
