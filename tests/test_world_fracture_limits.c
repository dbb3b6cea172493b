// Worlds in which bodies break: limits, snapshots, threads, memory, and what is refused.
#include "breaking_testing.h"
#include "failing_allocator.h"
#include <string.h>

static void there_are_never_more_fragments_than_allowed(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {4, 2, 2}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    rblWorldDef def = rbl_default_world_def();
    def.max_fragments = 20;
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    rblBodyId ids[3];
    for (int i = 0; i < 3; ++i)
    {
        ids[i] = put_breakable(world, breaker, vec(1, 1, 1), vec(3.0f * (float)i, 5, 0), RBL_BODY_DYNAMIC);
    }
    double mass = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        check_ok(rbl_body_break(world, ids[i], vec(3.0f * (float)i, 5, 0), vec(0, 1, 0)));
    }
    check_ok(rbl_world_step(world, STEP));
    assert_in_range(counters_of(world).fragments, 18, 20);
    assert_true(rbl_body_is_valid(world, ids[2]));
    rblBodyId all[32];
    uint32_t count = 0;
    check_ok(rbl_world_bodies(world, all, 32, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        mass += (double)state_of(world, all[i]).mass;
    }
    check_relative(mass, 3.0 * 2600.0, 1e-6);
    end(world, breaker, &boxes);
}

static void check_counters(rblCounters got, rblCounters wanted)
{
    assert_int_equal(got.bodies, wanted.bodies);
    assert_int_equal(got.awake, wanted.awake);
    assert_int_equal(got.pairs, wanted.pairs);
    assert_int_equal(got.touching, wanted.touching);
    assert_int_equal(got.contacts, wanted.contacts);
    assert_int_equal(got.fragments, wanted.fragments);
    assert_int_equal(got.breaks, wanted.breaks);
    assert_int_equal(got.debris, wanted.debris);
    assert_int_equal(got.frozen, wanted.frozen);
}

static void broken_worlds_can_go_back(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {5, 1, 5}, .energy = 10.0f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const Plate plate = make_plate(breaker, breaker, 6.0f);
    uint64_t hashes[2][40];
    rblCounters counters[2];
    size_t sizes[2] = {0, 0};
    void* saved[2] = {NULL, NULL};
    for (int i = 0; i < 40; ++i)
    {
        if (i == 1 || i == 20)
        {
            const int k = i == 20;
            check_ok(rbl_world_save(plate.world, NULL, 0, &sizes[k]));
            saved[k] = malloc(sizes[k]);
            check_ok(rbl_world_save(plate.world, saved[k], sizes[k], &sizes[k]));
            counters[k] = counters_of(plate.world);
        }
        check_ok(rbl_world_step(plate.world, STEP));
        hashes[0][i] = hash_of(plate.world);
    }
    assert_true(counters_of(plate.world).breaks >= 1 && counters[0].breaks == 0);
    for (int k = 0; k < 4; ++k)
    {
        check_ok(rbl_world_restore(plate.world, saved[k % 2], sizes[k % 2]));
        check_counters(counters_of(plate.world), counters[k % 2]);
        for (int i = k % 2 == 0 ? 1 : 20; i < 40; ++i)
        {
            check_ok(rbl_world_step(plate.world, STEP));
            hashes[1][i] = hash_of(plate.world);
            assert_true(hashes[0][i] == hashes[1][i]);
        }
    }
    free(saved[0]);
    free(saved[1]);
    end(plate.world, breaker, &boxes);
}

