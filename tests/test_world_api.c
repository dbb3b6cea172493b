// Hostile calls to the world: what is wrong is refused. What is allowed and extreme is in test_world_extremes.c.
#include "world_testing.h"

#include "base/thread.h"
#include <string.h>

#if RBL_HAS_THREADS
#include <pthread.h>
#endif

static const rblVec3 zero = {0, 0, 0};
static const rblVec3 bad_vec = {0, NAN, 0};
static const rblVec3 inf_vec = {0, 0, INFINITY};

static rblShapeId null_shape(void)
{
    return (rblShapeId){0, 0};
}

// ---- definitions ----

static void worlds_refuse_bad_definitions(void** state)
{
    (void)state;
    rblWorldId world;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(NULL, &world));
    rblWorldDef def = rbl_default_world_def();
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, NULL));
    def.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
    def = rbl_default_world_def();
    def.gravity = bad_vec;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
    def = rbl_default_world_def();
    def.substeps = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
    def = rbl_default_world_def();
    def.iterations = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
    float* const numbers[4] = {&def.sleep_speed, &def.sleep_time, &def.bounce_speed, &def.recovery_speed};
    for (int i = 0; i < 4; ++i)
    {
        def = rbl_default_world_def();
        *numbers[i] = NAN;
        check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
        *numbers[i] = -1.0f;
        check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
    }
    def = rbl_default_world_def();
    def.recovery_speed = 2.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
    const rblTasks tasks = tasks_of(0);
    def = rbl_default_world_def();
    def.tasks = &tasks;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
}

static void refuse_body(rblWorldId world, rblResult expected, const rblBodyDef* def)
{
    rblBodyId body = {7, 7, 7};
    check_fails(expected, rbl_body_create(world, def, &body));
    assert_int_equal(body.index1, 7);
}

static void bodies_refuse_bad_definitions(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblShapeId box = make_box(1, 1, 1);
    const rblShapeId ground = make_ground();
    rblBodyDef good = rbl_default_body_def();
    good.shape = box;
    refuse_body(world, RBL_ERROR_ARGUMENT, NULL);
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &good, NULL));
    rblBodyDef def = good;
    def.cookie = 1;
    refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    def = good;
    def.type = (rblBodyType)9;
    refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    def = good;
    def.shape = null_shape();
    refuse_body(world, RBL_ERROR_STALE, &def);
    rblVec3* const vectors[3] = {&def.pose.p, &def.velocity, &def.spin};
    for (int i = 0; i < 3; ++i)
    {
        def = good;
        *vectors[i] = bad_vec;
        refuse_body(world, RBL_ERROR_ARGUMENT, &def);
        *vectors[i] = inf_vec;
        refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    }
    const rblQuat rotations[4] = {{0, 0, 0, 0}, {0, 0, 0, 1.5f}, {NAN, 0, 0, 1}, {1, 1, 1, 1}};
    for (int i = 0; i < 4; ++i)
    {
        def = good;
        def.pose.q = rotations[i];
        refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    }
    def = good;
    def.material.density = 0.0f;
    refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    const float masses[4] = {-1.0f, NAN, INFINITY, 1e-45f};
    for (int i = 0; i < 4; ++i)
    {
        def = good;
        def.mass = masses[i];
        refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    }
    float* const factors[4] = {&def.material.density, &def.material.friction, &def.material.restitution,
                               &def.gravity_scale};
    for (int i = 0; i < 4; ++i)
    {
        def = good;
        *factors[i] = NAN;
        refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    }
    for (int i = 0; i < 3; ++i)
    {
        def = good;
        *factors[i] = -0.5f;
        refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    }
    def = good;
    def.shape = ground;
    refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    def.type = RBL_BODY_KINEMATIC;
    refuse_body(world, RBL_ERROR_ARGUMENT, &def);
    check_ok(rbl_shape_destroy(ground));
    check_ok(rbl_shape_destroy(box));
    def = good;
    refuse_body(world, RBL_ERROR_STALE, &def);
    uint32_t count = 1;
    check_ok(rbl_world_bodies(world, NULL, 0, &count));
    assert_int_equal(count, 0);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void shapes_without_thickness_are_refused(void** state)
{
    (void)state;
    rblShapeId shape;
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_box(vec(1, 0, 1), &shape));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_sphere(0.0f, &shape));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_capsule(1.0f, 1.0f, &shape));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_cylinder(1.0f, 0.0f, &shape));
    check_fails(RBL_ERROR_ARGUMENT, rbl_shape_create_plane(zero, &shape));
    const rblVec3 flat[5] = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}, {2, 0, 1}};
    assert_true(rbl_shape_create_hull(flat, 5, &shape) != RBL_OK);
}

