// Bodies on ground of triangles: they slide and roll as on a plane, rest on hills, and never come behind it.
#include "world_testing.h"

#include "rubble/solids.h"
#include "shape_testing.h"
#include <stdlib.h>

enum
{
    POINTS = 65,
    KINDS = 6
};

// Hills from a few sines, in a bowl.
static float height_at(float x, float z, float steep, float rim)
{
    const float away = (x - 8.0f) * (x - 8.0f) + (z - 8.0f) * (z - 8.0f);
    return rim * away +
           steep * (0.9f * (float)sin((double)x) + 0.5f * (float)sin(1.7 * (double)z + 0.3 * (double)x));
}

static rblShapeId make_hills(float spacing, float steep, float rim)
{
    static float heights[POINTS * POINTS];
    for (int i = 0; i < POINTS * POINTS; ++i)
    {
        heights[i] = height_at(spacing * (float)(i % POINTS), spacing * (float)(i / POINTS), steep, rim);
    }
    rblHeightFieldDef def = rbl_default_height_field_def();
    def.columns = POINTS;
    def.rows = POINTS;
    def.heights = heights;
    def.spacing = spacing;
    rblShapeId shape;
    check_ok(rbl_shape_create_height_field(&def, &shape));
    return shape;
}

static rblShapeId make_kind(uint32_t kind, rblRandom* random)
{
    rblShapeId shape;
    rblShapeChild children[2];
    switch (kind)
    {
    case 0:
        return make_sphere(0.1f);
    case 1:
        check_ok(rbl_shape_create_capsule(0.06f, 0.4f, &shape));
        return shape;
    case 2:
        return make_box(0.2f, 0.15f, 0.3f);
    case 3:
        check_ok(rbl_shape_create_cylinder(0.1f, 0.2f, &shape));
        return shape;
    case 4:
        return make_stone(random);
    default:
        children[0] = (rblShapeChild){make_box(0.4f, 0.1f, 0.1f), rbl_transform_identity()};
        children[1] = (rblShapeChild){make_sphere(0.12f), {{0.2f, 0, 0}, {0, 0, 0, 1}}};
        check_ok(rbl_shape_create_compound(children, 2, &shape));
        check_ok(rbl_shape_destroy(children[0].shape));
        check_ok(rbl_shape_destroy(children[1].shape));
        return shape;
    }
}

// ---- the same as on a plane ----

static rblBodyState slide(rblShapeId ground, uint32_t kind, float* highest)
{
    rblRandom random = rbl_random_seed(3, 0);
    const rblWorldId world = make_world(false);
    put(world, ground, RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_kind(kind, &random);
    def.material.friction = kind == 2 ? 0.1f : 0.5f;
    rblShapeView view;
    check_ok(rbl_shape_view(def.shape, &view));
    if (kind == 1 || kind == 3)
    {
        def.pose.q = rbl_quat_from_axis_angle(vec(1, 0, 0), 1.5707963f); // lies across its way
    }
    const float low = rbl_shape_bounds_at(&view, def.pose).lower.y;
    def.pose.p = vec(2.03f, -low, 4.01f);
    def.velocity = vec(3, 0, 0);
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    *highest = 0.0f;
    for (int i = 0; i < 45; ++i)
    {
        step_times(world, 1);
        *highest = rbl_maxf(fabsf(state_of(world, body).center.y - def.pose.p.y), *highest);
    }
    const rblBodyState end = state_of(world, body);
    check_ok(rbl_world_destroy(world));
    return end;
}

static void flat_triangles_are_a_plane(void** state)
{
    (void)state;
    static const float spacings[] = {0.13f, 0.5f};
    for (uint32_t kind = 0; kind < 4; ++kind)
    {
        for (uint32_t s = 0; s < 2; ++s)
        {
            float highest;
            float flat;
            const rblBodyState on_plane = slide(make_ground(), kind, &flat);
            const rblBodyState on_mesh = slide(make_hills(spacings[s], 0.0f, 0.0f), kind, &highest);
            check_close(on_mesh.center.x, on_plane.center.x, 0.01f * (on_plane.center.x - 2.03f));
            check_close(on_mesh.center.z, on_plane.center.z, 0.005);
            assert_true(highest <= flat + 5e-4f);
        }
    }
}

// ---- hills ----

// Bodies over the ground whose centre is behind it, each counted once.
static uint32_t count_behind(rblWorldId world, const rblShapeView* ground, const rblBodyId* bodies,
                             uint32_t count, bool* behind)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; ++i)
    {
        const rblVec3 p = state_of(world, bodies[i]).center;
        const bool over = p.x > ground->bounds.lower.x && p.z > ground->bounds.lower.z &&
                          p.x < ground->bounds.upper.x && p.z < ground->bounds.upper.z;
        const bool now = over && rbl_shape_distance(ground->shape, p, NULL) < -0.02f && p.y > -2.0f;
        found += now && !behind[i];
        behind[i] = behind[i] || now;
    }
    return found;
}

