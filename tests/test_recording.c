// Recordings: they give back the run, survive any cut and any damage, and replay.
#include "testing.h"

#include "base/random.h"
#include "failing_allocator.h"
#include "io/file.h"
#include "math/quat.h"
#include "math/vec.h"
#include "recording_files.h"
#include "scene/export/export.h"
#include "scene/record/replay.h"
#include <stdlib.h>
#include <string.h>

#define SCENES RBL_TEST_DOCS "/../scenes/"

// A few boxes that fall, one that is spawned, one that is removed: every kind of chunk and list, in few bytes.
static const char small_scene[] =
    "{\"rubble\":1,\"step\":0.02,\"duration\":0.6,\"seed\":42,"
    "\"shapes\":{\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]},\"brick\":{\"kind\":\"box\",\"size\":[0."
    "2,0.1,0.1]}},"
    "\"bodies\":[{\"name\":\"floor\",\"shape\":\"ground\",\"type\":\"static\",\"material\":\"stone\"},"
    "{\"name\":\"low\",\"shape\":\"brick\",\"material\":\"wood\",\"position\":[0,0.1,0]},"
    "{\"name\":\"high\",\"shape\":\"brick\",\"material\":\"wood\",\"position\":[0.03,0.4,0.01],\"spin\":[3,2,"
    "1]}],"
    "\"events\":[{\"time\":0.2,\"spawn\":{\"name\":\"late\",\"shape\":\"brick\",\"material\":\"clay\","
    "\"position\":[0,0.8,0]}},{\"time\":0.4,\"remove\":{\"body\":\"low\"}}],"
    "\"camera\":{\"eye\":[1,1,1],\"target\":[0,0,0]}}";

static void load_small(rblSceneId* scene)
{
    check_ok(rbl_scene_load_memory(small_scene, sizeof small_scene - 1, "small.json", scene));
}

// Simulate, keep the motion in memory as well, and write a recording.
static void record(rblSceneId scene, rblSimulation* simulation, const char* path, bool quantise,
                   uint32_t steps)
{
    check_ok(rbl_simulation_start(simulation, scene, true));
    check_ok(rbl_simulation_record(simulation, path, quantise));
    while (!rbl_simulation_done(simulation) && simulation->step < steps)
    {
        check_ok(rbl_simulation_advance(simulation));
    }
    check_ok(rbl_simulation_finish(simulation));
}

static void read_file(const char* path, rblFileBytes* file)
{
    check_ok(rbl_file_read(path, SIZE_MAX, rbl_default_allocator(), file));
}

// The bytes of a small recording.
static void record_small(rblFileBytes* file, bool quantise)
{
    rblSceneId scene;
    rblSimulation simulation;
    load_small(&scene);
    record(scene, &simulation, "small.rbl", quantise, UINT32_MAX);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    read_file("small.rbl", file);
    remove("small.rbl");
}

// ---- what comes back ----

static void check_same_bodies(const rblRun* a, const rblRun* b)
{
    assert_int_equal(a->bodies.count, b->bodies.count);
    for (size_t i = 0; i < a->bodies.count; ++i)
    {
        const rblRunBody* x = &a->bodies.data[i];
        const rblRunBody* y = &b->bodies.data[i];
        assert_string_equal(x->name, y->name);
        assert_int_equal(x->shape, y->shape);
        assert_int_equal(x->material, y->material);
        assert_int_equal(x->parent, y->parent);
        assert_int_equal(x->type, y->type);
        assert_true(x->mass == y->mass);
        assert_int_equal(x->birth, y->birth);
        assert_int_equal(x->death, y->death);
        assert_int_equal(x->keys.count, y->keys.count);
        assert_memory_equal(x->keys.data, y->keys.data, x->keys.count * sizeof *x->keys.data);
    }
}

static void check_same_statistics(const rblStatistics* a, const rblStatistics* b)
{
    assert_int_equal(a->steps.count, b->steps.count);
    assert_memory_equal(a->steps.data, b->steps.data, a->steps.count * sizeof *a->steps.data);
    assert_int_equal(a->events.count, b->events.count);
    for (size_t i = 0; i < a->events.count; ++i)
    {
        assert_string_equal(a->events.data[i].type, b->events.data[i].type);
        assert_string_equal(a->events.data[i].body, b->events.data[i].body);
        assert_true(a->events.data[i].time == b->events.data[i].time);
        assert_true(a->events.data[i].impulse == b->events.data[i].impulse);
    }
    assert_true(a->hash == b->hash);
}

