// Hostile calls to the world: what is wrong is refused, and nothing that is allowed does damage.
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
    const rblTasks tasks = {.worker_count = 0};
    def = rbl_default_world_def();
    def.tasks = &tasks;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_create(&def, &world));
}

static void refuse_body(rblWorldId world, rblResult expected, const rblBodyDef* def)
{
    rblBodyId body = {7, 7};
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
    return rbl_body_set_filter(world, body, (rblFilter){1, 1, 0});
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

static BodyCall* const body_calls[] = {call_destroy, call_state,    call_pose_at, call_teleport,
                                       call_force,   call_torque,   call_impulse, call_set_velocity,
                                       call_filter,  call_impulses, call_join,    call_wake};

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
    check_stale(world, (rblBodyId){0, 0});
    check_stale(world, (rblBodyId){first.index1, first.generation + 2});
    check_stale(world, (rblBodyId){first.index1 + 1000, first.generation});
    check_stale(world, (rblBodyId){UINT32_MAX, UINT32_MAX});
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
    rblJointId joint = {9, 9};
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
    bool found;
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
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_ray(world, NULL, 1, &found, &hit));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_ray(world, &ray, 1, NULL, &hit));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_ray(world, &ray, 1, &found, NULL));
    const rblRay bad_rays[4] = {{{NAN, 0, 0}, {0, 1, 0}, 0, 1},
                                {{0, 0, 0}, {0, 0, 0}, 0, 1},
                                {{0, 0, 0}, {0, 1, 0}, 0, NAN},
                                {{0, 0, 0}, {0, INFINITY, 0}, 0, 1}};
    for (int i = 0; i < 4; ++i)
    {
        check_fails(RBL_ERROR_ARGUMENT, rbl_world_ray(world, &bad_rays[i], 1, &found, &hit));
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_overlap_box(world, (rblAabb){zero, zero}, 1, NULL, NULL));
    check_fails(RBL_ERROR_STALE, rbl_world_cast(world, null_shape(), here, vec(1, 0, 0), 1, &found, &hit));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_cast(world, null_shape(), here, bad_vec, 1, &found, &hit));
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

// ---- steps of any length ----

static void steps_too_short_to_matter_move_nothing(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId a = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    rblJointDef def = rbl_default_joint_def();
    def.a = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 1.5f, 0));
    def.b = a;
    def.kind = RBL_JOINT_DISTANCE;
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    step_times(world, 2);
    const uint64_t before = hash_of(world);
    const float steps[4] = {0.0f, 1e-45f, 1e-30f, 1e-8f};
    for (int i = 0; i < 4; ++i)
    {
        check_ok(rbl_world_step(world, steps[i]));
        assert_true(hash_of(world) == before);
    }
    check_ok(rbl_world_step(world, 2e-6f));
    check_ok(rbl_world_step(world, RBL_MAX_STEP));
    step_times(world, 10);
    check_all_finite(world);
    assert_int_equal(counters_of(world).frozen, 0);
    check_ok(rbl_world_destroy(world));
}

// ---- extremes ----

static void sizes_from_a_millimetre_to_a_kilometre_share_a_scene(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_box(1000, 100, 1000), RBL_BODY_STATIC, vec(0, -50, 0));
    const rblBodyId grain = put(world, make_box(0.001f, 0.001f, 0.001f), RBL_BODY_DYNAMIC, vec(3, 0.01f, 0));
    const rblBodyId giant = put(world, make_box(100, 50, 100), RBL_BODY_DYNAMIC, vec(200, 25.5f, 0));
    const rblBodyId ball = put(world, make_sphere(0.002f), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    Watch w = watch(world);
    for (int i = 0; i < 90; ++i)
    {
        watched_step(&w, STEP);
    }
    check_energy_rule(&w);
    check_all_finite(world);
    check_close(state_of(world, grain).pose.p.y, 0.0005, 1e-4);
    check_close(state_of(world, ball).pose.p.y, 0.002, 1e-4);
    check_close(state_of(world, giant).pose.p.y, 25.0, 0.01);
    assert_int_equal(counters_of(world).frozen, 0);
    check_ok(rbl_world_destroy(world));
}

