// Pairs of triangles that really intersect, against brute force with an exact oracle.
#include "testing.h"

#include "base/random.h"
#include "bvh/query/intersect.h"
#include "failing_allocator.h"
#include "math/vec.h"
#include "mesh/self_intersection.h"
#include "triangle_oracle.h"
#include <stdlib.h>
#include <string.h>

#define MAX_VERTICES  64
#define MAX_TRIANGLES 64

// A mesh on integers and the same, moved and scaled exactly, as a span of floats or doubles.
typedef struct Soup
{
    uint32_t vertex_count, triangle_count;
    Int3 grid[MAX_VERTICES];
    uint32_t indices[3 * MAX_TRIANGLES];
    double doubles[3 * MAX_VERTICES];
    float floats[4 * MAX_VERTICES]; // with a stride
    rblTriangleSpan span;
} Soup;

typedef enum Shape
{
    SHAPE_LATTICE,   // everything touches
    SHAPE_PLANE,     // all in one oblique plane: coplanar overlaps
    SHAPE_LINE,      // needles on one line
    SHAPE_EQUAL,     // one triangle many times
    SHAPE_SLIVERS,   // long and thin
    SHAPE_SCATTERED, // small ones that mostly miss each other
    SHAPE_COUNT
} Shape;

static Int3 random_vertex(rblRandom* random, Shape shape, uint32_t v)
{
    const long long x = rbl_random_below(random, 4), y = rbl_random_below(random, 4);
    const long long z = rbl_random_below(random, 4), s = rbl_random_below(random, 100);
    switch (shape)
    {
    case SHAPE_PLANE:
        return (Int3){x, y, x + 2 * y};
    case SHAPE_LINE:
        return (Int3){s, 2 * s, -s};
    case SHAPE_EQUAL:
        return (Int3){v % 3, v % 3 == 1, 2};
    case SHAPE_SLIVERS:
        return (Int3){s, s + x % 2, 2 * s + y % 3};
    case SHAPE_SCATTERED:
        return (Int3){20 * (v / 4 % 3) + 5 * x, 20 * (v / 12 % 3) + 5 * y, 20 * (v / 36) + 5 * z};
    default:
        return (Int3){x, y, z};
    }
}

static void make_soup(Soup* soup, rblRandom* random, Shape shape, bool is_double)
{
    const double scales[] = {1, 0x1p-66, 0x1p50, 0x1p-10};
    const uint32_t which = rbl_random_below(random, 4);
    const double offset = which == 3 ? 0x1p12 : 0;
    soup->vertex_count = 3 + rbl_random_below(random, MAX_VERTICES - 2);
    soup->triangle_count = rbl_random_below(random, MAX_TRIANGLES + 1);
    for (uint32_t v = 0; v < soup->vertex_count; ++v)
    {
        soup->grid[v] = random_vertex(random, shape, v);
        const double p[3] = {(double)soup->grid[v].x, (double)soup->grid[v].y, (double)soup->grid[v].z};
        for (uint32_t k = 0; k < 3; ++k)
        {
            soup->doubles[3 * v + k] = scales[which] * (p[k] + offset);
            soup->floats[4 * v + k] = (float)soup->doubles[3 * v + k];
        }
    }
    for (uint32_t i = 0; i < 3 * soup->triangle_count; ++i)
    {
        const uint32_t near = shape == SHAPE_SCATTERED ? i / 12 * 4 : 0;
        soup->indices[i] =
            (near + rbl_random_below(random, near > 0 ? 4 : soup->vertex_count)) % soup->vertex_count;
    }
    soup->span =
        (rblTriangleSpan){.positions = is_double ? (const void*)soup->doubles : (const void*)soup->floats,
                          .stride = is_double ? 24 : 16,
                          .is_double = is_double,
                          .vertex_count = soup->vertex_count,
                          .indices = soup->indices,
                          .triangle_count = soup->triangle_count};
}

