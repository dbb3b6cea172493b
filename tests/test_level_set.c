// Level sets of the procedural solids: against exact distances to all of their triangles.
#include "testing.h"

#include "base/jobs.h"
#include "base/random.h"
#include "failing_allocator.h"
#include "field/contact/field_sampling.h"
#include "field/level_set/level_set.h"
#include "field/level_set/level_set_oracle.h"
#include "field/samples/surface_samples.h"
#include "field_fall.h"
#include "math/aabb.h"
#include "math/mat3.h"
#include "mesh/topology.h"
#include <string.h>

#define CELLS 14

// The corners of a random triangle.
static void random_triangle(rblRandom* random, const rblDistanceOracle* oracle, rblVec3d out[3])
{
    const rblVec3* t = oracle->points + 3 * (size_t)rbl_random_below(random, oracle->count);
    for (int k = 0; k < 3; ++k)
    {
        out[k] = rbl_add3d(rbl_to_double3(t[k]), oracle->middle);
    }
}

typedef struct Solid
{
    const char* name;
    rblMeshId mesh;
    rblMeshView view;
    rblAabbd box;
    double cell;
    rblDistanceOracle oracle;
    rblLevelSet* set;
} Solid;

static double longest_side(rblAabbd box)
{
    const rblVec3d size = rbl_aabbd_size(box);
    return rbl_maxd(size.x, rbl_maxd(size.y, size.z));
}

static Solid open_solid(const char* name, rblMeshId mesh)
{
    Solid solid = {.name = name, .mesh = mesh};
    check_ok(rbl_mesh_view(mesh, &solid.view));
    solid.box = rbl_mesh_bounds(&solid.view);
    solid.cell = longest_side(solid.box) / CELLS;
    check_ok(rbl_distance_oracle_init(&solid.oracle, &solid.view, rbl_default_allocator()));
    check_ok(rbl_level_set_build(&solid.view, solid.cell, rbl_default_jobs(), rbl_default_allocator(),
                                 &solid.set));
    check_ok(rbl_level_set_measure(solid.set, &solid.view, rbl_default_jobs()));
    return solid;
}

static Solid make_solid(const char* kind)
{
    rblMeshId mesh;
    check_ok(rbl_mesh_make(kind, NULL, 0, &mesh));
    return open_solid(kind, mesh);
}

static void close_solid(Solid* solid)
{
    rbl_level_set_free(solid->set);
    rbl_distance_oracle_free(&solid->oracle);
    check_ok(rbl_mesh_destroy(solid->mesh));
}

static double exact_distance(const Solid* solid, rblVec3 p)
{
    const rblVec3d q = rbl_to_double3(p);
    uint32_t hint = RBL_NO_LEAF;
    const double distance = rbl_distance_oracle_evaluate(&solid->oracle, q, &hint);
    return rbl_distance_oracle_inside(&solid->oracle, q) ? -distance : distance;
}

static rblVec3 random_in(rblRandom* random, rblAabbd box, double margin)
{
    return rbl_to_float3((rblVec3d){rbl_random_range(random, box.lower.x - margin, box.upper.x + margin),
                                    rbl_random_range(random, box.lower.y - margin, box.upper.y + margin),
                                    rbl_random_range(random, box.lower.z - margin, box.upper.z + margin)});
}

// A point near the surface: on a random triangle, moved by up to `way` along every axis.
static rblVec3 random_near(rblRandom* random, const Solid* solid, double way)
{
    rblVec3d t[3];
    random_triangle(random, &solid->oracle, t);
    double u = rbl_random_double(random);
    double v = rbl_random_double(random);
    if (u + v > 1.0)
    {
        u = 1.0 - u;
        v = 1.0 - v;
    }
    const rblVec3d p = rbl_mul_add3d(rbl_mul_add3d(t[0], u, rbl_sub3d(t[1], t[0])), v, rbl_sub3d(t[2], t[0]));
    const rblAabbd point = {p, p};
    return random_in(random, point, way);
}

