// Round solids: turned profiles and spheres, and their volumes.
#include "testing.h"

#include "base/random.h"
#include "math/vec.h"
#include "mesh/solids/solids.h"
#include "solid_checks.h"
#include <string.h>

#define PI 3.14159265358979323846

// A regular n-gon's area for circumradius 1: what turning with n segments has in place of pi.
static double polygon_area(uint32_t n)
{
    return 0.5 * n * sin(2.0 * PI / n);
}

// Volume of a turned closed outline: signed frusta over the axis, exact for the faceted solid.
static double turned_volume(const double* points, uint32_t count, uint32_t segments)
{
    double sum = 0.0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const double* a = points + 2 * i;
        const double* b = points + 2 * ((i + 1) % count);
        sum += (b[1] - a[1]) * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) / 3.0;
    }
    return polygon_area(segments) * sum;
}

static void round_solids_have_the_volume_of_their_facets(void** state)
{
    (void)state;
    const rblSolidValue cylinder[] = {N1("radius", 0.3), N1("height", 0.8), N1("segments", 7)};
    check_relative(make_and_check("cylinder", cylinder, 3, 1, 0).volume, polygon_area(7) * 0.09 * 0.8, 1e-13);

    double circle[2 * 12];
    for (uint32_t i = 0; i < 12; ++i)
    {
        circle[2 * i] = 0.5 + 0.2 * cos(2.0 * PI * i / 12);
        circle[2 * i + 1] = 0.2 * sin(2.0 * PI * i / 12);
    }
    const rblSolidValue torus[] = {N1("radius", 0.5), N1("tube", 0.2), N1("segments", 9), N1("sides", 12)};
    const double volume = make_and_check("torus", torus, 4, 1, 1).volume;
    check_relative(volume, turned_volume(circle, 12, 9), 1e-13);
    // Pappus: the tube's area times the way of its centre, here around a polygon.
    check_relative(volume, 2.0 * polygon_area(9) * 0.5 * polygon_area(12) * 0.04, 1e-13);

    // 16 segments: 8 rings from pole to pole.
    double half[2 * 9];
    for (uint32_t i = 0; i <= 8; ++i)
    {
        half[2 * i] = i == 0 || i == 8 ? 0.0 : 0.4 * sin(PI * i / 8);
        half[2 * i + 1] = -0.4 * cos(PI * i / 8);
    }
    const rblSolidValue sphere[] = {N1("radius", 0.4), N1("segments", 16)};
    check_relative(make_and_check("sphere", sphere, 2, 1, 0).volume, turned_volume(half, 9, 16), 1e-13);

    // A capsule is such a sphere with a prism in the middle; without one it is the sphere.
    const rblSolidValue capsule[] = {N1("radius", 0.4), N1("height", 1.3), N1("segments", 16)};
    check_relative(make_and_check("capsule", capsule, 3, 1, 0).volume,
                   turned_volume(half, 9, 16) + polygon_area(16) * 0.16 * 0.5, 1e-13);
    const rblSolidValue ball[] = {N1("radius", 0.4), N1("height", 0.8), N1("segments", 16)};
    check_relative(make_and_check("capsule", ball, 3, 1, 0).volume, turned_volume(half, 9, 16), 1e-13);
}

static void icospheres_converge_to_the_ball(void** state)
{
    (void)state;
    const rblSolidValue icosahedron[] = {N1("radius", 1), N1("frequency", 1)};
    const rblMeshReport first = make_and_check("icosphere", icosahedron, 2, 1, 0);
    // Edge a, circumradius a sin(2 pi / 5); volume 5 / 12 (3 + sqrt 5) a^3.
    const double edge = 1.0 / sin(2.0 * PI / 5.0);
    check_relative(first.volume, 5.0 / 12.0 * (3.0 + sqrt(5.0)) * edge * edge * edge, 1e-14);
    assert_int_equal(first.triangles, 20);

    double previous = 4.0 * PI / 3.0 - first.volume;
    for (uint32_t frequency = 2; frequency <= 32; frequency *= 2)
    {
        const rblSolidValue values[] = {N1("radius", 1), N1("frequency", frequency)};
        const rblMeshReport report = make_and_check("icosphere", values, 2, 1, 0);
        assert_int_equal(report.triangles, 20 * frequency * frequency);
        assert_int_equal(report.vertices, 10 * frequency * frequency + 2);
        const double error = 4.0 * PI / 3.0 - report.volume;
        assert_true(error > 0.0);
        assert_true(error < previous / 3.0); // second order: about a quarter each time
        previous = error;
    }
}