// ---- ids ----

typedef rblResult BodyCall(rblWorldId world, rblBodyId body);

static rblResult call_destroy(rblWorldId world, rblBodyId body)
{
    return rbl_body_destroy(world, body);
}
static rblResult call_state(rblWorldId world, rblBodyId body)
{
    rblBodyState out;
    return rbl_body_state(world, body, &out);
}
static rblResult call_pose_at(rblWorldId world, rblBodyId body)
{
    rblTransform out;
    return rbl_body_pose_at(world, body, 0.5f, &out);
}
static rblResult call_teleport(rblWorldId world, rblBodyId body)
{
    return rbl_body_teleport(world, body, (rblTransform){{0, 0, 0}, {0, 0, 0, 1}});
}
static rblResult call_set_velocity(rblWorldId world, rblBodyId body)
{
    return rbl_body_set_velocity(world, body, zero, zero);
}
static rblResult call_force(rblWorldId world, rblBodyId body)
{
    return rbl_body_apply_force(world, body, zero, zero);
}
static rblResult call_torque(rblWorldId world, rblBodyId body)
{
    return rbl_body_apply_torque(world, body, zero);
}
static rblResult call_impulse(rblWorldId world, rblBodyId body)
{
    return rbl_body_apply_impulse(world, body, zero, zero);
}
static rblResult call_filter(rblWorldId world, rblBodyId body)
{
    return rbl_body_set_filter(world, body, (rblFilter){.category = 1, .mask = 1});
}
static rblResult call_type(rblWorldId world, rblBodyId body)
{
    return rbl_body_set_type(world, body, RBL_BODY_STATIC);
}
static rblResult call_material(rblWorldId world, rblBodyId body)
{
    const rblMaterial material = rbl_default_body_def().material;
    return rbl_body_set_material(world, body, &material);
}
static rblResult call_breaker(rblWorldId world, rblBodyId body)
{
    return rbl_body_set_breaker(world, body, (rblBreakerId){0, 0});
}
static rblResult call_gravity_scale(rblWorldId world, rblBodyId body)
{
    return rbl_body_set_gravity_scale(world, body, 1.0f);
}
static rblResult call_wake(rblWorldId world, rblBodyId body)
{
    return rbl_body_wake(world, body);
}
static rblResult call_impulses(rblWorldId world, rblBodyId body)
{
    uint32_t count;
    return rbl_body_impulses(world, body, NULL, 0, &count);
}
static rblResult call_join(rblWorldId world, rblBodyId body)
{
    rblJointDef def = rbl_default_joint_def();
    def.a = body;
    rblJointId joint;
    return rbl_joint_create(world, &def, &joint);
}

static rblResult call_break(rblWorldId world, rblBodyId body)
{
    return rbl_body_break(world, body, zero, vec(0, -1, 0));
}

static BodyCall* const body_calls[] = {
    call_break,  call_destroy, call_state,        call_pose_at, call_teleport,     call_force,
    call_torque, call_impulse, call_set_velocity, call_filter,  call_impulses,     call_join,
    call_wake,   call_type,    call_material,     call_breaker, call_gravity_scale};

static void check_stale(rblWorldId world, rblBodyId body)
{
    assert_false(rbl_body_is_valid(world, body));
    for (size_t i = 0; i < sizeof body_calls / sizeof *body_calls; ++i)
    {
        check_fails(RBL_ERROR_STALE, body_calls[i](world, body));
    }
}

