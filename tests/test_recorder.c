// Recordings of calls: what a program did to a world happens again, bit for bit.
#include "testing.h"

#include "base/random.h"
#include "io/file.h"
#include "recording_files.h"
#include "rubble/solids.h"
#include <stdlib.h>
#include <string.h>

// One shape of every kind that can be recorded.
enum
{
    PLANE,
    SPHERE,
    CAPSULE,
    BOX,
    CYLINDER,
    HULL,
    RING,
    HAMMER,
    SHAPES
};

static void make_shapes(rblShapeId shapes[SHAPES])
{
    // Not of unit length, flat in places, given twice: a hull remembers what it was made of.
    static const rblVec3 corners[] = {
        {0, 0, 0},       {0.21f, 0, 0},      {0, 0.17f, 0},         {0, 0, 0.19f},
        {0.1f, 0.1f, 0}, {0.2f, 0.1f, 0.1f}, {0.05f, 0.05f, 0.05f}, {0.21f, 0, 0}};
    rblMeshId torus;
    check_ok(rbl_shape_create_plane((rblVec3){0.03f, 1.3f, -0.02f}, &shapes[PLANE]));
    check_ok(rbl_shape_create_sphere(0.11f, &shapes[SPHERE]));
    check_ok(rbl_shape_create_capsule(0.05f, 0.31f, &shapes[CAPSULE]));
    check_ok(rbl_shape_create_box((rblVec3){0.2f, 0.1f, 0.13f}, &shapes[BOX]));
    check_ok(rbl_shape_create_cylinder(0.07f, 0.17f, &shapes[CYLINDER]));
    check_ok(rbl_shape_create_hull(corners, sizeof corners / sizeof corners[0], &shapes[HULL]));
    check_ok(rbl_mesh_make("torus", NULL, 0, &torus));
    rblLevelSetDef def = rbl_default_level_set_def();
    def.mesh = torus;
    def.max_cells = 24;
    check_ok(rbl_shape_create_level_set(&def, &shapes[RING]));
    check_ok(rbl_mesh_destroy(torus));
    const rblShapeChild children[2] = {{shapes[CAPSULE], {{0, 0, 0}, {0.1f, 0.2f, 0.3f, 0.93f}}},
                                       {shapes[BOX], {{0, 0.15f, 0}, {0, 0, 0, 1}}}};
    check_ok(rbl_shape_create_compound(children, 2, &shapes[HAMMER]));
}

static void destroy_shapes(rblShapeId shapes[SHAPES])
{
    for (int i = 0; i < SHAPES; ++i)
    {
        check_ok(rbl_shape_destroy(shapes[i]));
    }
}

// A program that does things to a world, by chance.
typedef struct Program
{
    rblWorldId world;
    rblShapeId shapes[SHAPES];
    rblRandom random;
    rblBodyId bodies[64];
    uint32_t body_count;
    rblJointId joints[16];
    uint32_t joint_count;
    uint64_t* snapshot;
    size_t snapshot_size;
    rblBodyId saved_bodies[64];
    uint32_t saved_body_count;
} Program;

static float between(Program* program, double low, double high)
{
    return (float)rbl_random_range(&program->random, low, high);
}

static rblVec3 some_vector(Program* program, double size)
{
    const float x = between(program, -size, size);
    const float y = between(program, -size, size);
    return (rblVec3){x, y, between(program, -size, size)};
}

static void create_body(Program* program)
{
    rblBodyDef def = rbl_default_body_def();
    if (program->body_count == 64)
    {
        return;
    }
    def.shape = program->shapes[1 + rbl_random_below(&program->random, SHAPES - 1)];
    def.pose.p = some_vector(program, 0.5);
    def.pose.p.y += 1.0f;
    def.velocity = some_vector(program, 1.0);
    def.spin = some_vector(program, 3.0);
    def.gravity_scale = between(program, 0.5, 1.0);
    def.type = rbl_random_below(&program->random, 8) == 0 ? RBL_BODY_KINEMATIC : RBL_BODY_DYNAMIC;
    def.sensor = rbl_random_below(&program->random, 6) == 0;
    def.user_data = program;
    check_ok(rbl_body_create(program->world, &def, &program->bodies[program->body_count++]));
}

