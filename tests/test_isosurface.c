// Isosurfaces: always closed and manifold, convergent where smooth, for every field.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "isosurface_checks.h"
#include "math/vec.h"
#include "mesh/isosurface/isosurface.h"
#include "rotations.h"
#include <string.h>

#define PI 3.14159265358979323846

static const double infinite = (double)INFINITY;
static const double not_a_number = (double)NAN;

// ---- smooth surfaces ----

typedef struct Ball
{
    rblVec3d center;
    double radius;
} Ball;

static double ball_field(rblVec3d p, void* context)
{
    const Ball* ball = context;
    return rbl_distance3d(p, ball->center) - ball->radius;
}

static double torus_field(rblVec3d p, void* context)
{
    const double ring = sqrt(p.x * p.x + p.y * p.y) - 0.55;
    (void)context;
    return ring * ring + p.z * p.z - 0.25 * 0.25; // not a distance
}

// Errors of volume and area shrink at least by `factor` when the cells halve.
static void check_convergence(rblFieldFcn* field, void* context, rblIsosurfaceMethod method, double volume,
                              double area)
{
    double volume_error[3], area_error[3];
    for (uint32_t i = 0; i < 3; ++i)
    {
        rblIsosurfaceDef def = make_def(field, context, 12u << i);
        def.method = method;
        const rblMeshId mesh = extract(&def);
        const rblMeshReport report = check_sound(mesh);
        volume_error[i] = fabs(report.volume / volume - 1);
        area_error[i] = fabs(report.area / area - 1);
        check_ok(rbl_mesh_destroy(mesh));
    }
    for (int i = 0; i < 2; ++i)
    {
        if (!(volume_error[i] > 3 * volume_error[i + 1] && area_error[i] > 3 * area_error[i + 1]))
        {
            fail_msg("method %d: volume errors %g %g, area errors %g %g", (int)method, volume_error[i],
                     volume_error[i + 1], area_error[i], area_error[i + 1]);
        }
    }
}

static void spheres_and_tori_converge_with_second_order(void** state)
{
    (void)state;
    Ball ball = {{0.013, -0.021, 0.034}, 0.8};
    for (int method = RBL_DUAL_CONTOURING; method <= RBL_SURFACE_NETS; ++method)
    {
        check_convergence(ball_field, &ball, (rblIsosurfaceMethod)method, 4.0 / 3 * PI * 0.8 * 0.8 * 0.8,
                          4 * PI * 0.8 * 0.8);
    }
    // Dual contouring takes a tube two cells thick for an edge, and has its second order only once cells are smaller.
    check_convergence(torus_field, NULL, RBL_SURFACE_NETS, 2 * PI * PI * 0.55 * 0.25 * 0.25,
                      4 * PI * PI * 0.55 * 0.25);
}

static void topology_is_that_of_the_field(void** state)
{
    (void)state;
    rblIsosurfaceDef def = make_def(torus_field, NULL, 32);
    const rblMeshId mesh = extract(&def);
    const rblMeshReport report = check_sound(mesh);
    assert_true(report.components == 1 && report.genus == 1 && report.outward);
    check_ok(rbl_mesh_destroy(mesh));
}

static double shell_field(rblVec3d p, void* context)
{
    (void)context;
    return fabs(rbl_length3d(p) - 0.6) - 0.15;
}

static void a_cavity_faces_inward(void** state)
{
    (void)state;
    rblIsosurfaceDef def = make_def(shell_field, NULL, 24);
    const rblMeshId mesh = extract(&def);
    const rblMeshReport report = check_sound(mesh);
    assert_true(report.components == 2 && report.genus == 0 && report.outward);
    rblMassProperties properties;
    check_ok(rbl_mesh_mass_properties(mesh, 1, &properties));
    check_relative(properties.volume, 4.0 / 3 * PI * (0.75 * 0.75 * 0.75 - 0.45 * 0.45 * 0.45), 0.02);
    check_ok(rbl_mesh_destroy(mesh));
}

static void another_level_is_another_surface(void** state)
{
    (void)state;
    Ball ball = {{0, 0, 0}, 0.3};
    rblIsosurfaceDef def = make_def(ball_field, &ball, 32);
    def.level = 0.4;
    const rblMeshId mesh = extract(&def);
    const rblMeshReport report = check_sound(mesh);
    check_relative(report.volume, 4.0 / 3 * PI * 0.7 * 0.7 * 0.7, 0.01);
    check_ok(rbl_mesh_destroy(mesh));
}

