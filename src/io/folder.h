// Output folders with many files, such as the frames of a run.
#ifndef RBL_IO_FOLDER_H
#define RBL_IO_FOLDER_H

#include "base/error.h"
#include <stdbool.h>

// The file that marks a folder as made by Rubble.
#define RBL_FOLDER_MARK ".rubble"

// Capacity for any path that we compose, terminator included.
#define RBL_PATH_SIZE 4096

// Create a folder, or use one that is empty or was made by Rubble. Refused without `force`: a folder with other files,
// which the output could replace or be confused with. Existing files stay.
// rbl_output_check_folder() asks the same and changes nothing.
rblResult rbl_folder_open(const char* path, bool force);

// Remove the files of a folder whose names are `prefix`, digits and `ending`.
rblResult rbl_folder_remove_numbered(const char* path, const char* prefix, const char* ending);

// Call a function for every entry of a folder, in no particular order, until a call fails. With `may_be_missing`, a
// folder that does not exist has no entries.
typedef rblResult rblFolderFcn(const char* folder, const char* name, void* context);
rblResult rbl_folder_each(const char* path, bool may_be_missing, rblFolderFcn* fcn, void* context);

// "the file or folder at a path cannot be `done`" ("read", "written"), with the system message of errno.
rblResult rbl_fail_path(const char* path, const char* done, int error);

// Like printf, into a path. Fails when the path is too long.
rblResult rbl_compose_path(char out[RBL_PATH_SIZE], const char* format, ...) RBL_PRINTF_LIKE(2, 3);

#endif
