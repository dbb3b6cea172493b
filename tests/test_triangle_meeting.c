// What two triangles have in common, against two slow exact oracles: separating directions in integers, for any
// triangles, and clipping in rational numbers, for what the common part is.
#include "testing.h"

#include "base/random.h"
#include "math/triangle_meeting.h"
#include "math/vec.h"
#include "random_point.h"
#include "rational_points.h"
#include "triangle_oracle.h"
#include <stdlib.h>

// ---- clipping ----

static bool same_point(Rational3 p, Rational3 q)
{
    return p.x == q.x && p.y == q.y && p.z == q.z && p.w == q.w;
}

typedef struct Convex
{
    int count;
    Rational3 points[16];
} Convex;

// The part of a convex polygon with normal . p >= normal . at.
static Convex clip(const Convex* in, Int3 normal, Int3 at)
{
    Convex out = {0};
    for (int i = 0; i < in->count; ++i)
    {
        const Rational3 p = in->points[i];
        const Rational3 q = in->points[(i + 1) % in->count];
        const long long hp = dot(normal, (Int3){p.x, p.y, p.z}) - dot(normal, at) * p.w;
        const long long hq = dot(normal, (Int3){q.x, q.y, q.z}) - dot(normal, at) * q.w;
        if (hp >= 0)
        {
            out.points[out.count++] = p;
        }
        if ((hp > 0 && hq < 0) || (hp < 0 && hq > 0))
        {
            const long long a = hp > 0 ? -hq : hq;
            const long long b = hp > 0 ? hp : -hp;
            out.points[out.count++] = reduced(
                (Rational3){a * p.x + b * q.x, a * p.y + b * q.y, a * p.z + b * q.z, a * p.w + b * q.w});
        }
    }
    return out;
}

// p strictly between q and r.
static bool lies_between(Rational3 q, Rational3 p, Rational3 r)
{
    const Int3 u = {p.x * q.w - q.x * p.w, p.y * q.w - q.y * p.w, p.z * q.w - q.z * p.w};
    const Int3 v = {r.x * p.w - p.x * r.w, r.y * p.w - p.y * r.w, r.z * p.w - p.z * r.w};
    return is_zero(cross(u, v)) && dot(u, v) > 0;
}

// The corners of the common part of two triangles with area.
static Convex common_corners(const Int3 a[3], const Int3 b[3])
{
    Convex part = {.count = 3};
    for (int i = 0; i < 3; ++i)
    {
        part.points[i] = (Rational3){b[i].x, b[i].y, b[i].z, 1};
    }
    const Int3 normal = cross(minus(a[1], a[0]), minus(a[2], a[0]));
    part = clip(&part, normal, a[0]);
    part = clip(&part, (Int3){-normal.x, -normal.y, -normal.z}, a[0]);
    for (int e = 0; e < 3; ++e)
    {
        part = clip(&part, cross(normal, minus(a[(e + 1) % 3], a[e])), a[e]);
    }
    Convex corners = {0};
    for (int i = 0; i < part.count; ++i)
    {
        bool corner = true;
        for (int k = 0; k < part.count; ++k)
        {
            corner = corner && !(k < i && same_point(part.points[i], part.points[k]));
            for (int m = 0; m < part.count; ++m)
            {
                corner = corner && !lies_between(part.points[k], part.points[i], part.points[m]);
            }
        }
        if (corner)
        {
            corners.points[corners.count++] = part.points[i];
        }
    }
    return corners;
}

// ---- comparison ----

// An affine map with integers: incidences stay, but what was open becomes nearly flat.
typedef struct Map
{
    double scale, shear;
    rblVec3d offset;
} Map;

static rblVec3d mapped(const Map* map, double x, double y, double z)
{
    x += map->shear * y;
    z += map->shear * x;
    return (rblVec3d){map->scale * (x + map->offset.x), map->scale * (y + map->offset.y),
                      map->scale * (z + map->offset.z)};
}

static void map_triangle(const Map* map, const Int3 t[3], rblVec3d out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        out[i] = mapped(map, (double)t[i].x, (double)t[i].y, (double)t[i].z);
    }
}

static rblVec3d part_center(const rblVec3d t[3], uint32_t part)
{
    if (part < RBL_PART_EDGE)
    {
        return t[part];
    }
    const uint32_t e = part - RBL_PART_EDGE;
    return part < RBL_PART_FACE ? rbl_scale3d(rbl_add3d(t[e], t[(e + 1) % 3]), 0.5)
                                : rbl_scale3d(rbl_add3d(t[0], rbl_add3d(t[1], t[2])), 1.0 / 3.0);
}