static void masses_a_million_apart_stay_sane(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(1, 1, 1);
    def.mass = 1e-2f;
    def.pose.p = vec(0, 0.5f, 0);
    rblBodyId light;
    check_ok(rbl_body_create(world, &def, &light));
    def.mass = 1e4f;
    def.pose.p = vec(0, 3.0f, 0);
    rblBodyId heavy;
    check_ok(rbl_body_create(world, &def, &heavy));
    check_ok(rbl_shape_destroy(def.shape));
    Watch w = watch(world);
    for (int i = 0; i < 200; ++i)
    {
        watched_step(&w, STEP);
    }
    check_energy_rule(&w);
    check_all_finite(world);
    assert_true(state_of(world, heavy).pose.p.y > 0.4f && state_of(world, heavy).pose.p.y < 3.0f);
    check_ok(rbl_world_destroy(world));
}

static void bodies_at_ten_kilometres_a_second_do_no_damage(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_box(10, 10, 0.01f), RBL_BODY_STATIC, zero);
    const rblBodyId bullet =
        put(world, make_box(0.05f, 0.02f, 0.03f), RBL_BODY_DYNAMIC, vec(0.3f, 0.2f, -100));
    const rblBodyId spinner = put(world, make_box(2, 0.1f, 0.1f), RBL_BODY_DYNAMIC, vec(2, 0, 3));
    const rblBodyId target = put(world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC, vec(2, 0.4f, 3.6f));
    check_ok(rbl_body_set_velocity(world, bullet, vec(0, 0, 1e4f), vec(1e3f, 2e3f, 0)));
    check_ok(rbl_body_set_velocity(world, spinner, zero, vec(0, 1e4f, 0)));
    Watch w = watch(world);
    for (int i = 0; i < 30; ++i)
    {
        watched_step(&w, STEP);
        assert_true(state_of(world, bullet).pose.p.z < 0.0f);
    }
    check_all_finite(world);
    check_energy_rule(&w);
    assert_int_equal(counters_of(world).frozen, 0);
    (void)target;
    check_ok(rbl_world_destroy(world));
}

static void numbers_that_overflow_are_stopped(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId mad = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    const rblBodyId sane = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(5, 2, 0));
    const float speeds[4] = {1e18f, 1e30f, 3e38f, 1e14f};
    for (int i = 0; i < 4; ++i)
    {
        check_ok(rbl_body_set_velocity(world, mad, vec(speeds[i], -speeds[i], 0), vec(0, speeds[i], 0)));
        step_times(world, 2);
        check_all_finite(world);
        check_ok(rbl_body_teleport(world, mad, (rblTransform){{0, 0.5f, 0}, {0, 0, 0, 1}}));
    }
    assert_true(counters_of(world).frozen > 0);
    check_ok(rbl_body_apply_force(world, mad, vec(3e38f, 3e38f, 0), vec(1e30f, 0, 0)));
    step_times(world, 60);
    check_all_finite(world);
    check_close(state_of(world, sane).pose.p.y, 0.5, 1e-2);
    check_ok(rbl_world_destroy(world));
}

// A shape that answers with nonsense now and then.
static float mad_distance(const void* context, rblVec3 point, rblVec3* gradient)
{
    const bool mad = *(const bool*)context;
    const float length = rbl_length3(point);
    if (gradient != NULL)
    {
        *gradient =
            mad && point.x > 0.1f ? vec(NAN, INFINITY, 0) : rbl_scale3(point, 1.0f / (length + 1e-6f));
    }
    return mad && point.y > 0.1f ? NAN : length - 0.5f;
}

