// Triangles for single holes: they tile, they avoid edges that exist, they are the best ones.
#include "testing.h"

#include "base/random.h"
#include "math/vec.h"
#include "mesh/repair/repair_fill.h"
#include <stdlib.h>

typedef struct Loop
{
    uint32_t count;
    uint32_t* vertices;
    rblVec3d* points;
    rblVec3d* across;
    rblHashMap edges;
    rblArena scratch;
    rblIndexArray triangles;
} Loop;

static Loop make_loop(uint32_t count)
{
    Loop loop = {.count = count,
                 .vertices = malloc(sizeof(uint32_t) * count),
                 .points = malloc(sizeof(rblVec3d) * count),
                 .across = malloc(sizeof(rblVec3d) * count)};
    rbl_hash_map_init(&loop.edges, rbl_default_allocator());
    rbl_arena_init(&loop.scratch, 4096, rbl_default_allocator());
    rbl_array_init(&loop.triangles, rbl_default_allocator());
    for (uint32_t i = 0; i < count; ++i)
    {
        loop.vertices[i] = 100 + i;
        loop.across[i] = (rblVec3d){0, 0, 1};
    }
    return loop;
}

static void free_loop(Loop* loop)
{
    free(loop->vertices);
    free(loop->points);
    free(loop->across);
    rbl_hash_map_free(&loop->edges);
    rbl_arena_free(&loop->scratch);
    rbl_array_free(&loop->triangles);
}

static void forbid(Loop* loop, uint32_t i, uint32_t k)
{
    bool added;
    assert_non_null(
        rbl_hash_map_get_or_add(&loop->edges, rbl_pair_key(loop->vertices[i], loop->vertices[k]), 0, &added));
}

static bool fill(Loop* loop)
{
    const rblHole hole = {loop->count, loop->vertices, loop->points, loop->across, &loop->edges};
    bool found;
    rbl_array_clear(&loop->triangles);
    for (uint32_t i = 0; i < loop->count; ++i)
    {
        forbid(loop, i, (i + 1) % loop->count);
    }
    check_ok(rbl_hole_triangulate(&hole, &loop->scratch, &loop->triangles, &found));
    return found;
}

static double doubled_area(const Loop* loop, const uint32_t* t)
{
    const rblVec3d u = rbl_sub3d(loop->points[t[1]], loop->points[t[0]]);
    const rblVec3d v = rbl_sub3d(loop->points[t[2]], loop->points[t[0]]);
    return rbl_cross3d(u, v).z;
}

// Every inner edge is used once each way, every edge of the loop once along it; no inner edge existed before.
static void check_topology(const Loop* loop)
{
    rblHashMap seen;
    rbl_hash_map_init(&seen, rbl_default_allocator());
    uint32_t inner = 0;
    assert_int_equal(loop->triangles.count, 3 * (loop->count - 2));
    for (uint32_t i = 0; i < loop->triangles.count; ++i)
    {
        const uint32_t a = loop->triangles.data[i];
        const uint32_t b = loop->triangles.data[i / 3 * 3 + (i + 1) % 3];
        bool added;
        assert_non_null(rbl_hash_map_get_or_add(&seen, (uint64_t)a << 32 | b, 0, &added));
        assert_true(added);
        if (b != (a + 1) % loop->count)
        {
            const uint64_t key = rbl_pair_key(loop->vertices[a], loop->vertices[b]);
            assert_int_equal(rbl_hash_map_find(&loop->edges, key), RBL_MAP_EMPTY);
            inner += 1;
        }
    }
    assert_int_equal(inner, 2 * (loop->count - 3));
    rbl_hash_map_free(&seen);
}

// A star in the plane: radii at random, so that most outlines are far from convex.
static void make_star(Loop* loop, rblRandom* random)
{
    for (uint32_t i = 0; i < loop->count; ++i)
    {
        const double angle = 2 * 3.14159265358979323846 * i / loop->count;
        const double radius = rbl_random_range(random, 0.3, 1);
        loop->points[i] = (rblVec3d){radius * cos(angle), radius * sin(angle), 0};
    }
}

