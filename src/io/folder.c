#define _XOPEN_SOURCE 700 // opendir, mkdir
#include "io/folder.h"

#include "io/file.h"
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

rblResult rbl_compose_path(char out[RBL_PATH_SIZE], const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(out, RBL_PATH_SIZE, format, arguments);
    va_end(arguments);
    return length >= 0 && length < RBL_PATH_SIZE
               ? RBL_OK
               : rbl_fail(RBL_ERROR_FILE, "%s: the path is too long", rbl_short_name(out));
}

static rblResult fail_folder(const char* path, int error)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be used as a folder: %s", rbl_short_name(path),
                    strerror(error));
}

// Nothing in it, or our mark.
static rblResult look_inside(const char* path, bool* ours)
{
    DIR* directory = opendir(path);
    if (directory == NULL)
    {
        return fail_folder(path, errno);
    }
    bool empty = true;
    bool marked = false;
    for (const struct dirent* entry = readdir(directory); entry != NULL; entry = readdir(directory))
    {
        const bool itself = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        empty = empty && itself;
        marked = marked || strcmp(entry->d_name, RBL_FOLDER_MARK) == 0;
    }
    closedir(directory);
    *ours = empty || marked;
    return RBL_OK;
}

rblResult rbl_folder_check(const char* path, bool force)
{
    struct stat status;
    if (stat(path, &status) != 0)
    {
        return errno == ENOENT ? RBL_OK : fail_folder(path, errno);
    }
    if (!S_ISDIR(status.st_mode))
    {
        return fail_folder(path, ENOTDIR);
    }
    bool ours = true;
    RBL_TRY(look_inside(path, &ours));
    return ours || force
               ? RBL_OK
               : rbl_fail(RBL_ERROR_FILE, "%s: holds files that are not Rubble's; --force writes into it",
                          rbl_short_name(path));
}

static rblResult write_mark(const char* path)
{
    char mark[RBL_PATH_SIZE];
    rblWriter writer;
    RBL_TRY(rbl_compose_path(mark, "%s/" RBL_FOLDER_MARK, path));
    RBL_TRY(rbl_writer_open(&writer, mark, rbl_default_allocator()));
    rbl_write_text(&writer, "Rubble writes files here and may replace them.\n");
    return rbl_writer_close(&writer);
}

rblResult rbl_folder_open(const char* path, bool force)
{
    RBL_TRY(rbl_folder_check(path, force));
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
    {
        return fail_folder(path, errno);
    }
    return write_mark(path);
}
