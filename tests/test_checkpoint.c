// Checkpoints: a run that was stopped goes on as if it had not been.
#include "testing.h"

#include "base/random.h"
#include "dynamics/broad_phase/broad_phase_pairs.h"
#include "dynamics/snapshot.h"
#include "io/file.h"
#include "recording_files.h"
#include "scene/record/checkpoint.h"
#include "scene/record/replay.h"
#include <stdlib.h>
#include <string.h>

#define SCENES RBL_TEST_DOCS "/../scenes/"

// Boxes, a joint, a spawn and a removal.
static const char small_scene[] =
    "{\"rubble\":1,\"step\":0.02,\"duration\":1,\"shapes\":{\"ground\":{\"kind\":\"plane\",\"normal\":[0,1,0]"
    "},"
    "\"brick\":{\"kind\":\"box\",\"size\":[0.2,0.1,0.1]},\"ball\":{\"kind\":\"sphere\",\"radius\":0.1}},"
    "\"bodies\":[{\"name\":\"floor\",\"shape\":\"ground\",\"type\":\"static\",\"material\":\"stone\"},"
    "{\"name\":\"low\",\"shape\":\"brick\",\"position\":[0,0.06,0]},{\"name\":\"high\",\"shape\":\"brick\","
    "\"position\":[0.03,0.4,0.01],\"spin\":[3,2,1]},{\"name\":\"ball\",\"shape\":\"ball\",\"position\":[1,1,"
    "0]}],"
    "\"joints\":[{\"kind\":\"distance\",\"a\":\"ball\",\"pointB\":[0,1,0]}],"
    "\"events\":[{\"time\":0.3,\"spawn\":{\"name\":\"late\",\"shape\":\"brick\",\"position\":[0,0.8,0]}},"
    "{\"time\":0.5,\"remove\":{\"body\":\"low\"}}]}";

static void load_small(rblSceneId* scene)
{
    check_ok(rbl_scene_load_memory(small_scene, sizeof small_scene - 1, "small.json", scene));
}

static void run_to(rblSimulation* simulation, uint32_t step)
{
    while (!rbl_simulation_done(simulation) && simulation->step < step)
    {
        check_ok(rbl_simulation_advance(simulation));
    }
}

static void check_same_steps(const rblStatistics* a, const rblStatistics* b, const char* name)
{
    assert_int_equal(a->steps.count, b->steps.count);
    for (size_t i = 0; i < a->steps.count; ++i)
    {
        const rblStepRecord* x = &a->steps.data[i];
        const rblStepRecord* y = &b->steps.data[i];
        if (x->hash != y->hash || memcmp(&x->energy, &y->energy, sizeof x->energy) != 0)
        {
            fail_msg("%s: step %zu differs", name, i);
        }
    }
    assert_int_equal(a->events.count, b->events.count);
}

// Stop at a step, and go on in a scene read anew, with another number of threads.
static void stop_and_go_on(const char* path, const rblStatistics* whole, uint32_t stop, uint32_t steps)
{
    rblSceneId scene;
    rblSimulation simulation;
    check_ok(rbl_scene_load(path, &scene));
    check_ok(rbl_simulation_start(&simulation, scene, false));
    run_to(&simulation, stop);
    check_ok(rbl_checkpoint_save(&simulation, "stopped.check"));
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    const rblTasks tasks = tasks_of(3);
    check_ok(rbl_set_tasks(&tasks));
    check_ok(rbl_scene_load(path, &scene));
    check_ok(rbl_checkpoint_resume(&simulation, scene, "stopped.check"));
    assert_int_equal(simulation.step, stop);
    run_to(&simulation, steps);
    check_same_steps(whole, &simulation.run.statistics, path);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    check_ok(rbl_set_tasks(NULL));
    remove("stopped.check");
}

