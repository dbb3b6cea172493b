// Every export of every scene that is shipped has every vertex of every body where the engine has it, at the times at which the body is there.
// Files are read back by readers of this test (export_readers.h) and compared with what the engine told while it ran (export_oracle.h).
//   test_export_vertices              all scenes but table_1000, which takes as long as the others together
//   test_export_vertices NAME...      these
#define _XOPEN_SOURCE 700 // mkdtemp
#include "export_comparison.h"

#include <dirent.h>

// Scenes that take long end after these steps, when some of their bodies have broken.
static const struct
{
    const char* name;
    uint32_t steps;
} long_scenes[] = {{"table_1000", 9},      {"table_100", 30},          {"stress_statues", 20},
                   {"stress_handled", 80}, {"stress_piggy_bank", 100}, {"pile_1000", 60}};

static void check_file(const char* name)
{
    char path[512];
    SceneCheck check = {.name = name, .most_steps = UINT32_MAX};
    snprintf(path, sizeof path, "%s/../scenes/%s.json", RBL_TEST_DOCS, name);
    for (size_t i = 0; i < sizeof long_scenes / sizeof *long_scenes; ++i)
    {
        check.most_steps = strcmp(name, long_scenes[i].name) == 0 ? long_scenes[i].steps : check.most_steps;
    }
    char* text = read_whole(path, &check.size);
    check.text = text;
    const uint32_t born = check_scene(&check);
    assert_true(born > 0 || strstr(text, "\"fracture\"") == NULL);
    free(text);
}

static int chosen_count;
static char** chosen;

static void exports_agree_with_the_engine(void** state)
{
    (void)state;
    for (int i = 0; i < chosen_count; ++i)
    {
        check_file(chosen[i]);
    }
}

static void exports_of_all_scenes_agree_with_the_engine(void** state)
{
    (void)state;
    char path[512];
    uint32_t count = 0;
    snprintf(path, sizeof path, "%s/../scenes", RBL_TEST_DOCS);
    DIR* directory = opendir(path);
    assert_non_null(directory);
    for (const struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory))
    {
        char name[256];
        const char* ending = strstr(entry->d_name, ".json");
        if (ending != NULL && strcmp(entry->d_name, "table_1000.json") != 0)
        {
            snprintf(name, sizeof name, "%.*s", (int)(ending - entry->d_name), entry->d_name);
            check_file(name);
            ++count;
        }
    }
    closedir(directory);
    assert_true(count > 30);
}

int main(int argc, char** argv)
{
    const struct CMUnitTest all[] = {cmocka_unit_test(exports_of_all_scenes_agree_with_the_engine)};
    const struct CMUnitTest some[] = {cmocka_unit_test(exports_agree_with_the_engine)};
    chosen_count = argc - 1;
    chosen = argv + 1;
    return run_in_folder(argc > 1 ? some : all, 1);
}
