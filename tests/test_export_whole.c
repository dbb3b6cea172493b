// Exports replace what was there as a whole or not at all, and say beforehand what does not fit.
#define _XOPEN_SOURCE 700 // mkdtemp
#include "export_testing.h"

#include "io/gltf/glb_builder.h"
#include "io/series.h"
#include <dirent.h>
#include <sys/stat.h>

// ---- series ----

static uint32_t count_files(const char* name)
{
    DIR* directory = opendir(in_folder(name));
    uint32_t count = 0;
    assert_non_null(directory);
    for (const struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory))
    {
        count += entry->d_name[0] != '.';
    }
    closedir(directory);
    return count;
}

static bool is_there(const char* name)
{
    return access(in_folder(name), F_OK) == 0;
}

static void put_file(const char* name, const char* content)
{
    FILE* file = fopen(in_folder(name), "wb");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
}

static void shorter_series_leave_nothing_of_longer_ones(void** state)
{
    (void)state;
    put_file("wall_0019.obj", "# drawn by hand\n");
    put_file("wall_x.obj", "# Rubble\n");
    check_ok(export_to("wall.obj", 2));
    check_ok(export_to("wall.pvd", 2));
    assert_true(is_there("wall_0010.obj"));
    assert_int_equal(count_files("wall"), 11);
    check_ok(export_to("wall.obj", 10));
    check_ok(export_to("wall.pvd", 10));
    assert_true(is_there("wall_0002.obj"));
    assert_false(is_there("wall_0003.obj"));
    assert_false(is_there("wall_0010.obj"));
    assert_int_equal(count_files("wall"), 3);
    // Files of others, and other files of ours, stay.
    assert_true(is_there("wall_0019.obj"));
    assert_true(is_there("wall_x.obj"));
    assert_false(is_there("wall.obj.part"));
    assert_false(is_there("wall.part"));
}

// A stage that a killed run left behind is used again; a folder of others of that name is not touched.
static void stages_of_killed_runs_are_taken_over(void** state)
{
    (void)state;
    check_ok(rbl_folder_open(in_folder("left.obj.part"), false));
    put_file("left.obj.part/left_0077.obj", "# Rubble: half a fil");
    check_ok(export_to("left.obj", 10));
    assert_false(is_there("left_0077.obj"));
    assert_false(is_there("left.obj.part"));
    check_ok(rbl_folder_open(in_folder("kept.obj.part"), false));
    assert_int_equal(unlink(in_folder("kept.obj.part/" RBL_FOLDER_MARK)), 0);
    put_file("kept.obj.part/letter", "dear");
    check_fails(RBL_ERROR_FILE, export_to("kept.obj", 10));
    assert_true(is_there("kept.obj.part/letter"));
    assert_false(is_there("kept_0000.obj"));
}

// Whenever an export fails, the series that was there is as it was, down to its bytes.
static void failed_series_leave_the_old_ones(void** state)
{
    (void)state;
    static const char* const names[][2] = {{"old.obj", "old_0002.obj"}, {"old.pvd", "old/0002.vtu"}};
    for (int i = 0; i < 2; ++i)
    {
        size_t size;
        check_ok(export_to(names[i][0], 10));
        char* before = read_file(names[i][1], &size);
        const uint32_t files = count_files("");
        rblResult result = RBL_ERROR_MEMORY;
        for (size_t granted = 0; result != RBL_OK; ++granted)
        {
            size_t again;
            memory.left = granted;
            result = export_to(names[i][0], 5);
            memory.left = SIZE_MAX;
            char* after = read_file(names[i][1], &again);
            if (result != RBL_OK)
            {
                assert_int_equal(again, size);
                assert_memory_equal(after, before, size);
                assert_int_equal(count_files(""), files);
            }
            free(after);
        }
        free(before);
    }
}