static void create_joint(Program* program, rblBodyId body)
{
    rblJointDef def = rbl_default_joint_def();
    if (program->joint_count == 16)
    {
        return;
    }
    def.kind = (rblJointKind)rbl_random_below(&program->random, RBL_JOINT_KIND_COUNT);
    def.a = body;
    def.anchor_b = (rblVec3){0, 1, 0};
    def.break_force = 1000.0f;
    if ((def.kind == RBL_JOINT_HINGE || def.kind == RBL_JOINT_SLIDER) &&
        rbl_random_below(&program->random, 2) == 0)
    {
        def.lower = between(program, -0.5, 0.0);
        def.upper = between(program, 0.0, 0.5);
        def.motor_speed = between(program, -2.0, 2.0);
        def.motor_force = between(program, 0.0, 50.0);
    }
    if (def.kind == RBL_JOINT_BALL && rbl_random_below(&program->random, 2) == 0)
    {
        def.swing = between(program, 0.1, 0.5);
        def.lower = -0.2f;
    }
    // A kinematic body cannot be joined to the world.
    if (rbl_joint_create(program->world, &def, &program->joints[program->joint_count]) == RBL_OK)
    {
        program->joint_count += 1;
    }
}

static void save(Program* program)
{
    size_t size = 0;
    check_ok(rbl_world_save(program->world, NULL, 0, &size));
    free(program->snapshot);
    program->snapshot = malloc(size);
    program->snapshot_size = size;
    check_ok(rbl_world_save(program->world, program->snapshot, size, &size));
    memcpy(program->saved_bodies, program->bodies, sizeof program->bodies);
    program->saved_body_count = program->body_count;
}

static void restore(Program* program)
{
    if (program->snapshot != NULL)
    {
        check_ok(rbl_world_restore(program->world, program->snapshot, program->snapshot_size));
        memcpy(program->bodies, program->saved_bodies, sizeof program->bodies);
        program->body_count = program->saved_body_count;
    }
}

// Calls that are refused change nothing and are not recorded: a joint may be gone, a body may be kinematic.
static void act(Program* program)
{
    const uint32_t what = rbl_random_below(&program->random, 17);
    const uint32_t which = rbl_random_below(&program->random, program->body_count);
    const rblBodyId body = program->bodies[which];
    const rblWorldId world = program->world;
    const rblFilter filter = {
        .category = 1, .mask = UINT64_MAX, .group = (int32_t)rbl_random_below(&program->random, 3) - 1};
    const rblVec3 a = some_vector(program, 2.0);
    const rblVec3 b = some_vector(program, 0.5);
    const rblTransform pose = {{b.x, b.y + 1.0f, b.z}, {0, 0, 0, 1}};
    rblBodyState state;
    switch (what)
    {
    case 0:
    case 1:
        create_body(program);
        break;
    case 2:
        check_ok(rbl_body_destroy(world, body));
        program->bodies[which] = program->bodies[--program->body_count];
        break;
    case 3:
        check_ok(rbl_body_teleport(world, body, pose));
        break;
    case 4:
        (void)rbl_body_set_velocity(world, body, a, b);
        break;
    case 5:
        check_ok(rbl_body_state(world, body, &state));
        (void)rbl_body_apply_force(world, body, a, state.center);
        (void)rbl_body_apply_torque(world, body, b);
        break;
    case 6:
        check_ok(rbl_body_state(world, body, &state));
        (void)rbl_body_apply_impulse(world, body, b, state.center);
        break;
    case 7:
        check_ok(rbl_body_set_filter(world, body, filter));
        break;
    case 8:
        check_ok(rbl_body_wake(world, body));
        break;
    case 9:
        create_joint(program, body);
        break;
    case 10:
        if (program->joint_count > 0)
        {
            (void)rbl_joint_set_target(world, program->joints[0], b);
            (void)rbl_joint_set_limits(world, program->joints[0], -0.3f, 0.2f);
            (void)rbl_joint_set_motor(world, program->joints[0], b.x, 20.0f);
            (void)rbl_joint_destroy(world, program->joints[--program->joint_count]);
        }
        break;
    case 11:
        check_ok(rbl_world_set_gravity(world, (rblVec3){b.x, -9.0f, b.z}));
        break;
    case 12:
        save(program);
        break;
    case 13:
        (void)rbl_body_set_type(world, body, (rblBodyType)rbl_random_below(&program->random, 3));
        break;
    case 14:
        check_ok(rbl_body_state(world, body, &state));
        state.material.friction = b.x + 0.5f;
        state.material.density *= 1.0f + b.y;
        check_ok(rbl_body_set_material(world, body, &state.material));
        break;
    case 15:
        check_ok(rbl_body_set_gravity_scale(world, body, a.x));
        break;
    default:
        restore(program);
        break;
    }
}