static void corners_of(const Soup* soup, uint32_t triangle, Int3 out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = soup->grid[soup->indices[3 * triangle + k]];
    }
}

static void points_of(const Soup* soup, uint32_t triangle, rblVec3d out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        const double* p = soup->doubles + 3 * soup->indices[3 * triangle + k];
        out[k] = (rblVec3d){p[0], p[1], p[2]};
    }
}

static uint32_t shared_vertices(const Soup* soup, uint32_t a, uint32_t b, bool by_position)
{
    Int3 ta[3], tb[3];
    corners_of(soup, a, ta);
    corners_of(soup, b, tb);
    uint32_t shared = 0;
    for (int i = 0; i < 9; ++i)
    {
        shared += by_position ? is_zero(minus(ta[i / 3], tb[i % 3]))
                              : soup->indices[3 * a + i / 3] == soup->indices[3 * b + i % 3];
    }
    return shared;
}

static bool wanted(const Soup* soup, uint32_t a, uint32_t b, const rblIntersectOptions* options)
{
    Int3 ta[3], tb[3];
    corners_of(soup, a, ta);
    corners_of(soup, b, tb);
    const bool skipped = options->neighbours == RBL_NEIGHBOURS_SKIP &&
                         shared_vertices(soup, a, b, options->join_equal_positions) > 0;
    return a < b && !skipped && hulls_meet(ta, tb);
}

static double distance_to_triangle_plane(const rblVec3d t[3], rblVec3d p)
{
    const rblVec3d zero = {0, 0, 0};
    const rblVec3d n = rbl_normalize3d(rbl_cross3d(rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[0])), zero);
    return fabs(rbl_dot3d(n, rbl_sub3d(p, t[0])));
}

static void check_segment(const Soup* sa, const Soup* sb, const rblTrianglePair* pair)
{
    rblVec3d a[3], b[3];
    points_of(sa, pair->triangle_a, a);
    points_of(sb, pair->triangle_b, b);
    double size = 0;
    for (int i = 0; i < 3; ++i)
    {
        size = rbl_maxd(size, rbl_maxd(rbl_length3d(a[i]), rbl_length3d(b[i])));
    }
    for (int e = 0; e < 2; ++e)
    {
        assert_true(distance_to_triangle_plane(a, pair->ends[e].at) <= 1e-14 * size);
        assert_true(distance_to_triangle_plane(b, pair->ends[e].at) <= 1e-14 * size);
    }
    const double length = rbl_distance3d(pair->ends[0].at, pair->ends[1].at);
    assert_true(pair->count == 1 ? length == 0 : length > 0);
    assert_true(pair->count <= 2 || pair->coplanar);
}

// Whatever stage decided a pair, it must say what the exact one says, to the last bit.
static void check_like_meeting(const Soup* sa, const Soup* sb, const rblTrianglePair* pair)
{
    rblVec3d a[3], b[3];
    rblMeeting meeting;
    points_of(sa, pair->triangle_a, a);
    points_of(sb, pair->triangle_b, b);
    assert_true(rbl_triangle_meeting(a, b, &meeting));
    assert_int_equal(pair->count, meeting.count);
    assert_int_equal(pair->coplanar, meeting.coplanar);
    for (uint32_t e = 0; e < 2 && meeting.count <= 2; ++e)
    {
        const rblMeetingPoint* expected = &meeting.points[e < meeting.count ? e : 0];
        assert_memory_equal(&pair->ends[e].at, &expected->at, sizeof expected->at);
        assert_int_equal(pair->ends[e].part_a, expected->part_a);
        assert_int_equal(pair->ends[e].part_b, expected->part_b);
    }
}

