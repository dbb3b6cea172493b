#include "scene/export/export.h"

#include "base/error.h"
#include "io/file.h"
#include "scene/picture/picture_scene.h"
#include <string.h>

const char* const rbl_export_endings[] = {"glb", "png", "csv", "obj", "pvd", "usda", NULL};

rblExportOptions rbl_default_export_options(void)
{
    return (rblExportOptions){.every = 1};
}

// ---- surfaces ----

static rblResult open_surface(rblExportSurfaces* surfaces, uint32_t shape)
{
    if (surfaces->ids[shape].index1 != 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_run_drawn_surface(surfaces->run, shape, &surfaces->ids[shape]));
    return rbl_mesh_view(surfaces->ids[shape], &surfaces->views[shape]);
}

rblResult rbl_export_surfaces_open(rblExportSurfaces* surfaces, const rblRun* run)
{
    const size_t count = run->shapes.count;
    *surfaces = (rblExportSurfaces){.run = run};
    surfaces->ids = rbl_alloc_zero(run->allocator, count * sizeof *surfaces->ids);
    surfaces->views = rbl_alloc_zero(run->allocator, count * sizeof *surfaces->views);
    if ((surfaces->ids == NULL || surfaces->views == NULL) && count > 0)
    {
        return rbl_fail_memory();
    }
    for (size_t i = 0; i < run->bodies.count; ++i)
    {
        RBL_TRY(open_surface(surfaces, run->bodies.data[i].shape));
    }
    return RBL_OK;
}

void rbl_export_surfaces_close(rblExportSurfaces* surfaces)
{
    const rblRun* run = surfaces->run;
    for (size_t i = 0; surfaces->ids != NULL && i < run->shapes.count; ++i)
    {
        if (surfaces->ids[i].index1 != 0)
        {
            rbl_mesh_destroy(surfaces->ids[i]);
        }
    }
    rbl_free(run->allocator, surfaces->ids, run->shapes.count * sizeof *surfaces->ids);
    rbl_free(run->allocator, surfaces->views, run->shapes.count * sizeof *surfaces->views);
}

bool rbl_export_is_crack(const rblMeshView* view, uint32_t face)
{
    const uint32_t material = view->face_materials != NULL ? view->face_materials[face] : RBL_NONE;
    return material < view->material_count && rbl_is_crack_material(view->material_names[material]);
}

// What breaking lays open is paler than the skin.
void rbl_export_color(const rblSceneMaterial* material, bool crack, float out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = crack ? 0.5f * (material->color[k] + 1.0f) : material->color[k];
    }
}

// ---- frames and names ----

uint32_t rbl_export_frame_count(const rblRun* run, const rblExportOptions* options)
{
    return rbl_run_last_step(run) / options->every + 1;
}

bool rbl_export_keeps_key(const rblRunBody* body, size_t key, uint32_t every)
{
    const rblRunKey* keys = body->keys.data;
    const uint32_t step = keys[key].step;
    return step % every == 0 || key == 0 || key + 1 == body->keys.count || step - keys[key - 1].step > 1 ||
           keys[key + 1].step - step > 1;
}

int rbl_export_digits(uint32_t frame_count)
{
    int digits = 4;
    for (uint32_t rest = (frame_count - 1) / 10000; rest > 0; rest /= 10)
    {
        ++digits;
    }
    return digits;
}

const char* rbl_path_last(const char* path)
{
    const char* slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

size_t rbl_path_stem_length(const char* path)
{
    const char* dot = strrchr(rbl_path_last(path), '.');
    return dot != NULL ? (size_t)(dot - path) : strlen(path);
}

void rbl_export_progress(const rblExportOptions* options, uint32_t done, uint32_t all)
{
    if (options->progress != NULL)
    {
        options->progress((double)done / all, options->context);
    }
}

// ---- by ending ----

static bool has_ending(const char* path, const char* ending)
{
    const char* found = path + rbl_path_stem_length(path);
    found += *found == '.';
    while (*found != '\0' && (*found | 32) == *ending)
    {
        ++found;
        ++ending;
    }
    return *found == '\0' && *ending == '\0';
}

static rblResult export_png(const rblRun* run, const char* path, const rblExportOptions* options)
{
    (void)options; // always nine frames
    return rbl_run_write_png(run, path);
}

typedef rblResult ExportFcn(const rblRun* run, const char* path, const rblExportOptions* options);

rblResult rbl_export(const rblRun* run, const char* path, const rblExportOptions* options)
{
    static ExportFcn* const writers[] = {rbl_export_glb, export_png,     rbl_export_csv,
                                         rbl_export_obj, rbl_export_pvd, rbl_export_usda};
    if (options->every == 0)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "export: every must be at least 1");
    }
    for (int i = 0; rbl_export_endings[i] != NULL; ++i)
    {
        if (has_ending(path, rbl_export_endings[i]))
        {
            return writers[i](run, path, options);
        }
    }
    return rbl_fail(RBL_ERROR_ARGUMENT, "%s: a run cannot be written with this ending", rbl_short_name(path));
}

rblResult rbl_export_check_folder(const char* path, const rblExportOptions* options)
{
    char folder[RBL_PATH_SIZE];
    if (!has_ending(path, "pvd"))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_export_pvd_folder(path, folder));
    return rbl_folder_check(folder, options->force);
}