static void resumed_runs_are_the_same_as_uninterrupted_ones(void** state)
{
    (void)state;
    static const char* const names[] = {"dominoes",        "wrecking_ball", "elevator", "newton_cradle",
                                        "disrupted_stack", "rolling_plate", "bullet",   "stack20"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
    {
        char path[512];
        rblSceneId scene;
        rblSimulation simulation;
        snprintf(path, sizeof path, SCENES "%s.json", names[i]);
        check_ok(rbl_scene_load(path, &scene));
        check_ok(rbl_simulation_start(&simulation, scene, false));
        const uint32_t steps = simulation.view.step_count < 130 ? simulation.view.step_count : 130;
        run_to(&simulation, steps);
        stop_and_go_on(path, &simulation.run.statistics, 1, steps);
        stop_and_go_on(path, &simulation.run.statistics, steps / 2, steps);
        rbl_simulation_free(&simulation);
        check_ok(rbl_scene_destroy(scene));
    }
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// At every step of a run with births, deaths and joints; the recording of the steps before is gone on with.
static void resumed_recordings_hold_the_whole_run(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSimulation whole;
    load_small(&scene);
    check_ok(rbl_simulation_start(&whole, scene, true));
    run_to(&whole, UINT32_MAX);
    check_ok(rbl_simulation_finish(&whole));
    for (uint32_t stop = 1; stop < whole.step; stop += 3)
    {
        rblSimulation simulation;
        rblRun run;
        check_ok(rbl_simulation_start(&simulation, scene, false));
        check_ok(rbl_simulation_record(&simulation, "resumed.rbl", stop % 2 == 0));
        run_to(&simulation, stop);
        check_ok(rbl_checkpoint_save(&simulation, "resumed.check"));
        run_to(&simulation, stop + stop % 7); // it went on for a while before it was killed
        rbl_simulation_free(&simulation);
        check_ok(rbl_checkpoint_resume(&simulation, scene, "resumed.check"));
        check_ok(rbl_simulation_record(&simulation, "resumed.rbl", false));
        run_to(&simulation, UINT32_MAX);
        check_ok(rbl_simulation_finish(&simulation));
        rbl_simulation_free(&simulation);
        check_ok(rbl_recording_load("resumed.rbl", &run, NULL));
        assert_true(run.complete);
        check_same_steps(&whole.run.statistics, &run.statistics, "resumed");
        assert_int_equal(run.bodies.count, whole.run.bodies.count);
        assert_int_equal(run.contacts.count, whole.run.contacts.count);
        for (uint32_t b = 0; b < run.bodies.count; ++b)
        {
            assert_string_equal(run.bodies.data[b].name, whole.run.bodies.data[b].name);
            assert_int_equal(run.bodies.data[b].birth, whole.run.bodies.data[b].birth);
            assert_int_equal(run.bodies.data[b].death, whole.run.bodies.data[b].death);
            for (uint32_t step = 0; step <= whole.step; ++step)
            {
                rblRunKey expected;
                rblRunKey found;
                const bool there = rbl_run_state(&whole.run, b, step, &expected);
                assert_int_equal(rbl_run_state(&run, b, step, &found), there);
                const double error = 1.001 * (double)run.position_error;
                if (there)
                {
                    check_close(expected.pose.p.x, found.pose.p.x, error);
                    check_close(expected.pose.p.y, found.pose.p.y, error);
                }
            }
        }
        rbl_run_free(&run);
    }
    remove("resumed.rbl");
    remove("resumed.check");
    rbl_simulation_free(&whole);
    check_ok(rbl_scene_destroy(scene));
}

static void write_checkpoint(rblFileBytes* file)
{
    rblSceneId scene;
    rblSimulation simulation;
    load_small(&scene);
    check_ok(rbl_simulation_start(&simulation, scene, false));
    run_to(&simulation, 20);
    check_ok(rbl_checkpoint_save(&simulation, "small.check"));
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    check_ok(rbl_file_read("small.check", SIZE_MAX, rbl_default_allocator(), file));
    remove("small.check");
}

static void write_file(const char* path, const void* bytes, size_t size)
{
    FILE* file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static rblResult resume_bytes(rblSceneId scene, const void* bytes, size_t size, uint32_t steps)
{
    rblSimulation simulation;
    write_file("tried.check", bytes, size);
    rblResult result = rbl_checkpoint_resume(&simulation, scene, "tried.check");
    for (uint32_t i = 0; result == RBL_OK && i < steps; ++i)
    {
        result = rbl_simulation_advance(&simulation);
    }
    rbl_simulation_free(&simulation);
    return result;
}

static void damaged_and_foreign_checkpoints_are_refused(void** state)
{
    (void)state;
    rblFileBytes file;
    rblSceneId scene;
    rblRun run;
    write_checkpoint(&file);
    load_small(&scene);
    check_ok(resume_bytes(scene, file.bytes, file.size, 1));
    for (size_t size = 0; size < file.size; size += 97)
    {
        assert_true(resume_bytes(scene, file.bytes, size, 0) != RBL_OK);
    }
    for (size_t i = 0; i < file.size; i += 61)
    {
        file.bytes[i] ^= 4;
        assert_true(resume_bytes(scene, file.bytes, file.size, 0) != RBL_OK);
        file.bytes[i] ^= 4;
    }
    assert_true(rbl_recording_load_memory(file.bytes, file.size, "a", &run, NULL) != RBL_OK);
    assert_non_null(strstr(rbl_last_error(), "this is a checkpoint, not a recording of a run"));
    check_ok(rbl_scene_destroy(scene));
    check_ok(rbl_scene_load(SCENES "dominoes.json", &scene));
    check_fails(RBL_ERROR_ARGUMENT, resume_bytes(scene, file.bytes, file.size, 0));
    assert_non_null(strstr(rbl_last_error(), "the checkpoint is of another scene (small.json)"));
    check_ok(rbl_scene_destroy(scene));
    rbl_file_bytes_free(&file);
    remove("tried.check");
}

// The first place of some bytes in a file.
static uint8_t* find_bytes(const rblFileBytes* file, const void* bytes, size_t size)
{
    for (size_t i = 0; i + size <= file->size; ++i)
    {
        if (memcmp(file->bytes + i, bytes, size) == 0)
        {
            return file->bytes + i;
        }
    }
    fail_msg("the file does not hold these bytes");
    return NULL;
}

// A checkpoint that another version or build wrote is refused by name, and the world is not begun.
static void checkpoints_of_other_builds_are_refused_by_name(void** state)
{
    (void)state;
    rblFileBytes file;
    rblSceneId scene;
    char expected[128];
    const char* version = rbl_version();
    write_checkpoint(&file);
    load_small(&scene);
    uint8_t* place = find_bytes(&file, version, strlen(version));
    *place = '9';
    recording_seal(file.bytes, file.size);
    check_fails(RBL_ERROR_UNSUPPORTED, resume_bytes(scene, file.bytes, file.size, 0));
    snprintf(expected, sizeof expected, "a checkpoint of Rubble 9%s, and this is Rubble %s;", version + 1,
             version);
    assert_non_null(strstr(rbl_last_error(), expected));
    assert_non_null(strstr(rbl_last_error(), "tried.check"));
    *place = (uint8_t)version[0];
    // The same version with other structures: the image begins with a word that names them.
    rblWorldId world;
    rblByteSink image;
    const rblWorldDef def = rbl_default_world_def();
    rbl_sink_init(&image, rbl_default_allocator());
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_write_image(world, &(rblImageTables){0}, &image));
    find_bytes(&file, image.bytes.data, 8)[0] ^= 1;
    recording_seal(file.bytes, file.size);
    check_fails(RBL_ERROR_UNSUPPORTED, resume_bytes(scene, file.bytes, file.size, 0));
    assert_non_null(strstr(rbl_last_error(), "it was written by another build of Rubble"));
    assert_non_null(strstr(rbl_last_error(), "tried.check"));
    rbl_sink_free(&image);
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
    rbl_file_bytes_free(&file);
    remove("tried.check");
}

// Whatever stands in a world's image, with a right check: it is refused, or steps without harm.
static void hostile_worlds_do_no_harm(void** state)
{
    (void)state;
    rblFileBytes file;
    rblSceneId scene;
    rblRandom random = rbl_random_seed(5, 0);
    write_checkpoint(&file);
    load_small(&scene);
    size_t world = RBL_FILE_HEADER_SIZE;
    while (rbl_load_u32(file.bytes + world) != RBL_CHUNK_WORLD)
    {
        world = recording_chunk_end(file.bytes, file.size, world);
    }
    uint8_t* bytes = malloc(file.size);
    uint32_t refused = 0;
    for (int trial = 0; trial < 1500; ++trial)
    {
        memcpy(bytes, file.bytes, file.size);
        const uint32_t count = 1 + rbl_random_below(&random, 3);
        for (uint32_t k = 0; k < count; ++k)
        {
            const size_t place = world + 16 + rbl_random_below(&random, (uint32_t)(file.size - world) - 16);
            const uint32_t kind = rbl_random_below(&random, 3);
            bytes[place] = kind == 0 ? 0xFF : kind == 1 ? 0x7F : (uint8_t)rbl_random_u32(&random);
        }
        recording_seal(bytes, file.size);
        refused += resume_bytes(scene, bytes, file.size, 3) != RBL_OK;
    }
    assert_true(refused > 0);
    free(bytes);
    check_ok(rbl_scene_destroy(scene));
    rbl_file_bytes_free(&file);
    remove("tried.check");
    assert_int_equal(rbl_shape_alive_count(), 0);
}

// A box without ends that does not say so would make a tree of boxes without ends.
static void unbounded_boxes_are_not_loaded_as_bounded_ones(void** state)
{
    (void)state;
    const rblProxyState bad = {{{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}},
                               RBL_PROXY_EXISTS | RBL_PROXY_MARKED};
    rblProxyState good = bad;
    rblBroadPhase* broad = NULL;
    good.flags |= RBL_PROXY_UNBOUNDED;
    check_ok(rbl_broad_phase_create(rbl_default_allocator(), &broad));
    check_fails(RBL_ERROR_FORMAT, rbl_broad_phase_load(broad, 0, &bad));
    check_ok(rbl_broad_phase_load(broad, 0, &good));
    rbl_broad_phase_destroy(broad);
}

static void recordings_of_other_runs_are_not_gone_on_with(void** state)
{
    (void)state;
    rblSceneId scene;
    rblSceneId other;
    rblSimulation simulation;
    load_small(&scene);
    check_ok(rbl_simulation_start(&simulation, scene, false));
    check_ok(rbl_simulation_record(&simulation, "short.rbl", false));
    run_to(&simulation, 10);
    rbl_simulation_free(&simulation); // leaves short.rbl.part with ten steps
    check_ok(rbl_simulation_start(&simulation, scene, false));
    run_to(&simulation, 20);
    check_ok(rbl_checkpoint_save(&simulation, "far.check"));
    rbl_simulation_free(&simulation);
    check_ok(rbl_checkpoint_resume(&simulation, scene, "far.check"));
    check_fails(RBL_ERROR_ARGUMENT, rbl_simulation_record(&simulation, "short.rbl", false));
    assert_non_null(strstr(rbl_last_error(), "the recording must have the 20 steps before the checkpoint"));
    check_fails(RBL_ERROR_FILE, rbl_simulation_record(&simulation, "none.rbl", false));
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_load(SCENES "slide_and_stop.json", &other));
    check_ok(rbl_simulation_start(&simulation, other, false));
    run_to(&simulation, 5);
    check_ok(rbl_checkpoint_save(&simulation, "other.check"));
    rbl_simulation_free(&simulation);
    check_ok(rbl_checkpoint_resume(&simulation, other, "other.check"));
    check_fails(RBL_ERROR_ARGUMENT, rbl_simulation_record(&simulation, "short.rbl", false));
    assert_non_null(strstr(rbl_last_error(), "the recording is of another scene"));
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(other));
    check_ok(rbl_scene_destroy(scene));
    remove("short.rbl.part");
    remove("far.check");
    remove("other.check");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resumed_runs_are_the_same_as_uninterrupted_ones),
        cmocka_unit_test(resumed_recordings_hold_the_whole_run),
        cmocka_unit_test(damaged_and_foreign_checkpoints_are_refused),
        cmocka_unit_test(checkpoints_of_other_builds_are_refused_by_name),
        cmocka_unit_test(hostile_worlds_do_no_harm),
        cmocka_unit_test(unbounded_boxes_are_not_loaded_as_bounded_ones),
        cmocka_unit_test(recordings_of_other_runs_are_not_gone_on_with),
    };
    return cmocka_run_group_tests_name("checkpoint", tests, NULL, NULL);
}
