// Ear clipping: every face tiled by exactly size - 2 triangles, whatever its shape.
#include "testing.h"

#include "base/random.h"
#include "mesh/ear_clipping.h"
#include "mesh/mesh.h"
#include <stdlib.h>
#include <string.h>

enum
{
    MOST = 64
};

typedef struct Polygon
{
    uint32_t count;
    int x[MOST], y[MOST];
} Polygon;

static long long turn(const Polygon* p, uint32_t a, uint32_t b, uint32_t c)
{
    return (long long)(p->x[b] - p->x[a]) * (p->y[c] - p->y[a]) -
           (long long)(p->x[c] - p->x[a]) * (p->y[b] - p->y[a]);
}

static int sign(long long value)
{
    return (value > 0) - (value < 0);
}

// Corner c is on the closed segment between corners a and b.
static bool on_segment(const Polygon* p, uint32_t a, uint32_t b, uint32_t c)
{
    return turn(p, a, b, c) == 0 && (long long)(p->x[c] - p->x[a]) * (p->x[c] - p->x[b]) <= 0 &&
           (long long)(p->y[c] - p->y[a]) * (p->y[c] - p->y[b]) <= 0;
}

static bool segments_meet(const Polygon* p, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    return on_segment(p, a, b, c) || on_segment(p, a, b, d) || on_segment(p, c, d, a) ||
           on_segment(p, c, d, b) ||
           (sign(turn(p, a, b, c)) * sign(turn(p, a, b, d)) < 0 &&
            sign(turn(p, c, d, a)) * sign(turn(p, c, d, b)) < 0);
}

static bool is_simple(const Polygon* p)
{
    const uint32_t n = p->count;
    for (uint32_t i = 0; i < n; ++i)
    {
        const uint32_t i1 = (i + 1) % n;
        if (on_segment(p, i, i1, (i + 2) % n) || on_segment(p, i1, (i + 2) % n, i))
        {
            return false;
        }
        for (uint32_t j = i + 2; j < n; ++j)
        {
            if ((j + 1) % n != i && segments_meet(p, i, i1, j, (j + 1) % n))
            {
                return false;
            }
        }
    }
    return true;
}

static long long twice_area(const Polygon* p)
{
    long long sum = 0;
    for (uint32_t i = 2; i < p->count; ++i)
    {
        sum += turn(p, 0, i - 1, i);
    }
    return sum;
}

// Put random points into random edges for as long as the outline stays simple: concave, with many straight
// corners.
static Polygon grow_polygon(rblRandom* random, uint32_t count, uint32_t grid)
{
    Polygon p = {.count = 3, .x = {0, (int)grid - 1, 0}, .y = {0, 0, (int)grid - 1}};
    for (int attempt = 0; attempt < 4000 && p.count < count; ++attempt)
    {
        Polygon q = p;
        const uint32_t at = rbl_random_below(random, p.count) + 1;
        memmove(q.x + at + 1, q.x + at, (p.count - at) * sizeof *q.x);
        memmove(q.y + at + 1, q.y + at, (p.count - at) * sizeof *q.y);
        q.x[at] = (int)rbl_random_below(random, grid);
        q.y[at] = (int)rbl_random_below(random, grid);
        q.count += 1;
        if (is_simple(&q) && twice_area(&q) > 0)
        {
            p = q;
        }
    }
    return p;
}

static rblIndexArray clip(rblEarClipper* clipper, const Polygon* p)
{
    rblIndexArray triangles;
    rbl_array_init(&triangles, rbl_default_allocator());
    assert_true(rbl_ear_clipper_reserve(clipper, p->count));
    for (uint32_t i = 0; i < p->count; ++i)
    {
        clipper->points[i][0] = p->x[i];
        clipper->points[i][1] = p->y[i];
    }
    assert_true(rbl_ear_clip(clipper, p->count, 0, &triangles));
    assert_int_equal(triangles.count, 3 * (p->count - 2));
    return triangles;
}

