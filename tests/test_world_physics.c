// The rigid world against closed forms and invariants.
#include "testing.h"

#include "math/quat.h"
#include "math/vec.h"
#include "rubble/joint.h"
#include <stdlib.h>

#define STEP (1.0f / 30.0f)

// ---- a world with its energy watched ----

typedef struct Scene
{
    rblWorldId world;
    double energy;     // kinetic + potential - work, after the last step
    double worst_rise; // of it in one step
    double first;
    double kinetic_max, potential_min, potential_max;
    double work;
    int steps;
} Scene;

static Scene make_scene(rblVec3 gravity)
{
    Scene scene = {.worst_rise = -INFINITY, .potential_min = INFINITY, .potential_max = -INFINITY};
    rblWorldDef def = rbl_default_world_def();
    def.gravity = gravity;
    def.sleeping = false;
    check_ok(rbl_world_create(&def, &scene.world));
    return scene;
}

static void step(Scene* scene, float seconds)
{
    rblEnergy energy;
    if (scene->steps == 0)
    {
        check_ok(rbl_world_energy(scene->world, &energy));
        scene->first = scene->energy = energy.kinetic + energy.potential;
    }
    check_ok(rbl_world_step(scene->world, seconds));
    check_ok(rbl_world_energy(scene->world, &energy));
    scene->work += energy.work;
    const double now = energy.kinetic + energy.potential - scene->work;
    scene->worst_rise = fmax(scene->worst_rise, now - scene->energy);
    scene->energy = now;
    scene->kinetic_max = fmax(scene->kinetic_max, energy.kinetic);
    scene->potential_min = fmin(scene->potential_min, energy.potential);
    scene->potential_max = fmax(scene->potential_max, energy.potential);
    scene->steps += 1;
}

static double scale_of(const Scene* scene)
{
    return scene->kinetic_max + scene->potential_max - scene->potential_min;
}

// The rule of the house: no step gains more than 1e-6 of the scale, no run more than 1e-4.
static void check_energy(const Scene* scene)
{
    const double scale = scale_of(scene);
    if (scene->worst_rise > 1e-6 * scale || scene->energy - scene->first > 1e-4 * scale)
    {
        fail_msg("energy rose by %.3g in a step and %.3g in all, scale %.3g", scene->worst_rise,
                 scene->energy - scene->first, scale);
    }
}

static rblBodyId add(const Scene* scene, rblShapeId shape, rblBodyType type, rblVec3 at, float friction,
                     float restitution)
{
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.type = type;
    def.pose.p = at;
    def.material.friction = friction;
    def.material.restitution = restitution;
    rblBodyId body;
    check_ok(rbl_body_create(scene->world, &def, &body));
    return body;
}

static rblBodyState state_of(const Scene* scene, rblBodyId body)
{
    rblBodyState state;
    check_ok(rbl_body_state(scene->world, body, &state));
    return state;
}

static rblShapeId make_box(float x, float y, float z)
{
    rblShapeId shape;
    check_ok(rbl_shape_create_box((rblVec3){x, y, z}, &shape));
    return shape;
}

static rblShapeId make_sphere(float radius)
{
    rblShapeId shape;
    check_ok(rbl_shape_create_sphere(radius, &shape));
    return shape;
}

static rblShapeId make_ground(void)
{
    rblShapeId shape;
    check_ok(rbl_shape_create_plane((rblVec3){0, 1, 0}, &shape));
    return shape;
}

static const rblVec3 earth = {0.0f, -9.81f, 0.0f};
static const rblVec3 nowhere = {0.0f, 0.0f, 0.0f};

static rblVec3 tilted(double degrees)
{
    const double angle = degrees * 3.14159265358979323846 / 180.0;
    return (rblVec3){(float)(9.81 * sin(angle)), (float)(-9.81 * cos(angle)), 0.0f};
}

// ---- free motion ----

