// Bodies that become something else while they live: type, material, breaker, gravity. They go on as if they had been created so,
// the books of energy balance, and what was done happens again from snapshots and recordings.
#include "world_testing.h"

#include "failing_allocator.h"
#include "rubble/prescored.h"
#include "rubble/recorder.h"
#include <stdlib.h>
#include <string.h>

static const rblVec3 zero = {0, 0, 0};

static rblMaterial material_of(const char* name, float friction)
{
    rblMaterial material;
    check_ok(rbl_material_preset(name, &material));
    material.friction = friction;
    material.restitution = 0.0f;
    return material;
}

// A slope of `angle` radians and a box on it, of that friction; the box and the slope have the same material.
static rblBodyId put_on_slope(rblWorldId world, float angle, float friction)
{
    const rblQuat turn = {0, 0, sinf(0.5f * angle), cosf(0.5f * angle)};
    rblBodyDef def = rbl_default_body_def();
    def.material = material_of("stone", friction);
    def.type = RBL_BODY_STATIC;
    def.pose = (rblTransform){zero, turn};
    def.shape = make_box(40, 1, 4);
    rblBodyId slope, box;
    check_ok(rbl_body_create(world, &def, &slope));
    check_ok(rbl_shape_destroy(def.shape));
    def.type = RBL_BODY_DYNAMIC;
    def.pose.p = vec(-sinf(angle) * 0.75f, cosf(angle) * 0.75f, 0);
    def.shape = make_box(0.5f, 0.5f, 0.5f);
    check_ok(rbl_body_create(world, &def, &box));
    check_ok(rbl_shape_destroy(def.shape));
    return box;
}

// ---- type ----

static void a_static_body_made_dynamic_falls_as_one_created_so(void** state)
{
    (void)state;
    const rblWorldId worlds[2] = {make_world(true), make_world(true)};
    rblBodyId bodies[2];
    for (int w = 0; w < 2; ++w)
    {
        put(worlds[w], make_ground(), RBL_BODY_STATIC, zero);
        bodies[w] = put(worlds[w], make_box(0.3f, 0.4f, 0.5f), w == 0 ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC,
                        vec(0, 5, 0));
    }
    step_times(worlds[0], 20);
    assert_true(state_of(worlds[0], bodies[0]).pose.p.y == 5.0f);
    check_ok(rbl_body_set_type(worlds[0], bodies[0], RBL_BODY_DYNAMIC));
    assert_true(state_of(worlds[0], bodies[0]).mass == state_of(worlds[1], bodies[1]).mass);
    for (int i = 0; i < 60; ++i) // the fall, the impact and the rest on the ground
    {
        step_times(worlds[0], 1);
        step_times(worlds[1], 1);
        assert_true(hash_of(worlds[0]) == hash_of(worlds[1]));
    }
    check_close(state_of(worlds[0], bodies[0]).pose.p.y, 0.2, 1e-3);
    check_ok(rbl_world_destroy(worlds[0]));
    check_ok(rbl_world_destroy(worlds[1]));
}

static void a_dynamic_body_made_static_stops_and_carries(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId lower = put(world, make_box(1, 0.2f, 1), RBL_BODY_DYNAMIC, vec(0, 3, 0));
    const rblBodyId upper = put(world, make_box(0.4f, 0.4f, 0.4f), RBL_BODY_DYNAMIC, vec(0, 3.4f, 0));
    step_times(world, 10);
    check_ok(rbl_body_set_type(world, lower, RBL_BODY_STATIC));
    const rblBodyState stopped = state_of(world, lower);
    assert_true(stopped.velocity.y == 0.0f && stopped.mass == 0.0f && !stopped.awake);
    step_times(world, 60);
    assert_true(state_of(world, lower).pose.p.y == stopped.pose.p.y);
    check_close(state_of(world, upper).pose.p.y, stopped.pose.p.y + 0.3f, 2e-2);
    check_ok(rbl_body_set_type(world, lower, RBL_BODY_DYNAMIC)); // and both fall again
    step_times(world, 15);
    assert_true(state_of(world, upper).pose.p.y < stopped.pose.p.y - 0.5f);
    check_ok(rbl_world_destroy(world));
}