// Each side of the outline and each diagonal, both ways: a triangulation of a ring uses every side once and
// every diagonal once each way.
static void check_combinatorics(const rblIndexArray* triangles, uint32_t count)
{
    uint8_t* used = calloc((size_t)count * count, 1);
    for (size_t i = 0; i < triangles->count; ++i)
    {
        const uint32_t a = triangles->data[i];
        const uint32_t b = triangles->data[i % 3 == 2 ? i - 2 : i + 1];
        assert_true(a < count && b < count && a != b);
        used[a * count + b] += 1;
    }
    for (uint32_t a = 0; a < count; ++a)
    {
        for (uint32_t b = 0; b < count; ++b)
        {
            const bool side = b == (a + 1) % count;
            const bool reverse_side = a == (b + 1) % count;
            const int expected = side ? 1 : (reverse_side ? 0 : used[b * count + a]);
            assert_int_equal(used[a * count + b], expected);
            assert_true(used[a * count + b] <= 1);
        }
    }
    free(used);
}

static void simple_polygons_are_tiled_without_flat_triangles(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(11, 0);
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, rbl_default_allocator());
    for (int round = 0; round < 300; ++round)
    {
        const uint32_t corners = 4 + rbl_random_below(&random, 24);
        const Polygon p = grow_polygon(&random, corners, 4 + rbl_random_below(&random, 8));
        rblIndexArray triangles = clip(&clipper, &p);
        long long area = 0;
        for (size_t i = 0; i < triangles.count; i += 3)
        {
            const long long part = turn(&p, triangles.data[i], triangles.data[i + 1], triangles.data[i + 2]);
            assert_true(part > 0); // positive parts that sum up to the whole do not overlap
            area += part;
        }
        assert_int_equal(area, twice_area(&p));
        check_combinatorics(&triangles, p.count);
        rbl_array_free(&triangles);
    }
    rbl_ear_clipper_free(&clipper);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void holes_joined_by_bridges_are_tiled(void** state)
{
    (void)state;
    // A square with two square holes, entered over bridges that are walked both ways.
    const Polygon p = {.count = 20,
                       .x = {0, 9, 9, 0, 0, 2, 2, 4, 4, 5, 5, 7, 7, 5, 5, 4, 4, 2, 2, 0},
                       .y = {0, 0, 9, 9, 4, 4, 6, 6, 4, 4, 6, 6, 3, 3, 4, 4, 3, 3, 4, 4}};
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, rbl_default_allocator());
    rblIndexArray triangles = clip(&clipper, &p);
    assert_int_equal(twice_area(&p), 2 * (81 - 6 - 6));
    long long area = 0;
    for (size_t i = 0; i < triangles.count; i += 3)
    {
        const long long part = turn(&p, triangles.data[i], triangles.data[i + 1], triangles.data[i + 2]);
        assert_true(part >= 0);
        area += part;
    }
    assert_int_equal(area, twice_area(&p));
    check_combinatorics(&triangles, p.count);
    rbl_array_free(&triangles);
    rbl_ear_clipper_free(&clipper);
}

// Whether the segment between two corners of q meets the outline of q but in corners at its own ends.
static bool runs_free(const Polygon* q, uint32_t outline_count, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < outline_count; ++i)
    {
        const uint32_t j = (i + 1) % outline_count;
        const bool touches_start =
            (q->x[i] == q->x[a] && q->y[i] == q->y[a]) || (q->x[j] == q->x[a] && q->y[j] == q->y[a]);
        if (touches_start ? on_segment(q, i, j, b) || on_segment(q, a, b, turn(q, a, b, i) == 0 ? j : i)
                          : segments_meet(q, i, j, a, b))
        {
            return false;
        }
    }
    return true;
}

static bool is_inside(const Polygon* q, uint32_t outline_count, uint32_t point)
{
    bool inside = false;
    for (uint32_t i = 0, j = outline_count - 1; i < outline_count; j = i++)
    {
        if ((q->y[i] > q->y[point]) != (q->y[j] > q->y[point]))
        {
            const uint32_t low = q->y[i] < q->y[j] ? i : j;
            const uint32_t high = q->y[i] < q->y[j] ? j : i;
            inside = inside != (turn(q, low, high, point) > 0);
        }
    }
    return inside;
}

