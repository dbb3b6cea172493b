// Memory of a world: none is asked for in a steady state, and when it runs out nothing breaks. Snapshots.
#include "world_testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include <math.h>
#include <string.h>

static const rblVec3 zero = {0, 0, 0};

// A pile with joints. False when memory ran out; then nothing is promised but that it can be destroyed.
static bool fill(rblWorldId world, int count, rblBodyId* bodies, uint32_t* made)
{
    rblShapeId shapes[3] = {{0, 0}, {0, 0}, {0, 0}};
    bool ok = rbl_shape_create_plane(vec(0, 1, 0), &shapes[0]) == RBL_OK &&
              rbl_shape_create_box(vec(0.3f, 0.2f, 0.25f), &shapes[1]) == RBL_OK &&
              rbl_shape_create_sphere(0.12f, &shapes[2]) == RBL_OK;
    for (int i = 0; i < count && ok; ++i)
    {
        rblBodyDef def = rbl_default_body_def();
        def.shape = i == 0 ? shapes[0] : shapes[1 + i % 2];
        def.type = i == 0 ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC;
        def.pose.p = i == 0 ? zero
                            : vec(0.31f * (float)(i % 3) + 0.01f * (float)(i % 5),
                                  0.15f + 0.27f * (float)(i / 9), 0.31f * (float)(i / 3 % 3));
        ok = rbl_body_create(world, &def, &bodies[i]) == RBL_OK;
        *made += ok;
    }
    for (int i = 10; i + 1 < count && ok; i += 7)
    {
        rblJointDef def = rbl_default_joint_def();
        def.kind = i % 2 == 0 ? RBL_JOINT_ROPE : RBL_JOINT_BALL;
        def.a = bodies[i];
        def.b = bodies[i + 1];
        def.length = 0.5f;
        rblJointId joint;
        ok = rbl_joint_create(world, &def, &joint) == RBL_OK;
    }
    for (int i = 0; i < 3; ++i)
    {
        if (shapes[i].index1 != 0)
        {
            check_ok(rbl_shape_destroy(shapes[i]));
        }
    }
    return ok;
}

static void a_steady_step_asks_for_no_memory(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    rblWorldDef def = rbl_default_world_def();
    def.sleeping = false;
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_check_stages(world, 0)); // the checks ask for memory of their own
    rblBodyId bodies[80];
    uint32_t made = 0;
    assert_true(fill(world, 80, bodies, &made));
    step_times(world, 600); // the last balls to fall off the heap do so after ten seconds
    const size_t left = memory.left;
    step_times(world, 60);
    assert_true(memory.left == left);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

// A level set: contacts of samples have working memory of their own.
static rblShapeId make_rough_ball(void)
{
    rblLevelSetDef def = rbl_default_level_set_def();
    rblShapeId id;
    check_ok(rbl_mesh_make("sphere", NULL, 0, &def.mesh));
    def.max_cells = 2000;
    check_ok(rbl_shape_create_level_set(&def, &id));
    check_ok(rbl_mesh_destroy(def.mesh));
    return id;
}

// The counters of a world say what an allocator sees from outside: all that a world and its stages hold, and no shape.
static void the_bytes_of_a_world_are_what_its_allocator_gave(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    const rblWorldId other = make_world(true); // the table of worlds has its memory
    const rblShapeId shapes[3] = {make_ground(), make_box(0.3f, 0.2f, 0.25f), make_rough_ball()};
    const rblVec3* samples;
    uint32_t sample_count;
    rblShapeView box;
    check_ok(rbl_shape_view(shapes[1], &box));
    check_ok(rbl_shape_samples(&box, &samples, &sample_count)); // the first contact would make them
    const size_t before = memory.live;
    const rblWorldId world = make_world(true);
    for (int i = 0; i < 40; ++i)
    {
        const rblVec3 at = {0.5f * (float)(i % 4), 0.4f + 0.5f * (float)(i / 8), 0.5f * (float)(i / 4 % 2)};
        rblBodyDef def = rbl_default_body_def();
        rblBodyId body;
        def.shape = shapes[i == 0 ? 0 : 1 + i % 2];
        def.type = i == 0 ? RBL_BODY_STATIC : RBL_BODY_DYNAMIC;
        def.pose.p = i == 0 ? zero : at;
        check_ok(rbl_body_create(world, &def, &body));
        if (i > 20 && i % 5 == 0)
        {
            rblJointDef rope = rbl_default_joint_def();
            rblJointId joint;
            rope.kind = RBL_JOINT_ROPE;
            rope.a = body;
            rope.length = 2.0f;
            check_ok(rbl_joint_create(world, &rope, &joint));
        }
    }
    for (int i = 0; i < 90; ++i)
    {
        rblCounters counters;
        step_times(world, 1);
        check_ok(rbl_world_counters(world, &counters));
        assert_int_equal(counters.bytes, memory.live - before);
    }
    check_ok(rbl_world_destroy(world));
    assert_int_equal(memory.live, before);
    for (int i = 0; i < 3; ++i)
    {
        check_ok(rbl_shape_destroy(shapes[i]));
    }
    check_ok(rbl_world_destroy(other));
    assert_int_equal(memory.live, 0);
    check_ok(rbl_set_allocator(NULL));
}

