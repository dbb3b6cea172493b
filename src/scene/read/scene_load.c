// Scenes: ids, reading, settings.
#include "base/registry.h"
#include "io/file.h"
#include "io/json/json_values.h"
#include "math/vec.h"
#include "scene/read/scene.h"
#include <math.h>
#include <string.h>

static const char* const scene_keys[] = {"rubble",   "about",  "gravity",  "step",      "substeps",
                                         "duration", "seed",   "sleeping", "materials", "shapes",
                                         "bodies",   "joints", "events",   "camera",    NULL};
static const char* const camera_keys[] = {"eye", "target", "fov", NULL};

#define VERSION      1u
#define MAX_SUBSTEPS 64u
#define MAX_STEPS    100000000.0
#define MAX_BYTES    ((size_t)1 << 30)

// ---- settings ----

static rblResult check_version(rblJson root)
{
    rblJson value;
    uint32_t version = 0;
    RBL_TRY(rbl_json_require(root, "rubble", &value));
    RBL_TRY(rbl_json_get_u32(value, &version));
    return version == VERSION
               ? RBL_OK
               : rbl_json_fail(value, RBL_ERROR_UNSUPPORTED,
                               "the version of the scene file is %u, must be %u", version, VERSION);
}

static rblResult read_seconds(rblJson root, const char* key, double highest, double* out)
{
    const rblJson value = rbl_json_find(root, key);
    RBL_TRY(rbl_json_optional_number(root, key, out));
    if (!(*out > 0.0))
    {
        return rbl_json_fail(value, RBL_ERROR_FORMAT, "is %g, must be positive", *out);
    }
    return *out <= highest ? RBL_OK
                           : rbl_json_fail(value, RBL_ERROR_FORMAT, "is %g, must be at most %u s", *out,
                                           (uint32_t)highest);
}

static rblResult read_time(rblJson root, rblSceneView* view)
{
    view->step = 1.0 / 60.0;
    view->duration = 5.0;
    view->substeps = 1;
    view->seed = 1;
    view->sleeping = true;
    RBL_TRY(read_seconds(root, "step", (double)RBL_MAX_STEP, &view->step));
    RBL_TRY(read_seconds(root, "duration", 1e9, &view->duration));
    RBL_TRY(rbl_json_optional_u32(root, "substeps", &view->substeps));
    if (view->substeps < 1 || view->substeps > MAX_SUBSTEPS)
    {
        return rbl_json_fail(rbl_json_find(root, "substeps"), RBL_ERROR_FORMAT, "is %u, must be 1 to %u",
                             view->substeps, MAX_SUBSTEPS);
    }
    RBL_TRY(rbl_json_optional_u64(root, "seed", &view->seed));
    RBL_TRY(rbl_json_optional_bool(root, "sleeping", &view->sleeping));
    const double steps = floor(view->duration / view->step + 0.5);
    if (!(steps <= MAX_STEPS) || !((float)view->step > 0.0f))
    {
        return rbl_json_fail(root, RBL_ERROR_LIMIT, "duration / step is %g, must be at most 100 million",
                             steps);
    }
    view->step_count = (uint32_t)steps;
    return RBL_OK;
}

static rblResult read_camera(rblJson root, rblSceneView* view)
{
    const rblJson camera = rbl_json_find(root, "camera");
    if (!rbl_json_exists(camera))
    {
        return RBL_OK;
    }
    view->camera.fov = 40.0f;
    RBL_TRY(rbl_check_keys(camera, camera_keys));
    RBL_TRY(rbl_require_vector(camera, "eye", &view->camera.eye));
    RBL_TRY(rbl_require_vector(camera, "target", &view->camera.target));
    RBL_TRY(rbl_optional_float(camera, "fov", RBL_POSITIVE, &view->camera.fov));
    if (!(view->camera.fov < 180.0f))
    {
        return rbl_json_fail(rbl_json_find(camera, "fov"), RBL_ERROR_FORMAT,
                             "is %g, must be less than 180 degrees", (double)view->camera.fov);
    }
    const rblVec3 direction = rbl_sub3(view->camera.target, view->camera.eye);
    if (!(rbl_dot3(direction, direction) > 0.0f))
    {
        return rbl_json_fail(camera, RBL_ERROR_FORMAT,
                             "eye and target are both (%g, %g, %g), must be different points",
                             RBL_XYZ(view->camera.eye));
    }
    view->has_camera = true;
    return RBL_OK;
}