// Near the surface: off by less than interpolation can be, with the right sign but where the surface is nearer than the
// stated error. Farther away: never more than the distance, never less than the band, always the right sign.
static void check_point(const Solid* solid, rblVec3 p)
{
    const rblLevelSet* set = solid->set;
    rblVec3 gradient;
    bool far;
    const double exact = exact_distance(solid, p);
    const double found = (double)rbl_level_set_distance(set, p, &gradient);
    const double slack = (double)rbl_level_set_slack(set);
    check_close(rbl_length3(gradient), 1.0, 1e-5);
    assert_true(rbl_level_set_distance_only(set, p, &far) == (float)found);
    if (fabs(exact) <= (double)set->band)
    {
        assert_false(far);
        check_close(found, exact, slack);
    }
    else
    {
        if (!(fabs(found) <= fabs(exact) + slack && fabs(found) >= (double)set->band - slack))
        {
            fail_msg("%s: %.9g far off where the distance is %.9g, cell %.9g", solid->name, found, exact,
                     solid->cell);
        }
    }
    if (found * exact < 0.0 && fabs(exact) > slack)
    {
        fail_msg("%s: %.9g has the wrong sign where the distance is %.9g", solid->name, found, exact);
    }
}

static void check_surface(const Solid* solid, rblRandom* random)
{
    for (int i = 0; i < 150; ++i)
    {
        rblVec3 gradient;
        const rblVec3 p = random_near(random, solid, 0.0);
        const float found = rbl_level_set_distance(solid->set, p, &gradient);
        // The error is measured at points half a cell apart; between them it may be a little larger.
        if (!(fabsf(found) <= solid->set->error + 0.1f * solid->set->cell))
        {
            fail_msg("%s: %.9g on the surface, the stated error is %.9g", solid->name, (double)found,
                     (double)solid->set->error);
        }
    }
}

// Four at once: the same bits.
static void check_four(const Solid* solid, const rblVec3 p[4])
{
    float found[4];
    uint32_t far;
    rbl_store4(found, rbl_level_set_distance4(solid->set, rbl_set4(p[0].x, p[1].x, p[2].x, p[3].x),
                                              rbl_set4(p[0].y, p[1].y, p[2].y, p[3].y),
                                              rbl_set4(p[0].z, p[1].z, p[2].z, p[3].z), &far));
    for (uint32_t i = 0; i < 4; ++i)
    {
        bool is_far;
        const float alone = rbl_level_set_distance_only(solid->set, p[i], &is_far);
        assert_true(alone == found[i] && is_far == ((far >> i & 1) != 0));
    }
}

// What a search relies on: from one point to another the field falls by no more than it says.
static void check_fall(const Solid* solid, rblVec3 from, rblVec3 to)
{
    const float way = rbl_length3(rbl_sub3(to, from));
    const float rounding = solid->set->unit + 4e-6f * (float)longest_side(solid->box);
    const rblField field = {.grid = solid->set,
                            .interpolated = true,
                            .slack = rbl_level_set_slack(solid->set),
                            .rounding = rounding,
                            .grain = 0.75f * solid->set->cell * solid->set->cell};
    rblFieldSlope slope;
    rblFieldSlope slope_there;
    const float start = rbl_field_distance(&field, from, INFINITY, &slope);
    const float there = rbl_field_distance(&field, to, INFINITY, &slope_there);
    const float least = start - fall_outside(&field, slope, way);
    const float truly =
        slope_there == RBL_SLOPE_FAR ? (float)exact_distance(solid, to) : there; // far values are bounds
    assert_true(rbl_field_free_distance(&field, slope, start - least) >= 0.999f * way - rounding);
    if (least > 0.0f && truly < least - rounding)
    {
        fail_msg("%s: falls from %.9g to %.9g on a way of %.9g, cell %.9g", solid->name, (double)start,
                 (double)there, (double)way, solid->cell);
    }
}

