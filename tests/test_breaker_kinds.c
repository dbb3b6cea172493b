// Kinds of breakers: one of a test's own works in scenes, recordings, replays and checkpoints; what does not fit is refused by name.
#include "testing.h"

#include "base/thread.h"
#include "crumble_kind.h"
#include "failing_allocator.h"
#include "fracture/breaker_kinds.h"
#include "replay_testing.h"
#include "scene/read/scene.h"
#include "scene/record/checkpoint.h"
#include "smash_testing.h"

static const char crumbling[] =
    "{\"rubble\":1,\"step\":0.0333333333,\"duration\":0.8,\"shapes\":{\"ground\":{\"kind\":\"plane\"},"
    "\"box\":{\"kind\":\"box\",\"size\":[0.3,0.3,0.3]}},\"bodies\":[{\"shape\":\"ground\",\"type\":"
    "\"static\"},"
    "{\"name\":\"a\",\"shape\":\"box\",\"material\":\"plaster\",\"position\":[0,1,0],"
    "\"fracture\":{\"method\":\"crumble\",\"along\":3,\"label\":\"one\"}},"
    "{\"name\":\"b\",\"shape\":\"box\",\"material\":\"plaster\",\"position\":[1,1,0],"
    "\"fracture\":{\"method\":\"crumble\",\"along\":3,\"label\":\"one\"}},"
    "{\"name\":\"c\",\"shape\":\"box\",\"material\":\"plaster\",\"position\":[2,1,0],"
    "\"fracture\":{\"method\":\"crumble\",\"along\":2}}]}";

static void start(void)
{
    const rblBreakerKind kind = crumble_kind();
    check_ok(rbl_breaker_kind_register(&kind));
}

static void stop(void)
{
    check_ok(rbl_breaker_kind_unregister("crumble"));
    assert_int_equal(crumble_alive, 0);
    assert_int_equal(crumble_evidence, 0);
    assert_int_equal(rbl_breaker_alive_count(), 0);
}

static void says(const char* words)
{
    if (strstr(rbl_last_error(), words) == NULL)
    {
        fail_msg("'%s' does not say '%s'", rbl_last_error(), words);
    }
}

static void scenes_use_it_and_share_what_is_alike(void** state)
{
    (void)state;
    start();
    const rblSceneId scene = load(crumbling);
    rblSceneView view;
    rblSimulation simulation;
    check_ok(rbl_scene_view(scene, &view));
    assert_int_equal(view.breaker_count, 2);
    assert_string_equal(view.breakers[0].kind, "crumble");
    assert_true(view.bodies[1].breaker == view.bodies[2].breaker && view.bodies[3].breaker == 1);
    check_fails(RBL_ERROR_BUSY, rbl_breaker_kind_unregister("crumble"));
    says("'crumble' is in use (2)");
    check_ok(rbl_simulation_start(&simulation, scene, true));
    run_through(&simulation);
    const rblStepRecord* last =
        &simulation.run.statistics.steps.data[simulation.run.statistics.steps.count - 1];
    assert_int_equal(last->counters.fragments, 27 + 27 + 8);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    stop();
}

static void checkpoints_hold_it(void** state)
{
    (void)state;
    start();
    const rblSceneId scene = load(crumbling);
    rblSimulation simulation;
    check_ok(rbl_simulation_start(&simulation, scene, false));
    for (int i = 0; i < 16; ++i)
    {
        check_ok(rbl_simulation_advance(&simulation));
    }
    check_ok(rbl_checkpoint_save(&simulation, "crumble.check"));
    run_through(&simulation);
    const uint64_t hash = simulation.run.statistics.hash;
    rbl_simulation_free(&simulation);
    check_ok(rbl_checkpoint_resume(&simulation, scene, "crumble.check"));
    run_through(&simulation);
    assert_true(simulation.run.statistics.hash == hash);
    rbl_simulation_free(&simulation);
    check_ok(rbl_scene_destroy(scene));
    remove("crumble.check");
    stop();
}