// Euler's equations by small Runge-Kutta steps in body axes: how often the spin about axis 1 changes its sign.
static void euler_rate(const double moments[3], const double w[3], double out[3])
{
    out[0] = (moments[1] - moments[2]) * w[1] * w[2] / moments[0];
    out[1] = (moments[2] - moments[0]) * w[2] * w[0] / moments[1];
    out[2] = (moments[0] - moments[1]) * w[0] * w[1] / moments[2];
}

static int reference_flips(const double moments[3], double w[3], double seconds)
{
    const int steps = 200000;
    const double h = seconds / steps;
    int flips = 0;
    for (int i = 0; i < steps; ++i)
    {
        double k[4][3];
        double at[3];
        euler_rate(moments, w, k[0]);
        for (int s = 1; s < 4; ++s)
        {
            for (int j = 0; j < 3; ++j)
            {
                at[j] = w[j] + h * (s < 3 ? 0.5 : 1.0) * k[s - 1][j];
            }
            euler_rate(moments, at, k[s]);
        }
        const double before = w[1];
        for (int j = 0; j < 3; ++j)
        {
            w[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
        }
        flips += before * w[1] < 0.0;
    }
    return flips;
}

static void check_spin(rblVec3 size, rblVec3 spin, rblVec3 axis, int expected_flips)
{
    Scene scene = make_scene(nowhere);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(size.x, size.y, size.z);
    def.spin = spin;
    rblBodyId body;
    check_ok(rbl_body_create(scene.world, &def, &body));
    const rblBodyState start = state_of(&scene, body);
    double last = 0.0;
    int flips = 0;
    for (int i = 0; i < 600; ++i)
    {
        step(&scene, STEP);
        const rblBodyState now = state_of(&scene, body);
        check_relative(now.kinetic_energy, start.kinetic_energy, 1e-5);
        const rblVec3 off = rbl_sub3(now.angular_momentum, start.angular_momentum);
        check_close(rbl_length3(off), 0.0, 1e-5 * (double)rbl_length3(start.angular_momentum));
        // Sign of the spin about the body's own axis.
        const double along = (double)rbl_dot3(rbl_rotate3(now.pose.q, axis), now.spin);
        flips += along * last < 0.0;
        last = along;
    }
    if (abs(flips - expected_flips) > 1)
    {
        fail_msg("%d flips instead of %d", flips, expected_flips);
    }
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_world_destroy(scene.world));
}

static void spinning_bodies_keep_energy_and_momentum(void** state)
{
    (void)state;
    const double moments[3] = {(0.09 + 0.0025) / 12.0, (1.0 + 0.0025) / 12.0, (1.0 + 0.09) / 12.0};
    double w[3] = {0.0, 12.0, 0.12};
    const int flips = reference_flips(moments, w, 20.0);
    assert_true(flips > 15);
    // The plate's middle axis is its second side; the thin one is the axis of the largest moment.
    check_spin((rblVec3){1.0f, 0.3f, 0.05f}, (rblVec3){0.0f, 12.0f, 0.12f}, (rblVec3){0, 1, 0}, flips);
    check_spin((rblVec3){1.0f, 0.02f, 0.02f}, (rblVec3){40.0f * 0.8660254f, 20.0f, 0.0f}, (rblVec3){1, 0, 0},
               0);
}

static void falling_follows_the_parabola(void** state)
{
    (void)state;
    Scene scene = make_scene(earth);
    const rblShapeId shape = make_sphere(0.1f);
    rblBodyDef def = rbl_default_body_def();
    def.shape = shape;
    def.pose.p = (rblVec3){0, 50, 0};
    def.velocity = (rblVec3){3, 4, -1};
    rblBodyId body;
    check_ok(rbl_body_create(scene.world, &def, &body));
    for (int i = 0; i < 60; ++i)
    {
        step(&scene, STEP);
    }
    const rblBodyState end = state_of(&scene, body);
    check_close(end.pose.p.x, 6.0, 1e-4);
    check_close(end.pose.p.y, 50.0 + 8.0 - 0.5 * 9.81 * 4.0, 2e-4);
    check_close(end.velocity.y, 4.0 - 9.81 * 2.0, 1e-4);
    check_energy(&scene);
    assert_true(scene.work == 0.0);
    check_ok(rbl_shape_destroy(shape));
    check_ok(rbl_world_destroy(scene.world));
}