// Balls and cylinders roll in a valley for a long time; boxes and stones come to rest.
static void heaps_on_hills_come_to_rest(void** state)
{
    (void)state;
    for (uint32_t seed = 0; seed < 3; ++seed)
    {
        rblRandom random = rbl_random_seed(20 + seed, 0);
        const rblWorldId world = make_world(true);
        const rblShapeId hills = make_hills(0.25f, seed == 0 ? 0.3f : 0.6f, 0.03f);
        rblShapeView ground;
        check_ok(rbl_shape_acquire(hills, &ground));
        put(world, hills, RBL_BODY_STATIC, vec(0, 0, 0));
        rblBodyId bodies[90];
        for (uint32_t i = 0; i < 90; ++i)
        {
            rblBodyDef def = rbl_default_body_def();
            def.shape = make_kind(seed == 2 ? 2 + 2 * (i % 2) : i % KINDS, &random);
            const float x = random_between(&random, 6.0f, 9.0f);
            const float z = random_between(&random, 6.0f, 9.0f);
            def.pose.p = vec(x, 2.0f + 0.1f * (float)i, z);
            def.pose.q = random_rotation(&random);
            def.spin = random_in_cube(&random, 5.0f);
            check_ok(rbl_body_create(world, &def, &bodies[i]));
            check_ok(rbl_shape_destroy(def.shape));
        }
        Watch eye = watch(world);
        bool behind[90] = {false};
        uint32_t passed = 0;
        for (int i = 0; i < 400; ++i)
        {
            watched_step(&eye, STEP);
            passed += count_behind(world, &ground, bodies, 90, behind);
        }
        const rblCounters counters = counters_of(world);
        assert_int_equal(passed, 0);
        assert_true(seed != 2 || counters.awake == 0);
        check_energy_rule(&eye);
        check_all_finite(world);
        rbl_shape_release(ground.shape);
        check_ok(rbl_world_destroy(world));
    }
}

// ---- fast bodies ----

static void fast_bodies_do_not_pass(void** state)
{
    (void)state;
    static const float speeds[] = {10, 30, 100, 300};
    uint32_t passed = 0;
    for (uint32_t s = 0; s < 4; ++s)
    {
        for (uint32_t kind = 0; kind < KINDS; ++kind)
        {
            rblRandom random = rbl_random_seed(40 + s, kind);
            const rblWorldId world = make_world(false);
            const rblShapeId hills = make_hills(0.25f, 0.5f, 0.0f);
            rblShapeView ground;
            check_ok(rbl_shape_acquire(hills, &ground));
            put(world, hills, RBL_BODY_STATIC, vec(0, 0, 0));
            rblBodyId bodies[60];
            bool behind[60] = {false};
            for (uint32_t i = 0; i < 60; ++i)
            {
                rblBodyDef def = rbl_default_body_def();
                def.shape = make_kind(kind, &random);
                const float x = 1.5f + 1.3f * (float)(i % 10);
                const float z = 1.5f + 1.8f * (float)(i / 10);
                const rblVec3 aim = random_direction(&random);
                def.filter.group = -1; // not among themselves
                def.pose.p = vec(x, 2.0f, z);
                def.pose.q = random_rotation(&random);
                def.velocity = rbl_scale3(
                    rbl_normalize3(vec(0.5f * aim.x, -0.7f, 0.5f * aim.z), vec(0, -1, 0)), speeds[s]);
                def.spin = random_in_cube(&random, 60.0f);
                check_ok(rbl_body_create(world, &def, &bodies[i]));
                check_ok(rbl_shape_destroy(def.shape));
            }
            for (int step = 0; step < 6; ++step)
            {
                step_times(world, 1);
                passed += count_behind(world, &ground, bodies, 60, behind);
            }
            rbl_shape_release(ground.shape);
            check_ok(rbl_world_destroy(world));
        }
    }
    assert_int_equal(passed, 0);
}

