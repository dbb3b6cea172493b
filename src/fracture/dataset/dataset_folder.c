// Folders of a dataset: the lock of the writer, names of our files, removal of old and of unfinished items.
#define _XOPEN_SOURCE 700 // mkdir, fcntl
#include "base/error.h"
#include "fracture/dataset/dataset_private.h"
#include "io/file.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_NAME RBL_FOLDER_MARK ".lock"

// ---- one writer ----

#if defined(__wasm__)
rblResult rbl_dataset_lock(rblDatasetWork* work)
{
    (void)work;
    return RBL_OK;
}

void rbl_dataset_unlock(rblDatasetWork* work)
{
    (void)work;
}
#else
// The system releases the lock when the process ends, in every case. The lock file stays in the folder.
rblResult rbl_dataset_lock(rblDatasetWork* work)
{
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(path, "%s/" LOCK_NAME, work->folder));
    work->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (work->lock < 0)
    {
        return rbl_fail_path(path, "written", errno);
    }
    struct flock whole_file = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (fcntl(work->lock, F_SETLK, &whole_file) != 0 && (errno == EACCES || errno == EAGAIN))
    {
        rbl_dataset_unlock(work);
        return rbl_fail(RBL_ERROR_BUSY, "%s: another program is writing this dataset",
                        rbl_short_name(work->folder));
    }
    return RBL_OK; // a file system without locks: the dataset is written without one
}

void rbl_dataset_unlock(rblDatasetWork* work)
{
    (void)close(work->lock);
    work->lock = -1;
}
#endif

// ---- names ----

static bool begins_with(const char* name, const char* start)
{
    return strncmp(name, start, strlen(start)) == 0;
}

// The file, or a temporary file that an interrupted write of it left.
static bool is_file_or_temporary(const char* name, const char* file)
{
    const size_t length = strlen(file);
    return begins_with(name, file) && (name[length] == '\0' || begins_with(name + length, ".tmp"));
}

static bool is_temporary(const char* name, const char* file)
{
    return is_file_or_temporary(name, file) && name[strlen(file)] != '\0';
}

static bool is_item_file(const char* name)
{
    if (begins_with(name, "piece_"))
    {
        const char* ending = name + 6 + strspn(name + 6, "0123456789");
        return ending > name + 6 && is_file_or_temporary(ending, ".obj");
    }
    return is_file_or_temporary(name, "pieces.json") || is_file_or_temporary(name, RBL_DATASET_ITEM);
}

static bool is_item_folder(const char* name, const char* ending)
{
    const size_t digits = strspn(name, "0123456789");
    return digits >= 6 && strcmp(name + digits, ending) == 0;
}

static bool is_mesh_folder(const char* name)
{
    const size_t digits = strspn(name, "0123456789");
    return digits >= 2 && name[digits] == '_';
}

// ---- files ----

bool rbl_dataset_exists(const char* path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

static rblResult check_file(const char* path)
{
    struct stat status;
    const bool valid = stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0;
    return valid ? RBL_OK : rbl_fail(RBL_ERROR_FORMAT, "%s: is missing or empty", rbl_short_name(path));
}

rblResult rbl_dataset_check_item(const char* folder, uint32_t pieces)
{
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(path, "%s/pieces.json", folder));
    RBL_TRY(check_file(path));
    for (uint32_t p = 0; p < pieces; ++p)
    {
        RBL_TRY(rbl_compose_path(path, "%s/piece_%04u.obj", folder, p));
        RBL_TRY(check_file(path));
    }
    return RBL_OK;
}

rblResult rbl_dataset_make_folder(const char* path)
{
    struct stat status;
    if (mkdir(path, 0777) == 0)
    {
        return RBL_OK;
    }
    const int error = errno;
    const bool is_folder = error == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    return is_folder ? RBL_OK : rbl_fail_path(path, "made", error);
}

