// Folders full of files that we write, such as the frames of a run.
#ifndef RBL_IO_FOLDER_H
#define RBL_IO_FOLDER_H

#include "base/error.h"
#include <stdbool.h>

// The file that says a folder is ours.
#define RBL_FOLDER_MARK ".rubble"

// Enough for any path that we put together, terminator included.
#define RBL_PATH_SIZE 4096

// Make a folder, or take one that is empty or was made by us. Refused without `force`: one that holds other files, which
// ours might replace or be mixed up with. Files that are in it stay.
rblResult rbl_folder_open(const char* path, bool force);

// Whether rbl_folder_open() would succeed, as far as can be told; changes nothing.
rblResult rbl_folder_check(const char* path, bool force);

// Remove the files of a folder whose names are `prefix`, digits and `ending`.
rblResult rbl_folder_remove_numbered(const char* path, const char* prefix, const char* ending);

// Call for every entry of a folder, in no order, until one fails. A folder that is not there has no entries when it may be
// missing.
typedef rblResult rblFolderFcn(const char* folder, const char* name, void* context);
rblResult rbl_folder_each(const char* path, bool may_be_missing, rblFolderFcn* fcn, void* context);

// The file or folder at a path cannot be `done`: "read", "written"; with the system's word for errno.
rblResult rbl_fail_path(const char* path, const char* done, int error);

// Like printf, into a path. Fails when it gets too long.
rblResult rbl_compose_path(char out[RBL_PATH_SIZE], const char* format, ...) RBL_PRINTF_LIKE(2, 3);

#endif