// ---- impacts ----

static void two_balls_collide_as_the_closed_form_says(void** state)
{
    (void)state;
    for (int k = 0; k <= 4; ++k)
    {
        const float e = 0.25f * (float)k;
        Scene scene = make_scene(nowhere);
        const rblShapeId small = make_sphere(0.1f);
        const rblShapeId large = make_sphere(0.2f);
        rblBodyDef def = rbl_default_body_def();
        def.material.restitution = e;
        def.material.friction = 0.0f;
        def.shape = small;
        def.mass = 1.0f;
        def.pose.p = (rblVec3){-1.013f, 0, 0};
        def.velocity = (rblVec3){3, 0, 0};
        rblBodyId a;
        check_ok(rbl_body_create(scene.world, &def, &a));
        def.shape = large;
        def.mass = 3.0f;
        def.pose.p = (rblVec3){0.4f, 0, 0};
        def.velocity = (rblVec3){-1, 0, 0};
        rblBodyId b;
        check_ok(rbl_body_create(scene.world, &def, &b));
        for (int i = 0; i < 60; ++i)
        {
            step(&scene, STEP);
        }
        // v' = (m1 v1 + m2 v2 -+ m e (v1 - v2)) / (m1 + m2) with m1 v1 + m2 v2 = 0.
        check_close(state_of(&scene, a).velocity.x, -3.0 * (double)e * 4.0 / 4.0, 1e-4);
        check_close(state_of(&scene, b).velocity.x, 1.0 * (double)e * 4.0 / 4.0, 1e-4);
        check_energy(&scene);
        check_ok(rbl_shape_destroy(small));
        check_ok(rbl_shape_destroy(large));
        check_ok(rbl_world_destroy(scene.world));
    }
}

static void a_ball_bounces_to_the_height_that_restitution_allows(void** state)
{
    (void)state;
    Scene scene = make_scene(earth);
    const rblShapeId ground = make_ground();
    const rblShapeId ball = make_sphere(0.1f);
    add(&scene, ground, RBL_BODY_STATIC, nowhere, 0.5f, 0.0f);
    const rblBodyId body = add(&scene, ball, RBL_BODY_DYNAMIC, (rblVec3){0, 1.1f, 0}, 0.5f, 0.8f);
    float apex = 0.0f;
    bool bounced = false;
    for (int i = 0; i < 30; ++i)
    {
        step(&scene, STEP);
        const rblBodyState now = state_of(&scene, body);
        bounced = bounced || now.velocity.y > 0.5f;
        // Height it would reach: exact between steps.
        apex =
            bounced && now.velocity.y > 0.0f ? now.pose.p.y + now.velocity.y * now.velocity.y / 19.62f : apex;
    }
    check_close(apex - 0.1f, 0.64, 0.01);
    check_energy(&scene);
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(ball));
    check_ok(rbl_world_destroy(scene.world));
}

