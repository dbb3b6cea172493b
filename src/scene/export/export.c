#include "scene/export/export.h"

#include "base/def.h"
#include "base/progress.h"
#include "io/file.h"
#include "math/quat.h"
#include "math/vec.h"
#include "scene/movie/plot.h"
#include "scene/picture/picture_scene.h"
#include "scene/run/run_registry.h"
#include <math.h>
#include <string.h>

// ---- tuning ----

// Positions in 32 bits are relative to the origin of the shape up to this distance of the surface from it, in half sizes of the
// surface; their rounding is then at most 2^-19 of the size. Beyond it they are relative to the middle of the surface.
#define MAX_DISTANCE 64.0

static const char* const endings[] = {"glb", "png", "csv", "obj", "pvd", "usda"};

#define ENDING_COUNT ((uint32_t)(sizeof endings / sizeof endings[0]))

RBL_DEF_KIND(export_options, rblExportOptions, "export", rbl_default_export_options, 0x45585054u);

void rbl_export_options_init(rblExportOptions* def, size_t size)
{
    const rblExportOptions defaults = {.every = 1};
    rbl_def_init(&export_options, &defaults, def, size);
}

const char* rbl_export_ending(uint32_t index)
{
    return index < ENDING_COUNT ? endings[index] : NULL;
}

// ---- surfaces ----

static rblVec3d choose_origin(const rblMeshView* view)
{
    const rblAabbd bounds = rbl_mesh_bounds(view);
    const rblVec3d middle = rbl_scale3d(rbl_add3d(bounds.lower, bounds.upper), 0.5);
    const rblVec3d half = rbl_scale3d(rbl_sub3d(bounds.upper, bounds.lower), 0.5);
    const double distance = rbl_maxd(rbl_maxd(fabs(middle.x), fabs(middle.y)), fabs(middle.z));
    const double size = rbl_maxd(rbl_maxd(half.x, half.y), half.z);
    return distance > MAX_DISTANCE * size ? rbl_to_double3(rbl_to_float3(middle)) : rbl_vec3d(0, 0, 0);
}

static rblResult open_surface(rblExportSurfaces* surfaces, uint32_t shape)
{
    if (surfaces->ids[shape].index1 != 0)
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_run_drawn_surface(surfaces->run, shape, &surfaces->ids[shape]));
    RBL_TRY(rbl_mesh_view(surfaces->ids[shape], &surfaces->views[shape]));
    surfaces->origins[shape] = choose_origin(&surfaces->views[shape]);
    return RBL_OK;
}

rblResult rbl_export_surfaces_open(rblExportSurfaces* surfaces, const rblRun* run)
{
    const size_t count = run->shapes.count;
    *surfaces = (rblExportSurfaces){.run = run};
    surfaces->ids = rbl_alloc_zero(run->allocator, count * sizeof *surfaces->ids);
    surfaces->views = rbl_alloc_zero(run->allocator, count * sizeof *surfaces->views);
    surfaces->origins = rbl_alloc_zero(run->allocator, count * sizeof *surfaces->origins);
    if ((surfaces->ids == NULL || surfaces->views == NULL || surfaces->origins == NULL) && count > 0)
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
    rbl_free(run->allocator, surfaces->origins, run->shapes.count * sizeof *surfaces->origins);
}

bool rbl_export_is_moved(rblVec3d origin)
{
    return origin.x != 0.0 || origin.y != 0.0 || origin.z != 0.0;
}

rblExportPose rbl_export_pose(rblTransform pose)
{
    return (rblExportPose){rbl_quatd_normalize(rbl_to_double_quat(pose.q)), rbl_to_double3(pose.p)};
}

rblVec3d rbl_export_vertex(const rblExportPose* pose, const rblMeshView* view, uint32_t vertex)
{
    return rbl_add3d(pose->p, rbl_rotate3d(pose->q, view->positions[vertex]));
}