static void fields_are_as_good_as_they_say_on_every_solid(void** state)
{
    (void)state;
    uint32_t count;
    const rblSolidKind* kinds = rbl_solid_kinds(&count);
    rblRandom random = rbl_random_seed(11, 1);
    for (uint32_t k = 0; k < count; ++k)
    {
        Solid solid = make_solid(kinds[k].name);
        check_surface(&solid, &random);
        for (int i = 0; i < 150; ++i)
        {
            const rblVec3 points[4] = {random_near(&random, &solid, 2.0 * solid.cell),
                                       random_near(&random, &solid, 8.0 * solid.cell),
                                       random_in(&random, solid.box, 0.2 * longest_side(solid.box)),
                                       random_in(&random, solid.box, 2.0 * longest_side(solid.box))};
            for (int p = 0; p < 4; ++p)
            {
                check_point(&solid, points[p]);
                const rblVec3d at = rbl_to_double3(points[p]);
                check_fall(&solid, points[p], points[0]);
                check_fall(&solid, points[p], random_in(&random, (rblAabbd){at, at}, 2.0 * solid.cell));
            }
            check_four(&solid, points);
        }
        assert_true(solid.set->error <= rbl_level_set_slack(solid.set));
        close_solid(&solid);
    }
}

// Central differences of the field, within one cell, are the gradient before it is made unit.
static void gradients_are_those_of_the_interpolant(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(12, 1);
    Solid solid = make_solid("torus");
    const float h = 1e-2f * solid.set->cell;
    int checked = 0;
    for (int i = 0; i < 500; ++i)
    {
        const rblVec3 p = random_near(&random, &solid, solid.cell);
        const rblVec3 u = rbl_scale3(rbl_sub3(p, solid.set->origin), solid.set->inverse_cell);
        const rblVec3 f = {u.x - floorf(u.x), u.y - floorf(u.y), u.z - floorf(u.z)};
        if (rbl_minf(f.x, rbl_minf(f.y, f.z)) < 0.05f || rbl_maxf(f.x, rbl_maxf(f.y, f.z)) > 0.95f)
        {
            continue;
        }
        rblVec3 g;
        rblVec3 unused;
        rbl_level_set_distance(solid.set, p, &g);
        const rblVec3 difference = {
            rbl_level_set_distance(solid.set, rbl_add3(p, rbl_vec3(h, 0, 0)), &unused) -
                rbl_level_set_distance(solid.set, rbl_sub3(p, rbl_vec3(h, 0, 0)), &unused),
            rbl_level_set_distance(solid.set, rbl_add3(p, rbl_vec3(0, h, 0)), &unused) -
                rbl_level_set_distance(solid.set, rbl_sub3(p, rbl_vec3(0, h, 0)), &unused),
            rbl_level_set_distance(solid.set, rbl_add3(p, rbl_vec3(0, 0, h)), &unused) -
                rbl_level_set_distance(solid.set, rbl_sub3(p, rbl_vec3(0, 0, h)), &unused)};
        const rblVec3 expected = rbl_normalize3(difference, rbl_vec3(0, 0, 0));
        check_close(rbl_length3(rbl_sub3(g, expected)), 0.0, 5e-3);
        ++checked;
    }
    assert_true(checked > 100);
    close_solid(&solid);
}

// On a sphere everything has a closed form.
static void a_sphere_has_its_radius(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(13, 1);
    rblMeshId mesh;
    const double radius = 0.5;
    const double frequency = 24;
    check_ok(rbl_mesh_make("icosphere",
                           (const rblSolidValue[]){{"radius", &radius, 1}, {"frequency", &frequency, 1}}, 2,
                           &mesh));
    Solid solid = open_solid("icosphere", mesh);
    check_close(solid.set->deepest, radius, 0.02);
    for (int i = 0; i < 2000; ++i)
    {
        rblVec3 g;
        const rblVec3 p = random_near(&random, &solid, solid.cell);
        const float found = rbl_level_set_distance(solid.set, p, &g);
        check_close(found, (double)rbl_length3(p) - radius, 0.08 * solid.cell);
        check_close(rbl_dot3(g, p), rbl_length3(p), 1e-2);
    }
    close_solid(&solid);
}

