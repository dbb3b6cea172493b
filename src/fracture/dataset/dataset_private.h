// What the parts of a dataset's making share (rubble/dataset.h).
//
// A folder that was left by a killed program is taken up where it was left. An item is written into a folder NAME.part that
// takes its name when all of it is there, so that a folder without ".part" is whole.
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
#define RBL_DATASET_NAME 80 // of a mesh's folder, terminator included

typedef struct rblDatasetBody
{
    rblShatterBody body;
    rblMeshView view;
    rblDoubleArray areas; // of the triangles up to and including each, m^2
    char name[RBL_DATASET_NAME];
} rblDatasetBody;

typedef struct rblDatasetWork
{
    const rblDatasetDef* def;
    const char* folder;
    const rblAllocator* allocator;
    rblJobs* jobs;       // for the items
    rblJobs* inner_jobs; // inside one item
    rblDatasetBody* bodies;
    rblJsonWriter header; // what the list begins with
    rblIndexArray missing;
    int lock; // file, -1: none

    rblMutex mutex; // guards what follows
    rblDatasetProgress state;
    rblResult result; // the first failure
    char message[RBL_ERROR_TEXT_SIZE];
} rblDatasetWork;

// ---- items (dataset_item.c) ----

rblResult rbl_dataset_body_open(const rblDatasetDef* def, uint32_t number, const rblAllocator* allocator,
                                rblDatasetBody* out);
void rbl_dataset_body_close(rblDatasetBody* body);

// Where an item is, below the dataset's folder.
rblResult rbl_dataset_item_path(const rblDatasetWork* work, uint32_t item, char out[RBL_PATH_SIZE]);

// Break and write one item; `pieces` receives how many there are, 0 for one that could not be broken.
rblResult rbl_dataset_make_item(const rblDatasetWork* work, uint32_t item, uint32_t* pieces);

// ---- folders (dataset_folder.c) ----

// Take the folder, so that no other program writes to it; remove what a killed one left half done, and with `anew` all
// items.
rblResult rbl_dataset_lock(rblDatasetWork* work);
void rbl_dataset_unlock(rblDatasetWork* work);
rblResult rbl_dataset_sweep(const char* folder, bool anew);

// Whether there is nothing in a folder but what marks it as ours.
rblResult rbl_dataset_is_new(const char* folder, bool* out);

// Remove a folder that holds an item, or the beginning of one.
rblResult rbl_dataset_remove_item(const char* path);
rblResult rbl_dataset_make_folder(const char* path);
rblResult rbl_dataset_rename(const char* from, const char* to);
bool rbl_dataset_exists(const char* path);

// Whether the folder of an item has all the files that it must have.
rblResult rbl_dataset_check_item(const char* folder, uint32_t pieces);

// ---- the list (dataset_list.c) ----

// The beginning of the list: all that decides what the items are.
rblResult rbl_dataset_write_header(rblDatasetWork* work);

// Whether the list in the folder has the same beginning. `found`: there is one.
rblResult rbl_dataset_compare_list(const rblDatasetWork* work, bool force, bool* found, bool* same);

// Write the list; of a dataset that is not complete without its items. Adds up the report.
rblResult rbl_dataset_save_list(const rblDatasetWork* work, bool complete, rblDatasetReport* report);

// The record of an item in its own folder. `pieces` null: it could not be broken, and `reason` says why.
rblResult rbl_dataset_save_record(const rblDatasetWork* work, uint32_t item, const char* folder,
                                  const rblShatterDef* def, const rblPieces* pieces, const char* reason);

#endif
