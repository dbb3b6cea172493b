// Datasets: pieces a second, files included, and whether the same seed gives the same bytes.
#define _POSIX_C_SOURCE 200809L // mkdtemp
#include "bench/bench_prescored.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/timer.h"
#include "io/file.h"
#include "io/folder.h"
#include <stdlib.h>

#define MESHES 3

static const char* const kinds[MESHES] = {"vase", "statue", "piggybank"};

// One writing of the dataset.
typedef struct Written
{
    double seconds;
    rblDatasetReport report;
    uint64_t check; // of all files with pieces, in order
} Written;

// Add the bytes of a file to a check; false when there is none.
static bool check_file(const char* path, uint64_t* check)
{
    rblFileBytes file;
    if (rbl_file_read(path, SIZE_MAX, rbl_default_allocator(), &file) != RBL_OK)
    {
        return false;
    }
    *check = rbl_check64(*check, file.bytes, file.size);
    rbl_file_bytes_free(&file);
    return true;
}

static rblResult check_item(const char* folder, uint32_t mesh, uint32_t item, uint64_t* check)
{
    char path[RBL_PATH_SIZE];
    bool there = true;
    RBL_TRY(rbl_compose_path(path, "%s/%02u_%s/%06u/pieces.json", folder, mesh, kinds[mesh], item));
    if (!check_file(path, check))
    {
        return RBL_ERROR_FILE;
    }
    for (uint32_t p = 0; there; ++p)
    {
        RBL_TRY(rbl_compose_path(path, "%s/%02u_%s/%06u/piece_%04u.obj", folder, mesh, kinds[mesh], item, p));
        there = check_file(path, check);
    }
    return RBL_OK;
}

static rblResult check_all(const char* folder, const rblDatasetDef* def, uint64_t* check)
{
    char path[RBL_PATH_SIZE];
    RBL_TRY(rbl_compose_path(path, "%s/" RBL_DATASET_LIST, folder));
    if (!check_file(path, check))
    {
        return RBL_ERROR_FILE;
    }
    for (uint32_t i = 0; i < def->mesh_count * def->count; ++i)
    {
        RBL_TRY(check_item(folder, i / def->count, i % def->count, check));
    }
    return RBL_OK;
}

static rblResult write_in(const rblDatasetDef* def, const char* folder, uint32_t workers, Written* out)
{
    const rblTasks before = rbl_bench_tasks(rbl_worker_count());
    const rblTasks tasks = rbl_bench_tasks(workers);
    RBL_TRY(rbl_set_tasks(&tasks));
    const double start = rbl_timer_seconds();
    rblResult result = rbl_dataset_write(def, folder, &out->report);
    out->seconds = rbl_timer_seconds() - start;
    result = result == RBL_OK ? check_all(folder, def, &out->check) : result;
    const rblResult restored = rbl_set_tasks(&before);
    result = result == RBL_OK ? restored : result;
    const rblResult removed = rbl_dataset_remove(folder);
    return result == RBL_OK ? removed : result;
}

static rblResult write_once(const rblDatasetDef* def, uint32_t workers, Written* out)
{
    char folder[] = "/tmp/rubble_bench_XXXXXX";
    *out = (Written){.seconds = 0.0};
    return mkdtemp(folder) != NULL
               ? write_in(def, folder, workers, out)
               : rbl_fail(RBL_ERROR_FILE, "bench: no folder for a dataset can be made in /tmp");
}

static rblResult measure(rblBench* bench, const rblDatasetDef* def)
{
    Written one, two;
    char subject[64];
    RBL_TRY(write_once(def, 2, &two));
    RBL_TRY(write_once(def, 1, &one));
    snprintf(subject, sizeof subject, "dataset, %u items", two.report.items);
    rbl_smash_row(bench, subject, "2 threads", (double)two.report.pieces / two.seconds, "pieces/s");
    rbl_smash_row(bench, subject, "1 thread", (double)one.report.pieces / one.seconds, "pieces/s");
    rbl_smash_row(bench, subject, "pieces", (double)two.report.pieces, "pieces");
    rbl_smash_row(bench, subject, "differs by threads", one.check == two.check ? 0.0 : 1.0, "files");
    return RBL_OK;
}

rblResult rbl_bench_prescored_dataset(rblBench* bench)
{
    rblDatasetMesh meshes[MESHES] = {{.file = NULL}};
    rblDatasetDef def = rbl_default_dataset_def();
    rblResult result = RBL_OK;
    def.meshes = meshes;
    def.count = rbl_bench_size(bench, 40, 1);
    rbl_bench_stage(bench, "writing datasets");
    for (; def.mesh_count < MESHES && result == RBL_OK; ++def.mesh_count)
    {
        rblMeshId mesh;
        meshes[def.mesh_count].file = kinds[def.mesh_count];
        result = rbl_mesh_make(kinds[def.mesh_count], NULL, 0, &mesh);
        if (result == RBL_OK)
        {
            result = rbl_mesh_triangulate(mesh, &meshes[def.mesh_count].mesh);
            (void)rbl_mesh_destroy(mesh);
        }
    }
    result = result == RBL_OK ? measure(bench, &def) : result;
    for (uint32_t m = 0; m < def.mesh_count; ++m)
    {
        (void)rbl_mesh_destroy(meshes[m].mesh);
    }
    return result;
}
