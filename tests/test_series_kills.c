// Killed at any moment, an export of a series leaves the old one or the new one, whole, once the next has looked at it.
#define _XOPEN_SOURCE 700 // mkdtemp, fork, kill
#include "testing.h"

#include "io/series.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- kills ----

// Changes to the file system until this process is killed, before the change; negative: never. The linker leads all calls here.
static int changes_left = -1;

int __real_rename(const char* from, const char* to);
int __real_unlink(const char* path);
int __real_rmdir(const char* path);
int __real_mkdir(const char* path, mode_t mode);
int __wrap_rename(const char* from, const char* to);
int __wrap_unlink(const char* path);
int __wrap_rmdir(const char* path);
int __wrap_mkdir(const char* path, mode_t mode);

static void count_change(void)
{
    if (changes_left == 0)
    {
        kill(getpid(), SIGKILL);
    }
    changes_left -= changes_left > 0;
}

int __wrap_rename(const char* from, const char* to)
{
    count_change();
    return __real_rename(from, to);
}

int __wrap_unlink(const char* path)
{
    count_change();
    return __real_unlink(path);
}

int __wrap_rmdir(const char* path)
{
    count_change();
    return __real_rmdir(path);
}

int __wrap_mkdir(const char* path, mode_t mode)
{
    count_change();
    return __real_mkdir(path, mode);
}

// In a process of its own, killed after some changes. Whether it got to its end.
static bool run_killed(void (*function)(void), int changes)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
    {
        changes_left = changes;
        function();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// ---- the series ----

static char folder[32];

static const char* in_folder(const char* name)
{
    static char paths[4][128];
    static int next = 0;
    char* path = paths[next++ % 4];
    snprintf(path, 128, "%s/%s", folder, name);
    return path;
}

static void put_file(const char* path, const char* content)
{
    FILE* file = fopen(path, "wb");
    if (file == NULL || fputs(content, file) < 0 || fclose(file) != 0)
    {
        abort();
    }
}

static bool has_content(const char* name, const char* content)
{
    char bytes[64] = "";
    FILE* file = fopen(in_folder(name), "rb");
    if (file == NULL)
    {
        return content == NULL;
    }
    (void)!fread(bytes, 1, sizeof bytes - 1, file);
    fclose(file);
    return content != NULL && strcmp(bytes, content) == 0;
}

static rblResult open_series(rblSeries* series)
{
    return rbl_series_open(series, in_folder("wall"), in_folder("wall.part"), in_folder("wall.pvd"));
}

static rblResult write_series(const char* content, uint32_t count)
{
    rblSeries series;
    RBL_TRY(open_series(&series));
    for (uint32_t i = 0; i < count; ++i)
    {
        char name[16];
        char path[RBL_PATH_SIZE];
        snprintf(name, sizeof name, "%02u.vtu", i);
        RBL_TRY(rbl_series_path(&series, name, path));
        put_file(path, content);
    }
    char list[RBL_PATH_SIZE];
    RBL_TRY(rbl_series_path(&series, RBL_SERIES_LIST, list));
    put_file(list, content);
    return rbl_series_close(&series, &(rblSeriesNames){"", ".vtu", 2, count});
}

// Fewer files than before, and more: files that have no predecessor, and others that are left over.
static uint32_t new_count;
#define OLD_COUNT 3u
#define MAX_COUNT 5u

static void write_new(void)
{
    if (write_series("Rubble: new", new_count) != RBL_OK)
    {
        abort();
    }
}

static void look_at_it(void)
{
    rblSeries series;
    if (open_series(&series) != RBL_OK)
    {
        abort();
    }
    rbl_series_discard(&series);
}

static void start_anew(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/*", folder);
    assert_int_equal(system(command), 0);
    assert_int_equal(mkdir(in_folder("wall"), 0777), 0);
    put_file(in_folder("wall/99.vtu"), "of others");
    check_ok(write_series("Rubble: old", OLD_COUNT));
}

static bool is_whole(const char* content, uint32_t count)
{
    bool whole = has_content("wall.pvd", content) && has_content("wall/99.vtu", "of others");
    for (uint32_t i = 0; i < MAX_COUNT; ++i)
    {
        char name[16];
        snprintf(name, sizeof name, "wall/%02u.vtu", i);
        whole = whole && has_content(name, i < count ? content : NULL);
    }
    return whole;
}

static void check_whole(int kill, int second_kill)
{
    const bool is_old = is_whole("Rubble: old", OLD_COUNT), is_new = is_whole("Rubble: new", new_count);
    if (is_old == is_new || access(in_folder("wall.part"), F_OK) == 0)
    {
        fail_msg("%u files, killed at change %d, and at change %d when looked at: old %d, new %d, stage %d",
                 new_count, kill, second_kill, is_old, is_new, access(in_folder("wall.part"), F_OK) == 0);
    }
}

static void killed_series_are_whole_once_looked_at(void** state)
{
    static const uint32_t counts[] = {2, MAX_COUNT};
    (void)state;
    for (int c = 0; c < 2; ++c)
    {
        new_count = counts[c];
        bool ended = false;
        for (int kill = 0; !ended; ++kill)
        {
            start_anew();
            ended = run_killed(write_new, kill);
            look_at_it();
            check_whole(kill, -1);
            assert_true(!ended || is_whole("Rubble: new", new_count));
        }
    }
}

// The one that looks may be killed as well, and the next goes on.
static void series_are_whole_after_two_kills(void** state)
{
    (void)state;
    new_count = 2;
    bool ended = false;
    for (int kill = 0; !ended; ++kill)
    {
        bool looked = false;
        for (int second = 0; !looked; ++second)
        {
            start_anew();
            ended = run_killed(write_new, kill);
            looked = run_killed(look_at_it, second);
            look_at_it();
            check_whole(kill, second);
        }
    }
}

// The list cannot be replaced, as a folder has its name: killed among the moves back, too, the old frames are there again.
static void write_and_fail(void)
{
    (void)write_series("Rubble: new", new_count);
}

static void killed_ways_back_end_with_the_old_files(void** state)
{
    (void)state;
    new_count = 2;
    bool ended = false;
    for (int kill = 0; !ended; ++kill)
    {
        start_anew();
        assert_int_equal(unlink(in_folder("wall.pvd")), 0);
        assert_int_equal(mkdir(in_folder("wall.pvd"), 0777), 0);
        ended = run_killed(write_and_fail, kill);
        look_at_it();
        assert_int_equal(rmdir(in_folder("wall.pvd")), 0);
        put_file(in_folder("wall.pvd"), "Rubble: old");
        assert_true(is_whole("Rubble: old", OLD_COUNT));
    }
}

static int make_folder(void** state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/rubble_series_XXXXXX");
    return mkdtemp(folder) != NULL ? 0 : 1;
}

static int remove_folder(void** state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(killed_series_are_whole_once_looked_at),
        cmocka_unit_test(series_are_whole_after_two_kills),
        cmocka_unit_test(killed_ways_back_end_with_the_old_files),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