static void a_body_made_kinematic_keeps_its_velocity(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId body = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, zero);
    check_ok(rbl_body_set_velocity(world, body, vec(2, 0, 0), vec(0, 3, 0)));
    check_ok(rbl_body_set_type(world, body, RBL_BODY_KINEMATIC));
    step_times(world, 30);
    check_close(state_of(world, body).pose.p.x, 2.0, 1e-4);
    check_close(state_of(world, body).pose.p.y, 0.0, 1e-6);
    check_ok(rbl_body_set_type(world, body, RBL_BODY_DYNAMIC));
    const rblBodyState now = state_of(world, body);
    check_close(now.velocity.x, 2.0, 1e-6);
    assert_true(now.angular_momentum.y > 0.0f);
    step_times(world, 30);
    check_close(state_of(world, body).pose.p.y, -0.5 * 9.81, 0.2);
    check_ok(rbl_world_destroy(world));
}

static void pairs_of_two_that_cannot_move_end(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId box = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    step_times(world, 3);
    assert_int_equal(counters_of(world).touching, 1);
    check_ok(rbl_body_set_type(world, box, RBL_BODY_KINEMATIC));
    step_times(world, 1);
    assert_int_equal(counters_of(world).pairs, 0);
    check_ok(rbl_body_set_type(world, box, RBL_BODY_DYNAMIC));
    step_times(world, 2);
    assert_int_equal(counters_of(world).touching, 1);
    check_ok(rbl_world_destroy(world));
}

static void joints_keep_their_dynamic_body(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId a = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, zero);
    const rblBodyId b = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(1, 0, 0));
    rblJointDef def = rbl_default_joint_def();
    rblJointId joint;
    def.kind = RBL_JOINT_DISTANCE;
    def.a = a;
    def.b = b;
    check_ok(rbl_joint_create(world, &def, &joint));
    check_ok(rbl_body_set_type(world, a, RBL_BODY_STATIC)); // b hangs on it now
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_type(world, b, RBL_BODY_STATIC));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_type(world, b, RBL_BODY_KINEMATIC));
    assert_int_equal(state_of(world, b).type, RBL_BODY_DYNAMIC);
    step_times(world, 12);
    const rblBodyState now = state_of(world, b);
    assert_true(now.pose.p.y < -0.2f);
    check_close(rbl_length3(now.pose.p), 1.0, 1e-2);
    check_ok(rbl_joint_destroy(world, joint));
    check_ok(rbl_body_set_type(world, b, RBL_BODY_STATIC));
    check_ok(rbl_world_destroy(world));
}

// ---- material ----

static void a_new_material_is_as_if_created_so(void** state)
{
    (void)state;
    const rblMaterial steel = material_of("steel", 0.7f);
    uint64_t hashes[2];
    for (int changed = 0; changed < 2; ++changed)
    {
        const rblWorldId world = make_world(true);
        put(world, make_ground(), RBL_BODY_STATIC, zero);
        rblBodyDef def = rbl_default_body_def();
        def.shape = make_box(0.3f, 0.5f, 0.4f);
        def.pose.p = vec(0, 1, 0);
        def.velocity = vec(2, 0, 1);
        def.spin = vec(1, 2, 3);
        def.material = changed == 1 ? material_of("wood", 0.1f) : steel;
        rblBodyId body;
        check_ok(rbl_body_create(world, &def, &body));
        check_ok(rbl_shape_destroy(def.shape));
        if (changed == 1)
        {
            check_ok(rbl_body_set_material(world, body, &steel));
            const rblBodyState now = state_of(world, body);
            assert_memory_equal(&now.material, &steel, sizeof steel);
        }
        step_times(world, 60);
        hashes[changed] = hash_of(world);
        check_ok(rbl_world_destroy(world));
    }
    assert_true(hashes[0] == hashes[1]);
}

// tan(0.5) = 0.546: a friction of 0.8 holds; with 0.1 both slide at g (sin - mu cos).
static void new_friction_lets_a_sleeper_slide_and_holds_it_again(void** state)
{
    (void)state;
    const float angle = 0.5f;
    const rblWorldId world = make_world(true);
    const rblBodyId box = put_on_slope(world, angle, 0.8f);
    step_times(world, 90);
    const rblBodyState rest = state_of(world, box);
    assert_false(rest.awake);
    rblMaterial slippery = rest.material;
    slippery.friction = 0.1f * 0.1f / 0.8f; // of the pair: the geometric mean with the slope's 0.8
    check_ok(rbl_body_set_material(world, box, &slippery));
    assert_true(state_of(world, box).awake);
    step_times(world, 30);
    const rblBodyState slid = state_of(world, box);
    const double expected = 9.81 * (sin((double)angle) - 0.1 * cos((double)angle));
    check_close(rbl_length3(slid.velocity), expected, 0.05 * expected);
    check_ok(rbl_body_set_material(world, box, &rest.material));
    step_times(world, 90);
    assert_true(rbl_length3(state_of(world, box).velocity) < 0.02f);
    check_ok(rbl_world_destroy(world));
}