static void check_same_shapes(const rblRun* a, const rblRun* b)
{
    assert_int_equal(a->shapes.count, b->shapes.count);
    for (size_t i = 0; i < a->shapes.count; ++i)
    {
        const rblRunShape* x = &a->shapes.data[i];
        const rblRunShape* y = &b->shapes.data[i];
        rblMeshView u;
        rblMeshView v;
        assert_string_equal(x->name, y->name);
        assert_string_equal(x->source, y->source);
        assert_int_equal(x->plane, y->plane);
        assert_memory_equal(&x->mass, &y->mass, sizeof x->mass);
        assert_int_equal(x->surface.index1 != 0, y->surface.index1 != 0);
        if (x->surface.index1 == 0)
        {
            assert_memory_equal(&x->normal, &y->normal, sizeof x->normal);
            continue;
        }
        check_ok(rbl_mesh_view(x->surface, &u));
        check_ok(rbl_mesh_view(y->surface, &v));
        assert_int_equal(u.vertex_count, v.vertex_count);
        assert_int_equal(u.corner_count, v.corner_count);
        assert_int_equal(u.layer_count, v.layer_count);
        assert_memory_equal(u.positions, v.positions, u.vertex_count * sizeof *u.positions);
        assert_memory_equal(u.corner_vertices, v.corner_vertices, u.corner_count * sizeof(uint32_t));
        assert_memory_equal(u.face_starts, v.face_starts, (u.face_count + 1) * sizeof(uint32_t));
    }
}

static void recordings_give_back_the_run(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    rblRun run;
    rblRecordingReport report;
    load_small(&scene);
    record(scene, &simulation, "whole.rbl", false, UINT32_MAX);
    check_ok(rbl_recording_load("whole.rbl", &run, &report));
    assert_string_equal(report.problem, "");
    assert_int_equal(report.used, report.size);
    assert_true(run.complete);
    assert_int_equal(run.settings.text_size, sizeof small_scene - 1);
    assert_memory_equal(run.settings.text, small_scene, sizeof small_scene - 1);
    assert_string_equal(run.settings.version, rbl_version());
    assert_int_equal(run.settings.seed, 42);
    assert_true(run.settings.step == 0.02);
    assert_true(run.settings.has_camera);
    assert_int_equal(run.bodies.count, 4);
    assert_int_equal(run.bodies.data[3].birth, 11);
    assert_int_equal(run.bodies.data[1].death, 21);
    assert_int_equal(run.statistics.events.count, 2);
    assert_true(run.contacts.count > 0);
    check_same_bodies(&simulation.run, &run);
    check_same_statistics(&simulation.run.statistics, &run.statistics);
    check_same_shapes(&simulation.run, &run);
    assert_int_equal(run.contacts.count, simulation.run.contacts.count);
    assert_memory_equal(run.contacts.data, simulation.run.contacts.data,
                        run.contacts.count * sizeof *run.contacts.data);
    // What is written from the run and from its recording is the same file.
    check_ok(rbl_export_glb(&simulation.run, "live.glb", &(rblExportOptions){.every = 1}));
    check_ok(rbl_export_glb(&run, "recorded.glb", &(rblExportOptions){.every = 1}));
    rblFileBytes live;
    rblFileBytes recorded;
    read_file("live.glb", &live);
    read_file("recorded.glb", &recorded);
    assert_int_equal(live.size, recorded.size);
    assert_memory_equal(live.bytes, recorded.bytes, live.size);
    rbl_file_bytes_free(&live);
    rbl_file_bytes_free(&recorded);
    remove("live.glb");
    remove("recorded.glb");
    remove("whole.rbl");
    rbl_run_free(&run);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    assert_int_equal(rbl_mesh_alive_count(), 0);
}