// Boxes that fall and crumble, as calls; `late`: the recording begins after the first break.
static void record_calls(const char* path, bool late)
{
    const rblSceneId scene = load(crumbling);
    rblWorldDef def;
    rblWorldId world;
    rblBodyId bodies[4];
    rblCounters counters;
    def = rbl_default_world_def();
    check_ok(rbl_scene_world_def(scene, &def));
    check_ok(rbl_world_create(&def, &world));
    check_ok(late ? RBL_OK : rbl_world_record(world, path));
    check_ok(rbl_scene_build(scene, world, bodies));
    for (int i = 0; i < 24; ++i)
    {
        check_ok(late && i == 16 ? rbl_world_record(world, path) : RBL_OK);
        check_ok(rbl_world_step(world, 1.0f / 30.0f));
    }
    check_ok(rbl_world_counters(world, &counters));
    assert_int_equal(counters.fragments, 62);
    check_ok(rbl_world_stop_recording(world));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_scene_destroy(scene));
}

static void recordings_replay_and_are_refused_without_it(void** state)
{
    (void)state;
    for (int late = 0; late < 2; ++late)
    {
        rblFileBytes file;
        rblReplayReport report;
        start();
        record_calls("crumble.rbl", late != 0);
        check_ok(rbl_file_read("crumble.rbl", SIZE_MAX, rbl_default_allocator(), &file));
        remove("crumble.rbl");
        assert_int_equal(recording_count_chunks(&file, RBL_CHUNK_BREAKER), 2);
        check_recording_replays(&file, "crumble");
        stop();
        const size_t bytes = rbl_bytes_in_use();
        memset(&report, 0xA5, sizeof report);
        const rblReplayReport untouched = report;
        check_fails(RBL_ERROR_UNSUPPORTED,
                    rbl_calls_replay_memory(file.bytes, file.size, "crumble", &report));
        says("breaker kind: 'crumble' is not registered");
        assert_memory_equal(&report, &untouched, sizeof report);
        assert_int_equal(rbl_bytes_in_use(), bytes);
        rbl_file_bytes_free(&file);
    }
}

// A recording of a run has the scene in it. Its motion can be looked at without the kind, and a replay needs it.
static void recordings_of_runs_are_refused_without_it(void** state)
{
    (void)state;
    start();
    const rblSceneId scene = load(crumbling);
    rblRunDef def = rbl_default_run_def();
    rblRunId run;
    rblRunReplay replay;
    def.recording = "crumble_run.rbl";
    check_ok(rbl_run_create(scene, &def, &run));
    check_ok(rbl_run_to_end(run, NULL));
    check_ok(rbl_run_finish(run));
    check_ok(rbl_run_destroy(run));
    check_ok(rbl_scene_destroy(scene));
    check_ok(rbl_run_load("crumble_run.rbl", &run, NULL));
    check_ok(rbl_run_replay(run, NULL, &replay));
    assert_int_equal(replay.first_difference, RBL_NONE);
    check_ok(rbl_run_destroy(run));
    stop();
    const size_t bytes = rbl_bytes_in_use();
    check_ok(rbl_run_load("crumble_run.rbl", &run, NULL));
    memset(&replay, 0xA5, sizeof replay);
    const rblRunReplay before = replay;
    check_fails(RBL_ERROR_FORMAT, rbl_run_replay(run, NULL, &replay));
    says("bodies[1].fracture.method: no method of fracture 'crumble'");
    assert_memory_equal(&replay, &before, sizeof before);
    check_ok(rbl_run_destroy(run));
    assert_int_equal(rbl_bytes_in_use(), bytes);
    remove("crumble_run.rbl");
}

// Recordings that an older version wrote: what it said about breakers is refused with its version, the rest is read.
static void breakers_of_version_1_are_refused_with_the_version(void** state)
{
    (void)state;
    rblFileBytes file;
    rblReplayReport report;
    start();
    record_calls("crumble1.rbl", false);
    check_ok(rbl_file_read("crumble1.rbl", SIZE_MAX, rbl_default_allocator(), &file));
    remove("crumble1.rbl");
    uint8_t* bytes = malloc(file.size);
    assert_non_null(bytes);
    memcpy(bytes, file.bytes, file.size);
    bytes[RBL_SIGNATURE_SIZE] = 1;
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_calls_replay_memory(bytes, file.size, "old", &report));
    says("a breaker of version 1 of recordings");
    bytes[RBL_SIGNATURE_SIZE] = 0;
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_calls_replay_memory(bytes, file.size, "old", &report));
    says("version 0 of recordings");
    free(bytes);
    rbl_file_bytes_free(&file);
    check_ok(rbl_calls_replay(RBL_TEST_DATA "/calls.rbl", &report)); // of version 1, without breakers
    assert_true(report.calls > 0);
    stop();
}