static void start(Program* program, uint64_t seed)
{
    rblWorldDef def = rbl_default_world_def();
    *program = (Program){.random = rbl_random_seed(seed, 0)};
    make_shapes(program->shapes);
    def.substeps = 1 + (uint32_t)(seed % 2);
    def.iterations = 6;
    def.first_count = seed % 3 == 0 ? UINT32_MAX : 8;
    check_ok(rbl_world_create(&def, &program->world));
}

static void build(Program* program)
{
    rblBodyDef floor = rbl_default_body_def();
    floor.shape = program->shapes[PLANE];
    floor.type = RBL_BODY_STATIC;
    rblBodyId body;
    check_ok(rbl_body_create(program->world, &floor, &body));
    for (int i = 0; i < 8; ++i)
    {
        create_body(program);
    }
}

static void go(Program* program, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        const uint32_t acts = rbl_random_below(&program->random, 3);
        for (uint32_t k = 0; k < acts && program->body_count > 1; ++k)
        {
            act(program);
        }
        check_ok(rbl_world_step(program->world, 1.0f / 60.0f));
    }
}

static void end(Program* program)
{
    if (program->world.index1 != 0)
    {
        check_ok(rbl_world_destroy(program->world));
    }
    destroy_shapes(program->shapes);
    free(program->snapshot);
    assert_int_equal(rbl_shape_alive_count(), 0);
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void check_replay(const char* path, uint32_t steps)
{
    for (uint32_t threads = 1; threads <= 3; threads += 2)
    {
        const rblTasks tasks = tasks_of(threads);
        rblReplayReport report;
        check_ok(rbl_set_tasks(&tasks));
        check_ok(rbl_calls_replay(path, &report));
        check_ok(rbl_set_tasks(NULL));
        if (!report.same || report.problem[0] != '\0')
        {
            fail_msg("%s: %s", path, report.problem);
        }
        assert_true(report.complete);
        assert_int_equal(report.steps, steps);
        assert_int_equal(report.first_difference, RBL_NONE);
    }
}

static void every_call_happens_again(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6; ++seed)
    {
        Program program;
        start(&program, seed);
        check_ok(rbl_world_record(program.world, "calls.rbl"));
        build(&program);
        go(&program, 60);
        check_ok(rbl_world_stop_recording(program.world));
        check_replay("calls.rbl", 60);
        end(&program);
    }
    remove("calls.rbl");
}

// From the middle of a world's life: what is there is written first. Snapshots from before cannot be gone back to.
static void recordings_may_begin_at_any_time(void** state)
{
    (void)state;
    for (uint64_t seed = 11; seed <= 14; ++seed)
    {
        Program program;
        start(&program, seed);
        build(&program);
        go(&program, 25);
        free(program.snapshot);
        program.snapshot = NULL;
        check_ok(rbl_world_record(program.world, "middle.rbl"));
        go(&program, 40);
        // Destroying the world completes the file.
        check_ok(rbl_world_destroy(program.world));
        program.world = (rblWorldId){0};
        check_replay("middle.rbl", 40);
        end(&program);
    }
    remove("middle.rbl");
}