// ---- the worst fields ----

#define NOISE_MAX 8

// Values at the nodes of 0 .. cells, trilinear between or constant around them.
typedef struct Noise
{
    double values[NOISE_MAX + 1][NOISE_MAX + 1][NOISE_MAX + 1];
    bool stepped;
} Noise;

static double noise_field(rblVec3d p, void* context)
{
    const Noise* noise = context;
    if (noise->stepped)
    {
        return noise->values[(int)floor(p.z + 0.5)][(int)floor(p.y + 0.5)][(int)floor(p.x + 0.5)];
    }
    const int i = p.x < NOISE_MAX ? (int)p.x : NOISE_MAX - 1;
    const int j = p.y < NOISE_MAX ? (int)p.y : NOISE_MAX - 1;
    const int k = p.z < NOISE_MAX ? (int)p.z : NOISE_MAX - 1;
    const double u = p.x - i, v = p.y - j, w = p.z - k;
    double sum = 0;
    for (int c = 0; c < 8; ++c)
    {
        const double weight = ((c & 1) ? u : 1 - u) * ((c & 2) ? v : 1 - v) * ((c & 4) ? w : 1 - w);
        sum += weight * noise->values[k + (c >> 2)][j + (c >> 1 & 1)][i + (c & 1)];
    }
    return sum;
}

static void fill_noise(Noise* noise, rblRandom* random, double orders)
{
    double* values = &noise->values[0][0][0];
    for (size_t i = 0; i < sizeof noise->values / sizeof(double); ++i)
    {
        const double size = pow(10, rbl_random_range(random, -orders, 0));
        values[i] = rbl_random_below(random, 2) == 0 ? -size : size;
    }
}

static void random_signs_always_give_a_sound_mesh(void** state)
{
    (void)state;
    const int cases = LONG_RUN ? 6000 : 500;
    rblRandom random = rbl_random_seed(256, 1);
    static Noise noise;
    for (int i = 0; i < cases; ++i)
    {
        // Values of the same size, crossings in the middle; of very different size, crossings close to nodes; steps.
        fill_noise(&noise, &random, i % 3 == 1 ? 6 : 0.5);
        noise.stepped = i % 3 == 2;
        rblIsosurfaceDef def = make_def(noise_field, &noise, 0);
        def.method = i % 2 == 0 ? RBL_DUAL_CONTOURING : RBL_SURFACE_NETS;
        for (int k = 0; k < 3; ++k)
        {
            def.cells[k] = 2 + rbl_random_below(&random, 4);
        }
        def.bounds = (rblAabbd){{0, 0, 0}, {def.cells[0], def.cells[1], def.cells[2]}};
        rblMeshId mesh;
        const rblResult result = rbl_mesh_isosurface(&def, &mesh);
        if (result == RBL_OK)
        {
            check_sound(mesh);
            check_ok(rbl_mesh_destroy(mesh));
        }
        assert_true(result == RBL_OK || result == RBL_ERROR_GEOMETRY);
    }
}

// Every way in which the eight corners of a cell can be inside or outside, and every pair of such neighbours with an
// alternating side between them, occurs in these grids of three by three by four nodes.
static void all_cases_of_a_cell_give_a_sound_mesh(void** state)
{
    (void)state;
    static Noise noise;
    noise.stepped = false;
    rblRandom random = rbl_random_seed(257, 1);
    for (uint32_t inside = 1; inside < 256; ++inside)
    {
        fill_noise(&noise, &random, 0.3);
        for (int c = 0; c < 8; ++c)
        {
            double* value = &noise.values[1 + (c >> 2)][1 + (c >> 1 & 1)][1 + (c & 1)];
            *value = (inside >> c & 1) ? -fabs(*value) : fabs(*value);
        }
        rblIsosurfaceDef def = make_def(noise_field, &noise, 3);
        def.bounds = (rblAabbd){{0, 0, 0}, {3, 3, 3}};
        const rblMeshId mesh = extract(&def);
        check_sound(mesh);
        check_ok(rbl_mesh_destroy(mesh));
    }
}

// Pyramids added and cut away: thin tips in all directions, where vertices reach into empty cells.
typedef struct Spikes
{
    int count;
    struct
    {
        rblVec3d normals[6];
        double offsets[6];
        bool hollow;
    } spike[6];
} Spikes;