static void check_self(const Soup* soup, const rblTrianglePairArray* found,
                       const rblIntersectOptions* options)
{
    unsigned char seen[MAX_TRIANGLES][MAX_TRIANGLES] = {{0}};
    for (size_t i = 0; i < found->count; ++i)
    {
        const rblTrianglePair* pair = &found->data[i];
        assert_int_not_equal(pair->triangle_a, pair->triangle_b);
        const bool swap = pair->triangle_a > pair->triangle_b;
        seen[swap ? pair->triangle_b : pair->triangle_a][swap ? pair->triangle_a : pair->triangle_b] += 1;
        check_segment(soup, soup, pair);
    }
    for (uint32_t a = 0; a < soup->triangle_count; ++a)
    {
        for (uint32_t b = 0; b < soup->triangle_count; ++b)
        {
            assert_int_equal(seen[a][b], wanted(soup, a, b, options));
        }
    }
}

static void self_overlaps_match_the_oracle(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(41, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    rblTrianglePairArray found;
    rbl_array_init(&found, rbl_default_allocator());
    size_t total = 0;
    for (uint32_t round = 0; round < 180; ++round)
    {
        Soup soup;
        make_soup(&soup, &random, (Shape)(round % SHAPE_COUNT), round / SHAPE_COUNT % 2 == 0);
        check_ok(rbl_forest_build(&forest, &soup.span, 1, (rblBvhQuality)(round % 3), rbl_serial_jobs()));
        const rblTreePair itself = {0, 0};
        const rblOverlapScene scene = {&forest, &soup.span, &itself, 1};
        rblIntersectOptions options = rbl_default_intersect_options();
        options.neighbours = rbl_random_below(&random, 2) == 0 ? RBL_NEIGHBOURS_SKIP : RBL_NEIGHBOURS_KEEP;
        options.join_equal_positions = rbl_random_below(&random, 2) == 0;
        options.overlap.depth_step = 1 + round % 4;
        rblOverlapCounters counters;
        rbl_array_clear(&found);
        check_ok(rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, &counters));
        check_self(&soup, &found, &options);
        assert_int_equal(counters.triangle_pairs, found.count);
        assert_true(counters.triangle_pairs <= counters.triangle_tests);
        assert_true(counters.triangle_tests <= counters.leaf_pairs);
        total += found.count;
    }
    assert_true(total > 10000);
    rbl_array_free(&found);
    rbl_forest_free(&forest);
}

// Triangles of different trees: nothing is a neighbour. Any number of workers gives the same bytes.
static void overlaps_of_two_trees_match_the_oracle(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(42, 0);
    rblJobs* jobs;
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    for (uint32_t round = 0; round < 120; ++round)
    {
        Soup soups[2];
        const rblRandom start = random;
        make_soup(&soups[0], &random, (Shape)(round % SHAPE_COUNT), round % 2 == 0);
        random = round % 5 == 0 ? start : random; // now and then the same soup
        make_soup(&soups[1], &random, (Shape)(round % SHAPE_COUNT), round % 3 == 0);
        const rblTriangleSpan spans[2] = {soups[0].span, soups[1].span};
        check_ok(rbl_forest_build(&forest, spans, 2, (rblBvhQuality)(round % 3), jobs));
        const rblTreePair pair = {0, 1};
        const rblOverlapScene scene = {&forest, spans, &pair, 1};
        rblIntersectOptions options = rbl_default_intersect_options();
        options.overlap.frontier_goal = 1 + round;
        rblTrianglePairArray serial, parallel;
        rbl_array_init(&serial, rbl_default_allocator());
        rbl_array_init(&parallel, rbl_default_allocator());
        check_ok(rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &serial, NULL));
        check_ok(rbl_overlap_triangles(&scene, &options, jobs, &parallel, NULL));
        assert_int_equal(serial.count, parallel.count);
        size_t expected = 0;
        for (size_t i = 0; i < serial.count; ++i)
        {
            assert_int_equal(serial.data[i].triangle_a, parallel.data[i].triangle_a);
            assert_int_equal(serial.data[i].triangle_b, parallel.data[i].triangle_b);
            assert_memory_equal(&serial.data[i].ends[0].at, &parallel.data[i].ends[0].at, sizeof(rblVec3d));
            check_segment(&soups[0], &soups[1], &serial.data[i]);
            check_like_meeting(&soups[0], &soups[1], &serial.data[i]);
        }
        for (uint32_t a = 0; a < soups[0].triangle_count; ++a)
        {
            for (uint32_t b = 0; b < soups[1].triangle_count; ++b)
            {
                rblVec3d ta[3], tb[3];
                rblMeeting meeting;
                points_of(&soups[0], a, ta);
                points_of(&soups[1], b, tb);
                expected += rbl_triangle_meeting(ta, tb, &meeting);
            }
        }
        assert_int_equal(serial.count, expected);
        rbl_array_free(&serial);
        rbl_array_free(&parallel);
    }
    rbl_forest_free(&forest);
    rbl_jobs_destroy(jobs);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static bool has_area(const Soup* soup, uint32_t triangle)
{
    Int3 t[3];
    corners_of(soup, triangle, t);
    return !is_flat(t);
}