static rblResult read_settings(rblScene* scene, rblJson root)
{
    rblSceneView* view = &scene->view;
    view->name = scene->name;
    view->about = "";
    view->gravity = rbl_vec3(0.0f, -9.81f, 0.0f);
    RBL_TRY(rbl_json_expect(root, RBL_JSON_OBJECT));
    RBL_TRY(check_version(root));
    RBL_TRY(rbl_check_keys(root, scene_keys));
    RBL_TRY(rbl_json_optional_string(root, "about", &view->about));
    RBL_TRY(rbl_optional_vector(root, "gravity", &view->gravity));
    RBL_TRY(read_time(root, view));
    return read_camera(root, view);
}

static void fill_view(rblScene* scene)
{
    rblSceneView* view = &scene->view;
    view->text = scene->text;
    view->text_size = scene->text_size;
    view->shape_count = (uint32_t)scene->shapes.count;
    view->shapes = scene->shapes.data;
    view->material_count = (uint32_t)scene->materials.count;
    view->materials = scene->materials.data;
    view->body_count = (uint32_t)scene->bodies.count;
    view->bodies = scene->bodies.data;
    view->joint_count = (uint32_t)scene->joints.count;
    view->joints = scene->joints.data;
    view->event_count = (uint32_t)scene->events.count;
    view->events = scene->events.data;
    view->breaker_count = (uint32_t)scene->breakers.count;
    view->breakers = scene->breakers.data;
}

static rblResult read_scene(rblScene* scene)
{
    RBL_TRY(rbl_json_parse(&scene->document, scene->text, scene->text_size, scene->name, scene->allocator));
    scene->parsed = true;
    const rblJson root = rbl_json_root(&scene->document);
    RBL_TRY(read_settings(scene, root));
    RBL_TRY(rbl_scene_read_materials(scene, root));
    RBL_TRY(rbl_scene_read_shapes(scene, root));
    RBL_TRY(rbl_scene_read_bodies(scene, root));
    RBL_TRY(rbl_sort_events(scene, root));
    RBL_TRY(rbl_name_bodies(scene));
    RBL_TRY(rbl_scene_read_joints(scene, root));
    RBL_TRY(rbl_scene_read_events(scene));
    fill_view(scene);
    return RBL_OK;
}

// ---- creation ----

static void init_scene(rblScene* scene, const rblAllocator* allocator)
{
    scene->allocator = allocator;
    rbl_arena_init(&scene->arena, 16384, allocator);
    rbl_scene_names_init(&scene->shape_names, allocator);
    rbl_scene_names_init(&scene->material_names, allocator);
    rbl_scene_names_init(&scene->body_names, allocator);
    rbl_array_init(&scene->shapes, allocator);
    rbl_array_init(&scene->shape_defs, allocator);
    rbl_array_init(&scene->materials, allocator);
    rbl_array_init(&scene->bodies, allocator);
    rbl_array_init(&scene->named, allocator);
    rbl_array_init(&scene->body_jsons, allocator);
    rbl_array_init(&scene->unnamed, allocator);
    rbl_array_init(&scene->breakers, allocator);
    rbl_array_init(&scene->breaker_sources, allocator);
    rbl_array_init(&scene->fracture_files, allocator);
    rbl_array_init(&scene->joints, allocator);
    rbl_array_init(&scene->joint_jsons, allocator);
    rbl_array_init(&scene->events, allocator);
    rbl_array_init(&scene->event_jsons, allocator);
}

static void free_scene(rblScene* scene)
{
    rbl_discard_shapes(scene);
    rbl_discard_breakers(scene);
    rbl_forget_breakers(scene);
    rbl_scene_names_free(&scene->shape_names);
    rbl_scene_names_free(&scene->material_names);
    rbl_scene_names_free(&scene->body_names);
    rbl_array_free(&scene->shapes);
    rbl_array_free(&scene->shape_defs);
    rbl_array_free(&scene->materials);
    rbl_array_free(&scene->bodies);
    rbl_array_free(&scene->named);
    rbl_array_free(&scene->body_jsons);
    rbl_array_free(&scene->unnamed);
    rbl_array_free(&scene->breakers);
    rbl_array_free(&scene->breaker_sources);
    rbl_array_free(&scene->fracture_files);
    rbl_array_free(&scene->joints);
    rbl_array_free(&scene->joint_jsons);
    rbl_array_free(&scene->events);
    rbl_array_free(&scene->event_jsons);
    rbl_arena_free(&scene->arena);
    if (scene->parsed)
    {
        rbl_json_free(&scene->document);
    }
    rbl_free(scene->allocator, scene->text, scene->text_size + 1);
    rbl_free(scene->allocator, scene->name, scene->name_size);
    rbl_free(scene->allocator, scene, sizeof *scene);
}