static double spikes_field(rblVec3d p, void* context)
{
    const Spikes* spikes = context;
    double result = 1e9;
    for (int i = 0; i < spikes->count; ++i)
    {
        double inside = -1e9;
        for (int k = 0; k < 6; ++k)
        {
            inside = fmax(inside, rbl_dot3d(spikes->spike[i].normals[k], p) - spikes->spike[i].offsets[k]);
        }
        result = spikes->spike[i].hollow ? fmax(result, -inside) : fmin(result, inside);
    }
    return result;
}

static Spikes random_spikes(rblRandom* random)
{
    Spikes spikes = {.count = 1 + (int)rbl_random_below(random, 6)};
    for (int i = 0; i < spikes.count; ++i)
    {
        const rblMat3d frame = random_rotation(random);
        const rblVec3d apex = {rbl_random_range(random, -0.9, 0.9), rbl_random_range(random, -0.9, 0.9),
                               rbl_random_range(random, -0.9, 0.9)};
        const double slope = rbl_random_range(random, 0.2, 1.5);
        spikes.spike[i].hollow = i > 0 && rbl_random_below(random, 3) == 0;
        for (int k = 0; k < 6; ++k)
        {
            const double angle = 2 * PI * rbl_random_range(random, k, k + 1) / 5;
            rblVec3d n = rbl_scale3d(frame.cz, slope);
            n = rbl_mul_add3d(n, cos(angle), frame.cx);
            n = k < 5 ? rbl_mul_add3d(n, sin(angle), frame.cy) : rbl_neg3d(frame.cz);
            n = rbl_scale3d(n, 1 / rbl_length3d(n));
            spikes.spike[i].normals[k] = n;
            spikes.spike[i].offsets[k] =
                rbl_dot3d(n, apex) + (k < 5 ? 0 : rbl_random_range(random, 0.3, 1.5));
        }
    }
    return spikes;
}

static void thin_tips_give_a_sound_mesh(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(258, 1);
    for (int i = 0; i < (LONG_RUN ? 1000 : 60); ++i)
    {
        Spikes spikes = random_spikes(&random);
        rblIsosurfaceDef def = make_def(spikes_field, &spikes, 0);
        for (int k = 0; k < 3; ++k)
        {
            def.cells[k] = 6 + rbl_random_below(&random, 12);
        }
        rblMeshId mesh;
        const rblResult result = rbl_mesh_isosurface(&def, &mesh);
        if (result == RBL_OK)
        {
            check_sound(mesh);
            check_ok(rbl_mesh_destroy(mesh));
        }
        assert_true(result == RBL_OK || result == RBL_ERROR_GEOMETRY);
    }
}

static double everywhere_inside(rblVec3d p, void* context)
{
    (void)p;
    (void)context;
    return -1;
}

static void one_node_inside_gives_a_box(void** state)
{
    (void)state;
    rblIsosurfaceDef def = make_def(everywhere_inside, NULL, 2);
    const rblMeshId mesh = extract(&def);
    const rblMeshReport report = check_sound(mesh);
    assert_int_equal(report.vertices, 8);
    assert_true(report.genus == 0 && report.components == 1 && report.outward);
    check_ok(rbl_mesh_destroy(mesh));
}

// ---- the border ----

static void what_crosses_the_border_is_closed_off_along_it(void** state)
{
    (void)state;
    Ball ball = {{0.2, 0, 0}, 1.1}; // bulges out of every side
    rblIsosurfaceDef whole = make_def(everywhere_inside, NULL, 10);
    whole.bounds = (rblAabbd){{-1, -2, 0}, {3, 1, 2}};
    const rblMeshId box = extract(&whole);
    rblMeshReport report = check_sound(box);
    check_relative(report.volume, 4 * 3 * 2, 1e-4);
    check_relative(report.area, 2 * (4 * 3 + 3 * 2 + 2 * 4), 1e-4);
    check_ok(rbl_mesh_destroy(box));

    // The part of the ball in the bounds, with its rim as sharp as the bounds': against counting fine samples.
    rblIsosurfaceDef def = make_def(ball_field, &ball, 32);
    const rblMeshId mesh = extract(&def);
    report = check_sound(mesh);
    const int n = 64;
    double inside = 0;
    for (int i = 0; i < n * n * n; ++i)
    {
        const rblVec3d p = {(2.0 * (i % n) + 1) / n - 1, (2.0 * (i / n % n) + 1) / n - 1,
                            (2.0 * (i / n / n) + 1) / n - 1};
        inside += ball_field(p, &ball) < 0;
    }
    check_relative(report.volume, 8 * inside / n / n / n, 0.01);
    check_close(report.bounds.upper.x, 1, 1e-4);
    assert_true(report.bounds.upper.x < 1);
    check_ok(rbl_mesh_destroy(mesh));
}

