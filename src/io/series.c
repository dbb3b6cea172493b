#define _XOPEN_SOURCE 700 // rmdir, unlink
#include "io/series.h"

#include "io/file.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Every text file that Rubble writes has this word in its first lines; it is searched in the first SIGN_BYTES bytes.
#define SIGN       "Rubble"
#define SIGN_BYTES 512

// Suffix of files in the stage that were replaced.
#define SET_ASIDE ".before"

// The journal: the names of all files that move, each with a sign before it and a zero byte after it. It exists from
// before the first move until after the last one. Its file name tells a later program whether to complete the moves
// or to undo them. JOURNAL_BYTES limits what is read of a damaged one.
#define JOURNAL_FORWARD ".forward"
#define JOURNAL_BACK    ".back"
#define JOURNAL_BYTES   ((size_t)1 << 30)
#define SIGN_NEW        '+'
#define SIGN_LEFT_OVER  '-'

// ---- the stage ----

static rblResult remove_path(const char* path)
{
    return unlink(path) == 0 || errno == ENOENT ? RBL_OK : rbl_fail_path(path, "removed", errno);
}

static bool is_mark(const char* name)
{
    return strcmp(name, RBL_FOLDER_MARK) == 0;
}

// The mark is removed last: if the program is killed meanwhile, the remaining folder is still recognised as ours.
static rblResult remove_entry(const char* folder, const char* name, void* context)
{
    char path[RBL_PATH_SIZE];
    (void)context;
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    return is_mark(name) ? RBL_OK : remove_path(path);
}

static rblResult count_entry(const char* folder, const char* name, void* context)
{
    (void)folder;
    *(uint32_t*)context += !is_mark(name);
    return RBL_OK;
}

// Removing entries while a folder is being read may hide other entries: repeat until only the mark is left.
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

// A stage with earlier files in it is kept: the next run puts them back.
static void remove_stage(rblSeries* series)
{
    char mark[RBL_PATH_SIZE];
    if (!series->stranded && empty_folder(series->stage) == RBL_OK &&
        rbl_compose_path(mark, "%s/" RBL_FOLDER_MARK, series->stage) == RBL_OK)
    {
        (void)unlink(mark);
        (void)rmdir(series->stage);
    }
    rbl_array_free(&series->names);
    rbl_array_free(&series->files);
    series->open = false;
}

rblResult rbl_series_path(const rblSeries* series, const char* name, char out[RBL_PATH_SIZE])
{
    return rbl_compose_path(out, "%s/%s", series->stage, name);
}

// ---- files to move ----

static rblResult add_file(rblSeries* series, const char* name, bool left_over)
{
    const rblSeriesFile file = {.name = series->names.count + 1, .left_over = left_over};
    const size_t size = strlen(name) + 1;
    if (!rbl_array_reserve_more(&series->names, size + 1) || !rbl_array_push(&series->files, file))
    {
        return rbl_fail_memory();
    }
    series->names.data[file.name - 1] = left_over ? SIGN_LEFT_OVER : SIGN_NEW;
    memcpy(series->names.data + file.name, name, size);
    series->names.count += size + 1;
    return RBL_OK;
}

static rblResult list_new(const char* folder, const char* name, void* context)
{
    (void)folder;
    return is_mark(name) ? RBL_OK : add_file(context, name, false);
}

// Whether a name has the form of a file of the series, but a number that the series does not have.
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

typedef struct LeftOver
{
    rblSeries* series;
    const rblSeriesNames* names;
} LeftOver;

static rblResult list_left_over(const char* folder, const char* name, void* context)
{
    const LeftOver* left = context;
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    return is_left_over(name, left->names) && is_signed(path) ? add_file(left->series, name, true) : RBL_OK;
}

// ---- journal ----

static rblResult write_journal(const rblSeries* series)
{
    char path[RBL_PATH_SIZE];
    rblWriter writer;
    RBL_TRY(rbl_series_path(series, JOURNAL_FORWARD, path));
    RBL_TRY(rbl_writer_open(&writer, path, rbl_default_allocator()));
    rbl_write_bytes(&writer, series->names.data, series->names.count);
    return rbl_writer_close(&writer);
}