// Open a triangular hole and join it to a corner by a bridge that is walked both ways. False when it does not fit.
static bool add_hole(Polygon* p, rblRandom* random, uint32_t grid)
{
    Polygon q = *p;
    const uint32_t n = p->count;
    const uint32_t at = rbl_random_below(random, n);
    for (uint32_t k = n; k < n + 3; ++k)
    {
        q.x[k] = k == n ? (int)rbl_random_below(random, grid) : q.x[n] + (int)rbl_random_below(random, 9) - 4;
        q.y[k] = k == n ? (int)rbl_random_below(random, grid) : q.y[n] + (int)rbl_random_below(random, 9) - 4;
    }
    if (turn(&q, n, n + 1, n + 2) >= 0 || !is_inside(&q, n, n) || !runs_free(&q, n, n, n + 1) ||
        !runs_free(&q, n, n + 1, n + 2) || !runs_free(&q, n, n + 2, n) || !runs_free(&q, n, at, n) ||
        turn(&q, n, n + 1, at) <= 0 || turn(&q, n + 2, n, at) <= 0)
    {
        return false;
    }
    const int hole[5][2] = {{q.x[n], q.y[n]},
                            {q.x[n + 1], q.y[n + 1]},
                            {q.x[n + 2], q.y[n + 2]},
                            {q.x[n], q.y[n]},
                            {q.x[at], q.y[at]}};
    memmove(q.x + at + 6, q.x + at + 1, (n - at - 1) * sizeof *q.x);
    memmove(q.y + at + 6, q.y + at + 1, (n - at - 1) * sizeof *q.y);
    for (uint32_t k = 0; k < 5; ++k)
    {
        q.x[at + 1 + k] = hole[k][0];
        q.y[at + 1 + k] = hole[k][1];
    }
    q.count = n + 5;
    // The bridge must leave the corner into the polygon, or the walk would cross itself there.
    const long long before = turn(&q, (at + q.count - 1) % q.count, at, at + 1);
    const long long after = turn(&q, at + 1, at + 5, (at + 6) % q.count);
    *p = before > 0 && after > 0 ? q : *p;
    return before > 0 && after > 0;
}

static void random_holes_joined_by_bridges_are_tiled(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(14, 0);
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, rbl_default_allocator());
    uint32_t holes = 0;
    for (int round = 0; round < 200; ++round)
    {
        const uint32_t grid = 20 + rbl_random_below(&random, 8);
        Polygon p = grow_polygon(&random, 4 + rbl_random_below(&random, 4), grid);
        for (int attempt = 0; attempt < 400 && p.count + 5 <= 40; ++attempt)
        {
            holes += add_hole(&p, &random, grid);
        }
        rblIndexArray triangles = clip(&clipper, &p);
        long long area = 0;
        for (size_t i = 0; i < triangles.count; i += 3)
        {
            const long long part = turn(&p, triangles.data[i], triangles.data[i + 1], triangles.data[i + 2]);
            assert_true(part >= 0);
            area += part;
        }
        assert_int_equal(area, twice_area(&p));
        check_combinatorics(&triangles, p.count);
        rbl_array_free(&triangles);
    }
    assert_true(holes > 200);
    rbl_ear_clipper_free(&clipper);
}

static void any_closed_walk_becomes_a_ring_of_triangles(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(12, 0);
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, rbl_default_allocator());
    for (int round = 0; round < 3000; ++round)
    {
        Polygon p = {.count = 3 + rbl_random_below(&random, 20)};
        const uint32_t grid = 1 + rbl_random_below(&random, 6);
        const bool flat = rbl_random_below(&random, 4) == 0;
        for (uint32_t i = 0; i < p.count; ++i)
        {
            p.x[i] = (int)rbl_random_below(&random, grid);
            p.y[i] = flat ? 2 * p.x[i] : (int)rbl_random_below(&random, grid);
        }
        rblIndexArray triangles = clip(&clipper, &p);
        long long area = 0;
        for (size_t i = 0; i < triangles.count; i += 3)
        {
            area += turn(&p, triangles.data[i], triangles.data[i + 1], triangles.data[i + 2]);
        }
        assert_int_equal(area, twice_area(&p));
        check_combinatorics(&triangles, p.count);
        rbl_array_free(&triangles);
    }
    rbl_ear_clipper_free(&clipper);
}

static void a_doubled_corner_costs_one_flat_triangle_only(void** state)
{
    (void)state;
    const Polygon p = {.count = 7, .x = {0, 4, 4, 4, 2, 2, 0}, .y = {0, 0, 4, 4, 1, 1, 4}};
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, rbl_default_allocator());
    rblIndexArray triangles = clip(&clipper, &p);
    int flat = 0;
    for (size_t i = 0; i < triangles.count; i += 3)
    {
        const long long part = turn(&p, triangles.data[i], triangles.data[i + 1], triangles.data[i + 2]);
        assert_true(part >= 0);
        flat += part == 0;
    }
    assert_int_equal(flat, 2);
    rbl_array_free(&triangles);
    rbl_ear_clipper_free(&clipper);
}