static void shapes_that_answer_nonsense_harm_only_themselves(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblVec3 samples[6] = {{0.5f, 0, 0},  {-0.5f, 0, 0}, {0, 0.5f, 0},
                          {0, -0.5f, 0}, {0, 0, 0.5f},  {0, 0, -0.5f}};
    rblUserShape def = rbl_default_user_shape();
    bool mad = false;
    def.name = "nonsense";
    def.context = &mad;
    def.distance = mad_distance;
    def.bounds = (rblAabb){{-0.5f, -0.5f, -0.5f}, {0.5f, 0.5f, 0.5f}};
    def.samples = samples;
    def.sample_count = 6;
    def.mass = (rblMassProperties){.volume = 0.5, .mass = 0.5, .moments = {0.05, 0.05, 0.05}};
    def.mass.principal_axes.cx = (rblVec3d){1, 0, 0};
    def.mass.principal_axes.cy = (rblVec3d){0, 1, 0};
    def.mass.principal_axes.cz = (rblVec3d){0, 0, 1};
    rblShapeId shape;
    check_ok(rbl_shape_create_user(&def, &shape));
    mad = true;
    put(world, shape, RBL_BODY_DYNAMIC, vec(0, 0.6f, 0));
    put(world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC, vec(0.2f, 1.3f, 0.1f));
    put(world, make_sphere(0.3f), RBL_BODY_DYNAMIC, vec(0.6f, 0.5f, 0.1f));
    const rblBodyId far = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(9, 2, 0));
    for (int i = 0; i < 60; ++i)
    {
        step_times(world, 1);
        check_all_finite(world);
    }
    check_close(state_of(world, far).pose.p.y, 0.5, 1e-2);
    check_ok(rbl_world_destroy(world));
}

// ---- overlap ----

static void bodies_born_in_one_place_part_slowly(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyId bodies[100];
    for (int i = 0; i < 100; ++i)
    {
        bodies[i] = put(world, make_box(0.4f, 0.3f, 0.2f), RBL_BODY_DYNAMIC, vec(0, 0.3f, 0));
    }
    Watch w = watch(world);
    rblVec3 last[100];
    for (int i = 0; i < 100; ++i)
    {
        last[i] = state_of(world, bodies[i]).pose.p;
    }
    double fastest = 0.0;
    for (int k = 0; k < 240; ++k)
    {
        watched_step(&w, STEP);
        for (int i = 0; i < 100; ++i)
        {
            const rblBodyState now = state_of(world, bodies[i]);
            fastest = fmax(fastest, (double)rbl_length3(now.velocity));
            last[i] = now.pose.p;
        }
    }
    check_all_finite(world);
    check_energy_rule(&w);
    assert_int_equal(counters_of(world).frozen, 0);
    // Nothing shoots off: falling a few decimetres is all the speed there may be.
    assert_true(fastest < 5.0);
    assert_true(w.work >= 0.0);
    rblCounters counters = counters_of(world);
    assert_true(counters.contacts > 0);
    double spread = 0.0;
    for (int i = 0; i < 100; ++i)
    {
        spread = fmax(spread, (double)rbl_length3(rbl_sub3(last[i], vec(0, 0.3f, 0))));
    }
    assert_true(spread > 0.5 && spread < 10.0);
    check_ok(rbl_world_destroy(world));
}

static void deep_overlap_is_undone_at_bounded_speed_and_booked(void** state)
{
    (void)state;
    const rblWorldId world = make_world(false);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId body = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, -0.4f, 0));
    const double weight = 9.81 * (double)state_of(world, body).mass;
    Watch w = watch(world);
    float last = -0.4f;
    for (int i = 0; i < 90; ++i)
    {
        watched_step(&w, STEP);
        const float now = state_of(world, body).pose.p.y;
        assert_true(now - last < 1.05f * STEP);
        last = now;
    }
    check_close(last, 0.5, 0.005);
    check_relative(w.work, weight * 0.9, 0.02);
    check_energy_rule(&w);
    check_ok(rbl_world_destroy(world));
}

// ---- changes in mid-run ----