// What is done with a world whose memory runs out at the n-th request: create, fill, step, save, restore, and go on after it is
// there again.
static bool live_with(FailingAllocator* memory, size_t granted)
{
    failing_allocator_start(memory, granted);
    check_ok(rbl_set_allocator(&memory->allocator));
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world = {0, 0};
    rblBodyId bodies[24];
    uint32_t made = 0;
    bool ok = rbl_world_create(&def, &world) == RBL_OK;
    const bool there = ok;
    ok = ok && fill(world, 16, bodies, &made);
    for (int i = 0; i < 6 && ok; ++i)
    {
        ok = rbl_world_step(world, STEP) == RBL_OK;
    }
    static unsigned char snapshot[1 << 18];
    size_t size = 0;
    ok = ok && rbl_world_save(world, snapshot, sizeof snapshot, &size) == RBL_OK;
    ok = ok && rbl_body_destroy(world, bodies[5]) == RBL_OK && rbl_world_step(world, STEP) == RBL_OK;
    ok = ok && rbl_world_restore(world, snapshot, size) == RBL_OK && rbl_world_step(world, STEP) == RBL_OK;
    if (there)
    {
        // Memory is back: the world must be of use, whatever happened.
        memory->left = SIZE_MAX;
        uint32_t count = 0;
        check_ok(rbl_world_bodies(world, NULL, 0, &count));
        assert_int_equal(count, ok ? 16 : (int)count);
        assert_true(count >= made - (made > 0));
        if (count > 3)
        {
            check_ok(rbl_body_destroy(world, bodies[3]));
        }
        step_times(world, 12);
        check_all_finite(world);
        const rblContactEvent* events;
        check_ok(rbl_world_contact_events(world, &events, &count));
        check_ok(rbl_world_save(world, NULL, 0, &size));
        check_ok(rbl_world_destroy(world));
    }
    assert_int_equal(memory->live, 0);
    check_ok(rbl_set_allocator(NULL));
    return ok;
}

static void running_out_of_memory_breaks_nothing(void** state)
{
    (void)state;
    FailingAllocator memory;
    size_t granted = 0;
    while (!live_with(&memory, granted))
    {
        granted += 1 + granted / 8;
        assert_true(granted < 100000);
    }
    assert_true(granted > 50);
}