static void mass_follows_density(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_box(1, 1, 1);
    def.mass = 10.0f;
    def.material.density = 2000.0f;
    rblBodyId body;
    check_ok(rbl_body_create(world, &def, &body));
    check_ok(rbl_shape_destroy(def.shape));
    def.material.density = 3000.0f;
    check_ok(rbl_body_set_material(world, body, &def.material));
    check_close(state_of(world, body).mass, 15.0, 1e-4);
    const rblBodyId own = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(5, 0, 0));
    check_ok(rbl_body_set_material(world, own, &def.material));
    assert_true(state_of(world, own).mass == 3000.0f);
    check_ok(rbl_world_destroy(world));
}

// ---- gravity ----

static void gravity_scale_is_what_a_body_feels(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId body = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(0, 9, 0));
    check_ok(rbl_body_set_gravity_scale(world, body, 0.0f));
    step_times(world, 30);
    assert_true(state_of(world, body).pose.p.y == 9.0f);
    check_ok(rbl_body_set_gravity_scale(world, body, -1.0f));
    assert_true(state_of(world, body).gravity_scale == -1.0f);
    step_times(world, 30);
    check_close(state_of(world, body).velocity.y, 9.81, 1e-3);
    check_ok(rbl_world_destroy(world));
}

static void a_sleeper_wakes_with_what_it_carries(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId lower = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 0.5f, 0));
    const rblBodyId upper = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 1.5f, 0));
    step_times(world, 60);
    assert_false(state_of(world, upper).awake);
    check_ok(rbl_body_set_gravity_scale(world, lower, -3.0f));
    assert_true(state_of(world, lower).awake && state_of(world, upper).awake);
    step_times(world, 30);
    assert_true(state_of(world, upper).pose.p.y > 3.0f);
    check_ok(rbl_world_destroy(world));
}

// ---- the books ----

// All that setters change is booked as work: in free flight nothing is dissipated, and in a pile, where
// kinematic bodies press, no energy appears.
static void check_books(float apart, double most_dissipated)
{
    const rblWorldId world = make_world(true);
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, apart < 1.0f ? 0.0f : -1000.0f, 0));
    rblBodyId bodies[6];
    for (int i = 0; i < 6; ++i)
    {
        bodies[i] = put(world, make_box(0.4f, 0.3f, 0.5f), RBL_BODY_DYNAMIC,
                        vec((apart < 1.0f ? 0.05f : 20.0f) * (float)i, 0.3f + apart * (float)i, 0));
        check_ok(rbl_body_set_velocity(world, bodies[i], vec(0.3f, 1, 0), vec(1, 0, (float)i)));
    }
    const rblMaterial materials[2] = {material_of("wood", 0.3f), material_of("steel", 0.6f)};
    double scale = 0.0;
    double work = 0.0;
    step_times(world, 1);
    for (int i = 0; i < 90; ++i)
    {
        const rblBodyId body = bodies[i % 6];
        check_ok(i % 3 == 0 ? rbl_body_set_material(world, body, &materials[i % 2]) : RBL_OK);
        check_ok(i % 7 == 0 ? rbl_body_set_gravity_scale(world, body, 0.25f * (float)(i % 5)) : RBL_OK);
        check_ok(i % 5 == 0 ? rbl_body_set_type(world, body, (rblBodyType)(i / 5 % 3)) : RBL_OK);
        step_times(world, 1);
        rblEnergy energy;
        check_ok(rbl_world_energy(world, &energy));
        scale = fmax(scale, fabs(energy.potential) + energy.kinetic);
        work += fabs(energy.work);
        if (energy.dissipated < -1e-6 * scale || energy.dissipated > most_dissipated * scale)
        {
            fail_msg("step %d dissipated %g of %g J", i, energy.dissipated, scale);
        }
    }
    assert_true(work > scale); // the setters did something
    check_all_finite(world);
    check_ok(rbl_world_destroy(world));
}