static void stale_ids_are_caught(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId first = put(world, make_sphere(1), RBL_BODY_DYNAMIC, zero);
    check_stale(world, (rblBodyId){0});
    check_stale(world, (rblBodyId){first.index1, first.generation + 2, first.world});
    check_stale(world, (rblBodyId){first.index1 + 1000, first.generation, first.world});
    check_stale(world, (rblBodyId){first.index1, first.generation, first.world + 1});
    check_stale(world, (rblBodyId){UINT32_MAX, UINT32_MAX, UINT32_MAX});
    check_ok(rbl_body_destroy(world, first));
    check_stale(world, first);
    const rblBodyId second = put(world, make_sphere(1), RBL_BODY_DYNAMIC, zero);
    assert_int_equal(second.index1, first.index1);
    check_stale(world, first);
    assert_true(rbl_body_is_valid(world, second));
    check_ok(rbl_world_destroy(world));
    check_stale(world, second);
    check_fails(RBL_ERROR_STALE, rbl_world_destroy(world));
    check_fails(RBL_ERROR_STALE, rbl_world_step(world, STEP));
    const rblWorldId next = make_world(true);
    check_fails(RBL_ERROR_STALE, rbl_world_step(world, STEP));
    check_stale(next, second);
    check_ok(rbl_world_destroy(next));
}

// Two worlds with the same calls: their ids differ in the world alone, and each world refuses the other's.
static void ids_of_another_world_are_refused(void** state)
{
    (void)state;
    const rblWorldId worlds[2] = {make_world(true), make_world(true)};
    rblBodyId bodies[2];
    rblJointId joints[2];
    uint64_t hash[2];
    for (int w = 0; w < 2; ++w)
    {
        bodies[w] = put(worlds[w], make_sphere(0.5f), RBL_BODY_DYNAMIC, zero);
        rblJointDef def = rbl_default_joint_def();
        def.a = bodies[w];
        check_ok(rbl_joint_create(worlds[w], &def, &joints[w]));
        check_ok(rbl_world_hash(worlds[w], &hash[w]));
    }
    assert_int_equal(bodies[0].index1, bodies[1].index1);
    assert_int_equal(bodies[0].generation, bodies[1].generation);
    assert_true(hash[0] == hash[1]);
    for (size_t i = 0; i < sizeof body_calls / sizeof *body_calls; ++i)
    {
        check_fails(RBL_ERROR_STALE, body_calls[i](worlds[0], bodies[1]));
        assert_non_null(strstr(rbl_last_error(), "body: the id belongs to another world"));
    }
    rblJointDef across = rbl_default_joint_def();
    rblJointId none;
    across.kind = RBL_JOINT_ROPE;
    across.length = 1.0f;
    across.a = bodies[0];
    across.b = bodies[1];
    check_fails(RBL_ERROR_STALE, rbl_joint_create(worlds[0], &across, &none));
    assert_non_null(strstr(rbl_last_error(), "the id belongs to another world"));
    check_fails(RBL_ERROR_STALE, rbl_joint_destroy(worlds[0], joints[1]));
    assert_string_equal(rbl_last_error(), "joint: the id belongs to another world");
    assert_false(rbl_joint_is_valid(worlds[0], joints[1]));
    check_fails(RBL_ERROR_STALE, rbl_body_wake(worlds[0], (rblBodyId){0}));
    assert_string_equal(rbl_last_error(), "body: the id must not be null");
    check_ok(rbl_joint_destroy(worlds[1], joints[1]));
    check_fails(RBL_ERROR_STALE, rbl_joint_destroy(worlds[1], joints[1]));
    assert_non_null(strstr(rbl_last_error(), "belongs to a destroyed"));
    uint64_t now;
    check_ok(rbl_world_hash(worlds[0], &now));
    assert_true(now == hash[0]);
    assert_true(rbl_joint_is_valid(worlds[0], joints[0]));
    check_ok(rbl_world_destroy(worlds[0]));
    check_ok(rbl_world_destroy(worlds[1]));
}

