#include "fracture/dataset/dataset_private.h"

#include "base/def.h"
#include "base/error.h"
#include "io/file.h"
#include <string.h>

RBL_DEF_KIND(dataset_def, rblDatasetDef, "dataset", rbl_default_dataset_def, 0x44415441u);

void rbl_dataset_def_init(rblDatasetDef* def, size_t size)
{
    rblDatasetDef defaults = {.count = 10, .min_pieces = 5, .max_pieces = 50, .seed = 1, .density = 1000.0};
    for (uint32_t k = 0; k < RBL_PATTERN_FILE; ++k)
    {
        defaults.kinds[defaults.kind_count++] = (rblPatternKind)k;
    }
    rbl_def_init(&dataset_def, &defaults, def, size);
}

static rblResult check_def(const rblDatasetDef* def)
{
    if (def->meshes == NULL || def->mesh_count < 1 || def->count < 1 ||
        (uint64_t)def->mesh_count * def->count > UINT32_MAX)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "dataset: %u meshes with %u items each; there must be 1 mesh and 1 item or more, %u "
                        "items at most",
                        def->mesh_count, def->count, UINT32_MAX);
    }
    if (def->min_pieces < 1 || def->max_pieces < def->min_pieces || def->max_pieces > RBL_PATTERN_MAX_PIECES)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "dataset: pieces are %u to %u, must be 1 to %u in rising order",
                        def->min_pieces, def->max_pieces, RBL_PATTERN_MAX_PIECES);
    }
    if (def->kind_count < 1 || def->kind_count > RBL_PATTERN_FILE || !(def->density > 0.0))
    {
        return rbl_fail(RBL_ERROR_ARGUMENT,
                        "dataset: there must be 1 to %u kinds of patterns and a positive density",
                        (unsigned)RBL_PATTERN_FILE);
    }
    for (uint32_t m = 0; m < def->mesh_count; ++m)
    {
        if (def->meshes[m].file == NULL)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "dataset: the file of mesh %u must not be null", m);
        }
    }
    for (uint32_t k = 0; k < def->kind_count; ++k)
    {
        if (def->kinds[k] >= RBL_PATTERN_FILE)
        {
            return rbl_fail(RBL_ERROR_ARGUMENT, "dataset: kind %u must not be a pattern from a file", k);
        }
    }
    return RBL_OK;
}

// ---- items ----

static bool has_no_failure(rblDatasetWork* work)
{
    rbl_mutex_lock(&work->mutex);
    const bool running = work->result == RBL_OK;
    rbl_mutex_unlock(&work->mutex);
    return running;
}

// Call the progress function of the caller. With several workers the mutex is locked.
static rblResult report_progress(const rblDatasetWork* work)
{
    const rblDatasetDef* def = work->def;
    const bool continues = def->progress == NULL || def->progress(&work->state, def->progress_context);
    return continues ? RBL_OK : rbl_fail(RBL_ERROR_CANCELLED, "dataset: cancelled by the progress function");
}

static void record_item(rblDatasetWork* work, rblResult result, uint32_t pieces)
{
    rbl_mutex_lock(&work->mutex);
    work->state.done += result == RBL_OK ? 1 : 0;
    work->state.pieces += pieces;
    result = result == RBL_OK ? report_progress(work) : result;
    if (result != RBL_OK && work->result == RBL_OK)
    {
        work->result = result;
        snprintf(work->message, sizeof work->message, "%s", rbl_last_error());
    }
    rbl_mutex_unlock(&work->mutex);
}

static void make_items(rblRange range, void* context)
{
    rblDatasetWork* work = context;
    for (uint32_t i = range.begin; i < range.end && has_no_failure(work); ++i)
    {
        uint32_t pieces = 0;
        const rblResult result = rbl_dataset_make_item(work, work->missing.data[i], &pieces);
        record_item(work, result, pieces);
    }
}

static rblResult find_missing(rblDatasetWork* work)
{
    char path[RBL_PATH_SIZE];
    const uint32_t item_count = work->def->mesh_count * work->def->count;
    for (uint32_t item = 0; item < item_count; ++item)
    {
        RBL_TRY(rbl_dataset_item_path(work, item, path));
        if (!rbl_dataset_exists(path) && !rbl_array_push(&work->missing, item))
        {
            return rbl_fail_memory();
        }
    }
    return RBL_OK;
}

