// Runs through the public calls: stepping, recording, checkpoints, replays, exports, movies, and everything that is refused.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "testing.h"

#include "failing_allocator.h"
#include "rubble/rubble.h"
#include "temporary_folder.h"
#include <math.h>
#include <string.h>

// A box falls on a floor; another one breaks in the air, on demand.
static const char* const scene_text =
    "{\"rubble\": 1, \"duration\": 0.5, \"shapes\": {\"floor\": {\"kind\": \"plane\"},"
    " \"box\": {\"kind\": \"box\", \"size\": [0.2, 0.2, 0.2]}},"
    " \"bodies\": [{\"shape\": \"floor\", \"type\": \"static\"},"
    " {\"name\": \"falls\", \"shape\": \"box\", \"position\": [0, 0.3, 0]},"
    " {\"name\": \"breaks\", \"shape\": \"box\", \"position\": [1, 1, 0], \"material\": \"glass\","
    "  \"fracture\": {\"method\": \"prescored\", \"pieces\": 5}}],"
    " \"events\": [{\"time\": 0.1, \"break\": {\"body\": \"breaks\"}}]}";

#define STEPS 30u

static rblSceneId load_scene(void)
{
    rblSceneId scene;
    check_ok(rbl_scene_load_memory(scene_text, strlen(scene_text), "run.json", &scene));
    return scene;
}

static rblRunId start_run(const rblRunDef* def)
{
    const rblSceneId scene = load_scene();
    rblRunId run;
    check_ok(rbl_run_create(scene, def, &run));
    check_ok(rbl_scene_destroy(scene)); // the run keeps it
    return run;
}

static uint64_t hash_of(rblRunId run)
{
    rblRunView view;
    check_ok(rbl_run_view(run, &view));
    return view.hash;
}

// ---- going on ----

static void steps_one_by_one_are_the_same_as_all_at_once(void** state)
{
    (void)state;
    const rblRunId whole = start_run(NULL);
    const rblRunId single = start_run(NULL);
    check_ok(rbl_run_to_end(whole, NULL));
    for (uint32_t i = 0; i < STEPS; ++i)
    {
        check_ok(rbl_run_step(single));
    }
    rblRunView view;
    check_ok(rbl_run_view(whole, &view));
    assert_int_equal(view.step, STEPS);
    assert_true(view.complete && view.simulated);
    assert_int_equal(view.record_count, STEPS + 1);
    assert_true(view.hash == hash_of(single));
    assert_true(view.records[STEPS].hash == view.hash);
    assert_true(view.piece_count > 1);
    assert_int_equal(view.body_count, 3 + view.piece_count);
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_step(whole)); // finished
    check_ok(rbl_run_finish(single));
    check_ok(rbl_run_destroy(whole));
    check_ok(rbl_run_destroy(single));
    assert_int_equal(rbl_run_alive_count(), 0);
}

static bool stop_at_half(double fraction, void* context)
{
    double* last = context;
    *last = fraction;
    return fraction < 0.5;
}

static void a_cancelled_run_goes_on(void** state)
{
    (void)state;
    double last = -1.0;
    const rblProgress progress = {stop_at_half, &last};
    const rblRunId whole = start_run(NULL);
    const rblRunId run = start_run(NULL);
    check_ok(rbl_run_to_end(whole, NULL));
    check_fails(RBL_ERROR_CANCELLED, rbl_run_to_end(run, &progress));
    assert_true(last == 0.5);
    check_ok(rbl_run_to_end(run, NULL));
    assert_true(hash_of(run) == hash_of(whole));
    check_ok(rbl_run_destroy(whole));
    check_ok(rbl_run_destroy(run));
}

static void checkpoints_resume_to_the_same_end(void** state)
{
    (void)state;
    const rblRunId whole = start_run(NULL);
    for (uint32_t i = 0; i < STEPS; ++i)
    {
        check_ok(rbl_run_step(whole));
        if (i == STEPS / 2)
        {
            check_ok(rbl_run_save_checkpoint(whole, in_folder("half.check")));
            assert_int_equal(rbl_recording_kind(in_folder("half.check")), RBL_RECORDING_CHECKPOINT);
        }
    }
    rblRunDef def = rbl_default_run_def();
    def.resume = in_folder("half.check");
    const rblRunId resumed = start_run(&def);
    check_ok(rbl_run_to_end(resumed, NULL));
    assert_true(hash_of(resumed) == hash_of(whole));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_export(resumed, in_folder("a.glb"), NULL)); // no motion
    check_fails(RBL_ERROR_FILE, rbl_run_save_checkpoint(whole, in_folder("no/such.check")));
    check_ok(rbl_run_destroy(whole));
    check_ok(rbl_run_destroy(resumed));
}

