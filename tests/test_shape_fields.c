// Level sets, compounds and user shapes as shapes.
#include "testing.h"

#include "failing_allocator.h"
#include "field/level_set/level_set.h"
#include "field/shape.h"
#include "field_shapes.h"
#include <string.h>

static void a_user_torus_rests_on_a_plane(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.3f, 0.1f, &destroyed};
    const rblShapeId id = make_torus(&torus);
    const rblShapeId ground = make_ground();
    const rblShapeView view = view_of(id);
    assert_string_equal(view.kind, "user");
    assert_int_equal(view.sample_count, TORUS_AROUND * TORUS_TUBE);
    check_close(view.inner_radius, 0.1, 0.03);
    assert_true(view.radius >= 0.4f);
    check_close(rbl_shape_distance(view.shape, rbl_vec3(0.3f, 0.25f, 0), NULL), 0.15, 1e-6);
    // Sunk by a millimetre: the 48 lowest samples are inside, eight of them do.
    const rblTransform pose = {{0, 0.099f, 0}, {0, 0, 0, 1}};
    rblContactSet set = collide(ground, id, pose, options_of(0.0f, 0.002f, 8));
    assert_int_equal(set.count, 8);
    rblVec3 lever = {0, 0, 0};
    for (uint32_t i = 0; i < set.count; ++i)
    {
        check_close(set.points[i].distance, -0.001, 1e-6);
        check_close(set.points[i].normal.y, 1.0, 1e-6);
        check_close(set.points[i].point.y, -0.0005, 1e-6);
        assert_int_equal(set.points[i].feature & 1, 1);
        lever = rbl_add3(lever, set.points[i].point);
    }
    // All round: their middle is near the axis.
    assert_true(rbl_length3(lever) / 8.0f < 0.1f);
    rbl_contact_set_free(&set);
    // Deeper than eps: every one of them.
    const rblTransform deep = {{0, 0.095f, 0}, {0, 0, 0, 1}};
    set = collide(ground, id, deep, options_of(0.0f, 0.002f, 8));
    uint32_t inside = 0;
    for (uint32_t i = 0; i < set.count; ++i)
    {
        inside += set.points[i].distance < -0.002f;
    }
    assert_int_equal(inside, TORUS_AROUND);
    assert_int_equal(set.colliding, TORUS_AROUND);
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(id));
    assert_int_equal(destroyed, 1);
    check_ok(rbl_shape_destroy(ground));
}

static void bad_user_shapes_are_refused(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.3f, 0.1f, &destroyed};
    rblVec3 samples[TORUS_AROUND * TORUS_TUBE];
    const rblUserShape good = torus_def(&torus, samples);
    rblShapeId id = {0, 0};
    rblUserShape def = good;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(NULL, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&good, NULL));
    def.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.distance = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.sample_count = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.bounds.upper.x = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.mass.mass = 0.0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.mass.moments.x = (double)NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&def, &id));
    def = good;
    def.surface = (rblMeshId){77, 1};
    check_fails(RBL_ERROR_STALE, rbl_shape_create_user(&def, &id));
    samples[3].y = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_user(&good, &id));
    assert_int_equal(destroyed, 0); // the context stayed the caller's
    assert_int_equal(id.index1, 0);
}

// ---- compounds ----