static void joint_ids_go_stale_with_their_bodies(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId a = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, zero);
    const rblBodyId b = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(2, 0, 0));
    rblJointDef def = rbl_default_joint_def();
    def.kind = RBL_JOINT_DISTANCE;
    def.a = a;
    def.b = b;
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    assert_true(rbl_joint_is_valid(world, joint));
    step_times(world, 3);
    check_ok(rbl_body_destroy(world, b));
    assert_false(rbl_joint_is_valid(world, joint));
    rblJointState out;
    check_fails(RBL_ERROR_STALE, rbl_joint_state(world, joint, &out));
    check_fails(RBL_ERROR_STALE, rbl_joint_destroy(world, joint));
    check_fails(RBL_ERROR_STALE, rbl_joint_set_target(world, joint, zero));
    check_fails(RBL_ERROR_STALE, rbl_joint_create(world, &def, &joint));
    step_times(world, 3);
    check_all_finite(world);
    check_ok(rbl_world_destroy(world));
}

static void joints_refuse_bad_definitions(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    rblJointDef good = rbl_default_joint_def();
    good.a = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, zero);
    const rblBodyId wall = put(world, make_sphere(0.5f), RBL_BODY_STATIC, vec(3, 0, 0));
    rblJointId joint = {9, 9, 9};
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, NULL, &joint));
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &good, NULL));
    rblJointDef def = good;
    def.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def = good;
    def.kind = RBL_JOINT_KIND_COUNT;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def = good;
    def.b = good.a;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def = good;
    def.a = wall;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    def = good;
    def.kind = RBL_JOINT_HINGE;
    def.axis = zero;
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    rblVec3* const vectors[3] = {&def.anchor_a, &def.anchor_b, &def.axis};
    for (int i = 0; i < 3; ++i)
    {
        def = good;
        *vectors[i] = inf_vec;
        check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    }
    float* const numbers[5] = {&def.length, &def.stiffness, &def.damping, &def.break_force, &def.max_force};
    for (int i = 0; i < 5; ++i)
    {
        def = good;
        *numbers[i] = -1.0f;
        check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
        *numbers[i] = NAN;
        check_fails(RBL_ERROR_ARGUMENT, rbl_joint_create(world, &def, &joint));
    }
    assert_int_equal(joint.index1, 9);
    check_ok(rbl_world_destroy(world));
}