// Balls that cross their box several times a step. Memory runs out in the first such step, at the n-th request: whatever had been done
// by then, everybody is still in the box when it is back, and no faster than before.
static bool fly_with(FailingAllocator* memory, size_t granted)
{
    failing_allocator_start(memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory->allocator));
    const rblWorldId world = make_world(true);
    for (int i = 0; i < 6; ++i)
    {
        const float side = i % 2 == 0 ? 1.0f : -1.0f;
        const rblVec3 at = {i / 2 == 0 ? side : 0, i / 2 == 1 ? side : 0, i / 2 == 2 ? side : 0};
        const rblVec3 size = {i / 2 == 0 ? 0.1f : 2.1f, i / 2 == 1 ? 0.1f : 2.1f, i / 2 == 2 ? 0.1f : 2.1f};
        put(world, make_box(size.x, size.y, size.z), RBL_BODY_STATIC, at);
    }
    rblBodyId balls[12];
    for (int i = 0; i < 12; ++i)
    {
        const float x = 0.4f * (float)(i % 4) - 0.6f;
        balls[i] = put(world, make_sphere(0.08f), RBL_BODY_DYNAMIC, vec(x, 0.4f * (float)(i / 4) - 0.4f, 0));
        check_ok(rbl_body_set_velocity(world, balls[i], vec(90.0f, 35.0f - 7.0f * (float)i, 50.0f), zero));
    }
    rblEnergy first;
    check_ok(rbl_world_energy(world, &first));
    memory->left = granted;
    const bool ok = rbl_world_step(world, STEP) == RBL_OK && memory->left > 0;
    memory->left = SIZE_MAX;
    step_times(world, 20);
    rblEnergy last;
    check_ok(rbl_world_energy(world, &last));
    assert_true(last.kinetic + last.potential - last.work <=
                (first.kinetic + first.potential) * (1.0 + 1e-6));
    for (int i = 0; i < 12; ++i)
    {
        const rblVec3 at = state_of(world, balls[i]).center;
        if (!(fabsf(at.x) < 0.95f && fabsf(at.y) < 0.95f && fabsf(at.z) < 0.95f))
        {
            fail_msg("%zu requests granted: ball %d at %g %g %g", granted, i, (double)at.x, (double)at.y,
                     (double)at.z);
        }
    }
    check_ok(rbl_world_destroy(world));
    assert_int_equal(memory->live, 0);
    check_ok(rbl_set_allocator(NULL));
    return ok;
}

static void running_out_of_memory_in_flight_loses_nobody(void** state)
{
    (void)state;
    FailingAllocator memory;
    size_t granted = 0;
    while (!fly_with(&memory, granted))
    {
        granted += 1;
        assert_true(granted < 10000);
    }
    assert_true(granted > 20);
}

// ---- snapshots ----

typedef struct Snapshot
{
    void* data;
    size_t size;
} Snapshot;

static Snapshot save(rblWorldId world)
{
    Snapshot snapshot = {NULL, 0};
    check_ok(rbl_world_save(world, NULL, 0, &snapshot.size));
    snapshot.data = malloc(snapshot.size);
    check_ok(rbl_world_save(world, snapshot.data, snapshot.size, &snapshot.size));
    return snapshot;
}

static rblBodyId drop(rblWorldId world, rblRandom* random)
{
    const float x = rbl_random_float(random);
    const float z = rbl_random_float(random);
    return put(world, rbl_random_below(random, 2) == 0 ? make_sphere(0.1f) : make_box(0.2f, 0.3f, 0.1f),
               RBL_BODY_DYNAMIC, vec(x, 1.5f, z));
}

// Steps with births, deaths, teleports and joints, all from a seed.
static uint64_t live_on(rblWorldId world, uint64_t seed)
{
    rblRandom random = rbl_random_seed(seed, 1);
    for (int i = 0; i < 40; ++i)
    {
        rblBodyId bodies[256];
        uint32_t count = 0;
        check_ok(rbl_world_bodies(world, bodies, 256, &count));
        const rblBodyId one = bodies[1 + rbl_random_below(&random, count - 1)];
        const uint32_t what = rbl_random_below(&random, 8);
        if (what == 0 && count > 10)
        {
            check_ok(rbl_body_destroy(world, one));
        }
        else if (what == 1)
        {
            drop(world, &random);
        }
        else if (what == 2)
        {
            check_ok(rbl_body_teleport(world, one, (rblTransform){{0.5f, 2, 0.5f}, {0, 0, 0, 1}}));
        }
        else if (what == 3)
        {
            rblJointDef def = rbl_default_joint_def();
            def.kind = RBL_JOINT_DISTANCE;
            def.a = one;
            def.b = drop(world, &random);
            def.break_force = 500.0f;
            rblJointId joint;
            check_ok(rbl_joint_create(world, &def, &joint));
        }
        step_times(world, 1);
    }
    return hash_of(world);
}