// ---- recordings ----

static void a_recording_is_the_run_and_replays(void** state)
{
    (void)state;
    rblRunDef def = rbl_default_run_def();
    def.recording = in_folder("run.rbl");
    const rblRunId run = start_run(&def);
    check_ok(rbl_run_to_end(run, NULL));
    assert_int_equal(rbl_recording_kind(in_folder("run.rbl")), RBL_RECORDING_RUN);
    assert_int_equal(rbl_recording_kind(in_folder("none.rbl")), RBL_RECORDING_NONE);
    rblRunId recording;
    rblRecordingReport report;
    rblRunReplay replay;
    rblRunView a, b;
    check_ok(rbl_run_load(in_folder("run.rbl"), &recording, &report));
    assert_string_equal(report.problem, "");
    check_ok(rbl_run_view(run, &a));
    check_ok(rbl_run_view(recording, &b));
    assert_false(b.simulated);
    assert_true(a.hash == b.hash);
    assert_int_equal(a.body_count, b.body_count);
    for (uint32_t i = 0; i < a.body_count; ++i)
    {
        rblRunBodyView in_run, in_file;
        check_ok(rbl_run_body(run, i, &in_run));
        check_ok(rbl_run_body(recording, i, &in_file));
        assert_string_equal(in_run.name, in_file.name);
        assert_int_equal(in_run.key_count, in_file.key_count);
        assert_memory_equal(in_run.keys, in_file.keys, in_run.key_count * sizeof *in_run.keys);
    }
    check_ok(rbl_run_replay(recording, NULL, &replay));
    assert_true(replay.same && replay.steps == STEPS && replay.hash == a.hash);
    double last = 0.0;
    const rblProgress progress = {stop_at_half, &last};
    check_fails(RBL_ERROR_CANCELLED, rbl_run_replay(recording, &progress, &replay));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_step(recording));
    rblWorldId world;
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_world(recording, &world));
    check_ok(rbl_run_destroy(run));
    check_ok(rbl_run_destroy(recording));
}

// ---- looking ----

static void bodies_of_the_world_are_known_by_name(void** state)
{
    (void)state;
    const rblRunId run = start_run(NULL);
    rblWorldId world;
    rblBodyDef def = rbl_default_body_def();
    rblBodyId ball;
    rblSceneMaterial material;
    rblRunMember member;
    rblRunView view;
    check_ok(rbl_run_world(run, &world));
    check_ok(rbl_shape_create_sphere(0.1f, &def.shape));
    def.pose.p = (rblVec3){3, 1, 0};
    check_ok(rbl_body_create(world, &def, &ball));
    check_ok(rbl_run_member(run, ball, &member));
    assert_true(member.id.index1 == 0 && member.name[0] == '\0');
    check_ok(rbl_scene_material_preset("steel", &material));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_add_body(run, ball, "falls", &material)); // a name that is taken
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_add_body(run, ball, "", &material));
    check_fails(RBL_ERROR_STALE, rbl_run_add_body(run, (rblBodyId){0}, "ball", &material));
    check_ok(rbl_run_add_body(run, ball, "ball", &material));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_add_body(run, ball, "again", &material));
    check_ok(rbl_run_to_end(run, NULL));
    check_ok(rbl_run_member(run, ball, &member));
    assert_true(member.id.index1 == ball.index1 && member.piece && member.scene_body == RBL_NONE);
    assert_string_equal(member.name, "ball");
    check_ok(rbl_run_view(run, &view));
    assert_string_equal(view.materials[member.material].name, "steel");
    check_ok(rbl_run_piece(run, 0, &member));
    assert_string_equal(member.name, "ball");
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_piece(run, view.piece_count, &member));
    check_ok(rbl_shape_destroy(def.shape));
    check_ok(rbl_run_destroy(run));
}