static void flat_holes_are_tiled_without_overlap(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(1, 1);
    static const uint32_t counts[] = {3, 4, 5, 8, 13, 40, 120, 300};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i)
    {
        Loop loop = make_loop(counts[i]);
        make_star(&loop, &random);
        assert_true(fill(&loop));
        check_topology(&loop);
        double outline = 0;
        double sum = 0;
        for (uint32_t k = 0; k < loop.count; ++k)
        {
            const rblVec3d a = loop.points[k];
            const rblVec3d b = loop.points[(k + 1) % loop.count];
            outline += a.x * b.y - b.x * a.y;
        }
        for (uint32_t t = 0; t < loop.triangles.count; t += 3)
        {
            const double area = doubled_area(&loop, loop.triangles.data + t);
            assert_true(area > 0); // so that the areas only add up when nothing overlaps
            sum += area;
        }
        check_relative(sum, outline, 1e-9);
        free_loop(&loop);
    }
}

static void existing_edges_are_avoided(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(2, 1);
    for (int round = 0; round < 60; ++round)
    {
        const uint32_t count =
            round < 50 ? 5 + rbl_random_below(&random, 20) : 201 + rbl_random_below(&random, 50);
        Loop loop = make_loop(count);
        for (uint32_t i = 0; i < count; ++i)
        {
            const double angle = 2 * 3.14159265358979323846 * i / count;
            loop.points[i] = (rblVec3d){cos(angle), sin(angle), 0.1 * cos(3 * angle)};
        }
        for (uint32_t i = 0; i < count / 2; ++i)
        {
            const uint32_t a = rbl_random_below(&random, count);
            const uint32_t b = rbl_random_below(&random, count);
            if (a != b)
            {
                forbid(&loop, a, b);
            }
        }
        if (fill(&loop))
        {
            check_topology(&loop);
        }
        else
        {
            assert_true(count < 12); // with more corners there is always a way round so few
        }
        free_loop(&loop);
    }
}

static void a_hole_without_a_way_is_left(void** state)
{
    (void)state;
    Loop square = make_loop(4);
    square.points[0] = (rblVec3d){0, 0, 0};
    square.points[1] = (rblVec3d){1, 0, 0};
    square.points[2] = (rblVec3d){1, 1, 0};
    square.points[3] = (rblVec3d){0, 1, 0};
    forbid(&square, 0, 2);
    assert_true(fill(&square));
    check_topology(&square);
    forbid(&square, 1, 3);
    assert_false(fill(&square));
    assert_int_equal(square.triangles.count, 0);
    free_loop(&square);
    Loop line = make_loop(5); // all corners on one line
    for (uint32_t i = 0; i < 5; ++i)
    {
        line.points[i] = (rblVec3d){i < 3 ? i : 5.0 - i - 0.5, 0, 0};
    }
    assert_false(fill(&line));
    free_loop(&line);
}

static void the_least_bent_filling_is_chosen(void** state)
{
    (void)state;
    // A square folded along one diagonal, in a surface folded there too: the other diagonal would make a
    // dent.
    Loop loop = make_loop(4);
    loop.points[0] = (rblVec3d){0, 0, 0};
    loop.points[1] = (rblVec3d){1, 0, 0.5};
    loop.points[2] = (rblVec3d){1, 1, 0};
    loop.points[3] = (rblVec3d){0, 1, 0.5};
    for (uint32_t i = 0; i < 4; ++i)
    {
        // Beyond each edge the surface goes on as the triangle at that edge with the diagonal 1 - 3 does.
        const uint32_t apex = i == 0 || i == 3 ? 0 : 2;
        const rblVec3d u = rbl_sub3d(loop.points[1], loop.points[apex]);
        const rblVec3d v = rbl_sub3d(loop.points[3], loop.points[apex]);
        const rblVec3d normal = apex == 0 ? rbl_cross3d(u, v) : rbl_cross3d(v, u);
        loop.across[i] = rbl_normalize3d(normal, (rblVec3d){0, 0, 1});
    }
    assert_true(fill(&loop));
    check_topology(&loop);
    for (uint32_t i = 0; i < 6; ++i)
    {
        // Both triangles have the corners 1 and 3.
        const uint32_t* t = loop.triangles.data + i / 3 * 3;
        const uint32_t wanted = i % 2 == 0 ? 1 : 3;
        assert_true(t[0] == wanted || t[1] == wanted || t[2] == wanted);
    }
    free_loop(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_holes_are_tiled_without_overlap),
        cmocka_unit_test(existing_edges_are_avoided),
        cmocka_unit_test(a_hole_without_a_way_is_left),
        cmocka_unit_test(the_least_bent_filling_is_chosen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
