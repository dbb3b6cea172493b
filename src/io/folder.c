#define _XOPEN_SOURCE 700 // opendir, mkdir, access
#include "io/folder.h"

#include "io/file.h"
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

rblResult rbl_fail_path(const char* path, const char* done, int error)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be %s: %s", rbl_short_name(path), done, strerror(error));
}

// *out is null at the end; only errno distinguishes this from a failure.
static rblResult next_entry(DIR* directory, const char* path, const struct dirent** out)
{
    errno = 0;
    *out = readdir(directory);
    return *out != NULL || errno == 0 ? RBL_OK : rbl_fail_path(path, "read", errno);
}

rblResult rbl_folder_each(const char* path, bool may_be_missing, rblFolderFcn* fcn, void* context)
{
    DIR* directory = opendir(path);
    if (directory == NULL)
    {
        return may_be_missing && errno == ENOENT ? RBL_OK : rbl_fail_path(path, "read", errno);
    }
    const struct dirent* entry = NULL;
    rblResult result = next_entry(directory, path, &entry);
    while (result == RBL_OK && entry != NULL)
    {
        const bool itself = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        result = itself ? RBL_OK : fcn(path, entry->d_name, context);
        result = result == RBL_OK ? next_entry(directory, path, &entry) : result;
    }
    closedir(directory);
    return result;
}

static rblResult fail_folder(const char* path, int error)
{
    return rbl_fail(RBL_ERROR_FILE, "%s: cannot be used as a folder: %s", rbl_short_name(path),
                    strerror(error));
}

// *ours: the folder is empty, or contains our mark.
static rblResult look_inside(const char* path, bool* ours)
{
    DIR* directory = opendir(path);
    if (directory == NULL)
    {
        return fail_folder(path, errno);
    }
    bool empty = true;
    bool marked = false;
    const struct dirent* entry = NULL;
    rblResult result = next_entry(directory, path, &entry);
    while (result == RBL_OK && entry != NULL)
    {
        const char* name = entry->d_name;
        const bool itself = strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
        // Or a temporary file of it.
        const bool is_mark = strncmp(name, RBL_FOLDER_MARK, strlen(RBL_FOLDER_MARK)) == 0;
        empty = empty && (itself || is_mark);
        marked = marked || strcmp(name, RBL_FOLDER_MARK) == 0;
        result = next_entry(directory, path, &entry);
    }
    closedir(directory);
    *ours = result == RBL_OK && (empty || marked);
    return result;
}

// Whether files can be created in a folder.
static rblResult check_access(const char* folder, const char* path)
{
    return access(folder, W_OK | X_OK) == 0 ? RBL_OK : fail_folder(path, errno);
}

// A folder that does not exist needs a parent in which it can be created.
static rblResult check_parent(const char* path)
{
    char parent[RBL_PATH_SIZE];
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
    {
        --length;
    }
    while (length > 0 && path[length - 1] != '/')
    {
        --length;
    }
    RBL_TRY(rbl_compose_path(parent, "%.*s", (int)length, path));
    return check_access(length > 0 ? parent : ".", path);
}

rblResult rbl_output_check_folder(const char* path, bool force)
{
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "output: the path must not be null");
    }
    struct stat status;
    if (stat(path, &status) != 0)
    {
        return errno == ENOENT ? check_parent(path) : fail_folder(path, errno);
    }
    if (!S_ISDIR(status.st_mode))
    {
        return fail_folder(path, ENOTDIR);
    }
    bool ours = true;
    RBL_TRY(check_access(path, path));
    RBL_TRY(look_inside(path, &ours));
    return ours || force
               ? RBL_OK
               : rbl_fail(RBL_ERROR_FILE,
                          "%s: the folder has files that are not Rubble's; only force writes into it",
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
    RBL_TRY(rbl_output_check_folder(path, force));
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
    {
        return fail_folder(path, errno);
    }
    return write_mark(path);
}

// ---- numbered files ----

static bool is_numbered(const char* name, const char* prefix, const char* ending)
{
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0)
    {
        return false;
    }
    const size_t digits = strspn(name + length, "0123456789");
    return digits > 0 && strcmp(name + length + digits, ending) == 0;
}

static rblResult remove_file(const char* folder, const char* name)
{
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    return unlink(path) == 0 || errno == ENOENT ? RBL_OK : rbl_fail_path(path, "removed", errno);
}

rblResult rbl_folder_remove_numbered(const char* path, const char* prefix, const char* ending)
{
    DIR* directory = opendir(path);
    if (directory == NULL)
    {
        return fail_folder(path, errno);
    }
    const struct dirent* entry = NULL;
    rblResult result = next_entry(directory, path, &entry);
    while (result == RBL_OK && entry != NULL)
    {
        result = is_numbered(entry->d_name, prefix, ending) ? remove_file(path, entry->d_name) : RBL_OK;
        result = result == RBL_OK ? next_entry(directory, path, &entry) : result;
    }
    closedir(directory);
    return result;
}