// What lies on a lattice of the mesh's own: signs of points on edges' and faces' planes.
static void boxes_are_exact_but_at_their_edges(void** state)
{
    (void)state;
    Solid solid = make_solid("box");
    const rblAabbd box = solid.box;
    check_close(solid.set->deepest, 0.5 * (box.upper.x - box.lower.x), 0.05 * solid.cell);
    rblVec3 g;
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int side = 0; side < 2; ++side)
        {
            rblVec3d middle = rbl_aabbd_center(box);
            double* x = axis == 0 ? &middle.x : axis == 1 ? &middle.y : &middle.z;
            const rblVec3d end = side == 0 ? box.lower : box.upper;
            *x = axis == 0 ? end.x : axis == 1 ? end.y : end.z;
            check_close(rbl_level_set_distance(solid.set, rbl_to_float3(middle), &g), 0.0, 1e-3 * solid.cell);
            const float slope = axis == 0 ? g.x : axis == 1 ? g.y : g.z;
            check_close(slope, side == 0 ? -1.0 : 1.0, 1e-4);
        }
    }
    close_solid(&solid);
}

static void scales_from_a_millimetre_to_a_kilometre_are_alike(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(14, 1);
    rblMeshId mesh;
    check_ok(rbl_mesh_make("statue", NULL, 0, &mesh));
    const double scales[3] = {1e-3, 1.0, 1e3};
    for (int i = 0; i < 3; ++i)
    {
        const rblMat3d linear = {{scales[i], 0, 0}, {0, scales[i], 0}, {0, 0, scales[i]}};
        rblMeshId scaled;
        check_ok(rbl_mesh_transform(mesh, &linear, (rblVec3d){3 * scales[i], 0, -scales[i]}, &scaled));
        Solid solid = open_solid("scaled statue", scaled);
        check_surface(&solid, &random);
        for (int k = 0; k < 200; ++k)
        {
            check_point(&solid, random_near(&random, &solid, 2.0 * solid.cell));
        }
        close_solid(&solid);
    }
    check_ok(rbl_mesh_destroy(mesh));
}

// The field of a turned and moved mesh is the field, turned and moved.
static void fields_follow_rigid_motions(void** state)
{
    (void)state;
    rblRandom random = rbl_random_seed(16, 1);
    rblMeshId mesh;
    rblMeshId moved;
    check_ok(rbl_mesh_make("torus", NULL, 0, &mesh));
    const rblMat3d turn = {{0.36, 0.48, -0.8}, {-0.8, 0.6, 0.0}, {0.48, 0.64, 0.6}};
    const rblVec3d offset = {0.7, -0.3, 0.2};
    check_ok(rbl_mesh_transform(mesh, &turn, offset, &moved));
    Solid here = open_solid("torus", mesh);
    Solid there = open_solid("turned torus", moved);
    for (int i = 0; i < 300; ++i)
    {
        rblVec3 g;
        rblVec3 h;
        const rblVec3 p = random_near(&random, &here, 0.3 * here.cell);
        const rblVec3d q = rbl_add3d(rbl_mat3d_apply(&turn, rbl_to_double3(p)), offset);
        const float near = rbl_level_set_distance(here.set, p, &g);
        check_close(rbl_level_set_distance(there.set, rbl_to_float3(q), &h), near, 0.25 * here.cell);
        const rblVec3d turned = rbl_mat3d_apply(&turn, rbl_to_double3(g));
        assert_true(rbl_dot3d(turned, rbl_to_double3(h)) > 0.8);
    }
    close_solid(&here);
    close_solid(&there);
}