static void motion_ends_at_its_limit_and_the_run_goes_on(void** state)
{
    (void)state;
    rblRunDef def = rbl_default_run_def();
    def.motion_limit = 40;
    const rblRunId run = start_run(&def);
    rblRunView view;
    rblStepRecord last;
    check_ok(rbl_run_to_end(run, NULL));
    check_ok(rbl_run_view(run, &view));
    check_ok(rbl_run_last_record(run, &last));
    assert_int_equal(view.step, STEPS);
    assert_true(view.record_count > 1 && view.record_count < STEPS);
    assert_true(last.hash == view.hash && fabs(last.time - 0.5) < 1e-9);
    check_ok(rbl_run_export(run, in_folder("short.csv"), NULL));
    check_ok(rbl_run_destroy(run));
    def.recording = in_folder("limited.rbl");
    const rblSceneId scene = load_scene();
    rblRunId none;
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_create(scene, &def, &none));
    check_ok(rbl_scene_destroy(scene));
}

static void states_are_found_between_birth_and_death(void** state)
{
    (void)state;
    const rblRunId run = start_run(NULL);
    rblRunBodyView body;
    rblRunKey key;
    check_ok(rbl_run_to_end(run, NULL));
    for (uint32_t i = 0; rbl_run_body(run, i, &body) == RBL_OK; ++i)
    {
        for (uint32_t s = 0; s <= STEPS + 1; ++s)
        {
            check_ok(rbl_run_body_state(run, i, s, &key));
            const bool there = s >= body.birth && s < body.death && s <= STEPS;
            assert_int_equal(key.step != RBL_NONE, there);
        }
    }
    rblMeshId surface;
    check_ok(rbl_run_surface(run, 0, &surface)); // a square for the plane
    check_ok(rbl_mesh_destroy(surface));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_surface(run, 1000, &surface));
    check_ok(rbl_run_destroy(run));
}

// ---- files ----

static bool never(double fraction, void* context)
{
    (void)fraction;
    (void)context;
    return false;
}

static void every_format_is_written_or_cancelled(void** state)
{
    (void)state;
    const rblRunId run = start_run(NULL);
    check_ok(rbl_run_to_end(run, NULL));
    rblExportOptions options = rbl_default_export_options();
    char name[64];
    for (uint32_t i = 0; rbl_export_ending(i) != NULL; ++i)
    {
        snprintf(name, sizeof name, "run.%s", rbl_export_ending(i));
        options.progress.report = never;
        check_fails(RBL_ERROR_CANCELLED, rbl_run_export(run, in_folder(name), &options));
        options.progress.report = NULL;
        options.every = 10;
        check_ok(rbl_export_check(in_folder(name), &options));
        check_ok(rbl_run_export(run, in_folder(name), &options));
    }
    check_fails(RBL_ERROR_ARGUMENT, rbl_export_check(in_folder("run.xyz"), NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_export(run, in_folder("run.xyz"), NULL));
    check_fails(RBL_ERROR_FILE, rbl_export_check(in_folder("no/such.csv"), NULL));
    check_fails(RBL_ERROR_FILE, rbl_run_export(run, in_folder("no/such.csv"), NULL));
    options.every = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_export(run, in_folder("run.csv"), &options));
    check_ok(rbl_run_save_statistics(run, in_folder("stats.json")));
    check_ok(rbl_statistics_plot(in_folder("stats.json"), in_folder("stats.svg")));
    check_ok(rbl_run_plot(run, in_folder("run.svg")));
    check_fails(RBL_ERROR_FILE, rbl_run_plot(run, in_folder("no/such.svg")));
    check_fails(RBL_ERROR_FILE, rbl_statistics_plot(in_folder("none.json"), in_folder("stats.svg")));
    check_ok(rbl_run_destroy(run));
}