static void icosphere_vertices_lie_on_the_sphere(void** state)
{
    (void)state;
    rblMesh* mesh;
    check_ok(rbl_make_icosphere(2.5, 71, rbl_default_allocator(), &mesh));
    const rblMeshView* view = rbl_mesh_get_view(mesh);
    assert_int_equal(view->face_count, 100820);
    for (uint32_t v = 0; v < view->vertex_count; ++v)
    {
        check_close(rbl_length3d(view->positions[v]), 2.5, 1e-14);
    }
    rbl_mesh_free(mesh);
    check_fails(RBL_ERROR_ARGUMENT, rbl_make_icosphere(1.0, 0, rbl_default_allocator(), &mesh));
    check_fails(RBL_ERROR_ARGUMENT, rbl_make_icosphere(1.0, 513, rbl_default_allocator(), &mesh));
    check_fails(RBL_ERROR_ARGUMENT, rbl_make_icosphere(-1.0, 1, rbl_default_allocator(), &mesh));
    check_fails(RBL_ERROR_ARGUMENT, rbl_make_icosphere((double)NAN, 1, rbl_default_allocator(), &mesh));
}

typedef struct LatheCase
{
    double points[16];
    uint32_t pairs;
    double thickness;
} LatheCase;

static rblResult make_lathe(const LatheCase* lathe, rblMeshId* out)
{
    const rblSolidValue values[] = {
        {"profile", lathe->points, lathe->pairs}, N1("thickness", lathe->thickness), N1("segments", 13)};
    return rbl_mesh_make("lathe", values, 3, out);
}

static rblMeshReport lathe_and_check(const LatheCase* lathe, uint32_t components, int32_t genus)
{
    rblMeshId mesh;
    check_ok(make_lathe(lathe, &mesh));
    const rblMeshReport report = check_solid("lathe", mesh, components, genus);
    check_ok(rbl_mesh_destroy(mesh));
    return report;
}

static void closed_profiles_are_turned_exactly(void** state)
{
    (void)state;
    // A cone, drawn either way round, with and without its first point repeated.
    const LatheCase up = {{0, 0, 1, 0, 0, 2}, 3, 0};
    const LatheCase down = {{0, 2, 1, 0, 0, 0}, 3, 0};
    const LatheCase repeated = {{0, 0, 1, 0, 0, 2, 0, 0}, 4, 0};
    const double cone = polygon_area(13) * 2.0 / 3.0;
    check_relative(lathe_and_check(&up, 1, 0).volume, cone, 1e-14);
    check_relative(lathe_and_check(&down, 1, 0).volume, cone, 1e-14);
    check_relative(lathe_and_check(&repeated, 1, 0).volume, cone, 1e-14);
    // Points along the axis are no vertices.
    const LatheCase beads = {{0, 0, 1, 0, 0, 2, 0, 1.5, 0, 0.5}, 5, 0};
    assert_int_equal(lathe_and_check(&beads, 1, 0).vertices, 15);
    // Off the axis: a ring. On it twice: two bodies would touch, so the outline must be one piece; here a
    // spool.
    const LatheCase ring = {{1, 0, 2, 0, 2, 1, 1, 1}, 4, 0};
    check_relative(lathe_and_check(&ring, 1, 1).volume, polygon_area(13) * 3.0, 1e-14);
    const LatheCase hollow = {{0, 0, 2, 0, 2, 3, 0, 3, 0, 2, 1, 2, 1, 1, 0, 1}, 8, 0};
    check_relative(lathe_and_check(&hollow, 2, 0).volume, polygon_area(13) * 11.0, 1e-14);
}