static void the_books_of_energy_balance(void** state)
{
    (void)state;
    check_books(5.0f, 1e-6);
    check_books(0.5f, (double)INFINITY);
}

// ---- breaker ----

static rblBreakerId make_breaker(uint32_t pieces)
{
    rblPrescoredDef def = rbl_default_prescored_def();
    rblBreakerId breaker;
    def.pattern.kind = RBL_PATTERN_VORONOI;
    def.pattern.pieces = pieces;
    check_ok(rbl_breaker_create_prescored(&def, &breaker));
    return breaker;
}

static uint32_t break_now(rblWorldId world, rblBodyId body)
{
    check_ok(rbl_body_break(world, body, state_of(world, body).center, vec(0, -1, 0)));
    step_times(world, 1);
    return counters_of(world).fragments;
}

static void a_breaker_can_be_given_taken_and_changed(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBreakerId few = make_breaker(4);
    const rblBreakerId many = make_breaker(12);
    const rblBodyId body = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, zero);
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_break(world, body, zero, vec(0, -1, 0)));
    check_ok(rbl_body_set_breaker(world, body, few));
    assert_non_null(state_of(world, body).breaker);
    check_ok(rbl_body_set_breaker(world, body, (rblBreakerId){0, 0}));
    assert_null(state_of(world, body).breaker);
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_break(world, body, zero, vec(0, -1, 0)));
    check_ok(rbl_body_set_breaker(world, body, few));
    check_ok(rbl_body_set_breaker(world, body, many));
    check_ok(rbl_breaker_destroy(few));
    check_ok(rbl_breaker_destroy(many)); // the body has it
    const rblMaterial glass = material_of("glass", 0.5f);
    check_ok(rbl_body_set_material(world, body, &glass));
    assert_true(break_now(world, body) > 5);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_breaker_alive_count(), 0);
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// ---- going back, and again ----

static void change_all(rblWorldId world, rblBodyId body, rblBreakerId breaker)
{
    const rblMaterial ice = material_of("ice", 0.05f);
    check_ok(rbl_body_set_type(world, body, RBL_BODY_DYNAMIC));
    check_ok(rbl_body_set_material(world, body, &ice));
    check_ok(rbl_body_set_gravity_scale(world, body, 0.5f));
    check_ok(rbl_body_set_breaker(world, body, breaker));
}

static void snapshots_have_the_settings(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBreakerId breaker = make_breaker(6);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId body = put(world, make_box(1, 1, 1), RBL_BODY_STATIC, vec(0, 3, 0));
    uint64_t buffers[2][4096];
    size_t sizes[2];
    uint64_t hashes[2];
    for (int i = 0; i < 2; ++i)
    {
        check_ok(rbl_world_save(world, buffers[i], sizeof buffers[i], &sizes[i]));
        if (i == 0)
        {
            change_all(world, body, breaker);
        }
    }
    step_times(world, 20);
    hashes[1] = hash_of(world);
    check_ok(rbl_body_set_breaker(world, body, (rblBreakerId){0, 0}));
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(rbl_world_restore(world, buffers[0], sizes[0]));
    assert_int_equal(state_of(world, body).type, RBL_BODY_STATIC);
    assert_null(state_of(world, body).breaker);
    step_times(world, 20);
    assert_true(state_of(world, body).pose.p.y == 3.0f);
    check_ok(rbl_world_restore(world, buffers[1], sizes[1]));
    assert_true(state_of(world, body).gravity_scale == 0.5f);
    step_times(world, 20);
    assert_true(hash_of(world) == hashes[1]);
    assert_true(break_now(world, body) > 2);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

static void recordings_replay_the_settings(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBreakerId breaker = make_breaker(6);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId body = put(world, make_box(1, 1, 1), RBL_BODY_STATIC, vec(0, 3, 0));
    check_ok(rbl_world_record(world, "settings.rbl"));
    step_times(world, 3);
    change_all(world, body, breaker);
    step_times(world, 10);
    check_ok(rbl_body_set_breaker(world, body, (rblBreakerId){0, 0}));
    check_ok(rbl_body_set_type(world, body, RBL_BODY_KINEMATIC));
    step_times(world, 3);
    change_all(world, body, breaker);
    (void)break_now(world, body);
    step_times(world, 10);
    check_ok(rbl_world_stop_recording(world));
    rblReplayReport report;
    check_ok(rbl_calls_replay("settings.rbl", &report));
    assert_string_equal(report.problem, "");
    assert_true(report.same && report.complete);
    assert_int_equal(report.steps, 27);
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(rbl_world_destroy(world));
    remove("settings.rbl");
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// ---- what is refused ----

static void bad_settings_change_nothing(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId ground = put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId body = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 3, 0));
    const rblBreakerId breaker = make_breaker(6);
    step_times(world, 2);
    const rblBodyState before = state_of(world, body);
    const uint64_t hash = hash_of(world);
    rblMaterial bad = before.material;
    bad.density = -1.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_material(world, body, &bad));
    bad = before.material;
    bad.friction = NAN;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_material(world, body, &bad));
    bad = before.material;
    bad.density = 1e38f;
    bad.restitution = 2.0f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_material(world, body, &bad));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_material(world, body, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_gravity_scale(world, body, NAN));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_gravity_scale(world, body, INFINITY));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_type(world, body, (rblBodyType)RBL_BODY_TYPE_COUNT));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_type(world, ground, RBL_BODY_DYNAMIC));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_type(world, ground, RBL_BODY_KINEMATIC));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_set_breaker(world, ground, breaker));
    check_fails(RBL_ERROR_STALE, rbl_body_set_breaker(world, body, (rblBreakerId){99, 99}));
    const rblBodyState after = state_of(world, body);
    assert_memory_equal(&after.material, &before.material, sizeof after.material);
    assert_true(after.mass == before.mass && after.gravity_scale == before.gravity_scale);
    assert_true(after.type == before.type && after.breaker == before.breaker);
    assert_true(hash_of(world) == hash);
    check_ok(rbl_breaker_destroy(breaker));
    assert_int_equal(rbl_breaker_alive_count(), 0);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_bytes_in_use(), 0);
}