// The search of the mesh room reaches the same verdict about neighbours by other means; triangles without area it leaves
// out.
static void neighbours_that_meet_elsewhere_are_those_of_the_mesh_room(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(45, 0);
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    size_t total = 0;
    for (uint32_t round = 0; round < 120; ++round)
    {
        Soup soup;
        make_soup(&soup, &random, (Shape)(round % SHAPE_COUNT), true);
        uint32_t starts[MAX_TRIANGLES + 1];
        for (uint32_t i = 0; i <= soup.triangle_count; ++i)
        {
            starts[i] = 3 * i;
        }
        const rblMeshView view = {.vertex_count = soup.vertex_count,
                                  .face_count = soup.triangle_count,
                                  .corner_count = 3 * soup.triangle_count,
                                  .positions = (const rblVec3d*)(const void*)soup.doubles,
                                  .face_starts = starts,
                                  .corner_vertices = soup.indices};
        rblIntersectionArray expected;
        rbl_array_init(&expected, rbl_default_allocator());
        check_ok(rbl_self_intersections(&view, NULL, &expected));
        check_ok(rbl_forest_build(&forest, &soup.span, 1, RBL_BVH_QUALITY, rbl_serial_jobs()));
        const rblTreePair itself = {0, 0};
        const rblOverlapScene scene = {&forest, &soup.span, &itself, 1};
        rblIntersectOptions options = rbl_default_intersect_options();
        options.neighbours = RBL_NEIGHBOURS_BEYOND;
        options.join_equal_positions = true;
        rblTrianglePairArray found;
        rbl_array_init(&found, rbl_default_allocator());
        check_ok(rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
        size_t with_area = 0;
        for (size_t i = 0; i < found.count; ++i)
        {
            with_area +=
                has_area(&soup, found.data[i].triangle_a) && has_area(&soup, found.data[i].triangle_b);
        }
        assert_int_equal(with_area, expected.count);
        total += with_area;
        rbl_array_free(&found);
        rbl_array_free(&expected);
    }
    assert_true(total > 5000);
    rbl_forest_free(&forest);
}

// A fan of four around a vertex, the last folded through the first.
static void neighbours_are_reported_as_asked(void** state)
{
    (void)state;
    const double positions[] = {0, 0, 0, 4, 0, 0, 0, 4, 0, -4, 0, 0, 2, 1, 1, 2, 1, -1};
    const uint32_t indices[] = {0, 1, 2, 0, 2, 3, 0, 4, 5};
    const rblTriangleSpan span = {.positions = positions,
                                  .stride = 24,
                                  .is_double = true,
                                  .vertex_count = 6,
                                  .indices = indices,
                                  .triangle_count = 3};
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_QUALITY, rbl_serial_jobs()));
    const rblTreePair itself = {0, 0};
    const rblOverlapScene scene = {&forest, &span, &itself, 1};
    const size_t expected[] = {
        [RBL_NEIGHBOURS_SKIP] = 0, [RBL_NEIGHBOURS_BEYOND] = 1, [RBL_NEIGHBOURS_KEEP] = 3};
    for (int n = RBL_NEIGHBOURS_SKIP; n <= RBL_NEIGHBOURS_KEEP; ++n)
    {
        for (int by_position = 0; by_position < 2; ++by_position)
        {
            rblIntersectOptions options = rbl_default_intersect_options();
            options.neighbours = (rblNeighbours)n;
            options.join_equal_positions = by_position == 1;
            rblTrianglePairArray found;
            rbl_array_init(&found, rbl_default_allocator());
            check_ok(rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
            assert_int_equal(found.count, expected[n]);
            rbl_array_free(&found);
        }
    }
    rbl_forest_free(&forest);
}