// Create a folder for each mesh and save the mesh in it as mesh.obj.
static rblResult save_meshes(const rblDatasetWork* work)
{
    char path[RBL_PATH_SIZE];
    for (uint32_t m = 0; m < work->def->mesh_count; ++m)
    {
        RBL_TRY(rbl_compose_path(path, "%s/%s", work->folder, work->bodies[m].name));
        RBL_TRY(rbl_dataset_make_folder(path));
        RBL_TRY(rbl_compose_path(path, "%s/%s/mesh.obj", work->folder, work->bodies[m].name));
        if (!rbl_dataset_exists(path))
        {
            RBL_TRY(rbl_mesh_save(work->def->meshes[m].mesh, path, NULL));
        }
    }
    return RBL_OK;
}

// Many items: each worker makes an item of its own. Few items: all workers make one item after the other.
static rblResult make_missing(rblDatasetWork* work)
{
    RBL_TRY(find_missing(work));
    const uint32_t count = (uint32_t)work->missing.count;
    work->inner_jobs = count < 2 * rbl_jobs_worker_count(work->jobs) ? work->jobs : rbl_serial_jobs();
    work->state.wanted = count;
    RBL_TRY(report_progress(work));
    rbl_parallel_for(work->jobs, count, 1, make_items, work);
    return work->result == RBL_OK ? RBL_OK : rbl_fail(work->result, "%s", work->message);
}

// ---- the folder ----

// Continue a dataset of the same options. A folder with other content is refused; with `force` its items are removed.
static rblResult prepare_folder(rblDatasetWork* work)
{
    bool found, same, is_new;
    RBL_TRY(rbl_dataset_compare_list(work, work->def->force, &found, &same));
    if (!found)
    {
        RBL_TRY(rbl_dataset_is_new(work->folder, &is_new));
        if (!is_new && !work->def->force)
        {
            return rbl_fail(RBL_ERROR_FILE, "%s: holds files, but no dataset; only force writes into it",
                            rbl_short_name(work->folder));
        }
    }
    RBL_TRY(rbl_dataset_clean(work->folder, !same));
    return same ? RBL_OK : rbl_dataset_save_list(work, false, NULL);
}

static rblResult write_locked(rblDatasetWork* work, rblDatasetReport* out)
{
    RBL_TRY(prepare_folder(work));
    RBL_TRY(save_meshes(work));
    RBL_TRY(make_missing(work));
    rblDatasetReport report = {.found =
                                   work->def->mesh_count * work->def->count - (uint32_t)work->missing.count};
    RBL_TRY(rbl_dataset_save_list(work, true, &report));
    *out = report;
    return RBL_OK;
}

static rblResult write_opened(rblDatasetWork* work, rblDatasetReport* out)
{
    RBL_TRY(rbl_dataset_write_header(work));
    RBL_TRY(rbl_folder_open(work->folder, work->def->force));
    RBL_TRY(rbl_dataset_lock(work));
    const rblResult result = write_locked(work, out);
    rbl_dataset_unlock(work);
    return result;
}

static rblResult write_with_bodies(rblDatasetWork* work, rblDatasetReport* out)
{
    rblResult result = RBL_OK;
    uint32_t opened = 0;
    for (; opened < work->def->mesh_count && result == RBL_OK; ++opened)
    {
        result = rbl_dataset_body_open(work->def, opened, work->allocator, &work->bodies[opened]);
    }
    opened -= result != RBL_OK ? 1 : 0;
    result = result == RBL_OK ? write_opened(work, out) : result;
    while (opened > 0)
    {
        rbl_dataset_body_close(&work->bodies[--opened]);
    }
    return result;
}

rblResult rbl_dataset_write(const rblDatasetDef* given, const char* folder, rblDatasetReport* out)
{
    rblDatasetDef def = rbl_default_dataset_def();
    rblDatasetReport unused_report;
    RBL_TRY(rbl_def_read(&dataset_def, given, &def));
    RBL_TRY(check_def(&def));
    if (folder == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "dataset: the folder must not be null");
    }
    rblDatasetWork work = {.def = &def,
                           .folder = folder,
                           .allocator = rbl_default_allocator(),
                           .jobs = rbl_default_jobs(),
                           .lock = -1,
                           .mutex = RBL_MUTEX_INIT};
    work.bodies = RBL_NEW_ARRAY(work.allocator, rblDatasetBody, def.mesh_count);
    if (work.bodies == NULL)
    {
        return rbl_fail_memory();
    }
    rbl_json_writer_init(&work.header, 1, work.allocator);
    rbl_array_init(&work.missing, work.allocator);
    const rblResult result = write_with_bodies(&work, out != NULL ? out : &unused_report);
    rbl_json_writer_free(&work.header);
    rbl_array_free(&work.missing);
    RBL_FREE_ARRAY(work.allocator, work.bodies, def.mesh_count);
    return result;
}