rblResult rbl_dataset_rename(const char* from, const char* to)
{
    return rename(from, to) == 0 ? RBL_OK : rbl_fail_path(to, "written", errno);
}

static rblResult remove_file(const char* path)
{
    return unlink(path) == 0 || errno == ENOENT ? RBL_OK : rbl_fail_path(path, "removed", errno);
}

// ---- removal ----

static rblResult remove_item_file(const char* folder, const char* name, void* context)
{
    (void)context;
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    return is_item_file(name) ? remove_file(path) : RBL_OK;
}

rblResult rbl_dataset_remove_item(const char* path)
{
    RBL_TRY(rbl_folder_each(path, true, remove_item_file, NULL));
    return rmdir(path) == 0 || errno == ENOENT ? RBL_OK : rbl_fail_path(path, "removed", errno);
}

// An item that is removed gets the ending ".part" first, so that a folder without it is always complete.
static rblResult remove_complete_item(const char* path)
{
    char part[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(part, "%s" RBL_DATASET_PART, path));
    RBL_TRY(rbl_dataset_remove_item(part));
    RBL_TRY(rbl_dataset_rename(path, part));
    return rbl_dataset_remove_item(part);
}

static bool has_record(const char* item)
{
    char record[RBL_PATH_SIZE];
    return rbl_compose_path(record, "%s/" RBL_DATASET_ITEM, item) == RBL_OK && rbl_dataset_exists(record);
}

static rblResult clean_mesh_entry(const char* folder, const char* name, void* context)
{
    const bool remove_items = *(const bool*)context;
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    if (is_item_folder(name, RBL_DATASET_PART))
    {
        return rbl_dataset_remove_item(path);
    }
    if (remove_items && is_item_folder(name, "") && has_record(path))
    {
        return remove_complete_item(path);
    }
    return is_temporary(name, "mesh.obj") || (remove_items && strcmp(name, "mesh.obj") == 0)
               ? remove_file(path)
               : RBL_OK;
}

static rblResult clean_entry(const char* folder, const char* name, void* context)
{
    const bool remove_items = *(const bool*)context;
    char path[RBL_PATH_SIZE];
    struct stat status;
    RBL_TRY(rbl_compose_path(path, "%s/%s", folder, name));
    if (is_temporary(name, RBL_DATASET_LIST) || is_temporary(name, RBL_FOLDER_MARK))
    {
        return remove_file(path);
    }
    if (!is_mesh_folder(name) || stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_folder_each(path, true, clean_mesh_entry, context));
    if (remove_items)
    {
        (void)rmdir(path); // fails if the folder has other files; they stay
    }
    return RBL_OK;
}

rblResult rbl_dataset_clean(const char* folder, bool remove_items)
{
    return rbl_folder_each(folder, true, clean_entry, &remove_items);
}

rblResult rbl_dataset_remove(const char* folder)
{
    static const char* const files[] = {RBL_DATASET_LIST, LOCK_NAME, RBL_FOLDER_MARK};
    char path[RBL_PATH_SIZE];
    if (folder == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "dataset: the folder must not be null");
    }
    RBL_TRY(rbl_dataset_clean(folder, true));
    for (size_t f = 0; f < sizeof files / sizeof files[0]; ++f)
    {
        RBL_TRY(rbl_compose_path(path, "%s/%s", folder, files[f]));
        RBL_TRY(remove_file(path));
    }
    return rmdir(folder) == 0 || errno == ENOTEMPTY || errno == EEXIST
               ? RBL_OK
               : rbl_fail_path(folder, "removed", errno);
}

static rblResult check_entry(const char* folder, const char* name, void* context)
{
    (void)folder;
    bool* is_new = context;
    *is_new = *is_new && (begins_with(name, RBL_FOLDER_MARK) || is_temporary(name, RBL_DATASET_LIST));
    return RBL_OK;
}

rblResult rbl_dataset_is_new(const char* folder, bool* out)
{
    *out = true;
    return rbl_folder_each(folder, true, check_entry, out);
}