// How far a point is from the plane, line or point of a part.
static double distance_to_part(const rblVec3d t[3], uint32_t part, rblVec3d p)
{
    const rblVec3d d = rbl_sub3d(p, part_center(t, part));
    if (part < RBL_PART_EDGE)
    {
        return rbl_length3d(d);
    }
    const rblVec3d zero = {0, 0, 0};
    if (part < RBL_PART_FACE)
    {
        const uint32_t e = part - RBL_PART_EDGE;
        const rblVec3d along = rbl_normalize3d(rbl_sub3d(t[(e + 1) % 3], t[e]), zero);
        return rbl_length3d(rbl_sub3d(d, rbl_scale3d(along, rbl_dot3d(along, d))));
    }
    const rblVec3d normal = rbl_cross3d(rbl_sub3d(t[1], t[0]), rbl_sub3d(t[2], t[0]));
    return fabs(rbl_dot3d(rbl_normalize3d(normal, zero), d));
}

static double size_of(const rblVec3d t[3])
{
    double size = 0;
    for (int i = 0; i < 3; ++i)
    {
        size = rbl_maxd(size, rbl_maxd(fabs(t[i].x), rbl_maxd(fabs(t[i].y), fabs(t[i].z))));
    }
    return size;
}

static void check_points(const rblVec3d a[3], const rblVec3d b[3], const rblMeeting* m)
{
    const double tolerance = 1e-14 * rbl_maxd(size_of(a), size_of(b));
    for (uint32_t i = 0; i < m->count; ++i)
    {
        const rblMeetingPoint* p = &m->points[i];
        assert_true(p->part_a <= RBL_PART_FACE && p->part_b <= RBL_PART_FACE);
        assert_true(distance_to_part(a, p->part_a, p->at) <= tolerance);
        assert_true(distance_to_part(b, p->part_b, p->at) <= tolerance);
    }
}

// Each corner by the oracle must be there, near enough, and nothing else.
static void check_corners(const Convex* corners, const Map* map, const rblMeeting* m, double tolerance)
{
    assert_int_equal(corners->count, m->count);
    for (int i = 0; i < corners->count; ++i)
    {
        const Rational3 c = corners->points[i];
        const double w = (double)c.w;
        const rblVec3d p = mapped(map, (double)c.x / w, (double)c.y / w, (double)c.z / w);
        double nearest = INFINITY;
        for (uint32_t k = 0; k < m->count; ++k)
        {
            nearest = rbl_mind(nearest, rbl_distance3d(p, m->points[k].at));
        }
        assert_true(nearest <= tolerance);
    }
}

// Corners of a polygon stand in order: no two sides of it cross, so the sum of its triangles' areas keeps its sign.
static void check_order(const rblMeeting* m)
{
    const rblVec3d origin = m->points[0].at;
    rblVec3d first = {0, 0, 0};
    for (uint32_t i = 1; i + 1 < m->count; ++i)
    {
        const rblVec3d area =
            rbl_cross3d(rbl_sub3d(m->points[i].at, origin), rbl_sub3d(m->points[i + 1].at, origin));
        first = i == 1 ? area : first;
        assert_true(rbl_dot3d(first, area) > 0);
    }
}

static uint32_t check_pair(const Int3 ga[3], const Int3 gb[3], const Map* map)
{
    rblVec3d a[3], b[3];
    map_triangle(map, ga, a);
    map_triangle(map, gb, b);
    rblMeeting m, swapped;
    const bool meet = rbl_triangle_meeting(a, b, &m);
    assert_int_equal(meet, hulls_meet(ga, gb));
    assert_int_equal(meet, m.count > 0);
    assert_int_equal(rbl_triangle_meeting(b, a, &swapped), meet);
    assert_int_equal(swapped.count, m.count);
    assert_int_equal(swapped.coplanar, m.coplanar);
    const bool sheared = map->shear != 0;
    if (!sheared)
    {
        check_points(a, b, &m);
    }
    if (!is_flat(ga) && !is_flat(gb))
    {
        const Convex corners = common_corners(ga, gb);
        check_corners(&corners, map, &m, 1e-14 * rbl_maxd(size_of(a), size_of(b)));
        if (m.count > 2 && !sheared)
        {
            check_order(&m);
        }
    }
    return m.count;
}

static void random_triangle(rblRandom* random, uint32_t grid, bool planar, Int3 out[3])
{
    for (int i = 0; i < 3; ++i)
    {
        out[i] = (Int3){rbl_random_below(random, grid), rbl_random_below(random, grid), 0};
        out[i].z = planar ? out[i].x + 2 * out[i].y : rbl_random_below(random, grid);
    }
}

static void lattice_triangles_agree_with_the_oracles(void** state)
{
    (void)state;
    const Map maps[] = {{1, 0, {0, 0, 0}},      {0x1p-66, 0, {0, 0, 0}},
                        {0x1p50, 0, {0, 0, 0}}, {0x1p-10, 0, {1048576, -1048576, 524288}},
                        {1, 0x1p18, {0, 0, 0}}, {0x1p-20, 0x1p14, {65536, 3, -65536}}};
    rblRandom random = rbl_random_seed(31, 0);
    uint32_t counts[RBL_MAX_MEETING_POINTS + 1] = {0};
    for (int round = 0; round < 12000; ++round)
    {
        Int3 a[3], b[3];
        const uint32_t grid = 1 + rbl_random_below(&random, 5);
        const bool planar = rbl_random_below(&random, 4) == 0;
        random_triangle(&random, grid, planar, a);
        random_triangle(&random, grid, planar, b);
        for (int i = 0; i < 3 && round % 5 == 0; ++i) // shared corners and edges
        {
            b[i] = rbl_random_below(&random, 2) == 0 ? a[i] : b[i];
        }
        counts[check_pair(a, b, &maps[round % 6])] += 1;
    }
    for (int i = 0; i <= RBL_MAX_MEETING_POINTS; ++i)
    {
        assert_true(counts[i] > 0);
    }
}