static void compounds_are_the_sum_of_their_children(void** state)
{
    (void)state;
    const rblShapeId id = make_dumbbell();
    const rblShapeView view = view_of(id);
    const double ball = 4.0 / 3.0 * RBL_PI * 0.008;
    check_close(view.mass.volume, 2.0 * ball + 0.01, 1e-6);
    check_close(rbl_length3d(view.mass.center), 0.0, 1e-9);
    check_close(view.mass.inertia.cx.x, 2.0 * 0.4 * ball * 0.04 + 0.01 / 12.0 * 0.02, 1e-6);
    check_close(view.mass.inertia.cy.y, 2.0 * ball * (0.4 * 0.04 + 0.25) + 0.01 / 12.0 * 1.01, 1e-6);
    check_close(view.bounds.upper.x, 0.7, 1e-5);
    assert_true(view.radius >= 0.7f && view.radius < 0.71f);
    rblMeshId surface;
    check_ok(rbl_shape_surface(&view, &surface));
    assert_true(surface.index1 != 0 && view.surface.index1 == 0); // made on demand
    rblVec3 g;
    check_close(rbl_shape_distance(view.shape, rbl_vec3(0, 0.15f, 0), &g), 0.1, 1e-6);
    check_close(g.y, 1.0, 1e-6);
    check_close(rbl_shape_distance(view.shape, rbl_vec3(1.0f, 0, 0), &g), 0.3, 1e-6);
    check_close(rbl_shape_distance(view.shape, rbl_vec3(-0.5f, -0.1f, 0), &g), -0.1, 1e-6);
    const rblVec3* samples;
    uint32_t count;
    check_ok(rbl_shape_samples(&view, &samples, &count));
    assert_true(count > 100 && view.samples == NULL);
    for (uint32_t i = 0; i < count; ++i)
    {
        check_close(rbl_shape_distance(view.shape, samples[i], &g), 0.0, 1e-4);
    }
    check_ok(rbl_shape_destroy(id));
}

static void compounds_touch_with_their_children(void** state)
{
    (void)state;
    const rblShapeId id = make_dumbbell();
    const rblShapeId ground = make_ground();
    // On its two balls, sunk by a millimetre and turned by a quarter about y.
    const rblTransform pose = {{3, 0.199f, 4},
                               rbl_quat_from_axis_angle(rbl_vec3(0, 1, 0), (float)RBL_PI / 2)};
    rblContactSet set = collide(ground, id, pose, options_of(0.0f, 0.01f, 8));
    assert_true(set.count >= 2);
    int sides = 0;
    for (uint32_t i = 0; i < set.count; ++i)
    {
        check_close(set.points[i].normal.y, 1.0, 1e-5);
        check_close(fabsf(set.points[i].point.z - 4.0f), 0.5, 0.12);
        sides |= set.points[i].point.z > 4.0f ? 1 : 2;
        for (uint32_t k = 0; k < i; ++k)
        {
            assert_true(set.points[i].feature != set.points[k].feature);
        }
    }
    assert_int_equal(sides, 3);
    rbl_contact_set_free(&set);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_shape_destroy(ground));
}

static void bad_compounds_are_refused(void** state)
{
    (void)state;
    rblShapeId ball;
    rblShapeId id = {0, 0};
    const rblShapeId ground = make_ground();
    const rblShapeId dumbbell = make_dumbbell();
    check_ok(rbl_shape_create_sphere(1.0f, &ball));
    const rblTransform here = rbl_transform_identity();
    rblShapeChild child = {ball, here};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(NULL, 1, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 0, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, NULL));
    child.shape = ground;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &id));
    child.shape = dumbbell;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &id));
    child.shape = (rblShapeId){0, 0};
    check_fails(RBL_ERROR_STALE, rbl_shape_create_compound(&child, 1, &id));
    child = (rblShapeChild){ball, {{NAN, 0, 0}, {0, 0, 0, 1}}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &id));
    child = (rblShapeChild){ball, {{0, 0, 0}, {0, 0, 0, 0}}};
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_compound(&child, 1, &id));
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(dumbbell));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// ---- level sets ----