static void missing_places_for_results_are_refused(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId body = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, zero);
    rblJointDef joint_def = rbl_default_joint_def();
    joint_def.a = body;
    rblJointId joint;
    check_ok(rbl_joint_create(world, &joint_def, &joint));
    const rblContactEvent* events;
    const rblJointEvent* joint_events;
    uint32_t count;
    rblWorldHit hit;
    const rblRay ray = {{0, 5, 0}, {0, -1, 0}, 0.0f, 10.0f};
    const rblTransform here = {{0, 0, 0}, {0, 0, 0, 1}};
    const rblShapeId shape = state_of(world, body).shape;
    (void)shape;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_state(world, body, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_pose_at(world, body, 0.5f, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_impulses(world, body, NULL, 0, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_impulses(world, body, NULL, 3, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_energy(world, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_counters(world, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_profile(world, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_hash(world, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_contact_events(world, NULL, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_contact_events(world, &events, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_joint_events(world, NULL, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_joint_events(world, &joint_events, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_joint_state(world, joint, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_bodies(world, NULL, 3, &count));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_bodies(world, NULL, 0, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_save(world, NULL, 0, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_draw(world, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_ray(world, NULL, 1, &hit));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_ray(world, &ray, 1, NULL));
    const rblRay bad_rays[4] = {{{NAN, 0, 0}, {0, 1, 0}, 0, 1},
                                {{0, 0, 0}, {0, 0, 0}, 0, 1},
                                {{0, 0, 0}, {0, 1, 0}, 0, NAN},
                                {{0, 0, 0}, {0, INFINITY, 0}, 0, 1}};
    for (int i = 0; i < 4; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_world_ray(world, &bad_rays[i], 1, &hit));
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_overlap_box(world, (rblAabb){zero, zero}, 1, NULL, NULL));
    check_fails(RBL_ERROR_STALE, rbl_world_cast(world, null_shape(), here, vec(1, 0, 0), 1, &hit));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_cast(world, null_shape(), here, bad_vec, 1, &hit));
    check_ok(rbl_world_destroy(world));
}

static void calls_refuse_numbers_that_are_not_finite(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId body = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, zero);
    const uint64_t before = hash_of(world);
    const rblVec3 bad[2] = {bad_vec, inf_vec};
    for (int i = 0; i < 2; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_apply_force(world, body, bad[i], zero));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_apply_force(world, body, zero, bad[i]));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_apply_torque(world, body, bad[i]));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_apply_impulse(world, body, bad[i], zero));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_apply_impulse(world, body, zero, bad[i]));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_velocity(world, body, bad[i], zero));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_velocity(world, body, zero, bad[i]));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_teleport(world, body, (rblTransform){bad[i], {0, 0, 0, 1}}));
        check_fails(RBL_ERROR_ARGUMENT, rbl_world_set_gravity(world, bad[i]));
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_teleport(world, body, (rblTransform){zero, {0, 0, 0, 2}}));
    rblTransform pose;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_pose_at(world, body, NAN, &pose));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_pose_at(world, body, 1.01f, &pose));
    const float steps[4] = {-0.01f, NAN, 10.0f, INFINITY};
    for (int i = 0; i < 4; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_world_step(world, steps[i]));
    }
    assert_true(hash_of(world) == before);
    check_ok(rbl_world_destroy(world));
}

static void only_dynamic_bodies_feel_forces(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId wall = put(world, make_sphere(0.5f), RBL_BODY_STATIC, zero);
    const rblBodyId lift = put(world, make_sphere(0.5f), RBL_BODY_KINEMATIC, vec(5, 0, 0));
    const rblBodyId both[2] = {wall, lift};
    for (int i = 0; i < 2; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_apply_force(world, both[i], zero, zero));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_apply_torque(world, both[i], zero));
        check_fails(RBL_ERROR_ARGUMENT, rbl_body_apply_impulse(world, both[i], zero, zero));
        assert_true(state_of(world, both[i]).mass == 0.0f);
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_velocity(world, wall, vec(1, 0, 0), zero));
    check_ok(rbl_body_set_velocity(world, lift, vec(0, 2, 0), vec(0, 0, 1)));
    step_times(world, 30);
    check_close(state_of(world, lift).pose.p.y, 2.0, 1e-4);
    assert_true(state_of(world, wall).pose.p.y == 0.0f);
    check_ok(rbl_world_destroy(world));
}

// ---- drawing ----

static void count_line(rblVec3 from, rblVec3 to, uint32_t color, void* context)
{
    assert_true(rbl_finite3(from) && rbl_finite3(to) && color != 0);
    *(int*)context += 1;
}

static void count_point(rblVec3 at, float size, uint32_t color, void* context)
{
    assert_true(rbl_finite3(at) && size > 0.0f && color != 0);
    *(int*)context += 1;
}

static void everything_can_be_drawn(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    int drawn = 0;
    rblDebugDraw draw = rbl_default_debug_draw();
    draw.line = count_line;
    draw.point = count_point;
    draw.context = &drawn;
    draw.joints = true;
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblJointDef def = rbl_default_joint_def();
    def.a = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    def.anchor_b = vec(0, 0.5f, 0);
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    step_times(world, 2);
    check_ok(rbl_world_draw(world, &draw));
    assert_int_equal(drawn, 3);
    draw.boxes = draw.contacts = draw.normals = draw.impulses = true;
    draw.centers = draw.islands = draw.samples = true;
    drawn = 0;
    check_ok(rbl_world_draw(world, &draw));
    assert_true(drawn > 20);
    check_ok(rbl_body_destroy(world, def.a));
    check_ok(rbl_world_draw(world, &draw));
    draw.line = NULL;
    draw.point = NULL;
    check_ok(rbl_world_draw(world, &draw));
    check_ok(rbl_world_destroy(world));
}