// Long thin triangles on a finer grid, crossing at small angles; needles and points among them.
static void slivers_agree_with_separating_directions(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(32, 0);
    const Map map = {0x1p-8, 0, {0, 0, 0}};
    uint32_t met = 0;
    for (int round = 0; round < 6000; ++round)
    {
        Int3 t[2][3];
        for (int i = 0; i < 6; ++i)
        {
            const long long s = (long long)rbl_random_below(&random, 200);
            t[i / 3][i % 3] =
                (Int3){s, s + rbl_random_below(&random, 3), 2 * s + rbl_random_below(&random, 2)};
        }
        rblVec3d a[3], b[3];
        map_triangle(&map, t[0], a);
        map_triangle(&map, t[1], b);
        rblMeeting m;
        const bool meet = rbl_triangle_meeting(a, b, &m);
        assert_int_equal(meet, hulls_meet(t[0], t[1]));
        check_points(a, b, &m);
        met += meet;
    }
    assert_in_range(met, 300, 5700);
}

static void degenerate_triangles_are_the_segments_and_points_they_look_like(void** state)
{
    (void)state;
    const rblVec3d face[3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
    const rblVec3d point[3] = {{1, 1, 0}, {1, 1, 0}, {1, 1, 0}};
    const rblVec3d needle[3] = {{1, 1, 1}, {1, 1, -1}, {1, 1, 0}};
    const rblVec3d lying[3] = {{-1, 1, 0}, {5, 1, 0}, {2, 1, 0}};
    rblMeeting m;
    assert_true(rbl_triangle_meeting(face, point, &m));
    assert_int_equal(m.count, 1);
    assert_int_equal(m.points[0].part_a, RBL_PART_FACE);
    assert_int_equal(m.points[0].part_b, 0);
    assert_true(m.coplanar);
    assert_true(rbl_triangle_meeting(needle, face, &m));
    assert_int_equal(m.count, 1);
    assert_int_equal(m.points[0].part_a, RBL_PART_EDGE + 0);
    assert_int_equal(m.points[0].part_b, RBL_PART_FACE);
    assert_true(rbl_equal3d(m.points[0].at, rbl_vec3d(1, 1, 0)));
    assert_true(rbl_triangle_meeting(lying, face, &m));
    assert_int_equal(m.count, 2);
    assert_true(m.coplanar);
    assert_true(rbl_triangle_meeting(needle, lying, &m));
    assert_int_equal(m.count, 1);
    assert_int_equal(m.points[0].part_a, RBL_PART_EDGE + 0);
    assert_int_equal(m.points[0].part_b, RBL_PART_EDGE + 0);
    assert_true(rbl_triangle_meeting(point, point, &m));
    assert_int_equal(m.count, 1);
    assert_true(rbl_triangle_meeting(lying, lying, &m));
    assert_int_equal(m.count, 2);
    assert_true(rbl_triangle_meeting(face, face, &m));
    assert_int_equal(m.count, 3);
}

// The two faces of an edge must get the same point where it goes through a third one.
static void neighbours_agree_on_the_point_of_their_edge(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(33, 0);
    uint32_t pierced = 0;
    for (int round = 0; round < 2000; ++round)
    {
        rblVec3d p[7];
        for (int i = 0; i < 7; ++i)
        {
            p[i] = random_vec3d(&random, 0, 1);
        }
        const rblVec3d a[3] = {p[0], p[1], p[2]}, b[3] = {p[1], p[0], p[3]};
        const rblVec3d face[3] = {p[4], p[5], p[6]};
        rblMeeting m, n;
        rbl_triangle_meeting(a, face, &m);
        rbl_triangle_meeting(face, b, &n);
        for (uint32_t i = 0; i < m.count; ++i)
        {
            for (uint32_t k = 0; k < n.count; ++k)
            {
                if (m.points[i].part_a == RBL_PART_EDGE && n.points[k].part_b == RBL_PART_EDGE)
                {
                    assert_memory_equal(&m.points[i].at, &n.points[k].at, sizeof(rblVec3d));
                    pierced += 1;
                }
            }
        }
    }
    assert_true(pierced > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lattice_triangles_agree_with_the_oracles),
        cmocka_unit_test(slivers_agree_with_separating_directions),
        cmocka_unit_test(degenerate_triangles_are_the_segments_and_points_they_look_like),
        cmocka_unit_test(neighbours_agree_on_the_point_of_their_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