// ---- odd values ----

static double infinite_ball(rblVec3d p, void* context)
{
    return ball_field(p, context) < 0 ? -infinite : infinite;
}

static double flat_ball(rblVec3d p, void* context)
{
    return ball_field(p, context) < 0 ? -1 : 1;
}

static void fields_without_slope_are_bisected(void** state)
{
    (void)state;
    Ball ball = {{0, 0.01, 0}, 0.7};
    rblFieldFcn* fields[] = {infinite_ball, flat_ball};
    for (int i = 0; i < 4; ++i)
    {
        rblIsosurfaceDef def = make_def(fields[i / 2], &ball, 24);
        def.method = i % 2 == 0 ? RBL_DUAL_CONTOURING : RBL_SURFACE_NETS;
        const rblMeshId mesh = extract(&def);
        const rblMeshReport report = check_sound(mesh);
        check_relative(report.volume, 4.0 / 3 * PI * 0.7 * 0.7 * 0.7, 0.03);
        check_ok(rbl_mesh_destroy(mesh));
    }
}

static rblVec3d no_gradient(rblVec3d p, void* context)
{
    (void)context;
    return p.x > 0 ? (rblVec3d){0, 0, 0} : (rblVec3d){not_a_number, infinite, 0};
}

static void gradients_without_direction_are_replaced(void** state)
{
    (void)state;
    Ball ball = {{0, 0, 0}, 0.7};
    rblIsosurfaceDef def = make_def(ball_field, &ball, 16);
    const rblMeshId expected = extract(&def);
    def.gradient = no_gradient;
    const rblMeshId actual = extract(&def);
    rblMeshView a, b;
    check_ok(rbl_mesh_view(expected, &a));
    check_ok(rbl_mesh_view(actual, &b));
    assert_int_equal(a.vertex_count, b.vertex_count);
    assert_memory_equal(a.positions, b.positions, sizeof(rblVec3d) * a.vertex_count);
    check_ok(rbl_mesh_destroy(expected));
    check_ok(rbl_mesh_destroy(actual));
}

// Fields with little in common with a distance, all with their surface at x = 0.123456789.
static double plane_field(rblVec3d p, void* context)
{
    const double x = p.x - 0.123456789;
    switch (*(const int*)context)
    {
    case 0:
        return x;
    case 1:
        return x < 0 ? -1e6 * sqrt(-x) : 1e-9 * x * x * x * x; // from endless slope to none
    case 2:
        return x < 0 ? -1 : 0; // the level is reached, and kept
    case 3:
        return x < 0 ? -1e-300 : 1e300;
    default:
        return x < 0 ? -infinite : 1e-3;
    }
}

static void crossings_are_exact_whatever_the_field(void** state)
{
    (void)state;
    for (int kind = 0; kind < 5; ++kind)
    {
        rblIsosurfaceDef def = make_def(plane_field, &kind, 10);
        def.method = RBL_SURFACE_NETS;
        const rblMeshId mesh = extract(&def);
        rblMeshView view;
        check_ok(rbl_mesh_view(mesh, &view));
        uint32_t on_plane = 0;
        for (uint32_t v = 0; v < view.vertex_count; ++v)
        {
            const rblVec3d p = view.positions[v];
            const bool off_border = fabs(p.y) < 0.7 && fabs(p.z) < 0.7 && p.x > -0.7;
            on_plane += off_border;
            check_close(off_border ? p.x : 0.123456789, 0.123456789, 1e-10 * 0.2);
        }
        assert_int_equal(on_plane, 36);
        check_ok(rbl_mesh_destroy(mesh));
    }
}

// ---- numbers that make sense ----

static void grids_far_away_and_uneven_work_the_same(void** state)
{
    (void)state;
    Ball ball = {{1e6, -3e5, 20}, 0.8};
    rblIsosurfaceDef def = make_def(ball_field, &ball, 0);
    def.cells[0] = 40;
    def.cells[1] = 20;
    def.cells[2] = 10;
    def.bounds = (rblAabbd){{1e6 - 1, -3e5 - 1, 19}, {1e6 + 1, -3e5 + 1, 21}};
    for (int method = RBL_DUAL_CONTOURING; method <= RBL_SURFACE_NETS; ++method)
    {
        def.method = (rblIsosurfaceMethod)method;
        const rblMeshId mesh = extract(&def);
        const rblMeshReport report = check_sound(mesh);
        check_relative(report.volume, 4.0 / 3 * PI * 0.8 * 0.8 * 0.8, 0.06);
        check_ok(rbl_mesh_destroy(mesh));
    }
}

