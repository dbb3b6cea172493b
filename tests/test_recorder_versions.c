// Recordings that version 1 of the format has (tests/data/version_1_*.rbl, written by the last build of that version): they replay to
// the last bit, or are refused with the version; nothing is taken for something else.
#include "testing.h"

#include "replay_testing.h"
#include "rubble/rubble.h"
#include <string.h>

static void says(const char* words)
{
    if (strstr(rbl_last_error(), words) == NULL)
    {
        fail_msg("'%s' does not say '%s'", rbl_last_error(), words);
    }
}

static void read_file(const char* name, rblFileBytes* out)
{
    char path[512];
    snprintf(path, sizeof path, RBL_TEST_DATA "/version_1_%s.rbl", name);
    check_ok(rbl_file_read(path, SIZE_MAX, rbl_default_allocator(), out));
    assert_int_equal(rbl_load_u32(out->bytes + RBL_SIGNATURE_SIZE), 1);
}

// Bit i is set when a shape of the code i is in the file.
static uint32_t shape_codes(const rblFileBytes* file)
{
    uint32_t codes = 0;
    size_t offset = RBL_FILE_HEADER_SIZE;
    for (size_t end = 0; (end = recording_chunk_end(file->bytes, file->size, offset)) != 0; offset = end)
    {
        if (rbl_load_u32(file->bytes + offset) == RBL_CHUNK_RECIPE)
        {
            codes |= 1u << file->bytes[offset + RBL_CHUNK_HEADER_SIZE];
        }
    }
    return codes;
}

// Plane, sphere, capsule, box, cylinder, hull, level set and compound in one file; a convex piece and one of a level set in the other.
static void every_kind_of_shape_is_read(void** state)
{
    (void)state;
    static const struct
    {
        const char* name;
        uint32_t codes;
        uint32_t steps;
    } files[] = {{"shapes", 0xff, 40}, {"pieces", 1u << 9 | 1u << 6 | 1u, 20}};
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    {
        rblFileBytes file;
        rblReplayReport report;
        read_file(files[i].name, &file);
        assert_int_equal(shape_codes(&file), files[i].codes);
        check_ok(rbl_calls_replay_memory(file.bytes, file.size, files[i].name, &report));
        assert_true(report.steps >= 1 && report.steps <= files[i].steps);
        assert_true(report.same || strstr(report.problem, "version 1 of recordings") != NULL);
        assert_true(report.same || report.first_difference == report.steps);
        assert_int_equal(rbl_shape_alive_count(), 0);
        rbl_file_bytes_free(&file);
    }
}

// Calls whose bytes have another form now are refused, and nothing is left of what was made until then.
static void what_changed_is_refused_with_the_version(void** state)
{
    (void)state;
    static const char* const files[][2] = {
        {"prescored",
         "a breaker of version 1 of recordings; this version of Rubble reads those of version 2"},
        {"stress", "a breaker of version 1 of recordings; this version of Rubble reads those of version 2"},
        {"image",
         "an image of a world of version 1 of recordings; this version of Rubble reads those of version 2"},
    };
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    {
        rblFileBytes file;
        rblReplayReport report = {.calls = 77};
        read_file(files[i][0], &file);
        check_fails(RBL_ERROR_UNSUPPORTED,
                    rbl_calls_replay_memory(file.bytes, file.size, files[i][0], &report));
        says(files[i][1]);
        assert_int_equal(report.calls, 77);
        assert_int_equal(rbl_shape_alive_count(), 0);
        assert_int_equal(rbl_breaker_alive_count(), 0);
        rbl_file_bytes_free(&file);
    }
}