// Boxes that fly into each other; the number picks how they turn and what they bounce by.
static void put_swarm(const Scene* scene, rblShapeId box, int kind, double* linear, double* angular)
{
    for (int i = 0; i < 27; ++i)
    {
        rblBodyDef def = rbl_default_body_def();
        def.shape = box;
        const float x = (float)(i % 3 - 1);
        const float y = (float)(i / 3 % 3 - 1);
        const float z = (float)(i / 9 - 1);
        const float turn = 0.1f * (float)((i + kind) % 5);
        def.pose.p = (rblVec3){0.5f * x, 0.5f * y, 0.5f * z};
        def.pose.q = rbl_quat_normalize((rblQuat){turn, 0.2f, 0.07f * (float)(i % 7), 1.0f});
        def.velocity = (rblVec3){-2.0f * x + 0.9f * y, -2.0f * y, -2.0f * z + 0.4f * x};
        def.spin = (rblVec3){(float)(i % 4) - 1.5f, 2.0f, (float)(i % 3)};
        def.material.restitution = i % 2 == 0 ? 0.2f * (float)kind : 0.0f;
        rblBodyId body;
        check_ok(rbl_body_create(scene->world, &def, &body));
        const rblBodyState made = state_of(scene, body);
        const rblVec3 momentum = rbl_scale3(made.velocity, made.mass);
        *linear += (double)rbl_length3(momentum);
        *angular += (double)rbl_length3(rbl_cross3(made.center, momentum));
    }
}

// Linear momentum to 1e-5 of the sum of |p|, angular momentum to 1e-5 of the sum of |r x p|; drift correction, which moves bodies
// without changing their speed, says itself what it changed.
static void free_collisions_keep_momentum(void** state)
{
    (void)state;
    for (int kind = 0; kind < 4; ++kind)
    {
        Scene scene = make_scene(nowhere);
        const rblShapeId box = make_box(0.3f, 0.2f, 0.1f);
        double linear = 0.0;
        double angular = 0.0;
        put_swarm(&scene, box, kind, &linear, &angular);
        rblEnergy before;
        check_ok(rbl_world_energy(scene.world, &before));
        double drift[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < 60; ++i)
        {
            step(&scene, STEP);
            rblEnergy energy;
            check_ok(rbl_world_energy(scene.world, &energy));
            for (int k = 0; k < 3; ++k)
            {
                drift[k] += energy.drift_momentum[k];
                check_close(energy.momentum[k], before.momentum[k], 1e-5 * linear);
                check_close(energy.angular_momentum[k] - drift[k], before.angular_momentum[k],
                            1e-5 * angular);
            }
            assert_true(i < 59 || energy.kinetic < 0.5 * before.kinetic); // they did collide
        }
        check_energy(&scene);
        check_ok(rbl_shape_destroy(box));
        check_ok(rbl_world_destroy(scene.world));
    }
}

// ---- friction ----

static void a_block_slides_down_as_the_closed_form_says(void** state)
{
    (void)state;
    Scene scene = make_scene(tilted(20.0));
    const rblShapeId ground = make_ground();
    const rblShapeId box = make_box(0.2f, 0.2f, 0.2f);
    add(&scene, ground, RBL_BODY_STATIC, nowhere, 0.2f, 0.0f);
    const rblBodyId body = add(&scene, box, RBL_BODY_DYNAMIC, (rblVec3){0, 0.1f, 0}, 0.2f, 0.0f);
    for (int i = 0; i < 60; ++i)
    {
        step(&scene, STEP);
    }
    const double angle = 20.0 * 3.14159265358979323846 / 180.0;
    const double expected = 0.5 * 9.81 * (sin(angle) - 0.2 * cos(angle)) * 4.0;
    check_relative(state_of(&scene, body).pose.p.x, expected, 0.001);
    check_energy(&scene);
    assert_true(scene.work == 0.0);
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_world_destroy(scene.world));
}

static void a_block_that_friction_holds_does_not_creep(void** state)
{
    (void)state;
    Scene scene = make_scene(tilted(20.0));
    const rblShapeId ground = make_ground();
    const rblShapeId box = make_box(0.2f, 0.2f, 0.2f);
    add(&scene, ground, RBL_BODY_STATIC, nowhere, 0.4f, 0.0f);
    const rblBodyId body = add(&scene, box, RBL_BODY_DYNAMIC, (rblVec3){0, 0.1f, 0}, 0.4f, 0.0f);
    for (int i = 0; i < 300; ++i)
    {
        step(&scene, STEP);
    }
    check_close(state_of(&scene, body).pose.p.x, 0.0, 1e-4);
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_world_destroy(scene.world));
}

