/// Datasets: many random fractures of meshes, saved as folders of pieces with one list (docs/dataset.md).
#ifndef RUBBLE_DATASET_H
#define RUBBLE_DATASET_H

#include "rubble/shatter.h"

RBL_EXTERN_C_BEGIN

/// File name of the list in the folder of a dataset.
#define RBL_DATASET_LIST "dataset.json"

/// A mesh to break.
typedef struct rblDatasetMesh
{
    const char* file; ///< path of the source; its name is in the list and in the name of the folder
    rblMeshId mesh;   ///< triangles; closed, manifold and oriented outward
    bool repaired;    ///< written to the list
} rblDatasetMesh;

/// Progress, over the items that did not exist at the start.
typedef struct rblDatasetProgress
{
    uint32_t done, wanted;
    uint64_t pieces; ///< written so far
} rblDatasetProgress;

/// Called before the first item and after each item, by the thread that wrote it; calls never overlap. Returns true to continue; false
/// cancels with RBL_ERROR_CANCELLED: finished items stay, and the same call continues from them later.
typedef bool rblDatasetProgressFcn(const rblDatasetProgress* progress, void* context);

/// Definition of a dataset. Start from rbl_default_dataset_def() and change fields.
typedef struct rblDatasetDef
{
    uint32_t struct_size; ///< bytes of this struct; set by rbl_default_dataset_def()
    uint32_t cookie;      ///< set by rbl_default_dataset_def()
    const rblDatasetMesh* meshes;
    uint32_t mesh_count;
    uint32_t count; ///< items of each mesh; default 10
    uint32_t min_pieces,
        max_pieces; ///< requested numbers of pieces, 1 to RBL_PATTERN_MAX_PIECES; default 5 to 50
    rblPatternKind
        kinds[RBL_PATTERN_FILE]; ///< patterns, chosen with equal probability; default all except files
    uint32_t kind_count;
    uint64_t seed;  ///< with the indices of mesh and item the only source of randomness; default 1
    double density; ///< kg/m^3; default 1000
    bool
        force; ///< write into a folder with other files, and replace a dataset of other options; default false
    rblDatasetProgressFcn* progress; ///< may be null
    void* progress_context;          ///< passed to `progress`
} rblDatasetDef;

/// The defaults named above; the caller sets `meshes`.
RBL_API void rbl_dataset_def_init(rblDatasetDef* def, size_t size);
static inline rblDatasetDef rbl_default_dataset_def(void)
{
    rblDatasetDef def;
    rbl_dataset_def_init(&def, sizeof def);
    return def;
}

/// The content of a dataset after a call.
typedef struct rblDatasetReport
{
    uint32_t items;  ///< in total
    uint32_t found;  ///< items that existed at the start
    uint32_t failed; ///< items that could not be broken, in total; the list has the reasons
    uint64_t pieces; ///< of all items
} rblDatasetReport;

/// Write the missing items of a dataset, with the workers of rbl_set_tasks(). The files are identical, byte for byte, for any number of
/// workers and interruptions. `out` may be null. Refused: a folder with other files, a dataset of other options, a dataset that another
/// process is writing.
RBL_API rblResult rbl_dataset_write(const rblDatasetDef* def, const char* folder, rblDatasetReport* out);

/// Remove a dataset, and its folder if it is empty then. Other files stay.
RBL_API rblResult rbl_dataset_remove(const char* folder);

RBL_EXTERN_C_END

#endif