// ---- two worlds at once ----

static uint64_t run_alone(uint32_t workers)
{
    const rblTasks tasks = tasks_of(workers);
    rblWorldDef world_def = rbl_default_world_def();
    world_def.tasks = workers > 0 ? &tasks : NULL;
    rblWorldId world;
    uint64_t hash = 0;
    bool ok = rbl_world_create(&world_def, &world) == RBL_OK;
    rblShapeId shape = {0, 0};
    ok = ok && rbl_shape_create_box(vec(0.4f, 0.3f, 0.2f), &shape) == RBL_OK;
    for (int i = 0; i < 60 && ok; ++i)
    {
        rblBodyDef def = rbl_default_body_def();
        def.shape = shape;
        def.type = i == 0 ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC;
        def.pose.p = vec(0.05f * (float)(i % 5), 0.35f * (float)i, 0.04f * (float)(i % 7));
        rblBodyId body;
        ok = rbl_body_create(world, &def, &body) == RBL_OK;
    }
    for (int i = 0; i < 60 && ok; ++i)
    {
        ok = rbl_world_step(world, STEP) == RBL_OK;
    }
    ok = ok && rbl_world_hash(world, &hash) == RBL_OK;
    ok = ok && rbl_shape_destroy(shape) == RBL_OK && rbl_world_destroy(world) == RBL_OK;
    return ok ? hash : 0;
}

#if RBL_HAS_THREADS
static void* run_thread(void* out)
{
    *(uint64_t*)out = run_alone(2);
    return NULL;
}
#endif

static void worlds_on_several_threads_do_not_meet(void** state)
{
    (void)state;
    const uint64_t alone = run_alone(1);
    assert_true(alone != 0);
#if RBL_HAS_THREADS
    pthread_t threads[3];
    uint64_t hashes[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(pthread_create(&threads[i], NULL, run_thread, &hashes[i]), 0);
    }
    for (int i = 0; i < 3; ++i)
    {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    }
    for (int i = 0; i < 3; ++i)
    {
        assert_true(hashes[i] == alone);
    }
#endif
}

#if RBL_HAS_THREADS
static void* destroy_thread(void* world)
{
    return rbl_world_destroy(*(const rblWorldId*)world) == RBL_OK ? world : NULL;
}
#endif

// Whoever comes second finds the id stale.
static void worlds_are_destroyed_once_whoever_asks(void** state)
{
    (void)state;
#if RBL_HAS_THREADS
    for (int round = 0; round < 50; ++round)
    {
        rblWorldId world = make_world(true);
        pthread_t threads[3];
        int destroyed = 0;
        for (int i = 0; i < 3; ++i)
        {
            assert_int_equal(pthread_create(&threads[i], NULL, destroy_thread, &world), 0);
        }
        for (int i = 0; i < 3; ++i)
        {
            void* done = NULL;
            assert_int_equal(pthread_join(threads[i], &done), 0);
            destroyed += done != NULL;
        }
        assert_int_equal(destroyed, 1);
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_refuse_bad_definitions),
        cmocka_unit_test(bodies_refuse_bad_definitions),
        cmocka_unit_test(shapes_without_thickness_are_refused),
        cmocka_unit_test(stale_ids_are_caught),
        cmocka_unit_test(ids_of_another_world_are_refused),
        cmocka_unit_test(joint_ids_go_stale_with_their_bodies),
        cmocka_unit_test(joints_refuse_bad_definitions),
        cmocka_unit_test(missing_places_for_results_are_refused),
        cmocka_unit_test(calls_refuse_numbers_that_are_not_finite),
        cmocka_unit_test(only_dynamic_bodies_feel_forces),
        cmocka_unit_test(everything_can_be_drawn),
        cmocka_unit_test(worlds_on_several_threads_do_not_meet),
        cmocka_unit_test(worlds_are_destroyed_once_whoever_asks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