static void a_sliding_block_stops_where_it_should(void** state)
{
    (void)state;
    Scene scene = make_scene(earth);
    const rblShapeId ground = make_ground();
    const rblShapeId box = make_box(0.4f, 0.1f, 0.4f);
    add(&scene, ground, RBL_BODY_STATIC, nowhere, 0.3f, 0.0f);
    rblBodyDef def = rbl_default_body_def();
    def.shape = box;
    def.material.friction = 0.3f;
    def.material.restitution = 0.0f;
    def.pose.p = (rblVec3){0, 0.05f, 0};
    def.velocity = (rblVec3){3, 0, 0};
    rblBodyId body;
    check_ok(rbl_body_create(scene.world, &def, &body));
    for (int i = 0; i < 90; ++i)
    {
        step(&scene, STEP);
    }
    check_relative(state_of(&scene, body).pose.p.x, 9.0 / (2.0 * 0.3 * 9.81), 0.005);
    check_close(state_of(&scene, body).velocity.x, 0.0, 1e-4);
    check_energy(&scene);
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_world_destroy(scene.world));
}

// ---- stacks and piles ----

static void twenty_boxes_stand_for_half_a_minute(void** state)
{
    (void)state;
    Scene scene = make_scene(earth);
    const rblShapeId ground = make_ground();
    const rblShapeId box = make_box(1, 1, 1);
    add(&scene, ground, RBL_BODY_STATIC, nowhere, 0.5f, 0.0f);
    rblBodyId top = {0};
    for (int i = 0; i < 20; ++i)
    {
        top = add(&scene, box, RBL_BODY_DYNAMIC, (rblVec3){0, 0.5f + (float)i, 0}, 0.5f, 0.0f);
    }
    const rblVec3 start = state_of(&scene, top).pose.p;
    for (int i = 0; i < 900; ++i)
    {
        step(&scene, STEP);
        check_close(rbl_length3(rbl_sub3(state_of(&scene, top).pose.p, start)), 0.0, 0.002);
    }
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_world_destroy(scene.world));
}

static void a_heavy_box_rests_on_a_light_one(void** state)
{
    (void)state;
    Scene scene = make_scene(earth);
    const rblShapeId ground = make_ground();
    const rblShapeId box = make_box(0.5f, 0.5f, 0.5f);
    add(&scene, ground, RBL_BODY_STATIC, nowhere, 0.5f, 0.0f);
    rblBodyDef def = rbl_default_body_def();
    def.shape = box;
    def.mass = 1.0f;
    def.pose.p = (rblVec3){0, 0.25f, 0};
    rblBodyId light;
    check_ok(rbl_body_create(scene.world, &def, &light));
    def.mass = 1000.0f;
    def.pose.p = (rblVec3){0, 0.75f, 0};
    rblBodyId heavy;
    check_ok(rbl_body_create(scene.world, &def, &heavy));
    for (int i = 0; i < 300; ++i)
    {
        step(&scene, STEP);
    }
    check_close(state_of(&scene, heavy).pose.p.y, 0.75, 0.002);
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_world_destroy(scene.world));
}

static void fill_with_boxes(Scene* scene, rblShapeId ground, const rblShapeId shapes[3], int count)
{
    add(scene, ground, RBL_BODY_STATIC, nowhere, 0.5f, 0.0f);
    for (int i = 0; i < count; ++i)
    {
        rblBodyDef def = rbl_default_body_def();
        def.shape = shapes[i % 3];
        def.material.restitution = i % 5 == 0 ? 0.5f : 0.0f;
        def.pose.p = (rblVec3){0.4f * (float)(i % 4) + 0.01f * (float)(i % 7), 0.3f + 0.4f * (float)(i / 16),
                               0.4f * (float)(i / 4 % 4)};
        def.pose.q = rbl_quat_normalize((rblQuat){0.1f * (float)(i % 5), 0.3f, 0.05f * (float)(i % 3), 1.0f});
        rblBodyId body;
        check_ok(rbl_body_create(scene->world, &def, &body));
    }
}