// Memory runs out at the n-th request of the setters: the one that failed changed nothing, and the world goes on.
static bool change_with(FailingAllocator* memory, size_t granted)
{
    failing_allocator_start(memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory->allocator));
    const rblWorldId world = make_world(true);
    const rblBreakerId breaker = make_breaker(6);
    const rblMaterial ice = material_of("ice", 0.05f);
    put(world, make_ground(), RBL_BODY_STATIC, zero);
    const rblBodyId body = put(world, make_box(1, 1, 1), RBL_BODY_STATIC, vec(0, 0.6f, 0));
    const rblBodyId other = put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 1.6f, 0));
    check_ok(rbl_body_set_breaker(world, other, breaker));
    step_times(world, 2);
    uint64_t buffer[4096];
    size_t size = 0;
    check_ok(rbl_world_save(world, buffer, sizeof buffer, &size));
    memory->left = granted;
    const bool typed = rbl_body_set_type(world, body, RBL_BODY_DYNAMIC) == RBL_OK;
    const bool broken = typed && rbl_body_set_breaker(world, body, breaker) == RBL_OK;
    const bool ok = broken && rbl_body_set_material(world, other, &ice) == RBL_OK;
    memory->left = SIZE_MAX;
    assert_int_equal(state_of(world, body).type, typed ? RBL_BODY_DYNAMIC : RBL_BODY_STATIC);
    assert_true((state_of(world, body).breaker != NULL) == broken);
    assert_true((state_of(world, other).material.friction == 0.05f) == ok);
    step_times(world, 60);
    check_all_finite(world);
    check_close(state_of(world, body).pose.p.y, typed ? 0.5 : 0.6, 0.01);
    check_close(state_of(world, other).pose.p.y, typed ? 1.5 : 1.6, 0.05);
    check_ok(rbl_breaker_destroy(breaker));
    check_ok(rbl_world_destroy(world));
    assert_int_equal(memory->live, 0);
    check_ok(rbl_set_allocator(NULL));
    return ok;
}

static void running_out_of_memory_changes_nothing(void** state)
{
    (void)state;
    FailingAllocator memory;
    size_t granted = 0;
    while (!change_with(&memory, granted))
    {
        granted += 1;
        assert_true(granted < 1000);
    }
    assert_true(granted > 1);
}