// The same bytes under the version of today: refused or ended with a reason, whatever a reader of today takes them for.
static void a_wrong_version_is_noticed(void** state)
{
    (void)state;
    static const char* const names[] = {"prescored", "stress", "image"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
    {
        rblFileBytes file;
        rblReplayReport report;
        read_file(names[i], &file);
        file.bytes[RBL_SIGNATURE_SIZE] = 2;
        const rblResult result = rbl_calls_replay_memory(file.bytes, file.size, names[i], &report);
        assert_true(result == RBL_ERROR_UNSUPPORTED ||
                    (result == RBL_OK && report.problem[0] != '\0' && !report.complete));
        rbl_file_bytes_free(&file);
    }
}

// A run has its scene as text and its fragments as drawn: it is read, and simulated again. The replay says that the version
// has other physics.
static void runs_are_read(void** state)
{
    (void)state;
    rblRunId run;
    rblRunReplay replay;
    rblRecordingReport report;
    check_ok(rbl_run_load(RBL_TEST_DATA "/version_1_run.rbl", &run, &report));
    check_ok(rbl_run_replay(run, NULL, &replay));
    assert_int_equal(report.version, 1);
    assert_true(replay.steps > 0);
    assert_false(replay.same);
    assert_true(replay.first_difference < replay.steps);
    assert_string_equal(replay.problem, "version 1 of recordings is of an engine with other physics");
    check_ok(rbl_run_destroy(run));
}

static void checkpoints_are_refused_with_the_version(void** state)
{
    (void)state;
    static const char text[] = "{\"rubble\":1,\"shapes\":{\"ground\":{\"kind\":\"plane\"}},\"bodies\":[]}";
    rblSceneId scene;
    check_ok(rbl_scene_load_memory(text, strlen(text), "plain.json", &scene));
    rblRunDef def = rbl_default_run_def();
    rblRunId run;
    def.resume = RBL_TEST_DATA "/version_1_checkpoint.rbl";
    check_fails(RBL_ERROR_UNSUPPORTED, rbl_run_create(scene, &def, &run));
    says("version 1 of recordings; this version of Rubble reads version 2");
    check_ok(rbl_scene_destroy(scene));
}

// The header of version 2 with a number of physics, in front of the chunks of a file of version 1, whose replay differs.
static void read_with_physics(const char* name, uint8_t physics, rblFileBytes* out)
{
    read_file(name, out);
    out->bytes[RBL_SIGNATURE_SIZE] = RBL_RECORDING_VERSION;
    out->bytes[RBL_SIGNATURE_SIZE + 4] = physics;
    memset(out->bytes + RBL_SIGNATURE_SIZE + 6, physics != 0 ? 0xFF : 0, 2);
    out->bytes[RBL_SIGNATURE_SIZE + 6] ^= physics;
}

static void says_physics(const char* words, uint32_t physics)
{
    char expected[96];
    snprintf(expected, sizeof expected,
             "the recording is of an engine with physics %u, this one has physics %u", physics, RBL_PHYSICS);
    assert_true((strstr(words, expected) != NULL) == (physics != RBL_PHYSICS));
}

static void a_replay_that_differs_names_the_physics(void** state)
{
    (void)state;
    static const uint8_t numbers[] = {0, RBL_PHYSICS, RBL_PHYSICS + 1, 200};
    for (size_t i = 0; i < sizeof numbers; ++i)
    {
        rblFileBytes file;
        rblReplayReport calls;
        rblRunReplay replay;
        rblRunId run;
        read_with_physics("shapes", numbers[i], &file);
        check_ok(rbl_calls_replay_memory(file.bytes, file.size, "calls", &calls));
        assert_false(calls.same);
        says_physics(calls.problem, numbers[i]);
        rbl_file_bytes_free(&file);
        read_with_physics("run", numbers[i], &file);
        check_ok(rbl_run_load_memory(file.bytes, file.size, "run", &run, NULL));
        check_ok(rbl_run_replay(run, NULL, &replay));
        assert_false(replay.same);
        says_physics(replay.problem, numbers[i]);
        check_ok(rbl_run_destroy(run));
        rbl_file_bytes_free(&file);
    }
}

// What this engine records has its number, and a number that no engine has is damage.
static void recordings_have_the_number_of_physics(void** state)
{
    (void)state;
    rblFileBytes file;
    rblReplayReport report;
    uint8_t header[RBL_FILE_HEADER_SIZE];
    rblWorldDef def = rbl_default_world_def();
    rblWorldId world;
    check_ok(rbl_world_create(&def, &world));
    check_ok(rbl_world_record(world, "physics.rbl"));
    check_ok(rbl_world_destroy(world));
    check_ok(rbl_file_read("physics.rbl", SIZE_MAX, rbl_default_allocator(), &file));
    memcpy(header, file.bytes, sizeof header);
    assert_int_equal(rbl_load_u32(header + RBL_SIGNATURE_SIZE + 4), RBL_PHYSICS | (RBL_PHYSICS ^ 0xFFFFu)
                                                                                      << 16);
    file.bytes[RBL_SIGNATURE_SIZE + 6] = 1;
    check_fails(RBL_ERROR_FORMAT, rbl_calls_replay_memory(file.bytes, file.size, "physics.rbl", &report));
    says("byte 12: the header of the file is damaged");
    rbl_file_bytes_free(&file);
    remove("physics.rbl");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_shape_is_read),
        cmocka_unit_test(what_changed_is_refused_with_the_version),
        cmocka_unit_test(a_wrong_version_is_noticed),
        cmocka_unit_test(runs_are_read),
        cmocka_unit_test(checkpoints_are_refused_with_the_version),
        cmocka_unit_test(a_replay_that_differs_names_the_physics),
        cmocka_unit_test(recordings_have_the_number_of_physics),
    };
    return cmocka_run_group_tests_name("versions of recordings", tests, NULL, NULL);
}
