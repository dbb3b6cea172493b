#define _XOPEN_SOURCE 700 // opendir, rmdir, unlink
#include "io/series.h"

#include "io/file.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Every text file of ours says in its first lines who wrote it.
#define SIGN       "Rubble"
#define SIGN_BYTES 512

static rblResult fail_file(const char* path, const char* what, int error)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be %s: %s", rbl_short_name(path), what, strerror(error));
}

typedef rblResult EntryFcn(const char* folder, const char* name, void* context);

static rblResult for_each_file(const char* folder, EntryFcn* fcn, void* context)
{
    DIR* directory = opendir(folder);
    if (directory == NULL)
    {
        return fail_file(folder, "read", errno);
    }
    rblResult result = RBL_OK;
    for (const struct dirent* entry = readdir(directory); result == RBL_OK && entry != NULL;
         entry = readdir(directory))
    {
        const bool itself = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        result = itself ? RBL_OK : fcn(folder, entry->d_name, context);
    }
    closedir(directory);
    return result;
}

// ---- the stage ----

static rblResult remove_entry(const char* folder, const char* name, void* context)
{
    char path[RBL_PATH_SIZE];
    (void)context;
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    return unlink(path) == 0 || errno == ENOENT ? RBL_OK : fail_file(path, "removed", errno);
}

static rblResult count_entry(const char* folder, const char* name, void* context)
{
    (void)folder;
    (void)name;
    ++*(uint32_t*)context;
    return RBL_OK;
}

// Removing entries while reading a folder may hide others: look again until it is empty.
static rblResult empty_folder(const char* folder, EntryFcn* take_away, void* context)
{
    for (;;)
    {
        uint32_t left = 0;
        RBL_TRY(for_each_file(folder, count_entry, &left));
        if (left == 0)
        {
            return RBL_OK;
        }
        RBL_TRY(for_each_file(folder, take_away, context));
    }
}

void rbl_series_discard(rblSeries* series)
{
    if (series->open && empty_folder(series->stage, remove_entry, NULL) == RBL_OK)
    {
        (void)rmdir(series->stage);
    }
    series->open = false;
}

rblResult rbl_series_open(rblSeries* series, const char* folder, const char* stage)
{
    *series = (rblSeries){0};
    RBL_TRY(rbl_compose_path(series->folder, "%s", folder));
    RBL_TRY(rbl_compose_path(series->stage, "%s", stage));
    RBL_TRY(rbl_folder_check(stage, false)); // refuses what is not ours
    series->open = true;
    rblResult result = rbl_folder_open(stage, false);
    result = result == RBL_OK ? empty_folder(stage, remove_entry, NULL) : result;
    result = result == RBL_OK ? rbl_folder_open(stage, false) : result;
    if (result != RBL_OK)
    {
        rbl_series_discard(series);
    }
    return result;
}

rblResult rbl_series_path(const rblSeries* series, const char* name, char out[RBL_PATH_SIZE])
{
    return rbl_compose_path(out, "%s/%s", series->stage, name);
}

// ---- taking its place ----

static rblResult move_entry(const char* folder, const char* name, void* context)
{
    const char* target = context;
    char from[RBL_PATH_SIZE];
    char to[RBL_PATH_SIZE];
    if (strcmp(name, RBL_FOLDER_MARK) == 0)
    {
        return remove_entry(folder, name, NULL);
    }
    RBL_TRY(rbl_compose_path(from, "%s/%s", folder, name));
    RBL_TRY(rbl_compose_path(to, "%s/%s", target, name));
    if (rename(from, to) == 0)
    {
        return RBL_OK;
    }
    const int error = errno; // also when the folder is gone: the file would be found again and again
    return error == ENOENT && access(from, F_OK) != 0 ? RBL_OK : fail_file(to, "written", error);
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
    rblResult result = empty_folder(series->stage, move_entry, series->folder);
    result = result == RBL_OK ? for_each_file(series->folder, remove_left_over, &wanted) : result;
    rbl_series_discard(series);
    return result;
}