bool rbl_export_is_crack(const rblMeshView* view, uint32_t face)
{
    const uint32_t material = view->face_materials != NULL ? view->face_materials[face] : RBL_NONE;
    return material < view->material_count && rbl_is_crack_material(view->material_names[material]);
}

// Crack faces are paler than the outer surface.
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

rblResult rbl_export_progress(const rblExportOptions* options, uint32_t done, uint32_t all)
{
    return rbl_progress_report(&options->progress, (double)done / all);
}

// ---- by file name ----

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

static rblResult fail_ending(const char* path)
{
    return rbl_fail(RBL_ERROR_ARGUMENT,
                    "export: the ending of %s must be one of glb, png, csv, obj, pvd, usda",
                    rbl_short_name(path));
}

typedef rblResult ExportFcn(const rblRun* run, const char* path, const rblExportOptions* options);

rblResult rbl_export(const rblRun* run, const char* path, const rblExportOptions* options)
{
    static ExportFcn* const writers[ENDING_COUNT] = {rbl_export_glb, rbl_export_png, rbl_export_csv,
                                                     rbl_export_obj, rbl_export_pvd, rbl_export_usda};
    for (uint32_t i = 0; i < ENDING_COUNT; ++i)
    {
        if (has_ending(path, endings[i]))
        {
            RBL_TRY(rbl_export_progress(options, 0, 1));
            return writers[i](run, path, options);
        }
    }
    return fail_ending(path);
}

// ---- public calls ----

static rblResult read_options(const char* path, const rblExportOptions* given, rblExportOptions* out)
{
    *out = rbl_default_export_options();
    RBL_TRY(given != NULL ? rbl_def_read(&export_options, given, out) : RBL_OK);
    if (path == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "export: the path must not be null");
    }
    return out->every > 0 ? RBL_OK : rbl_fail(RBL_ERROR_ARGUMENT, "export: every is 0, must be at least 1");
}

rblResult rbl_run_export(rblRunId id, const char* path, const rblExportOptions* options)
{
    rblRunItem* item = NULL;
    rblExportOptions chosen;
    RBL_TRY(read_options(path, options, &chosen));
    RBL_TRY(rbl_run_find_motion(id, &item));
    return rbl_export(item->run, path, &chosen);
}

rblResult rbl_export_check(const char* path, const rblExportOptions* options)
{
    rblExportOptions chosen;
    char folder[RBL_PATH_SIZE];
    bool known = false;
    RBL_TRY(read_options(path, options, &chosen));
    for (uint32_t i = 0; i < ENDING_COUNT; ++i)
    {
        known = known || has_ending(path, endings[i]);
    }
    if (!known)
    {
        return fail_ending(path);
    }
    RBL_TRY(rbl_output_check(path));
    if (!has_ending(path, "pvd"))
    {
        return RBL_OK;
    }
    RBL_TRY(rbl_export_pvd_folder(path, folder));
    return rbl_output_check_folder(folder, chosen.force);
}

rblResult rbl_run_plot(rblRunId id, const char* path)
{
    rblRunItem* item = NULL;
    RBL_TRY(rbl_run_find(id, &item));
    return path != NULL ? rbl_plot_write(&item->run->statistics, item->run->settings.name, path)
                        : rbl_fail(RBL_ERROR_ARGUMENT, "plot: the path must not be null");
}

rblResult rbl_statistics_plot(const char* path, const char* picture)
{
    if (path == NULL || picture == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "plot: the paths must not be null");
    }
    const rblAllocator* allocator = rbl_default_allocator();
    rblStatistics statistics;
    rblArena texts;
    const char* scene = "";
    rbl_statistics_init(&statistics, allocator);
    rbl_arena_init(&texts, 4096, allocator);
    rblResult result = rbl_statistics_read(path, &texts, &statistics, &scene);
    result = result == RBL_OK ? rbl_plot_write(&statistics, scene, picture) : result;
    rbl_arena_free(&texts);
    rbl_statistics_free(&statistics);
    return result;
}