// A frame that cannot be replaced, here because a folder has its name: those that were moved before it are moved back.
static void series_that_cannot_take_their_place_leave_the_old_ones(void** state)
{
    (void)state;
    static const char* const names[][4] = {
        {"taken.obj", "taken_0000.obj", "taken_0002.obj", "taken_0001.obj"},
        {"taken.pvd", "taken/0000.vtu", "taken/0002.vtu", "taken.pvd"}};
    for (int i = 0; i < 2; ++i)
    {
        size_t sizes[2];
        size_t again;
        char* before[2];
        check_ok(export_to(names[i][0], 10));
        assert_int_equal(unlink(in_folder(names[i][2])), 0);
        assert_int_equal(mkdir(in_folder(names[i][2]), 0700), 0);
        const uint32_t files = count_files("");
        static const int kept[] = {1, 3};
        for (int k = 0; k < 2; ++k)
        {
            before[k] = read_file(names[i][kept[k]], &sizes[k]);
        }
        check_fails(RBL_ERROR_FILE, export_to(names[i][0], 5));
        assert_non_null(strstr(rbl_last_error(), "0002"));
        assert_int_equal(count_files(""), files);
        for (int k = 0; k < 2; ++k)
        {
            char* after = read_file(names[i][kept[k]], &again);
            assert_int_equal(again, sizes[k]);
            assert_memory_equal(after, before[k], again);
            free(after);
            free(before[k]);
        }
        assert_int_equal(rmdir(in_folder(names[i][2])), 0);
    }
    assert_false(is_there("taken.obj.part"));
    assert_false(is_there("taken.part"));
}

// ---- what does not fit ----

static void the_limit_of_glb_is_told_with_name_sizes_and_advice(void** state)
{
    (void)state;
    check_ok(rbl_glb_check_size("wall.glb", UINT32_MAX, "no"));
    check_fails(RBL_ERROR_LIMIT, rbl_glb_check_size("wall.glb", (uint64_t)UINT32_MAX + 1, "write less"));
    assert_string_equal(rbl_last_error(),
                        "wall.glb: the GLB file has 4294967296 bytes or more, must be at most "
                        "4294967295 (4 GiB); write less");
}

#define LONG_KEYS   20000u
#define LONG_BODIES 8000u

// Many bodies with many keys, all of them the same ones: 4.5e9 bytes as GLB, a megabyte here.
static void make_long_run(rblRun* run, rblRunKey* keys, rblRunBody* bodies)
{
    *run = simulation.run;
    for (uint32_t i = 0; i < LONG_KEYS; ++i)
    {
        keys[i] = (rblRunKey){.step = i, .pose = {{(float)i, 0.0f, 0.0f}, {0.0f, 0.0f, 0.0f, 1.0f}}};
    }
    for (uint32_t i = 0; i < LONG_BODIES; ++i)
    {
        bodies[i] = simulation.run.bodies.data[1];
        bodies[i].keys.data = keys;
        bodies[i].keys.count = LONG_KEYS;
    }
    run->bodies.data = bodies;
    run->bodies.count = LONG_BODIES;
}

static void runs_past_the_limit_of_glb_are_refused_before_anything_is_written(void** state)
{
    (void)state;
    rblRun run;
    rblRunKey* keys = calloc(LONG_KEYS, sizeof *keys);
    rblRunBody* bodies = calloc(LONG_BODIES, sizeof *bodies);
    rblExportOptions options = rbl_default_export_options();
    make_long_run(&run, keys, bodies);
    put_file("long.glb", "what was there");
    const uint32_t files = count_files("");
    check_fails(RBL_ERROR_LIMIT, rbl_export(&run, in_folder("long.glb"), &options));
    assert_non_null(strstr(rbl_last_error(), "long.glb: the GLB file has 4480000000 bytes or more"));
    assert_non_null(strstr(rbl_last_error(), "must be at most 4294967295 (4 GiB)"));
    assert_non_null(strstr(rbl_last_error(), "--every N"));
    size_t size;
    char* kept = read_file("long.glb", &size);
    assert_string_equal(kept, "what was there");
    assert_int_equal(count_files(""), files);
    free(kept);
    // As advised: fewer steps fit.
    options.every = 5000;
    check_ok(rbl_export(&run, in_folder("long.glb"), &options));
    free(bodies);
    free(keys);
}

// ---- fewer keys ----

static void animations_of_every_nth_step_keep_what_rests_at_rest(void** state)
{
    (void)state;
    rblRunKey keys[] = {{.step = 1},  {.step = 2},  {.step = 3},  {.step = 4},  {.step = 5},
                        {.step = 40}, {.step = 41}, {.step = 42}, {.step = 43}, {.step = 44}};
    static const bool kept[] = {true, false, false, true, true, true, false, false, false, true};
    const size_t count = sizeof keys / sizeof keys[0];
    rblRunBody body = {.keys = {.data = keys, .count = count}};
    for (size_t i = 0; i < count; ++i)
    {
        assert_int_equal(rbl_export_keeps_key(&body, i, 4), kept[i]);
        assert_true(rbl_export_keeps_key(&body, i, 1));
    }
    size_t all;
    size_t some;
    check_ok(export_to("keys.usda", 1));
    free(read_file("keys.usda", &all));
    check_ok(export_to("keys.usda", 10));
    char* usd = read_file("keys.usda", &some);
    assert_true(some < all);
    assert_non_null(strstr(usd, "                10: ("));
    assert_null(strstr(usd, "                11: ("));
    free(usd);
    check_ok(export_to("keys.glb", 1));
    free(read_file("keys.glb", &all));
    check_ok(export_to("keys.glb", 10));
    free(read_file("keys.glb", &some));
    assert_true(some + 500 < all);
}