static void a_snapshot_goes_on_as_the_world_would_have(void** state)
{
    (void)state;
    for (int sleeping = 0; sleeping < 2; ++sleeping)
    {
        for (int when = 0; when <= 80; when += 80)
        {
            const rblWorldId world = make_world(sleeping == 1);
            rblBodyId bodies[40];
            uint32_t made = 0;
            assert_true(fill(world, 40, bodies, &made));
            step_times(world, when);
            // Pending changes belong to the state as well.
            check_ok(rbl_body_destroy(world, bodies[7]));
            rblRandom random = rbl_random_seed(3, 3);
            drop(world, &random);
            check_ok(rbl_body_apply_force(world, bodies[9], vec(0, 500, 0), zero));
            const Snapshot snapshot = save(world);
            const uint64_t start = hash_of(world);
            const uint64_t future = live_on(world, 11);
            assert_true(future != start);
            for (int again = 0; again < 2; ++again)
            {
                check_ok(rbl_world_restore(world, snapshot.data, snapshot.size));
                assert_true(hash_of(world) == start);
                live_on(world, 20 + (uint64_t)again);
                check_ok(rbl_world_restore(world, snapshot.data, snapshot.size));
                assert_true(live_on(world, 11) == future);
            }
            free(snapshot.data);
            check_ok(rbl_world_destroy(world));
            assert_int_equal(rbl_shape_alive_count(), 0);
        }
    }
}

static void restored_ids_are_those_of_the_snapshot(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    const rblBodyId a = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, zero);
    const rblBodyId b = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(1, 0, 0));
    rblJointDef def = rbl_default_joint_def();
    def.a = a;
    def.b = b;
    def.anchor_a = vec(0.5f, 0, 0);
    def.anchor_b = vec(-0.5f, 0, 0);
    rblJointId joint;
    check_ok(rbl_joint_create(world, &def, &joint));
    const Snapshot snapshot = save(world);
    check_ok(rbl_body_destroy(world, a));
    const rblBodyId c = put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, vec(3, 0, 0));
    assert_false(rbl_joint_is_valid(world, joint));
    check_ok(rbl_world_restore(world, snapshot.data, snapshot.size));
    assert_true(rbl_body_is_valid(world, a) && rbl_body_is_valid(world, b));
    assert_true(rbl_joint_is_valid(world, joint));
    assert_false(rbl_body_is_valid(world, c));
    step_times(world, 5);
    free(snapshot.data);
    check_ok(rbl_world_destroy(world));
    assert_int_equal(rbl_shape_alive_count(), 0);
}

static void wrong_snapshots_are_refused(void** state)
{
    (void)state;
    const rblWorldId world = make_world(true);
    put(world, make_sphere(0.2f), RBL_BODY_DYNAMIC, zero);
    step_times(world, 3);
    Snapshot snapshot = save(world);
    const uint64_t before = hash_of(world);
    size_t size = 0;
    check_fails(RBL_ERROR_LIMIT, rbl_world_save(world, snapshot.data, snapshot.size - 1, &size));
    assert_true(size == snapshot.size);
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_restore(world, NULL, 0));
    const unsigned char* odd = (const unsigned char*)snapshot.data + 1;
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_restore(world, odd, snapshot.size));
    for (size_t cut = 0; cut < snapshot.size; cut += 1 + cut / 8)
    {
        check_fails(RBL_ERROR_FORMAT, rbl_world_restore(world, snapshot.data, cut));
    }
    unsigned char* noise = calloc(1, snapshot.size);
    check_fails(RBL_ERROR_FORMAT, rbl_world_restore(world, noise, snapshot.size));
    free(noise);
    // A count that does not fit its size: the second number of the header.
    unsigned char* damaged = malloc(snapshot.size);
    memcpy(damaged, snapshot.data, snapshot.size);
    damaged[4] += 1;
    check_fails(RBL_ERROR_FORMAT, rbl_world_restore(world, damaged, snapshot.size));
    free(damaged);
    assert_true(hash_of(world) == before);
    const rblWorldId other = make_world(true);
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_restore(other, snapshot.data, snapshot.size));
    check_ok(rbl_world_destroy(other));
    check_ok(rbl_world_destroy(world));
    check_fails(RBL_ERROR_STALE, rbl_world_restore(world, snapshot.data, snapshot.size));
    // A new world in the old one's place is another world.
    const rblWorldId next = make_world(true);
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_restore(next, snapshot.data, snapshot.size));
    check_ok(rbl_world_destroy(next));
    free(snapshot.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_steady_step_asks_for_no_memory),
        cmocka_unit_test(the_bytes_of_a_world_are_what_its_allocator_gave),
        cmocka_unit_test(running_out_of_memory_breaks_nothing),
        cmocka_unit_test(running_out_of_memory_in_flight_loses_nobody),
        cmocka_unit_test(a_snapshot_goes_on_as_the_world_would_have),
        cmocka_unit_test(restored_ids_are_those_of_the_snapshot),
        cmocka_unit_test(wrong_snapshots_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