typedef struct Scaled
{
    Spikes spikes;
    double scale;
} Scaled;

static double scaled_field(rblVec3d p, void* context)
{
    Scaled* scaled = context;
    return scaled->scale * spikes_field(rbl_scale3d(p, 1 / scaled->scale), &scaled->spikes);
}

static void tiny_and_huge_grids_scale(void** state)
{
    (void)state;
    const double scales[] = {1, 0x1p-300, 0x1p-30, 0x1p30, 0x1p300};
    rblRandom random = rbl_random_seed(9, 1);
    Scaled scaled = {.spikes = random_spikes(&random)};
    rblMeshId meshes[5];
    rblMeshView views[5];
    for (int i = 0; i < 5; ++i)
    {
        const double s = scales[i];
        scaled.scale = s;
        rblIsosurfaceDef def = make_def(scaled_field, &scaled, 12);
        def.bounds = (rblAabbd){{-s, -s, -s}, {s, s, s}};
        meshes[i] = extract(&def);
        check_ok(rbl_mesh_view(meshes[i], &views[i]));
        check_manifold(&views[i]);
        assert_int_equal(views[i].vertex_count, views[0].vertex_count);
        for (uint32_t v = 0; v < views[i].vertex_count; ++v)
        {
            check_close(rbl_distance3d(rbl_scale3d(views[i].positions[v], 1 / s), views[0].positions[v]), 0,
                        1e-12);
        }
    }
    for (int i = 0; i < 5; ++i)
    {
        check_ok(rbl_mesh_destroy(meshes[i]));
    }
}

static void results_do_not_depend_on_the_number_of_threads(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(77, 1);
    Spikes spikes = random_spikes(&random);
    rblIsosurfaceDef def = make_def(spikes_field, &spikes, 40);
    const rblMeshId one = extract(&def);
    rblMeshView a, b;
    check_ok(rbl_mesh_view(one, &a));
    for (uint32_t workers = 2; workers <= 8; workers *= 2)
    {
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_set_tasks(&tasks));
        const rblMeshId many = extract(&def);
        check_ok(rbl_mesh_view(many, &b));
        assert_int_equal(a.vertex_count, b.vertex_count);
        assert_int_equal(a.face_count, b.face_count);
        assert_memory_equal(a.positions, b.positions, sizeof(rblVec3d) * a.vertex_count);
        assert_memory_equal(a.face_starts, b.face_starts, sizeof(uint32_t) * (a.face_count + 1));
        assert_memory_equal(a.corner_vertices, b.corner_vertices, sizeof(uint32_t) * a.corner_count);
        check_ok(rbl_mesh_destroy(many));
    }
    check_ok(rbl_set_tasks(NULL));
    check_ok(rbl_mesh_destroy(one));
}

// ---- refusals ----

// NaN within a distance of a point.
typedef struct Hole
{
    Ball ball;
    rblVec3d center;
    double radius;
} Hole;

static double hole_field(rblVec3d p, void* context)
{
    Hole* hole = context;
    return rbl_distance3d(p, hole->center) < hole->radius ? not_a_number : ball_field(p, &hole->ball);
}

static void not_a_number_is_refused_with_the_place(void** state)
{
    (void)state;
    Hole hole = {{{0, 0, 0}, 0.7}, {0.25, -0.5, 0.125}, 1e-6};
    for (uint32_t workers = 1; workers <= 4; workers += 3)
    {
        const rblTasks tasks = tasks_of(workers);
        check_ok(rbl_set_tasks(&tasks));
        rblIsosurfaceDef def = make_def(hole_field, &hole, 16);
        rblMeshId mesh = {7, 7};
        check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_isosurface(&def, &mesh));
        assert_non_null(strstr(rbl_last_error(), "(0.25, -0.5, 0.125)"));
        assert_true(mesh.index1 == 7 && mesh.generation == 7);
    }
    check_ok(rbl_set_tasks(NULL));
    // Between the nodes, where only the search for crossings goes.
    hole.center = (rblVec3d){0.7, 0, 0};
    hole.radius = 0.01;
    rblIsosurfaceDef def = make_def(hole_field, &hole, 16);
    rblMeshId mesh;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_isosurface(&def, &mesh));
}