static rblResult make_scene(const void* text, size_t size, const char* name, rblScene** out)
{
    const rblAllocator* allocator = rbl_default_allocator();
    rblScene* scene = rbl_alloc_zero(allocator, sizeof *scene);
    if (scene == NULL)
    {
        return rbl_fail_memory();
    }
    init_scene(scene, allocator);
    scene->name_size = strlen(name) + 1;
    scene->name = rbl_alloc(allocator, scene->name_size);
    scene->text_size = size;
    scene->text = rbl_alloc(allocator, size + 1);
    rblResult result = scene->name != NULL && scene->text != NULL ? RBL_OK : rbl_fail_memory();
    if (result == RBL_OK)
    {
        memcpy(scene->name, name, scene->name_size);
        memcpy(scene->text, size > 0 ? text : "", size);
        scene->text[size] = '\0';
        result = read_scene(scene);
    }
    if (result != RBL_OK)
    {
        free_scene(scene);
        return result;
    }
    *out = scene;
    return RBL_OK;
}

// ---- ids ----

static rblRegistry registry = RBL_REGISTRY_INIT;

static rblResult fail_stale(rblSceneId id)
{
    return rbl_fail(RBL_ERROR_STALE, "scene: the id %u/%u is null or was destroyed", id.index1,
                    id.generation);
}

rblResult rbl_scene_find(rblSceneId id, rblScene** out)
{
    rbl_mutex_lock(&registry.mutex);
    rblScene* scene = rbl_registry_find(&registry, id.index1, id.generation);
    rbl_mutex_unlock(&registry.mutex);
    if (scene == NULL)
    {
        return fail_stale(id);
    }
    *out = scene;
    return RBL_OK;
}

rblResult rbl_scene_load_memory(const void* text, size_t size, const char* name, rblSceneId* out)
{
    if ((text == NULL && size > 0) || name == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: text, name and out must not be null");
    }
    rblScene* scene = NULL;
    RBL_TRY(make_scene(text, size, name, &scene));
    rbl_mutex_lock(&registry.mutex);
    const bool added = rbl_registry_add(&registry, scene, &out->index1, &out->generation);
    rbl_mutex_unlock(&registry.mutex);
    if (!added)
    {
        free_scene(scene);
        return rbl_fail_memory();
    }
    return RBL_OK;
}

rblResult rbl_scene_load(const char* path, rblSceneId* out)
{
    if (path == NULL || out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: path and out must not be null");
    }
    rblFileBytes file;
    RBL_TRY(rbl_file_read(path, MAX_BYTES, rbl_default_allocator(), &file));
    const rblResult result = rbl_scene_load_memory(file.bytes, file.size, path, out);
    rbl_file_bytes_free(&file);
    return result;
}

rblResult rbl_scene_share(rblSceneId id, rblSceneId* out)
{
    rbl_mutex_lock(&registry.mutex);
    rblScene* scene = rbl_registry_find(&registry, id.index1, id.generation);
    const bool added = scene != NULL && rbl_registry_add(&registry, scene, &out->index1, &out->generation);
    if (added)
    {
        scene->further_ids += 1;
    }
    rbl_mutex_unlock(&registry.mutex);
    return added ? RBL_OK : scene != NULL ? rbl_fail_memory() : fail_stale(id);
}

rblResult rbl_scene_destroy(rblSceneId id)
{
    rbl_mutex_lock(&registry.mutex);
    rblScene* scene = rbl_registry_remove(&registry, id.index1, id.generation);
    const bool is_last = scene != NULL && scene->further_ids == 0;
    if (scene != NULL && !is_last)
    {
        scene->further_ids -= 1;
    }
    rbl_mutex_unlock(&registry.mutex);
    if (scene == NULL)
    {
        return fail_stale(id);
    }
    if (is_last)
    {
        free_scene(scene);
    }
    return RBL_OK;
}

rblResult rbl_scene_view(rblSceneId id, rblSceneView* out)
{
    rblScene* scene = NULL;
    RBL_TRY(rbl_scene_find(id, &scene));
    if (out == NULL)
    {
        return rbl_fail(RBL_ERROR_ARGUMENT, "scene: out must not be null");
    }
    *out = scene->view;
    return RBL_OK;
}