static void a_folder_that_is_gone_ends_a_series(void** state)
{
    (void)state;
    rblSeries series;
    char gone[RBL_PATH_SIZE];
    snprintf(gone, sizeof gone, "%s", in_folder("gone"));
    check_ok(rbl_series_open(&series, gone, in_folder("lost.part"), NULL));
    put_file("lost.part/lost_0000.obj", "# Rubble\n");
    assert_int_equal(rbl_series_close(&series, &(rblSeriesNames){"lost_", ".obj", 4, 1}), RBL_ERROR_FILE);
    assert_false(is_there("lost.part"));
}

static void check_content(const char* name, const char* content)
{
    size_t size;
    char* bytes = read_file(name, &size);
    assert_int_equal(size, strlen(content));
    assert_memory_equal(bytes, content, size);
    free(bytes);
}

// A folder in the place of a file keeps the earlier one from being put back: it stays in the stage until that can be done.
static void what_cannot_be_put_back_is_kept(void** state)
{
    (void)state;
    rblSeries series;
    char stage[RBL_PATH_SIZE];
    snprintf(stage, sizeof stage, "%s", in_folder("stuck.part"));
    check_ok(rbl_folder_open(stage, false));
    put_file("stuck.part/stuck_0000.obj", "new");
    put_file("stuck.part/stuck_0000.obj.before", "old");
    put_file("stuck.part/.back", "+stuck_0000.obj");
    FILE* journal = fopen(in_folder("stuck.part/.back"), "ab");
    assert_non_null(journal);
    fputc('\0', journal);
    fclose(journal);
    assert_int_equal(mkdir(in_folder("stuck_0000.obj"), 0777), 0);
    check_fails(RBL_ERROR_FILE, rbl_series_open(&series, folder, stage, NULL));
    assert_non_null(strstr(rbl_last_error(), "stuck.part"));
    check_content("stuck.part/stuck_0000.obj.before", "old");
    assert_int_equal(rmdir(in_folder("stuck_0000.obj")), 0);
    check_ok(rbl_series_open(&series, folder, stage, NULL));
    check_content("stuck_0000.obj", "old");
    rbl_series_discard(&series);
    assert_false(is_there("stuck.part"));
    check_content("stuck_0000.obj", "old");
}

// A journal is read before anything is touched.
static void damaged_journals_are_refused_with_the_byte(void** state)
{
    (void)state;
    static const char* const journals[] = {"+ok_0000.obj", "?ok_0000.obj", "+../ok_0000.obj", "+"};
    rblSeries series;
    for (int i = 0; i < 4; ++i)
    {
        check_ok(rbl_folder_open(in_folder("ok.part"), false));
        put_file("ok_0000.obj", "old");
        put_file("ok.part/ok_0000.obj", "new");
        put_file("ok.part/.forward", journals[i]);
        check_fails(RBL_ERROR_FORMAT, rbl_series_open(&series, folder, in_folder("ok.part"), NULL));
        assert_non_null(strstr(rbl_last_error(), "ok.part: byte 0 of the journal"));
        check_content("ok_0000.obj", "old");
        check_content("ok.part/ok_0000.obj", "new");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shorter_series_leave_nothing_of_longer_ones),
        cmocka_unit_test(stages_of_killed_runs_are_taken_over),
        cmocka_unit_test(the_limit_of_glb_is_told_with_name_sizes_and_advice),
        cmocka_unit_test(runs_past_the_limit_of_glb_are_refused_before_anything_is_written),
        cmocka_unit_test(a_folder_that_is_gone_ends_a_series),
        cmocka_unit_test(what_cannot_be_put_back_is_kept),
        cmocka_unit_test(damaged_journals_are_refused_with_the_byte),
        cmocka_unit_test(series_that_cannot_take_their_place_leave_the_old_ones),
        cmocka_unit_test(animations_of_every_nth_step_keep_what_rests_at_rest),
    };
    const struct CMUnitTest scarce_tests[] = {cmocka_unit_test(failed_series_leave_the_old_ones)};
    const int failed = cmocka_run_group_tests(tests, start, finish);
    return failed + cmocka_run_group_tests(scarce_tests, start_scarce, finish_scarce);
}