static void convex_faces_become_fans(void** state)
{
    (void)state;
    const Polygon p = {.count = 6, .x = {2, 4, 5, 4, 2, 0}, .y = {0, 0, 2, 4, 4, 2}};
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, rbl_default_allocator());
    rblIndexArray triangles = clip(&clipper, &p);
    const uint32_t expected[] = {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 5};
    assert_memory_equal(triangles.data, expected, sizeof expected);
    rbl_array_free(&triangles);
    // A limacon turns left at every corner too, but goes round twice: it is not convex.
    const Polygon twice = {.count = 8, .x = {1, -1, -1, 1, 3, -3, -3, 3}, .y = {1, 1, -1, -1, 3, 3, -3, -3}};
    triangles = clip(&clipper, &twice);
    assert_int_equal(triangles.count, 18);
    rbl_array_free(&triangles);
    rbl_ear_clipper_free(&clipper);
}

// ---- large ones ----

typedef double Shape(uint32_t i, uint32_t count, int axis);

static double wiggly_ring(uint32_t i, uint32_t count, int axis)
{
    const double angle = 2 * 3.14159265358979323846 * i / count;
    const double radius = 10 + i % 2;
    return axis == 0 ? radius * cos(angle) : radius * sin(angle);
}

// Long teeth along x, one above the other.
static double comb(uint32_t i, uint32_t count, int axis)
{
    if (i + 2 >= count)
    {
        return axis == 0 ? -1 : (i + 1 < count ? count : -1.0);
    }
    return axis == 0 ? (i % 2 == 0 ? 0 : 1000) : i;
}

static double spiral(uint32_t i, uint32_t count, int axis)
{
    const uint32_t half = count / 2;
    const double along = i < half ? i : count - 1 - i;
    const double angle = along * 0.1;
    const double radius = 1 + along * 0.02 - (i < half ? 0 : 0.005);
    return axis == 0 ? radius * cos(angle) : radius * sin(angle);
}

static double everywhere(uint32_t i, uint32_t count, int axis)
{
    (void)count;
    rblRandom random = rbl_random_seed(i, (uint64_t)axis);
    return rbl_random_double(&random);
}

static double shape_area(rblEarClipper* clipper, Shape* shape, uint32_t count, double* tiled,
                         uint32_t* inverted)
{
    assert_true(rbl_ear_clipper_reserve(clipper, count));
    for (uint32_t i = 0; i < count; ++i)
    {
        clipper->points[i][0] = shape(i, count, 0);
        clipper->points[i][1] = shape(i, count, 1);
    }
    rblIndexArray triangles;
    rbl_array_init(&triangles, rbl_default_allocator());
    assert_true(rbl_ear_clip(clipper, count, 0, &triangles));
    assert_int_equal(triangles.count, 3 * (size_t)(count - 2));
    double area = 0;
    for (uint32_t i = 0, j = count - 1; i < count; j = i++)
    {
        area += clipper->points[j][0] * clipper->points[i][1] - clipper->points[i][0] * clipper->points[j][1];
    }
    *tiled = 0;
    *inverted = 0;
    for (size_t i = 0; i < triangles.count; i += 3)
    {
        const double* a = clipper->points[triangles.data[i]];
        const double* b = clipper->points[triangles.data[i + 1]];
        const double* c = clipper->points[triangles.data[i + 2]];
        const double part = (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1]);
        *tiled += fabs(part);
        *inverted += part < 0;
    }
    rbl_array_free(&triangles);
    return area;
}

static void large_outlines_are_tiled(void** state)
{
    (void)state;
    Shape* const shapes[] = {wiggly_ring, comb, spiral};
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, rbl_default_allocator());
    for (int s = 0; s < 3; ++s)
    {
        double tiled;
        uint32_t inverted;
        const double area = shape_area(&clipper, shapes[s], 20000, &tiled, &inverted);
        assert_true(area > 0);
        check_relative(tiled, area, 1e-9);
        assert_int_equal(inverted, 0);
    }
    rbl_ear_clipper_free(&clipper);
}

static void a_hostile_outline_ends_soon(void** state)
{
    (void)state;
    rblEarClipper clipper;
    rbl_ear_clipper_init(&clipper, rbl_default_allocator());
    double tiled;
    uint32_t inverted;
    shape_area(&clipper, everywhere, 20000, &tiled, &inverted);
    rbl_ear_clipper_free(&clipper);
}

// ---- faces in space ----