static uint64_t smash_many(uint32_t workers)
{
    BoxBreaker boxes = {.counts = {4, 2, 4}, .energy = 5.0f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world_of(workers);
    for (int i = 0; i < 36; ++i)
    {
        const rblVec3 at = {0.7f * (float)(i % 6), 0.4f + 0.02f * (float)i, 0.7f * (float)(i / 6)};
        put_breakable(world, breaker, vec(0.4f, 0.2f, 0.4f), at, RBL_BODY_DYNAMIC);
    }
    step_times(world, 25);
    assert_true(counters_of(world).fragments >= 1000);
    const uint64_t hash = hash_of(world);
    end(world, breaker, &boxes);
    return hash;
}

static void the_number_of_workers_changes_nothing(void** state)
{
    (void)state;
    const uint64_t hash = smash_many(1);
    assert_true(smash_many(2) == hash);
    assert_true(smash_many(3) == hash);
}

// ---- memory ----

static void a_step_without_breaks_asks_for_no_memory(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    BoxBreaker boxes = {.counts = {2, 2, 2}, .energy = 1e6f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(false);
    check_ok(rbl_world_check_stages(world, 0)); // the checks ask for memory of their own
    put(world, make_ground(), RBL_BODY_STATIC, vec(0, 0, 0));
    rblBodyDef def = rbl_default_body_def();
    def.shape = make_sphere(0.1f); // balls that bounce for ever
    def.material.restitution = 1.0f;
    def.breaker = breaker;
    for (int i = 0; i < 20; ++i)
    {
        rblBodyId body;
        def.pose.p = vec(0.3f * (float)(i % 5), 0.5f + 0.01f * (float)i, 0.3f * (float)(i / 5));
        check_ok(rbl_body_create(world, &def, &body));
    }
    check_ok(rbl_shape_destroy(def.shape));
    step_times(world, 300);
    const size_t left = memory.left;
    const uint32_t asked = atomic_load(&boxes.asked);
    step_times(world, 60);
    assert_true(atomic_load(&boxes.asked) > asked + 20);
    assert_true(memory.left == left);
    end(world, breaker, &boxes);
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

// A plate is smashed with memory that runs out at the n-th request, and again when it is back.
static bool smash_with(FailingAllocator* memory, size_t granted)
{
    failing_allocator_start(memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory->allocator));
    BoxBreaker boxes = {.counts = {3, 1, 3}, .energy = 10.0f};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const Plate plate = make_plate(breaker, breaker, 8.0f);
    check_ok(rbl_world_step(plate.world, STEP));
    memory->left = granted;
    bool ok = true;
    for (int i = 0; i < 4 && ok; ++i)
    {
        ok = rbl_world_step(plate.world, STEP) == RBL_OK;
    }
    ok = ok && memory->left > 0;
    memory->left = SIZE_MAX;
    step_times(plate.world, 20);
    check_all_finite(plate.world);
    double mass = 0.0;
    rblBodyId all[64];
    uint32_t count = 0;
    check_ok(rbl_world_bodies(plate.world, all, 64, &count));
    for (uint32_t i = 0; i < count; ++i)
    {
        mass += (double)state_of(plate.world, all[i]).mass;
    }
    check_relative(mass, 2600.0 * (0.04 + 0.008), 1e-6);
    end(plate.world, breaker, &boxes);
    assert_int_equal(memory->live, 0);
    check_ok(rbl_set_allocator(NULL));
    return ok;
}

static void running_out_of_memory_loses_nothing(void** state)
{
    (void)state;
    FailingAllocator memory;
    size_t granted = 0;
    while (!smash_with(&memory, granted))
    {
        granted += 1;
    }
    assert_true(granted > 30);
}

static void bad_input_is_refused(void** state)
{
    (void)state;
    BoxBreaker boxes = {.counts = {2, 2, 2}};
    const rblBreakerId breaker = make_box_breaker(&boxes);
    const rblWorldId world = make_world(true);
    const rblBodyId whole = put(world, make_sphere(1), RBL_BODY_DYNAMIC, vec(5, 5, 5));
    const rblBodyId body = put_breakable(world, breaker, vec(1, 1, 1), vec(0, 5, 0), RBL_BODY_DYNAMIC);
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_break(world, whole, vec(5, 5, 5), vec(0, 1, 0)));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_break(world, body, vec(0, NAN, 0), vec(0, 1, 0)));
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_break(world, body, vec(0, 5, 0), vec(0, 0, 0)));
    check_ok(rbl_body_break(world, body, vec(100, 5, 0), vec(0, 1, 0))); // far off: moved to its side
    check_fails(RBL_ERROR_STALE, rbl_body_break(world, body, vec(0, 5, 0), vec(0, 1, 0)));
    rblBodyDef def = rbl_default_body_def();
    rblBodyId out;
    def.shape = make_ground();
    def.type = RBL_BODY_STATIC;
    def.breaker = breaker;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &out));
    check_ok(rbl_shape_destroy(def.shape));
    def.shape = make_box(1, 1, 1);
    def.breaker.generation += 2;
    check_fails(RBL_ERROR_STALE, rbl_body_create(world, &def, &out));
    def.breaker = breaker;
    def.anchor.kind = RBL_ANCHOR_BOX;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &out));
    def.anchor.kind = RBL_ANCHOR_KIND_COUNT;
    check_fails(RBL_ERROR_ARGUMENT, rbl_body_create(world, &def, &out));
    check_ok(rbl_shape_destroy(def.shape));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_break_events(world, NULL, NULL));
    end(world, breaker, &boxes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_are_never_more_fragments_than_allowed),
        cmocka_unit_test(broken_worlds_can_go_back),
        cmocka_unit_test(the_number_of_workers_changes_nothing),
        cmocka_unit_test(a_step_without_breaks_asks_for_no_memory),
        cmocka_unit_test(running_out_of_memory_loses_nothing),
        cmocka_unit_test(bad_input_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