static void random_stars_are_turned_exactly(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(3, 1);
    for (uint32_t trial = 0; trial < 60; ++trial)
    {
        // Star-shaped about (2, 0), so simple whatever the radii.
        const uint32_t count = 3 + rbl_random_below(&random, 6);
        LatheCase lathe = {{0}, count, 0};
        for (uint32_t i = 0; i < count; ++i)
        {
            const double angle = 2.0 * PI * (i + rbl_random_range(&random, 0.0, 0.4)) / count;
            const double r = rbl_random_range(&random, 0.2, 1.8);
            lathe.points[2 * i] = 2.0 + r * cos(angle);
            lathe.points[2 * i + 1] = r * sin(angle);
        }
        check_relative(lathe_and_check(&lathe, 1, 1).volume, turned_volume(lathe.points, count, 13), 1e-12);
    }
}

static void shells_have_the_thickness_asked_for(void** state)
{
    (void)state;
    // A pipe, drawn upward: the wall lies inside.
    const LatheCase pipe = {{1, 0, 1, 2}, 2, 0.25};
    check_relative(lathe_and_check(&pipe, 1, 1).volume, polygon_area(13) * 2.0 * (1.0 - 0.75 * 0.75), 1e-14);
    // Drawn downward: outside.
    const LatheCase wide = {{1, 2, 1, 0}, 2, 0.25};
    check_relative(lathe_and_check(&wide, 1, 1).volume, polygon_area(13) * 2.0 * (1.25 * 1.25 - 1.0), 1e-14);
    // A cup: floor and wall, mitred.
    const LatheCase cup = {{0, 0, 1, 0, 1, 2}, 3, 0.25};
    check_relative(lathe_and_check(&cup, 1, 0).volume, polygon_area(13) * (2.0 - 1.75 * 0.75 * 0.75), 1e-14);
    // The same cup drawn from its rim.
    const LatheCase rim_first = {{1, 2, 1, 0, 0, 0}, 3, 0.25};
    assert_int_equal(lathe_and_check(&rim_first, 1, 0).components, 1);
    // A sealed can: two surfaces.
    const LatheCase can = {{0, 0, 1, 0, 1, 2, 0, 2}, 4, 0.25};
    check_relative(lathe_and_check(&can, 2, 0).volume, polygon_area(13) * (2.0 - 1.5 * 0.75 * 0.75), 1e-14);
    // Two cones tip to rim: offsets of sloping edges meet the axis further in.
    const LatheCase cones = {{0, 0, 1, 1, 0, 2}, 3, 0.1};
    const double inner = 1.0 - 0.1 * sqrt(2.0);
    check_relative(lathe_and_check(&cones, 2, 0).volume,
                   polygon_area(13) * 2.0 / 3.0 * (1.0 - inner * inner * inner), 1e-13);
    // A hat: the outer side of a sharp corner is rounded off, everywhere within the thickness.
    const LatheCase hat = {{0.5, 0, 1, 1, 1.5, 0}, 3, 0.2};
    const rblMeshReport report = lathe_and_check(&hat, 1, 1);
    check_close(report.bounds.upper.y, 1.2, 0.02);
}