static void movies_outlive_their_run_and_go_on_after_a_cancel(void** state)
{
    (void)state;
    const rblRunId run = start_run(NULL);
    check_ok(rbl_run_to_end(run, NULL));
    rblMovieDef def = rbl_default_movie_def();
    rblMovieId movie;
    rblMovieReport report;
    uint32_t count = 0;
    double time = 0.0;
    def.width = 32;
    def.height = 24;
    def.samples = 1;
    def.rate = 8.0;
    check_ok(rbl_movie_create(run, &def, &movie));
    check_ok(rbl_run_destroy(run)); // the movie keeps it
    check_ok(rbl_movie_frame_count(movie, &count));
    assert_int_equal(count, 5);
    check_ok(rbl_movie_frame_time(movie, 4, &time));
    assert_true(fabs(time - 0.5) < 1e-9);
    const rblProgress progress = {stop_at_half, &time};
    check_fails(RBL_ERROR_CANCELLED,
                rbl_movie_save_frames(movie, in_folder("frames"), false, &progress, &report));
    const uint32_t before = report.drawn;
    assert_true(before > 0 && before < 5);
    check_ok(rbl_movie_save_frames(movie, in_folder("frames"), false, NULL, &report));
    assert_int_equal(report.kept, before);
    assert_int_equal(report.drawn, 5 - before);
    uint8_t rgba[4 * 32 * 24];
    check_ok(rbl_movie_draw(movie, 0, rgba, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_movie_draw(movie, 5, rgba, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_movie_draw(movie, 0, NULL, NULL));
    check_ok(rbl_movie_remove_frames(in_folder("frames")));
    check_ok(rbl_movie_destroy(movie));
    check_fails(RBL_ERROR_STALE, rbl_movie_draw(movie, 0, rgba, NULL));
    def.rate = 0.0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_movie_check(&def, 1.0));
    assert_int_equal(rbl_run_alive_count(), 0);
}

// ---- bad input ----

static void null_and_stale_are_refused(void** state)
{
    (void)state;
    const rblRunId null = {0, 0};
    const rblRunId run = start_run(NULL);
    const rblSceneId scene = load_scene();
    rblRunDef def = rbl_default_run_def();
    rblRunView view;
    rblRunId out;
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_create(scene, NULL, NULL));
    check_fails(RBL_ERROR_STALE, rbl_run_create((rblSceneId){0, 0}, NULL, &out));
    def.recording = in_folder("no/such.rbl");
    check_fails(RBL_ERROR_FILE, rbl_run_create(scene, &def, &out));
    def = rbl_default_run_def();
    def.resume = in_folder("none.check");
    check_fails(RBL_ERROR_FILE, rbl_run_create(scene, &def, &out));
    def.struct_size += 8;
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_create(scene, &def, &out));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_view(run, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_export(run, NULL, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_save_statistics(run, NULL));
    check_fails(RBL_ERROR_ARGUMENT, rbl_run_load(NULL, &out, NULL));
    check_fails(RBL_ERROR_FILE, rbl_run_load(in_folder("none.rbl"), &out, NULL));
    check_fails(RBL_ERROR_FORMAT, rbl_run_load_memory("no", 2, "no.rbl", &out, NULL));
    check_fails(RBL_ERROR_STALE, rbl_run_step(null));
    check_fails(RBL_ERROR_STALE, rbl_run_view(null, &view));
    check_ok(rbl_run_destroy(run));
    check_fails(RBL_ERROR_STALE, rbl_run_step(run));
    check_fails(RBL_ERROR_STALE, rbl_run_destroy(run));
    check_ok(rbl_scene_destroy(scene));
    assert_int_equal(rbl_run_alive_count(), 0);
}

// Whatever allocation fails, the call says so and nothing is left behind.
static void running_out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    bool done = false;
    for (size_t n = 0; !done; n += 1 + n / 16)
    {
        FailingAllocator memory;
        failing_allocator_start(&memory, n);
        check_ok(rbl_set_allocator(&memory.allocator));
        rblSceneId scene;
        rblRunId run = {0, 0};
        rblResult result = rbl_scene_load_memory(scene_text, strlen(scene_text), "run.json", &scene);
        if (result == RBL_OK)
        {
            result = rbl_run_create(scene, NULL, &run);
            check_ok(rbl_scene_destroy(scene));
        }
        result = result == RBL_OK ? rbl_run_step(run) : result;
        result = result == RBL_OK ? rbl_run_export(run, in_folder("memory.glb"), NULL) : result;
        if (run.index1 != 0)
        {
            check_ok(rbl_run_destroy(run));
        }
        done = result == RBL_OK;
        assert_true(done || result == RBL_ERROR_MEMORY);
        assert_int_equal(memory.live, 0);
        check_ok(rbl_set_allocator(NULL));
    }
}

// Exports make folders of their own.
static int remove_all(void** state)
{
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_one_by_one_are_the_same_as_all_at_once),
        cmocka_unit_test(a_cancelled_run_goes_on),
        cmocka_unit_test(checkpoints_resume_to_the_same_end),
        cmocka_unit_test(a_recording_is_the_run_and_replays),
        cmocka_unit_test(bodies_of_the_world_are_known_by_name),
        cmocka_unit_test(motion_ends_at_its_limit_and_the_run_goes_on),
        cmocka_unit_test(states_are_found_between_birth_and_death),
        cmocka_unit_test(every_format_is_written_or_cancelled),
        cmocka_unit_test(movies_outlive_their_run_and_go_on_after_a_cancel),
        cmocka_unit_test(null_and_stale_are_refused),
        cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_all);
}