// The tree of static boxes is full, and there is no memory for another type: the body stays where it was, and is still met.
static void a_type_without_memory_leaves_the_body_in_its_tree(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    const rblWorldId world = make_world(true);
    rblBodyId bodies[16];
    for (int i = 0; i < 16; ++i)
    {
        bodies[i] = put(world, make_box(1, 1, 1), RBL_BODY_STATIC, vec(2.0f * (float)i, 0, 0));
    }
    memory.left = 0;
    check_fails(RBL_ERROR_MEMORY, rbl_body_set_type(world, bodies[3], RBL_BODY_DYNAMIC));
    memory.left = SIZE_MAX;
    const rblBodyId ball = put(world, make_sphere(0.5f), RBL_BODY_DYNAMIC, vec(6, 1.5f, 0));
    step_times(world, 60);
    check_close(state_of(world, ball).pose.p.y, 1.0, 0.01);
    check_ok(rbl_body_set_type(world, bodies[3], RBL_BODY_DYNAMIC));
    step_times(world, 30);
    assert_true(state_of(world, ball).pose.p.y < -1.0f);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

// Masses that a float cannot have are refused for every type: images of worlds and the checks of a world want finite ones.
static void masses_are_finite_whatever_the_type(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    def.shape = make_box(10, 10, 10);
    def.type = RBL_BODY_STATIC;
    def.material.density = 1e37f;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &body));
    def.type = RBL_BODY_DYNAMIC;
    def.material.density = 1e-20f;
    def.mass = 1e-10f;
    check_ok(rbl_body_create(world, &def, &body));
    def.material.density = 1e25f; // 1e45 times as dense: no float, but the mass is one
    check_ok(rbl_body_set_material(world, body, &def.material));
    check_close(state_of(world, body).mass / 1e35f, 1.0, 1e-5);
    def.material.density = 1e-30f;
    check_ok(rbl_body_set_material(world, body, &def.material));
    check_close(state_of(world, body).mass / 1e-20f, 1.0, 1e-5);
    step_times(world, 2);
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_world_destroy(world));
}

// The same calls give the same file, whatever worlds there were before.
static void recordings_do_not_depend_on_other_worlds(void** state)
{
    (void)state;
    char* bytes[2] = {NULL, NULL};
    long sizes[2] = {0, 0};
    for (int i = 0; i < 2; ++i)
    {
        const rblWorldId world = make_world(true);
        put(world, make_ground(), RBL_BODY_STATIC, zero);
        put(world, make_box(1, 1, 1), RBL_BODY_DYNAMIC, vec(0, 1, 0));
        step_times(world, 5);
        check_ok(rbl_world_record(world, "same.rbl"));
        step_times(world, 5);
        check_ok(rbl_world_stop_recording(world));
        check_ok(rbl_world_destroy(world));
        FILE* file = fopen("same.rbl", "rb");
        assert_non_null(file);
        fseek(file, 0, SEEK_END);
        sizes[i] = ftell(file);
        rewind(file);
        bytes[i] = malloc((size_t)sizes[i]);
        assert_int_equal(fread(bytes[i], 1, (size_t)sizes[i], file), (size_t)sizes[i]);
        fclose(file);
        remove("same.rbl");
    }
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], (size_t)sizes[0]);
    free(bytes[0]);
    free(bytes[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_static_body_made_dynamic_falls_as_one_created_so),
        cmocka_unit_test(a_dynamic_body_made_static_stops_and_carries),
        cmocka_unit_test(a_body_made_kinematic_keeps_its_velocity),
        cmocka_unit_test(pairs_of_two_that_cannot_move_end),
        cmocka_unit_test(joints_keep_their_dynamic_body),
        cmocka_unit_test(a_new_material_is_as_if_created_so),
        cmocka_unit_test(new_friction_lets_a_sleeper_slide_and_holds_it_again),
        cmocka_unit_test(mass_follows_density),
        cmocka_unit_test(gravity_scale_is_what_a_body_feels),
        cmocka_unit_test(a_sleeper_wakes_with_what_it_carries),
        cmocka_unit_test(the_books_of_energy_balance),
        cmocka_unit_test(a_breaker_can_be_given_taken_and_changed),
        cmocka_unit_test(snapshots_have_the_settings),
        cmocka_unit_test(recordings_replay_the_settings),
        cmocka_unit_test(bad_settings_change_nothing),
        cmocka_unit_test(running_out_of_memory_changes_nothing),
        cmocka_unit_test(a_type_without_memory_leaves_the_body_in_its_tree),
        cmocka_unit_test(masses_are_finite_whatever_the_type),
        cmocka_unit_test(recordings_do_not_depend_on_other_worlds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