static void level_sets_reach_the_wanted_error(void** state)
{
    (void)state;
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    check_ok(rbl_mesh_make("torus", NULL, 0, &def.mesh));
    float errors[2] = {0.002f, 0.0005f};
    size_t bytes[2];
    for (int i = 0; i < 2; ++i)
    {
        def.error = errors[i];
        check_ok(rbl_shape_create_level_set(&def, &id));
        const rblShapeView view = view_of(id);
        const rblLevelSet* set = rbl_shape_level_set(view.shape);
        assert_true(set->error <= errors[i]);
        bytes[i] = view.bytes;
        check_ok(rbl_shape_destroy(id));
    }
    assert_true(bytes[0] < bytes[1]);
    def.error = 1e-9f; // out of reach: as fine as allowed
    def.max_cells = 24;
    check_ok(rbl_shape_create_level_set(&def, &id));
    const rblLevelSet* set = rbl_shape_level_set(view_of(id).shape);
    rblMassProperties mass;
    check_ok(rbl_mesh_mass_properties(def.mesh, 1.0, &mass));
    const rblShapeView view = view_of(id);
    check_close(view.mass.volume, mass.volume, 1e-12);
    check_close((view.bounds.upper.x - view.bounds.lower.x) / set->cell, 24.0, 0.01);
    assert_true(!view.convex && view.bounded && view.surface.index1 != 0);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_mesh_destroy(def.mesh));
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void bad_level_sets_are_refused_by_name(void** state)
{
    (void)state;
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id = {0, 0};
    check_fails(RBL_ERROR_STALE, rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_make("box", NULL, 0, &def.mesh));
    rblMeshView view;
    check_ok(rbl_mesh_view(def.mesh, &view));
    rblMeshView open = view;
    open.face_count -= 1;
    open.corner_count = view.face_starts[open.face_count];
    rblMeshId box = def.mesh;
    check_ok(rbl_mesh_create(&open, &def.mesh));
    check_fails(RBL_ERROR_GEOMETRY, rbl_shape_create_level_set(&def, &id));
    assert_non_null(strstr(rbl_last_error(), "open"));
    check_ok(rbl_mesh_destroy(def.mesh));
    def.mesh = box;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(NULL, &id));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, NULL));
    def.error = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, &id));
    def.error = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, &id));
    def.error = 0.0f;
    def.max_cells = 3;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, &id));
    def.max_cells = 64;
    def.cookie = 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(box));
    assert_int_equal(id.index1, 0);
}

// ---- rays ----

static void rays_hit_level_sets_where_the_surface_is(void** state)
{
    (void)state;
    const rblShapeId id = make_level_set("sphere", 32);
    const rblShapeView view = view_of(id);
    const double radius = (double)(view.bounds.upper.y);
    rblRandom random = rbl_random_seed(28, 1);
    int hits = 0;
    for (int i = 0; i < 300; ++i)
    {
        const rblVec3 from =
            rbl_scale3(rbl_normalize3(random_pose(&random, 1.0f).p, rbl_vec3(1, 0, 0)), 1.0f);
        const rblVec3 to = random_pose(&random, 0.12f).p;
        const rblRay ray = {from, rbl_sub3(to, from), 0.0f, 2.0f};
        rblShapeHit hit;
        // Closest approach to the centre tells whether it must hit; near grazing either will do.
        const double along =
            -(double)rbl_dot3(from, ray.direction) / (double)rbl_dot3(ray.direction, ray.direction);
        const double miss = (double)rbl_length3(rbl_mul_add3(from, (float)along, ray.direction));
        hit = rbl_shape_ray(view.shape, &ray);
        const bool found = hit.t < INFINITY;
        assert_true(found || miss > 0.97 * radius);
        assert_true(!found || miss < 1.03 * radius);
        if (found && miss < 0.9 * radius)
        {
            const rblVec3 p = rbl_mul_add3(from, hit.t, ray.direction);
            check_close(rbl_length3(p), radius, 0.02 * radius);
            check_close(rbl_dot3(hit.normal, p), radius, 0.03 * radius);
            ++hits;
        }
    }
    assert_true(hits > 100);
    check_ok(rbl_shape_destroy(id));
}

// ---- memory ----