// ---- shapes with samples ----

// Level sets meet the ground by their samples. They come to rest on it.
static void a_level_set_rests_on_hills(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblShapeId hills = make_hills(0.25f, 0.3f, 0.03f);
    rblShapeView ground;
    check_ok(rbl_shape_acquire(hills, &ground));
    put(world, hills, RBL_BODY_STATIC, vec(0, 0, 0));
    rblLevelSetDef level_set = rbl_default_level_set_def();
    const double size[3] = {0.3, 0.2, 0.4};
    const rblSolidValue value = {"size", size, 3};
    check_ok(rbl_mesh_make("box", &value, 1, &level_set.mesh));
    rblShapeId shape;
    check_ok(rbl_shape_create_level_set(&level_set, &shape));
    check_ok(rbl_mesh_destroy(level_set.mesh));
    const rblBodyId body = put(world, shape, RBL_BODY_DYNAMIC, vec(8.1f, 2.0f, 7.9f));
    Watch eye = watch(world);
    for (int i = 0; i < 240; ++i)
    {
        watched_step(&eye, STEP);
    }
    const rblBodyState end = state_of(world, body);
    assert_false(end.awake);
    check_close(rbl_shape_distance(ground.shape, end.center, NULL), 0.1, 0.03);
    check_energy_rule(&eye);
    rbl_shape_release(ground.shape);
    check_ok(rbl_world_destroy(world));
}

// ---- the same bits ----

// A state that is stored and restored, and other numbers of workers, give the same results.
static void results_are_reproducible(void** state)
{
    (void)state;
    uint64_t hashes[3];
    for (uint32_t run = 0; run < 3; ++run)
    {
        const rblTasks tasks = tasks_of(run == 1 ? 3 : 1);
        rblWorldDef def = rbl_default_world_def();
        rblRandom random = rbl_random_seed(60, 0);
        rblWorldId world;
        def.tasks = &tasks;
        check_ok(rbl_world_create(&def, &world));
        put(world, make_hills(0.25f, 0.5f, 0.03f), RBL_BODY_STATIC, vec(0, 0, 0));
        for (uint32_t i = 0; i < 60; ++i)
        {
            const float x = random_between(&random, 6.0f, 9.0f);
            put(world, make_kind(i % KINDS, &random), RBL_BODY_DYNAMIC, vec(x, 2.0f + 0.1f * (float)i, 7.5f));
        }
        step_times(world, 30);
        if (run == 2)
        {
            uint8_t* image = NULL;
            size_t bytes = 0;
            check_ok(rbl_world_save(world, NULL, 0, &bytes));
            image = malloc(bytes);
            check_ok(rbl_world_save(world, image, bytes, &bytes));
            step_times(world, 5);
            check_ok(rbl_world_restore(world, image, bytes));
            free(image);
        }
        step_times(world, 60);
        hashes[run] = hash_of(world);
        check_ok(rbl_world_destroy(world));
    }
    assert_true(hashes[0] == hashes[1] && hashes[0] == hashes[2]);
}

// ---- bad input ----

static void ground_is_static(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_hills(0.5f, 0.2f, 0.0f);
    rblBodyId body;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &body));
    def.type = RBL_BODY_KINEMATIC;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &body));
    def.type = RBL_BODY_STATIC;
    check_ok(rbl_body_create(world, &def, &body));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_type(world, body, RBL_BODY_DYNAMIC));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_world_destroy(world));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flat_triangles_are_a_plane), cmocka_unit_test(heaps_on_hills_come_to_rest),
        cmocka_unit_test(fast_bodies_do_not_pass),    cmocka_unit_test(a_level_set_rests_on_hills),
        cmocka_unit_test(results_are_reproducible),   cmocka_unit_test(ground_is_static)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