static void faces_in_any_plane_keep_their_orientation(void** state)
{
    (void)state;
    // An L-shape, its normal along each axis and back, and once askew.
    static const double outline[6][2] = {{0, 0}, {3, 0}, {3, 1}, {1, 1}, {1, 3}, {0, 3}};
    static const rblVec3d bases[7][2] = {
        {{1, 0, 0}, {0, 1, 0}}, {{0, 1, 0}, {1, 0, 0}}, {{0, 1, 0}, {0, 0, 1}}, {{0, 0, 1}, {0, 1, 0}},
        {{0, 0, 1}, {1, 0, 0}}, {{1, 0, 0}, {0, 0, 1}}, {{1, 2, 3}, {-2, 5, 1}}};
    for (int b = 0; b < 7; ++b)
    {
        const rblVec3d u = bases[b][0];
        const rblVec3d v = bases[b][1];
        rblVec3d positions[6];
        for (int i = 0; i < 6; ++i)
        {
            const double* o = outline[i];
            positions[i] =
                (rblVec3d){o[0] * u.x + o[1] * v.x, o[0] * u.y + o[1] * v.y, o[0] * u.z + o[1] * v.z};
        }
        const uint32_t starts[] = {0, 6};
        const uint32_t corners[] = {0, 1, 2, 3, 4, 5};
        const rblMeshView view = {.vertex_count = 6,
                                  .face_count = 1,
                                  .corner_count = 6,
                                  .positions = positions,
                                  .face_starts = starts,
                                  .corner_vertices = corners};
        rblIndexArray triangles;
        rblIndexArray faces;
        rbl_array_init(&triangles, rbl_default_allocator());
        rbl_array_init(&faces, rbl_default_allocator());
        check_ok(rbl_triangulate_corners(&view, &triangles, &faces));
        assert_int_equal(triangles.count, 12);
        assert_int_equal(faces.count, 4);
        double area = 0;
        for (int t = 0; t < 12; t += 3)
        {
            const double *p = outline[triangles.data[t]], *q = outline[triangles.data[t + 1]];
            const double* r = outline[triangles.data[t + 2]];
            const double part = (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1]);
            assert_true(part > 0);
            area += part;
        }
        check_close(area, 10, 0);
        rbl_array_free(&triangles);
        rbl_array_free(&faces);
    }
}

static void broken_numbers_still_give_all_triangles(void** state)
{
    (void)state;
    const double values[] = {0,       1,        -1,       (double)NAN, (double)INFINITY, -(double)INFINITY,
                             1.7e308, -1.7e308, 4.9e-324, 1e-200};
    rblRandom random = rbl_random_seed(13, 0);
    for (int round = 0; round < 2000; ++round)
    {
        rblVec3d positions[12];
        uint32_t corners[12];
        for (uint32_t i = 0; i < 12; ++i)
        {
            positions[i] =
                (rblVec3d){values[rbl_random_below(&random, 10)], values[rbl_random_below(&random, 10)],
                           values[rbl_random_below(&random, 10)]};
            corners[i] = rbl_random_below(&random, 12);
        }
        const uint32_t starts[] = {0, 5, 12};
        const rblMeshView view = {.vertex_count = 12,
                                  .face_count = 2,
                                  .corner_count = 12,
                                  .positions = positions,
                                  .face_starts = starts,
                                  .corner_vertices = corners};
        rblIndexArray triangles;
        rbl_array_init(&triangles, rbl_default_allocator());
        check_ok(rbl_triangulate_corners(&view, &triangles, NULL));
        assert_int_equal(triangles.count, 3 * (12 - 4));
        for (size_t i = 0; i < triangles.count; ++i)
        {
            assert_true(triangles.data[i] < 5 ? i < 9 : i >= 9);
        }
        rbl_array_free(&triangles);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_polygons_are_tiled_without_flat_triangles),
        cmocka_unit_test(holes_joined_by_bridges_are_tiled),
        cmocka_unit_test(random_holes_joined_by_bridges_are_tiled),
        cmocka_unit_test(any_closed_walk_becomes_a_ring_of_triangles),
        cmocka_unit_test(a_doubled_corner_costs_one_flat_triangle_only),
        cmocka_unit_test(convex_faces_become_fans),
        cmocka_unit_test(large_outlines_are_tiled),
        cmocka_unit_test(a_hostile_outline_ends_soon),
        cmocka_unit_test(faces_in_any_plane_keep_their_orientation),
        cmocka_unit_test(broken_numbers_still_give_all_triangles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