static void scenes_without_it_are_refused_by_name(void** state)
{
    (void)state;
    rblSceneId scene;
    check_fails(RBL_ERROR_FORMAT, rbl_scene_load_memory(crumbling, strlen(crumbling), "c.json", &scene));
    says("no method of fracture 'crumble'");
    start();
    static const char* const bad[][2] = {
        {"\"method\":\"crumbl\"", "did you mean 'crumble'"},
        {"\"method\":\"crumble\",\"along\":11", "along: is 11, must be 1 to 10"},
        {"\"method\":\"crumble\",\"pieces\":3", "a key of the method 'prescored', not of 'crumble'"},
        {"\"method\":\"prescored\",\"along\":3", "a key of the method 'crumble', not of 'prescored'"},
        {"\"method\":\"none\",\"along\":3", "along: a key of the method 'crumble', not of 'none'"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
    {
        char text[512];
        snprintf(
            text, sizeof text,
            "{\"rubble\":1,\"shapes\":{\"box\":{\"kind\":\"box\",\"size\":[1,1,1]}},\"bodies\":[{\"shape\":"
            "\"box\",\"fracture\":{%s}}]}",
            bad[i][0]);
        check_fails(RBL_ERROR_FORMAT, rbl_scene_load_memory(text, strlen(text), "c.json", &scene));
        says(bad[i][1]);
    }
    stop();
}

static void kinds_that_do_not_fit_are_refused(void** state)
{
    (void)state;
    const rblBreakerKind good = crumble_kind();
    rblBreakerKind kind = good;
    const rblBreakerKind* found = NULL;
    rblBreakerId id;
    static const char* const names[] = {NULL,        "",     "a b",
                                        "prescored", "xfem", "a-name-of-more-than-forty-characters-is-long"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        kind.name = names[i];
        check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_kind_register(&kind));
    }
    kind = good;
    kind.def_size = 8;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_kind_register(&kind));
    says("is outside of the definition");
    kind = good;
    kind.create = NULL;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_kind_register(&kind));
    kind = good;
    kind.cookie = 0;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_kind_register(&kind));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_kind_register(NULL));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_breaker_kind_find("stres", &found));
    says("did you mean 'stress'");
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_kind_unregister("stress"));
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_breaker_create_kind("xfem", &good, &id));
    start();
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_kind_register(&good));
    says("'crumble' is registered already");
    CrumbleDef def;
    crumble_defaults(&def);
    def.along = 11;
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_kind("crumble", &def, &id));
    says("crumble: along must be 1 to 10");
    assert_string_equal(rbl_breaker_kind_at(rbl_breaker_kind_count() - 1)->name, "crumble");
    assert_null(rbl_breaker_kind_at(rbl_breaker_kind_count()));
    stop();
}

static void breakers_keep_their_definition(void** state)
{
    (void)state;
    char label[] = "label";
    CrumbleDef def;
    rblBreakerId id;
    const rblBreaker* breaker = NULL;
    start();
    crumble_defaults(&def);
    def.along = 4;
    def.label = label;
    check_ok(rbl_breaker_create_kind("crumble", &def, &id));
    label[0] = 'L';
    check_ok(rbl_breaker_acquire(id, &breaker));
    const CrumbleDef* kept = rbl_breaker_kind_def(breaker);
    assert_true(kept->along == 4 && strcmp(kept->label, "label") == 0);
    assert_string_equal(rbl_breaker_kind(breaker)->name, "crumble");
    rbl_breaker_release(breaker);
    check_fails(RBL_ERROR_BUSY, rbl_breaker_kind_unregister("crumble"));
    check_ok(rbl_breaker_destroy(id));
    stop();
}