// A cavity is outside; overlapping parts are inside once.
static void cavities_and_overlaps_have_the_right_sign(void** state)
{
    (void)state;
    rblMeshId parts[2];
    rblMeshId joined;
    const rblMat3d mirror = {{-0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}};
    const rblMat3d same = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    rblVec3 g;
    check_ok(rbl_mesh_make("sphere", NULL, 0, &parts[0]));
    rblMeshView view;
    check_ok(rbl_mesh_view(parts[0], &view));
    const double size = longest_side(rbl_mesh_bounds(&view));

    check_ok(rbl_mesh_transform(parts[0], &same, (rblVec3d){0.25 * size, 0, 0}, &parts[1]));
    check_ok(rbl_mesh_join(parts, 2, &joined));
    Solid overlap = open_solid("two balls", joined);
    assert_true(rbl_level_set_distance(overlap.set, rbl_vec3((float)(0.125 * size), 0, 0), &g) < 0.0f);
    check_ok(rbl_mesh_destroy(parts[1]));
    close_solid(&overlap);

    // Turned inside out: swap the order of every face.
    check_ok(rbl_mesh_transform(parts[0], &mirror, (rblVec3d){0, 0, 0}, &parts[1]));
    check_ok(rbl_mesh_view(parts[1], &view));
    uint32_t* corners = malloc(view.corner_count * sizeof *corners);
    for (uint32_t f = 0; f < view.face_count; ++f)
    {
        for (uint32_t c = view.face_starts[f]; c < view.face_starts[f + 1]; ++c)
        {
            corners[c] = view.corner_vertices[view.face_starts[f] + view.face_starts[f + 1] - 1 - c];
        }
    }
    rblMeshView inside_out = view;
    inside_out.corner_vertices = corners;
    inside_out.layer_count = 0;
    rblMeshId hole;
    check_ok(rbl_mesh_create(&inside_out, &hole));
    free(corners);
    check_ok(rbl_mesh_destroy(parts[1]));
    parts[1] = hole;
    check_ok(rbl_mesh_join(parts, 2, &joined));
    Solid shell = open_solid("shell", joined);
    assert_true(rbl_level_set_distance(shell.set, rbl_vec3(0, 0, 0), &g) > 0.0f);
    assert_true(rbl_level_set_distance(shell.set, rbl_vec3((float)(0.375 * size), 0, 0), &g) < 0.0f);
    close_solid(&shell);
    check_ok(rbl_mesh_destroy(parts[0]));
    check_ok(rbl_mesh_destroy(parts[1]));
}

static void grids_are_equal_for_any_number_of_workers(void** state)
{
    (void)state;
    rblMeshId mesh;
    rblMeshView view;
    check_ok(rbl_mesh_make("wineglass", NULL, 0, &mesh));
    check_ok(rbl_mesh_view(mesh, &view));
    const double cell = longest_side(rbl_mesh_bounds(&view)) / 16;
    rblLevelSet* serial;
    check_ok(rbl_level_set_build(&view, cell, rbl_serial_jobs(), rbl_default_allocator(), &serial));
    check_ok(rbl_level_set_measure(serial, &view, rbl_serial_jobs()));
    const uint32_t workers[2] = {2, 3};
    for (int i = 0; i < 2; ++i)
    {
        const rblTasks tasks = tasks_of(workers[i]);
        rblJobs* jobs;
        rblLevelSet* parallel;
        check_ok(rbl_jobs_create(&tasks, rbl_default_allocator(), &jobs));
        check_ok(rbl_level_set_build(&view, cell, jobs, rbl_default_allocator(), &parallel));
        check_ok(rbl_level_set_measure(parallel, &view, jobs));
        rbl_jobs_destroy(jobs);
        assert_true(parallel->error == serial->error && parallel->thin_share == serial->thin_share);
        assert_int_equal(parallel->stored, serial->stored);
        assert_memory_equal(parallel->values, serial->values,
                            sizeof *serial->values * RBL_BRICK_STRIDE * serial->stored);
        const size_t corners =
            (size_t)(serial->bricks[0] + 1) * (serial->bricks[1] + 1) * (serial->bricks[2] + 1);
        assert_memory_equal(parallel->corners, serial->corners, sizeof *serial->corners * corners);
        rbl_level_set_free(parallel);
    }
    rbl_level_set_free(serial);
    check_ok(rbl_mesh_destroy(mesh));
}

