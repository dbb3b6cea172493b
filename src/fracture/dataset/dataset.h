// Many random fractures of meshes, as folders of pieces with one list of them: docs/dataset.md.
//
// A folder that was left by a killed program is taken up where it was left. An item is written into a folder NAME.part that
// takes its name when all of it is there, so that a folder without ".part" is whole.
#ifndef RBL_FRACTURE_DATASET_DATASET_H
#define RBL_FRACTURE_DATASET_DATASET_H

#include "base/jobs.h"
#include "fracture/shatter.h"

#define RBL_DATASET_LIST "dataset.json"

typedef struct rblDatasetMesh
{
    const char* file; // where it comes from: its name is told, and the folder is called after it
    rblMeshId mesh;   // triangles; closed, manifold and oriented outward
    bool repaired;
} rblDatasetMesh;

typedef struct rblDatasetDef
{
    const rblDatasetMesh* meshes;
    uint32_t mesh_count;
    uint32_t count; // items of each mesh
    uint32_t least_pieces, most_pieces;
    rblPatternKind kinds[RBL_PATTERN_FILE];
    uint32_t kind_count;
    uint64_t seed;  // everything random follows from it, the mesh's number and the item's number of that mesh
    double density; // kg/m^3
} rblDatasetDef;

// 10 items of 5 to 50 pieces, of all patterns.
rblDatasetDef rbl_default_dataset_def(void);

// How far it has come, of the items that were not there when it began.
typedef struct rblDatasetProgress
{
    uint32_t done, wanted;
    uint64_t pieces; // made so far
} rblDatasetProgress;

// Called once before the first item and after every one, by whoever made it, never by two at once. May be null.
typedef void rblDatasetProgressFcn(const rblDatasetProgress* progress, void* context);

typedef struct rblDatasetReport
{
    uint32_t items;  // all there are now
    uint32_t found;  // of these, there when it began
    uint32_t failed; // of all: items that could not be broken; the list says why
    uint64_t pieces; // of all items
} rblDatasetReport;

// Make what is missing of a dataset. The same files, byte for byte, for any number of workers and however often it was killed.
// Refused: a folder with other files, a dataset of other options, one that another program is writing. `force`: files of others
// stay, a dataset of other options is removed.
rblResult rbl_dataset_write(const rblDatasetDef* def, const char* folder, bool force, rblJobs* jobs,
                            rblDatasetProgressFcn* progress, void* context, rblDatasetReport* out);

// Remove a dataset, and its folder when nothing else is in it. Files of others stay.
rblResult rbl_dataset_remove(const char* folder);

#endif