static void energy_never_grows_in_a_pile(void** state)
{
    (void)state;
    const rblShapeId ground = make_ground();
    const rblShapeId shapes[3] = {make_box(0.2f, 0.15f, 0.1f), make_sphere(0.1f),
                                  make_box(0.25f, 0.05f, 0.2f)};
    const float steps[3] = {1.0f / 15.0f, 1.0f / 30.0f, 1.0f / 60.0f};
    for (int k = 0; k < 3; ++k)
    {
        Scene scene = make_scene(earth);
        fill_with_boxes(&scene, ground, shapes, 96);
        for (int i = 0; i < 120; ++i)
        {
            step(&scene, steps[k]);
        }
        check_energy(&scene);
        assert_true(scene.work == 0.0);
        check_ok(rbl_world_destroy(scene.world));
    }
    check_ok(rbl_shape_destroy(ground));
    for (int k = 0; k < 3; ++k)
    {
        check_ok(rbl_shape_destroy(shapes[k]));
    }
}

static uint64_t pile_hash(uint32_t workers, bool interrupted)
{
    const rblTasks tasks = tasks_of(workers);
    check_ok(rbl_set_tasks(&tasks));
    const rblShapeId ground = make_ground();
    const rblShapeId shapes[3] = {make_box(0.2f, 0.15f, 0.1f), make_sphere(0.1f),
                                  make_box(0.25f, 0.05f, 0.2f)};
    Scene scene = make_scene(earth);
    fill_with_boxes(&scene, ground, shapes, 200);
    uint64_t hash = 0;
    size_t size = 0;
    void* buffer = NULL;
    for (int i = 0; i < 60; ++i)
    {
        if (interrupted && (i == 0 || i == 25)) // before the first step no pair has begun
        {
            check_ok(rbl_world_save(scene.world, NULL, 0, &size));
            free(buffer);
            buffer = malloc(size);
            check_ok(rbl_world_save(scene.world, buffer, size, &size));
            for (int k = 0; k < 7; ++k)
            {
                check_ok(rbl_world_step(scene.world, STEP));
            }
            check_ok(rbl_world_restore(scene.world, buffer, size));
        }
        check_ok(rbl_world_step(scene.world, STEP));
    }
    check_ok(rbl_world_hash(scene.world, &hash));
    free(buffer);
    check_ok(rbl_world_destroy(scene.world));
    check_ok(rbl_shape_destroy(ground));
    for (int k = 0; k < 3; ++k)
    {
        check_ok(rbl_shape_destroy(shapes[k]));
    }
    check_ok(rbl_set_tasks(NULL));
    return hash;
}

static void the_number_of_workers_changes_nothing(void** state)
{
    (void)state;
    const uint64_t one = pile_hash(1, false);
    assert_true(pile_hash(2, false) == one);
    assert_true(pile_hash(3, false) == one);
    assert_true(pile_hash(8, false) == one);
}

static void a_restored_world_goes_on_as_it_would_have(void** state)
{
    (void)state;
    assert_true(pile_hash(1, true) == pile_hash(1, false));
}

// ---- kinematic bodies ----

