#define _XOPEN_SOURCE 700 // rmdir, unlink
#include "io/series.h"

#include "io/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Every text file of ours says in its first lines who wrote it.
#define SIGN       "Rubble"
#define SIGN_BYTES 512

// ---- the stage ----

static rblResult remove_entry(const char* folder, const char* name, void* context)
{
    char path[RBL_PATH_SIZE];
    (void)context;
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    return unlink(path) == 0 || errno == ENOENT ? RBL_OK : rbl_fail_path(path, "removed", errno);
}

static rblResult count_entry(const char* folder, const char* name, void* context)
{
    (void)folder;
    (void)name;
    ++*(uint32_t*)context;
    return RBL_OK;
}

// Removing entries while reading a folder may hide others: look again until it is empty.
static rblResult empty_folder(const char* folder)
{
    for (;;)
    {
        uint32_t left = 0;
        RBL_TRY(rbl_folder_each(folder, false, count_entry, &left));
        if (left == 0)
        {
            return RBL_OK;
        }
        RBL_TRY(rbl_folder_each(folder, false, remove_entry, NULL));
    }
}

// A stage that holds what was there before is left as it is: the next run puts that back.
static void remove_stage(rblSeries* series)
{
    if (!series->stranded && empty_folder(series->stage) == RBL_OK)
    {
        (void)rmdir(series->stage);
    }
    rbl_array_free(&series->names);
    rbl_array_free(&series->files);
    series->open = false;
}

#define SET_ASIDE ".before"

typedef struct PutBack
{
    const char* folder;
    uint32_t count;
} PutBack;

static rblResult put_back_entry(const char* stage, const char* name, void* context)
{
    PutBack* back = context;
    char from[RBL_PATH_SIZE], to[RBL_PATH_SIZE];
    const size_t length = strlen(name), ending = strlen(SET_ASIDE);
    if (length <= ending || strcmp(name + length - ending, SET_ASIDE) != 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_compose_path(from, "%s/%s", stage, name));
    RBL_TRY(rbl_compose_path(to, "%s/%.*s", back->folder, (int)(length - ending), name));
    back->count += 1;
    return rename(from, to) == 0 ? RBL_OK : rbl_fail_path(from, "put back", errno);
}

// What a killed program had set aside goes back. As above: look again until there is none.
static rblResult put_all_back(const rblSeries* series)
{
    PutBack back = {.folder = series->folder, .count = 1};
    while (back.count > 0)
    {
        back.count = 0;
        RBL_TRY(rbl_folder_each(series->stage, true, put_back_entry, &back));
    }
    return RBL_OK;
}

rblResult rbl_series_open(rblSeries* series, const char* folder, const char* stage)
{
    *series = (rblSeries){0};
    RBL_TRY(rbl_compose_path(series->folder, "%s", folder));
    RBL_TRY(rbl_compose_path(series->stage, "%s", stage));
    RBL_TRY(rbl_folder_check(stage, false)); // refuses what is not ours
    rbl_array_init(&series->names, rbl_default_allocator());
    rbl_array_init(&series->files, rbl_default_allocator());
    series->open = true;
    rblResult result = put_all_back(series);
    series->stranded = result != RBL_OK;
    result = result == RBL_OK ? rbl_folder_open(stage, false) : result;
    result = result == RBL_OK ? empty_folder(stage) : result;
    result = result == RBL_OK ? rbl_folder_open(stage, false) : result;
    if (result != RBL_OK)
    {
        remove_stage(series);
    }
    return result;
}

rblResult rbl_series_path(const rblSeries* series, const char* name, char out[RBL_PATH_SIZE])
{
    return rbl_compose_path(out, "%s/%s", series->stage, name);
}

// ---- taking its place ----

static rblResult list_entry(const char* folder, const char* name, void* context)
{
    rblSeries* series = context;
    const rblSeriesFile file = {.name = series->names.count};
    const size_t size = strlen(name) + 1;
    (void)folder;
    if (strcmp(name, RBL_FOLDER_MARK) == 0)
    {
        return RBL_OK;
    }
    if (!rbl_array_reserve_more(&series->names, size) || !rbl_array_push(&series->files, file))
    {
        return rbl_fail_memory();
    }
    memcpy(series->names.data + series->names.count, name, size);
    series->names.count += size;
    return RBL_OK;
}

// The places of a file: in the stage, in the folder, and in the stage for one that it replaces.
typedef struct Places
{
    char stage[RBL_PATH_SIZE], folder[RBL_PATH_SIZE], aside[RBL_PATH_SIZE];
} Places;