// Every point of every stored brick: distance and sign.
static rblVec3 grid_point(const rblLevelSet* set, uint32_t i, uint32_t j, uint32_t k)
{
    return rbl_mul_add3(set->origin, set->cell, rbl_vec3((float)i, (float)j, (float)k));
}

static void check_brick(const Solid* solid, uint32_t brick, const uint32_t at[3])
{
    const rblLevelSet* set = solid->set;
    for (uint32_t point = 0; point < 125; ++point)
    {
        const uint32_t i = 4 * at[0] + point % 5;
        const uint32_t j = 4 * at[1] + point / 5 % 5;
        const uint32_t k = 4 * at[2] + point / 25;
        const double exact = exact_distance(solid, grid_point(set, i, j, k));
        const int16_t stored = set->values[(size_t)set->slots[brick] * RBL_BRICK_STRIDE + point];
        const double near = 1e-6 * longest_side(solid->box);
        check_close(fabs((double)stored * (double)set->unit), fabs(exact), (double)set->unit + near);
        assert_true(fabs(exact) < near || stored == 0 || (stored < 0) == (exact < 0.0));
    }
}

static void grid_points_are_exact(void** state)
{
    (void)state;
    Solid solid = make_solid("statue");
    const rblLevelSet* set = solid.set;
    uint32_t near = 0;
    for (uint32_t brick = 0; brick < set->bricks[0] * set->bricks[1] * set->bricks[2]; ++brick)
    {
        const uint32_t at[3] = {brick % set->bricks[0], brick / set->bricks[0] % set->bricks[1],
                                brick / set->bricks[0] / set->bricks[1]};
        assert_int_equal(rbl_level_set_brick(set, at[0], at[1], at[2]), brick);
        if (set->slots[brick] != RBL_NO_BRICK)
        {
            check_brick(&solid, brick, at);
            ++near;
            continue;
        }
        bool far;
        const rblVec3 point = grid_point(set, 4 * at[0] + 1, 4 * at[1] + 2, 4 * at[2] + 3);
        const double exact = exact_distance(&solid, point);
        const double value = (double)rbl_level_set_distance_only(set, point, &far);
        assert_true(fabs(value) <= fabs(exact) * (1.0 + 1e-6) && value * exact > 0.0);
    }
    assert_int_equal(near, set->stored);
    close_solid(&solid);
}

static void memory_is_stated_and_running_out_of_it_is_survived(void** state)
{
    (void)state;
    rblMeshId mesh;
    rblMeshView view;
    check_ok(rbl_mesh_make("box", NULL, 0, &mesh));
    check_ok(rbl_mesh_view(mesh, &view));
    const double cell = longest_side(rbl_mesh_bounds(&view)) / 6;
    FailingAllocator memory;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t n = 0; result != RBL_OK; ++n)
    {
        rblLevelSet* set = NULL;
        failing_allocator_start(&memory, n);
        result = rbl_level_set_build(&view, cell, rbl_serial_jobs(), &memory.allocator, &set);
        if (result == RBL_OK)
        {
            assert_int_equal(memory.live, set->bytes);
            rbl_level_set_free(set);
        }
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
    }
    check_fails(RBL_ERROR_LIMIT, rbl_level_set_build(&view, cell * 1e-6, rbl_serial_jobs(),
                                                     rbl_default_allocator(), &(rblLevelSet*){NULL}));
    check_ok(rbl_mesh_destroy(mesh));
}