static void an_elevator_does_work(void** state)
{
    (void)state;
    Scene scene = make_scene(earth);
    const rblShapeId slab = make_box(2, 0.2f, 2);
    const rblShapeId box = make_box(0.5f, 0.5f, 0.5f);
    rblBodyDef def = rbl_default_body_def();
    def.shape = slab;
    def.type = RBL_BODY_KINEMATIC;
    def.pose.p = (rblVec3){0, -0.1f, 0};
    rblBodyId floor;
    check_ok(rbl_body_create(scene.world, &def, &floor));
    const rblBodyId load = add(&scene, box, RBL_BODY_DYNAMIC, (rblVec3){0, 0.25f, 0}, 0.5f, 0.0f);
    for (int i = 0; i < 30; ++i)
    {
        step(&scene, STEP);
    }
    check_ok(rbl_body_set_velocity(scene.world, floor, (rblVec3){0, 1, 0}, nowhere));
    for (int i = 0; i < 60; ++i)
    {
        step(&scene, STEP);
    }
    const rblBodyState end = state_of(&scene, load);
    check_close(end.pose.p.y, 2.25, 0.005);
    check_close(end.velocity.y, 1.0, 1e-3);
    // What the floor put in is the load's energy: height and speed, and the loss of the first jerk.
    check_relative(scene.work, (double)end.mass * (9.81 * 2.0 + 1.0), 0.02);
    check_energy(&scene);
    check_ok(rbl_shape_destroy(slab));
    check_ok(rbl_shape_destroy(box));
    check_ok(rbl_world_destroy(scene.world));
}

// A platform that sinks takes energy out of what lands on it. That is work, not dissipated: overlap must not be undone with it.
static void landing_on_a_sinking_platform_gains_nothing(void** state)
{
    (void)state;
    for (int speed = 5; speed <= 20; ++speed)
    {
        Scene scene = make_scene(earth);
        const rblShapeId slab = make_box(3, 0.2f, 3);
        const rblShapeId box = make_box(0.6f, 0.6f, 0.6f);
        rblShapeId drum;
        check_ok(rbl_shape_create_cylinder(0.3f, 0.8f, &drum));
        rblBodyDef def = rbl_default_body_def();
        def.shape = slab;
        def.type = RBL_BODY_KINEMATIC;
        rblBodyId floor;
        check_ok(rbl_body_create(scene.world, &def, &floor));
        add(&scene, box, RBL_BODY_DYNAMIC, (rblVec3){-0.7f, 0.4f, 0.4f}, 0.5f, 0.0f);
        add(&scene, box, RBL_BODY_DYNAMIC, (rblVec3){-0.7f, 1.0f, 0.4f}, 0.5f, 0.0f);
        add(&scene, drum, RBL_BODY_DYNAMIC, (rblVec3){0.2f, 0.5f, -0.7f}, 0.5f, 0.0f);
        for (int i = 0; i < 180; ++i)
        {
            if (i == 30 || i == 90 || i == 120)
            {
                const float up = i == 30 ? 1.0f : (i == 90 ? 0.0f : -0.1f * (float)speed);
                check_ok(rbl_body_set_velocity(scene.world, floor, (rblVec3){0, up, 0}, nowhere));
            }
            step(&scene, STEP);
        }
        check_energy(&scene);
        check_ok(rbl_shape_destroy(slab));
        check_ok(rbl_shape_destroy(box));
        check_ok(rbl_shape_destroy(drum));
        check_ok(rbl_world_destroy(scene.world));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spinning_bodies_keep_energy_and_momentum),
        cmocka_unit_test(falling_follows_the_parabola),
        cmocka_unit_test(two_balls_collide_as_the_closed_form_says),
        cmocka_unit_test(a_ball_bounces_to_the_height_that_restitution_allows),
        cmocka_unit_test(free_collisions_keep_momentum),
        cmocka_unit_test(a_block_slides_down_as_the_closed_form_says),
        cmocka_unit_test(a_block_that_friction_holds_does_not_creep),
        cmocka_unit_test(a_sliding_block_stops_where_it_should),
        cmocka_unit_test(twenty_boxes_stand_for_half_a_minute),
        cmocka_unit_test(a_heavy_box_rests_on_a_light_one),
        cmocka_unit_test(energy_never_grows_in_a_pile),
        cmocka_unit_test(the_number_of_workers_changes_nothing),
        cmocka_unit_test(a_restored_world_goes_on_as_it_would_have),
        cmocka_unit_test(an_elevator_does_work),
        cmocka_unit_test(landing_on_a_sinking_platform_gains_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