static void rounded_poses_are_off_by_the_stated_error_at_most(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    rblRun run;
    rblRecordingReport report;
    check_ok(rbl_scene_load(SCENES "dominoes.json", &scene));
    record(scene, &simulation, "rounded.rbl", true, 120);
    check_ok(rbl_recording_load("rounded.rbl", &run, &report));
    assert_true(report.quantised && run.position_error > 0.0f && !run.has_velocities);
    for (uint32_t body = 0; body < run.bodies.count; ++body)
    {
        for (uint32_t step = 0; step <= rbl_run_last_step(&run); ++step)
        {
            rblRunKey exact;
            rblRunKey rounded;
            assert_true(rbl_run_state(&simulation.run, body, step, &exact));
            assert_true(rbl_run_state(&run, body, step, &rounded));
            const float sign = rbl_quat_dot(exact.pose.q, rounded.pose.q) < 0.0f ? -1.0f : 1.0f;
            for (int k = 0; k < 3; ++k)
            {
                check_close((&exact.pose.p.x)[k], (&rounded.pose.p.x)[k], (double)run.position_error * 1.001);
            }
            for (int k = 0; k < 4; ++k) // rounding, and the length that is made 1 again
            {
                check_close((&exact.pose.q.x)[k], sign * (&rounded.pose.q.x)[k],
                            2.5 * (double)run.rotation_error);
            }
        }
    }
    check_same_statistics(&simulation.run.statistics, &run.statistics);
    rbl_run_free(&run);
    remove("rounded.rbl");
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

// Chunks of steps in which nothing moves hold numbers of the step only, however many bodies sleep.
static void sleepers_cost_nothing(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    static const char text[] =
        "{\"rubble\":1,\"duration\":3,\"shapes\":{\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]},"
        "\"brick\":{\"kind\":\"box\",\"size\":[0.2,0.1,0.1]}},\"bodies\":[{\"shape\":\"ground\",\"type\":"
        "\"static\"},"
        "{\"shape\":\"brick\",\"grid\":{\"count\":[10,1,10],\"spacing\":[0.3,1,0.3],\"origin\":[0,0.06,0]}}]"
        "}";
    check_ok(rbl_scene_load_memory(text, sizeof text - 1, "asleep.json", &scene));
    check_ok(rbl_simulation_start(&simulation, scene, false));
    check_ok(rbl_simulation_record(&simulation, "asleep.rbl", false));
    uint64_t last = simulation.recording.offset;
    uint64_t smallest = UINT64_MAX;
    while (!rbl_simulation_done(&simulation))
    {
        check_ok(rbl_simulation_advance(&simulation));
        const uint64_t bytes = simulation.recording.offset - last;
        last = simulation.recording.offset;
        smallest = bytes < smallest ? bytes : smallest;
        const rblStepRecord* record = &simulation.run.statistics.steps.data[simulation.step];
        if (record->counters.awake == 0 && record[-1].counters.awake == 0)
        {
            assert_true(bytes < 300);
        }
    }
    assert_true(smallest < 300); // they do fall asleep
    check_ok(rbl_simulation_finish(&simulation));
    remove("asleep.rbl");
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

// ---- cuts and damage ----

// Steps whose chunks end at or before `size`.
static uint32_t whole_steps(const rblFileBytes* file, size_t size)
{
    uint32_t steps = 0;
    size_t offset = RBL_FILE_HEADER_SIZE;
    size_t end;
    while ((end = recording_chunk_end(file->bytes, size, offset)) != 0)
    {
        steps += rbl_load_u32(file->bytes + offset) == RBL_CHUNK_STEP;
        offset = end;
    }
    return steps;
}

static void every_cut_leaves_the_whole_steps_before_it(void** state)
{
    (void)state;
    for (int quantise = 0; quantise < 2; ++quantise)
    {
        rblFileBytes file;
        rblRun whole;
        record_small(&file, quantise != 0);
        check_ok(rbl_recording_load_memory(file.bytes, file.size, "whole", &whole, NULL));
        for (size_t size = 0; size < file.size; ++size)
        {
            const uint32_t steps = whole_steps(&file, size);
            rblRun run;
            rblRecordingReport report;
            const rblResult result = rbl_recording_load_memory(file.bytes, size, "cut", &run, &report);
            assert_int_equal(result == RBL_OK, steps > 0);
            if (result != RBL_OK)
            {
                assert_int_equal(strncmp(rbl_last_error(), "cut: byte ", 10), 0);
                continue;
            }
            assert_int_equal(run.statistics.steps.count, steps);
            assert_false(run.complete);
            assert_memory_equal(run.statistics.steps.data, whole.statistics.steps.data,
                                steps * sizeof *run.statistics.steps.data);
            rbl_run_free(&run);
        }
        rbl_run_free(&whole);
        rbl_file_bytes_free(&file);
    }
}

static void every_changed_byte_is_noticed(void** state)
{
    (void)state;
    rblFileBytes file;
    record_small(&file, false);
    for (size_t i = 0; i < file.size; ++i)
    {
        rblRun run;
        rblRecordingReport report;
        file.bytes[i] ^= 0x10;
        if (rbl_recording_load_memory(file.bytes, file.size, "changed", &run, &report) == RBL_OK)
        {
            assert_true(report.problem[0] != '\0' && report.used <= i);
            rbl_run_free(&run);
        }
        file.bytes[i] ^= 0x10;
    }
    rbl_file_bytes_free(&file);
}

// With right checks the contents are looked at: whatever is in them, nothing is read or written out of place, and what is
// taken holds together (fuzz_recording.c looks deeper).
static void hostile_contents_do_no_harm(void** state)
{
    (void)state;
    for (int quantise = 0; quantise < 2; ++quantise)
    {
        rblFileBytes file;
        rblRandom random = rbl_random_seed(11, (uint64_t)quantise);
        record_small(&file, quantise != 0);
        uint8_t* bytes = malloc(file.size);
        for (int trial = 0; trial < 4000; ++trial)
        {
            memcpy(bytes, file.bytes, file.size);
            const uint32_t changes = 1 + rbl_random_below(&random, 4);
            for (uint32_t k = 0; k < changes; ++k)
            {
                const uint32_t place = rbl_random_below(&random, (uint32_t)file.size - 16) + 16;
                const uint32_t kind = rbl_random_below(&random, 3);
                bytes[place] = kind == 0 ? 0xFF : kind == 1 ? 0 : (uint8_t)rbl_random_u32(&random);
            }
            recording_seal(bytes, file.size);
            rblRun run;
            if (rbl_recording_load_memory(bytes, file.size, "hostile", &run, NULL) == RBL_OK)
            {
                for (size_t b = 0; b < run.bodies.count; ++b)
                {
                    assert_true(run.bodies.data[b].keys.count > 0);
                    assert_true(run.bodies.data[b].shape < run.shapes.count);
                }
                rbl_run_free(&run);
            }
            assert_int_equal(rbl_mesh_alive_count(), 0);
        }
        free(bytes);
        rbl_file_bytes_free(&file);
    }
}

static void foreign_files_are_refused_in_words(void** state)
{
    (void)state;
    rblFileBytes file;
    rblRun run;
    rblRecordingReport report;
    record_small(&file, false);
    file.bytes[8] = 9;
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_recording_load_memory(file.bytes, file.size, "new", &run, NULL));
    assert_non_null(
        strstr(rbl_last_error(), "version 9 of recordings; this version of Rubble reads version 2"));
    file.bytes[8] = 1;
    check_fails(RBL_ERROR_FORMAT, rbl_recording_load_memory("# OBJ", 5, "mesh", &run, NULL));
    check_fails(RBL_ERROR_FILE, rbl_recording_load("there_is_no_such.rbl", &run, NULL));
    // Two recordings one after the other are one and some bytes more.
    uint8_t* twice = malloc(2 * file.size);
    memcpy(twice, file.bytes, file.size);
    memcpy(twice + file.size, file.bytes, file.size);
    check_ok(rbl_recording_load_memory(twice, 2 * file.size, "twice", &run, &report));
    assert_true(run.complete);
    assert_int_equal(report.used, file.size);
    assert_non_null(strstr(report.problem, "bytes after the end"));
    rbl_run_free(&run);
    free(twice);
    // A chunk in another place has another check.
    const size_t first = recording_chunk_end(file.bytes, file.size, 16);
    uint8_t* moved = malloc(file.size);
    memcpy(moved, file.bytes, 16);
    memcpy(moved + 16, file.bytes + first, file.size - first);
    check_fails(RBL_ERROR_FORMAT, rbl_recording_load_memory(moved, file.size - first, "moved", &run, NULL));
    free(moved);
    rbl_file_bytes_free(&file);
}

static void out_of_memory_is_survived_anywhere(void** state)
{
    (void)state;
    rblFileBytes file;
    record_small(&file, false);
    // The bytes outlive the change of allocators.
    uint8_t* bytes = malloc(file.size);
    const size_t size = file.size;
    memcpy(bytes, file.bytes, size);
    rbl_file_bytes_free(&file);
    FailingAllocator memory;
    rblResult result = RBL_ERROR_MEMORY;
    for (size_t granted = 0; result != RBL_OK; ++granted)
    {
        rblRun run;
        failing_allocator_start(&memory, granted);
        check_ok(rbl_set_allocator(&memory.allocator));
        result = rbl_recording_load_memory(bytes, size, "scarce", &run, NULL);
        assert_true(result == RBL_OK || result == RBL_ERROR_MEMORY);
        if (result == RBL_OK)
        {
            rbl_run_free(&run);
        }
        check_ok(rbl_set_allocator(NULL));
        assert_int_equal(memory.live, 0);
    }
    free(bytes);
}

// ---- files ----

static void names_are_given_when_runs_are_complete(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation simulation;
    rblRun run;
    rblFileBytes file;
    load_small(&scene);
    FILE* old = fopen("named.rbl", "wb");
    fputs("before", old);
    fclose(old);
    check_ok(rbl_simulation_start(&simulation, scene, false));
    check_ok(rbl_simulation_record(&simulation, "named.rbl", false));
    for (int i = 0; i < 5; ++i)
    {
        check_ok(rbl_simulation_advance(&simulation));
        // While it goes on, all steps so far can be read, and the old file is as it was.
        check_ok(rbl_recording_load("named.rbl.part", &run, NULL));
        assert_int_equal(rbl_run_last_step(&run), i + 1);
        assert_false(run.complete);
        rbl_run_free(&run);
    }
    read_file("named.rbl", &file);
    assert_int_equal(file.size, 6);
    rbl_file_bytes_free(&file);
    check_ok(rbl_simulation_finish(&simulation));
    check_ok(rbl_recording_load("named.rbl", &run, NULL));
    assert_true(run.complete);
    rbl_run_free(&run);
    check_fails(RBL_ERROR_FILE, rbl_recording_load("named.rbl.part", &run, NULL));
    rbl_simulation_free(&simulation);
    // Somebody else's file under the name of the unfinished one is not overwritten.
    old = fopen("named.rbl.part", "wb");
    fputs("a letter", old);
    fclose(old);
    check_ok(rbl_simulation_start(&simulation, scene, false));
    check_fails(RBL_ERROR_FILE, rbl_simulation_record(&simulation, "named.rbl", false));
    check_fails(RBL_ERROR_FILE, rbl_simulation_record(&simulation, "no_such_folder/named.rbl", false));
    read_file("named.rbl.part", &file);
    assert_int_equal(file.size, 8);
    rbl_file_bytes_free(&file);
    remove("named.rbl");
    remove("named.rbl.part");
    // A disk that is full is said to be.
    FILE* full = fopen("/dev/full", "wb");
    if (full != NULL)
    {
        fclose(full);
        check_fails(RBL_ERROR_FILE, rbl_simulation_record(&simulation, "/dev/full", false));
        assert_non_null(strstr(rbl_last_error(), "/dev/full: cannot be written"));
    }
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
}

// ---- replays ----

static const char* const shipped[] = {"free_spin_plate", "incline_slide", "stack20",       "dominoes",
                                      "newton_cradle",   "wrecking_ball", "elevator",      "disrupted_stack",
                                      "rolling_plate",   "bullet",        "slide_and_stop"};

static void replays_are_the_same_with_any_number_of_threads(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shipped / sizeof shipped[0]; ++i)
    {
        char path[512];
        rblSceneId scene;
        rblSimulation simulation;
        rblRun run;
        snprintf(path, sizeof path, SCENES "%s.json", shipped[i]);
        check_ok(rbl_scene_load(path, &scene));
        record(scene, &simulation, "shipped.rbl", false, 150);
        rbl_simulation_free(&simulation);
        check_ok(rbl_scene_destroy(scene));
        check_ok(rbl_recording_load("shipped.rbl", &run, NULL));
        const rblTasks tasks = tasks_of(3);
        check_ok(rbl_set_tasks(&tasks));
        rblReplay replay;
        check_ok(rbl_replay_start(&replay, &run, false));
        while (!rbl_replay_done(&replay))
        {
            check_ok(rbl_replay_advance(&replay));
        }
        if (replay.first_difference != RBL_NONE)
        {
            fail_msg("%s: step %u differs", shipped[i], replay.first_difference);
        }
        rbl_replay_free(&replay);
        rbl_run_free(&run);
        check_ok(rbl_set_tasks(NULL));
    }
    remove("shipped.rbl");
}