// Apart by less than floats can tell: the coordinates of the span decide.
static void doubles_decide_where_floats_cannot(void** state)
{
    (void)state;
    for (int touch = 0; touch < 2; ++touch)
    {
        const double gap = touch ? 0 : 1e-12;
        const double positions[] = {0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, 1 + gap, 1, 0, 2, 0, 1, 2};
        const rblTriangleSpan span = {
            .positions = positions, .stride = 24, .is_double = true, .vertex_count = 6, .triangle_count = 2};
        rblForest forest;
        rbl_forest_init(&forest, rbl_default_allocator());
        check_ok(rbl_forest_build(&forest, &span, 1, RBL_BVH_FAST, rbl_serial_jobs()));
        const rblTreePair itself = {0, 0};
        const rblOverlapScene scene = {&forest, &span, &itself, 1};
        const rblIntersectOptions options = rbl_default_intersect_options();
        rblTrianglePairArray found;
        rbl_array_init(&found, rbl_default_allocator());
        check_ok(rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
        assert_int_equal(found.count, touch);
        rbl_array_free(&found);
        rbl_forest_free(&forest);
    }
}

static void a_kept_workspace_stops_allocations(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(43, 0);
    Soup soup = {0};
    while (soup.triangle_count < 40)
    {
        make_soup(&soup, &random, SHAPE_LATTICE, true);
    }
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &soup.span, 1, RBL_BVH_FAST, rbl_serial_jobs()));
    const rblTreePair itself = {0, 0};
    const rblOverlapScene scene = {&forest, &soup.span, &itself, 1};
    rblIntersectOptions options = rbl_default_intersect_options();
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_overlap_workspace_create(&memory.allocator, &options.overlap.workspace));
    rblTrianglePairArray found;
    rbl_array_init(&found, &memory.allocator);
    check_ok(rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
    const size_t count = found.count;
    assert_true(count > 10);
    memory.left = 0;
    for (int i = 0; i < 3; ++i)
    {
        rbl_array_clear(&found);
        check_ok(rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
        assert_int_equal(found.count, count);
    }
    rbl_array_free(&found);
    rbl_overlap_workspace_destroy(options.overlap.workspace);
    rbl_overlap_workspace_destroy(NULL);
    assert_int_equal(memory.live, 0);
    rbl_forest_free(&forest);
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(44, 0);
    Soup soup = {0};
    while (soup.triangle_count < 40)
    {
        make_soup(&soup, &random, SHAPE_LATTICE, false);
    }
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, &soup.span, 1, RBL_BVH_FAST, rbl_serial_jobs()));
    const rblTreePair itself = {0, 0};
    const rblOverlapScene scene = {&forest, &soup.span, &itself, 1};
    const rblIntersectOptions options = rbl_default_intersect_options();
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t n = 0; result != RBL_OK; ++n)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, n);
        rblTrianglePairArray found;
        rbl_array_init(&found, &memory.allocator);
        result = rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL);
        assert_true(result == RBL_OK || (result == RBL_ERROR_MEMORY && found.count == 0));
        rbl_array_free(&found);
        assert_int_equal(memory.live, 0);
    }
    rbl_forest_free(&forest);
}