static void random_shells_are_solid_or_refused(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(11, 4);
    uint32_t made = 0;
    for (uint32_t trial = 0; trial < 400; ++trial)
    {
        // A walk that may start and end on the axis and turn any way it likes.
        const uint32_t count = 2 + rbl_random_below(&random, 6);
        LatheCase lathe = {{0}, count, rbl_random_range(&random, 0.02, 0.4)};
        double r = rbl_random_below(&random, 2) == 0 ? 0.0 : rbl_random_range(&random, 0.2, 2.0);
        double y = 0.0;
        for (uint32_t i = 0; i < count; ++i)
        {
            lathe.points[2 * i] = r;
            lathe.points[2 * i + 1] = y;
            r = i + 2 == count && rbl_random_below(&random, 3) == 0
                    ? 0.0
                    : fabs(r + rbl_random_range(&random, -0.8, 1.0));
            y += rbl_random_range(&random, -0.6, 1.0);
        }
        rblMeshId mesh;
        const rblResult result = make_lathe(&lathe, &mesh);
        if (result != RBL_OK)
        {
            assert_int_equal(result, RBL_ERROR_ARGUMENT);
            continue;
        }
        const bool starts_on_axis = lathe.points[0] == 0.0;
        const bool ends_on_axis = lathe.points[2 * count - 2] == 0.0;
        check_solid("shell", mesh, starts_on_axis && ends_on_axis ? 2 : 1, !starts_on_axis && !ends_on_axis);
        check_ok(rbl_mesh_destroy(mesh));
        made += 1;
    }
    assert_true(made > 150);
}

static void impossible_profiles_are_refused(void** state)
{
    (void)state;
    static const LatheCase cases[] = {
        {{0, 0, 1, 0}, 2, 0},                      // encloses nothing
        {{1, 0}, 1, 0},                            // not even a line
        {{1, 0}, 1, 0.1},                          //
        {{0, 0, -1, 1, 0, 2}, 3, 0},               // beyond the axis
        {{0, 0, 1, 0, 1, 1}, 3, 0},                // touches the axis in one point
        {{1, 0, 2, 0, 0, 1, 2, 2, 1, 2}, 5, 0},    // likewise, in the middle
        {{1, 0, 2, 1, 2, 0, 1, 1}, 4, 0},          // crosses itself
        {{1, 0, 2, 0, 2, 1, 1.5, 0, 1, 1}, 5, 0},  // touches itself with a vertex
        {{1, 0, 3, 0, 2, 0}, 3, 0},                // flat
        {{1, 0, 2, 0, 2, 1, 2, 0.5, 1, 1}, 5, 0},  // runs back over itself
        {{1, 0, 1, 0, 2, 0, 2, 1}, 4, 0},          // repeats a point
        {{1, 0, 2, 0, 2, 1, 1, 0, 1, 0}, 5, 0},    //
        {{0, 0, 0, 1}, 2, 0.1},                    // a shell of the axis
        {{0, 0, 1, 0, 0, 1, 1, 1}, 4, 0.1},        // a shell through the axis
        {{1, 0, 1, 1}, 2, 1.5},                    // the wall reaches beyond the axis
        {{0, 0, 1, 0, 1, 2}, 3, 1.1},              // thicker than the cup is wide
        {{0, 0, 1, 0, 1, 0.2, 0.9, 0.2}, 4, 0.15}, // too tight a bend
        {{2, 0, 2, 2, 1, 2, 1, 0}, 4, 0.6},        // the two sides meet
    };
    for (size_t i = 0; i < COUNT_OF(cases); ++i)
    {
        rblMeshId mesh = {77, 78};
        const rblResult result = make_lathe(&cases[i], &mesh);
        if (result != RBL_ERROR_ARGUMENT)
        {
            fail_msg("profile %zu: %s", i, rbl_result_name(result));
        }
        assert_int_equal(strncmp(rbl_last_error(), "lathe: ", 7), 0);
        assert_int_equal(mesh.index1, 77);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_solids_have_the_volume_of_their_facets),
        cmocka_unit_test(icospheres_converge_to_the_ball),
        cmocka_unit_test(icosphere_vertices_lie_on_the_sphere),
        cmocka_unit_test(closed_profiles_are_turned_exactly),
        cmocka_unit_test(random_stars_are_turned_exactly),
        cmocka_unit_test(shells_have_the_thickness_asked_for),
        cmocka_unit_test(random_shells_are_solid_or_refused),
        cmocka_unit_test(impossible_profiles_are_refused),
    };
    return cmocka_run_group_tests_name("solids_round", tests, NULL, NULL);
}