// Rename the journal, so that a later program undoes the moves too. A failure is ignored: the moves are undone
// anyway.
static void turn_back(const rblSeries* series)
{
    char forward[RBL_PATH_SIZE], back[RBL_PATH_SIZE];
    if (rbl_series_path(series, JOURNAL_FORWARD, forward) == RBL_OK &&
        rbl_series_path(series, JOURNAL_BACK, back) == RBL_OK)
    {
        (void)rename(forward, back);
    }
}

// All files are at their targets, so nothing in the stage is needed any more.
static rblResult remove_journals(const rblSeries* series)
{
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_series_path(series, JOURNAL_FORWARD, path));
    RBL_TRY(remove_path(path));
    RBL_TRY(rbl_series_path(series, JOURNAL_BACK, path));
    return remove_path(path);
}

// Whether a name is a plain file name. A damaged journal might contain other paths.
static bool is_plain_name(const char* name)
{
    return *name != '\0' && strchr(name, '/') == NULL && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static rblResult take_names(rblSeries* series, const rblFileBytes* file)
{
    const char* text = (const char*)file->bytes;
    size_t at = 0;
    while (at < file->size)
    {
        const bool known = text[at] == SIGN_NEW || text[at] == SIGN_LEFT_OVER;
        if (!known || memchr(text + at, '\0', file->size - at) == NULL || !is_plain_name(text + at + 1))
        {
            return rbl_fail(
                RBL_ERROR_FORMAT,
                "%s: byte %zu of the journal of an interrupted export is damaged; move the folder away",
                rbl_short_name(series->stage), at);
        }
        RBL_TRY(add_file(series, text + at + 1, text[at] == SIGN_LEFT_OVER));
        at += strlen(text + at) + 1;
    }
    return RBL_OK;
}

static rblResult read_journal(rblSeries* series, const char* name, bool* found)
{
    char path[RBL_PATH_SIZE];
    struct stat status;
    rblFileBytes file;
    RBL_TRY(rbl_series_path(series, name, path));
    *found = lstat(path, &status) == 0;
    if (!*found)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_file_read(path, JOURNAL_BYTES, rbl_default_allocator(), &file));
    const rblResult result = take_names(series, &file);
    rbl_file_bytes_free(&file);
    return result;
}

// ---- moves ----

// The paths of a file: in the stage, its target, and in the stage for the file that it replaces.
typedef struct Places
{
    char stage[RBL_PATH_SIZE], target[RBL_PATH_SIZE], aside[RBL_PATH_SIZE];
} Places;

static rblResult find_places(const rblSeries* series, const rblSeriesFile* file, Places* out)
{
    const char* name = series->names.data + file->name;
    const bool is_list = series->list[0] != '\0' && strcmp(name, RBL_SERIES_LIST) == 0;
    RBL_TRY(rbl_series_path(series, name, out->stage));
    RBL_TRY(is_list ? rbl_compose_path(out->target, "%s", series->list)
                    : rbl_compose_path(out->target, "%s/%s", series->folder, name));
    return rbl_compose_path(out->aside, "%s" SET_ASIDE, out->stage);
}

static rblResult set_aside(const Places* places, rblSeriesFile* file)
{
    struct stat status;
    if (file->aside || lstat(places->target, &status) != 0)
    {
        return RBL_OK;
    }
    if (S_ISDIR(status.st_mode))
    {
        return rbl_fail_path(places->target, "written", EISDIR);
    }
    if (rename(places->target, places->aside) != 0)
    {
        return rbl_fail_path(places->target, "replaced", errno);
    }
    file->aside = true;
    return RBL_OK;
}

static rblResult move_file(const rblSeries* series, rblSeriesFile* file)
{
    Places places;
    if (file->arrived)
    {
        return RBL_OK;
    }
    RBL_TRY(find_places(series, file, &places));
    RBL_TRY(set_aside(&places, file));
    if (!file->left_over && rename(places.stage, places.target) != 0)
    {
        return rbl_fail_path(places.target, "written", errno);
    }
    file->arrived = true;
    return RBL_OK;
}

// Undo the moves of a file as far as possible; a file that cannot be moved back stays in the stage.
static void move_back(const rblSeries* series, rblSeriesFile* file)
{
    Places places;
    if (find_places(series, file, &places) != RBL_OK)
    {
        return;
    }
    if (file->arrived && !file->left_over && rename(places.target, places.stage) == 0)
    {
        file->arrived = false;
    }
    if (file->aside && rename(places.aside, places.target) == 0)
    {
        file->aside = false;
    }
}