static void replays_name_the_first_step_that_differs(void** state)
{
    (void)state;
    rblFileBytes file;
    rblRun run;
    rblReplay replay;
    record_small(&file, false);
    check_ok(rbl_recording_load_memory(file.bytes, file.size, "tampered", &run, NULL));
    run.statistics.steps.data[17].hash ^= 1;
    run.statistics.steps.data[20].hash ^= 1;
    check_ok(rbl_replay_start(&replay, &run, false));
    while (!rbl_replay_done(&replay))
    {
        check_ok(rbl_replay_advance(&replay));
    }
    assert_int_equal(replay.first_difference, 17);
    rbl_replay_free(&replay);
    rbl_run_free(&run);
    rbl_file_bytes_free(&file);
}

// The meshes of a scene are in its recording: it replays where their files are not.
static void replays_need_no_mesh_files(void** state)
{
    (void)state;
    static const char text[] =
        "{\"rubble\":1,\"duration\":0.3,\"shapes\":{\"ground\":{\"kind\":\"plane\","
        "\"normal\":[0,1,0]},\"ring\":{\"kind\":\"mesh\",\"file\":\"ring.obj\",\"height\":0.1,"
        "\"cells\":16}},\"bodies\":[{\"shape\":\"ground\",\"type\":\"static\"},"
        "{\"shape\":\"ring\",\"position\":[0,0.1,0],\"spin\":[0,0,2]}]}";
    rblMeshId ring;
    rblSceneId scene;
    rblSimulation simulation;
    rblRun run;
    rblReplay replay;
    check_ok(rbl_mesh_make("torus", NULL, 0, &ring));
    check_ok(rbl_mesh_save(ring, "ring.obj", NULL));
    check_ok(rbl_mesh_destroy(ring));
    check_ok(rbl_scene_load_memory(text, sizeof text - 1, "ring.json", &scene));
    record(scene, &simulation, "ring.rbl", false, UINT32_MAX);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    remove("ring.obj");
    check_ok(rbl_recording_load("ring.rbl", &run, NULL));
    remove("ring.rbl");
    check_ok(rbl_replay_start(&replay, &run, false));
    while (!rbl_replay_done(&replay))
    {
        check_ok(rbl_replay_advance(&replay));
    }
    assert_int_equal(replay.first_difference, RBL_NONE);
    rbl_replay_free(&replay);
    rbl_run_free(&run);
    assert_int_equal(rbl_mesh_alive_count(), 0);
    assert_int_equal(rbl_shape_alive_count(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recordings_give_back_the_run),
        cmocka_unit_test(rounded_poses_are_off_by_the_stated_error_at_most),
        cmocka_unit_test(sleepers_cost_nothing),
        cmocka_unit_test(every_cut_leaves_the_whole_steps_before_it),
        cmocka_unit_test(every_changed_byte_is_noticed),
        cmocka_unit_test(hostile_contents_do_no_harm),
        cmocka_unit_test(foreign_files_are_refused_in_words),
        cmocka_unit_test(out_of_memory_is_survived_anywhere),
        cmocka_unit_test(names_are_given_when_runs_are_complete),
        cmocka_unit_test(replays_are_the_same_with_any_number_of_threads),
        cmocka_unit_test(replays_name_the_first_step_that_differs),
        cmocka_unit_test(replays_need_no_mesh_files),
    };
    return cmocka_run_group_tests_name("recording", tests, NULL, NULL);
}