static rblResult find_places(const rblSeries* series, const rblSeriesFile* file, Places* out)
{
    const char* name = series->names.data + file->name;
    RBL_TRY(rbl_compose_path(out->stage, "%s/%s", series->stage, name));
    RBL_TRY(rbl_compose_path(out->folder, "%s/%s", series->folder, name));
    return rbl_compose_path(out->aside, "%s" SET_ASIDE, out->stage);
}

static rblResult move_file(const rblSeries* series, rblSeriesFile* file)
{
    Places places;
    struct stat status;
    RBL_TRY(find_places(series, file, &places));
    const bool exists = lstat(places.folder, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
    {
        return rbl_fail_path(places.folder, "written", EISDIR);
    }
    if (exists && rename(places.folder, places.aside) != 0)
    {
        return rbl_fail_path(places.folder, "replaced", errno);
    }
    file->aside = exists;
    if (rename(places.stage, places.folder) != 0)
    {
        return rbl_fail_path(places.folder, "written", errno);
    }
    file->arrived = true;
    return RBL_OK;
}

// All that can be done for a file: what cannot be moved back stays in the stage.
static void move_back(const rblSeries* series, rblSeriesFile* file)
{
    Places places;
    if (find_places(series, file, &places) != RBL_OK)
    {
        return;
    }
    if (file->arrived && rename(places.folder, places.stage) == 0)
    {
        file->arrived = false;
    }
    if (file->aside && rename(places.aside, places.folder) == 0)
    {
        file->aside = false;
    }
}

// Puts the stage in front of the stored message when it still holds what was there before.
static void move_all_back(rblSeries* series)
{
    for (size_t i = series->files.count; i > 0; --i)
    {
        rblSeriesFile* file = &series->files.data[i - 1];
        move_back(series, file);
        series->stranded = series->stranded || file->aside;
    }
    rbl_array_clear(&series->files);
    rbl_array_clear(&series->names);
    if (series->stranded)
    {
        char text[RBL_ERROR_TEXT_SIZE];
        snprintf(text, sizeof text, "earlier files that could not be put back are in %s",
                 rbl_short_name(series->stage));
        (void)rbl_fail_within(RBL_ERROR_FILE, text);
    }
}

rblResult rbl_series_move(rblSeries* series)
{
    if (series->stranded)
    {
        return rbl_fail(RBL_ERROR_FILE, "%s: holds earlier files that could not be put back",
                        rbl_short_name(series->stage));
    }
    rblResult result = rbl_folder_each(series->stage, false, list_entry, series);
    for (size_t i = 0; i < series->files.count && result == RBL_OK; ++i)
    {
        result = move_file(series, &series->files.data[i]);
    }
    if (result != RBL_OK)
    {
        move_all_back(series);
    }
    return result;
}

void rbl_series_discard(rblSeries* series)
{
    if (series->open)
    {
        if (!series->stranded)
        {
            move_all_back(series);
        }
        remove_stage(series);
    }
}

// Named like a file of the series, but not one.
static bool is_left_over(const char* name, const rblSeriesNames* names)
{
    const size_t length = strlen(names->prefix);
    if (strncmp(name, names->prefix, length) != 0)
    {
        return false;
    }
    const size_t digits = strspn(name + length, "0123456789");
    if (digits == 0 || strcmp(name + length + digits, names->ending) != 0)
    {
        return false;
    }
    return (int)digits != names->digits || strtoull(name + length, NULL, 10) >= names->count;
}

static bool is_signed(const char* path)
{
    char start[SIGN_BYTES + 1] = "";
    FILE* file = fopen(path, "rb");
    if (file == NULL)
    {
        return false;
    }
    start[fread(start, 1, SIGN_BYTES, file)] = '\0';
    fclose(file);
    return strstr(start, SIGN) != NULL;
}

static rblResult remove_left_over(const char* folder, const char* name, void* context)
{
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    return is_left_over(name, context) && is_signed(path) ? remove_entry(folder, name, NULL) : RBL_OK;
}

rblResult rbl_series_close(rblSeries* series, const rblSeriesNames* names)
{
    rblSeriesNames wanted = *names;
    rblResult result = series->files.count > 0 ? RBL_OK : rbl_series_move(series);
    result = result == RBL_OK ? rbl_folder_each(series->folder, false, remove_left_over, &wanted) : result;
    remove_stage(series);
    return result;
}