static void out_of_memory_leaves_nothing_behind(void** state)
{
    (void)state;
    FailingAllocator memory;
    failing_allocator_start(&memory, SIZE_MAX);
    check_ok(rbl_set_allocator(&memory.allocator));
    const rblBreakerKind kind = crumble_kind();
    bool whole = false;
    for (size_t granted = 0; !whole; ++granted)
    {
        rblSceneId scene;
        memory.left = granted;
        const bool registered = rbl_breaker_kind_register(&kind) == RBL_OK;
        rblResult result =
            registered ? rbl_scene_load_memory(crumbling, strlen(crumbling), "c", &scene) : RBL_ERROR_MEMORY;
        if (result == RBL_OK)
        {
            result = rbl_scene_prepare(scene);
            check_ok(rbl_scene_destroy(scene));
        }
        whole = result == RBL_OK;
        assert_true(whole || result == RBL_ERROR_MEMORY);
        if (registered)
        {
            stop();
        }
    }
    memory.left = SIZE_MAX;
    check_ok(rbl_set_allocator(NULL));
}

// Sets one field and leaves the others, as code that relies on zeroed memory does.
static void set_one_default(void* def)
{
    ((CrumbleDef*)def)->along = 2;
}

static void fields_without_a_default_are_zero(void** state)
{
    (void)state;
    rblBreakerKind kind = crumble_kind();
    kind.set_defaults = set_one_default;
    rblArena arena;
    rbl_arena_init(&arena, 1024, rbl_default_allocator());
    const rblArenaMark mark = rbl_arena_mark(&arena);
    memset(rbl_arena_alloc(&arena, 512), 0xA5, 512);
    rbl_arena_rewind(&arena, mark);
    const CrumbleDef* def = rbl_breaker_kind_new_def(&kind, &arena);
    assert_non_null(def);
    assert_int_equal(def->along, 2);
    assert_null(def->label);
    assert_true(def->energy == 0.0f && def->unused.y == 0.0f);
    rbl_arena_free(&arena);
}

static rblResult create_and_remove(const void* def, const void* data, size_t size, rblBreakerDef* out)
{
    check_fails(RBL_ERROR_BUSY, rbl_breaker_kind_unregister("crumble"));
    return crumble_create(def, data, size, out);
}

// As another thread might do it at that moment.
static void a_kind_is_not_removed_while_a_breaker_is_made(void** state)
{
    (void)state;
    rblBreakerKind kind = crumble_kind();
    CrumbleDef def = {.along = 2, .energy = 1.0f};
    rblBreakerId breaker;
    kind.create = create_and_remove;
    check_ok(rbl_breaker_kind_register(&kind));
    check_ok(rbl_breaker_create_kind("crumble", &def, &breaker));
    check_ok(rbl_breaker_destroy(breaker));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_kind("crumble", NULL, &breaker));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_create_kind(NULL, &def, &breaker));
    stop();
}

static void kinds_that_are_retained_are_not_removed(void** state)
{
    (void)state;
    start();
    rbl_breaker_kinds_retain();
    rbl_breaker_kinds_retain();
    check_fails(RBL_ERROR_BUSY, rbl_breaker_kind_unregister("crumble"));
    says("'crumble' cannot be removed while all kinds are retained");
    rbl_breaker_kinds_release();
    check_fails(RBL_ERROR_BUSY, rbl_breaker_kind_unregister("crumble"));
    check_fails(RBL_ERROR_ARGUMENT, rbl_breaker_kind_unregister("crumbles"));
    rbl_breaker_kinds_release();
    stop();
    rbl_breaker_kinds_release(); // one too many changes nothing
    start();
    stop();
}

#if RBL_HAS_THREADS
enum
{
    REMOVALS = 100
};

static atomic_bool removals_done;
static atomic_uint looks; // at the kind by the other thread; relaxed, so that it orders nothing else