static void stated_bytes_are_those_taken(void** state)
{
    (void)state;
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    rblShapeId other;
    check_ok(rbl_mesh_make("torus", NULL, 0, &def.mesh));
    def.max_cells = 16;
    check_ok(rbl_shape_create_level_set(&def, &other)); // the tables of ids have grown now
    const size_t before = rbl_bytes_in_use();
    check_ok(rbl_shape_create_level_set(&def, &id));
    const size_t taken = rbl_bytes_in_use() - before;
    check_close(taken, view_of(id).bytes, 256);
    check_ok(rbl_shape_destroy(id));
    check_ok(rbl_shape_destroy(other));
    check_ok(rbl_mesh_destroy(def.mesh));
}

typedef rblResult MakeShape(const void* input, rblShapeId* out);

static rblResult make_coarse_box(const void* input, rblShapeId* out)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    (void)input;
    rblResult result = rbl_mesh_make("box", NULL, 0, &def.mesh);
    if (result == RBL_OK)
    {
        def.max_cells = 8;
        result = rbl_shape_create_level_set(&def, out);
        check_ok(rbl_mesh_destroy(def.mesh));
    }
    return result;
}

static rblResult make_user_torus(const void* input, rblShapeId* out)
{
    return rbl_shape_create_user(input, out);
}

static rblResult make_pair(const void* input, rblShapeId* out)
{
    rblShapeId ball;
    (void)input;
    rblResult result = rbl_shape_create_box(rbl_vec3(1, 1, 1), &ball);
    if (result == RBL_OK)
    {
        const rblShapeChild children[2] = {{ball, {{-0.5f, 0, 0}, {0, 0, 0, 1}}},
                                           {ball, {{0.5f, 0, 0}, {0, 0, 0, 1}}}};
        result = rbl_shape_create_compound(children, 2, out);
        check_ok(rbl_shape_destroy(ball));
    }
    return result;
}

static rblResult make_pair_in_full(const void* input, rblShapeId* out)
{
    rblResult result = make_pair(input, out);
    if (result == RBL_OK)
    {
        const rblShapeView view = view_of(*out);
        const rblVec3* points;
        uint32_t count;
        rblMeshId surface;
        result = rbl_shape_samples(&view, &points, &count);
        result = result == RBL_OK ? rbl_shape_surface(&view, &surface) : result;
        if (result != RBL_OK)
        {
            check_ok(rbl_shape_destroy(*out));
        }
    }
    return result;
}

static void check_running_out(MakeShape* make, const void* input)
{
    FailingAllocator memory;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t n = 0; result != RBL_OK; ++n)
    {
        rblShapeId id = {0, 0};
        failing_allocator_start(&memory, n);
        check_ok(rbl_set_allocator(&memory.allocator));
        result = make(input, &id);
        if (result == RBL_OK)
        {
            check_ok(rbl_shape_destroy(id));
        }
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        assert_int_equal(rbl_shape_alive_count(), 0);
        assert_int_equal(rbl_mesh_alive_count(), 0);
        check_ok(rbl_set_allocator(NULL));
        assert_int_equal(memory.live, 0);
    }
}

static void running_out_of_memory_is_survived(void** state)
{
    (void)state;
    int destroyed = 0;
    Torus torus = {0.3f, 0.1f, &destroyed};
    rblVec3 samples[TORUS_AROUND * TORUS_TUBE];
    const rblUserShape def = torus_def(&torus, samples);
    check_running_out(make_coarse_box, NULL);
    check_running_out(make_user_torus, &def);
    check_running_out(make_pair, NULL);
    check_running_out(make_pair_in_full, NULL);
    assert_int_equal(destroyed, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_user_torus_rests_on_a_plane),
        cmocka_unit_test(bad_user_shapes_are_refused),
        cmocka_unit_test(compounds_are_the_sum_of_their_children),
        cmocka_unit_test(compounds_touch_with_their_children),
        cmocka_unit_test(bad_compounds_are_refused),
        cmocka_unit_test(level_sets_reach_the_wanted_error),
        cmocka_unit_test(bad_level_sets_are_refused_by_name),
        cmocka_unit_test(rays_hit_level_sets_where_the_surface_is),
        cmocka_unit_test(stated_bytes_are_those_taken),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