static void old_snapshots_end_a_recording_in_words(void** state)
{
    (void)state;
    Program program;
    start(&program, 3);
    build(&program);
    save(&program);
    check_ok(rbl_world_record(program.world, "old.rbl"));
    check_ok(rbl_world_step(program.world, 0.01f));
    check_ok(rbl_world_set_gravity(program.world, (rblVec3){0, -1, 0}));
    restore(&program);
    check_ok(rbl_world_step(program.world, 0.01f));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_world_stop_recording(program.world));
    assert_non_null(strstr(rbl_last_error(), "a snapshot from before the recording was restored"));
    rblReplayReport report;
    check_ok(rbl_calls_replay("old.rbl.part", &report)); // what was recorded until then
    assert_true(report.same && !report.complete);
    assert_int_equal(report.calls, 2);
    remove("old.rbl.part");
    end(&program);
}

static float ball_distance(const void* context, rblVec3 point, rblVec3* gradient)
{
    (void)context;
    const float length = sqrtf(point.x * point.x + point.y * point.y + point.z * point.z);
    *gradient = (rblVec3){length > 0 ? point.x / length : 0, length > 0 ? point.y / length : 1,
                          length > 0 ? point.z / length : 0};
    return length - 0.1f;
}

static rblShapeId make_user_shape(rblShapeId like)
{
    rblUserShape def = rbl_default_user_shape();
    rblShapeView view;
    rblShapeId shape;
    check_ok(rbl_shape_view(like, &view));
    check_ok(rbl_shape_samples(&view, &def.samples, &def.sample_count));
    def.name = "jelly";
    def.distance = ball_distance;
    def.bounds = view.bounds;
    def.mass = view.mass;
    check_ok(rbl_shape_create_user(&def, &shape));
    return shape;
}

static void shapes_of_the_users_own_are_refused_by_name(void** state)
{
    (void)state;
    Program program;
    start(&program, 1);
    build(&program);
    const rblShapeId jelly = make_user_shape(program.shapes[SPHERE]);
    rblBodyDef def = rbl_default_body_def();
    rblBodyId body;
    def.shape = jelly;
    def.pose.p.y = 3.0f;
    // On the way: the world goes on, the recording ends, and says why.
    check_ok(rbl_world_record(program.world, "user.rbl"));
    check_ok(rbl_world_step(program.world, 0.01f));
    check_ok(rbl_body_create(program.world, &def, &body));
    check_ok(rbl_world_step(program.world, 0.01f));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_world_stop_recording(program.world));
    assert_non_null(strstr(rbl_last_error(), "the user-defined shape 'jelly' cannot be recorded"));
    remove("user.rbl.part");
    // From the start: refused, and nothing is left behind.
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_world_record(program.world, "user.rbl"));
    assert_non_null(strstr(rbl_last_error(), "'jelly'"));
    assert_null(fopen("user.rbl.part", "rb"));
    check_ok(rbl_shape_destroy(jelly));
    check_ok(rbl_world_destroy(program.world));
    program.world = (rblWorldId){0};
    end(&program);
}

static void misuse_is_answered(void** state)
{
    (void)state;
    Program program;
    rblReplayReport report;
    start(&program, 1);
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_stop_recording(program.world));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_record(program.world, NULL));
    check_fails(RBL_ERROR_FILE, rbl_world_record(program.world, "no_such_folder/a.rbl"));
    check_ok(rbl_world_record(program.world, "misuse.rbl"));
    check_fails(RBL_ERROR_ARGUMENT, rbl_world_record(program.world, "twice.rbl"));
    check_ok(rbl_world_stop_recording(program.world));
    check_fails(RBL_ERROR_STALE, rbl_world_record((rblWorldId){0}, "stale.rbl"));
    check_fails(RBL_ERROR_ARGUMENT, rbl_calls_replay("misuse.rbl", NULL));
    check_fails(RBL_ERROR_FILE, rbl_calls_replay("no_such.rbl", &report));
    check_ok(rbl_calls_replay("misuse.rbl", &report));
    assert_true(report.same && report.calls == 0);
    remove("misuse.rbl");
    end(&program);
}

static void record_small(rblFileBytes* file)
{
    Program program;
    start(&program, 2);
    check_ok(rbl_world_record(program.world, "small.rbl"));
    build(&program);
    go(&program, 12);
    check_ok(rbl_world_stop_recording(program.world));
    end(&program);
    check_ok(rbl_file_read("small.rbl", SIZE_MAX, rbl_default_allocator(), file));
    remove("small.rbl");
}