// What is resampled shares its grid, and outlives the shape it was made from.
static void other_samples_share_the_grid(void** state)
{
    (void)state;
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId first, second, third;
    rblShapeView a, b, c;
    rblMeshId surface;
    check_ok(rbl_mesh_make("wineglass", NULL, 0, &def.mesh));
    def.max_cells = 24;
    check_ok(rbl_shape_create_level_set(&def, &first));
    check_ok(rbl_shape_view(first, &a));
    check_ok(rbl_level_set_resample(a.shape, 0.01f, &second));
    def.sample_spacing = 0.01f;
    check_ok(rbl_shape_create_level_set(&def, &third));
    check_ok(rbl_shape_view(second, &b));
    check_ok(rbl_shape_view(third, &c));
    assert_ptr_equal(rbl_shape_level_set(a.shape), rbl_shape_level_set(b.shape));
    assert_true(b.sample_count != a.sample_count && b.sample_count == c.sample_count);
    assert_memory_equal(b.samples, c.samples, sizeof *c.samples * c.sample_count);
    assert_true(rbl_level_set_is_made_by(a.shape, &def) && rbl_level_set_is_made_by(b.shape, &def));
    def.cell = 0.01f;
    assert_false(rbl_level_set_is_made_by(a.shape, &def));
    check_ok(rbl_shape_destroy(first));
    check_ok(rbl_shape_surface(&b, &surface));
    assert_true(surface.index1 != 0);
    for (uint32_t i = 0; i < b.sample_count; ++i)
    {
        rblVec3 gradient[2];
        const float found = rbl_shape_distance(b.shape, b.samples[i], &gradient[0]);
        assert_true(found == rbl_shape_distance(c.shape, b.samples[i], &gradient[1]));
    }
    check_ok(rbl_shape_destroy(second));
    check_ok(rbl_shape_destroy(third));
    check_ok(rbl_mesh_destroy(def.mesh));
}

// ---- surface samples ----

static void check_sampling(const char* kind, const rblMeshView* view, double spacing)
{
    rblRandom random = rbl_random_seed(15, 1);
    rblDistanceOracle oracle;
    rblSurfacePoints points;
    rblSurfaceSampling sampling = {.spacing = spacing, .max_count = 1u << 20, .seed = 3};
    rbl_array_init(&points, rbl_default_allocator());
    check_ok(rbl_distance_oracle_init(&oracle, view, rbl_default_allocator()));
    check_ok(rbl_surface_samples(view, &sampling, &points));
    check_close(sampling.spacing_used, spacing, 0.0);
    const double size = longest_side(rbl_mesh_bounds(view));
    for (size_t i = 0; i < points.count; ++i)
    {
        uint32_t hint = RBL_NO_LEAF;
        check_close(rbl_distance_oracle_evaluate(&oracle, rbl_to_double3(points.data[i]), &hint), 0.0,
                    1e-6 * size);
    }
    // Every point of the surface has a sample within reach.
    for (int i = 0; i < 200; ++i)
    {
        rblVec3d t[3];
        random_triangle(&random, &oracle, t);
        const rblVec3d middle = rbl_scale3d(rbl_add3d(t[0], rbl_add3d(t[1], t[2])), 1.0 / 3.0);
        double nearest = (double)INFINITY;
        for (size_t k = 0; k < points.count; ++k)
        {
            nearest = rbl_mind(rbl_distance3d(rbl_to_double3(points.data[k]), middle), nearest);
        }
        if (nearest > 1.5 * spacing)
        {
            fail_msg("%s: no sample within %.3g of a point, spacing %.3g", kind, nearest, spacing);
        }
    }
    rbl_array_free(&points);
    rbl_distance_oracle_free(&oracle);
}