static void bodies_vanish_from_piles(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyId bodies[40];
    for (int i = 0; i < 40; ++i)
    {
        bodies[i] = put(world, make_box(0.5f, 0.5f, 0.5f), RBL_BODY_DYNAMIC,
                        vec(0.1f * (float)(i % 3), 0.25f + 0.5f * (float)i, 0));
    }
    for (int i = 0; i < 40; ++i)
    {
        step_times(world, 3);
        check_ok(rbl_body_destroy(world, bodies[(i * 17) % 40]));
        const rblContactEvent* events;
        uint32_t count;
        check_ok(rbl_world_contact_events(world, &events, &count));
        for (int k = (i * 17 + 17) % 40, left = 0; left < 2 && i < 37; ++left)
        {
            uint32_t felt = 0;
            check_ok(rbl_body_impulses(world, bodies[k], NULL, 0, &felt));
        }
    }
    step_times(world, 2);
    assert_int_equal(counters_of(world).pairs, 0);
    assert_int_equal(counters_of(world).bodies, 1);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void settings_change_while_it_runs(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    rblBodyId bodies[12];
    for (int i = 0; i < 12; ++i)
    {
        bodies[i] =
            put(world, make_box(0.5f, 0.4f, 0.5f), RBL_BODY_DYNAMIC, vec(0, 0.3f + 0.5f * (float)i, 0));
    }
    Watch w = watch(world);
    for (int i = 0; i < 300; ++i)
    {
        const rblBodyId body = bodies[i % 12];
        switch (i % 25)
        {
        case 0:
            check_ok(rbl_world_set_gravity(world, i % 2 == 0 ? vec(3, -5, 0) : vec(0, -9.81f, 1)));
            break;
        case 5:
            check_ok(rbl_body_set_filter(world, body, (rblFilter){i % 2 == 0 ? 2 : 1, UINT64_MAX, 0}));
            break;
        case 10:
            check_ok(rbl_body_teleport(world, body, state_of(world, bodies[(i + 5) % 12]).pose));
            break;
        case 15:
            check_ok(rbl_body_set_velocity(world, body, vec(3, 4, 0), vec(0, 10, 0)));
            break;
        case 20:
            check_ok(rbl_body_apply_force(world, body, vec(0, 2000, 100), state_of(world, body).center));
            break;
        default:
            break;
        }
        watched_step(&w, STEP);
    }
    check_all_finite(world);
    check_energy_rule(&w);
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
    rblDebugDraw draw = {.line = count_line, .point = count_point, .context = &drawn, .joints = true};
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
    const rblTasks tasks = {.worker_count = workers};
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worlds_refuse_bad_definitions),
        cmocka_unit_test(bodies_refuse_bad_definitions),
        cmocka_unit_test(shapes_without_thickness_are_refused),
        cmocka_unit_test(stale_ids_are_caught),
        cmocka_unit_test(joint_ids_go_stale_with_their_bodies),
        cmocka_unit_test(joints_refuse_bad_definitions),
        cmocka_unit_test(missing_places_for_results_are_refused),
        cmocka_unit_test(calls_refuse_numbers_that_are_not_finite),
        cmocka_unit_test(only_dynamic_bodies_feel_forces),
        cmocka_unit_test(steps_too_short_to_matter_move_nothing),
        cmocka_unit_test(sizes_from_a_millimetre_to_a_kilometre_share_a_scene),
        cmocka_unit_test(masses_a_million_apart_stay_sane),
        cmocka_unit_test(bodies_at_ten_kilometres_a_second_do_no_damage),
        cmocka_unit_test(numbers_that_overflow_are_stopped),
        cmocka_unit_test(shapes_that_answer_nonsense_harm_only_themselves),
        cmocka_unit_test(bodies_born_in_one_place_part_slowly),
        cmocka_unit_test(deep_overlap_is_undone_at_bounded_speed_and_booked),
        cmocka_unit_test(bodies_vanish_from_piles),
        cmocka_unit_test(settings_change_while_it_runs),
        cmocka_unit_test(everything_can_be_drawn),
        cmocka_unit_test(worlds_on_several_threads_do_not_meet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
