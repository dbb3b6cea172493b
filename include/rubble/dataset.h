/// Datasets: many random fractures of meshes, as folders of pieces with one list of them (docs/dataset.md).
#ifndef RUBBLE_DATASET_H
#define RUBBLE_DATASET_H

#include "rubble/shatter.h"

RBL_EXTERN_C_BEGIN

/// The list of a dataset, in its folder.
#define RBL_DATASET_LIST "dataset.json"

/// A mesh to break.
typedef struct rblDatasetMesh
{
    const char* file; ///< where it comes from: the list has its name, and the folder is called after it
    rblMeshId mesh;   ///< triangles; closed, manifold and oriented outward
    bool repaired;    ///< for the list
} rblDatasetMesh;

/// How far it has come, of the items that were not there when it began.
typedef struct rblDatasetProgress
{
    uint32_t done, wanted;
    uint64_t pieces; ///< made so far
} rblDatasetProgress;

/// Called before the first item and after every one, by whoever made it, never by two at once. Returns true to go on; false cancels
/// with RBL_ERROR_CANCELLED: what is there stays, and the same call goes on from it.
typedef bool rblDatasetProgressFcn(const rblDatasetProgress* progress, void* context);

/// What to make. Start from rbl_default_dataset_def() and change fields.
typedef struct rblDatasetDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_dataset_def()
    uint32_t cookie;      ///< set by rbl_default_dataset_def()
    const rblDatasetMesh* meshes;
    uint32_t mesh_count;
    uint32_t count;                         ///< items of each mesh; default 10
    uint32_t min_pieces, max_pieces;        ///< wanted, 1 to RBL_PATTERN_MAX_PIECES; default 5 to 50
    rblPatternKind kinds[RBL_PATTERN_FILE]; ///< patterns, each as likely; default all but files
    uint32_t kind_count;
    uint64_t seed;  ///< everything random follows from it and the numbers of mesh and item; default 1
    double density; ///< kg/m^3; default 1000
    bool force; ///< into a folder with other files, and instead of a dataset of other options; default false
    rblDatasetProgressFcn* progress; ///< may be null
    void* progress_context;          ///< handed to it
} rblDatasetDef;

/// The defaults named above; meshes are for you to set.
RBL_API void rbl_dataset_def_init(rblDatasetDef* def, size_t size);
static inline rblDatasetDef rbl_default_dataset_def(void)
{
    rblDatasetDef def;
    rbl_dataset_def_init(&def, sizeof def);
    return def;
}

/// What is there now.
typedef struct rblDatasetReport
{
    uint32_t items;  ///< all there are
    uint32_t found;  ///< of these, there when it began
    uint32_t failed; ///< of all: items that could not be broken; the list says why
    uint64_t pieces; ///< of all items
} rblDatasetReport;

/// Make what is missing of a dataset, with the workers of rbl_set_tasks(). The same files, byte for byte, for any number of
/// workers and however often it was stopped. `out` may be null. Refused: a folder with other files, a dataset of other options, one
/// that another program is writing.
RBL_API rblResult rbl_dataset_write(const rblDatasetDef* def, const char* folder, rblDatasetReport* out);

/// Remove a dataset, and its folder when nothing else is in it. Files of others stay.
RBL_API rblResult rbl_dataset_remove(const char* folder);

RBL_EXTERN_C_END

#endif