// Undo all moves. If earlier files are still in the stage, the stored message is extended by its path.
static void move_all_back(rblSeries* series)
{
    turn_back(series);
    for (size_t i = series->files.count; i > 0; --i)
    {
        rblSeriesFile* file = &series->files.data[i - 1];
        move_back(series, file);
        series->stranded = series->stranded || file->aside;
    }
    if (series->stranded)
    {
        char text[RBL_ERROR_TEXT_SIZE];
        snprintf(text, sizeof text, "earlier files that could not be put back are in %s",
                 rbl_short_name(series->stage));
        (void)rbl_fail_within(RBL_ERROR_FILE, text);
        return;
    }
    series->stranded = remove_journals(series) != RBL_OK;
}

static rblResult move_all(rblSeries* series)
{
    rblResult result = RBL_OK;
    for (size_t i = 0; i < series->files.count && result == RBL_OK; ++i)
    {
        result = move_file(series, &series->files.data[i]);
    }
    if (result != RBL_OK)
    {
        move_all_back(series);
        return result;
    }
    result = remove_journals(series);
    series->stranded = result != RBL_OK;
    return result;
}

// ---- recovery after a kill ----

// Find out which moves of a file of the journal are done.
static rblResult find_progress(const rblSeries* series, rblSeriesFile* file)
{
    Places places;
    struct stat status;
    RBL_TRY(find_places(series, file, &places));
    file->aside = lstat(places.aside, &status) == 0;
    file->arrived = file->left_over ? file->aside : lstat(places.stage, &status) != 0;
    return RBL_OK;
}

// Complete or undo the moves of an interrupted series. If neither is possible, its files stay in the stage.
static rblResult finish_interrupted(rblSeries* series)
{
    bool forward = false, back = false;
    rblResult result = read_journal(series, JOURNAL_FORWARD, &forward);
    result = result == RBL_OK && !forward ? read_journal(series, JOURNAL_BACK, &back) : result;
    for (size_t i = 0; i < series->files.count && result == RBL_OK; ++i)
    {
        result = find_progress(series, &series->files.data[i]);
    }
    if (result != RBL_OK)
    {
        series->stranded = true;
        return result;
    }
    if (forward)
    {
        result = move_all(series);
    }
    else if (back)
    {
        result = rbl_fail(RBL_ERROR_FILE, "%s: an export was interrupted", rbl_short_name(series->folder));
        move_all_back(series);
    }
    rbl_array_clear(&series->files);
    rbl_array_clear(&series->names);
    return series->stranded ? result : RBL_OK;
}

// ---- public calls ----

rblResult rbl_series_open(rblSeries* series, const char* folder, const char* stage, const char* list)
{
    *series = (rblSeries){0};
    RBL_TRY(rbl_compose_path(series->folder, "%s", folder));
    RBL_TRY(rbl_compose_path(series->stage, "%s", stage));
    RBL_TRY(rbl_compose_path(series->list, "%s", list != NULL ? list : ""));
    RBL_TRY(rbl_output_check_folder(stage, false)); // refuses a folder that is not ours
    rbl_array_init(&series->names, rbl_default_allocator());
    rbl_array_init(&series->files, rbl_default_allocator());
    series->open = true;
    rblResult result = finish_interrupted(series);
    result = result == RBL_OK ? rbl_folder_open(stage, false) : result;
    result = result == RBL_OK ? empty_folder(stage) : result;
    if (result != RBL_OK)
    {
        remove_stage(series);
    }
    return result;
}

rblResult rbl_series_close(rblSeries* series, const rblSeriesNames* names)
{
    LeftOver left = {series, names};
    rblResult result = rbl_folder_each(series->stage, false, list_new, series);
    result = result == RBL_OK ? rbl_folder_each(series->folder, false, list_left_over, &left) : result;
    result = result == RBL_OK ? write_journal(series) : result;
    result = result == RBL_OK ? move_all(series) : result;
    remove_stage(series);
    return result;
}

void rbl_series_discard(rblSeries* series)
{
    if (series->open)
    {
        remove_stage(series);
    }
}
