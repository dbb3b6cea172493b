// Self-intersections against a slow, exact construction of what two triangles have in common.
#include "testing.h"

#include "base/random.h"
#include "math/triangle_intersection.h"
#include "math/vec.h"
#include "mesh/self_intersection.h"
#include "rational_points.h"
#include <stdlib.h>
#include <string.h>

// ---- the oracle: clip one triangle by the other in rational numbers ----

typedef struct Int3
{
    long long x, y, z;
} Int3;

static Int3 minus(Int3 a, Int3 b)
{
    return (Int3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static Int3 cross(Int3 a, Int3 b)
{
    return (Int3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static long long dot(Int3 a, Int3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

typedef struct HalfSpace
{
    Int3 normal; // normal . p >= offset
    long long offset;
} HalfSpace;

static HalfSpace half_space(Int3 normal, Int3 point)
{
    return (HalfSpace){normal, dot(normal, point)};
}

static long long above(HalfSpace h, Rational3 p)
{
    return h.normal.x * p.x + h.normal.y * p.y + h.normal.z * p.z - h.offset * p.w;
}

typedef struct Convex
{
    int count;
    Rational3 points[16];
} Convex;

static Convex clip(const Convex* in, HalfSpace h)
{
    Convex out = {0};
    for (int i = 0; i < in->count; ++i)
    {
        const Rational3 p = in->points[i];
        const Rational3 q = in->points[(i + 1) % in->count];
        const long long hp = above(h, p);
        const long long hq = above(h, q);
        if (hp >= 0)
        {
            out.points[out.count++] = p;
        }
        if ((hp > 0 && hq < 0) || (hp < 0 && hq > 0))
        {
            // In homogeneous coordinates (hq p - hp q); positive w by choice of sign.
            const long long a = hp > 0 ? -hq : hq;
            const long long b = hp > 0 ? hp : -hp;
            out.points[out.count++] = reduced(
                (Rational3){a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z, a * p.w + b * q.w});
        }
    }
    return out;
}

static Convex common_points(const Int3 a[3], const Int3 b[3])
{
    Convex convex = {.count = 3};
    for (int i = 0; i < 3; ++i)
    {
        convex.points[i] = (Rational3){b[i].x, b[i].y, b[i].z, 1};
    }
    const Int3 normal = cross(minus(a[1], a[0]), minus(a[2], a[0]));
    const Int3 opposite = {-normal.x, -normal.y, -normal.z};
    convex = clip(&convex, half_space(normal, a[0]));
    convex = clip(&convex, half_space(opposite, a[0]));
    for (int e = 0; e < 3; ++e)
    {
        convex = clip(&convex, half_space(cross(normal, minus(a[(e + 1) % 3], a[e])), a[e]));
    }
    return convex;
}

static bool is_point(Rational3 p, Int3 q)
{
    return p.x == q.x * p.w && p.y == q.y * p.w && p.z == q.z * p.w;
}

// p is known to be in both triangles' planes; on the segment uv when it is on its line and between the ends.
static bool on_segment(Rational3 p, Int3 u, Int3 v)
{
    const Int3 along = minus(v, u);
    const Int3 offset = {p.x - u.x * p.w, p.y - u.y * p.w, p.z - u.z * p.w};
    const Int3 area = cross(along, offset);
    const long long t = dot(along, offset);
    return area.x == 0 && area.y == 0 && area.z == 0 && t >= 0 && t <= dot(along, along) * p.w;
}

static bool is_flat(const Int3 t[3])
{
    const Int3 normal = cross(minus(t[1], t[0]), minus(t[2], t[0]));
    return normal.x == 0 && normal.y == 0 && normal.z == 0;
}

typedef struct Soup
{
    uint32_t vertex_count, triangle_count;
    Int3 grid[64];
    rblVec3d positions[64];
    uint32_t corners[3 * 64];
    uint32_t starts[65];
    rblMeshView view;
} Soup;

static bool oracle(const Soup* soup, const uint32_t* names, uint32_t ta, uint32_t tb)
{
    Int3 a[3];
    Int3 b[3];
    Int3 shared[3];
    uint32_t shared_count = 0;
    for (uint32_t i = 0; i < 3; ++i)
    {
        a[i] = soup->grid[soup->corners[3 * ta + i]];
        b[i] = soup->grid[soup->corners[3 * tb + i]];
    }
    if (is_flat(a) || is_flat(b))
    {
        return false;
    }
    for (uint32_t i = 0; i < 9; ++i)
    {
        if (names[soup->corners[3 * ta + i / 3]] == names[soup->corners[3 * tb + i % 3]])
        {
            shared[shared_count++] = a[i / 3];
        }
    }
    const Convex common = common_points(a, b);
    for (int i = 0; i < common.count; ++i)
    {
        const Rational3 p = common.points[i];
        const bool covered = (shared_count == 1 && is_point(p, shared[0])) ||
                             (shared_count == 2 && on_segment(p, shared[0], shared[1]));
        if (!covered)
        {
            return true;
        }
    }
    return false;
}

static void make_soup(Soup* soup, rblRandom* random, uint32_t vertices, uint32_t triangles, uint32_t grid,
                      bool planar)
{
    soup->vertex_count = vertices;
    soup->triangle_count = triangles;
    for (uint32_t v = 0; v < vertices; ++v)
    {
        soup->grid[v] = (Int3){rbl_random_below(random, grid), rbl_random_below(random, grid),
                               planar ? 0 : rbl_random_below(random, grid)};
        soup->grid[v].z += planar ? soup->grid[v].x + 2 * soup->grid[v].y : 0;
        soup->positions[v] =
            rbl_vec3d((double)soup->grid[v].x, (double)soup->grid[v].y, (double)soup->grid[v].z);
    }
    for (uint32_t i = 0; i < 3 * triangles; ++i)
    {
        soup->corners[i] = rbl_random_below(random, vertices);
        soup->starts[i / 3 + 1] = i / 3 * 3 + 3;
    }
    soup->starts[0] = 0;
    soup->view = (rblMeshView){.vertex_count = vertices,
                               .face_count = triangles,
                               .corner_count = 3 * triangles,
                               .positions = soup->positions,
                               .face_starts = soup->starts,
                               .corner_vertices = soup->corners};
}

static void name_vertices(const Soup* soup, uint32_t names[64])
{
    for (uint32_t v = 0; v < soup->vertex_count; ++v)
    {
        names[v] = v;
        for (uint32_t u = 0; u < v && names[v] == v; ++u)
        {
            names[v] = rbl_equal3d(soup->positions[u], soup->positions[v]) ? u : v;
        }
    }
}

static uint32_t check_soup(const Soup* soup)
{
    uint32_t names[64];
    name_vertices(soup, names);
    rblIntersectionArray pairs;
    rbl_array_init(&pairs, rbl_default_allocator());
    check_ok(rbl_self_intersections(&soup->view, NULL, &pairs));
    size_t next = 0;
    for (uint32_t a = 0; a < soup->triangle_count; ++a)
    {
        for (uint32_t b = a + 1; b < soup->triangle_count; ++b)
        {
            const bool found = next < pairs.count && pairs.data[next].triangles[0] == a &&
                               pairs.data[next].triangles[1] == b;
            if (found != oracle(soup, names, a, b))
            {
                fail_msg("triangles %u and %u: %s but not by the oracle", a, b, found ? "found" : "missed");
            }
            next += found;
        }
    }
    assert_int_equal(next, pairs.count);
    rbl_array_free(&pairs);
    return (uint32_t)next;
}

static void grid_soups_agree_with_rational_clipping(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(21, 0);
    uint32_t found = 0;
    for (int round = 0; round < 400; ++round)
    {
        Soup soup;
        const uint32_t vertices = 4 + rbl_random_below(&random, 20);
        const uint32_t grid = 2 + rbl_random_below(&random, 4);
        make_soup(&soup, &random, vertices, 24, grid, rbl_random_below(&random, 4) == 0);
        found += check_soup(&soup);
    }
    assert_in_range(found, 10000, 80000); // of 110400 pairs: both answers occur
}

static void agreement_survives_huge_offsets_and_tiny_sizes(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(22, 0);
    for (int round = 0; round < 60; ++round)
    {
        Soup soup;
        make_soup(&soup, &random, 12, 20, 4, false);
        // Powers of two and integers: the moved soup is the same soup exactly.
        const double scale = round % 2 == 0 ? 0x1p-300 : 0x1p+300;
        const double offset = round % 3 == 0 ? 0x1p+40 : 0;
        for (uint32_t v = 0; v < soup.vertex_count; ++v)
        {
            soup.positions[v] =
                rbl_scale3d(rbl_add3d(soup.positions[v], rbl_vec3d(offset, -offset, 3)), scale);
        }
        check_soup(&soup);
    }
}

// ---- the search ----

typedef struct Cloud
{
    uint32_t count;
    rblVec3d* positions;
    uint32_t* corners;
    uint32_t* starts;
    rblMeshView view;
} Cloud;

static Cloud make_cloud(uint32_t count)
{
    Cloud cloud = {.count = count};
    cloud.positions = calloc((size_t)count * 3, sizeof *cloud.positions);
    cloud.corners = calloc((size_t)count * 3, sizeof *cloud.corners);
    cloud.starts = calloc((size_t)count + 1, sizeof *cloud.starts);
    for (uint32_t i = 0; i < 3 * count; ++i)
    {
        cloud.corners[i] = i;
        cloud.starts[i / 3 + 1] = i / 3 * 3 + 3;
    }
    cloud.view = (rblMeshView){.vertex_count = 3 * count,
                               .face_count = count,
                               .corner_count = 3 * count,
                               .positions = cloud.positions,
                               .face_starts = cloud.starts,
                               .corner_vertices = cloud.corners};
    return cloud;
}

static void free_cloud(Cloud* cloud)
{
    free(cloud->positions);
    free(cloud->corners);
    free(cloud->starts);
}

static void place_triangle(Cloud* cloud, uint32_t triangle, rblRandom* random, double size)
{
    const rblVec3d center = {rbl_random_double(random), rbl_random_double(random), rbl_random_double(random)};
    for (uint32_t i = 0; i < 3; ++i)
    {
        const rblVec3d offset = {rbl_random_range(random, -size, size), rbl_random_range(random, -size, size),
                                 rbl_random_range(random, -size, size)};
        cloud->positions[3 * triangle + i] = rbl_add3d(center, offset);
    }
}

static rblIntersectionArray find(const rblMeshView* view, uint32_t limit)
{
    rblIntersectionArray pairs;
    rbl_array_init(&pairs, rbl_default_allocator());
    const rblIntersectionOptions options = {.limit = limit};
    check_ok(rbl_self_intersections(view, &options, &pairs));
    return pairs;
}

static void every_pair_is_found_whatever_the_sizes(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(23, 0);
    Cloud cloud = make_cloud(1500);
    for (uint32_t t = 0; t < cloud.count; ++t)
    {
        place_triangle(&cloud, t, &random, t % 20 == 7 ? 1.0 : (t % 10 == 3 ? 0.2 : 0.05));
    }
    cloud.positions[30] = rbl_vec3d(1e9, 1e9, 1e9); // one far off
    rblIntersectionArray pairs = find(&cloud.view, 0);
    size_t next = 0;
    for (uint32_t a = 0; a < cloud.count; ++a)
    {
        for (uint32_t b = a + 1; b < cloud.count; ++b)
        {
            const bool found = next < pairs.count && pairs.data[next].triangles[0] == a &&
                               pairs.data[next].triangles[1] == b;
            if (found != rbl_triangles_meet(cloud.positions + 3 * a, cloud.positions + 3 * b, 0))
            {
                fail_msg("pair %u %u: %s", a, b, found ? "does not meet" : "missed");
            }
            next += found;
        }
    }
    assert_int_equal(next, pairs.count);
    assert_true(next > 500);
    rbl_array_free(&pairs);
    free_cloud(&cloud);
}

static void pairs_around_one_vertex_are_all_found(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(25, 0);
    Cloud cloud = make_cloud(600);
    for (uint32_t t = 0; t < cloud.count; ++t)
    {
        // A corner at the hub, the others at most places around it, near or far.
        place_triangle(&cloud, t, &random, t % 3 == 0 ? 0.5 : 0.05);
        cloud.corners[3 * t] = 0;
    }
    cloud.positions[0] = rbl_vec3d(0.5, 0.5, 0.5);
    rblIntersectionArray pairs = find(&cloud.view, 0);
    size_t next = 0;
    for (uint32_t a = 0; a < cloud.count; ++a)
    {
        const rblVec3d ta[3] = {cloud.positions[0], cloud.positions[3 * a + 1], cloud.positions[3 * a + 2]};
        for (uint32_t b = a + 1; b < cloud.count; ++b)
        {
            const rblVec3d tb[3] = {cloud.positions[0], cloud.positions[3 * b + 1],
                                    cloud.positions[3 * b + 2]};
            const bool found = next < pairs.count && pairs.data[next].triangles[0] == a &&
                               pairs.data[next].triangles[1] == b;
            assert_int_equal(found, rbl_triangles_meet(ta, tb, 1));
            next += found;
        }
    }
    assert_int_equal(next, pairs.count);
    assert_true(next > 1000);
    rbl_array_free(&pairs);
    free_cloud(&cloud);
}

// Around a vertex in the middle, or around one on the rim as a convex face is cut.
static void discs_of_many_thin_triangles_do_not_meet_themselves(void** state)
{
    (void)state;
    const uint32_t count = 30000;
    for (int middle = 0; middle < 2; ++middle)
    {
        Cloud cloud = make_cloud(count);
        for (uint32_t t = 0; t < count; ++t)
        {
            const double angle = 2 * 3.14159265358979323846 * t / (count + 2);
            const double height = middle ? 0.1 * cos(5 * angle) : 0.3 * cos(angle) + 0.7 * sin(angle);
            cloud.positions[t + 1] = rbl_vec3d(cos(angle), height, sin(angle));
            cloud.corners[3 * t] = 0;
            cloud.corners[3 * t + 1] = 1 + t;
            cloud.corners[3 * t + 2] = t + 1 == count ? 1 : t + 2;
        }
        cloud.positions[0] = middle ? rbl_vec3d(0, 0, 0) : cloud.positions[1];
        cloud.view.face_count -= middle ? 0 : 1;
        cloud.view.corner_count -= middle ? 0 : 3;
        rblIntersectionArray pairs = find(&cloud.view, 0);
        assert_int_equal(pairs.count, 0);
        rbl_array_free(&pairs);
        free_cloud(&cloud);
    }
}

static bool count_candidate(uint32_t triangle, void* context)
{
    (void)triangle;
    *(uint32_t*)context += 1;
    return true;
}

// A convex polygon is a fan from one of its corners, and the boxes of the triangles in it lie in one another.
static void a_large_polygon_has_few_candidates(void** state)
{
    (void)state;
    enum
    {
        COUNT = 2000
    };
    rblVec3d positions[COUNT];
    uint32_t corners[COUNT];
    const uint32_t starts[2] = {0, COUNT};
    for (uint32_t i = 0; i < COUNT; ++i)
    {
        const double angle = 2 * 3.14159265358979 * i / COUNT;
        positions[i] = rbl_vec3d(cos(angle), 0.3 * cos(angle), sin(angle));
        corners[i] = i;
    }
    const rblMeshView view = {.vertex_count = COUNT,
                              .face_count = 1,
                              .corner_count = COUNT,
                              .positions = positions,
                              .face_starts = starts,
                              .corner_vertices = corners};
    rblTriangleSet set;
    check_ok(rbl_triangle_set_init(&set, &view, rbl_default_allocator()));
    uint32_t candidates = 0;
    for (uint32_t t = 0; t < rbl_triangle_count(&set); ++t)
    {
        rbl_triangles_near(&set, t, count_candidate, &candidates);
    }
    assert_true(candidates >= 3 * COUNT - 10); // itself and its neighbours, which share an edge
    assert_true(candidates < 20 * COUNT);
    rbl_triangle_set_free(&set);
}

static void the_answer_is_the_same_for_any_number_of_workers(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(24, 0);
    Cloud cloud = make_cloud(5000);
    for (uint32_t t = 0; t < cloud.count; ++t)
    {
        place_triangle(&cloud, t, &random, 0.05);
    }
    const uint32_t limits[] = {0, 1, 100, 1234};
    for (int l = 0; l < 4; ++l)
    {
        rblIntersectionArray serial = find(&cloud.view, limits[l]);
        assert_true(limits[l] == 0 ? serial.count > 1234 : serial.count == limits[l]);
        for (uint32_t workers = 2; workers <= 8; workers += 3)
        {
            const rblTasks tasks = tasks_of(workers);
            check_ok(rbl_set_tasks(&tasks));
            rblIntersectionArray pairs = find(&cloud.view, limits[l]);
            assert_int_equal(pairs.count, serial.count);
            assert_memory_equal(pairs.data, serial.data, pairs.count * sizeof *pairs.data);
            rbl_array_free(&pairs);
            check_ok(rbl_set_tasks(NULL));
        }
        rbl_array_free(&serial);
    }
    free_cloud(&cloud);
}

static void many_triangles_on_one_spot_stop_at_the_limit(void** state)
{
    (void)state;
    Cloud cloud = make_cloud(20000);
    for (uint32_t t = 0; t < cloud.count; ++t)
    {
        cloud.positions[3 * t + 1].x = 1;
        cloud.positions[3 * t + 2].y = 1;
    }
    rblIntersectionArray pairs = find(&cloud.view, 50000);
    assert_int_equal(pairs.count, 50000);
    for (size_t i = 0; i < pairs.count; ++i)
    {
        const uint32_t first = i < 19999 ? 0 : (i < 19999 + 19998 ? 1 : 2);
        assert_int_equal(pairs.data[i].triangles[0], first);
    }
    rbl_array_free(&pairs);
    free_cloud(&cloud);
}

// Many clean triangles and then many on one spot: the loop that meets those first is a large one.
static void a_late_crowd_takes_no_more_memory_than_the_limit(void** state)
{
    (void)state;
    const uint32_t clean = 4096;
    const uint32_t limit = 20000;
    Cloud cloud = make_cloud(2 * clean);
    for (uint32_t t = 0; t < cloud.count; ++t)
    {
        const double x = t < clean ? 10 + 3.0 * t : 0;
        for (uint32_t i = 0; i < 3; ++i)
        {
            cloud.positions[3 * t + i] = rbl_vec3d(x + (i == 1), i == 2, 0);
        }
    }
    rblIntersectionArray serial = find(&cloud.view, limit);
    assert_int_equal(serial.count, limit);
    for (size_t i = 0; i < limit; ++i)
    {
        const uint32_t first = (uint32_t)i / (clean - 1); // few enough rounds: each has one less
        assert_true(serial.data[i].triangles[0] - clean - first <= 1);
    }
    assert_true(rbl_peak_bytes() < (size_t)16 << 20);
    const rblTasks tasks = tasks_of(4);
    check_ok(rbl_set_tasks(&tasks));
    rblIntersectionArray parallel = find(&cloud.view, limit);
    assert_int_equal(parallel.count, limit);
    assert_memory_equal(parallel.data, serial.data, limit * sizeof *serial.data);
    rbl_array_free(&parallel);
    rbl_array_free(&serial);
    check_ok(rbl_set_tasks(NULL));
    free_cloud(&cloud);
}

static void one_giant_among_many_tiny_ones_meets_what_it_crosses(void** state)
{
    (void)state;
    enum
    {
        SIDE = 100
    };
    Cloud cloud = make_cloud(SIDE * SIDE + 1);
    for (uint32_t t = 0; t < SIDE * SIDE; ++t)
    {
        const rblVec3d p = {t % SIDE, t / SIDE, 0};
        cloud.positions[3 * t] = rbl_add3d(p, rbl_vec3d(0.1, 0.1, -0.1));
        cloud.positions[3 * t + 1] = rbl_add3d(p, rbl_vec3d(0.4, 0.1, -0.1));
        cloud.positions[3 * t + 2] = rbl_add3d(p, rbl_vec3d(0.2, 0.2, t % 2 == 0 ? 0.1 : -0.05));
    }
    cloud.positions[3 * SIDE * SIDE] = rbl_vec3d(-1000, -1000, 0);
    cloud.positions[3 * SIDE * SIDE + 1] = rbl_vec3d(3000, -1000, 0);
    cloud.positions[3 * SIDE * SIDE + 2] = rbl_vec3d(-1000, 3000, 0);
    rblIntersectionArray pairs = find(&cloud.view, 0);
    assert_int_equal(pairs.count, SIDE * SIDE / 2);
    rbl_array_free(&pairs);
    free_cloud(&cloud);
}

static void flat_and_broken_triangles_meet_nothing(void** state)
{
    (void)state;
    Cloud cloud = make_cloud(4);
    const rblVec3d positions[12] = {
        {0, 0, 0},   {1, 0, 0}, {0, 1, 0}, {-1, 0.2, 0},        {2, 0.2, 0},
        {5, 0.2, 0}, {0, 0, 0}, {1, 0, 0}, {0, (double)NAN, 0}, {0.1, 0.1, (double)INFINITY},
        {0, 0, 1},   {1, 1, 1}};
    memcpy(cloud.positions, positions, sizeof positions);
    rblIntersectionArray pairs = find(&cloud.view, 0);
    assert_int_equal(pairs.count, 0);
    rbl_array_free(&pairs);
    free_cloud(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_soups_agree_with_rational_clipping),
        cmocka_unit_test(agreement_survives_huge_offsets_and_tiny_sizes),
        cmocka_unit_test(every_pair_is_found_whatever_the_sizes),
        cmocka_unit_test(pairs_around_one_vertex_are_all_found),
        cmocka_unit_test(discs_of_many_thin_triangles_do_not_meet_themselves),
        cmocka_unit_test(a_large_polygon_has_few_candidates),
        cmocka_unit_test(the_answer_is_the_same_for_any_number_of_workers),
        cmocka_unit_test(many_triangles_on_one_spot_stop_at_the_limit),
        cmocka_unit_test(a_late_crowd_takes_no_more_memory_than_the_limit),
        cmocka_unit_test(one_giant_among_many_tiny_ones_meets_what_it_crosses),
        cmocka_unit_test(flat_and_broken_triangles_meet_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