static void bad_calls_are_refused_and_empty_trees_meet_nothing(void** state)
{
    (void)state;
    const float corners[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    rblTriangleSpan spans[2] = {{.positions = corners, .stride = 12, .vertex_count = 3, .triangle_count = 1},
                                {0}};
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, spans, 2, RBL_BVH_FAST, rbl_serial_jobs()));
    rblTreePair pairs[] = {{0, 1}, {1, 1}, {0, 0}};
    rblOverlapScene scene = {&forest, spans, pairs, 3};
    rblIntersectOptions options = rbl_default_intersect_options();
    rblTrianglePairArray found;
    rbl_array_init(&found, rbl_default_allocator());
    check_ok(rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
    assert_int_equal(found.count, 0);
    options.overlap.depth_step = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
    options.overlap.depth_step = 2;
    pairs[1].b = 2;
    check_fails(RBL_ERROR_ARGUMENT, rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
    pairs[1].b = 1;
    spans[1].triangle_count = 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_overlap_triangles(&scene, &options, rbl_serial_jobs(), &found, NULL));
    rbl_forest_free(&forest);
}

// ---- scale ----

static void find_self_pairs(const rblTriangleSpan* span, rblTrianglePairArray* out)
{
    rblForest forest;
    rbl_forest_init(&forest, rbl_default_allocator());
    check_ok(rbl_forest_build(&forest, span, 1, RBL_BVH_QUALITY, rbl_default_jobs()));
    const rblTreePair self = {0, 0};
    const rblOverlapScene scene = {&forest, span, &self, 1};
    const rblIntersectOptions options = rbl_default_intersect_options();
    check_ok(rbl_overlap_triangles(&scene, &options, rbl_default_jobs(), out, NULL));
    rbl_forest_free(&forest);
}

// Scaled by powers of two the same pairs meet, up to where the cubes of coordinates leave the range of floats.
static void scale_does_not_change_which_triangles_meet(void** state)
{
    (void)state;
    enum
    {
        TRIANGLES = 120
    };
    static const float scales[] = {0x1p-60f, 0x1p38f, 0x1p41f, 0x1p42f, 0x1p43f, 0x1p48f, 0x1p49f, 0x1p120f};
    rblRandom random = rbl_random_seed(41, 0);
    for (uint32_t round = 0; round < 20; ++round)
    {
        float positions[9 * TRIANGLES], scaled[9 * TRIANGLES];
        for (uint32_t i = 0; i < 9 * TRIANGLES; ++i)
        {
            positions[i] = (float)rbl_random_range(&random, -1.0, 1.0);
        }
        rblTriangleSpan span = {
            .positions = positions, .stride = 12, .vertex_count = 3 * TRIANGLES, .triangle_count = TRIANGLES};
        rblTrianglePairArray expected;
        rbl_array_init(&expected, rbl_default_allocator());
        find_self_pairs(&span, &expected);
        assert_true(expected.count > 100);
        span.positions = scaled;
        for (size_t s = 0; s < sizeof scales / sizeof *scales; ++s)
        {
            for (uint32_t i = 0; i < 9 * TRIANGLES; ++i)
            {
                scaled[i] = positions[i] * scales[s];
            }
            rblTrianglePairArray found;
            rbl_array_init(&found, rbl_default_allocator());
            find_self_pairs(&span, &found);
            assert_int_equal(found.count, expected.count);
            rbl_array_free(&found);
        }
        rbl_array_free(&expected);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(self_overlaps_match_the_oracle),
        cmocka_unit_test(overlaps_of_two_trees_match_the_oracle),
        cmocka_unit_test(neighbours_that_meet_elsewhere_are_those_of_the_mesh_room),
        cmocka_unit_test(neighbours_are_reported_as_asked),
        cmocka_unit_test(scale_does_not_change_which_triangles_meet),
        cmocka_unit_test(doubles_decide_where_floats_cannot),
        cmocka_unit_test(a_kept_workspace_stops_allocations),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(bad_calls_are_refused_and_empty_trees_meet_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