// Register and remove a kind whose name and parameters are gone with it.
static void* come_and_go(void* argument)
{
    for (int i = 0; i < REMOVALS; ++i)
    {
        char* name = malloc(16);
        rblParameter* rows = malloc(sizeof crumble_parameters);
        rblBreakerKind kind = crumble_kind();
        memcpy(rows, crumble_parameters, sizeof crumble_parameters);
        snprintf(name, 16, "crumble");
        kind.name = name;
        kind.parameters = rows;
        if (rbl_breaker_kind_register(&kind) != RBL_OK)
        {
            atomic_store(&removals_done, true);
            return argument;
        }
        const uint32_t before = atomic_load_explicit(&looks, memory_order_relaxed);
        while (atomic_load_explicit(&looks, memory_order_relaxed) == before)
        {
            rbl_thread_yield();
        }
        while (rbl_breaker_kind_unregister("crumble") == RBL_ERROR_BUSY)
        {
            rbl_thread_yield();
        }
        memset(rows, 0xA5, sizeof crumble_parameters);
        free(rows);
        free(name);
    }
    atomic_store(&removals_done, true);
    return NULL;
}

static uint32_t count_keys(void)
{
    const rblBreakerKind* kind = NULL;
    uint32_t keys = 0;
    rbl_breaker_kinds_retain();
    for (uint32_t i = 0; (kind = rbl_breaker_kind_at(i)) != NULL; ++i)
    {
        if (kind->create == crumble_create)
        {
            atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
            for (int turn = 0; turn < 20; ++turn) // the other thread tries to remove it now
            {
                rbl_thread_yield();
            }
        }
        assert_true(strlen(kind->name) > 0 && strlen(kind->about) > 0);
        for (const rblParameter* row = kind->parameters; row != NULL && row->type != RBL_PARAMETER_END; ++row)
        {
            keys += strlen(row->key) > 0;
        }
    }
    rbl_breaker_kinds_release();
    return keys;
}

// Lists, scenes and their schema while another thread adds and removes a kind: with it or without it, never half of it.
static void kinds_may_come_and_go_while_others_look(void** state)
{
    (void)state;
    const uint32_t without = count_keys();
    const uint32_t all = (uint32_t)(sizeof crumble_parameters / sizeof *crumble_parameters) - 1;
    pthread_t thread;
    char failure;
    assert_int_equal(pthread_create(&thread, NULL, come_and_go, &failure), 0);
    uint32_t loaded = 0;
    for (uint32_t i = 0; !atomic_load(&removals_done) || i < 10; ++i)
    {
        const uint32_t keys = count_keys();
        assert_true(keys == without || keys == without + all);
        rblSceneId scene;
        const rblResult result = rbl_scene_load_memory(crumbling, strlen(crumbling), "c.json", &scene);
        assert_true(result == RBL_OK || result == RBL_ERROR_FORMAT);
        loaded += result == RBL_OK;
        check_ok(result == RBL_OK ? rbl_scene_destroy(scene) : RBL_OK);
        rblJsonWriter writer;
        rbl_json_writer_init(&writer, 0, NULL);
        check_ok(rbl_scene_write_fracture_schema(&writer));
        check_ok(rbl_json_writer_finish(&writer));
        rbl_json_writer_free(&writer);
    }
    void* failed = NULL;
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_int_equal(count_keys(), without);
    print_message("%u scenes were read with the kind\n", loaded);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenes_use_it_and_share_what_is_alike),
        cmocka_unit_test(checkpoints_hold_it),
        cmocka_unit_test(recordings_replay_and_are_refused_without_it),
        cmocka_unit_test(recordings_of_runs_are_refused_without_it),
        cmocka_unit_test(breakers_of_version_1_are_refused_with_the_version),
        cmocka_unit_test(scenes_without_it_are_refused_by_name),
        cmocka_unit_test(kinds_that_do_not_fit_are_refused),
        cmocka_unit_test(breakers_keep_their_definition),
        cmocka_unit_test(out_of_memory_leaves_nothing_behind),
        cmocka_unit_test(fields_without_a_default_are_zero),
        cmocka_unit_test(a_kind_is_not_removed_while_a_breaker_is_made),
        cmocka_unit_test(kinds_that_are_retained_are_not_removed),
#if RBL_HAS_THREADS
        cmocka_unit_test(kinds_may_come_and_go_while_others_look),
#endif
    };
    return cmocka_run_group_tests_name("breaker kinds", tests, NULL, NULL);
}