static double everywhere_outside(rblVec3d p, void* context)
{
    (void)p;
    (void)context;
    return 0; // equal to the level: outside
}

static void a_grid_without_surface_is_refused(void** state)
{
    (void)state;
    rblIsosurfaceDef def = make_def(everywhere_outside, NULL, 8);
    rblMeshId mesh = {0};
    check_fails(RBL_ERROR_GEOMETRY, rbl_mesh_isosurface(&def, &mesh));
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void check_bad_def(rblIsosurfaceDef def)
{
    rblMeshId mesh = {3, 5};
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_isosurface(&def, &mesh));
    assert_true(mesh.index1 == 3 && mesh.generation == 5);
}

static void bad_defs_are_refused(void** state)
{
    (void)state;
    Ball ball = {{0, 0, 0}, 0.5};
    const rblIsosurfaceDef good = make_def(ball_field, &ball, 8);
    rblMeshId mesh;
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_isosurface(NULL, &mesh));
    check_fails(RBL_ERROR_ARGUMENT, rbl_mesh_isosurface(&good, NULL));
    rblIsosurfaceDef def = good;
    def.cookie = 0;
    check_bad_def(def);
    def = good;
    def.field = NULL;
    check_bad_def(def);
    def = good;
    def.method = (rblIsosurfaceMethod)2;
    check_bad_def(def);
    const double levels[] = {not_a_number, infinite, -infinite};
    for (int i = 0; i < 3; ++i)
    {
        def = good;
        def.level = levels[i];
        check_bad_def(def);
    }
    const uint32_t counts[] = {0, 1, 1025, UINT32_MAX};
    for (int i = 0; i < 12; ++i)
    {
        def = good;
        def.cells[i % 3] = counts[i / 3];
        check_bad_def(def);
    }
}

static void bad_bounds_are_refused(void** state)
{
    (void)state;
    Ball ball = {{0, 0, 0}, 0.5};
    const rblIsosurfaceDef good = make_def(ball_field, &ball, 8);
    const double bad[][2] = {{1, 1},         {1, -1},       {not_a_number, 1}, {0, not_a_number},
                             {-infinite, 1}, {0, infinite}, {-1e308, 1e308},   {1e12, 1e12 + 1e-3}};
    for (size_t i = 0; i < 3 * sizeof bad / sizeof bad[0]; ++i)
    {
        rblIsosurfaceDef def = good;
        (&def.bounds.lower.x)[i % 3] = bad[i / 3][0];
        (&def.bounds.upper.x)[i % 3] = bad[i / 3][1];
        check_bad_def(def);
    }
}

static void running_out_of_memory_is_an_error_and_leaks_nothing(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(78, 1);
    Spikes spikes = random_spikes(&random);
    const rblIsosurfaceDef def = make_def(spikes_field, &spikes, 8);
    FailingAllocator memory;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        failing_allocator_start(&memory, granted);
        rblMesh* mesh = NULL;
        result = rbl_isosurface(&def, &memory.allocator, &mesh);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_true((result == RBL_OK) == (mesh != NULL));
        rbl_mesh_free(mesh);
        assert_int_equal(memory.live, 0);
        assert_true(granted < 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spheres_and_tori_converge_with_second_order),
        cmocka_unit_test(topology_is_that_of_the_field),
        cmocka_unit_test(a_cavity_faces_inward),
        cmocka_unit_test(another_level_is_another_surface),
        cmocka_unit_test(random_signs_always_give_a_sound_mesh),
        cmocka_unit_test(all_cases_of_a_cell_give_a_sound_mesh),
        cmocka_unit_test(thin_tips_give_a_sound_mesh),
        cmocka_unit_test(one_node_inside_gives_a_box),
        cmocka_unit_test(what_crosses_the_border_is_closed_off_along_it),
        cmocka_unit_test(fields_without_slope_are_bisected),
        cmocka_unit_test(gradients_without_direction_are_replaced),
        cmocka_unit_test(crossings_are_exact_whatever_the_field),
        cmocka_unit_test(grids_far_away_and_uneven_work_the_same),
        cmocka_unit_test(tiny_and_huge_grids_scale),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(not_a_number_is_refused_with_the_place),
        cmocka_unit_test(a_grid_without_surface_is_refused),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(bad_bounds_are_refused),
        cmocka_unit_test(running_out_of_memory_is_an_error_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
