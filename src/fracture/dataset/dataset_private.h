// Types and functions of the writer of datasets (rubble/dataset.h).
//
// The writer continues a dataset that a killed process left incomplete. An item is written into a folder NAME.part,
// which is renamed to NAME when the item is complete.
#ifndef RBL_FRACTURE_DATASET_DATASET_PRIVATE_H
#define RBL_FRACTURE_DATASET_DATASET_PRIVATE_H

#include "base/jobs.h"
#include "base/thread.h"
#include "fracture/shatter.h"
#include "io/folder.h"
#include "rubble/dataset.h"
#include "rubble/json.h"

#define RBL_DATASET_ITEM "item.json"
#define RBL_DATASET_PART ".part"
#define RBL_DATASET_NAME 80 // bytes of the name of a mesh's folder, with terminator

typedef struct rblDatasetBody
{
    rblShatterBody body;
    rblMeshView view;
    rblDoubleArray areas; // cumulative areas of triangles 0 to i, m^2; sum_areas()
    char name[RBL_DATASET_NAME];
} rblDatasetBody;

typedef struct rblDatasetWork
{
    const rblDatasetDef* def;
    const char* folder;
    const rblAllocator* allocator;
    rblJobs* jobs;       // workers for items
    rblJobs* inner_jobs; // workers inside one item
    rblDatasetBody* bodies;
    rblJsonWriter header;  // first part of the list: all options
    rblIndexArray missing; // items that do not exist yet; find_missing()
    int lock;              // file descriptor of the lock; -1: none

    rblMutex mutex; // guards the members below
    rblDatasetProgress state;
    rblResult result; // first failure
    char message[RBL_ERROR_TEXT_SIZE];
} rblDatasetWork;

// ---- items (dataset_item.c) ----

rblResult rbl_dataset_body_open(const rblDatasetDef* def, uint32_t number, const rblAllocator* allocator,
                                rblDatasetBody* out);
void rbl_dataset_body_close(rblDatasetBody* body);

// Path of the folder of an item.
rblResult rbl_dataset_item_path(const rblDatasetWork* work, uint32_t item, char out[RBL_PATH_SIZE]);

// Break the mesh and write one item. `pieces` receives the number of pieces; 0: the mesh could not be broken.
rblResult rbl_dataset_make_item(const rblDatasetWork* work, uint32_t item, uint32_t* pieces);

// ---- folders (dataset_folder.c) ----

// Lock the folder, so that no other process writes to it.
rblResult rbl_dataset_lock(rblDatasetWork* work);
void rbl_dataset_unlock(rblDatasetWork* work);

// Remove temporary files and unfinished items, which a killed process left; with `remove_items` all items and meshes.
rblResult rbl_dataset_clean(const char* folder, bool remove_items);

// Whether a folder has no files except the mark and the lock of a dataset.
rblResult rbl_dataset_is_new(const char* folder, bool* out);

// Remove the folder of an item, complete or not. Other files in it stay, and then the call fails.
rblResult rbl_dataset_remove_item(const char* path);
rblResult rbl_dataset_make_folder(const char* path);
rblResult rbl_dataset_rename(const char* from, const char* to);
bool rbl_dataset_exists(const char* path);

// Whether the folder of an item has all its files.
rblResult rbl_dataset_check_item(const char* folder, uint32_t pieces);

// ---- the list (dataset_list.c) ----

// First part of the list: all options that the items depend on.
rblResult rbl_dataset_write_header(rblDatasetWork* work);

// Whether the list in the folder starts with the same header. `found`: the folder has a list.
rblResult rbl_dataset_compare_list(const rblDatasetWork* work, bool force, bool* found, bool* same);

// Write the list. The list of an incomplete dataset has no items. Adds the items to `report`.
rblResult rbl_dataset_save_list(const rblDatasetWork* work, bool complete, rblDatasetReport* report);

// Write the record of an item in its folder. `pieces` null: the mesh could not be broken; `reason` is the error text.
rblResult rbl_dataset_save_record(const rblDatasetWork* work, uint32_t item, const char* folder,
                                  const rblShatterDef* def, const rblPieces* pieces, const char* reason);

#endif