static void samples_lie_on_the_surface_and_cover_it(void** state)
{
    (void)state;
    static const char* const kinds[] = {"box", "statue", "plate", "torus", "wineglass", "column"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
    {
        rblMeshId mesh;
        rblMeshView view;
        check_ok(rbl_mesh_make(kinds[k], NULL, 0, &mesh));
        check_ok(rbl_mesh_view(mesh, &view));
        check_sampling(kinds[k], &view, longest_side(rbl_mesh_bounds(&view)) / 20);
        check_ok(rbl_mesh_destroy(mesh));
    }
}

static size_t count_at(const rblSurfacePoints* points, rblVec3 p)
{
    size_t count = 0;
    for (size_t i = 0; i < points->count; ++i)
    {
        count += memcmp(&points->data[i], &p, sizeof p) == 0;
    }
    return count;
}

static void corners_and_edges_of_a_box_are_sampled(void** state)
{
    (void)state;
    rblMeshId mesh;
    rblMeshView view;
    const double sides[3] = {0.3, 0.2, 0.4};
    check_ok(rbl_mesh_make("box", &(rblSolidValue){"size", sides, 3}, 1, &mesh));
    check_ok(rbl_mesh_view(mesh, &view));
    rblSurfacePoints points;
    rbl_array_init(&points, rbl_default_allocator());
    rblSurfaceSampling sampling = {.spacing = 0.05, .max_count = 100000, .seed = 1};
    check_ok(rbl_surface_samples(&view, &sampling, &points));
    const rblAabbd box = rbl_mesh_bounds(&view);
    size_t on_edges = 0;
    for (uint32_t i = 0; i < 8; ++i)
    {
        const rblVec3d corner = {(i & 1) ? box.upper.x : box.lower.x, (i & 2) ? box.upper.y : box.lower.y,
                                 (i & 4) ? box.upper.z : box.lower.z};
        assert_int_equal(count_at(&points, rbl_to_float3(corner)), 1);
    }
    for (size_t i = 0; i < points.count; ++i)
    {
        const rblVec3d p = rbl_to_double3(points.data[i]);
        const int at_sides =
            (fabs(fabs(p.x) - 0.15) < 1e-7) + (fabs(fabs(p.y) - 0.1) < 1e-7) + (fabs(fabs(p.z) - 0.2) < 1e-7);
        assert_true(at_sides >= 1);
        on_edges += at_sides >= 2;
    }
    // Every edge of length l has l / 0.025 parts.
    assert_int_equal(on_edges, 8 + 4 * (11 + 7 + 15));
    // The limit holds, and the spacing used is told.
    sampling.max_count = 200;
    check_ok(rbl_surface_samples(&view, &sampling, &points));
    assert_true(points.count <= 200 && sampling.spacing_used > 0.05);
    rbl_array_free(&points);
    check_ok(rbl_mesh_destroy(mesh));
}

static void sampling_survives_running_out_of_memory(void** state)
{
    (void)state;
    rblMeshId mesh;
    rblMeshView view;
    check_ok(rbl_mesh_make("box", NULL, 0, &mesh));
    check_ok(rbl_mesh_view(mesh, &view));
    FailingAllocator memory;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t n = 0; result != RBL_OK; ++n)
    {
        rblSurfacePoints points;
        rblSurfaceSampling sampling = {.spacing = 0.1, .max_count = 1000, .seed = 1};
        failing_allocator_start(&memory, n);
        rbl_array_init(&points, &memory.allocator);
        result = rbl_surface_samples(&view, &sampling, &points);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        rbl_array_free(&points);
        assert_int_equal(memory.live, 0);
    }
    check_ok(rbl_mesh_destroy(mesh));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_as_good_as_they_say_on_every_solid),
        cmocka_unit_test(gradients_are_those_of_the_interpolant),
        cmocka_unit_test(a_sphere_has_its_radius),
        cmocka_unit_test(boxes_are_exact_but_at_their_edges),
        cmocka_unit_test(scales_from_a_millimetre_to_a_kilometre_are_alike),
        cmocka_unit_test(fields_follow_rigid_motions),
        cmocka_unit_test(cavities_and_overlaps_have_the_right_sign),
        cmocka_unit_test(grids_are_equal_for_any_number_of_workers),
        cmocka_unit_test(grid_points_are_exact),
        cmocka_unit_test(memory_is_stated_and_running_out_of_it_is_survived),
        cmocka_unit_test(other_samples_share_the_grid),
        cmocka_unit_test(samples_lie_on_the_surface_and_cover_it),
        cmocka_unit_test(corners_and_edges_of_a_box_are_sampled),
        cmocka_unit_test(sampling_survives_running_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