// The calls before a step are in the file when it begins: a step that never returns is in it, too.
static void calls_are_in_the_file_before_the_step_begins(void** state)
{
    (void)state;
    Program program;
    rblReplayReport report;
    start(&program, 5);
    check_ok(rbl_world_record(program.world, "now.rbl"));
    build(&program);
    for (uint32_t i = 1; i <= 5; ++i)
    {
        go(&program, 1);
        check_ok(rbl_calls_replay("now.rbl.part", &report));
        assert_true(report.same && !report.complete);
        assert_int_equal(report.steps, i);
    }
    check_ok(rbl_world_stop_recording(program.world));
    remove("now.rbl");
    end(&program);
}

static void damage_ends_the_replay_there(void** state)
{
    (void)state;
    rblFileBytes file;
    rblReplayReport report;
    record_small(&file);
    uint32_t steps = 0;
    for (size_t size = 16; size<file.size; size += file.size - size> 1000 ? 911 : 13)
    {
        if (rbl_calls_replay_memory(file.bytes, size, "cut", &report) == RBL_OK)
        {
            assert_true(report.same && report.steps >= steps && !report.complete);
            steps = report.steps;
        }
        else
        {
            assert_int_equal(strncmp(rbl_last_error(), "cut: byte ", 10), 0);
        }
    }
    assert_true(steps > 8);
    rbl_file_bytes_free(&file);
}

// A hash that is another is named by its step.
static void the_first_step_that_differs_is_named(void** state)
{
    (void)state;
    rblFileBytes file;
    rblReplayReport report;
    record_small(&file);
    // The fifth chunk of calls that holds the end of a step begins with it: its hash follows the code.
    size_t offset = RBL_FILE_HEADER_SIZE;
    uint32_t ends = 0;
    for (size_t end = 0; (end = recording_chunk_end(file.bytes, file.size, offset)) != 0; offset = end)
    {
        const bool calls = rbl_load_u32(file.bytes + offset) == RBL_CHUNK_CALLS;
        if (calls && file.bytes[offset + 16] == 1 && ++ends == 5)
        {
            file.bytes[offset + 17] ^= 1;
            break;
        }
    }
    assert_int_equal(ends, 5);
    recording_seal(file.bytes, file.size);
    check_ok(rbl_calls_replay_memory(file.bytes, file.size, "other", &report));
    assert_false(report.same);
    assert_true(report.first_difference >= 5 && report.steps == report.first_difference);
    assert_true(report.expected == (report.found ^ 1));
    assert_non_null(strstr(report.problem, "the state has another hash"));
    rbl_file_bytes_free(&file);
}

static void hostile_calls_do_no_harm(void** state)
{
    (void)state;
    rblFileBytes file;
    rblRandom random = rbl_random_seed(9, 0);
    record_small(&file);
    uint8_t* bytes = malloc(file.size);
    for (int trial = 0; trial < 300; ++trial)
    {
        memcpy(bytes, file.bytes, file.size);
        const uint32_t count = 1 + rbl_random_below(&random, 3);
        for (uint32_t k = 0; k < count; ++k)
        {
            const uint32_t place = 16 + rbl_random_below(&random, (uint32_t)file.size - 16);
            bytes[place] = (uint8_t)rbl_random_u32(&random);
        }
        recording_seal(bytes, file.size);
        rblReplayReport report;
        (void)rbl_calls_replay_memory(bytes, file.size, "hostile", &report);
        assert_int_equal(rbl_shape_alive_count(), 0);
    }
    free(bytes);
    rbl_file_bytes_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_call_happens_again),
        cmocka_unit_test(recordings_may_begin_at_any_time),
        cmocka_unit_test(old_snapshots_end_a_recording_in_words),
        cmocka_unit_test(shapes_of_the_users_own_are_refused_by_name),
        cmocka_unit_test(misuse_is_answered),
        cmocka_unit_test(calls_are_in_the_file_before_the_step_begins),
        cmocka_unit_test(damage_ends_the_replay_there),
        cmocka_unit_test(the_first_step_that_differs_is_named),
        cmocka_unit_test(hostile_calls_do_no_harm),
    };
    return cmocka_run_group_tests_name("recorder", tests, NULL, NULL);
}
